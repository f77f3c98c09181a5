/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Negative controls: fault handlers that are known to be wrong, which the tests have
 * to find.  Only in a module that the tests build, with ERNIC_CONTROLS=y.
 */
#ifndef ERNIC_CONTROL_H
#define ERNIC_CONTROL_H

#include <linux/mm.h>

#include <ernic/page.h>

#ifdef ERNIC_CONTROLS
/* function/control.c */
vm_fault_t ernic_control_insert(struct ernic_page *p, struct vm_fault *vmf);
vm_fault_t ernic_control_return(struct ernic_page *p, struct vm_fault *vmf,
				vm_fault_t ret);
vm_flags_t ernic_control_vm_flags(void);
#else
static inline vm_fault_t ernic_control_insert(struct ernic_page *p,
					      struct vm_fault *vmf)
{
	return vmf_insert_page(vmf->vma, vmf->address, p->page);
}

static inline vm_fault_t ernic_control_return(struct ernic_page *p,
					      struct vm_fault *vmf,
					      vm_fault_t ret)
{
	return ret;
}

#define ernic_control_vm_flags()	VM_MIXEDMAP
#endif

#endif
