/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbell pages that the guest stores to without an exit to the VMM.
 * Protocol, lock order and the argument that no wake-up is lost stand at the top
 * of drivers/ernic/function/page.c.
 */
#ifndef ERNIC_PAGE_H
#define ERNIC_PAGE_H

#include <linux/atomic.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <ionic/regs.h>

struct ernic_dev;
struct ernic_page;
struct ernic_worker;
struct vm_fault;

/**
 * enum ernic_page_mode - how stores of the guest arrive
 * @ERNIC_PAGE_TRAP: by the VMM's write to the device file
 * @ERNIC_PAGE_FAULT: plain memory that is polled; idle, the page is not mapped and
 *	a store faults.  The last value of each slot arrives.
 * @ERNIC_PAGE_TRACK: KVM emulates each store and tells.  Every value arrives.
 * @ERNIC_PAGE_TRACK_ARM: plain memory that is polled; idle, or while stores come
 *	with pauses, KVM emulates them and tells.  The last value of each slot
 *	arrives.
 */
enum ernic_page_mode {
	ERNIC_PAGE_TRAP,
	ERNIC_PAGE_FAULT,
	ERNIC_PAGE_TRACK,
	ERNIC_PAGE_TRACK_ARM,
};

/**
 * struct ernic_page_ops - what a front end does to a page of a BAR; may sleep
 * @zap: unmap it from the VMM and its guest; the next access faults
 * @track: have KVM tell of stores; 0 or a negative errno
 * @untrack: undo @track
 * @drain: wait for what KVM emulates at present; not under the page's lock
 * @zap_cmb: as @zap, a page of BAR4
 *
 * The guest frame of a page moves with the BAR, so @track returns it (on success)
 * and @untrack takes it.
 */
struct ernic_page_ops {
	void (*zap)(struct ernic_dev *edev, struct ernic_page *p);
	int (*track)(struct ernic_dev *edev, struct ernic_page *p, u64 *gfn);
	void (*untrack)(struct ernic_dev *edev, struct ernic_page *p, u64 gfn);
	void (*drain)(struct ernic_dev *edev, struct ernic_page *p);
	void (*zap_cmb)(struct ernic_dev *edev, unsigned long pgoff);
};

/**
 * struct ernic_page - one doorbell page
 * @index: page of BAR2
 * @page: memory that can be mapped; NULL if this front end maps nothing
 * @slot: the same, as the guest's CPU stores to it
 * @mode: while a VMM has the device open it only goes between TRACK_ARM and TRACK
 * @shared: queues share a slot, and TRACK_ARM is what it would be otherwise
 * @lock: @armed, @mapped, @tracked, @proven, @drained, @gfn, @announced, and the
 *	page's mapping
 * @armed: the next store is announced
 * @mapped: there was an access by mapping since the device was opened
 * @tracked: KVM was asked to emulate stores to @gfn
 * @proven: it does so, in the memory slot that is there
 * @drained: what it began to emulate before that slot was there has ended
 * @announced: a fault came, its store did not yet
 * @pollers: workers that look at the slots
 * @busy: workers that have something to do; only a hint
 * @wake: whom an announcement wakes; only a hint.  NULL for a page of upage.c
 * @scan_lock: @last, and the order in which values are taken
 * @active: slots that a queue has
 * @last: values that were taken, by slot
 * @quiet_ns: how long nothing must come before the page is armed
 * @grace_ns: how long the store of a fault may take
 * @arm_ns: what arming costs, a moving average
 * @armed_at: when it was armed last, ktime
 * @hot_at: when a fault made it hot last, ktime
 * @told_at: when KVM told of a store last, ktime
 * @told_run: stores in a row that came close together
 */
struct ernic_page {
	struct ernic_dev *edev;
	unsigned int index;
	struct page *page;
	__le64 *slot;
	enum ernic_page_mode mode;

	struct mutex lock;		/* see above */
	bool armed;
	bool mapped;
	bool tracked;
	bool shared;
	bool proven;
	bool drained;
	bool announced;
	u64 gfn;

