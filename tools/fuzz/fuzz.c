// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer harness: the function and the Ethernet engine, unmodified, between
 * a guest made of the fuzzer's bytes and a host that sends good frames.
 *
 * The input is a list of operations.  Workers run between them, or not, as the
 * input says, so the guest gets ahead of the device and the other way round.
 */
#include "fuzz.h"
#include "rdma/engine.h"
#include "function.h"

const struct ethtool_ops ernic_ethtool_ops;

static struct ernic_dev *dev;
static unsigned long irqs;
enum ernic_doorbell ernic_doorbell_default;

/* ---- what the rest of the module would do ------------------------------------------- */

void ernic_worker_init(struct ernic_worker *w, bool (*poll)(struct ernic_worker *w))
{
	w->poll = poll;
}

int ernic_worker_start(struct ernic_worker *w, const char *fmt, ...)
{
	NEVER(w->task);
	w->task = (void *)w;
	return 0;
}

void ernic_worker_stop(struct ernic_worker *w)
{
	w->task = NULL;
}

void ernic_worker_kick(struct ernic_worker *w)
{
	w->pending = 1;
}

void ernic_debugfs_add(struct ernic_dev *edev)
{
}

void ernic_debugfs_del(struct ernic_dev *edev)
{
}

static void fuzz_signal(struct ernic_dev *edev, unsigned int vec)
{
	NEVER(vec >= edev->nvectors);
	irqs++;
}

/* ---- doorbell pages in the guest's address space ---------------------------------------- */

#define FUZZ_PAGES	4	/* that the guest stores to: page 0, and those of processes */
#define FUZZ_GFN	0x1000ull

static struct {
	bool there;		/* the VMM's page table has it */
	unsigned int tracks;	/* as KVM counts */
	/* KVM's page table; after a store to where no memory slot was: STALE */
	enum { SPTE_NONE, SPTE_STALE, SPTE_RO, SPTE_RW } spte;
} mapping[ION_DB_PAGES];

/* one that is faster than what would have stopped it */
static void racing_store(struct ernic_page *p)
{
	u8 how = in8();

	if (mapping[p->index].spte == SPTE_RW && how & 1)
		p->slot[how >> 3] = cpu_to_le64(in64());
}

static void fuzz_zap(struct ernic_dev *edev, struct ernic_page *p)
{
	NEVER(!p->lock.held);
	racing_store(p);
	mapping[p->index].there = false;
	if (mapping[p->index].spte != SPTE_STALE)
		mapping[p->index].spte = SPTE_NONE;
}

/* tracking fails now and then, as it does while the guest moves its BARs */
static int fuzz_track(struct ernic_dev *edev, struct ernic_page *p, u64 *gfn)
{
	racing_store(p);
	if (!(in8() & 3))
		return -EINVAL;
	*gfn = FUZZ_GFN + p->index;
	NEVER(++mapping[p->index].tracks > 2);
	if (mapping[p->index].spte == SPTE_RW)
		mapping[p->index].spte = SPTE_RO;
	return 0;
}

static void fuzz_untrack(struct ernic_dev *edev, struct ernic_page *p, u64 gfn)
{
	NEVER(!mapping[p->index].tracks-- || gfn != FUZZ_GFN + p->index);
}

static void fuzz_drain(struct ernic_dev *edev, struct ernic_page *p)
{
	NEVER(p->lock.held);
}

/* the memory slots come back, but a store was faster */
static void fuzz_moved(void)
{
	unsigned int i;

	for (i = 0; i < ION_DB_PAGES; i++) {
		mapping[i].tracks = 0;
		mapping[i].spte = i < FUZZ_PAGES && in8() & 1 ? SPTE_STALE : SPTE_NONE;
	}
	ernic_db_pages_moved(dev, FUZZ_GFN, ION_DB_PAGES);
}

static void fuzz_zap_cmb(struct ernic_dev *edev, unsigned long pgoff)
{
	NEVER(!edev->cmb.lock.held || pgoff >= ION_CMB_REGIONS * ION_CMB_PAGES);
}

static const struct ernic_page_ops page_ops = {
	.zap = fuzz_zap,
	.track = fuzz_track,
	.untrack = fuzz_untrack,
	.drain = fuzz_drain,
	.zap_cmb = fuzz_zap_cmb,
};

