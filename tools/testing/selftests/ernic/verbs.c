// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

void er_db(struct er_dev *r, unsigned int page, u8 slot, u32 qid, u8 ring, u16 index)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	et_store(r->d, BAR2, page * ET_PAGE + slot * 8, 8,
		 (u64)qid << 24 | (u64)ring << 16 | index);
}

/* ---- set-up -------------------------------------------------------------------- */

static u8 er_queue(struct er_dev *r, u8 op, u32 qid, u32 cid, u8 depth, u8 stride, u64 addr)
{
	union ion_cmd cmd = { .rdma_queue.opcode = op };

	cmd.rdma_queue.qid_ver = htole32(qid);
	cmd.rdma_queue.cid = htole32(cid);
	cmd.rdma_queue.depth_log2 = depth;
	cmd.rdma_queue.stride_log2 = stride;
	cmd.rdma_queue.dma_addr = htole64(addr);
	return et_adminq(r->d, &cmd);
}

u8 er_reset(struct er_dev *r)
{
	return et_adminq(r->d, &(union ion_cmd){ .opcode = 50 });
}

void er_setup(struct er_dev *r, struct et_dev *d, u8 last)
{
	union ion_cmd cmd = { .lif_identify.opcode = ION_CMD_LIF_IDENTIFY };
	unsigned int i;

	r->d = d;
	memcpy(r->ip, (u8[]){ 10, 77, 0, last }, 4);
	cmd.lif_identify.ver = 1;
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
	et_side_read(d, &r->id, sizeof(r->id));
	if (!(le64toh(r->id.capabilities) & ION_LIF_CAP_RDMA))
		tap_skip("the device has no RDMA");
	if (!r->aq.va) {
		for (i = 0; i < ER_EQS; i++)
			r->eq[i] = et_alloc(d, 4096, 0);
		r->acq.ring = et_alloc(d, ER_CQ_DEPTH * 32, 0);
		r->aq = et_alloc(d, ER_AQ_DEPTH * ION_ADMIN_STRIDE, 0);
		r->template = et_alloc(d, 128, 0);
	}
	CHECK_EQ(er_reset(r), ION_RC_SUCCESS);
	for (i = 0; i < ER_EQS; i++) {
		memset(r->eq[i].va, 0, 4096);
		CHECK_EQ(er_queue(r, ION_CMD_RDMA_CREATE_EQ, i, 3 + i, 10, 2, r->eq[i].iova),
			 ION_RC_SUCCESS);
	}
	r->acq.r = r;
	r->acq.id = 0;
	r->acq.pos = 0;
	r->acq.color = 1;
	r->aq_head = 0;
	memset(r->acq.ring.va, 0, r->acq.ring.len);
	CHECK_EQ(er_queue(r, ION_CMD_RDMA_CREATE_CQ, 0, 0, __builtin_ctz(ER_CQ_DEPTH), ION_CQE_LOG2,
			  r->acq.ring.iova),
		 ION_RC_SUCCESS);
	CHECK_EQ(er_queue(r, ION_CMD_RDMA_CREATE_ADMINQ, 0, 0, __builtin_ctz(ER_AQ_DEPTH),
			  ION_ADMIN_STRIDE_LOG2, r->aq.iova),
		 ION_RC_SUCCESS);
}

/* ---- completions ----------------------------------------------------------------- */

bool er_poll(struct er_cq *cq, struct ion_v1_cqe *cqe, int ms)
{
	struct ion_v1_cqe *slot = (struct ion_v1_cqe *)cq->ring.va + cq->pos;
	u64 end = et_now_ms() + ms;
	u32 word;

	for (;;) {
		word = be32toh(__atomic_load_n(&slot->qid_type_flags, __ATOMIC_ACQUIRE));
		if ((word & ION_CQE_COLOR) == cq->color)
			break;
		if (et_now_ms() > end)
			return false;
		usleep(20);
	}
	*cqe = *slot;
	cq->pos = (cq->pos + 1) % ER_CQ_DEPTH;
	if (!cq->pos)
		cq->color ^= 1;
	er_db(cq->r, 0, cq->r->id.rdma.cq.qtype, cq->id, ION_CQ_RING_CONS, cq->pos);
	return true;
}

u8 er_cqe_type(const struct ion_v1_cqe *cqe)
{
	return be32toh(cqe->qid_type_flags) >> ION_CQE_TYPE_SHIFT & 7;
}

u32 er_status(const struct ion_v1_cqe *cqe)
{
	if (!(be32toh(cqe->qid_type_flags) & ION_CQE_ERROR))
		return 0;
	return be32toh(cqe->status_length);
}

