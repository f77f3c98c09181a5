// SPDX-License-Identifier: GPL-2.0-only
/*
 * partitions.conf, read as osm_prtn_config.c of OpenSM 3.3.23 reads it.
 *
 * OpenSM cuts a line apart in place and steps from piece to piece by their
 * lengths, in a buffer that it does not clear between lines.  Some constructs
 * take it over the end of the line, into what earlier lines have left there.
 * There is no way to get the same result but to do the same; so the buffer is
 * of the same size, filled the same way, and has room behind it.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "util.h"

#define BUFFER	4096u
#define SLACK	64u

/**
 * struct stanza - what is being read
 * @p: partition, as soon as the header is complete
 * @fl: flags
 * @ipoib: flag
 * @indx0: flag
 * @bits: membership of ports without one
 * @said: how that was said
 */
struct stanza {
	struct partition *p;
	struct group_flags fl;
	bool ipoib, indx0;
	unsigned int bits;
};

struct reader {
	struct sm *sm;
	const struct conf_hooks *hooks;
	struct stanza st;
	bool open;
	unsigned int end;	/* where the line ends in buf */
	unsigned int cut;	/* where its comment starts, or end */
	unsigned int line, osm_line, col0;
	char buf[BUFFER + SLACK];
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static char *skip(char *s)
{
	while (blank(*s))
		s++;
	return s;
}

/* The first octet stays, even if it is a blank. */
static void trim(char *s)
{
	char *e = s + strlen(s);

	while (e != s && (!*e || blank(*e)))
		*e-- = '\0';
}

/* Ends the string before the first @c; returns what follows, or NULL. */
static char *cut(char *s, char c)
{
	char *at = strchr(s, c);

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

/**
 * split() - takes "name = value" apart
 * @s: text up to a NUL
 * @name: result
 * @value: result, NULL if there is no "="
 *
 * Return: octets of the text, with its NUL.
 */
static size_t split(char *s, char **name, char **value)
{
	char *rest = cut(s, '=');
	size_t used = strlen(s) + 1;

	*name = skip(s);
	trim(*name);
	*value = NULL;
	if (!rest)
		return used;
	used += strlen(rest) + 1;
	*value = skip(rest);
	trim(*value);
	return used;
}

static bool starts(const char *word, const char *keyword)
{
	return !strncmp(word, keyword, strlen(word));
}

/* ---- telling ---- */

static unsigned int column(const struct reader *r, const char *at)
{
	unsigned int off = (unsigned int)(at - r->buf);

	return r->col0 + (off < r->end ? off : r->end) + 1;
}

static void tell(const struct reader *r, struct conf_event *ev, const char *at)
{
	if (!r->hooks)
		return;
	ev->line = r->line;
	ev->osm_line = r->osm_line;
	if (at) {
		ev->col = column(r, at);
		ev->stale = (unsigned int)(at - r->buf) > r->cut;
	}
	ev->vcol = ev->value ? column(r, ev->value) : ev->col;
	ev->stanza = &r->st.fl;
	ev->ipoib = r->st.ipoib;
	ev->indx0 = r->st.indx0;
	if (!ev->partition)
		ev->partition = r->st.p;
	r->hooks->event(r->hooks->ctx, ev);
}

static void tell_note(const struct reader *r, enum conf_what what, enum conf_note note,
		      const char *at, const char *text)
{
	struct conf_event ev = { .what = what, .note = note, .name = text ? text : "" };

	tell(r, &ev, at);
}

/* ---- flags ---- */

/**
 * group_flag() - osm_prtn_config.c:parse_group_flag
 * @fl: where it goes
 * @name: text; matches a keyword that starts with it
 * @value: text or NULL
 * @ev: what to tell
 *
 * Return: whether it was one.
 */
static bool group_flag(struct group_flags *fl, const char *name, const char *value,
		       struct conf_event *ev)
{
	const char *end = NULL;
	uint32_t n = 0;

	if (value) {
		ev->number = c_number(value, &end);
		n = (uint32_t)ev->number;
	}
	ev->good = value && n;
	if (starts(name, "mtu")) {
		ev->word = WORD_MTU;
		ev->keyword = "mtu";
		if (value)
			fl->mtu = n;
	} else if (starts(name, "rate")) {
		ev->word = WORD_RATE;
		ev->keyword = "rate";
		if (value)
			fl->rate = n;
	} else if (starts(name, "scope")) {
		ev->word = WORD_SCOPE;
		ev->keyword = "scope";
		ev->good = ev->good && n <= 15;
		if (ev->good)
			fl->scopes |= 1u << n;
	} else if (starts(name, "Q_Key")) {
		ev->word = WORD_QKEY;
		ev->keyword = "Q_Key";
		if (value)
			fl->qkey = n;
	} else if (starts(name, "TClass")) {
		ev->word = WORD_TCLASS;
		ev->keyword = "TClass";
		if (value)
			fl->tclass = (uint8_t)n;
		ev->good = value && fl->tclass;
	} else if (starts(name, "sl") || starts(name, "FlowLabel")) {
		bool sl = starts(name, "sl");

		ev->word = sl ? WORD_SL : WORD_FLOW;
		ev->keyword = sl ? "sl" : "FlowLabel";
		/* what follows a blank does not matter */
		ev->good = value && *value && n <= (sl ? 15u : 0xfffffu) &&
			   (!*end || blank(*end) || (*end >= '\v' && *end <= '\r'));
		if (ev->good && sl)
			fl->sl = n;
		else if (ev->good)
			fl->flow = n;
	} else {
		return false;
	}
	return true;
}

/* osm_prtn_config.c:partition_add_flag */
static void stanza_flag(struct reader *r, const char *name, const char *value)
{
	struct conf_event ev = { .what = CONF_FLAG, .name = name, .value = value };
	struct stanza *st = &r->st;

	if (group_flag(&st->fl, name, value, &ev)) {
		;
	} else if (starts(name, "ipoib")) {
		ev.word = WORD_IPOIB;
		ev.keyword = "ipoib";
		ev.good = !value;
		st->ipoib = true;
	} else if (starts(name, "defmember")) {
		ev.word = WORD_DEFMEMBER;
		ev.keyword = "defmember";
		ev.good = true;
		if (value && starts(value, "full")) {
			st->bits = MEMBER_FULL;
			ev.said = *value ? SAID_FULL : SAID_EMPTY;
		} else if (value && starts(value, "both")) {
			st->bits = MEMBER_BOTH;
			ev.said = SAID_BOTH;
		} else if (value && starts(value, "limited")) {
			st->bits = MEMBER_LIMITED;
			ev.said = SAID_LIMITED;
		} else {
			ev.said = SAID_JUNK;
			ev.good = false;
		}
	} else if (!strcmp(name, "indx0")) {
		ev.word = WORD_INDX0;
		ev.keyword = "indx0";
		ev.good = true;
		st->indx0 = true;
	}
	tell(r, &ev, name);
}

/* ---- header ---- */

/* osm_prtn_config.c:partition_create */
static int create(struct reader *r, const char *name, const char *id)
{
	struct conf_event ev = { .what = CONF_STANZA, .name = name, .value = id };
	struct stanza *st = &r->st;
	uint16_t pkey = 0;

	if (!id && *name >= '0' && *name <= '9') {
		id = name;
		name = NULL;
	}
	ev.had_value = id;
	if (id) {
		const char *end;

		ev.number = c_number(id, &end);
		pkey = (uint16_t)ev.number;
		if (end == id || *end)
			return -1;
	}
	ev.fresh = !(pkey & ~PKEY_FULL) || !r->sm->part[pkey & ~PKEY_FULL] ||
		   !r->sm->part[pkey & ~PKEY_FULL]->members;
	r->sm->line = r->line;
	st->p = sm_partition(r->sm, name, pkey);
	if (!st->p)
		return -1;
	if (!r->sm->opt.qos)
		st->fl.sl = 0;
	if (st->ipoib)
		ev.fate = group_add_broadcast(r->sm, st->p, &st->fl);
	tell(r, &ev, ev.name);
	return 0;
}

/**
 * header() - a stanza up to its colon
 * @r: reader
 * @s: text; becomes what follows the colon
 *
 * Return: octets of the header, or -1.
 */
static int header(struct reader *r, char **s)
{
	char *p = *s, *name, *id, *flag, *value, *more;
	char *body = cut(p, ':');
	size_t used, len;

	if (!body) {
		tell_note(r, CONF_ERROR, NOTE_NO_COLON, p, p);
		return -1;
	}
	more = cut(p, ',');
	used = split(p, &name, &id);
	p += used;
	len = used;
	while (more) {
		more = cut(p, ',');
		used = split(p, &flag, &value);
		p += used;
		len += used;
		stanza_flag(r, flag, value);
	}
	/* pieces that do not add up: text that was cut apart before */
	if (p != body || create(r, name, id) < 0) {
		struct conf_event ev = {
			.what = CONF_ERROR, .note = NOTE_BAD_HEADER, .name = name,
			.value = id,
		};

		tell(r, &ev, name);
		return -1;
	}
	*s = p;
	return (int)len;
}

/* ---- ports ---- */

static enum conf_member membership(const char *value, unsigned int *bits)
{
	if (!value)
		return SAID_NOTHING;
	if (starts(value, "full")) {
		*bits = MEMBER_FULL;
		return *value ? SAID_FULL : SAID_EMPTY;
	}
	if (starts(value, "both")) {
		*bits = MEMBER_BOTH;
		return SAID_BOTH;
	}
	*bits = MEMBER_LIMITED;
	return starts(value, "limited") ? SAID_LIMITED : SAID_JUNK;
}

/* osm_prtn_config.c:partition_add_port */
static int add_port(struct reader *r, const char *name, const char *value)
{
	static const struct {
		const char *keyword;
		enum conf_word word;
		unsigned int type;
	} groups[] = {
		{ "ALL", WORD_ALL, 0 },
		{ "ALL_CAS", WORD_ALL_CAS, NODE_CA },
		{ "ALL_SWITCHES", WORD_ALL_SWITCHES, NODE_SWITCH },
		{ "ALL_ROUTERS", WORD_ALL_ROUTERS, NODE_ROUTER },
	};
	struct conf_event ev = { .what = CONF_PORT, .name = name, .value = value };
	struct stanza *st = &r->st;
	struct sm *sm = r->sm;
	const char *end;

	if (!*name)
		return 0;
	ev.bits = st->bits;
	if (starts(name, "NONE")) {
		ev.word = WORD_NOBODY;
		ev.keyword = "NONE";
		tell(r, &ev, name);
		return 0;
	}
	ev.said = membership(value, &ev.bits);
	sm->line = r->line;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (!starts(name, groups[i].keyword))
			continue;
		ev.word = groups[i].word;
		ev.keyword = groups[i].keyword;
		sm_add_all(sm, st->p, groups[i].type, ev.bits, st->indx0);
		tell(r, &ev, name);
		return 0;
	}
	if (starts(name, "SELF")) {
		ev.word = WORD_SELF;
		ev.keyword = "SELF";
		ev.guid = sm->fabric->self ? sm->fabric->self->guid : 0;
	} else {
		ev.word = WORD_GUID;
		ev.guid = c_number(name, &end);
		if (!ev.guid || *end)
			return -1;
	}
	if (ev.guid)
		sm_add_port(sm, st->p, ev.guid, ev.bits, st->indx0);
	tell(r, &ev, name);
	return 0;
}

/* ---- multicast groups ---- */

/* osm_prtn_config.c:parse_mgroup_flags */
static size_t mgid_flags(struct reader *r, struct group_flags *fl, char *p)
{
	char *more, *name, *value;
	size_t used, len = 0;

	do {
		struct conf_event ev = { .what = CONF_GFLAG };

		more = cut(p, ',');
		used = split(p, &name, &value);
		ev.name = name;
		ev.value = value;
		group_flag(fl, name, value, &ev);
		tell(r, &ev, name);
		p += used;
		len += used;
	} while (more);
	return len;
}

/**
 * mgid_line() - osm_prtn_config.c:mgroup_create
 * @r: reader
 * @name: "mgid", for the column
 * @value: address
 * @p: what follows, be it in this line or not
 *
 * Return: octets of the flags.
 */
static size_t mgid_line(struct reader *r, const char *name, const char *value, char *p)
{
	struct conf_event ev = { .what = CONF_MGID, .name = name, .value = value };
	struct group_flags fl = r->st.fl;
	uint8_t mgid[16];
	size_t len;

	if (inet_pton(AF_INET6, value, mgid) != 1 || mgid[0] != 0xff) {
		ev.what = CONF_LINE;
		ev.note = NOTE_MGID;
		tell(r, &ev, name);
		return 0;
	}
	if ((size_t)(p - r->buf) > r->cut)
		tell_note(r, CONF_LINE, r->cut < r->end ? NOTE_COMMENT : NOTE_STALE, p, p);
	fl.tclass = 0;
	len = mgid_flags(r, &fl, p);
	r->sm->line = r->line;
	ev.fate = group_add_listed(r->sm, r->st.p, &r->st.fl, &fl, mgid);
	ev.mgid = mgid;
	ev.group = &fl;
	tell(r, &ev, name);
	return len;
}

/* ---- lines ---- */

enum { PIECE_ERROR = -1, PIECE_CRASH = -2 };

/**
 * piece() - osm_prtn_config.c:parse_part_conf
 * @r: reader
 * @s: text up to the next ';' or the end
 *
 * Return: octets of it, or PIECE_*.
 */
static int piece(struct reader *r, char *s)
{
	char *p = s, *more, *name, *value;
	size_t used, len = 0;
	int n;

	/* a ';' that nothing precedes has become a NUL: on to what follows it */
	if (!*p) {
		tell_note(r, CONF_LINE, NOTE_LONE, p, NULL);
		p++;
		len++;
	}
	if (!r->st.p) {
		n = header(r, &p);
		if (n < 0)
			return PIECE_ERROR;
		len += (size_t)n;
	}
	do {
		more = cut(p, ',');
		used = split(p, &name, &value);
		len += used;
		if (!strcmp(name, "mgid")) {
			if (!value) {
				tell_note(r, CONF_ERROR, NOTE_CRASH, name, name);
				return PIECE_CRASH;
			}
			return (int)(len + mgid_line(r, name, value, p + used));
		}
		if (add_port(r, name, value) < 0) {
			struct conf_event ev = {
				.what = CONF_ERROR, .note = NOTE_BAD_PORT, .name = name,
				.value = value,
			};

			tell(r, &ev, name);
			return PIECE_ERROR;
		}
		p += used;
	} while (more);
	return (int)len;
}

/* fgets(): the line that starts at @data, or as much as fits */
static size_t fill(struct reader *r, const char *data, size_t len)
{
	const char *nl;
	size_t n = len < CONF_READ ? len : CONF_READ;

	nl = memchr(data, '\n', n);
	if (nl)
		n = (size_t)(nl - data) + 1;
	memcpy(r->buf, data, n);
	r->buf[n] = '\0';
	r->end = (unsigned int)n;
	r->osm_line++;
	if (!nl && n == CONF_READ && len > n && data[n] != '\n')
		tell_note(r, CONF_LINE, NOTE_CUT, r->buf + n, NULL);
	return n;
}

static void new_stanza(struct stanza *st)
{
	memset(st, 0, sizeof(*st));
	st->fl.rate = 3;
	st->fl.mtu = 4;
	st->bits = MEMBER_LIMITED;
}

/* Return: whether the line had something in it, or PIECE_*. */
static int read_line(struct reader *r)
{
	char *p = r->buf, *more;
	int n, some = 0;

	more = cut(p, '#');
	r->cut = more ? (unsigned int)(more - 1 - r->buf) : r->end;
	if (strlen(p) < r->cut)
		tell_note(r, CONF_LINE, NOTE_NUL, p + strlen(p), NULL);
	do {
		p = skip(p);
		if (!*p)
			break;
		if ((size_t)(p - r->buf) > r->end)
			tell_note(r, CONF_LINE, NOTE_STALE, p, p);
		if (!r->open) {
			new_stanza(&r->st);
			r->open = true;
		}
		more = cut(p, ';');
		n = piece(r, p);
		if (n < 0)
			return n;
		some = 1;
		p += n;
		if (more) {
			struct conf_event ev = { .what = CONF_END, .name = "" };

			tell(r, &ev, more - 1);
			r->open = false;
			memset(&r->st, 0, sizeof(r->st));
		}
	} while (more);
	return some;
}

/**
 * conf_parse() - osm_prtn_config.c:osm_prtn_config_parse_file
 * @sm: OpenSM
 * @data: the file
 * @len: its length
 * @hooks: who listens, or NULL
 */
enum sm_result conf_parse(struct sm *sm, const char *data, size_t len,
			  const struct conf_hooks *hooks)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	enum sm_result res = SM_REJECTED;
	size_t off = 0;

	r->sm = sm;
	r->hooks = hooks;
	r->line = 1;
	conf_residue(r->buf, BUFFER, sm->loads > 1);
	while (off < len) {
		size_t n = fill(r, data + off, len - off);
		int rc = read_line(r);

		if (rc < 0) {
			res = rc == PIECE_CRASH ? SM_CRASHED : SM_REJECTED;
			goto out;
		}
		if (rc)
			res = SM_OK;
		off += n;
		if (data[off - 1] == '\n') {
			r->line++;
			r->col0 = 0;
		} else {
			r->col0 += (unsigned int)n;
		}
	}
	if (res == SM_REJECTED)
		tell_note(r, CONF_ERROR, NOTE_EMPTY, r->buf, NULL);
	else if (r->open)
		tell_note(r, CONF_LINE, NOTE_OPEN, r->buf + r->end, NULL);
out:
	free(r);
	return res;
}
