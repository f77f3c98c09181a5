// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups that partitions.conf makes: osm_prtn.c:osm_prtn_add_mcgroup,
 * osm_prtn_config.c:mgroup_create, osm_sa_mcmember_record.c:
 * mcmr_rcv_create_new_mgrp, validate_requested_mgid, mgrp_request_is_realizable.
 */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"
#include "util.h"

#define SCOPE_LINK	2u
#define RATE_MIN	2u
#define RATE_MAX	22u	/* IB_MAX_RATE: 600 Gb/s */
#define MTU_MIN		1u
#define MTU_MAX		5u
/* both top bits: the group gets what the subnet can do */
#define SELECTOR_LARGEST	3u

/* RFC 4391 section 4, with the P_Key that OpenSM replaces */
const uint8_t broadcast_mgid[16] = {
	0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff
};

static unsigned int signature(const uint8_t *mgid)
{
	return (unsigned int)mgid[2] << 8 | mgid[3];
}

bool mgid_is_ip(const uint8_t *mgid)
{
	return signature(mgid) == 0x401b || signature(mgid) == 0x601b;
}

static unsigned long hash_mgid(const void *key)
{
	uint64_t half[2], h;

	memcpy(half, key, sizeof(half));
	h = half[0] * 0x9e3779b97f4a7c15u ^ half[1];
	/* what differs most often is in the upper bytes of a half */
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return (unsigned long)(h ^ h >> 33);
}

static int equal_mgid(const void *a, const void *b)
{
	return !memcmp(a, b, 16);
}

struct group *group_find(const struct sm *sm, const uint8_t *mgid)
{
	struct lh_entry *e = sm->groups ? lh_table_lookup_entry(sm->groups, mgid) : NULL;

	return e ? (struct group *)lh_entry_v(e) : NULL;
}

/* The SA's checks of an MGID that somebody wants. */
static enum group_fate check_mgid(const struct sm *sm, const uint8_t *mgid)
{
	uint8_t bcast[16];

	if (!mgid_is_ip(mgid)) {
		if (mgid[1] & 0xe0)
			return GROUP_FLAGS;
		if (signature(mgid) == 0xa01b && (mgid[1] & 0x0f) == SCOPE_LINK)
			return GROUP_A01B;
		return GROUP_MADE;
	}
	memcpy(bcast, broadcast_mgid, 16);
	bcast[1] = 0x10 | (mgid[1] & 0x0f);
	bcast[4] = mgid[4];
	bcast[5] = mgid[5];
	if (!memcmp(bcast, mgid, 16) || group_find(sm, bcast))
		return GROUP_MADE;
	return GROUP_NO_BROADCAST;
}

/*
 * The octet is a selector of two bits and a code; OpenSM ORs "exactly" into
 * whatever the file said.
 */
static unsigned int realize(uint8_t octet, unsigned int lowest, unsigned int highest,
			    unsigned int largest)
{
	unsigned int code = octet & 0x3f;

	if ((octet | 0x80) >> 6 == SELECTOR_LARGEST)
		return largest;
	return code < lowest || code > highest ? 0 : code;
}

static void track(struct partition *p, struct group *g)
{
	/* who made it has it in the list, and others are few */
	if (g->owner == p)
		return;
	for (size_t i = 0; g->owner && i < p->ngroups; i++)
		if (p->groups[i] == g)
			return;
	if (!g->owner)
		g->owner = p;
	GROW(p->groups, p->ngroups, p->groups_room); /* NOLINT(bugprone-sizeof-expression) */
	p->groups[p->ngroups++] = g;
}

static enum group_fate add_scope(struct sm *sm, struct partition *p,
				 const struct group_flags *fl, const uint8_t *want,
				 unsigned int scope)
{
	unsigned int mtu, rate;
	enum group_fate fate;
	uint8_t mgid[16];
	struct group *g;

	if (!scope)
		scope = SCOPE_LINK;
	memcpy(mgid, want, 16);
	mgid[1] = (uint8_t)((mgid[1] & 0xf0) | scope);

	g = group_find(sm, mgid);
	if (g) {
		track(p, g);
		return GROUP_EXISTS;
	}
	fate = check_mgid(sm, mgid);
	if (fate != GROUP_MADE)
		return fate;
	mtu = realize((uint8_t)fl->mtu, MTU_MIN, MTU_MAX, sm->fabric->min_mtu);
	if (!mtu)
		return GROUP_BAD_MTU;
	rate = realize((uint8_t)fl->rate, RATE_MIN, RATE_MAX, sm->fabric->min_rate);
	if (!rate)
		return GROUP_BAD_RATE;
	if (sm->ngroups >= sm->fabric->mcast_cap) {
		sm->lost_groups++;
		return GROUP_NO_MLID;
	}

	g = xcalloc(1, sizeof(*g));
	memcpy(g->mgid, mgid, 16);
	g->pkey = p->pkey | PKEY_FULL;
	g->mtu = (uint8_t)mtu;
	g->rate = (uint8_t)rate;
	g->sl = (uint8_t)fl->sl & 0x0f;
	g->hop = scope == SCOPE_LINK ? 0 : 255;
	g->tclass = fl->tclass;
	g->scope = (uint8_t)scope;
	g->qkey = fl->qkey;
	g->flow = fl->flow & 0xfffff;
	g->line = sm->line;
	g->file = sm->loads;
	if (!sm->groups)
		sm->groups = lh_table_new(64, NULL, hash_mgid, equal_mgid);
	if (!sm->groups || lh_table_insert(sm->groups, g->mgid, g))
		fail("out of memory");
	GROW(sm->all, sm->nall, sm->room); /* NOLINT(bugprone-sizeof-expression) */
	sm->all[sm->nall++] = g;
	sm->ngroups++;
	track(p, g);
	return GROUP_MADE;
}

