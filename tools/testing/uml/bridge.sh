#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two guests on one bridge, and what else a netdev of the host can be part of.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup 2

bridge_up() {
	# both cables end in one namespace
	ip -n h1 link set ernic1 netns h0
	ip -n h0 addr flush dev ernic0
	ip -n h0 link add br0 type bridge
	ip -n h0 link set ernic0 master br0
	ip -n h0 link set ernic1 master br0
	ip -n h0 link set ernic0 up
	ip -n h0 link set ernic1 up
	ip -n h0 link set br0 up
	ip -n g1 addr flush dev eth1
	ip -n g1 addr add 10.0.0.3/24 dev eth1
	ip -n g1 addr add fd00:0::3/64 dev eth1 nodad
	until_ok 10 carrier 0
	until_ok 10 carrier 1
	until_ok 10 g 0 ping -q -c 1 -W 1 10.0.0.3
}
check "two functions on a bridge" bridge_up

guest_to_guest() {
	g 0 ping -q -c 3 -i 0.05 -W 2 10.0.0.3
	g 1 ping -q -c 3 -i 0.05 -W 2 10.0.0.1
	g 0 ping -q -c 3 -i 0.05 -W 2 fd00:0::3
	g 0 ping -q -c 2 -i 0.05 -W 2 -s 20000 10.0.0.3
}
check "guest to guest: ping" guest_to_guest

dd if=/dev/urandom of=/tmp/data bs=1M count=2 status=none
copy() { # copy FROM TO ADDRESS
	local pid
	rm -f /tmp/copy
	in_ns "$2" timeout 20 socat -u TCP-LISTEN:9000,reuseaddr CREATE:/tmp/copy &
	pid=$!
	in_ns "$1" timeout 20 socat -u OPEN:/tmp/data "TCP:$3:9000,retry=100,interval=0.05"
	wait $pid
	cmp /tmp/data /tmp/copy
}
transfer() {
	copy g0 g1 10.0.0.3
	copy g1 g0 10.0.0.1
}
check "guest to guest: TCP" transfer

transfer_mixed() {
	# super-frames for a guest that takes none, checksums for one that computes
	g 1 ethtool -K eth1 tso off tx off rx off
	transfer
	g 1 ethtool -K eth1 tx on sg on tso on rx on
}
check "guest to guest: offloads at one end only" transfer_mixed

host_too() {
	ip -n h0 addr add 10.0.0.2/24 dev br0
	g 0 ping -q -c 2 -i 0.05 -W 2 10.0.0.2
	g 1 ping -q -c 2 -i 0.05 -W 2 10.0.0.2
	copy g0 h0 10.0.0.2
	copy h0 g1 10.0.0.3
}
check "host and both guests" host_too

learned() {
	local mac
	mac=$(ip -n g1 -j link show eth1 | jq -r '.[0].address')
	h 0 bridge fdb show br br0 | has "$mac dev ernic1"
}
check "the bridge learns addresses" learned

vlan_aware() {
	ip -n h0 link set br0 type bridge vlan_filtering 1
	h 0 bridge vlan add vid 30 dev ernic0
	h 0 bridge vlan add vid 30 dev ernic1
	ip -n g0 link add link eth0 name v30 type vlan id 30
	ip -n g0 addr add 10.30.0.1/24 dev v30
	ip -n g0 link set v30 up
	ip -n g1 link add link eth1 name v30 type vlan id 30
	ip -n g1 addr add 10.30.0.3/24 dev v30
	ip -n g1 link set v30 up
	until_ok 5 g 0 ping -q -c 1 -W 1 10.30.0.3
	copy g0 g1 10.30.0.3
	h 0 bridge vlan del vid 30 dev ernic1
	fails g 0 ping -q -c 1 -W 1 10.30.0.3
	ip -n h0 link set br0 type bridge vlan_filtering 0
	ip -n g0 link del v30
	ip -n g1 link del v30
}
check "a bridge that filters VLANs" vlan_aware

