// SPDX-License-Identifier: GPL-2.0-only
/*
 * Express doorbells, by a process of a guest as rdma-core's libionic is one: the send
 * queue lies in controller memory, and the last 8 bytes of a request are its doorbell.
 * The page sleeps when nothing comes, and no request is lost.
 */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rdma.h"

#define BAR4	VFIO_PCI_BAR4_REGION_INDEX
#define AREA	((u64)ION_CMB_REGIONS * ION_CMB_SIZE)
#define PARAM(name) "/sys/module/ernic_host/parameters/" name
/* the queue's pages, and its region: requests of 512 bytes */
#define PAGE	9u
#define REGION	4u

struct et_dev dev;
struct rig rig;
static volatile u8 *cmb;

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void pause_ns(u64 ns)
{
	u64 end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static u64 counter(const char *name)
{
	return et_debugfs(dev.uuid, "cmb", name);
}

/* ---- the device --------------------------------------------------------------- */

static void enable(const char *on)
{
	char path[192];

	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/ernic/rdma_expdb", et_config.bus,
		 uuid0);
	CHECK_EQ(et_write_file(path, on), 0);
}

static int try_mmap(u64 off, u64 len, int prot, int flags)
{
	void *p = mmap(NULL, len, prot, flags, dev.fd, dev.region[BAR4] + off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

static void map_cmb(void)
{
	void *p = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, dev.fd, dev.region[BAR4]);

	CHECK(p != MAP_FAILED);
	cmb = p;
}

static u8 discover(struct ion_cmb_layout *l)
{
	union ion_cmd cmd = { .opcode = ION_CMD_DISCOVER_CMB };
	u8 rc = et_devcmd(&dev, &cmd);

	et_side_read(&dev, l, sizeof(*l));
	return rc;
}

static u8 create(u64 addr, u32 count, u32 flags)
{
	struct ion_admin_wqe wqe;

	rig.a.flags = flags;
	wqe = er_qp_wqe(&rig.a);
	wqe.cmd.create_qp.sq_dma_addr = htole64(addr);
	wqe.cmd.create_qp.sq_map_count = htole32(count);
	return er_admin(&rig.r, &wqe);
}

/* the rig's first queue pair anew, with its send queue in controller memory */
static void express_qp(void)
{
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_QP, rig.a.id), ION_ASTS_OK);
	CHECK_EQ(create((u64)PAGE * ET_PAGE, 1, ION_QPF_SQ_CMB), ION_ASTS_OK);
	rig.a.sq_head = 0;
	er_connect(&rig.a, &rig.b);
}

static void start(void)
{
	enable("1");
	et_open(&dev, uuid0);
	map_cmb();
	et_up(&dev);
	rig_up(&rig, &dev, 1);
	express_qp();
}

/* what er_post() put into the shadow goes out as libionic sends it */
static void express(void)
{
	unsigned int slot = (rig.a.sq_head + ER_RING - 1) % ER_RING, i;
	u64 *from = (u64 *)(rig.a.sq.va + slot * ER_STRIDE);
	volatile u64 *to = (volatile u64 *)(cmb + REGION * (u64)ION_CMB_SIZE + PAGE * ET_PAGE +
					    slot * ER_STRIDE);
	u64 db = (u64)rig.r.id.rdma.sq.qtype << 48 | (u64)rig.a.id << 24 |
		 (u64)ION_EXPDB_MARK << 19 | rig.a.sq_head;

	for (i = 0; i < ER_STRIDE / 8 - 1; i++)
		to[i] = from[i];
	__atomic_store_n((u64 *)&to[i], htole64(db), __ATOMIC_RELEASE);
}

static void write_one(u32 len)
{
	er_post(&rig.a, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, len, KEY_A, rig.mem_b.iova, KEY_B);
	express();
}

static void done(void)
{
	munmap((void *)cmb, AREA);
	et_check_canary(&dev);
	et_still_works(&dev);
}

/* ---- what is offered -------------------------------------------------------------- */

