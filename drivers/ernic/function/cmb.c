// SPDX-License-Identifier: GPL-2.0-only
/*
 * Controller memory (BAR4), for express doorbells.
 *
 * Send queues of the guest's processes lie in it instead of in the guest's memory.  The
 * last 8 bytes of a request are its doorbell and are stored last, so who polls the next
 * slot needs to be told of nothing.  The 8 MiB appear once as plain memory and once for
 * each stride (DISCOVER_CMB), always the same pages: a queue's region says how long its
 * requests are.
 *
 * A store must not be trapped or emulated: rdma-core copies a request with MOVDIR64B
 * where there is that, which KVM does not emulate.  So pages only sleep in the way of
 * ERNIC_PAGE_FAULT, and there is no BAR4 where they cannot be mapped.  A VMM need not
 * map what it could: then DISCOVER_CMB fails, and the driver uses its host rings.
 *
 * A queue polls the slot that comes next.  When nothing has come for a while it arms
 * the page of that slot, and no other:
 *
 *	C1	lock; zap the page from the queue's region; armed = page; unlock
 *	C2	looks at the slot once more
 *	C3	sleeps
 *
 * against a fault
 *
 *	F1	lock; insert the PTE; wake = armed; armed = none; unlock
 *	F2	wakes if @wake
 *	F3	the store
 *
 * which is the argument of page.c.  Here nothing is lost if the first of several stores
 * wakes, as each has a slot of its own and the doorbell stays in it until it is taken.
 * A process that stores by another alias than its queue's, which libionic does not,
 * only hurts itself.
 *
 * Lock order, outermost first:
 *
 *	mmap_lock, rdma->aq_lock, qp->sq_lock
 *	cmb->lock
 *	i_mmap_rwsem, mmu notifiers, kvm->mmu_lock
 *	group->lock
 */
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "function.h"

/* in the order of their regions in BAR4 */
static const u8 ernic_cmb_types[ION_CMB_REGIONS] = {
	ION_CMB_DEVMEM, ION_CMB_EXPDB64, ION_CMB_EXPDB128, ION_CMB_EXPDB256,
	ION_CMB_EXPDB512,
};

/**
 * ernic_cmb_open - the function has controller memory from now on
 * @edev: device that a VMM opens, with a profile that says so; its guest does not run
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_cmb_open(struct ernic_dev *edev)
{
	struct ernic_cmb *cmb = &edev->cmb;

	cmb->page = kvcalloc(ION_CMB_PAGES, sizeof(*cmb->page),
			     GFP_KERNEL_ACCOUNT);
	cmb->ring = kvcalloc(ION_CMB_PAGES, sizeof(*cmb->ring),
			     GFP_KERNEL_ACCOUNT);
	if (!cmb->page || !cmb->ring) {
		kvfree(cmb->page);
		kvfree(cmb->ring);
		return -ENOMEM;
	}
	cmb->npages = 0;
	cmb->nrings = 0;
	cmb->mapped = false;
	cmb->on = true;
	/* it has a BAR more */
	ernic_cfg_reset(edev, false);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_cmb_open);

/**
 * ernic_cmb_close - undo ernic_cmb_open(), if it was called
 * @edev: device without mappings and queues
 */
void ernic_cmb_close(struct ernic_dev *edev)
{
	struct ernic_cmb *cmb = &edev->cmb;
	unsigned int i;

	if (!cmb->on)
		return;
	mutex_lock(&cmb->lock);
	cmb->on = false;
	cmb->mapped = false;
	for (i = 0; i < ION_CMB_PAGES; i++)
		if (cmb->page[i])
			__free_page(cmb->page[i]);
	kvfree(cmb->page);
	kvfree(cmb->ring);
	cmb->page = NULL;
	cmb->ring = NULL;
	cmb->npages = 0;
	mutex_unlock(&cmb->lock);
}
ERNIC_KUNIT_EXPORT(ernic_cmb_close);

/**
 * ernic_cmb_offered - may queues lie in controller memory?
 * @edev: device
 *
 * Return: the VMM has mapped it.
 */
bool ernic_cmb_offered(const struct ernic_dev *edev)
{
	return READ_ONCE(edev->cmb.mapped);
}

/**
 * ernic_express_64 - do requests of 64 bytes have room for a doorbell?
 * @edev: device
 *
 * The element of an atomic operation of version 1 ends with the request, and libionic
 * writes it over the doorbell, which it does not renew (providers/ionic:
 * ionic_v1_prep_atomic).
 */
bool ernic_express_64(const struct ernic_dev *edev)
{
	return edev->profile.rdma_version >= 2;
}

/**
 * ernic_cmb_discover - DISCOVER_CMB
 * @edev: device
 * @c: command
 *
 * Offsets and lengths are in units of 64 KiB.  The first region has to be at 0: the
 * driver adds its offset without a unit (ionic_dev.c:ionic_map_disc_cmb).
 *
 * Return: ENOSUPP if it is not offered, which the driver takes for "none"; EOPCODE of a
 * function without BAR4; DEV_CMD on the admin queue, which has no side data.
 */
