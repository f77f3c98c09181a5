// SPDX-License-Identifier: GPL-2.0-only
/* ernic-fabric COMMAND: which one is it? */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "codes.h"
#include "util.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "effective", cmd_effective, "the P_Key tables and multicast groups that a file gives" },
	{ "lint", cmd_lint, "what OpenSM misreads, and what breaks IPoIB or isolation" },
	{ "fmt", cmd_fmt, "the same file, spelt out" },
	{ "rewrite", cmd_rewrite, "the same file, spelt out and safe; --fix repairs it" },
	{ "diff", cmd_diff, "who gains or loses reach, and what SIGHUP will not apply" },
	{ "reach", cmd_reach, "who can talk to whom; with --svg, a picture" },
	{ "new", cmd_new, "a correct file, from options or questions" },
	{ "mac", cmd_mac, "GUIDs to MACs and back, by all rules in use" },
	{ "mtu", cmd_mtu, "what is in a packet, and how large it may be" },
	{ "live", cmd_live, "checks the IPoIB interfaces of this host, or of a capture" },
	{ "capture", cmd_capture, "what live reads, into a directory" },
	{ "codes", cmd_codes, "what mtu=, rate= and scope= mean" },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fputs("Usage: ernic-fabric COMMAND [OPTION...] [FILE...]\n"
	      "Checks and explains partitions of an InfiniBand fabric: OpenSM's\n"
	      "partitions.conf, read exactly as OpenSM 3.3.23 reads it, and IPoIB.\n\n", out);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\nernic-fabric COMMAND --help tells more; so does ernic-fabric(1).\n"
	      "Exit status: 0 nothing to report, 1 something found, 2 wrong usage or unreadable.\n",
	      out);
}

int main(int argc, char **argv)
{
	argp_err_exit_status = STATUS_USAGE;
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("ernic-fabric " VERSION " (partitions as of OpenSM 3.3.23)");
		return STATUS_OK;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		static char name[64];

		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "ernic-fabric %s", argv[1]);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	{
		const char *names[NCOMMANDS + 1] = { 0 };
		const char *guess;

		for (size_t i = 0; i < NCOMMANDS; i++)
			names[i] = commands[i].name;
		guess = did_you_mean(argv[1], names);
		fail("no command '%s'%s%s%s; 'ernic-fabric --help' lists them", argv[1],
		     guess ? ": did you mean '" : "", guess ? guess : "", guess ? "'" : "");
	}
}
