// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell pages without exits to user space.
 *
 * A page is hot or armed.  While it is hot a store of the guest is a store to
 * memory and nothing else, and some worker polls the slots.  While it is armed the
 * next store is announced: by a fault, as the page is mapped nowhere
 * (ERNIC_PAGE_FAULT), or by KVM, which emulates it (ERNIC_PAGE_TRACK_ARM).
 *
 *	          quiet: zap or track, then read all slots once more
 *	     +---------------------------------------------+
 *	     |                                             v
 *	    hot <----------- something was missed ------ armed
 *	     ^                                             |
 *	     +---------------------------------------------+
 *	          fault or track callback: wake a worker
 *
 * No store is lost.  A hot page has a poller (@pollers > 0), or a worker that was
 * kicked and will be one: an announcement kicks under no condition, and the worker
 * that arms leaves the page hot only by staying.  So only the way from hot to armed
 * matters.  The worker
 *
 *	A1	lock; zap or track; armed = true; unlock
 *	A2	reads all slots
 *	A3	sleeps
 *
 * and a fault
 *
 *	F1	lock; insert the PTE; wake = armed; armed = false; unlock
 *	F2	wakes if @wake
 *	F3	the store
 *
 * A store with a mapping from before A1 is in memory when the zap returns, as that
 * waits until no CPU has a translation (KVM: mmu_invalidate_seq and the flush of
 * remote TLBs), and A2 sees it.  A store with a mapping from after A1 comes behind
 * F1, and the lock puts that F1 behind A1: armed is seen true by the first, which
 * wakes.  It is essential that the PTE is inserted inside the lock.  A handler that
 * only returns the page has it inserted later by the caller, an A1 can come between,
 * and then a mapping exists that nobody armed: lost.
 *
 * With write tracking the store is done first and told of afterwards, under KVM's
 * SRCU: one that was not emulated had its translation before A1, and is in memory
 * when the write protection has been flushed.  One that was emulated is in memory,
 * then @tracked is read; A1 sets @tracked, then A2 reads the memory, and there is a
 * full barrier between both.
 *
 * Stores to a new memory slot may go untold all the same.  If the guest had stored
 * there while there was no slot, KVM has an entry in its page table that says so,
 * takes that for a writable one when it replaces it, and does not protect the new
 * one (arch/x86/kvm/mmu/spte.c:make_spte).  Until tracking is @proven the page is
 * zapped as well, and after each fault it is protected anew.  A store that is told
 * of proves it, but for one that KVM had begun to emulate before there was a slot:
 * those are waited for once (@drained).
 *
 * ERNIC_PAGE_TRACK_ARM stays armed while stores come one by one: as long as it is
 * tracked, each is told of, and nobody needs to poll.
 *
 * ERNIC_PAGE_TRACK is armed for good once it is proven: each store is told of, and
 * its value taken.  Until then, and where KVM has no memory slot to track, as for an
 * access of the VMM itself while the BARs are off, it is polled and armed as the
 * others are.
 *
 * A fault comes before its store.  Whoever armed again at once would take the page
 * away from under it, time and again: so a worker that a fault woke waits for a
 * value, @grace_ns at most.
 *
 * Several queues with workers of their own share a page.  Each poller reads all
 * slots and kicks the owners; the last one to leave arms.
 *
 * Queues that share a slot need every value: RDMA queues of the guest's kernel.  While
 * there are any, a page that would be TRACK_ARM is TRACK (ernic_page_share()).
 *
 * Not VM_PFNMAP: KVM follows such a PTE twice and reports -EFAULT to the VMM if it
 * was zapped in between (virt/kvm/kvm_main.c:hva_to_pfn_remapped).
 *
 * Lock order, outermost first:
 *
 *	kvm->slots_lock, mmap_lock	KVM's and the fault's
 *	page->lock
 *	i_mmap_rwsem, mmu notifiers, kvm->srcu, kvm->mmu_lock
 *
 * scan_lock is a leaf.  pair->lock and state_lock are not held by callers of what
 * takes page->lock.
 *
 * The values and who has taken them: page_slot.c.  Polling a hot page: page_poll.c.
 */
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#include <ernic/control.h>
#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "page_priv.h"
#include "trace.h"

