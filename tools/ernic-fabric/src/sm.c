// SPDX-License-Identifier: GPL-2.0-only
/*
 * What OpenSM 3.3.23 keeps about partitions from sweep to sweep: osm_prtn.c.
 *
 * Memberships are kept as the rules that gave them, not as a bit per port, so
 * that "ALL" costs the same in a fabric of ten thousand ports.
 */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "fabric.h"
#include "util.h"

struct sm *sm_new(struct fabric *f, const struct sm_options *o)
{
	struct sm *sm = xcalloc(1, sizeof(*sm));

	sm->fabric = f;
	sm->opt = *o;
	sm->alive = true;
	sm->names = lh_kchar_table_new(64, NULL);
	if (!sm->names)
		fail("out of memory");
	return sm;
}

static void partition_free(struct partition *p)
{
	free(p->ops);
	free(p->groups);
	free(p);
}

void sm_free(struct sm *sm)
{
	struct partition *p, *next;

	if (!sm)
		return;
	for (p = sm_next(sm, NULL); p; p = next) {
		next = sm_next(sm, p);
		partition_free(p);
	}
	lh_table_free(sm->names);
	group_clear(sm);
	free(sm);
}

static void mark(struct sm *sm, uint16_t pkey, bool there)
{
	unsigned int at = pkey_order(pkey);

	if (there)
		sm->present[at / 64] |= 1ull << at % 64;
	else
		sm->present[at / 64] &= ~(1ull << at % 64);
}

/**
 * sm_next() - partitions in the order in which OpenSM walks them
 * @sm: OpenSM
 * @p: the last one, NULL to start
 *
 * Return: NULL behind the last one.  @p may have been deleted, but not freed.
 */
struct partition *sm_next(const struct sm *sm, const struct partition *p)
{
	unsigned int at = p ? pkey_order(p->pkey) + 1 : 0;

	while (at < 0x10000) {
		uint64_t word = sm->present[at / 64] >> at % 64;

		if (word) {
			at += (unsigned int)__builtin_ctzll(word);
			/* the order is its own inverse */
			return sm->part[pkey_order((uint16_t)at)];
		}
		at = (at / 64 + 1) * 64;
	}
	return NULL;
}

/* The first of a name, in that order, is the one that is found. */
static void name_add(struct sm *sm, struct partition *p)
{
	struct lh_entry *e = lh_table_lookup_entry(sm->names, p->name);

	if (!e) {
		if (lh_table_insert(sm->names, p->name, p))
			fail("out of memory");
		return;
	}
	if (pkey_order(p->pkey) >= pkey_order(((struct partition *)lh_entry_v(e))->pkey))
		return;
	lh_table_delete_entry(sm->names, e);
	if (lh_table_insert(sm->names, p->name, p))
		fail("out of memory");
}

static void names_rebuild(struct sm *sm)
{
	lh_table_free(sm->names);
	sm->names = lh_kchar_table_new(64, NULL);
	if (!sm->names)
		fail("out of memory");
	for (struct partition *p = NULL; (p = sm_next(sm, p)); )
		name_add(sm, p);
}

/* osm_prtn.c:osm_prtn_find_by_name: compares one octet more than it stores */
static struct partition *by_name(const struct sm *sm, const char *name)
{
	struct lh_entry *e;

	if (strlen(name) >= sizeof(sm->part[0]->name))
		return NULL;
	e = lh_table_lookup_entry(sm->names, name);
	return e ? (struct partition *)lh_entry_v(e) : NULL;
}

static uint16_t generate(struct sm *sm)
{
	while (sm->counter < PKEY_DEFAULT - 1)
		if (!sm->part[++sm->counter])
			return (uint16_t)sm->counter;
	return 0;
}

/**
 * sm_partition() - osm_prtn.c:osm_prtn_make_new
 * @sm: OpenSM
 * @name: as in the file, or NULL
 * @pkey: as in the file, 0 if there is none
 *
 * Return: a new partition, or the one that has the P_Key or the name; NULL if
 * all P_Keys are taken.
 */
struct partition *sm_partition(struct sm *sm, const char *name, uint16_t pkey)
{
	struct partition *p;

	pkey &= (uint16_t)~PKEY_FULL;
	if (!pkey) {
		p = name ? by_name(sm, name) : NULL;
		if (p)
			return p;
		pkey = generate(sm);
		if (!pkey)
			return NULL;
	}
	if (sm->part[pkey])
		return sm->part[pkey];

