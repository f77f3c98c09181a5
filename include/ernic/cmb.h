/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Controller memory, BAR4: 8 MiB in which processes of the guest keep send queues, so
 * that a request is its own doorbell.  See drivers/ernic/function/cmb.c.
 */
#ifndef ERNIC_CMB_H
#define ERNIC_CMB_H

#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <ionic/regs.h>

struct ernic_cmd_ctx;
struct ernic_dev;
struct vm_fault;

/**
 * struct ernic_cmb_ring - pages that one queue has
 * @wake: called by a store that was announced; any context, under the lock
 * @first: first page
 * @npages: their number
 * @region: the queue's process stores by this alias of them
 * @armed: page whose next access is announced, or ERNIC_CMB_HOT
 * @announced: a fault came, its request did not yet
 * @hot_at: when something came last, ktime
 * @arm_ns: what arming costs, a moving average
 * @grace_ns: how long the store of a fault may take
 */
struct ernic_cmb_ring {
	void (*wake)(struct ernic_cmb_ring *r);
	u32 first;
	u32 npages;
	u8 region;
	u32 armed;
	bool announced;
	u64 hot_at;
	u64 arm_ns;
	u64 grace_ns;
};

#define ERNIC_CMB_HOT		U32_MAX

/**
 * struct ernic_cmb - controller memory of a device
 * @on: there is a BAR4; changes while the device is being opened and closed
 * @mapped: the VMM has mapped it
 * @lock: all that follows, @armed of the rings, and the mapping of the pages
 * @page: memory, of those that were used
 * @ring: whose page it is
 */
struct ernic_cmb {
	bool on;
	bool mapped;
	struct mutex lock;		/* see above */
	struct page **page;
	struct ernic_cmb_ring **ring;
	u32 npages;
	u32 nrings;
	u64 arms;
	u64 useless;			/* something had come before */
	u64 faults;			/* that announced a request */
	u64 refaults;			/* that did not */
	u64 traps;			/* stores that came by the VMM */
};

/* a VMM opens or closes the device; process context */
int ernic_cmb_open(struct ernic_dev *edev);
void ernic_cmb_close(struct ernic_dev *edev);

bool ernic_cmb_offered(const struct ernic_dev *edev);
/* do requests of 64 bytes have room for a doorbell? */
bool ernic_express_64(const struct ernic_dev *edev);
u8 ernic_cmb_discover(struct ernic_dev *edev, struct ernic_cmd_ctx *c);

/* the front end's side; process context */
vm_fault_t ernic_cmb_fault(struct ernic_dev *edev, unsigned long pgoff,
			   struct vm_fault *vmf);
u64 ernic_cmb_read(struct ernic_dev *edev, u32 off, unsigned int size);
void ernic_cmb_write(struct ernic_dev *edev, u32 off, unsigned int size,
		     u64 val);

/* the queue's side; process context */
int ernic_cmb_claim(struct ernic_dev *edev, struct ernic_cmb_ring *r,
		    u64 addr, u64 len, unsigned int stride_log2);
void ernic_cmb_release(struct ernic_dev *edev, struct ernic_cmb_ring *r);
void *ernic_cmb_ptr(struct ernic_dev *edev, const struct ernic_cmb_ring *r,
		    u32 off);
void ernic_cmb_arm(struct ernic_dev *edev, struct ernic_cmb_ring *r, u32 off);
void ernic_cmb_disarm(struct ernic_dev *edev, struct ernic_cmb_ring *r);

#endif
