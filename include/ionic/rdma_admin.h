/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the ionic device's RDMA admin queue.
 *
 * Source: drivers/infiniband/hw/ionic/ionic_fw.h and ionic_controlpath.c.
 * Little endian unless a type says otherwise.
 */
#ifndef IONIC_RDMA_ADMIN_H
#define IONIC_RDMA_ADMIN_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define ION_ADMIN_STRIDE_LOG2		6
#define ION_ADMIN_STRIDE		BIT(ION_ADMIN_STRIDE_LOG2)
#define ION_ADMIN_HDR_LEN		4

enum ion_admin_op {
	ION_ADMIN_NOOP			= 0,
	ION_ADMIN_CREATE_CQ		= 1,
	ION_ADMIN_CREATE_QP		= 2,
	ION_ADMIN_CREATE_MR		= 3,
	ION_ADMIN_STATS_HDRS		= 4,
	ION_ADMIN_STATS_VALS		= 5,
	ION_ADMIN_DESTROY_MR		= 6,
	ION_ADMIN_DESTROY_CQ		= 8,
	ION_ADMIN_MODIFY_QP		= 9,
	ION_ADMIN_QUERY_QP		= 10,
	ION_ADMIN_DESTROY_QP		= 11,
	ION_ADMIN_DEBUG			= 12,
	ION_ADMIN_CREATE_AH		= 13,
	ION_ADMIN_QUERY_AH		= 14,
	ION_ADMIN_MODIFY_DCQCN		= 15,
	ION_ADMIN_DESTROY_AH		= 16,
	ION_ADMIN_QP_STATS_HDRS		= 17,
	ION_ADMIN_QP_STATS_VALS		= 18,
	ION_ADMIN_OPCODES_MAX		= 19,
};

enum ion_admin_status {
	ION_ASTS_OK			= 0,
	ION_ASTS_BAD_CMD		= 1,
	ION_ASTS_BAD_INDEX		= 2,
	ION_ASTS_BAD_STATE		= 3,
	ION_ASTS_BAD_TYPE		= 4,
	ION_ASTS_BAD_ATTR		= 5,
	ION_ASTS_MSG_TOO_BIG		= 6,
};

/* bits of MODIFY_QP's attr_mask: the verbs' own (enum ib_qp_attr_mask) */
#define ION_QP_STATE			BIT(0)
#define ION_QP_EN_SQD_ASYNC_NOTIFY	BIT(2)
#define ION_QP_ACCESS_FLAGS		BIT(3)
#define ION_QP_PKEY_INDEX		BIT(4)
#define ION_QP_PORT			BIT(5)
#define ION_QP_QKEY			BIT(6)
#define ION_QP_AV			BIT(7)
#define ION_QP_PATH_MTU			BIT(8)
#define ION_QP_TIMEOUT			BIT(9)
#define ION_QP_RETRY_CNT		BIT(10)
#define ION_QP_RNR_RETRY		BIT(11)
#define ION_QP_RQ_PSN			BIT(12)
#define ION_QP_MAX_QP_RD_ATOMIC		BIT(13)
#define ION_QP_MIN_RNR_TIMER		BIT(15)
#define ION_QP_SQ_PSN			BIT(16)
#define ION_QP_MAX_DEST_RD_ATOMIC	BIT(17)
#define ION_QP_DEST_QPN			BIT(20)
#define ION_QP_RATE_LIMIT		BIT(25)

struct ion_admin_stats {
	__le64 dma_addr;
	__le32 length;
	__le32 id_ver;
	__u8 type_state;
} __packed;
static_assert(sizeof(struct ion_admin_stats) == 17);

struct ion_admin_create_ah {
	__le64 dma_addr;
	__le32 length;
	__le32 pd_id;
	__le32 id_ver;
	__le16 dbid_flags;
	__u8 csum_profile;
	__u8 crypto;
} __packed;
static_assert(sizeof(struct ion_admin_create_ah) == 24);

struct ion_admin_query_ah {
	__le64 dma_addr;
} __packed;
static_assert(sizeof(struct ion_admin_query_ah) == 8);

/* the one field of DESTROY_AH, DESTROY_MR, DESTROY_CQ and DESTROY_QP */
struct ion_admin_destroy {
	__le32 id;
} __packed;
static_assert(sizeof(struct ion_admin_destroy) == 4);

struct ion_admin_create_mr {
	__le64 va;
	__le64 length;
	__le32 pd_id;
	__le32 id_ver;
	__le32 tbl_index;
	__le32 map_count;
	__le64 dma_addr;
	__le16 dbid_flags;
	__u8 pt_type;
	__u8 dir_size_log2;
	__u8 page_size_log2;
} __packed;
static_assert(sizeof(struct ion_admin_create_mr) == 45);

struct ion_admin_create_cq {
	__le32 eq_id;
	__u8 depth_log2;
	__u8 stride_log2;
	__u8 dir_size_log2_rsvd;
	__u8 page_size_log2;
	__le32 cq_flags;
	__le32 id_ver;
	__le32 tbl_index;
	__le32 map_count;
	__le64 dma_addr;
	__le16 dbid_flags;
} __packed;
static_assert(sizeof(struct ion_admin_create_cq) == 34);

