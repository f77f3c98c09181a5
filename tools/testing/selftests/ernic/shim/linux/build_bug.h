/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_SHIM_BUILD_BUG_H
#define ERNIC_SHIM_BUILD_BUG_H

#include <assert.h>

#endif
