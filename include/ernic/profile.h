/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ERNIC_PROFILE_H
#define ERNIC_PROFILE_H

#include <linux/types.h>

#include <ionic/regs.h>

#define ERNIC_MAX_PAIRS		64	/* most Ethernet queue pairs of a device */
#define ERNIC_PROFILE_DEFAULT	"compat"

enum ernic_offloads {
	ERNIC_OFFLOADS_NONE,
	ERNIC_OFFLOADS_ALL,
};

enum ernic_steering {
	ERNIC_STEER_FNV1A,
	ERNIC_STEER_TOEPLITZ,
};

/**
 * struct ernic_profile - shape of the emulated NIC
 * @name: name of the built-in profile
 * @asic_type: identity.asic_type, enum ion_asic_type
 * @asic_rev: identity.asic_rev
 * @fw_version: identity.fw_version, at most 31 printable characters
 * @speed_mbps: link.speed_mbps
 * @xcvr: link.xcvr, enum ion_phy_type
 * @mtu_max: link.mtu_max, bytes without Ethernet header
 * @stats_interval_ms: stats.interval_ms, how often changed counters are
 *	written to guest memory
 * @eth_queues: queues.eth, Ethernet queue pairs
 * @rdma_eqs: queues.rdma_eqs, RDMA event queues
 * @intr_vectors: queues.intr_vectors, MSI-X vectors; 0 is auto, that is
 *	1 + @eth_queues + @rdma_eqs
 * @offloads: eth.offloads
 * @steering: eth.steering, used while RSS hashing is not granted
 *
 * @rdma_version: rdma.version, opcode set of send queues: 1 or 2
 * @rdma_qps: rdma.qps, queue pairs, a power of two; 0: no RDMA
 * @rdma_cqs: rdma.cqs, completion queues, a power of two
 * @rdma_mrs: rdma.mrs, memory regions and windows
 * @rdma_ahs: rdma.ahs, address handles
 * @rdma_pages: rdma.pages, entries of 8 bytes in all page tables
 * @rdma_workers: rdma.workers, threads that move data
 * @rdma_expdb: rdma.expdb, send queues of processes in controller memory, with express
 *	doorbells; off, as nothing shows that the last 64 bytes of a request arrive in
 *	order by a write-combining mapping (Documentation/rdma.rst)
 *
 * A device owns a copy, so that attributes can override single keys.
 */
struct ernic_profile {
	const char *name;
	u8 asic_type;
	u8 asic_rev;
	char fw_version[ION_INFO_STR_LEN];
	u32 speed_mbps;
	u8 xcvr;
	u16 mtu_max;
	u32 stats_interval_ms;
	u16 eth_queues;
	u16 rdma_eqs;
	u16 intr_vectors;
	enum ernic_offloads offloads;
	enum ernic_steering steering;
	u8 rdma_version;
	u8 rdma_workers;
	bool rdma_expdb;
	u32 rdma_qps;
	u32 rdma_cqs;
	u32 rdma_mrs;
	u32 rdma_ahs;
	u32 rdma_pages;
};

#define ERNIC_NUM_PROFILES	4
/* the module's profile= parameter; what type "default" means */
extern const struct ernic_profile *ernic_default_profile;

extern const struct ernic_profile ernic_profiles[ERNIC_NUM_PROFILES];

const struct ernic_profile *ernic_profile_find(const char *name);
unsigned int ernic_profile_vectors(const struct ernic_profile *p);
int ernic_profile_describe(const struct ernic_profile *p, char *buf, size_t len);

#endif
