// SPDX-License-Identifier: GPL-2.0-only
/* LIF, port and queue set-up: what works, and every way it can be wrong. */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/unaligned.h>

#include "mock.h"

#define PROFILE		(&ernic_profiles[1])
#define FEATURES_ALL	0x7bfull

static const u64 bad_addr[] = {
	0, 1, MOCK_BASE + 4, MOCK_BASE + MOCK_SIZE, MOCK_BASE - 64,
	MOCK_BASE + MOCK_SIZE - 64, BIT_ULL(52), U64_MAX - 7, U64_MAX,
};

static void lif_init_bad(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = { .lif_init.opcode = ION_CMD_LIF_INIT };
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_addr); i++) {
		cmd.lif_init.info_pa = cpu_to_le64(bad_addr[i]);
		KUNIT_EXPECT_EQ_MSG(test, ION_RC_BAD_ADDR,
				    mock_devcmd(m, &cmd, NULL), "%#llx",
				    bad_addr[i]);
		KUNIT_EXPECT_FALSE(test, m->edev->lif.init);
	}
	cmd.lif_init.info_pa = cpu_to_le64(MOCK_LIF_INFO);
	cmd.lif_init.index = cpu_to_le16(1);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, mock_devcmd(m, &cmd, NULL));
	cmd.lif_init.index = 0;
	cmd.lif_init.type = 1;
	KUNIT_EXPECT_NE(test, 0, mock_devcmd(m, &cmd, NULL));
	cmd.lif_init.type = 0;
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	/* over a live LIF, as after kexec */
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
}

static void lif_info(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);

	KUNIT_EXPECT_EQ(test, 9198, get_unaligned_le32(info + 20));
	KUNIT_EXPECT_TRUE(test, ether_addr_equal(info + 24, m->edev->mac));
	KUNIT_EXPECT_EQ(test, 2, get_unaligned_le32(info + 40 + 4 * 2));
	KUNIT_EXPECT_EQ(test, 2, get_unaligned_le32(info + 40 + 4 * 3));
	/* status: ernicN is down, so the link is, with the word for it */
	KUNIT_EXPECT_EQ(test, 0, get_unaligned_le64(info + 256));
	KUNIT_EXPECT_EQ(test, 2, get_unaligned_le16(info + 256 + 10));
}

static void lif_port_info(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 *info = mock_ptr(m, MOCK_PORT_INFO);

	KUNIT_EXPECT_EQ(test, 100000, get_unaligned_le32(info));
	KUNIT_EXPECT_EQ(test, 9000, get_unaligned_le32(info + 4));
	KUNIT_EXPECT_EQ(test, 2, info[8]);
	KUNIT_EXPECT_EQ(test, 100000, get_unaligned_le32(info + 256 + 4));
	KUNIT_EXPECT_EQ(test, 2, info[256 + 8]);
	KUNIT_EXPECT_EQ(test, 3, info[256 + 60]);
	KUNIT_EXPECT_EQ(test, 1, info[256 + 61]);
	/* 100G CR4 */
	KUNIT_EXPECT_EQ(test, 1, get_unaligned_le16(info + 256 + 62));
}

/* after LIF_RESET the block may be free memory */
static void lif_reset_silent(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = { .opcode = ION_CMD_LIF_RESET };
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);
	u8 *port = mock_ptr(m, MOCK_PORT_INFO);
	int i;

	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	memset(info, 0xee, 1344);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	cmd.opcode = ION_CMD_PORT_RESET;
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	memset(port, 0xee, 2208);
	/* whatever would write them */
	ernic_ctrl_kick(m->edev, ERNIC_CTRL_LINK);
	ernic_ctrl_kick(m->edev, ERNIC_CTRL_STATS);
	ernic_ctrl_kick(m->edev, ERNIC_CTRL_ADMINQ);
	cmd.opcode = ION_CMD_PORT_SETATTR;
	cmd.bytes[4] = 1;
	mock_devcmd(m, &cmd, NULL);
	for (i = 0; i < 1344; i++)
		KUNIT_EXPECT_EQ(test, 0xee, info[i]);
	for (i = 0; i < 2208; i++)
		KUNIT_EXPECT_EQ(test, 0xee, port[i]);
}

