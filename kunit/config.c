// SPDX-License-Identifier: GPL-2.0-only
/* PCI configuration space as an operating system probes it. */
#include <kunit/test.h>
#include <linux/pci_regs.h>

#include "mock.h"

#define PROFILE (&ernic_profiles[1])

static u32 rd(struct mock *m, u32 off, size_t len)
{
	return mock_cfg_read(m, off, len);
}

/* offset of a capability, 0 if there is none; fails on a list with a loop */
static u8 find_cap(struct mock *m, u8 id)
{
	u8 pos = rd(m, PCI_CAPABILITY_LIST, 1);
	int ttl;

	for (ttl = 48; pos; ttl--) {
		KUNIT_ASSERT_GT(m->test, ttl, 0);
		KUNIT_ASSERT_GE(m->test, pos, 0x40);
		KUNIT_ASSERT_TRUE(m->test, IS_ALIGNED(pos, 4));
		if (rd(m, pos, 1) == id)
			return pos;
		pos = rd(m, pos + 1, 1);
	}
	return 0;
}

static void config_header(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);

	KUNIT_EXPECT_EQ(test, 0x10021dd8, rd(m, 0x00, 4));
	KUNIT_EXPECT_EQ(test, 0x54001dd8, rd(m, 0x2c, 4));
	KUNIT_EXPECT_EQ(test, 0x020000, rd(m, 0x08, 4) >> 8);
	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_HEADER_TYPE, 1));
	KUNIT_EXPECT_TRUE(test, rd(m, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_INTERRUPT_PIN, 1));
	/* narrow and unaligned reads are parts of the wide ones */
	KUNIT_EXPECT_EQ(test, 0xd8, rd(m, 0, 1));
	KUNIT_EXPECT_EQ(test, 0x1d, rd(m, 1, 1));
	KUNIT_EXPECT_EQ(test, 0x021d, rd(m, 1, 2));
	KUNIT_EXPECT_EQ(test, 0x1002, rd(m, 2, 2));
	KUNIT_EXPECT_EQ(test, 0, rd(m, 0xfff, 1));
	KUNIT_EXPECT_EQ(test, 0, rd(m, 0x1000, 4));
	KUNIT_EXPECT_EQ(test, 0, rd(m, 0xffe, 4));
}

static u64 size_bar(struct mock *m, unsigned int bar)
{
	u32 off = PCI_BASE_ADDRESS_0 + 4 * bar;
	u64 mask;

	mock_cfg_write(m, off, 4, ~0u);
	mock_cfg_write(m, off + 4, 4, ~0u);
	mask = rd(m, off, 4) & PCI_BASE_ADDRESS_MEM_MASK;
	mask |= (u64)rd(m, off + 4, 4) << 32;
	return mask ? ~mask + 1 : 0;
}

