# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Two RDMA devices of one kernel, each behind its netdev, on one wire:
#
#	eth0 10.0.0.1 ── ernic0 ┐
#	                        br0 :netns h
#	eth1 10.0.0.2 ── ernic1 ┘
#
# All of the RDMA stack's kernel users live in the initial namespace, and so do the
# netdevs.  The stack must not take the short cut between them: for it, either address
# is behind the other's device.  So no IP traffic is received; verbs need none.
#
# ERNIC_RDMA=rxe: an rxe device, which talks to itself, to see that the tests hold on
# a provider that is known to be good.

uml_dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib.sh
. "$uml_dir/lib.sh"

RDMA=${ERNIC_RDMA:-ionic}

# the RDMA device of a netdev
rdma_of() { rdma -j link show | jq -r --arg n "$1" '.[] | select(.netdev == $n) | .ifname'; }

has_rdma() { [ -n "$(rdma_of "$1")" ]; }

rdma_netdevs() {
	local i dev
	if [ "$RDMA" = rxe ]; then
		ip link add eth0 type veth peer name ernic0
		ip link set ernic0 up
		ip link set eth0 mtu 9000 up
		ip addr add 10.0.0.1/24 dev eth0
		return
	fi
	ip netns add h
	in_ns h sysctl -qw net.ipv6.conf.default.accept_ra=0
	ip -n h link add br0 address 52:54:00:c9:00:fe type bridge
	ip -n h link set br0 up
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	for i in 0 1; do
		until_ok 5 test -d "/sys/bus/pci/devices/$(bdf "$i")/net"
		dev=$(ls "/sys/bus/pci/devices/$(bdf "$i")/net")
		ip link set "$dev" name "was$i"
	done
	for i in 0 1; do
		rdma_host "$i"
		rdma_guest "$i"
	done
}

rdma_host() { # I: the host's end, after the device was made
	ip link set "ernic$1" netns h
	ip -n h link set "ernic$1" mtu 9000 master br0 up
}

rdma_guest() { # I: the guest's netdev, after a probe
	local i=$1 own=10.0.0.$(($1 + 1)) peer=10.0.0.$((2 - $1)) dev mac
	until_ok 5 test -d "/sys/bus/pci/devices/$(bdf "$i")/net"
	dev=$(ls "/sys/bus/pci/devices/$(bdf "$i")/net")
	[ "$dev" = "eth$i" ] || ip link set "$dev" name "eth$i"
	ip link set "eth$i" mtu 9000 up
	ip addr add "$own/24" dev "eth$i"
	ip addr add "fd00::$((i + 1))/64" dev "eth$i" nodad
	ip route add "$peer" dev "eth$i" src "$own"
	ip route del table local "$own" dev "eth$i"
	# a MAC stays the same when its netdev comes again
	mac=$(ls "/sys/bus/pci/devices/$(bdf $((1 - i)))/net")
	mac=$(<"/sys/class/net/$mac/address")
	ip neigh replace "$peer" lladdr "$mac" dev "eth$i" nud permanent
	until_ok 10 grep -q 1 "/sys/class/net/eth$i/carrier"
}

# Sets DEV0, DEV1 and their addresses IP0, IP1; without them there is nothing to test.
rdma_devices() {
	DEV0=$(rdma_of eth0) DEV1=$DEV0 IP0=10.0.0.1 IP1=$IP0
	[ "$RDMA" = rxe ] || DEV1=$(rdma_of eth1) IP1=10.0.0.2
	[ -n "$DEV0" ] && [ -n "$DEV1" ] || tap_finish
}

# The driver waits for some commands with a spin loop and interrupts off
# (ionic_admin_busy_wait).  A thread of the device that is queued on that CPU is not
# moved meanwhile, and the command never runs: nothing that a guest can do to its host,
# but here they are one kernel.  The device has the last CPU for itself (isolcpus).
device_cpu() {
	local p
	for p in $(pgrep '^ernic[0-9]'); do
		taskset -pc 3 "$p"
	done
}

load_driver() { modprobe ionic_rdma; }

rdma_setup() {
	rdma_netdevs
	modprobe ib_uverbs
	if [ "$RDMA" = rxe ]; then
		modprobe rdma_rxe
		rdma link add rxe0 type rxe netdev eth0
	else
		load_driver
		until_ok 10 has_rdma eth0
		until_ok 10 has_rdma eth1
		device_cpu
	fi
	rdma_ready
}

# Sets DEV0 and so on; all that verbs need is there.
rdma_ready() {
	until_ok 15 has_rdma eth0
	[ "$RDMA" = rxe ] || until_ok 15 has_rdma eth1
	rdma_devices
	# GIDs follow addresses from a work queue
	until_ok 5 grep -q "0a00:000${IP0##*.}" "/sys/class/infiniband/$DEV0/ports/1/gids/"*
	until_ok 5 grep -q "0a00:000${IP1##*.}" "/sys/class/infiniband/$DEV1/ports/1/gids/"*
}

# ulp TEST [DEVICE DEVICE [SEED]]
ulp() {
	local rc=0
	printf '%s\n' "$1 ${2:-$DEV0} ${3:-$DEV1} ${4:-1}" >/sys/kernel/debug/ernic_ulp/run || rc=1
	cat /sys/kernel/debug/ernic_ulp/run
	[ "$rc" = 0 ] || dmesg | grep -E 'ionic|ernic|rxe' | tail -n 8
	return "$rc"
}

# what the device of function I has of NAME, as its host sees it
host_rdma() { awk -v k="$2" '$1 == k { print $2 }' /sys/kernel/debug/ernic_host/*-6c6f6f70000"$1"/rdma; }

# nothing of the guest's objects is left
host_rdma_empty() {
	local k
	for k in qps cqs mrs ahs pages gids; do
		want "$k of function $1" "$(host_rdma "$1" $k)" -eq 0
	done
}

# Ways for the device of function I to go, and to come again.
unbind() {
	bdf "$1" >/sys/bus/pci/drivers/ionic/unbind
	host_rdma_empty "$1"
	bdf "$1" >/sys/bus/pci/drivers/ionic/bind
	rdma_guest "$1"
}

lacks_rdma() { [ -z "$(rdma_of "$1")" ]; }
firmware() {
	echo 1 >"$(attr "$1" firmware_reset)"
	# at once, before the driver hears of it
	host_rdma_empty "$1"
	until_ok 30 lacks_rdma "eth$1"
	until_ok 30 has_rdma "eth$1"
	until_ok 10 grep -q 1 "/sys/class/net/eth$1/carrier"
}
