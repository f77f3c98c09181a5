/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to drivers/ernic/rdma.
 *
 * Who moves data.  A QP belongs to one worker of its device.  The worker of the
 * sender does all: it takes the work request, finds the peer, copies from the
 * sender's pages to the receiver's and writes the completions of both sides.
 * What it touches of the peer is under the peer's rq_lock.
 *
 * Lock order, outermost first; a lock of two devices is never held twice but for
 * the second, which is the peer's:
 *
 *	edev->state_lock
 *	rdma->aq_lock		commands
 *	qp->sq_lock		requester
 *	qp->rq_lock		responder, most often the peer's
 *	rdma->mr_lock		changes of the table of regions
 *	cq->lock		completion ring
 *	eq->lock		event ring
 *	edev->dma.srcu, edev->dma.lock
 *	edev->cmb.lock
 *	spinlocks: group->lock, cq->db_lock, gid table
 *
 * qp->state changes under both locks of the QP, and so is stable under either.  A
 * responder that has to fail its QP holds only rq_lock, where the other one would
 * come too late in the order: it marks the QP (ERNIC_QP_FAIL) for its own worker.
 *
 * Objects are found by number in an xarray under RCU, and used with a reference.
 * Whoever destroys one takes it out and waits for the last reference, so nothing
 * of the guest's memory behind it is touched afterwards.  References are held for
 * one slice of a message at most.
 *
 * A device is used by peers under rdma->users, which ends when it is closed.
 */
#ifndef ERNIC_RDMA_ENGINE_H
#define ERNIC_RDMA_ENGINE_H

#include <linux/completion.h>
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <ernic/dev.h>
#include <ernic/rdma.h>
#include <ionic/rdma.h>
#include <ionic/rdma_admin.h>

struct ernic_rqp;
struct ernic_rcq;
struct ernic_express;

/* one turn of a QP, so that others of its worker and locks are not kept waiting */
#define ERNIC_RDMA_WEIGHT_WQES	64
#define ERNIC_RDMA_WEIGHT_BYTES	(512 * 1024)
/* how much is copied while the pins of both guests are held */
#define ERNIC_RDMA_SLICE	(128 * 1024)

/* ---- objects --------------------------------------------------------------- */

/**
 * struct ernic_obj - what can be found while it is being destroyed
 * @ref: one is the table's
 * @gone: told when the last reference goes
 */
struct ernic_obj {
	struct rcu_head rcu;
	refcount_t ref;
	struct completion *gone;
};

static inline void ernic_obj_init(struct ernic_obj *o)
{
	refcount_set(&o->ref, 1);
}

static inline bool ernic_obj_tryget(struct ernic_obj *o)
{
	return refcount_inc_not_zero(&o->ref);
}

static inline void ernic_obj_put(struct ernic_obj *o)
{
	if (refcount_dec_and_test(&o->ref))
		complete(o->gone);
}

/* the object is out of its table; nobody uses it on return, RCU readers may look */
static inline void ernic_obj_retire(struct ernic_obj *o)
{
	DECLARE_COMPLETION_ONSTACK(gone);

	o->gone = &gone;
	ernic_obj_put(o);
	wait_for_completion(&gone);
}

/* ---- memory ---------------------------------------------------------------- */

/**
 * struct ernic_pgtbl - where an object lies in guest memory
 * @count: pages; 0: nowhere, 1: contiguous from @addr on
 * @shift: log2 of the size of a page, if there are several
 * @off: first byte of the object in its first page
 * @page: addresses, if there are several
 */
struct ernic_pgtbl {
	u64 addr;
	u64 off;
	u32 count;
	u8 shift;
	u64 *page;
};

int ernic_pgtbl_read(struct ernic_rdma *rdma, struct ernic_pgtbl *pt, u64 addr,
		     u32 count, unsigned int shift, u64 off, u64 len);
void ernic_pgtbl_free(struct ernic_rdma *rdma, struct ernic_pgtbl *pt);

/**
 * ernic_pgtbl_iova - guest address of a byte
 * @pt: table that covers it
 * @pos: offset in the object
 * @len: in: bytes wanted; out: bytes that follow without a gap
 */
static inline u64 ernic_pgtbl_iova(const struct ernic_pgtbl *pt, u64 pos,
				   size_t *len)
{
	u64 size, in;

	if (pt->count == 1)
		return pt->addr + pos;
	pos += pt->off;
	size = 1ULL << pt->shift;
	in = pos & (size - 1);
	*len = min_t(u64, *len, size - in);
	return pt->page[pos >> pt->shift] + in;
}

