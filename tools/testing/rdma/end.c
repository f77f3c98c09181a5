// SPDX-License-Identifier: GPL-2.0-only
/* One end: a device, its memory and queue pairs. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "verify.h"

#define QKEY 0x11e41c01
#define DEPTH (opt.requests * 2)

static int complain(const char *what)
{
	fprintf(stderr, "ernic-verify: %s: %s\n", what, strerror(errno));
	return -1;
}

/* The first RoCE v2 GID with an IPv4 address, or else the first of any. */
static int pick_gid(struct end *e, int want)
{
	struct ibv_gid_entry *list = calloc(256, sizeof(*list));
	ssize_t n = ibv_query_gid_table(e->ctx, list, 256, 0);
	int found = -1;

	for (ssize_t i = 0; i < n; i++) {
		static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };

		if (list[i].port_num != (uint32_t)e->port)
			continue;
		if (want >= 0) {
			if (list[i].gid_index != (uint32_t)want)
				continue;
		} else if (list[i].gid_type == IBV_GID_TYPE_ROCE_V1 ||
			   (found >= 0 && memcmp(list[i].gid.raw, v4, 12))) {
			continue;
		}
		e->gid = list[i].gid;
		found = list[i].gid_index;
		if (want >= 0 || !memcmp(list[i].gid.raw, v4, 12))
			break;
	}
	free(list);
	e->gid_index = found;
	if (found < 0) {
		fprintf(stderr, "ernic-verify: %s has no such GID\n",
			ibv_get_device_name(e->ctx->device));
		return -1;
	}
	return 0;
}

int end_open(struct end *e, int which, uint64_t size)
{
	struct ibv_device **list = ibv_get_device_list(NULL), *dev = NULL;
	const char *name = opt.device[which];

	for (int i = 0; list && list[i] && !dev; i++)
		if (!name || !strcmp(name, ibv_get_device_name(list[i])))
			dev = list[i];
	if (!dev) {
		fprintf(stderr, "ernic-verify: no RDMA device%s%s\n", name ? " " : "",
			name ? name : "");
		return -1;
	}
	e->name = which ? "responder" : "requester";
	e->port = opt.port;
	e->size = size;
	e->ctx = ibv_open_device(dev);
	ibv_free_device_list(list);
	if (!e->ctx)
		return complain("open the device");
	if (ibv_query_device(e->ctx, &e->attr) || ibv_query_port(e->ctx, e->port, &e->port_attr))
		return complain("query the device");
	if (pick_gid(e, opt.gid_index[which]))
		return -1;
	e->arena = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	e->image = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (e->arena == MAP_FAILED || e->image == MAP_FAILED)
		return complain("memory");
	return 0;
}

static struct ibv_qp *create_qp(struct end *e, enum type t)
{
	static const enum ibv_qp_type types[] = {
		[TYPE_RC] = IBV_QPT_RC,
		[TYPE_UC] = IBV_QPT_UC,
		[TYPE_UD] = IBV_QPT_UD,
	};
	struct ibv_qp_init_attr attr = {
		.send_cq = e->scq,
		.recv_cq = e->rcq,
		.qp_type = types[t],
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = e->max_sge,
			.max_recv_sge = e->max_sge,
			.max_inline_data = e->max_inline,
		},
	};
	struct ibv_qp *qp = ibv_create_qp(e->pd, &attr);

	while (!qp && attr.cap.max_inline_data) {
		attr.cap.max_inline_data /= 2;
		qp = ibv_create_qp(e->pd, &attr);
	}
	if (qp && attr.cap.max_inline_data < e->max_inline)
		e->max_inline = attr.cap.max_inline_data;
	return qp;
}

static bool can(struct end *e, enum type t)
{
	struct ibv_qp *qp = create_qp(e, t);

	if (qp)
		ibv_destroy_qp(qp);
	return qp;
}

static struct ibv_mr *reg(struct end *e, struct ibv_pd *pd, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, e->arena, e->size, access);

	if (!mr)
		complain("register memory");
	return mr;
}