static void config_bars(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u32 flags;

	flags = rd(m, PCI_BASE_ADDRESS_0, 4);
	KUNIT_EXPECT_EQ(test, 0, flags & PCI_BASE_ADDRESS_SPACE);
	KUNIT_EXPECT_EQ(test, PCI_BASE_ADDRESS_MEM_TYPE_64,
			flags & PCI_BASE_ADDRESS_MEM_TYPE_MASK);
	KUNIT_EXPECT_EQ(test, 0x10000, size_bar(m, 0));
	KUNIT_EXPECT_EQ(test, 0x400000, size_bar(m, 2));
	/* flags cannot be written */
	KUNIT_EXPECT_EQ(test, flags & 0xf, rd(m, PCI_BASE_ADDRESS_0, 4) & 0xf);

	mock_cfg_write(m, PCI_BASE_ADDRESS_0, 4, 0xfe012345);
	mock_cfg_write(m, PCI_BASE_ADDRESS_1, 4, 0x12);
	KUNIT_EXPECT_EQ(test, 0x12fe010000ull, ernic_cfg_bar(m->edev, 0));
	mock_cfg_write(m, PCI_BASE_ADDRESS_2, 4, 0xffffffff);
	mock_cfg_write(m, PCI_BASE_ADDRESS_2, 4, 0x7fc00000);
	mock_cfg_write(m, PCI_BASE_ADDRESS_3, 4, 0);
	KUNIT_EXPECT_EQ(test, 0x7fc00000ull, ernic_cfg_bar(m->edev, 2));
	/* byte by byte */
	mock_cfg_write(m, PCI_BASE_ADDRESS_2 + 3, 1, 0x80);
	KUNIT_EXPECT_EQ(test, 0x80c00000ull, ernic_cfg_bar(m->edev, 2));

	/* no more BARs, no ROM */
	mock_cfg_write(m, PCI_BASE_ADDRESS_4, 4, ~0u);
	mock_cfg_write(m, PCI_BASE_ADDRESS_5, 4, ~0u);
	mock_cfg_write(m, PCI_ROM_ADDRESS, 4, ~0u);
	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_BASE_ADDRESS_4, 4));
	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_BASE_ADDRESS_5, 4));
	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_ROM_ADDRESS, 4));
}

static void config_caps(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u8 msix = find_cap(m, PCI_CAP_ID_MSIX);
	u8 exp = find_cap(m, PCI_CAP_ID_EXP);
	u32 table;

	KUNIT_EXPECT_NE(test, 0, find_cap(m, PCI_CAP_ID_PM));
	KUNIT_EXPECT_EQ(test, 0, find_cap(m, PCI_CAP_ID_MSI));
	KUNIT_EXPECT_EQ(test, 0, find_cap(m, PCI_CAP_ID_AF));

	KUNIT_ASSERT_NE(test, 0, msix);
	KUNIT_EXPECT_EQ(test, 127, rd(m, msix + PCI_MSIX_FLAGS, 2) &
				   PCI_MSIX_FLAGS_QSIZE);
	table = rd(m, msix + PCI_MSIX_TABLE, 4);
	KUNIT_EXPECT_EQ(test, 0x8000, table);
	/* table and PBA: above the registers, apart, inside the BAR */
	table = rd(m, msix + PCI_MSIX_PBA, 4);
	KUNIT_EXPECT_EQ(test, 0, table & PCI_MSIX_PBA_BIR);
	KUNIT_EXPECT_GE(test, table & PCI_MSIX_PBA_OFFSET, 0x8000 + 128 * 16);
	KUNIT_EXPECT_LE(test, table & PCI_MSIX_PBA_OFFSET, 0x10000 - 16);

	KUNIT_ASSERT_NE(test, 0, exp);
	KUNIT_EXPECT_EQ(test, PCI_EXP_TYPE_ENDPOINT,
			(rd(m, exp + PCI_EXP_FLAGS, 2) &
			 PCI_EXP_FLAGS_TYPE) >> 4);
	KUNIT_EXPECT_TRUE(test, rd(m, exp + PCI_EXP_DEVCAP, 4) &
				PCI_EXP_DEVCAP_FLR);
	KUNIT_EXPECT_EQ(test, PCI_EXT_CAP_ID_DSN,
			PCI_EXT_CAP_ID(rd(m, PCI_CFG_SPACE_SIZE, 4)));
	KUNIT_EXPECT_EQ(test, 0, PCI_EXT_CAP_NEXT(rd(m, PCI_CFG_SPACE_SIZE,
						     4)));
}

