# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The guest's RDMA driver, which Debian's kernels leave out: packed with
# tools/guest/driver-pack, built with DKMS in a root with the kernel's headers.

pack_key() { (cd "$REPO/tools/guest" && cat driver-pack uc.cocci pack/*) | key_of; }

# pack_file NAME: the pack for kernel NAME
pack_file() {
	kernel_info "$1"
	echo "$CACHE/ionic-ernic-$K_VERSION-$(pack_key).tar.xz"
}

pack_build() {
	local out=$1 name=$2 suite=$3 release=$4 minor tmp source rc=0
	minor=$(cut -d. -f1-2 <<<"$release")
	tmp=$(mktemp -d "$CACHE/pack.XXXXXX")
	source=$(source_dir)
	if [ "$name" != stock ] || [ ! -d "$source" ]; then
		# linux-source is as new as the kernel, or a backport of it
		fetch "$tmp/deb" "$suite" "linux-source-$minor"
		dpkg-deb -x "$tmp"/deb/*.deb "$tmp/x"
		source=$tmp/x/usr/src/linux-source-$minor.tar.xz
	fi
	"$REPO/tools/guest/driver-pack" --source "$source" --kernel "$release" --output "$tmp/pack" || rc=$?
	[ "$rc" != 0 ] || mv "$tmp/pack" "$out"
	rm -rf "$tmp"
	return "$rc"
}
bootstrap_pack_locked() {
	local out
	kernel_info "$1"
	out=$(pack_file "$1")
	[ -s "$out" ] || step "pack ionic_rdma for kernel $1 ($K_RELEASE)" "40 s" \
		pack_build "$out" "$1" "$K_SUITE" "$K_RELEASE"
}
bootstrap_pack() {
	machine_packages
	locked "pack-$1" bootstrap_pack_locked "$1"
}

# pack_install DIR PACK KERNEL-DIR RELEASE: what a user does in the guest; DIR gets
# the modules.
pack_install() {
	local dir=$1
	rm -rf "$dir"
	mkdir -p "$dir/up" "$dir/wk" "$dir/m"
	in_namespace bash -euc '
		dir=$1 kernel=$3 root=$5
		mount -t overlay -o "lowerdir=$kernel/layer:$root,upperdir=$dir/up,workdir=$dir/wk" dkms "$dir/m"
		mount -t proc proc "$dir/m/proc"
		mount --bind /dev "$dir/m/dev"
		mount -t tmpfs tmpfs "$dir/m/tmp"
		tar -C "$dir/m/tmp" -xf "$2"
		exec chroot "$dir/m" sh -c "exec /tmp/ionic-ernic-*/install \"\$0\"" "$4"' \
		- "$@" "$(root_dir)"
	mv "$dir/up/usr/lib/modules/$4/updates" "$dir/updates"
	rm -rf "$dir/up" "$dir/wk" "$dir/m"
}
