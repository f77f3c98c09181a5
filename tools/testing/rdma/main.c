// SPDX-License-Identifier: GPL-2.0-only
/* ernic-verify: see verify.h. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "verify.h"

#define MAGIC 0x65724e76
#define ARENA_EXTRA (4u << 20)

struct options opt = {
	.gid_index = { -1, -1 },
	.port = 1,
	.cases = 1000,
	.max_size = 1 << 20,
	.types = 1u << TYPE_RC | 1u << TYPE_UD,
	.ops = (1u << OP_COUNT) - 1,
	.qps = 2,
	.requests = MAX_WRS,
	.windows = true,
	.tcp_port = 18515,
	.timeout = 10,
};

static char failure[512];
static struct {
	uint64_t cases, requests, bytes, errors;
	uint64_t per_op[OP_COUNT];
} done;

void fail(const char *fmt, ...)
{
	va_list ap;

	if (*failure) /* the first one counts */
		return;
	va_start(ap, fmt);
	vsnprintf(failure, sizeof(failure), fmt, ap);
	va_end(ap);
}

enum {
	KEY_DEVICE2 = 256,
	KEY_GID2,
	KEY_TYPES,
	KEY_OPS,
	KEY_NO_WINDOWS,
	KEY_REQUESTS,
	KEY_MTU,
	KEY_SWEEP,
	KEY_ERRORS,
	KEY_JSON,
	KEY_FIRST,
	KEY_TCP,
	KEY_TIMEOUT,
	KEY_RXE,
	KEY_SPOIL,
};

static const struct argp_option options[] = {
	{ "device", 'd', "NAME", 0, "RDMA device (the first)", 0 },
	{ "gid-index", 'g', "N", 0, "its GID (RoCE v2, IPv4 if there is one)", 0 },
	{ "device2", KEY_DEVICE2, "NAME", 0, "the responder's device, in one process (the same)",
	  0 },
	{ "gid-index2", KEY_GID2, "N", 0, "the responder's GID, in one process", 0 },
	{ "server", 's', 0, 0, "be the responder of another process", 0 },
	{ "connect", 'c', "HOST", 0, "be the requester; the responder is at HOST", 0 },
	{ "tcp-port", KEY_TCP, "PORT", 0, "of the connection beside (18515)", 0 },
	{ "seed", 'S', "SEED", 0, "what the cases are made from (the time)", 1 },
	{ "cases", 'n', "N", 0, "how many (1000)", 1 },
	{ "first", KEY_FIRST, "N", 0, "number of the first case (0)", 1 },
	{ "max-size", 'm', "BYTES", 0, "the longest message; K, M, G (1M)", 1 },
	{ "types", KEY_TYPES, "LIST", 0, "of rc,uc,ud (rc,ud)", 1 },
	{ "ops", KEY_OPS, "LIST", 0,
	  "of send,send-imm,send-inv,write,write-imm,read,cmp-swap,fetch-add (all)", 1 },
	{ "qps", 'q', "N", 0, "queue pairs of each type (2)", 1 },
	{ "mtu", KEY_MTU, "BYTES", 0, "path MTU, if less than the port's", 1 },
	{ "requests", KEY_REQUESTS, "N", 0,
	  "most requests of a case; queues have twice as many slots (64)", 1 },
	{ "no-windows", KEY_NO_WINDOWS, 0, 0, "no memory windows", 1 },
	{ "rxe", KEY_RXE, 0, 0,
	  "bear with rxe: no checksum in IPv4 headers from itself, and the kernel's flag for "
	  "an invalidated key",
	  1 },
	{ "sweep", KEY_SWEEP, 0, 0,
	  "each power of two up to --max-size, one less and one more, for each operation", 1 },
	{ "errors", KEY_ERRORS, 0, 0, "what must fail, instead of what must not", 1 },
	{ "timeout", KEY_TIMEOUT, "SECONDS", 0, "for one completion (10)", 1 },
	{ "spoil", KEY_SPOIL, "N", 0,
	  "control: change a byte of the responder's memory in the Nth case", 1 },
	{ "json", KEY_JSON, 0, 0, "the result as JSON", 2 },
	{ "verbose", 'v', 0, 0, "print each case", 2 },
	{ 0 },
};

