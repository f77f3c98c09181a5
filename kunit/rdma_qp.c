// SPDX-License-Identifier: GPL-2.0-only
/* States and attributes of queue pairs; address templates; tables of times. */
#include <linux/ip.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip.h>

#include "rdma.h"

/* InfiniBand Architecture Specification, volume 1, figure 124 */
static const char * const moves[] = {
	[ION_QPS_RESET] = "rI....E",
	[ION_QPS_INIT] = "rIT...E",
	[ION_QPS_RTR] = "r..S..E",
	[ION_QPS_RTS] = "r..SD.E",
	[ION_QPS_SQD] = "r..SD.E",
	[ION_QPS_SQE] = "r..s..E",	/* not reliable ones */
	[ION_QPS_ERR] = "r.....E",
};

static void qp_move(struct kunit *test, u8 type, int from, int to)
{
	char c = to < 7 ? moves[from][to] : '.';
	bool ok = c != '.' && (c != 's' || type != ION_QPT_RC);

	KUNIT_EXPECT_EQ_MSG(test, ok, ernic_qp_move_ok(type, from, to),
			    "type %u: %d to %d", type, from, to);
}

static void qp_moves(struct kunit *test)
{
	static const u8 types[] = { ION_QPT_RC, ION_QPT_UC, ION_QPT_UD };
	int t, from, to;

	for (t = 0; t < ARRAY_SIZE(types); t++)
		for (from = 0; from < 7; from++)
			for (to = 0; to < 16; to++)
				qp_move(test, types[t], from, to);
}

/* the device's answer, and the state that a query shows, along all of the way */
static void qp_walk(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct rg_cq *cq = rg_cq(g, 8, RG_CQ_LOG2);
	struct ion_admin_mod_qp attr = {};

	rg_qp(g, 16, ION_QPT_RC, cq, 0);
	KUNIT_EXPECT_EQ(test, ION_QPS_RESET, rg_state(g, 16));
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_STATE,
			rg_modify(g, 16, ION_QPS_RTS, ION_QP_STATE, NULL));
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_INIT, ION_QP_STATE,
					   NULL));
	/* without a way there */
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_ATTR,
			rg_modify(g, 16, ION_QPS_RTR, ION_QP_STATE, NULL));
	/* with a template that is none */
	attr.dma_addr = cpu_to_le64(rg_alloc(g, 66));
	attr.ah_id_len = cpu_to_le32(42 << 24);
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_ATTR,
			rg_modify(g, 16, ION_QPS_RTR, ION_QP_STATE | ION_QP_AV |
				  ION_QP_DEST_QPN, &attr));
	rg_template(g, rg_ptr(g, le64_to_cpu(attr.dma_addr)), false, -1);
	attr.pmtu = 13;
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_ATTR,
			rg_modify(g, 16, ION_QPS_RTR, ION_QP_STATE | ION_QP_AV |
				  ION_QP_DEST_QPN | ION_QP_PATH_MTU, &attr));
	KUNIT_EXPECT_EQ(test, ION_QPS_INIT, rg_state(g, 16));
	/* without its bit the field means nothing */
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_RTR, ION_QP_STATE |
					   ION_QP_AV | ION_QP_DEST_QPN, &attr));
	KUNIT_EXPECT_EQ(test, ION_QPS_RTR, rg_state(g, 16));
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_RTS, ION_QP_STATE,
					   NULL));
	attr.access_flags = cpu_to_be16(ION_QPF_SQD_NOTIFY);
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_SQD, ION_QP_STATE |
					   ION_QP_EN_SQD_ASYNC_NOTIFY, &attr));
	KUNIT_EXPECT_EQ(test, 16u << 8 | ION_EQE_SQ_DRAIN << 4 |
			ION_EQE_TYPE_QP << 1 | 1, rg_event(g, 0));
	KUNIT_EXPECT_EQ(test, ION_QPS_SQD, rg_state(g, 16));
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_RTS, ION_QP_STATE,
					   NULL));
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_ERR, ION_QP_STATE,
					   NULL));
	KUNIT_EXPECT_EQ(test, ION_QPS_ERR, rg_state(g, 16));
	KUNIT_EXPECT_EQ(test, 0, rg_modify(g, 16, ION_QPS_RESET, ION_QP_STATE,
					   NULL));
	KUNIT_EXPECT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_QP, 16));
	KUNIT_EXPECT_EQ(test, 0xff, rg_state(g, 16));
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_INDEX,
			rg_destroy(g, ION_ADMIN_DESTROY_QP, 16));
}