int end_create(struct end *e, struct hello *h)
{
	int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	bool windows = opt.windows && e->attr.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A |
								  IBV_DEVICE_MEM_WINDOW_TYPE_2B);

	e->pd = ibv_alloc_pd(e->ctx);
	e->pd2 = ibv_alloc_pd(e->ctx);
	e->chan = ibv_create_comp_channel(e->ctx);
	if (!e->pd || !e->pd2 || !e->chan)
		return complain("create a PD");
	e->scq = ibv_create_cq(e->ctx, DEPTH * opt.qps * TYPE_COUNT + 64, e, e->chan, 0);
	e->rcq = ibv_create_cq(e->ctx, DEPTH * opt.qps * TYPE_COUNT + 64, e, e->chan, 0);
	if (!e->scq || !e->rcq)
		return complain("create a CQ");
	h->atomics = e->attr.atomic_cap != IBV_ATOMIC_NONE;
	e->mr = reg(e, e->pd,
		    all | (h->atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0) |
			    (windows ? IBV_ACCESS_MW_BIND : 0));
	e->mr_local = reg(e, e->pd, 0);
	e->mr_read = reg(e, e->pd, IBV_ACCESS_REMOTE_READ);
	e->mr_write = reg(e, e->pd, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	e->mr_foreign = reg(e, e->pd2, all);
	if (!e->mr || !e->mr_local || !e->mr_read || !e->mr_write || !e->mr_foreign)
		return -1;
	e->max_sge = e->attr.max_sge < MAX_SGE ? e->attr.max_sge : MAX_SGE;
	e->max_inline = 220;

	for (int t = 0; t < TYPE_COUNT; t++) {
		if (!(opt.types & 1u << t))
			continue;
		if (!can(e, t)) {
			fprintf(stderr, "ernic-verify: %s has no %s queue pairs\n",
				ibv_get_device_name(e->ctx->device), type_names[t]);
			return -1;
		}
		e->pairs[t] = calloc(opt.qps, sizeof(*e->pairs[t]));
		for (int i = 0; i < opt.qps; i++) {
			struct pair *p = &e->pairs[t][i];

			p->qp = create_qp(e, t);
			if (!p->qp)
				return complain("create a queue pair");
			h->qpn[t][i] = p->qp->qp_num;
			if (windows && t == TYPE_RC) {
				p->mw[WINDOW_TYPE1] = ibv_alloc_mw(e->pd, IBV_MW_TYPE_1);
				p->mw[WINDOW_TYPE2] = ibv_alloc_mw(e->pd, IBV_MW_TYPE_2);
				if (!p->mw[WINDOW_TYPE1] || !p->mw[WINDOW_TYPE2])
					return complain("allocate a memory window");
			}
		}
	}
	h->has_windows = windows;
	h->max_sge = e->max_sge;
	h->max_inline = e->max_inline;
	h->mtu = 128 << e->port_attr.active_mtu;
	if (opt.mtu && opt.mtu < h->mtu)
		h->mtu = opt.mtu;
	h->addr = (uintptr_t)e->arena;
	h->rkey = e->mr->rkey;
	h->rkey_local = e->mr_local->rkey;
	h->rkey_read = e->mr_read->rkey;
	h->rkey_write = e->mr_write->rkey;
	h->rkey_foreign = e->mr_foreign->rkey;
	h->gid = e->gid;
	h->psn = mix((uintptr_t)e ^ time(NULL)) & 0xffffff;
	return 0;
}

static void fill_ah(struct end *e, struct ibv_ah_attr *ah)
{
	*ah = (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = e->port,
		.grh = { .dgid = e->peer.gid, .sgid_index = e->gid_index, .hop_limit = 64 },
	};
}

static int modify(struct end *e, struct ibv_qp *qp, enum type t, uint32_t dest, uint32_t psn,
		  uint32_t peer_psn)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = e->port };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (t == TYPE_UD) {
		a.qkey = QKEY;
		mask |= IBV_QP_QKEY;
	} else {
		a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
		if (t == TYPE_RC)
			a.qp_access_flags |= IBV_ACCESS_REMOTE_READ |
					     (e->attr.atomic_cap != IBV_ATOMIC_NONE ?
						      IBV_ACCESS_REMOTE_ATOMIC :
						      0);
		mask |= IBV_QP_ACCESS_FLAGS;
	}
	if (failed(ibv_modify_qp(qp, &a, mask)))
		return complain("queue pair to INIT");

	a.qp_state = IBV_QPS_RTR;
	mask = IBV_QP_STATE;
	if (t != TYPE_UD) {
		a.path_mtu = __builtin_ctz(e->peer.mtu) - 7;
		a.dest_qp_num = dest;
		a.rq_psn = peer_psn;
		fill_ah(e, &a.ah_attr);
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	}
	if (t == TYPE_RC) {
		a.max_dest_rd_atomic = 4;
		a.min_rnr_timer = 12;
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	}
	if (failed(ibv_modify_qp(qp, &a, mask)))
		return complain("queue pair to RTR");

	a.qp_state = IBV_QPS_RTS;
	a.sq_psn = psn;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (t == TYPE_RC) {
		a.timeout = 16;
		a.retry_cnt = 5; /* 7 is for ever to rxe */
		a.rnr_retry = 3; /* receives are posted before */
		a.max_rd_atomic = 4;
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	}
	if (failed(ibv_modify_qp(qp, &a, mask)))
		return complain("queue pair to RTS");
	return 0;
}

