// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define TAP_EXIT_FAIL	1
#define TAP_EXIT_SKIP	4

static struct tap_test *tap_first, **tap_last = &tap_first;

void tap_register(struct tap_test *t)
{
	*tap_last = t;
	tap_last = &t->next;
}

static void tap_vnote(const char *fmt, va_list ap)
{
	char buf[512];

	vsnprintf(buf, sizeof(buf), fmt, ap);
	printf("# %s\n", buf);
	fflush(stdout);
}

void tap_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vnote(fmt, ap);
	va_end(ap);
}

void tap_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	int err = errno;

	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	errno = err;
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	_exit(TAP_EXIT_FAIL);
}

void tap_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_vnote(fmt, ap);
	va_end(ap);
	_exit(TAP_EXIT_SKIP);
}

static double tap_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool tap_wait(pid_t pid, int *status, double secs)
{
	double end = tap_now() + secs;

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (tap_now() > end)
			return false;
		usleep(2000);
	}
	return true;
}

int tap_child(void (*fn)(void), unsigned int secs)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		/* threads and children of a test do not outlive it */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn();
		_exit(0);
	}
	if (!tap_wait(pid, &status, secs)) {
		tap_note("no end after %u s", secs);
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		if (!tap_wait(pid, &status, 10)) {
			printf("Bail out! process %d does not die\n", pid);
			fflush(stdout);
			_exit(2);
		}
		return -1;
	}
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status)) {
		tap_note("killed by signal %d", WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

int tap_run(const struct tap_hooks *hooks)
{
	unsigned int n = 0, failed = 0;
	struct tap_test *t;

	for (t = tap_first; t; t = t->next) {
		const char *skip = "";
		double start;
		int rc, rc2;

		if (hooks->only && strcmp(hooks->only, t->name))
			continue;
		start = tap_now();
		rc = hooks->setup ? tap_child(hooks->setup, 20) : 0;
		if (!rc)
			rc = tap_child(t->fn, t->timeout);
		if (rc == TAP_EXIT_SKIP) {
			skip = " # SKIP";
			rc = 0;
		}
		rc2 = hooks->teardown ? tap_child(hooks->teardown, 30) : 0;
		if (rc2)
			tap_note("clean-up failed: %d", rc2);
		if (rc || rc2)
			failed++;
		printf("%sok %u - %s %s%s\n", rc || rc2 ? "not " : "", ++n,
		       hooks->prefix, t->name, skip);
		printf("# %.2f s\n", tap_now() - start);
		fflush(stdout);
	}
	printf("1..%u\n", n);
	fflush(stdout);
	return failed != 0;
}
