// SPDX-License-Identifier: GPL-2.0-only
/*
 * States and attributes of queue pairs, and the way into the error state.
 *
 *	RESET ─ INIT ─ RTR ─ RTS ─┬─ SQD ─ RTS
 *	                          └─ SQE ─ RTS		unconnected and unreliable
 *	any ─ ERR, any ─ RESET
 *
 * In ERR a completion without a request tells software to flush its own list, one a
 * queue, unless a request was completed in error there (ionic_datapath.c:
 * ionic_comp_npg, ionic_poll_recv).
 */
#include <ernic/kunit.h>

#include "engine.h"

/* a CQ without room for the flush completion is looked at again after */
#define ERNIC_FLUSH_DELAY	(1 * NSEC_PER_MSEC)
/* path MTU, log2 of bytes; of a connection that was not given one the largest */
#define ERNIC_PMTU_MAX		12
#define ERNIC_PMTU_MIN		8

#define ERNIC_QP_ACCESS		(ION_QPF_REMOTE_WRITE | ION_QPF_REMOTE_READ | \
				 ION_QPF_REMOTE_ATOMIC)

/**
 * ernic_qp_move_ok - is there a way between two states?
 * @type: ION_QPT_*
 * @from: enum ion_rdma_qp_state
 * @to: enum ion_rdma_qp_state
 */
bool ernic_qp_move_ok(u8 type, u8 from, u8 to)
{
	static const u8 next[] = {
		[ION_QPS_RESET] = BIT(ION_QPS_INIT),
		[ION_QPS_INIT] = BIT(ION_QPS_INIT) | BIT(ION_QPS_RTR),
		[ION_QPS_RTR] = BIT(ION_QPS_RTS),
		[ION_QPS_RTS] = BIT(ION_QPS_RTS) | BIT(ION_QPS_SQD),
		[ION_QPS_SQD] = BIT(ION_QPS_RTS) | BIT(ION_QPS_SQD),
		[ION_QPS_SQE] = BIT(ION_QPS_RTS),
		[ION_QPS_ERR] = 0,
	};

	if (to == ION_QPS_RESET || to == ION_QPS_ERR)
		return true;
	if (from >= ARRAY_SIZE(next) || to >= ARRAY_SIZE(next))
		return false;
	/* a reliable QP has no such state */
	if (from == ION_QPS_SQE && type == ION_QPT_RC)
		return false;
	return next[from] & BIT(to);
}
ERNIC_KUNIT_EXPORT(ernic_qp_move_ok);

/**
 * ernic_qp_init_attrs - attributes of a QP that nobody has modified
 * @qp: QP
 */
void ernic_qp_init_attrs(struct ernic_rqp *qp)
{
	qp->access = 0;
	qp->dest_qpn = 0;
	qp->qkey = qp->gsi ? ION_GSI_QKEY : 0;
	qp->rq_psn = 0;
	qp->sq_psn = 0;
	qp->rate_kbps = 0;
	qp->ah_id = 0;
	qp->pkey_id = 0;
	qp->pmtu = ERNIC_PMTU_MAX;
	qp->retry_cnt = 0;
	qp->rnr_retry = 0;
	qp->rnr_timer = 0;
	qp->timeout = 0;
	qp->rsq_depth = 0;
	qp->rrq_depth = 0;
	qp->has_av = false;
}

/**
 * ernic_qp_forget - drop all work and all that was promised to it
 * @qp: QP; the caller holds both locks
 *
 * No completion is written.
 */
void ernic_qp_forget(struct ernic_rqp *qp)
{
	ernic_comp_drop(qp);
	qp->req.active = false;
	qp->req.wait = false;
	if (qp->rx.active)
		ernic_cq_release(qp->rcq);
	qp->rx.active = false;
	qp->flush_sq = false;
	qp->flush_rq = false;
}

