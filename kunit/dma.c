// SPDX-License-Identifier: GPL-2.0-only
/* Guest memory: chunks, single pages, the fallback, the budget. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "mock.h"

static u64 read64(struct mock *m, u64 iova)
{
	u64 val = ~0ull;

	KUNIT_EXPECT_EQ(m->test, 0, ernic_dma_read(m->edev, iova, &val,
						   sizeof(val)));
	return val;
}

static void dma_first_touch(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	*(u64 *)mock_ptr(m, MOCK_BASE + 0x18) = 42;
	KUNIT_EXPECT_EQ(test, 0, m->pin_calls);
	KUNIT_EXPECT_EQ(test, 42, read64(m, MOCK_BASE + 0x18));
	KUNIT_EXPECT_EQ(test, 1, m->pin_calls);
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, ERNIC_CHUNK_SIZE));
	read64(m, MOCK_BASE);
	read64(m, MOCK_BASE + ERNIC_CHUNK_SIZE - 8);
	KUNIT_EXPECT_EQ(test, 1, m->pin_calls);
	read64(m, MOCK_BASE + ERNIC_CHUNK_SIZE);
	KUNIT_EXPECT_EQ(test, 2, m->pin_calls);
	KUNIT_EXPECT_EQ(test, 0, m->rw_calls);
	KUNIT_EXPECT_EQ(test, 2 * ERNIC_CHUNK_PAGES, m->edev->dma.npinned);
}

/* every offset around a page and a chunk boundary, both ways */
static void dma_copy(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	u64 edge[] = { MOCK_BASE + PAGE_SIZE, MOCK_BASE + ERNIC_CHUNK_SIZE };
	u8 out[3 * 64], in[3 * 64];
	unsigned int e, off, len, i;

	for (e = 0; e < ARRAY_SIZE(edge); e++) {
		for (off = 0; off < 64; off += 5) {
			for (len = 1; len < sizeof(out); len += 13) {
				u64 iova = edge[e] - 64 + off;

				for (i = 0; i < len; i++)
					out[i] = i * 7 + off + len;
				KUNIT_ASSERT_EQ(test, 0,
						ernic_dma_write(m->edev, iova,
								out, len));
				for (i = 0; i < len; i++)
					KUNIT_ASSERT_EQ(test, out[i],
							*(u8 *)mock_ptr(m, iova + i));
				memset(in, 0, sizeof(in));
				KUNIT_ASSERT_EQ(test, 0,
						ernic_dma_read(m->edev, iova,
							       in, len));
				KUNIT_ASSERT_MEMEQ(test, out, in, len);
			}
		}
	}
}

/* what map returns is that memory, no further than it is contiguous */
static void dma_map_run(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	u64 iova = MOCK_BASE;
	size_t len, i;
	int idx;
	u8 *p;

	idx = ernic_dma_lock(m->edev);
	while (iova < MOCK_BASE + MOCK_SIZE) {
		len = MOCK_SIZE;
		p = ernic_dma_map(m->edev, iova, &len);
		KUNIT_EXPECT_NOT_NULL(test, p);
		KUNIT_EXPECT_GT(test, len, 0);
		if (!p || !len)
			break;
		for (i = 0; i < len; i += 256)
			if (p + i != mock_ptr(m, iova + i))
				break;
		KUNIT_EXPECT_GE(test, i, len);
		iova += len;
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(iova, PAGE_SIZE));
	}
	len = 5;
	KUNIT_EXPECT_NOT_NULL(test, ernic_dma_map(m->edev, MOCK_BASE + 3,
						  &len));
	KUNIT_EXPECT_EQ(test, 5, len);
	ernic_dma_unlock(m->edev, idx);
}

static void dma_hole(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	u8 buf[16];

	m->gone[5] = true;
	*(u64 *)mock_ptr(m, MOCK_BASE + 4 * PAGE_SIZE) = 4;
	*(u64 *)mock_ptr(m, MOCK_BASE + 6 * PAGE_SIZE) = 6;
	KUNIT_EXPECT_EQ(test, 4, read64(m, MOCK_BASE + 4 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, 6, read64(m, MOCK_BASE + 6 * PAGE_SIZE));
	/* one page each, as the chunk cannot be had */
	KUNIT_EXPECT_EQ(test, 2, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(test, 0, m->rw_calls);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ernic_dma_read(m->edev, MOCK_BASE + 5 * PAGE_SIZE, buf,
				       8));
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ernic_dma_write(m->edev, MOCK_BASE + 5 * PAGE_SIZE - 8,
					buf, 16));
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ernic_dma_write64_release(m->edev, MOCK_BASE +
						  5 * PAGE_SIZE, 0));
	KUNIT_EXPECT_GE(test, atomic64_read(&m->edev->dma.faults), 3);
	/* the hole is filled: no stale knowledge of it */
	m->gone[5] = false;
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(m->edev, MOCK_BASE +
						5 * PAGE_SIZE, buf, 8));
}

