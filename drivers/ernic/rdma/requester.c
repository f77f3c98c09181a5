// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sending side of a QP: takes work requests off the ring, in order, one at a
 * time.  The next one begins when the one before is complete, so a fence needs
 * nothing.  A long message is sent in slices, between which others have their turn.
 */
#include <linux/unaligned.h>

#include <ernic/kunit.h>

#include "engine.h"

/* the CQ is full: the guest reads it, or not; and a peer whose CQ is full */
#define ERNIC_CQ_FULL_DELAY	(200 * NSEC_PER_USEC)

static const struct ion_v1_wqe *ernic_req_wqe(const struct ernic_rqp *qp)
{
	return (const void *)qp->req.wqe;
}

/**
 * ernic_rnr_delay - how long a sender waits after RNR NAK
 * @timer: five bits, as they stand in the packet
 *
 * InfiniBand Architecture Specification, volume 1, 9.7.5.2.8, table 45.
 */
ktime_t ernic_rnr_delay(u8 timer)
{
	/* units of 10 us */
	static const u16 table[32] = {
		0xffff, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};
	u32 units = table[timer & 31];

	/* 0 is the longest, 655.36 ms */
	if (!(timer & 31))
		units = 65536;
	return ns_to_ktime((u64)units * 10 * NSEC_PER_USEC);
}
ERNIC_KUNIT_EXPORT(ernic_rnr_delay);

/**
 * ernic_ack_delay - how long a sender waits for an acknowledgment
 * @timeout: five bits: 4.096 us times two to their power; 0 is for ever
 *
 * InfiniBand Architecture Specification, volume 1, 9.7.6.1.3.
 */
ktime_t ernic_ack_delay(u8 timeout)
{
	return ns_to_ktime(4096ULL << (timeout & 31));
}
ERNIC_KUNIT_EXPORT(ernic_ack_delay);

/**
 * ernic_req_wait - nothing can be done for now
 * @qp: QP; the caller holds sq_lock
 * @delay: until then
 */
enum ernic_step ernic_req_wait(struct ernic_rqp *qp, ktime_t delay)
{
	qp->req.wait = true;
	qp->req.until = ktime_add(ktime_get(), delay);
	ernic_qp_delay(qp, delay);
	return ERNIC_STEP_WAIT;
}

/* the slot is the guest's again */
static void ernic_req_consume(struct ernic_rqp *qp)
{
	ernic_comp_drop(qp);
	qp->req.active = false;
	qp->sq_cons = (qp->sq_cons + 1) & qp->sq.mask;
}

/**
 * ernic_req_done - a request to a peer is complete
 * @qp: QP; the caller holds sq_lock
 * @bytes: that it moved
 */
void ernic_req_done(struct ernic_rqp *qp, u32 bytes)
{
	const struct ion_v1_wqe *wqe = ernic_req_wqe(qp);
	bool sig = be16_to_cpu(wqe->base.flags) & ION_V1_FLAG_SIG;

	if (qp->type == ION_QPT_UD)
		ernic_comp_local(qp, wqe->base.wqe_id, 0);
	else
		ernic_comp_remote(qp, sig, 0);
	ernic_req_consume(qp);
	qp->stats[ERNIC_QPS_TX_MSGS]++;
	qp->stats[ERNIC_QPS_TX_BYTES] += bytes;
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_tx_rdma_ucast_packets, 1);
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_tx_rdma_ucast_bytes, bytes);
	ernic_stats_changed(qp->rdma->edev);
}

/* after a completion in error: the queue, or the QP, stops */
static void ernic_req_stop(struct ernic_rqp *qp)
{
	ernic_req_consume(qp);
	qp->stats[ERNIC_QPS_REQ_ERRS]++;
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rdma_req_rx_cqe_err, 1);
	ernic_stats_changed(qp->rdma->edev);
	mutex_lock(&qp->rq_lock);
	/* unconnected: the receive queue goes on */
	if (qp->type != ION_QPT_RC)
		qp->state = ION_QPS_SQE;
	else
		ernic_qp_error(qp, true, false);
	mutex_unlock(&qp->rq_lock);
}

static void ernic_req_count_error(struct ernic_rqp *qp, u8 status)
{
	static const u8 stat[] = {
		[ION_STS_LOCAL_LEN_ERR] =
			ION_LIF_STAT_rdma_req_tx_local_oper_err,
		[ION_STS_LOCAL_QP_OPER_ERR] =
			ION_LIF_STAT_rdma_req_tx_local_oper_err,
		[ION_STS_LOCAL_PROT_ERR] =
			ION_LIF_STAT_rdma_req_tx_local_access_err,
		[ION_STS_MEM_MGMT_OPER_ERR] =
			ION_LIF_STAT_rdma_req_tx_memory_mgmt_err,
		[ION_STS_REMOTE_INV_REQ_ERR] =
			ION_LIF_STAT_rdma_req_rx_remote_inv_req_err,
		[ION_STS_REMOTE_ACC_ERR] =
			ION_LIF_STAT_rdma_req_rx_remote_access_err,
		[ION_STS_REMOTE_OPER_ERR] =
			ION_LIF_STAT_rdma_req_rx_remote_oper_err,
		[ION_STS_RNR_RETRY_EXCEEDED] =
			ION_LIF_STAT_rdma_req_rx_rnr_retry_err,
	};

	if (status < ARRAY_SIZE(stat) && stat[status])
		ernic_rdma_count(qp->rdma, stat[status], 1);
}

