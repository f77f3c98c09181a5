// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame counters: what the LIF moved, and what a MAC would have seen on the
 * wire.
 *
 * Names are the guest's: rx is towards the guest.  LIF counters take a frame as
 * long as it is, without FCS; port counters pad it to 60 bytes, as a sending
 * MAC does, and add the FCS.  A TSO chain or GSO frame counts as the frames
 * that it stands for.
 */
#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"

/* counters of a class follow each other: unicast, multicast, broadcast */
static_assert(ION_LIF_STAT_rx_mcast_bytes == ION_LIF_STAT_rx_ucast_bytes + 2);
static_assert(ION_LIF_STAT_rx_bcast_bytes == ION_LIF_STAT_rx_ucast_bytes + 4);
static_assert(ION_LIF_STAT_tx_bcast_bytes == ION_LIF_STAT_tx_ucast_bytes + 4);
static_assert(ION_LIF_STAT_rx_bcast_drop_bytes ==
	      ION_LIF_STAT_rx_ucast_drop_bytes + 4);
static_assert(ION_LIF_STAT_tx_bcast_drop_bytes ==
	      ION_LIF_STAT_tx_ucast_drop_bytes + 4);
static_assert(ION_PORT_STAT_frames_rx_broadcast ==
	      ION_PORT_STAT_frames_rx_unicast + 2);
static_assert(ION_PORT_STAT_frames_tx_broadcast ==
	      ION_PORT_STAT_frames_tx_unicast + 2);
static_assert(ION_PORT_STAT_frames_rx_other ==
	      ION_PORT_STAT_frames_rx_64b + 10);
static_assert(ION_PORT_STAT_frames_tx_other ==
	      ION_PORT_STAT_frames_tx_64b + 10);
static_assert(ION_LIF_STAT_tx_queue_empty < ERNIC_ETH_LIF_STATS);

/**
 * ernic_port_bucket - size class of a frame
 * @wire_len: bytes with padding and FCS
 *
 * Return: offset from frames_rx_64b or frames_tx_64b.
 */
unsigned int ernic_port_bucket(unsigned int wire_len)
{
	static const u16 last[] = {
		64, 127, 255, 511, 1023, 1518, 2047, 4095, 8191, 9215
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(last); i++)
		if (wire_len <= last[i])
			break;
	return i;
}
ERNIC_KUNIT_EXPORT(ernic_port_bucket);

static u32 ernic_wire_len(u32 len)
{
	return max_t(u32, len, ETH_ZLEN) + ETH_FCS_LEN;
}

/* the lock of the array's owner makes this the only writer; readers have none */
static void ernic_add(u64 *slot, u64 n)
{
	WRITE_ONCE(*slot, *slot + n);
}

/**
 * ernic_frame_classify - gather what the counters need
 * @f: result
 * @dmac: destination address
 * @vlan: the frame is tagged
 * @tci: its outer tag
 */
void ernic_frame_classify(struct ernic_frame *f, const u8 *dmac, bool vlan,
			  u16 tci)
{
	if (likely(!is_multicast_ether_addr(dmac)))
		f->cast = ERNIC_UCAST;
	else if (is_broadcast_ether_addr(dmac))
		f->cast = ERNIC_BCAST;
	else
		f->cast = ERNIC_MCAST;
	f->vlan = vlan;
	f->pri = vlan ? tci >> VLAN_PRIO_SHIFT : 0;
}
ERNIC_KUNIT_EXPORT(ernic_frame_classify);

/**
 * ernic_count_tx - the guest sent frames
 * @lif: LIF counters
 * @port: port counters
 * @f: class
 * @len: bytes each, with VLAN tag, without FCS
 * @n: how many
 */
