# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# TAP for test groups in bash, on the machine and in the virtual machines.
#
#	check NAME CMD...	CMD (a function, say) must succeed.  It runs in a
#				subshell with errexit: each of its lines must.
#	check_fails NAME CMD...	CMD must fail, and not by a signal
#	fails CMD...		in such a function: CMD must fail.  "! CMD" would not
#				do: errexit leaves it alone
#	CMD | has [OPTION] RE	grep -q, but all is read: CMD must not die of a pipe
#				that was closed at the first match
#	skip NAME WHY
#	tap_finish		the plan; exits with 1 if anything failed
#
# Output of a test is shown only when it fails.

tap_n=0
tap_failed=0
tap_rc=0
tap_log=$(mktemp)
tap_at_exit() { :; } # for groups to replace
trap 'rm -f "$tap_log"; tap_at_exit' EXIT

has() { grep "$@" | cat >/dev/null; }

tap_result() {
	local verdict=$1 name=$2
	tap_n=$((tap_n + 1))
	echo "$verdict $tap_n - $name"
	if [ "$verdict" = "not ok" ]; then
		tap_failed=$((tap_failed + 1))
		tail -n 80 "$tap_log" | sed 's/^/# /'
	fi
}

# Sets tap_rc.  Where a status is tested (left of "||", in an "if") bash ignores
# errexit in all that runs there, subshells included: the test is started outside
# of any such place, and only its end is waited for in one.
tap_run() {
	(
		set -euo pipefail
		"$@"
	) >"$tap_log" 2>&1 </dev/null &
	tap_rc=0
	wait $! || tap_rc=$?
}

check() {
	local name=$1
	shift
	tap_run "$@"
	if [ "$tap_rc" = 0 ]; then
		tap_result ok "$name"
	else
		echo "status $tap_rc: $*" >>"$tap_log"
		tap_result "not ok" "$name"
	fi
	return 0
}

check_fails() {
	local name=$1
	shift
	tap_run "$@"
	if [ "$tap_rc" -gt 0 ] && [ "$tap_rc" -lt 124 ]; then
		tap_result ok "$name"
	else
		echo "status $tap_rc, want 1 to 123: $*" >>"$tap_log"
		tap_result "not ok" "$name"
	fi
	return 0
}

# A check that cannot fail is worth nothing.
tap_self_check() {
	false
	true
}
tap_run tap_self_check
if [ "$tap_rc" = 0 ]; then
	echo "Bail out! tap.sh does not notice a failing line"
	exit 1
fi

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

fails() { ! "$@"; }

note() { echo "# $*"; }

tap_finish() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ] || exit 1
	exit 0
}
