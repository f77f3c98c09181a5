// SPDX-License-Identifier: GPL-2.0-only
/* The device-command registers, as the driver uses and as nobody should. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/pci_regs.h>

#include "mock.h"

#define PROFILE		(&ernic_profiles[1])

#define DOORBELL	0x800
#define DONE		0x804
#define REQUEST		0x808
#define COMPLETION	0x848
#define SIDE		0x888

static u64 rd(struct mock *m, u32 off, unsigned int size)
{
	return ernic_bar_read(m->edev, 0, off, size);
}

static void wr(struct mock *m, u32 off, unsigned int size, u64 val)
{
	ernic_bar_write(m->edev, 0, off, size, val);
}

static bool wait_done(struct mock *m)
{
	int i;

	for (i = 0; i < 2000; i++) {
		if (rd(m, DONE, 4) & 1)
			return true;
		usleep_range(100, 1000);
	}
	return false;
}

/* only a 1 in the doorbell starts */
static void devcmd_go(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);

	wr(m, REQUEST, 4, ION_CMD_NOP);
	wr(m, DONE, 4, 0);
	wr(m, DOORBELL, 4, 0);
	wr(m, DOORBELL, 4, 2);
	msleep(20);
	KUNIT_EXPECT_EQ(test, 0, rd(m, DONE, 4));
	wr(m, DOORBELL, 4, 1);
	KUNIT_EXPECT_TRUE(test, wait_done(m));
	KUNIT_EXPECT_EQ(test, 1, rd(m, DONE, 4));
	KUNIT_EXPECT_EQ(test, 0, rd(m, COMPLETION, 1));
}

/* what the driver reads after ionic_dev_cmd_clean() is still there */
static void devcmd_clean(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = { .identify = { 1, 2 } };
	int i;

	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	wr(m, DOORBELL, 4, 0);
	for (i = 0; i < 64; i += 4)
		wr(m, REQUEST + i, 4, 0);
	KUNIT_EXPECT_EQ(test, 2, rd(m, COMPLETION + 1, 1));
	KUNIT_EXPECT_EQ(test, 2, rd(m, SIDE, 1));
	KUNIT_EXPECT_EQ(test, 1024, rd(m, SIDE + 16, 4));
	KUNIT_EXPECT_EQ(test, 1, rd(m, DONE, 4));
}

/* the registers are memory: every width, side data to the last byte */
static void devcmd_memory(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 off;

	for (off = REQUEST; off < 0x1000; off += 8)
		wr(m, off, 8, 0x0101010101010101ull * (off / 8 & 0xff));
	for (off = REQUEST; off < 0x1000; off++)
		KUNIT_EXPECT_EQ(test, off / 8 & 0xff, rd(m, off, 1));
	for (off = REQUEST; off < 0x1000; off++)
		wr(m, off, 1, off);
	for (off = REQUEST; off < 0x1000; off += 2)
		KUNIT_EXPECT_EQ(test, (off & 0xff) | ((off + 1) & 0xff) << 8,
				rd(m, off, 2));
	/* unaligned accesses mean nothing */
	KUNIT_EXPECT_EQ(test, 0, rd(m, REQUEST + 1, 4));
	wr(m, REQUEST + 1, 4, ~0u);
	KUNIT_EXPECT_EQ(test, (REQUEST + 2) & 0xff, rd(m, REQUEST + 2, 1));
	KUNIT_EXPECT_GE(test, atomic64_read(&m->edev->bad_access), 2);
}

/*
 * Every opcode: a known status, never EAGAIN, which would make the driver wait
 * a second and try again; and what is not a command is EOPCODE.
 */
static void devcmd_opcodes(struct kunit *test)
{
	static const u8 known[] = {
		0, 1, 2, 3, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 30, 31, 32,
		39, 40, 41, 50, 51, 52, 53, 252, 253,
	};
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = {};
	int op, i;
	u8 rc;

	for (op = 0; op < 256; op++) {
		bool is_known = false;

		cmd.opcode = op;
		for (i = 0; i < ARRAY_SIZE(known); i++)
			is_known |= known[i] == op;
		rc = mock_devcmd(m, &cmd, NULL);
		KUNIT_EXPECT_NE_MSG(test, ION_RC_EAGAIN, rc, "opcode %d", op);
		KUNIT_EXPECT_NE_MSG(test, 0xff, rc, "opcode %d", op);
		if (is_known)
			KUNIT_EXPECT_NE_MSG(test, ION_RC_EOPCODE, rc,
					    "opcode %d", op);
		else
			KUNIT_EXPECT_EQ_MSG(test, ION_RC_EOPCODE, rc,
					    "opcode %d", op);
	}
}

/* on an error the request stays: the driver shows it */
static void devcmd_error(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = { .bytes = { 77, 1, 2, 3, 4, 5, 6, 7, 8 } };
	union ion_comp comp;
	int i;

	KUNIT_EXPECT_EQ(test, ION_RC_EOPCODE, mock_devcmd(m, &cmd, &comp));
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, cmd.bytes[i], rd(m, REQUEST + i, 1));
	for (i = 1; i < 16; i++)
		KUNIT_EXPECT_EQ(test, 0, comp.bytes[i]);
	/* and the next command works */
	cmd.bytes[0] = ION_CMD_NOP;
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
}

