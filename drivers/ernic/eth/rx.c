// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host to guest.
 *
 * A frame is delivered as headers, which are copied aside once and edited, and
 * payload, which goes from the skb to the guest's buffers in one pass that also
 * sums it.  A GSO skb yields one frame a segment: the guest has no LRO, and
 * buffers for an MTU each (ionic_txrx.c:ionic_rx_fill).  Headers are stored last, as
 * their checksum is known only then.
 *
 * A frame for which there is no buffer waits, with back-pressure up to the
 * qdisc, for a tenth of a second at most.  A profile without offloads drops it
 * at once, which is what the user-space server does.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/checksum.h>
#include <net/ip.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"
#include "trace.h"

/* one buffer of the guest, validated */
struct ernic_rx_buf {
	u64 addr;
	u32 len;
};

/* a position in the buffers of a descriptor */
struct ernic_rx_pos {
	struct ernic_dev *edev;
	const struct ernic_rx_buf *buf;
	u32 off;
};

/* contiguous room at the position, at most *@len; NULL: use ernic_dma_write() */
static void *ernic_rx_room(struct ernic_rx_pos *pos, size_t *len, u64 *addr)
{
	size_t n;
	void *p;

	while (pos->off == pos->buf->len) {
		pos->buf++;
		pos->off = 0;
	}
	n = min_t(size_t, *len, pos->buf->len - pos->off);
	*addr = pos->buf->addr + pos->off;
	*len = n;
	p = ernic_dma_map(pos->edev, *addr, len);
	if (unlikely(!p))
		*len = n;
	pos->off += *len;
	return p;
}

static int ernic_rx_put(struct ernic_rx_pos *pos, const void *src, size_t len)
{
	while (len) {
		size_t n = len;
		void *dst;
		u64 addr;
		int err;

		dst = ernic_rx_room(pos, &n, &addr);
		if (likely(dst)) {
			memcpy(dst, src, n);
		} else {
			err = ernic_dma_write(pos->edev, addr, src, n);
			if (err)
				return err;
		}
		src += n;
		len -= n;
	}
	return 0;
}

static void ernic_rx_skip(struct ernic_rx_pos *pos, u32 len)
{
	u32 n;

	while (len) {
		n = min(len, pos->buf->len - pos->off);
		pos->off += n;
		len -= n;
		if (len) {
			pos->buf++;
			pos->off = 0;
		}
	}
}

/*
 * Copies payload from @skb; adds its sum to *@csum, whose parity is that of
 * @sum_off, unless @csum is NULL.
 */
static int ernic_rx_put_skb(struct ernic_rx_pos *pos, const struct sk_buff *skb,
			    u32 off, u32 len, __wsum *csum, u32 sum_off)
{
	u8 bounce[256];

	while (len) {
		size_t n = len;
		void *dst;
		u64 addr;
		int err;

		dst = ernic_rx_room(pos, &n, &addr);
		if (unlikely(!dst)) {
			/* give back what the bounce buffer cannot take */
			if (n > sizeof(bounce)) {
				pos->off -= n - sizeof(bounce);
				n = sizeof(bounce);
			}
			dst = bounce;
		}
		if (csum) {
			__wsum sum = skb_copy_and_csum_bits(skb, off, dst, n);

			*csum = csum_block_add(*csum, sum, sum_off);
			sum_off += n;
		} else {
			err = skb_copy_bits(skb, off, dst, n);
			if (err)
				return err;
		}
		if (unlikely(dst == bounce)) {
			err = ernic_dma_write(pos->edev, addr, bounce, n);
			if (err)
				return err;
		}
		off += n;
		len -= n;
	}
	return 0;
}

/**
 * ernic_rx_csum - what the completion says of a frame
 * @hdr: headers as delivered
 * @hdr_len: bytes, at least ETH_HLEN
 * @payload: sum of what follows
 *
 * Return: one's complement sum of all behind the Ethernet header, not inverted.
 */
