#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What is sent arrives: with each offload on and off, in jumbo frames, in VLANs,
# and both ends count the same.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup
dd if=/dev/urandom of=/tmp/data bs=1M count=2 status=none
sum=$(sha256sum </tmp/data)

# copy FROM TO ADDRESS: a TCP connection from namespace FROM to TO
copy() {
	local from=$1 to=$2 addr=$3 listen=TCP4-LISTEN pid
	case $addr in *:*) listen=TCP6-LISTEN addr="[$addr]" ;; esac
	rm -f /tmp/copy
	in_ns "$to" timeout 20 socat -u "$listen:9000,reuseaddr" CREATE:/tmp/copy &
	pid=$!
	# it may not listen yet
	in_ns "$from" timeout 20 socat -u OPEN:/tmp/data "TCP:$addr:9000,retry=100,interval=0.05"
	wait $pid
	[ "$(sha256sum </tmp/copy)" = "$sum" ]
}

errors() {
	local ns
	for ns in g0 h0; do
		in_ns $ns nstat -asz
	done | awk '/TcpInErrs|TcpInCsumErrors|TcpExtTCPBadSeq|IpInHdrErrors|UdpInCsumErrors|Ip6InHdrErrors/ { n += $2; if ($2 > 0) print }
		END { exit n > 0 }'
}

transfer() {
	copy g0 h0 10.0.0.2
	copy h0 g0 10.0.0.1
	errors
}
transfer6() {
	copy g0 h0 fd00:0::2
	copy h0 g0 fd00:0::1
	errors
}

check "TCP over IPv4 both ways, all offloads" transfer
check "TCP over IPv6 both ways, all offloads" transfer6

used_tso() {
	# the driver handed super-frames down, and the host got them whole
	local before
	before=$(gstat 0 tx_tso)
	copy g0 h0 10.0.0.2
	want "tx_tso" $(($(gstat 0 tx_tso) - before)) -gt 20
	want "checksums left to the stack" "$(gstat 0 rx_csum_none)" -eq 0
	want "checksum errors" "$(gstat 0 rx_csum_error)" -eq 0
	want "complete checksums" "$(gstat 0 rx_csum_complete)" -gt 100
}
check "TSO and receive checksums are in use" used_tso

one_off() {
	local side=$1 feature=$2
	if [ "$side" = guest ]; then
		g 0 ethtool -K eth0 "$feature" off
	else
		h 0 ethtool -K ernic0 "$feature" off
	fi
	transfer
	case $feature in
	tso | tx | gro)
		copy g0 h0 fd00:0::2
		copy h0 g0 fd00:0::1
		;;
	esac
	if [ "$side" = guest ]; then
		g 0 ethtool -K eth0 tx on rx on sg on tso on gso on gro on "$feature" on
	else
		h 0 ethtool -K ernic0 tx on sg on tso on gso on gro on "$feature" on
	fi
}
for f in tso sg tx rx gro gso; do
	check "guest: $f off" one_off guest $f
done
for f in tso sg tx gro gso; do
	check "host: $f off" one_off host $f
done

jumbo() {
	ip -n g0 link set eth0 mtu 9000
	ip -n h0 link set ernic0 mtu 9000
	until_ok 5 alive 0
	g 0 ping -q -c 2 -i 0.05 -W 2 -M "do" -s 8972 10.0.0.2
	h 0 ping -q -c 2 -i 0.05 -W 2 -M "do" -s 8972 10.0.0.1
	transfer
	transfer6
	g 0 ethtool -K eth0 tso off
	transfer
	g 0 ethtool -K eth0 tso on
}
check "jumbo frames" jumbo

sizes() {
	# each size around the limits of buffers and pages
	local s
	for s in 0 1 2 17 18 19 200 214 215 1472 4000 4054 4055 4068 4069 8150 8972; do
		g 0 ping -q -c 1 -W 2 -M "do" -s $s -p a5 10.0.0.2
		h 0 ping -q -c 1 -W 2 -M "do" -s $s -p 5a 10.0.0.1
	done
	errors
}
check "packets of many sizes" sizes

fragments() {
	ip -n g0 link set eth0 mtu 1500
	ip -n h0 link set ernic0 mtu 1500
	until_ok 5 alive 0
	g 0 ping -q -c 3 -i 0.05 -W 2 -s 20000 10.0.0.2
	h 0 ping -q -c 3 -i 0.05 -W 2 -s 20000 10.0.0.1
	g 0 ping -q -c 3 -i 0.05 -W 2 -s 20000 fd00:0::2
	errors
}
check "fragments" fragments

vlan_add() {
	ip -n g0 link add link eth0 name v5 type vlan id 5 egress-qos-map 0:3
	ip -n g0 addr add 10.5.0.1/24 dev v5
	ip -n g0 link set v5 up
	ip -n h0 link add link ernic0 name v5 type vlan id 5
	ip -n h0 addr add 10.5.0.2/24 dev v5
	ip -n h0 link set v5 up
}
check "VLAN interfaces" vlan_add

