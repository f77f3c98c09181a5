// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM with KVM: accesses of its guest go to the device's pages through memory
 * slots.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kvm.h"

/* guest physical addresses; the arena is where the device sees it */
#define RAM_SIZE	0x10000ull
#define RAM_PML4	0x1000
#define RAM_PDPT	0x2000
#define RAM_PD		0x3000	/* the first GiB, then that of the arena */
#define RAM_CODE	0x8000
#define RAM_ARG		0x9000	/* one page a CPU */
#define GPA_BAR0	0x10000000ull

#define PTE_TABLE	0x07ull	/* present, writable, user */
#define PTE_LARGE	0x87ull

enum { SLOT_RAM, SLOT_ARENA, SLOT_BAR0, SLOT_BAR2, SLOT_PAGES };

#define PAGES_SIZE	(ION_BAR2_SIZE - ET_PAGE)

struct et_dev dev;
struct vm vm;

static void vm_slot(u32 slot, u64 gpa, u64 size, const volatile void *va)
{
	struct kvm_userspace_memory_region r = {
		.slot = slot,
		.guest_phys_addr = gpa,
		.memory_size = size,
		.userspace_addr = (uintptr_t)va,
	};

	SYS(ioctl(vm.fd, KVM_SET_USER_MEMORY_REGION, &r));
}

/* identity, 2 MiB each; large pages of 1 GiB are not on every CPU */
static void vm_page_tables(void)
{
	u64 *pml4 = (u64 *)(vm.ram + RAM_PML4);
	u64 *pdpt = (u64 *)(vm.ram + RAM_PDPT);
	u64 *pd = (u64 *)(vm.ram + RAM_PD);
	unsigned int i;

	pml4[0] = RAM_PDPT | PTE_TABLE;
	pdpt[0] = RAM_PD | PTE_TABLE;
	pdpt[ET_ARENA_IOVA >> 30] = (RAM_PD + ET_PAGE) | PTE_TABLE;
	for (i = 0; i < 512; i++) {
		pd[i] = (u64)i << 21 | PTE_LARGE;
		pd[512 + i] = (ET_ARENA_IOVA + ((u64)i << 21)) | PTE_LARGE;
	}
}

static void vcpu_long_mode(struct vcpu *c)
{
	struct kvm_segment code = {
		.limit = 0xffffffff, .selector = 8, .type = 11, .present = 1,
		.s = 1, .l = 1, .g = 1,
	}, data = {
		.limit = 0xffffffff, .selector = 16, .type = 3, .present = 1,
		.s = 1, .db = 1, .g = 1,
	};
	struct kvm_sregs s;

	SYS(ioctl(c->fd, KVM_GET_SREGS, &s));
	s.cs = code;
	s.ds = data;
	s.es = data;
	s.ss = data;
	s.cr3 = RAM_PML4;
	s.cr4 = 1 << 5;			/* PAE */
	s.cr0 = 1u << 31 | 1;		/* PG, PE */
	s.efer = 1 << 10 | 1 << 8;	/* LMA, LME */
	SYS(ioctl(c->fd, KVM_SET_SREGS, &s));
}

static void vcpu_create(unsigned int i)
{
	struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entry[256];
	} cpuid = { .head.nent = 256 };
	struct vcpu *c = &vm.cpu[i];
	int size;

	c->fd = SYS(ioctl(vm.fd, KVM_CREATE_VCPU, i));
	SYS(ioctl(vm.kvm, KVM_GET_SUPPORTED_CPUID, &cpuid));
	SYS(ioctl(c->fd, KVM_SET_CPUID2, &cpuid));
	size = SYS(ioctl(vm.kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
	c->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	CHECK(c->run != MAP_FAILED);
	vcpu_long_mode(c);
	c->arg = (void *)(vm.ram + RAM_ARG + i * ET_PAGE);
	if (!i)
		vm.ticks_per_ms = SYS(ioctl(c->fd, KVM_GET_TSC_KHZ, 0));
}

static void vm_opening(int file)
{
	int32_t fd = file;
	struct kvm_device_attr attr = {
		.group = KVM_DEV_VFIO_GROUP,
		.attr = KVM_DEV_VFIO_GROUP_ADD,
		.addr = (uintptr_t)&fd,
	};

	SYS(ioctl(vm.vfio, KVM_SET_DEVICE_ATTR, &attr));
}

void vm_create(unsigned long type)
{
	struct kvm_create_device vfio = { .type = KVM_DEV_TYPE_VFIO };
	unsigned int i;
	size_t len;

	memset(&vm, 0, sizeof(vm));
	pthread_mutex_init(&vm.lock, NULL);
	pthread_cond_init(&vm.decodes, NULL);
	vm.kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (vm.kvm < 0)
		tap_skip("/dev/kvm: %s", strerror(errno));
	vm.fd = ioctl(vm.kvm, KVM_CREATE_VM, type);
	if (vm.fd < 0)
		tap_skip("a virtual machine of type %lu: %s", type,
			 strerror(errno));
	SYS(ioctl(vm.fd, KVM_CREATE_DEVICE, &vfio));
	vm.vfio = vfio.fd;
	et_config.opening = vm_opening;

	vm.ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(vm.ram != MAP_FAILED);
	vm_page_tables();
	len = (uintptr_t)guest_code_end - (uintptr_t)guest_code;
	CHECK(len < ET_PAGE);
	memcpy(vm.ram + RAM_CODE, guest_code, len);
	vm_slot(SLOT_RAM, 0, RAM_SIZE, vm.ram);
	for (i = 0; i < VCPUS; i++)
		vcpu_create(i);
}

void vm_slot_bar2(bool on)
{
	if (vm.page0)
		vm_slot(SLOT_BAR2, vm.bar2, on ? ET_PAGE : 0, vm.page0);
	if (vm.pages)
		vm_slot(SLOT_PAGES, vm.bar2 + ET_PAGE, on ? PAGES_SIZE : 0,
			vm.pages);
}

static void vm_map_pages(void)
{
	u64 off, len;
	void *p;

	if (!et_area(&dev, BAR2, 1, &off, &len))
		return;
	CHECK_EQ(off, ET_PAGE);
	CHECK_EQ(len, PAGES_SIZE);
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, dev.fd,
		 dev.region[BAR2] + off);
	CHECK(p != MAP_FAILED);
	vm.pages = p;
}

