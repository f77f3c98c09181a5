// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory: pinned chunks, looked up without a lock.  Interface in
 * include/ernic/dma.h.
 *
 * Life of a chunk.  A reader inside ernic_dma_lock() that finds none pins it
 * and enters it in an xarray, both under dma->lock.  Whoever removes a chunk
 * (unmap, eviction, flush) takes it out of the xarray under dma->lock, drops
 * the lock, waits for the readers (SRCU), and only then gives the pages back.
 * dma->lock is never held while waiting for readers, as a reader may be
 * waiting for it.
 *
 * Locks of the front end nest inside dma->lock: ops->pin is called under it.
 * ernic_dma_unmap() may be called with any lock held that ops->pin, ops->unpin
 * and ops->rw do not take.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <ernic/dev.h>
#include <ernic/dma.h>
#include <ernic/kunit.h>

static unsigned int pin_budget_mb = 1024;
module_param(pin_budget_mb, uint, 0444);
MODULE_PARM_DESC(pin_budget_mb,
		 "guest memory that a device keeps pinned at most, MiB; 0 is no limit (default 1024)");

/* ernic_dma_unmap(): first quarantine, and how often it doubles (10 s) */
#define ERNIC_QUARANTINE_MS		10
#define ERNIC_QUARANTINE_MAX_SHIFT	10

/*
 * After -ENOMEM (memory lock limit of the VMM) pinning pauses: each refusal
 * costs a line in the kernel's log (vfio_iommu_type1.c:vfio_pin_page_external).
 */
#define ERNIC_NOMEM_MS			1000

static bool ernic_dma_range_ok(u64 iova, size_t len)
{
	return len && iova <= ION_ADDR_MASK && len - 1 <= ION_ADDR_MASK - iova;
}

/* eviction starts here and ends a quarter below the budget */
static unsigned long ernic_dma_high(const struct ernic_dma *dma)
{
	return dma->budget - dma->budget / 8;
}

static unsigned long ernic_dma_low(const struct ernic_dma *dma)
{
	return dma->budget - dma->budget / 4;
}

/* the caller is an SRCU reader or holds dma->lock */
static struct ernic_chunk *ernic_dma_find(struct ernic_dma *dma, u64 iova)
{
	struct ernic_chunk *c;

	c = xa_load(&dma->chunks, iova >> ERNIC_CHUNK_SHIFT);
	return c ?: xa_load(&dma->pages, iova >> PAGE_SHIFT);
}

/* checked without the lock first, so that a pause costs no contention */
static bool ernic_dma_may_pin(struct ernic_dma *dma)
{
	return !READ_ONCE(dma->unmapping) &&
	       !time_before(jiffies, READ_ONCE(dma->quarantine));
}

static bool ernic_dma_charge(struct ernic_dma *dma, unsigned int npage)
{
	if (!dma->budget)
		return true;
	if (dma->npinned + npage > ernic_dma_high(dma))
		schedule_work(&dma->evict_work);
	return dma->npinned + npage <= dma->budget;
}

static void ernic_chunk_fill(struct ernic_chunk *c, struct page **pages)
{
	unsigned int i;

	/* there is no highmem on 64 bit: every page has an address */
	for (i = 0; i < c->npage; i++)
		c->addr[i] = page_address(pages[i]);
	for (i = 1; i < c->npage; i++)
		if (c->addr[i] == c->addr[i - 1] + PAGE_SIZE)
			c->contig |= BIT(i - 1);
}

