// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the RDMA admin queue: those that the fuzzer's bytes make, and scripts that
 * come before them.
 */
#include "rdma.h"

static struct ion_admin_wqe script[16]; /* what comes before any that the bytes make */
static unsigned int script_next, script_end;

void rdma_script_reset(void)
{
	script_next = 0;
	script_end = 0;
}

/* number and rings of a queue pair, from 0 */
static void qp_at_home(struct ion_admin_create_qp *c, u32 id)
{
	c->sq_page_size_log2 = 12;
	c->rq_page_size_log2 = 12;
	c->sq_map_count = cpu_to_le32(1);
	c->rq_map_count = cpu_to_le32(1);
	c->sq_dma_addr = cpu_to_le64(SQ_BASE(id));
	c->rq_dma_addr = cpu_to_le64(RQ_BASE(id));
	c->id_ver = cpu_to_le32(1 + id);
}

/* a command; the ids are few, so that most hit something */
void rdma_command(struct ion_admin_wqe *w)
{
	static const u8 ops[] = {
		ION_ADMIN_CREATE_CQ,	 ION_ADMIN_CREATE_QP,	  ION_ADMIN_CREATE_MR,
		ION_ADMIN_MODIFY_QP,	 ION_ADMIN_MODIFY_QP,	  ION_ADMIN_MODIFY_QP,
		ION_ADMIN_CREATE_MR,	 ION_ADMIN_CREATE_AH,	  ION_ADMIN_DESTROY_MR,
		ION_ADMIN_DESTROY_CQ,	 ION_ADMIN_DESTROY_QP,	  ION_ADMIN_DESTROY_AH,
		ION_ADMIN_QUERY_QP,	 ION_ADMIN_STATS_HDRS,	  ION_ADMIN_STATS_VALS,
		ION_ADMIN_QP_STATS_HDRS, ION_ADMIN_QP_STATS_VALS, ION_ADMIN_NOOP,
		ION_ADMIN_CREATE_QP,	 ION_ADMIN_MODIFY_QP,
	};
	u8 id, how;
	u32 count;

	if (script_next < script_end) {
		*w = script[script_next++];
		return;
	}
	id = in8() & 3;
	how = in8();
	count = how & 1 ? 1 : in8() & 7;
	memset(w, 0, sizeof(*w));
	w->op = ops[in8() % sizeof(ops)];
	w->len = cpu_to_le16(64);
	switch (w->op) {
	case ION_ADMIN_CREATE_CQ:
		w->cmd.create_cq.eq_id = cpu_to_le32(in8() & 3);
		w->cmd.create_cq.depth_log2 = 2 + (how >> 1 & 3);
		w->cmd.create_cq.stride_log2 = ION_CQE_LOG2;
		w->cmd.create_cq.page_size_log2 = 12;
		w->cmd.create_cq.id_ver = cpu_to_le32(1 + id);
		w->cmd.create_cq.dbid_flags = cpu_to_le16(how & 0x20 ? in8() & 3 : 0);
		w->cmd.create_cq.map_count = cpu_to_le32(count);
		w->cmd.create_cq.dma_addr = cpu_to_le64(count == 1 ? CQ_BASE(id) : TABLES);
		break;
	case ION_ADMIN_CREATE_QP: {
		static const u8 types[] = { ION_QPT_RC, ION_QPT_RC, ION_QPT_UD, ION_QPT_UC };
		struct ion_admin_create_qp *c = &w->cmd.create_qp;

		c->priv_flags =
			cpu_to_be32(how & 2 ? ION_QPF_PRIVILEGED | ION_QPF_REMOTE_PRIVILEGED : 0);
		c->sq_cq_id = cpu_to_le32(1 + (in8() & 3));
		c->rq_cq_id = cpu_to_le32(1 + (in8() & 3));
		c->sq_depth_log2 = 2 + (how >> 2 & 3);
		c->rq_depth_log2 = 2 + (how >> 4 & 3);
		c->sq_stride_log2 = how & 0x80 ? 8 : 6;
		c->rq_stride_log2 = how & 0x40 ? 8 : 6;
		qp_at_home(c, id);
		c->type_state = types[in8() & 3];
		c->dbid_flags = cpu_to_le16(in_one_of(4) ? in8() & 3 : 0);
		break;
	}
	case ION_ADMIN_CREATE_MR: {
		u32 key = in_key();
		struct ion_admin_create_mr *c = &w->cmd.create_mr;

		c->va = cpu_to_le64(in_va(key));
		c->length = cpu_to_le64(how & 0x80 ? in_len() : 0x2000);
		c->id_ver = cpu_to_le32(key);
		c->map_count = cpu_to_le32(count);
		c->dma_addr = cpu_to_le64(count == 1 ? in_addr() : TABLES);
		c->dbid_flags = cpu_to_le16(count ? in8() | 0xf :
						    ION_MRF_UKEY_EN | ION_MRF_INV_EN | 0xf |
							    (how & 2 ? ION_MRF_IS_MW : 0));
		c->page_size_log2 = 12;
		break;
	}
	case ION_ADMIN_MODIFY_QP: {
		struct ion_admin_mod_qp *m = &w->cmd.mod_qp;

		m->attr_mask = cpu_to_be32(how & 0x80 ? in32() | 1 : 0x13ffff);
		m->access_flags = cpu_to_be16(how & 2 ? 0x7 | ION_QPF_PRIVILEGED |
							ION_QPF_REMOTE_PRIVILEGED : 0x7);
		m->qkey_dest_qpn = cpu_to_le32(1 + (in8() & 3));
		m->pmtu = 8 + in8() % 5;
		m->retry = in8();
		m->rnr_timer = in8() & 31;
		m->retry_timeout = in8() & 31;
		m->rsq_depth = in8() & 7;
		m->rrq_depth = in8() & 7;
		m->ah_id_len = cpu_to_le32(42u << 24 | id);
		m->type_state = how & 0x40 ? in8() & 7 : 1 + (how >> 2 & 3) % 3;
		m->dma_addr = cpu_to_le64(TEMPLATES);
		m->id_ver = cpu_to_le32(1 + id);
		break;
	}
	case ION_ADMIN_CREATE_AH:
		w->cmd.create_ah.dma_addr = cpu_to_le64(TEMPLATES);
		w->cmd.create_ah.length = cpu_to_le32(how & 0xc0 ? 42 : in8());
		w->cmd.create_ah.id_ver = cpu_to_le32(id);
		break;
	case ION_ADMIN_QUERY_QP:
		w->cmd.query_qp.sq_dma_addr = cpu_to_le64(in_addr());
		w->cmd.query_qp.rq_dma_addr = cpu_to_le64(in_addr());
		w->cmd.query_qp.id_ver = cpu_to_le32(1 + id);
		break;
	case ION_ADMIN_STATS_HDRS:
	case ION_ADMIN_STATS_VALS:
	case ION_ADMIN_QP_STATS_HDRS:
	case ION_ADMIN_QP_STATS_VALS:
		w->cmd.stats.dma_addr = cpu_to_le64(in_addr());
		w->cmd.stats.length = cpu_to_le32(how & 0xe0 ? 4096 : in16());
		w->cmd.stats.id_ver = cpu_to_le32(1 + id);
		break;
	case ION_ADMIN_DESTROY_MR:
		w->cmd.destroy.id = cpu_to_le32(in_key());
		break;
	case ION_ADMIN_DESTROY_AH:
		w->cmd.destroy.id = cpu_to_le32(id);
		break;
	default:
		w->cmd.destroy.id = cpu_to_le32(1 + id);
	}
	if (in_one_of(8))
		w->cmd.body[in8() & 63] = in8();
	if (in_one_of(32))
		w->len = cpu_to_le16(in8());
}

