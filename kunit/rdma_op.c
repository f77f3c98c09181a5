// SPDX-License-Identifier: GPL-2.0-only
/* Every opcode of both versions is executed; lengths up to the longest message. */
#include <linux/sizes.h>
#include <linux/unaligned.h>

#include "rdma.h"

#define SIG	ION_V1_FLAG_SIG

/* in the order of version 1 */
enum {
	OP_SEND, OP_SEND_INV, OP_SEND_IMM, OP_READ, OP_WRITE, OP_WRITE_IMM,
	OP_CS, OP_FA, OP_REG_MR, OP_LOCAL_INV, OP_BIND_MW, OP_COUNT
};

/* include/ionic/rdma.h has them as well; these are from ionic_fw.h */
static const u8 opcodes[][OP_COUNT] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
	{ 0x20, 0xa0, 0x60, 0x02, 0x21, 0x61, 0x04, 0x05, 0x06, 0x07, 0x08 },
};

/**
 * struct ops - a pair that goes through the opcodes
 * @version: of the opcodes
 * @mem: region of both ends
 * @msn: remote requests so far
 * @rx: receives so far
 */
struct ops {
	struct rg_pair *p;
	unsigned int version;
	u32 flags;
	u8 *mem;
	u32 msn;
	u32 rx;
};

static struct ops ops_open(struct kunit *test, unsigned int version, u32 flags)
{
	struct ernic_profile profile = ernic_profiles[1];
	struct ops o = { .version = version, .flags = flags };

	profile.rdma_version = version;
	o.p = rg_pair(test, &profile, ION_QPT_RC, flags);
	o.mem = rg_ptr(o.p->g, o.p->mem);
	return o;
}

static struct ion_v1_wqe *request(struct ops *o, unsigned int op)
{
	return rg_wqe(o->p->g, o->p->a, opcodes[o->version - 1][op], SIG);
}

static void run_remote(struct ops *o)
{
	rg_ring(o->p->g, o->p->a);
	RG_EXPECT_MSN(o->p->g, o->p->cqa, o->p->a, ++o->msn, 0);
	rg_consumed(o->p->g, o->p->cqa);
}

static void run_local(struct ops *o, struct ion_v1_wqe *wqe, u8 status)
{
	u64 id = wqe->base.wqe_id;

	rg_ring(o->p->g, o->p->a);
	RG_EXPECT_NPG(o->p->g, o->p->cqa, o->p->a, id, status);
	rg_consumed(o->p->g, o->p->cqa);
}

/* a message of 16 bytes, into a receive; also what it says beside its data */
static void run_send(struct ops *o, unsigned int op, u32 cqe_op, u32 imm)
{
	struct kunit *test = o->p->g->test;
	struct ion_v1_wqe *wqe;
	struct ion_v1_cqe cqe;

	memset(o->mem, 0x60 + op, 16);
	memset(o->mem + 0x100, 0, 64);
	rg_recv(o->p->g, o->p->b, RG_VA + 0x100, 64, o->p->key);
	wqe = request(o, op);
	rg_sge(wqe, RG_VA, 16, o->p->key);
	wqe->base.imm_data_key = cpu_to_be32(imm);
	/* of a WRITE with immediate data */
	if (op == OP_WRITE_IMM)
		rg_remote(wqe, RG_VA + 0x120, o->p->key);
	run_remote(o);
	KUNIT_ASSERT_TRUE(test, rg_poll(o->p->g, o->p->cqb, &cqe));
	rg_consumed(o->p->g, o->p->cqb);
	KUNIT_EXPECT_EQ(test, o->rx++ & 7, cqe.recv.wqe_id);
	KUNIT_EXPECT_FALSE(test, rg_cqe_error(&cqe));
	KUNIT_EXPECT_EQ(test, 16, be32_to_cpu(cqe.status_length));
	KUNIT_EXPECT_EQ(test, cqe_op << ION_CQE_RECV_OP_SHIFT | o->p->a->id,
			be32_to_cpu(cqe.recv.src_qpn_op));
	KUNIT_EXPECT_EQ(test, imm, be32_to_cpu(cqe.recv.imm_data_rkey));
	KUNIT_EXPECT_EQ(test, op == OP_WRITE_IMM ? 0 : 0x60 + op, o->mem[0x10f]);
	KUNIT_EXPECT_EQ(test, op == OP_WRITE_IMM ? 0x60 + op : 0, o->mem[0x120]);
}

