/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct ernic_dev: one emulated ionic function, and what front ends, engines
 * and back ends call on it.
 *
 * Lock order, outermost first:
 *
 *	edev->state_lock	mutex; life cycle, device commands, admin queue
 *	pair->lock		mutex; data path of one queue pair
 *	page->lock		mutex; mapping of a doorbell page, page.c; not
 *				inside the two above
 *	edev->dma.srcu		readers of guest memory
 *	edev->dma.lock		mutex; pinning
 *	spinlocks		intr->lock, filter and statistics locks
 *
 * Whoever holds state_lock may stop the data path by taking every pair->lock.
 * Register writes of the guest never take state_lock or pair->lock: they latch
 * a value and wake a worker.
 */
#ifndef ERNIC_DEV_H
#define ERNIC_DEV_H

#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/etherdevice.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/pci_regs.h>
#include <linux/timer.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <ernic/cmb.h>
#include <ernic/dma.h>
#include <ernic/intr.h>
#include <ernic/page.h>
#include <ernic/profile.h>
#include <ionic/cmd.h>
#include <ionic/desc.h>
#include <ionic/info.h>
#include <ionic/regs.h>

struct ernic_dev;
struct ernic_eth;
struct ernic_rdma;

/**
 * struct ernic_irq_ops - interrupts of a front end
 * @signal: deliver MSI-X vector @vec; any context, must not call back into the
 *	guest's driver synchronously (the caller may be inside a register store
 *	made under the driver's locks)
 */
struct ernic_irq_ops {
	void (*signal)(struct ernic_dev *edev, unsigned int vec);
};

/**
 * struct ernic_front - what a front end passes to ernic_dev_create()
 * @dev: parent of the netdev, device of log lines and of the ernic/ attributes
 * @owner: module that implements the ops
 * @page: mapping of doorbell pages; NULL if stores only come by
 *	ernic_bar_write()
 * @msix_emulated: the MSI-X table in BAR0 and message control decide what is
 *	masked; false for VFIO, whose user owns the table and says with
 *	VFIO_DEVICE_SET_IRQS where a vector goes
 */
struct ernic_front {
	struct device *dev;
	const struct ernic_dma_ops *dma;
	const struct ernic_irq_ops *irq;
	const struct ernic_page_ops *page;
	struct module *owner;
	void *priv;
	bool msix_emulated;
};

/**
 * struct ernic_worker - a kernel thread that runs when kicked
 * @poll: does a bounded amount of work; true asks to be called again
 *
 * ernic_worker_kick() is lockless and callable from any context, also while no
 * thread exists.
 *
 * @page: doorbells that the thread looks for itself before it sleeps, or NULL
 * @polling: it is one of @page's pollers; its own
 * @memcg: who pays for what the thread allocates: the one that started it, for
 *	all of them in the end the VMM that opened the device
 */
struct ernic_worker {
	struct task_struct *task;
	wait_queue_head_t wait;
	unsigned long pending;
	bool (*poll)(struct ernic_worker *w);
	u64 wakeups;
	struct ernic_page *page;
	bool polling;
	struct mem_cgroup *memcg;
};

int ernic_worker_start(struct ernic_worker *w, const char *fmt, ...)
	__printf(2, 3);
void ernic_worker_stop(struct ernic_worker *w);
void ernic_worker_kick(struct ernic_worker *w);
void ernic_worker_init(struct ernic_worker *w,
		       bool (*poll)(struct ernic_worker *w));

/**
 * struct ernic_queue - one ring of the guest with its completion ring
 * @p_index: newest producer index the guest rang; latched in every state,
 *	written by vCPUs without a lock and always masked by the reader
 * @c_index: next descriptor to fetch
 * @cq_index: next completion to write
 * @color: colour of the current lap, 0 or ION_COLOR
 * @hw_type: doorbell slot on page 0
 * @init: Q_INIT done
 * @enabled: the device may touch the rings; changes under pair->lock
 *	(Ethernet) or state_lock (admin, notify)
 * @error: a ring could not be read or written; nothing more is fetched until
 *	the next Q_INIT
 */