u16 ernic_rx_csum(const u8 *hdr, unsigned int hdr_len, __wsum payload)
{
	unsigned int len = hdr_len - ETH_HLEN;
	__wsum sum;

	sum = csum_block_add(csum_partial(hdr + ETH_HLEN, len, 0), payload,
			     len);
	return ~(__force u16)csum_fold(sum);
}
ERNIC_KUNIT_EXPORT(ernic_rx_csum);

/* the next descriptor of the guest, NULL if there is none */
static const struct ion_rxq_desc *ernic_rx_next(struct ernic_pair *pair)
{
	struct ernic_rx_state *rxs = &pair->rxs;
	struct ernic_queue *q = &pair->rx;
	unsigned int avail;
	int n;

	if (rxs->next < rxs->ndesc)
		return &rxs->desc[rxs->next];

	avail = ernic_queue_avail(q);
	if (!avail)
		return NULL;
	n = ernic_pair_fetch(q, q->c_index,
			     min_t(unsigned int, avail, ERNIC_DESC_BATCH),
			     rxs->desc, sizeof(rxs->desc[0]));
	if (unlikely(n < 0))
		return ERR_PTR(n);
	rxs->ndesc = n;
	rxs->next = 0;
	return &rxs->desc[0];
}

static bool ernic_rx_buf_ok(const struct ernic_rx_buf *buf)
{
	return buf->len && buf->addr <= ION_ADDR_MASK &&
	       buf->len - 1 <= ION_ADDR_MASK - buf->addr;
}

/*
 * Buffers for @len bytes.  Returns how many of @buf it takes; -EMSGSIZE if the
 * frame does not fit, -EINVAL if a buffer makes no sense, -EIO if the elements
 * are unreadable, -EACCES if DMA is off.
 */
static int ernic_rx_bufs(struct ernic_pair *pair,
			 const struct ion_rxq_desc *desc, u32 len,
			 struct ernic_rx_buf *buf)
{
	struct ion_sg_elem sg[ION_RX_MAX_SG];
	struct ernic_queue *q = &pair->rx;
	size_t n = sizeof(sg);
	unsigned int i;
	u64 addr;
	void *p;
	int err;

	buf[0].addr = le64_to_cpu(desc->addr);
	buf[0].len = le16_to_cpu(desc->len);
	if (!ernic_rx_buf_ok(&buf[0]))
		return -EINVAL;
	if (len <= buf[0].len)
		return 1;
	len -= buf[0].len;
	if (desc->opcode != ION_RXD_SG || !q->sg)
		return -EMSGSIZE;

	addr = q->sg_base + (u64)q->c_index * ION_RX_SG_STRIDE * sizeof(*sg);
	p = ernic_dma_map(q->edev, addr, &n);
	if (likely(p && n == sizeof(sg))) {
		memcpy(sg, p, sizeof(sg));
	} else {
		err = ernic_dma_read(q->edev, addr, sg, sizeof(sg));
		if (err)
			return err == -EACCES ? err : -EIO;
	}

	for (i = 0; i < ION_RX_MAX_SG; i++) {
		if (!sg[i].len)
			break;
		buf[i + 1].addr = le64_to_cpu(sg[i].addr);
		buf[i + 1].len = le16_to_cpu(sg[i].len);
		if (!ernic_rx_buf_ok(&buf[i + 1]))
			return -EINVAL;
		if (len <= buf[i + 1].len)
			return i + 2;
		len -= buf[i + 1].len;
	}
	return -EMSGSIZE;
}

/* the frame under way as a segment of @seg bytes, tag included */
static u32 ernic_rx_wire_len(const struct ernic_rx_state *rxs, u32 seg)
{
	return rxs->hdr_len + seg + (rxs->strip ? VLAN_HLEN : 0);
}

