/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the guest's RDMA side share. */
#ifndef FUZZ_RDMA_H
#define FUZZ_RDMA_H

#include "fuzz.h"
#include "rdma/engine.h"

#define RDMA_EQS 4
#define AQ_BASE RDMA_BASE /* rings, 64 KiB apart */
#define ACQ_BASE (RDMA_BASE + 0x10000)
#define EQ_BASE(i) (RDMA_BASE + 0x20000 + (i) * 0x8000ull)
#define CQ_BASE(i) (RDMA_BASE + 0x40000 + (i) * 0x8000ull)
#define SQ_BASE(i) (RDMA_BASE + 0x60000 + (i) * 0x8000ull)
#define RQ_BASE(i) (RDMA_BASE + 0xa0000 + (i) * 0x8000ull)
#define TABLES (RDMA_BASE + 0xe0000)
#define TEMPLATES (RDMA_BASE + 0xf0000)

/* ---- rdma_memory.c ---------------------------------------------------------------- */

enum owner { OWNER_RING, OWNER_CQ, OWNER_MR, OWNER_DIRECT, OWNER_COMMAND };

/* the device may write there from now on, until the owner is gone */
void rdma_own(enum owner owner, u32 id, u64 addr, u64 len);
/* ernic_pgtbl_read() of callers in the device, and itself */
int __wrap_ernic_pgtbl_read(struct ernic_rdma *rdma, struct ernic_pgtbl *pt, u64 addr,
			    u32 count, unsigned int shift, u64 off, u64 len);
int __real_ernic_pgtbl_read(struct ernic_rdma *rdma, struct ernic_pgtbl *pt, u64 addr,
			    u32 count, unsigned int shift, u64 off, u64 len);
/* queue pairs that may use key 0, a bit each, from 0 */
u8 rdma_privileged(void);

/* ---- rdma_request.c ------------------------------------------------------------------ */

u32 in_key(void);
u64 in_va(u32 key);
u32 in_len(void);
/* where the region of a key lies */
u64 rdma_mr_va(u32 key);
/* a request in the ring of @qp, from 0 */
void rdma_wqe(u8 *p, size_t len, unsigned int qp, bool recv);

/* ---- rdma_command.c ------------------------------------------------------------------ */

void rdma_script_reset(void);
void rdma_command(struct ion_admin_wqe *w);

#endif