static enum ernic_page_mode page_mode(unsigned int index)
{
	return index ? dev->db_pages_mode : dev->db_page0.mode;
}

/* a store of the guest's CPU */
static void mapped_store(unsigned int index, u32 off, u64 val, unsigned int len)
{
	struct vm_fault vmf = {};
	__le64 le = cpu_to_le64(val);
	struct ernic_page *p;

	if (page_mode(index) == ERNIC_PAGE_TRAP) {
		ernic_bar_write(dev, 2, index * ION_DB_PAGE_SIZE + off, len, val);
		return;
	}
	p = ernic_db_page_get(dev, index);
	NEVER(!p || p->index != index);
	if (mapping[index].spte != SPTE_RW && !mapping[index].there) {
		NEVER(ernic_page_fault(p, &vmf) != VM_FAULT_NOPAGE);
		mapping[index].there = true;
	}
	if (mapping[index].spte == SPTE_STALE || !mapping[index].tracks)
		mapping[index].spte = SPTE_RW;
	else if (mapping[index].spte == SPTE_NONE)
		mapping[index].spte = SPTE_RO;
	memcpy((u8 *)p->slot + off, &le, len);
	if (mapping[index].spte == SPTE_RO)
		ernic_db_pages_written(dev, ((FUZZ_GFN + index) << ION_DB_PAGE_SHIFT) + off,
				       &le, len);
}

/* of the guest, or of the VMM for it */
static void any_store(unsigned int index, u32 off, u64 val)
{
	if (in8() & 1)
		ernic_bar_write(dev, 2, index * ION_DB_PAGE_SIZE + off, 8, val);
	else
		mapped_store(index, off, val, 8);
}

/* nobody looks: what was stored has been taken, and the next store is announced */
static void check_page(unsigned int index)
{
	struct ernic_page *p = ernic_db_page(dev, index);
	unsigned int i;

	if (!p || p->mode == ERNIC_PAGE_TRAP)
		return;
	NEVER(mapping[index].spte == SPTE_RW);
	NEVER(mapping[index].there &&
	      (!mapping[index].tracks || mapping[index].spte == SPTE_STALE));
	for (i = 0; i < ION_DB_SLOTS; i++)
		NEVER(p->mode != ERNIC_PAGE_TRACK && p->slot[i] != p->last[i] &&
		      test_bit(i, p->active));
}

/* all workers sleep; pages of processes have their work later */
static void check_pages(void)
{
	unsigned int i;

	NEVER(atomic_read(&dev->db_page0.pollers));
	NEVER(dev->db_page0.mode != ERNIC_PAGE_TRAP && !dev->db_page0.armed);
	check_page(0);
	for (i = 1; i < FUZZ_PAGES; i++) {
		struct ernic_page *p = ernic_db_page(dev, i);

		if (p && p->armed)
			check_page(i);
	}
}

static const struct ernic_irq_ops irq_ops = { .signal = fuzz_signal };

void fuzz_command(struct ernic_dev *edev, unsigned char opcode,
		  unsigned char status, bool regs)
{
	mem_command_end(opcode, status);
}

const u8 *fuzz_mac(void)
{
	return dev->mac;
}

static bool in_request;

bool fuzz_in_request(void)
{
	return in_request;
}

/* ---- workers ------------------------------------------------------------------------------ */

static bool run_worker(struct ernic_worker *w)
{
	unsigned int n = 0;

	if (!w->task || !w->pending)
		return false;
	w->pending = 0;
	if (w == &dev->ctrl) {
		union ion_cmd cmd;

		memcpy(&cmd, dev->devcmd.regs + ION_CMD_REQUEST, sizeof(cmd));
		if (dev->devcmd.busy)
			mem_command_begin(&cmd, true);
	}
	/* a batch is bounded, and the guest does not add to it meanwhile */
	do {
		while (w->poll(w))
			NEVER(n++ > 2000);
	} while (ernic_page_linger(w->page, w) && n++ < 2000);
	return true;
}

static bool run_rdma_worker(struct ernic_worker *w)
{
	bool ran;

	in_request = w != &dev->rdma->aq_worker;
	ran = run_worker(w);
	in_request = false;
	return ran;
}

