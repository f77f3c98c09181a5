// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receiving side of a QP: receive requests, and their completions.
 *
 * Runs in the worker of the sender, under the receiver's rq_lock.  Requests are
 * consumed in the order of the ring, as software that flushes walks the ring as well
 * (ionic_datapath.c:ionic_flush_recv).
 */
#include <ernic/kunit.h>

#include "engine.h"

/**
 * ernic_rx_peer - does a connected QP listen to another?
 * @qp: receiver; the caller holds rq_lock
 * @from: sender; the caller holds its sq_lock
 *
 * It has to be connected to that very QP of that very device: addresses can be
 * claimed by anybody, so the receiver's own way back is followed.
 */
bool ernic_rx_peer(struct ernic_rqp *qp, const struct ernic_rqp *from)
{
	struct ernic_rdma *back;

	switch (qp->state) {
	case ION_QPS_RTR:
	case ION_QPS_RTS:
	case ION_QPS_SQD:
	case ION_QPS_SQE:
		break;
	default:
		return false;
	}
	if (qp->dead || qp->rq_failed || qp->type != from->type ||
	    qp->dest_qpn != from->id || !qp->has_av)
		return false;
	back = ernic_gid_way(qp->rdma, &qp->av, &qp->back);
	if (!back)
		return false;
	percpu_ref_put(&back->users);
	if (back != from->rdma)
		return false;

	if (qp->state == ION_QPS_RTR &&
	    !test_and_set_bit(ERNIC_QP_COMM_EST, &qp->events))
		ernic_eq_qp_event(qp, ION_EQE_QP_COMM_EST);
	return true;
}

/**
 * ernic_rx_begin - take the next receive request
 * @qp: receiver; the caller holds rq_lock
 *
 * A message that was not finished has left its request: the next one gets it.
 *
 * Return: OK, RNR, CQ_FULL, DMA_OFF or BAD.
 */
enum ernic_rx_result ernic_rx_begin(struct ernic_rqp *qp)
{
	int err;

	if (qp->rx.active)
		return ERNIC_RX_OK;
	/* pairs with ernic_rdma_doorbell_qp() */
	if (!((smp_load_acquire(&qp->rq_prod) - qp->rq_cons) & qp->rq.mask))
		return ERNIC_RX_RNR;
	if (!ernic_cq_reserve(qp->rcq))
		return ERNIC_RX_CQ_FULL;
	err = ernic_ring_read(qp->rdma, &qp->rq, qp->rq_cons, qp->rx.wqe);
	if (err) {
		ernic_cq_release(qp->rcq);
		return err == -EACCES ? ERNIC_RX_DMA_OFF : ERNIC_RX_BAD;
	}
	qp->rq_cons = (qp->rq_cons + 1) & qp->rq.mask;
	qp->rx.active = true;
	return ERNIC_RX_OK;
}
ERNIC_KUNIT_EXPORT(ernic_rx_begin);

/**
 * ernic_rx_no_request - count a message that found no receive request
 * @qp: receiver; the caller holds rq_lock
 *
 * Its device has no other part in it, so nobody else has the counter published.
 */
void ernic_rx_no_request(struct ernic_rqp *qp)
{
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rdma_resp_rx_out_of_buffer, 1);
	ernic_stats_changed(qp->rdma->edev);
}

/**
 * ernic_rx_sgl - memory of the receive request
 * @qp: receiver with an active request; the caller holds rq_lock
 * @len: bytes that it has to take
 * @sgl: result, to be put if OK
 *
 * Return: OK, TOO_LONG or BAD.
 */
enum ernic_rx_result ernic_rx_sgl(struct ernic_rqp *qp, u32 len,
				  struct ernic_sgl *sgl)
{
	const struct ion_sge *sge;
	unsigned int n;

	if (ernic_wqe_sges(BIT(qp->rq.stride_log2), qp->rx.wqe, &sge, &n) ||
	    ernic_sgl_resolve(qp, sgl, sge, n, ION_MRF_LOCAL_WRITE))
		return ERNIC_RX_BAD;
	if (len > sgl->total) {
		ernic_sgl_put(sgl);
		return ERNIC_RX_TOO_LONG;
	}
	return ERNIC_RX_OK;
}
ERNIC_KUNIT_EXPORT(ernic_rx_sgl);

/**
 * ernic_rx_complete - the message is there
 * @qp: receiver with an active request; the caller holds rq_lock
 * @op: enum ion_cqe_recv_op
 * @src_qpn: sender
 * @len: bytes
 * @imm: immediate data, or the key that was invalidated
 * @av: of the sender of a datagram, or NULL
 * @solicited: the sender asked for an event
 */
void ernic_rx_complete(struct ernic_rqp *qp, u32 op, u32 src_qpn, u32 len,
		       __be32 imm, const struct ernic_av *av, bool solicited)
{
	const struct ion_v1_wqe *wqe = (const void *)qp->rx.wqe;
	u32 src = src_qpn | op << ION_CQE_RECV_OP_SHIFT;
	struct ion_v1_cqe cqe = {
		.recv.wqe_id = wqe->base.wqe_id,
		.recv.imm_data_rkey = imm,
		.status_length = cpu_to_be32(len),
		.qid_type_flags = cpu_to_be32(qp->id << ION_CQE_QID_SHIFT |
				ION_CQE_TYPE_RECV << ION_CQE_TYPE_SHIFT),
	};

	if (av) {
		ether_addr_copy(cqe.recv.src_mac, av->smac);
		if (av->ipv4)
			src |= ION_CQE_RECV_IS_IPV4;
		if (av->vlan) {
			src |= ION_CQE_RECV_IS_VLAN;
			cqe.recv.vlan_tag = cpu_to_be16(av->tci);
		}
	}
	cqe.recv.src_qpn_op = cpu_to_be32(src);
	qp->rx.active = false;
	ernic_cq_post(qp->rcq, &cqe, solicited, true);
	qp->stats[ERNIC_QPS_RX_MSGS]++;
	qp->stats[ERNIC_QPS_RX_BYTES] += len;
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rx_rdma_ucast_packets, 1);
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rx_rdma_ucast_bytes, len);
	ernic_stats_changed(qp->rdma->edev);
}
ERNIC_KUNIT_EXPORT(ernic_rx_complete);

/**
 * ernic_rx_error - the receive request is completed in error; the QP will fail
 * @qp: receiver with an active request; the caller holds rq_lock
 * @status: enum ion_rdma_status
 */
void ernic_rx_error(struct ernic_rqp *qp, u8 status)
{
	const struct ion_v1_wqe *wqe = (const void *)qp->rx.wqe;
	struct ion_v1_cqe cqe = {
		.recv.wqe_id = wqe->base.wqe_id,
		.status_length = cpu_to_be32(status),
		.qid_type_flags = cpu_to_be32(qp->id << ION_CQE_QID_SHIFT |
				ION_CQE_TYPE_RECV << ION_CQE_TYPE_SHIFT |
				ION_CQE_ERROR),
	};

	qp->rx.active = false;
	qp->rq_told = true;
	ernic_cq_post(qp->rcq, &cqe, true, true);
	ernic_rdma_count(qp->rdma, ION_LIF_STAT_rdma_resp_rx_cqe_err, 1);
	if (status == ION_STS_LOCAL_LEN_ERR)
		ernic_rdma_count(qp->rdma,
				 ION_LIF_STAT_rdma_resp_rx_local_len_err, 1);
	else
		ernic_rdma_count(qp->rdma,
				 ION_LIF_STAT_rdma_resp_rx_local_qp_oper_err,
				 1);
}
ERNIC_KUNIT_EXPORT(ernic_rx_error);
