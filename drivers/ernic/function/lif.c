// SPDX-License-Identifier: GPL-2.0-only
/*
 * The logical interface: life cycle, attributes, and its block in guest memory.
 */
#include <linux/etherdevice.h>
#include <linux/string.h>

#include <ernic/eth.h>
#include <ernic/rdma.h>

#include "function.h"

static int ernic_lif_write(struct ernic_dev *edev, size_t off, const void *buf,
			   size_t len)
{
	return ernic_dma_write(edev, edev->lif.info_pa + off, buf, len);
}

static int ernic_lif_publish_config(struct ernic_dev *edev)
{
	struct ernic_lif *lif = &edev->lif;
	struct ion_lif_config config = {
		.state = ION_LIF_ENABLE,
		.mtu = cpu_to_le32(lif->mtu),
		.features = cpu_to_le64(lif->features),
	};
	int i;

	memcpy(config.name, lif->name, sizeof(config.name));
	ether_addr_copy(config.mac, lif->mac_set);
	for (i = ION_QTYPE_ADMINQ; i <= ION_QTYPE_NOTIFYQ; i++)
		config.queue_count[i] = cpu_to_le32(1);
	for (i = ION_QTYPE_RXQ; i <= ION_QTYPE_TXQ; i++)
		config.queue_count[i] = cpu_to_le32(edev->profile.eth_queues);
	return ernic_lif_write(edev, offsetof(struct ion_lif_info, config),
			       &config, sizeof(config));
}

/**
 * ernic_lif_publish_status - write link state and newest eid for the driver
 * @edev: device; the caller holds state_lock
 */
void ernic_lif_publish_status(struct ernic_dev *edev)
{
	struct ernic_lif *lif = &edev->lif;
	struct ion_lif_status status = {
		.eid = cpu_to_le64(lif->eid),
		.link_status = cpu_to_le16(lif->link_up ? ION_LINK_UP :
							  ION_LINK_DOWN),
		.link_speed = cpu_to_le32(lif->link_up ?
					  edev->profile.speed_mbps : 0),
		.link_down_count = cpu_to_le16(lif->link_down_count),
	};

	if (lif->init &&
	    ernic_lif_write(edev, offsetof(struct ion_lif_info, status),
			    &status, sizeof(status)))
		ernic_warn(edev, "lif_info not writable\n");
}

/**
 * ernic_link_update - re-evaluate the link; tell the guest of a change
 * @edev: device; the caller holds state_lock
 *
 * The driver ignores the payload of the event and reads lif_info again, so the
 * blocks are written first (ionic_main.c:ionic_notifyq_service).
 */
void ernic_link_update(struct ernic_dev *edev)
{
	struct ernic_lif *lif = &edev->lif;
	struct ion_notifyq_event ev = {
		.ecode = cpu_to_le16(ION_EVENT_LINK_CHANGE),
	};
	bool up = ernic_eth_host_up(edev) &&
		  edev->port.config.state == ION_PORT_ADMIN_UP;

	if (up == lif->link_up)
		return;
	lif->link_up = up;
	if (!up)
		lif->link_down_count++;
	ernic_port_publish(edev);
	if (!lif->init)
		return;
	ernic_lif_publish_status(edev);
	ev.link.link_status = cpu_to_le16(up ? ION_LINK_UP : ION_LINK_DOWN);
	ev.link.link_speed = cpu_to_le32(up ? edev->profile.speed_mbps : 0);
	/* the new eid belongs into the status as well */
	if (!ernic_notify(edev, &ev))
		ernic_lif_publish_status(edev);
}

/**
 * ernic_lif_init - LIF_INIT
 * @edev: device; the caller holds state_lock
 * @c: command
 *
 * Return: enum ion_status; BAD_ADDR if the block cannot be written.
 */
