/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Ethernet engine (drivers/ernic/eth): queue pairs, netdev ernicN, filters,
 * steering and frame counters.  function/ calls what is declared here.
 */
#ifndef ERNIC_ETH_H
#define ERNIC_ETH_H

#include <linux/ptr_ring.h>

#include <ernic/dev.h>

/**
 * struct ernic_pair - transmit and receive queue i with their worker
 * @lock: held by the worker during each batch; who holds it owns the rings
 * @lif_stats: LIF counters moved by this pair, @lock
 * @port_stats: port counters moved by this pair, @lock
 * @ring: frames from the host to the guest
 * @napi: frames from the guest to the host
 */
struct ernic_pair {
	struct ernic_dev *edev;
	u16 index;
	struct mutex lock;
	struct ernic_worker worker;
	struct ernic_queue tx;
	struct ernic_queue rx;

	u64 lif_stats[48];		/* Ethernet slots only */
	u64 port_stats[ION_PORT_STAT_COUNT];

	struct ptr_ring ring;
	struct sk_buff *rx_held;	/* frame waiting for buffers */
	unsigned long rx_held_since;
	struct sk_buff_head to_host;
	struct napi_struct napi;
} ____cacheline_aligned_in_smp;

struct ernic_eth {
	struct ernic_dev *edev;
	unsigned int npairs;
	struct ernic_pair *pairs;
	/* private to drivers/ernic/eth below this line */
	spinlock_t drop_lock;
	u64 drop_lif[48];
	u64 drop_port[ION_PORT_STAT_COUNT];
	/* indices of enabled RX queues in index order, RCU (steering) */
	struct ernic_rxq_map __rcu *rxq_map;
};

/* create allocates pairs and registers the netdev; destroy undoes it */
int ernic_eth_create(struct ernic_dev *edev);
void ernic_eth_destroy(struct ernic_dev *edev);

/*
 * Queue life cycle; the caller holds state_lock and has validated the command.
 * ernic_eth_q_init() fills pair->tx or pair->rx through ernic_queue_setup()
 * under pair->lock and starts the worker.  enable/disable take pair->lock: when
 * disable returns the device will not touch the queue.
 */
int ernic_eth_q_setup(struct ernic_dev *edev, u8 type, u16 index,
		      const struct ernic_queue *setup);
int ernic_eth_q_enable(struct ernic_dev *edev, u8 type, u16 index);
int ernic_eth_q_disable(struct ernic_dev *edev, u8 type, u16 index);
/* LIF quiesce, LIF/device reset: disables all; @forget also drops Q_INIT state */
void ernic_eth_stop(struct ernic_dev *edev, bool forget);
/* stops worker threads (close); after ernic_eth_stop(edev, true) */
void ernic_eth_close(struct ernic_dev *edev);
struct ernic_queue *ernic_eth_queue(struct ernic_dev *edev, u32 qid);

/* link: is the host's end up (ernicN administratively up)? */
bool ernic_eth_host_up(struct ernic_dev *edev);
/* the guest's end changed: set carrier of ernicN */
void ernic_eth_guest_link(struct ernic_dev *edev, bool up);

/* RX_MODE_SET, RX_FILTER_*; enum ion_status */
void ernic_filter_init(struct ernic_dev *edev);
void ernic_filter_reset(struct ernic_dev *edev);
int ernic_filter_add(struct ernic_dev *edev, const union ion_cmd *cmd, u32 *id);
int ernic_filter_del(struct ernic_dev *edev, u32 id);
void ernic_filter_set_mode(struct ernic_dev *edev, u16 mode);
bool ernic_filter_accept(struct ernic_dev *edev, const u8 *dmac,
			 bool has_vlan, u16 vid);

/* RSS; @rss is copied, NULL turns it off */
int ernic_steer_set(struct ernic_dev *edev, const struct ernic_rss *rss);
u32 ernic_toeplitz(const u8 *key, const u8 *data, unsigned int len);
u32 ernic_fnv1a(const u8 *data, unsigned int len, u32 hash);
#define ERNIC_FNV1A_INIT	0x811c9dc5u

/* counters: sums over pairs and drops; exact when the data path is stopped */
void ernic_eth_stats(struct ernic_dev *edev, u64 *lif, u64 *port);
void ernic_eth_stats_zero(struct ernic_dev *edev, bool lif, bool port);
/* counts a doorbell to a queue that was never initialised */
void ernic_eth_count_disabled(struct ernic_dev *edev);
/* first change since the last publication: arms the statistics timer */
void ernic_stats_changed(struct ernic_dev *edev);

#endif
