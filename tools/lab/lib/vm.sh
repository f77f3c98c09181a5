# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The host VM and its nested guests.

# One VM for each checkout and name.
VM=$BUILD/vm${ERNIC_LAB_VM:+-$ERNIC_LAB_VM}

vm_running() {
	[ -s "$VM/qemu.pid" ] && [ ! -e "$VM/ended" ] &&
		grep -qs '^State:[[:space:]]*[RSDT]' "/proc/$(<"$VM/qemu.pid")/status"
}
vm_addr() { echo "tcp:127.0.0.1:$(<"$VM/port")"; }
need_vm() { vm_running || die "no host VM is up: lab up"; }

# What the module is built from; its hash names the DKMS result.
module_sources() {
	(cd "$REPO" && find Kbuild Makefile dkms.conf include drivers kunit tools/dkms -type f \
		! -name '*.o' ! -name '*.ko' ! -name '*.cmd' ! -name '*.mod*' 2>/dev/null | LC_ALL=C sort) || :
}

# Adds, builds and installs the module with DKMS in the very root that the VM
# boots, at native speed.  The result is a layer for the VM's overlay.
dkms_build() {
	local dir=$1 kernel=$2
	rm -rf "$dir"
	mkdir -p "$dir/up" "$dir/wk"
	VM_REPO=$REPO in_namespace bash -euc '
		dir=$1 kernel=$2 root=$3
		mkdir "$dir/m"
		mount -t overlay -o "lowerdir=$kernel/layer:$root,upperdir=$dir/up,workdir=$dir/wk" dkms "$dir/m"
		mkdir -p "$dir/m/repo"
		mount --bind "$VM_REPO" "$dir/m/repo"
		mount -t proc proc "$dir/m/proc"
		mount --bind /dev "$dir/m/dev"
		mount -t tmpfs tmpfs "$dir/m/tmp"
		cp "$4" "$dir/m/tmp/dkms-install"
		exec chroot "$dir/m" /bin/bash /tmp/dkms-install "$(<"$kernel/release")"' \
		- "$dir" "$kernel" "$(root_dir)" "$LAB_DIR/host/dkms-install"
	rmdir "$dir/m"
	rm -rf "$dir/wk"
}

