/* SPDX-License-Identifier: GPL-2.0-only */
/* What the RDMA engine uses beyond the rest; included at the end of kshim.h. */
#ifndef KSHIM_RDMA_H
#define KSHIM_RDMA_H

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef int64_t s64;

#define U8_MAX		UINT8_MAX
#define S32_MAX		INT32_MAX
#define S64_MAX		INT64_MAX
#ifndef NSEC_PER_SEC
#define NSEC_PER_SEC	1000000000l
#endif
#define sizeof_field(t, m)	sizeof(((t *)0)->m)
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define min3(a, b, c)	min(min(a, b), c)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))

#define cpu_to_be16(x)	htobe16(x)
#define cpu_to_be32(x)	htobe32(x)
#define cpu_to_be64(x)	htobe64(x)
#define be16_to_cpu(x)	be16toh(x)
#define be32_to_cpu(x)	be32toh(x)
#define be64_to_cpu(x)	be64toh(x)
#define le64_to_cpus(p)	((void)(*(p) = le64toh(*(p))))

/* ---- lists ---- */

static inline void INIT_LIST_HEAD(struct list_head *h)
{
	h->next = h;
	h->prev = h;
}

static inline bool list_empty(const struct list_head *h)
{
	return h->next == h;
}
#define list_empty_careful(h)	list_empty(h)

static inline void list_add(struct list_head *e, struct list_head *h)
{
	list_add_tail(e, h->next);
}

static inline void list_del_init(struct list_head *e)
{
	list_del(e);
	INIT_LIST_HEAD(e);
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from)) {
		struct list_head *e = from->prev;

		list_del(e);
		list_add(e, to);
	}
}

#define list_first_entry(h, t, m)	container_of((h)->next, t, m)
#define list_first_entry_or_null(h, t, m) \
	(list_empty(h) ? NULL : list_first_entry(h, t, m))
#define list_for_each_entry_safe(p, n, h, m)				\
	for ((p) = container_of((h)->next, typeof(*(p)), m),		\
	     (n) = container_of((p)->m.next, typeof(*(p)), m);		\
	     &(p)->m != (h);						\
	     (p) = (n), (n) = container_of((n)->m.next, typeof(*(n)), m))

/* ---- references and waiting: nobody else runs, so a wait must find it done ---- */

typedef struct { int n; } refcount_t;
#define refcount_set(r, v)	((r)->n = (v))
#define refcount_read(r)	((r)->n)
#define refcount_inc(r)		((r)->n++)
#define refcount_inc_not_zero(r)	((r)->n ? (r)->n++, true : false)
static inline bool refcount_dec_and_test(refcount_t *r)
{
	if (r->n <= 0)
		kshim_abort("refcount underflow");
	return !--r->n;
}

struct completion { int done; };
#define DECLARE_COMPLETION_ONSTACK(n)	struct completion n = { 0 }
#define init_completion(c)	((c)->done = 0)
#define reinit_completion(c)	((c)->done = 0)
#define complete(c)		((c)->done++)
static inline void wait_for_completion(struct completion *c)
{
	if (!c->done--)
		kshim_abort("would wait for ever");
}

struct percpu_ref {
	long n;
	bool dead;
	void (*release)(struct percpu_ref *ref);
};
#define PERCPU_REF_INIT_DEAD	1
#define PERCPU_REF_ALLOW_REINIT	2
static inline int percpu_ref_init(struct percpu_ref *r, void (*f)(struct percpu_ref *r), int flags, gfp_t gfp)
{
	r->n = flags & PERCPU_REF_INIT_DEAD ? 0 : 1;
	r->dead = flags & PERCPU_REF_INIT_DEAD;
	r->release = f;
	return 0;
}
#define percpu_ref_exit(r)	do { } while (0)
#define percpu_ref_reinit(r)	((r)->n = 1, (r)->dead = false)
#define percpu_ref_tryget(r)	((r)->n ? (r)->n++, true : false)
#define percpu_ref_tryget_live(r)	(!(r)->dead && percpu_ref_tryget(r))
static inline void percpu_ref_put(struct percpu_ref *r)
{
	if (r->n <= 0)
		kshim_abort("percpu_ref underflow");
	if (!--r->n)
		r->release(r);
}
static inline void percpu_ref_kill(struct percpu_ref *r)
{
	r->dead = true;
	percpu_ref_put(r);
}

#define atomic64_sub(n, a)	((void)((a)->v -= (n)))
#define atomic64_add_return(n, a)	((a)->v += (n))
#define atomic64_set(a, x)	((a)->v = (x))

typedef struct { long v; } atomic_long_t;
#define atomic_long_read(a)	((a)->v)
#define atomic_long_set(a, n)	((a)->v = (n))
#define atomic_long_inc(a)	((a)->v++)
#define atomic_long_inc_return(a)	(++(a)->v)

#define ATOMIC_LONG_INIT(n)	{ n }

struct mem_cgroup;
#define get_mem_cgroup_from_mm(mm)	((struct mem_cgroup *)NULL)
#define mem_cgroup_put(m)	((void)(m))
#define set_active_memcg(m)	(m)

