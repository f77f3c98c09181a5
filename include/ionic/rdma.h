/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDMA queues of the ionic device: work requests, completions, events, keys.
 *
 * Source: drivers/infiniband/hw/ionic/ionic_fw.h; the layouts of a work request
 * follow ionic_datapath.c.  Big endian but for wqe_id, which is opaque.
 */
#ifndef IONIC_RDMA_H
#define IONIC_RDMA_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

/* a key is an index and eight bits that the user of the key may change */
#define ION_KEY_INDEX_SHIFT		8
#define ION_KEY_BYTE_MASK		0xff

/* memory regions and windows: what may be done, and what it is */
#define ION_MRF_LOCAL_WRITE		BIT(0)
#define ION_MRF_REMOTE_WRITE		BIT(1)
#define ION_MRF_REMOTE_READ		BIT(2)
#define ION_MRF_REMOTE_ATOMIC		BIT(3)
#define ION_MRF_MW_BIND			BIT(4)
#define ION_MRF_ZERO_BASED		BIT(5)
#define ION_MRF_ON_DEMAND		BIT(6)
#define ION_MRF_PB			BIT(7)
#define ION_MRF_UKEY_EN			BIT(13)
#define ION_MRF_IS_MW			BIT(14)
#define ION_MRF_INV_EN			BIT(15)

/* queue pairs */
#define ION_QPF_REMOTE_WRITE		BIT(0)
#define ION_QPF_REMOTE_READ		BIT(1)
#define ION_QPF_REMOTE_ATOMIC		BIT(2)
#define ION_QPF_SQ_PB			BIT(6)
#define ION_QPF_RQ_PB			BIT(7)
#define ION_QPF_SQ_SPEC			BIT(8)
#define ION_QPF_RQ_SPEC			BIT(9)
#define ION_QPF_REMOTE_PRIVILEGED	BIT(10)
#define ION_QPF_SQ_DRAINING		BIT(11)
#define ION_QPF_SQD_NOTIFY		BIT(12)
#define ION_QPF_SQ_CMB			BIT(13)
#define ION_QPF_RQ_CMB			BIT(14)
#define ION_QPF_PRIVILEGED		BIT(15)

enum ion_rdma_qp_type {
	ION_QPT_RC			= 0,
	ION_QPT_UC			= 1,
	ION_QPT_UD			= 3,
};

enum ion_rdma_qp_state {
	ION_QPS_RESET			= 0,
	ION_QPS_INIT			= 1,
	ION_QPS_RTR			= 2,
	ION_QPS_RTS			= 3,
	ION_QPS_SQD			= 4,
	ION_QPS_SQE			= 5,
	ION_QPS_ERR			= 6,
};

/* status_length of a completion with the error bit */
enum ion_rdma_status {
	ION_STS_OK			= 0,
	ION_STS_LOCAL_LEN_ERR		= 1,
	ION_STS_LOCAL_QP_OPER_ERR	= 2,
	ION_STS_LOCAL_PROT_ERR		= 3,
	ION_STS_WQE_FLUSHED_ERR		= 4,
	ION_STS_MEM_MGMT_OPER_ERR	= 5,
	ION_STS_BAD_RESP_ERR		= 6,
	ION_STS_LOCAL_ACC_ERR		= 7,
	ION_STS_REMOTE_INV_REQ_ERR	= 8,
	ION_STS_REMOTE_ACC_ERR		= 9,
	ION_STS_REMOTE_OPER_ERR		= 10,
	ION_STS_RETRY_EXCEEDED		= 11,
	ION_STS_RNR_RETRY_EXCEEDED	= 12,
	ION_STS_XRC_VIO_ERR		= 13,
	ION_STS_LOCAL_SGL_INV_ERR	= 14,
};