/**
 * struct ernic_ring - ring of the guest's
 * @mask: entries less one
 */
struct ernic_ring {
	struct ernic_pgtbl pt;
	u8 depth_log2;
	u8 stride_log2;
	u16 mask;
};

/**
 * struct ernic_mr - memory region or window; never changes once it can be found
 * @key: all 32 bits
 * @flags: ION_MRF_*
 * @free: a region for fast registration without memory, or an unbound window
 * @parent: key of the region that a window is bound to
 * @qpn: QP that may use a window of type 2
 * @pos: of a window: offset of its first byte in the parent
 */
struct ernic_mr {
	struct ernic_obj obj;
	u32 key;
	u32 pd;
	u16 flags;
	bool free;
	u32 parent;
	u32 qpn;
	u64 va;
	u64 len;
	u64 pos;
	struct ernic_pgtbl pt;
};

/**
 * struct ernic_seg - resolved scatter-gather element
 * @mr: region, with a reference; NULL: @pos is a guest address
 */
struct ernic_seg {
	struct ernic_mr *mr;
	u64 pos;
	u32 len;
};

/**
 * struct ernic_sgl - resolved list: memory of one device, or bytes of a WQE
 * @data: inline data, instead of @seg
 * @total: bytes
 */
struct ernic_sgl {
	struct ernic_dev *edev;
	const u8 *data;
	u32 total;
	u8 n;
	struct ernic_seg seg[ION_RDMA_MAX_SGE];
};

/* ---- events and completions ------------------------------------------------- */

/**
 * struct ernic_eq - event queue
 * @lock: all but @on
 * @on: created; changes while no CQ is there
 * @prod: entries written
 * @held: CQs with an event for which there was no room
 */
struct ernic_eq {
	struct mutex lock;		/* see above */
	bool on;
	u8 depth_log2;
	u16 vec;
	u32 prod;
	u64 base;
	struct list_head held;
};

/**
 * struct ernic_rcq - completion queue
 * @lock: the ring, and @held
 * @db_lock: @prod, @cons, @reserved and all about arming; any context
 * @prod: entries written
 * @cons: entries that the guest said it consumed
 * @reserved: entries promised to operations that run
 * @sol_pos: value of @prod behind the newest solicited entry
 * @users: queues that complete here; aq_lock
 * @overrun: an entry was lost
 * @ready: in the list of its worker, with ERNIC_CQ_READY
 * @hold: in eq->held
 */
struct ernic_rcq {
	struct ernic_obj obj;
	struct ernic_rdma *rdma;
	struct ernic_group *group;
	u32 id;
	u16 dbid;
	u8 eq;
	bool admin;
	bool overrun;
	u32 users;
	struct ernic_ring ring;

	struct mutex lock;		/* see above */
	struct list_head hold;

	spinlock_t db_lock;		/* see above */
	u32 prod;
	u32 cons;
	u32 reserved;
	u32 sol_pos;
	u16 arm_any;
	u16 arm_sol;
	bool armed_any;
	bool armed_sol;

	struct list_head ready;
	unsigned long events;
};

#define ERNIC_CQ_READY		0

/* ---- addresses --------------------------------------------------------------- */

/**
 * struct ernic_av - address vector, from a header template
 * @sgid: own address, ::ffff:a.b.c.d for IPv4
 * @dgid: the peer's
 * @tci: of the VLAN tag, if there is one
 * @raw: template
 */
struct ernic_av {
	u8 dmac[ETH_ALEN];
	u8 smac[ETH_ALEN];
	u8 sgid[16];
	u8 dgid[16];
	bool ipv4;
	bool vlan;
	u16 tci;
	u8 tclass;
	u8 hop_limit;
	u32 flow;
	u8 raw_len;
	u8 raw[66];
};

struct ernic_ah {
	struct ernic_obj obj;
	u32 pd;
	struct ernic_av av;
	struct ernic_gid_ref *gid;
};

/**
 * struct ernic_route - where an address led the last time
 * @to: device; may be gone, which @gen says
 * @gen: of the table of addresses
 */
struct ernic_route {
	struct ernic_rdma *to;
	unsigned long gen;
};

/* ---- queue pairs --------------------------------------------------------------- */

enum {
	ERNIC_QP_READY,		/* in the list of its worker */
	ERNIC_QP_FAIL,		/* the responder failed; see struct ernic_rqp */
	ERNIC_QP_COMM_EST,	/* the guest was told of the first message */
};

