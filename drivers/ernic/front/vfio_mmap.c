// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of a VFIO device that the VMM may map: interrupt control, the doorbell page of
 * the guest's kernel, those of its processes, and controller memory.
 *
 * QEMU makes a memory slot of each mapping, so that stores of the guest go to the
 * page.  The slot comes and goes with PCI_COMMAND and moves with the BAR; the
 * mapping stays.  What is not mapped for whatever reason arrives in ops->write.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <ernic/control.h>
#include <ernic/kvm.h>
#include <ernic/rdma.h>

#include "vfio.h"

#define ERNIC_VFIO_PGOFF_MASK	((1UL << (ERNIC_VFIO_SHIFT - PAGE_SHIFT)) - 1)

/* ---- regions ------------------------------------------------------------ */

struct ernic_vfio_area {
	u32 off, size;
};

#define ERNIC_VFIO_AREAS	2

/* what of a region can be mapped; how many areas */
static unsigned int ernic_vfio_areas(struct ernic_vfio *v, u64 index,
				     struct ernic_vfio_area *area)
{
	unsigned int n = 0;

	/* the pages of the device are of 4 KiB */
	if (PAGE_SIZE != ION_DB_PAGE_SIZE)
		return 0;
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		area[n++] = (struct ernic_vfio_area){ ION_INTR_CTRL_OFF,
						      PAGE_SIZE };
		break;
	case VFIO_PCI_BAR2_REGION_INDEX:
		/* two, as the guest's kernel may have the first page alone */
		if (v->edev->db_page0.mode != ERNIC_PAGE_TRAP)
			area[n++] = (struct ernic_vfio_area){ 0, PAGE_SIZE };
		if (v->edev->db_pages_mode != ERNIC_PAGE_TRAP)
			area[n++] = (struct ernic_vfio_area){
				PAGE_SIZE, ION_BAR2_SIZE - PAGE_SIZE
			};
		break;
	case VFIO_PCI_BAR4_REGION_INDEX:
		if (v->edev->cmb.on)
			area[n++] = (struct ernic_vfio_area){
				0, ION_CMB_REGIONS * ION_CMB_SIZE
			};
		break;
	}
	return n;
}

/**
 * ernic_vfio_sparse - say what can be mapped
 * @v: device
 * @info: region; its flags are changed
 * @caps: chain to add to
 *
 * Return: 0 or -ENOMEM.
 */
int ernic_vfio_sparse(struct ernic_vfio *v, struct vfio_region_info *info,
		      struct vfio_info_cap *caps)
{
	struct ernic_vfio_area area[ERNIC_VFIO_AREAS];
	struct vfio_region_info_cap_sparse_mmap *sparse;
	unsigned int i, n;
	size_t size;
	int err;

	n = ernic_vfio_areas(v, info->index, area);
	if (!n)
		return 0;
	size = struct_size(sparse, areas, n);
	sparse = kzalloc(size, GFP_KERNEL);
	if (!sparse)
		return -ENOMEM;
	sparse->header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP;
	sparse->header.version = 1;
	sparse->nr_areas = n;
	for (i = 0; i < n; i++) {
		sparse->areas[i].offset = area[i].off;
		sparse->areas[i].size = area[i].size;
	}
	err = vfio_info_add_capability(caps, &sparse->header, size);
	kfree(sparse);
	if (!err)
		info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	return err;
}

/* ---- mappings ----------------------------------------------------------- */

static vm_fault_t ernic_vfio_fault(struct vm_fault *vmf)
{
	struct ernic_vfio *v = vmf->vma->vm_private_data;
	struct ernic_dev *edev = v->edev;
	unsigned long pgoff = vmf->pgoff & ERNIC_VFIO_PGOFF_MASK;
	struct ernic_page *p;

	switch (vmf->pgoff >> (ERNIC_VFIO_SHIFT - PAGE_SHIFT)) {
	case VFIO_PCI_BAR2_REGION_INDEX:
		p = ernic_db_page_get(edev, pgoff);
		return p ? ernic_page_fault(p, vmf) : VM_FAULT_OOM;
	case VFIO_PCI_BAR4_REGION_INDEX:
		return ernic_cmb_fault(edev, pgoff, vmf);
	default:
		/* never unmapped again, so nothing can come between */
		ernic_intr_mapped(edev);
		return vmf_insert_page(vmf->vma, vmf->address,
				       edev->intr_page);
	}
}

