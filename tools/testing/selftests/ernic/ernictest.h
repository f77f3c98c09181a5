/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libernictest: a VMM and a guest driver of an ernic device in one process.
 *
 * The device's memory is one arena, mapped at ET_ARENA_IOVA.  Everything in it
 * that was not handed out by et_alloc() holds a pattern, and et_check_canary()
 * fails the test if a byte of that has changed.
 *
 * Functions that return a u8 return the status of the device's command; others
 * fail the test when they cannot do what they say, unless noted.
 */
#ifndef ERNICTEST_H
#define ERNICTEST_H

#include <net/if.h>

#include <ionic/cmd.h>
#include <ionic/desc.h>
#include <ionic/info.h>
#include <ionic/regs.h>

#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include "tap.h"

#define ET_ARENA_SIZE	(4u << 20)
#define ET_ARENA_IOVA	0x100000000ull
#define ET_HOLE_IOVA	0x200000000ull	/* nothing is ever mapped here */
#define ET_PAGE		4096u
#define ET_CANARY	0xc5
#define ET_ETHERTYPE	0x88b5		/* IEEE 802, local experimental */
#define ET_MAX_ALLOCS	64
#define ET_PAIRS	2
#define ET_RXBUF	2048u

/* the numbers of enum ernic_qid and of its doorbell slots */
#define ET_QID_RX(i)	(2 + 2 * (i))
#define ET_QID_TX(i)	(3 + 2 * (i))

enum et_iommu {
	ET_IOMMUFD,	/* /dev/vfio/devices/vfioN and /dev/iommu */
	ET_GROUP,	/* /dev/vfio/N and a container: type1 or iommufd's */
};

struct et_config {
	enum et_iommu iommu;
	const char *bus;	/* "mdev" or "ernic" */
	const char *profile;
	const char *doorbell;	/* NULL: nothing is mapped, all goes by pwrite() */
	void (*opening)(int file);	/* VFIO's file, before it opens the device */
};

extern struct et_config et_config;

struct et_mem {
	u8 *va;
	u64 iova;
	size_t len;
};

/* a ring; indices as in the guest's driver */
struct et_queue {
	struct et_dev *dev;
	u8 type;
	u16 index;
	u16 n;
	u16 flags;		/* ION_QINIT_F_* */
	u16 intr;
	u32 hw_index;
	u8 hw_type;
	struct et_mem ring, cq, sg;
	struct et_mem buf;	/* receive: ET_RXBUF each */
	u16 head;		/* next slot to post */
	u16 tail;		/* oldest that is not completed */
	u16 cq_pos;
	u8 color;
};

struct et_dev {
	char uuid[40];
	char path[128];
	char netdev[IFNAMSIZ];
	enum et_iommu iommu;
	int fd, container, group;
	u32 ioas;
	u64 region[VFIO_PCI_NUM_REGIONS];
	volatile u8 *map[VFIO_PCI_NUM_REGIONS];	/* the first area of a region */
	u32 map_off[VFIO_PCI_NUM_REGIONS];

	struct et_mem arena;
	size_t arena_used;
	struct et_mem allocs[ET_MAX_ALLOCS];
	unsigned int nallocs;

	int irq[ION_MSIX_VECTORS];
	int packet;

	union ion_comp comp;	/* of the last command */
	u64 features;
	u8 mac[6];
	struct et_mem lif_info, port_info;
	struct et_queue adminq, notifyq;
	struct et_queue tx[ET_PAIRS], rx[ET_PAIRS];
};

/* ---- host.c: the host's side ---------------------------------------------- */

void et_uuid(char *uuid, unsigned int n);
/* 0 or a negative errno */
int et_create(const char *bus, const char *uuid, const char *profile);
int et_remove(const char *bus, const char *uuid);
int et_write_file(const char *path, const char *text);
int et_read_file(const char *path, char *buf, size_t len);
/* a line "name value" of a file in debugfs; fails the test if there is none */
u64 et_debugfs(const char *uuid, const char *file, const char *name);
u64 et_stat(struct et_dev *d, const char *name);
void et_stat_wait(struct et_dev *d, const char *name, u64 at_least);
void et_netdev_up(struct et_dev *d, bool up);
void et_packet_open(struct et_dev *d);
void et_frame(void *buf, size_t len, const u8 *dst, const u8 *src, u32 seed);
int et_host_send(struct et_dev *d, const void *buf, size_t len);
/* bytes of a frame with ET_ETHERTYPE from the guest, or -1 after @ms */
int et_host_recv(struct et_dev *d, void *buf, size_t len, int ms);
u64 et_now_ms(void);
/* so many rounds or milliseconds, or what ERNIC_EFFORT, in percent, leaves of them */
unsigned int et_effort(unsigned int n);

/* ---- vfio.c: the VMM -------------------------------------------------------- */

bool et_iommu_available(enum et_iommu iommu);
/* opens device @uuid of et_config.bus and maps the arena */
void et_open(struct et_dev *d, const char *uuid);
void et_close(struct et_dev *d);
/* 0 or a negative errno */
int et_map(struct et_dev *d, void *va, u64 iova, size_t len);
int et_unmap(struct et_dev *d, u64 iova, size_t len);

