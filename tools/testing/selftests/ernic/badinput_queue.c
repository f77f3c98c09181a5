// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest: queues that cannot be.
 */
#include <endian.h>
#include <unistd.h>

#include "badinput.h"

TEST(q_init_type_index_size, 20)
{
	union ion_cmd ok, cmd;
	unsigned int i;

	bad_start();
	ok = et_q_init_cmd(&dev.tx[0]);
	for (i = ION_QTYPE_TXQ + 1; i < 256; i++) {
		cmd = ok;
		cmd.q_init.type = i;
		CHECK_EQ(bad_q_init(&cmd), ION_RC_EQTYPE);
	}
	for (i = 1; i < 32; i++) {
		cmd = ok;
		cmd.q_init.index = htole32(1u << i);
		CHECK_EQ(bad_q_init(&cmd), ION_RC_EQID);
	}
	cmd = ok;
	cmd.q_init.index = htole32(~0u);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EQID);
	cmd.q_init.index = htole32(ET_PAIRS);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EQID);
	for (i = 0; i < 256; i++) {
		if (i >= ION_RING_SIZE_LOG2_MIN && i <= ION_RING_SIZE_LOG2_MAX)
			continue;
		cmd = ok;
		cmd.q_init.ring_size = i;
		CHECK_EQ(bad_q_init(&cmd), ION_RC_ERANGE);
	}
	for (i = 0; i < 16; i++) {
		cmd = ok;
		cmd.q_init.intr_index = htole16(7 << i);
		CHECK_EQ(bad_q_init(&cmd), ION_RC_ERANGE);
	}
	cmd = ok;
	cmd.q_init.flags |= htole16(ION_QINIT_F_EQ);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.flags |= htole16(ION_QINIT_F_CMB);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.features = htole64(1ull << 5);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.pid = htole16(1);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_EINVAL);
	/* the admin queue from itself */
	cmd = et_q_init_cmd(&dev.adminq);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_DEV_CMD);
	/* a queue that failed to be replaced is still the old one */
	et_send_one(&dev, 0, 60);
	bad_done();
}

TEST(q_init_addresses, 20)
{
	union ion_cmd ok[4], cmd;
	unsigned int i, t;

	bad_start();
	ok[0] = et_q_init_cmd(&dev.tx[0]);
	ok[1] = et_q_init_cmd(&dev.rx[1]);
	ok[2] = et_q_init_cmd(&dev.notifyq);
	for (t = 0; t < 3; t++) {
		for (i = 0; i < NADDR; i++) {
			cmd = ok[t];
			cmd.q_init.ring_base = htole64(bad_addr[i]);
			CHECK_EQ(bad_q_init(&cmd), ION_RC_BAD_ADDR);
			if (t == 2)
				continue;
			cmd = ok[t];
			cmd.q_init.cq_ring_base = htole64(bad_addr[i]);
			CHECK_EQ(bad_q_init(&cmd), ION_RC_BAD_ADDR);
			cmd = ok[t];
			cmd.q_init.sg_ring_base = htole64(bad_addr[i]);
			CHECK_EQ(bad_q_init(&cmd), ION_RC_BAD_ADDR);
		}
	}
	/* the admin queue, from the registers */
	CHECK_EQ(et_lif_init(&dev), ION_RC_SUCCESS);
	for (i = 0; i < NADDR; i++) {
		cmd = et_q_init_cmd(&dev.adminq);
		cmd.q_init.ring_base = htole64(bad_addr[i]);
		CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_BAD_ADDR);
		cmd = et_q_init_cmd(&dev.adminq);
		cmd.q_init.cq_ring_base = htole64(bad_addr[i]);
		CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_BAD_ADDR);
	}
	bad_done();
}

/* largest ring in a window that holds the smallest */
TEST(q_init_huge_ring, 20)
{
	union ion_cmd cmd;

	bad_start();
	cmd = et_q_init_cmd(&dev.tx[0]);
	cmd.q_init.ring_base = htole64(ET_ARENA_IOVA + ET_ARENA_SIZE - 4096);
	cmd.q_init.ring_size = ION_RING_SIZE_LOG2_MAX;
	CHECK_EQ(bad_q_init(&cmd), ION_RC_BAD_ADDR);
	bad_done();
}

TEST(q_init_overlapping, 30)
{
	struct et_queue *q = &dev.tx[0];
	union ion_cmd cmd;
	int i;

	bad_start();
	/* descriptors, completions and elements in one place */
	cmd = et_q_init_cmd(q);
	cmd.q_init.cq_ring_base = cmd.q_init.ring_base;
	cmd.q_init.sg_ring_base = cmd.q_init.ring_base;
	cmd.q_init.ring_size = 2;
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	for (i = 0; i < 64; i++)
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
	usleep(50000);
	/* two queues on the same rings, one of them for reception */
	cmd = et_q_init_cmd(q);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	cmd = et_q_init_cmd(&dev.tx[1]);
	cmd.q_init.ring_base = htole64(q->ring.iova);
	cmd.q_init.cq_ring_base = htole64(q->cq.iova);
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(&dev.tx[1], ION_Q_ENABLE), ION_RC_SUCCESS);
	cmd = et_q_init_cmd(&dev.rx[1]);
	cmd.q_init.ring_base = htole64(q->cq.iova);
	cmd.q_init.cq_ring_base = htole64(q->ring.iova);
	cmd.q_init.sg_ring_base = htole64(q->ring.iova);
	cmd.q_init.ring_size = 2;
	CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(&dev.rx[1], ION_Q_ENABLE), ION_RC_SUCCESS);
	for (i = 0; i < 64; i++) {
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
		et_doorbell(&dev, dev.tx[1].hw_type, dev.tx[1].hw_index, i);
		et_doorbell(&dev, dev.rx[1].hw_type, dev.rx[1].hw_index, i);
	}
	usleep(50000);
	bad_done();
}

TEST(q_init_hundredfold, 30)
{
	union ion_cmd cmd;
	int i;

	bad_start();
	/* without a disable between, enabled at once, under doorbells */
	for (i = 0; i < 100; i++) {
		cmd = et_q_init_cmd(i & 1 ? &dev.rx[0] : &dev.tx[0]);
		cmd.q_init.flags |= htole16(ION_QINIT_F_ENA);
		CHECK_EQ(bad_q_init(&cmd), ION_RC_SUCCESS);
		et_doorbell(&dev, dev.tx[0].hw_type, dev.tx[0].hw_index, i);
		et_doorbell(&dev, dev.rx[0].hw_type, dev.rx[0].hw_index, i);
	}
	for (i = 0; i < 100; i++)
		CHECK_EQ(et_q_init(&dev.notifyq), ION_RC_SUCCESS);
	for (i = 0; i < 100; i++)
		CHECK_EQ(et_q_init(&dev.adminq), ION_RC_SUCCESS);
	for (i = 0; i < 20; i++)
		CHECK_EQ(et_lif_init(&dev), ION_RC_SUCCESS);
	bad_done();
}
