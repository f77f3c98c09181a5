#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The KUnit suites in UML, as flat TAP: kunit.sh [--debug]
set -uo pipefail

repo=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo "TAP version 14"

# Every suite of the source must report, or a lost one would go unnoticed.
want=$(cat "$repo"/kunit/*.c | sed -n 's/^	\.name = "\(.*\)",$/\1/p' | sort)

rc=0
# shellcheck disable=SC2016 # expanded over there
"$repo/tools/lab/lab" uml "$@" --timeout 300 --no-module -- sh -c '
	modprobe -a mdev vfio iommufd &&
	insmod /lab/mod/ernic_host.ko && insmod /lab/mod/ernic_kunit.ko || exit 1
	for r in /sys/kernel/debug/kunit/ernic-*/results; do
		cat "$r"
	done
	rmmod ernic_kunit && rmmod ernic_host' >"$tmp/ktap" || rc=$?

# The lines before a result belong to it.  Parameters are one level deeper.
awk '
	/^    # Subtest: / { suite = $3; seen[suite]; why = ""; next }
	/^    (not )?ok [0-9]+ / {
		verdict = $1 == "not" ? "not ok" : "ok"
		sub(/^    (not )?ok [0-9]+ (- )?/, "")
		printf "%s %d - %s: %s\n", verdict, ++n, suite, $0
		if (verdict != "ok")
			printf "%s", why
		why = ""
		next
	}
	{ why = why "# " $0 "\n" }
	END { print n + 0 >"/dev/stderr"; for (s in seen) print s >"/dev/fd/3" }
' "$tmp/ktap" 2>"$tmp/n" 3>"$tmp/suites"
n=$(tail -n 1 "$tmp/n")

n=$((n + 1))
if diff <(echo "$want") <(sort "$tmp/suites") >"$tmp/diff"; then
	echo "ok $n - every suite has run"
else
	echo "not ok $n - every suite has run"
	sed 's/^/# /' "$tmp/diff"
fi
n=$((n + 1))
if [ "$rc" = 0 ]; then
	echo "ok $n - the kernel is content, the modules unload"
else
	echo "not ok $n - the kernel is content, the modules unload"
	echo "# status $rc; 86 is a report of the kernel, 124 a time-out, 125 its death"
fi
echo "1..$n"
[ "$rc" = 0 ]
