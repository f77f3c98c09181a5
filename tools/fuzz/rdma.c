// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RDMA side of the guest: its queues, what stands in them, and where the device
 * may write.
 *
 * As in memory.c nothing is stored.  Commands, work requests, page tables, templates
 * and elements are made when they are read, anew with each reading.  What memory they
 * name is the device's from then on: rings until they are destroyed, pages of a region
 * until its key is, direct addresses of privileged requests until the next reset.
 */
#include "fuzz.h"
#include "rdma/engine.h"

#define RDMA_EQS 4
#define RDMA_RANGES 4096
#define AQ_BASE RDMA_BASE /* rings, 64 KiB apart */
#define ACQ_BASE (RDMA_BASE + 0x10000)
#define EQ_BASE(i) (RDMA_BASE + 0x20000 + (i) * 0x8000ull)
#define CQ_BASE(i) (RDMA_BASE + 0x40000 + (i) * 0x8000ull)
#define SQ_BASE(i) (RDMA_BASE + 0x60000 + (i) * 0x8000ull)
#define RQ_BASE(i) (RDMA_BASE + 0xa0000 + (i) * 0x8000ull)
#define TABLES (RDMA_BASE + 0xe0000)
#define TEMPLATES (RDMA_BASE + 0xf0000)

enum owner { OWNER_NONE, OWNER_RING, OWNER_CQ, OWNER_MR, OWNER_DIRECT, OWNER_COMMAND };

static struct {
	enum owner owner;
	u32 id;
	u64 addr, len;
} range[RDMA_RANGES];
static unsigned int nranges;

static struct ion_admin_wqe admin; /* the one that is being run */
static struct ion_admin_wqe script[16]; /* what comes before any that the bytes make */
static unsigned int script_next, script_end;
static u8 privileged; /* queue pairs, a bit each, that may use key 0 */
static struct {
	u64 addr, len;
} table[512]; /* pages that a table just named */
static unsigned int ntable;
static bool blind;	/* there may be rights that are not listed */

static void own(enum owner owner, u32 id, u64 addr, u64 len)
{
	if (!len || nranges == RDMA_RANGES)
		return;
	range[nranges].owner = owner;
	range[nranges].id = id;
	range[nranges].addr = addr;
	range[nranges++].len = len;
}

static void disown(enum owner owner, u32 id)
{
	unsigned int i, n = 0;

	for (i = 0; i < nranges; i++)
		if (range[i].owner != owner || (range[i].id != id && id != ~0u))
			range[n++] = range[i];
	nranges = n;
}

void rdma_mem_reset(void)
{
	nranges = 0;
	ntable = 0;
	script_next = 0;
	script_end = 0;
	privileged = 0;
	blind = false;
	memset(&admin, 0, sizeof(admin));
}

bool rdma_mem_full(void)
{
	return nranges > RDMA_RANGES - 600;
}

bool rdma_mem_allowed(u64 addr, u64 len)
{
	unsigned int i;

	if (blind)
		return true;
	for (i = 0; i < nranges; i++)
		if (addr >= range[i].addr && len <= range[i].len &&
		    addr - range[i].addr <= range[i].len - len)
			return true;
	return false;
}

/* ---- contents ----------------------------------------------------------------------- */

static u32 in_key(void)
{
	u8 how = in8();

	/* one of a few regions; rarely one that is not there */
	if (how < 240)
		return (1 + how % 6) << ION_KEY_INDEX_SHIFT;
	return how & 1 ? in32() : how & 2 ? 0 : (how & 3) << 8 | in8();
}

/* MRs lie at addresses of their own */
static u64 mr_va(u32 key)
{
	return 0x10000ull * (1 + (key >> 8) * 3);
}

/* what a region has, or what is around it */
static u64 in_va(u32 key)
{
	u64 va = mr_va(key);
	u8 how = in8();

	if (how < 32)
		return in_addr();
	if (how < 64)
		return va + in16() - 0x4000;
	return va + (how & 1 ? in8() : 0);
}

static u32 in_len(void)
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
		own(OWNER_DIRECT, 0, va, len ?: ION_MAX_MSG);
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
			cpu_to_be32(mr_va(rkey) + (in_one_of(16) ? in16() : 0));
		w->common.rdma.remote_rkey = cpu_to_be32(rkey);
	}
	put_sge(atomic ? &w->atomic.sge : &w->common.pld.sgl[0],
		mr_va(key) + (in_one_of(16) ? in16() : 0), len, key, false);
}

