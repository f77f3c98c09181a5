// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations between connected QPs, reliable or not.
 *
 * A reliable sender is told what becomes of its message, and tries again: while the
 * peer has no receive request, by the peer's RNR timer and its own count of RNR
 * retries; while there is no peer, or one that does not listen, by its own timer and
 * count.  An unreliable one is told nothing, and its message is lost.
 */
#include <ernic/kunit.h>

#include "engine.h"

/* a peer that is there but cannot write now: tried again, not counted */
#define ERNIC_PEER_BUSY_DELAY	(200 * NSEC_PER_USEC)
/* a sender without a timeout looks again after */
#define ERNIC_NO_TIMEOUT_DELAY	(50 * NSEC_PER_MSEC)

/**
 * struct ernic_conn - one turn of a request
 * @qp: sender
 * @d: opcode
 * @wqe: request
 * @sgl: memory of the sender
 * @peer: receiver, with its rq_lock
 * @len: bytes of the message
 * @nak: status for the sender, if the operation failed
 * @local: @nak is the sender's own fault
 * @fail: ION_EQE_QP_* that the receiver's QP fails with, or 0
 * @rnr_timer: the receiver's
 */
struct ernic_conn {
	struct ernic_rqp *qp;
	const struct ernic_op_desc *d;
	const struct ion_v1_wqe *wqe;
	struct ernic_sgl sgl;
	struct ernic_rqp *peer;
	u32 len;
	u8 nak;
	bool local;
	u8 fail;
	u8 rnr_timer;
};

/* what the receiver made of it */
enum ernic_answer {
	ERNIC_ACK,
	ERNIC_PART,		/* a slice is there */
	ERNIC_NAK,		/* c->nak */
	ERNIC_RNR_NAK,
	ERNIC_BUSY,		/* no room, or no DMA; not for long */
	ERNIC_SILENT,
};

static enum ernic_answer ernic_conn_nak(struct ernic_conn *c, u8 status,
					u8 fail)
{
	c->nak = status;
	c->fail = fail;
	return ERNIC_NAK;
}

static enum ernic_answer ernic_conn_own(struct ernic_conn *c, u8 status)
{
	c->nak = status;
	c->local = true;
	return ERNIC_NAK;
}

static u64 ernic_conn_va(const struct ernic_conn *c)
{
	return (u64)be32_to_cpu(c->wqe->common.rdma.remote_va_high) << 32 |
	       be32_to_cpu(c->wqe->common.rdma.remote_va_low);
}

/* the receiver's memory of WRITE, READ and atomics; true if the sender may */
static bool ernic_conn_remote(struct ernic_conn *c, struct ernic_sgl *sgl,
			      u16 qp_access, u16 access)
{
	u32 rkey = be32_to_cpu(c->wqe->common.rdma.remote_rkey);

	sgl->edev = c->peer->rdma->edev;
	sgl->data = NULL;
	sgl->total = c->len;
	sgl->n = 0;
	if (!(c->peer->access & qp_access))
		return false;
	/* nothing is accessed: the key is not looked at (IBA 9.7.4.1.3) */
	if (!c->len)
		return true;
	if (ernic_mr_seg(c->peer, rkey, ernic_conn_va(c), c->len, access, true,
			 &sgl->seg[0]))
		return false;
	sgl->n = 1;
	return true;
}

/* one slice; both lists cover the message */
static int ernic_conn_copy(struct ernic_conn *c, const struct ernic_sgl *to,
			   const struct ernic_sgl *from)
{
	u32 off = c->qp->req.off;
	u32 n = min_t(u32, c->len - off, ERNIC_RDMA_SLICE);
	int a, b, err;

	if (!n)
		return 0;
	a = ernic_dma_lock(from->edev);
	b = ernic_dma_lock(to->edev);
	err = ernic_sgl_copy(to, off, from, off, n);
	ernic_dma_unlock(to->edev, b);
	ernic_dma_unlock(from->edev, a);
	if (!err)
		c->qp->req.off += n;
	return err;
}

static enum ernic_answer ernic_conn_begin_recv(struct ernic_conn *c)
{
	switch (ernic_rx_begin(c->peer)) {
	case ERNIC_RX_OK:
		return ERNIC_ACK;
	case ERNIC_RX_RNR:
		return ERNIC_RNR_NAK;
	case ERNIC_RX_CQ_FULL:
	case ERNIC_RX_DMA_OFF:
		return ERNIC_BUSY;
	default:
		return ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
				      ION_EQE_QP_ERR);
	}
}

