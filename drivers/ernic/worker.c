// SPDX-License-Identifier: GPL-2.0-only
/*
 * Worker threads.  Kicking one is lockless and possible in any context, so a
 * doorbell costs the vCPU one atomic operation and at most one wake-up.
 */
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

static void ernic_worker_poll(struct ernic_worker *w)
{
	struct ernic_page *page = w->page;

	if (page)
		atomic_inc(&page->busy);
	while (w->poll(w)) {
		if (kthread_should_stop())
			break;
		cond_resched();
		/* what came meanwhile is for the next batch */
		if (page)
			ernic_page_peek(page);
	}
	if (page)
		atomic_dec(&page->busy);
}

static int ernic_worker_fn(void *arg)
{
	struct ernic_worker *w = arg;
	struct mem_cgroup *memcg;

	memcg = set_active_memcg(w->memcg);
	while (!kthread_should_stop()) {
		wait_event_idle(w->wait, test_bit(0, &w->pending) ||
				kthread_should_stop());
		if (!test_and_clear_bit(0, &w->pending))
			continue;
		w->wakeups++;
		/* a guest may store to its page without a pause */
		do {
			ernic_worker_poll(w);
			cond_resched();
		} while (!kthread_should_stop() &&
			 ernic_page_linger(w->page, w));
	}
	if (w->page)
		ernic_page_leave(w->page, w);
	set_active_memcg(memcg);
	return 0;
}

/**
 * ernic_worker_init - prepare a worker; it may be kicked from now on
 * @w: worker
 * @poll: see struct ernic_worker
 */
void ernic_worker_init(struct ernic_worker *w,
		       bool (*poll)(struct ernic_worker *w))
{
	init_waitqueue_head(&w->wait);
	w->poll = poll;
}
ERNIC_KUNIT_EXPORT(ernic_worker_init);

/**
 * ernic_worker_start - give a worker its thread
 * @w: worker without a thread
 * @fmt: name of the thread
 *
 * Return: 0 or a negative errno.
 */
int ernic_worker_start(struct ernic_worker *w, const char *fmt, ...)
{
	char name[TASK_COMM_LEN];
	struct task_struct *task;
	va_list ap;

	va_start(ap, fmt);
	vscnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);

	w->polling = false;
	/* of the caller, or what the caller works for */
	w->memcg = get_mem_cgroup_from_mm(NULL);
	task = kthread_run(ernic_worker_fn, w, "%s", name);
	if (IS_ERR(task)) {
		mem_cgroup_put(w->memcg);
		return PTR_ERR(task);
	}
	w->task = task;
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_worker_start);

/**
 * ernic_worker_stop - take the thread away; poll is not running on return
 * @w: worker, with or without a thread
 */
void ernic_worker_stop(struct ernic_worker *w)
{
	if (!w->task)
		return;
	kthread_stop(w->task);
	w->task = NULL;
	mem_cgroup_put(w->memcg);
}
ERNIC_KUNIT_EXPORT(ernic_worker_stop);

/**
 * ernic_worker_kick - have poll run once more from now
 * @w: worker; any context, no lock
 */
void ernic_worker_kick(struct ernic_worker *w)
{
	if (!test_and_set_bit(0, &w->pending))
		wake_up(&w->wait);
}
ERNIC_KUNIT_EXPORT(ernic_worker_kick);
