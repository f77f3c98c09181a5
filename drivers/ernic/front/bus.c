// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices made without mdev, for kernels that lack it (CONFIG_VFIO_MDEV is
 * selected by drivers only, and cloud kernels have none):
 *
 *	echo "$uuid [profile]" > /sys/bus/ernic/new_device
 *	echo $uuid > /sys/bus/ernic/del_device
 *
 * The result, /sys/bus/ernic/devices/$uuid, is good for QEMU's sysfsdev=.
 */
#include <linux/completion.h>
#include <linux/device/bus.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "vfio.h"

/**
 * struct ernic_bus_dev - a device on the bus
 * @dev: in /sys/bus/ernic/devices
 * @uuid: its name
 * @profile: shape of the NIC
 * @node: in ernic_bus_devs
 * @ready: was probed once; only then the core may bind it by itself, so that
 *	new_device learns why a first probe failed
 * @dying: being removed
 */
struct ernic_bus_dev {
	struct device dev;
	uuid_t uuid;
	const struct ernic_profile *profile;
	struct list_head node;
	bool ready;
	bool dying;
};

static LIST_HEAD(ernic_bus_devs);
static DEFINE_MUTEX(ernic_bus_lock);	/* ernic_bus_devs, ernic_bus_open */
static bool ernic_bus_open;
static struct device *ernic_bus_parent;

/* devices whose memory is not freed, and one for the bus itself */
static refcount_t ernic_bus_refs;
static DECLARE_COMPLETION(ernic_bus_released);

static void ernic_bus_put(void)
{
	if (refcount_dec_and_test(&ernic_bus_refs))
		complete(&ernic_bus_released);
}

static struct ernic_bus_dev *to_ernic_bus_dev(struct device *dev)
{
	return container_of(dev, struct ernic_bus_dev, dev);
}

static void ernic_bus_dev_release(struct device *dev)
{
	kfree(to_ernic_bus_dev(dev));
	ernic_bus_put();
}

static ssize_t profile_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", to_ernic_bus_dev(dev)->profile->name);
}
static DEVICE_ATTR_RO(profile);

static struct attribute *ernic_bus_dev_attrs[] = {
	&dev_attr_profile.attr,
	NULL
};
ATTRIBUTE_GROUPS(ernic_bus_dev);

static const struct device_type ernic_bus_dev_type = {
	.groups = ernic_bus_dev_groups,
	.release = ernic_bus_dev_release,
};

static int ernic_bus_match(struct device *dev, const struct device_driver *drv)
{
	return to_ernic_bus_dev(dev)->ready;
}

static ssize_t new_device_store(const struct bus_type *bus, const char *buf,
				size_t count);
static ssize_t del_device_store(const struct bus_type *bus, const char *buf,
				size_t count);
static BUS_ATTR_WO(new_device);
static BUS_ATTR_WO(del_device);

static struct attribute *ernic_bus_attrs[] = {
	&bus_attr_new_device.attr,
	&bus_attr_del_device.attr,
	NULL
};
ATTRIBUTE_GROUPS(ernic_bus);

static const struct bus_type ernic_bus = {
	.name = "ernic",
	.match = ernic_bus_match,
	.bus_groups = ernic_bus_groups,
};

static int ernic_bus_probe(struct device *dev)
{
	return ernic_vfio_probe(dev, to_ernic_bus_dev(dev)->profile);
}

static int ernic_bus_remove_dev(struct device *dev)
{
	ernic_vfio_remove(dev);
	return 0;
}

static struct device_driver ernic_bus_driver = {
	.name = "ernic_host",
	.bus = &ernic_bus,
	.owner = THIS_MODULE,
	.mod_name = KBUILD_MODNAME,
	.probe = ernic_bus_probe,
	.remove = ernic_bus_remove_dev,
	.dev_groups = ernic_vfio_groups,
};

static struct ernic_bus_dev *ernic_bus_find(const uuid_t *uuid)
{
	struct ernic_bus_dev *b;

	list_for_each_entry(b, &ernic_bus_devs, node)
		if (uuid_equal(&b->uuid, uuid))
			return b;
	return NULL;
}

/* the caller holds ernic_bus_lock; drops the last reference if that fails */
static int ernic_bus_add(struct ernic_bus_dev *b)
{
	int err;

	refcount_inc(&ernic_bus_refs);
	device_initialize(&b->dev);
	b->dev.bus = &ernic_bus;
	b->dev.type = &ernic_bus_dev_type;
	b->dev.parent = ernic_bus_parent;

	err = dev_set_name(&b->dev, "%pUb", &b->uuid);
	if (err)
		goto err_put;
	err = device_add(&b->dev);
	if (err)
		goto err_put;
	err = device_driver_attach(&ernic_bus_driver, &b->dev);
	if (err)
		goto err_del;

	b->ready = true;
	list_add_tail(&b->node, &ernic_bus_devs);
	return 0;

err_del:
	device_del(&b->dev);
err_put:
	put_device(&b->dev);
	return err;
}

