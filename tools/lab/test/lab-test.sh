#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Self-test of the lab, in TAP: what passes through, what fails, and above all
# that a kernel in trouble never looks like success.
# usage: lab-test.sh [cli] [uml] [uml-debug] [vm] [guest]
set -uo pipefail

dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
lab=$dir/lab
repo=$(cd "$dir/../.." && pwd)
tmp=$(mktemp -d)
out=$repo/build/lab/out
mkdir -p "$out"

n=0 failed=0 started_vm=0
cleanup() {
	[ "$started_vm" = 0 ] || "$lab" down
	rm -rf "$tmp"
}
trap cleanup EXIT

ok() {
	n=$((n + 1))
	echo "ok $n - $1"
}
not_ok() {
	n=$((n + 1))
	failed=$((failed + 1))
	echo "not ok $n - $1"
	sed 's/^/# /' "$tmp/out" "$tmp/err" 2>/dev/null | tail -n 60
}

# check NAME STATUS CMD...: runs CMD with its output in $tmp/{out,err}.
check() {
	local name=$1 want=$2 rc=0
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
	if [ "$rc" = "$want" ]; then
		ok "$name"
	else
		echo "# status $rc, want $want" >>"$tmp/err"
		not_ok "$name"
	fi
}
# has NAME FILE PATTERN / lacks NAME FILE PATTERN: about the last check's output.
has() { if grep -qE -- "$3" "$tmp/$2"; then ok "$1"; else not_ok "$1"; fi; }
lacks() { if grep -qE -- "$3" "$tmp/$2"; then not_ok "$1"; else ok "$1"; fi; }

test_cli() {
	check "help" 0 "$lab" --help
	has "help names its commands" out '^  bootstrap'
	check "no command is a usage error" 2 "$lab"
	check "an unknown command is a usage error" 2 "$lab" frobnicate
	check "an unknown option is a usage error" 2 "$lab" up --frobnicate
	check "a missing command is a usage error" 2 "$lab" uml --
	check "a bad number is a usage error" 2 "$lab" up --guests many
	check "an unknown kernel is a usage error" 2 "$lab" up --kernel 2.4
	check "status in JSON" 0 "$lab" status --json
	has "status is an object" out '^\{.*"host_vm": (true|false).*\}$'
}

# run KIND STATUS...: the same properties for every way to run a command.
passes_through() {
	local kind=$1
	shift
	check "$kind: success" 0 "$@" -- true
	check "$kind: exit status" 7 "$@" -- sh -c 'echo to-out; echo to-err >&2; exit 7'
	has "$kind: stdout" out '^to-out$'
	has "$kind: stderr" err 'to-err'
	lacks "$kind: stderr is not in stdout" out 'to-err'
	check "$kind: odd arguments" 0 "$@" -- sh -c '[ "$1" = "a  b" ] && [ "$2" = "" ] && [ "$3" = "q\"'"'"'\$x" ] && [ $# = 3 ]' - 'a  b' '' 'q"'"'"'$x'
	check "$kind: a command that is not there" 127 "$@" -- /no/such/command
	check "$kind: killed by a signal" 137 "$@" -- sh -c 'kill -KILL $$'
	check "$kind: time-out" 124 "$@" --timeout 6 -- sleep 60
}

build_fault_uml() {
	local copy=$repo/build/fault-$1
	mkdir -p "$copy"
	cp "$dir/test/fault/Kbuild" "$dir/test/fault/lab_fault.c" "$copy/"
	make -s -C "$("$lab" path "$1")" ARCH=um M="$copy" modules >"$tmp/build" 2>&1 || {
		sed 's/^/# /' "$tmp/build"
		return 1
	}
	cp "$copy/lab_fault.ko" "$out/lab_fault_$1.ko"
}

test_uml() {
	"$lab" bootstrap uml 2>&1 | sed 's/^/# /'
	passes_through uml "$lab" uml --no-module
	check "uml: two processors" 0 "$lab" uml --no-module --cpus 2 -- sh -c '[ "$(nproc)" = 2 ]'
	check "uml: the root can be written" 0 "$lab" uml --no-module -- sh -c 'echo x >/usr/lab-test && rm -r /usr/share/doc'
	if [ -e "$("$lab" path root)/usr/lab-test" ] || [ ! -d "$("$lab" path root)/usr/share/doc" ]; then
		not_ok "uml: ... without harm to the cached one"
	else
		ok "uml: ... without harm to the cached one"
	fi
	check "uml: the checkout is read-only" 1 "$lab" uml --no-module -- sh -c 'touch /repo/lab-test 2>/dev/null'
	check "uml: the exchange directory" 0 "$lab" uml --no-module -- sh -c 'echo there >/out/lab-test'
	check "uml: ... is seen outside" 0 grep -q there "$out/lab-test"
	rm -f "$out/lab-test"
	check "uml: power-off without a verdict fails" 125 "$lab" uml --no-module -- busybox poweroff -f
	build_fault_uml uml || not_ok "uml: build of the fault module"
	check "uml: WARN fails" 125 "$lab" uml --no-module -- sh -c 'insmod /out/lab_fault_uml.ko what=warn; true'
	has "uml: ... and is shown" err 'lab_fault: as asked'
	check "uml: oops fails" 125 "$lab" uml --no-module -- sh -c 'insmod /out/lab_fault_uml.ko what=oops; true'
	check "uml: a harmless module does not" 0 "$lab" uml --no-module -- insmod /out/lab_fault_uml.ko
}

