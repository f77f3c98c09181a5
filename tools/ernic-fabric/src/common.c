// SPDX-License-Identifier: GPL-2.0-only
/* Options about the fabric, and reading files onto it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "diag.h"
#include "util.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;

	switch (key) {
	case 'i':
		c->inventory = arg;
		return 0;
	case 's':
		c->self = arg;
		return 0;
	case 'O':
		if (sm_options_parse(&c->opt, arg))
			exit(STATUS_USAGE);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "inventory", 'i', "FABRIC", 0,
	  "Output of ibnetdiscover, or lines GUID NAME TYPE [mtu=OCTETS rate=GBPS pkeys=N]", 1 },
	{ "self", 's', "NAME", 0, "Port the SM runs on: node name or port GUID", 1 },
	{ "opensm-args", 'O', "ARGS", 0, "OpenSM's options; -W and -Q change partitions", 1 },
	{ 0 }
};

static const struct argp common_argp = { .options = options, .parser = parse };

enum { KEY_JSON = 1100, KEY_SARIF };

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
	enum diag_format *format = state->input;

	(void)arg;
	switch (key) {
	case KEY_JSON:
		*format = DIAG_JSON;
		return 0;
	case KEY_SARIF:
		*format = DIAG_SARIF;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option format_options[] = {
	{ "json", KEY_JSON, NULL, 0, "Findings as JSON", 0 },
	{ "sarif", KEY_SARIF, NULL, 0, "... as SARIF 2.1.0", 0 },
	{ 0 }
};

static const struct argp format_argp = { .options = format_options, .parser = parse_format };

const struct argp_child common_children[] = {
	{ &common_argp, 0, "About the fabric:", 1 }, { 0 }
};

const struct argp_child findings_children[] = {
	{ &common_argp, 0, "About the fabric:", 1 }, { &format_argp, 0, NULL, 0 }, { 0 }
};

struct guids {
	uint64_t *v;
	size_t n, room;
};

static void collect(void *ctx, const struct conf_event *ev)
{
	struct guids *g = ctx;

	if (ev->what != CONF_PORT || ev->word != WORD_GUID)
		return;
	GROW(g->v, g->n, g->room);
	g->v[g->n++] = ev->guid;
}

/* All GUIDs that the files name are ports, as far as anybody knows. */
static struct fabric *fabric_of_files(const struct common *c, const char *const *files,
				      size_t n)
{
	struct guids g = { 0 };
	struct conf_hooks hooks = { .event = collect, .ctx = &g };
	struct fabric *f;

	for (size_t i = 0; i < n; i++) {
		struct fabric *none = fabric_empty();
		struct sm *sm = sm_new(none, &c->opt);
		size_t len;
		char *data = file_try(files[i], &len);

		if (data)
			sm_load(sm, data, len, &hooks);
		free(data);
		sm_free(sm);
		fabric_free(none);
	}
	f = fabric_of_guids(g.v, g.n, !c->self);
	free(g.v);
	return f;
}

/**
 * common_fabric() - the fabric that the options describe
 * @c: options
 * @files: partitions.conf files, whose GUIDs are the fabric if there is no inventory
 * @n: number of them
 */
struct fabric *common_fabric(const struct common *c, const char *const *files, size_t n)
{
	struct fabric *f = c->inventory ? fabric_load(c->inventory) :
					  fabric_of_files(c, files, n);

	if (!f)
		exit(STATUS_USAGE);
	if (c->self && fabric_set_self(f, c->self)) {
		if (c->inventory)
			fail("--self: no port '%s' in %s", c->self, c->inventory);
		fail("--self: no port '%s'; give its port GUID, or an --inventory", c->self);
	}
	return f;
}

/**
 * load_again() - SIGHUP with a new file
 * @sm: OpenSM
 * @path: file; "none": there is no file
 * @hooks: who listens
 */
enum sm_result load_again(struct sm *sm, const char *path, const struct conf_hooks *hooks)
{
	enum sm_result res;
	size_t len;
	char *data;

	if (!strcmp(path, "none"))
		return sm_load(sm, NULL, 0, hooks);
	data = file_try(path, &len);
	/* OpenSM can open a directory, and reads nothing from it */
	if (!data && errno == EISDIR)
		return sm_load(sm, "", 0, hooks);
	if (!data)
		fail("%s: %s", path, strerror(errno));
	res = sm_load(sm, data, len, hooks);
	free(data);
	return res;
}

/**
 * load_file() - OpenSM, started with a file
 * @c: options
 * @f: fabric
 * @path: file
 * @hooks: who listens
 */
struct sm *load_file(const struct common *c, struct fabric *f, const char *path,
		     const struct conf_hooks *hooks)
{
	struct sm *sm = sm_new(f, &c->opt);

	load_again(sm, path, hooks);
	return sm;
}