static void lif_port_init_bad(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = { .port_init.opcode = ION_CMD_PORT_INIT };
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_addr); i++) {
		cmd.port_init.info_pa = cpu_to_le64(bad_addr[i]);
		KUNIT_EXPECT_EQ(test, ION_RC_BAD_ADDR,
				mock_devcmd(m, &cmd, NULL));
	}
	cmd.port_init.info_pa = cpu_to_le64(MOCK_PORT_INFO);
	cmd.port_init.index = 1;
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, mock_devcmd(m, &cmd, NULL));
	KUNIT_EXPECT_FALSE(test, m->edev->port.init);
}

struct port_case {
	u8 attr;
	u32 val;
	u8 rc;
	u8 off;		/* in the configuration that ethtool reads */
	u8 len;
};

static void lif_port_setattr(struct kunit *test)
{
	static const struct port_case cases[] = {
		{ 0, 1, 0, 8, 1 }, { 0, 2, 0, 8, 1 },
		{ 0, 0, ION_RC_EINVAL }, { 0, 3, ION_RC_EINVAL },
		{ 1, 100000, 0, 0, 4 }, { 1, 1000, ION_RC_ENOSUPP },
		{ 2, 1500, 0, 4, 4 }, { 2, 9198, 0, 4, 4 },
		{ 2, 9199, ION_RC_ERANGE }, { 2, 10, ION_RC_ERANGE },
		{ 3, 1, 0, 9, 1 }, { 4, 2, 0, 10, 1 }, { 5, 0x31, 0, 11, 1 },
		{ 6, 0, 0 }, { 6, 1, ION_RC_ENOSUPP },
		{ 8, 0, ION_RC_EINVAL }, { 255, 0, ION_RC_EINVAL },
	};
	struct mock *m = mock_lif(test, PROFILE);
	u8 *info = mock_ptr(m, MOCK_PORT_INFO);
	union ion_cmd cmd = { .opcode = ION_CMD_PORT_SETATTR };
	union ion_comp comp;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_case *c = &cases[i];

		cmd.opcode = ION_CMD_PORT_SETATTR;
		cmd.port_setattr.attr = c->attr;
		cmd.port_setattr.value = cpu_to_le32(c->val);
		KUNIT_EXPECT_EQ_MSG(test, c->rc, mock_devcmd(m, &cmd, NULL),
				    "case %d", i);
		for (j = 0; j < c->len; j++)
			KUNIT_EXPECT_EQ(test, c->val >> (8 * j) & 0xff,
					info[c->off + j]);
		if (!c->len)
			continue;
		cmd.opcode = ION_CMD_PORT_GETATTR;
		KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, &comp));
		KUNIT_EXPECT_EQ(test, c->val,
				le32_to_cpu(comp.port_getattr.value));
	}
}

static void q_cmd(union ion_cmd *cmd, u8 type, u32 index)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->q_init.opcode = ION_CMD_Q_INIT;
	cmd->q_init.type = type;
	cmd->q_init.index = cpu_to_le32(index);
	cmd->q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ | ION_QINIT_F_SG);
	cmd->q_init.intr_index = cpu_to_le16(1);
	cmd->q_init.ring_size = 4;
	cmd->q_init.ring_base = cpu_to_le64(MOCK_FREE);
	cmd->q_init.cq_ring_base = cpu_to_le64(MOCK_FREE + 0x1000);
	cmd->q_init.sg_ring_base = cpu_to_le64(MOCK_FREE + 0x2000);
}

static void lif_q_init_good(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 slots[256] = {};
	union ion_comp comp;
	union ion_cmd cmd;
	int type, i, log2;

	slots[m->edev->lif.adminq.hw_type]++;
	for (type = ION_QTYPE_RXQ; type <= ION_QTYPE_TXQ; type++) {
		for (i = 0; i < 2; i++) {
			q_cmd(&cmd, type, i);
			KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, &comp));
			/* a doorbell slot of its own, off the RDMA classes */
			KUNIT_EXPECT_EQ(test, 0, slots[comp.bytes[8]]++);
			KUNIT_EXPECT_GE(test, comp.bytes[8], 16);
			/* 24 bits go into the doorbell */
			KUNIT_EXPECT_EQ(test, 0, comp.bytes[7]);
		}
	}
	/* again, larger, elsewhere: replaces the old one */
	for (log2 = 2; log2 <= 10; log2++) {
		q_cmd(&cmd, ION_QTYPE_TXQ, 0);
		cmd.q_init.ring_size = log2;
		cmd.q_init.cq_ring_base = cpu_to_le64(MOCK_FREE + 0x10000);
		cmd.q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ);
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
	}
}

