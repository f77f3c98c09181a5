/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks in guest memory that the device keeps up to date: lif_info (address
 * from LIF_INIT) and port_info (address from PORT_INIT), with their counters.
 *
 * Source: drivers/net/ethernet/pensando/ionic/ionic_if.h.  Little endian.  The
 * guest reads the counters without locking, so each is written with a single
 * store of 8 bytes.
 */
#ifndef IONIC_INFO_H
#define IONIC_INFO_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include <ionic/cmd.h>

/* name and position of each LIF counter, in units of 8 bytes */
#define ION_LIF_STATS(X) \
	X(rx_ucast_bytes, 0) \
	X(rx_ucast_packets, 1) \
	X(rx_mcast_bytes, 2) \
	X(rx_mcast_packets, 3) \
	X(rx_bcast_bytes, 4) \
	X(rx_bcast_packets, 5) \
	X(rx_ucast_drop_bytes, 8) \
	X(rx_ucast_drop_packets, 9) \
	X(rx_mcast_drop_bytes, 10) \
	X(rx_mcast_drop_packets, 11) \
	X(rx_bcast_drop_bytes, 12) \
	X(rx_bcast_drop_packets, 13) \
	X(rx_dma_error, 14) \
	X(tx_ucast_bytes, 16) \
	X(tx_ucast_packets, 17) \
	X(tx_mcast_bytes, 18) \
	X(tx_mcast_packets, 19) \
	X(tx_bcast_bytes, 20) \
	X(tx_bcast_packets, 21) \
	X(tx_ucast_drop_bytes, 24) \
	X(tx_ucast_drop_packets, 25) \
	X(tx_mcast_drop_bytes, 26) \
	X(tx_mcast_drop_packets, 27) \
	X(tx_bcast_drop_bytes, 28) \
	X(tx_bcast_drop_packets, 29) \
	X(tx_dma_error, 30) \
	X(rx_queue_disabled, 32) \
	X(rx_queue_empty, 33) \
	X(rx_queue_error, 34) \
	X(rx_desc_fetch_error, 35) \
	X(rx_desc_data_error, 36) \
	X(tx_queue_disabled, 40) \
	X(tx_queue_error, 41) \
	X(tx_desc_fetch_error, 42) \
	X(tx_desc_data_error, 43) \
	X(tx_queue_empty, 44) \
	X(tx_rdma_ucast_bytes, 48) \
	X(tx_rdma_ucast_packets, 49) \
	X(tx_rdma_mcast_bytes, 50) \
	X(tx_rdma_mcast_packets, 51) \
	X(tx_rdma_cnp_packets, 52) \
	X(rx_rdma_ucast_bytes, 56) \
	X(rx_rdma_ucast_packets, 57) \
	X(rx_rdma_mcast_bytes, 58) \
	X(rx_rdma_mcast_packets, 59) \
	X(rx_rdma_cnp_packets, 60) \
	X(rx_rdma_ecn_packets, 61) \
	X(rdma_req_rx_pkt_seq_err, 96) \
	X(rdma_req_rx_rnr_retry_err, 97) \
	X(rdma_req_rx_remote_access_err, 98) \
	X(rdma_req_rx_remote_inv_req_err, 99) \
	X(rdma_req_rx_remote_oper_err, 100) \
	X(rdma_req_rx_implied_nak_seq_err, 101) \
	X(rdma_req_rx_cqe_err, 102) \
	X(rdma_req_rx_cqe_flush_err, 103) \
	X(rdma_req_rx_dup_responses, 104) \
	X(rdma_req_rx_invalid_packets, 105) \
	X(rdma_req_tx_local_access_err, 106) \
	X(rdma_req_tx_local_oper_err, 107) \
	X(rdma_req_tx_memory_mgmt_err, 108) \
	X(rdma_resp_rx_dup_requests, 112) \
	X(rdma_resp_rx_out_of_buffer, 113) \
	X(rdma_resp_rx_out_of_seq_pkts, 114) \
	X(rdma_resp_rx_cqe_err, 115) \
	X(rdma_resp_rx_cqe_flush_err, 116) \
	X(rdma_resp_rx_local_len_err, 117) \
	X(rdma_resp_rx_inv_request_err, 118) \
	X(rdma_resp_rx_local_qp_oper_err, 119) \
	X(rdma_resp_rx_out_of_atomic_resource, 120) \
	X(rdma_resp_tx_pkt_seq_err, 121) \
	X(rdma_resp_tx_remote_inv_req_err, 122) \
	X(rdma_resp_tx_remote_access_err, 123) \
	X(rdma_resp_tx_remote_oper_err, 124) \
	X(rdma_resp_tx_rnr_retry_err, 125)

enum ion_lif_stat {
#define ION_X(name, slot) ION_LIF_STAT_##name = (slot),
	ION_LIF_STATS(ION_X)
#undef ION_X
	ION_LIF_STAT_COUNT = 128,
};

