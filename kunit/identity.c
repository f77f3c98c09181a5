// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity blobs, byte by byte.  Offsets are numbers here, not members, so that
 * a wrong structure shows as well.
 */
#include <kunit/test.h>
#include <linux/unaligned.h>

#include "mock.h"

#define BLOB	1912

#define FEATURES_ALL	(BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5) | \
			 BIT(7) | BIT(8) | BIT(9) | BIT(10))

static u8 *blob(struct kunit *test)
{
	u8 *p = kunit_kzalloc(test, BLOB, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

/* side data is dirty before, as after another command */
static u8 *ask(struct mock *m, const union ion_cmd *cmd, u8 want)
{
	u8 *side = blob(m->test);
	union ion_comp comp;

	memset(side, 0xa5, BLOB);
	mock_side_write(m, side, BLOB);
	KUNIT_EXPECT_EQ(m->test, want, mock_devcmd(m, cmd, &comp));
	mock_side_read(m, side);
	return side;
}

static void compare(struct kunit *test, const u8 *want, const u8 *got)
{
	unsigned int i;

	for (i = 0; i < BLOB; i++)
		KUNIT_EXPECT_EQ_MSG(test, want[i], got[i], "byte %u", i);
}

static void identity_device(struct kunit *test)
{
	const struct ernic_profile *p = test->param_value;
	struct mock *m = mock_open(test, p);
	union ion_cmd cmd = { .identify = { 1, 2 } };
	u8 *want = blob(test);
	union ion_comp comp;

	want[0] = 2;
	want[4] = 1;
	put_unaligned_le32(1, want + 8);
	put_unaligned_le32(ernic_profile_vectors(p), want + 12);
	put_unaligned_le32(1024, want + 16);
	put_unaligned_le32(0, want + 20);
	put_unaligned_le32(1, want + 24);
	compare(test, want, ask(m, &cmd, 0));
	mock_devcmd(m, &cmd, &comp);
	KUNIT_EXPECT_EQ(test, 2, comp.bytes[1]);
	KUNIT_EXPECT_EQ(test, 0, comp.bytes[15]);
}

static void identity_lif(struct kunit *test)
{
	const struct ernic_profile *p = test->param_value;
	struct mock *m = mock_open(test, p);
	union ion_cmd cmd = { .lif_identify = { 20, 0, 1 } };
	u8 *want = blob(test);

	put_unaligned_le64(3, want);
	want[8] = 1;
	put_unaligned_le32(256, want + 12);
	put_unaligned_le32(256, want + 16);
	put_unaligned_le16(128, want + 20);
	put_unaligned_le32(0, want + 22);
	put_unaligned_le32(p->mtu_max + 18, want + 26);
	/* config */
	put_unaligned_le32(p->mtu_max, want + 156);
	memcpy(want + 160, m->edev->mac, 6);
	put_unaligned_le64(p->offloads ? FEATURES_ALL : 0, want + 168);
	put_unaligned_le32(1, want + 176);
	put_unaligned_le32(1, want + 180);
	put_unaligned_le32(p->eth_queues, want + 184);
	put_unaligned_le32(p->eth_queues, want + 188);
	/* RDMA: limits, doorbell slots */
	want[392] = p->rdma_version;
	want[393] = 11;
	want[394] = 19;
	want[395] = p->rdma_version == 2;
	put_unaligned_le32(1 << 29, want + 396);
	put_unaligned_le32(131072, want + 400);
	put_unaligned_le32(32768, want + 404);
	want[408] = 9;
	want[414] = 3;
	put_unaligned_le64(0x40201000, want + 416);
	want[424] = 6;
	put_unaligned_le32(1, want + 428);
	want[436] = 2;
	put_unaligned_le32(16384, want + 440);
	want[448] = 3;
	put_unaligned_le32(16384, want + 452);
	want[460] = 4;
	put_unaligned_le32(32768, want + 464);
	want[472] = 5;
	put_unaligned_le32(p->rdma_eqs, want + 476);
	put_unaligned_le16(3, want + 484);
	compare(test, want, ask(m, &cmd, 0));
}

static void identity_port(struct kunit *test)
{
	const struct ernic_profile *p = test->param_value;
	struct mock *m = mock_open(test, p);
	union ion_cmd cmd = { .bytes = { 10 } };
	u8 *want = blob(test);

	want[0] = 1;
	want[1] = 1;
	want[2] = 4;
	put_unaligned_le32(60, want + 4);
	put_unaligned_le32(p->mtu_max + 18, want + 8);
	put_unaligned_le32(p->speed_mbps, want + 20);
	/* config */
	put_unaligned_le32(p->speed_mbps, want + 128);
	put_unaligned_le32(9000, want + 132);
	want[136] = 2;
	compare(test, want, ask(m, &cmd, 0));
	cmd.bytes[1] = 1;
	ask(m, &cmd, ION_RC_ENOENT);
}

struct qident {
	u8 type, ver, want_ver, supported;
	u32 features;
	u16 desc, comp, sg, max, stride;
};

static void identity_queues(struct kunit *test)
{
	static const struct qident q[] = {
		{ 0, 0, 0, 1, 1, 64, 16, 0, 0, 0 },
		{ 1, 0, 0, 1, 0, 4, 64, 0, 0, 0 },
		{ 2, 2, 0, 1, 3, 16, 16, 128, 8, 8 },
		{ 3, 3, 1, 3, 3, 16, 16, 256, 15, 16 },
		{ 3, 1, 1, 3, 3, 16, 16, 256, 15, 16 },
	};
	struct mock *m = mock_open(test, &ernic_profiles[0]);
	union ion_cmd cmd = { .q_identify = { .opcode = 39 } };
	int i;

	for (i = 0; i < ARRAY_SIZE(q); i++) {
		u8 *want = blob(test);

		cmd.q_identify.type = q[i].type;
		cmd.q_identify.ver = q[i].ver;
		want[0] = q[i].want_ver;
		want[1] = q[i].supported;
		put_unaligned_le64(q[i].features, want + 8);
		put_unaligned_le16(q[i].desc, want + 16);
		put_unaligned_le16(q[i].comp, want + 18);
		put_unaligned_le16(q[i].sg, want + 20);
		put_unaligned_le16(q[i].max, want + 22);
		put_unaligned_le16(q[i].stride, want + 24);
		compare(test, want, ask(m, &cmd, 0));
	}
	for (i = 4; i < 256; i++) {
		cmd.q_identify.type = i;
		KUNIT_EXPECT_EQ(test, ION_RC_EQTYPE, mock_devcmd(m, &cmd, NULL));
	}
}

static void identity_bad_type(struct kunit *test)
{
	struct mock *m = mock_open(test, &ernic_profiles[0]);
	union ion_cmd cmd = { .lif_identify = { 20, 1, 1 } };

	KUNIT_EXPECT_EQ(test, ION_RC_EINVAL, mock_devcmd(m, &cmd, NULL));
}

/* device information, in every width in which it can be read */
static void identity_info(struct kunit *test)
{
	struct mock *m = mock_open(test, &ernic_profiles[0]);
	struct ernic_dev *edev = m->edev;
	const unsigned int len = 0x800;
	u8 *byte = kunit_kzalloc(test, len, GFP_KERNEL);
	unsigned int off, size, i;
	char str[32];
	u64 val;

	KUNIT_ASSERT_NOT_NULL(test, byte);

	KUNIT_EXPECT_EQ(test, 0x44455649, ernic_bar_read(edev, 0, 0, 4));
	KUNIT_EXPECT_EQ(test, 1, ernic_bar_read(edev, 0, 4, 1));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(edev, 0, 5, 1));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(edev, 0, 6, 1));
	KUNIT_EXPECT_EQ(test, 0x11, ernic_bar_read(edev, 0, 7, 1));

	for (off = 0; off < len; off++)
		byte[off] = ernic_bar_read(edev, 0, off, 1);
	memcpy(str, byte + 0x0c, 32);
	str[31] = 0;
	KUNIT_EXPECT_STREQ(test, "rocm-ernic-1.0", str);
	memcpy(str, byte + 0x2c, 32);
	KUNIT_EXPECT_EQ(test, 0, str[31]);
	KUNIT_EXPECT_STREQ(test, "ERNIC123456789abc4def80010203", str);
	for (off = 0x4c; off < len; off++)
		KUNIT_EXPECT_EQ(test, 0, byte[off]);

	for (size = 2; size <= 8; size *= 2) {
		for (off = 0; off < len; off += size) {
			/* the heartbeat moves */
			if (off + size > 8 && off < 12)
				continue;
			for (i = 0, val = 0; i < size; i++)
				val |= (u64)byte[off + i] << (8 * i);
			KUNIT_EXPECT_EQ(test, val,
					ernic_bar_read(edev, 0, off, size));
		}
	}
	/* read-only */
	ernic_bar_write(edev, 0, 0, 4, ~0u);
	ernic_bar_write(edev, 0, 7, 1, 0);
	KUNIT_EXPECT_EQ(test, 0x44455649, ernic_bar_read(edev, 0, 0, 4));
	KUNIT_EXPECT_EQ(test, 0x11, ernic_bar_read(edev, 0, 7, 1));
	/* never a constant other than 0 for 10 s: it counts seconds */
	KUNIT_EXPECT_NE(test, 0, ernic_bar_read(edev, 0, 8, 4));
}

static void p_desc(const struct ernic_profile *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(p, ernic_profiles, p_desc);

static struct kunit_case identity_cases[] = {
	KUNIT_CASE_PARAM(identity_device, p_gen_params),
	KUNIT_CASE_PARAM(identity_lif, p_gen_params),
	KUNIT_CASE_PARAM(identity_port, p_gen_params),
	KUNIT_CASE(identity_queues),
	KUNIT_CASE(identity_bad_type),
	KUNIT_CASE(identity_info),
	{}
};

static struct kunit_suite identity_suite = {
	.name = "ernic-identity",
	.test_cases = identity_cases,
};

kunit_test_suite(identity_suite);
