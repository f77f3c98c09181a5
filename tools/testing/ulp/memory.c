// SPDX-License-Identifier: GPL-2.0-only
/* READ, WRITE and atomics to fast-registered memory; invalidation of both kinds. */
#include <linux/slab.h>
#include "ulp.h"

#define ROUNDS 60
#define RW (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/* Registers the responder's memory and waits until that is done. */
static int ulp_register(struct ulp *u, size_t off, size_t len, int access)
{
	struct ib_reg_wr reg;
	struct ulp_op *op = ulp_op(u);
	int rc = ulp_map(u, &u->b, off, len, access, &reg);

	if (rc)
		return rc;
	reg.wr.wr_cqe = &op->cqe;
	reg.wr.send_flags = IB_SEND_SIGNALED;
	return ulp_post(u, &u->b, &reg.wr) ?: ulp_wait(u, &u->b, op, IB_WC_SUCCESS, "REG_MR");
}

/* One READ or WRITE of the requester's [off, len) with the registered memory at pos. */
static int ulp_access(struct ulp *u, enum ib_wr_opcode opcode, size_t off, size_t len, size_t pos, u32 rkey,
		      enum ib_wc_status want)
{
	struct ib_sge sge[8];
	struct ulp_op *op = ulp_op(u);
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &op->cqe,
			.opcode = opcode,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = sge,
			.num_sge = ulp_sges(&u->a, sge, 8, off, len),
			.ex.imm_data = cpu_to_be32(off),
		},
		.remote_addr = u->b.mr->iova + pos,
		.rkey = rkey,
	};

		return ulp_post(u, &u->a, &wr.wr) ?:
	       ulp_wait(u, &u->a, op, want, opcode == IB_WR_RDMA_READ ? "READ" : "WRITE");
}

/* kinds: 3, or 2 without READ */
static int ulp_one_access(struct ulp *u, size_t base, size_t size, int kinds)
{
	size_t len = 1 + prandom_u32_state(&u->rnd) % min(size, 6 * PAGE_SIZE);
	size_t pos = prandom_u32_state(&u->rnd) % (size - len + 1), off = prandom_u32_state(&u->rnd) % PAGE_SIZE;
	u32 key = prandom_u32_state(&u->rnd);
	struct ulp_op *recv = ulp_op(u);
	struct ib_sge none;
	int rc;

	switch (prandom_u32_state(&u->rnd) % kinds) {
	case 0:
		ulp_fill(&u->b, base, size, ~key);
		ulp_fill(&u->a, off, len, key);
		rc = ulp_access(u, IB_WR_RDMA_WRITE, off, len, pos, u->b.mr->rkey, IB_WC_SUCCESS);
		break;
	case 1:
		ulp_fill(&u->b, base, size, ~key);
		ulp_fill(&u->a, off, len, key);
		rc = ulp_recv(u, &u->b, recv, &none, 0) ?:
		     ulp_access(u, IB_WR_RDMA_WRITE_WITH_IMM, off, len, pos, u->b.mr->rkey, IB_WC_SUCCESS) ?:
		     ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV of a WRITE");
		if (!rc && (recv->wc.opcode != IB_WC_RECV_RDMA_WITH_IMM || recv->wc.byte_len != len ||
			    recv->wc.ex.imm_data != cpu_to_be32(off)))
			rc = ulp_fail(u, "WRITE of %zu bytes completes as opcode %d of %u, %#x", len,
				      recv->wc.opcode, recv->wc.byte_len, be32_to_cpu(recv->wc.ex.imm_data));
		break;
	default:
		ulp_fill(&u->b, base, size, key);
		ulp_fill(&u->a, 0, off + len + 64, ~key);
		rc = ulp_access(u, IB_WR_RDMA_READ, off, len, pos, u->b.mr->rkey, IB_WC_SUCCESS);
		if (rc)
			return rc;
		if (!ulp_holds(&u->a, off, len, key, pos) || !ulp_holds(&u->a, 0, off, ~key, 0) ||
		    !ulp_holds(&u->a, off + len, 64, ~key, off + len))
			return ulp_fail(u, "READ of %zu bytes at %#zx: other data", len, pos);
		return 0;
	}
	if (rc)
		return rc;
	if (!ulp_holds(&u->b, base + pos, len, key, 0) || !ulp_holds(&u->b, base, pos, ~key, 0) ||
	    !ulp_holds(&u->b, base + pos + len, size - pos - len, ~key, pos + len))
		return ulp_fail(u, "WRITE of %zu bytes at %#zx: other data", len, pos);
	return 0;
}

static int ulp_accesses(struct ulp *u, enum ib_qp_type type)
{
	int rc = ulp_connect(u, type, 7);

	for (int i = 0; !rc && i < ROUNDS; i++) {
		size_t base = prandom_u32_state(&u->rnd) % (4 * PAGE_SIZE);
		size_t size = 1 + prandom_u32_state(&u->rnd) % (40 * PAGE_SIZE);

		rc = ulp_register(u, base, size, RW);
		for (int k = 0; !rc && k < 4; k++)
			rc = ulp_one_access(u, base, size, type == IB_QPT_UC ? 2 : 3);
		if (!rc)
			rc = ulp_invalidate(u, &u->b, u->b.mr->rkey, IB_WC_SUCCESS);
	}
	return rc;
}

