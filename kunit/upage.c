// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell pages of the guest's processes: who makes them, what reaches them, and who
 * looks while tracking is not proven.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>

#include <ernic/rdma.h>

#include "rdma.h"

#define BAR2_GFN	0x20000ull
#define PAGE_A		5
#define PAGE_B		1023
#define GPA(page, slot)	((BAR2_GFN + (page)) << 12 | (slot) << 3)
/* a doorbell for no queue: it is counted, and does nothing */
#define VALUE(i)	(0x5ull << 40 | 0xabcull << 24 | (i))

/* arms a CQ; the sequence number is not that of a new one */
#define ARM(cq)		((u64)(cq) << 24 | ION_CQ_RING_ARM << 16 | 1)

/* calls of the front end; tests run one after another */
static struct {
	atomic_t zaps, tracks, untracks, drains;
	int track_err;
} um;

static void umock_zap(struct ernic_dev *edev, struct ernic_page *p)
{
	lockdep_assert_held(&p->lock);
	atomic_inc(&um.zaps);
}

static int umock_track(struct ernic_dev *edev, struct ernic_page *p, u64 *gfn)
{
	lockdep_assert_held(&p->lock);
	if (um.track_err)
		return um.track_err;
	atomic_inc(&um.tracks);
	*gfn = BAR2_GFN + p->index;
	return 0;
}

static void umock_untrack(struct ernic_dev *edev, struct ernic_page *p, u64 gfn)
{
	atomic_inc(&um.untracks);
}

static void umock_drain(struct ernic_dev *edev, struct ernic_page *p)
{
	atomic_inc(&um.drains);
}

static const struct ernic_page_ops umock_ops = {
	.zap = umock_zap,
	.track = umock_track,
	.untrack = umock_untrack,
	.drain = umock_drain,
};

static void umock_close(void *data)
{
	struct mock *m = data;

	ernic_db_pages_close(m->edev);
	KUNIT_EXPECT_EQ(m->test, atomic_read(&um.tracks),
			atomic_read(&um.untracks));
	ernic_db_pages_free(m->edev);
	KUNIT_EXPECT_NULL(m->test, ernic_db_page(m->edev, PAGE_A));
	m->edev->front.page = NULL;
}

static void umock_open(struct mock *m)
{
	memset(&um, 0, sizeof(um));
	m->edev->front.page = &umock_ops;
	ernic_db_pages_open(m->edev, ERNIC_PAGE_TRACK);
	KUNIT_ASSERT_EQ(m->test, 0, kunit_add_action_or_reset(m->test,
							      umock_close, m));
}

static struct mock *umock(struct kunit *test)
{
	struct mock *m = mock_open(test, ernic_profile_find("small-vm"));

	umock_open(m);
	return m;
}

static u64 rings(struct mock *m)
{
	return atomic64_read(&m->edev->db_page0.rings);
}

/* KVM emulates a store, and tells of it */
static void emulate(struct mock *m, unsigned int page, u64 val)
{
	struct ernic_page *p = ernic_db_page(m->edev, page);
	__le64 v = cpu_to_le64(val);

	WRITE_ONCE(p->slot[ERNIC_DB_SLOT_CQ], v);
	ernic_db_pages_written(m->edev, GPA(page, ERNIC_DB_SLOT_CQ), &v,
			       sizeof(v));
}

static void upage_get(struct kunit *test)
{
	struct mock *m = umock(test);
	struct ernic_page *p;

	KUNIT_EXPECT_PTR_EQ(test, &m->edev->db_page0,
			    ernic_db_page(m->edev, 0));
	KUNIT_EXPECT_NULL(test, ernic_db_page(m->edev, PAGE_A));
	p = ernic_db_page_get(m->edev, PAGE_A);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_PTR_EQ(test, p, ernic_db_page(m->edev, PAGE_A));
	KUNIT_EXPECT_PTR_EQ(test, p, ernic_db_page_get(m->edev, PAGE_A));
	KUNIT_EXPECT_EQ(test, PAGE_A, p->index);
	KUNIT_EXPECT_NOT_NULL(test, ernic_db_page_get(m->edev, PAGE_B));
	KUNIT_EXPECT_NULL(test, ernic_db_page_get(m->edev, ION_DB_PAGES));
	/* where KVM cannot track, nothing is mapped */
	ernic_db_pages_open(m->edev, ERNIC_PAGE_TRAP);
	KUNIT_EXPECT_NULL(test, ernic_db_page_get(m->edev, PAGE_A + 1));
	ernic_db_page_use(m->edev, PAGE_A + 1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&um.tracks));
}

/* from the first store on, each is told of */
static void upage_use(struct kunit *test)
{
	struct mock *m = umock(test);
	struct ernic_page *p;
	__le32 half = 0;
	__le64 v;

	ernic_db_page_use(m->edev, PAGE_A);
	p = ernic_db_page(m->edev, PAGE_A);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_TRUE(test, p->tracked && p->armed && p->drained);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&um.zaps));
	ernic_db_page_use(m->edev, PAGE_A);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&um.tracks));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&um.drains));
	emulate(m, PAGE_A, VALUE(1));
	KUNIT_EXPECT_TRUE(test, p->proven);
	emulate(m, PAGE_A, VALUE(2));
	/* a value that comes again is no less a value */
	emulate(m, PAGE_A, VALUE(2));
	KUNIT_EXPECT_EQ(test, 3, rings(m));
	/* by the VMM, which need not map what it could */
	ernic_bar_write(m->edev, 2, PAGE_A * 4096 + ERNIC_DB_SLOT_CQ * 8, 8,
			VALUE(3));
	KUNIT_EXPECT_EQ(test, 4, rings(m));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(p));

	/* stores to what is not this page: another frame, another device's BAR */
	v = cpu_to_le64(VALUE(4));
	ernic_db_pages_written(m->edev, GPA(PAGE_A + 1, 0), &v, sizeof(v));
	ernic_db_pages_written(m->edev, GPA(PAGE_A, 0) + ION_BAR2_SIZE, &v,
			       sizeof(v));
	KUNIT_EXPECT_EQ(test, 4, rings(m));
	ernic_db_pages_written(m->edev, GPA(PAGE_A, 0), &half, sizeof(half));
	KUNIT_EXPECT_EQ(test, 1, atomic64_read(&m->edev->bad_access));
	KUNIT_EXPECT_EQ(test, 4, rings(m));
}

