/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests with bad input share, see badinput.c.
 */
#ifndef ERNIC_BADINPUT_H
#define ERNIC_BADINPUT_H

#include "tests.h"

extern struct et_dev dev;

/* addresses that no ring can have */
#define NADDR	11
extern const u64 bad_addr[NADDR];

/* a device that is up */
void bad_start(void);
/* it has touched nothing else, and still works */
void bad_done(void);
/* on the admin queue; its status */
u8 bad_q_init(const union ion_cmd *cmd);

#endif