static struct ernic_mr *mr_of(struct ops *o, u32 key)
{
	return xa_load(&o->p->g->m->edev->rdma->mrs, key >> 8);
}

static void run_send_inv(struct ops *o)
{
	u32 key = 21 << 8 | 5;

	KUNIT_ASSERT_EQ(o->p->g->test, 0,
			rg_mr(o->p->g, key, RG_VA, 64, o->p->mem,
			      ION_MRF_INV_EN | ION_MRF_UKEY_EN));
	run_send(o, OP_SEND_INV, ION_CQE_RECV_OP_SEND_INV, key);
	KUNIT_EXPECT_TRUE(o->p->g->test, mr_of(o, key)->free);
}

static void run_rdma(struct ops *o, unsigned int op, u32 to, u32 from)
{
	struct ion_v1_wqe *wqe;

	memset(o->mem, 0, 0x900);
	memset(o->mem + from, 0x70 + op, 16);
	wqe = request(o, op);
	rg_sge(wqe, RG_VA, 16, o->p->key);
	rg_remote(wqe, RG_VA + 0x800, o->p->key);
	run_remote(o);
	KUNIT_EXPECT_EQ(o->p->g->test, 0x70 + op, o->mem[to]);
	KUNIT_EXPECT_EQ(o->p->g->test, 0x70 + op, o->mem[to + 15]);
	KUNIT_EXPECT_EQ(o->p->g->test, 0, o->mem[to + 16]);
}

/* libionic has another place for the element in version 2 (ionic_v1_prep_atomic) */
static void atomic_sge(struct ops *o, struct ion_v1_wqe *wqe)
{
	u8 *raw = (u8 *)wqe;

	if (o->version == 1 || o->flags & ION_QPF_PRIVILEGED) {
		wqe->atomic.sge.va = cpu_to_be64(RG_VA + 0x40);
		wqe->atomic.sge.len = cpu_to_be32(8);
		wqe->atomic.sge.lkey = cpu_to_be32(o->p->key);
	} else {
		put_unaligned_be32(o->p->key, raw + 44);
		put_unaligned_be64(RG_VA + 0x40, raw + 48);
	}
}

static void run_atomic(struct ops *o, unsigned int op, u64 operand,
		       u64 compare, u64 before, u64 after)
{
	struct ion_v1_wqe *wqe = request(o, op);
	u64 *target = (u64 *)(o->mem + 0x80), *old = (u64 *)(o->mem + 0x40);

	*target = before;
	*old = 0;
	wqe->base.num_sge_key = 1;
	rg_remote(wqe, RG_VA + 0x80, o->p->key);
	wqe->atomic.swap_add_high = cpu_to_be32(operand >> 32);
	wqe->atomic.swap_add_low = cpu_to_be32(operand);
	wqe->atomic.compare_high = cpu_to_be32(compare >> 32);
	wqe->atomic.compare_low = cpu_to_be32(compare);
	atomic_sge(o, wqe);
	run_remote(o);
	KUNIT_EXPECT_EQ(o->p->g->test, before, *old);
	KUNIT_EXPECT_EQ(o->p->g->test, after, *target);
}

static void run_atomics(struct ops *o)
{
	const u64 x = 0x1122334455667788, y = 0x99aabbccddeeff01;

	run_atomic(o, OP_CS, y, x, x, y);
	run_atomic(o, OP_CS, y, x, x + 1, x + 1);
	run_atomic(o, OP_FA, y, 0, x, x + y);
}

