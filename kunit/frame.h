/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP and UDP frames for the suites. */
#ifndef ERNIC_KUNIT_FRAME_H
#define ERNIC_KUNIT_FRAME_H

#include <kunit/test.h>
#include <linux/skbuff.h>

/**
 * struct frame_spec - what frame() builds
 * @ipv6: or IPv4
 * @proto: IPPROTO_TCP, IPPROTO_UDP, or any other without a header of its own
 * @tags: VLAN tags in the data, 0 to 2
 * @saddr: 4 or 16 bytes
 * @daddr: the same
 * @tcp_opt: bytes of TCP options, a multiple of 4
 * @payload: bytes behind the headers; byte i is i * 7 + 1
 * @tcp_flags: byte 13 of the TCP header
 */
struct frame_spec {
	bool ipv6;
	u8 proto;
	u8 tags;
	u8 saddr[16];
	u8 daddr[16];
	u16 sport;
	u16 dport;
	u8 tcp_opt;
	u8 tcp_flags;
	u32 seq;
	u16 ip_id;
	u16 frag_off;
	u32 payload;
};

/* data at the Ethernet header, all linear; freed with the test; headers set */
struct sk_buff *frame(struct kunit *test, const struct frame_spec *s,
		      unsigned int *hdr_len);
/* one's complement sum of bytes, the slow way, in network order, folded */
u16 frame_sum(const u8 *data, unsigned int len, u32 sum);
/* sum of L4 header, payload and pseudo header of a frame: 0xffff if it is good */
u16 frame_l4_sum(const struct sk_buff *skb, unsigned int net, bool ipv6,
		 u8 proto);

#endif
