// SPDX-License-Identifier: GPL-2.0-only
/*
 * A case: both arenas get a background, what is to be sent a pattern.  Next to each
 * there is an image of what it has to be in the end; nothing else may have changed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verify.h"

#define QKEY 0x11e41c01
#define SLACK 4096

static bool atomic(enum op op)
{
	return op == OP_CMP_SWAP || op == OP_FETCH_ADD;
}

void image_background(struct end *e, uint64_t used, uint64_t key)
{
	if (used + SLACK > e->size)
		abort();
	pattern_fill(e->image, key, 0, used + SLACK);
	memcpy(e->arena, e->image, used + SLACK);
}

/* Puts data into the arena as well as into the image. */
static void both(struct end *e, uint64_t off, uint64_t key, uint64_t pos, uint64_t len)
{
	pattern_fill(e->image + off, key, pos, len);
	memcpy(e->arena + off, e->image + off, len);
}

static void scatter_image(struct end *e, const struct seg *segs, int n, uint64_t key, uint64_t len)
{
	uint64_t pos = 0;

	for (int i = 0; i < n && pos < len; i++) {
		uint64_t piece = segs[i].len < len - pos ? segs[i].len : len - pos;

		pattern_fill(e->image + segs[i].off, key, pos, piece);
		pos += piece;
	}
}

static uint32_t crc_segs(struct end *e, const struct seg *segs, int n, uint64_t skip, uint64_t len)
{
	uint32_t crc = 0;

	for (int i = 0; i < n && len; i++) {
		uint64_t piece = segs[i].len, from = segs[i].off;

		if (skip >= piece) {
			skip -= piece;
			continue;
		}
		piece -= skip;
		from += skip;
		skip = 0;
		if (piece > len)
			piece = len;
		crc = crc32c(crc, e->arena + from, piece);
		len -= piece;
	}
	return crc;
}

int image_check(struct end *e, uint64_t used)
{
	uint64_t n = used + SLACK, i, j;

	if (!memcmp(e->arena, e->image, n))
		return 0;
	for (i = 0; e->arena[i] == e->image[i]; i++)
		;
	for (j = n - 1; e->arena[j] == e->image[j]; j--)
		;
	fail("%s: memory differs from %#llx to %#llx: %02x, want %02x; CRC %08x, want %08x",
	     e->name, (unsigned long long)i, (unsigned long long)j, e->arena[i], e->image[i],
	     crc32c(0, e->arena + i, j - i + 1), crc32c(0, e->image + i, j - i + 1));
	return -1;
}

static int sges(struct end *e, struct ibv_sge *out, const struct seg *segs, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (struct ibv_sge){ (uintptr_t)e->arena + segs[i].off, segs[i].len,
					   e->mr->lkey };
	return n;
}

static int expect(struct end *e, struct ibv_wc *wc, struct ibv_cq *cq, bool events, uint64_t id,
		  const char *what)
{
	if (end_poll(e, cq, wc, events, opt.timeout * 1000)) {
		fail("%s: no completion of %s %llu in %d s", e->name, what, (unsigned long long)id,
		     opt.timeout);
		return -1;
	}
	if (wc->status != IBV_WC_SUCCESS) {
		fail("%s: %s %llu: %s (vendor %#x)", e->name, what, (unsigned long long)wc->wr_id,
		     ibv_wc_status_str(wc->status), wc->vendor_err);
		return -1;
	}
	if (wc->wr_id != id) {
		fail("%s: %s %llu completes, want %llu", e->name, what,
		     (unsigned long long)wc->wr_id, (unsigned long long)id);
		return -1;
	}
	return 0;
}

