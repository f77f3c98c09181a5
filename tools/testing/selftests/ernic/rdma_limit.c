// SPDX-License-Identifier: GPL-2.0-only
/*
 * What identify advertises is there, to the last object, and that one works.
 */
#include <endian.h>
#include <string.h>

#include "rdma.h"

/* commands under way; two strides each at most */
#define BATCH 24

/* what all of a kind lie in: those that do nothing need no memory of their own */
static struct et_mem common;
static struct er_cq last_cq;

static struct ion_admin_wqe qp_wqe(u32 id)
{
	struct er_qp qp = {
		.r = &rig.r, .id = id, .cq = &rig.cq_a, .sq = common, .rq = common,
		.type = id == ION_QPN_GSI ? ION_QPT_UD : ION_QPT_RC,
	};

	return er_qp_wqe(&qp);
}

static struct ion_admin_wqe cq_wqe(u32 id)
{
	struct er_cq cq = { .r = &rig.r, .id = id, .ring = common };

	return er_cq_wqe(&cq);
}

static struct ion_admin_wqe mr_wqe(u32 id)
{
	return er_mr_wqe(id << 8, common.iova, 4096, common.iova, MR_RW);
}

static struct ion_admin_wqe ah_wqe(u32 id)
{
	struct ion_admin_wqe wqe = {
		.op = ION_ADMIN_CREATE_AH,
		.len = htole16(sizeof(wqe.cmd.create_ah)),
		.cmd.create_ah = {
			.pd_id = htole32(ER_PD),
			.dma_addr = htole64(rig.r.template.iova),
			.length = htole32(42),
			.id_ver = htole32(id),
		},
	};

	return wqe;
}

/* all from @from up to and without @to, but for two that are there */
static void create(struct ion_admin_wqe (*make)(u32 id), u32 from, u32 to, u32 skip, u32 skip2)
{
	u16 index[BATCH];
	unsigned int n, i, strides;
	u8 status;

	while (from < to) {
		for (n = 0; n < BATCH && from < to; from++) {
			u8 buf[2 * ION_ADMIN_STRIDE] = { 0 };
			struct ion_admin_wqe wqe;

			if (from == skip || from == skip2)
				continue;
			wqe = make(from);
			memcpy(buf, &wqe, sizeof(wqe));
			strides = (le16toh(wqe.len) + ION_ADMIN_HDR_LEN + ION_ADMIN_STRIDE - 1) /
				  ION_ADMIN_STRIDE;
			index[n++] = er_admin_post(&rig.r, buf, strides);
		}
		for (i = 0; i < n; i++) {
			CHECK(er_admin_reap(&rig.r, index[i], &status, 2000));
			if (status)
				FAIL("%u of the %u before %u: status %u", i, n, from, status);
		}
	}
}

/* the first number of those that are made; with little effort the last thousand only */
static u32 first(u32 n)
{
	return et_effort(100) < 100 && n > 1000 ? n - 1000 : 1;
}

static void limit_start(void)
{
	rdma_start();
	common = et_alloc(&dev, ER_RING * ER_STRIDE, 0);
	er_template(&rig.r, &rig.r);
}

/* all go at once, while the driver waits for the command, for five seconds at most */
static void limit_done(void)
{
	static const char *const what[] = { "qps", "cqs", "mrs", "ahs" };
	u64 start = et_now_ms();
	unsigned int i;

	CHECK_EQ(er_reset(&rig.r), ION_RC_SUCCESS);
	tap_note("RDMA_RESET_LIF: %llu ms", (unsigned long long)(et_now_ms() - start));
	for (i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		CHECK_EQ(et_debugfs(uuid0, "rdma", what[i]), 0);
	rdma_done();
}

TEST(last_queue_pair, 120)
{
	struct er_qp a = { 0 }, b = { 0 };
	struct ion_admin_wqe wqe;
	u32 n;

	limit_start();
	n = le32toh(rig.r.id.rdma.sq.qid_count);
	/* 0 is no number of a queue pair */
	create(qp_wqe, first(n), n - 2, rig.a.id, rig.b.id);
	CHECK_EQ(er_qp_create(&rig.r, &a, &rig.cq_a, n - 2, ION_QPT_RC, 0), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&rig.r, &b, &rig.cq_b, n - 1, ION_QPT_RC, 0), ION_ASTS_OK);
	CHECK_EQ(et_debugfs(uuid0, "rdma", "qps"), n - first(n) + 2 * (first(n) > rig.b.id));
	wqe = qp_wqe(n);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_BAD_INDEX);
	er_connect(&a, &b);
	rig.a = a;
	rig.b = b;
	rig_works(&rig, 5);
	limit_done();
}

