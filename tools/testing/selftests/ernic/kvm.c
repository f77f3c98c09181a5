// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM with KVM: doorbells and acknowledgments of a guest whose accesses go to the
 * device's pages through memory slots.  The guest is a page of code that rings,
 * waits for the completion and pauses; this process sets up the queues and does
 * the rest.  Run with -d trap, track, fault and auto.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kvm_guest.h"
#include "tests.h"

#define PARAM(name)	"/sys/module/ernic_host/parameters/" name
#define TRACING		"/sys/kernel/tracing"

/* guest physical addresses; the arena is where the device sees it */
#define RAM_SIZE	0x10000ull
#define RAM_PML4	0x1000
#define RAM_PDPT	0x2000
#define RAM_PD		0x3000	/* the first GiB, then that of the arena */
#define RAM_CODE	0x8000
#define RAM_ARG		0x9000	/* one page a CPU */
#define GPA_BAR0	0x10000000ull
#define GPA_BAR2	0x20000000ull
#define GPA_MOVED	0x28000000ull
#define VCPUS		2

#define PTE_TABLE	0x07ull	/* present, writable, user */
#define PTE_LARGE	0x87ull

enum { SLOT_RAM, SLOT_ARENA, SLOT_BAR0, SLOT_BAR2 };

static struct et_dev dev;

/* ---- the guest's code -------------------------------------------------------- */

#define WAIT_COMP	1	/* for the completion of each doorbell */
#define WAIT_IRQ	2	/* for the interrupt; gives the credit back */

/* what the code shares with this process, at RAM_ARG; offsets are in the code */
struct guest_arg {
	u64 db;			/* 0x00 address of the slot, may change */
	u64 qid;		/* 0x08 the upper part of a doorbell */
	u64 mask;		/* 0x10 entries of the ring, less 1 */
	u64 cq;			/* 0x18 completion ring */
	u64 left;		/* 0x20 doorbells to ring, then HLT */
	u64 index;		/* 0x28 how many were rung */
	u64 pause;		/* 0x30 after each, in ticks of the TSC */
	u64 gap_long;		/* 0x38 a random part of that mask more, */
	u64 gap_short;		/* 0x40 or of this */
	u64 seed;		/* 0x48 */
	u64 flags;		/* 0x50 WAIT_* */
	u64 irqs;		/* 0x58 interrupts until now */
	u64 taken;		/* 0x60 interrupts that the code saw */
	u64 ack;		/* 0x68 address of the credits register */
};

_Static_assert(offsetof(struct guest_arg, ack) == 0x68, "offsets in the code");

/* ---- the VMM ----------------------------------------------------------------- */

struct vcpu {
	int fd;
	struct kvm_run *run;
	volatile struct guest_arg *arg;
	pthread_t thread;
	struct et_queue *q;
	volatile bool done;
	bool may_fault;		/* the mapping goes away under it */
	u64 exits;		/* to this process */
};

static struct vm {
	int kvm, fd, vfio;
	u8 *ram;
	struct vcpu cpu[VCPUS];
	volatile u8 *page0;	/* doorbells, mapped; NULL if they trap */
	u64 ticks_per_ms;	/* TSC */
	u64 bar2;
	pthread_mutex_t lock;	/* @decode */
	pthread_cond_t decodes;
	bool decode;		/* PCI_COMMAND_MEMORY */
} vm;

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

static void vm_create(unsigned long type)
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

static void vm_slot_bar2(bool on)
{
	if (vm.page0)
		vm_slot(SLOT_BAR2, vm.bar2, on ? ET_PAGE : 0, vm.page0);
}

static void vm_decode(bool on)
{
	pthread_mutex_lock(&vm.lock);
	et_store(&dev, CFG, PCI_COMMAND, 2, PCI_COMMAND_MASTER |
		 (on ? PCI_COMMAND_MEMORY : 0));
	vm.decode = on;
	pthread_cond_broadcast(&vm.decodes);
	pthread_mutex_unlock(&vm.lock);
}

static void vm_write_bar(unsigned int bar, u64 gpa)
{
	et_store(&dev, CFG, PCI_BASE_ADDRESS_0 + 4 * bar, 4, gpa);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_0 + 4 * bar + 4, 4, gpa >> 32);
}

/*
 * A machine with the device, up and running.  Doorbells of this process are
 * trapped: KVM does not tell of stores that are not the guest's.
 */