static void ernic_conn_end_recv(struct ernic_conn *c)
{
	bool sol = be16_to_cpu(c->wqe->base.flags) & ION_V1_FLAG_SOL;
	u32 op = ION_CQE_RECV_OP_SEND;

	if (c->d->op == ERNIC_OP_WRITE)
		op = ION_CQE_RECV_OP_RDMA_IMM;
	else if (c->d->imm)
		op = ION_CQE_RECV_OP_SEND_IMM;
	else if (c->d->inv)
		op = ION_CQE_RECV_OP_SEND_INV;
	ernic_rx_complete(c->peer, op, c->qp->id, c->len,
			  c->d->imm || c->d->inv ? c->wqe->base.imm_data_key :
						   0, NULL, sol);
}

static enum ernic_answer ernic_conn_send(struct ernic_conn *c)
{
	enum ernic_answer answer;
	struct ernic_sgl sgl;
	int err;

	/* the receiver was reset in between */
	if (c->qp->req.off && !c->peer->rx.active)
		return ERNIC_SILENT;
	answer = ernic_conn_begin_recv(c);
	if (answer != ERNIC_ACK)
		return answer;

	switch (ernic_rx_sgl(c->peer, c->len, &sgl)) {
	case ERNIC_RX_OK:
		break;
	case ERNIC_RX_TOO_LONG:
		ernic_rx_error(c->peer, ION_STS_LOCAL_LEN_ERR);
		return ernic_conn_nak(c, ION_STS_REMOTE_INV_REQ_ERR,
				      ION_EQE_QP_ERR_REQUEST);
	default:
		ernic_rx_error(c->peer, ION_STS_LOCAL_PROT_ERR);
		return ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
				      ION_EQE_QP_ERR);
	}
	err = ernic_conn_copy(c, &sgl, &c->sgl);
	ernic_sgl_put(&sgl);
	if (err == -EFAULT)
		return ernic_conn_own(c, ION_STS_LOCAL_PROT_ERR);
	if (err == -ENXIO) {
		ernic_rx_error(c->peer, ION_STS_LOCAL_PROT_ERR);
		return ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
				      ION_EQE_QP_ERR);
	}
	if (err)
		return ERNIC_BUSY;
	if (c->qp->req.off < c->len)
		return ERNIC_PART;
	if (!c->d->inv) {
		ernic_conn_end_recv(c);
		return ERNIC_ACK;
	}
	/* before the completion says so; waits for references, so none is kept */
	ernic_sgl_put(&c->sgl);
	if (ernic_mr_invalidate(c->peer,
				be32_to_cpu(c->wqe->base.imm_data_key))) {
		ernic_rx_error(c->peer, ION_STS_MEM_MGMT_OPER_ERR);
		return ernic_conn_nak(c, ION_STS_REMOTE_ACC_ERR,
				      ION_EQE_QP_ERR_ACCESS);
	}
	ernic_conn_end_recv(c);
	return ERNIC_ACK;
}

static enum ernic_answer ernic_conn_write(struct ernic_conn *c)
{
	enum ernic_answer answer;
	struct ernic_sgl sgl;
	int err;

	if (!ernic_conn_remote(c, &sgl, ION_QPF_REMOTE_WRITE,
			       ION_MRF_REMOTE_WRITE))
		return ernic_conn_nak(c, ION_STS_REMOTE_ACC_ERR,
				      ION_EQE_QP_ERR_ACCESS);
	/* with immediate data it needs a receive request, and nothing of it */
	if (c->d->recv) {
		if (c->qp->req.off && !c->peer->rx.active)
			answer = ERNIC_SILENT;
		else
			answer = ernic_conn_begin_recv(c);
		if (answer != ERNIC_ACK)
			goto out;
	}
	err = ernic_conn_copy(c, &sgl, &c->sgl);
	if (err == -EFAULT)
		answer = ernic_conn_own(c, ION_STS_LOCAL_PROT_ERR);
	else if (err == -ENXIO)
		answer = ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
					ION_EQE_QP_ERR);
	else if (err)
		answer = ERNIC_BUSY;
	else
		answer = c->qp->req.off < c->len ? ERNIC_PART : ERNIC_ACK;
	if (answer == ERNIC_ACK && c->d->recv)
		ernic_conn_end_recv(c);
out:
	ernic_sgl_put(&sgl);
	return answer;
}

