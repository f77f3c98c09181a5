// SPDX-License-Identifier: GPL-2.0-only
/*
 * A picture of who can talk to whom.  Ports that are in the same partitions are
 * one row, so that five hundred ports of ten tenants are a dozen rows: at the left
 * what they are members of, at the right whom they reach.
 */
#include <stdlib.h>
#include <string.h>

#include "reach.h"

#define CELL	22u
#define LEFT	390u
#define TOP	150u
#define GAP	50u
#define REACH_MOST	64u	/* rows up to which the right half is drawn */

static void text(FILE *out, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			/* file names and node names: octets of no known encoding */
			fputc((unsigned char)*s < ' ' || (unsigned char)*s > 126 ? '?' : *s, out);
		}
	}
}

static unsigned int bits_of(const struct memberships *m, unsigned int base)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (m->v[i] >> 2 == base)
			return m->v[i] & 3;
	return 0;
}

static void row_label(const struct fabric *f, const struct class *c, FILE *out,
		      unsigned int y)
{
	struct buf b = { 0 }, all = { 0 };

	class_names(f, c, 3, &b);
	class_names(f, c, 1000, &all);
	if (strlen(b.s) > 44) {
		b.len = 41;
		b.s[41] = '\0';
		buf_puts(&b, "...");
	}
	fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", LEFT - 10, y + 15);
	text(out, b.s);
	if (c->n > 1)
		fprintf(out, " <tspan class=\"n\">%zu ports</tspan>", c->n);
	fputs("<title>", out);
	text(out, all.s);
	fputs("</title></text>\n", out);
	buf_free(&b);
	buf_free(&all);
}

static void column_label(FILE *out, unsigned int x, const char *label, const char *title)
{
	fprintf(out, "<text transform=\"translate(%u %u) rotate(-55)\">", x + 14, TOP - 8);
	text(out, label);
	fputs("<title>", out);
	text(out, title);
	fputs("</title></text>\n", out);
}

static void cell(FILE *out, unsigned int x, unsigned int y, unsigned int bits)
{
	switch (bits) {
	case MEMBER_LIMITED:
		fprintf(out, "<circle class=\"l\" cx=\"%u\" cy=\"%u\" r=\"6\"/>\n", x + 11, y + 11);
		break;
	case MEMBER_FULL:
		fprintf(out, "<circle class=\"f\" cx=\"%u\" cy=\"%u\" r=\"7\"/>\n", x + 11, y + 11);
		break;
	case MEMBER_BOTH:
		fprintf(out, "<circle class=\"f\" cx=\"%u\" cy=\"%u\" r=\"4\"/><circle class=\"l\" cx=\"%u\" cy=\"%u\" r=\"8\"/>\n",
			x + 11, y + 11, x + 11, y + 11);
		break;
	default:
		break;
	}
}

static void reach_cell(const struct classes *c, size_t i, size_t k, FILE *out,
		       unsigned int x, unsigned int y)
{
	uint16_t bases[4];
	unsigned int n = talk_in(&c->v[i].m, &c->v[k].m, bases, 4);
	bool shared = false;

	/* a port alone in its row talks to nobody there */
	if (i == k && c->v[i].n == 1)
		return;
	for (unsigned int a = 0; !n && a < c->v[i].m.n; a++)
		shared |= bits_of(&c->v[k].m, c->v[i].m.v[a] >> 2);
	if (n) {
		fprintf(out, "<rect class=\"y\" x=\"%u\" y=\"%u\" width=\"18\" height=\"18\"><title>talk in", x + 2, y + 2);
		for (unsigned int b = 0; b < n && b < 4; b++)
			fprintf(out, " 0x%04x", bases[b] | PKEY_FULL);
		fprintf(out, "%s</title></rect>\n", n > 4 ? " ..." : "");
	} else if (shared) {
		fprintf(out, "<path class=\"x\" d=\"M%u %ul12 12m0 -12l-12 12\"><title>same partition, both limited</title></path>\n",
			x + 5, y + 5);
	}
}

