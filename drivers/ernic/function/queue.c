// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues: Q_INIT, Q_CONTROL, and the rings that all types share.
 *
 * A completion ring has as many entries as its queue.  Entry k of lap L carries
 * colour 1 ^ (L & 1) in bit 7 of its last byte, so the first lap writes ones
 * into a ring that the driver zeroed (ionic_dev.c:ionic_cq_service).  Each
 * descriptor yields at most one completion, so the ring cannot overflow.
 */
#include <linux/nospec.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>

#include "function.h"
#include "trace.h"

/**
 * ernic_queue_read_desc - copy a descriptor, once
 * @q: queue, enabled
 * @index: slot; masked here
 * @desc: result
 * @size: bytes a descriptor
 *
 * Return: 0 or a negative errno of ernic_dma_read().
 */
int ernic_queue_read_desc(struct ernic_queue *q, u16 index, void *desc,
			  size_t size)
{
	index &= ernic_queue_mask(q);
	return ernic_dma_read(q->edev, q->ring_base + (u64)index * size, desc,
			      size);
}
ERNIC_KUNIT_EXPORT(ernic_queue_read_desc);

/**
 * ernic_queue_complete - write the next completion
 * @q: queue, enabled
 * @comp: 16 bytes with the colour bit zero; changed
 *
 * Return: 0 or a negative errno of ernic_dma_write().
 */
int ernic_queue_complete(struct ernic_queue *q, void *comp)
{
	u64 addr = q->cq_base + (u64)q->cq_index * sizeof(union ion_comp);
	union ion_comp *c = comp;
	int err;

	c->color |= q->color;
	err = ernic_dma_write(q->edev, addr, &c->qwords[0], 8);
	if (!err)
		err = ernic_dma_write64_release(q->edev, addr + 8,
						c->qwords[1]);
	if (err)
		return err;

	q->completions++;
	q->cq_index = (q->cq_index + 1) & ernic_queue_mask(q);
	if (!q->cq_index)
		q->color ^= ION_COLOR;
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_queue_complete);

/**
 * ernic_queue_intr - tell the driver of completions
 * @q: queue
 * @completions: how many were written since the last call
 */
void ernic_queue_intr(struct ernic_queue *q, unsigned int completions)
{
	if (q->has_intr)
		ernic_intr_post(q->edev, q->intr, completions);
}
ERNIC_KUNIT_EXPORT(ernic_queue_intr);

/**
 * ernic_queue_intr_lazy - the same, of completions that only give buffers back
 * @q: queue
 * @completions: how many were written since the last call
 */
void ernic_queue_intr_lazy(struct ernic_queue *q, unsigned int completions)
{
	if (q->has_intr)
		ernic_intr_post_lazy(q->edev, q->intr, completions,
				     min(q->num_desc / 4, ERNIC_TX_LAZY_MAX));
}

/**
 * ernic_queue_fail - give a queue up until its next Q_INIT
 * @q: queue
 * @err: -EACCES: DMA is off; the queue is sound and goes on when it is on
 *	again, as the driver may turn bus mastering off under it
 * @what: what could not be done
 */
void ernic_queue_fail(struct ernic_queue *q, int err, const char *what)
{
	static const char * const type[] = { "adminq", "notifyq", "rx", "tx" };

	if (err == -EACCES)
		return;
	q->error = true;
	ernic_warn(q->edev, "%s queue %u: %s; stopped until it is set up again\n",
		   type[q->type & 3], q->index, what);
}
ERNIC_KUNIT_EXPORT(ernic_queue_fail);

/*
 * Rings are probed at both ends while the command runs: memory that is not
 * there is an error of this command, not a dead queue later.
 */
static u8 ernic_ring_check(struct ernic_dev *edev, u64 base, u64 len,
			   unsigned int align)
{
	u64 tmp;

	if (!ernic_range_ok(base, len, align))
		return ION_RC_BAD_ADDR;
	if (ernic_dma_read(edev, base, &tmp, sizeof(tmp)) ||
	    ernic_dma_read(edev, base + len - sizeof(tmp), &tmp, sizeof(tmp)))
		return ION_RC_BAD_ADDR;
	return ION_RC_SUCCESS;
}

static u8 ernic_q_check_rings(struct ernic_dev *edev,
			      const struct ernic_queue *q)
{
	static const u8 desc_size[] = {
		[ION_QTYPE_ADMINQ] = sizeof(union ion_cmd),
		[ION_QTYPE_NOTIFYQ] = 4,
		[ION_QTYPE_RXQ] = sizeof(struct ion_rxq_desc),
		[ION_QTYPE_TXQ] = sizeof(struct ion_txq_desc),
	};
	unsigned int size = desc_size[q->type];
	u64 n = q->num_desc;
	u8 rc;

	/* 16 at least: nothing straddles a page that need not */
	rc = ernic_ring_check(edev, q->ring_base, n * size, max(size, 16U));
	if (rc || q->type == ION_QTYPE_NOTIFYQ)
		return rc;
	rc = ernic_ring_check(edev, q->cq_base, n * sizeof(union ion_comp), 16);
	if (rc || !q->sg)
		return rc;
	size = q->type == ION_QTYPE_TXQ ? ION_TX_SG_STRIDE : ION_RX_SG_STRIDE;
	return ernic_ring_check(edev, q->sg_base,
				n * size * sizeof(struct ion_sg_elem), 16);
}

static u8 ernic_q_parse(struct ernic_dev *edev, const union ion_cmd *req,
			struct ernic_queue *q)
{
	u16 flags = le16_to_cpu(req->q_init.flags);
	u32 index = le32_to_cpu(req->q_init.index);
	u32 limit = 1;