static void config_read_only(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u8 exp = find_cap(m, PCI_CAP_ID_EXP);
	u8 msix = find_cap(m, PCI_CAP_ID_MSIX);
	static const u32 ro[] = { 0x00, 0x08, 0x28, 0x2c, 0x34, 0x38 };
	u32 before;
	int i;

	for (i = 0; i < ARRAY_SIZE(ro); i++) {
		before = rd(m, ro[i], 4);
		mock_cfg_write(m, ro[i], 4, ~before);
		KUNIT_EXPECT_EQ_MSG(test, before, rd(m, ro[i], 4), "%#x", ro[i]);
	}
	before = rd(m, msix, 4);
	mock_cfg_write(m, msix, 4, ~0u);
	/* only Enable and Function Mask */
	KUNIT_EXPECT_EQ(test, before | 0xc0000000u, rd(m, msix, 4));
	mock_cfg_write(m, msix, 4, 0);
	KUNIT_EXPECT_EQ(test, before & 0x3fffffffu, rd(m, msix, 4));
	for (i = 4; i < 12; i += 4) {
		before = rd(m, msix + i, 4);
		mock_cfg_write(m, msix + i, 4, ~before);
		KUNIT_EXPECT_EQ(test, before, rd(m, msix + i, 4));
	}
	before = rd(m, exp + PCI_EXP_LNKCAP, 4);
	mock_cfg_write(m, exp + PCI_EXP_LNKCAP, 4, ~before);
	KUNIT_EXPECT_EQ(test, before, rd(m, exp + PCI_EXP_LNKCAP, 4));
	before = rd(m, PCI_CFG_SPACE_SIZE + 4, 4);
	mock_cfg_write(m, PCI_CFG_SPACE_SIZE + 4, 4, ~before);
	KUNIT_EXPECT_EQ(test, before, rd(m, PCI_CFG_SPACE_SIZE + 4, 4));
	/* beyond the end */
	mock_cfg_write(m, 0xffe, 4, ~0u);
	mock_cfg_write(m, 0x1000, 4, ~0u);
	mock_cfg_write(m, ~0u, 4, ~0u);
	KUNIT_EXPECT_EQ(test, 0x10021dd8, rd(m, 0, 4));
}

/* the slot carries what the port promises */
static void config_link(struct kunit *test)
{
	static const u32 mbps_lane[] = {
		0, 2000, 4000, 7877, 15754, 31508, 60504
	};
	const struct ernic_profile *p = test->param_value;
	struct mock *m = mock_open(test, p);
	u8 exp = find_cap(m, PCI_CAP_ID_EXP);
	u32 cap = rd(m, exp + PCI_EXP_LNKCAP, 4);
	u32 speed = cap & PCI_EXP_LNKCAP_SLS;
	u32 width = (cap & PCI_EXP_LNKCAP_MLW) >> 4;

	KUNIT_ASSERT_LT(test, speed, ARRAY_SIZE(mbps_lane));
	KUNIT_EXPECT_GE(test, mbps_lane[speed] * width, p->speed_mbps);
	KUNIT_EXPECT_EQ(test, cap & 0x3ff,
			rd(m, exp + PCI_EXP_LNKSTA, 2) & 0x3ff);
	KUNIT_EXPECT_TRUE(test, rd(m, exp + PCI_EXP_LNKCAP2, 4) & BIT(speed));
}

/* bus mastering and power state decide about DMA */
static void config_dma(struct kunit *test)
{
	struct mock *m = mock_open(test, PROFILE);
	u8 pm = find_cap(m, PCI_CAP_ID_PM);
	u64 v;

	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(m->edev, MOCK_BASE, &v, 8));
	mock_cfg_write(m, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_dma_read(m->edev, MOCK_BASE, &v,
						      8));
	mock_cfg_write(m, PCI_COMMAND, 2, PCI_COMMAND_MEMORY |
					  PCI_COMMAND_MASTER);
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(m->edev, MOCK_BASE, &v, 8));
	KUNIT_EXPECT_TRUE(test, ernic_cfg_memory_on(m->edev));

	mock_cfg_write(m, pm + PCI_PM_CTRL, 2, 3);
	KUNIT_EXPECT_EQ(test, 3, rd(m, pm + PCI_PM_CTRL, 2) &
				 PCI_PM_CTRL_STATE_MASK);
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_dma_read(m->edev, MOCK_BASE, &v,
						      8));
	KUNIT_EXPECT_FALSE(test, ernic_cfg_memory_on(m->edev));
	mock_cfg_write(m, pm + PCI_PM_CTRL, 2, 0);
	KUNIT_EXPECT_EQ(test, 0, ernic_dma_read(m->edev, MOCK_BASE, &v, 8));
	KUNIT_EXPECT_TRUE(test, ernic_cfg_memory_on(m->edev));
}

