# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# User-Mode Linux: our modules, the unmodified ionic driver, one kernel process.

# Copies the sources and builds them outside the checkout; make skips what is
# up to date.
uml_modules() {
	local variant=$1 copy=$REPO/build/$1 d log=$BUILD/$1-build.log
	local -a src=()
	mkdir -p "$copy" "$BUILD"
	for d in Kbuild include drivers kunit; do
		[ ! -e "$REPO/$d" ] || src+=("$REPO/$d")
	done
	[ -e "$REPO/Kbuild" ] || die "no Kbuild in $REPO: nothing to build for UML"
	rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude='.*.cmd' --exclude='modules.order' --exclude='Module.symvers' "${src[@]}" "$copy/"
	if ! make -s -j"$(nproc)" ARCH=um -C "$(uml_dir "$variant")" M="$copy" modules >"$log" 2>&1; then
		cat "$log" >&2
		say "modules do not build for $variant"
		return 1
	fi
	# The module that tests kernel verbs needs nothing of ours.
	if [ -e "$REPO/tools/testing/ulp/Kbuild" ]; then
		rsync -a "$REPO/tools/testing/ulp" "$copy/"
		make -s -j"$(nproc)" ARCH=um -C "$(uml_dir "$variant")" M="$copy/ulp" modules >>"$log" 2>&1 || {
			cat "$log" >&2
			say "the ULP does not build for $variant"
			return 1
		}
	fi
	cat "$log" >&2
}

# The guest's RDMA driver with our change, as a guest has it by tools/guest/driver-pack.
uml_pack() {
	local variant=$1 pack copy log=$BUILD/$1-pack.log
	pack=$(pack_file stock)
	copy=$REPO/build/$variant/$(basename "$pack" .tar.xz)
	if [ ! -e "$copy/Kbuild" ]; then
		rm -rf "$REPO/build/$variant"/ionic-ernic-*
		mkdir -p "$copy"
		tar -C "$copy" --strip-components=1 -xf "$pack"
	fi
	make -s -j"$(nproc)" ARCH=um -C "$(uml_dir "$variant")" M="$copy" modules >"$log" 2>&1 || {
		cat "$log" >&2
		say "the driver of the pack does not build for $variant"
		return 1
	}
}

uml_ready() {
	# The common case must cost nothing: no locks, no look-ups.
	if ! [ -e "$(uml_dir "$1")/.built" ] || ! [ -d "$(root_dir)" ]; then
		need_root
		bootstrap_uml "$1"
	fi
	bootstrap_agent
}

uml_initrd() {
	local out
	out=$CACHE/uml-initrd-$(cat "$LAB_DIR/uml/initramfs-init" <(root_key) | key_of)
	[ -s "$out" ] || initramfs "$out" "$LAB_DIR/uml/initramfs-init" / none
	echo "$out"
}

cmd_uml_build() {
	local variant=uml
	case ${1:-} in
	--debug) variant=uml-debug ;;
	'') ;;
	*) usage_error "uml-build: unknown option $1" ;;
	esac
	uml_ready "$variant"
	mkdir -p "$BUILD"
	(
		flock 9
		uml_modules "$variant"
	) 9>"$BUILD/$variant.lock"
}

# The first report in a console log and what follows, or else its end.
console_report() {
	local from
	from=$(grep -nE 'cut here|BUG: |WARNING: |KASAN: |UBSAN: |Oops|Kernel panic' "$1" | head -n 1 | cut -d: -f1) || :
	if [ -n "$from" ]; then
		tail -n "+$from" "$1" | head -n 200
	else
		tail -n 60 "$1"
	fi
}

