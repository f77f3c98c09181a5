#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Allocations fail, one after the other and at random; needs the debug kernel,
# whose sanitizers and leak detector are the judges.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

if [ ! -e /proc/self/fail-nth ] || [ ! -d /sys/kernel/debug/failslab ]; then
	echo "1..0 # SKIP no fault injection in this kernel"
	exit 0
fi

fs=/sys/kernel/debug/failslab
fp=/sys/kernel/debug/fail_page_alloc
inject() { # inject PERCENT: in tasks that are marked
	local d
	for d in $fs $fp; do
		echo Y >$d/task-filter
		echo N >$d/ignore-gfp-wait
		echo -1 >$d/times
		echo 0 >$d/verbose
		echo "$1" >$d/probability
	done
}
# marks all threads of the device
mark() {
	local t
	for t in $(pgrep '^ernic[0-9]'); do
		echo 1 >"/proc/$t/make-it-fail"
	done
}
quiet_log() { echo 1 >/proc/sys/kernel/printk; }

# every_nth WRITE-VALUE FILE: the n-th allocation of the write fails, for each n
# until it succeeds
every_nth() {
	local n value=$1 file=$2 max=${3:-400}
	for ((n = 1; n < max; n++)); do
		# shellcheck disable=SC2016 # one shell: the n counts its allocations
		if bash -c 'exec 3>"$2"; echo '"$n"' >/proc/self/fail-nth; echo "$1" >&3' - "$value" "$file" 2>/dev/null; then
			# less than n allocations: nothing failed any more
			echo "$n"
			return 0
		fi
	done
	echo "still failing at $n"
	return 1
}

create() {
	local type uuid n
	type=$(echo /sys/class/mdev_bus/ernic_host/mdev_supported_types/ernic_host-small-vm)
	[ -d "$type" ]
	uuid=11111111-2222-3333-4444-555555555555
	n=$(every_nth $uuid "$type/create")
	echo "created after $n attempts"
	want "attempts" "$n" -gt 5
	[ -d /sys/bus/mdev/devices/$uuid ]
	echo 1 >/sys/bus/mdev/devices/$uuid/remove
	# nothing is left behind: the same UUID can be had again, and the name
	echo $uuid >"$type/create"
	echo 1 >/sys/bus/mdev/devices/$uuid/remove
}
check "each allocation of creating a device fails once" create

setup
drv=/sys/bus/pci/drivers/ionic

probe() {
	# the driver's own allocations and ours on its behalf
	local i
	quiet_log
	for i in 1 2 3 4 5 6; do
		bdf 0 >$drv/unbind
		inject 10
		mark
		bdf 0 >$drv/bind 2>/dev/null || :
		inject 0
		[ -e "$drv/$(bdf 0)" ] || bdf 0 >$drv/bind
		adopt 0
		until_ok 20 alive 0
	done
	[ "$i" = 6 ]
}
check "allocations of the device fail while the driver probes" probe

queues() {
	local i
	for ((i = 0; i < 15; i++)); do
		inject 20
		mark
		g 0 ethtool -L eth0 combined $((1 + i % 2)) 2>/dev/null || :
		g 0 ethtool -G eth0 rx $((64 << (i % 3))) 2>/dev/null || :
		ip -n g0 link set eth0 down 2>/dev/null || :
		ip -n g0 link set eth0 up 2>/dev/null || :
		inject 0
	done
	bdf 0 >$drv/unbind
	bdf 0 >$drv/bind
	adopt 0
	until_ok 20 alive 0
	ping_both 0
}
check "allocations fail while queues are set up" queues

traffic() {
	load_start 0
	inject 20
	mark
	sleep 3
	inject 0
	load_stop
	until_ok 20 alive 0
	ping_both 0
	# the frames are gone, and known to be
	h 0 ethtool -S ernic0 | grep -E "drop|error" | grep -v " 0$" || :
}
check "allocations fail under traffic" traffic

loop_insmod() {
	local ns
	for ns in g0 h0; do ip netns del $ns; done
	rmmod ernic_loop
	insmod "$MOD/ernic_loop.ko"
	rmmod ernic_loop
}
check "unload afterwards" loop_insmod
tap_finish