static void ernic_qp_to_reset(struct ernic_rqp *qp)
{
	ernic_qp_forget(qp);
	qp->state = ION_QPS_RESET;
	qp->sq_cons = 0;
	qp->rq_cons = 0;
	WRITE_ONCE(qp->sq_prod, 0);
	WRITE_ONCE(qp->rq_prod, 0);
	qp->msn = 0;
	qp->msn_told = 0;
	qp->rq_failed = false;
	qp->rq_told = false;
	clear_bit(ERNIC_QP_FAIL, &qp->events);
	clear_bit(ERNIC_QP_COMM_EST, &qp->events);
	ernic_qp_init_attrs(qp);
}

/**
 * ernic_qp_error - into the error state
 * @qp: QP; the caller holds both locks
 * @sq_told: a request of the send queue was completed in error
 * @rq_told: one of the receive queue was
 */
void ernic_qp_error(struct ernic_rqp *qp, bool sq_told, bool rq_told)
{
	if (qp->state == ION_QPS_ERR)
		return;
	ernic_qp_forget(qp);
	qp->state = ION_QPS_ERR;
	qp->flush_sq = !sq_told;
	qp->flush_rq = !rq_told && !qp->rq_told;
	ernic_qp_schedule(qp);
}

/**
 * ernic_qp_flush - write the flush completions that are due
 * @qp: QP; the caller holds both locks
 */
void ernic_qp_flush(struct ernic_rqp *qp)
{
	bool again;

	lockdep_assert_held(&qp->sq_lock);
	lockdep_assert_held(&qp->rq_lock);
	if (qp->flush_sq && ernic_comp_flush_sq(qp))
		qp->flush_sq = false;
	if (qp->flush_rq && ernic_comp_flush_rq(qp))
		qp->flush_rq = false;
	again = qp->flush_sq || qp->flush_rq;
	ernic_stats_changed(qp->rdma->edev);
	if (again)
		ernic_qp_delay(qp, ns_to_ktime(ERNIC_FLUSH_DELAY));
}

/**
 * ernic_qp_fail - the responder fails its QP
 * @qp: QP; the caller holds its rq_lock
 * @event: ION_EQE_QP_*
 *
 * The other lock would come in the wrong order, so its own worker does it.  Nothing
 * is received in between.
 */
void ernic_qp_fail(struct ernic_rqp *qp, u8 event)
{
	enum ion_lif_stat stat = ION_LIF_STAT_rdma_resp_tx_remote_oper_err;

	if (qp->rq_failed)
		return;
	qp->rq_failed = true;
	qp->fail_event = event;
	qp->stats[ERNIC_QPS_RESP_ERRS]++;
	if (event == ION_EQE_QP_ERR_ACCESS)
		stat = ION_LIF_STAT_rdma_resp_tx_remote_access_err;
	else if (event == ION_EQE_QP_ERR_REQUEST)
		stat = ION_LIF_STAT_rdma_resp_tx_remote_inv_req_err;
	ernic_rdma_count(qp->rdma, stat, 1);
	set_bit(ERNIC_QP_FAIL, &qp->events);
	ernic_qp_schedule(qp);
}

/**
 * ernic_qp_failed - what ernic_qp_fail() asked for
 * @qp: QP; the caller holds both locks
 */
void ernic_qp_failed(struct ernic_rqp *qp)
{
	if (!test_and_clear_bit(ERNIC_QP_FAIL, &qp->events))
		return;
	ernic_qp_error(qp, false, qp->rq_told);
	ernic_eq_qp_event(qp, qp->fail_event);
}