	p = xcalloc(1, sizeof(*p));
	p->pkey = pkey;
	p->line = sm->line;
	if (name && *name)
		memcpy(p->name, name, strnlen(name, sizeof(p->name) - 1));
	else
		snprintf(p->name, sizeof(p->name), "%04x", pkey);
	sm->part[pkey] = p;
	mark(sm, pkey, true);
	name_add(sm, p);
	return p;
}

static struct op *op_new(struct sm *sm, struct partition *p)
{
	GROW(p->ops, p->nops, p->room);
	p->ops[p->nops].line = sm->line;
	return &p->ops[p->nops++];
}

static void set_indx0(struct port *port, uint16_t pkey, unsigned int bits, bool both)
{
	/* with both, the limited entry is added last */
	bool full = bits == MEMBER_FULL || (bits == MEMBER_BOTH && !both);

	port->table.indx0 = full ? (uint16_t)(pkey | PKEY_FULL) : pkey;
}

static void update_indx0(struct sm *sm, struct partition *p, struct port *port,
			 unsigned int bits, bool indx0)
{
	if (indx0)
		set_indx0(port, p->pkey, bits, sm->opt.both);
	else if (port->table.indx0 && (port->table.indx0 & ~PKEY_FULL) == p->pkey)
		port->table.indx0 = 0;
}

/*
 * Whether some port may have an indx0 of this P_Key: most files have none, and
 * a walk over all ports for each ALL would be slow.
 */
static bool indx0_seen(const struct sm *sm, uint16_t base)
{
	return sm->indx0_bases[base / 8] & 1u << base % 8;
}

/**
 * sm_add_all() - osm_prtn_config.c:partition_add_all
 * @sm: OpenSM
 * @p: partition
 * @type: enum node_type, 0 for all ports
 * @bits: MEMBER_*
 * @indx0: the stanza says so
 */
void sm_add_all(struct sm *sm, struct partition *p, unsigned int type,
		unsigned int bits, bool indx0)
{
	struct fabric *f = sm->fabric;
	struct op *op;

	if (type ? !f->ntype[type] : !f->nports)
		return;
	if (bits == MEMBER_BOTH && !sm->opt.both)
		bits = MEMBER_FULL;
	if (indx0 || indx0_seen(sm, p->pkey)) {
		for (size_t i = 0; i < f->nports; i++)
			if (!type || f->ports[i].type == type)
				update_indx0(sm, p, &f->ports[i], bits, indx0);
		if (!indx0 && !type)
			sm->indx0_bases[p->pkey / 8] &= (uint8_t)~(1u << p->pkey % 8);
		else if (indx0)
			sm->indx0_bases[p->pkey / 8] |= (uint8_t)(1u << p->pkey % 8);
	}
	/* nothing before it matters any more, but who asks where it came from */
	if (!type && !sm->keep_ops)
		p->nops = 0;
	op = op_new(sm, p);
	op->port = OP_ALL + type;
	op->bits = bits & 3;
	p->members = true;
}

/**
 * sm_add_port() - osm_prtn_config.c:partition_add_port with a GUID
 * @sm: OpenSM
 * @p: partition
 * @guid: need not be in the fabric
 * @bits: MEMBER_*
 * @indx0: the stanza says so
 */
void sm_add_port(struct sm *sm, struct partition *p, uint64_t guid,
		 unsigned int bits, bool indx0)
{
	struct port *port = fabric_find(sm->fabric, guid);
	struct op *op;

	if (!port)
		return;
	if (bits == MEMBER_BOTH && !sm->opt.both)
		bits = MEMBER_FULL;
	if (indx0)
		sm->indx0_bases[p->pkey / 8] |= (uint8_t)(1u << p->pkey % 8);
	update_indx0(sm, p, port, bits, indx0);
	op = op_new(sm, p);
	op->port = (uint32_t)(port - sm->fabric->ports);
	op->bits = bits & 3;
	p->members = true;
}

/**
 * sm_members() - membership of every port in a partition
 * @sm: OpenSM
 * @p: partition
 * @bits: MEMBER_* for each port of the fabric, set completely
 */
