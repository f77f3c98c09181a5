// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer: whatever the file, reading it, lint and rewriting it neither crash nor
 * read outside of a buffer, and what is rewritten has the same effect.
 */
#include <stdlib.h>
#include <string.h>

#include "../src/asopensm.h"
#include "../src/host.h"
#include "../src/lint.h"
#include "../src/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char inventory[] =
	"0x200000 S1 switch mcast=8\n"
	"0x100001 H1 CA mtu=2048 rate=10 pkeys=3\n"
	"0x100003 H2 CA mtu=2048 rate=10 pkeys=64 node=0x100002\n"
	"0x100005 H3 CA mtu=4096 rate=100 pkeys=32\n"
	"0x100007 R1 router mtu=4096 rate=100\n";

static struct sm *start(const struct sm_options *o)
{
	struct fabric *f = fabric_parse("fuzz", inventory, sizeof(inventory) - 1);

	fabric_set_self(f, "H1");
	return sm_new(f, o);
}

static void stop(struct sm *sm)
{
	struct fabric *f = sm->fabric;

	sm_free(sm);
	fabric_free(f);
}

static void lint(const struct sm_options *o, const char *text, size_t len)
{
	struct lint *l = xcalloc(1, sizeof(*l));
	struct sm *sm = start(o);
	struct diags d;

	diags_init(&d, "fuzz", text, len);
	l->have_inventory = true;
	lint_file(l, &d, sm, text, len);
	/* a file that OpenSM does not take must not pass */
	if ((sm->result == SM_REJECTED || sm->result == SM_CRASHED) && !diags_bad(&d, false))
		abort();
	diags_free(&d);
	free(l);
	stop(sm);
}

static void rewrite(const struct sm_options *o, const char *text, size_t len)
{
	struct rewrite rw = { .add_default = true };
	struct sm *sm = start(o), *again = start(o);
	struct buf out = { 0 }, why = { 0 };

	if (rewrite_text(&rw, sm, text, len, &out) == SM_OK) {
		/* generated P_Keys may not be left, and lines must be short */
		if (sm_load(again, out.s, out.len, NULL) != SM_OK || !sm_same(sm, again, &why))
			abort();
	}
	buf_free(&out);
	buf_free(&why);
	buf_free(&rw.fixed);
	stop(sm);
	stop(again);
}

static void repair(const struct sm_options *o, const char *text, size_t len)
{
	struct rewrite rw = { .fix = true };
	struct sm *sm = start(o);
	struct buf out = { 0 };
	char *fixed = repair_text(text, &len, &rw.fixed);

	rewrite_text(&rw, sm, fixed, len, &out);
	free(fixed);
	buf_free(&out);
	buf_free(&rw.fixed);
	stop(sm);
}

/* The second half of the file by SIGHUP. */
static void reload(const struct sm_options *o, const char *text, size_t len)
{
	struct sm *sm = start(o);
	FILE *null = fopen("/dev/null", "we");

	sm_load(sm, text, len / 2, NULL);
	sm_load(sm, text + len / 2, len - len / 2, NULL);
	sm_load(sm, text, len, NULL);
	as_opensm(sm, text, len, false, null);
	fclose(null);
	stop(sm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sm_options o = { 0 };
	struct host h = { .root = "" };
	char *text;

	if (!size)
		return 0;
	o.both = data[0] & 1;
	o.qos = data[0] & 2;
	size--;
	/* exactly as long as it is, so that a read beyond it is seen */
	text = xmalloc(size);
	memcpy(text, data + 1, size);
	switch (data[0] >> 2 & 7) {
	case 0:
		host_parse_netlink(&h, text, size);
		host_free(&h);
		break;
	case 1:
		fabric_free(fabric_parse("fuzz", text, size));
		break;
	case 2:
		repair(&o, text, size);
		break;
	case 3:
		reload(&o, text, size);
		break;
	default:
		lint(&o, text, size);
		rewrite(&o, text, size);
	}
	free(text);
	return 0;
}
