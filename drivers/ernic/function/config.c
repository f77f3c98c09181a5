// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI configuration space: type 0 header, power management, PCI Express and
 * MSI-X capabilities, device serial number.
 *
 * Bytes are kept as the guest sees them.  A table of write masks says which
 * bits it may change; what is not in the table is read-only, what does not
 * exist reads as zero.  A store is atomic under cfg_bytes_lock and may come in
 * any context.  What follows from it may sleep and is done afterwards:
 *
 *	DMA		COMMAND.BusMaster and power state D0
 *	MSI-X masks	message control
 *	reset		DEVCTL.Initiate FLR
 */
#include <linux/pci.h>
#include <linux/unaligned.h>

#include <ernic/eth.h>
#include <ernic/rdma.h>
#include <ernic/kunit.h>

#define CFG_PM			0x40
#define CFG_EXP			0x50
#define CFG_MSIX		0x90
#define CFG_DSN			PCI_CFG_SPACE_SIZE

#define CFG_COMMAND_MASK \
	(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | \
	 PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE)

/* everything but Aux Power PM, Phantom Functions and the FLR bit */
#define CFG_DEVCTL_MASK \
	(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | PCI_EXP_DEVCTL_FERE | \
	 PCI_EXP_DEVCTL_URRE | PCI_EXP_DEVCTL_RELAX_EN | \
	 PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_EXT_TAG | \
	 PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ)

#define CFG_LNKCTL_MASK \
	(PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES)

#define CFG_MSIX_MASK	(PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL)

/*
 * Bits that the guest may change, by 32-bit word.  PMCSR.PowerState is handled
 * in ernic_cfg_store().
 */
static const struct {
	u16 off;
	u32 mask;
} cfg_writable[] = {
	{ PCI_COMMAND,			CFG_COMMAND_MASK },
	{ PCI_CACHE_LINE_SIZE,		0xff },
	{ PCI_BASE_ADDRESS_0,		-ION_BAR0_SIZE },
	{ PCI_BASE_ADDRESS_1,		U32_MAX },
	{ PCI_BASE_ADDRESS_2,		-ION_BAR2_SIZE },
	{ PCI_BASE_ADDRESS_3,		U32_MAX },
	{ PCI_BASE_ADDRESS_4,		-ION_BAR4_SIZE },
	{ PCI_BASE_ADDRESS_5,		U32_MAX },
	{ PCI_INTERRUPT_LINE,		0xff },
	{ CFG_EXP + PCI_EXP_DEVCTL,	CFG_DEVCTL_MASK },
	{ CFG_EXP + PCI_EXP_LNKCTL,	CFG_LNKCTL_MASK },
	{ CFG_EXP + PCI_EXP_DEVCTL2,	PCI_EXP_DEVCTL2_COMP_TMOUT_DIS },
	{ CFG_EXP + PCI_EXP_LNKCTL2,	PCI_EXP_LNKCTL2_TLS },
	{ CFG_MSIX,			CFG_MSIX_MASK << 16 },
};

static u8 cfg_wmask(const struct ernic_dev *edev, u32 off)
{
	unsigned int i;

	/* there may be no BAR4 */
	if (!edev->cmb.on && off >= PCI_BASE_ADDRESS_4 &&
	    off < PCI_BASE_ADDRESS_5 + 4)
		return 0;
	for (i = 0; i < ARRAY_SIZE(cfg_writable); i++)
		if (cfg_writable[i].off == (off & ~3u))
			return cfg_writable[i].mask >> 8 * (off & 3);
	return 0;
}

/* PMCSR.PowerState; PCI_D0 and PCI_D3hot have a type of their own */
#define CFG_PM_D0	0
#define CFG_PM_D3HOT	3

/* what a store asks for beyond changing bytes */
#define CFG_ACT_DMA	BIT(0)
#define CFG_ACT_MSIX	BIT(1)
#define CFG_ACT_FLR	BIT(2)

static void cfg_put16(u8 *cfg, unsigned int off, u16 val)
{
	put_unaligned_le16(val, cfg + off);
}

static void cfg_put32(u8 *cfg, unsigned int off, u32 val)
{
	put_unaligned_le32(val, cfg + off);
}

/**
 * struct ernic_pcie_link - a PCI Express link
 * @mbps: what it carries after line coding (linux/pci.h:PCIE_SPEED2MBS_ENC)
 * @speed: value of the Link Speed fields, 3 is 8 GT/s
 * @width: lanes
 */
struct ernic_pcie_link {
	u32 mbps;
	u8 speed;
	u8 width;
};

