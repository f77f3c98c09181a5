// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: life cycle, worker, and the NAPI side of ernicN.
 *
 * A pair's rings belong to whoever holds pair->lock: the worker during a batch,
 * the control worker when it sets up, enables or disables a queue.  So a
 * disable waits for the batch and needs no other handshake.  A queue that is not
 * enabled is not touched, as its memory may be gone: the driver frees rings
 * without a word while the link is down (ionic_lif.c:ionic_stop).
 */
#include <linux/nospec.h>
#include <linux/slab.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "engine.h"

static struct ernic_pair *ernic_pair_get(struct ernic_dev *edev, u8 type,
					 u16 index)
{
	if (index >= edev->eth->npairs ||
	    (type != ION_QTYPE_RXQ && type != ION_QTYPE_TXQ))
		return NULL;
	return &edev->eth->pairs[index];
}

/**
 * ernic_pair_fetch - copy descriptors, each once
 * @q: queue, enabled; the caller holds ernic_dma_lock()
 * @index: first slot
 * @n: how many at most
 * @buf: room for @n
 * @size: bytes a descriptor
 *
 * Return: how many were copied, at least one: fewer than @n at the end of the
 * ring or of contiguous memory.  Or a negative errno.
 */
int ernic_pair_fetch(struct ernic_queue *q, u16 index, unsigned int n,
		     void *buf, size_t size)
{
	u64 addr = q->ring_base + (u64)index * size;
	size_t len;
	void *p;
	int err;

	n = min(n, q->num_desc - index);
	len = n * size;
	p = ernic_dma_map(q->edev, addr, &len);
	if (likely(p && len >= size)) {
		n = len / size;
		memcpy(buf, p, n * size);
		return n;
	}
	err = ernic_dma_read(q->edev, addr, buf, n * size);
	return err ?: n;
}

/**
 * ernic_pair_complete - write the next completion
 * @q: queue, enabled; the caller holds ernic_dma_lock()
 * @comp: completion with the colour bit zero; changed
 *
 * ernic_queue_complete() with a single look-up of guest memory, as one is due
 * for each frame to the guest.
 *
 * Return: 0 or a negative errno.
 */
int ernic_pair_complete(struct ernic_queue *q, union ion_comp *comp)
{
	size_t len = sizeof(*comp);
	union ion_comp *to;

	to = ernic_dma_map(q->edev, q->cq_base + (u64)q->cq_index * len, &len);
	if (unlikely(!to || len < sizeof(*comp)))
		return ernic_queue_complete(q, comp);

	comp->color |= q->color;
	to->qwords[0] = comp->qwords[0];
	/* the colour last; the driver reads it first (ionic_dev.c:ionic_cq_service) */
	smp_store_release(&to->qwords[1], comp->qwords[1]);

	q->completions++;
	q->cq_index = (q->cq_index + 1) & ernic_queue_mask(q);
	if (!q->cq_index)
		q->color ^= ION_COLOR;
	return 0;
}

/* frames of the guest go to NAPI; the caller has let go of guest memory */
static void ernic_pair_to_host(struct ernic_pair *pair,
			       struct sk_buff_head *frames)
{
	if (skb_queue_empty(frames))
		return;
	spin_lock_bh(&pair->to_host.lock);
	skb_queue_splice_tail(frames, &pair->to_host);
	spin_unlock_bh(&pair->to_host.lock);

	/* enabling BH runs the poll right here, with the data in the cache */
	local_bh_disable();
	napi_schedule(&pair->napi);
	local_bh_enable();
}

/**
 * ernic_pair_intr - tell the guest of completions
 * @pair: pair, locked
 *
 * Both queues of a pair have the same vector
 * (ionic_lif.c:ionic_link_qcq_interrupts).
 */