/* @qp: whose ring it stands in, from 0 */
static void rdma_wqe(u8 *p, size_t len, unsigned int qp, bool recv)
{
	struct ion_v1_wqe *w = (void *)p;
	u8 how = in8();
	bool priv = privileged >> (qp & 7) & 1;
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
			own(OWNER_MR, key >> 8, be64_to_cpu(w->reg_mr.dma_addr),
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
		if (!key && privileged)
			own(OWNER_DIRECT, 0, va, ION_MAX_MSG);
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

static void rdma_template(u8 *p, size_t len, const u8 *mac)
{
	memset(p, 0, len);
	if (len < 42) {
		in_bytes(p, len);
		return;
	}
	memcpy(p, mac, 6);
	memcpy(p + 6, mac, 6);
	p[12] = 0x08;
	p[14] = 0x45;
	p[22] = 64;
	p[23] = IPPROTO_UDP;
	p[26] = 10;
	p[29] = 1 + (in8() & 1);
	p[30] = 10;
	p[33] = 1 + (in8() & 1);
	p[36] = ION_ROCE_UDP_DPORT >> 8;
	p[37] = ION_ROCE_UDP_DPORT & 0xff;
	if (in_one_of(8))
		p[in8() % len] = in8();
}

static void rdma_table(u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		u64 addr = in_one_of(8) ? in_addr() : (in_addr() & ~0xfffull);

		put_unaligned_le64(addr, p + i);
		if (ntable < ARRAY_SIZE(table)) {
			table[ntable].addr = addr;
			table[ntable++].len = 4096;
		}
	}
}

/* a command; the ids are few, so that most hit something */
static void rdma_command(struct ion_admin_wqe *w)
{
	static const u8 ops[] = {
		ION_ADMIN_CREATE_CQ,	 ION_ADMIN_CREATE_QP,	  ION_ADMIN_CREATE_MR,
		ION_ADMIN_MODIFY_QP,	 ION_ADMIN_MODIFY_QP,	  ION_ADMIN_MODIFY_QP,
		ION_ADMIN_CREATE_MR,	 ION_ADMIN_CREATE_AH,	  ION_ADMIN_DESTROY_MR,
		ION_ADMIN_DESTROY_CQ,	 ION_ADMIN_DESTROY_QP,	  ION_ADMIN_DESTROY_AH,
		ION_ADMIN_QUERY_QP,	 ION_ADMIN_STATS_HDRS,	  ION_ADMIN_STATS_VALS,
		ION_ADMIN_QP_STATS_HDRS, ION_ADMIN_QP_STATS_VALS, ION_ADMIN_NOOP,
		ION_ADMIN_CREATE_QP,	 ION_ADMIN_MODIFY_QP,
	};
	u8 id, how;
	u32 count;

	if (script_next < script_end) {
		*w = script[script_next++];
		return;
	}
	id = in8() & 3;
	how = in8();
	count = how & 1 ? 1 : in8() & 7;
	memset(w, 0, sizeof(*w));
	w->op = ops[in8() % sizeof(ops)];
	w->len = cpu_to_le16(64);
	switch (w->op) {
	case ION_ADMIN_CREATE_CQ:
		w->cmd.create_cq.eq_id = cpu_to_le32(in8() & 3);
		w->cmd.create_cq.depth_log2 = 2 + (how >> 1 & 3);
		w->cmd.create_cq.stride_log2 = ION_CQE_LOG2;
		w->cmd.create_cq.page_size_log2 = 12;
		w->cmd.create_cq.id_ver = cpu_to_le32(1 + id);
		w->cmd.create_cq.dbid_flags = cpu_to_le16(how & 0x20 ? in8() & 3 : 0);
		w->cmd.create_cq.map_count = cpu_to_le32(count);
		w->cmd.create_cq.dma_addr = cpu_to_le64(count == 1 ? CQ_BASE(id) : TABLES);
		break;
	case ION_ADMIN_CREATE_QP: {
		static const u8 types[] = { ION_QPT_RC, ION_QPT_RC, ION_QPT_UD, ION_QPT_UC };
		struct ion_admin_create_qp *c = &w->cmd.create_qp;

		c->priv_flags =
			cpu_to_be32(how & 2 ? ION_QPF_PRIVILEGED | ION_QPF_REMOTE_PRIVILEGED : 0);
		c->sq_cq_id = cpu_to_le32(1 + (in8() & 3));
		c->rq_cq_id = cpu_to_le32(1 + (in8() & 3));
		c->sq_depth_log2 = 2 + (how >> 2 & 3);
		c->rq_depth_log2 = 2 + (how >> 4 & 3);
		c->sq_stride_log2 = how & 0x80 ? 8 : 6;
		c->rq_stride_log2 = how & 0x40 ? 8 : 6;
		c->sq_page_size_log2 = 12;
		c->rq_page_size_log2 = 12;
		c->sq_map_count = cpu_to_le32(1);
		c->rq_map_count = cpu_to_le32(1);
		c->sq_dma_addr = cpu_to_le64(SQ_BASE(id));
		c->rq_dma_addr = cpu_to_le64(RQ_BASE(id));
		c->id_ver = cpu_to_le32(1 + id);
		c->type_state = types[in8() & 3];
		c->dbid_flags = cpu_to_le16(in_one_of(4) ? in8() & 3 : 0);
		break;
	}
	case ION_ADMIN_CREATE_MR: {
		u32 key = in_key();
		struct ion_admin_create_mr *c = &w->cmd.create_mr;

		c->va = cpu_to_le64(in_va(key));
		c->length = cpu_to_le64(how & 0x80 ? in_len() : 0x2000);
		c->id_ver = cpu_to_le32(key);
		c->map_count = cpu_to_le32(count);
		c->dma_addr = cpu_to_le64(count == 1 ? in_addr() : TABLES);
		c->dbid_flags = cpu_to_le16(count ? in8() | 0xf :
						    ION_MRF_UKEY_EN | ION_MRF_INV_EN | 0xf |
							    (how & 2 ? ION_MRF_IS_MW : 0));
		c->page_size_log2 = 12;
		break;
	}
	case ION_ADMIN_MODIFY_QP: {
		struct ion_admin_mod_qp *m = &w->cmd.mod_qp;

		m->attr_mask = cpu_to_be32(how & 0x80 ? in32() | 1 : 0x13ffff);
		m->access_flags = cpu_to_be16(how & 2 ? 0x7 | ION_QPF_PRIVILEGED |
							ION_QPF_REMOTE_PRIVILEGED : 0x7);
		m->qkey_dest_qpn = cpu_to_le32(1 + (in8() & 3));
		m->pmtu = 8 + in8() % 5;
		m->retry = in8();
		m->rnr_timer = in8() & 31;
		m->retry_timeout = in8() & 31;
		m->rsq_depth = in8() & 7;
		m->rrq_depth = in8() & 7;
		m->ah_id_len = cpu_to_le32(42u << 24 | id);
		m->type_state = how & 0x40 ? in8() & 7 : 1 + (how >> 2 & 3) % 3;
		m->dma_addr = cpu_to_le64(TEMPLATES);
		m->id_ver = cpu_to_le32(1 + id);
		break;
	}
	case ION_ADMIN_CREATE_AH:
		w->cmd.create_ah.dma_addr = cpu_to_le64(TEMPLATES);
		w->cmd.create_ah.length = cpu_to_le32(how & 0xc0 ? 42 : in8());
		w->cmd.create_ah.id_ver = cpu_to_le32(id);
		break;
	case ION_ADMIN_QUERY_QP:
		w->cmd.query_qp.sq_dma_addr = cpu_to_le64(in_addr());
		w->cmd.query_qp.rq_dma_addr = cpu_to_le64(in_addr());
		w->cmd.query_qp.id_ver = cpu_to_le32(1 + id);
		break;
	case ION_ADMIN_STATS_HDRS:
	case ION_ADMIN_STATS_VALS:
	case ION_ADMIN_QP_STATS_HDRS:
	case ION_ADMIN_QP_STATS_VALS:
		w->cmd.stats.dma_addr = cpu_to_le64(in_addr());
		w->cmd.stats.length = cpu_to_le32(how & 0xe0 ? 4096 : in16());
		w->cmd.stats.id_ver = cpu_to_le32(1 + id);
		break;
	case ION_ADMIN_DESTROY_MR:
		w->cmd.destroy.id = cpu_to_le32(in_key());
		break;
	case ION_ADMIN_DESTROY_AH:
		w->cmd.destroy.id = cpu_to_le32(id);
		break;
	default:
		w->cmd.destroy.id = cpu_to_le32(1 + id);
	}
	if (in_one_of(8))
		w->cmd.body[in8() & 63] = in8();
	if (in_one_of(32))
		w->len = cpu_to_le16(in8());
}

/* the right to write that the command gives while it runs */
static void rdma_command_begin(void)
{
	ntable = 0;
	disown(OWNER_COMMAND, ~0u);
	switch (admin.op) {
	case ION_ADMIN_QUERY_QP:
		own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.sq_dma_addr),
		    sizeof(struct ion_query_qp_sq));
		own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.rq_dma_addr),
		    sizeof(struct ion_query_qp_rq));
		/* 0: the guest does not want the header of its packets back */
		if (admin.cmd.query_qp.hdr_dma_addr)
			own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.hdr_dma_addr),
			    sizeof_field(struct ernic_av, raw));
		break;
	case ION_ADMIN_STATS_HDRS:
	case ION_ADMIN_STATS_VALS:
	case ION_ADMIN_QP_STATS_HDRS:
	case ION_ADMIN_QP_STATS_VALS:
		own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.stats.dma_addr),
		    le32_to_cpu(admin.cmd.stats.length));
		break;
	}
}

