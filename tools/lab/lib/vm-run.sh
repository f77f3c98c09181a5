#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the host VM: virtiofsd and QEMU of the forky root, each in overlays that
# live in this process's mount namespace and vanish with it.  Configuration comes
# in VM_* variables.
set -euo pipefail

t=$VM_RUN/mnt
mkdir -p "$t"
mount -t tmpfs tmpfs "$t"
mkdir "$t"/{vmm,host,share,up1,wk1,up2,wk2}
mount -t overlay -o "lowerdir=$VM_ROOT,upperdir=$t/up1,workdir=$t/wk1" vmm "$t/vmm"
mount -t overlay -o "lowerdir=$VM_LAYERS,upperdir=$t/up2,workdir=$t/wk2" host "$t/host"
mkdir -p "$t"/host/{repo,out,lab/log} "$t"/share/{repo,out,log}
mount --bind "$VM_REPO" "$t/share/repo"
mount -o remount,bind,ro "$t/share/repo"
mount --bind "$VM_OUT" "$t/share/out"
mount --bind "$VM_RUN/log" "$t/share/log"
install -m 755 "$VM_LAB/host/init" "$VM_LAB/host/guest-up" "$VM_LAB/host/mdev-up" "$VM_AGENT" "$t/host/lab/"
mv "$t/host/lab/$(basename "$VM_AGENT")" "$t/host/lab/agent"
for f in guest.erofs guest.initrd; do
	: >"$t/host/lab/$f"
	mount --bind "$VM_GUEST/$f" "$t/host/lab/$f"
done
: >"$t/host/lab/guest.vmlinuz"
mount --bind "$VM_GUEST_KERNEL" "$t/host/lab/guest.vmlinuz"

mount --bind /dev "$t/vmm/dev"
mount -t tmpfs shm "$t/vmm/dev/shm"
mount -t proc proc "$t/vmm/proc"
mount --rbind "$t/host" "$t/vmm/mnt"
mount --rbind "$t/share" "$t/vmm/media"
mount --bind "$VM_RUN" "$t/vmm/run"
cp "$VM_KERNEL" "$t/vmm/tmp/vmlinuz"
cp "$VM_INITRD" "$t/vmm/tmp/initrd"

# QEMU's cpu_clear_ignne() takes a bit out of hflags2 of the *first* CPU whenever *any*
# CPU loads an FPU state (target/i386/tcg/system/fpu_helper.c), with no lock against the
# first CPU, which keeps there whether it is in a guest's nested paging, has its global
# interrupt flag set and may take interrupts with IF clear.  A bit that comes back or gets
# lost so ends guests by triple faults and the host VM in any way.  The bit itself is
# about IGNNE#, which Linux has not used since the 486: the function returns at once.
fix_ignne() {
	local exe=$1 addr offset start size code
	addr=$(chroot "$t/vmm" readelf -W --dyn-syms "$exe" | awk '$8 == "cpu_clear_ignne" { print $2 }')
	[ -n "$addr" ] || {
		echo "no cpu_clear_ignne in $exe: CPU 0 may lose its state" >&2
		return 0
	}
	addr=$((16#$addr))
	while read -r offset start size; do
		[ "$addr" -lt $((start)) ] || [ "$addr" -ge $((start + size)) ] || break
	done < <(chroot "$t/vmm" readelf -W -l "$exe" | awk '$1 == "LOAD" { print $2, $3, $5 }')
	offset=$((addr - start + offset))
	code=$(od -A n -t x1 -j "$offset" -N 4 "$t/vmm$exe" | tr -d ' ')
	# endbr64
	[ "$code" = f30f1efa ] || {
		echo "cpu_clear_ignne of $exe begins with $code: not changed" >&2
		return 0
	}
	printf '\xc3' | dd of="$t/vmm$exe" bs=1 seek=$((offset + 4)) conv=notrunc status=none
}
fix_ignne /usr/bin/qemu-system-x86_64

# The root belongs to the VM alone: without revalidation a program starts five
# times as fast.  What the machine also changes is shared apart.
pids=
share() {
	chroot "$t/vmm" /usr/libexec/virtiofsd --socket-path "/run/$1.sock" --shared-dir "$2" \
		--sandbox none --cache "$3" --log-level error >"$VM_RUN/virtiofsd-$1.log" 2>&1 </dev/null &
	pids+=" $!"
	for _ in $(seq 100); do
		[ ! -S "$VM_RUN/$1.sock" ] || break
		sleep 0.1
	done
}
# shellcheck disable=SC2086 # a list of words
trap 'kill $pids 2>/dev/null || :' EXIT
share root /mnt always
share share /media auto
rc=0
# no_timer_check: a machine that has much else to do fails that check.
# init_on_alloc: virtiofsd fills pages behind QEMU's back, which goes on running what
# it has translated from an earlier content.  What the kernel clears, QEMU sees.
chroot "$t/vmm" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp "$VM_CPUS" \
	-m "$VM_MEM" -object "memory-backend-memfd,id=mem,size=${VM_MEM}M,share=on" -machine memory-backend=mem \
	-kernel /tmp/vmlinuz -initrd /tmp/initrd \
	-append "console=ttyS0 panic=-1 loglevel=5 mitigations=off tsc=reliable no_timer_check init_on_alloc=1 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 $VM_APPEND" \
	-chardev socket,id=root,path=/run/root.sock -device vhost-user-fs-pci,chardev=root,tag=root \
	-chardev socket,id=share,path=/run/share.sock -device vhost-user-fs-pci,chardev=share,tag=share \
	-netdev "user,id=ctl,restrict=on,hostfwd=tcp:127.0.0.1:$VM_PORT-:1024" -device virtio-net-pci,netdev=ctl,romfile= \
	-device virtio-rng-pci \
	-nodefaults -display none -serial file:/run/log/host.console -monitor unix:/run/monitor,server=on,wait=off \
	-no-reboot -d cpu_reset -D /run/log/cpu.log </dev/null >"$VM_RUN/qemu.log" 2>&1 &
qemu=$!
echo "$qemu" >"$VM_RUN/qemu.pid"
wait "$qemu" || rc=$?
echo "$rc" >"$VM_RUN/ended"