struct ernic_queue {
	struct ernic_dev *edev;
	u8 type;
	u16 index;
	u16 intr;
	bool has_intr;
	bool sg;
	bool init;
	bool enabled;
	bool error;
	u8 hw_type;
	u8 color;
	u32 hw_index;
	u32 num_desc;
	u16 p_index;
	u16 c_index;
	u16 cq_index;
	u64 ring_base;
	u64 cq_base;
	u64 sg_base;
	u64 doorbells;
	u64 completions;
	struct ernic_worker *worker;
};

static inline u16 ernic_queue_mask(const struct ernic_queue *q)
{
	return q->num_desc - 1;
}

/* descriptors posted and not fetched; p_index is the guest's, so masked */
static inline u16 ernic_queue_avail(const struct ernic_queue *q)
{
	/* descriptors after the index: pairs with ernic_doorbell() */
	u16 p_index = smp_load_acquire(&q->p_index);

	return (p_index - q->c_index) & ernic_queue_mask(q);
}

/* reads descriptor @index, @size bytes each, from the main ring */
int ernic_queue_read_desc(struct ernic_queue *q, u16 index, void *desc,
			  size_t size);
/*
 * Writes the 16-byte completion @comp for the next slot of the completion ring,
 * colour word last with release.  The caller leaves the colour bit zero; it is
 * bit 7 of the last byte.  Raises no interrupt: batch, then ernic_queue_intr().
 */
int ernic_queue_complete(struct ernic_queue *q, void *comp);
void ernic_queue_intr(struct ernic_queue *q, unsigned int completions);
/* transmit completions; may wait */
void ernic_queue_intr_lazy(struct ernic_queue *q, unsigned int completions);
/* rate-limited log line, error state, counter; see function/queue.c */
void ernic_queue_fail(struct ernic_queue *q, int err, const char *what);

#define ERNIC_QID_ADMINQ	0
#define ERNIC_QID_NOTIFYQ	1
#define ERNIC_QID_RX(i)		(2 + 2 * (i))
#define ERNIC_QID_TX(i)		(3 + 2 * (i))
#define ERNIC_DB_SLOT_TX(i)	(16 + 2 * (i))
#define ERNIC_DB_SLOT_RX(i)	(17 + 2 * (i))
#define ERNIC_MAX_QUEUES	(2 + 2 * ERNIC_MAX_PAIRS)
#define ERNIC_ADMINQ_DESC_MAX	4096

/**
 * enum ernic_doorbell - what the administrator allows
 * @ERNIC_DOORBELL_AUTO: the best that works
 * @ERNIC_DOORBELL_TRAP: no doorbell page is mapped
 * @ERNIC_DOORBELL_TRACK: write tracking for good, or trap
 * @ERNIC_DOORBELL_FAULT: no help of KVM
 */
enum ernic_doorbell {
	ERNIC_DOORBELL_AUTO,
	ERNIC_DOORBELL_TRAP,
	ERNIC_DOORBELL_TRACK,
	ERNIC_DOORBELL_FAULT,
};

/* function/attrs.c; the module parameter, and a word or -EINVAL */
extern enum ernic_doorbell ernic_doorbell_default;
int ernic_doorbell_parse(const char *word);
const char *ernic_doorbell_name(enum ernic_doorbell doorbell);

#define ERNIC_RSS_TABLE		128

/**
 * struct ernic_rss - steering of received frames, RCU
 */
struct ernic_rss {
	struct rcu_head rcu;
	u16 types;			/* ION_RSS_TYPE_* */
	u8 key[ION_RSS_KEY_LEN];
	u8 table[ERNIC_RSS_TABLE];
};

/* RX filters, see eth/filter.c */
#define ERNIC_MAX_UCAST_FILTERS	256
#define ERNIC_MAX_MCAST_FILTERS	256
#define ERNIC_FILTER_HASH_BITS	6

