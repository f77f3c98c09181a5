// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions and windows.
 *
 * A region that can be found does not change: fast registration, invalidation and
 * binding put another one in its place and wait until nobody uses the old one.  So a
 * transfer that holds a reference has one consistent view, and what an invalidation
 * completes is over.
 *
 * A window holds the key of its region, not a reference.  It is looked up with each
 * use, so a region that goes takes its windows along.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include <ernic/kunit.h>

#include "engine.h"

#define ERNIC_MRF_REMOTE	(ION_MRF_REMOTE_WRITE | ION_MRF_REMOTE_READ | \
				 ION_MRF_REMOTE_ATOMIC)
#define ERNIC_MRF_ACCESS	(ION_MRF_LOCAL_WRITE | ERNIC_MRF_REMOTE | \
				 ION_MRF_MW_BIND | ION_MRF_ZERO_BASED)

/**
 * ernic_mr_get - find a region or window
 * @rdma: engine
 * @key: its key, all of it
 *
 * Return: it, with a reference, or NULL.
 */
struct ernic_mr *ernic_mr_get(struct ernic_rdma *rdma, u32 key)
{
	struct ernic_mr *mr;

	rcu_read_lock();
	mr = xa_load(&rdma->mrs, key >> ION_KEY_INDEX_SHIFT);
	if (mr && (mr->key != key || !ernic_obj_tryget(&mr->obj)))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

/**
 * ernic_mr_put - give a reference back
 * @mr: region, or NULL for memory without one
 */
void ernic_mr_put(struct ernic_mr *mr)
{
	if (mr)
		ernic_obj_put(&mr->obj);
}
ERNIC_KUNIT_EXPORT(ernic_mr_put);

/* not in the table any more; waits for transfers */
static void ernic_mr_retire(struct ernic_rdma *rdma, struct ernic_mr *mr)
{
	ernic_obj_retire(&mr->obj);
	ernic_pgtbl_free(rdma, &mr->pt);
	kfree_rcu(mr, obj.rcu);
}

/**
 * ernic_mr_create - CREATE_MR
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_mr_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_create_mr *c = &wqe->cmd.create_mr;
	u32 key = le32_to_cpu(c->id_ver), count = le32_to_cpu(c->map_count);
	u32 index = key >> ION_KEY_INDEX_SHIFT;
	u64 va = le64_to_cpu(c->va), len = le64_to_cpu(c->length);
	u16 flags = le16_to_cpu(c->dbid_flags);
	struct ernic_mr *mr;
	u64 off = 0, last;
	int err = 0;

	if (!index || index >= rdma->edev->profile.rdma_mrs)
		return ION_ASTS_BAD_INDEX;
	if (le32_to_cpu(c->pd_id) >= ERNIC_RDMA_MAX_PD ||
	    flags & ION_MRF_ON_DEMAND)
		return ION_ASTS_BAD_ATTR;
	if (count && flags & ION_MRF_IS_MW)
		return ION_ASTS_BAD_TYPE;
	if (count && (!len || (!(flags & ION_MRF_ZERO_BASED) &&
			       check_add_overflow(va, len - 1, &last))))
		return ION_ASTS_BAD_ATTR;
	/* memory, or something that gets memory later */
	if (!count && !(flags & (ION_MRF_INV_EN | ION_MRF_IS_MW)))
		return ION_ASTS_BAD_ATTR;
	if (xa_load(&rdma->mrs, index))
		return ION_ASTS_BAD_STATE;

