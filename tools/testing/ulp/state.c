// SPDX-License-Identifier: GPL-2.0-only
/* States of queue pairs, errors, and the end of all of it under load. */
#include <linux/delay.h>
#include <linux/slab.h>
#include "ulp.h"

int ulp_state_is(struct ulp *u, struct ulp_end *e, enum ib_qp_state want)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int rc;

	/* which does not tell of errors */
	if (ulp_is_rxe(u) && want == IB_QPS_ERR)
		return 0;
	rc = ib_query_qp(e->qp, &attr, IB_QP_STATE, &init);
	if (rc)
		return ulp_fail(u, "%s: query: %d", e->name, rc);
	if (attr.qp_state != want)
		return ulp_fail(u, "%s: state %d, want %d", e->name, attr.qp_state, want);
	return 0;
}

static int ulp_to(struct ulp *u, struct ulp_end *e, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int rc = ib_modify_qp(e->qp, &attr, IB_QP_STATE);

	return rc ? ulp_fail(u, "%s: to state %d: %d", e->name, state, rc) : ulp_state_is(u, e, state);
}

static int ulp_send_small(struct ulp *u, struct ulp_op *op)
{
	struct ib_sge sge;
	struct ib_send_wr wr = {
		.wr_cqe = &op->cqe,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = ulp_sges(&u->a, &sge, 1, 0, 64),
	};

	ulp_op_init(op);
	return ulp_post(u, &u->a, &wr);
}

static int ulp_recv_small(struct ulp *u, struct ulp_op *op)
{
	struct ib_sge sge;

	ulp_sges(&u->b, &sge, 1, 0, 64);
	return ulp_recv(u, &u->b, op, &sge, 1);
}

/*
 * Two at once: ionic_reset_qp() of 7.2 forgets the last producer index that was rung, and
 * ionic_post_send() does not ring if the first of a new life is the same.
 */
static int ulp_exchange(struct ulp *u)
{
	struct ulp_op *send[2], *recv[2];
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++) {
		recv[i] = ulp_op(u);
		rc = ulp_recv_small(u, recv[i]);
	}
	for (int i = 0; !rc && i < 2; i++) {
		send[i] = ulp_op(u);
		rc = ulp_send_small(u, send[i]);
	}
	for (int i = 0; !rc && i < 2; i++)
		rc = ulp_wait(u, &u->a, send[i], IB_WC_SUCCESS, "SEND") ?:
		     ulp_wait(u, &u->b, recv[i], IB_WC_SUCCESS, "RECV");
	return rc;
}

/* Round and round through RESET: rings and counts start anew. */
static int ulp_reset(struct ulp *u)
{
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	for (int i = 0; !rc && i < 20; i++) {
		rc = ulp_state_is(u, &u->a, IB_QPS_RTS);
		for (int k = 0; !rc && k < 3 + i % 7; k++)
			rc = ulp_exchange(u);
		if (!rc)
			rc = ulp_reconnect(u, 7);
	}
	return rc;
}

/* ERR: all that is posted comes back, each once. */
static int ulp_flush(struct ulp *u)
{
	struct ulp_op *ops[ULP_DEPTH];
	int rc = ulp_connect(u, IB_QPT_RC, 7);
	int n = ULP_DEPTH / 2;

	for (int i = 0; i < ULP_DEPTH; i++)
		ops[i] = ulp_op(u);
	/* without receives the requests wait */
	for (int i = 0; !rc && i < n; i++)
		rc = ulp_send_small(u, ops[i]);
	if (!rc)
		rc = ulp_to(u, &u->a, IB_QPS_ERR);
	for (int i = 0; !rc && i < n; i++)
		rc = ulp_wait(u, &u->a, ops[i], IB_WC_WR_FLUSH_ERR, "a SEND of a dead queue pair");
	for (int i = 0; !rc && i < n; i++)
		rc = ulp_recv_small(u, ops[n + i]);
	if (!rc)
		rc = ulp_to(u, &u->b, IB_QPS_ERR);
	for (int i = 0; !rc && i < n; i++)
		rc = ulp_wait(u, &u->b, ops[n + i], IB_WC_WR_FLUSH_ERR, "a RECV of a dead queue pair");
	/* and what is posted later as well */
	if (!rc)
		rc = ulp_send_small(u, ops[0]) ?: ulp_wait(u, &u->a, ops[0], IB_WC_WR_FLUSH_ERR, "a late SEND") ?:
		     ulp_recv_small(u, ops[1]) ?: ulp_wait(u, &u->b, ops[1], IB_WC_WR_FLUSH_ERR, "a late RECV");
	if (!rc)
		rc = ulp_reconnect(u, 7) ?: ulp_exchange(u);
	return rc;
}

