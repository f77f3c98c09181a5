// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt control blocks (BAR0 + 0x2000) and MSI-X delivery.
 *
 * Per vector the driver sees mask, credits, mask_assert and coal_init; we keep
 * besides: posted, posted_at_assert.
 *
 *  post		credits++, posted++; if not masked: assert
 *  assert	posted_at_assert = posted; mask if mask_assert; signal MSI-X,
 *		or latch it while the operating system masks the entry
 *  mask = v	store; if now 0 and credits > 0: assert
 *  credits = v	take back v[15:0], not below 0; if v[16]: unmask, and if v[15:0]
 *		is 0 and nothing was posted since the last assert, credits = 0;
 *		if credits > 0: assert
 *
 * Credits, not "anything since the last assert", decide at an unmask: a
 * completion that arrives between the driver's last poll and its unmask is
 * announced only by them, and so is transmit work that NAPI left behind
 * (ionic_txrx.c:ionic_txrx_napi).  The zeroing is a leak guard: event queues,
 * busy polling and netpoll consume without giving back (ionic_admin.c:
 * ionic_poll_eq), and would otherwise be interrupted for ever.
 *
 * The registers are a page that the VMM may map, so that the driver's store is no
 * exit and nothing tells us of it.  We look for it before each decision and, while
 * a masked vector has credits, from a timer: then and only then an unmask has to
 * raise an interrupt by itself.  What we show in mask and credits, the driver may
 * overwrite at any time; so we replace our own last value by cmpxchg, and one that
 * is not ours is the driver's and is taken as a write.  Two of its writes can pass
 * for one, and one that equals what is shown goes unseen: the first costs credits
 * that the leak guard gives back, the second says what holds already.
 *
 * A transmit completion gives a buffer back, and few wait for that: a sender that has
 * used up its buffers.  The answer to what was sent will come as a receive completion
 * of the same vector.  So an interrupt for nothing but transmit completions waits: for
 * any other completion, for ERNIC_TX_LAZY_MAX of them or a quarter of the ring, or for
 * tx_intr_us, or longer where an interrupt takes the guest long.
 * What the driver gives back is taken from the lazy ones first, so that no other
 * completion ever passes for one.
 *
 * The driver's coalescing is not emulated; identify reports a multiplier of 0, so that
 * its DIM leaves the value alone (ionic_lif.h:ionic_coal_usec_to_hw).
 */
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "trace.h"

/* how often a store of the driver may beat ours before we leave it for later */
#define ERNIC_INTR_TRIES	4
/* longest period of the timer, when a vector stays masked */
#define ERNIC_INTR_POLL_MAX	(16 * NSEC_PER_MSEC)
/* longest time to unmask that counts: after that, the driver was not working on it */
#define ERNIC_INTR_TURN_MAX	((u64)(2 * NSEC_PER_MSEC))

static unsigned int intr_poll_us = 30;
module_param(intr_poll_us, uint, 0644);
MODULE_PARM_DESC(intr_poll_us, "least microseconds between looks for the driver's unmask while an interrupt waits for it (default 30)");

/* of the guest's time, interrupts that can wait take at most one part in five */
#define ERNIC_INTR_LAZY_TURNS	4
#define ERNIC_INTR_LAZY_MAX	((u64)(250 * NSEC_PER_USEC))

static unsigned int tx_intr_us = 64;
module_param(tx_intr_us, uint, 0644);
MODULE_PARM_DESC(tx_intr_us, "microseconds that an interrupt for nothing but transmit completions waits for more (default 64; 0: it does not)");

static u32 ernic_intr_reg(const struct ernic_intr *intr, unsigned int reg)
{
	return le32_to_cpu(READ_ONCE(intr->regs[reg / 4]));
}

/* replaces @old; returns what was there */
static u32 ernic_intr_swap(struct ernic_intr *intr, unsigned int reg, u32 old,
			   u32 new)
{
	return le32_to_cpu(cmpxchg(&intr->regs[reg / 4], cpu_to_le32(old),
				   cpu_to_le32(new)));
}

static void ernic_intr_deliver(struct ernic_dev *edev, unsigned int vec,
			       struct ernic_intr *intr)
{
	if (intr->msix_masked) {
		intr->pending = true;
		return;
	}
	edev->front.irq->signal(edev, vec);
}

/* ours, unless the driver stores at the same time: then its store came after */
static void ernic_intr_set_mask(struct ernic_intr *intr, bool mask)
{
	u32 was;

	intr->mask = mask;
	was = ernic_intr_swap(intr, ION_INTR_MASK, intr->shown_mask, mask);
	if (was == intr->shown_mask) {
		intr->shown_mask = mask;
	} else {
		intr->shown_mask = was;
		intr->mask = was & 1;
	}
}

