// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest to host.
 *
 * Descriptors are copied once, many at a time, and the copy is all that is
 * looked at.  Payload goes from guest memory into page fragments of the skb in
 * one copy, so the guest has its buffers back at the end of the batch.
 *
 * The driver cuts a TSO frame into segments itself, one descriptor each from
 * SOT to EOT (ionic_txrx.c:ionic_tx_tso).  They are put together again into one
 * GSO skb: the stack then handles 64 KiB at a time.  Completing the first
 * descriptor of a chain frees the buffers of all (ionic_tx_tso sets nbufs to 0
 * on the later ones), so a chain completes as a whole.  Until then a part of it
 * may be gathered in txs->skb; a disable throws that away and goes back.
 */
#include <linux/bitfield.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>
#include <ernic/rdma.h>

#include "engine.h"
#include "trace.h"

/* larger frames have their first ERNIC_TX_PULL bytes in the linear part only */
#define ERNIC_TX_LINEAR		1600
#define ERNIC_TX_PULL		128

/* no TCP of Linux goes below: TCP_MIN_SND_MSS without all options */
#define ERNIC_TSO_MSS_MIN	8

/* one buffer of a descriptor, validated */
struct ernic_tx_buf {
	u64 addr;
	u32 len;
};

#define ERNIC_TX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)

/*
 * An skb with room for @len linear bytes.  Small ones come out of the pair's
 * page fragment, as in drivers/net/tun.c:__tun_build_skb.
 */
static struct sk_buff *ernic_tx_alloc(struct ernic_pair *pair, u32 len)
{
	unsigned int size = SKB_DATA_ALIGN(ERNIC_TX_HEADROOM + len) +
			    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct page_frag *frag = &pair->txs.frag;
	struct sk_buff *skb;

	if (unlikely(size > PAGE_SIZE)) {
		skb = alloc_skb(ERNIC_TX_HEADROOM + len, GFP_KERNEL);
		if (!skb)
			return NULL;
	} else {
		frag->offset = ALIGN(frag->offset, SMP_CACHE_BYTES);
		if (unlikely(!skb_page_frag_refill(size, frag, GFP_KERNEL)))
			return NULL;
		skb = build_skb(page_address(frag->page) + frag->offset, size);
		if (unlikely(!skb))
			return NULL;
		get_page(frag->page);
		frag->offset += size;
	}
	skb_reserve(skb, ERNIC_TX_HEADROOM);
	return skb;
}

/* where the next payload bytes go; at most *@len of them */
static void *ernic_tx_room(struct ernic_pair *pair, struct sk_buff *skb,
			   size_t *len)
{
	struct page_frag *frag = &pair->txs.frag;
	int n = skb_shinfo(skb)->nr_frags;
	skb_frag_t *last;
	void *p;

	if (unlikely(!skb_page_frag_refill(1, frag, GFP_KERNEL)))
		return NULL;
	*len = min_t(size_t, *len, frag->size - frag->offset);
	p = page_address(frag->page) + frag->offset;

	if (n) {
		last = &skb_shinfo(skb)->frags[n - 1];
		if (skb_frag_page(last) == frag->page &&
		    skb_frag_off(last) + skb_frag_size(last) == frag->offset) {
			skb_coalesce_rx_frag(skb, n - 1, *len, *len);
			frag->offset += *len;
			return p;
		}
	}
	if (unlikely(n == MAX_SKB_FRAGS))
		return NULL;
	get_page(frag->page);
	skb_add_rx_frag(skb, n, frag->page, frag->offset, *len, *len);
	frag->offset += *len;
	return p;
}

/* copies one buffer behind what @skb has; the first @linear bytes are linear */
static int ernic_tx_copy(struct ernic_pair *pair, struct sk_buff *skb,
			 u32 linear, const struct ernic_tx_buf *buf)
{
	struct ernic_dev *edev = pair->edev;
	u64 addr = buf->addr;
	u32 left = buf->len;

	while (left) {
		size_t n = left;
		void *src, *dst;
		int err;

		src = ernic_dma_map(edev, addr, &n);
		if (unlikely(!src))
			n = left;
		if (skb->len < linear) {
			n = min_t(size_t, n, linear - skb->len);
			dst = skb_put(skb, n);
		} else {
			dst = ernic_tx_room(pair, skb, &n);
			if (unlikely(!dst))
				return -ENOMEM;
		}
		if (likely(src)) {
			memcpy(dst, src, n);
		} else {
			err = ernic_dma_read(edev, addr, dst, n);
			if (err)
				return err;
		}
		addr += n;
		left -= n;
	}
	return 0;
}

