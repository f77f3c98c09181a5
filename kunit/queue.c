// SPDX-License-Identifier: GPL-2.0-only
/* Ring arithmetic: indices, laps, colours. */
#include <kunit/test.h>

#include "mock.h"

static void queue_setup(struct mock *m, struct ernic_queue *q, u32 n)
{
	*q = (struct ernic_queue){
		.edev = m->edev,
		.num_desc = n,
		.color = ION_COLOR,
		.init = true,
		.enabled = true,
		.ring_base = MOCK_BASE,
		.cq_base = MOCK_BASE + 0x10000,
	};
}

static void queue_avail(struct kunit *test)
{
	struct ernic_queue q = {};
	u32 n, c, d;

	for (n = 4; n <= 65536; n <<= 1) {
		q.num_desc = n;
		KUNIT_EXPECT_EQ(test, n - 1, ernic_queue_mask(&q));
		for (c = 0; c < n; c += max(1u, n / 16)) {
			q.c_index = c;
			/* one slot stays free, so n - 1 is full and 0 empty */
			for (d = 0; d < n; d += max(1u, n / 16)) {
				q.p_index = (c + d) & (n - 1);
				KUNIT_EXPECT_EQ(test, d, ernic_queue_avail(&q));
			}
			q.p_index = (c - 1) & (n - 1);
			KUNIT_EXPECT_EQ(test, n - 1, ernic_queue_avail(&q));
		}
	}
}

/* an index that no driver writes still names a slot of the ring */
static void queue_avail_hostile(struct kunit *test)
{
	struct ernic_queue q = { .num_desc = 16, .c_index = 3 };
	u32 p;

	for (p = 0; p <= 0xffff; p++) {
		q.p_index = p;
		KUNIT_EXPECT_LT(test, ernic_queue_avail(&q), 16);
		KUNIT_EXPECT_EQ(test, (p - 3) & 15, ernic_queue_avail(&q));
	}
}

static void queue_read_desc(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_queue q;
	u64 desc[2];
	int i;

	queue_setup(m, &q, 256);
	for (i = 0; i < 256; i++)
		*(u64 *)mock_ptr(m, MOCK_BASE + i * 16) = 0x1000 + i;
	for (i = 0; i < 1024; i++) {
		KUNIT_EXPECT_EQ(test, 0, ernic_queue_read_desc(&q, i, desc,
							       sizeof(desc)));
		KUNIT_EXPECT_EQ(test, 0x1000 + (i & 255), desc[0]);
	}
	q.ring_base = MOCK_BASE + MOCK_SIZE;
	KUNIT_EXPECT_NE(test, 0, ernic_queue_read_desc(&q, 0, desc,
						       sizeof(desc)));
}

/* entry k of lap L carries colour 1 ^ (L & 1) in bit 7 of its last byte */
static void queue_colour(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_queue q;
	u32 n, i, lap;
	u8 *entry;

	for (n = 4; n <= 4096; n <<= 2) {
		queue_setup(m, &q, n);
		for (i = 0; i < n; i++)
			memset(mock_ptr(m, q.cq_base + i * 16), 0, 16);
		for (i = 0; i < 7 * n + 3; i++) {
			union ion_comp comp = {
				.status = i,
				.comp_index = cpu_to_le16(i),
			};

			lap = i / n;
			KUNIT_ASSERT_EQ(test, 0, ernic_queue_complete(&q, &comp));
			entry = mock_ptr(m, q.cq_base + (i % n) * 16);
			KUNIT_ASSERT_EQ(test, lap & 1 ? 0 : 0x80, entry[15]);
			KUNIT_ASSERT_EQ(test, i & 0xff, entry[0]);
			KUNIT_ASSERT_EQ(test, i & 0xffff,
					entry[2] | entry[3] << 8);
		}
		KUNIT_EXPECT_EQ(test, 7 * n + 3, q.completions);
	}
}

/* the last byte has more than the colour: the packet type of a receive */
static void queue_colour_keeps_bits(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_queue q;
	u32 i;

	queue_setup(m, &q, 4);
	for (i = 0; i < 8; i++) {
		struct ion_rxq_comp comp = {
			.pkt_type_color = ION_PKT_IPV6_UDP,
		};

		KUNIT_EXPECT_EQ(test, 0, ernic_queue_complete(&q, &comp));
		KUNIT_EXPECT_EQ(test, 0x28 | (i < 4 ? 0x80 : 0),
				*(u8 *)mock_ptr(m, q.cq_base + (i & 3) * 16 +
						15));
	}
}

static void queue_complete_fails(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	union ion_comp comp = {};
	struct ernic_queue q;

	queue_setup(m, &q, 16);
	q.cq_base = MOCK_BASE + MOCK_SIZE;
	KUNIT_EXPECT_NE(test, 0, ernic_queue_complete(&q, &comp));
	KUNIT_EXPECT_EQ(test, 0, q.cq_index);
	KUNIT_EXPECT_EQ(test, 0, q.completions);
	ernic_dma_disable(m->edev);
	q.cq_base = MOCK_BASE;
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_queue_complete(&q, &comp));
}

static void queue_intr(struct kunit *test)
{
	struct mock *m = mock_dma(test);
	struct ernic_queue q;

	queue_setup(m, &q, 16);
	ernic_intr_write(m->edev, 5, ION_INTR_MASK, 0);
	q.intr = 5;
	ernic_queue_intr(&q, 4);
	KUNIT_EXPECT_EQ(test, 0, mock_signals(m, 5));
	q.has_intr = true;
	ernic_queue_intr(&q, 0);
	KUNIT_EXPECT_EQ(test, 0, mock_signals(m, 5));
	ernic_queue_intr(&q, 4);
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, 5));
	KUNIT_EXPECT_EQ(test, 4, ernic_intr_read(m->edev, 5, ION_INTR_CREDITS));
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(queue_avail),
	KUNIT_CASE(queue_avail_hostile),
	KUNIT_CASE(queue_read_desc),
	KUNIT_CASE(queue_colour),
	KUNIT_CASE(queue_colour_keeps_bits),
	KUNIT_CASE(queue_complete_fails),
	KUNIT_CASE(queue_intr),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "ernic-queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
