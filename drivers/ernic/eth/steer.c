// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steering: which receive queue of the guest a frame goes to.
 *
 * With RSS set up, Toeplitz with the guest's key and table.  Otherwise 32-bit
 * FNV-1a over, in this order and as the bytes stand in the frame: source and
 * destination address, protocol, and for TCP, UDP and SCTP source and
 * destination port, behind up to two VLAN tags.  Fragments leave the ports out,
 * so that all of a datagram stay together.  A frame that is not IP hashes its
 * first twelve bytes, the two MAC addresses.  The queue is the hash modulo the
 * number of enabled queues, in index order.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/ip.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"

/* nibbles of the longest input: two IPv6 addresses and two ports */
#define ERNIC_RSS_NIBBLES	72

/**
 * struct ernic_steer - RSS as the guest set it up
 * @rss: first, as edev->lif.rss points to it and kfree_rcu() frees it
 * @lut: what nibble i with value v adds to the hash; the bit loop of
 *	ernic_toeplitz() costs some 500 instructions a frame
 */
struct ernic_steer {
	struct ernic_rss rss;
	u32 lut[ERNIC_RSS_NIBBLES][16];
};
static_assert(offsetof(struct ernic_steer, rss) == 0);

/**
 * struct ernic_flow - hash input of a frame
 * @version: 4, 6, or 0 for a frame that is not IP
 * @proto: IP protocol
 * @ports: there are ports
 * @alen: bytes in @addr
 * @addr: source and destination address, then the ports if @ports
 */
struct ernic_flow {
	u8 version;
	u8 proto;
	bool ports;
	u8 alen;
	u8 addr[2 * sizeof(struct in6_addr) + 2 * sizeof(__be16)];
};

/* key of profiles that steer by Toeplitz while the guest has none set */
static const u8 ernic_default_key[ION_RSS_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2,
	0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4,
	0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/**
 * ernic_toeplitz - Toeplitz hash
 * @key: ION_RSS_KEY_LEN bytes
 * @data: input, most significant bit of the first byte first
 * @len: at most ION_RSS_KEY_LEN - 4 bytes
 */
u32 ernic_toeplitz(const u8 *key, const u8 *data, unsigned int len)
{
	u64 window = (u64)get_unaligned_be32(key) << 32;
	unsigned int i, bit;
	u32 hash = 0;

	for (i = 0; i < len; i++) {
		window |= (u64)key[i + 4] << 24;
		for (bit = 0; bit < 8; bit++) {
			if (data[i] & (0x80 >> bit))
				hash ^= window >> 32;
			window <<= 1;
		}
	}
	return hash;
}
ERNIC_KUNIT_EXPORT(ernic_toeplitz);

/**
 * ernic_fnv1a - 32-bit FNV-1a
 * @data: input
 * @len: bytes
 * @hash: ERNIC_FNV1A_INIT, or the result for what stands before @data
 */
u32 ernic_fnv1a(const u8 *data, unsigned int len, u32 hash)
{
	while (len--)
		hash = (hash ^ *data++) * 0x01000193;
	return hash;
}
ERNIC_KUNIT_EXPORT(ernic_fnv1a);

static bool ernic_flow_has_ports(u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP ||
	       proto == IPPROTO_SCTP;
}

static void ernic_flow_ports(const struct sk_buff *skb, int off,
			     struct ernic_flow *flow)
{
	u32 buf;
	const u32 *ports;

	if (!ernic_flow_has_ports(flow->proto))
		return;
	ports = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!ports)
		return;
	memcpy(flow->addr + flow->alen, ports, sizeof(*ports));
	flow->ports = true;
}

static void ernic_flow_dissect(const struct sk_buff *skb,
			       struct ernic_flow *flow)
{
	__be16 proto = ((const struct ethhdr *)skb->data)->h_proto;
	int off = ETH_HLEN, tags = skb_vlan_tag_present(skb);

	flow->version = 0;
	flow->ports = false;
	for (; tags < 2 && eth_type_vlan(proto); tags++) {
		const struct vlan_hdr *vh;
		struct vlan_hdr buf;

		vh = skb_header_pointer(skb, off, sizeof(buf), &buf);
		if (!vh)
			return;
		proto = vh->h_vlan_encapsulated_proto;
		off += VLAN_HLEN;
	}

