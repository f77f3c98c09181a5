/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_LINT_H
#define ERNIC_FABRIC_LINT_H

#include "conf.h"
#include "diag.h"

/**
 * struct place - a piece of the file
 * @line: 0: there is none
 * @col: from 1
 * @len: in columns
 */
struct place {
	unsigned int line, col, len;
};

/* Flags of a stanza whose place is worth keeping. */
enum { AT_MTU, AT_RATE, AT_SCOPE, AT_QKEY, AT_SL, AT_INDX0, AT_IPOIB, AT_DEFMEMBER, AT_FLAGS };

/**
 * struct stanza_seen - what lint remembers of a stanza
 * @head: name and P_Key
 * @at: flags
 * @end: line of its end
 * @name: as written; of the first stanza of a P_Key
 * @base: P_Key without the membership bit
 * @fl: flags, as OpenSM has them
 * @ipoib: flag
 * @indx0: flag
 * @had_pkey: P_Key is written, and not 0
 * @explicit_member: defmember= is there, and understood
 * @both: "both" was said
 * @fate: of the broadcast group
 * @unsaid: first port without a membership
 * @nunsaid: number of them
 * @nports: ports and groups of ports
 */
struct stanza_seen {
	struct place head, at[AT_FLAGS];
	unsigned int end;
	char *name;
	uint16_t base;
	struct group_flags fl;
	bool ipoib, indx0, had_pkey, explicit_member, both;
	enum group_fate fate;
	struct place unsaid;
	unsigned int nunsaid, nports;
};

/**
 * struct lint - one file
 * @d: findings
 * @sm: OpenSM
 * @st: stanzas that there may be something to say about: the first of each P_Key is
 *	always among them, most others of a large file are not
 * @nst: number of them
 * @room: allocated
 * @cur: the one that is being read
 * @reading: there is one
 * @first: of each P_Key, its first stanza, plus one
 * @mgid_flags: flags of the mgid= line so far
 * @mgid_own: ... of which this many are in the line
 * @stale: where OpenSM has last left the line
 * @crash: it has been said where OpenSM crashes
 * @ipoib: some stanza of the P_Key has the flag
 * @have_inventory: what is not in the fabric does not exist
 */
struct lint {
	struct diags *d;
	struct sm *sm;
	struct stanza_seen *st;
	size_t nst, room;
	struct stanza_seen cur;
	unsigned int first[PKEY_BASES];
	unsigned int mgid_flags, mgid_own;
	struct place stale;
	bool have_inventory, crash, reading;
	bool ipoib[PKEY_BASES];
};

void lint_event(void *ctx, const struct conf_event *ev);
bool lint_notable(const struct lint *l, const struct stanza_seen *st);
void lint_meaning(struct lint *l);
void lint_file(struct lint *l, struct diags *d, struct sm *sm, const char *data, size_t len);

#endif
