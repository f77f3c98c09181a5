// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMM of a guest that rings goes away.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kvm.h"

static void vmm_traffic(int ready)
{
	unsigned int i;

	vm_up();
	idle_us(5);
	for (i = 0; i < VCPUS; i++) {
		struct vcpu *c = vcpu_prepare(i, WAIT_COMP);

		c->arg->gap_long = mask_us(100);
		vcpu_start(c, 1u << 30);
	}
	usleep(20000);
	CHECK_EQ(write(ready, "", 1), 1);
	for (;;)
		pause();
}

TEST(kill_under_traffic, 120)
{
	int i, p[2], status;
	pid_t pid;
	char c;

	if (!et_config.doorbell)
		tap_skip("use -d");
	for (i = 0; i < 10; i++) {
		SYS(pipe(p));
		pid = SYS(fork());
		if (!pid) {
			close(p[0]);
			vmm_traffic(p[1]);
		}
		close(p[1]);
		if (read(p[0], &c, 1) != 1) {
			SYS(waitpid(pid, &status, 0));
			if (WIFEXITED(status) && WEXITSTATUS(status) == 4)
				tap_skip("no KVM");
			FAIL("the VMM does not come up");
		}
		close(p[0]);
		usleep(i * 3001);
		kill(pid, SIGKILL);
		SYS(waitpid(pid, &status, 0));
		CHECK(WIFSIGNALED(status));
	}
	idle_us(60);
	et_config.opening = NULL;
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	CHECK_EQ(et_debugfs(dev.uuid, "memory", "pinned_pages"), 0);
	et_still_works(&dev);
}

/* the mapping goes under a guest that stores to it, then the device */
TEST(close_under_traffic, 120)
{
	unsigned int i, k;

	for (i = 0; i < 10; i++) {
		vm_up();
		idle_us(5);
		for (k = 0; k < VCPUS; k++) {
			struct vcpu *c = vcpu_prepare(k, WAIT_COMP);

			c->may_fault = true;
			c->arg->gap_long = mask_us(100);
			vcpu_start(c, 1u << 30);
		}
		usleep(20000 + i * 1013);
		if (vm.page0) {
			munmap((void *)vm.page0, ET_PAGE);
			vm.page0 = NULL;
		}
		for (k = 0; k < VCPUS; k++)
			vm.cpu[k].arg->left = 0;
		for (k = 0; k < VCPUS; k++)
			vcpu_join(&vm.cpu[k]);
		vm_down();
	}
	idle_us(60);
	et_config.opening = NULL;
	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_packet_open(&dev);
	et_still_works(&dev);
}
