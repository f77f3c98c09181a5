/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register layout of the AMD Pensando ionic physical function, as the Linux
 * guest driver uses it.
 *
 * Sources: drivers/net/ethernet/pensando/ionic/ionic_if.h, ionic_dev.h and
 * ionic_regs.h.  All multi-byte fields are little endian.
 */
#ifndef IONIC_REGS_H
#define IONIC_REGS_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define ION_PCI_VENDOR			0x1dd8
#define ION_PCI_DEVICE_PF		0x1002
#define ION_PCI_SUBDEVICE_ERNIC		0x5400

/* BAR0: device information, device command, interrupt control, MSI-X */
#define ION_BAR0_SIZE			0x10000
#define ION_DEV_INFO_OFF		0x0000
#define ION_DEV_INFO_SIZE		0x0800
#define ION_DEV_CMD_OFF			0x0800
#define ION_DEV_CMD_SIZE		0x0800
#define ION_INTR_STATUS_OFF		0x1000
#define ION_INTR_STATUS_SIZE		0x1000
#define ION_INTR_CTRL_OFF		0x2000
#define ION_INTR_CTRL_STRIDE		0x20
#define ION_MSIX_TABLE_OFF		0x8000
#define ION_MSIX_PBA_OFF		0x9000
#define ION_MSIX_VECTORS		128

/* BAR2: doorbell pages of 4 KiB, one slot of 8 bytes a queue type */
#define ION_BAR2_SIZE			0x400000
#define ION_DB_PAGE_SHIFT		12
#define ION_DB_PAGE_SIZE		BIT(ION_DB_PAGE_SHIFT)
#define ION_DB_PAGES			(ION_BAR2_SIZE >> ION_DB_PAGE_SHIFT)
#define ION_DB_SLOTS			(ION_DB_PAGE_SIZE / 8)

/*
 * BAR4, if there is controller memory: 8 MiB of it, as plain memory and for requests of
 * 64, 128, 256 and 512 bytes (ionic_if.h: enum ionic_cmb_type).
 */
#define ION_BAR4_SIZE			0x4000000
#define ION_CMB_SIZE			0x800000
#define ION_CMB_REGIONS			5
#define ION_CMB_UNIT_SHIFT		16
#define ION_CMB_PAGE_SIZE		4096
#define ION_CMB_PAGES			(ION_CMB_SIZE / ION_CMB_PAGE_SIZE)

/*
 * The last 8 bytes of a request in controller memory: its doorbell.  The producer
 * index is that behind the request (providers/ionic: ionic_post_cmb_common).
 */
#define ION_EXPDB_TYPE_MASK		GENMASK_ULL(63, 48)
#define ION_EXPDB_MARK_MASK		GENMASK_ULL(23, 19)
#define ION_EXPDB_MARK			0x0b

#define ION_DB_P_INDEX_MASK		GENMASK_ULL(15, 0)
#define ION_DB_RING_MASK		GENMASK_ULL(18, 16)
#define ION_DB_QID_MASK			GENMASK_ULL(47, 24)

/* device information block, BAR0 + 0 */
#define ION_INFO_SIGNATURE		0x00
#define ION_INFO_VERSION		0x04
#define ION_INFO_ASIC_TYPE		0x05
#define ION_INFO_ASIC_REV		0x06
#define ION_INFO_FW_STATUS		0x07
#define ION_INFO_FW_HEARTBEAT		0x08
#define ION_INFO_FW_VERSION		0x0c
#define ION_INFO_SERIAL			0x2c
#define ION_INFO_STR_LEN		32

#define ION_SIGNATURE			0x44455649
#define ION_INFO_VERSION_1		1
#define ION_FW_STS_RUNNING		BIT(0)
#define ION_FW_STS_GENERATION		GENMASK(7, 4)

enum ion_asic_type {
	ION_ASIC_NONE			= 0,
	ION_ASIC_CAPRI			= 1,
	ION_ASIC_ELBA			= 2,
	ION_ASIC_GIGLIO			= 3,
	ION_ASIC_SALINA			= 4,
};

/*
 * Device command block, BAR0 + 0x800.  The side data window starts at 0x88:
 * the constant in ionic_if.h that says 0x400 is not what the driver uses
 * (ionic_dev.h: union ionic_dev_cmd_regs).
 */
#define ION_CMD_DOORBELL		0x000
#define ION_CMD_DONE			0x004
#define ION_CMD_REQUEST			0x008
#define ION_CMD_REQUEST_LEN		64
#define ION_CMD_COMPLETION		0x048
#define ION_CMD_COMPLETION_LEN		16
#define ION_CMD_SIDE_DATA		0x088
#define ION_CMD_SIDE_DATA_LEN		1912

/* interrupt control block of one vector, BAR0 + 0x2000 + 32 * vector */
#define ION_INTR_COAL_INIT		0x00
#define ION_INTR_MASK			0x04
#define ION_INTR_CREDITS		0x08
#define ION_INTR_MASK_ASSERT		0x0c
#define ION_INTR_COAL			0x10

#define ION_INTR_CRED_COUNT_MASK	GENMASK(15, 0)
#define ION_INTR_CRED_UNMASK		BIT(16)
#define ION_INTR_CRED_RESET_COAL	BIT(17)

static_assert(ION_CMD_SIDE_DATA + ION_CMD_SIDE_DATA_LEN == ION_DEV_CMD_SIZE);
static_assert(ION_INTR_CTRL_OFF + ION_MSIX_VECTORS * ION_INTR_CTRL_STRIDE <=
	      ION_MSIX_TABLE_OFF);

#endif