static void run_workers(void)
{
	unsigned int i, n = 0;
	bool ran;

	do {
		ran = run_worker(&dev->ctrl);
		for (i = 0; i < dev->eth->npairs; i++)
			ran |= run_worker(&dev->eth->pairs[i].worker);
		ran |= rdma_workers(dev, run_rdma_worker);
		NEVER(n++ > 2000);
	} while (ran);
	if (dev->open)
		check_pages();
}

/* what has to be true at any time */
static void check_queue(const struct ernic_queue *q)
{
	if (!q->init)
		return;
	NEVER(q->num_desc < 4 || q->num_desc > 65536);
	NEVER(q->num_desc & (q->num_desc - 1));
	NEVER(q->c_index >= q->num_desc);
	NEVER(q->cq_index >= q->num_desc);
	NEVER(q->has_intr && q->intr >= dev->nvectors);
}

static void check(void)
{
	unsigned int i;

	check_queue(&dev->lif.adminq);
	check_queue(&dev->lif.notifyq);
	for (i = 0; i < dev->eth->npairs; i++) {
		struct ernic_pair *p = &dev->eth->pairs[i];

		check_queue(&p->tx);
		check_queue(&p->rx);
		NEVER(p->txs.next > p->txs.ndesc);
		NEVER(p->rxs.next > p->rxs.ndesc);
		NEVER(p->lock.held);
	}
	for (i = 0; i < ION_MSIX_VECTORS; i++)
		NEVER(dev->intr[i].credits > S16_MAX);
	NEVER(dev->state_lock.held);
	rdma_check(dev);
	/* a frame under way for each pair, each way, and what is queued */
	NEVER(kshim_skbs > 3000);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void devcmd(const union ion_cmd *cmd)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		ernic_bar_write(dev, 0, ION_DEV_CMD_OFF + ION_CMD_REQUEST +
				8 * i, 8, le64_to_cpu(cmd->qwords[i]));
	ernic_bar_write(dev, 0, ION_DEV_CMD_OFF + ION_CMD_DONE, 4, 0);
	ernic_bar_write(dev, 0, ION_DEV_CMD_OFF, 4, 1);
}

static void cfg_command(u16 val)
{
	__le16 le = cpu_to_le16(val);

	ernic_cfg_write(dev, PCI_COMMAND, &le, sizeof(le));
}

static void op_bring_up(void)
{
	union ion_cmd cmd;
	u8 size = in8();
	unsigned int i;

	cfg_command(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	memset(&cmd, 0, sizeof(cmd));
	cmd.opcode = ION_CMD_LIF_INIT;
	cmd.lif_init.info_pa = cpu_to_le64(0x8000);
	devcmd(&cmd);
	run_workers();
	for (i = 0; i < 6; i++) {
		memset(&cmd, 0, sizeof(cmd));
		cmd.q_init.opcode = ION_CMD_Q_INIT;
		cmd.q_init.type = i < 2 ? i : 2 + (i & 1);
		cmd.q_init.index = cpu_to_le32(i >= 4);
		cmd.q_init.intr_index = cpu_to_le16(i / 2);
		cmd.q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ |
					       ION_QINIT_F_ENA |
					       ION_QINIT_F_SG);
		/* small rings come round soon */
		cmd.q_init.ring_size = 2 + (size >> (i / 2 * 2)) % 5;
		cmd.q_init.ring_base = cpu_to_le64(RING_BASE(i));
		cmd.q_init.cq_ring_base = cpu_to_le64(RING_CQ(i));
		cmd.q_init.sg_ring_base = cpu_to_le64(RING_SG(i));
		devcmd(&cmd);
		run_workers();
		ernic_bar_write(dev, 0, ION_INTR_CTRL_OFF + 32 * (i / 2) +
				ION_INTR_MASK, 4, 0);
	}
	memset(&cmd, 0, sizeof(cmd));
	cmd.lif_setattr.opcode = ION_CMD_LIF_SETATTR;
	cmd.lif_setattr.attr = ION_LIF_ATTR_FEATURES;
	cmd.lif_setattr.features = cpu_to_le64(in16() | 0x1f0);
	devcmd(&cmd);
	run_workers();
	memset(&cmd, 0, sizeof(cmd));
	cmd.rx_mode_set.opcode = ION_CMD_RX_MODE_SET;
	cmd.rx_mode_set.rx_mode = cpu_to_le16(ION_RX_MODE_PROMISC);
	devcmd(&cmd);
	run_workers();
}

