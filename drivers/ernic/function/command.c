// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command dispatch, for the device-command registers and the admin queue.
 */
#include <linux/nospec.h>

#include <ernic/eth.h>
#include <ernic/rdma.h>

#include "function.h"

static u8 ernic_cmd_nop(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->init.type)
		return ION_RC_EINVAL;
	if (edev->state == ERNIC_ST_RESET)
		edev->state = ERNIC_ST_READY;
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_reset(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	ernic_function_reset(edev);
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_port_reset(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->port_init.index)
		return ION_RC_ENOENT;
	ernic_port_reset(edev);
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_lif_reset(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->lif_reset.index)
		return ION_RC_ENOENT;
	ernic_lif_reset(edev);
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_rx_mode_set(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	ernic_filter_set_mode(edev, le16_to_cpu(c->req->rx_mode_set.rx_mode));
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_rx_filter_add(struct ernic_dev *edev,
				  struct ernic_cmd_ctx *c)
{
	u32 id = 0;
	u8 rc = ernic_filter_add(edev, c->req, &id);

	c->comp->rx_filter_add.filter_id = cpu_to_le32(id);
	return rc;
}

static u8 ernic_cmd_rx_filter_del(struct ernic_dev *edev,
				  struct ernic_cmd_ctx *c)
{
	u32 id = le32_to_cpu(c->req->rx_filter_del.filter_id);

	return ernic_filter_del(edev, id);
}

static u8 ernic_cmd_rdma_reset(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->lif_index)
		return ION_RC_ENOENT;
	if (!ernic_rdma_offered(edev))
		return ION_RC_ENOSUPP;
	ernic_rdma_reset(edev);
	return ION_RC_SUCCESS;
}

static u8 ernic_cmd_rdma_queue(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	if (c->req->rdma_queue.lif_index)
		return ION_RC_ENOENT;
	if (!ernic_rdma_offered(edev))
		return ION_RC_ENOSUPP;
	switch (c->req->opcode) {
	case ION_CMD_RDMA_CREATE_EQ:
		return ernic_rdma_create_eq(edev, c->req);
	case ION_CMD_RDMA_CREATE_CQ:
		return ernic_rdma_create_cq(edev, c->req);
	default:
		return ernic_rdma_create_aq(edev, c->req);
	}
}

/**
 * struct ernic_cmd_desc - one opcode
 * @fn: handler; NULL: unknown opcode
 * @regs_only: not valid on the admin queue: it needs side data, or would pull
 *	the queue away from under its own completion
 * @needs_lif: not valid before LIF_INIT
 */
struct ernic_cmd_desc {
	u8 (*fn)(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
	bool regs_only;
	bool needs_lif;
};

#define REGS(_fn)	{ .fn = _fn, .regs_only = true }
#define LIF(_fn)	{ .fn = _fn, .needs_lif = true }

static const struct ernic_cmd_desc ernic_cmds[] = {
	[ION_CMD_NOP]		= { .fn = ernic_cmd_nop },
	[ION_CMD_IDENTIFY]	= REGS(ernic_identify),
	[ION_CMD_INIT]		= REGS(ernic_cmd_init),
	[ION_CMD_RESET]		= REGS(ernic_cmd_reset),
	[ION_CMD_PORT_IDENTIFY]	= REGS(ernic_port_identify),
	[ION_CMD_PORT_INIT]	= REGS(ernic_port_init),
	[ION_CMD_PORT_RESET]	= REGS(ernic_cmd_port_reset),
	[ION_CMD_PORT_GETATTR]	= { .fn = ernic_port_getattr },
	[ION_CMD_PORT_SETATTR]	= { .fn = ernic_port_setattr },
	[ION_CMD_LIF_IDENTIFY]	= REGS(ernic_lif_identify),
	[ION_CMD_LIF_INIT]	= REGS(ernic_lif_init),
	[ION_CMD_LIF_RESET]	= REGS(ernic_cmd_lif_reset),
	[ION_CMD_LIF_GETATTR]	= LIF(ernic_lif_getattr),
	[ION_CMD_LIF_SETATTR]	= LIF(ernic_lif_setattr),
	[ION_CMD_RX_MODE_SET]	= LIF(ernic_cmd_rx_mode_set),
	[ION_CMD_RX_FILTER_ADD]	= LIF(ernic_cmd_rx_filter_add),
	[ION_CMD_RX_FILTER_DEL]	= LIF(ernic_cmd_rx_filter_del),
	[ION_CMD_Q_IDENTIFY]	= REGS(ernic_q_identify),
	[ION_CMD_Q_INIT]	= { .fn = ernic_q_init },
	[ION_CMD_Q_CONTROL]	= LIF(ernic_q_control),
	[ION_CMD_DISCOVER_CMB]	= { .fn = ernic_cmb_discover },
	[ION_CMD_RDMA_RESET_LIF] = { .fn = ernic_cmd_rdma_reset },
	[ION_CMD_RDMA_CREATE_EQ] = LIF(ernic_cmd_rdma_queue),
	[ION_CMD_RDMA_CREATE_CQ] = LIF(ernic_cmd_rdma_queue),
	[ION_CMD_RDMA_CREATE_ADMINQ] = LIF(ernic_cmd_rdma_queue),
};

/**
 * ernic_command - run one command
 * @edev: device; the caller, the control worker, holds state_lock
 * @c: request, completion and side data
 *
 * Return: enum ion_status: EOPCODE for an unknown opcode, DEV_CMD for one that
 * is not for the admin queue, EPERM before LIF_INIT, else the handler's.
 */
u8 ernic_command(struct ernic_dev *edev, struct ernic_cmd_ctx *c)
{
	const struct ernic_cmd_desc *cmd;
	u8 opcode = c->req->opcode;

	if (opcode == ION_CMD_FW_DOWNLOAD || opcode == ION_CMD_FW_CONTROL)
		return ION_RC_ENOSUPP;
	if (opcode >= ARRAY_SIZE(ernic_cmds))
		return ION_RC_EOPCODE;
	cmd = &ernic_cmds[array_index_nospec(opcode, ARRAY_SIZE(ernic_cmds))];
	if (!cmd->fn)
		return ION_RC_EOPCODE;
	if (cmd->regs_only && !c->data)
		return ION_RC_DEV_CMD;
	if (cmd->needs_lif && !edev->lif.init)
		return ION_RC_EPERM;
	return cmd->fn(edev, c);
}
