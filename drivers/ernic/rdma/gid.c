// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has which address.  Nobody configures it: a guest shows its addresses in the
 * source of header templates, and in the ARP and neighbour discovery that it sends
 * on its Ethernet side.
 *
 * The MAC that a device was born with leads to it, whoever claims it or the GID besides.
 * So a guest that claims addresses that are not its own gets nothing of those that know
 * the owner's MAC.  With another MAC a destination is looked for by GID; several devices
 * may claim one, and then the MAC decides, as a switch would.  Without a claimant whose
 * MAC fits, the MAC alone decides, and only then a GID alone: that is the case behind a
 * router, whose MAC is nobody's here.
 *
 * Devices of different domains, or without a back end, do not see each other.
 *
 * Entries that a template holds stay as long as its address handle or QP; others go
 * when they were not seen for gid_age_s.
 */
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <net/ndisc.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "engine.h"

static unsigned int gid_age_s = 300;
module_param(gid_age_s, uint, 0644);
MODULE_PARM_DESC(gid_age_s, "seconds that an address seen in ARP or neighbour discovery is remembered (default 300)");

/* addresses that a device may have */
#define ERNIC_GID_MAX		512
#define ERNIC_GID_LOOK		(10 * HZ)

enum ernic_gid_kind {
	ERNIC_GID_IP,
	ERNIC_GID_MAC,
};

struct ernic_gid_key {
	u8 addr[16];
	u8 kind;
	u8 pad[3];
};

/**
 * struct ernic_gid_ref - an address of a device
 * @hash: in the table, by @key
 * @node: in the list of all
 * @key: the address
 * @rdma: whose it is
 * @mac: of the device, with that address
 * @seen: jiffies
 * @holds: address handles and QPs whose template has it
 * @dead: not in the table
 * @rcu: readers of the table may look at it
 */
struct ernic_gid_ref {
	struct rhlist_head hash;
	struct list_head node;
	struct ernic_gid_key key;
	struct ernic_rdma *rdma;
	u8 mac[ETH_ALEN];
	unsigned long seen;
	unsigned int holds;
	bool dead;
	struct rcu_head rcu;
};

static const struct rhashtable_params ernic_gid_params = {
	.key_len = sizeof(struct ernic_gid_key),
	.key_offset = offsetof(struct ernic_gid_ref, key),
	.head_offset = offsetof(struct ernic_gid_ref, hash),
	.automatic_shrinking = true,
};

/* all of the table's entries; a leaf */
static DEFINE_MUTEX(ernic_gid_lock);
static struct rhltable ernic_gids;
static LIST_HEAD(ernic_gid_list);

/* changes with each change of the table, and of who is visible */
static atomic_long_t ernic_gid_gen = ATOMIC_LONG_INIT(1);

static void ernic_gid_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(ernic_gid_work, ernic_gid_look);

/**
 * ernic_gid_init - first-time set-up of the module
 *
 * Return: 0 or a negative errno.
 */
int ernic_gid_init(void)
{
	return rhltable_init(&ernic_gids, &ernic_gid_params);
}

/**
 * ernic_gid_exit - undo ernic_gid_init(); no device is left
 */
void ernic_gid_exit(void)
{
	cancel_delayed_work_sync(&ernic_gid_work);
	rhltable_destroy(&ernic_gids);
}

static void ernic_gid_key_ip(struct ernic_gid_key *key, const u8 *gid)
{
	memset(key, 0, sizeof(*key));
	memcpy(key->addr, gid, sizeof(key->addr));
	key->kind = ERNIC_GID_IP;
}

static void ernic_gid_key_mac(struct ernic_gid_key *key, const u8 *mac)
{
	memset(key, 0, sizeof(*key));
	ether_addr_copy(key->addr, mac);
	key->kind = ERNIC_GID_MAC;
}

/**
 * ernic_gid_changed - routes that are remembered are no longer right
 */
void ernic_gid_changed(void)
{
	atomic_long_inc(&ernic_gid_gen);
}

/* the caller holds ernic_gid_lock */
static void ernic_gid_drop(struct ernic_gid_ref *ref)
{
	rhltable_remove(&ernic_gids, &ref->hash, ernic_gid_params);
	ernic_gid_changed();
	list_del(&ref->node);
	ref->rdma->gid_count--;
	ref->dead = true;
	if (!ref->holds)
		kfree_rcu(ref, rcu);
}

