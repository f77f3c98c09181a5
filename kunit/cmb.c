// SPDX-License-Identifier: GPL-2.0-only
/*
 * Controller memory and express doorbells: what is offered when, whose page it is, that
 * a request needs no doorbell, and that a queue sleeps and wakes.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/pci.h>

#include "rdma.h"

#define QP_A		2u
#define QP_B		3u
#define KEY		0x100u
#define CQ_LOG2		6

/* calls of the front end; tests run one after another */
static struct {
	atomic_t zaps;
	unsigned long pgoff;
	/* runs in the next call */
	void (*at_zap)(void);
} xm;

static void xmock_zap(struct ernic_dev *edev, unsigned long pgoff)
{
	bool late = xm.at_zap;

	lockdep_assert_held(&edev->cmb.lock);
	xm.pgoff = pgoff;
	if (late) {
		xm.at_zap();
		xm.at_zap = NULL;
	}
	atomic_inc(&xm.zaps);
}

static const struct ernic_page_ops xmock_ops = { .zap_cmb = xmock_zap };

static void xmock_close(void *data)
{
	struct mock *m = data;

	/* queues go before the memory they lie in */
	mutex_lock(&m->edev->state_lock);
	ernic_rdma_reset(m->edev);
	mutex_unlock(&m->edev->state_lock);
	KUNIT_EXPECT_EQ(m->test, 0, m->edev->cmb.nrings);
	ernic_cmb_close(m->edev);
	m->edev->front.page = NULL;
}

/* what the front end does when a VMM opens the device, and maps BAR4 */
static void xmock_open(struct mock *m)
{
	memset(&xm, 0, sizeof(xm));
	m->edev->front.page = &xmock_ops;
	KUNIT_ASSERT_EQ(m->test, 0, ernic_cmb_open(m->edev));
	KUNIT_ASSERT_EQ(m->test, 0, kunit_add_action_or_reset(m->test,
							      xmock_close, m));
}

/* ---- what is offered ------------------------------------------------------- */

static u32 bar4(struct mock *m)
{
	__le32 v = cpu_to_le32(U32_MAX);

	ernic_cfg_write(m->edev, PCI_BASE_ADDRESS_4, &v, sizeof(v));
	ernic_cfg_read(m->edev, PCI_BASE_ADDRESS_4, &v, sizeof(v));
	return le32_to_cpu(v);
}

static u8 discover(struct mock *m, void *data)
{
	union ion_cmd cmd = { .opcode = ION_CMD_DISCOVER_CMB };
	u8 rc = mock_devcmd(m, &cmd, NULL);

	mock_side_read(m, data);
	return rc;
}

static u64 capabilities(struct mock *m, void *data)
{
	union ion_cmd cmd = { .opcode = ION_CMD_IDENTIFY };
	struct ion_dev_identity *id = data;

	cmd.identify.ver = 2;
	KUNIT_EXPECT_EQ(m->test, 0, mock_devcmd(m, &cmd, NULL));
	mock_side_read(m, data);
	return le64_to_cpu(id->capabilities);
}

static bool express(struct mock *m, void *data, u8 type)
{
	union ion_cmd cmd = { .opcode = ION_CMD_Q_IDENTIFY };
	struct ion_q_identity *id = data;

	cmd.q_identify.type = type;
	cmd.q_identify.ver = 3;
	KUNIT_EXPECT_EQ(m->test, 0, mock_devcmd(m, &cmd, NULL));
	mock_side_read(m, data);
	return le64_to_cpu(id->features) & ION_QIDENT_F_EXPDB;
}

