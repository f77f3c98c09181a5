#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the host VM: the module's interfaces, without a guest.
# usage: host.sh mdev|cloud
set -uo pipefail
kind=$1
# shellcheck source=../lib/tap.sh
. /repo/tools/testing/lib/tap.sh

types=/sys/class/mdev_bus/ernic_host/mdev_supported_types
bus=/sys/bus/ernic
mdevs=/sys/bus/mdev/devices
profiles="compat small-vm generic-100g generic-400g"
uuid() { printf '5f1c2d3e-4a5b-4c6d-8e7f-%012d' "$1"; }
netdevs() { find /sys/class/net -name 'ernic*' | wc -l; }
load() { modprobe ernic_host "$@"; }
unload() { rmmod ernic_host; }
# writes TEXT FILE ERRNO-TEXT: the write must fail with just that error
refused() {
	local err
	err=$(LC_ALL=C bash -c 'echo "$1" >"$2"' - "$1" "$2" 2>&1) && {
		echo "'$1' > $2 was accepted"
		return 1
	}
	grep -qF "$3" <<<"$err" || {
		echo "want '$3', got: $err"
		return 1
	}
}

# ---- module ------------------------------------------------------------------

bad_profile() {
	local p
	dmesg -C
	fails load profile=no-such
	for p in $profiles; do
		dmesg | grep -F 'no-such' | has -w -- "$p"
	done
	[ ! -e /sys/module/ernic_host ]
}
check "modprobe: an unknown profile is refused, the log names the valid ones" bad_profile

bad_doorbell() {
	dmesg -C
	fails load doorbell=sometimes
	dmesg | grep -F 'sometimes' | has -w fault
	[ ! -e /sys/module/ernic_host ]
}
check "modprobe: an unknown doorbell is refused" bad_doorbell

default_profile() {
	load
	[ "$(</sys/module/ernic_host/parameters/doorbell)" = auto ]
	[ "$(</sys/module/ernic_host/parameters/profile)" = compat ]
	[ "$(</sys/module/ernic_host/parameters/max_devices)" = 64 ]
	[ "$(</sys/module/ernic_host/parameters/pin_budget_mb)" = 1024 ]
	unload
}
check "modprobe: defaults are compat, 64 devices, 1024 MiB" default_profile

parameters() {
	local p
	load profile=generic-100g max_devices=3
	[ "$(</sys/module/ernic_host/parameters/profile)" = generic-100g ]
	for p in profile max_devices pin_budget_mb; do
		[ "$(stat -c %a /sys/module/ernic_host/parameters/$p)" = 444 ]
	done
	unload
}
check "module parameters are read-only" parameters

# all that the default allows, at once
many() {
	local n
	load profile=small-vm
	for n in $(seq 101 164); do
		echo "$(uuid "$n")" >$bus/new_device
	done
	[ "$(netdevs)" = 64 ]
	[ "$(cat $bus/devices/*/ernic/mac | sort -u | wc -l)" = 64 ]
	[ "$(cat $bus/devices/*/ernic/netdev | sort -u | wc -l)" = 64 ]
	refused "$(uuid 165)" $bus/new_device "No space left on device"
	[ ! -e "$bus/devices/$(uuid 165)" ]
	# what one gives back another may have
	echo "$(uuid 130)" >$bus/del_device
	echo "$(uuid 165)" >$bus/new_device
	refused "$(uuid 130)" $bus/new_device "No space left on device"
	unload
	[ "$(netdevs)" = 0 ]
}
check "64 devices at once, and not one more" many

check "modprobe profile=small-vm max_devices=4" load profile=small-vm max_devices=4

# ---- mdev --------------------------------------------------------------------

