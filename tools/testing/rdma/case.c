// SPDX-License-Identifier: GPL-2.0-only
/* Cases from numbers. */
#include <stdio.h>
#include <string.h>
#include "verify.h"

const char *const op_names[OP_COUNT] = {
	"send", "send-imm", "send-inv", "write", "write-imm", "read", "cmp-swap", "fetch-add",
};
const char *const type_names[TYPE_COUNT] = { "rc", "uc", "ud" };

#define BIT(n) (1u << (n))

static const uint32_t ops_of_type[TYPE_COUNT] = {
	[TYPE_RC] = BIT(OP_COUNT) - 1,
	[TYPE_UC] = BIT(OP_SEND) | BIT(OP_SEND_IMM) | BIT(OP_WRITE) | BIT(OP_WRITE_IMM),
	[TYPE_UD] = BIT(OP_SEND) | BIT(OP_SEND_IMM),
};

bool takes_receive(enum op op)
{
	return op == OP_SEND || op == OP_SEND_IMM || op == OP_SEND_INV || op == OP_WRITE_IMM;
}

static bool one_sided(enum op op)
{
	return op == OP_WRITE || op == OP_WRITE_IMM || op == OP_READ;
}

static bool atomic(enum op op)
{
	return op == OP_CMP_SWAP || op == OP_FETCH_ADD;
}

/* A place in an arena behind all others, with a gap that nothing may touch. */
static uint64_t place(struct rng *r, uint64_t *used, uint64_t len, uint64_t align)
{
	uint64_t off = *used + rng_below(r, 4) * rng_below(r, 40);

	if (rng_chance(r, 25)) /* across a page, or at the start of one */
		off = ((off + 4095) & ~4095ull) + (rng_chance(r, 50) ? 4096 - rng_below(r, 20) : 0);
	off = (off + align - 1) & ~(align - 1);
	*used = off + len;
	return off;
}

/* Cuts len bytes into at most max pieces, some of them empty. */
static int cut(struct rng *r, struct seg *segs, int max, uint64_t len, uint64_t *used)
{
	int n;

	if (!len && rng_chance(r, 50))
		return 0;
	n = 1 + (rng_chance(r, 50) ? 0 : rng_below(r, max));
	for (int i = 0; i < n; i++) {
		uint64_t piece = len;

		if (i < n - 1) {
			piece = rng_below(r, len + 1);
			if (rng_chance(r, 20))
				piece = piece > 64 ? rng_below(r, 65) : piece;
		}
		segs[i].len = piece;
		segs[i].off = place(r, used, piece, 1);
		len -= piece;
	}
	return n;
}

static uint64_t length(struct rng *r, const struct limits *l)
{
	uint64_t max = l->max_size, n;

	switch (rng_below(r, 8)) {
	case 0:
		n = rng_below(r, 3);
		break;
	case 1:
	case 2:
		n = rng_below(r, 300);
		break;
	case 3: /* about a page */
		n = (rng_below(r, 5) + 1) * 4096 + rng_below(r, 65) - 32;
		break;
	case 4: /* about a packet */
		n = (rng_below(r, 9) + 1) * l->mtu + rng_below(r, 9) - 4;
		break;
	default: /* any order of magnitude */
		n = 1ull << rng_below(r, 41);
		n += rng_below(r, n);
		while (n > max)
			n >>= 1;
	}
	return n > max ? rng_below(r, max + 1) : n;
}

static enum op pick_op(struct rng *r, uint32_t ops)
{
	int n = rng_below(r, __builtin_popcount(ops));

	for (int i = 0; i < OP_COUNT; i++)
		if (ops & BIT(i) && !n--)
			return i;
	return OP_SEND;
}

static void finish_request(struct test_case *c, struct request *q, struct rng *r,
			   const struct limits *l, bool simple)
{
	uint64_t extra;

	if (atomic(q->op)) {
		q->len = 8;
		q->nlocal = 1;
		q->local[0].len = 8;
		q->local[0].off = place(r, &c->used[0], 8, simple ? 8 : 1);
		q->remote = place(r, &c->used[1], 8, 8);
		q->compare = rng_next(r);
		q->swap = rng_next(r);
		q->initial = rng_chance(r, 50) ? q->compare : rng_next(r);
	} else if (simple) {
		q->nlocal = 1;
		q->local[0].len = q->len;
		q->local[0].off = place(r, &c->used[0], q->len, 1);
	} else {
		q->nlocal = cut(r, q->local, l->max_sge, q->len, &c->used[0]);
	}
	if (one_sided(q->op))
		q->remote = place(r, &c->used[1], q->len, 1);
	if (!takes_receive(q->op))
		return;
	q->imm = rng_next(r);
	q->solicited = c->events || rng_chance(r, 20);
	/* WRITE_IMM takes a receive, but no memory of it */
	extra = rng_chance(r, 30) ? rng_below(r, 100) : 0;
	if (c->type == TYPE_UD)
		extra += GRH_BYTES;
	if (simple) {
		q->nrecv = 1;
		q->recv[0].len = q->len + extra;
		q->recv[0].off = place(r, &c->used[1], q->len + extra, 1);
	} else {
		q->nrecv = cut(r, q->recv, l->max_sge, q->len + extra, &c->used[1]);
	}
}

/* Sizes of the sweep: each power of two, and its neighbours. */
static int sweep_sizes(const struct limits *l)
{
	int n = 0;

	for (uint64_t s = 1; s <= l->max_size; s <<= 1)
		n += 3;
	return n;
}

uint64_t sweep_cases(const struct limits *l)
{
	uint64_t n = 0;

	for (int t = 0; t < TYPE_COUNT; t++)
		if (l->types & BIT(t))
			n += (uint64_t)__builtin_popcount(ops_of_type[t] & l->ops) * sweep_sizes(l);
	return n;
}

