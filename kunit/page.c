// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell page: who arms it, who makes it hot again, when tracking is trusted.
 * The front end is a mock whose calls can be the moment at which something happens.
 * A fault needs a mapping, so hot() stands for what one leaves behind; the selftests
 * page and kvm have real ones.
 */
#include <kunit/test.h>

#include "mock.h"

#define PROFILE		ernic_profile_find("small-vm")
#define GFN		0x20000
#define SLOT		16
/* a doorbell for no queue: it is counted, and does nothing */
#define VALUE(i)	(0x5ull << 40 | 0xabcull << 24 | (i))

struct pmock {
	struct ernic_page p;
	struct ernic_worker w[2];
	struct mock *m;
	u64 gfn;
	int track_err;
	unsigned int zaps, tracks, untracks, drains;
	u64 untracked;
	/* runs in the next call of zap or drain */
	void (*at_zap)(struct pmock *pm);
	void (*at_drain)(struct pmock *pm);
};

static void at(struct pmock *pm, void (**fn)(struct pmock *pm))
{
	void (*f)(struct pmock *pm) = *fn;

	*fn = NULL;
	if (f)
		f(pm);
}

static void pmock_zap(struct ernic_dev *edev, struct ernic_page *p)
{
	struct pmock *pm = container_of(p, struct pmock, p);

	lockdep_assert_held(&p->lock);
	pm->zaps++;
	at(pm, &pm->at_zap);
}

static int pmock_track(struct ernic_dev *edev, struct ernic_page *p, u64 *gfn)
{
	struct pmock *pm = container_of(p, struct pmock, p);

	lockdep_assert_held(&p->lock);
	if (pm->track_err)
		return pm->track_err;
	pm->tracks++;
	*gfn = pm->gfn;
	return 0;
}

static void pmock_untrack(struct ernic_dev *edev, struct ernic_page *p, u64 gfn)
{
	struct pmock *pm = container_of(p, struct pmock, p);

	lockdep_assert_held(&p->lock);
	pm->untracks++;
	pm->untracked = gfn;
}

static void pmock_drain(struct ernic_dev *edev, struct ernic_page *p)
{
	struct pmock *pm = container_of(p, struct pmock, p);

	pm->drains++;
	at(pm, &pm->at_drain);
}

static const struct ernic_page_ops pmock_ops = {
	.zap = pmock_zap,
	.track = pmock_track,
	.untrack = pmock_untrack,
	.drain = pmock_drain,
};

static void pmock_free(void *data)
{
	struct pmock *pm = data;

	ernic_page_close(&pm->p);
	/* what was tracked was given back, neither less nor more */
	KUNIT_EXPECT_EQ(pm->m->test, pm->tracks, pm->untracks);
	ernic_page_exit(&pm->p);
	pm->m->edev->front.page = NULL;
}

static struct pmock *pmock(struct kunit *test, enum ernic_page_mode mode)
{
	struct pmock *pm = kunit_kzalloc(test, sizeof(*pm), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pm);
	pm->m = mock_open(test, PROFILE);
	pm->m->edev->front.page = &pmock_ops;
	pm->gfn = GFN;
	for (i = 0; i < 2; i++)
		ernic_worker_init(&pm->w[i], NULL);
	KUNIT_ASSERT_EQ(test, 0, ernic_page_init(&pm->p, pm->m->edev, 0));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, pmock_free,
							   pm));
	ernic_page_open(&pm->p, mode);
	ernic_page_slot_init(&pm->p, SLOT);
	return pm;
}

/* as a fault leaves it */
static void hot(struct pmock *pm)
{
	mutex_lock(&pm->p.lock);
	pm->p.mapped = true;
	pm->p.armed = false;
	mutex_unlock(&pm->p.lock);
}

static void store(struct pmock *pm, u64 val)
{
	WRITE_ONCE(pm->p.slot[SLOT], cpu_to_le64(val));
}

/* KVM emulates a store, and tells of it */
static void emulate(struct pmock *pm, u64 val)
{
	__le64 v = cpu_to_le64(val);

	store(pm, val);
	ernic_page_written(&pm->p, SLOT * 8, &v, sizeof(v));
}

