// SPDX-License-Identifier: GPL-2.0-only
/*
 * ernic_loop: puts emulated functions on a PCI bus of the kernel they run in,
 * so that the unmodified guest driver binds to them.  ARCH=um only: there each
 * access to a register is a call that this module receives
 * (lib/logic_iomem.c), a DMA address is a physical address, and the MSI-X
 * message of UML's own domain is the Linux interrupt number.
 *
 * For tests.  Guest and device trust each other with the whole memory.
 */
#include <linux/bitmap.h>
#include <linux/device/faux.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/logic_iomem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <ernic/dev.h>
#include <ernic/rdma.h>

#define LOOP_MAX_DEVICES	2
#define LOOP_BUS		1
/* above any memory that a UML kernel is started with, below UML's own window */
#define LOOP_WINDOW_START	0xd0000000
#define LOOP_WINDOW_SIZE	0x10000000

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "functions on the bus, 1 or 2 (default 1)");

static char *profile = "small-vm";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "NIC profile (default small-vm; UML has 32 MSI-X vectors in total)");

static char *offloads = "";
module_param(offloads, charp, 0444);
MODULE_PARM_DESC(offloads, "none or all (default: the profile's)");

static char *steering = "";
module_param(steering, charp, 0444);
MODULE_PARM_DESC(steering, "fnv1a or toeplitz (default: the profile's)");

static unsigned short eth_queues;
module_param(eth_queues, ushort, 0444);
MODULE_PARM_DESC(eth_queues, "Ethernet queue pairs (default: the profile's)");

static char *rdma = "";
module_param(rdma, charp, 0444);
MODULE_PARM_DESC(rdma, "none or loopback (default loopback)");

static char *rdma_domain[LOOP_MAX_DEVICES] = { "", "" };
module_param_array(rdma_domain, charp, NULL, 0444);
MODULE_PARM_DESC(rdma_domain, "domain of each function (default: the same)");

static unsigned short rdma_version;
module_param(rdma_version, ushort, 0444);
MODULE_PARM_DESC(rdma_version, "opcode set of RDMA send queues, 1 or 2 (default: the profile's)");

static unsigned int rdma_mrs;
module_param(rdma_mrs, uint, 0444);
MODULE_PARM_DESC(rdma_mrs, "RDMA memory regions (default: the profile's)");

/**
 * struct loop_bar - memory BAR of a function
 * @index: BAR number
 */
struct loop_bar {
	struct loop_fn *fn;
	unsigned int index;
	u32 size;
};

/* a configuration write that came in atomic context */
struct loop_cfg_write {
	struct kthread_work work;
	struct loop_fn *fn;
	__le32 val;
	u16 where;
	u8 size;
};

/**
 * struct loop_fn - one function
 * @worker: stands in for the interrupt controller: delivers @pending
 * @pending: vectors to deliver
 */
struct loop_fn {
	struct faux_device *faux;
	struct ernic_dev *edev;
	bool group;
	struct loop_bar bar[2];
	struct kthread_worker *worker;
	struct kthread_work irq_work;
	DECLARE_BITMAP(pending, ION_MSIX_VECTORS);
};

static struct loop_fn *loop_fns[LOOP_MAX_DEVICES];
static struct faux_device *loop_root;
static struct pci_host_bridge *loop_bridge;

/* ---- guest memory ------------------------------------------------------- */

/* Memory that a driver can have got from an allocator: neither I/O nor kernel. */
static struct page *loop_page(u64 iova)
{
	u64 pfn = iova >> PAGE_SHIFT;
	struct page *page;

	if (pfn > ULONG_MAX || !pfn_valid(pfn))
		return NULL;
	page = pfn_to_page(pfn);
	return PageReserved(page) ? NULL : page;
}

static int loop_pin(struct ernic_dev *edev, u64 iova, unsigned int npage,
		    struct page **pages)
{
	unsigned int i;

