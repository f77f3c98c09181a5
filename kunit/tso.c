// SPDX-License-Identifier: GPL-2.0-only
/*
 * Super-frames rebuilt from a TSO chain, and receive checksums.
 *
 * A chain is made as the driver makes it, repaired, cut by Linux' own software
 * GSO, and each segment is then checked in full, with slow arithmetic.
 */
#include <kunit/test.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/prandom.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>
#include <net/gso.h>
#include <net/ip6_checksum.h>
#include <net/tcp.h>

#include "eth/engine.h"

#include "frame.h"
#include "mock.h"

#define FIN	0x01
#define PSH	0x08
#define ACK	0x10
#define CWR	0x80

/* the state in which ionic_tx_tso() hands the headers down */
static struct sk_buff *chain(struct kunit *test, const struct frame_spec *s,
			     unsigned int *hdr_len)
{
	struct sk_buff *skb = frame(test, s, hdr_len);
	struct tcphdr *th = tcp_hdr(skb);

	if (s->ipv6) {
		struct ipv6hdr *h = ipv6_hdr(skb);

		th->check = ~csum_ipv6_magic(&h->saddr, &h->daddr, 0,
					     IPPROTO_TCP, 0);
	} else {
		struct iphdr *h = ip_hdr(skb);

		h->check = 0;
		th->check = ~csum_tcpudp_magic(h->saddr, h->daddr, 0,
					       IPPROTO_TCP, 0);
	}
	return skb;
}

static void spec(struct frame_spec *s, bool ipv6, u32 payload)
{
	*s = (struct frame_spec){
		.ipv6 = ipv6,
		.proto = IPPROTO_TCP,
		.saddr = { 10, 1, 2, 3, 5, 6, 7, 8, 9, 0xfe, 0xff, 1, 2, 3, 4, 5 },
		.daddr = { 10, 1, 2, 4, 99, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
		.sport = 12345,
		.dport = 443,
		.tcp_flags = ACK | PSH | FIN | CWR,
		.seq = 0xfffff000,
		.ip_id = 0xfffe,
		.payload = payload,
		.tcp_opt = 12,
	};
}

static void check_segment(struct kunit *test, const struct frame_spec *s,
			  struct sk_buff *seg, unsigned int hdr_len, u32 off,
			  u32 len, u32 index, bool last)
{
	unsigned int net = ETH_HLEN + VLAN_HLEN * s->tags;
	u8 flags = ACK | (last ? PSH | FIN : 0) | (index ? 0 : CWR);
	const u8 *p = seg->data;
	const u8 *th = p + hdr_len - 20 - s->tcp_opt;
	u32 i;

	KUNIT_ASSERT_EQ(test, hdr_len + len, seg->len);
	if (seg->ip_summed == CHECKSUM_PARTIAL)
		KUNIT_ASSERT_EQ(test, 0, skb_checksum_help(seg));
	KUNIT_ASSERT_EQ(test, 0, skb_linearize(seg));
	p = seg->data;
	th = p + hdr_len - 20 - s->tcp_opt;
	if (s->ipv6) {
		KUNIT_EXPECT_EQ(test, seg->len - net - 40,
				get_unaligned_be16(p + net + 4));
	} else {
		KUNIT_EXPECT_EQ(test, seg->len - net,
				get_unaligned_be16(p + net + 2));
		KUNIT_EXPECT_EQ(test, 0xffff, frame_sum(p + net, 20, 0));
		KUNIT_EXPECT_EQ(test, (u16)(s->ip_id + index),
				get_unaligned_be16(p + net + 4));
	}
	KUNIT_EXPECT_EQ(test, s->seq + off, get_unaligned_be32(th + 4));
	KUNIT_EXPECT_EQ(test, flags, th[13]);
	KUNIT_EXPECT_EQ(test, 0xffff, frame_l4_sum(seg, net, s->ipv6,
						   IPPROTO_TCP));
	for (i = 0; i < len; i++)
		if (p[hdr_len + i] != (u8)((off + i) * 7 + 1))
			break;
	KUNIT_EXPECT_EQ(test, len, i);
}

static void rebuild(struct kunit *test, const struct frame_spec *s, u32 mss)
{
	unsigned int hdr_len, segs = DIV_ROUND_UP(s->payload, mss);
	unsigned int net = ETH_HLEN + VLAN_HLEN * s->tags;
	struct sk_buff *skb = chain(test, s, &hdr_len);
	struct sk_buff *list, *seg, *next;
	u32 off = 0, index = 0;

	KUNIT_ASSERT_EQ(test, segs, ernic_tso_fixup(skb, hdr_len, mss));
	KUNIT_EXPECT_TRUE(test, skb->ip_summed == CHECKSUM_PARTIAL);
	KUNIT_EXPECT_EQ(test, hdr_len - 20 - s->tcp_opt,
			skb_checksum_start_offset(skb));
	KUNIT_EXPECT_EQ(test, 16, skb->csum_offset);
	if (s->ipv6)
		KUNIT_EXPECT_EQ(test, skb->len - net - 40,
				get_unaligned_be16(skb->data + net + 4));
	else
		KUNIT_EXPECT_EQ(test, 0xffff, frame_sum(skb->data + net, 20, 0));

	if (segs == 1) {
		KUNIT_EXPECT_FALSE(test, skb_is_gso(skb));
		check_segment(test, s, skb, hdr_len, 0, s->payload, 0, true);
		return;
	}
	KUNIT_EXPECT_EQ(test, mss, skb_shinfo(skb)->gso_size);
	KUNIT_EXPECT_EQ(test, segs, skb_shinfo(skb)->gso_segs);
	KUNIT_EXPECT_TRUE(test, skb_shinfo(skb)->gso_type & SKB_GSO_TCP_ECN);
	KUNIT_EXPECT_TRUE(test, skb_shinfo(skb)->gso_type &
				(s->ipv6 ? SKB_GSO_TCPV6 : SKB_GSO_TCPV4));

	skb->protocol = get_unaligned((__be16 *)(skb->data + 12));
	list = __skb_gso_segment(skb, NETIF_F_SG, false);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, list);
	skb_list_walk_safe(list, seg, next) {
		u32 len = min(mss, s->payload - off);

		skb_mark_not_on_list(seg);
		check_segment(test, s, seg, hdr_len, off, len, index++,
			      off + len == s->payload);
		off += len;
		kfree_skb(seg);
	}
	KUNIT_EXPECT_EQ(test, segs, index);
	KUNIT_EXPECT_EQ(test, s->payload, off);
}

