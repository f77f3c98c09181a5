// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests: opcodes of both versions, and where the elements are.
 */
#include <linux/nospec.h>

#include <ernic/kunit.h>

#include "engine.h"

#define ERNIC_T_CONN	(BIT(ION_QPT_RC) | BIT(ION_QPT_UC))
#define ERNIC_T_ALL	(ERNIC_T_CONN | BIT(ION_QPT_UD))
#define ERNIC_T_RC	BIT(ION_QPT_RC)

/* what the opcodes of both versions mean */
enum {
	ERNIC_D_SEND,
	ERNIC_D_SEND_INV,
	ERNIC_D_SEND_IMM,
	ERNIC_D_READ,
	ERNIC_D_WRITE,
	ERNIC_D_WRITE_IMM,
	ERNIC_D_SWAP,
	ERNIC_D_ADD,
	ERNIC_D_REG_MR,
	ERNIC_D_LOCAL_INV,
	ERNIC_D_BIND_MW,
};

static const struct ernic_op_desc ernic_op_desc[] = {
	[ERNIC_D_SEND] = {
		.op = ERNIC_OP_SEND, .recv = true, .types = ERNIC_T_ALL,
	},
	[ERNIC_D_SEND_INV] = {
		.op = ERNIC_OP_SEND, .recv = true, .inv = true,
		.types = ERNIC_T_RC,
	},
	[ERNIC_D_SEND_IMM] = {
		.op = ERNIC_OP_SEND, .recv = true, .imm = true,
		.types = ERNIC_T_ALL,
	},
	[ERNIC_D_READ] = { .op = ERNIC_OP_READ, .types = ERNIC_T_RC },
	[ERNIC_D_WRITE] = { .op = ERNIC_OP_WRITE, .types = ERNIC_T_CONN },
	[ERNIC_D_WRITE_IMM] = {
		.op = ERNIC_OP_WRITE, .recv = true, .imm = true,
		.types = ERNIC_T_CONN,
	},
	[ERNIC_D_SWAP] = { .op = ERNIC_OP_SWAP, .types = ERNIC_T_RC },
	[ERNIC_D_ADD] = { .op = ERNIC_OP_ADD, .types = ERNIC_T_RC },
	[ERNIC_D_REG_MR] = { .op = ERNIC_OP_REG_MR, .types = ERNIC_T_CONN },
	[ERNIC_D_LOCAL_INV] = {
		.op = ERNIC_OP_LOCAL_INV, .types = ERNIC_T_CONN,
	},
	[ERNIC_D_BIND_MW] = { .op = ERNIC_OP_BIND_MW, .types = ERNIC_T_CONN },
};

/* index into the table above, plus one */
static const u8 ernic_ops_v1[] = {
	[ION_V1_OP_SEND]		= 1 + ERNIC_D_SEND,
	[ION_V1_OP_SEND_INV]		= 1 + ERNIC_D_SEND_INV,
	[ION_V1_OP_SEND_IMM]		= 1 + ERNIC_D_SEND_IMM,
	[ION_V1_OP_RDMA_READ]		= 1 + ERNIC_D_READ,
	[ION_V1_OP_RDMA_WRITE]		= 1 + ERNIC_D_WRITE,
	[ION_V1_OP_RDMA_WRITE_IMM]	= 1 + ERNIC_D_WRITE_IMM,
	[ION_V1_OP_ATOMIC_CS]		= 1 + ERNIC_D_SWAP,
	[ION_V1_OP_ATOMIC_FA]		= 1 + ERNIC_D_ADD,
	[ION_V1_OP_REG_MR]		= 1 + ERNIC_D_REG_MR,
	[ION_V1_OP_LOCAL_INV]		= 1 + ERNIC_D_LOCAL_INV,
	[ION_V1_OP_BIND_MW]		= 1 + ERNIC_D_BIND_MW,
};

