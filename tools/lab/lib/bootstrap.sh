# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Bootstrap: every result is built under a temporary name and renamed when it is
# complete, or carries a stamp; what exists is valid, so each step is skipped
# when its result is there.

root_key() {
	{
		echo 1 # bump when root_build changes what is in the root
		echo "$SUITE_STOCK"
		list "$LAB_DIR/packages/root.txt"
	} | key_of
}
root_dir() { echo "$CACHE/root-$(root_key)"; }

# chroot_mounted ROOT CMD...: the mounts live in a namespace of their own, so
# an interrupted run leaves none behind.
chroot_mounted() {
	in_namespace bash -euc '
		mount --bind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		mount -t sysfs sysfs "$1/sys"
		root=$1
		shift
		exec chroot "$root" "$@"' - "$@"
}

root_build() {
	local dir=$1 scripts=/usr/share/debootstrap/scripts link=''
	local -a pkgs
	rm -rf "$dir"
	# An older debootstrap does not know the suite; all Debian suites share a script.
	if [ ! -e "$scripts/$SUITE_STOCK" ]; then
		link=$scripts/sid
	fi
	debootstrap --variant=minbase "$SUITE_STOCK" "$dir" "$(mirror)" ${link:+"$link"}
	acquire_settings >"$dir/etc/apt/apt.conf.d/90lab"
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
	chmod 755 "$dir/usr/sbin/policy-rc.d"
	mapfile -t pkgs < <(list "$LAB_DIR/packages/root.txt")
	chroot_mounted "$dir" apt-get -q update
	DEBIAN_FRONTEND=noninteractive chroot_mounted "$dir" apt-get -q -y --no-install-recommends \
		-o Dpkg::Options::=--force-unsafe-io install "${pkgs[@]}"
	chroot_mounted "$dir" apt-get clean
	mkdir -p "$dir/repo" "$dir/out" "$dir/lab"
	echo ernic-lab >"$dir/etc/hostname"
	printf '127.0.0.1 localhost ernic-lab\n::1 localhost\n' >"$dir/etc/hosts"
}

bootstrap_root_locked() {
	local dir
	dir=$(root_dir)
	[ -d "$dir" ] || {
		step "install the $SUITE_STOCK root (debootstrap and packages)" "2 min" root_build "$dir.tmp"
		mv "$dir.tmp" "$dir"
	}
	ln -sfn "$dir" "$CACHE/root"
}
bootstrap_root() {
	machine_packages
	locked root bootstrap_root_locked
}

kernel_dir() {
	if [ "$1" = debug ]; then
		x86_info
	else
		kernel_info "$1"
	fi
	echo "$CACHE/kernel-$1-$K_RELEASE-$K_VERSION"
}

# The versioned packages that a kernel's image and headers consist of.
kernel_packages() {
	local suite=$1 todo=("linux-image-$2" "linux-headers-$2") seen=" " p d
	while [ "${#todo[@]}" -gt 0 ]; do
		p=${todo[0]}
		todo=("${todo[@]:1}")
		case $seen in *" $p "*) continue ;; esac
		seen+="$p "
		echo "$p"
		while read -r d; do
			todo+=("$d")
		done < <(field "$p" "$suite" Depends | tr ',' '\n' | sed -e 's/|.*//' -e 's/(.*//' -e 's/ //g' |
			grep -E '^linux-(image|binary|modules|base|headers|kbuild)-[0-9]')
	done
}

