// SPDX-License-Identifier: GPL-2.0-only
/* The tests' frame: debugfs files, devices by name. */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "ulp.h"

static DEFINE_MUTEX(ulp_lock);
static DEFINE_MUTEX(ulp_devices_lock);
static struct ib_device *ulp_devices[8];
static struct dentry *ulp_dir;
static char ulp_result[256];
static u32 ulp_step;
/* the one whose devices may go; ulp_devices_lock */
static struct ulp *ulp_running;

static int ulp_add(struct ib_device *dev)
{
	guard(mutex)(&ulp_devices_lock);
	for (int i = 0; i < ARRAY_SIZE(ulp_devices); i++) {
		if (!ulp_devices[i]) {
			ulp_devices[i] = dev;
			return 0;
		}
	}
	return -ENOSPC;
}

/* From here on the driver has the device do nothing (ionic_ibdev.c:ionic_destroy_ibdev). */
static void ulp_going(struct ib_device *dev)
{
	struct ulp *u;

	guard(mutex)(&ulp_devices_lock);
	u = ulp_running;
	if (!u || (u->a.dev != dev && u->b.dev != dev))
		return;
	u->a.gone |= u->a.dev == dev;
	u->b.gone |= u->b.dev == dev;
	complete(&u->going);
}

static void ulp_run_on(struct ulp *u)
{
	guard(mutex)(&ulp_devices_lock);
	ulp_running = u;
}

/* A test that runs on the device is told, and waited for. */
static void ulp_remove(struct ib_device *dev, void *data)
{
	ulp_going(dev);
	guard(mutex)(&ulp_lock);
	guard(mutex)(&ulp_devices_lock);
	for (int i = 0; i < ARRAY_SIZE(ulp_devices); i++)
		if (ulp_devices[i] == dev)
			ulp_devices[i] = NULL;
}

static struct ib_client ulp_client = {
	.name = "ernic_ulp",
	.add = ulp_add,
	.remove = ulp_remove,
};

static struct ib_device *ulp_find(const char *name)
{
	guard(mutex)(&ulp_devices_lock);
	for (int i = 0; i < ARRAY_SIZE(ulp_devices); i++)
		if (ulp_devices[i] && !strcmp(dev_name(&ulp_devices[i]->dev), name))
			return ulp_devices[i];
	return NULL;
}

int ulp_fail(struct ulp *u, const char *fmt, ...)
{
	va_list ap;

	if (!u->why[0]) {
		va_start(ap, fmt);
		vscnprintf(u->why, sizeof(u->why), fmt, ap);
		va_end(ap);
	}
	return -EIO;
}

void ulp_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_op *op = container_of(wc->wr_cqe, struct ulp_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

void ulp_op_init(struct ulp_op *op)
{
	memset(op, 0, sizeof(*op));
	op->cqe.done = ulp_done;
	init_completion(&op->done);
}

struct ulp_op *ulp_op(struct ulp *u)
{
	struct ulp_op *op = &u->ops[u->next++ % ARRAY_SIZE(u->ops)];

	ulp_op_init(op);
	return op;
}

int ulp_wait(struct ulp *u, struct ulp_end *e, struct ulp_op *op, enum ib_wc_status want, const char *what)
{
	unsigned long end = jiffies + ULP_TIMEOUT;

	if (e->cq->poll_ctx == IB_POLL_DIRECT) {
		while (!try_wait_for_completion(&op->done)) {
			if (time_after(jiffies, end))
				return ulp_fail(u, "%s: no completion of %s", e->name, what);
			ib_process_cq_direct(u->a.cq, -1);
			ib_process_cq_direct(u->b.cq, -1);
			cond_resched();
		}
	} else if (!wait_for_completion_timeout(&op->done, ULP_TIMEOUT)) {
		return ulp_fail(u, "%s: no completion of %s", e->name, what);
	}
	if (op->wc.status != want)
		return ulp_fail(u, "%s: %s: %s, want %s", e->name, what, ib_wc_status_msg(op->wc.status),
				ib_wc_status_msg(want));
	return 0;
}

void ulp_at(u32 step)
{
	WRITE_ONCE(ulp_step, step);
}

int ulp_meet(struct ulp *u, u32 at, u32 to)
{
	unsigned long end = jiffies + 6 * ULP_TIMEOUT;

	ulp_at(at);
	while (READ_ONCE(ulp_step) != to) {
		if (time_after(jiffies, end))
			return ulp_fail(u, "step %u: nobody came", at);
		msleep(20);
	}
	return 0;
}

static const struct ulp_test *ulp_test(const char *name)
{
	static const struct ulp_test *const all[] = { ulp_basic, ulp_memory, ulp_state, ulp_load };

	for (int i = 0; i < ARRAY_SIZE(all); i++)
		for (const struct ulp_test *t = all[i]; t->name; t++)
			if (!strcmp(t->name, name))
				return t;
	return NULL;
}

static int ulp_run(char *line)
{
	char *name = strsep(&line, " \n"), *dev_a = strsep(&line, " \n"), *dev_b = strsep(&line, " \n");
	const struct ulp_test *t = ulp_test(name);
	struct ib_device *a = dev_a ? ulp_find(dev_a) : NULL, *b = dev_b ? ulp_find(dev_b) : NULL;
	u64 seed = 1;
	int rc;

	if (line && *line && kstrtou64(strim(line), 0, &seed))
		return -EINVAL;
	if (!t || !a || !b) {
		snprintf(ulp_result, sizeof(ulp_result), "no such %s\n", t ? "device" : "test");
		return -ENOENT;
	}

	struct ulp *u __free(kvfree) = kvzalloc_obj(*u);

	if (!u)
		return -ENOMEM;
	prandom_seed_state(&u->rnd, seed);
	init_completion(&u->going);
	rc = ulp_end_open(u, &u->a, "requester", a, t->poll);
	if (!rc)
		rc = ulp_end_open(u, &u->b, "responder", b, t->poll);
	if (!rc) {
		ulp_run_on(u);
		rc = t->run(u);
		ulp_run_on(NULL);
	}
	ulp_disconnect(u);
	ulp_end_close(&u->b);
	ulp_end_close(&u->a);
	snprintf(ulp_result, sizeof(ulp_result), "%s: seed %llu: %s (%d)\n", name, seed,
		 rc ? u->why[0] ? u->why : "failed" : "ok", rc);
	return rc;
}

static ssize_t ulp_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char line[128];
	int rc;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = 0;
	guard(mutex)(&ulp_lock);
	rc = ulp_run(line);
	return rc ? rc : len;
}

static ssize_t ulp_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	guard(mutex)(&ulp_lock);
	return simple_read_from_buffer(buf, len, pos, ulp_result, strlen(ulp_result));
}

static const struct file_operations ulp_fops = {
	.owner = THIS_MODULE,
	.write = ulp_write,
	.read = ulp_read,
};

static int __init ulp_init(void)
{
	int rc = ib_register_client(&ulp_client);

	if (rc)
		return rc;
	ulp_dir = debugfs_create_dir("ernic_ulp", NULL);
	debugfs_create_file("run", 0600, ulp_dir, NULL, &ulp_fops);
	debugfs_create_u32("step", 0600, ulp_dir, &ulp_step);
	return 0;
}

static void __exit ulp_exit(void)
{
	debugfs_remove(ulp_dir);
	ib_unregister_client(&ulp_client);
}

module_init(ulp_init);
module_exit(ulp_exit);
MODULE_DESCRIPTION("Test of kernel verbs");
MODULE_LICENSE("GPL");