/* so many stores in a row have to come close together before they are polled for */
#define ERNIC_PAGE_RUN		4

static unsigned int hot_us = 100;
module_param(hot_us, uint, 0644);
MODULE_PARM_DESC(hot_us, "microseconds between doorbells, below which they are polled for rather than told of by KVM (default 100; 0: always polled for)");

/**
 * ernic_page_mode_name - word for a mode
 * @mode: mode
 */
const char *ernic_page_mode_name(enum ernic_page_mode mode)
{
	static const char * const name[] = {
		[ERNIC_PAGE_TRAP] = "trap",
		[ERNIC_PAGE_FAULT] = "fault",
		[ERNIC_PAGE_TRACK] = "track",
		[ERNIC_PAGE_TRACK_ARM] = "track-arm",
	};

	return name[mode];
}

/**
 * ernic_page_mode_now - how stores arrive at present
 * @p: page
 *
 * A VMM need not map what it could.
 */
enum ernic_page_mode ernic_page_mode_now(const struct ernic_page *p)
{
	return READ_ONCE(p->mapped) ? p->mode : ERNIC_PAGE_TRAP;
}

/**
 * ernic_page_init - first-time set-up
 * @p: page
 * @edev: its device
 * @index: page of BAR2
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_page_init(struct ernic_page *p, struct ernic_dev *edev,
		    unsigned int index)
{
	p->edev = edev;
	p->index = index;
	mutex_init(&p->lock);
	spin_lock_init(&p->scan_lock);
	p->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!p->page)
		return -ENOMEM;
	p->slot = page_address(p->page);
	p->wake = index ? NULL : &edev->ctrl;
	p->armed = true;
	ernic_page_reset(p);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_page_init);

/**
 * ernic_page_exit - undo ernic_page_init()
 * @p: page without a mapping: those hold the device file open
 */
void ernic_page_exit(struct ernic_page *p)
{
	if (p->page)
		__free_page(p->page);
	p->page = NULL;
	mutex_destroy(&p->lock);
}
ERNIC_KUNIT_EXPORT(ernic_page_exit);

/**
 * ernic_page_open - decide on a mode
 * @p: page without a mapping
 * @mode: mode
 */
void ernic_page_open(struct ernic_page *p, enum ernic_page_mode mode)
{
	mutex_lock(&p->lock);
	p->mode = mode;
	p->armed = true;
	p->mapped = false;
	p->shared = false;
	p->gfn = U64_MAX;
	p->proven = false;
	p->drained = false;
	p->announced = false;
	p->told_run = 0;
	p->arm_ns = 0;
	p->quiet_ns = ernic_page_quiet_min(p);
	p->grace_ns = ernic_page_grace_min();
	p->wake = p->index ? NULL : &p->edev->ctrl;
	atomic_set(&p->pollers, 0);
	mutex_unlock(&p->lock);
}
ERNIC_KUNIT_EXPORT(ernic_page_open);

static void ernic_page_untrack(struct ernic_page *p)
{
	lockdep_assert_held(&p->lock);
	if (!p->tracked)
		return;
	p->edev->front.page->untrack(p->edev, p, p->gfn);
	WRITE_ONCE(p->tracked, false);
}

/*
 * Fails while the guest has its BARs off: no memory slot.  Tracked before, it is
 * protected anew, and KVM tells of all stores meanwhile.
 */