static struct ernic_gid_ref *ernic_gid_find(struct ernic_rdma *rdma,
					    const struct ernic_gid_key *key)
{
	struct ernic_gid_ref *ref, *found = NULL;
	struct rhlist_head *list, *pos;

	rcu_read_lock();
	list = rhltable_lookup(&ernic_gids, key, ernic_gid_params);
	rhl_for_each_entry_rcu(ref, pos, list, hash)
		if (ref->rdma == rdma)
			found = ref;
	rcu_read_unlock();
	return found;
}

/* room for one more: the one of the device that was not seen for longest goes */
static bool ernic_gid_room(struct ernic_rdma *rdma)
{
	struct ernic_gid_ref *ref, *old = NULL;

	if (rdma->gid_count < ERNIC_GID_MAX)
		return true;
	list_for_each_entry(ref, &ernic_gid_list, node)
		if (ref->rdma == rdma && !ref->holds &&
		    (!old || time_before(ref->seen, old->seen)))
			old = ref;
	if (!old)
		return false;
	ernic_gid_drop(old);
	return true;
}

/* the caller holds ernic_gid_lock */
static struct ernic_gid_ref *ernic_gid_add(struct ernic_rdma *rdma,
					   const struct ernic_gid_key *key,
					   const u8 *mac)
{
	struct ernic_gid_ref *ref = ernic_gid_find(rdma, key);

	if (!ref) {
		if (!ernic_gid_room(rdma))
			return NULL;
		ref = kzalloc_obj(*ref, GFP_KERNEL_ACCOUNT);
		if (!ref)
			return NULL;
		ref->key = *key;
		ref->rdma = rdma;
		ether_addr_copy(ref->mac, mac);
		if (rhltable_insert(&ernic_gids, &ref->hash,
				    ernic_gid_params)) {
			kfree(ref);
			return NULL;
		}
		ernic_gid_changed();
		list_add(&ref->node, &ernic_gid_list);
		rdma->gid_count++;
		schedule_delayed_work(&ernic_gid_work, ERNIC_GID_LOOK);
	} else if (!ether_addr_equal(ref->mac, mac)) {
		/* readers compare; one that sees half of it finds no match */
		ether_addr_copy(ref->mac, mac);
		ernic_gid_changed();
	}
	ref->seen = jiffies;
	return ref;
}

/**
 * ernic_gid_learn - a device has an address
 * @rdma: its engine
 * @gid: address
 * @mac: the device's, with it
 * @hold: keep it until ernic_gid_put()
 *
 * Process context.
 *
 * Return: to be given to ernic_gid_put() if @hold; NULL if it was not learned, which
 * is no error.
 */
struct ernic_gid_ref *ernic_gid_learn(struct ernic_rdma *rdma, const u8 *gid,
				      const u8 *mac, bool hold)
{
	static const u8 none[16];
	struct ernic_gid_ref *ref = NULL;
	struct ernic_gid_key key;

	if (!is_valid_ether_addr(mac))
		return NULL;
	mutex_lock(&ernic_gid_lock);
	ernic_gid_key_mac(&key, mac);
	ernic_gid_add(rdma, &key, mac);
	if (gid && memcmp(gid, none, sizeof(none))) {
		ernic_gid_key_ip(&key, gid);
		ref = ernic_gid_add(rdma, &key, mac);
	}
	if (ref && hold)
		ref->holds++;
	mutex_unlock(&ernic_gid_lock);
	return ref;
}
ERNIC_KUNIT_EXPORT(ernic_gid_learn);

/**
 * ernic_gid_put - a template that had the address is gone
 * @rdma: engine
 * @ref: from ernic_gid_learn(), or NULL
 */
void ernic_gid_put(struct ernic_rdma *rdma, struct ernic_gid_ref *ref)
{
	if (!ref)
		return;
	mutex_lock(&ernic_gid_lock);
	ref->holds--;
	ref->seen = jiffies;
	if (ref->dead && !ref->holds)
		kfree_rcu(ref, rcu);
	mutex_unlock(&ernic_gid_lock);
}
ERNIC_KUNIT_EXPORT(ernic_gid_put);

