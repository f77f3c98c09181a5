// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells of a guest whose stores go to the device's page: none is lost, and where
 * each value counts, each arrives.  The guest is a page of code that rings, waits for
 * the completion and pauses; this process sets up the queues and does the rest.  Run
 * with -d trap, track, fault and auto.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kvm.h"
#include "verbs.h"

#define TRACING		"/sys/kernel/tracing"

TEST(mode, 30)
{
	struct vcpu *c;
	u64 first;

	vm_up();
	CHECK_EQ(!!vm.page0, strcmp(wanted_mode(), "trap") != 0);
	mode_is("trap");
	c = vcpu_prepare(0, WAIT_COMP);
	/* until then one may come twice: by polling, and told of */
	prove(c);
	first = queue_counter("tx", 0, "doorbells");
	vcpu_start(c, 100);
	vcpu_join(c);
	mode_is(wanted_mode());
	CHECK_EQ(queue_counter("tx", 0, "doorbells") - first, 100);
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

/* doorbells between two looks at the counters */
#define CHUNK		1000

/*
 * With a quiet time of 0 the page goes to sleep whenever the worker is done, so each
 * doorbell is a transition, or hits the page on its way.  In modes that do not arm it
 * is the worker that sleeps and wakes.
 */
TEST(transitions, 7200)
{
	unsigned int n = wanted(), rung = 0;
	u64 arms, first, start;
	struct vcpu *c;

	vm_up();
	idle_us(0);
	c = vcpu_prepare(0, WAIT_COMP);
	prove(c);
	first = queue_counter("tx", 0, "doorbells");
	c->arg->gap_long = mask_us(300);
	c->arg->gap_short = mask_us(20);
	arms = counter("db_arms");
	start = et_now_ms();
	do {
		vcpu_start(c, CHUNK);
		vcpu_join(c);
		rung += CHUNK;
	} while (mode_arms() ? counter("db_arms") - arms < n && rung / 4 < n :
			       rung < n);
	arms = counter("db_arms") - arms;
	idle_us(60);
	mode_is(wanted_mode());
	tap_note("%u doorbells, %llu transitions, %llu ms", rung,
		 (unsigned long long)arms,
		 (unsigned long long)(et_now_ms() - start));
	tap_note("%llu faults, %llu tracks, %llu useless, %llu refaults",
		 (unsigned long long)counter("db_faults"),
		 (unsigned long long)counter("db_tracks"),
		 (unsigned long long)counter("db_useless"),
		 (unsigned long long)counter("db_refaults"));
	if (mode_arms() && arms < n)
		FAIL("only %llu of %u transitions", (unsigned long long)arms, n);
	CHECK_EQ(queue_counter("tx", 0, "doorbells") - first, rung);
	CHECK_EQ(counter("db_unknown"), 0);
	et_check_canary(&dev);
}

/* two CPUs, queues and workers on one page */
TEST(two_cpus, 7200)
{
	unsigned int i, n = wanted() / 4;
	u64 first[VCPUS];

	vm_up();
	idle_us(0);
	for (i = 0; i < VCPUS; i++)
		vcpu_prepare(i, WAIT_COMP);
	prove(&vm.cpu[0]);
	for (i = 0; i < VCPUS; i++) {
		struct vcpu *c = &vm.cpu[i];

		first[i] = queue_counter("tx", i, "doorbells");
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
		CHECK_EQ(queue_counter("tx", i, "doorbells") - first[i], n);
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
	/* exact over all CPUs */
	CHECK_EQ(et_write_file(INSTANCE "/trace_clock", "counter"), 0);
	CHECK_EQ(et_write_file(INSTANCE "/events/ernic/ernic_doorbell/enable",
			       "1"), 0);
}

/*
 * Values of both CPUs from @first on, each in its order, and without a gap.  The last
 * one of a CPU may come again, at most @again times: by polling and told of, while
 * tracking is not proven.
 */
static void trace_check(const u64 first[VCPUS], u64 n, unsigned int again)
{
	u64 seen[VCPUS];
	char line[512];
	unsigned int i;
	FILE *f;

	memcpy(seen, first, sizeof(seen));
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
			volatile struct guest_arg *a = vm.cpu[i].arg;

			if (qid != a->qid >> 24)
				continue;
			if (again && index == (seen[i] & a->mask)) {
				again--;
				continue;
			}
			if (index != (++seen[i] & a->mask))
				FAIL("value %llu of CPU %u is %u",
				     (unsigned long long)seen[i], i, index);
		}
	}
	fclose(f);
	SYS(rmdir(INSTANCE));
	for (i = 0; i < VCPUS; i++)
		CHECK_EQ(seen[i] - first[i], n);
}

