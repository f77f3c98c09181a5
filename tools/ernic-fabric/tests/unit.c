// SPDX-License-Identifier: GPL-2.0-only
/* What can be checked without a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../src/codes.h"
#include "../src/fabric.h"
#include "../src/reach.h"
#include "../src/siphash.h"
#include "../src/util.h"

/* has a macro of the name of a function of ours */
#include <cmocka.h>

/* The vectors of the paper's appendix A. */
static void test_siphash(void **state)
{
	uint8_t key[16], in[15];

	(void)state;
	for (unsigned int i = 0; i < 16; i++)
		key[i] = (uint8_t)i;
	for (unsigned int i = 0; i < 15; i++)
		in[i] = (uint8_t)i;
	assert_true(siphash24(key, in, 15) == 0xa129ca6149be45e5u);
	assert_true(siphash24(key, in, 0) == 0x726fdb47dd0e0e31u);
	assert_true(siphash24(key, in, 8) == 0x93f5f5799a932462u);
}

/* The C library's, where it is not newer than OpenSM's. */
static void test_number(void **state)
{
	static const char *const texts[] = {
		"", "0", "1", "0x", "0x1", "0X7fff", "0xg", "08", "017", "018", "-1", "+5", " \t\r9", "--1",
		"1x", "x", "18446744073709551615", "18446744073709551616", "0xffffffffffffffff",
		"0x10000000000000000", "-18446744073709551616", "1 2", "0x8001 ", "- 1", "0x-1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *end;
		char *want_end;
		unsigned long long want = strtoull(texts[i], &want_end, 0);

		assert_true(c_number(texts[i], &end) == want);
		assert_ptr_equal(end, want_end);
	}
	{
		const char *end, *binary = "0b11";

		/* C23 has these, Debian 12 has not */
		assert_true(c_number(binary, &end) == 0 && end == binary + 1);
	}
}

static void test_codes(void **state)
{
	(void)state;
	assert_int_equal(mtu_code(4096), 5);
	assert_int_equal(mtu_octets(4), 2048);
	assert_int_equal(mtu_code(1500), 0);
	for (unsigned int c = 2; c <= 24; c++)
		assert_int_equal(rate_code(rate_gbps(c)), c);
	assert_int_equal(rate_parse("2.5"), 2);
	assert_int_equal(rate_parse("100x"), 0);
	/* 5 is slower than 3 */
	assert_true(rate_order(5) < rate_order(3));
}

/* Byte-swapped: 0x0100 comes before 0x0001, 0x7fff last. */
static void test_order(void **state)
{
	struct sm_options o = { 0 };
	struct fabric *f = fabric_empty();
	struct sm *sm = sm_new(f, &o);
	static const uint16_t keys[] = { 0x7fff, 0x0001, 0x0100, 0x0101, 0x00ff, 0x7f01 };
	static const uint16_t want[] = { 0x0100, 0x0001, 0x0101, 0x7f01, 0x00ff, 0x7fff };
	struct partition *p = NULL;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_non_null(sm_partition(sm, NULL, keys[i]));
	for (size_t i = 0; i < 6; i++) {
		p = sm_next(sm, p);
		assert_non_null(p);
		assert_int_equal(p->pkey, want[i]);
	}
	assert_null(sm_next(sm, p));
	sm_free(sm);
	fabric_free(f);
}

static void test_talk(void **state)
{
	uint32_t full[] = { 1 << 2 | MEMBER_FULL, 5 << 2 | MEMBER_LIMITED };
	uint32_t limited[] = { 1 << 2 | MEMBER_LIMITED, 5 << 2 | MEMBER_LIMITED };
	struct memberships a = { full, 2 }, b = { limited, 2 };

	(void)state;
	assert_true(can_talk(&a, &b));
	assert_true(can_talk(&a, &a));
	assert_false(can_talk(&b, &b));
}