static struct ernic_queue *pick_queue(u8 which)
{
	struct ernic_pair *p = &dev->eth->pairs[which >> 2 & 1];

	switch (which & 3) {
	case 0:
		return &dev->lif.adminq;
	case 1:
		return &p->rx;
	default:
		return &p->tx;
	}
}

static void op_doorbell(void)
{
	u8 how = in8();
	struct ernic_queue *q = pick_queue(how);
	u32 n = q->num_desc ?: 16;
	u16 p = how & 0x40 ? in16() : (q->p_index + 1 + in8() % n) & (n - 1);

	if (how & 0x80 && q->num_desc)
		p = (q->c_index + in8() % 4 - 2) & (n - 1);
	if (in8() & 1)
		ernic_bar_write(dev, 2, q->hw_type * 8, 8,
				(u64)q->hw_index << 24 | p);
	else
		mapped_store(0, q->hw_type * 8, (u64)q->hw_index << 24 | p, 8);
}

static void op_mapped(void)
{
	u32 off = in16() & (ION_DB_PAGE_SIZE - 8);

	switch (in8() & 7) {
	case 0:
		fuzz_moved();
		break;
	case 1:
		mapped_store(in8() % FUZZ_PAGES, off & 0xff, in64(), 1 << (in8() & 3));
		break;
	case 2:
		/* a look at the interrupts' registers, later */
		if (dev->intr_watch.timer.active) {
			dev->intr_watch.timer.active = false;
			dev->intr_watch.timer.fn(&dev->intr_watch.timer);
		}
		break;
	default:
		ernic_intr_mapped(dev);
		dev->intr[off / 8 & 7].regs[off / 2 & 3] = cpu_to_le32(in32());
		break;
	}
}

/* the memory slot moves while a queue is used, between one doorbell and the next */
static void op_page_cycle(void)
{
	u8 how = in8();
	struct ernic_queue *q = pick_queue(how);
	u32 n = q->num_desc ?: 16;
	unsigned int i;

	for (i = 0; i < 4; i++, how >>= 1) {
		if (how & 8)
			fuzz_moved();
		mapped_store(0, q->hw_type * 8,
			     (u64)q->hw_index << 24 | ((q->p_index + 1 + in8() % 3) & (n - 1)), 8);
		if (how & 16)
			run_workers();
	}
}

