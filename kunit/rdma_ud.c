// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams: how long they may be, and what a request in error does to the queue. */
#include <rdma/ib_addr.h>

#include "rdma.h"

#define AH	3

/* an element in error has another key */
static void ud_send(struct rg_pair *p, struct rg_qp *from, u32 len, u32 lkey)
{
	struct rg_qp *to = from == p->a ? p->b : p->a;
	struct ion_v1_wqe *wqe = rg_wqe(p->g, from, ION_V1_OP_SEND, 0);

	wqe->common.send.ah_id = cpu_to_be32(AH);
	wqe->common.send.dest_qpn = cpu_to_be32(to->id);
	/* rg_pair() gives the number of the other one */
	wqe->common.send.dest_qkey = cpu_to_be32(from->id);
	/* the region is a page: a long one is sent from it twice */
	rg_sge(wqe, RG_VA, min_t(u32, len, PAGE_SIZE), lkey);
	if (len > PAGE_SIZE)
		rg_sge(wqe, RG_VA, len - PAGE_SIZE, lkey);
}

static struct rg_pair *ud_pair(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_UD, 0);

	KUNIT_ASSERT_EQ(test, 0, rg_ah(p->g, p->g, AH, -1));
	return p;
}

static void set_mtu(struct mock *m, u32 mtu)
{
	union ion_cmd cmd = {};

	cmd.lif_setattr.opcode = ION_CMD_LIF_SETATTR;
	cmd.lif_setattr.attr = ION_LIF_ATTR_MTU;
	cmd.lif_setattr.mtu = cpu_to_le32(mtu);
	KUNIT_ASSERT_EQ(m->test, 0, mock_admin(m, &cmd, NULL));
}

/* what the guest's driver tells, by the function that it tells it with */
static void ud_port_mtu(struct kunit *test)
{
	enum ib_mtu told;
	u32 mtu;

	for (mtu = ETH_MIN_MTU; mtu <= 9198; mtu++) {
		told = iboe_get_mtu(mtu);
		KUNIT_EXPECT_EQ_MSG(test, told ? ib_mtu_enum_to_int(told) : 256,
				    ernic_ib_mtu(mtu), "MTU %u", mtu);
	}
}

/*
 * To itself: a page for the receiver, so what is as long as that does not arrive, and the
 * sender does not learn it.  Beyond the limit it does.
 */
static void ud_expect_limit(struct kunit *test, u32 mtu, u32 limit)
{
	struct rg_pair *p = ud_pair(test);

	if (mtu)
		set_mtu(p->g->m, mtu);
	rg_recv(p->g, p->b, RG_VA, PAGE_SIZE, p->key);
	ud_send(p, p->a, limit, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, 0);
	if (limit + ION_GRH_LEN <= PAGE_SIZE)
		RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, limit + ION_GRH_LEN);
	ud_send(p, p->a, limit + 1, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 1, ION_STS_LOCAL_LEN_ERR);
	KUNIT_EXPECT_EQ(test, ION_QPS_SQE, rg_state(p->g, p->a->id));
}

static void ud_limit_default(struct kunit *test)
{
	ud_expect_limit(test, 0, 1024);
}

static void ud_limit_1500(struct kunit *test)
{
	ud_expect_limit(test, 1500, 1024);
}

static void ud_limit_9000(struct kunit *test)
{
	ud_expect_limit(test, 9000, 4096);
}

static void ud_limit_small(struct kunit *test)
{
	ud_expect_limit(test, 68, 256);
}

/* a new LIF_INIT is a firmware cycle: the driver has its MTU still, and says nothing */
static void ud_limit_lasts(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	union ion_cmd cmd = {};

	KUNIT_EXPECT_EQ(test, ETH_DATA_LEN, m->edev->guest_mtu);
	set_mtu(m, 9000);
	cmd.opcode = ION_CMD_RESET;
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	cmd.opcode = ION_CMD_INIT;
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	cmd.lif_init.opcode = ION_CMD_LIF_INIT;
	cmd.lif_init.info_pa = cpu_to_le64(MOCK_LIF_INFO);
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	KUNIT_EXPECT_EQ(test, 9000, m->edev->guest_mtu);
	ernic_dev_close(m->edev);
	KUNIT_ASSERT_EQ(test, 0, ernic_dev_open(m->edev));
	KUNIT_EXPECT_EQ(test, ETH_DATA_LEN, m->edev->guest_mtu);
}

