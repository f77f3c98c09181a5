// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory of a VFIO device: what the VMM mapped into the container (type1)
 * or the IOAS (iommufd).
 *
 * Lock order.  The core pins under dma->lock (drivers/ernic/dma.c), and in
 * there VFIO takes
 *
 *	type1	iommu->lock, then mmap_lock of the VMM
 *	iommufd	access->ioas_lock, iopt->iova_rwsem, pages->mutex, mmap_lock
 *
 * The unmap callback takes dma->lock and waits for readers, who may be waiting
 * for any of these.  It is called
 *
 *	type1	holding iommu->device_list_lock; iommu->lock was dropped for it
 *		(vfio_notify_dma_unmap).  Pinning and unpinning take
 *		iommu->lock, under which a second unmap waits for
 *		device_list_lock: two unmaps of one container at a time can
 *		block each other for ever, whichever driver gives its pins back
 *		as it is told to.  VMMs unmap one at a time
 *	iommufd	holding neither ioas_lock nor iova_rwsem, but a reference to the
 *		access (iommufd_access_notify_unmap, iommufd_access_change_ioas);
 *		attach and detach also hold dev_set->lock, as do open and close
 *
 * so the callback must not take dev_set->lock, nor anything held around
 * ernic_dev_open() and ernic_dev_close(), which run under it; it takes
 * dma->lock only.
 */
#include <linux/iommu.h>
#include <linux/sched.h>

#include "vfio.h"

static struct ernic_vfio *ernic_vfio_of(struct ernic_dev *edev)
{
	return edev->front.priv;
}

static int ernic_vfio_pin(struct ernic_dev *edev, u64 iova, unsigned int npage,
			  struct page **pages)
{
	struct ernic_vfio *v = ernic_vfio_of(edev);
	int ret;

	ret = vfio_pin_pages(&v->vdev, iova, npage, IOMMU_READ | IOMMU_WRITE,
			     pages);
	if (ret == npage)
		return 0;
	/* no part of a range today; if ever, give it back */
	if (ret > 0)
		vfio_unpin_pages(&v->vdev, iova, ret);
	return ret < 0 ? ret : -EFAULT;
}

static void ernic_vfio_unpin(struct ernic_dev *edev, u64 iova,
			     unsigned int npage)
{
	vfio_unpin_pages(&ernic_vfio_of(edev)->vdev, iova, npage);
}

struct ernic_vfio_rw_work {
	struct work_struct work;
	struct vfio_device *vdev;
	u64 iova;
	void *buf;
	size_t len;
	bool write;
	int err;
};

static void ernic_vfio_rw_fn(struct work_struct *work)
{
	struct ernic_vfio_rw_work *w =
		container_of(work, struct ernic_vfio_rw_work, work);

	w->err = vfio_dma_rw(w->vdev, w->iova, w->buf, w->len, w->write);
}

/*
 * type1 refuses a user thread that is not the VMM's, say one that writes an
 * attribute (vfio_iommu_type1_dma_rw_chunk); a kernel thread borrows the VMM's
 * address space.
 */
static int ernic_vfio_rw(struct ernic_dev *edev, u64 iova, void *buf,
			 size_t len, bool write)
{
	struct ernic_vfio_rw_work w = {
		.vdev = &ernic_vfio_of(edev)->vdev,
		.iova = iova,
		.buf = buf,
		.len = len,
		.write = write,
	};

	if (!current->mm)
		return vfio_dma_rw(w.vdev, iova, buf, len, write);

	INIT_WORK_ONSTACK(&w.work, ernic_vfio_rw_fn);
	schedule_work(&w.work);
	flush_work(&w.work);
	destroy_work_on_stack(&w.work);
	return w.err;
}

const struct ernic_dma_ops ernic_vfio_dma_ops = {
	.pin = ernic_vfio_pin,
	.unpin = ernic_vfio_unpin,
	.rw = ernic_vfio_rw,
};

/**
 * ernic_vfio_dma_unmap - the VMM unmaps guest memory
 * @vdev: device
 * @iova: start
 * @len: length; detaching an IOAS unmaps ULONG_MAX from 0
 */
void ernic_vfio_dma_unmap(struct vfio_device *vdev, u64 iova, u64 len)
{
	ernic_dma_unmap(to_ernic_vfio(vdev)->edev, iova, len);
}
