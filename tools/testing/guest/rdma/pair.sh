# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Two guests that speak RDMA with each other: for the demo, the tests and the bench.
# Sourced; $lab is the lab's command, $repo the checkout.

# shellcheck disable=SC2154 # both are the caller's
host() { "$lab" host --timeout 60 -- sh -euc "$1"; }
# guest K SCRIPT [SECONDS]; prelude: what each script begins with
guest() { "$lab" guest "$1" --timeout "${3:-60}" -- bash -euc ". /run/rdma.sh; ${prelude:-} $2"; }

until_ok() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || {
			"$@"
			return 1
		}
		sleep 0.5
	done
}

# guests_prepare GUESTS: drivers loaded, GIDs there, jumbo frames, each sees the other
guests_prepare() {
	local k
	for k in $(seq "$1"); do
		"$lab" push --guest "$k" "$repo/tools/testing/guest/rdma/guest.sh" /run/rdma.sh
		guest "$k" setup 90
	done
	host 'for i in /sys/class/net/br-*/brif/* /sys/class/net/br-*; do ip link set ${i##*/} mtu 9000; done'
	[ "$1" = 1 ] || until_ok 30 guest 1 'ping -c 1 -W 2 $PEER'
}

# pair SERVER CLIENT [SECONDS]: SERVER in guest 2, CLIENT in guest 1 when the other one
# had time to listen (settle=, seconds); both must succeed.  Prints what CLIENT says;
# what SERVER says goes to standard error.
pair() {
	local t=${3:-60}
	guest 2 "rm -f /run/server.*; setsid sh -c '{ timeout $t $1; } >/run/server.log 2>&1; echo \$? >/run/server.rc' >/dev/null 2>&1 </dev/null & echo \$! >/run/server.pid; sleep ${settle:-1.5}"
	guest 1 "timeout $t $2" "$((t + 15))" || {
		guest 2 'tail -n 20 /run/server.log; [ ! -e /run/server.rc ] || cat /run/server.rc
			pkill -s "$(cat /run/server.pid)" || :' >&2
		return 1
	}
	until_ok 15 guest 2 '[ -e /run/server.rc ]'
	guest 2 'tail -n 20 /run/server.log; [ "$(cat /run/server.rc)" = 0 ]' >&2
}
