#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Kernel verbs with the other opcode set, between domains, and without a back end.
# options: --mem 768M --cpus 4 --append isolcpus=3
set -uo pipefail
# shellcheck source=rdma-lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-lib.sh"

load_ulp() { insmod "$MOD/ernic_ulp.ko"; }

# as ARGS...: other devices
as() {
	reload devices=2 "$@"
	rdma_setup
}
each() { # DEVICE DEVICE TEST...
	local a=$1 b=$2 t
	shift 2
	for t in "$@"; do
		ulp "$t" "$a" "$b"
	done
}
both() { # TEST...: either one to the other
	each "$DEV0" "$DEV1" "$@"
	each "$DEV1" "$DEV0" "$@"
}
itself() { # TEST...: each to itself
	each "$DEV0" "$DEV0" "$@"
	each "$DEV1" "$DEV1" "$@"
}
check "version 2 of the opcodes: two RDMA devices" as rdma_version=2
rdma_devices
check "the ULP loads" load_ulp
data=(rc rc-direct ud unsignalled fast-register chain send-invalidate bounds register-twice flush)
check "version 2: between two devices" each "$DEV0" "$DEV1" "${data[@]}"
check "version 2: of one with itself" each "$DEV0" "$DEV0" "${data[@]}"

check "two domains" as rdma_domain=red,blue
rdma_devices
check "two domains: neither reaches the other" both unreached ud-unreached
check "two domains: each reaches itself" itself rc ud

check "one domain" as rdma_domain=red,red
rdma_devices
check "one domain: they reach each other" both rc ud

check "no back end" as rdma=none
rdma_devices
check "no back end: nobody is reached" both unreached ud-unreached
check "no back end: nor oneself" itself unreached ud-unreached
# nothing of a peer is needed for it
check "no back end: memory can be registered" both register-twice

gone() { rmmod ernic_ulp; }
check "the ULP unloads" gone

tap_finish
