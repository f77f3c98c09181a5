/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the VFIO front end: the device below mdev and the own bus.
 */
#ifndef ERNIC_FRONT_VFIO_H
#define ERNIC_FRONT_VFIO_H

#include <linux/bitmap.h>
#include <linux/eventfd.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/vfio.h>
#include <linux/workqueue.h>

#include <ernic/dev.h>
#include <ernic/kvm.h>

/* offsets of the device file: region index, then offset in the region */
#define ERNIC_VFIO_SHIFT	40
#define ERNIC_VFIO_INDEX(pos)	((u64)(pos) >> ERNIC_VFIO_SHIFT)
#define ERNIC_VFIO_OFFSET(pos)	((u64)(pos) & GENMASK_ULL(ERNIC_VFIO_SHIFT - 1, 0))
#define ERNIC_VFIO_POS(index)	((u64)(index) << ERNIC_VFIO_SHIFT)

/**
 * struct ernic_vfio_vector - where an MSI-X vector goes
 * @lock: held while @trigger is signalled, so that a replaced one is not used
 *	any more when VFIO_DEVICE_SET_IRQS returns
 * @trigger: NULL if the VMM does not use the vector
 */
struct ernic_vfio_vector {
	spinlock_t lock;		/* @trigger */
	struct eventfd_ctx *trigger;
};

/**
 * struct ernic_vfio - a device on VFIO
 * @vdev: first, as vfio_alloc_device() wants it
 * @edev: the function
 * @irq_lock: changes of @vec and @req; serialises VFIO_DEVICE_SET_IRQS
 * @vec: MSI-X vectors
 * @deferred: vectors to be signalled by @deferred_work
 * @deferred_work: signals where the caller must not
 * @req: asks the VMM to release the device
 * @kvm: KVM's side of mapped pages; NULL without it
 * @client: our side
 * @tracking: @client is registered
 */
struct ernic_vfio {
	struct vfio_device vdev;
	struct ernic_dev *edev;

	struct mutex irq_lock;		/* @vec and @req */
	struct ernic_vfio_vector vec[ION_MSIX_VECTORS];
	DECLARE_BITMAP(deferred, ION_MSIX_VECTORS);
	struct work_struct deferred_work;
	struct eventfd_ctx *req;

	const struct ernic_kvm_ops *kvm;
	struct ernic_kvm_client client;
	bool tracking;
};

static inline struct ernic_vfio *to_ernic_vfio(struct vfio_device *vdev)
{
	return container_of(vdev, struct ernic_vfio, vdev);
}

/* vfio.c: driver of a device on either bus, named by its UUID */
int ernic_vfio_probe(struct device *dev, const struct ernic_profile *profile);
void ernic_vfio_remove(struct device *dev);
extern const struct attribute_group *ernic_vfio_groups[];

/* vfio_irq.c */
extern const struct ernic_irq_ops ernic_vfio_irq_ops;
void ernic_vfio_irq_init(struct ernic_vfio *v);
void ernic_vfio_irq_clear(struct ernic_vfio *v);
unsigned int ernic_vfio_irq_count(unsigned int index);
int ernic_vfio_set_irqs(struct ernic_vfio *v, struct vfio_irq_set __user *arg);
void ernic_vfio_request(struct vfio_device *vdev, unsigned int count);

/* vfio_dma.c */
extern const struct ernic_dma_ops ernic_vfio_dma_ops;
void ernic_vfio_dma_unmap(struct vfio_device *vdev, u64 iova, u64 len);

/* vfio_mmap.c */
extern const struct ernic_page_ops ernic_vfio_page_ops;
int ernic_vfio_sparse(struct ernic_vfio *v, struct vfio_region_info *info,
		      struct vfio_info_cap *caps);
int ernic_vfio_mmap(struct vfio_device *vdev, struct vm_area_struct *vma);
void ernic_vfio_mmap_open(struct ernic_vfio *v);
void ernic_vfio_mmap_close(struct ernic_vfio *v);

/* bus.c, mdev.c: @parent is the device of class ernic_host */
int ernic_bus_init(struct device *parent);
void ernic_bus_exit(void);

#if IS_ENABLED(CONFIG_VFIO_MDEV)
int ernic_mdev_init(struct device *parent);
void ernic_mdev_exit(void);
#else
static inline int ernic_mdev_init(struct device *parent)
{
	return 0;
}

static inline void ernic_mdev_exit(void)
{
}
#endif

#endif
