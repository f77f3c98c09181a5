#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# options: --cpus 4
# What the unmodified driver finds: identity, link, queues, and that it all goes
# away again.
set -uo pipefail
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

setup 2

pci() {
	local d=/sys/bus/pci/devices/0000:01:00.0
	[ "$(cat $d/vendor $d/device $d/subsystem_vendor $d/subsystem_device | xargs)" = \
		"0x1dd8 0x1002 0x1dd8 0x5400" ]
	[ "$(cat $d/class)" = 0x020000 ]
	[ "$(cat $d/current_link_width)" -ge 8 ]
	[ "$(basename "$(readlink $d/driver)")" = ionic ]
}
check "PCI ids, class, link, driver" pci

firmware() {
	dmesg | has "ionic 0000:01:00.0: FW: rocm-ernic-1.0"
	g 0 ethtool -i eth0 | has -x "driver: ionic"
	g 0 ethtool -i eth0 | has -x "firmware-version: rocm-ernic-1.0"
	g 0 ethtool -i eth0 | has -x "bus-info: 0000:01:00.0"
}
check "firmware string in the log and in ethtool -i" firmware

link() {
	g 0 ethtool eth0 >/tmp/link
	cat /tmp/link
	grep -q "Speed: 100000Mb/s" /tmp/link
	grep -q "Port: Direct Attach Copper" /tmp/link
	grep -q "100000baseCR4/Full" /tmp/link
	grep -q "Link detected: yes" /tmp/link
}
check "ethtool: speed, port, link" link

queues() {
	# two pairs are offered; the driver takes no more than there are CPUs
	want "CPUs" "$(nproc)" -eq 4
	[ "$(g 0 ethtool -l eth0 | awk '/^Combined:/ { print $2 }' | xargs)" = "2 2" ]
	g 0 ethtool -g eth0 | has "RX:.*16384"
	[ "$(g 0 ethtool -x eth0 | grep -c '^ *[0-9]*: ')" = 16 ]
}
check "ethtool: channels, rings, indirection table" queues

mtu_limits() {
	ip -n g0 -d link show eth0 | has "maxmtu 9198"
	ip -n h0 -d link show ernic0 | has "maxmtu 9198"
}
check "MTU limits" mtu_limits

addresses() {
	# the two ends differ, the two functions differ, none is multicast
	local a
	a=$(for f in g0/eth0 g1/eth1 h0/ernic0 h1/ernic1; do
		ip -n "${f%/*}" -j link show "${f#*/}" | jq -r '.[0].address'
	done)
	echo "$a"
	[ "$(sort -u <<<"$a" | wc -l)" = 4 ]
	fails grep -qvE '^.[26ae]:' <<<"$a"
	[ "$(cat "$(attr 0 mac)")" = "$(head -n 1 <<<"$a")" ]
}
check "addresses" addresses

devlink_info() {
	devlink dev info pci/0000:01:00.0 >/tmp/devlink
	cat /tmp/devlink
	grep -q "fw rocm-ernic-1.0" /tmp/devlink
	grep -q "serial_number ERNIC" /tmp/devlink
}
check "devlink dev info" devlink_info

attributes() {
	[ "$(cat "$(attr 0 profile)")" = small-vm ]
	[ "$(cat "$(attr 0 netdev)")" = ernic0 ]
	[ "$(cat "$(attr 0 state)")" = running ]
}
check "attributes of the device" attributes

check "ping, IPv4" ping_both 0
check "ping, IPv6" ping6_both 0
check "ping, the second function" ping_both 1

config_access() {
	# user space reads come with a spinlock held; writes must not sleep there
	local d=/sys/bus/pci/devices/0000:01:00.0
	[ "$(stat -c %s $d/config)" = 4096 ]
	[ "$(head -c 4 $d/config | xxd -p)" = d81d0210 ]
	[ "$(xxd -s 256 -l 2 -p $d/config)" = 0300 ]
	# the cache line size register is free to be written
	printf '\x10' | dd of=$d/config bs=1 seek=12 conv=notrunc status=none
	until_ok 2 sh -c "[ \"\$(xxd -s 12 -l 1 -p $d/config)\" = 10 ]"
}
check "configuration space from user space" config_access

unload() {
	local ns
	for ns in g0 h0 g1 h1; do ip netns del $ns; done
	rmmod ernic_loop
	[ ! -e /sys/bus/pci/devices/0000:01:00.0 ]
	[ ! -e /sys/devices/faux/ernic_loop.0 ]
	fails ip link show ernic0
	rmmod ernic_host
	insmod "$MOD/ernic_host.ko"
	insmod "$MOD/ernic_loop.ko" devices=2
	setup 2
	ping_both 0
}
check "unload and load again" unload

# ---- other profiles ----------------------------------------------------------

compat() {
	reload profile=compat
	setup
	[ "$(g 0 ethtool -l eth0 | awk '/^Combined:/ { print $2 }' | xargs)" = "4 4" ]
	[ "$(g 0 ethtool -k eth0 | grep -cE '^(tx-checksumming|scatter-gather|tcp-segmentation-offload|receive-hashing): off')" = 4 ]
	ping_both 0
}
check "profile compat: four queues, no offloads" compat

generic() {
	reload profile=generic-100g
	setup
	g 0 ethtool eth0 | has "Port: FIBRE"
	g 0 ethtool eth0 | has "100000baseSR4/Full"
	[ "$(g 0 ethtool -l eth0 | awk '/^Combined:/ { print $2 }' | xargs)" = "4 4" ]
	ping_both 0
}
check "profile generic-100g: fiber, a queue for each CPU" generic

speed400() {
	reload profile=generic-400g
	setup
	g 0 ethtool eth0 | has "Speed: 400000Mb/s"
	ping_both 0
}
check "profile generic-400g" speed400

bad_profile() { ! insmod "$MOD/ernic_loop.ko" profile=nonsense 2>/dev/null; }
rmmod_loop() {
	local ns
	for ns in g0 h0; do ip netns del $ns; done
	rmmod ernic_loop
}
check "unload" rmmod_loop
check "an unknown profile is refused" bad_profile

check "the driver has no complaint" quiet_driver
tap_finish
