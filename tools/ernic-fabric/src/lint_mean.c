// SPDX-License-Identifier: GPL-2.0-only
/* lint: what there is to say about a file as a whole. */
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "lint.h"
#include "util.h"

#define NAMED	4u	/* ports that a message names */

struct names {
	struct buf b;
	unsigned int n;
};

static void name_port(struct names *names, const struct port *p)
{
	if (names->n++ < NAMED)
		buf_printf(&names->b, "%s%s", names->n > 1 ? ", " : "", p->name);
}

static const char *named(struct names *names)
{
	if (names->n > NAMED)
		buf_printf(&names->b, " and %u more", names->n - NAMED);
	return names->b.s ? names->b.s : "";
}

static void at_head(const struct stanza_seen *st, struct place *at)
{
	*at = st->head;
}

static bool talks_ip(const struct port *p)
{
	return p->type != NODE_SWITCH;
}

static struct group *broadcast_of(const struct sm *sm, uint16_t base)
{
	uint8_t mgid[16];

	memcpy(mgid, broadcast_mgid, 16);
	mgid[4] = (uint8_t)((base | PKEY_FULL) >> 8);
	mgid[5] = (uint8_t)base;
	return group_find(sm, mgid);
}

/* The SM's port is a full member of 0x7fff because OpenSM says so, not the file. */
static bool only_builtin(const struct sm *sm, const struct partition *p)
{
	uint32_t self = (uint32_t)(sm->fabric->self - sm->fabric->ports);

	if (!sm->fabric->self || p->pkey != PKEY_DEFAULT)
		return false;
	for (size_t i = p->nops; i; i--)
		if (p->ops[i - 1].port == self || p->ops[i - 1].port == OP_ALL ||
		    p->ops[i - 1].port == OP_ALL + NODE_CA)
			return !p->ops[i - 1].line;
	return false;
}

/**
 * struct tally - members of a partition that could talk IP
 * @members: all of them
 * @full: full ones, or both
 */
struct tally {
	size_t members, full;
};

/*
 * From the rules, without a look at each port: of what the last ALL rules say, and
 * the GUIDs behind them.  @seen: scratch, all zero before and after.
 */
static struct tally tally(const struct sm *sm, const struct partition *p, uint8_t *seen)
{
	const struct fabric *f = sm->fabric;
	bool settled[NODE_TYPES] = { [NODE_SWITCH] = true };
	struct tally t = { 0, 0 };
	size_t ngone[NODE_TYPES] = { 0 };

	for (size_t i = p->nops; i; i--) {
		const struct op *op = &p->ops[i - 1];

		if (op->port < OP_ALL) {
			unsigned int type = f->ports[op->port].type;

			if (settled[type] || seen[op->port])
				continue;
			seen[op->port] = 1;
			ngone[type]++;
			t.members++;
			t.full += !!(op->bits & MEMBER_FULL);
			continue;
		}
		for (unsigned int type = NODE_CA; type < NODE_TYPES; type++) {
			if (settled[type] || (op->port != OP_ALL && op->port != OP_ALL + type))
				continue;
			settled[type] = true;
			t.members += f->ntype[type] - ngone[type];
			if (op->bits & MEMBER_FULL)
				t.full += f->ntype[type] - ngone[type];
		}
	}
	for (size_t i = 0; i < p->nops; i++)
		if (p->ops[i].port < OP_ALL)
			seen[p->ops[i].port] = 0;
	return t;
}

static void check_talk(struct lint *l, const struct stanza_seen *st, struct partition *p,
		       const uint8_t *bits)
{
	const struct fabric *f = l->sm->fabric;
	struct names limited = { 0 };
	unsigned int full = 0, members = 0;
	struct place at;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *port = f->by_order[i];
		unsigned int m = bits[port - f->ports];

		if (!m || !talks_ip(port))
			continue;
		members++;
		if (m & MEMBER_FULL)
			full++;
		else
			name_port(&limited, port);
	}
	at_head(st, &at);
	if (members == 1 && !f->implicit)
		diag_add(l->d, "E10", at.line, at.col, at.len, NULL,
			 "P_Key 0x%04x has one member that is in the fabric", p->pkey | PKEY_FULL);
	else if (members > 1 && !full)
		diag_add(l->d, "E10", at.line, at.col, at.len,
			 xasprintf("%s, defmember=full, or =full behind the ports", st->name),
			 "all %u members of P_Key 0x%04x are limited, no two can talk: %s", members,
			 p->pkey | PKEY_FULL, named(&limited));
	else if (members > 2 && full == 1 && only_builtin(l->sm, p))
		diag_add(l->d, "E10", at.line, at.col, at.len, xstrdup("Default=0x7fff, ipoib : ALL=full ;"),
			 "only the SM's port is a full member of 0x7fff; these cannot talk to each other: %s",
			 named(&limited));
	buf_free(&limited.b);
}

