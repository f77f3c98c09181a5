/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the ionic device: opcodes, status codes, requests, completions
 * and identity blobs, for the device-command registers and the admin queue.
 *
 * Source: drivers/net/ethernet/pensando/ionic/ionic_if.h.  All multi-byte
 * fields are little endian.  tools/testing/abi compares every size, offset
 * and value with the kernel's own header.
 */
#ifndef IONIC_CMD_H
#define IONIC_CMD_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

enum ion_opcode {
	ION_CMD_NOP			= 0,
	ION_CMD_IDENTIFY		= 1,
	ION_CMD_INIT			= 2,
	ION_CMD_RESET			= 3,
	ION_CMD_PORT_IDENTIFY		= 10,
	ION_CMD_PORT_INIT		= 11,
	ION_CMD_PORT_RESET		= 12,
	ION_CMD_PORT_GETATTR		= 13,
	ION_CMD_PORT_SETATTR		= 14,
	ION_CMD_LIF_IDENTIFY		= 20,
	ION_CMD_LIF_INIT		= 21,
	ION_CMD_LIF_RESET		= 22,
	ION_CMD_LIF_GETATTR		= 23,
	ION_CMD_LIF_SETATTR		= 24,
	ION_CMD_RX_MODE_SET		= 30,
	ION_CMD_RX_FILTER_ADD		= 31,
	ION_CMD_RX_FILTER_DEL		= 32,
	ION_CMD_Q_IDENTIFY		= 39,
	ION_CMD_Q_INIT			= 40,
	ION_CMD_Q_CONTROL		= 41,
	ION_CMD_RDMA_RESET_LIF		= 50,
	ION_CMD_RDMA_CREATE_EQ		= 51,
	ION_CMD_RDMA_CREATE_CQ		= 52,
	ION_CMD_RDMA_CREATE_ADMINQ	= 53,
	ION_CMD_VF_GETATTR		= 60,
	ION_CMD_VF_SETATTR		= 61,
	ION_CMD_VF_CTRL			= 62,
	ION_CMD_DISCOVER_CMB		= 80,
	ION_CMD_FW_DOWNLOAD		= 252,
	ION_CMD_FW_CONTROL		= 253,
};

enum ion_status {
	ION_RC_SUCCESS			= 0,
	ION_RC_EVERSION			= 1,
	ION_RC_EOPCODE			= 2,
	ION_RC_EIO			= 3,
	ION_RC_EPERM			= 4,
	ION_RC_EQID			= 5,
	ION_RC_EQTYPE			= 6,
	ION_RC_ENOENT			= 7,
	ION_RC_EAGAIN			= 9,
	ION_RC_ENOMEM			= 10,
	ION_RC_EFAULT			= 11,
	ION_RC_EBUSY			= 12,
	ION_RC_EEXIST			= 13,
	ION_RC_EINVAL			= 14,
	ION_RC_ENOSPC			= 15,
	ION_RC_ERANGE			= 16,
	ION_RC_BAD_ADDR			= 17,
	ION_RC_DEV_CMD			= 18,
	ION_RC_ENOSUPP			= 19,
	ION_RC_ERROR			= 29,
};

enum ion_qtype {
	ION_QTYPE_ADMINQ		= 0,
	ION_QTYPE_NOTIFYQ		= 1,
	ION_QTYPE_RXQ			= 2,
	ION_QTYPE_TXQ			= 3,
	ION_QTYPE_EQ			= 4,
	ION_QTYPE_MAX			= 16,
};

/* queue identity features */
#define ION_QIDENT_F_CQ			BIT_ULL(0)
#define ION_QIDENT_F_SG			BIT_ULL(1)
#define ION_QIDENT_F_CMB		BIT_ULL(3)
#define ION_QIDENT_F_EXPDB		BIT_ULL(10)

/* Q_INIT flags */
#define ION_QINIT_F_IRQ			BIT(0)
#define ION_QINIT_F_ENA			BIT(1)
#define ION_QINIT_F_SG			BIT(2)
#define ION_QINIT_F_EQ			BIT(3)
#define ION_QINIT_F_CMB			BIT(4)

#define ION_DEV_CAP_DISC_CMB		BIT_ULL(1)

#define ION_LIF_CAP_ETH			BIT_ULL(0)
#define ION_LIF_CAP_RDMA		BIT_ULL(1)