static u32 ernic_rx_seg(const struct ernic_rx_state *rxs)
{
	return rxs->gso ? min_t(u32, rxs->left, rxs->mss) : rxs->left;
}

static void ernic_rx_advance(struct ernic_rx_state *rxs, u32 seg)
{
	rxs->off += seg;
	rxs->left -= seg;
	rxs->first = false;
}

/* headers of the segment, all but the checksum */
static void ernic_rx_tso_headers(struct ernic_rx_state *rxs, u8 *hdr, u32 seg)
{
	struct tcphdr *th = (void *)hdr + rxs->csum_start;
	u32 l4len = rxs->hdr_len - rxs->csum_start;
	bool last = seg == rxs->left;

	if (rxs->ipv6) {
		struct ipv6hdr *ip6h = (void *)hdr + rxs->net_off;

		ip6h->payload_len = htons(rxs->hdr_len - rxs->net_off -
					  sizeof(*ip6h) + seg);
	} else {
		struct iphdr *iph = (void *)hdr + rxs->net_off;

		iph->tot_len = htons(rxs->hdr_len - rxs->net_off + seg);
		ip_send_check(iph);
	}
	/* the template's seed has no length in it, see ernic_rx_tso_begin() */
	th->check = ~csum_fold(csum_add(csum_unfold(th->check),
					(__force __wsum)htonl(l4len + seg)));
	if (!rxs->first)
		th->cwr = 0;
	if (!last) {
		th->fin = 0;
		th->psh = 0;
	}
}

/* the next segment starts where this one ends */
static void ernic_rx_tso_next(struct ernic_rx_state *rxs, u32 seg)
{
	struct tcphdr *th = (void *)rxs->hdr + rxs->csum_start;

	th->seq = htonl(ntohl(th->seq) + seg);
	if (!rxs->ipv6) {
		struct iphdr *iph = (void *)rxs->hdr + rxs->net_off;

		iph->id = htons(ntohs(iph->id) + 1);
	}
}

static void ernic_rx_drop(struct ernic_pair *pair, u32 seg, unsigned int slot,
			  int err)
{
	struct ernic_rx_state *rxs = &pair->rxs;
	u32 len = ernic_rx_wire_len(rxs, seg);

	trace_ernic_rx(&pair->rx, pair->rx.c_index, len, err);
	ernic_count_rx_drop(pair->lif_stats, &rxs->frame, len, 1);
	pair->lif_stats[slot]++;
	if (slot == ION_LIF_STAT_rx_queue_empty)
		pair->port_stats[ION_PORT_STAT_frames_rx_dropped]++;
	pair->host.tx_dropped++;
}

static int ernic_rx_complete(struct ernic_pair *pair, struct ion_rxq_comp *comp)
{
	struct ernic_queue *q = &pair->rx;
	union ion_comp raw;
	int err;

	comp->comp_index = cpu_to_le16(q->c_index);
	memcpy(&raw, comp, sizeof(raw));
	err = ernic_pair_complete(q, &raw);
	if (err) {
		ernic_queue_fail(q, err, "completion not writable");
		return -EIO;
	}
	pair->rx_comps++;
	pair->rxs.next++;
	q->c_index = (q->c_index + 1) & ernic_queue_mask(q);
	return 0;
}