struct ernic_filters {
	spinlock_t lock;		/* changes; readers use RCU */
	struct hlist_head mac[1 << ERNIC_FILTER_HASH_BITS];
	unsigned int nmac;
	unsigned long vlan[BITS_TO_LONGS(4096)];
	u32 next_id;
	u16 rx_mode;			/* ION_RX_MODE_* */
};

/**
 * struct ernic_lif - the logical interface; protected by state_lock unless said
 * @info_pa: guest address of struct ion_lif_info, 0 if none
 * @features: granted ION_ETH_HW_*; read without a lock by the data path
 */
struct ernic_lif {
	bool init;
	u64 info_pa;
	u64 features;
	u32 mtu;
	char name[16];
	u8 mac_set[ETH_ALEN];
	u64 eid;
	struct ernic_queue adminq;
	struct ernic_queue notifyq;
	struct ernic_rss __rcu *rss;
	struct ernic_filters filters;
	u16 link_down_count;
	bool link_up;			/* as last told to the guest */
};

struct ernic_port {
	bool init;
	u64 info_pa;
	struct ion_port_config config;
};

enum ernic_state {
	ERNIC_ST_CLOSED,	/* no VMM has it open */
	ERNIC_ST_RESET,		/* open, nothing set up */
	ERNIC_ST_READY,		/* INIT or LIF_IDENTIFY seen */
	ERNIC_ST_RUNNING,	/* LIF initialised */
	ERNIC_ST_FW_DOWN,	/* firmware_reset cycle */
};

/**
 * struct ernic_devcmd - device-command registers
 * @lock: @regs, @busy; a spinlock, as the guest's stores must not sleep
 * @busy: a command was started and is not done; further starts are ignored
 * @scratch: side data of the running command, control worker only
 */
struct ernic_devcmd {
	spinlock_t lock;
	bool busy;
	u8 regs[ION_DEV_CMD_SIZE] __aligned(8);
	u8 scratch[ION_CMD_SIDE_DATA_LEN] __aligned(8);
};

/**
 * struct ernic_dev - one function
 * @front: ops and device of the front end
 * @state: see enum ernic_state; @state_lock
 * @open: a VMM has it open; @state_lock
 * @fw_status: register byte, see ION_FW_STS_*; read without a lock
 * @guest_mtu: of the guest's netdev: what it was told of last, while the device is open,
 *	as the driver does not repeat it after LIF_INIT; before that the kernel's default
 *	(ionic_lif.c:ionic_change_mtu); @state_lock to change it
 * @ctrl: runs device commands, the admin queue, link and statistics work
 * @ctrl_busy_since: jiffies when the running command began, 0 if none
 * @stats_dirty: bit 0: counters moved since they were last published
 */
struct ernic_dev {
	struct device *dev;
	struct ernic_front front;
	uuid_t uuid;
	char name[UUID_STRING_LEN + 1];
	struct list_head node;
	unsigned int id;

	struct ernic_profile profile;
	u8 mac[ETH_ALEN];		/* the guest's permanent address */
	unsigned int nvectors;

	struct mutex state_lock;
	enum ernic_state state;
	bool open;
	u8 fw_status;
	u32 guest_mtu;
	unsigned long opened_at;

	u8 cfg[PCI_CFG_SPACE_EXP_SIZE];	/* function/config.c */
	struct mutex cfg_lock;		/* DMA follows COMMAND and power state */
	spinlock_t cfg_bytes_lock;	/* @cfg; any context */
	struct ernic_msix msix;

