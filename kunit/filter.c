// SPDX-License-Identifier: GPL-2.0-only
/* Receive filters: who gets in, ids, limits. */
#include <kunit/test.h>
#include <linux/etherdevice.h>

#include <ernic/eth.h>

#include "mock.h"

#define PROFILE	(&ernic_profiles[1])

static const u8 bcast[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static const u8 ucast[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
static const u8 mcast[ETH_ALEN] = { 1, 0, 0x5e, 0, 0, 1 };

static int add_mac(struct mock *m, const u8 *mac, u32 *id)
{
	union ion_cmd cmd = {
		.rx_filter_add = {
			.opcode = ION_CMD_RX_FILTER_ADD,
			.match = cpu_to_le16(ION_RX_FILTER_MAC),
		},
	};

	memcpy(cmd.rx_filter_add.mac, mac, ETH_ALEN);
	return ernic_filter_add(m->edev, &cmd, id);
}

static int add_vlan(struct mock *m, u16 vid, u32 *id)
{
	union ion_cmd cmd = {
		.rx_filter_add = {
			.opcode = ION_CMD_RX_FILTER_ADD,
			.match = cpu_to_le16(ION_RX_FILTER_VLAN),
			.vlan = cpu_to_le16(vid),
		},
	};

	return ernic_filter_add(m->edev, &cmd, id);
}

static bool accept(struct mock *m, const u8 *mac)
{
	return ernic_filter_accept(m->edev, mac, false, 0);
}

static void filter_nothing(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);

	KUNIT_EXPECT_FALSE(test, accept(m, bcast));
	KUNIT_EXPECT_FALSE(test, accept(m, ucast));
	KUNIT_EXPECT_FALSE(test, accept(m, mcast));
	/* the permanent address alone is no filter */
	ernic_filter_set_mode(m->edev, ION_RX_MODE_UNICAST);
	KUNIT_EXPECT_FALSE(test, accept(m, m->edev->mac));
}

/* all combinations of mode bits and filters, against the definition */
static void filter_modes(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 id_u = 0, id_m = 0, mode, have;

	for (have = 0; have < 4; have++) {
		if (have & 1)
			KUNIT_EXPECT_EQ(test, 0, add_mac(m, ucast, &id_u));
		if (have & 2)
			KUNIT_EXPECT_EQ(test, 0, add_mac(m, mcast, &id_m));
		for (mode = 0; mode < 32; mode++) {
			bool promisc = mode & ION_RX_MODE_PROMISC;

			ernic_filter_set_mode(m->edev, mode);
			KUNIT_EXPECT_EQ(test, promisc ||
					(mode & ION_RX_MODE_UNICAST &&
					 have & 1), accept(m, ucast));
			KUNIT_EXPECT_EQ(test, promisc ||
					mode & ION_RX_MODE_ALLMULTI ||
					(mode & ION_RX_MODE_MULTICAST &&
					 have & 2), accept(m, mcast));
			KUNIT_EXPECT_EQ(test, promisc ||
					mode & ION_RX_MODE_BROADCAST,
					accept(m, bcast));
		}
		if (have & 1)
			KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, id_u));
		if (have & 2)
			KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, id_m));
	}
}

static void filter_vlan(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 id, id2;
	int vid;

	add_mac(m, ucast, &id);
	ernic_filter_set_mode(m->edev, ION_RX_MODE_UNICAST);
	/* the feature is not granted: tags do not matter */
	KUNIT_EXPECT_TRUE(test, ernic_filter_accept(m->edev, ucast, true, 5));
	WRITE_ONCE(m->edev->lif.features, ION_ETH_HW_VLAN_RX_FILTER);
	KUNIT_EXPECT_FALSE(test, ernic_filter_accept(m->edev, ucast, true, 5));
	KUNIT_EXPECT_TRUE(test, ernic_filter_accept(m->edev, ucast, false, 0));
	/* a priority tag is no VLAN */
	KUNIT_EXPECT_TRUE(test, ernic_filter_accept(m->edev, ucast, true, 0));

	for (vid = 0; vid < 4096; vid += 91) {
		KUNIT_EXPECT_EQ(test, 0, add_vlan(m, vid, &id));
		KUNIT_EXPECT_EQ(test, ION_RC_EEXIST, add_vlan(m, vid, &id2));
		KUNIT_EXPECT_EQ(test, id, id2);
		KUNIT_EXPECT_TRUE(test, ernic_filter_accept(m->edev, ucast,
							    true, vid));
		KUNIT_EXPECT_FALSE(test, ernic_filter_accept(m->edev, ucast,
							     true, vid + 1));
		KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, id));
		KUNIT_EXPECT_EQ(test, ION_RC_ENOENT,
				ernic_filter_del(m->edev, id));
	}
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, add_vlan(m, 4096, &id));
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, add_vlan(m, 0xffff, &id));
	ernic_filter_set_mode(m->edev, ION_RX_MODE_PROMISC);
	KUNIT_EXPECT_TRUE(test, ernic_filter_accept(m->edev, ucast, true, 7));
}

