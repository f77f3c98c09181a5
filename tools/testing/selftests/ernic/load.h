/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_LOAD_H
#define ERNIC_LOAD_H

#include <pthread.h>

#include "ernictest.h"

struct et_load {
	struct et_dev *dev;
	u64 base;
	size_t len;
	volatile bool stop;
	pthread_t guest, host;
	/* written by the guest thread only */
	volatile u64 tx, rx, rx_bad;
};

/* the device is up; buffers are in [base, base + len) of guest memory */
void et_load_start(struct et_load *l, struct et_dev *d, u64 base, size_t len);
void et_load_stop(struct et_load *l);

#endif