static int ernic_bus_new(const uuid_t *uuid, const struct ernic_profile *p)
{
	struct ernic_bus_dev *b;
	int err;

	mutex_lock(&ernic_bus_lock);
	if (!ernic_bus_open) {
		err = -ENODEV;
		goto out;
	}
	if (ernic_bus_find(uuid)) {
		err = -EEXIST;
		goto out;
	}
	b = kzalloc_obj(*b);
	if (!b) {
		err = -ENOMEM;
		goto out;
	}
	uuid_copy(&b->uuid, uuid);
	b->profile = p;
	err = ernic_bus_add(b);
out:
	mutex_unlock(&ernic_bus_lock);
	return err;
}

/*
 * Blocks until the VMM has closed the device, so without the lock.  The device
 * stays in the list until it has left sysfs: its name is taken.
 */
static void ernic_bus_del(struct ernic_bus_dev *b)
{
	device_del(&b->dev);
	mutex_lock(&ernic_bus_lock);
	list_del(&b->node);
	mutex_unlock(&ernic_bus_lock);
	put_device(&b->dev);
}

static const struct ernic_profile *ernic_bus_profile(const char *name)
{
	const struct ernic_profile *p;

	if (!*name || !strcmp(name, "default"))
		return ernic_default_profile;
	p = ernic_profile_find(name);
	if (!p)
		pr_err("ernic_host: no profile \"%s\"; valid are default, %s, %s, %s and %s\n",
		       name, ernic_profiles[0].name, ernic_profiles[1].name,
		       ernic_profiles[2].name, ernic_profiles[3].name);
	return p;
}

static_assert(ERNIC_NUM_PROFILES == 4);

/* splits a line in place: a UUID and, if @rest is given, one more word */
static int ernic_bus_parse(char *line, uuid_t *uuid, char **rest)
{
	char *word, *s = strim(line);

	word = strsep(&s, " \t");
	s = s ? skip_spaces(s) : "";
	if (strlen(word) != UUID_STRING_LEN || uuid_parse(word, uuid) ||
	    (!rest && *s)) {
		pr_err("ernic_host: expected a UUID%s\n",
		       rest ? " and, optionally, a profile" : "");
		return -EINVAL;
	}
	if (rest)
		*rest = s;
	return 0;
}

static ssize_t new_device_store(const struct bus_type *bus, const char *buf,
				size_t count)
{
	const struct ernic_profile *p;
	char *line, *name;
	uuid_t uuid;
	int err;

	line = kstrndup(buf, count, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	err = ernic_bus_parse(line, &uuid, &name);
	if (!err) {
		p = ernic_bus_profile(name);
		err = p ? ernic_bus_new(&uuid, p) : -EINVAL;
	}
	kfree(line);
	return err ?: count;
}

static ssize_t del_device_store(const struct bus_type *bus, const char *buf,
				size_t count)
{
	struct ernic_bus_dev *b;
	uuid_t uuid;
	char *line;
	int err;

	line = kstrndup(buf, count, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	err = ernic_bus_parse(line, &uuid, NULL);
	kfree(line);
	if (err)
		return err;

	mutex_lock(&ernic_bus_lock);
	b = ernic_bus_find(&uuid);
	if (!b)
		err = -ENOENT;
	else if (b->dying)
		err = -EBUSY;
	else
		b->dying = true;
	mutex_unlock(&ernic_bus_lock);
	if (err)
		return err;

	ernic_bus_del(b);
	return count;
}

/**
 * ernic_bus_init - register the bus
 * @parent: device of class ernic_host
 *
 * Return: 0 or a negative errno.
 */
int __init ernic_bus_init(struct device *parent)
{
	int err;

	ernic_bus_parent = parent;
	refcount_set(&ernic_bus_refs, 1);
	err = bus_register(&ernic_bus);
	if (err)
		return err;
	err = driver_register(&ernic_bus_driver);
	if (err) {
		bus_unregister(&ernic_bus);
		return err;
	}

	mutex_lock(&ernic_bus_lock);
	ernic_bus_open = true;
	mutex_unlock(&ernic_bus_lock);
	return 0;
}

/**
 * ernic_bus_exit - remove all devices and the bus
 *
 * A running del_device is waited for by the removal of the bus's attributes.
 */
void ernic_bus_exit(void)
{
	struct ernic_bus_dev *b, *tmp;
	LIST_HEAD(mine);

	mutex_lock(&ernic_bus_lock);
	ernic_bus_open = false;
	list_for_each_entry_safe(b, tmp, &ernic_bus_devs, node) {
		if (b->dying)
			continue;
		b->dying = true;
		list_move_tail(&b->node, &mine);
	}
	mutex_unlock(&ernic_bus_lock);

	list_for_each_entry_safe(b, tmp, &mine, node)
		ernic_bus_del(b);

	driver_unregister(&ernic_bus_driver);
	bus_unregister(&ernic_bus);

	ernic_bus_put();
	wait_for_completion(&ernic_bus_released);
}