	atomic_t pollers;
	atomic_t busy;
	struct ernic_worker *wake;

	spinlock_t scan_lock;		/* @last */
	DECLARE_BITMAP(active, ION_DB_SLOTS);
	__le64 last[ION_DB_SLOTS];

	u64 quiet_ns;
	u64 grace_ns;
	u64 arm_ns;
	u64 armed_at;
	u64 hot_at;
	u64 told_at;
	unsigned int told_run;

	/* at the entrance; all of them, by trap, by announcement, by polling */
	atomic64_t rings;
	atomic64_t traps;
	atomic64_t tracks;	/* stores that KVM told of */
	/* under @lock */
	u64 arms;
	u64 useless;		/* something had come before, or came at once */
	u64 faults;		/* that announced a store */
	u64 refaults;		/* that did not */
	u64 track_errors;
	u64 moves;		/* the memory slot went */
};

int ernic_page_init(struct ernic_page *p, struct ernic_dev *edev,
		    unsigned int index);
void ernic_page_exit(struct ernic_page *p);

/* a VMM opens the device; stores before the next call come by trap */
void ernic_page_open(struct ernic_page *p, enum ernic_page_mode mode);
/* no store comes any more; the workers have stopped */
void ernic_page_close(struct ernic_page *p);

/* queues that share a slot come or go; process context */
void ernic_page_share(struct ernic_page *p, bool share);

/* queues that share a slot are about to come; process context */
void ernic_page_settle(struct ernic_page *p);

/* any context */
void ernic_page_reset(struct ernic_page *p);
void ernic_page_slot_init(struct ernic_page *p, unsigned int slot);
void ernic_page_slot_renew(struct ernic_page *p, unsigned int slot);
void ernic_page_trap(struct ernic_page *p, unsigned int slot, u64 val);
unsigned int ernic_page_scan(struct ernic_page *p);

/* the worker's side */
void ernic_page_peek(struct ernic_page *p);
bool ernic_page_linger(struct ernic_page *p, struct ernic_worker *w);
void ernic_page_leave(struct ernic_page *p, struct ernic_worker *w);
/* a page without workers; process context */
bool ernic_page_poll(struct ernic_page *p);

/* the front end's side; process context */
vm_fault_t ernic_page_fault(struct ernic_page *p, struct vm_fault *vmf);
bool ernic_page_tracks(const struct ernic_page *p, u64 gfn);
void ernic_page_written(struct ernic_page *p, u32 off, const void *data,
			unsigned int len);
void ernic_page_moved(struct ernic_page *p, u64 gfn, u64 n);

/* upage.c: all doorbell pages of a device */
struct ernic_page *ernic_db_page(struct ernic_dev *edev, unsigned int index);
struct ernic_page *ernic_db_page_get(struct ernic_dev *edev,
				     unsigned int index);
void ernic_db_page_use(struct ernic_dev *edev, unsigned int index);
/* process context */
void ernic_db_pages_open(struct ernic_dev *edev, enum ernic_page_mode mode);
void ernic_db_pages_close(struct ernic_dev *edev);
void ernic_db_pages_free(struct ernic_dev *edev);
void ernic_db_pages_reset(struct ernic_dev *edev);
void ernic_db_pages_moved(struct ernic_dev *edev, u64 gfn, u64 n);
void ernic_db_pages_written(struct ernic_dev *edev, u64 gpa, const void *data,
			    unsigned int len);
void ernic_upage_kick(struct ernic_page *p);

/* how long nothing must come before it is worth to arm, at such a cost of arming */
u64 ernic_page_quiet_ns(u64 arm_ns);
/* look again at once: the time is short, and nobody else wants the CPU */
bool ernic_page_spins(u64 waited_ns);
u64 ernic_page_nap_ns(u64 arm_ns);
u64 ernic_page_grace_min(void);
u64 ernic_page_grace_next(u64 grace_ns);

enum ernic_page_mode ernic_page_mode_now(const struct ernic_page *p);
const char *ernic_page_mode_name(enum ernic_page_mode mode);

#endif
