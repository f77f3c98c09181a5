#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# nvmet-rdma on one device, nvme-rdma on the other: connection management, fast
# registration, remote invalidation, and all data verified.
# options: --mem 1G --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices

target=/sys/kernel/config/nvmet
serve() {
	modprobe brd rd_nr=1 rd_size=65536
	modprobe -a nvmet-rdma nvme-rdma
	[ -b /dev/ram0 ]
	mkdir -p $target/subsystems/ernic/namespaces/1
	echo 1 >$target/subsystems/ernic/attr_allow_any_host
	echo /dev/ram0 >$target/subsystems/ernic/namespaces/1/device_path
	echo 1 >$target/subsystems/ernic/namespaces/1/enable
	mkdir $target/ports/1
	echo rdma >$target/ports/1/addr_trtype
	echo ipv4 >$target/ports/1/addr_adrfam
	echo "$IP1" >$target/ports/1/addr_traddr
	echo 4420 >$target/ports/1/addr_trsvcid
	ln -s $target/subsystems/ernic $target/ports/1/subsystems/ernic
}
check "the target serves" serve

attach() {
	nvme connect -t rdma -a "$IP1" -s 4420 -w "$IP0" -n ernic -i 2 || {
		dmesg | tail -n 60
		return 1
	}
	until_ok 10 test -b /dev/nvme0n1
}
detach() {
	nvme disconnect -n ernic
	until_ok 10 test ! -e /dev/nvme0n1
}
check "discovery" nvme discover -t rdma -a "$IP1" -s 4420 -w "$IP0"
check "connect" attach

# Each end reads what the other one wrote.
same() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cmp /dev/ram0 /dev/nvme0n1
}
direct() {
	dd if=/dev/urandom of=/tmp/data bs=1M count=16 status=none
	dd if=/tmp/data of=/dev/nvme0n1 bs=1M oflag=direct status=none
	cmp -n $((16 << 20)) /tmp/data /dev/ram0
	dd if=/dev/urandom of=/dev/ram0 bs=1M count=16 oflag=direct status=none
	dd if=/dev/nvme0n1 of=/tmp/data bs=1M count=16 iflag=direct status=none
	cmp -n $((16 << 20)) /tmp/data /dev/ram0
	same
}
check "16 MiB each way, compared at the other end" direct

# verified FIO-ARGS...
verified() {
	fio --name=v --filename=/dev/nvme0n1 --thread --direct=1 --size=48M --verify=crc32c --verify_fatal=1 \
		--verify_dump=0 --minimal "$@" >/tmp/fio
	same
}
check "4 KiB, queue depth 1, verified" verified --rw=randwrite --bs=4k --iodepth=1 --io_size=8M
check "4 KiB, queue depth 32, verified" verified --rw=randwrite --bs=4k --iodepth=32 --ioengine=libaio
check "512 B, queue depth 8, verified" verified --rw=randwrite --bs=512 --iodepth=8 --ioengine=libaio --io_size=4M
check "mixed sizes of 512 B to 1 MiB, verified" verified --rw=randwrite --bsrange=512-1M --bs_unaligned=0 \
	--blockalign=512 --iodepth=16 --ioengine=libaio
check "two jobs, reads and writes, verified" verified --rw=randrw --bs=16k --iodepth=8 --ioengine=libaio \
	--numjobs=2 --size=24M --offset_increment=24M

again() {
	local i
	detach
	for i in 1 2 3 4 5; do
		attach
		dd if=/dev/nvme0n1 of=/dev/null bs=1M count=4 iflag=direct status=none
		detach
	done
	attach
	verified --rw=randwrite --bs=64k --iodepth=4 --ioengine=libaio --io_size=8M
}
check "disconnect and connect, five times" again
no_register() {
	detach
	rmmod nvme_rdma
	modprobe nvme-rdma register_always=N
	attach
	verified --rw=randwrite --bs=4k --iodepth=16 --ioengine=libaio --io_size=8M
	detach
	rmmod nvme_rdma
	modprobe nvme-rdma
	attach
}
check "with the global key: as nvme-rdma does with register_always=N" no_register

goes_away() {
	# the target vanishes under load; the host finds out, and the end is clean
	fio --name=l --filename=/dev/nvme0n1 --thread --direct=1 --rw=randread --bs=4k --iodepth=8 \
		--ioengine=libaio --time_based --runtime=20 --size=32M --minimal >/tmp/fio2 2>&1 &
	local pid=$!
	sleep 2
	rm $target/ports/1/subsystems/ernic
	sleep 1
	nvme disconnect -n ernic
	wait $pid || :
	until_ok 20 test ! -e /dev/nvme0n1
	ln -s $target/subsystems/ernic $target/ports/1/subsystems/ernic
	attach
	same
	detach
}
check "the target goes under load, and comes back" goes_away

the_end() {
	rm $target/ports/1/subsystems/ernic
	rmdir $target/ports/1
	echo 0 >$target/subsystems/ernic/namespaces/1/enable
	rmdir $target/subsystems/ernic/namespaces/1 $target/subsystems/ernic
	rmmod nvme_rdma nvmet_rdma
}
check "all is taken down" the_end

tap_finish
