// SPDX-License-Identifier: GPL-2.0-only
/* effective: the P_Key tables and groups that a file gives. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asopensm.h"
#include "cmd.h"
#include "codes.h"
#include "util.h"

struct effective {
	struct common c;
	const char **files;
	size_t nfiles;
	bool as_opensm, all_groups;
};

enum { KEY_AS_OPENSM = 1000, KEY_ALL, KEY_RELOAD };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct effective *e = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &e->c;
		return 0;
	case KEY_AS_OPENSM:
		e->as_opensm = true;
		return 0;
	case KEY_ALL:
		e->all_groups = true;
		return 0;
	case KEY_RELOAD:
	case ARGP_KEY_ARG:
		if (key == ARGP_KEY_ARG && e->files[0])
			argp_error(state, "one FILE; the next ones with --reload");
		if (key == ARGP_KEY_ARG) {
			e->files[0] = arg;
			return 0;
		}
		e->files = xrealloc(e->files, e->nfiles + 1, sizeof(*e->files));
		e->files[e->nfiles++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!e->files[0])
			argp_error(state, "which partitions.conf?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *const said[] = {
	[SM_OK] = "in force",
	[SM_NO_FILE] = "no file: every port is a full member of the default partition",
	[SM_REJECTED] = "REJECTED: every port is a full member of the default partition, and no other partition exists",
	[SM_CRASHED] = "OpenSM CRASHES on this file: tables stay as they are",
};

static void human(const struct sm *sm, const char *path)
{
	static const char *const types[NODE_TYPES] = {
		[NODE_CA] = "CA", [NODE_SWITCH] = "switch", [NODE_ROUTER] = "router",
	};
	const struct fabric *f = sm->fabric;
	struct group **groups;
	size_t n;

	printf("%s: %s\n\nP_Key tables, by index:\n", path, said[sm->result]);
	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = f->by_order[i];

		printf("  0x%016llx %-6s %s%s:", (unsigned long long)p->guid, types[p->type],
		       p->name, p == f->self ? " (SM)" : "");
		for (unsigned int k = 0; k < p->table.used; k++) {
			if (p->table.cur[k])
				printf(" 0x%04x", p->table.cur[k]);
			else
				fputs(" -", stdout);
		}
		if (p->table.ndropped)
			printf("  (table full: %u more found no room)", p->table.ndropped);
		putchar('\n');
	}
	if (f->implicit)
		puts("  (ports that the file names, and some for ALL; an --inventory knows them all)");
	if (!f->self)
		puts("  (no --self: no port has the SM's rights)");

	n = group_list(sm, &groups);
	printf("\nMulticast groups: %zu\n", sm->alive ? n : 0);
	for (size_t i = 0; sm->alive && i < n; i++) {
		const struct group *g = groups[i];
		char mgid[INET6_ADDRSTRLEN];

		printf("  %s  P_Key 0x%04x  MTU %u (mtu=%u)  %g Gb/s (rate=%u)  SL %u  Q_Key 0x%x  TClass %u  FlowLabel 0x%x  hop limit %u\n",
		       mgid_text(g->mgid, mgid), g->pkey, mtu_octets(g->mtu), g->mtu,
		       rate_gbps(g->rate), g->rate, g->sl, g->qkey, g->tclass, g->flow, g->hop);
	}
	if (sm->lost_groups)
		printf("  (%u more: the switches hold %u groups)\n", sm->lost_groups,
		       f->mcast_cap);
	free(groups);
}

int cmd_effective(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "as-opensm", KEY_AS_OPENSM, NULL, 0, "Print only what the oracle prints", 0 },
		{ "all-groups", KEY_ALL, NULL, 0,
		  "... and groups that no HCA would be shown", 0 },
		{ "reload", KEY_RELOAD, "FILE", 0, "Then SIGHUP with FILE; may be repeated", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "FILE",
		"Prints the P_Key tables and multicast groups that OpenSM 3.3.23 makes of FILE.\v"
		"FILE may be 'none': OpenSM without a partitions.conf.", common_children, NULL, NULL
	};
	struct effective e = { .files = xcalloc(1, sizeof(*e.files)), .nfiles = 1 };
	struct fabric *f;
	struct sm *sm;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &e);
	f = common_fabric(&e.c, e.files, e.nfiles);
	sm = sm_new(f, &e.c.opt);
	for (size_t i = 0; i < e.nfiles; i++) {
		bool none = !strcmp(e.files[i], "none");
		size_t len = 0;
		char *data = none ? NULL : file_try(e.files[i], &len);

		/* OpenSM can open a directory, and reads nothing from it */
		if (!data && !none && errno == EISDIR)
			data = xstrdup("");
		if (!data && !none)
			fail("%s: %s", e.files[i], strerror(errno));
		sm_load(sm, data, len, NULL);
		if (i)
			puts(e.as_opensm ? "== after SIGHUP" : "\nafter SIGHUP:\n");
		if (e.as_opensm)
			as_opensm(sm, data, len, e.all_groups, stdout);
		else
			human(sm, e.files[i]);
		free(data);
	}
	rc = sm->result == SM_REJECTED || sm->result == SM_CRASHED;
	sm_free(sm);
	fabric_free(f);
	free(e.files);
	return e.as_opensm ? STATUS_OK : rc;
}