vlan_transfer() {
	local where
	for where in "on on" "off on" "on off" "off off"; do
		# shellcheck disable=SC2086 # two words
		set -- $where
		g 0 ethtool -K eth0 rxvlan "$1" txvlan "$2"
		until_ok 5 g 0 ping -q -c 1 -W 1 10.5.0.2
		copy g0 h0 10.5.0.2
		copy h0 g0 10.5.0.1
		errors
	done
	g 0 ethtool -K eth0 rxvlan on txvlan on
	h 0 ethtool -K ernic0 txvlan off
	copy h0 g0 10.5.0.1
	h 0 ethtool -K ernic0 txvlan on
	g 0 ethtool -K eth0 tso off tx off
	copy g0 h0 10.5.0.2
	g 0 ethtool -K eth0 tx on sg on tso on
}
check "TCP in a VLAN: tags in descriptors and in data" vlan_transfer

qinq() {
	ip -n g0 link add link eth0 name s9 type vlan id 9 protocol 802.1ad
	ip -n g0 link set s9 up
	ip -n g0 link add link s9 name q9 type vlan id 10
	ip -n g0 addr add 10.9.0.1/24 dev q9
	# two tags do not fit into the driver's buffers of MTU + 18
	ip -n g0 link set q9 mtu 1496 up
	ip -n h0 link add link ernic0 name s9 type vlan id 9 protocol 802.1ad
	ip -n h0 link set s9 up
	ip -n h0 link add link s9 name q9 type vlan id 10
	ip -n h0 addr add 10.9.0.2/24 dev q9
	ip -n h0 link set q9 mtu 1496 up
	until_ok 5 g 0 ping -q -c 1 -W 1 10.9.0.2
	copy g0 h0 10.9.0.2
	copy h0 g0 10.9.0.1
	errors
	ip -n g0 link del s9
	ip -n h0 link del s9
}
check "TCP behind two tags" qinq

encap() {
	# checksums of encapsulated traffic, segmented by the guest's stack
	ip -n g0 link add gre1 type gretap remote 10.0.0.2 local 10.0.0.1
	ip -n h0 link add gre1 type gretap remote 10.0.0.1 local 10.0.0.2
	ip -n g0 addr add 10.8.0.1/24 dev gre1
	ip -n h0 addr add 10.8.0.2/24 dev gre1
	ip -n g0 link set gre1 up
	ip -n h0 link set gre1 up
	until_ok 5 g 0 ping -q -c 1 -W 1 10.8.0.2
	copy g0 h0 10.8.0.2
	copy h0 g0 10.8.0.1
	errors
	ip -n g0 link del gre1
	ip -n h0 link del gre1
}
if ip link add gretest type gretap remote 192.0.2.1 local 192.0.2.2 2>/dev/null; then
	ip link del gretest
	check "TCP in a tunnel" encap
fi

throughput() {
	local up down
	iperf_server 0
	up=$(iperf 0 up 1)
	down=$(iperf 0 down 1)
	echo "$up $down" >/tmp/rates
	want "guest to host, Mbit/s" "$up" -gt 20
	want "host to guest, Mbit/s" "$down" -gt 20
	iperf 0 up 1 -P 4 >/dev/null
	iperf 0 down 1 -P 4 >/dev/null
	iperf 0 up 1 -u -b 50M -l 1400 >/dev/null
	iperf 0 down 1 -u -b 50M -l 1400 >/dev/null
	kill "$(cat /tmp/iperf0.pid)"
}
check "iperf3 both ways, one and four streams, UDP" throughput
note "iperf3, Mbit/s, guest to host and back: $(cat /tmp/rates 2>/dev/null)"

same_counts() {
	# no traffic, and one interval for the device to publish what it counted
	sleep 1.5
	g 0 ethtool -S eth0 | awk '$1 ~ /^(frames|octets)_/ { print $1, $2 }' | sort >/tmp/g.port
	h 0 ethtool -S ernic0 | awk '$1 ~ /^(frames|octets)_/ { print $1, $2 }' | sort >/tmp/h.port
	want "port counters" "$(wc -l </tmp/g.port)" -gt 60
	diff /tmp/g.port /tmp/h.port
	# what the guest's ip -s link says is what the host has sent, and back
	ip -n g0 -s -j link show eth0 | jq -c '.[0].stats64 | [.rx.packets, .tx.packets, .tx.bytes]' >/tmp/g.ip
	ip -n h0 -s -j link show ernic0 | jq -c '.[0].stats64 | [.tx.packets, .rx.packets, .rx.bytes]' >/tmp/h.ip
	cat /tmp/g.ip /tmp/h.ip
	[ "$(jq '.[1]' /tmp/g.ip)" = "$(jq '.[1]' /tmp/h.ip)" ]
	want "drops" "$(hstat 0 rx_ucast_drop_packets)" -eq 0
	want "descriptor errors" "$(($(hstat 0 tx_desc_data_error) + $(hstat 0 rx_desc_data_error) + $(hstat 0 tx_dma_error) + $(hstat 0 rx_dma_error)))" -eq 0
}
check "both ends count the same" same_counts

# ---- the same without offloads -----------------------------------------------

compat() {
	reload profile=compat
	setup
	transfer
	transfer6
	vlan_add
	until_ok 5 g 0 ping -q -c 1 -W 1 10.5.0.2
	copy g0 h0 10.5.0.2
	copy h0 g0 10.5.0.1
	errors
	ip -n g0 link set eth0 mtu 9000
	ip -n h0 link set ernic0 mtu 9000
	until_ok 5 alive 0
	transfer
}
check "profile compat: TCP, VLAN, jumbo frames" compat

check "the driver has no complaint" quiet_driver
tap_finish