static uint32_t my_psn(struct end *e, int i)
{
	/* one that both ends can make from what they know of each other */
	return mix(e->mr->rkey ^ (uint64_t)i << 32) & 0xffffff;
}

int end_connect(struct end *e, enum type t, int i)
{
	uint32_t peer_psn = mix(e->peer.rkey ^ (uint64_t)i << 32) & 0xffffff;

	if (t == TYPE_UD && !e->ah) {
		struct ibv_ah_attr ah;

		fill_ah(e, &ah);
		e->ah = ibv_create_ah(e->pd, &ah);
		if (!e->ah)
			return complain("create an address handle");
	}
	return modify(e, e->pairs[t][i].qp, t, e->peer.qpn[t][i], my_psn(e, i), peer_psn);
}

int end_reset(struct end *e, enum type t, int i)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };
	struct ibv_wc wc;

	/* what the flush still has to say */
	while (ibv_poll_cq(e->scq, 1, &wc) > 0 || ibv_poll_cq(e->rcq, 1, &wc) > 0)
		;
	if (failed(ibv_modify_qp(e->pairs[t][i].qp, &a, IBV_QP_STATE)))
		return complain("queue pair to RESET");
	return end_connect(e, t, i);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

int end_poll(struct end *e, struct ibv_cq *cq, struct ibv_wc *wc, bool events, int ms)
{
	int64_t until = now_ms() + ms;
	bool armed = false;

	for (;;) {
		int n = ibv_poll_cq(cq, 1, wc);

		if (n > 0)
			return 0;
		if (n < 0) {
			fail("%s: ibv_poll_cq returns %d", e->name, n);
			return -1;
		}
		if (now_ms() > until)
			return -1;
		if (!events)
			continue;
		if (!armed) {
			if (ibv_req_notify_cq(cq, 0)) {
				fail("%s: cannot arm", e->name);
				return -1;
			}
			armed = true;
			continue;
		}
		struct pollfd pfd = { .fd = e->chan->fd, .events = POLLIN };
		struct ibv_cq *which;
		void *context;

		if (poll(&pfd, 1, until - now_ms()) <= 0) {
			/* Polling alone would hide an event that never came. */
			if (ibv_poll_cq(cq, 1, wc) > 0)
				fail("%s: a completion without the event that was asked for",
				     e->name);
			return -1;
		}
		if (ibv_get_cq_event(e->chan, &which, &context)) {
			fail("%s: ibv_get_cq_event fails", e->name);
			return -1;
		}
		ibv_ack_cq_events(which, 1);
		armed = which != cq;
	}
}

void end_close(struct end *e)
{
	if (!e->ctx)
		return;
	for (int t = 0; t < TYPE_COUNT; t++)
		for (int i = 0; e->pairs[t] && i < opt.qps; i++) {
			struct pair *p = &e->pairs[t][i];

			if (p->qp)
				ibv_destroy_qp(p->qp);
			for (int w = 0; w < 3; w++)
				if (p->mw[w])
					ibv_dealloc_mw(p->mw[w]);
		}
	if (e->ah)
		ibv_destroy_ah(e->ah);
	enum { MRS = 5 };
	struct ibv_mr *mrs[MRS] = { e->mr, e->mr_local, e->mr_read, e->mr_write, e->mr_foreign };

	for (unsigned int i = 0; i < MRS; i++)
		if (mrs[i])
			ibv_dereg_mr(mrs[i]);
	if (e->scq)
		ibv_destroy_cq(e->scq);
	if (e->rcq)
		ibv_destroy_cq(e->rcq);
	if (e->chan)
		ibv_destroy_comp_channel(e->chan);
	if (e->pd2)
		ibv_dealloc_pd(e->pd2);
	if (e->pd)
		ibv_dealloc_pd(e->pd);
	ibv_close_device(e->ctx);
}
