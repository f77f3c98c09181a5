// SPDX-License-Identifier: GPL-2.0-only
/* Who gets data: devices of one domain, of several, and without a back end. */
#include <linux/delay.h>

#include "rdma.h"

#define AH	3

/* what the administrator sets before a VMM opens the device */
static struct rguest *guest(struct kunit *test, u8 nth, const char *backend,
			    const char *domain)
{
	struct rguest *g;
	struct ernic_dev *edev;

	g = rg_open_nth(test, NULL, nth);
	edev = g->m->edev;
	mutex_lock(&edev->state_lock);
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_backend(edev, backend));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, domain));
	mutex_unlock(&edev->state_lock);
	return g;
}

static void mark(struct rg_pair *p)
{
	memset(rg_ptr(p->g, p->mem), 0x66, 0x100);
	memset(rg_ptr(p->gb, p->memb) + 0x800, 0x11, 0x800);
}

static bool arrived(struct rg_pair *p, u32 off)
{
	u8 *mem = rg_ptr(p->gb, p->memb);

	KUNIT_EXPECT_TRUE(p->g->test, mem[off] == 0x66 || mem[off] == 0x11);
	return mem[off] == 0x66;
}

static void rc_write(struct rg_pair *p, bool reaches)
{
	struct ion_v1_wqe *wqe;

	mark(p);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, ION_V1_FLAG_SIG);
	rg_sge(wqe, RG_VA, 16, p->key);
	rg_remote(wqe, RG_VA + 0x800, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1,
		      reaches ? 0 : ION_STS_RETRY_EXCEEDED);
	KUNIT_EXPECT_EQ(p->g->test, reaches, arrived(p, 0x800));
	KUNIT_EXPECT_EQ(p->g->test, reaches ? ION_QPS_RTS : ION_QPS_ERR,
			rg_state(p->g, p->a->id));
	/* whom it did not reach has not noticed */
	KUNIT_EXPECT_EQ(p->g->test, ION_QPS_RTS, rg_state(p->gb, p->b->id));
	KUNIT_EXPECT_TRUE(p->g->test, rg_quiet(p->gb, p->cqb));
}

/* without acknowledgment the sender does not learn it */
static void uc_write(struct rg_pair *p, bool reaches)
{
	struct ion_v1_wqe *wqe;

	mark(p);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE, ION_V1_FLAG_SIG);
	rg_sge(wqe, RG_VA, 16, p->key);
	rg_remote(wqe, RG_VA + 0x800, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_MSN(p->g, p->cqa, p->a, 1, 0);
	KUNIT_EXPECT_EQ(p->g->test, reaches, arrived(p, 0x800));
}

static void ud_send(struct rg_pair *p, bool reaches)
{
	struct ion_v1_wqe *wqe;

	mark(p);
	KUNIT_ASSERT_EQ(p->g->test, 0, rg_ah(p->g, p->gb, AH, -1));
	rg_recv(p->gb, p->b, RG_VA + 0x900, 256, p->key);
	wqe = rg_wqe(p->g, p->a, ION_V1_OP_SEND, 0);
	wqe->common.send.ah_id = cpu_to_be32(AH);
	wqe->common.send.dest_qpn = cpu_to_be32(p->b->id);
	wqe->common.send.dest_qkey = cpu_to_be32(p->a->id);
	rg_sge(wqe, RG_VA, 16, p->key);
	rg_ring(p->g, p->a);
	RG_EXPECT_NPG(p->g, p->cqa, p->a, 0, 0);
	if (reaches)
		RG_EXPECT_RECV(p->gb, p->cqb, p->b, 0, 16 + ION_GRH_LEN);
	KUNIT_EXPECT_TRUE(p->g->test, rg_quiet(p->gb, p->cqb));
	KUNIT_EXPECT_EQ(p->g->test, reaches, arrived(p, 0x928));
}

struct apart_case {
	const char *name;
	const char *backend[2];
	const char *domain[2];
	bool reaches;
	bool itself;
};

static const struct apart_case apart_cases[] = {
	{ "no domains", { "loopback", "loopback" }, { "", "" }, true },
	{ "the same domain", { "loopback", "loopback" }, { "red", "red" },
	  true },
	{ "two domains", { "loopback", "loopback" }, { "red", "blue" } },
	{ "a domain and none", { "loopback", "loopback" }, { "red", "" } },
	{ "to none", { "loopback", "none" }, { "", "" } },
	{ "from none", { "none", "loopback" }, { "", "" } },
	{ "none to itself", { "none" }, { "" }, false, true },
	{ "itself", { "loopback" }, { "red" }, true, true },
};

static void apart_desc(const struct apart_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(apart, apart_cases, apart_desc);

static struct rg_pair *apart_pair(struct kunit *test, u8 type)
{
	const struct apart_case *c = test->param_value;
	struct rguest *g, *gb;

	g = guest(test, 1, c->backend[0], c->domain[0]);
	gb = c->itself ? g : guest(test, 2, c->backend[1], c->domain[1]);
	return rg_pair_of(g, gb, type, 0);
}

static bool reaches(struct kunit *test)
{
	const struct apart_case *c = test->param_value;

	return c->reaches;
}

static void apart_rc(struct kunit *test)
{
	rc_write(apart_pair(test, ION_QPT_RC), reaches(test));
}

static void apart_uc(struct kunit *test)
{
	uc_write(apart_pair(test, ION_QPT_UC), reaches(test));
}

static void apart_ud(struct kunit *test)
{
	ud_send(apart_pair(test, ION_QPT_UD), reaches(test));
}

static struct kunit_case rdma_apart_cases[] = {
	KUNIT_CASE_PARAM(apart_rc, apart_gen_params),
	KUNIT_CASE_PARAM(apart_uc, apart_gen_params),
	KUNIT_CASE_PARAM(apart_ud, apart_gen_params),
	{}
};

static struct kunit_suite rdma_apart_suite = {
	.name = "ernic-rdma-apart",
	.test_cases = rdma_apart_cases,
};

kunit_test_suite(rdma_apart_suite);