TEST(last_completion_queue, 120)
{
	struct er_qp a = { 0 };
	struct ion_admin_wqe wqe;
	u32 n;

	limit_start();
	n = le32toh(rig.r.id.rdma.cq.qid_count);
	/* 0 is the admin queue's */
	create(cq_wqe, first(n), n - 1, rig.cq_a.id, rig.cq_b.id);
	CHECK_EQ(er_cq_create(&rig.r, &last_cq, n - 1), ION_ASTS_OK);
	CHECK_EQ(et_debugfs(uuid0, "rdma", "cqs"), n - first(n) + 1 + 2 * (first(n) > rig.cq_b.id));
	wqe = cq_wqe(n);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_BAD_INDEX);
	CHECK_EQ(er_qp_create(&rig.r, &a, &last_cq, 77, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&a, &rig.b);
	rig.a = a;
	rig_works(&rig, 6);
	limit_done();
}

TEST(last_memory_region, 180)
{
	struct ion_admin_wqe wqe;
	u32 n;

	limit_start();
	n = le32toh(rig.r.id.rdma.nmrs_per_lif);
	/* 0 is all memory, for the guest's kernel */
	create(mr_wqe, first(n), n, KEY_A >> 8, KEY_B >> 8);
	CHECK_EQ(et_debugfs(uuid0, "rdma", "mrs"), n - first(n) + 2 * (first(n) > KEY_B >> 8));
	wqe = mr_wqe(n);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_BAD_INDEX);
	fill(rig.mem_a, 9);
	er_post(&rig.a, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 4096, KEY_A, common.iova,
		(n - 1) << 8);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), 0);
	CHECK(is_fill(common, 9, 4096));
	rig_works(&rig, 7);
	limit_done();
}

/* RESET to RTS of a datagram queue pair */
static void ud_up(struct er_qp *qp)
{
	struct ion_admin_wqe wqe;

	wqe = er_modify_wqe(qp, ION_QPS_INIT, ION_QP_QKEY | ION_QP_PORT | ION_QP_PKEY_INDEX);
	wqe.cmd.mod_qp.qkey_dest_qpn = htole32(0x1234);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_OK);
	CHECK_EQ(er_to(qp, ION_QPS_RTR), ION_ASTS_OK);
	wqe = er_modify_wqe(qp, ION_QPS_RTS, ION_QP_SQ_PSN);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_OK);
}

TEST(last_address_handle, 120)
{
	struct er_qp a = { 0 }, b = { 0 };
	struct ion_admin_wqe wqe;
	struct ion_v1_cqe cqe;
	struct ion_v1_wqe *w;
	u32 n;

	limit_start();
	n = le32toh(rig.r.id.rdma.nahs_per_lif);
	create(ah_wqe, first(n) - 1, n, ~0u, ~0u);
	CHECK_EQ(et_debugfs(uuid0, "rdma", "ahs"), n - first(n) + 1);
	wqe = ah_wqe(n);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_BAD_INDEX);
	CHECK_EQ(er_qp_create(&rig.r, &a, &rig.cq_a, 77, ION_QPT_UD, 0), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&rig.r, &b, &rig.cq_b, 78, ION_QPT_UD, 0), ION_ASTS_OK);
	ud_up(&a);
	ud_up(&b);
	er_post_recv(&b, rig.mem_b.iova, MR_LEN, KEY_B);
	er_ring_rq(&b);
	fill(rig.mem_a, 8);
	er_post(&a, ION_V1_OP_SEND, rig.mem_a.iova, 1000, KEY_A, 0, 0);
	w = (struct ion_v1_wqe *)a.sq.va;
	w->common.send.ah_id = htobe32(n - 1);
	w->common.send.dest_qpn = htobe32(b.id);
	w->common.send.dest_qkey = htobe32(0x1234);
	er_ring_sq(&a);
	CHECK_EQ(er_send_status(&a), 0);
	CHECK(er_poll(&rig.cq_b, &cqe, 3000));
	CHECK_EQ(er_status(&cqe), 0);
	CHECK_EQ(be32toh(cqe.status_length), 1000 + ION_GRH_LEN);
	CHECK(is_fill((struct et_mem){ .va = rig.mem_b.va + ION_GRH_LEN, .len = 1000 }, 8, 1000));
	limit_done();
}
