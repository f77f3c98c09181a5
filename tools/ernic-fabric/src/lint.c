// SPDX-License-Identifier: GPL-2.0-only
/* lint: the command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lint.h"
#include "util.h"

struct options {
	struct common c;
	const char **files;
	size_t nfiles;
	const char **ignore;
	size_t nignore;
	enum diag_format format;
	bool strict, all, done;
	int status;
	const char *color;
};

enum { KEY_EXPLAIN = 1000, KEY_RULES, KEY_IGNORE, KEY_STRICT, KEY_ALL, KEY_COLOR };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->c;
		state->child_inputs[1] = &o->format;
		return 0;
	case KEY_EXPLAIN:
		if (rule_explain(arg))
			o->status = STATUS_USAGE;
		o->done = true;
		return 0;
	case KEY_RULES:
		rules_list();
		o->done = true;
		return 0;
	case KEY_IGNORE:
		if (!rule_find(arg))
			argp_error(state, "--ignore: no rule '%s'", arg);
		o->ignore = xrealloc(o->ignore, o->nignore + 2, sizeof(*o->ignore));
		o->ignore[o->nignore++] = arg;
		o->ignore[o->nignore] = NULL;
		return 0;
	case KEY_STRICT:
		o->strict = true;
		return 0;
	case KEY_ALL:
		o->all = true;
		return 0;
	case KEY_COLOR:
		if (strcmp(arg, "auto") && strcmp(arg, "always") && strcmp(arg, "never"))
			argp_error(state, "--color is auto, always or never");
		o->color = arg;
		return 0;
	case ARGP_KEY_ARG:
		o->files = xrealloc(o->files, o->nfiles + 1, sizeof(*o->files));
		o->files[o->nfiles++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->nfiles && !o->done)
			argp_error(state, "which partitions.conf?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * lint_file() - everything there is to say about a file
 * @l: state; the caller sets have_inventory and frees nothing
 * @d: findings
 * @sm: OpenSM, fresh
 * @data: the file
 * @len: its length
 */
void lint_file(struct lint *l, struct diags *d, struct sm *sm, const char *data, size_t len)
{
	struct conf_hooks hooks = { .event = lint_event, .ctx = l };
	enum sm_result res;

	l->d = d;
	l->sm = sm;
	sm->keep_ops = true;
	res = sm_load(sm, data, len, &hooks);
	if (res == SM_OK)
		lint_meaning(l);
	else if (res == SM_CRASHED && !l->crash)
		diag_add(d, "E29", 0, 0, 0, xstrdup("name an mgid= in one partition, with the scope that it gets"),
			 "two partitions without members share a group, and OpenSM frees it twice");
	for (size_t i = 0; i < l->nst; i++)
		free(l->st[i].name);
	free(l->st);
	free(l->cur.name);
	diags_sort(d);
}

int cmd_lint(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "explain", KEY_EXPLAIN, "ID", 0, "Long form of a rule", 0 },
		{ "rules", KEY_RULES, NULL, 0, "List all rules", 0 },
		{ "ignore", KEY_IGNORE, "ID", 0, "Do not report this; may be repeated", 0 },
		{ "strict", KEY_STRICT, NULL, 0, "Exit status 1 on warnings, too", 0 },
		{ "all", KEY_ALL, NULL, 0, "Show all findings, not 20 of each rule", 0 },
		{ "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "FILE...",
		"Reports what OpenSM 3.3.23 misreads, and what breaks IPoIB or isolation.\v"
		"Exit status 1 if there is an error (E) or a security finding (S).",
		findings_children, NULL, NULL
	};
	struct options o = { .color = "auto" };
	struct diags **list;
	bool bad = false, color;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.done && !o.nfiles)
		return o.status;
	color = !strcmp(o.color, "always") ||
		(!strcmp(o.color, "auto") && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	list = xcalloc(o.nfiles, sizeof(struct diags *));
	for (size_t i = 0; i < o.nfiles; i++) {
		struct fabric *f = common_fabric(&o.c, &o.files[i], 1);
		struct sm *sm = sm_new(f, &o.c.opt);
		struct lint *l = xcalloc(1, sizeof(*l));
		size_t len;
		char *data = file_read(o.files[i], &len);

		list[i] = xcalloc(1, sizeof(*list[i]));
		diags_init(list[i], o.files[i], data, len);
		list[i]->ignore = o.ignore;
		list[i]->all = o.all;
		l->have_inventory = o.c.inventory;
		lint_file(l, list[i], sm, data, len);
		free(l);
		bad |= diags_bad(list[i], o.strict);
		sm_free(sm);
		fabric_free(f);
	}
	diags_print(list, o.nfiles, o.format, color);
	for (size_t i = 0; i < o.nfiles; i++) {
		free((char *)list[i]->data);
		diags_free(list[i]);
		free(list[i]);
	}
	free(list);
	free(o.files);
	free(o.ignore);
	return bad ? STATUS_FOUND : STATUS_OK;
}
