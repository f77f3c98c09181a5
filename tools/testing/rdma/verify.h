/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ernic-verify: random verbs between two ends, each byte of both checked.
 *
 * A case is made from the seed and its number alone.  Both ends make the same one,
 * so that in two processes they only have to agree when to start and what came out.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#define __printf(a, b) __attribute__((format(printf, a, b)))

#define MAX_SGE 8
#define MAX_WRS 64
#define GRH_BYTES 40

enum op {
	OP_SEND,
	OP_SEND_IMM,
	OP_SEND_INV,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_CMP_SWAP,
	OP_FETCH_ADD,
	OP_COUNT,
};

enum type { TYPE_RC, TYPE_UC, TYPE_UD, TYPE_COUNT };

extern const char *const op_names[OP_COUNT];
extern const char *const type_names[TYPE_COUNT];

struct seg {
	uint64_t off;
	uint32_t len;
};

/* through which key the responder's memory is named */
enum window { WINDOW_NONE, WINDOW_TYPE1, WINDOW_TYPE2 };

struct request {
	enum op op;
	uint32_t len;
	int nlocal; /* requester's memory */
	struct seg local[MAX_SGE];
	int nrecv; /* responder's receive buffer, if the operation takes one */
	struct seg recv[MAX_SGE];
	uint64_t remote; /* responder's memory, of one-sided operations */
	enum window window;
	bool inlined, signalled, solicited, fence;
	uint32_t imm;
	uint64_t compare, swap, initial;
};

struct test_case {
	uint64_t number;
	enum type type;
	int qp; /* which pair of its type */
	bool events; /* wait for completion events rather than poll */
	bool chained; /* one call of ibv_post_send, not one for each */
	int n;
	struct request req[MAX_WRS];
	uint64_t used[2]; /* bytes of the arenas */
};

/* What one end must know of the other; sent as it is, both ends are of one build. */
struct hello {
	uint32_t magic, qps, requests, pad;
	uint64_t seed, first, cases, max_size, addr;
	uint32_t types, ops, mtu, max_sge, max_inline, sweep, errors;
	uint32_t rkey, rkey_local, rkey_read, rkey_write, rkey_foreign;
	uint32_t has_windows, atomics;
	union ibv_gid gid;
	uint32_t qpn[TYPE_COUNT][256];
	uint32_t psn;
};

struct pair {
	struct ibv_qp *qp;
	struct ibv_mw *mw[3]; /* by enum window */
	bool bound2;
};

struct end {
	const char *name;
	struct ibv_context *ctx;
	struct ibv_pd *pd, *pd2;
	struct ibv_comp_channel *chan;
	struct ibv_cq *scq, *rcq;
	struct ibv_mr *mr, *mr_local, *mr_read, *mr_write, *mr_foreign;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	int port, gid_index;
	union ibv_gid gid;
	uint8_t *arena, *image; /* what is, and what ought to be */
	uint64_t size;
	uint32_t max_inline, max_sge;
	struct pair *pairs[TYPE_COUNT];
	struct ibv_ah *ah;
	struct hello peer;
	unsigned int unacked;
};

struct options {
	const char *device[2];
	int gid_index[2];
	int port;
	uint64_t seed, first, cases, max_size, spoil;
	uint32_t types, ops, mtu;
	int qps, requests;
	bool windows, rxe, sweep, errors, json, verbose, server;
	const char *connect;
	int tcp_port, timeout;
};

/* verbs return their errors rather than set errno */
static inline bool failed(int err)
{
	errno = err;
	return err;
}

extern struct options opt;

/* rand.c */
struct rng {
	uint64_t s;
};
uint64_t mix(uint64_t x);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);
bool rng_chance(struct rng *r, int percent);
void pattern_fill(uint8_t *p, uint64_t key, uint64_t off, uint64_t len);
uint32_t crc32c(uint32_t crc, const uint8_t *p, uint64_t len);

/* case.c */
struct limits {
	uint64_t max_size, arena;
	uint32_t types, ops, mtu, max_sge, max_inline;
	int qps, requests;
	bool windows, atomics;
};
uint64_t sweep_cases(const struct limits *l);
void case_make(struct test_case *c, const struct limits *l, uint64_t seed, uint64_t number,
	       bool sweep);
void case_print(const struct test_case *c);
uint64_t data_key(const struct test_case *c, int i);
bool takes_receive(enum op op);

/* end.c */
int end_open(struct end *e, int which, uint64_t size);
void end_close(struct end *e);
int end_create(struct end *e, struct hello *h);
int end_connect(struct end *e, enum type t, int i);
int end_reset(struct end *e, enum type t, int i);
/* sets *wc; 0, or -1 after the time-out */
int end_poll(struct end *e, struct ibv_cq *cq, struct ibv_wc *wc, bool events, int ms);

/* run.c: the phases of a case, requester (a) and responder (b) */
struct outcome {
	uint32_t crc[MAX_WRS];
	uint32_t rkey[3]; /* of windows */
};
int b_prepare(struct end *e, const struct test_case *c, struct outcome *o);
int a_run(struct end *e, const struct test_case *c, struct outcome *o);
int b_finish(struct end *e, const struct test_case *c, const struct outcome *o);
void fail(const char *fmt, ...) __printf(1, 2);
int image_check(struct end *e, uint64_t used);
void image_background(struct end *e, uint64_t used, uint64_t key);

/* error.c: what must fail, and how */
int errors_count(void);
const char *error_name(int i);
bool error_applies(int i, const struct hello *peer);
int error_b_prepare(struct end *e, int i);
int error_a_run(struct end *e, int i);
int error_b_finish(struct end *e, int i);

/* control.c: two processes */
int control_listen(int port);
int control_connect(const char *host, int port, int seconds);
int control_send(int fd, const void *p, size_t n);
int control_recv(int fd, void *p, size_t n);

#endif