static void dma_edges(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	u64 end = MOCK_BASE + MOCK_SIZE;
	struct ernic_dev *edev = m->edev;
	size_t len;
	int idx;
	u64 v;

	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(edev, MOCK_BASE, &v, 8));
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(edev, end - 8, &v, 8));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, MOCK_BASE - 1, &v,
						      8));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, end - 7, &v, 8));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, end, &v, 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, 0, &v, 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, U64_MAX, &v, 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, U64_MAX - 3, &v, 8));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, MOCK_BASE, &v, 0));
	/* 52 bits; the bits above are not an alias */
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, BIT_ULL(52) |
						      MOCK_BASE, &v, 8));
	KUNIT_EXPECT_EQ(test, -EFAULT, ernic_dma_read(edev, BIT_ULL(52) - 4, &v,
						      8));
	idx = ernic_dma_lock(edev);
	len = 8;
	KUNIT_EXPECT_NULL(test, ernic_dma_map(edev, end, &len));
	len = 8;
	KUNIT_EXPECT_NULL(test, ernic_dma_map(edev, BIT_ULL(52) | MOCK_BASE,
					      &len));
	len = 0;
	KUNIT_EXPECT_NULL(test, ernic_dma_map(edev, MOCK_BASE, &len));
	len = SIZE_MAX;
	KUNIT_EXPECT_NULL(test, ernic_dma_map(edev, MOCK_BASE, &len));
	ernic_dma_unlock(edev, idx);
}

static void dma_unpinnable(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	u64 page = MOCK_BASE + 7 * PAGE_SIZE;
	u64 v = 0x1122334455667788ull;

	m->unpinnable[7] = true;
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_write(m->edev, page + 16, &v, 8));
	KUNIT_EXPECT_EQ(test, v, *(u64 *)mock_ptr(m, page + 16));
	KUNIT_EXPECT_EQ(test, v, read64(m, page + 16));
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_write64_release(m->edev, page + 24,
							   cpu_to_le64(v)));
	KUNIT_EXPECT_EQ(test, v, *(u64 *)mock_ptr(m, page + 24));
	KUNIT_EXPECT_GT(test, m->rw_calls, 0);
	KUNIT_EXPECT_GT(test, atomic64_read(&m->edev->dma.fallbacks), 0);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, page, PAGE_SIZE));
}

static void dma_write64(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	__le64 v = cpu_to_le64(0xa1a2a3a4a5a6a7a8ull);
	unsigned int i;

	for (i = 1; i < 8; i++)
		KUNIT_EXPECT_EQ(test, -EFAULT,
				ernic_dma_write64_release(m->edev, MOCK_BASE + i,
							  v));
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_write64_release(m->edev,
							   MOCK_BASE + 8, v));
	KUNIT_EXPECT_EQ(test, 0xa1, ((u8 *)mock_ptr(m, MOCK_BASE + 8))[7]);
	KUNIT_EXPECT_EQ(test, 0xa8, ((u8 *)mock_ptr(m, MOCK_BASE + 8))[0]);
}

static void dma_disabled(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	size_t len = 8;
	int idx;
	u64 v;

	read64(m, MOCK_BASE);
	ernic_dma_disable(m->edev);
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_dma_read(m->edev, MOCK_BASE, &v,
						      8));
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_dma_write(m->edev, MOCK_BASE, &v,
						       8));
	KUNIT_EXPECT_EQ(test, -EACCES,
			ernic_dma_write64_release(m->edev, MOCK_BASE, 0));
	idx = ernic_dma_lock(m->edev);
	KUNIT_EXPECT_NULL(test, ernic_dma_map(m->edev, MOCK_BASE, &len));
	ernic_dma_unlock(m->edev, idx);
	/* pins stay over off and on: the guest does that while it boots */
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	ernic_dma_enable(m->edev);
	read64(m, MOCK_BASE);
	KUNIT_EXPECT_EQ(test, 1, m->pin_calls);
	ernic_dma_disable(m->edev);
	ernic_dma_flush(m->edev);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(test, 0, m->edev->dma.npinned);
}