static int bind_window(struct end *e, struct pair *p, enum window w, uint64_t off, uint64_t len)
{
	struct ibv_mw_bind_info info = {
		.mr = e->mr,
		.addr = (uintptr_t)e->arena + off,
		.length = len,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_wc wc;

	if (w == WINDOW_TYPE1) {
		struct ibv_mw_bind b = { .wr_id = 901,
					 .send_flags = IBV_SEND_SIGNALED,
					 .bind_info = info };

		if (ibv_bind_mw(p->qp, p->mw[w], &b)) {
			fail("%s: ibv_bind_mw: %s", e->name, strerror(errno));
			return -1;
		}
		return expect(e, &wc, e->scq, false, 901, "bind");
	}
	struct ibv_send_wr wr = {
		.wr_id = 902,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw.mw = p->mw[w],
		.bind_mw.rkey = ibv_inc_rkey(p->mw[w]->rkey),
		.bind_mw.bind_info = info,
	}, *bad;

	if (failed(ibv_post_send(p->qp, &wr, &bad))) {
		fail("%s: post a bind: %s", e->name, strerror(errno));
		return -1;
	}
	if (expect(e, &wc, e->scq, false, 902, "bind"))
		return -1;
	p->mw[w]->rkey = wr.bind_mw.rkey;
	p->bound2 = true;
	return 0;
}

static int unbind2(struct end *e, struct pair *p)
{
	struct ibv_send_wr wr = {
		.wr_id = 903,
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = p->mw[WINDOW_TYPE2]->rkey,
	}, *bad;
	struct ibv_wc wc;

	p->bound2 = false;
	if (failed(ibv_post_send(p->qp, &wr, &bad))) {
		fail("%s: post an invalidation: %s", e->name, strerror(errno));
		return -1;
	}
	return expect(e, &wc, e->scq, false, 903, "local invalidation");
}

int b_prepare(struct end *e, const struct test_case *c, struct outcome *o)
{
	struct pair *p = &e->pairs[c->type][c->qp];
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_sge sge[MAX_SGE];

	memset(o, 0, sizeof(*o));
	image_background(e, c->used[1], mix(c->number ^ 0xb0b));
	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];
		uint64_t key = data_key(c, i);

		if (q->op == OP_READ) {
			both(e, q->remote, key, 0, q->len);
			o->crc[i] = crc32c(0, e->arena + q->remote, q->len);
		}
		if (atomic(q->op)) {
			memcpy(e->image + q->remote, &q->initial, 8);
			memcpy(e->arena + q->remote, &q->initial, 8);
		}
		if (q->window) {
			uint64_t len = q->len ? q->len : 1;

			/* a window that only gets invalidated lies where nothing else is */
			if (bind_window(e, p, q->window, q->op == OP_SEND_INV ? 0 : q->remote, len))
				return -1;
			o->rkey[q->window] = p->mw[q->window]->rkey;
		}
		if (!takes_receive(q->op))
			continue;
		wr.wr_id = i;
		wr.sg_list = sge;
		wr.num_sge = sges(e, sge, q->recv, q->nrecv);
		if (failed(ibv_post_recv(p->qp, &wr, &bad))) {
			fail("%s: post receive %d: %s", e->name, i, strerror(errno));
			return -1;
		}
	}
	return 0;
}

