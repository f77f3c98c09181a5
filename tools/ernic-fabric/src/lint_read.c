// SPDX-License-Identifier: GPL-2.0-only
/* lint: what there is to say while a file is read, word by word. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "lint.h"
#include "util.h"

static const char *const flag_words[] = {
	"mtu", "rate", "sl", "scope", "Q_Key", "TClass", "FlowLabel", "ipoib", "defmember",
	"indx0", NULL
};
static const char *const member_words[] = { "full", "limited", "both", NULL };
static const char *const port_words[] = {
	"ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF", "NONE", "mgid", NULL
};

static unsigned int width(const char *s)
{
	size_t n = strlen(s);

	return n ? (unsigned int)n : 1;
}

static char *instead(const char *word, const char *const *list)
{
	const char *guess = did_you_mean(word, list);

	return guess ? xasprintf("did you mean '%s'?", guess) : NULL;
}

static struct place place_of(const struct conf_event *ev)
{
	return (struct place){ ev->line, ev->col, width(ev->name) };
}

#define AT_NAME(ev)	(ev)->line, (ev)->col, width((ev)->name)
#define AT_VALUE(ev)	(ev)->line, (ev)->vcol, width((ev)->value ? (ev)->value : "")

/* ---- errors ---- */

static bool line_has(const struct lint *l, unsigned int line, char c)
{
	const char *p = l->d->data, *end = p + l->d->len, *nl;

	for (; line > 1; line--) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			return false;
		p = nl + 1;
	}
	nl = memchr(p, '\n', (size_t)(end - p));
	return memchr(p, c, (size_t)((nl ? nl : end) - p));
}

static void bad_port(struct lint *l, const struct conf_event *ev)
{
	char *fix;

	if (strchr(ev->name, '\r')) {
		diag_add(l->d, "E02", AT_NAME(ev),
			 xstrdup("use Unix line ends: sed -i 's/\\r$//' FILE"),
			 "carriage return is read as a port");
		return;
	}
	fix = instead(ev->name, port_words);
	if (!fix && line_has(l, ev->line, ':'))
		fix = xstrdup("if this starts a stanza, the ';' of the one before it is missing");
	if (!fix)
		fix = xstrdup("a port is a GUID as 0x0002c90300a1b2c1, or ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF");
	diag_add(l->d, "E01", AT_NAME(ev), fix, "'%.60s' is neither a port GUID nor a keyword",
		 ev->name);
}

static void no_colon(struct lint *l, const struct conf_event *ev)
{
	if (ev->stale || (l->stale.line == ev->line && l->stale.line)) {
		diag_add(l->d, "E02", ev->line, l->stale.line ? l->stale.col : ev->col, 1,
			 xstrdup("put the ';' directly behind the last port, and only one"),
			 "OpenSM reads beyond the end of the line, and takes what it finds for a stanza");
	} else if (*ev->name == '\r') {
		diag_add(l->d, "E02", AT_NAME(ev),
			 xstrdup("use Unix line ends: sed -i 's/\\r$//' FILE"),
			 "carriage return is read as a stanza");
	} else {
		diag_add(l->d, "E01", AT_NAME(ev),
			 xstrdup("NAME=P_KEY, FLAGS : PORTS ; with the ':' on the same line as the name; if this is a list of ports, the ';' before it is too early"),
			 "stanza without ':'");
	}
}

static void on_error(struct lint *l, const struct conf_event *ev)
{
	switch (ev->note) {
	case NOTE_NO_COLON:
		no_colon(l, ev);
		break;
	case NOTE_BAD_HEADER:
		if (ev->stale)
			no_colon(l, ev);
		else if (ev->value)
			diag_add(l->d, "E01", AT_VALUE(ev),
				 xstrdup("a number as 0x8001, and nothing behind it"),
				 "P_Key '%.60s' is not a number", ev->value);
		else
			diag_add(l->d, "E01", AT_NAME(ev), xstrdup("NAME=P_KEY, FLAGS : PORTS ;"),
				 "bad stanza header '%.60s'", ev->name);
		break;
	case NOTE_BAD_PORT:
		if (ev->stale)
			no_colon(l, ev);
		else
			bad_port(l, ev);
		break;
	case NOTE_EMPTY:
		diag_add(l->d, "E02", 0, 0, 0,
			 xstrdup("no file at all, or at least 'Default=0x7fff, ipoib : ALL=full ;'"),
			 "there is no stanza in the file");
		break;
	case NOTE_CRASH:
		l->crash = true;
		diag_add(l->d, "E29", AT_NAME(ev), NULL, "mgid without a value");
		break;
	default:
		break;
	}
}