static u64 rings(struct pmock *pm)
{
	return atomic64_read(&pm->m->edev->db_page0.rings);
}

static bool kicked(struct ernic_worker *w)
{
	return test_and_clear_bit(0, &w->pending);
}

/* armed once and told of a store: from then on tracking is trusted */
static void prove(struct kunit *test, struct pmock *pm)
{
	hot(pm);
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_TRUE(test, pm->p.armed && pm->p.drained);
	emulate(pm, VALUE(1));
	KUNIT_ASSERT_TRUE(test, pm->p.proven);
	kicked(&pm->w[0]);
}

static void page_fault_arms(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_FAULT);

	/* nobody has to poll a page that sleeps */
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_EQ(test, 0, pm->zaps);
	hot(pm);
	store(pm, VALUE(1));
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_EQ(test, 1, rings(pm));
	KUNIT_EXPECT_TRUE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
	KUNIT_EXPECT_EQ(test, 0, pm->tracks);
	KUNIT_EXPECT_PTR_EQ(test, &pm->w[0], pm->p.wake);
	KUNIT_EXPECT_FALSE(test, pm->w[0].polling);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&pm->p.pollers));
}

static void store_late(struct pmock *pm)
{
	store(pm, VALUE(7));
}

/* a store by the old mapping, while it is taken away */
static void page_disarm(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_FAULT);
	u64 quiet = pm->p.quiet_ns;

	hot(pm);
	pm->at_zap = store_late;
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_EQ(test, 1, rings(pm));
	KUNIT_EXPECT_FALSE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 1, pm->p.useless);
	KUNIT_EXPECT_GT(test, pm->p.quiet_ns, quiet);
	/* it stays a poller, and comes back */
	KUNIT_EXPECT_TRUE(test, pm->w[0].polling);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&pm->p.pollers));
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_TRUE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&pm->p.pollers));
}

static void page_last_one_arms(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_FAULT);

	hot(pm);
	pm->w[0].polling = true;
	pm->w[1].polling = true;
	atomic_set(&pm->p.pollers, 2);
	ernic_page_leave(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_FALSE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 0, pm->zaps);
	/* who polls no more has nothing to leave */
	ernic_page_leave(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&pm->p.pollers));
	ernic_page_leave(&pm->p, &pm->w[1]);
	KUNIT_EXPECT_TRUE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
	KUNIT_EXPECT_PTR_EQ(test, &pm->w[1], pm->p.wake);
}

static void page_track_arm(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);

	hot(pm);
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	/* a memory slot that is not proven yet: taken away as well */
	KUNIT_EXPECT_EQ(test, 1, pm->tracks);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
	KUNIT_EXPECT_EQ(test, 1, pm->drains);
	KUNIT_EXPECT_TRUE(test, pm->p.armed && pm->p.tracked && pm->p.drained);
	KUNIT_EXPECT_FALSE(test, pm->p.proven);
	KUNIT_EXPECT_TRUE(test, ernic_page_tracks(&pm->p, GFN));
	KUNIT_EXPECT_FALSE(test, ernic_page_tracks(&pm->p, GFN + 1));

	/*
	 * While a worker is busy the announcement makes it hot: not tracked, the armer
	 * woken, the value taken.
	 */
	atomic_set(&pm->p.busy, 1);
	emulate(pm, VALUE(1));
	KUNIT_EXPECT_EQ(test, 1, rings(pm));
	KUNIT_EXPECT_TRUE(test, pm->p.proven);
	KUNIT_EXPECT_FALSE(test, pm->p.armed || pm->p.tracked);
	KUNIT_EXPECT_EQ(test, 1, pm->untracks);
	KUNIT_EXPECT_EQ(test, GFN, pm->untracked);
	KUNIT_EXPECT_TRUE(test, kicked(&pm->w[0]));

	/* proven: tracking alone */
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_TRUE(test, pm->p.armed && pm->p.tracked);
	KUNIT_EXPECT_EQ(test, 2, pm->tracks);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
	KUNIT_EXPECT_EQ(test, 1, pm->drains);
}

