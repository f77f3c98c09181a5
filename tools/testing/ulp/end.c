// SPDX-License-Identifier: GPL-2.0-only
/* An end: memory, queue pair, and the way between two of them. */
#include <linux/delay.h>
#include <linux/slab.h>
#include "ulp.h"

/* RoCE v2 with an IPv4 address */
static const struct ib_gid_attr *ulp_gid(struct ib_device *dev)
{
	for (int i = 0; i < dev->port_data[1].immutable.gid_tbl_len; i++) {
		const struct ib_gid_attr *gid = rdma_get_gid_attr(dev, 1, i);

		if (IS_ERR(gid))
			continue;
		if (rdma_gid_attr_network_type(gid) == RDMA_NETWORK_IPV4)
			return gid;
		rdma_put_gid_attr(gid);
	}
	return NULL;
}

int ulp_end_open(struct ulp *u, struct ulp_end *e, const char *name, struct ib_device *dev,
		 enum ib_poll_context poll)
{
	e->name = name;
	e->dev = dev;
	e->gid = ulp_gid(dev);
	if (!e->gid)
		return ulp_fail(u, "%s has no GID for an IPv4 address", dev_name(&dev->dev));
	e->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(e->pd))
		return ulp_fail(u, "%s: no PD: %ld", name, PTR_ERR(e->pd));
	e->cq = ib_alloc_cq(dev, NULL, 4 * ULP_DEPTH, 0, poll);
	if (IS_ERR(e->cq))
		return ulp_fail(u, "%s: no CQ: %ld", name, PTR_ERR(e->cq));
	for (int i = 0; i < ULP_PAGES; i++) {
		e->pages[i] = alloc_page(GFP_KERNEL);
		if (!e->pages[i])
			return -ENOMEM;
		e->dma[i] = ib_dma_map_page(dev, e->pages[i], 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(dev, e->dma[i])) {
			__free_page(e->pages[i]);
			e->pages[i] = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

void ulp_end_close(struct ulp_end *e)
{
	ulp_unmap(e);
	if (!IS_ERR_OR_NULL(e->mr))
		ib_dereg_mr(e->mr);
	if (!IS_ERR_OR_NULL(e->cq))
		ib_free_cq(e->cq);
	if (!IS_ERR_OR_NULL(e->pd))
		ib_dealloc_pd(e->pd);
	for (int i = 0; i < ULP_PAGES && e->pages[i]; i++) {
		ib_dma_unmap_page(e->dev, e->dma[i], PAGE_SIZE, DMA_BIDIRECTIONAL);
		__free_page(e->pages[i]);
	}
	if (e->gid)
		rdma_put_gid_attr(e->gid);
}

static void ulp_event(struct ib_event *event, void *context)
{
	struct ulp_end *e = context;

	if (event->event < BITS_PER_LONG)
		set_bit(event->event, &e->events);
}

static int ulp_qp(struct ulp *u, struct ulp_end *e, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = {
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.qp_type = type,
		.event_handler = ulp_event,
		.qp_context = e,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = u->depth ?: ULP_DEPTH,
			.max_recv_wr = u->depth ?: ULP_DEPTH,
			.max_send_sge = min(e->dev->attrs.max_send_sge, 8),
			.max_recv_sge = min(e->dev->attrs.max_recv_sge, 8),
		},
	};

	e->qp = ib_create_qp(e->pd, &attr);
	if (IS_ERR(e->qp)) {
		int rc = ulp_fail(u, "%s: no QP: %ld", e->name, PTR_ERR(e->qp));

		e->qp = NULL;
		return rc;
	}
	return 0;
}

int ulp_modify(struct ulp *u, struct ulp_end *e, struct ulp_end *peer, enum ib_qp_state last, u8 rnr_retry)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT, rc;
	enum ib_qp_type type = e->qp->qp_type;
	struct ib_port_attr port;
	const u32 psn = 0xfffffe; /* soon wraps */

	if (type == IB_QPT_UD) {
		attr.qkey = ULP_QKEY;
		mask |= IB_QP_QKEY;
	} else {
		attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE;
		if (type == IB_QPT_RC)
			attr.qp_access_flags |= IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
		mask |= IB_QP_ACCESS_FLAGS;
	}
	rc = ib_modify_qp(e->qp, &attr, mask);
	if (rc)
		return ulp_fail(u, "%s: to INIT: %d", e->name, rc);

	attr.qp_state = IB_QPS_RTR;
	mask = IB_QP_STATE;
	if (type != IB_QPT_UD) {
		rc = ib_query_port(e->dev, 1, &port);
		if (rc)
			return ulp_fail(u, "%s: query port: %d", e->name, rc);
		attr.path_mtu = port.active_mtu;
		attr.dest_qp_num = peer->qp->qp_num;
		attr.rq_psn = psn;
		attr.ah_attr.type = rdma_ah_find_type(e->dev, 1);
		rdma_ah_set_port_num(&attr.ah_attr, 1);
		rdma_ah_set_grh(&attr.ah_attr, NULL, 0, e->gid->index, 64, 0);
		rdma_ah_set_dgid_raw(&attr.ah_attr, (void *)&peer->gid->gid);
		/* users in the kernel resolve it themselves, see _ib_modify_qp() */
		rc = rdma_read_gid_l2_fields(peer->gid, NULL, attr.ah_attr.roce.dmac);
		if (rc)
			return ulp_fail(u, "%s: no MAC: %d", peer->name, rc);
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	}
	if (type == IB_QPT_RC) {
		attr.max_dest_rd_atomic = 4;
		attr.min_rnr_timer = 12;
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	}
	rc = ib_modify_qp(e->qp, &attr, mask);
	if (rc)
		return ulp_fail(u, "%s: to RTR: %d", e->name, rc);
	if (last == IB_QPS_RTR)
		return 0;

	attr.qp_state = IB_QPS_RTS;
	attr.sq_psn = psn;
	mask = IB_QP_STATE | IB_QP_SQ_PSN;
	if (type == IB_QPT_RC) {
		attr.timeout = 16;
		attr.retry_cnt = 5;
		attr.rnr_retry = rnr_retry;
		attr.max_rd_atomic = 4;
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
	}
	rc = ib_modify_qp(e->qp, &attr, mask);
	if (rc)
		return ulp_fail(u, "%s: to RTS: %d", e->name, rc);
	return 0;
}

