/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A front end for the suites: guest memory that knows what is pinned, and
 * interrupts that are counted.
 */
#ifndef ERNIC_KUNIT_MOCK_H
#define ERNIC_KUNIT_MOCK_H

#include <kunit/test.h>
#include <linux/spinlock.h>

#include <ernic/dev.h>

#define MOCK_BASE	0x100000ull
#define MOCK_PAGES	256u
#define MOCK_SIZE	((u64)MOCK_PAGES * PAGE_SIZE)

/**
 * struct mock - guest memory at MOCK_BASE, and a device
 * @edev: function; of mock_dma() only the parts that dma.c needs
 * @map: page i of guest memory
 * @gone: page i is not mapped: it cannot be pinned, read or written
 * @unpinnable: page i can only be read and written
 * @pins: how often page i is pinned
 * @lock: @gone, @pins
 * @bad: pins given back that were not there, or beyond the guest's memory
 * @pin_calls: calls of pin
 * @pin_errno: what pin fails with, if not 0
 * @rw_calls: calls of rw
 * @on_rw: called by rw before it does anything, if not NULL
 * @signals: how often each vector was signalled
 */
struct mock {
	struct kunit *test;
	struct ernic_dev *edev;
	struct device *dev;
	struct page *map[MOCK_PAGES];
	bool gone[MOCK_PAGES];
	bool unpinnable[MOCK_PAGES];
	int pins[MOCK_PAGES];
	spinlock_t lock;
	unsigned int bad;
	unsigned int pin_calls;
	int pin_errno;
	unsigned int rw_calls;
	void (*on_rw)(struct mock *m);
	atomic_t signals[ION_MSIX_VECTORS];
};

/* a bare struct ernic_dev with guest memory and signals; DMA is enabled */
struct mock *mock_dma(struct kunit *test);
/* a function made by ernic_dev_create(), open, memory and bus master on */
struct mock *mock_open(struct kunit *test, const struct ernic_profile *profile);
/* one of several, by the last byte of its UUID */
#define MOCK_NTH	7
struct mock *mock_open_nth(struct kunit *test,
			   const struct ernic_profile *profile, u8 n);
/* the same, with INIT, PORT_INIT, LIF_INIT and an admin queue of 16 */
struct mock *mock_lif(struct kunit *test, const struct ernic_profile *profile);
struct mock *mock_lif_nth(struct kunit *test,
			  const struct ernic_profile *profile, u8 n);

/* guest memory, one page at a time */
void *mock_ptr(struct mock *m, u64 iova);
unsigned int mock_pinned(struct mock *m, u64 iova, u64 len);
unsigned int mock_signals(struct mock *m, unsigned int vec);

/* where mock_lif() puts things */
#define MOCK_LIF_INFO	(MOCK_BASE + 0x1000)
#define MOCK_PORT_INFO	(MOCK_BASE + 0x2000)
#define MOCK_ADMIN_RING	(MOCK_BASE + 0x3000)
#define MOCK_ADMIN_CQ	(MOCK_BASE + 0x4000)
#define MOCK_ADMIN_N	16
#define MOCK_FREE	(MOCK_BASE + 0x10000)

/*
 * A device command as the driver issues it: side data, request, done = 0,
 * doorbell = 1, poll.  @comp may be NULL.  Returns the status, 0xff if done
 * never came.
 */
u8 mock_devcmd(struct mock *m, const union ion_cmd *cmd, union ion_comp *comp);
/* side data */
void mock_side_write(struct mock *m, const void *buf, size_t len);
void mock_side_read(struct mock *m, void *buf);
/* an admin command on the queue of mock_lif(); 0xff if it never completes */
u8 mock_admin(struct mock *m, const union ion_cmd *cmd, union ion_comp *comp);
/* configuration space */
u32 mock_cfg_read(struct mock *m, u32 off, size_t len);
void mock_cfg_write(struct mock *m, u32 off, size_t len, u32 val);

#endif
