/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to drivers/ernic/function: the parts of one function.
 */
#ifndef ERNIC_FUNCTION_H
#define ERNIC_FUNCTION_H

#include <ernic/dev.h>

/**
 * struct ernic_cmd_ctx - one command being executed by the control worker
 * @req: private copy of the request
 * @comp: completion to fill, zeroed; status is set by the caller
 * @data: ION_CMD_SIDE_DATA_LEN bytes of side data, in and out; NULL on the
 *	admin queue, which has none
 */
struct ernic_cmd_ctx {
	const union ion_cmd *req;
	union ion_comp *comp;
	u8 *data;
};

/* command.c: runs one command under state_lock; enum ion_status */
u8 ernic_command(struct ernic_dev *edev, struct ernic_cmd_ctx *c);

/* devcmd.c */
void ernic_devcmd_reset(struct ernic_dev *edev);
u64 ernic_devcmd_read(struct ernic_dev *edev, u32 off, unsigned int size);
void ernic_devcmd_write(struct ernic_dev *edev, u32 off, unsigned int size,
			u64 val);
void ernic_devcmd_run(struct ernic_dev *edev);

/* identity.c: fill side data; the buffer is zeroed first */
u8 ernic_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_lif_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_port_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_q_identify(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u64 ernic_supported_features(const struct ernic_dev *edev);
void ernic_port_config_default(const struct ernic_dev *edev,
			       struct ion_port_config *config);
u16 ernic_xcvr_pid(const struct ernic_profile *p);
#define ERNIC_MAX_FRAME_EXTRA	18	/* Ethernet header and VLAN tag */

/* adminq.c, notifyq.c */
void ernic_adminq_run(struct ernic_dev *edev);
u8 ernic_notifyq_setup(struct ernic_dev *edev);
int ernic_notify(struct ernic_dev *edev, struct ion_notifyq_event *ev);

/* queue.c */
u8 ernic_q_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_q_control(struct ernic_dev *edev, struct ernic_cmd_ctx *c);

/* lif.c, port.c; the caller holds state_lock */
u8 ernic_lif_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
void ernic_lif_reset(struct ernic_dev *edev);
void ernic_lif_forget(struct ernic_dev *edev);
u8 ernic_lif_setattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_lif_getattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
void ernic_lif_publish_status(struct ernic_dev *edev);
u8 ernic_port_init(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
void ernic_port_reset(struct ernic_dev *edev);
u8 ernic_port_setattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
u8 ernic_port_getattr(struct ernic_dev *edev, struct ernic_cmd_ctx *c);
void ernic_port_publish(struct ernic_dev *edev);
/* re-evaluates the link and tells guest and host of a change */
void ernic_link_update(struct ernic_dev *edev);

/* stats.c */
void ernic_stats_init(struct ernic_dev *edev);
void ernic_stats_stop(struct ernic_dev *edev);
void ernic_stats_publish(struct ernic_dev *edev);
void ernic_stats_publish_lif(struct ernic_dev *edev);
void ernic_stats_publish_port(struct ernic_dev *edev);

/* device.c: RESET and everything that implies it; the caller holds state_lock */
void ernic_function_reset(struct ernic_dev *edev);

/* attrs.c, debugfs.c */
void ernic_debugfs_init(void);
void ernic_debugfs_exit(void);
void ernic_debugfs_add(struct ernic_dev *edev);
void ernic_debugfs_del(struct ernic_dev *edev);
int ernic_firmware_reset(struct ernic_dev *edev);
struct ernic_dev *ernic_dev_find(struct device *dev);
extern struct mutex ernic_devs_lock;
const char *ernic_state_name(enum ernic_state state);

/* a guest address range below 2^52 that does not wrap, aligned to @align */
static inline bool ernic_range_ok(u64 addr, u64 len, unsigned int align)
{
	return addr && IS_ALIGNED(addr, align) && len &&
	       addr <= ION_ADDR_MASK && len - 1 <= ION_ADDR_MASK - addr;
}

#endif