/* its new key moves data, until it is invalidated; of a process it is refused */
static void run_reg(struct ops *o)
{
	u32 key = 22 << 8 | 0x43;
	struct ion_v1_wqe *wqe;

	KUNIT_ASSERT_EQ(o->p->g->test, 0,
			rg_mr(o->p->g, 22 << 8, 0, 0, 0, ION_MRF_INV_EN |
							 ION_MRF_UKEY_EN));
	wqe = request(o, OP_REG_MR);
	wqe->base.num_sge_key = 0x43;
	wqe->base.imm_data_key = cpu_to_be32(key);
	wqe->reg_mr.va = cpu_to_be64(0x50000);
	wqe->reg_mr.length = cpu_to_be64(0x100);
	wqe->reg_mr.dma_addr = cpu_to_be64(o->p->mem + 0x800);
	wqe->reg_mr.map_count = cpu_to_be32(1);
	wqe->reg_mr.flags = cpu_to_be16(ION_MRF_LOCAL_WRITE |
					ION_MRF_REMOTE_WRITE);
	wqe->reg_mr.page_size_log2 = 12;
	run_local(o, wqe, 0);
	memset(o->mem, 0x31, 16);
	wqe = request(o, OP_WRITE);
	rg_sge(wqe, RG_VA, 16, o->p->key);
	rg_remote(wqe, 0x50010, key);
	run_remote(o);
	KUNIT_EXPECT_EQ(o->p->g->test, 0x31, o->mem[0x810]);

	wqe = request(o, OP_LOCAL_INV);
	wqe->base.imm_data_key = cpu_to_be32(key);
	run_local(o, wqe, 0);
	KUNIT_EXPECT_TRUE(o->p->g->test, mr_of(o, key)->free);
}

static void run_bind(struct ops *o)
{
	u32 key = 23 << 8 | 0x51;
	struct ion_v1_wqe *wqe;

	KUNIT_ASSERT_EQ(o->p->g->test, 0,
			rg_mr(o->p->g, 23 << 8, 0, 0, 0, ION_MRF_UKEY_EN |
							 ION_MRF_IS_MW));
	wqe = request(o, OP_BIND_MW);
	wqe->base.num_sge_key = 0x51;
	wqe->base.imm_data_key = cpu_to_be32(23 << 8);
	wqe->bind_mw.va = cpu_to_be64(RG_VA + 0x900);
	wqe->bind_mw.length = cpu_to_be64(0x80);
	wqe->bind_mw.lkey = cpu_to_be32(o->p->key);
	wqe->bind_mw.flags = cpu_to_be16(ION_MRF_REMOTE_WRITE);
	run_local(o, wqe, 0);
	memset(o->mem, 0x32, 16);
	wqe = request(o, OP_WRITE);
	rg_sge(wqe, RG_VA, 16, o->p->key);
	rg_remote(wqe, RG_VA + 0x910, key);
	run_remote(o);
	KUNIT_EXPECT_EQ(o->p->g->test, 0x32, o->mem[0x910]);
}

static void op_all(struct kunit *test, unsigned int version, u32 flags)
{
	struct ops o = ops_open(test, version, flags);
	struct ion_v1_wqe *wqe;

	run_send(&o, OP_SEND, ION_CQE_RECV_OP_SEND, 0);
	run_send(&o, OP_SEND_IMM, ION_CQE_RECV_OP_SEND_IMM, 0xcafe0001);
	run_send_inv(&o);
	run_send(&o, OP_WRITE_IMM, ION_CQE_RECV_OP_RDMA_IMM, 0xcafe0002);
	run_rdma(&o, OP_WRITE, 0x800, 0);
	run_rdma(&o, OP_READ, 0, 0x800);
	run_atomics(&o);
	run_bind(&o);
	if (flags & ION_QPF_PRIVILEGED) {
		run_reg(&o);
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, rg_mr(o.p->g, 24 << 8, RG_VA, 64, o.p->mem,
				       ION_MRF_INV_EN | ION_MRF_UKEY_EN));
	wqe = request(&o, OP_LOCAL_INV);
	wqe->base.imm_data_key = cpu_to_be32(24 << 8);
	run_local(&o, wqe, 0);
	KUNIT_EXPECT_TRUE(test, mr_of(&o, 24 << 8)->free);
	wqe = request(&o, OP_REG_MR);
	wqe->base.imm_data_key = cpu_to_be32(24 << 8);
	wqe->reg_mr.length = cpu_to_be64(0x100);
	wqe->reg_mr.dma_addr = cpu_to_be64(o.p->mem);
	wqe->reg_mr.map_count = cpu_to_be32(1);
	run_local(&o, wqe, ION_STS_MEM_MGMT_OPER_ERR);
}

