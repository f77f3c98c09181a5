// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of kshim.h that are too long for it.
 */
#include <kshim.h>

#undef snprintf

unsigned long jiffies;
u64 kshim_ns;
void (*kshim_meanwhile)(void);
long kshim_skbs, kshim_pages;
static struct timer_list *timers;

/* ---- time --------------------------------------------------------------------- */

void timer_setup(struct timer_list *t, void (*fn)(struct timer_list *t), int f)
{
	t->fn = fn;
	t->pending = false;
	t->dead = false;
	t->due = false;
}

void mod_timer(struct timer_list *t, unsigned long expires)
{
	/* a static work item is not modelled */
	if (t->dead || !t->fn)
		return;
	t->expires = expires;
	if (t->pending)
		return;
	t->pending = true;
	t->due = false;
	t->next = timers;
	timers = t;
}

bool timer_delete(struct timer_list *t)
{
	struct timer_list **at = &timers;

	if (!t->pending)
		return false;
	t->pending = false;
	while (*at && *at != t)
		at = &(*at)->next;
	/* or all have been forgotten */
	if (*at)
		*at = t->next;
	return true;
}

void timer_shutdown_sync(struct timer_list *t)
{
	timer_delete(t);
	t->dead = true;
}

void kshim_delayed_fn(struct timer_list *t)
{
	struct delayed_work *w = container_of(t, struct delayed_work, timer);

	w->work.fn(&w->work);
}

void kshim_advance(unsigned long by)
{
	struct timer_list *t;

	jiffies += by;
	/* each that is due now, once; what they start is for another time */
	for (t = timers; t; t = t->next)
		t->due = !time_before(jiffies, t->expires);
	for (t = timers; t; ) {
		if (!t->due) {
			t = t->next;
			continue;
		}
		timer_delete(t);
		t->due = false;
		t->fn(t);
		t = timers;
	}
}

void kshim_forget_timers(void)
{
	timers = NULL;
}

int kshim_snprintf(char *buf, size_t n, const char *fmt, ...)
{
	va_list ap;
	int len;

	/* %pUb and %*phN: any constant of the right length does */
	if (strstr(fmt, "%pUb"))
		return snprintf(buf, n, "%s",
				"00112233-4455-6677-8899-aabbccddeeff");
	if (strstr(fmt, "phN"))
		return snprintf(buf, n, "%s", "ERNIC00112233445566778899aabb");
	va_start(ap, fmt);
	len = vsnprintf(buf, n, fmt, ap);
	va_end(ap);
	return len;
}

/* ---- checksums ------------------------------------------------------------------ */

__wsum csum_partial(const void *p, int len, __wsum sum)
{
	const u8 *b = p;
	int i;

	for (i = 0; i + 1 < len; i += 2)
		sum = csum_add(sum, b[i] | b[i + 1] << 8);
	if (i < len)
		sum = csum_add(sum, b[i]);
	return sum;
}

/* ---- pages and buffers ---------------------------------------------------------- */

void put_page(struct page *p)
{
	NEVER(p->refs < 1);
	if (--p->refs)
		return;
	free(p->va);
	free(p);
	kshim_pages--;
}

struct page *alloc_page(gfp_t gfp)
{
	struct page *p = calloc(1, sizeof(*p));

	p->size = PAGE_SIZE;
	p->va = aligned_zalloc(PAGE_SIZE);
	p->refs = 1;
	kshim_pages++;
	return p;
}

static struct page *last_refill;

/* pages of one or eight, in turn, so that frames cross their ends */
bool skb_page_frag_refill(unsigned int size, struct page_frag *f, gfp_t gfp)
{
	static unsigned int turn;
	struct page *p;

	last_refill = f->page;
	if (f->page && f->offset + size <= f->size)
		return true;
	if (f->page)
		put_page(f->page);
	p = calloc(1, sizeof(*p));
	p->size = turn++ & 1 ? 32768 : 4096;
	NEVER(size > p->size);
	p->va = malloc(p->size);
	p->refs = 1;
	kshim_pages++;
	f->page = p;
	f->offset = 0;
	f->size = p->size;
	last_refill = p;
	return true;
}

static struct sk_buff *kshim_skb(u8 *data, unsigned int size)
{
	struct sk_buff *skb = calloc(1, sizeof(*skb));

	NEVER(size < SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
	skb->head = data;
	skb->data = data;
	skb->tail = data;
	skb->end = data + size - SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	kshim_skbs++;
	return skb;
}

static struct page *kshim_page_of(void *data, unsigned int size)
{
	struct page *p = calloc(1, sizeof(*p));

	p->va = data;
	p->refs = 1;
	p->size = size;
	kshim_pages++;
	return p;
}

struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp)
{
	struct sk_buff *skb;
	u8 *data;

	size = SKB_DATA_ALIGN(size) +
	       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	data = malloc(size);
	skb = kshim_skb(data, size);
	skb->head_page = kshim_page_of(data, size);
	return skb;
}

/*
 * The skb gets memory of its own, so that AddressSanitizer knows its end.  What
 * the caller does next is get_page() of the page that @data points into, a
 * reference that goes with the skb: ernic_tx_alloc() says which through
 * pair->txs.frag, so it is enough to remember the page of the last refill.
 */
struct sk_buff *build_skb(void *data, unsigned int size)
{
	struct sk_buff *skb = alloc_skb(size - SKB_DATA_ALIGN(sizeof(struct skb_shared_info)), 0);

