#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each event moves the counters that it should, and no others; the guest reads
# the same numbers.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# Silence: no IPv6, static neighbours, so that only our frames are counted.
quiet_setup() {
	setup
	local ns
	for ns in g0 h0; do
		in_ns $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	done
	gmac=$(ip -n g0 -j link show eth0 | jq -r '.[0].address')
	hmac=$(ip -n h0 -j link show ernic0 | jq -r '.[0].address')
	sleep 0.3
}
quiet_setup

# moved I: the counters that moved since hsave, "name delta", sorted; not those
# of single queues, as the guest posts buffers when it likes
moved() {
	h "$1" ethtool -S "ernic$1" |
		awk 'NR == FNR { old[$1] = $2; next } $1 ~ /^[rt]x_[0-9]+_/ { next } $2 ~ /^[0-9]+$/ && $2 != old[$1] { sub(":", "", $1); print $1, $2 - old[$1 ":"] }' \
			"/tmp/hsave$1" - | sort
}
# expect I LINE...: exactly these moved, now or soon
same() {
	moved "$1" >/tmp/moved
	diff /tmp/want /tmp/moved
}
expect() {
	local i=$1
	shift
	printf '%s\n' "$@" | sort >/tmp/want
	until_ok 5 same "$i"
}
# among_others I LINE...: these did, whatever else did
all_moved() {
	local line
	moved "$1" >/tmp/moved
	shift
	for line; do
		grep -qx "$line" /tmp/moved || {
			echo "not '$line', but:"
			cat /tmp/moved
			return 1
		}
	done
}
among_others() { until_ok 5 all_moved "$@"; }

tx_class() {
	local dst=$1 class=$2 port=$3
	hsave 0
	send g0 eth0 --dst "$dst" --len 100 --count 3
	expect 0 "tx_${class}_bytes 300" "tx_${class}_packets 3" "frames_tx_all 3" "frames_tx_ok 3" \
		"octets_tx_total 312" "octets_tx_ok 312" "frames_tx_$port 3" "frames_tx_65b_127b 3" "frames_tx_pri_0 3"
}
check "guest sends unicast" tx_class "$hmac" ucast unicast
check "guest sends multicast" tx_class 01:00:5e:00:00:01 mcast multicast
check "guest sends broadcast" tx_class ff:ff:ff:ff:ff:ff bcast broadcast

rx_class() {
	local dst=$1 class=$2 port=$3
	hsave 0
	send h0 ernic0 --dst "$dst" --len 100 --count 3
	expect 0 "rx_${class}_bytes 300" "rx_${class}_packets 3" "frames_rx_all 3" "frames_rx_ok 3" \
		"octets_rx_all 312" "octets_rx_ok 312" "frames_rx_$port 3" "frames_rx_65b_127b 3" "frames_rx_pri_0 3"
}
check "guest receives unicast" rx_class "$gmac" ucast unicast
check "guest receives multicast" rx_class 01:00:5e:00:00:01 mcast multicast
check "guest receives broadcast" rx_class ff:ff:ff:ff:ff:ff bcast broadcast

padding() {
	# 42 bytes, an ARP, are 64 on the wire
	hsave 0
	send g0 eth0 --dst "$hmac" --len 42
	send h0 ernic0 --dst "$gmac" --len 42
	expect 0 "tx_ucast_bytes 42" "tx_ucast_packets 1" "frames_tx_all 1" "frames_tx_ok 1" "octets_tx_total 64" \
		"octets_tx_ok 64" "frames_tx_unicast 1" "frames_tx_64b 1" "frames_tx_pri_0 1" \
		"rx_ucast_bytes 42" "rx_ucast_packets 1" "frames_rx_all 1" "frames_rx_ok 1" "octets_rx_all 64" \
		"octets_rx_ok 64" "frames_rx_unicast 1" "frames_rx_64b 1" "frames_rx_pri_0 1"
}
check "a short frame is padded on the wire" padding

# the first and the last size of each
buckets() {
	local i name sizes lines=() total=0
	ip -n g0 link set eth0 mtu 9198
	ip -n h0 link set ernic0 mtu 9198
	until_ok 10 carrier 0
	sleep 0.3
	sizes=(60 61 123 124 251 252 507 508 1019 1020 1514 1515 2043 2044 4091 4092 8187 8188 9211 9212)
	for i in "${sizes[@]}"; do
		total=$((total + i))
	done
	hsave 0
	send g0 eth0 --dst "$hmac" --len "$(IFS=,; echo "${sizes[*]}")"
	send h0 ernic0 --dst "$gmac" --len "$(IFS=,; echo "${sizes[*]}")"
	for i in rx tx; do
		for name in 65b_127b 128b_255b 256b_511b 512b_1023b 1024b_1518b 1519b_2047b 2048b_4095b \
			4096b_8191b 8192b_9215b; do
			lines+=("frames_${i}_$name 2")
		done
		lines+=("frames_${i}_64b 1" "frames_${i}_other 1" "${i}_ucast_packets 20" "${i}_ucast_bytes $total")
	done
	among_others 0 "${lines[@]}"
}
check "size buckets" buckets

vlan() {
	local p
	g 0 ethtool -K eth0 rx-vlan-filter off
	for p in 0 3 7; do
		hsave 0
		send g0 eth0 --dst "$hmac" --len 200 --vlan 5 --prio $p
		send h0 ernic0 --dst "$gmac" --len 200 --vlan 5 --prio $p
		among_others 0 "frames_tx_vlan 1" "frames_rx_vlan_good 1" "frames_tx_pri_$p 1" "frames_rx_pri_$p 1" \
			"tx_ucast_bytes 200" "rx_ucast_bytes 200"
	done
	g 0 ethtool -K eth0 rx-vlan-filter on
}
check "VLAN tags and priorities" vlan

