// SPDX-License-Identifier: GPL-2.0-only
/*
 * MSI-X table and pending bit array, BAR0 + ION_MSIX_TABLE_OFF.
 *
 * A VMM on VFIO keeps the guest's table itself and never forwards accesses to
 * it (QEMU: vfio_msix_setup overlays the BAR).  There the table here is storage
 * that a native client may read back, and delivery does not depend on it.  With
 * front.msix_emulated it is the real thing: entry mask, function mask and
 * enable bit decide, and what is masked is pending.
 */
#include <linux/pci.h>

#include <ernic/dev.h>
#include <ernic/kunit.h>

#define ERNIC_MSIX_TABLE_LEN	(ION_MSIX_VECTORS * PCI_MSIX_ENTRY_SIZE)
#define ERNIC_MSIX_PBA_LEN	(ION_MSIX_VECTORS / 8)

enum { MSIX_ADDR_LO, MSIX_ADDR_HI, MSIX_DATA, MSIX_CTRL };

static_assert(ION_MSIX_TABLE_OFF + ERNIC_MSIX_TABLE_LEN <= ION_MSIX_PBA_OFF);
static_assert(sizeof(((struct ernic_msix *)0)->table) == ERNIC_MSIX_TABLE_LEN);

/* msix.lock is held: the mask that is set last is the one that is current */
static void ernic_msix_mask_one(struct ernic_dev *edev, unsigned int vec)
{
	bool masked;

	if (!edev->front.msix_emulated)
		return;
	masked = edev->msix.table[vec][MSIX_CTRL] & PCI_MSIX_ENTRY_CTRL_MASKBIT ||
		 ernic_cfg_msix_masked(edev) || !ernic_cfg_msix_enabled(edev);
	ernic_intr_msix_mask(edev, vec, masked);
}

/**
 * ernic_msix_update - message control changed
 * @edev: device
 *
 * Any context.
 */
void ernic_msix_update(struct ernic_dev *edev)
{
	unsigned long flags;
	unsigned int vec;

	spin_lock_irqsave(&edev->msix.lock, flags);
	for (vec = 0; vec < ION_MSIX_VECTORS; vec++)
		ernic_msix_mask_one(edev, vec);
	spin_unlock_irqrestore(&edev->msix.lock, flags);
}

/**
 * ernic_msix_reset - table as after power-on: every entry masked and empty
 * @edev: device
 */
void ernic_msix_reset(struct ernic_dev *edev)
{
	unsigned long flags;
	unsigned int vec;

	spin_lock_irqsave(&edev->msix.lock, flags);
	memset(edev->msix.table, 0, sizeof(edev->msix.table));
	for (vec = 0; vec < ION_MSIX_VECTORS; vec++) {
		edev->msix.table[vec][MSIX_CTRL] = PCI_MSIX_ENTRY_CTRL_MASKBIT;
		ernic_msix_mask_one(edev, vec);
	}
	spin_unlock_irqrestore(&edev->msix.lock, flags);
}

/**
 * ernic_msix_init - first-time set-up; the vectors are initialised
 * @edev: device
 */
void ernic_msix_init(struct ernic_dev *edev)
{
	spin_lock_init(&edev->msix.lock);
	ernic_msix_reset(edev);
}

static u32 ernic_msix_pba(struct ernic_dev *edev, u32 off)
{
	unsigned int first = off * 8;
	unsigned int i;
	u32 val = 0;

	for (i = 0; i < 32; i++)
		if (ernic_intr_msix_pending(edev, first + i))
			val |= BIT(i);
	return val;
}

/**
 * ernic_msix_read - a load from the table or the pending bits
 * @edev: device
 * @off: offset in BAR0, 4-byte aligned
 *
 * Any context.
 *
 * Return: the value; zero between and behind the two.
 */
u32 ernic_msix_read(struct ernic_dev *edev, u32 off)
{
	u32 i = off - ION_MSIX_TABLE_OFF;

	if (off >= ION_MSIX_TABLE_OFF && i < ERNIC_MSIX_TABLE_LEN) {
		i /= 4;
		return READ_ONCE(edev->msix.table[i / 4][i % 4]);
	}
	if (off >= ION_MSIX_PBA_OFF &&
	    off - ION_MSIX_PBA_OFF < ERNIC_MSIX_PBA_LEN)
		return ernic_msix_pba(edev, off - ION_MSIX_PBA_OFF);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_msix_read);

/**
 * ernic_msix_write - a store to the table; pending bits are read-only
 * @edev: device
 * @off: offset in BAR0, 4-byte aligned
 * @val: value
 *
 * Any context: an operating system masks entries from inside its interrupt
 * code.
 */
void ernic_msix_write(struct ernic_dev *edev, u32 off, u32 val)
{
	u32 i = off - ION_MSIX_TABLE_OFF;
	unsigned long flags;
	unsigned int vec;

	if (off < ION_MSIX_TABLE_OFF || i >= ERNIC_MSIX_TABLE_LEN)
		return;
	i /= 4;
	vec = i / 4;

	switch (i % 4) {
	case MSIX_ADDR_LO:
		val &= ~3u;
		break;
	case MSIX_CTRL:
		val &= PCI_MSIX_ENTRY_CTRL_MASKBIT;
		break;
	}

	spin_lock_irqsave(&edev->msix.lock, flags);
	WRITE_ONCE(edev->msix.table[vec][i % 4], val);
	if (i % 4 == MSIX_CTRL)
		ernic_msix_mask_one(edev, vec);
	spin_unlock_irqrestore(&edev->msix.lock, flags);
}
ERNIC_KUNIT_EXPORT(ernic_msix_write);

/**
 * ernic_msix_message - what a front end has to send for a vector
 * @edev: device
 * @vec: vector, below ION_MSIX_VECTORS
 * @addr: address of the message
 * @data: its data
 *
 * Any context, no lock: ernic_irq_ops.signal is called under locks that are
 * inside msix.lock.  Software may change address and data of an entry only
 * while it is masked (PCIe base specification 7.7.2), so the words belong
 * together whenever the vector may fire.
 *
 * Return: false while MSI-X is off.
 */
bool ernic_msix_message(struct ernic_dev *edev, unsigned int vec, u64 *addr,
			u32 *data)
{
	const u32 *e = edev->msix.table[vec];

	if (!ernic_cfg_msix_enabled(edev))
		return false;
	*addr = READ_ONCE(e[MSIX_ADDR_LO]) |
		(u64)READ_ONCE(e[MSIX_ADDR_HI]) << 32;
	*data = READ_ONCE(e[MSIX_DATA]);
	return true;
}
EXPORT_SYMBOL_GPL(ernic_msix_message);