/* LIF features, LIF_SETATTR FEATURES */
#define ION_ETH_HW_VLAN_TX_TAG		BIT_ULL(0)
#define ION_ETH_HW_VLAN_RX_STRIP	BIT_ULL(1)
#define ION_ETH_HW_VLAN_RX_FILTER	BIT_ULL(2)
#define ION_ETH_HW_RX_HASH		BIT_ULL(3)
#define ION_ETH_HW_RX_CSUM		BIT_ULL(4)
#define ION_ETH_HW_TX_SG		BIT_ULL(5)
#define ION_ETH_HW_RX_SG		BIT_ULL(6)
#define ION_ETH_HW_TX_CSUM		BIT_ULL(7)
#define ION_ETH_HW_TSO			BIT_ULL(8)
#define ION_ETH_HW_TSO_IPV6		BIT_ULL(9)
#define ION_ETH_HW_TSO_ECN		BIT_ULL(10)

enum ion_lif_attr {
	ION_LIF_ATTR_STATE		= 0,
	ION_LIF_ATTR_NAME		= 1,
	ION_LIF_ATTR_MTU		= 2,
	ION_LIF_ATTR_MAC		= 3,
	ION_LIF_ATTR_FEATURES		= 4,
	ION_LIF_ATTR_RSS		= 5,
	ION_LIF_ATTR_STATS_CTRL		= 6,
};

enum ion_lif_state {
	ION_LIF_QUIESCE			= 0,
	ION_LIF_ENABLE			= 1,
	ION_LIF_DISABLE			= 2,
};

enum ion_port_attr {
	ION_PORT_ATTR_STATE		= 0,
	ION_PORT_ATTR_SPEED		= 1,
	ION_PORT_ATTR_MTU		= 2,
	ION_PORT_ATTR_AUTONEG		= 3,
	ION_PORT_ATTR_FEC		= 4,
	ION_PORT_ATTR_PAUSE		= 5,
	ION_PORT_ATTR_LOOPBACK		= 6,
	ION_PORT_ATTR_STATS_CTRL	= 7,
};

enum ion_port_admin_state {
	ION_PORT_ADMIN_NONE		= 0,
	ION_PORT_ADMIN_DOWN		= 1,
	ION_PORT_ADMIN_UP		= 2,
};

enum ion_link_status {
	ION_LINK_UP			= 1,
	ION_LINK_DOWN			= 2,
};

enum ion_phy_type {
	ION_PHY_NONE			= 0,
	ION_PHY_COPPER			= 1,
	ION_PHY_FIBER			= 2,
};

#define ION_XCVR_STATE_REMOVED		0
#define ION_XCVR_STATE_INSERTED		1
#define ION_XCVR_STATE_SPROM_READ	3

#define ION_PORT_TYPE_ETH		1

/* RSS hash types */
#define ION_RSS_TYPE_IPV4		BIT(0)
#define ION_RSS_TYPE_IPV4_TCP		BIT(1)
#define ION_RSS_TYPE_IPV4_UDP		BIT(2)
#define ION_RSS_TYPE_IPV6		BIT(3)
#define ION_RSS_TYPE_IPV6_TCP		BIT(4)
#define ION_RSS_TYPE_IPV6_UDP		BIT(5)
#define ION_RSS_KEY_LEN			40

/* RX_MODE_SET bits */
#define ION_RX_MODE_UNICAST		BIT(0)
#define ION_RX_MODE_MULTICAST		BIT(1)
#define ION_RX_MODE_BROADCAST		BIT(2)
#define ION_RX_MODE_PROMISC		BIT(3)
#define ION_RX_MODE_ALLMULTI		BIT(4)

enum ion_rx_filter_match {
	ION_RX_FILTER_VLAN		= 0x0,
	ION_RX_FILTER_MAC		= 0x1,
	ION_RX_FILTER_MAC_VLAN		= 0x2,
	ION_RX_FILTER_PKTCLASS		= 0x10,
};

enum ion_q_oper {
	ION_Q_DISABLE			= 0,
	ION_Q_ENABLE			= 1,
	ION_Q_HANG_RESET		= 2,
};

enum ion_event {
	ION_EVENT_LINK_CHANGE		= 1,
	ION_EVENT_RESET			= 2,
};

/* the colour of a completion, bit 7 of its last byte */
#define ION_COLOR			0x80

/**
 * union ion_cmd - a request, 64 bytes, in registers or an admin queue slot
 *
 * One member a request layout; @opcode is common to all.
 */