/* a write to the credits register; is it an unmask? */
static bool ernic_intr_credit(struct ernic_intr *intr, u32 val)
{
	u32 n = val & ION_INTR_CRED_COUNT_MASK;

	intr->acks++;
	intr->credits -= min(n, intr->credits);
	intr->lazy -= min(n, intr->lazy);
	if (!(val & ION_INTR_CRED_UNMASK))
		return false;
	ernic_intr_set_mask(intr, false);
	if (!n && intr->posted == intr->posted_at_assert) {
		intr->credits = 0;
		intr->lazy = 0;
	}
	return true;
}

/* takes what the driver has stored, and shows what holds; was there an unmask? */
static bool ernic_intr_sync(struct ernic_intr *intr)
{
	bool unmask = false;
	unsigned int tries;
	u32 val, was;

	val = ernic_intr_reg(intr, ION_INTR_MASK);
	if (val != intr->shown_mask) {
		intr->shown_mask = val;
		intr->mask = val & 1;
		unmask = !intr->mask;
	}

	val = ernic_intr_reg(intr, ION_INTR_CREDITS);
	for (tries = 0; tries < ERNIC_INTR_TRIES; tries++) {
		if (val != intr->shown_credits) {
			unmask |= ernic_intr_credit(intr, val);
			intr->shown_credits = val;
		}
		if (val == intr->credits)
			break;
		was = ernic_intr_swap(intr, ION_INTR_CREDITS, val,
				      intr->credits);
		if (was == val) {
			intr->shown_credits = intr->credits;
			break;
		}
		val = was;
	}
	return unmask;
}

static void ernic_intr_assert(struct ernic_dev *edev, unsigned int vec,
			      struct ernic_intr *intr)
{
	intr->posted_at_assert = intr->posted;
	if (ernic_intr_reg(intr, ION_INTR_MASK_ASSERT) & 1)
		ernic_intr_set_mask(intr, true);
	intr->asserts++;
	intr->asserted_at = ktime_get_ns();
	trace_ernic_irq(edev, vec, intr->credits);
	ernic_intr_deliver(edev, vec, intr);
}

static u64 ernic_intr_lazy_ns(const struct ernic_dev *edev)
{
	u64 turns = ERNIC_INTR_LAZY_TURNS * READ_ONCE(edev->intr_watch.turn_ns);

	return max((u64)READ_ONCE(tx_intr_us) * NSEC_PER_USEC,
		   min(turns, ERNIC_INTR_LAZY_MAX));
}

/* not masked, with credits: now, or when there is more or it has waited long enough */
static void ernic_intr_announce(struct ernic_dev *edev, unsigned int vec,
				struct ernic_intr *intr)
{
	if (intr->credits > intr->lazy) {
		ernic_intr_assert(edev, vec, intr);
	} else if (!intr->lazy_on) {
		intr->lazy_on = true;
		hrtimer_start(&intr->lazy_timer,
			      ns_to_ktime(ernic_intr_lazy_ns(edev)),
			      HRTIMER_MODE_REL_SOFT);
	}
}

/* ---- stores that nobody tells us of --------------------------------------- */

static u64 ernic_intr_period_min(void)
{
	return max(1u, READ_ONCE(intr_poll_us)) * (u64)NSEC_PER_USEC;
}

/*
 * How long a driver takes from interrupt to unmask is a matter of its CPU, and
 * changes little: the first look comes when it may be done, the next ones a quarter
 * of that apart, at first.  Looking earlier and more often would take the CPU from
 * it, where CPUs are slow.
 */
static u64 ernic_intr_first_look(const struct ernic_intr_watch *w,
				 const struct ernic_intr *intr)
{
	u64 turn = READ_ONCE(w->turn_ns);
	u64 since = ktime_get_ns() - intr->asserted_at;
	u64 due = turn - turn / 4;

	return max(max(ernic_intr_period_min(), turn / 4),
		   due > since ? due - since : 0);
}

/* seen at a look, so later than it was, by less than a quarter of its length */
static void ernic_intr_turned(struct ernic_intr_watch *w,
			      const struct ernic_intr *intr)
{
	u64 turn = min(ktime_get_ns() - intr->asserted_at, ERNIC_INTR_TURN_MAX);

	WRITE_ONCE(w->turn_ns, (7 * READ_ONCE(w->turn_ns) + turn) / 8);
}