u8 ernic_lif_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	u64 info_pa = le64_to_cpu(c->req->lif_init.info_pa);
	struct ernic_lif *lif = &edev->lif;

	if (c->req->lif_init.type || c->req->lif_init.index)
		return ION_RC_ENOENT;
	if (!ernic_range_ok(info_pa, sizeof(struct ion_lif_info), 8))
		return ION_RC_BAD_ADDR;

	/* a driver that crashed or was replaced by kexec sends no LIF_RESET */
	ernic_lif_reset(edev);
	lif->info_pa = info_pa;
	lif->mtu = edev->profile.mtu_max;
	lif->link_up = ernic_eth_host_up(edev) &&
		       edev->port.config.state == ION_PORT_ADMIN_UP;
	if (ernic_lif_publish_config(edev)) {
		lif->info_pa = 0;
		return ION_RC_BAD_ADDR;
	}
	lif->init = true;
	edev->state = ERNIC_ST_RUNNING;
	ernic_lif_publish_status(edev);
	ernic_stats_publish_lif(edev);
	c->comp->lif_init.hw_index = cpu_to_le16(0);
	return ION_RC_SUCCESS;
}

/**
 * ernic_lif_forget - forget the LIF but leave the interrupts alone; idempotent
 * @edev: device; the caller holds state_lock
 *
 * On return nothing writes to lif_info or any ring any more.  An interrupt that
 * was raised for the driver stays raised.
 */
void ernic_lif_forget(struct ernic_dev *edev)
{
	struct ernic_lif *lif = &edev->lif;

	ernic_rdma_reset(edev);
	ernic_eth_stop(edev, true);
	lif->adminq.init = false;
	lif->adminq.enabled = false;
	lif->notifyq.init = false;
	lif->notifyq.enabled = false;
	lif->init = false;
	lif->info_pa = 0;
	WRITE_ONCE(lif->features, 0);
	lif->eid = 0;
	memset(lif->name, 0, sizeof(lif->name));
	ether_addr_copy(lif->mac_set, edev->mac);
	ernic_steer_set(edev, NULL);
	ernic_filter_reset(edev);
	if (edev->state == ERNIC_ST_RUNNING)
		edev->state = ERNIC_ST_READY;
}

/**
 * ernic_lif_reset - LIF_RESET; idempotent
 * @edev: device; the caller holds state_lock
 */
void ernic_lif_reset(struct ernic_dev *edev)
{
	ernic_lif_forget(edev);
	ernic_intr_reset(edev);
}

static u8 ernic_lif_set_state(struct ernic_dev *edev, u8 state)
{
	int i;

	switch (state) {
	case ION_LIF_QUIESCE:
		/*
		 * A drain, not a mode: it is sent at each stop and never undone
		 * (ionic_lif.c:ionic_lif_quiesce).  A batch holds its lock.
		 */
		for (i = 0; i < edev->eth->npairs; i++) {
			mutex_lock(&edev->eth->pairs[i].lock);
			mutex_unlock(&edev->eth->pairs[i].lock);
		}
		return ION_RC_SUCCESS;
	case ION_LIF_ENABLE:
		return ION_RC_SUCCESS;
	case ION_LIF_DISABLE:
		ernic_eth_stop(edev, false);
		return ION_RC_SUCCESS;
	default:
		return ION_RC_EINVAL;
	}
}

static u8 ernic_lif_set_rss(struct ernic_dev *edev, const union ion_cmd *req)
{
	struct ernic_rss rss = {
		.types = le16_to_cpu(req->lif_setattr.rss.types),
	};
	u64 addr = le64_to_cpu(req->lif_setattr.rss.addr);

	/* without RX_HASH key and table are accepted and mean nothing */
	if (!rss.types || !(edev->lif.features & ION_ETH_HW_RX_HASH)) {
		ernic_steer_set(edev, NULL);
		return ION_RC_SUCCESS;
	}
	memcpy(rss.key, req->lif_setattr.rss.key, sizeof(rss.key));
	if (!ernic_range_ok(addr, sizeof(rss.table), 1) ||
	    ernic_dma_read(edev, addr, rss.table, sizeof(rss.table)))
		return ION_RC_BAD_ADDR;
	return ernic_steer_set(edev, &rss) ? ION_RC_ENOMEM : ION_RC_SUCCESS;
}