/* all that can be wrong, before anything changes */
static u8 ernic_qp_modify_check(const struct ernic_rqp *qp,
				const struct ion_admin_mod_qp *m, u32 mask)
{
	u8 next = m->type_state & 0xf;
	bool conn = qp->type != ION_QPT_UD;

	if (mask & ION_QP_PATH_MTU &&
	    (m->pmtu < ERNIC_PMTU_MIN || m->pmtu > ERNIC_PMTU_MAX))
		return ION_ASTS_BAD_ATTR;
	if ((mask & ION_QP_TIMEOUT && m->retry_timeout > 31) ||
	    (mask & ION_QP_MIN_RNR_TIMER && m->rnr_timer > 31) ||
	    (mask & ION_QP_RETRY_CNT && (m->retry & 0xf) > 7) ||
	    (mask & ION_QP_RNR_RETRY && m->retry >> 4 > 7) ||
	    (mask & ION_QP_PKEY_INDEX && m->pkey_id) ||
	    (mask & ION_QP_DEST_QPN && !conn) ||
	    (mask & ION_QP_MAX_DEST_RD_ATOMIC && m->rsq_depth > 8) ||
	    (mask & ION_QP_MAX_QP_RD_ATOMIC && m->rrq_depth > 8))
		return ION_ASTS_BAD_ATTR;
	if (!(mask & ION_QP_STATE))
		return qp->state == ION_QPS_RESET ? ION_ASTS_BAD_STATE :
						    ION_ASTS_OK;
	if (!ernic_qp_move_ok(qp->type, qp->state, next))
		return ION_ASTS_BAD_STATE;
	/* a connection needs to know the other end */
	if (next == ION_QPS_RTR && conn &&
	    (!(mask & ION_QP_AV) || !(mask & ION_QP_DEST_QPN)))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

static void ernic_qp_modify_attrs(struct ernic_rqp *qp,
				  const struct ion_admin_mod_qp *m, u32 mask)
{
	u16 access = be16_to_cpu(m->access_flags);

	if (mask & ION_QP_ACCESS_FLAGS)
		qp->access = (qp->access & ~ERNIC_QP_ACCESS) |
			     (access & ERNIC_QP_ACCESS);
	if (mask & ION_QP_EN_SQD_ASYNC_NOTIFY)
		qp->access = (qp->access & ~ION_QPF_SQD_NOTIFY) |
			     (access & ION_QPF_SQD_NOTIFY);
	if (mask & ION_QP_RQ_PSN)
		qp->rq_psn = le32_to_cpu(m->rq_psn) & 0xffffff;
	if (mask & ION_QP_SQ_PSN)
		qp->sq_psn = le32_to_cpu(m->sq_psn) & 0xffffff;
	if (mask & ION_QP_DEST_QPN)
		qp->dest_qpn = le32_to_cpu(m->qkey_dest_qpn) & 0xffffff;
	if (mask & ION_QP_QKEY)
		qp->qkey = le32_to_cpu(m->qkey_dest_qpn);
	if (mask & ION_QP_RATE_LIMIT)
		qp->rate_kbps = le32_to_cpu(m->rate_limit_kbps);
	if (mask & ION_QP_PATH_MTU)
		qp->pmtu = m->pmtu;
	if (mask & ION_QP_RETRY_CNT)
		qp->retry_cnt = m->retry & 0xf;
	if (mask & ION_QP_RNR_RETRY)
		qp->rnr_retry = m->retry >> 4;
	if (mask & ION_QP_MIN_RNR_TIMER)
		qp->rnr_timer = m->rnr_timer;
	if (mask & ION_QP_TIMEOUT)
		qp->timeout = m->retry_timeout;
	if (mask & ION_QP_MAX_DEST_RD_ATOMIC)
		qp->rsq_depth = m->rsq_depth;
	if (mask & ION_QP_MAX_QP_RD_ATOMIC)
		qp->rrq_depth = m->rrq_depth;
}

static void ernic_qp_modify_state(struct ernic_rqp *qp, u8 next)
{
	switch (next) {
	case ION_QPS_RESET:
		ernic_qp_to_reset(qp);
		return;
	case ION_QPS_ERR:
		ernic_qp_error(qp, false, false);
		/* now: software may destroy the QP, and its CQ, right after */
		ernic_qp_flush(qp);
		return;
	case ION_QPS_RTS:
		if (qp->state == ION_QPS_SQE)
			ernic_req_skip(qp);
		break;
	case ION_QPS_SQD:
		if (qp->state != ION_QPS_SQD)
			qp->drain_told = false;
		break;
	}
	qp->state = next;
	ernic_qp_schedule(qp);
}

/**
 * ernic_qp_modify - MODIFY_QP
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * What is not in the mask is left alone: its fields are zero or stale.  After a move
 * to RESET no completion of the QP is written any more, as the driver cleans the CQ
 * once (ionic_controlpath.c:ionic_reset_qp).
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_modify(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_mod_qp *m = &wqe->cmd.mod_qp;
	u32 mask = be32_to_cpu(m->attr_mask);
	u32 ah = le32_to_cpu(m->ah_id_len);
	struct ernic_gid_ref *gid = NULL, *old = NULL;
	struct ernic_av av;
	struct ernic_rqp *qp;
	u8 status;

	qp = xa_load(&rdma->qps, le32_to_cpu(m->id_ver) & 0xffffff);
	if (!qp)
		return ION_ASTS_BAD_INDEX;
	if (mask & ION_QP_AV) {
		status = ernic_av_read(rdma, &av, le64_to_cpu(m->dma_addr),
				       ah >> 24);
		if (status)
			return status;
		gid = ernic_gid_learn(rdma, av.sgid, av.smac, true);
	}

	mutex_lock(&qp->sq_lock);
	mutex_lock(&qp->rq_lock);
	status = ernic_qp_modify_check(qp, m, mask);
	if (!status) {
		ernic_qp_modify_attrs(qp, m, mask);
		if (mask & ION_QP_AV) {
			qp->av = av;
			qp->way.to = NULL;
			qp->back.to = NULL;
			qp->has_av = true;
			qp->ah_id = ah & 0xffffff;
			old = qp->gid;
			qp->gid = gid;
			gid = NULL;
		}
		if (mask & ION_QP_STATE)
			ernic_qp_modify_state(qp, m->type_state & 0xf);
	}
	mutex_unlock(&qp->rq_lock);
	/* long: not while a peer's worker may wait for rq_lock */
	if (!status && mask & ION_QP_STATE && qp->state == ION_QPS_RESET)
		ernic_express_reset(qp);
	mutex_unlock(&qp->sq_lock);
	ernic_gid_put(rdma, old);
	ernic_gid_put(rdma, gid);
	return status;
}