static void config_flr(struct kunit *test)
{
	struct mock *m = mock_lif(test, PROFILE);
	u8 exp = find_cap(m, PCI_CAP_ID_EXP);
	union ion_cmd cmd = { .opcode = ION_CMD_RX_MODE_SET };
	u64 v;
	int i;

	mock_cfg_write(m, PCI_BASE_ADDRESS_0, 4, 0xfe000000);
	ernic_bar_write(m->edev, 0, 0x2004, 4, 0);
	ernic_bar_write(m->edev, 0, 0x200c, 4, 1);
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0x2004, 4));

	mock_cfg_write(m, exp + PCI_EXP_DEVCTL, 2,
		       rd(m, exp + PCI_EXP_DEVCTL, 2) | PCI_EXP_DEVCTL_BCR_FLR);

	KUNIT_EXPECT_EQ(test, 0, rd(m, PCI_COMMAND, 2));
	/* the VMM's BARs stay, those of a bus do not */
	KUNIT_EXPECT_EQ(test, 0xfe000000, ernic_cfg_bar(m->edev, 0));
	m->edev->front.msix_emulated = true;
	mock_cfg_write(m, exp + PCI_EXP_DEVCTL, 2,
		       rd(m, exp + PCI_EXP_DEVCTL, 2) | PCI_EXP_DEVCTL_BCR_FLR);
	KUNIT_EXPECT_EQ(test, 0, ernic_cfg_bar(m->edev, 0));
	m->edev->front.msix_emulated = false;
	KUNIT_EXPECT_EQ(test, 0, rd(m, exp + PCI_EXP_DEVCTL, 2) &
				 PCI_EXP_DEVCTL_BCR_FLR);
	KUNIT_EXPECT_EQ(test, -EACCES, ernic_dma_read(m->edev, MOCK_BASE, &v,
						      8));
	KUNIT_EXPECT_FALSE(test, m->edev->lif.init);
	KUNIT_EXPECT_FALSE(test, m->edev->port.init);
	for (i = 0; i < 0x800; i += 4)
		KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0x800 + i,
							4));
	KUNIT_EXPECT_EQ(test, 1, ernic_bar_read(m->edev, 0, 0x2004, 4));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(m->edev, 0, 0x200c, 4));
	KUNIT_EXPECT_TRUE(test, ernic_bar_read(m->edev, 0, 7, 1) & 1);

	/* it answers again, and remembers no LIF */
	mock_cfg_write(m, PCI_COMMAND, 2, PCI_COMMAND_MEMORY |
					  PCI_COMMAND_MASTER);
	KUNIT_EXPECT_EQ(test, ION_RC_EPERM, mock_devcmd(m, &cmd, NULL));
}

static void profile_desc(const struct ernic_profile *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(profile, ernic_profiles, profile_desc);

static struct kunit_case config_cases[] = {
	KUNIT_CASE(config_header),
	KUNIT_CASE(config_bars),
	KUNIT_CASE(config_caps),
	KUNIT_CASE(config_read_only),
	KUNIT_CASE_PARAM(config_link, profile_gen_params),
	KUNIT_CASE(config_dma),
	KUNIT_CASE(config_flr),
	{}
};

static struct kunit_suite config_suite = {
	.name = "ernic-config",
	.test_cases = config_cases,
};

kunit_test_suite(config_suite);
