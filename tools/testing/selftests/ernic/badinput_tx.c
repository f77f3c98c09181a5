// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest: transmit descriptors.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "badinput.h"

/* one bad descriptor: counted, completed, and the queue goes on */
static void bad_tx(u64 addr, u16 len, u8 opcode, u8 flags, u8 nsge,
		   u16 word6, u16 word7, const char *counter)
{
	struct et_queue *q = &dev.tx[0];
	struct ion_txq_desc *desc = et_tx_slot(q);
	u64 before = et_stat(&dev, counter), sent;

	sent = et_stat(&dev, "tx_ucast_packets");
	et_tx_desc(q, addr, len, opcode, flags, nsge);
	desc->csum_start = htole16(word6);
	desc->csum_offset = htole16(word7);
	et_ring(q);
	if (!et_tx_drain(q, 3000))
		FAIL("len %u opcode %u flags %u nsge %u: no completion", len,
		     opcode, flags, nsge);
	if (et_stat(&dev, counter) != before + 1)
		FAIL("len %u opcode %u flags %u nsge %u: %s moved by %lld", len,
		     opcode, flags, nsge, counter,
		     (long long)(et_stat(&dev, counter) - before));
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), sent);
}

TEST(tx_lengths_and_addresses, 30)
{
	const char *data = "tx_desc_data_error", *dma = "tx_dma_error";
	u64 a = ET_ARENA_IOVA;
	unsigned int i;

	bad_start();
	bad_tx(a, 0, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	bad_tx(a, 1, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	bad_tx(a, 13, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	bad_tx(a, 65535, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	bad_tx(a, 9300, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	bad_tx(0, 60, ION_TXD_CSUM_NONE, 0, 0, 0, 0, dma);
	bad_tx(ET_HOLE_IOVA, 60, ION_TXD_CSUM_NONE, 0, 0, 0, 0, dma);
	bad_tx(ET_HOLE_IOVA, 9000, ION_TXD_CSUM_NONE, 0, 0, 0, 0, dma);
	/* begins inside, ends outside */
	bad_tx(a + ET_ARENA_SIZE - 30, 60, ION_TXD_CSUM_NONE, 0, 0, 0, 0, dma);
	bad_tx(a + ET_ARENA_SIZE - 4000, 9000, ION_TXD_CSUM_NONE, 0, 0, 0, 0,
	       dma);
	bad_tx((1ull << 52) - 30, 60, ION_TXD_CSUM_NONE, 0, 0, 0, 0, data);
	/* opcodes */
	for (i = 4; i < 16; i++)
		bad_tx(a, 60, i, 0, 0, 0, 0, data);
	bad_tx(a, 60, ION_TXD_CSUM_HW, 0, 0, 0, 0, data);
	/* checksums behind the end, in the addresses, wrapping */
	bad_tx(a, 60, ION_TXD_CSUM_PARTIAL, 0, 0, 58, 1, data);
	bad_tx(a, 60, ION_TXD_CSUM_PARTIAL, 0, 0, 0xffff, 0xffff, data);
	bad_tx(a, 60, ION_TXD_CSUM_PARTIAL, 0, 0, 40, 0xffff, data);
	bad_tx(a, 60, ION_TXD_CSUM_PARTIAL, 0, 0, 0, 0, data);
	bad_tx(a, 60, ION_TXD_CSUM_PARTIAL, 0, 0, 13, 20, data);
	et_send_one(&dev, 0, 100);
	bad_done();
}

TEST(tx_sg_elements, 30)
{
	struct et_queue *q = &dev.tx[0];
	struct ion_sg_elem *sg;
	unsigned int i, n;

	bad_start();
	for (n = 1; n <= 15; n++) {
		sg = et_tx_sg(q, q->head);
		for (i = 0; i < n; i++) {
			sg[i].addr = htole64(ET_ARENA_IOVA);
			sg[i].len = htole16(64);
		}
		switch (n % 5) {
		case 0:
			sg[n - 1].len = 0;
			break;
		case 1:
			sg[n - 1].addr = htole64(~0ull);
			break;
		case 2:
			sg[n - 1].addr = htole64(1ull << 52);
			break;
		case 3:
			sg[n - 1].len = htole16(65535);
			break;
		case 4:
			sg[n - 1].addr = htole64((1ull << 52) - 10);
			break;
		}
		bad_tx(ET_ARENA_IOVA, 64, ION_TXD_CSUM_NONE, 0, n, 0, 0,
		       "tx_desc_data_error");
		sg = et_tx_sg(q, q->head);
		for (i = 0; i < n; i++) {
			sg[i].addr = htole64(i == n - 1 ? ET_HOLE_IOVA :
							  ET_ARENA_IOVA);
			sg[i].len = htole16(64);
		}
		bad_tx(ET_ARENA_IOVA, 64, ION_TXD_CSUM_NONE, 0, n, 0, 0,
		       "tx_dma_error");
	}
	et_send_one(&dev, 0, 100);
	bad_done();
}

TEST(tx_sg_without_sg, 20)
{
	struct et_queue *q = &dev.tx[0];

	bad_start();
	CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
	q->flags &= ~ION_QINIT_F_SG;
	q->sg.iova = ET_HOLE_IOVA;
	CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	bad_tx(ET_ARENA_IOVA, 64, ION_TXD_CSUM_NONE, 0, 3, 0, 0,
	       "tx_desc_data_error");
	et_send_one(&dev, 0, 100);
	q->flags |= ION_QINIT_F_SG;
	q->sg.iova = q->ring.iova;
	bad_done();
}

static void tso(u8 flags, u16 len, u16 hdr, u16 mss)
{
	struct et_queue *q = &dev.tx[0];
	struct ion_txq_desc *desc = et_tx_slot(q);

	et_tx_desc(q, dev.tx[1].sg.iova, len, ION_TXD_TSO, flags, 0);
	desc->hdr_len = htole16(hdr);
	desc->mss = htole16(mss);
}

/* a frame with good headers is at tx[1].sg, which its queue does not use */
static void tso_template(void)
{
	u8 *p = dev.tx[1].sg.va;

	memset(p, 0, dev.tx[1].sg.len);
	p[0] = 2;
	p[6] = 2;
	p[12] = 0x08;
	p[14] = 0x45;
	p[22] = 64;
	p[23] = 6;
	p[46] = 5 << 4;
}

#define BOTH	(ION_TXD_F_TSO_SOT | ION_TXD_F_TSO_EOT)
#define SOT	ION_TXD_F_TSO_SOT
#define EOT	ION_TXD_F_TSO_EOT

static void bad_tso(u8 flags, u16 len, u16 hdr, u16 mss)
{
	bad_tx(dev.tx[1].sg.iova, len, ION_TXD_TSO, flags, 0, hdr, mss,
	       "tx_desc_data_error");
}

TEST(tso_fields, 30)
{
	u8 *p;

	bad_start();
	p = dev.tx[1].sg.va;
	tso_template();
	/* the good one, to know that the bad ones are what they seem */
	tso(BOTH, 1054, 54, 1000);
	et_ring(&dev.tx[0]);
	CHECK(et_tx_drain(&dev.tx[0], 3000));
	CHECK_EQ(et_stat(&dev, "tx_desc_data_error"), 0);
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 1);

	bad_tso(BOTH, 1054, 54, 0);		/* mss 0 */
	bad_tso(BOTH, 1054, 54, 1);
	bad_tso(BOTH, 40, 54, 1000);		/* header longer than frame */
	bad_tso(BOTH, 54, 54, 1000);		/* no payload */
	bad_tso(BOTH, 1054, 0, 1000);
	bad_tso(BOTH, 1054, 13, 1000);
	bad_tso(BOTH, 1054, 14, 1000);		/* no room for IP */
	bad_tso(BOTH, 1054, 34, 1000);		/* no room for TCP */
	bad_tso(BOTH, 1054, 58, 1000);		/* not what TCP says */
	bad_tso(BOTH, 1054, 300, 1000);
	bad_tso(BOTH, 1054, 65535, 1000);
	bad_tso(BOTH, 2054, 54, 1000);		/* segment over mss */
	bad_tso(BOTH, 0, 54, 1000);
	bad_tso(EOT, 1000, 54, 1000);		/* no start */
	p[14] = 0x44;
	bad_tso(BOTH, 1054, 54, 1000);		/* ihl too small */
	p[14] = 0x4f;
	bad_tso(BOTH, 1054, 54, 1000);		/* ihl behind the headers */
	p[14] = 0x65;
	bad_tso(BOTH, 1054, 54, 1000);		/* version */
	p[14] = 0x45;
	p[23] = 17;
	bad_tso(BOTH, 1054, 54, 1000);		/* UDP */
	p[23] = 6;
	p[46] = 4 << 4;
	bad_tso(BOTH, 1054, 54, 1000);		/* doff */
	p[46] = 15 << 4;
	bad_tso(BOTH, 1054, 54, 1000);
	p[46] = 5 << 4;
	p[20] = 0x20;
	bad_tso(BOTH, 1054, 54, 1000);		/* fragment */
	p[20] = 0;
	p[12] = 0x88;
	bad_tso(BOTH, 1054, 54, 1000);		/* not IP */
	/* IPv6 whose extension headers have no end */
	p[12] = 0x86;
	p[13] = 0xdd;
	p[14] = 0x60;
	memset(p + 54, 0, 200);
	p[20] = 0;
	bad_tso(BOTH, 1200, 200, 1400);
	et_send_one(&dev, 0, 100);
	bad_done();
}

TEST(tso_endless, 30)
{
	struct et_queue *q = &dev.tx[0];
	unsigned int i, lap;

	bad_start();
	tso_template();
	/* starts without an end: a lap and more of them, then one that ends */
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < q->n - 2u; i++)
			tso(SOT, 1054, 54, 1000);
		et_ring(q);
		usleep(10000);
		tso(BOTH, 1054, 54, 1000);
		et_ring(q);
		CHECK(et_tx_drain(q, 3000));
	}
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 3);
	CHECK(et_stat(&dev, "tx_desc_data_error") > 0);
	/* one start, middles for ever: more than a frame can have */
	tso(SOT, 1054, 54, 1000);
	for (i = 0; i < 300; i++) {
		tso(0, 1000, 54, 1000);
		et_doorbell(&dev, q->hw_type, q->hw_index, q->head);
		if (i % 16 == 15)
			usleep(1000);
	}
	usleep(20000);
	et_check_canary(&dev);
	/* and the queue can be taken down in the middle of it */
	CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
	bad_done();
}

TEST(tx_ring_unmapped_later, 30)
{
	struct et_queue *q = &dev.tx[0];
	struct et_mem ring;
	union ion_cmd cmd;
	u8 *va;

	bad_start();
	/* a ring in a window of its own that goes away under the queue */
	ring = q->ring;
	va = aligned_alloc(65536, 65536);
	CHECK(va);
	memset(va, 0, 65536);
	CHECK_EQ(et_map(&dev, va, 0x300000000ull, 65536), 0);
	cmd = et_q_init_cmd(q);
	cmd.q_init.ring_base = htole64(0x300000000ull);
	et_q_clear(q);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	CHECK_EQ(et_unmap(&dev, 0x300000000ull, 65536), 0);
	et_doorbell(&dev, q->hw_type, q->hw_index, 5);
	et_stat_wait(&dev, "tx_desc_fetch_error", 1);
	/* dead until Q_INIT: no more errors, whatever rings */
	et_doorbell(&dev, q->hw_type, q->hw_index, 9);
	usleep(20000);
	CHECK_EQ(et_stat(&dev, "tx_desc_fetch_error"), 1);
	q->ring = ring;
	CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	et_send_one(&dev, 0, 100);
	bad_done();
}