/**
 * ernic_req_fail_local - the request is wrong, or this side's memory
 * @qp: QP; the caller holds sq_lock, but no rq_lock
 * @status: enum ion_rdma_status
 */
enum ernic_step ernic_req_fail_local(struct ernic_rqp *qp, u8 status)
{
	ernic_req_count_error(qp, status);
	ernic_comp_local(qp, ernic_req_wqe(qp)->base.wqe_id, status);
	ernic_req_stop(qp);
	return ERNIC_STEP_STOP;
}

/**
 * ernic_req_fail_remote - the peer refused the request, or does not answer
 * @qp: QP; the caller holds sq_lock, but no rq_lock
 * @status: enum ion_rdma_status
 */
enum ernic_step ernic_req_fail_remote(struct ernic_rqp *qp, u8 status)
{
	ernic_req_count_error(qp, status);
	ernic_comp_remote(qp, true, status);
	ernic_req_stop(qp);
	return ERNIC_STEP_STOP;
}

/* bytes of the active request without its doorbell */
static size_t ernic_req_size(const struct ernic_rqp *qp)
{
	return BIT(qp->sq.stride_log2) - (qp->req.express ? 8 : 0);
}

/* user space has a short element in version 2 (providers/ionic/ionic_fw.h) */
static void ernic_req_atomic_sge(const struct ernic_rqp *qp,
				 struct ion_sge *sge)
{
	const u8 *wqe = qp->req.wqe;

	if (qp->rdma->edev->profile.rdma_version < 2 ||
	    qp->flags & ION_QPF_PRIVILEGED) {
		*sge = ernic_req_wqe(qp)->atomic.sge;
	} else {
		memcpy(&sge->lkey, wqe + ION_V2_ATOMIC_LKEY_OFF, 4);
		memcpy(&sge->va, wqe + ION_V2_ATOMIC_VA_OFF, 8);
	}
	sge->len = cpu_to_be32(8);
}

/**
 * ernic_req_sgl - this side's memory of the active request
 * @qp: QP; the caller holds sq_lock
 * @d: its opcode
 * @sgl: result, to be put if the result is 0
 *
 * Return: 0 or the status of the failure.
 */
u8 ernic_req_sgl(struct ernic_rqp *qp, const struct ernic_op_desc *d,
		 struct ernic_sgl *sgl)
{
	const struct ion_v1_wqe *wqe = ernic_req_wqe(qp);
	u32 len = be32_to_cpu(wqe->common.length);
	const struct ion_sge *sges;
	struct ion_sge sge;
	unsigned int n;
	u16 access = 0;
	u8 status;

	if (d->op == ERNIC_OP_SWAP || d->op == ERNIC_OP_ADD) {
		ernic_req_atomic_sge(qp, &sge);
		return ernic_sgl_resolve(qp, sgl, &sge, 1,
					 ION_MRF_LOCAL_WRITE);
	}
	if (be16_to_cpu(wqe->base.flags) & ION_V1_FLAG_INL) {
		if (d->op == ERNIC_OP_READ)
			return ION_STS_LOCAL_QP_OPER_ERR;
		if (len > ernic_req_size(qp) - ION_WQE_PLD_OFF)
			return ION_STS_LOCAL_LEN_ERR;
		sgl->edev = qp->rdma->edev;
		sgl->data = wqe->common.pld.data;
		sgl->total = len;
		sgl->n = 0;
		return 0;
	}
	status = ernic_wqe_sges(ernic_req_size(qp), qp->req.wqe, &sges, &n);
	if (status)
		return status;
	if (d->op == ERNIC_OP_READ)
		access = ION_MRF_LOCAL_WRITE;
	return ernic_sgl_resolve(qp, sgl, sges, n, access);
}

/* requests that concern no peer */
static enum ernic_step ernic_req_local(struct ernic_rqp *qp,
				       const struct ernic_op_desc *d)
{
	const struct ion_v1_wqe *wqe = ernic_req_wqe(qp);
	u32 key = be32_to_cpu(wqe->base.imm_data_key);
	u8 status;

	switch (d->op) {
	case ERNIC_OP_REG_MR:
		status = ernic_mr_reg(qp, wqe);
		break;
	case ERNIC_OP_LOCAL_INV:
		status = ernic_mr_invalidate(qp, key);
		break;
	default:
		status = ernic_mr_bind(qp, wqe);
		break;
	}
	if (status)
		return ernic_req_fail_local(qp, status);
	ernic_comp_local(qp, wqe->base.wqe_id, 0);
	ernic_req_consume(qp);
	return ERNIC_STEP_DONE;
}

