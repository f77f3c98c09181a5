// SPDX-License-Identifier: GPL-2.0-only
/*
 * ernicN: the host's end of the guest's cable.
 *
 * An ordinary Ethernet netdev.  It can be bridged, routed, moved to another
 * network namespace and so on, and nothing here knows about that.
 *
 * Locks: ndo callbacks run under rtnl or BH and must not take state_lock, as
 * its holders wait for workers, and workers' frames run through the stack.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"

static struct ernic_dev *ernic_netdev_edev(const struct net_device *netdev)
{
	return ((struct ernic_netdev *)netdev_priv(netdev))->edev;
}

static int ernic_ndo_open(struct net_device *netdev)
{
	struct ernic_dev *edev = ernic_netdev_edev(netdev);
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++)
		napi_enable(&eth->pairs[i].napi);
	netif_tx_start_all_queues(netdev);
	ernic_ctrl_kick(edev, ERNIC_CTRL_LINK);
	return 0;
}

static int ernic_ndo_stop(struct net_device *netdev)
{
	struct ernic_dev *edev = ernic_netdev_edev(netdev);
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	netif_tx_stop_all_queues(netdev);
	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		/* netif_running() is false: workers add no more after this */
		mutex_lock(&pair->lock);
		mutex_unlock(&pair->lock);
		napi_disable(&pair->napi);
		skb_queue_purge(&pair->to_host);
		/* it may have stopped taking frames because of them */
		ernic_worker_kick(&pair->worker);
	}
	ernic_ctrl_kick(edev, ERNIC_CTRL_LINK);
	return 0;
}

static u16 ernic_ndo_select_queue(struct net_device *netdev,
				  struct sk_buff *skb,
				  struct net_device *sb_dev)
{
	if (unlikely(skb_headlen(skb) < ETH_HLEN))
		return 0;
	return ernic_steer_queue(ernic_netdev_edev(netdev), skb);
}

/*
 * A full ring stops the queue if a qdisc holds the frames meanwhile, as
 * drivers/net/veth.c:veth_xmit does; without one nobody would try again.
 *
 * The skb keeps its owner, so TCP's own limits see how long it queues here:
 * until the guest has taken it, or a tenth of a second.  BQL would need the
 * queue's lock, which an lltx device goes without.
 */
static netdev_tx_t ernic_ndo_start_xmit(struct sk_buff *skb,
					struct net_device *netdev)
{
	struct ernic_dev *edev = ernic_netdev_edev(netdev);
	unsigned int index = skb_get_queue_mapping(skb);
	struct ernic_pair *pair;
	struct netdev_queue *txq;

	if (unlikely(index >= edev->eth->npairs ||
		     !pskb_may_pull(skb, ETH_HLEN)))
		goto drop;
	pair = &edev->eth->pairs[index];
	if (unlikely(!READ_ONCE(pair->rx_ready)))
		goto drop;

	skb_tx_timestamp(skb);
	nf_reset_ct(skb);
	if (unlikely(ptr_ring_produce(&pair->ring, skb))) {
		txq = netdev_get_tx_queue(netdev, index);
		if (!qdisc_txq_has_no_queue(txq)) {
			netif_tx_stop_queue(txq);
			/* pairs with the worker: it wakes us after this */
			smp_mb__after_atomic();
			ernic_worker_kick(&pair->worker);
			return NETDEV_TX_BUSY;
		}
		ernic_worker_kick(&pair->worker);
		if (ernic_filter_accept_skb(edev, skb))
			ernic_count_overrun(edev, skb);
		goto drop;
	}
	if (!netdev_xmit_more())
		ernic_worker_kick(&pair->worker);
	return NETDEV_TX_OK;

drop:
	dev_core_stats_tx_dropped_inc(netdev);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* what ernic_rx_headers() has no room for is segmented by the stack */
static netdev_features_t
ernic_ndo_features_check(struct sk_buff *skb, struct net_device *netdev,
			 netdev_features_t features)
{
	u32 hdr_len;

	if (!skb_is_gso(skb))
		return features;
	hdr_len = ernic_gso_hdr_len(skb);
	if (!hdr_len || hdr_len > ERNIC_RX_HDR_MAX - VLAN_HLEN)
		features &= ~NETIF_F_GSO_MASK;
	return features;
}

static void ernic_ndo_get_stats64(struct net_device *netdev,
				  struct rtnl_link_stats64 *stats)
{
	struct ernic_eth *eth = ernic_netdev_edev(netdev)->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		stats->rx_packets += READ_ONCE(pair->host.rx_packets);
		stats->rx_bytes += READ_ONCE(pair->host.rx_bytes);
		stats->rx_errors += READ_ONCE(pair->host.rx_errors);
		stats->tx_packets += READ_ONCE(pair->host.tx_packets);
		stats->tx_bytes += READ_ONCE(pair->host.tx_bytes);
		stats->tx_dropped += READ_ONCE(pair->host.tx_dropped);
	}
}

/* all that the guest sends arrives; there is no filter to set */
static void ernic_ndo_set_rx_mode(struct net_device *netdev)
{
}

static int ernic_ndo_get_phys_port_name(struct net_device *netdev, char *name,
					size_t len)
{
	return snprintf(name, len, "p0") >= len ? -EINVAL : 0;
}

