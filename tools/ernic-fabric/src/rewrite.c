// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a file anew, from what OpenSM has understood: every flag in full and
 * with its value, every port with its membership, no line near the limit.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "rewrite.h"

#define COLUMNS		96u
#define COMMENT_MOST	400u

/**
 * struct item - a port, or an mgid line, of a stanza
 * @text: as it is written
 * @own_line: mgid
 */
struct item {
	char *text;
	bool own_line;
};

/**
 * struct writing - a file on its way through
 * @rw: options
 * @sm: OpenSM
 * @out: text so far
 * @data: old file; @len: its length
 * @at: how much of it has been searched for comments
 * @line: line of @at
 * @items: of the stanza; @nitems: number; @room: allocated
 * @name: of the stanza
 * @open: a stanza has started
 * @base: its P_Key
 * @ipoib: its flag; @indx0: its flag
 * @fl: its flags
 * @fix_mtu: its mtu is in octets; @fix_rate: its rate is in Gb/s
 * @seen_default: there was a rule for 0x7fff
 * @said_limited: somebody has written defmember=limited
 * @fixed_line: line of the last message about ports
 */
struct writing {
	struct rewrite *rw;
	struct sm *sm;
	struct buf *out;
	const char *data;
	size_t len, at;
	unsigned int line;
	struct item *items;
	size_t nitems, room;
	char *name;
	bool open, ipoib, indx0, fix_mtu, fix_rate;
	uint16_t base;
	struct group_flags fl;
	bool seen_default;
	bool said_limited;
	unsigned int fixed_line;
};

static void add_item(struct writing *w, char *text, bool own_line)
{
	GROW(w->items, w->nitems, w->room);
	w->items[w->nitems++] = (struct item){ text, own_line };
}

static void fixed(struct writing *w, unsigned int line, const char *what)
{
	buf_printf(&w->rw->fixed, "line %u: %s\n", line, what);
}

/* Comments of all lines up to @line, as lines of their own. */
static void comments(struct writing *w, unsigned int line)
{
	while (w->at < w->len && w->line <= line) {
		const char *s = w->data + w->at, *nl = memchr(s, '\n', w->len - w->at);
		size_t n = nl ? (size_t)(nl - s) : w->len - w->at;
		const char *hash = memchr(s, '#', n);

		if (hash) {
			size_t m = n - (size_t)(hash - s);

			if (m > COMMENT_MOST)
				m = COMMENT_MOST;
			while (m && (hash[m - 1] == '\r' || hash[m - 1] == ' ' || hash[m - 1] == '\t'))
				m--;
			for (size_t i = 0; i < m; i++) {
				char c = hash[i] == '\t' ? ' ' : hash[i];

				/* octets of UTF-8 are fine, what a terminal obeys is not */
				if ((unsigned char)c < ' ' || c == 127)
					c = '?';
				buf_add(w->out, &c, 1);
			}
			buf_puts(w->out, "\n");
		}
		w->at += n + (nl ? 1 : 0);
		w->line++;
	}
}

/* ---- one stanza ---- */

static void put_flags(const struct writing *w, struct buf *b)
{
	const struct group_flags *fl = &w->fl;

	if (w->indx0)
		buf_puts(b, ", indx0");
	if (w->ipoib)
		buf_puts(b, ", ipoib");
	if (fl->mtu != 4)
		buf_printf(b, ", mtu=%u", fl->mtu);
	if (fl->rate != 3)
		buf_printf(b, ", rate=%u", fl->rate);
	if (fl->sl)
		buf_printf(b, ", sl=%u", fl->sl);
	for (unsigned int s = 1; s < 16; s++)
		if (fl->scopes & 1u << s)
			buf_printf(b, ", scope=%u", s);
	if (fl->qkey)
		buf_printf(b, ", Q_Key=0x%x", fl->qkey);
	if (fl->tclass)
		buf_printf(b, ", TClass=%u", fl->tclass);
	if (fl->flow)
		buf_printf(b, ", FlowLabel=0x%x", fl->flow);
}

static void put_name(const struct writing *w, struct buf *b)
{
	if (!w->name || !*w->name) {
		buf_printf(b, "p%04x", w->base | PKEY_FULL);
		return;
	}
	/*
	 * OpenSM cuts it at 31, and lines must stay short.  A ";" gets into a name behind
	 * another one at the start of its line, and ends the stanza anywhere else.
	 */
	for (const char *s = w->name; *s && s - w->name < 60; s++) {
		char c = (unsigned char)*s < ' ' || *s == 127 || *s == ';' ? '_' : *s;

		buf_add(b, &c, 1);
	}
}