/* copies headers and payload of one frame; *@csum is its sum if @sum */
static int ernic_rx_copy(struct ernic_pair *pair,
			 const struct ernic_rx_buf *buf, u32 seg, bool sum,
			 u16 *csum)
{
	struct ernic_rx_pos pos = { .edev = pair->edev, .buf = buf }, at = pos;
	struct ernic_rx_state *rxs = &pair->rxs;
	u8 tmp[ERNIC_RX_HDR_MAX] __aligned(4);
	bool need = sum || rxs->partial;
	__wsum payload = 0;
	u8 *hdr = rxs->hdr;
	int err;

	if (seg) {
		ernic_rx_skip(&pos, rxs->hdr_len);
		err = ernic_rx_put_skb(&pos, rxs->skb, rxs->off, seg,
				       need ? &payload : NULL, 0);
		if (err)
			return err;
	}
	if (rxs->partial) {
		u32 l4 = rxs->hdr_len - rxs->csum_start;
		__sum16 check;

		if (rxs->gso) {
			hdr = tmp;
			memcpy(hdr, rxs->hdr, rxs->hdr_len);
			ernic_rx_tso_headers(rxs, hdr, seg);
		}
		check = csum_fold(csum_block_add(csum_partial(hdr +
							      rxs->csum_start,
							      l4, 0),
						 payload, l4));
		/* as net/core/dev.c:skb_checksum_help */
		check = check ?: CSUM_MANGLED_0;
		memcpy(hdr + rxs->csum_off, &check, sizeof(check));
	}
	if (sum)
		*csum = ernic_rx_csum(hdr, rxs->hdr_len, payload);
	return ernic_rx_put(&at, hdr, rxs->hdr_len);
}

static int ernic_rx_fail(struct ernic_pair *pair, int err, const char *what)
{
	if (err != -EACCES)
		pair->lif_stats[ION_LIF_STAT_rx_desc_fetch_error]++;
	ernic_queue_fail(&pair->rx, err, what);
	return -EIO;
}

/*
 * Delivers the next frame of rxs->skb.  Returns its length, 0 if it was
 * dropped, -ENOBUFS if there is no buffer, -EIO if the batch ends: the queue is
 * done for, or DMA is off.
 */
static int ernic_rx_frame(struct ernic_pair *pair)
{
	struct ernic_rx_buf buf[1 + ION_RX_MAX_SG];
	u64 features = READ_ONCE(pair->edev->lif.features);
	struct ernic_rx_state *rxs = &pair->rxs;
	struct ion_rxq_comp comp = {};
	const struct ion_rxq_desc *desc;
	u32 seg = ernic_rx_seg(rxs);
	u32 len = rxs->hdr_len + seg;
	u16 csum = 0;
	int nbufs, err;

	desc = ernic_rx_next(pair);
	if (!desc)
		return -ENOBUFS;
	if (IS_ERR(desc))
		return ernic_rx_fail(pair, PTR_ERR(desc),
				     "descriptor unreadable");
	rxs->waiting = false;
	rxs->stalled = false;

	nbufs = ernic_rx_bufs(pair, desc, len, buf);
	if (nbufs == -EIO || nbufs == -EACCES)
		return ernic_rx_fail(pair, nbufs, "SG elements unreadable");
	if (nbufs < 0) {
		/* a buffer that is too small may do for the next frame */
		ernic_rx_drop(pair, seg, ION_LIF_STAT_rx_desc_data_error,
			      nbufs);
		if (nbufs == -EINVAL) {
			comp.status = ION_RC_BAD_ADDR;
			if (ernic_rx_complete(pair, &comp))
				return -EIO;
		}
		goto dropped;
	}

	err = ernic_rx_copy(pair, buf, seg, features & ION_ETH_HW_RX_CSUM,
			    &csum);
	if (err) {
		/* with a status the driver posts the buffers again */
		ernic_rx_drop(pair, seg, ION_LIF_STAT_rx_dma_error, err);
		comp.status = ION_RC_EFAULT;
		if (ernic_rx_complete(pair, &comp))
			return -EIO;
		goto dropped;
	}

	trace_ernic_rx(&pair->rx, pair->rx.c_index, len, 0);
	comp.num_sg_elems = nbufs - 1;
	comp.len = cpu_to_le16(len);
	comp.rss_hash = cpu_to_le32(rxs->hash);
	comp.pkt_type_color = rxs->pkt_type;
	if (features & ION_ETH_HW_RX_CSUM) {
		comp.csum = cpu_to_le16(csum);
		comp.csum_flags |= ION_RXC_CSUM_F_CALC;
	}
	if (rxs->strip) {
		comp.vlan_tci = cpu_to_le16(rxs->vlan_tci);
		comp.csum_flags |= ION_RXC_CSUM_F_VLAN;
	}
	if (ernic_rx_complete(pair, &comp))
		return -EIO;

	ernic_count_rx_lif(pair->lif_stats, &rxs->frame,
			   ernic_rx_wire_len(rxs, seg), 1);
	pair->host.tx_packets++;
	pair->host.tx_bytes += len;
	if (rxs->gso)
		ernic_rx_tso_next(rxs, seg);
	ernic_rx_advance(rxs, seg);
	return len;

dropped:
	if (rxs->gso)
		ernic_rx_tso_next(rxs, seg);
	ernic_rx_advance(rxs, seg);
	return 0;
}

