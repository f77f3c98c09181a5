// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts, resets and bus mastering, whenever a VMM may think of them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

static struct et_dev dev;

static void post_tx(void)
{
	struct et_queue *q = &dev.tx[0];

	et_tx_desc(q, dev.rx[1].buf.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	et_ring(q);
	CHECK(et_tx_drain(q, 3000));
}

TEST(state_machine, 20)
{
	u32 vec = 1;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, vec);
	et_up(&dev);
	/* mask_assert is set: one completion, one interrupt, masked */
	post_tx();
	CHECK_EQ(et_irq_wait(dev.irq[vec], 1000), 1);
	CHECK_EQ(et_intr_read(&dev, vec, ION_INTR_MASK), 1);
	CHECK_EQ(et_intr_read(&dev, vec, ION_INTR_CREDITS), 1);
	post_tx();
	CHECK_EQ(et_irq_wait(dev.irq[vec], 100), 0);
	CHECK_EQ(et_intr_read(&dev, vec, ION_INTR_CREDITS), 2);
	/* half of it given back, unmasked: the rest is announced */
	et_intr_write(&dev, vec, ION_INTR_CREDITS, 1 | ION_INTR_CRED_UNMASK);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 1000), 1);
	et_intr_write(&dev, vec, ION_INTR_CREDITS, 1 | ION_INTR_CRED_UNMASK);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 100), 0);
	CHECK_EQ(et_intr_read(&dev, vec, ION_INTR_MASK), 0);
	/* more given back than there was */
	et_intr_write(&dev, vec, ION_INTR_CREDITS, 0xffff);
	/* a mapped register is memory until the device has a reason to look */
	CHECK_EQ(et_intr_read(&dev, vec, ION_INTR_CREDITS),
		 dev.map[BAR0] ? 0xffff : 0);
	post_tx();
	CHECK_EQ(et_irq_wait(dev.irq[vec], 1000), 1);
	et_check_canary(&dev);
}

TEST(vfio_mask, 20)
{
	u32 vec = 1;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, vec);
	et_up(&dev);
	CHECK_EQ(et_irq_mask(&dev, vec, true), 0);
	post_tx();
	CHECK_EQ(et_irq_wait(dev.irq[vec], 100), 0);
	CHECK_EQ(et_irq_mask(&dev, vec, false), 0);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 1000), 1);
	CHECK_EQ(et_irq_mask(&dev, vec, false), 0);
	CHECK_EQ(et_irq_wait(dev.irq[vec], 50), 0);
}

TEST(loopback_trigger, 20)
{
	u32 flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 3);
	CHECK_EQ(et_irq_set(&dev, VFIO_PCI_MSIX_IRQ_INDEX, 3, 1, flags, NULL,
			    0), 0);
	CHECK_EQ(et_irq_wait(dev.irq[3], 1000), 1);
	/* index off */
	CHECK_EQ(et_irq_set(&dev, VFIO_PCI_MSIX_IRQ_INDEX, 0, 0, flags, NULL,
			    0), 0);
	CHECK_EQ(et_irq_set(&dev, VFIO_PCI_MSIX_IRQ_INDEX, 3, 1, flags, NULL,
			    0), 0);
	CHECK_EQ(et_irq_wait(dev.irq[3], 50), 0);
}

TEST(bad_set_irqs, 20)
{
	const u32 ev = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	const u32 msix = VFIO_PCI_MSIX_IRQ_INDEX;
	int fds[ION_MSIX_VECTORS + 1], bad[2], i;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 0);
	for (i = 0; i <= ION_MSIX_VECTORS; i++)
		fds[i] = -1;
	CHECK(et_irq_set(&dev, msix, 0, ION_MSIX_VECTORS + 1, ev, fds,
			 sizeof(fds)) < 0);
	CHECK(et_irq_set(&dev, msix, ION_MSIX_VECTORS, 1, ev, fds, 4) < 0);
	CHECK(et_irq_set(&dev, msix, ~0u, 2, ev, fds, 8) < 0);
	CHECK(et_irq_set(&dev, VFIO_PCI_NUM_IRQS, 0, 1, ev, fds, 4) < 0);
	CHECK(et_irq_set(&dev, VFIO_PCI_INTX_IRQ_INDEX, 0, 1, ev, fds, 4) < 0);
	CHECK(et_irq_set(&dev, msix, 0, 1, 0, fds, 4) < 0);
	CHECK(et_irq_set(&dev, msix, 0, 1, ev | VFIO_IRQ_SET_ACTION_MASK, fds,
			 4) < 0);
	CHECK(et_irq_set(&dev, msix, 0, 2, ev, fds, 4) < 0);
	/* all or none: the second is no eventfd, so the first stays */
	bad[0] = -1;
	bad[1] = 0;
	CHECK(et_irq_set(&dev, msix, 0, 2, ev, bad, sizeof(bad)) < 0);
	bad[1] = 9999;
	CHECK(et_irq_set(&dev, msix, 0, 2, ev, bad, sizeof(bad)) < 0);
	bad[1] = -2;
	CHECK(et_irq_set(&dev, msix, 0, 2, ev, bad, sizeof(bad)) < 0);
	CHECK_EQ(et_irq_set(&dev, msix, 0, 1, VFIO_IRQ_SET_DATA_NONE |
			    VFIO_IRQ_SET_ACTION_TRIGGER, NULL, 0), 0);
	CHECK_EQ(et_irq_wait(dev.irq[0], 1000), 1);
	/* a vector that is not advertised may still be wired */
	CHECK_EQ(et_irq_fd(&dev, ION_MSIX_VECTORS - 1, dev.irq[0]), 0);
}

