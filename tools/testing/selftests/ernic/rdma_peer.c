// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest, RDMA: neighbours.
 */
#include <endian.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma.h"

static struct et_dev other;
static struct rig rig2;

static void hostile(void)
{
	struct ion_v1_cqe cqe;
	unsigned int i, k;
	u8 buf[128], status;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_attach(&dev);
	et_start(&dev);
	srand(23);
	for (;;) {
		/* the neighbour's address, if that gets it anything */
		rig_up(&rig, &dev, rand() & 1 ? 1 : 2);
		for (i = 0; i < 40; i++) {
			for (k = 0; k < ER_RING * ER_STRIDE; k++)
				if (!(rand() & 7))
					rig.a.sq.va[k] = rand();
			for (k = 0; k < 30; k++)
				er_db(&rig.r, 0, rand() & 15, rand() & 15, rand(), rand());
			er_db(&rig.r, 0, rig.r.id.rdma.sq.qtype, 2, 0, rand());
			er_poll(&rig.cq_a, &cqe, 2);
			for (k = 0; k < sizeof(buf); k++)
				buf[k] = rand();
			buf[0] = rand() % ION_ADMIN_OPCODES_MAX;
			buf[2] = rand() % 60;
			buf[3] = 0;
			k = er_admin_post(&rig.r, buf, 1);
			if (!er_admin_reap(&rig.r, k, &status, 50))
				break;
		}
		if (rand() & 1)
			et_vfio_reset(&dev);
		et_attach(&dev);
		et_start(&dev);
	}
}

TEST(hostile_neighbour, 60)
{
	unsigned int n = 0;
	int status;
	pid_t pid;
	u64 end;

	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	pid = SYS(fork());
	if (!pid) {
		hostile();
		_exit(0);
	}
	end = et_now_ms() + 6000;
	while (et_now_ms() < end) {
		rig_works(&rig2, n);
		et_send_one(&other, n & 1, 60 + n % 1400);
		et_recv_one(&other, 60 + n % 1400);
		n++;
	}
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	SYS(waitpid(pid, &status, 0));
	tap_note("%u rounds of verified traffic meanwhile", n);
	CHECK(n > 20);
	CHECK_EQ(et_stat(&other, "tx_ucast_packets"), n);
	rig_works(&rig2, 3);
	et_check_canary(&other);
	rdma_start();
	rdma_done();
}

/* ---- fairness ------------------------------------------------------------------ */

/* two of them fit into a queue */
#define BATCH (ER_RING / 2 - 1)

/* as much as a guest can ask for: queues that are never empty, on both workers */
static void greedy(void)
{
	struct er_qp more[2][2] = { 0 };
	struct er_qp *qp[3] = { &rig.a, &more[0][0], &more[1][0] };
	unsigned int i, k;
	u32 pos[3] = { 0 };

	rdma_start();
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 2; k++)
			CHECK_EQ(er_qp_create(&rig.r, &more[i][k], &rig.cq_b, 4 + 2 * i + k,
					      ION_QPT_RC, 0),
				 ION_ASTS_OK);
		er_connect(&more[i][0], &more[i][1]);
	}
	/* one of a batch is signalled */
	for (;;) {
		struct ion_v1_cqe cqe;

		for (i = 0; i < 3; i++) {
			for (k = 0; k < BATCH; k++) {
				er_post(qp[i], ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, MR_LEN, KEY_A,
					rig.mem_b.iova, KEY_B);
				if (k < BATCH - 1)
					((struct ion_v1_wqe *)(qp[i]->sq.va +
							       pos[i] % ER_RING * ER_STRIDE))
						->base.flags = 0;
				pos[i]++;
			}
			er_ring_sq(qp[i]);
			/* the batch before this one */
			if (pos[i] > BATCH && !er_poll(qp[i]->cq, &cqe, 5000))
				FAIL("no completion");
		}
	}
}

static unsigned int in_time(struct rig *g, int ms, u64 *worst)
{
	u64 end = et_now_ms() + ms, t;
	unsigned int n = 0;

	*worst = 0;
	while (et_now_ms() < end) {
		t = et_now_ms();
		er_post(&g->a, ION_V1_OP_RDMA_WRITE, g->mem_a.iova, 64, KEY_A, g->mem_b.iova,
			KEY_B);
		er_ring_sq(&g->a);
		CHECK_EQ(er_send_status(&g->a), 0);
		t = et_now_ms() - t;
		if (t > *worst)
			*worst = t;
		n++;
	}
	return n;
}

/* a guest that asks for all there is leaves another one its share */
TEST(antagonist, 60)
{
	u64 worst_alone, worst;
	unsigned int alone, n;
	int status;
	pid_t pid;

	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	alone = in_time(&rig2, 1500, &worst_alone);
	pid = SYS(fork());
	if (!pid) {
		greedy();
		_exit(0);
	}
	usleep(500000);
	n = in_time(&rig2, 3000, &worst) / 2;
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	SYS(waitpid(pid, &status, 0));
	tap_note("%u requests alone, the slowest took %llu ms; %u beside it, %llu ms", alone,
		 (unsigned long long)worst_alone, n, (unsigned long long)worst);
	/* two processors, four threads: half would be fair */
	CHECK(n * 10 > alone);
	CHECK(worst < 1000);
	rig_works(&rig2, 3);
	et_check_canary(&other);
}

/* A queue pair belongs to the one that it was connected to. */
TEST(strangers, 60)
{
	struct ion_v1_cqe cqe;
	struct er_qp mine;
	unsigned int i;

	rdma_start();
	et_open(&other, uuid1);
	et_up(&other);
	rig_up(&rig2, &other, 2);
	rig_works(&rig2, 1);
	/* another device's queue pair 3 is connected to its own number 2 */
	memset(&mine, 0, sizeof(mine));
	CHECK_EQ(er_qp_create(&rig.r, &mine, &rig.cq_a, 2 + 38, ION_QPT_RC, 0), ION_ASTS_OK);
	er_connect(&mine, &rig2.b);
	/* which connected it to us; back to where it belongs */
	er_connect(&rig2.a, &rig2.b);
	fill(rig.mem_a, 1);
	memset(rig2.mem_b.va, FILL, MR_LEN);
	for (i = 0; i < 5; i++) {
		er_post(&mine, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 64, KEY_A, rig2.mem_b.iova,
			KEY_B);
		er_ring_sq(&mine);
		CHECK(er_poll(&rig.cq_a, &cqe, 10000));
		CHECK(er_status(&cqe));
		CHECK_EQ(rig2.mem_b.va[0], FILL);
		CHECK_EQ(er_to(&mine, ION_QPS_ERR), ION_ASTS_OK);
		break;
	}
	rig_works(&rig2, 2);
	et_check_canary(&other);
	et_close(&other);
	er_connect(&rig.a, &rig.b);
	rdma_done();
}