/* slowest first */
static const struct ernic_pcie_link ernic_pcie_links[] = {
	{   31508, 3,  4 },
	{   63016, 3,  8 },
	{  126032, 3, 16 },
	{  252064, 4, 16 },
	{  504128, 5, 16 },
	{  968064, 6, 16 },
};

/*
 * The guest prints the link and warns if the slot could do less than the card
 * (pci.c:__pcie_print_link_status); tools compare it with the port's speed.
 */
static const struct ernic_pcie_link *ernic_pcie_link(u32 port_mbps)
{
	const struct ernic_pcie_link *l = ernic_pcie_links;
	const struct ernic_pcie_link *end = l + ARRAY_SIZE(ernic_pcie_links);

	while (l < end - 1 && l->mbps < port_mbps)
		l++;
	return l;
}

/*
 * Prefetchable, as no read has a side effect: a bridge then places the BARs in
 * its 64-bit window.
 */
static void cfg_fill_header(u8 *cfg, bool bar4)
{
	const u32 bar = PCI_BASE_ADDRESS_MEM_TYPE_64 |
			PCI_BASE_ADDRESS_MEM_PREFETCH;

	cfg_put16(cfg, PCI_VENDOR_ID, ION_PCI_VENDOR);
	cfg_put16(cfg, PCI_DEVICE_ID, ION_PCI_DEVICE_PF);
	cfg_put16(cfg, PCI_STATUS, PCI_STATUS_CAP_LIST);
	cfg_put16(cfg, PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET);
	cfg_put32(cfg, PCI_BASE_ADDRESS_0, bar);
	cfg_put32(cfg, PCI_BASE_ADDRESS_2, bar);
	if (bar4)
		cfg_put32(cfg, PCI_BASE_ADDRESS_4, bar);
	cfg_put16(cfg, PCI_SUBSYSTEM_VENDOR_ID, ION_PCI_VENDOR);
	cfg_put16(cfg, PCI_SUBSYSTEM_ID, ION_PCI_SUBDEVICE_ERNIC);
	cfg[PCI_CAPABILITY_LIST] = CFG_PM;
}

/*
 * D0 and D3hot.  No_Soft_Reset: the way back from D3hot keeps the function as
 * it was; until then it decodes no memory and masters nothing.
 */
