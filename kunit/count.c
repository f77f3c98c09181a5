// SPDX-License-Identifier: GPL-2.0-only
/* Frame counters: classes, padding, size buckets. */
#include <kunit/test.h>
#include <linux/etherdevice.h>

#include "eth/engine.h"

#include "mock.h"

struct count_buf {
	u64 lif[ION_LIF_STAT_COUNT];
	u64 port[ION_PORT_STAT_COUNT];
};

static struct count_buf *count_buf(struct kunit *test)
{
	struct count_buf *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	return b;
}

/* every wire length against the table of the reference */
static void count_bucket(struct kunit *test)
{
	static const struct {
		unsigned int first, last;
	} bucket[] = {
		{ 64, 64 }, { 65, 127 }, { 128, 255 }, { 256, 511 },
		{ 512, 1023 }, { 1024, 1518 }, { 1519, 2047 }, { 2048, 4095 },
		{ 4096, 8191 }, { 8192, 9215 }, { 9216, 70000 },
	};
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(bucket); i++)
		for (len = bucket[i].first; len <= bucket[i].last; len++)
			KUNIT_ASSERT_EQ_MSG(test, i, ernic_port_bucket(len),
					    "%u", len);
	/* ping -s 1472 */
	KUNIT_EXPECT_EQ(test, ION_PORT_STAT_frames_rx_1024b_1518b,
			ION_PORT_STAT_frames_rx_64b +
			ernic_port_bucket(1472 + 8 + 20 + 14 + 4));
}

static void count_classify(struct kunit *test)
{
	static const u8 u[ETH_ALEN] = { 2, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const u8 g[ETH_ALEN] = { 1, 0, 0x5e, 0, 0, 1 };
	static const u8 almost[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe };
	static const u8 b[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct ernic_frame f;
	int pri;

	ernic_frame_classify(&f, u, false, 0xffff);
	KUNIT_EXPECT_EQ(test, ERNIC_UCAST, f.cast);
	KUNIT_EXPECT_EQ(test, 0, f.pri);
	KUNIT_EXPECT_FALSE(test, f.vlan);
	ernic_frame_classify(&f, g, false, 0);
	KUNIT_EXPECT_EQ(test, ERNIC_MCAST, f.cast);
	ernic_frame_classify(&f, almost, false, 0);
	KUNIT_EXPECT_EQ(test, ERNIC_MCAST, f.cast);
	ernic_frame_classify(&f, b, false, 0);
	KUNIT_EXPECT_EQ(test, ERNIC_BCAST, f.cast);
	for (pri = 0; pri < 8; pri++) {
		ernic_frame_classify(&f, u, true, pri << 13 | 0x1fff >> 1);
		KUNIT_EXPECT_EQ(test, pri, f.pri);
		KUNIT_EXPECT_TRUE(test, f.vlan);
	}
}

static u64 sum(const u64 *p, unsigned int n)
{
	u64 s = 0;

	while (n--)
		s += p[n];
	return s;
}

/* a 42-byte ARP is a 64-byte frame on the wire and 42 bytes at the LIF */
static void count_tx(struct kunit *test)
{
	struct count_buf *b = count_buf(test);
	struct ernic_frame f = { .cast = ERNIC_BCAST };

	ernic_count_tx(b->lif, b->port, &f, 42, 1);
	KUNIT_EXPECT_EQ(test, 42, b->lif[ION_LIF_STAT_tx_bcast_bytes]);
	KUNIT_EXPECT_EQ(test, 1, b->lif[ION_LIF_STAT_tx_bcast_packets]);
	KUNIT_EXPECT_EQ(test, 43, sum(b->lif, ION_LIF_STAT_COUNT));
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_tx_all]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_tx_ok]);
	KUNIT_EXPECT_EQ(test, 64, b->port[ION_PORT_STAT_octets_tx_total]);
	KUNIT_EXPECT_EQ(test, 64, b->port[ION_PORT_STAT_octets_tx_ok]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_tx_64b]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_tx_broadcast]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_tx_pri_0]);
	KUNIT_EXPECT_EQ(test, 1 + 1 + 64 + 64 + 1 + 1 + 1,
			sum(b->port, ION_PORT_STAT_COUNT));
}

static void count_tx_vlan(struct kunit *test)
{
	struct count_buf *b = count_buf(test);
	struct ernic_frame f = { .cast = ERNIC_MCAST, .vlan = true, .pri = 5 };

	ernic_count_tx(b->lif, b->port, &f, 1518, 7);
	KUNIT_EXPECT_EQ(test, 7 * 1518, b->lif[ION_LIF_STAT_tx_mcast_bytes]);
	KUNIT_EXPECT_EQ(test, 7, b->lif[ION_LIF_STAT_tx_mcast_packets]);
	KUNIT_EXPECT_EQ(test, 7 * 1522,
			b->port[ION_PORT_STAT_octets_tx_ok]);
	KUNIT_EXPECT_EQ(test, 7, b->port[ION_PORT_STAT_frames_tx_1519b_2047b]);
	KUNIT_EXPECT_EQ(test, 7, b->port[ION_PORT_STAT_frames_tx_multicast]);
	KUNIT_EXPECT_EQ(test, 7, b->port[ION_PORT_STAT_frames_tx_vlan]);
	KUNIT_EXPECT_EQ(test, 7, b->port[ION_PORT_STAT_frames_tx_pri_5]);
	KUNIT_EXPECT_EQ(test, 0, b->port[ION_PORT_STAT_frames_tx_pri_0]);
}

