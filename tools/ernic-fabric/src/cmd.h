/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands, and the options that several of them have. */
#ifndef ERNIC_FABRIC_CMD_H
#define ERNIC_FABRIC_CMD_H

#include <argp.h>

#include "conf.h"
#include "fabric.h"

/**
 * struct common - options about the fabric
 * @inventory: file, or NULL
 * @self: name or GUID of the SM's port, or NULL
 * @opt: OpenSM's options
 */
struct common {
	const char *inventory;
	const char *self;
	struct sm_options opt;
};

/* Children of a subcommand's argp; inputs: its struct common, ... */
extern const struct argp_child common_children[];
/* ... and its enum diag_format */
extern const struct argp_child findings_children[];

struct fabric *common_fabric(const struct common *c, const char *const *files, size_t n);
struct sm *load_file(const struct common *c, struct fabric *f, const char *path,
		     const struct conf_hooks *hooks);
enum sm_result load_again(struct sm *sm, const char *path, const struct conf_hooks *hooks);

int cmd_effective(int argc, char **argv);
int cmd_lint(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_reach(int argc, char **argv);
int cmd_fmt(int argc, char **argv);
int cmd_rewrite(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_live(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_mac(int argc, char **argv);
int cmd_mtu(int argc, char **argv);
int cmd_codes(int argc, char **argv);

#endif