/**
 * struct ernic_req - work request that is being executed
 * @active: @wqe is valid; not yet completed
 * @express: the last 8 bytes of @wqe were its doorbell
 * @held: entries of the send CQ that are promised to it
 * @off: bytes that the peer has
 * @wait: do nothing before @until, unless the QP changes state
 * @retries: left before the peer counts as dead
 * @rnr: left before the peer counts as not ready
 * @wqe: private copy, as long as the stride
 */
struct ernic_req {
	bool active;
	bool express;
	bool wait;
	u8 held;
	u8 retries;
	u8 rnr;
	u32 off;
	ktime_t until;
	u8 *wqe;
};

/**
 * struct ernic_rx - receive request that a message goes to
 * @active: @wqe was taken off the queue, and an entry of the CQ is promised to it
 */
struct ernic_rx {
	bool active;
	u8 *wqe;
};

/**
 * struct ernic_rqp - queue pair
 * @sq_lock: requester: @sq_cons, @req, @msn, attributes
 * @rq_lock: responder: @rq_cons, @rx, @rq_failed
 * @state: enum ion_rdma_qp_state; both locks to change it
 * @flags: ION_QPF_*, of creation
 * @access: ION_QPF_REMOTE_*, by MODIFY_QP
 * @rq_failed: the responder failed, nothing more is received
 * @rq_told: a receive was completed in error
 * @fail_event: ION_EQE_QP_* that goes with ERNIC_QP_FAIL
 * @flush_sq: the flush completion of the send queue is due
 * @flush_rq: the flush completion of the receive queue is due
 * @express: the send queue is in controller memory and not in @sq.pt; or NULL
 * @sq_prod: newest producer index rung; vCPUs store it without a lock
 * @msn: remote operations completed
 * @msn_told: value of @msn in the newest completion
 * @drain_told: the event of SQD was posted
 * @way: to the peer, sq_lock
 * @back: the same, for those that come from there, rq_lock
 */
struct ernic_rqp {
	struct ernic_obj obj;
	struct ernic_rdma *rdma;
	struct ernic_group *group;
	u32 id;
	u32 pd;
	u16 dbid;
	u8 type;
	u8 state;
	u32 flags;
	u16 access;
	bool gsi;
	bool dead;
	struct ernic_rcq *scq;
	struct ernic_rcq *rcq;

	/* attributes */
	u32 dest_qpn;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
	u32 rate_kbps;
	u32 ah_id;
	u16 pkey_id;
	u8 pmtu;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 rnr_timer;
	u8 timeout;
	u8 rsq_depth;
	u8 rrq_depth;
	bool has_av;
	struct ernic_av av;
	struct ernic_gid_ref *gid;

	struct mutex sq_lock;		/* see above */
	struct ernic_ring sq;
	struct ernic_express *express;
	u16 sq_prod;
	u16 sq_cons;
	u32 msn;
	u32 msn_told;
	bool flush_sq;
	bool drain_told;
	struct ernic_route way;
	struct ernic_req req;

	struct mutex rq_lock;		/* see above */
	struct ernic_ring rq;
	u16 rq_prod;
	u16 rq_cons;
	bool flush_rq;
	bool rq_failed;
	bool rq_told;
	u8 fail_event;
	struct ernic_route back;
	struct ernic_rx rx;

	struct list_head ready;
	unsigned long events;
	struct hrtimer timer;

	u64 stats[16];
};

/**
 * struct ernic_group - QPs and CQs that share a worker
 * @check_lock: held from taking a CQ off the list until its event is posted; outside
 *	cq->lock
 * @lock: lists; any context
 */
struct ernic_group {
	struct ernic_rdma *rdma;
	struct ernic_worker worker;
	struct mutex check_lock;	/* see above */
	spinlock_t lock;		/* lists */
	struct list_head qps;
	struct list_head cqs;
};

/**
 * struct ernic_aq - admin queue
 * @prod: newest index rung, in strides
 */
struct ernic_aq {
	bool on;
	bool error;
	u32 id;
	u64 base;
	u16 mask;
	u16 prod;
	u16 cons;
	struct ernic_rcq *cq;
};

#define ERNIC_RDMA_STAT_FIRST	ION_LIF_STAT_tx_rdma_ucast_bytes
#define ERNIC_RDMA_STATS	(ION_LIF_STAT_rdma_resp_tx_rnr_retry_err + 1 - \
				 ERNIC_RDMA_STAT_FIRST)