/**
 * ernic_qp_query - QUERY_QP
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_query(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_query_qp *q = &wqe->cmd.query_qp;
	struct ernic_dev *edev = rdma->edev;
	struct ion_query_qp_sq sq = {};
	struct ion_query_qp_rq rq = {};
	struct ernic_av av = {};
	struct ernic_rqp *qp;
	u16 flags;

	qp = xa_load(&rdma->qps, le32_to_cpu(q->id_ver) & 0xffffff);
	if (!qp)
		return ION_ASTS_BAD_INDEX;

	mutex_lock(&qp->sq_lock);
	flags = qp->access | (qp->flags & (ION_QPF_PRIVILEGED |
					   ION_QPF_REMOTE_PRIVILEGED));
	if (qp->state == ION_QPS_SQD && qp->req.active)
		flags |= ION_QPF_SQ_DRAINING;
	sq.rnr_timer = qp->rnr_timer;
	sq.retry_timeout = qp->timeout;
	sq.access_perms_flags = cpu_to_be16(flags);
	sq.pkey_id = cpu_to_be16(qp->pkey_id);
	sq.qkey_dest_qpn = cpu_to_be32(qp->type == ION_QPT_UD ? qp->qkey :
								qp->dest_qpn);
	sq.rate_limit_kbps = cpu_to_be32(qp->rate_kbps);
	sq.rq_psn = cpu_to_be32(qp->rq_psn);
	rq.state_pmtu = qp->state << 4 | qp->pmtu;
	rq.retry_rnrtry = qp->retry_cnt | qp->rnr_retry << 4;
	rq.rrq_depth = qp->rrq_depth;
	rq.rsq_depth = qp->rsq_depth;
	rq.sq_psn = cpu_to_be32(qp->sq_psn);
	rq.access_perms_flags = cpu_to_be16(flags);
	if (qp->has_av)
		av = qp->av;
	mutex_unlock(&qp->sq_lock);

	if (ernic_dma_write(edev, le64_to_cpu(q->sq_dma_addr), &sq,
			    sizeof(sq)) ||
	    ernic_dma_write(edev, le64_to_cpu(q->rq_dma_addr), &rq,
			    sizeof(rq)))
		return ION_ASTS_BAD_ATTR;
	if (q->hdr_dma_addr && av.raw_len &&
	    ernic_dma_write(edev, le64_to_cpu(q->hdr_dma_addr), av.raw,
			    av.raw_len))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}
