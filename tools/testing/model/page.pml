/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A doorbell page with two guest CPUs and the workers of two queues, after the
 * protocol at the top of drivers/ernic/function/page.c.  Names are those of the
 * code.  Each CPU stores to the slot of its queue.
 *
 * Proven in all interleavings: when everybody sleeps, each queue has seen the last
 * value of its slot.  Steps are sequentially consistent; what the barriers of the
 * code are for is not modelled.  Nor are time, grace and memory slots.
 *
 *	-DTRACK		armed by write tracking, else by taking the mapping away
 *	-DUNLOCKED	wrong: the mapping is made after the lock was dropped
 *	-DNO_REREAD	wrong: no last look after arming
 */
#ifndef STORES
#define STORES 2
#endif
#define hot	(!armed)

byte mem[2], last[2];		/* slots, and what was taken from them */
byte done[2];			/* what the queue has worked on */
bool pending[2];		/* kicked */
byte pollers;
byte wake;			/* whom an announcement wakes */
bool lock;			/* page->lock */
bool armed = true;
#ifdef TRACK
bool pte = true, tracked = true;
#else
bool pte;			/* the page table has the page */
bool tracked;			/* ... not writable: KVM emulates and tells */
#endif
bool tlb[2];			/* a CPU has a writable translation */

inline take_lock() { atomic { !lock -> lock = true } }
inline drop_lock() { lock = false }

/* one slot at a time; the spinlock makes each atomic */
inline scan_slot(s)
{
	d_step {
		if
		:: mem[s] != last[s] ->
			last[s] = mem[s];
			pending[s] = true;
			found = true
		:: else
		fi
	}
}

inline scan()
{
	found = false;
	scan_slot(0);
	scan_slot(1)
}

/* ---- guest ---------------------------------------------------------------- */

/* forgets what is of no more use, as all do here: fewer states are different */
inline kick_woken()
{
	atomic {
		if
		:: woken -> pending[wake] = true; woken = false
		:: else
		fi
	}
}

inline fault()
{
	take_lock();
#ifndef UNLOCKED
	pte = true;
#endif
	woken = armed;
	armed = false;
	drop_lock();
	kick_woken();
#ifdef UNLOCKED
	pte = true;
#endif
}

/* ernic_page_written(); the test of @tracked without the lock is the filter */
inline told()
{
	woken = false;
	if
	:: tracked ->
		take_lock();
		if
		:: tracked ->
			tracked = false;
			woken = armed;
			armed = false
		:: else
		fi;
		drop_lock();
		scan();
		found = false;
		kick_woken()
	:: else
	fi
}

proctype cpu(byte id)
{
	byte v = 1;
	bool woken, found, emulate;

	do
	:: v > STORES -> break
	:: else ->
		emulate = false;
		if
		/* the store itself, by a translation that may be old */
		:: atomic { tlb[id] -> mem[id] = v; v++ }
		/* the walk of the page table */
		:: atomic { !tlb[id] && pte && !tracked -> tlb[id] = true }
		:: atomic { !tlb[id] && pte && tracked -> emulate = true }
		:: !tlb[id] && !pte -> fault()
		fi;
		if
		:: emulate ->
			/* KVM is at it, whatever becomes of the page meanwhile */
			mem[id] = v;
			v++;
			told()
		:: else
		fi
	od
}

/* ---- device --------------------------------------------------------------- */

inline arm()
{
	take_lock();
	if
	:: !armed ->
#ifdef TRACK
		tracked = true;
#else
		pte = false;
#endif
		/* waits for the CPUs */
		d_step { tlb[0] = false; tlb[1] = false };
		wake = id;
		armed = true
	:: else
	fi;
	drop_lock()
}

inline disarm()
{
	take_lock();
	tracked = false;
	armed = false;
	drop_lock()
}

proctype worker(byte id)
{
	bool polling, found, lastone;

end_sleep:
	atomic { pending[id] -> pending[id] = false };
poll:
	done[id] = last[id];
	if
	:: !hot && !polling -> goto end_sleep
	:: else
	fi;
	if
	:: !polling -> atomic { polling = true; pollers++ }
	:: else
	fi;
linger:
	scan();
	found = false;
	if
	:: atomic { pending[id] -> pending[id] = false }; goto poll
	:: else
	fi;
	if
	:: hot -> goto linger		/* not quiet for long enough */
	:: true
	fi;
	atomic { polling = false; pollers--; lastone = (pollers == 0) };
	if
	:: lastone && hot ->
		lastone = false;
		arm();
#ifndef NO_REREAD
		scan();
		if
		:: found ->
			found = false;
			disarm();
			atomic { polling = true; pollers++ };
			pending[id] = true
		:: else
		fi
#endif
	:: else -> lastone = false
	fi;
	if
	:: atomic { pending[id] -> pending[id] = false }; goto poll
	:: else -> goto end_sleep
	fi
}

init {
	atomic {
		run cpu(0);
		run cpu(1);
		run worker(0);
		run worker(1)
	}
end_watch:
	timeout;
	assert(done[0] == mem[0] && done[1] == mem[1]);
	assert(mem[0] == STORES && mem[1] == STORES)
}
