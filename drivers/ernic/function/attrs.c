// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of a device, group ernic/ (Documentation/ABI/testing/sysfs-ernic).
 */
#include <linux/etherdevice.h>
#include <linux/hex.h>
#include <linux/sysfs.h>

#include <ernic/rdma.h>

#include "function.h"

/**
 * ernic_state_name - word for a state
 * @state: state
 */
const char *ernic_state_name(enum ernic_state state)
{
	static const char * const name[] = {
		[ERNIC_ST_CLOSED] = "closed",
		[ERNIC_ST_RESET] = "reset",
		[ERNIC_ST_READY] = "ready",
		[ERNIC_ST_RUNNING] = "running",
		[ERNIC_ST_FW_DOWN] = "firmware-down",
	};

	return name[state];
}

static ssize_t profile_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%s\n", edev->profile.name);
}
static DEVICE_ATTR_RO(profile);

static ssize_t mac_show(struct device *dev, struct device_attribute *attr,
			char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%pM\n", edev->mac);
}

static ssize_t mac_store(struct device *dev, struct device_attribute *attr,
			 const char *buf, size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	u8 mac[ETH_ALEN];
	ssize_t ret = count;

	if (!edev)
		return -ENODEV;
	/* mac_pton() takes what it likes and ignores the rest */
	if (count < 3 * ETH_ALEN - 1 ||
	    (count > 3 * ETH_ALEN - 1 &&
	     !sysfs_streq(buf + 3 * ETH_ALEN - 1, "")) ||
	    !mac_pton(buf, mac) || !is_valid_ether_addr(mac)) {
		ernic_warn(edev, "mac: not a unicast address aa:bb:cc:dd:ee:ff\n");
		return -EINVAL;
	}

	mutex_lock(&edev->state_lock);
	if (edev->open) {
		ret = -EBUSY;
	} else {
		ether_addr_copy(edev->mac, mac);
		ether_addr_copy(edev->lif.mac_set, mac);
	}
	mutex_unlock(&edev->state_lock);
	return ret;
}
static DEVICE_ATTR_RW(mac);

static ssize_t netdev_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%s\n", netdev_name(edev->netdev));
}
static DEVICE_ATTR_RO(netdev);

static ssize_t state_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%s\n",
			  ernic_state_name(READ_ONCE(edev->state)));
}
static DEVICE_ATTR_RO(state);

static const char * const ernic_doorbell_words[] = {
	[ERNIC_DOORBELL_AUTO] = "auto",
	[ERNIC_DOORBELL_TRAP] = "trap",
	[ERNIC_DOORBELL_TRACK] = "track",
	[ERNIC_DOORBELL_FAULT] = "fault",
};

/**
 * ernic_doorbell_parse - value of a word
 * @word: word, perhaps with a newline
 *
 * Return: enum ernic_doorbell or -EINVAL.
 */
int ernic_doorbell_parse(const char *word)
{
	return sysfs_match_string(ernic_doorbell_words, word);
}

/**
 * ernic_doorbell_name - word of a value
 * @doorbell: value
 */
const char *ernic_doorbell_name(enum ernic_doorbell doorbell)
{
	return ernic_doorbell_words[doorbell];
}

static ssize_t doorbell_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%s\n", ernic_doorbell_name(edev->doorbell));
}

static ssize_t doorbell_store(struct device *dev,
			      struct device_attribute *attr, const char *buf,
			      size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	int val = ernic_doorbell_parse(buf);
	ssize_t ret = count;

	if (!edev)
		return -ENODEV;
	if (val < 0) {
		ernic_warn(edev, "doorbell: not one of auto, trap, track, fault\n");
		return val;
	}

	mutex_lock(&edev->state_lock);
	if (edev->open)
		ret = -EBUSY;
	else
		edev->doorbell = val;
	mutex_unlock(&edev->state_lock);
	return ret;
}
static DEVICE_ATTR_RW(doorbell);

