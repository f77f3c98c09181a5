// SPDX-License-Identifier: GPL-2.0-only
/* Who is found by which address. */
#include <linux/delay.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/unaligned.h>
#include <net/ndisc.h>

#include <ernic/rdma.h>

#include "rdma.h"

#define NDEV	3

struct gid_net {
	struct mock *m[NDEV];
	struct ernic_rdma *dev[NDEV];
};

static const u8 router[ETH_ALEN] = { 2, 9, 9, 9, 9, 9 };
static const u8 gid_a[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
static const u8 gid_b[16] = { 0xfd, [15] = 2 };

static struct gid_net *net_open(struct kunit *test)
{
	struct gid_net *net = kunit_kzalloc(test, sizeof(*net), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, net);
	for (i = 0; i < NDEV; i++) {
		net->m[i] = mock_open_nth(test, &ernic_profiles[1], 1 + i);
		net->dev[i] = net->m[i]->edev->rdma;
		ernic_gid_learn(net->dev[i], NULL, net->m[i]->edev->mac, false);
	}
	return net;
}

/* number of the device, or -1 */
static int route(struct gid_net *net, int from, const u8 *gid, const u8 *mac)
{
	struct ernic_av av = {};
	struct ernic_rdma *to;
	int i;

	memcpy(av.dgid, gid, 16);
	ether_addr_copy(av.dmac, mac);
	to = ernic_gid_route(net->dev[from], &av);
	if (!to)
		return -1;
	percpu_ref_put(&to->users);
	for (i = 0; i < NDEV; i++)
		if (net->dev[i] == to)
			return i;
	return -2;
}

static const u8 *mac(struct gid_net *net, int i)
{
	return net->m[i]->edev->mac;
}

static void gid_route(struct kunit *test)
{
	struct gid_net *net = net_open(test);

	/* nobody has shown an address: the MAC decides, oneself included */
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, route(net, 0, gid_a, mac(net, 0)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));

	/* behind a router: by the address alone */
	ernic_gid_learn(net->dev[1], gid_a, mac(net, 1), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));

	/* a second one claims it: the MAC decides, or nobody gets anything */
	ernic_gid_learn(net->dev[2], gid_a, mac(net, 2), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, mac(net, 2)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));

	/* and takes the MAC as well: whose it is by birth is before him */
	ernic_gid_forget(net->dev[1]);
	ernic_gid_learn(net->dev[1], NULL, mac(net, 1), false);
	ernic_gid_learn(net->dev[2], NULL, mac(net, 1), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, mac(net, 1)));
}

static void gid_domains(struct kunit *test)
{
	/* 32 characters: one too many */
	static const char long_name[] = "0123456789abcdef0123456789abcdef";
	struct gid_net *net = net_open(test);
	struct ernic_dev *edev = net->m[1]->edev;

	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, "tenant\n"));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 1, gid_a, mac(net, 0)));
	KUNIT_EXPECT_EQ(test, 1, route(net, 1, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, mac(net, 2)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(net->m[0]->edev,
						       "tenant"));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, "two words"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, "a\nb"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_domain(edev, long_name));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, long_name + 1));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(edev, ""));

	/* none: neither from nor to it */
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_domain(net->m[0]->edev, "\n"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ernic_rdma_set_backend(edev, "tcp"));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_backend(edev, "none\n"));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 1, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 0, ernic_rdma_set_backend(edev, "loopback"));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
}

/* a guest that shows more and more addresses keeps the newest and those in use */
static void gid_many(struct kunit *test)
{
	struct gid_net *net = net_open(test);
	struct ernic_gid_ref *held;
	u8 gid[16] = { 0xfd };
	unsigned int i;

	held = ernic_gid_learn(net->dev[1], gid_b, mac(net, 1), true);
	KUNIT_ASSERT_NOT_NULL(test, held);
	for (i = 0; i < 2000; i++) {
		gid[1] = i >> 8;
		gid[2] = i;
		ernic_gid_learn(net->dev[1], gid, mac(net, 1), false);
		KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid, router));
	}
	KUNIT_EXPECT_LE(test, net->dev[1]->gid_count, 512);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, router));
	/* what a template has may be gone before it */
	ernic_gid_forget(net->dev[1]);
	KUNIT_EXPECT_EQ(test, 0, net->dev[1]->gid_count);
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	ernic_gid_put(net->dev[1], held);
}