static void on_line(struct lint *l, const struct conf_event *ev)
{
	switch (ev->note) {
	case NOTE_CUT:
		diag_add(l->d, "E03", ev->line, ev->col, 1, NULL, "OpenSM cuts the line here");
		break;
	case NOTE_LONE:
		l->stale = (struct place){ ev->line, ev->col, 1 };
		break;
	case NOTE_STALE:
		l->stale = place_of(ev);
		l->stale.len = 1;
		if (l->stale.col > 1)
			l->stale.col--;
		break;
	case NOTE_COMMENT:
		diag_add(l->d, "W07", ev->line, ev->col > 1 ? ev->col - 1 : 1, width(ev->name) + 1,
			 xstrdup("give the mgid= a flag, or put the comment on a line of its own"),
			 "comment is read as flags of the group");
		break;
	case NOTE_MGID:
		diag_add(l->d, "W35", AT_VALUE(ev), NULL,
			 "'%.60s' is not a multicast GID: the line is ignored",
			 ev->value ? ev->value : "");
		break;
	case NOTE_NUL:
		diag_add(l->d, "W04", ev->line, ev->col, 1, NULL,
			 "NUL octet: OpenSM does not see the rest of the line");
		break;
	case NOTE_OPEN:
		diag_add(l->d, "W04", ev->line > 1 && ev->col == 1 ? ev->line - 1 : ev->line,
			 0, 0, xstrdup("';' behind the last port"),
			 "file ends within a stanza; OpenSM does not mind");
		break;
	default:
		break;
	}
}

/* ---- flags ---- */

static void check_mtu(struct lint *l, const struct conf_event *ev)
{
	unsigned int code = (uint8_t)ev->number & 0x3f, as_octets = mtu_code((uint32_t)ev->number);
	bool made = ev->good && code >= 1 && code <= 5 && !(ev->number & 0x40);
	char *fix;

	if (ev->good && ev->number <= 5)
		return;
	if (as_octets)
		fix = xasprintf("mtu=%u, the code of %u octets", as_octets, (uint32_t)ev->number);
	else
		fix = xstrdup("mtu=4 (2048 octets) or mtu=5 (4096)");
	if (!ev->value)
		diag_add(l->d, *ev->name ? "W09" : "W05", AT_NAME(ev), fix,
			 *ev->name ? "mtu without a value is ignored" :
			 "an empty flag is taken for mtu");
	else if (made)
		diag_add(l->d, "E06", AT_VALUE(ev), fix, "mtu=%.30s is no code, and is taken for %u",
			 ev->value, code);
	else
		diag_add(l->d, "E06", AT_VALUE(ev), fix, "mtu=%.30s is no code", ev->value);
}

static void check_rate(struct lint *l, const struct conf_event *ev)
{
	unsigned int code = ev->value ? rate_parse(ev->value) : 0;
	char *fix;

	if (ev->good && ev->number >= 2 && ev->number <= 22)
		return;
	fix = code && code <= 22 ? xasprintf("rate=%u, the code of %g Gb/s", code, rate_gbps(code)) :
	      xstrdup("rate=3 (10 Gb/s), 7 (40), 12 (56), 16 (100), 17 (200), 21 (400)");
	if (!ev->value)
		diag_add(l->d, "W09", AT_NAME(ev), fix, "rate without a value is ignored");
	else
		diag_add(l->d, "E06", AT_VALUE(ev), fix, "rate=%.30s is no code", ev->value);
}