	if (proto == htons(ETH_P_IP)) {
		const struct iphdr *iph;
		struct iphdr buf;

		iph = skb_header_pointer(skb, off, sizeof(buf), &buf);
		if (!iph || iph->version != 4 || iph->ihl < 5)
			return;
		flow->version = 4;
		flow->proto = iph->protocol;
		flow->alen = 8;
		memcpy(flow->addr, &iph->addrs, 8);
		if (!ip_is_fragment(iph))
			ernic_flow_ports(skb, off + iph->ihl * 4, flow);
	} else if (proto == htons(ETH_P_IPV6)) {
		const struct ipv6hdr *ip6h;
		struct ipv6hdr buf;

		/* a fragment has another next header, so no ports */
		ip6h = skb_header_pointer(skb, off, sizeof(buf), &buf);
		if (!ip6h || ip6h->version != 6)
			return;
		flow->version = 6;
		flow->proto = ip6h->nexthdr;
		flow->alen = 32;
		memcpy(flow->addr, &ip6h->addrs, 32);
		ernic_flow_ports(skb, off + sizeof(*ip6h), flow);
	}
}

static u32 ernic_flow_fnv1a(const struct sk_buff *skb,
			    const struct ernic_flow *flow)
{
	u32 hash = ERNIC_FNV1A_INIT;

	if (!flow->version)
		return ernic_fnv1a(skb->data, 2 * ETH_ALEN, hash);
	hash = ernic_fnv1a(flow->addr, flow->alen, hash);
	hash = ernic_fnv1a(&flow->proto, 1, hash);
	if (flow->ports)
		hash = ernic_fnv1a(flow->addr + flow->alen, 4, hash);
	return hash;
}

/*
 * Bytes of flow->addr that the hash covers, 0 for none: a type with ports if
 * the guest asked for it and the frame is of that type, else addresses only.
 */
static unsigned int ernic_flow_rss(const struct ernic_flow *flow, u16 types,
				   u8 *pkt_type)
{
	u16 l3, l4 = 0;
	u8 type3, type4 = 0;

	if (flow->version == 4) {
		l3 = ION_RSS_TYPE_IPV4;
		type3 = ION_PKT_IPV4;
		if (flow->proto == IPPROTO_TCP) {
			l4 = ION_RSS_TYPE_IPV4_TCP;
			type4 = ION_PKT_IPV4_TCP;
		} else if (flow->proto == IPPROTO_UDP) {
			l4 = ION_RSS_TYPE_IPV4_UDP;
			type4 = ION_PKT_IPV4_UDP;
		}
	} else if (flow->version == 6) {
		l3 = ION_RSS_TYPE_IPV6;
		type3 = ION_PKT_IPV6;
		if (flow->proto == IPPROTO_TCP) {
			l4 = ION_RSS_TYPE_IPV6_TCP;
			type4 = ION_PKT_IPV6_TCP;
		} else if (flow->proto == IPPROTO_UDP) {
			l4 = ION_RSS_TYPE_IPV6_UDP;
			type4 = ION_PKT_IPV6_UDP;
		}
	} else {
		*pkt_type = ION_PKT_NON_IP;
		return 0;
	}

	if (flow->ports && (types & l4)) {
		*pkt_type = type4;
		return flow->alen + 4;
	}
	*pkt_type = type3;
	return types & l3 ? flow->alen : 0;
}

static u32 ernic_steer_lut(const struct ernic_steer *st, const u8 *data,
			   unsigned int len)
{
	u32 hash = 0;
	unsigned int i;

	for (i = 0; i < len; i++)
		hash ^= st->lut[2 * i][data[i] >> 4] ^
			st->lut[2 * i + 1][data[i] & 0xf];
	return hash;
}

static const struct ernic_steer *ernic_steer_get(struct ernic_dev *edev)
{
	struct ernic_rss *rss = rcu_dereference(edev->lif.rss);

	return rss ? container_of(rss, struct ernic_steer, rss) : NULL;
}

/**
 * ernic_steer_hash - RSS hash for the completion
 * @edev: device
 * @skb: frame, data at the linear Ethernet header
 * @hash: hash
 *
 * Return: ION_PKT_*; ION_PKT_NON_IP, which makes the driver ignore the hash, if
 * the guest did not ask for this type of frame.
 */
u8 ernic_steer_hash(struct ernic_dev *edev, const struct sk_buff *skb,
		    u32 *hash)
{
	const struct ernic_steer *st;
	struct ernic_flow flow;
	u8 type = ION_PKT_NON_IP;
	unsigned int len;

	*hash = 0;
	rcu_read_lock();
	st = ernic_steer_get(edev);
	if (st) {
		ernic_flow_dissect(skb, &flow);
		len = ernic_flow_rss(&flow, st->rss.types, &type);
		if (len)
			*hash = ernic_steer_lut(st, flow.addr, len);
		else
			type = ION_PKT_NON_IP;
	}
	rcu_read_unlock();
	return type;
}
ERNIC_KUNIT_EXPORT(ernic_steer_hash);

static bool ernic_map_has(const struct ernic_rxq_map *map, u16 queue)
{
	unsigned int i;

	/* all enabled, queue i is at i: the usual case */
	if (queue < map->n && map->queue[queue] == queue)
		return true;
	for (i = 0; i < map->n; i++)
		if (map->queue[i] == queue)
			return true;
	return false;
}

