// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt state machine, one test a transition, then all of them at
 * random against a model that was written from the specification alone.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/prandom.h>

#include "mock.h"

#define CRED(n, flags)	((n) | (flags))
#define UNMASK		0x10000u
#define RESET_COAL	0x20000u
#define VEC		3

#define reg_write(m, reg, val)	ernic_intr_write((m)->edev, VEC, reg, val)
#define reg_read(m, reg)	ernic_intr_read((m)->edev, VEC, reg)
#define post(m, n)		ernic_intr_post((m)->edev, VEC, n)
#define signals(m)		mock_signals(m, VEC)

static void intr_reset_state(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_COAL_INIT));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK_ASSERT));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_COAL));
	KUNIT_EXPECT_FALSE(test, ernic_intr_msix_pending(m->edev, VEC));
}

static void intr_post_masked(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	post(m, 3);
	KUNIT_EXPECT_EQ(test, 3, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	/* a completion between queue enable and mask = 0 is announced here */
	reg_write(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 3, reg_read(m, ION_INTR_CREDITS));
}

static void intr_post_none(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK, 0);
	post(m, 0);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
}

static void intr_post_unmasked(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	post(m, 2);
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK));
	KUNIT_EXPECT_EQ(test, 3, reg_read(m, ION_INTR_CREDITS));
}

/* waits until the vector has fired @n times, for @ms at most */
static bool fired(struct mock *m, unsigned int n, unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	while (signals(m) < n && time_before(jiffies, end))
		usleep_range(100, 200);
	return signals(m) >= n;
}

#define post_lazy(m, n)		ernic_intr_post_lazy((m)->edev, VEC, n, LAZY)
#define LAZY			8
/* until a timer has run that is late on a busy machine */
#define PATIENCE		20000

/* completions that can wait are announced in the end */
static void intr_lazy(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post_lazy(m, 2);
	KUNIT_EXPECT_EQ(test, 2, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_TRUE(test, fired(m, 1, PATIENCE));
	/* so are those that the driver has left behind */
	reg_write(m, ION_INTR_CREDITS, CRED(1, UNMASK));
	KUNIT_EXPECT_TRUE(test, fired(m, 2, PATIENCE));
}

/* another completion, or many of them, do not wait; with a timer of a second */
static void intr_lazy_ends(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	m->edev->intr[VEC].lazy_on = true;
	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post_lazy(m, LAZY - 1);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	/* what is given back may have been the other one, but who knows */
	reg_write(m, ION_INTR_CREDITS, CRED(LAZY - 1, UNMASK));
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	reg_write(m, ION_INTR_CREDITS, CRED(1, UNMASK));
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	post_lazy(m, LAZY - 2);
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	post_lazy(m, 2);
	KUNIT_EXPECT_EQ(test, 3, signals(m));
	/* lazy ones come on top of others while the vector is masked */
	reg_write(m, ION_INTR_CREDITS, CRED(LAZY, 0));
	post(m, 1);
	post_lazy(m, 1);
	reg_write(m, ION_INTR_CREDITS, CRED(0, UNMASK));
	KUNIT_EXPECT_EQ(test, 4, signals(m));
	/* the leak guard takes all */
	reg_write(m, ION_INTR_CREDITS, CRED(0, UNMASK));
	KUNIT_EXPECT_EQ(test, 4, signals(m));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, m->edev->intr[VEC].lazy);
	m->edev->intr[VEC].lazy_on = false;
}

static void intr_mask_on_assert(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 2, reg_read(m, ION_INTR_CREDITS));
}

/* nothing but these may cause an interrupt: mask = 0, credits with bit 16 */
static void intr_no_trigger(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	post(m, 5);
	reg_write(m, ION_INTR_MASK, 1);
	reg_write(m, ION_INTR_COAL_INIT, 0x3f);
	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK_ASSERT, 0);
	reg_write(m, ION_INTR_COAL, 1);
	reg_write(m, ION_INTR_CREDITS, CRED(1, 0));
	reg_write(m, ION_INTR_CREDITS, CRED(1, RESET_COAL));
	reg_write(m, ION_INTR_CREDITS, CRED(0, RESET_COAL));
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	KUNIT_EXPECT_EQ(test, 3, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	KUNIT_EXPECT_EQ(test, 0x3f, reg_read(m, ION_INTR_COAL_INIT));
}

static void intr_credits_clamped(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	post(m, 2);
	reg_write(m, ION_INTR_CREDITS, CRED(0xffff, 0));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	reg_write(m, ION_INTR_CREDITS, CRED(1, UNMASK));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	/* the driver reads 16 bits, signed */
	post(m, 70000);
	KUNIT_EXPECT_LE(test, reg_read(m, ION_INTR_CREDITS), 0x7fffu);
	KUNIT_EXPECT_GT(test, reg_read(m, ION_INTR_CREDITS), 0);
}