if [ "$kind" = mdev ]; then
	type_files() {
		local t=$types/ernic_host-$1 want=$1
		[ "$want" != default ] || want=small-vm
		[ "$(<"$t/device_api")" = vfio-pci ]
		[ "$(<"$t/available_instances")" = 4 ]
		[ "$(<"$t/name")" = "$want" ]
		grep -q 'queue pairs' "$t/description"
	}
	for p in $profiles default; do
		check "mdev type $p: name, description, device_api, available_instances" type_files "$p"
	done
	description() {
		[ "$(<"$types/ernic_host-generic-400g/description")" = \
			"ionic PF, 64 queue pairs, 97 MSI-X vectors, 400000 Mb/s fiber, MTU up to 9198, offloads all, steering toeplitz" ]
	}
	check "mdev type generic-400g: description has the limits" description
	only_types() { [ "$(find "$types/" -mindepth 1 -maxdepth 1 | wc -l)" = 5 ]; }
	check "mdev: no other types" only_types

	create() {
		echo "$(uuid 1)" >$types/ernic_host-default/create
		[ -d "$mdevs/$(uuid 1)/ernic" ]
		[ "$(<"$mdevs/$(uuid 1)/ernic/profile")" = small-vm ]
		[ "$(<"$mdevs/$(uuid 1)/ernic/state")" = closed ]
		[ -d "/sys/class/net/$(<"$mdevs/$(uuid 1)/ernic/netdev")" ]
		[ -e "$types/ernic_host-default/devices/$(uuid 1)" ]
		[ -e "$mdevs/$(uuid 1)/vfio-dev" ]
		[ -d "/sys/kernel/debug/ernic_host/$(uuid 1)" ]
	}
	check "mdev: create" create
	check "mdev: a taken UUID is refused" refused "$(uuid 1)" $types/ernic_host-compat/create "File exists"
	check "own bus: a UUID taken by mdev is refused" refused "$(uuid 1)" $bus/new_device "File exists"
	check "mdev: no UUID is refused" refused "gibberish" $types/ernic_host-default/create "Invalid argument"
	instances() {
		local n
		for n in 2 3 4; do
			echo "$(uuid $n)" >$types/ernic_host-default/create
		done
		[ "$(<$types/ernic_host-default/available_instances)" = 0 ]
		[ "$(<$types/ernic_host-compat/available_instances)" = 0 ]
		[ "$(netdevs)" = 4 ]
	}
	check "mdev: all types count to max_devices" instances
	over() {
		refused "$(uuid 5)" $types/ernic_host-default/create "No space left on device"
		[ ! -e "$mdevs/$(uuid 5)" ]
	}
	check "mdev: no device beyond max_devices" over
	check "own bus: no device beyond max_devices" refused "$(uuid 5)" $bus/new_device "No space left on device"
	remove() {
		local n
		for n in 2 3 4; do
			echo 1 >"$mdevs/$(uuid $n)/remove"
		done
		[ "$(<$types/ernic_host-default/available_instances)" = 3 ]
		[ "$(netdevs)" = 1 ]
		[ ! -e "/sys/kernel/debug/ernic_host/$(uuid 2)" ]
	}
	check "mdev: remove" remove
	with_mdevctl() {
		mdevctl start --uuid "$(uuid 7)" --parent ernic_host --type ernic_host-generic-100g
		[ "$(<"$mdevs/$(uuid 7)/ernic/profile")" = generic-100g ]
		mdevctl list | grep "$(uuid 7)" | has generic-100g
		mdevctl stop --uuid "$(uuid 7)"
		[ ! -e "$mdevs/$(uuid 7)" ]
	}
	check "mdevctl: start, list, stop" with_mdevctl
	defined() {
		mdevctl define --auto --uuid "$(uuid 8)" --parent ernic_host --type ernic_host-compat
		mdevctl start --uuid "$(uuid 8)"
		[ "$(<"$mdevs/$(uuid 8)/ernic/profile")" = compat ]
		mdevctl stop --uuid "$(uuid 8)"
		mdevctl undefine --uuid "$(uuid 8)"
		[ ! -e "$mdevs/$(uuid 8)" ]
	}
	check "mdevctl: define, start, stop, undefine" defined
	dev=$mdevs/$(uuid 1)
else
	no_mdev() { [ ! -e /sys/class/mdev_bus ] && [ ! -e /sys/bus/mdev ]; }
	check "this kernel has no mdev" no_mdev
	first() { echo "$(uuid 1)" >$bus/new_device; }
	check "own bus: create" first
	dev=$bus/devices/$(uuid 1)
fi

# ---- attributes --------------------------------------------------------------

mac_default() {
	local mac
	mac=$(<"$dev/ernic/mac")
	[[ $mac =~ ^[0-9a-f][26ae](:[0-9a-f]{2}){5}$ ]]
}
check "mac: locally administered unicast by default" mac_default
mac_set() {
	echo 52:54:00:12:34:56 >"$dev/ernic/mac"
	[ "$(<"$dev/ernic/mac")" = 52:54:00:12:34:56 ]
}
check "mac: can be set" mac_set
for m in 01:00:5e:00:00:01 ff:ff:ff:ff:ff:ff 00:00:00:00:00:00 52:54:00:12:34 52:54:00:12:34:56:78 nonsense ""; do
	check "mac: '$m' is refused" refused "$m" "$dev/ernic/mac" "Invalid argument"
