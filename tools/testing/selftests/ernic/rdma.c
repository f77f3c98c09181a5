// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest, RDMA: commands, page tables, keys, work requests and doorbells.
 * After each harm the device answers, has touched nothing that it was not given, and
 * works for whoever behaves.
 */
#include <endian.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"
#include "verbs.h"

#define KEY_A (5 << 8 | 0x11) /* memory of the requester */
#define KEY_B (6 << 8 | 0x22) /* and of the responder */
#define MR_RW \
	(ION_MRF_LOCAL_WRITE | ION_MRF_REMOTE_WRITE | ION_MRF_REMOTE_READ | ION_MRF_REMOTE_ATOMIC)
#define MR_LEN 8192u
#define FILL 0x5a

static struct et_dev dev, other;

/* one device with a pair of RC queue pairs that are connected to each other */
struct rig {
	struct er_dev r;
	struct er_cq cq_a, cq_b;
	struct er_qp a, b;
	struct et_mem mem_a, mem_b;
};

static struct rig rig, rig2;

static void rig_objects(struct rig *g)
{
	CHECK_EQ(er_cq_create(&g->r, &g->cq_a, 10), ION_ASTS_OK);
	CHECK_EQ(er_cq_create(&g->r, &g->cq_b, 11), ION_ASTS_OK);
	CHECK_EQ(er_mr(&g->r, KEY_A, g->mem_a, MR_RW), ION_ASTS_OK);
	CHECK_EQ(er_mr(&g->r, KEY_B, g->mem_b, MR_RW), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&g->r, &g->a, &g->cq_a, 2, ION_QPT_RC, 0), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&g->r, &g->b, &g->cq_b, 3, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&g->a, &g->b);
}

static void rig_up(struct rig *g, struct et_dev *d, u8 last)
{
	er_setup(&g->r, d, last);
	if (!g->mem_a.va) {
		g->mem_a = et_alloc(d, MR_LEN, 0);
		g->mem_b = et_alloc(d, MR_LEN, FILL);
	}
	rig_objects(g);
}

static void fill(struct et_mem m, u32 seed)
{
	size_t i;

	for (i = 0; i < m.len; i++)
		m.va[i] = seed + i * 7;
}

static bool is_fill(struct et_mem m, u32 seed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (m.va[i] != (u8)(seed + i * 7))
			return false;
	return true;
}

/* a WRITE, a READ and a SEND, all data compared */
static void rig_works(struct rig *g, u32 seed)
{
	struct ion_v1_cqe cqe;

	fill(g->mem_a, seed);
	memset(g->mem_b.va, FILL, MR_LEN);
	er_post(&g->a, ION_V1_OP_RDMA_WRITE, g->mem_a.iova, 3000, KEY_A, g->mem_b.iova, KEY_B);
	er_ring_sq(&g->a);
	CHECK_EQ(er_send_status(&g->a), 0);
	CHECK(is_fill(g->mem_b, seed, 3000));
	CHECK_EQ(g->mem_b.va[3000], FILL);

	fill(g->mem_b, seed + 1);
	er_post(&g->a, ION_V1_OP_RDMA_READ, g->mem_a.iova, 5000, KEY_A, g->mem_b.iova, KEY_B);
	er_ring_sq(&g->a);
	CHECK_EQ(er_send_status(&g->a), 0);
	CHECK(is_fill(g->mem_a, seed + 1, 5000));

	er_post_recv(&g->b, g->mem_b.iova, MR_LEN, KEY_B);
	er_ring_rq(&g->b);
	fill(g->mem_a, seed + 2);
	er_post(&g->a, ION_V1_OP_SEND, g->mem_a.iova, 777, KEY_A, 0, 0);
	er_ring_sq(&g->a);
	CHECK_EQ(er_send_status(&g->a), 0);
	CHECK(er_poll(&g->cq_b, &cqe, 3000));
	CHECK_EQ(er_cqe_type(&cqe), ION_CQE_TYPE_RECV);
	CHECK_EQ(er_status(&cqe), 0);
	CHECK_EQ(be32toh(cqe.status_length), 777);
	CHECK(is_fill(g->mem_b, seed + 2, 777));
	memset(g->mem_b.va, FILL, MR_LEN);
}

static void start(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	rig_up(&rig, &dev, 1);
	rig_works(&rig, 1);
}

/* all anew, and the Ethernet side, too */
static void done(void)
{
	et_check_canary(&dev);
	et_still_works(&dev);
	rig_up(&rig, &dev, 1);
	rig_works(&rig, 99);
	et_check_canary(&dev);
}

TEST(behaves, 30)
{
	unsigned int i;

	start();
	for (i = 0; i < 50; i++)
		rig_works(&rig, i);
	er_connect(&rig.a, &rig.b);
	rig_works(&rig, 7);
	done();
}