void sm_members(const struct sm *sm, const struct partition *p, uint8_t *bits)
{
	const struct fabric *f = sm->fabric;

	memset(bits, 0, f->nports);
	for (size_t i = 0; i < p->nops; i++) {
		const struct op *op = &p->ops[i];

		if (op->port < OP_ALL) {
			bits[op->port] = op->bits;
		} else if (op->port == OP_ALL) {
			memset(bits, op->bits, f->nports);
		} else {
			for (size_t k = 0; k < f->nports; k++)
				if (f->ports[k].type == op->port - OP_ALL)
					bits[k] = op->bits;
		}
	}
}

static void sm_forget_members(struct sm *sm)
{
	for (struct partition *p = NULL; (p = sm_next(sm, p)); ) {
		p->nops = 0;
		p->members = false;
	}
}

/* osm_prtn.c:prtn_make_default */
static void make_default(struct sm *sm, bool no_config)
{
	struct partition *p;
	struct group_flags fl = {
		.mtu = 4, .rate = 3, .qkey = QKEY_IPOIB,
	};

	sm->line = 0;
	p = sm_partition(sm, "Default", PKEY_DEFAULT);
	sm_add_all(sm, p, 0, no_config ? MEMBER_FULL : MEMBER_LIMITED, false);
	if (sm->fabric->self)
		sm_add_port(sm, p, sm->fabric->self->guid, MEMBER_FULL, false);
	if (no_config)
		group_add(sm, p, &fl, broadcast_mgid);
}

static void delete_empty(struct sm *sm)
{
	struct partition *p, *next;
	bool any = false;

	for (p = sm_next(sm, NULL); p; p = next) {
		next = sm_next(sm, p);
		if (p->members)
			continue;
		group_forget(sm, p);
		mark(sm, p->pkey, false);
		sm->part[p->pkey] = NULL;
		partition_free(p);
		any = true;
	}
	if (any)
		names_rebuild(sm);
}

/**
 * sm_load() - a heavy sweep: at the start, or at SIGHUP
 * @sm: OpenSM
 * @data: partitions.conf; NULL: there is none
 * @len: its length
 * @hooks: who wants to know what is read, or NULL
 *
 * osm_prtn.c:osm_prtn_make_partitions, then osm_pkey_mgr.c:osm_pkey_mgr_process.
 */
enum sm_result sm_load(struct sm *sm, const char *data, size_t len,
		       const struct conf_hooks *hooks)
{
	enum sm_result res = data ? SM_OK : SM_NO_FILE;

	if (!sm->alive)
		return SM_CRASHED;
	sm->loads++;
	sm->lost_groups = 0;
	sm_forget_members(sm);
	sm->counter = 0;
	make_default(sm, !data);
	if (data)
		res = conf_parse(sm, data, len, hooks);
	if (res == SM_CRASHED) {
		sm->alive = false;
		sm->result = res;
		return res;
	}
	delete_empty(sm);
	if (res == SM_REJECTED) {
		/* once more, with what the groups and indx0 have left behind */
		sm_forget_members(sm);
		sm->counter = 0;
		make_default(sm, true);
		delete_empty(sm);
	}
	sm->result = sm->alive ? res : SM_CRASHED;
	if (sm->alive)
		pkeys_sweep(sm);
	return sm->result;
}

/**
 * sm_options_parse() - options of OpenSM that change its partitions
 * @o: result
 * @args: command line, as in OSM_ARGS
 *
 * Return: 0, or -1 after a message.
 */
int sm_options_parse(struct sm_options *o, const char *args)
{
	static const char *const ignored[] = {
		"-Z", "--part_enforce", "-N", "--no_part_enforce", "-P", "--Pconfig",
		"-B", "--daemon", "-F", "--config", "-f", "--log_file", "-D", "-g", "--guid",
		NULL
	};
	char *copy = xstrdup(args), *save, *word;
	int rc = 0;

	for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		int i;

		if (!strcmp(word, "-W") || !strcmp(word, "--allow_both_pkeys")) {
			o->both = true;
			continue;
		}
		if (!strcmp(word, "-Q") || !strcmp(word, "--qos")) {
			o->qos = true;
			continue;
		}
		for (i = 0; ignored[i] && strcmp(word, ignored[i]); i++)
			;
		if (!ignored[i]) {
			complain("--opensm-args: '%s' is not known; -W and -Q change partitions",
				 word);
			rc = -1;
			break;
		}
		/* these have a value, but for a few */
		if (strcmp(word, "-N") && strcmp(word, "--no_part_enforce") &&
		    strcmp(word, "-B") && strcmp(word, "--daemon"))
			strtok_r(NULL, " \t", &save);
	}
	free(copy);
	return rc;
}
