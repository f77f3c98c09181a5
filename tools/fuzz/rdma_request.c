// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests, as they stand in the rings of queue pairs.
 */
#include "rdma.h"

u32 in_key(void)
{
	u8 how = in8();

	/* one of a few regions; rarely one that is not there */
	if (how < 240)
		return (1 + how % 6) << ION_KEY_INDEX_SHIFT;
	return how & 1 ? in32() : how & 2 ? 0 : (how & 3) << 8 | in8();
}

/* MRs lie at addresses of their own */
u64 rdma_mr_va(u32 key)
{
	return 0x10000ull * (1 + (key >> 8) * 3);
}

/* what a region has, or what is around it */
u64 in_va(u32 key)
{
	u64 va = rdma_mr_va(key);
	u8 how = in8();

	if (how < 32)
		return in_addr();
	if (how < 64)
		return va + in16() - 0x4000;
	return va + (how & 1 ? in8() : 0);
}

u32 in_len(void)
{
	u8 how = in8();

	return how < 200 ? how : how < 240 ? in16() & 0x3fff : in32();
}

/* @priv: key 0 means memory */
static void put_sge(struct ion_sge *s, u64 va, u32 len, u32 key, bool priv)
{
	s->va = cpu_to_be64(va);
	s->len = cpu_to_be32(len);
	s->lkey = cpu_to_be32(key);
	if (!key && priv)
		rdma_own(OWNER_DIRECT, 0, va, len ?: ION_MAX_MSG);
}

/* one that mostly works between the queue pairs of op_rdma_pair() */
static void rdma_good_wqe(struct ion_v1_wqe *w, bool recv)
{
	static const u8 ops[] = {
		ION_V1_OP_SEND, ION_V1_OP_SEND, ION_V1_OP_SEND_IMM, ION_V1_OP_RDMA_WRITE,
		ION_V1_OP_RDMA_WRITE_IMM, ION_V1_OP_RDMA_READ, ION_V1_OP_ATOMIC_CS,
		ION_V1_OP_ATOMIC_FA,
	};
	u8 how = in8();
	u32 key = (1 + (how & 1)) << ION_KEY_INDEX_SHIFT, len = in8();
	u32 rkey = (1 + (how >> 1 & 1)) << ION_KEY_INDEX_SHIFT;
	bool atomic;

	w->base.wqe_id = how;
	w->base.op = recv ? 0 : ops[how >> 5];
	atomic = !recv && (how >> 5) > 5;
	w->base.num_sge_key = 1;
	w->base.flags = cpu_to_be16(ION_V1_FLAG_SIG);
	if (recv)
		len = 0x1000;
	else if (atomic)
		len = 8;
	w->base.imm_data_key = cpu_to_be32(len);
	if (!recv) {
		w->common.length = cpu_to_be32(len);
		w->common.rdma.remote_va_low =
			cpu_to_be32(rdma_mr_va(rkey) + (in_one_of(16) ? in16() : 0));
		w->common.rdma.remote_rkey = cpu_to_be32(rkey);
	}
	if (!recv && (how >> 5) < 5 && in_one_of(4)) {
		w->base.flags |= cpu_to_be16(ION_V1_FLAG_INL);
		w->common.length = cpu_to_be32(len % (sizeof(*w) - ION_WQE_PLD_OFF));
		return;
	}
	put_sge(atomic ? &w->atomic.sge : &w->common.pld.sgl[0],
		rdma_mr_va(key) + (in_one_of(16) ? in16() : 0), len, key, false);
}

/* @qp: whose ring it stands in, from 0 */
void rdma_wqe(u8 *p, size_t len, unsigned int qp, bool recv)
{
	struct ion_v1_wqe *w = (void *)p;
	u8 how = in8();
	bool priv = rdma_privileged() >> (qp & 7) & 1;
	unsigned int i, n;
	u32 key, total = 0;

	if (len < sizeof(*w) || how < 16) {
		in_bytes(p, len);
		return;
	}
	memset(p, 0, len);
	if (how >= 64) {
		rdma_good_wqe(w, recv);
		return;
	}
	w->base.wqe_id = in8() & 7;
	w->base.op = how % 12;
	n = in8() % (len >= 160 ? 9 : 3);
	w->base.num_sge_key = in_one_of(16) ? in8() : n;
	w->base.flags =
		cpu_to_be16((in8() & 0xb) | (n > 2 || in_one_of(8) ? ION_V1_FLAG_SPEC32 : 0));
	key = in_key();
	w->base.imm_data_key = cpu_to_be32(key);
	switch (w->base.op) {
	case ION_V1_OP_REG_MR:
		w->base.num_sge_key = in8();
		w->reg_mr.va = cpu_to_be64(in_va(key));
		w->reg_mr.length = cpu_to_be64(in_len());
		w->reg_mr.offset = cpu_to_be64(in8() & 1 ? 0 : in16());
		w->reg_mr.map_count = cpu_to_be32(in8() & 7);
		w->reg_mr.dma_addr =
			cpu_to_be64(be32_to_cpu(w->reg_mr.map_count) == 1 ? in_addr() : TABLES);
		w->reg_mr.flags = cpu_to_be16(in16());
		w->reg_mr.page_size_log2 = in_one_of(8) ? in8() : 12;
		if (be32_to_cpu(w->reg_mr.map_count) == 1 && priv)
			rdma_own(OWNER_MR, key >> 8, be64_to_cpu(w->reg_mr.dma_addr),
				 be64_to_cpu(w->reg_mr.length));
		return;
	case ION_V1_OP_BIND_MW:
		w->base.num_sge_key = in8();
		w->bind_mw.lkey = cpu_to_be32(in_key());
		w->bind_mw.va = cpu_to_be64(in_va(be32_to_cpu(w->bind_mw.lkey)));
		w->bind_mw.length = cpu_to_be64(in_len());
		w->bind_mw.flags = cpu_to_be16(in16());
		return;
	}
	key = in_key();
	{
		u64 va = in_va(key);

		w->common.rdma.remote_va_high = cpu_to_be32(va >> 32);
		w->common.rdma.remote_va_low = cpu_to_be32(va);
		w->common.rdma.remote_rkey = cpu_to_be32(key);
		/* the flags of the other end count */
		if (!key && rdma_privileged())
			rdma_own(OWNER_DIRECT, 0, va, ION_MAX_MSG);
	}
	if (in_one_of(8)) {
		w->base.flags |= cpu_to_be16(ION_V1_FLAG_INL);
		w->common.length = cpu_to_be32(in8());
		return;
	}
	for (i = 0; i < n; i++) {
		bool spec = be16_to_cpu(w->base.flags) & ION_V1_FLAG_SPEC32;
		struct ion_sge *s =
			(void *)(p + (spec ? ION_WQE_SPEC32_SGE_OFF : ION_WQE_PLD_OFF)) +
			i * sizeof(*s);
		u32 l = in_len();

		if ((u8 *)(s + 1) > p + len)
			break;
		key = in_key();
		total += l;
		put_sge(s, in_va(key), l, key, priv);
	}
	w->common.length = cpu_to_be32(in_one_of(8) ? in32() : total);
	if (w->base.op == ION_V1_OP_ATOMIC_CS || w->base.op == ION_V1_OP_ATOMIC_FA) {
		key = in_key();
		put_sge(&w->atomic.sge, in_va(key), 8, key, priv);
	}
}