static void vm_up(void)
{
	if (!et_config.doorbell)
		tap_skip("use -d");
	vm_create(0);
	et_open(&dev, uuid0);
	vm.page0 = dev.map[BAR2];
	dev.map[BAR2] = NULL;

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

static void vm_down(void)
{
	unsigned int i;

	if (vm.page0)
		munmap((void *)vm.page0, ET_PAGE);
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

static void *vcpu_thread(void *arg)
{
	struct vcpu *c = arg;

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
		default:
			FAIL("exit of the guest: reason %u, rip %#llx",
			     c->run->exit_reason,
			     (unsigned long long)c->arg->index);
		}
	}
	c->done = true;
	return NULL;
}

/* a mask of at most @us */
static u64 mask_us(u64 us)
{
	u64 ticks = us * vm.ticks_per_ms / 1000, mask = 0;

	while (2 * mask + 1 <= ticks)
		mask = 2 * mask + 1;
	return mask;
}

/* readies CPU @i for queue @i */
static struct vcpu *vcpu_prepare(unsigned int i, u64 flags)
{
	struct et_queue *q = &dev.tx[i];
	struct vcpu *c = &vm.cpu[i];
	volatile struct guest_arg *a = c->arg;
	struct kvm_regs regs = {
		.rip = RAM_CODE, .rflags = 2, .rdi = RAM_ARG + i * ET_PAGE,
	};
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
	SYS(ioctl(c->fd, KVM_SET_REGS, &regs));
	return c;
}

static void vcpu_start(struct vcpu *c, u64 doorbells)
{
	struct kvm_regs regs;

	SYS(ioctl(c->fd, KVM_GET_REGS, &regs));
	regs.rip = RAM_CODE;
	SYS(ioctl(c->fd, KVM_SET_REGS, &regs));
	c->arg->left = doorbells;
	c->done = false;
	CHECK(!pthread_create(&c->thread, NULL, vcpu_thread, c));
}

static void dump(void)
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

/* did it move since the last call for this CPU? fails if it did not for long */
static void vcpu_watch(struct vcpu *c, u64 *index, u64 *since)
{
	u64 now = et_now_ms();

	if (c->done || c->arg->index != *index || !*since) {
		*index = c->arg->index;
		*since = now;
	} else if (now - *since > 5000) {
		dump();
		FAIL("doorbell %llu of queue %u is lost",
		     (unsigned long long)*index, c->q->index);
	}
}

static void vcpu_join(struct vcpu *c)
{
	u64 index = 0, since = 0;

	while (!c->done) {
		vcpu_watch(c, &index, &since);
		usleep(1000);
	}
	CHECK(!pthread_join(c->thread, NULL));
}

/* ---- what is counted --------------------------------------------------------- */

static u64 counter(const char *name)
{
	return et_debugfs(dev.uuid, "regs", name);
}

/* number behind @name in the line of "queues" that begins with @type and @index */
static u64 queue_counter(const char *type, unsigned int index, const char *name)
{
	char path[160], line[512], *p;
	unsigned long long val;
	bool found = false;
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ernic_host/%s/queues",
		 dev.uuid);
	f = fopen(path, "re");
	CHECK(f);
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, type, strlen(type)) &&
			sscanf(line + strlen(type), "%u", &i) == 1 &&
			i == index && (p = strstr(line, name)) &&
			sscanf(p + strlen(name), "%llu", &val) == 1;
	fclose(f);
	if (!found)
		FAIL("queues: no %s %u %s", type, index, name);
	return val;
}

/* KVM's statistics of a machine or a CPU, by name; 0 if there is none of it */
static u64 kvm_stat(int of, const char *name)
{
	struct kvm_stats_header h;
	u64 desc[32], val = 0;
	struct kvm_stats_desc *d = (void *)desc;
	size_t size;
	unsigned int i;
	int fd = SYS(ioctl(of, KVM_GET_STATS_FD, NULL));

	CHECK_EQ(pread(fd, &h, sizeof(h), 0), sizeof(h));
	size = sizeof(*d) + h.name_size;
	CHECK(size <= sizeof(desc));
	for (i = 0; i < h.num_desc; i++) {
		CHECK_EQ(pread(fd, d, size, h.desc_offset + i * size), size);
		if (strcmp(d->name, name))
			continue;
		CHECK_EQ(pread(fd, &val, sizeof(val), h.data_offset +
			       d->offset), sizeof(val));
		break;
	}
	close(fd);
	return val;
}

