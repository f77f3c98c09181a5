// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffic that goes on until a device goes; and traffic that is known, for whoever
 * counts.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "ulp.h"

enum {
	FLOWS = 8,		/* pairs of queue pairs */
	OPS = 8,		/* requests of each kind that a queue pair has under way */
	LOAD_SECONDS = 30,
	POISON = 0x6b,
};

/* memory of an end, in pages: what the device reads, and what it writes */
enum { SRC = 0, DST = 16, WIN = 32, RESULT = 48, PART = 16 };

enum { LOAD_SEND, LOAD_RECV, LOAD_WRITE, LOAD_READ, LOAD_KINDS };

struct ulp_flow;

struct ulp_load_op {
	struct ib_cqe cqe;
	struct ulp_flow *flow;
	int kind;
	int nr;
};

/* one end of a connection */
struct ulp_flow {
	struct ulp_load *load;
	struct ulp_end *end, *peer;
	struct ib_qp *qp;
	struct ulp_load_op op[LOAD_KINDS][OPS];
	/* why it ended; of those flushed the least is known */
	enum ib_wc_status status;
};

struct ulp_load {
	struct ulp_flow flow[FLOWS][2];
	/* requests under way, and one for the test */
	atomic_t posted;
	struct completion idle;
	atomic64_t done;
	bool stop;
};

static void ulp_load_put(struct ulp_load *l)
{
	if (atomic_dec_and_test(&l->posted))
		complete(&l->idle);
}

static int ulp_load_post(struct ulp_load_op *op)
{
	static const enum ib_wr_opcode opcode[] = {
		[LOAD_SEND] = IB_WR_SEND,
		[LOAD_WRITE] = IB_WR_RDMA_WRITE,
		[LOAD_READ] = IB_WR_RDMA_READ,
	};
	static const int page[] = {
		[LOAD_SEND] = SRC, [LOAD_RECV] = DST, [LOAD_WRITE] = SRC, [LOAD_READ] = RESULT,
	};
	struct ulp_flow *f = op->flow;
	bool small = op->kind == LOAD_SEND || op->kind == LOAD_RECV;
	size_t len = small ? 512 : 5 * PAGE_SIZE;
	struct ib_sge sge[8];
	int n = ulp_sges(f->end, sge, 8, page[op->kind] * PAGE_SIZE + op->nr * PAGE_SIZE, len);

	if (op->kind == LOAD_RECV) {
		struct ib_recv_wr wr = { .wr_cqe = &op->cqe, .sg_list = sge, .num_sge = n };

		return ib_post_recv(f->qp, &wr, NULL);
	}

	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &op->cqe,
			.opcode = opcode[op->kind],
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = sge,
			.num_sge = n,
		},
	};

	if (!small) {
		wr.remote_addr = f->peer->mr->iova + op->nr * PAGE_SIZE;
		wr.rkey = f->peer->mr->rkey;
	}
	return ib_post_send(f->qp, &wr.wr, NULL);
}

static void ulp_load_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_load_op *op = container_of(wc->wr_cqe, struct ulp_load_op, cqe);
	struct ulp_flow *f = op->flow;
	struct ulp_load *l = f->load;

	if (wc->status == IB_WC_SUCCESS) {
		atomic64_inc(&l->done);
		if (!READ_ONCE(l->stop) && !ulp_load_post(op))
			return;
	} else if (f->status == IB_WC_SUCCESS || f->status == IB_WC_WR_FLUSH_ERR) {
		f->status = wc->status;
	}
	ulp_load_put(l);
}

static int ulp_load_register(struct ulp *u, struct ulp_end *e)
{
	struct ulp_op *op = ulp_op(u);
	struct ib_reg_wr reg;
	int rc = ulp_map(u, e, WIN * PAGE_SIZE, PART * PAGE_SIZE,
			 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ, &reg);

	if (rc)
		return rc;
	reg.wr.wr_cqe = &op->cqe;
	reg.wr.send_flags = IB_SEND_SIGNALED;
	return ulp_post(u, e, &reg.wr) ?: ulp_wait(u, e, op, IB_WC_SUCCESS, "REG_MR");
}

static void ulp_load_flow(struct ulp_load *l, struct ulp_flow *f, struct ulp_end *end,
			  struct ulp_end *peer)
{
	f->load = l;
	f->end = end;
	f->peer = peer;
	f->qp = end->qp;
	for (int kind = 0; kind < LOAD_KINDS; kind++)
		for (int i = 0; i < OPS; i++)
			f->op[kind][i] = (struct ulp_load_op){
				.cqe.done = ulp_load_done, .flow = f, .kind = kind, .nr = i,
			};
}

static int ulp_load_start(struct ulp *u, struct ulp_load *l)
{
	int rc = 0;

	for (int i = 0; !rc && i < FLOWS; i++) {
		u->a.qp = NULL;
		u->b.qp = NULL;
		rc = ulp_connect(u, IB_QPT_RC, 7);
		ulp_load_flow(l, &l->flow[i][0], &u->a, &u->b);
		ulp_load_flow(l, &l->flow[i][1], &u->b, &u->a);
		if (!rc && !i)
			rc = ulp_load_register(u, &u->a) ?: ulp_load_register(u, &u->b);
	}
	/* receives of all before anybody sends */
	for (int kind = LOAD_KINDS - 1; !rc && kind >= 0; kind--)
		for (int i = 0; !rc && i < FLOWS * 2 * OPS; i++) {
			atomic_inc(&l->posted);
			rc = ulp_load_post(&l->flow[i / 2 % FLOWS][i & 1].op[kind][i / 2 / FLOWS]);
			if (rc) {
				ulp_load_put(l);
				rc = ulp_fail(u, "post: %d", rc);
			}
		}
	return rc;
}

