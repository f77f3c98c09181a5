// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest, RDMA: keys, work requests, doorbells.
 */
#include <endian.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rdma.h"

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

	rdma_start();
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
	rdma_done();
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

	rdma_start();
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
	rdma_done();
}

/* A table is copied when the region is made. */
TEST(page_tables_are_copied, 30)
{
	struct et_mem table;
	struct ion_admin_wqe wqe;
	u64 *t;

	rdma_start();
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
	rdma_done();
}

/* REG_MR and BIND_MW of a process: they would be the way to all memory. */
TEST(unprivileged, 30)
{
	struct ion_v1_wqe *wqe;
	struct ion_admin_wqe mr;

	rdma_start();
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
	rdma_done();
}

/* ---- work requests -------------------------------------------------------------------- */

/* Anything at all in both rings, both versions' opcodes, over and over. */
TEST(random_work_requests, 90)
{
	struct ion_v1_cqe cqe;
	unsigned int i, k, n;

	rdma_start();
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
	rdma_done();
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

	rdma_start();
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
	rdma_done();
}

/* ---- doorbells -------------------------------------------------------------------------- */

TEST(doorbells, 60)
{
	struct ion_v1_cqe cqe;
	unsigned int i, slot;

	rdma_start();
	srand(17);
	/* all classes, pages, numbers, rings and indices; what hits is random as well */
	for (i = 0; i < 20000; i++) {
		slot = i & 1 ? rand() & 15 : rand() & 511;
		er_db(&rig.r, rand() & 3 ? 0 : rand() & 63, slot, rand() & 1 ? rand() & 15 : rand(),
		      rand(), rand());
	}
	er_poll(&rig.cq_a, &cqe, 100);
	et_check_canary(&dev);
	rdma_done();
}

/* A process rings through its own page alone. */
TEST(pages_of_processes, 30)
{
	struct ion_v1_cqe cqe;
	unsigned int page;

	rdma_start();
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
	rdma_done();
}
