/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupt control blocks and MSI-X delivery.
 *
 * One lock a vector; the state machine stands at the top of
 * drivers/ernic/function/intr.c.
 */
#ifndef ERNIC_INTR_H
#define ERNIC_INTR_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include <ionic/regs.h>

struct ernic_dev;

/**
 * struct ernic_intr - one vector
 * @lock: all members
 * @coal_init: coalescing period as the driver set it; stored, not used
 * @mask: the driver's mask
 * @mask_on_assert: firing sets @mask
 * @credits: completions posted and not yet given back by the driver, >= 0
 * @posted: completions ever posted
 * @posted_at_assert: @posted when the vector last fired
 * @msix_masked: masked by the operating system (MSI-X table, VFIO)
 * @pending: fired while @msix_masked; delivered when that ends
 * @asserts: how often it fired
 * @acks: how often the driver gave credits back
 */
struct ernic_intr {
	spinlock_t lock;
	u32 coal_init;
	bool mask;
	bool mask_on_assert;
	bool msix_masked;
	bool pending;
	u32 credits;
	u64 posted;
	u64 posted_at_assert;
	u64 asserts;
	u64 acks;
};

void ernic_intr_init(struct ernic_dev *edev);
void ernic_intr_reset(struct ernic_dev *edev);
/* @n completions are visible in guest memory; any context */
void ernic_intr_post(struct ernic_dev *edev, unsigned int vec, unsigned int n);
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