static void case_sweep(struct test_case *c, const struct limits *l, struct rng *r, uint64_t number)
{
	struct request *q = &c->req[0];
	uint64_t sizes = sweep_sizes(l), size;

	for (int t = 0; t < TYPE_COUNT; t++) {
		uint32_t ops = l->types & BIT(t) ? ops_of_type[t] & l->ops : 0;
		uint64_t n = __builtin_popcount(ops) * sizes;

		if (number >= n) {
			number -= n;
			continue;
		}
		c->type = t;
		for (int op = 0; op < OP_COUNT; op++) {
			if (!(ops & BIT(op)))
				continue;
			if (number < sizes) {
				q->op = op;
				break;
			}
			number -= sizes;
		}
		break;
	}
	size = (1ull << number / 3) + number % 3 - 1;
	if (size > l->max_size)
		size = l->max_size;
	if (c->type == TYPE_UD && size > l->mtu)
		size = l->mtu;
	if (q->op == OP_SEND_INV && !l->windows)
		q->op = OP_SEND;
	q->len = size;
	q->signalled = true;
	c->n = 1;
	finish_request(c, q, r, l, true);
	if (q->op == OP_SEND_INV)
		q->window = WINDOW_TYPE2;
}

void case_make(struct test_case *c, const struct limits *l, uint64_t seed, uint64_t number,
	       bool sweep)
{
	struct rng r = { mix(seed ^ mix(number)) };
	uint32_t ops;
	uint64_t budget;
	bool used1 = false, used2 = false;
	int want, depth = 0;

	memset(c, 0, sizeof(*c));
	c->number = number;
	c->qp = rng_below(&r, l->qps);
	c->events = rng_chance(&r, 25);
	c->chained = rng_chance(&r, 50);
	if (sweep) {
		case_sweep(c, l, &r, number);
		return;
	}
	do {
		c->type = rng_below(&r, TYPE_COUNT);
	} while (!(l->types & BIT(c->type)));
	ops = ops_of_type[c->type] & l->ops;
	if (!l->windows)
		ops &= ~BIT(OP_SEND_INV);
	if (!l->atomics)
		ops &= ~(BIT(OP_CMP_SWAP) | BIT(OP_FETCH_ADD));
	if (!ops)
		ops = BIT(OP_SEND);

	want = rng_chance(&r, 50) ? 1 : 1 + rng_below(&r, rng_chance(&r, 20) ? MAX_WRS : 8);
	if (want > l->requests)
		want = l->requests;
	budget = l->max_size;
	for (c->n = 0; c->n < want; c->n++) {
		struct request *q = &c->req[c->n];
		uint64_t len = length(&r, l);

		q->op = pick_op(&r, ops);
		if (q->op == OP_SEND_INV && used2)
			q->op = OP_SEND;
		if (c->type == TYPE_UD && len > l->mtu)
			len = rng_below(&r, l->mtu + 1);
		if (len > budget)
			len = budget;
		budget -= len;
		q->len = len;
		finish_request(c, q, &r, l, false);
		if (l->windows && c->type == TYPE_RC && one_sided(q->op) && q->len &&
		    rng_chance(&r, 30)) {
			if (!used2) {
				q->window = WINDOW_TYPE2;
				used2 = true;
			} else if (!used1) {
				q->window = WINDOW_TYPE1;
				used1 = true;
			}
		} else if (q->op == OP_SEND_INV) {
			q->window = WINDOW_TYPE2;
			used2 = true;
		}
		q->inlined = q->op != OP_READ && !atomic(q->op) && q->len <= l->max_inline &&
			     rng_chance(&r, 50);
		q->fence = c->type == TYPE_RC && rng_chance(&r, 15);
		/* The last one tells that all are done. */
		q->signalled = rng_chance(&r, 60) || c->n == want - 1 || ++depth > 16;
		if (q->signalled)
			depth = 0;
	}
}

uint64_t data_key(const struct test_case *c, int i)
{
	return mix(c->number * MAX_WRS + i + 1);
}

static void print_segs(const char *what, const struct seg *s, int n)
{
	fprintf(stderr, " %s", what);
	for (int i = 0; i < n; i++)
		fprintf(stderr, " %#llx+%u", (unsigned long long)s[i].off, s[i].len);
	if (!n)
		fprintf(stderr, " none");
}

void case_print(const struct test_case *c)
{
	fprintf(stderr, "case %llu: %s, pair %d, %d requests%s%s\n", (unsigned long long)c->number,
		type_names[c->type], c->qp, c->n, c->chained ? ", chained" : "",
		c->events ? ", events" : "");
	for (int i = 0; i < c->n; i++) {
		const struct request *q = &c->req[i];

		fprintf(stderr, "  %2d %-9s %u bytes%s%s%s%s", i, op_names[q->op], q->len,
			q->inlined ? ", inline" : "", q->signalled ? "" : ", unsignalled",
			q->solicited ? ", solicited" : "", q->fence ? ", fence" : "");
		print_segs(", local", q->local, q->nlocal);
		if (takes_receive(q->op))
			print_segs(", receive", q->recv, q->nrecv);
		if (one_sided(q->op) || atomic(q->op))
			fprintf(stderr, ", remote %#llx", (unsigned long long)q->remote);
		if (q->window)
			fprintf(stderr, ", window of type %d", q->window);
		if (atomic(q->op))
			fprintf(stderr, ", %#llx compare %#llx swap/add %#llx",
				(unsigned long long)q->initial, (unsigned long long)q->compare,
				(unsigned long long)q->swap);
		fprintf(stderr, "\n");
	}
}
