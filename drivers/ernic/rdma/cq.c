// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues: entries, room, and the event that goes with them.
 *
 * The guest says how far it has read when its credit is used up and before it arms
 * (ionic_datapath.c:ionic_reserve_sync_cq), so @cons is a lower bound.  An entry is
 * promised to an operation before it runs; an operation without room waits.
 *
 * Arming asks for one event: at once if there are entries the guest has not read,
 * else with the next entry.  The doorbell may come while a lock is held that the
 * event needs, and in any context; so it only notes what is wanted and has the
 * worker look.  Whichever comes second, entry or arming, sees the other: both are
 * under db_lock.
 */
#include <linux/nospec.h>
#include <linux/slab.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "engine.h"

#define ERNIC_CQ_DEPTH_MAX	16

/**
 * ernic_cq_get - find a CQ
 * @rdma: engine
 * @id: its number
 *
 * Return: the CQ with a reference, or NULL.
 */
struct ernic_rcq *ernic_cq_get(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_rcq *cq;

	rcu_read_lock();
	cq = xa_load(&rdma->cqs, id);
	if (cq && !ernic_obj_tryget(&cq->obj))
		cq = NULL;
	rcu_read_unlock();
	return cq;
}

/* one less than there are, so that full and empty differ in a doorbell */
static u32 ernic_cq_room(const struct ernic_rcq *cq)
{
	return cq->ring.mask - (cq->prod - cq->cons) - cq->reserved;
}

/**
 * ernic_cq_reserve - promise an entry
 * @cq: CQ
 *
 * Return: there was room.
 */
bool ernic_cq_reserve(struct ernic_rcq *cq)
{
	bool ok;

	spin_lock_irq(&cq->db_lock);
	ok = (s32)ernic_cq_room(cq) > 0;
	if (ok)
		cq->reserved++;
	spin_unlock_irq(&cq->db_lock);
	return ok;
}
ERNIC_KUNIT_EXPORT(ernic_cq_reserve);

/**
 * ernic_cq_release - the entry that was promised is not needed
 * @cq: CQ
 */
void ernic_cq_release(struct ernic_rcq *cq)
{
	spin_lock_irq(&cq->db_lock);
	cq->reserved--;
	spin_unlock_irq(&cq->db_lock);
}
ERNIC_KUNIT_EXPORT(ernic_cq_release);

static int ernic_cq_write(struct ernic_rcq *cq, struct ion_v1_cqe *cqe, u32 at)
{
	struct ernic_dev *edev = cq->rdma->edev;
	size_t want = sizeof(*cqe), len = want;
	struct ion_v1_cqe *to;
	int idx, err;
	u64 addr;

	/* ones in the first lap (ionic_controlpath.c:ionic_create_cq_common) */
	if (!(at & (cq->ring.mask + 1)))
		cqe->qid_type_flags |= cpu_to_be32(ION_CQE_COLOR);
	addr = ernic_pgtbl_iova(&cq->ring.pt,
				(u64)(at & cq->ring.mask) *
				sizeof(*cqe), &len);
	idx = ernic_dma_lock(edev);
	to = ernic_dma_map(edev, addr, &len);
	if (likely(to && len >= want)) {
		memcpy(to->qwords, cqe->qwords, sizeof(to->qwords));
		/* pairs with the driver's dma_rmb() behind the colour */
		smp_store_release(&to->tail, cqe->tail);
		err = 0;
	} else {
		err = ernic_dma_write(edev, addr, cqe->qwords,
				      sizeof(cqe->qwords));
		if (!err)
			err = ernic_dma_write64_release(edev, addr +
							sizeof(cqe->qwords),
							cqe->tail);
	}
	ernic_dma_unlock(edev, idx);
	return err;
}

/* posts the event that is due, if one is; the caller holds cq->lock */
static void ernic_cq_fire(struct ernic_rcq *cq)
{
	bool fire = false;

	lockdep_assert_held(&cq->lock);
	spin_lock_irq(&cq->db_lock);
	if (cq->armed_any && cq->prod != cq->cons)
		fire = true;
	/* the newest solicited entry is not read yet */
	if (cq->armed_sol && (s32)(cq->sol_pos - cq->cons) > 0)
		fire = true;
	if (fire) {
		cq->armed_any = false;
		cq->armed_sol = false;
	}
	spin_unlock_irq(&cq->db_lock);
	if (fire)
		ernic_eq_post(cq->rdma, cq->eq, ION_EQE_TYPE_CQ,
			      ION_EQE_CQ_NOTIFY, cq->id, cq);
}

