// SPDX-License-Identifier: GPL-2.0-only
/* fmt and rewrite: the commands. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "rewrite.h"

struct options {
	struct common c;
	struct rewrite rw;
	const char *file, *out;
	bool is_fmt;
};

enum { KEY_FIX = 1000 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		return 0;
	case KEY_FIX:
		o->rw.fix = true;
		return 0;
	case 'o':
		o->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one FILE at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "which partitions.conf?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(struct options *o)
{
	struct fabric *f = common_fabric(&o->c, &o->file, 1);
	struct fabric *f2 = common_fabric(&o->c, &o->file, 1);
	struct sm *sm = sm_new(f, &o->c.opt), *again = sm_new(f2, &o->c.opt);
	struct buf out = { 0 }, why = { 0 };
	enum sm_result res;
	size_t len;
	char *data = file_read(o->file, &len);
	int rc = STATUS_OK;

	if (o->rw.fix) {
		char *fixed = repair_text(data, &len, &o->rw.fixed);

		free(data);
		data = fixed;
	}
	res = rewrite_text(&o->rw, sm, data, len, &out);
	if (res != SM_OK) {
		complain("%s: OpenSM %s; 'ernic-fabric lint %s' says where%s", o->file,
			 res == SM_CRASHED ? "crashes on this file" : "rejects this file",
			 o->file, o->rw.fix || o->is_fmt ? "" : ", --fix repairs some of it");
		rc = STATUS_FOUND;
		goto out;
	}
	/* what cannot be proven must not be used */
	res = sm_load(again, out.s, out.len, NULL);
	if (res != SM_OK || (!o->rw.fix && !sm_same(sm, again, &why)))
		fail("%s: the new file would not be the same (%s); please report this file", o->file,
		     why.s ? why.s : "it is rejected");
	file_write(o->out, &out);
	if (o->rw.fixed.len)
		fprintf(stderr, "%s: repaired:\n%s", o->file, o->rw.fixed.s);
out:
	buf_free(&out);
	buf_free(&why);
	buf_free(&o->rw.fixed);
	free(data);
	sm_free(sm);
	sm_free(again);
	fabric_free(f);
	fabric_free(f2);
	return rc;
}

int cmd_fmt(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "output", 'o', "FILE", 0, "Write there", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "FILE",
		"Prints FILE with every flag, P_Key and membership in full, and with short lines.\v"
		"The result is proven to have the same effect, and fmt fails if it has not.",
		common_children, NULL, NULL
	};
	struct options o = { .is_fmt = true };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return run(&o);
}

int cmd_rewrite(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "fix", KEY_FIX, NULL, 0,
		  "Repair: missing ipoib, membership and Default rule, codes, misspelt words, empty statements", 0 },
		{ "output", 'o', "FILE", 0, "Write there", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "FILE",
		"Prints a safe file with the same effect: as fmt, and with a Default rule.\v"
		"With --fix, the effect is another one: what was repaired is on standard error, and "
		"'ernic-fabric diff' shows who gains or loses reach.",
		common_children, NULL, NULL
	};
	struct options o = { .rw.add_default = true };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return run(&o);
}
