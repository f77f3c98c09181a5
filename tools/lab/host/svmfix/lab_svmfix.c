// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps a host VM that is emulated by QEMU (TCG), and its guests, alive.
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
 *
 * A CPU of QEMU can run translated code for a while that another CPU has overwritten,
 * and so meet the breakpoint of a patched text (a static key, a static call) when the
 * patching is over: "Oops: int3" at an address with no breakpoint.  It tries again.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <asm/svm.h>
#include <asm/text-patching.h>

static unsigned long fixed;
module_param(fixed, ulong, 0444);
MODULE_PARM_DESC(fixed, "exits that KVM would have taken for an event in delivery");

static unsigned long stale;
module_param(stale, ulong, 0444);
MODULE_PARM_DESC(stale, "breakpoints that were not there any more");

static int svmfix_die(struct notifier_block *nb, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;

	if (what != DIE_INT3 || user_mode(regs) ||
	    *(u8 *)(regs->ip - INT3_INSN_SIZE) == INT3_INSN_OPCODE)
		return NOTIFY_DONE;
	regs->ip -= INT3_INSN_SIZE;
	stale++;
	return NOTIFY_STOP;
}

static struct notifier_block svmfix_die_nb = { .notifier_call = svmfix_die };

static void svmfix_vcpu(struct kvm_vcpu *vcpu)
{
	struct vmcb *vmcb = *(struct vmcb **)(vcpu + 1);
	u32 info;

	info = vmcb->control.exit_int_info;
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
	int err = register_die_notifier(&svmfix_die_nb);

	if (err)
		return err;
	err = svmfix_register();
	if (err)
		unregister_die_notifier(&svmfix_die_nb);
	return err;
}
module_init(svmfix_init);

static void __exit svmfix_cleanup(void)
{
	svmfix_unregister();
	unregister_die_notifier(&svmfix_die_nb);
}
module_exit(svmfix_cleanup);

MODULE_DESCRIPTION("What kernels do not expect of QEMU's TCG");
MODULE_LICENSE("GPL");