void vm_decode(bool on)
{
	pthread_mutex_lock(&vm.lock);
	et_store(&dev, CFG, PCI_COMMAND, 2, PCI_COMMAND_MASTER |
		 (on ? PCI_COMMAND_MEMORY : 0));
	vm.decode = on;
	pthread_cond_broadcast(&vm.decodes);
	pthread_mutex_unlock(&vm.lock);
}

void vm_write_bar(unsigned int bar, u64 gpa)
{
	et_store(&dev, CFG, PCI_BASE_ADDRESS_0 + 4 * bar, 4, gpa);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_0 + 4 * bar + 4, 4, gpa >> 32);
}

/*
 * A machine with the device, up and running.  Doorbells of this process are
 * trapped: KVM does not tell of stores that are not the guest's.
 */
void vm_up(void)
{
	if (!et_config.doorbell)
		tap_skip("use -d");
	vm_create(0);
	et_open(&dev, uuid0);
	vm.page0 = dev.map[BAR2];
	dev.map[BAR2] = NULL;
	vm_map_pages();

	vm_slot(SLOT_ARENA, ET_ARENA_IOVA, ET_ARENA_SIZE, dev.arena.va);
	vm_write_bar(0, GPA_BAR0);
	vm_write_bar(2, GPA_BAR2);
	vm.bar2 = GPA_BAR2;
	vm_decode(true);
	vm_slot(SLOT_BAR0, GPA_BAR0 + ION_INTR_CTRL_OFF, ET_PAGE,
		dev.map[BAR0]);
	vm_slot_bar2(true);
	et_up(&dev);
	et_netdev_up(&dev, false);
}

void vm_down(void)
{
	unsigned int i;

	if (vm.page0)
		munmap((void *)vm.page0, ET_PAGE);
	if (vm.pages)
		munmap((void *)vm.pages, PAGES_SIZE);
	et_close(&dev);
	for (i = 0; i < VCPUS; i++)
		close(vm.cpu[i].fd);
	close(vm.vfio);
	close(vm.fd);
	close(vm.kvm);
}

/*
 * A driver does not ring while its BARs are off; the code does not know.  So its
 * store waits here.
 */
static void vcpu_mmio(struct vcpu *c)
{
	struct kvm_run *run = c->run;
	u64 gpa = run->mmio.phys_addr, region, val = 0;

	CHECK(run->mmio.is_write);
	memcpy(&val, run->mmio.data, run->mmio.len);
	if (gpa - GPA_BAR0 < ION_BAR0_SIZE)
		region = BAR0;
	else
		region = BAR2;
	pthread_mutex_lock(&vm.lock);
	while (!vm.decode)
		pthread_cond_wait(&vm.decodes, &vm.lock);
	CHECK_EQ(pwrite(dev.fd, &val, run->mmio.len, dev.region[region] +
			gpa % (region == BAR0 ? ION_BAR0_SIZE : ION_BAR2_SIZE)),
		 run->mmio.len);
	pthread_mutex_unlock(&vm.lock);
}

static void vcpu_regs(struct vcpu *c)
{
	struct kvm_regs regs = {
		.rip = RAM_CODE, .rflags = 2,
		.rdi = RAM_ARG + (c - vm.cpu) * ET_PAGE,
	};

	SYS(ioctl(c->fd, KVM_SET_REGS, &regs));
}

/*
 * The guest has no IDT, so any exception is its end.  It takes none by itself, and the
 * device can make none: but in the emulated SVM of QEMU a guest may go on with its
 * host's CR3 (tools/lab/README.md).  All it knows is in memory.
 */