int ulp_connect(struct ulp *u, enum ib_qp_type type, u8 rnr_retry)
{
	int rc = ulp_qp(u, &u->a, type) ?: ulp_qp(u, &u->b, type);

	return rc ?: ulp_modify(u, &u->b, &u->a, IB_QPS_RTS, rnr_retry) ?:
	       ulp_modify(u, &u->a, &u->b, IB_QPS_RTS, rnr_retry);
}

/*
 * A queue pair in RESET has nothing that could complete, and cannot get to ERR.  What
 * ib_drain_qp() posts is not for datagrams.  ionic_rdma calls the handlers of CQs in ERR
 * (ionic_notify_flush_cq), which warns for those that are only polled.
 */
static void ulp_drain(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	if (ib_query_qp(qp, &attr, IB_QP_STATE, &init) || attr.qp_state == IB_QPS_RESET ||
	    qp->send_cq->poll_ctx == IB_POLL_DIRECT)
		return;
	if (qp->qp_type != IB_QPT_UD) {
		ib_drain_qp(qp);
		return;
	}
	attr.qp_state = IB_QPS_ERR;
	if (!ib_modify_qp(qp, &attr, IB_QP_STATE))
		msleep(20);
}

static void ulp_destroy_qp(struct ulp_end *e)
{
	if (!e->qp)
		return;
	ulp_drain(e->qp);
	ib_destroy_qp(e->qp);
	e->qp = NULL;
}

void ulp_disconnect(struct ulp *u)
{
	ulp_destroy_qp(&u->a);
	ulp_destroy_qp(&u->b);
}

int ulp_reconnect(struct ulp *u, u8 rnr_retry)
{
	struct ib_qp_attr reset = { .qp_state = IB_QPS_RESET };
	int rc;

	/* all that was posted comes back before the rings start anew */
	ulp_drain(u->a.qp);
	ulp_drain(u->b.qp);
	rc = ib_modify_qp(u->a.qp, &reset, IB_QP_STATE) ?: ib_modify_qp(u->b.qp, &reset, IB_QP_STATE);
	if (rc)
		return ulp_fail(u, "to RESET: %d", rc);
	return ulp_modify(u, &u->b, &u->a, IB_QPS_RTS, rnr_retry) ?:
	       ulp_modify(u, &u->a, &u->b, IB_QPS_RTS, rnr_retry);
}