/* the control: what the canary is for */
static void stray(void)
{
	struct et_mem m = { .iova = ET_ARENA_IOVA + ET_ARENA_SIZE - 4096, .len = 4096 };

	start();
	CHECK_EQ(er_mr(&rig.r, 7 << 8, m, MR_RW), ION_ASTS_OK);
	er_post(&rig.a, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 64, KEY_A, m.iova, 7 << 8);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), 0);
	et_check_canary(&dev);
}

TEST(control, 30)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	er_setup(&rig.r, &dev, 1);
	et_close(&dev);
	memset(&dev, 0, sizeof(dev));
	memset(&rig, 0, sizeof(rig));
	CHECK_EQ(tap_child(stray, 20), 1);
}

/* ---- commands --------------------------------------------------------------------- */

TEST(queues_of_the_ethernet_admin_queue, 30)
{
	static const u64 addrs[] = {
		0,
		1,
		8,
		ET_HOLE_IOVA,
		ET_ARENA_IOVA + 8,
		ET_ARENA_IOVA + ET_ARENA_SIZE - 64,
		ET_ARENA_IOVA - 64,
		(1ull << 52) - 64,
		1ull << 52,
		~0ull,
		~0ull & ~63ull,
	};
	union ion_cmd ok, cmd;
	unsigned int op, i;

	start();
	CHECK_EQ(er_reset(&rig.r), ION_RC_SUCCESS);
	for (op = ION_CMD_RDMA_CREATE_EQ; op <= ION_CMD_RDMA_CREATE_ADMINQ; op++) {
		ok = (union ion_cmd){ .rdma_queue.opcode = op };
		ok.rdma_queue.depth_log2 = 6;
		ok.rdma_queue.stride_log2 = op == ION_CMD_RDMA_CREATE_EQ ? 2 :
					    op == ION_CMD_RDMA_CREATE_CQ ? 5 :
									   6;
		ok.rdma_queue.dma_addr = htole64(rig.r.aq.iova);
		for (i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
			cmd = ok;
			cmd.rdma_queue.dma_addr = htole64(addrs[i]);
			CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
		}
		for (i = 0; i < 256; i++) {
			cmd = ok;
			cmd.rdma_queue.stride_log2 = i;
			if (i != ok.rdma_queue.stride_log2)
				CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
			cmd = ok;
			cmd.rdma_queue.depth_log2 = i;
			if (i < 1 || i > 20)
				CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
		}
		for (i = 16; i < 24; i++) {
			cmd = ok;
			cmd.rdma_queue.qid_ver = htole32(1u << i);
			CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
		}
		cmd = ok;
		cmd.rdma_queue.cid = htole32(~0u);
		CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
		cmd = ok;
		cmd.rdma_queue.dbid = htole16(1);
		CHECK(et_adminq(&dev, &cmd) != ION_RC_SUCCESS);
	}
	/* doorbells of queues that are not there */
	for (i = 0; i < 256; i++)
		er_db(&rig.r, 0, rig.r.id.rdma.aq.qtype, i, i & 7, i * 37);
	done();
}

/* Each opcode with random bodies: answered in order, and nothing else. */
TEST(random_commands, 60)
{
	u8 buf[2 * ION_ADMIN_STRIDE], status;
	unsigned int i, k;
	u16 index, len;

	start();
	srand(11);
	for (i = 0; i < 4000; i++) {
		for (k = 0; k < sizeof(buf); k++)
			buf[k] = rand() & 1 ? rand() : 0;
		buf[0] = i % 7 ? i % ION_ADMIN_OPCODES_MAX : (u8)rand();
		len = rand() % 65;
		/* what addresses there are lie where nothing must be written */
		for (k = 4; k + 8 <= sizeof(buf); k += 4)
			if (!(rand() & 7))
				*(u64 *)(buf + k) =
					htole64(ET_ARENA_IOVA + ET_ARENA_SIZE - 64 * (rand() & 63));
		buf[2] = len;
		buf[3] = 0;
		/* no answer may lie: QUERY and STATS write where they are told */
		if (buf[0] == ION_ADMIN_QUERY_QP || buf[0] == ION_ADMIN_STATS_HDRS ||
		    buf[0] == ION_ADMIN_STATS_VALS || buf[0] == ION_ADMIN_QP_STATS_HDRS ||
		    buf[0] == ION_ADMIN_QP_STATS_VALS)
			for (k = 4; k < sizeof(buf); k++)
				buf[k] = rand() & 1 ? 0xff : 0x20;
		index = er_admin_post(&rig.r, buf, (len + 4 + 63) / 64);
		if (!er_admin_reap(&rig.r, index, &status, 2000))
			FAIL("command %u of %u bytes: no answer", buf[0], len);
		if (buf[0] >= ION_ADMIN_OPCODES_MAX)
			CHECK_EQ(status, ION_ASTS_BAD_CMD);
	}
	done();
}