u8 ernic_cmb_discover(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	const u32 len = ION_CMB_SIZE >> ION_CMB_UNIT_SHIFT;
	struct ion_cmb_layout *l = (void *)c->data;
	unsigned int i, n = 0;

	if (!edev->cmb.on)
		return ION_RC_EOPCODE;
	if (!c->data)
		return ION_RC_DEV_CMD;
	if (!ernic_cmb_offered(edev))
		return ION_RC_ENOSUPP;
	memset(c->data, 0, ION_CMD_SIDE_DATA_LEN);
	l->flags = cpu_to_le32(ION_CMB_F_EXPDB);
	for (i = 0; i < ION_CMB_REGIONS; i++) {
		if (ernic_cmb_types[i] == ION_CMB_EXPDB64 &&
		    !ernic_express_64(edev))
			continue;
		l->region[n].bar_num = 4;
		l->region[n].cmb_type = ernic_cmb_types[i];
		l->region[n].offset = cpu_to_le32(i * len);
		l->region[n].length = cpu_to_le32(len);
		n++;
	}
	l->num_regions = cpu_to_le32(n);
	return ION_RC_SUCCESS;
}

/* ---- pages ---------------------------------------------------------------- */

/* the page at a place of the BAR, made if need be; NULL: none there, or no memory */
static struct page *ernic_cmb_page(struct ernic_cmb *cmb, unsigned long pgoff)
{
	struct page **p;

	lockdep_assert_held(&cmb->lock);
	if (!cmb->on ||
	    pgoff >= ION_CMB_REGIONS * ION_CMB_PAGES)
		return NULL;
	p = &cmb->page[pgoff % ION_CMB_PAGES];
	if (!*p) {
		*p = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (*p)
			cmb->npages++;
	}
	return *p;
}

/* an access is about to be made to a page; its queue wakes if it waits for that */
static bool ernic_cmb_announce(struct ernic_cmb *cmb, unsigned long pgoff)
{
	u32 page = pgoff % ION_CMB_PAGES;
	struct ernic_cmb_ring *r = cmb->ring[page];

	if (!r || r->armed != page)
		return false;
	WRITE_ONCE(r->armed, ERNIC_CMB_HOT);
	WRITE_ONCE(r->announced, true);
	WRITE_ONCE(r->hot_at, ktime_get_ns());
	r->wake(r);
	return true;
}

/**
 * ernic_cmb_fault - an access to controller memory that is not mapped
 * @edev: device
 * @pgoff: page of BAR4
 * @vmf: fault in a VMA with VM_MIXEDMAP
 *
 * In the thread of the VMM, most often a vCPU, with mmap_lock held.
 */
vm_fault_t ernic_cmb_fault(struct ernic_dev *edev, unsigned long pgoff,
			   struct vm_fault *vmf)
{
	struct ernic_cmb *cmb = &edev->cmb;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	struct page *page;

	mutex_lock(&cmb->lock);
	page = ernic_cmb_page(cmb, pgoff);
	if (page)
		ret = vmf_insert_page(vmf->vma, vmf->address, page);
	else if (cmb->on && pgoff < ION_CMB_REGIONS * ION_CMB_PAGES)
		ret = VM_FAULT_OOM;
	if (ret == VM_FAULT_NOPAGE) {
		if (ernic_cmb_announce(cmb, pgoff))
			cmb->faults++;
		else
			cmb->refaults++;
	}
	mutex_unlock(&cmb->lock);
	return ret;
}

/**
 * ernic_cmb_read - a load that came by the VMM
 * @edev: device
 * @off: offset in BAR4, aligned
 * @size: 1, 2, 4 or 8
 *
 * Process context.
 */
u64 ernic_cmb_read(struct ernic_dev *edev, u32 off, unsigned int size)
{
	struct ernic_cmb *cmb = &edev->cmb;
	struct page *page = NULL;
	__le64 val = 0;

	mutex_lock(&cmb->lock);
	if (cmb->on && off < ION_CMB_REGIONS * ION_CMB_SIZE)
		page = cmb->page[(off >> PAGE_SHIFT) % ION_CMB_PAGES];
	if (page)
		memcpy(&val, page_address(page) + offset_in_page(off), size);
	mutex_unlock(&cmb->lock);
	return le64_to_cpu(val);
}

/**
 * ernic_cmb_write - a store that came by the VMM
 * @edev: device
 * @off: offset in BAR4, aligned
 * @size: 1, 2, 4 or 8
 * @val: value
 *
 * Process context.  Without memory for the page the store goes nowhere.
 */
void ernic_cmb_write(struct ernic_dev *edev, u32 off, unsigned int size,
		     u64 val)
{
	struct ernic_cmb *cmb = &edev->cmb;
	__le64 le = cpu_to_le64(val);
	struct page *page;
	void *to;

	mutex_lock(&cmb->lock);
	cmb->traps++;
	page = ernic_cmb_page(cmb, off >> PAGE_SHIFT);
	if (page) {
		to = page_address(page) + offset_in_page(off);
		if (size == sizeof(le))
			/* a doorbell is whole, and behind its request */
			smp_store_release((__le64 *)to, le);
		else
			memcpy(to, &le, size);
		ernic_cmb_announce(cmb, off >> PAGE_SHIFT);
	}
	mutex_unlock(&cmb->lock);
}

