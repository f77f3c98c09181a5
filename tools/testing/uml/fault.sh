#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# options: --no-kmemleak
# Allocations fail at random; needs the debug kernel, whose sanitizers and leak
# detector are the judges.  Leaks are looked for here, as the guest's driver has
# some on its own error paths (ionic_qcq_alloc).  Creating a device is left out:
# VFIO's own error path warns there (vfio_create_group, vfio_group_release).
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

check "the kernel has nothing to report" /lab/agent kcheck

leaks() {
	local km=/sys/kernel/debug/kmemleak
	echo scan >$km
	sleep 6
	echo scan >$km
	awk 'BEGIN { RS = "unreferenced object" } /\[ernic_/' $km >/tmp/leaks
	cat /tmp/leaks
	[ ! -s /tmp/leaks ]
}
check "nothing of ours leaks" leaks
tap_finish