TEST(every_value, 120)
{
	unsigned int i, n = 10000;
	u64 first[VCPUS];

	if (!et_config.doorbell || mode_arms())
		tap_skip("only the last value of a slot counts");
	vm_up();
	/* the device falls behind and laps the rings: that does not matter here */
	for (i = 0; i < VCPUS; i++)
		vcpu_prepare(i, 0);
	prove(&vm.cpu[0]);
	trace_start();
	for (i = 0; i < VCPUS; i++) {
		first[i] = vm.cpu[i].arg->index;
		vcpu_start(&vm.cpu[i], n);
	}
	for (i = 0; i < VCPUS; i++)
		vcpu_join(&vm.cpu[i]);
	trace_check(first, n, 0);
}

/* ---- pages of processes ------------------------------------------------------- */

#define USER_PAGE	5
#define USER_CQ		100	/* not the number of a transmit queue */

/* the number behind @name in the line of the page in "pages" of debugfs */
static u64 page_counter(const char *name)
{
	char path[160], line[512], word[32];
	u64 n = ~0ull;
	FILE *f;

	snprintf(word, sizeof(word), " %s ", name);
	snprintf(path, sizeof(path), "/sys/kernel/debug/ernic_host/%s/pages",
		 dev.uuid);
	f = fopen(path, "re");
	CHECK(f);
	while (fgets(line, sizeof(line), f))
		if (atoi(line) == USER_PAGE)
			n = strtoull(strstr(line, word) + strlen(word), NULL, 10);
	fclose(f);
	return n;
}

/* both CPUs, of one process, ring @n times for CQs of their own */
static void user_ring(u64 n, unsigned int again)
{
	u64 first[VCPUS];
	unsigned int i;

	trace_start();
	for (i = 0; i < VCPUS; i++) {
		first[i] = vm.cpu[i].arg->index;
		vm.cpu[i].exits = 0;
		vcpu_start(&vm.cpu[i], n);
	}
	for (i = 0; i < VCPUS; i++)
		vcpu_join(&vm.cpu[i]);
	trace_check(first, n, again);
}

/*
 * Queues of a process share a slot, and each value arrives: told of by KVM, or by trap.
 * The first ones, too, and those after the memory slot was gone.
 */
TEST(user_page, 300)
{
	bool told = strncmp(wanted_mode(), "track", 5) == 0;
	struct er_cq cq[VCPUS] = { };
	struct ion_admin_wqe wqe;
	struct er_dev r = { };
	unsigned int i;
	u64 n = 3000;

	vm_up();
	CHECK_EQ(!!vm.pages, told);
	/* no RDMA: the last value of a slot is not enough */
	if (!strcmp(wanted_mode(), "fault"))
		return;
	er_setup(&r, &dev, 1);
	for (i = 0; i < VCPUS; i++) {
		volatile struct guest_arg *a;

		cq[i].r = &r;
		cq[i].id = USER_CQ + i;
		cq[i].ring = et_alloc(&dev, ER_CQ_DEPTH * 32, 0);
		wqe = er_cq_wqe(&cq[i]);
		wqe.cmd.create_cq.dbid_flags = htole16(USER_PAGE);
		CHECK_EQ(er_admin(&r, &wqe), 0);
		a = vcpu_prepare(i, 0)->arg;
		a->db = vm.bar2 + USER_PAGE * ET_PAGE + r.id.rdma.cq.qtype * 8;
		a->qid = (u64)cq[i].id << 24;
		a->mask = 0xffff;
	}
	/* without a pause, if told of: it is the VMM's exits that take time */
	user_ring(n, told ? n / 4 : 0);
	vm_slot_bar2(false);
	usleep(1000);
	vm_slot_bar2(true);
	user_ring(n, told ? n / 4 : 0);
	CHECK_EQ(counter("db_unknown"), 0);
	if (!told)
		return;
	tap_note("%llu told of, %llu by trap, %llu faults, %llu arms",
		 (unsigned long long)page_counter("tracks"),
		 (unsigned long long)page_counter("traps"),
		 (unsigned long long)page_counter("faults"),
		 (unsigned long long)page_counter("arms"));
	CHECK_EQ(page_counter("traps"), 0);
	CHECK(page_counter("tracks") >= 2 * VCPUS * n);
	/* to this process: the one that halts */
	for (i = 0; i < VCPUS; i++)
		CHECK_EQ(vm.cpu[i].exits, 1);
}
