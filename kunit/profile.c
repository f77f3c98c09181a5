// SPDX-License-Identifier: GPL-2.0-only
/* The built-in profiles against the table that users were promised. */
#include <kunit/test.h>

#include "mock.h"

struct row {
	const char *name;
	u32 speed;
	u8 xcvr;
	u16 eth, eqs, intr;
	unsigned int vectors;
};

/* xcvr: 1 copper, 2 fiber; intr: 0 is auto */
static const struct row rows[] = {
	{ "compat",		100000, 1,  4, 32, 32, 32 },
	{ "small-vm",		100000, 1,  2,  4,  0,  7 },
	{ "generic-100g",	100000, 2, 16, 32,  0, 49 },
	{ "generic-400g",	400000, 2, 64, 32,  0, 97 },
};

static void profile_table(struct kunit *test)
{
	const struct row *r = test->param_value;
	const struct ernic_profile *p = ernic_profile_find(r->name);

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_STREQ(test, r->name, p->name);
	KUNIT_EXPECT_EQ(test, 0, p->asic_type);
	KUNIT_EXPECT_EQ(test, 0, p->asic_rev);
	KUNIT_EXPECT_STREQ(test, "rocm-ernic-1.0", p->fw_version);
	KUNIT_EXPECT_EQ(test, r->speed, p->speed_mbps);
	KUNIT_EXPECT_EQ(test, r->xcvr, p->xcvr);
	KUNIT_EXPECT_EQ(test, 9198, p->mtu_max);
	KUNIT_EXPECT_EQ(test, 1000, p->stats_interval_ms);
	KUNIT_EXPECT_EQ(test, r->eth, p->eth_queues);
	KUNIT_EXPECT_EQ(test, r->eqs, p->rdma_eqs);
	KUNIT_EXPECT_EQ(test, r->intr, p->intr_vectors);
	KUNIT_EXPECT_EQ(test, r->vectors, ernic_profile_vectors(p));
}

static void profile_offloads(struct kunit *test)
{
	const struct ernic_profile *compat = ernic_profile_find("compat");
	int i;

	/* what the user-space server offered: nothing, and FNV-1a */
	KUNIT_EXPECT_EQ(test, ERNIC_OFFLOADS_NONE, compat->offloads);
	KUNIT_EXPECT_EQ(test, ERNIC_STEER_FNV1A, compat->steering);
	for (i = 1; i < ERNIC_NUM_PROFILES; i++) {
		KUNIT_EXPECT_EQ(test, ERNIC_OFFLOADS_ALL,
				ernic_profiles[i].offloads);
		KUNIT_EXPECT_EQ(test, ERNIC_STEER_TOEPLITZ,
				ernic_profiles[i].steering);
	}
}

static void profile_find(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(rows), ERNIC_NUM_PROFILES);
	KUNIT_EXPECT_PTR_EQ(test, &ernic_profiles[1],
			    ernic_profile_find("small-vm\n"));
	KUNIT_EXPECT_NULL(test, ernic_profile_find(""));
	KUNIT_EXPECT_NULL(test, ernic_profile_find("small"));
	KUNIT_EXPECT_NULL(test, ernic_profile_find("small-vm2"));
	KUNIT_EXPECT_NULL(test, ernic_profile_find("Compat"));
}

static void profile_vectors(struct kunit *test)
{
	struct ernic_profile p = ernic_profiles[1];

	p.intr_vectors = 2;
	KUNIT_EXPECT_EQ(test, 2, ernic_profile_vectors(&p));
	p.intr_vectors = 0;
	p.eth_queues = 64;
	p.rdma_eqs = 32;
	KUNIT_EXPECT_EQ(test, 97, ernic_profile_vectors(&p));
	p.rdma_eqs = 200;
	KUNIT_EXPECT_EQ(test, ION_MSIX_VECTORS, ernic_profile_vectors(&p));
}

static void row_desc(const struct row *r, char *desc)
{
	strscpy(desc, r->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(row, rows, row_desc);

static struct kunit_case profile_cases[] = {
	KUNIT_CASE_PARAM(profile_table, row_gen_params),
	KUNIT_CASE(profile_offloads),
	KUNIT_CASE(profile_find),
	KUNIT_CASE(profile_vectors),
	{}
};

static struct kunit_suite profile_suite = {
	.name = "ernic-profile",
	.test_cases = profile_cases,
};

kunit_test_suite(profile_suite);
