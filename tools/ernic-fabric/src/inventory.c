// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ports of a fabric: from ibnetdiscover, from an ibsim topology, or from a
 * list that somebody wrote.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "fabric.h"
#include "util.h"

#define MTU_DEFAULT	4u	/* 2048 */
#define RATE_DEFAULT	3u	/* 10 Gb/s: 4X SDR, as ibsim has it */
#define PKEYS_DEFAULT	64u
#define MCAST_DEFAULT	1024u
#define MCAST_MOST	0x3fffu	/* 0xc000 to 0xfffe */

/**
 * struct loading - an inventory that is being read
 * @f: result
 * @path: for messages
 * @line: for messages
 * @room: allocated ports
 * @type: of the node that is being described
 * @node: its name
 * @node_guid: its GUID, if known
 * @guid_next: next GUID that ibsim makes up, per node type
 * @self_guid: port that ibnetdiscover was run from
 * @self_node: its node
 * @mcast_known: some switch has told how many multicast groups it takes
 */
struct loading {
	struct fabric *f;
	const char *path;
	unsigned int line;
	size_t room;
	unsigned int type;
	char *node;
	uint64_t node_guid;
	uint64_t guid_next[NODE_TYPES];
	uint64_t self_guid;
	uint64_t self_node;
	bool mcast_known;
};

static struct port *add(struct loading *l, uint64_t guid, const char *name)
{
	struct fabric *f = l->f;
	struct port *p;

	GROW(f->ports, f->nports, l->room);
	p = &f->ports[f->nports];
	memset(p, 0, sizeof(*p));
	p->guid = guid;
	p->name = xstrdup(name);
	p->mtu = MTU_DEFAULT;
	p->rate = RATE_DEFAULT;
	p->order = (uint32_t)f->nports++;
	p->table.cap = PKEYS_DEFAULT;
	return p;
}

static int bad(const struct loading *l, const char *what, const char *text)
{
	complain("%s:%u: %s: %s", l->path, l->line, text, what);
	return -1;
}

/* ---- ibnetdiscover ---- */

static int hex_guid(const char *s, uint64_t *guid, const char **end)
{
	char *e;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	if (!isxdigit((unsigned char)*s))
		return -1;
	errno = 0;
	*guid = strtoull(s, &e, 16);
	*end = e;
	return errno ? -1 : 0;
}

/* "4xEDR", as ibnetdiscover ends a link with, to a rate code */
static unsigned int link_rate(const char *s)
{
	static const struct {
		const char *speed;
		double lane;
	} speeds[] = {
		{ "SDR", 2.5 }, { "DDR", 5 }, { "QDR", 10 }, { "FDR10", 10 },
		{ "FDR", 14 }, { "EDR", 25 }, { "HDR", 50 }, { "NDR", 100 }, { "XDR", 200 },
	};
	static const char *const widths[] = { "1x", "2x", "4x", "8x", "12x" };
	static const double lanes[] = { 1, 2, 4, 8, 12 };
	const char *word = strrchr(s, ' ');

	word = word ? word + 1 : s;
	for (size_t w = 0; w < 5; w++) {
		size_t n = strlen(widths[w]);

		if (strncmp(word, widths[w], n))
			continue;
		for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
			if (!strcmp(word + n, speeds[i].speed))
				return rate_code(speeds[i].lane * lanes[w]);
	}
	return 0;
}

/* The text between the first two quotes. */
static char *quoted(const char *s, const char **end)
{
	const char *a = strchr(s, '"'), *b = a ? strchr(a + 1, '"') : NULL;

	if (!b)
		return NULL;
	*end = b + 1;
	return xstrndup(a + 1, (size_t)(b - a - 1));
}

static unsigned int lid_of(const char *s)
{
	const char *at = strstr(s, "lid ");

	return at ? (unsigned int)strtoul(at + 4, NULL, 10) : 0;
}