static void make_wr(struct end *e, const struct test_case *c, int i, const struct outcome *o,
		    struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[OP_SEND] = IBV_WR_SEND,
		[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	const struct request *q = &c->req[i];

	*wr = (struct ibv_send_wr){
		.wr_id = i,
		.opcode = opcodes[q->op],
		.sg_list = sge,
		.num_sge = sges(e, sge, q->local, q->nlocal),
		.send_flags = (q->inlined ? IBV_SEND_INLINE : 0) |
			      (q->signalled ? IBV_SEND_SIGNALED : 0) |
			      (q->solicited ? IBV_SEND_SOLICITED : 0) |
			      (q->fence ? IBV_SEND_FENCE : 0),
	};
	if (q->op == OP_SEND_INV)
		wr->invalidate_rkey = o->rkey[WINDOW_TYPE2];
	else
		wr->imm_data = htonl(q->imm);
	if (atomic(q->op)) {
		wr->wr.atomic.remote_addr = e->peer.addr + q->remote;
		wr->wr.atomic.rkey = e->peer.rkey;
		wr->wr.atomic.compare_add = q->op == OP_CMP_SWAP ? q->compare : q->swap;
		wr->wr.atomic.swap = q->swap;
	} else if (c->type == TYPE_UD) {
		wr->wr.ud.ah = e->ah;
		wr->wr.ud.remote_qpn = e->peer.qpn[TYPE_UD][c->qp];
		wr->wr.ud.remote_qkey = QKEY;
	} else {
		wr->wr.rdma.remote_addr = e->peer.addr + q->remote;
		wr->wr.rdma.rkey = q->window ? o->rkey[q->window] : e->peer.rkey;
	}
}

static const enum ibv_wc_opcode wc_ops[] = {
	[OP_SEND] = IBV_WC_SEND,
	[OP_SEND_IMM] = IBV_WC_SEND,
	[OP_SEND_INV] = IBV_WC_SEND,
	[OP_WRITE] = IBV_WC_RDMA_WRITE,
	[OP_WRITE_IMM] = IBV_WC_RDMA_WRITE,
	[OP_READ] = IBV_WC_RDMA_READ,
	[OP_CMP_SWAP] = IBV_WC_COMP_SWAP,
	[OP_FETCH_ADD] = IBV_WC_FETCH_ADD,
};

static int a_prepare(struct end *e, const struct test_case *c, struct outcome *o)
{
	image_background(e, c->used[0], mix(c->number ^ 0xa11ce));
	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];
		uint64_t pos = 0;

		if (atomic(q->op)) {
			memcpy(e->image + q->local[0].off, &q->initial, 8);
			continue;
		}
		if (q->op == OP_READ) {
			scatter_image(e, q->local, q->nlocal, data_key(c, i), q->len);
			continue;
		}
		for (int k = 0; k < q->nlocal; k++) {
			both(e, q->local[k].off, data_key(c, i), pos, q->local[k].len);
			pos += q->local[k].len;
		}
		o->crc[i] = crc_segs(e, q->local, q->nlocal, 0, q->len);
	}
	return 0;
}

int a_run(struct end *e, const struct test_case *c, struct outcome *o)
{
	struct pair *p = &e->pairs[c->type][c->qp];
	struct ibv_send_wr wr[MAX_WRS], *bad;
	struct ibv_sge sge[MAX_WRS][MAX_SGE];
	struct ibv_wc wc;

	a_prepare(e, c, o);
	for (int i = 0; i < c->n; i++) {
		make_wr(e, c, i, o, &wr[i], sge[i]);
		if (c->chained && i)
			wr[i - 1].next = &wr[i];
	}
	for (int i = 0; i < (c->chained ? 1 : c->n); i++) {
		if (failed(ibv_post_send(p->qp, &wr[i], &bad))) {
			fail("%s: post request %d: %s", e->name, (int)(bad - wr), strerror(errno));
			return -1;
		}
	}
	/* Inline data is the provider's own by now. */
	for (int i = 0; i < c->n; i++)
		for (int k = 0; c->req[i].inlined && k < c->req[i].nlocal; k++)
			both(e, c->req[i].local[k].off, ~data_key(c, i), 0, c->req[i].local[k].len);

	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];

		if (!q->signalled)
			continue;
		if (expect(e, &wc, e->scq, c->events, i, "request"))
			return -1;
		if (wc.opcode != wc_ops[q->op] || wc.qp_num != p->qp->qp_num) {
			fail("%s: request %d completes as opcode %d of QP %u, want %d of %u",
			     e->name, i, wc.opcode, wc.qp_num, wc_ops[q->op], p->qp->qp_num);
			return -1;
		}
		/*
		 * libionic 65 does not set it for atomics (ionic_v1_prep_atomic): 0, or
		 * that of the request which had the slot before
		 */
		if (q->op == OP_READ && wc.byte_len != q->len) {
			fail("%s: request %d completes with %u bytes, want %u", e->name, i,
			     wc.byte_len, q->len);
			return -1;
		}
	}
	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];
		uint32_t crc = crc_segs(e, q->local, q->nlocal, 0, q->len);

		if (q->op == OP_READ && crc != o->crc[i]) {
			fail("%s: request %d read data of CRC %08x, the responder's has %08x",
			     e->name, i, crc, o->crc[i]);
			return -1;
		}
	}
	if (ibv_poll_cq(e->scq, 1, &wc) > 0) {
		fail("%s: one completion too many, of request %llu", e->name,
		     (unsigned long long)wc.wr_id);
		return -1;
	}
	return image_check(e, c->used[0]);
}