/* A body longer than any, or than what was announced, is the end of the queue. */
TEST(lengths_of_commands, 60)
{
	static const u16 lens[] = { 65, 124, 1000, 4096, 32768, 65535 };
	struct ion_admin_wqe wqe = { .op = ION_ADMIN_NOOP };
	u8 buf[ION_ADMIN_STRIDE] = { 0 }, status;
	unsigned int i;
	u16 index;

	start();
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		*(u16 *)(buf + 2) = htole16(lens[i]);
		index = er_admin_post(&rig.r, buf, 1);
		if (er_admin_reap(&rig.r, index, &status, 300))
			CHECK(status);
		et_check_canary(&dev);
		rig_up(&rig, &dev, 1);
		rig_works(&rig, i);
	}
	/* shorter than its opcode needs: refused, and the next one is right */
	for (i = ION_ADMIN_CREATE_CQ; i < ION_ADMIN_OPCODES_MAX; i++) {
		if (i == ION_ADMIN_DEBUG || i == ION_ADMIN_MODIFY_DCQCN || i == 7)
			continue;
		wqe.op = i;
		wqe.len = htole16(3);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	rig_works(&rig, 3);
	done();
}

TEST(many_commands_at_once, 60)
{
	struct ion_admin_wqe wqe = { .op = ION_ADMIN_NOOP };
	u8 buf[ION_ADMIN_STRIDE] = { 0 }, status;
	unsigned int i, k;
	u16 first;

	start();
	memcpy(buf, &wqe, 4);
	for (k = 0; k < 20; k++) {
		/* the ring but one, which is as much as its completions have room for */
		first = rig.r.aq_head;
		for (i = 0; i < ER_AQ_DEPTH - 1; i++)
			er_admin_post(&rig.r, buf, 1);
		for (i = 0; i < ER_AQ_DEPTH - 1; i++) {
			CHECK(er_admin_reap(&rig.r, (first + i) % ER_AQ_DEPTH, &status, 2000));
			CHECK_EQ(status, ION_ASTS_OK);
		}
	}
	rig_works(&rig, 3);
	done();
}

