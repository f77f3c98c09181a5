/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader of partitions.conf, and what it tells those who want to know how
 * OpenSM understood the file.
 */
#ifndef ERNIC_FABRIC_CONF_H
#define ERNIC_FABRIC_CONF_H

#include "fabric.h"

/* What OpenSM reads at once; a longer line is cut here. */
#define CONF_READ	4094u

enum conf_what {
	CONF_FLAG,	/* flag of a stanza; comes before its CONF_STANZA */
	CONF_STANZA,	/* header is complete, partition found or made */
	CONF_PORT,	/* a port, or a group of ports */
	CONF_MGID,	/* mgid= line, all its flags seen */
	CONF_GFLAG,	/* flag of an mgid= line; comes before its CONF_MGID */
	CONF_END,	/* ';' */
	CONF_ERROR,	/* OpenSM gives up the whole file */
	CONF_LINE,	/* something about the line as such, see @note */
};

enum conf_note {
	NOTE_NONE,
	NOTE_NO_COLON,	/* stanza header without ':' */
	NOTE_BAD_HEADER, /* P_Key is not a number, or there is none left */
	NOTE_BAD_PORT,	/* neither keyword nor GUID */
	NOTE_EMPTY,	/* nothing in the file */
	NOTE_CUT,	/* line is longer than OpenSM reads */
	NOTE_LONE,	/* ';' with nothing before it: OpenSM steps over the end */
	NOTE_STALE,	/* OpenSM reads beyond the end of the line */
	NOTE_CRASH,	/* mgid without a value: OpenSM dies */
	NOTE_MGID,	/* not a multicast GID: line ignored */
	NOTE_COMMENT,	/* comment that is read as flags */
	NOTE_NUL,	/* NUL octet hides the rest of the line */
	NOTE_OPEN,	/* file ends within a stanza */
};

enum conf_word {
	WORD_NONE,	/* unknown */
	WORD_MTU, WORD_RATE, WORD_SCOPE, WORD_QKEY, WORD_TCLASS, WORD_SL, WORD_FLOW,
	WORD_IPOIB, WORD_DEFMEMBER, WORD_INDX0,
	WORD_NOBODY, WORD_ALL, WORD_ALL_CAS, WORD_ALL_SWITCHES, WORD_ALL_ROUTERS,
	WORD_SELF, WORD_GUID,
};

enum conf_member {
	SAID_NOTHING,	/* default of the stanza */
	SAID_LIMITED,
	SAID_FULL,
	SAID_BOTH,
	SAID_JUNK,	/* which is limited */
	SAID_EMPTY,	/* "=" and nothing, which is full */
};

/**
 * struct conf_event - something that was read
 * @what: kind
 * @note: for CONF_ERROR and CONF_LINE
 * @line: line of the file
 * @col: column of @name, from 1
 * @vcol: column of @value
 * @osm_line: the line number in OpenSM's messages
 * @stale: the text is not in this line: it is left over from earlier ones
 * @name: text, as OpenSM sees it
 * @value: text behind "=", or NULL
 * @word: which keyword @name was taken for
 * @keyword: this keyword in full
 * @number: value, if it is one
 * @good: value was understood
 * @partition: of CONF_STANZA, CONF_PORT, CONF_MGID
 * @fresh: CONF_STANZA: there was no such partition before in this load
 * @stanza: flags so far
 * @group: CONF_MGID: its flags, inherited and own
 * @ipoib: stanza has the flag
 * @indx0: stanza has the flag
 * @fate: CONF_STANZA with ipoib, CONF_MGID: what became of the group
 * @said: CONF_PORT, defmember: membership as written
 * @bits: CONF_PORT: membership as given
 * @guid: CONF_PORT
 * @mgid: CONF_MGID: as OpenSM made it
 * @had_value: CONF_STANZA: a P_Key is given
 */
struct conf_event {
	enum conf_what what;
	enum conf_note note;
	unsigned int line, col, vcol, osm_line;
	bool stale;
	const char *name, *value;
	enum conf_word word;
	const char *keyword;
	uint64_t number;
	bool good;
	struct partition *partition;
	bool fresh;
	const struct group_flags *stanza;
	const struct group_flags *group;
	bool ipoib, indx0, had_value;
	enum group_fate fate;
	enum conf_member said;
	unsigned int bits;
	uint64_t guid;
	const uint8_t *mgid;
};

/**
 * struct conf_hooks - who listens
 * @event: called for everything that is read, in the order of the file
 * @ctx: its first argument
 */
struct conf_hooks {
	void (*event)(void *ctx, const struct conf_event *ev);
	void *ctx;
};

enum sm_result conf_parse(struct sm *sm, const char *data, size_t len,
			  const struct conf_hooks *hooks);
void conf_residue(char *line, size_t len, bool again);

#endif
