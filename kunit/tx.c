// SPDX-License-Identifier: GPL-2.0-only
/* Transmit queues while something else happens to their device. */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/delay.h>

#include <ernic/eth.h>

#include "mock.h"

#define TX_RING		MOCK_FREE
#define TX_CQ		(MOCK_FREE + 0x1000)
#define TX_SG		(MOCK_FREE + 0x2000)
#define TX_DATA		(MOCK_FREE + 0x4000)

/* as ernic_dma_disable() begins: it waits for the batch that is under way */
static void dma_off(struct mock *m)
{
	m->on_rw = NULL;
	WRITE_ONCE(m->edev->dma.enabled, false);
}

/* a frame of two buffers */
static void post(struct mock *m, u16 index, u16 len, u16 sg_len)
{
	struct ion_sg_elem *sg = mock_ptr(m, TX_SG + index * ION_TX_SG_STRIDE * sizeof(*sg));
	struct ion_txq_desc *desc = mock_ptr(m, TX_RING + index * sizeof(*desc));

	desc->cmd = cpu_to_le64(FIELD_PREP(ION_TXD_ADDR_MASK, TX_DATA) |
				FIELD_PREP(ION_TXD_NSGE_MASK, 1));
	desc->len = cpu_to_le16(len);
	sg->addr = cpu_to_le64(TX_DATA);
	sg->len = cpu_to_le16(sg_len);
}

static void wait_index(struct kunit *test, struct ernic_pair *pair, u16 index)
{
	unsigned int i;

	for (i = 0; i < 2000 && READ_ONCE(pair->tx.c_index) != index; i++)
		usleep_range(100, 1000);
	/* the batch is over */
	mutex_lock(&pair->lock);
	KUNIT_EXPECT_EQ(test, index, pair->tx.c_index);
	mutex_unlock(&pair->lock);
}

/*
 * The guest turns bus mastering off under its queue and on again: what was not begun
 * is sent then, each descriptor once and with elements of its own.
 */
static void tx_dma_off(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[1]);
	struct ernic_pair *pair = &m->edev->eth->pairs[0];
	u64 *stat = pair->lif_stats;
	union ion_cmd cmd = {
		.q_init = {
			.opcode = ION_CMD_Q_INIT,
			.type = ION_QTYPE_TXQ,
			.flags = cpu_to_le16(ION_QINIT_F_ENA | ION_QINIT_F_SG),
			.ring_size = 4,
			.ring_base = cpu_to_le64(TX_RING),
			.cq_ring_base = cpu_to_le64(TX_CQ),
			.sg_ring_base = cpu_to_le64(TX_SG),
		},
	};

	m->unpinnable[(TX_SG - MOCK_BASE) >> PAGE_SHIFT] = true;
	KUNIT_ASSERT_EQ(test, 0, mock_admin(m, &cmd, NULL));
	post(m, 0, 60, 100);
	post(m, 1, 70, 200);
	post(m, 2, 90, 400);
	m->on_rw = dma_off;
	ernic_bar_write(m->edev, 2, ERNIC_DB_SLOT_TX(0) * 8, 8,
			(u64)ERNIC_QID_TX(0) << 24 | 3);
	/* its elements were there, its buffers were not */
	wait_index(test, pair, 1);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(m->edev->dma.enabled));
	KUNIT_EXPECT_EQ(test, 1, stat[ION_LIF_STAT_tx_dma_error]);

	ernic_dma_enable(m->edev);
	ernic_eth_kick(m->edev);
	wait_index(test, pair, 3);
	/* ernicN is down */
	KUNIT_EXPECT_EQ(test, 2, stat[ION_LIF_STAT_tx_ucast_drop_packets]);
	KUNIT_EXPECT_EQ(test, 70 + 200 + 90 + 400, stat[ION_LIF_STAT_tx_ucast_drop_bytes]);
}

static struct kunit_case tx_cases[] = {
	KUNIT_CASE(tx_dma_off),
	{}
};

static struct kunit_suite tx_suite = {
	.name = "ernic-tx",
	.test_cases = tx_cases,
};

kunit_test_suite(tx_suite);
