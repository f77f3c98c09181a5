/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ABI_SHIM_BUILD_BUG_H
#define ABI_SHIM_BUILD_BUG_H

/* A mutated header has to build: its differences are what abi.c finds. */
#define static_assert(...)	_Static_assert(1, "")

#endif