/* Switch	36 "S-..."	# "name" ... lid 1 lmc 0 */
static int node_line(struct loading *l, const char *s)
{
	static const uint64_t ibsim_base[NODE_TYPES] = {
		[NODE_CA] = 0x100000, [NODE_SWITCH] = 0x200000, [NODE_ROUTER] = 0x300000,
	};
	const char *rest, *end;
	uint64_t guid = l->node_guid;
	char *id = quoted(s, &rest), *desc = NULL;
	const char *hash;

	if (!id)
		return bad(l, "a node needs a quoted name", s);
	hash = strchr(rest, '#');
	if (hash)
		desc = quoted(hash, &end);
	if (!guid && id[0] && id[1] == '-' && !hex_guid(id + 2, &guid, &end) && *end)
		guid = 0;
	if (!l->guid_next[l->type])
		l->guid_next[l->type] = ibsim_base[l->type];
	if (!guid) {
		guid = l->guid_next[l->type];
		l->guid_next[l->type] += l->type == NODE_SWITCH ? 1 : 2;
	}
	free(l->node);
	l->node = desc && *desc ? desc : xstrdup(id);
	if (desc && l->node != desc)
		free(desc);
	free(id);
	l->node_guid = guid;
	if (l->type == NODE_SWITCH) {
		struct port *p = add(l, guid, l->node);

		p->type = NODE_SWITCH;
		p->node_guid = guid;
		p->lid = (uint16_t)lid_of(hash ? hash : "");
		p->mtu = 5;
	}
	return 0;
}

/* [1](2c9020025874b)	"S-..."[7]		# lid 2 lmc 0 "name" lid 1 4xSDR */
static int link_line(struct loading *l, const char *s)
{
	unsigned long num = strtoul(s + 1, NULL, 10);
	const char *at = strchr(s, ']'), *hash = strchr(s, '#'), *end;
	unsigned int rate = hash ? link_rate(hash) : 0;
	uint64_t guid = 0;
	struct port *p;
	char *name;

	if (!at || !num || num > 254)
		return bad(l, "a link starts with [PORT]", s);
	if (!l->node)
		return bad(l, "a link needs a node before it", s);
	if (l->type == NODE_SWITCH) {
		/* external ports of a switch have no GUID of their own */
		p = fabric_by_node_guid(l->f, l->node_guid);
		if (p && rate && rate_order(rate) > rate_order(p->rate))
			p->rate = (uint8_t)rate;
		return 0;
	}
	if (at[1] == '(') {
		if (hex_guid(at + 2, &guid, &end) || *end != ')')
			return bad(l, "not a port GUID", at + 1);
	} else {
		guid = l->node_guid + num;
		if (guid >= l->guid_next[l->type] && l->guid_next[l->type])
			l->guid_next[l->type] = guid + 1;
	}
	name = num == 1 ? xstrdup(l->node) : xasprintf("%s/%lu", l->node, num);
	p = add(l, guid, name);
	free(name);
	p->type = (uint8_t)l->type;
	p->node_guid = l->node_guid;
	p->num = (uint8_t)num;
	p->lid = (uint16_t)lid_of(hash ? hash : "");
	if (rate)
		p->rate = (uint8_t)rate;
	p->rate_known = rate;
	return 0;
}

/* # Initiated from node 0002c90300001000 port 0002c90300001001 */
static void comment_line(struct loading *l, const char *s)
{
	const char *at = strstr(s, "Initiated from node "), *end;

	if (!at || hex_guid(at + 20, &l->self_node, &end))
		return;
	at = strstr(end, "port ");
	if (at)
		hex_guid(at + 5, &l->self_guid, &end);
}

