// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots of a doorbell page: what the guest has stored, and what of it was taken.
 */
#include <linux/bitmap.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "page_priv.h"

/* no doorbell has this value: its ring and queue do not exist */
#define ERNIC_SLOT_EMPTY	cpu_to_le64(U64_MAX)

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

/**
 * ernic_page_take - a value that is known whole and in order
 * @p: page
 * @slot: 8-byte slot
 * @val: value
 *
 * Any context.
 */
void ernic_page_take(struct ernic_page *p, unsigned int slot, u64 val)
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