static bool v4_mapped(const union ibv_gid *g)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(g->raw, prefix, 12);
}

/*
 * InfiniBand Architecture Specification, annex A17: an IPv4 header is in the second
 * half of the GRH's 40 bytes.  The kernel tells the two apart by the version and the
 * header's checksum (ib_get_rdma_header_version).
 */
static int check_grh(struct end *e, const uint8_t *grh)
{
	if (v4_mapped(&e->gid)) {
		const uint8_t *ip = grh + 20;
		uint32_t sum = 0;

		for (int i = 0; i < 20; i += 2)
			sum += ip[i] << 8 | ip[i + 1];
		sum = (sum & 0xffff) + (sum >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		if (ip[0] != 0x45 || (sum != 0xffff && !opt.rxe) ||
		    memcmp(ip + 12, e->peer.gid.raw + 12, 4) ||
		    memcmp(ip + 16, e->gid.raw + 12, 4)) {
			fail("%s: not the IPv4 header of the sender: version %02x, checksum %04x",
			     e->name, ip[0], sum);
			return -1;
		}
		return 0;
	}
	if (grh[0] >> 4 != 6 || memcmp(grh + 8, e->peer.gid.raw, 16) ||
	    memcmp(grh + 24, e->gid.raw, 16)) {
		fail("%s: not the GRH of the sender", e->name);
		return -1;
	}
	return 0;
}

/* The 40 bytes may lie in several pieces: takes them out of the comparison. */
static int take_grh(struct end *e, const struct request *q)
{
	uint8_t grh[GRH_BYTES] = {};
	unsigned int n = 0;

	for (int i = 0; i < q->nrecv && n < GRH_BYTES; i++) {
		uint64_t piece = q->recv[i].len < GRH_BYTES - n ? q->recv[i].len : GRH_BYTES - n;

		memcpy(grh + n, e->arena + q->recv[i].off, piece);
		memcpy(e->image + q->recv[i].off, grh + n, piece);
		n += piece;
	}
	return check_grh(e, grh);
}

static void receive_image(struct end *e, const struct test_case *c, int i)
{
	const struct request *q = &c->req[i];
	uint64_t skip = c->type == TYPE_UD ? GRH_BYTES : 0, pos = 0;

	for (int k = 0; k < q->nrecv && pos < q->len; k++) {
		uint64_t off = q->recv[k].off, piece = q->recv[k].len;

		if (skip >= piece) {
			skip -= piece;
			continue;
		}
		off += skip;
		piece -= skip;
		skip = 0;
		if (piece > q->len - pos)
			piece = q->len - pos;
		pattern_fill(e->image + off, data_key(c, i), pos, piece);
		pos += piece;
	}
}

static int check_receive(struct end *e, const struct test_case *c, int i, const struct ibv_wc *wc,
			 const struct outcome *o)
{
	const struct request *q = &c->req[i];
	uint32_t grh = c->type == TYPE_UD ? GRH_BYTES : 0;
	enum ibv_wc_opcode op = q->op == OP_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	bool imm = q->op == OP_SEND_IMM || q->op == OP_WRITE_IMM;

	if (wc->opcode != op || wc->byte_len != q->len + grh ||
	    wc->qp_num != e->pairs[c->type][c->qp].qp->qp_num) {
		fail("%s: receive %d: opcode %d, %u bytes, QP %u, want %d, %u, %u", e->name, i,
		     wc->opcode, wc->byte_len, wc->qp_num, op, q->len + grh,
		     e->pairs[c->type][c->qp].qp->qp_num);
		return -1;
	}
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != imm || (imm && wc->imm_data != htonl(q->imm))) {
		fail("%s: receive %d: immediate data %08x (flags %#x), want %08x", e->name, i,
		     ntohl(wc->imm_data), wc->wc_flags, q->imm);
		return -1;
	}
	if (q->op == OP_SEND_INV &&
	    (!(wc->wc_flags & (opt.rxe ? IBV_WC_IP_CSUM_OK : IBV_WC_WITH_INV)) ||
	     wc->invalidated_rkey != o->rkey[WINDOW_TYPE2])) {
		fail("%s: receive %d: invalidated %#x (flags %#x), want %#x", e->name, i,
		     wc->invalidated_rkey, wc->wc_flags, o->rkey[WINDOW_TYPE2]);
		return -1;
	}
	if (c->type == TYPE_UD) {
		if (!(wc->wc_flags & IBV_WC_GRH) || wc->src_qp != e->peer.qpn[TYPE_UD][c->qp]) {
			fail("%s: receive %d: from QP %u (flags %#x), want %u with GRH", e->name, i,
			     wc->src_qp, wc->wc_flags, e->peer.qpn[TYPE_UD][c->qp]);
			return -1;
		}
		if (take_grh(e, q))
			return -1;
	}
	if (q->op != OP_WRITE_IMM && crc_segs(e, q->recv, q->nrecv, grh, q->len) != o->crc[i]) {
		fail("%s: receive %d: CRC %08x, the requester's is %08x", e->name, i,
		     crc_segs(e, q->recv, q->nrecv, grh, q->len), o->crc[i]);
		return -1;
	}
	return 0;
}