static const struct vm_operations_struct ernic_vfio_vm_ops = {
	.fault = ernic_vfio_fault,
};

/**
 * ernic_vfio_mmap - map an area of a region
 * @vdev: device
 * @vma: a whole area, shared, not executable
 *
 * Return: 0 or -EINVAL.
 */
int ernic_vfio_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	u64 index = vma->vm_pgoff >> (ERNIC_VFIO_SHIFT - PAGE_SHIFT);
	unsigned long pgoff = vma->vm_pgoff & ERNIC_VFIO_PGOFF_MASK;
	struct ernic_vfio_area area[ERNIC_VFIO_AREAS];
	struct ernic_vfio *v = to_ernic_vfio(vdev);
	unsigned int i, n;

	n = ernic_vfio_areas(v, index, area);
	for (i = 0; i < n; i++)
		if (pgoff == area[i].off >> PAGE_SHIFT &&
		    vma_pages(vma) == area[i].size >> PAGE_SHIFT)
			break;
	if (i == n || !(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;

	/* not VM_PFNMAP, see page.c; set now, as a fault may not */
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY |
		     (index == VFIO_PCI_BAR2_REGION_INDEX ?
		      ernic_control_vm_flags() : VM_MIXEDMAP), VM_MAYEXEC);
	vma->vm_private_data = v;
	vma->vm_ops = &ernic_vfio_vm_ops;
	if (index == VFIO_PCI_BAR4_REGION_INDEX)
		WRITE_ONCE(v->edev->cmb.mapped, true);
	return 0;
}

/* ---- what the page asks for ---------------------------------------------- */

static void ernic_vfio_zap(struct ernic_dev *edev, struct ernic_page *p)
{
	struct ernic_vfio *v = edev->front.priv;
	loff_t pos = ERNIC_VFIO_POS(VFIO_PCI_BAR2_REGION_INDEX) +
		     ((loff_t)p->index << ION_DB_PAGE_SHIFT);

	unmap_mapping_range(v->vdev.inode->i_mapping, pos, PAGE_SIZE, 1);
}

static void ernic_vfio_zap_cmb(struct ernic_dev *edev, unsigned long pgoff)
{
	struct ernic_vfio *v = edev->front.priv;
	loff_t pos = ERNIC_VFIO_POS(VFIO_PCI_BAR4_REGION_INDEX) +
		     ((loff_t)pgoff << PAGE_SHIFT);

	unmap_mapping_range(v->vdev.inode->i_mapping, pos, PAGE_SIZE, 1);
}

static int ernic_vfio_track(struct ernic_dev *edev, struct ernic_page *p,
			    u64 *gfn)
{
	struct ernic_vfio *v = edev->front.priv;

	if (!v->tracking)
		return -EOPNOTSUPP;
	/* whatever else has that frame then is not ours */
	if (!ernic_cfg_memory_on(edev))
		return -ENODEV;
	*gfn = (ernic_cfg_bar(edev, 2) >> PAGE_SHIFT) + p->index;
	return v->kvm->track(&v->client, *gfn);
}

static void ernic_vfio_untrack(struct ernic_dev *edev, struct ernic_page *p,
			       u64 gfn)
{
	struct ernic_vfio *v = edev->front.priv;

	v->kvm->untrack(&v->client, gfn);
}

static void ernic_vfio_drain(struct ernic_dev *edev, struct ernic_page *p)
{
	struct ernic_vfio *v = edev->front.priv;

	v->kvm->drain(&v->client);
}

const struct ernic_page_ops ernic_vfio_page_ops = {
	.zap = ernic_vfio_zap,
	.track = ernic_vfio_track,
	.untrack = ernic_vfio_untrack,
	.drain = ernic_vfio_drain,
	.zap_cmb = ernic_vfio_zap_cmb,
};