static int ulp_fast_register(struct ulp *u)
{
	return ulp_accesses(u, IB_QPT_RC);
}

static int ulp_uc_write(struct ulp *u)
{
	return ulp_accesses(u, IB_QPT_UC);
}

/* Registration, use and invalidation posted at once and nothing but the end signalled. */
static int ulp_chain(struct ulp *u)
{
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	for (int i = 0; !rc && i < ROUNDS; i++) {
		size_t len = 100 + prandom_u32_state(&u->rnd) % (4 * PAGE_SIZE);
		u32 key = prandom_u32_state(&u->rnd);
		struct ib_sge sge[8], dst[8];
		struct ib_send_wr send = {}, inv = {};
		struct ulp_op *op = ulp_op(u), *recv = ulp_op(u);
		struct ib_reg_wr reg;

		/* the requester's own memory, named by the key that it registers */
		ulp_fill(&u->a, 0, len, key);
		rc = ulp_recv(u, &u->b, recv, dst, ulp_sges(&u->b, dst, 8, 0, 5 * PAGE_SIZE)) ?:
		     ulp_map(u, &u->a, 0, len, IB_ACCESS_LOCAL_WRITE, &reg);
		if (rc)
			return rc;
		sge[0] = (struct ib_sge){ .addr = u->a.mr->iova, .length = len, .lkey = u->a.mr->lkey };
		send.opcode = IB_WR_SEND;
		send.sg_list = sge;
		send.num_sge = 1;
		inv.opcode = IB_WR_LOCAL_INV;
		inv.ex.invalidate_rkey = u->a.mr->rkey;
		inv.send_flags = IB_SEND_SIGNALED | IB_SEND_FENCE;
		inv.wr_cqe = &op->cqe;
		reg.wr.next = &send;
		send.next = &inv;
		rc = ulp_post(u, &u->a, &reg.wr) ?: ulp_wait(u, &u->a, op, IB_WC_SUCCESS, "the chain") ?:
		     ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV");
		if (!rc && !ulp_holds(&u->b, 0, len, key, 0))
			rc = ulp_fail(u, "%zu bytes: other data", len);
	}
	return rc;
}

/* SEND with invalidate: the key is told, and is no more. */
static int ulp_send_invalidate(struct ulp *u)
{
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	for (int i = 0; !rc && i < 10; i++) {
		struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
		struct ib_sge src, dst;
		struct ib_send_wr wr = {
			.wr_cqe = &send->cqe,
			.opcode = IB_WR_SEND_WITH_INV,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &src,
			.num_sge = 1,
		};

		rc = ulp_register(u, PAGE_SIZE, 2 * PAGE_SIZE, RW) ?: ulp_one_access(u, PAGE_SIZE, 2 * PAGE_SIZE, 3);
		if (rc)
			return rc;
		wr.ex.invalidate_rkey = u->b.mr->rkey;
		ulp_sges(&u->a, &src, 1, 0, 16);
		ulp_sges(&u->b, &dst, 1, 0, 64);
		rc = ulp_recv(u, &u->b, recv, &dst, 1) ?: ulp_post(u, &u->a, &wr) ?:
		     ulp_wait(u, &u->a, send, IB_WC_SUCCESS, "SEND_INV") ?:
		     ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV of a SEND_INV");
		if (rc)
			return rc;
		if (!(recv->wc.wc_flags & IB_WC_WITH_INVALIDATE) || recv->wc.ex.invalidate_rkey != u->b.mr->rkey)
			return ulp_fail(u, "key %#x is invalid, want %#x", recv->wc.ex.invalidate_rkey, u->b.mr->rkey);
		ulp_fill(&u->b, PAGE_SIZE, 64, 5);
		rc = ulp_access(u, IB_WR_RDMA_WRITE, 0, 64, 0, u->b.mr->rkey, IB_WC_REM_ACCESS_ERR);
		if (!rc && !ulp_holds(&u->b, PAGE_SIZE, 64, 5, 0))
			rc = ulp_fail(u, "written through an invalid key");
		if (!rc)
			rc = ulp_reconnect(u, 7);
	}
	return rc;
}

