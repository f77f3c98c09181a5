// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory that goes away while the device uses it.  When an unmap has
 * returned, the old pages are the VMM's alone: they must not change any more,
 * whatever is mapped at the same address then.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load.h"
#include "tests.h"

#define WIN	0x400000000ull
#define WIN_LEN	(512u << 10)

/* the window is in use when more than rings and blocks are pinned */
#define PINNED	(WIN_LEN / ET_PAGE)

static struct et_dev dev;
static struct et_load load;

static u8 *pages(void)
{
	u8 *p = mmap(NULL, WIN_LEN, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memset(p, 0x33, WIN_LEN);
	return p;
}

static void late_write(const u8 *was, const u8 *now, size_t from,
		       unsigned int round)
{
	size_t i;

	for (i = from; i < WIN_LEN; i++)
		if (was[i] != now[i])
			FAIL("round %u: late write at %#zx", round, i);
}

static void wait_pinned(void)
{
	u64 end = et_now_ms() + 500;

	while (et_debugfs(dev.uuid, "memory", "pinned_pages") < PINNED &&
	       et_now_ms() < end)
		usleep(500);
}

/*
 * The device has written to the window since @before frames were counted: on a
 * slow kernel a round without that would show nothing, in the control either.
 */
static void wait_received(u64 before)
{
	u64 end = et_now_ms() + 5000;

	while (load.rx < before + 8) {
		if (et_now_ms() > end)
			FAIL("no frame in 5 s after memory was mapped");
		usleep(500);
	}
}

static void payload(u8 *buf0, u8 *buf1, int ms)
{
	u8 *buf[2] = { buf0, buf1 }, *copy = pages();
	u64 end, start, before, longest = 0;
	unsigned int n = 0;

	et_open(&dev, uuid0);
	et_up(&dev);
	CHECK_EQ(et_map(&dev, buf[0], WIN, WIN_LEN), 0);
	et_load_start(&load, &dev, WIN, WIN_LEN);
	end = et_now_ms() + et_effort(ms);
	/* the time limit of the test is the bound of the second half */
	while (et_now_ms() < end || load.rx < 100 || load.tx < 100) {
		u8 *old = buf[n & 1], *new = buf[!(n & 1)];

		/*
		 * With pages pinned, and without: after an unmap the device
		 * waits before it pins again (drivers/ernic/dma.c).
		 */
		if (n % 32 >= 24)
			wait_pinned();
		usleep(n % 4 * 700);
		start = et_now_ms();
		CHECK_EQ(et_unmap(&dev, WIN, WIN_LEN), 0);
		memcpy(copy, old, WIN_LEN);
		if (et_now_ms() - start > longest)
			longest = et_now_ms() - start;
		if (n & 2)
			usleep(500);
		CHECK_EQ(et_map(&dev, new, WIN, WIN_LEN), 0);
		before = load.rx;
		usleep(1000);
		wait_received(before);
		late_write(copy, old, 0, n);
		n++;
	}
	et_load_stop(&load);
	tap_note("%u remaps, the longest took %llu ms; tx %llu rx %llu refused %llu",
		 n, (unsigned long long)longest, (unsigned long long)load.tx,
		 (unsigned long long)load.rx, (unsigned long long)load.rx_bad);
	et_still_works(&dev);
}

/* payload of both directions */
TEST(payload_moves, 60)
{
	payload(pages(), pages(), 6000);
}

/* the control: pages that are mapped again do change, and that is noticed */
static void same_pages(void)
{
	u8 *buf = pages();

	payload(buf, buf, 3000);
}

TEST(control, 60)
{
	CHECK_EQ(tap_child(same_pages, 30), 1);
}

/* rings: the queue is given up, and a Q_INIT brings it back */
TEST(rings, 60)
{
	u8 *buf[2] = { pages(), pages() }, *copy = pages();
	u64 end = et_now_ms() + et_effort(4000);
	struct et_mem ring, cq, sg;
	struct et_queue *q;
	unsigned int n = 0;

	et_open(&dev, uuid0);
	et_up(&dev);
	while (et_now_ms() < end) {
		u8 *b = buf[n & 1], *old = buf[!(n & 1)];

		q = n & 2 ? &dev.tx[0] : &dev.rx[0];
		CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
		CHECK_EQ(et_map(&dev, b, WIN, WIN_LEN), 0);
		ring = q->ring;
		cq = q->cq;
		sg = q->sg;
		q->ring.va = b;
		q->ring.iova = WIN;
		q->cq.va = b + 65536;
		q->cq.iova = WIN + 65536;
		q->sg.va = b + 131072;
		q->sg.iova = WIN + 131072;
		CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
		if (q->type == ION_QTYPE_RXQ)
			et_rx_fill(q);
		CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
		et_load_start(&load, &dev, dev.rx[1].buf.iova,
			      dev.rx[1].buf.len);
		usleep(20000 + n % 5 * 3000);
		CHECK_EQ(et_unmap(&dev, WIN, WIN_LEN), 0);
		memcpy(copy, b, WIN_LEN);
		memcpy(old, b, WIN_LEN);
		CHECK_EQ(et_map(&dev, old, WIN, WIN_LEN), 0);
		/* the driver goes on with the pages that are gone */
		et_load_stop(&load);
		late_write(copy, b, 65536, n);
		CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
		CHECK_EQ(et_unmap(&dev, WIN, WIN_LEN), 0);
		q->ring = ring;
		q->cq = cq;
		q->sg = sg;
		et_attach(&dev);
		et_start(&dev);
		n++;
	}
	tap_note("%u rounds", n);
	et_still_works(&dev);
}

/* the blocks that are written on a timer */
TEST(info_blocks, 30)
{
	u8 *buf = pages(), *copy = pages();
	union ion_cmd cmd = { .lif_init.opcode = ION_CMD_LIF_INIT };
	unsigned int i;

	et_open(&dev, uuid0);
	et_up(&dev);
	CHECK_EQ(et_map(&dev, buf, WIN, WIN_LEN), 0);
	cmd.lif_init.info_pa = WIN;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_init(&dev.adminq), ION_RC_SUCCESS);
	et_start(&dev);
	for (i = 0; i < 10; i++)
		et_send_one(&dev, 0, 60);
	CHECK_EQ(et_unmap(&dev, WIN, WIN_LEN), 0);
	memcpy(copy, buf, WIN_LEN);
	et_netdev_up(&dev, false);
	et_netdev_up(&dev, true);
	usleep(1300000);
	late_write(copy, buf, 0, 0);
	et_send_one(&dev, 0, 60);
	et_still_works(&dev);
}

/* everything goes, from another thread's view at any moment */
TEST(whole_arena, 30)
{
	u8 *copy = mmap(NULL, ET_ARENA_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int n;

	CHECK(copy != MAP_FAILED);
	et_open(&dev, uuid0);
	et_up(&dev);
	for (n = 0; n < 20; n++) {
		et_load_start(&load, &dev, dev.rx[1].buf.iova,
			      dev.rx[1].buf.len);
		usleep(10000 + n * 1000);
		CHECK_EQ(et_unmap(&dev, ET_ARENA_IOVA, ET_ARENA_SIZE), 0);
		load.stop = true;
		et_load_stop(&load);
		memcpy(copy, dev.arena.va, ET_ARENA_SIZE);
		usleep(5000);
		CHECK(!memcmp(copy, dev.arena.va, ET_ARENA_SIZE));
		CHECK_EQ(et_map(&dev, dev.arena.va, ET_ARENA_IOVA,
				ET_ARENA_SIZE), 0);
		et_attach(&dev);
		et_start(&dev);
	}
	et_still_works(&dev);
}