static int ulp_rnr_waits(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_send_small(u, send);

	if (rc)
		return rc;
	msleep(300);
	if (completion_done(&send->done))
		return ulp_fail(u, "a SEND completes without a receive: %s", ib_wc_status_msg(send->wc.status));
	ulp_fill(&u->a, 0, 64, 3);
	return ulp_recv_small(u, recv) ?: ulp_wait(u, &u->a, send, IB_WC_SUCCESS, "SEND") ?:
	       ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV");
}

static int ulp_rnr_gives_up(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u);
	int rc = ulp_connect(u, IB_QPT_RC, 1) ?: ulp_send_small(u, send) ?:
		 ulp_wait(u, &u->a, send, IB_WC_RNR_RETRY_EXC_ERR, "SEND");

	return rc ?: ulp_state_is(u, &u->a, IB_QPS_ERR) ?: ulp_reconnect(u, 7) ?: ulp_exchange(u);
}

static int ulp_dead_peer(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u);
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_to(u, &u->b, IB_QPS_RESET) ?: ulp_send_small(u, send) ?:
		 ulp_wait(u, &u->a, send, IB_WC_RETRY_EXC_ERR, "SEND to a queue pair in RESET");

	return rc;
}

/* Nobody is reached: the sender learns it in time, the receiver does not. */
static int ulp_unreached(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_recv_small(u, recv) ?: ulp_send_small(u, send) ?:
		 ulp_wait(u, &u->a, send, IB_WC_RETRY_EXC_ERR, "SEND to who is not reached");

	if (!rc && completion_done(&recv->done))
		rc = ulp_fail(u, "it was received");
	return rc ?: ulp_state_is(u, &u->a, IB_QPS_ERR) ?: ulp_state_is(u, &u->b, IB_QPS_RTS);
}

static int ulp_told(struct ulp *u, struct ulp_end *e, enum ib_event_type event, bool want)
{
	bool told;

	for (int i = 0; i < (want ? 50 : 5) && !test_bit(event, &e->events); i++)
		msleep(20);
	told = test_and_clear_bit(event, &e->events);
	if (told != want)
		return ulp_fail(u, "%s: event %s: %d, want %d", e->name, ib_event_msg(event), told, want);
	if (e->events)
		return ulp_fail(u, "%s: other events: %#lx", e->name, e->events);
	return 0;
}

/* SQD: what has begun is completed, then there is the event, and the rest waits. */
static int ulp_drained(struct ulp *u)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ulp_op *send[2] = { ulp_op(u), ulp_op(u) }, *recv[2] = { ulp_op(u), ulp_op(u) };
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_send_small(u, send[0]);

	if (rc)
		return rc;
	/* it waits for a receive */
	msleep(50);
	rc = ulp_send_small(u, send[1]);
	if (!rc)
		rc = ib_modify_qp(u->a.qp, &attr, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY);
	rc = rc ?: ulp_told(u, &u->a, IB_EVENT_SQ_DRAINED, false) ?: ulp_recv_small(u, recv[0]) ?:
	     ulp_recv_small(u, recv[1]) ?: ulp_wait(u, &u->a, send[0], IB_WC_SUCCESS, "the SEND that had begun") ?:
	     ulp_told(u, &u->a, IB_EVENT_SQ_DRAINED, true) ?: ulp_state_is(u, &u->a, IB_QPS_SQD);
	if (!rc && completion_done(&send[1]->done))
		rc = ulp_fail(u, "the next one completes: %s", ib_wc_status_msg(send[1]->wc.status));
	return rc ?: ulp_to(u, &u->a, IB_QPS_RTS) ?:
	       ulp_wait(u, &u->a, send[1], IB_WC_SUCCESS, "the next SEND") ?:
	       ulp_told(u, &u->a, IB_EVENT_SQ_DRAINED, false);
}

/* A message to a queue pair in RTR is told, once. */
static int ulp_comm_est(struct ulp *u)
{
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_to(u, &u->b, IB_QPS_RESET) ?:
		 ulp_modify(u, &u->b, &u->a, IB_QPS_RTR, 7);

	return rc ?: ulp_told(u, &u->b, IB_EVENT_COMM_EST, false) ?: ulp_exchange(u) ?:
	       ulp_told(u, &u->b, IB_EVENT_COMM_EST, true) ?: ulp_exchange(u) ?:
	       ulp_told(u, &u->b, IB_EVENT_COMM_EST, false) ?: ulp_state_is(u, &u->b, IB_QPS_RTR);
}

