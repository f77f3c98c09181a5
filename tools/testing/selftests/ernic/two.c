// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two guests on one host: what one does is no concern of the other's.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "tests.h"

static struct et_dev dev, other;

/* both have their memory at the same guest addresses */
TEST(same_addresses, 20)
{
	unsigned int i;

	et_open(&dev, uuid0);
	et_open(&other, uuid1);
	et_up(&dev);
	et_up(&other);
	for (i = 0; i < 50; i++) {
		et_send_one(&dev, 0, 60 + i);
		et_send_one(&other, 1, 90 + i);
		et_recv_one(&other, 70 + i);
		et_recv_one(&dev, 80 + i);
	}
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 50);
	CHECK_EQ(et_stat(&other, "tx_ucast_packets"), 50);
	CHECK(memcmp(dev.mac, other.mac, 6));
	et_check_canary(&dev);
	et_check_canary(&other);
	et_close(&dev);
	et_send_one(&other, 0, 60);
	et_check_canary(&other);
}

/* random commands, descriptors, doorbells, registers and resets */
static void hostile(void)
{
	unsigned int i, j;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	srand(7);
	for (;;) {
		et_attach(&dev);
		et_start(&dev);
		for (i = 0; i < 100; i++) {
			struct et_queue *q = i & 1 ? &dev.tx[i & 1] :
						     &dev.rx[0];

			for (j = 0; j < q->ring.len; j++)
				q->ring.va[j] = rand();
			for (j = 0; j < q->sg.len; j += 3)
				q->sg.va[j] = rand();
			for (j = 0; j < 16; j++)
				et_doorbell(&dev, q->hw_type, q->hw_index,
					    rand());
			et_store(&dev, BAR2, (rand() & 0x3ff) * 8, 8, rand());
			et_store(&dev, BAR0, 0x2000 + (rand() & 0x3fff & ~7), 8,
				 rand());
		}
		if (rand() & 1)
			et_vfio_reset(&dev);
	}
}

TEST(hostile_neighbour, 40)
{
	unsigned int n = 0;
	int status;
	u64 end;
	pid_t pid;

	pid = SYS(fork());
	if (!pid) {
		hostile();
		_exit(0);
	}
	et_open(&other, uuid1);
	et_up(&other);
	end = et_now_ms() + et_effort(4000);
	while (et_now_ms() < end) {
		et_send_one(&other, n & 1, 60 + n % 1400);
		et_recv_one(&other, 60 + n % 1400);
		n++;
	}
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	SYS(waitpid(pid, &status, 0));
	CHECK_EQ(et_stat(&other, "tx_ucast_packets"), n);
	CHECK_EQ(et_stat(&other, "rx_ucast_packets"), n);
	CHECK_EQ(et_stat(&other, "tx_desc_data_error"), 0);
	CHECK_EQ(et_stat(&other, "rx_ucast_drop_packets"), 0);
	tap_note("%u frames each way meanwhile", n);
	et_check_canary(&other);
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	et_still_works(&dev);
}