/* ---- the queue's side ------------------------------------------------------ */

/**
 * ernic_cmb_claim - a queue is going to lie in controller memory
 * @edev: device
 * @r: its part of it; @wake is set
 * @addr: offset in any of the regions
 * @len: bytes
 * @stride_log2: of its requests, which decides on the region
 *
 * Return: 0, -EINVAL: it does not fit or does not begin with a page; -EBUSY: another
 * queue has some of it; -ENOMEM.
 */
int ernic_cmb_claim(struct ernic_dev *edev, struct ernic_cmb_ring *r,
		    u64 addr, u64 len, unsigned int stride_log2)
{
	struct ernic_cmb *cmb = &edev->cmb;
	int err = -EINVAL;
	u32 i;

	mutex_lock(&cmb->lock);
	if (!cmb->mapped || !len || !IS_ALIGNED(addr, ION_CMB_PAGE_SIZE) ||
	    addr >= ION_CMB_SIZE || len > ION_CMB_SIZE - addr)
		goto out;
	r->first = addr / ION_CMB_PAGE_SIZE;
	r->npages = DIV_ROUND_UP(len, ION_CMB_PAGE_SIZE);
	r->region = stride_log2 >= 6 && stride_log2 <= 9 ? stride_log2 - 5 : 0;
	r->armed = ERNIC_CMB_HOT;
	r->grace_ns = ernic_page_grace_min();
	r->hot_at = ktime_get_ns();
	for (i = r->first; i < r->first + r->npages; i++) {
		err = -EBUSY;
		if (cmb->ring[i])
			goto out;
		err = -ENOMEM;
		if (!ernic_cmb_page(cmb, i))
			goto out;
	}
	for (i = r->first; i < r->first + r->npages; i++)
		cmb->ring[i] = r;
	cmb->nrings++;
	err = 0;
out:
	mutex_unlock(&cmb->lock);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_cmb_claim);

/**
 * ernic_cmb_release - undo ernic_cmb_claim()
 * @edev: device
 * @r: part of the queue; it is not woken any more on return
 */
void ernic_cmb_release(struct ernic_dev *edev, struct ernic_cmb_ring *r)
{
	struct ernic_cmb *cmb = &edev->cmb;
	u32 i;

	mutex_lock(&cmb->lock);
	for (i = r->first; i < r->first + r->npages; i++)
		cmb->ring[i] = NULL;
	cmb->nrings--;
	mutex_unlock(&cmb->lock);
}
ERNIC_KUNIT_EXPORT(ernic_cmb_release);

/**
 * ernic_cmb_ptr - memory of a queue
 * @edev: device
 * @r: part of the queue
 * @off: offset in it; what is behind it up to the end of the page follows
 */
void *ernic_cmb_ptr(struct ernic_dev *edev, const struct ernic_cmb_ring *r,
		    u32 off)
{
	u32 page = r->first + off / ION_CMB_PAGE_SIZE;

	return page_address(edev->cmb.page[page]) + off % ION_CMB_PAGE_SIZE;
}
ERNIC_KUNIT_EXPORT(ernic_cmb_ptr);

/**
 * ernic_cmb_arm - the next access is announced
 * @edev: device
 * @r: part of the queue
 * @off: where it will be
 *
 * The caller has to look there once more before it sleeps.
 */
void ernic_cmb_arm(struct ernic_dev *edev, struct ernic_cmb_ring *r, u32 off)
{
	u32 page = r->first + off / ION_CMB_PAGE_SIZE;
	struct ernic_cmb *cmb = &edev->cmb;
	u64 start;

	mutex_lock(&cmb->lock);
	start = ktime_get_ns();
	edev->front.page->zap_cmb(edev, r->region * ION_CMB_PAGES + page);
	WRITE_ONCE(r->armed, page);
	WRITE_ONCE(r->announced, false);
	cmb->arms++;
	r->arm_ns = (7 * r->arm_ns + ktime_get_ns() - start) / 8;
	mutex_unlock(&cmb->lock);
	/* @armed, then the slot */
	smp_mb();
}
ERNIC_KUNIT_EXPORT(ernic_cmb_arm);

/**
 * ernic_cmb_disarm - it was armed too early
 * @edev: device
 * @r: part of the queue
 */
void ernic_cmb_disarm(struct ernic_dev *edev, struct ernic_cmb_ring *r)
{
	struct ernic_cmb *cmb = &edev->cmb;

	mutex_lock(&cmb->lock);
	WRITE_ONCE(r->armed, ERNIC_CMB_HOT);
	WRITE_ONCE(r->hot_at, ktime_get_ns());
	cmb->useless++;
	mutex_unlock(&cmb->lock);
}
ERNIC_KUNIT_EXPORT(ernic_cmb_disarm);
