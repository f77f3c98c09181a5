// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdp-drop IFNAME: drops all that the netdev receives, through generic XDP,
 * until it is killed.  Needs no BPF compiler.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	/* r0 = XDP_DROP; exit */
	static const struct bpf_insn prog[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0,
		  .imm = XDP_DROP },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	unsigned int ifindex;
	int fd;

	ifindex = argc == 2 ? if_nametoindex(argv[1]) : 0;
	if (!ifindex) {
		fprintf(stderr, "usage: xdp-drop IFNAME\n");
		return 2;
	}

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = (unsigned long)prog;
	attr.insn_cnt = sizeof(prog) / sizeof(*prog);
	attr.license = (unsigned long)"GPL";
	attr.expected_attach_type = BPF_XDP;
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0) {
		fprintf(stderr, "load: %s\n", strerror(errno));
		return 1;
	}

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = fd;
	attr.link_create.target_ifindex = ifindex;
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_SKB_MODE;
	if (bpf(BPF_LINK_CREATE, &attr) < 0) {
		fprintf(stderr, "attach: %s\n", strerror(errno));
		return 1;
	}
	/* the link goes with its last descriptor */
	pause();
	return 0;
}