/* Headers of a GSO skb become a template; the lengths are left to each segment. */
static int ernic_rx_tso_begin(struct ernic_rx_state *rxs)
{
	const struct sk_buff *skb = rxs->skb;
	u32 l4len = skb->len - skb_transport_offset(skb);
	const struct iphdr *iph;
	struct tcphdr *th;
	__be16 proto;
	u32 net;

	/* another guest may have made it: what is used later is checked here */
	if (!rxs->partial ||
	    skb_checksum_start_offset(skb) != skb_transport_offset(skb) ||
	    skb->csum_offset != offsetof(struct tcphdr, check))
		return -EINVAL;
	/* a bridge leaves the network header at an inner tag */
	net = ernic_net_offset(rxs->hdr, rxs->hdr_len, &proto);
	rxs->net_off = net;
	rxs->ipv6 = proto == htons(ETH_P_IPV6);
	if (rxs->ipv6) {
		if (net + sizeof(struct ipv6hdr) > rxs->csum_start)
			return -EINVAL;
	} else {
		iph = (const void *)rxs->hdr + net;
		if (proto != htons(ETH_P_IP) ||
		    net + sizeof(*iph) > rxs->csum_start || iph->ihl < 5 ||
		    net + iph->ihl * 4 != rxs->csum_start)
			return -EINVAL;
	}
	th = (void *)rxs->hdr + rxs->csum_start;
	/* the seed covers the length of all; make it cover none */
	th->check = ~csum_fold(csum_sub(csum_unfold(th->check),
					(__force __wsum)htonl(l4len)));
	return 0;
}

/*
 * Copies the headers of rxs->skb aside, with its tag in place or out of it, and
 * decides how it is delivered.
 */
static int ernic_rx_headers(struct ernic_pair *pair, __be16 tag, bool inband)
{
	struct ernic_rx_state *rxs = &pair->rxs;
	struct sk_buff *skb = rxs->skb;
	u32 pull = ETH_HLEN;
	int shift = 0, from = 2 * ETH_ALEN, to = from, start = 0;

	rxs->gso = skb_is_gso(skb);
	rxs->first = true;
	rxs->partial = skb->ip_summed == CHECKSUM_PARTIAL;
	rxs->strip = tag == htons(ETH_P_8021Q) &&
		     READ_ONCE(pair->edev->lif.features) &
		     ION_ETH_HW_VLAN_RX_STRIP;

	if (rxs->gso) {
		pull = ernic_gso_hdr_len(skb);
		if (!pull)
			return -EINVAL;
	}
	if (rxs->partial) {
		start = skb_checksum_start_offset(skb);
		/* nothing sums the Ethernet header or the tag */
		if (start < (inband ? VLAN_ETH_HLEN : ETH_HLEN))
			return -EINVAL;
	}
	if (rxs->partial && !rxs->gso) {
		pull = start + skb->csum_offset + sizeof(__sum16);
		/* nothing that Linux sends has its checksum so far behind */
		if (pull > ERNIC_RX_HDR_MAX - VLAN_HLEN) {
			if (skb_checksum_help(skb))
				return -ENOMEM;
			rxs->partial = false;
			pull = ETH_HLEN;
		}
	}
	if (inband)
		pull = max_t(u32, pull, VLAN_ETH_HLEN);
	if (pull > skb->len || pull > ERNIC_RX_HDR_MAX - VLAN_HLEN)
		return -EINVAL;

	if (rxs->strip && inband) {
		shift = -VLAN_HLEN;
		from += VLAN_HLEN;
	} else if (tag && !rxs->strip && !inband) {
		__be16 *vlan = (__be16 *)(rxs->hdr + to);

		/* what the tag encapsulates follows */
		vlan[0] = tag;
		vlan[1] = htons(rxs->vlan_tci);
		shift = VLAN_HLEN;
		to += VLAN_HLEN;
	}
	if (skb_copy_bits(skb, 0, rxs->hdr, 2 * ETH_ALEN) ||
	    skb_copy_bits(skb, from, rxs->hdr + to, pull - from))
		return -EFAULT;

	rxs->hdr_len = pull + shift;
	rxs->off = pull;
	rxs->left = skb->len - pull;
	if (rxs->partial) {
		rxs->csum_start = start + shift;
		rxs->csum_off = rxs->csum_start + skb->csum_offset;
	}
	if (!rxs->gso)
		return 0;
	rxs->mss = skb_shinfo(skb)->gso_size;
	return ernic_rx_tso_begin(rxs);
}