/* the caller holds @lock of the watch */
static void ernic_intr_watch_start(struct ernic_intr_watch *w)
{
	w->on = true;
	hrtimer_start(&w->timer, ns_to_ktime(w->period_ns),
		      HRTIMER_MODE_REL_SOFT);
}

static void ernic_intr_watch(struct ernic_dev *edev, unsigned int vec,
			     const struct ernic_intr *intr)
{
	struct ernic_intr_watch *w = &edev->intr_watch;
	u64 period;

	if (!intr->mask || !intr->credits || !READ_ONCE(edev->intr_is_mapped))
		return;
	if (test_and_set_bit(vec, w->vec))
		return;
	period = ernic_intr_first_look(w, intr);
	/* a timer that other vectors have made slow starts anew */
	spin_lock(&w->lock);
	if (!w->on || w->period_ns > period) {
		w->first = true;
		w->period_ns = period;
		ernic_intr_watch_start(w);
	}
	spin_unlock(&w->lock);
}

/* an unmask, or a completion, if @event */
static void ernic_intr_decide(struct ernic_dev *edev, unsigned int vec,
			      struct ernic_intr *intr, bool event)
{
	if (event && !intr->mask && intr->credits)
		ernic_intr_announce(edev, vec, intr);
	ernic_intr_watch(edev, vec, intr);
}

/* may be early for what came after it was started */
static enum hrtimer_restart ernic_intr_waited(struct hrtimer *t)
{
	struct ernic_intr *intr = container_of(t, struct ernic_intr, lazy_timer);
	struct ernic_dev *edev = intr->edev;
	unsigned int vec = intr - edev->intr;
	unsigned long flags;

	spin_lock_irqsave(&intr->lock, flags);
	intr->lazy_on = false;
	ernic_intr_sync(intr);
	if (!intr->mask && intr->credits)
		ernic_intr_assert(edev, vec, intr);
	ernic_intr_watch(edev, vec, intr);
	spin_unlock_irqrestore(&intr->lock, flags);
	return HRTIMER_NORESTART;
}

/* a masked vector that was watched; did the driver write? */
static bool ernic_intr_look(struct ernic_dev *edev, unsigned int vec)
{
	struct ernic_intr_watch *w = &edev->intr_watch;
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;
	u64 acks;

	spin_lock_irqsave(&intr->lock, flags);
	acks = intr->acks;
	if (ernic_intr_sync(intr) && !intr->mask) {
		ernic_intr_turned(w, intr);
		if (intr->credits)
			ernic_intr_announce(edev, vec, intr);
	}
	if (!intr->mask || !intr->credits)
		clear_bit(vec, w->vec);
	spin_unlock_irqrestore(&intr->lock, flags);
	return acks != intr->acks;
}

/*
 * Starts itself by hrtimer_start() under the lock: ernic_intr_watch() may do so at
 * the same time, and hrtimer_forward() must not see a timer that is queued.
 */
static enum hrtimer_restart ernic_intr_tick(struct hrtimer *t)
{
	struct ernic_intr_watch *w = container_of(t, struct ernic_intr_watch,
						  timer);
	struct ernic_dev *edev = container_of(w, struct ernic_dev, intr_watch);
	bool progress = false;
	unsigned long flags;
	unsigned int vec;

	atomic64_inc(&w->ticks);
	spin_lock_irqsave(&w->lock, flags);
	/* before the looks: a vector that is watched from now on shortens it */
	if (w->first) {
		w->first = false;
		w->period_ns = max(ernic_intr_period_min(), READ_ONCE(w->turn_ns) / 4);
	} else {
		w->period_ns = min(w->period_ns + w->period_ns / 2,
				   ERNIC_INTR_POLL_MAX);
	}
	spin_unlock_irqrestore(&w->lock, flags);

	for_each_set_bit(vec, w->vec, ION_MSIX_VECTORS)
		progress |= ernic_intr_look(edev, vec);

	spin_lock_irqsave(&w->lock, flags);
	if (progress)
		w->period_ns = max(ernic_intr_period_min(),
				   READ_ONCE(w->turn_ns) / 4);
	/* a bit that is set after this finds @on false */
	w->on = false;
	if (!bitmap_empty(w->vec, ION_MSIX_VECTORS))
		ernic_intr_watch_start(w);
	spin_unlock_irqrestore(&w->lock, flags);
	return HRTIMER_NORESTART;
}