TEST(create_mr, 60)
{
	struct ion_admin_wqe ok = er_mr_wqe(9 << 8, 0, 0, 0, MR_RW), wqe;
	struct et_mem table;
	unsigned int i;
	u32 nmrs;

	start();
	nmrs = le32toh(rig.r.id.rdma.nmrs_per_lif);
	table = et_alloc(&dev, 4096, 0);
	ok = er_mr_wqe(9 << 8, rig.mem_a.iova, MR_LEN, rig.mem_a.iova, MR_RW);
	/* index 0, behind the last, in use */
	for (i = 0; i < 4; i++) {
		static const u32 keys[] = { 0, 0xff, KEY_A, KEY_B ^ 1 };

		wqe = ok;
		wqe.cmd.create_mr.id_ver = htole32(keys[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	for (i = nmrs; i < 1u << 24; i = i * 2 + 1) {
		wqe = ok;
		wqe.cmd.create_mr.id_ver = htole32(i << 8);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	wqe = ok;
	wqe.cmd.create_mr.pd_id = htole32(1u << 24);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_mr.length = 0;
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe.cmd.create_mr.length = htole64(~0ull);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_mr.va = htole64(~0ull - 100);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_mr.map_count = 0;
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);

	/* tables: of any page size, too short, where nothing is, of anything */
	for (i = 0; i < 512; i++)
		((u64 *)table.va)[i] = htole64(rig.mem_a.iova & ~4095ull);
	for (i = 0; i < 256; i++) {
		wqe = ok;
		wqe.cmd.create_mr.va = 0;
		wqe.cmd.create_mr.map_count = htole32(2);
		wqe.cmd.create_mr.dma_addr = htole64(table.iova);
		wqe.cmd.create_mr.page_size_log2 = i;
		if (i < 12 || i > 40)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	wqe = ok;
	wqe.cmd.create_mr.va = 0;
	wqe.cmd.create_mr.dma_addr = htole64(table.iova);
	wqe.cmd.create_mr.map_count = htole32(2);
	wqe.cmd.create_mr.length = htole64(2 * 4096 + 1);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe.cmd.create_mr.va = htole64(4095);
	wqe.cmd.create_mr.length = htole64(4098);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_mr.va = 0;
	wqe.cmd.create_mr.map_count = htole32(2);
	for (i = 0; i < 6; i++) {
		static const u64 addrs[] = {
			0,
			ET_HOLE_IOVA,
			1ull << 52,
			~0ull & ~7ull,
			ET_ARENA_IOVA + ET_ARENA_SIZE - 8,
			ET_ARENA_IOVA - 8,
		};

		wqe.cmd.create_mr.dma_addr = htole64(addrs[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	wqe.cmd.create_mr.dma_addr = htole64(table.iova);
	for (i = 0; i < 2; i++) {
		((u64 *)table.va)[1] = htole64(i ? ~0ull : 1ull << 52);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	/* more pages than anybody has: an answer in time */
	wqe.cmd.create_mr.map_count = htole32(~0u);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe.cmd.create_mr.map_count = htole32(1u << 20);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	/* all that failed left the key free */
	CHECK_EQ(er_admin(&rig.r, &ok), ION_ASTS_OK);
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_MR, 9 << 8), ION_ASTS_OK);
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_MR, 9 << 8) != ION_ASTS_OK);
	rig_works(&rig, 5);
	done();
}

TEST(create_cq, 30)
{
	struct er_cq cq = { .r = &rig.r, .id = 20 };
	struct ion_admin_wqe ok, wqe;
	unsigned int i;

	start();
	cq.ring = et_alloc(&dev, ER_CQ_DEPTH * 32, 0);
	ok = er_cq_wqe(&cq);
	for (i = 0; i < 256; i++) {
		wqe = ok;
		wqe.cmd.create_cq.depth_log2 = i;
		if (i < 1 || i > 24)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_cq.stride_log2 = i;
		if (i != ION_CQE_LOG2)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	for (i = 0; i < 4; i++) {
		static const u32 ids[] = { 0, 10, 11, 0xffffff };

		wqe = ok;
		wqe.cmd.create_cq.id_ver = htole32(ids[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	for (i = 8; i < 32; i++) {
		wqe = ok;
		wqe.cmd.create_cq.eq_id = htole32(1u << i);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	wqe = ok;
	wqe.cmd.create_cq.map_count = 0;
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_cq.dma_addr = htole64(1ull << 52);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	/* the admin queue's, one that queue pairs use, one that is not there */
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_CQ, 0) != ION_ASTS_OK);
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_CQ, 10) != ION_ASTS_OK);
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_CQ, 20) != ION_ASTS_OK);
	rig_works(&rig, 5);
	done();
}

TEST(create_qp, 30)
{
	struct er_qp qp = { .r = &rig.r, .cq = &rig.cq_a, .id = 30 };
	struct ion_admin_wqe ok, wqe;
	unsigned int i;

	start();
	qp.sq = et_alloc(&dev, ER_RING * ER_STRIDE, 0);
	qp.rq = et_alloc(&dev, ER_RING * ER_STRIDE, 0);
	ok = er_qp_wqe(&qp);
	for (i = 0; i < 256; i++) {
		wqe = ok;
		wqe.cmd.create_qp.type_state = i;
		if (i != ION_QPT_RC && i != ION_QPT_UC && i != ION_QPT_UD)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_qp.sq_depth_log2 = i;
		if (i < 1 || i > 16)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_qp.rq_depth_log2 = i;
		if (i < 1 || i > 16)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_qp.sq_stride_log2 = i;
		if (i < 6 || i > 9)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_qp.rq_stride_log2 = i;
		if (i < 6 || i > 9)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	for (i = 0; i < 4; i++) {
		static const u32 ids[] = { 0, 2, 3, 0xffffff };

		wqe = ok;
		wqe.cmd.create_qp.id_ver = htole32(ids[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	/* completion queues: none, and that of the admin queue */
	for (i = 0; i < 3; i++) {
		static const u32 ids[] = { 21, 0xffffff, ~0u };

		wqe = ok;
		wqe.cmd.create_qp.sq_cq_id = htole32(ids[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		wqe = ok;
		wqe.cmd.create_qp.rq_cq_id = htole32(ids[i]);
		CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	}
	wqe = ok;
	wqe.cmd.create_qp.sq_map_count = 0;
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_qp.rq_dma_addr = htole64(~0ull & ~63ull);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_QP, 30) != ION_ASTS_OK);
	CHECK_EQ(er_admin(&rig.r, &ok), ION_ASTS_OK);
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_QP, 30), ION_ASTS_OK);
	rig_works(&rig, 5);
	done();
}

/* Every state from every state, with every mask bit alone and templates of all kinds. */
TEST(modify_qp, 60)
{
	struct ion_admin_wqe wqe;
	struct ion_v1_cqe cqe;
	unsigned int i, k;

	start();
	srand(5);
	for (i = 0; i < 16; i++)
		for (k = 0; k < 32; k++) {
			wqe = er_modify_wqe(&rig.a, i, 1u << k);
			wqe.cmd.mod_qp.dma_addr = htole64(rig.r.template.iova);
			wqe.cmd.mod_qp.ah_id_len = htole32(rand());
			wqe.cmd.mod_qp.pmtu = rand();
			if (er_admin(&rig.r, &wqe) == ION_ASTS_OK)
				CHECK(i <= ION_QPS_ERR);
			while (er_poll(&rig.cq_a, &cqe, 0))
				;
		}
	for (i = 0; i < 256; i++) {
		CHECK_EQ(er_to(&rig.a, ION_QPS_RESET), ION_ASTS_OK);
		CHECK_EQ(er_to(&rig.a, ION_QPS_INIT), ION_ASTS_OK);
		er_template(&rig.r, &rig.r);
		for (k = 0; k < i / 8; k++)
			rig.r.template.va[rand() % 42] ^= 1 << rand() % 8;
		wqe = er_modify_wqe(&rig.a, ION_QPS_RTR,
				    ION_QP_AV | ION_QP_DEST_QPN | ION_QP_PATH_MTU);
		wqe.cmd.mod_qp.dma_addr = htole64(i == 7 ? ET_HOLE_IOVA : rig.r.template.iova);
		wqe.cmd.mod_qp.ah_id_len = htole32((u32)i << 24);
		wqe.cmd.mod_qp.qkey_dest_qpn = htole32(rand());
		k = er_admin(&rig.r, &wqe);
		if (i == 7 || (i != 42 && i != 46 && i != 62 && i != 66))
			CHECK(k != ION_ASTS_OK);
	}
	et_check_canary(&dev);
	er_connect(&rig.a, &rig.b);
	rig_works(&rig, 5);
	done();
}

TEST(address_handles, 30)
{
	struct ion_admin_wqe ok = { .op = ION_ADMIN_CREATE_AH,
				    .len = htole16(sizeof(ok.cmd.create_ah)) },
			     wqe;
	unsigned int i, nahs, n = 0;

	start();
	srand(6);
	nahs = le32toh(rig.r.id.rdma.nahs_per_lif);
	ok.cmd.create_ah.pd_id = htole32(ER_PD);
	ok.cmd.create_ah.dma_addr = htole64(rig.r.template.iova);
	ok.cmd.create_ah.length = htole32(er_template(&rig.r, &rig.r));
	ok.cmd.create_ah.id_ver = htole32(100);
	CHECK_EQ(er_admin(&rig.r, &ok), ION_ASTS_OK);
	CHECK(er_admin(&rig.r, &ok) != ION_ASTS_OK);
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_AH, 100), ION_ASTS_OK);
	CHECK(er_destroy(&rig.r, ION_ADMIN_DESTROY_AH, 100) != ION_ASTS_OK);
	wqe = ok;
	wqe.cmd.create_ah.id_ver = htole32(nahs);
	CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
	for (i = 0; i < 200; i++) {
		static const u32 lens[] = { 0, 1, 41, 43, 66, 67, 128, 4096, 65536, ~0u };

		wqe = ok;
		wqe.cmd.create_ah.length = htole32(lens[i % 10]);
		if (i % 10 != 4)
			CHECK(er_admin(&rig.r, &wqe) != ION_ASTS_OK);
		er_template(&rig.r, &rig.r);
		rig.r.template.va[rand() % 42] ^= 1 << rand() % 8;
		wqe = ok;
		wqe.cmd.create_ah.id_ver = htole32(200 + i);
		n += er_admin(&rig.r, &wqe) != ION_ASTS_OK;
	}
	/* some of the bits must matter */
	CHECK(n > 10);
	rig_works(&rig, 5);
	done();
}

/* ---- keys --------------------------------------------------------------------------- */

static u32 write_with(u64 va, u32 len, u32 lkey, u64 remote, u32 rkey)
{
	u32 status;

	er_post(&rig.a, ION_V1_OP_RDMA_WRITE, va, len, lkey, remote, rkey);
	er_ring_sq(&rig.a);
	status = er_send_status(&rig.a);
	if (status)
		er_connect(&rig.a, &rig.b);
	return status;
}

static bool untouched(void)
{
	size_t i;

	for (i = 0; i < MR_LEN; i++)
		if (rig.mem_b.va[i] != FILL)
			return false;
	return true;
}

TEST(guessed_keys, 60)
{
	unsigned int i;

	start();
	for (i = 0; i < 32; i++) {
		tap_note("bit %u", i);
		CHECK_EQ(write_with(rig.mem_a.iova, 64, KEY_A, rig.mem_b.iova, KEY_B ^ 1u << i),
			 ION_STS_REMOTE_ACC_ERR);
		CHECK(untouched());
		tap_note("lkey");
		CHECK_EQ(write_with(rig.mem_a.iova, 64, KEY_A ^ 1u << i, rig.mem_b.iova, KEY_B),
			 ION_STS_LOCAL_PROT_ERR);
		CHECK(untouched());
	}
	/* the keys of privileged queue pairs: all memory */
	CHECK_EQ(write_with(rig.mem_a.iova, 64, KEY_A, rig.mem_b.iova, 0), ION_STS_REMOTE_ACC_ERR);
	CHECK_EQ(write_with(rig.mem_a.iova, 64, 0, rig.mem_b.iova, KEY_B), ION_STS_LOCAL_PROT_ERR);
	CHECK(untouched());
	done();
}

TEST(bounds, 60)
{
	static const struct {
		u64 off;
		u32 len;
	} bad[] = {
		{ MR_LEN - 63, 64 }, { MR_LEN, 1 },	{ -1ull, 1 },	   { -1ull, 2 },
		{ -64ull, 128 },     { 0, MR_LEN + 1 }, { 1, 0x7fffffff }, { 0, 0x80000000 },
		{ 4, 0xffffffff },   { 1ull << 40, 8 }, { 1ull << 63, 8 }, { -8ull, 16 },
	};
	unsigned int i;

	start();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		u32 len = bad[i].len <= MR_LEN ? bad[i].len : MR_LEN;

		if (bad[i].len <= MR_LEN) {
			CHECK_EQ(write_with(rig.mem_a.iova, len, KEY_A, rig.mem_b.iova + bad[i].off,
					    KEY_B),
				 ION_STS_REMOTE_ACC_ERR);
			CHECK(untouched());
		}
		CHECK(write_with(rig.mem_a.iova + bad[i].off, bad[i].len, KEY_A, rig.mem_b.iova,
				 KEY_B));
		CHECK(untouched());
	}
	/* the last byte is fine */
	rig.mem_a.va[0] = FILL;
	CHECK_EQ(write_with(rig.mem_a.iova, 1, KEY_A, rig.mem_b.iova + MR_LEN - 1, KEY_B), 0);
	done();
}

/* A table is copied when the region is made. */
TEST(page_tables_are_copied, 30)
{
	struct et_mem table;
	struct ion_admin_wqe wqe;
	u64 *t;

	start();
	table = et_alloc(&dev, 4096, 0);
	t = (u64 *)table.va;
	t[0] = htole64(rig.mem_b.iova);
	t[1] = htole64(rig.mem_b.iova + 4096);
	wqe = er_mr_wqe(9 << 8, 0x10000, 8192, table.iova, MR_RW);
	wqe.cmd.create_mr.map_count = htole32(2);
	CHECK_EQ(er_admin(&rig.r, &wqe), ION_ASTS_OK);
	t[0] = htole64(ET_ARENA_IOVA + ET_ARENA_SIZE - 4096);
	t[1] = htole64(ET_HOLE_IOVA);
	fill(rig.mem_a, 3);
	CHECK_EQ(write_with(rig.mem_a.iova, 8192, KEY_A, 0x10000, 9 << 8), 0);
	CHECK(is_fill(rig.mem_b, 3, 8192));
	memset(rig.mem_b.va, FILL, MR_LEN);

	/* a page that is not there is an error when it is used, and only then */
	t[0] = htole64(rig.mem_b.iova);
	wqe = er_mr_wqe(12 << 8, 0x10000, 8192, table.iova, MR_RW);
	wqe.cmd.create_mr.map_count = htole32(2);
	if (er_admin(&rig.r, &wqe) == ION_ASTS_OK) {
		CHECK_EQ(write_with(rig.mem_a.iova, 4096, KEY_A, 0x10000, 12 << 8), 0);
		CHECK(write_with(rig.mem_a.iova, 16, KEY_A, 0x11000, 12 << 8));
		CHECK(write_with(rig.mem_a.iova, 8192, KEY_A, 0x10000, 12 << 8));
	}
	done();
}

/* REG_MR and BIND_MW of a process: they would be the way to all memory. */
TEST(unprivileged, 30)
{
	struct ion_v1_wqe *wqe;
	struct ion_admin_wqe mr;

	start();
	mr = er_mr_wqe(9 << 8, 0, 0, 0, MR_RW | ION_MRF_UKEY_EN | ION_MRF_INV_EN);
	mr.cmd.create_mr.map_count = 0;
	CHECK_EQ(er_admin(&rig.r, &mr), ION_ASTS_OK);
	wqe = er_sq_slot(&rig.a);
	wqe->base.op = ION_V1_OP_REG_MR;
	wqe->base.num_sge_key = 1;
	wqe->base.flags = htobe16(ION_V1_FLAG_SIG);
	wqe->base.imm_data_key = htobe32(9 << 8 | 1);
	wqe->reg_mr.va = htobe64(0);
	wqe->reg_mr.length = htobe64(4096);
	wqe->reg_mr.dma_addr = htobe64(ET_ARENA_IOVA + ET_ARENA_SIZE - 4096);
	wqe->reg_mr.map_count = htobe32(1);
	wqe->reg_mr.flags = htobe16(MR_RW);
	wqe->reg_mr.page_size_log2 = 12;
	er_ring_sq(&rig.a);
	CHECK(er_send_status(&rig.a));
	er_connect(&rig.a, &rig.b);
	CHECK(write_with(rig.mem_a.iova, 64, KEY_A, 0, 9 << 8 | 1));
	et_check_canary(&dev);

	/* a window over memory that may not be bound */
	mr = er_mr_wqe(13 << 8, 0, 0, 0, ION_MRF_IS_MW | ION_MRF_UKEY_EN | ION_MRF_INV_EN);
	mr.cmd.create_mr.map_count = 0;
	CHECK_EQ(er_admin(&rig.r, &mr), ION_ASTS_OK);
	wqe = er_sq_slot(&rig.a);
	wqe->base.op = ION_V1_OP_BIND_MW;
	wqe->base.num_sge_key = 1;
	wqe->base.flags = htobe16(ION_V1_FLAG_SIG);
	wqe->base.imm_data_key = htobe32(13 << 8);
	wqe->bind_mw.va = htobe64(rig.mem_b.iova);
	wqe->bind_mw.length = htobe64(MR_LEN);
	wqe->bind_mw.lkey = htobe32(KEY_B);
	wqe->bind_mw.flags = htobe16(ION_MRF_REMOTE_WRITE);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), ION_STS_MEM_MGMT_OPER_ERR);
	er_connect(&rig.a, &rig.b);
	done();
}

