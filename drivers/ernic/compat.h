/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that this builds for, Linux 6.12 and later.
 * Included before every file by drivers/ernic/Kbuild, which also compiles the
 * probes in conftest/ and defines HAVE_* for those that pass: distributions
 * backport, so a version says little about an interface.
 *
 * HAVE_VFIO_REGION_INFO_CAPS	struct vfio_device_ops has
 *				get_region_info_caps; before, the request came
 *				to ops->ioctl
 * HAVE_HRTIMER_SETUP		hrtimer_setup(), Linux 6.13
 */
#ifndef ERNIC_COMPAT_H
#define ERNIC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/slab.h>

/* allocation by type, Linux 7.0; the flags are optional */
#ifndef kzalloc_obj
#define ernic_gfp_(none, gfp, ...)	(gfp)
#define ernic_gfp(...)	ernic_gfp_(0, ##__VA_ARGS__, GFP_KERNEL)
#define ernic_alloc_(fn, type, size, ...) \
	((type *)fn(size, ernic_gfp(__VA_ARGS__)))

#define kmalloc_obj(p, ...) \
	ernic_alloc_(kmalloc, typeof(p), sizeof(p), __VA_ARGS__)
#define kzalloc_obj(p, ...) \
	ernic_alloc_(kzalloc, typeof(p), sizeof(p), __VA_ARGS__)
#define kvzalloc_obj(p, ...) \
	ernic_alloc_(kvzalloc, typeof(p), sizeof(p), __VA_ARGS__)
#define kmalloc_objs(p, n, ...) \
	ernic_alloc_(kmalloc, typeof(p), size_mul(sizeof(p), n), __VA_ARGS__)
#define kzalloc_objs(p, n, ...) \
	ernic_alloc_(kzalloc, typeof(p), size_mul(sizeof(p), n), __VA_ARGS__)
#define kvzalloc_objs(p, n, ...) \
	ernic_alloc_(kvzalloc, typeof(p), size_mul(sizeof(p), n), __VA_ARGS__)
#define kzalloc_flex(p, fam, n, ...) \
	ernic_alloc_(kzalloc, typeof(p), struct_size_t(typeof(p), fam, n), \
		     __VA_ARGS__)
#endif

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *t,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(t, clock, mode);
	t->function = fn;
}
#endif

/* the name became a string in Linux 6.13; MODULE_INFO() took one all along */
#define ERNIC_IMPORT_NS(ns)	MODULE_INFO(import_ns, ns)

/* initialiser of struct vfio_device_ops */
#ifdef HAVE_VFIO_REGION_INFO_CAPS
#define ERNIC_VFIO_REGION_INFO(fn)	.get_region_info_caps = (fn),
#else
#define ERNIC_VFIO_REGION_INFO(fn)
#endif

#endif
