// SPDX-License-Identifier: GPL-2.0-only
/* Numbers and data from a seed, and CRC-32C (RFC 3720, B.4). */
#include <string.h>
#include "verify.h"

/* splitmix64, Steele et al., "Fast splittable pseudorandom number generators" */
uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

uint64_t rng_next(struct rng *r)
{
	r->s += 0x9e3779b97f4a7c15ull;
	return mix(r->s);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	return n ? rng_next(r) % n : 0;
}

bool rng_chance(struct rng *r, int percent)
{
	return rng_below(r, 100) < (uint64_t)percent;
}

/* Each byte depends on its place: what arrives shifted or swapped is wrong. */
void pattern_fill(uint8_t *p, uint64_t key, uint64_t off, uint64_t len)
{
	while (len) {
		uint64_t word = mix(key ^ (off / 8));
		unsigned int skip = off % 8, n = 8 - skip;

		if (n > len)
			n = len;
		memcpy(p, (uint8_t *)&word + skip, n);
		p += n;
		off += n;
		len -= n;
	}
}

uint32_t crc32c(uint32_t crc, const uint8_t *p, uint64_t len)
{
	static uint32_t table[256];

	if (!table[1]) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i;

			for (int k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
			table[i] = c;
		}
	}
	crc = ~crc;
	while (len--)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}
