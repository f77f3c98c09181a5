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
 */
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/string.h>

#include <ernic/control.h>
#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "trace.h"

/* no doorbell has this value: its ring and queue do not exist */
#define ERNIC_SLOT_EMPTY	cpu_to_le64(U64_MAX)

/* shortest nap between two looks */
#define ERNIC_PAGE_NAP		(50 * NSEC_PER_USEC)
/* longest quiet time that comes from the cost of arming, as a multiple of idle_us */
#define ERNIC_PAGE_QUIET_MAX	160
/* so many stores in a row have to come close together before they are polled for */
#define ERNIC_PAGE_RUN		4
/* quiet and grace time grow to this multiple when they prove too short */
#define ERNIC_PAGE_BACKOFF	4

static unsigned int idle_us = 60;
module_param(idle_us, uint, 0644);
MODULE_PARM_DESC(idle_us, "microseconds without a doorbell before a page is armed (default 60)");

static unsigned int hot_us = 100;
module_param(hot_us, uint, 0644);
MODULE_PARM_DESC(hot_us, "microseconds between doorbells, below which they are polled for rather than told of by KVM (default 100; 0: always polled for)");

static unsigned int grace_ms = 1;
module_param(grace_ms, uint, 0644);
MODULE_PARM_DESC(grace_ms, "milliseconds that the store of a fault may take (default 1)");

/*
 * Polling for as long as the way into sleep and out of it takes is never worse than
 * twice the best.  Only the way in can be measured here; the way out is an exit, an
 * emulation or a fault, and a wake-up.
 */
u64 ernic_page_quiet_ns(u64 arm_ns)
{
	u64 set = (u64)READ_ONCE(idle_us) * NSEC_PER_USEC;

	return max(set, min(4 * arm_ns, ERNIC_PAGE_QUIET_MAX * set));
}

static u64 ernic_page_quiet_min(const struct ernic_page *p)
{
	return ernic_page_quiet_ns(p->arm_ns);
}

static void ernic_page_quiet_grow(struct ernic_page *p)
{
	p->useless++;
	p->quiet_ns = min(2 * p->quiet_ns,
			  ERNIC_PAGE_BACKOFF * ernic_page_quiet_min(p));
}

u64 ernic_page_grace_min(void)
{
	return (u64)READ_ONCE(grace_ms) * NSEC_PER_MSEC;
}

u64 ernic_page_grace_next(u64 grace_ns)
{
	return min(2 * grace_ns,
		   4 * ERNIC_PAGE_BACKOFF * ernic_page_grace_min());
}

static void ernic_page_grace_grow(struct ernic_page *p)
{
	p->grace_ns = ernic_page_grace_next(p->grace_ns);
}

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

/**
 * ernic_page_reset - forget all queues and values
 * @p: page
 */
