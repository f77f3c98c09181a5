#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The link: up and down from either end, many times, under traffic.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup

# The driver forgets an event that comes while it still works on the one before
# (ionic_lif.c:ionic_link_status_check); then its watchdog finds out within 5 s.
up_again() { until_ok 7 carrier 0; }

host_carrier() { ip -n h0 link show ernic0 | has "[<,]$1[,>]"; }
both_ends() {
	# the host's end decides about the guest's carrier
	ip -n h0 link set ernic0 down
	until_ok 2 no_carrier 0
	g 0 ethtool eth0 | has "Link detected: no"
	ip -n h0 link set ernic0 up
	up_again
	until_ok 5 alive 0
	# and the guest's about the host's
	ip -n g0 link set eth0 down
	until_ok 2 host_carrier NO-CARRIER
	ip -n g0 link set eth0 up
	until_ok 2 host_carrier LOWER_UP
	until_ok 5 alive 0
}
check "each end sees the other's link" both_ends

events() {
	local before after i
	before=$(ip netns exec g0 cat /sys/class/net/eth0/carrier_down_count)
	for i in 1 2 3 4 5; do
		ip -n h0 link set ernic0 down
		until_ok 2 no_carrier 0
		# long enough for the driver to have stopped its queues
		sleep 0.3
		ip -n h0 link set ernic0 up
		until_ok 2 carrier 0
		sleep 0.3
	done
	after=$(ip netns exec g0 cat /sys/class/net/eth0/carrier_down_count)
	want "carrier losses" $((after - before)) -eq 5
	[ "$i" = 5 ]
}
check "each bounce is an event" events

ifupdown() {
	local i
	for ((i = 0; i < 100; i++)); do
		ip -n g0 link set eth0 down
		ip -n g0 link set eth0 up
	done
	until_ok 10 carrier 0
	until_ok 5 alive 0
	ping_both 0
	ping6_both 0
}
check "ifdown and ifup 100 times" ifupdown

ifupdown_no_carrier() {
	# rings are freed with no command to the device when there is no carrier
	local i
	ip -n h0 link set ernic0 down
	until_ok 2 no_carrier 0
	for ((i = 0; i < 20; i++)); do
		ip -n g0 link set eth0 down
		ip -n g0 link set eth0 up
	done
	ip -n h0 link set ernic0 up
	until_ok 10 carrier 0
	until_ok 5 alive 0
}
check "ifdown and ifup 20 times without carrier" ifupdown_no_carrier

bounces() {
	local i
	load_start 0
	for ((i = 0; i < 100; i++)); do
		ip -n h0 link set ernic0 down
		ip -n h0 link set ernic0 up
		[ $((i % 20)) != 10 ] || up_again
	done
	load_stop
	until_ok 10 carrier 0
	until_ok 5 alive 0
	ping_both 0
}
check "100 link bounces under traffic" bounces

ifupdown_load() {
	local i
	load_start 0
	for ((i = 0; i < 30; i++)); do
		ip -n g0 link set eth0 down
		sleep 0.01
		ip -n g0 link set eth0 up
		sleep 0.04
	done
	load_stop
	until_ok 10 carrier 0
	until_ok 5 alive 0
}
check "ifdown and ifup 30 times under traffic" ifupdown_load

admin_port() {
	# nway_reset takes the port down and up
	g 0 ethtool -r eth0
	until_ok 5 carrier 0
	until_ok 5 alive 0
}
check "ethtool -r" admin_port

traffic() {
	local up down
	iperf_server 0
	up=$(iperf 0 up 1)
	down=$(iperf 0 down 1)
	echo "$up $down Mbit/s"
	want "guest to host" "$up" -gt 1
	want "host to guest" "$down" -gt 1
	kill "$(cat /tmp/iperf0.pid)"
}
check "traffic flows afterwards" traffic

check "the driver has no complaint" quiet_driver
tap_finish