static const u8 ernic_ops_v2[] = {
	[ION_V2_OP_SEND]		= 1 + ERNIC_D_SEND,
	[ION_V2_OP_SEND_INV]		= 1 + ERNIC_D_SEND_INV,
	[ION_V2_OP_SEND_IMM]		= 1 + ERNIC_D_SEND_IMM,
	[ION_V2_OP_RDMA_READ]		= 1 + ERNIC_D_READ,
	[ION_V2_OP_RDMA_WRITE]		= 1 + ERNIC_D_WRITE,
	[ION_V2_OP_RDMA_WRITE_IMM]	= 1 + ERNIC_D_WRITE_IMM,
	[ION_V2_OP_ATOMIC_CS]		= 1 + ERNIC_D_SWAP,
	[ION_V2_OP_ATOMIC_FA]		= 1 + ERNIC_D_ADD,
	[ION_V2_OP_REG_MR]		= 1 + ERNIC_D_REG_MR,
	[ION_V2_OP_LOCAL_INV]		= 1 + ERNIC_D_LOCAL_INV,
	[ION_V2_OP_BIND_MW]		= 1 + ERNIC_D_BIND_MW,
};

/**
 * ernic_op_find - meaning of an opcode
 * @version: of the LIF's identity
 * @opcode: of a work request
 *
 * Return: description, or NULL.
 */
const struct ernic_op_desc *ernic_op_find(unsigned int version, u8 opcode)
{
	const u8 *ops = version < 2 ? ernic_ops_v1 : ernic_ops_v2;
	size_t n = version < 2 ? ARRAY_SIZE(ernic_ops_v1) :
				 ARRAY_SIZE(ernic_ops_v2);
	u8 d;

	if (opcode >= n)
		return NULL;
	d = ops[array_index_nospec(opcode, n)];
	return d ? &ernic_op_desc[d - 1] : NULL;
}
ERNIC_KUNIT_EXPORT(ernic_op_find);

/**
 * ernic_wqe_sges - elements of a work request
 * @size: bytes of it that may hold elements
 * @buf: copy of it
 * @sge: result
 * @n: result
 *
 * More than two, and the QP allows it: lengths come first, for hardware to look
 * ahead (ionic_datapath.c:ionic_prep_pld); the elements have them as well.
 *
 * Return: 0 or ION_STS_LOCAL_QP_OPER_ERR.
 */
u8 ernic_wqe_sges(size_t size, const u8 *buf,
		  const struct ion_sge **sge, unsigned int *n)
{
	const struct ion_v1_wqe *wqe = (const void *)buf;
	u16 flags = be16_to_cpu(wqe->base.flags);
	unsigned int at = ION_WQE_PLD_OFF;

	*n = wqe->base.num_sge_key;
	if (flags & ION_V1_FLAG_SPEC16)
		return ION_STS_LOCAL_QP_OPER_ERR;
	if (flags & ION_V1_FLAG_SPEC32)
		at = ION_WQE_SPEC32_SGE_OFF;
	if (*n > ION_RDMA_MAX_SGE ||
	    at + *n * sizeof(**sge) > size)
		return ION_STS_LOCAL_QP_OPER_ERR;
	*sge = (const void *)(buf + at);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_wqe_sges);

/**
 * ernic_ring_read - copy a work request, once
 * @rdma: engine
 * @ring: ring
 * @index: slot; masked here
 * @wqe: result, as long as the stride
 *
 * Return: 0 or what reading says.
 */
int ernic_ring_read(struct ernic_rdma *rdma, const struct ernic_ring *ring,
		    u16 index, void *wqe)
{
	size_t size = BIT(ring->stride_log2), len = size;
	u64 iova = ernic_pgtbl_iova(&ring->pt, (u64)(index & ring->mask) <<
				    ring->stride_log2, &len);

	/* pages are larger than strides, and both are powers of two */
	return ernic_dma_read(rdma->edev, iova, wqe, size);
}
