// SPDX-License-Identifier: GPL-2.0-only
/*
 * The notify queue: events to the driver.
 *
 * The command ring is a dummy; the events live behind it, at the next page
 * (ionic_lif.c:ionic_qcq_alloc).  An event is valid by its eid, which counts up
 * from 1 after each Q_INIT and is stored last (ionic_main.c:
 * ionic_notifyq_service).
 */
#include "function.h"

/* the driver aligns to its own page size; x86 has this one */
#define ERNIC_GUEST_PAGE	4096

/**
 * ernic_notifyq_setup - check the event ring of a new notify queue
 * @edev: device; notifyq has its ring_base and num_desc
 */
u8 ernic_notifyq_setup(struct ernic_dev *edev)
{
	struct ernic_queue *q = &edev->lif.notifyq;
	u64 len = q->num_desc * sizeof(struct ion_notifyq_event);
	u64 tmp;

	q->cq_base = q->ring_base + ALIGN((u64)q->num_desc * 4,
					  ERNIC_GUEST_PAGE);
	if (!ernic_range_ok(q->cq_base, len, 8) ||
	    ernic_dma_read(edev, q->cq_base + len - 8, &tmp, 8))
		return ION_RC_BAD_ADDR;
	edev->lif.eid = 0;
	return ION_RC_SUCCESS;
}

/**
 * ernic_notify - send an event
 * @edev: device; the caller holds state_lock
 * @ev: event with eid zero; changed
 *
 * The driver reports no position.  What it has not given back in credits it
 * has not seen, so a full lap of those means the event would overwrite one.
 *
 * Return: 0, -ENXIO without a notify queue, -ENOSPC if the driver does not
 * keep up, or an error of guest memory.
 */
int ernic_notify(struct ernic_dev *edev, struct ion_notifyq_event *ev)
{
	struct ernic_queue *q = &edev->lif.notifyq;
	u64 addr, eid;
	int err;

	if (!q->init || !q->enabled || q->error)
		return -ENXIO;
	if (q->has_intr &&
	    ernic_intr_outstanding(edev, q->intr) >= q->num_desc)
		return -ENOSPC;

	addr = q->cq_base + (u64)q->cq_index * sizeof(*ev);
	eid = edev->lif.eid + 1;
	err = ernic_dma_write(edev, addr + sizeof(ev->eid), &ev->ecode,
			      sizeof(*ev) - sizeof(ev->eid));
	if (!err)
		err = ernic_dma_write64_release(edev, addr, cpu_to_le64(eid));
	if (err) {
		ernic_queue_fail(q, err, "event ring unwritable");
		return err;
	}
	edev->lif.eid = eid;
	q->cq_index = (q->cq_index + 1) & ernic_queue_mask(q);
	q->completions++;
	ernic_queue_intr(q, 1);
	return 0;
}