static void tso_rebuild(struct kunit *test)
{
	static const u32 mss[] = { 8, 100, 536, 1448, 8948 };
	static const u32 payload[] = { 1, 99, 100, 101, 1448, 1449, 5000, 20000 };
	struct frame_spec s;
	int v6, m, p, tags;

	for (v6 = 0; v6 < 2; v6++)
		for (tags = 0; tags <= 2; tags++)
			for (m = 0; m < ARRAY_SIZE(mss); m++)
				for (p = 0; p < ARRAY_SIZE(payload); p++) {
					/* thousands of segments take long */
					if (payload[p] / mss[m] > 200)
						continue;
					spec(&s, v6, payload[p]);
					s.tags = tags;
					rebuild(test, &s, mss[m]);
				}
}

static void tso_largest(struct kunit *test)
{
	struct frame_spec s;

	spec(&s, false, 65535 - 20 - 32);
	rebuild(test, &s, 1448);
	spec(&s, true, 65535 - 32);
	rebuild(test, &s, 1428);
}

/* without CWR no ECN type; without options; flags of the last segment */
static void tso_plain(struct kunit *test)
{
	struct frame_spec s;
	struct sk_buff *skb;
	unsigned int hdr;

	spec(&s, false, 4000);
	s.tcp_flags = ACK;
	s.tcp_opt = 0;
	skb = chain(test, &s, &hdr);
	KUNIT_EXPECT_EQ(test, 4, ernic_tso_fixup(skb, hdr, 1000));
	KUNIT_EXPECT_FALSE(test, skb_shinfo(skb)->gso_type & SKB_GSO_TCP_ECN);
}