static void cmb_offer(struct kunit *test)
{
	struct mock *m = mock_open(test, ernic_profile_find("small-vm"));
	void *data = kunit_kzalloc(test, ION_CMD_SIDE_DATA_LEN, GFP_KERNEL);
	struct ion_cmb_layout *l = data;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	/* off */
	KUNIT_EXPECT_EQ(test, 0, bar4(m));
	KUNIT_EXPECT_EQ(test, 0, capabilities(m, data));
	KUNIT_EXPECT_EQ(test, ION_RC_EOPCODE, discover(m, data));
	KUNIT_EXPECT_FALSE(test, express(m, data, ION_QTYPE_TXQ));

	/* on, but the VMM does not map it: the driver must not find plain memory */
	xmock_open(m);
	KUNIT_EXPECT_EQ(test, (u32)-ION_BAR4_SIZE | PCI_BASE_ADDRESS_MEM_TYPE_64 |
			PCI_BASE_ADDRESS_MEM_PREFETCH, bar4(m));
	KUNIT_EXPECT_EQ(test, ION_DEV_CAP_DISC_CMB, capabilities(m, data));
	KUNIT_EXPECT_EQ(test, ION_RC_ENOSUPP, discover(m, data));
	KUNIT_EXPECT_FALSE(test, express(m, data, ION_QTYPE_TXQ));

	/* mapped */
	m->edev->cmb.mapped = true;
	KUNIT_EXPECT_TRUE(test, express(m, data, ION_QTYPE_TXQ));
	KUNIT_EXPECT_FALSE(test, express(m, data, ION_QTYPE_RXQ));
	KUNIT_ASSERT_EQ(test, 0, discover(m, data));
	/* requests of 64 bytes have no room for a doorbell in version 1 */
	KUNIT_EXPECT_EQ(test, 4, le32_to_cpu(l->num_regions));
	KUNIT_EXPECT_EQ(test, 2, l->region[1].cmb_type);
	KUNIT_EXPECT_EQ(test, 2 * 128, le32_to_cpu(l->region[1].offset));
	m->edev->profile.rdma_version = 2;
	KUNIT_ASSERT_EQ(test, 0, discover(m, data));
	KUNIT_EXPECT_EQ(test, 5, le32_to_cpu(l->num_regions));
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, 4, l->region[i].bar_num);
		KUNIT_EXPECT_EQ(test, i, l->region[i].cmb_type);
		KUNIT_EXPECT_EQ(test, 128 * i,
				le32_to_cpu(l->region[i].offset));
		KUNIT_EXPECT_EQ(test, 128, le32_to_cpu(l->region[i].length));
	}
}

/* by the VMM: all regions are the same memory, and what is behind them is nothing */
static void cmb_traps(struct kunit *test)
{
	struct mock *m = mock_open(test, ernic_profile_find("small-vm"));
	struct ernic_dev *edev = m->edev;
	int i;

	ernic_bar_write(edev, 4, 8, 8, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic64_read(&edev->bad_access));
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(edev, 4, 8, 8));
	xmock_open(m);
	ernic_bar_write(edev, 4, 3 * 4096 + 8, 8, 0x1122334455667788);
	ernic_bar_write(edev, 4, 3 * 4096 + 12, 2, 0xaabb);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, 0x1122aabb55667788,
				ernic_bar_read(edev, 4, i * ION_CMB_SIZE +
					       3 * 4096 + 8, 8));
	KUNIT_EXPECT_EQ(test, 1, edev->cmb.npages);
	ernic_bar_write(edev, 4, 5 * ION_CMB_SIZE, 8, 1);
	KUNIT_EXPECT_EQ(test, 0, ernic_bar_read(edev, 4, 5 * ION_CMB_SIZE +
						3 * 4096 + 8, 8));
	ernic_bar_write(edev, 4, ION_BAR4_SIZE - 8, 8, 1);
	KUNIT_EXPECT_EQ(test, 1, edev->cmb.npages);
}

/* ---- queues ------------------------------------------------------------------ */

struct pair {
	struct rguest *g;
	struct rg_cq *cq;
	struct rg_qp *a, *b;
	u64 from, to;
};