static void check_number(struct lint *l, const struct conf_event *ev)
{
	const char *end;

	if (ev->value && ev->good && ev->word <= WORD_FLOW) {
		c_number(ev->value, &end);
		if (*end)
			diag_add(l->d, "W09", AT_VALUE(ev), NULL,
				 "'%.40s' behind the number is ignored", end);
	}
	switch (ev->word) {
	case WORD_MTU:
		check_mtu(l, ev);
		break;
	case WORD_RATE:
		check_rate(l, ev);
		break;
	case WORD_SCOPE:
		if (!ev->good)
			diag_add(l->d, "W09", AT_NAME(ev), xstrdup("a scope from 1 to 15; 2 is link-local"),
				 "scope is ignored");
		break;
	case WORD_SL:
		if (!ev->good)
			diag_add(l->d, "W09", AT_NAME(ev), xstrdup("a service level from 0 to 15"),
				 "sl is ignored");
		break;
	case WORD_FLOW:
		if (!ev->good)
			diag_add(l->d, "W09", AT_NAME(ev), xstrdup("a flow label from 0 to 0xfffff"),
				 "FlowLabel is ignored");
		break;
	case WORD_TCLASS:
		if (ev->value && ev->number > 255)
			diag_add(l->d, "W09", AT_VALUE(ev), xstrdup("a traffic class from 0 to 255"),
				 "TClass is cut to 8 bits: %u", (uint8_t)ev->number);
		break;
	case WORD_QKEY:
		if (ev->value && !ev->good)
			diag_add(l->d, "W09", AT_VALUE(ev), NULL, "Q_Key of 0 is the default");
		else if (ev->good && !((uint32_t)ev->number & 0x80000000u))
			diag_add(l->d, "S23", AT_VALUE(ev), NULL, "Q_Key 0x%x is not a controlled one",
				 (uint32_t)ev->number);
		if (ev->good && (uint32_t)ev->number != QKEY_IPOIB)
			diag_add(l->d, "I24", AT_VALUE(ev), NULL, "Q_Key 0x%x instead of 0x0b1b",
				 (uint32_t)ev->number);
		break;
	default:
		break;
	}
}

static void check_abbreviation(struct lint *l, const struct conf_event *ev)
{
	if (ev->keyword && *ev->name && strcmp(ev->name, ev->keyword))
		diag_add(l->d, "W05", AT_NAME(ev), xstrdup(ev->keyword), "'%s' is taken for '%s'",
			 ev->name, ev->keyword);
}

static void check_member(struct lint *l, const struct conf_event *ev)
{
	static const char *const words[] = {
		[SAID_LIMITED] = "limited", [SAID_FULL] = "full", [SAID_BOTH] = "both",
		[SAID_EMPTY] = "full",
	};

	switch (ev->said) {
	case SAID_NOTHING:
		break;
	case SAID_JUNK:
		diag_add(l->d, "W04", AT_VALUE(ev), instead(ev->value ? ev->value : "", member_words),
			 ev->what == CONF_FLAG ? "defmember=%.40s is ignored: ports are limited members" :
			 "membership '%.40s' is taken for 'limited'", ev->value ? ev->value : "");
		break;
	case SAID_EMPTY:
		diag_add(l->d, "W05", AT_NAME(ev), xasprintf("%s=full", ev->name),
			 "'=' with nothing behind it is taken for '=full'");
		break;
	default:
		if (strcmp(ev->value, words[ev->said]))
			diag_add(l->d, "W05", AT_VALUE(ev), xstrdup(words[ev->said]),
				 "'%s' is taken for '%s'", ev->value, words[ev->said]);
	}
}

