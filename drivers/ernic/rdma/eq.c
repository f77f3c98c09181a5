// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues.
 *
 * The driver never says how far it has read.  What it gives back are credits of the
 * vector, which is the event queue's alone: all of them when it unmasks after it
 * has read everything (function/intr.c).  So the credits that are out are a bound
 * for the events that it has not read.  Where there is no room, an event of a CQ is
 * kept, as arming allows one; of a QP's, which only inform, it is dropped.
 */
#include <linux/delay.h>

#include <ernic/dev.h>

#include "engine.h"

/* how often a full event queue is looked at again */
#define ERNIC_EQ_RETRY		1
/* how long a destroyed QP waits for its events to be read */
#define ERNIC_EQ_SETTLE_MS	20

static bool ernic_eq_room(struct ernic_rdma *rdma, const struct ernic_eq *eq)
{
	u32 depth = BIT(eq->depth_log2);

	return ernic_intr_outstanding(rdma->edev, eq->vec) < depth - 1;
}

static int ernic_eq_write(struct ernic_rdma *rdma, struct ernic_eq *eq,
			  u8 type, u8 code, u32 id)
{
	u32 depth = BIT(eq->depth_log2);
	u64 addr = eq->base + 4ULL * (eq->prod & (depth - 1));
	u32 evt = id << ION_EQE_QID_SHIFT | code << ION_EQE_CODE_SHIFT |
		  type << ION_EQE_TYPE_SHIFT;
	size_t len = sizeof(__be32);
	__be32 eqe, *p;
	int idx, err = 0;

	/* ones in the first lap (ionic_admin.c:ionic_create_eq) */
	if (!(eq->prod & depth))
		evt |= ION_EQE_COLOR;
	eqe = cpu_to_be32(evt);

	idx = ernic_dma_lock(rdma->edev);
	p = ernic_dma_map(rdma->edev, addr, &len);
	if (p && len == sizeof(*p))
		/* pairs with the driver's dma_rmb() in ionic_next_eqe() */
		smp_store_release(p, eqe);
	else
		err = ernic_dma_write(rdma->edev, addr, &eqe, sizeof(eqe));
	ernic_dma_unlock(rdma->edev, idx);
	if (err)
		return err;
	eq->prod++;
	ernic_intr_post(rdma->edev, eq->vec, 1);
	return 0;
}

/**
 * ernic_eq_post - tell the guest of an event
 * @rdma: engine
 * @index: event queue, below ERNIC_RDMA_MAX_EQS
 * @type: enum ion_eqe_type
 * @code: enum ion_eqe_code
 * @id: number of the queue
 * @cq: the CQ, if the event may be kept; the caller holds its lock
 *
 * Return: 0; -ENOSPC if there is no room, and the event was kept or is lost;
 * -ENOENT without the event queue; or what writing says.
 */
int ernic_eq_post(struct ernic_rdma *rdma, unsigned int index, u8 type,
		  u8 code, u32 id, struct ernic_rcq *cq)
{
	struct ernic_eq *eq = &rdma->eq[index];
	int err = -ENOENT;

	mutex_lock(&eq->lock);
	if (eq->on) {
		err = -ENOSPC;
		if (ernic_eq_room(rdma, eq)) {
			err = ernic_eq_write(rdma, eq, type, code, id);
		} else if (cq && list_empty(&cq->hold)) {
			list_add_tail(&cq->hold, &eq->held);
			mod_timer(&rdma->eq_timer, jiffies + ERNIC_EQ_RETRY);
		}
	}
	mutex_unlock(&eq->lock);
	return err;
}

/* has the driver read what was posted until @until? */
static bool ernic_eq_read(struct ernic_rdma *rdma, const struct ernic_eq *eq,
			  u32 until)
{
	/* credits that are out are a bound for what it has not */
	u32 read = READ_ONCE(eq->prod) -
		   ernic_intr_outstanding(rdma->edev, eq->vec);

	return !eq->on || (s32)(read - until) >= 0;
}

/**
 * ernic_eq_settle - wait until the driver has read what was posted until now
 * @rdma: engine; the caller holds aq_lock, so no event queue comes or goes
 *
 * Not for long: a driver that does not read is its own misfortune.
 */
void ernic_eq_settle(struct ernic_rdma *rdma)
{
	ktime_t end = ktime_add_ms(ktime_get(), ERNIC_EQ_SETTLE_MS);
	struct ernic_eq *eq;
	unsigned int i;
	u32 until;

	for (i = 0; i < ARRAY_SIZE(rdma->eq); i++) {
		eq = &rdma->eq[i];
		mutex_lock(&eq->lock);
		until = eq->prod;
		mutex_unlock(&eq->lock);
		while (!ernic_eq_read(rdma, eq, until) &&
		       ktime_before(ktime_get(), end))
			usleep_range(50, 200);
	}
}

/**
 * ernic_eq_timer - a full event queue may have room
 * @t: timer
 */
void ernic_eq_timer(struct timer_list *t)
{
	struct ernic_rdma *rdma = container_of(t, struct ernic_rdma, eq_timer);

	ernic_worker_kick(&rdma->aq_worker);
}

/**
 * ernic_eq_retry - post events that were kept
 * @rdma: engine; the caller holds aq_lock, so that no CQ goes away
 */
void ernic_eq_retry(struct ernic_rdma *rdma)
{
	struct ernic_rcq *cq;
	struct ernic_eq *eq;
	bool more = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rdma->eq); i++) {
		eq = &rdma->eq[i];
		if (list_empty_careful(&eq->held))
			continue;
		mutex_lock(&eq->lock);
		while (!list_empty(&eq->held) && ernic_eq_room(rdma, eq)) {
			cq = list_first_entry(&eq->held, struct ernic_rcq,
					      hold);
			list_del_init(&cq->hold);
			ernic_eq_write(rdma, eq, ION_EQE_TYPE_CQ,
				       ION_EQE_CQ_NOTIFY, cq->id);
		}
		more |= !list_empty(&eq->held);
		mutex_unlock(&eq->lock);
	}
	if (more)
		mod_timer(&rdma->eq_timer, jiffies + ERNIC_EQ_RETRY);
}

/**
 * ernic_eq_qp_event - tell the guest of something that happened to a QP
 * @qp: QP
 * @code: ION_EQE_QP_* or ION_EQE_SQ_DRAIN
 *
 * The first two event queues are kept free of completions for these
 * (ionic_controlpath.c:ionic_get_eqid).
 */
void ernic_eq_qp_event(struct ernic_rqp *qp, u8 code)
{
	ernic_eq_post(qp->rdma, 0, ION_EQE_TYPE_QP, code, qp->id, NULL);
}

/**
 * ernic_eq_off - forget all event queues
 * @rdma: engine without CQs and QPs
 */
void ernic_eq_off(struct ernic_rdma *rdma)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rdma->eq); i++) {
		mutex_lock(&rdma->eq[i].lock);
		rdma->eq[i].on = false;
		mutex_unlock(&rdma->eq[i].lock);
	}
}
