// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RDMA admin queue.
 *
 * In order, one completion a command with the index of its first stride: the driver
 * drops any other, takes the command for lost, and the device for dead after two
 * seconds (ionic_admin.c:ionic_admin_poll_locked, ionic_admin_dwork).  Hence a thread
 * of its own, which waits for a turn of a data worker at most.
 */
#include <linux/nospec.h>

#include <ernic/dev.h>

#include "trace.h"
#include "engine.h"

static u8 ernic_aq_noop(struct ernic_rdma *rdma,
			const struct ion_admin_wqe *wqe)
{
	return ION_ASTS_OK;
}

static u8 ernic_aq_destroy_mr(struct ernic_rdma *rdma,
			      const struct ion_admin_wqe *wqe)
{
	return ernic_mr_destroy(rdma, le32_to_cpu(wqe->cmd.destroy.id));
}

static u8 ernic_aq_destroy_cq(struct ernic_rdma *rdma,
			      const struct ion_admin_wqe *wqe)
{
	return ernic_cq_destroy(rdma, le32_to_cpu(wqe->cmd.destroy.id));
}

static u8 ernic_aq_destroy_qp(struct ernic_rdma *rdma,
			      const struct ion_admin_wqe *wqe)
{
	return ernic_qp_destroy_settled(rdma,
					le32_to_cpu(wqe->cmd.destroy.id));
}

static u8 ernic_aq_destroy_ah(struct ernic_rdma *rdma,
			      const struct ion_admin_wqe *wqe)
{
	return ernic_ah_destroy(rdma, le32_to_cpu(wqe->cmd.destroy.id));
}

/**
 * struct ernic_aq_cmd - one opcode
 * @fn: handler; NULL: unknown opcode
 * @len: shortest body
 */
struct ernic_aq_cmd {
	u8 (*fn)(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe);
	u8 len;
};

#define BODY(_fn, _member) \
	{ .fn = _fn, .len = sizeof_field(struct ion_admin_wqe, cmd._member) }

static const struct ernic_aq_cmd ernic_aq_cmds[ION_ADMIN_OPCODES_MAX] = {
	[ION_ADMIN_NOOP]	= { .fn = ernic_aq_noop },
	[ION_ADMIN_CREATE_CQ]	= BODY(ernic_cq_create, create_cq),
	[ION_ADMIN_CREATE_QP]	= BODY(ernic_qp_create, create_qp),
	[ION_ADMIN_CREATE_MR]	= BODY(ernic_mr_create, create_mr),
	[ION_ADMIN_STATS_HDRS]	= BODY(ernic_stats_hdrs, stats),
	[ION_ADMIN_STATS_VALS]	= BODY(ernic_stats_vals, stats),
	[ION_ADMIN_DESTROY_MR]	= BODY(ernic_aq_destroy_mr, destroy),
	[ION_ADMIN_DESTROY_CQ]	= BODY(ernic_aq_destroy_cq, destroy),
	[ION_ADMIN_MODIFY_QP]	= BODY(ernic_qp_modify, mod_qp),
	[ION_ADMIN_QUERY_QP]	= BODY(ernic_qp_query, query_qp),
	[ION_ADMIN_DESTROY_QP]	= BODY(ernic_aq_destroy_qp, destroy),
	/* nothing to debug and no congestion control; accepted */
	[ION_ADMIN_DEBUG]	= { .fn = ernic_aq_noop },
	[ION_ADMIN_CREATE_AH]	= BODY(ernic_ah_create, create_ah),
	[ION_ADMIN_QUERY_AH]	= BODY(ernic_ah_query, query_ah),
	[ION_ADMIN_MODIFY_DCQCN] = { .fn = ernic_aq_noop },
	[ION_ADMIN_DESTROY_AH]	= BODY(ernic_aq_destroy_ah, destroy),
	[ION_ADMIN_QP_STATS_HDRS] = BODY(ernic_qp_stats_hdrs, stats),
	[ION_ADMIN_QP_STATS_VALS] = BODY(ernic_qp_stats_vals, stats),
};

static u8 ernic_aq_command(struct ernic_rdma *rdma,
			   const struct ion_admin_wqe *wqe)
{
	const struct ernic_aq_cmd *cmd;

	if (wqe->op >= ARRAY_SIZE(ernic_aq_cmds))
		return ION_ASTS_BAD_CMD;
	cmd = &ernic_aq_cmds[array_index_nospec(wqe->op,
						ARRAY_SIZE(ernic_aq_cmds))];
	if (!cmd->fn)
		return ION_ASTS_BAD_CMD;
	if (le16_to_cpu(wqe->len) < cmd->len)
		return ION_ASTS_BAD_ATTR;
	return cmd->fn(rdma, wqe);
}

