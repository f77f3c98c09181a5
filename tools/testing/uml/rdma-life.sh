#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A device goes under full load of kernel verbs: its driver is unbound, its firmware
# restarts, it is unplugged, all is unloaded.  The peer gets errors, nothing is written
# late, nothing is left, and it works again.
# options: --mem 1G --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices
rounds=2
[ -z "${ERNIC_FULL:-}" ] || rounds=12

load_ulp() { insmod "$MOD/ernic_ulp.ko"; }
check "the ULP loads" load_ulp

unplug() {
	echo 1 >"/sys/bus/pci/devices/$(bdf "$1")/remove"
	host_rdma_empty "$1"
	echo 1 >/sys/bus/pci/rescan
	rdma_guest "$1"
}

unload() {
	rmmod ernic_loop
	insmod "$MOD/ernic_loop.ko" devices=2
	rdma_host 0
	rdma_host 1
	rdma_guest 0
	rdma_guest 1
	until_ok 15 has_rdma eth0
	until_ok 15 has_rdma eth1
	device_cpu
}

step=/sys/kernel/debug/ernic_ulp/step
at() { [ "$(<$step)" = "$1" ]; }
load_pid=
load_up() { # [DEVICE DEVICE]: returns when all requests are under way
	echo 0 >$step
	ulp load "$@" &
	load_pid=$!
	until_ok 10 at 1
	sleep "0.$((RANDOM % 5 + 1))"
}

# under_load WAY I: requests of both ends are under way when WAY takes function I
under_load() {
	local r
	for ((r = 0; r < rounds; r++)); do
		rdma_ready
		load_up
		"$@"
		wait $load_pid
	done
	rdma_ready
	ulp rc
	ulp fast-register "$DEV1" "$DEV0"
}
# its peer is itself
alone() {
	rdma_ready
	load_up "$DEV0" "$DEV0"
	"$@"
	wait $load_pid
	rdma_ready
	ulp rc
}

for i in 0 1; do
	end=requester
	[ "$i" = 0 ] || end=responder
	check "the driver of the $end is unbound" under_load unbind "$i"
	check "the firmware of the $end restarts" under_load firmware "$i"
	check "the $end is unplugged" under_load unplug "$i"
done
check "both are unloaded" under_load unload
check "one that talks to itself: unbound" alone unbind 0
check "one that talks to itself: firmware" alone firmware 0

gone() { rmmod ernic_ulp; }
check "the ULP unloads" gone
check "the driver has no other complaint" quiet_driver "FW Down|FW Up"

tap_finish
