// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's memory, in the place of drivers/ernic/dma.c.
 *
 * Nothing is stored.  Each read is answered with something new that makes sense
 * at that address: commands in an admin ring, descriptors in a descriptor ring,
 * elements in an SG ring, frames elsewhere.  So whoever reads a thing twice gets
 * two different ones, and whoever checks the first and uses the second is found
 * out.
 *
 * Each write is compared with what the guest has named: completion rings of
 * enabled queues, receive buffers of descriptors that were handed out, the two
 * blocks.  A reset or a disable takes the right away.
 *
 * A pointer from ernic_dma_map() is memory of exactly that length and is gone at
 * the end of the section, so AddressSanitizer sees all that is wrong with it.
 */
#include "fuzz.h"

#define MEM_FIRST	0x1000ull
#define MEM_END		0x400000ull
#define MEM_GUEST_PAGE	4096ull
#define MEM_QUEUES	(2 + 2 * ERNIC_MAX_PAIRS)
#define MEM_BUFS	1024

struct mem_range {
	u64 addr, len;
};

struct mem_map {
	struct mem_map *next;
	u64 iova;
	size_t len;
	u8 *now, *was;
};

static struct fuzz_ring ring[MEM_QUEUES];
static struct mem_range bufs[ERNIC_MAX_PAIRS][MEM_BUFS];
static unsigned int nbufs[ERNIC_MAX_PAIRS];
static struct mem_range lif_info, port_info, pending, hole;
static struct fuzz_ring pending_ring;
static union ion_cmd current;
static struct mem_map *maps;
static int depth;

/* ---- rights ------------------------------------------------------------------------ */

static struct fuzz_ring *mem_ring(u8 type, u32 index)
{
	if (type < 2)
		return index ? NULL : &ring[type];
	if (type > ION_QTYPE_TXQ || index >= ERNIC_MAX_PAIRS)
		return NULL;
	return &ring[2 * index + type];
}

static void mem_forget_bufs(unsigned int index)
{
	memset(bufs[index], 0, sizeof(bufs[index]));
	nbufs[index] = 0;
}

void mem_reset(void)
{
	rdma_mem_reset();
	memset(ring, 0, sizeof(ring));
	memset(nbufs, 0, sizeof(nbufs));
	memset(bufs, 0, sizeof(bufs));
	lif_info.len = 0;
	port_info.len = 0;
	pending.len = 0;
}

/* LIF_RESET: the port's block stays */
static void mem_reset_lif(void)
{
	struct mem_range port = port_info;

	mem_reset();
	port_info = port;
}

static struct mem_range mem_cq(const struct fuzz_ring *r)
{
	if (r->type == ION_QTYPE_NOTIFYQ)
		return (struct mem_range){
			r->base + ALIGN((u64)r->n * 4, MEM_GUEST_PAGE),
			(u64)r->n * 64
		};
	return (struct mem_range){ r->cq, (u64)r->n * 16 };
}

void mem_command_begin(const union ion_cmd *cmd, bool regs)
{
	struct fuzz_ring *r = &pending_ring;

	current = *cmd;
	pending.len = 0;
	switch (cmd->opcode) {
	case ION_CMD_LIF_INIT:
		pending.addr = le64_to_cpu(cmd->lif_init.info_pa);
		pending.len = sizeof(struct ion_lif_info);
		break;
	case ION_CMD_PORT_INIT:
		pending.addr = le64_to_cpu(cmd->port_init.info_pa);
		pending.len = sizeof(struct ion_port_info);
		break;
	case ION_CMD_Q_INIT:
		r->set = true;
		r->enabled = le16_to_cpu(cmd->q_init.flags) & ION_QINIT_F_ENA;
		r->sg = le16_to_cpu(cmd->q_init.flags) & ION_QINIT_F_SG;
		r->type = cmd->q_init.type;
		r->index = le32_to_cpu(cmd->q_init.index);
		r->n = 1u << (cmd->q_init.ring_size & 31);
		r->base = le64_to_cpu(cmd->q_init.ring_base);
		r->cq = le64_to_cpu(cmd->q_init.cq_ring_base);
		r->sg_base = le64_to_cpu(cmd->q_init.sg_ring_base);
		break;
	}
}

static void mem_disable_all(void)
{
	unsigned int i;

	for (i = 2; i < MEM_QUEUES; i++)
		ring[i].enabled = false;
	for (i = 0; i < ERNIC_MAX_PAIRS; i++)
		mem_forget_bufs(i);
}

