// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest.  Each test does one kind of harm and then checks that the
 * device answered with the documented status, counted it, touched nothing that
 * it was not given, and works after a reset.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "badinput.h"

struct et_dev dev;

const u64 bad_addr[NADDR] = {
	0,			/* none */
	ET_HOLE_IOVA,		/* not mapped */
	ET_ARENA_IOVA + 8,	/* unaligned */
	ET_ARENA_IOVA + 1,
	ET_ARENA_IOVA + ET_ARENA_SIZE - 64,	/* end not mapped */
	ET_ARENA_IOVA - 64,	/* start not mapped */
	(1ull << 52) - 16,	/* wraps the 52 bits */
	1ull << 52,
	~0ull & ~15ull,		/* wraps 64 bits */
	~0ull,
	1ull << 63,
};

void bad_start(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
}

void bad_done(void)
{
	et_check_canary(&dev);
	et_still_works(&dev);
}

u8 bad_q_init(const union ion_cmd *cmd)
{
	return et_adminq(&dev, cmd);
}

/* the control: a buffer where none should be, and a frame into it */
static void stray_buffer(void)
{
	struct ion_rxq_comp comp;
	struct et_queue *q = &dev.rx[0];
	u8 frame[100];

	bad_start();
	CHECK_EQ(et_q_control(&dev.rx[1], ION_Q_DISABLE), ION_RC_SUCCESS);
	CHECK_EQ(et_q_init(q), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	et_rx_post(q, ET_ARENA_IOVA + ET_ARENA_SIZE - 4096, 2048);
	et_ring(q);
	et_frame(frame, sizeof(frame), dev.mac, dev.mac, 5);
	do {
		et_host_send(&dev, frame, sizeof(frame));
	} while (!et_rx_wait(q, &comp, 500));
	/* fails, as it should */
	et_check_canary(&dev);
}

TEST(control, 20)
{
	CHECK_EQ(tap_child(stray_buffer, 15), 1);
}

/* ---- doorbells ------------------------------------------------------------------- */

TEST(doorbells_to_nowhere, 30)
{
	u64 before, unknown, n = 0;
	u32 qid, slot, i;

	bad_start();
	before = et_stat(&dev, "tx_queue_disabled");
	unknown = et_debugfs(dev.uuid, "regs", "db_unknown");
	/* queues that are not, right slot and not */
	for (i = 0; i < 24; i++) {
		qid = (1u << i) + 6;
		et_doorbell(&dev, 16, qid, 1);
		n++;
	}
	/* live queue, wrong slot */
	for (slot = 0; slot < 512; slot++) {
		if (slot == dev.tx[0].hw_type)
			continue;
		et_doorbell(&dev, slot, dev.tx[0].hw_index, 1);
		n++;
	}
	/* live queue on another process's page; other rings of it */
	et_store(&dev, BAR2, 4096 + dev.tx[0].hw_type * 8, 8,
		 (u64)dev.tx[0].hw_index << 24 | 1);
	n++;
	for (i = 1; i < 8; i++) {
		et_store(&dev, BAR2, dev.tx[0].hw_type * 8, 8,
			 (u64)dev.tx[0].hw_index << 24 | i << 16 | 1);
		n++;
	}
	/* every page */
	for (i = 1; i < ION_DB_PAGES; i += 31) {
		et_store(&dev, BAR2, i * 4096, 8, ~0ull);
		n++;
	}
	CHECK_EQ(et_stat(&dev, "tx_queue_disabled") - before, n);
	CHECK_EQ(et_debugfs(dev.uuid, "regs", "db_unknown") - unknown, n);
	/* half a doorbell is none */
	et_store(&dev, BAR2, dev.tx[0].hw_type * 8, 4, 1);
	et_store(&dev, BAR2, dev.tx[0].hw_type * 8 + 4, 4, 1);
	et_send_one(&dev, 0, 60);
	/* dead: reset, and not set up since */
	CHECK_EQ(et_lif_reset(&dev), ION_RC_SUCCESS);
	before = et_stat(&dev, "tx_queue_disabled");
	et_doorbell(&dev, dev.tx[0].hw_type, dev.tx[0].hw_index, 5);
	et_doorbell(&dev, dev.adminq.hw_type, dev.adminq.hw_index, 5);
	CHECK_EQ(et_stat(&dev, "tx_queue_disabled") - before, 2);
	bad_done();
}

TEST(index_beyond_ring, 30)
{
	struct et_queue *q = &dev.tx[0];
	u32 i;

	bad_start();
	for (i = 0; i < q->n; i++)
		et_tx_desc(q, dev.tx[1].sg.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	for (i = 0; i < 65536; i += 509)
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
	for (i = 0; i < 65536; i += 509)
		et_doorbell(&dev, dev.rx[0].hw_type, dev.rx[0].hw_index, i);
	usleep(50000);
	bad_done();
}

/* initialised and not enabled: latched, and no access until it is enabled */
TEST(doorbell_before_enable, 20)
{
	struct et_queue *q = &dev.tx[0];

	bad_start();
	CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
	et_tx_desc(q, dev.tx[1].sg.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	et_ring(q);
	usleep(50000);
	CHECK_EQ(et_tx_reap(q, NULL), 0);
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 0);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	CHECK(et_tx_drain(q, 3000));
	bad_done();
}

/* ---- registers ----------------------------------------------------------------------------- */

TEST(bar_sizes, 60)
{
	static const u8 size[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17 };
	u8 buf[32], *volatile nowhere = (void *)8;
	unsigned int i;
	u64 bad;
	u32 off;

	bad_start();
	bad = et_debugfs(dev.uuid, "regs", "bad_access");
	/* reads of any size anywhere; writes where they mean nothing */
	for (off = 0; off < ION_BAR0_SIZE; off += off < 0x2100 ? 1 : 61) {
		for (i = 0; i < sizeof(size); i++) {
			ssize_t n = pread(dev.fd, buf, size[i],
					  dev.region[BAR0] + off);

			CHECK(n > 0 && n <= size[i]);
		}
	}
	memset(buf, 0xff, sizeof(buf));
	for (off = 0; off < ION_DEV_CMD_OFF; off++)
		SYS(pwrite(dev.fd, buf, size[off % sizeof(size)],
			   dev.region[BAR0] + off));
	for (off = ION_INTR_STATUS_OFF; off < ION_BAR0_SIZE; off += 13)
		SYS(pwrite(dev.fd, buf, size[off % sizeof(size)],
			   dev.region[BAR0] + off));
	CHECK(et_debugfs(dev.uuid, "regs", "bad_access") > bad);
	CHECK_EQ(et_load(&dev, BAR0, 0, 4), ION_SIGNATURE);
	/* side data and completion are storage; the doorbell is not hit */
	for (off = 0x808; off < 0x1000; off++)
		SYS(pwrite(dev.fd, buf, size[off % 8],
			   dev.region[BAR0] + off));
	for (off = 0; off < 0x10000; off += 13) {
		SYS(pread(dev.fd, buf, size[off % sizeof(size)],
			  dev.region[BAR2] + off));
		SYS(pwrite(dev.fd, buf, size[off % sizeof(size)],
			   dev.region[BAR2] + off));
	}
	/* the ends of the regions, and behind */
	for (i = 0; i < 3; i++) {
		static const struct {
			unsigned int region;
			u32 len;
		} r[] = {
			{ BAR0, ION_BAR0_SIZE }, { BAR2, ION_BAR2_SIZE },
			{ CFG, 4096 },
		};

		CHECK_EQ(pread(dev.fd, buf, 8, dev.region[r[i].region] +
			       r[i].len - 3), 3);
		CHECK_EQ(pread(dev.fd, buf, 4, dev.region[r[i].region] +
			       r[i].len), -1);
		CHECK_EQ(pwrite(dev.fd, buf, 4, dev.region[r[i].region] +
				r[i].len), -1);
		CHECK_EQ(pread(dev.fd, nowhere, 4, dev.region[r[i].region]),
			 -1);
	}
	CHECK_EQ(pread(dev.fd, buf, 4, dev.region[1]), -1);
	CHECK_EQ(pread(dev.fd, buf, 4, 0x7ffffffffffffff0ll), -1);
	/* a whole region at once */
	{
		u8 *all = calloc(1, ION_BAR2_SIZE);

		CHECK(all);
		CHECK_EQ(pread(dev.fd, all, ION_BAR0_SIZE, dev.region[BAR0]),
			 ION_BAR0_SIZE);
		CHECK_EQ(pwrite(dev.fd, all, 0x10000, dev.region[BAR2]),
			 0x10000);
	}
	bad_done();
}

TEST(interrupt_registers, 20)
{
	u32 vec, reg;

	bad_start();
	for (vec = 0; vec < 768; vec++)
		for (reg = 0; reg < 32; reg += 4) {
			et_intr_write(&dev, vec, reg, ~0u);
			et_intr_read(&dev, vec, reg);
			et_store(&dev, BAR0, ION_INTR_CTRL_OFF + vec * 32 +
				 (reg & ~7), 8, ~0ull);
		}
	/* vectors that are not advertised keep nothing */
	CHECK_EQ(et_intr_read(&dev, 7, ION_INTR_COAL_INIT), 0);
	CHECK_EQ(et_intr_read(&dev, 127, ION_INTR_COAL_INIT), 0);
	bad_done();
}

TEST(config_garbage, 20)
{
	u32 off, val;

	bad_start();
	srand(2);
	for (off = 0; off < 4096; off++) {
		val = rand();
		/* Initiate FLR and power states come by chance as well */
		SYS(pwrite(dev.fd, &val, 1 + off % 4, dev.region[CFG] + off));
		SYS(pread(dev.fd, &val, 1 + off % 4, dev.region[CFG] + off));
	}
	CHECK_EQ(et_load(&dev, CFG, PCI_VENDOR_ID, 4), 0x10021dd8);
	et_flr(&dev);
	bad_done();
}
