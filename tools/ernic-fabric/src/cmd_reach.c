// SPDX-License-Identifier: GPL-2.0-only
/* reach: the command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "reach.h"

struct options {
	struct common c;
	const char *file, *from, *to, *svg;
};

enum { KEY_FROM = 1000, KEY_TO, KEY_SVG };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_TO:
		o->to = arg;
		return 0;
	case KEY_SVG:
		o->svg = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one FILE at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "which partitions.conf?");
		if (o->to && !o->from)
			argp_error(state, "--to needs --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *joined(const struct fabric *f, const uint8_t *bits, unsigned int want,
			  struct buf *b)
{
	unsigned int n = 0;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = f->by_order[i];

		if (bits[p - f->ports] == want && p->type != NODE_SWITCH)
			buf_printf(b, "%s%s", n++ ? ", " : "", p->name);
	}
	return n ? b->s : "-";
}

static bool has_broadcast(const struct sm *sm, uint16_t base)
{
	uint8_t mgid[16];

	memcpy(mgid, broadcast_mgid, 16);
	mgid[4] = (uint8_t)((base | PKEY_FULL) >> 8);
	mgid[5] = (uint8_t)base;
	return group_find(sm, mgid);
}

/* Of what is in the tables, not of what the file wants. */
static void partitions(const struct sm *sm)
{
	const struct fabric *f = sm->fabric;
	uint8_t *bits = xcalloc(f->nports, 1);

	for (unsigned int base = 1; base < PKEY_BASES; base++) {
		const struct partition *p = sm->part[base];
		unsigned int full = 0, limited = 0;
		struct buf b = { 0 }, b2 = { 0 }, b3 = { 0 };

		if (!p)
			continue;
		for (size_t i = 0; i < f->nports; i++) {
			bits[i] = (uint8_t)pkeys_membership(&f->ports[i].table, (uint16_t)base);
			if (f->ports[i].type == NODE_SWITCH)
				continue;
			full += !!(bits[i] & MEMBER_FULL);
			limited += bits[i] == MEMBER_LIMITED;
		}
		printf("0x%04x %s%s\n", base | PKEY_FULL, p->name,
		       has_broadcast(sm, (uint16_t)base) ? " (IPoIB)" : "");
		printf("  full:    %s\n", joined(f, bits, MEMBER_FULL, &b));
		printf("  limited: %s\n", joined(f, bits, MEMBER_LIMITED, &b2));
		if (sm->opt.both)
			printf("  both:    %s\n", joined(f, bits, MEMBER_BOTH, &b3));
		if (!full)
			puts("  nobody can talk: there is no full member");
		else if (limited > 1)
			puts("  limited members cannot talk to each other, but to full ones");
		buf_free(&b);
		buf_free(&b2);
		buf_free(&b3);
	}
	free(bits);
}

static const struct port *find(const struct fabric *f, const char *name)
{
	const struct port *p = fabric_by_name(f, name);
	const char *end;
	uint64_t guid;

	if (p)
		return p;
	guid = c_number(name, &end);
	p = end != name && !*end ? fabric_find(f, guid) : NULL;
	if (!p)
		fail("no port '%s' in the fabric (a node name, or a port GUID)", name);
	return p;
}

static void between(const struct memberships *a, const struct memberships *b, const char *names)
{
	uint16_t bases[64];
	unsigned int n = talk_in(a, b, bases, 64);

	printf("  %s: ", names);
	for (unsigned int i = 0; i < n && i < 64; i++)
		printf("%s0x%04x", i ? ", " : "", bases[i] | PKEY_FULL);
	if (n) {
		putchar('\n');
		return;
	}
	fputs("no", stdout);
	for (unsigned int i = 0, k = 0; i < a->n && k < b->n; ) {
		if (a->v[i] >> 2 == b->v[k] >> 2) {
			printf(" (both are limited in 0x%04x)", (a->v[i] >> 2) | PKEY_FULL);
			break;
		}
		if (a->v[i] >> 2 < b->v[k] >> 2)
			i++;
		else
			k++;
	}
	putchar('\n');
}

static int paths(const struct sm *sm, const struct options *o)
{
	const struct fabric *f = sm->fabric;
	const struct port *from = find(f, o->from), *to = o->to ? find(f, o->to) : NULL;
	struct memberships a = memberships_of(&from->table);
	bool talk = true;

	printf("%s reaches\n", from->name);
	if (to) {
		struct memberships b = memberships_of(&to->table);

		between(&a, &b, to->name);
		talk = can_talk(&a, &b);
		free(b.v);
	} else {
		struct classes c = classes_of(f, NULL);

		for (size_t i = 0; i < c.n; i++) {
			struct class *cl = &c.v[i];
			struct buf b = { 0 };
			size_t n = 0;

			/* not itself */
			for (size_t k = 0; k < cl->n; k++)
				if (&f->ports[cl->ports[k]] != from)
					cl->ports[n++] = cl->ports[k];
			cl->n = n;
			if (!n)
				continue;
			class_names(f, cl, 8, &b);
			between(&a, &cl->m, b.s);
			buf_free(&b);
		}
		classes_free(&c);
	}
	free(a.v);
	return talk ? STATUS_OK : STATUS_FOUND;
}

static void picture(const struct sm *sm, const struct options *o)
{
	struct classes c = classes_of(sm->fabric, NULL);
	FILE *out = !strcmp(o->svg, "-") ? stdout : fopen(o->svg, "we");

	if (!out)
		fail("%s: %s", o->svg, strerror(errno));
	reach_svg(sm, &c, out, o->file);
	if (out == stdout ? fflush(out) : fclose(out))
		fail("%s: %s", o->svg, strerror(errno));
	classes_free(&c);
}

int cmd_reach(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "from", KEY_FROM, "PORT", 0, "Whom PORT (name or GUID) can reach, and in which partitions", 0 },
		{ "to", KEY_TO, "PORT", 0, "... only this one; exit status 1 if it cannot", 0 },
		{ "svg", KEY_SVG, "FILE", 0, "Draw it; '-' is standard output", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "FILE",
		"Prints who can talk to whom: partitions with their full and limited members.",
		common_children, NULL, NULL
	};
	struct options o = { 0 };
	struct fabric *f;
	struct sm *sm;
	int rc = STATUS_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	f = common_fabric(&o.c, &o.file, 1);
	sm = load_file(&o.c, f, o.file, NULL);
	if (sm->result == SM_REJECTED)
		complain("%s: OpenSM rejects this file; every port can talk to every other", o.file);
	else if (sm->result == SM_CRASHED)
		complain("%s: OpenSM crashes on this file", o.file);
	if (o.svg)
		picture(sm, &o);
	if (o.from)
		rc = paths(sm, &o);
	else if (!o.svg)
		partitions(sm);
	sm_free(sm);
	fabric_free(f);
	return rc;
}
