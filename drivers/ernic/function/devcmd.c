// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-command registers (BAR0 + 0x800).
 *
 * The driver writes side data and request, done = 0, doorbell = 1, then polls
 * the running bit and done (ionic_main.c:__ionic_dev_cmd_wait).  The store of
 * the doorbell only wakes the control worker; completion and side data are in
 * place before done is.  They survive the driver's clean-up of the request, as
 * it reads them after that (ionic_dev_cmd_clean).
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include <ernic/kunit.h>

#include "function.h"
#include "trace.h"

/**
 * ernic_devcmd_reset - clear the registers; no command is running
 * @edev: device
 */
void ernic_devcmd_reset(struct ernic_dev *edev)
{
	struct ernic_devcmd *dc = &edev->devcmd;
	unsigned long flags;

	spin_lock_irqsave(&dc->lock, flags);
	memset(dc->regs, 0, sizeof(dc->regs));
	dc->busy = false;
	spin_unlock_irqrestore(&dc->lock, flags);
}

/**
 * ernic_devcmd_read - read from the block
 * @edev: device
 * @off: offset in the block, aligned to @size
 * @size: 1, 2, 4 or 8
 */
u64 ernic_devcmd_read(struct ernic_dev *edev, u32 off, unsigned int size)
{
	struct ernic_devcmd *dc = &edev->devcmd;
	unsigned long flags;
	__le64 val = 0;

	spin_lock_irqsave(&dc->lock, flags);
	memcpy(&val, dc->regs + off, size);
	spin_unlock_irqrestore(&dc->lock, flags);
	return le64_to_cpu(val);
}

/**
 * ernic_devcmd_write - write into the block; a 1 in the doorbell starts
 * @edev: device
 * @off: offset in the block, aligned to @size
 * @size: 1, 2, 4 or 8
 * @val: value
 *
 * While a command runs or the firmware is down the doorbell does nothing, as
 * in hardware: the first is a driver that broke the protocol, the second gives
 * up by itself when it sees the running bit gone.
 */
void ernic_devcmd_write(struct ernic_dev *edev, u32 off, unsigned int size,
			u64 val)
{
	struct ernic_devcmd *dc = &edev->devcmd;
	__le64 le = cpu_to_le64(val);
	unsigned long flags;
	bool go = false;

	spin_lock_irqsave(&dc->lock, flags);
	memcpy(dc->regs + off, &le, size);
	if (off == ION_CMD_DOORBELL && (val & 1) && !dc->busy &&
	    (READ_ONCE(edev->fw_status) & ION_FW_STS_RUNNING)) {
		dc->busy = true;
		go = true;
	}
	spin_unlock_irqrestore(&dc->lock, flags);

	if (go)
		ernic_ctrl_kick(edev, ERNIC_CTRL_DEVCMD);
}

/**
 * ernic_devcmd_run - execute the started command
 * @edev: device; the caller, the control worker, holds state_lock
 */
void ernic_devcmd_run(struct ernic_dev *edev)
{
	struct ernic_devcmd *dc = &edev->devcmd;
	union ion_comp comp = {};
	union ion_cmd req;
	struct ernic_cmd_ctx ctx = {
		.req = &req,
		.comp = &comp,
		.data = dc->scratch,
	};
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&dc->lock, flags);
	busy = dc->busy;
	memcpy(&req, dc->regs + ION_CMD_REQUEST, sizeof(req));
	memcpy(dc->scratch, dc->regs + ION_CMD_SIDE_DATA, sizeof(dc->scratch));
	spin_unlock_irqrestore(&dc->lock, flags);
	/* a reset took the command back */
	if (!busy)
		return;

	comp.status = ernic_command(edev, &ctx);
	trace_ernic_devcmd(edev, req.opcode, comp.status);

	spin_lock_irqsave(&dc->lock, flags);
	memcpy(dc->regs + ION_CMD_COMPLETION, &comp, sizeof(comp));
	memcpy(dc->regs + ION_CMD_SIDE_DATA, dc->scratch, sizeof(dc->scratch));
	put_unaligned_le32(1, dc->regs + ION_CMD_DONE);
	dc->busy = false;
	spin_unlock_irqrestore(&dc->lock, flags);
}
