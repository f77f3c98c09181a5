# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The debug kernel of the host VM: the source of the stock kernel with KASAN, lockdep
# and kmemleak, and no more drivers than the VM has devices.

# The first word on an option counts.
x86_fragments() {
	{
		list "$LAB_DIR/x86/debug.config"
		list "$LAB_DIR/uml/base.config"
		list "$LAB_DIR/uml/debug.config"
	} | awk -F= '!seen[$1]++'
}

# Sets K_RELEASE, and K_VERSION to what names this build.
x86_info() {
	kernel_info stock
	# shellcheck disable=SC2034 # for the caller
	K_RELEASE=${K_RELEASE%%[!0-9.]*}-ernic-debug
	K_VERSION=$K_VERSION-$({
		x86_fragments
		cat "$LAB_DIR/x86/Kconfig"
		gcc -dumpfullversion
	} | key_of)
}

x86_make() { make ARCH=x86_64 KBUILD_KCONFIG="$2/lab.Kconfig" -C "$1" O="$2" "${@:3}"; }

x86_configure() {
	local src=$1 o=$2
	mkdir -p "$o"
	x86_fragments >"$o/lab.config"
	cat "$src/Kconfig" "$LAB_DIR/x86/Kconfig" >"$o/lab.Kconfig"
	x86_make "$src" "$o" -s allnoconfig
	"$src/scripts/kconfig/merge_config.sh" -m -O "$o" "$o/.config" "$o/lab.config"
	x86_make "$src" "$o" -s olddefconfig
	granted "$o"
	touch "$o/.configured"
}

# x86_build SRC DIR RELEASE: what kernel_build makes of packages.  The headers are
# those that Debian's package has, made by the script that makes it.
x86_build() {
	local src=$1 dir=$2 release=$3 o=$2/build mods=$2/layer/usr/lib/modules/$3 jobs
	jobs=${ERNIC_LAB_JOBS:-$(nproc)}
	# An interrupted build goes on where it stopped.
	[ -e "$o/.configured" ] || x86_configure "$src" "$o"
	nice -n 5 make ARCH=x86_64 KBUILD_KCONFIG="$o/lab.Kconfig" -j"$jobs" -C "$src" O="$o" bzImage modules
	[ "$(<"$o/include/config/kernel.release")" = "$release" ]
	rm -rf "$dir/layer"
	mkdir -p "$mods"
	x86_make "$src" "$o" -s INSTALL_MOD_PATH="$dir/layer/usr" DEPMOD=true modules_install
	rm -f "$mods/build" "$mods/source"
	x86_make "$src" "$o" -s run-command KBUILD_RUN_COMMAND="sh \$(srctree)/scripts/package/install-extmod-build $dir/layer/usr/src/linux-headers-$release"
	cp "$o/.config" "$dir/layer/usr/src/linux-headers-$release/.config"
	ln -s "/usr/src/linux-headers-$release" "$mods/build"
	cp "$o/arch/x86/boot/bzImage" "$dir/vmlinuz"
	depmod -b "$dir/layer/usr" "$release"
	echo "$release" >"$dir/release"
	[ -s "$mods/modules.dep" ]
	rm -rf "$o"
}

bootstrap_x86_locked() {
	local dir=$1
	[ -d "$dir" ] || {
		step "build the debug kernel $K_RELEASE $K_VERSION" "20 min on two cores" \
			x86_build "$(source_dir)" "$dir.tmp" "$K_RELEASE"
		mv "$dir.tmp" "$dir"
	}
	ln -sfn "$dir" "$CACHE/kernel-debug"
}

bootstrap_x86() {
	bootstrap_source
	x86_info
	locked "kernel-debug" bootstrap_x86_locked "$(kernel_dir "debug")"
}
