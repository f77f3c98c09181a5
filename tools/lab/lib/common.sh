# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Shared by all parts of the lab; sourced, never run.

LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
REPO=$(cd "$LAB_DIR/../.." && pwd)
CACHE=${ERNIC_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ernic-lab}
BUILD=$REPO/build/lab
export LAB_DIR REPO CACHE BUILD

say() { printf 'lab: %s\n' "$*" >&2; }
die() { printf 'lab: error: %s\n' "$*" >&2; exit 1; }
usage_error() { printf 'lab: %s\nTry "lab --help".\n' "$*" >&2; exit 2; }

need_root() {
	[ "$(id -u)" = 0 ] || die "must run as root (chroot, mount and debootstrap need it)"
}

# Twelve hex digits that name the given text: part of every cache key.
key_of() { sha256sum | cut -c1-12; }

# A list file without comments and blank lines.
list() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# step WHAT USUAL CMD...: run one long step.  Its output goes to a log, shown
# when it fails; the step reports every ten seconds that it is still at work.
step() {
	local what=$1 usual=$2 log beat rc=0 t0=$SECONDS
	shift 2
	mkdir -p "$CACHE/log"
	log=$CACHE/log/$(date +%Y%m%d-%H%M%S)-$$-$(tr -c 'a-zA-Z0-9\n' - <<<"$what" | cut -c1-40).log
	say "$what (usually $usual)"
	{
		n=10
		while sleep 10; do
			say "... $what: ${n} s so far"
			n=$((n + 10))
		done
	} </dev/null &
	beat=$!
	# In the background, because errexit is off on the left of "||", and in a
	# process group, so that an interrupt ends all of it.
	set -m
	(
		set -euo pipefail
		"$@"
	) >"$log" 2>&1 </dev/null &
	set +m
	# shellcheck disable=SC2064 # expand now
	trap "kill -TERM -- -$! $beat 2>/dev/null; exit 130" INT TERM HUP
	wait $! || rc=$?
	trap - INT TERM HUP
	kill "$beat" 2>/dev/null || :
	wait "$beat" 2>/dev/null || :
	if [ "$rc" != 0 ]; then
		say "$what: failed with status $rc; end of $log:"
		tail -n 40 "$log" >&2
		exit "$rc"
	fi
	say "$what: done in $((SECONDS - t0)) s"
}

# locked NAME CMD...: one process at a time, over all checkouts.
locked() {
	local fd
	mkdir -p "$CACHE/lock"
	# No subshell: a signal must reach the step that runs under the lock.
	exec {fd}>"$CACHE/lock/$1"
	flock "$fd"
	shift
	"$@"
	exec {fd}>&-
}

# in_namespace CMD...: CMD in a private mount namespace, so that its mounts end
# with it however it ends.
in_namespace() { unshare --mount --propagation private -- "$@"; }