static void dma_unmap_range(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	unsigned long gen = m->edev->dma.gen;
	u64 i;

	for (i = 0; i < MOCK_PAGES; i += ERNIC_CHUNK_PAGES)
		read64(m, MOCK_BASE + i * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, MOCK_PAGES, mock_pinned(m, MOCK_BASE, MOCK_SIZE));

	/* nothing there: nothing happens */
	ernic_dma_unmap(m->edev, MOCK_BASE + MOCK_SIZE, PAGE_SIZE);
	ernic_dma_unmap(m->edev, MOCK_BASE, 0);
	KUNIT_EXPECT_EQ(test, MOCK_PAGES, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(test, gen, m->edev->dma.gen);

	/* a page in the middle of a chunk takes that chunk and no other */
	ernic_dma_unmap(m->edev, MOCK_BASE + 20 * PAGE_SIZE, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE + 20 * PAGE_SIZE,
					     PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, MOCK_PAGES - ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_NE(test, gen, m->edev->dma.gen);

	/* from the last byte of one chunk to the first of another */
	ernic_dma_unmap(m->edev, MOCK_BASE + 3 * ERNIC_CHUNK_SIZE - 1,
			ERNIC_CHUNK_SIZE + 2);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE +
					     2 * ERNIC_CHUNK_SIZE,
					     3 * ERNIC_CHUNK_SIZE));
	KUNIT_EXPECT_EQ(test, MOCK_PAGES - 4 * ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));

	/* everything, by a range that wraps */
	ernic_dma_unmap(m->edev, MOCK_BASE, U64_MAX);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(test, 0, m->edev->dma.npinned);
	KUNIT_EXPECT_EQ(test, atomic64_read(&m->edev->dma.pins),
			atomic64_read(&m->edev->dma.unpins));
}

