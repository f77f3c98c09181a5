// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest.  Each test does one kind of harm and then checks that the
 * device answered with the documented status, counted it, touched nothing that
 * it was not given, and works after a reset.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests.h"

static struct et_dev dev;

static void start(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
}

static void done(void)
{
	et_check_canary(&dev);
	et_still_works(&dev);
}

/* the control: a buffer where none should be, and a frame into it */
static void stray_buffer(void)
{
	struct ion_rxq_comp comp;
	struct et_queue *q = &dev.rx[0];
	u8 frame[100];

	start();
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

/* ---- Q_INIT ---------------------------------------------------------------------- */

static u8 q_init(const union ion_cmd *cmd)
{
	return et_adminq(&dev, cmd);
}

TEST(q_init_type_index_size, 20)
{
	union ion_cmd ok, cmd;
	unsigned int i;

	start();
	ok = et_q_init_cmd(&dev.tx[0]);
	for (i = ION_QTYPE_TXQ + 1; i < 256; i++) {
		cmd = ok;
		cmd.q_init.type = i;
		CHECK_EQ(q_init(&cmd), ION_RC_EQTYPE);
	}
	for (i = 1; i < 32; i++) {
		cmd = ok;
		cmd.q_init.index = htole32(1u << i);
		CHECK_EQ(q_init(&cmd), ION_RC_EQID);
	}
	cmd = ok;
	cmd.q_init.index = htole32(~0u);
	CHECK_EQ(q_init(&cmd), ION_RC_EQID);
	cmd.q_init.index = htole32(ET_PAIRS);
	CHECK_EQ(q_init(&cmd), ION_RC_EQID);
	for (i = 0; i < 256; i++) {
		if (i >= ION_RING_SIZE_LOG2_MIN && i <= ION_RING_SIZE_LOG2_MAX)
			continue;
		cmd = ok;
		cmd.q_init.ring_size = i;
		CHECK_EQ(q_init(&cmd), ION_RC_ERANGE);
	}
	for (i = 0; i < 16; i++) {
		cmd = ok;
		cmd.q_init.intr_index = htole16(7 << i);
		CHECK_EQ(q_init(&cmd), ION_RC_ERANGE);
	}
	cmd = ok;
	cmd.q_init.flags |= htole16(ION_QINIT_F_EQ);
	CHECK_EQ(q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.flags |= htole16(ION_QINIT_F_CMB);
	CHECK_EQ(q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.features = htole64(1ull << 5);
	CHECK_EQ(q_init(&cmd), ION_RC_EINVAL);
	cmd = ok;
	cmd.q_init.pid = htole16(1);
	CHECK_EQ(q_init(&cmd), ION_RC_EINVAL);
	/* the admin queue from itself */
	cmd = et_q_init_cmd(&dev.adminq);
	CHECK_EQ(q_init(&cmd), ION_RC_DEV_CMD);
	/* a queue that failed to be replaced is still the old one */
	et_send_one(&dev, 0, 60);
	done();
}

static const u64 bad_addr[] = {
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

#define NADDR	(sizeof(bad_addr) / sizeof(bad_addr[0]))

TEST(q_init_addresses, 20)
{
	union ion_cmd ok[4], cmd;
	unsigned int i, t;

	start();
	ok[0] = et_q_init_cmd(&dev.tx[0]);
	ok[1] = et_q_init_cmd(&dev.rx[1]);
	ok[2] = et_q_init_cmd(&dev.notifyq);
	for (t = 0; t < 3; t++) {
		for (i = 0; i < NADDR; i++) {
			cmd = ok[t];
			cmd.q_init.ring_base = htole64(bad_addr[i]);
			CHECK_EQ(q_init(&cmd), ION_RC_BAD_ADDR);
			if (t == 2)
				continue;
			cmd = ok[t];
			cmd.q_init.cq_ring_base = htole64(bad_addr[i]);
			CHECK_EQ(q_init(&cmd), ION_RC_BAD_ADDR);
			cmd = ok[t];
			cmd.q_init.sg_ring_base = htole64(bad_addr[i]);
			CHECK_EQ(q_init(&cmd), ION_RC_BAD_ADDR);
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
	done();
}

/* largest ring in a window that holds the smallest */
TEST(q_init_huge_ring, 20)
{
	union ion_cmd cmd;

	start();
	cmd = et_q_init_cmd(&dev.tx[0]);
	cmd.q_init.ring_base = htole64(ET_ARENA_IOVA + ET_ARENA_SIZE - 4096);
	cmd.q_init.ring_size = ION_RING_SIZE_LOG2_MAX;
	CHECK_EQ(q_init(&cmd), ION_RC_BAD_ADDR);
	done();
}

TEST(q_init_overlapping, 30)
{
	struct et_queue *q = &dev.tx[0];
	union ion_cmd cmd;
	int i;

	start();
	/* descriptors, completions and elements in one place */
	cmd = et_q_init_cmd(q);
	cmd.q_init.cq_ring_base = cmd.q_init.ring_base;
	cmd.q_init.sg_ring_base = cmd.q_init.ring_base;
	cmd.q_init.ring_size = 2;
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	for (i = 0; i < 64; i++)
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
	usleep(50000);
	/* two queues on the same rings, one of them for reception */
	cmd = et_q_init_cmd(q);
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	cmd = et_q_init_cmd(&dev.tx[1]);
	cmd.q_init.ring_base = htole64(q->ring.iova);
	cmd.q_init.cq_ring_base = htole64(q->cq.iova);
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(&dev.tx[1], ION_Q_ENABLE), ION_RC_SUCCESS);
	cmd = et_q_init_cmd(&dev.rx[1]);
	cmd.q_init.ring_base = htole64(q->cq.iova);
	cmd.q_init.cq_ring_base = htole64(q->ring.iova);
	cmd.q_init.sg_ring_base = htole64(q->ring.iova);
	cmd.q_init.ring_size = 2;
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_q_control(&dev.rx[1], ION_Q_ENABLE), ION_RC_SUCCESS);
	for (i = 0; i < 64; i++) {
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
		et_doorbell(&dev, dev.tx[1].hw_type, dev.tx[1].hw_index, i);
		et_doorbell(&dev, dev.rx[1].hw_type, dev.rx[1].hw_index, i);
	}
	usleep(50000);
	done();
}

TEST(q_init_hundredfold, 30)
{
	union ion_cmd cmd;
	int i;

	start();
	/* without a disable between, enabled at once, under doorbells */
	for (i = 0; i < 100; i++) {
		cmd = et_q_init_cmd(i & 1 ? &dev.rx[0] : &dev.tx[0]);
		cmd.q_init.flags |= htole16(ION_QINIT_F_ENA);
		CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
		et_doorbell(&dev, dev.tx[0].hw_type, dev.tx[0].hw_index, i);
		et_doorbell(&dev, dev.rx[0].hw_type, dev.rx[0].hw_index, i);
	}
	for (i = 0; i < 100; i++)
		CHECK_EQ(et_q_init(&dev.notifyq), ION_RC_SUCCESS);
	for (i = 0; i < 100; i++)
		CHECK_EQ(et_q_init(&dev.adminq), ION_RC_SUCCESS);
	for (i = 0; i < 20; i++)
		CHECK_EQ(et_lif_init(&dev), ION_RC_SUCCESS);
	done();
}

/* ---- commands -------------------------------------------------------------------- */

TEST(commands_before_lif, 20)
{
	static const u8 needs_lif[] = {
		ION_CMD_LIF_GETATTR, ION_CMD_LIF_SETATTR, ION_CMD_RX_MODE_SET,
		ION_CMD_RX_FILTER_ADD, ION_CMD_RX_FILTER_DEL, ION_CMD_Q_INIT,
		ION_CMD_Q_CONTROL,
	};
	unsigned int i;

	et_open(&dev, uuid0);
	et_bus_master(&dev, true);
	for (i = 0; i < sizeof(needs_lif); i++)
		CHECK_EQ(et_devcmd(&dev, &(union ion_cmd){
					.opcode = needs_lif[i] }),
			 ION_RC_EPERM);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	done();
}

TEST(opcodes, 20)
{
	static const bool known[256] = {
		[ION_CMD_NOP] = 1, [ION_CMD_IDENTIFY] = 1, [ION_CMD_INIT] = 1,
		[ION_CMD_RESET] = 1, [ION_CMD_PORT_IDENTIFY] = 1,
		[ION_CMD_PORT_INIT] = 1, [ION_CMD_PORT_RESET] = 1,
		[ION_CMD_PORT_GETATTR] = 1, [ION_CMD_PORT_SETATTR] = 1,
		[ION_CMD_LIF_IDENTIFY] = 1, [ION_CMD_LIF_INIT] = 1,
		[ION_CMD_LIF_RESET] = 1, [ION_CMD_LIF_GETATTR] = 1,
		[ION_CMD_LIF_SETATTR] = 1, [ION_CMD_RX_MODE_SET] = 1,
		[ION_CMD_RX_FILTER_ADD] = 1, [ION_CMD_RX_FILTER_DEL] = 1,
		[ION_CMD_Q_IDENTIFY] = 1, [ION_CMD_Q_INIT] = 1,
		[ION_CMD_Q_CONTROL] = 1, [ION_CMD_FW_DOWNLOAD] = 1,
		[ION_CMD_FW_CONTROL] = 1,
	};
	static const u8 regs_only[] = {
		ION_CMD_IDENTIFY, ION_CMD_INIT, ION_CMD_RESET,
		ION_CMD_PORT_IDENTIFY, ION_CMD_PORT_INIT, ION_CMD_PORT_RESET,
		ION_CMD_LIF_IDENTIFY, ION_CMD_LIF_INIT, ION_CMD_LIF_RESET,
		ION_CMD_Q_IDENTIFY,
	};
	unsigned int i;

	start();
	for (i = 0; i < 256; i++) {
		if (known[i])
			continue;
		CHECK_EQ(et_devcmd(&dev, &(union ion_cmd){ .opcode = i }),
			 ION_RC_EOPCODE);
		CHECK_EQ(et_adminq(&dev, &(union ion_cmd){ .opcode = i }),
			 ION_RC_EOPCODE);
	}
	CHECK_EQ(et_devcmd(&dev, &(union ion_cmd){
				.opcode = ION_CMD_FW_DOWNLOAD }),
		 ION_RC_ENOSUPP);
	CHECK_EQ(et_adminq(&dev, &(union ion_cmd){
				.opcode = ION_CMD_FW_CONTROL }),
		 ION_RC_ENOSUPP);
	for (i = 0; i < sizeof(regs_only); i++)
		CHECK_EQ(et_adminq(&dev, &(union ion_cmd){
					.opcode = regs_only[i] }),
			 ION_RC_DEV_CMD);
	done();
}

/* the status that the command's documentation gives for each wrong field */
TEST(command_fields, 20)
{
	union ion_cmd cmd;
	unsigned int i;

	start();
	cmd = (union ion_cmd){ .init.opcode = ION_CMD_INIT };
	cmd.init.type = 1;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_EINVAL);
	cmd = (union ion_cmd){ .lif_identify.opcode = ION_CMD_LIF_IDENTIFY };
	cmd.lif_identify.type = 1;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_EINVAL);
	cmd = (union ion_cmd){ .q_identify.opcode = ION_CMD_Q_IDENTIFY };
	for (i = ION_QTYPE_TXQ + 1; i < 256; i++) {
		cmd.q_identify.type = i;
		CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_EQTYPE);
	}
	cmd = (union ion_cmd){ .port_init.opcode = ION_CMD_PORT_INIT };
	cmd.port_init.index = 1;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_ENOENT);
	cmd.port_init.index = 0;
	for (i = 0; i < NADDR; i++) {
		if (bad_addr[i] == ET_ARENA_IOVA + 8)
			continue;
		cmd.port_init.info_pa = htole64(bad_addr[i]);
		CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_BAD_ADDR);
	}
	cmd = (union ion_cmd){ .port_setattr.opcode = ION_CMD_PORT_SETATTR };
	cmd.port_setattr.attr = 200;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_EINVAL);
	cmd.port_setattr.attr = ION_PORT_ATTR_STATE;
	cmd.port_setattr.value = htole32(77);
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_EINVAL);
	cmd.port_setattr.attr = ION_PORT_ATTR_MTU;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_SUCCESS);
	cmd.port_setattr.value = htole32(67);
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_ERANGE);
	cmd.port_setattr.value = htole32(~0u);
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_ERANGE);
	cmd.port_setattr.attr = ION_PORT_ATTR_SPEED;
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_ENOSUPP);

	cmd = (union ion_cmd){ .lif_setattr.opcode = ION_CMD_LIF_SETATTR };
	cmd.lif_setattr.attr = 99;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);
	cmd.lif_setattr.attr = ION_LIF_ATTR_MTU;
	cmd.lif_setattr.mtu = htole32(~0u);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_ERANGE);
	cmd.lif_setattr.index = htole16(1);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_ENOENT);
	cmd = (union ion_cmd){ .lif_setattr.opcode = ION_CMD_LIF_SETATTR };
	cmd.lif_setattr.attr = ION_LIF_ATTR_MAC;
	memset(cmd.lif_setattr.mac, 0xff, 6);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);
	cmd.lif_setattr.attr = ION_LIF_ATTR_STATE;
	cmd.lif_setattr.state = 9;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);
	/* a name without an end */
	cmd.lif_setattr.attr = ION_LIF_ATTR_NAME;
	memset(cmd.bytes + 4, 0xf1, 60);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_SUCCESS);
	cmd = (union ion_cmd){ .lif_getattr.opcode = ION_CMD_LIF_GETATTR };
	cmd.lif_getattr.attr = 99;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);

	/* RSS: a table that is not there, one that names queues that are not */
	cmd = (union ion_cmd){ .lif_setattr.opcode = ION_CMD_LIF_SETATTR };
	CHECK_EQ(et_set_features(&dev, ~0ull), ION_RC_SUCCESS);
	CHECK(dev.features & ION_ETH_HW_RX_HASH);
	cmd.lif_setattr.attr = ION_LIF_ATTR_RSS;
	cmd.lif_setattr.rss.types = htole16(0xffff);
	for (i = 0; i < NADDR; i++) {
		if ((bad_addr[i] & 15) && bad_addr[i] < ET_ARENA_IOVA + 4096 &&
		    bad_addr[i] > ET_ARENA_IOVA)
			continue;
		cmd.lif_setattr.rss.addr = htole64(bad_addr[i]);
		CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_BAD_ADDR);
	}
	memset(dev.rx[1].buf.va, 0xfe, 128);
	cmd.lif_setattr.rss.addr = htole64(dev.rx[1].buf.iova);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_SUCCESS);
	et_recv_one(&dev, 80);

	cmd = (union ion_cmd){ .rx_filter_del.opcode = ION_CMD_RX_FILTER_DEL };
	cmd.rx_filter_del.filter_id = htole32(0x7fffffff);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_ENOENT);
	cmd.rx_filter_del.filter_id = htole32(~0u);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_ENOENT);
	cmd = (union ion_cmd){ .rx_filter_add.opcode = ION_CMD_RX_FILTER_ADD };
	cmd.rx_filter_add.match = htole16(77);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_ENOSUPP);
	cmd.rx_filter_add.match = htole16(ION_RX_FILTER_VLAN);
	cmd.rx_filter_add.vlan = htole16(4096);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);
	cmd = (union ion_cmd){ .q_control.opcode = ION_CMD_Q_CONTROL };
	cmd.q_control.type = ION_QTYPE_ADMINQ;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EQTYPE);
	cmd.q_control.type = ION_QTYPE_TXQ;
	cmd.q_control.index = htole32(ET_PAIRS);
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EQID);
	cmd.q_control.index = 0;
	cmd.q_control.oper = 7;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EINVAL);
	done();
}

