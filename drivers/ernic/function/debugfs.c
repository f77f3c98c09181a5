// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/ernic_host/<uuid>/: what a device is doing.  Not an ABI.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <ernic/eth.h>
#include <ernic/rdma.h>

#include "function.h"

static struct dentry *ernic_debugfs_root;

static void page_show(struct seq_file *s, struct ernic_page *p)
{
	mutex_lock(&p->lock);
	seq_printf(s, "db_page         %u mode %s mapped %d armed %d tracked %d proven %d pollers %d quiet_ns %llu grace_ns %llu arm_ns %llu\n",
		   p->index, ernic_page_mode_name(p->mode), p->mapped, p->armed,
		   p->tracked, p->proven, atomic_read(&p->pollers), p->quiet_ns,
		   p->grace_ns, p->arm_ns);
	seq_printf(s, "db_traps        %lld\n", atomic64_read(&p->traps));
	seq_printf(s, "db_arms         %llu\n", p->arms);
	seq_printf(s, "db_useless      %llu\n", p->useless);
	seq_printf(s, "db_faults       %llu\n", p->faults);
	seq_printf(s, "db_refaults     %llu\n", p->refaults);
	seq_printf(s, "db_tracks       %lld\n", atomic64_read(&p->tracks));
	seq_printf(s, "db_track_errors %llu\n", p->track_errors);
	seq_printf(s, "db_moves        %llu\n", p->moves);
	mutex_unlock(&p->lock);
}

static int regs_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;

	mutex_lock(&edev->state_lock);
	seq_printf(s, "state           %s\n", ernic_state_name(edev->state));
	seq_printf(s, "fw_status       0x%02x\n", edev->fw_status);
	seq_printf(s, "lif             %s info 0x%llx features 0x%llx mtu %u link %s name %s\n",
		   edev->lif.init ? "init" : "none", edev->lif.info_pa,
		   edev->lif.features, edev->lif.mtu,
		   edev->lif.link_up ? "up" : "down", edev->lif.name);
	seq_printf(s, "rx_mode         0x%02x filters %u\n",
		   edev->lif.filters.rx_mode, edev->lif.filters.nmac);
	seq_printf(s, "port            %s info 0x%llx state %u\n",
		   edev->port.init ? "init" : "none", edev->port.info_pa,
		   edev->port.config.state);
	seq_printf(s, "vectors         %u\n", edev->nvectors);
	seq_printf(s, "bar_reads       %lld\n",
		   atomic64_read(&edev->bar_reads));
	seq_printf(s, "bar_writes      %lld\n",
		   atomic64_read(&edev->bar_writes));
	seq_printf(s, "bad_access      %lld\n",
		   atomic64_read(&edev->bad_access));
	seq_printf(s, "doorbells       %lld\n",
		   atomic64_read(&edev->db_page0.rings));
	seq_printf(s, "intr_ticks      %lld\n",
		   atomic64_read(&edev->intr_watch.ticks));
	seq_printf(s, "db_unknown      %lld\n",
		   atomic64_read(&edev->db_unknown));
	seq_printf(s, "ctrl_wakeups    %llu\n", edev->ctrl.wakeups);
	mutex_unlock(&edev->state_lock);

	page_show(s, &edev->db_page0);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regs);

/* pages of the guest's processes, those that were used */
static int pages_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	struct ernic_page *p;
	unsigned int i;

	mutex_lock(&edev->db_pages_lock);
	for (i = 1; i < ION_DB_PAGES; i++) {
		p = ernic_db_page(edev, i);
		if (!p)
			continue;
		mutex_lock(&p->lock);
		seq_printf(s, "%u mode %s armed %d proven %d traps %lld tracks %lld faults %llu refaults %llu arms %llu moves %llu track_errors %llu\n",
			   i, ernic_page_mode_name(ernic_page_mode_now(p)),
			   p->armed, p->proven, atomic64_read(&p->traps),
			   atomic64_read(&p->tracks), p->faults, p->refaults,
			   p->arms, p->moves, p->track_errors);
		mutex_unlock(&p->lock);
	}
	mutex_unlock(&edev->db_pages_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pages);

static int cmb_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	struct ernic_cmb *cmb = &edev->cmb;

	mutex_lock(&cmb->lock);
	seq_printf(s, "on              %d\n", cmb->on);
	seq_printf(s, "mapped          %d\n", cmb->mapped);
	seq_printf(s, "pages           %u\n", cmb->npages);
	seq_printf(s, "rings           %u\n", cmb->nrings);
	seq_printf(s, "arms            %llu\n", cmb->arms);
	seq_printf(s, "useless         %llu\n", cmb->useless);
	seq_printf(s, "faults          %llu\n", cmb->faults);
	seq_printf(s, "refaults        %llu\n", cmb->refaults);
	seq_printf(s, "traps           %llu\n", cmb->traps);
	mutex_unlock(&cmb->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cmb);

static void queue_show(struct seq_file *s, const struct ernic_queue *q,
		       const char *type)
{
	if (!q->init)
		return;
	seq_printf(s, "%-7s %3u %s%s size %u p %u c %u comp %u color %u intr %d slot %u ring 0x%llx cq 0x%llx sg 0x%llx doorbells %llu completions %llu\n",
		   type, q->index, q->enabled ? "enabled" : "disabled",
		   q->error ? " error" : "", q->num_desc, q->p_index,
		   q->c_index, q->cq_index, !!q->color,
		   q->has_intr ? q->intr : -1, q->hw_type, q->ring_base,
		   q->cq_base, q->sg_base, q->doorbells, q->completions);
}

