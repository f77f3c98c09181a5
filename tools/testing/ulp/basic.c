// SPDX-License-Identifier: GPL-2.0-only
/* SEND and RECV of RC, UC and UD; completions in each way there is to get them. */
#include <linux/delay.h>
#include <linux/if_ether.h>
#include "ulp.h"

#define ROUNDS 200

/* One message: random length and place, at most max bytes. */
static int ulp_message(struct ulp *u, struct ib_ud_wr *ud, size_t max)
{
	bool imm = prandom_u32_state(&u->rnd) & 1, datagram = u->a.qp->qp_type == IB_QPT_UD;
	size_t len = prandom_u32_state(&u->rnd) % (max + 1), grh = datagram ? sizeof(struct ib_grh) : 0;
	size_t from = prandom_u32_state(&u->rnd) % (8 * PAGE_SIZE), to = prandom_u32_state(&u->rnd) % (8 * PAGE_SIZE);
	size_t extra = prandom_u32_state(&u->rnd) % 100;
	u32 key = prandom_u32_state(&u->rnd), data = prandom_u32_state(&u->rnd);
	struct ib_sge src[8], dst[8];
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	int n, rc;

	n = ulp_sges(&u->b, dst, 8, to, len + grh + extra);
	ulp_fill(&u->b, to, len + grh + extra + 64, ~key);
	rc = ulp_recv(u, &u->b, recv, dst, n);
	if (rc)
		return rc;
	ulp_fill(&u->a, from, len, key);
	ud->wr.wr_cqe = &send->cqe;
	ud->wr.opcode = imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND;
	ud->wr.ex.imm_data = cpu_to_be32(data);
	ud->wr.send_flags = IB_SEND_SIGNALED | (data & 1 ? IB_SEND_SOLICITED : 0);
	ud->wr.sg_list = src;
	ud->wr.num_sge = ulp_sges(&u->a, src, 8, from, len);
	rc = ulp_post(u, &u->a, &ud->wr) ?: ulp_wait(u, &u->a, send, IB_WC_SUCCESS, "SEND") ?:
	     ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV");
	if (rc)
		return rc;
	if (recv->wc.byte_len != len + grh)
		return ulp_fail(u, "%u bytes received, want %zu", recv->wc.byte_len, len + grh);
	if (!!(recv->wc.wc_flags & IB_WC_WITH_IMM) != imm || (imm && recv->wc.ex.imm_data != ud->wr.ex.imm_data))
		return ulp_fail(u, "immediate data %#x (flags %#x), want %#x", be32_to_cpu(recv->wc.ex.imm_data),
				recv->wc.wc_flags, data);
	if (recv->wc.qp != u->b.qp || send->wc.qp != u->a.qp)
		return ulp_fail(u, "completions of other queue pairs");
	if (datagram && (recv->wc.src_qp != u->a.qp->qp_num || !(recv->wc.wc_flags & IB_WC_GRH)))
		return ulp_fail(u, "from QP %u (flags %#x), want %u with GRH", recv->wc.src_qp, recv->wc.wc_flags,
				u->a.qp->qp_num);
	if (!ulp_holds(&u->b, to + grh, len, key, 0))
		return ulp_fail(u, "%zu bytes from %#zx to %#zx: other data", len, from, to);
	if (!ulp_holds(&u->b, to + grh + len, extra + 64, ~key, grh + len))
		return ulp_fail(u, "%zu bytes to %#zx: written behind the message", len, to);
	return 0;
}

static int ulp_send(struct ulp *u, enum ib_qp_type type)
{
	struct ib_ud_wr ud = {};
	int rc = ulp_connect(u, type, 7);

	for (int i = 0; !rc && i < ROUNDS; i++)
		rc = ulp_message(u, &ud, 6 * PAGE_SIZE);
	return rc;
}

static int ulp_rc(struct ulp *u)
{
	return ulp_send(u, IB_QPT_RC);
}

static int ulp_uc(struct ulp *u)
{
	return ulp_send(u, IB_QPT_UC);
}