static ssize_t doorbell_mode_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	enum ernic_page_mode mode;

	if (!edev)
		return -ENODEV;
	mode = ernic_page_mode_now(&edev->db_page0);
	return sysfs_emit(buf, "%s\n", ernic_page_mode_name(mode));
}
static DEVICE_ATTR_RO(doorbell_mode);

static ssize_t firmware_reset_store(struct device *dev,
				    struct device_attribute *attr,
				    const char *buf, size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	bool on;
	int err;

	if (!edev)
		return -ENODEV;
	err = kstrtobool(buf, &on);
	if (err || !on)
		return -EINVAL;
	err = ernic_firmware_reset(edev);
	return err ?: count;
}
static DEVICE_ATTR_WO(firmware_reset);

static ssize_t rdma_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%s\n", ernic_rdma_backend_name(edev));
}

static ssize_t rdma_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	int err;

	if (!edev)
		return -ENODEV;
	mutex_lock(&edev->state_lock);
	err = edev->open ? -EBUSY : ernic_rdma_set_backend(edev, buf);
	mutex_unlock(&edev->state_lock);
	if (err == -EINVAL)
		ernic_warn(edev, "rdma: not one of none, loopback\n");
	return err ?: count;
}
static DEVICE_ATTR_RW(rdma);

static ssize_t rdma_domain_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	ssize_t ret;

	if (!edev)
		return -ENODEV;
	mutex_lock(&edev->state_lock);
	ret = sysfs_emit(buf, "%s\n", ernic_rdma_domain(edev));
	mutex_unlock(&edev->state_lock);
	return ret;
}

static ssize_t rdma_domain_store(struct device *dev,
				 struct device_attribute *attr,
				 const char *buf, size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	int err;

	if (!edev)
		return -ENODEV;
	mutex_lock(&edev->state_lock);
	err = edev->open ? -EBUSY : ernic_rdma_set_domain(edev, buf);
	mutex_unlock(&edev->state_lock);
	if (err == -EINVAL)
		ernic_warn(edev, "rdma_domain: not a word of at most %d characters\n",
			   ERNIC_RDMA_DOMAIN_LEN - 1);
	return err ?: count;
}
static DEVICE_ATTR_RW(rdma_domain);

static ssize_t rdma_expdb_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct ernic_dev *edev = ernic_dev_find(dev);

	if (!edev)
		return -ENODEV;
	return sysfs_emit(buf, "%d\n", READ_ONCE(edev->profile.rdma_expdb));
}

static ssize_t rdma_expdb_store(struct device *dev,
				struct device_attribute *attr, const char *buf,
				size_t count)
{
	struct ernic_dev *edev = ernic_dev_find(dev);
	bool on;
	int err;

	if (!edev)
		return -ENODEV;
	err = kstrtobool(buf, &on);
	if (err) {
		ernic_warn(edev, "rdma_expdb: not one of 0, 1\n");
		return err;
	}
	mutex_lock(&edev->state_lock);
	if (edev->open)
		err = -EBUSY;
	else
		WRITE_ONCE(edev->profile.rdma_expdb, on);
	mutex_unlock(&edev->state_lock);
	return err ?: count;
}
static DEVICE_ATTR_RW(rdma_expdb);

static struct attribute *ernic_dev_attrs[] = {
	&dev_attr_profile.attr,
	&dev_attr_mac.attr,
	&dev_attr_netdev.attr,
	&dev_attr_state.attr,
	&dev_attr_firmware_reset.attr,
	&dev_attr_doorbell.attr,
	&dev_attr_doorbell_mode.attr,
	&dev_attr_rdma.attr,
	&dev_attr_rdma_domain.attr,
	&dev_attr_rdma_expdb.attr,
	NULL,
};

const struct attribute_group ernic_dev_attr_group = {
	.name = "ernic",
	.attrs = ernic_dev_attrs,
};
EXPORT_SYMBOL_GPL(ernic_dev_attr_group);
