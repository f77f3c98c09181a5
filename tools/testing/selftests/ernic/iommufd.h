/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the kernel's iommufd ABI that a VMM needs, for build machines
 * whose headers are older than Linux 6.6.
 */
#ifndef ERNIC_IOMMUFD_H
#define ERNIC_IOMMUFD_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/vfio.h>

struct et_ioas_alloc {
	__u32 size;
	__u32 flags;
	__u32 out_ioas_id;
};

struct et_ioas_map {
	__u32 size;
	__u32 flags;
	__u32 ioas_id;
	__u32 reserved;
	__aligned_u64 user_va;
	__aligned_u64 length;
	__aligned_u64 iova;
};

struct et_ioas_unmap {
	__u32 size;
	__u32 ioas_id;
	__aligned_u64 iova;
	__aligned_u64 length;
};

#define ET_IOAS_ALLOC		_IO(';', 0x81)
#define ET_IOAS_MAP		_IO(';', 0x85)
#define ET_IOAS_UNMAP		_IO(';', 0x86)

#define ET_MAP_FIXED_IOVA	(1 << 0)
#define ET_MAP_WRITEABLE	(1 << 1)
#define ET_MAP_READABLE		(1 << 2)

struct et_bind_iommufd {
	__u32 argsz;
	__u32 flags;
	__s32 iommufd;
	__u32 out_devid;
};

struct et_attach_ioas {
	__u32 argsz;
	__u32 flags;
	__u32 pt_id;
};

#define ET_DEVICE_BIND		_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ET_DEVICE_ATTACH	_IO(VFIO_TYPE, VFIO_BASE + 19)

#endif