static enum ernic_answer ernic_conn_read(struct ernic_conn *c)
{
	struct ernic_sgl sgl;
	int err;

	/* the receiver has not agreed to any (IBA 9.7.4.1.4) */
	if (!c->peer->rsq_depth)
		return ernic_conn_nak(c, ION_STS_REMOTE_INV_REQ_ERR,
				      ION_EQE_QP_ERR_REQUEST);
	if (!ernic_conn_remote(c, &sgl, ION_QPF_REMOTE_READ,
			       ION_MRF_REMOTE_READ))
		return ernic_conn_nak(c, ION_STS_REMOTE_ACC_ERR,
				      ION_EQE_QP_ERR_ACCESS);
	err = ernic_conn_copy(c, &c->sgl, &sgl);
	ernic_sgl_put(&sgl);
	if (err == -ENXIO)
		return ernic_conn_own(c, ION_STS_LOCAL_PROT_ERR);
	if (err == -EFAULT)
		return ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
				      ION_EQE_QP_ERR);
	if (err)
		return ERNIC_BUSY;
	return c->qp->req.off < c->len ? ERNIC_PART : ERNIC_ACK;
}

static enum ernic_answer ernic_conn_atomic(struct ernic_conn *c)
{
	const struct ion_v1_wqe *wqe = c->wqe;
	u64 operand = (u64)be32_to_cpu(wqe->atomic.swap_add_high) << 32 |
		      be32_to_cpu(wqe->atomic.swap_add_low);
	u64 compare = (u64)be32_to_cpu(wqe->atomic.compare_high) << 32 |
		      be32_to_cpu(wqe->atomic.compare_low);
	struct ernic_sgl sgl, result = {};
	struct ernic_dev *own = c->qp->rdma->edev;
	enum ion_lif_stat stat;
	int idx, err;
	u64 old;

	if (!c->peer->rsq_depth) {
		stat = ION_LIF_STAT_rdma_resp_rx_out_of_atomic_resource;
		ernic_rdma_count(c->peer->rdma, stat, 1);
		return ernic_conn_nak(c, ION_STS_REMOTE_INV_REQ_ERR,
				      ION_EQE_QP_ERR_REQUEST);
	}
	if (!IS_ALIGNED(ernic_conn_va(c), 8))
		return ernic_conn_nak(c, ION_STS_REMOTE_INV_REQ_ERR,
				      ION_EQE_QP_ERR_REQUEST);
	if (!ernic_conn_remote(c, &sgl, ION_QPF_REMOTE_ATOMIC,
			       ION_MRF_REMOTE_ATOMIC))
		return ernic_conn_nak(c, ION_STS_REMOTE_ACC_ERR,
				      ION_EQE_QP_ERR_ACCESS);
	idx = ernic_dma_lock(sgl.edev);
	err = ernic_sgl_atomic(&sgl, c->d->op == ERNIC_OP_SWAP, operand,
			       compare, &old);
	ernic_dma_unlock(sgl.edev, idx);
	ernic_sgl_put(&sgl);
	if (err)
		return ernic_conn_nak(c, ION_STS_REMOTE_OPER_ERR,
				      ION_EQE_QP_ERR);

	result.data = (u8 *)&old;
	result.total = sizeof(old);
	idx = ernic_dma_lock(own);
	err = ernic_sgl_copy(&c->sgl, 0, &result, 0, sizeof(old));
	ernic_dma_unlock(own, idx);
	return err ? ernic_conn_own(c, ION_STS_LOCAL_PROT_ERR) : ERNIC_ACK;
}

static enum ernic_answer ernic_conn_run(struct ernic_conn *c)
{
	switch (c->d->op) {
	case ERNIC_OP_SEND:
		return ernic_conn_send(c);
	case ERNIC_OP_WRITE:
		return ernic_conn_write(c);
	case ERNIC_OP_READ:
		return ernic_conn_read(c);
	default:
		return ernic_conn_atomic(c);
	}
}

/* the receiver's QP, if there is one, is locked */
static enum ernic_answer ernic_conn_answer(struct ernic_conn *c)
{
	struct ernic_rqp *qp = c->qp, *peer = c->peer;
	enum ernic_answer answer;
	u8 status;

