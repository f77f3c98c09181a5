// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write tracking of doorbell pages, for ernic_host.ko (include/ernic/kvm.h).
 *
 * KVM's interface for it is built only where CONFIG_KVM_EXTERNAL_WRITE_TRACKING is
 * on, which has no prompt: Debian's kernels have it through i915's GVT, its cloud
 * kernels do not.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include <ernic/kvm.h>

#if IS_ENABLED(CONFIG_KVM)
#include <linux/kvm_host.h>
#endif

static bool ernic_kvm_confidential(struct kvm *kvm)
{
#if defined(CONFIG_X86) && IS_ENABLED(CONFIG_KVM)
	/* SEV of the first kind has the default type; nobody can tell */
	return kvm->arch.vm_type != KVM_X86_DEFAULT_VM;
#else
	return true;
#endif
}

#ifdef CONFIG_KVM_EXTERNAL_WRITE_TRACKING
#include <asm/kvm_page_track.h>

struct ernic_kvm_node {
	struct kvm_page_track_notifier_node node;
	struct ernic_kvm_client *client;
	struct kvm *kvm;
};

static void ernic_kvm_write(gpa_t gpa, const u8 *new, int bytes,
			    struct kvm_page_track_notifier_node *node)
{
	struct ernic_kvm_node *n = container_of(node, struct ernic_kvm_node,
						node);

	n->client->written(n->client, gpa, new, bytes);
}

static void ernic_kvm_remove(gfn_t gfn, unsigned long nr_pages,
			     struct kvm_page_track_notifier_node *node)
{
	struct ernic_kvm_node *n = container_of(node, struct ernic_kvm_node,
						node);

	n->client->moved(n->client, gfn, nr_pages);
}

static int ernic_kvm_start(struct kvm *kvm, struct ernic_kvm_client *c)
{
	struct ernic_kvm_node *n;
	int err, idx;

	n = kzalloc_obj(*n, GFP_KERNEL_ACCOUNT);
	if (!n)
		return -ENOMEM;
	n->client = c;
	n->kvm = kvm;
	n->node.track_write = ernic_kvm_write;
	n->node.track_remove_region = ernic_kvm_remove;
	c->priv = n;
	/* it looks at the memory slots, and does not see to it that it may */
	idx = srcu_read_lock(&kvm->srcu);
	err = kvm_page_track_register_notifier(kvm, &n->node);
	srcu_read_unlock(&kvm->srcu, idx);
	if (err) {
		c->priv = NULL;
		kfree(n);
	}
	return err;
}

static void ernic_kvm_stop(struct ernic_kvm_client *c)
{
	struct ernic_kvm_node *n = c->priv;

	kvm_page_track_unregister_notifier(n->kvm, &n->node);
	c->priv = NULL;
	kfree(n);
}

static int ernic_kvm_track(struct ernic_kvm_client *c, u64 gfn)
{
	struct ernic_kvm_node *n = c->priv;

	return kvm_write_track_add_gfn(n->kvm, gfn);
}

static void ernic_kvm_untrack(struct ernic_kvm_client *c, u64 gfn)
{
	struct ernic_kvm_node *n = c->priv;

	kvm_write_track_remove_gfn(n->kvm, gfn);
}

static void ernic_kvm_drain(struct ernic_kvm_client *c)
{
	struct ernic_kvm_node *n = c->priv;

	/* a vCPU holds it from its exit to its entry, emulation included */
	synchronize_srcu_expedited(&n->kvm->srcu);
}
#else
static int ernic_kvm_start(struct kvm *kvm, struct ernic_kvm_client *c)
{
	return -EOPNOTSUPP;
}

static void ernic_kvm_stop(struct ernic_kvm_client *c)
{
}

static int ernic_kvm_track(struct ernic_kvm_client *c, u64 gfn)
{
	return -EOPNOTSUPP;
}

static void ernic_kvm_untrack(struct ernic_kvm_client *c, u64 gfn)
{
}

static void ernic_kvm_drain(struct ernic_kvm_client *c)
{
}
#endif

const struct ernic_kvm_ops ernic_kvm_ops = {
	.confidential = ernic_kvm_confidential,
	.start = ernic_kvm_start,
	.stop = ernic_kvm_stop,
	.track = ernic_kvm_track,
	.untrack = ernic_kvm_untrack,
	.drain = ernic_kvm_drain,
};
EXPORT_SYMBOL_GPL(ernic_kvm_ops);

MODULE_DESCRIPTION("Write tracking by KVM for ernic_host");
MODULE_AUTHOR("The ernic authors");
MODULE_LICENSE("GPL");