	mr = kzalloc_obj(*mr, GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ION_ASTS_BAD_STATE;
	ernic_obj_init(&mr->obj);
	mr->key = key;
	mr->pd = le32_to_cpu(c->pd_id);
	mr->flags = flags;
	mr->free = !count;
	mr->va = flags & ION_MRF_ZERO_BASED ? 0 : va;
	mr->len = count ? len : 0;
	if (count) {
		/* the offset is part of the address, or of a single page's */
		if (count > 1)
			off = va & ((1ULL << (c->page_size_log2 & 63)) - 1);
		err = ernic_pgtbl_read(rdma, &mr->pt, le64_to_cpu(c->dma_addr),
				       count, c->page_size_log2, off, len);
	}
	if (!err) {
		mutex_lock(&rdma->mr_lock);
		err = xa_err(xa_store(&rdma->mrs, index, mr,
				      GFP_KERNEL_ACCOUNT));
		mutex_unlock(&rdma->mr_lock);
	}
	if (err) {
		ernic_pgtbl_free(rdma, &mr->pt);
		kfree(mr);
		return err == -EDQUOT ? ION_ASTS_MSG_TOO_BIG :
					ION_ASTS_BAD_ATTR;
	}
	rdma->nmrs++;
	return ION_ASTS_OK;
}
ERNIC_KUNIT_EXPORT(ernic_mr_create);

/**
 * ernic_mr_destroy - DESTROY_MR
 * @rdma: engine; the caller holds aq_lock
 * @key: key; its low byte may have changed since
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_mr_destroy(struct ernic_rdma *rdma, u32 key)
{
	struct ernic_mr *mr;

	mutex_lock(&rdma->mr_lock);
	mr = xa_erase(&rdma->mrs, key >> ION_KEY_INDEX_SHIFT);
	mutex_unlock(&rdma->mr_lock);
	if (!mr)
		return ION_ASTS_BAD_INDEX;
	ernic_mr_retire(rdma, mr);
	rdma->nmrs--;
	return ION_ASTS_OK;
}

/**
 * ernic_mr_destroy_all - for RDMA_RESET_LIF
 * @rdma: engine without QPs; the caller holds aq_lock
 */
void ernic_mr_destroy_all(struct ernic_rdma *rdma)
{
	struct ernic_mr *mr;
	unsigned long i;

	xa_for_each(&rdma->mrs, i, mr)
		ernic_mr_destroy(rdma, mr->key);
}

static bool ernic_mr_covers(const struct ernic_mr *mr, u64 va, u64 len)
{
	return va >= mr->va && len <= mr->len && va - mr->va <= mr->len - len;
}

/* a window leads to its region */
static struct ernic_mr *ernic_mr_parent(struct ernic_rqp *qp,
					struct ernic_mr *mw, u64 va,
					u64 *pos)
{
	struct ernic_mr *mr = ernic_mr_get(qp->rdma, mw->parent);

	if (mr && (mr->free || mr->pd != mw->pd ||
		   mr->flags & ION_MRF_IS_MW ||
		   mw->pos > mr->len || mw->len > mr->len - mw->pos)) {
		ernic_mr_put(mr);
		mr = NULL;
	}
	*pos = mw->pos + (va - mw->va);
	ernic_mr_put(mw);
	return mr;
}

/**
 * ernic_mr_seg - check an access and resolve it
 * @qp: QP that owns the key: the requester for a local one, the responder for one
 *	that came from its peer
 * @key: lkey or rkey
 * @va: address
 * @len: bytes, not zero
 * @access: ION_MRF_*, all of which are needed
 * @remote: the key came from the peer
 * @seg: result, with a reference
 *
 * Return: 0, or the status of who has to be told: ION_STS_LOCAL_PROT_ERR or
 * ION_STS_REMOTE_ACC_ERR.
 */
u8 ernic_mr_seg(struct ernic_rqp *qp, u32 key, u64 va, u32 len, u16 access,
		bool remote, struct ernic_seg *seg)
{
	u8 bad = remote ? ION_STS_REMOTE_ACC_ERR : ION_STS_LOCAL_PROT_ERR;
	struct ernic_mr *mr;
	u64 pos;

	if (!key) {
		/* all memory; the driver of a kernel has it for itself */
		u32 need = remote ? ION_QPF_REMOTE_PRIVILEGED :
				    ION_QPF_PRIVILEGED;

		if (!(qp->flags & need) || va > ION_ADDR_MASK ||
		    len - 1 > ION_ADDR_MASK - va)
			return bad;
		*seg = (struct ernic_seg){ .pos = va, .len = len };
		return 0;
	}

	mr = ernic_mr_get(qp->rdma, key);
	if (!mr)
		return bad;
	if (mr->free || mr->pd != qp->pd || (mr->flags & access) != access ||
	    !ernic_mr_covers(mr, va, len))
		goto err;
	pos = va - mr->va;
	if (mr->flags & ION_MRF_IS_MW) {
		/* windows are for peers; one of type 2 for those of its QP */
		if (!remote || (mr->qpn && mr->qpn != qp->id))
			goto err;
		mr = ernic_mr_parent(qp, mr, va, &pos);
		if (!mr)
			return bad;
	}
	*seg = (struct ernic_seg){ .mr = mr, .pos = pos, .len = len };
	return 0;
err:
	ernic_mr_put(mr);
	return bad;
}
ERNIC_KUNIT_EXPORT(ernic_mr_seg);

/* puts @mr in the place of @old; the caller holds mr_lock */
static int ernic_mr_replace(struct ernic_rdma *rdma, struct ernic_mr *mr)
{
	return xa_err(xa_store(&rdma->mrs, mr->key >> ION_KEY_INDEX_SHIFT, mr,
			       GFP_KERNEL_ACCOUNT));
}

static struct ernic_mr *ernic_mr_successor(const struct ernic_mr *old)
{
	struct ernic_mr *mr = kzalloc_obj(*mr, GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	ernic_obj_init(&mr->obj);
	mr->key = old->key;
	mr->pd = old->pd;
	mr->flags = old->flags & ~ERNIC_MRF_ACCESS;
	mr->free = true;
	return mr;
}

/**
 * ernic_mr_reg - REG_MR
 * @qp: QP that the request is from
 * @wqe: request
 *
 * Only for QPs of kernels: the page list has guest addresses.
 *
 * Return: 0 or ION_STS_MEM_MGMT_OPER_ERR.
 */
u8 ernic_mr_reg(struct ernic_rqp *qp, const struct ion_v1_wqe *wqe)
{
	u32 key = be32_to_cpu(wqe->base.imm_data_key);
	u16 flags = be16_to_cpu(wqe->reg_mr.flags);
	u32 count = be32_to_cpu(wqe->reg_mr.map_count);
	u64 len = be64_to_cpu(wqe->reg_mr.length);
	u64 va = be64_to_cpu(wqe->reg_mr.va), last;
	struct ernic_rdma *rdma = qp->rdma;
	struct ernic_mr *old, *mr;
	u8 status = ION_STS_MEM_MGMT_OPER_ERR;

	if (!(qp->flags & ION_QPF_PRIVILEGED) || !len ||
	    flags & ~ERNIC_MRF_ACCESS ||
	    (!(flags & ION_MRF_ZERO_BASED) &&
	     check_add_overflow(va, len - 1, &last)))
		return status;

	mutex_lock(&rdma->mr_lock);
	old = xa_load(&rdma->mrs, key >> ION_KEY_INDEX_SHIFT);
	if (!old || !old->free || old->pd != qp->pd ||
	    (old->flags & (ION_MRF_INV_EN | ION_MRF_UKEY_EN |
			   ION_MRF_IS_MW)) !=
	    (ION_MRF_INV_EN | ION_MRF_UKEY_EN))
		goto out;
	mr = ernic_mr_successor(old);
	if (!mr)
		goto out;
	/* the key has its new byte already (ionic_datapath.c:ionic_prep_reg) */
	mr->key = (key & ~ION_KEY_BYTE_MASK) | wqe->base.num_sge_key;
	mr->flags |= flags;
	mr->free = false;
	mr->va = flags & ION_MRF_ZERO_BASED ? 0 : va;
	mr->len = len;
	if (ernic_pgtbl_read(rdma, &mr->pt, be64_to_cpu(wqe->reg_mr.dma_addr),
			     count, wqe->reg_mr.page_size_log2,
			     be64_to_cpu(wqe->reg_mr.offset), len) ||
	    ernic_mr_replace(rdma, mr)) {
		ernic_pgtbl_free(rdma, &mr->pt);
		kfree(mr);
		goto out;
	}
	status = 0;
out:
	mutex_unlock(&rdma->mr_lock);
	if (!status)
		ernic_mr_retire(rdma, old);
	return status;
}
ERNIC_KUNIT_EXPORT(ernic_mr_reg);

/**
 * ernic_mr_invalidate - LOCAL_INV, or a SEND of the peer that invalidates
 * @qp: QP that owns the key
 * @key: key
 *
 * On return nothing uses the memory by that key.  The caller has no reference to a
 * region.
 *
 * Return: 0 or ION_STS_MEM_MGMT_OPER_ERR.
 */
u8 ernic_mr_invalidate(struct ernic_rqp *qp, u32 key)
{
	struct ernic_rdma *rdma = qp->rdma;
	struct ernic_mr *old, *mr = NULL;

	mutex_lock(&rdma->mr_lock);
	old = xa_load(&rdma->mrs, key >> ION_KEY_INDEX_SHIFT);
	if (old && old->key == key && !old->free && old->pd == qp->pd &&
	    old->flags & ION_MRF_INV_EN &&
	    (!old->qpn || old->qpn == qp->id)) {
		mr = ernic_mr_successor(old);
		if (mr && ernic_mr_replace(rdma, mr)) {
			kfree(mr);
			mr = NULL;
		}
	}
	mutex_unlock(&rdma->mr_lock);
	if (!mr)
		return ION_STS_MEM_MGMT_OPER_ERR;
	ernic_mr_retire(rdma, old);
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_mr_invalidate);

/**
 * ernic_mr_bind - BIND_MW
 * @qp: QP that the request is from
 * @wqe: request
 *
 * A window of type 1 may be bound again as it is, and without a length is unbound;
 * one of type 2 has to be free, and belongs to the QP then.
 *
 * Return: 0 or ION_STS_MEM_MGMT_OPER_ERR.
 */
u8 ernic_mr_bind(struct ernic_rqp *qp, const struct ion_v1_wqe *wqe)
{
	u32 key = be32_to_cpu(wqe->base.imm_data_key);
	u16 flags = be16_to_cpu(wqe->bind_mw.flags);
	u32 lkey = be32_to_cpu(wqe->bind_mw.lkey);
	u64 len = be64_to_cpu(wqe->bind_mw.length);
	u64 va = be64_to_cpu(wqe->bind_mw.va);
	struct ernic_mr *old, *mw, *mr = NULL;
	u8 status = ION_STS_MEM_MGMT_OPER_ERR;
	struct ernic_rdma *rdma = qp->rdma;
	bool type2;

	/* libionic says here again what a window is (ionic_v1_prep_bind) */
	flags &= ~(ION_MRF_UKEY_EN | ION_MRF_IS_MW | ION_MRF_INV_EN);
	if (flags & ~(ERNIC_MRF_REMOTE | ION_MRF_ZERO_BASED))
		return status;
	mutex_lock(&rdma->mr_lock);
	old = xa_load(&rdma->mrs, key >> ION_KEY_INDEX_SHIFT);
	if (!old || old->pd != qp->pd || !(old->flags & ION_MRF_IS_MW))
		goto out;
	type2 = old->flags & ION_MRF_INV_EN;
	/* the byte of a free window's key is the user's to choose */
	if (type2 ? !old->free || !len : old->key != key)
		goto out;
	if (len) {
		mr = ernic_mr_get(rdma, lkey);
		if (!mr || mr->free || mr->pd != qp->pd ||
		    (mr->flags & (ION_MRF_IS_MW | ION_MRF_MW_BIND)) !=
		    ION_MRF_MW_BIND || !ernic_mr_covers(mr, va, len))
			goto out;
		/* a window does not allow what its region does not */
		if (flags & (ION_MRF_REMOTE_WRITE | ION_MRF_REMOTE_ATOMIC) &&
		    !(mr->flags & ION_MRF_LOCAL_WRITE))
			goto out;
	}
	mw = ernic_mr_successor(old);
	if (!mw)
		goto out;
	mw->key = (key & ~ION_KEY_BYTE_MASK) | wqe->base.num_sge_key;
	if (len) {
		mw->free = false;
		mw->flags |= flags;
		mw->va = flags & ION_MRF_ZERO_BASED ? 0 : va;
		mw->len = len;
		mw->pos = va - mr->va;
		mw->parent = lkey;
		mw->qpn = type2 ? qp->id : 0;
	}
	if (ernic_mr_replace(rdma, mw))
		kfree(mw);
	else
		status = 0;
out:
	mutex_unlock(&rdma->mr_lock);
	ernic_mr_put(mr);
	if (!status)
		ernic_mr_retire(rdma, old);
	return status;
}
ERNIC_KUNIT_EXPORT(ernic_mr_bind);
