#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Counters of RDMA as the guest's tools show them, after traffic that is known: those of
# the LIF (hw_counters, rdma stat), and those of a queue pair that is bound to a counter.
# options: --mem 768M --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

check "two RDMA devices" rdma_setup
rdma_devices
load_ulp() { insmod "$MOD/ernic_ulp.ko"; }
check "the ULP loads" load_ulp

step=/sys/kernel/debug/ernic_ulp/step
# what tools/testing/ulp/load.c:ulp_count_traffic sends
sent=$((7 + 5 + 3)) sent_bytes=$((7 * 1000 + 5 * 5000 + 3 * 700)) received=7 received_bytes=7000

at() { [ "$(<$step)" = "$1" ]; }
count_pid=
count_start() {
	echo 0 >$step
	ulp count &
	count_pid=$!
	until_ok 10 at 1
}
count_go() {
	echo 2 >$step
	until_ok 10 at 3
}
count_end() {
	echo 4 >$step
	wait $count_pid
}

# the LIF's counters as "NAME VALUE": for the host, and for the guest in two ways
of_host() {
	awk '$1 ~ /^rdma_re|_rdma_/ { sub(/^rdma_/, "", $1); print substr($1, 1, 27), $2 }' \
		/sys/kernel/debug/ernic_host/*-6c6f6f70000"$1"/stats | sort
}
of_sysfs() {
	local f d=/sys/class/infiniband/$1/ports/1/hw_counters
	for f in "$d"/*; do
		[ "${f##*/}" = lifespan ] || echo "${f##*/} $(<"$f")"
	done | sort
}
of_rdma() {
	rdma -j statistic show link "$1/1" |
		jq -r '.[] | to_entries[] | select(.key != "ifname" and .key != "port") | "\(.key) \(.value)"' | sort
}
value() { awk -v k="$1" '$1 == k { print $2 }' "$2"; }

views() { # I DEVICE
	# what was read is kept for a while (RDMA_HW_STATS_DEFAULT_LIFESPAN)
	sleep 0.1
	of_host "$1" >/tmp/host
	[ "$(wc -l </tmp/host)" -ge 36 ]
	of_sysfs "$2" >/tmp/sysfs
	diff /tmp/host /tmp/sysfs
	of_rdma "$2" >/tmp/rdma
	diff /tmp/host /tmp/rdma
}

lif() {
	# connection management sends datagrams of its own, if at all before this
	of_host 0 >/tmp/a0
	of_host 1 >/tmp/b0
	count_start
	count_go
	of_host 0 >/tmp/a1
	of_host 1 >/tmp/b1
	count_end
	delta() { echo $(($(value "$1" "/tmp/$2"1) - $(value "$1" "/tmp/$2"0))); }
	want "requests sent" "$(delta tx_rdma_ucast_packets a)" -eq $sent
	want "bytes sent" "$(delta tx_rdma_ucast_bytes a)" -eq $sent_bytes
	want "messages received" "$(delta rx_rdma_ucast_packets b)" -eq $received
	want "bytes received" "$(delta rx_rdma_ucast_bytes b)" -eq $received_bytes
	want "requests of the responder" "$(delta tx_rdma_ucast_packets b)" -eq 0
	want "messages to the requester" "$(delta rx_rdma_ucast_packets a)" -eq 0
	views 0 "$DEV0"
	views 1 "$DEV1"
}
check "LIF: host, hw_counters and rdma stat show the same" lif

failures() {
	local k
	ulp rnr-gives-up
	ulp bounds
	views 0 "$DEV0"
	views 1 "$DEV1"
	for k in req_rx_rnr_retry_err req_rx_remote_access_err req_rx_cqe_err resp_rx_cqe_flush_err; do
		want "$k" "$(value $k /tmp/a0)" -eq 0
	done
	of_host 0 >/tmp/a1
	of_host 1 >/tmp/b1
	want "RNR" "$(value req_rx_rnr_retry_err /tmp/a1)" -eq 1
	want "access errors of the requester" "$(value req_rx_remote_access_err /tmp/a1)" -eq 10
	want "access errors of the responder" "$(value resp_tx_remote_access_err /tmp/b1)" -eq 10
	want "RNR of the responder" "$(value resp_rx_out_of_buffer /tmp/b1)" -ge 2
}
check "LIF: errors, the same" failures

qpn() { # the QP of the ULP
	rdma -j resource show qp link "$1/1" | jq -r '[.[] | select(.comm == "[ernic_ulp]" or .comm == "ernic_ulp")][0].lqpn'
}
counter() { # DEVICE FIELD
	rdma -j statistic qp show link "$1/1" | jq -r --arg k "$2" '.[0][$k]'
}
bind() {
	local a b
	count_start
	rdma resource show qp
	a=$(qpn "$DEV0")
	b=$(qpn "$DEV1")
	rdma statistic qp bind link "$DEV0/1" lqpn "$a"
	rdma statistic qp bind link "$DEV1/1" lqpn "$b"
	rdma statistic qp show
	want "counter of the requester" "$(counter "$DEV0" tx_msgs)" -eq 0
	count_go
	rdma statistic qp show
	want "requests" "$(counter "$DEV0" tx_msgs)" -eq $sent
	want "bytes of them" "$(counter "$DEV0" tx_bytes)" -eq $sent_bytes
	want "messages to the requester" "$(counter "$DEV0" rx_msgs)" -eq 0
	want "messages received" "$(counter "$DEV1" rx_msgs)" -eq $received
	want "bytes of them" "$(counter "$DEV1" rx_bytes)" -eq $received_bytes
	want "requests of the responder" "$(counter "$DEV1" tx_msgs)" -eq 0
	views 0 "$DEV0"
	views 1 "$DEV1"
	rdma statistic qp unbind link "$DEV0/1" cntn "$(counter "$DEV0" cntn)" lqpn "$a"
	[ "$(rdma -j statistic qp show link "$DEV0/1" | jq length)" = 0 ]
	# the other one goes with its queue pair
	count_end
	[ "$(rdma -j statistic qp show link "$DEV1/1" | jq length)" = 0 ]
	views 0 "$DEV0"
	views 1 "$DEV1"
}
check "queue pair: bound, counted, unbound" bind

gone() { rmmod ernic_ulp; }
check "the ULP unloads" gone
tap_finish
