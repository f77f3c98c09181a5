#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A device of nvme-rdma goes under load, the host's or the target's, and comes again.
# What was written before, during and after is there.
#
# Known bug of ionic_rdma: a queue pair of a device that is removed cannot be moved to ERR
# any more (ionic_admin_wait: -ENODEV), and ib_drain_qp() warns.
# options: --mem 1G --cpus 4 --append isolcpus=3 --known __ib_drain_[sr]q
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices
rounds=1
[ -z "${ERNIC_FULL:-}" ] || rounds=5

target=/sys/kernel/config/nvmet
serve() {
	modprobe brd rd_nr=1 rd_size=65536
	modprobe -a nvmet-rdma nvme-rdma
	mkdir -p $target/subsystems/ernic/namespaces/1
	echo 1 >$target/subsystems/ernic/attr_allow_any_host
	echo /dev/ram0 >$target/subsystems/ernic/namespaces/1/device_path
	echo 1 >$target/subsystems/ernic/namespaces/1/enable
	mkdir $target/ports/1
	echo rdma >$target/ports/1/addr_trtype
	echo ipv4 >$target/ports/1/addr_adrfam
	# of any device, so that one that comes again is listened on
	echo 0.0.0.0 >$target/ports/1/addr_traddr
	echo 4420 >$target/ports/1/addr_trsvcid
	ln -s $target/subsystems/ernic $target/ports/1/subsystems/ernic
}
check "the target serves" serve

attach() {
	until_ok 20 nvme connect -t rdma -a "$IP1" -s 4420 -w "$IP0" -n ernic -i 2 \
		--reconnect-delay=1 --ctrl-loss-tmo=60 --keep-alive-tmo=5
	until_ok 10 test -b /dev/nvme0n1
}
detach() {
	nvme disconnect -n ernic
	until_ok 10 test ! -e /dev/nvme0n1
}
same() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cmp /dev/ram0 /dev/nvme0n1
}
io() { # SECONDS; all that was written is read again
	fio --name=v --filename=/dev/nvme0n1 --thread --direct=1 --size=32M --rw=randrw --bsrange=4k-256k \
		--bs_unaligned=0 --blockalign=4k --iodepth=16 --ioengine=libaio --verify=crc32c --verify_fatal=1 \
		--verify_dump=0 --verify_backlog=64 --time_based --runtime="$1" --minimal
}
check "connect" attach

# I/O of the host waits until the target's device is there again
of_target() {
	local r pid
	for ((r = 0; r < rounds; r++)); do
		io 12 >/tmp/fio &
		pid=$!
		sleep 2
		"$@" 1
		rdma_ready
		wait $pid
		same
	done
}
check "the target's driver is unbound" of_target unbind
check "the target's firmware restarts" of_target firmware

# with the host's own device its controllers go, and I/O fails
of_host() {
	local r pid
	for ((r = 0; r < rounds; r++)); do
		io 20 >/tmp/fio 2>&1 &
		pid=$!
		sleep 2
		"$@" 0
		fails wait $pid
		until_ok 20 test ! -e /dev/nvme0n1
		rdma_ready
		attach
		same
		io 2 >/tmp/fio
	done
}
check "the host's driver is unbound" of_host unbind

# if not, it has been mended, and --known above has to go
warned() { dmesg | has "WARNING: .* at __ib_drain_[sr]q"; }
check "known bug of ionic_rdma: a queue pair of a device that goes cannot be drained" warned

the_end() {
	detach
	rm $target/ports/1/subsystems/ernic
	rmdir $target/ports/1
	echo 0 >$target/subsystems/ernic/namespaces/1/enable
	rmdir $target/subsystems/ernic/namespaces/1 $target/subsystems/ernic
	rmmod nvme_rdma nvmet_rdma
}
check "all is taken down" the_end
tap_finish
