// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a doorbell and an interrupt cost in exits, faults and wake-ups.
 */
#include <time.h>

#include "kvm.h"

/* ---- doorbells --------------------------------------------------------------- */

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
	prove(c);
	report("busy", c, 5000);
	c->arg->pause = 3 * vm.ticks_per_ms;
	report("idle before each", c, 500);
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
