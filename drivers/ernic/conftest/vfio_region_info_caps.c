// SPDX-License-Identifier: GPL-2.0-only
#include <linux/vfio.h>

extern const struct vfio_device_ops probe;
const struct vfio_device_ops probe = { .get_region_info_caps = NULL };
