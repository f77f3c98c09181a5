// SPDX-License-Identifier: GPL-2.0-only
/* Hashes against published vectors, and where frames go. */
#include <kunit/test.h>
#include <linux/in6.h>
#include <linux/inet.h>
#include <linux/prandom.h>
#include <linux/unaligned.h>

#include "eth/engine.h"

#include "frame.h"
#include "mock.h"

/* "Verifying the RSS Hash Calculation", Windows driver documentation */
static const u8 ms_key[ION_RSS_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct ms_vector {
	const char *daddr;
	u16 dport;
	const char *saddr;
	u16 sport;
	u32 ip;
	u32 tcp;
};

static const struct ms_vector ms4[] = {
	{ "161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e8fc2, 0x51ccc178 },
	{ "65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718262a, 0xc626b0ea },
	{ "12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0a5de,
	  0x5c2b394a },
	{ "209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xafc7327f },
	{ "202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d1809c5,
	  0x10e828a2 },
};

static const struct ms_vector ms6[] = {
	{ "3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc18cd5,
	  0x40207d3d },
	{ "ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c461c,
	  0xdde51bbf },
	{ "fe80::200:f8ff:fe21:67cf", 38024,
	  "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, 0x4b61e985, 0x02d1feef },
};

static void spec_of(struct kunit *test, struct frame_spec *s,
		    const struct ms_vector *v, bool ipv6)
{
	*s = (struct frame_spec){
		.ipv6 = ipv6,
		.proto = IPPROTO_TCP,
		.sport = v->sport,
		.dport = v->dport,
		.payload = 32,
	};
	if (ipv6) {
		KUNIT_ASSERT_EQ(test, 1, in6_pton(v->saddr, -1, s->saddr, -1,
						  NULL));
		KUNIT_ASSERT_EQ(test, 1, in6_pton(v->daddr, -1, s->daddr, -1,
						  NULL));
	} else {
		KUNIT_ASSERT_EQ(test, 1, in4_pton(v->saddr, -1, s->saddr, -1,
						  NULL));
		KUNIT_ASSERT_EQ(test, 1, in4_pton(v->daddr, -1, s->daddr, -1,
						  NULL));
	}
}

static void steer_toeplitz(struct kunit *test)
{
	struct frame_spec s;
	u8 in[36];
	int i;

	for (i = 0; i < ARRAY_SIZE(ms4); i++) {
		spec_of(test, &s, &ms4[i], false);
		memcpy(in, s.saddr, 4);
		memcpy(in + 4, s.daddr, 4);
		put_unaligned_be16(s.sport, in + 8);
		put_unaligned_be16(s.dport, in + 10);
		KUNIT_EXPECT_EQ(test, ms4[i].ip, ernic_toeplitz(ms_key, in, 8));
		KUNIT_EXPECT_EQ(test, ms4[i].tcp, ernic_toeplitz(ms_key, in, 12));
	}
	for (i = 0; i < ARRAY_SIZE(ms6); i++) {
		spec_of(test, &s, &ms6[i], true);
		memcpy(in, s.saddr, 16);
		memcpy(in + 16, s.daddr, 16);
		put_unaligned_be16(s.sport, in + 32);
		put_unaligned_be16(s.dport, in + 34);
		KUNIT_EXPECT_EQ(test, ms6[i].ip, ernic_toeplitz(ms_key, in, 32));
		KUNIT_EXPECT_EQ(test, ms6[i].tcp, ernic_toeplitz(ms_key, in, 36));
	}
	KUNIT_EXPECT_EQ(test, 0, ernic_toeplitz(ms_key, in, 0));
}

/* published test vectors of the FNV reference code */
static void steer_fnv1a(struct kunit *test)
{
	static const struct {
		const char *in;
		u32 hash;
	} v[] = {
		{ "", 0x811c9dc5 }, { "a", 0xe40c292c }, { "b", 0xe70c2de5 },
		{ "f", 0xe30c2799 }, { "fo", 0x6222e842 },
		{ "foo", 0xa9f37ed7 }, { "foob", 0x3f5076ef },
		{ "fooba", 0x39aaa18a }, { "foobar", 0xbf9cf968 },
	};
	u32 h;
	int i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		KUNIT_EXPECT_EQ(test, v[i].hash,
				ernic_fnv1a(v[i].in, strlen(v[i].in),
					    ERNIC_FNV1A_INIT));
	/* in parts */
	h = ernic_fnv1a("foo", 3, ERNIC_FNV1A_INIT);
	KUNIT_EXPECT_EQ(test, 0xbf9cf968, ernic_fnv1a("bar", 3, h));
}

static void rss_set(struct mock *m, u16 types, u8 queues)
{
	struct ernic_rss rss = { .types = types };
	int i;

	memcpy(rss.key, ms_key, sizeof(rss.key));
	for (i = 0; i < ERNIC_RSS_TABLE; i++)
		rss.table[i] = i % queues;
	mutex_lock(&m->edev->state_lock);
	KUNIT_EXPECT_EQ(m->test, 0, ernic_steer_set(m->edev, &rss));
	mutex_unlock(&m->edev->state_lock);
}

/* the hash in the completion is that of the guest's key */
static void steer_hash(struct kunit *test)
{
	struct mock *m = mock_open(test, &ernic_profiles[1]);
	struct frame_spec s;
	u32 hash;
	int i, tags;

	spec_of(test, &s, &ms4[0], false);
	KUNIT_EXPECT_EQ(test, ION_PKT_NON_IP,
			ernic_steer_hash(m->edev, frame(test, &s, NULL), &hash));
	KUNIT_EXPECT_EQ(test, 0, hash);

	for (tags = 0; tags <= 2; tags++) {
		rss_set(m, 0x3f, 2);
		for (i = 0; i < ARRAY_SIZE(ms4); i++) {
			spec_of(test, &s, &ms4[i], false);
			s.tags = tags;
			KUNIT_EXPECT_EQ(test, ION_PKT_IPV4_TCP,
					ernic_steer_hash(m->edev,
							 frame(test, &s, NULL),
							 &hash));
			KUNIT_EXPECT_EQ(test, ms4[i].tcp, hash);
			s.proto = IPPROTO_UDP;
			KUNIT_EXPECT_EQ(test, ION_PKT_IPV4_UDP,
					ernic_steer_hash(m->edev,
							 frame(test, &s, NULL),
							 &hash));
			KUNIT_EXPECT_EQ(test, ms4[i].tcp, hash);
			/* a fragment has no ports */
			s.frag_off = 0x2000;
			KUNIT_EXPECT_EQ(test, ION_PKT_IPV4,
					ernic_steer_hash(m->edev,
							 frame(test, &s, NULL),
							 &hash));
			KUNIT_EXPECT_EQ(test, ms4[i].ip, hash);
		}
		for (i = 0; i < ARRAY_SIZE(ms6); i++) {
			spec_of(test, &s, &ms6[i], true);
			s.tags = tags;
			KUNIT_EXPECT_EQ(test, ION_PKT_IPV6_TCP,
					ernic_steer_hash(m->edev,
							 frame(test, &s, NULL),
							 &hash));
			KUNIT_EXPECT_EQ(test, ms6[i].tcp, hash);
		}
		/* addresses only */
		rss_set(m, ION_RSS_TYPE_IPV4 | ION_RSS_TYPE_IPV6, 2);
		spec_of(test, &s, &ms4[0], false);
		s.tags = tags;
		KUNIT_EXPECT_EQ(test, ION_PKT_IPV4,
				ernic_steer_hash(m->edev, frame(test, &s, NULL),
						 &hash));
		KUNIT_EXPECT_EQ(test, ms4[0].ip, hash);
		/* a type that was not asked for */
		rss_set(m, ION_RSS_TYPE_IPV6, 2);
		KUNIT_EXPECT_EQ(test, ION_PKT_NON_IP,
				ernic_steer_hash(m->edev, frame(test, &s, NULL),
						 &hash));
		KUNIT_EXPECT_EQ(test, 0, hash);
	}
}

static void rx_queue(struct mock *m, u32 index, bool enable)
{
	union ion_cmd cmd = {
		.q_init = {
			.opcode = ION_CMD_Q_INIT,
			.type = ION_QTYPE_RXQ,
			.index = cpu_to_le32(index),
			.ring_size = 4,
			.ring_base = cpu_to_le64(MOCK_FREE),
			.cq_ring_base = cpu_to_le64(MOCK_FREE + 0x1000),
		},
	};
	union ion_cmd ctl = {
		.q_control = {
			.opcode = ION_CMD_Q_CONTROL,
			.type = ION_QTYPE_RXQ,
			.index = cpu_to_le32(index),
			.oper = enable,
		},
	};

	if (enable)
		KUNIT_EXPECT_EQ(m->test, 0, mock_admin(m, &cmd, NULL));
	KUNIT_EXPECT_EQ(m->test, 0, mock_admin(m, &ctl, NULL));
}

static u32 fnv_of(const struct frame_spec *s)
{
	u32 h = ERNIC_FNV1A_INIT;
	u8 ports[4];

	h = ernic_fnv1a(s->saddr, s->ipv6 ? 16 : 4, h);
	h = ernic_fnv1a(s->daddr, s->ipv6 ? 16 : 4, h);
	h = ernic_fnv1a(&s->proto, 1, h);
	if ((s->proto != IPPROTO_TCP && s->proto != IPPROTO_UDP) || s->frag_off)
		return h;
	put_unaligned_be16(s->sport, ports);
	put_unaligned_be16(s->dport, ports + 2);
	return ernic_fnv1a(ports, 4, h);
}

static void random_spec(struct rnd_state *rnd, struct frame_spec *s)
{
	static const u8 proto[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP };

	memset(s, 0, sizeof(*s));
	s->ipv6 = prandom_u32_state(rnd) & 1;
	s->proto = proto[prandom_u32_state(rnd) % 3];
	s->tags = prandom_u32_state(rnd) % 3;
	prandom_bytes_state(rnd, s->saddr, 16);
	prandom_bytes_state(rnd, s->daddr, 16);
	s->sport = prandom_u32_state(rnd);
	s->dport = prandom_u32_state(rnd);
	s->frag_off = !s->ipv6 && prandom_u32_state(rnd) % 4 == 0 ? 0x2000 : 0;
	s->payload = 32;
}

/* compat: FNV-1a modulo the number of enabled queues, in index order */
static void steer_compat(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[0]);
	static const u16 all[] = { 0, 1, 2, 3 }, some[] = { 0, 2, 3 };
	unsigned int seen[4] = {};
	struct frame_spec s;
	struct rnd_state rnd;
	struct sk_buff *skb;
	int i;

	prandom_seed_state(&rnd, 99);
	random_spec(&rnd, &s);
	KUNIT_EXPECT_EQ(test, 0, ernic_steer_queue(m->edev,
						   frame(test, &s, NULL)));
	for (i = 0; i < 4; i++)
		rx_queue(m, i, true);
	for (i = 0; i < 400; i++) {
		random_spec(&rnd, &s);
		skb = frame(test, &s, NULL);
		KUNIT_EXPECT_EQ(test, all[fnv_of(&s) % 4],
				ernic_steer_queue(m->edev, skb));
		seen[fnv_of(&s) % 4]++;
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_GT(test, seen[i], 50);
	rx_queue(m, 1, false);
	for (i = 0; i < 100; i++) {
		random_spec(&rnd, &s);
		skb = frame(test, &s, NULL);
		KUNIT_EXPECT_EQ(test, some[fnv_of(&s) % 3],
				ernic_steer_queue(m->edev, skb));
		/* key and table are accepted and mean nothing */
	}
	/* not IP: the two addresses */
	skb->data[12] = 0x88;
	skb->data[13] = 0xcc;
	KUNIT_EXPECT_EQ(test, some[ernic_fnv1a(skb->data, 12,
					       ERNIC_FNV1A_INIT) % 3],
			ernic_steer_queue(m->edev, skb));
}

/* with RSS set up the guest's table decides */
static void steer_rss(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[2]);
	struct ernic_rss rss = { .types = 0x3f };
	struct frame_spec s;
	u32 hash;
	int i;

	for (i = 0; i < 4; i++)
		rx_queue(m, i, true);
	memcpy(rss.key, ms_key, sizeof(rss.key));
	for (i = 0; i < ERNIC_RSS_TABLE; i++)
		rss.table[i] = (i * 7 + 3) % 4;
	mutex_lock(&m->edev->state_lock);
	KUNIT_EXPECT_EQ(test, 0, ernic_steer_set(m->edev, &rss));
	mutex_unlock(&m->edev->state_lock);
	for (i = 0; i < ARRAY_SIZE(ms4); i++) {
		spec_of(test, &s, &ms4[i], false);
		KUNIT_EXPECT_EQ(test, rss.table[ms4[i].tcp % 128],
				ernic_steer_queue(m->edev,
						  frame(test, &s, NULL)));
	}
	for (i = 0; i < ARRAY_SIZE(ms6); i++) {
		spec_of(test, &s, &ms6[i], true);
		KUNIT_EXPECT_EQ(test, rss.table[ms6[i].tcp % 128],
				ernic_steer_queue(m->edev,
						  frame(test, &s, NULL)));
	}
	/* a table that names queues that do not exist, or are off */
	memset(rss.table, 0xff, sizeof(rss.table));
	mutex_lock(&m->edev->state_lock);
	ernic_steer_set(m->edev, &rss);
	mutex_unlock(&m->edev->state_lock);
	rx_queue(m, 0, false);
	for (i = 0; i < ARRAY_SIZE(ms4); i++) {
		spec_of(test, &s, &ms4[i], false);
		hash = ernic_steer_queue(m->edev, frame(test, &s, NULL));
		KUNIT_EXPECT_GE(test, hash, 1);
		KUNIT_EXPECT_LE(test, hash, 3);
	}
}

/* short, odd and lying frames: any queue, no crash */
static void steer_garbage(struct kunit *test)
{
	struct mock *m = mock_lif(test, &ernic_profiles[2]);
	struct frame_spec s;
	struct rnd_state rnd;
	struct sk_buff *skb;
	int i, j;
	u32 hash;

	for (i = 0; i < 2; i++)
		rx_queue(m, i, true);
	rss_set(m, 0x3f, 2);
	prandom_seed_state(&rnd, 5);
	for (i = 0; i < 2000; i++) {
		random_spec(&rnd, &s);
		skb = frame(test, &s, NULL);
		for (j = 0; j < 4; j++)
			skb->data[12 + prandom_u32_state(&rnd) %
				  (skb->len - 12)] = prandom_u32_state(&rnd);
		skb_trim(skb, 14 + prandom_u32_state(&rnd) % (skb->len - 14));
		KUNIT_EXPECT_LT(test, ernic_steer_queue(m->edev, skb), 2);
		ernic_steer_hash(m->edev, skb, &hash);
	}
}

static struct kunit_case steer_cases[] = {
	KUNIT_CASE(steer_toeplitz),
	KUNIT_CASE(steer_fnv1a),
	KUNIT_CASE(steer_hash),
	KUNIT_CASE(steer_compat),
	KUNIT_CASE(steer_rss),
	KUNIT_CASE(steer_garbage),
	{}
};

static struct kunit_suite steer_suite = {
	.name = "ernic-steer",
	.test_cases = steer_cases,
};

kunit_test_suite(steer_suite);
