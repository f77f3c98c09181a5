// SPDX-License-Identifier: GPL-2.0-only
/* Regions, windows and their keys: who may do what, and where it ends. */
#include "rdma.h"

#define KEY	(7u << 8 | 0x42)
#define VA	0x7f0000001800ull
#define LEN	0x300u
#define ALL	(ION_MRF_LOCAL_WRITE | ION_MRF_REMOTE_WRITE | \
		 ION_MRF_REMOTE_READ | ION_MRF_REMOTE_ATOMIC)

static struct ernic_rqp *mr_qp(struct rguest *g, u32 flags)
{
	struct rg_cq *cq = rg_cq(g, 8, RG_CQ_LOG2);

	rg_qp(g, 16, ION_QPT_RC, cq, flags);
	return xa_load(&g->m->edev->rdma->qps, 16);
}

static u8 access(struct ernic_rqp *qp, u32 key, u64 va, u32 len, u16 access,
		 bool remote)
{
	struct ernic_seg seg = {};
	u8 status = ernic_mr_seg(qp, key, va, len, access, remote, &seg);

	if (!status)
		ernic_mr_put(seg.mr);
	return status;
}

static void mr_bounds(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, 0);
	static const struct {
		u64 va;
		u32 len;
		bool ok;
	} cases[] = {
		{ VA, 1, true }, { VA, LEN, true }, { VA + LEN - 1, 1, true },
		{ VA + 1, LEN - 1, true }, { VA, LEN + 1, false },
		{ VA - 1, 1, false }, { VA - 1, LEN, false },
		{ VA + LEN, 1, false }, { VA + 1, LEN, false },
		{ VA, U32_MAX, false }, { U64_MAX, 1, false },
		{ U64_MAX - 1, 3, false }, { 0, 1, false },
		{ VA + LEN - 1, U32_MAX, false },
	};
	int i;

	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, VA, LEN, rg_alloc(g, LEN), ALL));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u8 local = 0, remote = 0;

		if (!cases[i].ok) {
			local = ION_STS_LOCAL_PROT_ERR;
			remote = ION_STS_REMOTE_ACC_ERR;
		}
		KUNIT_EXPECT_EQ_MSG(test, local,
				    access(qp, KEY, cases[i].va, cases[i].len,
					   0, false), "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, remote,
				    access(qp, KEY, cases[i].va, cases[i].len,
					   ION_MRF_REMOTE_READ, true),
				    "case %d", i);
	}
}

static void mr_flags(struct kunit *test)
{
	static const u16 bits[] = {
		ION_MRF_LOCAL_WRITE, ION_MRF_REMOTE_WRITE, ION_MRF_REMOTE_READ,
		ION_MRF_REMOTE_ATOMIC,
	};
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, 0);
	u64 mem = rg_alloc(g, LEN);
	int i, j;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, VA, LEN, mem, bits[i]));
		for (j = 0; j < ARRAY_SIZE(bits); j++)
			KUNIT_EXPECT_EQ(test, i == j ? 0 :
					ION_STS_REMOTE_ACC_ERR,
					access(qp, KEY, VA, 8, bits[j], true));
		KUNIT_ASSERT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_MR,
						    KEY));
	}
}

/* the whole key counts, and the protection domain */
static void mr_keys(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, 0);
	u64 mem = rg_alloc(g, LEN);

	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, VA, LEN, mem, ALL));
	KUNIT_EXPECT_EQ(test, 0, access(qp, KEY, VA, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY ^ 1, VA, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY ^ 0x100, VA, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY | BIT(31), VA, 1, 0, false));
	qp->pd++;
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY, VA, 1, 0, false));
	qp->pd--;
	/* key 0 is all memory, for those who may */
	KUNIT_EXPECT_NE(test, 0, access(qp, 0, mem, 1, 0, false));
	qp->flags = ION_QPF_PRIVILEGED;
	KUNIT_EXPECT_EQ(test, 0, access(qp, 0, mem, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, access(qp, 0, mem, 1, 0, true));
	KUNIT_EXPECT_NE(test, 0, access(qp, 0, U64_MAX, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, access(qp, 0, ION_ADDR_MASK, 2, 0, false));
	KUNIT_EXPECT_EQ(test, 0, access(qp, 0, ION_ADDR_MASK, 1, 0, false));
	qp->flags = ION_QPF_REMOTE_PRIVILEGED;
	KUNIT_EXPECT_EQ(test, 0, access(qp, 0, mem, 1, 0, true));
	KUNIT_EXPECT_NE(test, 0, access(qp, 0, mem, 1, 0, false));
	/* gone is gone, whatever its low byte has become */
	KUNIT_EXPECT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_MR, KEY ^ 3));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY, VA, 1, 0, false));
	KUNIT_EXPECT_NE(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_MR, KEY));
}

