// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of RDMA: after traffic that is known, the slots of lif_info, the answer to
 * STATS_VALS and what the host sees are the same, and right.
 */
#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "rdma.h"

#define FIRST 48 /* slot of lif_info, ION_LIF_STATS */

static const struct {
	const char *name;
	unsigned int slot;
} slots[] = {
#define ION_X(name, slot) { #name, slot },
	ION_LIF_STATS(ION_X)
#undef ION_X
};

#define NSLOTS (sizeof(slots) / sizeof(slots[0]))

struct want {
	const char *name;
	u64 value;
};

static struct et_mem hdrs, vals;

static u8 stats_cmd(u8 op, struct et_mem to, u32 len, u32 id)
{
	struct ion_admin_wqe wqe = { .op = op, .len = htole16(sizeof(wqe.cmd.stats)) };

	memset(to.va, 0xee, to.len);
	wqe.cmd.stats.dma_addr = htole64(to.iova);
	wqe.cmd.stats.length = htole32(len);
	wqe.cmd.stats.id_ver = htole32(id);
	return er_admin(&rig.r, &wqe);
}

/* as the driver looks for it (ionic_hw_stats.c:ionic_v1_stat_val) */
static u64 told(const char *name)
{
	const struct ion_stat_hdr *h = (const void *)hdrs.va;
	u32 type_off;
	u64 val;

	for (;; h++) {
		type_off = be32toh(h->type_off);
		if (!(type_off >> ION_STAT_TYPE_SHIFT))
			FAIL("no counter %s", name);
		if (!strncmp(h->name, name, sizeof(h->name) - 1))
			break;
	}
	CHECK_EQ(type_off >> ION_STAT_TYPE_SHIFT, ION_STAT_TYPE_LE64);
	type_off &= (1u << ION_STAT_TYPE_SHIFT) - 1;
	CHECK(type_off % 8 == 0 && type_off + 8 <= ION_STATS_PAGE);
	memcpy(&val, vals.va + type_off, 8);
	return le64toh(val);
}

static unsigned int names(void)
{
	const struct ion_stat_hdr *h = (const void *)hdrs.va;
	unsigned int n = 0, i;

	while (be32toh(h[n].type_off) >> ION_STAT_TYPE_SHIFT)
		n++;
	for (i = n * sizeof(*h); i < ION_STATS_PAGE; i++)
		CHECK_EQ(hdrs.va[i], 0);
	return n;
}

static u64 wanted(const struct want *want, const char *name)
{
	for (; want->name; want++)
		if (!strcmp(want->name, name))
			return want->value;
	return 0;
}

static u64 in_lif_info(unsigned int slot)
{
	const struct ion_lif_info *info = (const void *)dev.lif_info.va;

	return le64toh(__atomic_load_n(&info->stats[slot], __ATOMIC_RELAXED));
}

static void same(const char *where, const char *name, u64 is, u64 want)
{
	if (is != want)
		FAIL("%s: %s is %llu, want %llu", where, name, (unsigned long long)is,
		     (unsigned long long)want);
}

static bool lif_info_is(const struct want *want)
{
	unsigned int i;

	for (i = 0; i < NSLOTS; i++)
		if (slots[i].slot >= FIRST &&
		    in_lif_info(slots[i].slot) != wanted(want, slots[i].name))
			return false;
	return true;
}

static void lif_stats(const struct want *want)
{
	u64 end = et_now_ms() + 3000;
	unsigned int i, n = 0;

	CHECK_EQ(stats_cmd(ION_ADMIN_STATS_HDRS, hdrs, ION_STATS_PAGE, 0), ION_ASTS_OK);
	CHECK_EQ(stats_cmd(ION_ADMIN_STATS_VALS, vals, ION_STATS_PAGE, 0), ION_ASTS_OK);
	/* written a second later, at the latest */
	while (!lif_info_is(want) && et_now_ms() < end)
		usleep(5000);
	for (i = 0; i < NSLOTS; i++) {
		const char *name = slots[i].name;
		u64 value = wanted(want, name);

		if (slots[i].slot < FIRST)
			continue;
		same("host", name, et_stat(&dev, name), value);
		same("STATS_VALS", name, told(name + (strncmp(name, "rdma_", 5) ? 0 : 5)), value);
		same("lif_info", name, in_lif_info(slots[i].slot), value);
		n++;
	}
	CHECK_EQ(names(), n);
	for (; want->name; want++)
		et_stat(&dev, want->name);
}

