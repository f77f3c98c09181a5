// SPDX-License-Identifier: GPL-2.0-only
/* SipHash-2-4, from the paper by Aumasson and Bernstein (2012), section 2. */
#include "siphash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static void rounds(struct state *s, unsigned int n)
{
	while (n--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 = rotate(s->v2, 32);
	}
}

static uint64_t little(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

uint64_t siphash24(const uint8_t key[16], const uint8_t *in, size_t len)
{
	uint64_t k0 = little(key, 8), k1 = little(key + 8, 8), m;
	struct state s = {
		k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du,
		k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u,
	};
	size_t left = len;

	for (; left >= 8; left -= 8, in += 8) {
		m = little(in, 8);
		s.v3 ^= m;
		rounds(&s, 2);
		s.v0 ^= m;
	}
	m = (uint64_t)len << 56 | little(in, left);
	s.v3 ^= m;
	rounds(&s, 2);
	s.v0 ^= m;
	s.v2 ^= 0xff;
	rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