/*
 * A request in error stops the send queue and not the other one.  What is behind it, and
 * what is posted until the queue runs again, software has flushed by itself
 * (ionic_datapath.c:ionic_poll_send): nobody gets any of it.
 */
static void ud_sqe(struct kunit *test)
{
	struct rg_pair *p = ud_pair(test);
	int i;

	for (i = 0; i < 4; i++)
		rg_recv(p->g, p->b, RG_VA + 0x400, 256, p->key);
	rg_recv(p->g, p->a, RG_VA + 0x800, 256, p->key);
	ud_send(p, p->a, 8, p->key + 1);
	ud_send(p, p->a, 9, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, ION_STS_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, ION_QPS_SQE, rg_state(p->g, p->a->id));
	ud_send(p, p->b, 10, p->key);
	rg_ring(p->g, p->b);
	RG_EXPECT_NPG(p->g, p->cqb, p->b, 0, 0);
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, 10 + ION_GRH_LEN);

	ud_send(p, p->a, 11, p->key);
	rg_ring(p->g, p->a);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqb));
	ud_send(p, p->a, 12, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 3, 0);
	RG_EXPECT_RECV(p->g, p->cqb, p->b, 0, 12 + ION_GRH_LEN);
	/* the request has its completion, and there is no event for the state */
	KUNIT_EXPECT_TRUE(test, rg_no_event(p->g, 0));
}

/* the same for connected ones without acknowledgment */
static void uc_sqe(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_UC, 0);
	u8 *mem = rg_ptr(p->g, p->mem);
	struct ion_v1_wqe *wqe;
	int i;

	for (i = 0; i < 2; i++) {
		wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE,
			     ION_V1_FLAG_SIG);
		rg_sge(wqe, RG_VA, 16, p->key + 1 - i);
		rg_remote(wqe, RG_VA + 0x800, p->key);
	}
	memset(mem, 0x33, 16);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, ION_STS_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, ION_QPS_SQE, rg_state(p->g, p->a->id));
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	KUNIT_EXPECT_TRUE(test, rg_quiet(p->g, p->cqa));
	KUNIT_EXPECT_EQ(test, 0, mem[0x800]);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, ION_V1_FLAG_SIG);
	rg_sge(wqe, RG_VA, 16, p->key);
	rg_remote(wqe, RG_VA + 0x800, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	KUNIT_EXPECT_EQ(test, 0x33, mem[0x800]);

	/* out of SQE there is ERR as well, which flushes */
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, ION_V1_FLAG_SIG);
	rg_sge(wqe, RG_VA, 16, p->key + 1);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 3, ION_STS_LOCAL_PROT_ERR);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p->g, p->a->id, ION_QPS_ERR,
					   ION_QP_STATE, NULL));
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, ION_STS_WQE_FLUSHED_ERR);
	RG_EXPECT_RECV(p->g, p->cqa, p->a, 0, RG_ERR | ION_STS_WQE_FLUSHED_ERR);
	KUNIT_EXPECT_EQ(test, ION_QPS_ERR, rg_state(p->g, p->a->id));
}

static struct kunit_case rdma_ud_cases[] = {
	KUNIT_CASE(ud_port_mtu),
	KUNIT_CASE(ud_limit_default),
	KUNIT_CASE(ud_limit_1500),
	KUNIT_CASE(ud_limit_9000),
	KUNIT_CASE(ud_limit_small),
	KUNIT_CASE(ud_limit_lasts),
	KUNIT_CASE(ud_sqe),
	KUNIT_CASE(uc_sqe),
	{}
};

static struct kunit_suite rdma_ud_suite = {
	.name = "ernic-rdma-ud",
	.test_cases = rdma_ud_cases,
};

kunit_test_suite(rdma_ud_suite);
