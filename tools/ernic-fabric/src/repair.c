// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repairs that a rejected file needs before OpenSM's parser gets through it:
 * carriage returns, statements without anything, colons on the next line.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The last octet of @b that is neither blank nor in a comment. */
static size_t last_solid(const struct buf *b)
{
	size_t at = b->len;

	while (at) {
		size_t line = at, hash;

		while (line && b->s[line - 1] != '\n')
			line--;
		for (hash = line; hash < at && b->s[hash] != '#'; hash++)
			;
		for (at = hash; at > line && blank(b->s[at - 1]); at--)
			;
		if (at > line)
			return at;
		if (!line)
			return 0;
		at = line - 1;
	}
	return 0;
}

static void insert(struct buf *b, size_t at, char c)
{
	char space = ' ';

	buf_add(b, &space, 1);
	memmove(b->s + at + 1, b->s + at, b->len - at - 1);
	b->s[at] = c;
}

/**
 * repair_text() - a file without the empty statements that make OpenSM reject it
 * @data: file
 * @len: its length; becomes that of the result
 * @fixed: gets a line for each kind of repair
 *
 * Return: text to free.
 */
char *repair_text(const char *data, size_t *len, struct buf *fixed)
{
	bool comment = false, cr = false, empty = false, colon = false;
	struct buf out = { 0 };

	for (size_t i = 0; i < *len; i++) {
		char c = data[i];
		size_t solid;

		if (c == '\r' || c == '\0') {
			cr = true;
			continue;
		}
		if (c == '\n')
			comment = false;
		else if (c == '#')
			comment = true;
		if (comment || (c != ';' && c != ':')) {
			buf_add(&out, &c, 1);
			continue;
		}
		solid = last_solid(&out);
		if (c == ';' && (!out.s || !solid || out.s[solid - 1] == ';')) {
			empty = true;
			continue;
		}
		/* on a line of its own: back to what it ends */
		if (out.s && memchr(out.s + solid, '\n', out.len - solid)) {
			if (c == ';')
				empty = true;
			else
				colon = true;
			insert(&out, solid, c);
			continue;
		}
		buf_add(&out, &c, 1);
	}
	if (cr)
		buf_puts(fixed, "E02: carriage returns and NULs are gone\n");
	if (empty)
		buf_puts(fixed, "E02: ';' is behind what it ends, and only there\n");
	if (colon)
		buf_puts(fixed, "E01: ':' is on the line of its stanza's name\n");
	*len = out.len;
	return out.s ? out.s : xstrdup("");
}
