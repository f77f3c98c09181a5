// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RDMA half of the comparison; part of abi.c.  What the driver has no name for is
 * compared with what it computes (ionic_fw.h's structures and functions), or is ours.
 */
#define N(o, k)		V(ION_##o, IONIC_##k)

static void values_rdma_flags(void)
{
	VALUES("RDMA keys, regions and queue pairs");
	V(ION_KEY_INDEX_SHIFT, IONIC_MRID_INDEX_SHIFT);
	same("ION_KEY_BYTE_MASK", ION_KEY_BYTE_MASK, "ionic_mrid(0, ~0)",
	     ionic_mrid(0, 0xff));
	S(MRF_LOCAL_WRITE); S(MRF_REMOTE_WRITE); S(MRF_REMOTE_READ);
	S(MRF_REMOTE_ATOMIC); S(MRF_MW_BIND); S(MRF_ZERO_BASED);
	S(MRF_ON_DEMAND); S(MRF_PB); S(MRF_UKEY_EN); S(MRF_IS_MW);
	S(MRF_INV_EN);
	S(QPF_REMOTE_WRITE); S(QPF_REMOTE_READ); S(QPF_REMOTE_ATOMIC);
	S(QPF_SQ_PB); S(QPF_RQ_PB); S(QPF_SQ_SPEC); S(QPF_RQ_SPEC);
	S(QPF_REMOTE_PRIVILEGED); S(QPF_SQ_DRAINING); S(QPF_SQD_NOTIFY);
	S(QPF_SQ_CMB); S(QPF_RQ_CMB); S(QPF_PRIVILEGED);
	S(QPT_RC); S(QPT_UC); S(QPT_UD);
	S(QPS_RESET); S(QPS_INIT); S(QPS_RTR); S(QPS_RTS); S(QPS_SQD);
	S(QPS_SQE); S(QPS_ERR);
	end();

	VALUES("RDMA status");
	S(STS_OK); S(STS_LOCAL_LEN_ERR); S(STS_LOCAL_QP_OPER_ERR);
	S(STS_LOCAL_PROT_ERR); S(STS_WQE_FLUSHED_ERR);
	S(STS_MEM_MGMT_OPER_ERR); S(STS_BAD_RESP_ERR); S(STS_LOCAL_ACC_ERR);
	S(STS_REMOTE_INV_REQ_ERR); S(STS_REMOTE_ACC_ERR);
	S(STS_REMOTE_OPER_ERR); S(STS_RETRY_EXCEEDED);
	S(STS_RNR_RETRY_EXCEEDED); S(STS_XRC_VIO_ERR);
	S(STS_LOCAL_SGL_INV_ERR);
	end();
}

static void values_rdma_ops(void)
{
	VALUES("RDMA opcodes, version 1");
	S(V1_OP_SEND); S(V1_OP_SEND_INV); S(V1_OP_SEND_IMM);
	S(V1_OP_RDMA_READ); S(V1_OP_RDMA_WRITE); S(V1_OP_RDMA_WRITE_IMM);
	S(V1_OP_ATOMIC_CS); S(V1_OP_ATOMIC_FA); S(V1_OP_REG_MR);
	S(V1_OP_LOCAL_INV); S(V1_OP_BIND_MW);
	S(V1_FLAG_FENCE); S(V1_FLAG_SOL); S(V1_FLAG_INL); S(V1_FLAG_SIG);
	S(V1_FLAG_SPEC32); S(V1_FLAG_SPEC16);
	same("ION_RDMA_QP_OPCODES", ION_RDMA_QP_OPCODES, "one more",
	     IONIC_V1_OP_BIND_MW + 1);
	end();

	VALUES("RDMA opcodes, version 2");
	S(V2_OP_SEND); S(V2_OP_SEND_IMM); S(V2_OP_SEND_INV);
	S(V2_OP_RDMA_WRITE); S(V2_OP_RDMA_WRITE_IMM); S(V2_OP_RDMA_READ);
	S(V2_OP_ATOMIC_CS); S(V2_OP_ATOMIC_FA); S(V2_OP_REG_MR);
	S(V2_OP_LOCAL_INV); S(V2_OP_BIND_MW);
	end();

	VALUES("work requests");
	same("ION_WQE_PLD_OFF", ION_WQE_PLD_OFF, "offset",
	     offsetof(struct ionic_v1_wqe, common.pld));
	same("ION_WQE_SPEC32_SGE_OFF", ION_WQE_SPEC32_SGE_OFF, "offset",
	     offsetof(struct ionic_v1_wqe,
		      common.pld.sgl[IONIC_V1_SPEC_FIRST_SGE]));
	same("ION_WQE_MIN_LOG2", 1ul << ION_WQE_MIN_LOG2, "size",
	     sizeof(struct ionic_v1_wqe));
	/* the provider's, and limits */
	OWN(ION_V2_ATOMIC_LKEY_OFF); OWN(ION_V2_ATOMIC_VA_OFF);
	OWN(ION_WQE_MAX_LOG2); OWN(ION_WQE_MAX); OWN(ION_RDMA_MAX_SGE);
	OWN(ION_MAX_MSG);
	/* the architecture's */
	OWN(ION_QPN_GSI); OWN(ION_GSI_QKEY); OWN(ION_QKEY_PRIVILEGED);
	OWN(ION_GRH_LEN); OWN(ION_ROCE_UDP_DPORT);
	end();

	VALUES("RDMA completions and events");
	N(CQE_TYPE_ADMIN, V1_CQE_TYPE_ADMIN);
	N(CQE_TYPE_RECV, V1_CQE_TYPE_RECV);
	N(CQE_TYPE_SEND_MSN, V1_CQE_TYPE_SEND_MSN);
	N(CQE_TYPE_SEND_NPG, V1_CQE_TYPE_SEND_NPG);
	N(CQE_COLOR, V1_CQE_COLOR); N(CQE_ERROR, V1_CQE_ERROR);
	N(CQE_TYPE_SHIFT, V1_CQE_TYPE_SHIFT);
	N(CQE_QID_SHIFT, V1_CQE_QID_SHIFT);
	N(CQE_RECV_OP_SEND, V1_CQE_RECV_OP_SEND);
	N(CQE_RECV_OP_SEND_INV, V1_CQE_RECV_OP_SEND_INV);
	N(CQE_RECV_OP_SEND_IMM, V1_CQE_RECV_OP_SEND_IMM);
	N(CQE_RECV_OP_RDMA_IMM, V1_CQE_RECV_OP_RDMA_IMM);
	N(CQE_RECV_QPN_MASK, V1_CQE_RECV_QPN_MASK);
	N(CQE_RECV_OP_SHIFT, V1_CQE_RECV_OP_SHIFT);
	N(CQE_RECV_IS_VLAN, V1_CQE_RECV_IS_VLAN);
	V(ION_CQE_RECV_IS_IPV4, (u32)IONIC_V1_CQE_RECV_IS_IPV4);
	same("ION_CQE_LOG2", 1ul << ION_CQE_LOG2, "size",
	     sizeof(struct ionic_v1_cqe));
	same("ION_EQE_LOG2", 1ul << ION_EQE_LOG2, "size",
	     sizeof(struct ionic_v1_eqe));
	N(EQE_COLOR, V1_EQE_COLOR); N(EQE_TYPE_SHIFT, V1_EQE_TYPE_SHIFT);
	N(EQE_CODE_SHIFT, V1_EQE_CODE_SHIFT);
	N(EQE_QID_SHIFT, V1_EQE_QID_SHIFT);
	N(EQE_TYPE_CQ, V1_EQE_TYPE_CQ); N(EQE_TYPE_QP, V1_EQE_TYPE_QP);
	N(EQE_CQ_NOTIFY, V1_EQE_CQ_NOTIFY); N(EQE_CQ_ERR, V1_EQE_CQ_ERR);
	N(EQE_SQ_DRAIN, V1_EQE_SQ_DRAIN);
	N(EQE_QP_COMM_EST, V1_EQE_QP_COMM_EST);
	N(EQE_QP_LAST_WQE, V1_EQE_QP_LAST_WQE); N(EQE_QP_ERR, V1_EQE_QP_ERR);
	N(EQE_QP_ERR_REQUEST, V1_EQE_QP_ERR_REQUEST);
	N(EQE_QP_ERR_ACCESS, V1_EQE_QP_ERR_ACCESS);
	OWN(ION_CQ_RING_CONS);
	same("ION_CQ_RING_ARM", (u64)ION_CQ_RING_ARM << 16,
	     "IONIC_DBELL_RING_1", IONIC_DBELL_RING_1);
	same("ION_CQ_RING_SOL", (u64)ION_CQ_RING_SOL << 16,
	     "IONIC_DBELL_RING_2", IONIC_DBELL_RING_2);
	end();
}

static void values_rdma_admin(void)
{
	VALUES("RDMA admin commands");
	V(ION_ADMIN_STRIDE, ADMIN_WQE_STRIDE);
	OWN(ION_ADMIN_STRIDE_LOG2);
	V(ION_ADMIN_HDR_LEN, ADMIN_WQE_HDR_LEN);
	N(ADMIN_NOOP, V1_ADMIN_NOOP); N(ADMIN_CREATE_CQ, V1_ADMIN_CREATE_CQ);
	N(ADMIN_CREATE_QP, V1_ADMIN_CREATE_QP);
	N(ADMIN_CREATE_MR, V1_ADMIN_CREATE_MR);
	N(ADMIN_STATS_HDRS, V1_ADMIN_STATS_HDRS);
	N(ADMIN_STATS_VALS, V1_ADMIN_STATS_VALS);
	N(ADMIN_DESTROY_MR, V1_ADMIN_DESTROY_MR);
	N(ADMIN_DESTROY_CQ, V1_ADMIN_DESTROY_CQ);
	N(ADMIN_MODIFY_QP, V1_ADMIN_MODIFY_QP);
	N(ADMIN_QUERY_QP, V1_ADMIN_QUERY_QP);
	N(ADMIN_DESTROY_QP, V1_ADMIN_DESTROY_QP);
	N(ADMIN_DEBUG, V1_ADMIN_DEBUG); N(ADMIN_CREATE_AH, V1_ADMIN_CREATE_AH);
	N(ADMIN_QUERY_AH, V1_ADMIN_QUERY_AH);
	N(ADMIN_MODIFY_DCQCN, V1_ADMIN_MODIFY_DCQCN);
	N(ADMIN_DESTROY_AH, V1_ADMIN_DESTROY_AH);
	N(ADMIN_QP_STATS_HDRS, V1_ADMIN_QP_STATS_HDRS);
	N(ADMIN_QP_STATS_VALS, V1_ADMIN_QP_STATS_VALS);
	N(ADMIN_OPCODES_MAX, V1_ADMIN_OPCODES_MAX);
	N(ASTS_OK, V1_ASTS_OK); N(ASTS_BAD_CMD, V1_ASTS_BAD_CMD);
	N(ASTS_BAD_INDEX, V1_ASTS_BAD_INDEX);
	N(ASTS_BAD_STATE, V1_ASTS_BAD_STATE);
	N(ASTS_BAD_TYPE, V1_ASTS_BAD_TYPE);
	N(ASTS_BAD_ATTR, V1_ASTS_BAD_ATTR);
	N(ASTS_MSG_TOO_BIG, V1_ASTS_MSG_TOO_BIG);
	N(STAT_TYPE_SHIFT, V1_STAT_TYPE_SHIFT);
	N(STAT_TYPE_LE64, V1_STAT_TYPE_LE64);
	OWN(ION_STATS_PAGE);
	/* bits of enum ib_qp_attr_mask, abi.sh */
	OWN(ION_QP_STATE); OWN(ION_QP_EN_SQD_ASYNC_NOTIFY);
	OWN(ION_QP_ACCESS_FLAGS); OWN(ION_QP_PKEY_INDEX); OWN(ION_QP_PORT);
	OWN(ION_QP_QKEY); OWN(ION_QP_AV); OWN(ION_QP_PATH_MTU);
	OWN(ION_QP_TIMEOUT); OWN(ION_QP_RETRY_CNT); OWN(ION_QP_RNR_RETRY);
	OWN(ION_QP_RQ_PSN); OWN(ION_QP_MAX_QP_RD_ATOMIC);
	OWN(ION_QP_MIN_RNR_TIMER); OWN(ION_QP_SQ_PSN);
	OWN(ION_QP_MAX_DEST_RD_ATOMIC); OWN(ION_QP_DEST_QPN);
	OWN(ION_QP_RATE_LIMIT);
	/* of the identity */
	OWN(ION_RDMA_STATS_GLOBAL); OWN(ION_RDMA_STATS_QP);
	end();
}

static void rdma_queues(void)
{
	TYPE(struct ion_sge, struct ionic_sge)
	MM(va); MM(len); MM(lkey); WHOLE(); DONE()
	TYPE(struct ion_v1_wqe, struct ionic_v1_wqe)
	MM(base); MM(base.wqe_id); MM(base.op); MM(base.num_sge_key);
	MM(base.flags); MM(base.imm_data_key);
	MM(common); MM(common.send.ah_id); MM(common.send.dest_qpn);
	MM(common.send.dest_qkey); MM(common.rdma.remote_va_high);
	MM(common.rdma.remote_va_low); MM(common.rdma.remote_rkey);
	MM(common.length); MM(common.pld); MM(common.pld.sgl);
	MM(common.pld.spec32); MM(common.pld.data);
	MM(recv); MM(recv.pld); MM(recv.pld.sgl); MM(recv.pld.spec32);
	MM(atomic); MM(atomic.remote_va_high); MM(atomic.remote_va_low);
	MM(atomic.remote_rkey); MM(atomic.swap_add_high);
	MM(atomic.swap_add_low); MM(atomic.compare_high);
	MM(atomic.compare_low); MM(atomic.sge);
	MM(reg_mr); MM(reg_mr.va); MM(reg_mr.length); MM(reg_mr.offset);
	MM(reg_mr.dma_addr); MM(reg_mr.map_count); MM(reg_mr.flags);
	MM(reg_mr.dir_size_log2); MM(reg_mr.page_size_log2);
	MM(bind_mw); MM(bind_mw.va); MM(bind_mw.length); MM(bind_mw.lkey);
	MM(bind_mw.flags); WHOLE(); DONE()
	TYPE(struct ion_v1_cqe, struct ionic_v1_cqe)
	MM(admin); MM(admin.cmd_idx); MM(admin.cmd_op);
	MM(admin.old_sq_cindex); MM(admin.old_rq_cq_cindex);
	MM(recv); MM(recv.wqe_id); MM(recv.src_qpn_op); MM(recv.src_mac);
	MM(recv.vlan_tag); MM(recv.imm_data_rkey);
	MM(send); MM(send.msg_msn); MM(send.npg_wqe_id);
	MM(status_length); MM(qid_type_flags); WHOLE(); DONE()
	{
		typedef VIEW(ion_cmd, rdma_queue) ours;
		typedef struct ionic_rdma_queue_cmd theirs;

		begin("request rdma_queue", sizeof(ours));
		MM(opcode); R(rsvd); MM(lif_index); MM(qid_ver); MM(cid);
		MM(dbid); MM(depth_log2); MM(stride_log2); MM(dma_addr);
		end();
	}
	TYPE(struct ion_qtype_identity, struct ionic_lif_logical_qtype)
	MM(qtype); R(rsvd); MM(qid_count); MM(qid_base); WHOLE(); DONE()
}

#define ADMIN(view) { \
	typedef struct ion_admin_##view ours; \
	typedef struct ionic_admin_##view theirs; \
	STRUCT("admin command " #view)

static void rdma_admin(void)
{
	{
		typedef struct ion_admin_stats ours;
		typedef struct ionic_admin_stats_hdr theirs;

		STRUCT("admin command stats")
		MM(dma_addr); MM(length); MM(id_ver); MM(type_state); WHOLE();
		DONE()
	ADMIN(create_ah)
	MM(dma_addr); MM(length); MM(pd_id); MM(id_ver); MM(dbid_flags);
	MM(csum_profile); MM(crypto); WHOLE(); DONE()
	ADMIN(query_ah)
	MM(dma_addr); WHOLE(); DONE()
	TYPE(struct ion_admin_destroy, struct ionic_admin_destroy_ah)
	M(id, ah_id); WHOLE(); DONE()
	TYPE(struct ion_admin_destroy, struct ionic_admin_destroy_mr)
	M(id, mr_id); WHOLE(); DONE()
	TYPE(struct ion_admin_destroy, struct ionic_admin_destroy_cq)
	M(id, cq_id); WHOLE(); DONE()
	TYPE(struct ion_admin_destroy, struct ionic_admin_destroy_qp)
	M(id, qp_id); WHOLE(); DONE()
	ADMIN(create_mr)
	MM(va); MM(length); MM(pd_id); MM(id_ver); MM(tbl_index);
	MM(map_count); MM(dma_addr); MM(dbid_flags); MM(pt_type);
	MM(dir_size_log2); MM(page_size_log2); WHOLE(); DONE()
	ADMIN(create_cq)
	MM(eq_id); MM(depth_log2); MM(stride_log2); MM(dir_size_log2_rsvd);
	MM(page_size_log2); MM(cq_flags); MM(id_ver); MM(tbl_index);
	MM(map_count); MM(dma_addr); MM(dbid_flags); WHOLE(); DONE()
	ADMIN(create_qp)
	MM(pd_id); MM(priv_flags); MM(sq_cq_id); MM(sq_depth_log2);
	MM(sq_stride_log2); MM(sq_dir_size_log2_rsvd); MM(sq_page_size_log2);
	MM(sq_tbl_index_xrcd_id); MM(sq_map_count); MM(sq_dma_addr);
	MM(rq_cq_id); MM(rq_depth_log2); MM(rq_stride_log2);
	MM(rq_dir_size_log2_rsvd); MM(rq_page_size_log2);
	MM(rq_tbl_index_srq_id); MM(rq_map_count); MM(rq_dma_addr);
	MM(id_ver); MM(dbid_flags); MM(type_state); R(rsvd); WHOLE(); DONE()
	ADMIN(mod_qp)
	MM(attr_mask); MM(dcqcn_profile); MM(tfp_csum_profile);
	MM(access_flags); MM(rq_psn); MM(sq_psn); MM(qkey_dest_qpn);
	MM(rate_limit_kbps); MM(pmtu); MM(retry); MM(rnr_timer);
	MM(retry_timeout); MM(rsq_depth); MM(rrq_depth); MM(pkey_id);
	MM(ah_id_len); MM(en_pcp); MM(ip_dscp); R(rsvd2); MM(type_state);
	MM(rrq_index); MM(rsq_index); MM(dma_addr); MM(id_ver); WHOLE();
	DONE()
	ADMIN(query_qp)
	MM(hdr_dma_addr); MM(sq_dma_addr); MM(rq_dma_addr); MM(ah_id);
	MM(id_ver); MM(dbid_flags); WHOLE(); DONE()
	{
		typedef struct ion_admin_wqe ours;
		typedef struct ionic_v1_admin_wqe theirs;

		begin("admin command, header", ION_ADMIN_HDR_LEN);
		MM(op); R(rsvd); MM(len);
		same("body", offsetof(ours, cmd), "cmd", offsetof(theirs, cmd));
		end();
	}
	TYPE(struct ion_query_qp_sq, struct ionic_v1_admin_query_qp_sq)
	MM(rnr_timer); MM(retry_timeout); MM(access_perms_flags); R(rsvd);
	MM(pkey_id); MM(qkey_dest_qpn); MM(rate_limit_kbps); MM(rq_psn);
	WHOLE(); DONE()
	TYPE(struct ion_query_qp_rq, struct ionic_v1_admin_query_qp_rq)
	MM(state_pmtu); MM(retry_rnrtry); MM(rrq_depth); MM(rsq_depth);
	MM(sq_psn); MM(access_perms_flags); R(rsvd); WHOLE(); DONE()
	TYPE(struct ion_stat_hdr, struct ionic_v1_stat)
	M(type_off, be_type_off); MM(name); WHOLE(); DONE()
}
