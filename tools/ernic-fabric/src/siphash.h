/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_SIPHASH_H
#define ERNIC_FABRIC_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash24(const uint8_t key[16], const uint8_t *in, size_t len);

#endif
