// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who can talk to whom: two ports can in a partition if both have its P_Key and
 * at least one is a full member (IBA volume 1, section 10.9.3).
 */
#include <stdlib.h>
#include <string.h>

#include "reach.h"

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct memberships memberships_of(const struct pkey_table *t)
{
	struct memberships m = { .v = xcalloc(t->used, sizeof(*m.v)) };
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->used; i++) {
		uint32_t base = t->cur[i] & ~PKEY_FULL;

		if (base)
			m.v[m.n++] = base << 2 | (t->cur[i] & PKEY_FULL ? MEMBER_FULL :
						  MEMBER_LIMITED);
	}
	if (!m.n)
		return m;
	qsort(m.v, m.n, sizeof(*m.v), by_value);
	for (unsigned int i = 1; i < m.n; i++) {
		if (m.v[i] >> 2 == m.v[n] >> 2)
			m.v[n] |= m.v[i];
		else
			m.v[++n] = m.v[i];
	}
	m.n = n + 1;
	return m;
}

bool memberships_equal(const struct memberships *a, const struct memberships *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->v, b->v, a->n * sizeof(*a->v)));
}

/**
 * talk_in() - the partitions in which two ports can talk
 * @a: one
 * @b: the other
 * @bases: result
 * @room: of @bases
 *
 * Return: number of partitions, which may be larger than @room.
 */
unsigned int talk_in(const struct memberships *a, const struct memberships *b,
		     uint16_t *bases, unsigned int room)
{
	unsigned int n = 0, i = 0, k = 0;

	while (i < a->n && k < b->n) {
		uint32_t x = a->v[i] >> 2, y = b->v[k] >> 2;

		if (x == y) {
			if ((a->v[i] | b->v[k]) & MEMBER_FULL) {
				if (n < room)
					bases[n] = (uint16_t)x;
				n++;
			}
			i++;
			k++;
		} else if (x < y) {
			i++;
		} else {
			k++;
		}
	}
	return n;
}

bool can_talk(const struct memberships *a, const struct memberships *b)
{
	return talk_in(a, b, NULL, 0);
}

/* ---- classes ---- */

struct sorting {
	struct memberships m, m2;
	uint32_t port, order;
};

static int compare(const struct memberships *a, const struct memberships *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->n ? memcmp(a->v, b->v, a->n * sizeof(*a->v)) : 0;
}

static int by_sets(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;
	int c = compare(&x->m, &y->m);

	if (!c)
		c = compare(&x->m2, &y->m2);
	if (!c)
		c = x->order < y->order ? -1 : x->order > y->order;
	return c;
}

static const struct fabric *sort_fabric;

static int by_first_port(const void *a, const void *b)
{
	const struct class *x = a, *y = b;
	uint32_t ox = sort_fabric->ports[x->ports[0]].order, oy = sort_fabric->ports[y->ports[0]].order;

	return ox < oy ? -1 : ox > oy;
}

/**
 * classes_of() - sorts HCAs and routers by what they are members of
 * @a: fabric
 * @b: the same fabric with another file, or NULL
 */
struct classes classes_of(const struct fabric *a, const struct fabric *b)
{
	struct sorting *s = xcalloc(a->nports, sizeof(*s));
	struct classes c = { 0 };
	size_t n = 0, room = 0;

	for (size_t i = 0; i < a->nports; i++) {
		if (a->ports[i].type == NODE_SWITCH)
			continue;
		s[n].m = memberships_of(&a->ports[i].table);
		if (b)
			s[n].m2 = memberships_of(&b->ports[i].table);
		s[n].port = (uint32_t)i;
		s[n++].order = a->ports[i].order;
	}
	if (n)
		qsort(s, n, sizeof(*s), by_sets);
	for (size_t i = 0; i < n; i++) {
		struct class *last = c.n ? &c.v[c.n - 1] : NULL;

		if (last && memberships_equal(&last->m, &s[i].m) &&
		    memberships_equal(&last->m2, &s[i].m2)) {
			free(s[i].m.v);
			free(s[i].m2.v);
		} else {
			GROW(c.v, c.n, room);
			last = &c.v[c.n++];
			memset(last, 0, sizeof(*last));
			last->m = s[i].m;
			last->m2 = s[i].m2;
		}
		GROW(last->ports, last->n, last->room);
		last->ports[last->n++] = s[i].port;
	}
	free(s);
	sort_fabric = a;
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), by_first_port);
	return c;
}

void classes_free(struct classes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].m.v);
		free(c->v[i].m2.v);
		free(c->v[i].ports);
	}
	free(c->v);
}

void class_names(const struct fabric *f, const struct class *c, size_t most, struct buf *b)
{
	for (size_t i = 0; i < c->n && i < most; i++)
		buf_printf(b, "%s%s", i ? ", " : "", f->ports[c->ports[i]].name);
	if (c->n > most)
		buf_printf(b, " and %zu more", c->n - most);
}
