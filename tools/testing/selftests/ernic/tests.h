/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_TESTS_H
#define ERNIC_TESTS_H

#include "ernictest.h"

/* two devices that exist when a test starts and that nobody has open */
extern char uuid0[40], uuid1[40];

#endif