/*
 * Takes a frame in: counts it at the port, filters it, prepares its headers.
 * False if it goes no further.
 */
static bool ernic_rx_begin(struct ernic_pair *pair, struct sk_buff *skb)
{
	struct ernic_rx_state *rxs = &pair->rxs;
	struct ernic_dev *edev = pair->edev;
	u32 seg, last, n, len;
	bool inband;
	u16 tci = 0;
	__be16 tag;

	rxs->skb = skb;
	tag = ernic_skb_tag(skb, &tci, &inband);
	rxs->vlan_tci = tci;
	ernic_frame_classify(&rxs->frame, skb->data, tag, tci);
	if (ernic_rx_headers(pair, tag, inband)) {
		pair->host.tx_dropped++;
		goto drop;
	}

	/* all segments are as long as the first, but for the last */
	seg = ernic_rx_seg(rxs);
	len = ernic_rx_wire_len(rxs, seg);
	n = rxs->gso && seg ? rxs->left / seg : 1;
	last = rxs->left - n * seg;
	if (unlikely(len > ERNIC_FRAME_MAX(edev->profile.mtu_max))) {
		ernic_count_rx_too_long(pair->port_stats, n + !!last);
		pair->host.tx_dropped++;
		goto drop;
	}
	ernic_count_rx_port(pair->port_stats, &rxs->frame, len, n);
	if (last)
		ernic_count_rx_port(pair->port_stats, &rxs->frame,
				    ernic_rx_wire_len(rxs, last), 1);

	if (!ernic_filter_accept(edev, skb->data, tag == htons(ETH_P_8021Q),
				 tci & VLAN_VID_MASK))
		goto drop;

	rxs->pkt_type = ION_PKT_NON_IP;
	rxs->hash = 0;
	if (READ_ONCE(edev->lif.features) & ION_ETH_HW_RX_HASH)
		rxs->pkt_type = ernic_steer_hash(edev, skb, &rxs->hash);
	return true;

drop:
	rxs->skb = NULL;
	kfree_skb(skb);
	return false;
}

/* no buffer: false if the frame waits, true if it has to go */
static bool ernic_rx_give_up(struct ernic_pair *pair)
{
	struct ernic_rx_state *rxs = &pair->rxs;

	if (pair->edev->profile.offloads == ERNIC_OFFLOADS_NONE ||
	    rxs->stalled)
		return true;
	if (!rxs->waiting) {
		rxs->waiting = true;
		rxs->wait_since = jiffies;
	}
	if (time_after_eq(jiffies, rxs->wait_since + ERNIC_RX_WAIT)) {
		rxs->waiting = false;
		rxs->stalled = true;
		return true;
	}
	mod_timer(&rxs->timer, rxs->wait_since + ERNIC_RX_WAIT);
	return false;
}

