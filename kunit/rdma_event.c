// SPDX-License-Identifier: GPL-2.0-only
/* Events of queue pairs and completion queues, each with its code. */
#include <linux/delay.h>
#include <linux/sizes.h>

#include "rdma.h"

#define SIG	ION_V1_FLAG_SIG

/* of the first lap of an event queue */
#define EVENT(type, code, id) \
	((id) << ION_EQE_QID_SHIFT | (code) << ION_EQE_CODE_SHIFT | \
	 (type) << ION_EQE_TYPE_SHIFT | ION_EQE_COLOR)
#define QP_EVENT(code, qp)	EVENT(ION_EQE_TYPE_QP, ION_EQE_##code, (qp)->id)

static void send(struct rg_pair *p, u16 flags)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND, flags);

	rg_sge(wqe, RG_VA, 16, p->key);
	rg_ring(p->g, p->a);
}

static void write_to(struct rg_pair *p, u16 flags, u32 lkey)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE,
					flags);

	rg_sge(wqe, RG_VA, 16, lkey);
	rg_remote(wqe, RG_VA + 0x800, p->key);
	rg_ring(p->g, p->a);
}

static void recv(struct rg_pair *p)
{
	rg_recv(p->g, p->b, RG_VA + 0x400, 64, p->key);
}

/* rnr_retry 7: waits for ever */
static void wait_for_ever(struct rg_pair *p)
{
	struct ion_admin_mod_qp attr = { .retry = 7 << 4 };

	KUNIT_ASSERT_EQ(p->g->test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
						 ION_QP_STATE |
						 ION_QP_RNR_RETRY, &attr));
}

static void to_rtr(struct rg_pair *p)
{
	KUNIT_ASSERT_EQ(p->g->test, 0, rg_modify(p->g, p->b->id, ION_QPS_RESET,
						 ION_QP_STATE, NULL));
	p->b->rq_prod = 0;
	rg_rtr(p->g, p->b, p->g, p->a->id);
}

/* the first message in RTR is told, the others are not; again after RESET */
static void event_comm_est(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u32 msn = 1;
	int i, round;

	/* in RTS: the guest knows, as it has moved the QP there */
	recv(p);
	send(p, SIG);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, msn++, 0);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, 16);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
	for (round = 0; round < 2; round++) {
		to_rtr(p);
		for (i = 0; i < 2; i++) {
			recv(p);
			send(p, SIG);
			RG_EXPECT_MSN(p->g, p->cqa, p->a, msn++, 0);
			RG_EXPECT_RECV(p->g, p->cqb, p->b, i, 16);
		}
		KUNIT_EXPECT_EQ(test, QP_EVENT(QP_COMM_EST, p->b),
				rg_event(p->g, 0));
		KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
	}
	KUNIT_EXPECT_EQ(test, ION_QPS_RTR, rg_state(p->g, p->b->id));
}

static void event_comm_est_uc(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_UC, 0);

	to_rtr(p);
	write_to(p, SIG, p->key);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	KUNIT_EXPECT_EQ(test, QP_EVENT(QP_COMM_EST, p->b), rg_event(p->g, 0));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

/* a stranger's message is none */
static void event_comm_est_stranger(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct rg_qp *c = rg_qp(p->g, 18, ION_QPT_RC, p->cqa, 0);
	struct ion_v1_wqe *wqe;

	to_rtr(p);
	rg_connect(p->g, c, p->b->id);
	wqe = rg_wqe(p->g, c, ION_V1_OP_RDMA_WRITE, SIG);
	rg_sge(wqe, RG_VA, 16, p->key);
	rg_remote(wqe, RG_VA + 0x800, p->key);
	rg_ring(p->g, c);
	RG_EXPECT_MSN(p->g, p->cqa, c, 1, ION_STS_RETRY_EXCEEDED);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

static void sqd(struct rg_pair *p, bool notify)
{
	struct ion_admin_mod_qp attr = {
		.access_flags = cpu_to_be16(notify ? ION_QPF_SQD_NOTIFY : 0),
	};

	KUNIT_ASSERT_EQ(p->g->test, 0,
			rg_modify(p->g, p->a->id, ION_QPS_SQD, ION_QP_STATE |
				  ION_QP_EN_SQD_ASYNC_NOTIFY, &attr));
}

static bool draining(struct rg_pair *p)
{
	u32 q = rg_query(p->g, p->a->id);

	KUNIT_EXPECT_EQ(p->g->test, ION_QPS_SQD, q >> 16);
	return q & ION_QPF_SQ_DRAINING;
}

/*
 * Drained is when the request that is being executed has its completion; the next one
 * does not begin.
 */
static void event_drained_busy(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	wait_for_ever(p);
	/* no receive: the first one waits */
	send(p, SIG);
	msleep(20);
	send(p, SIG);
	sqd(p, true);
	KUNIT_EXPECT_TRUE(test, draining(p));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
	recv(p);
	recv(p);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, 16);
	KUNIT_EXPECT_EQ(test, QP_EVENT(SQ_DRAIN, p->a), rg_event(p->g, 0));
	KUNIT_EXPECT_FALSE(test, draining(p));
	/* what is posted in that state waits as well, and nothing is told twice */
	send(p, SIG);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
	recv(p);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 2, 0);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 3, 0);

	/* each time it is asked for, and not when it is not */
	sqd(p, true);
	KUNIT_EXPECT_EQ(test, QP_EVENT(SQ_DRAIN, p->a), rg_event(p->g, 0));
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	sqd(p, false);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

