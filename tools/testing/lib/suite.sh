# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Test programs that run in kernels of the lab, as results of a group; sourced after
# tap.sh, at the top of the checkout.  suite_end in tap_at_exit cleans up.

# shellcheck disable=SC2154 # tap_log is of tap.sh
tests=tools/testing/selftests/ernic
# of the group's own: others build at the same time
programs=build/selftests-$(basename "$0")
# shellcheck disable=SC2034 # for the group: RUN PROGRAM/IOMMU/BUS/DOORBELL...
run=("/repo/$tests/run" "/repo/$programs")

build_tests() {
	make -s -C "$tests" OUT="$PWD/$programs" CFLAGS="-O2 -g -Werror"
}

# Results from a kernel become results of this group; what follows a failure
# stays with it.  The last line has the status of the command.
suite_relay() {
	local prefix=$1 line plan=0 seen=0
	rc=125
	bad=0
	while IFS= read -r line; do
		case $line in
		"ok "*)
			seen=$((seen + 1))
			tap_n=$((tap_n + 1))
			echo "ok $tap_n - $prefix: ${line#ok * - }"
			;;
		"not ok "*)
			seen=$((seen + 1))
			tap_n=$((tap_n + 1))
			tap_failed=$((tap_failed + 1))
			bad=1
			echo "not ok $tap_n - $prefix: ${line#not ok * - }"
			printf '%s' "$why"
			;;
		"1.."*)
			plan=${line#1..}
			plan=$((total += ${plan%% *}))
			;;
		"# "*[0-9]" s") ;;
		"# "*) why+=$line$'\n' ;;
		"rc "*) rc=${line#rc } ;;
		*) printf '# %s\n' "$line" ;;
		esac
		case $line in "# "*) ;; *) why= ;; esac
	done
	# a program that died said no plan, or too few results
	{ [ "$seen" -gt 0 ] && [ "$seen" = "$total" ]; } || echo "$seen results, $total announced" >>"$tap_log"
}

# run_suite PREFIX LAB-COMMAND...: run the tests there; suite PREFIX tells the results
suite_out=$(mktemp -d)
suite_end() { rm -rf "$suite_out"; }
run_suite() {
	local f=$suite_out/${1// /_}
	note "$1"
	shift
	echo "$*" >"$f.cmd"
	{
		"$@" </dev/null 2>"$f.err"
		echo "rc $?"
	} >"$f.out"
}
suite() {
	local prefix=$1 total=0 why='' rc=0 bad=0 f=$suite_out/${1// /_}
	cp "$f.err" "$tap_log"
	suite_relay "$prefix" <"$f.out"
	# 0: all passed, 1: some did not; 86: a kernel report, 124 and 125: time-out, crash
	if [ "$rc" = "$bad" ] && ! grep -q ' announced$' "$tap_log"; then
		tap_result ok "$prefix: ran to the end, and the kernel has nothing to report"
	else
		echo "status $rc: $(<"$f.cmd")" >>"$tap_log"
		tap_result "not ok" "$prefix: ran to the end, and the kernel has nothing to report"
	fi
}
