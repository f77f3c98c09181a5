// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault handlers of the doorbell page for the tests (include/ernic/control.h).
 *
 * In all of them some of the faults take long after the page's lock was released.
 * That may happen to any, by preemption; with the right handler it is harmless.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <ernic/control.h>

/* of these, one fault is slow */
#define ERNIC_CONTROL_SLOW	4

enum {
	ERNIC_CONTROL_RIGHT,
	/* KVM looks at the PTE after the fault, once */
	ERNIC_CONTROL_PFNMAP,
	/* the caller inserts the PTE, after the lock was released */
	ERNIC_CONTROL_UNLOCKED,
};

static unsigned int control;
module_param(control, uint, 0444);
MODULE_PARM_DESC(control, "fault handler: 0 right, 1 VM_PFNMAP, 2 a page that is returned unlocked");

/**
 * ernic_control_insert - map the page of a fault
 * @p: page; its lock is held
 * @vmf: fault
 */
vm_fault_t ernic_control_insert(struct ernic_page *p, struct vm_fault *vmf)
{
	switch (control) {
	case ERNIC_CONTROL_PFNMAP:
		return vmf_insert_pfn(vmf->vma, vmf->address,
				      page_to_pfn(p->page));
	case ERNIC_CONTROL_UNLOCKED:
		return VM_FAULT_NOPAGE;
	default:
		return vmf_insert_page(vmf->vma, vmf->address, p->page);
	}
}

/**
 * ernic_control_return - the result of a fault
 * @p: page
 * @vmf: fault
 * @ret: result, of ernic_control_insert() or an error
 */
vm_fault_t ernic_control_return(struct ernic_page *p, struct vm_fault *vmf,
				vm_fault_t ret)
{
	static atomic_t n;

	if (atomic_inc_return(&n) % ERNIC_CONTROL_SLOW == 0)
		usleep_range(100, 300);
	if (control != ERNIC_CONTROL_UNLOCKED || ret != VM_FAULT_NOPAGE)
		return ret;
	get_page(p->page);
	vmf->page = p->page;
	return 0;
}

/**
 * ernic_control_vm_flags - kind of mapping
 */
vm_flags_t ernic_control_vm_flags(void)
{
	return control == ERNIC_CONTROL_PFNMAP ? VM_PFNMAP : VM_MIXEDMAP;
}
