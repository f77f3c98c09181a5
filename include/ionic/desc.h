/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ethernet rings of the ionic device: descriptors, scatter/gather elements,
 * completions and events.
 *
 * Source: drivers/net/ethernet/pensando/ionic/ionic_if.h, ionic_txrx.c.  All
 * multi-byte fields are little endian.
 */
#ifndef IONIC_DESC_H
#define IONIC_DESC_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/* ring sizes are log2 and within these bounds for every queue type */
#define ION_RING_SIZE_LOG2_MIN		2
#define ION_RING_SIZE_LOG2_MAX		16

/* DMA addresses have 52 bits */
#define ION_ADDR_MASK			GENMASK_ULL(51, 0)

/* struct ion_txq_desc::cmd */
#define ION_TXD_FLAGS_MASK		GENMASK_ULL(3, 0)
#define ION_TXD_OPCODE_MASK		GENMASK_ULL(7, 4)
#define ION_TXD_NSGE_MASK		GENMASK_ULL(11, 8)
#define ION_TXD_ADDR_MASK		GENMASK_ULL(63, 12)

#define ION_TXD_F_VLAN			0x1
#define ION_TXD_F_ENCAP			0x2
#define ION_TXD_F_TSO_SOT		0x4
#define ION_TXD_F_TSO_EOT		0x8

enum ion_txd_opcode {
	ION_TXD_CSUM_NONE		= 0,
	ION_TXD_CSUM_PARTIAL		= 1,
	ION_TXD_CSUM_HW			= 2,
	ION_TXD_TSO			= 3,
};

/**
 * struct ion_txq_desc - transmit descriptor, 16 bytes
 * @cmd: flags, opcode, number of SG elements, address of the first buffer
 * @len: bytes in the first buffer
 */
struct ion_txq_desc {
	__le64 cmd;
	__le16 len;
	__le16 vlan_tci;
	union {
		__le16 csum_start;
		__le16 hdr_len;
	};
	union {
		__le16 csum_offset;
		__le16 mss;
	};
};
static_assert(sizeof(struct ion_txq_desc) == 16);

/**
 * struct ion_sg_elem - one further buffer of a descriptor, 16 bytes
 */
struct ion_sg_elem {
	__le64 addr;
	__le16 len;
	__le16 rsvd[3];
};
static_assert(sizeof(struct ion_sg_elem) == 16);

#define ION_TX_MAX_SG			15
#define ION_TX_SG_STRIDE		16	/* elements a descriptor, 256 bytes */
#define ION_RX_MAX_SG			8
#define ION_RX_SG_STRIDE		8	/* elements a descriptor, 128 bytes */

/**
 * struct ion_txq_comp - transmit completion, 16 bytes
 * @comp_index: newest descriptor done; all older ones are done with it
 */
struct ion_txq_comp {
	u8 status;
	u8 rsvd;
	__le16 comp_index;
	u8 rsvd2[11];
	u8 color;
};
static_assert(sizeof(struct ion_txq_comp) == 16);

enum ion_rxd_opcode {
	ION_RXD_SIMPLE			= 0,
	ION_RXD_SG			= 1,
};

/**
 * struct ion_rxq_desc - receive descriptor, 16 bytes
 */
struct ion_rxq_desc {
	u8 opcode;
	u8 rsvd[5];
	__le16 len;
	__le64 addr;
};
static_assert(sizeof(struct ion_rxq_desc) == 16);

#define ION_RXC_CSUM_F_TCP_OK		0x01
#define ION_RXC_CSUM_F_UDP_OK		0x04
#define ION_RXC_CSUM_F_IP_OK		0x10
#define ION_RXC_CSUM_F_VLAN		0x40
#define ION_RXC_CSUM_F_CALC		0x80

#define ION_PKT_NON_IP			0x00
#define ION_PKT_IPV4			0x01
#define ION_PKT_IPV4_TCP		0x03
#define ION_PKT_IPV4_UDP		0x05
#define ION_PKT_IPV6			0x08
#define ION_PKT_IPV6_TCP		0x18
#define ION_PKT_IPV6_UDP		0x28
#define ION_PKT_TYPE_MASK		0x7f

/**
 * struct ion_rxq_comp - receive completion, 16 bytes
 * @status: non-zero: frame dropped, the driver posts the buffers again
 * @num_sg_elems: buffers used besides the first
 * @csum: one's complement sum of the frame behind the Ethernet header
 * @len: bytes delivered, without FCS, after VLAN strip
 * @csum_flags: ION_RXC_CSUM_F_*
 * @pkt_type_color: packet type in bits 6:0, colour in bit 7
 */
struct ion_rxq_comp {
	u8 status;
	u8 num_sg_elems;
	__le16 comp_index;
	__le32 rss_hash;
	__le16 csum;
	__le16 vlan_tci;
	__le16 len;
	u8 csum_flags;
	u8 pkt_type_color;
};
static_assert(sizeof(struct ion_rxq_comp) == 16);

#define ION_NOTIFYQ_ENTRIES_MAX		64

/**
 * struct ion_notifyq_event - event of the notify queue, 64 bytes
 * @eid: counts up from 1 after each Q_INIT; makes the event valid, so it is
 *	 stored last
 */
struct ion_notifyq_event {
	__le64 eid;
	__le16 ecode;
	union {
		u8 data[54];
		struct {
			__le16 link_status;
			__le32 link_speed;
		} __packed link;
		struct {
			u8 reset_code;
			u8 state;
		} reset;
	};
};
static_assert(sizeof(struct ion_notifyq_event) == 64);

#endif