/* @opcode is what the device says that it ran */
void mem_command_end(u8 opcode, u8 status)
{
	struct fuzz_ring *r;

	NEVER(opcode != current.opcode);
	if (status)
		goto out;
	switch (opcode) {
	case ION_CMD_RESET:
		mem_reset();
		break;
	case ION_CMD_LIF_RESET:
		mem_reset_lif();
		break;
	case ION_CMD_PORT_RESET:
		port_info.len = 0;
		break;
	case ION_CMD_LIF_INIT: {
		struct mem_range info = pending;

		mem_reset_lif();
		lif_info = info;
		break;
	}
	case ION_CMD_PORT_INIT:
		port_info = pending;
		break;
	case ION_CMD_Q_INIT:
		r = mem_ring(current.q_init.type,
			     le32_to_cpu(current.q_init.index));
		NEVER(!r);
		*r = pending_ring;
		if (r->type == ION_QTYPE_RXQ)
			mem_forget_bufs(r->index);
		break;
	case ION_CMD_RDMA_RESET_LIF:
	case ION_CMD_RDMA_CREATE_EQ:
	case ION_CMD_RDMA_CREATE_CQ:
		rdma_queue_created(&current);
		break;
	case ION_CMD_Q_CONTROL:
		r = mem_ring(current.q_control.type,
			     le32_to_cpu(current.q_control.index));
		NEVER(!r);
		r->enabled = current.q_control.oper == ION_Q_ENABLE;
		if (r->type == ION_QTYPE_RXQ && !r->enabled)
			mem_forget_bufs(r->index);
		break;
	case ION_CMD_LIF_SETATTR:
		if (current.lif_setattr.attr == ION_LIF_ATTR_STATE &&
		    current.lif_setattr.state == ION_LIF_DISABLE)
			mem_disable_all();
		break;
	}
out:
	pending.len = 0;
}

void mem_hole(u64 from, u64 to)
{
	hole.addr = from;
	hole.len = to - from;
}

static bool mem_in(const struct mem_range *r, u64 addr, u64 len)
{
	return r->len && addr >= r->addr && len <= r->len &&
	       addr - r->addr <= r->len - len;
}

static bool mem_allowed(u64 addr, u64 len)
{
	struct mem_range cq;
	unsigned int i, j;

	if (mem_in(&lif_info, addr, len) || mem_in(&port_info, addr, len) ||
	    mem_in(&pending, addr, len))
		return true;
	for (i = 0; i < MEM_QUEUES; i++) {
		if (!ring[i].set || !ring[i].enabled)
			continue;
		cq = mem_cq(&ring[i]);
		if (mem_in(&cq, addr, len))
			return true;
	}
	for (i = 0; i < ERNIC_MAX_PAIRS; i++)
		for (j = 0; j < MEM_BUFS && bufs[i][j].len; j++)
			if (mem_in(&bufs[i][j], addr, len))
				return true;
	return rdma_mem_allowed(addr, len);
}

static void mem_check_write(u64 addr, u64 len)
{
	u64 i, from;

	if (mem_allowed(addr, len))
		return;
	/* a piece may cross the border of two ranges */
	for (i = 0; i < len; i++) {
		from = addr + i;
		if (mem_allowed(from, 1))
			continue;
		fprintf(stderr,
			"finding: write of %llu bytes at %#llx, %#llx is not the device's\n",
			(unsigned long long)len, (unsigned long long)addr,
			(unsigned long long)from);
		abort();
	}
}

/* ---- contents ---------------------------------------------------------------------------- */

/* the chain that the guest is in */
static u16 left, hdr, mss;

static void mem_tx_desc(struct ion_txq_desc *d)
{
	u8 how = in8();
	u64 flags = 0, op = ION_TXD_CSUM_NONE, nsge = 0, addr;
	u16 len;

	if (how < 16) {
		in_bytes(d, sizeof(*d));
		return;
	}
	memset(d, 0, sizeof(*d));
	addr = in_addr();
	len = 60 + (in8() << 3);
	if (how < 100) {
		if (how & 1)
			nsge = in8() & 0xf;
		if (how & 2) {
			op = ION_TXD_CSUM_PARTIAL;
			d->csum_start = cpu_to_le16(in8() & 1 ? 34 : in8());
			d->csum_offset = cpu_to_le16(in8() & 1 ? 6 : in8());
		}
		if (how & 4)
			flags = ION_TXD_F_VLAN;
		left = 0;
	} else {
		op = ION_TXD_TSO;
		if (!left) {
			left = 1 + in8() % 32;
			hdr = how & 1 ? 54 : how & 2 ? 74 : in16();
			mss = in8() & 7 ? 1000 : in16();
			flags |= ION_TXD_F_TSO_SOT;
			len = hdr + mss;
		} else {
			len = mss;
		}
		if (!--left)
			flags |= ION_TXD_F_TSO_EOT;
		d->hdr_len = cpu_to_le16(hdr);
		d->mss = cpu_to_le16(mss);
		if (how > 240)
			flags ^= in8() & 0xf;
		if (how == 240)
			len = in16();
		if (how > 230 && how < 240)
			nsge = in8() & 0xf;
	}
	if (in_one_of(16))
		len = in8() & 1 ? 65535 : in8() & 1;
	d->vlan_tci = cpu_to_le16(in8());
	d->len = cpu_to_le16(len);
	d->cmd = cpu_to_le64(addr << 12 | nsge << 8 | op << 4 | flags);
}