static void flush(struct writing *w)
{
	struct buf head = { 0 };
	size_t column;

	if (!w->open)
		return;
	put_name(w, &head);
	/* the default partition is known as 0x7fff, tenants by their full P_Key */
	buf_printf(&head, "=0x%04x", w->base == PKEY_DEFAULT ? PKEY_DEFAULT : w->base | PKEY_FULL);
	put_flags(w, &head);
	buf_puts(&head, " :");
	buf_add(w->out, head.s, head.len);
	column = head.len;
	if (!w->nitems)
		add_item(w, xstrdup("NONE"), false);
	for (size_t i = 0; i < w->nitems; i++) {
		const struct item *it = &w->items[i];
		size_t n = strlen(it->text);

		if (it->own_line || (i && w->items[i - 1].own_line) || column + n + 3 > COLUMNS) {
			buf_puts(w->out, "\n\t");
			column = 8;
		} else {
			buf_puts(w->out, " ");
			column++;
		}
		buf_puts(w->out, it->text);
		column += n;
		if (i + 1 < w->nitems && !it->own_line && !w->items[i + 1].own_line) {
			buf_puts(w->out, ",");
			column++;
		}
	}
	buf_puts(w->out, " ;\n");
	for (size_t i = 0; i < w->nitems; i++)
		free(w->items[i].text);
	w->nitems = 0;
	buf_free(&head);
	free(w->name);
	w->name = NULL;
	w->open = false;
}

/* ---- events ---- */

static const char *const member_words[] = { "full", "limited", "both", NULL };

static void on_flag(struct writing *w, const struct conf_event *ev)
{
	static const char *const words[] = { "ipoib", "indx0", NULL };
	const char *guess;

	if (!w->rw->fix || ev->stale)
		return;
	if (ev->word == WORD_MTU && ev->value && mtu_code((uint32_t)ev->number))
		w->fix_mtu = true;
	if (ev->word == WORD_RATE && ev->value && (ev->number < 2 || ev->number > 22) &&
	    rate_parse(ev->value) && rate_parse(ev->value) <= 22)
		w->fix_rate = true;
	guess = ev->word == WORD_NONE ? did_you_mean(ev->name, words) : NULL;
	if (guess && *guess == 'i' && guess[1] == 'p') {
		w->ipoib = true;
		fixed(w, ev->line, "E11: ipoib was misspelt");
	} else if (guess) {
		w->indx0 = true;
		fixed(w, ev->line, "W04: indx0 was misspelt");
	}
}

static void on_stanza(struct writing *w, const struct conf_event *ev)
{
	w->open = true;
	free(w->name);
	w->name = ev->had_value && !ev->value ? NULL : xstrdup(ev->name);
	w->base = ev->partition->pkey;
	w->fl = *ev->stanza;
	w->ipoib |= ev->ipoib;
	w->indx0 |= ev->indx0;
	if (w->base == PKEY_DEFAULT)
		w->seen_default = true;
	if (w->fix_mtu) {
		fixed(w, ev->line, "E06: mtu was in octets");
		w->fl.mtu = mtu_code(w->fl.mtu);
	}
	if (w->fix_rate) {
		fixed(w, ev->line, "E06: rate was in Gb/s");
		w->fl.rate = rate_code(w->fl.rate);
	}
	if (w->rw->fix && !w->ipoib) {
		w->ipoib = true;
		fixed(w, ev->line, "E11: ipoib was missing");
	}
}

static void on_port(struct writing *w, const struct conf_event *ev)
{
	static const char *const bits[] = {
		[MEMBER_LIMITED] = "limited", [MEMBER_FULL] = "full", [MEMBER_BOTH] = "both",
	};
	unsigned int m = ev->bits;

	if (ev->word == WORD_NOBODY)
		return;
	if (w->rw->fix && m == MEMBER_LIMITED) {
		const char *guess = ev->said == SAID_JUNK ?
			did_you_mean(ev->value, member_words) : NULL;

		/* said by somebody: a misspelt "full"; by nobody: what is right nearly always */
		if ((guess && !strcmp(guess, "full")) ||
		    (ev->said == SAID_NOTHING && !w->said_limited)) {
			m = MEMBER_FULL;
			if (w->fixed_line != ev->line)
				fixed(w, ev->line, guess ? "W04: full was misspelt" :
				      "E10, W14: membership was missing, full now");
			w->fixed_line = ev->line;
		}
	}
	if (ev->word == WORD_GUID)
		add_item(w, xasprintf("0x%016llx=%s", (unsigned long long)ev->guid, bits[m]), false);
	else
		add_item(w, xasprintf("%s=%s", ev->keyword, bits[m]), false);
}

static bool never_made(const struct conf_event *ev)
{
	switch (ev->fate) {
	case GROUP_MADE:
	/* one that exists goes with whichever of its partitions goes first */
	case GROUP_EXISTS:
		return false;
	case GROUP_PKEY:
	case GROUP_RATE:
	case GROUP_MTU:
		return true;
	default:
		/* another of its scopes may have got its group */
		return !(ev->group->scopes & (ev->group->scopes - 1));
	}
}