/*
 * Buffers of a descriptor, from a copy of its SG elements.  Returns their
 * number; -EINVAL if one makes no sense, -EIO if the elements are unreadable,
 * -EACCES if DMA is off.
 */
static int ernic_tx_bufs(struct ernic_pair *pair, u16 index,
			 const struct ion_txq_desc *desc,
			 struct ernic_tx_buf *buf, u32 *total)
{
	struct ion_sg_elem sg[ION_TX_MAX_SG];
	struct ernic_queue *q = &pair->tx;
	u64 cmd = le64_to_cpu(desc->cmd);
	unsigned int nsg = FIELD_GET(ION_TXD_NSGE_MASK, cmd);
	unsigned int i;
	size_t len;
	u64 addr;
	void *p;
	int err;

	buf[0].addr = FIELD_GET(ION_TXD_ADDR_MASK, cmd);
	buf[0].len = le16_to_cpu(desc->len);
	if (nsg) {
		if (unlikely(!q->sg))
			return -EINVAL;
		addr = q->sg_base + (u64)index * ION_TX_SG_STRIDE * sizeof(*sg);
		len = nsg * sizeof(*sg);
		p = ernic_dma_map(q->edev, addr, &len);
		if (likely(p && len == nsg * sizeof(*sg))) {
			memcpy(sg, p, len);
		} else {
			err = ernic_dma_read(q->edev, addr, sg,
					     nsg * sizeof(*sg));
			if (err)
				return err == -EACCES ? err : -EIO;
		}
		for (i = 0; i < nsg; i++) {
			buf[i + 1].addr = le64_to_cpu(sg[i].addr);
			buf[i + 1].len = le16_to_cpu(sg[i].len);
		}
	}

	*total = 0;
	for (i = 0; i <= nsg; i++) {
		if (unlikely(!buf[i].len || buf[i].addr > ION_ADDR_MASK ||
			     buf[i].addr + buf[i].len - 1 > ION_ADDR_MASK))
			return -EINVAL;
		*total += buf[i].len;
	}
	return nsg + 1;
}

/**
 * ernic_tso_fixup - make a GSO skb of a gathered chain
 * @skb: Ethernet frame of SOT to EOT; its first @hdr_len bytes are linear
 * @hdr_len: bytes of headers, at least ETH_HLEN
 * @mss: payload of a segment, not zero
 *
 * The template has IPv4 checksum 0 and a TCP checksum seeded with length 0; its
 * length is that of the whole frame (ionic_txrx.c:ionic_tx_tcp_pseudo_csum).
 * Receivers on this host look at the frame before it is segmented, so lengths,
 * the IPv4 checksum and the seed are made right.  All that Linux takes from the
 * headers later is checked here, on the copy.
 *
 * A chain of one segment becomes a frame with a partial checksum.
 *
 * Return: segments, or -EINVAL.
 */
