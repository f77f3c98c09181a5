#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Which frames reach the guest, and through which queue.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# no frames of the stacks' own, so that those of a queue can be counted
quiet_setup() {
	local ns
	setup
	for ns in g0 h0; do
		in_ns $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	done
}
quiet_setup
gmac=$(ip -n g0 -j link show eth0 | jq -r '.[0].address')
sleep 0.3

# arrives DST [SEND-ARGS...]: 1 if the guest got it, else 0; many frames, as the
# stacks send some of their own
arrives() {
	local dst=$1 n
	shift
	hsave 0
	send h0 ernic0 --dst "$dst" --len 100 --count 20 "$@"
	sleep 0.1
	n=$(($(hdelta 0 rx_ucast_packets) + $(hdelta 0 rx_mcast_packets) + $(hdelta 0 rx_bcast_packets)))
	echo $((n >= 20))
}
arrived() { [ "$(arrives "$@")" = 1 ]; }
# The driver follows in a work queue.
comes() { until_ok 5 arrived "$@"; }
stays_out() { until_ok 5 fails arrived "$@"; }

unicast() {
	comes "$gmac"
	stays_out 02:aa:aa:aa:aa:aa
	comes ff:ff:ff:ff:ff:ff
}
check "unicast and broadcast" unicast

address() {
	ip -n g0 link set eth0 address 02:12:34:56:78:9a
	comes 02:12:34:56:78:9a
	stays_out "$gmac"
	ip -n h0 neigh flush dev ernic0
	until_ok 5 h 0 ping -q -c 1 -W 1 10.0.0.1
	ip -n g0 link set eth0 address "$gmac"
	comes "$gmac"
	ip -n h0 neigh flush dev ernic0
	until_ok 5 h 0 ping -q -c 1 -W 1 10.0.0.1
}
check "the guest changes its address" address

multicast() {
	stays_out 01:00:5e:01:02:03
	ip -n g0 maddr add 01:00:5e:01:02:03 dev eth0
	comes 01:00:5e:01:02:03
	stays_out 01:00:5e:01:02:04
	ip -n g0 maddr del 01:00:5e:01:02:03 dev eth0
	stays_out 01:00:5e:01:02:03
}
check "multicast groups" multicast

allmulti() {
	ip -n g0 link set eth0 allmulticast on
	comes 01:00:5e:77:77:77
	stays_out 02:aa:aa:aa:aa:aa
	ip -n g0 link set eth0 allmulticast off
	stays_out 01:00:5e:77:77:77
}
check "all multicast" allmulti

promisc() {
	ip -n g0 link set eth0 promisc on
	comes 02:aa:aa:aa:aa:aa
	comes 01:00:5e:77:77:77
	comes "$gmac" --vlan 77
	ip -n g0 link set eth0 promisc off
	stays_out 02:aa:aa:aa:aa:aa
}
check "promiscuous" promisc

