/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Ethernet engine (drivers/ernic/eth): queue pairs, netdev ernicN, filters,
 * steering and frame counters.  function/ calls what is declared here.
 */
#ifndef ERNIC_ETH_H
#define ERNIC_ETH_H

#include <linux/if_vlan.h>
#include <linux/ptr_ring.h>
#include <linux/skbuff.h>

#include <ernic/dev.h>

#define ERNIC_ETH_LIF_STATS	48	/* LIF counters of Ethernet come first */
#define ERNIC_RX_HDR_MAX	256	/* headers of a frame to the guest */
#define ERNIC_TX_HDR_MAX	256	/* headers of a TSO chain */
#define ERNIC_DESC_BATCH	64	/* descriptors read at once */

/* a frame without FCS: MTU, Ethernet header and one VLAN tag */
#define ERNIC_FRAME_MAX(mtu)	((mtu) + ETH_HLEN + VLAN_HLEN)

enum ernic_cast {
	ERNIC_UCAST,
	ERNIC_MCAST,
	ERNIC_BCAST,
};

/**
 * struct ernic_frame - what the counters need to know of a frame
 * @cast: enum ernic_cast, by destination address
 * @vlan: tagged
 * @pri: priority of the outer tag, 0 if there is none
 */
struct ernic_frame {
	u8 cast;
	bool vlan;
	u8 pri;
};

/**
 * struct ernic_tx_state - guest to host, between two batches
 * @skb: TSO chain being gathered
 * @chain: descriptors from @chain_start up to the one with EOT belong together
 * @skip: the chain is bad, its descriptors are consumed and not looked at
 * @owed: frames up to slot @done_index are done and the guest was not told
 * @done_index: slot of the last descriptor of the last frame that is done
 * @chain_start: slot of the first descriptor of the chain
 * @vlan: @vlan_tci is to be inserted
 * @frag: page that payload is copied to
 * @ndesc: descriptors in @desc, from slot q->c_index - @next on
 * @next: first one in @desc that is not consumed
 */
struct ernic_tx_state {
	struct sk_buff *skb;
	bool chain;
	bool skip;
	bool vlan;
	bool owed;
	u16 done_index;
	u16 chain_start;
	u16 hdr_len;
	u16 mss;
	u16 vlan_tci;
	struct page_frag frag;
	u16 ndesc;
	u16 next;
	struct ion_txq_desc desc[ERNIC_DESC_BATCH];
};

/**
 * struct ernic_rx_state - host to guest, between two batches
 * @skb: frame being delivered; its headers are in @hdr
 * @wait_since: jiffies when @skb began to wait for a buffer
 * @waiting: @skb waits for a buffer
 * @stalled: a frame waited in vain; others are dropped at once until the guest
 *	posts buffers
 * @timer: ends the wait
 * @frame: for the counters
 * @gso: @skb is segmented, @mss bytes of payload each
 * @first: no segment was cut off yet
 * @partial: checksum at @csum_off over everything from @csum_start
 * @strip: the tag goes into the completion as @vlan_tci
 * @ipv6: of @gso
 * @pkt_type: ION_PKT_*, says what @hash was computed over
 * @hdr_len: bytes in @hdr
 * @net_off: IP header in @hdr, of @gso
 * @off: next payload byte in @skb
 * @left: payload bytes from there
 * @ndesc: descriptors in @desc, from slot q->c_index - @next on
 * @next: first one in @desc that is not consumed
 */
struct ernic_rx_state {
	struct sk_buff *skb;
	unsigned long wait_since;
	bool waiting;
	bool stalled;
	struct timer_list timer;

	struct ernic_frame frame;
	bool gso;
	bool first;
	bool partial;
	bool strip;
	bool ipv6;
	u8 pkt_type;
	u16 vlan_tci;
	u16 hdr_len;
	u16 net_off;
	u16 csum_start;
	u16 csum_off;
	u16 mss;
	u32 hash;
	u32 off;
	u32 left;
	u8 hdr[ERNIC_RX_HDR_MAX] __aligned(4);

	u16 ndesc;
	u16 next;
	struct ion_rxq_desc desc[ERNIC_DESC_BATCH];
};

/**
 * struct ernic_pair - transmit and receive queue i with their worker
 * @lock: held by the worker during each batch; who holds it owns the rings
 * @rx_ready: @rx is enabled; read without a lock by ndo_start_xmit
 * @tx_comps: completions of @tx that the guest was not told of
 * @rx_comps: completions of @rx that the guest was not told of
 * @deferred: batches since it was told
 * @lif_stats: LIF counters moved by this pair, @lock
 * @port_stats: port counters moved by this pair, @lock
 * @host: counters of ernicN, @lock; unlike the others they are never zeroed
 * @ring: frames from the host to the guest; the consumer holds @lock
 * @to_host: frames from the guest to the host
 * @napi: takes them to the stack
 */
struct ernic_pair {
	struct ernic_dev *edev;
	u16 index;
	bool rx_ready;
	struct mutex lock;		/* both rings */
	struct ernic_worker worker;
	struct ernic_queue tx;
	struct ernic_queue rx;
	u16 tx_comps;
	u16 rx_comps;
	u16 deferred;

	u64 lif_stats[ERNIC_ETH_LIF_STATS];
	u64 port_stats[ION_PORT_STAT_COUNT];
	struct {
		u64 rx_packets;
		u64 rx_bytes;
		u64 rx_errors;
		u64 tx_packets;
		u64 tx_bytes;
		u64 tx_dropped;
	} host;

	struct ernic_tx_state txs;
	struct ernic_rx_state rxs;

	struct ptr_ring ring;
	struct sk_buff_head to_host;
	struct napi_struct napi;
} ____cacheline_aligned_in_smp;

/**
 * struct ernic_rxq_map - enabled receive queues, ascending
 */
struct ernic_rxq_map {
	struct rcu_head rcu;
	unsigned int n;
	u16 queue[] __counted_by(n);
};

/**
 * struct ernic_eth - the Ethernet engine of a device
 * @npairs: queue pairs, also queues of ernicN; constant
 * @drop_lock: @drop_lif, @drop_port; any context
 * @drop_lif: LIF counters moved outside of the workers
 * @drop_port: port counters moved outside of the workers
 * @rxq_map: where steering may go, NULL for nowhere; changes under state_lock
 */
struct ernic_eth {
	struct ernic_dev *edev;
	unsigned int npairs;
	struct ernic_pair *pairs;
	spinlock_t drop_lock;		/* drop_lif, drop_port */
	u64 drop_lif[ERNIC_ETH_LIF_STATS];
	u64 drop_port[ION_PORT_STAT_COUNT];
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
/* bus mastering came back, or anything else that makes a look worth while */
void ernic_eth_kick(struct ernic_dev *edev);
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

/* pure helpers, here for KUnit */
int ernic_tso_fixup(struct sk_buff *skb, unsigned int hdr_len,
		    unsigned int mss);
u16 ernic_rx_csum(const u8 *hdr, unsigned int hdr_len, __wsum payload);
unsigned int ernic_port_bucket(unsigned int wire_len);

/* counters: sums over pairs and drops; exact when the data path is stopped */
void ernic_eth_stats(struct ernic_dev *edev, u64 *lif, u64 *port);
void ernic_eth_stats_zero(struct ernic_dev *edev, bool lif, bool port);
/* counts a doorbell to a queue that was never initialised */
void ernic_eth_count_disabled(struct ernic_dev *edev);

#endif
