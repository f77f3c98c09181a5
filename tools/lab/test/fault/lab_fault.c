// SPDX-License-Identifier: GPL-2.0
/* Does what a broken module does, so that the lab can show that it notices. */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "warn, oops, uaf, leak, lockdep, sleep");

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);
static DEFINE_SPINLOCK(spin);

static int __init fault_init(void)
{
	if (!strcmp(what, "warn")) {
		WARN(1, "lab_fault: as asked\n");
	} else if (!strcmp(what, "oops")) {
		WRITE_ONCE(*(int *)8, 1);
	} else if (!strcmp(what, "uaf")) {
		char *p = kmalloc(32, GFP_KERNEL);

		kfree(p);
		OPTIMIZER_HIDE_VAR(p);
		WRITE_ONCE(*p, 1);
	} else if (!strcmp(what, "leak")) {
		int i;

		/* Several: a stale pointer on some stack may hide one. */
		for (i = 0; i < 16; i++)
			pr_info("lab_fault: leak %p\n", kmalloc(1000, GFP_KERNEL));
	} else if (!strcmp(what, "lockdep")) {
		mutex_lock(&lock_a);
		mutex_lock(&lock_b);
		mutex_unlock(&lock_b);
		mutex_unlock(&lock_a);
		mutex_lock(&lock_b);
		mutex_lock(&lock_a);
		mutex_unlock(&lock_a);
		mutex_unlock(&lock_b);
	} else if (!strcmp(what, "sleep")) {
		spin_lock(&spin);
		msleep(20);
		spin_unlock(&spin);
	}
	return 0;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_DESCRIPTION("Deliberate faults for the self-test of the lab");
MODULE_LICENSE("GPL");
