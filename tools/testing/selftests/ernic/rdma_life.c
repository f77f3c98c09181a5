// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device, or a part of it, that goes while a peer sends to it at full rate.  What has
 * been taken away is not written to any more, the peer is told, nothing is left.
 */
#include <endian.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/mman.h>

#include "rdma.h"

#define BATCH (ER_RING - 1)
#define POISON 0x6b
#define WIN 0x400000000ull
#define WIN_LEN (64u << 10)
#define KEY_WIN (9 << 8 | 0x44)

static struct et_dev other;
static struct rig rig2;
static struct er_qp mine, its; /* of each device, connected to each other */

/* the sender */
static struct {
	pthread_t thread;
	u64 to;
	u32 rkey;
	volatile bool stop;
	volatile u64 done; /* requests */
	volatile u32 status; /* of the one that failed */
} writer;

static void peers_up(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	rig_up(&rig, &dev, 1);
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	CHECK_EQ(er_qp_create(&rig.r, &mine, &rig.cq_a, 40, ION_QPT_RC, 0), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&rig2.r, &its, &rig2.cq_a, 41, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&mine, &its);
}

static void *write_on(void *arg)
{
	unsigned int k;
	u32 status;

	while (!writer.stop) {
		for (k = 0; k < BATCH; k++)
			er_post(&mine, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, MR_LEN, KEY_A,
				writer.to, writer.rkey);
		er_ring_sq(&mine);
		for (k = 0; k < BATCH; k++, writer.done++) {
			status = er_send_status(&mine);
			if (status) {
				writer.status = status;
				return NULL;
			}
		}
	}
	return NULL;
}

static void writer_start(u64 to, u32 rkey)
{
	u64 end = et_now_ms() + 5000;

	memset(&writer, 0, sizeof(writer));
	writer.to = to;
	writer.rkey = rkey;
	memset(rig.mem_a.va, FILL, MR_LEN);
	CHECK(!pthread_create(&writer.thread, NULL, write_on, NULL));
	while (writer.done < 3 * BATCH) {
		CHECK(!writer.status && et_now_ms() < end);
		usleep(200);
	}
}

/* the status that ended it, 0 if nothing did */
static u32 writer_end(void)
{
	CHECK(!pthread_join(writer.thread, NULL));
	return writer.status;
}

static void stays(const u8 *p, size_t len, const char *what)
{
	size_t i;

	usleep(20000);
	for (i = 0; i < len; i++)
		if (p[i] != POISON)
			FAIL("%s: late write at %#zx", what, i);
}

