// SPDX-License-Identifier: GPL-2.0-only
/*
 * VFIO front end: the vfio-pci user interface over a function.  Devices are
 * made by mdev (mdev.c) or by the own bus (bus.c) and share all of this.
 *
 * Life cycle.  probe allocates and registers; remove unregisters, which asks
 * the user to let go and waits until no file is open, and then destroys the
 * function.  The memory of struct ernic_vfio belongs to VFIO and goes with its
 * last reference.
 *
 * Register accesses of the guest arrive in ops->read or ops->write, but for those
 * to pages that the VMM has mapped (vfio_mmap.c).
 */
#include <linux/device/class.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "front.h"
#include "vfio.h"

const struct attribute_group *ernic_vfio_groups[] = {
	&ernic_dev_attr_group,
	NULL
};

/* ---- regions ------------------------------------------------------------ */

static u64 ernic_vfio_region_size(const struct ernic_vfio *v, u64 index)
{
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return ION_BAR0_SIZE;
	case VFIO_PCI_BAR2_REGION_INDEX:
		return ION_BAR2_SIZE;
	case VFIO_PCI_BAR4_REGION_INDEX:
		return v->edev->cmb.on ? ION_BAR4_SIZE : 0;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return PCI_CFG_SPACE_EXP_SIZE;
	default:
		return 0;
	}
}

static u64 ernic_vfio_load(struct ernic_vfio *v, u64 index, u32 off,
			   unsigned int size)
{
	__le64 val = 0;

	if (index == VFIO_PCI_CONFIG_REGION_INDEX) {
		ernic_cfg_read(v->edev, off, &val, size);
		return le64_to_cpu(val);
	}
	/* nobody claims the read */
	if (!ernic_cfg_memory_on(v->edev))
		return U64_MAX;
	return ernic_bar_read(v->edev, index, off, size);
}

static void ernic_vfio_store(struct ernic_vfio *v, u64 index, u32 off,
			     unsigned int size, u64 val)
{
	__le64 le = cpu_to_le64(val);

	if (index == VFIO_PCI_CONFIG_REGION_INDEX)
		ernic_cfg_write(v->edev, off, &le, size);
	else if (ernic_cfg_memory_on(v->edev))
		ernic_bar_write(v->edev, index, off, size, val);
}

/* the largest naturally aligned access: a doorbell of 8 bytes stays whole */
static unsigned int ernic_vfio_access_size(u64 off, size_t left)
{
	unsigned int size = 8;

	while (size > left || off & (size - 1))
		size /= 2;
	return size;
}

/* 0 or -EFAULT */
static int ernic_vfio_access(struct ernic_vfio *v, u64 index, u32 off,
			     char __user *buf, unsigned int size, bool write)
{
	__le64 val = 0;		/* its first bytes are the value at any size */

	if (write) {
		if (copy_from_user(&val, buf, size))
			return -EFAULT;
		ernic_vfio_store(v, index, off, size, le64_to_cpu(val));
		return 0;
	}
	val = cpu_to_le64(ernic_vfio_load(v, index, off, size));
	return copy_to_user(buf, &val, size) ? -EFAULT : 0;
}

static ssize_t ernic_vfio_rw(struct ernic_vfio *v, char __user *buf,
			     size_t count, loff_t *ppos, bool write)
{
	u64 index = ERNIC_VFIO_INDEX(*ppos);
	u64 off = ERNIC_VFIO_OFFSET(*ppos);
	u64 len = ernic_vfio_region_size(v, index);
	size_t done = 0;
	unsigned int n;
	int err = 0;

	if (off >= len)
		return -EINVAL;
	count = min_t(u64, count, len - off);

	while (done < count) {
		n = ernic_vfio_access_size(off + done, count - done);
		err = ernic_vfio_access(v, index, off + done, buf + done, n,
					write);
		if (err)
			break;
		done += n;
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		cond_resched();
	}
	*ppos += done;
	return done ?: err;
}

static ssize_t ernic_vfio_read(struct vfio_device *vdev, char __user *buf,
			       size_t count, loff_t *ppos)
{
	return ernic_vfio_rw(to_ernic_vfio(vdev), buf, count, ppos, false);
}

static ssize_t ernic_vfio_write(struct vfio_device *vdev,
				const char __user *buf, size_t count,
				loff_t *ppos)
{
	return ernic_vfio_rw(to_ernic_vfio(vdev), (char __user *)buf, count,
			     ppos, true);
}

