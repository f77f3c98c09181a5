// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the RDMA engine: looked through one by one, as there are few entries. */
#include "kshim.h"

static int xa_find(struct xarray *xa, unsigned long index)
{
	for (unsigned int i = 0; i < xa->n; i++)
		if (xa->index[i] == index)
			return i;
	return -1;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	int i = xa_find(xa, index);

	return i < 0 ? NULL : xa->entry[i];
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	int i = xa_find(xa, index);
	void *old;

	if (i < 0)
		return NULL;
	old = xa->entry[i];
	xa->n--;
	xa->index[i] = xa->index[xa->n];
	xa->entry[i] = xa->entry[xa->n];
	return old;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	int i = xa_find(xa, index);
	void *old;

	if (i >= 0) {
		old = xa->entry[i];
		xa->entry[i] = entry;
		return old;
	}
	if (xa->n == xa->room) {
		xa->room = xa->room ? 2 * xa->room : 16;
		xa->index = realloc(xa->index, xa->room * sizeof(*xa->index));
		xa->entry = realloc(xa->entry, xa->room * sizeof(*xa->entry));
	}
	xa->index[xa->n] = index;
	xa->entry[xa->n++] = entry;
	return NULL;
}

/* in the order of the indices: the loop may erase */
void *kshim_xa_next(struct xarray *xa, unsigned long *index, bool first)
{
	int best = -1;

	for (unsigned int i = 0; i < xa->n; i++)
		if ((first || xa->index[i] > *index) &&
		    (best < 0 || xa->index[i] < xa->index[best]))
			best = i;
	if (best < 0)
		return NULL;
	*index = xa->index[best];
	return xa->entry[best];
}

int rhltable_init(struct rhltable *t, const struct rhashtable_params *p)
{
	t->first = NULL;
	return 0;
}

int kshim_rhl_insert(struct rhltable *t, struct rhlist_head *e)
{
	e->all = t->first;
	t->first = e;
	return 0;
}

int kshim_rhl_remove(struct rhltable *t, struct rhlist_head *e)
{
	for (struct rhlist_head **p = &t->first; *p; p = &(*p)->all) {
		if (*p == e) {
			*p = e->all;
			return 0;
		}
	}
	kshim_abort("not in the table");
	return -ENOENT;
}

struct rhlist_head *kshim_rhl_lookup(struct rhltable *t, const void *key,
				     const struct rhashtable_params *p)
{
	struct rhlist_head *found = NULL;

	for (struct rhlist_head *e = t->first; e; e = e->all) {
		if (memcmp((char *)e - p->head_offset + p->key_offset, key, p->key_len))
			continue;
		e->next = found;
		found = e;
	}
	return found;
}