	for (i = 0; i < npage; i++) {
		pages[i] = loop_page(iova + (u64)i * PAGE_SIZE);
		if (!pages[i])
			return -EFAULT;
	}
	return 0;
}

static void loop_unpin(struct ernic_dev *edev, u64 iova, unsigned int npage)
{
}

static int loop_rw(struct ernic_dev *edev, u64 iova, void *buf, size_t len,
		   bool write)
{
	while (len) {
		size_t off = offset_in_page(iova);
		size_t n = min_t(size_t, len, PAGE_SIZE - off);
		struct page *page = loop_page(iova);

		if (!page)
			return -EFAULT;
		if (write)
			memcpy(page_address(page) + off, buf, n);
		else
			memcpy(buf, page_address(page) + off, n);
		buf += n;
		iova += n;
		len -= n;
	}
	return 0;
}

static const struct ernic_dma_ops loop_dma_ops = {
	.pin = loop_pin,
	.unpin = loop_unpin,
	.rw = loop_rw,
};

/* ---- interrupts --------------------------------------------------------- */

/*
 * Never from the caller: it may be inside a register store that the driver made
 * under the lock that its interrupt handler takes.
 */
static void loop_signal(struct ernic_dev *edev, unsigned int vec)
{
	struct loop_fn *fn = edev->front.priv;

	set_bit(vec, fn->pending);
	kthread_queue_work(fn->worker, &fn->irq_work);
}

static const struct ernic_irq_ops loop_irq_ops = {
	.signal = loop_signal,
};

static void loop_irq_work(struct kthread_work *work)
{
	struct loop_fn *fn = container_of(work, struct loop_fn, irq_work);
	unsigned int vec;
	u64 addr;
	u32 irq;

	/* the message of UML's MSI domain is the interrupt number */
	for_each_set_bit(vec, fn->pending, ION_MSIX_VECTORS) {
		if (!test_and_clear_bit(vec, fn->pending))
			continue;
		if (!ernic_msix_message(fn->edev, vec, &addr, &irq))
			continue;
		/* NAPI runs when bottom halves come back on */
		local_bh_disable();
		generic_handle_irq_safe(irq);
		local_bh_enable();
	}
}

/* ---- BARs --------------------------------------------------------------- */

static bool loop_bar_ok(const struct loop_bar *bar, unsigned int off,
			unsigned int len)
{
	return off < bar->size && len <= bar->size - off;
}

static unsigned long loop_bar_read(void *priv, unsigned int off, int size)
{
	struct loop_bar *bar = priv;

	if (!loop_bar_ok(bar, off, size))
		return ULONG_MAX;
	return ernic_bar_read(bar->fn->edev, bar->index, off, size);
}

static void loop_bar_write(void *priv, unsigned int off, int size,
			   unsigned long val)
{
	struct loop_bar *bar = priv;

	if (loop_bar_ok(bar, off, size))
		ernic_bar_write(bar->fn->edev, bar->index, off, size, val);
}

/* size of the next access of a block copy: what a CPU would do */
static unsigned int loop_step(unsigned int off, int left)
{
	return IS_ALIGNED(off, 4) && left >= 4 ? 4 : 1;
}

static void loop_bar_copy_from(void *priv, void *buffer, unsigned int off,
			       int size)
{
	unsigned int n;
	__le32 val;

	for (; size; size -= n, off += n, buffer += n) {
		n = loop_step(off, size);
		val = cpu_to_le32(loop_bar_read(priv, off, n));
		memcpy(buffer, &val, n);
	}
}

static void loop_bar_copy_to(void *priv, unsigned int off, const void *buffer,
			     int size)
{
	unsigned int n;
	__le32 val;

	for (; size; size -= n, off += n, buffer += n) {
		n = loop_step(off, size);
		val = 0;
		memcpy(&val, buffer, n);
		loop_bar_write(priv, off, n, le32_to_cpu(val));
	}
}