static void pair_open_type(struct kunit *test, struct pair *p, u8 type)
{
	p->g = rg_open(test, NULL);
	xmock_open(p->g->m);
	p->g->m->edev->cmb.mapped = true;
	/* the new BAR has made a reset of the configuration: bus mastering is off */
	ernic_dma_enable(p->g->m->edev);
	p->cq = rg_cq(p->g, 5, CQ_LOG2);
	p->a = rg_qp(p->g, QP_A, type, p->cq, ION_QPF_SQ_CMB);
	p->b = rg_qp(p->g, QP_B, type, p->cq, 0);
	p->from = rg_alloc(p->g, PAGE_SIZE);
	p->to = rg_alloc(p->g, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, 0, rg_mr(p->g, KEY, p->from, PAGE_SIZE, p->from,
				       ION_MRF_LOCAL_WRITE));
	KUNIT_ASSERT_EQ(test, 0, rg_mr(p->g, KEY + 0x100, p->to, PAGE_SIZE,
				       p->to, ION_MRF_LOCAL_WRITE |
				       ION_MRF_REMOTE_WRITE));
	rg_connect(p->g, p->a, QP_B);
	rg_connect(p->g, p->b, QP_A);
}

static void pair_open(struct kunit *test, struct pair *p)
{
	pair_open_type(test, p, ION_QPT_RC);
}

static u64 doorbell(struct rg_qp *qp)
{
	return FIELD_PREP(ION_EXPDB_TYPE_MASK, ERNIC_DB_SLOT_SQ) |
	       (u64)qp->id << 24 | 0xbull << 19 | qp->sq_prod;
}

/* a WRITE of 64 bytes in the shadow; its slot */
static unsigned int request(struct pair *p, u16 flags)
{
	unsigned int slot = p->a->sq_prod;
	struct ion_v1_wqe *wqe = rg_wqe(p->g, p->a, ION_V1_OP_RDMA_WRITE,
					flags);

	rg_sge(wqe, p->from, 64, KEY);
	rg_remote(wqe, p->to, KEY + 0x100);
	return slot;
}

/* copies it as libionic does; by the VMM, or by a page that is mapped */
static void post(struct pair *p, unsigned int slot, bool mapped)
{
	u64 *from = rg_ptr(p->g, p->a->sq + (slot << RG_STRIDE_LOG2));
	u32 off = RG_CMB(QP_A) + (slot << RG_STRIDE_LOG2);
	struct ernic_dev *edev = p->g->m->edev;
	u64 *to = page_address(edev->cmb.page[QP_A]) + off % 4096;
	unsigned int i, n = BIT(RG_STRIDE_LOG2) / 8;
	u64 val;

	for (i = 0; i < n; i++) {
		val = i < n - 1 ? from[i] : doorbell(p->a);
		if (mapped)
			/* as the guest's CPU orders stores */
			smp_store_release(&to[i], val);
		else
			ernic_bar_write(edev, 4, 3 * ION_CMB_SIZE + off + 8 * i,
					8, val);
	}
}

/* an access to the page, but to no slot */
static void touch(struct pair *p)
{
	ernic_bar_write(p->g->m->edev, 4, RG_CMB(QP_A) + 4096 - 16, 8, 0);
}

static bool armed(struct pair *p)
{
	struct ernic_cmb *cmb = &p->g->m->edev->cmb;
	unsigned long end = jiffies + 20 * HZ;

	while (READ_ONCE(cmb->ring[QP_A]->armed) != QP_A &&
	       time_before(jiffies, end))
		usleep_range(500, 1000);
	return cmb->ring[QP_A]->armed == QP_A;
}

