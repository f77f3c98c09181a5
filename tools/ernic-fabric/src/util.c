// SPDX-License-Identifier: GPL-2.0-only
/* Memory, files, numbers: what every tool needs. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

void fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ernic-fabric: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(STATUS_USAGE);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ernic-fabric: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		fail("out of memory");
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		fail("out of memory");
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size ? size : 1);
	if (!p)
		fail("out of memory");
	return p;
}

char *xstrndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (!p)
		fail("out of memory");
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		fail("out of memory");
	va_end(ap);
	return s;
}

static void buf_room(struct buf *b, size_t n)
{
	if (b->len + n + 1 <= b->room)
		return;
	b->room = 2 * (b->len + n + 1);
	b->s = xrealloc(b->s, b->room, 1);
}

void buf_add(struct buf *b, const char *s, size_t n)
{
	buf_room(b, n);
	memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	buf_room(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void buf_free(struct buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

/**
 * file_try() - whole file into memory, with a NUL behind it
 * @path: file, or "-" for standard input
 * @len: its length
 *
 * Return: NULL with errno if it cannot be read.
 */
char *file_try(const char *path, size_t *len)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	size_t room = 65536;
	struct stat st;
	char *data;

	*len = 0;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		room = (size_t)st.st_size + 2;
	data = xmalloc(room);
	for (;;) {
		ssize_t n;

		if (*len + 1 >= room) {
			room *= 2;
			data = xrealloc(data, room, 1);
		}
		n = read(fd, data + *len, room - *len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int e = errno;

			free(data);
			if (fd != STDIN_FILENO)
				close(fd);
			errno = e;
			return NULL;
		}
		if (!n)
			break;
		*len += (size_t)n;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	data[*len] = '\0';
	return data;
}

/**
 * file_write() - text to a file
 * @path: file, NULL: standard output
 * @b: text
 */
void file_write(const char *path, const struct buf *b)
{
	FILE *f;

	if (!path) {
		fwrite(b->s, 1, b->len, stdout);
		if (fflush(stdout))
			fail("standard output: %s", strerror(errno));
		return;
	}
	f = fopen(path, "we");
	if (!f)
		fail("%s: %s", path, strerror(errno));
	fwrite(b->s, 1, b->len, f);
	if (fclose(f))
		fail("%s: %s", path, strerror(errno));
}

char *file_read(const char *path, size_t *len)
{
	char *data = file_try(path, len);

	if (!data)
		fail("%s: %s", path, strerror(errno));
	return data;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/**
 * c_number() - strtoull(s, end, 0) of the C library that OpenSM is built with
 * @s: text
 * @end: where the number ends, @s if there is none
 *
 * Not the function itself: since C23, binary numbers are in, and what OpenSM
 * reads must not depend on the machine that ernic-fabric is built on.
 */
uint64_t c_number(const char *s, const char **end)
{
	const char *p = s;
	bool minus = false, over = false, any = false;
	uint64_t v = 0;
	int base = 10;

	while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		p++;
	if (*p == '-' || *p == '+')
		minus = *p++ == '-';
	if (*p == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	for (; digit(*p) < base; p++) {
		any = true;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit(*p), &v))
			over = true;
	}
	*end = any ? p : s;
	if (over)
		return UINT64_MAX;
	return minus ? -v : v;
}

/**
 * mgid_text() - an MGID as people write it
 * @mgid: 16 octets
 * @out: INET6_ADDRSTRLEN octets
 */
const char *mgid_text(const uint8_t *mgid, char *out)
{
	return inet_ntop(AF_INET6, mgid, out, INET6_ADDRSTRLEN);
}

/**
 * edit_distance() - changes of one letter that make @b of @a
 * @a: a word; @b: another; @limit: larger distances do not matter
 */
unsigned int edit_distance(const char *a, const char *b, unsigned int limit)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned int row[64], old, up;

	if (na >= 64 || nb >= 64)
		return limit + 1;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		old = row[0];
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);
			unsigned int best = old + !same;

			up = row[j];
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			old = up;
			row[j] = best;
		}
	}
	return row[nb];
}

/**
 * did_you_mean() - the known word that is closest to a mistyped one
 * @word: as found
 * @list: known words, NULL at the end
 *
 * Return: NULL if nothing is close.
 */
const char *did_you_mean(const char *word, const char *const *list)
{
	unsigned int best = 3, d;
	const char *found = NULL;

	if (strlen(word) < 2)
		return NULL;
	for (; *list; list++) {
		d = edit_distance(word, *list, best);
		/* a word of which every letter is wrong is not mistyped */
		if (d < best && d < strlen(*list) - 1) {
			best = d;
			found = *list;
		}
	}
	return found;
}