static void mem_rx_desc(u16 index, struct ion_rxq_desc *d)
{
	struct mem_range *b = &bufs[index][nbufs[index]++ % MEM_BUFS];

	memset(d, 0, sizeof(*d));
	d->opcode = in8() & 3 ? ION_RXD_SG : in8();
	d->addr = cpu_to_le64(in_addr());
	d->len = cpu_to_le16(in8() & 1 ? 2048 : in8() & 1 ? in8() : in16());
	b->addr = le64_to_cpu(d->addr);
	b->len = le16_to_cpu(d->len);
	/* an entry that is empty would end the list */
	if (!b->len)
		nbufs[index]--;
}

static void mem_sg(struct ion_sg_elem *e, int rx)
{
	struct mem_range *b;

	in_bytes(e, sizeof(*e));
	e->addr = cpu_to_le64(in_addr());
	e->len = cpu_to_le16(in8() & 3 ? in8() : in16());
	if (rx < 0 || !e->len)
		return;
	b = &bufs[rx][nbufs[rx]++ % MEM_BUFS];
	b->addr = le64_to_cpu(e->addr);
	b->len = le16_to_cpu(e->len);
}

/* headers as TSO wants them, now and then with something odd in them */
static void mem_frame(u8 *p, size_t len)
{
	u8 how = in8();

	in_bytes(p, len);
	if (len < 54 || how < 32)
		return;
	p[0] = how & 1 ? 0x02 : 0x01;
	if (how & 2) {
		put_unaligned_be32(ETH_P_IP << 16 | 0x4500, p + 12);
		p[20] = 0;
		p[21] = 0;
		p[23] = how & 4 ? IPPROTO_TCP : in8();
		p[46] = how & 8 ? 5 << 4 : in8();
	} else if (how & 4) {
		put_unaligned_be32((u32)ETH_P_IPV6 << 16 | 0x6000, p + 12);
		p[20] = how & 8 ? IPPROTO_TCP : in8();
		if (len > 74)
			p[66] = 5 << 4;
	} else {
		put_unaligned_be32((u32)ETH_P_8021Q << 16 | in16(), p + 12);
		put_unaligned_be32(ETH_P_IP << 16 | 0x4500, p + 16);
		p[27] = IPPROTO_TCP;
	}
	if (in_one_of(8))
		p[12 + in8() % 42] = in8();
}

/* fills @buf if @iova is in a ring that the guest declared */
static bool mem_ring_data(u64 iova, u8 *buf, size_t len)
{
	static const u8 order[] = { ION_QTYPE_RXQ, ION_QTYPE_ADMINQ,
				    ION_QTYPE_TXQ };
	unsigned int t, i;
	size_t off;

	for (t = 0; t < sizeof(order); t++) {
		for (i = 0; i < ERNIC_MAX_PAIRS; i++) {
			struct fuzz_ring *r = mem_ring(order[t], i);
			u32 size = order[t] == ION_QTYPE_ADMINQ ? 64 : 16;
			u32 stride = order[t] == ION_QTYPE_TXQ ? 256 : 128;
			struct mem_range at;

			if (!r || !r->set)
				continue;
			at = (struct mem_range){ r->base, (u64)r->n * size };
			if (mem_in(&at, iova, len) && !(len % size)) {
				for (off = 0; off < len; off += size) {
					if (order[t] == ION_QTYPE_RXQ)
						mem_rx_desc(i, (void *)(buf + off));
					else if (order[t] == ION_QTYPE_TXQ)
						mem_tx_desc((void *)(buf + off));
					else
						in_command((void *)(buf + off));
				}
				return true;
			}
			at = (struct mem_range){ r->sg_base,
						 (u64)r->n * stride };
			if (order[t] == ION_QTYPE_ADMINQ || !r->sg ||
			    !mem_in(&at, iova, len) || len % 16)
				continue;
			for (off = 0; off < len; off += 16)
				mem_sg((void *)(buf + off),
				       order[t] == ION_QTYPE_RXQ ? (int)i : -1);
			return true;
		}
	}
	return false;
}