int ernic_tso_fixup(struct sk_buff *skb, unsigned int hdr_len, unsigned int mss)
{
	unsigned int net, thoff, len, payload, type;
	struct tcphdr *th;
	__be16 proto;

	if (hdr_len > skb_headlen(skb) || skb->len <= hdr_len)
		return -EINVAL;
	net = ernic_net_offset(skb->data, hdr_len, &proto);
	len = skb->len - net;

	if (proto == htons(ETH_P_IP)) {
		struct iphdr *iph = (void *)skb->data + net;

		if (net + sizeof(*iph) > hdr_len || iph->version != 4 ||
		    iph->ihl < 5 || iph->protocol != IPPROTO_TCP ||
		    ip_is_fragment(iph) || len > U16_MAX)
			return -EINVAL;
		thoff = net + iph->ihl * 4;
		if (thoff + sizeof(*th) > hdr_len)
			return -EINVAL;
		iph->tot_len = htons(len);
		ip_send_check(iph);
		th = (void *)skb->data + thoff;
		th->check = ~csum_tcpudp_magic(iph->saddr, iph->daddr,
					       skb->len - thoff, IPPROTO_TCP,
					       0);
		type = SKB_GSO_TCPV4;
	} else if (proto == htons(ETH_P_IPV6)) {
		struct ipv6hdr *ip6h = (void *)skb->data + net;
		__be16 frag = 0;
		u8 nexthdr;
		int off;

		if (net + sizeof(*ip6h) > hdr_len || ip6h->version != 6 ||
		    len - sizeof(*ip6h) > U16_MAX)
			return -EINVAL;
		nexthdr = ip6h->nexthdr;
		off = ipv6_skip_exthdr(skb, net + sizeof(*ip6h), &nexthdr,
				       &frag);
		if (off < 0 || nexthdr != IPPROTO_TCP || frag)
			return -EINVAL;
		thoff = off;
		if (thoff + sizeof(*th) > hdr_len)
			return -EINVAL;
		ip6h->payload_len = htons(len - sizeof(*ip6h));
		th = (void *)skb->data + thoff;
		th->check = ~csum_ipv6_magic(&ip6h->saddr, &ip6h->daddr,
					     skb->len - thoff, IPPROTO_TCP, 0);
		type = SKB_GSO_TCPV6;
	} else {
		return -EINVAL;
	}

	if (th->doff * 4 < sizeof(*th) || thoff + th->doff * 4 != hdr_len)
		return -EINVAL;
	if (!skb_partial_csum_set(skb, thoff, offsetof(struct tcphdr, check)))
		return -EINVAL;

	payload = skb->len - hdr_len;
	if (payload <= mss)
		return 1;
	if (th->cwr)
		type |= SKB_GSO_TCP_ECN;
	skb_shinfo(skb)->gso_type = type | SKB_GSO_DODGY;
	skb_shinfo(skb)->gso_size = mss;
	skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(payload, mss);
	return skb_shinfo(skb)->gso_segs;
}
ERNIC_KUNIT_EXPORT(ernic_tso_fixup);

static void ernic_tx_count_frames(struct ernic_pair *pair,
				  const struct ernic_frame *f,
				  const struct sk_buff *skb, u32 segs,
				  u32 hdr_len, bool drop)
{
	u32 tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	u32 last = skb->len + tag, full;

	if (segs > 1) {
		full = hdr_len + skb_shinfo(skb)->gso_size;
		last -= (segs - 1) * skb_shinfo(skb)->gso_size;
		full += tag;
		if (drop)
			ernic_count_tx_drop(pair->lif_stats, f, full, segs - 1);
		else
			ernic_count_tx(pair->lif_stats, pair->port_stats, f,
				       full, segs - 1);
	}
	if (drop)
		ernic_count_tx_drop(pair->lif_stats, f, last, 1);
	else
		ernic_count_tx(pair->lif_stats, pair->port_stats, f, last, 1);
}

/* a whole frame: to the stack, if ernicN is up */
static void ernic_tx_deliver(struct ernic_pair *pair, struct sk_buff *skb,
			     u32 segs, u32 hdr_len, struct sk_buff_head *out)
{
	struct net_device *netdev = pair->edev->netdev;
	struct ernic_frame f;
	bool inband, drop;
	u16 tci = 0;
	__be16 tag;

	tag = ernic_skb_tag(skb, &tci, &inband);
	ernic_frame_classify(&f, skb->data, tag, tci);
	drop = !netif_running(netdev);
	ernic_tx_count_frames(pair, &f, skb, segs, hdr_len, drop);
	if (drop) {
		kfree_skb(skb);
		return;
	}
	pair->host.rx_packets += segs;
	pair->host.rx_bytes += skb->len + (size_t)(segs - 1) * hdr_len;
	skb_record_rx_queue(skb, pair->index);
	ernic_rdma_snoop(pair->edev, skb);
	skb->protocol = eth_type_trans(skb, netdev);
	__skb_queue_tail(out, skb);
}

static void ernic_tx_count_error(struct ernic_pair *pair, int err)
{
	unsigned int slot;

	if (err == -EFAULT || err == -EACCES)
		slot = ION_LIF_STAT_tx_dma_error;
	else
		slot = ION_LIF_STAT_tx_desc_data_error;
	pair->lif_stats[slot]++;
	pair->host.rx_errors++;
}

