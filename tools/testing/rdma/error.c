// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that must fail: with which status at which end, and that they change no
 * memory.  Statuses after the InfiniBand Architecture Specification, 9.9 and 10.10.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "verify.h"

#define QKEY 0x11e41c01
#define BIT(n) (1u << (n))
#define LEN 256
#define USED 8192
#define RECV_OFF 4096

enum key { KEY_ALL, KEY_BAD, KEY_LOCAL, KEY_READ, KEY_WRITE, KEY_FOREIGN };
enum receive { RECV_NONE, RECV_GOOD, RECV_SHORT, RECV_BAD_KEY };

struct error {
	const char *name;
	enum type type;
	enum op op;
	enum key rkey, lkey;
	int64_t remote; /* negative: from the end of the arena */
	enum receive receive;
	uint32_t qkey;
	bool dead; /* the responder's queue pair is in RESET */
	uint32_t a, b; /* bits of the statuses that may be; none for b: no receive completes well */
	bool dropped; /* success at the requester, nothing at the responder */
};

#define ACCESS BIT(IBV_WC_REM_ACCESS_ERR)

static const struct error errors[] = {
	{ "write with a wrong key", TYPE_RC, OP_WRITE, .rkey = KEY_BAD, .a = ACCESS },
	{ "read with a wrong key", TYPE_RC, OP_READ, .rkey = KEY_BAD, .a = ACCESS },
	{ "write beyond the region", TYPE_RC, OP_WRITE, .remote = -LEN + 1, .a = ACCESS },
	{ "read beyond the region", TYPE_RC, OP_READ, .remote = -1, .a = ACCESS },
	{ "write without permission", TYPE_RC, OP_WRITE, .rkey = KEY_READ, .a = ACCESS },
	{ "write to a region for local use", TYPE_RC, OP_WRITE, .rkey = KEY_LOCAL, .a = ACCESS },
	{ "read without permission", TYPE_RC, OP_READ, .rkey = KEY_WRITE, .a = ACCESS },
	{ "atomic without permission", TYPE_RC, OP_CMP_SWAP, .rkey = KEY_WRITE, .a = ACCESS },
	{ "atomic across a boundary", TYPE_RC, OP_FETCH_ADD, .remote = 4,
	  .a = BIT(IBV_WC_REM_INV_REQ_ERR) },
	{ "write to a region of another PD", TYPE_RC, OP_WRITE, .rkey = KEY_FOREIGN, .a = ACCESS },
	{ "write with immediate and a wrong key", TYPE_RC, OP_WRITE_IMM, .rkey = KEY_BAD,
	  .receive = RECV_GOOD, .a = ACCESS },
	{ "send from a region that is not there", TYPE_RC, OP_SEND, .lkey = KEY_BAD,
	  .receive = RECV_GOOD, .a = BIT(IBV_WC_LOC_PROT_ERR) },
	{ "send from a region of another PD", TYPE_RC, OP_SEND, .lkey = KEY_FOREIGN,
	  .receive = RECV_GOOD, .a = BIT(IBV_WC_LOC_PROT_ERR) },
	{ "read into a region that is read-only", TYPE_RC, OP_READ, .lkey = KEY_LOCAL,
	  .a = BIT(IBV_WC_LOC_PROT_ERR) | BIT(IBV_WC_LOC_ACCESS_ERR) },
	{ "send to a receive that is too short", TYPE_RC, OP_SEND, .receive = RECV_SHORT,
	  .a = BIT(IBV_WC_REM_INV_REQ_ERR), .b = BIT(IBV_WC_LOC_LEN_ERR) },
	{ "send to a receive of a wrong key", TYPE_RC, OP_SEND, .receive = RECV_BAD_KEY,
	  .a = BIT(IBV_WC_REM_OP_ERR), .b = BIT(IBV_WC_LOC_PROT_ERR) | BIT(IBV_WC_LOC_QP_OP_ERR) },
	{ "send without a receive", TYPE_RC, OP_SEND, .a = BIT(IBV_WC_RNR_RETRY_EXC_ERR) },
	{ "send to a dead queue pair", TYPE_RC, OP_SEND, .dead = true,
	  .a = BIT(IBV_WC_RETRY_EXC_ERR) },
	{ "datagram with a wrong Q_Key", TYPE_UD, OP_SEND, .receive = RECV_GOOD, .qkey = 1,
	  .dropped = true },
	{ "datagram for a receive that is too short", TYPE_UD, OP_SEND, .receive = RECV_SHORT,
	  .dropped = true },
	{ "datagram from a region that is not there", TYPE_UD, OP_SEND, .lkey = KEY_BAD,
	  .receive = RECV_GOOD, .a = BIT(IBV_WC_LOC_PROT_ERR) | BIT(IBV_WC_LOC_QP_OP_ERR) },
};

int errors_count(void)
{
	return sizeof(errors) / sizeof(*errors);
}

const char *error_name(int i)
{
	return errors[i].name;
}

bool error_applies(int i, const struct hello *peer)
{
	if (!(opt.types & BIT(errors[i].type)) || !(opt.ops & BIT(errors[i].op)))
		return false;
	if (opt.rxe && errors[i].remote == 4) /* its library refuses to post it */
		return false;
	return peer->atomics || (errors[i].op != OP_CMP_SWAP && errors[i].op != OP_FETCH_ADD);
}

static uint32_t lkey_of(struct end *e, enum key k)
{
	switch (k) {
	case KEY_BAD:
		return e->mr->lkey ^ 0x3c;
	case KEY_LOCAL:
		return e->mr_local->lkey;
	case KEY_FOREIGN:
		return e->mr_foreign->lkey;
	default:
		return e->mr->lkey;
	}
}

