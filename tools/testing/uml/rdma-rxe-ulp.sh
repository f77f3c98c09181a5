#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Control: the tests of kernel verbs hold on rxe.
# options: --no-module --mem 768M --cpus 4
ERNIC_RDMA=rxe exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rdma-ulp.sh"
