#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The guest's pack in the lab's root with the headers of $KRELEASE:
#	pack-in-root.sh install|refuse PACK
set -euo pipefail

cd /tmp
tar -xf "$2"
pack=$(echo ionic-ernic-*)
version=${pack#ionic-ernic-}
fails() { ! "$@"; }
installed() { find "/lib/modules/$KRELEASE" -name 'ionic_rdma.ko*' | grep .; }

case $1 in
install)
	fails installed
	"$pack/install" "$KRELEASE"
	ko=$(installed)
	[ "$(modinfo -F vermagic "$ko" | cut -d' ' -f1)" = "$KRELEASE" ]
	modinfo -F depends "$ko" | tr , '\n' | grep -qx ionic
	# with the kernel's own ionic and ib_core it has all it needs
	depmod -e -E "/lib/modules/$KRELEASE/build/Module.symvers" -n "$KRELEASE" >/tmp/depmod 2>&1
	fails grep 'ionic_rdma.ko.*needs' /tmp/depmod
	modprobe -n -v -S "$KRELEASE" ionic_rdma | grep -q ionic_rdma.ko
	# twice is as good as once
	"$pack/install" "$KRELEASE"
	dkms status -m ionic-ernic -v "$version" -k "$KRELEASE" | grep -q installed
	grep -q 'IB_QPT_RC || .*IB_QPT_UC;' "/usr/src/$pack/rdma/ionic_controlpath.c"
	dkms remove -m ionic-ernic -v "$version" --all
	fails installed
	;;
refuse)
	rc=0
	"$pack/install" "$KRELEASE" 2>err || rc=$?
	cat err
	[ "$rc" = 1 ]
	grep -q "Linux ${version%.*} .*$KRELEASE.*major and minor must be the same" err
	fails installed
	# DKMS by itself passes over the kernel: 77
	cp -r "$pack" "/usr/src/$pack"
	dkms add -m ionic-ernic -v "$version"
	rc=0
	dkms build -m ionic-ernic -v "$version" -k "$KRELEASE" || rc=$?
	[ "$rc" = 77 ]
	;;
*)
	echo "pack-in-root.sh: unknown step $1" >&2
	exit 2
	;;
esac
