/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers, pages, buffers and the netdev; included by kshim.h. */
#ifndef KSHIM_NET_H
#define KSHIM_NET_H

/* ---- network ---- */

#define ETH_ALEN	6
#define ETH_HLEN	14
#define ETH_ZLEN	60
#define ETH_FCS_LEN	4
#define ETH_MIN_MTU	68
#define ETH_DATA_LEN	1500
#define ETH_P_IP	0x0800
#define ETH_P_IPV6	0x86dd
#define ETH_P_8021Q	0x8100
#define ETH_P_8021AD	0x88a8
#define VLAN_HLEN	4
#define VLAN_ETH_HLEN	18
#define VLAN_N_VID	4096
#define VLAN_VID_MASK	0xfff
#define VLAN_PRIO_SHIFT	13

struct ethhdr { u8 h_dest[6], h_source[6]; __be16 h_proto; } __packed;
struct vlan_hdr { __be16 h_vlan_TCI, h_vlan_encapsulated_proto; };
struct vlan_ethhdr { u8 h_dest[6], h_source[6]; __be16 h_vlan_proto, h_vlan_TCI, h_vlan_encapsulated_proto; } __packed;
struct iphdr {
	u8 ihl:4, version:4;
	u8 tos;
	__be16 tot_len, id, frag_off;
	u8 ttl, protocol;
	__sum16 check;
	struct_group(addrs, __be32 saddr; __be32 daddr;);
} __packed;
struct ipv6hdr {
	u8 priority:4, version:4;
	u8 flow_lbl[3];
	__be16 payload_len;
	u8 nexthdr, hop_limit;
	struct_group(addrs, struct in6_addr saddr; struct in6_addr daddr;);
} __packed;
struct tcphdr {
	__be16 source, dest;
	__be32 seq, ack_seq;
	u16 res1:4, doff:4, fin:1, syn:1, rst:1, psh:1, ack:1, urg:1, ece:1, cwr:1;
	__be16 window;
	__sum16 check;
	__be16 urg_ptr;
} __packed;

#define eth_type_vlan(p)	((p) == htons(ETH_P_8021Q) || (p) == htons(ETH_P_8021AD))
#define ether_addr_copy(d, s)	memcpy(d, s, ETH_ALEN)
#define ether_addr_equal(a, b)	(!memcmp(a, b, ETH_ALEN))
#define ether_addr_equal_unaligned	ether_addr_equal

static inline bool is_multicast_ether_addr(const u8 *a)
{
	return a[0] & 1;
}

static inline bool is_broadcast_ether_addr(const u8 *a)
{
	return !memcmp(a, "\xff\xff\xff\xff\xff\xff", 6);
}

static inline bool is_valid_ether_addr(const u8 *a)
{
	return !is_multicast_ether_addr(a) && memcmp(a, "\0\0\0\0\0\0", 6);
}

#define ip_is_fragment(i)	(!!((i)->frag_off & htons(0x3fff)))
#define CSUM_MANGLED_0		((__sum16)0xffff)

static inline __wsum csum_add(__wsum a, __wsum b)
{
	u32 r = a + b;

	return r + (r < b);
}

#define csum_sub(a, b)	csum_add(a, ~(b))
#define csum_unfold(s)	((__wsum)(s))

static inline __sum16 csum_fold(__wsum s)
{
	s = (s & 0xffff) + (s >> 16);
	s = (s & 0xffff) + (s >> 16);
	return ~s;
}

__wsum csum_partial(const void *p, int len, __wsum sum);

static inline __wsum csum_block_add(__wsum a, __wsum b, int off)
{
	return csum_add(a, off & 1 ? b >> 8 | b << 24 : b);
}

static inline __sum16 csum_tcpudp_magic(__be32 s, __be32 d, u32 len, u8 proto, __wsum sum)
{
	return csum_fold(csum_add(csum_add(s, d), csum_add(htonl(len + proto), sum)));
}

static inline __sum16 csum_ipv6_magic(const struct in6_addr *s, const struct in6_addr *d,
				      u32 len, u8 proto, __wsum sum)
{
	sum = csum_partial(s, 16, csum_partial(d, 16, sum));
	return csum_fold(csum_add(sum, htonl(len + proto)));
}