/* queue pairs, and the way to the other one; to be destroyed */
static int ulp_ud_open(struct ulp *u, struct ib_ud_wr *ud, size_t *mtu)
{
	struct rdma_ah_attr ah = { .type = rdma_ah_find_type(u->a.dev, 1) };
	struct ib_port_attr port;
	int rc = ulp_connect(u, IB_QPT_UD, 7) ?: ib_query_port(u->a.dev, 1, &port);
	u8 mac[ETH_ALEN];

	if (rc)
		return rc;
	rdma_ah_set_port_num(&ah, 1);
	rdma_ah_set_grh(&ah, NULL, 0, u->a.gid->index, 64, 0);
	rdma_ah_set_dgid_raw(&ah, (void *)&u->b.gid->gid);
	rc = rdma_read_gid_l2_fields(u->b.gid, NULL, mac);
	if (rc)
		return rc;
	memcpy(ah.roce.dmac, mac, ETH_ALEN);
	ud->ah = rdma_create_ah(u->a.pd, &ah, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ud->ah))
		return ulp_fail(u, "no AH: %ld", PTR_ERR(ud->ah));
	ud->remote_qpn = u->b.qp->qp_num;
	ud->remote_qkey = ULP_QKEY;
	*mtu = ib_mtu_enum_to_int(port.active_mtu);
	return 0;
}

static int ulp_ud(struct ulp *u)
{
	struct ib_ud_wr ud = {};
	size_t mtu;
	int rc = ulp_ud_open(u, &ud, &mtu);

	if (rc)
		return rc;
	for (int i = 0; !rc && i < ROUNDS; i++)
		rc = ulp_message(u, &ud, mtu);
	rdma_destroy_ah(ud.ah, RDMA_DESTROY_AH_SLEEPABLE);
	return rc;
}

static int ulp_ud_of(struct ulp *u, struct ib_ud_wr *ud, size_t len, enum ib_wc_status want)
{
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	const size_t grh = sizeof(struct ib_grh);
	struct ib_sge src[8], dst[8];
	int rc;

	ulp_fill(&u->a, 0, len, len);
	ulp_fill(&u->b, 0, len + grh, ~len);
	ud->wr.wr_cqe = &send->cqe;
	ud->wr.opcode = IB_WR_SEND;
	ud->wr.send_flags = IB_SEND_SIGNALED;
	ud->wr.sg_list = src;
	ud->wr.num_sge = ulp_sges(&u->a, src, 8, 0, len);
	rc = ulp_recv(u, &u->b, recv, dst, ulp_sges(&u->b, dst, 8, 0, len + grh)) ?: ulp_post(u, &u->a, &ud->wr) ?:
	     ulp_wait(u, &u->a, send, want, "SEND");
	if (rc || want)
		return rc;
	rc = ulp_wait(u, &u->b, recv, IB_WC_SUCCESS, "RECV");
	if (!rc && (recv->wc.byte_len != len + grh || !ulp_holds(&u->b, grh, len, len, 0)))
		rc = ulp_fail(u, "%u bytes received, want %zu, or other data", recv->wc.byte_len, len + grh);
	return rc;
}

/* A datagram as long as the port says, and one that is longer. */
static int ulp_ud_limit(struct ulp *u)
{
	struct ib_ud_wr ud = {};
	size_t mtu;
	int rc = ulp_ud_open(u, &ud, &mtu);

	if (rc)
		return rc;
	rc = ulp_ud_of(u, &ud, mtu, IB_WC_SUCCESS) ?: ulp_ud_of(u, &ud, mtu + 1, IB_WC_LOC_LEN_ERR) ?:
	     ulp_state_is(u, &u->a, IB_QPS_SQE);
	rdma_destroy_ah(ud.ah, RDMA_DESTROY_AH_SLEEPABLE);
	return rc;
}

/* It is sent, and nobody receives it. */
static int ulp_ud_unreached(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	struct ib_ud_wr ud = {};
	struct ib_sge src, dst;
	size_t mtu;
	int rc = ulp_ud_open(u, &ud, &mtu);

	if (rc)
		return rc;
	ud.wr.wr_cqe = &send->cqe;
	ud.wr.opcode = IB_WR_SEND;
	ud.wr.send_flags = IB_SEND_SIGNALED;
	ud.wr.sg_list = &src;
	ud.wr.num_sge = ulp_sges(&u->a, &src, 1, 0, 64);
	rc = ulp_recv(u, &u->b, recv, &dst, ulp_sges(&u->b, &dst, 1, 0, 256)) ?: ulp_post(u, &u->a, &ud.wr) ?:
	     ulp_wait(u, &u->a, send, IB_WC_SUCCESS, "SEND");
	msleep(100);
	if (!rc && completion_done(&recv->done))
		rc = ulp_fail(u, "it was received");
	rdma_destroy_ah(ud.ah, RDMA_DESTROY_AH_SLEEPABLE);
	return rc;
}

