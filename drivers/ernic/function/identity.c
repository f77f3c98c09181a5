// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity blobs: what the device says about itself.
 *
 * Everything not set here is zero: no hardware timestamps, no SR-IOV.
 */
#include <linux/string.h>

#include <ernic/rdma.h>

#include "function.h"

#define ERNIC_IDENTITY_VERSION	2
#define ERNIC_PORT_MTU_DEFAULT	9000

/**
 * ernic_supported_features - what LIF_SETATTR FEATURES may be granted
 * @edev: device
 *
 * Tunnel TSO stays off: encapsulated traffic then uses software GSO with the
 * generic checksum, which is right as it is.
 */
u64 ernic_supported_features(const struct ernic_dev *edev)
{
	if (edev->profile.offloads == ERNIC_OFFLOADS_NONE)
		return 0;
	return ION_ETH_HW_VLAN_TX_TAG | ION_ETH_HW_VLAN_RX_STRIP |
	       ION_ETH_HW_VLAN_RX_FILTER | ION_ETH_HW_RX_HASH |
	       ION_ETH_HW_RX_CSUM | ION_ETH_HW_TX_SG | ION_ETH_HW_TX_CSUM |
	       ION_ETH_HW_TSO | ION_ETH_HW_TSO_IPV6 | ION_ETH_HW_TSO_ECN;
}

/**
 * ernic_xcvr_pid - transceiver id that makes ethtool show the link mode
 * @p: profile
 *
 * enum ionic_xcvr_pid by speed and medium; 0 (unknown) where the table of the
 * driver has none (ionic_ethtool.c:ionic_get_link_ksettings).
 */
u16 ernic_xcvr_pid(const struct ernic_profile *p)
{
	static const struct {
		u32 speed;
		u16 copper, fiber;
	} pids[] = {
		{ 400000, 9, 81 }, { 200000, 8, 77 }, { 100000, 1, 52 },
		{ 50000, 7, 0 }, { 40000, 2, 56 }, { 25000, 3, 59 },
		{ 10000, 68, 63 }, { 1000, 73, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		if (pids[i].speed != p->speed_mbps)
			continue;
		if (p->xcvr == ION_PHY_COPPER)
			return pids[i].copper;
		return p->xcvr == ION_PHY_FIBER ? pids[i].fiber : 0;
	}
	return 0;
}

/**
 * ernic_port_config_default - configuration of the port after a reset
 * @edev: device
 * @config: result
 */
void ernic_port_config_default(const struct ernic_dev *edev,
			       struct ion_port_config *config)
{
	memset(config, 0, sizeof(*config));
	config->speed = cpu_to_le32(edev->profile.speed_mbps);
	config->mtu = cpu_to_le32(min_t(u32, edev->profile.mtu_max,
					ERNIC_PORT_MTU_DEFAULT));
	config->state = ION_PORT_ADMIN_UP;
}

/**
 * ernic_identify - IDENTIFY
 * @edev: device
 * @c: command; the side data brings the driver's identity, not needed
 */
u8 ernic_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	struct ion_dev_identity *id = (void *)c->data;

	memset(c->data, 0, ION_CMD_SIDE_DATA_LEN);
	id->version = ERNIC_IDENTITY_VERSION;
	id->nports = 1;
	id->nlifs = cpu_to_le32(1);
	id->nintrs = cpu_to_le32(edev->nvectors);
	id->ndbpgs_per_lif = cpu_to_le32(ION_DB_PAGES);
	/* usec × 0 / 1: coalescing is accepted and means nothing */
	id->intr_coal_mult = cpu_to_le32(0);
	id->intr_coal_div = cpu_to_le32(1);
	/* without it the driver takes a BAR4 for memory of its own, mapped or not */
	if (edev->cmb.on)
		id->capabilities = cpu_to_le64(ION_DEV_CAP_DISC_CMB);
	c->comp->identify.ver = ERNIC_IDENTITY_VERSION;
	return ION_RC_SUCCESS;
}

/**
 * ernic_lif_identify - LIF_IDENTIFY
 * @edev: device
 * @c: command
 */
