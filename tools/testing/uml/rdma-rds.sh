#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# RDS from one device to the other: many small datagrams and some of a megabyte, in
# order and whole.
# options: --mem 768M --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices
check "rds_rdma loads" modprobe rds_rdma

check "1,000 datagrams each way" timeout 60 python3 "$uml_dir/rds.py" "$IP0" "$IP1" 1000 3000
check "20 datagrams of up to 200 kB each way" timeout 60 python3 "$uml_dir/rds.py" "$IP0" "$IP1" 20 200000
over_rdma() {
	# RDS counts what its RDMA transport did
	python3 "$uml_dir/rds.py" --connections >/tmp/conns
	cat /tmp/conns
	[ "$(cat /tmp/conns)" -gt 0 ]
}
check "over RDMA" over_rdma
unload() {
	until_ok 10 rmmod rds_rdma
}
check "rds_rdma unloads" unload

tap_finish
