/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of RDMA share, see rdma.c and express.c.
 */
#ifndef ERNIC_RDMA_TESTS_H
#define ERNIC_RDMA_TESTS_H

#include "tests.h"
#include "verbs.h"

#define KEY_A (5 << 8 | 0x11) /* memory of the requester */
#define KEY_B (6 << 8 | 0x22) /* and of the responder */
#define MR_RW \
	(ION_MRF_LOCAL_WRITE | ION_MRF_REMOTE_WRITE | ION_MRF_REMOTE_READ | ION_MRF_REMOTE_ATOMIC)
#define MR_LEN 8192u
#define FILL 0x5a

/* one device with a pair of RC queue pairs that are connected to each other */
struct rig {
	struct er_dev r;
	struct er_cq cq_a, cq_b;
	struct er_qp a, b;
	struct et_mem mem_a, mem_b;
};

extern struct et_dev dev;
extern struct rig rig;

void rig_up(struct rig *g, struct et_dev *d, u8 last);
void fill(struct et_mem m, u32 seed);
bool is_fill(struct et_mem m, u32 seed, size_t len);
/* a WRITE, a READ and a SEND, all data compared */
void rig_works(struct rig *g, u32 seed);
/* a device that is up, with its rig */
void rdma_start(void);
/* all anew, and the Ethernet side, too */
void rdma_done(void);

#endif