struct ion_admin_create_qp {
	__le32 pd_id;
	__be32 priv_flags;
	__le32 sq_cq_id;
	__u8 sq_depth_log2;
	__u8 sq_stride_log2;
	__u8 sq_dir_size_log2_rsvd;
	__u8 sq_page_size_log2;
	__le32 sq_tbl_index_xrcd_id;
	__le32 sq_map_count;
	__le64 sq_dma_addr;
	__le32 rq_cq_id;
	__u8 rq_depth_log2;
	__u8 rq_stride_log2;
	__u8 rq_dir_size_log2_rsvd;
	__u8 rq_page_size_log2;
	__le32 rq_tbl_index_srq_id;
	__le32 rq_map_count;
	__le64 rq_dma_addr;
	__le32 id_ver;
	__le16 dbid_flags;
	__u8 type_state;
	__u8 rsvd;
} __packed;
static_assert(sizeof(struct ion_admin_create_qp) == 64);

/**
 * struct ion_admin_mod_qp - MODIFY_QP
 * @attr_mask: ION_QP_*; a field without its bit means nothing
 * @qkey_dest_qpn: Q_Key of a datagram QP, else the peer's QPN
 * @pmtu: log2 of the path MTU in bytes
 * @retry: retry count, and the one after RNR in the high nibble
 * @rsq_depth: log2, READs and atomics that the peer may have outstanding
 * @rrq_depth: log2, READs and atomics of our own
 * @ah_id_len: AH in bits 23:0, length of the template in 31:24
 * @type_state: next state in the low nibble
 * @dma_addr: template
 */
struct ion_admin_mod_qp {
	__be32 attr_mask;
	__u8 dcqcn_profile;
	__u8 tfp_csum_profile;
	__be16 access_flags;
	__le32 rq_psn;
	__le32 sq_psn;
	__le32 qkey_dest_qpn;
	__le32 rate_limit_kbps;
	__u8 pmtu;
	__u8 retry;
	__u8 rnr_timer;
	__u8 retry_timeout;
	__u8 rsq_depth;
	__u8 rrq_depth;
	__le16 pkey_id;
	__le32 ah_id_len;
	__u8 en_pcp;
	__u8 ip_dscp;
	__u8 rsvd2;
	__u8 type_state;
	__le32 rrq_index;
	__le32 rsq_index;
	__le64 dma_addr;
	__le32 id_ver;
} __packed;
static_assert(sizeof(struct ion_admin_mod_qp) == 60);

struct ion_admin_query_qp {
	__le64 hdr_dma_addr;
	__le64 sq_dma_addr;
	__le64 rq_dma_addr;
	__le32 ah_id;
	__le32 id_ver;
	__le16 dbid_flags;
} __packed;
static_assert(sizeof(struct ion_admin_query_qp) == 34);

/**
 * struct ion_admin_wqe - a command; longer ones go on in the next strides
 * @len: bytes of the body that mean something
 */
struct ion_admin_wqe {
	__u8 op;
	__u8 rsvd;
	__le16 len;
	union {
		struct ion_admin_stats stats;
		struct ion_admin_create_ah create_ah;
		struct ion_admin_query_ah query_ah;
		struct ion_admin_destroy destroy;
		struct ion_admin_create_mr create_mr;
		struct ion_admin_create_cq create_cq;
		struct ion_admin_create_qp create_qp;
		struct ion_admin_mod_qp mod_qp;
		struct ion_admin_query_qp query_qp;
		__u8 body[64];
	} cmd;
} __packed;
static_assert(sizeof(struct ion_admin_wqe) == ION_ADMIN_HDR_LEN + 64);

/* what QUERY_QP writes */
struct ion_query_qp_sq {
	__u8 rnr_timer;
	__u8 retry_timeout;
	__be16 access_perms_flags;
	__be16 rsvd;
	__be16 pkey_id;
	__be32 qkey_dest_qpn;
	__be32 rate_limit_kbps;
	__be32 rq_psn;
};
static_assert(sizeof(struct ion_query_qp_sq) == 20);

struct ion_query_qp_rq {
	__u8 state_pmtu;
	__u8 retry_rnrtry;
	__u8 rrq_depth;
	__u8 rsq_depth;
	__be32 sq_psn;
	__be16 access_perms_flags;
	__be16 rsvd;
};
static_assert(sizeof(struct ion_query_qp_rq) == 12);

/**
 * struct ion_stat_hdr - name, type and place of one counter
 * @type_off: type in bits 31:28, offset in the page of values below
 */
struct ion_stat_hdr {
	__be32 type_off;
	char name[28];
};
static_assert(sizeof(struct ion_stat_hdr) == 32);

#define ION_STAT_TYPE_SHIFT		28
#define ION_STAT_TYPE_LE64		4
#define ION_STATS_PAGE			4096

#endif
