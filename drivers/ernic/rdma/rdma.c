// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RDMA engine of a device: life cycle, doorbells.
 */
#include <linux/bitfield.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include <ernic/kunit.h>

#include "engine.h"

static void ernic_rdma_users_gone(struct percpu_ref *ref)
{
	struct ernic_rdma *rdma = container_of(ref, struct ernic_rdma, users);

	complete(&rdma->users_gone);
}

static void ernic_rdma_init_group(struct ernic_rdma *rdma,
				  struct ernic_group *g)
{
	g->rdma = rdma;
	mutex_init(&g->check_lock);
	spin_lock_init(&g->lock);
	INIT_LIST_HEAD(&g->qps);
	INIT_LIST_HEAD(&g->cqs);
	ernic_worker_init(&g->worker, ernic_group_poll);
	g->worker.page = &rdma->edev->db_page0;
}

/**
 * ernic_rdma_create - allocate the engine of a device
 * @edev: device
 *
 * Return: 0 or a negative errno.
 */
int ernic_rdma_create(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma;
	unsigned int i;
	int err;

	rdma = kvzalloc_obj(*rdma, GFP_KERNEL_ACCOUNT);
	if (!rdma)
		return -ENOMEM;
	rdma->edev = edev;
	rdma->backend = ERNIC_RDMA_LOOPBACK;
	mutex_init(&rdma->aq_lock);
	mutex_init(&rdma->mr_lock);
	xa_init_flags(&rdma->qps, XA_FLAGS_ACCOUNT);
	xa_init_flags(&rdma->cqs, XA_FLAGS_ACCOUNT);
	xa_init_flags(&rdma->mrs, XA_FLAGS_ACCOUNT);
	xa_init_flags(&rdma->ahs, XA_FLAGS_ACCOUNT);
	timer_setup(&rdma->eq_timer, ernic_eq_timer, 0);
	init_completion(&rdma->users_gone);
	for (i = 0; i < ARRAY_SIZE(rdma->eq); i++) {
		mutex_init(&rdma->eq[i].lock);
		INIT_LIST_HEAD(&rdma->eq[i].held);
	}
	rdma->ngroups = clamp_t(unsigned int, edev->profile.rdma_workers, 1,
				ERNIC_RDMA_MAX_WORKERS);
	for (i = 0; i < rdma->ngroups; i++)
		ernic_rdma_init_group(rdma, &rdma->group[i]);
	ernic_worker_init(&rdma->aq_worker, ernic_aq_poll);
	rdma->aq_worker.page = &edev->db_page0;

	/* dead until a VMM opens the device */
	err = percpu_ref_init(&rdma->users, ernic_rdma_users_gone,
			      PERCPU_REF_INIT_DEAD | PERCPU_REF_ALLOW_REINIT,
			      GFP_KERNEL);
	if (err) {
		kvfree(rdma);
		return err;
	}
	edev->rdma = rdma;
	return 0;
}

/**
 * ernic_rdma_destroy - undo ernic_rdma_create()
 * @edev: closed device
 */
void ernic_rdma_destroy(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;

	timer_shutdown_sync(&rdma->eq_timer);
	percpu_ref_exit(&rdma->users);
	xa_destroy(&rdma->qps);
	xa_destroy(&rdma->cqs);
	xa_destroy(&rdma->mrs);
	xa_destroy(&rdma->ahs);
	mutex_destroy(&rdma->aq_lock);
	mutex_destroy(&rdma->mr_lock);
	edev->rdma = NULL;
	kvfree(rdma);
}

/**
 * ernic_rdma_open - a VMM opens the device
 * @edev: device; the caller holds state_lock
 */
void ernic_rdma_open(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;

	reinit_completion(&rdma->users_gone);
	percpu_ref_reinit(&rdma->users);
}

/**
 * ernic_rdma_close - the VMM is gone
 * @edev: device after ernic_rdma_reset(); the caller does not hold state_lock
 */