struct q_case {
	const char *name;
	u8 rc;
	void (*change)(union ion_cmd *cmd);
};

#define Q_CHANGE(_name, _what) \
	static void _name(union ion_cmd *cmd) { _what; }

Q_CHANGE(q_type_eq, cmd->q_init.type = 4)
Q_CHANGE(q_type_max, cmd->q_init.type = 255)
Q_CHANGE(q_index, cmd->q_init.index = cpu_to_le32(2))
Q_CHANGE(q_index_max, cmd->q_init.index = cpu_to_le32(~0u))
Q_CHANGE(q_size_small, cmd->q_init.ring_size = 1)
Q_CHANGE(q_size_zero, cmd->q_init.ring_size = 0)
Q_CHANGE(q_size_big, cmd->q_init.ring_size = 17)
Q_CHANGE(q_size_shift, cmd->q_init.ring_size = 255)
Q_CHANGE(q_intr, cmd->q_init.intr_index = cpu_to_le16(7))
Q_CHANGE(q_intr_max, cmd->q_init.intr_index = cpu_to_le16(0xffff))
Q_CHANGE(q_flag_eq, cmd->q_init.flags |= cpu_to_le16(8))
Q_CHANGE(q_flag_cmb, cmd->q_init.flags |= cpu_to_le16(16))
Q_CHANGE(q_features, cmd->q_init.features = cpu_to_le64(BIT(5)))
Q_CHANGE(q_pid, cmd->q_init.pid = cpu_to_le16(1))
Q_CHANGE(q_ring_zero, cmd->q_init.ring_base = 0)
Q_CHANGE(q_ring_odd, cmd->q_init.ring_base = cpu_to_le64(MOCK_FREE + 8))
Q_CHANGE(q_ring_top, cmd->q_init.ring_base = cpu_to_le64(~15ull))
Q_CHANGE(q_ring_wrap, cmd->q_init.ring_base = cpu_to_le64(-64ull))
Q_CHANGE(q_ring_52, cmd->q_init.ring_base = cpu_to_le64(BIT_ULL(52) | MOCK_FREE))
Q_CHANGE(q_ring_hole, cmd->q_init.ring_base = cpu_to_le64(MOCK_BASE - 0x1000))
Q_CHANGE(q_ring_tail, cmd->q_init.ring_base =
	 cpu_to_le64(MOCK_BASE + MOCK_SIZE - 64))
Q_CHANGE(q_cq_zero, cmd->q_init.cq_ring_base = 0)
Q_CHANGE(q_cq_odd, cmd->q_init.cq_ring_base = cpu_to_le64(MOCK_FREE + 4))
Q_CHANGE(q_cq_hole, cmd->q_init.cq_ring_base = cpu_to_le64(0x8000))
Q_CHANGE(q_sg_zero, cmd->q_init.sg_ring_base = 0)
Q_CHANGE(q_sg_tail, cmd->q_init.sg_ring_base =
	 cpu_to_le64(MOCK_BASE + MOCK_SIZE - 256))

static const struct q_case q_cases[] = {
	{ "type event queue", ION_RC_EQTYPE, q_type_eq },
	{ "type 255", ION_RC_EQTYPE, q_type_max },
	{ "index beyond the profile", ION_RC_EQID, q_index },
	{ "index ~0", ION_RC_EQID, q_index_max },
	{ "ring of 2", ION_RC_ERANGE, q_size_small },
	{ "ring of 1", ION_RC_ERANGE, q_size_zero },
	{ "ring of 2^17", ION_RC_ERANGE, q_size_big },
	{ "ring of 2^255", ION_RC_ERANGE, q_size_shift },
	{ "vector beyond the profile", ION_RC_ERANGE, q_intr },
	{ "vector 0xffff", ION_RC_ERANGE, q_intr_max },
	{ "event queue flag", ION_RC_EINVAL, q_flag_eq },
	{ "CMB flag", ION_RC_EINVAL, q_flag_cmb },
	{ "wide completions", ION_RC_EINVAL, q_features },
	{ "pid", ION_RC_EINVAL, q_pid },
	{ "ring at 0", ION_RC_BAD_ADDR, q_ring_zero },
	{ "ring unaligned", ION_RC_BAD_ADDR, q_ring_odd },
	{ "ring at the top", ION_RC_BAD_ADDR, q_ring_top },
	{ "ring wraps", ION_RC_BAD_ADDR, q_ring_wrap },
	{ "ring above 2^52", ION_RC_BAD_ADDR, q_ring_52 },
	{ "ring not mapped", ION_RC_BAD_ADDR, q_ring_hole },
	{ "ring's end not mapped", ION_RC_BAD_ADDR, q_ring_tail },
	{ "completions at 0", ION_RC_BAD_ADDR, q_cq_zero },
	{ "completions unaligned", ION_RC_BAD_ADDR, q_cq_odd },
	{ "completions not mapped", ION_RC_BAD_ADDR, q_cq_hole },
	{ "SG at 0", ION_RC_BAD_ADDR, q_sg_zero },
	{ "SG's end not mapped", ION_RC_BAD_ADDR, q_sg_tail },
};