static void check_caps(struct lint *l, const struct stanza_seen *st, const struct group *g,
		       const uint8_t *bits)
{
	const struct fabric *f = l->sm->fabric;
	struct names mtu = { 0 }, rate = { 0 };
	unsigned int lowest = 5, slowest = 0;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = f->by_order[i];

		if (!bits[p - f->ports] || !talks_ip(p))
			continue;
		if (p->mtu_known && p->mtu < g->mtu) {
			name_port(&mtu, p);
			if (p->mtu < lowest)
				lowest = p->mtu;
		}
		if (p->rate_known && rate_order(p->rate) < rate_order(g->rate)) {
			name_port(&rate, p);
			if (!slowest || rate_order(p->rate) < rate_order(slowest))
				slowest = p->rate;
		}
	}
	if (mtu.n) {
		const struct place *at = st->at[AT_MTU].line ? &st->at[AT_MTU] : &st->head;

		diag_add(l->d, "E15", at->line, at->col, at->len, xasprintf("mtu=%u", lowest),
			 "MTU %u is beyond %s", mtu_octets(g->mtu), named(&mtu));
	}
	if (rate.n) {
		const struct place *at = st->at[AT_RATE].line ? &st->at[AT_RATE] : &st->head;

		diag_add(l->d, "E15", at->line, at->col, at->len, xasprintf("rate=%u", slowest),
			 "%g Gb/s is beyond %s", rate_gbps(g->rate), named(&rate));
	}
	buf_free(&mtu.b);
	buf_free(&rate.b);
}

static void check_both(struct lint *l, const struct stanza_seen *st, const uint8_t *bits)
{
	const struct fabric *f = l->sm->fabric;
	struct names full = { 0 };

	if (!l->sm->opt.both)
		return;
	for (size_t i = 0; i < f->nports; i++)
		if (bits[f->by_order[i] - f->ports] == MEMBER_FULL && talks_ip(f->by_order[i]))
			name_port(&full, f->by_order[i]);
	if (full.n)
		diag_add(l->d, "S22", st->head.line, st->head.col, st->head.len,
			 xstrdup("=both for members that shall use IPoIB, or OpenSM without -W"),
			 "with -W, full members cannot join the broadcast group: %s", named(&full));
	buf_free(&full.b);
}

/*
 * Rules that later ones make idle.  @seen: scratch, all zero before and after; of a
 * port, bits of the rule that is in force, plus 4.
 */
static void check_overridden(struct lint *l, struct partition *p, uint8_t *seen)
{
	const struct fabric *f = l->sm->fabric;
	unsigned int all[NODE_TYPES] = { 0 };

	for (size_t i = p->nops; i; i--) {
		const struct op *op = &p->ops[i - 1];

		if (op->port >= OP_ALL) {
			for (unsigned int type = NODE_CA; type < NODE_TYPES; type++)
				if (!all[type] && (op->port == OP_ALL || op->port == OP_ALL + type))
					all[type] = op->bits | 4u;
			continue;
		}
		if (op->line && seen[op->port])
			diag_add(l->d, "W36", op->line, 0, 0, NULL, "%s is listed again in P_Key 0x%04x",
				 f->ports[op->port].name, p->pkey | PKEY_FULL);
		else if (op->line && all[f->ports[op->port].type] &&
			 (all[f->ports[op->port].type] & 3) != op->bits)
			diag_add(l->d, "W36", op->line, 0, 0, NULL, "a later ALL overrides %s in P_Key 0x%04x",
				 f->ports[op->port].name, p->pkey | PKEY_FULL);
		seen[op->port] = (uint8_t)(op->bits | 4);
	}
	for (size_t i = 0; i < p->nops; i++)
		if (p->ops[i].port < OP_ALL)
			seen[p->ops[i].port] = 0;
}

