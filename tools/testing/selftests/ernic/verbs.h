/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's RDMA driver, in the order of drivers/infiniband/hw/ionic: event queues,
 * an admin queue, objects, work requests and completions.
 *
 * Functions that return a u8 return the status of the admin command.
 */
#ifndef ERNIC_VERBS_H
#define ERNIC_VERBS_H

#include <ionic/rdma.h>
#include <ionic/rdma_admin.h>

#include "ernictest.h"

#define ER_AQ_DEPTH 64
#define ER_CQ_DEPTH 64
#define ER_RING 16 /* work requests of a queue */
#define ER_PD 1
#define ER_EQS 4

struct er_cq {
	struct er_dev *r;
	u32 id;
	struct et_mem ring;
	u16 pos;
	u8 color;
};

struct er_dev {
	struct et_dev *d;
	struct ion_lif_identity id;
	struct et_mem eq[ER_EQS], aq, template;
	u16 aq_head;
	struct er_cq acq;
	u8 ip[4]; /* the address that it claims */
};

struct er_qp {
	struct er_dev *r;
	u32 id;
	u8 type;
	u32 flags; /* ION_QPF_* of its creation */
	struct er_cq *cq; /* of both queues */
	struct et_mem sq, rq; /* 512 bytes a request */
	u16 sq_head, rq_head;
};

#define ER_STRIDE 512

/* skips the test if the device has no RDMA; twice is fine, and starts anew */
void er_setup(struct er_dev *r, struct et_dev *d, u8 last);
u8 er_reset(struct er_dev *r);

/* waits for the completion; CREATE_QP goes over two strides */
u8 er_admin(struct er_dev *r, const struct ion_admin_wqe *wqe);
/* as it is; the index of the first stride */
u16 er_admin_post(struct er_dev *r, const void *wqe, unsigned int strides);
/* false: no completion in that time */
bool er_admin_reap(struct er_dev *r, u16 index, u8 *status, int ms);

u8 er_cq_create(struct er_dev *r, struct er_cq *cq, u32 id);
struct ion_admin_wqe er_cq_wqe(const struct er_cq *cq);
struct ion_admin_wqe er_mr_wqe(u32 key, u64 va, u64 len, u64 dma, u16 flags);
struct ion_admin_wqe er_qp_wqe(const struct er_qp *qp);
struct ion_admin_wqe er_destroy_wqe(u8 op, u32 id);
u8 er_mr(struct er_dev *r, u32 key, struct et_mem m, u16 flags);
u8 er_qp_create(struct er_dev *r, struct er_qp *qp, struct er_cq *cq, u32 id, u8 type, u32 flags);
u8 er_destroy(struct er_dev *r, u8 op, u32 id);

/* the template of a packet from @r to @to, for MODIFY_QP and CREATE_AH */
unsigned int er_template(struct er_dev *r, const struct er_dev *to);
struct ion_admin_wqe er_modify_wqe(const struct er_qp *qp, u8 state, u32 mask);
u8 er_to(struct er_qp *qp, u8 state);
/* from RESET or ERR to RTS, both */
void er_connect(struct er_qp *a, struct er_qp *b);

struct ion_v1_wqe *er_sq_slot(struct er_qp *qp);
struct ion_v1_wqe *er_rq_slot(struct er_qp *qp);
void er_db(struct er_dev *r, unsigned int page, u8 slot, u32 qid, u8 ring, u16 index);
void er_ring_sq(struct er_qp *qp);
void er_ring_rq(struct er_qp *qp);
/* SEND, WRITE or READ of one element; the caller rings */
void er_post(struct er_qp *qp, u8 op, u64 va, u32 len, u32 lkey, u64 remote, u32 rkey);
void er_post_recv(struct er_qp *qp, u64 va, u32 len, u32 lkey);
bool er_poll(struct er_cq *cq, struct ion_v1_cqe *cqe, int ms);
/* the next completion of a send queue: 0, or its error */
u32 er_send_status(struct er_qp *qp);
u32 er_status(const struct ion_v1_cqe *cqe);
u8 er_cqe_type(const struct ion_v1_cqe *cqe);

#endif
