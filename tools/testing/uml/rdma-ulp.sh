#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Kernel verbs between two devices and of one with itself, by tools/testing/ulp.
# options: --mem 768M --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices
load_ulp() { insmod "$MOD/ernic_ulp.ko"; }
check "the ULP loads" load_ulp

seeds=1
[ -z "${ERNIC_FULL:-}" ] || seeds=3
twice() { # both ways, and one device with itself
	local t=$1 s
	for ((s = 1; s <= seeds; s++)); do
		ulp "$t" "$DEV0" "$DEV1" "$s"
		ulp "$t" "$DEV1" "$DEV0" "$s"
		ulp "$t" "$DEV0" "$DEV0" "$s"
	done
}

check "RC: SEND of random lengths and places" twice rc
check "RC: the same, completions from a work queue" twice rc-workqueue
check "RC: the same, completions by polling" twice rc-direct
check "UD: SEND, GRH, source" twice ud
check "UD: the same, completions by polling" twice ud-direct
check "RC: most requests unsignalled" twice unsignalled
check "RC: READ, WRITE and WRITE with immediate, fast-registered memory" twice fast-register
check "RC: the same, completions by polling" twice fast-register-direct
check "REG_MR, SEND and LOCAL_INV in one chain, unsignalled" twice chain
check "SEND with invalidate: the key is told, and is no more" twice send-invalidate
check "keys: bounds, permissions, invalid ones" twice bounds
check "REG_MR of what is registered fails" twice register-twice
check "RESET and up again, twenty times" twice reset
check "ERR: all requests come back flushed, late ones too" twice flush
check "without a receive: waits for ever" twice rnr-waits
check "without a receive: gives up" twice rnr-gives-up
check "a queue pair in RESET: retries end" twice dead-peer
check "512 pairs of queue pairs, all at once, all data compared" twice many
if [ "$RDMA" = rxe ]; then
	skip "drained and destroyed under way, 60 times" "rxe 7.2 warns (rxe_sched_task)"
else
	check "drained and destroyed under way, 60 times" twice destroy
fi

if [ "$RDMA" = rxe ]; then
	check "UC: SEND" twice uc
	check "atomics" twice atomic
else
	check "SQD: drained when what has begun is completed" twice drained
	check "RTR: the first message is told" twice comm-est
	check "RC: an element of length zero is 2 GiB" twice two-gib
	# the port's MTU follows the netdev's: 1024, 2048 and 4096 bytes
	ud_at() {
		local i
		for i in 0 1; do
			ip link set "eth$i" mtu "$1"
		done
		twice ud-limit
		twice ud
	}
	for m in 1500 4191 4192 9000; do
		check "UD: as long as the port's MTU and not longer: netdev of $m" ud_at $m
	done

	# Bugs of the driver under test, see ionic_modify_qp_cmd and ionic_prep_atomic: if
	# these tests fail the driver has been mended, and they are to be as those above.
	fails_with() { # TEST WHY
		fails ulp "$1"
		grep -q "$2" /sys/kernel/debug/ernic_ulp/run
	}
	check "known bug of ionic_rdma: UC does not get to RTR" fails_with uc "to RTR: -12"
	check "known bug of ionic_rdma: atomics of the kernel do not what they should" fails_with atomic "atomic"
	check "and all goes on after it" ulp rc
fi

other_seeds() {
	local t
	for t in rc ud fast-register chain; do
		ulp "$t" "$DEV0" "$DEV1" $RANDOM
	done
}
check "other seeds" other_seeds
gone() { rmmod ernic_ulp; }
check "the ULP unloads" gone

tap_finish