static void own_pages(enum owner owner, u32 id, u32 count, u64 addr, u64 len)
{
	unsigned int i;

	if (count == 1)
		own(owner, id, addr, len);
	for (i = 0; count > 1 && i < ntable; i++)
		own(owner, id, table[i].addr, table[i].len);
}

/* drivers/ernic/trace.h says that a command is done */
void fuzz_rdma_command(struct ernic_dev *edev, u8 op, u8 status)
{
	disown(OWNER_COMMAND, ~0u);
	/* an admin queue that lies elsewhere: nobody here knows what stands in it */
	if (op != admin.op)
		blind = true;
	if (status)
		return;
	switch (op) {
	case ION_ADMIN_CREATE_CQ:
		own_pages(OWNER_CQ, le32_to_cpu(admin.cmd.create_cq.id_ver),
			  le32_to_cpu(admin.cmd.create_cq.map_count),
			  le64_to_cpu(admin.cmd.create_cq.dma_addr),
			  32ull << (admin.cmd.create_cq.depth_log2 & 31));
		break;
	case ION_ADMIN_CREATE_QP:
		/* whatever is destroyed later: a request may be under way */
		if (be32_to_cpu(admin.cmd.create_qp.priv_flags) &
		    (ION_QPF_PRIVILEGED | ION_QPF_REMOTE_PRIVILEGED))
			privileged |= BIT((le32_to_cpu(admin.cmd.create_qp.id_ver) - 1) & 7);
		break;
	case ION_ADMIN_CREATE_MR:
		own_pages(OWNER_MR, le32_to_cpu(admin.cmd.create_mr.id_ver) >> 8,
			  le32_to_cpu(admin.cmd.create_mr.map_count),
			  le64_to_cpu(admin.cmd.create_mr.dma_addr),
			  le64_to_cpu(admin.cmd.create_mr.length));
		break;
	case ION_ADMIN_DESTROY_CQ:
		disown(OWNER_CQ, le32_to_cpu(admin.cmd.destroy.id));
		break;
	case ION_ADMIN_DESTROY_MR:
		disown(OWNER_MR, le32_to_cpu(admin.cmd.destroy.id) >> 8);
		break;
	}
}