static void ernic_vfio_written(struct ernic_kvm_client *c, u64 gpa,
			       const void *data, unsigned int len)
{
	struct ernic_vfio *v = container_of(c, struct ernic_vfio, client);

	ernic_db_pages_written(v->edev, gpa, data, len);
}

static void ernic_vfio_moved(struct ernic_kvm_client *c, u64 gfn, u64 n)
{
	struct ernic_vfio *v = container_of(c, struct ernic_vfio, client);

	ernic_db_pages_moved(v->edev, gfn, n);
}

/* ---- life cycle --------------------------------------------------------- */

/* the best that KVM and the administrator allow */
static enum ernic_page_mode ernic_vfio_mode(struct ernic_vfio *v)
{
	enum ernic_doorbell want = v->edev->doorbell;
	bool kvm = v->vdev.kvm;

	if (want == ERNIC_DOORBELL_TRAP)
		return ERNIC_PAGE_TRAP;
	if (kvm) {
		if (!v->kvm || v->kvm->confidential(v->vdev.kvm))
			return ERNIC_PAGE_TRAP;
		if (want != ERNIC_DOORBELL_FAULT) {
			v->client.written = ernic_vfio_written;
			v->client.moved = ernic_vfio_moved;
			v->tracking = !v->kvm->start(v->vdev.kvm, &v->client);
		}
	}
	if (v->tracking && want == ERNIC_DOORBELL_TRACK)
		return ERNIC_PAGE_TRACK;
	if (v->tracking)
		return ERNIC_PAGE_TRACK_ARM;
	/* RDMA queues share slots, and a fault is only the first of many values */
	if (want == ERNIC_DOORBELL_AUTO && ernic_rdma_offered(v->edev))
		return ERNIC_PAGE_TRAP;
	return want == ERNIC_DOORBELL_TRACK ? ERNIC_PAGE_TRAP :
					      ERNIC_PAGE_FAULT;
}

/* pages that are armed by faults, for whatever reason the doorbells are not */
static bool ernic_vfio_cmb(const struct ernic_vfio *v)
{
	if (!v->edev->profile.rdma_expdb || !ernic_rdma_offered(v->edev) ||
	    v->edev->doorbell == ERNIC_DOORBELL_TRAP ||
	    PAGE_SIZE != ION_CMB_PAGE_SIZE)
		return false;
	return !v->vdev.kvm || (v->kvm && !v->kvm->confidential(v->vdev.kvm));
}

/**
 * ernic_vfio_mmap_open - decide how doorbells arrive
 * @v: device, being opened by the VMM
 */
void ernic_vfio_mmap_open(struct ernic_vfio *v)
{
	if (v->vdev.kvm && v->edev->doorbell != ERNIC_DOORBELL_TRAP) {
		request_module("ernic_kvm");
		v->kvm = symbol_get(ernic_kvm_ops);
	}
	ernic_page_open(&v->edev->db_page0, ernic_vfio_mode(v));
	ernic_db_pages_open(v->edev, v->tracking && ernic_rdma_offered(v->edev) ?
				     ERNIC_PAGE_TRACK : ERNIC_PAGE_TRAP);
	if (ernic_vfio_cmb(v) && ernic_cmb_open(v->edev))
		ernic_warn(v->edev, "rdma_expdb: no memory, none is offered\n");
}

/**
 * ernic_vfio_mmap_close - undo ernic_vfio_mmap_open()
 * @v: device without mappings and workers
 */
void ernic_vfio_mmap_close(struct ernic_vfio *v)
{
	ernic_page_close(&v->edev->db_page0);
	ernic_db_pages_close(v->edev);
	if (v->tracking)
		v->kvm->stop(&v->client);
	v->tracking = false;
	if (v->kvm)
		symbol_put(ernic_kvm_ops);
	v->kvm = NULL;
	ernic_db_pages_free(v->edev);
	ernic_cmb_close(v->edev);
}