static void op_v1(struct kunit *test)
{
	op_all(test, 1, 0);
}

static void op_v1_kernel(struct kunit *test)
{
	op_all(test, 1, ION_QPF_PRIVILEGED);
}

static void op_v2(struct kunit *test)
{
	op_all(test, 2, 0);
}

static void op_v2_kernel(struct kunit *test)
{
	op_all(test, 2, ION_QPF_PRIVILEGED);
}

/* those of the other version, and what neither has, fail and do nothing */
static void op_refused(struct kunit *test, unsigned int version,
		       const u8 *bad, size_t n)
{
	struct ops o = ops_open(test, version, ION_QPF_PRIVILEGED);
	struct ion_v1_wqe *wqe;
	size_t i;

	for (i = 0; i < n; i++) {
		memset(o.mem, 0x11, 16);
		wqe = rg_wqe(o.p->g, o.p->a, bad[i], SIG);
		rg_sge(wqe, RG_VA, 16, o.p->key);
		rg_remote(wqe, RG_VA + 0x800, o.p->key);
		run_local(&o, wqe, ION_STS_LOCAL_QP_OPER_ERR);
		RG_EXPECT_RECV(o.p->g, o.p->cqa, o.p->a, 0,
			       RG_ERR | ION_STS_WQE_FLUSHED_ERR);
		rg_consumed(o.p->g, o.p->cqa);
		KUNIT_EXPECT_EQ(test, 0, o.mem[0x800]);
		KUNIT_ASSERT_EQ(test, 0, rg_modify(o.p->g, o.p->a->id,
						   ION_QPS_RESET, ION_QP_STATE,
						   NULL));
		o.p->a->sq_prod = 0;
		rg_connect(o.p->g, o.p->a, o.p->b->id);
	}
}

static void op_v1_refused(struct kunit *test)
{
	static const u8 bad[] = { 11, 0x20, 0x21, 0x60, 0x61, 0xa0, 0xff };

	op_refused(test, 1, bad, sizeof(bad));
}

static void op_v2_refused(struct kunit *test)
{
	static const u8 bad[] = {
		0, 1, 3, 9, 10, 0x22, 0x40, 0x80, 0xa1, 0xe0, 0xff
	};

	op_refused(test, 2, bad, sizeof(bad));
}

/* ---- lengths ------------------------------------------------------------------ */

#define LEN_SHIFT	17
#define LEN_PAGE	BIT(LEN_SHIFT)
#define LEN_ENTRIES	(ION_MAX_MSG / LEN_PAGE)
/* four pages that tables of rg_alloc() do not reach */
#define LEN_MEM		(MOCK_BASE + SZ_512K)
#define LEN_AT(i)	(LEN_MEM + (i) * LEN_PAGE)
#define LEN_FROM	(31 << 8)
#define LEN_TO		(32 << 8)

/*
 * A region of two GiB and one page in a guest of one MiB: page @first again and again,
 * and @last and @guard, of which there is one each, at the end.
 */