/* opcodes of send queues, by the RDMA version of the LIF */
enum ion_v1_op {
	ION_V1_OP_SEND			= 0,
	ION_V1_OP_SEND_INV		= 1,
	ION_V1_OP_SEND_IMM		= 2,
	ION_V1_OP_RDMA_READ		= 3,
	ION_V1_OP_RDMA_WRITE		= 4,
	ION_V1_OP_RDMA_WRITE_IMM	= 5,
	ION_V1_OP_ATOMIC_CS		= 6,
	ION_V1_OP_ATOMIC_FA		= 7,
	ION_V1_OP_REG_MR		= 8,
	ION_V1_OP_LOCAL_INV		= 9,
	ION_V1_OP_BIND_MW		= 10,
};

enum ion_v2_op {
	ION_V2_OP_SEND			= 0x20,
	ION_V2_OP_SEND_IMM		= 0x60,
	ION_V2_OP_SEND_INV		= 0xa0,
	ION_V2_OP_RDMA_WRITE		= 0x21,
	ION_V2_OP_RDMA_WRITE_IMM	= 0x61,
	ION_V2_OP_RDMA_READ		= 0x02,
	ION_V2_OP_ATOMIC_CS		= 0x04,
	ION_V2_OP_ATOMIC_FA		= 0x05,
	ION_V2_OP_REG_MR		= 0x06,
	ION_V2_OP_LOCAL_INV		= 0x07,
	ION_V2_OP_BIND_MW		= 0x08,
};

/* opcodes that the provider wants to be told of (struct ion_lif_identity) */
#define ION_RDMA_QP_OPCODES		11

#define ION_V1_FLAG_FENCE		BIT(0)
#define ION_V1_FLAG_SOL			BIT(1)
#define ION_V1_FLAG_INL			BIT(2)
#define ION_V1_FLAG_SIG			BIT(3)
#define ION_V1_FLAG_SPEC32		BIT(12)
#define ION_V1_FLAG_SPEC16		BIT(13)

/**
 * struct ion_sge - a piece of memory in a work request
 * @len: bytes; the kernel's driver has 2^31 for a length of zero
 */
struct ion_sge {
	__be64 va;
	__be32 len;
	__be32 lkey;
};
static_assert(sizeof(struct ion_sge) == 16);

#define ION_WQE_MIN_LOG2		6	/* 64 bytes */
#define ION_WQE_MAX_LOG2		9	/* 512 bytes */
#define ION_WQE_MAX			BIT(ION_WQE_MAX_LOG2)
#define ION_WQE_PLD_OFF			32	/* elements or inline data */
#define ION_WQE_SPEC32_SGE_OFF		64	/* elements behind eight lengths */
#define ION_RDMA_MAX_SGE		8

/**
 * struct ion_v1_wqe - a work request, 64 bytes at least
 * @wqe_id: opaque; comes back in a completion
 * @num_sge_key: elements, or the new key byte of REG_MR and BIND_MW
 * @imm_data_key: immediate data, a key, or the length of a receive
 * @sgl: behind the header; the last member of the 64 bytes that all have
 */
struct ion_v1_wqe {
	struct {
		__u64 wqe_id;
		__u8 op;
		__u8 num_sge_key;
		__be16 flags;
		__be32 imm_data_key;
	} base;
	union {
		struct {
			union {
				struct {
					__be32 ah_id;
					__be32 dest_qpn;
					__be32 dest_qkey;
				} send;
				struct {
					__be32 remote_va_high;
					__be32 remote_va_low;
					__be32 remote_rkey;
				} rdma;
			};
			__be32 length;
			union {
				struct ion_sge sgl[2];
				__be32 spec32[8];
				__u8 data[32];
			} pld;
		} common;
		struct {
			__u8 rsvd[16];
			union {
				struct ion_sge sgl[2];
				__be32 spec32[8];
			} pld;
		} recv;
		struct {
			__be32 remote_va_high;
			__be32 remote_va_low;
			__be32 remote_rkey;
			__be32 swap_add_high;
			__be32 swap_add_low;
			__be32 compare_high;
			__be32 compare_low;
			__u8 rsvd[4];
			struct ion_sge sge;
		} atomic;
		struct {
			__be64 va;
			__be64 length;
			__be64 offset;
			__be64 dma_addr;
			__be32 map_count;
			__be16 flags;
			__u8 dir_size_log2;
			__u8 page_size_log2;
			__u8 rsvd[8];
		} reg_mr;
		struct {
			__be64 va;
			__be64 length;
			__be32 lkey;
			__be16 flags;
			__u8 rsvd[26];
		} bind_mw;
	};
};
static_assert(sizeof(struct ion_v1_wqe) == 64);
static_assert(offsetof(struct ion_v1_wqe, common.pld) == ION_WQE_PLD_OFF);