	NEVER((u8 *)data < (u8 *)last_refill->va ||
	       (u8 *)data + size > (u8 *)last_refill->va + last_refill->size);
	skb->built_on = last_refill;
	return skb;
}

void kfree_skb(struct sk_buff *skb)
{
	unsigned int i;

	if (!skb)
		return;
	for (i = 0; i < skb->shinfo.nr_frags; i++)
		put_page(skb->shinfo.frags[i].page);
	if (skb->built_on)
		put_page(skb->built_on);
	put_page(skb->head_page);
	free(skb);
	kshim_skbs--;
}

void *skb_put(struct sk_buff *skb, unsigned int n)
{
	u8 *p = skb->tail;

	NEVER(skb->data_len);
	NEVER(n > (size_t)(skb->end - skb->tail));
	skb->tail += n;
	skb->len += n;
	return p;
}

int skb_copy_bits(const struct sk_buff *skb, int off, void *to, int len)
{
	unsigned int i, at = skb_headlen(skb);
	int n;

	if (off < 0 || len < 0 || (unsigned int)off + len > skb->len)
		return -EFAULT;
	if ((unsigned int)off < at) {
		n = min_t(int, len, at - off);
		memcpy(to, skb->data + off, n);
		to = (u8 *)to + n;
		off += n;
		len -= n;
	}
	for (i = 0; len && i < skb->shinfo.nr_frags; i++) {
		const skb_frag_t *f = &skb->shinfo.frags[i];

		if ((unsigned int)off < at + f->len) {
			n = min_t(int, len, at + f->len - off);
			memcpy(to, (u8 *)f->page->va + f->off + off - at, n);
			to = (u8 *)to + n;
			off += n;
			len -= n;
		}
		at += f->len;
	}
	NEVER(len);
	return 0;
}

__wsum skb_copy_and_csum_bits(const struct sk_buff *skb, int off, u8 *to,
			      int len)
{
	NEVER(skb_copy_bits(skb, off, to, len));
	return csum_partial(to, len, 0);
}

int ipv6_skip_exthdr(const struct sk_buff *skb, int off, u8 *nexthdr,
		     __be16 *frag)
{
	u8 type = *nexthdr;

	*frag = 0;
	while (type == 0 || type == 43 || type == 44 || type == 51 ||
	       type == 60 || type == 59) {
		u8 buf[2], *h;
		int len;

		if (type == 59)
			return -1;
		h = skb_header_pointer(skb, off, 2, buf);
		if (!h)
			return -1;
		if (type == 44) {
			__be16 b, *f = skb_header_pointer(skb, off + 2, 2, &b);

			if (!f)
				return -1;
			*frag = *f;
			if (ntohs(*f) & ~7)
				break;
			len = 8;
		} else if (type == 51) {
			len = (h[1] + 2) * 4;
		} else {
			len = (h[1] + 1) * 8;
		}
		type = h[0];
		off += len;
	}
	*nexthdr = type;
	return off;
}

bool skb_partial_csum_set(struct sk_buff *skb, u16 start, u16 off)
{
	u32 end = (u32)start + off + 2;
	u32 base = (skb->data - skb->head) + start;

	if (base >= 0xffff || end > skb_headlen(skb))
		return false;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = base;
	skb->csum_offset = off;
	skb->transport = base;
	return true;
}

int skb_checksum_help(struct sk_buff *skb)
{
	skb->ip_summed = CHECKSUM_NONE;
	return 0;
}

/* ---- netdev ------------------------------------------------------------------------- */

__be16 eth_type_trans(struct sk_buff *s, struct net_device *d)
{
	__be16 proto;

	NEVER(skb_headlen(s) < ETH_HLEN);
	proto = ((struct ethhdr *)s->data)->h_proto;
	s->data += ETH_HLEN;
	s->len -= ETH_HLEN;
	return proto;
}

void napi_schedule(struct napi_struct *n)
{
	int i = 0;

	while (n->poll(n, 64) >= 64)
		NEVER(i++ > 1000);
}

/* what the stack relies on */
void napi_gro_receive(struct napi_struct *n, struct sk_buff *skb)
{
	u32 frags = 0, hdr;
	unsigned int i;

	for (i = 0; i < skb->shinfo.nr_frags; i++) {
		const skb_frag_t *f = &skb->shinfo.frags[i];

		NEVER(!f->len || f->off + f->len > f->page->size);
		frags += f->len;
	}
	NEVER(frags != skb->data_len);
	NEVER(skb->data_len > skb->len);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		NEVER(skb_checksum_start_offset(skb) + skb->csum_offset + 2 >
		       (int)skb_headlen(skb));
	if (skb->shinfo.gso_size) {
		NEVER(skb->ip_summed != CHECKSUM_PARTIAL);
		NEVER(!(skb->shinfo.gso_type & SKB_GSO_DODGY));
		hdr = skb_tcp_all_headers(skb);
		NEVER(hdr > skb_headlen(skb) || hdr >= skb->len);
		NEVER(skb->shinfo.gso_segs < 2);
		NEVER(skb->shinfo.gso_segs !=
		       DIV_ROUND_UP(skb->len - hdr, skb->shinfo.gso_size));
	}
	kfree_skb(skb);
}

void kshim_unregister(struct net_device *d)
{
	if (d->running) {
		d->running = false;
		d->netdev_ops->ndo_stop(d);
	}
}
