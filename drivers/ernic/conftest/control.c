// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles on every kernel that we support, which proves that probes work, and
 * on no older one: the constant argument came with Linux 6.11, net_device.lltx with
 * 6.12.
 */
#include <linux/device/bus.h>
#include <linux/netdevice.h>
#include <linux/vfio.h>

static int match(struct device *dev, const struct device_driver *drv)
{
	return 0;
}

extern const struct bus_type probe_bus;
const struct bus_type probe_bus = { .match = match };

static inline void probe_lltx(struct net_device *dev)
{
	dev->lltx = true;
}
