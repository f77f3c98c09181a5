# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# In the guests of group rdma: names, and what takes more than a line.

K=$(sed -n 's/.*lab\.guest=\([0-9]*\).*/\1/p' /proc/cmdline)
O=$((3 - K))
# shellcheck disable=SC2034 # for the scripts of the group
ME=192.168.200.$K PEER=192.168.200.$O ME6=fd00:200::$K PEER6=fd00:200::$O
export ME PEER ME6 PEER6
ulimit -l unlimited

# gid_of NETDEV PREFIX: the index of a RoCE v2 GID.  A table has many places, and a
# process takes its time here: there is none.
gid_of() {
	local d=/sys/class/infiniband/$DEV/ports/1 i type dev gid
	for i in "$d"/gids/*; do
		i=${i##*/} type='' dev='' gid=''
		# empty places cannot be read
		{ read -r type <"$d/gid_attrs/types/$i"; read -r dev <"$d/gid_attrs/ndevs/$i"; read -r gid <"$d/gids/$i"; } 2>/dev/null || :
		if [[ $type == *v2* && $dev == "$1" && $gid == "$2"* ]]; then
			found=$i
			return
		fi
	done
	found=
}
# the RDMA device of ernic0 and its GIDs of IPv4, of IPv6 and on the VLAN
names() {
	local found
	DEV=$(rdma -j link show | jq -r '.[] | select(.netdev == "ernic0") | .ifname')
	gid_of ernic0 0000:0000:0000:0000:0000:ffff:c0a8:c8
	GID=$found
	gid_of ernic0 fd00:0200:
	GID6=$found
	gid_of ernic0.5 0000:0000:0000:0000:0000:ffff:c0a8:cd
	GIDV=$found
	export DEV GID GID6 GIDV
}

setup() {
	modprobe -a ib_uverbs rdma_ucm ionic_rdma
	ip link set ernic0 mtu 9000
	ip addr replace "$ME6/64" dev ernic0 nodad
	[ -e /sys/class/net/ernic0.5 ] || ip link add link ernic0 name ernic0.5 type vlan id 5
	ip addr replace "192.168.205.$K/24" dev ernic0.5
	ip link set ernic0.5 up
	for _ in $(seq 50); do
		names
		[ -z "$GID" ] || [ -z "$GID6" ] || [ -z "$GIDV" ] || break
		sleep 0.2
	done
	[ -n "$DEV" ] && [ -n "$GID" ] && [ -n "$GID6" ] && [ -n "$GIDV" ]
	declare -p DEV GID GID6 GIDV >/run/rdma.names
	grep -q ACTIVE "/sys/class/infiniband/$DEV/ports/1/state"
}
# shellcheck source=/dev/null
[ ! -e /run/rdma.names ] || . /run/rdma.names

stock() {
	local m f
	for m in ionic ib_core ib_uverbs rdma_cm; do
		f=$(modinfo -F filename "$m")
		case $f in */kernel/*) ;; *) return 1 ;; esac
	done
	modinfo -F filename ionic_rdma | grep -q /updates/
	# Debian's own, as installed
	dpkg-query -W -f '${Package} ${Version}\n' ibverbs-providers rdma-core perftest
}

devinfo() {
	ibv_devices
	ibv_devinfo -v -d "$DEV" | tee /run/devinfo
	grep -q 'state:.*PORT_ACTIVE' /run/devinfo
	grep -q 'active_mtu:.*4096' /run/devinfo
	grep -q 'link_layer:.*Ethernet' /run/devinfo
	awk '$1 == "max_qp:" { q = $2 } $1 == "max_cq:" { c = $2 } $1 == "max_mr:" { m = $2 } $1 == "max_ah:" { a = $2 }
		END { exit !(q >= 16383 && c >= 16384 && m >= 131071 && a >= 32768) }' /run/devinfo
}

nvme_target() {
	local t=/sys/kernel/config/nvmet
	modprobe brd rd_nr=1 rd_size=65536
	modprobe nvmet-rdma
	[ -d /sys/kernel/config/nvmet ] || mount -t configfs configfs /sys/kernel/config
	mkdir -p $t/subsystems/ernic/namespaces/1 $t/ports/1
	echo 1 >$t/subsystems/ernic/attr_allow_any_host
	echo /dev/ram0 >$t/subsystems/ernic/namespaces/1/device_path
	echo 1 >$t/subsystems/ernic/namespaces/1/enable
	echo rdma >$t/ports/1/addr_trtype
	echo ipv4 >$t/ports/1/addr_adrfam
	echo "$ME" >$t/ports/1/addr_traddr
	echo 4420 >$t/ports/1/addr_trsvcid
	ln -s $t/subsystems/ernic $t/ports/1/subsystems/ernic
}
nvme_host() {
	modprobe nvme-rdma
	nvme connect -t rdma -a "$PEER" -s 4420 -n ernic
	for _ in $(seq 100); do
		[ ! -b /dev/nvme0n1 ] || return 0
		sleep 0.1
	done
	return 1
}
nvme_verify() {
	fio --name=v --filename=/dev/nvme0n1 --thread --direct=1 --ioengine=libaio --size=16M --verify=crc32c \
		--verify_fatal=1 --minimal "$@" >/run/fio
}

rdma_bytes() { rdma -j statistic show link "$DEV/1" | jq '.[0].rx_rdma_ucast_bytes'; }
