// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest: receive descriptors.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "badinput.h"

static void send_frame(size_t len)
{
	static u8 frame[16384];

	et_frame(frame, len, dev.mac, dev.mac, len);
	CHECK_EQ(et_host_send(&dev, frame, len), len);
}

/* a receive queue without buffers, the only one that is enabled */
static struct et_queue *rx_empty(void)
{
	struct et_queue *q = &dev.rx[0];

	CHECK_EQ(et_q_control(&dev.rx[1], ION_Q_DISABLE), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
	CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	return q;
}

TEST(rx_no_buffer, 20)
{
	bad_start();
	rx_empty();
	send_frame(100);
	et_stat_wait(&dev, "rx_queue_empty", 1);
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_packets"), 1);
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_bytes"), 100);
	CHECK_EQ(et_stat(&dev, "frames_rx_dropped"), 1);
	bad_done();
}

TEST(rx_bad_buffers, 30)
{
	static const struct {
		u64 addr;
		u16 len;
		const char *counter;
	} bad[] = {
		{ ET_ARENA_IOVA, 0, "rx_desc_data_error" },
		{ ~0ull, 2048, "rx_desc_data_error" },
		{ 1ull << 52, 2048, "rx_desc_data_error" },
		{ (1ull << 52) - 10, 2048, "rx_desc_data_error" },
		{ ET_HOLE_IOVA, 2048, "rx_dma_error" },
		{ 0, 2048, "rx_dma_error" },
		{ 0, 65535, "rx_dma_error" },
		{ ET_ARENA_IOVA + ET_ARENA_SIZE, 2048, "rx_dma_error" },
	};
	struct ion_rxq_comp comp;
	struct et_queue *q;
	unsigned int i;
	u64 before;

	bad_start();
	q = rx_empty();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		before = et_stat(&dev, bad[i].counter);
		et_rx_post(q, bad[i].addr, bad[i].len);
		et_ring(q);
		send_frame(200);
		if (!et_rx_wait(q, &comp, 3000))
			FAIL("buffer %u: no completion", i);
		CHECK(comp.status);
		CHECK_EQ(et_stat(&dev, bad[i].counter), before + 1);
	}
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_packets"), i);
	CHECK_EQ(et_stat(&dev, "rx_ucast_packets"), 0);
	/* a frame across the end of the mapping: a part may be there */
	et_rx_post(q, q->buf.iova, ET_RXBUF);
	et_ring(q);
	send_frame(300);
	CHECK(et_rx_wait(q, &comp, 3000));
	CHECK_EQ(comp.status, 0);
	bad_done();
}

TEST(rx_too_small, 20)
{
	struct ion_rxq_comp comp;
	struct et_queue *q;

	bad_start();
	q = rx_empty();
	et_rx_post(q, q->buf.iova, 100);
	et_ring(q);
	send_frame(101);
	et_stat_wait(&dev, "rx_desc_data_error", 1);
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_packets"), 1);
	send_frame(100);
	CHECK(et_rx_wait(q, &comp, 3000));
	CHECK_EQ(comp.status, 0);
	CHECK_EQ(le16toh(comp.len), 100);
	CHECK_EQ(q->buf.va[100], 0);
	bad_done();
}

TEST(rx_sg_elements, 30)
{
	struct ion_rxq_comp comp;
	struct ion_sg_elem *sg;
	struct ion_rxq_desc *desc;
	struct et_queue *q;
	unsigned int i, n;

	bad_start();
	q = rx_empty();
	for (n = 0; n < 9; n++) {
		desc = (struct ion_rxq_desc *)q->ring.va + q->head;
		sg = (struct ion_sg_elem *)q->sg.va +
		     q->head * ION_RX_SG_STRIDE;
		et_rx_post(q, q->buf.iova, 100);
		desc->opcode = ION_RXD_SG;
		/* n good elements of 100, then a bad one that is needed */
		memset(sg, 0, ION_RX_SG_STRIDE * sizeof(*sg));
		for (i = 0; i < ION_RX_SG_STRIDE; i++) {
			sg[i].addr = htole64(i < n ? q->buf.iova + i * 100 :
					     n & 1 ? ET_HOLE_IOVA : ~0ull);
			sg[i].len = htole16(100);
		}
		et_ring(q);
		send_frame(n < 8 ? 150 + n * 100 : 900);
		CHECK(et_rx_wait(q, &comp, 3000));
		CHECK_EQ(!comp.status, n == 8);
		if (n == 8)
			CHECK_EQ(comp.num_sg_elems, 8);
	}
	CHECK_EQ(et_stat(&dev, "rx_desc_data_error"), 4);
	CHECK_EQ(et_stat(&dev, "rx_dma_error"), 4);
	bad_done();
}

TEST(rx_completion_ring_unmapped, 30)
{
	struct et_queue *q;
	union ion_cmd cmd;
	u8 *va;

	bad_start();
	q = rx_empty();
	va = aligned_alloc(65536, 65536);
	CHECK(va);
	memset(va, 0x11, 65536);
	CHECK_EQ(et_map(&dev, va, 0x300000000ull, 65536), 0);
	cmd = et_q_init_cmd(q);
	cmd.q_init.cq_ring_base = htole64(0x300000000ull);
	et_q_clear(q);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	et_rx_fill(q);
	CHECK_EQ(et_unmap(&dev, 0x300000000ull, 65536), 0);
	send_frame(100);
	send_frame(100);
	usleep(50000);
	CHECK_EQ(va[0], 0x11);
	CHECK_EQ(va[15], 0x11);
	/* the other queue is another queue */
	CHECK_EQ(et_q_control(&dev.tx[0], ION_Q_ENABLE), ION_RC_SUCCESS);
	et_send_one(&dev, 0, 100);
	bad_done();
}
