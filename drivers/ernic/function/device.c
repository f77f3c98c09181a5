// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a function, and its control worker.
 *
 *	create ── open ── … RESET, LIF_INIT, LIF_RESET … ── close ── destroy
 *
 * A function that nobody has open has its netdev and nothing else: no thread,
 * no pin.  Open gives it power-on state.
 */
#include <linux/bitfield.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <ernic/eth.h>
#include <ernic/kunit.h>
#include <ernic/rdma.h>

#include "function.h"
#include "trace.h"

static unsigned int max_devices = 64;
module_param(max_devices, uint, 0444);
MODULE_PARM_DESC(max_devices, "most devices that can exist at once (default 64)");

/* how long firmware_reset keeps the running bit clear */
#define ERNIC_FW_DOWN_TIME	(2 * HZ)

/* the list, its length and the limit on it */
DEFINE_MUTEX(ernic_devs_lock);
static LIST_HEAD(ernic_devs);
static unsigned int ernic_ndevs;
static DEFINE_IDA(ernic_ids);

/**
 * ernic_ctrl_kick - have the control worker handle an event
 * @edev: device
 * @event: ERNIC_CTRL_*
 *
 * Any context; nothing happens while the device is not open.
 */
void ernic_ctrl_kick(struct ernic_dev *edev, unsigned int event)
{
	set_bit(event, &edev->ctrl_events);
	ernic_worker_kick(&edev->ctrl);
}
ERNIC_KUNIT_EXPORT(ernic_ctrl_kick);

static bool ernic_ctrl_poll(struct ernic_worker *w)
{
	struct ernic_dev *edev = container_of(w, struct ernic_dev, ctrl);

	mutex_lock(&edev->state_lock);
	WRITE_ONCE(edev->ctrl_busy_since, jiffies ?: 1);
	if (edev->open) {
		if (test_and_clear_bit(ERNIC_CTRL_DEVCMD, &edev->ctrl_events))
			ernic_devcmd_run(edev);
		if (test_and_clear_bit(ERNIC_CTRL_ADMINQ, &edev->ctrl_events))
			ernic_adminq_run(edev);
		if (test_and_clear_bit(ERNIC_CTRL_LINK, &edev->ctrl_events))
			ernic_link_update(edev);
		if (test_and_clear_bit(ERNIC_CTRL_STATS, &edev->ctrl_events))
			ernic_stats_publish(edev);
	}
	WRITE_ONCE(edev->ctrl_busy_since, 0);
	mutex_unlock(&edev->state_lock);
	return false;
}

/**
 * ernic_function_reset - RESET: stop all DMA, forget everything
 * @edev: device; the caller holds state_lock
 *
 * Keeps fw_status.  Works with bus mastering off: the driver resets before it
 * turns that on (ionic_bus_pci.c:ionic_setup_one).
 */
void ernic_function_reset(struct ernic_dev *edev)
{
	ernic_lif_reset(edev);
	ernic_port_reset(edev);
	ernic_eth_stats_zero(edev, true, true);
	ernic_rdma_stats_zero(edev);
	ernic_db_pages_reset(edev);
	edev->lif.link_down_count = 0;
	if (edev->state != ERNIC_ST_CLOSED && edev->state != ERNIC_ST_FW_DOWN)
		edev->state = ERNIC_ST_RESET;
}

/**
 * ernic_dev_reset - function-level reset
 * @edev: device
 *
 * Process context.  On return nothing can touch guest memory and all registers
 * have their power-on values.
 */
void ernic_dev_reset(struct ernic_dev *edev)
{
	cancel_delayed_work_sync(&edev->fw_up_work);
	mutex_lock(&edev->state_lock);
	/*
	 * A VMM shows the guest BARs of its own, which a reset leaves alone, so the
	 * guest finds nothing to restore: what vfio-pci does for a real device.
	 */
	ernic_cfg_reset(edev, !edev->front.msix_emulated);
	if (edev->state == ERNIC_ST_FW_DOWN)
		edev->state = ERNIC_ST_RESET;
	ernic_function_reset(edev);
	edev->ctrl_events = 0;
	ernic_devcmd_reset(edev);
	WRITE_ONCE(edev->fw_status, edev->fw_status | ION_FW_STS_RUNNING);
	mutex_unlock(&edev->state_lock);

	/* a guest that reboots unmaps: let that find no pins to wait for */
	ernic_dma_flush(edev);
}
EXPORT_SYMBOL_GPL(ernic_dev_reset);

static void ernic_fw_up(struct work_struct *work)
{
	struct ernic_dev *edev = container_of(to_delayed_work(work),
					      struct ernic_dev, fw_up_work);
	u8 gen;

	mutex_lock(&edev->state_lock);
	if (edev->state == ERNIC_ST_FW_DOWN) {
		/* a driver that slept through the gap sees the generation */
		gen = FIELD_GET(ION_FW_STS_GENERATION, edev->fw_status) + 1;
		ernic_devcmd_reset(edev);
		edev->state = ERNIC_ST_RESET;
		WRITE_ONCE(edev->fw_status, ION_FW_STS_RUNNING |
			   FIELD_PREP(ION_FW_STS_GENERATION, gen & 0xf));
		ernic_info(edev, "firmware up, generation %u\n", gen & 0xf);
	}
	mutex_unlock(&edev->state_lock);
}

