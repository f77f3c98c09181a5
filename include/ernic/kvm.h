/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ernic_kvm.ko: what ernic_host.ko asks KVM for.  A module of its own, reached by
 * symbol_get(), so that ernic_host.ko loads where there is no KVM.
 */
#ifndef ERNIC_KVM_H
#define ERNIC_KVM_H

#include <linux/types.h>

struct kvm;

/**
 * struct ernic_kvm_client - one device in one virtual machine
 * @written: a tracked store was emulated and is in memory; in the vCPU thread,
 *	under KVM's SRCU; may sleep
 * @moved: memory slots are going away, and with them what was tracked in them
 */
struct ernic_kvm_client {
	void (*written)(struct ernic_kvm_client *c, u64 gpa, const void *data,
			unsigned int len);
	void (*moved)(struct ernic_kvm_client *c, u64 gfn, u64 n);
	void *priv;
};

/**
 * struct ernic_kvm_ops - calls into KVM; process context
 * @confidential: KVM cannot see or emulate the stores of this machine
 * @start: register a client: in the VMM's process, without mmap_lock.  The first
 *	one of a machine costs KVM two bytes for each page of the guest.
 *	0, -EOPNOTSUPP on a kernel without external write tracking, or a negative
 *	errno
 * @stop: undo @start; no callback runs on return, so hold no lock of theirs
 * @track: have stores to a guest frame emulated and told of; 0, or -EINVAL if no
 *	memory slot has it
 * @untrack: undo @track, unless @moved came since
 * @drain: wait for stores that are being emulated; hold no lock of the callbacks'
 */
struct ernic_kvm_ops {
	bool (*confidential)(struct kvm *kvm);
	int (*start)(struct kvm *kvm, struct ernic_kvm_client *c);
	void (*stop)(struct ernic_kvm_client *c);
	int (*track)(struct ernic_kvm_client *c, u64 gfn);
	void (*untrack)(struct ernic_kvm_client *c, u64 gfn);
	void (*drain)(struct ernic_kvm_client *c);
};

extern const struct ernic_kvm_ops ernic_kvm_ops;

#endif
