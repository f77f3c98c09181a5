// SPDX-License-Identifier: GPL-2.0-only
/* diff: what a new file changes on a running fabric. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "codes.h"
#include "diag.h"
#include "reach.h"

/* Above this, pairs are too many to look at; partitions are compared still. */
#define CLASSES_MOST	3000u
#define NAMES		6u

struct options {
	struct common c;
	const char *files[2];
	unsigned int nfiles;
	enum diag_format format;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		state->child_inputs[1] = &o->format;
		return 0;
	case ARGP_KEY_ARG:
		if (o->nfiles == 2)
			argp_error(state, "OLD and NEW, no more");
		o->files[o->nfiles++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->nfiles < 2)
			argp_error(state, "which files? OLD NEW");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Partitions of a pair, and those of them that are not in @other. */
struct pair {
	uint16_t v[256];
	unsigned int n;
};

static struct pair pair_of(const struct memberships *a, const struct memberships *b)
{
	struct pair p;

	p.n = talk_in(a, b, p.v, 256);
	if (p.n > 256)
		p.n = 256;
	return p;
}

static unsigned int only_in(const struct pair *p, const struct pair *other, struct buf *out)
{
	unsigned int n = 0;

	for (unsigned int i = 0, k = 0; i < p->n; i++) {
		while (k < other->n && other->v[k] < p->v[i])
			k++;
		if (k < other->n && other->v[k] == p->v[i])
			continue;
		if (out && n < 4)
			buf_printf(out, "%s0x%04x", n ? ", " : "", p->v[i] | PKEY_FULL);
		else if (out && n == 4)
			buf_puts(out, ", ...");
		n++;
	}
	return n;
}

enum { GAIN_ALL, GAIN_SOME, LOSS_ALL, LOSS_SOME, PASSES };

static void pair_change(struct diags *d, const struct fabric *f, const struct class *x,
			const struct class *y, unsigned int pass)
{
	struct pair before = pair_of(&x->m, &y->m), after = pair_of(&x->m2, &y->m2), none = { .n = 0 };
	bool gain = pass == GAIN_ALL || pass == GAIN_SOME;
	struct buf a = { 0 }, b = { 0 }, in = { 0 }, other = { 0 };
	const struct pair *has = gain ? &after : &before, *had = gain ? &before : &after;

	if (!only_in(has, had, NULL) || (pass == GAIN_ALL || pass == LOSS_ALL) == (had->n > 0))
		return;
	class_names(f, x, NAMES, &a);
	class_names(f, y, NAMES, &b);
	only_in(has, had, &in);
	only_in(had, &none, &other);
	diag_add(d, "S30", 0, 0, 0, xstrdup(gain ? "is that meant?" : "no more traffic between them there: is that meant?"),
		 "%s %s %s in %s%s%s%s", a.s, gain ? "can now reach" : "can no longer reach",
		 x == y ? "each other" : b.s, in.s,
		 had->n ? (gain ? " (until now in " : " (but still in ") : "",
		 had->n ? other.s : "", had->n ? ")" : "");
	buf_free(&a);
	buf_free(&b);
	buf_free(&in);
	buf_free(&other);
}

/* Every pair whose reach is not what it was: whoever is new to each other first. */
static void reach_changes(struct diags *d, const struct fabric *f, const struct classes *c)
{
	for (unsigned int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < c->n; i++)
			for (size_t k = i; k < c->n; k++)
				if (i != k || c->v[i].n > 1)
					pair_change(d, f, &c->v[i], &c->v[k], pass);
}

static void group_text(const struct group *g, struct buf *b)
{
	buf_printf(b, "MTU %u, %g Gb/s, SL %u, Q_Key 0x%x, TClass %u, FlowLabel 0x%x",
		   mtu_octets(g->mtu), rate_gbps(g->rate), g->sl, g->qkey, g->tclass, g->flow);
}

/*
 * What a running OpenSM has after SIGHUP, beside what one has that starts with
 * the new file.
 */
static void stuck(struct diags *d, const struct sm *running, const struct sm *restarted)
{
	const struct fabric *f = running->fabric, *f2 = restarted->fabric;
	struct group **list;
	size_t n = group_list(running, &list);

	for (size_t i = 0; i < n; i++) {
		const struct group *g = list[i], *want = group_find(restarted, g->mgid);
		struct buf is = { 0 }, should = { 0 };
		char mgid[INET6_ADDRSTRLEN];

		group_text(g, &is);
		if (want)
			group_text(want, &should);
		if (!want)
			diag_add(d, "W31", 0, 0, 0, NULL, "group %s stays, although the file does not make it any more",
				 mgid_text(g->mgid, mgid));
		else if (strcmp(is.s, should.s))
			diag_add(d, "W31", want->line, 0, 0, NULL, "group %s stays at %s; the file says %s",
				 mgid_text(g->mgid, mgid), is.s, should.s);
		buf_free(&is);
		buf_free(&should);
	}
	free(list);
	n = group_list(restarted, &list);
	for (size_t i = 0; i < n; i++) {
		char mgid[INET6_ADDRSTRLEN];

		if (!group_find(running, list[i]->mgid))
			diag_add(d, "W31", list[i]->line, 0, 0, NULL, "group %s is not made",
				 mgid_text(list[i]->mgid, mgid));
	}
	free(list);
	for (size_t i = 0; i < f->nports; i++) {
		const struct pkey_table *a = &f->by_order[i]->table, *b = &f2->by_order[i]->table;

		if (a->cur[0] != b->cur[0])
			diag_add(d, "W31", 0, 0, 0, xstrdup("restart OpenSM"),
				 "%s keeps 0x%04x at index 0, where a restarted OpenSM would have 0x%04x",
				 f->by_order[i]->name, a->cur[0], b->cur[0]);
	}
}

/* What does change, and needs no restart. */
static void applied(const struct sm *old, const struct sm *new)
{
	const struct fabric *f = old->fabric, *f2 = new->fabric;
	struct group **list;
	size_t n;

	puts("\nSIGHUP applies:");
	for (size_t i = 0; i < f->nports; i++) {
		struct memberships a = memberships_of(&f->by_order[i]->table);
		struct memberships b = memberships_of(&f2->by_order[i]->table);
		static const char *const words[] = { "", "limited", "full", "both" };
		unsigned int x = 0, y = 0;

		if (!memberships_equal(&a, &b)) {
			printf("  %s:", f->by_order[i]->name);
			while (x < a.n || y < b.n) {
				uint32_t va = x < a.n ? a.v[x] : ~0u, vb = y < b.n ? b.v[y] : ~0u;

				if (va >> 2 < vb >> 2) {
					printf(" -0x%04x", (va >> 2) | PKEY_FULL);
					x++;
				} else if (vb >> 2 < va >> 2) {
					printf(" +0x%04x (%s)", (vb >> 2) | PKEY_FULL, words[vb & 3]);
					y++;
				} else {
					if (va != vb)
						printf(" 0x%04x %s -> %s", (va >> 2) | PKEY_FULL, words[va & 3],
						       words[vb & 3]);
					x++;
					y++;
				}
			}
			putchar('\n');
		}
		free(a.v);
		free(b.v);
	}
	n = group_list(new, &list);
	for (size_t i = 0; i < n; i++) {
		char mgid[INET6_ADDRSTRLEN];

		if (!group_find(old, list[i]->mgid))
			printf("  group %s is made\n", mgid_text(list[i]->mgid, mgid));
	}
	free(list);
	n = group_list(old, &list);
	for (size_t i = 0; i < n; i++) {
		char mgid[INET6_ADDRSTRLEN];

		if (!group_find(new, list[i]->mgid))
			printf("  group %s goes\n", mgid_text(list[i]->mgid, mgid));
	}
	free(list);
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, parse, "OLD NEW",
		"Reports who gains or loses reach when a running OpenSM gets NEW by SIGHUP, and what "
		"of NEW it does not apply.\vExit status 1 if anybody gains or loses.",
		findings_children, NULL, NULL
	};
	struct options o = { 0 };
	struct fabric *f[3];
	struct sm *old, *running, *restarted;
	struct diags d, *list[] = { &d };
	struct classes c;
	size_t len;
	char *data;
	bool bad;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (size_t i = 0; i < 3; i++)
		f[i] = common_fabric(&o.c, o.files, 2);
	old = load_file(&o.c, f[0], o.files[0], NULL);
	running = load_file(&o.c, f[1], o.files[0], NULL);
	load_again(running, o.files[1], NULL);
	restarted = load_file(&o.c, f[2], o.files[1], NULL);

