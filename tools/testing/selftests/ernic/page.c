// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapped doorbells and interrupt registers: what can be mapped, and that no store is
 * lost however the page goes to sleep and wakes.  Run with -d fault.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "tests.h"

#define PARAM(name)	"/sys/module/ernic_host/parameters/" name

static struct et_dev dev, dev1;

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void param(const char *path, unsigned int val)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", val);
	CHECK_EQ(et_write_file(path, text), 0);
}

static u64 counter(struct et_dev *d, const char *name)
{
	return et_debugfs(d->uuid, "regs", name);
}

static void need_mapping(void)
{
	if (!et_config.doorbell)
		tap_skip("nothing is mapped: use -d");
}

static void mode_is(struct et_dev *d, const char *want)
{
	char path[192], got[32];

	snprintf(path, sizeof(path), "%s/ernic/doorbell_mode", d->path);
	CHECK_EQ(et_read_file(path, got, sizeof(got)), 0);
	got[strcspn(got, "\n")] = 0;
	if (strcmp(got, want))
		FAIL("doorbell_mode is %s, want %s", got, want);
}

/* ---- the interface --------------------------------------------------------- */

TEST(attribute, 20)
{
	static const char * const bad[] = { "", "Auto", "trap ", "trapp", "2" };
	static const char * const good[] = { "trap", "track", "fault", "auto\n" };
	char path[192], got[32];
	unsigned int i;

	et_config.doorbell = NULL;
	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/ernic/doorbell",
		 et_config.bus, uuid0);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(et_write_file(path, good[i]), 0);
		CHECK_EQ(et_read_file(path, got, sizeof(got)), 0);
		CHECK_EQ(strcspn(got, "\n"), strcspn(good[i], "\n"));
		CHECK(!strncmp(got, good[i], strcspn(got, "\n")));
	}
	for (i = 1; i < 5; i++)
		CHECK_EQ(et_write_file(path, bad[i]), -EINVAL);
	CHECK_EQ(et_write_file(path, "fault"), 0);
	et_open(&dev, uuid0);
	CHECK_EQ(et_write_file(path, "trap"), -EBUSY);
	/* nothing was mapped */
	et_up(&dev);
	mode_is(&dev, "trap");
	CHECK(counter(&dev, "db_traps") > 0);
	CHECK_EQ(counter(&dev, "db_arms"), 0);
	et_close(&dev);
	CHECK_EQ(et_write_file(path, "auto"), 0);
}

TEST(areas, 20)
{
	char path[192];
	u64 off, len;

	et_config.doorbell = NULL;
	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/ernic/doorbell",
		 et_config.bus, uuid0);
	CHECK_EQ(et_write_file(path, "trap"), 0);
	et_open(&dev, uuid0);
	CHECK(et_area(&dev, BAR0, 0, &off, &len));
	CHECK_EQ(off, ION_INTR_CTRL_OFF);
	CHECK_EQ(len, ET_PAGE);
	CHECK(!et_area(&dev, BAR2, 0, &off, &len));
	CHECK(!et_area(&dev, CFG, 0, &off, &len));
	et_close(&dev);

	CHECK_EQ(et_write_file(path, "fault"), 0);
	et_open(&dev, uuid0);
	CHECK(et_area(&dev, BAR2, 0, &off, &len));
	CHECK_EQ(off, 0);
	CHECK_EQ(len, ET_PAGE);
	/* those of processes lose values */
	CHECK(!et_area(&dev, BAR2, 1, &off, &len));
	et_close(&dev);

	/* no KVM to track for */
	CHECK_EQ(et_write_file(path, "track"), 0);
	et_open(&dev, uuid0);
	CHECK(!et_area(&dev, BAR2, 0, &off, &len));
}