static void test_words(void **state)
{
	static const char *const words[] = { "full", "limited", "both", NULL };

	(void)state;
	assert_string_equal(did_you_mean("FULL", words), "full");
	assert_string_equal(did_you_mean("limitted", words), "limited");
	assert_null(did_you_mean("partial", words));
	assert_null(did_you_mean("x", words));
}

static const char netdiscover[] =
	"#\n# Topology file: generated\n#\n# Initiated from node 0002c903000e0b72 port 0002c903000e0b73\n\n"
	"vendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x2c90200000003\nswitchguid=0x2c90200000000(2c90200000000)\n"
	"Switch\t36 \"S-0002c90200000000\"\t\t# \"sw one\" enhanced port 0 lid 2 lmc 0\n"
	"[1]\t\"H-0002c903000e0b72\"[1](2c903000e0b73) \t\t# \"node1 HCA-1\" lid 1 4xEDR\n\n"
	"vendid=0x2c9\ndevid=0x673c\nsysimgguid=0x2c903000e0b75\ncaguid=0x2c903000e0b72\n"
	"Ca\t2 \"H-0002c903000e0b72\"\t\t# \"node1 HCA-1\"\n"
	"[1](2c903000e0b73) \t\"S-0002c90200000000\"[1]\t\t# lid 1 lmc 0 \"sw one\" lid 2 4xEDR\n"
	"[2](2c903000e0b74) \t\"S-0002c90200000000\"[2]\t\t# lid 3 lmc 0 \"sw one\" lid 2 4xQDR\n";

static void test_netdiscover(void **state)
{
	struct fabric *f = fabric_parse("test", netdiscover, sizeof(netdiscover) - 1);
	struct port *p;

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->nports, 3);
	p = fabric_find(f, 0x0002c903000e0b73u);
	assert_non_null(p);
	assert_string_equal(p->name, "node1 HCA-1");
	assert_int_equal(p->rate, 16);
	assert_int_equal(p->lid, 1);
	assert_ptr_equal(f->self, p);
	p = fabric_by_name(f, "node1 HCA-1/2");
	assert_non_null(p);
	assert_int_equal(p->rate, 7);
	p = fabric_by_name(f, "sw one");
	assert_non_null(p);
	assert_int_equal(p->type, NODE_SWITCH);
	fabric_free(f);
}

/* What ibsim makes of a topology without GUIDs: the oracle's. */
static void test_ibsim(void **state)
{
	static const char net[] =
		"Switch\t8 \"S1\"\n[1]\t\"H1\"[1]\n[2]\t\"H2\"[1]\n\nHca\t1 \"H1\"\n[1]\t\"S1\"[1]\n\n"
		"Hca\t2 \"H2\"\n[1]\t\"S1\"[2]\n[2]\t\"S1\"[3]\n\nSwitch\t4 \"S2\"\n[1]\t\"S1\"[4]\n\n"
		"Hca\t1 \"H3\"\n[1]\t\"S2\"[2]\n";
	struct fabric *f = fabric_parse("net", net, sizeof(net) - 1);

	(void)state;
	assert_non_null(f);
	assert_int_equal(fabric_by_name(f, "S1")->guid, 0x200000);
	assert_int_equal(fabric_by_name(f, "H1")->guid, 0x100001);
	assert_int_equal(fabric_by_name(f, "H2")->guid, 0x100003);
	assert_int_equal(fabric_by_name(f, "H2/2")->guid, 0x100004);
	assert_int_equal(fabric_by_name(f, "H3")->guid, 0x100006);
	assert_int_equal(fabric_by_name(f, "S2")->guid, 0x200001);
	fabric_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash), cmocka_unit_test(test_number), cmocka_unit_test(test_codes),
		cmocka_unit_test(test_order), cmocka_unit_test(test_talk), cmocka_unit_test(test_words),
		cmocka_unit_test(test_netdiscover), cmocka_unit_test(test_ibsim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