/* ---- work requests -------------------------------------------------------------------- */

/* Anything at all in both rings, both versions' opcodes, over and over. */
TEST(random_work_requests, 90)
{
	struct ion_v1_cqe cqe;
	unsigned int i, k, n;

	start();
	srand(13);
	for (i = 0; i < 400; i++) {
		n = 1 + rand() % (ER_RING - 1);
		for (k = 0; k < n; k++) {
			u8 *w = (u8 *)er_sq_slot(&rig.a), *v = (u8 *)er_rq_slot(&rig.b);
			unsigned int j;

			for (j = 8; j < ER_STRIDE; j++) {
				w[j] = rand() & 3 ? w[j] : rand();
				v[j] = rand() & 3 ? v[j] : rand();
			}
			if (i & 1) {
				/* something that is nearly right */
				struct ion_v1_wqe *q = (struct ion_v1_wqe *)w;

				q->base.op = rand() % 11;
				q->base.num_sge_key = rand() % 10;
				for (j = 0; j < 8; j++) {
					struct ion_sge *s = (struct ion_sge *)(w + 32) + j;

					s->va = htobe64(rig.mem_a.iova + rand() % 9000);
					s->len = htobe32(rand() % 9000);
					s->lkey = htobe32(KEY_A);
				}
				q->common.rdma.remote_va_high = htobe32(rig.mem_b.iova >> 32);
				q->common.rdma.remote_va_low =
					htobe32(rig.mem_b.iova + rand() % 9000);
				q->common.rdma.remote_rkey = htobe32(KEY_B);
			}
		}
		er_ring_rq(&rig.b);
		er_ring_sq(&rig.a);
		er_poll(&rig.cq_a, &cqe, i & 1 ? 200 : 20);
		er_connect(&rig.a, &rig.b);
		if (i % 50 == 49) {
			et_check_canary(&dev);
			rig_works(&rig, i);
		}
	}
	done();
}

