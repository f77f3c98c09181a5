/* SPDX-License-Identifier: GPL-2.0-only */
/* What the headers under comparison need of the kernel, in user space. */
#ifndef ABI_SHIM_TYPES_H
#define ABI_SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t __le16;
typedef uint32_t __le32;
typedef uint64_t __le64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

#define __packed	__attribute__((__packed__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define __iomem

#endif