static inline void ip_send_check(struct iphdr *i)
{
	i->check = 0;
	i->check = csum_fold(csum_partial(i, i->ihl * 4, 0));
}

/* ---- pages and buffers ---- */

struct page { void *va; int refs; unsigned int size; };
struct page_frag { struct page *page; u32 offset, size; };
typedef struct { struct page *page; u32 off, len; } skb_frag_t;
#define MAX_SKB_FRAGS	17
#define NET_SKB_PAD	64
#define NET_IP_ALIGN	0
#define SKB_DATA_ALIGN(n)	ALIGN((size_t)(n), 64)
#define CHECKSUM_NONE		0
#define CHECKSUM_PARTIAL	3
#define SKB_GSO_TCPV4		1
#define SKB_GSO_DODGY		2
#define SKB_GSO_TCP_ECN		4
#define SKB_GSO_TCPV6		16

struct skb_shared_info {
	u8 nr_frags;
	unsigned short gso_size, gso_segs;
	unsigned int gso_type;
	skb_frag_t frags[MAX_SKB_FRAGS];
	u8 kernel_size[64];
};

struct sk_buff {
	struct sk_buff *next;
	u8 *head, *data, *tail, *end;
	unsigned int len, data_len;
	struct page *head_page, *built_on;
	u8 ip_summed;
	u16 csum_start, csum_offset;
	u16 network, transport;
	__be16 protocol, vlan_proto;
	u16 vlan_tci;
	bool vlan_present;
	u16 queue, rx_queue;
	struct skb_shared_info shinfo;
};

struct sk_buff_head { struct sk_buff *first, **last; u32 qlen; spinlock_t lock; };

#define page_address(p)	((p)->va)
struct page *alloc_page(gfp_t gfp);
#define __free_page(p)	put_page(p)
#define __GFP_ZERO	0

/* mappings: the harness plays the guest's CPU */
typedef unsigned int vm_fault_t;
struct vm_fault {
	void *vma;
	unsigned long address;
};
#define VM_FAULT_NOPAGE		0x100
#define VM_FAULT_SIGBUS		0x2
#define VM_FAULT_OOM		0x1
#define vmf_insert_page(v, a, p)	((void)(v), (void)(a), (void)(p), VM_FAULT_NOPAGE)
#define get_page(p)	((p)->refs++)
void put_page(struct page *p);
bool skb_page_frag_refill(unsigned int size, struct page_frag *f, gfp_t gfp);
struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp);
struct sk_buff *build_skb(void *data, unsigned int size);
void kfree_skb(struct sk_buff *skb);
#define consume_skb		kfree_skb
#define dev_kfree_skb_any	kfree_skb
void *skb_put(struct sk_buff *skb, unsigned int n);
int skb_copy_bits(const struct sk_buff *skb, int off, void *to, int len);
__wsum skb_copy_and_csum_bits(const struct sk_buff *skb, int off, u8 *to, int len);
int ipv6_skip_exthdr(const struct sk_buff *skb, int off, u8 *nexthdr, __be16 *frag);
bool skb_partial_csum_set(struct sk_buff *skb, u16 start, u16 off);
int skb_checksum_help(struct sk_buff *skb);

#define skb_shinfo(s)		(&(s)->shinfo)
#define skb_headlen(s)		((s)->len - (s)->data_len)
#define skb_is_gso(s)		((s)->shinfo.gso_size)
#define skb_frag_page(f)	((f)->page)
#define skb_frag_off(f)		((f)->off)
#define skb_frag_size(f)	((f)->len)
#define skb_vlan_tag_present(s)	((s)->vlan_present)
#define skb_vlan_tag_get(s)	((s)->vlan_tci)
#define skb_get_queue_mapping(s)	((s)->queue)
#define skb_record_rx_queue(s, q)	((s)->rx_queue = (q))
#define skb_checksum_start_offset(s)	((int)(s)->csum_start - (int)((s)->data - (s)->head))
#define skb_network_offset(s)	((int)(s)->network - (int)((s)->data - (s)->head))
#define skb_transport_offset(s)	((int)(s)->transport - (int)((s)->data - (s)->head))
#define skb_transport_header_was_set(s)	((s)->transport != 0)
#define pskb_may_pull(s, n)	(skb_headlen(s) >= (n))
#define skb_tx_timestamp(s)	do { } while (0)
#define nf_reset_ct(s)		do { } while (0)