void ernic_rdma_close(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;
	unsigned int i;

	/* what a last frame of the guest has shown */
	ernic_gid_forget(rdma);
	percpu_ref_kill(&rdma->users);
	wait_for_completion(&rdma->users_gone);

	ernic_worker_stop(&rdma->aq_worker);
	for (i = 0; i < rdma->ngroups; i++)
		ernic_worker_stop(&rdma->group[i].worker);
	timer_delete_sync(&rdma->eq_timer);
	rdma->threads = false;
}

/**
 * ernic_rdma_start - give the engine its threads
 * @rdma: engine; the caller holds state_lock
 *
 * A device whose guest never sets RDMA up has none.
 *
 * Return: 0 or a negative errno.
 */
static int ernic_rdma_start(struct ernic_rdma *rdma)
{
	unsigned int id = rdma->edev->id;
	unsigned int i;
	int err;

	if (rdma->threads)
		return 0;
	err = ernic_worker_start(&rdma->aq_worker, "ernic%u-aq", id);
	for (i = 0; !err && i < rdma->ngroups; i++)
		err = ernic_worker_start(&rdma->group[i].worker,
					 "ernic%u-rdma%u", id, i);
	if (!err) {
		rdma->threads = true;
		return 0;
	}
	ernic_worker_stop(&rdma->aq_worker);
	while (i--)
		ernic_worker_stop(&rdma->group[i].worker);
	return err;
}

/**
 * ernic_rdma_reset - forget every object
 * @edev: device; the caller holds state_lock
 *
 * Idempotent.  On return no access of the engine to the guest's memory runs, nor
 * does one begin before the next command.
 */
void ernic_rdma_reset(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;

	mutex_lock(&rdma->aq_lock);
	rdma->on = false;
	rdma->aq.on = false;
	/* nobody finds the way here any more */
	ernic_gid_forget(rdma);
	ernic_qp_destroy_all(rdma);
	if (rdma->aq.cq) {
		rdma->aq.cq->users--;
		rdma->aq.cq = NULL;
	}
	ernic_cq_destroy_all(rdma);
	ernic_mr_destroy_all(rdma);
	ernic_ah_destroy_all(rdma);
	ernic_eq_off(rdma);
	mutex_unlock(&rdma->aq_lock);
	ernic_page_share(&edev->db_page0, false);
}
ERNIC_KUNIT_EXPORT(ernic_rdma_reset);

/**
 * ernic_rdma_kick - have all workers look at their queues
 * @edev: device; any context
 */
void ernic_rdma_kick(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;
	unsigned int i;

	if (!rdma)
		return;
	ernic_worker_kick(&rdma->aq_worker);
	for (i = 0; i < rdma->ngroups; i++) {
		set_bit(i, &rdma->rescan);
		ernic_worker_kick(&rdma->group[i].worker);
	}
}

/* rings that the Ethernet admin queue creates are contiguous */
static bool ernic_rdma_ring_ok(struct ernic_rdma *rdma,
			       const union ion_cmd *req)
{
	u64 addr = le64_to_cpu(req->rdma_queue.dma_addr);
	u64 len = 1ULL << (req->rdma_queue.depth_log2 +
			   req->rdma_queue.stride_log2);
	u64 tmp;

	return addr && IS_ALIGNED(addr, 64) && addr <= ION_ADDR_MASK &&
	       len - 1 <= ION_ADDR_MASK - addr &&
	       !ernic_dma_read(rdma->edev, addr, &tmp, sizeof(tmp)) &&
	       !ernic_dma_read(rdma->edev, addr + len - sizeof(tmp), &tmp,
			       sizeof(tmp));
}

/**
 * ernic_rdma_create_eq - RDMA_CREATE_EQ
 * @edev: device; the caller holds state_lock
 * @req: command
 *
 * Return: enum ion_status.
 */