/* what was not seen for long is forgotten, unless a template has it */
static void gid_ages(struct kunit *test)
{
	unsigned long now = jiffies, age = 300 * HZ;
	struct gid_net *net = net_open(test);
	struct ernic_gid_ref *held;

	held = ernic_gid_learn(net->dev[1], gid_a, mac(net, 1), true);
	KUNIT_ASSERT_NOT_NULL(test, held);
	ernic_gid_learn(net->dev[2], gid_b, mac(net, 2), false);
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(now + age - HZ));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));

	KUNIT_EXPECT_TRUE(test, ernic_gid_age(now + age + 10 * HZ));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	/* one's own MAC is for ever */
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, mac(net, 2)));

	/* seen again, it is back; and from the end of a template its time begins */
	ernic_gid_learn(net->dev[2], gid_b, mac(net, 2), false);
	ernic_gid_put(net->dev[1], held);
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(jiffies + age - HZ));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	KUNIT_EXPECT_TRUE(test, ernic_gid_age(jiffies + age + HZ));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));
}

/* ---- ARP and neighbour discovery ------------------------------------------------ */

static const u8 all_ones[ETH_ALEN] = { 255, 255, 255, 255, 255, 255 };
static const u8 gid_none[16];

/**
 * struct frame - what a guest sends
 * @len: bytes
 * @at: of what follows the Ethernet header and tags
 */
struct frame {
	u8 data[128];
	unsigned int len;
	unsigned int at;
};

static void eth(struct frame *f, const u8 *dst, const u8 *src, u16 proto,
		unsigned int tags)
{
	memset(f, 0, sizeof(*f));
	ether_addr_copy(f->data, dst);
	ether_addr_copy(f->data + ETH_ALEN, src);
	for (f->at = ETH_HLEN; tags; tags--, f->at += VLAN_HLEN) {
		put_unaligned_be16(ETH_P_8021Q, f->data + f->at - 2);
		put_unaligned_be16(0x6123, f->data + f->at);
	}
	put_unaligned_be16(proto, f->data + f->at - 2);
}

static void arp(struct frame *f, const u8 *src, u16 op, const u8 *sha,
		const u8 *sip, const u8 *tip, unsigned int tags)
{
	u8 *p;

	eth(f, all_ones, src, ETH_P_ARP, tags);
	p = f->data + f->at;
	put_unaligned_be16(ARPHRD_ETHER, p);
	put_unaligned_be16(ETH_P_IP, p + 2);
	p[4] = ETH_ALEN;
	p[5] = 4;
	put_unaligned_be16(op, p + 6);
	ether_addr_copy(p + 8, sha);
	memcpy(p + 14, sip, 4);
	memcpy(p + 24, tip, 4);
	f->len = f->at + 28;
}

/* @saddr: of the packet; @target: of the message */
static void nd(struct frame *f, const u8 *src, u8 type, const u8 *saddr,
	       const u8 *target, unsigned int tags)
{
	struct ipv6hdr *ip;

	eth(f, all_ones, src, ETH_P_IPV6, tags);
	ip = (struct ipv6hdr *)(f->data + f->at);
	ip->version = 6;
	ip->payload_len = htons(24);
	ip->nexthdr = IPPROTO_ICMPV6;
	ip->hop_limit = 255;
	memcpy(&ip->saddr, saddr, 16);
	ip->daddr.s6_addr[0] = 0xff;
	f->data[f->at + 40] = type;
	memcpy(f->data + f->at + 48, target, 16);
	f->len = f->at + 64;
}

/* device @i sends the first @len bytes */
static void say(struct kunit *test, struct gid_net *net, int i,
		const struct frame *f, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(len + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, f->data, len);
	net->dev[i]->on = true;
	ernic_rdma_snoop(net->m[i]->edev, skb);
	kfree_skb(skb);
}

/* what device 1 sends, all of it, and who has the address afterwards: by GID alone */
static int said(struct kunit *test, struct gid_net *net, const struct frame *f,
		const u8 *gid)
{
	int i;

	say(test, net, 1, f, f->len);
	i = route(net, 0, gid, router);
	ernic_gid_forget(net->dev[1]);
	ernic_gid_learn(net->dev[1], NULL, mac(net, 1), false);
	return i;
}

#define SAID(gid)	said(test, net, &f, gid)

static void snoop_arp(struct kunit *test)
{
	static const u8 other[ETH_ALEN] = { 2, 8, 8, 8, 8, 8 };
	static const u8 gid_any[16] = { [10] = 0xff, 0xff };
	static const u8 ip_b[4] = { 10, 0, 0, 2 };
	struct gid_net *net = net_open(test);
	const u8 *m = mac(net, 1), *ip = gid_a + 12;
	struct frame f;
	unsigned int tags;

	for (tags = 0; tags < 2; tags++) {
		arp(&f, m, ARPOP_REQUEST, m, ip, ip_b, tags);
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_a));
		arp(&f, m, ARPOP_REPLY, m, ip, ip_b, tags);
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_a));
		/* gratuitous, either way (RFC 5227, 3) */
		arp(&f, m, ARPOP_REQUEST, m, ip, ip, tags);
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_a));
		arp(&f, m, ARPOP_REPLY, m, ip, ip, tags);
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_a));
		/* a probe asks whether somebody has it (RFC 5227, 2.1.1) */
		arp(&f, m, ARPOP_REQUEST, m, gid_any + 12, ip, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_any));
	}
	/* two tags are none of ours */
	arp(&f, m, ARPOP_REQUEST, m, ip, ip_b, 2);
	KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));

	/* the address belongs to the MAC in the message: a bridge in the guest */
	arp(&f, m, ARPOP_REPLY, other, ip, ip_b, 0);
	say(test, net, 1, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, other));
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, other));
	/* from then on it has another */
	arp(&f, m, ARPOP_REPLY, m, ip, ip_b, 0);
	say(test, net, 1, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, m));
}

