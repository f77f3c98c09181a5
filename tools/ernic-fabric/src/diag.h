/* SPDX-License-Identifier: GPL-2.0-only */
/* Findings: what they are called, where they are, how they are shown. */
#ifndef ERNIC_FABRIC_DIAG_H
#define ERNIC_FABRIC_DIAG_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct rule - a kind of finding
 * @id: stable; its letter is the severity: E breaks, S security, W surprise, I hint
 * @title: in a few words
 * @why: what it does to a fabric, one sentence
 * @fix: what to write instead, if the finding does not say
 * @text: the long form
 */
struct rule {
	const char *id;
	const char *title;
	const char *why;
	const char *fix;
	const char *text;
};

extern const struct rule rules[];
const struct rule *rule_find(const char *id);

/**
 * struct diag - a finding
 * @rule: its kind
 * @line: 0: about the file as a whole
 * @col: from 1; 0: about the whole line
 * @len: columns that are underlined
 * @message: what was found
 * @fix: what to write instead, or NULL: the rule's
 */
struct diag {
	const struct rule *rule;
	unsigned int line, col, len;
	char *message;
	char *fix;
};

/**
 * struct diags - the findings in one file
 * @file: its name
 * @data: its content, or NULL
 * @len: length of it
 * @v: findings
 * @n: number of them
 * @room: allocated
 * @more: of each rule, how many were found beyond those in @v
 * @seen: of each rule, how many are in @v
 * @ignore: ids that are not wanted, NULL at the end
 * @all: keep all
 */
struct diags {
	const char *file;
	const char *data;
	size_t len;
	struct diag *v;
	size_t n, room;
	unsigned int *more;
	unsigned int *seen;
	const char *const *ignore;
	bool all;
};

void diags_init(struct diags *d, const char *file, const char *data, size_t len);
void diags_free(struct diags *d);
void diag_add(struct diags *d, const char *id, unsigned int line, unsigned int col,
	      unsigned int len, char *fix, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
void diags_sort(struct diags *d);
bool diags_bad(const struct diags *d, bool strict);

enum diag_format { DIAG_TEXT, DIAG_JSON, DIAG_SARIF };

void diags_print(struct diags *const *d, size_t n, enum diag_format format, bool color);
int rule_explain(const char *id);
void rules_list(void);

#endif