/* Destroyed while requests are under way, in either order. */
static int ulp_destroy(struct ulp *u)
{
	struct ulp_op *ops[ULP_DEPTH];
	int rc = 0;

	for (int i = 0; !rc && i < 60; i++) {
		for (int k = 0; k < ULP_DEPTH; k++)
			ops[k] = ulp_op(u);
		rc = ulp_connect(u, IB_QPT_RC, 7);
		for (int k = 0; !rc && k < ULP_DEPTH / 2; k++)
			rc = ulp_recv_small(u, ops[ULP_DEPTH / 2 + k]);
		for (int k = 0; !rc && k < ULP_DEPTH / 2; k++)
			rc = ulp_send_small(u, ops[k]);
		if (i & 1 && u->b.qp) {
			/* the responder goes first */
			ib_drain_qp(u->b.qp);
			ib_destroy_qp(u->b.qp);
			u->b.qp = NULL;
		}
		ulp_disconnect(u);
		for (int k = 0; !rc && k < ULP_DEPTH / 2; k++)
			if (!try_wait_for_completion(&ops[k]->done) ||
			    !try_wait_for_completion(&ops[ULP_DEPTH / 2 + k]->done))
				rc = ulp_fail(u, "destroyed and drained, and request %d has not completed", k);
	}
	return rc;
}

enum { MANY = 512, MANY_BYTES = ULP_PAGES * PAGE_SIZE / MANY };

struct ulp_pair {
	struct ib_qp *a, *b;
	struct ulp_op send, recv;
};

static size_t ulp_many_len(unsigned int i)
{
	return MANY_BYTES / 4 + i * 37 % (MANY_BYTES / 2);
}

/* A message of each pair, all under way at once, each with data of its own. */
static int ulp_many_send(struct ulp *u, struct ulp_pair *p, u32 round)
{
	struct ib_sge sge;
	int rc = 0;

	for (int i = 0; i < MANY; i++) {
		ulp_fill(&u->a, i * MANY_BYTES, MANY_BYTES, round * MANY + i);
		ulp_fill(&u->b, i * MANY_BYTES, MANY_BYTES, ~i);
	}
	for (int i = 0; !rc && i < MANY; i++) {
		u->b.qp = p[i].b;
		ulp_sges(&u->b, &sge, 1, i * MANY_BYTES, MANY_BYTES);
		rc = ulp_recv(u, &u->b, &p[i].recv, &sge, 1);
	}
	for (int i = 0; !rc && i < MANY; i++) {
		struct ib_send_wr wr = {
			.wr_cqe = &p[i].send.cqe,
			.opcode = IB_WR_SEND,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		};

		u->a.qp = p[i].a;
		ulp_op_init(&p[i].send);
		ulp_sges(&u->a, &sge, 1, i * MANY_BYTES, ulp_many_len(i));
		rc = ulp_post(u, &u->a, &wr);
	}
	for (int i = 0; !rc && i < MANY; i++) {
		size_t off = i * MANY_BYTES, len = ulp_many_len(i);

		rc = ulp_wait(u, &u->a, &p[i].send, IB_WC_SUCCESS, "SEND") ?:
		     ulp_wait(u, &u->b, &p[i].recv, IB_WC_SUCCESS, "RECV");
		if (!rc && (!ulp_holds(&u->b, off, len, round * MANY + i, 0) ||
			    !ulp_holds(&u->b, off + len, MANY_BYTES - len, ~i, len)))
			rc = ulp_fail(u, "pair %d: other data", i);
	}
	return rc;
}

static int ulp_many(struct ulp *u)
{
	struct ulp_pair *p __free(kvfree) = kvcalloc(MANY, sizeof(*p), GFP_KERNEL);
	int rc = p ? 0 : -ENOMEM;

	u->depth = 8;
	for (int i = 0; !rc && i < MANY; i++) {
		u->a.qp = NULL;
		u->b.qp = NULL;
		rc = ulp_connect(u, IB_QPT_RC, 7);
		p[i].a = u->a.qp;
		p[i].b = u->b.qp;
	}
	for (int round = 0; !rc && round < 3; round++)
		rc = ulp_many_send(u, p, round);
	for (int i = 0; p && i < MANY; i++) {
		u->a.qp = p[i].a;
		u->b.qp = p[i].b;
		ulp_disconnect(u);
	}
	return rc;
}

const struct ulp_test ulp_state[] = {
	{ "reset", ulp_reset, IB_POLL_SOFTIRQ },
	{ "flush", ulp_flush, IB_POLL_WORKQUEUE },
	{ "rnr-waits", ulp_rnr_waits, IB_POLL_SOFTIRQ },
	{ "rnr-gives-up", ulp_rnr_gives_up, IB_POLL_SOFTIRQ },
	{ "dead-peer", ulp_dead_peer, IB_POLL_SOFTIRQ },
	{ "unreached", ulp_unreached, IB_POLL_SOFTIRQ },
	{ "drained", ulp_drained, IB_POLL_SOFTIRQ },
	{ "comm-est", ulp_comm_est, IB_POLL_SOFTIRQ },
	{ "destroy", ulp_destroy, IB_POLL_WORKQUEUE },
	{ "many", ulp_many, IB_POLL_SOFTIRQ },
	{}
};