static void qp_create_bad(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct rg_cq *cq = rg_cq(g, 8, RG_CQ_LOG2);
	struct ion_admin_create_qp good = {
		.sq_cq_id = cpu_to_le32(cq->id),
		.sq_depth_log2 = 3,
		.sq_stride_log2 = 6,
		.sq_map_count = cpu_to_le32(1),
		.sq_dma_addr = cpu_to_le64(MOCK_FREE),
		.rq_cq_id = cpu_to_le32(cq->id),
		.rq_depth_log2 = 3,
		.rq_stride_log2 = 6,
		.rq_map_count = cpu_to_le32(1),
		.rq_dma_addr = cpu_to_le64(MOCK_FREE),
		.id_ver = cpu_to_le32(20),
	};
	struct ion_admin_wqe wqe;

#define BAD(field, val) do {						\
	memset(&wqe, 0, sizeof(wqe));					\
	wqe.cmd.create_qp = good;					\
	wqe.cmd.create_qp.field = (val);				\
	KUNIT_EXPECT_NE_MSG(test, 0, rg_admin(g, &wqe,			\
			    ION_ADMIN_CREATE_QP, 64), "%s", #field " " #val); \
} while (0)
	BAD(id_ver, 0);
	BAD(id_ver, cpu_to_le32(16384));
	BAD(id_ver, cpu_to_le32(0xffffff));
	BAD(id_ver, cpu_to_le32(1));		/* the GSI is no RC */
	BAD(type_state, 2);
	BAD(type_state, 4);
	BAD(type_state, 0xff);
	BAD(pd_id, cpu_to_le32(1024));
	BAD(sq_cq_id, cpu_to_le32(9));
	BAD(rq_cq_id, cpu_to_le32(U32_MAX));
	BAD(sq_depth_log2, 0);
	BAD(sq_depth_log2, 17);
	BAD(rq_depth_log2, 255);
	BAD(sq_stride_log2, 5);
	BAD(sq_stride_log2, 10);
	BAD(rq_stride_log2, 255);
	BAD(sq_map_count, 0);
	BAD(rq_map_count, cpu_to_le32(U32_MAX));
	BAD(sq_dma_addr, cpu_to_le64(BIT_ULL(52)));
	BAD(rq_dma_addr, cpu_to_le64(U64_MAX));
	BAD(priv_flags, cpu_to_be32(ION_QPF_SQ_CMB));
	BAD(dbid_flags, cpu_to_le16(1024));
#undef BAD
	KUNIT_EXPECT_EQ(test, 0, g->m->edev->rdma->nqps);
	KUNIT_EXPECT_EQ(test, 0, atomic64_read(&g->m->edev->rdma->pages));
	/* the CQ has no users that are not there */
	memset(&wqe, 0, sizeof(wqe));
	wqe.cmd.create_qp = good;
	KUNIT_EXPECT_EQ(test, 0, rg_admin(g, &wqe, ION_ADMIN_CREATE_QP, 64));
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_STATE,
			rg_destroy(g, ION_ADMIN_DESTROY_CQ, cq->id));
	KUNIT_EXPECT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_QP, 20));
	KUNIT_EXPECT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_CQ, cq->id));
}

static void av_parse(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	static const int vlans[] = { -1, 0x6123 };
	struct ernic_av av;
	u8 raw[80], cut[80];
	unsigned int len, n;
	int v6, v;

	for (v6 = 0; v6 < 2; v6++) {
		for (v = 0; v < 2; v++) {
			len = rg_template(g, raw, v6, vlans[v]);
			KUNIT_EXPECT_EQ(test, 42 + 20 * v6 + 4 * v, len);
			KUNIT_ASSERT_EQ(test, 0, ernic_av_parse(&av, raw, len));
			KUNIT_EXPECT_EQ(test, !v6, av.ipv4);
			KUNIT_EXPECT_EQ(test, !!v, av.vlan);
			KUNIT_EXPECT_EQ(test, v ? 0x6123 : 0, av.tci);
			KUNIT_EXPECT_EQ(test, v6 ? 7 : 9, av.hop_limit);
			KUNIT_EXPECT_EQ(test, v6 ? 0x35 : 0x68, av.tclass);
			KUNIT_EXPECT_EQ(test, v6 ? 0x12345 : 0, av.flow);
			KUNIT_EXPECT_EQ(test, v6 ? 0xfd : 0, av.sgid[0]);
			KUNIT_EXPECT_EQ(test, v6 ? 0 : 0xff, av.dgid[10]);
			KUNIT_EXPECT_EQ(test, v6 ? 0 : 10, av.dgid[12]);
			/* any other length, any other port */
			for (n = 0; n <= sizeof(raw); n++)
				KUNIT_EXPECT_EQ(test, n == len ? 0 : -EINVAL,
						ernic_av_parse(&av, raw, n));
			memcpy(cut, raw, sizeof(cut));
			cut[len - 5]++;
			KUNIT_EXPECT_NE(test, 0, ernic_av_parse(&av, cut, len));
			memcpy(cut, raw, sizeof(cut));
			cut[0] |= 1;
			KUNIT_EXPECT_NE(test, 0, ernic_av_parse(&av, cut, len));
			memcpy(cut, raw, sizeof(cut));
			cut[14 + 4 * v] ^= 0x10;
			KUNIT_EXPECT_NE(test, 0, ernic_av_parse(&av, cut, len));
		}
	}
}