struct et_mem et_alloc(struct et_dev *d, size_t len, u8 fill);
void et_check_canary(struct et_dev *d);

/* the only area of a region that can be mapped; false if there is none */
/* the @n-th area of a region that can be mapped, from 0 */
bool et_area(struct et_dev *d, unsigned int region, unsigned int n, u64 *off,
	     u64 *len);
/* by the mapping where there is one and the access is one of a driver */
u64 et_load(struct et_dev *d, unsigned int region, u32 off, unsigned int size);
void et_store(struct et_dev *d, unsigned int region, u32 off, unsigned int size,
	      u64 val);
#define BAR0	VFIO_PCI_BAR0_REGION_INDEX
#define BAR2	VFIO_PCI_BAR2_REGION_INDEX
#define CFG	VFIO_PCI_CONFIG_REGION_INDEX
void et_bus_master(struct et_dev *d, bool on);
u32 et_cap(struct et_dev *d, u8 id);
void et_flr(struct et_dev *d);
void et_vfio_reset(struct et_dev *d);

/* 0 or a negative errno; @fd -1 takes the eventfd away */
int et_irq_set(struct et_dev *d, unsigned int index, unsigned int start,
	       unsigned int count, u32 flags, const void *data, size_t len);
int et_irq_fd(struct et_dev *d, unsigned int vec, int fd);
int et_irq_mask(struct et_dev *d, unsigned int vec, bool mask);
void et_irq_enable(struct et_dev *d, unsigned int vec);
/* how often it fired since the last call; 0 after @ms */
u64 et_irq_wait(int fd, int ms);

/* ---- ionic.c: the guest's driver -------------------------------------------- */

u8 et_devcmd(struct et_dev *d, const union ion_cmd *cmd);
void et_side_write(struct et_dev *d, const void *buf, size_t len);
void et_side_read(struct et_dev *d, void *buf, size_t len);
u8 et_adminq(struct et_dev *d, const union ion_cmd *cmd);
/* posts without waiting; the index of the slot */
u16 et_adminq_post(struct et_dev *d, const union ion_cmd *cmd);
bool et_adminq_reap(struct et_dev *d, int ms);

void et_doorbell(struct et_dev *d, unsigned int slot, u32 qid, u16 p_index);
void et_ring(struct et_queue *q);

u8 et_reset(struct et_dev *d);
u8 et_lif_init(struct et_dev *d);
u8 et_lif_reset(struct et_dev *d);
u8 et_set_features(struct et_dev *d, u64 features);
u8 et_rx_mode(struct et_dev *d, u16 mode);
void et_q_alloc(struct et_dev *d, struct et_queue *q, u8 type, u16 index,
		u16 n);
union ion_cmd et_q_init_cmd(const struct et_queue *q);
/* start of a new life: indices, colour, memory of the completion ring */
void et_q_clear(struct et_queue *q);
u8 et_q_init(struct et_queue *q);
u8 et_q_control(struct et_queue *q, u8 oper);
void et_intr_write(struct et_dev *d, unsigned int vec, u32 reg, u32 val);
u32 et_intr_read(struct et_dev *d, unsigned int vec, u32 reg);

/* everything up to a LIF with admin and notify queue; twice is fine */
void et_attach(struct et_dev *d);
/* all pairs set up, receive buffers posted, interrupts unmasked, enabled */
void et_start(struct et_dev *d);
void et_stop(struct et_dev *d);
/* et_attach(), netdev up, et_start(): ready for frames */
void et_up(struct et_dev *d);

void et_tx_desc(struct et_queue *q, u64 addr, u16 len, u8 opcode, u8 flags,
		u8 nsge);
struct ion_txq_desc *et_tx_slot(struct et_queue *q);
struct ion_sg_elem *et_tx_sg(struct et_queue *q, u16 slot);
unsigned int et_tx_free(const struct et_queue *q);
/* descriptors completed since the last call; status of the last in *@status */
unsigned int et_tx_reap(struct et_queue *q, u8 *status);
/* waits until every posted descriptor is completed */
bool et_tx_drain(struct et_queue *q, int ms);
void et_rx_post(struct et_queue *q, u64 addr, u16 len);
void et_rx_fill(struct et_queue *q);
bool et_rx_reap(struct et_queue *q, struct ion_rxq_comp *comp);
bool et_rx_wait(struct et_queue *q, struct ion_rxq_comp *comp, int ms);
/* any queue of the device; which one in *@q */
bool et_rx_any(struct et_dev *d, struct et_queue **q, struct ion_rxq_comp *comp,
	       int ms);

/* one frame each way, byte for byte, on a device that is up */
void et_send_one(struct et_dev *d, unsigned int pair, size_t len);
void et_recv_one(struct et_dev *d, size_t len);
/* after anything bad: reset, bring up, one frame each way, canary */
void et_still_works(struct et_dev *d);

#endif
