// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which P_Key gets which index of a port's table: osm_pkey_mgr.c, osm_pkey.c.
 *
 * OpenSM keeps the indexes of P_Keys over sweeps, takes partitions in the order
 * of pkey_order(), and has index 0 for the default P_Key, unless indx0.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric.h"
#include "util.h"

struct pending {
	uint16_t pkey;
	uint16_t index;
	bool is_new;
	struct pending *next;
};

/* Of one port, while the tables are calculated. */
struct queue {
	struct pending *head, *tail;
	unsigned int fresh;
	bool closed;
	unsigned int skipped;
};

/**
 * struct sweep - a calculation of all tables
 * @sm: OpenSM
 * @queues: of each port
 * @bits: scratch, all zero between partitions
 * @open: ports that take part in partitions of everybody
 * @nopen: number of them
 * @skipped: per node type, partitions of everybody that closed ports were not asked for
 *
 * A fabric may have ten thousand ports in thirty thousand partitions, and tables of
 * a hundred entries: a port that certainly has no room any more is left alone.
 */
struct sweep {
	struct sm *sm;
	struct queue *queues;
	uint8_t *bits;
	uint32_t *open;
	size_t nopen;
	unsigned int skipped[NODE_TYPES];
};

void pkeys_init(struct pkey_table *t, unsigned int cap)
{
	unsigned int room = (cap + PKEY_BLOCK - 1) / PKEY_BLOCK * PKEY_BLOCK;

	t->cap = (uint16_t)cap;
	t->cur = xcalloc(room, sizeof(*t->cur));
	/* how a port comes up */
	t->cur[0] = PKEY_DEFAULT | PKEY_FULL;
	t->used = 1;
}

void pkeys_free(struct pkey_table *t)
{
	free(t->cur);
	free(t->accum);
}

static uint16_t base_of(uint16_t pkey)
{
	return pkey & (uint16_t)~PKEY_FULL;
}

/* P_Keys are one, without -W, if they differ in membership only. */
static bool same(const struct sm *sm, uint16_t a, uint16_t b)
{
	return sm->opt.both ? a == b : base_of(a) == base_of(b);
}

static bool is_default(const struct sm *sm, uint16_t pkey)
{
	return sm->opt.both ? pkey == (PKEY_DEFAULT | PKEY_FULL) :
	       base_of(pkey) == PKEY_DEFAULT;
}

static int find_current(const struct sm *sm, const struct pkey_table *t, uint16_t pkey)
{
	for (unsigned int i = 0; i < t->used; i++)
		if (base_of(t->cur[i]) && same(sm, t->cur[i], pkey))
			return (int)i;
	return -1;
}

static unsigned int accum_position(const struct pkey_table *t, uint16_t pkey)
{
	unsigned int lo = 0, hi = t->naccum;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (pkey_order(t->accum[mid].pkey) < pkey_order(pkey))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static unsigned int accum_get(const struct pkey_table *t, uint16_t pkey)
{
	unsigned int i = accum_position(t, pkey);

	return i < t->naccum && t->accum[i].pkey == pkey ? t->accum[i].index1 : 0;
}

static void accum_set(struct pkey_table *t, uint16_t pkey, unsigned int index)
{
	unsigned int i = accum_position(t, pkey);

	if (index >= t->last)
		t->last = (uint16_t)(index + 1);
	if (i == t->naccum || t->accum[i].pkey != pkey) {
		t->accum = xrealloc(t->accum, t->naccum + 1, sizeof(*t->accum));
		memmove(t->accum + i + 1, t->accum + i,
			(t->naccum - i) * sizeof(*t->accum));
		t->naccum++;
		t->accum[i].pkey = pkey;
	}
	t->accum[i].index1 = (uint16_t)(index + 1);
}

/* Forgets the first P_Key of an index. */
static void accum_clear(struct pkey_table *t, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < t->naccum && t->accum[i].index1 != index + 1; i++)
		;
	if (i == t->naccum)
		return;
	t->naccum--;
	memmove(t->accum + i, t->accum + i + 1, (t->naccum - i) * sizeof(*t->accum));
	if (t->last != index + 1)
		return;
	t->last = 0;
	for (i = 0; i < t->naccum; i++)
		if (t->accum[i].index1 > t->last)
			t->last = t->accum[i].index1;
}

static void push(struct queue *q, struct pending *p, bool front)
{
	p->next = front ? q->head : NULL;
	if (front) {
		q->head = p;
		if (!q->tail)
			q->tail = p;
		return;
	}
	if (q->tail)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
}