static void len_mr(struct rguest *g, u32 key, u64 first, u64 last, u64 guard)
{
	struct ion_admin_wqe cmd = {};
	u64 table = 0, at;
	unsigned int i;

	for (i = 0; i <= LEN_ENTRIES; i++) {
		if (i % (PAGE_SIZE / 8) == 0) {
			/* one after the other */
			at = rg_alloc(g, PAGE_SIZE);
			if (!i)
				table = at;
			KUNIT_ASSERT_EQ(g->test, table + 8 * i, at);
			KUNIT_ASSERT_LT(g->test, at, LEN_MEM);
		}
		*(__le64 *)rg_ptr(g, table + 8 * i) =
			cpu_to_le64(i == LEN_ENTRIES ? guard :
				    i == LEN_ENTRIES - 1 ? last : first);
	}
	cmd.cmd.create_mr = (struct ion_admin_create_mr){
		.length = cpu_to_le64((u64)ION_MAX_MSG + LEN_PAGE),
		.pd_id = cpu_to_le32(RG_PD),
		.id_ver = cpu_to_le32(key),
		.map_count = cpu_to_le32(LEN_ENTRIES + 1),
		.dma_addr = cpu_to_le64(table),
		.dbid_flags = cpu_to_le16(ION_MRF_LOCAL_WRITE |
					  ION_MRF_REMOTE_WRITE |
					  ION_MRF_REMOTE_READ),
		.page_size_log2 = LEN_SHIFT,
	};
	KUNIT_ASSERT_EQ(g->test, 0, rg_admin(g, &cmd, ION_ADMIN_CREATE_MR, 45));
}

static struct rg_pair *len_pair(struct kunit *test)
{
	struct rg_pair *p = rg_pair(test, NULL, ION_QPT_RC, 0);

	len_mr(p->g, LEN_FROM, LEN_AT(0), LEN_AT(0), LEN_AT(0));
	len_mr(p->g, LEN_TO, LEN_AT(1), LEN_AT(2), LEN_AT(3));
	return p;
}

/* the sums that fit, and the first that do not */
static void len_limits(struct kunit *test)
{
	static const struct {
		u32 len[ION_RDMA_MAX_SGE];
		u8 status;
		u32 total;
	} cases[] = {
		/* the driver writes what it has, 2 GiB for the kernel's zero */
		{ { 0 }, 0, 0 },
		{ { 1 }, 0, 1 },
		{ { 0x7fffffff }, 0, 0x7fffffff },
		{ { 0x80000000 }, 0, 0x80000000 },
		{ { 0x80000001 }, ION_STS_LOCAL_LEN_ERR },
		{ { 0x80000000 + LEN_PAGE }, ION_STS_LOCAL_LEN_ERR },
		/* beyond the region */
		{ { 0x80000001 + LEN_PAGE }, ION_STS_LOCAL_PROT_ERR },
		{ { 0xffffffff }, ION_STS_LOCAL_PROT_ERR },
		{ { 0x7fffffff, 1 }, 0, 0x80000000 },
		{ { 0x40000000, 0, 0x40000000 }, 0, 0x80000000 },
		{ { 0x80000000, 0 }, 0, 0x80000000 },
		{ { 0x80000000, 1 }, ION_STS_LOCAL_LEN_ERR },
		{ { 0x7fffffff, 2 }, ION_STS_LOCAL_LEN_ERR },
		/* 2^32, and eight times that: nothing is left of them in 32 bits */
		{ { 0x80000000, 0x80000000 }, ION_STS_LOCAL_LEN_ERR },
		{ { 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000,
		    0x80000000, 0x80000000, 0x80000000 },
		  ION_STS_LOCAL_LEN_ERR },
	};
	struct rg_pair *p = len_pair(test);
	struct ernic_rqp *qp = xa_load(&p->g->m->edev->rdma->qps, p->a->id);
	struct ion_sge sge[ION_RDMA_MAX_SGE];
	struct ernic_sgl sgl;
	int i, k;
	u8 status;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (k = 0; k < ION_RDMA_MAX_SGE; k++)
			sge[k] = (struct ion_sge){
				.len = cpu_to_be32(cases[i].len[k]),
				.lkey = cpu_to_be32(LEN_FROM),
			};
		status = ernic_sgl_resolve(qp, &sgl, sge, ION_RDMA_MAX_SGE, 0);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].status, status, "case %d", i);
		if (status)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, cases[i].total, sgl.total, "case %d",
				    i);
		ernic_sgl_put(&sgl);
	}
}

