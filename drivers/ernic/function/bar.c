// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register accesses: the map of BAR0 and BAR2 (include/ionic/regs.h).
 */
#include <linux/bitfield.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>
#include <ernic/rdma.h>

#include "function.h"
#include "trace.h"

/* a running control worker that is stuck for this long stops the heartbeat */
#define ERNIC_CTRL_STUCK	(10 * HZ)

/*
 * Counts seconds, never 0: the driver takes a constant zero for "no heartbeat"
 * and compares every 10 s (ionic_dev.c:ionic_heartbeat_check).
 */
static u32 ernic_heartbeat(const struct ernic_dev *edev)
{
	unsigned long busy = READ_ONCE(edev->ctrl_busy_since);
	unsigned long now = jiffies;

	if (busy && time_after(now, busy + ERNIC_CTRL_STUCK))
		now = busy + ERNIC_CTRL_STUCK;
	return 1 + (u32)((now - edev->opened_at) / HZ);
}

static u64 ernic_info_read(struct ernic_dev *edev, u32 off, unsigned int size)
{
	u8 blk[ION_INFO_SERIAL + ION_INFO_STR_LEN] = {};
	__le64 val = 0;

	if (off >= sizeof(blk))
		return 0;

	put_unaligned_le32(ION_SIGNATURE, blk + ION_INFO_SIGNATURE);
	blk[ION_INFO_VERSION] = ION_INFO_VERSION_1;
	blk[ION_INFO_ASIC_TYPE] = edev->profile.asic_type;
	blk[ION_INFO_ASIC_REV] = edev->profile.asic_rev;
	blk[ION_INFO_FW_STATUS] = READ_ONCE(edev->fw_status);
	put_unaligned_le32(ernic_heartbeat(edev), blk + ION_INFO_FW_HEARTBEAT);
	memcpy(blk + ION_INFO_FW_VERSION, edev->profile.fw_version,
	       ION_INFO_STR_LEN);
	/* 31 characters fit: a UUID without its dashes has 32 */
	snprintf(blk + ION_INFO_SERIAL, ION_INFO_STR_LEN, "ERNIC%*phN",
		 12, edev->uuid.b);

	memcpy(&val, blk + off, min_t(size_t, size, sizeof(blk) - off));
	return le64_to_cpu(val);
}

static u32 ernic_intr_reg_read(struct ernic_dev *edev, u32 off)
{
	unsigned int vec = off / ION_INTR_CTRL_STRIDE;

	if (vec >= ION_MSIX_VECTORS)
		return 0;
	return ernic_intr_read(edev, vec, off % ION_INTR_CTRL_STRIDE);
}

static void ernic_intr_reg_write(struct ernic_dev *edev, u32 off, u32 val)
{
	unsigned int vec = off / ION_INTR_CTRL_STRIDE;

	if (vec >= edev->nvectors) {
		atomic64_inc(&edev->bad_access);
		return;
	}
	ernic_intr_write(edev, vec, off % ION_INTR_CTRL_STRIDE, val);
}

/* blocks of 32-bit registers: wide reads join two, narrow ones take a part */
static u64 ernic_reg32_read(struct ernic_dev *edev, u32 off, unsigned int size,
			    u32 (*rd)(struct ernic_dev *edev, u32 off))
{
	u64 val = rd(edev, off & ~3);

	if (size == 8)
		return val | (u64)rd(edev, off + 4) << 32;
	val >>= 8 * (off & 3);
	return size == 4 ? val : val & GENMASK_ULL(8 * size - 1, 0);
}

static void ernic_reg32_write(struct ernic_dev *edev, u32 off,
			      unsigned int size, u64 val,
			      void (*wr)(struct ernic_dev *edev, u32 off,
					 u32 val))
{
	if (size < 4) {
		/* half a register has no meaning; the driver never does it */
		atomic64_inc(&edev->bad_access);
		return;
	}
	wr(edev, off, val);
	if (size == 8)
		wr(edev, off + 4, val >> 32);
}

static u64 ernic_bar0_read(struct ernic_dev *edev, u32 off, unsigned int size)
{
	if (off < ION_DEV_CMD_OFF)
		return ernic_info_read(edev, off - ION_DEV_INFO_OFF, size);
	if (off < ION_INTR_STATUS_OFF)
		return ernic_devcmd_read(edev, off - ION_DEV_CMD_OFF, size);
	if (off < ION_INTR_CTRL_OFF)
		return 0;
	if (off < ION_MSIX_TABLE_OFF)
		return ernic_reg32_read(edev, off - ION_INTR_CTRL_OFF, size,
					ernic_intr_reg_read);
	return ernic_reg32_read(edev, off, size, ernic_msix_read);
}

static void ernic_bar0_write(struct ernic_dev *edev, u32 off,
			     unsigned int size, u64 val)
{
	if (off < ION_DEV_CMD_OFF)
		atomic64_inc(&edev->bad_access);
	else if (off < ION_INTR_STATUS_OFF)
		ernic_devcmd_write(edev, off - ION_DEV_CMD_OFF, size, val);
	else if (off < ION_INTR_CTRL_OFF)
		atomic64_inc(&edev->bad_access);
	else if (off < ION_MSIX_TABLE_OFF)
		ernic_reg32_write(edev, off - ION_INTR_CTRL_OFF, size, val,
				  ernic_intr_reg_write);
	else
		ernic_reg32_write(edev, off, size, val, ernic_msix_write);
}