static void on_flag(struct lint *l, const struct conf_event *ev)
{
	static const int where[] = {
		[WORD_MTU] = AT_MTU, [WORD_RATE] = AT_RATE, [WORD_SCOPE] = AT_SCOPE,
		[WORD_QKEY] = AT_QKEY, [WORD_SL] = AT_SL, [WORD_INDX0] = AT_INDX0,
		[WORD_IPOIB] = AT_IPOIB, [WORD_DEFMEMBER] = AT_DEFMEMBER,
	};
	struct stanza_seen *st = &l->cur;

	if (ev->stale)
		return;
	if (ev->word == WORD_NONE) {
		diag_add(l->d, "W04", AT_NAME(ev), instead(ev->name, flag_words),
			 "unknown flag '%.60s' is ignored", ev->name);
		return;
	}
	check_abbreviation(l, ev);
	if (ev->word != WORD_TCLASS && ev->word != WORD_FLOW)
		st->at[where[ev->word]] = place_of(ev);
	check_number(l, ev);
	if (ev->word == WORD_IPOIB && ev->value)
		diag_add(l->d, "W09", AT_VALUE(ev), xstrdup("'ipoib', or leave it out"),
			 "ipoib=%.30s means ipoib", ev->value);
	if (ev->word == WORD_SL && ev->good && ev->number && !l->sm->opt.qos)
		diag_add(l->d, "W09", AT_NAME(ev),
			 xstrdup("run OpenSM with -Q (and lint with --opensm-args -Q), or leave sl= out"),
			 "without QoS, sl is 0");
	if (ev->word == WORD_DEFMEMBER) {
		check_member(l, ev);
		st->explicit_member = ev->good;
		if (ev->said == SAID_BOTH)
			st->both = true;
	}
}

/* ---- stanzas and ports ---- */

static void on_stanza(struct lint *l, const struct conf_event *ev)
{
	struct stanza_seen *st = &l->cur;
	unsigned int first = l->first[ev->partition->pkey];

	st->head = place_of(ev);
	if (ev->value)
		st->head.len = ev->vcol - ev->col + width(ev->value);
	l->reading = true;
	if (!first && !st->name)
		st->name = xstrdup(ev->name);
	st->base = ev->partition->pkey;
	st->fl = *ev->stanza;
	st->ipoib = ev->ipoib;
	st->indx0 = ev->indx0;
	st->had_pkey = ev->had_value && ev->number & ~(uint64_t)PKEY_FULL & 0xffff;
	st->fate = ev->fate;
	if (ev->had_value && ev->number > 0xffff)
		diag_add(l->d, "W09", st->head.line, st->head.col, st->head.len, NULL,
			 "P_Key is cut to 16 bits: 0x%04x", (uint16_t)ev->number);
	if (!st->had_pkey && first)
		diag_add(l->d, "W18", st->head.line, st->head.col, st->head.len, NULL,
			 "this is P_Key 0x%04x of line %u", st->base | PKEY_FULL,
			 l->st[first - 1].head.line);
	else if (!st->had_pkey && st->base != PKEY_DEFAULT)
		diag_add(l->d, "W19", st->head.line, st->head.col, st->head.len, NULL,
			 !*ev->name || strlen(ev->name) > 31 ?
			 "P_Key 0x%04x is generated, anew at each heavy sweep" :
			 "P_Key 0x%04x is generated", st->base | PKEY_FULL);
}

static void on_port(struct lint *l, const struct conf_event *ev)
{
	struct stanza_seen *st = &l->cur;
	struct fabric *f = l->sm->fabric;
	struct port *node;

	if (ev->stale)
		return;
	if (ev->word != WORD_GUID)
		check_abbreviation(l, ev);
	if (ev->word == WORD_NOBODY)
		return;
	check_member(l, ev);
	st->nports++;
	if (ev->said == SAID_BOTH)
		st->both = true;
	if (ev->said == SAID_NOTHING && !st->explicit_member && !st->nunsaid++)
		st->unsaid = place_of(ev);
	if (ev->word != WORD_GUID || !l->have_inventory || fabric_find(f, ev->guid))
		return;
	node = fabric_by_node_guid(f, ev->guid);
	diag_add(l->d, "W28", AT_NAME(ev),
		 node ? xasprintf("0x%016llx, the GUID of its port", (unsigned long long)node->guid) : NULL,
		 node ? "this is the GUID of a node, %s" : "%sno such port in the inventory",
		 node ? node->name : "");
}

/* ---- groups ---- */

