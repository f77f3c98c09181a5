/* SPDX-License-Identifier: GPL-2.0-only */
/* In the place of drivers/ernic/trace.h: the harness listens to commands. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

struct ernic_dev;
void fuzz_command(struct ernic_dev *edev, unsigned char opcode,
		  unsigned char status, bool regs);

void fuzz_rdma_command(struct ernic_dev *edev, unsigned char opcode,
		       unsigned char status);

#define trace_ernic_devcmd(e, o, s)	fuzz_command(e, o, s, true)
#define trace_ernic_adminq(e, o, s)	fuzz_command(e, o, s, false)
#define trace_ernic_rdma_admin(e, o, s)	fuzz_rdma_command(e, o, s)
#define trace_ernic_doorbell(...)	do { } while (0)
#define trace_ernic_page(...)		do { } while (0)
#define trace_ernic_irq(...)		do { } while (0)
#define trace_ernic_tx(...)		do { } while (0)
#define trace_ernic_rx(...)		do { } while (0)

#endif