static void loop_bar_set(void *priv, unsigned int off, u8 value, int size)
{
	unsigned int n;

	for (; size; size -= n, off += n) {
		n = loop_step(off, size);
		loop_bar_write(priv, off, n, value * (n == 4 ? 0x01010101u : 1));
	}
}

static const struct logic_iomem_ops loop_bar_ops = {
	.read = loop_bar_read,
	.write = loop_bar_write,
	.set = loop_bar_set,
	.copy_from = loop_bar_copy_from,
	.copy_to = loop_bar_copy_to,
};

/* ioremap(): any part of one BAR */
static long loop_map(unsigned long offset, size_t size,
		     const struct logic_iomem_ops **ops, void **priv)
{
	u64 pa = LOOP_WINDOW_START + offset;
	unsigned int i, b;

	for (i = 0; i < devices; i++) {
		struct loop_fn *fn = loop_fns[i];

		if (!fn)
			continue;
		for (b = 0; b < ARRAY_SIZE(fn->bar); b++) {
			struct loop_bar *bar = &fn->bar[b];
			u64 base = ernic_cfg_bar(fn->edev, bar->index);

			if (!base || pa < base || pa - base >= bar->size ||
			    size > bar->size - (pa - base))
				continue;
			*ops = &loop_bar_ops;
			*priv = bar;
			return pa - base;
		}
	}
	return -ENOENT;
}

/*
 * A region can be added to logic_iomem and never be removed.  What its list
 * points to therefore outlives this module; loop_window_remove() leaves it as
 * a range that matches nothing.
 */
struct loop_window {
	struct resource res;
	struct logic_iomem_region_ops ops;
};

static struct loop_window *loop_window;

static int loop_window_add(void)
{
	int err;

	loop_window = kzalloc_obj(*loop_window);
	if (!loop_window)
		return -ENOMEM;
	loop_window->res = DEFINE_RES_MEM_NAMED(LOOP_WINDOW_START,
						LOOP_WINDOW_SIZE,
						"ernic_loop");
	loop_window->ops.map = loop_map;
	err = logic_iomem_add_region(&loop_window->res, &loop_window->ops);
	if (err)
		kfree(loop_window);
	return err;
}

static void loop_window_remove(void)
{
	release_resource(&loop_window->res);
	loop_window->res.name = NULL;
	WRITE_ONCE(loop_window->res.start, RESOURCE_SIZE_MAX);
	WRITE_ONCE(loop_window->res.end, 0);
	loop_window->ops.map = NULL;
}

/* ---- configuration space ------------------------------------------------ */

static struct loop_fn *loop_fn_at(unsigned int devfn)
{
	if (PCI_FUNC(devfn) || PCI_SLOT(devfn) >= devices)
		return NULL;
	return loop_fns[PCI_SLOT(devfn)];
}

static int loop_cfg_read(struct pci_bus *bus, unsigned int devfn, int where,
			 int size, u32 *val)
{
	struct loop_fn *fn = loop_fn_at(devfn);
	__le32 v = 0;

	if (!fn) {
		PCI_SET_ERROR_RESPONSE(val);
		return PCIBIOS_DEVICE_NOT_FOUND;
	}
	ernic_cfg_read(fn->edev, where, &v, size);
	*val = le32_to_cpu(v);
	return PCIBIOS_SUCCESSFUL;
}

static void loop_cfg_write_work(struct kthread_work *work)
{
	struct loop_cfg_write *w = container_of(work, struct loop_cfg_write,
						work);

	ernic_cfg_write(w->fn->edev, w->where, &w->val, w->size);
	kfree(w);
}

