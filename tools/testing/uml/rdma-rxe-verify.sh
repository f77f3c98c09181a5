#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Control: ernic-verify finds nothing on rxe, and finds what is spoilt.  In real guests
# it runs on our device (group rdma); UML cannot map doorbells to a process.
# options: --no-module --mem 768M
set -uo pipefail
export ERNIC_RDMA=rxe
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "an RDMA device" rdma_setup
build() { make -s -C "$uml_dir/../rdma" OUT=/tmp/rdma CFLAGS="-O1 -Werror"; }
check "ernic-verify builds" build
v=(/tmp/rdma/ernic-verify --rxe)

check "RC, UC and UD: 300 random cases" "${v[@]}" -n 300 --types rc,uc,ud
check "the same seed, the same cases" "${v[@]}" -n 50 -S 7 --json
check "16 queue pairs of each type" "${v[@]}" -n 100 -q 16
check "a path MTU of 256" "${v[@]}" -n 100 --mtu 256
check "without windows" "${v[@]}" -n 100 --no-windows --types rc
check "each size up to 64 KiB" "${v[@]}" --sweep -m 64K --types rc,uc,ud
check "what must fail fails" "${v[@]}" --errors
two() {
	local pid
	"${v[@]}" --server >/tmp/server 2>&1 &
	pid=$!
	"${v[@]}" --connect 127.0.0.1 -n 200
	wait $pid
	cat /tmp/server
}
check "two processes" two
check_fails "control: a byte that changes is found" "${v[@]}" -n 20 --spoil 15
names_it() {
	fails "${v[@]}" -n 20 -S 5 --spoil 15 2>/tmp/err
	cat /tmp/err
	grep -q 'responder: memory differs' /tmp/err
	grep -q -- 'again: --seed 0x5 --first 14 --cases 1' /tmp/err
}
check "and the case is told" names_it
bad() { # STATUS 2, and no test
	local rc=0
	"${v[@]}" "$@" || rc=$?
	[ "$rc" = 2 ]
}
check "bad options are refused" bad --types rc,xrc
check "bad numbers are refused" bad -m 3G

tap_finish