cmd_uml() {
	local variant=uml devices=2 cpus=2 mem='' timeout=120 module=1 expect=0 kmemleak=1 pack=0 modargs='' append='' known=''
	while [ $# -gt 0 ]; do
		case $1 in
		--debug) variant=uml-debug ;;
		--no-module) module=0 ;;
		--driver-pack) pack=1 ;;
		--no-kmemleak) kmemleak=0 ;;
		--expect-report) expect=1 ;;
		--devices | --cpus | --mem | --timeout | --module-args | --append | --known)
			[ $# -ge 2 ] || usage_error "uml: $1 needs a value"
			case $1 in
			--devices) devices=$2 ;;
			--cpus) cpus=$2 ;;
			--mem) mem=$2 ;;
			--timeout) timeout=$2 ;;
			--module-args) modargs=$2 ;;
			--append) append=$2 ;;
			--known) known=$2 ;;
			esac
			shift
			;;
		--)
			shift
			break
			;;
		-*) usage_error "uml: unknown option $1" ;;
		*) break ;;
		esac
		shift
	done
	[ $# -gt 0 ] || usage_error "uml: no command given"
	[[ $devices =~ ^[0-9]+$ && $cpus =~ ^[1-9][0-9]*$ && $timeout =~ ^[1-9][0-9]*$ ]] ||
		usage_error "uml: --devices, --cpus and --timeout take numbers"
	if [ "$variant" = uml-debug ]; then
		mem=${mem:-1G}
		# Without it the slab allocator's per-CPU arrays keep stale pointers to
		# objects, and kmemleak takes those for references.
		append="slab_debug=F $append"
	else
		mem=${mem:-512M}
	fi
	case "$REPO$CACHE" in *[[:space:],]*) die "paths with blanks or commas do not work with hostfs" ;; esac
	uml_ready "$variant"
	[ "$pack" = 0 ] || bootstrap_pack stock
	mkdir -p "$BUILD/out" "$BUILD/run"

	local run
	run=$(mktemp -d "$BUILD/run/uml.XXXXXX")
	mkdir "$run/mod"
	(
		flock 9
		if [ -e "$REPO/Kbuild" ] && uml_modules "$variant" && { [ "$pack" = 0 ] || uml_pack "$variant"; }; then
			find "$REPO/build/$variant" -name '*.ko' -exec cp -t "$run/mod" {} +
		elif [ "$module" = 1 ]; then
			exit 1
		fi
	) 9>"$BUILD/$variant.lock" || {
		rm -rf "$run"
		return 125
	}
	printf '%s\0' "$@" >"$run/cmd"
	cat >"$run/env" <<-EOF
		LAB_MODULE=$module LAB_DEVICES=$devices LAB_DEBUG=$([ "$variant" = uml ] || echo 1)
		LAB_KMEMLEAK=$kmemleak LAB_KNOWN='$known' LAB_MODULE_ARGS='$modargs' ERNIC_FULL=${ERNIC_FULL:+1}
		export LAB_DEVICES LAB_DEBUG ERNIC_FULL
	EOF
	cp "$LAB_DIR/uml/init" "$run/init"
	cp "$(agent_bin)" "$run/agent"
	: >"$run/stdout"
	: >"$run/stderr"
	: >"$run/report"

	local rc=0 pid initrd kernel
	initrd=$(uml_initrd)
	kernel=$(uml_dir "$variant")
	# shellcheck disable=SC2086 # words for the command line
	# A process group of its own, so that the helpers of UML end with it.
	setsid timeout -s KILL "$timeout" "$kernel/vmlinux" \
		mem="$mem" ncpus="$cpus" initrd="$initrd" umid="$(basename "$run")" uml_dir="$run" \
		lab.root="$(root_dir)" lab.repo="$REPO" lab.out="$BUILD/out" lab.run="$run" \
		lab.modules="$kernel/lab-modules/lib/modules" \
		con=null con0=null,fd:1 seccomp=on panic=-1 oops=panic panic_on_warn=$((${#known} == 0)) \
		kunit.stats_enabled=2 $append \
		</dev/null >"$run/console" 2>&1 &
	pid=$!
	# shellcheck disable=SC2064 # expand now
	trap "kill -KILL -- -$pid 2>/dev/null || :; exit 130" INT TERM
	tail -q -s 0.05 --pid="$pid" -c +1 -f "$run/stdout" 2>/dev/null &
	local out=$!
	tail -q -s 0.05 --pid="$pid" -c +1 -f "$run/stderr" >&2 2>/dev/null &
	local err=$!
	wait "$pid" || rc=$?
	kill -KILL -- "-$pid" 2>/dev/null || :
	wait "$out" "$err" || :
	trap - INT TERM
	cp "$run/console" "$BUILD/uml.console"
	cp "$run/report" "$BUILD/uml.report"

	local verdict=''
	[ ! -s "$run/status" ] || verdict=$(<"$run/status")
	if [ -n "$verdict" ]; then
		if [ -s "$run/report" ]; then
			printf '==== kernel report ====\n%s\n==== end of kernel report ====\n' "$(<"$run/report")" >&2
		fi
		rc=$verdict
	elif [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
		say "UML: no end after $timeout s; end of its console:"
		tail -n 40 "$run/console" >&2
		rc=124
	else
		say "UML died without a verdict (status $rc); its console from the first report on:"
		console_report "$run/console" >&2
		rc=125
	fi
	rm -rf "$run"
	# For tests of the lab itself: the report is the expected outcome.
	if [ "$expect" = 1 ]; then
		case $rc in
		86 | 125) rc=0 ;;
		0) rc=1 ;;
		esac
	fi
	return "$rc"
}