static void mr_create_bad(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	u64 mem = rg_alloc(g, PAGE_SIZE);
	struct ion_admin_wqe wqe;
	__le64 *table = rg_ptr(g, mem);
	int i;
	static const struct {
		u32 key;
		u64 va;
		u64 len;
		u32 count;
		u16 flags;
		u8 shift;
		bool ok;
	} cases[] = {
		{ 0x100, 0x1000, 64, 1, 0, 12, true },
		{ 0x00ff, 0x1000, 64, 1, 0, 12, false },	/* index 0 */
		{ 131072u << 8, 0x1000, 64, 1, 0, 12, false },
		{ 131071u << 8, 0x1000, 64, 1, 0, 12, true },
		{ 0x200, 0x1000, 0, 1, 0, 12, false },		/* empty */
		{ 0x200, U64_MAX - 10, 64, 1, 0, 12, false },	/* wraps */
		{ 0x200, 0, 0, 0, 0, 12, false },		/* no memory */
		{ 0x200, 0, 0, 0, ION_MRF_INV_EN, 12, true },
		{ 0x300, 0, 64, 1, ION_MRF_IS_MW, 12, false },
		{ 0x300, 0, 64, 1, ION_MRF_ON_DEMAND, 12, false },
		/* two pages of 4 KiB: the offset comes out of the address */
		{ 0x300, 0x1ff0, 0x1011, 2, 0, 12, false },
		{ 0x300, 0x1ff0, 0x1010, 2, 0, 12, true },
		{ 0x400, 0x1000, 0x2001, 2, 0, 12, false },
		{ 0x400, 0x1000, 0x1000, 2, 0, 11, false },
		{ 0x400, 0x1000, 0x1000, 2, 0, 41, false },
		{ 0x400, 0x1000, 0x1000, 2, 0, 255, false },
		/* entry 4 is no address; nothing is left of the attempt */
		{ 0x400, 0x1000, 0x1000, 4, 0, 12, true },
		{ 0x500, 0x1000, 0x1000, 5, 0, 12, false },
		/* the limit of all tables */
		{ 0x500, 0x1000, 0x1000, (64 << 20) + 1, 0, 12, false },
		{ 0x500, 0x1000, 0x1000, U32_MAX, 0, 12, false },
		{ 0x500, 0, U64_MAX, 2, ION_MRF_ZERO_BASED, 30, false },
	};

	for (i = 0; i < 4; i++)
		table[i] = cpu_to_le64(MOCK_BASE + 0x1000 * i);
	table[4] = cpu_to_le64(BIT_ULL(52));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u8 status;

		memset(&wqe, 0, sizeof(wqe));
		wqe.cmd.create_mr.va = cpu_to_le64(cases[i].va);
		wqe.cmd.create_mr.length = cpu_to_le64(cases[i].len);
		wqe.cmd.create_mr.id_ver = cpu_to_le32(cases[i].key);
		wqe.cmd.create_mr.map_count = cpu_to_le32(cases[i].count);
		wqe.cmd.create_mr.dma_addr = cpu_to_le64(mem);
		wqe.cmd.create_mr.dbid_flags = cpu_to_le16(cases[i].flags);
		wqe.cmd.create_mr.page_size_log2 = cases[i].shift;
		status = rg_admin(g, &wqe, ION_ADMIN_CREATE_MR, 45);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].ok, !status, "case %d: %u",
				    i, status);
		/* twice */
		if (cases[i].ok)
			KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_STATE,
					rg_admin(g, &wqe, ION_ADMIN_CREATE_MR,
						 45));
	}
	KUNIT_EXPECT_EQ(test, 2 + 4,
			atomic64_read(&g->m->edev->rdma->pages));
	/* a body that is too short is no command */
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_ATTR,
			rg_admin(g, &wqe, ION_ADMIN_CREATE_MR, 44));
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_CMD, rg_admin(g, &wqe, 19, 44));
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_CMD, rg_admin(g, &wqe, 7, 0));
	KUNIT_EXPECT_EQ(test, 0, rg_admin(g, &wqe, ION_ADMIN_NOOP, 0));
}