/* fills @buf if @iova is a place of RDMA's; memory.c asks */
bool rdma_mem_data(u64 iova, u8 *buf, size_t len)
{
	static u8 strides[2 * ION_ADMIN_STRIDE];
	unsigned int i;

	if (iova < RDMA_BASE || iova >= RDMA_BASE + 0x100000)
		return false;
	if (iova < ACQ_BASE) {
		/* the first stride of a command, or what follows it */
		if (len == ION_ADMIN_STRIDE && !(iova & (ION_ADMIN_STRIDE - 1))) {
			rdma_command(&admin);
			memcpy(strides, &admin, sizeof(admin));
			memcpy(buf, strides, len);
			rdma_command_begin();
		} else {
			memcpy(buf, strides + ION_ADMIN_STRIDE,
			       min_t(size_t, len, ION_ADMIN_STRIDE));
		}
		return true;
	}
	if (iova >= TEMPLATES) {
		rdma_template(buf, len, fuzz_mac());
		return true;
	}
	if (iova >= TABLES) {
		rdma_table(buf, len);
		/* of a work request: nobody says when it is done, nor for which region */
		if (fuzz_in_request())
			for (i = 0; i < ntable; i++)
				own(OWNER_DIRECT, 0, table[i].addr, table[i].len);
		return true;
	}
	if (iova >= SQ_BASE(0)) {
		bool recv = iova >= RQ_BASE(0);

		rdma_wqe(buf, len, (iova - (recv ? RQ_BASE(0) : SQ_BASE(0))) / 0x8000, recv);
		return true;
	}
	return false;
}

