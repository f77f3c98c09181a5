/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the kernel that the function and the Ethernet engine use, in one
 * user-space thread: locks do nothing, workers and timers run when the harness
 * says so, allocations are malloc() so that AddressSanitizer sees them, and
 * what the kernel would BUG() about aborts.
 */
#ifndef KSHIM_H
#define KSHIM_H

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types and compiler ---- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef uint16_t __le16, __be16;
typedef uint32_t __le32, __be32;
typedef uint64_t __le64, __be64;
typedef uint16_t __sum16;
typedef uint32_t __wsum;
typedef unsigned int gfp_t;
typedef u64 netdev_features_t;
typedef int netdev_tx_t;

#define __packed	__attribute__((__packed__))
#define __aligned(n)	__attribute__((__aligned__(n)))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define __counted_by(n)
#define __force
#define __rcu
#define __user
#define __iomem
#define __init
#define __exit
#define __maybe_unused	__attribute__((__unused__))
#define noinline	__attribute__((__noinline__))
#define fallthrough	__attribute__((__fallthrough__))
#define ____cacheline_aligned_in_smp	__aligned(64)
#define likely(x)	(x)
#define unlikely(x)	(x)
#define static_assert(c, ...)	_Static_assert(c, "" __VA_ARGS__)

#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S16_MAX		INT16_MAX
#define PAGE_SHIFT	12
#define PAGE_SIZE	4096ul
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))
#define SMP_CACHE_BYTES	64
#define HZ		100
#define TASK_COMM_LEN	16

#define READ_ONCE(x)	(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define smp_load_acquire(p)	READ_ONCE(*(p))
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define smp_mb()	do { } while (0)
#define smp_wmb()	do { } while (0)
#define smp_mb__after_atomic()	do { } while (0)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define struct_group(name, ...) \
	union { struct { __VA_ARGS__ } __packed; struct { __VA_ARGS__ } __packed name; } __packed
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#define offsetofend(t, m)	(offsetof(t, m) + sizeof(((t *)0)->m))
#define struct_size(p, m, n)	(sizeof(*(p)) + (n) * sizeof((p)->m[0]))
#define swap(a, b)	do { typeof(a) t_ = (a); (a) = (b); (b) = t_; } while (0)

#define kshim_op(a, b, op)	({ typeof(a) a_ = (a); typeof(b) b_ = (b); \
				   a_ op b_ ? a_ : b_; })
#define min(a, b)	kshim_op(a, b, <)
#define max(a, b)	kshim_op(a, b, >)
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define max_t(t, a, b)	max((t)(a), (t)(b))
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(x, a)	(((x) + (a) - 1) & ~((typeof(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((typeof(x))(a) - 1))
#define IS_ALIGNED(x, a)	(((x) & ((typeof(x))(a) - 1)) == 0)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define hweight32(n)	__builtin_popcount(n)
#define IS_ENABLED(x)	0
#define array_index_nospec(i, n)	(i)

#define BIT(n)		(1ul << (n))
#define BIT_ULL(n)	(1ull << (n))
#define GENMASK(h, l)	((~0ul << (l)) & (~0ul >> (63 - (h))))
#define GENMASK_ULL(h, l)	((~0ull << (l)) & (~0ull >> (63 - (h))))
#define FIELD_GET(m, v)	((typeof(m))(((v) & (m)) >> __builtin_ctzll(m)))
#define FIELD_PREP(m, v)	(((typeof(m))(v) << __builtin_ctzll(m)) & (m))

#define for_each_set_bit(i, p, n)					\
	for ((i) = kshim_next_bit(p, n, 0); (i) < (n);			\
	     (i) = kshim_next_bit(p, n, (i) + 1))
#define bitmap_empty(p, n)	kshim_bitmap_empty(p, BITS_TO_LONGS(n))
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]
#define bitmap_zero(p, n)	memset(p, 0, BITS_TO_LONGS(n) * 8)

static inline bool test_bit(unsigned int n, const unsigned long *p)
{
	return p[n / 64] >> (n % 64) & 1;
}

static inline void set_bit(unsigned int n, unsigned long *p)
{
	p[n / 64] |= 1ul << (n % 64);
}

static inline void clear_bit(unsigned int n, unsigned long *p)
{
	p[n / 64] &= ~(1ul << (n % 64));
}

static inline bool test_and_set_bit(unsigned int n, unsigned long *p)
{
	bool was = test_bit(n, p);

	set_bit(n, p);
	return was;
}

static inline bool test_and_clear_bit(unsigned int n, unsigned long *p)
{
	bool was = test_bit(n, p);

	clear_bit(n, p);
	return was;
}

#define __set_bit		set_bit
#define __test_and_set_bit	test_and_set_bit

static inline unsigned int kshim_next_bit(const unsigned long *p, unsigned int n,
					  unsigned int i)
{
	while (i < n && !(p[i / 64] >> i % 64))
		i = (i / 64 + 1) * 64;
	return i < n ? i + __builtin_ctzl(p[i / 64] >> i % 64) : n;
}

static inline bool kshim_bitmap_empty(const unsigned long *p, unsigned int n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}
#define __test_and_clear_bit	test_and_clear_bit

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)

#define kshim_abort(why) do {						\
	fprintf(stderr, "finding: %s:%d: %s\n", __FILE__, __LINE__, why);	\
	abort();							\
} while (0)
#define WARN_ON_ONCE(c)	({ bool c_ = (c); if (c_) kshim_abort(#c); c_; })
#define WARN_ON		WARN_ON_ONCE
/* what must not be; ends the run */
#define NEVER(c)	((void)WARN_ON_ONCE(c))