/* The guest changes what the device is reading. */
static volatile bool race_stop;

static void *racer(void *arg)
{
	unsigned int seed = 3, i;

	while (!race_stop)
		for (i = 0; i < ER_RING; i++) {
			u8 *w = rig.a.sq.va + i * ER_STRIDE;

			w[9] = rand_r(&seed); /* elements */
			w[10 + rand_r(&seed) % 2] ^= 1 << rand_r(&seed) % 8;
			w[28 + rand_r(&seed) % 4] = rand_r(&seed); /* length */
			w[32 + rand_r(&seed) % 32] ^= 1 << rand_r(&seed) % 8;
		}
	return NULL;
}

TEST(double_fetch, 60)
{
	struct ion_v1_cqe cqe;
	pthread_t thread;
	unsigned int i, k;

	start();
	CHECK(!pthread_create(&thread, NULL, racer, NULL));
	for (i = 0; i < 300; i++) {
		for (k = 0; k < ER_RING - 1; k++)
			er_post(&rig.a, i & 1 ? ION_V1_OP_RDMA_WRITE : ION_V1_OP_RDMA_READ,
				rig.mem_a.iova, 100 + k * 300, KEY_A, rig.mem_b.iova, KEY_B);
		er_ring_sq(&rig.a);
		er_poll(&rig.cq_a, &cqe, 10);
		er_connect(&rig.a, &rig.b);
	}
	race_stop = true;
	pthread_join(thread, NULL);
	done();
}

