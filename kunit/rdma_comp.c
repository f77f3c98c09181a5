// SPDX-License-Identifier: GPL-2.0-only
/* Completions of send and receive queues, flushing, and events. */
#include <linux/delay.h>
#include <linux/sizes.h>

#include "rdma.h"

#define SIG	ION_V1_FLAG_SIG

static void send(struct rg_pair *p, u16 flags)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND, flags);

	rg_sge(wqe, 0x10000, 16, p->key);
}

static void write_to(struct rg_pair *p, u16 flags, u32 rkey)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE,
					flags);

	rg_sge(wqe, 0x10000, 16, p->key);
	rg_remote(wqe, 0x10800, rkey);
}

static void local_inv(struct rg_pair *p, u32 key)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_LOCAL_INV, 0);

	wqe->base.imm_data_key = cpu_to_be32(key);
}

static void comp_send(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u8 *mem = rg_ptr(p->g, p->mem);

	memset(mem, 0x5a, 16);
	rg_recv(p->g, p->b, 0x10100, 64, p->key);
	send(p, SIG);
	rg_ring(p->g, p->a);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, 16);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	KUNIT_EXPECT_EQ(test, 0x5a, mem[0x100]);
	KUNIT_EXPECT_EQ(test, 0x5a, mem[0x10f]);
	KUNIT_EXPECT_EQ(test, 0, mem[0x110]);
}

/* an unsignalled one has no entry, and is counted by the next */
static void comp_unsignalled(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	write_to(p, 0, p->key);
	write_to(p, 0, p->key);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 3, 0);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
}

/* a local one has its entry always, behind the count of the remote ones before it */
static void comp_local_after_remote(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, ION_QPF_PRIVILEGED);

	KUNIT_ASSERT_EQ(test, 0, rg_mr(p->g, 4 << 8, 0x20000, 64, p->mem,
				       ION_MRF_INV_EN | ION_MRF_UKEY_EN));
	write_to(p, 0, p->key);
	local_inv(p, 4 << 8);
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 2, 0);
	/* nothing to count: no entry that does not advance */
	rg_consumed(p->g, p->cqa);
	KUNIT_ASSERT_EQ(test, 0, rg_mr(p->g, 6 << 8, 0x20000, 64, p->mem,
				       ION_MRF_INV_EN | ION_MRF_UKEY_EN));
	local_inv(p, 6 << 8);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 3, 0);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
}

/* the peer refuses: the count includes the one that failed; both are flushed */
static void comp_remote_error(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u32 evt;

	write_to(p, 0, p->key);
	write_to(p, 0, p->key ^ 1);
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 2, ION_STS_REMOTE_ACC_ERR);
	/* the receive queue of the sender, and both of the receiver */
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
	RG_EXPECT_NPG(p->g, p->cqb, p->b, 0, ION_STS_WQE_FLUSHED_ERR);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	KUNIT_EXPECT_EQ(test, ION_QPS_ERR, rg_state(p->g, p->a->id));
	KUNIT_EXPECT_EQ(test, ION_QPS_ERR, rg_state(p->g, p->b->id));
	/* first the message that was heard in RTR is not: b was in RTS */
	evt = rg_event(p->g, 0);
	KUNIT_EXPECT_EQ(test, p->b->id, evt >> ION_EQE_QID_SHIFT);
	KUNIT_EXPECT_EQ(test, ION_EQE_QP_ERR_ACCESS, evt >> 4 & 0xf);
	KUNIT_EXPECT_EQ(test, ION_EQE_TYPE_QP, evt >> 1 & 7);
}

/* its own fault: by number, after what was done */
static void comp_local_error(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ion_v1_wqe *wqe;

	write_to(p, 0, p->key);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, SIG);
	rg_sge(wqe, 0x10000, 16, p->key + 1);
	rg_remote(wqe, 0x10800, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 1, ION_STS_LOCAL_PROT_ERR);
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
	/* the receiver heard nothing of it */
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqb));
	KUNIT_EXPECT_EQ(test, ION_QPS_RTS, rg_state(p->g, p->b->id));
}

/* longer than the receive: the receiver's entry names it */
static void comp_too_long(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	rg_recv(p->g, p->b, 0x10100, 15, p->key);
	send(p, SIG);
	rg_ring(p->g, p->a);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, RG_ERR | ION_STS_LOCAL_LEN_ERR);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, ION_STS_REMOTE_INV_REQ_ERR);
	/* the receive queue is told already, the send queue is not */
	RG_EXPECT_NPG(p->g, p->cqb, p->b, 0, ION_STS_WQE_FLUSHED_ERR);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqb));
}

