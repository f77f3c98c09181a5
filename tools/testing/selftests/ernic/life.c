// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices and VMMs that come and go.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "tests.h"

static struct et_dev dev;
static struct et_load load;

static pid_t spawn(void (*fn)(int), int *ready)
{
	int p[2];
	pid_t pid;

	SYS(pipe(p));
	pid = SYS(fork());
	if (!pid) {
		close(p[0]);
		fn(p[1]);
		_exit(0);
	}
	close(p[1]);
	*ready = p[0];
	return pid;
}

static void wait_ready(int fd)
{
	char c;

	CHECK_EQ(read(fd, &c, 1), 1);
	close(fd);
}

static void vmm_load(int ready)
{
	et_open(&dev, uuid0);
	et_irq_enable(&dev, 1);
	et_irq_enable(&dev, 2);
	et_up(&dev);
	et_load_start(&load, &dev, dev.rx[0].buf.iova, dev.rx[0].buf.len);
	CHECK_EQ(write(ready, "", 1), 1);
	for (;;)
		pause();
}

TEST(kill_under_load, 60)
{
	int i, fd, status;
	pid_t pid;

	for (i = 0; i < 12; i++) {
		pid = spawn(vmm_load, &fd);
		wait_ready(fd);
		usleep(i * 7919 % 40000);
		kill(pid, SIGKILL);
		SYS(waitpid(pid, &status, 0));
		CHECK(WIFSIGNALED(status));
	}
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	CHECK_EQ(et_debugfs(dev.uuid, "memory", "pinned_pages"), 0);
	et_still_works(&dev);
}

TEST(close_under_load, 60)
{
	int i;

	for (i = 0; i < 10; i++) {
		et_open(&dev, uuid0);
		et_up(&dev);
		et_load_start(&load, &dev, dev.rx[0].buf.iova,
			      dev.rx[0].buf.len);
		usleep(3000 + i * 1000);
		load.stop = true;
		/* posted work is under way still */
		et_load_stop(&load);
		et_close(&dev);
		CHECK_EQ(et_debugfs(uuid0, "memory", "pinned_pages"), 0);
	}
	et_open(&dev, uuid0);
	et_packet_open(&dev);
	et_still_works(&dev);
}

TEST(open_close, 120)
{
	unsigned int i;

	for (i = 0; i < et_effort(200); i++) {
		et_open(&dev, uuid0);
		if (i % 10 == 0)
			et_attach(&dev);
		else if (i % 10 == 1)
			et_up(&dev);
		et_close(&dev);
	}
	CHECK_EQ(et_debugfs(uuid0, "memory", "pinned_pages"), 0);
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	et_still_works(&dev);
}

static bool present(const char *fmt, const char *what)
{
	char path[160];

	snprintf(path, sizeof(path), fmt, what);
	return !access(path, F_OK);
}

TEST(create_remove, 120)
{
	char uuid[40], netdev[16];
	unsigned int i;

	for (i = 0; i < et_effort(50); i++) {
		et_uuid(uuid, 100 + i);
		CHECK_EQ(et_create(et_config.bus, uuid, et_config.profile), 0);
		CHECK_EQ(et_create(et_config.bus, uuid, et_config.profile),
			 -EEXIST);
		if (i % 5 == 0) {
			et_open(&dev, uuid);
			et_up(&dev);
			et_send_one(&dev, 0, 60);
			strcpy(netdev, dev.netdev);
			et_close(&dev);
			CHECK(present("/sys/class/net/%s", netdev));
		}
		CHECK_EQ(et_remove(et_config.bus, uuid), 0);
		CHECK(!present("/sys/kernel/debug/ernic_host/%s", uuid));
		if (i % 5 == 0)
			CHECK(!present("/sys/class/net/%s", netdev));
	}
}

