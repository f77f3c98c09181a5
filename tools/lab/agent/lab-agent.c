// SPDX-License-Identifier: GPL-2.0
/*
 * Command channel into the lab's virtual machines.
 *
 *   lab-agent serve tcp:PORT|vsock:PORT
 *   lab-agent exec [-t SEC] [-p] [-i] [-k|-w] tcp:ADDR:PORT|vsock:CID:PORT CMD...
 *   lab-agent kcheck
 *
 * -k leaves the kernel log for the next check; -w waives what it says.
 * kcheck prints the reports in this kernel's log and ends with 86 if there are any.
 *
 * One connection runs one command.  Frames are a type byte, a big-endian
 * 32-bit length and a payload; stdout, stderr and the exit status are separate
 * frames, so a connection that ends without an exit frame is a failure, never a
 * success.  After the command the server reads the kernel log written since the
 * last check and sends what looks like a kernel report.
 *
 * Exit status of exec: the command's; 124 time-out; 125 connection lost;
 * 86 the command succeeded but the kernel complained.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#define EXIT_TIMEOUT	124
#define EXIT_LOST	125
#define EXIT_KERNEL	86

/* Taint bits that a healthy run never sets: oops and WARN. */
#define TAINT_BAD	((1UL << 7) | (1UL << 9))

#define MAX_FRAME	(1 << 20)
#define MAX_ARGS	4096
#define REPORT_LINES	150

enum frame {
	F_ARGV = 'A',	/* flag byte, then NUL-terminated arguments */
	F_STDIN = 'I',	/* empty: end of file */
	F_WINSZ = 'W',
	F_OUT = '1',
	F_ERR = '2',
	F_KERNEL = 'K',
	F_EXIT = 'X',
};

#define ARGV_PTY	1
#define ARGV_STDIN	2
#define ARGV_NOCHECK	4
#define ARGV_WAIVE	8

struct shared {
	uint64_t next_seq;	/* first kernel log record not yet checked */
	unsigned long taint;
};

static struct shared *shared;

static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("lab-agent: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(EXIT_LOST);
}

static int write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd pfd = { .fd = fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
			continue;
		}
		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

