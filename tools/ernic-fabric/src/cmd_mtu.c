// SPDX-License-Identifier: GPL-2.0-only
/*
 * mtu: from the code in partitions.conf to what an application can send.
 * RFC 4391 sections 6 and 7; RFC 4755; the kernel's ipoib_main.c:
 * ipoib_change_mtu, ipoib_cm.c:ipoib_cm_dev_init.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "codes.h"
#include "util.h"

struct options {
	const char *group, *ip;
	bool connected;
};

enum { KEY_CONNECTED = 1000 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_CONNECTED:
		o->connected = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->group)
			o->group = arg;
		else if (!o->ip)
			o->ip = arg;
		else
			argp_error(state, "GROUP and MTU, no more");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void row(const char *name, unsigned int octets, const char *note)
{
	printf("  | %-26s | %5u |  %s\n", name, octets, note);
}

static void rule(void)
{
	puts("  +----------------------------+-------+");
}

static void layers(unsigned int code)
{
	unsigned int ib = mtu_octets(code), ip = ib - 4;

	printf("mtu=%u: InfiniBand MTU %u, IPoIB MTU %u in datagram mode\n\n", code, ib, ip);
	rule();
	row("LRH (local route)", 8, "");
	row("GRH (global route)", 40, "always on multicast, ARP too; else between subnets");
	row("BTH, DETH (datagram)", 20, "P_Key, QPN, Q_Key");
	rule();
	row("IPoIB encapsulation", 4, "type and 16 bits of zero: RFC 4391 section 6");
	row("IP header", 20, "IPv4; IPv6 has 40");
	row("TCP header", 20, "");
	row("data", ip - 40, "the MSS of IPv4; IPv6 has 20 less");
	rule();
	row("ICRC, VCRC", 6, "");
	rule();
	printf("\n  %u (InfiniBand MTU) - 4 (encapsulation) = %u (IPoIB MTU)\n", ib, ip);
	printf("  %u - 20 (IPv4) - 20 (TCP) = %u; %u - 40 (IPv6) - 20 (TCP) = %u; ping -s %u fits, %u does not\n",
	       ip, ip - 40, ip, ip - 60, ip - 28, ip - 27);
	if (ip < 1280)
		printf("  IPv6 needs 1280: there is none on this link [W16]\n");
}

static void connected(void)
{
	puts("connected mode: IPoIB MTU 65520 = 16 pages of 4096 - 16\n"
	     "  Only between two hosts that both have it. Multicast, and peers in datagram mode, stay at\n"
	     "  the group's MTU: larger packets to them are answered with 'fragmentation needed', and\n"
	     "  stateless offloads are off. HCAs with Enhanced IPoIB have datagram mode only [W44].");
}

static int fits(unsigned int code, const char *text)
{
	unsigned int limit = mtu_octets(code) - 4;
	const char *end;
	uint64_t want = c_number(text, &end);

	if (end == text || *end || !want)
		fail("'%s' is no MTU", text);
	if (want <= limit) {
		printf("\nMTU %s fits this group\n", text);
		return STATUS_OK;
	}
	printf("\nMTU %s does not fit this group: 'ip link set mtu %s' returns success as long as the\n"
	       "port can do it, and the MTU stays %u [W40c]\n", text, text, limit);
	return STATUS_FOUND;
}

int cmd_mtu(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "connected", KEY_CONNECTED, NULL, 0, "Connected mode", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "[GROUP [MTU]]",
		"Draws what is in a packet of IPoIB, and how large it may be.  GROUP is mtu= of the "
		"partition, a code (4) or octets (2048); MTU is what an interface is configured for.\v"
		"Exit status 1 if MTU does not fit.",
		NULL, NULL, NULL
	};
	struct options o = { 0 };
	unsigned int code = 4;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.group) {
		const char *end;
		uint64_t n = c_number(o.group, &end);

		if (end == o.group || *end)
			fail("'%s' is no MTU of a group", o.group);
		code = n <= 5 ? (unsigned int)n : mtu_code((unsigned int)n);
		if (!code)
			fail("no MTU of a group: %s; there are 1 to 5, or 256 to 4096", o.group);
	}
	if (o.connected) {
		connected();
		return STATUS_OK;
	}
	layers(code);
	return o.ip ? fits(code, o.ip) : STATUS_OK;
}