static int ernic_page_track(struct ernic_page *p)
{
	const struct ernic_page_ops *ops = p->edev->front.page;
	u64 gfn;
	int err;

	lockdep_assert_held(&p->lock);
	err = ops->track(p->edev, p, &gfn);
	/* KVM counts; or the BAR has moved */
	if (p->tracked)
		ops->untrack(p->edev, p, p->gfn);
	if (err) {
		WRITE_ONCE(p->tracked, false);
		p->track_errors++;
		return err;
	}
	if (gfn != p->gfn) {
		p->proven = false;
		p->drained = false;
		WRITE_ONCE(p->gfn, gfn);
	}
	/* whoever sees this sees the frame: pairs with ernic_page_tracks() */
	smp_store_release(&p->tracked, true);
	return 0;
}

/**
 * ernic_page_close - stores come by trap again, if at all
 * @p: page; no worker runs
 */
void ernic_page_close(struct ernic_page *p)
{
	mutex_lock(&p->lock);
	ernic_page_untrack(p);
	p->mode = ERNIC_PAGE_TRAP;
	p->mapped = false;
	p->armed = true;
	mutex_unlock(&p->lock);
}
ERNIC_KUNIT_EXPORT(ernic_page_close);

/* without the lock, which KVM's callbacks take */
static void ernic_page_drain(struct ernic_page *p, u64 moves)
{
	p->edev->front.page->drain(p->edev, p);
	mutex_lock(&p->lock);
	/* the slot is the same */
	if (p->moves == moves)
		p->drained = true;
	mutex_unlock(&p->lock);
}

/**
 * ernic_page_arm - from hot to armed: A1
 * @p: page; the caller has to look at the slots then, A2
 * @w: whom the announcement wakes
 */
void ernic_page_arm(struct ernic_page *p, struct ernic_worker *w)
{
	struct ernic_dev *edev = p->edev;
	int err = -EOPNOTSUPP;
	bool drain = false;
	u64 start, moves;

	mutex_lock(&p->lock);
	moves = p->moves;
	/* by another worker that left */
	if (p->armed)
		goto out;
	start = ktime_get_ns();
	if (p->tracked && p->proven)
		err = 0;
	else if (p->mode != ERNIC_PAGE_FAULT)
		err = ernic_page_track(p);
	if (err || !p->proven)
		edev->front.page->zap(edev, p);
	drain = p->tracked && !p->drained;
	p->wake = w;
	p->arms++;
	p->armed_at = ktime_get_ns();
	p->arm_ns = (7 * p->arm_ns + p->armed_at - start) / 8;
	p->announced = false;
	WRITE_ONCE(p->armed, true);
	trace_ernic_page(p->edev, p->index, "arm");
out:
	mutex_unlock(&p->lock);
	if (drain)
		ernic_page_drain(p, moves);
	/* @tracked, then the slots; pairs with that of KVM's srcu_read_lock() */
	smp_mb();
}

/**
 * ernic_page_disarm - it was armed too early
 * @p: page; the caller polls it from now on
 */
void ernic_page_disarm(struct ernic_page *p)
{
	mutex_lock(&p->lock);
	if (p->mode != ERNIC_PAGE_TRACK)
		ernic_page_untrack(p);
	WRITE_ONCE(p->armed, false);
	ernic_page_quiet_grow(p);
	mutex_unlock(&p->lock);
	trace_ernic_page(p->edev, p->index, "disarm");
}

/*
 * The next store to any slot is told of, or faults.  True if ernic_page_drain() has
 * to follow; a barrier and a look at the slots do in any case.
 */
static bool ernic_page_track_all(struct ernic_page *p)
{
	lockdep_assert_held(&p->lock);
	if (!p->tracked)
		ernic_page_track(p);
	if (!p->tracked || !p->proven)
		p->edev->front.page->zap(p->edev, p);
	WRITE_ONCE(p->armed, true);
	return p->tracked && !p->drained;
}

/**
 * ernic_page_settle - queues that share a slot are about to come
 * @p: page; nothing happens unless its mode is TRACK
 *
 * Before the guest rings for them: from the return on each value is told of, unless
 * KVM has an entry for the page from before there was a memory slot, see above.
 */
