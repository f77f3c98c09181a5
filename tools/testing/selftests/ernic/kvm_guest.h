/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_KVM_GUEST_H
#define ERNIC_KVM_GUEST_H

/* kvm_guest.S */
extern const unsigned char guest_code[], guest_code_end[];

#endif
