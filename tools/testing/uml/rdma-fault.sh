#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# options: --mem 1G --cpus 4 --append isolcpus=3 --no-kmemleak
# Allocations of the device fail while RDMA is set up and used.  Needs the debug kernel,
# see fault.sh.
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

if [ ! -e /proc/self/fail-nth ] || [ ! -d /sys/kernel/debug/failslab ]; then
	echo "1..0 # SKIP no fault injection in this kernel"
	exit 0
fi
fault_files() {
	local d
	for d in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
		echo Y >$d/task-filter
		echo N >$d/ignore-gfp-wait
		echo -1 >$d/times
		echo 0 >$d/verbose
		echo "$1" >$d/probability
	done
}
inject() { # PERCENT, in threads of the devices
	local t
	fault_files "$1"
	for t in $(pgrep '^ernic[0-9]'); do
		echo 1 >"/proc/$t/make-it-fail"
	done
}

check "two RDMA devices" rdma_setup
rdma_devices
load_ulp() { insmod "$MOD/ernic_ulp.ko"; }
check "the ULP loads" load_ulp
aux=/sys/bus/auxiliary/drivers/ionic_rdma.rdma
# warnings by the hundred are what is wanted here
echo 1 >/proc/sys/kernel/printk

adev() { basename "$(ls -d "/sys/bus/pci/devices/$(bdf "$1")"/ionic.rdma.*)"; }
rdma_unbind() { [ ! -e "$aux/$(adev "$1")" ] || adev "$1" >$aux/unbind; }
rdma_bind() { adev "$1" >$aux/bind; }
works() {
	fault_files 0
	host_rdma_empty_unless_bound
	rdma_ready
	ulp rc
	ulp fast-register "$DEV1" "$DEV0"
	ulp ud
}
host_rdma_empty_unless_bound() {
	local i
	for i in 0 1; do
		[ -e "$aux/$(adev $i)" ] || {
			host_rdma_empty $i
			rdma_bind $i
		}
	done
}

device_probe() {
	local r ok=0
	for r in 2 3 5 8 10 15 20 30; do
		rdma_unbind 0
		inject $r
		! rdma_bind 0 2>/dev/null || ok=$((ok + 1))
		fault_files 0
	done
	echo "$ok of 8 probes went well"
	works
}
check "the device's allocations fail while ionic_rdma probes" device_probe

# use PERCENT TEST...: in any order of failure and success
use() {
	local percent=$1 t n=0
	shift
	for t; do
		rdma_ready
		inject "$percent"
		ulp "$t" "$DEV0" "$DEV1" $RANDOM >/tmp/out 2>&1 || n=$((n + 1))
		tail -n 1 /tmp/out
		fault_files 0
	done
	echo "$n failed"
}
device_use() {
	use 2 rc ud fast-register chain send-invalidate reset many destroy
	use 20 rc ud fast-register chain send-invalidate bounds reset flush
	works
}
check "the device's allocations fail while queues and regions are made and used" device_use

the_end() {
	rmmod ernic_ulp
	rmmod ionic_rdma
	host_rdma_empty 0
	host_rdma_empty 1
	rmmod ernic_loop
}
check "all is unloaded" the_end
check "the kernel has nothing to report" /lab/agent kcheck

# The RDMA core forgets the counters of a port if the rest of its files cannot be made
# (drivers/infiniband/core/sysfs.c:setup_port).
known_leak='setup_port\\+0x[0-9a-f]+/0x[0-9a-f]+ \\[ib_core\\]'
leaks() {
	local km=/sys/kernel/debug/kmemleak
	echo scan >$km
	sleep 6
	echo scan >$km
	echo scan >$km
	awk -v known="$known_leak" 'BEGIN { RS = "unreferenced object" } NF && $0 !~ known' $km >/tmp/leaks
	cat /tmp/leaks
	[ ! -s /tmp/leaks ]
}
check "nothing leaks, of ours or of the driver" leaks
tap_finish