/* stores one by one are told of; only those close together make the page hot */
static void page_sparse(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);
	unsigned int i, tries = 0;

	hot(pm);
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	for (i = 1; i <= 10; i++) {
		pm->p.told_at = 0;
		emulate(pm, VALUE(i));
		KUNIT_EXPECT_EQ(test, i, rings(pm));
		KUNIT_EXPECT_TRUE(test, pm->p.armed && pm->p.tracked);
	}
	KUNIT_EXPECT_EQ(test, 0, pm->untracks);
	/* nobody has to poll */
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&pm->p.pollers));
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));

	/* more than four, if this thread was preempted in between */
	while (pm->p.armed && tries < 1000) {
		pm->p.told_at = ktime_get_ns();
		emulate(pm, VALUE(i++ & 63));
		tries++;
	}
	KUNIT_EXPECT_GT(test, tries, 1);
	KUNIT_EXPECT_FALSE(test, pm->p.armed || pm->p.tracked);
	KUNIT_EXPECT_EQ(test, 1, pm->untracks);
}

static void emulate_now(struct pmock *pm)
{
	emulate(pm, VALUE(2));
}

/* a store that KVM had begun to emulate before is no proof */
static void page_not_drained(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);

	hot(pm);
	pm->at_drain = emulate_now;
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_EQ(test, 1, rings(pm));
	KUNIT_EXPECT_FALSE(test, pm->p.proven);
	KUNIT_EXPECT_TRUE(test, pm->p.drained);
	KUNIT_EXPECT_FALSE(test, pm->p.armed);
	/* so the next arm takes it away again */
	kicked(&pm->w[0]);
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_EQ(test, 2, pm->zaps);
	emulate(pm, VALUE(3));
	KUNIT_EXPECT_TRUE(test, pm->p.proven);
}

static void slot_goes(struct pmock *pm)
{
	ernic_page_moved(&pm->p, GFN - 3, 4);
}

/* what was drained is not the slot that there is now */
static void page_moved_in_drain(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);

	hot(pm);
	pm->at_drain = slot_goes;
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_EQ(test, 1, pm->p.moves);
	KUNIT_EXPECT_FALSE(test, pm->p.drained || pm->p.proven || pm->p.tracked);
	/* armed, and nothing tracks: the next store has to fault */
	KUNIT_EXPECT_TRUE(test, pm->p.armed);
	KUNIT_EXPECT_EQ(test, 2, pm->zaps);
	/* KVM dropped the tracking with the slot */
	pm->untracks++;
}

static void page_moved(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK);
	unsigned int zaps;

	prove(test, pm);
	zaps = pm->zaps;
	ernic_page_moved(&pm->p, GFN + 1, 100);
	ernic_page_moved(&pm->p, GFN - 5, 5);
	KUNIT_EXPECT_EQ(test, 0, pm->p.moves);
	KUNIT_EXPECT_TRUE(test, pm->p.proven);
	ernic_page_moved(&pm->p, 0, U64_MAX);
	KUNIT_EXPECT_EQ(test, 1, pm->p.moves);
	KUNIT_EXPECT_FALSE(test, pm->p.proven || pm->p.tracked || pm->p.drained);
	KUNIT_EXPECT_EQ(test, zaps + 1, pm->zaps);
	KUNIT_EXPECT_FALSE(test, ernic_page_tracks(&pm->p, GFN));
	pm->untracks++;
}

/* the BAR has another address: the old frame is given back, nothing is proven */
static void page_bar_moves(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);

	hot(pm);
	ernic_page_linger(&pm->p, &pm->w[0]);
	/* a fault: not proven, so it stays tracked */
	hot(pm);
	pm->gfn = GFN + 8;
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_EQ(test, 1, pm->untracks);
	KUNIT_EXPECT_EQ(test, GFN, pm->untracked);
	KUNIT_EXPECT_TRUE(test, ernic_page_tracks(&pm->p, GFN + 8));
	KUNIT_EXPECT_FALSE(test, ernic_page_tracks(&pm->p, GFN));
	KUNIT_EXPECT_EQ(test, 2, pm->drains);
	KUNIT_EXPECT_EQ(test, 2, pm->zaps);
}

