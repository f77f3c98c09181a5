// SPDX-License-Identifier: GPL-2.0-only
/* InfiniBand's codes for MTUs, rates and scopes: IBA volume 1, PathRecord. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"

/* The order of the codes is not the order of the rates. */
static const struct {
	unsigned int code;
	double gbps;
	const char *link;
} rates[] = {
	{ 2, 2.5, "1x SDR" },
	{ 3, 10, "4x SDR, 1x QDR" },
	{ 4, 30, "12x SDR" },
	{ 5, 5, "1x DDR" },
	{ 6, 20, "4x DDR" },
	{ 7, 40, "4x QDR" },
	{ 8, 60, "12x DDR" },
	{ 9, 80, "8x QDR" },
	{ 10, 120, "12x QDR" },
	{ 11, 14, "1x FDR" },
	{ 12, 56, "4x FDR" },
	{ 13, 112, "8x FDR" },
	{ 14, 168, "12x FDR" },
	{ 15, 25, "1x EDR" },
	{ 16, 100, "4x EDR, 2x HDR, 1x NDR" },
	{ 17, 200, "4x HDR, 2x NDR" },
	{ 18, 300, "12x EDR" },
	{ 19, 28, "2x FDR" },
	{ 20, 50, "2x EDR, 1x HDR" },
	{ 21, 400, "4x NDR, 8x HDR" },
	{ 22, 600, "12x HDR" },
	{ 23, 800, "4x XDR, 8x NDR" },
	{ 24, 1200, "12x NDR" },
};

#define NRATES (sizeof(rates) / sizeof(rates[0]))

unsigned int mtu_octets(unsigned int code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

unsigned int mtu_code(unsigned int octets)
{
	for (unsigned int code = 1; code <= 5; code++)
		if (mtu_octets(code) == octets)
			return code;
	return 0;
}

double rate_gbps(unsigned int code)
{
	for (size_t i = 0; i < NRATES; i++)
		if (rates[i].code == code)
			return rates[i].gbps;
	return 0;
}

unsigned int rate_code(double gbps)
{
	for (size_t i = 0; i < NRATES; i++)
		if (gbps > rates[i].gbps - 0.1 && gbps < rates[i].gbps + 0.1)
			return rates[i].code;
	return 0;
}

/**
 * rate_order() - position of a rate among all rates
 * @code: rate code
 *
 * Return: what can be compared; 0 if there is no such code.
 */
unsigned int rate_order(unsigned int code)
{
	return (unsigned int)(rate_gbps(code) * 10);
}

/**
 * rate_parse() - a rate as people write it: 100, 2.5
 * @text: in Gb/s
 *
 * Return: its code, or 0.
 */
unsigned int rate_parse(const char *text)
{
	char *end;
	double gbps = strtod(text, &end);

	return end == text || *end ? 0 : rate_code(gbps);
}

const char *scope_name(unsigned int scope)
{
	switch (scope) {
	case 1: return "interface-local";
	case 2: return "link-local";
	case 5: return "site-local";
	case 8: return "organization-local";
	case 14: return "global";
	default: return "unassigned";
	}
}

/* Only what the file may say: 23 and 24 came after OpenSM 3.3.23. */
int cmd_codes(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("mtu= (OpenSM's default: 4; IPoIB has 4 octets less)");
	for (unsigned int c = 1; c <= 5; c++)
		printf("  %2u  %4u octets%s\n", c, mtu_octets(c),
		       c == 4 ? ", IPoIB 2044" : c == 5 ? ", IPoIB 4092" : "");
	puts("\nrate= (OpenSM's default: 3), slowest first");
	for (unsigned int done = 0, n = 0; n < NRATES; n++) {
		size_t best = 0;
		unsigned int low = ~0u;

		for (size_t i = 0; i < NRATES; i++) {
			unsigned int o = rate_order(rates[i].code);

			if (o > done && o < low) {
				low = o;
				best = i;
			}
		}
		done = low;
		printf("  %2u  %6g Gb/s  %-22s%s\n", rates[best].code, rates[best].gbps,
		       rates[best].link,
		       rates[best].code > 22 ? "  (OpenSM 3.3.23 refuses it)" : "");
	}
	puts("\nscope= (OpenSM's default: 2)");
	for (unsigned int s = 1; s < 16; s++)
		if (strcmp(scope_name(s), "unassigned"))
			printf("  %2u  %s\n", s, scope_name(s));
	return 0;
}