/* bytes that cross pages of a table, in their order */
static void mr_pages(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, 0);
	struct ion_sge sge = {
		.va = cpu_to_be64(0x4ffc),
		.len = cpu_to_be32(8 + 0x1000),
		.lkey = cpu_to_be32(KEY),
	};
	u64 table = rg_alloc(g, 64), page[4];
	struct ernic_dev *edev = g->m->edev;
	struct ernic_sgl to, from = {};
	struct ion_admin_wqe wqe = {};
	u8 *data = kunit_kzalloc(test, 0x1008, GFP_KERNEL);
	struct ernic_rdma_usage before, after;
	int i, idx;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < 4; i++)
		page[i] = rg_alloc(g, PAGE_SIZE);
	for (i = 0; i < 4; i++)
		((__le64 *)rg_ptr(g, table))[i] = cpu_to_le64(page[3 - i]);
	wqe.cmd.create_mr.va = cpu_to_le64(0x3010);
	wqe.cmd.create_mr.length = cpu_to_le64(0x3ff0);
	wqe.cmd.create_mr.pd_id = cpu_to_le32(RG_PD);
	wqe.cmd.create_mr.id_ver = cpu_to_le32(KEY);
	wqe.cmd.create_mr.map_count = cpu_to_le32(4);
	wqe.cmd.create_mr.dma_addr = cpu_to_le64(table);
	wqe.cmd.create_mr.dbid_flags = cpu_to_le16(ALL);
	wqe.cmd.create_mr.page_size_log2 = 12;
	KUNIT_ASSERT_EQ(test, 0, rg_admin(g, &wqe, ION_ADMIN_CREATE_MR, 45));
	/* the table may be free memory now */
	memset(rg_ptr(g, table), 0xff, 64);

	for (i = 0; i < 0x1008; i++)
		data[i] = i * 7 + 1;
	from.data = data;
	from.total = 0x1008;
	KUNIT_ASSERT_EQ(test, 0, ernic_sgl_resolve(qp, &to, &sge, 1,
						   ION_MRF_LOCAL_WRITE));
	ernic_rdma_usage(edev, &before);
	idx = ernic_dma_lock(edev);
	KUNIT_EXPECT_EQ(test, 0, ernic_sgl_copy(&to, 0, &from, 0, 0x1008));
	ernic_dma_unlock(edev, idx);
	ernic_rdma_usage(edev, &after);
	/* each byte once */
	KUNIT_EXPECT_EQ(test, 0x1008, after.copied - before.copied);
	ernic_sgl_put(&to);
	/* pages 1, 2 and 3 of the region are the last but one, ... */
	KUNIT_EXPECT_EQ(test, 0, memcmp(rg_ptr(g, page[2] + 0xffc), data, 4));
	KUNIT_EXPECT_EQ(test, 0, memcmp(rg_ptr(g, page[1]), data + 4, 0x1000));
	KUNIT_EXPECT_EQ(test, 0, memcmp(rg_ptr(g, page[0]), data + 0x1004, 4));
	KUNIT_EXPECT_EQ(test, 0, *(u8 *)rg_ptr(g, page[0] + 4));
	KUNIT_EXPECT_EQ(test, 0, *(u8 *)rg_ptr(g, page[2] + 0xffb));
}

static void mr_fast(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, ION_QPF_PRIVILEGED);
	struct ion_v1_wqe wqe = {
		.base.num_sge_key = 0x43,
		.base.imm_data_key = cpu_to_be32((KEY & ~0xff) | 0x43),
		.reg_mr.va = cpu_to_be64(VA),
		.reg_mr.length = cpu_to_be64(LEN),
		.reg_mr.dma_addr = cpu_to_be64(rg_alloc(g, LEN)),
		.reg_mr.map_count = cpu_to_be32(1),
		.reg_mr.flags = cpu_to_be16(ION_MRF_REMOTE_READ),
		.reg_mr.page_size_log2 = 12,
	};
	u32 key = (KEY & ~0xff) | 0x43;

	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, 0, 0, 0, ION_MRF_INV_EN |
						       ION_MRF_UKEY_EN));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY, VA, 1, 0, false));
	/* user space writes its own requests */
	qp->flags = 0;
	KUNIT_EXPECT_EQ(test, ION_STS_MEM_MGMT_OPER_ERR, ernic_mr_reg(qp, &wqe));
	qp->flags = ION_QPF_PRIVILEGED;
	qp->pd++;
	KUNIT_EXPECT_EQ(test, ION_STS_MEM_MGMT_OPER_ERR, ernic_mr_reg(qp, &wqe));
	qp->pd--;
	KUNIT_EXPECT_EQ(test, 0, ernic_mr_reg(qp, &wqe));
	KUNIT_EXPECT_EQ(test, 0, access(qp, key, VA, LEN, ION_MRF_REMOTE_READ,
					true));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA, LEN, ION_MRF_REMOTE_WRITE,
					true));
	KUNIT_EXPECT_NE(test, 0, access(qp, KEY, VA, 1, 0, false));
	/* not over what is registered */
	KUNIT_EXPECT_EQ(test, ION_STS_MEM_MGMT_OPER_ERR, ernic_mr_reg(qp, &wqe));
	/* only with its key, and only once */
	KUNIT_EXPECT_NE(test, 0, ernic_mr_invalidate(qp, KEY));
	KUNIT_EXPECT_EQ(test, 0, ernic_mr_invalidate(qp, key));
	KUNIT_EXPECT_NE(test, 0, ernic_mr_invalidate(qp, key));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA, 1, 0, false));
	KUNIT_EXPECT_EQ(test, 0, ernic_mr_reg(qp, &wqe));
	KUNIT_EXPECT_EQ(test, 0, access(qp, key, VA, 1, 0, false));
}