static void cmb_claims(struct kunit *test)
{
	struct ernic_cmb *cmb;
	struct pair p;
	struct rg_qp *qp;
	struct ernic_cmb_ring r = {};

	pair_open(test, &p);
	cmb = &p.g->m->edev->cmb;
	KUNIT_EXPECT_EQ(test, 1, cmb->nrings);
#define CLAIM(addr, len) ernic_cmb_claim(p.g->m->edev, &r, addr, len, 8)
	KUNIT_EXPECT_EQ(test, -EBUSY, CLAIM(RG_CMB(QP_A), 4096));
	KUNIT_EXPECT_EQ(test, -EBUSY, CLAIM(RG_CMB(QP_A) - 4096, 8192));
	KUNIT_EXPECT_EQ(test, -EINVAL, CLAIM(64, 4096));
	KUNIT_EXPECT_EQ(test, -EINVAL, CLAIM(0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, CLAIM(ION_CMB_SIZE, 4096));
	KUNIT_EXPECT_EQ(test, -EINVAL, CLAIM(ION_CMB_SIZE - 4096, 8192));
	KUNIT_EXPECT_EQ(test, -EINVAL, CLAIM(U64_MAX - 4095, 8192));
	KUNIT_EXPECT_EQ(test, 1, cmb->nrings);
	KUNIT_ASSERT_EQ(test, 0, CLAIM(ION_CMB_SIZE - 4096, 4096));
	ernic_cmb_release(p.g->m->edev, &r);
#undef CLAIM
	/* the number, and the page, of a queue that went */
	KUNIT_EXPECT_EQ(test, 0, rg_destroy(p.g, ION_ADMIN_DESTROY_QP, QP_A));
	KUNIT_EXPECT_EQ(test, 0, cmb->nrings);
	qp = rg_qp(p.g, QP_A, ION_QPT_RC, p.cq, ION_QPF_SQ_CMB);
	KUNIT_EXPECT_EQ(test, QP_A, qp->id);
}

/* several laps of the ring, without a doorbell */
static void express_requests(struct kunit *test)
{
	struct pair p;
	u64 rings;
	u32 i;

	pair_open(test, &p);
	rings = atomic64_read(&p.g->m->edev->db_page0.rings);
	for (i = 1; i <= 40; i++) {
		memset(rg_ptr(p.g, p.from), i, 64);
		post(&p, request(&p, ION_V1_FLAG_SIG), true);
		/* it may sleep by now, and nobody tells of such stores here */
		touch(&p);
		RG_EXPECT_MSN(p.g, p.cq, p.a, i, 0);
		KUNIT_EXPECT_EQ(test, i, *(u8 *)rg_ptr(p.g, p.to + 63));
		if (i % 8 == 0)
			rg_consumed(p.g, p.cq);
	}
	/* those of the CQ */
	KUNIT_EXPECT_EQ(test, rings + 5,
			atomic64_read(&p.g->m->edev->db_page0.rings));
	/* an ordinary doorbell does as well */
	request(&p, ION_V1_FLAG_SIG);
	memcpy(page_address(p.g->m->edev->cmb.page[QP_A]),
	       rg_ptr(p.g, p.a->sq), 4096 / 2);
	rg_ring(p.g, p.a);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 41, 0);
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 42, 0);
}

static struct pair *late_pair;
static unsigned int late_slot;

static void late_store(void)
{
	post(late_pair, late_slot, true);
}

/* quiet, the page is armed; whatever comes wakes the queue, or is seen before */
static void express_sleeps(struct kunit *test)
{
	struct ernic_cmb *cmb;
	struct pair p;
	u64 useless;

	pair_open(test, &p);
	cmb = &p.g->m->edev->cmb;
	KUNIT_ASSERT_TRUE(test, armed(&p));
	/* the region of requests of 256 bytes */
	KUNIT_EXPECT_EQ(test, 3 * ION_CMB_PAGES + QP_A, xm.pgoff);

	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 1, 0);
	KUNIT_ASSERT_TRUE(test, armed(&p));

	/* comes while the page is being zapped: nobody tells of it */
	useless = cmb->useless;
	late_pair = &p;
	late_slot = request(&p, ION_V1_FLAG_SIG);
	xm.at_zap = late_store;
	touch(&p);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 2, 0);
	KUNIT_EXPECT_EQ(test, useless + 1, cmb->useless);
	KUNIT_EXPECT_NULL(test, xm.at_zap);
}