/* a frame as the host's stack makes them: sound headers, in any arrangement */
static void op_host_frame(void)
{
	u8 how = in8(), *p;
	bool gso = how & 1, v6 = how & 2, partial = how & 4 || gso;
	u32 hdr = ETH_HLEN + (v6 ? 40 : 20) + 20;
	u32 len = hdr + 1 + (gso ? in16() % 40000 : in8() * 6);
	u32 linear = how & 8 ? hdr : min_t(u32, len, 2000), left;
	struct net_device *netdev = dev->netdev;
	struct page_frag frag = {};
	struct sk_buff *skb;
	struct tcphdr *th;

	if (!netdev->running || !netdev->carrier)
		return;
	skb = alloc_skb(linear + 64, 0);
	skb_reserve(skb, 32);
	p = skb_put(skb, linear);
	in_bytes(p, linear);
	p[0] = how & 16 ? 0x02 : 0xff;
	skb->network = skb->data - skb->head + ETH_HLEN;
	skb->transport = skb->network + (v6 ? 40 : 20);
	th = (void *)(skb->head + skb->transport);
	put_unaligned_be32((v6 ? (u32)ETH_P_IPV6 << 16 | 0x6000 :
				 ETH_P_IP << 16 | 0x4500), p + 12);
	if (v6) {
		p[ETH_HLEN + 6] = IPPROTO_TCP;
	} else {
		p[ETH_HLEN + 6] = 0;
		p[ETH_HLEN + 7] = 0;
		p[ETH_HLEN + 9] = IPPROTO_TCP;
	}
	th->doff = 5;
	for (left = len - linear; left; ) {
		u32 n;

		if (!skb_page_frag_refill(1, &frag, 0))
			break;
		n = min_t(u32, left, frag.size - frag.offset);
		if (skb_shinfo(skb)->nr_frags == MAX_SKB_FRAGS)
			break;
		in_bytes(frag.page->va + frag.offset, n);
		get_page(frag.page);
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, frag.page,
				frag.offset, n, n);
		frag.offset += n;
		left -= n;
	}
	if (frag.page)
		put_page(frag.page);
	if (partial) {
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb->transport;
		skb->csum_offset = offsetof(struct tcphdr, check);
	}
	if (gso && skb->len > hdr + 8) {
		u32 mss = 8 + in16() % 9000;

		if (skb->len - hdr > mss) {
			skb_shinfo(skb)->gso_size = mss;
			skb_shinfo(skb)->gso_segs =
				DIV_ROUND_UP(skb->len - hdr, mss);
			skb_shinfo(skb)->gso_type = v6 ? SKB_GSO_TCPV6 :
							 SKB_GSO_TCPV4;
		}
	}
	if (how & 32)
		__vlan_hwaccel_put_tag(skb, htons(how & 64 ? ETH_P_8021Q :
						  ETH_P_8021AD), in16());
	skb->queue = netdev->netdev_ops->ndo_select_queue(netdev, skb, NULL);
	NEVER(skb->queue >= dev->eth->npairs);
	if (netdev->netdev_ops->ndo_start_xmit(skb, netdev) == NETDEV_TX_BUSY)
		kfree_skb(skb);
}

static void op_bar(void)
{
	u32 off = in32(), bar = in8() & 7;
	unsigned int size = 1u << (in8() & 3);

	bar = bar & 4 ? 4 : bar & 2;
	off &= bar == 4 ? ION_BAR4_SIZE - 1 : bar ? ION_BAR2_SIZE - 1 : ION_BAR0_SIZE - 1;
	/* the MSI-X table and its pending bits */
	if (!bar)
		off = ION_MSIX_TABLE_OFF + (off & 0x17fc);
	if (in8() & 1)
		ernic_bar_write(dev, bar, off, size, in64());
	else
		ernic_bar_read(dev, bar, off, size);
}

static void close_pages(void)
{
	unsigned int i;

	ernic_page_close(&dev->db_page0);
	ernic_db_pages_close(dev);
	for (i = 0; i < ION_DB_PAGES; i++)
		NEVER(mapping[i].tracks);
	ernic_db_pages_free(dev);
	NEVER(dev->cmb.on && dev->cmb.nrings);
	ernic_cmb_close(dev);
}

static void open_dev(void)
{
	unsigned int i;

	close_pages();
	memset(mapping, 0, sizeof(mapping));
	for (i = 0; i < FUZZ_PAGES; i++)
		mapping[i].spte = in8() & 1 ? SPTE_STALE : SPTE_NONE;
	NEVER(ernic_dev_open(dev));
	ernic_page_open(&dev->db_page0, in8() & 3);
	ernic_db_pages_open(dev, in8() & 1 ? ERNIC_PAGE_TRACK : ERNIC_PAGE_TRAP);
	if (in8() & 1) {
		NEVER(ernic_cmb_open(dev));
		dev->cmb.mapped = in8() & 3;
	}
}

/* the lock that the front end's bus would take; all is forgotten at once */
static void op_flr(void)
{
	ernic_dev_reset(dev);
	mem_reset();
}

static void op_reopen(void)
{
	ernic_dev_close(dev);
	mem_reset();
	NEVER(dev->ctrl.task);
	run_workers();
	if (in8() & 1)
		kshim_advance(1 + in8());
	open_dev();
}

static void op_netdev(void)
{
	struct net_device *netdev = dev->netdev;

	netdev->running = !netdev->running;
	if (netdev->running)
		netdev->netdev_ops->ndo_open(netdev);
	else
		netdev->netdev_ops->ndo_stop(netdev);
}