static void queue_command(union ion_cmd *cmd, u8 op, u32 qid, u32 cid, u8 depth, u8 stride,
			  u64 addr)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->rdma_queue.opcode = op;
	cmd->rdma_queue.qid_ver = cpu_to_le32(qid);
	cmd->rdma_queue.cid = cpu_to_le32(cid);
	cmd->rdma_queue.depth_log2 = depth;
	cmd->rdma_queue.stride_log2 = stride;
	cmd->rdma_queue.dma_addr = cpu_to_le64(addr);
	if (in_one_of(32))
		cmd->bytes[in8() & 31] = in8();
	/* mostly where commands are made */
	if (op == ION_CMD_RDMA_CREATE_ADMINQ && !in_one_of(64))
		cmd->rdma_queue.dma_addr = cpu_to_le64(addr);
}

void op_rdma_bring_up(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd))
{
	union ion_cmd cmd;
	unsigned int i;

	memset(&cmd, 0, sizeof(cmd));
	cmd.opcode = ION_CMD_RDMA_RESET_LIF;
	devcmd(&cmd);
	for (i = 0; i < RDMA_EQS; i++) {
		queue_command(&cmd, ION_CMD_RDMA_CREATE_EQ, i, i & 1, 4 + (in8() & 7), ION_EQE_LOG2,
			      EQ_BASE(i));
		devcmd(&cmd);
	}
	queue_command(&cmd, ION_CMD_RDMA_CREATE_CQ, 0, 0, 3 + (in8() & 3), ION_CQE_LOG2, ACQ_BASE);
	devcmd(&cmd);
	queue_command(&cmd, ION_CMD_RDMA_CREATE_ADMINQ, 0, 0, 4 + (in8() & 3),
		      ION_ADMIN_STRIDE_LOG2, AQ_BASE);
	devcmd(&cmd);
}