void ernic_page_settle(struct ernic_page *p)
{
	bool drain;
	u64 moves;

	mutex_lock(&p->lock);
	if (p->mode != ERNIC_PAGE_TRACK || (p->tracked && p->drained)) {
		mutex_unlock(&p->lock);
		return;
	}
	moves = p->moves;
	drain = ernic_page_track_all(p);
	mutex_unlock(&p->lock);
	if (drain)
		ernic_page_drain(p, moves);
	/* @tracked, then the slots, as in ernic_page_arm() */
	smp_mb();
	ernic_page_scan(p);
}
ERNIC_KUNIT_EXPORT(ernic_page_settle);

/**
 * ernic_page_share - queues that share a slot come or go
 * @p: page
 * @share: they come: from the return on no value is missed
 *
 * Before the guest rings for the first of them.  What it stored to other slots until
 * now is read once.
 */
void ernic_page_share(struct ernic_page *p, bool share)
{
	bool drain = false;
	u64 moves;

	mutex_lock(&p->lock);
	moves = p->moves;
	if (!share && p->shared) {
		p->mode = ERNIC_PAGE_TRACK_ARM;
		p->shared = false;
	} else if (share && p->mode == ERNIC_PAGE_TRACK_ARM) {
		p->mode = ERNIC_PAGE_TRACK;
		p->shared = true;
		drain = ernic_page_track_all(p);
	} else {
		mutex_unlock(&p->lock);
		return;
	}
	mutex_unlock(&p->lock);
	if (drain)
		ernic_page_drain(p, moves);
	/* @tracked, then the slots, as in ernic_page_arm() */
	smp_mb();
	ernic_page_scan(p);
}
ERNIC_KUNIT_EXPORT(ernic_page_share);

/* ---- the front end's side ------------------------------------------------- */

/* an announcement; the lock is held */
static void ernic_page_wakened(struct ernic_page *p)
{
	u64 slept = ktime_get_ns() - p->armed_at;

	WRITE_ONCE(p->armed, false);
	if (slept < p->quiet_ns)
		ernic_page_quiet_grow(p);
	else
		p->quiet_ns = ernic_page_quiet_min(p);
}

static void ernic_page_kick(struct ernic_page *p)
{
	struct ernic_worker *w = READ_ONCE(p->wake);

	if (w) {
		ernic_worker_kick(w);
		return;
	}
	ernic_upage_kick(p);
}

/**
 * ernic_page_fault - an access to a page that is not mapped
 * @p: page
 * @vmf: fault in a VMA with VM_MIXEDMAP
 *
 * In the thread of the VMM, most often a vCPU, with mmap_lock held.
 */
vm_fault_t ernic_page_fault(struct ernic_page *p, struct vm_fault *vmf)
{
	bool told, wake = false;
	vm_fault_t ret;

	mutex_lock(&p->lock);
	if (p->mode == ERNIC_PAGE_TRAP) {
		mutex_unlock(&p->lock);
		return VM_FAULT_SIGBUS;
	}
	/* before KVM looks at the page: the very store that faults is told of */
	if (p->mode == ERNIC_PAGE_TRACK && !p->tracked)
		ernic_page_track(p);
	told = p->mode == ERNIC_PAGE_TRACK && p->tracked && p->proven;
	ret = ernic_control_insert(p, vmf);
	if (ret == VM_FAULT_NOPAGE)
		WRITE_ONCE(p->mapped, true);
	if (ret == VM_FAULT_NOPAGE && !told) {
		wake = p->armed;
		if (p->proven)
			ernic_page_untrack(p);
		if (wake) {
			p->faults++;
			WRITE_ONCE(p->announced, true);
			WRITE_ONCE(p->hot_at, ktime_get_ns());
			ernic_page_wakened(p);
		} else {
			p->refaults++;
		}
	}
	mutex_unlock(&p->lock);
	trace_ernic_page(p->edev, p->index, wake ? "fault" : "refault");
	if (wake)
		ernic_page_kick(p);
	return ernic_control_return(p, vmf, ret);
}

