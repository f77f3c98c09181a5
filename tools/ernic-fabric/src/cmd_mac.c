// SPDX-License-Identifier: GPL-2.0-only
/*
 * mac: GUIDs to MACs and back, as different drivers and boot loaders do it, with
 * the weakness of each.  Sources: RFC 4291 appendix A (EUI-64), RFC 4390 and 4361
 * (DHCP), the drivers' public code (WinOF ipoib, eth_ipoib, iPXE).
 */
#include <argp.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "siphash.h"
#include "util.h"

struct options {
	const char **words;
	size_t n;
	long qpn, lid;
};

enum { KEY_QPN = 1000, KEY_LID };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char *end;
	uint64_t v;

	switch (key) {
	case KEY_QPN:
	case KEY_LID:
		v = c_number(arg, &end);
		if (end == arg || *end || v > (key == KEY_QPN ? 0xffffffu : 0xbfffu))
			argp_error(state, "'%s' is out of range", arg);
		*(key == KEY_QPN ? &o->qpn : &o->lid) = (long)v;
		return 0;
	case ARGP_KEY_ARG:
		o->words = xrealloc(o->words, o->n + 1, sizeof(*o->words));
		o->words[o->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->n)
			argp_error(state, "which GUID, MAC or IPoIB hardware address?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Hexadecimal octets, with or without 0x, colons, dashes, dots. */
static size_t octets(const char *s, uint8_t *out, size_t room)
{
	size_t n = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	while (*s) {
		char two[3] = { s[0], s[0] ? s[1] : '\0', '\0' };

		if (!isxdigit((unsigned char)two[0]) || !isxdigit((unsigned char)two[1]) || n == room)
			return 0;
		out[n++] = (uint8_t)strtoul(two, NULL, 16);
		s += 2;
		if (*s == ':' || *s == '-' || *s == '.')
			s++;
	}
	return n;
}

static void print_octets(const uint8_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s%02x", i ? ":" : "", v[i]);
}

static void print_rule(const uint8_t *v, size_t n, const char *rule, const char *weakness)
{
	fputs("  ", stdout);
	print_octets(v, n);
	printf("%*s  %s\n", n < 8 ? (int)(8 - n) * 3 : 0, "", rule);
	if (weakness)
		printf("%27s weakness: %s\n", "", weakness);
}

static void print_none(const char *rule, const char *why)
{
	printf("  %-23s  %s: %s\n", "-", rule, why);
}

static void vendor_rules(const uint8_t *g)
{
	uint8_t m[6] = { g[0], g[1], g[2], g[5], g[6], g[7] };
	uint32_t oui = (uint32_t)g[0] << 16 | (uint32_t)g[1] << 8 | g[2];
	uint32_t low = (uint32_t)g[5] << 16 | (uint32_t)g[6] << 8 | g[7];
	uint32_t middle = (uint32_t)g[3] << 8 | g[4];

	if (oui == 0x0002c9) {
		/* 02:00 or 03:00; the driver reads them the other way round */
		if (middle == 0x0200 || middle == 0x0300) {
			m[0] = middle == 0x0300 ? 0x02 : 0x00;
			print_rule(m, 6, "WinOF, OUI 00:02:c9: octets 3-4 choose the first one",
				   "two values of octets 3-4 only");
		} else {
			print_none("WinOF, OUI 00:02:c9", "octets 3-4 are neither 02:00 nor 03:00");
		}
	} else if (oui == 0x0008f1) {
		m[3] = g[4] ^ g[6];
		m[4] = g[5] ^ g[7];
		m[5] = (uint8_t)(g[5] + g[6] + g[7]);
		print_rule(m, 6, "WinOF, OUI 00:08:f1: octets 4-7 hashed to three", "collides");
	} else if (oui == 0x00066a) {
		uint32_t v = 0xfff000 - 2 * (low - 0x101) - g[3];

		if (((uint32_t)g[4] << 24 | low) & 0x07800000) {
			print_none("WinOF, OUI 00:06:6a", "bits 23 to 26 are set");
			return;
		}
		m[3] = (uint8_t)(v >> 16);
		m[4] = (uint8_t)(v >> 8);
		m[5] = (uint8_t)v;
		print_rule(m, 6, "WinOF, OUI 00:06:6a: octet 3 is the port",
			   "for HCAs of two ports only");
	}
}

/* Deterministic, valid, and the same on every host. */
static void hashed(const uint8_t *g, long qpn)
{
	static const uint8_t key[16] = "ernic-ipoib-mac";
	uint8_t in[11], m[6];
	uint64_t h;

	in[0] = (uint8_t)(qpn >> 16);
	in[1] = (uint8_t)(qpn >> 8);
	in[2] = (uint8_t)qpn;
	memcpy(in + 3, g, 8);
	h = siphash24(key, in, sizeof(in));
	for (unsigned int i = 0; i < 6; i++)
		m[i] = (uint8_t)(h >> 8 * i);
	m[0] = (uint8_t)((m[0] & 0xfc) | 0x02);
	print_rule(m, 6, "ernic: SipHash-2-4 of QPN and GUID",
		   "none to speak of: of 10,000 peers, two collide with a probability of 7e-7");
}

static void from_guid(const uint8_t *g, const struct options *o)
{
	uint8_t m[6] = { g[0], g[1], g[2], g[5], g[6], g[7] }, id[11];
	uint8_t ll[16] = { 0xfe, 0x80 };
	char text[INET6_ADDRSTRLEN];

	puts(" MAC:");
	if (g[3] == 0xff && (g[4] == 0xfe || g[4] == 0xff)) {
		print_rule(m, 6, "EUI-64: octets 3-4 are ff:fe or ff:ff, dropped", "few GUIDs are built so");
		m[0] ^= 0x02;
		print_rule(m, 6, "modified EUI-64: ... and bit 0x02 flipped", NULL);
		m[0] ^= 0x02;
	} else {
		print_none("EUI-64", "octets 3-4 are neither ff:fe nor ff:ff");
	}
	print_rule(m, 6, g[3] == 3 && !g[4] ? "mask 0xe7: 03:00 in the middle dropped (mlx4, mlx5)" :
		   "mask 0xe7: octets 3-4 dropped",
		   "GUIDs that differ in octets 3-4 only, as of virtual functions, collide");
	vendor_rules(g);
	if (o->qpn >= 0 && o->lid > 0) {
		uint8_t r[6] = { 0x02, (uint8_t)(o->qpn >> 16), (uint8_t)(o->qpn >> 8), (uint8_t)o->qpn,
				 (uint8_t)(o->lid >> 8), (uint8_t)o->lid };

		print_rule(r, 6, "eth_ipoib, iPXE (peers): 02, QPN, LID", "changes with the LID, at the SM's will");
	} else {
		print_none("eth_ipoib, iPXE (peers)", "02, QPN, LID: needs --qpn and --lid");
	}
	if (o->qpn >= 0)
		hashed(g, o->qpn);
	else
		print_none("ernic", "hash of QPN and GUID: needs --qpn");

	memcpy(ll + 8, g, 8);
	ll[8] |= 0x02;
	printf(" IPv6 link-local, as Linux makes it: %s\n", inet_ntop(AF_INET6, ll, text, sizeof(text)));
	puts(" DHCP client identifiers:");
	fputs("  20:", stdout);
	print_octets(g, 8);
	puts("  cloud-init, dhcpcd: hardware type 32, last 8 octets of the address");
	id[0] = 0;
	id[1] = 3;
	id[2] = 0;
	id[3] = 32;
	fputs("  ff:", stdout);
	print_octets(g + 4, 4);
	fputs(":", stdout);
	print_octets(id, 4);
	fputs(":", stdout);
	print_octets(g, 8);
	puts("  RFC 4361: IAID and DUID-LL");
}

static void from_mac(const uint8_t *m)
{
	uint8_t g[8] = { m[0], m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5] };

	puts(" GUID:");
	if (m[0] & 1)
		puts("  (a multicast address: no port has it)");
	print_rule(g, 8, "EUI-64: ff:fe in the middle", "few GUIDs are built so");
	g[0] ^= 0x02;
	print_rule(g, 8, "modified EUI-64: ... and bit 0x02 flipped", NULL);
	g[0] ^= 0x02;
	g[3] = 3;
	g[4] = 0;
	print_rule(g, 8, "mask 0xe7: 03:00 in the middle (mlx4, mlx5)",
		   "octets 3-4 are a guess: virtual functions have others");
	if ((m[0] & 0xfd) == 0 && m[1] == 0x02 && m[2] == 0xc9) {
		g[0] = 0;
		g[3] = m[0] ? 3 : 2;
		print_rule(g, 8, "WinOF, OUI 00:02:c9", "two values of octets 3-4 only");
	}
	if (m[0] == 0x02)
		printf("  as a peer of eth_ipoib or iPXE: QPN 0x%02x%02x%02x, LID 0x%02x%02x\n", m[1], m[2], m[3], m[4], m[5]);
}

int cmd_mac(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "qpn", KEY_QPN, "N", 0, "Queue pair number, for rules that use it", 0 },
		{ "lid", KEY_LID, "N", 0, "LID, likewise", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "GUID|MAC|HARDWARE-ADDRESS...",
		"Converts port GUIDs (8 octets) to MACs (6 octets) and back, by all the rules that are "
		"in use; of a hardware address of IPoIB (20 octets) it takes the GUID and the QPN.",
		NULL, NULL, NULL
	};
	struct options o = { .qpn = -1 };
	int rc = STATUS_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (size_t i = 0; i < o.n; i++) {
		struct options own = o;
		uint8_t v[20];
		size_t n = octets(o.words[i], v, sizeof(v));

		switch (n) {
		case 8:
			printf("GUID %s\n", o.words[i]);
			from_guid(v, &own);
			break;
		case 6:
			printf("MAC %s\n", o.words[i]);
			from_mac(v);
			break;
		case 20:
			printf("address %s\n flags 0x%02x%s, QPN 0x%02x%02x%02x, GID prefix ", o.words[i], v[0],
			       v[0] & 0x80 ? " (connected mode)" : "", v[1], v[2], v[3]);
			print_octets(v + 4, 8);
			fputs(", port GUID ", stdout);
			print_octets(v + 12, 8);
			puts("\n (octets 0 to 3 change when the host reboots: match on the last 8 only)");
			own.qpn = (long)v[1] << 16 | (long)v[2] << 8 | v[3];
			from_guid(v + 12, &own);
			break;
		default:
			complain("'%s': 8 octets are a GUID, 6 a MAC, 20 a hardware address of IPoIB", o.words[i]);
			rc = STATUS_USAGE;
		}
	}
	free(o.words);
	return rc;
}