struct counts {
	u64 user, exits, fixed, emulated, flushes, wakeups, doorbells, arms, ns;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void count(struct vcpu *c, struct counts *n)
{
	n->user = c->exits;
	n->exits = kvm_stat(c->fd, "exits");
	n->fixed = kvm_stat(c->fd, "pf_fixed");
	n->emulated = kvm_stat(c->fd, "pf_emulate");
	n->flushes = kvm_stat(vm.fd, "remote_tlb_flush");
	n->wakeups = queue_counter("worker", c->q->index, "wakeups");
	n->doorbells = queue_counter("tx", c->q->index, "doorbells");
	n->arms = counter("db_arms");
	n->ns = now_ns();
}

/* ---- modes ------------------------------------------------------------------- */

/* external write tracking; without it auto is fault and track is trap */
static bool kernel_tracks(void)
{
	char line[256];
	bool found = false;
	FILE *f = fopen("/proc/kallsyms", "re");

	CHECK(f);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, " kvm_write_track_add_gfn");
	fclose(f);
	return found;
}

static const char *wanted_mode(void)
{
	if (!strcmp(et_config.doorbell, "auto"))
		return kernel_tracks() ? "track-arm" : "fault";
	if (!strcmp(et_config.doorbell, "track"))
		return kernel_tracks() ? "track" : "trap";
	return et_config.doorbell;
}

static bool mode_arms(void)
{
	return !strcmp(wanted_mode(), "fault") ||
	       !strcmp(wanted_mode(), "track-arm");
}

static void mode_is(const char *want)
{
	char path[192], got[32];

	snprintf(path, sizeof(path), "%s/ernic/doorbell_mode", dev.path);
	CHECK_EQ(et_read_file(path, got, sizeof(got)), 0);
	if (strcmp(got, want))
		FAIL("doorbell_mode is %s, want %s", got, want);
}

static void idle_us(unsigned int us)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", us);
	CHECK_EQ(et_write_file(PARAM("idle_us"), text), 0);
}

static unsigned int wanted(void)
{
	const char *n = getenv("ERNIC_TRANSITIONS");

	return n ? atoi(n) : 20000;
}

TEST(mode, 30)
{
	struct vcpu *c;

	vm_up();
	CHECK_EQ(!!vm.page0, strcmp(wanted_mode(), "trap") != 0);
	mode_is("trap");
	c = vcpu_prepare(0, WAIT_COMP);
	vcpu_start(c, 100);
	vcpu_join(c);
	mode_is(wanted_mode());
	CHECK_EQ(queue_counter("tx", 0, "doorbells"), 100);
	CHECK_EQ(counter("db_track_errors"), 0);
	et_check_canary(&dev);
	vm_down();
	/* the next VMM has not mapped anything */
	et_config.opening = NULL;
	et_open(&dev, uuid0);
	mode_is("trap");
}

/* KVM neither sees nor emulates stores of such a guest */
TEST(confidential, 30)
{
	vm_create(1);		/* KVM_X86_SW_PROTECTED_VM */
	et_open(&dev, uuid0);
	CHECK(!dev.map[BAR2]);
}

/* ---- no doorbell is lost ------------------------------------------------------ */

TEST(transitions, 7200)
{
	unsigned int n = wanted();
	u64 rung = 0, arms = 0, start;
	struct vcpu *c;

	vm_up();
	idle_us(1);
	c = vcpu_prepare(0, WAIT_COMP);
	/* half of the doorbells hit the page as it goes to sleep */
	c->arg->gap_long = mask_us(300);
	c->arg->gap_short = mask_us(20);
	start = et_now_ms();
	do {
		vcpu_start(c, 1000);
		vcpu_join(c);
		rung += 1000;
		arms = counter("db_arms");
	} while (rung < n || (mode_arms() && arms < n && rung < 8ull * n));
	idle_us(60);
	mode_is(wanted_mode());
	tap_note("%llu doorbells, %llu arms, %llu ms", (unsigned long long)rung,
		 (unsigned long long)arms,
		 (unsigned long long)(et_now_ms() - start));
	tap_note("%llu faults, %llu tracks, %llu useless, %llu refaults",
		 (unsigned long long)counter("db_faults"),
		 (unsigned long long)counter("db_tracks"),
		 (unsigned long long)counter("db_useless"),
		 (unsigned long long)counter("db_refaults"));
	if (mode_arms() && arms < n)
		FAIL("only %llu of %u transitions", (unsigned long long)arms, n);
	CHECK_EQ(queue_counter("tx", 0, "doorbells"), rung);
	CHECK_EQ(counter("db_unknown"), 0);
	et_check_canary(&dev);
}