/**
 * ernic_gid_forget - a device has no address any more
 * @rdma: its engine
 */
void ernic_gid_forget(struct ernic_rdma *rdma)
{
	struct ernic_gid_ref *ref, *tmp;

	mutex_lock(&ernic_gid_lock);
	list_for_each_entry_safe(ref, tmp, &ernic_gid_list, node)
		if (ref->rdma == rdma)
			ernic_gid_drop(ref);
	/* also if there was none: nobody may remember the device */
	ernic_gid_changed();
	mutex_unlock(&ernic_gid_lock);
}
ERNIC_KUNIT_EXPORT(ernic_gid_forget);

/**
 * ernic_gid_age - forget what was not seen for gid_age_s, and is in no template
 * @now: jiffies
 *
 * Return: some addresses are left.
 */
bool ernic_gid_age(unsigned long now)
{
	unsigned long age = (unsigned long)READ_ONCE(gid_age_s) * HZ;
	struct ernic_gid_ref *ref, *tmp;
	bool more;

	mutex_lock(&ernic_gid_lock);
	list_for_each_entry_safe(ref, tmp, &ernic_gid_list, node) {
		/* the permanent MAC is not learned, so it is not forgotten */
		if (ref->holds || time_before(now, ref->seen + age) ||
		    (ref->key.kind == ERNIC_GID_MAC &&
		     ether_addr_equal(ref->mac, ref->rdma->edev->mac)))
			continue;
		ernic_gid_drop(ref);
	}
	more = !list_empty(&ernic_gid_list);
	mutex_unlock(&ernic_gid_lock);
	return more;
}
ERNIC_KUNIT_EXPORT(ernic_gid_age);

static void ernic_gid_look(struct work_struct *work)
{
	if (ernic_gid_age(jiffies))
		schedule_delayed_work(&ernic_gid_work, ERNIC_GID_LOOK);
}

static bool ernic_gid_visible(const struct ernic_rdma *from,
			      const struct ernic_rdma *to)
{
	return READ_ONCE(to->backend) == ERNIC_RDMA_LOOPBACK &&
	       !strcmp(from->domain, to->domain);
}

/**
 * ernic_gid_route - which device an address leads to
 * @from: sender
 * @av: address
 *
 * Return: engine of the device, with a reference in its users, or NULL.
 */
struct ernic_rdma *ernic_gid_route(struct ernic_rdma *from,
				   const struct ernic_av *av)
{
	struct ernic_rdma *by_gid = NULL, *by_mac = NULL, *to = NULL;
	struct rhlist_head *list, *pos;
	struct ernic_gid_ref *ref;
	struct ernic_gid_key key;
	bool several = false;

	if (READ_ONCE(from->backend) != ERNIC_RDMA_LOOPBACK)
		return NULL;

	rcu_read_lock();
	ernic_gid_key_mac(&key, av->dmac);
	list = rhltable_lookup(&ernic_gids, &key, ernic_gid_params);
	rhl_for_each_entry_rcu(ref, pos, list, hash) {
		if (!ernic_gid_visible(from, ref->rdma))
			continue;
		by_mac = ref->rdma;
		if (ether_addr_equal(ref->rdma->edev->mac, av->dmac)) {
			to = ref->rdma;
			goto found;
		}
	}
	ernic_gid_key_ip(&key, av->dgid);
	list = rhltable_lookup(&ernic_gids, &key, ernic_gid_params);
	rhl_for_each_entry_rcu(ref, pos, list, hash) {
		if (!ernic_gid_visible(from, ref->rdma))
			continue;
		if (ether_addr_equal(ref->mac, av->dmac)) {
			to = ref->rdma;
			goto found;
		}
		several |= by_gid && by_gid != ref->rdma;
		by_gid = ref->rdma;
	}
	to = by_mac ?: several ? NULL : by_gid;
found:
	if (to && !percpu_ref_tryget_live(&to->users))
		to = NULL;
	rcu_read_unlock();
	return to;
}
ERNIC_KUNIT_EXPORT(ernic_gid_route);