static void comp_opcodes(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	/* one after the last of version 1 */
	rg_wqe(p->g, p->a, ION_V1_OP_BIND_MW + 1, SIG);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, ION_STS_LOCAL_QP_OPER_ERR);
}

/* no receive: the count of retries is three, then the end */
static void comp_rnr(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ernic_rqp *qp;
	u64 naks;

	send(p, SIG);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, ION_STS_RNR_RETRY_EXCEEDED);
	qp = xa_load(&p->g->m->edev->rdma->qps, p->a->id);
	naks = qp->stats[ERNIC_QPS_RNR_RCVD];
	KUNIT_EXPECT_EQ(test, 4, naks);
	KUNIT_EXPECT_EQ(test, ION_QPS_RTS, rg_state(p->g, p->b->id));
}

static void comp_rnr_recovers(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ion_admin_mod_qp attr = { .retry = 7 << 4 };

	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE | ION_QP_RNR_RETRY,
					   &attr));
	send(p, SIG);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	rg_recv(p->g, p->b, 0x10100, 64, p->key);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, 16);
}

/* nobody there: two retries of 4.2 ms */
static void comp_dead_peer(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	ktime_t start;

	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->b->id, ION_QPS_RESET,
					   ION_QP_STATE, NULL));
	start = ktime_get();
	send(p, SIG);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, ION_STS_RETRY_EXCEEDED);
	KUNIT_EXPECT_GE(test, ktime_us_delta(ktime_get(), start), 2 * 4194);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqb));
}

static void comp_modify_err(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	write_to(p, 0, p->key);
	rg_ring(p->g, p->a);
	msleep(30);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_ERR,
					   ION_QP_STATE, NULL));
	/* what was done is said, then one for each queue, empty or not */
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, ION_STS_WQE_FLUSHED_ERR);
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
	/* once */
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_ERR,
					   ION_QP_STATE, NULL));
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
}

/* after RESET counts and indices start again, and nothing of before appears */
static void comp_reset(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	send(p, SIG);
	rg_ring(p->g, p->a);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RESET,
					   ION_QP_STATE, NULL));
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	p->a->sq_prod = 0;
	rg_connect(p->g, p->a, p->b->id);
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
}

/* a ring that wraps, and colours of the CQ that change */
static void comp_wrap(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u32 i;

	for (i = 1; i <= 100; i++) {
		write_to(p, SIG, p->key);
		rg_ring(p->g, p->a);
		RG_EXPECT_MSN(p->g, p->cqa, p->a, i, 0);
		rg_consumed(p->g, p->cqa);
	}
}

/* a CQ that is not read is not written over; what waits goes on when it is */
static void comp_cq_full(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	u32 i, msn = 1;

	for (i = 1; i < BIT(RG_CQ_LOG2); i++) {
		write_to(p, SIG, p->key);
		rg_ring(p->g, p->a);
		RG_EXPECT_MSN(p->g, p->cqa, p->a, msn++, 0);
	}
	write_to(p, SIG, p->key);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	rg_consumed(p->g, p->cqa);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, msn, 0);
}

static void arm(struct rg_pair *p, unsigned int ring, u16 seq)
{
	rg_doorbell(p->g, 0, ERNIC_DB_SLOT_CQ, ring, p->cqb->id, seq);
}

/*
 * The driver does not unmask: the event queue fills, one more event is kept, and comes
 * when there is room.
 */
static void comp_eq_full(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ion_v1_cqe cqe;
	u16 seq;

	rg_recv(p->g, p->b, 0x10100, 64, p->key);
	send(p, 0);
	rg_ring(p->g, p->a);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	/* not said to be read: each arming gets its event at once */
	for (seq = 1; seq < BIT(RG_EQ_LOG2); seq++) {
		arm(p, ION_CQ_RING_ARM, seq);
		KUNIT_ASSERT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
	}
	arm(p, ION_CQ_RING_ARM, seq++);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* another arming asks for no second event */
	arm(p, ION_CQ_RING_ARM, seq++);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	rg_credits(p->g, 3, 1);
	KUNIT_EXPECT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* and all goes on */
	rg_credits(p->g, 3, BIT(RG_EQ_LOG2) - 1);
	arm(p, ION_CQ_RING_ARM, seq);
	KUNIT_EXPECT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
}