static int netdiscover_line(struct loading *l, const char *s)
{
	static const struct {
		const char *word;
		unsigned int type;
	} nodes[] = {
		{ "Switch", NODE_SWITCH }, { "Ca", NODE_CA }, { "Hca", NODE_CA },
		{ "HCA", NODE_CA }, { "CA", NODE_CA }, { "Rt", NODE_ROUTER },
		{ "Router", NODE_ROUTER },
	};
	const char *end;

	if (*s == '#') {
		comment_line(l, s);
		return 0;
	}
	if (*s == '[')
		return link_line(l, s);
	if (!strncmp(s, "switchguid=", 11) || !strncmp(s, "caguid=", 7) ||
	    !strncmp(s, "rtguid=", 7)) {
		if (hex_guid(strchr(s, '=') + 1, &l->node_guid, &end))
			return bad(l, "not a GUID", s);
		return 0;
	}
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		size_t n = strlen(nodes[i].word);

		if (strncmp(s, nodes[i].word, n) || !isspace((unsigned char)s[n]))
			continue;
		l->type = nodes[i].type;
		if (node_line(l, s))
			return -1;
		return 0;
	}
	/* a new node is announced by what precedes its line */
	if (strchr(s, '=')) {
		if (!strncmp(s, "vendid=", 7))
			l->node_guid = 0;
		return 0;
	}
	return bad(l, "not ibnetdiscover's, nor a GUID", s);
}

/* ---- list ---- */

static int list_attribute(struct loading *l, struct port *p, const char *word)
{
	const char *value = strchr(word, '='), *end;
	uint64_t n;

	if (!value)
		return bad(l, "expected mtu=, rate=, pkeys=, lid=, node= or mcast=", word);
	value++;
	n = c_number(value, &end);
	if (!strncmp(word, "rate=", 5)) {
		unsigned int code = rate_parse(value);

		if (!code)
			return bad(l, "no such rate (in Gb/s, as 100)", word);
		p->rate = (uint8_t)code;
		p->rate_known = true;
		return 0;
	}
	if (end == value || *end)
		return bad(l, "not a number", word);
	if (!strncmp(word, "mtu=", 4)) {
		unsigned int code = mtu_code((unsigned int)n);

		if (!code)
			return bad(l, "no such MTU (256 to 4096)", word);
		p->mtu = (uint8_t)code;
		p->mtu_known = true;
	} else if (!strncmp(word, "pkeys=", 6)) {
		if (n < 1 || n > 0xffe0)
			return bad(l, "a table has 1 to 65504 entries", word);
		p->table.cap = (uint16_t)n;
	} else if (!strncmp(word, "lid=", 4)) {
		if (n < 1 || n >= 0xc000)
			return bad(l, "not a unicast LID", word);
		p->lid = (uint16_t)n;
	} else if (!strncmp(word, "node=", 5)) {
		p->node_guid = n;
	} else if (!strncmp(word, "mcast=", 6)) {
		if (n > MCAST_MOST)
			return bad(l, "there are 16383 multicast LIDs", word);
		l->mcast_known = true;
		if (l->f->mcast_cap > n)
			l->f->mcast_cap = (unsigned int)n;
	} else {
		return bad(l, "expected mtu=, rate=, pkeys=, lid=, node= or mcast=", word);
	}
	return 0;
}

/* GUID NAME TYPE [ATTRIBUTE=VALUE...] */
static int list_line(struct loading *l, char *s)
{
	static const char *const types[NODE_TYPES] = {
		[NODE_CA] = "CA", [NODE_SWITCH] = "switch", [NODE_ROUTER] = "router",
	};
	char *save, *word = strtok_r(s, " \t,", &save), *name, *type;
	const char *end;
	struct port *p;
	uint64_t guid;

	if (hex_guid(word, &guid, &end) || *end || !guid)
		return bad(l, "not a port GUID", word);
	name = strtok_r(NULL, " \t,", &save);
	type = strtok_r(NULL, " \t,", &save);
	if (!name)
		return bad(l, "a port needs a name", word);
	p = add(l, guid, name);
	p->type = NODE_CA;
	p->num = 1;
	if (type && !strchr(type, '=')) {
		for (p->type = NODE_CA; p->type < NODE_TYPES; p->type++)
			if (!strcasecmp(type, types[p->type]))
				break;
		if (p->type == NODE_TYPES) {
			p->type = NODE_CA;
			return bad(l, "expected CA, switch or router", type);
		}
		type = strtok_r(NULL, " \t,", &save);
	}
	if (p->type == NODE_SWITCH) {
		p->num = 0;
		p->node_guid = guid;
	}
	for (; type; type = strtok_r(NULL, " \t,", &save))
		if (list_attribute(l, p, type))
			return -1;
	return 0;
}