static bool ernic_bar_ok(struct ernic_dev *edev, unsigned int bar, u32 off,
			 unsigned int size)
{
	u32 len = bar == 0 ? ION_BAR0_SIZE : bar == 2 ? ION_BAR2_SIZE :
		  bar == 4 && edev->cmb.on ? ION_BAR4_SIZE : 0;

	if (is_power_of_2(size) && size <= 8 && IS_ALIGNED(off, size) &&
	    off < len)
		return true;
	atomic64_inc(&edev->bad_access);
	return false;
}

/**
 * ernic_bar_read - a load of the guest
 * @edev: device
 * @bar: 0, 2, or 4 if there is controller memory
 * @off: offset in the BAR
 * @size: 1, 2, 4 or 8
 *
 * Any context, for BAR4 process context.  Return: the value in CPU byte order; zero
 * for an access that is unaligned, out of range or hits nothing.  Doorbells read as
 * zero.
 */
u64 ernic_bar_read(struct ernic_dev *edev, unsigned int bar, u32 off,
		   unsigned int size)
{
	atomic64_inc(&edev->bar_reads);
	if (!ernic_bar_ok(edev, bar, off, size) || bar == 2)
		return 0;
	if (bar == 4)
		return ernic_cmb_read(edev, off, size);
	return ernic_bar0_read(edev, off, size);
}
EXPORT_SYMBOL_GPL(ernic_bar_read);

/**
 * ernic_bar_write - a store of the guest
 * @edev: device
 * @bar: 0, 2, or 4 if there is controller memory
 * @off: offset in the BAR
 * @size: 1, 2, 4 or 8
 * @val: value in CPU byte order
 *
 * Any context, for BAR4 process context.  A doorbell is one store of 8 bytes; a part
 * of one is ignored and counted.
 */
void ernic_bar_write(struct ernic_dev *edev, unsigned int bar, u32 off,
		     unsigned int size, u64 val)
{
	struct ernic_page *p;
	unsigned int slot;

	atomic64_inc(&edev->bar_writes);
	if (!ernic_bar_ok(edev, bar, off, size))
		return;
	if (bar == 0) {
		ernic_bar0_write(edev, off, size, val);
		return;
	}
	if (bar == 4) {
		ernic_cmb_write(edev, off, size, val);
		return;
	}
	if (size != 8) {
		atomic64_inc(&edev->bad_access);
		return;
	}
	slot = (off & (ION_DB_PAGE_SIZE - 1)) / 8;
	p = ernic_db_page(edev, off >> ION_DB_PAGE_SHIFT);
	if (p)
		ernic_page_trap(p, slot, val);
	else
		ernic_doorbell(edev, off >> ION_DB_PAGE_SHIFT, slot, val);
}
EXPORT_SYMBOL_GPL(ernic_bar_write);

/**
 * ernic_doorbell - the doorbell entrance, however the store arrived
 * @edev: device
 * @page: doorbell page; 0 is the guest kernel's
 * @slot: 8-byte slot in the page
 * @val: value stored, see ION_DB_*
 *
 * Any context, no lock.  The index is latched in every state of the queue: the
 * driver fills and rings receive rings before it enables them
 * (ionic_lif.c:ionic_txrx_enable).  It is masked by whoever reads it.  A value
 * that the queue already has changes nothing, as drivers ring again on purpose
 * (ionic_dev.c:ionic_doorbell_cb).
 */
void ernic_doorbell(struct ernic_dev *edev, unsigned int page,
		    unsigned int slot, u64 val)
{
	u32 qid = FIELD_GET(ION_DB_QID_MASK, val);
	u16 p_index = FIELD_GET(ION_DB_P_INDEX_MASK, val);
	struct ernic_queue *q = NULL;
	struct ernic_worker *w;

	atomic64_inc(&edev->db_page0.rings);
	trace_ernic_doorbell(edev, page, slot, qid, p_index);

	if (ernic_rdma_doorbell(edev, page, slot, val))
		return;
	if (page == 0 && FIELD_GET(ION_DB_RING_MASK, val) == 0) {
		if (qid == ERNIC_QID_ADMINQ)
			q = &edev->lif.adminq;
		else if (qid != ERNIC_QID_NOTIFYQ)
			q = ernic_eth_queue(edev, qid);
	}
	if (!q || !READ_ONCE(q->init) || slot != READ_ONCE(q->hw_type)) {
		atomic64_inc(&edev->db_unknown);
		ernic_eth_count_disabled(edev);
		return;
	}

	WRITE_ONCE(q->doorbells, q->doorbells + 1);
	/* pairs with ernic_queue_avail(): descriptors before the index */
	smp_store_release(&q->p_index, p_index & (READ_ONCE(q->num_desc) - 1));
	if (q == &edev->lif.adminq) {
		ernic_ctrl_kick(edev, ERNIC_CTRL_ADMINQ);
		return;
	}
	w = READ_ONCE(q->worker);
	if (w)
		ernic_worker_kick(w);
}
EXPORT_SYMBOL_GPL(ernic_doorbell);