static bool low_mtu(const struct stanza_seen *st)
{
	return st->ipoib && st->fl.mtu >= 1 && st->fl.mtu <= 3;
}

static bool odd_scope(const struct stanza_seen *st)
{
	return st->ipoib && st->at[AT_SCOPE].line && st->fl.scopes & ~(1u << 2);
}

static bool both_is_full(const struct lint *l, const struct stanza_seen *st)
{
	return st->both && !l->sm->opt.both;
}

static bool other_flags(const struct stanza_seen *st, const struct stanza_seen *first)
{
	return st->fl.mtu != first->fl.mtu || st->fl.rate != first->fl.rate ||
	       st->fl.qkey != first->fl.qkey || st->fl.tclass != first->fl.tclass ||
	       st->fl.flow != first->fl.flow || st->fl.sl != first->fl.sl ||
	       st->ipoib != first->ipoib;
}

/**
 * lint_notable() - whether lint_meaning() needs a stanza
 * @l: file, as far as it has been read
 * @st: stanza
 *
 * Return: false if there is nothing to say about it, whatever follows.
 */
bool lint_notable(const struct lint *l, const struct stanza_seen *st)
{
	unsigned int first = l->first[st->base];

	return !first || st->nunsaid || st->indx0 || low_mtu(st) || odd_scope(st) ||
	       both_is_full(l, st) || st->fate == GROUP_NO_MLID ||
	       other_flags(st, &l->st[first - 1]);
}

static void check_flags(struct lint *l, const struct stanza_seen *st, size_t n)
{
	const struct stanza_seen *first = &l->st[l->first[st->base] - 1];
	struct place at;

	at_head(st, &at);
	if (low_mtu(st))
		diag_add(l->d, "W16", st->at[AT_MTU].line, st->at[AT_MTU].col, st->at[AT_MTU].len, NULL,
			 "IPoIB MTU is %u", mtu_octets(st->fl.mtu) - 4);
	if (odd_scope(st))
		diag_add(l->d, "W09", st->at[AT_SCOPE].line, st->at[AT_SCOPE].col, st->at[AT_SCOPE].len,
			 xstrdup("leave it out; it is for mgid= lines"),
			 "scope does not change the broadcast group");
	if (both_is_full(l, st))
		diag_add(l->d, "S22", at.line, at.col, at.len, xstrdup("=full, if that is meant"),
			 "'both' means 'full', because OpenSM runs without -W");
	if (st->fate == GROUP_NO_MLID)
		diag_add(l->d, "W35", at.line, at.col, at.len, NULL,
			 "the switches have no room for the broadcast group");
	if (first != &l->st[n] && other_flags(st, first))
		diag_add(l->d, "W17", at.line, at.col, at.len,
			 xasprintf("the flags of line %u, or none", first->head.line),
			 "P_Key 0x%04x is that of line %u, whose flags %s", st->base | PKEY_FULL,
			 first->head.line, first->ipoib || !st->ipoib ? "win" : "have no ipoib: the group gets this line's");
}

static void check_indx0(struct lint *l)
{
	struct fabric *f = l->sm->fabric;
	size_t *last;	/* stanza that named the port, plus one */
	uint16_t *owner;
	bool any = false;

	for (size_t i = 0; i < l->nst; i++)
		any |= l->st[i].indx0;
	if (!any)
		return;
	owner = xcalloc(f->nports, sizeof(*owner));
	last = xcalloc(f->nports, sizeof(*last));
	for (size_t i = 0; i < l->nst; i++) {
		const struct stanza_seen *st = &l->st[i];
		struct partition *p = l->sm->part[st->base];
		const struct place *at = &st->at[AT_INDX0];
		struct names moved = { 0 }, twice = { 0 };

		if (!st->indx0 || !p)
			continue;
		for (size_t k = 0; k < p->nops; k++) {
			const struct op *op = &p->ops[k];

			if (op->line < st->head.line || op->line > st->end)
				continue;
			for (size_t x = op->port < OP_ALL ? op->port : 0;
			     x < (op->port < OP_ALL ? op->port + 1u : f->nports); x++) {
				if (last[x] == i + 1 ||
				    (op->port > OP_ALL && f->ports[x].type != op->port - OP_ALL))
					continue;
				last[x] = i + 1;
				name_port(&moved, &f->ports[x]);
				if (owner[x] && owner[x] != st->base)
					name_port(&twice, &f->ports[x]);
				owner[x] = st->base;
			}
		}
		if (moved.n && st->base != PKEY_DEFAULT)
			diag_add(l->d, "W20", at->line, at->col, at->len,
				 xstrdup("after the change, on each host: ip link set ib0 down; ip link set ib0 up"),
				 "ib0 becomes P_Key 0x%04x on %s", st->base | PKEY_FULL, named(&moved));
		if (twice.n)
			diag_add(l->d, "E21", at->line, at->col, at->len, NULL,
				 "an earlier stanza has indx0 for %s", named(&twice));
		buf_free(&moved.b);
		buf_free(&twice.b);
	}
	free(owner);
	free(last);
}

