/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_REWRITE_H
#define ERNIC_FABRIC_REWRITE_H

#include "conf.h"
#include "util.h"

/**
 * struct rewrite - how a file is written anew
 * @add_default: add the rule that OpenSM applies if there is none
 * @fix: repair what lint calls an error, and change the meaning by that
 * @fixed: what was repaired, a line each
 */
struct rewrite {
	bool add_default, fix;
	struct buf fixed;
};

enum sm_result rewrite_text(struct rewrite *rw, struct sm *sm, const char *data, size_t len,
			    struct buf *out);
bool sm_same(const struct sm *a, const struct sm *b, struct buf *why);
char *repair_text(const char *data, size_t *len, struct buf *fixed);

#endif