static void on_mgid(struct writing *w, const struct conf_event *ev)
{
	const struct group_flags *fl = ev->group;
	struct buf b = { 0 };
	unsigned int extra;

	if (never_made(ev) &&
	    !(w->rw->fix && (ev->fate == GROUP_BAD_MTU || ev->fate == GROUP_BAD_RATE))) {
		/* what OpenSM does not make need not be written */
		if (w->rw->fix)
			fixed(w, ev->line, "W25, W35: group that was not created is left out");
		return;
	}
	buf_printf(&b, "mgid=%s, mtu=%u", ev->value,
		   w->fix_mtu || mtu_code(fl->mtu) ? mtu_code(fl->mtu) : fl->mtu);
	if (fl->rate != ev->stanza->rate)
		buf_printf(&b, ", rate=%u", fl->rate);
	if (fl->sl != ev->stanza->sl)
		buf_printf(&b, ", sl=%u", fl->sl);
	extra = fl->scopes & ~ev->stanza->scopes;
	for (unsigned int s = 1; s < 16; s++)
		if (extra & 1u << s)
			buf_printf(&b, ", scope=%u", s);
	if (fl->qkey != ev->stanza->qkey)
		buf_printf(&b, ", Q_Key=0x%x", fl->qkey);
	if (fl->tclass)
		buf_printf(&b, ", TClass=%u", fl->tclass);
	if (fl->flow != ev->stanza->flow)
		buf_printf(&b, ", FlowLabel=0x%x", fl->flow);
	add_item(w, b.s, true);
}

static void event(void *ctx, const struct conf_event *ev)
{
	struct writing *w = ctx;

	switch (ev->what) {
	case CONF_FLAG:
		on_flag(w, ev);
		if (ev->word == WORD_DEFMEMBER && ev->said == SAID_LIMITED)
			w->said_limited = true;
		break;
	case CONF_STANZA:
		on_stanza(w, ev);
		break;
	case CONF_PORT:
		on_port(w, ev);
		break;
	case CONF_MGID:
		on_mgid(w, ev);
		break;
	case CONF_END:
		comments(w, ev->line);
		flush(w);
		w->ipoib = false;
		w->indx0 = false;
		w->fix_mtu = false;
		w->fix_rate = false;
		w->said_limited = false;
		break;
	default:
		break;
	}
}

/**
 * rewrite_text() - a file, written anew
 * @rw: how
 * @sm: OpenSM, fresh; has loaded the old file afterwards
 * @data: old file
 * @len: its length
 * @out: new file
 *
 * Return: what OpenSM makes of the old file; if it is not SM_OK, @out is of no use.
 */
enum sm_result rewrite_text(struct rewrite *rw, struct sm *sm, const char *data, size_t len,
			    struct buf *out)
{
	struct writing w = {
		.rw = rw, .sm = sm, .out = out, .data = data, .len = len, .line = 1,
	};
	struct conf_hooks hooks = { .event = event, .ctx = &w };
	enum sm_result res = sm_load(sm, data, len, &hooks);

	comments(&w, ~0u);
	flush(&w);
	for (size_t i = 0; i < w.nitems; i++)
		free(w.items[i].text);
	free(w.items);
	free(w.name);
	if (res == SM_OK && !w.seen_default && rw->fix) {
		buf_puts(&rw->fixed, "E12: a Default rule was missing, all ports are full members now\n");
		buf_puts(out, "Default=0x7fff, ipoib : ALL=full ;\n");
	} else if (res == SM_OK && !w.seen_default && rw->add_default) {
		buf_puts(out, "# what OpenSM does without a rule for the default partition\n"
			      "Default=0x7fff : ALL=limited, SELF=full ;\n");
	}
	return res;
}

/* ---- proof ---- */

static bool same_group(const struct group *a, const struct group *b)
{
	return !memcmp(a->mgid, b->mgid, 16) && a->pkey == b->pkey && a->mtu == b->mtu &&
	       a->rate == b->rate && a->sl == b->sl && a->hop == b->hop &&
	       a->tclass == b->tclass && a->qkey == b->qkey && a->flow == b->flow;
}

/**
 * sm_same() - whether two files have the same effect
 * @a: OpenSM with one file
 * @b: OpenSM with the other, on the same ports
 * @why: the first difference
 */
bool sm_same(const struct sm *a, const struct sm *b, struct buf *why)
{
	const struct fabric *fa = a->fabric, *fb = b->fabric;
	struct group **ga, **gb;
	size_t na, nb;
	bool same;

	for (size_t i = 0; i < fa->nports && i < fb->nports; i++) {
		const struct pkey_table *ta = &fa->ports[i].table, *tb = &fb->ports[i].table;

		if (ta->used != tb->used || memcmp(ta->cur, tb->cur, ta->used * sizeof(*ta->cur))) {
			buf_printf(why, "P_Key table of %s", fa->ports[i].name);
			return false;
		}
	}
	na = group_list(a, &ga);
	nb = group_list(b, &gb);
	same = na == nb;
	if (!same)
		buf_printf(why, "%zu groups, not %zu", nb, na);
	for (size_t i = 0; same && i < na; i++) {
		char text[INET6_ADDRSTRLEN];

		same = same_group(ga[i], gb[i]);
		if (!same)
			buf_printf(why, "group %s", mgid_text(ga[i]->mgid, text));
	}
	free(ga);
	free(gb);
	return same;
}
