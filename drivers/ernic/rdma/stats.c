// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: of the LIF, which the guest finds in lif_info and, with the same values,
 * behind STATS_VALS; and of each QP.
 *
 * There are no packets between local guests, so what counts packets counts messages,
 * and what needs a lossy wire (sequence errors, congestion) stays zero.
 */
#include <linux/slab.h>

#include <ernic/eth.h>

#include "engine.h"

static const struct {
	const char *name;
	u8 slot;
} ernic_rdma_stat_names[] = {
#define ION_X(name, slot) { #name, slot },
	ION_LIF_STATS(ION_X)
#undef ION_X
};

static const char * const ernic_qp_stat_names[ERNIC_QPS_COUNT] = {
	[ERNIC_QPS_TX_MSGS] = "tx_msgs",
	[ERNIC_QPS_TX_BYTES] = "tx_bytes",
	[ERNIC_QPS_RX_MSGS] = "rx_msgs",
	[ERNIC_QPS_RX_BYTES] = "rx_bytes",
	[ERNIC_QPS_RNR_SENT] = "rnr_nak_sent",
	[ERNIC_QPS_RNR_RCVD] = "rnr_nak_received",
	[ERNIC_QPS_RETRIES] = "ack_timeouts",
	[ERNIC_QPS_REQ_ERRS] = "req_errors",
	[ERNIC_QPS_RESP_ERRS] = "resp_errors",
	[ERNIC_QPS_RX_DROPS] = "rx_drops",
};

/**
 * ernic_rdma_stats - add the RDMA counters of the LIF
 * @edev: device
 * @lif: ION_LIF_STAT_COUNT counters
 */
void ernic_rdma_stats(struct ernic_dev *edev, u64 *lif)
{
	struct ernic_rdma *rdma = edev->rdma;
	unsigned int i;

	if (!rdma)
		return;
	for (i = 0; i < ERNIC_RDMA_STATS; i++)
		lif[ERNIC_RDMA_STAT_FIRST + i] +=
			atomic64_read(&rdma->stats[i]);
}

/**
 * ernic_rdma_stats_zero - for a device reset
 * @edev: device
 */
void ernic_rdma_stats_zero(struct ernic_dev *edev)
{
	struct ernic_rdma *rdma = edev->rdma;
	unsigned int i;

	for (i = 0; rdma && i < ERNIC_RDMA_STATS; i++)
		atomic64_set(&rdma->stats[i], 0);
}

/* 27 characters are not enough for some with their prefix */
static const char *ernic_stat_name(const char *name)
{
	return name + (strstarts(name, "rdma_") ? 5 : 0);
}

static void ernic_stat_hdr(struct ion_stat_hdr *hdr, unsigned int off,
			   const char *name)
{
	hdr->type_off = cpu_to_be32(ION_STAT_TYPE_LE64 << ION_STAT_TYPE_SHIFT |
				    off);
	strscpy(hdr->name, name, sizeof(hdr->name));
}

/*
 * The whole page is written, the rest of it as zeros, which end the list; or less if
 * the guest's buffer is smaller.
 */
static u8 ernic_stats_write(struct ernic_rdma *rdma,
			    const struct ion_admin_wqe *wqe, const void *page)
{
	u32 len = min_t(u32, le32_to_cpu(wqe->cmd.stats.length),
			ION_STATS_PAGE);

	if (!len || ernic_dma_write(rdma->edev,
				    le64_to_cpu(wqe->cmd.stats.dma_addr),
				    page, len))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

/**
 * ernic_stats_hdrs - STATS_HDRS: names of the LIF's RDMA counters
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_stats_hdrs(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	struct ion_stat_hdr *hdr = kzalloc(ION_STATS_PAGE, GFP_KERNEL);
	unsigned int i, n = 0;
	u8 status;

	if (!hdr)
		return ION_ASTS_BAD_STATE;
	for (i = 0; i < ARRAY_SIZE(ernic_rdma_stat_names); i++) {
		unsigned int slot = ernic_rdma_stat_names[i].slot;

		if (slot < ERNIC_RDMA_STAT_FIRST)
			continue;
		ernic_stat_hdr(&hdr[n++],
			       (slot - ERNIC_RDMA_STAT_FIRST) * sizeof(u64),
			       ernic_stat_name(ernic_rdma_stat_names[i].name));
	}
	status = ernic_stats_write(rdma, wqe, hdr);
	kfree(hdr);
	return status;
}

/**
 * ernic_stats_vals - STATS_VALS: the LIF's RDMA counters
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_stats_vals(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	__le64 *val = kzalloc(ION_STATS_PAGE, GFP_KERNEL);
	unsigned int i;
	u8 status;

	if (!val)
		return ION_ASTS_BAD_STATE;
	for (i = 0; i < ERNIC_RDMA_STATS; i++)
		val[i] = cpu_to_le64(atomic64_read(&rdma->stats[i]));
	status = ernic_stats_write(rdma, wqe, val);
	kfree(val);
	return status;
}

/**
 * ernic_qp_stats_hdrs - QP_STATS_HDRS: names of a QP's counters
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_stats_hdrs(struct ernic_rdma *rdma,
		       const struct ion_admin_wqe *wqe)
{
	struct ion_stat_hdr *hdr = kzalloc(ION_STATS_PAGE, GFP_KERNEL);
	unsigned int i;
	u8 status;

	if (!hdr)
		return ION_ASTS_BAD_STATE;
	for (i = 0; i < ERNIC_QPS_COUNT; i++)
		ernic_stat_hdr(&hdr[i], i * sizeof(u64),
			       ernic_qp_stat_names[i]);
	status = ernic_stats_write(rdma, wqe, hdr);
	kfree(hdr);
	return status;
}

/**
 * ernic_qp_stats_vals - QP_STATS_VALS: counters of a QP
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_qp_stats_vals(struct ernic_rdma *rdma,
		       const struct ion_admin_wqe *wqe)
{
	u32 id = le32_to_cpu(wqe->cmd.stats.id_ver) & 0xffffff;
	struct ernic_rqp *qp = xa_load(&rdma->qps, id);
	unsigned int i;
	__le64 *val;
	u8 status;

	if (!qp)
		return ION_ASTS_BAD_INDEX;
	val = kzalloc(ION_STATS_PAGE, GFP_KERNEL);
	if (!val)
		return ION_ASTS_BAD_STATE;
	for (i = 0; i < ERNIC_QPS_COUNT; i++)
		val[i] = cpu_to_le64(READ_ONCE(qp->stats[i]));
	status = ernic_stats_write(rdma, wqe, val);
	kfree(val);
	return status;
}