static void on_gflag(struct lint *l, const struct conf_event *ev)
{
	const char *end;
	bool port = false;

	l->mgid_flags++;
	if (ev->stale || (!*ev->name && !ev->value))
		return;
	l->mgid_own++;
	if (ev->word != WORD_NONE) {
		check_abbreviation(l, ev);
		check_number(l, ev);
		return;
	}
	for (const char *const *w = port_words; *w; w++)
		port |= !strcmp(*w, ev->name);
	port |= c_number(ev->name, &end) && !*end;
	if (port)
		diag_add(l->d, "E08", AT_NAME(ev), NULL, "'%.60s' is not added to the partition", ev->name);
	else
		diag_add(l->d, "W04", AT_NAME(ev), instead(ev->name, flag_words),
			 "unknown flag '%.60s' of a group is ignored", ev->name);
}

static void on_mgid(struct lint *l, const struct conf_event *ev)
{
	static const struct {
		const char *id, *text;
	} fates[] = {
		[GROUP_EXISTS] = { "W17", "the group exists already: nothing of this line counts" },
		[GROUP_PKEY] = { "W25", "the P_Key in the MGID is not the partition's" },
		[GROUP_RATE] = { "W25", "an IP group needs the rate of its partition" },
		[GROUP_MTU] = { "W25", "an IP group needs the MTU of its partition" },
		[GROUP_NO_BROADCAST] = { "W25", "there is no broadcast group of this scope" },
		[GROUP_FLAGS] = { "W35", "reserved flags in the MGID" },
		[GROUP_A01B] = { "W35", "link-local MGIDs with a01b are the SA's own" },
		[GROUP_BAD_MTU] = { "E06", "the group is not created: its mtu is no code" },
		[GROUP_BAD_RATE] = { "E06", "the group is not created: its rate is no code" },
		[GROUP_NO_MLID] = { "W35", "the switches have no room for the group" },
	};
	uint8_t want[16];

	if (l->stale.line == ev->line && !l->mgid_own)
		diag_add(l->d, "W33", AT_VALUE(ev),
			 xasprintf("mgid=%.60s, mtu=%u", ev->value ? ev->value : "", ev->stanza->mtu),
			 "mgid= without flags");
	l->mgid_flags = 0;
	l->mgid_own = 0;
	if (ev->fate != GROUP_MADE) {
		diag_add(l->d, fates[ev->fate].id, AT_VALUE(ev), NULL, "%s", fates[ev->fate].text);
		return;
	}
	if (inet_pton(AF_INET6, ev->value, want) == 1 && !ev->stanza->scopes &&
	    (want[1] & 0x0f) != 2)
		diag_add(l->d, "W34", AT_VALUE(ev), xstrdup("scope= in the flags of the line"),
			 "scope %u becomes 2, link-local", want[1] & 0x0fu);
}

static void on_end(struct lint *l, unsigned int line)
{
	struct stanza_seen *st = &l->cur;

	if (!l->reading)
		return;
	l->reading = false;
	st->end = line;
	l->ipoib[st->base] |= st->ipoib;
	if (lint_notable(l, st)) {
		GROW(l->st, l->nst, l->room);
		l->st[l->nst++] = *st;
		if (!l->first[st->base])
			l->first[st->base] = (unsigned int)l->nst;
	}
	memset(st, 0, sizeof(*st));
}

/**
 * lint_event() - the parser has read something
 * @ctx: struct lint
 * @ev: what
 */
void lint_event(void *ctx, const struct conf_event *ev)
{
	struct lint *l = ctx;

	switch (ev->what) {
	case CONF_FLAG:
		on_flag(l, ev);
		break;
	case CONF_STANZA:
		on_stanza(l, ev);
		break;
	case CONF_PORT:
		on_port(l, ev);
		break;
	case CONF_GFLAG:
		on_gflag(l, ev);
		break;
	case CONF_MGID:
		on_mgid(l, ev);
		break;
	case CONF_END:
		on_end(l, ev->line);
		break;
	case CONF_ERROR:
		on_error(l, ev);
		break;
	case CONF_LINE:
		on_line(l, ev);
		if (ev->note == NOTE_OPEN)
			on_end(l, ev->line);
		break;
	}
}