u32 er_send_status(struct er_qp *qp)
{
	struct ion_v1_cqe cqe;

	do {
		if (!er_poll(qp->cq, &cqe, 5000))
			FAIL("QP %u: no completion", qp->id);
	} while (er_cqe_type(&cqe) != ION_CQE_TYPE_SEND_MSN &&
		 er_cqe_type(&cqe) != ION_CQE_TYPE_SEND_NPG);
	return er_status(&cqe);
}

/* ---- admin queue ------------------------------------------------------------------- */

u16 er_admin_post(struct er_dev *r, const void *wqe, unsigned int strides)
{
	u16 index = r->aq_head;
	unsigned int i;

	for (i = 0; i < strides; i++)
		memcpy(r->aq.va + (index + i) % ER_AQ_DEPTH * ION_ADMIN_STRIDE,
		       (const u8 *)wqe + i * ION_ADMIN_STRIDE, ION_ADMIN_STRIDE);
	r->aq_head = (index + strides) % ER_AQ_DEPTH;
	er_db(r, 0, r->id.rdma.aq.qtype, 0, 0, r->aq_head);
	return index;
}

bool er_admin_reap(struct er_dev *r, u16 index, u8 *status, int ms)
{
	struct ion_v1_cqe cqe;

	if (!er_poll(&r->acq, &cqe, ms))
		return false;
	CHECK_EQ(er_cqe_type(&cqe), ION_CQE_TYPE_ADMIN);
	/* anything else is a lost command to the driver */
	CHECK_EQ(be16toh(cqe.admin.cmd_idx), index);
	*status = er_status(&cqe);
	return true;
}

u8 er_admin(struct er_dev *r, const struct ion_admin_wqe *wqe)
{
	unsigned int len = le16toh(wqe->len) + ION_ADMIN_HDR_LEN;
	u8 buf[2 * ION_ADMIN_STRIDE] = { 0 }, status;
	u16 index;

	memcpy(buf, wqe, sizeof(*wqe));
	CHECK(len <= sizeof(*wqe));
	index = er_admin_post(r, buf, (len + ION_ADMIN_STRIDE - 1) / ION_ADMIN_STRIDE);
	/* the driver gives up after two seconds */
	if (!er_admin_reap(r, index, &status, 2000))
		FAIL("RDMA command %u has no end", wqe->op);
	return status;
}

#define WQE(_op, _member)                                                         \
	{                                                                         \
		.op = ION_ADMIN_##_op,                                            \
		.len = htole16(sizeof(((struct ion_admin_wqe *)0)->cmd._member)), \
	}

struct ion_admin_wqe er_destroy_wqe(u8 op, u32 id)
{
	struct ion_admin_wqe wqe = WQE(DESTROY_QP, destroy);

	wqe.op = op;
	wqe.cmd.destroy.id = htole32(id);
	return wqe;
}

u8 er_destroy(struct er_dev *r, u8 op, u32 id)
{
	struct ion_admin_wqe wqe = er_destroy_wqe(op, id);

	return er_admin(r, &wqe);
}

struct ion_admin_wqe er_cq_wqe(const struct er_cq *cq)
{
	struct ion_admin_wqe wqe = WQE(CREATE_CQ, create_cq);

	wqe.cmd.create_cq.eq_id = htole32(2);
	wqe.cmd.create_cq.depth_log2 = __builtin_ctz(ER_CQ_DEPTH);
	wqe.cmd.create_cq.stride_log2 = ION_CQE_LOG2;
	wqe.cmd.create_cq.id_ver = htole32(cq->id);
	wqe.cmd.create_cq.tbl_index = htole32(~0u);
	wqe.cmd.create_cq.map_count = htole32(1);
	wqe.cmd.create_cq.dma_addr = htole64(cq->ring.iova);
	return wqe;
}

u8 er_cq_create(struct er_dev *r, struct er_cq *cq, u32 id)
{
	struct ion_admin_wqe wqe;

	cq->r = r;
	cq->id = id;
	cq->pos = 0;
	cq->color = 1;
	if (!cq->ring.va)
		cq->ring = et_alloc(r->d, ER_CQ_DEPTH * 32, 0);
	memset(cq->ring.va, 0, cq->ring.len);
	wqe = er_cq_wqe(cq);
	return er_admin(r, &wqe);
}

struct ion_admin_wqe er_mr_wqe(u32 key, u64 va, u64 len, u64 dma, u16 flags)
{
	struct ion_admin_wqe wqe = WQE(CREATE_MR, create_mr);