u8 ernic_lif_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	struct ion_lif_identity *id = (void *)c->data;
	struct ion_lif_config *config = &id->eth.config;

	if (c->req->lif_identify.type)
		return ION_RC_EINVAL;

	memset(c->data, 0, ION_CMD_SIDE_DATA_LEN);
	id->capabilities = cpu_to_le64(ION_LIF_CAP_ETH);
	id->eth.version = 1;
	/*
	 * The driver compares the sum of unicast and multicast filters with the
	 * first limit and goes promiscuous when it is reached.
	 */
	id->eth.max_ucast_filters = cpu_to_le32(ERNIC_MAX_UCAST_FILTERS);
	id->eth.max_mcast_filters = cpu_to_le32(ERNIC_MAX_MCAST_FILTERS);
	id->eth.rss_ind_tbl_sz = cpu_to_le16(ERNIC_RSS_TABLE);
	id->eth.min_frame_size = cpu_to_le32(0);
	id->eth.max_frame_size = cpu_to_le32(edev->profile.mtu_max +
					     ERNIC_MAX_FRAME_EXTRA);
	config->mtu = cpu_to_le32(edev->profile.mtu_max);
	ether_addr_copy(config->mac, edev->mac);
	config->features = cpu_to_le64(ernic_supported_features(edev));
	config->queue_count[ION_QTYPE_ADMINQ] = cpu_to_le32(1);
	config->queue_count[ION_QTYPE_NOTIFYQ] = cpu_to_le32(1);
	config->queue_count[ION_QTYPE_RXQ] =
		cpu_to_le32(edev->profile.eth_queues);
	config->queue_count[ION_QTYPE_TXQ] =
		cpu_to_le32(edev->profile.eth_queues);
	if (ernic_rdma_offered(edev))
		ernic_rdma_identify(edev, id);
	c->comp->identify.ver = 1;
	return ION_RC_SUCCESS;
}

/**
 * ernic_port_identify - PORT_IDENTIFY
 * @edev: device
 * @c: command
 */
u8 ernic_port_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	struct ion_port_identity *id = (void *)c->data;

	if (c->req->port_init.index)
		return ION_RC_ENOENT;

	memset(c->data, 0, ION_CMD_SIDE_DATA_LEN);
	id->version = 1;
	id->type = ION_PORT_TYPE_ETH;
	id->num_lanes = edev->profile.speed_mbps > 25000 ? 4 : 1;
	id->min_frame_size = cpu_to_le32(ETH_ZLEN);
	id->max_frame_size = cpu_to_le32(edev->profile.mtu_max +
					 ERNIC_MAX_FRAME_EXTRA);
	id->speeds[0] = cpu_to_le32(edev->profile.speed_mbps);
	ernic_port_config_default(edev, &id->config);
	c->comp->identify.ver = 1;
	return ION_RC_SUCCESS;
}

/**
 * ernic_q_identify - Q_IDENTIFY
 * @edev: device
 * @c: command
 *
 * Transmit queues report version 1 and SG descriptors of 256 bytes: with less
 * the driver lays them out at 128 but still uses 15 elements, into the next
 * descriptor's (ionic_lif.c:ionic_txrx_alloc).
 */
u8 ernic_q_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	static const struct {
		u8 version;
		u8 features;
		u8 desc_sz, comp_sz;
		u16 sg_desc_sz;
		u8 max_sg, stride;
	} ident[] = {
		[ION_QTYPE_ADMINQ] = { 0, ION_QIDENT_F_CQ, 64, 16 },
		[ION_QTYPE_NOTIFYQ] = { 0, 0, 4, 64 },
		[ION_QTYPE_RXQ] = {
			0, ION_QIDENT_F_CQ | ION_QIDENT_F_SG, 16, 16,
			ION_RX_SG_STRIDE * sizeof(struct ion_sg_elem),
			ION_RX_MAX_SG, ION_RX_SG_STRIDE,
		},
		[ION_QTYPE_TXQ] = {
			1, ION_QIDENT_F_CQ | ION_QIDENT_F_SG, 16, 16,
			ION_TX_SG_STRIDE * sizeof(struct ion_sg_elem),
			ION_TX_MAX_SG, ION_TX_SG_STRIDE,
		},
	};
	struct ion_q_identity *id = (void *)c->data;
	u8 type = c->req->q_identify.type;

	if (type >= ARRAY_SIZE(ident))
		return ION_RC_EQTYPE;

	memset(c->data, 0, ION_CMD_SIDE_DATA_LEN);
	id->version = min(ident[type].version, c->req->q_identify.ver);
	id->supported = GENMASK(ident[type].version, 0);
	id->features = cpu_to_le64(ident[type].features);
	/* the driver means RDMA's send queues (ionic_lif_cfg.c:ionic_fill_lif_cfg) */
	if (type == ION_QTYPE_TXQ && ernic_cmb_offered(edev))
		id->features |= cpu_to_le64(ION_QIDENT_F_EXPDB);
	id->desc_sz = cpu_to_le16(ident[type].desc_sz);
	id->comp_sz = cpu_to_le16(ident[type].comp_sz);
	id->sg_desc_sz = cpu_to_le16(ident[type].sg_desc_sz);
	id->max_sg_elems = cpu_to_le16(ident[type].max_sg);
	id->sg_desc_stride = cpu_to_le16(ident[type].stride);
	return ION_RC_SUCCESS;
}