union ion_cmd {
	u8 bytes[64];
	__le64 qwords[8];
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_index;
	};
	struct {
		u8 opcode;
		u8 ver;
	} identify;
	struct {
		u8 opcode;
		u8 type;
	} init;
	struct {
		u8 opcode;
		u8 index;
		u8 rsvd[6];
		__le64 info_pa;
	} port_init;
	struct {
		u8 opcode;
		u8 index;
		u8 attr;
		u8 rsvd;
		__le32 value;
	} port_setattr;
	struct {
		u8 opcode;
		u8 type;
		u8 ver;
	} lif_identify;
	struct {
		u8 opcode;
		u8 type;
		__le16 index;
		__le32 rsvd;
		__le64 info_pa;
	} lif_init;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 index;
	} lif_reset;
	struct {
		u8 opcode;
		u8 attr;
		__le16 index;
	} lif_getattr;
	struct {
		u8 opcode;
		u8 attr;
		__le16 index;
		union {
			u8 state;
			char name[16];
			__le32 mtu;
			u8 mac[6];
			__le64 features;
			u8 stats_ctl;
			struct {
				__le16 types;
				u8 key[ION_RSS_KEY_LEN];
				u8 rsvd[6];
				__le64 addr;
			} __packed rss;
		} __packed;
	} __packed lif_setattr;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_index;
		__le16 rx_mode;
	} rx_mode_set;
	struct {
		u8 opcode;
		u8 qtype;
		__le16 lif_index;
		__le32 qid;
		__le16 match;
		union {
			__le16 vlan;
			u8 mac[6];
			struct {
				__le16 vlan;
				u8 mac[6];
			} mac_vlan;
		};
	} rx_filter_add;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_index;
		__le32 filter_id;
	} rx_filter_del;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_type;
		u8 type;
		u8 ver;
	} q_identify;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_index;
		u8 type;
		u8 ver;
		u8 rsvd1[2];
		__le32 index;
		__le16 pid;
		__le16 intr_index;
		__le16 flags;
		u8 cos;
		u8 ring_size;
		__le64 ring_base;
		__le64 cq_ring_base;
		__le64 sg_ring_base;
		u8 rsvd2[12];
		__le64 features;
	} __packed q_init;
	struct {
		u8 opcode;
		u8 type;
		__le16 lif_index;
		__le32 index;
		u8 oper;
	} q_control;
	struct {
		u8 opcode;
		u8 rsvd;
		__le16 lif_index;
		__le32 qid_ver;
		__le32 cid;
		__le16 dbid;
		u8 depth_log2;
		u8 stride_log2;
		__le64 dma_addr;
	} rdma_queue;
};
static_assert(sizeof(union ion_cmd) == 64);

/**
 * union ion_comp - a completion, 16 bytes
 *
 * @status is an enum ion_status.  In an admin queue completion @comp_index is
 * the index of the request's slot and @color carries the lap in bit 7; in the
 * device command registers both are zero.
 */
union ion_comp {
	u8 bytes[16];
	__le64 qwords[2];
	struct {
		u8 status;
		u8 rsvd;
		__le16 comp_index;
		u8 data[11];
		u8 color;
	};
	struct {
		u8 status;
		u8 ver;
	} identify;
	struct {
		u8 status;
		u8 rsvd;
		__le16 hw_index;
	} lif_init;
	struct {
		u8 status;
		u8 rsvd;
		__le16 comp_index;
		union {
			u8 state;
			__le32 mtu;
			u8 mac[6];
			__le64 features;
		} __packed;
	} __packed lif_attr;
	struct {
		u8 status;
		u8 rsvd[3];
		__le32 value;
	} port_getattr;
	struct {
		u8 status;
		u8 rsvd;
		__le16 comp_index;
		__le32 filter_id;
	} rx_filter_add;
	struct {
		u8 status;
		u8 rsvd;
		__le16 comp_index;
		__le32 hw_index;
		u8 hw_type;
	} q_init;
};
static_assert(sizeof(union ion_comp) == 16);

/**
 * struct ion_dev_identity - answer to IDENTIFY, in the side data
 */
struct ion_dev_identity {
	u8 version;
	u8 type;
	u8 rsvd[2];
	u8 nports;
	u8 rsvd2[3];
	__le32 nlifs;
	__le32 nintrs;
	__le32 ndbpgs_per_lif;
	__le32 intr_coal_mult;
	__le32 intr_coal_div;
	__le32 eq_count;
	__le64 hwstamp_mask;
	__le32 hwstamp_mult;
	__le32 hwstamp_shift;
	__le64 capabilities;
};
static_assert(sizeof(struct ion_dev_identity) == 56);

enum ion_cmb_type {
	ION_CMB_DEVMEM			= 0,
	ION_CMB_EXPDB64			= 1,
	ION_CMB_EXPDB128		= 2,
	ION_CMB_EXPDB256		= 3,
	ION_CMB_EXPDB512		= 4,
};

#define ION_CMB_F_EXPDB			BIT(0)
#define ION_CMB_MAX_REGIONS		16