static u8 ernic_lif_set_name(struct ernic_dev *edev, const char *name)
{
	char *to = edev->lif.name;
	int i;

	memset(to, 0, sizeof(edev->lif.name));
	for (i = 0; i < sizeof(edev->lif.name) - 1 && name[i]; i++)
		to[i] = name[i] > ' ' && name[i] < 0x7f ? name[i] : '?';
	return ION_RC_SUCCESS;
}

/**
 * ernic_lif_setattr - LIF_SETATTR
 * @edev: device; the caller holds state_lock
 * @c: command
 *
 * The index is not checked for RSS, where the driver leaves it unset.
 */
u8 ernic_lif_setattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	const union ion_cmd *req = c->req;
	struct ernic_lif *lif = &edev->lif;
	u32 mtu;
	u8 rc;

	if (req->lif_setattr.attr != ION_LIF_ATTR_RSS && req->lif_setattr.index)
		return ION_RC_ENOENT;

	switch (req->lif_setattr.attr) {
	case ION_LIF_ATTR_STATE:
		return ernic_lif_set_state(edev, req->lif_setattr.state);
	case ION_LIF_ATTR_NAME:
		rc = ernic_lif_set_name(edev, req->lif_setattr.name);
		break;
	case ION_LIF_ATTR_MTU:
		mtu = le32_to_cpu(req->lif_setattr.mtu);
		if (mtu < ETH_MIN_MTU || mtu > edev->profile.mtu_max)
			return ION_RC_ERANGE;
		lif->mtu = mtu;
		WRITE_ONCE(edev->guest_mtu, mtu);
		rc = ION_RC_SUCCESS;
		break;
	case ION_LIF_ATTR_MAC:
		if (!is_valid_ether_addr(req->lif_setattr.mac))
			return ION_RC_EINVAL;
		ether_addr_copy(lif->mac_set, req->lif_setattr.mac);
		rc = ION_RC_SUCCESS;
		break;
	case ION_LIF_ATTR_FEATURES:
		WRITE_ONCE(lif->features,
			   le64_to_cpu(req->lif_setattr.features) &
			   ernic_supported_features(edev));
		if (!(lif->features & ION_ETH_HW_RX_HASH))
			ernic_steer_set(edev, NULL);
		c->comp->lif_attr.features = cpu_to_le64(lif->features);
		rc = ION_RC_SUCCESS;
		break;
	case ION_LIF_ATTR_RSS:
		return ernic_lif_set_rss(edev, req);
	case ION_LIF_ATTR_STATS_CTRL:
		ernic_eth_stats_zero(edev, true, false);
		ernic_stats_publish_lif(edev);
		return ION_RC_SUCCESS;
	default:
		return ION_RC_EINVAL;
	}
	if (ernic_lif_publish_config(edev))
		ernic_warn(edev, "lif_info not writable\n");
	return rc;
}

/**
 * ernic_lif_getattr - LIF_GETATTR
 * @edev: device; the caller holds state_lock
 * @c: command
 */
u8 ernic_lif_getattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->lif_getattr.index)
		return ION_RC_ENOENT;

	switch (c->req->lif_getattr.attr) {
	case ION_LIF_ATTR_STATE:
		c->comp->lif_attr.state = ION_LIF_ENABLE;
		return ION_RC_SUCCESS;
	case ION_LIF_ATTR_MTU:
		c->comp->lif_attr.mtu = cpu_to_le32(edev->lif.mtu);
		return ION_RC_SUCCESS;
	case ION_LIF_ATTR_MAC:
		ether_addr_copy(c->comp->lif_attr.mac, edev->lif.mac_set);
		return ION_RC_SUCCESS;
	case ION_LIF_ATTR_FEATURES:
		c->comp->lif_attr.features = cpu_to_le64(edev->lif.features);
		return ION_RC_SUCCESS;
	default:
		return ION_RC_EINVAL;
	}
}
