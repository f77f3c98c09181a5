/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_KUNIT_H
#define ERNIC_KUNIT_H

#include <linux/export.h>

/* makes an internal function reachable for ernic_kunit.ko; nothing otherwise */
#if IS_ENABLED(CONFIG_KUNIT)
#define ERNIC_KUNIT_EXPORT(sym) EXPORT_SYMBOL_GPL(sym)
#else
#define ERNIC_KUNIT_EXPORT(sym)
#endif

#endif
