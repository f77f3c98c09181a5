// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile guest, RDMA: commands, page tables, keys, work requests and doorbells.
 * After each harm the device answers, has touched nothing that it was not given, and
 * works for whoever behaves.
 */
#include <endian.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma.h"

struct et_dev dev;
struct rig rig;

void rdma_start(void)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	rig_up(&rig, &dev, 1);
	rig_works(&rig, 1);
}

void rdma_done(void)
{
	et_check_canary(&dev);
	et_still_works(&dev);
	rig_up(&rig, &dev, 1);
	rig_works(&rig, 99);
	et_check_canary(&dev);
}

TEST(behaves, 30)
{
	unsigned int i;

	rdma_start();
	for (i = 0; i < 50; i++)
		rig_works(&rig, i);
	er_connect(&rig.a, &rig.b);
	rig_works(&rig, 7);
	rdma_done();
}

/* the control: what the canary is for */
static void stray(void)
{
	struct et_mem m = { .iova = ET_ARENA_IOVA + ET_ARENA_SIZE - 4096, .len = 4096 };

	rdma_start();
	CHECK_EQ(er_mr(&rig.r, 7 << 8, m, MR_RW), ION_ASTS_OK);
	er_post(&rig.a, ION_V1_OP_RDMA_WRITE, rig.mem_a.iova, 64, KEY_A, m.iova, 7 << 8);
	er_ring_sq(&rig.a);
	CHECK_EQ(er_send_status(&rig.a), 0);
	et_check_canary(&dev);
}

TEST(control, 30)
{
	et_open(&dev, uuid0);
	et_up(&dev);
	er_setup(&rig.r, &dev, 1);
	et_close(&dev);
	memset(&dev, 0, sizeof(dev));
	memset(&rig, 0, sizeof(rig));
	CHECK_EQ(tap_child(stray, 20), 1);
}
