// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions of send queues, and flushing.
 *
 * The driver tells two kinds of requests apart (ionic_datapath.c:ionic_prep_base).
 * Remote ones, on connected QPs, it counts: a completion says how many are done
 * (MSN), is cumulative, and must advance, or the CQ is wedged for good.  Local ones,
 * and all of datagram QPs, are completed one by one by their number (NPG), signalled
 * or not.  It hands completions on in the order of the ring, so one by number stays
 * hidden until the count covers the remote ones before it: that is sent first.
 *
 * An unsignalled remote request needs no entry of its own: applications size their
 * CQs for what they have signalled.
 */
#include <ernic/kunit.h>

#include "engine.h"

/**
 * ernic_comp_hold - have entries of the send CQ promised to the request
 * @qp: QP; the caller holds sq_lock
 * @n: entries that it needs
 *
 * Return: it has them.
 */
bool ernic_comp_hold(struct ernic_rqp *qp, unsigned int n)
{
	while (qp->req.held < n) {
		if (!ernic_cq_reserve(qp->scq))
			return false;
		qp->req.held++;
	}
	return true;
}
ERNIC_KUNIT_EXPORT(ernic_comp_hold);

/**
 * ernic_comp_drop - entries that were promised are not needed
 * @qp: QP; the caller holds sq_lock
 */
void ernic_comp_drop(struct ernic_rqp *qp)
{
	for (; qp->req.held; qp->req.held--)
		ernic_cq_release(qp->scq);
}
ERNIC_KUNIT_EXPORT(ernic_comp_drop);

static void ernic_comp_post(struct ernic_rqp *qp, enum ion_cqe_type type,
			    u32 msn, u64 wqe_id, u8 status)
{
	struct ion_v1_cqe cqe = {
		.send.msg_msn = cpu_to_be32(msn),
		.send.npg_wqe_id = wqe_id,
		.status_length = cpu_to_be32(status),
		.qid_type_flags = cpu_to_be32(qp->id << ION_CQE_QID_SHIFT |
					      type << ION_CQE_TYPE_SHIFT |
					      (status ? ION_CQE_ERROR : 0)),
	};
	bool held = qp->req.held;

	if (held)
		qp->req.held--;
	ernic_cq_post(qp->scq, &cqe, status, held);
}

static void ernic_comp_msn(struct ernic_rqp *qp, u8 status)
{
	ernic_comp_post(qp, ION_CQE_TYPE_SEND_MSN, qp->msn, 0, status);
	qp->msn_told = qp->msn;
}

/**
 * ernic_comp_remote - a remote request is done
 * @qp: QP; the caller holds sq_lock
 * @signalled: the guest wants to know
 * @status: enum ion_rdma_status
 */
void ernic_comp_remote(struct ernic_rqp *qp, bool signalled, u8 status)
{
	qp->msn++;
	if (signalled || status)
		ernic_comp_msn(qp, status);
}
ERNIC_KUNIT_EXPORT(ernic_comp_remote);

/**
 * ernic_comp_local - a local request is done, or any was not even begun
 * @qp: QP; the caller holds sq_lock
 * @wqe_id: number of the request, as it stands there
 * @status: enum ion_rdma_status
 */
void ernic_comp_local(struct ernic_rqp *qp, u64 wqe_id, u8 status)
{
	if (qp->msn != qp->msn_told)
		ernic_comp_msn(qp, 0);
	ernic_comp_post(qp, ION_CQE_TYPE_SEND_NPG, 0, wqe_id, status);
}
ERNIC_KUNIT_EXPORT(ernic_comp_local);

/**
 * ernic_comp_flush_sq - one completion that stands for all that is left
 * @qp: QP; the caller holds sq_lock
 *
 * Names no request: software flushes its own list (ionic_datapath.c:ionic_comp_npg).
 *
 * Return: there was room.
 */
bool ernic_comp_flush_sq(struct ernic_rqp *qp)
{
	if (!ernic_comp_hold(qp, qp->msn != qp->msn_told ? 2 : 1))
		return false;
	ernic_comp_local(qp, 0, ION_STS_WQE_FLUSHED_ERR);
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rdma_req_rx_cqe_flush_err, 1);
	return true;
}
ERNIC_KUNIT_EXPORT(ernic_comp_flush_sq);

/**
 * ernic_comp_flush_rq - the same for the receive queue
 * @qp: QP; the caller holds rq_lock
 *
 * Return: there was room.
 */
bool ernic_comp_flush_rq(struct ernic_rqp *qp)
{
	struct ion_v1_cqe cqe = {
		.status_length = cpu_to_be32(ION_STS_WQE_FLUSHED_ERR),
		.qid_type_flags = cpu_to_be32(qp->id << ION_CQE_QID_SHIFT |
				ION_CQE_TYPE_RECV << ION_CQE_TYPE_SHIFT |
				ION_CQE_ERROR),
	};

	if (!ernic_cq_reserve(qp->rcq))
		return false;
	ernic_cq_post(qp->rcq, &cqe, true, true);
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rdma_resp_rx_cqe_flush_err, 1);
	return true;
}
ERNIC_KUNIT_EXPORT(ernic_comp_flush_rq);