static uint64_t number(struct argp_state *st, const char *arg, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t v = strtoull(arg, &end, 0);

	static const char units[] = "KMG";
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (unit) {
		v <<= 10 * (unit - units + 1);
		end++;
	}
	if (*end || end == arg || v < min || v > max)
		argp_error(st, "'%s' is no number from %" PRIu64 " to %" PRIu64, arg, min, max);
	return v;
}

static uint32_t list(struct argp_state *st, char *arg, const char *const *names, int n)
{
	uint32_t bits = 0;

	for (char *p = strtok(arg, ","); p; p = strtok(NULL, ",")) {
		int i;

		for (i = 0; i < n && strcmp(p, names[i]); i++)
			;
		if (i == n)
			argp_error(st, "no '%s' here", p);
		bits |= 1u << i;
	}
	if (!bits)
		argp_error(st, "an empty list");
	return bits;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	switch (key) {
	case 'd':
		opt.device[0] = arg;
		break;
	case KEY_DEVICE2:
		opt.device[1] = arg;
		break;
	case 'g':
		opt.gid_index[0] = number(st, arg, 0, 255);
		break;
	case KEY_GID2:
		opt.gid_index[1] = number(st, arg, 0, 255);
		break;
	case 's':
		opt.server = true;
		break;
	case 'c':
		opt.connect = arg;
		break;
	case KEY_TCP:
		opt.tcp_port = number(st, arg, 1, 65535);
		break;
	case 'S':
		opt.seed = number(st, arg, 0, UINT64_MAX);
		break;
	case 'n':
		opt.cases = number(st, arg, 1, UINT32_MAX);
		break;
	case KEY_FIRST:
		opt.first = number(st, arg, 0, UINT32_MAX);
		break;
	case 'm':
		opt.max_size = number(st, arg, 0, 2ull << 30);
		break;
	case KEY_TYPES:
		opt.types = list(st, arg, type_names, TYPE_COUNT);
		break;
	case KEY_OPS:
		opt.ops = list(st, arg, op_names, OP_COUNT);
		break;
	case 'q':
		opt.qps = number(st, arg, 1, 256);
		break;
	case KEY_MTU:
		opt.mtu = number(st, arg, 256, 4096);
		if (opt.mtu & (opt.mtu - 1))
			argp_error(st, "256, 512, 1024, 2048 or 4096");
		break;
	case KEY_REQUESTS:
		opt.requests = number(st, arg, 1, MAX_WRS);
		break;
	case KEY_NO_WINDOWS:
		opt.windows = false;
		break;
	case KEY_RXE:
		opt.rxe = true;
		break;
	case KEY_SPOIL:
		opt.spoil = number(st, arg, 1, UINT32_MAX);
		break;
	case KEY_SWEEP:
		opt.sweep = true;
		break;
	case KEY_ERRORS:
		opt.errors = true;
		break;
	case KEY_TIMEOUT:
		opt.timeout = number(st, arg, 1, 3600);
		break;
	case KEY_JSON:
		opt.json = true;
		break;
	case 'v':
		opt.verbose = true;
		break;
	case ARGP_KEY_ARG:
		argp_error(st, "unknown argument '%s'", arg);
		break;
	case ARGP_KEY_END:
		if (opt.server && opt.connect)
			argp_error(st, "--server or --connect");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Both ends must make the same cases: the requester says which. */
static int agree(struct hello *mine, const struct hello *peer)
{
	if (peer->magic != MAGIC) {
		fprintf(stderr, "ernic-verify: the other end is no ernic-verify of this build\n");
		return -1;
	}
	if (opt.server) {
		opt.seed = peer->seed;
		opt.first = peer->first;
		opt.cases = peer->cases;
		opt.sweep = peer->sweep;
		opt.errors = peer->errors;
	}
	if (mine->types != peer->types || mine->ops != peer->ops || mine->qps != peer->qps ||
	    mine->requests != peer->requests || mine->max_size != peer->max_size) {
		fprintf(stderr,
			"ernic-verify: both ends need the same --types, --ops, --qps, --requests and --max-size\n");
		return -1;
	}
	return 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void common(const struct hello *a, const struct hello *b, struct limits *l)
{
	*l = (struct limits){
		.max_size = opt.max_size,
		.types = opt.types,
		.ops = opt.ops,
		.qps = opt.qps,
		.requests = opt.requests,
		.mtu = least(a->mtu, b->mtu),
		.max_sge = least(a->max_sge, b->max_sge),
		.max_inline = least(a->max_inline, b->max_inline),
		.windows = a->has_windows && b->has_windows,
		.atomics = a->atomics && b->atomics,
	};
	if (!l->windows)
		l->ops &= ~(1u << OP_SEND_INV);
	if (!l->atomics)
		l->ops &= ~(1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD);
}

static int connect_all(struct end *e)
{
	for (int t = 0; t < TYPE_COUNT; t++)
		for (int i = 0; e->pairs[t] && i < opt.qps; i++)
			if (end_connect(e, t, i))
				return -1;
	return 0;
}

static void count(const struct test_case *c)
{
	done.cases++;
	for (int i = 0; i < c->n; i++) {
		done.requests++;
		done.bytes += c->req[i].len;
		done.per_op[c->req[i].op]++;
	}
}

/* A phase of one end, and what the other must know of it. */
static int exchange(int fd, bool say, int rc, struct outcome *o)
{
	struct {
		int32_t rc;
		struct outcome o;
	} m = { rc, *o };

	if (say)
		return control_send(fd, &m, sizeof(m)) ? -1 : rc;
	if (control_recv(fd, &m, sizeof(m)))
		return -1;
	if (m.rc) {
		fail("the other end failed");
		return -1;
	}
	*o = m.o;
	return 0;
}

static int run_case(struct end *a, struct end *b, int fd, const struct test_case *c)
{
	struct outcome o = {};

	if (a && b)
		return b_prepare(b, c, &o) || a_run(a, c, &o) || b_finish(b, c, &o) ? -1 : 0;
	if (b) {
		if (exchange(fd, true, b_prepare(b, c, &o), &o) || exchange(fd, false, 0, &o))
			return -1;
		return exchange(fd, true, b_finish(b, c, &o), &o);
	}
	if (exchange(fd, false, 0, &o) || exchange(fd, true, a_run(a, c, &o), &o))
		return -1;
	return exchange(fd, false, 0, &o);
}

static int run_error(struct end *a, struct end *b, int fd, int i)
{
	struct outcome o = {};

	if (a && b)
		return error_b_prepare(b, i) || error_a_run(a, i) || error_b_finish(b, i) ? -1 : 0;
	if (b) {
		if (exchange(fd, true, error_b_prepare(b, i), &o) || exchange(fd, false, 0, &o))
			return -1;
		return exchange(fd, true, error_b_finish(b, i), &o);
	}
	if (exchange(fd, false, 0, &o) || exchange(fd, true, error_a_run(a, i), &o))
		return -1;
	return exchange(fd, false, 0, &o);
}

static int run_all(struct end *a, struct end *b, int fd, const struct limits *l)
{
	static struct test_case c;

	if (opt.errors) {
		for (int i = 0; i < errors_count(); i++) {
			if (!error_applies(i, a ? &a->peer : &b->peer))
				continue;
			if (opt.verbose)
				fprintf(stderr, "%s\n", error_name(i));
			if (run_error(a, b, fd, i)) {
				fprintf(stderr, "%s:\n", error_name(i));
				return -1;
			}
			done.errors++;
		}
		return 0;
	}
	if (opt.sweep)
		opt.cases = sweep_cases(l) > opt.first ? sweep_cases(l) - opt.first : 0;
	for (uint64_t n = opt.first; n < opt.first + opt.cases; n++) {
		case_make(&c, l, opt.seed, n, opt.sweep);
		if (opt.verbose)
			case_print(&c);
		if (run_case(a, b, fd, &c)) {
			if (!opt.verbose)
				case_print(&c);
			return -1;
		}
		count(&c);
	}
	return 0;
}

static void report(int rc, const struct limits *l)
{
	if (opt.json) {
		printf("{\"ok\": %s, \"seed\": \"%#" PRIx64 "\", \"cases\": %" PRIu64
		       ", \"errors\": %" PRIu64 ", \"requests\": %" PRIu64 ", \"bytes\": %" PRIu64
		       ", \"mtu\": %u, \"windows\": %s, \"ops\": {",
		       rc ? "false" : "true", opt.seed, done.cases, done.errors, done.requests,
		       done.bytes, l->mtu, l->windows ? "true" : "false");
		for (int i = 0; i < OP_COUNT; i++)
			printf("%s\"%s\": %" PRIu64, i ? ", " : "", op_names[i], done.per_op[i]);
		printf("}}\n");
	} else if (!rc) {
		printf("seed %#" PRIx64 ": %" PRIu64 " cases, %" PRIu64 " requests, %" PRIu64
		       " bytes, %" PRIu64 " errors: all as they should be\n",
		       opt.seed, done.cases, done.requests, done.bytes, done.errors);
	}
	if (rc) {
		fprintf(stderr, "%s\n", *failure ? failure : "failed");
		if (!opt.errors)
			fprintf(stderr,
				"again: --seed %#" PRIx64 " --first %" PRIu64
				" --cases 1, and the same other options\n",
				opt.seed, opt.first + done.cases);
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Random verbs between two ends, each byte of both checked.  "
		       "In one process by default.\v"
		       "Exits with 0 if all was as it should be, 1 if not, 2 for bad arguments.",
	};
	static struct end ends[2];
	static struct hello hello[2];
	struct end *a, *b;
	struct limits l = {};
	int fd = -1, rc = 1;

	argp_err_exit_status = 2;
	opt.seed = time(NULL);
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (!opt.device[1])
		opt.device[1] = opt.device[0];
	if (opt.server || opt.connect) {
		opt.device[1] = opt.device[0];
		opt.gid_index[1] = opt.gid_index[0];
	} else if (opt.device[0] == opt.device[1] && opt.gid_index[1] < 0) {
		opt.gid_index[1] = opt.gid_index[0];
	}
	a = opt.server ? NULL : &ends[0];
	b = opt.connect ? NULL : &ends[1];

	for (int i = 0; i < 2; i++) {
		if (!(i ? b : a))
			continue;
		hello[i].magic = MAGIC;
		hello[i].qps = opt.qps;
		hello[i].requests = opt.requests;
		hello[i].types = opt.types;
		hello[i].ops = opt.ops;
		hello[i].seed = opt.seed;
		hello[i].first = opt.first;
		hello[i].cases = opt.cases;
		hello[i].sweep = opt.sweep;
		hello[i].errors = opt.errors;
		hello[i].max_size = opt.max_size;
		if (end_open(&ends[i], i, opt.max_size * 2 + ARENA_EXTRA) ||
		    end_create(&ends[i], &hello[i]))
			goto out;
	}
	if (!a || !b) {
		int me = a ? 0 : 1;

		fd = a ? control_connect(opt.connect, opt.tcp_port, opt.timeout) :
			 control_listen(opt.tcp_port);
		if (fd < 0 || control_send(fd, &hello[me], sizeof(hello[me])) ||
		    control_recv(fd, &hello[!me], sizeof(hello[!me])) ||
		    agree(&hello[me], &hello[!me]))
			goto out;
	}
	common(&hello[0], &hello[1], &l);
	for (int i = 0; i < 2; i++) {
		if (!(i ? b : a))
			continue;
		ends[i].peer = hello[!i];
		ends[i].peer.mtu = l.mtu;
		if (connect_all(&ends[i]))
			goto out;
	}
	rc = run_all(a, b, fd, &l) ? 1 : 0;
	report(rc, &l);
out:
	for (int i = 0; i < 2; i++)
		end_close(&ends[i]);
	if (fd >= 0)
		close(fd);
	return rc;
}
