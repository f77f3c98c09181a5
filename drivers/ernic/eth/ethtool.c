// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool of ernicN.  Counters have the guest's point of view and the names of
 * ionic_if.h; those of a queue are rx_N_* and tx_N_*.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>

#include <ernic/eth.h>

#include "engine.h"

struct ernic_stat_name {
	const char *name;
	unsigned int slot;
};

static const struct ernic_stat_name ernic_lif_names[] = {
#define ION_X(stat, pos) { #stat, pos },
	ION_LIF_STATS(ION_X)
#undef ION_X
};

static const char * const ernic_port_names[] = {
#define ION_X(stat) #stat,
	ION_PORT_STATS(ION_X)
#undef ION_X
};

static const char * const ernic_queue_names[] = {
	"tx_%u_doorbells", "tx_%u_completions", "tx_%u_packets",
	"rx_%u_doorbells", "rx_%u_completions", "rx_%u_packets",
};

/* RDMA's counters, from slot 48 on, are not of this netdev */
static bool ernic_stat_shown(const struct ernic_stat_name *n)
{
	return n->slot < ERNIC_ETH_LIF_STATS;
}

static unsigned int ernic_lif_shown(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(ernic_lif_names); i++)
		n += ernic_stat_shown(&ernic_lif_names[i]);
	return n;
}

static struct ernic_dev *ernic_ethtool_edev(struct net_device *netdev)
{
	return ((struct ernic_netdev *)netdev_priv(netdev))->edev;
}

static void ernic_get_drvinfo(struct net_device *netdev,
			      struct ethtool_drvinfo *info)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);

	strscpy(info->driver, "ernic_host", sizeof(info->driver));
	strscpy(info->version, UTS_RELEASE, sizeof(info->version));
	strscpy(info->fw_version, edev->profile.fw_version,
		sizeof(info->fw_version));
	strscpy(info->bus_info, edev->name, sizeof(info->bus_info));
}

static int ernic_get_sset_count(struct net_device *netdev, int sset)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);

	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return ernic_lif_shown() + ARRAY_SIZE(ernic_port_names) +
	       edev->eth->npairs * ARRAY_SIZE(ernic_queue_names);
}

static void ernic_get_strings(struct net_device *netdev, u32 sset, u8 *data)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);
	unsigned int i, j;

	if (sset != ETH_SS_STATS)
		return;
	for (i = 0; i < ARRAY_SIZE(ernic_lif_names); i++)
		if (ernic_stat_shown(&ernic_lif_names[i]))
			ethtool_puts(&data, ernic_lif_names[i].name);
	for (i = 0; i < ARRAY_SIZE(ernic_port_names); i++)
		ethtool_puts(&data, ernic_port_names[i]);
	for (i = 0; i < edev->eth->npairs; i++)
		for (j = 0; j < ARRAY_SIZE(ernic_queue_names); j++)
			ethtool_sprintf(&data, ernic_queue_names[j], i);
}

static void ernic_get_ethtool_stats(struct net_device *netdev,
				    struct ethtool_stats *stats, u64 *data)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);
	u64 lif[ERNIC_ETH_LIF_STATS];
	unsigned int i;

	ernic_eth_stats(edev, lif, data + ernic_lif_shown());
	for (i = 0; i < ARRAY_SIZE(ernic_lif_names); i++)
		if (ernic_stat_shown(&ernic_lif_names[i]))
			*data++ = lif[ernic_lif_names[i].slot];
	data += ION_PORT_STAT_COUNT;
	for (i = 0; i < edev->eth->npairs; i++) {
		struct ernic_pair *pair = &edev->eth->pairs[i];

		*data++ = READ_ONCE(pair->tx.doorbells);
		*data++ = READ_ONCE(pair->tx.completions);
		*data++ = READ_ONCE(pair->host.rx_packets);
		*data++ = READ_ONCE(pair->rx.doorbells);
		*data++ = READ_ONCE(pair->rx.completions);
		*data++ = READ_ONCE(pair->host.tx_packets);
	}
}

static void ernic_get_channels(struct net_device *netdev,
			       struct ethtool_channels *ch)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);

	/* as many as the device has, whatever the guest uses of them */
	ch->max_combined = edev->eth->npairs;
	ch->combined_count = edev->eth->npairs;
}

static void ernic_get_ringparam(struct net_device *netdev,
				struct ethtool_ringparam *ring,
				struct kernel_ethtool_ringparam *kring,
				struct netlink_ext_ack *extack)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);

	/* towards the guest our own ring, from it the guest's */
	ring->tx_max_pending = ERNIC_RING_SIZE;
	ring->tx_pending = ERNIC_RING_SIZE;
	ring->rx_max_pending = BIT(ION_RING_SIZE_LOG2_MAX);
	ring->rx_pending = READ_ONCE(edev->eth->pairs[0].tx.num_desc);
}

static int ernic_get_link_ksettings(struct net_device *netdev,
				    struct ethtool_link_ksettings *ks)
{
	struct ernic_dev *edev = ernic_ethtool_edev(netdev);

	ethtool_link_ksettings_zero_link_mode(ks, supported);
	ethtool_link_ksettings_zero_link_mode(ks, advertising);
	ks->base.duplex = DUPLEX_FULL;
	ks->base.autoneg = AUTONEG_DISABLE;
	ks->base.speed = edev->profile.speed_mbps;
	switch (edev->profile.xcvr) {
	case ION_PHY_COPPER:
		ks->base.port = PORT_DA;
		break;
	case ION_PHY_FIBER:
		ks->base.port = PORT_FIBRE;
		break;
	default:
		ks->base.port = PORT_NONE;
		break;
	}
	return 0;
}

const struct ethtool_ops ernic_ethtool_ops = {
	.get_drvinfo		= ernic_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= ernic_get_link_ksettings,
	.get_sset_count		= ernic_get_sset_count,
	.get_strings		= ernic_get_strings,
	.get_ethtool_stats	= ernic_get_ethtool_stats,
	.get_channels		= ernic_get_channels,
	.get_ringparam		= ernic_get_ringparam,
	.get_ts_info		= ethtool_op_get_ts_info,
};