static const struct net_device_ops ernic_netdev_ops = {
	.ndo_open		= ernic_ndo_open,
	.ndo_stop		= ernic_ndo_stop,
	.ndo_start_xmit		= ernic_ndo_start_xmit,
	.ndo_select_queue	= ernic_ndo_select_queue,
	.ndo_features_check	= ernic_ndo_features_check,
	.ndo_get_stats64	= ernic_ndo_get_stats64,
	.ndo_set_rx_mode	= ernic_ndo_set_rx_mode,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_get_phys_port_name	= ernic_ndo_get_phys_port_name,
};

/*
 * The host's address follows from the guest's and differs from it.  0xfe in
 * front, as libvirt does for a tap, keeps a bridge from taking it as its own.
 */
static void ernic_netdev_set_mac(struct net_device *netdev, const u8 *guest)
{
	u8 mac[ETH_ALEN];

	ether_addr_copy(mac, guest);
	mac[0] = 0xfe;
	if (ether_addr_equal(mac, guest))
		mac[0] = 0xfa;
	eth_hw_addr_set(netdev, mac);
}

static struct net_device *ernic_netdev_alloc(struct ernic_dev *edev,
					     unsigned int npairs)
{
	struct net_device *netdev;

	netdev = alloc_netdev_mqs(sizeof(struct ernic_netdev), "ernic%d",
				  NET_NAME_ENUM, ether_setup, npairs, npairs);
	if (!netdev)
		return NULL;
	((struct ernic_netdev *)netdev_priv(netdev))->edev = edev;
	SET_NETDEV_DEV(netdev, edev->dev);
	netdev->netdev_ops = &ernic_netdev_ops;
	netdev->ethtool_ops = &ernic_ethtool_ops;
	netdev->lltx = true;
	netdev->priv_flags |= IFF_LIVE_ADDR_CHANGE | IFF_UNICAST_FLT;
	netdev->min_mtu = ETH_MIN_MTU;
	netdev->max_mtu = edev->profile.mtu_max;
	ernic_netdev_set_mac(netdev, edev->mac);

	netdev->hw_features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM |
			      NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN |
			      NETIF_F_HIGHDMA | NETIF_F_HW_VLAN_CTAG_TX |
			      NETIF_F_HW_VLAN_STAG_TX;
	netdev->features = netdev->hw_features | NETIF_F_HW_VLAN_CTAG_RX;
	netdev->vlan_features = netdev->hw_features &
				~(NETIF_F_HW_VLAN_CTAG_TX |
				  NETIF_F_HW_VLAN_STAG_TX);
	return netdev;
}

/**
 * ernic_eth_create - make the Ethernet engine and register ernicN
 * @edev: device, being created
 *
 * Return: 0 or a negative errno.
 */
int ernic_eth_create(struct ernic_dev *edev)
{
	struct net_device *netdev;
	struct ernic_eth *eth;
	unsigned int i;
	int err;

	eth = kzalloc_obj(*eth, GFP_KERNEL_ACCOUNT);
	if (!eth)
		return -ENOMEM;
	eth->edev = edev;
	eth->npairs = edev->profile.eth_queues;
	spin_lock_init(&eth->drop_lock);
	err = ernic_pairs_create(eth);
	if (err)
		goto err_eth;

	err = -ENOMEM;
	netdev = ernic_netdev_alloc(edev, eth->npairs);
	if (!netdev)
		goto err_pairs;
	for (i = 0; i < eth->npairs; i++)
		netif_napi_add(netdev, &eth->pairs[i].napi,
			       ernic_pair_napi_poll);
	edev->eth = eth;
	edev->netdev = netdev;
	/* until the guest's driver enables its queues */
	netif_carrier_off(netdev);
	err = register_netdev(netdev);
	if (err)
		goto err_netdev;
	return 0;

err_netdev:
	edev->netdev = NULL;
	edev->eth = NULL;
	free_netdev(netdev);
err_pairs:
	ernic_pairs_destroy(eth);
err_eth:
	kfree(eth);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_eth_create);

/**
 * ernic_eth_destroy - unregister ernicN and free the engine
 * @edev: device, closed: no worker runs
 */
void ernic_eth_destroy(struct ernic_dev *edev)
{
	struct ernic_eth *eth = edev->eth;

	unregister_netdev(edev->netdev);
	ernic_filter_reset(edev);
	ernic_steer_exit(eth);
	/* takes the NAPI instances off its list */
	free_netdev(edev->netdev);
	ernic_pairs_destroy(eth);
	edev->netdev = NULL;
	edev->eth = NULL;
	kfree(eth);
}
ERNIC_KUNIT_EXPORT(ernic_eth_destroy);

/**
 * ernic_eth_host_up - is the host's end administratively up?
 * @edev: device
 */
bool ernic_eth_host_up(struct ernic_dev *edev)
{
	return netif_running(edev->netdev);
}
ERNIC_KUNIT_EXPORT(ernic_eth_host_up);

/**
 * ernic_eth_carrier - the set of enabled receive queues changed
 * @edev: device; the caller holds state_lock
 */
void ernic_eth_carrier(struct ernic_dev *edev)
{
	ernic_eth_guest_link(edev, rcu_access_pointer(edev->eth->rxq_map));
}

/**
 * ernic_eth_guest_link - set the carrier of ernicN
 * @edev: device
 * @up: the guest receives
 */
void ernic_eth_guest_link(struct ernic_dev *edev, bool up)
{
	if (up)
		netif_carrier_on(edev->netdev);
	else
		netif_carrier_off(edev->netdev);
}
ERNIC_KUNIT_EXPORT(ernic_eth_guest_link);
