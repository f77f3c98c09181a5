// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps guests alive in a host VM whose SVM is emulated by QEMU (TCG).
 *
 * QEMU notes each exception of a guest in EVENTINJ while it delivers it, clears the
 * valid bit afterwards and leaves the rest; the next exit copies that to EXITINTINFO
 * (target/i386/tcg: seg_helper.c:handle_even_inj, svm_helper.c:do_vmexit).  KVM asks
 * for the type, not for the valid bit, before it emulates
 * (arch/x86/kvm/svm/svm.c:svm_check_emulate_instruction).  So a guest whose page fault
 * is followed by an MMIO access with no exit in between is stopped: "KVM internal
 * error. Suberror: 3".  No processor does that.  Here an EXITINTINFO that is not
 * valid becomes zero before KVM looks.
 *
 * The pointer to the VMCB follows struct kvm_vcpu in struct vcpu_svm, whose
 * definition is not in the kernel's headers.
 */
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <asm/svm.h>

static unsigned long fixed;
module_param(fixed, ulong, 0444);
MODULE_PARM_DESC(fixed, "exits that KVM would have taken for an event in delivery");

static void svmfix_vcpu(struct kvm_vcpu *vcpu)
{
	struct vmcb *vmcb = *(struct vmcb **)(vcpu + 1);
	u32 info = vmcb->control.exit_int_info;

	if (info && !(info & SVM_EXITINTINFO_VALID)) {
		vmcb->control.exit_int_info = 0;
		if (info & SVM_EXITINTINFO_TYPE_MASK)
			fixed++;
	}
}

#ifdef CONFIG_KPROBES
static int svmfix_exit(struct kprobe *p, struct pt_regs *regs)
{
	svmfix_vcpu((void *)regs->di);
	return 0;
}

static struct kprobe svmfix_probe = {
	.symbol_name = "svm_handle_exit",
	.pre_handler = svmfix_exit,
};

static int svmfix_register(void)
{
	return register_kprobe(&svmfix_probe);
}

static void svmfix_unregister(void)
{
	unregister_kprobe(&svmfix_probe);
}
#else
/* the lab's debug kernel; the probe of svm_vcpu_run() after VMRUN */
extern struct tracepoint __tracepoint_kvm_exit;

static void svmfix_exit(void *data, struct kvm_vcpu *vcpu, u32 isa)
{
	svmfix_vcpu(vcpu);
}

static int svmfix_register(void)
{
	return tracepoint_probe_register(&__tracepoint_kvm_exit, svmfix_exit,
					 NULL);
}

static void svmfix_unregister(void)
{
	tracepoint_probe_unregister(&__tracepoint_kvm_exit, svmfix_exit, NULL);
	tracepoint_synchronize_unregister();
}
#endif

static int __init svmfix_init(void)
{
	return svmfix_register();
}
module_init(svmfix_init);

static void __exit svmfix_cleanup(void)
{
	svmfix_unregister();
}
module_exit(svmfix_cleanup);

MODULE_DESCRIPTION("EXITINTINFO of QEMU's TCG as KVM expects it");
MODULE_LICENSE("GPL");
