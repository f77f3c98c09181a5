// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell pages of the guest's processes: all pages of BAR2 but the first.
 *
 * The queues of a process share the slots of its page, so every value counts: KVM
 * tracks these pages for good (ERNIC_PAGE_TRACK), and where it cannot they are not
 * mapped.  A page gets its memory when the first queue is created with it, or when
 * something stores to it before, and keeps that until the VMM closes the device.
 *
 * A worker that lingers would have to look at up to 1,023 pages.  None needs to, as
 * each store is told of, but for the time in which tracking is not proven: then a
 * work item of the page's own looks, and arms.  To arm it may have to wait for the
 * vCPUs, which the VMM can stop, so the items of a device have a queue of their own.
 */
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>
#include <ernic/rdma.h>

#include "function.h"

/**
 * struct ernic_upage - a page that no worker polls
 * @page: the page
 * @work: polls it while it is hot
 */
struct ernic_upage {
	struct ernic_page page;
	struct delayed_work work;
};

static void ernic_upage_work(struct work_struct *work)
{
	struct ernic_upage *u = container_of(to_delayed_work(work),
					     struct ernic_upage, work);

	if (ernic_page_poll(&u->page))
		queue_delayed_work(u->page.edev->db_pages_wq, &u->work, 1);
}

/**
 * ernic_upage_kick - a page has become hot
 * @p: page of a process
 *
 * Any context.
 */
void ernic_upage_kick(struct ernic_page *p)
{
	struct ernic_upage *u = container_of(p, struct ernic_upage, page);

	queue_delayed_work(p->edev->db_pages_wq, &u->work, 0);
}
ERNIC_KUNIT_EXPORT(ernic_upage_kick);

static void ernic_upage_free(struct ernic_upage *u)
{
	ernic_page_exit(&u->page);
	kfree(u);
}

/**
 * ernic_db_page - find a doorbell page
 * @edev: device
 * @index: page of BAR2
 *
 * Any context; valid until the VMM closes the device.
 *
 * Return: the page, or NULL if it was not used yet.
 */
struct ernic_page *ernic_db_page(struct ernic_dev *edev, unsigned int index)
{
	struct ernic_upage *u;

	if (!index)
		return &edev->db_page0;
	u = xa_load(&edev->db_pages, index);
	return u ? &u->page : NULL;
}
ERNIC_KUNIT_EXPORT(ernic_db_page);

/**
 * ernic_db_page_get - find or make a doorbell page
 * @edev: device
 * @index: page of BAR2
 *
 * Process context, between ernic_db_pages_open() and ernic_db_pages_close().
 *
 * Return: the page, or NULL: there is none of that number, pages of processes are not
 * mapped, or no memory.
 */
struct ernic_page *ernic_db_page_get(struct ernic_dev *edev,
				     unsigned int index)
{
	struct ernic_page *p = ernic_db_page(edev, index);
	struct ernic_upage *u, *old;
	unsigned int slot;

	if (p || edev->db_pages_mode == ERNIC_PAGE_TRAP ||
	    index >= ION_DB_PAGES)
		return p;
	u = kzalloc_obj(*u, GFP_KERNEL_ACCOUNT);
	if (!u)
		return NULL;
	INIT_DELAYED_WORK(&u->work, ernic_upage_work);
	if (ernic_page_init(&u->page, edev, index)) {
		kfree(u);
		return NULL;
	}
	ernic_page_open(&u->page, edev->db_pages_mode);
	for (slot = ERNIC_DB_SLOT_SQ; slot <= ERNIC_DB_SLOT_CQ; slot++)
		ernic_page_slot_init(&u->page, slot);
	/* a fault and a command, or two faults */
	old = xa_cmpxchg(&edev->db_pages, index, NULL, u, GFP_KERNEL_ACCOUNT);
	if (!old)
		return &u->page;
	ernic_upage_free(u);
	return xa_is_err(old) ? NULL : &old->page;
}
ERNIC_KUNIT_EXPORT(ernic_db_page_get);

/**
 * ernic_db_page_use - a queue is going to be created with a page
 * @edev: device
 * @index: page of BAR2
 *
 * Before the guest rings for it; process context.  Without memory for the page it
 * is made with the first store, if there is some then.
 */