/* ---- operations ------------------------------------------------------------------------ */

static void queue_command(union ion_cmd *cmd, u8 op, u32 qid, u32 cid, u8 depth, u8 stride,
			  u64 addr)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->rdma_queue.opcode = op;
	cmd->rdma_queue.qid_ver = cpu_to_le32(qid);
	cmd->rdma_queue.cid = cpu_to_le32(cid);
	cmd->rdma_queue.depth_log2 = depth;
	cmd->rdma_queue.stride_log2 = stride;
	cmd->rdma_queue.dma_addr = cpu_to_le64(addr);
	if (in_one_of(32))
		cmd->bytes[in8() & 31] = in8();
	/* mostly where commands are made */
	if (op == ION_CMD_RDMA_CREATE_ADMINQ && !in_one_of(64))
		cmd->rdma_queue.dma_addr = cpu_to_le64(addr);
}

/* the command of Ethernet's admin queue is done */
void rdma_queue_created(const union ion_cmd *cmd)
{
	u64 len = 1ull << ((cmd->rdma_queue.depth_log2 + cmd->rdma_queue.stride_log2) & 63);

	switch (cmd->opcode) {
	case ION_CMD_RDMA_RESET_LIF:
		rdma_mem_reset();
		break;
	case ION_CMD_RDMA_CREATE_EQ:
		own(OWNER_RING, 0, le64_to_cpu(cmd->rdma_queue.dma_addr), len);
		break;
	case ION_CMD_RDMA_CREATE_CQ:
		own(OWNER_CQ, le32_to_cpu(cmd->rdma_queue.qid_ver),
		    le64_to_cpu(cmd->rdma_queue.dma_addr), len);
		break;
	}
}

void op_rdma_bring_up(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd))
{
	union ion_cmd cmd;
	unsigned int i;

	memset(&cmd, 0, sizeof(cmd));
	cmd.opcode = ION_CMD_RDMA_RESET_LIF;
	devcmd(&cmd);
	for (i = 0; i < RDMA_EQS; i++) {
		queue_command(&cmd, ION_CMD_RDMA_CREATE_EQ, i, i & 1, 4 + (in8() & 7), ION_EQE_LOG2,
			      EQ_BASE(i));
		devcmd(&cmd);
	}
	queue_command(&cmd, ION_CMD_RDMA_CREATE_CQ, 0, 0, 3 + (in8() & 3), ION_CQE_LOG2, ACQ_BASE);
	devcmd(&cmd);
	queue_command(&cmd, ION_CMD_RDMA_CREATE_ADMINQ, 0, 0, 4 + (in8() & 3),
		      ION_ADMIN_STRIDE_LOG2, AQ_BASE);
	devcmd(&cmd);
}

static struct ion_admin_wqe *script_add(u8 op)
{
	struct ion_admin_wqe *w = &script[script_end++];

	NEVER(script_end > ARRAY_SIZE(script));
	memset(w, 0, sizeof(*w));
	w->op = op;
	w->len = cpu_to_le16(64);
	return w;
}