/* the chain is bad: forget what was gathered, ignore the rest of it */
static void ernic_tx_chain_fail(struct ernic_pair *pair, int err)
{
	struct ernic_tx_state *txs = &pair->txs;
	struct ernic_frame f;

	if (err == -ENOMEM && txs->skb && txs->skb->len >= ETH_HLEN) {
		ernic_frame_classify(&f, txs->skb->data, false, 0);
		ernic_count_tx_drop(pair->lif_stats, &f, txs->skb->len, 1);
	} else {
		ernic_tx_count_error(pair, err);
	}
	trace_ernic_tx(&pair->tx, txs->chain_start,
		       txs->skb ? txs->skb->len : 0, 0, err);
	kfree_skb(txs->skb);
	txs->skb = NULL;
	txs->skip = true;
}

static int ernic_tx_tso_start(struct ernic_pair *pair, u16 index,
			      const struct ion_txq_desc *desc, u32 total)
{
	struct ernic_tx_state *txs = &pair->txs;

	txs->chain = true;
	txs->skip = false;
	txs->chain_start = index;
	txs->hdr_len = le16_to_cpu(desc->hdr_len);
	txs->mss = le16_to_cpu(desc->mss);
	txs->vlan = le64_to_cpu(desc->cmd) & ION_TXD_F_VLAN;
	txs->vlan_tci = le16_to_cpu(desc->vlan_tci);
	if (txs->hdr_len < ETH_HLEN || txs->hdr_len > ERNIC_TX_HDR_MAX ||
	    txs->hdr_len > total || txs->mss < ERNIC_TSO_MSS_MIN)
		return -EINVAL;
	txs->skb = ernic_tx_alloc(pair, txs->hdr_len);
	return txs->skb ? 0 : -ENOMEM;
}

static int ernic_tx_tso_gather(struct ernic_pair *pair,
			       const struct ernic_tx_buf *buf, int nbufs,
			       u32 total)
{
	struct ernic_tx_state *txs = &pair->txs;
	struct sk_buff *skb = txs->skb;
	u32 hdr = skb->len ? 0 : txs->hdr_len;
	int i, err;

	/*
	 * No segment exceeds mss.  So there are no more segments than
	 * descriptors, and the guest has done as much work as it makes us do.
	 */
	if (total - hdr > txs->mss ||
	    skb->len + total > txs->hdr_len + U16_MAX)
		return -EINVAL;
	for (i = 0; i < nbufs; i++) {
		err = ernic_tx_copy(pair, skb, txs->hdr_len, &buf[i]);
		if (err)
			return err;
	}
	return 0;
}

/* one descriptor of a chain; txs->chain is false again after the last one */
static void ernic_tx_tso(struct ernic_pair *pair, u16 index,
			 const struct ion_txq_desc *desc,
			 const struct ernic_tx_buf *buf, int nbufs, u32 total,
			 struct sk_buff_head *out)
{
	struct ernic_tx_state *txs = &pair->txs;
	u64 cmd = le64_to_cpu(desc->cmd);
	struct sk_buff *skb;
	int err = 0;

	if (cmd & ION_TXD_F_TSO_SOT) {
		/* the chain before has no end */
		if (txs->chain && !txs->skip)
			ernic_tx_chain_fail(pair, -EINVAL);
		err = ernic_tx_tso_start(pair, index, desc, total);
	} else if (!txs->chain) {
		txs->chain = true;
		txs->skip = false;
		txs->chain_start = index;
		err = -EINVAL;
	}
	if (!err && !txs->skip) {
		if (nbufs < 0)
			err = nbufs;
		else
			err = ernic_tx_tso_gather(pair, buf, nbufs, total);
	}
	if (err)
		ernic_tx_chain_fail(pair, err);

	if (!(cmd & ION_TXD_F_TSO_EOT))
		return;
	txs->chain = false;
	if (txs->skip)
		return;

	skb = txs->skb;
	err = ernic_tso_fixup(skb, txs->hdr_len, txs->mss);
	if (err < 0) {
		ernic_tx_chain_fail(pair, err);
		return;
	}
	txs->skb = NULL;
	trace_ernic_tx(&pair->tx, index, skb->len, err, 0);
	if (txs->vlan)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), txs->vlan_tci);
	ernic_tx_deliver(pair, skb, err, txs->hdr_len, out);
}