/* nothing is accounted for to a device that nobody has open */
static void nothing_left(const char *uuid)
{
	static const char *const what[] = { "qps", "cqs", "mrs", "ahs", "pages", "gids" };
	unsigned int i;

	for (i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		if (et_debugfs(uuid, "rdma", what[i]))
			FAIL("%s are left", what[i]);
	CHECK_EQ(et_debugfs(uuid, "memory", "pinned_pages"), 0);
}

static u8 *pages(void)
{
	u8 *p = mmap(NULL, WIN_LEN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* ---- memory ---------------------------------------------------------------------- */

TEST(memory_unmapped_under_load, 90)
{
	struct et_mem win = { .iova = WIN, .len = WIN_LEN };
	u8 *buf[2] = { pages(), pages() };
	unsigned int n, rounds = et_effort(200);

	peers_up();
	CHECK_EQ(et_map(&other, buf[0], WIN, WIN_LEN), 0);
	CHECK_EQ(er_mr(&rig2.r, KEY_WIN, win, MR_RW), ION_ASTS_OK);
	for (n = 0; n < rounds; n++) {
		u8 *old = buf[n & 1], *new = buf[!(n & 1)];

		writer_start(WIN + n % 7 * 4096, KEY_WIN);
		usleep(n % 5 * 300);
		CHECK_EQ(et_unmap(&other, WIN, WIN_LEN), 0);
		memset(old, POISON, WIN_LEN);
		CHECK_EQ(writer_end(), ION_STS_REMOTE_OPER_ERR);
		CHECK_EQ(et_map(&other, new, WIN, WIN_LEN), 0);
		er_connect(&mine, &its);
		/* the same address, and other pages */
		if (n % 8 == 0) {
			writer_start(WIN, KEY_WIN);
			writer.stop = true;
			CHECK_EQ(writer_end(), 0);
		}
		stays(old, WIN_LEN, "unmapped");
	}
	et_check_canary(&other);
	et_check_canary(&dev);
	et_close(&other);
	nothing_left(uuid1);
	rdma_done();
}

/* ---- objects and resets ---------------------------------------------------------- */

static void lif_reset(void)
{
	CHECK_EQ(er_reset(&rig2.r), ION_RC_SUCCESS);
}

static void device_reset(void)
{
	CHECK_EQ(et_reset(&other), ION_RC_SUCCESS);
}

static void flr(void)
{
	et_flr(&other);
}

static void vfio_reset(void)
{
	et_vfio_reset(&other);
}

static void firmware(void)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/ernic/firmware_reset", other.path);
	CHECK_EQ(et_write_file(path, "1"), 0);
}

static void destroy_qp(void)
{
	CHECK_EQ(er_destroy(&rig2.r, ION_ADMIN_DESTROY_QP, its.id), ION_ASTS_OK);
}

static void destroy_mr(void)
{
	CHECK_EQ(er_destroy(&rig2.r, ION_ADMIN_DESTROY_MR, KEY_B), ION_ASTS_OK);
}

static void qp_to_reset(void)
{
	CHECK_EQ(er_to(&its, ION_QPS_RESET), ION_ASTS_OK);
}

static void qp_to_err(void)
{
	CHECK_EQ(er_to(&its, ION_QPS_ERR), ION_ASTS_OK);
}

/* what is taken away, and what the sender is told */
static const struct {
	const char *name;
	void (*fn)(void);
	u32 status;
} ways[] = {
	{ "RDMA_RESET_LIF", lif_reset, ION_STS_RETRY_EXCEEDED },
	{ "RESET", device_reset, ION_STS_RETRY_EXCEEDED },
	{ "FLR", flr, ION_STS_RETRY_EXCEEDED },
	{ "VFIO's reset", vfio_reset, ION_STS_RETRY_EXCEEDED },
	{ "firmware", firmware, ION_STS_RETRY_EXCEEDED },
	{ "DESTROY_QP", destroy_qp, ION_STS_RETRY_EXCEEDED },
	{ "DESTROY_MR", destroy_mr, ION_STS_REMOTE_ACC_ERR },
	{ "QP to RESET", qp_to_reset, ION_STS_RETRY_EXCEEDED },
	{ "QP to ERR", qp_to_err, ION_STS_RETRY_EXCEEDED },
};

static void fw_running(void)
{
	u64 end = et_now_ms() + 5000;

	while (!(et_load(&other, BAR0, ION_INFO_FW_STATUS, 1) & ION_FW_STS_RUNNING)) {
		CHECK(et_now_ms() < end);
		usleep(1000);
	}
}

TEST(objects_taken_under_load, 120)
{
	unsigned int round, i, rounds = et_effort(20);

	peers_up();
	for (round = 0; round < rounds; round++)
		for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			/* two seconds each */
			if (ways[i].fn == firmware && round % 10)
				continue;
			writer_start(rig2.mem_b.iova, KEY_B);
			usleep(round % 5 * 300);
			ways[i].fn();
			memset(rig2.mem_b.va, POISON, MR_LEN);
			stays(rig2.mem_b.va, MR_LEN, ways[i].name);
			if (writer_end() != ways[i].status)
				FAIL("%s: the sender got %u", ways[i].name, writer.status);
			stays(rig2.mem_b.va, MR_LEN, ways[i].name);
			et_check_canary(&other);
			fw_running();
			et_attach(&other);
			et_start(&other);
			rig_up(&rig2, &other, 2);
			CHECK_EQ(er_qp_create(&rig2.r, &its, &rig2.cq_a, 41, ION_QPT_RC, 0),
				 ION_ASTS_OK);
			er_connect(&mine, &its);
		}
	rdma_done();
}

/* ---- the device ------------------------------------------------------------------- */

/* goes with requests of its own under way as well, from and to its peer */
static u8 *other_closes(void)
{
	/* a second mapping of the same pages */
	u8 *arena = (u8 *)SYS(syscall(SYS_mremap, other.arena.va, 0, ET_ARENA_SIZE,
				      MREMAP_MAYMOVE, 0));
	unsigned int k;

	for (k = 0; k < BATCH; k++)
		er_post(&its, k & 1 ? ION_V1_OP_RDMA_WRITE : ION_V1_OP_RDMA_READ, rig2.mem_a.iova,
			MR_LEN, KEY_A, rig.mem_b.iova, KEY_B);
	er_ring_sq(&its);
	et_close(&other);
	memset(arena, POISON, ET_ARENA_SIZE);
	return arena;
}

static void other_again(void)
{
	memset(&rig2, 0, sizeof(rig2));
	memset(&its, 0, sizeof(its));
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	CHECK_EQ(er_qp_create(&rig2.r, &its, &rig2.cq_a, 41, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&mine, &its);
}

TEST(device_closed_under_load, 90)
{
	unsigned int n, rounds = et_effort(40);
	u8 *arena;

	peers_up();
	for (n = 0; n < rounds; n++) {
		writer_start(rig2.mem_b.iova, KEY_B);
		usleep(n % 7 * 300);
		arena = other_closes();
		nothing_left(uuid1);
		memset(rig.mem_b.va, POISON, MR_LEN);
		CHECK_EQ(writer_end(), ION_STS_RETRY_EXCEEDED);
		stays(arena, ET_ARENA_SIZE, "memory of who closed");
		stays(rig.mem_b.va, MR_LEN, "memory of the peer");
		CHECK(!munmap(arena, ET_ARENA_SIZE));
		other_again();
	}
	rdma_done();
}

static void *remove_other(void *arg)
{
	*(int *)arg = et_remove(et_config.bus, uuid1);
	return NULL;
}

TEST(device_removed_under_load, 90)
{
	unsigned int n, rounds = et_effort(20);
	pthread_t thread;
	int err;

	peers_up();
	for (n = 0; n < rounds; n++) {
		u8 *arena;

		writer_start(rig2.mem_b.iova, KEY_B);
		/* waits until its VMM lets go */
		CHECK(!pthread_create(&thread, NULL, remove_other, &err));
		usleep(n % 7 * 1000);
		arena = other_closes();
		CHECK(!pthread_join(thread, NULL));
		CHECK_EQ(err, 0);
		CHECK_EQ(writer_end(), ION_STS_RETRY_EXCEEDED);
		stays(arena, ET_ARENA_SIZE, "memory of who was removed");
		CHECK(!munmap(arena, ET_ARENA_SIZE));
		CHECK_EQ(et_create(et_config.bus, uuid1, et_config.profile), 0);
		other_again();
	}
	rdma_done();
}

static void both(int ready)
{
	peers_up();
	writer_start(rig2.mem_b.iova, KEY_B);
	CHECK_EQ(write(ready, "", 1), 1);
	for (;;)
		pause();
}

TEST(killed_under_load, 90)
{
	unsigned int n, rounds = et_effort(20);
	int status, p[2];
	pid_t pid;
	char c;

	SYS(pipe(p));
	for (n = 0; n < rounds; n++) {
		pid = SYS(fork());
		if (!pid) {
			both(p[1]);
			_exit(0);
		}
		/* while it sets up, too */
		if (n & 1)
			CHECK_EQ(read(p[0], &c, 1), 1);
		usleep(n * 7919 % 50000);
		CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
		kill(pid, SIGKILL);
		SYS(waitpid(pid, &status, 0));
		nothing_left(uuid0);
		nothing_left(uuid1);
	}
	peers_up();
	rig_works(&rig2, 3);
	rdma_done();
}
