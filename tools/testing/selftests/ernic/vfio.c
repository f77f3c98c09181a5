// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMM: device file, guest memory, interrupts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ernictest.h"
#include "iommufd.h"

/* ---- opening ---------------------------------------------------------------- */

/* name of the entry of @dir that begins with @prefix */
static bool et_entry(const char *dir, const char *prefix, char *name, size_t len)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	bool found = false;

	if (!d)
		return false;
	while (!found && (e = readdir(d))) {
		if (strncmp(e->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(name, len, "%.31s", e->d_name);
		found = true;
	}
	closedir(d);
	return found;
}

bool et_iommu_available(enum et_iommu iommu)
{
	return !access(iommu == ET_IOMMUFD ? "/dev/iommu" : "/dev/vfio/vfio",
		       R_OK | W_OK);
}

static void et_open_iommufd(struct et_dev *d)
{
	struct et_ioas_alloc alloc = { .size = sizeof(alloc) };
	struct et_bind_iommufd bind = { .argsz = sizeof(bind) };
	struct et_attach_ioas attach = { .argsz = sizeof(attach) };
	char dir[160], name[32], path[64];

	snprintf(dir, sizeof(dir), "%s/vfio-dev", d->path);
	if (!et_entry(dir, "vfio", name, sizeof(name)))
		FAIL("no device in %s", dir);
	snprintf(path, sizeof(path), "/dev/vfio/devices/%s", name);
	d->container = SYS(open("/dev/iommu", O_RDWR | O_CLOEXEC));
	d->fd = open(path, O_RDWR | O_CLOEXEC);
	if (d->fd < 0)
		FAIL("%s: %m", path);
	if (et_config.opening)
		et_config.opening(d->fd);
	SYS(ioctl(d->container, ET_IOAS_ALLOC, &alloc));
	d->ioas = alloc.out_ioas_id;
	bind.iommufd = d->container;
	SYS(ioctl(d->fd, ET_DEVICE_BIND, &bind));
	attach.pt_id = d->ioas;
	SYS(ioctl(d->fd, ET_DEVICE_ATTACH, &attach));
}

static void et_open_group(struct et_dev *d)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };
	char link[160], group[PATH_MAX], path[64];
	ssize_t n;

	snprintf(link, sizeof(link), "%s/iommu_group", d->path);
	n = SYS(readlink(link, group, sizeof(group) - 1));
	group[n] = 0;
	snprintf(path, sizeof(path), "/dev/vfio/%.16s", strrchr(group, '/') + 1);

	d->container = SYS(open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC));
	CHECK_EQ(ioctl(d->container, VFIO_GET_API_VERSION), VFIO_API_VERSION);
	d->group = open(path, O_RDWR | O_CLOEXEC);
	if (d->group < 0)
		FAIL("%s: %m", path);
	SYS(ioctl(d->group, VFIO_GROUP_GET_STATUS, &status));
	CHECK(status.flags & VFIO_GROUP_FLAGS_VIABLE);
	SYS(ioctl(d->group, VFIO_GROUP_SET_CONTAINER, &d->container));
	SYS(ioctl(d->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU));
	if (et_config.opening)
		et_config.opening(d->group);
	d->fd = SYS(ioctl(d->group, VFIO_GROUP_GET_DEVICE_FD, d->uuid));
}

bool et_area(struct et_dev *d, unsigned int region, unsigned int n, u64 *off,
	     u64 *len)
{
	struct {
		struct vfio_region_info info;
		u8 caps[256];
	} r = { .info = { .argsz = sizeof(r), .index = region } };
	const struct vfio_region_info_cap_sparse_mmap *sparse;

	SYS(ioctl(d->fd, VFIO_DEVICE_GET_REGION_INFO, &r));
	if (!(r.info.flags & VFIO_REGION_INFO_FLAG_MMAP))
		return false;
	CHECK(r.info.flags & VFIO_REGION_INFO_FLAG_CAPS);
	CHECK_EQ(r.info.cap_offset, sizeof(r.info));
	sparse = (const void *)r.caps;
	CHECK_EQ(sparse->header.id, VFIO_REGION_INFO_CAP_SPARSE_MMAP);
	CHECK_EQ(sparse->header.version, 1);
	CHECK_EQ(sparse->header.next, 0);
	CHECK(sparse->nr_areas >= 1);
	if (n >= sparse->nr_areas)
		return false;
	*off = sparse->areas[n].offset;
	*len = sparse->areas[n].size;
	return true;
}

static void et_map_areas(struct et_dev *d)
{
	unsigned int i;
	u64 off, len;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		void *p;

		if (!et_area(d, i, 0, &off, &len))
			continue;
		CHECK_EQ(len, ET_PAGE);
		p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd,
			 d->region[i] + off);
		CHECK(p != MAP_FAILED);
		d->map[i] = p;
		d->map_off[i] = off;
	}
}