	wqe.cmd.create_mr.va = htole64(va);
	wqe.cmd.create_mr.length = htole64(len);
	wqe.cmd.create_mr.pd_id = htole32(ER_PD);
	wqe.cmd.create_mr.id_ver = htole32(key);
	wqe.cmd.create_mr.tbl_index = htole32(~0u);
	wqe.cmd.create_mr.map_count = htole32(1);
	wqe.cmd.create_mr.dma_addr = htole64(dma);
	wqe.cmd.create_mr.dbid_flags = htole16(flags);
	wqe.cmd.create_mr.page_size_log2 = 12;
	return wqe;
}

u8 er_mr(struct er_dev *r, u32 key, struct et_mem m, u16 flags)
{
	struct ion_admin_wqe wqe = er_mr_wqe(key, m.iova, m.len, m.iova, flags);

	return er_admin(r, &wqe);
}

struct ion_admin_wqe er_qp_wqe(const struct er_qp *qp)
{
	struct ion_admin_wqe wqe = WQE(CREATE_QP, create_qp);
	struct ion_admin_create_qp *c = &wqe.cmd.create_qp;

	c->pd_id = htole32(ER_PD);
	c->priv_flags = htobe32(qp->flags);
	c->sq_cq_id = htole32(qp->cq->id);
	c->rq_cq_id = htole32(qp->cq->id);
	c->sq_depth_log2 = __builtin_ctz(ER_RING);
	c->rq_depth_log2 = __builtin_ctz(ER_RING);
	c->sq_stride_log2 = 9;
	c->rq_stride_log2 = 9;
	c->sq_tbl_index_xrcd_id = htole32(~0u);
	c->rq_tbl_index_srq_id = htole32(~0u);
	c->sq_map_count = htole32(1);
	c->rq_map_count = htole32(1);
	c->sq_dma_addr = htole64(qp->sq.iova);
	c->rq_dma_addr = htole64(qp->rq.iova);
	c->id_ver = htole32(qp->id);
	c->type_state = qp->type;
	return wqe;
}

u8 er_qp_create(struct er_dev *r, struct er_qp *qp, struct er_cq *cq, u32 id, u8 type, u32 flags)
{
	struct ion_admin_wqe wqe;

	qp->r = r;
	qp->cq = cq;
	qp->id = id;
	qp->type = type;
	qp->flags = flags;
	qp->sq_head = 0;
	qp->rq_head = 0;
	if (!qp->sq.va) {
		qp->sq = et_alloc(r->d, ER_RING * ER_STRIDE, 0);
		qp->rq = et_alloc(r->d, ER_RING * ER_STRIDE, 0);
	}
	wqe = er_qp_wqe(qp);
	return er_admin(r, &wqe);
}

/* ---- states ---------------------------------------------------------------------- */

/* ionic_controlpath.c:ionic_build_hdr, IPv4 */
unsigned int er_template(struct er_dev *r, const struct er_dev *to)
{
	u8 *t = r->template.va;

	memset(t, 0, 42);
	memcpy(t, to->d->mac, 6);
	memcpy(t + 6, r->d->mac, 6);
	t[12] = 0x08;
	t[14] = 0x45;
	t[16] = 0xff;
	t[17] = 0xff;
	t[20] = 0x40;
	t[22] = 64;
	t[23] = 17;
	memcpy(t + 26, r->ip, 4);
	memcpy(t + 30, to->ip, 4);
	t[34] = 0xc0;
	t[36] = ION_ROCE_UDP_DPORT >> 8;
	t[37] = ION_ROCE_UDP_DPORT & 0xff;
	t[39] = 8;
	return 42;
}

struct ion_admin_wqe er_modify_wqe(const struct er_qp *qp, u8 state, u32 mask)
{
	struct ion_admin_wqe wqe = WQE(MODIFY_QP, mod_qp);
	struct ion_admin_mod_qp *m = &wqe.cmd.mod_qp;

	m->attr_mask = htobe32(mask | ION_QP_STATE);
	m->access_flags = htobe16(7 | (qp->flags & 0xffff));
	m->pmtu = 12;
	m->retry = 2 | 2 << 4;
	m->rnr_timer = 5;
	m->retry_timeout = 12;
	m->rsq_depth = 2;
	m->rrq_depth = 2;
	m->type_state = state;
	m->id_ver = htole32(qp->id);
	return wqe;
}

u8 er_to(struct er_qp *qp, u8 state)
{
	struct ion_admin_wqe wqe = er_modify_wqe(qp, state, 0);

	if (state == ION_QPS_RESET) {
		qp->sq_head = 0;
		qp->rq_head = 0;
	}
	return er_admin(qp->r, &wqe);
}