static void av_grh(struct kunit *test)
{
	static const u8 zero[20];
	struct rguest *g = rg_open(test, NULL);
	u8 raw[80], grh[ION_GRH_LEN] __aligned(4);
	struct ernic_av av;

	KUNIT_ASSERT_EQ(test, 0, ernic_av_parse(&av, raw,
						rg_template(g, raw, false, -1)));
	memset(grh, 0xee, sizeof(grh));
	ernic_av_grh(&av, grh, 100);
	KUNIT_EXPECT_EQ(test, 0, memcmp(grh, zero, 20));
	KUNIT_EXPECT_EQ(test, 0x45, grh[20]);
	KUNIT_EXPECT_EQ(test, 0x68, grh[21]);
	/* IP, UDP, BTH, DETH, payload, ICRC */
	KUNIT_EXPECT_EQ(test, 20 + 8 + 12 + 8 + 100 + 4,
			get_unaligned_be16(grh + 22));
	KUNIT_EXPECT_EQ(test, 9, grh[28]);
	KUNIT_EXPECT_EQ(test, 17, grh[29]);
	KUNIT_EXPECT_EQ(test, 0, (__force u16)ip_fast_csum(grh + 20, 5));
	KUNIT_EXPECT_EQ(test, 0x0a000001, get_unaligned_be32(grh + 32));

	KUNIT_ASSERT_EQ(test, 0, ernic_av_parse(&av, raw,
						rg_template(g, raw, true, -1)));
	ernic_av_grh(&av, grh, 100);
	KUNIT_EXPECT_EQ(test, 0x63512345, get_unaligned_be32(grh));
	KUNIT_EXPECT_EQ(test, 8 + 12 + 8 + 100 + 4,
			get_unaligned_be16(grh + 4));
	KUNIT_EXPECT_EQ(test, 17, grh[6]);
	KUNIT_EXPECT_EQ(test, 7, grh[7]);
	KUNIT_EXPECT_EQ(test, 0, memcmp(grh + 8, av.sgid, 16));
	KUNIT_EXPECT_EQ(test, 0, memcmp(grh + 24, av.dgid, 16));
}

static void delays(struct kunit *test)
{
	/* in units of 10 us, from the table of the specification */
	static const struct {
		u8 timer;
		u32 units;
	} rnr[] = {
		{ 0, 65536 }, { 1, 1 }, { 2, 2 }, { 5, 6 }, { 10, 32 },
		{ 12, 64 }, { 14, 128 }, { 20, 1024 }, { 25, 6144 },
		{ 30, 32768 }, { 31, 49152 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rnr); i++)
		KUNIT_EXPECT_EQ(test, (u64)rnr[i].units * 10000,
				ktime_to_ns(ernic_rnr_delay(rnr[i].timer)));
	for (i = 2; i < 32; i++)
		KUNIT_EXPECT_GT(test, ernic_rnr_delay(i),
				ernic_rnr_delay(i - 1));
	KUNIT_EXPECT_EQ(test, 4096 * 2, ktime_to_ns(ernic_ack_delay(1)));
	KUNIT_EXPECT_EQ(test, 4096ull << 14, ktime_to_ns(ernic_ack_delay(14)));
	KUNIT_EXPECT_EQ(test, 4096ull << 31, ktime_to_ns(ernic_ack_delay(31)));
}

/* the two versions of the opcodes mean the same */
static void opcodes(struct kunit *test)
{
	static const u8 pairs[][2] = {
		{ 0, 0x20 }, { 1, 0xa0 }, { 2, 0x60 }, { 3, 0x02 },
		{ 4, 0x21 }, { 5, 0x61 }, { 6, 0x04 }, { 7, 0x05 },
		{ 8, 0x06 }, { 9, 0x07 }, { 10, 0x08 },
	};
	int i, n1 = 0, n2 = 0;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct ernic_op_desc *d = ernic_op_find(1, pairs[i][0]);

		KUNIT_ASSERT_NOT_NULL(test, d);
		KUNIT_EXPECT_PTR_EQ(test, d, ernic_op_find(2, pairs[i][1]));
		KUNIT_EXPECT_EQ(test, i >= 8, ernic_op_is_local(d));
		KUNIT_EXPECT_EQ(test, i == 2 || i == 5, d->imm);
		KUNIT_EXPECT_EQ(test, i == 1, d->inv);
		KUNIT_EXPECT_EQ(test, i <= 2 || i == 5, d->recv);
	}
	for (i = 0; i < 256; i++) {
		n1 += !!ernic_op_find(1, i);
		n2 += !!ernic_op_find(2, i);
	}
	KUNIT_EXPECT_EQ(test, 11, n1);
	KUNIT_EXPECT_EQ(test, 11, n2);
}

static struct kunit_case rdma_qp_cases[] = {
	KUNIT_CASE(qp_moves),
	KUNIT_CASE(qp_walk),
	KUNIT_CASE(qp_create_bad),
	KUNIT_CASE(av_parse),
	KUNIT_CASE(av_grh),
	KUNIT_CASE(delays),
	KUNIT_CASE(opcodes),
	{}
};

static struct kunit_suite rdma_qp_suite = {
	.name = "ernic-rdma-qp",
	.test_cases = rdma_qp_cases,
};

kunit_test_suite(rdma_qp_suite);