/**
 * ernic_rx_timeout - a frame has waited long enough
 * @t: rxs->timer of a pair
 */
void ernic_rx_timeout(struct timer_list *t)
{
	struct ernic_pair *pair = container_of(t, struct ernic_pair, rxs.timer);

	ernic_worker_kick(&pair->worker);
}

/* there is room in the ring again; the caller has consumed of it or found none */
static void ernic_rx_wake(struct ernic_pair *pair)
{
	struct net_device *netdev = pair->edev->netdev;
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, pair->index);

	if (likely(!netif_tx_queue_stopped(txq)) || !netif_running(netdev))
		return;
	/* without BH the softirq runs now, not when ksoftirqd does */
	local_bh_disable();
	netif_tx_wake_queue(txq);
	local_bh_enable();
}

/**
 * ernic_rx_purge - forget the frames for the guest and the fetched descriptors
 * @pair: pair, locked
 */
void ernic_rx_purge(struct ernic_pair *pair)
{
	struct ernic_rx_state *rxs = &pair->rxs;
	struct sk_buff *skb;

	timer_delete(&rxs->timer);
	rxs->waiting = false;
	rxs->stalled = false;
	rxs->ndesc = 0;
	rxs->next = 0;
	if (rxs->skb) {
		pair->host.tx_dropped++;
		kfree_skb(rxs->skb);
		rxs->skb = NULL;
	}
	while ((skb = __ptr_ring_consume(&pair->ring))) {
		pair->host.tx_dropped++;
		kfree_skb(skb);
	}
	if (pair->edev->netdev)
		ernic_rx_wake(pair);
}

/**
 * ernic_rx_poll - one batch of frames to the guest
 * @pair: pair, locked; the caller holds ernic_dma_lock()
 *
 * Return: there may be more.
 */
bool ernic_rx_poll(struct ernic_pair *pair)
{
	unsigned int frames = 0, bytes = 0, taken = 0;
	struct ernic_rx_state *rxs = &pair->rxs;
	struct ernic_queue *q = &pair->rx;
	struct sk_buff *skb;
	bool more = false;
	int n;

	if (!q->enabled)
		return false;
	if (q->error) {
		ernic_rx_purge(pair);
		return false;
	}

	for (;;) {
		if (frames >= ERNIC_BATCH_FRAMES ||
		    bytes >= ERNIC_BATCH_BYTES) {
			more = true;
			break;
		}
		frames++;
		if (!rxs->skb) {
			skb = __ptr_ring_consume(&pair->ring);
			if (!skb)
				break;
			taken++;
			if (!ernic_rx_begin(pair, skb))
				continue;
		}
		n = ernic_rx_frame(pair);
		if (n == -EIO) {
			ernic_rx_purge(pair);
			break;
		}
		if (n == -ENOBUFS) {
			u32 seg = ernic_rx_seg(rxs);

			if (!ernic_rx_give_up(pair))
				break;
			ernic_rx_drop(pair, seg, ION_LIF_STAT_rx_queue_empty,
				      n);
			if (rxs->gso)
				ernic_rx_tso_next(rxs, seg);
			ernic_rx_advance(rxs, seg);
			n = 0;
		}
		bytes += n;
		if (pair->rx_comps >= ERNIC_INTR_FRAMES)
			ernic_pair_intr(pair);
		if (!rxs->left) {
			consume_skb(rxs->skb);
			rxs->skb = NULL;
		}
	}

	if (taken || __ptr_ring_empty(&pair->ring))
		ernic_rx_wake(pair);
	if (taken || bytes)
		ernic_stats_changed(pair->edev);
	return more;
}