void ernic_db_page_use(struct ernic_dev *edev, unsigned int index)
{
	struct ernic_page *p = ernic_db_page_get(edev, index);
	unsigned int slot;

	if (!p)
		return;
	if (index)
		ernic_page_settle(p);
	/* it may ring with the last value of the queue that had its number before */
	for (slot = ERNIC_DB_SLOT_SQ; slot <= ERNIC_DB_SLOT_CQ; slot++)
		ernic_page_slot_renew(p, slot);
}
ERNIC_KUNIT_EXPORT(ernic_db_page_use);

/**
 * ernic_db_pages_open - decide how stores to pages of processes arrive
 * @edev: device that a VMM opens
 * @mode: ERNIC_PAGE_TRACK or ERNIC_PAGE_TRAP; the latter if memory is short
 */
void ernic_db_pages_open(struct ernic_dev *edev, enum ernic_page_mode mode)
{
	edev->db_pages_mode = ERNIC_PAGE_TRAP;
	if (mode == ERNIC_PAGE_TRAP)
		return;
	edev->db_pages_wq = alloc_ordered_workqueue("ernic_db%d", 0, edev->id);
	if (edev->db_pages_wq)
		edev->db_pages_mode = mode;
}
ERNIC_KUNIT_EXPORT(ernic_db_pages_open);

/**
 * ernic_db_pages_close - no store comes any more
 * @edev: device without mappings and workers
 */
void ernic_db_pages_close(struct ernic_dev *edev)
{
	struct ernic_upage *u;
	unsigned long i;

	edev->db_pages_mode = ERNIC_PAGE_TRAP;
	xa_for_each(&edev->db_pages, i, u) {
		cancel_delayed_work_sync(&u->work);
		ernic_page_close(&u->page);
	}
	if (edev->db_pages_wq)
		destroy_workqueue(edev->db_pages_wq);
	edev->db_pages_wq = NULL;
}
ERNIC_KUNIT_EXPORT(ernic_db_pages_close);

/**
 * ernic_db_pages_free - give the memory back
 * @edev: device of which KVM does not tell any more either
 */
void ernic_db_pages_free(struct ernic_dev *edev)
{
	struct ernic_upage *u;
	unsigned long i;

	mutex_lock(&edev->db_pages_lock);
	xa_for_each(&edev->db_pages, i, u) {
		xa_erase(&edev->db_pages, i);
		ernic_upage_free(u);
	}
	mutex_unlock(&edev->db_pages_lock);
}
ERNIC_KUNIT_EXPORT(ernic_db_pages_free);

/**
 * ernic_db_pages_reset - forget all values
 * @edev: device; any context
 */
void ernic_db_pages_reset(struct ernic_dev *edev)
{
	struct ernic_upage *u;
	unsigned int slot;
	unsigned long i;

	ernic_page_reset(&edev->db_page0);
	xa_for_each(&edev->db_pages, i, u) {
		ernic_page_reset(&u->page);
		for (slot = ERNIC_DB_SLOT_SQ; slot <= ERNIC_DB_SLOT_CQ; slot++)
			ernic_page_slot_init(&u->page, slot);
	}
}

/**
 * ernic_db_pages_moved - KVM has taken memory slots away
 * @edev: device
 * @gfn: first guest frame
 * @n: how many
 */
void ernic_db_pages_moved(struct ernic_dev *edev, u64 gfn, u64 n)
{
	struct ernic_upage *u;
	unsigned long i;

	ernic_page_moved(&edev->db_page0, gfn, n);
	xa_for_each(&edev->db_pages, i, u)
		ernic_page_moved(&u->page, gfn, n);
}
ERNIC_KUNIT_EXPORT(ernic_db_pages_moved);

/**
 * ernic_db_pages_written - KVM has emulated a store
 * @edev: device
 * @gpa: guest physical address
 * @data: bytes
 * @len: their number
 *
 * In the vCPU thread, for any store that KVM emulates.  The BAR is aligned to its
 * size, wherever it lies.
 */
void ernic_db_pages_written(struct ernic_dev *edev, u64 gpa, const void *data,
			    unsigned int len)
{
	u64 gfn = gpa >> ION_DB_PAGE_SHIFT;
	struct ernic_page *p = ernic_db_page(edev, gfn % ION_DB_PAGES);

	if (p && ernic_page_tracks(p, gfn))
		ernic_page_written(p, gpa % ION_DB_PAGE_SIZE, data, len);
}
ERNIC_KUNIT_EXPORT(ernic_db_pages_written);
