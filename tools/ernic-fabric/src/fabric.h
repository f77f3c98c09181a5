/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every part of ernic-fabric shares: the inventory of a fabric, and the
 * model of what OpenSM 3.3.23 makes of a partitions.conf on it.
 */
#ifndef ERNIC_FABRIC_H
#define ERNIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PKEY_FULL	0x8000u
#define PKEY_DEFAULT	0x7fffu
#define PKEY_BASES	0x8000u
#define PKEY_BLOCK	32u
#define PKEYS_DROPPED	4u

/* As InfiniBand numbers node types (NodeInfo). */
enum node_type {
	NODE_CA = 1,
	NODE_SWITCH = 2,
	NODE_ROUTER = 3,
	NODE_TYPES
};

/* Bits of one port's membership in one partition. */
#define MEMBER_LIMITED	1u
#define MEMBER_FULL	2u
#define MEMBER_BOTH	(MEMBER_LIMITED | MEMBER_FULL)

/**
 * struct accum - an entry of OpenSM's memory of indexes it gave to P_Keys
 * @pkey: P_Key, with the membership bit
 * @index1: index in the table of the port, plus one
 */
struct accum {
	uint16_t pkey;
	uint16_t index1;
};

/**
 * struct pkey_table - P_Key table of a port and what OpenSM remembers about it
 * @cap: entries the port has
 * @used: entries of @cur that are worth looking at
 * @indx0: P_Key that shall get index 0, or 0
 * @last: highest index in @accum, plus one
 * @cur: the table as it is on the port, rounded up to whole blocks
 * @accum: sorted as pkey_order() sorts
 * @naccum: entries of @accum
 * @dropped: the first P_Keys that found no room
 * @ndropped: how many found none
 */
struct pkey_table {
	uint16_t cap;
	uint16_t used;
	uint16_t indx0;
	uint16_t last;
	uint16_t *cur;
	struct accum *accum;
	unsigned int naccum;
	uint16_t dropped[PKEYS_DROPPED];
	unsigned int ndropped;
};

/**
 * struct port - a port with a GUID: of an HCA, of a router, port 0 of a switch
 * @guid: port GUID
 * @node_guid: GUID of its node, 0 if the inventory does not tell
 * @name: node name, with "/N" if the node has several ports with a GUID
 * @lid: 0 if unknown
 * @type: of its node
 * @num: number on its node
 * @mtu: code of the largest MTU, 1 to 5
 * @rate: code of the rate of the link
 * @order: position in the inventory
 * @made_up: stands for ports that nobody has listed
 * @mtu_known: the inventory tells; @rate_known: likewise
 * @table: its P_Keys
 */
struct port {
	uint64_t guid;
	uint64_t node_guid;
	char *name;
	uint16_t lid;
	uint8_t type;
	uint8_t num;
	uint8_t mtu;
	uint8_t rate;
	bool made_up, mtu_known, rate_known;
	uint32_t order;
	struct pkey_table table;
};

/**
 * struct fabric - the ports that OpenSM finds
 * @ports: sorted by GUID
 * @nports: number of them
 * @by_order: @ports in the order of the inventory
 * @ntype: number of ports per node type
 * @self: the port that the SM runs on, or NULL
 * @min_mtu: smallest MTU code of all ports but switches' port 0
 * @min_rate: smallest rate code, likewise
 * @mcast_cap: multicast groups that fit into every switch
 * @duplicates: GUIDs that the inventory has twice
 * @nduplicates: number of them
 * @implicit: made up from the file, there is no inventory
 */
struct fabric {
	struct port *ports;
	size_t nports;
	struct port **by_order;
	size_t ntype[NODE_TYPES];
	struct port *self;
	uint8_t min_mtu;
	uint8_t min_rate;
	unsigned int mcast_cap;
	uint64_t *duplicates;
	size_t nduplicates;
	bool implicit;
};

struct fabric *fabric_load(const char *path);
struct fabric *fabric_parse(const char *path, const char *text, size_t len);
struct fabric *fabric_empty(void);
struct fabric *fabric_of_guids(const uint64_t *guids, size_t n, bool with_sm);
void fabric_free(struct fabric *f);
struct port *fabric_find(const struct fabric *f, uint64_t guid);
struct port *fabric_by_name(const struct fabric *f, const char *name);
struct port *fabric_by_node_guid(const struct fabric *f, uint64_t guid);
int fabric_set_self(struct fabric *f, const char *name);

/* op.port: no port of this number, but all of a type; OP_ALL + 0 is every port */
#define OP_ALL		0xfffffff0u

/**
 * struct op - one rule that makes ports members of a partition
 * @port: index into the fabric's ports, or OP_ALL + node type
 * @bits: MEMBER_*
 * @line: line of the file; 0: OpenSM's own rule for the default partition
 */
struct op {
	uint32_t port;
	uint32_t bits : 2;
	uint32_t line : 30;
};

/**
 * struct group - a multicast group that the SM holds
 * @mgid: its address
 * @pkey: with the membership bit
 * @mtu: code; @rate: code; @sl: service level
 * @hop: hop limit; @tclass: traffic class; @scope: of the MGID
 * @qkey: Q_Key; @flow: flow label
 * @line: line of the file that made it; 0: OpenSM's default group
 * @file: number of the file, counted as the SM read them
 * @gone: deleted, and kept because partitions still point to it
 * @owner: the partition that made it
 */
struct group {
	uint8_t mgid[16];
	uint16_t pkey;
	uint8_t mtu, rate, sl, hop, tclass, scope;
	uint32_t qkey, flow;
	unsigned int line;
	unsigned int file;
	bool gone;
	struct partition *owner;
};