/**
 * ernic_gid_way - ernic_gid_route(), remembered
 * @from: sender
 * @av: address, the same each time
 * @route: what is remembered; zero at first, and when @av changes
 *
 * Return: as ernic_gid_route().
 */
struct ernic_rdma *ernic_gid_way(struct ernic_rdma *from,
				 const struct ernic_av *av,
				 struct ernic_route *route)
{
	unsigned long gen = atomic_long_read(&ernic_gid_gen);
	struct ernic_rdma *to = NULL;

	/* a device that goes changes the number, and then waits for RCU */
	rcu_read_lock();
	if (route->to && route->gen == atomic_long_read(&ernic_gid_gen) &&
	    percpu_ref_tryget_live(&route->to->users))
		to = route->to;
	rcu_read_unlock();
	if (to)
		return to;
	to = ernic_gid_route(from, av);
	route->to = to;
	route->gen = gen;
	return to;
}

/* ---- what the guest sends on its Ethernet side ---------------------------------- */

static void ernic_gid_snoop_arp(struct ernic_rdma *rdma,
				const struct sk_buff *skb, unsigned int at)
{
	struct {
		struct arphdr hdr;
		u8 sha[ETH_ALEN];
		u8 sip[4];
	} __packed arp;
	u8 gid[16] = { [10] = 0xff, [11] = 0xff };
	static const u8 none[4];

	if (skb_copy_bits(skb, at, &arp, sizeof(arp)) ||
	    arp.hdr.ar_hrd != htons(ARPHRD_ETHER) ||
	    arp.hdr.ar_pro != htons(ETH_P_IP) || arp.hdr.ar_hln != ETH_ALEN ||
	    arp.hdr.ar_pln != 4 || !memcmp(arp.sip, none, 4))
		return;
	memcpy(gid + 12, arp.sip, 4);
	ernic_gid_learn(rdma, gid, arp.sha, false);
}

static void ernic_gid_snoop_nd(struct ernic_rdma *rdma,
			       const struct sk_buff *skb, unsigned int at,
			       const u8 *smac)
{
	struct {
		struct ipv6hdr ip;
		struct icmp6hdr icmp;
		struct in6_addr target;
	} __packed nd;
	const struct in6_addr *addr;

	/* one that was forwarded comes from elsewhere (RFC 4861, 7.1) */
	if (skb_copy_bits(skb, at, &nd, sizeof(nd)) ||
	    nd.ip.nexthdr != IPPROTO_ICMPV6 || nd.ip.hop_limit != 255 ||
	    nd.icmp.icmp6_code)
		return;
	switch (nd.icmp.icmp6_type) {
	case NDISC_NEIGHBOUR_SOLICITATION:
		addr = &nd.ip.saddr;
		break;
	case NDISC_NEIGHBOUR_ADVERTISEMENT:
		addr = &nd.target;
		break;
	default:
		return;
	}
	if (ipv6_addr_type(addr) & IPV6_ADDR_UNICAST)
		ernic_gid_learn(rdma, addr->s6_addr, smac, false);
}

/**
 * ernic_rdma_snoop - learn from a frame that the guest sends
 * @edev: device
 * @skb: frame from its Ethernet header on, at skb->data
 *
 * Process context.
 */
void ernic_rdma_snoop(struct ernic_dev *edev, const struct sk_buff *skb)
{
	struct ernic_rdma *rdma = edev->rdma;
	unsigned int at = ETH_HLEN;
	struct ethhdr eth;
	__be16 proto;

	if (!rdma || !READ_ONCE(rdma->on) ||
	    skb_copy_bits(skb, 0, &eth, sizeof(eth)))
		return;
	proto = eth.h_proto;
	if (proto == htons(ETH_P_8021Q)) {
		if (skb_copy_bits(skb, at + 2, &proto, sizeof(proto)))
			return;
		at += VLAN_HLEN;
	}
	if (proto == htons(ETH_P_ARP))
		ernic_gid_snoop_arp(rdma, skb, at);
	else if (proto == htons(ETH_P_IPV6))
		ernic_gid_snoop_nd(rdma, skb, at, eth.h_source);
}
ERNIC_KUNIT_EXPORT(ernic_rdma_snoop);
