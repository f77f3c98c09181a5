// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's bytes as numbers and commands.  When they are used up, a
 * generator seeded by them goes on, so that an operation is always complete.
 */
#include "fuzz.h"

static const u8 *in_data;
static size_t in_size, in_pos;
static u64 in_seed;

void in_start(const u8 *data, size_t size)
{
	size_t i;

	in_data = data;
	in_size = size;
	in_pos = 0;
	in_seed = 0x9e3779b97f4a7c15ull;
	for (i = 0; i < size; i++)
		in_seed = (in_seed ^ data[i]) * 0x100000001b3ull;
	in_seed |= 1;
}

bool in_more(void)
{
	return in_pos < in_size;
}

static u64 in_random(void)
{
	in_seed ^= in_seed << 13;
	in_seed ^= in_seed >> 7;
	in_seed ^= in_seed << 17;
	return in_seed;
}

u8 in8(void)
{
	return in_pos < in_size ? in_data[in_pos++] : in_random() >> 32;
}

u16 in16(void)
{
	return in8() | in8() << 8;
}

u32 in32(void)
{
	return in16() | (u32)in16() << 16;
}

u64 in64(void)
{
	return in32() | (u64)in32() << 32;
}

bool in_one_of(unsigned int n)
{
	return in8() % n == 0;
}

/* filler: costs no input */
void in_bytes(void *buf, size_t len)
{
	u8 *p = buf;
	u64 r;

	for (; len >= sizeof(r); len -= sizeof(r), p += sizeof(r)) {
		r = in_random();
		memcpy(p, &r, sizeof(r));
	}
	r = in_random();
	memcpy(p, &r, len);
}

/* mostly where memory is, near its ends, and in all the wrong places */
u64 in_addr(void)
{
	u8 how = in8();

	if (how < 200)
		return (u64)(how & 0x3f) << 16 | (in8() & 0xf) << 8;
	switch (how % 8) {
	case 0:
		return (u64)(how & 0x3f) << 16 | in16();
	case 1:
		return 0x400000 - in8();	/* the end of memory */
	case 2:
		return (1ull << 52) - in8();
	case 3:
		return 1ull << 52;
	case 4:
		return ~0ull - in8();
	case 5:
		return in64();
	case 6:
		return in8();
	default:
		return (u64)in8() << 56;
	}
}

static void in_q_init(union ion_cmd *cmd)
{
	static const u8 small[] = { 2, 3, 4, 6, 8, 2, 4, 10 };
	u8 how = in8();

	cmd->q_init.type = how & 3;
	cmd->q_init.index = cpu_to_le32(how >> 2 & 1);
	cmd->q_init.intr_index = cpu_to_le16(how >> 3 & 3);
	cmd->q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ |
					(how & 0x20 ? ION_QINIT_F_ENA : 0) |
					(how & 0x40 ? 0 : ION_QINIT_F_SG));
	cmd->q_init.ring_size = small[in8() & 7];
	/* places of their own, unless the fuzzer wants another */
	cmd->q_init.ring_base = cpu_to_le64(RING_BASE(how & 7));
	cmd->q_init.cq_ring_base = cpu_to_le64(RING_CQ(how & 7));
	cmd->q_init.sg_ring_base = cpu_to_le64(RING_SG(how & 7));
	if (how & 0x80) {
		switch (in8() & 3) {
		case 0:
			cmd->q_init.ring_base = cpu_to_le64(in_addr());
			break;
		case 1:
			cmd->q_init.cq_ring_base = cpu_to_le64(in_addr());
			break;
		case 2:
			cmd->q_init.sg_ring_base = cpu_to_le64(in_addr());
			break;
		default:
			cmd->q_init.ring_size = in8();
			break;
		}
	}
}