static void et_regions(struct et_dev *d)
{
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		struct vfio_region_info info = {
			.argsz = sizeof(info), .index = i,
		};

		SYS(ioctl(d->fd, VFIO_DEVICE_GET_REGION_INFO, &info));
		d->region[i] = info.offset;
	}
}

void et_open(struct et_dev *d, const char *uuid)
{
	char path[192];
	unsigned int i;

	memset(d, 0, sizeof(*d));
	d->container = -1;
	d->group = -1;
	d->packet = -1;
	for (i = 0; i < ION_MSIX_VECTORS; i++)
		d->irq[i] = -1;
	snprintf(d->uuid, sizeof(d->uuid), "%s", uuid);
	snprintf(d->path, sizeof(d->path), "/sys/bus/%s/devices/%s",
		 et_config.bus, uuid);
	snprintf(path, sizeof(path), "%s/ernic/netdev", d->path);
	if (et_read_file(path, d->netdev, sizeof(d->netdev)))
		FAIL("%s: %m", path);

	if (et_config.doorbell) {
		snprintf(path, sizeof(path), "%s/ernic/doorbell", d->path);
		CHECK_EQ(et_write_file(path, et_config.doorbell), 0);
	}

	d->iommu = et_config.iommu;
	if (d->iommu == ET_IOMMUFD)
		et_open_iommufd(d);
	else
		et_open_group(d);
	et_regions(d);
	if (et_config.doorbell)
		et_map_areas(d);

	if (!d->arena.va) {
		d->arena.va = mmap(NULL, ET_ARENA_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		CHECK(d->arena.va != MAP_FAILED);
		d->arena.iova = ET_ARENA_IOVA;
		d->arena.len = ET_ARENA_SIZE;
		memset(d->arena.va, ET_CANARY, ET_ARENA_SIZE);
	}
	CHECK_EQ(et_map(d, d->arena.va, d->arena.iova, d->arena.len), 0);
}

void et_close(struct et_dev *d)
{
	unsigned int i;

	for (i = 0; i < ION_MSIX_VECTORS; i++)
		if (d->irq[i] >= 0)
			close(d->irq[i]);
	if (d->packet >= 0)
		close(d->packet);
	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++)
		if (d->map[i])
			munmap((void *)d->map[i], ET_PAGE);
	close(d->fd);
	if (d->group >= 0)
		close(d->group);
	close(d->container);
	munmap(d->arena.va, d->arena.len);
	memset(d, 0, sizeof(*d));
	d->fd = -1;
}

/* ---- guest memory ------------------------------------------------------------- */

int et_map(struct et_dev *d, void *va, u64 iova, size_t len)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)va,
		.iova = iova,
		.size = len,
	};
	struct et_ioas_map ioas = {
		.size = sizeof(ioas),
		.flags = ET_MAP_FIXED_IOVA | ET_MAP_READABLE | ET_MAP_WRITEABLE,
		.ioas_id = d->ioas,
		.user_va = (uintptr_t)va,
		.iova = iova,
		.length = len,
	};
	int ret;

	if (d->iommu == ET_IOMMUFD)
		ret = ioctl(d->container, ET_IOAS_MAP, &ioas);
	else
		ret = ioctl(d->container, VFIO_IOMMU_MAP_DMA, &map);
	return ret < 0 ? -errno : 0;
}

int et_unmap(struct et_dev *d, u64 iova, size_t len)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap), .iova = iova, .size = len,
	};
	struct et_ioas_unmap ioas = {
		.size = sizeof(ioas),
		.ioas_id = d->ioas,
		.iova = iova,
		.length = len,
	};
	int ret;

	if (d->iommu == ET_IOMMUFD)
		ret = ioctl(d->container, ET_IOAS_UNMAP, &ioas);
	else
		ret = ioctl(d->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
	return ret < 0 ? -errno : 0;
}

/* page aligned; at least a page of canary follows */
struct et_mem et_alloc(struct et_dev *d, size_t len, u8 fill)
{
	struct et_mem m = {
		.va = d->arena.va + d->arena_used,
		.iova = d->arena.iova + d->arena_used,
		.len = len,
	};

	d->arena_used += (len + 2 * ET_PAGE - 1) & ~(size_t)(ET_PAGE - 1);
	CHECK(d->arena_used <= d->arena.len);
	CHECK(d->nallocs < ET_MAX_ALLOCS);
	d->allocs[d->nallocs++] = m;
	memset(m.va, fill, len);
	return m;
}

static void et_check_pattern(struct et_dev *d, const u8 *from, const u8 *to)
{
	const u8 *p;

	for (p = from; p < to; p++)
		if (*p != ET_CANARY)
			FAIL("canary at iova %#llx is %02x",
			     (unsigned long long)(d->arena.iova +
						  (p - d->arena.va)), *p);
}