static void filter_ids(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 id, id2, id3;

	KUNIT_EXPECT_EQ(test, 0, add_mac(m, ucast, &id));
	KUNIT_EXPECT_EQ(test, ION_RC_EEXIST, add_mac(m, ucast, &id2));
	KUNIT_EXPECT_EQ(test, id, id2);
	KUNIT_EXPECT_EQ(test, 0, add_mac(m, mcast, &id3));
	KUNIT_EXPECT_NE(test, id, id3);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, ernic_filter_del(m->edev, 0));
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, ernic_filter_del(m->edev, ~0u));
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT,
			ernic_filter_del(m->edev, id + id3 + 1));
	KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, id));
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, ernic_filter_del(m->edev, id));
	KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, id3));
}

/* as many as identify says, and not one more; then all can go again */
static void filter_limits(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 *ids = kunit_kcalloc(test, 512, sizeof(*ids), GFP_KERNEL);
	u8 mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 0 };
	u32 i, id;

	KUNIT_ASSERT_NOT_NULL(test, ids);
	ernic_filter_set_mode(m->edev, ION_RX_MODE_UNICAST |
				       ION_RX_MODE_MULTICAST);
	for (i = 0; i < 512; i++) {
		mac[0] = i < 256 ? 2 : 3;
		mac[5] = i;
		KUNIT_EXPECT_EQ(test, 0, add_mac(m, mac, &ids[i]));
	}
	mac[4] = 1;
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSPC, add_mac(m, mac, &id));
	mac[0] = 2;
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSPC, add_mac(m, mac, &id));
	KUNIT_EXPECT_FALSE(test, accept(m, mac));
	mac[4] = 0;
	for (i = 0; i < 512; i++) {
		mac[0] = i < 256 ? 2 : 3;
		mac[5] = i;
		KUNIT_EXPECT_TRUE(test, accept(m, mac));
		KUNIT_EXPECT_EQ(test, 0, ernic_filter_del(m->edev, ids[i]));
		KUNIT_EXPECT_FALSE(test, accept(m, mac));
	}
	KUNIT_EXPECT_EQ(test, 0, add_mac(m, mac, &id));
}

static void filter_reset(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = { .opcode = ION_CMD_LIF_RESET };
	u32 id;

	add_mac(m, ucast, &id);
	add_vlan(m, 5, &id);
	ernic_filter_set_mode(m->edev, 0x1f);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	KUNIT_EXPECT_FALSE(test, accept(m, ucast));
	ernic_filter_set_mode(m->edev, ION_RX_MODE_UNICAST);
	KUNIT_EXPECT_FALSE(test, accept(m, ucast));
	KUNIT_EXPECT_EQ(test, 0, add_mac(m, ucast, &id));
	KUNIT_EXPECT_EQ(test, 0, add_vlan(m, 5, &id));
}

/* through the admin queue, with what the driver never sends */
static void filter_commands(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = {
		.rx_filter_add = {
			.opcode = ION_CMD_RX_FILTER_ADD,
			.match = cpu_to_le16(ION_RX_FILTER_MAC),
			.mac = { 2, 0, 0, 0, 0, 9 },
		},
	};
	union ion_cmd del = { .opcode = ION_CMD_RX_FILTER_DEL };
	union ion_comp comp;

	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, &comp));
	del.rx_filter_del.filter_id = comp.rx_filter_add.filter_id;
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &del, NULL));
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, mock_admin(m, &del, NULL));
	cmd.rx_filter_add.match = cpu_to_le16(ION_RX_FILTER_MAC_VLAN);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSUPP, mock_admin(m, &cmd, NULL));
	cmd.rx_filter_add.match = cpu_to_le16(ION_RX_FILTER_PKTCLASS);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSUPP, mock_admin(m, &cmd, NULL));
	cmd.rx_filter_add.match = cpu_to_le16(0xffff);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSUPP, mock_admin(m, &cmd, NULL));
	cmd.bytes[0] = ION_CMD_RX_MODE_SET;
	cmd.rx_mode_set.rx_mode = cpu_to_le16(ION_RX_MODE_PROMISC);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
	KUNIT_EXPECT_TRUE(test, accept(m, ucast));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(filter_nothing),
	KUNIT_CASE(filter_modes),
	KUNIT_CASE(filter_vlan),
	KUNIT_CASE(filter_ids),
	KUNIT_CASE(filter_limits),
	KUNIT_CASE(filter_reset),
	KUNIT_CASE(filter_commands),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "ernic-filter",
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
