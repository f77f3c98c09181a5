/* SPDX-License-Identifier: GPL-2.0-only */
/* Who can talk to whom. */
#ifndef ERNIC_FABRIC_REACH_H
#define ERNIC_FABRIC_REACH_H

#include "fabric.h"
#include "util.h"

/**
 * struct memberships - partitions of a port, sorted by P_Key
 * @v: P_Key without the membership bit, times 4, plus MEMBER_*
 * @n: number of them
 */
struct memberships {
	uint32_t *v;
	unsigned int n;
};

struct memberships memberships_of(const struct pkey_table *t);
bool memberships_equal(const struct memberships *a, const struct memberships *b);
bool can_talk(const struct memberships *a, const struct memberships *b);
unsigned int talk_in(const struct memberships *a, const struct memberships *b,
		     uint16_t *bases, unsigned int room);

/**
 * struct class - ports that are in the same partitions, in the same way
 * @m: of the first file; @m2: of the second one, if there are two
 * @ports: indexes into the fabric's ports
 * @n: number of them
 * @room: allocated
 */
struct class {
	struct memberships m, m2;
	uint32_t *ports;
	size_t n, room;
};

struct classes {
	struct class *v;
	size_t n;
};

struct classes classes_of(const struct fabric *a, const struct fabric *b);
void classes_free(struct classes *c);
void class_names(const struct fabric *f, const struct class *c, size_t most, struct buf *b);

void reach_svg(const struct sm *sm, const struct classes *c, FILE *out, const char *title);

#endif
