// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/udp.h>
#include <linux/unaligned.h>

#include "rdma.h"

#define RG_AQ_LOG2	4
/* machines that run tests are busy */
#define RG_PATIENCE	(20 * HZ)

void *rg_ptr(struct rguest *g, u64 iova)
{
	return mock_ptr(g->m, iova);
}

u64 rg_alloc(struct rguest *g, size_t size)
{
	u64 at = g->next;

	/* pages of the mock are not contiguous, so nothing is larger than one */
	KUNIT_ASSERT_LE(g->test, size, PAGE_SIZE);
	g->next += PAGE_SIZE;
	KUNIT_ASSERT_LE(g->test, g->next, MOCK_BASE + MOCK_SIZE);
	return at;
}

static u8 rg_queue(struct rguest *g, u8 opcode, u32 qid, u32 cid, u8 depth,
		   u8 stride, u64 addr)
{
	union ion_cmd cmd = {};

	cmd.rdma_queue.opcode = opcode;
	cmd.rdma_queue.qid_ver = cpu_to_le32(qid);
	cmd.rdma_queue.cid = cpu_to_le32(cid);
	cmd.rdma_queue.depth_log2 = depth;
	cmd.rdma_queue.stride_log2 = stride;
	cmd.rdma_queue.dma_addr = cpu_to_le64(addr);
	return mock_admin(g->m, &cmd, NULL);
}

struct rguest *rg_open(struct kunit *test, const struct ernic_profile *profile)
{
	return rg_open_nth(test, profile, 1);
}

struct rguest *rg_open_nth(struct kunit *test,
			   const struct ernic_profile *profile, u8 nth)
{
	struct rguest *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);
	union ion_cmd cmd = { .opcode = ION_CMD_RDMA_RESET_LIF };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->test = test;
	g->nth = nth;
	g->m = mock_lif_nth(test, profile ?: &ernic_profiles[1], nth);
	g->next = MOCK_FREE;
	KUNIT_ASSERT_EQ(test, 0, mock_admin(g->m, &cmd, NULL));
	for (i = 0; i < RG_EQS; i++) {
		g->eq[i] = rg_alloc(g, PAGE_SIZE);
		KUNIT_ASSERT_EQ(test, 0, rg_queue(g, ION_CMD_RDMA_CREATE_EQ, i,
						  1 + i, RG_EQ_LOG2,
						  ION_EQE_LOG2, g->eq[i]));
		/* the driver unmasks the vector when the queue is there */
		ernic_bar_write(g->m->edev, 0, 0x2000 + 32 * (1 + i) + 4, 4, 0);
	}
	g->acq.ring = rg_alloc(g, PAGE_SIZE);
	g->acq.depth_log2 = 7;
	KUNIT_ASSERT_EQ(test, 0, rg_queue(g, ION_CMD_RDMA_CREATE_CQ, 0, 2, 7,
					  ION_CQE_LOG2, g->acq.ring));
	g->aq = rg_alloc(g, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, 0, rg_queue(g, ION_CMD_RDMA_CREATE_ADMINQ, 0, 0,
					  RG_AQ_LOG2, ION_ADMIN_STRIDE_LOG2,
					  g->aq));
	return g;
}

void rg_doorbell(struct rguest *g, unsigned int page, unsigned int slot,
		 unsigned int ring, u32 qid, u16 index)
{
	ernic_bar_write(g->m->edev, 2, page * 4096 + slot * 8, 8,
			(u64)qid << 24 | (u64)ring << 16 | index);
}

static struct ion_v1_cqe *rg_cqe(struct rguest *g, struct rg_cq *cq)
{
	u32 mask = BIT(cq->depth_log2) - 1;
	struct ion_v1_cqe *cqe = rg_ptr(g, cq->ring + 32 * (cq->cons & mask));
	bool color = !(cq->cons & (mask + 1));
	/* pairs with ernic_cq_write() */
	u32 qtf = be32_to_cpu(smp_load_acquire(&cqe->qid_type_flags));

	return !!(qtf & ION_CQE_COLOR) == color ? cqe : NULL;
}