	data = strcmp(o.files[1], "none") ? file_try(o.files[1], &len) : NULL;
	diags_init(&d, o.files[1], data, data ? len : 0);
	d.all = true;
	if (running->result == SM_REJECTED)
		diag_add(&d, "E01", 0, 0, 0, xasprintf("ernic-fabric lint %s", o.files[1]),
			 "OpenSM rejects the new file: every port can reach every other");
	if (running->result == SM_CRASHED)
		diag_add(&d, "E29", 0, 0, 0, NULL, "OpenSM crashes on the new file");
	c = classes_of(f[0], f[1]);
	if (c.n <= CLASSES_MOST)
		reach_changes(&d, f[0], &c);
	else
		complain("%zu kinds of ports are too many to compare all pairs", c.n);
	if (running->result == SM_OK)
		stuck(&d, running, restarted);
	bad = diags_bad(&d, false);
	diags_print(list, 1, o.format, false);
	if (o.format == DIAG_TEXT) {
		if (!d.n)
			puts("nobody gains or loses reach, and SIGHUP applies everything");
		if (running->result != SM_CRASHED)
			applied(old, running);
	}
	classes_free(&c);
	diags_free(&d);
	free(data);
	sm_free(old);
	sm_free(running);
	sm_free(restarted);
	for (size_t i = 0; i < 3; i++)
		fabric_free(f[i]);
	return bad ? STATUS_FOUND : STATUS_OK;
}