int b_finish(struct end *e, const struct test_case *c, const struct outcome *o)
{
	struct pair *p = &e->pairs[c->type][c->qp];
	struct ibv_wc wc;

	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];

		if (takes_receive(q->op)) {
			if (expect(e, &wc, e->rcq, c->events, i, "receive"))
				return -1;
			if (q->op != OP_WRITE_IMM)
				receive_image(e, c, i);
			if (check_receive(e, c, i, &wc, o))
				return -1;
			if (q->op == OP_SEND_INV)
				p->bound2 = false;
		}
		if (q->op == OP_WRITE || q->op == OP_WRITE_IMM)
			pattern_fill(e->image + q->remote, data_key(c, i), 0, q->len);
		if (q->op == OP_FETCH_ADD || (q->op == OP_CMP_SWAP && q->initial == q->compare)) {
			uint64_t v = q->op == OP_FETCH_ADD ? q->initial + q->swap : q->swap;

			memcpy(e->image + q->remote, &v, 8);
		}
	}
	if (c->type == TYPE_UC)
		for (int ms = 0; ms < 2000 && memcmp(e->arena, e->image, c->used[1]); ms++) {
			/* nothing tells when a WRITE of UC has arrived */
			struct timespec ts = { .tv_nsec = 1000000 };

			nanosleep(&ts, NULL);
		}
	if (ibv_poll_cq(e->rcq, 1, &wc) > 0) {
		fail("%s: one receive too many, %llu", e->name, (unsigned long long)wc.wr_id);
		return -1;
	}
	if (p->bound2 && unbind2(e, p))
		return -1;
	if (opt.spoil && c->number + 1 == opt.spoil)
		e->arena[c->used[1] / 2] ^= 1;
	return image_check(e, c->used[1]);
}