bool rg_poll(struct rguest *g, struct rg_cq *cq, struct ion_v1_cqe *cqe)
{
	unsigned long end = jiffies + RG_PATIENCE;
	struct ion_v1_cqe *from;
	int i;

	for (i = 0; time_before(jiffies, end); i++) {
		from = rg_cqe(g, cq);
		if (from) {
			*cqe = *from;
			cq->cons++;
			return true;
		}
		/* most come at once, and there may be many to wait for */
		if (i < 2000)
			cond_resched();
		else
			usleep_range(100, 1000);
	}
	return false;
}

bool rg_quiet(struct rguest *g, struct rg_cq *cq)
{
	msleep(30);
	return !rg_cqe(g, cq);
}

void rg_consumed(struct rguest *g, struct rg_cq *cq)
{
	rg_doorbell(g, 0, ERNIC_DB_SLOT_CQ, ION_CQ_RING_CONS, cq->id,
		    cq->cons & (BIT(cq->depth_log2) - 1));
}

static u32 rg_eqe(struct rguest *g, unsigned int eq)
{
	__be32 *eqe = rg_ptr(g, g->eq[eq] + 4 * (g->eq_cons[eq] & (BIT(RG_EQ_LOG2) - 1)));
	/* pairs with ernic_eq_write() */
	u32 evt = be32_to_cpu(smp_load_acquire(eqe));

	return (evt & ION_EQE_COLOR) == !(g->eq_cons[eq] & BIT(RG_EQ_LOG2)) ? evt : 0;
}

u32 rg_event(struct rguest *g, unsigned int eq)
{
	unsigned long end = jiffies + RG_PATIENCE;
	u32 evt = 0;

	while (!evt && time_before(jiffies, end)) {
		evt = rg_eqe(g, eq);
		if (!evt)
			usleep_range(100, 1000);
	}
	if (evt)
		g->eq_cons[eq]++;
	return evt;
}

void rg_credits(struct rguest *g, unsigned int eq, u16 n)
{
	ernic_bar_write(g->m->edev, 0, ION_INTR_CTRL_OFF +
			ION_INTR_CTRL_STRIDE * (1 + eq) + ION_INTR_CREDITS, 4,
			n);
}

bool rg_no_event(struct rguest *g, unsigned int eq)
{
	msleep(30);
	return !rg_eqe(g, eq);
}

u8 rg_admin(struct rguest *g, struct ion_admin_wqe *wqe, u8 op, size_t len)
{
	unsigned int strides = DIV_ROUND_UP(len + 4, 64), i;
	u16 mask = BIT(RG_AQ_LOG2) - 1, first = g->aq_prod;
	u8 buf[128] = {};
	struct ion_v1_cqe cqe;

	wqe->op = op;
	wqe->len = cpu_to_le16(len);
	memcpy(buf, wqe, sizeof(*wqe));
	for (i = 0; i < strides; i++) {
		memcpy(rg_ptr(g, g->aq + 64 * g->aq_prod), buf + 64 * i, 64);
		g->aq_prod = (g->aq_prod + 1) & mask;
	}
	rg_doorbell(g, 0, ERNIC_DB_SLOT_AQ, 0, 0, g->aq_prod);
	if (!rg_poll(g, &g->acq, &cqe))
		return 0xff;
	rg_consumed(g, &g->acq);
	KUNIT_EXPECT_EQ(g->test, first, be16_to_cpu(cqe.admin.cmd_idx));
	KUNIT_EXPECT_EQ(g->test, op, cqe.admin.cmd_op);
	KUNIT_EXPECT_EQ(g->test, 0, rg_cqe_qid(&cqe));
	KUNIT_EXPECT_EQ(g->test, !!cqe.status_length, rg_cqe_error(&cqe));
	return be32_to_cpu(cqe.status_length);
}

#define RG_ADMIN(g, wqe, op, member) \
	rg_admin(g, wqe, op, sizeof((wqe)->cmd.member))

struct rg_cq *rg_cq(struct rguest *g, u32 id, unsigned int depth_log2)
{
	struct rg_cq *cq = kunit_kzalloc(g->test, sizeof(*cq), GFP_KERNEL);
	struct ion_admin_wqe wqe = {};

