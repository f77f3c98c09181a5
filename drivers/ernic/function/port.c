// SPDX-License-Identifier: GPL-2.0-only
/*
 * The port: configuration, and its block in guest memory.
 */
#include <linux/string.h>

#include <ernic/eth.h>

#include "function.h"

/**
 * ernic_port_publish - write configuration and status for the driver
 * @edev: device; the caller holds state_lock
 *
 * ethtool shows a speed only while the transceiver has a type
 * (ionic_ethtool.c:ionic_get_link_ksettings).
 */
void ernic_port_publish(struct ernic_dev *edev)
{
	struct ernic_port *port = &edev->port;
	bool xcvr = edev->profile.xcvr != ION_PHY_NONE;
	struct ion_port_status status = {
		.speed = cpu_to_le32(edev->profile.speed_mbps),
		.status = edev->lif.link_up ? ION_LINK_UP : ION_LINK_DOWN,
		.link_down_count = cpu_to_le16(edev->lif.link_down_count),
		.xcvr.state = xcvr ? ION_XCVR_STATE_SPROM_READ :
				     ION_XCVR_STATE_REMOVED,
		.xcvr.phy = edev->profile.xcvr,
		.xcvr.pid = cpu_to_le16(ernic_xcvr_pid(&edev->profile)),
	};

	if (!port->init)
		return;
	if (ernic_dma_write(edev, port->info_pa, &port->config,
			    sizeof(port->config)) ||
	    ernic_dma_write(edev, port->info_pa +
			    offsetof(struct ion_port_info, status),
			    &status, sizeof(status)))
		ernic_warn(edev, "port_info not writable\n");
}

/**
 * ernic_port_init - PORT_INIT
 * @edev: device; the caller holds state_lock
 * @c: command; side data brings the driver's copy of the configuration
 *
 * Speed and MTU are ours: the driver only hands back what it was told.
 */
u8 ernic_port_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	const struct ion_port_config *config = (void *)c->data;
	u64 info_pa = le64_to_cpu(c->req->port_init.info_pa);
	struct ernic_port *port = &edev->port;
	u64 tmp;

	if (c->req->port_init.index)
		return ION_RC_ENOENT;
	if (!ernic_range_ok(info_pa, sizeof(struct ion_port_info), 8) ||
	    ernic_dma_read(edev, info_pa, &tmp, sizeof(tmp)) ||
	    ernic_dma_read(edev, info_pa + sizeof(struct ion_port_info) - 8,
			   &tmp, sizeof(tmp)))
		return ION_RC_BAD_ADDR;

	ernic_port_config_default(edev, &port->config);
	if (config->state == ION_PORT_ADMIN_DOWN)
		port->config.state = ION_PORT_ADMIN_DOWN;
	port->config.an_enable = config->an_enable;
	port->config.fec_type = config->fec_type;
	port->config.pause_type = config->pause_type;
	port->info_pa = info_pa;
	port->init = true;
	ernic_port_publish(edev);
	ernic_stats_publish_port(edev);
	ernic_link_update(edev);
	return ION_RC_SUCCESS;
}

/**
 * ernic_port_reset - stop publishing; zero the port counters
 * @edev: device; the caller holds state_lock
 */
void ernic_port_reset(struct ernic_dev *edev)
{
	edev->port.init = false;
	edev->port.info_pa = 0;
	ernic_port_config_default(edev, &edev->port.config);
	ernic_eth_stats_zero(edev, false, true);
}

/**
 * ernic_port_setattr - PORT_SETATTR
 * @edev: device; the caller holds state_lock
 * @c: command
 *
 * Everything is reflected into port_info, as ethtool compares against it.
 * What only a wire could honour is stored and has no further effect.
 */
u8 ernic_port_setattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	struct ion_port_config *config = &edev->port.config;
	u32 val = le32_to_cpu(c->req->port_setattr.value);

	if (c->req->port_setattr.index)
		return ION_RC_ENOENT;

	switch (c->req->port_setattr.attr) {
	case ION_PORT_ATTR_STATE:
		if ((u8)val != ION_PORT_ADMIN_UP &&
		    (u8)val != ION_PORT_ADMIN_DOWN)
			return ION_RC_EINVAL;
		config->state = val;
		break;
	case ION_PORT_ATTR_SPEED:
		if (val != edev->profile.speed_mbps)
			return ION_RC_ENOSUPP;
		break;
	case ION_PORT_ATTR_MTU:
		if (val < ETH_MIN_MTU || val > edev->profile.mtu_max)
			return ION_RC_ERANGE;
		config->mtu = cpu_to_le32(val);
		break;
	case ION_PORT_ATTR_AUTONEG:
		config->an_enable = val;
		break;
	case ION_PORT_ATTR_FEC:
		config->fec_type = val;
		break;
	case ION_PORT_ATTR_PAUSE:
		config->pause_type = val;
		break;
	case ION_PORT_ATTR_LOOPBACK:
		/* frames do not come back, so do not say that they do */
		return (u8)val ? ION_RC_ENOSUPP : ION_RC_SUCCESS;
	case ION_PORT_ATTR_STATS_CTRL:
		ernic_eth_stats_zero(edev, false, true);
		ernic_stats_publish_port(edev);
		break;
	default:
		return ION_RC_EINVAL;
	}
	ernic_port_publish(edev);
	ernic_link_update(edev);
	return ION_RC_SUCCESS;
}

/**
 * ernic_port_getattr - PORT_GETATTR
 * @edev: device; the caller holds state_lock
 * @c: command
 */
u8 ernic_port_getattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	const struct ion_port_config *config = &edev->port.config;
	u32 val;

	if (c->req->port_setattr.index)
		return ION_RC_ENOENT;

	switch (c->req->port_setattr.attr) {
	case ION_PORT_ATTR_STATE:
		val = config->state;
		break;
	case ION_PORT_ATTR_SPEED:
		val = le32_to_cpu(config->speed);
		break;
	case ION_PORT_ATTR_MTU:
		val = le32_to_cpu(config->mtu);
		break;
	case ION_PORT_ATTR_AUTONEG:
		val = config->an_enable;
		break;
	case ION_PORT_ATTR_FEC:
		val = config->fec_type;
		break;
	case ION_PORT_ATTR_PAUSE:
		val = config->pause_type;
		break;
	case ION_PORT_ATTR_LOOPBACK:
		val = config->loopback_mode;
		break;
	default:
		return ION_RC_EINVAL;
	}
	c->comp->port_getattr.value = cpu_to_le32(val);
	return ION_RC_SUCCESS;
}