static void comp_arm(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct ion_v1_cqe cqe;
	int i;

	for (i = 0; i < 5; i++)
		rg_recv(p->g, p->b, 0x10100, 64, p->key);
	/* not armed: no event */
	send(p, 0);
	rg_ring(p->g, p->a);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* armed with an entry that was not said to be read: at once, and once */
	arm(p, ION_CQ_RING_ARM, 1);
	KUNIT_EXPECT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* the same number again is no new arming */
	arm(p, ION_CQ_RING_ARM, 1);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	/* all read: with the next entry */
	rg_consumed(p->g, p->cqb);
	arm(p, ION_CQ_RING_ARM, 2);
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	send(p, 0);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	/* solicited: not with one that is not, then with one that is */
	rg_consumed(p->g, p->cqb);
	arm(p, ION_CQ_RING_SOL, 1);
	send(p, 0);
	rg_ring(p->g, p->a);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 3));
	send(p, ION_V1_FLAG_SOL);
	rg_ring(p->g, p->a);
	KUNIT_EXPECT_EQ(test, p->cqb->id, rg_event(p->g, 3) >> 8);
}

/* four turns, in eight elements: lengths come before more than two of them */
static void big_write(struct rg_pair *p, u32 key)
{
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, SIG);
	struct ion_sge *sge = (struct ion_sge *)((u8 *)wqe + 64);
	int i;

	wqe->base.flags |= cpu_to_be16(ION_V1_FLAG_SPEC32);
	wqe->base.num_sge_key = 8;
	wqe->common.length = cpu_to_be32(SZ_2M);
	for (i = 0; i < 8; i++) {
		sge[i].va = cpu_to_be64(0x100000 + i * SZ_256K);
		sge[i].len = cpu_to_be32(SZ_256K);
		sge[i].lkey = cpu_to_be32(key);
	}
	rg_remote(wqe, 0x100000, key);
}

/* long messages of one do not keep another of the same worker waiting */
static void comp_turns(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	struct rg_qp *c = rg_qp(p->g, 18, ION_QPT_RC, p->cqa, 0);
	struct rg_qp *d = rg_qp(p->g, 19, ION_QPT_RC, p->cqb, 0);
	u64 table = rg_alloc(p->g, PAGE_SIZE);
	__le64 *pages = rg_ptr(p->g, table);
	struct ion_admin_wqe cmd = {};
	struct ion_v1_cqe cqe;
	u32 key = 11 << 8;
	bool seen = false;
	int i, try, before;

	rg_connect(p->g, c, 19);
	rg_connect(p->g, d, 18);
	/* 16 pages, over and over */
	for (i = 0; i < 512; i++)
		pages[i] = i < 16 ? cpu_to_le64(rg_alloc(p->g, PAGE_SIZE)) :
				    pages[i - 16];
	cmd.cmd.create_mr = (struct ion_admin_create_mr){
		.va = cpu_to_le64(0x100000),
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

	/* unless this thread sleeps between the two doorbells */
	for (try = 0; try < 20 && !seen; try++) {
		struct ion_v1_wqe *wqe;

		for (i = 0; i < 7; i++)
			big_write(p, key);
		wqe = rg_wqe(p->g, c, ION_V1_OP_RDMA_WRITE, SIG);
		rg_sge(wqe, 0x10000, 16, p->key);
		rg_remote(wqe, 0x10800, p->key);
		rg_ring(p->g, p->a);
		rg_ring(p->g, c);
		for (i = 0, before = 0; i < 8; i++) {
			KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqa, &cqe));
			KUNIT_ASSERT_FALSE(test, rg_cqe_error(&cqe));
			if (rg_cqe_qid(&cqe) == c->id)
				before = i;
		}
		rg_consumed(p->g, p->cqa);
		seen = before < 7;
	}
	KUNIT_EXPECT_TRUE(test, seen);
}

/* what waits for its peer is over with RDMA_RESET_LIF, without a word */
static void comp_reset_lif(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);
	union ion_cmd cmd = { .opcode = ION_CMD_RDMA_RESET_LIF };
	struct ion_admin_mod_qp attr = { .retry = 7 << 4, .rnr_timer = 1 };
	u8 *ring = rg_ptr(p->g, p->cqa->ring);

	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE | ION_QP_RNR_RETRY,
					   &attr));
	send(p, SIG);
	rg_ring(p->g, p->a);
	msleep(20);
	KUNIT_ASSERT_EQ(test, 0, mock_admin(p->g->m, &cmd, NULL));
	/* the guest frees all of it now */
	memset(ring, 0xa5, 512);
	memset(rg_ptr(p->g, p->a->sq), 0xa5, PAGE_SIZE / 2);
	rg_ring(p->g, p->a);
	rg_recv(p->g, p->b, 0x10100, 64, p->key);
	msleep(50);
	KUNIT_EXPECT_NULL(test, memchr_inv(ring, 0xa5, 512));
	/* and is content with a second time */
	KUNIT_EXPECT_EQ(test, 0, mock_admin(p->g->m, &cmd, NULL));
}