	KUNIT_ASSERT_NOT_NULL(g->test, cq);
	cq->id = id;
	cq->depth_log2 = depth_log2;
	cq->ring = rg_alloc(g, 32 << depth_log2);
	wqe.cmd.create_cq.eq_id = cpu_to_le32(3);
	wqe.cmd.create_cq.depth_log2 = depth_log2;
	wqe.cmd.create_cq.stride_log2 = ION_CQE_LOG2;
	wqe.cmd.create_cq.id_ver = cpu_to_le32(id);
	wqe.cmd.create_cq.map_count = cpu_to_le32(1);
	wqe.cmd.create_cq.dma_addr = cpu_to_le64(cq->ring);
	KUNIT_ASSERT_EQ(g->test, 0, RG_ADMIN(g, &wqe, ION_ADMIN_CREATE_CQ,
					     create_cq));
	return cq;
}

struct rg_qp *rg_qp(struct rguest *g, u32 id, u8 type, struct rg_cq *cq,
		    u32 flags)
{
	struct rg_qp *qp = kunit_kzalloc(g->test, sizeof(*qp), GFP_KERNEL);
	struct ion_admin_wqe wqe = {};

	KUNIT_ASSERT_NOT_NULL(g->test, qp);
	qp->id = id;
	qp->type = type;
	qp->cq = cq;
	qp->sq = rg_alloc(g, BIT(RG_Q_LOG2 + RG_STRIDE_LOG2));
	qp->rq = rg_alloc(g, BIT(RG_Q_LOG2 + RG_STRIDE_LOG2));
	wqe.cmd.create_qp = (struct ion_admin_create_qp){
		.pd_id = cpu_to_le32(RG_PD),
		.priv_flags = cpu_to_be32(flags),
		.sq_cq_id = cpu_to_le32(cq->id),
		.sq_depth_log2 = RG_Q_LOG2,
		.sq_stride_log2 = RG_STRIDE_LOG2,
		.sq_map_count = cpu_to_le32(1),
		.sq_dma_addr = cpu_to_le64(flags & ION_QPF_SQ_CMB ?
					   RG_CMB(id) : qp->sq),
		.rq_cq_id = cpu_to_le32(cq->id),
		.rq_depth_log2 = RG_Q_LOG2,
		.rq_stride_log2 = RG_STRIDE_LOG2,
		.rq_map_count = cpu_to_le32(1),
		.rq_dma_addr = cpu_to_le64(qp->rq),
		.id_ver = cpu_to_le32(id),
		.type_state = type,
	};
	KUNIT_ASSERT_EQ(g->test, 0, RG_ADMIN(g, &wqe, ION_ADMIN_CREATE_QP,
					     create_qp));
	return qp;
}

u8 rg_modify(struct rguest *g, u32 id, u8 state, u32 mask,
	     struct ion_admin_mod_qp *attr)
{
	struct ion_admin_wqe wqe = {};

	if (attr)
		wqe.cmd.mod_qp = *attr;
	wqe.cmd.mod_qp.id_ver = cpu_to_le32(id);
	wqe.cmd.mod_qp.type_state = state;
	wqe.cmd.mod_qp.attr_mask = cpu_to_be32(mask);
	return RG_ADMIN(g, &wqe, ION_ADMIN_MODIFY_QP, mod_qp);
}

unsigned int rg_template(struct rguest *g, u8 *raw, bool ipv6, int vlan)
{
	return rg_template_to(g, g, raw, ipv6, vlan);
}

