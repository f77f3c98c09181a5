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
 * Coalescing is not emulated; identify reports a multiplier of 0, so that the
 * driver's DIM leaves the value alone (ionic_lif.h:ionic_coal_usec_to_hw).
 */
#include <linux/pci.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "trace.h"

static void ernic_intr_deliver(struct ernic_dev *edev, unsigned int vec,
			       struct ernic_intr *intr)
{
	if (intr->msix_masked) {
		intr->pending = true;
		return;
	}
	edev->front.irq->signal(edev, vec);
}

static void ernic_intr_assert(struct ernic_dev *edev, unsigned int vec,
			      struct ernic_intr *intr)
{
	intr->posted_at_assert = intr->posted;
	if (intr->mask_on_assert)
		intr->mask = true;
	intr->asserts++;
	trace_ernic_irq(edev, vec, intr->credits);
	ernic_intr_deliver(edev, vec, intr);
}

static void ernic_intr_clear(struct ernic_intr *intr)
{
	intr->coal_init = 0;
	intr->mask = true;
	intr->mask_on_assert = false;
	intr->pending = false;
	intr->credits = 0;
	intr->posted = 0;
	intr->posted_at_assert = 0;
}

/**
 * ernic_intr_init - first-time set-up of all vectors
 * @edev: device
 */
void ernic_intr_init(struct ernic_dev *edev)
{
	int i;

	for (i = 0; i < ION_MSIX_VECTORS; i++) {
		spin_lock_init(&edev->intr[i].lock);
		ernic_intr_clear(&edev->intr[i]);
	}
}
ERNIC_KUNIT_EXPORT(ernic_intr_init);

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
	struct ernic_intr *intr = &edev->intr[vec];
	unsigned long flags;

	if (!n)
		return;
	spin_lock_irqsave(&intr->lock, flags);
	/* the register has 16 bits, signed: a driver that never gives back */
	intr->credits = min_t(u32, intr->credits + n, S16_MAX);
	intr->posted += n;
	/* the driver's mask is read after the completion was made visible */
	smp_mb();
	if (!intr->mask)
		ernic_intr_assert(edev, vec, intr);
	spin_unlock_irqrestore(&intr->lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_intr_post);

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
	struct ernic_intr *intr = &edev->intr[vec];

	switch (reg) {
	case ION_INTR_COAL_INIT:
		return READ_ONCE(intr->coal_init);
	case ION_INTR_MASK:
		return READ_ONCE(intr->mask);
	case ION_INTR_CREDITS:
		return READ_ONCE(intr->credits);
	case ION_INTR_MASK_ASSERT:
		return READ_ONCE(intr->mask_on_assert);
	default:
		return 0;
	}
}
ERNIC_KUNIT_EXPORT(ernic_intr_read);

static void ernic_intr_credit(struct ernic_dev *edev, unsigned int vec,
			      struct ernic_intr *intr, u32 val)
{
	u32 n = val & ION_INTR_CRED_COUNT_MASK;

	intr->acks++;
	intr->credits -= min(n, intr->credits);
	if (!(val & ION_INTR_CRED_UNMASK))
		return;
	intr->mask = false;
	if (!n && intr->posted == intr->posted_at_assert)
		intr->credits = 0;
	if (intr->credits)
		ernic_intr_assert(edev, vec, intr);
}

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

	spin_lock_irqsave(&intr->lock, flags);
	switch (reg) {
	case ION_INTR_COAL_INIT:
		intr->coal_init = val;
		break;
	case ION_INTR_MASK:
		intr->mask = val & 1;
		if (!intr->mask && intr->credits)
			ernic_intr_assert(edev, vec, intr);
		break;
	case ION_INTR_CREDITS:
		ernic_intr_credit(edev, vec, intr, val);
		break;
	case ION_INTR_MASK_ASSERT:
		intr->mask_on_assert = val & 1;
		break;
	}
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