/* ---- requests ----------------------------------------------------------- */

static int ernic_vfio_region_info(struct vfio_device *vdev,
				  struct vfio_region_info *info,
				  struct vfio_info_cap *caps)
{
	struct ernic_vfio *v = to_ernic_vfio(vdev);

	if (info->index >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;

	info->size = ernic_vfio_region_size(v, info->index);
	info->offset = ERNIC_VFIO_POS(info->index);
	info->cap_offset = 0;
	info->flags = 0;
	if (info->size)
		info->flags = VFIO_REGION_INFO_FLAG_READ |
			      VFIO_REGION_INFO_FLAG_WRITE;
	return ernic_vfio_sparse(v, info, caps);
}

static int ernic_vfio_get_info(struct vfio_device_info __user *arg)
{
	unsigned long minsz = offsetofend(struct vfio_device_info, num_irqs);
	struct vfio_device_info info = {};

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;

	info.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info.num_regions = VFIO_PCI_NUM_REGIONS;
	info.num_irqs = VFIO_PCI_NUM_IRQS;
	return copy_to_user(arg, &info, minsz) ? -EFAULT : 0;
}

/* where the core does not do it, see compat.h */
static int ernic_vfio_get_region_info(struct ernic_vfio *v,
				      struct vfio_region_info __user *arg)
{
	unsigned long minsz = offsetofend(struct vfio_region_info, offset);
	struct vfio_region_info info = {};
	struct vfio_info_cap caps = {};
	int err;

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;
	err = ernic_vfio_region_info(&v->vdev, &info, &caps);
	if (err)
		return err;
	if (caps.size) {
		info.flags |= VFIO_REGION_INFO_FLAG_CAPS;
		if (info.argsz < sizeof(info) + caps.size) {
			info.argsz = sizeof(info) + caps.size;
		} else {
			vfio_info_cap_shift(&caps, sizeof(info));
			info.cap_offset = sizeof(info);
			if (copy_to_user(arg + 1, caps.buf, caps.size))
				err = -EFAULT;
		}
		kfree(caps.buf);
	}
	if (!err && copy_to_user(arg, &info, minsz))
		err = -EFAULT;
	return err;
}

static int ernic_vfio_get_irq_info(struct vfio_irq_info __user *arg)
{
	unsigned long minsz = offsetofend(struct vfio_irq_info, count);
	struct vfio_irq_info info = {};

	if (copy_from_user(&info, arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz || info.index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;

	info.count = ernic_vfio_irq_count(info.index);
	info.flags = info.count ? VFIO_IRQ_INFO_EVENTFD : 0;
	if (info.index == VFIO_PCI_MSIX_IRQ_INDEX)
		info.flags |= VFIO_IRQ_INFO_MASKABLE;
	return copy_to_user(arg, &info, minsz) ? -EFAULT : 0;
}

static long ernic_vfio_ioctl(struct vfio_device *vdev, unsigned int cmd,
			     unsigned long arg)
{
	struct ernic_vfio *v = to_ernic_vfio(vdev);
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case VFIO_DEVICE_GET_INFO:
		return ernic_vfio_get_info(uarg);
	case VFIO_DEVICE_GET_REGION_INFO:
		return ernic_vfio_get_region_info(v, uarg);
	case VFIO_DEVICE_GET_IRQ_INFO:
		return ernic_vfio_get_irq_info(uarg);
	case VFIO_DEVICE_SET_IRQS:
		return ernic_vfio_set_irqs(v, uarg);
	case VFIO_DEVICE_RESET:
		ernic_dev_reset(v->edev);
		return 0;
	default:
		return -ENOTTY;
	}
}

/* ---- life cycle --------------------------------------------------------- */

static int ernic_vfio_init_dev(struct vfio_device *vdev)
{
	ernic_vfio_irq_init(to_ernic_vfio(vdev));
	return 0;
}

static void ernic_vfio_release_dev(struct vfio_device *vdev)
{
	mutex_destroy(&to_ernic_vfio(vdev)->irq_lock);
}

static int ernic_vfio_open(struct vfio_device *vdev)
{
	struct ernic_vfio *v = to_ernic_vfio(vdev);
	int err;

	err = ernic_dev_open(v->edev);
	if (!err)
		ernic_vfio_mmap_open(v);
	return err;
}

/* workers stop and pins go back first: both still use what VFIO has open */
static void ernic_vfio_close(struct vfio_device *vdev)
{
	struct ernic_vfio *v = to_ernic_vfio(vdev);

	ernic_dev_close(v->edev);
	ernic_vfio_mmap_close(v);
	ernic_vfio_irq_clear(v);
}

static const struct vfio_device_ops ernic_vfio_ops = {
	.name = "ernic_host",
	.init = ernic_vfio_init_dev,
	.release = ernic_vfio_release_dev,
	.bind_iommufd = vfio_iommufd_emulated_bind,
	.unbind_iommufd = vfio_iommufd_emulated_unbind,
	.attach_ioas = vfio_iommufd_emulated_attach_ioas,
	.detach_ioas = vfio_iommufd_emulated_detach_ioas,
	.open_device = ernic_vfio_open,
	.close_device = ernic_vfio_close,
	.read = ernic_vfio_read,
	.write = ernic_vfio_write,
	.mmap = ernic_vfio_mmap,
	.ioctl = ernic_vfio_ioctl,
	ERNIC_VFIO_REGION_INFO(ernic_vfio_region_info)
	.request = ernic_vfio_request,
	.dma_unmap = ernic_vfio_dma_unmap,
};

/**
 * ernic_vfio_probe - make a function out of a device
 * @dev: device whose name is a UUID
 * @profile: shape of the NIC
 *
 * Return: 0 or a negative errno.
 */
int ernic_vfio_probe(struct device *dev, const struct ernic_profile *profile)
{
	struct ernic_front front = {
		.dev = dev,
		.dma = &ernic_vfio_dma_ops,
		.irq = &ernic_vfio_irq_ops,
		.page = &ernic_vfio_page_ops,
		.owner = THIS_MODULE,
	};
	struct ernic_vfio *v;
	uuid_t uuid;
	int err;

	/* parsed from the name: the buses keep it in different byte orders */
	err = uuid_parse(dev_name(dev), &uuid);
	if (err)
		return err;

	v = vfio_alloc_device(ernic_vfio, vdev, dev, &ernic_vfio_ops);
	if (IS_ERR(v))
		return PTR_ERR(v);
	front.priv = v;

	v->edev = ernic_dev_create(&front, &uuid, profile);
	if (IS_ERR(v->edev)) {
		err = PTR_ERR(v->edev);
		goto err_put;
	}
	dev_set_drvdata(dev, v);

	err = vfio_register_emulated_iommu_dev(&v->vdev);
	if (err)
		goto err_destroy;
	return 0;

err_destroy:
	dev_set_drvdata(dev, NULL);
	ernic_dev_destroy(v->edev);
err_put:
	vfio_put_device(&v->vdev);
	return err;
}

/**
 * ernic_vfio_remove - undo ernic_vfio_probe(); waits for the user to close
 * @dev: device
 */
void ernic_vfio_remove(struct device *dev)
{
	struct ernic_vfio *v = dev_get_drvdata(dev);

	vfio_unregister_group_dev(&v->vdev);
	ernic_dev_destroy(v->edev);
	dev_set_drvdata(dev, NULL);
	vfio_put_device(&v->vdev);
}

/* ---- module ------------------------------------------------------------- */

/*
 * The names of mdev types begin with the driver, bus or class of their parent
 * (drivers/base/core.c:dev_driver_string).
 */
static const struct class ernic_class = {
	.name = "ernic_host",
};

static struct device *ernic_parent;

/**
 * ernic_vfio_init - offer devices
 *
 * Return: 0 or a negative errno.
 */
int __init ernic_vfio_init(void)
{
	int err;

	err = class_register(&ernic_class);
	if (err)
		return err;
	ernic_parent = device_create(&ernic_class, NULL, MKDEV(0, 0), NULL,
				     "ernic_host");
	if (IS_ERR(ernic_parent)) {
		err = PTR_ERR(ernic_parent);
		goto err_class;
	}
	err = ernic_bus_init(ernic_parent);
	if (err)
		goto err_parent;
	err = ernic_mdev_init(ernic_parent);
	if (err)
		goto err_bus;
	return 0;

err_bus:
	ernic_bus_exit();
err_parent:
	device_unregister(ernic_parent);
err_class:
	class_unregister(&ernic_class);
	return err;
}

/**
 * ernic_vfio_exit - remove all devices
 */
void ernic_vfio_exit(void)
{
	ernic_mdev_exit();
	ernic_bus_exit();
	device_unregister(ernic_parent);
	class_unregister(&ernic_class);
}
