// SPDX-License-Identifier: GPL-2.0-only
/* Who is found by which address. */
#include "rdma.h"

#define NDEV	3

struct gid_net {
	struct mock *m[NDEV];
	struct ernic_rdma *dev[NDEV];
};

static const u8 gid_a[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
static const u8 gid_b[16] = { 0xfd, [15] = 2 };

static struct gid_net *net_open(struct kunit *test)
{
	struct gid_net *net = kunit_kzalloc(test, sizeof(*net), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, net);
	for (i = 0; i < NDEV; i++) {
		net->m[i] = mock_open_nth(test, &ernic_profiles[1], 1 + i);
		net->dev[i] = net->m[i]->edev->rdma;
		ernic_gid_learn(net->dev[i], NULL, net->m[i]->edev->mac, false);
	}
	return net;
}

/* number of the device, or -1 */
static int route(struct gid_net *net, int from, const u8 *gid, const u8 *mac)
{
	struct ernic_av av = {};
	struct ernic_rdma *to;
	int i;

	memcpy(av.dgid, gid, 16);
	ether_addr_copy(av.dmac, mac);
	to = ernic_gid_route(net->dev[from], &av);
	if (!to)
		return -1;
	percpu_ref_put(&to->users);
	for (i = 0; i < NDEV; i++)
		if (net->dev[i] == to)
			return i;
	return -2;
}

static const u8 *mac(struct gid_net *net, int i)
{
	return net->m[i]->edev->mac;
}

static void gid_route(struct kunit *test)
{
	static const u8 router[ETH_ALEN] = { 2, 9, 9, 9, 9, 9 };
	struct gid_net *net = net_open(test);

	/* nobody has shown an address: the MAC decides, oneself included */
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, route(net, 0, gid_a, mac(net, 0)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));

	/* behind a router: by the address alone */
	ernic_gid_learn(net->dev[1], gid_a, mac(net, 1), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));

	/* a second one claims it: the MAC decides, or nobody gets anything */
	ernic_gid_learn(net->dev[2], gid_a, mac(net, 2), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, mac(net, 2)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));

	/* and takes the MAC as well: whose it is by birth is before him */
	ernic_gid_forget(net->dev[1]);
	ernic_gid_learn(net->dev[1], NULL, mac(net, 1), false);
	ernic_gid_learn(net->dev[2], NULL, mac(net, 1), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, mac(net, 1)));
}

static void gid_domains(struct kunit *test)
{
	/* 32 characters: one too many */
	static const char long_name[] = "0123456789abcdef0123456789abcdef";
	struct gid_net *net = net_open(test);
	struct ernic_dev *edev = net->m[1]->edev;

	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, "tenant\n"));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 1, gid_a, mac(net, 0)));
	KUNIT_EXPECT_EQ(test, 1, route(net, 1, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, mac(net, 2)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(net->m[0]->edev,
						       "tenant"));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, "two words"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, "a\nb"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, long_name));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, long_name + 1));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, ""));

	/* none: neither from nor to it */
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(net->m[0]->edev, "\n"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_backend(edev, "tcp"));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_backend(edev, "none\n"));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 1, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_backend(edev, "loopback"));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
}

/* a guest that shows more and more addresses keeps the newest and those in use */
static void gid_many(struct kunit *test)
{
	static const u8 router[ETH_ALEN] = { 2, 9, 9, 9, 9, 9 };
	struct gid_net *net = net_open(test);
	struct ernic_gid_ref *held;
	u8 gid[16] = { 0xfd };
	unsigned int i;

	held = ernic_gid_learn(net->dev[1], gid_b, mac(net, 1), true);
	KUNIT_ASSERT_NOT_NULL(test, held);
	for (i = 0; i < 2000; i++) {
		gid[1] = i >> 8;
		gid[2] = i;
		ernic_gid_learn(net->dev[1], gid, mac(net, 1), false);
		KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid, router));
	}
	KUNIT_EXPECT_LE(test, net->dev[1]->gid_count, 512);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, router));
	/* what a template has may be gone before it */
	ernic_gid_forget(net->dev[1]);
	KUNIT_EXPECT_EQ(test, 0, net->dev[1]->gid_count);
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	ernic_gid_put(net->dev[1], held);
}

/* what was not seen for long is forgotten, unless a template has it */
static void gid_ages(struct kunit *test)
{
	static const u8 router[ETH_ALEN] = { 2, 9, 9, 9, 9, 9 };
	unsigned long now = jiffies, age = 300 * HZ;
	struct gid_net *net = net_open(test);
	struct ernic_gid_ref *held;

	held = ernic_gid_learn(net->dev[1], gid_a, mac(net, 1), true);
	KUNIT_ASSERT_NOT_NULL(test, held);
	ernic_gid_learn(net->dev[2], gid_b, mac(net, 2), false);
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(now + age - HZ));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));

	KUNIT_EXPECT_TRUE(test, ernic_gid_age(now + age + 10 * HZ));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	/* one's own MAC is for ever */
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, mac(net, 2)));

	/* seen again, it is back; and from the end of a template its time begins */
	ernic_gid_learn(net->dev[2], gid_b, mac(net, 2), false);
	ernic_gid_put(net->dev[1], held);
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(jiffies + age - HZ));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(jiffies + age + HZ));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));
}

static struct kunit_case rdma_gid_cases[] = {
	KUNIT_CASE(gid_route),
	KUNIT_CASE(gid_domains),
	KUNIT_CASE(gid_many),
	KUNIT_CASE(gid_ages),
	{}
};

static struct kunit_suite rdma_gid_suite = {
	.name = "ernic-rdma-gid",
	.test_cases = rdma_gid_cases,
};

kunit_test_suite(rdma_gid_suite);