/* ---- byte order ---- */

#define cpu_to_le16(x)	htole16(x)
#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)
#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)

#define kshim_unaligned(bits, end, swap)				\
static inline u##bits get_unaligned_##end##bits(const void *p)		\
{									\
	u##bits v;							\
									\
	memcpy(&v, p, sizeof(v));					\
	return swap##bits##toh(v);					\
}									\
static inline void put_unaligned_##end##bits(u##bits v, void *p)	\
{									\
	v = hto##swap##bits(v);						\
	memcpy(p, &v, sizeof(v));					\
}
kshim_unaligned(16, le, le)
kshim_unaligned(32, le, le)
kshim_unaligned(64, le, le)
kshim_unaligned(32, be, be)

#define get_unaligned(p) ({ typeof(*(p)) v_; memcpy((void *)&v_, p, sizeof(v_)); v_; })

/* ---- memory ---- */

#define GFP_KERNEL		0
#define GFP_ATOMIC		0
#define GFP_KERNEL_ACCOUNT	0
#define kzalloc(n, f)		calloc(1, n)
#define kvzalloc(n, f)		aligned_zalloc(n)
#define kmalloc(n, f)		malloc(n)
#define kcalloc(n, s, f)	calloc(n, s)
#define kvcalloc(n, s, f)	aligned_zalloc((n) * (s))
#define kfree(p)		free((void *)(p))
#define kvfree(p)		free((void *)(p))
#define kfree_rcu(p, m)		free((void *)(p))
#define kmalloc_obj(p, ...)	malloc(sizeof(p))
#define kzalloc_obj(p, ...)	calloc(1, sizeof(p))
#define kvzalloc_obj(p, ...)	aligned_zalloc(sizeof(p))
#define kmalloc_objs(p, n, ...)	calloc(n, sizeof(p))
#define kzalloc_objs(p, n, ...)	calloc(n, sizeof(p))
#define kvzalloc_objs(p, n, ...)	aligned_zalloc((n) * sizeof(p))
#define kzalloc_flex(p, m, n, ...)	calloc(1, struct_size(&(p), m, n))

static inline void *aligned_zalloc(size_t n)
{
	void *p = aligned_alloc(64, (n + 63) & ~63ul);

	if (p)
		memset(p, 0, n);
	return p;
}

#define ERR_PTR(e)	((void *)(long)(e))
#define PTR_ERR(p)	((long)(p))
#define IS_ERR(p)	((unsigned long)(p) >= -4095ul)

/* ---- locks, RCU, threads ---- */