static inline void skb_reserve(struct sk_buff *s, int n)
{
	s->data += n;
	s->tail += n;
}

static inline void skb_add_rx_frag(struct sk_buff *s, int i, struct page *p, int off, int len, int true_size)
{
	NEVER(i >= MAX_SKB_FRAGS);
	s->shinfo.frags[i] = (skb_frag_t){ p, off, len };
	s->shinfo.nr_frags = i + 1;
	s->len += len;
	s->data_len += len;
}

static inline void skb_coalesce_rx_frag(struct sk_buff *s, int i, int len, int true_size)
{
	s->shinfo.frags[i].len += len;
	s->len += len;
	s->data_len += len;
}

static inline void *skb_header_pointer(const struct sk_buff *s, int off, int len, void *buf)
{
	if ((int)skb_headlen(s) - off >= len)
		return s->data + off;
	return skb_copy_bits(s, off, buf, len) ? NULL : buf;
}

static inline int skb_tcp_all_headers(const struct sk_buff *s)
{
	return skb_transport_offset(s) + ((struct tcphdr *)(s->head + s->transport))->doff * 4;
}

static inline void __vlan_hwaccel_put_tag(struct sk_buff *s, __be16 proto, u16 tci)
{
	s->vlan_present = true;
	s->vlan_proto = proto;
	s->vlan_tci = tci;
}

static inline void __skb_queue_head_init(struct sk_buff_head *q)
{
	q->first = NULL;
	q->last = &q->first;
	q->qlen = 0;
}

static inline void skb_queue_head_init(struct sk_buff_head *q)
{
	q->lock.held = 0;
	__skb_queue_head_init(q);
}

#define skb_queue_empty(q)	(!(q)->first)
#define skb_queue_len(q)	((q)->qlen)
#define skb_queue_len_lockless(q)	((q)->qlen)

static inline void __skb_queue_tail(struct sk_buff_head *q, struct sk_buff *s)
{
	s->next = NULL;
	*q->last = s;
	q->last = &s->next;
	q->qlen++;
}

static inline struct sk_buff *__skb_dequeue(struct sk_buff_head *q)
{
	struct sk_buff *s = q->first;

	if (!s)
		return NULL;
	q->first = s->next;
	if (!q->first)
		q->last = &q->first;
	q->qlen--;
	return s;
}

static inline void skb_queue_splice_tail(struct sk_buff_head *from, struct sk_buff_head *to)
{
	if (!from->first)
		return;
	*to->last = from->first;
	to->last = from->last;
	to->qlen += from->qlen;
}

static inline void skb_queue_splice_init(struct sk_buff_head *from, struct sk_buff_head *to)
{
	skb_queue_splice_tail(from, to);
	__skb_queue_head_init(from);
}

static inline void skb_queue_purge(struct sk_buff_head *q)
{
	struct sk_buff *s;

	while ((s = __skb_dequeue(q)))
		kfree_skb(s);
}

struct ptr_ring { void **slot; int size, head, n; };

static inline int ptr_ring_init(struct ptr_ring *r, int size, gfp_t gfp)
{
	r->slot = calloc(size, sizeof(void *));
	r->size = size;
	r->head = 0;
	r->n = 0;
	return r->slot ? 0 : -ENOMEM;
}

static inline int ptr_ring_produce(struct ptr_ring *r, void *p)
{
	if (r->n == r->size)
		return -ENOSPC;
	r->slot[(r->head + r->n++) % r->size] = p;
	return 0;
}

static inline void *__ptr_ring_consume(struct ptr_ring *r)
{
	void *p;

	if (!r->n)
		return NULL;
	p = r->slot[r->head];
	r->head = (r->head + 1) % r->size;
	r->n--;
	return p;
}

#define __ptr_ring_empty(r)	(!(r)->n)

static inline void ptr_ring_cleanup(struct ptr_ring *r, void (*fn)(void *))
{
	void *p;

	while (fn && (p = __ptr_ring_consume(r)))
		fn(p);
	free(r->slot);
}

/* ---- netdev ---- */