void ernic_count_tx(u64 *lif, u64 *port, const struct ernic_frame *f, u32 len,
		    u32 n)
{
	u32 wire = ernic_wire_len(len);

	ernic_add(&lif[ION_LIF_STAT_tx_ucast_bytes + 2 * f->cast],
		  (u64)len * n);
	ernic_add(&lif[ION_LIF_STAT_tx_ucast_packets + 2 * f->cast], n);

	ernic_add(&port[ION_PORT_STAT_frames_tx_all], n);
	ernic_add(&port[ION_PORT_STAT_frames_tx_ok], n);
	ernic_add(&port[ION_PORT_STAT_octets_tx_total], (u64)wire * n);
	ernic_add(&port[ION_PORT_STAT_octets_tx_ok], (u64)wire * n);
	ernic_add(&port[ION_PORT_STAT_frames_tx_unicast + f->cast], n);
	ernic_add(&port[ION_PORT_STAT_frames_tx_64b + ernic_port_bucket(wire)],
		  n);
	if (f->vlan)
		ernic_add(&port[ION_PORT_STAT_frames_tx_vlan], n);
	ernic_add(&port[ION_PORT_STAT_frames_tx_pri_0 + f->pri], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_tx);

/**
 * ernic_count_tx_drop - the host refused frames of the guest
 * @lif: LIF counters
 * @f: class
 * @len: bytes each, without FCS
 * @n: how many
 */
void ernic_count_tx_drop(u64 *lif, const struct ernic_frame *f, u32 len, u32 n)
{
	ernic_add(&lif[ION_LIF_STAT_tx_ucast_drop_bytes + 2 * f->cast],
		  (u64)len * n);
	ernic_add(&lif[ION_LIF_STAT_tx_ucast_drop_packets + 2 * f->cast], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_tx_drop);

/**
 * ernic_count_rx_port - the MAC took frames in, whatever becomes of them
 * @port: port counters
 * @f: class
 * @len: bytes each, without FCS
 * @n: how many
 */
void ernic_count_rx_port(u64 *port, const struct ernic_frame *f, u32 len,
			 u32 n)
{
	u32 wire = ernic_wire_len(len);

	ernic_add(&port[ION_PORT_STAT_frames_rx_all], n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_ok], n);
	ernic_add(&port[ION_PORT_STAT_octets_rx_all], (u64)wire * n);
	ernic_add(&port[ION_PORT_STAT_octets_rx_ok], (u64)wire * n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_unicast + f->cast], n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_64b + ernic_port_bucket(wire)],
		  n);
	if (f->vlan)
		ernic_add(&port[ION_PORT_STAT_frames_rx_vlan_good], n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_pri_0 + f->pri], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_rx_port);

/**
 * ernic_count_rx_lif - the guest received frames
 * @lif: LIF counters
 * @f: class
 * @len: bytes each, as on the wire without FCS
 * @n: how many
 */