	status = ernic_req_sgl(qp, c->d, &c->sgl);
	if (status)
		return ernic_conn_own(c, status);
	c->len = c->sgl.total;
	if (!peer || !ernic_rx_peer(peer, qp)) {
		answer = ERNIC_SILENT;
		goto out;
	}
	c->rnr_timer = peer->rnr_timer;
	answer = ernic_conn_run(c);
	if (answer == ERNIC_RNR_NAK) {
		peer->stats[ERNIC_QPS_RNR_SENT]++;
		ernic_rx_no_request(peer);
	}
	if (c->fail && qp->type == ION_QPT_RC)
		ernic_qp_fail(peer, c->fail);
out:
	ernic_sgl_put(&c->sgl);
	return answer;
}

/*
 * References to regions are taken under the receiver's rq_lock and never held while
 * somebody waits for it: an invalidation waits for references under that lock.
 */
static enum ernic_answer ernic_conn_ask(struct ernic_conn *c)
{
	struct ernic_rqp *qp = c->qp;
	enum ernic_answer answer;
	struct ernic_rdma *to;

	to = ernic_gid_way(qp->rdma, &qp->av, &qp->way);
	if (to)
		c->peer = ernic_qp_get(to, qp->dest_qpn);
	if (c->peer) {
		mutex_lock(&c->peer->rq_lock);
		answer = ernic_conn_answer(c);
		mutex_unlock(&c->peer->rq_lock);
		ernic_obj_put(&c->peer->obj);
	} else {
		answer = ernic_conn_answer(c);
	}
	if (to)
		percpu_ref_put(&to->users);
	return answer;
}

static enum ernic_step ernic_conn_again(struct ernic_rqp *qp)
{
	qp->req.off = 0;
	qp->stats[ERNIC_QPS_RETRIES]++;
	if (!qp->timeout)
		return ernic_req_wait(qp,
				      ns_to_ktime(ERNIC_NO_TIMEOUT_DELAY));
	if (!qp->req.retries)
		return ernic_req_fail_remote(qp, ION_STS_RETRY_EXCEEDED);
	qp->req.retries--;
	return ernic_req_wait(qp, ernic_ack_delay(qp->timeout));
}

static enum ernic_step ernic_conn_rnr(struct ernic_rqp *qp, u8 timer)
{
	qp->req.off = 0;
	qp->stats[ERNIC_QPS_RNR_RCVD]++;
	if (qp->rnr_retry != 7) {
		if (!qp->req.rnr)
			return ernic_req_fail_remote(qp,
					ION_STS_RNR_RETRY_EXCEEDED);
		qp->req.rnr--;
	}
	return ernic_req_wait(qp, ernic_rnr_delay(timer));
}

/**
 * ernic_conn_step - a turn of the active request of a connected QP
 * @qp: QP; the caller holds sq_lock
 * @d: opcode
 * @bytes: result: bytes that were moved
 */
enum ernic_step ernic_conn_step(struct ernic_rqp *qp,
				const struct ernic_op_desc *d, u32 *bytes)
{
	struct ernic_conn c = {
		.qp = qp,
		.d = d,
		.wqe = (const void *)qp->req.wqe,
	};
	u32 off = qp->req.off;
	enum ernic_answer answer;

	/* it has not been allowed any (IBA 10.8.2) */
	if ((d->op == ERNIC_OP_READ || d->op == ERNIC_OP_SWAP ||
	     d->op == ERNIC_OP_ADD) && !qp->rrq_depth)
		return ernic_req_fail_local(qp, ION_STS_LOCAL_QP_OPER_ERR);
	answer = ernic_conn_ask(&c);
	if (qp->req.off > off)
		*bytes = qp->req.off - off;

	if (answer == ERNIC_NAK && c.local)
		return ernic_req_fail_local(qp, c.nak);
	/* nobody tells the sender */
	if (qp->type == ION_QPT_UC && answer != ERNIC_PART) {
		ernic_req_done(qp, c.len);
		return ERNIC_STEP_DONE;
	}
	switch (answer) {
	case ERNIC_ACK:
		ernic_req_done(qp, c.len);
		return ERNIC_STEP_DONE;
	case ERNIC_PART:
		qp->req.retries = qp->retry_cnt;
		qp->req.rnr = qp->rnr_retry;
		return ERNIC_STEP_MORE;
	case ERNIC_NAK:
		return ernic_req_fail_remote(qp, c.nak);
	case ERNIC_RNR_NAK:
		return ernic_conn_rnr(qp, c.rnr_timer);
	case ERNIC_BUSY:
		return ernic_req_wait(qp, ns_to_ktime(ERNIC_PEER_BUSY_DELAY));
	default:
		return ernic_conn_again(qp);
	}
}