TEST(lif_info_addresses, 20)
{
	union ion_cmd cmd = { .lif_init.opcode = ION_CMD_LIF_INIT };
	unsigned int i;

	start();
	for (i = 0; i < NADDR; i++) {
		if (bad_addr[i] == ET_ARENA_IOVA + 8)
			continue;
		cmd.lif_init.info_pa = htole64(bad_addr[i]);
		CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_BAD_ADDR);
	}
	/* half of the block was there, and was named by the guest */
	memset(dev.arena.va + ET_ARENA_SIZE - 64, ET_CANARY, 64);
	cmd.lif_init.info_pa = htole64(dev.lif_info.iova);
	cmd.lif_init.index = htole16(1);
	CHECK_EQ(et_devcmd(&dev, &cmd), ION_RC_ENOENT);
	done();
}

TEST(filters_to_the_limit, 30)
{
	union ion_cmd cmd = { .rx_filter_add.opcode = ION_CMD_RX_FILTER_ADD };
	int i, mc, n;

	start();
	cmd.rx_filter_add.match = htole16(ION_RX_FILTER_MAC);
	for (mc = 0; mc < 2; mc++) {
		for (i = 0, n = 0; i < 400; i++) {
			cmd.rx_filter_add.mac[0] = 2 | mc;
			cmd.rx_filter_add.mac[4] = i >> 8;
			cmd.rx_filter_add.mac[5] = i;
			if (et_adminq(&dev, &cmd) == ION_RC_SUCCESS)
				n++;
			else
				CHECK_EQ(dev.comp.status, ION_RC_ENOSPC);
		}
		/* one is the station's address */
		CHECK_EQ(n, mc ? 256 : 255);
	}
	cmd.rx_filter_add.mac[4] = 0;
	CHECK_EQ(et_adminq(&dev, &cmd), ION_RC_EEXIST);
	done();
}