static int ernic_tx_check(struct ernic_pair *pair,
			  const struct ion_txq_desc *desc, u32 total)
{
	u64 cmd = le64_to_cpu(desc->cmd);
	u32 csum_end = le16_to_cpu(desc->csum_start) +
		       le16_to_cpu(desc->csum_offset) + sizeof(__sum16);

	if (total < ETH_HLEN ||
	    total > ERNIC_FRAME_MAX(pair->edev->profile.mtu_max))
		return -EINVAL;
	switch (FIELD_GET(ION_TXD_OPCODE_MASK, cmd)) {
	case ION_TXD_CSUM_NONE:
		return 0;
	case ION_TXD_CSUM_PARTIAL:
		if (csum_end > total ||
		    le16_to_cpu(desc->csum_start) < ETH_HLEN)
			return -EINVAL;
		return 0;
	default:
		return -EINVAL;
	}
}

/* a descriptor that is a frame */
static void ernic_tx_one(struct ernic_pair *pair, u16 index,
			 const struct ion_txq_desc *desc,
			 const struct ernic_tx_buf *buf, int nbufs, u32 total,
			 struct sk_buff_head *out)
{
	u64 cmd = le64_to_cpu(desc->cmd);
	bool partial = FIELD_GET(ION_TXD_OPCODE_MASK, cmd) ==
		       ION_TXD_CSUM_PARTIAL;
	u16 start = le16_to_cpu(desc->csum_start);
	u16 offset = le16_to_cpu(desc->csum_offset);
	struct sk_buff *skb = NULL;
	struct ernic_frame f = {};
	u32 linear = total;
	int i, err;

	err = nbufs < 0 ? nbufs : ernic_tx_check(pair, desc, total);
	if (err)
		goto err;

	if (total > ERNIC_TX_LINEAR) {
		linear = ERNIC_TX_PULL;
		/* skb_partial_csum_set() wants the field to be linear */
		if (partial)
			linear = max_t(u32, linear,
				       start + offset + sizeof(__sum16));
	}
	skb = ernic_tx_alloc(pair, linear);
	if (unlikely(!skb)) {
		ernic_count_tx_drop(pair->lif_stats, &f, total, 1);
		return;
	}
	for (i = 0; i < nbufs && !err; i++)
		err = ernic_tx_copy(pair, skb, linear, &buf[i]);
	if (unlikely(err == -ENOMEM)) {
		ernic_frame_classify(&f, skb->data, false, 0);
		ernic_count_tx_drop(pair->lif_stats, &f, total, 1);
		kfree_skb(skb);
		return;
	}
	if (!err && partial && !skb_partial_csum_set(skb, start, offset))
		err = -EINVAL;
	if (err)
		goto err;

	trace_ernic_tx(&pair->tx, index, total, 1, 0);
	if (cmd & ION_TXD_F_VLAN)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q),
				       le16_to_cpu(desc->vlan_tci));
	ernic_tx_deliver(pair, skb, 1, 0, out);
	return;

err:
	trace_ernic_tx(&pair->tx, index, total, 0, err);
	ernic_tx_count_error(pair, err);
	kfree_skb(skb);
}

/* Returns bytes of payload, or a negative errno if the queue is done for. */
static int ernic_tx_desc(struct ernic_pair *pair, u16 index,
			 const struct ion_txq_desc *desc,
			 struct sk_buff_head *out)
{
	struct ernic_tx_buf buf[1 + ION_TX_MAX_SG];
	struct ernic_tx_state *txs = &pair->txs;
	u64 cmd = le64_to_cpu(desc->cmd);
	u32 total = 0;
	int nbufs;

	nbufs = ernic_tx_bufs(pair, index, desc, buf, &total);
	if (unlikely(nbufs == -EIO || nbufs == -EACCES))
		return nbufs;

	if (FIELD_GET(ION_TXD_OPCODE_MASK, cmd) == ION_TXD_TSO) {
		ernic_tx_tso(pair, index, desc, buf, nbufs, total, out);
		return total;
	}
	if (txs->chain) {
		if (!txs->skip)
			ernic_tx_chain_fail(pair, -EINVAL);
		txs->chain = false;
	}
	ernic_tx_one(pair, index, desc, buf, nbufs, total, out);
	return total;
}