/* atomics of user space in version 2: no length, the element is shorter */
#define ION_V2_ATOMIC_LKEY_OFF		44
#define ION_V2_ATOMIC_VA_OFF		48

enum ion_cqe_type {
	ION_CQE_TYPE_ADMIN		= 0,
	ION_CQE_TYPE_RECV		= 1,
	ION_CQE_TYPE_SEND_MSN		= 2,
	ION_CQE_TYPE_SEND_NPG		= 3,
};

#define ION_CQE_COLOR			BIT(0)
#define ION_CQE_ERROR			BIT(1)
#define ION_CQE_TYPE_SHIFT		5
#define ION_CQE_QID_SHIFT		8

enum ion_cqe_recv_op {
	ION_CQE_RECV_OP_SEND		= 0,
	ION_CQE_RECV_OP_SEND_INV	= 1,
	ION_CQE_RECV_OP_SEND_IMM	= 2,
	ION_CQE_RECV_OP_RDMA_IMM	= 3,
};

#define ION_CQE_RECV_QPN_MASK		0xffffff
#define ION_CQE_RECV_OP_SHIFT		24
#define ION_CQE_RECV_IS_VLAN		BIT(30)
#define ION_CQE_RECV_IS_IPV4		BIT(31)

/**
 * struct ion_v1_cqe - a completion, 32 bytes
 *
 * The last four bytes carry the colour and are stored last.
 */
struct ion_v1_cqe {
	union {
		struct {
			__be16 cmd_idx;
			__u8 cmd_op;
			__u8 rsvd[17];
			__le16 old_sq_cindex;
			__le16 old_rq_cq_cindex;
		} admin;
		struct {
			__u64 wqe_id;
			__be32 src_qpn_op;
			__u8 src_mac[6];
			__be16 vlan_tag;
			__be32 imm_data_rkey;
		} recv;
		struct {
			__u8 rsvd[4];
			__be32 msg_msn;
			__u8 rsvd2[8];
			__u64 npg_wqe_id;
		} send;
		__u64 qwords[3];
	};
	union {
		struct {
			__be32 status_length;
			__be32 qid_type_flags;
		};
		__le64 tail;
	};
};
static_assert(sizeof(struct ion_v1_cqe) == 32);
#define ION_CQE_LOG2			5

/* an event is one big endian word */
#define ION_EQE_LOG2			2
#define ION_EQE_COLOR			BIT(0)
#define ION_EQE_TYPE_SHIFT		1
#define ION_EQE_CODE_SHIFT		4
#define ION_EQE_QID_SHIFT		8

enum ion_eqe_type {
	ION_EQE_TYPE_CQ			= 0,
	ION_EQE_TYPE_QP			= 1,
};

enum ion_eqe_code {
	ION_EQE_CQ_NOTIFY		= 0,
	ION_EQE_CQ_ERR			= 8,
	ION_EQE_SQ_DRAIN		= 1,
	ION_EQE_QP_COMM_EST		= 2,
	ION_EQE_QP_LAST_WQE		= 3,
	ION_EQE_QP_ERR			= 8,
	ION_EQE_QP_ERR_REQUEST		= 9,
	ION_EQE_QP_ERR_ACCESS		= 10,
};

/* meaning of a doorbell's ring number for a completion queue */
#define ION_CQ_RING_CONS		0
#define ION_CQ_RING_ARM			1
#define ION_CQ_RING_SOL			2

/* the general services QP, and the user datagram header that comes first */
#define ION_QPN_GSI			1
#define ION_GSI_QKEY			0x80010000
#define ION_QKEY_PRIVILEGED		BIT(31)
#define ION_GRH_LEN			40
#define ION_ROCE_UDP_DPORT		4791
#define ION_MAX_MSG			0x80000000u

#endif