/* commands started while one runs, and registers scribbled on meanwhile */
TEST(devcmd_protocol, 20)
{
	union ion_cmd cmd = { .opcode = ION_CMD_IDENTIFY };
	unsigned int i;

	start();
	for (i = 0; i < 500; i++) {
		cmd.opcode = i % 2 ? ION_CMD_IDENTIFY : ION_CMD_LIF_RESET;
		SYS(pwrite(dev.fd, &cmd, sizeof(cmd), dev.region[BAR0] +
			   ION_DEV_CMD_OFF + ION_CMD_REQUEST));
		et_store(&dev, BAR0, ION_DEV_CMD_OFF, 4, 1);
		et_store(&dev, BAR0, ION_DEV_CMD_OFF, 4, 1);
		et_store(&dev, BAR0, ION_DEV_CMD_OFF + 4, 4, i);
		et_store(&dev, BAR0, ION_DEV_CMD_OFF, 8, ~0ull);
		memset(cmd.bytes + 1, i, 63);
	}
	usleep(100000);
	done();
}

TEST(adminq_garbage, 30)
{
	struct et_queue *q = &dev.adminq;
	unsigned int i, j;

	start();
	srand(1);
	for (i = 0; i < 300; i++) {
		union ion_cmd cmd;

		for (j = 0; j < sizeof(cmd); j++)
			cmd.bytes[j] = rand();
		cmd.opcode %= 64;
		/* what would be a valid Q_INIT is not what is wanted here */
		if (cmd.opcode == ION_CMD_Q_INIT)
			cmd.q_init.ring_base = htole64(ET_HOLE_IOVA);
		et_adminq(&dev, &cmd);
	}
	/* a lap of nothing, and indices that are none */
	memset(q->ring.va, 0, q->ring.len);
	for (i = 0; i < 65536; i += 1021)
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
	usleep(50000);
	done();
}

