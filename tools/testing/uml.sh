#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs tools/testing/uml/*.sh in UML and joins their TAP.
#	uml.sh [--debug] [SCRIPT...]
# Without names: all but those that want the debug kernel; with --debug: all.  The RDMA
# tests on rxe are controls of the tests themselves and are run with ERNIC_FULL=1 only.
set -uo pipefail

repo=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
debug=() limit=300
if [ "${1:-}" = --debug ]; then
	debug=(--debug)
	limit=900
	shift
fi
scripts=("$@")
if [ "${#scripts[@]}" = 0 ]; then
	for s in "$repo"/tools/testing/uml/*.sh; do
		s=$(basename "$s" .sh)
		case $s in
		lib | rdma-lib) ;;
		rdma-rxe-*) [ -z "${ERNIC_FULL:-}" ] || scripts+=("$s") ;;
		fault | rdma-fault) [ "${#debug[@]}" = 0 ] || scripts+=("$s") ;;
		*) scripts+=("$s") ;;
		esac
	done
fi

# Each script is a machine of its own, with one processor busy at most: two at a time.
jobs=2
[ "${#debug[@]}" = 0 ] || jobs=1

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

start() { # SCRIPT
	local s=$1 rc=0 options
	echo "uml: $s" >&2
	read -ra options < <(sed -n 's/^# options: //p' "$repo/tools/testing/uml/$s.sh")
	"$repo/tools/lab/lab" uml "${debug[@]}" --timeout "$limit" "${options[@]}" -- \
		"/repo/tools/testing/uml/$s.sh" >"$tmp/$s.tap" 2>"$tmp/$s.err" || rc=$?
	echo "$rc" >"$tmp/$s.rc"
}
running=0
"$repo/tools/lab/lab" uml-build "${debug[@]}" >&2 || exit 1
for s in "${scripts[@]}"; do
	if [ "$running" -ge "$jobs" ]; then
		wait -n
		running=$((running - 1))
	fi
	start "$s" &
	running=$((running + 1))
done
wait

echo "TAP version 14"
n=0 failed=0
for s in "${scripts[@]}"; do
	rc=$(<"$tmp/$s.rc")
	cat "$tmp/$s.err" >&2
	plan='' seen=0
	while IFS= read -r line; do
		case $line in
		"ok "* | "not ok "*)
			n=$((n + 1))
			seen=$((seen + 1))
			[[ $line != "not ok "* ]] || failed=$((failed + 1))
			# number it anew, and say whose it is
			sed -E "s/^((not )?ok) [0-9]+ - (.*)/\1 $n - $s: \3/" <<<"$line"
			;;
		"1.."*) plan=${line#1..} ;;
		"TAP version"*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$tmp/$s.tap"
	n=$((n + 1))
	# 1 is a failed test, which has been counted
	if [ "$plan" = "$seen" ] && { [ "$rc" = 0 ] || [ "$rc" = 1 ]; }; then
		echo "ok $n - $s: came to its end, the kernel is content"
	else
		failed=$((failed + 1))
		echo "not ok $n - $s: came to its end, the kernel is content"
		echo "# status $rc (86: report of the kernel, 124: time-out, 125: its death), ${plan:-no} tests planned, $seen seen"
	fi
done
echo "1..$n"
[ "$failed" = 0 ]
