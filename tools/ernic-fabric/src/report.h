/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_FABRIC_REPORT_H
#define ERNIC_FABRIC_REPORT_H

#include "diag.h"

void report_json(struct diags *const *d, size_t n);
void report_sarif(struct diags *const *d, size_t n);

#endif