done
check "mac: is not what was refused" grep -q 52:54:00:12:34:56 "$dev/ernic/mac"
check "doorbell: an unknown word is refused" refused sometimes "$dev/ernic/doorbell" "Invalid argument"
check "doorbell: trap is taken" eval 'echo trap >"$dev/ernic/doorbell"; grep -qx trap "$dev/ernic/doorbell"'
check "firmware_reset: of a closed device is refused" refused 1 "$dev/ernic/firmware_reset" "No such device"
check "firmware_reset: 0 is refused" refused 0 "$dev/ernic/firmware_reset" "Invalid argument"
modes() {
	local a
	for a in profile netdev state doorbell_mode; do
		[ "$(stat -c %a "$dev/ernic/$a")" = 444 ]
	done
	for a in mac doorbell rdma rdma_domain rdma_expdb; do
		[ "$(stat -c %a "$dev/ernic/$a")" = 644 ]
	done
	[ "$(stat -c %a "$dev/ernic/firmware_reset")" = 200 ]
	[ "$(find "$dev/ernic/" -type f | wc -l)" = 10 ]
}
check "attributes: their modes, and no others" modes
renamed() {
	local n
	n=$(<"$dev/ernic/netdev")
	ip link set "$n" name ernic-other
	[ "$(<"$dev/ernic/netdev")" = ernic-other ]
	ip link set ernic-other name "$n"
}
check "netdev: follows a rename" renamed

# ---- own bus -----------------------------------------------------------------

bus_create() {
	echo "$(uuid 21) generic-100g" >$bus/new_device
	[ "$(<"$bus/devices/$(uuid 21)/profile")" = generic-100g ]
	[ "$(<"$bus/devices/$(uuid 21)/ernic/profile")" = generic-100g ]
	[ "$(<"$bus/devices/$(uuid 21)/ernic/state")" = closed ]
	[ -e "$bus/devices/$(uuid 21)/vfio-dev" ]
	[ -d "/sys/class/net/$(<"$bus/devices/$(uuid 21)/ernic/netdev")" ]
}
check "own bus: create with a profile" bus_create
check "own bus: a taken UUID is refused" refused "$(uuid 21)" $bus/new_device "File exists"
check "own bus: an unknown profile is refused" refused "$(uuid 22) no-such" $bus/new_device "Invalid argument"
check "own bus: gibberish is refused" refused "gibberish" $bus/new_device "Invalid argument"
check "own bus: a third word is refused" refused "$(uuid 22) compat more" $bus/new_device "Invalid argument"
check "own bus: del_device of an unknown UUID is refused" refused "$(uuid 99)" $bus/del_device "No such file or directory"
bus_same_mac() {
	local a b
	a=$(<"$bus/devices/$(uuid 21)/ernic/mac")
	echo "$(uuid 21)" >$bus/del_device
	[ ! -e "$bus/devices/$(uuid 21)" ]
	echo "$(uuid 21)" >$bus/new_device
	b=$(<"$bus/devices/$(uuid 21)/ernic/mac")
	[ "$a" = "$b" ]
	[ "$(<"$bus/devices/$(uuid 21)/ernic/profile")" = small-vm ]
	echo "$(uuid 21) default" >$bus/del_device 2>/dev/null && return 1
	echo "$(uuid 21)" >$bus/del_device
}
check "own bus: delete; the address belongs to the UUID" bus_same_mac
churn() {
	for _ in $(seq 50); do
		echo "$(uuid 30)" >$bus/new_device
		echo "$(uuid 30)" >$bus/del_device
	done
	[ "$(netdevs)" = 1 ]
}
check "own bus: 50 times create and delete" churn
race() {
	for _ in 1 2; do
		for _ in $(seq 30); do
			echo "$(uuid 31)" >$bus/new_device
			echo "$(uuid 31)" >$bus/del_device
		done 2>/dev/null &
	done
	wait || :
	[ ! -e "$bus/devices/$(uuid 31)" ] || echo "$(uuid 31)" >$bus/del_device
	[ "$(netdevs)" = 1 ]
}
check "own bus: create and delete the same device from two sides" race

# ---- ernicN ------------------------------------------------------------------