/* name of each port counter, in order */
#define ION_PORT_STATS(X) \
	X(frames_rx_ok) \
	X(frames_rx_all) \
	X(frames_rx_bad_fcs) \
	X(frames_rx_bad_all) \
	X(octets_rx_ok) \
	X(octets_rx_all) \
	X(frames_rx_unicast) \
	X(frames_rx_multicast) \
	X(frames_rx_broadcast) \
	X(frames_rx_pause) \
	X(frames_rx_bad_length) \
	X(frames_rx_undersized) \
	X(frames_rx_oversized) \
	X(frames_rx_fragments) \
	X(frames_rx_jabber) \
	X(frames_rx_pripause) \
	X(frames_rx_stomped_crc) \
	X(frames_rx_too_long) \
	X(frames_rx_vlan_good) \
	X(frames_rx_dropped) \
	X(frames_rx_less_than_64b) \
	X(frames_rx_64b) \
	X(frames_rx_65b_127b) \
	X(frames_rx_128b_255b) \
	X(frames_rx_256b_511b) \
	X(frames_rx_512b_1023b) \
	X(frames_rx_1024b_1518b) \
	X(frames_rx_1519b_2047b) \
	X(frames_rx_2048b_4095b) \
	X(frames_rx_4096b_8191b) \
	X(frames_rx_8192b_9215b) \
	X(frames_rx_other) \
	X(frames_tx_ok) \
	X(frames_tx_all) \
	X(frames_tx_bad) \
	X(octets_tx_ok) \
	X(octets_tx_total) \
	X(frames_tx_unicast) \
	X(frames_tx_multicast) \
	X(frames_tx_broadcast) \
	X(frames_tx_pause) \
	X(frames_tx_pripause) \
	X(frames_tx_vlan) \
	X(frames_tx_less_than_64b) \
	X(frames_tx_64b) \
	X(frames_tx_65b_127b) \
	X(frames_tx_128b_255b) \
	X(frames_tx_256b_511b) \
	X(frames_tx_512b_1023b) \
	X(frames_tx_1024b_1518b) \
	X(frames_tx_1519b_2047b) \
	X(frames_tx_2048b_4095b) \
	X(frames_tx_4096b_8191b) \
	X(frames_tx_8192b_9215b) \
	X(frames_tx_other) \
	X(frames_tx_pri_0) \
	X(frames_tx_pri_1) \
	X(frames_tx_pri_2) \
	X(frames_tx_pri_3) \
	X(frames_tx_pri_4) \
	X(frames_tx_pri_5) \
	X(frames_tx_pri_6) \
	X(frames_tx_pri_7) \
	X(frames_rx_pri_0) \
	X(frames_rx_pri_1) \
	X(frames_rx_pri_2) \
	X(frames_rx_pri_3) \
	X(frames_rx_pri_4) \
	X(frames_rx_pri_5) \
	X(frames_rx_pri_6) \
	X(frames_rx_pri_7) \
	X(tx_pripause_0_1us_count) \
	X(tx_pripause_1_1us_count) \
	X(tx_pripause_2_1us_count) \
	X(tx_pripause_3_1us_count) \
	X(tx_pripause_4_1us_count) \
	X(tx_pripause_5_1us_count) \
	X(tx_pripause_6_1us_count) \
	X(tx_pripause_7_1us_count) \
	X(rx_pripause_0_1us_count) \
	X(rx_pripause_1_1us_count) \
	X(rx_pripause_2_1us_count) \
	X(rx_pripause_3_1us_count) \
	X(rx_pripause_4_1us_count) \
	X(rx_pripause_5_1us_count) \
	X(rx_pripause_6_1us_count) \
	X(rx_pripause_7_1us_count) \
	X(rx_pause_1us_count) \
	X(frames_tx_truncated)

enum ion_port_stat {
#define ION_X(name) ION_PORT_STAT_##name,
	ION_PORT_STATS(ION_X)
#undef ION_X
	ION_PORT_STAT_COUNT,
};
static_assert(ION_PORT_STAT_COUNT == 89);

/**
 * struct ion_lif_status - state of the LIF's link
 * @link_status: enum ion_link_status
 * @link_speed: Mb/s
 */
struct ion_lif_status {
	__le64 eid;
	u8 port_num;
	u8 rsvd;
	__le16 link_status;
	__le32 link_speed;
	__le16 link_down_count;
	u8 rsvd2[46];
};
static_assert(sizeof(struct ion_lif_status) == 64);

/**
 * struct ion_lif_info - block written after LIF_INIT, 1344 bytes
 */
struct ion_lif_info {
	struct ion_lif_config config;
	struct ion_lif_status status;
	__le64 stats[ION_LIF_STAT_COUNT];
};
static_assert(sizeof(struct ion_lif_info) == 1344);
static_assert(offsetof(struct ion_lif_info, stats) == 320);

/**
 * struct ion_port_status - state of the port
 * @speed: Mb/s
 * @status: enum ion_link_status
 */
struct ion_port_status {
	__le32 id;
	__le32 speed;
	u8 status;
	__le16 link_down_count;
	u8 fec_type;
	u8 rsvd[48];
	struct {
		u8 state;
		u8 phy;
		__le16 pid;
		u8 sprom[256];
	} __packed xcvr;
} __packed;
static_assert(sizeof(struct ion_port_status) == 320);

/**
 * struct ion_port_info - block written after PORT_INIT
 *
 * The driver's block goes on with transceiver pages and extra counters; we
 * advertise neither and write neither.
 */
struct ion_port_info {
	struct ion_port_config config;
	struct ion_port_status status;
	__le64 stats[ION_PORT_STAT_COUNT];
};
static_assert(offsetof(struct ion_port_info, stats) == 576);

#endif
