#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs in the lab's root; $KRELEASE has headers there, /repo is the checkout.
set -euo pipefail

conf() { sed -n "s/^$1=\"\(.*\)\"/\1/p" /repo/dkms.conf | head -n 1; }
name=$(conf PACKAGE_NAME)
version=$(conf PACKAGE_VERSION)
src=/usr/src/$name-$version
build=/lib/modules/$KRELEASE/build

# copy DIR: the sources that a package of the module would have
copy() {
	mkdir -p "$1"
	tar -C /repo -cf - --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' --exclude='*.cmd' \
		Kbuild Makefile dkms.conf COPYING include drivers | tar -C "$1" -xf -
}

# "! CMD" would not end the script
fails() { ! "$@"; }
installed() { find "/lib/modules/$KRELEASE" -name 'ernic_host.ko*' | grep .; }

right_module() {
	local ko
	ko=$(installed)
	[ "$(modinfo -F vermagic "$ko" | cut -d' ' -f1)" = "$KRELEASE" ]
	[ "$(modinfo -F license "$ko")" = GPL ]
	[ "$(modinfo -F version "$ko")" = "$version" ]
	# mdev is there exactly when the kernel has it
	if grep -q '^CONFIG_VFIO_MDEV=[ym]' "$build/.config"; then
		modinfo -F depends "$ko" | grep -qw mdev
	else
		modinfo -F depends "$ko" >/tmp/depends
		fails grep -qw mdev /tmp/depends
	fi
}

case $1 in
warns)
	copy /tmp/m
	printf 'int ernic_control(void);\nint ernic_control(void)\n{\n\tint x;\n\n\tx = 1;\n\treturn 0;\n}\n' >>/tmp/m/drivers/ernic/profile.c
	KBUILD_EXTRA_WARN=1 make -C "$build" M=/tmp/m drivers/ernic/profile.o 2>&1 | grep -E 'drivers/ernic/profile.c:.*warning:'
	;;
dkms)
	copy "$src"
	dkms add -m "$name" -v "$version"
	# W=1, as dkms has no option for it
	export KBUILD_EXTRA_WARN=1
	rm -f "/out/dkms-$KRELEASE.log"
	dkms build -m "$name" -v "$version" -k "$KRELEASE" || {
		cat "/var/lib/dkms/$name/$version/build/make.log"
		exit 1
	}
	find "/var/lib/dkms/$name" -name make.log -exec cat {} + >"/out/dkms-$KRELEASE.log"
	grep -q ernic "/out/dkms-$KRELEASE.log"
	dkms install -m "$name" -v "$version" -k "$KRELEASE"
	dkms status -m "$name" -v "$version" -k "$KRELEASE" | grep -q installed
	right_module
	modprobe -n -v -S "$KRELEASE" ernic_host | grep -q ernic_host.ko
	dkms remove -m "$name" -v "$version" --all
	fails installed
	[ -z "$(dkms status -m "$name" -v "$version")" ]
	;;
install)
	copy /tmp/m
	make -C /tmp/m install KERNELDIR="$build"
	right_module
	modprobe -n -v -S "$KRELEASE" ernic_host | grep -q ernic_host.ko
	make -C /tmp/m uninstall KERNELDIR="$build"
	fails installed
	make -C /tmp/m install KERNELDIR="$build" DESTDIR=/tmp/dest
	fails installed
	[ -s "/tmp/dest/lib/modules/$KRELEASE/updates/ernic/ernic_host.ko" ]
	;;
make-dkms)
	copy /tmp/m
	make -C /tmp/m dkms-install KVER="$KRELEASE"
	right_module
	make -C /tmp/m dkms-remove
	fails installed
	[ ! -e "$src" ]
	;;
broken)
	copy "$src"
	echo '#error as asked' >>"$src/drivers/ernic/main.c"
	dkms add -m "$name" -v "$version"
	dkms build -m "$name" -v "$version" -k "$KRELEASE"
	;;
exclusive)
	copy "$src"
	dkms add -m "$name" -v "$version"
	# the same headers, without VFIO
	rm -rf /tmp/k
	mkdir /tmp/k
	cp -rs "$(readlink -f "$build")/." /tmp/k/
	for f in .config include/config/auto.conf; do
		rm -f "/tmp/k/$f"
		grep -v '^CONFIG_VFIO=' "$build/$f" >"/tmp/k/$f"
	done
	# 77: does not match BUILD_EXCLUSIVE
	rc=0
	dkms build -m "$name" -v "$version" -k "$KRELEASE" --kernelsourcedir /tmp/k || rc=$?
	[ "$rc" = 77 ]
	;;
*)
	echo "in-root.sh: unknown step $1" >&2
	exit 2
	;;
esac