/**
 * ernic_firmware_reset - take the firmware down and up again
 * @edev: device
 *
 * The RESET event makes the driver stop at once; without a notify queue it
 * finds out from fw_status within 5 s (ionic_dev.c:ionic_watchdog_cb).  It sets
 * everything up again by itself when the firmware runs with a new generation.
 *
 * Return: 0; -ENODEV if no guest has it open, -EBUSY during another cycle.
 */
int ernic_firmware_reset(struct ernic_dev *edev)
{
	struct ion_notifyq_event ev = {
		.ecode = cpu_to_le16(ION_EVENT_RESET),
	};
	int err = 0;

	mutex_lock(&edev->state_lock);
	if (!edev->open) {
		err = -ENODEV;
	} else if (edev->state == ERNIC_ST_FW_DOWN) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(edev->fw_status,
			   edev->fw_status & ~ION_FW_STS_RUNNING);
		/* stop first: the driver frees its rings when it hears of it */
		ernic_rdma_reset(edev);
		ernic_eth_stop(edev, true);
		ernic_notify(edev, &ev);
		ernic_lif_forget(edev);
		edev->port.init = false;
		edev->state = ERNIC_ST_FW_DOWN;
		schedule_delayed_work(&edev->fw_up_work, ERNIC_FW_DOWN_TIME);
		ernic_info(edev, "firmware down\n");
	}
	mutex_unlock(&edev->state_lock);
	return err;
}

static void ernic_derive_mac(const uuid_t *uuid, u8 *mac)
{
	u64 h = 0xcbf29ce484222325ull;
	int i;

	for (i = 0; i < UUID_SIZE; i++)
		h = (h ^ uuid->b[i]) * 0x100000001b3ull;
	for (i = 0; i < ETH_ALEN; i++)
		mac[i] = h >> (8 * i + 8);
	mac[0] = (mac[0] & 0xfc) | 0x02;
}

static int ernic_dev_enlist(struct ernic_dev *edev)
{
	struct ernic_dev *other;
	int err = 0;

	mutex_lock(&ernic_devs_lock);
	list_for_each_entry(other, &ernic_devs, node)
		if (uuid_equal(&other->uuid, &edev->uuid))
			err = -EEXIST;
	if (!err && ernic_ndevs >= max_devices)
		err = -ENOSPC;
	if (!err) {
		list_add_tail(&edev->node, &ernic_devs);
		ernic_ndevs++;
	}
	mutex_unlock(&ernic_devs_lock);
	return err;
}

static void ernic_dev_delist(struct ernic_dev *edev)
{
	mutex_lock(&ernic_devs_lock);
	list_del(&edev->node);
	ernic_ndevs--;
	mutex_unlock(&ernic_devs_lock);
}

/**
 * ernic_dev_find - device of a front end's struct device
 * @dev: front end's device
 *
 * The driver core removes attributes before it unbinds, so what their handlers
 * find stays while they run.
 */
struct ernic_dev *ernic_dev_find(struct device *dev)
{
	struct ernic_dev *edev, *found = NULL;

	mutex_lock(&ernic_devs_lock);
	list_for_each_entry(edev, &ernic_devs, node)
		if (edev->front.dev == dev)
			found = edev;
	mutex_unlock(&ernic_devs_lock);
	return found;
}

/**
 * ernic_dev_available - how many further devices may be created
 */
unsigned int ernic_dev_available(void)
{
	unsigned int n;

	mutex_lock(&ernic_devs_lock);
	n = max_devices > ernic_ndevs ? max_devices - ernic_ndevs : 0;
	mutex_unlock(&ernic_devs_lock);
	return n;
}
EXPORT_SYMBOL_GPL(ernic_dev_available);

/**
 * ernic_dev_create - make a function
 * @front: ops and device of the front end; copied
 * @uuid: its identity; log lines and the default MAC come from it
 * @profile: its shape; copied
 *
 * Return: the function, closed; or -EEXIST (UUID in use), -ENOSPC (max_devices
 * reached), -ENOMEM, or what registering the netdev says.
 */