/* pins and enters one chunk; the caller holds dma->lock */
static int ernic_dma_pin_range(struct ernic_dev *edev, u64 iova,
			       unsigned int npage, struct ernic_chunk **res)
{
	struct page *pages[ERNIC_CHUNK_PAGES];
	struct ernic_dma *dma = &edev->dma;
	struct ernic_chunk *c;
	int err;

	if (!ernic_dma_charge(dma, npage))
		return -EDQUOT;

	c = kzalloc(struct_size(c, addr, npage), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	c->npage = npage;
	c->iova = iova;
	c->referenced = true;

	err = dma->ops->pin(edev, iova, npage, pages);
	if (err)
		goto err_free;
	ernic_chunk_fill(c, pages);

	if (npage == ERNIC_CHUNK_PAGES)
		err = xa_err(xa_store(&dma->chunks, iova >> ERNIC_CHUNK_SHIFT,
				      c, GFP_KERNEL_ACCOUNT));
	else
		err = xa_err(xa_store(&dma->pages, iova >> PAGE_SHIFT, c,
				      GFP_KERNEL_ACCOUNT));
	if (err)
		goto err_unpin;

	list_add_tail(&c->lru, &dma->lru);
	dma->npinned += npage;
	atomic64_add(npage, &dma->pins);
	*res = c;
	return 0;

err_unpin:
	dma->ops->unpin(edev, iova, npage);
err_free:
	kfree(c);
	return err;
}

static struct ernic_chunk *ernic_dma_pin(struct ernic_dev *edev, u64 iova)
{
	struct ernic_dma *dma = &edev->dma;
	struct ernic_chunk *c = NULL;
	int err;

	if (!ernic_dma_may_pin(dma))
		return NULL;

	mutex_lock(&dma->lock);
	c = ernic_dma_find(dma, iova);
	if (c || !ernic_dma_may_pin(dma))
		goto out;

	err = ernic_dma_pin_range(edev, ALIGN_DOWN(iova, ERNIC_CHUNK_SIZE),
				  ERNIC_CHUNK_PAGES, &c);
	if (err && err != -ENOMEM && ERNIC_CHUNK_PAGES > 1)
		err = ernic_dma_pin_range(edev, ALIGN_DOWN(iova, PAGE_SIZE), 1,
					  &c);
	if (err == -ENOMEM)
		WRITE_ONCE(dma->quarantine,
			   jiffies + msecs_to_jiffies(ERNIC_NOMEM_MS));
out:
	mutex_unlock(&dma->lock);
	return c;
}

/* takes a chunk out of the look-ups; the caller holds dma->lock */
static void ernic_dma_detach(struct ernic_dma *dma, struct ernic_chunk *c,
			     struct list_head *list)
{
	if (c->npage == ERNIC_CHUNK_PAGES)
		xa_erase(&dma->chunks, c->iova >> ERNIC_CHUNK_SHIFT);
	else
		xa_erase(&dma->pages, c->iova >> PAGE_SHIFT);
	list_move_tail(&c->lru, list);
	WRITE_ONCE(dma->gen, dma->gen + 1);
}

/* waits for the readers and gives detached chunks back */
static void ernic_dma_release(struct ernic_dev *edev, struct list_head *list)
{
	struct ernic_dma *dma = &edev->dma;
	struct ernic_chunk *c, *tmp;
	unsigned long npage = 0;

	if (list_empty(list))
		return;

	synchronize_srcu_expedited(&dma->srcu);

	list_for_each_entry_safe(c, tmp, list, lru) {
		/* iommufd wants exactly the range that was pinned */
		dma->ops->unpin(edev, c->iova, c->npage);
		npage += c->npage;
		kfree(c);
	}

	mutex_lock(&dma->lock);
	dma->npinned -= npage;
	mutex_unlock(&dma->lock);
	atomic64_add(npage, &dma->unpins);
}

/*
 * Second chance: a use sets a flag, the clock clears it and gives back what it
 * finds clear.  Readers therefore write to a chunk at most once a lap.
 */
static void ernic_dma_evict(struct work_struct *work)
{
	struct ernic_dma *dma = container_of(work, struct ernic_dma,
					     evict_work);
	struct ernic_dev *edev = container_of(dma, struct ernic_dev, dma);
	unsigned long left, scan;
	struct ernic_chunk *c;
	LIST_HEAD(victims);

	mutex_lock(&dma->lock);
	left = dma->npinned;
	scan = 2 * dma->npinned;	/* two laps, as a chunk has a page */
	while (left > ernic_dma_low(dma) && !list_empty(&dma->lru) && scan--) {
		c = list_first_entry(&dma->lru, struct ernic_chunk, lru);
		if (READ_ONCE(c->referenced)) {
			WRITE_ONCE(c->referenced, false);
			list_move_tail(&c->lru, &dma->lru);
			continue;
		}
		ernic_dma_detach(dma, c, &victims);
		atomic64_inc(&dma->evictions);
		left -= min_t(unsigned long, left, c->npage);
	}
	mutex_unlock(&dma->lock);

	ernic_dma_release(edev, &victims);
}

/* the caller holds dma->lock; true if something was there */
static bool ernic_dma_detach_range(struct ernic_dma *dma, u64 first, u64 last,
				   struct list_head *list)
{
	struct ernic_chunk *c;
	unsigned long i;

	xa_for_each_range(&dma->chunks, i, c, first >> ERNIC_CHUNK_SHIFT,
			  last >> ERNIC_CHUNK_SHIFT)
		ernic_dma_detach(dma, c, list);
	xa_for_each_range(&dma->pages, i, c, first >> PAGE_SHIFT,
			  last >> PAGE_SHIFT)
		ernic_dma_detach(dma, c, list);
	return !list_empty(list);
}

static void ernic_dma_quarantine(struct ernic_dma *dma, bool found)
{
	unsigned long now = jiffies;

	if (time_after(now, dma->quarantine + HZ))
		dma->quarantine_shift = 0;
	else if (found && dma->quarantine_shift < ERNIC_QUARANTINE_MAX_SHIFT)
		dma->quarantine_shift++;
	/* one tick more, as the current one is partly gone */
	WRITE_ONCE(dma->quarantine, now + 1 +
		   msecs_to_jiffies(ERNIC_QUARANTINE_MS <<
				    dma->quarantine_shift));
}

/**
 * ernic_dma_unmap - guest memory goes away
 * @edev: device
 * @iova: start of the range
 * @len: its length; a range that wraps ends at the top
 *
 * Process context, may sleep.  When it returns, nothing can reach the range
 * through a pin, and every pin of it is given back.
 *
 * type1 calls this with its lock dropped and removes the mapping only after it
 * took the lock again and found no pin; it counts the times that it did, and
 * calls BUG() at the eleventh (vfio_iommu_type1.c:vfio_dma_do_unmap).  A reader
 * that touches the range in between would pin it again.  Hence the quarantine:
 * for 10 ms after an unmap nothing new is pinned, and each further unmap that
 * finds pins within a second doubles that, up to 10 s.  Ten retries in a row
 * would need the unmapping thread to lose a lock for 10, 20, 40, ... ms to a
 * reader each time.  The sum exceeds 10 s.
 *
 * No access is lost meanwhile.  Readers that hold a pin are waited for; those
 * that come later find none, are refused a new one and use ops->rw, which sees
 * the old mapping, the new one, or none, and fails only in the last case.
 */
void ernic_dma_unmap(struct ernic_dev *edev, u64 iova, u64 len)
{
	struct ernic_dma *dma = &edev->dma;
	LIST_HEAD(list);
	bool found;
	u64 last;

	if (!len)
		return;
	if (check_add_overflow(iova, len - 1, &last))
		last = U64_MAX;

	mutex_lock(&dma->lock);
	WRITE_ONCE(dma->unmapping, dma->unmapping + 1);
	found = ernic_dma_detach_range(dma, iova, last, &list);
	mutex_unlock(&dma->lock);

	ernic_dma_release(edev, &list);
	/* chunks of the range that eviction has detached and not given back */
	flush_work(&dma->evict_work);

	mutex_lock(&dma->lock);
	ernic_dma_quarantine(dma, found);
	WRITE_ONCE(dma->unmapping, dma->unmapping - 1);
	mutex_unlock(&dma->lock);
}
EXPORT_SYMBOL_GPL(ernic_dma_unmap);

/**
 * ernic_dma_flush - give back every pin
 * @edev: device; DMA is disabled, so nothing is pinned again
 */
void ernic_dma_flush(struct ernic_dev *edev)
{
	struct ernic_dma *dma = &edev->dma;
	LIST_HEAD(list);

	mutex_lock(&dma->lock);
	ernic_dma_detach_range(dma, 0, U64_MAX, &list);
	mutex_unlock(&dma->lock);

	ernic_dma_release(edev, &list);
	flush_work(&dma->evict_work);
}
ERNIC_KUNIT_EXPORT(ernic_dma_flush);

/**
 * ernic_dma_init - set guest memory up; DMA is disabled
 * @edev: device
 * @ops: the front end's
 *
 * Return: 0 or a negative errno.
 */
int ernic_dma_init(struct ernic_dev *edev, const struct ernic_dma_ops *ops)
{
	struct ernic_dma *dma = &edev->dma;
	int err;

	err = init_srcu_struct(&dma->srcu);
	if (err)
		return err;
	dma->ops = ops;
	dma->enabled = false;
	xa_init_flags(&dma->chunks, XA_FLAGS_ACCOUNT);
	xa_init_flags(&dma->pages, XA_FLAGS_ACCOUNT);
	mutex_init(&dma->lock);
	INIT_LIST_HEAD(&dma->lru);
	INIT_WORK(&dma->evict_work, ernic_dma_evict);
	dma->unmapping = 0;
	dma->npinned = 0;
	dma->budget = (unsigned long)pin_budget_mb << (20 - PAGE_SHIFT);
	dma->quarantine = jiffies;
	dma->quarantine_shift = 0;
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_dma_init);

/**
 * ernic_dma_exit - undo ernic_dma_init(); no reader is left
 * @edev: device
 */
void ernic_dma_exit(struct ernic_dev *edev)
{
	struct ernic_dma *dma = &edev->dma;

	ernic_dma_disable(edev);
	ernic_dma_flush(edev);
	xa_destroy(&dma->chunks);
	xa_destroy(&dma->pages);
	cleanup_srcu_struct(&dma->srcu);
	mutex_destroy(&dma->lock);
}
ERNIC_KUNIT_EXPORT(ernic_dma_exit);

/**
 * ernic_dma_enable - accesses are allowed from now on
 * @edev: device
 */
void ernic_dma_enable(struct ernic_dev *edev)
{
	WRITE_ONCE(edev->dma.enabled, true);
}
ERNIC_KUNIT_EXPORT(ernic_dma_enable);

/**
 * ernic_dma_disable - no access runs any more when this returns
 * @edev: device
 *
 * Pins stay: the guest turns bus mastering off and on while it boots.
 */
void ernic_dma_disable(struct ernic_dev *edev)
{
	struct ernic_dma *dma = &edev->dma;

	WRITE_ONCE(dma->enabled, false);
	/* also when it was false: another caller may still be waiting */
	synchronize_srcu_expedited(&dma->srcu);
}
ERNIC_KUNIT_EXPORT(ernic_dma_disable);

/**
 * ernic_dma_lock - begin to use guest memory
 * @edev: device
 *
 * Nests.
 *
 * Return: to be given to ernic_dma_unlock().
 */
int ernic_dma_lock(struct ernic_dev *edev)
{
	return srcu_read_lock(&edev->dma.srcu);
}
ERNIC_KUNIT_EXPORT(ernic_dma_lock);

/**
 * ernic_dma_unlock - pointers from ernic_dma_map() end here
 * @edev: device
 * @idx: from ernic_dma_lock()
 */
void ernic_dma_unlock(struct ernic_dev *edev, int idx)
{
	srcu_read_unlock(&edev->dma.srcu, idx);
}
ERNIC_KUNIT_EXPORT(ernic_dma_unlock);

/* address and run length of @iova, the range is valid and DMA is on */
static void *__ernic_dma_map(struct ernic_dev *edev, u64 iova, size_t *len)
{
	struct ernic_dma *dma = &edev->dma;
	struct ernic_chunk *c;
	unsigned int i, run;
	size_t off;

	c = ernic_dma_find(dma, iova);
	if (unlikely(!c)) {
		c = ernic_dma_pin(edev, iova);
		if (!c)
			return NULL;
	}
	if (!READ_ONCE(c->referenced))
		WRITE_ONCE(c->referenced, true);

	off = offset_in_page(iova);
	i = (iova - c->iova) >> PAGE_SHIFT;
	run = ffz(c->contig >> i) + 1;
	*len = min(*len, ((size_t)run << PAGE_SHIFT) - off);
	return c->addr[i] + off;
}

/**
 * ernic_dma_map - address of guest memory in the kernel
 * @edev: device; the caller holds ernic_dma_lock()
 * @iova: guest address
 * @len: in: bytes wanted; out: bytes valid at the result, never more
 *
 * May sleep: pins on first touch.
 *
 * Return: the address, valid until the caller unlocks.  NULL if DMA is off or
 * the memory cannot be pinned; ernic_dma_read() and ernic_dma_write() may still
 * reach it then.
 */
void *ernic_dma_map(struct ernic_dev *edev, u64 iova, size_t *len)
{
	if (unlikely(!ernic_dma_range_ok(iova, *len)) ||
	    !READ_ONCE(edev->dma.enabled))
		return NULL;
	return __ernic_dma_map(edev, iova, len);
}
ERNIC_KUNIT_EXPORT(ernic_dma_map);

static int ernic_dma_rw(struct ernic_dev *edev, u64 iova, void *buf, size_t len,
			bool write)
{
	int err;

	atomic64_inc(&edev->dma.fallbacks);
	err = edev->dma.ops->rw(edev, iova, buf, len, write);
	if (!err)
		return 0;
	atomic64_inc(&edev->dma.faults);
	return -EFAULT;
}

static int ernic_dma_copy(struct ernic_dev *edev, u64 iova, void *buf,
			  size_t len, bool write)
{
	int idx, err = 0;
	size_t n;
	void *p;

	if (unlikely(!ernic_dma_range_ok(iova, len))) {
		atomic64_inc(&edev->dma.faults);
		return -EFAULT;
	}

	idx = ernic_dma_lock(edev);
	if (!READ_ONCE(edev->dma.enabled)) {
		err = -EACCES;
		goto out;
	}
	for (; len; len -= n, iova += n, buf += n) {
		n = len;
		p = __ernic_dma_map(edev, iova, &n);
		if (unlikely(!p)) {
			n = min_t(size_t, len, ERNIC_CHUNK_SIZE -
				  (iova & (ERNIC_CHUNK_SIZE - 1)));
			err = ernic_dma_rw(edev, iova, buf, n, write);
			if (err)
				break;
		} else if (write) {
			memcpy(p, buf, n);
		} else {
			memcpy(buf, p, n);
		}
	}
out:
	ernic_dma_unlock(edev, idx);
	return err;
}

/**
 * ernic_dma_read - copy from guest memory
 * @edev: device
 * @iova: guest address
 * @buf: result
 * @len: bytes
 *
 * Process context.
 *
 * Return: 0, -EFAULT (unmapped, wraps, zero length) or -EACCES (DMA is off).
 */
int ernic_dma_read(struct ernic_dev *edev, u64 iova, void *buf, size_t len)
{
	return ernic_dma_copy(edev, iova, buf, len, false);
}
ERNIC_KUNIT_EXPORT(ernic_dma_read);

/**
 * ernic_dma_write - copy to guest memory
 * @edev: device
 * @iova: guest address
 * @buf: data
 * @len: bytes
 *
 * Process context.
 *
 * Return: as ernic_dma_read(); a failed write may have stored a part.
 */
int ernic_dma_write(struct ernic_dev *edev, u64 iova, const void *buf,
		    size_t len)
{
	return ernic_dma_copy(edev, iova, (void *)buf, len, true);
}
ERNIC_KUNIT_EXPORT(ernic_dma_write);

/**
 * ernic_dma_write64_release - publish 8 bytes after everything stored before
 * @edev: device
 * @iova: guest address, 8-byte aligned
 * @val: value
 *
 * Through a pin it is one store.  Through ops->rw the copy routine decides how
 * it stores, so the last byte follows on its own: that is where a completion
 * has its colour.
 *
 * Return: as ernic_dma_read().
 */
int ernic_dma_write64_release(struct ernic_dev *edev, u64 iova, __le64 val)
{
	const size_t last = sizeof(val) - 1;
	size_t n = sizeof(val);
	int idx, err = 0;
	__le64 *p;

	if (!ernic_dma_range_ok(iova, n) || !IS_ALIGNED(iova, sizeof(val))) {
		atomic64_inc(&edev->dma.faults);
		return -EFAULT;
	}

	idx = ernic_dma_lock(edev);
	if (!READ_ONCE(edev->dma.enabled)) {
		err = -EACCES;
		goto out;
	}
	p = __ernic_dma_map(edev, iova, &n);
	if (likely(p)) {
		/* pairs with the guest's dma_rmb() after it saw the colour */
		smp_store_release(p, val);
		goto out;
	}
	err = ernic_dma_rw(edev, iova, &val, last, true);
	if (err)
		goto out;
	/* as above: the rest before the colour */
	smp_wmb();
	err = ernic_dma_rw(edev, iova + last, (u8 *)&val + last, 1, true);
out:
	ernic_dma_unlock(edev, idx);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_dma_write64_release);