throughput() {
	local rate
	g 1 iperf3 -s -D --pidfile /tmp/iperf.pid >/dev/null
	until_ok 5 g 1 sh -c 'ss -ltn | grep -q :5201'
	rate=$(g 0 timeout 20 iperf3 -J -c 10.0.0.3 -t 1 | jq -r '.end.sum_received.bits_per_second / 1e6 | floor')
	echo "$rate" >/tmp/rate
	want "Mbit/s" "$rate" -gt 10
	kill "$(cat /tmp/iperf.pid)"
}
check "guest to guest: iperf3" throughput
note "guest to guest: $(cat /tmp/rate 2>/dev/null) Mbit/s"

jumbo() {
	ip -n g0 link set eth0 mtu 9000
	ip -n g1 link set eth1 mtu 9000
	ip -n h0 link set ernic0 mtu 9000
	ip -n h0 link set ernic1 mtu 9000
	ip -n h0 link set br0 mtu 9000
	until_ok 10 carrier 0
	until_ok 10 carrier 1
	until_ok 5 g 0 ping -q -c 1 -W 1 -M "do" -s 8972 10.0.0.3
	transfer
}
check "guest to guest: jumbo frames" jumbo

unequal() {
	# the frames do not fit into the buffers of one guest: dropped and counted
	ip -n g1 link set eth1 mtu 1500
	until_ok 10 carrier 1
	sleep 0.3
	fails g 0 ping -q -c 1 -W 1 -M "do" -s 8000 10.0.0.3
	want "rx_desc_data_error" "$(h 0 ethtool -S ernic1 | awk '$1 == "rx_desc_data_error:" { print $2 }')" -gt 0
	until_ok 5 g 0 ping -q -c 1 -W 1 10.0.0.3
}
check "guest to guest: unequal MTUs" unequal

one_leaves() {
	# the other is not disturbed
	local i
	for i in 1 2 3; do
		echo 0000:01:01.0 >/sys/bus/pci/drivers/ionic/unbind
		g 0 ping -q -c 2 -i 0.05 -W 1 10.0.0.2
		echo 0000:01:01.0 >/sys/bus/pci/drivers/ionic/bind
		until_ok 5 test -d /sys/bus/pci/devices/0000:01:01.0/net
		ip link set "$(ls /sys/bus/pci/devices/0000:01:01.0/net)" netns g1 name eth1
		ip -n g1 addr add 10.0.0.3/24 dev eth1
		ip -n g1 link set eth1 up
		until_ok 10 g 0 ping -q -c 1 -W 1 10.0.0.3
	done
	[ "$i" = 3 ]
}
check "one guest leaves and comes back" one_leaves

macvlan() {
	ip -n h0 link set ernic0 nomaster
	ip -n h0 link add link ernic0 name mv0 type macvlan mode bridge
	ip -n h0 addr add 10.44.0.2/24 dev mv0
	ip -n h0 link set mv0 up
	ip -n g0 addr add 10.44.0.1/24 dev eth0
	until_ok 5 g 0 ping -q -c 1 -W 1 10.44.0.2
	copy g0 h0 10.44.0.2
	ip -n h0 link del mv0
}
check "macvlan on the host's netdev" macvlan

tc_and_capture() {
	# classifiers and taps see the frames of both directions
	ip -n h0 addr add 10.44.0.2/24 dev ernic0
	# the guest still has the macvlan's MAC for this address
	ip -n g0 neigh flush dev eth0
	h 0 tc qdisc add dev ernic0 clsact
	h 0 tc filter add dev ernic0 ingress protocol ip flower ip_proto icmp action pass
	h 0 tc filter add dev ernic0 egress protocol ip flower ip_proto icmp action pass
	h 0 timeout 5 tcpdump -i ernic0 -c 4 -w /tmp/cap icmp 2>/dev/null &
	sleep 0.7
	until_ok 5 g 0 ping -q -c 2 -i 0.1 -W 1 10.44.0.2
	wait $!
	want "captured" "$(tcpdump -r /tmp/cap 2>/dev/null | wc -l)" -eq 4
	h 0 tc -s filter show dev ernic0 ingress | has -E "Sent [0-9]+ bytes [1-9]"
	h 0 tc -s filter show dev ernic0 egress | has -E "Sent [0-9]+ bytes [1-9]"
	h 0 tc qdisc del dev ernic0 clsact
}
check "tc and tcpdump on the host's netdev" tc_and_capture

check "the driver has no complaint" quiet_driver
tap_finish
