// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send queues in controller memory, with express doorbells: a request brings its own
 * doorbell in its last 8 bytes, which are stored last.  The worker polls the next slot
 * while the queue is busy and has the page announce the next store when it is not; see
 * function/cmb.c.
 *
 * A process may ring for such a queue in the ordinary way as well: libionic does when a
 * queue is in controller memory and its stride has no region (ernic_express_64()).
 */
#include <linux/bitfield.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include <ernic/kunit.h>

#include "engine.h"

/**
 * struct ernic_express - a send queue in controller memory
 * @ring: its pages
 * @qp: whose it is
 * @doorbells: requests bring them
 */
struct ernic_express {
	struct ernic_cmb_ring ring;
	struct ernic_rqp *qp;
	bool doorbells;
};

static void ernic_express_wake(struct ernic_cmb_ring *r)
{
	ernic_qp_schedule(container_of(r, struct ernic_express, ring)->qp);
}

static u32 ernic_express_off(const struct ernic_rqp *qp, u16 index)
{
	return (u32)(index & qp->sq.mask) << qp->sq.stride_log2;
}

static __le64 *ernic_express_db(const struct ernic_rqp *qp, u16 index)
{
	u32 off = ernic_express_off(qp, index) + BIT(qp->sq.stride_log2) - 8;

	return ernic_cmb_ptr(qp->rdma->edev, &qp->express->ring, off);
}

/* what the slot holds when its request is complete */
static __le64 ernic_express_value(const struct ernic_rqp *qp, u16 index)
{
	return cpu_to_le64(FIELD_PREP(ION_EXPDB_TYPE_MASK, ERNIC_DB_SLOT_SQ) |
			   FIELD_PREP(ION_DB_QID_MASK, qp->id) |
			   FIELD_PREP(ION_EXPDB_MARK_MASK, ION_EXPDB_MARK) |
			   ((index + 1) & qp->sq.mask));
}

/**
 * ernic_express_create - a send queue lies in controller memory
 * @qp: QP that is being created; shape of its send queue is known
 * @addr: offset in controller memory, bytes
 *
 * Return: 0, or what ernic_cmb_claim() says.
 */
int ernic_express_create(struct ernic_rqp *qp, u64 addr)
{
	struct ernic_express *x;
	int err;

	x = kzalloc_obj(*x, GFP_KERNEL_ACCOUNT);
	if (!x)
		return -ENOMEM;
	x->qp = qp;
	x->doorbells = qp->sq.stride_log2 > 6 ||
		       ernic_express_64(qp->rdma->edev);
	x->ring.wake = ernic_express_wake;
	err = ernic_cmb_claim(qp->rdma->edev, &x->ring, addr,
			      1ULL << (qp->sq.depth_log2 + qp->sq.stride_log2),
			      qp->sq.stride_log2);
	if (err) {
		kfree(x);
		return err;
	}
	qp->express = x;
	ernic_express_reset(qp);
	return 0;
}

/**
 * ernic_express_destroy - undo ernic_express_create(), if it was called
 * @qp: QP that is being destroyed
 */
void ernic_express_destroy(struct ernic_rqp *qp)
{
	if (!qp->express)
		return;
	ernic_cmb_release(qp->rdma->edev, &qp->express->ring);
	kfree(qp->express);
	qp->express = NULL;
}

/**
 * ernic_express_reset - forget what was posted
 * @qp: QP in the reset state; it may have no express send queue.  The caller holds
 *	sq_lock, or nobody else knows the QP
 *
 * What an error left behind would be complete requests when the queue runs again.
 */
void ernic_express_reset(struct ernic_rqp *qp)
{
	u32 i;

	if (!qp->express)
		return;
	for (i = 0; i <= qp->sq.mask; i++)
		WRITE_ONCE(*ernic_express_db(qp, i), 0);
}

/**
 * ernic_express_ready - is the next request there?
 * @qp: QP with an express send queue; the caller holds sq_lock
 */
bool ernic_express_ready(const struct ernic_rqp *qp)
{
	if (!qp->express->doorbells)
		return false;
	/* the request before its doorbell: pairs with the guest's order of stores */
	return smp_load_acquire(ernic_express_db(qp, qp->sq_cons)) ==
	       ernic_express_value(qp, qp->sq_cons);
}

/**
 * ernic_express_read - copy the next request, once
 * @qp: QP with an express send queue; the caller holds sq_lock
 * @express: it brought its doorbell, which is taken out
 *
 * The slot is the guest's again when the request is completed, as in any ring.
 */
void ernic_express_read(struct ernic_rqp *qp, bool express)
{
	size_t size = BIT(qp->sq.stride_log2);
	__le64 *db = ernic_express_db(qp, qp->sq_cons);
	struct ernic_cmb_ring *r = &qp->express->ring;

	memcpy(qp->req.wqe, (u8 *)db + sizeof(*db) - size, size);
	if (express) {
		memset(qp->req.wqe + size - sizeof(*db), 0, sizeof(*db));
		/* the copy, then the slot, which may get a request of its own */
		smp_store_release(db, 0);
		/* as if it had been rung */
		WRITE_ONCE(qp->sq_prod, (qp->sq_cons + 1) & qp->sq.mask);
	}
	WRITE_ONCE(r->announced, false);
	WRITE_ONCE(r->hot_at, ktime_get_ns());
}

/**
 * ernic_express_skip - pass over what is posted
 * @qp: QP with an express send queue; the caller holds sq_lock
 *
 * What a guest posts meanwhile may be passed over as well, but not for ever.
 */
void ernic_express_skip(struct ernic_rqp *qp)
{
	u32 i;

	for (i = 0; i <= qp->sq.mask && ernic_express_ready(qp); i++) {
		WRITE_ONCE(*ernic_express_db(qp, qp->sq_cons), 0);
		qp->sq_cons = (qp->sq_cons + 1) & qp->sq.mask;
		WRITE_ONCE(qp->sq_prod, qp->sq_cons);
	}
}

/**
 * ernic_express_linger - nothing is there: poll, or sleep
 * @qp: QP with an express send queue; the caller holds sq_lock
 *
 * Return: look again at once; otherwise the timer or the next store wakes the QP.
 */
bool ernic_express_linger(struct ernic_rqp *qp)
{
	struct ernic_cmb_ring *r = &qp->express->ring;
	s64 waited, quiet;
	u32 off;

	if (!qp->express->doorbells)
		return false;
	/* something else woke the QP, and the page of the next slot is as it was */
	off = ernic_express_off(qp, qp->sq_cons);
	if (READ_ONCE(r->armed) == r->first + off / ION_CMB_PAGE_SIZE)
		return false;
	waited = ktime_get_ns() - READ_ONCE(r->hot_at);
	quiet = ernic_page_quiet_ns(r->arm_ns);
	if (READ_ONCE(r->announced))
		quiet = max_t(s64, quiet, r->grace_ns);
	if (waited < quiet) {
		if (ernic_page_spins(waited)) {
			cpu_relax();
			return true;
		}
		ernic_qp_delay(qp, ns_to_ktime(ernic_page_nap_ns(r->arm_ns)));
		return false;
	}
	if (READ_ONCE(r->announced))
		r->grace_ns = ernic_page_grace_next(r->grace_ns);

	ernic_cmb_arm(qp->rdma->edev, r, off);
	if (!ernic_express_ready(qp))
		return false;
	ernic_cmb_disarm(qp->rdma->edev, r);
	return true;
}
