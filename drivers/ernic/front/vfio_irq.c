// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of a VFIO device: an eventfd a vector.
 *
 * The VMM emulates the guest's MSI-X table and says where each vector goes; an
 * unused one has no eventfd and is lost, as on hardware with an empty entry.
 * Vectors may come and go at any time, one by one, so none is announced as
 * VFIO_IRQ_INFO_NORESIZE.
 */
#include <linux/slab.h>

#include "vfio.h"

static void ernic_vfio_trigger(struct ernic_vfio *v, unsigned int vec)
{
	struct ernic_vfio_vector *e = &v->vec[vec];
	unsigned long flags;

	spin_lock_irqsave(&e->lock, flags);
	if (e->trigger)
		eventfd_signal(e->trigger);
	spin_unlock_irqrestore(&e->lock, flags);
}

/*
 * Any context.  One eventfd must not be signalled out of the wake-up of another
 * (fs/eventfd.c:eventfd_signal_mask).
 */
static void ernic_vfio_signal(struct ernic_dev *edev, unsigned int vec)
{
	struct ernic_vfio *v = edev->front.priv;

	if (likely(eventfd_signal_allowed())) {
		ernic_vfio_trigger(v, vec);
		return;
	}
	set_bit(vec, v->deferred);
	schedule_work(&v->deferred_work);
}

const struct ernic_irq_ops ernic_vfio_irq_ops = {
	.signal = ernic_vfio_signal,
};

static void ernic_vfio_deferred(struct work_struct *work)
{
	struct ernic_vfio *v = container_of(work, struct ernic_vfio,
					    deferred_work);
	unsigned int vec;

	for_each_set_bit(vec, v->deferred, ION_MSIX_VECTORS)
		if (test_and_clear_bit(vec, v->deferred))
			ernic_vfio_trigger(v, vec);
}

static void ernic_vfio_set_trigger(struct ernic_vfio *v, unsigned int vec,
				   struct eventfd_ctx *ctx)
{
	struct ernic_vfio_vector *e = &v->vec[vec];
	unsigned long flags;

	spin_lock_irqsave(&e->lock, flags);
	swap(e->trigger, ctx);
	spin_unlock_irqrestore(&e->lock, flags);

	if (ctx)
		eventfd_ctx_put(ctx);
}

/**
 * ernic_vfio_irq_init - first-time set-up
 * @v: device
 */
void ernic_vfio_irq_init(struct ernic_vfio *v)
{
	unsigned int i;

	mutex_init(&v->irq_lock);
	INIT_WORK(&v->deferred_work, ernic_vfio_deferred);
	for (i = 0; i < ION_MSIX_VECTORS; i++)
		spin_lock_init(&v->vec[i].lock);
}

/**
 * ernic_vfio_irq_clear - forget all eventfds and masks
 * @v: device; nothing signals any more
 */
void ernic_vfio_irq_clear(struct ernic_vfio *v)
{
	unsigned int i;

	cancel_work_sync(&v->deferred_work);
	bitmap_zero(v->deferred, ION_MSIX_VECTORS);

	mutex_lock(&v->irq_lock);
	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		ernic_vfio_set_trigger(v, i, NULL);
		ernic_intr_msix_mask(v->edev, i, false);
	}
	if (v->req)
		eventfd_ctx_put(v->req);
	v->req = NULL;
	mutex_unlock(&v->irq_lock);
}

/**
 * ernic_vfio_irq_count - interrupts of an index
 * @index: VFIO_PCI_*_IRQ_INDEX
 *
 * Return: their number, 0 for an index that does not exist.
 */
unsigned int ernic_vfio_irq_count(unsigned int index)
{
	switch (index) {
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return ION_MSIX_VECTORS;
	case VFIO_PCI_REQ_IRQ_INDEX:
		return 1;
	default:
		return 0;
	}
}

/* context of a descriptor that user space passed; NULL for -1 */
static struct eventfd_ctx *ernic_vfio_eventfd(int fd)
{
	if (fd == -1)
		return NULL;
	if (fd < 0)
		return ERR_PTR(-EINVAL);
	return eventfd_ctx_fdget(fd);
}