/* two CPUs, queues and workers on one page */
TEST(two_cpus, 120)
{
	unsigned int i, n = wanted() / 4;

	vm_up();
	idle_us(5);
	for (i = 0; i < VCPUS; i++) {
		struct vcpu *c = vcpu_prepare(i, WAIT_COMP);

		c->arg->gap_long = mask_us(200);
		c->arg->gap_short = mask_us(10);
		vcpu_start(c, n);
	}
	for (i = 0; i < VCPUS; i++)
		vcpu_join(&vm.cpu[i]);
	idle_us(60);
	tap_note("%u doorbells each, %llu arms", n,
		 (unsigned long long)counter("db_arms"));
	for (i = 0; i < VCPUS; i++)
		CHECK_EQ(queue_counter("tx", i, "doorbells"), n);
	et_check_canary(&dev);
}

/* ---- every value, in order --------------------------------------------------- */

#define INSTANCE	TRACING "/instances/ernic-kvm"

static void trace_start(void)
{
	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0700))
		tap_skip("%s: %s", INSTANCE, strerror(errno));
	CHECK_EQ(et_write_file(INSTANCE "/buffer_size_kb", "8192"), 0);
	CHECK_EQ(et_write_file(INSTANCE "/events/ernic/ernic_doorbell/enable",
			       "1"), 0);
}

/*
 * Values of both queues, each in its order and without a gap.  One may come twice,
 * as long as tracking is not proven: by polling, and told of.
 */
static void trace_check(u64 n)
{
	u64 seen[VCPUS] = { }, twice = 0;
	char line[512];
	unsigned int i;
	FILE *f;

	CHECK_EQ(et_write_file(INSTANCE "/events/ernic/ernic_doorbell/enable",
			       "0"), 0);
	f = fopen(INSTANCE "/trace", "re");
	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		const char *p = strstr(line, "qid=");
		unsigned int qid, index;

		if (!p || sscanf(p, "qid=%u p_index=%u", &qid, &index) != 2)
			continue;
		for (i = 0; i < VCPUS; i++) {
			u32 mask = dev.tx[i].n - 1;

			if (qid != dev.tx[i].hw_index)
				continue;
			if (seen[i] && index == (seen[i] & mask))
				twice++;
			else if (index != (++seen[i] & mask))
				FAIL("value %llu of queue %u is %u",
				     (unsigned long long)seen[i], i, index);
		}
	}
	fclose(f);
	SYS(rmdir(INSTANCE));
	for (i = 0; i < VCPUS; i++)
		CHECK_EQ(seen[i], n);
	tap_note("%llu values came twice", (unsigned long long)twice);
	CHECK(twice < 10);
}

TEST(every_value, 120)
{
	unsigned int i, n = 10000;

	if (!et_config.doorbell || mode_arms())
		tap_skip("only the last value of a slot counts");
	trace_start();
	vm_up();
	/* the device falls behind and laps the rings: that does not matter here */
	for (i = 0; i < VCPUS; i++)
		vcpu_prepare(i, 0);
	for (i = 0; i < VCPUS; i++)
		vcpu_start(&vm.cpu[i], n);
	for (i = 0; i < VCPUS; i++)
		vcpu_join(&vm.cpu[i]);
	trace_check(n);
}

/* ---- the memory slot comes and goes -------------------------------------------- */

/*
 * What a VMM does when a guest sizes, moves or switches its BARs, under fire.  One
 * CPU: KVM warns when one stores for the first time to a slot that another has just
 * found missing (arch/x86/kvm/mmu/tdp_mmu.c:tdp_mmu_map_handle_target_level).
 */
static void slot_changes(void (*change)(unsigned int i, unsigned int *seed),
			 unsigned int changes)
{
	u64 rung, got, index = 0, since = 0;
	unsigned int i, seed = 5;
	struct vcpu *c;

	vm_up();
	idle_us(5);
	c = vcpu_prepare(0, WAIT_COMP);
	c->arg->gap_long = mask_us(200);
	c->arg->gap_short = mask_us(10);
	vcpu_start(c, 1u << 30);
	for (i = 0; i < changes; i++) {
		change(i, &seed);
		vcpu_watch(c, &index, &since);
		usleep(rand_r(&seed) % 3000);
	}
	c->arg->left = 0;
	vcpu_join(c);
	idle_us(60);
	rung = c->arg->index;
	got = queue_counter("tx", 0, "doorbells");
	tap_note("%llu doorbells, %llu exits, %llu traps, %llu arms",
		 (unsigned long long)rung, (unsigned long long)c->exits,
		 (unsigned long long)counter("db_traps"),
		 (unsigned long long)counter("db_arms"));
	tap_note("%llu tracks, %llu moves, %llu track errors",
		 (unsigned long long)counter("db_tracks"),
		 (unsigned long long)counter("db_moves"),
		 (unsigned long long)counter("db_track_errors"));
	CHECK(rung > changes);
	/* see trace_check() */
	CHECK(got >= rung && got - rung < rung / 50 + 10);
	et_check_canary(&dev);
}