/**
 * struct partition - as in osm_prtn_t
 * @pkey: without the membership bit
 * @name: as OpenSM cuts it
 * @ops: rules, in the order of the file
 * @nops: number of @ops
 * @room: allocated
 * @members: a rule has matched a port, so that the partition is not empty
 * @groups: multicast groups that go when the partition goes
 * @ngroups: number of @groups
 * @groups_room: allocated
 * @line: line of the stanza that made it
 */
struct partition {
	uint16_t pkey;
	char name[32];
	struct op *ops;
	size_t nops, room;
	bool members;
	struct group **groups;
	size_t ngroups, groups_room;
	unsigned int line;
};

/**
 * struct sm_options - of OpenSM's command line, as far as they matter
 * @both: -W, --allow_both_pkeys
 * @qos: -Q, --qos
 */
struct sm_options {
	bool both;
	bool qos;
};

int sm_options_parse(struct sm_options *o, const char *args);

enum sm_result {
	SM_OK,		/* the file is in force */
	SM_NO_FILE,	/* OpenSM's built-in rule is */
	SM_REJECTED,	/* an error: the built-in rule is, and all tenants are gone */
	SM_CRASHED,	/* OpenSM is no more, tables stay as they were */
};

struct conf_hooks;

/**
 * struct sm - OpenSM, between sweeps
 * @fabric: what it manages
 * @opt: its options
 * @part: partitions by P_Key base
 * @present: bit per pkey_order() of a partition that exists
 * @names: table of partition names (lh_table)
 * @groups: table of groups by MGID (lh_table)
 * @ngroups: number of live groups
 * @all: every group there ever was, for freeing
 * @nall: number of @all
 * @counter: last generated P_Key
 * @loads: files read
 * @result: of the last one
 * @line: line that is being read, for the origin of what it makes
 * @alive: OpenSM has not crashed
 * @lost_groups: groups that the switches had no room for
 * @keep_ops: keep rules that later ones override, to tell about them
 * @indx0_bases: bit per P_Key that some port may have as its indx0
 */
struct sm {
	struct fabric *fabric;
	struct sm_options opt;
	struct partition *part[PKEY_BASES];
	uint64_t present[0x10000 / 64];
	struct lh_table *names;
	struct lh_table *groups;
	size_t ngroups;
	struct group **all;
	size_t nall, room;
	unsigned int counter;
	unsigned int loads;
	enum sm_result result;
	unsigned int line;
	bool alive;
	unsigned int lost_groups;
	bool keep_ops;
	uint8_t indx0_bases[PKEY_BASES / 8];
};

struct sm *sm_new(struct fabric *f, const struct sm_options *o);
void sm_free(struct sm *sm);
enum sm_result sm_load(struct sm *sm, const char *data, size_t len,
		       const struct conf_hooks *hooks);

/* For the parser: what a stanza does. */
struct partition *sm_partition(struct sm *sm, const char *name, uint16_t pkey);
void sm_add_all(struct sm *sm, struct partition *p, unsigned int type,
		unsigned int bits, bool indx0);
void sm_add_port(struct sm *sm, struct partition *p, uint64_t guid,
		 unsigned int bits, bool indx0);

/* For pkeys.c and readers of the result. */
void sm_members(const struct sm *sm, const struct partition *p, uint8_t *bits);
struct partition *sm_next(const struct sm *sm, const struct partition *p);

/* ---- pkeys.c ---- */

void pkeys_init(struct pkey_table *t, unsigned int cap);
void pkeys_free(struct pkey_table *t);
void pkeys_sweep(struct sm *sm);
unsigned int pkeys_membership(const struct pkey_table *t, uint16_t base);

/**
 * pkey_order() - how OpenSM sorts P_Keys: as a little-endian machine sees them
 * @pkey: in host order
 */
static inline unsigned int pkey_order(uint16_t pkey)
{
	return (unsigned int)((pkey & 0xff) << 8 | pkey >> 8);
}

/* ---- mgroup.c ---- */

/**
 * struct group_flags - what can be said about a group
 * @mtu: code as written; @rate: as written; @sl: service level
 * @scopes: bit per scope
 * @qkey: 0 is the default; @flow: flow label; @tclass: traffic class
 */
struct group_flags {
	uint32_t mtu, rate, sl, scopes;
	uint32_t qkey, flow;
	uint8_t tclass;
};

enum group_fate {
	GROUP_MADE,
	GROUP_EXISTS,	/* same MGID: the older one stays as it is */
	GROUP_PKEY,	/* P_Key in an IP MGID is another partition's */
	GROUP_RATE,	/* IP MGID: rate is not the partition's */
	GROUP_MTU,	/* IP MGID: MTU is not the partition's */
	GROUP_NO_BROADCAST, /* IP MGID, and no broadcast group of its scope */
	GROUP_FLAGS,	/* reserved MGID flags */
	GROUP_A01B,	/* signature of the SA's own MGIDs */
	GROUP_BAD_MTU,	/* no such code */
	GROUP_BAD_RATE,	/* no such code */
	GROUP_NO_MLID,	/* switches are full */
};

#define QKEY_IPOIB	0x0b1bu

extern const uint8_t broadcast_mgid[16];

bool mgid_is_ip(const uint8_t *mgid);
struct group *group_find(const struct sm *sm, const uint8_t *mgid);
enum group_fate group_add(struct sm *sm, struct partition *p,
			  const struct group_flags *fl, const uint8_t *mgid);
enum group_fate group_add_broadcast(struct sm *sm, struct partition *p,
				    const struct group_flags *fl);
enum group_fate group_add_listed(struct sm *sm, struct partition *p,
				 const struct group_flags *stanza,
				 const struct group_flags *fl, uint8_t *mgid);
void group_forget(struct sm *sm, struct partition *p);
void group_clear(struct sm *sm);
size_t group_list(const struct sm *sm, struct group ***list);

#endif
