// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device says about its RDMA side.  Each limit is one that holds.
 */
#include <ernic/dev.h>

#include "engine.h"

/* MR pages of 4 KiB, 2 MiB, 1 GiB */
#define ERNIC_PAGE_SIZES	(BIT_ULL(12) | BIT_ULL(21) | BIT_ULL(30))

/*
 * The driver takes half of this number of pages for the size of the largest region
 * (ionic_ibdev.c:ionic_query_device): 1 TiB.  With pages of 1 GiB that is 1,024
 * entries; what page tables take is limited by profile.rdma_pages.
 */
#define ERNIC_NPTS		BIT(29)

/**
 * ernic_rdma_offered - does the LIF have RDMA?
 * @edev: device
 *
 * Not if the administrator insists on doorbells that lose values of shared slots.
 */
bool ernic_rdma_offered(const struct ernic_dev *edev)
{
	return edev->profile.rdma_qps && edev->profile.rdma_eqs &&
	       edev->db_page0.mode != ERNIC_PAGE_FAULT;
}

/*
 * Numbers of queues go to the driver's two pipelines in groups of eight.  With groups
 * of one it gives QPN 1, which is the GSI's, to another QP as well: only what is in
 * group zero is reserved (ionic_controlpath.c:ionic_get_qpid).
 */
#define ERNIC_UDMA_SHIFT	3

static void ernic_qtype(struct ion_qtype_identity *id, u8 slot, u32 count)
{
	id->qtype = slot;
	id->qid_count = cpu_to_le32(count);
	id->qid_base = cpu_to_le32(0);
}

/**
 * ernic_rdma_identify - fill the RDMA half of the LIF's identity
 * @edev: device that offers RDMA
 * @id: identity
 *
 * One admin queue: several would share a doorbell slot.  The base of event queues has
 * to be 0, as the driver adds it in one place and not in the other
 * (ionic_controlpath.c:ionic_get_eqid).
 */
void ernic_rdma_identify(const struct ernic_dev *edev,
			 struct ion_lif_identity *id)
{
	const struct ernic_profile *p = &edev->profile;

	id->capabilities |= cpu_to_le64(ION_LIF_CAP_RDMA);
	id->rdma.version = p->rdma_version;
	/* with 2.1 the driver believes page_size_cap */
	id->rdma.minor_version = p->rdma_version >= 2 ? 1 : 0;
	id->rdma.qp_opcodes = ION_RDMA_QP_OPCODES;
	id->rdma.admin_opcodes = ION_ADMIN_OPCODES_MAX;
	id->rdma.npts_per_lif = cpu_to_le32(ERNIC_NPTS);
	id->rdma.nmrs_per_lif = cpu_to_le32(p->rdma_mrs);
	id->rdma.nahs_per_lif = cpu_to_le32(p->rdma_ahs);
	id->rdma.max_stride = ION_WQE_MAX_LOG2;
	id->rdma.udma_shift = ERNIC_UDMA_SHIFT;
	id->rdma.page_size_cap = cpu_to_le64(ERNIC_PAGE_SIZES);
	ernic_qtype(&id->rdma.aq, ERNIC_DB_SLOT_AQ, 1);
	ernic_qtype(&id->rdma.sq, ERNIC_DB_SLOT_SQ, p->rdma_qps);
	ernic_qtype(&id->rdma.rq, ERNIC_DB_SLOT_RQ, p->rdma_qps);
	ernic_qtype(&id->rdma.cq, ERNIC_DB_SLOT_CQ, p->rdma_cqs);
	ernic_qtype(&id->rdma.eq, ERNIC_DB_SLOT_EQ,
		    min_t(u32, p->rdma_eqs, ERNIC_RDMA_MAX_EQS));
	id->rdma.stats_type = cpu_to_le16(ION_RDMA_STATS_GLOBAL |
					  ION_RDMA_STATS_QP);
}
