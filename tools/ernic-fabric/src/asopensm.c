// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result as the oracle prints it: the P_Key table of each HCA, and the
 * multicast groups that the SA shows them.
 *
 * The SA shows a port only groups of partitions that it is in, and under ibsim
 * no more than three at once; so the oracle asks for them by MGID: on each HCA,
 * for the broadcast group of each of its P_Keys, and for each MGID that the file
 * names.  What nobody asks for, nobody sees: groups of another scope than the
 * file's MGID says, of partitions of switches only, of full members with -W.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "asopensm.h"
#include "util.h"

/**
 * struct question - an MGID that the file names
 * @mgid: with a P_Key of zero if it is an IP MGID without one
 * @any_pkey: the P_Keys of who asks go into it
 */
struct question {
	uint8_t mgid[16];
	bool any_pkey;
};

struct questions {
	struct question *v;
	size_t n, room;
};

static void ask(struct questions *q, const char *word)
{
	struct question new = { 0 };
	char text[160];
	size_t n = strlen(word);

	if (n >= 128)
		return;
	/* ff1x:401b:: and ff1x:401b:0: have their P_Key put in */
	if (n > 10 && !strncmp(word, "ff1", 3) && word[4] == ':' &&
	    (word[5] == '4' || word[5] == '6') && !strncmp(word + 6, "01b:", 4)) {
		size_t zeros = strspn(word + 10, "0");

		if (word[10 + zeros] == ':') {
			char *three;

			memcpy(text, word, 10);
			memcpy(text + 10, "ffff:", sizeof("ffff:"));
			memcpy(text + 15, word + 10, n - 10 + 1);
			three = strstr(text, ":::");
			if (three)
				memmove(three, three + 1, strlen(three));
			if (inet_pton(AF_INET6, text, new.mgid) != 1)
				return;
			new.any_pkey = true;
		}
	}
	if (!new.any_pkey && inet_pton(AF_INET6, word, new.mgid) != 1)
		return;
	GROW(q->v, q->n, q->room);
	q->v[q->n++] = new;
}

/* What "grep -o 'mgid=[^ ,#]*'" finds, up to the next "=" */
static void find_questions(struct questions *q, const char *data, size_t len)
{
	const char *end = data + len, *p = data;

	if (!len || memchr(data, '\0', len))
		return;
	while ((p = memmem(p, (size_t)(end - p), "mgid=", 5))) {
		char word[128] = { 0 };
		size_t n = 0;

		p += 5;
		for (; p < end; p++) {
			if (*p == ' ' || *p == ',' || *p == '#' || *p == '\n' || *p == '=' ||
			    *p == '\t')
				break;
			if (n < sizeof(word) - 1)
				word[n++] = *p;
		}
		word[n] = '\0';
		ask(q, word);
	}
}

static int by_question(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	if (x->any_pkey != y->any_pkey)
		return x->any_pkey ? 1 : -1;
	return memcmp(x->mgid, y->mgid, 16);
}

static bool asked_by_file(const struct group *g, const struct questions *q)
{
	struct question key = { 0 };

	if (!q->n)
		return false;
	memcpy(key.mgid, g->mgid, 16);
	if (bsearch(&key, q->v, q->n, sizeof(key), by_question))
		return true;
	if (!(g->mgid[4] & 0x80))
		return false;
	key.any_pkey = true;
	key.mgid[4] = 0xff;
	key.mgid[5] = 0xff;
	return bsearch(&key, q->v, q->n, sizeof(key), by_question);
}

static bool is_broadcast(const struct group *g)
{
	uint8_t want[16];

	memcpy(want, broadcast_mgid, 16);
	want[4] = g->mgid[4];
	want[5] = g->mgid[5];
	return g->mgid[4] & 0x80 && !memcmp(g->mgid, want, 16);
}

/* Of each P_Key, MEMBER_* of all HCAs together. */
static uint8_t *memberships_of_hcas(const struct fabric *f)
{
	uint8_t *m = xcalloc(PKEY_BASES, 1);

	for (size_t i = 0; i < f->nports; i++) {
		const struct pkey_table *t = &f->ports[i].table;

		if (f->ports[i].type != NODE_CA)
			continue;
		for (unsigned int k = 0; k < t->used; k++)
			m[t->cur[k] & ~PKEY_FULL] |= t->cur[k] & PKEY_FULL ? MEMBER_FULL :
						     MEMBER_LIMITED;
	}
	return m;
}

/*
 * Whoever sees a group has its P_Key, and so asks for the broadcast group of it;
 * an IP MGID has no other P_Key than its group's.
 */
static bool shown(const struct sm *sm, const struct group *g, const struct questions *q,
		  const uint8_t *hcas)
{
	unsigned int m = hcas[g->pkey & ~PKEY_FULL];

	/* osm_pkey.c:osm_physp_has_pkey: with -W, it looks for a limited entry */
	if (!(sm->opt.both ? m & MEMBER_LIMITED : m))
		return false;
	return is_broadcast(g) || asked_by_file(g, q);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/**
 * as_opensm() - print what the oracle prints
 * @sm: OpenSM
 * @data: the file that is in force, for its MGIDs
 * @len: its length
 * @all: every group that the SM has, asked for or not
 * @out: where to
 */
void as_opensm(const struct sm *sm, const char *data, size_t len, bool all, FILE *out)
{
	const struct fabric *f = sm->fabric;
	struct questions q = { 0 };
	struct group **groups;
	size_t n, nlines = 0;
	uint8_t *hcas;
	char **lines;

	for (size_t i = 0; i < f->nports; i++) {
		const struct port *p = f->by_order[i];

		if (p->type != NODE_CA)
			continue;
		fputs(p->name, out);
		for (unsigned int k = 0; k < p->table.used; k++)
			if (p->table.cur[k])
				fprintf(out, " 0x%04x", p->table.cur[k]);
		fputc('\n', out);
	}
	if (!sm->alive)
		return;
	if (!all)
		find_questions(&q, data, len);
	if (q.n)
		qsort(q.v, q.n, sizeof(*q.v), by_question);
	hcas = memberships_of_hcas(f);
	n = group_list(sm, &groups);
	lines = xcalloc(n, sizeof(*lines));
	for (size_t i = 0; i < n; i++) {
		const struct group *g = groups[i];
		char mgid[INET6_ADDRSTRLEN];

		if (!all && !shown(sm, g, &q, hcas))
			continue;
		lines[nlines++] = xasprintf("group %s pkey 0x%04x mtu 0x%x rate 0x%x sl 0x%x qkey 0x%x hop 0x%x",
					    mgid_text(g->mgid, mgid), g->pkey, 0x80 | g->mtu,
					    0x80 | g->rate, g->sl, g->qkey, g->hop);
	}
	qsort(lines, nlines, sizeof(*lines), by_text);
	for (size_t i = 0; i < nlines; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	free(groups);
	free(hcas);
	free(q.v);
}
