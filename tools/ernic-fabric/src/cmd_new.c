// SPDX-License-Identifier: GPL-2.0-only
/* new: a correct file, from options or from questions. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd.h"
#include "codes.h"
#include "lint.h"
#include "util.h"

struct tenant {
	char *name;
	unsigned int base;
	char **ports;
	size_t nports;
};

struct options {
	struct common c;
	struct tenant *tenants;
	size_t n, room;
	unsigned int mtu, rate;
	bool no_ipoib, open, ask, index0;
	const char *out;
};

enum { KEY_TENANT = 1000, KEY_MTU, KEY_RATE, KEY_NO_IPOIB, KEY_OPEN, KEY_ASK, KEY_INDEX0 };

/* NAME[=P_KEY]:PORT[,PORT...] */
static void add_tenant(struct options *o, const char *arg)
{
	char *copy = xstrdup(arg), *ports = strchr(copy, ':'), *key, *save, *word;
	struct tenant *t;

	if (!ports)
		fail("--tenant %s: expected NAME[=P_KEY]:PORT,PORT...", arg);
	*ports++ = '\0';
	GROW(o->tenants, o->n, o->room);
	t = &o->tenants[o->n++];
	memset(t, 0, sizeof(*t));
	key = strchr(copy, '=');
	if (key) {
		const char *end;
		uint64_t v;

		*key++ = '\0';
		v = c_number(key, &end);
		if (end == key || *end || v > 0xffff || !(v & 0x7fff))
			fail("--tenant %s: P_Key is a number from 0x8001 to 0xfffe", arg);
		t->base = (unsigned int)v & ~PKEY_FULL;
	}
	t->name = xstrdup(copy);
	if (!*t->name || strlen(t->name) > 31 || strpbrk(t->name, ",;#\n\r\t=") || strspn(t->name, "0123456789"))
		fail("--tenant %s: a name has 1 to 31 characters, no digit in front, none of , ; : # =", arg);
	for (word = strtok_r(ports, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		t->ports = xrealloc(t->ports, t->nports + 1, sizeof(char *));
		t->ports[t->nports++] = xstrdup(word);
	}
	if (!t->nports)
		fail("--tenant %s: without ports the partition would not exist", arg);
	free(copy);
}

static unsigned int parse_mtu(const char *arg)
{
	const char *end;
	uint64_t v = c_number(arg, &end);
	unsigned int code = v <= 5 ? (unsigned int)v : mtu_code((unsigned int)v);

	if (end == arg || *end || code < 4)
		fail("--mtu is 2048 or 4096 (below that, there is no IPv6)");
	return code;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		return 0;
	case KEY_TENANT:
		add_tenant(o, arg);
		return 0;
	case KEY_MTU:
		o->mtu = parse_mtu(arg);
		return 0;
	case KEY_RATE:
		o->rate = rate_parse(arg);
		if (!o->rate || o->rate > 22)
			argp_error(state, "--rate is in Gb/s, see 'ernic-fabric codes'");
		return 0;
	case KEY_NO_IPOIB:
		o->no_ipoib = true;
		return 0;
	case KEY_OPEN:
		o->open = true;
		return 0;
	case KEY_ASK:
		o->ask = true;
		return 0;
	case KEY_INDEX0:
		o->index0 = true;
		return 0;
	case 'o':
		o->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': there are only options", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- questions ---- */

static char *question(const char *text, char *line, size_t size)
{
	fprintf(stderr, "%s ", text);
	if (!fgets(line, (int)size, stdin)) {
		fputc('\n', stderr);
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static bool yes(const char *text, bool preset)
{
	char line[64];

	if (!question(text, line, sizeof(line)) || !*line)
		return preset;
	return line[0] == 'y' || line[0] == 'Y';
}

static void ask(struct options *o)
{
	char line[8192];

	fputs("A partitions.conf in a few questions; an empty answer is the one in brackets.\n", stderr);
	for (;;) {
		char *arg;

		if (!question("A tenant, as NAME[=P_KEY]:PORT,PORT... [no more]:", line, sizeof(line)) || !*line)
			break;
		arg = xstrdup(line);
		add_tenant(o, arg);
		free(arg);
	}
	o->no_ipoib = !yes("Shall there be IPoIB? [y]", true);
	if (question("Largest packet of the fabric, 2048 or 4096 [2048]:", line, sizeof(line)) && *line)
		o->mtu = parse_mtu(line);
	if (o->n)
		o->open = !yes("Are tenants isolated from each other in the default partition, too? [y]", true);
}

/* ---- the file ---- */

static unsigned int free_key(const struct options *o, unsigned int *next)
{
	for (;;) {
		bool used = false;

		for (size_t i = 0; i < o->n; i++)
			used |= o->tenants[i].base == *next;
		if (!used)
			return (*next)++;
		(*next)++;
	}
}

static void put_tenant(const struct options *o, const struct tenant *t, const struct fabric *f,
		       struct buf *b)
{
	size_t column = 0;

	buf_printf(b, "%s=0x%04x%s%s", t->name, t->base | PKEY_FULL, o->index0 ? ", indx0" : "",
		   o->no_ipoib ? "" : ", ipoib");
	if (o->mtu != 4)
		buf_printf(b, ", mtu=%u", o->mtu);
	if (o->rate != 3)
		buf_printf(b, ", rate=%u", o->rate);
	buf_puts(b, ", defmember=full :");
	for (size_t i = 0; i < t->nports; i++) {
		const struct port *p = fabric_by_name(f, t->ports[i]);
		const char *end;
		uint64_t guid = p ? p->guid : c_number(t->ports[i], &end);

		if (!p && (end == t->ports[i] || *end || !guid))
			fail("tenant %s: '%s' is no port GUID%s", t->name, t->ports[i],
			     o->c.inventory ? ", nor a name in the inventory" :
			     "; names need an --inventory");
		if (!(i % 3)) {
			buf_puts(b, "\n\t");
			column = 0;
		}
		buf_printf(b, "%s0x%016llx=full%s", column++ ? " " : "", (unsigned long long)guid,
			   i + 1 < t->nports ? "," : " ;\n");
	}
}

static void write_file(struct options *o, const struct fabric *f, struct buf *b)
{
	unsigned int next = 1;

	buf_puts(b, "# partitions.conf for OpenSM, by ernic-fabric new.\n"
		    "# Check it after each edit with 'ernic-fabric lint': one error in this file, and OpenSM\n"
		    "# forgets all of it and makes every port a full member of one partition.\n"
		    "#\n"
		    "# NAME=P_KEY, FLAGS : PORTS ;   the ':' on the line of the name, ';' behind the last port.\n"
		    "# Two ports can talk if both are members and at least one is a full member.\n\n");
	if (!o->n || o->open) {
		buf_puts(b, "# The default partition: everybody is in it, and can talk to everybody.\n");
		buf_printf(b, "Default=0x7fff%s%s : ALL=full ;\n", o->no_ipoib ? "" : ", ipoib",
			   o->mtu == 5 ? ", mtu=5" : "");
	} else {
		buf_puts(b, "# The default partition: every port needs it to reach the subnet manager, but limited\n"
			    "# members cannot reach each other in it. The SM's node is the only full member.\n");
		buf_printf(b, "Default=0x7fff%s%s : ALL=limited, SELF=full ;\n",
			   o->no_ipoib ? "" : ", ipoib", o->mtu == 5 ? ", mtu=5" : "");
	}
	if (!o->no_ipoib)
		buf_puts(b, "\n# ipoib makes the broadcast group, without which no IPoIB interface gets carrier.\n");
	if (o->mtu == 5)
		buf_puts(b, "# mtu=5 is 4096 octets, IPoIB has 4092: every port and the path between must have it.\n");
	if (o->index0)
		buf_puts(b, "# indx0 makes ib0 of these ports the interface of this partition.\n");
	for (size_t i = 0; i < o->n; i++)
		if (!o->tenants[i].base)
			o->tenants[i].base = free_key(o, &next);
	for (size_t i = 0; i < o->n; i++) {
		buf_printf(b, "\n# %s: on its hosts, ip link add link ib0 name ib0.%04x type ipoib pkey 0x%04x\n",
			   o->tenants[i].name, o->tenants[i].base | PKEY_FULL,
			   o->tenants[i].base | PKEY_FULL);
		put_tenant(o, &o->tenants[i], f, b);
	}
}

static bool check(const struct options *o, const struct buf *b, struct fabric *f)
{
	static const char *const native[] = { "E11", NULL };
	struct sm *sm = sm_new(f, &o->c.opt);
	struct lint *l = xcalloc(1, sizeof(*l));
	struct diags d;
	bool bad;

	diags_init(&d, o->out ? o->out : "new", b->s, b->len);
	d.ignore = o->no_ipoib ? native : NULL;
	l->have_inventory = o->c.inventory;
	lint_file(l, &d, sm, b->s, b->len);
	bad = diags_bad(&d, false) || sm->result != SM_OK;
	for (size_t i = 0; i < d.n; i++)
		complain("line %u: %s [%s]%s%s", d.v[i].line, d.v[i].message, d.v[i].rule->id,
			 d.v[i].fix ? ": " : "", d.v[i].fix ? d.v[i].fix : "");
	diags_free(&d);
	free(l);
	sm_free(sm);
	return bad;
}

int cmd_new(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "tenant", KEY_TENANT, "NAME[=P_KEY]:PORT,...", 0,
		  "A partition of full members; ports are GUIDs, or names in the inventory", 0 },
		{ "mtu", KEY_MTU, "OCTETS", 0, "2048 or 4096", 0 },
		{ "rate", KEY_RATE, "GBPS", 0, "Rate of the groups", 0 },
		{ "no-ipoib", KEY_NO_IPOIB, NULL, 0, "Native RDMA only", 0 },
		{ "open", KEY_OPEN, NULL, 0, "Tenants reach each other in the default partition", 0 },
		{ "index0", KEY_INDEX0, NULL, 0, "Tenants get ib0, not a child of it", 0 },
		{ "ask", KEY_ASK, NULL, 0, "Ask questions", 0 },
		{ "output", 'o', "FILE", 0, "Write there", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, NULL,
		"Writes a correct partitions.conf, with comments that say why.\v"
		"Without options, on a terminal, it asks.",
		common_children, NULL, NULL
	};
	struct options o = { .mtu = 4, .rate = 3 };
	struct fabric *f, *named;
	struct buf b = { 0 };
	bool bad;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.ask || (argc == 1 && isatty(STDIN_FILENO)))
		ask(&o);
	named = o.c.inventory ? common_fabric(&o.c, NULL, 0) : fabric_empty();
	write_file(&o, named, &b);
	fabric_free(named);
	if (o.c.inventory) {
		f = common_fabric(&o.c, NULL, 0);
	} else {
		uint64_t *guids = NULL;
		size_t n = 0;

		for (size_t i = 0; i < o.n; i++) {
			for (size_t k = 0; k < o.tenants[i].nports; k++) {
				const char *end;

				guids = xrealloc(guids, n + 1, sizeof(*guids));
				guids[n++] = c_number(o.tenants[i].ports[k], &end);
			}
		}
		f = fabric_of_guids(guids, n, true);
		free(guids);
	}
	bad = check(&o, &b, f);
	if (!bad)
		file_write(o.out, &b);
	else
		complain("nothing is written, because of the above");
	buf_free(&b);
	fabric_free(f);
	for (size_t i = 0; i < o.n; i++) {
		for (size_t k = 0; k < o.tenants[i].nports; k++)
			free(o.tenants[i].ports[k]);
		free(o.tenants[i].ports);
		free(o.tenants[i].name);
	}
	free(o.tenants);
	return bad ? STATUS_FOUND : STATUS_OK;
}
