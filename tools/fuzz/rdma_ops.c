// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the guest does with queue pairs that are there, and what has to be true of them.
 */
#include "rdma.h"

void op_rdma_doorbell(struct ernic_dev *dev,
		      void (*store)(unsigned int page, u32 off, u64 val))
{
	static const u8 slots[] = {
		ERNIC_DB_SLOT_AQ, ERNIC_DB_SLOT_AQ, ERNIC_DB_SLOT_SQ, ERNIC_DB_SLOT_RQ,
		ERNIC_DB_SLOT_SQ, ERNIC_DB_SLOT_CQ, ERNIC_DB_SLOT_CQ, ERNIC_DB_SLOT_RQ,
	};
	u8 how = in8(), slot = slots[how & 7];
	u32 qid = slot == ERNIC_DB_SLOT_AQ ? 0 : 1 + in8() % 5;
	u16 index = in8();
	struct ernic_rcq *cq;
	struct ernic_rqp *qp;

	/* a few more than there were, or all that came; bytes alone seldom fit a ring */
	switch (slot) {
	case ERNIC_DB_SLOT_AQ:
		index = dev->rdma->aq.cons + 1 + index % 8;
		break;
	case ERNIC_DB_SLOT_CQ:
		cq = xa_load(&dev->rdma->cqs, qid);
		if (cq && index & 7)
			index = cq->prod & cq->ring.mask;
		break;
	default:
		qp = xa_load(&dev->rdma->qps, qid);
		if (qp && slot == ERNIC_DB_SLOT_SQ)
			index = (qp->sq_prod + index % 5) & qp->sq.mask;
		else if (qp)
			index = (qp->rq_prod + index % 5) & qp->rq.mask;
	}
	if (how & 0x80)
		index = in16();
	store(how & 0x40 ? in8() & 3 : 0, slot * 8,
	      (u64)qid << 24 |
		      (u64)(slot == ERNIC_DB_SLOT_CQ ? how >> 3 & 3 : 0) << 16 | index);
}

/* a slot in controller memory, which is not made anew by reading it */
static struct {
	struct ernic_dev *dev;
	u32 off, len, qp;
	unsigned int in;	/* looks at the clock */
} again;

/* a process stores to a slot that the device has taken or is about to */
static void express_again(void)
{
	struct page *p;

	if (again.in--)
		return;
	kshim_meanwhile = NULL;
	if (!again.dev->cmb.on)
		return;
	p = again.dev->cmb.page[again.off / ION_CMB_PAGE_SIZE];
	if (p)
		rdma_wqe((u8 *)page_address(p) + again.off % ION_CMB_PAGE_SIZE, again.len,
			 again.qp, false);
}

/* a request in controller memory, whole or not; by the VMM, which wakes the queue */
void op_rdma_express(struct ernic_dev *dev)
{
	__le64 wqe[ION_WQE_MAX / 8];
	u32 qid = 2 + (in8() & 1);
	struct ernic_rqp *qp;
	u8 how = in8();
	unsigned int i;
	u32 off, len;
	u16 slot;
	u64 db;

	qp = dev->rdma ? xa_load(&dev->rdma->qps, qid) : NULL;
	if (!qp || !qp->express)
		return;
	slot = (qp->sq_cons + (how & 3) / 3) & qp->sq.mask;
	len = BIT(qp->sq.stride_log2);
	again.dev = dev;
	again.qp = qid - 1;
	again.off = (again.qp << 12) + slot * len;
	again.len = len - 8;
	again.in = in8() & 1;
	off = again.off + (how >> 5) % ION_CMB_REGIONS * ION_CMB_SIZE;
	rdma_wqe((u8 *)wqe, len, again.qp, false);
	for (i = 0; i < len / 8 - 1; i++)
		ernic_bar_write(dev, 4, off + 8 * i, 8, le64_to_cpu(wqe[i]));
	/* what it is instead, as bytes like */
	if (how & 4)
		ernic_bar_write(dev, 4, off + 8, 1, in8() % 13);
	db = (u64)ERNIC_DB_SLOT_SQ << 48 | (u64)qid << 24 | (u64)ION_EXPDB_MARK << 19 |
	     ((slot + 1) & qp->sq.mask);
	ernic_bar_write(dev, 4, off + len - 8, 8, how & 8 ? db : in64());
	if (in8() & 1)
		kshim_meanwhile = express_again;
}

/* time-outs and waits for a receive are over */
void rdma_timers(struct ernic_dev *dev)
{
	struct ernic_rqp *qp;
	unsigned long i;

	if (!dev->rdma)
		return;
	xa_for_each(&dev->rdma->qps, i, qp) {
		if (!qp->timer.active)
			continue;
		qp->timer.active = false;
		qp->timer.fn(&qp->timer);
	}
}

bool rdma_workers(struct ernic_dev *dev, bool (*run)(struct ernic_worker *w))
{
	bool ran = false;
	unsigned int i;

	if (!dev->rdma)
		return false;
	ran |= run(&dev->rdma->aq_worker);
	for (i = 0; i < dev->rdma->ngroups; i++)
		ran |= run(&dev->rdma->group[i].worker);
	return ran;
}

/* what has to be true at any time */
void rdma_check(struct ernic_dev *dev)
{
	struct ernic_rqp *qp;
	struct ernic_rcq *cq;
	unsigned long i;

	if (!dev->rdma)
		return;
	NEVER(dev->rdma->aq_lock.held || dev->rdma->mr_lock.held);
	NEVER(dev->rdma->aq.cons > dev->rdma->aq.mask);
	xa_for_each(&dev->rdma->qps, i, qp) {
		NEVER(qp->sq_lock.held || qp->rq_lock.held);
		NEVER(qp->sq_cons > qp->sq.mask || qp->rq_cons > qp->rq.mask);
		NEVER(qp->state > ION_QPS_ERR);
	}
	xa_for_each(&dev->rdma->cqs, i, cq)
		NEVER(cq->prod - cq->cons > cq->ring.mask + 1u);
}
