// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program around the tests of a file: options, and a fresh device or two
 * for each test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ernictest.h"
#include "tests.h"

struct et_config et_config = {
	.iommu = ET_IOMMUFD,
	.bus = "mdev",
	.profile = "small-vm",
};

char uuid0[40], uuid1[40];

static void setup(void)
{
	const char *uuid[] = { uuid0, uuid1 };
	int i, err;

	for (i = 0; i < 2; i++) {
		err = et_create(et_config.bus, uuid[i], et_config.profile);
		if (err)
			FAIL("create %s on %s: %s", uuid[i], et_config.bus,
			     strerror(-err));
	}
}

static bool exists(const char *uuid)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s", et_config.bus,
		 uuid);
	return !access(path, F_OK);
}

static void teardown(void)
{
	const char *uuid[] = { uuid0, uuid1 };
	int i, err;

	for (i = 0; i < 2; i++) {
		if (!exists(uuid[i]))
			continue;
		err = et_remove(et_config.bus, uuid[i]);
		if (err)
			FAIL("remove %s: %s", uuid[i], strerror(-err));
		CHECK(!exists(uuid[i]));
	}
}

static int usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [-i iommufd|group] [-b mdev|ernic] [-p PROFILE] [-d trap|track|fault|auto] [TEST]\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	struct tap_hooks hooks = { .setup = setup, .teardown = teardown };
	const char *base = strrchr(argv[0], '/');
	char prefix[64];
	int c;

	while ((c = getopt(argc, argv, "i:b:p:d:")) != -1) {
		switch (c) {
		case 'i':
			if (!strcmp(optarg, "iommufd"))
				et_config.iommu = ET_IOMMUFD;
			else if (!strcmp(optarg, "group"))
				et_config.iommu = ET_GROUP;
			else
				return usage(argv[0]);
			break;
		case 'b':
			et_config.bus = optarg;
			break;
		case 'd':
			et_config.doorbell = optarg;
			break;
		case 'p':
			et_config.profile = optarg;
			break;
		default:
			return usage(argv[0]);
		}
	}
	if (optind < argc)
		hooks.only = argv[optind];
	if (!et_iommu_available(et_config.iommu)) {
		printf("1..0 # SKIP no such IOMMU interface\n");
		return 0;
	}

	et_uuid(uuid0, 0);
	et_uuid(uuid1, 1);
	snprintf(prefix, sizeof(prefix), "%s-%s-%s%s%s",
		 base ? base + 1 : argv[0], et_config.bus,
		 et_config.iommu == ET_IOMMUFD ? "iommufd" : "group",
		 et_config.doorbell ? "-" : "", et_config.doorbell ?: "");
	hooks.prefix = prefix;
	return tap_run(&hooks);
}