/* RESET comes first of all, before bus mastering, over any state, twice */
static void devcmd_reset(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	union ion_cmd cmd = { .opcode = ION_CMD_RESET };

	ernic_bar_write(m->edev, 0, 0x2004, 4, 0);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	KUNIT_EXPECT_FALSE(test, m->edev->lif.init);
	KUNIT_EXPECT_FALSE(test, m->edev->port.init);
	KUNIT_EXPECT_FALSE(test, m->edev->lif.adminq.init);
	KUNIT_EXPECT_EQ(test, 1, rd(m, 0x2004, 4));
	KUNIT_EXPECT_EQ(test, 0x11, rd(m, 7, 1));
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	mock_cfg_write(m, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
}

static void devcmd_resets_idempotent(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	static const u8 op[] = {
		ION_CMD_LIF_RESET, ION_CMD_LIF_RESET, ION_CMD_PORT_RESET,
		ION_CMD_PORT_RESET, ION_CMD_RESET, ION_CMD_RESET,
	};
	union ion_cmd cmd = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(op); i++) {
		cmd.opcode = op[i];
		KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	}
	cmd.lif_reset.index = cpu_to_le16(1);
	cmd.opcode = ION_CMD_LIF_RESET;
	KUNIT_EXPECT_EQ(test, ION_RC_ENOENT, mock_devcmd(m, &cmd, NULL));
}

static void devcmd_needs_lif(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	static const u8 op[] = {
		ION_CMD_LIF_GETATTR, ION_CMD_LIF_SETATTR, ION_CMD_RX_MODE_SET,
		ION_CMD_RX_FILTER_ADD, ION_CMD_RX_FILTER_DEL, ION_CMD_Q_INIT,
		ION_CMD_Q_CONTROL,
	};
	union ion_cmd cmd = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(op); i++) {
		cmd.opcode = op[i];
		KUNIT_EXPECT_EQ(test, ION_RC_EPERM, mock_devcmd(m, &cmd, NULL));
	}
}

/* a guest that does not wait for done */
static void devcmd_impatient(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	union ion_cmd cmd = { .opcode = ION_CMD_NOP };
	int i;

	for (i = 0; i < 1000; i++) {
		wr(m, REQUEST, 1, i & 1 ? ION_CMD_IDENTIFY : ION_CMD_RESET);
		wr(m, DONE, 4, 0);
		wr(m, DOORBELL, 4, 1);
	}
	msleep(20);
	KUNIT_EXPECT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
}

/* while the firmware does not run nothing is done, and nothing hangs */
static void devcmd_fw_down(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);

	WRITE_ONCE(m->edev->fw_status, m->edev->fw_status & ~1);
	KUNIT_EXPECT_EQ(test, 0, rd(m, 7, 1) & 1);
	wr(m, REQUEST, 1, ION_CMD_NOP);
	wr(m, DONE, 4, 0);
	wr(m, DOORBELL, 4, 1);
	msleep(20);
	KUNIT_EXPECT_EQ(test, 0, rd(m, DONE, 4));
	WRITE_ONCE(m->edev->fw_status, m->edev->fw_status | 1);
	wr(m, DOORBELL, 4, 1);
	KUNIT_EXPECT_TRUE(test, wait_done(m));
}

static void devcmd_unmapped(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u64 bad = atomic64_read(&m->edev->bad_access);

	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 1, 0, 4));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 4, 0, 4));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0x10000, 4));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0, 3));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0, 16));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 2, 0x400000, 8));
	ernic_bar_write(m->edev, 5, 0, 4, 1);
	ernic_bar_write(m->edev, 2, 0x400000, 8, 1);
	ernic_bar_write(m->edev, 2, 4, 8, 1);
	ernic_bar_write(m->edev, 2, 0, 4, 1);
	ernic_bar_write(m->edev, 0, ~0u, 1, 1);
	KUNIT_EXPECT_EQ(test, bad + 12, atomic64_read(&m->edev->bad_access));
	KUNIT_EXPECT_EQ(test, 0, rd(m, 0x1000, 8));
}

/* doorbells of queues that do not exist: counted, and nothing else */
static void devcmd_doorbells(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u64 unknown = atomic64_read(&m->edev->db_unknown);
	static const u64 val[] = {
		1ull << 24,		/* notify queue */
		2ull << 24,		/* never set up */
		3ull << 24,
		99ull << 24,
		0xffffffull << 24,
		1ull << 16,		/* ring 1 of the admin queue */
		~0ull,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(val); i++)
		ernic_bar_write(m->edev, 2, 0, 8, val[i]);
	/* the admin queue at another slot, on a page of user space */
	ernic_bar_write(m->edev, 2, 8 * 5, 8, 1);
	ernic_bar_write(m->edev, 2, 0x1000, 8, 1);
	ernic_bar_write(m->edev, 2, 0x3ffff8, 8, ~0ull);
	KUNIT_EXPECT_EQ(test, unknown + ARRAY_SIZE(val) + 3,
			atomic64_read(&m->edev->db_unknown));
	msleep(20);
	KUNIT_EXPECT_EQ(test, 0, m->edev->lif.adminq.completions);
}

static struct kunit_case devcmd_cases[] = {
	KUNIT_CASE(devcmd_go),
	KUNIT_CASE(devcmd_clean),
	KUNIT_CASE(devcmd_memory),
	KUNIT_CASE(devcmd_opcodes),
	KUNIT_CASE(devcmd_error),
	KUNIT_CASE(devcmd_reset),
	KUNIT_CASE(devcmd_resets_idempotent),
	KUNIT_CASE(devcmd_needs_lif),
	KUNIT_CASE(devcmd_impatient),
	KUNIT_CASE(devcmd_fw_down),
	KUNIT_CASE(devcmd_unmapped),
	KUNIT_CASE(devcmd_doorbells),
	{}
};

static struct kunit_suite devcmd_suite = {
	.name = "ernic-devcmd",
	.test_cases = devcmd_cases,
};

kunit_test_suite(devcmd_suite);