static void snoop_arp_bad(struct kunit *test)
{
	static const u8 zero[ETH_ALEN], group[ETH_ALEN] = { 1, 0, 0x5e };
	static const u8 fields[] = { 0, 1, 2, 3, 4, 5 };
	struct gid_net *net = net_open(test);
	const u8 *m = mac(net, 1), *ip = gid_a + 12;
	struct frame f;
	unsigned int n, tags;

	for (tags = 0; tags < 2; tags++) {
		/* cut off anywhere before the end of the sender's address */
		arp(&f, m, ARPOP_REQUEST, m, ip, ip, tags);
		for (n = 0; n < f.at + 18; n++)
			say(test, net, 1, &f, n);
		KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));
		say(test, net, 1, &f, n);
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_a));
		/* other hardware, protocols and lengths of addresses */
		for (n = 0; n < ARRAY_SIZE(fields); n++) {
			arp(&f, m, ARPOP_REQUEST, m, ip, ip, tags);
			f.data[f.at + fields[n]] ^= 3;
			KUNIT_EXPECT_EQ_MSG(test, -1, SAID(gid_a), "byte %u",
					    n);
		}
	}
	/* of nobody */
	arp(&f, m, ARPOP_REQUEST, zero, ip, ip, 0);
	KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));
	arp(&f, m, ARPOP_REQUEST, group, ip, ip, 0);
	KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));
	arp(&f, m, ARPOP_REQUEST, all_ones, ip, ip, 0);
	KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));
	/* something else that looks like it */
	arp(&f, m, ARPOP_REQUEST, m, ip, ip, 0);
	put_unaligned_be16(ETH_P_RARP, f.data + 12);
	KUNIT_EXPECT_EQ(test, -1, SAID(gid_a));
	KUNIT_EXPECT_EQ(test, 1, net->dev[1]->gid_count);
}

static void snoop_nd(struct kunit *test)
{
	static const u8 tentative[16] = { 0xfe, 0x80, [15] = 9 };
	static const u8 group[16] = { 0xff, 2, [15] = 1 };
	static const u8 mapped[16] = { [10] = 0xff, 0xff, 10, 0, 0, 9 };
	struct gid_net *net = net_open(test);
	const u8 *m = mac(net, 1);
	unsigned int n, tags;
	struct frame f;

	for (tags = 0; tags < 2; tags++) {
		/* who asks has the source, who answers the target */
		nd(&f, m, NDISC_NEIGHBOUR_SOLICITATION, gid_b, tentative, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(tentative));
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_b));
		nd(&f, m, NDISC_NEIGHBOUR_ADVERTISEMENT, tentative, gid_b,
		   tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(tentative));
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_b));
		/* detection of duplicates: nobody has it yet (RFC 4862, 5.4.2) */
		nd(&f, m, NDISC_NEIGHBOUR_SOLICITATION, gid_none, gid_b, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_none));
		nd(&f, m, NDISC_NEIGHBOUR_ADVERTISEMENT, gid_b, group, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(group));
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		/* routers' messages have no address at that place */
		nd(&f, m, NDISC_ROUTER_SOLICITATION, gid_b, gid_b, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		nd(&f, m, NDISC_ROUTER_ADVERTISEMENT, gid_b, gid_b, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		nd(&f, m, NDISC_REDIRECT, gid_b, gid_b, tags);
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));

		nd(&f, m, NDISC_NEIGHBOUR_ADVERTISEMENT, gid_b, gid_b, tags);
		for (n = 0; n < f.len; n++)
			say(test, net, 1, &f, n);
		KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_b, router));
		f.data[f.at + 7]--;	/* it was forwarded */
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		f.data[f.at + 7]++;
		f.data[f.at + 41]++;	/* the code */
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		f.data[f.at + 41]--;
		f.data[f.at + 6] = IPPROTO_UDP;
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
		f.data[f.at + 6] = IPPROTO_ICMPV6;
		KUNIT_EXPECT_EQ(test, 1, SAID(gid_b));
		/* from a group: no device has that MAC */
		f.data[ETH_ALEN] |= 1;
		KUNIT_EXPECT_EQ(test, -1, SAID(gid_b));
	}
	/* an address of IPv4 is claimed by ARP only */
	nd(&f, m, NDISC_NEIGHBOUR_ADVERTISEMENT, gid_b, mapped, 0);
	KUNIT_EXPECT_EQ(test, -1, SAID(mapped));
	KUNIT_EXPECT_EQ(test, 1, net->dev[1]->gid_count);
}

