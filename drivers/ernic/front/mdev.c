// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices made through mdev: a type for each built-in profile, and "default",
 * which is the profile that the module was loaded with.
 */
#include <linux/mdev.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "vfio.h"

/**
 * struct ernic_mdev_type - type of mediated device
 * @type: what the mdev core knows of it
 * @profile: built-in profile; NULL for ernic_default_profile
 */
struct ernic_mdev_type {
	struct mdev_type type;
	const struct ernic_profile *profile;
};

static struct ernic_mdev_type ernic_mdev_types[ERNIC_NUM_PROFILES + 1];
static struct mdev_type *ernic_mdev_type_ptrs[ERNIC_NUM_PROFILES + 1];
static struct mdev_parent ernic_mdev_parent;

static const struct ernic_profile *ernic_mdev_profile(struct mdev_type *type)
{
	const struct ernic_profile *p =
		container_of(type, struct ernic_mdev_type, type)->profile;

	return p ?: ernic_default_profile;
}

static int ernic_mdev_probe(struct mdev_device *mdev)
{
	return ernic_vfio_probe(mdev_dev(mdev), ernic_mdev_profile(mdev->type));
}

static void ernic_mdev_remove(struct mdev_device *mdev)
{
	ernic_vfio_remove(mdev_dev(mdev));
}

static unsigned int ernic_mdev_available(struct mdev_type *type)
{
	return ernic_dev_available();
}

static ssize_t ernic_mdev_description(struct mdev_type *type, char *buf)
{
	int len;

	len = ernic_profile_describe(ernic_mdev_profile(type), buf,
				     PAGE_SIZE - 1);
	return len + sysfs_emit_at(buf, len, "\n");
}

static struct mdev_driver ernic_mdev_driver = {
	.device_api = VFIO_DEVICE_API_PCI_STRING,
	.probe = ernic_mdev_probe,
	.remove = ernic_mdev_remove,
	.get_available = ernic_mdev_available,
	.show_description = ernic_mdev_description,
	.driver = {
		.name = "ernic_host",
		.owner = THIS_MODULE,
		.mod_name = KBUILD_MODNAME,
		.dev_groups = ernic_vfio_groups,
	},
};

/**
 * ernic_mdev_init - offer the types
 * @parent: device of class ernic_host
 *
 * Return: 0 or a negative errno.
 */
int __init ernic_mdev_init(struct device *parent)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(ernic_mdev_types); i++) {
		struct ernic_mdev_type *t = &ernic_mdev_types[i];

		if (i < ERNIC_NUM_PROFILES) {
			t->profile = &ernic_profiles[i];
			t->type.sysfs_name = t->profile->name;
		} else {
			t->type.sysfs_name = "default";
		}
		t->type.pretty_name = ernic_mdev_profile(&t->type)->name;
		ernic_mdev_type_ptrs[i] = &t->type;
	}

	err = mdev_register_driver(&ernic_mdev_driver);
	if (err)
		return err;
	err = mdev_register_parent(&ernic_mdev_parent, parent,
				   &ernic_mdev_driver, ernic_mdev_type_ptrs,
				   ARRAY_SIZE(ernic_mdev_type_ptrs));
	if (err)
		mdev_unregister_driver(&ernic_mdev_driver);
	return err;
}

/**
 * ernic_mdev_exit - remove all mediated devices and the types
 */
void ernic_mdev_exit(void)
{
	mdev_unregister_parent(&ernic_mdev_parent);
	mdev_unregister_driver(&ernic_mdev_driver);
}