/* what ionic_build_hdr() makes */
unsigned int rg_template_to(struct rguest *g, const struct rguest *to, u8 *raw,
			    bool ipv6, int vlan)
{
	struct ethhdr *eth = (struct ethhdr *)raw;
	unsigned int at = ETH_HLEN;
	__be16 proto = htons(ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	struct udphdr *udp;

	memset(raw, 0, 66);
	ether_addr_copy(eth->h_dest, to->m->edev->mac);
	ether_addr_copy(eth->h_source, g->m->edev->mac);
	eth->h_proto = proto;
	if (vlan >= 0) {
		eth->h_proto = htons(ETH_P_8021Q);
		put_unaligned_be16(vlan, raw + at);
		put_unaligned_be16(ntohs(proto), raw + at + 2);
		at += VLAN_HLEN;
	}
	if (ipv6) {
		struct ipv6hdr *ip6 = (struct ipv6hdr *)(raw + at);

		ip6->version = 6;
		ip6->priority = 3;
		ip6->flow_lbl[0] = 0x51;
		ip6->flow_lbl[1] = 0x23;
		ip6->flow_lbl[2] = 0x45;
		ip6->nexthdr = IPPROTO_UDP;
		ip6->hop_limit = 7;
		ip6->saddr.s6_addr[0] = 0xfd;
		ip6->daddr = ip6->saddr;
		ip6->saddr.s6_addr[15] = g->nth;
		ip6->daddr.s6_addr[15] = to->nth;
		at += sizeof(*ip6);
	} else {
		struct iphdr *ip4 = (struct iphdr *)(raw + at);

		ip4->version = 4;
		ip4->ihl = 5;
		ip4->tos = 0x68;
		ip4->tot_len = htons(0xffff);
		ip4->frag_off = htons(0x4000);
		ip4->ttl = 9;
		ip4->protocol = IPPROTO_UDP;
		ip4->saddr = htonl(0x0a000000 | g->nth);
		ip4->daddr = htonl(0x0a000000 | to->nth);
		at += sizeof(*ip4);
	}
	udp = (struct udphdr *)(raw + at);
	udp->source = htons(0xc123);
	udp->dest = htons(4791);
	return at + sizeof(*udp);
}

/* of the walk to RTS; each command takes those of its mask */
static const struct ion_admin_mod_qp rg_attr = {
	.access_flags = cpu_to_be16(ION_QPF_REMOTE_WRITE | ION_QPF_REMOTE_READ |
				    ION_QPF_REMOTE_ATOMIC),
	.pmtu = 10,
	.retry = 2 | 3 << 4,
	.rnr_timer = 12,
	.retry_timeout = 10,
	.rsq_depth = 2,
	.rrq_depth = 2,
};

void rg_rtr(struct rguest *g, struct rg_qp *qp, const struct rguest *to,
	    u32 dest)
{
	struct ion_admin_mod_qp attr = rg_attr;
	u64 tmpl = rg_alloc(g, 66);
	u32 mask = ION_QP_STATE;

	attr.dma_addr = cpu_to_le64(tmpl);
	attr.ah_id_len = cpu_to_le32(rg_template_to(g, to, rg_ptr(g, tmpl),
						    false, -1) << 24 | qp->id);
	if (qp->type == ION_QPT_UD)
		mask |= ION_QP_QKEY;
	else
		mask |= ION_QP_ACCESS_FLAGS;
	attr.qkey_dest_qpn = cpu_to_le32(dest);
	KUNIT_ASSERT_EQ(g->test, 0, rg_modify(g, qp->id, ION_QPS_INIT, mask,
					      &attr));
	mask = ION_QP_STATE;
	if (qp->type != ION_QPT_UD)
		mask |= ION_QP_AV | ION_QP_DEST_QPN | ION_QP_PATH_MTU;
	if (qp->type == ION_QPT_RC)
		mask |= ION_QP_MAX_DEST_RD_ATOMIC | ION_QP_MIN_RNR_TIMER;
	KUNIT_ASSERT_EQ(g->test, 0, rg_modify(g, qp->id, ION_QPS_RTR, mask,
					      &attr));
}

void rg_connect_to(struct rguest *g, struct rg_qp *qp, const struct rguest *to,
		   u32 dest)
{
	struct ion_admin_mod_qp attr = rg_attr;
	u32 mask = ION_QP_STATE;

	rg_rtr(g, qp, to, dest);
	if (qp->type == ION_QPT_RC)
		mask |= ION_QP_TIMEOUT | ION_QP_RETRY_CNT | ION_QP_RNR_RETRY |
			ION_QP_MAX_QP_RD_ATOMIC;
	KUNIT_ASSERT_EQ(g->test, 0, rg_modify(g, qp->id, ION_QPS_RTS, mask,
					      &attr));
}

void rg_connect(struct rguest *g, struct rg_qp *qp, u32 dest)
{
	rg_connect_to(g, qp, g, dest);
}

u32 rg_query(struct rguest *g, u32 id)
{
	struct ion_admin_wqe wqe = {};
	u64 sq = rg_alloc(g, 64);
	struct ion_query_qp_rq *rq = rg_ptr(g, sq + 64);

	wqe.cmd.query_qp.id_ver = cpu_to_le32(id);
	wqe.cmd.query_qp.sq_dma_addr = cpu_to_le64(sq);
	wqe.cmd.query_qp.rq_dma_addr = cpu_to_le64(sq + 64);
	if (RG_ADMIN(g, &wqe, ION_ADMIN_QUERY_QP, query_qp))
		return 0xff << 16;
	return rq->state_pmtu >> 4 << 16 | be16_to_cpu(rq->access_perms_flags);
}

u8 rg_state(struct rguest *g, u32 id)
{
	return rg_query(g, id) >> 16;
}

u8 rg_ah(struct rguest *g, const struct rguest *to, u32 id, int vlan)
{
	struct ion_admin_wqe wqe = {};
	u64 tmpl = rg_alloc(g, 66);
	u32 len = rg_template_to(g, to, rg_ptr(g, tmpl), false, vlan);

	wqe.cmd.create_ah.dma_addr = cpu_to_le64(tmpl);
	wqe.cmd.create_ah.length = cpu_to_le32(len);
	wqe.cmd.create_ah.pd_id = cpu_to_le32(RG_PD);
	wqe.cmd.create_ah.id_ver = cpu_to_le32(id);
	return RG_ADMIN(g, &wqe, ION_ADMIN_CREATE_AH, create_ah);
}

static u64 rg_pair_mem(struct rguest *g, u32 key)
{
	u64 mem = rg_alloc(g, PAGE_SIZE);

	KUNIT_ASSERT_EQ(g->test, 0, rg_mr(g, key, RG_VA, PAGE_SIZE, mem,
					  ION_MRF_LOCAL_WRITE |
					  ION_MRF_REMOTE_WRITE |
					  ION_MRF_REMOTE_READ |
					  ION_MRF_REMOTE_ATOMIC |
					  ION_MRF_MW_BIND));
	return mem;
}

struct rg_pair *rg_pair_of(struct rguest *g, struct rguest *gb, u8 type,
			   u32 flags)
{
	struct rg_pair *p = kunit_kzalloc(g->test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(g->test, p);
	p->g = g;
	p->gb = gb;
	p->cqa = rg_cq(g, 8, RG_CQ_LOG2);
	p->cqb = rg_cq(gb, 9, RG_CQ_LOG2);
	p->a = rg_qp(g, 16, type, p->cqa, flags);
	p->b = rg_qp(gb, 17, type, p->cqb, flags);
	rg_connect_to(g, p->a, gb, 17);
	rg_connect_to(gb, p->b, g, 16);
	p->key = 3 << 8 | 0x11;
	p->mem = rg_pair_mem(g, p->key);
	p->memb = g == gb ? p->mem : rg_pair_mem(gb, p->key);
	return p;
}

struct rg_pair *rg_pair(struct kunit *test, const struct ernic_profile *profile,
			u8 type, u32 flags)
{
	struct rguest *g = rg_open(test, profile);

	return rg_pair_of(g, g, type, flags);
}

u8 rg_mr(struct rguest *g, u32 key, u64 va, u64 len, u64 addr, u16 flags)
{
	struct ion_admin_wqe wqe = {};

	wqe.cmd.create_mr.va = cpu_to_le64(va);
	wqe.cmd.create_mr.length = cpu_to_le64(len);
	wqe.cmd.create_mr.pd_id = cpu_to_le32(RG_PD);
	wqe.cmd.create_mr.id_ver = cpu_to_le32(key);
	wqe.cmd.create_mr.map_count = cpu_to_le32(!!addr);
	wqe.cmd.create_mr.dma_addr = cpu_to_le64(addr);
	wqe.cmd.create_mr.dbid_flags = cpu_to_le16(flags);
	wqe.cmd.create_mr.page_size_log2 = 12;
	return RG_ADMIN(g, &wqe, ION_ADMIN_CREATE_MR, create_mr);
}

u8 rg_destroy(struct rguest *g, u8 op, u32 id)
{
	struct ion_admin_wqe wqe = { .cmd.destroy.id = cpu_to_le32(id) };

	return RG_ADMIN(g, &wqe, op, destroy);
}

struct ion_v1_wqe *rg_wqe(struct rguest *g, struct rg_qp *qp, u8 op, u16 flags)
{
	struct ion_v1_wqe *wqe = rg_ptr(g, qp->sq + (qp->sq_prod <<
						     RG_STRIDE_LOG2));

	memset(wqe, 0, BIT(RG_STRIDE_LOG2));
	wqe->base.wqe_id = qp->sq_prod;
	wqe->base.op = op;
	wqe->base.flags = cpu_to_be16(flags);
	qp->sq_prod = (qp->sq_prod + 1) & (BIT(RG_Q_LOG2) - 1);
	return wqe;
}

void rg_sge(struct ion_v1_wqe *wqe, u64 va, u32 len, u32 lkey)
{
	struct ion_sge *sge = (struct ion_sge *)((u8 *)wqe + 32) +
			      wqe->base.num_sge_key++;

	sge->va = cpu_to_be64(va);
	sge->len = cpu_to_be32(len);
	sge->lkey = cpu_to_be32(lkey);
	be32_add_cpu(&wqe->common.length, len);
}

void rg_remote(struct ion_v1_wqe *wqe, u64 va, u32 rkey)
{
	wqe->common.rdma.remote_va_high = cpu_to_be32(va >> 32);
	wqe->common.rdma.remote_va_low = cpu_to_be32(va);
	wqe->common.rdma.remote_rkey = cpu_to_be32(rkey);
}

void rg_ring(struct rguest *g, struct rg_qp *qp)
{
	rg_doorbell(g, 0, ERNIC_DB_SLOT_SQ, 0, qp->id, qp->sq_prod);
}

void rg_recv(struct rguest *g, struct rg_qp *qp, u64 va, u32 len, u32 lkey)
{
	struct ion_v1_wqe *wqe = rg_ptr(g, qp->rq + (qp->rq_prod <<
						     RG_STRIDE_LOG2));
	struct ion_sge *sge = wqe->recv.pld.sgl;

	memset(wqe, 0, BIT(RG_STRIDE_LOG2));
	wqe->base.wqe_id = qp->rq_prod;
	wqe->base.num_sge_key = 1;
	sge->va = cpu_to_be64(va);
	sge->len = cpu_to_be32(len);
	sge->lkey = cpu_to_be32(lkey);
	qp->rq_prod = (qp->rq_prod + 1) & (BIT(RG_Q_LOG2) - 1);
	rg_doorbell(g, 0, ERNIC_DB_SLOT_RQ, 0, qp->id, qp->rq_prod);
}

void rg_expect(struct rguest *g, struct rg_cq *cq, struct rg_qp *qp, u32 type,
	       u64 id, u32 val, int line)
{
	struct ion_v1_cqe cqe = {};
	bool error = type == ION_CQE_TYPE_RECV ? val & RG_ERR : val;
	u64 got;

	KUNIT_ASSERT_TRUE_MSG(g->test, rg_poll(g, cq, &cqe),
			      "line %d: no completion", line);
	switch (type) {
	case ION_CQE_TYPE_RECV:
		got = cqe.recv.wqe_id;
		break;
	case ION_CQE_TYPE_SEND_MSN:
		got = be32_to_cpu(cqe.send.msg_msn);
		break;
	default:
		got = cqe.send.npg_wqe_id;
		break;
	}
	KUNIT_EXPECT_EQ_MSG(g->test, type, rg_cqe_type(&cqe), "line %d", line);
	KUNIT_EXPECT_EQ_MSG(g->test, qp->id, rg_cqe_qid(&cqe), "line %d", line);
	KUNIT_EXPECT_EQ_MSG(g->test, id, got, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(g->test, error, rg_cqe_error(&cqe), "line %d",
			    line);
	KUNIT_EXPECT_EQ_MSG(g->test, val & ~RG_ERR,
			    be32_to_cpu(cqe.status_length), "line %d", line);
}