static volatile bool stop;

static void *traffic(void *arg)
{
	struct et_queue *q = &dev.tx[0];

	while (!stop) {
		while (et_tx_free(q))
			et_tx_desc(q, dev.rx[1].buf.iova, 60, 0, 0, 0);
		et_ring(q);
		et_intr_write(&dev, 1, ION_INTR_CREDITS,
			      et_tx_reap(q, NULL) | ION_INTR_CRED_UNMASK);
	}
	CHECK(et_tx_drain(q, 3000));
	return NULL;
}

TEST(churn_under_traffic, 30)
{
	pthread_t t;
	u64 end, fired = 0, n = 0;
	int fd[2];

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_up(&dev);
	CHECK(!pthread_create(&t, NULL, traffic, NULL));
	fd[0] = SYS(eventfd(0, EFD_NONBLOCK));
	end = et_now_ms() + et_effort(2000);
	while (et_now_ms() < end || !fired) {
		fd[1] = SYS(eventfd(0, EFD_NONBLOCK));
		CHECK_EQ(et_irq_fd(&dev, 1, fd[0]), 0);
		CHECK_EQ(et_irq_mask(&dev, 1, true), 0);
		CHECK_EQ(et_irq_fd(&dev, 1, fd[1]), 0);
		CHECK_EQ(et_irq_mask(&dev, 1, false), 0);
		fired += et_irq_wait(fd[0], 1);
		fired += et_irq_wait(fd[1], 1);
		CHECK_EQ(et_irq_fd(&dev, 1, -1), 0);
		/* nothing comes after it was taken away */
		et_irq_wait(fd[0], 0);
		et_irq_wait(fd[1], 0);
		usleep(500);
		CHECK_EQ(et_irq_wait(fd[0], 0), 0);
		CHECK_EQ(et_irq_wait(fd[1], 0), 0);
		close(fd[1]);
		n++;
	}
	CHECK_EQ(et_irq_fd(&dev, 1, fd[0]), 0);
	stop = true;
	CHECK(!pthread_join(t, NULL));
	tap_note("%llu rounds, %llu interrupts", (unsigned long long)n,
		 (unsigned long long)fired);
	CHECK(fired);
	et_intr_write(&dev, 1, ION_INTR_CREDITS, 0xffff | ION_INTR_CRED_UNMASK);
	et_irq_wait(fd[0], 0);
	post_tx();
	CHECK_EQ(et_irq_wait(fd[0], 1000), 1);
	et_check_canary(&dev);
}

TEST(request, 30)
{
	int fd = SYS(eventfd(0, EFD_NONBLOCK)), status;
	pid_t pid;

	et_open(&dev, uuid0);
	et_up(&dev);
	CHECK_EQ(et_irq_set(&dev, VFIO_PCI_REQ_IRQ_INDEX, 0, 1,
			    VFIO_IRQ_SET_DATA_EVENTFD |
			    VFIO_IRQ_SET_ACTION_TRIGGER, &fd, sizeof(fd)), 0);
	CHECK_EQ(et_irq_wait(fd, 20), 0);
	pid = SYS(fork());
	if (!pid) {
		/* these would keep the device open */
		close(dev.fd);
		if (dev.group >= 0)
			close(dev.group);
		close(dev.container);
		_exit(et_remove(et_config.bus, dev.uuid) ? 1 : 0);
	}
	CHECK(et_irq_wait(fd, 5000) > 0);
	/* it waits for us, and until then the device works */
	et_send_one(&dev, 0, 60);
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	et_close(&dev);
	SYS(waitpid(pid, &status, 0));
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
}

static void expect_state(const char *want)
{
	char path[192], state[32];

	snprintf(path, sizeof(path), "%s/ernic/state", dev.path);
	CHECK_EQ(et_read_file(path, state, sizeof(state)), 0);
	if (strcmp(state, want))
		FAIL("state is %s, expected %s", state, want);
}

static void reset_nothing(void)
{
}