/* a long message that has begun goes on to its end */
static void event_drained_slices(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ion_admin_wqe cmd = {};
	struct ernic_rqp *qp = xa_load(&p->g->m->edev->rdma->qps, p->a->id);
	struct ion_v1_wqe *wqe;
	u64 table = rg_alloc(p->g, PAGE_SIZE);
	__le64 *pages = rg_ptr(p->g, table);
	u64 mem = rg_alloc(p->g, PAGE_SIZE);
	u32 key = 11 << 8;
	int i;

	for (i = 0; i < 512; i++)
		pages[i] = cpu_to_le64(mem);
	cmd.cmd.create_mr = (struct ion_admin_create_mr){
		.length = cpu_to_le64(SZ_2M),
		.pd_id = cpu_to_le32(RG_PD),
		.id_ver = cpu_to_le32(key),
		.map_count = cpu_to_le32(512),
		.dma_addr = cpu_to_le64(table),
		.dbid_flags = cpu_to_le16(ION_MRF_LOCAL_WRITE |
					  ION_MRF_REMOTE_WRITE),
		.page_size_log2 = 12,
	};
	KUNIT_ASSERT_EQ(test, 0, rg_admin(p->g, &cmd, ION_ADMIN_CREATE_MR, 45));
	for (i = 0; i < 7; i++) {
		wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, SIG);
		rg_sge(wqe, 0, SZ_2M, key);
		rg_remote(wqe, 0, key);
	}
	rg_ring(p->g, p->a);
	sqd(p, true);
	KUNIT_EXPECT_EQ(test, QP_EVENT(SQ_DRAIN, p->a), rg_event(p->g, 0));
	KUNIT_EXPECT_FALSE(test, draining(p));
	/* as many as had begun, and none of them in part */
	for (i = 0; !rg_quiet(p->g, p->cqa); i++)
		RG_EXPECT_MSN(p->g, p->cqa, p->a, i + 1, 0);
	KUNIT_EXPECT_EQ(test, (u64)i * SZ_2M,
			qp->stats[ERNIC_QPS_TX_BYTES]);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	for (; i < 7; i++)
		RG_EXPECT_MSN(p->g, p->cqa, p->a, i + 1, 0);
}

/*
 * Completions that were promised wait for room.  The one in error of a request that did
 * not ask for any has no promise: it is lost, and the guest is told once.
 */
static void event_cq_overflow(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u32 i, msn = 1;

	/* read, but never said to be */
	for (i = 1; i < BIT(RG_CQ_LOG2); i++) {
		write_to(p, SIG, p->key);
		RG_EXPECT_MSN(p->g, p->cqa, p->a, msn++, 0);
	}
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	write_to(p, 0, p->key + 1);
	KUNIT_EXPECT_EQ(test, EVENT(ION_EQE_TYPE_CQ, ION_EQE_CQ_ERR,
				    p->cqa->id), rg_event(p->g, 3));
	KUNIT_EXPECT_EQ(test, ION_QPS_ERR, rg_state(p->g, p->a->id));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* nothing was written over, and the flush completion comes when there is room */
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	rg_consumed(p->g, p->cqa);
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
}

/* what a responder fails with: the peer's request, or its own receive */
static void event_responder(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	rg_recv(p->g, p->b, RG_VA + 0x400, 15, p->key);
	send(p, SIG);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, ION_STS_REMOTE_INV_REQ_ERR);
	KUNIT_EXPECT_EQ(test, QP_EVENT(QP_ERR_REQUEST, p->b),
			rg_event(p->g, 0));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

static void event_fatal(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	rg_recv(p->g, p->b, RG_VA + 0x400, 64, p->key + 1);
	send(p, SIG);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, ION_STS_REMOTE_OPER_ERR);
	KUNIT_EXPECT_EQ(test, QP_EVENT(QP_ERR, p->b), rg_event(p->g, 0));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

static struct kunit_case rdma_event_cases[] = {
	KUNIT_CASE(event_comm_est),
	KUNIT_CASE(event_comm_est_uc),
	KUNIT_CASE(event_comm_est_stranger),
	KUNIT_CASE(event_drained_busy),
	KUNIT_CASE(event_drained_slices),
	KUNIT_CASE(event_cq_overflow),
	KUNIT_CASE(event_responder),
	KUNIT_CASE(event_fatal),
	{}
};

static struct kunit_suite rdma_event_suite = {
	.name = "ernic-rdma-event",
	.test_cases = rdma_event_cases,
};

kunit_test_suite(rdma_event_suite);
