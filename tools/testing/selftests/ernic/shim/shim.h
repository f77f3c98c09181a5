/* SPDX-License-Identifier: GPL-2.0-only */
/* What include/ionic needs of the kernel beyond its uapi headers. */
#ifndef ERNIC_SHIM_H
#define ERNIC_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define __packed	__attribute__((__packed__))

#endif
