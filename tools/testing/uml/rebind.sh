#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The driver comes and goes, and the firmware does, under traffic.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup
drv=/sys/bus/pci/drivers/ionic

rebind() {
	local i
	load_start 0
	for ((i = 0; i < 20; i++)); do
		bdf 0 >$drv/unbind
		[ "$(cat "$(attr 0 state)")" = reset ]
		bdf 0 >$drv/bind
		adopt 0
		# with the next round in the middle of traffic, or of the probe
		[ $((i % 2)) = 0 ] || until_ok 10 alive 0
	done
	load_stop
	until_ok 10 alive 0
	ping_both 0
	ping6_both 0
}
check "unbind and bind 20 times under traffic" rebind

counters_restart() {
	local n
	bdf 0 >$drv/unbind
	for n in rx_ucast_packets tx_ucast_packets frames_rx_ok frames_tx_ok octets_rx_ok; do
		want "$n" "$(hstat 0 "$n")" -eq 0
	done
	bdf 0 >$drv/bind
	adopt 0
	until_ok 10 alive 0
}
check "counters restart at zero" counters_restart

same_address() {
	local a b
	a=$(ip -n g0 -j link show eth0 | jq -r '.[0].address')
	bdf 0 >$drv/unbind
	bdf 0 >$drv/bind
	adopt 0
	b=$(ip -n g0 -j link show eth0 | jq -r '.[0].address')
	[ "$a" = "$b" ]
	# one that the guest set itself is not kept
	ip -n g0 link set eth0 address 02:11:22:33:44:55
	until_ok 5 alive 0
	bdf 0 >$drv/unbind
	bdf 0 >$drv/bind
	adopt 0
	[ "$(ip -n g0 -j link show eth0 | jq -r '.[0].address')" = "$a" ]
	until_ok 10 alive 0
}
check "the permanent address stays" same_address

reload_driver() {
	rmmod ionic
	modprobe ionic
	adopt 0
	until_ok 10 alive 0
}
check "the driver is unloaded and loaded" reload_driver

state() { [ "$(cat "$(attr 0 state)")" = "$1" ]; }

firmware() {
	load_start 0
	echo 1 >"$(attr 0 firmware_reset)"
	state firmware-down
	until_ok 5 sh -c 'dmesg | grep -q "FW Down"'
	# another cycle within one is refused
	fails sh -c "echo 1 >$(attr 0 firmware_reset)"
	until_ok 15 state running
	until_ok 10 carrier 0
	until_ok 10 alive 0
	load_stop
	ping_both 0
	dmesg | has "FW Down"
	dmesg | has "FW Up"
}
check "firmware cycle: the guest recovers by itself" firmware

firmware_configured() {
	# what the guest had set up is there again
	ip -n g0 link set eth0 mtu 4000
	ip -n h0 link set ernic0 mtu 4000
	ip -n g0 link add link eth0 name vlan7 type vlan id 7
	ip -n g0 addr add 10.7.0.1/24 dev vlan7
	ip -n g0 link set vlan7 up
	ip -n h0 link add link ernic0 name vlan7 type vlan id 7
	ip -n h0 addr add 10.7.0.2/24 dev vlan7
	ip -n h0 link set vlan7 up
	until_ok 5 g 0 ping -q -c 1 -W 1 10.7.0.2
	echo 1 >"$(attr 0 firmware_reset)"
	until_ok 15 state running
	until_ok 10 alive 0
	until_ok 5 g 0 ping -q -c 1 -W 1 -M "do" -s 3900 10.0.0.2
	until_ok 5 h 0 ping -q -c 1 -W 1 -M "do" -s 3900 10.0.0.1
	until_ok 5 g 0 ping -q -c 1 -W 1 10.7.0.2
	ip -n g0 link del vlan7
	ip -n h0 link del vlan7
}
check "firmware cycle: MTU and VLAN filters are replayed" firmware_configured

firmware_unbound() {
	bdf 0 >$drv/unbind
	echo 1 >"$(attr 0 firmware_reset)"
	until_ok 10 state reset
	bdf 0 >$drv/bind
	adopt 0
	until_ok 10 alive 0
}
check "firmware cycle without a driver" firmware_unbound

firmware_rebind() {
	# the driver is taken away while the firmware is down
	echo 1 >"$(attr 0 firmware_reset)"
	sleep 0.3
	bdf 0 >$drv/unbind
	until_ok 10 state reset
	bdf 0 >$drv/bind
	adopt 0
	until_ok 10 alive 0
}
check "firmware cycle, unbind in the middle" firmware_rebind

unload_under_load() {
	load_start 0
	sleep 0.3
	rmmod ernic_loop
	load_stop
	insmod "$MOD/ernic_loop.ko"
	adopt_host 0
	adopt 0
	until_ok 10 alive 0
}
check "the device is taken away under traffic" unload_under_load

check "the driver has no other complaint" quiet_driver "FW Down|FW Up"
tap_finish