# dkms_layer KERNEL: prints the layer's directory; empty if there is no module yet.
dkms_layer() {
	local kernel=$1 key dir
	[ -e "$REPO/dkms.conf" ] || return 0
	key=$({
		module_sources | (cd "$REPO" && xargs -d '\n' sha256sum)
		cat "$LAB_DIR"/host/dkms-install "$LAB_DIR"/host/svmfix/*
		readlink -f "$kernel"
		root_key
	} | key_of)
	dir=$BUILD/dkms/$(<"$kernel/release")-$key
	[ -d "$dir" ] || {
		# Layers of older sources are of no more use.
		rm -rf "$BUILD/dkms/$(<"$kernel/release")"-*
		step "build and install the module with DKMS for $(<"$kernel/release")" "20 s" \
			dkms_build "$dir.tmp" "$kernel"
		mv "$dir.tmp" "$dir"
	}
	echo "$dir/up"
}

free_port() {
	local p
	for _ in $(seq 50); do
		p=$((20000 + RANDOM % 20000))
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then
			echo "$p"
			return
		fi
	done
	die "no free TCP port"
}

vm_initrd() {
	local kernel=$1 out
	out=$CACHE/host-initrd-$(cat "$LAB_DIR/host/initramfs-init" <(readlink -f "$kernel") | key_of)
	[ -s "$out" ] || initramfs "$out" "$LAB_DIR/host/initramfs-init" "$kernel/layer/usr" "$(<"$kernel/release")" \
		virtio_pci virtiofs
	echo "$out"
}

vm_console_tail() {
	say "end of the host VM's console:"
	tail -n "${1:-60}" "$VM/log/host.console" >&2 || :
	[ ! -s "$VM/qemu.log" ] || cat "$VM/qemu.log" >&2
}

cmd_up() {
	local guests=0 profile=small-vm kernel=stock cpus=4 gmem=1024 bare=0 ernic=1 modargs='' append=''
	local -a peers=()
	while [ $# -gt 0 ]; do
		case $1 in
		--bare) bare=1 ;;
		--no-ernic) ernic=0 ;;
		--guests | --profile | --kernel | --guest-cpus | --guest-mem | --peer | --module-args | --append)
			[ $# -ge 2 ] || usage_error "up: $1 needs a value"
			case $1 in
			--guests) guests=$2 ;;
			--profile) profile=$2 ;;
			--kernel) kernel=$2 ;;
			--guest-cpus) cpus=$2 ;;
			--guest-mem) gmem=$2 ;;
			--module-args) modargs=$2 ;;
			--append) append=$2 ;;
			--peer)
				case $2 in
				vhost | e1000e | trap) peers+=("$2") ;;
				*) usage_error "up: no such peer: $2" ;;
				esac
				;;
			esac
			shift
			;;
		*) usage_error "up: unknown argument $1" ;;
		esac
		shift
	done
	[[ $guests =~ ^[0-9]+$ && $cpus =~ ^[1-9][0-9]*$ && $gmem =~ ^[1-9][0-9]*$ ]] ||
		usage_error "up: --guests, --guest-cpus and --guest-mem take numbers"
	[ "$guests" -le 16 ] || usage_error "up: at most 16 guests"
	case $kernel in
	stock | 7.3 | 6.12 | cloud | debug) ;;
	*) usage_error "up: no such kernel: $kernel" ;;
	esac
	need_root
	mkdir -p "$BUILD"
	# The VM's processes inherit the lock and hold it until the last has ended.
	exec 8>"$VM.lock"
	flock -n 8 || die "a host VM is up already: lab down (or ERNIC_LAB_VM=name for another)"

	bootstrap_root
	bootstrap_kernel "$kernel"
	bootstrap_guest
	local kdir layer
	kdir=$(kernel_dir "$kernel")
	layer=$(
		exec 9>"$BUILD/dkms.lock" 8>&-
		flock 9
		dkms_layer "$kdir" 9>&-
	)
	[ -n "$layer" ] || say "the repository has no dkms.conf: booting without the module"

	rm -rf "$VM"
	mkdir -p "$VM/log" "$BUILD/out"
	free_port >"$VM/port"
	printf '%s\n' "$kernel" >"$VM/kernel"
	: >"$VM/guests"
	local mem=$((3072 + guests * (gmem + 256))) initrd
	# Shadow memory; and what "slab_debug=F" is for stands in uml.sh.
	[ "$kernel" != debug ] || {
		mem=$((mem + 1024))
		append="slab_debug=F $append"
	}
	initrd=$(vm_initrd "$kdir")
	say "boot the host VM (kernel $(<"$kdir/release"), $mem MiB; usually 10 s)"
	VM_RUN=$VM VM_ROOT=$(root_dir) \
		VM_LAYERS=${layer:+$layer:}$kdir/layer:$(root_dir) \
		VM_REPO=$REPO VM_OUT=$BUILD/out VM_LAB=$LAB_DIR VM_AGENT=$(agent_bin) \
		VM_GUEST=$(guest_dir) VM_GUEST_KERNEL=$(kernel_dir stock)/vmlinuz \
		VM_KERNEL=$kdir/vmlinuz VM_INITRD=$initrd VM_PORT=$(<"$VM/port") VM_MEM=$mem VM_CPUS=2 VM_APPEND=$append \
		setsid unshare --mount --propagation private -- "$LAB_DIR/lib/vm-run.sh" \
		>"$VM/run.log" 2>&1 </dev/null &
	local runner=$! t0=$SECONDS
	echo "$runner" >"$VM/runner.pid"
	disown "$runner"
	until "$(agent_bin)" exec -k -t 10 "$(vm_addr)" test -e /run/lab-ready 2>/dev/null; do
		if ! kill -0 "$runner" 2>/dev/null || [ $((SECONDS - t0)) -gt 300 ]; then
			cat "$VM/run.log" >&2
			vm_console_tail
			vm_down
			die "the host VM does not come up"
		fi
		sleep 0.3
	done
	say "the host VM is up after $((SECONDS - t0)) s"

	if [ "$bare" = 0 ] && [ -n "$layer" ]; then
		say "modprobe ernic_host profile=$profile $modargs"
		# shellcheck disable=SC2086 # arguments are words
		vm_host 60 modprobe ernic_host "profile=$profile" $modargs || {
			vm_host 20 dmesg | tail -n 30 >&2 || :
			die "ernic_host does not load"
		}
	elif [ "$ernic" = 1 ]; then
		ernic=0
	fi
	local k dev
	for k in $(seq 1 "$guests"); do
		dev=-
		if [ "$ernic" = 1 ]; then
			dev=$(vm_host 60 /lab/mdev-up "$k" "$profile") || die "no device for guest $k"
			say "guest $k: device $dev"
		fi
		echo "$k" >>"$VM/guests"
	done
	# Guests boot one after the other: side by side they starve on two cores.
	for k in $(seq 1 "$guests"); do
		dev=-
		[ "$ernic" = 0 ] || dev=$(vm_host 60 sh -c "ls -d /sys/bus/mdev/devices/*$(printf %03d "$k") /sys/bus/ernic/devices/*$(printf %03d "$k") 2>/dev/null | head -n 1")
		t0=$SECONDS
		say "boot guest $k (usually 15 s)"
		vm_host 400 /lab/guest-up "$k" "$cpus" "$gmem" "$dev" ${peers[@]+"${peers[@]}"} ||
			die "guest $k does not come up (lab log guest $k)"
		say "guest $k is up after $((SECONDS - t0)) s"
		guest_exec "$k" 60 -- true || die "guest $k's kernel complained while coming up"
	done
	vm_host 30 true || die "the kernel complained while coming up"
}

vm_down() {
	local pid
	if [ -s "$VM/qemu.pid" ] && [ ! -e "$VM/ended" ]; then
		pid=$(<"$VM/qemu.pid")
		# Only ever a process that is still our QEMU.
		if grep -qsa "hostfwd=tcp:127.0.0.1:$(<"$VM/port")-" "/proc/$pid/cmdline"; then
			kill "$pid" 2>/dev/null || :
			for _ in $(seq 50); do
				[ -e "/proc/$pid" ] || break
				sleep 0.1
			done
			[ ! -e "/proc/$pid" ] || kill -KILL "$pid" 2>/dev/null || :
		fi
	fi
	if [ -s "$VM/runner.pid" ]; then
		pid=$(<"$VM/runner.pid")
		for _ in $(seq 50); do
			[ -e "/proc/$pid" ] || break
			sleep 0.1
		done
	fi
	# How it ended stays readable if it ended by itself.
	[ -e "$VM/ended" ] || { : >"$VM/ended"; } 2>/dev/null || :
}

cmd_down() {
	[ $# = 0 ] || usage_error "down takes no arguments"
	vm_down
}

# vm_host TIMEOUT CMD...
vm_host() {
	local t=$1
	shift
	"$(agent_bin)" exec -t "$t" "$(vm_addr)" "$@"
}

# The options that host and guest share; sets R_*.
run_options() {
	R_TIMEOUT=120 R_SCRIPT='' R_FLAGS=() R_CMD=()
	while [ $# -gt 0 ]; do
		case $1 in
		--timeout)
			[[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage_error "--timeout takes seconds"
			R_TIMEOUT=$2
			shift
			;;
		--script)
			[ -r "${2:-}" ] || usage_error "--script: cannot read '${2:-}'"
			R_SCRIPT=$2
			shift
			;;
		--ignore-report) R_FLAGS+=(-w) ;;
		--stdin) R_FLAGS+=(-i) ;;
		--)
			shift
			break
			;;
		-*) usage_error "unknown option $1" ;;
		*) break ;;
		esac
		shift
	done
	R_CMD=("$@")
	[ -n "$R_SCRIPT" ] || [ $# -gt 0 ] || usage_error "no command given"
}

after_failure() {
	# A panic closes the connection a moment before QEMU is gone.
	sleep 0.5
	if ! vm_running; then
		say "the host VM is gone: QEMU's exit status $(cat "$VM/ended" 2>/dev/null)"
		tail -n 5 "$VM/qemu.log" >&2 2>/dev/null || :
		# a triple fault leaves nothing on the console
		grep -a -A 40 "Triple fault" "$VM/log/cpu.log" >&2 2>/dev/null || :
		vm_console_tail
	elif ! "$(agent_bin)" exec -k -t 60 "$(vm_addr)" true >/dev/null 2>&1; then
		say "the host VM stands still, and does not answer within 60 s"
		vm_console_tail 40
	elif [ -n "${1:-}" ]; then
		say "end of guest $1's console:"
		tail -n 40 "$VM/log/guest$1.console" >&2 || :
	else
		vm_console_tail 40
	fi
}

cmd_host() {
	local rc=0
	run_options "$@"
	need_vm
	if [ -n "$R_SCRIPT" ]; then
		local f=/run/lab-script.$$
		"$(agent_bin)" exec -k -i -t 60 "$(vm_addr)" sh -c 'cat >"$0" && chmod 755 "$0"' "$f" <"$R_SCRIPT" || return 125
		R_CMD=("$f" ${R_CMD[@]+"${R_CMD[@]}"})
	fi
	"$(agent_bin)" exec ${R_FLAGS[@]+"${R_FLAGS[@]}"} -t "$R_TIMEOUT" "$(vm_addr)" "${R_CMD[@]}" || rc=$?
	case $rc in 124 | 125) after_failure ;; esac
	return "$rc"
}

need_guest() {
	[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage_error "which guest?"
	need_vm
	grep -qx "$1" "$VM/guests" || die "there is no guest $1"
}

# guest_exec K TIMEOUT FLAGS... -- CMD...: the agent in the host VM relays.
guest_exec() {
	local k=$1 t=$2
	local -a flags=()
	shift 2
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	"$(agent_bin)" exec -t $((t + 15)) ${flags[@]+"${flags[@]}"} "$(vm_addr)" \
		/lab/agent exec -t "$t" ${flags[@]+"${flags[@]}"} "vsock:$((k + 100)):1024" "$@"
}

cmd_guest() {
	local k=${1:-} rc=0
	[ $# -gt 0 ] && shift
	[[ $k =~ ^[1-9][0-9]*$ ]] || usage_error "guest: which one?"
	run_options "$@"
	need_guest "$k"
	if [ -n "$R_SCRIPT" ]; then
		local f=/run/lab-script.$$
		guest_exec "$k" 60 -k -i -- sh -c 'cat >"$0" && chmod 755 "$0"' "$f" <"$R_SCRIPT" || return 125
		R_CMD=("$f" ${R_CMD[@]+"${R_CMD[@]}"})
	fi
	guest_exec "$k" "$R_TIMEOUT" ${R_FLAGS[@]+"${R_FLAGS[@]}"} -- "${R_CMD[@]}" || rc=$?
	case $rc in 124 | 125) after_failure "$k" ;; esac
	return "$rc"
}

push_pull() {
	local dir=$1 k=''
	shift
	if [ "${1:-}" = --guest ]; then
		k=${2:-}
		need_guest "$k"
		shift 2
	fi
	[ $# = 2 ] || usage_error "$dir takes two paths"
	need_vm
	if [ "$dir" = push ]; then
		[ -r "$1" ] || die "cannot read $1"
		set -- "$1" sh -c 'cat >"$0" && chmod "$1" "$0"' "$2" "$(stat -c %a "$1")"
		if [ -n "$k" ]; then
			guest_exec "$k" 120 -k -i -- "${@:2}" <"$1"
		else
			"$(agent_bin)" exec -k -i -t 120 "$(vm_addr)" "${@:2}" <"$1"
		fi
	elif [ -n "$k" ]; then
		guest_exec "$k" 120 -k -- cat "$1" >"$2"
	else
		"$(agent_bin)" exec -k -t 120 "$(vm_addr)" cat "$1" >"$2"
	fi
}
cmd_push() { push_pull push "$@"; }
cmd_pull() { push_pull pull "$@"; }

cmd_shell() {
	need_vm
	if [ "${1:-}" = guest ]; then
		need_guest "${2:-}"
		"$(agent_bin)" exec -k -p "$(vm_addr)" /lab/agent exec -k -p "vsock:$(($2 + 100)):1024" bash -il
	elif [ $# = 0 ]; then
		"$(agent_bin)" exec -k -p "$(vm_addr)" bash -il
	else
		usage_error "shell takes nothing or 'guest K'"
	fi
}

cmd_log() {
	local f
	case ${1:-} in
	host) f=$VM/log/host.console ;;
	guest)
		[[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage_error "log guest: which one?"
		f=$VM/log/guest$2.console
		;;
	uml) f=$BUILD/uml.console ;;
	*) usage_error "log: host, guest K or uml" ;;
	esac
	[ -r "$f" ] || die "no such log yet: $f"
	cat "$f"
}

cmd_status() {
	local up=false kernel='' guests='' port=''
	if vm_running; then
		up=true
		kernel=$(<"$VM/kernel")
		guests=$(paste -sd, "$VM/guests")
		port=$(<"$VM/port")
	fi
	case ${1:-} in
	--json)
		printf '{"host_vm": %s, "kernel": "%s", "guests": [%s], "port": %s, "cache": "%s", "built": [' \
			"$up" "$kernel" "$guests" "${port:-null}" "$CACHE"
		local sep='' p
		for p in root src kernel-stock kernel-cloud kernel-7.3 kernel-6.12 kernel-debug guest uml uml-debug; do
			[ ! -e "$CACHE/$p" ] || {
				printf '%s"%s"' "$sep" "$p"
				sep=', '
			}
		done
		printf ']}\n'
		;;
	'')
		local p
		for p in root src kernel-stock kernel-cloud kernel-7.3 kernel-6.12 kernel-debug guest uml uml-debug; do
			printf '%-13s %s\n' "$p" "$(readlink "$CACHE/$p" 2>/dev/null || echo 'not built')"
		done
		if [ "$up" = true ]; then
			printf 'host VM       up, kernel %s, guests: %s\n' "$kernel" "${guests:-none}"
		else
			printf 'host VM       down\n'
		fi
		;;
	*) usage_error "status: unknown option $1" ;;
	esac
}

cmd_chroot() {
	local kernel=stock timeout=600
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel | --timeout)
			[ $# -ge 2 ] || usage_error "chroot: $1 needs a value"
			case $1 in
			--kernel) kernel=$2 ;;
			--timeout) timeout=$2 ;;
			esac
			shift
			;;
		--)
			shift
			break
			;;
		-*) usage_error "chroot: unknown option $1" ;;
		*) break ;;
		esac
		shift
	done
	[ $# -gt 0 ] || usage_error "chroot: no command given"
	need_root
	bootstrap_root
	bootstrap_kernel "$kernel"
	mkdir -p "$BUILD/out"
	local kdir t
	kdir=$(kernel_dir "$kernel")
	t=$(mktemp -d)
	local rc=0
	KDIR=$kdir ROOT=$(root_dir) T=$t REPO=$REPO OUT=$BUILD/out \
		timeout --foreground "$timeout" unshare --mount --propagation private -- bash -euc '
		mount -t tmpfs tmpfs "$T"
		mkdir "$T/up" "$T/wk" "$T/m"
		mount -t overlay -o "lowerdir=$KDIR/layer:$ROOT,upperdir=$T/up,workdir=$T/wk" root "$T/m"
		mkdir -p "$T/m/repo" "$T/m/out"
		mount --bind "$REPO" "$T/m/repo"
		mount -o remount,bind,ro "$T/m/repo"
		mount --bind "$OUT" "$T/m/out"
		mount -t proc proc "$T/m/proc"
		mount --rbind /dev "$T/m/dev"
		mount -t tmpfs tmpfs "$T/m/tmp"
		export KRELEASE=$(<"$KDIR/release") HOME=/root LANG=C.UTF-8
		exec chroot "$T/m" "$@"' - "$@" || rc=$?
	rmdir "$t"
	return "$rc"
}