static u16 ernic_steer_pick(struct ernic_dev *edev,
			    const struct ernic_rxq_map *map,
			    const struct sk_buff *skb)
{
	const struct ernic_steer *st = ernic_steer_get(edev);
	struct ernic_flow flow;
	unsigned int len = 0;
	u32 hash;
	u8 type;

	ernic_flow_dissect(skb, &flow);
	if (st) {
		len = ernic_flow_rss(&flow, st->rss.types, &type);
		if (len) {
			u8 queue;

			hash = ernic_steer_lut(st, flow.addr, len);
			queue = st->rss.table[hash % ERNIC_RSS_TABLE];
			if (likely(ernic_map_has(map, queue)))
				return queue;
			return map->queue[hash % map->n];
		}
	} else if (edev->profile.steering == ERNIC_STEER_TOEPLITZ) {
		len = ernic_flow_rss(&flow, U16_MAX, &type);
		if (len) {
			hash = ernic_toeplitz(ernic_default_key, flow.addr,
					      len);
			return map->queue[hash % map->n];
		}
	}
	return map->queue[ernic_flow_fnv1a(skb, &flow) % map->n];
}

/**
 * ernic_steer_queue - receive queue for a frame
 * @edev: device
 * @skb: frame, data at the linear Ethernet header
 *
 * Return: an enabled queue, or 0 if there is none.
 */
u16 ernic_steer_queue(struct ernic_dev *edev, const struct sk_buff *skb)
{
	const struct ernic_rxq_map *map;
	u16 queue = 0;

	rcu_read_lock();
	map = rcu_dereference(edev->eth->rxq_map);
	if (map)
		queue = map->n == 1 ? map->queue[0] :
				      ernic_steer_pick(edev, map, skb);
	rcu_read_unlock();
	return queue;
}
ERNIC_KUNIT_EXPORT(ernic_steer_queue);

/**
 * ernic_steer_update - the set of enabled receive queues changed
 * @eth: Ethernet engine; the caller holds state_lock
 *
 * Return: 0 or -ENOMEM, in which case nothing is steered anywhere.
 */
int ernic_steer_update(struct ernic_eth *eth)
{
	struct ernic_rxq_map *map = NULL, *old;
	unsigned int i, n = 0;
	int err = 0;

	for (i = 0; i < eth->npairs; i++)
		n += eth->pairs[i].rx_ready;
	if (n) {
		map = kzalloc_flex(*map, queue, n, GFP_KERNEL_ACCOUNT);
		if (!map)
			err = -ENOMEM;
	}
	if (map) {
		map->n = n;
		for (i = 0, n = 0; i < eth->npairs; i++)
			if (eth->pairs[i].rx_ready)
				map->queue[n++] = i;
	}
	old = rcu_replace_pointer(eth->rxq_map, map,
				  lockdep_is_held(&eth->edev->state_lock));
	kfree_rcu(old, rcu);
	return err;
}

/**
 * ernic_steer_set - LIF_SETATTR RSS
 * @edev: device; the caller holds state_lock
 * @rss: copied; NULL turns RSS off
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_steer_set(struct ernic_dev *edev, const struct ernic_rss *rss)
{
	struct ernic_steer *st = NULL;
	struct ernic_rss *old;
	unsigned int i, v;

	if (rss) {
		st = kzalloc_obj(*st, GFP_KERNEL_ACCOUNT);
		if (!st)
			return -ENOMEM;
		st->rss.types = rss->types;
		memcpy(st->rss.key, rss->key, sizeof(st->rss.key));
		memcpy(st->rss.table, rss->table, sizeof(st->rss.table));
		for (i = 0; i < ERNIC_RSS_NIBBLES; i++) {
			u8 in[ERNIC_RSS_NIBBLES / 2] = {};

			for (v = 0; v < 16; v++) {
				in[i / 2] = i & 1 ? v : v << 4;
				st->lut[i][v] = ernic_toeplitz(rss->key, in,
							       i / 2 + 1);
			}
		}
	}
	old = rcu_replace_pointer(edev->lif.rss, st ? &st->rss : NULL,
				  lockdep_is_held(&edev->state_lock));
	kfree_rcu(old, rcu);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_steer_set);

/**
 * ernic_steer_exit - free what steering holds
 * @eth: Ethernet engine without readers
 */
void ernic_steer_exit(struct ernic_eth *eth)
{
	kfree(rcu_dereference_protected(eth->rxq_map, true));
	RCU_INIT_POINTER(eth->rxq_map, NULL);
	kfree(rcu_dereference_protected(eth->edev->lif.rss, true));
	RCU_INIT_POINTER(eth->edev->lif.rss, NULL);
}
