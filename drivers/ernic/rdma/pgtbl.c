// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables of rings and regions.  They are copied while a command runs: the
 * driver frees its own right after (ionic_pgtbl.c:ionic_pgtbl_unbuf).
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "engine.h"

/* entries that are read at a time */
#define ERNIC_PGTBL_BATCH	512

static bool ernic_addr_ok(u64 addr, u64 len)
{
	return addr <= ION_ADDR_MASK && len - 1 <= ION_ADDR_MASK - addr;
}

/**
 * ernic_pgtbl_read - copy and check a page table
 * @rdma: engine; more entries than its limit are refused
 * @pt: result
 * @addr: of the memory (@count 1) or of the table (more)
 * @count: pages
 * @shift: log2 of the size of a page; means nothing for one
 * @off: first byte of the object in the first page, of several
 * @len: bytes of the object, not zero
 *
 * Return: 0; -EINVAL (does not cover @len, addresses that cannot be), -EDQUOT,
 * -ENOMEM or what reading says.
 */
int ernic_pgtbl_read(struct ernic_rdma *rdma, struct ernic_pgtbl *pt, u64 addr,
		     u32 count, unsigned int shift, u64 off, u64 len)
{
	u64 size = 1ULL << (shift & 63);
	u32 i, j, n;
	int err;

	*pt = (struct ernic_pgtbl){ .addr = addr, .count = count };
	if (!count || !ernic_addr_ok(addr, count == 1 ? len : 8ULL * count))
		return -EINVAL;
	if (count == 1)
		return 0;

	if (shift < 12 || shift > 40 || off >= size || !IS_ALIGNED(addr, 8) ||
	    len > ION_ADDR_MASK || off + len > (u64)count << shift)
		return -EINVAL;
	if (atomic64_add_return(count, &rdma->pages) >
	    rdma->edev->profile.rdma_pages) {
		err = -EDQUOT;
		goto err_pages;
	}
	pt->shift = shift;
	pt->off = off;
	pt->page = kvmalloc_array(count, sizeof(*pt->page), GFP_KERNEL_ACCOUNT);
	if (!pt->page) {
		err = -ENOMEM;
		goto err_pages;
	}
	for (i = 0; i < count; i += n) {
		n = min_t(u32, count - i, ERNIC_PGTBL_BATCH);
		err = ernic_dma_read(rdma->edev, addr + 8ULL * i, &pt->page[i],
				     8ULL * n);
		if (err)
			goto err_free;
		for (j = i; j < i + n; j++) {
			le64_to_cpus(&pt->page[j]);
			if (!ernic_addr_ok(pt->page[j], size)) {
				err = -EINVAL;
				goto err_free;
			}
		}
		cond_resched();
	}
	return 0;

err_free:
	kvfree(pt->page);
	pt->page = NULL;
err_pages:
	atomic64_sub(count, &rdma->pages);
	pt->count = 0;
	return err;
}

/**
 * ernic_pgtbl_free - undo ernic_pgtbl_read()
 * @rdma: engine
 * @pt: table that nobody uses
 */
void ernic_pgtbl_free(struct ernic_rdma *rdma, struct ernic_pgtbl *pt)
{
	if (!pt->page)
		return;
	atomic64_sub(pt->count, &rdma->pages);
	kvfree(pt->page);
	pt->page = NULL;
	pt->count = 0;
}