static void lif_q_init_bad(struct kunit *test)
{
	const struct q_case *c = test->param_value;
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd;
	int type;

	for (type = ION_QTYPE_RXQ; type <= ION_QTYPE_TXQ; type++) {
		q_cmd(&cmd, type, 0);
		c->change(&cmd);
		KUNIT_EXPECT_EQ(test, c->rc, mock_admin(m, &cmd, NULL));
		KUNIT_EXPECT_EQ(test, c->rc, mock_devcmd(m, &cmd, NULL));
	}
	/* the admin queue is as it was */
	q_cmd(&cmd, ION_QTYPE_RXQ, 0);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
}

/* an admin queue cannot be replaced from itself */
static void lif_q_init_adminq(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd;

	q_cmd(&cmd, ION_QTYPE_ADMINQ, 0);
	KUNIT_EXPECT_EQ(test, ION_RC_DEV_CMD, mock_admin(m, &cmd, NULL));
	q_cmd(&cmd, ION_QTYPE_ADMINQ, 1);
	KUNIT_EXPECT_EQ(test, ION_RC_EQID, mock_devcmd(m, &cmd, NULL));
	q_cmd(&cmd, ION_QTYPE_NOTIFYQ, 1);
	KUNIT_EXPECT_EQ(test, ION_RC_EQID, mock_admin(m, &cmd, NULL));
}

static void lif_q_control(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = { .q_control = { .opcode = ION_CMD_Q_CONTROL } };
	union ion_cmd init;
	int type;

	for (type = ION_QTYPE_RXQ; type <= ION_QTYPE_TXQ; type++) {
		cmd.q_control.type = type;
		cmd.q_control.index = 0;
		/* before Q_INIT */
		cmd.q_control.oper = ION_Q_ENABLE;
		KUNIT_EXPECT_NE(test, 0, mock_admin(m, &cmd, NULL));
		cmd.q_control.oper = ION_Q_DISABLE;
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
		q_cmd(&init, type, 0);
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &init, NULL));
		cmd.q_control.oper = ION_Q_ENABLE;
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
		cmd.q_control.oper = ION_Q_DISABLE;
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
		KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
		cmd.q_control.oper = 3;
		KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &cmd, NULL));
		cmd.q_control.oper = ION_Q_ENABLE;
		cmd.q_control.index = cpu_to_le32(2);
		KUNIT_EXPECT_EQ(test, ION_RC_EQID, mock_admin(m, &cmd, NULL));
		cmd.q_control.index = cpu_to_le32(~0u);
		KUNIT_EXPECT_EQ(test, ION_RC_EQID, mock_admin(m, &cmd, NULL));
	}
	cmd.q_control.index = 0;
	cmd.q_control.type = ION_QTYPE_ADMINQ;
	KUNIT_EXPECT_EQ(test, ION_RC_EQTYPE, mock_admin(m, &cmd, NULL));
	cmd.q_control.type = 255;
	KUNIT_EXPECT_EQ(test, ION_RC_EQTYPE, mock_admin(m, &cmd, NULL));
}

static u64 features(struct mock *m, u64 ask)
{
	union ion_cmd cmd = {
		.lif_setattr = {
			.opcode = ION_CMD_LIF_SETATTR,
			.attr = ION_LIF_ATTR_FEATURES,
			.features = cpu_to_le64(ask),
		},
	};
	union ion_comp comp;

	KUNIT_EXPECT_EQ(m->test, 0, mock_admin(m, &cmd, &comp));
	return get_unaligned_le64(comp.bytes + 4);
}

