/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The RDMA engine (drivers/ernic/rdma): what function/ and eth/ call.
 */
#ifndef ERNIC_RDMA_H
#define ERNIC_RDMA_H

#include <linux/types.h>

#include <ionic/cmd.h>
#include <ionic/rdma.h>

struct ernic_dev;
struct ernic_rdma;
struct sk_buff;

/*
 * Doorbell slots of the RDMA classes, the same in each doorbell page.  The ones of
 * Ethernet queues begin at 16 (ernic/dev.h).
 */
#define ERNIC_DB_SLOT_SQ	2
#define ERNIC_DB_SLOT_RQ	3
#define ERNIC_DB_SLOT_CQ	4
#define ERNIC_DB_SLOT_EQ	5
#define ERNIC_DB_SLOT_AQ	6

#define ERNIC_RDMA_MAX_EQS	32
#define ERNIC_RDMA_MAX_PD	1024	/* ionic_ibdev.h:IONIC_MAX_PD */
#define ERNIC_RDMA_MAX_WORKERS	16

/**
 * enum ernic_rdma_backend - where messages of a device can go
 * @ERNIC_RDMA_NONE: nowhere; the device can be set up, and nobody is reached
 * @ERNIC_RDMA_LOOPBACK: to devices of this host, itself included, of the same
 *	domain
 */
enum ernic_rdma_backend {
	ERNIC_RDMA_NONE,
	ERNIC_RDMA_LOOPBACK,
};

#define ERNIC_RDMA_DOMAIN_LEN	32

/* attributes; the caller holds state_lock, to change one of a closed device */
const char *ernic_rdma_backend_name(const struct ernic_dev *edev);
int ernic_rdma_set_backend(struct ernic_dev *edev, const char *word);
const char *ernic_rdma_domain(const struct ernic_dev *edev);
int ernic_rdma_set_domain(struct ernic_dev *edev, const char *name);

/**
 * struct ernic_rdma_usage - objects of a device
 * @pages: entries in all page tables
 * @copied: bytes written to the device's memory or on the way there: as many as were
 *	transferred where both ends are mapped
 */
struct ernic_rdma_usage {
	u32 qps;
	u32 cqs;
	u32 mrs;
	u32 ahs;
	u32 gids;
	u64 pages;
	u64 copied;
};

void ernic_rdma_usage(struct ernic_dev *edev, struct ernic_rdma_usage *u);

/* life cycle; create and destroy go with the device, the others hold state_lock */
int ernic_rdma_create(struct ernic_dev *edev);
void ernic_rdma_destroy(struct ernic_dev *edev);
void ernic_rdma_open(struct ernic_dev *edev);
/* threads end, peers let go; not under state_lock, after ernic_rdma_reset() */
void ernic_rdma_close(struct ernic_dev *edev);
/* RDMA_RESET_LIF and all that implies it: no access to guest memory on return */
void ernic_rdma_reset(struct ernic_dev *edev);
/* bus mastering came back; any context */
void ernic_rdma_kick(struct ernic_dev *edev);

/* identity.c: is RDMA offered, and with which limits */
bool ernic_rdma_offered(const struct ernic_dev *edev);
void ernic_rdma_identify(const struct ernic_dev *edev,
			 struct ion_lif_identity *id);

/* commands of the Ethernet admin queue; enum ion_status */
u8 ernic_rdma_create_eq(struct ernic_dev *edev, const union ion_cmd *req);
u8 ernic_rdma_create_cq(struct ernic_dev *edev, const union ion_cmd *req);
u8 ernic_rdma_create_aq(struct ernic_dev *edev, const union ion_cmd *req);

/* a doorbell; any context; false if it is for no queue of ours */
bool ernic_rdma_doorbell(struct ernic_dev *edev, unsigned int page,
			 unsigned int slot, u64 val);

/* the table of addresses; module */
int ernic_gid_init(void);
void ernic_gid_exit(void);

/* the guest sent a frame: learn its addresses; process context */
void ernic_rdma_snoop(struct ernic_dev *edev, const struct sk_buff *skb);

/* adds to LIF counters; @lif has ION_LIF_STAT_COUNT */
void ernic_rdma_stats(struct ernic_dev *edev, u64 *lif);
void ernic_rdma_stats_zero(struct ernic_dev *edev);

#endif
