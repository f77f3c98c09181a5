// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: life cycle, and the workers that give them their turns.
 */
#include <linux/nospec.h>
#include <linux/slab.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "engine.h"

/* QPs that have a turn before the worker looks whether it has to stop */
#define ERNIC_GROUP_BATCH	32

/**
 * ernic_qp_get - find a QP
 * @rdma: engine
 * @id: its number
 *
 * Return: the QP with a reference, or NULL.
 */
struct ernic_rqp *ernic_qp_get(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_rqp *qp;

	rcu_read_lock();
	qp = xa_load(&rdma->qps, id);
	if (qp && !ernic_obj_tryget(&qp->obj))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

/**
 * ernic_qp_schedule - a QP wants a turn
 * @qp: QP; RCU or a reference
 *
 * Any context.
 */
void ernic_qp_schedule(struct ernic_rqp *qp)
{
	struct ernic_group *g = qp->group;
	unsigned long flags;

	if (test_and_set_bit(ERNIC_QP_READY, &qp->events))
		return;
	if (!ernic_obj_tryget(&qp->obj))
		return;
	spin_lock_irqsave(&g->lock, flags);
	list_add_tail(&qp->ready, &g->qps);
	spin_unlock_irqrestore(&g->lock, flags);
	ernic_worker_kick(&g->worker);
}

static enum hrtimer_restart ernic_qp_timer(struct hrtimer *t)
{
	ernic_qp_schedule(container_of(t, struct ernic_rqp, timer));
	return HRTIMER_NORESTART;
}

/**
 * ernic_qp_delay - a QP wants a turn later
 * @qp: QP
 * @delay: when
 */
void ernic_qp_delay(struct ernic_rqp *qp, ktime_t delay)
{
	hrtimer_start(&qp->timer, delay, HRTIMER_MODE_REL);
}

/* one turn; true if it wants another one at once */
static bool ernic_qp_run(struct ernic_rqp *qp)
{
	bool more = false;

	mutex_lock(&qp->sq_lock);
	if (qp->dead)
		goto out;
	if (test_bit(ERNIC_QP_FAIL, &qp->events)) {
		mutex_lock(&qp->rq_lock);
		ernic_qp_failed(qp);
		mutex_unlock(&qp->rq_lock);
	}
	if (READ_ONCE(qp->flush_sq) || READ_ONCE(qp->flush_rq)) {
		mutex_lock(&qp->rq_lock);
		ernic_qp_flush(qp);
		mutex_unlock(&qp->rq_lock);
	}
	more = ernic_req_poll(qp);
out:
	mutex_unlock(&qp->sq_lock);
	return more;
}

static struct ernic_rqp *ernic_group_pop(struct ernic_group *g)
{
	struct ernic_rqp *qp;

	spin_lock_irq(&g->lock);
	qp = list_first_entry_or_null(&g->qps, struct ernic_rqp, ready);
	if (qp)
		list_del_init(&qp->ready);
	spin_unlock_irq(&g->lock);
	if (qp) {
		/* a doorbell from now on asks for another turn */
		clear_bit(ERNIC_QP_READY, &qp->events);
		/* the bit, then the index: pairs with ernic_qp_schedule() */
		smp_mb__after_atomic();
	}
	return qp;
}

static struct ernic_rcq *ernic_group_pop_cq(struct ernic_group *g)
{
	struct ernic_rcq *cq;

	if (list_empty_careful(&g->cqs))
		return NULL;
	spin_lock_irq(&g->lock);
	cq = list_first_entry_or_null(&g->cqs, struct ernic_rcq, ready);
	if (cq)
		list_del_init(&cq->ready);
	spin_unlock_irq(&g->lock);
	if (cq) {
		clear_bit(ERNIC_CQ_READY, &cq->events);
		/* pairs with ernic_cq_schedule() */
		smp_mb__after_atomic();
	}
	return cq;
}

/* posts the events that arming asked for */
static void ernic_group_check(struct ernic_group *g)
{
	struct ernic_rcq *cq;

	mutex_lock(&g->check_lock);
	while ((cq = ernic_group_pop_cq(g))) {
		ernic_cq_check(cq);
		ernic_obj_put(&cq->obj);
	}
	mutex_unlock(&g->check_lock);
}

static void ernic_group_rescan(struct ernic_group *g)
{
	struct ernic_rqp *qp;
	unsigned long i;

	rcu_read_lock();
	xa_for_each(&g->rdma->qps, i, qp)
		if (qp->group == g)
			ernic_qp_schedule(qp);
	rcu_read_unlock();
}

/**
 * ernic_group_poll - worker of a group
 * @w: worker
 *
 * A turn each, in the order in which they asked.
 */
bool ernic_group_poll(struct ernic_worker *w)
{
	struct ernic_group *g = container_of(w, struct ernic_group, worker);
	unsigned int n = ERNIC_GROUP_BATCH;
	struct ernic_rqp *qp = NULL;

	if (test_and_clear_bit(g - g->rdma->group, &g->rdma->rescan))
		ernic_group_rescan(g);
	while (n--) {
		ernic_group_check(g);
		qp = ernic_group_pop(g);
		if (!qp)
			break;
		if (ernic_qp_run(qp))
			ernic_qp_schedule(qp);
		ernic_obj_put(&qp->obj);
	}
	return qp;
}

/**
 * ernic_group_forget - take what wants a turn out of its worker's list
 * @g: group
 * @ready: its place there
 *
 * The list may be long: who destroys it need not wait.
 *
 * Return: true if it was there; its reference is the caller's then.
 */
bool ernic_group_forget(struct ernic_group *g, struct list_head *ready)
{
	bool was;

	spin_lock_irq(&g->lock);
	was = !list_empty(ready);
	list_del_init(ready);
	spin_unlock_irq(&g->lock);
	return was;
}

static u8 ernic_qp_ring_shape(struct ernic_ring *ring, u8 depth_log2,
			      u8 stride_log2)
{
	/* one slot is always free, so a ring has two at least */
	if (!depth_log2 || depth_log2 > 16 ||
	    stride_log2 < ION_WQE_MIN_LOG2 || stride_log2 > ION_WQE_MAX_LOG2)
		return ION_ASTS_BAD_ATTR;
	ring->depth_log2 = depth_log2;
	ring->stride_log2 = stride_log2;
	ring->mask = BIT(depth_log2) - 1;
	return ION_ASTS_OK;
}

static u8 ernic_qp_ring(struct ernic_rdma *rdma, struct ernic_ring *ring,
			u64 addr, u32 count, u8 page_log2)
{
	if (ernic_pgtbl_read(rdma, &ring->pt, addr, count, page_log2, 0,
			     1ULL << (ring->depth_log2 + ring->stride_log2)))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

/* offset in place of an address */
static u8 ernic_qp_sq_cmb(struct ernic_rqp *qp,
			  const struct ion_admin_create_qp *c)
{
	if (le32_to_cpu(c->sq_map_count) != 1 ||
	    ernic_express_create(qp, le64_to_cpu(c->sq_dma_addr)))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

static void ernic_qp_free(struct ernic_rdma *rdma, struct ernic_rqp *qp)
{
	ernic_express_destroy(qp);
	hrtimer_cancel(&qp->timer);
	ernic_pgtbl_free(rdma, &qp->sq.pt);
	ernic_pgtbl_free(rdma, &qp->rq.pt);
	kfree(qp->req.wqe);
	kfree(qp->rx.wqe);
	ernic_gid_put(rdma, qp->gid);
	if (qp->scq) {
		qp->scq->users--;
		ernic_obj_put(&qp->scq->obj);
	}
	if (qp->rcq) {
		qp->rcq->users--;
		ernic_obj_put(&qp->rcq->obj);
	}
	mutex_destroy(&qp->sq_lock);
	mutex_destroy(&qp->rq_lock);
	kfree_rcu(qp, obj.rcu);
}

static struct ernic_rcq *ernic_qp_cq(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_rcq *cq = ernic_cq_get(rdma, id);

	if (cq)
		cq->users++;
	return cq;
}

static u8 ernic_qp_setup(struct ernic_rdma *rdma, struct ernic_rqp *qp,
			 const struct ion_admin_create_qp *c)
{
	u8 status;

	qp->scq = ernic_qp_cq(rdma, le32_to_cpu(c->sq_cq_id));
	qp->rcq = ernic_qp_cq(rdma, le32_to_cpu(c->rq_cq_id));
	if (!qp->scq || !qp->rcq)
		return ION_ASTS_BAD_INDEX;
	status = ernic_qp_ring_shape(&qp->sq, c->sq_depth_log2,
				     c->sq_stride_log2);
	if (!status)
		status = ernic_qp_ring_shape(&qp->rq, c->rq_depth_log2,
					     c->rq_stride_log2);
	if (!status && qp->flags & ION_QPF_SQ_CMB)
		status = ernic_qp_sq_cmb(qp, c);
	else if (!status)
		status = ernic_qp_ring(rdma, &qp->sq,
				       le64_to_cpu(c->sq_dma_addr),
				       le32_to_cpu(c->sq_map_count),
				       c->sq_page_size_log2);
	if (!status)
		status = ernic_qp_ring(rdma, &qp->rq,
				       le64_to_cpu(c->rq_dma_addr),
				       le32_to_cpu(c->rq_map_count),
				       c->rq_page_size_log2);
	if (status)
		return status;
	qp->req.wqe = kzalloc(BIT(qp->sq.stride_log2), GFP_KERNEL_ACCOUNT);
	qp->rx.wqe = kzalloc(BIT(qp->rq.stride_log2), GFP_KERNEL_ACCOUNT);
	return qp->req.wqe && qp->rx.wqe ? ION_ASTS_OK : ION_ASTS_BAD_STATE;
}

/**
 * ernic_qp_create - CREATE_QP
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_create_qp *c = &wqe->cmd.create_qp;
	u32 id = le32_to_cpu(c->id_ver) & 0xffffff;
	struct ernic_rqp *qp;
	u8 status;

	if (!id || id >= rdma->edev->profile.rdma_qps)
		return ION_ASTS_BAD_INDEX;
	switch (c->type_state) {
	case ION_QPT_RC:
	case ION_QPT_UC:
		if (id == ION_QPN_GSI)
			return ION_ASTS_BAD_TYPE;
		break;
	case ION_QPT_UD:
		break;
	default:
		return ION_ASTS_BAD_TYPE;
	}
	if (le32_to_cpu(c->pd_id) >= ERNIC_RDMA_MAX_PD ||
	    le16_to_cpu(c->dbid_flags) >= ION_DB_PAGES ||
	    be32_to_cpu(c->priv_flags) & ION_QPF_RQ_CMB)
		return ION_ASTS_BAD_ATTR;
	if (xa_load(&rdma->qps, id))
		return ION_ASTS_BAD_STATE;

	qp = kzalloc_obj(*qp, GFP_KERNEL_ACCOUNT);
	if (!qp)
		return ION_ASTS_BAD_STATE;
	ernic_obj_init(&qp->obj);
	qp->rdma = rdma;
	qp->group = &rdma->group[id % rdma->ngroups];
	qp->id = id;
	qp->gsi = id == ION_QPN_GSI;
	qp->pd = le32_to_cpu(c->pd_id);
	qp->dbid = le16_to_cpu(c->dbid_flags);
	qp->type = c->type_state;
	qp->flags = be32_to_cpu(c->priv_flags);
	mutex_init(&qp->sq_lock);
	mutex_init(&qp->rq_lock);
	INIT_LIST_HEAD(&qp->ready);
	hrtimer_setup(&qp->timer, ernic_qp_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	ernic_qp_init_attrs(qp);
	status = ernic_qp_setup(rdma, qp, c);
	if (!status && xa_err(xa_store(&rdma->qps, id, qp,
				       GFP_KERNEL_ACCOUNT)))
		status = ION_ASTS_BAD_STATE;
	if (status) {
		ernic_qp_free(rdma, qp);
		return status;
	}
	ernic_db_page_use(rdma->edev, qp->dbid);
	rdma->nqps++;
	return ION_ASTS_OK;
}
ERNIC_KUNIT_EXPORT(ernic_qp_create);

/**
 * ernic_qp_destroy - DESTROY_QP
 * @rdma: engine; the caller holds aq_lock
 * @id: number
 *
 * On return nothing of the QP touches the guest's memory: neither its worker nor a
 * peer's.
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_destroy(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_rqp *qp = xa_erase(&rdma->qps, id);

	if (!qp)
		return ION_ASTS_BAD_INDEX;
	mutex_lock(&qp->sq_lock);
	mutex_lock(&qp->rq_lock);
	qp->dead = true;
	ernic_qp_forget(qp);
	mutex_unlock(&qp->rq_lock);
	mutex_unlock(&qp->sq_lock);
	hrtimer_cancel(&qp->timer);
	if (ernic_group_forget(qp->group, &qp->ready))
		ernic_obj_put(&qp->obj);
	ernic_obj_retire(&qp->obj);
	rdma->nqps--;
	ernic_qp_free(rdma, qp);
	return ION_ASTS_OK;
}

/**
 * ernic_qp_destroy_settled - DESTROY_QP as a command
 * @rdma: engine; the caller holds aq_lock
 * @id: number
 *
 * When it completes, the driver has seen the events that were posted for the QP's
 * completions.  Verbs users cancel what an event starts before they destroy the CQ
 * (drivers/infiniband/core/cq.c:ib_free_cq), and one that came later would find it
 * freed.
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_destroy_settled(struct ernic_rdma *rdma, u32 id)
{
	u8 status = ernic_qp_destroy(rdma, id);
	unsigned int i;

	if (status)
		return status;
	/* workers may not have come to what arming asked for */
	for (i = 0; i < rdma->ngroups; i++)
		ernic_group_check(&rdma->group[i]);
	ernic_eq_settle(rdma);
	return ION_ASTS_OK;
}

/**
 * ernic_qp_destroy_all - for RDMA_RESET_LIF
 * @rdma: engine; the caller holds aq_lock
 */
void ernic_qp_destroy_all(struct ernic_rdma *rdma)
{
	struct ernic_rqp *qp;
	unsigned long i;

	xa_for_each(&rdma->qps, i, qp)
		ernic_qp_destroy(rdma, i);
}