void ernic_pair_intr(struct ernic_pair *pair)
{
	if (pair->rx_comps)
		ernic_queue_intr(&pair->rx, pair->rx_comps);
	if (pair->tx_comps)
		ernic_queue_intr_lazy(&pair->tx, pair->tx_comps);
	pair->rx_comps = 0;
	pair->tx_comps = 0;
	pair->deferred = 0;
}

/*
 * An interrupt costs the guest far more than a frame: when its NAPI is done it
 * writes the credits register, which is an exit to the VMM.  So frames to the
 * host go through the stack first, and what that answers, most often TCP's
 * acknowledgment, shares the interrupt with their completion.
 */
static bool ernic_pair_poll(struct ernic_worker *w)
{
	struct ernic_pair *pair = container_of(w, struct ernic_pair, worker);
	struct ernic_dev *edev = pair->edev;
	struct sk_buff_head frames;
	bool again = false;
	int idx;

	__skb_queue_head_init(&frames);

	mutex_lock(&pair->lock);
	/* the driver turns bus mastering off under enabled queues */
	if (!READ_ONCE(edev->dma.enabled))
		goto out;

	idx = ernic_dma_lock(edev);
	ernic_tx_poll(pair, &frames);
	ernic_dma_unlock(edev, idx);

	ernic_pair_to_host(pair, &frames);

	idx = ernic_dma_lock(edev);
	again = ernic_rx_poll(pair);
	ernic_dma_unlock(edev, idx);

	again |= ernic_tx_ready(pair);
	if (again && !pair->rx_comps && pair->tx_comps &&
	    ++pair->deferred < ERNIC_INTR_BATCHES)
		goto unlock;
out:
	ernic_pair_intr(pair);
unlock:
	mutex_unlock(&pair->lock);
	return again;
}

/**
 * ernic_pair_napi_poll - hand frames of the guest to the stack
 * @napi: of a pair
 * @budget: how many at most
 */
int ernic_pair_napi_poll(struct napi_struct *napi, int budget)
{
	struct ernic_pair *pair = container_of(napi, struct ernic_pair, napi);
	struct sk_buff_head frames;
	struct sk_buff *skb;
	bool full;
	int done;

	__skb_queue_head_init(&frames);
	spin_lock(&pair->to_host.lock);
	full = skb_queue_len(&pair->to_host) >= ERNIC_TO_HOST_MAX;
	for (done = 0; done < budget; done++) {
		skb = __skb_dequeue(&pair->to_host);
		if (!skb)
			break;
		__skb_queue_tail(&frames, skb);
	}
	spin_unlock(&pair->to_host.lock);

	while ((skb = __skb_dequeue(&frames)))
		napi_gro_receive(napi, skb);
	if (done < budget)
		napi_complete_done(napi, done);
	/* the worker had stopped taking more */
	if (full)
		ernic_worker_kick(&pair->worker);
	return done;
}

/**
 * ernic_eth_q_setup - Q_INIT
 * @edev: device; the caller holds state_lock
 * @type: ION_QTYPE_RXQ or ION_QTYPE_TXQ
 * @index: driver's index
 * @setup: the new queue, not enabled
 *
 * Replaces what was there, without a disable before it if the guest's carrier
 * was down.
 *
 * Return: 0 or a negative errno.
 */
int ernic_eth_q_setup(struct ernic_dev *edev, u8 type, u16 index,
		      const struct ernic_queue *setup)
{
	struct ernic_pair *pair = ernic_pair_get(edev, type, index);
	struct ernic_queue *q;
	int err = 0;

	if (!pair)
		return -EINVAL;
	ernic_eth_q_disable(edev, type, index);

	mutex_lock(&pair->lock);
	q = type == ION_QTYPE_TXQ ? &pair->tx : &pair->rx;
	*q = *setup;
	q->edev = edev;
	q->type = type;
	q->index = index;
	q->enabled = false;
	q->worker = &pair->worker;
	if (type == ION_QTYPE_TXQ)
		pair->txs.owed = false;
	mutex_unlock(&pair->lock);

	/* not under pair->lock, which the thread's first poll takes */
	if (!pair->worker.task)
		err = ernic_worker_start(&pair->worker, "ernic%u-%u", edev->id,
					 index);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_eth_q_setup);