static void len_prepare(struct rguest *g)
{
	u32 i;

	for (i = 0; i < 4 * LEN_PAGE; i += PAGE_SIZE)
		memset(rg_ptr(g, LEN_MEM + i), i < LEN_PAGE ? 0x77 : 0x11,
		       PAGE_SIZE);
}

static u8 len_byte(struct rguest *g, u64 pos)
{
	u64 page = pos < ION_MAX_MSG - LEN_PAGE ? LEN_AT(1) :
		   pos < ION_MAX_MSG ? LEN_AT(2) : LEN_AT(3);

	return *(u8 *)rg_ptr(g, page + pos % LEN_PAGE);
}

/* @len bytes are there, to the byte, in the destination */
static void len_check(struct rguest *g, u64 len)
{
	KUNIT_EXPECT_EQ(g->test, len ? 0x77 : 0x11, len_byte(g, 0));
	if (len)
		KUNIT_EXPECT_EQ(g->test, 0x77, len_byte(g, len - 1));
	KUNIT_EXPECT_EQ(g->test, 0x11, len_byte(g, len));
	len_prepare(g);
}

static void len_data(struct kunit *test)
{
	static const u32 lens[] = { 0, 0x7fffffff, 0x80000000 };
	struct rg_pair *p = len_pair(test);
	struct ernic_rqp *qp = xa_load(&p->g->m->edev->rdma->qps, p->a->id);
	struct ion_v1_wqe *wqe;
	struct ion_v1_cqe cqe;
	u64 bytes = 0;
	u32 msn = 0;
	int i;

	len_prepare(p->g);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, SIG);
		rg_sge(wqe, 0, lens[i], LEN_FROM);
		rg_remote(wqe, 0, LEN_TO);
		rg_ring(p->g, p->a);
		RG_EXPECT_MSN(p->g, p->cqa, p->a, ++msn, 0);
		len_check(p->g, lens[i]);
		bytes += lens[i];
		KUNIT_EXPECT_EQ(test, bytes, qp->stats[ERNIC_QPS_TX_BYTES]);
	}
	/* in two elements; a receive of as much says how much there was */
	rg_recv(p->g, p->b, 0, 0x80000000, LEN_TO);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND, SIG);
	rg_sge(wqe, 0, 0x7ffffff0, LEN_FROM);
	rg_sge(wqe, 0, 0x10, LEN_FROM);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, ++msn, 0);
	KUNIT_ASSERT_TRUE(test, rg_poll(p->g, p->cqb, &cqe));
	KUNIT_EXPECT_FALSE(test, rg_cqe_error(&cqe));
	KUNIT_EXPECT_EQ(test, 0x80000000, be32_to_cpu(cqe.status_length));
	len_check(p->g, 0x80000000);
	/* and back: the destination is the requester's own */
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_READ, SIG);
	rg_sge(wqe, 0, 0x80000000, LEN_TO);
	rg_remote(wqe, 0, LEN_FROM);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, ++msn, 0);
	len_check(p->g, 0x80000000);

	/* a byte more is an error, and nothing moves */
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, SIG);
	rg_sge(wqe, 0, 0x80000001, LEN_FROM);
	rg_remote(wqe, 0, LEN_TO);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 5, ION_STS_LOCAL_LEN_ERR);
	len_check(p->g, 0);
}

static struct kunit_case rdma_op_cases[] = {
	KUNIT_CASE(op_v1),
	KUNIT_CASE(op_v1_kernel),
	KUNIT_CASE(op_v1_refused),
	KUNIT_CASE(op_v2),
	KUNIT_CASE(op_v2_kernel),
	KUNIT_CASE(op_v2_refused),
	KUNIT_CASE(len_limits),
	KUNIT_CASE_SLOW(len_data),
	{}
};

static struct kunit_suite rdma_op_suite = {
	.name = "ernic-rdma-op",
	.test_cases = rdma_op_cases,
};

kunit_test_suite(rdma_op_suite);
