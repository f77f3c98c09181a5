/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest of the kvm tests, in long mode.  rdi: its struct guest_arg, whose offsets
 * stand in kvm.h.
 */
	.section .rodata
	.balign	16
	.globl	guest_code, guest_code_end
guest_code:
	mov	0x28(%rdi), %rbx
1:	cmpq	$0, 0x20(%rdi)
	je	9f
	decq	0x20(%rdi)
	/* the doorbell */
	inc	%rbx
	mov	%rbx, %rax
	and	0x10(%rdi), %rax
	or	0x08(%rdi), %rax
	mov	0x00(%rdi), %rdx
	mov	%rax, (%rdx)
	mov	%rbx, 0x28(%rdi)
	/* the interrupt */
	testq	$2, 0x50(%rdi)
	jz	3f
	mov	0x60(%rdi), %rax
2:	cmp	0x58(%rdi), %rax
	je	2b
	inc	%rax
	mov	%rax, 0x60(%rdi)
	/* the completion: colour 1 in even laps of the ring */
3:	testq	$1, 0x50(%rdi)
	jz	5f
	lea	-1(%rbx), %rax
	mov	0x10(%rdi), %rcx
	mov	%rcx, %rdx
	inc	%rdx
	and	%rax, %rcx
	shl	$4, %rcx
	add	0x18(%rdi), %rcx
	test	%rax, %rdx
	setz	%al
	shl	$7, %al
4:	mov	15(%rcx), %dl
	and	$0x80, %dl
	cmp	%al, %dl
	jne	4b
	/* one credit, unmask */
	testq	$2, 0x50(%rdi)
	jz	5f
	mov	0x68(%rdi), %rdx
	movl	$0x10001, (%rdx)
	/* pause */
5:	mov	0x48(%rdi), %rax
	mov	$6364136223846793005, %rdx
	imul	%rdx, %rax
	inc	%rax
	mov	%rax, 0x48(%rdi)
	mov	0x38(%rdi), %rcx
	bt	$63, %rax
	jc	6f
	mov	0x40(%rdi), %rcx
6:	shr	$32, %rax
	and	%rax, %rcx
	add	0x30(%rdi), %rcx
	jz	1b
	rdtsc
	shl	$32, %rdx
	or	%rax, %rdx
	mov	%rdx, %r8
7:	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%r8, %rax
	cmp	%rcx, %rax
	jb	7b
	jmp	1b
9:	hlt
	jmp	9b
guest_code_end:

	.section .note.GNU-stack,"",@progbits