static void script_qp(struct ernic_dev *dev, u32 id, u8 how)
{
	struct ion_admin_create_qp *c = &script_add(ION_ADMIN_CREATE_QP)->cmd.create_qp;
	u8 state;

	c->sq_cq_id = cpu_to_le32(1 + (how & 1));
	c->rq_cq_id = cpu_to_le32(1 + (how >> 1 & 1));
	c->sq_depth_log2 = 3;
	c->rq_depth_log2 = 3;
	c->sq_stride_log2 = 6;
	c->rq_stride_log2 = 6;
	c->sq_page_size_log2 = 12;
	c->rq_page_size_log2 = 12;
	c->sq_map_count = cpu_to_le32(1);
	c->rq_map_count = cpu_to_le32(1);
	c->sq_dma_addr = cpu_to_le64(SQ_BASE(id));
	c->rq_dma_addr = cpu_to_le64(RQ_BASE(id));
	if (ernic_cmb_offered(dev) && how & 0x10) {
		c->priv_flags = cpu_to_be32(ION_QPF_SQ_CMB);
		c->sq_stride_log2 = 7;
		c->sq_dma_addr = cpu_to_le64((u64)id << 12);
	}
	c->id_ver = cpu_to_le32(1 + id);
	c->type_state = how & 4 ? ION_QPT_UC : ION_QPT_RC;
	for (state = ION_QPS_INIT; state <= ION_QPS_RTS; state++) {
		struct ion_admin_mod_qp *m = &script_add(ION_ADMIN_MODIFY_QP)->cmd.mod_qp;

		m->attr_mask = cpu_to_be32(0x13ffff);
		m->access_flags = cpu_to_be16(0x7);
		m->qkey_dest_qpn = cpu_to_le32(1 + (3 - id));
		m->pmtu = 10;
		m->retry = 0x77;
		m->rsq_depth = 4;
		m->rrq_depth = 4;
		m->ah_id_len = cpu_to_le32(42u << 24 | id);
		m->type_state = state;
		m->dma_addr = cpu_to_le64(TEMPLATES);
		m->id_ver = cpu_to_le32(1 + id);
	}
}

/* Two queue pairs that are connected with each other, from nothing, as bytes seldom make. */
void op_rdma_pair(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd),
		  void (*run)(void))
{
	u8 how = in8();
	struct ernic_rcq *acq;
	unsigned int i;

	op_rdma_bring_up(dev, devcmd);
	if (!dev->rdma)
		return;
	script_next = 0;
	script_end = 0;
	for (i = 0; i < 2; i++) {
		struct ion_admin_create_cq *c = &script_add(ION_ADMIN_CREATE_CQ)->cmd.create_cq;

		c->eq_id = cpu_to_le32(i);
		c->depth_log2 = 3 + (how >> 5 & 1);
		c->stride_log2 = ION_CQE_LOG2;
		c->page_size_log2 = 12;
		c->id_ver = cpu_to_le32(1 + i);
		c->map_count = cpu_to_le32(1);
		c->dma_addr = cpu_to_le64(CQ_BASE(i));
	}
	for (i = 1; i < 3; i++) {
		struct ion_admin_create_mr *c = &script_add(ION_ADMIN_CREATE_MR)->cmd.create_mr;
		u32 key = i << ION_KEY_INDEX_SHIFT;

		c->va = cpu_to_le64(mr_va(key));
		c->length = cpu_to_le64(0x2000);
		c->id_ver = cpu_to_le32(key);
		c->map_count = cpu_to_le32(how & 8 ? 1 : 2);
		c->dma_addr = cpu_to_le64(how & 8 ? 0x100000 + i * 0x10000 : TABLES);
		c->dbid_flags = cpu_to_le16(0xf);
		c->page_size_log2 = 12;
	}
	/* the first one is for the CM, number 1 */
	for (i = 1; i < 3; i++)
		script_qp(dev, i, how);
	for (i = 0; i < ARRAY_SIZE(script) && script_next < script_end; i++) {
		/* of two strides each */
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_AQ * 8, 8,
				(dev->rdma->aq.cons + 2) & dev->rdma->aq.mask);
		run();
		acq = xa_load(&dev->rdma->cqs, 0);
		if (acq)
			ernic_bar_write(dev, 2, ERNIC_DB_SLOT_CQ * 8, 8,
					acq->prod & acq->ring.mask);
	}
	script_end = 0;
	for (i = 2; i < 4; i++)
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_RQ * 8, 8, (u64)i << 24 | 4 | (in8() & 3));
	for (i = 2; i < 4; i++)
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_SQ * 8, 8, (u64)i << 24 | (in8() & 7));
}

