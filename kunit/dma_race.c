// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping against unmapping, with threads.
 *
 * Each page of the guest holds its index in the low half of every word.  Who
 * unmaps a range does as vfio type1 does: it calls ernic_dma_unmap(), and if it
 * still finds a pin it calls again, at most ten times, where type1 has its
 * BUG().  Then the pages belong to somebody else: they are filled with poison,
 * which no reader may see and no writer may change.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "mock.h"

#define POISON		0xdeadbeefdeadbeefull
#define RACE_THREADS	3
#define RACE_PAGES	64u
#define RACE_TIME	(HZ * 3 / 2)

struct race {
	struct mock *m;
	bool stop;
	atomic_t poison_seen;
	atomic_t accesses;
	atomic_t faults;
	struct completion done;
	atomic_t running;
	atomic_t seed;
};

static bool race_ok(u64 val, unsigned int page)
{
	return (u32)val == page;
}

static void race_access(struct race *r, struct rnd_state *rnd)
{
	struct ernic_dev *edev = r->m->edev;
	unsigned int page = prandom_u32_state(rnd) % RACE_PAGES;
	u64 iova = MOCK_BASE + page * PAGE_SIZE +
		   prandom_u32_state(rnd) % (PAGE_SIZE / 8) * 8;
	u64 val = page | (u64)prandom_u32_state(rnd) << 32;
	unsigned int op = prandom_u32_state(rnd) % 4;
	size_t len = 8;
	int idx, err = 0;
	u64 *p;

	switch (op) {
	case 0:
		err = ernic_dma_read(edev, iova, &val, 8);
		if (!err && !race_ok(val, page))
			atomic_inc(&r->poison_seen);
		break;
	case 1:
		err = ernic_dma_write(edev, iova, &val, 8);
		break;
	case 2:
		err = ernic_dma_write64_release(edev, iova, cpu_to_le64(val));
		break;
	default:
		idx = ernic_dma_lock(edev);
		p = ernic_dma_map(edev, iova, &len);
		if (p && len == 8) {
			WRITE_ONCE(*p, val);
			if (prandom_u32_state(rnd) % 64 == 0)
				usleep_range(50, 500);
			else
				cond_resched();
			if (!race_ok(READ_ONCE(*p), page))
				atomic_inc(&r->poison_seen);
			WRITE_ONCE(*p, val);
		}
		ernic_dma_unlock(edev, idx);
		break;
	}
	if (err)
		atomic_inc(&r->faults);
	else
		atomic_inc(&r->accesses);
}

static int race_reader(void *data)
{
	struct race *r = data;
	struct rnd_state rnd;
	unsigned int n = 0;

	prandom_seed_state(&rnd, atomic_inc_return(&r->seed));
	while (!READ_ONCE(r->stop)) {
		race_access(r, &rnd);
		/* UML preempts nobody who never enables preemption */
		if (++n % 512 == 0)
			usleep_range(10, 50);
	}
	if (atomic_dec_and_test(&r->running))
		complete(&r->done);
	return 0;
}

static void race_fill(struct mock *m, unsigned int page, u64 val)
{
	u64 *p = page_address(m->map[page]);
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / 8; i++)
		WRITE_ONCE(p[i], val);
}

static bool race_intact(struct mock *m, unsigned int page)
{
	u64 *p = page_address(m->map[page]);
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / 8; i++)
		if (READ_ONCE(p[i]) != POISON)
			return false;
	return true;
}

/* number of calls that it took; the range is not mapped on return */
static unsigned int race_unmap(struct mock *m, unsigned int first,
			       unsigned int n)
{
	unsigned int calls, i, pins;

	for (calls = 1; ; calls++) {
		ernic_dma_unmap(m->edev, MOCK_BASE + first * PAGE_SIZE,
				(u64)n * PAGE_SIZE);
		spin_lock(&m->lock);
		pins = 0;
		for (i = first; i < first + n; i++)
			pins += m->pins[i];
		if (!pins || calls > 10)
			for (i = first; i < first + n; i++)
				m->gone[i] = true;
		spin_unlock(&m->lock);
		if (!pins || calls > 10)
			return calls;
	}
}

static void race_remap(struct mock *m, unsigned int first, unsigned int n)
{
	unsigned int i;

	for (i = first; i < first + n; i++)
		race_fill(m, i, i);
	spin_lock(&m->lock);
	for (i = first; i < first + n; i++)
		m->gone[i] = false;
	spin_unlock(&m->lock);
}

