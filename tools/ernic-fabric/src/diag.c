// SPDX-License-Identifier: GPL-2.0-only
/* Collecting findings, and showing them to people. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "report.h"
#include "util.h"

/* Of one rule in one file; the rest is counted. */
#define ENOUGH	20u

static size_t nrules(void)
{
	size_t n = 0;

	while (rules[n].id)
		n++;
	return n;
}

const struct rule *rule_find(const char *id)
{
	for (const struct rule *r = rules; r->id; r++)
		if (!strcasecmp(r->id, id))
			return r;
	return NULL;
}

void diags_init(struct diags *d, const char *file, const char *data, size_t len)
{
	memset(d, 0, sizeof(*d));
	d->file = file;
	d->data = data;
	d->len = len;
	d->more = xcalloc(nrules(), sizeof(*d->more));
	d->seen = xcalloc(nrules(), sizeof(*d->seen));
}

void diags_free(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].message);
		free(d->v[i].fix);
	}
	free(d->v);
	free(d->more);
	free(d->seen);
	memset(d, 0, sizeof(*d));
}

/* The rule of a finding, of which there may be millions; their ids are literals. */
static const struct rule *rule_of(const char *id)
{
	static struct {
		const char *id;
		const struct rule *rule;
	} known[256];
	size_t i = (uintptr_t)id % 256;

	if (known[i].id != id) {
		known[i].id = id;
		known[i].rule = rule_find(id);
	}
	return known[i].rule;
}

/**
 * diag_add() - something was found
 * @d: where it goes
 * @id: rule
 * @line: of the file, 0: the whole file
 * @col: column, 0: the whole line
 * @len: columns to underline
 * @fix: what to write instead, NULL: what the rule says; is taken over
 * @fmt: what was found
 */
void diag_add(struct diags *d, const char *id, unsigned int line, unsigned int col,
	      unsigned int len, char *fix, const char *fmt, ...)
{
	const struct rule *rule = rule_of(id);
	size_t r = (size_t)(rule - rules);
	struct diag *g;
	va_list ap;

	for (const char *const *i = d->ignore; i && *i; i++) {
		if (!strcasecmp(*i, id)) {
			free(fix);
			return;
		}
	}
	if (!d->all && d->seen[r] >= ENOUGH) {
		d->more[r]++;
		free(fix);
		return;
	}
	d->seen[r]++;
	GROW(d->v, d->n, d->room);
	g = &d->v[d->n++];
	g->rule = rule;
	g->line = line;
	g->col = col;
	g->len = len;
	g->fix = fix;
	va_start(ap, fmt);
	if (vasprintf(&g->message, fmt, ap) < 0)
		fail("out of memory");
	va_end(ap);
}

static int by_place(const void *a, const void *b)
{
	const struct diag *da = a, *db = b;

	if (da->line != db->line)
		return da->line < db->line ? -1 : 1;
	if (da->col != db->col)
		return da->col < db->col ? -1 : 1;
	if (da->rule != db->rule)
		return da->rule < db->rule ? -1 : 1;
	return strcmp(da->message, db->message);
}

void diags_sort(struct diags *d)
{
	if (d->n)
		qsort(d->v, d->n, sizeof(*d->v), by_place);
}

/**
 * diags_bad() - whether the exit status is that of a bad file
 * @d: findings
 * @strict: warnings count
 */
bool diags_bad(const struct diags *d, bool strict)
{
	for (size_t i = 0; i < d->n; i++)
		if (strchr(strict ? "ESW" : "ES", d->v[i].rule->id[0]))
			return true;
	return false;
}

/* ---- text ---- */

static const char *severity(const struct rule *r)
{
	switch (r->id[0]) {
	case 'E': return "error";
	case 'S': return "security";
	case 'W': return "warning";
	default: return "hint";
	}
}

static const char *color_of(const struct rule *r)
{
	switch (r->id[0]) {
	case 'E': return "\033[1;31m";
	case 'S': return "\033[1;35m";
	case 'W': return "\033[1;33m";
	default: return "\033[1;36m";
	}
}

/* One octet on the screen: nothing that a terminal obeys. */
static char shown(char c)
{
	return c >= ' ' && c < 127 ? c : c == '\t' ? ' ' : '?';
}

#define WIDTH	100u

