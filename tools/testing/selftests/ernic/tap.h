/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests that report in TAP, each in a process of its own: a crash or a hang is
 * the failure of one test.
 */
#ifndef ERNIC_TAP_H
#define ERNIC_TAP_H

#include <stdbool.h>

struct tap_test {
	const char *name;
	void (*fn)(void);
	unsigned int timeout;
	struct tap_test *next;
};

void tap_register(struct tap_test *t);

/* defines and registers a test that may take @secs seconds */
#define TEST(_name, secs)						\
	static void _name(void);					\
	static struct tap_test tap_##_name = {				\
		.name = #_name, .fn = _name, .timeout = (secs),		\
	};								\
	__attribute__((constructor)) static void tap_reg_##_name(void)	\
	{								\
		tap_register(&tap_##_name);				\
	}								\
	static void _name(void)

/* ends the test; for the process that runs it and its threads */
__attribute__((noreturn, format(printf, 3, 4)))
void tap_fail(const char *file, int line, const char *fmt, ...);
__attribute__((noreturn, format(printf, 1, 2)))
void tap_skip(const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
void tap_note(const char *fmt, ...);

#define FAIL(...)	tap_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(cond) do {						\
	if (!(cond))							\
		FAIL("%s", #cond);					\
} while (0)

#define CHECK_EQ(a, b) do {						\
	long long a_ = (long long)(a), b_ = (long long)(b);		\
									\
	if (a_ != b_)							\
		FAIL("%s is %lld (%#llx), %s is %lld (%#llx)", #a, a_,	\
		     a_, #b, b_, b_);					\
} while (0)

/* the system call must succeed; its result */
#define SYS(call) ({							\
	long r_ = (long)(call);						\
									\
	if (r_ < 0)							\
		FAIL("%s: %m", #call);					\
	r_;								\
})

/* runs what was registered; hooks surround each test, in the parent */
struct tap_hooks {
	const char *prefix;
	void (*setup)(void);
	void (*teardown)(void);
	const char *only;
};

int tap_run(const struct tap_hooks *hooks);
/* runs @fn in a child; its status, or -1 after @secs seconds */
int tap_child(void (*fn)(void), unsigned int secs);

#endif