void op_rdma_doorbell(struct ernic_dev *dev,
		      void (*store)(unsigned int page, u32 off, u64 val))
{
	static const u8 slots[] = {
		ERNIC_DB_SLOT_AQ, ERNIC_DB_SLOT_AQ, ERNIC_DB_SLOT_SQ, ERNIC_DB_SLOT_RQ,
		ERNIC_DB_SLOT_SQ, ERNIC_DB_SLOT_CQ, ERNIC_DB_SLOT_CQ, ERNIC_DB_SLOT_RQ,
	};
	u8 how = in8(), slot = slots[how & 7];
	u32 qid = slot == ERNIC_DB_SLOT_AQ ? 0 : 1 + in8() % 5;
	u16 index = in8();
	struct ernic_rcq *cq;
	struct ernic_rqp *qp;

	/* a few more than there were, or all that came; bytes alone seldom fit a ring */
	switch (slot) {
	case ERNIC_DB_SLOT_AQ:
		index = dev->rdma->aq.cons + 1 + index % 8;
		break;
	case ERNIC_DB_SLOT_CQ:
		cq = xa_load(&dev->rdma->cqs, qid);
		if (cq && index & 7)
			index = cq->prod & cq->ring.mask;
		break;
	default:
		qp = xa_load(&dev->rdma->qps, qid);
		if (qp && slot == ERNIC_DB_SLOT_SQ)
			index = (qp->sq_prod + index % 5) & qp->sq.mask;
		else if (qp)
			index = (qp->rq_prod + index % 5) & qp->rq.mask;
	}
	if (how & 0x80)
		index = in16();
	store(how & 0x40 ? in8() & 3 : 0, slot * 8,
	      (u64)qid << 24 |
		      (u64)(slot == ERNIC_DB_SLOT_CQ ? how >> 3 & 3 : 0) << 16 | index);
}

/* a request in controller memory, whole or not; by the VMM, which wakes the queue */
void op_rdma_express(struct ernic_dev *dev)
{
	u32 qid = 2 + (in8() & 1);
	struct ernic_rqp *qp;
	u8 how = in8();
	unsigned int i;
	u16 slot;
	u32 off;
	u64 db;

	qp = dev->rdma ? xa_load(&dev->rdma->qps, qid) : NULL;
	if (!qp || !qp->express)
		return;
	slot = (qp->sq_cons + (how & 3) / 3) & qp->sq.mask;
	off = ((qid - 1) << 12) + (how >> 5) % ION_CMB_REGIONS * ION_CMB_SIZE +
	      ((u32)slot << qp->sq.stride_log2);
	/* opcode, flags, element, remote address: bytes make what they like of them */
	for (i = 0; i < 8; i++)
		ernic_bar_write(dev, 4, off + 8 * i, 8, how & 4 ? in64() : in8());
	ernic_bar_write(dev, 4, off + 8, 1, in8() % 13);
	db = (u64)ERNIC_DB_SLOT_SQ << 48 | (u64)qid << 24 | (u64)ION_EXPDB_MARK << 19 |
	     ((slot + 1) & qp->sq.mask);
	ernic_bar_write(dev, 4, off + BIT(qp->sq.stride_log2) - 8, 8, how & 8 ? db : in64());
}

/* time-outs and waits for a receive are over */
void rdma_timers(struct ernic_dev *dev)
{
	struct ernic_rqp *qp;
	unsigned long i;

	if (!dev->rdma)
		return;
	xa_for_each(&dev->rdma->qps, i, qp) {
		if (!qp->timer.active)
			continue;
		qp->timer.active = false;
		qp->timer.fn(&qp->timer);
	}
}

bool rdma_workers(struct ernic_dev *dev, bool (*run)(struct ernic_worker *w))
{
	bool ran = false;
	unsigned int i;

	if (!dev->rdma)
		return false;
	ran |= run(&dev->rdma->aq_worker);
	for (i = 0; i < dev->rdma->ngroups; i++)
		ran |= run(&dev->rdma->group[i].worker);
	return ran;
}

/* what has to be true at any time */
void rdma_check(struct ernic_dev *dev)
{
	struct ernic_rqp *qp;
	struct ernic_rcq *cq;
	unsigned long i;

	if (!dev->rdma)
		return;
	NEVER(dev->rdma->aq_lock.held || dev->rdma->mr_lock.held);
	NEVER(dev->rdma->aq.cons > dev->rdma->aq.mask);
	xa_for_each(&dev->rdma->qps, i, qp) {
		NEVER(qp->sq_lock.held || qp->rq_lock.held);
		NEVER(qp->sq_cons > qp->sq.mask || qp->rq_cons > qp->rq.mask);
		NEVER(qp->state > ION_QPS_ERR);
	}
	xa_for_each(&dev->rdma->cqs, i, cq)
		NEVER(cq->prod - cq->cons > cq->ring.mask + 1u);
}