	if (req->q_init.type > ION_QTYPE_TXQ)
		return ION_RC_EQTYPE;
	q->type = array_index_nospec(req->q_init.type, ION_QTYPE_TXQ + 1);
	if (q->type >= ION_QTYPE_RXQ)
		limit = edev->profile.eth_queues;
	if (index >= limit)
		return ION_RC_EQID;
	q->index = array_index_nospec(index, limit);

	if (req->q_init.ring_size < ION_RING_SIZE_LOG2_MIN ||
	    req->q_init.ring_size > ION_RING_SIZE_LOG2_MAX)
		return ION_RC_ERANGE;
	q->num_desc = BIT(req->q_init.ring_size);
	/* neither a CMB nor event queues nor wide completions are offered */
	if (flags & (ION_QINIT_F_EQ | ION_QINIT_F_CMB) ||
	    req->q_init.features || req->q_init.pid)
		return ION_RC_EINVAL;

	q->has_intr = flags & ION_QINIT_F_IRQ;
	if (q->has_intr) {
		u32 intr = le16_to_cpu(req->q_init.intr_index);

		if (intr >= edev->nvectors)
			return ION_RC_ERANGE;
		q->intr = array_index_nospec(intr, ION_MSIX_VECTORS);
	}
	q->sg = q->type >= ION_QTYPE_RXQ && (flags & ION_QINIT_F_SG);
	q->ring_base = le64_to_cpu(req->q_init.ring_base);
	q->cq_base = le64_to_cpu(req->q_init.cq_ring_base);
	q->sg_base = le64_to_cpu(req->q_init.sg_ring_base);
	return ernic_q_check_rings(edev, q);
}

static void ernic_q_identify_hw(struct ernic_queue *q)
{
	switch (q->type) {
	case ION_QTYPE_ADMINQ:
		q->hw_index = ERNIC_QID_ADMINQ;
		q->hw_type = 0;
		break;
	case ION_QTYPE_NOTIFYQ:
		q->hw_index = ERNIC_QID_NOTIFYQ;
		q->hw_type = 1;
		break;
	case ION_QTYPE_RXQ:
		q->hw_index = ERNIC_QID_RX(q->index);
		q->hw_type = ERNIC_DB_SLOT_RX(q->index);
		break;
	default:
		q->hw_index = ERNIC_QID_TX(q->index);
		q->hw_type = ERNIC_DB_SLOT_TX(q->index);
		break;
	}
}

/**
 * ernic_q_init - Q_INIT
 * @edev: device; the caller holds state_lock
 * @c: command
 *
 * A repeated Q_INIT replaces the queue, as there is no command to delete one.
 * hw_type is different for each queue: the driver uses it for nothing but its
 * doorbell slot (ionic_lif.c:ionic_lif_txq_init), so each has one of its own.
 *
 * Return: enum ion_status: EPERM without a LIF, EQTYPE, EQID, ERANGE (ring
 * size, interrupt), EINVAL (features never offered), BAD_ADDR (a ring wraps, is
 * unaligned or not mapped), DEV_CMD (the admin queue set up from itself).
 */
u8 ernic_q_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	struct ernic_queue setup = {
		.edev = edev,
		.color = ION_COLOR,
		.init = true,
	};
	bool enable = le16_to_cpu(c->req->q_init.flags) & ION_QINIT_F_ENA;
	u8 rc;

	if (!edev->lif.init)
		return ION_RC_EPERM;
	rc = ernic_q_parse(edev, c->req, &setup);
	if (rc)
		return rc;
	ernic_q_identify_hw(&setup);
	ernic_page_slot_init(&edev->db_page0, setup.hw_type);

	switch (setup.type) {
	case ION_QTYPE_ADMINQ:
		if (!c->data)
			return ION_RC_DEV_CMD;
		setup.enabled = enable;
		setup.worker = &edev->ctrl;
		edev->lif.adminq = setup;
		break;
	case ION_QTYPE_NOTIFYQ:
		edev->lif.notifyq = setup;
		rc = ernic_notifyq_setup(edev);
		if (rc) {
			edev->lif.notifyq.init = false;
			return rc;
		}
		edev->lif.notifyq.enabled = enable;
		break;
	default:
		if (ernic_eth_q_setup(edev, setup.type, setup.index, &setup))
			return ION_RC_ENOMEM;
		if (enable && ernic_eth_q_enable(edev, setup.type, setup.index))
			return ION_RC_ERROR;
		break;
	}

	c->comp->q_init.hw_index = cpu_to_le32(setup.hw_index);
	c->comp->q_init.hw_type = setup.hw_type;
	return ION_RC_SUCCESS;
}

/**
 * ernic_q_control - Q_CONTROL, synchronous
 * @edev: device; the caller holds state_lock
 * @c: command
 *
 * Addresses a queue by type and the driver's index.  When a disable completes
 * nothing of the queue is touched any more: the driver frees the buffers next
 * (ionic_lif.c:ionic_txrx_deinit).
 */
u8 ernic_q_control(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	u32 index = le32_to_cpu(c->req->q_control.index);
	u8 type = c->req->q_control.type;
	int err;

	if (type != ION_QTYPE_RXQ && type != ION_QTYPE_TXQ)
		return ION_RC_EQTYPE;
	if (index >= edev->profile.eth_queues)
		return ION_RC_EQID;
	index = array_index_nospec(index, edev->profile.eth_queues);

	switch (c->req->q_control.oper) {
	case ION_Q_ENABLE:
		err = ernic_eth_q_enable(edev, type, index);
		break;
	case ION_Q_DISABLE:
		err = ernic_eth_q_disable(edev, type, index);
		break;
	default:
		return ION_RC_EINVAL;
	}
	return err ? ION_RC_EQID : ION_RC_SUCCESS;
}