static uint32_t rkey_of(const struct hello *p, enum key k)
{
	switch (k) {
	case KEY_BAD:
		return p->rkey ^ 0x3c;
	case KEY_LOCAL:
		return p->rkey_local;
	case KEY_READ:
		return p->rkey_read;
	case KEY_WRITE:
		return p->rkey_write;
	case KEY_FOREIGN:
		return p->rkey_foreign;
	default:
		return p->rkey;
	}
}

int error_b_prepare(struct end *e, int i)
{
	const struct error *x = &errors[i];
	struct ibv_qp *qp = e->pairs[x->type][0].qp;
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	uint32_t grh = x->type == TYPE_UD ? GRH_BYTES : 0;
	struct ibv_sge sge = {
		(uintptr_t)e->arena + RECV_OFF,
		(x->receive == RECV_SHORT ? LEN - 1 : LEN) + grh,
		x->receive == RECV_BAD_KEY ? lkey_of(e, KEY_BAD) : e->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	image_background(e, USED, mix(i ^ 0xe44b));
	if (x->dead)
		return ibv_modify_qp(qp, &reset, IBV_QP_STATE);
	if (x->receive && failed(ibv_post_recv(qp, &wr, &bad))) {
		fail("%s: post a receive: %s", e->name, strerror(errno));
		return -1;
	}
	return 0;
}

/* rxe flushes what it could not send, and takes a short receive for a broken one. */
static enum ibv_wc_status as_others(const struct error *x, enum ibv_wc_status s)
{
	if (!opt.rxe)
		return s;
	if (x->lkey && s == IBV_WC_WR_FLUSH_ERR)
		return IBV_WC_LOC_PROT_ERR;
	if (x->receive == RECV_SHORT && s == IBV_WC_REM_OP_ERR)
		return IBV_WC_REM_INV_REQ_ERR;
	if (x->receive == RECV_SHORT && s == IBV_WC_LOC_QP_OP_ERR)
		return IBV_WC_LOC_LEN_ERR;
	return s;
}

int error_a_run(struct end *e, int i)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[OP_SEND] = IBV_WR_SEND,
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	const struct error *x = &errors[i];
	struct ibv_qp *qp = e->pairs[x->type][0].qp;
	bool atomic = x->op == OP_CMP_SWAP || x->op == OP_FETCH_ADD;
	uint64_t remote = e->peer.addr + x->remote + (x->remote < 0 ? e->size : 0);
	struct ibv_sge sge = { (uintptr_t)e->arena, atomic ? 8 : LEN, lkey_of(e, x->lkey) };
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcodes[x->op],
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	struct ibv_wc wc;

	image_background(e, USED, mix(i ^ 0xe44a));
	if (x->type == TYPE_UD) {
		wr.wr.ud.ah = e->ah;
		wr.wr.ud.remote_qpn = e->peer.qpn[TYPE_UD][0];
		wr.wr.ud.remote_qkey = x->qkey ? x->qkey : QKEY;
	} else if (atomic) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey_of(&e->peer, x->rkey);
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey_of(&e->peer, x->rkey);
	}
	if (failed(ibv_post_send(qp, &wr, &bad))) {
		fail("%s: post: %s", e->name, strerror(errno));
		return -1;
	}
	if (end_poll(e, e->scq, &wc, false, opt.timeout * 1000)) {
		fail("%s: no completion", e->name);
		return -1;
	}
	wc.status = as_others(x, wc.status);
	if (wc.wr_id != 1 ||
	    (x->dropped ? wc.status != IBV_WC_SUCCESS : !(x->a & BIT(wc.status)))) {
		fail("%s: request %llu: %s", e->name, (unsigned long long)wc.wr_id,
		     ibv_wc_status_str(wc.status));
		return -1;
	}
	if (!x->dropped && x->type == TYPE_RC) {
		/* and no more of this queue pair */
		wr.wr_id = 2;
		wr.opcode = IBV_WR_SEND;
		sge.lkey = e->mr->lkey;
		if (failed(ibv_post_send(qp, &wr, &bad))) {
			fail("%s: post after the error: %s", e->name, strerror(errno));
			return -1;
		}
		if (end_poll(e, e->scq, &wc, false, opt.timeout * 1000) || wc.wr_id != 2 ||
		    wc.status != IBV_WC_WR_FLUSH_ERR) {
			fail("%s: a request after the error is not flushed", e->name);
			return -1;
		}
	}
	if (x->op == OP_READ && x->lkey) /* how far it got is undefined */
		memcpy(e->image, e->arena, LEN);
	if (image_check(e, USED))
		return -1;
	return end_reset(e, x->type, 0);
}

int error_b_finish(struct end *e, int i)
{
	const struct error *x = &errors[i];
	struct ibv_wc wc;
	int rc = end_poll(e, e->rcq, &wc, false, x->b ? opt.timeout * 1000 : 100);

	if (x->b && (rc || !(x->b & BIT(as_others(x, wc.status))))) {
		fail("%s: receive: %s", e->name,
		     rc ? "no completion" : ibv_wc_status_str(wc.status));
		return -1;
	}
	if (!x->b && !rc && wc.status == IBV_WC_SUCCESS) {
		fail("%s: a receive completes with success", e->name);
		return -1;
	}
	if (x->receive != RECV_GOOD)
		memcpy(e->image + RECV_OFF, e->arena + RECV_OFF, LEN - 1 + GRH_BYTES);
	if (image_check(e, USED))
		return -1;
	return end_reset(e, x->type, 0);
}
