// SPDX-License-Identifier: GPL-2.0-only
/*
 * Publication of counters into guest memory.
 *
 * The driver never asks: it reads lif_info and port_info whenever somebody asks
 * it (ionic_lif.c:ionic_get_stats64).  The blocks are written after LIF_INIT
 * and PORT_INIT and then every stats.interval_ms in which a counter moved; an
 * idle device has nothing new to write and no timer.
 */
#include <linux/slab.h>

#include <ernic/eth.h>
#include <ernic/rdma.h>

#include "function.h"

/* one store of 8 bytes a counter: the driver reads without a lock */
static int ernic_stats_write(struct ernic_dev *edev, u64 iova, const u64 *val,
			     unsigned int n)
{
	unsigned int i = 0, j;
	int idx, err = 0;
	__le64 *to;

	idx = ernic_dma_lock(edev);
	while (i < n && !err) {
		size_t len = (n - i) * sizeof(*to);
		__le64 le = cpu_to_le64(val[i]);

		to = ernic_dma_map(edev, iova + i * sizeof(*to), &len);
		if (!to || len < sizeof(*to)) {
			err = ernic_dma_write(edev, iova + i * sizeof(*to),
					      &le, sizeof(le));
			i++;
			continue;
		}
		for (j = 0; j < len / sizeof(*to); j++)
			WRITE_ONCE(to[j], cpu_to_le64(val[i + j]));
		i += j;
	}
	ernic_dma_unlock(edev, idx);
	return err;
}

struct ernic_stats_buf {
	u64 lif[ION_LIF_STAT_COUNT];
	u64 port[ION_PORT_STAT_COUNT];
};

static void ernic_stats_write_blocks(struct ernic_dev *edev, bool lif,
				     bool port)
{
	struct ernic_stats_buf *buf = kzalloc_obj(*buf);
	int err = 0;

	if (!buf)
		return;
	ernic_eth_stats(edev, buf->lif, buf->port);
	ernic_rdma_stats(edev, buf->lif);
	if (lif && edev->lif.init)
		err = ernic_stats_write(edev, edev->lif.info_pa +
					offsetof(struct ion_lif_info, stats),
					buf->lif, ION_LIF_STAT_COUNT);
	if (!err && port && edev->port.init)
		err = ernic_stats_write(edev, edev->port.info_pa +
					offsetof(struct ion_port_info, stats),
					buf->port, ION_PORT_STAT_COUNT);
	if (err)
		ernic_warn(edev, "counters not writable: %d\n", err);
	kfree(buf);
}

/**
 * ernic_stats_publish_lif - write the LIF counters now
 * @edev: device; the caller holds state_lock
 */
void ernic_stats_publish_lif(struct ernic_dev *edev)
{
	ernic_stats_write_blocks(edev, true, false);
}

/**
 * ernic_stats_publish_port - write the port counters now
 * @edev: device; the caller holds state_lock
 */
void ernic_stats_publish_port(struct ernic_dev *edev)
{
	ernic_stats_write_blocks(edev, false, true);
}

/**
 * ernic_stats_publish - write what moved since the last time
 * @edev: device; the caller holds state_lock
 */
void ernic_stats_publish(struct ernic_dev *edev)
{
	/* cleared first: what moves from now on arms the timer again */
	clear_bit(0, &edev->stats_dirty);
	/* pairs with ernic_stats_changed() */
	smp_mb__after_atomic();
	ernic_stats_write_blocks(edev, true, true);
}

/**
 * ernic_stats_changed - a counter moved
 * @edev: device
 *
 * Any context; one test on the fast path.
 */
void ernic_stats_changed(struct ernic_dev *edev)
{
	/* orders the counter before the test; pairs with ernic_stats_publish() */
	smp_mb();
	if (test_bit(0, &edev->stats_dirty) || !READ_ONCE(edev->open))
		return;
	if (!test_and_set_bit(0, &edev->stats_dirty))
		mod_timer(&edev->stats_timer, jiffies +
			  msecs_to_jiffies(edev->profile.stats_interval_ms));
}

static void ernic_stats_timer(struct timer_list *t)
{
	struct ernic_dev *edev = container_of(t, struct ernic_dev, stats_timer);

	ernic_ctrl_kick(edev, ERNIC_CTRL_STATS);
}

/**
 * ernic_stats_init - first-time set-up
 * @edev: device
 */
void ernic_stats_init(struct ernic_dev *edev)
{
	timer_setup(&edev->stats_timer, ernic_stats_timer, 0);
}

/**
 * ernic_stats_stop - no timer runs on return
 * @edev: device, closed: nothing arms the timer any more
 */
void ernic_stats_stop(struct ernic_dev *edev)
{
	timer_delete_sync(&edev->stats_timer);
	clear_bit(0, &edev->stats_dirty);
}