/* no memory slot: as with fault */
static void page_track_fails(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK_ARM);

	pm->track_err = -ENODEV;
	hot(pm);
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_TRUE(test, pm->p.armed);
	KUNIT_EXPECT_FALSE(test, pm->p.tracked);
	KUNIT_EXPECT_EQ(test, 1, pm->p.track_errors);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
	KUNIT_EXPECT_EQ(test, 0, pm->drains);
	pm->track_err = 0;
	hot(pm);
	ernic_page_linger(&pm->p, &pm->w[0]);
	KUNIT_EXPECT_TRUE(test, pm->p.tracked);
}

/* armed for good: each value, in order, and no more work with the page */
static void page_track(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK);
	unsigned int i;
	u64 n;

	prove(test, pm);
	KUNIT_EXPECT_TRUE(test, pm->p.armed && pm->p.tracked);
	n = rings(pm);
	for (i = 0; i < 100; i++)
		emulate(pm, VALUE(i));
	KUNIT_EXPECT_EQ(test, n + 100, rings(pm));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(&pm->p));
	KUNIT_EXPECT_FALSE(test, ernic_page_linger(&pm->p, &pm->w[0]));
	KUNIT_EXPECT_EQ(test, 1, pm->tracks);
	KUNIT_EXPECT_EQ(test, 1, pm->zaps);
}

static void page_track_sizes(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_TRACK);
	u64 val = 0, n;

	prove(test, pm);
	n = rings(pm);
	ernic_page_written(&pm->p, SLOT * 8, &val, 4);
	ernic_page_written(&pm->p, SLOT * 8 + 4, &val, 8);
	KUNIT_EXPECT_EQ(test, n, rings(pm));
	KUNIT_EXPECT_EQ(test, 2, atomic64_read(&pm->m->edev->bad_access));
}

/* a slot set up anew, and its predecessor's last value */
static void page_slots(struct kunit *test)
{
	struct pmock *pm = pmock(test, ERNIC_PAGE_FAULT);

	hot(pm);
	store(pm, VALUE(1));
	KUNIT_EXPECT_EQ(test, 1, ernic_page_scan(&pm->p));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(&pm->p));
	ernic_page_slot_init(&pm->p, SLOT);
	store(pm, VALUE(1));
	KUNIT_EXPECT_EQ(test, 1, ernic_page_scan(&pm->p));
	/* a slot without a queue is not looked at */
	WRITE_ONCE(pm->p.slot[SLOT + 1], cpu_to_le64(VALUE(2)));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(&pm->p));
	KUNIT_EXPECT_EQ(test, 2, rings(pm));
	/* the entrance by the VMM is open beside; the value is taken once */
	ernic_page_trap(&pm->p, SLOT, VALUE(3));
	KUNIT_EXPECT_EQ(test, 3, rings(pm));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(&pm->p));
	ernic_page_reset(&pm->p);
	store(pm, VALUE(4));
	KUNIT_EXPECT_EQ(test, 0, ernic_page_scan(&pm->p));
}

static struct kunit_case page_cases[] = {
	KUNIT_CASE(page_fault_arms),
	KUNIT_CASE(page_disarm),
	KUNIT_CASE(page_last_one_arms),
	KUNIT_CASE(page_track_arm),
	KUNIT_CASE(page_sparse),
	KUNIT_CASE(page_not_drained),
	KUNIT_CASE(page_moved_in_drain),
	KUNIT_CASE(page_moved),
	KUNIT_CASE(page_bar_moves),
	KUNIT_CASE(page_track_fails),
	KUNIT_CASE(page_track),
	KUNIT_CASE(page_track_sizes),
	KUNIT_CASE(page_slots),
	{}
};

static struct kunit_suite page_suite = {
	.name = "ernic-page",
	.test_cases = page_cases,
};

kunit_test_suite(page_suite);