static int try_mmap(unsigned int region, u64 off, size_t len, int prot,
		    int flags)
{
	void *p = mmap(NULL, len, prot, flags, dev.fd, dev.region[region] + off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

TEST(bad_mmap, 20)
{
	const int rw = PROT_READ | PROT_WRITE;
	u32 off;

	need_mapping();
	et_open(&dev, uuid0);
	CHECK_EQ(try_mmap(BAR2, 0, ET_PAGE, rw, MAP_SHARED), 0);
	CHECK_EQ(try_mmap(BAR2, 0, ET_PAGE, PROT_READ, MAP_SHARED), 0);
	CHECK_EQ(try_mmap(BAR2, 0, ET_PAGE, rw, MAP_PRIVATE), -EINVAL);
	/* EPERM from the kernel itself where the file is on a noexec mount */
	CHECK(try_mmap(BAR2, 0, ET_PAGE, rw | PROT_EXEC, MAP_SHARED) < 0);
	CHECK_EQ(try_mmap(BAR2, 0, 2 * ET_PAGE, rw, MAP_SHARED), -EINVAL);
	for (off = ET_PAGE; off < ION_BAR2_SIZE; off += 37 * ET_PAGE)
		CHECK_EQ(try_mmap(BAR2, off, ET_PAGE, rw, MAP_SHARED), -EINVAL);
	for (off = 0; off < ION_BAR0_SIZE; off += ET_PAGE)
		CHECK_EQ(try_mmap(BAR0, off, ET_PAGE, rw, MAP_SHARED),
			 off == ION_INTR_CTRL_OFF ? 0 : -EINVAL);
	CHECK_EQ(try_mmap(CFG, 0, ET_PAGE, rw, MAP_SHARED), -EINVAL);
	CHECK(mprotect((void *)dev.map[BAR2], ET_PAGE, rw | PROT_EXEC) < 0);
}

/* ---- no store is lost ------------------------------------------------------- */

static unsigned int wanted(void)
{
	const char *n = getenv("ERNIC_TRANSITIONS");

	return n ? atoi(n) : 20000;
}

/* waits for the completion of what was rung; the page sleeps meanwhile or not */
static void await(struct et_queue *q, u64 i)
{
	u64 end = now_ns() + 3000000000ull;

	while (q->tail != q->head) {
		if (et_tx_reap(q, NULL))
			continue;
		if (now_ns() > end)
			FAIL("doorbell %llu of queue %u is lost: p %u, done %u",
			     (unsigned long long)i, q->index, q->head, q->tail);
	}
}

static void pause_ns(u64 ns)
{
	u64 end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void ring_one(struct et_queue *q)
{
	et_tx_desc(q, dev.rx[1].buf.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	et_ring(q);
}

TEST(transitions, 7200)
{
	struct et_queue *q = &dev.tx[0];
	unsigned int n = wanted(), seed = 1;
	u64 arms, slept, i = 0;

	need_mapping();
	/* asleep whenever the worker is done: each doorbell is a transition */
	param(PARAM("idle_us"), 0);
	et_open(&dev, uuid0);
	et_up(&dev);
	et_netdev_up(&dev, false);
	mode_is(&dev, et_config.doorbell);
	do {
		/* half of them hit the page as it goes to sleep */
		pause_ns(rand_r(&seed) % 2 ? rand_r(&seed) % 200000 :
					     rand_r(&seed) % 20000);
		ring_one(q);
		await(q, i++);
		if (!(i % 64))
			arms = counter(&dev, "db_arms");
		else
			arms = 0;
	} while (arms < n && i < 10ull * n);
	arms = counter(&dev, "db_arms");
	slept = counter(&dev, "db_faults") + counter(&dev, "db_tracks");
	tap_note("%llu doorbells, %llu arms, %llu sleeps, %llu useless, %llu refaults",
		 (unsigned long long)i, (unsigned long long)arms,
		 (unsigned long long)slept,
		 (unsigned long long)counter(&dev, "db_useless"),
		 (unsigned long long)counter(&dev, "db_refaults"));
	param(PARAM("idle_us"), 60);
	if (arms < n)
		FAIL("only %llu of %u transitions", (unsigned long long)arms, n);
	CHECK_EQ(counter(&dev, "db_unknown"), 0);
	et_check_canary(&dev);
}

struct writer {
	pthread_t thread;
	struct et_queue *q;
	unsigned int seed;
	u64 n;
	volatile bool *stop;
};

static void *write_tx(void *arg)
{
	struct writer *w = arg;

	while (!*w->stop) {
		pause_ns(rand_r(&w->seed) % 100000);
		ring_one(w->q);
		await(w->q, w->n++);
	}
	return NULL;
}

/* two queues, so two workers, share the page */
TEST(two_queues, 120)
{
	struct writer w[2] = { };
	volatile bool stop = false;
	u64 end = et_now_ms() + 5000;
	unsigned int i;

	need_mapping();
	param(PARAM("idle_us"), 5);
	et_open(&dev, uuid0);
	et_up(&dev);
	et_netdev_up(&dev, false);
	for (i = 0; i < 2; i++) {
		w[i].q = &dev.tx[i];
		w[i].seed = i + 1;
		w[i].stop = &stop;
		CHECK(!pthread_create(&w[i].thread, NULL, write_tx, &w[i]));
	}
	while (et_now_ms() < end)
		usleep(20000);
	stop = true;
	for (i = 0; i < 2; i++)
		CHECK(!pthread_join(w[i].thread, NULL));
	param(PARAM("idle_us"), 60);
	tap_note("%llu and %llu doorbells, %llu arms",
		 (unsigned long long)w[0].n, (unsigned long long)w[1].n,
		 (unsigned long long)counter(&dev, "db_arms"));
	CHECK(w[0].n > 100 && w[1].n > 100);
	et_check_canary(&dev);
}

/* the trapped entrance stays open beside the mapped one */
TEST(both_entrances, 60)
{
	struct et_queue *q = &dev.tx[0];
	volatile u8 *map;
	unsigned int i;

	need_mapping();
	param(PARAM("idle_us"), 5);
	et_open(&dev, uuid0);
	et_up(&dev);
	et_netdev_up(&dev, false);
	map = dev.map[BAR2];
	for (i = 0; i < 3000; i++) {
		dev.map[BAR2] = i & 1 ? map : NULL;
		ring_one(q);
		await(q, i);
	}
	dev.map[BAR2] = map;
	param(PARAM("idle_us"), 60);
	CHECK(counter(&dev, "db_traps") >= 1500);
}

/* a queue set up anew may ring with the very value its predecessor had last */
TEST(same_value, 30)
{
	struct et_queue *q = &dev.tx[0];
	unsigned int i;

	need_mapping();
	et_open(&dev, uuid0);
	et_up(&dev);
	et_netdev_up(&dev, false);
	for (i = 0; i < 50; i++) {
		ring_one(q);
		await(q, i);
		CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
		et_q_clear(q);
		CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
		CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	}
	et_check_canary(&dev);
}

/* resets, firmware cycles and a closing VMM do not care for the page's state */
TEST(reset_under_load, 60)
{
	struct et_load load;
	unsigned int i;

	need_mapping();
	et_open(&dev, uuid0);
	et_up(&dev);
	for (i = 0; i < 10; i++) {
		et_load_start(&load, &dev, dev.rx[0].buf.iova,
			      dev.rx[0].buf.len);
		usleep(100000);
		if (i & 1)
			et_vfio_reset(&dev);
		else
			CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
		et_load_stop(&load);
		et_attach(&dev);
		et_start(&dev);
	}
	et_load_start(&load, &dev, dev.rx[0].buf.iova, dev.rx[0].buf.len);
	usleep(100000);
	et_load_stop(&load);
	et_close(&dev);
	et_open(&dev, uuid0);
	et_up(&dev);
	et_send_one(&dev, 0, 100);
	et_recv_one(&dev, 100);
}

TEST(two_devices, 60)
{
	unsigned int i;

	need_mapping();
	param(PARAM("idle_us"), 5);
	et_open(&dev, uuid0);
	et_up(&dev);
	et_open(&dev1, uuid1);
	et_up(&dev1);
	for (i = 0; i < 200; i++) {
		et_send_one(&dev, i & 1, 100 + i);
		et_send_one(&dev1, i & 1, 100 + i);
	}
	param(PARAM("idle_us"), 60);
	et_check_canary(&dev);
	et_check_canary(&dev1);
}

/* ---- an idle device -------------------------------------------------------- */

/* number @field, from 0, of a file in /proc; false if it is not there */
static bool proc_number(const char *pid, const char *file, int field, u64 *val)
{
	char path[300], text[1024], *p = text, *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	/* a name may hold blanks */
	end = strrchr(text, ')');
	if (end)
		p = end + 1;
	while (field-- && (p = strchr(p + 1, ' ')))
		;
	if (!p)
		return false;
	*val = strtoull(p, &end, 10);
	return end != p;
}

/* time on a CPU of all threads of all devices, and their number */
static u64 cpu_time(unsigned int *n)
{
	struct dirent *e;
	u64 sum = 0, t;
	DIR *proc;

	*n = 0;
	proc = opendir("/proc");
	CHECK(proc);
	while ((e = readdir(proc))) {
		char path[300], comm[32];

		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		if (et_read_file(path, comm, sizeof(comm)) ||
		    strncmp(comm, "ernic", 5) || !strchr(comm, '-'))
			continue;
		++*n;
		/* not every kernel has schedstat: utime and stime, then */
		if (proc_number(e->d_name, "schedstat", 0, &t) ||
		    proc_number(e->d_name, "stat", 13, &t))
			sum += t;
	}
	closedir(proc);
	return sum;
}

TEST(idle, 60)
{
	u64 before, after, ticks;
	unsigned int n;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_up(&dev);
	et_send_one(&dev, 0, 100);
	et_recv_one(&dev, 100);
	/* the statistics of that are published within a second, once */
	et_netdev_up(&dev, false);
	sleep(3);
	before = cpu_time(&n);
	ticks = counter(&dev, "intr_ticks");
	CHECK(n >= 2);
	sleep(10);
	after = cpu_time(&n);
	tap_note("%llu more in 10 s", (unsigned long long)(after - before));
	CHECK_EQ(after, before);
	/* nobody gave the credits back: a slow timer looks for that */
	CHECK(counter(&dev, "intr_ticks") - ticks < 1000);
}

/* ---- interrupts ---------------------------------------------------------------- */

TEST(unmask, 60)
{
	struct et_queue *q = &dev.tx[0];
	unsigned int i, seed = 1, done, n = 3000;
	u32 vec = 1;

	need_mapping();
	et_open(&dev, uuid0);
	et_irq_enable(&dev, vec);
	et_up(&dev);
	et_netdev_up(&dev, false);
	for (i = 0; i < n; i++) {
		ring_one(q);
		if (!et_irq_wait(dev.irq[vec], 3000))
			FAIL("no interrupt for completion %u", i);
		done = et_tx_reap(q, NULL);
		/* one that comes between the last look and the unmask */
		if (i & 1) {
			ring_one(q);
			pause_ns(rand_r(&seed) % 200000);
		}
		et_intr_write(&dev, vec, ION_INTR_CREDITS,
			      done | ION_INTR_CRED_UNMASK);
		if (i & 1) {
			if (!et_irq_wait(dev.irq[vec], 3000))
				FAIL("no interrupt after unmask %u", i);
			done = et_tx_reap(q, NULL);
			et_intr_write(&dev, vec, ION_INTR_CREDITS,
				      done | ION_INTR_CRED_UNMASK);
		}
		CHECK(et_tx_drain(q, 1000));
	}
	tap_note("%llu looks of the timer for %u unmasks",
		 (unsigned long long)counter(&dev, "intr_ticks"), n + n / 2);
}

/* what the driver does at set-up: reads the credits and gives them back */
TEST(clean, 20)
{
	u32 vec = 1, n;
	unsigned int i;

	need_mapping();
	et_open(&dev, uuid0);
	et_irq_enable(&dev, vec);
	et_up(&dev);
	et_netdev_up(&dev, false);
	et_intr_write(&dev, vec, ION_INTR_MASK, 1);
	for (i = 0; i < 5; i++) {
		ring_one(&dev.tx[0]);
		CHECK(et_tx_drain(&dev.tx[0], 1000));
	}
	usleep(20000);
	et_irq_wait(dev.irq[vec], 0);
	n = et_intr_read(&dev, vec, ION_INTR_CREDITS);
	CHECK_EQ(n, 5);
	et_intr_write(&dev, vec, ION_INTR_CREDITS, n | ION_INTR_CRED_RESET_COAL);
	et_intr_write(&dev, vec, ION_INTR_MASK, 0);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 100), 0);
	ring_one(&dev.tx[0]);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 2000), 1);
}

/* any value in any register, at any rate, does no harm */
TEST(noise, 30)
{
	struct et_load load;
	unsigned int seed = 7, i;

	need_mapping();
	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_irq_enable(&dev, 2);
	et_up(&dev);
	et_load_start(&load, &dev, dev.rx[0].buf.iova, dev.rx[0].buf.len);
	for (i = 0; i < 300000; i++) {
		u32 off = rand_r(&seed) % (ET_PAGE / 4) * 4;

		*(volatile u32 *)(dev.map[BAR0] + off) = rand_r(&seed);
		off = rand_r(&seed) % (ET_PAGE / 8) * 8;
		*(volatile u64 *)(dev.map[BAR2] + off) =
			(u64)rand_r(&seed) << 32 | rand_r(&seed);
	}
	et_load_stop(&load);
	et_still_works(&dev);
}