/*
 * Copies the next command, once.  Returns its strides, 0 if it is not there yet, or a
 * negative errno.
 */
static int ernic_aq_fetch(struct ernic_rdma *rdma, struct ion_admin_wqe *wqe)
{
	struct ernic_aq *aq = &rdma->aq;
	/* pairs with ernic_rdma_doorbell() */
	u16 avail = (smp_load_acquire(&aq->prod) - aq->cons) & aq->mask;
	unsigned int len, strides, i;
	u8 *to = (u8 *)wqe;
	int err;

	if (!avail)
		return 0;
	memset(wqe, 0, sizeof(*wqe));
	err = ernic_dma_read(rdma->edev, aq->base +
			     (u64)aq->cons * ION_ADMIN_STRIDE, to,
			     ION_ADMIN_STRIDE);
	if (err)
		return err;
	len = le16_to_cpu(wqe->len);
	strides = DIV_ROUND_UP(len + ION_ADMIN_HDR_LEN, ION_ADMIN_STRIDE);
	if (len > sizeof(wqe->cmd))
		return -EMSGSIZE;
	if (strides > avail)
		return -EBADMSG;
	for (i = 1; i < strides; i++) {
		unsigned int at = i * ION_ADMIN_STRIDE;
		u16 slot = (aq->cons + i) & aq->mask;

		err = ernic_dma_read(rdma->edev, aq->base +
				     (u64)slot * ION_ADMIN_STRIDE, to + at,
				     min_t(size_t, ION_ADMIN_STRIDE,
					   sizeof(*wqe) - at));
		if (err)
			return err;
	}
	/* what is behind the body is from an earlier command */
	if (len < sizeof(wqe->cmd))
		memset(wqe->cmd.body + len, 0, sizeof(wqe->cmd) - len);
	return strides;
}

static int ernic_aq_complete(struct ernic_rdma *rdma, u16 index, u8 op,
			     u8 status)
{
	struct ion_v1_cqe cqe = {
		.admin.cmd_idx = cpu_to_be16(index),
		.admin.cmd_op = op,
		.status_length = cpu_to_be32(status),
		.qid_type_flags = cpu_to_be32(rdma->aq.id << ION_CQE_QID_SHIFT |
				ION_CQE_TYPE_ADMIN << ION_CQE_TYPE_SHIFT |
				(status ? ION_CQE_ERROR : 0)),
	};

	return ernic_cq_post(rdma->aq.cq, &cqe, status, true);
}

static void ernic_aq_fail(struct ernic_rdma *rdma, int err)
{
	rdma->aq.error = true;
	ernic_warn(rdma->edev,
		   "rdma admin queue: command %u: error %d; stopped until it is set up again\n",
		   rdma->aq.cons, err);
}

/* one command; false if there is none, or none can run now */
static bool ernic_aq_one(struct ernic_rdma *rdma)
{
	struct ernic_aq *aq = &rdma->aq;
	struct ion_admin_wqe wqe;
	u16 index = aq->cons;
	int strides;
	u8 status;

	/* the ring of completions is smaller than that of commands */
	if (!aq->on || aq->error || !ernic_cq_reserve(aq->cq))
		return false;
	strides = ernic_aq_fetch(rdma, &wqe);
	if (strides <= 0) {
		ernic_cq_release(aq->cq);
		if (strides && strides != -EACCES)
			ernic_aq_fail(rdma, strides);
		return false;
	}
	status = ernic_aq_command(rdma, &wqe);
	trace_ernic_rdma_admin(rdma->edev, wqe.op, status);
	if (status)
		ernic_warn(rdma->edev, "rdma admin command %u refused: %u\n",
			   wqe.op, status);
	aq->cons = (index + strides) & aq->mask;
	if (ernic_aq_complete(rdma, index, wqe.op, status))
		ernic_aq_fail(rdma, -EFAULT);
	return true;
}

/**
 * ernic_aq_poll - worker of the admin queue
 * @w: worker
 */
bool ernic_aq_poll(struct ernic_worker *w)
{
	struct ernic_rdma *rdma = container_of(w, struct ernic_rdma, aq_worker);
	unsigned int budget = 16;
	bool again = true;

	mutex_lock(&rdma->aq_lock);
	ernic_eq_retry(rdma);
	while (again && budget--)
		again = ernic_aq_one(rdma);
	mutex_unlock(&rdma->aq_lock);
	return again;
}