/* held twice or given back twice would be a deadlock or worse */
struct mutex { int held; };
typedef struct { int held; } spinlock_t;
#define kshim_lock(l)	do { if ((l)->held++) kshim_abort("lock held"); } while (0)
#define kshim_unlock(l)	do { if (--(l)->held) kshim_abort("lock not held"); } while (0)
#define DEFINE_MUTEX(m)		struct mutex m
#define mutex_init(l)		((l)->held = 0)
#define mutex_destroy(l)	NEVER((l)->held)
#define mutex_lock(l)		kshim_lock(l)
#define mutex_unlock(l)		kshim_unlock(l)
#define spin_lock_init(l)	((l)->held = 0)
#define spin_lock(l)		kshim_lock(l)
#define spin_unlock(l)		kshim_unlock(l)
#define spin_lock_bh(l)		kshim_lock(l)
#define spin_unlock_bh(l)	kshim_unlock(l)
#define spin_lock_irq(l)	kshim_lock(l)
#define spin_unlock_irq(l)	kshim_unlock(l)
#define spin_lock_irqsave(l, f)	do { (void)(f); kshim_lock(l); } while (0)
#define spin_unlock_irqrestore(l, f)	kshim_unlock(l)
#define lockdep_is_held(l)	((l)->held)
#define lockdep_assert_held(l)	NEVER(!(l)->held)
#define local_bh_disable()	do { } while (0)
#define local_bh_enable()	do { } while (0)
#define cond_resched()		do { } while (0)

struct rcu_head { int unused; };
struct srcu_struct { int unused; };
#define rcu_read_lock()		do { } while (0)
#define rcu_read_unlock()	do { } while (0)
#define rcu_dereference(p)	(p)
#define rcu_access_pointer(p)	(p)
#define rcu_dereference_protected(p, c)	(p)
#define RCU_INIT_POINTER(p, v)	((p) = (v))
#define rcu_replace_pointer(p, v, c) ({ NEVER(!(c)); typeof(p) o_ = (p); (p) = (v); o_; })

struct task_struct;
typedef struct { int unused; } wait_queue_head_t;

extern unsigned long jiffies;
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)
#define time_before(a, b)	time_after(b, a)
#define msecs_to_jiffies(m)	((m) / (1000 / HZ))

struct timer_list {
	void (*fn)(struct timer_list *t);
	unsigned long expires;
	bool pending, dead, due;
	struct timer_list *next;
};
void timer_setup(struct timer_list *t, void (*fn)(struct timer_list *t), int f);
void mod_timer(struct timer_list *t, unsigned long expires);
bool timer_delete(struct timer_list *t);
#define timer_delete_sync(t)	timer_delete(t)
void timer_shutdown_sync(struct timer_list *t);

struct work_struct { void (*fn)(struct work_struct *w); };
struct delayed_work { struct work_struct work; struct timer_list timer; };
void kshim_delayed_fn(struct timer_list *t);
#define INIT_DELAYED_WORK(w, f) do {					\
	(w)->work.fn = (f);						\
	timer_setup(&(w)->timer, kshim_delayed_fn, 0);			\
} while (0)
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
#define schedule_delayed_work(w, d)					\
	do { if (!(w)->timer.pending) mod_timer(&(w)->timer, jiffies + (d)); } while (0)
struct workqueue_struct;
#define alloc_ordered_workqueue(fmt, ...)	((struct workqueue_struct *)malloc(1))
#define destroy_workqueue(wq)		free(wq)
#define queue_delayed_work(wq, w, d)	schedule_delayed_work(w, d)
#define cancel_delayed_work_sync(w)	timer_delete(&(w)->timer)

typedef struct { long v; } atomic64_t;
typedef struct { int v; } atomic_t;
#define atomic_set(a, n)	((a)->v = (n))
#define atomic_read(a)		((a)->v)
#define atomic_inc(a)		((a)->v++)
#define atomic_dec_and_test(a)	(--(a)->v == 0)
#define cmpxchg(p, o, n)	({ typeof(*(p)) w_ = *(p); if (w_ == (o)) *(p) = (n); w_; })