kernel_build() {
	local dir=$1 suite=$2 release=$3 deb pkgs
	rm -rf "$dir"
	mkdir -p "$dir/layer"
	[ -s "$CACHE/apt/etc/sources.list" ] || apt_private_update
	mapfile -t pkgs < <(kernel_packages "$suite" "$release")
	fetch "$dir/deb" "$suite" "${pkgs[@]}"
	for deb in "$dir"/deb/*.deb; do
		dpkg-deb -x "$deb" "$dir/layer"
	done
	rm -rf "$dir/deb"
	# A top-level lib would hide the root's link of that name.
	if [ -d "$dir/layer/lib" ]; then
		mkdir -p "$dir/layer/usr/lib"
		cp -al "$dir/layer/lib/." "$dir/layer/usr/lib/"
		rm -rf "$dir/layer/lib"
	fi
	if [ -s "$dir/layer/usr/lib/modules/$release/vmlinuz" ]; then
		cp "$dir/layer/usr/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
	else
		cp "$dir/layer/boot/vmlinuz-$release" "$dir/vmlinuz"
	fi
	rm -rf "$dir/layer/boot"
	depmod -b "$dir/layer/usr" "$release"
	echo "$release" >"$dir/release"
	[ -s "$dir/layer/usr/lib/modules/$release/modules.dep" ]
	[ -e "$dir/layer/usr/lib/modules/$release/build" ]
}

bootstrap_kernel_locked() {
	local name=$1 dir=$2
	[ -d "$dir" ] || {
		step "unpack kernel $name ($K_RELEASE $K_VERSION)" "15 s" \
			kernel_build "$dir.tmp" "$K_SUITE" "$K_RELEASE"
		mv "$dir.tmp" "$dir"
	}
	ln -sfn "$dir" "$CACHE/kernel-$name"
}
bootstrap_kernel() {
	local name=$1
	[ "$name" != debug ] || {
		bootstrap_x86
		return
	}
	machine_packages
	kernel_info "$name"
	locked "kernel-$name" bootstrap_kernel_locked "$name" "$(kernel_dir "$name")"
}

# The kernel source that UML is built from: major.minor of the stock kernel.  The
# patches touch arch/um and what Kconfig offers it: what is tested stays as released.
source_dir() {
	kernel_info stock
	echo "$CACHE/linux-source-$K_VERSION-$(cat "$LAB_DIR"/uml/patches/*.patch | key_of)"
}
source_build() {
	local dir=$1 pkg=$2 patch
	rm -rf "$dir"
	mkdir -p "$dir"
	fetch "$dir/deb" "$SUITE_STOCK" "$pkg"
	dpkg-deb -x "$dir"/deb/*.deb "$dir/x"
	tar -C "$dir" -xf "$dir/x/usr/src/$pkg.tar.xz"
	mv "$dir/$pkg" "$dir/tree"
	for patch in "$LAB_DIR"/uml/patches/*.patch; do
		patch -d "$dir/tree" -p1 --no-backup-if-mismatch <"$patch"
	done
	rm -rf "$dir/deb" "$dir/x"
}
bootstrap_source_locked() {
	local dir=$1 minor
	[ -d "$dir" ] || {
		minor=$(cut -d. -f1-2 <<<"$K_RELEASE")
		step "unpack linux-source-$minor" "40 s" source_build "$dir.tmp" "linux-source-$minor"
		mv "$dir.tmp/tree" "$dir"
		rmdir "$dir.tmp"
	}
	ln -sfn "$dir" "$CACHE/src"
}
bootstrap_source() {
	machine_packages
	kernel_info stock
	locked source bootstrap_source_locked "$(source_dir)"
}

uml_fragments() {
	list "$LAB_DIR/uml/base.config"
	[ "$1" != uml-debug ] || list "$LAB_DIR/uml/debug.config"
}
uml_dir() {
	local variant=$1
	kernel_info stock
	echo "$CACHE/$variant-$K_VERSION-$({ uml_fragments "$variant"; cat "$LAB_DIR"/uml/patches/*.patch; gcc -dumpfullversion; } | key_of)"
}

# granted OBJ: what was asked for in lab.config and not granted would be a silent
# hole in the tests.
granted() {
	local k v got bad=0
	while IFS='=' read -r k v; do
		got=$(sed -n "s/^$k=//p" "$1/.config")
		[ "${got:-n}" = "$v" ] || {
			echo "option $k: want $v, got ${got:-n}"
			bad=1
		}
	done <"$1/lab.config"
	return "$bad"
}

uml_make() { make -s ARCH=um -C "$1" O="$2" "${@:3}"; }

uml_build() {
	local variant=$1 src=$2 o=$3
	mkdir -p "$o"
	# An interrupted build goes on where it stopped: make knows what is stale.
	if [ ! -e "$o/.configured" ]; then
		uml_fragments "$variant" >"$o/lab.config"
		uml_make "$src" "$o" allnoconfig
		"$src/scripts/kconfig/merge_config.sh" -m -O "$o" "$o/.config" "$o/lab.config"
		uml_make "$src" "$o" olddefconfig
		granted "$o"
		touch "$o/.configured"
	fi
	nice -n 5 make -s -j"$(nproc)" ARCH=um -C "$src" O="$o" vmlinux modules
	# The loop front end's driver under test, and what RDMA needs beside it.
	mkdir -p "$o/lab-modules/lib/modules"
	uml_make "$src" "$o" INSTALL_MOD_PATH="$o/lab-modules" modules_install
}
bootstrap_uml_locked() {
	local variant=$1 o usual="7 min"
	[ "$variant" = uml ] || usual="10 min"
	o=$(uml_dir "$variant")
	[ -e "$o/.built" ] || {
		step "build the $variant kernel $K_VERSION" "$usual on two cores" \
			uml_build "$variant" "$(source_dir)" "$o"
		touch "$o/.built"
	}
	ln -sfn "$o" "$CACHE/$variant"
}
bootstrap_uml() {
	bootstrap_root
	bootstrap_source
	kernel_info stock
	locked "$1" bootstrap_uml_locked "$1"
}

# The command agent, static: it runs in the machine, the host VM and the guests.
agent_bin() { echo "$CACHE/agent-$(key_of <"$LAB_DIR/agent/lab-agent.c")"; }
agent_build() {
	gcc -O2 -Wall -static -o "$1.tmp" "$LAB_DIR/agent/lab-agent.c" -lutil
	mv "$1.tmp" "$1"
}
bootstrap_agent() {
	local bin
	bin=$(agent_bin)
	[ -x "$bin" ] || locked agent agent_build "$bin"
}

# initramfs OUT INIT MODULES-DIR RELEASE MODULE...: busybox, an init script and
# modules with what they depend on, uncompressed, loaded in order.
initramfs() {
	local out=$1 init=$2 base=$3 release=$4 m line ko d
	shift 4
	d=$(mktemp -d)
	mkdir -p "$d"/{bin,mod,proc,sys,dev,lower,rw,new}
	cp "$(root_dir)/bin/busybox" "$d/bin/busybox"
	cp "$init" "$d/init"
	chmod 755 "$d/init"
	: >"$d/mod/order"
	for m; do
		while read -r line; do
			case $line in
			"insmod "*)
				ko=${line#insmod }
				ko=${ko%% *}
				m=$(basename "$ko")
				m=${m%%.ko*}
				grep -qx "$m" "$d/mod/order" && continue
				case $ko in
				*.xz) xz -dc "$ko" >"$d/mod/$m.ko" ;;
				*.zst) zstd -qdc "$ko" >"$d/mod/$m.ko" ;;
				*) cp "$ko" "$d/mod/$m.ko" ;;
				esac
				echo "$m" >>"$d/mod/order"
				;;
			esac
		done < <(modprobe -d "$base" -S "$release" --show-depends "$m")
	done
	(cd "$d" && find . | cpio -o -H newc --quiet | gzip -1) >"$out.tmp"
	mv "$out.tmp" "$out"
	rm -rf "$d"
}

guest_key() {
	{
		echo 1 # bump when guest_build changes what is in the image
		basename "$(root_dir)"
		basename "$(kernel_dir stock)"
		cat "$LAB_DIR"/guest/* "$LAB_DIR"/packages/guest-*.txt "$LAB_DIR/agent/lab-agent.c"
		pack_key
	} | key_of
}
guest_dir() { echo "$CACHE/guest-$(guest_key)"; }

# guest_modules LAYER RELEASE TREE: the listed modules and their dependencies.
guest_modules() {
	local layer=$1 release=$2 tree=$3 mods glob
	mods=$layer/usr/lib/modules/$release
	(
		cd "$mods" || exit
		while read -r glob; do
			# shellcheck disable=SC2086 # a glob on purpose
			find kernel/$glob -name '*.ko*' 2>/dev/null || :
		done < <(list "$LAB_DIR/packages/guest-modules.txt") | sort -u >"$tree/.want"
		# modules.dep lists the full closure for each module.
		awk -F': *' 'NR == FNR { want[$1]; next } $1 in want { print $1; n = split($2, d, " "); for (i = 1; i <= n; i++) print d[i] }' \
			"$tree/.want" modules.dep | sort -u >"$tree/.copy"
		[ -s "$tree/.copy" ]
		mkdir -p "$tree/usr/lib/modules/$release"
		rsync -a --files-from="$tree/.copy" . "$tree/usr/lib/modules/$release/"
		cp modules.builtin modules.builtin.modinfo modules.order "$tree/usr/lib/modules/$release/"
	)
	rm -f "$tree/.want" "$tree/.copy"
}

guest_build() {
	local dir=$1 layer=$2 release=$3
	rm -rf "$dir"
	mkdir -p "$dir/tree"
	list "$LAB_DIR/packages/guest-exclude.txt" >"$dir/exclude"
	rsync -a --exclude-from="$dir/exclude" "$(root_dir)/" "$dir/tree/"
	guest_modules "$layer" "$release" "$dir/tree"
	# where DKMS puts it
	pack_install "$dir/dkms" "$(pack_file stock)" "$(kernel_dir stock)" "$release"
	mv "$dir/dkms/updates" "$dir/tree/usr/lib/modules/$release/"
	chroot "$dir/tree" depmod "$release"
	mkdir -p "$dir/tree/lab"
	install -m 755 "$LAB_DIR/guest/init" "$dir/tree/lab/init"
	install -m 755 "$(agent_bin)" "$dir/tree/lab/agent"
	echo guest >"$dir/tree/etc/hostname"
	mkfs.erofs --quiet -zlz4 "$dir/guest.erofs" "$dir/tree"
	initramfs "$dir/guest.initrd" "$LAB_DIR/guest/initramfs-init" "$layer/usr" "$release" \
		virtio_pci virtio_blk erofs overlay
	rm -rf "$dir/tree" "$dir/exclude" "$dir/dkms"
}
bootstrap_guest_locked() {
	local dir=$1
	[ -d "$dir" ] || {
		step "build the guest image (root of $SUITE_STOCK, kernel $K_RELEASE)" "40 s" \
			guest_build "$dir.tmp" "$(kernel_dir stock)/layer" "$K_RELEASE"
		mv "$dir.tmp" "$dir"
	}
	ln -sfn "$dir" "$CACHE/guest"
}
bootstrap_guest() {
	bootstrap_root
	bootstrap_kernel stock
	bootstrap_agent
	bootstrap_pack stock
	kernel_info stock
	locked guest bootstrap_guest_locked "$(guest_dir)"
}

bootstrap() {
	local what=$1 k
	need_root
	case $what in
	root) bootstrap_root ;;
	kernels) for k in stock cloud 7.3 6.12; do bootstrap_kernel "$k"; done ;;
	kernel-*) bootstrap_kernel "${what#kernel-}" ;;
	source) bootstrap_source ;;
	pack-*) bootstrap_pack "${what#pack-}" ;;
	uml | uml-debug) bootstrap_uml "$what" ;;
	guest) bootstrap_guest ;;
	vm)
		bootstrap_root
		bootstrap_kernel stock
		bootstrap_guest
		;;
	all)
		for k in vm kernels uml uml-debug; do bootstrap "$k"; done
		;;
	*) usage_error "bootstrap: no such part: $what" ;;
	esac
}