TEST(bad_create, 20)
{
	char uuid[40];

	et_uuid(uuid, 99);
	CHECK(et_create(et_config.bus, "nonsense", et_config.profile) < 0);
	CHECK(et_create(et_config.bus, uuid, "no-such-profile") < 0);
	CHECK(et_create(et_config.bus, uuid0, et_config.profile) == -EEXIST);
	CHECK(et_remove(et_config.bus, uuid) < 0);
	CHECK(!present("/sys/kernel/debug/ernic_host/%s", uuid));
}

/* a VMM that lets go when it is asked */
static void vmm_polite(int ready)
{
	int fd = SYS(eventfd(0, EFD_NONBLOCK));

	et_open(&dev, uuid0);
	et_up(&dev);
	CHECK_EQ(et_irq_set(&dev, VFIO_PCI_REQ_IRQ_INDEX, 0, 1,
			    VFIO_IRQ_SET_DATA_EVENTFD |
			    VFIO_IRQ_SET_ACTION_TRIGGER, &fd, sizeof(fd)), 0);
	et_load_start(&load, &dev, dev.rx[0].buf.iova, dev.rx[0].buf.len);
	CHECK_EQ(write(ready, "", 1), 1);
	CHECK(et_irq_wait(fd, 10000) > 0);
}

TEST(remove_under_load, 60)
{
	int i, fd, status;
	pid_t pid;

	for (i = 0; i < 5; i++) {
		if (i)
			CHECK_EQ(et_create(et_config.bus, uuid0,
					   et_config.profile), 0);
		pid = spawn(vmm_polite, &fd);
		wait_ready(fd);
		usleep(10000);
		CHECK_EQ(et_remove(et_config.bus, uuid0), 0);
		SYS(waitpid(pid, &status, 0));
		CHECK_EQ(status, 0);
		CHECK(!present("/sys/kernel/debug/ernic_host/%s", uuid0));
	}
}

TEST(unbind_under_load, 60)
{
	char path[128];
	int i, fd, status;
	pid_t pid;

	for (i = 0; i < 5; i++) {
		pid = spawn(vmm_polite, &fd);
		wait_ready(fd);
		usleep(10000);
		snprintf(path, sizeof(path),
			 "/sys/bus/%s/drivers/ernic_host/unbind",
			 et_config.bus);
		CHECK_EQ(et_write_file(path, uuid0), 0);
		SYS(waitpid(pid, &status, 0));
		CHECK_EQ(status, 0);
		CHECK(!present("/sys/kernel/debug/ernic_host/%s", uuid0));
		if (!strcmp(et_config.bus, "mdev")) {
			/* mdev binds when a device is made, only */
			CHECK_EQ(et_remove("mdev", uuid0), 0);
			CHECK_EQ(et_create("mdev", uuid0, et_config.profile),
				 0);
			continue;
		}
		CHECK_EQ(et_write_file("/sys/bus/ernic/drivers/ernic_host/bind",
				       uuid0), 0);
	}
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	et_still_works(&dev);
}

/* firmware_reset takes everything from a driver that does not listen */
TEST(firmware_reset_under_load, 60)
{
	char path[192];
	u64 end;

	et_open(&dev, uuid0);
	et_up(&dev);
	et_load_start(&load, &dev, dev.rx[0].buf.iova, dev.rx[0].buf.len);
	usleep(20000);
	snprintf(path, sizeof(path), "%s/ernic/firmware_reset", dev.path);
	CHECK_EQ(et_write_file(path, "1"), 0);
	CHECK_EQ(et_write_file(path, "1"), -EBUSY);
	CHECK(!(et_load(&dev, BAR0, ION_INFO_FW_STATUS, 1) &
		ION_FW_STS_RUNNING));
	load.stop = true;
	et_load_stop(&load);
	end = et_now_ms() + 5000;
	while (!(et_load(&dev, BAR0, ION_INFO_FW_STATUS, 1) &
		 ION_FW_STS_RUNNING))
		CHECK(et_now_ms() < end);
	et_still_works(&dev);
}