static void ulp_poison(struct ulp_end *e)
{
	for (int i = DST; e->gone && i < ULP_PAGES; i++)
		memset(page_address(e->pages[i]), POISON, PAGE_SIZE);
}

static int ulp_poisoned(struct ulp *u, struct ulp_end *e)
{
	for (int i = DST; e->gone && i < ULP_PAGES; i++)
		if (memchr_inv(page_address(e->pages[i]), POISON, PAGE_SIZE))
			return ulp_fail(u, "%s: page %d written after the device was gone", e->name, i);
	return 0;
}

/* Whose device is gone has all flushed; whose peer is gone finds out. */
static int ulp_load_statuses(struct ulp *u, struct ulp_load *l)
{
	for (int i = 0; i < 2 * FLOWS; i++) {
		struct ulp_flow *f = &l->flow[i / 2][i & 1];
		enum ib_wc_status want = f->end->gone ? IB_WC_WR_FLUSH_ERR : IB_WC_RETRY_EXC_ERR;

		if (f->status != want)
			return ulp_fail(u, "%s: QP %u ended with %s, want %s", f->end->name, f->qp->qp_num,
					ib_wc_status_msg(f->status), ib_wc_status_msg(want));
	}
	return 0;
}

static void ulp_load_end(struct ulp *u, struct ulp_load *l)
{
	for (int i = 0; i < FLOWS; i++) {
		u->a.qp = l->flow[i][0].qp;
		u->b.qp = l->flow[i][1].qp;
		ulp_disconnect(u);
	}
}

/*
 * SEND, WRITE and READ both ways on all connections, while the script takes a device
 * away: from step 1 on.  The requests of its peer go on until they fail.
 */
static int ulp_load_until_gone(struct ulp *u)
{
	struct ulp_load *l __free(kvfree) = kvzalloc_obj(*l);
	int rc;

	if (!l)
		return -ENOMEM;
	atomic_set(&l->posted, 1);
	init_completion(&l->idle);
	rc = ulp_load_start(u, l);
	ulp_at(1);
	if (!rc && !wait_for_completion_timeout(&u->going, LOAD_SECONDS * HZ))
		rc = ulp_fail(u, "no device goes");
	/* what is written from now on is written by what is gone */
	ulp_poison(&u->a);
	ulp_poison(&u->b);
	if (rc)
		WRITE_ONCE(l->stop, true);
	ulp_load_put(l);
	if (!wait_for_completion_timeout(&l->idle, ULP_TIMEOUT)) {
		rc = ulp_fail(u, "%d requests do not come back", atomic_read(&l->posted));
		/* they have to, before what they are in is freed */
		ulp_load_end(u, l);
		wait_for_completion(&l->idle);
		return rc;
	}
	if (!rc && atomic64_read(&l->done) < 100)
		rc = ulp_fail(u, "%lld requests are no load", atomic64_read(&l->done));
	if (!rc)
		rc = ulp_load_statuses(u, l);
	msleep(100);
	if (!rc)
		rc = ulp_poisoned(u, &u->a) ?: ulp_poisoned(u, &u->b);
	ulp_load_end(u, l);
	return rc;
}

/* ---- traffic that is known -------------------------------------------------------- */

/* 7 SEND of 1000 bytes, 5 WRITE of 5000 and 3 READ of 700, from the requester */
static int ulp_count_traffic(struct ulp *u)
{
	static const struct {
		enum ib_wr_opcode opcode;
		int n;
		size_t len;
	} all[] = {
		{ IB_WR_SEND, 7, 1000 }, { IB_WR_RDMA_WRITE, 5, 5000 }, { IB_WR_RDMA_READ, 3, 700 },
	};
	struct ib_sge sge[8];
	int rc = 0;

	for (int i = 0; !rc && i < ARRAY_SIZE(all) * 8; i++) {
		struct ulp_op *op = ulp_op(u), *recv = ulp_op(u);
		bool send = all[i / 8].opcode == IB_WR_SEND;
		struct ib_rdma_wr wr = {
			.wr = {
				.wr_cqe = &op->cqe,
				.opcode = all[i / 8].opcode,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = sge,
			},
			.remote_addr = u->b.mr->iova,
			.rkey = u->b.mr->rkey,
		};

		if (i % 8 >= all[i / 8].n)
			continue;
		if (send)
			rc = ulp_recv(u, &u->b, recv, sge, ulp_sges(&u->b, sge, 8, 0, PAGE_SIZE));
		wr.wr.num_sge = ulp_sges(&u->a, sge, 8, 0, all[i / 8].len);
		if (!rc)
			rc = ulp_post(u, &u->a, &wr.wr) ?: ulp_wait(u, &u->a, op, IB_WC_SUCCESS, "request");
		if (!rc && send)
			rc = ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV");
	}
	return rc;
}

/* Steps: 1, connected; 2, go on; 3, the traffic is done; 4, go on. */
static int ulp_count(struct ulp *u)
{
	return ulp_connect(u, IB_QPT_RC, 7) ?: ulp_load_register(u, &u->b) ?: ulp_meet(u, 1, 2) ?:
	       ulp_count_traffic(u) ?: ulp_meet(u, 3, 4);
}

const struct ulp_test ulp_load[] = {
	{ "load", ulp_load_until_gone, IB_POLL_WORKQUEUE },
	{ "count", ulp_count, IB_POLL_SOFTIRQ },
	{}
};