struct net_device;
struct napi_struct { int (*poll)(struct napi_struct *n, int budget); };
struct netdev_queue { bool stopped; };
struct rtnl_link_stats64 { u64 rx_packets, rx_bytes, rx_errors, tx_packets, tx_bytes, tx_dropped; };
struct ethtool_ops { int unused; };
struct net_device_ops {
	int (*ndo_open)(struct net_device *d);
	int (*ndo_stop)(struct net_device *d);
	u16 (*ndo_select_queue)(struct net_device *d, struct sk_buff *s, struct net_device *sb);
	netdev_tx_t (*ndo_start_xmit)(struct sk_buff *s, struct net_device *d);
	netdev_features_t (*ndo_features_check)(struct sk_buff *s, struct net_device *d, netdev_features_t f);
	void (*ndo_get_stats64)(struct net_device *d, struct rtnl_link_stats64 *s);
	void (*ndo_set_rx_mode)(struct net_device *d);
	int (*ndo_get_phys_port_name)(struct net_device *d, char *name, size_t len);
	int (*ndo_set_mac_address)(struct net_device *d, void *p);
	int (*ndo_validate_addr)(struct net_device *d);
};

#define KSHIM_TXQS	64
struct net_device {
	const struct net_device_ops *netdev_ops;
	const struct ethtool_ops *ethtool_ops;
	netdev_features_t features, hw_features, vlan_features;
	u32 priv_flags;
	unsigned int min_mtu, max_mtu;
	bool lltx, running, carrier;
	struct netdev_queue txq[KSHIM_TXQS];
	u8 priv[64] __aligned(8);
};

#define NETIF_F_SG		BIT(0)
#define NETIF_F_FRAGLIST	BIT(1)
#define NETIF_F_HW_CSUM		BIT(2)
#define NETIF_F_TSO		BIT(3)
#define NETIF_F_TSO6		BIT(4)
#define NETIF_F_TSO_ECN		BIT(5)
#define NETIF_F_HIGHDMA		BIT(6)
#define NETIF_F_HW_VLAN_CTAG_TX	BIT(7)
#define NETIF_F_HW_VLAN_STAG_TX	BIT(8)
#define NETIF_F_HW_VLAN_CTAG_RX	BIT(9)
#define NETIF_F_GSO_MASK	(NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN)
#define IFF_LIVE_ADDR_CHANGE	1
#define IFF_UNICAST_FLT		2
#define NET_NAME_ENUM		1
#define NETDEV_TX_OK		0
#define NETDEV_TX_BUSY		16
#define netdev_priv(d)		((void *)(d)->priv)
#define netif_running(d)	((d)->running)
#define netif_carrier_on(d)	((d)->carrier = true)
#define netif_carrier_off(d)	((d)->carrier = false)
#define netdev_get_tx_queue(d, i)	(&(d)->txq[i])
#define netif_tx_stop_queue(q)	((q)->stopped = true)
#define netif_tx_queue_stopped(q)	((q)->stopped)
#define netif_tx_wake_queue(q)	((q)->stopped = false)
#define netif_tx_start_all_queues(d)	do { } while (0)
#define netif_tx_stop_all_queues(d)	do { } while (0)
#define qdisc_txq_has_no_queue(q)	false
#define netdev_xmit_more()	false
#define dev_core_stats_tx_dropped_inc(d)	do { } while (0)
#define napi_enable(n)		do { } while (0)
#define napi_disable(n)		do { } while (0)
#define netif_napi_add(d, n, p)	((n)->poll = (p))
#define napi_complete_done(n, d)	do { } while (0)
void napi_schedule(struct napi_struct *n);
void napi_gro_receive(struct napi_struct *n, struct sk_buff *skb);
#define SET_NETDEV_DEV(n, d)	do { } while (0)
#define alloc_netdev_mqs(s, n, t, setup, tx, rx)	calloc(1, sizeof(struct net_device))
#define free_netdev(d)		free(d)
#define register_netdev(d)	0
#define eth_hw_addr_set(d, a)	do { } while (0)
#define eth_mac_addr		NULL
#define eth_validate_addr	NULL
void kshim_unregister(struct net_device *d);
#define unregister_netdev	kshim_unregister
__be16 eth_type_trans(struct sk_buff *s, struct net_device *d);

#endif