/* time goes on whenever somebody asks for it, and with it a CPU of the guest */
#define NSEC_PER_USEC		1000ll
#define NSEC_PER_MSEC		1000000ll
typedef int64_t ktime_t;
extern u64 kshim_ns;
extern void (*kshim_meanwhile)(void);
static inline u64 ktime_get_ns(void)
{
	if (kshim_meanwhile)
		kshim_meanwhile();
	return kshim_ns += 20000;
}
#define ns_to_ktime(n)		((ktime_t)(n))
#define schedule_hrtimeout(t, m)	(kshim_ns += *(t))
#define set_current_state(s)	do { } while (0)
#define cpu_relax()		do { } while (0)
#define single_task_running()	true
#define need_resched()		false
#define kthread_should_stop()	false

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
struct hrtimer {
	enum hrtimer_restart (*fn)(struct hrtimer *t);
	bool active;
};
#define HRTIMER_MODE_REL	0
#define HRTIMER_MODE_REL_SOFT	0
#define hrtimer_setup(t, f, c, m)	((t)->fn = (f), (t)->active = false)
#define hrtimer_start(t, k, m)	((void)(k), (t)->active = true)
#define hrtimer_cancel(t)	((t)->active = false)

#define atomic64_inc(a)		((a)->v++)
#define atomic64_add(n, a)	((a)->v += (n))
#define atomic64_read(a)	((a)->v)

/* ---- lists ---- */

struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
#define LIST_HEAD(n)	struct list_head n = { &(n), &(n) }
#define INIT_HLIST_HEAD(h)	((h)->first = NULL)

static inline void list_add_tail(struct list_head *e, struct list_head *h)
{
	e->prev = h->prev;
	e->next = h;
	h->prev->next = e;
	h->prev = e;
}

static inline void list_del(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
}

#define list_for_each_entry(p, h, m)					\
	for (p = container_of((h)->next, typeof(*p), m); &p->m != (h);	\
	     p = container_of(p->m.next, typeof(*p), m))

static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void hlist_del_rcu(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

#define kshim_entry(p, t, m)	({ typeof(p) q_ = (p); q_ ? container_of(q_, t, m) : NULL; })
#define hlist_for_each_entry(p, h, m)					\
	for (p = kshim_entry((h)->first, typeof(*p), m); p;		\
	     p = kshim_entry(p->m.next, typeof(*p), m))
#define hlist_for_each_entry_rcu(p, h, m, ...)	hlist_for_each_entry(p, h, m)
#define hlist_for_each_entry_safe(p, n, h, m)				\
	for (p = kshim_entry((h)->first, typeof(*p), m);		\
	     p && ({ n = p->m.next; 1; });				\
	     p = kshim_entry(n, typeof(*p), m))

static inline u32 hash_32(u32 v, unsigned int bits)
{
	return v * 0x61c88647u >> (32 - bits);
}

/* ---- modules, devices, logs ---- */

struct module;
struct dentry;
struct device { int unused; };
struct attribute_group { int unused; };
#define EXPORT_SYMBOL_GPL(s)
#define module_param(n, t, p)
#define MODULE_PARM_DESC(n, d)
#define THIS_MODULE	NULL
#define dev_warn_ratelimited(d, ...)	kshim_log(d, __VA_ARGS__)
#define dev_info(d, ...)		kshim_log(d, __VA_ARGS__)
#define pr_err(...)			do { } while (0)

static inline __printf(2, 3) void kshim_log(struct device *d, const char *f, ...)
{
}

struct ida { int unused; };
#define DEFINE_IDA(n)		struct ida n __maybe_unused
#define ida_alloc(i, f)		0
#define ida_free(i, n)		do { } while (0)

#define UUID_SIZE		16
#define UUID_STRING_LEN		36
typedef struct { u8 b[UUID_SIZE]; } uuid_t;
#define uuid_copy(d, s)		(*(d) = *(s))
#define uuid_equal(a, b)	(!memcmp(a, b, sizeof(uuid_t)))
#define sysfs_streq(a, b)	(!strcmp(a, b))
#define scnprintf		snprintf
int kshim_snprintf(char *buf, size_t n, const char *fmt, ...);
#define snprintf		kshim_snprintf

#define PCI_CLASS_NETWORK_ETHERNET	0x0200
#define PCI_D0			0
#define PCI_D3hot		3

#include "kshim_net.h"

/* ---- for the harness ---- */

extern long kshim_skbs, kshim_pages;	/* that exist */
void kshim_advance(unsigned long by);	/* time, and what is due then */
void kshim_forget_timers(void);		/* their devices are gone */

#include "kshim_rdma.h"

#endif