static int queues_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	int i;

	mutex_lock(&edev->state_lock);
	queue_show(s, &edev->lif.adminq, "adminq");
	queue_show(s, &edev->lif.notifyq, "notifyq");
	for (i = 0; i < edev->eth->npairs; i++) {
		struct ernic_pair *p = &edev->eth->pairs[i];

		mutex_lock(&p->lock);
		queue_show(s, &p->tx, "tx");
		queue_show(s, &p->rx, "rx");
		if (p->worker.task)
			seq_printf(s, "worker  %3d wakeups %llu\n", i,
				   p->worker.wakeups);
		mutex_unlock(&p->lock);
	}
	mutex_unlock(&edev->state_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

static int interrupts_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	struct ernic_intr intr;
	unsigned long flags;
	u32 on_assert;
	int i;

	for (i = 0; i < edev->nvectors; i++) {
		spin_lock_irqsave(&edev->intr[i].lock, flags);
		intr = edev->intr[i];
		spin_unlock_irqrestore(&edev->intr[i].lock, flags);
		on_assert = le32_to_cpu(READ_ONCE(intr.regs[ION_INTR_MASK_ASSERT / 4]));
		seq_printf(s, "%3d mask %d mask_on_assert %u msix_masked %d pending %d credits %u posted %llu asserts %llu acks %llu\n",
			   i, intr.mask, on_assert, intr.msix_masked,
			   intr.pending, intr.credits, intr.posted,
			   intr.asserts, intr.acks);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(interrupts);

static int memory_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	struct ernic_dma *dma = &edev->dma;

	seq_printf(s, "enabled         %d\n", READ_ONCE(dma->enabled));
	seq_printf(s, "pinned_pages    %lu\n", READ_ONCE(dma->npinned));
	seq_printf(s, "budget_pages    %lu\n", dma->budget);
	seq_printf(s, "pins            %lld\n", atomic64_read(&dma->pins));
	seq_printf(s, "unpins          %lld\n", atomic64_read(&dma->unpins));
	seq_printf(s, "evictions       %lld\n", atomic64_read(&dma->evictions));
	seq_printf(s, "fallbacks       %lld\n", atomic64_read(&dma->fallbacks));
	seq_printf(s, "faults          %lld\n", atomic64_read(&dma->faults));
	seq_printf(s, "device_bytes    %zu\n", sizeof(*edev) +
		   edev->eth->npairs * sizeof(struct ernic_pair));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(memory);

static int stats_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	u64 *lif, *port;

	lif = kcalloc(ION_LIF_STAT_COUNT + ION_PORT_STAT_COUNT, sizeof(*lif),
		      GFP_KERNEL);
	if (!lif)
		return -ENOMEM;
	port = lif + ION_LIF_STAT_COUNT;
	ernic_eth_stats(edev, lif, port);
	ernic_rdma_stats(edev, lif);
#define ERNIC_X(name, slot) seq_printf(s, "%s %llu\n", #name, lif[slot]);
	ION_LIF_STATS(ERNIC_X)
#undef ERNIC_X
#define ERNIC_X(name) \
	seq_printf(s, "%s %llu\n", #name, port[ION_PORT_STAT_##name]);
	ION_PORT_STATS(ERNIC_X)
#undef ERNIC_X
	kfree(lif);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int rdma_show(struct seq_file *s, void *unused)
{
	struct ernic_dev *edev = s->private;
	const struct ernic_profile *p = &edev->profile;
	struct ernic_rdma_usage u;

	ernic_rdma_usage(edev, &u);
	seq_printf(s, "offered %d\n", ernic_rdma_offered(edev));
	seq_printf(s, "backend %s\n", ernic_rdma_backend_name(edev));
	seq_printf(s, "qps     %u of %u\n", u.qps, p->rdma_qps);
	seq_printf(s, "cqs     %u of %u\n", u.cqs, p->rdma_cqs);
	seq_printf(s, "mrs     %u of %u\n", u.mrs, p->rdma_mrs);
	seq_printf(s, "ahs     %u of %u\n", u.ahs, p->rdma_ahs);
	seq_printf(s, "pages   %llu of %u\n", u.pages, p->rdma_pages);
	seq_printf(s, "gids    %u\n", u.gids);
	seq_printf(s, "copied  %llu\n", u.copied);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rdma);

/**
 * ernic_debugfs_add - make the files of a device
 * @edev: device
 */
void ernic_debugfs_add(struct ernic_dev *edev)
{
	struct dentry *d = debugfs_create_dir(edev->name, ernic_debugfs_root);

	debugfs_create_file("regs", 0400, d, edev, &regs_fops);
	debugfs_create_file("pages", 0400, d, edev, &pages_fops);
	debugfs_create_file("cmb", 0400, d, edev, &cmb_fops);
	debugfs_create_file("queues", 0400, d, edev, &queues_fops);
	debugfs_create_file("interrupts", 0400, d, edev, &interrupts_fops);
	debugfs_create_file("memory", 0400, d, edev, &memory_fops);
	debugfs_create_file("stats", 0400, d, edev, &stats_fops);
	debugfs_create_file("rdma", 0400, d, edev, &rdma_fops);
	edev->debugfs = d;
}

/**
 * ernic_debugfs_del - remove them; no reader is left on return
 * @edev: device
 */
void ernic_debugfs_del(struct ernic_dev *edev)
{
	debugfs_remove(edev->debugfs);
}

void ernic_debugfs_init(void)
{
	ernic_debugfs_root = debugfs_create_dir("ernic_host", NULL);
}

void ernic_debugfs_exit(void)
{
	debugfs_remove(ernic_debugfs_root);
}
