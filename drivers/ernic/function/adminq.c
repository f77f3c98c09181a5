// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Ethernet admin queue.
 *
 * In order, one completion a command, comp_index exactly the slot: the driver
 * walks its ring until it meets it and never stops for an index it did not post
 * (ionic_main.c:ionic_adminq_service).
 */
#include "function.h"
#include "trace.h"

/**
 * ernic_adminq_run - execute what was rung
 * @edev: device; the caller, the control worker, holds state_lock
 *
 * One lap at most a call, so that a guest that rings for ever does not keep
 * the worker from its other work.
 */
void ernic_adminq_run(struct ernic_dev *edev)
{
	struct ernic_queue *q = &edev->lif.adminq;
	unsigned int budget;
	union ion_cmd req;
	int err;

	for (budget = q->num_desc; budget; budget--) {
		union ion_comp comp = {};
		struct ernic_cmd_ctx ctx = { .req = &req, .comp = &comp };
		u16 index;

		if (!q->init || !q->enabled || q->error ||
		    !ernic_queue_avail(q))
			return;
		index = q->c_index;
		err = ernic_queue_read_desc(q, index, &req, sizeof(req));
		if (err) {
			ernic_queue_fail(q, err, "descriptor unreadable");
			return;
		}
		q->c_index = (index + 1) & ernic_queue_mask(q);

		comp.status = ernic_command(edev, &ctx);
		trace_ernic_adminq(edev, req.opcode, comp.status);
		/* the command may have been a reset of this very queue */
		if (!q->init)
			return;
		comp.comp_index = cpu_to_le16(index);
		err = ernic_queue_complete(q, &comp);
		if (err) {
			ernic_queue_fail(q, err, "completion ring unwritable");
			return;
		}
		ernic_queue_intr(q, 1);
	}
	/* a queue that was never set up has no lap, and nothing to go on with */
	if (q->init)
		ernic_ctrl_kick(edev, ERNIC_CTRL_ADMINQ);
}
