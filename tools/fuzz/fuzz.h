/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FUZZ_H
#define FUZZ_H

#include <ernic/eth.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* ---- input.c: what the guest does, out of the fuzzer's bytes --------------------- */

void in_start(const u8 *data, size_t size);
bool in_more(void);
u8 in8(void);
u16 in16(void);
u32 in32(void);
u64 in64(void);
/* true once in @n times */
bool in_one_of(unsigned int n);
void in_bytes(void *buf, size_t len);
u64 in_addr(void);
void in_command(union ion_cmd *cmd);

/*
 * Where the guest has its rings, unless the bytes want another place: below those of
 * RDMA, as a ring that covers another one answers for it.
 */
#define RING_BASE(i) (0x10000ull * (1 + (i) * 3))
#define RING_CQ(i) (RING_BASE(i) + 0x10000)
#define RING_SG(i) (RING_BASE(i) + 0x18000)
#define RDMA_BASE 0x200000ull

/* ---- memory.c: the guest's memory, and who may write where -------------------------- */

/* a ring as the guest declared it, by its own bytes and not by the device's view */
struct fuzz_ring {
	bool set, enabled, sg;
	u8 type;
	u16 index;
	u32 n;
	u64 base, cq, sg_base;
};

void mem_start(void);
void mem_finish(void);
/* the device runs @cmd: what it may write during that */
void mem_command_begin(const union ion_cmd *cmd, bool regs);
void mem_command_end(u8 opcode, u8 status);
/* a reset of any kind: nothing may be written any more */
void mem_reset(void);
/* guest memory between the two goes away, or comes back with 0, 0 */
void mem_hole(u64 from, u64 to);

/* ---- rdma_*.c: the same for RDMA ----------------------------------------------------- */

const u8 *fuzz_mac(void);
/* a worker of queue pairs runs, not that of commands */
bool fuzz_in_request(void);
void rdma_mem_reset(void);
bool rdma_mem_full(void);
bool rdma_mem_allowed(u64 addr, u64 len);
bool rdma_mem_data(u64 iova, u8 *buf, size_t len);
void rdma_queue_created(const union ion_cmd *cmd);
void op_rdma_bring_up(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd));
void op_rdma_pair(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd),
		  void (*run)(void));
void op_rdma_express(struct ernic_dev *dev);
void op_rdma_doorbell(struct ernic_dev *dev,
		      void (*store)(unsigned int page, u32 off, u64 val));
void rdma_timers(struct ernic_dev *dev);
bool rdma_workers(struct ernic_dev *dev, bool (*run)(struct ernic_worker *w));
void rdma_check(struct ernic_dev *dev);

#endif