static void qp_stats(u32 id, const struct want *want)
{
	const struct ion_stat_hdr *h = (const void *)hdrs.va;
	unsigned int i, n;

	CHECK_EQ(stats_cmd(ION_ADMIN_QP_STATS_HDRS, hdrs, ION_STATS_PAGE, 0), ION_ASTS_OK);
	CHECK_EQ(stats_cmd(ION_ADMIN_QP_STATS_VALS, vals, ION_STATS_PAGE, id), ION_ASTS_OK);
	n = names();
	CHECK(n >= 10);
	for (i = 0; i < n; i++)
		same("QP", h[i].name, told(h[i].name), wanted(want, h[i].name));
	for (; want->name; want++)
		told(want->name);
}

static void stat_start(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	rig_up(&rig, &dev, 1);
	hdrs = et_alloc(&dev, ION_STATS_PAGE, 0);
	vals = et_alloc(&dev, ION_STATS_PAGE, 0);
}

static void ok(u8 op, u32 len)
{
	er_post(&rig.a, op, rig.mem_a.iova, len, KEY_A, rig.mem_b.iova, KEY_B);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), 0);
}

static void bad(u8 op, u32 lkey, u32 rkey, u32 status)
{
	er_post(&rig.a, op, rig.mem_a.iova, 64, lkey, rig.mem_b.iova, rkey);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), status);
}

TEST(known_traffic, 60)
{
	static const struct want lif[] = {
		/* WRITE, READ and SEND: the requester's; those that used a receive */
		{ "tx_rdma_ucast_packets", 5 + 3 + 4 },
		{ "tx_rdma_ucast_bytes", 5 * 1000 + 3 * 500 + 4 * 777 },
		{ "rx_rdma_ucast_packets", 4 },
		{ "rx_rdma_ucast_bytes", 4 * 777 },
		{ 0 },
	};
	static const struct want a[] = {
		{ "tx_msgs", 5 + 3 + 4 },
		{ "tx_bytes", 5 * 1000 + 3 * 500 + 4 * 777 },
		{ 0 },
	};
	static const struct want b[] = { { "rx_msgs", 4 }, { "rx_bytes", 4 * 777 }, { 0 } };
	static const struct want none[] = { { 0 } };
	unsigned int i;

	stat_start();
	lif_stats(none);
	qp_stats(rig.a.id, none);
	for (i = 0; i < 5; i++)
		ok(ION_V1_OP_RDMA_WRITE, 1000);
	for (i = 0; i < 3; i++)
		ok(ION_V1_OP_RDMA_READ, 500);
	for (i = 0; i < 4; i++) {
		er_post_recv(&rig.b, rig.mem_b.iova, MR_LEN, KEY_B);
		er_ring_rq(&rig.b);
		ok(ION_V1_OP_SEND, 777);
	}
	lif_stats(lif);
	qp_stats(rig.a.id, a);
	qp_stats(rig.b.id, b);
	/* one that is not there, and a buffer that is smaller than the page */
	CHECK(stats_cmd(ION_ADMIN_QP_STATS_VALS, vals, ION_STATS_PAGE, 77) != ION_ASTS_OK);
	CHECK_EQ(stats_cmd(ION_ADMIN_STATS_VALS, vals, 16, 0), ION_ASTS_OK);
	CHECK_EQ(vals.va[16], 0xee);
	/* a reset is a new beginning */
	et_attach(&dev);
	et_start(&dev);
	rig_up(&rig, &dev, 1);
	lif_stats(none);
	et_check_canary(&dev);
}

/*
 * Each kind of failure once.  A QP that fails flushes the queue in which nothing was
 * completed in error: one entry of req_rx_cqe_flush_err for a send queue, of
 * resp_rx_cqe_flush_err for a receive queue.
 */