/* ---- doorbells ------------------------------------------------------------------- */

TEST(doorbells_to_nowhere, 30)
{
	u64 before, unknown, n = 0;
	u32 qid, slot, i;

	start();
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
	done();
}

TEST(index_beyond_ring, 30)
{
	struct et_queue *q = &dev.tx[0];
	u32 i;

	start();
	for (i = 0; i < q->n; i++)
		et_tx_desc(q, dev.tx[1].sg.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	for (i = 0; i < 65536; i += 509)
		et_doorbell(&dev, q->hw_type, q->hw_index, i);
	for (i = 0; i < 65536; i += 509)
		et_doorbell(&dev, dev.rx[0].hw_type, dev.rx[0].hw_index, i);
	usleep(50000);
	done();
}

/* initialised and not enabled: latched, and no access until it is enabled */
TEST(doorbell_before_enable, 20)
{
	struct et_queue *q = &dev.tx[0];

	start();
	CHECK_EQ(et_q_control(q, ION_Q_DISABLE), ION_RC_SUCCESS);
	et_tx_desc(q, dev.tx[1].sg.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	et_ring(q);
	usleep(50000);
	CHECK_EQ(et_tx_reap(q, NULL), 0);
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 0);
	CHECK_EQ(et_q_control(q, ION_Q_ENABLE), ION_RC_SUCCESS);
	CHECK(et_tx_drain(q, 3000));
	done();
}

/* ---- transmit descriptors ----------------------------------------------------------- */

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

	start();
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
	done();
}