static int loop_cfg_write(struct pci_bus *bus, unsigned int devfn, int where,
			  int size, u32 val)
{
	struct loop_fn *fn = loop_fn_at(devfn);
	__le32 v = cpu_to_le32(val);
	struct loop_cfg_write *w;

	if (!fn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (!irqs_disabled()) {
		ernic_cfg_write(fn->edev, where, &v, size);
		return PCIBIOS_SUCCESSFUL;
	}
	/* a write of user space, with pci_lock held; a reset has to sleep */
	w = kzalloc_obj(*w, GFP_ATOMIC);
	if (!w)
		return PCIBIOS_SET_FAILED;
	kthread_init_work(&w->work, loop_cfg_write_work);
	w->fn = fn;
	w->val = v;
	w->where = where;
	w->size = size;
	kthread_queue_work(fn->worker, &w->work);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops loop_pci_ops = {
	.read = loop_cfg_read,
	.write = loop_cfg_write,
};

/* ---- functions ---------------------------------------------------------- */

static int loop_profile(struct ernic_profile *p)
{
	const struct ernic_profile *found = ernic_profile_find(profile);
	int i;

	if (!found)
		return -EINVAL;
	*p = *found;
	if (*offloads) {
		static const char * const names[] = {
			[ERNIC_OFFLOADS_NONE] = "none",
			[ERNIC_OFFLOADS_ALL] = "all",
		};

		i = match_string(names, ARRAY_SIZE(names), offloads);
		if (i < 0)
			return i;
		p->offloads = i;
	}
	if (*steering) {
		static const char * const names[] = {
			[ERNIC_STEER_FNV1A] = "fnv1a",
			[ERNIC_STEER_TOEPLITZ] = "toeplitz",
		};

		i = match_string(names, ARRAY_SIZE(names), steering);
		if (i < 0)
			return i;
		p->steering = i;
	}
	if (eth_queues > ERNIC_MAX_PAIRS)
		return -EINVAL;
	if (eth_queues)
		p->eth_queues = eth_queues;
	if (rdma_version > 2)
		return -EINVAL;
	if (rdma_version)
		p->rdma_version = rdma_version;
	if (rdma_mrs)
		p->rdma_mrs = rdma_mrs;
	return 0;
}

static void loop_fn_destroy(struct loop_fn *fn)
{
	if (fn->edev) {
		ernic_dev_close(fn->edev);
		kthread_flush_worker(fn->worker);
		if (fn->group)
			device_remove_group(&fn->faux->dev,
					    &ernic_dev_attr_group);
		ernic_dev_destroy(fn->edev);
	}
	if (fn->worker)
		kthread_destroy_worker(fn->worker);
	faux_device_destroy(fn->faux);
	kfree(fn);
}

/* what attributes are for elsewhere: here a function is open from the beginning */
static int loop_rdma(struct ernic_dev *edev, unsigned int index)
{
	int err = 0;

	mutex_lock(&edev->state_lock);
	if (*rdma)
		err = ernic_rdma_set_backend(edev, rdma);
	if (!err)
		err = ernic_rdma_set_domain(edev, rdma_domain[index]);
	mutex_unlock(&edev->state_lock);
	return err;
}

static struct loop_fn *loop_fn_create(unsigned int index,
				      const struct ernic_profile *p)
{
	/* one UUID a slot, so that addresses stay the same over reloads */
	uuid_t uuid = UUID_INIT(0x1dd81002, 0x5400, 0x4c00,
				0x80, 0x00, 0x6c, 0x6f, 0x6f, 0x70, 0x00, index);
	struct ernic_front front = {
		.dma = &loop_dma_ops,
		.irq = &loop_irq_ops,
		.owner = THIS_MODULE,
		.msix_emulated = true,
	};
	struct ernic_dev *edev;
	struct loop_fn *fn;
	char name[16];
	int err;

	fn = kzalloc_obj(*fn);
	if (!fn)
		return ERR_PTR(-ENOMEM);
	fn->bar[0] = (struct loop_bar){ fn, 0, ION_BAR0_SIZE };
	fn->bar[1] = (struct loop_bar){ fn, 2, ION_BAR2_SIZE };
	kthread_init_work(&fn->irq_work, loop_irq_work);

	snprintf(name, sizeof(name), "ernic_loop.%u", index);
	fn->faux = faux_device_create(name, NULL, NULL);
	if (!fn->faux) {
		kfree(fn);
		return ERR_PTR(-ENODEV);
	}
	fn->worker = kthread_run_worker(0, "ernic_loop/%u", index);
	if (IS_ERR(fn->worker)) {
		err = PTR_ERR(fn->worker);
		fn->worker = NULL;
		goto fail;
	}
	/* like an interrupt: before any other thread */
	sched_set_fifo(fn->worker->task);

	front.dev = &fn->faux->dev;
	front.priv = fn;
	edev = ernic_dev_create(&front, &uuid, p);
	if (IS_ERR(edev)) {
		err = PTR_ERR(edev);
		goto fail;
	}
	fn->edev = edev;
	err = loop_rdma(edev, index);
	if (err)
		goto fail;
	err = device_add_group(front.dev, &ernic_dev_attr_group);
	if (err)
		goto fail;
	fn->group = true;
	err = ernic_dev_open(edev);
	if (err)
		goto fail;
	return fn;
fail:
	loop_fn_destroy(fn);
	return ERR_PTR(err);
}

static void loop_fns_destroy(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loop_fns); i++) {
		if (loop_fns[i])
			loop_fn_destroy(loop_fns[i]);
		loop_fns[i] = NULL;
	}
}