u8 ernic_rdma_create_eq(struct ernic_dev *edev, const union ion_cmd *req)
{
	u32 id = le32_to_cpu(req->rdma_queue.qid_ver) & 0xffffff;
	u32 vec = le32_to_cpu(req->rdma_queue.cid);
	struct ernic_rdma *rdma = edev->rdma;
	struct ernic_eq *eq;

	if (id >= min_t(u32, edev->profile.rdma_eqs, ERNIC_RDMA_MAX_EQS))
		return ION_RC_EQID;
	eq = &rdma->eq[array_index_nospec(id, ERNIC_RDMA_MAX_EQS)];
	if (vec >= edev->nvectors || req->rdma_queue.dbid ||
	    req->rdma_queue.stride_log2 != ION_EQE_LOG2 ||
	    req->rdma_queue.depth_log2 < 2 || req->rdma_queue.depth_log2 > 16)
		return ION_RC_EINVAL;
	if (!ernic_rdma_ring_ok(rdma, req))
		return ION_RC_BAD_ADDR;
	if (ernic_rdma_start(rdma))
		return ION_RC_ENOMEM;

	mutex_lock(&eq->lock);
	if (eq->on) {
		mutex_unlock(&eq->lock);
		return ION_RC_EEXIST;
	}
	eq->depth_log2 = req->rdma_queue.depth_log2;
	eq->vec = array_index_nospec(vec, ION_MSIX_VECTORS);
	eq->base = le64_to_cpu(req->rdma_queue.dma_addr);
	eq->prod = 0;
	eq->on = true;
	mutex_unlock(&eq->lock);
	/* before the guest can ring: what follows shares doorbell slots */
	ernic_page_share(&edev->db_page0, true);
	return ION_RC_SUCCESS;
}

/**
 * ernic_rdma_create_cq - RDMA_CREATE_CQ, the one of an admin queue
 * @edev: device; the caller holds state_lock
 * @req: command
 *
 * Return: enum ion_status.
 */
u8 ernic_rdma_create_cq(struct ernic_dev *edev, const union ion_cmd *req)
{
	struct ion_admin_wqe wqe = {
		.cmd.create_cq = {
			.eq_id = req->rdma_queue.cid,
			.depth_log2 = req->rdma_queue.depth_log2,
			.stride_log2 = req->rdma_queue.stride_log2,
			.id_ver = req->rdma_queue.qid_ver,
			.map_count = cpu_to_le32(1),
			.dma_addr = req->rdma_queue.dma_addr,
			.dbid_flags = req->rdma_queue.dbid,
		},
	};
	struct ernic_rdma *rdma = edev->rdma;
	u8 rc;

	if (req->rdma_queue.dbid || req->rdma_queue.depth_log2 > 16 ||
	    req->rdma_queue.stride_log2 != ION_CQE_LOG2)
		return ION_RC_EINVAL;
	if (!ernic_rdma_ring_ok(rdma, req))
		return ION_RC_BAD_ADDR;
	mutex_lock(&rdma->aq_lock);
	rc = ernic_cq_create(rdma, &wqe);
	mutex_unlock(&rdma->aq_lock);
	switch (rc) {
	case ION_ASTS_OK:
		return ION_RC_SUCCESS;
	case ION_ASTS_BAD_INDEX:
		return ION_RC_EQID;
	case ION_ASTS_BAD_STATE:
		return ION_RC_EEXIST;
	default:
		return ION_RC_EINVAL;
	}
}

/**
 * ernic_rdma_create_aq - RDMA_CREATE_ADMINQ
 * @edev: device; the caller holds state_lock
 * @req: command
 *
 * Return: enum ion_status.
 */