static void reset_memory_on(void)
{
	et_store(&dev, CFG, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
}

static void reset_attached(void)
{
	et_attach(&dev);
}

static void reset_up(void)
{
	et_attach(&dev);
	et_start(&dev);
}

static void reset_busy(void)
{
	et_attach(&dev);
	et_start(&dev);
	while (et_tx_free(&dev.tx[0]))
		et_tx_desc(&dev.tx[0], dev.rx[1].buf.iova, 1500, 0, 0, 0);
	et_ring(&dev.tx[0]);
}

static void reset_in_chain(void)
{
	struct ion_txq_desc *desc;

	et_attach(&dev);
	et_start(&dev);
	desc = et_tx_slot(&dev.tx[0]);
	et_tx_desc(&dev.tx[0], dev.rx[1].buf.iova, 1000, ION_TXD_TSO,
		   ION_TXD_F_TSO_SOT, 0);
	desc->hdr_len = 54;
	desc->mss = 1000;
	et_ring(&dev.tx[0]);
	usleep(2000);
}

static void reset_command_running(void)
{
	union ion_cmd cmd = { .opcode = ION_CMD_LIF_RESET };

	et_attach(&dev);
	et_adminq_post(&dev, &cmd);
	SYS(pwrite(dev.fd, &cmd, sizeof(cmd), dev.region[BAR0] +
		   ION_DEV_CMD_OFF + ION_CMD_REQUEST));
	et_store(&dev, BAR0, ION_DEV_CMD_OFF + ION_CMD_DOORBELL, 4, 1);
}

static void reset_all(void (*reset)(struct et_dev *d))
{
	static void (* const state[])(void) = {
		reset_nothing, reset_memory_on, reset_attached, reset_up,
		reset_busy, reset_in_chain, reset_command_running,
	};
	static u8 before[ET_ARENA_SIZE];
	unsigned int i;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	for (i = 0; i < sizeof(state) / sizeof(state[0]); i++) {
		state[i]();
		reset(&dev);
		memcpy(before, dev.arena.va, sizeof(before));
		expect_state("reset");
		CHECK_EQ(et_load(&dev, CFG, PCI_COMMAND, 2), 0);
		CHECK_EQ(et_load(&dev, BAR0, 0, 4), 0xffffffff);
		/* nothing is late */
		usleep(20000);
		CHECK(!memcmp(before, dev.arena.va, sizeof(before)));
		et_still_works(&dev);
	}
}

TEST(vfio_reset, 60)
{
	reset_all(et_vfio_reset);
}

TEST(flr, 60)
{
	reset_all(et_flr);
}

TEST(command_reset, 60)
{
	int i;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	for (i = 0; i < 5; i++) {
		reset_busy();
		CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
		CHECK_EQ(et_lif_reset(&dev), ION_RC_SUCCESS);
		CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
		expect_state("reset");
	}
	et_still_works(&dev);
}

/* resets of both kinds against a driver that does not notice */
TEST(reset_under_traffic, 60)
{
	u64 end = et_now_ms() + et_effort(2000);
	unsigned int i = 0;

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	while (et_now_ms() < end) {
		reset_busy();
		usleep(i * 37 % 1000);
		if (i++ & 1)
			et_vfio_reset(&dev);
		else
			et_flr(&dev);
	}
	tap_note("%u resets", i);
	et_still_works(&dev);
}

TEST(bus_master_off, 30)
{
	struct et_queue *q = &dev.tx[0];
	static u8 before[ET_ARENA_SIZE];
	u8 frame[100];

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_irq_enable(&dev, 2);
	et_up(&dev);
	et_bus_master(&dev, false);
	et_tx_desc(q, dev.rx[1].buf.iova, 60, 0, 0, 0);
	memcpy(before, dev.arena.va, sizeof(before));
	et_ring(q);
	et_frame(frame, sizeof(frame), dev.mac, dev.mac, 3);
	CHECK_EQ(et_host_send(&dev, frame, sizeof(frame)), sizeof(frame));
	usleep(1200000);
	CHECK_EQ(et_irq_wait(dev.irq[1], 0), 0);
	CHECK_EQ(et_irq_wait(dev.irq[2], 0), 0);
	CHECK(!memcmp(before, dev.arena.va, sizeof(before)));
	/* commands that need no memory still work: RESET has to */
	et_bus_master(&dev, true);
	et_ring(q);
	CHECK(et_tx_drain(q, 3000));
	CHECK_EQ(et_irq_wait(dev.irq[1], 1000), 1);
	et_bus_master(&dev, false);
	CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
	CHECK_EQ(et_lif_init(&dev), ION_RC_BAD_ADDR);
	et_still_works(&dev);
}

TEST(bus_master_flaps, 30)
{
	pthread_t t;
	u64 end;
	unsigned int n = 0;

	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_up(&dev);
	CHECK(!pthread_create(&t, NULL, traffic, NULL));
	end = et_now_ms() + et_effort(1500);
	while (et_now_ms() < end) {
		et_bus_master(&dev, n & 1);
		usleep(200);
		n++;
	}
	et_bus_master(&dev, true);
	stop = true;
	et_ring(&dev.tx[0]);
	CHECK(!pthread_join(t, NULL));
	tap_note("%u flaps", n);
	et_still_works(&dev);
}
