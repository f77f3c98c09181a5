# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Topology for tests in UML, where guest driver and device share a kernel:
#
#	netns g0: eth0 (ionic) ── function 0 ── ernic0 :netns h0
#	netns g1: eth1 (ionic) ── function 1 ── ernic1 :netns h1
#
# In separate namespaces, or the stack would take a short cut.  Addresses of
# function I: 10.0.I.1 and fd00:I::1 in the guest, .2 and ::2 on the host.

uml_dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=../lib/tap.sh
. "$uml_dir/../lib/tap.sh"
echo "TAP version 14"

MOD=${MOD:-/lab/mod}

bdf() { echo "0000:01:0$1.0"; }
attr() { echo "/sys/devices/faux/ernic_loop.$1/ernic/$2"; }

# "ip netns exec" also mounts a sysfs, which costs more than most commands: only
# who reads /sys/class/net needs it.
in_ns() {
	local ns=$1
	shift
	nsenter --net="/run/netns/$ns" "$@"
}
g() { # g I CMD...: in the guest of function I
	local i=$1
	shift
	in_ns "g$i" "$@"
}
h() {
	local i=$1
	shift
	in_ns "h$i" "$@"
}

# until SECONDS CMD...: tries until it succeeds
until_ok() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "did not happen in time: $*"
			"$@" || :
			return 1
		}
		sleep 0.05
	done
}

carrier() { ip -n "g$1" link show "eth$1" | has LOWER_UP; }
no_carrier() { ! carrier "$1"; }

# the guest's netdev, after a probe; it appears in the first namespace
adopt() {
	local i=$1 dev
	until_ok 5 test -d "/sys/bus/pci/devices/$(bdf "$i")/net"
	dev=$(ls "/sys/bus/pci/devices/$(bdf "$i")/net")
	ip link set "$dev" netns "g$i" name "eth$i"
	ip -n "g$i" addr add "10.0.$i.1/24" dev "eth$i"
	ip -n "g$i" addr add "fd00:$i::1/64" dev "eth$i" nodad
	ip -n "g$i" link set "eth$i" up
}

adopt_host() {
	local i=$1
	ip link set "ernic$i" netns "h$i"
	ip -n "h$i" addr add "10.0.$i.2/24" dev "ernic$i"
	ip -n "h$i" addr add "fd00:$i::2/64" dev "ernic$i" nodad
	ip -n "h$i" link set "ernic$i" up
}

# setup [N]: N functions, up and with carrier
setup() {
	local n=${1:-1} i
	for ((i = 0; i < n; i++)); do
		ip netns add "g$i"
		ip netns add "h$i"
		# fewer frames of their own, so that counters can be compared
		for ns in "g$i" "h$i"; do
			in_ns "$ns" sysctl -qw net.ipv6.conf.default.accept_ra=0 \
				net.ipv6.conf.default.router_solicitations=0 \
				net.ipv6.conf.default.keep_addr_on_down=1 \
				net.ipv6.conf.all.keep_addr_on_down=1
			ip -n "$ns" link set lo up
		done
		adopt_host "$i"
		adopt "$i"
	done
	for ((i = 0; i < n; i++)); do
		until_ok 10 carrier "$i"
	done
}

# reload ARGS...: another ernic_loop; setup has to follow
reload() {
	local ns
	for ns in $(ip netns list | cut -d' ' -f1); do
		ip netns del "$ns"
	done
	rmmod ernic_loop
	insmod "$MOD/ernic_loop.ko" "$@"
}

# ping I [ARGS...]: both ways
ping_both() {
	local i=$1
	shift
	g "$i" ping -q -c 3 -i 0.05 -W 2 "$@" "10.0.$i.2"
	h "$i" ping -q -c 3 -i 0.05 -W 2 "$@" "10.0.$i.1"
}
ping6_both() {
	local i=$1
	shift
	g "$i" ping -q -c 3 -i 0.05 -W 2 "$@" "fd00:$i::2"
	h "$i" ping -q -c 3 -i 0.05 -W 2 "$@" "fd00:$i::1"
}
alive() { g "$1" ping -q -c 1 -W 1 "10.0.$1.2"; }

# counter of the device as the host sees it, of the driver as the guest does
hstat() { h "$1" ethtool -S "ernic$1" | awk -v k="$2:" '$1 == k { print $2 }'; }
gstat() { g "$1" ethtool -S "eth$1" | awk -v k="$2:" '$1 == k { print $2 }'; }
# hcount I: all of them, to be compared with hdelta later
hsave() { h "$1" ethtool -S "ernic$1" >"/tmp/hsave$1"; }
hdelta() {
	local old new
	old=$(awk -v k="$2:" '$1 == k { print $2 }' "/tmp/hsave$1")
	new=$(hstat "$1" "$2")
	echo $((new - old))
}
# want NAME GOT OP VALUE
want() {
	test "$2" "$3" "$4" || {
		echo "$1 is $2, want $3 $4"
		return 1
	}
}

# iperf I DIRECTION SECONDS: prints Mbit/s; direction up is guest to host
iperf_server() {
	h "$1" iperf3 -s -D --pidfile "/tmp/iperf$1.pid" >/dev/null
	until_ok 5 h "$1" sh -c "ss -ltn | grep -q :5201"
}
iperf() {
	local i=$1 dir=$2 t=$3 out
	shift 3
	[ "$dir" = up ] || set -- -R "$@"
	out=$(g "$i" timeout $((t + 15)) iperf3 -J -c "10.0.$i.2" -t "$t" "$@") || {
		echo "$out" | tail -n 5
		return 1
	}
	jq -r '.end.sum_received.bits_per_second / 1e6 | floor' <<<"$out"
}

# load_start I: traffic both ways that goes on over link losses; load_stop
load_start() {
	local i=$1 p
	h "$i" socat -u "TCP-LISTEN:7001,fork,reuseaddr" OPEN:/dev/null &
	load_pids+=($!)
	g "$i" socat -u "TCP-LISTEN:7002,fork,reuseaddr" OPEN:/dev/null &
	load_pids+=($!)
	sleep 0.2
	g "$i" sh -c "while :; do socat -u OPEN:/dev/zero TCP:10.0.$i.2:7001 2>/dev/null; sleep 0.05; done" &
	load_pids+=($!)
	h "$i" sh -c "while :; do socat -u OPEN:/dev/zero TCP:10.0.$i.1:7002 2>/dev/null; sleep 0.05; done" &
	load_pids+=($!)
	for p in 1 2; do
		g "$i" ping -q -f -s 1000 "10.0.$i.2" >/dev/null 2>&1 &
		load_pids+=($!)
	done
}
load_pids=()
load_stop() {
	local p
	for p in "${load_pids[@]}"; do
		pkill -P "$p" 2>/dev/null || :
		kill "$p" 2>/dev/null || :
	done
	wait "${load_pids[@]}" 2>/dev/null || :
	load_pids=()
}

# send NS DEV FILE...: see frames.py
send() {
	local ns=$1
	shift
	in_ns "$ns" python3 "$uml_dir/frames.py" send "$@"
}

# Driver complaints that are no WARN: a watchdog, a command that timed out.
quiet_driver() {
	! dmesg | grep -E "NETDEV WATCHDOG|Tx Timeout|timed out|[ :(]timeout|Cmd failed|failed, error|FW Down" |
		grep -vE "${1:-^\$}"
}
