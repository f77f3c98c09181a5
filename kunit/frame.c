// SPDX-License-Identifier: GPL-2.0-only
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/unaligned.h>

#include "frame.h"

static void frame_free(void *skb)
{
	kfree_skb(skb);
}

static u8 *put_be16(u8 *p, u16 val)
{
	put_unaligned_be16(val, p);
	return p + 2;
}

struct sk_buff *frame(struct kunit *test, const struct frame_spec *s,
		      unsigned int *hdr_len)
{
	unsigned int l3 = s->ipv6 ? sizeof(struct ipv6hdr) :
				    sizeof(struct iphdr);
	unsigned int l4 = s->proto == IPPROTO_TCP ?
			  sizeof(struct tcphdr) + s->tcp_opt :
			  s->proto == IPPROTO_UDP ? sizeof(struct udphdr) : 0;
	unsigned int net = ETH_HLEN + VLAN_HLEN * s->tags;
	unsigned int hdr = net + l3 + l4;
	struct sk_buff *skb = alloc_skb(hdr + s->payload, GFP_KERNEL);
	unsigned int i;
	u8 *p;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, frame_free,
							   skb));
	p = skb_put_zero(skb, hdr + s->payload);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, net);
	skb_set_transport_header(skb, net + l3);
	skb->protocol = htons(s->ipv6 ? ETH_P_IPV6 : ETH_P_IP);

	p[5] = 1;
	p[0] = 2;
	p[6] = 2;
	p[11] = 2;
	p += 2 * ETH_ALEN;
	for (i = 0; i < s->tags; i++) {
		p = put_be16(p, s->tags == 2 && !i ? ETH_P_8021AD : ETH_P_8021Q);
		p = put_be16(p, 0x2005 + i);
	}
	p = put_be16(p, s->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	if (s->ipv6) {
		p[0] = 0x60;
		put_unaligned_be16(l4 + s->payload, p + 4);
		p[6] = s->proto;
		p[7] = 64;
		memcpy(p + 8, s->saddr, 16);
		memcpy(p + 24, s->daddr, 16);
	} else {
		p[0] = 0x45;
		put_unaligned_be16(l3 + l4 + s->payload, p + 2);
		put_unaligned_be16(s->ip_id, p + 4);
		put_unaligned_be16(s->frag_off, p + 6);
		p[8] = 64;
		p[9] = s->proto;
		memcpy(p + 12, s->saddr, 4);
		memcpy(p + 16, s->daddr, 4);
	}
	p += l3;
	if (l4) {
		put_unaligned_be16(s->sport, p);
		put_unaligned_be16(s->dport, p + 2);
	}
	if (s->proto == IPPROTO_TCP) {
		put_unaligned_be32(s->seq, p + 4);
		p[12] = (sizeof(struct tcphdr) + s->tcp_opt) / 4 << 4;
		p[13] = s->tcp_flags;
		memset(p + sizeof(struct tcphdr), 1, s->tcp_opt);
	} else if (s->proto == IPPROTO_UDP) {
		put_unaligned_be16(l4 + s->payload, p + 4);
	}
	p += l4;
	for (i = 0; i < s->payload; i++)
		p[i] = i * 7 + 1;
	if (hdr_len)
		*hdr_len = hdr;
	return skb;
}

u16 frame_sum(const u8 *data, unsigned int len, u32 sum)
{
	unsigned int i;

	for (i = 0; i < len; i++) {
		sum += i & 1 ? data[i] : data[i] << 8;
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return sum;
}

u16 frame_l4_sum(const struct sk_buff *skb, unsigned int net, bool ipv6,
		 u8 proto)
{
	unsigned int l4 = net + (ipv6 ? 40 : (skb->data[net] & 0xf) * 4);
	unsigned int len = skb->len - l4;
	u8 pseudo[4] = { 0, proto, len >> 8, len };
	u32 sum;

	sum = frame_sum(skb->data + net + (ipv6 ? 8 : 12), ipv6 ? 32 : 8, 0);
	sum = frame_sum(pseudo, sizeof(pseudo), sum);
	return frame_sum(skb->data + l4, len, sum);
}
