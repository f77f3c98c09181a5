/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupt control blocks and MSI-X delivery.
 *
 * One lock a vector; the state machine stands at the top of
 * drivers/ernic/function/intr.c.
 */
#ifndef ERNIC_INTR_H
#define ERNIC_INTR_H

#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <ionic/regs.h>

struct ernic_dev;

/**
 * struct ernic_intr - one vector
 * @lock: all members, and our stores to the vector's registers
 * @regs: registers as the driver sees them, in a page that it may have mapped
 * @shown_mask: last value of the mask register that we stored or took
 * @shown_credits: last value of the credits register that we stored or took
 * @mask: the driver's mask
 * @mask_on_assert: firing sets @mask
 * @credits: completions posted and not yet given back by the driver, >= 0
 * @lazy: how many of @credits, at least, are of the kind that can wait
 * @lazy_on: @lazy_timer is queued
 * @lazy_timer: announces what has waited
 * @edev: for @lazy_timer
 * @posted: completions ever posted
 * @posted_at_assert: @posted when the vector last fired
 * @msix_masked: masked by the operating system (MSI-X table, VFIO)
 * @pending: fired while @msix_masked; delivered when that ends
 * @asserted_at: when it fired last, ktime
 * @asserts: how often it fired
 * @acks: how often the driver gave credits back
 */
struct ernic_intr {
	spinlock_t lock;
	__le32 *regs;
	u32 shown_mask;
	u32 shown_credits;
	bool mask;
	bool mask_on_assert;
	bool msix_masked;
	bool pending;
	u32 credits;
	u32 lazy;
	bool lazy_on;
	struct hrtimer lazy_timer;
	struct ernic_dev *edev;
	u64 posted;
	u64 posted_at_assert;
	u64 asserted_at;
	u64 asserts;
	u64 acks;
};

/**
 * struct ernic_intr_watch - vectors whose driver may store unseen
 * @timer: looks at them
 * @vec: masked vectors with credits; a bit changes under the lock of its vector
 * @lock: @on, @period_ns, and starting @timer; inside intr->lock
 * @on: @timer is queued, or running and will look at @vec once more
 * @first: the timer was set for the first look
 * @period_ns: grows while nothing happens
 * @turn_ns: how long the driver takes to unmask, a moving average
 * @ticks: how often @timer ran
 */
struct ernic_intr_watch {
	struct hrtimer timer;
	DECLARE_BITMAP(vec, ION_MSIX_VECTORS);
	spinlock_t lock;		/* see above */
	bool on;
	bool first;
	u64 period_ns;
	u64 turn_ns;
	atomic64_t ticks;
};

/* so many transmit completions do not wait: senders may have nothing left */
#define ERNIC_TX_LAZY_MAX	64u

int ernic_intr_init(struct ernic_dev *edev);
void ernic_intr_exit(struct ernic_dev *edev);
/* the VMM closed the device: no timer on return */
void ernic_intr_close(struct ernic_dev *edev);
/* registers are about to be mapped; any context */
void ernic_intr_mapped(struct ernic_dev *edev);
void ernic_intr_reset(struct ernic_dev *edev);
/* @n completions are visible in guest memory; any context */
void ernic_intr_post(struct ernic_dev *edev, unsigned int vec, unsigned int n);
/*
 * The same for completions that only give buffers back: the interrupt may wait, unless
 * @limit of them or any other completion wait with them
 */
void ernic_intr_post_lazy(struct ernic_dev *edev, unsigned int vec,
			  unsigned int n, unsigned int limit);
/* completions that the driver has not given back; any context */
u32 ernic_intr_outstanding(struct ernic_dev *edev, unsigned int vec);
u32 ernic_intr_read(struct ernic_dev *edev, unsigned int vec, unsigned int reg);
void ernic_intr_write(struct ernic_dev *edev, unsigned int vec,
		      unsigned int reg, u32 val);
/* the front end masks or unmasks a vector on behalf of the operating system */
void ernic_intr_msix_mask(struct ernic_dev *edev, unsigned int vec, bool masked);
bool ernic_intr_msix_pending(struct ernic_dev *edev, unsigned int vec);

/**
 * struct ernic_msix - the MSI-X table in BAR0, function/msix.c
 * @lock: @table, and the mask that follows from it and from message control;
 *	outside intr->lock
 * @table: address low, address high, data, vector control of each entry
 */
struct ernic_msix {
	spinlock_t lock;		/* @table and masks */
	u32 table[ION_MSIX_VECTORS][4];
};

void ernic_msix_init(struct ernic_dev *edev);
/* all entries masked and empty, as after power-on */
void ernic_msix_reset(struct ernic_dev *edev);
/* message control changed: enable and function mask */
void ernic_msix_update(struct ernic_dev *edev);
/*
 * Table and pending bits, ION_MSIX_TABLE_OFF and on; @off is the offset in
 * BAR0, 4-byte aligned.  Any context.
 */
u32 ernic_msix_read(struct ernic_dev *edev, u32 off);
void ernic_msix_write(struct ernic_dev *edev, u32 off, u32 val);
/* what to send for @vec; false while MSI-X is off */
bool ernic_msix_message(struct ernic_dev *edev, unsigned int vec, u64 *addr,
			u32 *data);

#endif