/**
 * ernic_intr_mapped - the VMM is going to map the registers
 * @edev: device
 *
 * Any context.  Stores by the mapping come after the return, so from then on a
 * masked vector with credits is watched, also one that was in that state before.
 */
void ernic_intr_mapped(struct ernic_dev *edev)
{
	unsigned long flags;
	unsigned int vec;

	if (READ_ONCE(edev->intr_is_mapped))
		return;
	WRITE_ONCE(edev->intr_is_mapped, true);
	for (vec = 0; vec < edev->nvectors; vec++) {
		struct ernic_intr *intr = &edev->intr[vec];

		spin_lock_irqsave(&intr->lock, flags);
		ernic_intr_watch(edev, vec, intr);
		spin_unlock_irqrestore(&intr->lock, flags);
	}
}
ERNIC_KUNIT_EXPORT(ernic_intr_mapped);

/**
 * ernic_intr_close - no store comes any more
 * @edev: device without a mapping
 */
void ernic_intr_close(struct ernic_dev *edev)
{
	struct ernic_intr_watch *w = &edev->intr_watch;
	int i;

	WRITE_ONCE(edev->intr_is_mapped, false);
	/* without credits neither timer starts the other one */
	ernic_intr_reset(edev);
	hrtimer_cancel(&w->timer);
	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		hrtimer_cancel(&edev->intr[i].lazy_timer);
		edev->intr[i].lazy_on = false;
	}
	bitmap_zero(w->vec, ION_MSIX_VECTORS);
	w->on = false;
}
ERNIC_KUNIT_EXPORT(ernic_intr_close);

/* ---- life cycle ----------------------------------------------------------- */

static void ernic_intr_clear(struct ernic_intr *intr)
{
	unsigned int i;

	for (i = 0; i < ION_INTR_CTRL_STRIDE / 4; i++)
		WRITE_ONCE(intr->regs[i], 0);
	WRITE_ONCE(intr->regs[ION_INTR_MASK / 4], cpu_to_le32(1));
	intr->shown_mask = 1;
	intr->shown_credits = 0;
	intr->mask = true;
	intr->pending = false;
	intr->credits = 0;
	intr->lazy = 0;
	intr->posted = 0;
	intr->posted_at_assert = 0;
}

/**
 * ernic_intr_init - first-time set-up of all vectors
 * @edev: device
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_intr_init(struct ernic_dev *edev)
{
	struct ernic_intr_watch *w = &edev->intr_watch;
	__le32 *regs;
	int i;

	edev->intr_page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!edev->intr_page)
		return -ENOMEM;
	regs = page_address(edev->intr_page);
	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		spin_lock_init(&edev->intr[i].lock);
		edev->intr[i].regs = regs + i * (ION_INTR_CTRL_STRIDE / 4);
		edev->intr[i].edev = edev;
		hrtimer_setup(&edev->intr[i].lazy_timer, ernic_intr_waited,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
		ernic_intr_clear(&edev->intr[i]);
	}
	spin_lock_init(&w->lock);
	hrtimer_setup(&w->timer, ernic_intr_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_intr_init);

/**
 * ernic_intr_exit - undo ernic_intr_init()
 * @edev: device without a mapping
 */
void ernic_intr_exit(struct ernic_dev *edev)
{
	ernic_intr_close(edev);
	__free_page(edev->intr_page);
}
ERNIC_KUNIT_EXPORT(ernic_intr_exit);

/**
 * ernic_intr_reset - bring all vectors to their reset state
 * @edev: device
 *
 * What the operating system masked in the MSI-X table stays masked: that is
 * not the function's state.
 */
void ernic_intr_reset(struct ernic_dev *edev)
{
	unsigned long flags;
	int i;

	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		struct ernic_intr *intr = &edev->intr[i];

		spin_lock_irqsave(&intr->lock, flags);
		ernic_intr_clear(intr);
		spin_unlock_irqrestore(&intr->lock, flags);
	}
}
ERNIC_KUNIT_EXPORT(ernic_intr_reset);

static void ernic_intr_add(struct ernic_dev *edev, unsigned int vec,
			   unsigned int n, unsigned int limit)
{
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;

	if (!n)
		return;
	spin_lock_irqsave(&intr->lock, flags);
	/*
	 * The completion is visible before the driver's mask is read: either it sees
	 * the one in its last poll, or we see its unmask, now or in the timer.
	 */
	smp_mb();
	ernic_intr_sync(intr);
	/* the register has 16 bits, signed: a driver that never gives back */
	intr->credits = min_t(u32, intr->credits + n, S16_MAX);
	if (limit) {
		intr->lazy = min(intr->lazy + n, intr->credits);
		if (intr->lazy >= limit)
			intr->lazy = 0;
	}
	intr->posted += n;
	ernic_intr_sync(intr);
	ernic_intr_decide(edev, vec, intr, true);
	spin_unlock_irqrestore(&intr->lock, flags);
}

