#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# include/ionic against the kernel's own headers of the ionic driver, in TAP.
# Then the same with faults put into a copy of include/ionic: each must show.
set -euo pipefail

dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
repo=$(cd "$dir/../../.." && pwd)
src=${ERNIC_LINUX_SRC:-$("$repo/tools/lab/lab" path src)}
kernel=$src/drivers/net/ethernet/pensando/ionic
rdma=$src/drivers/infiniband/hw/ionic
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

n=0 failed=0
# report STATUS NAME
report() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=$((failed + 1))
	fi
}

# compare INCLUDE: builds and runs abi.c; its status
compare() {
	gcc -std=gnu11 -Wall -Wno-unused -I "$dir/shim" -I "$kernel" -I "$rdma" -I "$1" \
		-o "$tmp/abi" "$dir/abi.c" && "$tmp/abi"
}

rc=0
compare "$repo/include" >"$tmp/out" || rc=$?
grep -v '^#name\|^#tests' "$tmp/out" || :
n=$(sed -n 's/^#tests //p' "$tmp/out")
if [ -z "$n" ]; then
	echo "Bail out! abi.c does not build or run (status $rc)"
	exit 1
fi
failed=$(grep -c '^not ok' "$tmp/out" || :)

# Every value of ours stands in abi.c; what is left out there is not compared.
grep -ohE '^(#define[[:space:]]+|[[:space:]]+)ION_[A-Z0-9_]+' "$repo"/include/ionic/*.h |
	grep -oE 'ION_[A-Z0-9_]+' | sort -u | grep -vE '^ION_(X|.*_)$' >"$tmp/names"
: >"$tmp/missing"
while read -r name; do
	grep -qE "\b($name|S\(${name#ION_}\))([^A-Z0-9_]|$)" "$dir"/abi*.c ||
		grep -qE "\bN\(${name#ION_}," "$dir"/abi*.c || echo "$name" >>"$tmp/missing"
done <"$tmp/names"
sed 's/^/# not compared: /' "$tmp/missing"
rc=0
[ -s "$tmp/names" ] && [ ! -s "$tmp/missing" ] || rc=1
report $rc "every value of include/ionic is compared"

sed -n '/^struct ionic_lif_stats {/,/^}/s/.*__le64 *\([a-z0-9_]*\);.*/\1/p' "$kernel/ionic_if.h" |
	grep -v '^rsvd' | sort >"$tmp/theirs"
sed -n 's/^#name //p' "$tmp/out" | sort >"$tmp/ours"
rc=0
diff "$tmp/theirs" "$tmp/ours" | sed 's/^/# /' || :
[ -s "$tmp/ours" ] && cmp -s "$tmp/theirs" "$tmp/ours" || rc=1
report $rc "every LIF counter of the kernel has a name here"

# attr_mask of MODIFY_QP is the verbs' own: values are shifts of one, there and here
sed -nE 's/^#define ION_(QP_[A-Z_]+)[[:space:]]+BIT\(([0-9]+)\).*/\1 \2/p' "$repo/include/ionic/rdma_admin.h" |
	sort >"$tmp/ours"
sed -nE 's/^[[:space:]]*IB_(QP_[A-Z_]+)[[:space:]]*=[[:space:]]*\(?1 *<< *([0-9]+)\)?,.*/\1 \2/p' "$src/include/rdma/ib_verbs.h" |
	sort >"$tmp/theirs"
sed -i 's/^QP_STATE 0$/&/' "$tmp/theirs"
grep -q '^QP_STATE ' "$tmp/theirs" || echo "QP_STATE 0" >>"$tmp/theirs"
rc=0
comm -23 "$tmp/ours" <(sort "$tmp/theirs") | sed 's/^/# /' >"$tmp/missing"
cat "$tmp/missing"
[ -s "$tmp/ours" ] && [ ! -s "$tmp/missing" ] || rc=1
report $rc "bits of MODIFY_QP are those of the verbs"

# number NAME FILE: value of a hexadecimal #define
number() { sed -nE "s/^#define[[:space:]]+$1[[:space:]]+(0x[0-9a-f]+).*/\1/p" "$2"; }
rc=0
[ "$(number ION_PCI_VENDOR "$repo/include/ionic/regs.h")" = \
	"$(number PCI_VENDOR_ID_PENSANDO "$kernel/ionic.h")" ] || rc=1
[ "$(number ION_PCI_DEVICE_PF "$repo/include/ionic/regs.h")" = \
	"$(number PCI_DEVICE_ID_PENSANDO_IONIC_ETH_PF "$kernel/ionic.h")" ] || rc=1
report $rc "PCI vendor and device"

# fault NAME FILE SED-EXPRESSION: the comparison must fail, and not for a reason
# that has nothing to do with it.
fault() {
	rm -rf "$tmp/include"
	cp -r "$repo/include" "$tmp/include"
	sed -i -E "$3" "$tmp/include/ionic/$2"
	local rc=0
	if cmp -s "$repo/include/ionic/$2" "$tmp/include/ionic/$2"; then
		echo "# the fault changed nothing in $2"
		rc=1
	elif compare "$tmp/include" >"$tmp/fault" 2>&1; then
		echo "# not noticed"
		rc=1
	elif ! grep -q '^not ok' "$tmp/fault"; then
		sed 's/^/# /' "$tmp/fault" | head -n 20
		rc=1
	fi
	report $rc "fault is found: $1"
}
fault "an opcode" cmd.h 's/(ION_CMD_LIF_SETATTR.*)24/\125/'
fault "a status code" cmd.h 's/(ION_RC_EEXIST.*)13/\112/'
fault "a feature bit" cmd.h 's/(ION_ETH_HW_TSO[[:space:]].*)\(8\)/\1(9)/'
fault "a member moved" cmd.h '/^struct ion_dev_identity/,/^}/{s/nintrs/xx/;s/nlifs/nintrs/;s/xx/nlifs/}'
fault "a member too wide" desc.h '/^struct ion_rxq_desc/,/^}/{s/u8 rsvd\[5\]/u8 rsvd[3]/;s/__le16 len/__le32 len/}'
fault "padding" cmd.h '/^struct ion_lif_identity/,/^} __packed/s/^([[:space:]]*\}) __packed/\1/'
fault "a register" regs.h 's/(ION_CMD_SIDE_DATA[[:space:]]+)0x088/\10x400/'
fault "a doorbell field" regs.h 's/(ION_DB_QID_MASK.*)47, 24/\139, 16/'
fault "a LIF counter" info.h 's/(rx_queue_empty, )33/\134/'
fault "two port counters swapped" info.h 's/X\(frames_rx_64b\)/X(swap)/;s/X\(frames_rx_65b_127b\)/X(frames_rx_64b)/;s/X\(swap\)/X(frames_rx_65b_127b)/'
fault "a descriptor flag" desc.h 's/(ION_TXD_F_TSO_EOT.*)0x8/\10x4/'
fault "an RDMA opcode" rdma.h 's/(ION_V2_OP_SEND_INV.*)0xa0/\10xc0/'
fault "an RDMA status" rdma.h 's/(ION_STS_RETRY_EXCEEDED.*)11/\112/'
fault "a work request's member" rdma.h 's/__be32 swap_add_low/__be64 swap_add_low/'
fault "an admin command's member" rdma_admin.h '/^struct ion_admin_create_mr/,/^}/{s/__le32 tbl_index/__le16 tbl_index/}'
fault "a member forgotten in the comparison" desc.h '/^struct ion_txq_comp/,/^}/s/u8 rsvd2\[11\]/u8 rsvd2[10];u8 extra/'

echo "1..$n"
[ "$failed" = 0 ]
