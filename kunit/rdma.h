/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest's RDMA driver for the suites: it sets the device up through its registers,
 * admin queues and doorbells, and knows no more of it than a driver does.
 */
#ifndef ERNIC_KUNIT_RDMA_H
#define ERNIC_KUNIT_RDMA_H

#include <linux/etherdevice.h>

#include <ionic/rdma.h>
#include <ionic/rdma_admin.h>

#include "../drivers/ernic/rdma/engine.h"
#include "mock.h"

#define RG_PD		5
#define RG_EQS		4
#define RG_EQ_LOG2	10
#define RG_CQ_LOG2	4
#define RG_Q_LOG2	3
#define RG_STRIDE_LOG2	8

/**
 * struct rg_cq - completion queue
 * @cons: entries read
 */
struct rg_cq {
	u32 id;
	u64 ring;
	u8 depth_log2;
	u32 cons;
};

/**
 * struct rg_qp - queue pair; both its queues complete to @cq
 */
struct rg_qp {
	u32 id;
	u8 type;
	struct rg_cq *cq;
	u64 sq;
	u64 rq;
	u16 sq_prod;
	u16 rq_prod;
};

/**
 * struct rguest - the driver
 * @nth: its address is 10.0.0.@nth, or fd00::@nth
 * @next: guest memory that is free
 */
struct rguest {
	struct kunit *test;
	struct mock *m;
	u8 nth;
	u64 next;
	u64 eq[RG_EQS];
	u32 eq_cons[RG_EQS];
	u64 aq;
	u16 aq_prod;
	struct rg_cq acq;
};

/* profile small-vm, or a variant of it; event queues, admin queue */
struct rguest *rg_open(struct kunit *test, const struct ernic_profile *profile);
/* one of several */
struct rguest *rg_open_nth(struct kunit *test,
			   const struct ernic_profile *profile, u8 nth);
u64 rg_alloc(struct rguest *g, size_t size);
void *rg_ptr(struct rguest *g, u64 iova);
/* enum ion_admin_status; 0xff if there is no completion */
u8 rg_admin(struct rguest *g, struct ion_admin_wqe *wqe, u8 op, size_t len);
void rg_doorbell(struct rguest *g, unsigned int page, unsigned int slot,
		 unsigned int ring, u32 qid, u16 index);
struct rg_cq *rg_cq(struct rguest *g, u32 id, unsigned int depth_log2);
/* the next entry, if it comes in time */
bool rg_poll(struct rguest *g, struct rg_cq *cq, struct ion_v1_cqe *cqe);
/* the same, but for entries that must not come */
bool rg_quiet(struct rguest *g, struct rg_cq *cq);
void rg_consumed(struct rguest *g, struct rg_cq *cq);
/* next event of an event queue, 0 if there is none in time */
u32 rg_event(struct rguest *g, unsigned int eq);
bool rg_no_event(struct rguest *g, unsigned int eq);
/* @n events of the queue are read; its vector stays masked */
void rg_credits(struct rguest *g, unsigned int eq, u16 n);

/* with ION_QPF_SQ_CMB the send queue is the page of that number, @sq a shadow of it */
#define RG_CMB(id)	((u64)(id) << 12)
struct rg_qp *rg_qp(struct rguest *g, u32 id, u8 type, struct rg_cq *cq,
		    u32 flags);
u8 rg_modify(struct rguest *g, u32 id, u8 state, u32 mask,
	     struct ion_admin_mod_qp *attr);
/* to RTR, connected to the QP with that number */
void rg_rtr(struct rguest *g, struct rg_qp *qp, const struct rguest *to,
	    u32 dest);
/* to RTS */
void rg_connect_to(struct rguest *g, struct rg_qp *qp, const struct rguest *to,
		   u32 dest);
/* the same, of the same device */
void rg_connect(struct rguest *g, struct rg_qp *qp, u32 dest);
/* RQ block of QUERY_QP; its flags, with the state above them */
u32 rg_query(struct rguest *g, u32 id);
u8 rg_state(struct rguest *g, u32 id);
unsigned int rg_template_to(struct rguest *g, const struct rguest *to, u8 *raw,
			    bool ipv6, int vlan);
unsigned int rg_template(struct rguest *g, u8 *raw, bool ipv6, int vlan);
u8 rg_ah(struct rguest *g, const struct rguest *to, u32 id, int vlan);
u8 rg_mr(struct rguest *g, u32 key, u64 va, u64 len, u64 addr, u16 flags);
u8 rg_destroy(struct rguest *g, u8 op, u32 id);

/**
 * struct rg_pair - two QPs that are connected, one CQ each, a region of a page each
 * @g: of @a, @cqa, @mem
 * @gb: of @b, @cqb, @memb; may be the same, and then the regions are, too
 * @key: of both regions, which begin at RG_VA
 */
struct rg_pair {
	struct rguest *g, *gb;
	struct rg_cq *cqa, *cqb;
	struct rg_qp *a, *b;
	u64 mem, memb;
	u32 key;
};

#define RG_VA		0x10000
/* Q_Keys of datagram QPs are the number of the other one */
struct rg_pair *rg_pair_of(struct rguest *g, struct rguest *gb, u8 type,
			   u32 flags);
struct rg_pair *rg_pair(struct kunit *test, const struct ernic_profile *profile,
			u8 type, u32 flags);

/* requests; wqe_id is the slot */
struct ion_v1_wqe *rg_wqe(struct rguest *g, struct rg_qp *qp, u8 op, u16 flags);
void rg_sge(struct ion_v1_wqe *wqe, u64 va, u32 len, u32 lkey);
void rg_remote(struct ion_v1_wqe *wqe, u64 va, u32 rkey);
void rg_ring(struct rguest *g, struct rg_qp *qp);
void rg_recv(struct rguest *g, struct rg_qp *qp, u64 va, u32 len, u32 lkey);

/* fields of an entry */
static inline u32 rg_cqe_type(const struct ion_v1_cqe *cqe)
{
	return be32_to_cpu(cqe->qid_type_flags) >> ION_CQE_TYPE_SHIFT & 7;
}

static inline u32 rg_cqe_qid(const struct ion_v1_cqe *cqe)
{
	return be32_to_cpu(cqe->qid_type_flags) >> ION_CQE_QID_SHIFT;
}

static inline bool rg_cqe_error(const struct ion_v1_cqe *cqe)
{
	return be32_to_cpu(cqe->qid_type_flags) & ION_CQE_ERROR;
}

#define RG_EXPECT_MSN(g, cq, qp, msn, status) \
	rg_expect((g), (cq), (qp), ION_CQE_TYPE_SEND_MSN, (msn), (status), \
		  __LINE__)
#define RG_EXPECT_NPG(g, cq, qp, id, status) \
	rg_expect((g), (cq), (qp), ION_CQE_TYPE_SEND_NPG, (id), (status), \
		  __LINE__)
#define RG_EXPECT_RECV(g, cq, qp, id, len) \
	rg_expect((g), (cq), (qp), ION_CQE_TYPE_RECV, (id), (len), __LINE__)
/* @val: status or length; RG_ERR | status for a receive in error */
#define RG_ERR		BIT(31)
void rg_expect(struct rguest *g, struct rg_cq *cq, struct rg_qp *qp, u32 type,
	       u64 id, u32 val, int line);

#endif