/**
 * struct ernic_rdma - RDMA engine of a device
 * @aq_lock: commands: tables of objects, @aq, @nqps
 * @mr_lock: changes of @mrs and @pages
 * @users: peers that use this device; dead while no VMM has it open
 * @on: set up by the guest's driver; aq_lock
 * @pages: entries in page tables of regions, see ernic_profile.rdma_pages
 * @ngroups: workers; started at the first CREATE_EQ
 * @domain: devices of another one are not reached
 * @copied: bytes that were written to this device's memory or on the way there
 * @stats: counters of the LIF from ERNIC_RDMA_STAT_FIRST on
 */
struct ernic_rdma {
	struct ernic_dev *edev;
	struct mutex aq_lock;		/* see above */
	struct mutex mr_lock;		/* see above */
	struct percpu_ref users;
	struct completion users_gone;
	bool on;
	bool threads;
	struct xarray qps;
	struct xarray cqs;
	struct xarray mrs;
	struct xarray ahs;
	u32 nqps, ncqs, nmrs, nahs;
	atomic64_t pages;
	struct ernic_eq eq[ERNIC_RDMA_MAX_EQS];
	struct timer_list eq_timer;
	struct ernic_aq aq;
	struct ernic_worker aq_worker;
	unsigned int ngroups;
	struct ernic_group group[ERNIC_RDMA_MAX_WORKERS];
	enum ernic_rdma_backend backend;
	char domain[ERNIC_RDMA_DOMAIN_LEN];
	unsigned long rescan;
	unsigned int gid_count;
	atomic64_t copied;
	atomic64_t stats[ERNIC_RDMA_STATS];
};

static inline void ernic_rdma_count(struct ernic_rdma *rdma,
				    enum ion_lif_stat stat, u64 n)
{
	atomic64_add(n, &rdma->stats[stat - ERNIC_RDMA_STAT_FIRST]);
}

/* per-QP counters, stats.c */
enum ernic_qp_stat {
	ERNIC_QPS_TX_MSGS,
	ERNIC_QPS_TX_BYTES,
	ERNIC_QPS_RX_MSGS,
	ERNIC_QPS_RX_BYTES,
	ERNIC_QPS_RNR_SENT,
	ERNIC_QPS_RNR_RCVD,
	ERNIC_QPS_RETRIES,
	ERNIC_QPS_REQ_ERRS,
	ERNIC_QPS_RESP_ERRS,
	ERNIC_QPS_RX_DROPS,
	ERNIC_QPS_COUNT,
};

static_assert(ERNIC_QPS_COUNT <= 16);

/* eq.c */
int ernic_eq_post(struct ernic_rdma *rdma, unsigned int eq, u8 type, u8 code,
		  u32 id, struct ernic_rcq *cq);
void ernic_eq_settle(struct ernic_rdma *rdma);
void ernic_eq_retry(struct ernic_rdma *rdma);
void ernic_eq_off(struct ernic_rdma *rdma);
void ernic_eq_qp_event(struct ernic_rqp *qp, u8 code);
void ernic_eq_timer(struct timer_list *t);

/* cq.c */
struct ernic_rcq *ernic_cq_get(struct ernic_rdma *rdma, u32 id);
bool ernic_cq_reserve(struct ernic_rcq *cq);
void ernic_cq_release(struct ernic_rcq *cq);
int ernic_cq_post(struct ernic_rcq *cq, struct ion_v1_cqe *cqe, bool solicited,
		  bool reserved);
void ernic_cq_doorbell(struct ernic_rcq *cq, unsigned int ring, u16 index);
void ernic_cq_check(struct ernic_rcq *cq);
void ernic_cq_schedule(struct ernic_rcq *cq);
u8 ernic_cq_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_cq_destroy(struct ernic_rdma *rdma, u32 id);
void ernic_cq_destroy_all(struct ernic_rdma *rdma);

/* aq.c */
bool ernic_aq_poll(struct ernic_worker *w);

/* mr.c */
u8 ernic_mr_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_mr_destroy(struct ernic_rdma *rdma, u32 key);
void ernic_mr_destroy_all(struct ernic_rdma *rdma);
struct ernic_mr *ernic_mr_get(struct ernic_rdma *rdma, u32 key);
void ernic_mr_put(struct ernic_mr *mr);
u8 ernic_mr_seg(struct ernic_rqp *qp, u32 key, u64 va, u32 len, u16 access,
		bool remote, struct ernic_seg *seg);
