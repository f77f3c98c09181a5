// SPDX-License-Identifier: GPL-2.0-only
/* compiles on every kernel that we support: proves that probes work */
#include <linux/module.h>
#include <linux/vfio.h>

extern const struct vfio_device_ops probe;
const struct vfio_device_ops probe = { .ioctl = NULL };
