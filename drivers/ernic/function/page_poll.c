// SPDX-License-Identifier: GPL-2.0-only
/*
 * Polling of a doorbell page: by the workers whose queues have slots in it, until it
 * has been quiet for as long as arming is worth.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#include "page_priv.h"

/* shortest nap between two looks */
#define ERNIC_PAGE_NAP		(50 * NSEC_PER_USEC)
/* longest quiet time that comes from the cost of arming, as a multiple of idle_us */
#define ERNIC_PAGE_QUIET_MAX	160
/* quiet and grace time grow to this multiple when they prove too short */
#define ERNIC_PAGE_BACKOFF	4

static unsigned int idle_us = 60;
module_param(idle_us, uint, 0644);
MODULE_PARM_DESC(idle_us, "microseconds without a doorbell before a page is armed (default 60)");

static unsigned int grace_ms = 1;
module_param(grace_ms, uint, 0644);
MODULE_PARM_DESC(grace_ms, "milliseconds that the store of a fault may take (default 1)");

/*
 * Polling for as long as the way into sleep and out of it takes is never worse than
 * twice the best.  Only the way in can be measured here; the way out is an exit, an
 * emulation or a fault, and a wake-up.
 */
u64 ernic_page_quiet_ns(u64 arm_ns)
{
	u64 set = (u64)READ_ONCE(idle_us) * NSEC_PER_USEC;

	return max(set, min(4 * arm_ns, ERNIC_PAGE_QUIET_MAX * set));
}

/**
 * ernic_page_quiet_min - how long a page must be quiet, if that proves long enough
 * @p: page; the caller holds its lock
 */
u64 ernic_page_quiet_min(const struct ernic_page *p)
{
	return ernic_page_quiet_ns(p->arm_ns);
}

/**
 * ernic_page_quiet_grow - a store came too soon after the page was armed
 * @p: page; the caller holds its lock
 */
void ernic_page_quiet_grow(struct ernic_page *p)
{
	p->useless++;
	p->quiet_ns = min(2 * p->quiet_ns,
			  ERNIC_PAGE_BACKOFF * ernic_page_quiet_min(p));
}

u64 ernic_page_grace_min(void)
{
	return (u64)READ_ONCE(grace_ms) * NSEC_PER_MSEC;
}

u64 ernic_page_grace_next(u64 grace_ns)
{
	return min(2 * grace_ns,
		   4 * ERNIC_PAGE_BACKOFF * ernic_page_grace_min());
}

static void ernic_page_grace_grow(struct ernic_page *p)
{
	p->grace_ns = ernic_page_grace_next(p->grace_ns);
}

/**
 * ernic_page_peek - take what came while a worker was busy
 * @p: its page
 *
 * The worker that an announcement has woken may have other work for long, and
 * need not be a poller yet.
 */
void ernic_page_peek(struct ernic_page *p)
{
	if (ernic_page_hot(p))
		ernic_page_scan(p);
}

/**
 * ernic_page_leave - a worker polls no more
 * @p: its page
 * @w: worker
 *
 * The last one arms the page.
 */
void ernic_page_leave(struct ernic_page *p, struct ernic_worker *w)
{
	if (!w->polling)
		return;
	w->polling = false;
	if (!atomic_dec_and_test(&p->pollers) || !ernic_page_hot(p))
		return;
	ernic_page_arm(p, w);
	if (!ernic_page_scan(p) || p->mode == ERNIC_PAGE_TRACK)
		return;
	ernic_page_disarm(p);
	w->polling = true;
	atomic_inc(&p->pollers);
	ernic_worker_kick(w);
}
ERNIC_KUNIT_EXPORT(ernic_page_leave);

/*
 * Burning a CPU that others want only delays what is waited for; and beyond idle_us,
 * where the quiet time is long because arming is slow, a nap is cheap by comparison.
 */
bool ernic_page_spins(u64 waited_ns)
{
	return waited_ns < (u64)READ_ONCE(idle_us) * NSEC_PER_USEC &&
	       single_task_running() && !need_resched();
}

u64 ernic_page_nap_ns(u64 arm_ns)
{
	return max_t(u64, ERNIC_PAGE_NAP, arm_ns / 4);
}

static void ernic_page_wait(const struct ernic_page *p, u64 waited)
{
	ktime_t nap;

	if (ernic_page_spins(waited)) {
		cpu_relax();
		return;
	}
	nap = ns_to_ktime(ernic_page_nap_ns(p->arm_ns));
	set_current_state(TASK_IDLE);
	schedule_hrtimeout(&nap, HRTIMER_MODE_REL);
}

/**
 * ernic_page_linger - look for doorbells until it is quiet
 * @p: page of the worker, or NULL
 * @w: worker that has nothing to do
 *
 * Return: it has, now; otherwise the next doorbell will kick it.
 */
bool ernic_page_linger(struct ernic_page *p, struct ernic_worker *w)
{
	u64 start, now;

	if (!p || (!ernic_page_hot(p) && !w->polling))
		return false;
	if (!w->polling) {
		w->polling = true;
		atomic_inc(&p->pollers);
	}

	start = ktime_get_ns();
	for (;;) {
		ernic_page_scan(p);
		if (test_and_clear_bit(0, &w->pending))
			return true;
		if (kthread_should_stop() || !ernic_page_hot(p))
			break;
		now = ktime_get_ns() - start;
		if (now >= READ_ONCE(p->quiet_ns)) {
			if (!READ_ONCE(p->announced))
				break;
			if (now >= READ_ONCE(p->grace_ns)) {
				ernic_page_grace_grow(p);
				break;
			}
		}
		ernic_page_wait(p, now);
	}
	ernic_page_leave(p, w);
	return test_and_clear_bit(0, &w->pending);
}
ERNIC_KUNIT_EXPORT(ernic_page_linger);

/**
 * ernic_page_poll - look at a page that no worker has
 * @p: page of upage.c
 *
 * Return: it is hot; look again.
 */
bool ernic_page_poll(struct ernic_page *p)
{
	s64 hot, quiet = READ_ONCE(p->quiet_ns);

	if (!ernic_page_hot(p))
		return false;
	/* a value that nobody told of: then tracking has to begin anew, at once */
	if (!ernic_page_scan(p)) {
		/* a fault may come meanwhile, and be later */
		hot = ktime_get_ns() - READ_ONCE(p->hot_at);
		if (READ_ONCE(p->announced))
			quiet = max_t(s64, quiet, READ_ONCE(p->grace_ns));
		if (hot < quiet)
			return true;
		if (READ_ONCE(p->announced))
			ernic_page_grace_grow(p);
	}
	ernic_page_arm(p, NULL);
	ernic_page_scan(p);
	/* or a store has come since; its kick may have found this one running */
	return ernic_page_hot(p);
}
ERNIC_KUNIT_EXPORT(ernic_page_poll);