static void in_setattr(union ion_cmd *cmd)
{
	cmd->lif_setattr.attr = in8() % 8;
	switch (cmd->lif_setattr.attr) {
	case ION_LIF_ATTR_STATE:
		cmd->lif_setattr.state = in8() & 3;
		break;
	case ION_LIF_ATTR_MTU:
		cmd->lif_setattr.mtu = cpu_to_le32(in16());
		break;
	case ION_LIF_ATTR_FEATURES:
		cmd->lif_setattr.features = cpu_to_le64(in16() | 1 << 7);
		break;
	case ION_LIF_ATTR_RSS:
		cmd->lif_setattr.rss.types = cpu_to_le16(in8());
		in_bytes(cmd->lif_setattr.rss.key, ION_RSS_KEY_LEN);
		cmd->lif_setattr.rss.addr = cpu_to_le64(in_addr());
		break;
	default:
		in_bytes(cmd->lif_setattr.name, 16);
		break;
	}
}

void in_command(union ion_cmd *cmd)
{
	static const u8 ops[] = {
		ION_CMD_NOP, ION_CMD_IDENTIFY, ION_CMD_INIT, ION_CMD_RESET,
		ION_CMD_PORT_IDENTIFY, ION_CMD_PORT_INIT, ION_CMD_PORT_RESET,
		ION_CMD_PORT_GETATTR, ION_CMD_PORT_SETATTR,
		ION_CMD_LIF_IDENTIFY, ION_CMD_LIF_INIT, ION_CMD_LIF_RESET,
		ION_CMD_LIF_GETATTR, ION_CMD_LIF_SETATTR, ION_CMD_RX_MODE_SET,
		ION_CMD_RX_FILTER_ADD, ION_CMD_RX_FILTER_DEL,
		ION_CMD_Q_IDENTIFY, ION_CMD_Q_INIT, ION_CMD_Q_CONTROL,
		ION_CMD_Q_INIT, ION_CMD_Q_CONTROL, ION_CMD_LIF_INIT,
		ION_CMD_Q_INIT, ION_CMD_Q_INIT, ION_CMD_Q_CONTROL,
		ION_CMD_FW_DOWNLOAD, ION_CMD_FW_CONTROL,
		ION_CMD_RDMA_RESET_LIF, ION_CMD_LIF_SETATTR,
		ION_CMD_Q_INIT, ION_CMD_RX_FILTER_ADD,
	};
	unsigned int i, n;

	memset(cmd, 0, sizeof(*cmd));
	cmd->opcode = ops[in8() % sizeof(ops)];
	switch (cmd->opcode) {
	case ION_CMD_PORT_INIT:
	case ION_CMD_LIF_INIT:
		cmd->lif_init.info_pa = cpu_to_le64(in_addr());
		break;
	case ION_CMD_PORT_SETATTR:
	case ION_CMD_PORT_GETATTR:
		cmd->port_setattr.attr = in8() & 7;
		cmd->port_setattr.value = cpu_to_le32(in16());
		break;
	case ION_CMD_LIF_GETATTR:
		cmd->lif_getattr.attr = in8() & 7;
		break;
	case ION_CMD_LIF_SETATTR:
		in_setattr(cmd);
		break;
	case ION_CMD_RX_MODE_SET:
		cmd->rx_mode_set.rx_mode = cpu_to_le16(in8());
		break;
	case ION_CMD_RX_FILTER_ADD:
		cmd->rx_filter_add.match = cpu_to_le16(in8() & 3);
		cmd->rx_filter_add.mac[0] = in8();
		cmd->rx_filter_add.mac[5] = in8();
		break;
	case ION_CMD_RX_FILTER_DEL:
		cmd->rx_filter_del.filter_id = cpu_to_le32(in8());
		break;
	case ION_CMD_Q_IDENTIFY:
		cmd->q_identify.type = in8() & 7;
		cmd->q_identify.ver = in8() & 3;
		break;
	case ION_CMD_Q_INIT:
		in_q_init(cmd);
		break;
	case ION_CMD_Q_CONTROL:
		n = in8();
		cmd->q_control.type = 2 + (n & 1);
		cmd->q_control.index = cpu_to_le32(n >> 1 & 1);
		cmd->q_control.oper = n >> 2 & 1;
		break;
	}
	if (in_one_of(8)) {
		n = 1 + in8() % 4;
		for (i = 0; i < n; i++)
			cmd->bytes[in8() % 64] = in8();
	}
}