/* The line, or the part of a long one around the finding, and what is meant. */
static void print_source(const struct diag *g, const char *s, size_t len, bool color)
{
	size_t from = 0, n = len, col = g->col ? g->col - 1 : 0, under = g->len;

	if (len > WIDTH) {
		from = col > WIDTH / 2 ? col - WIDTH / 2 : 0;
		if (from + WIDTH > len)
			from = len - WIDTH;
		n = WIDTH;
	}
	printf("%7u | %s", g->line, from ? "..." : "");
	for (size_t i = 0; i < n; i++)
		putchar(shown(s[from + i]));
	printf("%s\n", from + n < len ? "..." : "");
	if (!g->col || col < from)
		return;
	if (col - from + under > n)
		under = col - from < n ? n - (col - from) : 1;
	printf("        | %s%*s%s^", from ? "   " : "", (int)(col - from), "",
	       color ? "\033[1;32m" : "");
	for (size_t i = 1; i < under; i++)
		putchar('~');
	printf("%s\n", color ? "\033[0m" : "");
}

/* Words of @s after a heading, in lines of a screen. */
static void print_wrapped(const char *heading, const char *s)
{
	size_t at = 0, room = 88;

	printf("          %s ", heading);
	while (*s) {
		size_t n = strcspn(s, " \n");

		if (at && at + n + 1 > room) {
			printf("\n          %*s ", (int)strlen(heading), "");
			at = 0;
		} else if (at) {
			putchar(' ');
			at++;
		}
		fwrite(s, 1, n, stdout);
		at += n;
		s += n;
		s += strspn(s, " ");
		if (*s == '\n') {
			s++;
			at = room;
		}
	}
	putchar('\n');
}

static void print_one(const struct diags *d, const struct diag *g, const char *line,
		      size_t len, bool color, bool first)
{
	const char *off = color ? "\033[0m" : "";

	printf("%s%s", color ? "\033[1m" : "", d->file);
	if (g->line)
		printf(":%u:%u", g->line, g->col ? g->col : 1);
	printf(":%s %s%s%s: %s [%s]\n", off, color ? color_of(g->rule) : "",
	       severity(g->rule), off, g->message, g->rule->id);
	if (line)
		print_source(g, line, len, color);
	if (first)
		print_wrapped("why:", g->rule->why);
	if (g->fix || g->rule->fix)
		print_wrapped("fix:", g->fix ? g->fix : g->rule->fix);
}

static void print_text(const struct diags *d, bool color)
{
	const char *p = d->data, *end = d->data ? d->data + d->len : NULL;
	unsigned int line = 1, count[4] = { 0 };
	bool *told = xcalloc(nrules(), sizeof(*told));

	for (size_t i = 0; i < d->n; i++) {
		const struct diag *g = &d->v[i];
		const char *nl, *at = NULL;

		for (; p && g->line > line; line++) {
			p = memchr(p, '\n', (size_t)(end - p));
			p = p ? p + 1 : NULL;
		}
		if (g->line && p && p < end)
			at = p;
		nl = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		print_one(d, g, at, at ? (size_t)((nl ? nl : end) - at) : 0, color,
			  !told[g->rule - rules]);
		told[g->rule - rules] = true;
		count[strchr("ESWI", g->rule->id[0]) - "ESWI"]++;
	}
	for (size_t i = 0; i < nrules(); i++)
		if (d->more[i])
			printf("%s: %s: %u more like these (--all shows them)\n", d->file,
			       rules[i].id, d->more[i]);
	free(told);
	if (d->n)
		printf("%s: %u errors, %u security, %u warnings, %u hints; lint --explain ID tells more\n",
		       d->file, count[0], count[1], count[2], count[3]);
}

void diags_print(struct diags *const *d, size_t n, enum diag_format format, bool color)
{
	switch (format) {
	case DIAG_JSON:
		report_json(d, n);
		break;
	case DIAG_SARIF:
		report_sarif(d, n);
		break;
	case DIAG_TEXT:
		for (size_t i = 0; i < n; i++)
			print_text(d[i], color);
		break;
	}
}

/**
 * rule_explain() - the long form
 * @id: rule
 *
 * Return: STATUS_OK, or STATUS_USAGE if there is none.
 */
int rule_explain(const char *id)
{
	const struct rule *r = rule_find(id);

	if (!r) {
		complain("no rule '%s'; lint --rules lists them", id);
		return STATUS_USAGE;
	}
	printf("%s: %s (%s)\n\n", r->id, r->title, severity(r));
	print_wrapped("", r->text);
	putchar('\n');
	print_wrapped("why:", r->why);
	if (r->fix)
		print_wrapped("fix:", r->fix);
	return STATUS_OK;
}

void rules_list(void)
{
	for (const struct rule *r = rules; r->id; r++)
		printf("%-5s %-9s %s\n", r->id, severity(r), r->title);
}
