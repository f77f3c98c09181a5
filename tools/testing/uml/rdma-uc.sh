#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Queue pairs of type UC, with the driver that tools/guest/driver-pack makes for guests:
# the kernel's own does not get them to RTR (rdma-ulp.sh).
# options: --mem 768M --cpus 4 --append isolcpus=3 --driver-pack
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

load_driver() {
	# what the kernel's own needs
	modprobe ib_core
	modprobe ionic
	insmod "$MOD/ionic_rdma.ko"
	[ "$(</sys/module/ionic_rdma/srcversion)" = "$(modinfo -F srcversion "$MOD/ionic_rdma.ko")" ]
}
check "two RDMA devices, by the driver of the pack" rdma_setup
rdma_devices
load_ulp() { insmod "$MOD/ernic_ulp.ko"; }
check "the ULP loads" load_ulp

both() {
	ulp "$1" "$DEV0" "$DEV1"
	ulp "$1" "$DEV1" "$DEV0"
	ulp "$1" "$DEV0" "$DEV0"
	ulp "$1" "$DEV0" "$DEV1" $RANDOM
}
check "UC: SEND, with immediate data or without" both uc
check "UC: WRITE and WRITE with immediate, fast-registered memory" both uc-write
check "RC is as it was: SEND" both rc
check "RC is as it was: READ and WRITE" both fast-register

tap_finish
