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
 * Now and then QEMU finds the guest's page tables not present, in the first instruction
 * after VMRUN, with control registers that are right: a page fault, whose entry in the
 * IDT is not found either, and so a triple fault.  None of that has changed the guest, so
 * it may try again where it was: the exit becomes one for an interrupt, which asks
 * nothing of KVM.  A guest whose triple fault is its own has it again in the same place,
 * and ends with what its processor was doing in the log, for who looks for the reason
 * and for the runner of the tests (vm-run.sh).
 *
 * More rarely a CPU of the host VM sleeps in HLT with interrupts enabled and pending, and
 * nothing wakes it: as if its global interrupt flag had stayed clear, which CLGI clears
 * before a VMRUN.  A CPU that is about to sleep sets it once more.
 *
 * A CPU of QEMU can run translated code for a while that another CPU has overwritten,
 * and so meet the breakpoint of a patched text (a static key, a static call) when the
 * patching is over: "Oops: int3" at an address with no breakpoint.  It tries again.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>
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

/* an instruction that ended so this often in a row is the guest's doing */
#define SVMFIX_RETRIES	3

static unsigned long retried;
module_param(retried, ulong, 0444);
MODULE_PARM_DESC(retried, "triple faults of guests that were tried again");

static DEFINE_SPINLOCK(svmfix_lock);
static const struct vmcb *last_vmcb;
static u64 last_rip;
static unsigned int repeated;

static bool svmfix_retry(const struct vmcb *vmcb)
{
	bool retry;

	spin_lock(&svmfix_lock);
	if (vmcb != last_vmcb || vmcb->save.rip != last_rip)
		repeated = 0;
	last_vmcb = vmcb;
	last_rip = vmcb->save.rip;
	retry = repeated++ < SVMFIX_RETRIES;
	if (retry)
		retried++;
	spin_unlock(&svmfix_lock);
	return retry;
}

static void svmfix_shutdown(struct kvm_vcpu *vcpu, struct vmcb *vmcb)
{
	const struct vmcb_save_area *s = &vmcb->save;
	/* the host's state in the guest's place: nothing is left to go back to */
	bool retry = s->cr3 != __read_cr3() && svmfix_retry(vmcb);

	pr_warn("lab_svmfix: %s of a guest, CPU %d: rip %llx rsp %llx cr0 %llx cr2 %llx cr3 %llx (the host's: %lx) cr4 %llx efer %llx cs %x idt %llx event %x info %llx %llx\n",
		retry ? "retry after a fault" : "triple fault", vcpu->vcpu_id,
		s->rip, s->rsp, s->cr0, s->cr2, s->cr3, __read_cr3(), s->cr4,
		s->efer, s->cs.selector, s->idtr.base,
		vmcb->control.exit_int_info, vmcb->control.exit_info_1,
		vmcb->control.exit_info_2);
	if (!retry)
		return;
	vmcb->control.exit_code = SVM_EXIT_INTR;
	/* the page fault, that KVM has queued to deliver it once more */
	vmcb->control.exit_int_info = 0;
	vcpu->arch.exception.injected = false;
}

static void svmfix_vcpu(struct kvm_vcpu *vcpu)
{
	struct vmcb *vmcb = *(struct vmcb **)(vcpu + 1);
	u32 info;

	if (vmcb->control.exit_code == SVM_EXIT_SHUTDOWN)
		svmfix_shutdown(vcpu, vmcb);
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

static void svmfix_idle(void *data, unsigned int state, unsigned int cpu)
{
	u32 lo, hi;

	if (state == PWR_EVENT_EXIT)
		return;
	/* the names of the helpers change from kernel to kernel */
	asm volatile("rdmsr" : "=a" (lo), "=d" (hi) : "c" (MSR_EFER));
	if (lo & EFER_SVME)
		asm volatile("stgi");
}

static int __init svmfix_init(void)
{
	int err = register_die_notifier(&svmfix_die_nb);

	if (err)
		return err;
	err = register_trace_cpu_idle(svmfix_idle, NULL);
	if (err)
		goto err_die;
	err = svmfix_register();
	if (err)
		goto err_idle;
	return 0;

err_idle:
	unregister_trace_cpu_idle(svmfix_idle, NULL);
	tracepoint_synchronize_unregister();
err_die:
	unregister_die_notifier(&svmfix_die_nb);
	return err;
}
module_init(svmfix_init);

static void __exit svmfix_cleanup(void)
{
	svmfix_unregister();
	unregister_trace_cpu_idle(svmfix_idle, NULL);
	tracepoint_synchronize_unregister();
	unregister_die_notifier(&svmfix_die_nb);
}
module_exit(svmfix_cleanup);

MODULE_DESCRIPTION("What kernels do not expect of QEMU's TCG");
MODULE_LICENSE("GPL");