static enum ernic_step ernic_req_datagram(struct ernic_rqp *qp,
					  const struct ernic_op_desc *d,
					  u32 *bytes)
{
	u8 status = ernic_ud_send(qp, d, bytes);

	if (status)
		return ernic_req_fail_local(qp, status);
	ernic_req_done(qp, *bytes);
	return ERNIC_STEP_DONE;
}

/* room for all completions of the request, before it has effects */
static unsigned int ernic_req_needs(const struct ernic_rqp *qp,
				    const struct ernic_op_desc *d)
{
	u16 flags = be16_to_cpu(ernic_req_wqe(qp)->base.flags);

	if (qp->type == ION_QPT_UD)
		return 1;
	if (ernic_op_is_local(d))
		return qp->msn != qp->msn_told ? 2 : 1;
	return flags & ION_V1_FLAG_SIG ? 1 : 0;
}

static enum ernic_step ernic_req_step(struct ernic_rqp *qp, u32 *bytes)
{
	unsigned int version = qp->rdma->edev->profile.rdma_version;
	const struct ernic_op_desc *d;

	d = ernic_op_find(version, ernic_req_wqe(qp)->base.op);
	if (!d || !(d->types & BIT(qp->type)))
		return ernic_req_fail_local(qp, ION_STS_LOCAL_QP_OPER_ERR);
	if (!ernic_comp_hold(qp, ernic_req_needs(qp, d)))
		return ernic_req_wait(qp, ns_to_ktime(ERNIC_CQ_FULL_DELAY));
	if (ernic_op_is_local(d))
		return ernic_req_local(qp, d);
	if (qp->type == ION_QPT_UD)
		return ernic_req_datagram(qp, d, bytes);
	return ernic_conn_step(qp, d, bytes);
}

/* takes the next request off the ring; false if there is none or DMA is off */
static bool ernic_req_fetch(struct ernic_rqp *qp)
{
	bool rung;
	int err = 0;

	/* pairs with ernic_rdma_doorbell_qp() */
	rung = (smp_load_acquire(&qp->sq_prod) - qp->sq_cons) & qp->sq.mask;
	qp->req.express = !rung && qp->express && ernic_express_ready(qp);
	if (!rung && !qp->req.express)
		return false;
	if (qp->express)
		ernic_express_read(qp, qp->req.express);
	else
		err = ernic_ring_read(qp->rdma, &qp->sq, qp->sq_cons,
				      qp->req.wqe);
	if (err == -EACCES)
		return false;
	if (err) {
		ernic_warn(qp->rdma->edev, "rdma qp %u: send queue unreadable\n",
			   qp->id);
		mutex_lock(&qp->rq_lock);
		ernic_qp_error(qp, false, false);
		mutex_unlock(&qp->rq_lock);
		return false;
	}
	qp->req.active = true;
	qp->req.wait = false;
	qp->req.off = 0;
	qp->req.retries = qp->retry_cnt;
	qp->req.rnr = qp->rnr_retry;
	return true;
}

/**
 * ernic_req_skip - pass over what is posted
 * @qp: QP in SQE; the caller holds sq_lock
 *
 * Software has flushed all that was behind the request in error, or came before it had
 * the queue run again (ionic_datapath.c:ionic_poll_send; IBA 10.3.1.7).
 */
void ernic_req_skip(struct ernic_rqp *qp)
{
	qp->sq_cons = READ_ONCE(qp->sq_prod);
	if (qp->express)
		ernic_express_skip(qp);
}

/* the queue is empty, or may not be read */
static bool ernic_req_linger(struct ernic_rqp *qp)
{
	return qp->express && qp->state == ION_QPS_RTS &&
	       ernic_express_linger(qp);
}

static void ernic_req_drained(struct ernic_rqp *qp)
{
	if (qp->drain_told)
		return;
	qp->drain_told = true;
	if (qp->access & ION_QPF_SQD_NOTIFY)
		ernic_eq_qp_event(qp, ION_EQE_SQ_DRAIN);
}

/**
 * ernic_req_poll - a turn of a QP
 * @qp: QP; the caller holds sq_lock
 *
 * Return: there is more to do at once.
 */
bool ernic_req_poll(struct ernic_rqp *qp)
{
	unsigned int wqes = ERNIC_RDMA_WEIGHT_WQES;
	u32 left = ERNIC_RDMA_WEIGHT_BYTES, bytes;
	enum ernic_step step;

	for (;;) {
		if (qp->state != ION_QPS_RTS && qp->state != ION_QPS_SQD)
			return false;
		if (!qp->req.active) {
			if (qp->state == ION_QPS_SQD) {
				ernic_req_drained(qp);
				return false;
			}
			if (!ernic_req_fetch(qp))
				return ernic_req_linger(qp);
		}
		if (qp->req.wait) {
			if (ktime_before(ktime_get(), qp->req.until)) {
				/* woken by something else: the timer runs on */
				return false;
			}
			qp->req.wait = false;
		}
		bytes = 0;
		step = ernic_req_step(qp, &bytes);
		if (step == ERNIC_STEP_WAIT || step == ERNIC_STEP_STOP)
			return false;
		if (bytes >= left || !--wqes)
			return true;
		left -= bytes;
	}
}