static void mr_window(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rqp *qp = mr_qp(g, 0);
	struct ion_v1_wqe wqe = {
		.base.num_sge_key = 0x51,
		.base.imm_data_key = cpu_to_be32(9 << 8),
		.bind_mw.va = cpu_to_be64(VA + 0x100),
		.bind_mw.length = cpu_to_be64(0x80),
		.bind_mw.lkey = cpu_to_be32(KEY),
		.bind_mw.flags = cpu_to_be16(ION_MRF_REMOTE_WRITE),
	};
	u32 key = 9 << 8 | 0x51;

	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, VA, LEN, rg_alloc(g, LEN), ALL));
	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, 9 << 8, 0, 0, 0, ION_MRF_UKEY_EN |
				       ION_MRF_IS_MW | ION_MRF_INV_EN));
	/* the region does not allow windows */
	KUNIT_EXPECT_NE(test, 0, ernic_mr_bind(qp, &wqe));
	KUNIT_ASSERT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_MR, KEY));
	KUNIT_ASSERT_EQ(test, 0, rg_mr(g, KEY, VA, LEN, rg_alloc(g, LEN),
				       ALL | ION_MRF_MW_BIND));
	wqe.bind_mw.va = cpu_to_be64(VA + LEN - 0x7f);
	KUNIT_EXPECT_NE(test, 0, ernic_mr_bind(qp, &wqe));
	wqe.bind_mw.va = cpu_to_be64(VA + 0x100);
	KUNIT_EXPECT_EQ(test, 0, ernic_mr_bind(qp, &wqe));

	KUNIT_EXPECT_EQ(test, 0, access(qp, key, VA + 0x100, 0x80,
					ION_MRF_REMOTE_WRITE, true));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0xff, 1,
					ION_MRF_REMOTE_WRITE, true));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0x180, 1,
					ION_MRF_REMOTE_WRITE, true));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0x100, 1,
					ION_MRF_REMOTE_READ, true));
	/* not as a local key, and of type 2 not for another QP */
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0x100, 1, 0, false));
	qp->id++;
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0x100, 1,
					ION_MRF_REMOTE_WRITE, true));
	qp->id--;
	/* type 2 is bound once, and goes with its region */
	wqe.base.imm_data_key = cpu_to_be32(key);
	KUNIT_EXPECT_NE(test, 0, ernic_mr_bind(qp, &wqe));
	KUNIT_ASSERT_EQ(test, 0, rg_destroy(g, ION_ADMIN_DESTROY_MR, KEY));
	KUNIT_EXPECT_NE(test, 0, access(qp, key, VA + 0x100, 1,
					ION_MRF_REMOTE_WRITE, true));
	KUNIT_EXPECT_EQ(test, 0, ernic_mr_invalidate(qp, key));
}

typedef u8 create_fn(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);

/*
 * One from @first to the last, and not one more.  Past the ring of commands: there are
 * 200,000 of them.  All share their memory.
 */