/* What a key does not allow fails and writes nothing. */
static int ulp_bounds(struct ulp *u)
{
	static const struct {
		const char *what;
		enum ib_wr_opcode opcode;
		size_t pos, len;
		int access;
		u32 flip;
		bool invalid;
	} cases[] = {
		{ "a byte behind", IB_WR_RDMA_WRITE, 3 * PAGE_SIZE - 99, 100, RW },
		{ "far behind", IB_WR_RDMA_WRITE, 1ul << 40, 8, RW },
		{ "before", IB_WR_RDMA_WRITE, -1ul, 8, RW },
		{ "around the end of all addresses", IB_WR_RDMA_READ, -16ul, 32, RW },
		{ "another key byte", IB_WR_RDMA_WRITE, 0, 64, RW, .flip = 1 },
		{ "another index", IB_WR_RDMA_READ, 0, 64, RW, .flip = 1 << 20 },
		{ "WRITE to what may be read", IB_WR_RDMA_WRITE, 0, 64, IB_ACCESS_REMOTE_READ },
		{ "READ of what may be written", IB_WR_RDMA_READ, 0, 64, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE },
		{ "no remote access", IB_WR_RDMA_WRITE, 0, 64, IB_ACCESS_LOCAL_WRITE },
		{ "after LOCAL_INV", IB_WR_RDMA_WRITE, 0, 64, RW, .invalid = true },
	};
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	for (int i = 0; !rc && i < ARRAY_SIZE(cases); i++) {
		rc = ulp_register(u, PAGE_SIZE, 3 * PAGE_SIZE, cases[i].access);
		if (!rc && cases[i].invalid)
			rc = ulp_invalidate(u, &u->b, u->b.mr->rkey, IB_WC_SUCCESS);
		if (rc)
			return rc;
		ulp_fill(&u->b, 0, 6 * PAGE_SIZE, i);
		rc = ulp_access(u, cases[i].opcode, 0, cases[i].len, cases[i].pos, u->b.mr->rkey ^ cases[i].flip,
				IB_WC_REM_ACCESS_ERR);
		if (!rc && !ulp_holds(&u->b, 0, 6 * PAGE_SIZE, i, 0))
			rc = ulp_fail(u, "memory changed");
		if (rc) {
			strlcat(u->why, "; ", sizeof(u->why));
			strlcat(u->why, cases[i].what, sizeof(u->why));
			return rc;
		}
		rc = ulp_reconnect(u, 7);
		if (!rc && !cases[i].invalid)
			rc = ulp_invalidate(u, &u->b, u->b.mr->rkey, IB_WC_SUCCESS);
	}
	return rc;
}

/* Registering what is registered is an error of the queue pair. */
static int ulp_register_twice(struct ulp *u)
{
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_register(u, 0, PAGE_SIZE, RW);
	struct ib_reg_wr reg;
	struct ulp_op *op = ulp_op(u);

	if (rc)
		return rc;
	rc = ulp_map(u, &u->b, 0, PAGE_SIZE, RW, &reg);
	if (rc)
		return rc;
	reg.wr.wr_cqe = &op->cqe;
	reg.wr.send_flags = IB_SEND_SIGNALED;
	return ulp_post(u, &u->b, &reg.wr) ?:
	       ulp_wait(u, &u->b, op, ulp_is_rxe(u) ? IB_WC_WR_FLUSH_ERR : IB_WC_MW_BIND_ERR, "the second REG_MR");
}

static int ulp_atomic(struct ulp *u)
{
	u64 *word = page_address(u->b.pages[0]), *old = page_address(u->a.pages[0]);
	int rc = ulp_connect(u, IB_QPT_RC, 7) ?: ulp_register(u, 0, PAGE_SIZE, RW | IB_ACCESS_REMOTE_ATOMIC);

	for (int i = 0; !rc && i < 20; i++) {
		u64 initial = prandom_u32_state(&u->rnd), want;
		struct ulp_op *op = ulp_op(u);
		struct ib_sge sge;
		struct ib_atomic_wr wr = {
			.wr = {
				.wr_cqe = &op->cqe,
				.opcode = i & 1 ? IB_WR_ATOMIC_CMP_AND_SWP : IB_WR_ATOMIC_FETCH_AND_ADD,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = &sge,
				.num_sge = ulp_sges(&u->a, &sge, 1, 0, 8),
			},
			.remote_addr = u->b.mr->iova + 64,
			.rkey = u->b.mr->rkey,
			.compare_add = i & 2 ? initial : initial + 7,
			.swap = 0x1122334455667788ull,
		};

		word[8] = initial;
		*old = ~initial;
				rc = ulp_post(u, &u->a, &wr.wr) ?: ulp_wait(u, &u->a, op, IB_WC_SUCCESS, "atomic");
		if (rc)
			return rc;
		if (!(i & 1))
			want = initial + wr.compare_add;
		else
			want = i & 2 ? wr.swap : initial;
		if (*old != initial || word[8] != want)
			rc = ulp_fail(u, "atomic %d: old %#llx, new %#llx, want %#llx and %#llx", i & 1, *old, word[8],
				      initial, want);
	}
	return rc;
}

const struct ulp_test ulp_memory[] = {
	{ "fast-register", ulp_fast_register, IB_POLL_SOFTIRQ },
	{ "fast-register-direct", ulp_fast_register, IB_POLL_DIRECT },
	{ "uc-write", ulp_uc_write, IB_POLL_SOFTIRQ },
	{ "chain", ulp_chain, IB_POLL_SOFTIRQ },
	{ "send-invalidate", ulp_send_invalidate, IB_POLL_SOFTIRQ },
	{ "bounds", ulp_bounds, IB_POLL_SOFTIRQ },
	{ "register-twice", ulp_register_twice, IB_POLL_SOFTIRQ },
	{ "atomic", ulp_atomic, IB_POLL_SOFTIRQ },
	{}
};