# The driver stops at the limit that identify names and goes promiscuous.  When
# groups leave it fills up with those that had no place.
groups() { g 0 python3 "$uml_dir/frames.py" "$1" eth0 "$2" "$3"; }
filters() { awk '$1 == "rx_mode" { print $4 }' /sys/kernel/debug/ernic_host/*0/regs; }
has_filters() { [ "$(filters)" = "$1" ]; }
many() {
	local before
	before=$(filters)
	groups join 01:00:5e:10:00:00 300
	comes 02:aa:aa:aa:aa:aa
	want "filters" "$(filters)" -eq 256
	comes 01:00:5e:10:00:00
	comes 01:00:5e:10:01:2b
	groups leave 01:00:5e:10:00:00 100
	stays_out 02:aa:aa:aa:aa:aa
	until_ok 10 has_filters $((before + 200))
	stays_out 01:00:5e:10:00:63
	comes 01:00:5e:10:00:64
	comes 01:00:5e:10:01:2b
	groups leave 01:00:5e:10:00:64 200
	until_ok 10 has_filters "$before"
	stays_out 01:00:5e:10:01:2b
	comes "$gmac"
}
check "more groups than filters" many

vlans() {
	stays_out "$gmac" --vlan 6
	comes "$gmac" --vlan 0 --prio 5
	ip -n g0 link add link eth0 name v6 type vlan id 6
	comes "$gmac" --vlan 6
	stays_out "$gmac" --vlan 7
	g 0 ethtool -K eth0 rx-vlan-filter off
	comes "$gmac" --vlan 7
	g 0 ethtool -K eth0 rx-vlan-filter on
	ip -n g0 link del v6
	stays_out "$gmac" --vlan 6
}
check "VLAN filters" vlans

payload() {
	# what arrives is what was sent, tag and all
	g 0 ethtool -K eth0 rx-vlan-filter off
	g 0 timeout 10 python3 "$uml_dir/frames.py" recv eth0 2 >/tmp/recv &
	sleep 0.7
	send h0 ernic0 --dst "$gmac" --len 777
	send h0 ernic0 --dst "$gmac" --len 1304 --vlan 9 --prio 6
	wait $!
	cat /tmp/recv
	g 0 ethtool -K eth0 rx-vlan-filter on
	awk '$1 == 777 && $3 == "-"' /tmp/recv | has .
	# the tag is stripped, its contents handed over beside the frame
	awk '$1 == 1300 && $3 == "9/6"' /tmp/recv | has .
}
check "contents and stripped tags" payload

# ---- queues ------------------------------------------------------------------

# spread: packets of 64 UDP flows in each of the guest's queues
spread() {
	local b0 b1
	b0=$(gstat 0 rx_0_pkts)
	b1=$(gstat 0 rx_1_pkts)
	send h0 ernic0 --dst "$gmac" --len 200 --flows 64 --count 640
	sleep 0.3
	echo $(($(gstat 0 rx_0_pkts) - b0)) $(($(gstat 0 rx_1_pkts) - b1))
}

rss() {
	local a b first
	g 0 ethtool -X eth0 equal 2
	sleep 0.2
	first=$(spread)
	read -r a b <<<"$first"
	echo "equal 2: $a $b"
	want "sum" $((a + b)) -ge 630
	want "queue 0" "$a" -gt 100
	want "queue 1" "$b" -gt 100
	# the same flows, the same way
	[ "$(spread)" = "$first" ]
	g 0 ethtool -X eth0 weight 0 1
	sleep 0.2
	read -r a b <<<"$(spread)"
	echo "weight 0 1: $a $b"
	want "queue 0" "$a" -le 5
	want "queue 1" "$b" -ge 630
	g 0 ethtool -X eth0 weight 1 0
	sleep 0.2
	read -r a b <<<"$(spread)"
	want "queue 1, weight 1 0" "$b" -le 5
	g 0 ethtool -X eth0 equal 2
}
check "ethtool -X: weights of the indirection table" rss

rss_key() {
	local key before after
	before=$(spread)
	key=$(g 0 ethtool -x eth0 | awk '/RSS hash key/ { getline; print; exit }' | tr -d ' ')
	g 0 ethtool -X eth0 hkey "$(printf '01:%.0s' {1..39})02"
	sleep 0.2
	after=$(spread)
	echo "$before / $after"
	[ "$before" != "$after" ]
	g 0 ethtool -X eth0 hkey "$key"
	sleep 0.2
	[ "$(spread)" = "$before" ]
}
check "ethtool -X: another key, another spread" rss_key

one_channel() {
	local a b
	g 0 ethtool -X eth0 default
	g 0 ethtool -L eth0 combined 1
	until_ok 10 carrier 0
	sleep 0.3
	a=$(gstat 0 rx_0_pkts)
	send h0 ernic0 --dst "$gmac" --len 200 --flows 64 --count 640
	sleep 0.3
	b=$(gstat 0 rx_0_pkts)
	want "queue 0" $((b - a)) -ge 630
	g 0 ethtool -L eth0 combined 2
	until_ok 10 carrier 0
	sleep 0.3
	read -r a b <<<"$(spread)"
	want "queue 1 again" "$b" -gt 100
}
check "one channel takes all" one_channel

rxhash() {
	# without the feature the device steers by itself, by flow
	local a b first
	g 0 ethtool -K eth0 rxhash off
	sleep 0.3
	first=$(spread)
	read -r a b <<<"$first"
	echo "$a $b"
	want "queue 0" "$a" -gt 50
	want "queue 1" "$b" -gt 50
	[ "$(spread)" = "$first" ]
	g 0 ethtool -K eth0 rxhash on
}
check "steering without RXHASH" rxhash

compat() {
	local a b first
	reload profile=compat
	quiet_setup
	gmac=$(ip -n g0 -j link show eth0 | jq -r '.[0].address')
	sleep 0.5
	first=$(spread)
	read -r a b <<<"$first"
	echo "$a $b"
	want "sum" $((a + b)) -ge 630
	want "queue 0" "$a" -gt 50
	want "queue 1" "$b" -gt 50
	[ "$(spread)" = "$first" ]
}
check "profile compat spreads flows over its queues" compat

check "the driver has no complaint" quiet_driver
tap_finish
