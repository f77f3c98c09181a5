// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest: commands.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "badinput.h"

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
	bad_done();
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
		[ION_CMD_RDMA_RESET_LIF] = 1, [ION_CMD_RDMA_CREATE_EQ] = 1,
		[ION_CMD_RDMA_CREATE_CQ] = 1, [ION_CMD_RDMA_CREATE_ADMINQ] = 1,
	};
	static const u8 regs_only[] = {
		ION_CMD_IDENTIFY, ION_CMD_INIT, ION_CMD_RESET,
		ION_CMD_PORT_IDENTIFY, ION_CMD_PORT_INIT, ION_CMD_PORT_RESET,
		ION_CMD_LIF_IDENTIFY, ION_CMD_LIF_INIT, ION_CMD_LIF_RESET,
		ION_CMD_Q_IDENTIFY,
	};
	unsigned int i;

	bad_start();
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
	bad_done();
}

/* the status that the command's documentation gives for each wrong field */
TEST(command_fields, 20)
{
	union ion_cmd cmd;
	unsigned int i;

	bad_start();
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
	bad_done();
}

TEST(lif_info_addresses, 20)
{
	union ion_cmd cmd = { .lif_init.opcode = ION_CMD_LIF_INIT };
	unsigned int i;

	bad_start();
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
	bad_done();
}

TEST(filters_to_the_limit, 30)
{
	union ion_cmd cmd = { .rx_filter_add.opcode = ION_CMD_RX_FILTER_ADD };
	int i, mc, n;

	bad_start();
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
	bad_done();
}

/* commands started while one runs, and registers scribbled on meanwhile */
TEST(devcmd_protocol, 20)
{
	union ion_cmd cmd = { .opcode = ION_CMD_IDENTIFY };
	unsigned int i;

	bad_start();
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
	bad_done();
}

TEST(adminq_garbage, 30)
{
	struct et_queue *q = &dev.adminq;
	unsigned int i, j;

	bad_start();
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
	bad_done();
}