test_uml_debug() {
	local what
	"$lab" bootstrap uml-debug 2>&1 | sed 's/^/# /'
	build_fault_uml uml-debug || not_ok "uml-debug: build of the fault module"
	check "uml-debug: a harmless module" 0 "$lab" uml --debug --no-module -- insmod /out/lab_fault_uml-debug.ko
	for what in uaf leak lockdep sleep; do
		case $what in leak | lockdep) rc=86 ;; *) rc=125 ;; esac
		check "uml-debug: $what fails" "$rc" "$lab" uml --debug --no-module -- \
			sh -c "insmod /out/lab_fault_uml-debug.ko what=$what; true"
		case $what in
		uaf) has "uml-debug: ... KASAN shows it" err 'KASAN: .*use-after-free' ;;
		leak) has "uml-debug: ... kmemleak shows it" err 'unreferenced object' ;;
		lockdep) has "uml-debug: ... lockdep shows it" err 'possible circular locking' ;;
		sleep) has "uml-debug: ... it is shown" err 'scheduling while atomic|sleeping function|Invalid wait context' ;;
		esac
	done
}

vm_fault_module() {
	"$lab" chroot -- sh -euc 'cp -r /repo/tools/lab/test/fault /tmp/f
		make -s -C "/lib/modules/$KRELEASE/build" M=/tmp/f modules
		cp /tmp/f/lab_fault.ko /out/lab_fault_stock.ko' >"$tmp/build" 2>&1 || {
		sed 's/^/# /' "$tmp/build"
		not_ok "vm: build of the fault module"
	}
}

test_vm() {
	local guests=$1
	started_vm=1
	vm_fault_module
	check "vm: up" 0 "$lab" up --bare --guests "$guests" --peer vhost
	check "vm: up twice is refused" 1 "$lab" up --bare
	passes_through host "$lab" host
	echo 'echo "script: $1"; exit 3' >"$tmp/script"
	sed -i '1i #!/bin/sh' "$tmp/script"
	check "host: script" 3 "$lab" host --script "$tmp/script" -- arg
	has "host: ... gets its arguments" out '^script: arg$'
	head -c 300000 /dev/urandom >"$tmp/blob"
	check "push" 0 "$lab" push "$tmp/blob" /tmp/blob
	check "pull" 0 "$lab" pull /tmp/blob "$tmp/blob2"
	check "... the same bytes" 0 cmp "$tmp/blob" "$tmp/blob2"
	if [ "$guests" -gt 0 ]; then
		passes_through guest "$lab" guest 1
		check "guest: script" 3 "$lab" guest 1 --script "$tmp/script" -- arg
		check "guest: push" 0 "$lab" push --guest 1 "$tmp/blob" /tmp/blob
		check "guest: pull" 0 "$lab" pull --guest 1 /tmp/blob "$tmp/blob3"
		check "... the same bytes" 0 cmp "$tmp/blob" "$tmp/blob3"
		check "guest: no such guest" 1 "$lab" guest 9 -- true
		check "guest: ping over vhost-net" 0 "$lab" guest 1 -- ping -c 2 -W 5 192.168.201.254
		check "guest: push of a module" 0 "$lab" push --guest 1 "$out/lab_fault_stock.ko" /tmp/f.ko
		check "guest: WARN fails" 86 "$lab" guest 1 -- sh -c 'insmod /tmp/f.ko what=warn; true'
		has "guest: ... and is shown" err 'lab_fault: as asked'
		check "guest: crash fails" 125 "$lab" guest 1 -- sh -c 'echo c >/proc/sysrq-trigger'
		check "host: still there" 0 "$lab" host -- true
	fi
	check "host: a harmless module" 0 "$lab" host -- sh -c 'insmod /out/lab_fault_stock.ko && rmmod lab_fault'
	check "host: WARN fails" 86 "$lab" host -- sh -c 'insmod /out/lab_fault_stock.ko what=warn; rmmod lab_fault'
	has "host: ... and is shown" err 'lab_fault: as asked'
	check "host: ... once" 0 "$lab" host -- true
	check "host: WARN waived" 0 "$lab" host --ignore-report -- sh -c 'insmod /out/lab_fault_stock.ko what=warn; rmmod lab_fault'
	check "host: panic fails" 125 "$lab" host -- sh -c 'echo c >/proc/sysrq-trigger'
	has "host: ... and is shown" err 'sysrq triggered crash'
	check "host: gone" 1 "$lab" host -- true
	check "down" 0 "$lab" down
	started_vm=0
	check "down twice" 0 "$lab" down
}

[ $# -gt 0 ] || set -- cli uml uml-debug guest
echo "TAP version 14"
for part; do
	case $part in
	cli) test_cli ;;
	uml) test_uml ;;
	uml-debug) test_uml_debug ;;
	vm) test_vm 0 ;;
	guest) test_vm 1 ;;
	*)
		echo "Bail out! no such part: $part"
		exit 2
		;;
	esac
done
echo "1..$n"
[ "$failed" = 0 ]