void ernic_page_reset(struct ernic_page *p)
{
	unsigned long flags;
	unsigned int i;

	if (!p->page)
		return;
	spin_lock_irqsave(&p->scan_lock, flags);
	bitmap_zero(p->active, ION_DB_SLOTS);
	for (i = 0; i < ION_DB_SLOTS; i++) {
		WRITE_ONCE(p->slot[i], ERNIC_SLOT_EMPTY);
		p->last[i] = ERNIC_SLOT_EMPTY;
	}
	spin_unlock_irqrestore(&p->scan_lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_page_reset);

/**
 * ernic_page_slot_init - a new queue has a slot
 * @p: page
 * @slot: 8-byte slot
 *
 * Its first value may be the last one of the queue that had it before.
 */
void ernic_page_slot_init(struct ernic_page *p, unsigned int slot)
{
	unsigned long flags;

	if (!p->page)
		return;
	spin_lock_irqsave(&p->scan_lock, flags);
	WRITE_ONCE(p->slot[slot], ERNIC_SLOT_EMPTY);
	p->last[slot] = ERNIC_SLOT_EMPTY;
	__set_bit(slot, p->active);
	spin_unlock_irqrestore(&p->scan_lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_page_slot_init);

/* a value that is known whole and in order */
static void ernic_page_take(struct ernic_page *p, unsigned int slot, u64 val)
{
	unsigned long flags;

	spin_lock_irqsave(&p->scan_lock, flags);
	if (p->page) {
		p->last[slot] = cpu_to_le64(val);
		WRITE_ONCE(p->slot[slot], p->last[slot]);
	}
	ernic_doorbell(p->edev, p->index, slot, val);
	spin_unlock_irqrestore(&p->scan_lock, flags);
}

/**
 * ernic_page_slot_renew - a slot that is shared has a new queue
 * @p: page
 * @slot: 8-byte slot
 *
 * As ernic_page_slot_init(), but a value that is not taken yet stays.
 */
void ernic_page_slot_renew(struct ernic_page *p, unsigned int slot)
{
	unsigned long flags;

	if (!p->page)
		return;
	spin_lock_irqsave(&p->scan_lock, flags);
	if (cmpxchg(&p->slot[slot], p->last[slot], ERNIC_SLOT_EMPTY) ==
	    p->last[slot])
		p->last[slot] = ERNIC_SLOT_EMPTY;
	spin_unlock_irqrestore(&p->scan_lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_page_slot_renew);

/**
 * ernic_page_trap - a store that came by the VMM
 * @p: page
 * @slot: 8-byte slot
 * @val: value
 *
 * Any context, any mode: a VMM need not map the page, and does not while the
 * guest has its BARs off.
 */
void ernic_page_trap(struct ernic_page *p, unsigned int slot, u64 val)
{
	atomic64_inc(&p->traps);
	ernic_page_take(p, slot, val);
}
ERNIC_KUNIT_EXPORT(ernic_page_trap);

static bool ernic_page_changed(const struct ernic_page *p)
{
	unsigned int slot;

	for_each_set_bit(slot, p->active, ION_DB_SLOTS)
		if (READ_ONCE(p->slot[slot]) != READ_ONCE(p->last[slot]))
			return true;
	return false;
}

/**
 * ernic_page_scan - take what the guest has stored
 * @p: page
 *
 * Any context; kicks the owners.
 *
 * Return: slots with a new value.
 */
unsigned int ernic_page_scan(struct ernic_page *p)
{
	unsigned int slot, n = 0;
	unsigned long flags;
	__le64 v;

	if (!ernic_page_changed(p))
		return 0;
	spin_lock_irqsave(&p->scan_lock, flags);
	for_each_set_bit(slot, p->active, ION_DB_SLOTS) {
		v = READ_ONCE(p->slot[slot]);
		if (v == p->last[slot])
			continue;
		p->last[slot] = v;
		ernic_doorbell(p->edev, p->index, slot, le64_to_cpu(v));
		n++;
	}
	spin_unlock_irqrestore(&p->scan_lock, flags);
	if (n)
		WRITE_ONCE(p->announced, false);
	return n;
}
ERNIC_KUNIT_EXPORT(ernic_page_scan);

/* ---- the worker's side ---------------------------------------------------- */

static bool ernic_page_hot(const struct ernic_page *p)
{
	return p->mode != ERNIC_PAGE_TRAP && !READ_ONCE(p->armed);
}

/**
 * ernic_page_peek - take what came while a worker was busy
 * @p: its page
 *
 * The worker that an announcement has woken may have other work for long, and
 * need not be a poller yet.
 */
void ernic_page_peek(struct ernic_page *p)
{
	if (ernic_page_hot(p))
		ernic_page_scan(p);
}

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

static void ernic_page_arm(struct ernic_page *p, struct ernic_worker *w)
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

/* it was armed too early */
static void ernic_page_disarm(struct ernic_page *p)
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

/**
 * ernic_page_leave - a worker polls no more
 * @p: its page
 * @w: worker
 *
 * The last one arms the page.
 */
void ernic_page_leave(struct ernic_page *p, struct ernic_worker *w)
{
	if (!w->polling)
		return;
	w->polling = false;
	if (!atomic_dec_and_test(&p->pollers) || !ernic_page_hot(p))
		return;
	ernic_page_arm(p, w);
	if (!ernic_page_scan(p) || p->mode == ERNIC_PAGE_TRACK)
		return;
	ernic_page_disarm(p);
	w->polling = true;
	atomic_inc(&p->pollers);
	ernic_worker_kick(w);
}
ERNIC_KUNIT_EXPORT(ernic_page_leave);

/*
 * Burning a CPU that others want only delays what is waited for; and beyond idle_us,
 * where the quiet time is long because arming is slow, a nap is cheap by comparison.
 */
bool ernic_page_spins(u64 waited_ns)
{
	return waited_ns < (u64)READ_ONCE(idle_us) * NSEC_PER_USEC &&
	       single_task_running() && !need_resched();
}

u64 ernic_page_nap_ns(u64 arm_ns)
{
	return max_t(u64, ERNIC_PAGE_NAP, arm_ns / 4);
}

static void ernic_page_wait(const struct ernic_page *p, u64 waited)
{
	ktime_t nap;

	if (ernic_page_spins(waited)) {
		cpu_relax();
		return;
	}
	nap = ns_to_ktime(ernic_page_nap_ns(p->arm_ns));
	set_current_state(TASK_IDLE);
	schedule_hrtimeout(&nap, HRTIMER_MODE_REL);
}

/**
 * ernic_page_linger - look for doorbells until it is quiet
 * @p: page of the worker, or NULL
 * @w: worker that has nothing to do
 *
 * Return: it has, now; otherwise the next doorbell will kick it.
 */
bool ernic_page_linger(struct ernic_page *p, struct ernic_worker *w)
{
	u64 start, now;

	if (!p || (!ernic_page_hot(p) && !w->polling))
		return false;
	if (!w->polling) {
		w->polling = true;
		atomic_inc(&p->pollers);
	}

	start = ktime_get_ns();
	for (;;) {
		ernic_page_scan(p);
		if (test_and_clear_bit(0, &w->pending))
			return true;
		if (kthread_should_stop() || !ernic_page_hot(p))
			break;
		now = ktime_get_ns() - start;
		if (now >= READ_ONCE(p->quiet_ns)) {
			if (!READ_ONCE(p->announced))
				break;
			if (now >= READ_ONCE(p->grace_ns)) {
				ernic_page_grace_grow(p);
				break;
			}
		}
		ernic_page_wait(p, now);
	}
	ernic_page_leave(p, w);
	return test_and_clear_bit(0, &w->pending);
}
ERNIC_KUNIT_EXPORT(ernic_page_linger);

/**
 * ernic_page_poll - look at a page that no worker has
 * @p: page of upage.c
 *
 * Return: it is hot; look again.
 */
bool ernic_page_poll(struct ernic_page *p)
{
	s64 hot, quiet = READ_ONCE(p->quiet_ns);

	if (!ernic_page_hot(p))
		return false;
	/* a value that nobody told of: then tracking has to begin anew, at once */
	if (!ernic_page_scan(p)) {
		/* a fault may come meanwhile, and be later */
		hot = ktime_get_ns() - READ_ONCE(p->hot_at);
		if (READ_ONCE(p->announced))
			quiet = max_t(s64, quiet, READ_ONCE(p->grace_ns));
		if (hot < quiet)
			return true;
		if (READ_ONCE(p->announced))
			ernic_page_grace_grow(p);
	}
	ernic_page_arm(p, NULL);
	ernic_page_scan(p);
	/* or a store has come since; its kick may have found this one running */
	return ernic_page_hot(p);
}
ERNIC_KUNIT_EXPORT(ernic_page_poll);

/* ---- the front end's side ------------------------------------------------- */

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