n=$(<"$dev/ernic/netdev")
driver() {
	[ "$(ethtool -i "$n" | sed -n 's/^driver: //p')" = ernic_host ]
	# 31 characters of it
	[ "$(ethtool -i "$n" | sed -n 's/^bus-info: //p')" = "$(uuid 1 | cut -c1-31)" ]
	[ "$(readlink -f "/sys/class/net/$n/device")" = "$(readlink -f "$dev")" ]
}
check "ernicN: driver and parent" driver
no_carrier() {
	ip link set "$n" up
	[ "$(<"/sys/class/net/$n/carrier")" = 0 ]
	ip link set "$n" down
}
check "ernicN: no carrier without a guest" no_carrier
mtu() {
	ip link set "$n" mtu 9198
	fails ip link set "$n" mtu 9199
	ip link set "$n" mtu 1500
}
check "ernicN: MTU up to the profile's" mtu
namespace() {
	ip netns add t1
	ip link set "$n" netns t1
	ip -n t1 link set "$n" up
	[ ! -e "/sys/class/net/$n" ]
	ip -n t1 link set "$n" netns 1
	ip netns del t1
	[ -e "/sys/class/net/$n" ]
}
check "ernicN: to another network namespace and back" namespace
dies_abroad() {
	local other
	echo "$(uuid 40)" >$bus/new_device
	other=$(<"$bus/devices/$(uuid 40)/ernic/netdev")
	ip netns add t2
	ip link set "$other" netns t2
	ip netns exec t2 ip link set "$other" up
	echo "$(uuid 40)" >$bus/del_device
	fails ip -n t2 link show "$other"
	ip netns del t2
}
check "ernicN: the device goes while it is in a namespace" dies_abroad
bridged() {
	ip link add tbr type bridge
	ip link set "$n" master tbr
	ip link set "$n" up
	ip link set tbr up
	bridge link show dev "$n" | has tbr
	ip link set "$n" nomaster
	ip link del tbr
}
check "ernicN: as a bridge port" bridged
upper() {
	ip link add link "$n" name tmv type macvlan mode bridge
	ip link set tmv up
	ip link del tmv
	ip link add link "$n" name "tv.5" type vlan id 5
	ip link set tv.5 up
	ip link del tv.5
}
check "ernicN: macvlan and VLAN on top" upper
traffic_control() {
	tc qdisc add dev "$n" clsact
	tc filter add dev "$n" ingress matchall action drop
	tc filter add dev "$n" egress matchall action pass
	tc filter show dev "$n" ingress | has drop
	tc qdisc del dev "$n" clsact
	tc qdisc replace dev "$n" root fq_codel
	tc qdisc show dev "$n" | has fq_codel
	tc qdisc del dev "$n" root
}
check "ernicN: tc filters and qdiscs" traffic_control
netfilter() {
	nft add table netdev t
	nft "add chain netdev t in { type filter hook ingress device $n priority 0; }"
	nft add rule netdev t in counter drop
	nft list table netdev t | has counter
	nft delete table netdev t
}
check "ernicN: nftables ingress hook" netfilter
capture() {
	ip link set "$n" up
	timeout 3 tcpdump -i "$n" -w /tmp/cap 2>/tmp/err || [ $? = 124 ]
	grep -q "listening on $n, link-type EN10MB" /tmp/err
}
check "ernicN: tcpdump attaches" capture
counters() {
	# no guest takes them: drops, and nothing else
	local before after
	before=$(</sys/class/net/"$n"/statistics/tx_dropped)
	ip addr add 192.0.2.1/24 dev "$n"
	ip neigh add 192.0.2.2 lladdr 52:54:00:00:00:02 dev "$n" nud permanent
	ip link set "$n" up
	ping -c 1 -W 1 192.0.2.2 || :
	after=$(</sys/class/net/"$n"/statistics/tx_packets)
	[ "$after" = 0 ]
	[ "$(</sys/class/net/"$n"/statistics/tx_dropped)" -ge "$before" ]
	ip addr flush dev "$n"
	ethtool -S "$n" | has '^ *rx_0_completions: 0$'
}
check "ernicN: nothing is delivered without a guest" counters
check "ernicN: ethtool -l, -g, -k and the link's speed" sh -c "ethtool -l $n && ethtool -g $n && ethtool -k $n && ethtool $n | grep -q 'Speed: 100000Mb/s'"

# ---- debugfs and tracepoints -------------------------------------------------

debug_files() {
	local f
	for f in regs queues interrupts memory stats; do
		cat "/sys/kernel/debug/ernic_host/$(uuid 1)/$f" >/dev/null
	done
	grep -q '^state *closed' "/sys/kernel/debug/ernic_host/$(uuid 1)/regs"
	grep -q '^pinned_pages *0$' "/sys/kernel/debug/ernic_host/$(uuid 1)/memory"
}
check "debugfs: all files can be read" debug_files
check "tracepoints: there, and can be enabled" sh -c \
	'for e in doorbell devcmd adminq tx rx irq pin unpin; do test -d /sys/kernel/tracing/events/ernic/ernic_$e || exit 1; done
	echo 1 >/sys/kernel/tracing/events/ernic/enable && echo 0 >/sys/kernel/tracing/events/ernic/enable'

# ---- end ---------------------------------------------------------------------

unload_used() {
	echo "$(uuid 50)" >$bus/new_device
	ip link set "$n" up
	unload
	[ ! -e /sys/module/ernic_host ]
	[ ! -e /sys/bus/ernic ]
	[ ! -e /sys/class/ernic_host ]
	[ ! -e /sys/kernel/debug/ernic_host ]
	[ "$(netdevs)" = 0 ]
}
check "rmmod: takes devices, buses and netdevs along" unload_used
again() {
	for _ in 1 2 3 4 5; do
		load profile=compat
		echo "$(uuid 60)" >$bus/new_device
		unload
	done
}
check "modprobe and rmmod, five times" again

tap_finish