/**
 * struct ion_cmb_layout - answer to DISCOVER_CMB, in the side data
 * @offset: in BAR @bar_num, units of 64 KiB
 * @length: units of 64 KiB
 */
struct ion_cmb_layout {
	__le32 num_regions;
	__le32 flags;
	struct {
		u8 bar_num;
		u8 cmb_type;
		u8 rsvd[6];
		__le32 offset;
		__le32 length;
	} region[ION_CMB_MAX_REGIONS];
};
static_assert(sizeof(struct ion_cmb_layout) == 264);

/**
 * struct ion_lif_config - configuration of a LIF, 256 bytes
 * @queue_count: queues offered, by enum ion_qtype
 */
struct ion_lif_config {
	u8 state;
	u8 rsvd[3];
	char name[16];
	__le32 mtu;
	u8 mac[6];
	__le16 vlan;
	__le64 features;
	__le32 queue_count[ION_QTYPE_MAX];
	u8 rsvd2[152];
} __packed;
static_assert(sizeof(struct ion_lif_config) == 256);

/**
 * struct ion_qtype_identity - queues of one class
 * @qtype: doorbell slot
 */
struct ion_qtype_identity {
	u8 qtype;
	u8 rsvd[3];
	__le32 qid_count;
	__le32 qid_base;
};
static_assert(sizeof(struct ion_qtype_identity) == 12);

/* stats_type */
#define ION_RDMA_STATS_GLOBAL		BIT(0)
#define ION_RDMA_STATS_QP		BIT(1)

/**
 * struct ion_lif_identity - answer to LIF_IDENTIFY, in the side data
 *
 * The two frame sizes are unaligned; that is the layout of the device.  The
 * RDMA half is all zero while LIF capability RDMA is off.
 */
struct ion_lif_identity {
	__le64 capabilities;
	struct {
		u8 version;
		u8 rsvd[3];
		__le32 max_ucast_filters;
		__le32 max_mcast_filters;
		__le16 rss_ind_tbl_sz;
		__le32 min_frame_size;
		__le32 max_frame_size;
		u8 rsvd2[2];
		__le64 hwstamp_tx_modes;
		__le64 hwstamp_rx_filters;
		u8 rsvd3[88];
		struct ion_lif_config config;
	} __packed eth;
	struct {
		u8 version;
		u8 qp_opcodes;
		u8 admin_opcodes;
		u8 minor_version;
		__le32 npts_per_lif;
		__le32 nmrs_per_lif;
		__le32 nahs_per_lif;
		u8 max_stride;
		u8 cl_stride;
		u8 pte_stride;
		u8 rrq_stride;
		u8 rsq_stride;
		u8 dcqcn_profiles;
		u8 udma_shift;
		u8 rsvd_dimensions;
		__le64 page_size_cap;
		struct ion_qtype_identity aq;
		struct ion_qtype_identity sq;
		struct ion_qtype_identity rq;
		struct ion_qtype_identity cq;
		struct ion_qtype_identity eq;
		__le16 stats_type;
		u8 rsvd1[162];
	} __packed rdma;
} __packed;
static_assert(sizeof(struct ion_lif_identity) == 648);

/**
 * struct ion_port_config - configuration of a port, 256 bytes
 * @speed: Mb/s
 */
struct ion_port_config {
	__le32 speed;
	__le32 mtu;
	u8 state;
	u8 an_enable;
	u8 fec_type;
	u8 pause_type;
	u8 loopback_mode;
	u8 rsvd[243];
};
static_assert(sizeof(struct ion_port_config) == 256);

/**
 * struct ion_port_identity - answer to PORT_IDENTIFY, in the side data
 */
struct ion_port_identity {
	u8 version;
	u8 type;
	u8 num_lanes;
	u8 autoneg;
	__le32 min_frame_size;
	__le32 max_frame_size;
	u8 fec_type[4];
	u8 pause_type[2];
	u8 loopback_mode[2];
	__le32 speeds[16];
	u8 rsvd2[44];
	struct ion_port_config config;
};
static_assert(sizeof(struct ion_port_identity) == 384);

/**
 * struct ion_q_identity - answer to Q_IDENTIFY, in the side data
 */
struct ion_q_identity {
	u8 version;
	u8 supported;
	u8 rsvd[6];
	__le64 features;
	__le16 desc_sz;
	__le16 comp_sz;
	__le16 sg_desc_sz;
	__le16 max_sg_elems;
	__le16 sg_desc_stride;
	u8 rsvd2[6];
};
static_assert(sizeof(struct ion_q_identity) == 32);

#endif