/* ---- both ---- */

static int by_guid(const void *a, const void *b)
{
	const struct port *pa = a, *pb = b;

	if (pa->guid != pb->guid)
		return pa->guid < pb->guid ? -1 : 1;
	return pa->order < pb->order ? -1 : 1;
}

static void drop_duplicates(struct fabric *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nports; i++) {
		if (!n || f->ports[n - 1].guid != f->ports[i].guid) {
			f->ports[n++] = f->ports[i];
			continue;
		}
		f->duplicates = xrealloc(f->duplicates, f->nduplicates + 1,
					 sizeof(*f->duplicates));
		f->duplicates[f->nduplicates++] = f->ports[i].guid;
		free(f->ports[i].name);
	}
	f->nports = n;
}

static int order_of(const void *a, const void *b)
{
	const struct port *pa = *(struct port *const *)a, *pb = *(struct port *const *)b;

	return pa->order < pb->order ? -1 : pa->order > pb->order;
}

static void finish(struct fabric *f)
{
	unsigned int slowest = 0;

	if (f->nports)
		qsort(f->ports, f->nports, sizeof(*f->ports), by_guid);
	drop_duplicates(f);
	f->by_order = xcalloc(f->nports, sizeof(struct port *));
	f->min_mtu = 5;
	for (size_t i = 0; i < f->nports; i++) {
		struct port *p = &f->ports[i];

		f->by_order[i] = p;
		f->ntype[p->type]++;
		pkeys_init(&p->table, p->table.cap);
		if (p->type == NODE_SWITCH)
			continue;
		if (p->mtu < f->min_mtu)
			f->min_mtu = p->mtu;
		if (!slowest || rate_order(p->rate) < rate_order(slowest))
			slowest = p->rate;
	}
	f->min_rate = (uint8_t)(slowest ? slowest : 22);
	if (f->nports)
		qsort(f->by_order, f->nports, sizeof(struct port *), order_of);
}

struct fabric *fabric_empty(void)
{
	struct fabric *f = xcalloc(1, sizeof(*f));

	f->mcast_cap = MCAST_DEFAULT;
	finish(f);
	return f;
}

/* Stands for ports that are in the fabric, but not in the file. */
static void make_up(struct loading *l, uint64_t guid, const char *name, unsigned int type)
{
	struct port *p = add(l, guid, name);

	p->type = (uint8_t)type;
	p->num = type == NODE_SWITCH ? 0 : 1;
	p->made_up = true;
}

/**
 * fabric_of_guids() - a fabric of all the ports that a file names
 * @guids: port GUIDs, in any order, duplicates allowed
 * @n: number of them
 * @with_sm: the SM runs on a port of its own
 *
 * For those who have no inventory at hand: all are HCAs, and there are two more
 * HCAs, a switch and a router, for what the file says about all.
 */
struct fabric *fabric_of_guids(const uint64_t *guids, size_t n, bool with_sm)
{
	struct loading l = { .f = xcalloc(1, sizeof(*l.f)) };
	char name[32];

	l.f->mcast_cap = MCAST_MOST;
	for (size_t i = 0; i < n; i++) {
		struct port *p;

		snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)guids[i]);
		p = add(&l, guids[i], name);
		p->type = NODE_CA;
		p->num = 1;
	}
	if (with_sm)
		make_up(&l, UINT64_MAX - 1, "(SM)", NODE_CA);
	make_up(&l, UINT64_MAX - 2, "(any-other-HCA)", NODE_CA);
	make_up(&l, UINT64_MAX - 3, "(another-HCA)", NODE_CA);
	make_up(&l, UINT64_MAX - 4, "(any-switch)", NODE_SWITCH);
	make_up(&l, UINT64_MAX - 5, "(any-router)", NODE_ROUTER);
	finish(l.f);
	free(l.f->duplicates);
	l.f->duplicates = NULL;
	l.f->nduplicates = 0;
	l.f->implicit = true;
	if (with_sm)
		l.f->self = fabric_find(l.f, UINT64_MAX - 1);
	return l.f;
}

