// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pair of queue pairs that are connected to each other, see rdma.h.
 */
#include <endian.h>
#include <string.h>

#include "rdma.h"

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

void rig_up(struct rig *g, struct et_dev *d, u8 last)
{
	er_setup(&g->r, d, last);
	if (!g->mem_a.va) {
		g->mem_a = et_alloc(d, MR_LEN, 0);
		g->mem_b = et_alloc(d, MR_LEN, FILL);
	}
	rig_objects(g);
}

void fill(struct et_mem m, u32 seed)
{
	size_t i;

	for (i = 0; i < m.len; i++)
		m.va[i] = seed + i * 7;
}

bool is_fill(struct et_mem m, u32 seed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (m.va[i] != (u8)(seed + i * 7))
			return false;
	return true;
}

void rig_works(struct rig *g, u32 seed)
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
