/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_ASOPENSM_H
#define ERNIC_FABRIC_ASOPENSM_H

#include "fabric.h"

void as_opensm(const struct sm *sm, const char *data, size_t len, bool all, FILE *out);

#endif
