// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which frames the guest wants: receive mode, MAC addresses, VLANs.
 *
 * The driver describes all that it wants with filters; the address that it got
 * from LIF_GETATTR plays no part, as "ip link set address" only exchanges
 * filters (ionic_lif.c:ionic_set_mac_address).
 *
 * A frame that nobody wants is as if it had never reached the LIF, so it is not
 * counted as a drop.
 */
#include <linux/etherdevice.h>
#include <linux/hash.h>
#include <linux/if_vlan.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"

/*
 * Filter ids are any stable u32 (ionic_rx_filter.c:ionic_rx_filter_save).  A
 * VLAN's follows from the VLAN; those of MAC addresses are below.
 */
#define ERNIC_FILTER_ID_VLAN	BIT(31)

struct ernic_mac_filter {
	struct hlist_node node;
	struct rcu_head rcu;
	u32 id;
	u8 addr[ETH_ALEN];
};

static struct hlist_head *ernic_filter_bucket(struct ernic_filters *fl,
					      const u8 *addr)
{
	u32 key = get_unaligned((const u32 *)(addr + 2));

	return &fl->mac[hash_32(key, ERNIC_FILTER_HASH_BITS)];
}

static struct ernic_mac_filter *ernic_filter_find(struct ernic_filters *fl,
						  const u8 *addr)
{
	struct ernic_mac_filter *f;

	hlist_for_each_entry_rcu(f, ernic_filter_bucket(fl, addr), node,
				 lockdep_is_held(&fl->lock))
		if (ether_addr_equal_unaligned(f->addr, addr))
			return f;
	return NULL;
}

static struct ernic_mac_filter *ernic_filter_find_id(struct ernic_filters *fl,
						     u32 id)
{
	struct ernic_mac_filter *f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fl->mac); i++)
		hlist_for_each_entry(f, &fl->mac[i], node)
			if (f->id == id)
				return f;
	return NULL;
}

static unsigned int ernic_filter_count_mc(struct ernic_filters *fl)
{
	struct ernic_mac_filter *f;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(fl->mac); i++)
		hlist_for_each_entry(f, &fl->mac[i], node)
			n += is_multicast_ether_addr(f->addr);
	return n;
}

/**
 * ernic_filter_init - nothing is wanted
 * @edev: device, being created
 */
void ernic_filter_init(struct ernic_dev *edev)
{
	struct ernic_filters *fl = &edev->lif.filters;
	unsigned int i;

	spin_lock_init(&fl->lock);
	for (i = 0; i < ARRAY_SIZE(fl->mac); i++)
		INIT_HLIST_HEAD(&fl->mac[i]);
}
ERNIC_KUNIT_EXPORT(ernic_filter_init);

/**
 * ernic_filter_reset - forget all filters and the receive mode
 * @edev: device; the caller holds state_lock
 */
void ernic_filter_reset(struct ernic_dev *edev)
{
	struct ernic_filters *fl = &edev->lif.filters;
	struct ernic_mac_filter *f;
	struct hlist_node *tmp;
	unsigned int i;

	spin_lock_bh(&fl->lock);
	for (i = 0; i < ARRAY_SIZE(fl->mac); i++) {
		hlist_for_each_entry_safe(f, tmp, &fl->mac[i], node) {
			hlist_del_rcu(&f->node);
			kfree_rcu(f, rcu);
		}
	}
	fl->nmac = 0;
	bitmap_zero(fl->vlan, VLAN_N_VID);
	WRITE_ONCE(fl->rx_mode, 0);
	spin_unlock_bh(&fl->lock);
}
ERNIC_KUNIT_EXPORT(ernic_filter_reset);

static int ernic_filter_add_mac(struct ernic_filters *fl, const u8 *addr,
				u32 *id)
{
	struct ernic_mac_filter *f, *old;
	unsigned int nmc;
	int rc;

	f = kzalloc_obj(*f, GFP_KERNEL_ACCOUNT);
	if (!f)
		return ION_RC_ENOMEM;
	ether_addr_copy(f->addr, addr);

	spin_lock_bh(&fl->lock);
	old = ernic_filter_find(fl, addr);
	if (old) {
		/* the driver goes on with the id as if it were new */
		*id = old->id;
		rc = ION_RC_EEXIST;
		goto err;
	}
	nmc = ernic_filter_count_mc(fl);
	rc = ION_RC_ENOSPC;
	if (is_multicast_ether_addr(addr)) {
		if (nmc >= ERNIC_MAX_MCAST_FILTERS)
			goto err;
	} else if (fl->nmac - nmc >= ERNIC_MAX_UCAST_FILTERS) {
		goto err;
	}

	do {
		fl->next_id = (fl->next_id + 1) & ~ERNIC_FILTER_ID_VLAN;
	} while (ernic_filter_find_id(fl, fl->next_id));
	f->id = fl->next_id;
	*id = f->id;
	fl->nmac++;
	hlist_add_head_rcu(&f->node, ernic_filter_bucket(fl, addr));
	spin_unlock_bh(&fl->lock);
	return ION_RC_SUCCESS;

err:
	spin_unlock_bh(&fl->lock);
	kfree(f);
	return rc;
}

