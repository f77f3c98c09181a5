/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ionic_fw.h needs of the verbs: flags and states.  Its inline functions
 * translate them; nothing here calls those.
 */
#ifndef ABI_SHIM_IB_VERBS_H
#define ABI_SHIM_IB_VERBS_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;

#define cpu_to_be32(x)	__builtin_bswap32(x)
#define be32_to_cpu(x)	__builtin_bswap32(x)

enum {
	IB_ACCESS_LOCAL_WRITE, IB_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_READ,
	IB_ACCESS_REMOTE_ATOMIC, IB_ACCESS_MW_BIND, IB_ZERO_BASED,
};

enum {
	IB_WC_SUCCESS, IB_WC_LOC_LEN_ERR, IB_WC_LOC_QP_OP_ERR,
	IB_WC_LOC_PROT_ERR, IB_WC_WR_FLUSH_ERR, IB_WC_MW_BIND_ERR,
	IB_WC_BAD_RESP_ERR, IB_WC_LOC_ACCESS_ERR, IB_WC_REM_INV_REQ_ERR,
	IB_WC_REM_ACCESS_ERR, IB_WC_REM_OP_ERR, IB_WC_RETRY_EXC_ERR,
	IB_WC_RNR_RETRY_EXC_ERR, IB_WC_GENERAL_ERR,
};

enum ib_qp_type {
	IB_QPT_SMI, IB_QPT_GSI, IB_QPT_RC, IB_QPT_UC, IB_QPT_UD,
	IB_QPT_XRC_INI, IB_QPT_XRC_TGT,
};

enum ib_qp_state {
	IB_QPS_RESET, IB_QPS_INIT, IB_QPS_RTR, IB_QPS_RTS, IB_QPS_SQD,
	IB_QPS_SQE, IB_QPS_ERR,
};

#ifndef EINVAL
#define EINVAL	22
#endif

#endif
