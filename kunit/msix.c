// SPDX-License-Identifier: GPL-2.0-only
/* The MSI-X table as a front end without one of its own uses it. */
#include <kunit/test.h>
#include <linux/pci_regs.h>

#include "mock.h"

#define VEC		2
#define ENTRY(word)	(0x8000 + VEC * 16 + 4 * (word))
#define PBA		0x9000

static struct mock *mock_msix(struct kunit *test)
{
	struct mock *m = mock_dma(test);

	m->edev->front.msix_emulated = true;
	m->edev->profile = ernic_profiles[0];
	ernic_cfg_init(m->edev);
	return m;
}

static void msix_control(struct mock *m, bool enable, bool mask)
{
	u8 pos = mock_cfg_read(m, PCI_CAPABILITY_LIST, 1);

	while (pos && mock_cfg_read(m, pos, 1) != PCI_CAP_ID_MSIX)
		pos = mock_cfg_read(m, pos + 1, 1);
	KUNIT_ASSERT_NE(m->test, 0, pos);
	mock_cfg_write(m, pos + PCI_MSIX_FLAGS, 2,
		       (enable ? PCI_MSIX_FLAGS_ENABLE : 0) |
		       (mask ? PCI_MSIX_FLAGS_MASKALL : 0));
}

static void post(struct mock *m)
{
	ernic_intr_write(m->edev, VEC, ION_INTR_MASK, 0);
	ernic_intr_post(m->edev, VEC, 1);
}

static void msix_power_on(struct kunit *test)
{
	struct mock *m = mock_msix(test);
	u32 data;
	u64 addr;

	KUNIT_EXPECT_EQ(test, 1, ernic_msix_read(m->edev, ENTRY(3)));
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, ENTRY(0)));
	KUNIT_EXPECT_FALSE(test, ernic_msix_message(m->edev, VEC, &addr,
						    &data));
	post(m);
	KUNIT_EXPECT_EQ(test, 0, mock_signals(m, VEC));
	KUNIT_EXPECT_EQ(test, BIT(VEC), ernic_msix_read(m->edev, PBA));
}

static void msix_table(struct kunit *test)
{
	struct mock *m = mock_msix(test);
	u32 data;
	u64 addr;

	ernic_msix_write(m->edev, ENTRY(0), 0xfee01003);
	ernic_msix_write(m->edev, ENTRY(1), 0x7);
	ernic_msix_write(m->edev, ENTRY(2), 0x4321);
	ernic_msix_write(m->edev, ENTRY(3), 0xfffffffe);
	KUNIT_EXPECT_EQ(test, 0xfee01000, ernic_msix_read(m->edev, ENTRY(0)));
	KUNIT_EXPECT_EQ(test, 0x7, ernic_msix_read(m->edev, ENTRY(1)));
	KUNIT_EXPECT_EQ(test, 0x4321, ernic_msix_read(m->edev, ENTRY(2)));
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, ENTRY(3)));
	KUNIT_EXPECT_FALSE(test, ernic_msix_message(m->edev, VEC, &addr,
						    &data));
	msix_control(m, true, false);
	KUNIT_EXPECT_TRUE(test, ernic_msix_message(m->edev, VEC, &addr, &data));
	KUNIT_EXPECT_EQ(test, 0x7fee01000ull, addr);
	KUNIT_EXPECT_EQ(test, 0x4321, data);
	/* the neighbours were not touched */
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, ENTRY(4)));
	KUNIT_EXPECT_EQ(test, 1, ernic_msix_read(m->edev, ENTRY(-1)));
	/* pending bits are read-only; beyond them is nothing */
	ernic_msix_write(m->edev, PBA, ~0u);
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, PBA));
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, 0xfffc));
	ernic_msix_write(m->edev, 0xfffc, ~0u);
}

/* an interrupt while any of the three masks it comes when the last opens */
static void msix_masks(struct kunit *test)
{
	struct mock *m = mock_msix(test);
	unsigned int bits;

	for (bits = 0; bits < 8; bits++) {
		unsigned int before = mock_signals(m, VEC);

		ernic_msix_write(m->edev, ENTRY(3), bits & 1);
		msix_control(m, !(bits & 4), bits & 2);
		post(m);
		KUNIT_EXPECT_EQ(test, before + !bits, mock_signals(m, VEC));
		KUNIT_EXPECT_EQ(test, bits ? BIT(VEC) : 0,
				ernic_msix_read(m->edev, PBA));
		ernic_msix_write(m->edev, ENTRY(3), 0);
		msix_control(m, true, false);
		KUNIT_EXPECT_EQ(test, before + 1, mock_signals(m, VEC));
		KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, PBA));
		ernic_intr_reset(m->edev);
	}
}

static void msix_reset(struct kunit *test)
{
	struct mock *m = mock_msix(test);

	ernic_msix_write(m->edev, ENTRY(2), 99);
	ernic_msix_write(m->edev, ENTRY(3), 0);
	msix_control(m, true, false);
	ernic_cfg_reset(m->edev, false);
	KUNIT_EXPECT_EQ(test, 0, ernic_msix_read(m->edev, ENTRY(2)));
	KUNIT_EXPECT_EQ(test, 1, ernic_msix_read(m->edev, ENTRY(3)));
	KUNIT_EXPECT_FALSE(test, ernic_cfg_msix_enabled(m->edev));
	post(m);
	KUNIT_EXPECT_EQ(test, 0, mock_signals(m, VEC));
}

/* with VFIO the user's eventfds decide, not this table */
static void msix_not_emulated(struct kunit *test)
{
	struct mock *m = mock_msix(test);

	m->edev->front.msix_emulated = false;
	ernic_intr_msix_mask(m->edev, VEC, false);
	ernic_msix_write(m->edev, ENTRY(3), 1);
	msix_control(m, false, true);
	post(m);
	KUNIT_EXPECT_EQ(test, 1, mock_signals(m, VEC));
}

static struct kunit_case msix_cases[] = {
	KUNIT_CASE(msix_power_on),
	KUNIT_CASE(msix_table),
	KUNIT_CASE(msix_masks),
	KUNIT_CASE(msix_reset),
	KUNIT_CASE(msix_not_emulated),
	{}
};

static struct kunit_suite msix_suite = {
	.name = "ernic-msix",
	.test_cases = msix_cases,
};

kunit_test_suite(msix_suite);