static void count_rx(struct kunit *test)
{
	struct count_buf *b = count_buf(test);
	struct ernic_frame f = { .cast = ERNIC_UCAST, .vlan = true, .pri = 7 };

	ernic_count_rx_port(b->port, &f, 60, 3);
	KUNIT_EXPECT_EQ(test, 0, sum(b->lif, ION_LIF_STAT_COUNT));
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_all]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_ok]);
	KUNIT_EXPECT_EQ(test, 192, b->port[ION_PORT_STAT_octets_rx_all]);
	KUNIT_EXPECT_EQ(test, 192, b->port[ION_PORT_STAT_octets_rx_ok]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_unicast]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_64b]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_vlan_good]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_rx_pri_7]);

	memset(b, 0, sizeof(*b));
	ernic_count_rx_lif(b->lif, &f, 60, 3);
	KUNIT_EXPECT_EQ(test, 180, b->lif[ION_LIF_STAT_rx_ucast_bytes]);
	KUNIT_EXPECT_EQ(test, 3, b->lif[ION_LIF_STAT_rx_ucast_packets]);
	KUNIT_EXPECT_EQ(test, 183, sum(b->lif, ION_LIF_STAT_COUNT));
	KUNIT_EXPECT_EQ(test, 0, sum(b->port, ION_PORT_STAT_COUNT));
}

static void count_drops(struct kunit *test)
{
	struct count_buf *b = count_buf(test);
	struct ernic_frame f = { .cast = ERNIC_BCAST };

	ernic_count_rx_drop(b->lif, &f, 100, 2);
	KUNIT_EXPECT_EQ(test, 200, b->lif[ION_LIF_STAT_rx_bcast_drop_bytes]);
	KUNIT_EXPECT_EQ(test, 2, b->lif[ION_LIF_STAT_rx_bcast_drop_packets]);
	f.cast = ERNIC_MCAST;
	ernic_count_tx_drop(b->lif, &f, 100, 1);
	KUNIT_EXPECT_EQ(test, 100, b->lif[ION_LIF_STAT_tx_mcast_drop_bytes]);
	KUNIT_EXPECT_EQ(test, 1, b->lif[ION_LIF_STAT_tx_mcast_drop_packets]);
	KUNIT_EXPECT_EQ(test, 303, sum(b->lif, ION_LIF_STAT_COUNT));

	/* the MAC drops it: counted as bad, not as received */
	ernic_count_rx_too_long(b->port, 1);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_rx_too_long]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_rx_oversized]);
	KUNIT_EXPECT_EQ(test, 1, b->port[ION_PORT_STAT_frames_rx_bad_all]);
	KUNIT_EXPECT_EQ(test, 3, sum(b->port, ION_PORT_STAT_COUNT));
}

static void count_zero(struct kunit *test)
{
	struct mock *m = mock_open(test, &ernic_profiles[1]);
	struct count_buf *b = count_buf(test);
	struct ernic_eth *eth = m->edev->eth;
	struct ernic_frame f = {};

	ernic_eth_count_disabled(m->edev);
	ernic_count_tx(eth->pairs[0].lif_stats, eth->pairs[0].port_stats, &f,
		       100, 1);
	ernic_count_tx(eth->pairs[1].lif_stats, eth->pairs[1].port_stats, &f,
		       100, 2);
	ernic_eth_stats(m->edev, b->lif, b->port);
	KUNIT_EXPECT_EQ(test, 1, b->lif[ION_LIF_STAT_tx_queue_disabled]);
	KUNIT_EXPECT_EQ(test, 3, b->lif[ION_LIF_STAT_tx_ucast_packets]);
	KUNIT_EXPECT_EQ(test, 3, b->port[ION_PORT_STAT_frames_tx_ok]);
	/* PORT_RESET zeroes those of the port, and only those */
	ernic_eth_stats_zero(m->edev, false, true);
	ernic_eth_stats(m->edev, b->lif, b->port);
	KUNIT_EXPECT_EQ(test, 3, b->lif[ION_LIF_STAT_tx_ucast_packets]);
	KUNIT_EXPECT_EQ(test, 0, sum(b->port, ION_PORT_STAT_COUNT));
	ernic_eth_stats_zero(m->edev, true, false);
	ernic_eth_stats(m->edev, b->lif, b->port);
	KUNIT_EXPECT_EQ(test, 0, sum(b->lif, ERNIC_ETH_LIF_STATS));
}

static struct kunit_case count_cases[] = {
	KUNIT_CASE(count_bucket),
	KUNIT_CASE(count_classify),
	KUNIT_CASE(count_tx),
	KUNIT_CASE(count_tx_vlan),
	KUNIT_CASE(count_rx),
	KUNIT_CASE(count_drops),
	KUNIT_CASE(count_zero),
	{}
};

static struct kunit_suite count_suite = {
	.name = "ernic-count",
	.test_cases = count_cases,
};

kunit_test_suite(count_suite);