static struct resource loop_busn = {
	.name = "ernic_loop",
	.start = LOOP_BUS,
	.end = LOOP_BUS,
	.flags = IORESOURCE_BUS,
};

static int __init loop_init(void)
{
	struct ernic_profile p;
	unsigned int i;
	int err;

	if (!devices || devices > LOOP_MAX_DEVICES)
		return -EINVAL;
	err = loop_profile(&p);
	if (err)
		return err;

	loop_root = faux_device_create("ernic_loop", NULL, NULL);
	if (!loop_root)
		return -ENODEV;

	for (i = 0; i < devices; i++) {
		struct loop_fn *fn = loop_fn_create(i, &p);

		if (IS_ERR(fn)) {
			err = PTR_ERR(fn);
			goto err_fns;
		}
		loop_fns[i] = fn;
	}

	err = loop_window_add();
	if (err)
		goto err_fns;

	loop_bridge = pci_alloc_host_bridge(0);
	if (!loop_bridge) {
		err = -ENOMEM;
		goto err_window;
	}
	loop_bridge->dev.parent = &loop_root->dev;
	loop_bridge->ops = &loop_pci_ops;
	loop_bridge->busnr = LOOP_BUS;
	pci_add_resource(&loop_bridge->windows, &loop_window->res);
	pci_add_resource(&loop_bridge->windows, &loop_busn);
	err = pci_host_probe(loop_bridge);
	if (err)
		goto err_bridge;
	return 0;

err_bridge:
	pci_free_host_bridge(loop_bridge);
err_window:
	loop_window_remove();
err_fns:
	loop_fns_destroy();
	faux_device_destroy(loop_root);
	return err;
}

/*
 * A page pool of the driver may live on after it, as long as a socket holds a
 * frame, and unmaps its pages from the device in the end.  It does not hold the
 * device: elsewhere it knows its mappings and undoes them in time, but on UML a
 * page has no room for the index (linux/mm.h:PP_DMA_INDEX_BITS is 0).  So the
 * devices are never freed.
 */
static void loop_keep_devices(void)
{
	struct pci_dev *pdev;

	list_for_each_entry(pdev, &loop_bridge->bus->devices, bus_list)
		kmemleak_not_leak(pci_dev_get(pdev));
}

static void __exit loop_exit(void)
{
	loop_keep_devices();
	pci_lock_rescan_remove();
	pci_stop_root_bus(loop_bridge->bus);
	pci_remove_root_bus(loop_bridge->bus);
	pci_unlock_rescan_remove();
	pci_free_host_bridge(loop_bridge);
	loop_window_remove();
	loop_fns_destroy();
	faux_device_destroy(loop_root);
}

module_init(loop_init);
module_exit(loop_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ernic functions on a PCI bus of this UML kernel (tests)");