void fabric_free(struct fabric *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nports; i++) {
		free(f->ports[i].name);
		pkeys_free(&f->ports[i].table);
	}
	free(f->ports);
	free(f->by_order);
	free(f->duplicates);
	free(f);
}

/* A GUID first: a list.  ibnetdiscover's lines start otherwise. */
static bool is_list(const char *s)
{
	const char *end;
	uint64_t guid;

	return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && !hex_guid(s, &guid, &end) &&
	       (*end == ' ' || *end == '\t' || *end == ',');
}

/**
 * fabric_parse() - an inventory
 * @path: for messages
 * @text: its content
 * @len: length of it
 *
 * Return: NULL after a message.
 */
struct fabric *fabric_parse(const char *path, const char *text, size_t len)
{
	struct loading l = { .path = path, .f = xcalloc(1, sizeof(*l.f)) };
	char *copy = xmalloc(len + 1), *s, *next;
	int rc = 0;

	l.f->mcast_cap = MCAST_MOST;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (strlen(copy) != len) {
		complain("%s: not a text file", path);
		rc = -1;
	}
	for (s = copy; s && !rc; s = next) {
		next = strchr(s, '\n');
		if (next)
			*next++ = '\0';
		l.line++;
		while (*s == ' ' || *s == '\t')
			s++;
		s[strcspn(s, "\r")] = '\0';
		if (!*s) {
			l.node_guid = 0;
			continue;
		}
		rc = is_list(s) ? list_line(&l, s) : netdiscover_line(&l, s);
	}
	free(copy);
	free(l.node);
	finish(l.f);
	/* ibnetdiscover does not tell: what ibsim's switches have */
	if (!l.mcast_known)
		l.f->mcast_cap = MCAST_DEFAULT;
	if (rc) {
		fabric_free(l.f);
		return NULL;
	}
	l.f->self = fabric_find(l.f, l.self_guid);
	if (!l.f->self && l.self_node)
		l.f->self = fabric_by_node_guid(l.f, l.self_node);
	return l.f;
}

struct fabric *fabric_load(const char *path)
{
	size_t len;
	char *text = file_read(path, &len);
	struct fabric *f = fabric_parse(path, text, len);

	free(text);
	return f;
}

struct port *fabric_find(const struct fabric *f, uint64_t guid)
{
	size_t lo = 0, hi = f->nports;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (f->ports[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->nports && f->ports[lo].guid == guid ? &f->ports[lo] : NULL;
}

struct port *fabric_by_name(const struct fabric *f, const char *name)
{
	for (size_t i = 0; i < f->nports; i++)
		if (!strcmp(f->by_order[i]->name, name))
			return f->by_order[i];
	return NULL;
}

/* Works while the ports are not yet sorted, too. */
struct port *fabric_by_node_guid(const struct fabric *f, uint64_t guid)
{
	for (size_t i = f->nports; i; i--)
		if (f->ports[i - 1].node_guid == guid)
			return &f->ports[i - 1];
	return NULL;
}

/**
 * fabric_set_self() - which port the SM runs on
 * @f: fabric
 * @name: node name or port GUID
 *
 * Return: 0, or -1 if there is none.
 */
int fabric_set_self(struct fabric *f, const char *name)
{
	struct port *p = fabric_by_name(f, name);
	const char *end;
	uint64_t guid;

	if (!p) {
		guid = c_number(name, &end);
		if (end != name && !*end)
			p = fabric_find(f, guid);
	}
	if (!p)
		return -1;
	f->self = p;
	return 0;
}
