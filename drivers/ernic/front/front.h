/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Front ends of ernic_host.ko.
 */
#ifndef ERNIC_FRONT_H
#define ERNIC_FRONT_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_VFIO)
int ernic_vfio_init(void);
void ernic_vfio_exit(void);
#else
static inline int ernic_vfio_init(void)
{
	return 0;
}

static inline void ernic_vfio_exit(void)
{
}
#endif

#endif