static void dma_unmap_pages(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	unsigned int i;

	m->gone[0] = true;
	for (i = 1; i < ERNIC_CHUNK_PAGES; i++)
		read64(m, MOCK_BASE + i * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES - 1,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	ernic_dma_unmap(m->edev, MOCK_BASE + 3 * PAGE_SIZE, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE + 3 * PAGE_SIZE,
					     2 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES - 3,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
}

/*
 * Right after an unmap nothing is pinned, so that type1 finds no pin when it
 * looks again; no access is lost meanwhile.
 */
static void dma_quarantine(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	unsigned int calls;
	int i;

	read64(m, MOCK_BASE);
	ernic_dma_unmap(m->edev, MOCK_BASE, MOCK_SIZE);
	calls = m->pin_calls;
	read64(m, MOCK_BASE);
	KUNIT_EXPECT_EQ(test, calls, m->pin_calls);
	KUNIT_EXPECT_GT(test, m->rw_calls, 0);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	for (i = 0; i < 100 && m->pin_calls == calls; i++) {
		msleep(20);
		read64(m, MOCK_BASE);
	}
	KUNIT_EXPECT_GT(test, m->pin_calls, calls);
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
}

/* -ENOMEM is the memory lock limit: no use to ask for each access */
static void dma_nomem_pause(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	unsigned int i, calls;

	m->pin_errno = -ENOMEM;
	read64(m, MOCK_BASE);
	calls = m->pin_calls;
	for (i = 0; i < 100; i++)
		read64(m, MOCK_BASE + i * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, calls, m->pin_calls);
	KUNIT_EXPECT_EQ(test, 101, m->rw_calls);
}

static void dma_budget(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_dma *dma = &m->edev->dma;
	unsigned int lap, i;

	dma->budget = 4 * ERNIC_CHUNK_PAGES;
	for (i = 0; i < MOCK_PAGES; i++)
		*(u64 *)mock_ptr(m, MOCK_BASE + i * PAGE_SIZE) = i;
	for (lap = 0; lap < 20; lap++) {
		for (i = 0; i < MOCK_PAGES; i++) {
			KUNIT_EXPECT_EQ(test, i, read64(m, MOCK_BASE +
							i * PAGE_SIZE));
			KUNIT_EXPECT_LE(test, dma->npinned, dma->budget);
		}
		flush_work(&dma->evict_work);
		KUNIT_EXPECT_LE(test, mock_pinned(m, MOCK_BASE, MOCK_SIZE),
				dma->budget);
	}
	KUNIT_EXPECT_GT(test, atomic64_read(&dma->evictions), 0);
	KUNIT_EXPECT_EQ(test, dma->npinned,
			mock_pinned(m, MOCK_BASE, MOCK_SIZE));
}

/* what is in use all the time is not what goes */
static void dma_budget_keeps_used(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_dma *dma = &m->edev->dma;
	unsigned int i, n;

	dma->budget = 8 * ERNIC_CHUNK_PAGES;
	for (n = 0; n < 8; n++) {
		for (i = 1; i < MOCK_PAGES / ERNIC_CHUNK_PAGES; i++) {
			read64(m, MOCK_BASE);
			read64(m, MOCK_BASE + i * ERNIC_CHUNK_SIZE);
			flush_work(&dma->evict_work);
		}
	}
	KUNIT_EXPECT_GT(test, atomic64_read(&dma->evictions), 0);
	KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
			mock_pinned(m, MOCK_BASE, ERNIC_CHUNK_SIZE));
}

struct giver {
	struct mock *m;
	void (*give_back)(struct ernic_dev *edev);
	struct completion done;
};

static int give_thread(void *data)
{
	struct giver *g = data;

	g->give_back(g->m->edev);
	/* also for one that has already seen it, which is the failure */
	complete_all(&g->done);
	return 0;
}

/*
 * No pin is given back while a reader has a pointer.  That the chunk is gone from
 * the look-ups says that the other thread has come to where it has to wait.
 */
static void expect_waits(struct kunit *test,
			 void (*give_back)(struct ernic_dev *edev))
{
	struct mock *m = mock_dma(test);
	struct ernic_dma *dma = &m->edev->dma;
	struct giver g = { .m = m, .give_back = give_back };
	struct task_struct *task;
	size_t len = 8;
	int idx, i;
	void *p;

	init_completion(&g.done);
	idx = ernic_dma_lock(m->edev);
	p = ernic_dma_map(m->edev, MOCK_BASE, &len);
	task = kthread_run(give_thread, &g, "ernic-giver");
	if (p && !IS_ERR(task)) {
		for (i = 0; i < 10000 && !xa_empty(&dma->chunks); i++)
			usleep_range(100, 1000);
		KUNIT_EXPECT_TRUE(test, xa_empty(&dma->chunks));
		KUNIT_EXPECT_EQ(test, 0,
				wait_for_completion_timeout(&g.done, HZ / 10));
		KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES,
				mock_pinned(m, MOCK_BASE, MOCK_SIZE));
		KUNIT_EXPECT_EQ(test, ERNIC_CHUNK_PAGES, dma->npinned);
	}
	ernic_dma_unlock(m->edev, idx);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	wait_for_completion(&g.done);
	KUNIT_EXPECT_EQ(test, 0, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
}

static void give_unmap(struct ernic_dev *edev)
{
	ernic_dma_unmap(edev, MOCK_BASE, MOCK_SIZE);
}

static void dma_unmap_waits(struct kunit *test)
{
	expect_waits(test, give_unmap);
}

static void dma_flush_waits(struct kunit *test)
{
	expect_waits(test, ernic_dma_flush);
}

static void give_evict(struct ernic_dev *edev)
{
	edev->dma.budget = 1;
	schedule_work(&edev->dma.evict_work);
	flush_work(&edev->dma.evict_work);
}

static void dma_evict_waits(struct kunit *test)
{
	expect_waits(test, give_evict);
}

static struct kunit_case dma_cases[] = {
	KUNIT_CASE(dma_first_touch),
	KUNIT_CASE(dma_copy),
	KUNIT_CASE(dma_map_run),
	KUNIT_CASE(dma_hole),
	KUNIT_CASE(dma_edges),
	KUNIT_CASE(dma_unpinnable),
	KUNIT_CASE(dma_write64),
	KUNIT_CASE(dma_disabled),
	KUNIT_CASE(dma_unmap_range),
	KUNIT_CASE(dma_unmap_pages),
	KUNIT_CASE(dma_quarantine),
	KUNIT_CASE(dma_nomem_pause),
	KUNIT_CASE(dma_budget),
	KUNIT_CASE(dma_budget_keeps_used),
	KUNIT_CASE(dma_unmap_waits),
	KUNIT_CASE(dma_flush_waits),
	KUNIT_CASE(dma_evict_waits),
	{}
};

static struct kunit_suite dma_suite = {
	.name = "ernic-dma",
	.test_cases = dma_cases,
};

kunit_test_suite(dma_suite);
