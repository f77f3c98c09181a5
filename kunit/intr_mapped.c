// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of interrupts that are a page of the guest: its stores are no calls.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "mock.h"

#define UNMASK	0x10000u
#define VEC	3

static u32 peek(struct mock *m, unsigned int reg)
{
	return le32_to_cpu(READ_ONCE(m->edev->intr[VEC].regs[reg / 4]));
}

/* a store of the guest */
static void poke(struct mock *m, unsigned int reg, u32 val)
{
	WRITE_ONCE(m->edev->intr[VEC].regs[reg / 4], cpu_to_le32(val));
}

static bool watched(struct mock *m)
{
	return test_bit(VEC, m->edev->intr_watch.vec);
}

static struct mock *mapped(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	ernic_intr_mapped(m->edev);
	return m;
}

/* unmasked, masks itself, one interrupt for @n completions that were taken */
static struct mock *asserted(struct kunit *test, unsigned int n)
{
	struct mock *m = mapped(test);

	poke(m, ION_INTR_MASK_ASSERT, 1);
	poke(m, ION_INTR_MASK, 0);
	ernic_intr_post(m->edev, VEC, n);
	KUNIT_ASSERT_EQ(test, 1, mock_signals(m, VEC));
	KUNIT_ASSERT_EQ(test, 1, peek(m, ION_INTR_MASK));
	KUNIT_ASSERT_EQ(test, n, peek(m, ION_INTR_CREDITS));
	return m;
}

static bool signalled(struct mock *m, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < 2000 && mock_signals(m, VEC) < n; i++)
		usleep_range(500, 1000);
	return mock_signals(m, VEC) == n;
}

/* what the driver gave back is gone from what it is shown */
static void mapped_publish(struct kunit *test)
{
	struct mock *m = mapped(test);

	ernic_intr_post(m->edev, VEC, 5);
	KUNIT_EXPECT_EQ(test, 5, peek(m, ION_INTR_CREDITS));
	poke(m, ION_INTR_CREDITS, 2);
	KUNIT_EXPECT_EQ(test, 3, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 3, peek(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 1, m->edev->intr[VEC].acks);
	/* by a post as well */
	poke(m, ION_INTR_CREDITS, 1);
	ernic_intr_post(m->edev, VEC, 4);
	KUNIT_EXPECT_EQ(test, 6, peek(m, ION_INTR_CREDITS));
	/* and never below nothing */
	poke(m, ION_INTR_CREDITS, 0xffff);
	KUNIT_EXPECT_EQ(test, 0, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 0, peek(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, mock_signals(m, VEC));
}

/* a store of what is shown is the one that cannot be seen */
static void mapped_equal(struct kunit *test)
{
	struct mock *m = mapped(test);

	ernic_intr_post(m->edev, VEC, 2);
	poke(m, ION_INTR_CREDITS, 2);
	KUNIT_EXPECT_EQ(test, 2, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 0, m->edev->intr[VEC].acks);
	/* with a flag it is another value */
	poke(m, ION_INTR_CREDITS, 2 | UNMASK);
	KUNIT_EXPECT_EQ(test, 0, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 1, m->edev->intr[VEC].acks);
	KUNIT_EXPECT_EQ(test, 0, peek(m, ION_INTR_MASK));
}

static void mapped_mask(struct kunit *test)
{
	struct mock *m = mapped(test);

	poke(m, ION_INTR_MASK, 0);
	ernic_intr_post(m->edev, VEC, 1);
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, VEC));
	poke(m, ION_INTR_MASK, 1);
	ernic_intr_post(m->edev, VEC, 1);
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, VEC));
	/* nobody posts: the timer finds this */
	poke(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_TRUE(test, signalled(m, 2));
}

/* NAPI left one behind, and nothing else happens */
static void mapped_timer(struct kunit *test)
{
	struct mock *m = asserted(test, 3);

	KUNIT_EXPECT_TRUE(test, watched(m));
	poke(m, ION_INTR_CREDITS, 2 | UNMASK);
	KUNIT_EXPECT_TRUE(test, signalled(m, 2));
	KUNIT_EXPECT_EQ(test, 1, peek(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 1, peek(m, ION_INTR_MASK));
	KUNIT_EXPECT_TRUE(test, watched(m));
}

/* all was taken: no interrupt, and the timer ends */
static void mapped_timer_ends(struct kunit *test)
{
	struct mock *m = asserted(test, 3);
	unsigned int i;
	s64 ticks;

	poke(m, ION_INTR_CREDITS, 3 | UNMASK);
	for (i = 0; i < 2000 && watched(m); i++)
		usleep_range(500, 1000);
	KUNIT_EXPECT_FALSE(test, watched(m));
	KUNIT_EXPECT_EQ(test, 0, peek(m, ION_INTR_MASK));
	/* one that was under way */
	msleep(20);
	ticks = atomic64_read(&m->edev->intr_watch.ticks);
	msleep(60);
	KUNIT_EXPECT_EQ(test, ticks, atomic64_read(&m->edev->intr_watch.ticks));
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, VEC));
	KUNIT_EXPECT_FALSE(test, m->edev->intr_watch.on);
}