/* headers that do not say what the descriptor says */
static void tso_bad(struct kunit *test)
{
	static const struct {
		u8 off;
		u8 val;
		bool ipv6;
		const char *what;
	} bad[] = {
		{ 12, 0x12, false, "no IP" },
		{ 14, 0x55, false, "IPv4 version 5" },
		{ 14, 0x44, false, "IPv4 header of 16" },
		{ 14, 0x4f, false, "IPv4 header of 60" },
		{ 23, 17, false, "UDP" },
		{ 20, 0x20, false, "more fragments" },
		{ 21, 1, false, "fragment" },
		{ 46, 0x40, false, "TCP header of 16" },
		{ 46, 0xf0, false, "TCP header of 60" },
		{ 46, 0x50, false, "TCP header shorter than hdr_len says" },
		{ 14, 0x50, true, "IPv6 version 5" },
		{ 20, 17, true, "UDP in IPv6" },
		{ 20, 44, true, "IPv6 fragment" },
		{ 20, 0, true, "hop by hop, and then nonsense" },
		{ 66, 0x40, true, "TCP header of 16 in IPv6" },
	};
	struct frame_spec s;
	struct sk_buff *skb;
	unsigned int hdr, i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		spec(&s, bad[i].ipv6, 5000);
		skb = chain(test, &s, &hdr);
		skb->data[bad[i].off] = bad[i].val;
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    ernic_tso_fixup(skb, hdr, 1000), "%s",
				    bad[i].what);
		KUNIT_EXPECT_FALSE(test, skb_is_gso(skb));
	}
	/* every wrong header length */
	for (i = ETH_HLEN; i < 120; i++) {
		spec(&s, false, 5000);
		skb = chain(test, &s, &hdr);
		if (i == hdr)
			continue;
		KUNIT_EXPECT_EQ(test, -EINVAL, ernic_tso_fixup(skb, i, 1000));
	}
	/* no payload at all */
	spec(&s, false, 0);
	skb = chain(test, &s, &hdr);
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_tso_fixup(skb, hdr, 1000));
	/* more than an IPv4 length can say */
	spec(&s, false, 65535);
	skb = chain(test, &s, &hdr);
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_tso_fixup(skb, hdr, 1000));
}

/* random damage: refused, or a frame that Linux can segment */
static void tso_random(struct kunit *test)
{
	unsigned int hdr, i, j, good = 0;
	struct sk_buff *skb, *list;
	struct frame_spec s;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 77);
	for (i = 0; i < 3000; i++) {
		spec(&s, prandom_u32_state(&rnd) & 1, 3000);
		s.tags = prandom_u32_state(&rnd) % 3;
		skb = chain(test, &s, &hdr);
		for (j = prandom_u32_state(&rnd) % 3; j < 3; j++)
			skb->data[prandom_u32_state(&rnd) % hdr] =
				prandom_u32_state(&rnd);
		if (ernic_tso_fixup(skb, hdr, 700) < 2)
			continue;
		good++;
		skb->protocol = get_unaligned((__be16 *)(skb->data + 12));
		list = __skb_gso_segment(skb, NETIF_F_SG, false);
		if (!IS_ERR_OR_NULL(list))
			kfree_skb_list(list);
	}
	KUNIT_EXPECT_GT(test, good, 100);
	KUNIT_EXPECT_LT(test, good, 3000);
}

/* csum = sum of what follows the Ethernet header, in memory order */
static void rx_csum(struct kunit *test)
{
	unsigned int len, hdr, i;
	struct rnd_state rnd;
	u8 *data = kunit_kzalloc(test, 2048, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	prandom_seed_state(&rnd, 31337);
	for (i = 0; i < 3000; i++) {
		u32 ref, want, got;
		__wsum payload;

		len = ETH_HLEN + prandom_u32_state(&rnd) % 1600;
		hdr = ETH_HLEN + prandom_u32_state(&rnd) % (len - ETH_HLEN + 1);
		hdr = min(hdr, 250u);
		prandom_bytes_state(&rnd, data, len);
		if (i % 50 == 0)
			memset(data, i & 1 ? 0xff : 0, len);
		payload = csum_partial(data + hdr, len - hdr, 0);
		got = ernic_rx_csum(data, hdr, payload);
		/* what the driver would compute */
		want = (u16)~(__force u16)csum_fold(csum_partial(data + ETH_HLEN,
								 len - ETH_HLEN,
								 0));
		KUNIT_EXPECT_EQ(test, want % 0xffff, got % 0xffff);
		/* the slow way is in network order */
		ref = swab16(frame_sum(data + ETH_HLEN, len - ETH_HLEN, 0));
		KUNIT_EXPECT_EQ(test, ref % 0xffff, got % 0xffff);
		/* zero only for zeros: the stack tells 0 and 0xffff apart */
		KUNIT_EXPECT_EQ(test, !want, !got);
	}
}

static struct kunit_case tso_cases[] = {
	KUNIT_CASE_SLOW(tso_rebuild),
	KUNIT_CASE(tso_largest),
	KUNIT_CASE(tso_plain),
	KUNIT_CASE(tso_bad),
	KUNIT_CASE(tso_random),
	KUNIT_CASE(rx_csum),
	{}
};

static struct kunit_suite tso_suite = {
	.name = "ernic-tso",
	.test_cases = tso_cases,
};

kunit_test_suite(tso_suite);
