/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of a doorbell page share.  The protocol stands at the top of page.c;
 * page_slot.c has the values, page_poll.c the workers that look for them.
 */
#ifndef ERNIC_PAGE_PRIV_H
#define ERNIC_PAGE_PRIV_H

#include <ernic/page.h>

static inline bool ernic_page_hot(const struct ernic_page *p)
{
	return p->mode != ERNIC_PAGE_TRAP && !READ_ONCE(p->armed);
}

/* page.c; process context, without the page's lock */
void ernic_page_arm(struct ernic_page *p, struct ernic_worker *w);
void ernic_page_disarm(struct ernic_page *p);

/* page_slot.c */
void ernic_page_take(struct ernic_page *p, unsigned int slot, u64 val);

/* page_poll.c; under the page's lock */
u64 ernic_page_quiet_min(const struct ernic_page *p);
void ernic_page_quiet_grow(struct ernic_page *p);

#endif