/**
 * ernic_page_tracks - is it the page that KVM tells of?
 * @p: page
 * @gfn: guest frame of a store that was emulated
 *
 * By the frame that was tracked: the BAR may have moved since.
 */
bool ernic_page_tracks(const struct ernic_page *p, u64 gfn)
{
	/* pairs with ernic_page_track() */
	return smp_load_acquire(&p->tracked) && READ_ONCE(p->gfn) == gfn;
}
ERNIC_KUNIT_EXPORT(ernic_page_tracks);

/*
 * A store that KVM tells of costs an exit and an emulation; to poll for it instead
 * costs a look every nap until it comes, and tracking anew when none does.  So the
 * page stays armed while stores come with long pauses, as those of one request at a
 * time do, and find the workers asleep: one that is at work looks for nothing.
 */
static bool ernic_page_sparse(struct ernic_page *p)
{
	u64 now = ktime_get_ns(), gap = now - p->told_at;
	u64 hot = (u64)READ_ONCE(hot_us) * NSEC_PER_USEC;

	p->told_at = now;
	if (!hot || atomic_read(&p->busy))
		return false;
	if (gap >= max(hot, p->arm_ns / 2))
		p->told_run = 0;
	return ++p->told_run < ERNIC_PAGE_RUN;
}

/* KVM tells of a store; true if that was the announcement */
static bool ernic_page_told(struct ernic_page *p)
{
	bool wake = false;

	mutex_lock(&p->lock);
	if (p->tracked) {
		if (p->drained)
			WRITE_ONCE(p->proven, true);
		if (p->mode == ERNIC_PAGE_TRACK) {
			if (p->proven)
				WRITE_ONCE(p->armed, true);
		} else if (!p->armed || !p->proven || !ernic_page_sparse(p)) {
			p->told_run = 0;
			ernic_page_untrack(p);
			wake = p->armed;
			if (wake)
				ernic_page_wakened(p);
		}
	}
	mutex_unlock(&p->lock);
	return wake;
}

/**
 * ernic_page_written - KVM has emulated a store
 * @p: page, see ernic_page_tracks()
 * @off: offset in the page
 * @data: bytes
 * @len: their number
 *
 * In the vCPU thread; the store is in memory.
 */
void ernic_page_written(struct ernic_page *p, u32 off, const void *data,
			unsigned int len)
{
	bool wake;
	__le64 val;

	atomic64_inc(&p->tracks);
	if (p->mode == ERNIC_PAGE_TRACK) {
		if (len != sizeof(val) || !IS_ALIGNED(off, sizeof(val))) {
			atomic64_inc(&p->edev->bad_access);
			return;
		}
		memcpy(&val, data, sizeof(val));
		ernic_page_take(p, off / sizeof(val), le64_to_cpu(val));
		if (READ_ONCE(p->proven))
			return;
	}

	wake = ernic_page_told(p);
	/* @armed, then the slots, where others may have come untold */
	smp_mb();
	/* that kicks the owner, who polls from now on; but is there one? */
	ernic_page_scan(p);
	if (!wake)
		return;
	trace_ernic_page(p->edev, p->index, "track");
	ernic_page_kick(p);
}
ERNIC_KUNIT_EXPORT(ernic_page_written);

/**
 * ernic_page_moved - KVM has taken memory slots away
 * @p: page
 * @gfn: first guest frame
 * @n: how many
 *
 * Tracking went with the slot.  The next store, after the slot came back, has to
 * fault.
 */
void ernic_page_moved(struct ernic_page *p, u64 gfn, u64 n)
{
	mutex_lock(&p->lock);
	if (p->gfn >= gfn && p->gfn - gfn < n) {
		WRITE_ONCE(p->tracked, false);
		WRITE_ONCE(p->proven, false);
		p->drained = false;
		p->moves++;
		if (p->armed)
			p->edev->front.page->zap(p->edev, p);
		trace_ernic_page(p->edev, p->index, "moved");
	}
	mutex_unlock(&p->lock);
}
ERNIC_KUNIT_EXPORT(ernic_page_moved);
