/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_UTIL_H
#define ERNIC_FABRIC_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef VERSION
#define VERSION "0"
#endif

/* Exit status: nothing found, something found, cannot say. */
enum { STATUS_OK, STATUS_FOUND, STATUS_USAGE };

void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * GROW() - make room for one more element
 * @v: vector; @n: elements it has; @room: elements it has room for
 */
#define GROW(v, n, room) do { \
	if ((n) == (room)) { \
		(room) = (room) ? 2 * (room) : 8; \
		(v) = xrealloc(v, room, sizeof(*(v))); \
	} \
} while (0)

/**
 * struct buf - a string that grows
 * @s: always ends with a NUL; @len: without it; @room: allocated
 */
struct buf {
	char *s;
	size_t len, room;
};

void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_add(struct buf *b, const char *s, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_free(struct buf *b);

char *file_read(const char *path, size_t *len);
char *file_try(const char *path, size_t *len);
void file_write(const char *path, const struct buf *b);

uint64_t c_number(const char *s, const char **end);

const char *mgid_text(const uint8_t *mgid, char *out);

unsigned int edit_distance(const char *a, const char *b, unsigned int limit);
const char *did_you_mean(const char *word, const char *const *list);

#endif
