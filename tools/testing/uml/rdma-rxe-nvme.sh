#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Control: rdma-nvme.sh holds on rxe.
# options: --no-module --mem 1G --cpus 4
ERNIC_RDMA=rxe exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-nvme.sh"