static void race_run(struct kunit *test, unsigned long budget)
{
	struct mock *m = mock_dma(test);
	struct race r = { .m = m };
	unsigned long end = jiffies + RACE_TIME;
	unsigned int i, first, n, unmaps = 0, changed = 0, worst = 0;
	struct rnd_state rnd;

	m->edev->dma.budget = budget;
	init_completion(&r.done);
	race_remap(m, 0, MOCK_PAGES);
	atomic_set(&r.running, 1);
	for (i = 0; i < RACE_THREADS; i++) {
		struct task_struct *t;

		atomic_inc(&r.running);
		t = kthread_run(race_reader, &r, "ernic-race/%u", i);
		if (IS_ERR(t))
			atomic_dec(&r.running);
	}

	prandom_seed_state(&rnd, 4711);
	while (time_before(jiffies, end)) {
		first = prandom_u32_state(&rnd) % RACE_PAGES;
		n = 1 + prandom_u32_state(&rnd) % (RACE_PAGES - first);
		worst = max(worst, race_unmap(m, first, n));
		for (i = first; i < first + n; i++)
			race_fill(m, i, POISON);
		usleep_range(200, 2000);
		for (i = first; i < first + n; i++)
			changed += !race_intact(m, i);
		race_remap(m, first, n);
		/* now and then long enough for pins to come back */
		if (prandom_u32_state(&rnd) % 4 == 0)
			msleep(30);
		unmaps++;
	}
	WRITE_ONCE(r.stop, true);
	if (!atomic_dec_and_test(&r.running))
		wait_for_completion(&r.done);

	kunit_info(test, "%u unmaps, %d accesses, %d faults, %lld pins, %lld evictions, %lld fallbacks, at most %u calls",
		   unmaps, atomic_read(&r.accesses), atomic_read(&r.faults),
		   atomic64_read(&m->edev->dma.pins),
		   atomic64_read(&m->edev->dma.evictions),
		   atomic64_read(&m->edev->dma.fallbacks), worst);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&r.poison_seen));
	KUNIT_EXPECT_EQ(test, 0, changed);
	KUNIT_EXPECT_LE(test, worst, 10);
	/* the test did what it is for */
	KUNIT_EXPECT_GT(test, unmaps, 10);
	KUNIT_EXPECT_GT(test, atomic_read(&r.accesses), 1000);
	KUNIT_EXPECT_GT(test, atomic64_read(&m->edev->dma.pins), 0);
	KUNIT_EXPECT_EQ(test, m->edev->dma.npinned,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
}

static void race_unmap_all(struct kunit *test)
{
	race_run(test, 0);
}

/* the same while chunks also go because of the budget */
static void race_unmap_evict(struct kunit *test)
{
	race_run(test, 2 * ERNIC_CHUNK_PAGES);
}

/* DMA off means off: nothing moves after ernic_dma_disable() */
static void race_disable(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct race r = { .m = m };
	unsigned int i, round, changed = 0;

	init_completion(&r.done);
	race_remap(m, 0, MOCK_PAGES);
	atomic_set(&r.running, 1);
	for (i = 0; i < RACE_THREADS; i++) {
		struct task_struct *t;

		atomic_inc(&r.running);
		t = kthread_run(race_reader, &r, "ernic-race/%u", i);
		if (IS_ERR(t))
			atomic_dec(&r.running);
	}
	for (round = 0; round < 40; round++) {
		usleep_range(1000, 3000);
		ernic_dma_disable(m->edev);
		for (i = 0; i < RACE_PAGES; i++)
			race_fill(m, i, POISON);
		usleep_range(1000, 3000);
		for (i = 0; i < RACE_PAGES; i++)
			changed += !race_intact(m, i);
		for (i = 0; i < RACE_PAGES; i++)
			race_fill(m, i, i);
		ernic_dma_enable(m->edev);
	}
	WRITE_ONCE(r.stop, true);
	if (!atomic_dec_and_test(&r.running))
		wait_for_completion(&r.done);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&r.poison_seen));
	KUNIT_EXPECT_EQ(test, 0, changed);
	KUNIT_EXPECT_GT(test, atomic_read(&r.accesses), 100);
	KUNIT_EXPECT_GT(test, atomic_read(&r.faults), 0);
}

static struct kunit_case race_cases[] = {
	KUNIT_CASE_SLOW(race_unmap_all),
	KUNIT_CASE_SLOW(race_unmap_evict),
	KUNIT_CASE_SLOW(race_disable),
	{}
};

static struct kunit_suite race_suite = {
	.name = "ernic-dma-race",
	.test_cases = race_cases,
};

kunit_test_suite(race_suite);
