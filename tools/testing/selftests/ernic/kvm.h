/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine of the kvm tests: kvm_vm.c makes it, kvm_guest.S is what it runs, and
 * kvm_stat.c counts.
 */
#ifndef ERNIC_KVM_H
#define ERNIC_KVM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests.h"

#define GPA_BAR2	0x20000000ull
#define GPA_MOVED	0x28000000ull
#define VCPUS		2

/* kvm_guest.S */
extern const unsigned char guest_code[], guest_code_end[];

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

struct vcpu {
	int fd;
	struct kvm_run *run;
	volatile struct guest_arg *arg;
	pthread_t thread;
	struct et_queue *q;
	volatile bool done;
	bool may_fault;		/* the mapping goes away under it */
	pid_t tid;
	unsigned int kicks;	/* see vcpu_watch() */
	unsigned int deaths;	/* see vcpu_revive() */
	u64 exits;		/* to this process */
};

struct vm {
	int kvm, fd, vfio;
	u8 *ram;
	struct vcpu cpu[VCPUS];
	volatile u8 *page0;	/* doorbells, mapped; NULL if they trap */
	volatile u8 *pages;	/* those of processes; NULL if they trap */
	u64 ticks_per_ms;	/* TSC */
	u64 bar2;
	pthread_mutex_t lock;	/* @decode */
	pthread_cond_t decodes;
	bool decode;		/* PCI_COMMAND_MEMORY */
};

extern struct et_dev dev;
extern struct vm vm;

/* ---- kvm_vm.c ---------------------------------------------------------------- */

/* a machine of @type, without the device */
void vm_create(unsigned long type);
/* a machine with the device, whose transmit queues are up */
void vm_up(void);
void vm_down(void);
/* the memory slots of the doorbell pages */
void vm_slot_bar2(bool on);
void vm_decode(bool on);
void vm_write_bar(unsigned int bar, u64 gpa);

/* a mask of at most @us, in ticks of the TSC */
u64 mask_us(u64 us);
/* readies CPU @i for queue @i; @db may be changed */
struct vcpu *vcpu_prepare(unsigned int i, u64 flags);
void vcpu_start(struct vcpu *c, u64 doorbells);
/* did it move since the last call for this CPU? fails if it did not for long */
void vcpu_watch(struct vcpu *c, u64 *index, u64 *since);
void vcpu_join(struct vcpu *c);
/* what debugfs says, as notes */
void dump(void);

/* ---- kvm_stat.c -------------------------------------------------------------- */

/* from "regs" in debugfs */
u64 counter(const char *name);
/* what db_page there says */
bool page_is(const char *name);
/* number behind @name in the line of "queues" that begins with @type and @index */
u64 queue_counter(const char *type, unsigned int index, const char *name);
/* KVM's statistics of a machine or a CPU, by name; 0 if there is none of it */
u64 kvm_stat(int of, const char *name);

/* the mode that the machine has to have, as -d and this kernel say */
const char *wanted_mode(void);
/* does the page go to sleep in it? */
bool mode_arms(void);
void mode_is(const char *want);
void idle_us(unsigned int us);
/* how many transitions */
unsigned int wanted(void);
/* rings until each value comes once */
void prove(struct vcpu *c);

#endif