	struct ernic_dma dma;
	struct ernic_intr intr[ION_MSIX_VECTORS];
	struct page *intr_page;		/* registers, function/intr.c */
	bool intr_is_mapped;
	struct ernic_intr_watch intr_watch;
	enum ernic_doorbell doorbell;
	struct ernic_page db_page0;
	enum ernic_page_mode db_pages_mode;	/* of the others */
	struct xarray db_pages;		/* struct ernic_upage by number, function/upage.c */
	struct mutex db_pages_lock;	/* they are not freed */
	struct workqueue_struct *db_pages_wq;	/* NULL: ERNIC_PAGE_TRAP */
	struct ernic_cmb cmb;
	struct ernic_devcmd devcmd;
	struct ernic_worker ctrl;
	unsigned long ctrl_events;	/* ERNIC_CTRL_* */
	unsigned long ctrl_busy_since;
	unsigned long stats_dirty;
	struct timer_list stats_timer;
	struct delayed_work fw_up_work;

	struct ernic_lif lif;
	struct ernic_port port;
	struct ernic_eth *eth;		/* drivers/ernic/eth, never NULL */
	struct ernic_rdma *rdma;	/* drivers/ernic/rdma, never NULL */
	struct net_device *netdev;

	atomic64_t bar_reads, bar_writes, bad_access, db_unknown;
	struct dentry *debugfs;
};

/* bits of ctrl_events, set by anyone, handled by the control worker */
enum {
	ERNIC_CTRL_DEVCMD,
	ERNIC_CTRL_ADMINQ,
	ERNIC_CTRL_LINK,		/* re-evaluate link, tell the guest */
	ERNIC_CTRL_STATS,		/* publish counters */
};

/* life cycle: create → (open → close)* → destroy; process context */
struct ernic_dev *ernic_dev_create(const struct ernic_front *front,
				   const uuid_t *uuid,
				   const struct ernic_profile *profile);
/* the caller has closed it; unregisters the netdev and frees */
void ernic_dev_destroy(struct ernic_dev *edev);
int ernic_dev_open(struct ernic_dev *edev);
void ernic_dev_close(struct ernic_dev *edev);
/* function-level reset: returns when nothing can touch guest memory */
void ernic_dev_reset(struct ernic_dev *edev);
/* number of devices a further create may still succeed for */
unsigned int ernic_dev_available(void);
extern const struct attribute_group ernic_dev_attr_group;	/* "ernic" */

/*
 * Register accesses of the guest.  @size is 1, 2, 4 or 8 and @off + @size lies
 * inside the BAR; a value is in CPU byte order.  Natural alignment is not
 * required; an access that makes no sense reads as zero and is counted.
 */
u64 ernic_bar_read(struct ernic_dev *edev, unsigned int bar, u32 off,
		   unsigned int size);
void ernic_bar_write(struct ernic_dev *edev, unsigned int bar, u32 off,
		     unsigned int size, u64 val);
/* first change of a counter since the last publication; any context */
void ernic_stats_changed(struct ernic_dev *edev);
/* the doorbell entrance, however the store arrived; any context */
void ernic_doorbell(struct ernic_dev *edev, unsigned int page,
		    unsigned int slot, u64 val);

/* PCI configuration space, little endian bytes; function/config.c */
void ernic_cfg_init(struct ernic_dev *edev);
void ernic_cfg_reset(struct ernic_dev *edev, bool keep_bars);
void ernic_cfg_read(struct ernic_dev *edev, u32 off, void *buf, size_t len);
void ernic_cfg_write(struct ernic_dev *edev, u32 off, const void *buf,
		     size_t len);
u64 ernic_cfg_bar(struct ernic_dev *edev, unsigned int bar);	/* address */
bool ernic_cfg_msix_enabled(struct ernic_dev *edev);
bool ernic_cfg_msix_masked(struct ernic_dev *edev);	/* function mask */
bool ernic_cfg_memory_on(struct ernic_dev *edev);	/* BARs decode */

void ernic_ctrl_kick(struct ernic_dev *edev, unsigned int event);

/* a VFIO device is named by its UUID, so its log lines are as well */
#define ernic_warn(edev, fmt, ...) \
	dev_warn_ratelimited((edev)->dev, fmt, ##__VA_ARGS__)
#define ernic_info(edev, fmt, ...) \
	dev_info((edev)->dev, fmt, ##__VA_ARGS__)

#endif
