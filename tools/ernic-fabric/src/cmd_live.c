// SPDX-License-Identifier: GPL-2.0-only
/* live: the rules about a host, rules E40 to W48. */
#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "codes.h"
#include "diag.h"
#include "host.h"
#include "util.h"

#define STATE_INIT	2u
#define STATE_ACTIVE	4u

struct options {
	struct common c;
	const char *sysroot, *dump, *partitions;
	const char **names;
	size_t nnames;
	unsigned int want_mtu;
	enum diag_format format;
};

enum { KEY_SYSROOT = 1000, KEY_DUMP, KEY_PARTITIONS, KEY_WANT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		state->child_inputs[1] = &o->format;
		return 0;
	case KEY_SYSROOT:
		o->sysroot = arg;
		return 0;
	case KEY_DUMP:
		o->dump = arg;
		return 0;
	case KEY_PARTITIONS:
		o->partitions = arg;
		return 0;
	case KEY_WANT:
		o->want_mtu = (unsigned int)c_number(arg, &end);
		if (end == arg || *end)
			argp_error(state, "--want-mtu: '%s' is no number", arg);
		return 0;
	case ARGP_KEY_ARG:
		o->names = xrealloc(o->names, o->nnames + 1, sizeof(*o->names));
		o->names[o->nnames++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool wanted(const struct options *o, const struct ifc *i)
{
	if (!o->nnames)
		return true;
	for (size_t k = 0; k < o->nnames; k++)
		if (!strcmp(o->names[k], i->name))
			return true;
	return false;
}

/* ---- one interface ---- */

static void check_pkey(struct diags *d, const struct ifc *i)
{
	uint16_t base = i->pkey & (uint16_t)~PKEY_FULL;
	unsigned int m = 0;

	if (!i->port)
		return;
	for (size_t k = 0; k < i->port->npkeys; k++)
		if ((i->port->pkeys[k] & ~PKEY_FULL) == base && i->port->pkeys[k])
			m |= i->port->pkeys[k] & PKEY_FULL ? MEMBER_FULL : MEMBER_LIMITED;
	if (!m)
		diag_add(d, "E41", 0, 0, 0, NULL, "%s: P_Key 0x%04x is not in the table of %s port %u",
			 i->name, i->pkey, i->port->hca, i->port->num);
	else if (m == MEMBER_LIMITED)
		diag_add(d, "E42", 0, 0, 0, NULL, "%s: %s port %u is a limited member of 0x%04x",
			 i->name, i->port->hca, i->port->num, base | PKEY_FULL);
}

/* Lines of the kernel log about an interface; the later ones win. */
static bool join_failed(const char *log, const struct ifc *i)
{
	size_t n = strlen(i->name);
	bool failed = false;

	while (log && *log) {
		const char *nl = strchr(log, '\n'), *at;
		size_t len = nl ? (size_t)(nl - log) : strlen(log);

		at = memmem(log, len, i->name, n);
		if (at && at[n] == ':') {
			size_t left = len - (size_t)(at - log);

			if (memmem(at, left, "join failed", 11) && memmem(at, left, "ffff:ffff", 9))
				failed = true;
			else if (memmem(at, left, "link becomes ready", 18))
				failed = false;
		}
		log = nl ? nl + 1 : NULL;
	}
	return failed;
}

/* debugfs: "GID: ..." and, some lines below, "complete: yes" */
static bool group_incomplete(const struct host *h, const struct ifc *i)
{
	char *s = host_mcg(h, i->name), *save, *line;
	bool here = false, seen = false, complete = false;

	for (line = s ? strtok_r(s, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *at = strstr(line, "GID:");
		uint8_t gid[16];

		if (at) {
			at += 4;
			at += strspn(at, " \t");
			at[strcspn(at, " \t")] = '\0';
			here = inet_pton(AF_INET6, at, gid) == 1 && !memcmp(gid, i->bcast + 4, 16);
			seen |= here;
		} else if (here && strstr(line, "complete:")) {
			complete = strstr(line, "yes");
		}
	}
	free(s);
	return s && !(seen && complete);
}

static void check_group(struct diags *d, const struct host *h, const struct ifc *i)
{
	bool active = i->port && i->port->state == STATE_ACTIVE;

	if (!i->up)
		return;
	if (active && !i->carrier)
		diag_add(d, "E40", 0, 0, 0, NULL, "%s: no carrier, although %s port %u is ACTIVE", i->name,
			 i->port->hca, i->port->num);
	else if (i->carrier && group_incomplete(h, i))
		diag_add(d, "E40", 0, 0, 0, NULL, "%s: carrier, but the broadcast group is not joined", i->name);
	else if (i->carrier && join_failed(h->log, i))
		diag_add(d, "E40", 0, 0, 0, NULL,
			 "%s: carrier, but the last join of the broadcast group has failed (kernel log)", i->name);
}

static void check_mcasts(struct diags *d, const struct host *h, const struct ifc *i)
{
	unsigned int n = 0, key = 0;

	for (size_t k = 0; k < h->nmcasts; k++) {
		const struct mcast *m = &h->mcasts[k];

		if (strcmp(m->name, i->name) || !memcmp(m->addr + 8, i->bcast + 8, 2))
			continue;
		key = (unsigned int)m->addr[8] << 8 | m->addr[9];
		n++;
	}
	if (n)
		diag_add(d, "W40b", 0, 0, 0,
			 xasprintf("ip link set %s down; ip link set %s up", i->name, i->name),
			 "%s: %u groups have P_Key 0x%04x, the broadcast group has 0x%02x%02x", i->name, n, key,
			 i->bcast[8], i->bcast[9]);
}

static void check_mtu(struct diags *d, const struct options *o, const struct ifc *i,
		      const struct sm *sm)
{
	const struct group *g = sm ? group_find(sm, i->bcast + 4) : NULL;

	if (i->connected) {
		if (i->mtu > 4092)
			diag_add(d, "W44", 0, 0, 0, NULL, "%s: connected mode, MTU %u", i->name, i->mtu);
	} else if (g && i->mtu != mtu_octets(g->mtu) - 4) {
		diag_add(d, "W43", 0, 0, 0, xasprintf("ip link set %s mtu %u", i->name, mtu_octets(g->mtu) - 4),
			 "%s: MTU %u, the group has %u", i->name, i->mtu, mtu_octets(g->mtu) - 4);
	} else if (!g && i->carrier && i->mtu != 2044 && i->mtu != 4092) {
		diag_add(d, "W43", 0, 0, 0, xstrdup("2044 or 4092, unless a smaller one is meant"),
			 "%s: MTU %u is that of no group", i->name, i->mtu);
	}
	if (o->want_mtu && i->carrier && i->mtu < o->want_mtu)
		diag_add(d, "W40c", 0, 0, 0, NULL, "%s: MTU %u, wanted are %u", i->name, i->mtu, o->want_mtu);
}

/* ib0.8001: does the name say what the P_Key is? */
static void check_name(struct diags *d, const struct host *h, size_t n)
{
	const struct ifc *i = &h->ifs[n];
	const char *dot = strrchr(i->name, '.');
	char *end;
	unsigned long key = dot ? strtoul(dot + 1, &end, 16) : 0;

	if (dot && dot[1] && !*end && key <= 0xffff && key != i->pkey &&
	    (key | PKEY_FULL) == (i->pkey | PKEY_FULL))
		diag_add(d, "W45", 0, 0, 0, xasprintf("name it %.*s.%04x", (int)(dot - i->name), i->name, i->pkey),
			 "%s: P_Key is 0x%04x", i->name, i->pkey);
	for (size_t k = 0; k < n; k++) {
		const struct ifc *other = &h->ifs[k];

		if (other->pkey == i->pkey && !memcmp(other->addr + 4, i->addr + 4, 16))
			diag_add(d, "W45", 0, 0, 0, NULL, "%s and %s are both on P_Key 0x%04x of one port",
				 other->name, i->name, i->pkey);
		if (other->pkey == i->pkey && other->connected != i->connected)
			diag_add(d, "W43", 0, 0, 0, xstrdup("one mode on all hosts of a partition"),
				 "%s is in datagram, %s in connected mode, on one P_Key",
				 other->connected ? i->name : other->name,
				 other->connected ? other->name : i->name);
	}
}

static void check_neighs(struct diags *d, const struct host *h, const struct ifc *i)
{
	for (size_t k = 0; k < h->nneighs; k++) {
		const struct neigh *n = &h->neighs[k];
		char ip[INET6_ADDRSTRLEN];

		if (n->index != i->index)
			continue;
		if (!inet_ntop(n->family, n->ip, ip, sizeof(ip)))
			continue;
		if (n->state & NUD_PERMANENT && n->addr[4] != 0xff)
			diag_add(d, "W48", 0, 0, 0, xasprintf("ip neigh del %s dev %s", ip, i->name),
				 "%s: %s is a static entry, which a reboot of the peer outdates", i->name, ip);
		for (size_t x = 0; x < h->nneighs; x++) {
			const struct neigh *other = &h->neighs[x];

			/* the same port with another QPN: one of the two is the past */
			if (x == k || other->index != n->index || memcmp(other->addr + 4, n->addr + 4, 16) ||
			    !memcmp(other->addr + 1, n->addr + 1, 3))
				continue;
			if (!(n->state & (NUD_REACHABLE | NUD_PERMANENT)) && other->state & NUD_REACHABLE) {
				diag_add(d, "W48", 0, 0, 0, xasprintf("ip neigh del %s dev %s", ip, i->name),
					 "%s: %s has QPN 0x%02x%02x%02x, its port answers with 0x%02x%02x%02x", i->name,
					 ip, n->addr[1], n->addr[2], n->addr[3], other->addr[1], other->addr[2],
					 other->addr[3]);
				break;
			}
		}
	}
}

/* ---- ports ---- */

static void check_ports(struct diags *d, const struct host *h)
{
	bool infiniband = false;

	for (size_t i = 0; i < h->nports; i++) {
		const struct hca_port *p = &h->ports[i];

		if (p->ethernet)
			continue;
		infiniband = true;
		if (p->state == STATE_INIT)
			diag_add(d, "W47", 0, 0, 0, NULL, "%s port %u waits in INIT for a subnet manager", p->hca, p->num);
		else if (p->state >= STATE_INIT && !p->sm_lid)
			diag_add(d, "W47", 0, 0, 0, NULL, "%s port %u: sm_lid is 0", p->hca, p->num);
	}
	for (size_t i = 0; i < h->nports; i++) {
		const struct hca_port *p = &h->ports[i];
		bool used = false;

		for (size_t k = 0; k < h->nifs; k++)
			used |= h->ifs[k].port == p;
		if (p->ethernet && (used || !infiniband))
			diag_add(d, "W46", 0, 0, 0, NULL, "%s port %u has an Ethernet link layer", p->hca, p->num);
	}
}

/* The file exists if the kernel has connected mode; "type" tells that sysfs is there. */
static void check_mode(struct diags *d, const struct host *h, const struct ifc *i)
{
	char *type = host_file(h, "/sys/class/net/%s/type", i->name);
	char *mode = host_file(h, "/sys/class/net/%s/mode", i->name);

	if (type && !mode)
		diag_add(d, "I54", 0, 0, 0, NULL, "%s has no connected mode", i->name);
	free(type);
	free(mode);
}

static void show(const struct host *h, const struct options *o)
{
	static const char *const states[] = { "?", "DOWN", "INIT", "ARMED", "ACTIVE", "?" };

	for (size_t i = 0; i < h->nports; i++) {
		const struct hca_port *p = &h->ports[i];

		printf("%s port %u: %s, %s, GUID 0x%016llx, LID %u, SM's LID %u, P_Keys", p->hca, p->num,
		       p->ethernet ? "Ethernet" : "InfiniBand", states[p->state < 5 ? p->state : 5],
		       (unsigned long long)p->guid, p->lid, p->sm_lid);
		for (size_t k = 0; k < p->npkeys; k++)
			if (p->pkeys[k])
				printf(" 0x%04x", p->pkeys[k]);
		putchar('\n');
	}
	for (size_t i = 0; i < h->nifs; i++) {
		const struct ifc *n = &h->ifs[i];

		if (wanted(o, n))
			printf("%s: P_Key 0x%04x, %s, MTU %u, %s, %s\n", n->name, n->pkey,
			       n->connected ? "connected" : "datagram", n->mtu, n->up ? "up" : "down",
			       n->carrier ? "carrier" : "no carrier");
	}
	if (!h->nifs)
		puts("no IPoIB interface");
}

int cmd_live(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "sysroot", KEY_SYSROOT, "DIR", 0, "Look at a captured host", 0 },
		{ "netlink-dump", KEY_DUMP, "FILE", 0, "... netlink's answer; default is DIR/netlink", 0 },
		{ "partitions", KEY_PARTITIONS, "FILE", 0, "partitions.conf, to compare MTUs with", 0 },
		{ "want-mtu", KEY_WANT, "OCTETS", 0, "MTU that the interfaces are configured for", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "[INTERFACE...]",
		"Checks the IPoIB interfaces and InfiniBand ports of a host, or of a capture of it.\v"
		"Needs no privileges; with them, debugfs and the kernel log are read, too.",
		findings_children, NULL, NULL
	};
	struct options o = { 0 };
	struct host h = { .root = "" };
	struct diags d, *list[] = { &d };
	struct fabric *f = NULL;
	struct sm *sm = NULL;
	char *dump = NULL;
	bool bad;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.sysroot) {
		h.root = o.sysroot;
		dump = xasprintf("%s/netlink", o.sysroot);
	}
	if (host_netlink(&h, o.dump ? o.dump : dump))
		exit(STATUS_USAGE);
	host_sysfs(&h);
	if (o.partitions) {
		f = common_fabric(&o.c, &o.partitions, 1);
		sm = load_file(&o.c, f, o.partitions, NULL);
	}
	for (size_t k = 0; k < o.nnames; k++) {
		bool found = false;

		for (size_t i = 0; i < h.nifs; i++)
			found |= !strcmp(h.ifs[i].name, o.names[k]);
		if (!found)
			fail("%s: no IPoIB interface of this name", o.names[k]);
	}
	diags_init(&d, o.sysroot ? o.sysroot : "this host", NULL, 0);
	d.all = true;
	check_ports(&d, &h);
	for (size_t i = 0; i < h.nifs; i++) {
		const struct ifc *n = &h.ifs[i];

		if (!wanted(&o, n))
			continue;
		check_pkey(&d, n);
		check_group(&d, &h, n);
		check_mcasts(&d, &h, n);
		check_mtu(&d, &o, n, sm);
		check_name(&d, &h, i);
		check_neighs(&d, &h, n);
		check_mode(&d, &h, n);
	}
	if (o.format == DIAG_TEXT)
		show(&h, &o);
	bad = diags_bad(&d, false);
	diags_print(list, 1, o.format, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	diags_free(&d);
	host_free(&h);
	sm_free(sm);
	fabric_free(f);
	free(dump);
	free(o.names);
	return bad ? STATUS_FOUND : STATUS_OK;
}