/* a driver that does not come back is looked at ever less */
static void mapped_timer_slows(struct kunit *test)
{
	struct mock *m = asserted(test, 1);
	s64 ticks;

	msleep(300);
	KUNIT_EXPECT_GT(test, m->edev->intr_watch.period_ns,
			(u64)4 * NSEC_PER_MSEC);
	ticks = atomic64_read(&m->edev->intr_watch.ticks);
	msleep(200);
	KUNIT_EXPECT_LE(test, atomic64_read(&m->edev->intr_watch.ticks) - ticks,
			30);
	/* the leak guard: nothing posted since, so what is left is forgotten */
	poke(m, ION_INTR_CREDITS, UNMASK);
	msleep(100);
	KUNIT_EXPECT_EQ(test, 0, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, VEC));
}

/* masked with credits before the page was mapped, as after a trapped access */
static void mapped_later(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	ernic_intr_post(m->edev, VEC, 2);
	KUNIT_EXPECT_FALSE(test, watched(m));
	msleep(20);
	KUNIT_EXPECT_EQ(test, 0, atomic64_read(&m->edev->intr_watch.ticks));
	ernic_intr_mapped(m->edev);
	KUNIT_EXPECT_TRUE(test, watched(m));
	poke(m, ION_INTR_CREDITS, 1 | UNMASK);
	KUNIT_EXPECT_TRUE(test, signalled(m, 1));
}

static void mapped_close(struct kunit *test)
{
	struct mock *m = asserted(test, 1);
	s64 ticks;

	ernic_intr_close(m->edev);
	KUNIT_EXPECT_FALSE(test, watched(m));
	ticks = atomic64_read(&m->edev->intr_watch.ticks);
	msleep(50);
	KUNIT_EXPECT_EQ(test, ticks, atomic64_read(&m->edev->intr_watch.ticks));
	/* not mapped: nothing is watched */
	ernic_intr_post(m->edev, VEC, 1);
	KUNIT_EXPECT_FALSE(test, watched(m));
}

struct poster {
	struct mock *m;
	unsigned int n;
	struct completion done;
};

static int poster(void *data)
{
	struct poster *p = data;
	unsigned int i;

	for (i = 0; i < p->n; i++) {
		ernic_intr_post(p->m->edev, VEC, 1);
		if (i % 16 == 0)
			cond_resched();
	}
	complete(&p->done);
	return 0;
}

/*
 * A driver that takes one store after the other gives all back: none is lost, whether
 * it beats the device's own or not.
 */
static void mapped_race(struct kunit *test)
{
	struct mock *m = mapped(test);
	struct poster p = { .m = m, .n = 20000 };
	struct ernic_intr *intr = &m->edev->intr[VEC];
	struct task_struct *task;
	unsigned int given = 0;
	u64 acks;

	init_completion(&p.done);
	task = kthread_run(poster, &p, "ernic-poster");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	while (given < p.n) {
		u32 n = ernic_intr_outstanding(m->edev, VEC);

		if (!n) {
			cond_resched();
			continue;
		}
		/* the flag makes it a value that was never shown */
		acks = READ_ONCE(intr->acks);
		poke(m, ION_INTR_CREDITS, 1 | ION_INTR_CRED_RESET_COAL);
		while (READ_ONCE(intr->acks) == acks)
			ernic_intr_outstanding(m->edev, VEC);
		given++;
	}
	wait_for_completion(&p.done);
	KUNIT_EXPECT_EQ(test, 0, ernic_intr_outstanding(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 0, peek(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, p.n, intr->acks);
}

static struct kunit_case mapped_cases[] = {
	KUNIT_CASE(mapped_publish),
	KUNIT_CASE(mapped_equal),
	KUNIT_CASE(mapped_mask),
	KUNIT_CASE(mapped_timer),
	KUNIT_CASE(mapped_timer_ends),
	KUNIT_CASE(mapped_timer_slows),
	KUNIT_CASE(mapped_later),
	KUNIT_CASE(mapped_close),
	KUNIT_CASE(mapped_race),
	{}
};

static struct kunit_suite mapped_suite = {
	.name = "ernic-intr-mapped",
	.test_cases = mapped_cases,
};

kunit_test_suite(mapped_suite);