static int ernic_filter_add_vlan(struct ernic_filters *fl, u16 vid, u32 *id)
{
	int rc = ION_RC_SUCCESS;

	if (vid >= VLAN_N_VID)
		return ION_RC_EINVAL;
	*id = ERNIC_FILTER_ID_VLAN | vid;
	spin_lock_bh(&fl->lock);
	if (__test_and_set_bit(vid, fl->vlan))
		rc = ION_RC_EEXIST;
	spin_unlock_bh(&fl->lock);
	return rc;
}

/**
 * ernic_filter_add - RX_FILTER_ADD
 * @edev: device; the caller holds state_lock
 * @cmd: command
 * @id: id of the filter, also with EEXIST
 *
 * Return: enum ion_status; EEXIST for a filter that is there, ENOSPC at the
 * limits that identify names, ENOSUPP for matches that the driver never sends.
 */
int ernic_filter_add(struct ernic_dev *edev, const union ion_cmd *cmd, u32 *id)
{
	struct ernic_filters *fl = &edev->lif.filters;

	*id = 0;
	switch (le16_to_cpu(cmd->rx_filter_add.match)) {
	case ION_RX_FILTER_VLAN:
		return ernic_filter_add_vlan(fl,
				le16_to_cpu(cmd->rx_filter_add.vlan), id);
	case ION_RX_FILTER_MAC:
		return ernic_filter_add_mac(fl, cmd->rx_filter_add.mac, id);
	default:
		return ION_RC_ENOSUPP;
	}
}
ERNIC_KUNIT_EXPORT(ernic_filter_add);

/**
 * ernic_filter_del - RX_FILTER_DEL
 * @edev: device; the caller holds state_lock
 * @id: from ernic_filter_add()
 *
 * Return: enum ion_status; ENOENT if there is no such filter.
 */
int ernic_filter_del(struct ernic_dev *edev, u32 id)
{
	struct ernic_filters *fl = &edev->lif.filters;
	struct ernic_mac_filter *f = NULL;
	u32 vid = id & ~ERNIC_FILTER_ID_VLAN;
	int rc = ION_RC_ENOENT;

	spin_lock_bh(&fl->lock);
	if (!(id & ERNIC_FILTER_ID_VLAN)) {
		f = ernic_filter_find_id(fl, id);
		if (f) {
			hlist_del_rcu(&f->node);
			kfree_rcu(f, rcu);
			fl->nmac--;
			rc = ION_RC_SUCCESS;
		}
	} else if (vid < VLAN_N_VID && __test_and_clear_bit(vid, fl->vlan)) {
		rc = ION_RC_SUCCESS;
	}
	spin_unlock_bh(&fl->lock);
	return rc;
}
ERNIC_KUNIT_EXPORT(ernic_filter_del);

/**
 * ernic_filter_set_mode - RX_MODE_SET
 * @edev: device; the caller holds state_lock
 * @mode: ION_RX_MODE_*
 */
void ernic_filter_set_mode(struct ernic_dev *edev, u16 mode)
{
	WRITE_ONCE(edev->lif.filters.rx_mode, mode);
}
ERNIC_KUNIT_EXPORT(ernic_filter_set_mode);

/**
 * ernic_filter_accept - does the guest want this frame?
 * @edev: device
 * @dmac: destination address
 * @has_vlan: the outer tag is a customer tag
 * @vid: its VLAN
 *
 * Promiscuous mode lifts the VLAN filter too: a bridge in the guest sets the
 * mode and expects tagged frames of VLANs it has never named.  Priority-tagged
 * frames (VLAN 0) belong to no VLAN.
 */
bool ernic_filter_accept(struct ernic_dev *edev, const u8 *dmac, bool has_vlan,
			 u16 vid)
{
	struct ernic_filters *fl = &edev->lif.filters;
	u16 mode = READ_ONCE(fl->rx_mode);
	bool found;

	if (mode & ION_RX_MODE_PROMISC)
		return true;
	if (has_vlan && vid && READ_ONCE(edev->lif.features) &
	    ION_ETH_HW_VLAN_RX_FILTER &&
	    !test_bit(vid & VLAN_VID_MASK, fl->vlan))
		return false;

	if (is_multicast_ether_addr(dmac)) {
		if (mode & ION_RX_MODE_BROADCAST &&
		    is_broadcast_ether_addr(dmac))
			return true;
		if (mode & ION_RX_MODE_ALLMULTI &&
		    !is_broadcast_ether_addr(dmac))
			return true;
		if (!(mode & ION_RX_MODE_MULTICAST))
			return false;
	} else if (!(mode & ION_RX_MODE_UNICAST)) {
		return false;
	}

	rcu_read_lock();
	found = ernic_filter_find(fl, dmac);
	rcu_read_unlock();
	return found;
}
ERNIC_KUNIT_EXPORT(ernic_filter_accept);

/**
 * ernic_filter_accept_skb - ernic_filter_accept() of a frame
 * @edev: device
 * @skb: frame, data at the linear Ethernet header
 */
bool ernic_filter_accept_skb(struct ernic_dev *edev, const struct sk_buff *skb)
{
	bool inband;
	u16 tci = 0;
	__be16 tag;

	tag = ernic_skb_tag(skb, &tci, &inband);
	return ernic_filter_accept(edev, skb->data, tag == htons(ETH_P_8021Q),
				   tci & VLAN_VID_MASK);
}