/* Found no room.  The first few are kept, so as to name them. */
static void drop(struct pkey_table *t, uint16_t pkey)
{
	if (t->ndropped < PKEYS_DROPPED)
		t->dropped[t->ndropped] = pkey;
	t->ndropped++;
}

/* osm_pkey_mgr.c:pkey_mgr_process_physical_port */
static void enqueue(const struct sm *sm, struct port *port, struct queue *q, uint16_t pkey)
{
	struct pkey_table *t = &port->table;
	int at = find_current(sm, t, pkey);
	bool first = t->indx0 ? same(sm, pkey, t->indx0) : is_default(sm, pkey);
	struct pending *p;

	/*
	 * In a table that starts empty, what comes after as many new P_Keys as
	 * it has entries finds no room; only index 0 is spoken for.
	 */
	if (at < 0 && !first && !t->naccum && q->fresh > t->cap) {
		drop(t, pkey);
		q->closed = t->ndropped >= PKEYS_DROPPED;
		return;
	}
	p = xcalloc(1, sizeof(*p));
	p->pkey = pkey;
	p->is_new = at < 0;
	if (at >= 0) {
		p->index = (uint16_t)at;
		/* in the way at index 0, or index 0 is where it belongs */
		if (t->indx0) {
			if ((at == 0) != first)
				p->is_new = true;
		} else if (at == 0) {
			/* with -W, 0x7fff may stay where 0xffff does not come */
			if (base_of(pkey) != PKEY_DEFAULT)
				p->is_new = true;
		} else if (first) {
			p->is_new = true;
		}
		if (p->is_new)
			accum_clear(t, (unsigned int)at);
	}
	if (p->is_new && !first)
		q->fresh++;
	push(q, p, !p->is_new);
}

static void enqueue_port(struct sweep *w, const struct partition *p, size_t i, unsigned int bits)
{
	struct port *port = &w->sm->fabric->ports[i];

	if (bits & MEMBER_LIMITED)
		enqueue(w->sm, port, &w->queues[i], p->pkey);
	if (bits & MEMBER_FULL)
		enqueue(w->sm, port, &w->queues[i], p->pkey | PKEY_FULL);
}

/* Index 0 of some port may be waiting for it. */
static bool is_special(const struct sm *sm, const struct partition *p)
{
	return p->pkey == PKEY_DEFAULT || sm->opt.both ||
	       sm->indx0_bases[p->pkey / 8] & 1u << p->pkey % 8;
}

static void enqueue_all(struct sweep *w, const struct partition *p, const bool *covered)
{
	const struct fabric *f = w->sm->fabric;
	bool special = is_special(w->sm, p);
	size_t n = 0;

	sm_members(w->sm, p, w->bits);
	if (special) {
		for (size_t i = 0; i < f->nports; i++)
			enqueue_port(w, p, i, w->bits[i]);
		memset(w->bits, 0, f->nports);
		return;
	}
	for (size_t k = 0; k < w->nopen; k++) {
		uint32_t i = w->open[k];
		struct queue *q = &w->queues[i];

		enqueue_port(w, p, i, w->bits[i]);
		w->open[n] = i;
		n += !q->closed;
		/* from the next partition on */
		if (q->closed)
			q->skipped = w->skipped[f->ports[i].type] + covered[f->ports[i].type];
	}
	w->nopen = n;
	for (unsigned int t = 0; t < NODE_TYPES; t++)
		w->skipped[t] += covered[t];
	/* closed ones that are members by their GUID only */
	for (size_t k = 0; k < p->nops; k++) {
		uint32_t i = p->ops[k].port;

		if (i >= OP_ALL || !w->queues[i].closed || covered[f->ports[i].type] || !w->bits[i])
			continue;
		enqueue_port(w, p, i, w->bits[i]);
		w->bits[i] = 0;
	}
	memset(w->bits, 0, f->nports);
}

static void enqueue_partition(struct sweep *w, const struct partition *p)
{
	bool covered[NODE_TYPES] = { false };
	bool all = false;

	for (size_t i = 0; i < p->nops; i++) {
		uint32_t port = p->ops[i].port;

		if (port < OP_ALL)
			continue;
		all = true;
		for (unsigned int t = 0; t < NODE_TYPES; t++)
			covered[t] |= port == OP_ALL || port == OP_ALL + t;
	}
	if (all) {
		enqueue_all(w, p, covered);
		return;
	}
	for (size_t i = 0; i < p->nops; i++)
		w->bits[p->ops[i].port] = p->ops[i].bits;
	for (size_t i = 0; i < p->nops; i++) {
		enqueue_port(w, p, p->ops[i].port, w->bits[p->ops[i].port]);
		w->bits[p->ops[i].port] = 0;
	}
}

