// SPDX-License-Identifier: GPL-2.0-only
/*
 * Built-in NIC profiles: every key, one row a profile.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <ernic/kunit.h>
#include <ernic/profile.h>
#include <ionic/cmd.h>

#define ERNIC_FW_VERSION "rocm-ernic-1.0"

/* objects take memory when they are made; page tables up to 512 MiB */
#define ERNIC_RDMA_LIMITS \
	.rdma_version		= 1, \
	.rdma_qps		= 16384, \
	.rdma_cqs		= 32768, \
	.rdma_mrs		= 131072, \
	.rdma_ahs		= 32768, \
	.rdma_pages		= 64 << 20

const struct ernic_profile ernic_profiles[ERNIC_NUM_PROFILES] = {
	{
		.name			= "compat",
		.asic_type		= ION_ASIC_NONE,
		.fw_version		= ERNIC_FW_VERSION,
		.speed_mbps		= 100000,
		.xcvr			= ION_PHY_COPPER,
		.mtu_max		= 9198,
		.stats_interval_ms	= 1000,
		.eth_queues		= 4,
		.rdma_eqs		= 32,
		.intr_vectors		= 32,
		.offloads		= ERNIC_OFFLOADS_NONE,
		.steering		= ERNIC_STEER_FNV1A,
		ERNIC_RDMA_LIMITS,
		.rdma_workers		= 2,
	}, {
		.name			= "small-vm",
		.asic_type		= ION_ASIC_NONE,
		.fw_version		= ERNIC_FW_VERSION,
		.speed_mbps		= 100000,
		.xcvr			= ION_PHY_COPPER,
		.mtu_max		= 9198,
		.stats_interval_ms	= 1000,
		.eth_queues		= 2,
		.rdma_eqs		= 4,
		.offloads		= ERNIC_OFFLOADS_ALL,
		.steering		= ERNIC_STEER_TOEPLITZ,
		ERNIC_RDMA_LIMITS,
		.rdma_workers		= 2,
	}, {
		.name			= "generic-100g",
		.asic_type		= ION_ASIC_NONE,
		.fw_version		= ERNIC_FW_VERSION,
		.speed_mbps		= 100000,
		.xcvr			= ION_PHY_FIBER,
		.mtu_max		= 9198,
		.stats_interval_ms	= 1000,
		.eth_queues		= 16,
		.rdma_eqs		= 32,
		.offloads		= ERNIC_OFFLOADS_ALL,
		.steering		= ERNIC_STEER_TOEPLITZ,
		ERNIC_RDMA_LIMITS,
		.rdma_workers		= 4,
	}, {
		.name			= "generic-400g",
		.asic_type		= ION_ASIC_NONE,
		.fw_version		= ERNIC_FW_VERSION,
		.speed_mbps		= 400000,
		.xcvr			= ION_PHY_FIBER,
		.mtu_max		= 9198,
		.stats_interval_ms	= 1000,
		.eth_queues		= 64,
		.rdma_eqs		= 32,
		.offloads		= ERNIC_OFFLOADS_ALL,
		.steering		= ERNIC_STEER_TOEPLITZ,
		ERNIC_RDMA_LIMITS,
		.rdma_workers		= 8,
	},
};
ERNIC_KUNIT_EXPORT(ernic_profiles);

/**
 * ernic_profile_find - look a built-in profile up
 * @name: its name; a trailing newline is ignored, as sysfs writers send one
 *
 * Return: the profile, or NULL if there is none of that name.
 */
const struct ernic_profile *ernic_profile_find(const char *name)
{
	int i;

	for (i = 0; i < ERNIC_NUM_PROFILES; i++)
		if (sysfs_streq(name, ernic_profiles[i].name))
			return &ernic_profiles[i];
	return NULL;
}
EXPORT_SYMBOL_GPL(ernic_profile_find);

/**
 * ernic_profile_vectors - MSI-X vectors the device advertises
 * @p: profile
 *
 * Auto is one for the admin and notify queues, one a queue pair and one an
 * event queue (ionic_lif.c:ionic_lif_size).
 */
unsigned int ernic_profile_vectors(const struct ernic_profile *p)
{
	if (p->intr_vectors)
		return p->intr_vectors;
	return min_t(unsigned int, 1 + p->eth_queues + p->rdma_eqs,
		     ION_MSIX_VECTORS);
}
ERNIC_KUNIT_EXPORT(ernic_profile_vectors);

/**
 * ernic_profile_describe - limits of a profile in words
 * @p: profile
 * @buf: result
 * @len: size of @buf
 *
 * Return: bytes written, without the terminator.
 */
int ernic_profile_describe(const struct ernic_profile *p, char *buf, size_t len)
{
	static const char * const port[] = {
		[ION_PHY_NONE] = "no transceiver",
		[ION_PHY_COPPER] = "copper",
		[ION_PHY_FIBER] = "fiber",
	};

	return scnprintf(buf, len,
			 "ionic PF, %u queue pairs, %u MSI-X vectors, %u Mb/s %s, MTU up to %u, offloads %s, steering %s",
			 p->eth_queues, ernic_profile_vectors(p), p->speed_mbps,
			 port[p->xcvr], p->mtu_max,
			 p->offloads == ERNIC_OFFLOADS_ALL ? "all" : "none",
			 p->steering == ERNIC_STEER_TOEPLITZ ? "toeplitz" :
							       "fnv1a");
}
