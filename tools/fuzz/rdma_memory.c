// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RDMA side of the guest's memory: where its queues are, what is read there, and
 * where the device may write.
 *
 * As in memory.c nothing is stored.  Commands, work requests, page tables, templates
 * and elements are made when they are read, anew with each reading.  What memory they
 * name is the device's from then on: rings until they are destroyed, pages of a region
 * until its key is, direct addresses of privileged requests until the next reset.
 */
#include "rdma.h"

#define RDMA_RANGES 4096

static struct {
	enum owner owner;
	u32 id;
	u64 addr, len;
} range[RDMA_RANGES];
static unsigned int nranges;

static struct ion_admin_wqe admin; /* the one that is being run */
static u8 privileged; /* queue pairs that may use key 0 */
static struct {
	u64 at, addr;
} table[512]; /* entries of a table when they were read first, and where they stand */
static unsigned int ntable;
static u64 table_page;	/* bytes */
static bool in_table;	/* the device reads one */
static bool blind;	/* there may be rights that are not listed */

void rdma_own(enum owner owner, u32 id, u64 addr, u64 len)
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
	in_table = false;
	kshim_meanwhile = NULL;
	rdma_script_reset();
	privileged = 0;
	blind = false;
	memset(&admin, 0, sizeof(admin));
}

u8 rdma_privileged(void)
{
	return privileged;
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

static void table_entry(u64 at, u64 addr)
{
	unsigned int i;

	for (i = 0; i < ntable; i++)
		if (table[i].at == at)
			return;
	if (ntable == ARRAY_SIZE(table))
		return;
	table[ntable].at = at;
	table[ntable++].addr = addr;
}

static void rdma_table(u64 iova, u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		u64 addr = in_one_of(8) ? in_addr() : (in_addr() & ~0xfffull);

		put_unaligned_le64(addr, p + i);
		if (in_table)
			table_entry(iova + i, addr);
	}
}

static void own_table(enum owner owner, u32 id)
{
	unsigned int i;

	for (i = 0; i < ntable; i++)
		rdma_own(owner, id, table[i].addr, table_page);
}

/*
 * The linker puts this in the place of the device's own.  A table names each of its pages
 * once: an entry that is read again has another one by then, and that was not checked.
 */
int __wrap_ernic_pgtbl_read(struct ernic_rdma *rdma, struct ernic_pgtbl *pt, u64 addr,
			    u32 count, unsigned int shift, u64 off, u64 len)
{
	int err;

	ntable = 0;
	table_page = 1ull << (shift & 63);
	in_table = true;
	err = __real_ernic_pgtbl_read(rdma, pt, addr, count, shift, off, len);
	in_table = false;
	/* of a work request: nobody says when it is done, nor for which region */
	if (!err && fuzz_in_request())
		own_table(OWNER_DIRECT, 0);
	return err;
}

/* the right to write that the command gives while it runs */
static void rdma_command_begin(void)
{
	disown(OWNER_COMMAND, ~0u);
	switch (admin.op) {
	case ION_ADMIN_QUERY_QP:
		rdma_own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.sq_dma_addr),
			 sizeof(struct ion_query_qp_sq));
		rdma_own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.rq_dma_addr),
			 sizeof(struct ion_query_qp_rq));
		/* 0: the guest does not want the header of its packets back */
		if (admin.cmd.query_qp.hdr_dma_addr)
			rdma_own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.query_qp.hdr_dma_addr),
				 sizeof_field(struct ernic_av, raw));
		break;
	case ION_ADMIN_STATS_HDRS:
	case ION_ADMIN_STATS_VALS:
	case ION_ADMIN_QP_STATS_HDRS:
	case ION_ADMIN_QP_STATS_VALS:
		rdma_own(OWNER_COMMAND, 0, le64_to_cpu(admin.cmd.stats.dma_addr),
			 le32_to_cpu(admin.cmd.stats.length));
		break;
	}
}

static void own_pages(enum owner owner, u32 id, u32 count, u64 addr, u64 len)
{
	if (count == 1)
		rdma_own(owner, id, addr, len);
	else if (count)
		own_table(owner, id);
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
		rdma_table(iova, buf, len);
		return true;
	}
	if (iova >= SQ_BASE(0)) {
		bool recv = iova >= RQ_BASE(0);

		rdma_wqe(buf, len, (iova - (recv ? RQ_BASE(0) : SQ_BASE(0))) / 0x8000, recv);
		return true;
	}
	return false;
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
		rdma_own(OWNER_RING, 0, le64_to_cpu(cmd->rdma_queue.dma_addr), len);
		break;
	case ION_CMD_RDMA_CREATE_CQ:
		rdma_own(OWNER_CQ, le32_to_cpu(cmd->rdma_queue.qid_ver),
			 le64_to_cpu(cmd->rdma_queue.dma_addr), len);
		break;
	}
}