static void lif_features(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);

	KUNIT_EXPECT_EQ(test, FEATURES_ALL, features(m, ~0ull));
	KUNIT_EXPECT_EQ(test, FEATURES_ALL, get_unaligned_le64(info + 32));
	KUNIT_EXPECT_EQ(test, 0x10, features(m, 0x10));
	KUNIT_EXPECT_EQ(test, 0, features(m, 0));
	/* tunnels are not ours */
	KUNIT_EXPECT_EQ(test, 0, features(m, GENMASK_ULL(63, 11) | BIT(6)));
}

static void lif_features_compat(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[0]);

	KUNIT_EXPECT_EQ(test, 0, features(m, ~0ull));
}

static void lif_attrs(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 *info = mock_ptr(m, MOCK_LIF_INFO);
	union ion_cmd set = { .lif_setattr.opcode = ION_CMD_LIF_SETATTR };
	union ion_cmd get = { .lif_getattr.opcode = ION_CMD_LIF_GETATTR };
	static const u8 mac[ETH_ALEN] = { 2, 1, 2, 3, 4, 5 };
	union ion_comp comp;

	/* the permanent address, also after a reset */
	get.lif_getattr.attr = ION_LIF_ATTR_MAC;
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &get, &comp));
	KUNIT_EXPECT_TRUE(test, is_valid_ether_addr(m->edev->mac));
	KUNIT_EXPECT_MEMEQ(test, m->edev->mac, comp.bytes + 4, ETH_ALEN);

	set.lif_setattr.attr = ION_LIF_ATTR_MAC;
	memcpy(set.lif_setattr.mac, mac, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	KUNIT_EXPECT_MEMEQ(test, mac, info + 24, ETH_ALEN);
	memset(set.lif_setattr.mac, 0, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &set, NULL));
	set.lif_setattr.mac[0] = 1;
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &set, NULL));

	memset(&set, 0, sizeof(set));
	set.lif_setattr.opcode = ION_CMD_LIF_SETATTR;
	set.lif_setattr.attr = ION_LIF_ATTR_NAME;
	memset(set.lif_setattr.name, 'x', 16);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	KUNIT_EXPECT_EQ(test, 0, m->edev->lif.name[15]);
	memcpy(set.lif_setattr.name, "eth0\n%s", 8);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	KUNIT_EXPECT_STREQ(test, "eth0?%s", m->edev->lif.name);

	set.lif_setattr.attr = ION_LIF_ATTR_MTU;
	set.lif_setattr.mtu = cpu_to_le32(9198);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	set.lif_setattr.mtu = cpu_to_le32(9199);
	KUNIT_EXPECT_EQ(test, ION_RC_ERANGE, mock_admin(m, &set, NULL));
	set.lif_setattr.mtu = 0;
	KUNIT_EXPECT_EQ(test, ION_RC_ERANGE, mock_admin(m, &set, NULL));

	set.lif_setattr.attr = ION_LIF_ATTR_STATE;
	set.lif_setattr.state = ION_LIF_QUIESCE;
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	set.lif_setattr.state = 3;
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &set, NULL));

	set.lif_setattr.attr = 8;
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &set, NULL));
	set.lif_setattr.attr = 255;
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &set, NULL));
	set.lif_setattr.attr = ION_LIF_ATTR_MTU;
	set.lif_setattr.index = cpu_to_le16(1);
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, mock_admin(m, &set, NULL));
	get.lif_getattr.attr = 77;
	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_admin(m, &get, NULL));
}

static void lif_rss(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd set = {
		.lif_setattr = {
			.opcode = ION_CMD_LIF_SETATTR,
			.attr = ION_LIF_ATTR_RSS,
			.rss.types = cpu_to_le16(0x3f),
		},
	};
	int i;

	/* without RX_HASH the table is not looked at */
	set.lif_setattr.rss.addr = cpu_to_le64(~0ull);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	features(m, ~0ull);
	for (i = 0; i < ARRAY_SIZE(bad_addr); i++) {
		if (bad_addr[i] == MOCK_BASE + 4)
			continue;
		set.lif_setattr.rss.addr = cpu_to_le64(bad_addr[i]);
		KUNIT_EXPECT_EQ_MSG(test, ION_RC_BAD_ADDR,
				    mock_admin(m, &set, NULL), "%#llx",
				    bad_addr[i]);
	}
	/* entries beyond the queues are the guest's business */
	memset(mock_ptr(m, MOCK_FREE), 0xff, 128);
	set.lif_setattr.rss.addr = cpu_to_le64(MOCK_FREE);
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
	set.lif_setattr.rss.types = 0;
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &set, NULL));
}