static void cfg_fill_pm(u8 *cfg)
{
	cfg[CFG_PM + PCI_CAP_LIST_ID] = PCI_CAP_ID_PM;
	cfg[CFG_PM + PCI_CAP_LIST_NEXT] = CFG_EXP;
	cfg_put16(cfg, CFG_PM + PCI_PM_PMC, 3);
	cfg_put16(cfg, CFG_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
}

static void cfg_fill_exp(u8 *cfg, u32 port_mbps)
{
	const struct ernic_pcie_link *l = ernic_pcie_link(port_mbps);
	u32 link = l->speed | l->width << 4;

	cfg[CFG_EXP + PCI_CAP_LIST_ID] = PCI_CAP_ID_EXP;
	cfg[CFG_EXP + PCI_CAP_LIST_NEXT] = CFG_MSIX;
	cfg_put16(cfg, CFG_EXP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	cfg_put32(cfg, CFG_EXP + PCI_EXP_DEVCAP, 2 /* 512 bytes */ |
		  PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER |
		  PCI_EXP_DEVCAP_FLR);
	cfg_put16(cfg, CFG_EXP + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN |
		  PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B);
	/* bit 22, ASPM Optionality Compliance, is set in every new design */
	cfg_put32(cfg, CFG_EXP + PCI_EXP_LNKCAP, link | BIT(22));
	cfg_put16(cfg, CFG_EXP + PCI_EXP_LNKSTA, link | PCI_EXP_LNKSTA_SLC);
	cfg_put32(cfg, CFG_EXP + PCI_EXP_DEVCAP2,
		  PCI_EXP_DEVCAP2_COMP_TMOUT_DIS);
	cfg_put32(cfg, CFG_EXP + PCI_EXP_LNKCAP2, GENMASK(l->speed, 1));
	cfg_put16(cfg, CFG_EXP + PCI_EXP_LNKCTL2, l->speed);
}

static void cfg_fill_msix(u8 *cfg)
{
	cfg[CFG_MSIX + PCI_CAP_LIST_ID] = PCI_CAP_ID_MSIX;
	cfg_put16(cfg, CFG_MSIX + PCI_MSIX_FLAGS, ION_MSIX_VECTORS - 1);
	cfg_put32(cfg, CFG_MSIX + PCI_MSIX_TABLE, ION_MSIX_TABLE_OFF | 0);
	cfg_put32(cfg, CFG_MSIX + PCI_MSIX_PBA, ION_MSIX_PBA_OFF | 0);
}

/* EUI-64 of the port's address */
static void cfg_fill_dsn(u8 *cfg, const u8 *mac)
{
	cfg_put32(cfg, CFG_DSN, PCI_EXT_CAP_ID_DSN | 1 << 16);
	cfg_put32(cfg, CFG_DSN + 4, 0xfe000000 | mac[3] << 16 | mac[4] << 8 |
		  mac[5]);
	cfg_put32(cfg, CFG_DSN + 8, (u32)mac[0] << 24 | mac[1] << 16 |
		  mac[2] << 8 | 0xff);
}

static void cfg_fill(struct ernic_dev *edev)
{
	u8 *cfg = edev->cfg;

	memset(cfg, 0, sizeof(edev->cfg));
	cfg_fill_header(cfg, edev->cmb.on);
	cfg_fill_pm(cfg);
	cfg_fill_exp(cfg, edev->profile.speed_mbps);
	cfg_fill_msix(cfg);
	cfg_fill_dsn(cfg, edev->mac);
}

static u16 cfg_get16(struct ernic_dev *edev, unsigned int off)
{
	return READ_ONCE(edev->cfg[off]) | READ_ONCE(edev->cfg[off + 1]) << 8;
}

static bool ernic_cfg_d0(struct ernic_dev *edev)
{
	return (READ_ONCE(edev->cfg[CFG_PM + PCI_PM_CTRL]) &
		PCI_PM_CTRL_STATE_MASK) == CFG_PM_D0;
}

/**
 * ernic_cfg_memory_on - does the function decode its BARs?
 * @edev: device
 *
 * Any context.
 *
 * Return: true if Memory Space Enable is set and the function is in D0.
 */
bool ernic_cfg_memory_on(struct ernic_dev *edev)
{
	return cfg_get16(edev, PCI_COMMAND) & PCI_COMMAND_MEMORY &&
	       ernic_cfg_d0(edev);
}
ERNIC_KUNIT_EXPORT(ernic_cfg_memory_on);

static bool ernic_cfg_master_on(struct ernic_dev *edev)
{
	return cfg_get16(edev, PCI_COMMAND) & PCI_COMMAND_MASTER &&
	       ernic_cfg_d0(edev);
}

/**
 * ernic_cfg_msix_enabled - MSI-X Enable
 * @edev: device
 *
 * Any context.
 *
 * Return: the bit.
 */
bool ernic_cfg_msix_enabled(struct ernic_dev *edev)
{
	return cfg_get16(edev, CFG_MSIX + PCI_MSIX_FLAGS) &
	       PCI_MSIX_FLAGS_ENABLE;
}
EXPORT_SYMBOL_GPL(ernic_cfg_msix_enabled);

/**
 * ernic_cfg_msix_masked - MSI-X Function Mask
 * @edev: device
 *
 * Any context.
 *
 * Return: the bit.
 */
bool ernic_cfg_msix_masked(struct ernic_dev *edev)
{
	return cfg_get16(edev, CFG_MSIX + PCI_MSIX_FLAGS) &
	       PCI_MSIX_FLAGS_MASKALL;
}

/**
 * ernic_cfg_bar - address that software gave a BAR
 * @edev: device
 * @bar: 0, 2 or 4
 *
 * Any context.
 *
 * Return: the address, 0 if it has none.
 */
u64 ernic_cfg_bar(struct ernic_dev *edev, unsigned int bar)
{
	const u8 *reg = edev->cfg + PCI_BASE_ADDRESS_0 + 4 * bar;
	unsigned long flags;
	u64 val;

	spin_lock_irqsave(&edev->cfg_bytes_lock, flags);
	val = get_unaligned_le64(reg);
	spin_unlock_irqrestore(&edev->cfg_bytes_lock, flags);
	return val & PCI_BASE_ADDRESS_MEM_MASK;
}
EXPORT_SYMBOL_GPL(ernic_cfg_bar);

/**
 * ernic_cfg_init - first-time set-up, power-on values
 * @edev: device; profile and address are known, vectors are initialised
 */
void ernic_cfg_init(struct ernic_dev *edev)
{
	mutex_init(&edev->cfg_lock);
	spin_lock_init(&edev->cfg_bytes_lock);
	cfg_fill(edev);
	ernic_msix_init(edev);
}
ERNIC_KUNIT_EXPORT(ernic_cfg_init);

/**
 * ernic_cfg_reset - power-on values; bus mastering is off, no DMA runs
 * @edev: device
 * @keep_bars: the BARs stay where they are
 *
 * May sleep.  The caller may hold state_lock.
 */
void ernic_cfg_reset(struct ernic_dev *edev, bool keep_bars)
{
	u8 bars[6 * sizeof(__le32)];
	unsigned long flags;

	mutex_lock(&edev->cfg_lock);
	spin_lock_irqsave(&edev->cfg_bytes_lock, flags);
	memcpy(bars, edev->cfg + PCI_BASE_ADDRESS_0, sizeof(bars));
	cfg_fill(edev);
	if (keep_bars)
		memcpy(edev->cfg + PCI_BASE_ADDRESS_0, bars, sizeof(bars));
	spin_unlock_irqrestore(&edev->cfg_bytes_lock, flags);
	ernic_dma_disable(edev);
	mutex_unlock(&edev->cfg_lock);

	ernic_msix_reset(edev);
}
ERNIC_KUNIT_EXPORT(ernic_cfg_reset);

/**
 * ernic_cfg_read - configuration read
 * @edev: device
 * @off: offset, any alignment
 * @buf: result, little endian as on the bus
 * @len: bytes
 *
 * Any context.
 */
void ernic_cfg_read(struct ernic_dev *edev, u32 off, void *buf, size_t len)
{
	unsigned long flags;
	size_t n = 0;

	if (off < sizeof(edev->cfg)) {
		n = min_t(size_t, len, sizeof(edev->cfg) - off);
		spin_lock_irqsave(&edev->cfg_bytes_lock, flags);
		memcpy(buf, edev->cfg + off, n);
		spin_unlock_irqrestore(&edev->cfg_bytes_lock, flags);
	}
	memset(buf + n, 0, len - n);
}
EXPORT_SYMBOL_GPL(ernic_cfg_read);

/* one byte under cfg_bytes_lock; CFG_ACT_* */
static unsigned int ernic_cfg_store(struct ernic_dev *edev, u32 off, u8 val)
{
	u8 *reg = &edev->cfg[off];
	u8 mask = cfg_wmask(edev, off);

	switch (off) {
	case CFG_PM + PCI_PM_CTRL:
		/* a state that is not supported is discarded (PCI PM 3.2.4) */
		val &= PCI_PM_CTRL_STATE_MASK;
		if (val == CFG_PM_D0 || val == CFG_PM_D3HOT)
			mask = PCI_PM_CTRL_STATE_MASK;
		break;
	case CFG_EXP + PCI_EXP_DEVCTL + 1:
		if (val & (PCI_EXP_DEVCTL_BCR_FLR >> 8))
			return CFG_ACT_FLR;
		break;
	}

	val = (*reg & ~mask) | (val & mask);
	if (val == *reg)
		return 0;
	WRITE_ONCE(*reg, val);

	switch (off) {
	case PCI_COMMAND:
	case CFG_PM + PCI_PM_CTRL:
		return CFG_ACT_DMA;
	case CFG_MSIX + PCI_MSIX_FLAGS + 1:
		return CFG_ACT_MSIX;
	default:
		return 0;
	}
}

/*
 * State, not events: whichever of two racing writers comes last here sees the
 * bytes that both left, and a reset between store and this finds its own.
 */
static void ernic_cfg_sync_dma(struct ernic_dev *edev)
{
	mutex_lock(&edev->cfg_lock);
	if (ernic_cfg_master_on(edev) && READ_ONCE(edev->open))
		ernic_dma_enable(edev);
	else
		ernic_dma_disable(edev);
	mutex_unlock(&edev->cfg_lock);

	/* what was rung while DMA was off */
	ernic_ctrl_kick(edev, ERNIC_CTRL_ADMINQ);
	ernic_eth_kick(edev);
	ernic_rdma_kick(edev);
}

/**
 * ernic_cfg_write - configuration write
 * @edev: device
 * @off: offset, any alignment
 * @buf: value, little endian as on the bus
 * @len: bytes
 *
 * May sleep: clearing COMMAND.BusMaster or leaving D0 returns when no DMA runs
 * any more, Initiate FLR when the function is reset.  The caller holds no lock
 * of the device.
 */
void ernic_cfg_write(struct ernic_dev *edev, u32 off, const void *buf,
		     size_t len)
{
	const u8 *src = buf;
	unsigned int act = 0;
	unsigned long flags;

	spin_lock_irqsave(&edev->cfg_bytes_lock, flags);
	for (; len && off < sizeof(edev->cfg); len--, off++)
		act |= ernic_cfg_store(edev, off, *src++);
	spin_unlock_irqrestore(&edev->cfg_bytes_lock, flags);

	if (act & CFG_ACT_FLR) {
		ernic_dev_reset(edev);
		return;
	}
	if (act & CFG_ACT_MSIX)
		ernic_msix_update(edev);
	if (act & CFG_ACT_DMA)
		ernic_cfg_sync_dma(edev);
}
EXPORT_SYMBOL_GPL(ernic_cfg_write);