/* without RDMA nothing is learned */
static void snoop_off(struct kunit *test)
{
	struct gid_net *net = net_open(test);
	struct frame f;
	struct sk_buff *skb = alloc_skb(sizeof(f.data), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	arp(&f, mac(net, 1), ARPOP_REQUEST, mac(net, 1), gid_a + 12, gid_a + 12,
	    0);
	skb_put_data(skb, f.data, f.len);
	ernic_rdma_snoop(net->m[1]->edev, skb);
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));
}

/* what is said again is not forgotten, and each address has its own time */
static void snoop_ages(struct kunit *test)
{
	unsigned long age = 300 * HZ, first;
	struct gid_net *net = net_open(test);
	struct ernic_gid_ref *held;
	struct frame a, b;

	arp(&a, mac(net, 1), ARPOP_REQUEST, mac(net, 1), gid_a + 12, gid_a + 12,
	    0);
	nd(&b, mac(net, 2), NDISC_NEIGHBOUR_ADVERTISEMENT, gid_b, gid_b, 0);
	say(test, net, 1, &a, a.len);
	say(test, net, 2, &b, b.len);
	/* a template has it from now on, whatever is said */
	held = ernic_gid_learn(net->dev[2], gid_b, mac(net, 2), true);
	KUNIT_ASSERT_NOT_NULL(test, held);
	ernic_gid_age(jiffies + age - HZ);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	ernic_gid_age(jiffies + age + HZ);
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));
	say(test, net, 1, &a, a.len);
	first = jiffies;
	msleep(200);
	say(test, net, 1, &a, a.len);
	ernic_gid_age(first + age + HZ / 10);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, router));
	ernic_gid_put(net->dev[2], held);
	ernic_gid_age(jiffies + age - HZ);
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_b, router));
}

/* somebody else says that the address is his */
static void snoop_claims(struct kunit *test)
{
	static const u8 made_up[ETH_ALEN] = { 2, 7, 7, 7, 7, 7 };
	struct gid_net *net = net_open(test);
	const u8 *ip = gid_a + 12;
	struct frame f;

	arp(&f, mac(net, 1), ARPOP_REPLY, mac(net, 1), ip, ip, 0);
	say(test, net, 1, &f, f.len);
	/* with his MAC: whoever resolves the address to it gets what he asked for */
	arp(&f, mac(net, 2), ARPOP_REPLY, mac(net, 2), ip, ip, 0);
	say(test, net, 2, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, mac(net, 2)));
	KUNIT_EXPECT_EQ(test, -1, route(net, 0, gid_a, router));

	/* with the owner's, before or after him; and when the owner is not heard */
	arp(&f, mac(net, 2), ARPOP_REPLY, mac(net, 1), ip, ip, 0);
	say(test, net, 2, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	arp(&f, mac(net, 1), ARPOP_REPLY, mac(net, 1), ip, ip, 0);
	say(test, net, 1, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	ernic_gid_forget(net->dev[1]);
	ernic_gid_learn(net->dev[1], NULL, mac(net, 1), false);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_a, mac(net, 1)));
	nd(&f, mac(net, 1), NDISC_NEIGHBOUR_ADVERTISEMENT, gid_b, gid_b, 0);
	say(test, net, 2, &f, f.len);
	KUNIT_EXPECT_EQ(test, 1, route(net, 0, gid_b, mac(net, 1)));

	/* a MAC that none was born with is whose address is with it */
	arp(&f, mac(net, 2), ARPOP_REPLY, made_up, ip, ip, 0);
	say(test, net, 2, &f, f.len);
	KUNIT_EXPECT_EQ(test, 2, route(net, 0, gid_a, made_up));
}

static struct kunit_case rdma_gid_cases[] = {
	KUNIT_CASE(gid_route),
	KUNIT_CASE(gid_domains),
	KUNIT_CASE(gid_many),
	KUNIT_CASE(gid_ages),
	KUNIT_CASE(snoop_arp),
	KUNIT_CASE(snoop_arp_bad),
	KUNIT_CASE(snoop_nd),
	KUNIT_CASE(snoop_off),
	KUNIT_CASE(snoop_ages),
	KUNIT_CASE(snoop_claims),
	{}
};

static struct kunit_suite rdma_gid_suite = {
	.name = "ernic-rdma-gid",
	.test_cases = rdma_gid_cases,
};

kunit_test_suite(rdma_gid_suite);
