// SPDX-License-Identifier: GPL-2.0-only
/* The notify queue: event ids, laps, and a driver that does not keep up. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/rtnetlink.h>
#include <linux/unaligned.h>

#include "mock.h"

#define RING		MOCK_FREE
#define EVENTS		(MOCK_FREE + 4096)
#define VEC		0

static void notifyq_init(struct mock *m, u8 log2)
{
	union ion_cmd cmd = {
		.q_init = {
			.opcode = ION_CMD_Q_INIT,
			.type = ION_QTYPE_NOTIFYQ,
			.flags = cpu_to_le16(ION_QINIT_F_IRQ | ION_QINIT_F_ENA),
			.ring_size = log2,
			.ring_base = cpu_to_le64(RING),
			.intr_index = cpu_to_le16(VEC),
		},
	};

	KUNIT_ASSERT_EQ(m->test, 0, mock_admin(m, &cmd, NULL));
}

/* the host's end up or down; waits until the guest's block says so */
static void set_link(struct mock *m, bool up)
{
	struct net_device *dev = m->edev->netdev;
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);
	int i;

	rtnl_lock();
	if (up)
		KUNIT_EXPECT_EQ(m->test, 0, dev_open(dev, NULL));
	else
		dev_close(dev);
	rtnl_unlock();
	for (i = 0; i < 1000; i++) {
		if (get_unaligned_le16(info + 256 + 10) == (up ? 1 : 2))
			return;
		usleep_range(100, 1000);
	}
	KUNIT_FAIL(m->test, "link did not change");
}

static u64 eid_at(struct mock *m, unsigned int i)
{
	return get_unaligned_le64(mock_ptr(m, EVENTS + i * 64));
}

/* eids of one device follow from 1; its status block has the newest */
static void wait_eid(struct mock *m, u64 eid)
{
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);
	int i;

	for (i = 0; i < 1000 && get_unaligned_le64(info + 256) != eid; i++)
		usleep_range(100, 1000);
	KUNIT_EXPECT_EQ(m->test, eid, get_unaligned_le64(info + 256));
}

static void notify_link(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	u8 *ev;

	notifyq_init(m, 6);
	set_link(m, true);
	wait_eid(m, 1);
	ev = mock_ptr(m, EVENTS);
	KUNIT_EXPECT_EQ(test, 1, get_unaligned_le64(ev));
	KUNIT_EXPECT_EQ(test, 1, get_unaligned_le16(ev + 8));
	KUNIT_EXPECT_EQ(test, 1, get_unaligned_le16(ev + 10));
	KUNIT_EXPECT_EQ(test, 100000, get_unaligned_le32(ev + 12));
	set_link(m, false);
	wait_eid(m, 2);
	ev = mock_ptr(m, EVENTS + 64);
	KUNIT_EXPECT_EQ(test, 2, get_unaligned_le64(ev));
	KUNIT_EXPECT_EQ(test, 1, get_unaligned_le16(ev + 8));
	KUNIT_EXPECT_EQ(test, 2, get_unaligned_le16(ev + 10));
}

/* over several laps each event has its slot; one credit each */
static void notify_laps(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	u32 base, i;

	notifyq_init(m, 3);
	base = ernic_intr_read(m->edev, VEC, ION_INTR_CREDITS);
	for (i = 1; i <= 27; i++) {
		set_link(m, i & 1);
		wait_eid(m, i);
		KUNIT_EXPECT_EQ(test, i, eid_at(m, (i - 1) % 8));
		KUNIT_EXPECT_EQ(test, base + 1,
				ernic_intr_read(m->edev, VEC,
						ION_INTR_CREDITS));
		/* the driver takes it */
		ernic_intr_write(m->edev, VEC, ION_INTR_CREDITS, 1);
	}
}

/* no event overwrites one that was not seen */
static void notify_full(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	u32 i;

	notifyq_init(m, 3);
	ernic_intr_write(m->edev, VEC, ION_INTR_CREDITS, 0xffff);
	for (i = 1; i <= 20; i++)
		set_link(m, i & 1);
	wait_eid(m, 8);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, i + 1, eid_at(m, i));
	/* there is room again */
	ernic_intr_write(m->edev, VEC, ION_INTR_CREDITS, 8);
	set_link(m, true);
	wait_eid(m, 9);
	KUNIT_EXPECT_EQ(test, 9, eid_at(m, 0));
	set_link(m, false);
}

/* each Q_INIT starts at 1 in the first slot */
static void notify_again(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);

	notifyq_init(m, 6);
	set_link(m, true);
	set_link(m, false);
	wait_eid(m, 2);
	memset(mock_ptr(m, EVENTS), 0, 128);
	notifyq_init(m, 6);
	set_link(m, true);
	wait_eid(m, 1);
	KUNIT_EXPECT_EQ(test, 1, eid_at(m, 0));
	KUNIT_EXPECT_EQ(test, 0, eid_at(m, 1));
	set_link(m, false);
}

/* the event ring is at the next page: it must be there as well */
static void notify_bad_ring(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	union ion_cmd cmd = {
		.q_init = {
			.opcode = ION_CMD_Q_INIT,
			.type = ION_QTYPE_NOTIFYQ,
			.flags = cpu_to_le16(ION_QINIT_F_IRQ | ION_QINIT_F_ENA),
			.ring_size = 6,
			.ring_base = cpu_to_le64(MOCK_BASE + MOCK_SIZE - 4096),
		},
	};

	KUNIT_EXPECT_EQ(test, ION_RC_BAD_ADDR, mock_admin(m, &cmd, NULL));
	KUNIT_EXPECT_FALSE(test, m->edev->lif.notifyq.init);
}

/* without a notify queue, as in a kdump guest, the block is kept up to date */
static void notify_none(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);

	set_link(m, true);
	set_link(m, false);
	KUNIT_EXPECT_EQ(test, 0, m->edev->lif.eid);
}

static struct kunit_case notify_cases[] = {
	KUNIT_CASE(notify_link),
	KUNIT_CASE(notify_laps),
	KUNIT_CASE(notify_full),
	KUNIT_CASE(notify_again),
	KUNIT_CASE(notify_bad_ring),
	KUNIT_CASE(notify_none),
	{}
};

static struct kunit_suite notify_suite = {
	.name = "ernic-notify",
	.test_cases = notify_cases,
};

kunit_test_suite(notify_suite);