#define kvmalloc_array(n, size, gfp)	calloc(n, size)
#define cmpxchg64(p, o, n)	cmpxchg(p, o, n)
#define atomic64_fetch_add(n, a)					\
	({ atomic64_t *a_ = (a); s64 old_ = a_->v; a_->v += (n); old_; })
#define strstarts(s, p)		(!strncmp(s, p, strlen(p)))
#define strscpy(d, s, n)	kshim_strscpy(d, s, n)
static inline void kshim_strscpy(char *d, const char *s, size_t n)
{
	snprintf(d, n, "%s", s);
}

#define mutex_trylock(m)	(mutex_lock(m), 1)
#define synchronize_rcu()	do { } while (0)

/* ---- xarray: a few entries, looked for one by one ---- */

#define XA_FLAGS_ACCOUNT	0
struct xarray { unsigned long *index; void **entry; unsigned int n, room; };
#define DEFINE_XARRAY(name)	struct xarray name
#define xa_init_flags(x, f)	memset(x, 0, sizeof(*(x)))
#define xa_init(x)		memset(x, 0, sizeof(*(x)))
void *xa_load(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
void *kshim_xa_next(struct xarray *xa, unsigned long *index, bool first);
#define xa_insert(x, i, e, g)	(xa_load(x, i) ? -EBUSY : (xa_store(x, i, e, g), 0))
/* an old entry stays */
static inline void *xa_cmpxchg(struct xarray *xa, unsigned long i, void *old,
			       void *entry, gfp_t gfp)
{
	void *was = xa_load(xa, i);

	if (was == old)
		xa_store(xa, i, entry, gfp);
	return was;
}
#define xa_err(e)		((void)(e), 0)
#define xa_is_err(e)		((void)(e), 0)
#define xa_empty(x)		(!(x)->n)
#define xa_destroy(x)							\
	do { free((x)->index); free((x)->entry); memset(x, 0, sizeof(*(x))); } while (0)
#define xa_for_each(x, i, e)						\
	for ((i) = 0, (e) = kshim_xa_next(x, &(i), true); (e);		\
	     (e) = kshim_xa_next(x, &(i), false))

/* ---- rhltable: a list ---- */

struct rhlist_head { struct rhlist_head *next, *all; bool listed; };
struct rhashtable_params { size_t key_len, key_offset, head_offset; bool automatic_shrinking; };
struct rhltable { struct rhlist_head *first; };
int rhltable_init(struct rhltable *t, const struct rhashtable_params *p);
#define rhltable_destroy(t)	do { } while (0)
int kshim_rhl_insert(struct rhltable *t, struct rhlist_head *e);
int kshim_rhl_remove(struct rhltable *t, struct rhlist_head *e);
struct rhlist_head *kshim_rhl_lookup(struct rhltable *t, const void *key, const struct rhashtable_params *p);
#define rhltable_insert(t, e, p)	kshim_rhl_insert(t, e)
#define rhltable_remove(t, e, p)	kshim_rhl_remove(t, e)
#define rhltable_lookup(t, k, p)	kshim_rhl_lookup(t, k, &(p))
#define rhl_for_each_entry_rcu(tp, pos, list, m)				\
	for ((pos) = (list); (pos) && ((tp) = container_of(pos, typeof(*(tp)), m), 1); (pos) = (pos)->next)

/* ---- time ---- */

#define ktime_get()		((ktime_t)ktime_get_ns())
#define ktime_add(a, b)		((a) + (b))
#define ktime_add_ms(a, n)	((a) + (n) * NSEC_PER_MSEC)
#define usleep_range(a, b)	(kshim_ns += (a) * NSEC_PER_USEC)
#define ktime_sub(a, b)		((a) - (b))
#define ktime_compare(a, b)	((a) < (b) ? -1 : (a) > (b))
#define ktime_before(a, b)	((a) < (b))
#define ktime_after(a, b)	((a) > (b))
#define DECLARE_DELAYED_WORK(n, f)	struct delayed_work n

/* ---- network ---- */

struct udphdr { __be16 source, dest, len; __sum16 check; };
struct arphdr { __be16 ar_hrd, ar_pro; u8 ar_hln, ar_pln; __be16 ar_op; };
#define ARPHRD_ETHER		1
#define ARPOP_REQUEST		1
#define ARPOP_REPLY		2
#define ETH_P_ARP		0x0806
#define IP_DF			0x4000
struct icmp6hdr { u8 icmp6_type, icmp6_code; __sum16 icmp6_cksum; __be32 rest; };
#define NDISC_NEIGHBOUR_SOLICITATION	135
#define NDISC_NEIGHBOUR_ADVERTISEMENT	136
#define IPV6_ADDR_UNICAST	1
#define ipv6_addr_type(a)	((a)->s6_addr[0] == 0xff ? 2 : IPV6_ADDR_UNICAST)
#define ip_fast_csum(p, n)	csum_fold(csum_partial(p, (n) * 4, 0))

#endif