small_buffer() {
	# larger than the buffers of the guest's MTU, within the port's maximum
	ip -n g0 link set eth0 mtu 1500
	until_ok 10 carrier 0
	sleep 0.3
	hsave 0
	send h0 ernic0 --dst "$gmac" --len 3000 --count 2
	expect 0 "rx_ucast_drop_bytes 6000" "rx_ucast_drop_packets 2" "rx_desc_data_error 2" "frames_rx_all 2" \
		"frames_rx_ok 2" "octets_rx_all 6008" "octets_rx_ok 6008" "frames_rx_unicast 2" "frames_rx_2048b_4095b 2" \
		"frames_rx_pri_0 2"
	# the next frame is not affected
	hsave 0
	send h0 ernic0 --dst "$gmac" --len 1000
	among_others 0 "rx_ucast_packets 1"
}
check "frame larger than the posted buffers" small_buffer

filtered() {
	# as if it had never reached the LIF
	hsave 0
	send h0 ernic0 --dst 02:aa:bb:cc:dd:ee --len 100
	sleep 0.1
	want "received" "$(hdelta 0 rx_ucast_packets)" -eq 0
	want "dropped" "$(hdelta 0 rx_ucast_drop_packets)" -eq 0
	want "at the port" "$(hdelta 0 frames_rx_ok)" -eq 1
}
check "frame for somebody else" filtered

published() {
	# the guest's block is rewritten every second
	local i
	send h0 ernic0 --dst "$gmac" --len 500 --count 50
	send g0 eth0 --dst "$hmac" --len 500 --count 50
	sleep 1.4
	g 0 ethtool -S eth0 | awk '$1 ~ /^(frames|octets)_/ { print $1, $2 }' | sort >/tmp/g.port
	h 0 ethtool -S ernic0 | awk '$1 ~ /^(frames|octets)_/ { print $1, $2 }' | sort >/tmp/h.port
	diff /tmp/g.port /tmp/h.port
	ip -n g0 -s -j link show eth0 >/tmp/g.ip
	for i in rx tx; do
		want "$i packets" "$(jq ".[0].stats64.$i.packets" /tmp/g.ip)" -eq \
			$(($(hstat 0 ${i}_ucast_packets) + $(hstat 0 ${i}_mcast_packets) + $(hstat 0 ${i}_bcast_packets)))
		want "$i bytes" "$(jq ".[0].stats64.$i.bytes" /tmp/g.ip)" -eq \
			$(($(hstat 0 ${i}_ucast_bytes) + $(hstat 0 ${i}_mcast_bytes) + $(hstat 0 ${i}_bcast_bytes)))
	done
	want "missed" "$(jq '.[0].stats64.rx.dropped' /tmp/g.ip)" -gt 0
}
check "the guest reads the same within an interval" published

debugfs() {
	local d n
	d=$(echo /sys/kernel/debug/ernic_host/*0)
	for n in rx_ucast_packets tx_ucast_bytes frames_rx_ok rx_desc_data_error; do
		want "$n" "$(awk -v k=$n '$1 == k { print $2 }' "$d/stats")" -eq "$(hstat 0 $n)"
	done
}
check "debugfs shows the same" debugfs

# ---- no buffer ---------------------------------------------------------------

# Without offloads a frame that finds no buffer is dropped at once, as the
# reference does.  The guest posts none while the sender runs: its poll is made a
# thread that only gets the CPU when nobody else wants it.  The device is before all.
empty() {
	local empty n=1000 pid
	reload profile=compat
	quiet_setup
	g 0 ethtool -L eth0 combined 1
	g 0 ethtool -G eth0 rx 64
	until_ok 10 carrier 0
	ip netns exec g0 sh -c 'echo 1 >/sys/class/net/eth0/threaded'
	until_ok 5 pgrep '^napi/eth0'
	for pid in $(pgrep '^napi/eth0'); do
		taskset -p 1 "$pid"
		chrt -i -p 0 "$pid"
	done
	for pid in $(pgrep '^ernic[0-9]*-[0-9]'); do
		chrt -f -p 20 "$pid"
	done
	sleep 0.5
	hsave 0
	h 0 taskset 1 chrt -f 10 python3 "$uml_dir/frames.py" send ernic0 --dst "$gmac" --len 100 --count $n
	sleep 0.5
	empty=$(hdelta 0 rx_queue_empty)
	want "rx_queue_empty" "$empty" -gt $((n / 2))
	want "frames_rx_ok" "$(hdelta 0 frames_rx_ok)" -eq $n
	want "frames_rx_dropped" "$(hdelta 0 frames_rx_dropped)" -eq "$empty"
	want "rx_ucast_drop_packets" "$(hdelta 0 rx_ucast_drop_packets)" -eq "$empty"
	want "rx_ucast_drop_bytes" "$(hdelta 0 rx_ucast_drop_bytes)" -eq $((empty * 100))
	want "rx_ucast_packets" "$(hdelta 0 rx_ucast_packets)" -eq $((n - empty))
	sleep 1.3
	want "guest's rx_over_errors" "$(gstat 0 hw_rx_over_errors)" -eq "$(hstat 0 rx_queue_empty)"
	want "guest's rx_dropped" "$(gstat 0 hw_rx_dropped)" -eq "$(hstat 0 rx_ucast_drop_packets)"
}
check "receive without a buffer" empty

check "the driver has no complaint" quiet_driver
tap_finish