void ernic_count_rx_lif(u64 *lif, const struct ernic_frame *f, u32 len, u32 n)
{
	ernic_add(&lif[ION_LIF_STAT_rx_ucast_bytes + 2 * f->cast],
		  (u64)len * n);
	ernic_add(&lif[ION_LIF_STAT_rx_ucast_packets + 2 * f->cast], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_rx_lif);

/**
 * ernic_count_rx_drop - the LIF dropped frames for the guest
 * @lif: LIF counters; the caller adds the reason
 * @f: class
 * @len: bytes each, without FCS
 * @n: how many
 */
void ernic_count_rx_drop(u64 *lif, const struct ernic_frame *f, u32 len, u32 n)
{
	ernic_add(&lif[ION_LIF_STAT_rx_ucast_drop_bytes + 2 * f->cast],
		  (u64)len * n);
	ernic_add(&lif[ION_LIF_STAT_rx_ucast_drop_packets + 2 * f->cast], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_rx_drop);

/**
 * ernic_count_rx_too_long - the MAC dropped frames over the port's maximum
 * @port: port counters; the LIF never sees such a frame
 * @n: how many
 */
void ernic_count_rx_too_long(u64 *port, u32 n)
{
	ernic_add(&port[ION_PORT_STAT_frames_rx_too_long], n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_oversized], n);
	ernic_add(&port[ION_PORT_STAT_frames_rx_bad_all], n);
}
ERNIC_KUNIT_EXPORT(ernic_count_rx_too_long);

/**
 * ernic_count_overrun - a frame found the queue to the guest full
 * @edev: device
 * @skb: frame, data at the linear Ethernet header
 *
 * Called from ndo_start_xmit, where no pair is locked.
 */
void ernic_count_overrun(struct ernic_dev *edev, const struct sk_buff *skb)
{
	struct ernic_eth *eth = edev->eth;
	u32 hdr_len = 0, len, n = 1, last = 0;
	struct ernic_frame f;
	unsigned long flags;
	bool inband;
	u16 tci = 0;
	__be16 tag;

	tag = ernic_skb_tag(skb, &tci, &inband);
	ernic_frame_classify(&f, skb->data, tag, tci);
	len = skb->len + (tag && !inband ? VLAN_HLEN : 0);
	if (skb_is_gso(skb)) {
		u32 mss = skb_shinfo(skb)->gso_size;

		hdr_len = ernic_gso_hdr_len(skb);
		if (hdr_len && skb->len > hdr_len) {
			n = (skb->len - hdr_len) / mss;
			last = (skb->len - hdr_len) % mss;
			len = len - skb->len + hdr_len;
			last = last ? last + len : 0;
			len += mss;
		}
	}

	spin_lock_irqsave(&eth->drop_lock, flags);
	ernic_count_rx_port(eth->drop_port, &f, len, n);
	ernic_add(&eth->drop_port[ION_PORT_STAT_frames_rx_dropped], n);
	ernic_count_rx_drop(eth->drop_lif, &f, len, n);
	ernic_add(&eth->drop_lif[ION_LIF_STAT_rx_queue_empty], n);
	if (last) {
		ernic_count_rx_port(eth->drop_port, &f, last, 1);
		ernic_add(&eth->drop_port[ION_PORT_STAT_frames_rx_dropped], 1);
		ernic_count_rx_drop(eth->drop_lif, &f, last, 1);
		ernic_add(&eth->drop_lif[ION_LIF_STAT_rx_queue_empty], 1);
	}
	spin_unlock_irqrestore(&eth->drop_lock, flags);
	ernic_stats_changed(edev);
}

/**
 * ernic_eth_count_disabled - a doorbell for a queue that was never set up
 * @edev: device
 *
 * Any context: vCPUs ring with interrupts off when device and driver share a
 * kernel.
 */
void ernic_eth_count_disabled(struct ernic_dev *edev)
{
	struct ernic_eth *eth = edev->eth;
	unsigned long flags;

	spin_lock_irqsave(&eth->drop_lock, flags);
	ernic_add(&eth->drop_lif[ION_LIF_STAT_tx_queue_disabled], 1);
	spin_unlock_irqrestore(&eth->drop_lock, flags);
	ernic_stats_changed(edev);
}
ERNIC_KUNIT_EXPORT(ernic_eth_count_disabled);

/**
 * ernic_eth_stats - sums of all counters
 * @edev: device
 * @lif: ERNIC_ETH_LIF_STATS counters, indexed by ION_LIF_STAT_*
 * @port: ION_PORT_STAT_COUNT counters
 *
 * Takes no lock, so a sum may miss what moves meanwhile; it is exact while the
 * data path is stopped.
 */
void ernic_eth_stats(struct ernic_dev *edev, u64 *lif, u64 *port)
{
	struct ernic_eth *eth = edev->eth;
	unsigned int i, j;

	for (j = 0; j < ERNIC_ETH_LIF_STATS; j++)
		lif[j] = READ_ONCE(eth->drop_lif[j]);
	for (j = 0; j < ION_PORT_STAT_COUNT; j++)
		port[j] = READ_ONCE(eth->drop_port[j]);

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		for (j = 0; j < ERNIC_ETH_LIF_STATS; j++)
			lif[j] += READ_ONCE(pair->lif_stats[j]);
		for (j = 0; j < ION_PORT_STAT_COUNT; j++)
			port[j] += READ_ONCE(pair->port_stats[j]);
	}
}
ERNIC_KUNIT_EXPORT(ernic_eth_stats);

static void ernic_zero(u64 *stats, unsigned int n)
{
	while (n--)
		WRITE_ONCE(stats[n], 0);
}

/**
 * ernic_eth_stats_zero - start counters again at zero
 * @edev: device; the caller holds state_lock
 * @lif: those of the LIF
 * @port: those of the port
 */
void ernic_eth_stats_zero(struct ernic_dev *edev, bool lif, bool port)
{
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		mutex_lock(&pair->lock);
		if (lif)
			ernic_zero(pair->lif_stats, ERNIC_ETH_LIF_STATS);
		if (port)
			ernic_zero(pair->port_stats, ION_PORT_STAT_COUNT);
		mutex_unlock(&pair->lock);
	}

	spin_lock_irq(&eth->drop_lock);
	if (lif)
		ernic_zero(eth->drop_lif, ERNIC_ETH_LIF_STATS);
	if (port)
		ernic_zero(eth->drop_port, ION_PORT_STAT_COUNT);
	spin_unlock_irq(&eth->drop_lock);
}
ERNIC_KUNIT_EXPORT(ernic_eth_stats_zero);