/* The next descriptor that the guest has posted, NULL if there is none. */
static const struct ion_txq_desc *ernic_tx_next(struct ernic_pair *pair)
{
	struct ernic_tx_state *txs = &pair->txs;
	struct ernic_queue *q = &pair->tx;
	unsigned int avail;
	int n;

	if (txs->next < txs->ndesc)
		return &txs->desc[txs->next];

	avail = ernic_queue_avail(q);
	if (!avail)
		return NULL;
	n = ernic_pair_fetch(q, q->c_index,
			     min_t(unsigned int, avail, ERNIC_DESC_BATCH),
			     txs->desc, sizeof(txs->desc[0]));
	if (unlikely(n < 0))
		return ERR_PTR(n);
	txs->ndesc = n;
	txs->next = 0;
	return &txs->desc[0];
}

static void ernic_tx_fail(struct ernic_pair *pair, int err, const char *what)
{
	if (err != -EACCES)
		pair->lif_stats[ION_LIF_STAT_tx_desc_fetch_error]++;
	ernic_queue_fail(&pair->tx, err, what);
}

/*
 * One completion covers all that is done, as the driver frees everything up to
 * comp_index (ionic_txrx.c:ionic_tx_service).  If DMA was turned off meanwhile
 * it is owed until it is on again: a driver whose ring is full waits for it.
 */
static void ernic_tx_complete(struct ernic_pair *pair)
{
	struct ernic_tx_state *txs = &pair->txs;
	struct ernic_queue *q = &pair->tx;
	struct ion_txq_comp comp = {
		.comp_index = cpu_to_le16(txs->done_index),
	};
	int err;

	err = ernic_queue_complete(q, &comp);
	if (err) {
		ernic_queue_fail(q, err, "completion not writable");
		return;
	}
	txs->owed = false;
	pair->tx_comps++;
}

/**
 * ernic_tx_ready - is there anything to send, and a place for it?
 * @pair: pair, locked
 */
bool ernic_tx_ready(const struct ernic_pair *pair)
{
	const struct ernic_queue *q = &pair->tx;

	if (!q->enabled || q->error)
		return false;
	/* NAPI kicks us when it has caught up */
	if (skb_queue_len_lockless(&pair->to_host) >= ERNIC_TO_HOST_MAX)
		return false;
	return pair->txs.next < pair->txs.ndesc || ernic_queue_avail(q);
}

/**
 * ernic_tx_poll - one batch of frames from the guest
 * @pair: pair, locked; the caller holds ernic_dma_lock()
 * @out: frames for NAPI
 */
void ernic_tx_poll(struct ernic_pair *pair, struct sk_buff_head *out)
{
	unsigned int descs = 0, frames = 0, bytes = 0;
	struct ernic_tx_state *txs = &pair->txs;
	struct ernic_queue *q = &pair->tx;
	const struct ion_txq_desc *desc;
	bool ready = ernic_tx_ready(pair);
	int n;

	if (!q->enabled || q->error)
		return;

	while (ready && frames < ERNIC_BATCH_FRAMES &&
	       bytes < ERNIC_BATCH_BYTES && descs < ERNIC_BATCH_DESCS) {
		desc = ernic_tx_next(pair);
		if (!desc)
			break;
		if (IS_ERR(desc)) {
			ernic_tx_fail(pair, PTR_ERR(desc),
				      "descriptor unreadable");
			break;
		}
		n = ernic_tx_desc(pair, q->c_index, desc, out);
		if (n < 0) {
			ernic_tx_fail(pair, n, "SG elements unreadable");
			break;
		}
		descs++;
		bytes += n;
		if (!txs->chain) {
			txs->done_index = q->c_index;
			txs->owed = true;
			frames++;
		}
		txs->next++;
		q->c_index = (q->c_index + 1) & ernic_queue_mask(q);
	}

	if (txs->owed)
		ernic_tx_complete(pair);
	if (descs)
		ernic_stats_changed(pair->edev);
}

/**
 * ernic_tx_rewind - forget what was fetched and not completed
 * @pair: pair, locked
 *
 * The driver keeps unfinished frames posted while the link is down and expects
 * them to be sent when the queue is enabled again.
 */
void ernic_tx_rewind(struct ernic_pair *pair)
{
	struct ernic_tx_state *txs = &pair->txs;

	if (txs->chain && pair->tx.init)
		pair->tx.c_index = txs->chain_start;
	txs->chain = false;
	txs->skip = false;
	txs->ndesc = 0;
	txs->next = 0;
	kfree_skb(txs->skb);
	txs->skb = NULL;
}
