// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest, RDMA: commands.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rdma.h"

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

	rdma_start();
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
	rdma_done();
}

/* Each opcode with random bodies: answered in order, and nothing else. */
TEST(random_commands, 60)
{
	u8 buf[2 * ION_ADMIN_STRIDE], status;
	unsigned int i, k;
	u16 index, len;

	rdma_start();
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
	rdma_done();
}

/* A body longer than any, or than what was announced, is the end of the queue. */
TEST(lengths_of_commands, 60)
{
	static const u16 lens[] = { 65, 124, 1000, 4096, 32768, 65535 };
	struct ion_admin_wqe wqe = { .op = ION_ADMIN_NOOP };
	u8 buf[ION_ADMIN_STRIDE] = { 0 }, status;
	unsigned int i;
	u16 index;

	rdma_start();
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
	rdma_done();
}

TEST(many_commands_at_once, 60)
{
	struct ion_admin_wqe wqe = { .op = ION_ADMIN_NOOP };
	u8 buf[ION_ADMIN_STRIDE] = { 0 }, status;
	unsigned int i, k;
	u16 first;

	rdma_start();
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
	rdma_done();
}

TEST(create_mr, 60)
{
	struct ion_admin_wqe ok = er_mr_wqe(9 << 8, 0, 0, 0, MR_RW), wqe;
	struct et_mem table;
	unsigned int i;
	u32 nmrs;

	rdma_start();
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
	rdma_done();
}

TEST(create_cq, 30)
{
	struct er_cq cq = { .r = &rig.r, .id = 20 };
	struct ion_admin_wqe ok, wqe;
	unsigned int i;

	rdma_start();
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
	rdma_done();
}

TEST(create_qp, 30)
{
	struct er_qp qp = { .r = &rig.r, .cq = &rig.cq_a, .id = 30 };
	struct ion_admin_wqe ok, wqe;
	unsigned int i;

	rdma_start();
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
	rdma_done();
}

/* Every state from every state, with every mask bit alone and templates of all kinds. */
TEST(modify_qp, 60)
{
	struct ion_admin_wqe wqe;
	struct ion_v1_cqe cqe;
	unsigned int i, k;

	rdma_start();
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
	rdma_done();
}

TEST(address_handles, 30)
{
	struct ion_admin_wqe ok = { .op = ION_ADMIN_CREATE_AH,
				    .len = htole16(sizeof(ok.cmd.create_ah)) },
			     wqe;
	unsigned int i, nahs, n = 0;

	rdma_start();
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
	rdma_done();
}