/* while tracking is not proven somebody looks, and arms again */
static void upage_hot(struct kunit *test)
{
	struct mock *m = umock(test);
	unsigned long end = jiffies + 20 * HZ;
	struct ernic_page *p;
	int zaps;

	ernic_db_page_use(m->edev, PAGE_A);
	p = ernic_db_page(m->edev, PAGE_A);
	KUNIT_ASSERT_NOT_NULL(test, p);
	zaps = atomic_read(&um.zaps);
	/* as a fault leaves it, whose store KVM does not tell of */
	mutex_lock(&p->lock);
	p->mapped = true;
	p->armed = false;
	p->announced = true;
	WRITE_ONCE(p->hot_at, ktime_get_ns());
	mutex_unlock(&p->lock);
	ernic_upage_kick(p);
	WRITE_ONCE(p->slot[ERNIC_DB_SLOT_CQ], cpu_to_le64(VALUE(1)));
	while (!READ_ONCE(p->armed) && time_before(jiffies, end))
		usleep_range(1000, 2000);
	KUNIT_EXPECT_TRUE(test, p->armed);
	KUNIT_EXPECT_EQ(test, 1, rings(m));
	KUNIT_EXPECT_EQ(test, zaps + 1, atomic_read(&um.zaps));
	KUNIT_EXPECT_FALSE(test, p->proven);
}

/* the memory slot goes, and with it what KVM was asked for */
static void upage_moved(struct kunit *test)
{
	struct mock *m = umock(test);
	struct ernic_page *a, *b;

	ernic_db_page_use(m->edev, PAGE_A);
	ernic_db_page_use(m->edev, PAGE_B);
	a = ernic_db_page(m->edev, PAGE_A);
	b = ernic_db_page(m->edev, PAGE_B);
	emulate(m, PAGE_A, VALUE(1));
	emulate(m, PAGE_B, VALUE(1));
	ernic_db_pages_moved(m->edev, BAR2_GFN, PAGE_B);
	KUNIT_EXPECT_FALSE(test, a->tracked || a->proven);
	KUNIT_EXPECT_TRUE(test, b->tracked && b->proven);
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&um.zaps));
	/* there is none yet */
	um.track_err = -EINVAL;
	ernic_db_page_use(m->edev, PAGE_A);
	KUNIT_EXPECT_TRUE(test, a->armed && !a->tracked);
	um.track_err = 0;
	ernic_db_page_use(m->edev, PAGE_A);
	KUNIT_EXPECT_TRUE(test, a->tracked && a->drained);
	/* KVM has forgotten the first one by itself */
	atomic_inc(&um.untracks);
}

/* a queue that is created with a page is what makes it */
static void upage_queue(struct kunit *test)
{
	struct rguest *g = rg_open(test, NULL);
	struct ion_admin_wqe wqe = {
		.cmd.create_cq = {
			.depth_log2 = RG_CQ_LOG2,
			.stride_log2 = ION_CQE_LOG2,
			.page_size_log2 = 12,
			.id_ver = cpu_to_le32(8),
			.map_count = cpu_to_le32(1),
			.dma_addr = cpu_to_le64(rg_alloc(g, PAGE_SIZE)),
			.dbid_flags = cpu_to_le16(PAGE_A),
		},
	};
	struct ernic_rcq *cq;

	umock_open(g->m);
	KUNIT_ASSERT_EQ(test, ION_ASTS_OK,
			rg_admin(g, &wqe, ION_ADMIN_CREATE_CQ,
				 sizeof(wqe.cmd.create_cq)));
	KUNIT_ASSERT_NOT_NULL(test, ernic_db_page(g->m->edev, PAGE_A));
	KUNIT_EXPECT_TRUE(test, ernic_db_page(g->m->edev, PAGE_A)->tracked);
	/* the process arms it; another one may not */
	ernic_db_page_use(g->m->edev, PAGE_B);
	cq = xa_load(&g->m->edev->rdma->cqs, 8);
	KUNIT_ASSERT_NOT_NULL(test, cq);
	emulate(g->m, PAGE_B, ARM(8));
	KUNIT_EXPECT_FALSE(test, cq->armed_any);
	emulate(g->m, PAGE_A, ARM(8));
	KUNIT_EXPECT_TRUE(test, cq->armed_any);
	/* its values are forgotten, not its place */
	ernic_dev_reset(g->m->edev);
	KUNIT_EXPECT_NOT_NULL(test, ernic_db_page(g->m->edev, PAGE_A));
}

static struct kunit_case upage_cases[] = {
	KUNIT_CASE(upage_get),
	KUNIT_CASE(upage_use),
	KUNIT_CASE(upage_hot),
	KUNIT_CASE(upage_moved),
	KUNIT_CASE(upage_queue),
	{}
};

static struct kunit_suite upage_suite = {
	.name = "ernic-upage",
	.test_cases = upage_cases,
};

kunit_test_suite(upage_suite);