/**
 * ernic_eth_q_enable - Q_CONTROL enable
 * @edev: device; the caller holds state_lock
 * @type: ION_QTYPE_RXQ or ION_QTYPE_TXQ
 * @index: driver's index
 *
 * Ring positions are those of the last disable or Q_INIT; the doorbell may have
 * rung before (ionic_lif.c:ionic_txrx_enable), so the worker looks at once.
 *
 * Return: 0 or a negative errno.
 */
int ernic_eth_q_enable(struct ernic_dev *edev, u8 type, u16 index)
{
	struct ernic_pair *pair = ernic_pair_get(edev, type, index);
	struct ernic_queue *q;
	int err = 0;

	if (!pair)
		return -EINVAL;

	mutex_lock(&pair->lock);
	q = type == ION_QTYPE_TXQ ? &pair->tx : &pair->rx;
	if (!q->init) {
		err = -ENOENT;
	} else if (!q->enabled) {
		/* from before a disable that raced with ndo_start_xmit */
		if (type == ION_QTYPE_RXQ)
			ernic_rx_purge(pair);
		q->enabled = true;
	}
	if (!err && type == ION_QTYPE_RXQ)
		WRITE_ONCE(pair->rx_ready, true);
	mutex_unlock(&pair->lock);
	if (err)
		return err;

	if (type == ION_QTYPE_RXQ) {
		err = ernic_steer_update(edev->eth);
		ernic_eth_carrier(edev);
	}
	ernic_worker_kick(&pair->worker);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_eth_q_enable);

/**
 * ernic_eth_q_disable - Q_CONTROL disable
 * @edev: device; the caller holds state_lock
 * @type: ION_QTYPE_RXQ or ION_QTYPE_TXQ
 * @index: driver's index
 *
 * On return the device does not touch the queue.  What was fetched is done; a
 * TSO chain of which a part was fetched is as if none was.
 *
 * Return: 0 or a negative errno.
 */
int ernic_eth_q_disable(struct ernic_dev *edev, u8 type, u16 index)
{
	struct ernic_pair *pair = ernic_pair_get(edev, type, index);
	bool was;

	if (!pair)
		return -EINVAL;

	mutex_lock(&pair->lock);
	ernic_pair_intr(pair);
	if (type == ION_QTYPE_TXQ) {
		was = pair->tx.enabled;
		pair->tx.enabled = false;
		ernic_tx_rewind(pair);
	} else {
		was = pair->rx.enabled;
		pair->rx.enabled = false;
		WRITE_ONCE(pair->rx_ready, false);
		ernic_rx_purge(pair);
	}
	mutex_unlock(&pair->lock);

	if (was && type == ION_QTYPE_RXQ) {
		ernic_steer_update(edev->eth);
		ernic_eth_carrier(edev);
	}
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_eth_q_disable);

/**
 * ernic_eth_stop - disable all queues
 * @edev: device; the caller holds state_lock
 * @forget: drop what Q_INIT said as well
 */
void ernic_eth_stop(struct ernic_dev *edev, bool forget)
{
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		ernic_eth_q_disable(edev, ION_QTYPE_TXQ, i);
		ernic_eth_q_disable(edev, ION_QTYPE_RXQ, i);
		if (!forget)
			continue;
		mutex_lock(&pair->lock);
		pair->tx.init = false;
		pair->rx.init = false;
		mutex_unlock(&pair->lock);
	}
}
ERNIC_KUNIT_EXPORT(ernic_eth_stop);

/**
 * ernic_eth_kick - have all workers look at their queues
 * @edev: device; any context
 */