u8 ernic_rdma_create_aq(struct ernic_dev *edev, const union ion_cmd *req)
{
	u32 id = le32_to_cpu(req->rdma_queue.qid_ver) & 0xffffff;
	struct ernic_rdma *rdma = edev->rdma;
	struct ernic_rcq *cq;
	u8 rc = ION_RC_SUCCESS;
	unsigned int slot;

	if (id)
		return ION_RC_EQID;
	if (req->rdma_queue.dbid || req->rdma_queue.depth_log2 < 2 ||
	    req->rdma_queue.depth_log2 > 15 ||
	    req->rdma_queue.stride_log2 != ION_ADMIN_STRIDE_LOG2)
		return ION_RC_EINVAL;
	if (!ernic_rdma_ring_ok(rdma, req))
		return ION_RC_BAD_ADDR;

	mutex_lock(&rdma->aq_lock);
	cq = ernic_cq_get(rdma, le32_to_cpu(req->rdma_queue.cid));
	if (rdma->aq.on) {
		rc = ION_RC_EEXIST;
	} else if (!cq || cq->dbid) {
		rc = ION_RC_EQID;
	} else {
		rdma->aq = (struct ernic_aq){
			.on = true,
			.id = id,
			.base = le64_to_cpu(req->rdma_queue.dma_addr),
			.mask = BIT(req->rdma_queue.depth_log2) - 1,
			.cq = cq,
		};
		cq->users++;
		cq->admin = true;
		rdma->on = true;
	}
	if (cq)
		ernic_obj_put(&cq->obj);
	mutex_unlock(&rdma->aq_lock);
	if (rc != ION_RC_SUCCESS)
		return rc;
	/* polled as well, until KVM has shown that it tells of each store */
	for (slot = ERNIC_DB_SLOT_SQ; slot <= ERNIC_DB_SLOT_AQ; slot++)
		ernic_page_slot_init(&edev->db_page0, slot);
	/* who only receives shows no address of its own */
	ernic_gid_learn(rdma, NULL, edev->mac, false);
	return rc;
}

static bool ernic_rdma_doorbell_qp(struct ernic_rdma *rdma, unsigned int page,
				   u32 qid, u16 index, bool send)
{
	struct ernic_rqp *qp;
	bool ok;

	rcu_read_lock();
	qp = xa_load(&rdma->qps, qid);
	/* a process may only drive what was created with its page */
	ok = qp && qp->dbid == page;
	if (ok && send) {
		/* requests before the index: pairs with ernic_req_fetch() */
		smp_store_release(&qp->sq_prod, index & qp->sq.mask);
		ernic_qp_schedule(qp);
	} else if (ok) {
		/*
		 * Pairs with ernic_rx_begin().  A sender that found no receive
		 * request tries again by itself.
		 */
		smp_store_release(&qp->rq_prod, index & qp->rq.mask);
	}
	rcu_read_unlock();
	return ok;
}

/**
 * ernic_rdma_doorbell - a doorbell of an RDMA class
 * @edev: device
 * @page: doorbell page, which is the guest's process
 * @slot: class
 * @val: value
 *
 * Any context.
 *
 * Return: it was for a queue of ours.
 */
bool ernic_rdma_doorbell(struct ernic_dev *edev, unsigned int page,
			 unsigned int slot, u64 val)
{
	unsigned int ring = FIELD_GET(ION_DB_RING_MASK, val);
	u16 index = FIELD_GET(ION_DB_P_INDEX_MASK, val);
	u32 qid = FIELD_GET(ION_DB_QID_MASK, val);
	struct ernic_rdma *rdma = edev->rdma;
	struct ernic_rcq *cq;
	bool ok = false;

	if (!rdma)
		return false;
	switch (slot) {
	case ERNIC_DB_SLOT_SQ:
	case ERNIC_DB_SLOT_RQ:
		if (ring)
			return false;
		return ernic_rdma_doorbell_qp(rdma, page, qid, index,
					      slot == ERNIC_DB_SLOT_SQ);
	case ERNIC_DB_SLOT_CQ:
		rcu_read_lock();
		cq = xa_load(&rdma->cqs, qid);
		ok = cq && cq->dbid == page && ring <= ION_CQ_RING_SOL;
		if (ok)
			ernic_cq_doorbell(cq, ring, index);
		rcu_read_unlock();
		return ok;
	case ERNIC_DB_SLOT_AQ:
		if (page || ring || !READ_ONCE(rdma->aq.on) ||
		    qid != rdma->aq.id)
			return false;
		/* commands before the index: pairs with ernic_aq_poll() */
		smp_store_release(&rdma->aq.prod, index);
		ernic_worker_kick(&rdma->aq_worker);
		return true;
	default:
		return false;
	}
}