/**
 * ernic_cq_post - write an entry
 * @cq: CQ
 * @cqe: entry without the colour; changed
 * @solicited: of a message sent with that flag, or an error
 * @reserved: it was promised
 *
 * An entry that does not fit is lost: the guest is told once.
 *
 * Return: 0, -ENOSPC, or what writing says.
 */
int ernic_cq_post(struct ernic_rcq *cq, struct ion_v1_cqe *cqe, bool solicited,
		  bool reserved)
{
	int err;
	u32 at;

	mutex_lock(&cq->lock);
	if (!reserved && !ernic_cq_reserve(cq)) {
		if (!cq->overrun)
			ernic_eq_post(cq->rdma, cq->eq, ION_EQE_TYPE_CQ,
				      ION_EQE_CQ_ERR, cq->id, NULL);
		cq->overrun = true;
		err = -ENOSPC;
		goto out;
	}
	/* before the guest sees it, as it may say at once that it has read it */
	spin_lock_irq(&cq->db_lock);
	cq->reserved--;
	at = cq->prod++;
	/* never so far behind that it seems to be ahead */
	if (solicited)
		cq->sol_pos = cq->prod;
	else if ((s32)(cq->sol_pos - cq->cons) < 0)
		cq->sol_pos = cq->cons;
	spin_unlock_irq(&cq->db_lock);
	err = ernic_cq_write(cq, cqe, at);
	if (!err) {
		ernic_cq_fire(cq);
		goto out;
	}
	spin_lock_irq(&cq->db_lock);
	cq->prod = at;
	spin_unlock_irq(&cq->db_lock);
	if (err != -EACCES)
		ernic_warn(cq->rdma->edev, "rdma cq %u: entry not writable\n",
			   cq->id);
out:
	mutex_unlock(&cq->lock);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_cq_post);

/**
 * ernic_cq_doorbell - the guest has read entries, or arms
 * @cq: CQ; RCU or a reference
 * @ring: ION_CQ_RING_*
 * @index: position, or sequence number of the arming
 *
 * Any context.
 */
void ernic_cq_doorbell(struct ernic_rcq *cq, unsigned int ring, u16 index)
{
	unsigned long flags;
	bool check = false;

	spin_lock_irqsave(&cq->db_lock, flags);
	switch (ring) {
	case ION_CQ_RING_CONS:
		cq->cons = cq->prod - ((cq->prod - index) & cq->ring.mask);
		check = cq->admin;
		break;
	case ION_CQ_RING_ARM:
		/* the same number again is the same doorbell again */
		if (index != cq->arm_any) {
			cq->arm_any = index;
			cq->armed_any = true;
			check = true;
		}
		break;
	case ION_CQ_RING_SOL:
		if (index != cq->arm_sol) {
			cq->arm_sol = index;
			cq->armed_sol = true;
			check = true;
		}
		break;
	}
	spin_unlock_irqrestore(&cq->db_lock, flags);
	if (!check)
		return;
	if (ring == ION_CQ_RING_CONS)
		ernic_worker_kick(&cq->rdma->aq_worker);
	else
		ernic_cq_schedule(cq);
}
ERNIC_KUNIT_EXPORT(ernic_cq_doorbell);

/**
 * ernic_cq_schedule - have the worker look whether an event is due
 * @cq: CQ; RCU or a reference
 *
 * Any context.
 */
void ernic_cq_schedule(struct ernic_rcq *cq)
{
	struct ernic_group *g = cq->group;
	unsigned long flags;

	if (test_and_set_bit(ERNIC_CQ_READY, &cq->events))
		return;
	if (!ernic_obj_tryget(&cq->obj))
		return;
	spin_lock_irqsave(&g->lock, flags);
	list_add_tail(&cq->ready, &g->cqs);
	spin_unlock_irqrestore(&g->lock, flags);
	ernic_worker_kick(&g->worker);
}

/**
 * ernic_cq_check - post the event that arming asked for, if it is due
 * @cq: CQ with a reference
 */
void ernic_cq_check(struct ernic_rcq *cq)
{
	mutex_lock(&cq->lock);
	ernic_cq_fire(cq);
	mutex_unlock(&cq->lock);
}
ERNIC_KUNIT_EXPORT(ernic_cq_check);