/**
 * ernic_intr_post - completions became visible in guest memory
 * @edev: device
 * @vec: vector of the queue
 * @n: completions (or events) written since the last call for this queue
 *
 * Any context.  The completions were stored before; the lock orders them
 * before the test of the mask.
 */
void ernic_intr_post(struct ernic_dev *edev, unsigned int vec, unsigned int n)
{
	ernic_intr_add(edev, vec, n, 0);
}
ERNIC_KUNIT_EXPORT(ernic_intr_post);

/**
 * ernic_intr_post_lazy - completions that only give buffers back became visible
 * @edev: device
 * @vec: vector of the queue
 * @n: completions written since the last call for this queue
 * @limit: so many do not wait
 *
 * Any context.
 */
void ernic_intr_post_lazy(struct ernic_dev *edev, unsigned int vec,
			  unsigned int n, unsigned int limit)
{
	ernic_intr_add(edev, vec, n, READ_ONCE(tx_intr_us) ? limit : 0);
}
ERNIC_KUNIT_EXPORT(ernic_intr_post_lazy);

/**
 * ernic_intr_outstanding - completions that the driver has not given back
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 */
u32 ernic_intr_outstanding(struct ernic_dev *edev, unsigned int vec)
{
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;
	bool unmask;
	u32 n;

	spin_lock_irqsave(&intr->lock, flags);
	unmask = ernic_intr_sync(intr);
	ernic_intr_decide(edev, vec, intr, unmask);
	n = intr->credits;
	spin_unlock_irqrestore(&intr->lock, flags);
	return n;
}
ERNIC_KUNIT_EXPORT(ernic_intr_outstanding);

/**
 * ernic_intr_read - read a register of a vector
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 * @reg: ION_INTR_*, 4-byte aligned
 *
 * Return: its value; zero for what does not exist.
 */
u32 ernic_intr_read(struct ernic_dev *edev, unsigned int vec, unsigned int reg)
{
	if (reg > ION_INTR_MASK_ASSERT)
		return 0;
	return ernic_intr_reg(&edev->intr[vec], reg);
}
ERNIC_KUNIT_EXPORT(ernic_intr_read);

/**
 * ernic_intr_write - write a register of a vector
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 * @reg: ION_INTR_*, 4-byte aligned
 * @val: value
 *
 * Any context.  May signal, so the front end must defer delivery.
 */
void ernic_intr_write(struct ernic_dev *edev, unsigned int vec,
		      unsigned int reg, u32 val)
{
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;
	bool unmask;

	spin_lock_irqsave(&intr->lock, flags);
	unmask = ernic_intr_sync(intr);
	switch (reg) {
	case ION_INTR_MASK:
		ernic_intr_set_mask(intr, val & 1);
		unmask = true;
		break;
	case ION_INTR_CREDITS:
		unmask |= ernic_intr_credit(intr, val);
		unmask |= ernic_intr_sync(intr);
		break;
	case ION_INTR_MASK_ASSERT:
		val &= 1;
		fallthrough;
	case ION_INTR_COAL_INIT:
		WRITE_ONCE(intr->regs[reg / 4], cpu_to_le32(val));
		break;
	}
	ernic_intr_decide(edev, vec, intr, unmask);
	spin_unlock_irqrestore(&intr->lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_intr_write);

/**
 * ernic_intr_msix_mask - the operating system masks or unmasks an entry
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 * @masked: new state; unmasking delivers what was latched meanwhile
 */
void ernic_intr_msix_mask(struct ernic_dev *edev, unsigned int vec, bool masked)
{
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;

	spin_lock_irqsave(&intr->lock, flags);
	intr->msix_masked = masked;
	if (!masked && intr->pending) {
		intr->pending = false;
		edev->front.irq->signal(edev, vec);
	}
	spin_unlock_irqrestore(&intr->lock, flags);
}
EXPORT_SYMBOL_GPL(ernic_intr_msix_mask);

/**
 * ernic_intr_msix_pending - pending bit of an entry, for the PBA
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 */
bool ernic_intr_msix_pending(struct ernic_dev *edev, unsigned int vec)
{
	return READ_ONCE(edev->intr[vec].pending);
}
EXPORT_SYMBOL_GPL(ernic_intr_msix_pending);