void ernic_eth_kick(struct ernic_dev *edev)
{
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++)
		ernic_worker_kick(&eth->pairs[i].worker);
}
ERNIC_KUNIT_EXPORT(ernic_eth_kick);

/**
 * ernic_eth_close - take the worker threads away
 * @edev: device without enabled queues; the caller holds state_lock
 */
void ernic_eth_close(struct ernic_dev *edev)
{
	struct ernic_eth *eth = edev->eth;
	unsigned int i;

	for (i = 0; i < eth->npairs; i++)
		ernic_worker_stop(&eth->pairs[i].worker);
}
ERNIC_KUNIT_EXPORT(ernic_eth_close);

/**
 * ernic_eth_queue - queue behind a doorbell
 * @edev: device
 * @qid: hw_index from Q_INIT, see ERNIC_QID_RX() and ERNIC_QID_TX()
 *
 * Return: the queue, set up or not; NULL if there is none.
 */
struct ernic_queue *ernic_eth_queue(struct ernic_dev *edev, u32 qid)
{
	struct ernic_eth *eth = edev->eth;
	u32 i;

	if (qid < ERNIC_QID_RX(0))
		return NULL;
	i = (qid - ERNIC_QID_RX(0)) / 2;
	if (i >= eth->npairs)
		return NULL;
	i = array_index_nospec(i, eth->npairs);
	return qid & 1 ? &eth->pairs[i].tx : &eth->pairs[i].rx;
}
ERNIC_KUNIT_EXPORT(ernic_eth_queue);

static void ernic_ptr_free_skb(void *skb)
{
	kfree_skb(skb);
}

/**
 * ernic_pairs_create - allocate the queue pairs
 * @eth: Ethernet engine with @npairs set
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_pairs_create(struct ernic_eth *eth)
{
	unsigned int i;

	eth->pairs = kvcalloc(eth->npairs, sizeof(*eth->pairs),
			      GFP_KERNEL_ACCOUNT);
	if (!eth->pairs)
		return -ENOMEM;

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		if (ptr_ring_init(&pair->ring, ERNIC_RING_SIZE,
				  GFP_KERNEL_ACCOUNT))
			goto err;
		pair->edev = eth->edev;
		pair->index = i;
		mutex_init(&pair->lock);
		skb_queue_head_init(&pair->to_host);
		timer_setup(&pair->rxs.timer, ernic_rx_timeout, 0);
		ernic_worker_init(&pair->worker, ernic_pair_poll);
		pair->worker.page = &eth->edev->db_page0;
		/* doorbells find these before the first Q_INIT */
		pair->tx.edev = eth->edev;
		pair->tx.type = ION_QTYPE_TXQ;
		pair->tx.index = i;
		pair->tx.worker = &pair->worker;
		pair->rx.edev = eth->edev;
		pair->rx.type = ION_QTYPE_RXQ;
		pair->rx.index = i;
		pair->rx.worker = &pair->worker;
	}
	return 0;

err:
	while (i--)
		ptr_ring_cleanup(&eth->pairs[i].ring, NULL);
	kvfree(eth->pairs);
	return -ENOMEM;
}

/**
 * ernic_pairs_destroy - undo ernic_pairs_create()
 * @eth: Ethernet engine, closed, without a netdev
 */
void ernic_pairs_destroy(struct ernic_eth *eth)
{
	unsigned int i;

	for (i = 0; i < eth->npairs; i++) {
		struct ernic_pair *pair = &eth->pairs[i];

		timer_shutdown_sync(&pair->rxs.timer);
		kfree_skb(pair->rxs.skb);
		kfree_skb(pair->txs.skb);
		if (pair->txs.frag.page)
			put_page(pair->txs.frag.page);
		skb_queue_purge(&pair->to_host);
		ptr_ring_cleanup(&pair->ring, ernic_ptr_free_skb);
		mutex_destroy(&pair->lock);
	}
	kvfree(eth->pairs);
}