TEST(tx_sg_elements, 30)
{
	struct et_queue *q = &dev.tx[0];
	struct ion_sg_elem *sg;
	unsigned int i, n;

	start();
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
	done();
}

TEST(tx_sg_without_sg, 20)
{
	struct et_queue *q = &dev.tx[0];

	start();
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
	done();
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

	start();
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
	done();
}

TEST(tso_endless, 30)
{
	struct et_queue *q = &dev.tx[0];
	unsigned int i, lap;

	start();
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
	done();
}

TEST(tx_ring_unmapped_later, 30)
{
	struct et_queue *q = &dev.tx[0];
	struct et_mem ring;
	union ion_cmd cmd;
	u8 *va;

	start();
	/* a ring in a window of its own that goes away under the queue */
	ring = q->ring;
	va = aligned_alloc(65536, 65536);
	CHECK(va);
	memset(va, 0, 65536);
	CHECK_EQ(et_map(&dev, va, 0x300000000ull, 65536), 0);
	cmd = et_q_init_cmd(q);
	cmd.q_init.ring_base = htole64(0x300000000ull);
	et_q_clear(q);
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
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
	done();
}

/* ---- receive descriptors --------------------------------------------------------------- */

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
	start();
	rx_empty();
	send_frame(100);
	et_stat_wait(&dev, "rx_queue_empty", 1);
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_packets"), 1);
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_bytes"), 100);
	CHECK_EQ(et_stat(&dev, "frames_rx_dropped"), 1);
	done();
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

	start();
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
	done();
}