static void er_up(struct er_qp *qp, const struct er_qp *peer)
{
	struct ion_admin_wqe wqe;
	unsigned int len;

	CHECK_EQ(er_to(qp, ION_QPS_RESET), ION_ASTS_OK);
	wqe = er_modify_wqe(qp, ION_QPS_INIT,
			    ION_QP_ACCESS_FLAGS | ION_QP_PORT | ION_QP_PKEY_INDEX);
	CHECK_EQ(er_admin(qp->r, &wqe), ION_ASTS_OK);
	wqe = er_modify_wqe(qp, ION_QPS_RTR,
			    ION_QP_AV | ION_QP_PATH_MTU | ION_QP_DEST_QPN | ION_QP_RQ_PSN |
				    (qp->type ? 0 :
						ION_QP_MAX_DEST_RD_ATOMIC | ION_QP_MIN_RNR_TIMER));
	len = er_template(qp->r, peer->r);
	wqe.cmd.mod_qp.qkey_dest_qpn = htole32(peer->id);
	wqe.cmd.mod_qp.ah_id_len = htole32(len << 24 | qp->id);
	wqe.cmd.mod_qp.dma_addr = htole64(qp->r->template.iova);
	CHECK_EQ(er_admin(qp->r, &wqe), ION_ASTS_OK);
	wqe = er_modify_wqe(qp, ION_QPS_RTS,
			    ION_QP_SQ_PSN | (qp->type ? 0 :
							ION_QP_TIMEOUT | ION_QP_RETRY_CNT |
								ION_QP_RNR_RETRY |
								ION_QP_MAX_QP_RD_ATOMIC));
	CHECK_EQ(er_admin(qp->r, &wqe), ION_ASTS_OK);
}

void er_connect(struct er_qp *a, struct er_qp *b)
{
	struct ion_v1_cqe cqe;

	er_up(b, a);
	er_up(a, b);
	/* of the life before; nothing comes after the command */
	while (er_poll(a->cq, &cqe, 0) || er_poll(b->cq, &cqe, 0))
		;
}

/* ---- work requests ----------------------------------------------------------------- */

struct ion_v1_wqe *er_sq_slot(struct er_qp *qp)
{
	struct ion_v1_wqe *wqe = (void *)(qp->sq.va + qp->sq_head * ER_STRIDE);

	memset(wqe, 0, ER_STRIDE);
	wqe->base.wqe_id = qp->sq_head;
	qp->sq_head = (qp->sq_head + 1) % ER_RING;
	return wqe;
}

struct ion_v1_wqe *er_rq_slot(struct er_qp *qp)
{
	struct ion_v1_wqe *wqe = (void *)(qp->rq.va + qp->rq_head * ER_STRIDE);

	memset(wqe, 0, ER_STRIDE);
	wqe->base.wqe_id = qp->rq_head;
	qp->rq_head = (qp->rq_head + 1) % ER_RING;
	return wqe;
}

void er_ring_sq(struct er_qp *qp)
{
	er_db(qp->r, 0, qp->r->id.rdma.sq.qtype, qp->id, 0, qp->sq_head);
}

void er_ring_rq(struct er_qp *qp)
{
	er_db(qp->r, 0, qp->r->id.rdma.rq.qtype, qp->id, 0, qp->rq_head);
}

void er_post(struct er_qp *qp, u8 op, u64 va, u32 len, u32 lkey, u64 remote, u32 rkey)
{
	struct ion_v1_wqe *wqe = er_sq_slot(qp);

	wqe->base.op = op;
	wqe->base.num_sge_key = 1;
	wqe->base.flags = htobe16(ION_V1_FLAG_SIG);
	wqe->common.rdma.remote_va_high = htobe32(remote >> 32);
	wqe->common.rdma.remote_va_low = htobe32(remote);
	wqe->common.rdma.remote_rkey = htobe32(rkey);
	wqe->common.length = htobe32(len);
	wqe->common.pld.sgl[0].va = htobe64(va);
	wqe->common.pld.sgl[0].len = htobe32(len);
	wqe->common.pld.sgl[0].lkey = htobe32(lkey);
}

void er_post_recv(struct er_qp *qp, u64 va, u32 len, u32 lkey)
{
	struct ion_v1_wqe *wqe = er_rq_slot(qp);

	wqe->base.num_sge_key = 1;
	wqe->base.imm_data_key = htobe32(len);
	wqe->recv.pld.sgl[0].va = htobe64(va);
	wqe->recv.pld.sgl[0].len = htobe32(len);
	wqe->recv.pld.sgl[0].lkey = htobe32(lkey);
}