void et_check_canary(struct et_dev *d)
{
	const u8 *p = d->arena.va;
	unsigned int i;

	for (i = 0; i < d->nallocs; i++) {
		et_check_pattern(d, p, d->allocs[i].va);
		p = d->allocs[i].va + d->allocs[i].len;
	}
	et_check_pattern(d, p, d->arena.va + d->arena.len);
}

/* ---- registers ------------------------------------------------------------------ */

static volatile void *et_mapped(struct et_dev *d, unsigned int region, u32 off,
				unsigned int size)
{
	if (region >= VFIO_PCI_NUM_REGIONS || !d->map[region] ||
	    size != (region == BAR2 ? 8 : 4) || off % size ||
	    off - d->map_off[region] >= ET_PAGE)
		return NULL;
	return d->map[region] + off - d->map_off[region];
}

u64 et_load(struct et_dev *d, unsigned int region, u32 off, unsigned int size)
{
	volatile u32 *p = et_mapped(d, region, off, size);
	u64 val = 0;
	ssize_t n;

	if (p && size == 4)
		return *p;
	n = pread(d->fd, &val, size, d->region[region] + off);

	if (n != (ssize_t)size)
		FAIL("read of %u at %u:%#x: %zd: %m", size, region, off, n);
	return val;
}

void et_store(struct et_dev *d, unsigned int region, u32 off, unsigned int size,
	      u64 val)
{
	volatile void *p = et_mapped(d, region, off, size);
	ssize_t n;

	/* as writel() and writeq(): after all stores before */
	if (p) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (size == 8)
			*(volatile u64 *)p = val;
		else
			*(volatile u32 *)p = val;
		return;
	}
	n = pwrite(d->fd, &val, size, d->region[region] + off);

	if (n != (ssize_t)size)
		FAIL("write of %u at %u:%#x: %zd: %m", size, region, off, n);
}

void et_bus_master(struct et_dev *d, bool on)
{
	et_store(d, CFG, PCI_COMMAND, 2, PCI_COMMAND_MEMORY |
		 PCI_COMMAND_INTX_DISABLE | (on ? PCI_COMMAND_MASTER : 0));
}

/* offset of a capability, 0 if there is none */
u32 et_cap(struct et_dev *d, u8 id)
{
	u32 pos = et_load(d, CFG, PCI_CAPABILITY_LIST, 1);
	int ttl = 48;

	while (pos && ttl--) {
		if (et_load(d, CFG, pos, 1) == id)
			return pos;
		pos = et_load(d, CFG, pos + PCI_CAP_LIST_NEXT, 1);
	}
	return 0;
}

void et_flr(struct et_dev *d)
{
	u32 exp = et_cap(d, PCI_CAP_ID_EXP);

	CHECK(exp);
	CHECK(et_load(d, CFG, exp + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
	et_store(d, CFG, exp + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_BCR_FLR);
}

void et_vfio_reset(struct et_dev *d)
{
	SYS(ioctl(d->fd, VFIO_DEVICE_RESET));
}

/* ---- interrupts ------------------------------------------------------------------- */

int et_irq_set(struct et_dev *d, unsigned int index, unsigned int start,
	       unsigned int count, u32 flags, const void *data, size_t len)
{
	struct vfio_irq_set *set = calloc(1, sizeof(*set) + len);
	int ret;

	CHECK(set);
	set->argsz = sizeof(*set) + len;
	set->index = index;
	set->start = start;
	set->count = count;
	set->flags = flags;
	if (len)
		memcpy(set->data, data, len);
	ret = ioctl(d->fd, VFIO_DEVICE_SET_IRQS, set) < 0 ? -errno : 0;
	free(set);
	return ret;
}

int et_irq_fd(struct et_dev *d, unsigned int vec, int fd)
{
	return et_irq_set(d, VFIO_PCI_MSIX_IRQ_INDEX, vec, 1,
			  VFIO_IRQ_SET_DATA_EVENTFD |
			  VFIO_IRQ_SET_ACTION_TRIGGER, &fd, sizeof(fd));
}

int et_irq_mask(struct et_dev *d, unsigned int vec, bool mask)
{
	return et_irq_set(d, VFIO_PCI_MSIX_IRQ_INDEX, vec, 1,
			  VFIO_IRQ_SET_DATA_NONE |
			  (mask ? VFIO_IRQ_SET_ACTION_MASK :
				  VFIO_IRQ_SET_ACTION_UNMASK), NULL, 0);
}

void et_irq_enable(struct et_dev *d, unsigned int vec)
{
	if (d->irq[vec] < 0)
		d->irq[vec] = SYS(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	CHECK_EQ(et_irq_fd(d, vec, d->irq[vec]), 0);
}

u64 et_irq_wait(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	u64 n = 0;

	if (poll(&p, 1, ms) == 1 && read(fd, &n, sizeof(n)) == sizeof(n))
		return n;
	return 0;
}