/* all or none */
static int ernic_vfio_msix_eventfds(struct ernic_vfio *v,
				    const struct vfio_irq_set *hdr,
				    const s32 *fds)
{
	struct eventfd_ctx **ctx;
	unsigned int i;
	int err = 0;

	ctx = kcalloc(hdr->count, sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;

	for (i = 0; i < hdr->count; i++) {
		ctx[i] = ernic_vfio_eventfd(fds[i]);
		if (IS_ERR(ctx[i])) {
			err = PTR_ERR(ctx[i]);
			break;
		}
	}
	if (err) {
		while (i--)
			if (ctx[i])
				eventfd_ctx_put(ctx[i]);
	} else {
		for (i = 0; i < hdr->count; i++)
			ernic_vfio_set_trigger(v, hdr->start + i, ctx[i]);
	}
	kfree(ctx);
	return err;
}

/* which of the addressed interrupts an action without eventfds means */
static bool ernic_vfio_irq_selected(const struct vfio_irq_set *hdr,
				    const void *data, unsigned int i)
{
	return hdr->flags & VFIO_IRQ_SET_DATA_NONE || ((const u8 *)data)[i];
}

static int ernic_vfio_set_msix(struct ernic_vfio *v,
			       const struct vfio_irq_set *hdr, const void *data)
{
	u32 action = hdr->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	unsigned int i, vec;

	if (hdr->flags & VFIO_IRQ_SET_DATA_EVENTFD) {
		if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
			return -ENOTTY;
		return ernic_vfio_msix_eventfds(v, hdr, data);
	}

	/* the documented way to turn an index off */
	if (action == VFIO_IRQ_SET_ACTION_TRIGGER && !hdr->count) {
		for (vec = 0; vec < ION_MSIX_VECTORS; vec++)
			ernic_vfio_set_trigger(v, vec, NULL);
		return 0;
	}

	for (i = 0; i < hdr->count; i++) {
		if (!ernic_vfio_irq_selected(hdr, data, i))
			continue;
		vec = hdr->start + i;
		switch (action) {
		case VFIO_IRQ_SET_ACTION_MASK:
			ernic_intr_msix_mask(v->edev, vec, true);
			break;
		case VFIO_IRQ_SET_ACTION_UNMASK:
			ernic_intr_msix_mask(v->edev, vec, false);
			break;
		default:
			ernic_vfio_trigger(v, vec);
		}
	}
	return 0;
}

static int ernic_vfio_set_req(struct ernic_vfio *v,
			      const struct vfio_irq_set *hdr, const void *data)
{
	struct eventfd_ctx *ctx = NULL;

	if ((hdr->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) !=
	    VFIO_IRQ_SET_ACTION_TRIGGER)
		return -ENOTTY;

	if (hdr->count && !(hdr->flags & VFIO_IRQ_SET_DATA_EVENTFD)) {
		if (v->req && ernic_vfio_irq_selected(hdr, data, 0))
			eventfd_signal(v->req);
		return 0;
	}

	if (hdr->count) {
		ctx = ernic_vfio_eventfd(*(const s32 *)data);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
	}
	swap(v->req, ctx);
	if (ctx)
		eventfd_ctx_put(ctx);
	return 0;
}

/**
 * ernic_vfio_set_irqs - VFIO_DEVICE_SET_IRQS
 * @v: device
 * @arg: request
 *
 * Return: 0 or a negative errno, then nothing has changed.
 */
int ernic_vfio_set_irqs(struct ernic_vfio *v, struct vfio_irq_set __user *arg)
{
	unsigned long minsz = offsetofend(struct vfio_irq_set, count);
	struct vfio_irq_set hdr;
	void *data = NULL;
	size_t size;
	int err;

	if (copy_from_user(&hdr, arg, minsz))
		return -EFAULT;
	err = vfio_set_irqs_validate_and_prepare(&hdr,
						 ernic_vfio_irq_count(hdr.index),
						 VFIO_PCI_NUM_IRQS, &size);
	if (err)
		return err;
	if (hweight32(hdr.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != 1)
		return -EINVAL;
	if (size) {
		data = memdup_user(arg->data, size);
		if (IS_ERR(data))
			return PTR_ERR(data);
	}

	mutex_lock(&v->irq_lock);
	if (hdr.index == VFIO_PCI_MSIX_IRQ_INDEX)
		err = ernic_vfio_set_msix(v, &hdr, data);
	else
		err = ernic_vfio_set_req(v, &hdr, data);
	mutex_unlock(&v->irq_lock);

	kfree(data);
	return err;
}

/**
 * ernic_vfio_request - ask the VMM to let go of the device
 * @vdev: device
 * @count: how often this was asked before
 *
 * QEMU unplugs the device from the guest and closes it.
 */
void ernic_vfio_request(struct vfio_device *vdev, unsigned int count)
{
	struct ernic_vfio *v = to_ernic_vfio(vdev);

	mutex_lock(&v->irq_lock);
	if (v->req) {
		if (!(count % 10))
			dev_notice_ratelimited(vdev->dev,
					       "asking the user to release the device (%u)\n",
					       count);
		eventfd_signal(v->req);
	} else if (!count) {
		dev_warn(vdev->dev,
			 "in use by a program that takes no release requests; waiting for it to close\n");
	}
	mutex_unlock(&v->irq_lock);
}