static void legend(FILE *out, unsigned int y, bool reach)
{
	unsigned int x = 20;

	cell(out, x, y, MEMBER_FULL);
	fprintf(out, "<text x=\"%u\" y=\"%u\">full member</text>\n", x + 26, y + 15);
	cell(out, x + 120, y, MEMBER_LIMITED);
	fprintf(out, "<text x=\"%u\" y=\"%u\">limited member</text>\n", x + 146, y + 15);
	if (!reach)
		return;
	fprintf(out, "<rect class=\"y\" x=\"%u\" y=\"%u\" width=\"18\" height=\"18\"/><text x=\"%u\" y=\"%u\">can talk</text>\n",
		x + 262, y + 2, x + 286, y + 15);
	fprintf(out, "<path class=\"x\" d=\"M%u %ul12 12m0 -12l-12 12\"/><text x=\"%u\" y=\"%u\">share a partition, but both are limited</text>\n",
		x + 365, y + 5, x + 388, y + 15);
}

/**
 * reach_svg() - draw it
 * @sm: OpenSM
 * @c: classes of its ports
 * @out: where to
 * @title: of the picture
 */
void reach_svg(const struct sm *sm, const struct classes *c, FILE *out, const char *title)
{
	const struct fabric *f = sm->fabric;
	bool *used = xcalloc(PKEY_BASES, sizeof(*used));
	unsigned int ncols = 0, width, height, x, right;
	bool reach = c->n <= REACH_MOST;

	for (size_t i = 0; i < c->n; i++)
		for (unsigned int k = 0; k < c->v[i].m.n; k++)
			used[c->v[i].m.v[k] >> 2] = true;
	for (unsigned int b = 1; b < PKEY_BASES; b++)
		ncols += used[b];
	right = LEFT + ncols * CELL + GAP;
	width = right + (reach ? (unsigned int)c->n * CELL : 0) + 120;
	if (width < 760)
		width = 760;
	height = TOP + (unsigned int)c->n * CELL + 60;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
		width, height, width, height);
	fputs("<style>text{font:13px sans-serif;fill:#222}.n{fill:#888}.t{font-size:16px;font-weight:bold}"
	      ".f{fill:#1f5fa8}.l{fill:none;stroke:#1f5fa8;stroke-width:2}.y{fill:#4c9a5b}"
	      ".x{fill:none;stroke:#b33;stroke-width:2}.g{stroke:#ddd}</style>\n", out);
	fprintf(out, "<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n<text class=\"t\" x=\"20\" y=\"28\">", width, height);
	text(out, title);
	fputs("</text>\n", out);
	for (size_t i = 0; i <= c->n; i++)
		fprintf(out, "<path class=\"g\" d=\"M%u %uH%u\"/>\n", LEFT - 5,
			TOP + (unsigned int)i * CELL, width - 100);

	x = LEFT;
	for (unsigned int b = 1; b < PKEY_BASES; b++) {
		const struct partition *p = sm->part[b];
		char label[64];

		if (!used[b])
			continue;
		snprintf(label, sizeof(label), "%.20s 0x%04x", p ? p->name : "", b | PKEY_FULL);
		column_label(out, x, label, label);
		for (size_t i = 0; i < c->n; i++)
			cell(out, x, TOP + (unsigned int)i * CELL, bits_of(&c->v[i].m, b));
		x += CELL;
	}
	for (size_t i = 0; i < c->n; i++) {
		unsigned int y = TOP + (unsigned int)i * CELL;

		row_label(f, &c->v[i], out, y);
		if (!reach)
			continue;
		column_label(out, right + (unsigned int)i * CELL, f->ports[c->v[i].ports[0]].name,
			     f->ports[c->v[i].ports[0]].name);
		for (size_t k = 0; k < c->n; k++)
			reach_cell(c, i, k, out, right + (unsigned int)k * CELL, y);
	}
	legend(out, height - 40, reach);
	fputs("</svg>\n", out);
	free(used);
}
