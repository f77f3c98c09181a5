/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest memory.
 *
 * A front end supplies struct ernic_dma_ops.  The core in drivers/ernic/dma.c
 * pins guest memory in fixed, naturally aligned chunks on first touch and keeps
 * them until the front end reports an unmap, the device is closed or the budget
 * is reached (then the least recently used chunk goes).  What cannot be pinned
 * is reached through ops->rw.
 *
 * Readers bracket each use of a pointer from ernic_dma_map() with
 * ernic_dma_lock()/ernic_dma_unlock() (SRCU, may sleep).  Inside a section take
 * neither state_lock, cfg_lock nor anything held where ernic_dma_disable() or
 * ernic_dma_unmap() is called: both wait for readers.  ernic_dma_unmap()
 * returns after the last such reader is done and every pin of the range is
 * given back: vfio type1 insists on that with BUG_ON
 * (vfio_iommu_type1.c:vfio_dma_do_unmap).
 */
#ifndef ERNIC_DMA_H
#define ERNIC_DMA_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct ernic_dev;

#define ERNIC_CHUNK_SHIFT	16
#define ERNIC_CHUNK_SIZE	BIT(ERNIC_CHUNK_SHIFT)
#define ERNIC_CHUNK_PAGES	(ERNIC_CHUNK_SIZE >> PAGE_SHIFT)

static_assert(PAGE_SHIFT <= ERNIC_CHUNK_SHIFT);

/**
 * struct ernic_dma_ops - guest memory of a front end; process context
 * @pin: pin @npage pages from @iova (page aligned) for reading and writing;
 *	all of them (0) or none (negative errno)
 * @unpin: give back exactly a range that @pin returned
 * @rw: copy @len bytes between @buf and guest memory at @iova; 0 or errno
 */
struct ernic_dma_ops {
	int (*pin)(struct ernic_dev *edev, u64 iova, unsigned int npage,
		   struct page **pages);
	void (*unpin)(struct ernic_dev *edev, u64 iova, unsigned int npage);
	int (*rw)(struct ernic_dev *edev, u64 iova, void *buf, size_t len,
		  bool write);
};

/**
 * struct ernic_chunk - one pinned range, drivers/ernic/dma.c
 * @lru: in ernic_dma.lru, or on the list of those that are given back
 * @iova: guest address
 * @npage: ERNIC_CHUNK_PAGES or 1
 * @referenced: used since the eviction clock last passed
 * @contig: bit i: page i + 1 follows page i in the kernel's address space
 * @addr: kernel address of each page
 */
struct ernic_chunk {
	struct list_head lru;
	u64 iova;
	unsigned int npage;
	bool referenced;
	unsigned long contig;
	void *addr[] __counted_by(npage);
};

/**
 * struct ernic_dma - pinned guest memory of a device
 * @ops: the front end's
 * @enabled: bus mastering is on and the device is open; checked inside the SRCU
 *	section, so clearing it and waiting for readers stops all access
 * @srcu: readers of @chunks and @pages and of what these point to
 * @chunks: struct ernic_chunk by iova >> ERNIC_CHUNK_SHIFT
 * @pages: struct ernic_chunk of one page by iova >> PAGE_SHIFT, where a whole
 *	chunk cannot be pinned (edges and holes of guest memory)
 * @lock: pinning, unpinning and eviction; the members below
 * @lru: all of @chunks and @pages, eviction clock
 * @evict_work: gives chunks back when @npinned comes near @budget
 * @unmapping: running calls of ernic_dma_unmap(); nothing is pinned meanwhile
 * @gen: changes with each removal, so that cached translations are dropped
 * @npinned: pages not given back yet, never above @budget
 * @budget: pages, 0 is no limit
 * @quarantine: jiffies, no pins before; see ernic_dma_unmap()
 * @quarantine_shift: how often it was doubled
 * @pins: pages pinned
 * @unpins: pages given back
 * @evictions: chunks given back for the budget
 * @fallbacks: accesses through ops->rw
 * @faults: accesses that failed
 */
struct ernic_dma {
	const struct ernic_dma_ops *ops;
	bool enabled;
	struct srcu_struct srcu;
	struct xarray chunks;
	struct xarray pages;
	struct mutex lock;		/* pinning and all below */
	struct list_head lru;
	struct work_struct evict_work;
	unsigned int unmapping;
	unsigned long gen;
	unsigned long npinned;
	unsigned long budget;
	unsigned long quarantine;
	unsigned int quarantine_shift;
	atomic64_t pins, unpins, evictions, fallbacks, faults;
};

int ernic_dma_init(struct ernic_dev *edev, const struct ernic_dma_ops *ops);
void ernic_dma_exit(struct ernic_dev *edev);

/* open/close and bus mastering; disable returns when no access is running */
void ernic_dma_enable(struct ernic_dev *edev);
void ernic_dma_disable(struct ernic_dev *edev);
/* give back every pin; the caller has disabled DMA */
void ernic_dma_flush(struct ernic_dev *edev);

int ernic_dma_lock(struct ernic_dev *edev);
void ernic_dma_unlock(struct ernic_dev *edev, int idx);

/* pointer to guest memory; @len is in: wanted, out: valid; see dma.c */
void *ernic_dma_map(struct ernic_dev *edev, u64 iova, size_t *len);

/* copy, by pin or fallback; 0, -EFAULT (unmapped, wraps) or -EACCES (DMA off) */
int ernic_dma_read(struct ernic_dev *edev, u64 iova, void *buf, size_t len);
int ernic_dma_write(struct ernic_dev *edev, u64 iova, const void *buf,
		    size_t len);
/*
 * One store of 8 bytes at an 8-byte aligned address, after all before it.  On
 * the fallback the last byte is stored last: that is where a completion keeps
 * its colour.
 */
int ernic_dma_write64_release(struct ernic_dev *edev, u64 iova, __le64 val);

/* called by the front end; may sleep; see the top of this file */
void ernic_dma_unmap(struct ernic_dev *edev, u64 iova, u64 len);

#endif