/* a request that is not complete, or is somebody else's, is none */
static void express_doorbells(struct kunit *test)
{
	u32 off = RG_CMB(QP_A) + BIT(RG_STRIDE_LOG2) - 8;
	struct ernic_dev *edev;
	struct pair p;
	u64 good;

	pair_open(test, &p);
	edev = p.g->m->edev;
	request(&p, ION_V1_FLAG_SIG);
	memcpy(page_address(edev->cmb.page[QP_A]), rg_ptr(p.g, p.a->sq),
	       BIT(RG_STRIDE_LOG2));
	good = doorbell(p.a);
	ernic_bar_write(edev, 4, off, 8, 0);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p.g, p.cq));
	ernic_bar_write(edev, 4, off, 8, good + 1);
	ernic_bar_write(edev, 4, off, 8, good ^ BIT_ULL(24));
	ernic_bar_write(edev, 4, off, 8, good ^ BIT_ULL(19));
	ernic_bar_write(edev, 4, off, 8, good ^ BIT_ULL(48));
	ernic_bar_write(edev, 4, off, 4, (u32)good);
	KUNIT_EXPECT_TRUE(test, rg_quiet(p.g, p.cq));
	post(&p, 0, false);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 1, 0);
}

static void drain(struct pair *p)
{
	struct ion_v1_cqe cqe;

	while (!rg_quiet(p->g, p->cq))
		rg_poll(p->g, p->cq, &cqe);
	rg_consumed(p->g, p->cq);
}

/* what was posted before an error is gone after a reset */
static void express_reset(struct kunit *test)
{
	struct pair p;

	pair_open(test, &p);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p.g, QP_A, ION_QPS_ERR, ION_QP_STATE,
					   NULL));
	memset(rg_ptr(p.g, p.from), 0x5a, 64);
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p.g, QP_A, ION_QPS_RESET,
					   ION_QP_STATE, NULL));
	p.a->sq_prod = 0;
	rg_connect(p.g, p.a, QP_B);
	drain(&p);
	KUNIT_EXPECT_EQ(test, 0, *(u8 *)rg_ptr(p.g, p.to));
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 1, 0);
	KUNIT_EXPECT_EQ(test, 0x5a, *(u8 *)rg_ptr(p.g, p.to));
}

/* and what was behind a request in error is passed over when the queue runs again */
static void express_sqe(struct kunit *test)
{
	struct ion_v1_wqe *wqe;
	struct pair p;

	pair_open_type(test, &p, ION_QPT_UC);
	wqe = rg_ptr(p.g, p.a->sq);
	request(&p, ION_V1_FLAG_SIG);
	/* which this type has not */
	wqe->base.op = ION_V1_OP_RDMA_READ;
	post(&p, 0, false);
	RG_EXPECT_NPG(p.g, p.cq, p.a, 0, ION_STS_LOCAL_QP_OPER_ERR);
	KUNIT_EXPECT_EQ(test, ION_QPS_SQE, rg_state(p.g, QP_A));
	memset(rg_ptr(p.g, p.from), 0x5a, 64);
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	KUNIT_ASSERT_EQ(test, 0, rg_modify(p.g, QP_A, ION_QPS_RTS,
					   ION_QP_STATE, NULL));
	KUNIT_EXPECT_TRUE(test, rg_quiet(p.g, p.cq));
	KUNIT_EXPECT_EQ(test, 0, *(u8 *)rg_ptr(p.g, p.to));
	post(&p, request(&p, ION_V1_FLAG_SIG), false);
	RG_EXPECT_MSN(p.g, p.cq, p.a, 1, 0);
	KUNIT_EXPECT_EQ(test, 0x5a, *(u8 *)rg_ptr(p.g, p.to));
}

static struct kunit_case cmb_cases[] = {
	KUNIT_CASE(cmb_offer),
	KUNIT_CASE(cmb_traps),
	KUNIT_CASE(cmb_claims),
	KUNIT_CASE(express_requests),
	KUNIT_CASE(express_sleeps),
	KUNIT_CASE(express_doorbells),
	KUNIT_CASE(express_reset),
	KUNIT_CASE(express_sqe),
	{}
};

static struct kunit_suite cmb_suite = {
	.name = "ernic-cmb",
	.test_cases = cmb_cases,
};

kunit_test_suite(cmb_suite);