/* osm_pkey.c:osm_pkey_find_next_free_entry, from index 1 */
static int next_free(const struct pkey_table *t, const uint16_t *table)
{
	unsigned int room = (t->cap + PKEY_BLOCK - 1) / PKEY_BLOCK * PKEY_BLOCK;

	for (unsigned int i = 1; i < room; i++)
		if (!base_of(table[i]))
			return (int)i;
	return -1;
}

/* osm_pkey_mgr.c:pkey_mgr_update_port: index of a P_Key that has none, or -1 */
static int place(const struct sm *sm, struct pkey_table *t, const uint16_t *table,
		 uint16_t pkey)
{
	unsigned int index;
	int at;

	if (t->indx0 ? same(sm, pkey, t->indx0) : is_default(sm, pkey))
		index = 0;
	else if (t->last)
		index = t->last;
	else
		index = 1;
	if (index < t->cap)
		return (int)index;
	if (is_default(sm, pkey))
		return -1;
	at = next_free(t, table);
	if (at < 0 || at >= t->cap)
		return -1;
	accum_clear(t, (unsigned int)at);
	return at;
}

static void update(const struct sm *sm, struct port *port, struct queue *q)
{
	struct pkey_table *t = &port->table;
	unsigned int room = (t->cap + PKEY_BLOCK - 1) / PKEY_BLOCK * PKEY_BLOCK;
	uint16_t *table = xcalloc(room, sizeof(*table));
	struct pending *p;

	while ((p = q->head)) {
		unsigned int index1 = p->is_new ? accum_get(t, p->pkey) : 0;
		int at = -1;

		q->head = p->next;
		if (!q->head)
			q->tail = NULL;
		if (!p->is_new) {
			at = p->index;
		} else if (index1) {
			at = (int)index1 - 1;
			if (same(sm, p->pkey, t->indx0) ||
			    (p->pkey != t->indx0 && at == 0)) {
				accum_clear(t, (unsigned int)at);
				push(q, p, false);
				continue;
			}
		} else {
			at = place(sm, t, table, p->pkey);
			if (at < 0)
				drop(t, p->pkey);
		}
		if (at >= 0) {
			table[at] = p->pkey;
			if (!index1)
				accum_set(t, p->pkey, (unsigned int)at);
		}
		free(p);
	}
	t->indx0 = 0;
	t->used = 0;
	for (unsigned int i = 0; i < room; i++)
		if (table[i])
			t->used = (uint16_t)(i + 1);
	free(t->cur);
	t->cur = table;
}

/**
 * pkeys_sweep() - osm_pkey_mgr.c:osm_pkey_mgr_process
 * @sm: OpenSM, with its partitions up to date
 */
void pkeys_sweep(struct sm *sm)
{
	struct fabric *f = sm->fabric;
	struct sweep w = {
		.sm = sm,
		.queues = xcalloc(f->nports, sizeof(*w.queues)),
		.bits = xcalloc(f->nports, 1),
		.open = xcalloc(f->nports, sizeof(*w.open)),
		.nopen = f->nports,
	};

	for (size_t i = 0; i < f->nports; i++) {
		f->ports[i].table.ndropped = 0;
		w.open[i] = (uint32_t)i;
	}
	for (struct partition *p = NULL; (p = sm_next(sm, p)); )
		enqueue_partition(&w, p);
	for (size_t i = 0; i < f->nports; i++) {
		struct port *p = &f->ports[i];

		/* one that was closed by a GUID is still on the list of the open ones */
		if (w.queues[i].skipped)
			p->table.ndropped += w.skipped[p->type] - w.queues[i].skipped;
		update(sm, p, &w.queues[i]);
	}
	memset(sm->indx0_bases, 0, sizeof(sm->indx0_bases));
	free(w.open);
	free(w.bits);
	free(w.queues);
}

/**
 * pkeys_membership() - what a port's table says about a partition
 * @t: table
 * @base: P_Key without the membership bit
 *
 * Return: MEMBER_*, 0 if it has no entry.
 */
unsigned int pkeys_membership(const struct pkey_table *t, uint16_t base)
{
	unsigned int m = 0;

	for (unsigned int i = 0; i < t->used; i++)
		if (base_of(t->cur[i]) == base && t->cur[i])
			m |= t->cur[i] & PKEY_FULL ? MEMBER_FULL : MEMBER_LIMITED;
	return m;
}