TEST(known_errors, 60)
{
	static const struct want lif[] = {
		{ "rdma_req_rx_cqe_err", 5 },
		{ "rdma_req_rx_rnr_retry_err", 1 },
		{ "rdma_req_rx_remote_access_err", 1 },
		{ "rdma_req_rx_remote_inv_req_err", 1 },
		{ "rdma_req_tx_local_access_err", 1 },
		/* the responder's, in two of them */
		{ "rdma_req_rx_cqe_flush_err", 2 },
		/* the requester's in all five, the responder's where no receive failed */
		{ "rdma_resp_rx_cqe_flush_err", 6 },
		/* the first attempt and two more */
		{ "rdma_resp_rx_out_of_buffer", 3 },
		{ "rdma_resp_rx_cqe_err", 1 },
		{ "rdma_resp_rx_local_len_err", 1 },
		{ "rdma_resp_tx_remote_access_err", 1 },
		{ "rdma_resp_tx_remote_inv_req_err", 1 },
		{ 0 },
	};
	static const struct want a[] = {
		{ "req_errors", 5 },
		{ "rnr_nak_received", 3 },
		{ "ack_timeouts", 3 },
		{ 0 },
	};
	static const struct want b[] = { { "rnr_nak_sent", 3 }, { "resp_errors", 2 }, { 0 } };

	stat_start();
	bad(ION_V1_OP_RDMA_WRITE, KEY_A, KEY_B ^ 1, ION_STS_REMOTE_ACC_ERR);
	et_stat_wait(&dev, "rdma_resp_rx_cqe_flush_err", 2);
	er_connect(&rig.a, &rig.b);
	bad(ION_V1_OP_RDMA_WRITE, KEY_A ^ 1, KEY_B, ION_STS_LOCAL_PROT_ERR);
	et_stat_wait(&dev, "rdma_resp_rx_cqe_flush_err", 3);
	er_connect(&rig.a, &rig.b);
	/* no receive */
	bad(ION_V1_OP_SEND, KEY_A, 0, ION_STS_RNR_RETRY_EXCEEDED);
	et_stat_wait(&dev, "rdma_resp_rx_cqe_flush_err", 4);
	er_connect(&rig.a, &rig.b);
	/* a short one */
	er_post_recv(&rig.b, rig.mem_b.iova, 10, KEY_B);
	er_ring_rq(&rig.b);
	bad(ION_V1_OP_SEND, KEY_A, 0, ION_STS_REMOTE_INV_REQ_ERR);
	et_stat_wait(&dev, "rdma_resp_rx_cqe_flush_err", 5);
	et_stat_wait(&dev, "rdma_req_rx_cqe_flush_err", 2);
	er_connect(&rig.a, &rig.b);
	/* nobody there */
	CHECK_EQ(er_to(&rig.b, ION_QPS_RESET), ION_ASTS_OK);
	bad(ION_V1_OP_SEND, KEY_A, 0, ION_STS_RETRY_EXCEEDED);
	et_stat_wait(&dev, "rdma_resp_rx_cqe_flush_err", 6);
	lif_stats(lif);
	qp_stats(rig.a.id, a);
	qp_stats(rig.b.id, b);
	rdma_done();
}

static struct et_dev other;
static struct rig rig2;

/* what only the peer of a sender counts is published by the peer's device as well */
TEST(counted_at_the_peer, 60)
{
	const struct ion_lif_info *info;
	struct er_qp mine = { 0 }, its = { 0 };
	u64 end;

	stat_start();
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	CHECK_EQ(er_qp_create(&rig.r, &mine, &rig.cq_a, 40, ION_QPT_RC, 0), ION_ASTS_OK);
	CHECK_EQ(er_qp_create(&rig2.r, &its, &rig2.cq_a, 41, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&mine, &its);
	/* all counters of the set-up have been written */
	usleep(2500000);
	info = (const void *)other.lif_info.va;
	er_post(&mine, ION_V1_OP_SEND, rig.mem_a.iova, 64, KEY_A, 0, 0);
	er_ring_sq(&mine);
	CHECK_EQ(er_send_status(&mine), ION_STS_RNR_RETRY_EXCEEDED);
	CHECK_EQ(et_stat(&other, "rdma_resp_rx_out_of_buffer"), 3);
	end = et_now_ms() + 3000;
	while (le64toh(__atomic_load_n(&info->stats[ION_LIF_STAT_rdma_resp_rx_out_of_buffer],
				       __ATOMIC_RELAXED)) != 3) {
		CHECK(et_now_ms() < end);
		usleep(5000);
	}
	CHECK_EQ(et_stat(&other, "rdma_resp_rx_cqe_flush_err"), 0);
	rdma_done();
}