/**
 * group_add() - osm_prtn_config.c:__create_mgrp
 * @sm: OpenSM
 * @p: partition whose P_Key the group gets
 * @fl: attributes; a group for each of its scopes
 * @mgid: address
 *
 * Return: the fate of the first scope that did not become a group.
 */
enum group_fate group_add(struct sm *sm, struct partition *p,
			  const struct group_flags *fl, const uint8_t *mgid)
{
	enum group_fate fate, res = GROUP_MADE;

	if (!fl->scopes)
		return add_scope(sm, p, fl, mgid, 0);
	for (unsigned int scope = 0; scope < 16; scope++) {
		if (!(fl->scopes & 1u << scope))
			continue;
		fate = add_scope(sm, p, fl, mgid, scope);
		if (res == GROUP_MADE)
			res = fate;
	}
	return res;
}

static void set_pkey(uint8_t *mgid, uint16_t base)
{
	mgid[4] = (uint8_t)((base | PKEY_FULL) >> 8);
	mgid[5] = (uint8_t)base;
}

/**
 * group_add_broadcast() - the group of an ipoib stanza
 * @sm: OpenSM
 * @p: partition
 * @fl: flags of the stanza; its scopes do not matter
 */
enum group_fate group_add_broadcast(struct sm *sm, struct partition *p,
				    const struct group_flags *fl)
{
	struct group_flags own = *fl;
	uint8_t mgid[16];

	memcpy(mgid, broadcast_mgid, 16);
	set_pkey(mgid, p->pkey);
	own.scopes = 0;
	if (!own.qkey)
		own.qkey = QKEY_IPOIB;
	return group_add(sm, p, &own, mgid);
}

/**
 * group_add_listed() - the group of an mgid= line
 * @sm: OpenSM
 * @p: partition
 * @stanza: flags of the stanza
 * @fl: inherited and own flags
 * @mgid: as in the file; becomes what OpenSM makes of it
 */
enum group_fate group_add_listed(struct sm *sm, struct partition *p,
				 const struct group_flags *stanza,
				 const struct group_flags *fl, uint8_t *mgid)
{
	struct group_flags own = *fl;

	if (mgid_is_ip(mgid)) {
		unsigned int pkey = (unsigned int)mgid[4] << 8 | mgid[5];

		if (pkey && pkey != (p->pkey | PKEY_FULL) &&
		    memcmp(mgid, broadcast_mgid, 16))
			return GROUP_PKEY;
		if (own.rate != stanza->rate)
			return GROUP_RATE;
		if (own.mtu != stanza->mtu)
			return GROUP_MTU;
		set_pkey(mgid, p->pkey);
		if (!own.qkey)
			own.qkey = QKEY_IPOIB;
	}
	/* the scope is still as written here, so that this finds few */
	if (group_find(sm, mgid))
		return GROUP_EXISTS;
	return group_add(sm, p, &own, mgid);
}

/**
 * group_forget() - osm_prtn.c:osm_prtn_delete: its groups go with a partition
 * @sm: OpenSM
 * @p: partition
 */
void group_forget(struct sm *sm, struct partition *p)
{
	for (size_t i = 0; i < p->ngroups; i++) {
		struct group *g = p->groups[i];

		/* OpenSM has freed it with another partition, and does so again */
		if (g->gone) {
			sm->alive = false;
			continue;
		}
		lh_table_delete(sm->groups, g->mgid);
		g->gone = true;
		g->owner = NULL;
		sm->ngroups--;
	}
	p->ngroups = 0;
}

void group_clear(struct sm *sm)
{
	if (sm->groups)
		lh_table_free(sm->groups);
	sm->groups = NULL;
	for (size_t i = 0; i < sm->nall; i++)
		free(sm->all[i]);
	free(sm->all);
	sm->all = NULL;
	sm->nall = 0;
	sm->room = 0;
}

static int by_mgid(const void *a, const void *b)
{
	return memcmp((*(struct group *const *)a)->mgid, (*(struct group *const *)b)->mgid, 16);
}

/**
 * group_list() - the groups there are, sorted by MGID
 * @sm: OpenSM
 * @list: vector to free
 *
 * Return: number of groups.
 */
size_t group_list(const struct sm *sm, struct group ***list)
{
	size_t n = 0;

	*list = xcalloc(sm->ngroups + 1, sizeof(**list)); /* NOLINT(bugprone-sizeof-expression) */
	for (size_t i = 0; i < sm->nall; i++)
		if (!sm->all[i]->gone)
			(*list)[n++] = sm->all[i];
	qsort(*list, n, sizeof(**list), by_mgid); /* NOLINT(bugprone-sizeof-expression) */
	return n;
}
