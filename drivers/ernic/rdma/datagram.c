// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams.  They are delivered or lost; the sender does not learn which.
 */
#include <ernic/kunit.h>

#include "engine.h"

/* GRH, UDP, BTH, XRC and atomic extended transport headers, invariant CRC */
#define ERNIC_IB_HEADERS	(40 + 8 + 12 + 4 + 28 + 4)
#define ERNIC_IB_MTU_MIN	256
#define ERNIC_IB_MTU_MAX	4096

/**
 * ernic_ib_mtu - MTU of the port
 * @mtu: of the guest's netdev, bytes
 *
 * What the driver of the guest tells as active_mtu (ionic_ibdev.c:ionic_query_port,
 * ib_addr.h:iboe_get_mtu).  Where that is none at all the smallest there is, which the
 * messages of connection management need.
 *
 * Return: bytes, a power of two.
 */
u32 ernic_ib_mtu(u32 mtu)
{
	u32 ib = ERNIC_IB_MTU_MAX;

	while (ib > ERNIC_IB_MTU_MIN && ib + ERNIC_IB_HEADERS > mtu)
		ib >>= 1;
	return ib;
}
ERNIC_KUNIT_EXPORT(ernic_ib_mtu);

/* the address handle of the request belongs to the QP's domain */
static struct ernic_ah *ernic_ud_ah(struct ernic_rqp *qp,
				    const struct ion_v1_wqe *wqe)
{
	struct ernic_ah *ah;

	ah = ernic_ah_get(qp->rdma, be32_to_cpu(wqe->common.send.ah_id));
	if (ah && ah->pd != qp->pd) {
		ernic_obj_put(&ah->obj);
		ah = NULL;
	}
	return ah;
}

static bool ernic_ud_listens(const struct ernic_rqp *qp, u32 qkey)
{
	return !qp->dead && !qp->rq_failed && qp->type == ION_QPT_UD &&
	       qp->qkey == qkey &&
	       (qp->state == ION_QPS_RTR || qp->state == ION_QPS_RTS ||
		qp->state == ION_QPS_SQD || qp->state == ION_QPS_SQE);
}

static int ernic_ud_copy(struct ernic_rqp *peer, const struct ernic_sgl *to,
			 const struct ernic_sgl *from, const struct ernic_av *av)
{
	u8 grh[ION_GRH_LEN] __aligned(4);
	struct ernic_sgl head = { .data = grh, .total = sizeof(grh) };
	int a, b, err;

	ernic_av_grh(av, grh, from->total);
	a = ernic_dma_lock(from->edev);
	b = ernic_dma_lock(to->edev);
	err = ernic_sgl_copy(to, 0, &head, 0, sizeof(grh));
	if (!err && from->total)
		err = ernic_sgl_copy(to, sizeof(grh), from, 0, from->total);
	ernic_dma_unlock(to->edev, b);
	ernic_dma_unlock(from->edev, a);
	return err;
}

/* with the receiver's rq_lock */
static bool ernic_ud_receive(struct ernic_rqp *peer, struct ernic_rqp *qp,
			     const struct ernic_op_desc *d,
			     const struct ernic_sgl *from,
			     const struct ernic_av *av)
{
	const struct ion_v1_wqe *wqe = (const void *)qp->req.wqe;
	u32 len = from->total + ION_GRH_LEN;
	struct ernic_sgl to;
	int err;

	if (ernic_rx_begin(peer) != ERNIC_RX_OK) {
		ernic_rx_no_request(peer);
		return false;
	}
	switch (ernic_rx_sgl(peer, len, &to)) {
	case ERNIC_RX_OK:
		break;
	case ERNIC_RX_TOO_LONG:
		/* the request waits for one that fits */
		return false;
	default:
		ernic_rx_error(peer, ION_STS_LOCAL_PROT_ERR);
		ernic_qp_fail(peer, ION_EQE_QP_ERR);
		return false;
	}
	err = ernic_ud_copy(peer, &to, from, av);
	ernic_sgl_put(&to);
	if (err == -ENXIO) {
		ernic_rx_error(peer, ION_STS_LOCAL_PROT_ERR);
		ernic_qp_fail(peer, ION_EQE_QP_ERR);
	}
	if (err)
		return false;
	ernic_rx_complete(peer, d->imm ? ION_CQE_RECV_OP_SEND_IMM :
					 ION_CQE_RECV_OP_SEND, qp->id, len,
			  d->imm ? wqe->base.imm_data_key : 0, av,
			  be16_to_cpu(wqe->base.flags) & ION_V1_FLAG_SOL);
	return true;
}

/* the receiver's QP, if there is one, is locked */
static u8 ernic_ud_try(struct ernic_rqp *qp, const struct ernic_op_desc *d,
		       struct ernic_rqp *peer, const struct ernic_av *av,
		       u32 *bytes)
{
	const struct ion_v1_wqe *wqe = (const void *)qp->req.wqe;
	u32 qkey = be32_to_cpu(wqe->common.send.dest_qkey);
	struct ernic_sgl sgl;
	u8 status;

	status = ernic_req_sgl(qp, d, &sgl);
	if (status)
		return status;
	*bytes = sgl.total;
	if (sgl.total > ernic_ib_mtu(READ_ONCE(qp->rdma->edev->guest_mtu)))
		status = ION_STS_LOCAL_LEN_ERR;
	/* the high bit asks for the QP's own (IBA 10.2.5) */
	if (qkey & ION_QKEY_PRIVILEGED)
		qkey = qp->qkey;
	if (!status && peer &&
	    !(ernic_ud_listens(peer, qkey) &&
	      ernic_ud_receive(peer, qp, d, &sgl, av)))
		peer->stats[ERNIC_QPS_RX_DROPS]++;
	ernic_sgl_put(&sgl);
	return status;
}

/**
 * ernic_ud_send - send the datagram of the active request
 * @qp: sender; the caller holds sq_lock
 * @d: opcode
 * @bytes: result: bytes of the datagram
 *
 * Return: 0, also if nobody got it; or the status of the failure.
 */
u8 ernic_ud_send(struct ernic_rqp *qp, const struct ernic_op_desc *d,
		 u32 *bytes)
{
	const struct ion_v1_wqe *wqe = (const void *)qp->req.wqe;
	u32 qpn = be32_to_cpu(wqe->common.send.dest_qpn);
	struct ernic_rqp *peer = NULL;
	struct ernic_rdma *to;
	struct ernic_ah *ah;
	u8 status;

	ah = ernic_ud_ah(qp, wqe);
	if (!ah)
		return ION_STS_LOCAL_QP_OPER_ERR;
	to = ernic_gid_route(qp->rdma, &ah->av);
	if (to)
		peer = ernic_qp_get(to, qpn);
	/* references to regions only under this lock, see connected.c */
	if (peer)
		mutex_lock(&peer->rq_lock);
	status = ernic_ud_try(qp, d, peer, &ah->av, bytes);
	if (peer) {
		mutex_unlock(&peer->rq_lock);
		ernic_obj_put(&peer->obj);
	}
	if (to)
		percpu_ref_put(&to->users);
	ernic_obj_put(&ah->obj);
	return status;
}