static void intr_unmask_mask_zero(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	reg_write(m, ION_INTR_MASK, 1);
	post(m, 1);
	reg_write(m, ION_INTR_CREDITS, CRED(1, 0));
	reg_write(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
}

/* NAPI that took everything: no interrupt; that left something: one more */
static void intr_unmask_credits(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 4);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	reg_write(m, ION_INTR_CREDITS, CRED(4, UNMASK | RESET_COAL));
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK));

	post(m, 4);
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	reg_write(m, ION_INTR_CREDITS, CRED(3, UNMASK | RESET_COAL));
	KUNIT_EXPECT_EQ(test, 3, signals(m));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_CREDITS));
}

/* budget used up: credits come back without an unmask */
static void intr_credits_without_unmask(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 64);
	reg_write(m, ION_INTR_CREDITS, CRED(60, RESET_COAL));
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	reg_write(m, ION_INTR_CREDITS, CRED(5, UNMASK));
	KUNIT_EXPECT_EQ(test, 1, signals(m));
}

/* a consumer that gives nothing back is not interrupted for ever */
static void intr_leak_guard(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 2);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	reg_write(m, ION_INTR_CREDITS, CRED(0, UNMASK));
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK));

	/* but what was posted after the assert is announced */
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	post(m, 1);
	reg_write(m, ION_INTR_CREDITS, CRED(0, UNMASK));
	KUNIT_EXPECT_EQ(test, 3, signals(m));
	KUNIT_EXPECT_EQ(test, 2, reg_read(m, ION_INTR_CREDITS));
}

/* with a count the guard stays out: that is transmit work left behind */
static void intr_leak_guard_counted(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 300);
	reg_write(m, ION_INTR_CREDITS, CRED(256, UNMASK | RESET_COAL));
	KUNIT_EXPECT_EQ(test, 2, signals(m));
	KUNIT_EXPECT_EQ(test, 44, reg_read(m, ION_INTR_CREDITS));
}

/* an interrupt without a completion: the driver finds nothing, we do nothing */
static void intr_spurious_ack(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_CREDITS, CRED(0, UNMASK | RESET_COAL));
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK));
}

/* ionic_intr_clean(): read, write the same count back */
static void intr_clean(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	post(m, 7);
	reg_write(m, ION_INTR_CREDITS,
		  CRED(reg_read(m, ION_INTR_CREDITS), RESET_COAL));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	reg_write(m, ION_INTR_MASK, 0);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
}

static void intr_msix_pending(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_MASK, 0);
	ernic_intr_msix_mask(m->edev, VEC, true);
	KUNIT_EXPECT_FALSE(test, ernic_intr_msix_pending(m->edev, VEC));
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	KUNIT_EXPECT_TRUE(test, ernic_intr_msix_pending(m->edev, VEC));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	ernic_intr_msix_mask(m->edev, VEC, true);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	ernic_intr_msix_mask(m->edev, VEC, false);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_FALSE(test, ernic_intr_msix_pending(m->edev, VEC));
	ernic_intr_msix_mask(m->edev, VEC, true);
	ernic_intr_msix_mask(m->edev, VEC, false);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
}

static void intr_msix_collapse(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK, 0);
	ernic_intr_msix_mask(m->edev, VEC, true);
	post(m, 1);
	post(m, 1);
	post(m, 1);
	ernic_intr_msix_mask(m->edev, VEC, false);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
	KUNIT_EXPECT_EQ(test, 3, reg_read(m, ION_INTR_CREDITS));
}

static void intr_reset(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	reg_write(m, ION_INTR_MASK_ASSERT, 1);
	reg_write(m, ION_INTR_COAL_INIT, 5);
	reg_write(m, ION_INTR_MASK, 0);
	ernic_intr_msix_mask(m->edev, VEC, true);
	post(m, 9);
	ernic_intr_reset(m->edev);
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_COAL_INIT));
	KUNIT_EXPECT_EQ(test, 1, reg_read(m, ION_INTR_MASK));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_CREDITS));
	KUNIT_EXPECT_EQ(test, 0, reg_read(m, ION_INTR_MASK_ASSERT));
	/* nothing is left to deliver; the table's mask is not the function's */
	reg_write(m, ION_INTR_MASK, 0);
	post(m, 1);
	KUNIT_EXPECT_EQ(test, 0, signals(m));
	ernic_intr_msix_mask(m->edev, VEC, false);
	KUNIT_EXPECT_EQ(test, 1, signals(m));
}