static void change_slot(unsigned int i, unsigned int *seed)
{
	if (i & 1)
		vm_decode(false);
	vm_slot_bar2(false);
	usleep(rand_r(seed) % 1000);
	if (i & 1)
		vm_decode(true);
	if (i & 2)
		usleep(rand_r(seed) % 1000);
	vm_slot_bar2(true);
}

TEST(slot_goes, 120)
{
	slot_changes(change_slot, wanted() / 40);
}

static void change_bar(unsigned int i, unsigned int *seed)
{
	u64 to = vm.bar2 == GPA_BAR2 ? GPA_MOVED : GPA_BAR2;

	if (i & 1)
		vm_decode(false);
	/* the register first: the slot is at the old address for a while */
	vm_write_bar(2, to);
	usleep(rand_r(seed) % 300);
	vm_slot_bar2(false);
	vm.bar2 = to;
	if (i & 2)
		vm_slot_bar2(true);
	vm.cpu[0].arg->db = to + vm.cpu[0].q->hw_type * 8;
	if (!(i & 2))
		vm_slot_bar2(true);
	if (i & 1)
		vm_decode(true);
}

TEST(bar_moves, 120)
{
	slot_changes(change_bar, wanted() / 40);
}

/* ---- interrupts --------------------------------------------------------------- */

/* each interrupt is acknowledged by a store to the mapped registers */
TEST(interrupts, 60)
{
	u64 index = 0, since = 0, irqs = 0, n = 3000;
	struct vcpu *c;

	vm_up();
	et_irq_enable(&dev, dev.tx[0].intr);
	c = vcpu_prepare(0, WAIT_COMP | WAIT_IRQ);
	c->arg->gap_long = mask_us(200);
	c->arg->gap_short = mask_us(5);
	vcpu_start(c, n);
	while (!c->done) {
		irqs += et_irq_wait(dev.irq[dev.tx[0].intr], 10);
		c->arg->irqs = irqs;
		vcpu_watch(c, &index, &since);
	}
	vcpu_join(c);
	tap_note("%llu interrupts, %llu exits, %llu looks of the timer",
		 (unsigned long long)irqs, (unsigned long long)c->exits,
		 (unsigned long long)counter("intr_ticks"));
	CHECK_EQ(irqs, n);
	if (vm.page0)
		CHECK_EQ(c->exits, 1);
	et_check_canary(&dev);
}

/* ---- costs --------------------------------------------------------------------- */

static unsigned long long per_1000(u64 count, u64 n)
{
	return count * 1000 / n;
}

static void report(const char *what, struct vcpu *c, u64 n)
{
	struct counts a, b;

	count(c, &a);
	vcpu_start(c, n);
	vcpu_join(c);
	count(c, &b);
	tap_note("%s, per 1000 doorbells: %llu exits to the VMM, %llu exits", what,
		 per_1000(b.user - a.user - 1, n), per_1000(b.exits - a.exits, n));
	tap_note("%llu faults, %llu emulations, %llu TLB flushes, %llu arms, %llu wake-ups",
		 per_1000(b.fixed - a.fixed, n),
		 per_1000(b.emulated - a.emulated, n),
		 per_1000(b.flushes - a.flushes, n),
		 per_1000(b.arms - a.arms, n),
		 per_1000(b.wakeups - a.wakeups, n));
	tap_note("%llu ns each", (unsigned long long)(b.ns - a.ns) / n);
	/* HLT is one */
	CHECK_EQ(b.user - a.user, (vm.page0 ? 0 : n) + 1);
	CHECK_EQ(b.doorbells - a.doorbells, n);
}

TEST(costs, 120)
{
	struct vcpu *c;

	vm_up();
	c = vcpu_prepare(0, WAIT_COMP);
	/* the first has to fault */
	vcpu_start(c, 10);
	vcpu_join(c);
	report("busy", c, 5000);
	c->arg->pause = 3 * vm.ticks_per_ms;
	report("idle before each", c, 500);
}

/* ---- the VMM goes away --------------------------------------------------------- */

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
