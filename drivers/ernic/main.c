// SPDX-License-Identifier: GPL-2.0-only
/*
 * ernic_host: a software ionic NIC for virtual machines.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include <ernic/dev.h>
#include <ernic/rdma.h>

#include "front/front.h"
#include "function/function.h"

static char *profile = ERNIC_PROFILE_DEFAULT;
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile,
		 "profile of devices of type default: compat, small-vm, generic-100g or generic-400g (default compat)");

static char *doorbell = "auto";
module_param(doorbell, charp, 0444);
MODULE_PARM_DESC(doorbell,
		 "how doorbells of new devices arrive: auto, trap, track or fault (default auto)");

enum ernic_doorbell ernic_doorbell_default;

const struct ernic_profile *ernic_default_profile = &ernic_profiles[0];
EXPORT_SYMBOL_GPL(ernic_default_profile);

static int __init ernic_host_init(void)
{
	const struct ernic_profile *p = ernic_profile_find(profile);
	int err;

	if (!p) {
		pr_err("ernic_host: profile=%s: no such profile; valid are %s, %s, %s and %s\n",
		       profile, ernic_profiles[0].name, ernic_profiles[1].name,
		       ernic_profiles[2].name, ernic_profiles[3].name);
		return -EINVAL;
	}
	ernic_default_profile = p;

	err = ernic_doorbell_parse(doorbell);
	if (err < 0) {
		pr_err("ernic_host: doorbell=%s: not one of auto, trap, track, fault\n",
		       doorbell);
		return err;
	}
	ernic_doorbell_default = err;

	err = ernic_gid_init();
	if (err)
		return err;
	ernic_debugfs_init();
	err = ernic_vfio_init();
	if (err) {
		ernic_debugfs_exit();
		ernic_gid_exit();
	}
	return err;
}
module_init(ernic_host_init);

static void __exit ernic_host_exit(void)
{
	ernic_vfio_exit();
	ernic_debugfs_exit();
	ernic_gid_exit();
}
module_exit(ernic_host_exit);

MODULE_DESCRIPTION("Software RDMA NIC for virtual machines (ionic PF over VFIO)");
MODULE_AUTHOR("The ernic authors");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