static void op_cfg(void)
{
	u8 buf[8];
	u32 off = in16() & 0xfff;
	size_t len = 1 + (in8() & 7);

	if (in8() & 1)
		off &= 0xff;
	ernic_cfg_read(dev, off, buf, len);
	for (size_t i = 0; i < len; i++)
		buf[i] = in8();
	/* Initiate FLR resets; what else is written changes bits only */
	ernic_cfg_write(dev, off, buf, len);
	if (dev->state == ERNIC_ST_RESET && !dev->lif.init && !dev->port.init)
		mem_reset();
}

static void rdma_devcmd(const union ion_cmd *cmd)
{
	devcmd(cmd);
	run_workers();
}

/* interrupts have waited long enough */
static void lazy_timers(void)
{
	unsigned int i;

	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		struct hrtimer *t = &dev->intr[i].lazy_timer;

		if (!t->active)
			continue;
		t->active = false;
		t->fn(t);
		NEVER(!dev->intr[i].mask && dev->intr[i].lazy_on);
	}
}

static void operation(void)
{
	union ion_cmd cmd;
	u8 op = in8();

	switch (op % 32) {
	case 0:
	case 1:
		in_command(&cmd);
		devcmd(&cmd);
		break;
	case 2:
	case 3:
	case 4:
	case 5:
		op_doorbell();
		break;
	case 6:
	case 7:
	case 8:
		op_host_frame();
		break;
	case 9:
		op_bar();
		break;
	case 10:
		op_cfg();
		break;
	case 11:
		cfg_command(PCI_COMMAND_MEMORY |
			    (in8() & 1 ? PCI_COMMAND_MASTER : 0));
		break;
	case 12:
		op_flr();
		break;
	case 13:
		op_reopen();
		break;
	case 14:
		kshim_advance(1 + in8());
		lazy_timers();
		rdma_timers(dev);
		break;
	case 21:
		op_rdma_bring_up(dev, rdma_devcmd);
		break;
	case 22:
		rdma_timers(dev);
		break;
	case 23:
		op_rdma_pair(dev, rdma_devcmd, run_workers);
		break;
	case 24:
		op_page_cycle();
		break;
	case 25:
	case 26:
		op_rdma_express(dev);
		break;
	default:
		if (rdma_mem_full())
			op_rdma_bring_up(dev, rdma_devcmd);
		op_rdma_doorbell(dev, any_store);
		break;
	case 15:
		op_netdev();
		break;
	case 16:
		ernic_intr_msix_mask(dev, in8() % ION_MSIX_VECTORS, in8() & 1);
		ernic_bar_write(dev, 0, ION_INTR_CTRL_OFF +
				(in8() & 7) * 32 + (in8() & 0xc), 4, in32());
		break;
	case 17:
		if (!ernic_firmware_reset(dev))
			mem_reset();
		break;
	case 18: {
		u64 from = in_addr() & ~0xfffull;

		mem_hole(from, from + ((u64)in8() << 12));
		break;
	}
	case 20:
		op_mapped();
		break;
	case 19:
		op_bring_up();
		break;
	}
	if (!(op & 0x80))
		run_workers();
	check();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const uuid_t uuid = { "fuzz" };
	static struct device device;
	struct ernic_front front = {
		.dev = &device, .irq = &irq_ops, .page = &page_ops,
	};
	unsigned int n = 0;

	if (size < 4)
		return 0;
	in_start(data, size);
	mem_start();
	kshim_forget_timers();
	front.msix_emulated = in8() & 1;
	dev = ernic_dev_create(&front, &uuid,
			       &ernic_profiles[in8() % 2]);
	NEVER(IS_ERR(dev));
	open_dev();
	op_netdev();
	if (in8() & 3)
		op_bring_up();
	switch (in8() & 3) {
	case 1:
		op_rdma_bring_up(dev, rdma_devcmd);
		break;
	case 2:
	case 3:
		op_rdma_pair(dev, rdma_devcmd, run_workers);
		break;
	}
	while (in_more() && n++ < 400)
		operation();
	run_workers();
	check();
	ernic_dev_close(dev);
	mem_reset();
	run_workers();
	close_pages();
	kshim_advance(10000);
	ernic_dev_destroy(dev);
	mem_finish();
	NEVER(kshim_skbs);
	NEVER(kshim_pages);
	return 0;
}