static void mem_fill(u64 iova, void *buf, size_t len)
{
	if (!mem_ring_data(iova, buf, len) && !rdma_mem_data(iova, buf, len))
		mem_frame(buf, len);
}

static bool mem_mapped(u64 iova, u64 len)
{
	if (iova < MEM_FIRST || iova >= MEM_END || len > MEM_END - iova)
		return false;
	return !hole.len || iova >= hole.addr + hole.len ||
	       iova + len <= hole.addr;
}

/* ---- include/ernic/dma.h --------------------------------------------------------------------- */

void mem_start(void)
{
	mem_reset();
	left = 0;
	hole.len = 0;
	depth = 0;
}

void mem_finish(void)
{
	NEVER(depth || maps);
}

int ernic_dma_init(struct ernic_dev *edev, const struct ernic_dma_ops *ops)
{
	edev->dma.enabled = false;
	return 0;
}

void ernic_dma_exit(struct ernic_dev *edev)
{
	NEVER(edev->dma.enabled);
}

void ernic_dma_enable(struct ernic_dev *edev)
{
	edev->dma.enabled = true;
}

void ernic_dma_disable(struct ernic_dev *edev)
{
	/* would wait for itself */
	NEVER(depth);
	edev->dma.enabled = false;
}

void ernic_dma_flush(struct ernic_dev *edev)
{
	NEVER(edev->dma.enabled);
}

int ernic_dma_lock(struct ernic_dev *edev)
{
	return depth++;
}

static void mem_unmap(struct mem_map *m)
{
	size_t i, from;

	i = memcmp(m->now, m->was, m->len) ? 0 : m->len;
	for (; i < m->len; i++) {
		if (m->now[i] == m->was[i])
			continue;
		from = i;
		while (i < m->len && m->now[i] != m->was[i])
			i++;
		mem_check_write(m->iova + from, i - from);
	}
	free(m->now);
	free(m->was);
	free(m);
}

void ernic_dma_unlock(struct ernic_dev *edev, int idx)
{
	struct mem_map *m;

	NEVER(--depth != idx);
	if (depth)
		return;
	while ((m = maps)) {
		maps = m->next;
		mem_unmap(m);
	}
}

void *ernic_dma_map(struct ernic_dev *edev, u64 iova, size_t *len)
{
	struct mem_map *m;
	size_t n = *len;

	NEVER(!depth);
	if (!n || iova > ION_ADDR_MASK || n - 1 > ION_ADDR_MASK - iova ||
	    !edev->dma.enabled)
		return NULL;
	/* to the end of the page, or of more that happen to follow */
	if (in8() & 1)
		n = min_t(size_t, n, MEM_GUEST_PAGE -
			  (iova & (MEM_GUEST_PAGE - 1)));
	if (!mem_mapped(iova, n) || in_one_of(16))
		return NULL;
	m = calloc(1, sizeof(*m));
	m->iova = iova;
	m->len = n;
	m->now = malloc(n);
	m->was = malloc(n);
	mem_fill(iova, m->now, n);
	memcpy(m->was, m->now, n);
	m->next = maps;
	maps = m;
	*len = n;
	return m->now;
}

static int mem_access(struct ernic_dev *edev, u64 iova, size_t len)
{
	if (!len || iova > ION_ADDR_MASK || len - 1 > ION_ADDR_MASK - iova)
		return -EFAULT;
	if (!edev->dma.enabled)
		return -EACCES;
	if (!mem_mapped(iova, len) || (in8() == 0 && in8() < 64))
		return -EFAULT;
	return 0;
}

int ernic_dma_read(struct ernic_dev *edev, u64 iova, void *buf, size_t len)
{
	int err = mem_access(edev, iova, len);
	struct mem_range aq = { ring[0].base, (u64)ring[0].n * 64 };

	if (err)
		return err;
	mem_fill(iova, buf, len);
	if (ring[0].set && len == sizeof(union ion_cmd) &&
	    mem_in(&aq, iova, len))
		mem_command_begin(buf, false);
	return 0;
}

int ernic_dma_write(struct ernic_dev *edev, u64 iova, const void *buf,
		    size_t len)
{
	const u8 *p = buf;
	u8 sum = 0;
	size_t i;
	int err = mem_access(edev, iova, len);

	if (err)
		return err;
	/* every byte has to be there and, for MemorySanitizer, to have a value */
	for (i = 0; i < len; i++)
		sum ^= p[i];
	(void)*(volatile u8 *)&sum;
	mem_check_write(iova, len);
	return 0;
}

int ernic_dma_write64_release(struct ernic_dev *edev, u64 iova, __le64 val)
{
	if (!IS_ALIGNED(iova, 8ull))
		return -EFAULT;
	return ernic_dma_write(edev, iova, &val, sizeof(val));
}