/* An element of length zero stands for 2 GiB, which no receive here takes. */
static int ulp_two_gib(struct ulp *u)
{
	struct ulp_op *send = ulp_op(u), *recv = ulp_op(u);
	struct ib_sge src, dst;
	struct ib_send_wr wr = {
		.wr_cqe = &send->cqe,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &src,
		.num_sge = 1,
	};
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	ulp_sges(&u->a, &src, 1, 0, 64);
	ulp_sges(&u->b, &dst, 1, 0, 64);
	src.length = 0;
	return rc ?: ulp_recv(u, &u->b, recv, &dst, 1) ?: ulp_post(u, &u->a, &wr) ?:
	       ulp_wait(u, &u->b, recv, IB_WC_LOC_LEN_ERR, "RECV") ?:
	       ulp_wait(u, &u->a, send, IB_WC_REM_INV_REQ_ERR, "SEND of 2 GiB");
}

enum { BATCH = 48 };

/* Most requests unsignalled: a completion of one stands for all before. */
static int ulp_unsignalled(struct ulp *u)
{
	struct ulp_op *send[BATCH], *recv[BATCH];
	struct ib_sge src, dst;
	int rc = ulp_connect(u, IB_QPT_RC, 7);

	for (int round = 0; !rc && round < 30; round++) {
		ulp_fill(&u->a, 0, BATCH * 64, round);
		for (int i = 0; !rc && i < BATCH; i++) {
			ulp_sges(&u->b, &dst, 1, PAGE_SIZE + i * 64, 64);
			recv[i] = ulp_op(u);
			rc = ulp_recv(u, &u->b, recv[i], &dst, 1);
		}
		for (int i = 0; !rc && i < BATCH; i++) {
			send[i] = ulp_op(u);

			struct ib_send_wr wr = {
				.wr_cqe = &send[i]->cqe,
				.opcode = IB_WR_SEND,
				.send_flags = i % 16 == 15 ? IB_SEND_SIGNALED : 0,
				.sg_list = &src,
				.num_sge = 1,
			};

			ulp_sges(&u->a, &src, 1, i * 64, 64);
			rc = ulp_post(u, &u->a, &wr);
		}
		for (int i = 15; !rc && i < BATCH; i += 16)
			rc = ulp_wait(u, &u->a, send[i], IB_WC_SUCCESS, "SEND");
		for (int i = 0; !rc && i < BATCH; i++) {
			rc = ulp_wait(u, &u->b, recv[i], IB_WC_SUCCESS, "RECV");
			if (!rc && i % 16 != 15 && try_wait_for_completion(&send[i]->done))
				rc = ulp_fail(u, "an unsignalled SEND completes");
		}
		if (!rc && !ulp_holds(&u->b, PAGE_SIZE, BATCH * 64, round, 0))
			rc = ulp_fail(u, "round %d: other data", round);
	}
	return rc;
}

const struct ulp_test ulp_basic[] = {
	{ "rc", ulp_rc, IB_POLL_SOFTIRQ },
	{ "rc-workqueue", ulp_rc, IB_POLL_WORKQUEUE },
	{ "rc-direct", ulp_rc, IB_POLL_DIRECT },
	{ "uc", ulp_uc, IB_POLL_SOFTIRQ },
	{ "ud", ulp_ud, IB_POLL_SOFTIRQ },
	{ "ud-direct", ulp_ud, IB_POLL_DIRECT },
	{ "ud-limit", ulp_ud_limit, IB_POLL_SOFTIRQ },
	{ "ud-unreached", ulp_ud_unreached, IB_POLL_SOFTIRQ },
	{ "two-gib", ulp_two_gib, IB_POLL_SOFTIRQ },
	{ "unsignalled", ulp_unsignalled, IB_POLL_WORKQUEUE },
	{}
};
