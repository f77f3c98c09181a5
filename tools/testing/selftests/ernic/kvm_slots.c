// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory slot of the doorbell page comes and goes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "kvm.h"

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
		usleep(rand_r(&seed) % 3000);
		/* where each doorbell costs an exit a change must not outrun them */
		do {
			vcpu_watch(c, &index, &since);
			usleep(20);
		} while (!c->done && c->arg->index == index);
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
	CHECK(rung >= changes);
	/* while tracking is not proven one may come twice: by polling, and told of */
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

TEST(slot_goes, 1200)
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

TEST(bar_moves, 1200)
{
	slot_changes(change_bar, wanted() / 40);
}