static void vcpu_revive(struct vcpu *c)
{
	if (c->deaths == 3)
		FAIL("the guest has died three times, at doorbell %llu",
		     (unsigned long long)c->arg->index);
	c->deaths++;
	tap_note("CPU %td has died at doorbell %llu: starts again", c - vm.cpu,
		 (unsigned long long)c->arg->index);
	vcpu_long_mode(c);
	vcpu_regs(c);
}

static void *vcpu_thread(void *arg)
{
	struct vcpu *c = arg;

	c->tid = syscall(SYS_gettid);
	while (!c->done) {
		if (ioctl(c->fd, KVM_RUN, 0)) {
			if (errno == EINTR)
				continue;
			if (!c->may_fault || errno != EFAULT)
				FAIL("KVM_RUN: %m");
			break;
		}
		c->exits++;
		switch (c->run->exit_reason) {
		case KVM_EXIT_MMIO:
			vcpu_mmio(c);
			break;
		case KVM_EXIT_HLT:
			c->done = true;
			break;
		case KVM_EXIT_SHUTDOWN:
			vcpu_revive(c);
			break;
		default:
			FAIL("exit of the guest: reason %u, doorbell %llu",
			     c->run->exit_reason,
			     (unsigned long long)c->arg->index);
		}
	}
	c->done = true;
	return NULL;
}

u64 mask_us(u64 us)
{
	u64 ticks = us * vm.ticks_per_ms / 1000, mask = 0;

	while (2 * mask + 1 <= ticks)
		mask = 2 * mask + 1;
	return mask;
}

struct vcpu *vcpu_prepare(unsigned int i, u64 flags)
{
	struct et_queue *q = &dev.tx[i];
	struct vcpu *c = &vm.cpu[i];
	volatile struct guest_arg *a = c->arg;
	unsigned int slot;

	/* the same frame, whatever the guest posts; the head is the guest's */
	for (slot = 0; slot < q->n; slot++)
		et_tx_desc(q, dev.rx[1].buf.iova, 60, ION_TXD_CSUM_NONE, 0, 0);
	c->q = q;
	a->db = vm.bar2 + q->hw_type * 8;
	a->qid = (u64)q->hw_index << 24;
	a->mask = q->n - 1;
	a->cq = q->cq.iova;
	a->seed = i + 1;
	a->flags = flags;
	a->ack = GPA_BAR0 + ION_INTR_CTRL_OFF + q->intr * ION_INTR_CTRL_STRIDE +
		 ION_INTR_CREDITS;
	vcpu_regs(c);
	return c;
}

void vcpu_start(struct vcpu *c, u64 doorbells)
{
	vcpu_regs(c);
	c->arg->left = doorbells;
	c->done = false;
	CHECK(!pthread_create(&c->thread, NULL, vcpu_thread, c));
}

void dump(void)
{
	static const char * const file[] = { "regs", "queues", "interrupts" };
	char path[160], line[512];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/kernel/debug/ernic_host/%s/%s",
			 dev.uuid, file[i]);
		f = fopen(path, "re");
		if (!f)
			continue;
		while (fgets(line, sizeof(line), f)) {
			line[strcspn(line, "\n")] = 0;
			if (strncmp(line, "db_", 3) && i == 0)
				continue;
			tap_note("%s", line);
		}
		fclose(f);
	}
}

static void kick(int sig)
{
}

/* where the kernel has the thread of a CPU */
static void where(const struct vcpu *c)
{
	static const char * const file[] = { "stat", "wchan", "stack" };
	char path[64], line[256];
	unsigned int i;
	FILE *f;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/%s", c->tid,
			 file[i]);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f)) {
			line[strcspn(line, "\n")] = 0;
			tap_note("%s: %s", file[i], line);
		}
		if (f)
			fclose(f);
	}
}

/*
 * A CPU whose doorbells have all arrived, and which goes on after a signal, was asleep
 * in KVM: on an emulated processor that happens, and the device can do nothing about
 * it.
 */
void vcpu_watch(struct vcpu *c, u64 *index, u64 *since)
{
	u64 now = et_now_ms();

	if (c->done || c->arg->index != *index || !*since) {
		*index = c->arg->index;
		*since = now;
	} else if (now - *since > 5000) {
		dump();
		where(c);
		if (queue_counter("tx", c->q->index, "doorbells") < *index ||
		    c->kicks == 3)
			FAIL("doorbell %llu of queue %u is lost",
			     (unsigned long long)*index, c->q->index);
		c->kicks++;
		tap_note("CPU of queue %u stands still: signal %u",
			 c->q->index, c->kicks);
		signal(SIGUSR1, kick);
		pthread_kill(c->thread, SIGUSR1);
		*since = now;
	}
}

void vcpu_join(struct vcpu *c)
{
	u64 index = 0, since = 0;

	while (!c->done) {
		vcpu_watch(c, &index, &since);
		usleep(1000);
	}
	CHECK(!pthread_join(c->thread, NULL));
}
