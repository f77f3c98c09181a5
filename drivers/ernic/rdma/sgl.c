// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of memory, and the one copy from one guest's pages to another's.
 */
#include <linux/slab.h>

#include <ernic/kunit.h>

#include "engine.h"

/* what cannot be mapped goes through here */
#define ERNIC_BOUNCE	512

/**
 * ernic_sgl_put - give the references of a list back
 * @sgl: list
 */
void ernic_sgl_put(struct ernic_sgl *sgl)
{
	while (sgl->n)
		ernic_mr_put(sgl->seg[--sgl->n].mr);
}
ERNIC_KUNIT_EXPORT(ernic_sgl_put);

/**
 * ernic_sgl_resolve - check the elements of a work request and resolve them
 * @qp: QP that the request is from
 * @sgl: result; to be put if the result is 0
 * @sge: elements
 * @n: their number, at most ION_RDMA_MAX_SGE
 * @access: ION_MRF_LOCAL_WRITE if they are written to, or 0
 *
 * Return: 0, ION_STS_LOCAL_PROT_ERR or ION_STS_LOCAL_LEN_ERR.
 */
u8 ernic_sgl_resolve(struct ernic_rqp *qp, struct ernic_sgl *sgl,
		     const struct ion_sge *sge, unsigned int n, u16 access)
{
	u64 total = 0;
	unsigned int i;
	u8 status;
	u32 len;

	sgl->edev = qp->rdma->edev;
	sgl->data = NULL;
	sgl->n = 0;
	for (i = 0; i < n; i++) {
		len = be32_to_cpu(sge[i].len);
		if (!len)
			continue;
		status = ernic_mr_seg(qp, be32_to_cpu(sge[i].lkey),
				      be64_to_cpu(sge[i].va), len, access,
				      false, &sgl->seg[sgl->n]);
		if (status)
			goto err;
		sgl->n++;
		total += len;
	}
	status = ION_STS_LOCAL_LEN_ERR;
	if (total > ION_MAX_MSG)
		goto err;
	sgl->total = total;
	return 0;
err:
	ernic_sgl_put(sgl);
	return status;
}
ERNIC_KUNIT_EXPORT(ernic_sgl_resolve);

/**
 * struct ernic_pos - place in a list
 * @i: element
 * @off: offset in it
 */
struct ernic_pos {
	unsigned int i;
	u32 off;
};

static void ernic_pos_set(const struct ernic_sgl *sgl, struct ernic_pos *pos,
			  u32 off)
{
	pos->i = 0;
	pos->off = off;
	if (sgl->data)
		return;
	while (pos->i < sgl->n && pos->off >= sgl->seg[pos->i].len)
		pos->off -= sgl->seg[pos->i++].len;
}

static void ernic_pos_advance(const struct ernic_sgl *sgl,
			      struct ernic_pos *pos, size_t n)
{
	pos->off += n;
	if (!sgl->data && pos->off == sgl->seg[pos->i].len) {
		pos->i++;
		pos->off = 0;
	}
}

/* guest address of a place, and how many bytes follow without a gap */
static u64 ernic_pos_iova(const struct ernic_sgl *sgl,
			  const struct ernic_pos *pos, size_t *len)
{
	const struct ernic_seg *seg = &sgl->seg[pos->i];

	*len = min_t(size_t, *len, seg->len - pos->off);
	if (!seg->mr)
		return seg->pos + pos->off;
	return ernic_pgtbl_iova(&seg->mr->pt, seg->pos + pos->off, len);
}

static void *ernic_pos_map(const struct ernic_sgl *sgl,
			   const struct ernic_pos *pos, u64 *iova, size_t *len)
{
	if (sgl->data) {
		*iova = 0;
		return (void *)(sgl->data + pos->off);
	}
	*iova = ernic_pos_iova(sgl, pos, len);
	return ernic_dma_map(sgl->edev, *iova, len);
}

/* the receiver may poll the last byte, so that comes last */
static void ernic_copy_last(u8 *to, const u8 *from, size_t n)
{
	memcpy(to, from, n - 1);
	/* pairs with whatever the receiver has behind its load */
	smp_store_release(&to[n - 1], READ_ONCE(from[n - 1]));
}

static int ernic_copy_bounce(const struct ernic_sgl *to, u64 to_iova, void *dst,
			     const struct ernic_sgl *from, u64 from_iova,
			     const void *src, size_t n)
{
	u8 buf[ERNIC_BOUNCE];
	int err = 0;

	if (src)
		memcpy(buf, src, n);
	else
		err = ernic_dma_read(from->edev, from_iova, buf, n);
	if (err)
		return err;
	if (dst)
		memcpy(dst, buf, n);
	else
		err = ernic_dma_write(to->edev, to_iova, buf, n);
	return err == -EFAULT ? -ENXIO : err;
}

/**
 * ernic_sgl_copy - copy between two lists
 * @to: list that covers @to_off + @len
 * @to_off: first byte
 * @from: list that covers @from_off + @len
 * @from_off: first byte
 * @len: bytes
 *
 * The caller holds ernic_dma_lock() of both devices.
 *
 * Return: 0; -EACCES (DMA of a device is off), -EFAULT (@from is not there) or -ENXIO
 * (@to is not).
 */
int ernic_sgl_copy(const struct ernic_sgl *to, u32 to_off,
		   const struct ernic_sgl *from, u32 from_off, u32 len)
{
	struct ernic_pos tp, fp;
	u64 tiova, fiova, copied = 0;
	void *dst, *src;
	size_t n, m;
	int err = 0;

	ernic_pos_set(to, &tp, to_off);
	ernic_pos_set(from, &fp, from_off);
	while (len) {
		n = len;
		src = ernic_pos_map(from, &fp, &fiova, &n);
		m = n;
		dst = ernic_pos_map(to, &tp, &tiova, &m);
		if (likely(src && dst)) {
			if (m == len)
				ernic_copy_last(dst, src, m);
			else
				memcpy(dst, src, m);
			copied += m;
		} else {
			m = min_t(size_t, m, ERNIC_BOUNCE);
			err = ernic_copy_bounce(to, tiova, dst, from, fiova,
						src, m);
			if (err)
				break;
			copied += 2 * m;
		}
		ernic_pos_advance(from, &fp, m);
		ernic_pos_advance(to, &tp, m);
		len -= m;
	}
	atomic64_add(copied, &to->edev->rdma->copied);
	return err;
}
ERNIC_KUNIT_EXPORT(ernic_sgl_copy);

/**
 * ernic_sgl_atomic - an atomic operation on eight bytes
 * @at: list of one element of eight bytes; the address was found to be aligned
 * @swap: compare and swap, else fetch and add
 * @operand: new value or addend
 * @compare: value to compare with
 * @old: result: value before
 *
 * Atomic against the guest's CPUs and other devices.  The caller holds
 * ernic_dma_lock().
 *
 * Return: 0; -EFAULT if the memory is not there or is not memory.
 */
int ernic_sgl_atomic(const struct ernic_sgl *at, bool swap, u64 operand,
		     u64 compare, u64 *old)
{
	struct ernic_pos pos;
	size_t len = 8;
	u64 iova, *p;

	ernic_pos_set(at, &pos, 0);
	p = ernic_pos_map(at, &pos, &iova, &len);
	if (!p || len < 8 || !IS_ALIGNED((uintptr_t)p, 8))
		return -EFAULT;
	if (swap)
		*old = cmpxchg64(p, compare, operand);
	else
		*old = atomic64_fetch_add(operand, (atomic64_t *)p);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_sgl_atomic);