static void limit(struct kunit *test, struct ernic_rdma *rdma, create_fn *create,
		  struct ion_admin_wqe *wqe, __le32 *id, unsigned int shift,
		  u32 first, u32 end)
{
	u32 i;

	mutex_lock(&rdma->aq_lock);
	for (i = first; i < end; i++) {
		*id = cpu_to_le32(i << shift);
		if (create(rdma, wqe))
			break;
		cond_resched();
	}
	*id = cpu_to_le32(end << shift);
	KUNIT_EXPECT_EQ(test, ION_ASTS_BAD_INDEX, create(rdma, wqe));
	mutex_unlock(&rdma->aq_lock);
	KUNIT_EXPECT_EQ(test, end, i);
}

/* as many of each as are advertised; RESET gives all of it back */
static void limits(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ernic_rdma *rdma = g->m->edev->rdma;
	struct ion_admin_wqe mr = {}, cq = {}, qp = {}, ah = {};
	__le64 mem = cpu_to_le64(rg_alloc(g, PAGE_SIZE));
	struct ernic_rdma_usage use;

	mr.cmd.create_mr = (struct ion_admin_create_mr){
		.va = cpu_to_le64(0x1000),
		.length = cpu_to_le64(64),
		.map_count = cpu_to_le32(1),
		.dma_addr = mem,
	};
	limit(test, rdma, ernic_mr_create, &mr, &mr.cmd.create_mr.id_ver, 8, 1,
	      131072);
	cq.cmd.create_cq = (struct ion_admin_create_cq){
		.eq_id = cpu_to_le32(3),
		.depth_log2 = 5,
		.stride_log2 = ION_CQE_LOG2,
		.map_count = cpu_to_le32(1),
		.dma_addr = mem,
	};
	limit(test, rdma, ernic_cq_create, &cq, &cq.cmd.create_cq.id_ver, 0, 1,
	      32768);
	qp.cmd.create_qp = (struct ion_admin_create_qp){
		.sq_cq_id = cpu_to_le32(7),
		.sq_depth_log2 = 3,
		.sq_stride_log2 = 6,
		.sq_map_count = cpu_to_le32(1),
		.sq_dma_addr = mem,
		.rq_cq_id = cpu_to_le32(8),
		.rq_depth_log2 = 3,
		.rq_stride_log2 = 6,
		.rq_map_count = cpu_to_le32(1),
		.rq_dma_addr = mem,
	};
	limit(test, rdma, ernic_qp_create, &qp, &qp.cmd.create_qp.id_ver, 0, 2,
	      16384);
	ah.cmd.create_ah = (struct ion_admin_create_ah){
		.dma_addr = mem,
		.length = cpu_to_le32(rg_template(g, rg_ptr(g,
					le64_to_cpu(mem)), false, -1)),
	};
	limit(test, rdma, ernic_ah_create, &ah, &ah.cmd.create_ah.id_ver, 0, 0,
	      32768);

	ernic_rdma_usage(g->m->edev, &use);
	KUNIT_EXPECT_EQ(test, 131071, use.mrs);
	KUNIT_EXPECT_EQ(test, 32768, use.cqs);
	KUNIT_EXPECT_EQ(test, 16382, use.qps);
	KUNIT_EXPECT_EQ(test, 32768, use.ahs);

	/* not by the queue, whose driver is impatient: it may take seconds here */
	mutex_lock(&g->m->edev->state_lock);
	ernic_rdma_reset(g->m->edev);
	mutex_unlock(&g->m->edev->state_lock);
	ernic_rdma_usage(g->m->edev, &use);
	KUNIT_EXPECT_EQ(test, 0, use.mrs + use.cqs + use.qps + use.ahs);
	KUNIT_EXPECT_EQ(test, 0, use.gids);
	KUNIT_EXPECT_TRUE(test, xa_empty(&rdma->mrs));
	KUNIT_EXPECT_TRUE(test, xa_empty(&rdma->cqs));
	KUNIT_EXPECT_TRUE(test, xa_empty(&rdma->qps));
	KUNIT_EXPECT_TRUE(test, xa_empty(&rdma->ahs));
}

static struct kunit_case rdma_mr_cases[] = {
	KUNIT_CASE(mr_bounds),
	KUNIT_CASE(mr_flags),
	KUNIT_CASE(mr_keys),
	KUNIT_CASE(mr_create_bad),
	KUNIT_CASE(mr_pages),
	KUNIT_CASE(mr_fast),
	KUNIT_CASE(mr_window),
	KUNIT_CASE_SLOW(limits),
	{}
};

static struct kunit_suite rdma_mr_suite = {
	.name = "ernic-rdma-mr",
	.test_cases = rdma_mr_cases,
};

kunit_test_suite(rdma_mr_suite);