/**
 * ernic_cq_create - CREATE_CQ, also the one of an admin queue
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_cq_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_create_cq *c = &wqe->cmd.create_cq;
	u32 id = le32_to_cpu(c->id_ver) & 0xffffff;
	u32 eq = le32_to_cpu(c->eq_id);
	struct ernic_rcq *cq;
	int err;

	if (id >= rdma->edev->profile.rdma_cqs)
		return ION_ASTS_BAD_INDEX;
	if (eq >= ERNIC_RDMA_MAX_EQS)
		return ION_ASTS_BAD_INDEX;
	eq = array_index_nospec(eq, ERNIC_RDMA_MAX_EQS);
	if (!READ_ONCE(rdma->eq[eq].on))
		return ION_ASTS_BAD_INDEX;
	if (c->depth_log2 < 2 || c->depth_log2 > ERNIC_CQ_DEPTH_MAX ||
	    c->stride_log2 != ION_CQE_LOG2 ||
	    le16_to_cpu(c->dbid_flags) >= ION_DB_PAGES)
		return ION_ASTS_BAD_ATTR;
	if (xa_load(&rdma->cqs, id))
		return ION_ASTS_BAD_STATE;

	cq = kzalloc_obj(*cq, GFP_KERNEL_ACCOUNT);
	if (!cq)
		return ION_ASTS_BAD_STATE;
	ernic_obj_init(&cq->obj);
	cq->rdma = rdma;
	cq->group = &rdma->group[id % rdma->ngroups];
	cq->id = id;
	cq->eq = eq;
	cq->dbid = le16_to_cpu(c->dbid_flags);
	mutex_init(&cq->lock);
	spin_lock_init(&cq->db_lock);
	INIT_LIST_HEAD(&cq->hold);
	INIT_LIST_HEAD(&cq->ready);
	cq->ring.depth_log2 = c->depth_log2;
	cq->ring.stride_log2 = c->stride_log2;
	cq->ring.mask = BIT(c->depth_log2) - 1;
	err = ernic_pgtbl_read(rdma, &cq->ring.pt, le64_to_cpu(c->dma_addr),
			       le32_to_cpu(c->map_count), c->page_size_log2, 0,
			       (u64)sizeof(struct ion_v1_cqe) <<
			       c->depth_log2);
	/* an entry in one piece */
	if (!err && cq->ring.pt.count == 1 &&
	    !IS_ALIGNED(cq->ring.pt.addr, sizeof(struct ion_v1_cqe)))
		err = -EINVAL;
	if (!err)
		err = xa_err(xa_store(&rdma->cqs, id, cq, GFP_KERNEL_ACCOUNT));
	if (err) {
		ernic_pgtbl_free(rdma, &cq->ring.pt);
		mutex_destroy(&cq->lock);
		kfree(cq);
		return ION_ASTS_BAD_ATTR;
	}
	ernic_db_page_use(rdma->edev, cq->dbid);
	rdma->ncqs++;
	return ION_ASTS_OK;
}
ERNIC_KUNIT_EXPORT(ernic_cq_create);

static void ernic_cq_free(struct ernic_rdma *rdma, struct ernic_rcq *cq)
{
	struct ernic_eq *eq = &rdma->eq[cq->eq];

	xa_erase(&rdma->cqs, cq->id);
	if (ernic_group_forget(cq->group, &cq->ready))
		ernic_obj_put(&cq->obj);
	ernic_obj_retire(&cq->obj);
	mutex_lock(&eq->lock);
	list_del_init(&cq->hold);
	mutex_unlock(&eq->lock);
	ernic_pgtbl_free(rdma, &cq->ring.pt);
	mutex_destroy(&cq->lock);
	rdma->ncqs--;
	kfree_rcu(cq, obj.rcu);
}

/**
 * ernic_cq_destroy - DESTROY_CQ
 * @rdma: engine; the caller holds aq_lock
 * @id: number
 *
 * Return: enum ion_admin_status; BAD_STATE while queues complete there.
 */
u8 ernic_cq_destroy(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_rcq *cq = xa_load(&rdma->cqs, id);

	if (!cq)
		return ION_ASTS_BAD_INDEX;
	if (cq->users)
		return ION_ASTS_BAD_STATE;
	ernic_cq_free(rdma, cq);
	return ION_ASTS_OK;
}

/**
 * ernic_cq_destroy_all - for RDMA_RESET_LIF
 * @rdma: engine without QPs; the caller holds aq_lock
 */
void ernic_cq_destroy_all(struct ernic_rdma *rdma)
{
	struct ernic_rcq *cq;
	unsigned long i;

	xa_for_each(&rdma->cqs, i, cq)
		ernic_cq_free(rdma, cq);
}