TEST(rx_too_small, 20)
{
	struct ion_rxq_comp comp;
	struct et_queue *q;

	start();
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
	done();
}

TEST(rx_sg_elements, 30)
{
	struct ion_rxq_comp comp;
	struct ion_sg_elem *sg;
	struct ion_rxq_desc *desc;
	struct et_queue *q;
	unsigned int i, n;

	start();
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
	done();
}

TEST(rx_completion_ring_unmapped, 30)
{
	struct et_queue *q;
	union ion_cmd cmd;
	u8 *va;

	start();
	q = rx_empty();
	va = aligned_alloc(65536, 65536);
	CHECK(va);
	memset(va, 0x11, 65536);
	CHECK_EQ(et_map(&dev, va, 0x300000000ull, 65536), 0);
	cmd = et_q_init_cmd(q);
	cmd.q_init.cq_ring_base = htole64(0x300000000ull);
	et_q_clear(q);
	CHECK_EQ(q_init(&cmd), ION_RC_SUCCESS);
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
	done();
}

/* ---- registers ----------------------------------------------------------------------------- */

TEST(bar_sizes, 60)
{
	static const u8 size[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17 };
	u8 buf[32], *volatile nowhere = (void *)8;
	unsigned int i;
	u64 bad;
	u32 off;

	start();
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
	done();
}

TEST(interrupt_registers, 20)
{
	u32 vec, reg;

	start();
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
	done();
}

TEST(config_garbage, 20)
{
	u32 off, val;

	start();
	srand(2);
	for (off = 0; off < 4096; off++) {
		val = rand();
		/* Initiate FLR and power states come by chance as well */
		SYS(pwrite(dev.fd, &val, 1 + off % 4, dev.region[CFG] + off));
		SYS(pread(dev.fd, &val, 1 + off % 4, dev.region[CFG] + off));
	}
	CHECK_EQ(et_load(&dev, CFG, PCI_VENDOR_ID, 4), 0x10021dd8);
	et_flr(&dev);
	done();
}