/* commands that need side data, or pull the queue away, are for registers */
static void lif_adminq_regs_only(struct kunit *test)
{
	static const u8 op[] = { 1, 2, 3, 10, 11, 12, 20, 21, 22, 39 };
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(op); i++) {
		cmd.opcode = op[i];
		KUNIT_EXPECT_EQ(test, ION_RC_DEV_CMD, mock_admin(m, &cmd, NULL));
	}
	cmd.opcode = 200;
	KUNIT_EXPECT_EQ(test, ION_RC_EOPCODE, mock_admin(m, &cmd, NULL));
}

/* many laps: in order, comp_index the slot, colours that alternate */
static void lif_adminq_laps(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = { .opcode = ION_CMD_NOP };
	union ion_comp comp;
	int i;

	for (i = 0; i < 5 * MOCK_ADMIN_N + 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, mock_admin(m, &cmd, &comp));
		KUNIT_ASSERT_EQ(test, i / MOCK_ADMIN_N & 1 ? 0 : 0x80,
				comp.bytes[15] & 0x80);
	}
	KUNIT_EXPECT_EQ(test, i, m->edev->lif.adminq.completions);
	KUNIT_EXPECT_EQ(test, min(i, 0x7fff),
			ernic_intr_read(m->edev, 0, ION_INTR_CREDITS));
}

/* the ring goes away under the device: it stops, and a new one works */
static void lif_adminq_unmapped(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	int page = (MOCK_ADMIN_RING - MOCK_BASE) >> PAGE_SHIFT;
	union ion_cmd cmd = { .opcode = ION_CMD_NOP };

	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
	ernic_dma_unmap(m->edev, MOCK_ADMIN_RING, PAGE_SIZE);
	spin_lock(&m->lock);
	m->gone[page] = true;
	spin_unlock(&m->lock);
	KUNIT_EXPECT_EQ(test, 0xff, mock_admin(m, &cmd, NULL));
	KUNIT_EXPECT_TRUE(test, m->edev->lif.adminq.error);
	/* device commands are not impressed */
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	spin_lock(&m->lock);
	m->gone[page] = false;
	spin_unlock(&m->lock);
	memset(mock_ptr(m, MOCK_ADMIN_CQ), 0, 256);
	q_cmd(&cmd, ION_QTYPE_ADMINQ, 0);
	cmd.q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ | ION_QINIT_F_ENA);
	cmd.q_init.intr_index = 0;
	cmd.q_init.ring_base = cpu_to_le64(MOCK_ADMIN_RING);
	cmd.q_init.cq_ring_base = cpu_to_le64(MOCK_ADMIN_CQ);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	memset(&cmd, 0, sizeof(cmd));
	KUNIT_EXPECT_EQ(test, 0, mock_admin(m, &cmd, NULL));
}

static void q_case_desc(const struct q_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(q_case, q_cases, q_case_desc);

static struct kunit_case lif_cases[] = {
	KUNIT_CASE(lif_init_bad),
	KUNIT_CASE(lif_info),
	KUNIT_CASE(lif_port_info),
	KUNIT_CASE(lif_reset_silent),
	KUNIT_CASE(lif_port_init_bad),
	KUNIT_CASE(lif_port_setattr),
	KUNIT_CASE(lif_q_init_good),
	KUNIT_CASE_PARAM(lif_q_init_bad, q_case_gen_params),
	KUNIT_CASE(lif_q_init_adminq),
	KUNIT_CASE(lif_q_control),
	KUNIT_CASE(lif_features),
	KUNIT_CASE(lif_features_compat),
	KUNIT_CASE(lif_attrs),
	KUNIT_CASE(lif_rss),
	KUNIT_CASE(lif_adminq_regs_only),
	KUNIT_CASE(lif_adminq_laps),
	KUNIT_CASE_SLOW(lif_adminq_unmapped),
	{}
};

static struct kunit_suite lif_suite = {
	.name = "ernic-lif",
	.test_cases = lif_cases,
};

kunit_test_suite(lif_suite);
