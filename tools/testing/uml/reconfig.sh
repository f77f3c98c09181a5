#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Reconfiguration while frames flow: MTU, rings, channels, features, coalescing.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup
load_start 0

mtu() {
	local m
	for m in 1500 9198 1280 4000 9000 1400 9198 1500; do
		ip -n h0 link set ernic0 mtu "$m"
		ip -n g0 link set eth0 mtu "$m"
		until_ok 5 carrier 0
		until_ok 5 alive 0
		# the largest packet passes, undivided
		until_ok 5 g 0 ping -q -c 1 -W 1 -M "do" -s $((m - 28)) 10.0.0.2
		until_ok 5 h 0 ping -q -c 1 -W 1 -M "do" -s $((m - 28)) 10.0.0.1
	done
	fails ip -n g0 link set eth0 mtu 9199
	fails ip -n h0 link set ernic0 mtu 9199
}
check "MTU changes" mtu

rings() {
	local n
	for n in 64 1024 4096 128 8192 64 2048; do
		g 0 ethtool -G eth0 rx "$n" tx "$n"
		until_ok 5 carrier 0
		until_ok 5 alive 0
		until_ok 5 ping_both 0 -s 1400
	done
	g 0 ethtool -G eth0 rx 16384 tx 64
	until_ok 5 alive 0
	g 0 ethtool -G eth0 rx 1024 tx 1024
	until_ok 5 alive 0
}
check "ring sizes" rings

channels() {
	local i
	for i in 1 2 3; do
		g 0 ethtool -L eth0 combined 1
		until_ok 5 alive 0
		g 0 ethtool -L eth0 combined 2
		until_ok 5 alive 0
		# transmit and receive with vectors of their own
		g 0 ethtool -L eth0 combined 0 rx 1 tx 1
		until_ok 5 alive 0
		until_ok 5 ping_both 0
		g 0 ethtool -L eth0 combined 2 rx 0 tx 0
		until_ok 5 alive 0
	done
	[ "$i" = 3 ]
}
check "channels, also with split interrupts" channels

features() {
	local f
	for f in tso tx rx rxhash gso gro rxvlan txvlan rx-vlan-filter sg; do
		g 0 ethtool -K eth0 "$f" off
		until_ok 5 alive 0
		g 0 ethtool -K eth0 "$f" on
	done
	g 0 ethtool -K eth0 tx on sg on tso on
	for f in tso tx rx gro sg; do
		h 0 ethtool -K ernic0 "$f" off
		until_ok 5 alive 0
		h 0 ethtool -K ernic0 "$f" on || :
	done
	h 0 ethtool -K ernic0 tx on sg on tso on
}
check "features, at both ends" features

coalesce() {
	g 0 ethtool -C eth0 rx-usecs 50
	until_ok 5 ping_both 0
	g 0 ethtool -C eth0 rx-usecs 0
	until_ok 5 ping_both 0
	g 0 ethtool -C eth0 adaptive-rx on
	until_ok 5 ping_both 0
}
check "interrupt coalescing is accepted" coalesce

napi_modes() {
	# ways to consume completions without giving credits back
	echo 2 >/proc/sys/net/core/netdev_budget || :
	until_ok 5 ping_both 0
	echo 300 >/proc/sys/net/core/netdev_budget
	ip netns exec g0 sh -c 'echo 2 >/sys/class/net/eth0/napi_defer_hard_irqs
		echo 200000 >/sys/class/net/eth0/gro_flush_timeout'
	until_ok 5 ping_both 0
	ip netns exec g0 sh -c 'echo 0 >/sys/class/net/eth0/napi_defer_hard_irqs
		echo 0 >/sys/class/net/eth0/gro_flush_timeout'
	until_ok 5 ping_both 0
	ip netns exec g0 sh -c 'echo 1 >/sys/class/net/eth0/threaded'
	until_ok 5 ping_both 0
	ip netns exec g0 sh -c 'echo 0 >/sys/class/net/eth0/threaded'
	until_ok 5 ping_both 0
}
check "small budgets, deferred interrupts, threaded NAPI" napi_modes

all_at_once() {
	local i
	for ((i = 0; i < 10; i++)); do
		ip -n g0 link set eth0 mtu $((1500 + i * 100)) &
		g 0 ethtool -G eth0 rx $((64 << (i % 4))) &
		g 0 ethtool -L eth0 combined $((1 + i % 2)) &
		ip -n h0 link set ernic0 down
		ip -n h0 link set ernic0 up
		wait
	done
	ip -n g0 link set eth0 mtu 1500
	g 0 ethtool -L eth0 combined 2 || :
	until_ok 10 carrier 0
	until_ok 5 ping_both 0
}
check "everything at once" all_at_once

load_stop
check "ping afterwards" ping_both 0
check "no stray completions: the driver has no complaint" quiet_driver
tap_finish
