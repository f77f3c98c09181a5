// SPDX-License-Identifier: GPL-2.0-only
/*
 * Full rate on both pairs and in both directions, with buffers wherever the
 * test says.  A completion with a status is fine: memory may have gone away.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "load.h"

static void *load_guest(void *arg)
{
	struct et_load *l = arg;
	struct et_dev *d = l->dev;
	struct ion_rxq_comp comp;
	unsigned int i, n, step = 0;

	while (!l->stop) {
		for (i = 0; i < ET_PAIRS; i++) {
			struct et_queue *tx = &d->tx[i], *rx = &d->rx[i];

			l->tx += n = et_tx_reap(tx, NULL);
			while (et_tx_free(tx)) {
				et_tx_desc(tx, l->base + step % l->len, 1500,
					   ION_TXD_CSUM_NONE, 0, 0);
				step += 4096 + 64;
				if (step % l->len > l->len - 2048)
					step = 0;
			}
			et_ring(tx);
			while (et_rx_reap(rx, &comp)) {
				n++;
				if (comp.status)
					l->rx_bad++;
				else
					l->rx++;
				et_rx_post(rx, l->base + step % l->len,
					   ET_RXBUF);
				step += 4096 + 64;
				if (step % l->len > l->len - ET_RXBUF)
					step = 0;
			}
			et_ring(rx);
			et_intr_write(d, 1 + i, ION_INTR_CREDITS,
				      n | ION_INTR_CRED_UNMASK);
		}
	}
	return NULL;
}

static void *load_host(void *arg)
{
	struct et_load *l = arg;
	u8 frame[1500];
	u32 seed = 0;

	while (!l->stop) {
		et_frame(frame, 600, l->dev->mac, l->dev->mac, seed++);
		/* for the steering: flows are told apart by their addresses */
		frame[11] = seed;
		if (et_host_send(l->dev, frame, 600 + seed % 900) < 0)
			usleep(1000);
	}
	return NULL;
}

void et_load_start(struct et_load *l, struct et_dev *d, u64 base, size_t len)
{
	memset(l, 0, sizeof(*l));
	l->dev = d;
	l->base = base;
	l->len = len;
	CHECK(!pthread_create(&l->guest, NULL, load_guest, l));
	CHECK(!pthread_create(&l->host, NULL, load_host, l));
}

void et_load_stop(struct et_load *l)
{
	l->stop = true;
	CHECK(!pthread_join(l->guest, NULL));
	CHECK(!pthread_join(l->host, NULL));
}