u8 ernic_mr_reg(struct ernic_rqp *qp, const struct ion_v1_wqe *wqe);
u8 ernic_mr_invalidate(struct ernic_rqp *qp, u32 key);
u8 ernic_mr_bind(struct ernic_rqp *qp, const struct ion_v1_wqe *wqe);

/* sgl.c */
void ernic_sgl_put(struct ernic_sgl *sgl);
u8 ernic_sgl_resolve(struct ernic_rqp *qp, struct ernic_sgl *sgl,
		     const struct ion_sge *sge, unsigned int n, u16 access);
int ernic_sgl_copy(const struct ernic_sgl *to, u32 to_off,
		   const struct ernic_sgl *from, u32 from_off, u32 len);
int ernic_sgl_atomic(const struct ernic_sgl *at, bool swap, u64 operand,
		     u64 compare, u64 *old);

/* ah.c */
int ernic_av_parse(struct ernic_av *av, const u8 *raw, unsigned int len);
void ernic_av_grh(const struct ernic_av *av, u8 *grh, u32 payload);
u8 ernic_av_read(struct ernic_rdma *rdma, struct ernic_av *av, u64 addr,
		 u32 len);
u8 ernic_ah_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_ah_query(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_ah_destroy(struct ernic_rdma *rdma, u32 id);
void ernic_ah_destroy_all(struct ernic_rdma *rdma);
struct ernic_ah *ernic_ah_get(struct ernic_rdma *rdma, u32 id);

/* gid.c */
struct ernic_gid_ref *ernic_gid_learn(struct ernic_rdma *rdma, const u8 *gid,
				      const u8 *mac, bool hold);
void ernic_gid_put(struct ernic_rdma *rdma, struct ernic_gid_ref *ref);
void ernic_gid_forget(struct ernic_rdma *rdma);
bool ernic_gid_age(unsigned long now);
struct ernic_rdma *ernic_gid_route(struct ernic_rdma *from,
				   const struct ernic_av *av);
struct ernic_rdma *ernic_gid_way(struct ernic_rdma *from,
				 const struct ernic_av *av,
				 struct ernic_route *route);
void ernic_gid_changed(void);

/* qp.c */
struct ernic_rqp *ernic_qp_get(struct ernic_rdma *rdma, u32 id);
void ernic_qp_schedule(struct ernic_rqp *qp);
void ernic_qp_delay(struct ernic_rqp *qp, ktime_t delay);
bool ernic_group_poll(struct ernic_worker *w);
bool ernic_group_forget(struct ernic_group *g, struct list_head *ready);
u8 ernic_qp_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_qp_destroy(struct ernic_rdma *rdma, u32 id);
u8 ernic_qp_destroy_settled(struct ernic_rdma *rdma, u32 id);
void ernic_qp_destroy_all(struct ernic_rdma *rdma);

/* qp_state.c */
void ernic_qp_init_attrs(struct ernic_rqp *qp);
void ernic_qp_forget(struct ernic_rqp *qp);
u8 ernic_qp_modify(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_qp_query(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
bool ernic_qp_move_ok(u8 type, u8 from, u8 to);
void ernic_qp_error(struct ernic_rqp *qp, bool sq_told, bool rq_told);
void ernic_qp_flush(struct ernic_rqp *qp);
void ernic_qp_fail(struct ernic_rqp *qp, u8 event);
void ernic_qp_failed(struct ernic_rqp *qp);

/* wqe.c */
enum ernic_op {
	ERNIC_OP_NONE,
	ERNIC_OP_SEND,
	ERNIC_OP_WRITE,
	ERNIC_OP_READ,
	ERNIC_OP_SWAP,
	ERNIC_OP_ADD,
	ERNIC_OP_REG_MR,
	ERNIC_OP_LOCAL_INV,
	ERNIC_OP_BIND_MW,
};

/**
 * struct ernic_op_desc - one opcode
 * @op: what it does
 * @imm: carries immediate data
 * @inv: invalidates a key of the peer's
 * @recv: consumes a receive request of the peer
 * @types: BIT(ION_QPT_*) that may have it
 */
struct ernic_op_desc {
	u8 op;
	bool imm;
	bool inv;
	bool recv;
	u8 types;
};

const struct ernic_op_desc *ernic_op_find(unsigned int version, u8 opcode);
u8 ernic_wqe_sges(size_t size, const u8 *buf,
		  const struct ion_sge **sge, unsigned int *n);
int ernic_ring_read(struct ernic_rdma *rdma, const struct ernic_ring *ring,
		    u16 index, void *wqe);

/* express.c; but for the first three of a QP that has one, under sq_lock */
int ernic_express_create(struct ernic_rqp *qp, u64 addr);
void ernic_express_destroy(struct ernic_rqp *qp);
void ernic_express_reset(struct ernic_rqp *qp);
bool ernic_express_ready(const struct ernic_rqp *qp);
void ernic_express_read(struct ernic_rqp *qp, bool express);
void ernic_express_skip(struct ernic_rqp *qp);
bool ernic_express_linger(struct ernic_rqp *qp);

static inline bool ernic_op_is_local(const struct ernic_op_desc *d)
{
	return d->op >= ERNIC_OP_REG_MR;
}

/**
 * enum ernic_step - what came of a turn of a request
 * @ERNIC_STEP_DONE: it is complete, as is its completion
 * @ERNIC_STEP_MORE: a slice of it
 * @ERNIC_STEP_WAIT: nothing can be done before req.until
 * @ERNIC_STEP_STOP: the QP has failed, or DMA is off
 */
enum ernic_step {
	ERNIC_STEP_DONE,
	ERNIC_STEP_MORE,
	ERNIC_STEP_WAIT,
	ERNIC_STEP_STOP,
};

/* requester.c */
bool ernic_req_poll(struct ernic_rqp *qp);
void ernic_req_skip(struct ernic_rqp *qp);
enum ernic_step ernic_req_wait(struct ernic_rqp *qp, ktime_t delay);
void ernic_req_done(struct ernic_rqp *qp, u32 bytes);
enum ernic_step ernic_req_fail_local(struct ernic_rqp *qp, u8 status);
enum ernic_step ernic_req_fail_remote(struct ernic_rqp *qp, u8 status);
u8 ernic_req_sgl(struct ernic_rqp *qp, const struct ernic_op_desc *d,
		 struct ernic_sgl *sgl);

/* connected.c */
enum ernic_step ernic_conn_step(struct ernic_rqp *qp,
				const struct ernic_op_desc *d, u32 *bytes);

/* requester.c */
ktime_t ernic_rnr_delay(u8 timer);
ktime_t ernic_ack_delay(u8 timeout);

/* responder.c */
enum ernic_rx_result {
	ERNIC_RX_OK,
	ERNIC_RX_RNR,		/* no receive request */
	ERNIC_RX_CQ_FULL,	/* no room to complete one */
	ERNIC_RX_DMA_OFF,
	ERNIC_RX_TOO_LONG,	/* for the receive request */
	ERNIC_RX_BAD,		/* the receive request is */
};

enum ernic_rx_result ernic_rx_begin(struct ernic_rqp *qp);
void ernic_rx_no_request(struct ernic_rqp *qp);
enum ernic_rx_result ernic_rx_sgl(struct ernic_rqp *qp, u32 len,
				  struct ernic_sgl *sgl);
bool ernic_rx_peer(struct ernic_rqp *qp, const struct ernic_rqp *from);
void ernic_rx_complete(struct ernic_rqp *qp, u32 op, u32 src_qpn, u32 len,
		       __be32 imm, const struct ernic_av *av, bool solicited);
void ernic_rx_error(struct ernic_rqp *qp, u8 status);

/* completion.c */
void ernic_comp_remote(struct ernic_rqp *qp, bool signalled, u8 status);
void ernic_comp_local(struct ernic_rqp *qp, u64 wqe_id, u8 status);
bool ernic_comp_hold(struct ernic_rqp *qp, unsigned int n);
void ernic_comp_drop(struct ernic_rqp *qp);
bool ernic_comp_flush_sq(struct ernic_rqp *qp);
bool ernic_comp_flush_rq(struct ernic_rqp *qp);

/* datagram.c */
u32 ernic_ib_mtu(u32 mtu);
u8 ernic_ud_send(struct ernic_rqp *qp, const struct ernic_op_desc *d,
		 u32 *bytes);

/* stats.c */
u8 ernic_stats_hdrs(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_stats_vals(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
u8 ernic_qp_stats_hdrs(struct ernic_rdma *rdma,
		       const struct ion_admin_wqe *wqe);
u8 ernic_qp_stats_vals(struct ernic_rdma *rdma,
		       const struct ion_admin_wqe *wqe);

#endif