static void intr_vectors_apart(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	unsigned int vec;

	for (vec = 0; vec < ION_MSIX_VECTORS; vec++)
		ernic_intr_write(m->edev, vec, ION_INTR_MASK, 0);
	ernic_intr_post(m->edev, 0, 1);
	ernic_intr_post(m->edev, ION_MSIX_VECTORS - 1, 1);
	for (vec = 0; vec < ION_MSIX_VECTORS; vec++)
		KUNIT_EXPECT_EQ(test, mock_signals(m, vec),
				vec == 0 || vec == ION_MSIX_VECTORS - 1);
}

/* the specification, in the order of its sentences */
struct model {
	bool mask, mask_on_assert, msix_masked, pending;
	s64 credits;
	u64 posted, posted_at_assert;
	unsigned int signals;
};

static void model_assert(struct model *s)
{
	s->posted_at_assert = s->posted;
	if (s->mask_on_assert)
		s->mask = true;
	if (s->msix_masked)
		s->pending = true;
	else
		s->signals++;
}

static void model_post(struct model *s)
{
	s->credits++;
	s->posted++;
	if (!s->mask)
		model_assert(s);
}

static void model_mask(struct model *s, u32 v)
{
	s->mask = v & 1;
	if (!s->mask && s->credits > 0)
		model_assert(s);
}

static void model_credits(struct model *s, u32 v)
{
	u32 n = v & 0xffff;

	s->credits = s->credits > n ? s->credits - n : 0;
	if (!(v & UNMASK))
		return;
	s->mask = false;
	if (n == 0 && s->posted == s->posted_at_assert)
		s->credits = 0;
	if (s->credits > 0)
		model_assert(s);
}

static void model_msix(struct model *s, bool masked)
{
	s->msix_masked = masked;
	if (!masked && s->pending) {
		s->pending = false;
		s->signals++;
	}
}

static void intr_random(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct model s = { .mask = true };
	struct rnd_state rnd;
	unsigned int i, op;
	u32 v;

	prandom_seed_state(&rnd, 20260921);
	for (i = 0; i < 200000; i++) {
		op = prandom_u32_state(&rnd) % 8;
		v = prandom_u32_state(&rnd);
		switch (op) {
		case 0:
		case 1:
			post(m, 1);
			model_post(&s);
			break;
		case 2:
			reg_write(m, ION_INTR_MASK, v & 1);
			model_mask(&s, v & 1);
			break;
		case 3:
		case 4:
			/* counts around what is outstanding, all flags */
			v = (v >> 18 & 7) | (v & (UNMASK | RESET_COAL));
			reg_write(m, ION_INTR_CREDITS, v);
			model_credits(&s, v);
			break;
		case 5:
			reg_write(m, ION_INTR_MASK_ASSERT, v & 1);
			s.mask_on_assert = v & 1;
			break;
		case 6:
			ernic_intr_msix_mask(m->edev, VEC, v & 1);
			model_msix(&s, v & 1);
			break;
		case 7:
			reg_write(m, ION_INTR_COAL_INIT, v);
			break;
		}
		KUNIT_ASSERT_EQ_MSG(test, s.signals, signals(m), "step %u op %u",
				    i, op);
		KUNIT_ASSERT_EQ(test, s.mask, reg_read(m, ION_INTR_MASK));
		KUNIT_ASSERT_EQ(test, s.credits,
				reg_read(m, ION_INTR_CREDITS));
		KUNIT_ASSERT_EQ(test, s.pending,
				ernic_intr_msix_pending(m->edev, VEC));
	}
}

static struct kunit_case intr_cases[] = {
	KUNIT_CASE(intr_reset_state),
	KUNIT_CASE(intr_post_masked),
	KUNIT_CASE(intr_post_none),
	KUNIT_CASE(intr_post_unmasked),
	KUNIT_CASE(intr_lazy),
	KUNIT_CASE(intr_lazy_ends),
	KUNIT_CASE(intr_mask_on_assert),
	KUNIT_CASE(intr_no_trigger),
	KUNIT_CASE(intr_credits_clamped),
	KUNIT_CASE(intr_unmask_mask_zero),
	KUNIT_CASE(intr_unmask_credits),
	KUNIT_CASE(intr_credits_without_unmask),
	KUNIT_CASE(intr_leak_guard),
	KUNIT_CASE(intr_leak_guard_counted),
	KUNIT_CASE(intr_spurious_ack),
	KUNIT_CASE(intr_clean),
	KUNIT_CASE(intr_msix_pending),
	KUNIT_CASE(intr_msix_collapse),
	KUNIT_CASE(intr_reset),
	KUNIT_CASE(intr_vectors_apart),
	KUNIT_CASE(intr_random),
	{}
};

static struct kunit_suite intr_suite = {
	.name = "ernic-intr",
	.test_cases = intr_cases,
};

kunit_test_suite(intr_suite);