static int read_all(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

static int send_frame(int fd, uint8_t type, const void *buf, uint32_t len)
{
	uint8_t head[5] = { type, len >> 24, len >> 16, len >> 8, len };

	if (write_all(fd, head, sizeof(head)))
		return -1;
	return len ? write_all(fd, buf, len) : 0;
}

/* Returns the payload length or -1; the buffer is NUL-terminated. */
static int recv_frame(int fd, uint8_t *type, char **buf)
{
	static char *frame;
	uint8_t head[5];
	uint32_t len;

	if (!frame) {
		frame = malloc(MAX_FRAME + 1);
		if (!frame)
			return -1;
	}
	if (read_all(fd, head, sizeof(head)))
		return -1;
	len = (uint32_t)head[1] << 24 | head[2] << 16 | head[3] << 8 | head[4];
	if (len > MAX_FRAME || read_all(fd, frame, len))
		return -1;
	frame[len] = 0;
	*type = head[0];
	*buf = frame;
	return len;
}

static unsigned long read_taint(void)
{
	unsigned long v = 0;
	FILE *f = fopen("/proc/sys/kernel/tainted", "r");

	if (!f)
		return 0;
	if (fscanf(f, "%lu", &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

/* Headers of kernel reports, as the kernel's own code prints them. */
static int is_report(const char *msg)
{
	static const char * const pattern[] = {
		"[ cut here ]", "BUG: ", "WARNING: ", "Oops: ", "Oops[", "kernel BUG at ",
		"Kernel panic", "general protection fault", "Internal error",
		"watchdog: BUG: ", "soft lockup", "hard LOCKUP",
		"detected stalls on", "self-detected stall", "blocked for more than",
		"possible circular locking dependency",
		"possible recursive locking", "inconsistent lock state",
		"suspicious RCU usage", "sleeping function called from",
		"scheduling while atomic", "KASAN: ", "KCSAN: ", "UBSAN: ",
		"new suspected memory leaks", "refcount_t: ", "list_add corruption",
		"list_del corruption", "ODEBUG: ", "workqueue lockup",
		"transmit queue", "bad page state", "Bad page state",
	};
	size_t i;

	/* A NIC's stalled queue: "NETDEV WATCHDOG: ...: transmit queue N timed out". */
	for (i = 0; i < sizeof(pattern) / sizeof(pattern[0]); i++) {
		const char *hit = strstr(msg, pattern[i]);

		if (!hit)
			continue;
		if (!strcmp(pattern[i], "transmit queue") && !strstr(hit, "timed out"))
			continue;
		/* Advice about CPU bugs and mitigations is no report. */
		if (strstr(hit, "WARNING: See ") || strstr(hit, "WARNING: Unprivileged"))
			continue;
		return 1;
	}
	return 0;
}

/*
 * Reads the records since the last check.  What follows a report's header is its
 * body, up to a limit.
 */
static char *kernel_report(void)
{
	static char rec[8192];
	size_t size = 0, cap = 1 << 18;
	uint64_t next = shared->next_seq;
	unsigned long taint;
	int fd, body = 0;
	char *out;

	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	out = malloc(cap);
	if (!out) {
		close(fd);
		return NULL;
	}
	for (;;) {
		ssize_t n = read(fd, rec, sizeof(rec) - 1);
		unsigned long long seq;
		char *msg, *end;
		size_t len;

		if (n < 0 && errno == EPIPE)
			continue;	/* overwritten meanwhile: go on */
		if (n <= 0)
			break;
		rec[n] = 0;
		msg = strchr(rec, ';');
		if (!msg || sscanf(rec, "%*u,%llu,", &seq) != 1 || seq < next)
			continue;
		next = seq + 1;
		msg++;
		end = strchr(msg, '\n');
		if (end)
			*end = 0;
		/* User space may write there: facility != 0 is not the kernel. */
		if (strtoul(rec, NULL, 10) >= 8)
			continue;
		if (is_report(msg))
			body = REPORT_LINES;
		len = strlen(msg);
		if (body && size + len + 64 < cap) {
			body--;
			memcpy(out + size, msg, len);
			size += len;
			out[size++] = '\n';
		}
	}
	close(fd);
	shared->next_seq = next;
	taint = read_taint() & TAINT_BAD;
	if (taint & ~shared->taint)
		size += snprintf(out + size, cap - size, "kernel tainted: %#lx\n",
				 read_taint());
	shared->taint |= taint;
	out[size] = 0;
	if (size)
		return out;
	free(out);
	return NULL;
}

static void child_exec(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void run_command(int sock, char *payload, int len)
{
	int flags = (unsigned char)payload[0], in = -1, out = -1, err = -1, status = 0, gone = 0;
	static char *argv[MAX_ARGS];
	int argc = 0, reaped = 0;
	char *p = payload + 1;
	struct timespec end = { 0 };
	pid_t pid;

	while (p < payload + len && argc < MAX_ARGS - 1) {
		argv[argc++] = strdup(p);
		p += strlen(p) + 1;
	}
	argv[argc] = NULL;
	if (!argc)
		return;

	if (flags & ARGV_PTY) {
		int master;

		pid = forkpty(&master, NULL, NULL, NULL);
		if (!pid)
			child_exec(argv);
		in = dup(master);
		out = master;
	} else {
		int pi[2], po[2], pe[2];

		if (pipe2(pi, O_CLOEXEC) || pipe2(po, O_CLOEXEC) || pipe2(pe, O_CLOEXEC))
			return;
		pid = fork();
		if (!pid) {
			setsid();
			dup2(pi[0], 0);
			dup2(po[1], 1);
			dup2(pe[1], 2);
			child_exec(argv);
		}
		close(pi[0]);
		close(po[1]);
		close(pe[1]);
		in = pi[1];
		out = po[0];
		err = pe[0];
		if (!(flags & ARGV_STDIN)) {
			close(in);
			in = -1;
		}
	}
	if (pid < 0)
		return;

	/*
	 * The command is over when it has exited and its output has drained.  A
	 * daemon that it left behind may hold the pipes: wait only half a second
	 * for those.
	 */
	while (!gone) {
		struct pollfd pfd[3] = {
			{ .fd = sock, .events = POLLIN },
			{ .fd = out, .events = POLLIN },
			{ .fd = err, .events = POLLIN },
		};
		static char buf[65536];
		ssize_t n;
		int i;

		if (!reaped && waitpid(pid, &status, WNOHANG) == pid) {
			reaped = 1;
			clock_gettime(CLOCK_MONOTONIC, &end);
		}
		if (reaped && out < 0 && err < 0)
			break;
		i = poll(pfd, 3, reaped || (out < 0 && err < 0) ? 20 : 100);
		if (i < 0 && errno != EINTR)
			break;
		if (i <= 0) {
			struct timespec now;

			clock_gettime(CLOCK_MONOTONIC, &now);
			if (reaped && (now.tv_sec - end.tv_sec) * 1000 +
			    (now.tv_nsec - end.tv_nsec) / 1000000 > 500)
				break;
			continue;
		}
		if (pfd[1].revents) {
			n = read(out, buf, sizeof(buf));
			if (n > 0) {
				gone |= send_frame(sock, F_OUT, buf, n) < 0;
			} else {
				close(out);
				out = -1;
			}
		}
		if (pfd[2].revents) {
			n = read(err, buf, sizeof(buf));
			if (n > 0) {
				gone |= send_frame(sock, F_ERR, buf, n) < 0;
			} else {
				close(err);
				err = -1;
			}
		}
		if (pfd[0].revents) {
			uint8_t type;
			char *data;

			n = recv_frame(sock, &type, &data);
			if (n < 0) {
				gone = 1;
			} else if (type == F_STDIN && in >= 0) {
				if (!n || write_all(in, data, n)) {
					close(in);
					in = -1;
				}
			} else if (type == F_WINSZ && out >= 0 &&
				   n == sizeof(struct winsize)) {
				ioctl(out, TIOCSWINSZ, data);
			}
		}
	}
	if (gone) {
		/* The client gave up: its command must not live on. */
		kill(-pid, SIGTERM);
		usleep(200000);
		kill(-pid, SIGKILL);
		return;
	}
	if (!(flags & ARGV_NOCHECK)) {
		char *rep = kernel_report();

		if (rep && !(flags & ARGV_WAIVE))
			send_frame(sock, F_KERNEL, rep, strlen(rep));
		free(rep);
	}
	{
		int code = WIFEXITED(status) ? WEXITSTATUS(status) :
					       128 + WTERMSIG(status);
		uint8_t x = code;

		send_frame(sock, F_EXIT, &x, 1);
	}
}

static int make_socket(const char *addr, int server)
{
	int one = 1, fd;
	unsigned int cid, port;
	char host[64];

	if (server && sscanf(addr, "tcp:%u", &port) == 1) {
		struct sockaddr_in sin = {
			.sin_family = AF_INET, .sin_port = htons(port),
		};

		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return -1;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, (void *)&sin, sizeof(sin)) || listen(fd, 64))
			return -1;
	} else if (server && sscanf(addr, "vsock:%u", &port) == 1) {
		struct sockaddr_vm svm = {
			.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY,
			.svm_port = port,
		};

		fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || bind(fd, (void *)&svm, sizeof(svm)) || listen(fd, 64))
			return -1;
	} else if (!server && sscanf(addr, "tcp:%63[0-9.]:%u", host, &port) == 2) {
		struct sockaddr_in sin = {
			.sin_family = AF_INET, .sin_port = htons(port),
		};

		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || inet_pton(AF_INET, host, &sin.sin_addr) != 1 ||
		    connect(fd, (void *)&sin, sizeof(sin)))
			return -1;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	} else if (!server && sscanf(addr, "vsock:%u:%u", &cid, &port) == 2) {
		struct sockaddr_vm svm = {
			.svm_family = AF_VSOCK, .svm_cid = cid, .svm_port = port,
		};

		fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || connect(fd, (void *)&svm, sizeof(svm)))
			return -1;
	} else {
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static void share_state(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap: %s", strerror(errno));
}

static int serve(const char *addr)
{
	int fd = make_socket(addr, 1), one = 1;

	if (fd < 0)
		die("cannot listen on %s: %s", addr, strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	share_state();
	for (;;) {
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (c < 0)
			continue;
		if (!fork()) {
			uint8_t type;
			char *buf;
			int n;

			close(fd);
			setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			n = recv_frame(c, &type, &buf);
			if (n > 1 && type == F_ARGV) {
				char *copy = malloc(n + 1);

				memcpy(copy, buf, n + 1);
				run_command(c, copy, n);
			}
			_exit(0);
		}
		close(c);
	}
}

static struct termios saved_tio;
static volatile sig_atomic_t winch;

static void restore_tty(void)
{
	tcsetattr(0, TCSADRAIN, &saved_tio);
}

static void on_winch(int sig)
{
	(void)sig;
	winch = 1;
}

static int exec_remote(int argc, char **argv)
{
	int flags = 0, timeout = 0, sock, i, opt, want_in = 0, kreport = 0;
	size_t len = 1, n;
	struct timespec start;
	char *req, *p;

	while ((opt = getopt(argc, argv, "+t:pikw")) != -1) {
		switch (opt) {
		case 't':
			timeout = atoi(optarg);
			break;
		case 'p':
			flags |= ARGV_PTY;
			want_in = 1;
			break;
		case 'i':
			flags |= ARGV_STDIN;
			want_in = 1;
			break;
		case 'k':
			flags |= ARGV_NOCHECK;
			break;
		case 'w':
			flags |= ARGV_WAIVE;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < 2) {
		fputs("usage: lab-agent exec [-t SEC] [-p] [-i] [-k|-w] ADDR CMD...\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	sock = make_socket(argv[optind], 0);
	if (sock < 0)
		die("cannot reach %s: %s", argv[optind], strerror(errno));
	for (i = optind + 1; i < argc; i++)
		len += strlen(argv[i]) + 1;
	if (len > MAX_FRAME)
		die("arguments too long");
	req = malloc(len);
	req[0] = flags;
	p = req + 1;
	for (i = optind + 1; i < argc; i++)
		p = stpcpy(p, argv[i]) + 1;
	i = send_frame(sock, F_ARGV, req, len);
	free(req);
	if (i)
		die("connection lost");
	if ((flags & ARGV_PTY) && isatty(0)) {
		struct termios raw;

		tcgetattr(0, &saved_tio);
		raw = saved_tio;
		cfmakeraw(&raw);
		tcsetattr(0, TCSADRAIN, &raw);
		atexit(restore_tty);
		signal(SIGWINCH, on_winch);
		winch = 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		struct pollfd pfd[2] = {
			{ .fd = sock, .events = POLLIN },
			{ .fd = want_in ? 0 : -1, .events = POLLIN },
		};
		static char buf[65536];
		int wait = -1;

		if (winch) {
			struct winsize ws;

			winch = 0;
			if (!ioctl(0, TIOCGWINSZ, &ws))
				send_frame(sock, F_WINSZ, &ws, sizeof(ws));
		}
		if (timeout) {
			struct timespec now;
			long ms;

			clock_gettime(CLOCK_MONOTONIC, &now);
			ms = timeout * 1000L - (now.tv_sec - start.tv_sec) * 1000L -
			     (now.tv_nsec - start.tv_nsec) / 1000000L;
			if (ms <= 0) {
				fprintf(stderr, "lab-agent: no end after %d s: %s\n",
					timeout, argv[optind + 1]);
				return EXIT_TIMEOUT;
			}
			wait = ms;
		}
		if (poll(pfd, 2, wait) < 0)
			continue;
		if (pfd[1].revents) {
			ssize_t r = read(0, buf, sizeof(buf));

			if (r < 0)
				r = 0;
			send_frame(sock, F_STDIN, buf, r);
			if (!r)
				want_in = 0;
		}
		if (pfd[0].revents) {
			uint8_t type;
			char *data;
			int r = recv_frame(sock, &type, &data);

			if (r < 0)
				die("connection lost before the command's verdict");
			n = r;
			switch (type) {
			case F_OUT:
				write_all(1, data, n);
				break;
			case F_ERR:
				write_all(2, data, n);
				break;
			case F_KERNEL:
				dprintf(2, "==== kernel report ====\n");
				write_all(2, data, n);
				dprintf(2, "==== end of kernel report ====\n");
				kreport = 1;
				break;
			case F_EXIT:
				i = (uint8_t)data[0];
				return i ? i : kreport ? EXIT_KERNEL : 0;
			}
		}
	}
}

static int kcheck(void)
{
	char *rep;

	share_state();
	rep = kernel_report();
	if (!rep)
		return 0;
	fputs(rep, stdout);
	free(rep);
	return EXIT_KERNEL;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "kcheck"))
		return kcheck();
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "exec"))
		return exec_remote(argc - 1, argv + 1);
	fputs("usage: lab-agent serve ADDR | exec [OPTIONS] ADDR CMD... | kcheck\n", stderr);
	return 2;
}