static struct ion_admin_wqe *script_add(u8 op)
{
	struct ion_admin_wqe *w = &script[script_end++];

	NEVER(script_end > ARRAY_SIZE(script));
	memset(w, 0, sizeof(*w));
	w->op = op;
	w->len = cpu_to_le16(64);
	return w;
}

static void script_qp(struct ernic_dev *dev, u32 id, u8 how)
{
	struct ion_admin_create_qp *c = &script_add(ION_ADMIN_CREATE_QP)->cmd.create_qp;
	u8 state;

	c->sq_cq_id = cpu_to_le32(1 + (how & 1));
	c->rq_cq_id = cpu_to_le32(1 + (how >> 1 & 1));
	c->sq_depth_log2 = 3;
	c->rq_depth_log2 = 3;
	c->sq_stride_log2 = 6;
	c->rq_stride_log2 = 6;
	qp_at_home(c, id);
	if (ernic_cmb_offered(dev) && how & 0x10) {
		c->priv_flags = cpu_to_be32(ION_QPF_SQ_CMB);
		c->sq_stride_log2 = 7;
		c->sq_dma_addr = cpu_to_le64((u64)id << 12);
	}
	c->type_state = how & 4 ? ION_QPT_UC : ION_QPT_RC;
	for (state = ION_QPS_INIT; state <= ION_QPS_RTS; state++) {
		struct ion_admin_mod_qp *m = &script_add(ION_ADMIN_MODIFY_QP)->cmd.mod_qp;

		m->attr_mask = cpu_to_be32(0x13ffff);
		m->access_flags = cpu_to_be16(0x7);
		m->qkey_dest_qpn = cpu_to_le32(1 + (3 - id));
		m->pmtu = 10;
		m->retry = 0x77;
		m->rsq_depth = 4;
		m->rrq_depth = 4;
		m->ah_id_len = cpu_to_le32(42u << 24 | id);
		m->type_state = state;
		m->dma_addr = cpu_to_le64(TEMPLATES);
		m->id_ver = cpu_to_le32(1 + id);
	}
}

/* Two queue pairs that are connected with each other, from nothing, as bytes seldom make. */
void op_rdma_pair(struct ernic_dev *dev, void (*devcmd)(const union ion_cmd *cmd),
		  void (*run)(void))
{
	u8 how = in8();
	struct ernic_rcq *acq;
	unsigned int i;

	op_rdma_bring_up(dev, devcmd);
	if (!dev->rdma)
		return;
	rdma_script_reset();
	for (i = 0; i < 2; i++) {
		struct ion_admin_create_cq *c = &script_add(ION_ADMIN_CREATE_CQ)->cmd.create_cq;

		c->eq_id = cpu_to_le32(i);
		c->depth_log2 = 3 + (how >> 5 & 1);
		c->stride_log2 = ION_CQE_LOG2;
		c->page_size_log2 = 12;
		c->id_ver = cpu_to_le32(1 + i);
		c->map_count = cpu_to_le32(1);
		c->dma_addr = cpu_to_le64(CQ_BASE(i));
	}
	for (i = 1; i < 3; i++) {
		struct ion_admin_create_mr *c = &script_add(ION_ADMIN_CREATE_MR)->cmd.create_mr;
		u32 key = i << ION_KEY_INDEX_SHIFT;

		c->va = cpu_to_le64(rdma_mr_va(key));
		c->length = cpu_to_le64(0x2000);
		c->id_ver = cpu_to_le32(key);
		c->map_count = cpu_to_le32(how & 8 ? 1 : 2);
		c->dma_addr = cpu_to_le64(how & 8 ? 0x100000 + i * 0x10000 : TABLES);
		c->dbid_flags = cpu_to_le16(0xf);
		c->page_size_log2 = 12;
	}
	/* the first one is for the CM, number 1 */
	for (i = 1; i < 3; i++)
		script_qp(dev, i, how);
	for (i = 0; i < ARRAY_SIZE(script) && script_next < script_end; i++) {
		/* of two strides each */
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_AQ * 8, 8,
				(dev->rdma->aq.cons + 2) & dev->rdma->aq.mask);
		run();
		acq = xa_load(&dev->rdma->cqs, 0);
		if (acq)
			ernic_bar_write(dev, 2, ERNIC_DB_SLOT_CQ * 8, 8,
					acq->prod & acq->ring.mask);
	}
	script_end = 0;
	for (i = 2; i < 4; i++)
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_RQ * 8, 8, (u64)i << 24 | 4 | (in8() & 3));
	for (i = 2; i < 4; i++)
		ernic_bar_write(dev, 2, ERNIC_DB_SLOT_SQ * 8, 8, (u64)i << 24 | (in8() & 7));
}