static u8 ulp_byte(u32 key, size_t pos)
{
	return (key + (u32)pos * 2654435761u) >> 23;
}

void ulp_fill(struct ulp_end *e, size_t off, size_t len, u32 key)
{
	for (size_t i = 0; i < len; i++)
		((u8 *)page_address(e->pages[(off + i) / PAGE_SIZE]))[(off + i) % PAGE_SIZE] = ulp_byte(key, i);
}

bool ulp_holds(struct ulp_end *e, size_t off, size_t len, u32 key, size_t pos)
{
	for (size_t i = 0; i < len; i++)
		if (((u8 *)page_address(e->pages[(off + i) / PAGE_SIZE]))[(off + i) % PAGE_SIZE] !=
		    ulp_byte(key, pos + i))
			return false;
	return true;
}

int ulp_sges(struct ulp_end *e, struct ib_sge *sge, int max, size_t off, size_t len)
{
	int n = 0;

	while (len && n < max) {
		size_t piece = min(len, PAGE_SIZE - off % PAGE_SIZE);

		sge[n].addr = e->dma[off / PAGE_SIZE] + off % PAGE_SIZE;
		sge[n].length = piece;
		sge[n].lkey = e->pd->local_dma_lkey;
		n++;
		off += piece;
		len -= piece;
	}
	return n;
}

int ulp_post(struct ulp *u, struct ulp_end *e, const struct ib_send_wr *wr)
{
	int rc = ib_post_send(e->qp, wr, NULL);

	return rc ? ulp_fail(u, "%s: post %d: %d", e->name, wr->opcode, rc) : 0;
}

int ulp_recv(struct ulp *u, struct ulp_end *e, struct ulp_op *op, struct ib_sge *sge, int n)
{
	struct ib_recv_wr wr = { .wr_cqe = &op->cqe, .sg_list = sge, .num_sge = n };
	int rc;

	ulp_op_init(op);
	rc = ib_post_recv(e->qp, &wr, NULL);
	return rc ? ulp_fail(u, "%s: post a receive: %d", e->name, rc) : 0;
}

void ulp_unmap(struct ulp_end *e)
{
	if (e->nsg)
		ib_dma_unmap_sg(e->dev, e->sg, e->nsg, DMA_BIDIRECTIONAL);
	e->nsg = 0;
}

int ulp_map(struct ulp *u, struct ulp_end *e, size_t off, size_t len, int access, struct ib_reg_wr *wr)
{
	int n = 0, mapped;

	if (!e->mr) {
		e->mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, ULP_PAGES);
		if (IS_ERR(e->mr))
			return ulp_fail(u, "%s: no MR: %ld", e->name, PTR_ERR(e->mr));
	}
	ulp_unmap(e);
	sg_init_table(e->sg, ULP_PAGES);
	while (len) {
		size_t piece = min(len, PAGE_SIZE - off % PAGE_SIZE);

		sg_set_page(&e->sg[n++], e->pages[off / PAGE_SIZE], piece, off % PAGE_SIZE);
		off += piece;
		len -= piece;
	}
	sg_mark_end(&e->sg[n - 1]);
	mapped = ib_dma_map_sg(e->dev, e->sg, n, DMA_BIDIRECTIONAL);
	if (!mapped)
		return ulp_fail(u, "%s: map", e->name);
	e->nsg = n;
	mapped = ib_map_mr_sg(e->mr, e->sg, mapped, NULL, PAGE_SIZE);
	if (mapped < 0)
		return ulp_fail(u, "%s: ib_map_mr_sg: %d", e->name, mapped);
	ib_update_fast_reg_key(e->mr, ib_inc_rkey(e->mr->rkey));
	memset(wr, 0, sizeof(*wr));
	wr->wr.opcode = IB_WR_REG_MR;
	wr->mr = e->mr;
	wr->key = e->mr->rkey;
	wr->access = access;
	return 0;
}

int ulp_invalidate(struct ulp *u, struct ulp_end *e, u32 key, enum ib_wc_status want)
{
	struct ulp_op *op = ulp_op(u);
	struct ib_send_wr wr = {
		.wr_cqe = &op->cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};

		return ulp_post(u, e, &wr) ?: ulp_wait(u, e, op, want, "LOCAL_INV");
}
