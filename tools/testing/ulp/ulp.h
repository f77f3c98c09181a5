/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ernic_ulp: a small user of kernel verbs that tests what is below it.
 *
 *	echo "TEST DEVICE DEVICE [SEED]" >/sys/kernel/debug/ernic_ulp/run
 *
 * fails with the test; "result" in that directory says why.
 */
#ifndef ERNIC_ULP_H
#define ERNIC_ULP_H

#include <linux/completion.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define ULP_PAGES 64
#define ULP_DEPTH 128
#define ULP_QKEY 0x11e40a1
#define ULP_TIMEOUT (10 * HZ)

/* A work request and what became of it. */
struct ulp_op {
	struct ib_cqe cqe;
	struct completion done;
	struct ib_wc wc;
};

struct ulp_end {
	const char *name;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	const struct ib_gid_attr *gid;
	unsigned long events; /* BIT(IB_EVENT_...), of the queue pair */
	struct page *pages[ULP_PAGES];
	u64 dma[ULP_PAGES];
	struct ib_mr *mr;
	struct scatterlist sg[ULP_PAGES];
	int nsg;
	/* the driver takes the device away: nothing of it may write here any more */
	bool gone;
};

struct ulp {
	struct ulp_end a, b;
	struct rnd_state rnd;
	/* of queues; 0: ULP_DEPTH */
	int depth;
	/* the device of an end goes */
	struct completion going;
	/* in turn: what a test that failed has left behind may still complete */
	struct ulp_op ops[4 * ULP_DEPTH];
	unsigned int next;
	char why[256];
};

struct ulp_test {
	const char *name;
	int (*run)(struct ulp *u);
	enum ib_poll_context poll;
};

/* notes the first reason of a failure; returns -EIO */
__printf(2, 3) int ulp_fail(struct ulp *u, const char *fmt, ...);
void ulp_done(struct ib_cq *cq, struct ib_wc *wc);
void ulp_op_init(struct ulp_op *op);
struct ulp_op *ulp_op(struct ulp *u);
/* waits for it; 0 if its status is the one wanted */
int ulp_wait(struct ulp *u, struct ulp_end *e, struct ulp_op *op, enum ib_wc_status want, const char *what);

int ulp_end_open(struct ulp *u, struct ulp_end *e, const char *name, struct ib_device *dev,
		 enum ib_poll_context poll);
void ulp_end_close(struct ulp_end *e);
/* queue pairs of both ends, connected unless they are of type UD */
int ulp_connect(struct ulp *u, enum ib_qp_type type, u8 rnr_retry);
void ulp_disconnect(struct ulp *u);
/* ERR, RESET and all the way up again */
int ulp_reconnect(struct ulp *u, u8 rnr_retry);
/* from RESET up to a state */
int ulp_modify(struct ulp *u, struct ulp_end *e, struct ulp_end *peer, enum ib_qp_state last, u8 rnr_retry);
int ulp_state_is(struct ulp *u, struct ulp_end *e, enum ib_qp_state want);

/* memory of an end, as if its pages lay one after the other */
void ulp_fill(struct ulp_end *e, size_t off, size_t len, u32 key);
/* whether it has what ulp_fill with that key and position would have put there */
bool ulp_holds(struct ulp_end *e, size_t off, size_t len, u32 key, size_t pos);
/* SGEs for it; returns their number, at most max */
int ulp_sges(struct ulp_end *e, struct ib_sge *sge, int max, size_t off, size_t len);

/* REG_MR over the memory from off on; the work request and the key */
int ulp_map(struct ulp *u, struct ulp_end *e, size_t off, size_t len, int access, struct ib_reg_wr *wr);
void ulp_unmap(struct ulp_end *e);
int ulp_post(struct ulp *u, struct ulp_end *e, const struct ib_send_wr *wr);
int ulp_recv(struct ulp *u, struct ulp_end *e, struct ulp_op *op, struct ib_sge *sge, int n);
int ulp_invalidate(struct ulp *u, struct ulp_end *e, u32 key, enum ib_wc_status want);

/*
 * Where test and script meet (file "step"): the test says where it is; or that it has come
 * to @at, and waits for the script to say @to.
 */
void ulp_at(u32 step);
int ulp_meet(struct ulp *u, u32 at, u32 to);

/* the provider that the tests are tested with has its own ways here and there */
static inline bool ulp_is_rxe(const struct ulp *u)
{
	return u->a.dev->ops.driver_id == RDMA_DRIVER_RXE;
}

extern const struct ulp_test ulp_basic[], ulp_memory[], ulp_state[], ulp_load[];

#endif