struct ernic_dev *ernic_dev_create(const struct ernic_front *front,
				   const uuid_t *uuid,
				   const struct ernic_profile *profile)
{
	struct ernic_dev *edev;
	int err;

	edev = kvzalloc_obj(*edev, GFP_KERNEL_ACCOUNT);
	if (!edev)
		return ERR_PTR(-ENOMEM);

	edev->front = *front;
	edev->dev = front->dev;
	uuid_copy(&edev->uuid, uuid);
	snprintf(edev->name, sizeof(edev->name), "%pUb", uuid);
	edev->profile = *profile;
	edev->nvectors = ernic_profile_vectors(profile);
	ernic_derive_mac(uuid, edev->mac);
	edev->state = ERNIC_ST_CLOSED;
	edev->fw_status = ION_FW_STS_RUNNING |
			  FIELD_PREP(ION_FW_STS_GENERATION, 1);
	mutex_init(&edev->state_lock);
	spin_lock_init(&edev->devcmd.lock);
	INIT_DELAYED_WORK(&edev->fw_up_work, ernic_fw_up);
	ernic_worker_init(&edev->ctrl, ernic_ctrl_poll);
	edev->ctrl.page = &edev->db_page0;
	xa_init_flags(&edev->db_pages, XA_FLAGS_ACCOUNT);
	mutex_init(&edev->db_pages_lock);
	mutex_init(&edev->cmb.lock);
	edev->doorbell = ernic_doorbell_default;
	err = ernic_intr_init(edev);
	if (err)
		goto err_free;
	ernic_stats_init(edev);
	/* masks vectors */
	ernic_cfg_init(edev);
	ernic_filter_init(edev);
	ernic_port_config_default(edev, &edev->port.config);
	ether_addr_copy(edev->lif.mac_set, edev->mac);

	err = ernic_page_init(&edev->db_page0, edev, 0);
	if (err)
		goto err_intr;
	err = ida_alloc(&ernic_ids, GFP_KERNEL);
	if (err < 0)
		goto err_page;
	edev->id = err;
	err = ernic_dma_init(edev, front->dma);
	if (err)
		goto err_id;
	err = ernic_dev_enlist(edev);
	if (err)
		goto err_dma;
	err = ernic_rdma_create(edev);
	if (err)
		goto err_list;
	err = ernic_eth_create(edev);
	if (err)
		goto err_rdma;
	ernic_debugfs_add(edev);
	return edev;

err_rdma:
	ernic_rdma_destroy(edev);
err_list:
	ernic_dev_delist(edev);
err_dma:
	ernic_dma_exit(edev);
err_id:
	ida_free(&ernic_ids, edev->id);
err_page:
	ernic_page_exit(&edev->db_page0);
err_intr:
	ernic_intr_exit(edev);
err_free:
	kvfree(edev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(ernic_dev_create);

/**
 * ernic_dev_destroy - unmake a function
 * @edev: closed function
 */
void ernic_dev_destroy(struct ernic_dev *edev)
{
	WARN_ON_ONCE(edev->open);
	ernic_debugfs_del(edev);
	ernic_eth_destroy(edev);
	ernic_rdma_destroy(edev);
	/* the netdev may have counted a drop until now */
	ernic_stats_stop(edev);
	ernic_dev_delist(edev);
	ernic_dma_exit(edev);
	ida_free(&ernic_ids, edev->id);
	ernic_page_exit(&edev->db_page0);
	xa_destroy(&edev->db_pages);
	mutex_destroy(&edev->db_pages_lock);
	mutex_destroy(&edev->cmb.lock);
	ernic_intr_exit(edev);
	kvfree(edev);
}
EXPORT_SYMBOL_GPL(ernic_dev_destroy);

/**
 * ernic_dev_open - a VMM opens the function: power-on state
 * @edev: closed function
 *
 * Return: 0, -EBUSY if it is open already, or a negative errno.
 */
int ernic_dev_open(struct ernic_dev *edev)
{
	int err = 0;

	mutex_lock(&edev->state_lock);
	if (edev->open) {
		err = -EBUSY;
		goto out;
	}
	ernic_cfg_reset(edev, false);
	ernic_function_reset(edev);
	edev->lif.link_up = false;
	WRITE_ONCE(edev->guest_mtu, min_t(u32, edev->profile.mtu_max,
					  ETH_DATA_LEN));
	edev->ctrl_events = 0;
	ernic_devcmd_reset(edev);
	WRITE_ONCE(edev->fw_status, ION_FW_STS_RUNNING |
		   FIELD_PREP(ION_FW_STS_GENERATION, 1));
	edev->opened_at = jiffies;
	err = ernic_worker_start(&edev->ctrl, "ernic%u-ctrl", edev->id);
	if (err)
		goto out;
	edev->state = ERNIC_ST_RESET;
	ernic_rdma_open(edev);
	WRITE_ONCE(edev->open, true);
out:
	mutex_unlock(&edev->state_lock);
	return err;
}
EXPORT_SYMBOL_GPL(ernic_dev_open);

/**
 * ernic_dev_close - the VMM is gone: no thread, no pin, no state
 * @edev: open function
 */
void ernic_dev_close(struct ernic_dev *edev)
{
	mutex_lock(&edev->state_lock);
	WRITE_ONCE(edev->open, false);
	ernic_function_reset(edev);
	edev->state = ERNIC_ST_CLOSED;
	mutex_unlock(&edev->state_lock);

	/* not under state_lock: the worker and the work take it */
	cancel_delayed_work_sync(&edev->fw_up_work);
	ernic_worker_stop(&edev->ctrl);
	ernic_eth_close(edev);
	ernic_rdma_close(edev);
	ernic_intr_close(edev);
	ernic_stats_stop(edev);
	ernic_dma_disable(edev);
	ernic_dma_flush(edev);
}
EXPORT_SYMBOL_GPL(ernic_dev_close);