/* ---- doorbells -------------------------------------------------------------------------- */

TEST(doorbells, 60)
{
	struct ion_v1_cqe cqe;
	unsigned int i, slot;

	start();
	srand(17);
	/* all classes, pages, numbers, rings and indices; what hits is random as well */
	for (i = 0; i < 20000; i++) {
		slot = i & 1 ? rand() & 15 : rand() & 511;
		er_db(&rig.r, rand() & 3 ? 0 : rand() & 63, slot, rand() & 1 ? rand() & 15 : rand(),
		      rand(), rand());
	}
	er_poll(&rig.cq_a, &cqe, 100);
	et_check_canary(&dev);
	done();
}

/* A process rings through its own page alone. */
TEST(pages_of_processes, 30)
{
	struct ion_v1_cqe cqe;
	unsigned int page;

	start();
	for (page = 1; page < 8; page++) {
		er_post(&rig.a, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 64, KEY_A, rig.mem_b.iova,
			KEY_B);
		er_db(&rig.r, page, rig.r.id.rdma.sq.qtype, rig.a.id, 0, rig.a.sq_head);
		CHECK(!er_poll(&rig.cq_a, &cqe, 100));
		CHECK(untouched());
		/* taken back */
		rig.a.sq_head = (rig.a.sq_head - 1) % ER_RING;
	}
	rig_works(&rig, 8);
	done();
}