TEST(off, 20)
{
	struct ion_cmb_layout l;
	u64 off, len;

	enable("0");
	et_open(&dev, uuid0);
	CHECK(!et_area(&dev, BAR4, 0, &off, &len));
	CHECK_EQ(try_mmap(0, ET_PAGE, PROT_READ, MAP_SHARED), -EINVAL);
	et_up(&dev);
	CHECK_EQ(discover(&l), ION_RC_EOPCODE);
	rig_up(&rig, &dev, 1);
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_QP, rig.a.id), ION_ASTS_OK);
	CHECK_EQ(create(0, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
}

TEST(offered, 20)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct ion_cmb_layout l;
	u64 off, len;

	enable("1");
	et_open(&dev, uuid0);
	CHECK(et_area(&dev, BAR4, 0, &off, &len));
	CHECK_EQ(off, 0);
	CHECK_EQ(len, AREA);
	CHECK_EQ(try_mmap(0, AREA, rw, MAP_PRIVATE), -EINVAL);
	CHECK(try_mmap(0, AREA, rw | PROT_EXEC, MAP_SHARED) < 0);
	CHECK_EQ(try_mmap(0, ET_PAGE, rw, MAP_SHARED), -EINVAL);
	CHECK_EQ(try_mmap(0, ION_BAR4_SIZE, rw, MAP_SHARED), -EINVAL);
	CHECK_EQ(try_mmap(ET_PAGE, AREA - ET_PAGE, rw, MAP_SHARED), -EINVAL);

	/* not mapped */
	et_up(&dev);
	CHECK_EQ(discover(&l), ION_RC_ENOSUPP);
	rig_up(&rig, &dev, 1);
	CHECK_EQ(er_destroy(&rig.r, ION_ADMIN_DESTROY_QP, rig.a.id), ION_ASTS_OK);
	CHECK_EQ(create(0, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);

	map_cmb();
	CHECK_EQ(discover(&l), ION_RC_SUCCESS);
	/* version 1 of the opcodes: none for requests of 64 bytes */
	CHECK_EQ(le32toh(l.num_regions), ION_CMB_REGIONS - 1);
	CHECK_EQ(create(0, 2, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(0, 1, ION_QPF_RQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(64, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(ION_CMB_SIZE - ET_PAGE, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(ION_CMB_SIZE, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(~0ull << 12, 1, ION_QPF_SQ_CMB), ION_ASTS_BAD_ATTR);
	CHECK_EQ(create(ION_CMB_SIZE - 2 * ET_PAGE, 1, ION_QPF_SQ_CMB), ION_ASTS_OK);
	CHECK_EQ(counter("rings"), 1);
	/* by another alias it is the same memory */
	cmb[ION_CMB_SIZE + 5 * ET_PAGE + 7] = 0x42;
	CHECK_EQ(cmb[4 * ION_CMB_SIZE + 5 * ET_PAGE + 7], 0x42);
	CHECK_EQ(et_load(&dev, BAR4, 5 * ET_PAGE + 7, 1), 0x42);
	et_vfio_reset(&dev);
	CHECK_EQ(counter("rings"), 0);
	munmap((void *)cmb, AREA);
}

/* ---- requests ------------------------------------------------------------------------ */

TEST(requests, 60)
{
	unsigned int i, n = et_effort(2000);
	u64 rings;

	start();
	rings = et_debugfs(dev.uuid, "regs", "db_unknown");
	for (i = 0; i < n; i++) {
		u32 len = 1 + i * 37 % 5000;

		fill(rig.mem_a, i);
		write_one(len);
		CHECK_EQ(er_send_status(&rig.a), 0);
		CHECK(is_fill(rig.mem_b, i, len));
	}
	CHECK_EQ(et_debugfs(dev.uuid, "regs", "db_unknown"), rings);
	CHECK_EQ(counter("traps"), 0);
	/* several at once, and an ordinary doorbell for a queue that lies there */
	for (i = 0; i < ER_RING - 1; i++)
		write_one(100);
	for (i = 0; i < ER_RING - 1; i++)
		CHECK_EQ(er_send_status(&rig.a), 0);
	done();
}

/* with no quiet time at all the page goes to sleep whenever the queue is empty */
TEST(transitions, 7200)
{
	const char *want = getenv("ERNIC_TRANSITIONS");
	/* each has more to do than an Ethernet doorbell */
	unsigned int n = (want ? atoi(want) : 20000) / 4, seed = 1;
	u64 arms = 0, i = 0;

	CHECK_EQ(et_write_file(PARAM("idle_us"), "0"), 0);
	start();
	do {
		pause_ns(rand_r(&seed) % 2 ? rand_r(&seed) % 200000 : rand_r(&seed) % 20000);
		write_one(64);
		if (er_send_status(&rig.a))
			FAIL("request %llu failed", (unsigned long long)i);
		if (!(++i % 256))
			arms = counter("arms");
	} while (arms < n && i < 10ull * n);
	CHECK_EQ(et_write_file(PARAM("idle_us"), "60"), 0);
	arms = counter("arms");
	tap_note("%llu requests, %llu arms, %llu faults, %llu useless, %llu refaults",
		 (unsigned long long)i, (unsigned long long)arms,
		 (unsigned long long)counter("faults"), (unsigned long long)counter("useless"),
		 (unsigned long long)counter("refaults"));
	if (arms < n)
		FAIL("only %llu of %u transitions", (unsigned long long)arms, n);
	done();
}

/* asleep in one page of the ring, the queue begins anew in another */
TEST(reset, 30)
{
	unsigned int i, n;

	start();
	for (n = 0; n < 10; n++) {
		for (i = 0; i <= n; i++)
			write_one(64);
		for (i = 0; i <= n; i++)
			CHECK_EQ(er_send_status(&rig.a), 0);
		if (n % 2)
			usleep(30000);
		CHECK_EQ(er_to(&rig.a, ION_QPS_RESET), ION_ASTS_OK);
		er_connect(&rig.a, &rig.b);
		write_one(64);
		CHECK_EQ(er_send_status(&rig.a), 0);
	}
	/* posted to a queue in error, it is gone after a reset */
	CHECK_EQ(er_to(&rig.a, ION_QPS_ERR), ION_ASTS_OK);
	memset(rig.mem_b.va, FILL, MR_LEN);
	write_one(64);
	CHECK_EQ(er_to(&rig.a, ION_QPS_RESET), ION_ASTS_OK);
	er_connect(&rig.a, &rig.b);
	usleep(50000);
	CHECK_EQ(rig.mem_b.va[0], FILL);
	done();
}

/* an idle queue costs nothing */
TEST(idle, 30)
{
	u64 arms;

	start();
	write_one(64);
	CHECK_EQ(er_send_status(&rig.a), 0);
	usleep(300000);
	arms = counter("arms");
	usleep(1000000);
	CHECK_EQ(counter("arms"), arms);
	write_one(64);
	CHECK_EQ(er_send_status(&rig.a), 0);
	usleep(300000);
	CHECK_EQ(counter("arms"), arms + 1);
	done();
}

/* ---- a hostile process ------------------------------------------------------------------ */

static volatile bool stop;

static void *stormer(void *arg)
{
	unsigned int seed = 7;
	u64 n = 0;

	while (!stop) {
		u64 at = (u64)(rand_r(&seed) % ION_CMB_REGIONS) * ION_CMB_SIZE + PAGE * ET_PAGE +
			 rand_r(&seed) % (2 * ET_PAGE / 8) * 8;
		u64 val = (u64)rand_r(&seed) << 32 | rand_r(&seed);

		/* what looks like a doorbell, on what looks like a request */
		if (n++ % 3 == 0)
			val = (u64)rig.r.id.rdma.sq.qtype << 48 | (u64)rig.a.id << 24 |
			      (u64)ION_EXPDB_MARK << 19 | rand_r(&seed) % ER_RING;
		*(volatile u64 *)(cmb + at) = val;
	}
	return NULL;
}

TEST(storm, 60)
{
	u64 end = et_now_ms() + et_effort(4000);
	unsigned int n = 0;
	pthread_t t;

	start();
	CHECK(!pthread_create(&t, NULL, stormer, NULL));
	while (et_now_ms() < end) {
		usleep(n % 7 * 3000);
		if (n % 5 == 4) {
			et_vfio_reset(&dev);
			et_bus_master(&dev, true);
			et_up(&dev);
			rig_up(&rig, &dev, 1);
		}
		express_qp();
		n++;
	}
	stop = true;
	CHECK(!pthread_join(t, NULL));
	tap_note("%u times anew", n);
	/* whoever behaves is served */
	express_qp();
	fill(rig.mem_a, 3);
	write_one(1000);
	CHECK_EQ(er_send_status(&rig.a), 0);
	CHECK(is_fill(rig.mem_b, 3, 1000));
	done();
}

/* the VMM goes while the process stores */
TEST(close_under_stores, 30)
{
	unsigned int i;
	pthread_t t;

	for (i = 0; i < 5; i++) {
		memset(&rig, 0, sizeof(rig));
		start();
		stop = false;
		CHECK(!pthread_create(&t, NULL, stormer, NULL));
		usleep(20000);
		et_vfio_reset(&dev);
		usleep(5000);
		stop = true;
		CHECK(!pthread_join(t, NULL));
		munmap((void *)cmb, AREA);
		et_close(&dev);
	}
	enable("0");
}