/* a process rings for what is its own */
static void comp_dbid(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	write_to(p, SIG, p->key);
	rg_doorbell(p->g, 7, ERNIC_DB_SLOT_SQ, 0, p->a->id, 1);
	rg_doorbell(p->g, 0, ERNIC_DB_SLOT_SQ, 1, p->a->id, 1);
	rg_doorbell(p->g, 0, ERNIC_DB_SLOT_SQ, 0, p->a->id + 100, 1);
	rg_doorbell(p->g, 1023, 511, 7, 0xffffff, 0xffff);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
}

/* datagrams: 40 bytes in front, an entry each, loss without a word */
static void comp_datagram(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_UD, 0);
	struct ion_v1_wqe *wqe;
	struct ion_v1_cqe cqe;
	u8 *mem = rg_ptr(p->g, p->mem);

	KUNIT_ASSERT_EQ(test, 0, rg_ah(p->g, p->g, 3, 0x6123));

	mem[0] = 0x77;
	/* rg_connect() gave the Q_Keys: 17 for a, 16 for b */
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND_IMM, 0);
	wqe->base.imm_data_key = cpu_to_be32(0xcafe);
	wqe->common.send.ah_id = cpu_to_be32(3);
	wqe->common.send.dest_qpn = cpu_to_be32(p->b->id);
	wqe->common.send.dest_qkey = cpu_to_be32(16);
	rg_sge(wqe, 0x10000, 8, p->key);
	rg_ring(p->g, p->a);
	/* no receive: lost, and complete */
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, 0);
	rg_recv(p->g, p->b, 0x10100, 64, p->key);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND_IMM, 0);
	wqe->base.imm_data_key = cpu_to_be32(0xcafe);
	wqe->common.send.ah_id = cpu_to_be32(3);
	wqe->common.send.dest_qpn = cpu_to_be32(p->b->id);
	wqe->common.send.dest_qkey = cpu_to_be32(15);
	rg_sge(wqe, 0x10000, 8, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 1, 0);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqb));

	wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND_IMM, 0);
	wqe->base.imm_data_key = cpu_to_be32(0xcafe);
	wqe->common.send.ah_id = cpu_to_be32(3);
	wqe->common.send.dest_qpn = cpu_to_be32(p->b->id);
	wqe->common.send.dest_qkey = cpu_to_be32(16);
	rg_sge(wqe, 0x10000, 8, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 2, 0);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	KUNIT_EXPECT_EQ(test, 48, be32_to_cpu(cqe.status_length));
	KUNIT_EXPECT_EQ(test, 0xcafe, be32_to_cpu(cqe.recv.imm_data_rkey));
	KUNIT_EXPECT_EQ(test, 0x6123, be16_to_cpu(cqe.recv.vlan_tag));
	KUNIT_EXPECT_EQ(test, ION_CQE_RECV_IS_IPV4 | ION_CQE_RECV_IS_VLAN |
			ION_CQE_RECV_OP_SEND_IMM << 24 | p->a->id,
			be32_to_cpu(cqe.recv.src_qpn_op));
	KUNIT_EXPECT_TRUE(test, ether_addr_equal(cqe.recv.src_mac,
						 p->g->m->edev->mac));
	KUNIT_EXPECT_EQ(test, 0, mem[0x100]);
	KUNIT_EXPECT_EQ(test, 0x45, mem[0x114]);
	KUNIT_EXPECT_EQ(test, 0x77, mem[0x128]);
}

static struct kunit_case rdma_comp_cases[] = {
	KUNIT_CASE(comp_send),
	KUNIT_CASE(comp_unsignalled),
	KUNIT_CASE(comp_local_after_remote),
	KUNIT_CASE(comp_remote_error),
	KUNIT_CASE(comp_local_error),
	KUNIT_CASE(comp_too_long),
	KUNIT_CASE(comp_opcodes),
	KUNIT_CASE(comp_rnr),
	KUNIT_CASE(comp_rnr_recovers),
	KUNIT_CASE(comp_dead_peer),
	KUNIT_CASE(comp_modify_err),
	KUNIT_CASE(comp_reset),
	KUNIT_CASE(comp_wrap),
	KUNIT_CASE(comp_cq_full),
	KUNIT_CASE(comp_arm),
	KUNIT_CASE(comp_eq_full),
	KUNIT_CASE(comp_turns),
	KUNIT_CASE(comp_reset_lif),
	KUNIT_CASE(comp_dbid),
	KUNIT_CASE(comp_datagram),
	{}
};

static struct kunit_suite rdma_comp_suite = {
	.name = "ernic-rdma-comp",
	.test_cases = rdma_comp_cases,
};

kunit_test_suite(rdma_comp_suite);