static void check_tables(struct lint *l)
{
	const struct fabric *f = l->sm->fabric;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = f->by_order[i];
		struct buf b = { 0 };

		if (!pkeys_membership(&p->table, PKEY_DEFAULT))
			diag_add(l->d, "E26", 0, 0, 0, NULL, "%s has no entry for 0x7fff", p->name);
		if (!p->table.ndropped)
			continue;
		for (unsigned int k = 0; k < p->table.ndropped && k < PKEYS_DROPPED; k++)
			buf_printf(&b, "%s0x%04x", k ? ", " : "", p->table.dropped[k]);
		diag_add(l->d, "W27", 0, 0, 0, NULL, "%s has room for %u P_Keys, %u find none: %s%s",
			 p->name, p->table.cap, p->table.ndropped, b.s,
			 p->table.ndropped > PKEYS_DROPPED ? ", ..." : "");
		buf_free(&b);
	}
}

static void check_partition(struct lint *l, const struct stanza_seen *st, struct partition *p,
			    uint8_t *bits)
{
	const struct fabric *f = l->sm->fabric;
	struct group *g = broadcast_of(l->sm, p->pkey);
	struct tally t;

	check_overridden(l, p, bits);
	t = tally(l->sm, p, bits);
	if (!l->ipoib[p->pkey] && t.members > 1)
		diag_add(l->d, "E11", st->head.line, st->head.col, st->head.len, NULL,
			 "P_Key 0x%04x has no broadcast group", p->pkey | PKEY_FULL);
	/* a look at each port is only for files that need it */
	if (t.members &&
	    (!t.full || t.members == 1 || p->pkey == PKEY_DEFAULT ||
	     (g && (l->sm->opt.both || g->mtu > f->min_mtu ||
		    rate_order(g->rate) > rate_order(f->min_rate))))) {
		sm_members(l->sm, p, bits);
		/* without ipoib, limited members are as lonely */
		check_talk(l, st, p, bits);
		if (g) {
			check_caps(l, st, g, bits);
			check_both(l, st, bits);
		}
		memset(bits, 0, f->nports);
	}
}

/**
 * lint_meaning() - OpenSM has taken the file
 * @l: file, with its stanzas
 */
void lint_meaning(struct lint *l)
{
	uint8_t *bits = xcalloc(l->sm->fabric->nports, 1);

	if (l->nst && !l->first[PKEY_DEFAULT])
		diag_add(l->d, "E12", 0, 0, 0, NULL,
			 "no rule for 0x7fff: all ports but the SM's are limited members, without a broadcast group");
	for (size_t i = 0; i < l->nst; i++) {
		const struct stanza_seen *st = &l->st[i];
		struct partition *p = l->sm->part[st->base];

		if (st->nunsaid)
			diag_add(l->d, "W14", st->unsaid.line, st->unsaid.col, st->unsaid.len, NULL,
				 st->nunsaid > 1 ? "this and %u more in the stanza are limited members" :
				 "limited member", st->nunsaid - 1);
		check_flags(l, st, i);
		if (l->first[st->base] != i + 1)
			continue;
		if (p && p->members)
			check_partition(l, st, p, bits);
		else
			diag_add(l->d, "W13", st->head.line, st->head.col, st->head.len,
				 st->nports ? xstrdup("GUIDs of ports that are in the fabric") :
				 xstrdup("ports behind the ':'"),
				 "P_Key 0x%04x has no members and does not exist", st->base | PKEY_FULL);
	}
	check_indx0(l);
	check_tables(l);
	free(bits);
}