/* ---- neighbours --------------------------------------------------------------------------- */

static void hostile(void)
{
	struct ion_v1_cqe cqe;
	unsigned int i, k;
	u8 buf[128], status;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_attach(&dev);
	et_start(&dev);
	srand(23);
	for (;;) {
		/* the neighbour's address, if that gets it anything */
		rig_up(&rig, &dev, rand() & 1 ? 1 : 2);
		for (i = 0; i < 40; i++) {
			for (k = 0; k < ER_RING * ER_STRIDE; k++)
				if (!(rand() & 7))
					rig.a.sq.va[k] = rand();
			for (k = 0; k < 30; k++)
				er_db(&rig.r, 0, rand() & 15, rand() & 15, rand(), rand());
			er_db(&rig.r, 0, rig.r.id.rdma.sq.qtype, 2, 0, rand());
			er_poll(&rig.cq_a, &cqe, 2);
			for (k = 0; k < sizeof(buf); k++)
				buf[k] = rand();
			buf[0] = rand() % ION_ADMIN_OPCODES_MAX;
			buf[2] = rand() % 60;
			buf[3] = 0;
			k = er_admin_post(&rig.r, buf, 1);
			if (!er_admin_reap(&rig.r, k, &status, 50))
				break;
		}
		if (rand() & 1)
			et_vfio_reset(&dev);
		et_attach(&dev);
		et_start(&dev);
	}
}

TEST(hostile_neighbour, 60)
{
	unsigned int n = 0;
	int status;
	pid_t pid;
	u64 end;

	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	pid = SYS(fork());
	if (!pid) {
		hostile();
		_exit(0);
	}
	end = et_now_ms() + 6000;
	while (et_now_ms() < end) {
		rig_works(&rig2, n);
		et_send_one(&other, n & 1, 60 + n % 1400);
		et_recv_one(&other, 60 + n % 1400);
		n++;
	}
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	SYS(waitpid(pid, &status, 0));
	tap_note("%u rounds of verified traffic meanwhile", n);
	CHECK(n > 20);
	CHECK_EQ(et_stat(&other, "tx_ucast_packets"), n);
	rig_works(&rig2, 3);
	et_check_canary(&other);
	start();
	done();
}

/* A queue pair belongs to the one that it was connected to. */
TEST(strangers, 60)
{
	struct ion_v1_cqe cqe;
	struct er_qp mine;
	unsigned int i;

	start();
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	rig_works(&rig2, 1);
	/* another device's queue pair 3 is connected to its own number 2 */
	memset(&mine, 0, sizeof(mine));
	CHECK_EQ(er_qp_create(&rig.r, &mine, &rig.cq_a, 2 + 38, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&mine, &rig2.b);
	/* which connected it to us; back to where it belongs */
	er_connect(&rig2.a, &rig2.b);
	fill(rig.mem_a, 1);
	memset(rig2.mem_b.va, FILL, MR_LEN);
	for (i = 0; i < 5; i++) {
		er_post(&mine, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 64, KEY_A, rig2.mem_b.iova,
			KEY_B);
		er_ring_sq(&mine);
		CHECK(er_poll(&rig.cq_a, &cqe, 10000));
		CHECK(er_status(&cqe));
		CHECK_EQ(rig2.mem_b.va[0], FILL);
		CHECK_EQ(er_to(&mine, ION_QPS_ERR), ION_ASTS_OK);
		break;
	}
	rig_works(&rig2, 2);
	et_check_canary(&other);
	et_close(&other);
	er_connect(&rig.a, &rig.b);
	done();
}
