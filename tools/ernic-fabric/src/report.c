// SPDX-License-Identifier: GPL-2.0-only
/* Findings for machines: JSON, and SARIF 2.1.0 for code review. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

typedef struct json_object json;

static void add_string(json *o, const char *key, const char *value)
{
	struct buf b = { 0 };

	/* JSON is UTF-8, files need not be */
	for (const char *s = value; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x80)
			buf_add(&b, s, 1);
		else
			buf_puts(&b, "\xef\xbf\xbd");
	}
	json_object_object_add(o, key, json_object_new_string(b.s ? b.s : ""));
	buf_free(&b);
}

static void add_int(json *o, const char *key, unsigned int value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

static void print(json *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static const char *severity(const struct rule *r)
{
	switch (r->id[0]) {
	case 'E': return "error";
	case 'S': return "security";
	case 'W': return "warning";
	default: return "hint";
	}
}

void report_json(struct diags *const *d, size_t n)
{
	json *files = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json *file = json_object_new_object(), *list = json_object_new_array();
		json *more = json_object_new_object();

		add_string(file, "file", d[i]->file);
		for (size_t k = 0; k < d[i]->n; k++) {
			const struct diag *g = &d[i]->v[k];
			json *o = json_object_new_object();

			add_string(o, "id", g->rule->id);
			add_string(o, "severity", severity(g->rule));
			if (g->line) {
				add_int(o, "line", g->line);
				add_int(o, "column", g->col ? g->col : 1);
				add_int(o, "length", g->len);
			}
			add_string(o, "message", g->message);
			add_string(o, "why", g->rule->why);
			if (g->fix || g->rule->fix)
				add_string(o, "fix", g->fix ? g->fix : g->rule->fix);
			json_object_array_add(list, o);
		}
		for (size_t r = 0; rules[r].id; r++)
			if (d[i]->more[r])
				add_int(more, rules[r].id, d[i]->more[r]);
		json_object_object_add(file, "findings", list);
		json_object_object_add(file, "more", more);
		json_object_array_add(files, file);
	}
	print(files);
}

static json *text_object(const char *text)
{
	json *o = json_object_new_object();

	add_string(o, "text", text);
	return o;
}

static const char *sarif_level(const struct rule *r)
{
	switch (r->id[0]) {
	case 'E':
	case 'S':
		return "error";
	case 'W':
		return "warning";
	default:
		return "note";
	}
}

static json *sarif_rules(void)
{
	json *list = json_object_new_array();

	for (const struct rule *r = rules; r->id; r++) {
		json *o = json_object_new_object(), *conf = json_object_new_object();

		add_string(o, "id", r->id);
		json_object_object_add(o, "shortDescription", text_object(r->title));
		json_object_object_add(o, "fullDescription", text_object(r->text));
		add_string(conf, "level", sarif_level(r));
		json_object_object_add(o, "defaultConfiguration", conf);
		json_object_array_add(list, o);
	}
	return list;
}

static json *sarif_result(const struct diags *d, const struct diag *g)
{
	json *o = json_object_new_object(), *loc = json_object_new_object();
	json *phys = json_object_new_object(), *art = json_object_new_object();
	json *locs = json_object_new_array();
	char *text = xasprintf("%s. %s%s%s", g->message, g->rule->why,
			       g->fix || g->rule->fix ? " Instead: " : "",
			       g->fix ? g->fix : g->rule->fix ? g->rule->fix : "");

	add_string(o, "ruleId", g->rule->id);
	add_int(o, "ruleIndex", (unsigned int)(g->rule - rules));
	add_string(o, "level", sarif_level(g->rule));
	json_object_object_add(o, "message", text_object(text));
	free(text);
	add_string(art, "uri", d->file);
	json_object_object_add(phys, "artifactLocation", art);
	if (g->line) {
		json *region = json_object_new_object();

		add_int(region, "startLine", g->line);
		add_int(region, "startColumn", g->col ? g->col : 1);
		if (g->len)
			add_int(region, "endColumn", (g->col ? g->col : 1) + g->len);
		json_object_object_add(phys, "region", region);
	}
	json_object_object_add(loc, "physicalLocation", phys);
	json_object_array_add(locs, loc);
	json_object_object_add(o, "locations", locs);
	return o;
}

void report_sarif(struct diags *const *d, size_t n)
{
	json *top = json_object_new_object(), *runs = json_object_new_array();
	json *run = json_object_new_object(), *tool = json_object_new_object();
	json *driver = json_object_new_object(), *results = json_object_new_array();

	add_string(top, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	add_string(top, "version", "2.1.0");
	add_string(driver, "name", "ernic-fabric");
	add_string(driver, "version", VERSION);
	json_object_object_add(driver, "rules", sarif_rules());
	json_object_object_add(tool, "driver", driver);
	json_object_object_add(run, "tool", tool);
	add_string(run, "columnKind", "unicodeCodePoints");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < d[i]->n; k++)
			json_object_array_add(results, sarif_result(d[i], &d[i]->v[k]));
	json_object_object_add(run, "results", results);
	json_object_array_add(runs, run);
	json_object_object_add(top, "runs", runs);
	print(top);
}
