// SPDX-License-Identifier: GPL-2.0-only
/*
 * Atomic operations of devices and locked instructions of the guest's CPUs, all on one
 * word.  A device that loads and stores loses what the others do in between.
 */
#include <endian.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma.h"

#define BATCH (ER_RING - 1)
#define WORD_OFF 256 /* in the memory of the responder */
#define ALIAS_IOVA 0x300000000ull /* that memory, for the other device */
#define KEY_ALIAS (9 << 8 | 0x33)

static struct et_dev other;
static struct rig rig2;
static u64 *word;

/*
 * The CPU's side is a process of its own: UML lets the threads of one wait for each other
 * (arch/um/kernel/skas/mmu.c:enter_turnstile), and the device's worker with them.
 */
static struct cpu {
	volatile bool stop;
	u64 adds, taken, stolen;
} *cpu;

static pid_t cpu_start(void (*fn)(void))
{
	pid_t pid;

	cpu = mmap(NULL, sizeof(*cpu), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(cpu != MAP_FAILED);
	pid = SYS(fork());
	if (!pid) {
		fn();
		_exit(0);
	}
	return pid;
}

static void cpu_stop(pid_t pid)
{
	int status;

	cpu->stop = true;
	SYS(waitpid(pid, &status, 0));
	CHECK_EQ(status, 0);
}

/* like er_post(); what was there before goes to the requester's @slot-th word */
static void post_atomic(struct rig *g, u8 op, u64 remote, u32 rkey, u64 operand, u64 compare,
			unsigned int slot)
{
	struct ion_v1_wqe *wqe = er_sq_slot(&g->a);

	wqe->base.op = op;
	wqe->base.num_sge_key = 1;
	wqe->base.flags = htobe16(ION_V1_FLAG_SIG);
	wqe->atomic.remote_va_high = htobe32(remote >> 32);
	wqe->atomic.remote_va_low = htobe32(remote);
	wqe->atomic.remote_rkey = htobe32(rkey);
	wqe->atomic.swap_add_high = htobe32(operand >> 32);
	wqe->atomic.swap_add_low = htobe32(operand);
	wqe->atomic.compare_high = htobe32(compare >> 32);
	wqe->atomic.compare_low = htobe32(compare);
	wqe->atomic.sge.va = htobe64(g->mem_a.iova + 8 * slot);
	wqe->atomic.sge.len = htobe32(8);
	wqe->atomic.sge.lkey = htobe32(KEY_A);
}

static u64 before(struct rig *g, unsigned int slot)
{
	return ((volatile u64 *)g->mem_a.va)[slot];
}

static void atomic_start(void)
{
	rdma_start();
	word = (u64 *)(rig.mem_b.va + WORD_OFF);
	*word = 0;
}

/* ---- fetch and add --------------------------------------------------------------- */

/* who adds what: fields of the word that do not run over in the time of a test */
#define ADD_DEV 1ull
#define ADD_OTHER (1ull << 20)
#define ADD_CPU (1ull << 40)
#define FIELD 0xfffffull

static void cpu_adds(void)
{
	while (!cpu->stop) {
		__atomic_fetch_add(word, ADD_CPU, __ATOMIC_RELAXED);
		cpu->adds++;
	}
}

TEST(fetch_add, 60)
{
	struct et_mem alias = { .iova = ALIAS_IOVA, .len = ET_PAGE };
	unsigned int k;
	u64 remote, end;
	u32 n = 0;
	pid_t pid;

	atomic_start();
	remote = rig.mem_b.iova + WORD_OFF;
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	/* both devices reach the same page */
	CHECK_EQ(et_map(&other, rig.mem_b.va, ALIAS_IOVA, ET_PAGE), 0);
	CHECK_EQ(er_mr(&rig2.r, KEY_ALIAS, alias, MR_RW), ION_ASTS_OK);
	pid = cpu_start(cpu_adds);
	end = et_now_ms() + et_effort(4000);
	while ((et_now_ms() < end || n < 100 * BATCH) && n < FIELD - BATCH) {
		for (k = 0; k < BATCH; k++) {
			post_atomic(&rig, ION_V1_OP_ATOMIC_FA, remote, KEY_B, ADD_DEV, 0, k);
			post_atomic(&rig2, ION_V1_OP_ATOMIC_FA, ALIAS_IOVA + WORD_OFF, KEY_ALIAS,
				    ADD_OTHER, 0, k);
		}
		er_ring_sq(&rig.a);
		er_ring_sq(&rig2.a);
		for (k = 0; k < BATCH; k++, n++) {
			CHECK_EQ(er_send_status(&rig.a), 0);
			CHECK_EQ(er_send_status(&rig2.a), 0);
			/* nobody else adds to that field */
			CHECK_EQ(before(&rig, k) & FIELD, n);
			CHECK_EQ(before(&rig2, k) >> 20 & FIELD, n);
		}
	}
	cpu_stop(pid);
	tap_note("%u additions of each device, %llu of a CPU", n, (unsigned long long)cpu->adds);
	CHECK(cpu->adds > 1000);
	CHECK_EQ(*word & FIELD, n);
	CHECK_EQ(*word >> 20 & FIELD, n);
	CHECK_EQ(*word >> 40, cpu->adds & 0xffffff);
	et_check_canary(&other);
	rdma_done();
}

/* ---- compare and swap ------------------------------------------------------------ */

/* a lock; what it is while somebody has it */
#define FREE 0ull
#define HAS_DEV 0x1111111111111111ull
#define HAS_CPU 0x2222222222222222ull

static bool cpu_cas(u64 from, u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static void cpu_locks(void)
{
	while (!cpu->stop) {
		if (!cpu_cas(FREE, HAS_CPU))
			continue;
		cpu->taken++;
		if (!cpu_cas(HAS_CPU, FREE)) {
			cpu->stolen++;
			__atomic_store_n(word, FREE, __ATOMIC_SEQ_CST);
		}
	}
}

TEST(compare_swap, 60)
{
	u64 remote, end, taken = 0;
	unsigned int n = 0, k;
	pid_t pid;

	atomic_start();
	remote = rig.mem_b.iova + WORD_OFF;
	pid = cpu_start(cpu_locks);
	end = et_now_ms() + et_effort(4000);
	while (et_now_ms() < end || n < 100) {
		/* takes it, if it is free, and gives it back */
		for (k = 0; k < BATCH - 1; k += 2) {
			post_atomic(&rig, ION_V1_OP_ATOMIC_CS, remote, KEY_B, HAS_DEV, FREE, k);
			post_atomic(&rig, ION_V1_OP_ATOMIC_CS, remote, KEY_B, FREE, HAS_DEV, k + 1);
		}
		er_ring_sq(&rig.a);
		for (k = 0; k < BATCH - 1; k++)
			CHECK_EQ(er_send_status(&rig.a), 0);
		for (k = 0; k < BATCH - 1; k += 2) {
			if (before(&rig, k) == FREE) {
				CHECK_EQ(before(&rig, k + 1), HAS_DEV);
				taken++;
				continue;
			}
			CHECK_EQ(before(&rig, k), HAS_CPU);
			CHECK(before(&rig, k + 1) == FREE || before(&rig, k + 1) == HAS_CPU);
		}
		n++;
	}
	cpu_stop(pid);
	tap_note("taken by the device %llu times of %u, by a CPU %llu times",
		 (unsigned long long)taken, n * (BATCH - 1) / 2, (unsigned long long)cpu->taken);
	CHECK(taken && cpu->taken);
	CHECK_EQ(cpu->stolen, 0);
	CHECK_EQ(*word, FREE);
	rdma_done();
}
