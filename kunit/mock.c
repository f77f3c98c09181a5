// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/device.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pci_regs.h>
#include <linux/slab.h>

#include "mock.h"

static int mock_index(u64 iova)
{
	if (iova < MOCK_BASE || iova - MOCK_BASE >= MOCK_SIZE)
		return -1;
	return (iova - MOCK_BASE) >> PAGE_SHIFT;
}

static int mock_pin(struct ernic_dev *edev, u64 iova, unsigned int npage,
		    struct page **pages)
{
	struct mock *m = edev->front.priv;
	unsigned int i;
	int idx, err = 0;

	spin_lock(&m->lock);
	m->pin_calls++;
	if (m->pin_errno)
		err = m->pin_errno;
	for (i = 0; i < npage && !err; i++) {
		idx = mock_index(iova + (u64)i * PAGE_SIZE);
		if (idx < 0 || m->gone[idx] || m->unpinnable[idx])
			err = -EFAULT;
		else
			pages[i] = m->map[idx];
	}
	for (i = 0; i < npage && !err; i++)
		m->pins[mock_index(iova) + i]++;
	spin_unlock(&m->lock);
	return err;
}

static void mock_unpin(struct ernic_dev *edev, u64 iova, unsigned int npage)
{
	struct mock *m = edev->front.priv;
	unsigned int i;
	int idx;

	spin_lock(&m->lock);
	for (i = 0; i < npage; i++) {
		idx = mock_index(iova + (u64)i * PAGE_SIZE);
		if (idx < 0 || m->gone[idx] || !m->pins[idx])
			m->bad++;
		else
			m->pins[idx]--;
	}
	spin_unlock(&m->lock);
}

static int mock_rw(struct ernic_dev *edev, u64 iova, void *buf, size_t len,
		   bool write)
{
	struct mock *m = edev->front.priv;
	size_t n, off;
	int idx, err = 0;
	void *p;

	if (m->on_rw)
		m->on_rw(m);
	spin_lock(&m->lock);
	m->rw_calls++;
	for (; len && !err; len -= n, iova += n, buf += n) {
		off = offset_in_page(iova);
		n = min_t(size_t, len, PAGE_SIZE - off);
		idx = mock_index(iova);
		if (idx < 0 || m->gone[idx]) {
			err = -EFAULT;
			break;
		}
		p = page_address(m->map[idx]) + off;
		if (write)
			memcpy(p, buf, n);
		else
			memcpy(buf, p, n);
	}
	spin_unlock(&m->lock);
	return err;
}

static const struct ernic_dma_ops mock_dma_ops = {
	.pin = mock_pin,
	.unpin = mock_unpin,
	.rw = mock_rw,
};

static void mock_signal(struct ernic_dev *edev, unsigned int vec)
{
	struct mock *m = edev->front.priv;

	atomic_inc(&m->signals[vec]);
}

static const struct ernic_irq_ops mock_irq_ops = {
	.signal = mock_signal,
};

void *mock_ptr(struct mock *m, u64 iova)
{
	int idx = mock_index(iova);

	KUNIT_ASSERT_GE(m->test, idx, 0);
	return page_address(m->map[idx]) + offset_in_page(iova);
}

unsigned int mock_pinned(struct mock *m, u64 iova, u64 len)
{
	unsigned int n = 0;
	u64 end = iova + len;

	spin_lock(&m->lock);
	for (iova = ALIGN_DOWN(iova, PAGE_SIZE); iova < end; iova += PAGE_SIZE)
		if (mock_index(iova) >= 0)
			n += m->pins[mock_index(iova)];
	spin_unlock(&m->lock);
	return n;
}

unsigned int mock_signals(struct mock *m, unsigned int vec)
{
	return atomic_read(&m->signals[vec]);
}

static void mock_free(void *data)
{
	struct mock *m = data;
	unsigned int i;

	for (i = 0; i < MOCK_PAGES; i++)
		if (m->map[i])
			__free_page(m->map[i]);
	kfree(m);
}

static struct mock *mock_alloc(struct kunit *test)
{
	static atomic_t nr;
	char name[24];
	struct mock *m = kzalloc(sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	spin_lock_init(&m->lock);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, mock_free, m));
	for (i = 0; i < MOCK_PAGES; i++) {
		m->map[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, m->map[i]);
	}
	/* a test may have several */
	snprintf(name, sizeof(name), "ernic-mock.%d", atomic_inc_return(&nr));
	m->dev = kunit_device_register(test, name);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, m->dev);
	return m;
}

static void mock_check(struct mock *m)
{
	KUNIT_EXPECT_EQ(m->test, 0, mock_pinned(m, MOCK_BASE, MOCK_SIZE));
	KUNIT_EXPECT_EQ(m->test, 0, m->bad);
}

static void mock_dma_free(void *data)
{
	struct mock *m = data;

	ernic_dma_exit(m->edev);
	ernic_intr_exit(m->edev);
	mock_check(m);
	kvfree(m->edev);
}

struct mock *mock_dma(struct kunit *test)
{
	struct mock *m = mock_alloc(test);
	struct ernic_dev *edev = kvzalloc(sizeof(*edev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, edev);
	m->edev = edev;
	edev->dev = m->dev;
	edev->front.dev = m->dev;
	edev->front.dma = &mock_dma_ops;
	edev->front.irq = &mock_irq_ops;
	edev->front.priv = m;
	edev->nvectors = ION_MSIX_VECTORS;
	strscpy(edev->name, "mock");
	if (ernic_intr_init(edev)) {
		kvfree(edev);
		KUNIT_FAIL_AND_ABORT(test, "ernic_intr_init");
	}
	if (ernic_dma_init(edev, &mock_dma_ops)) {
		kvfree(edev);
		KUNIT_FAIL_AND_ABORT(test, "ernic_dma_init");
	}
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, mock_dma_free,
							   m));
	ernic_dma_enable(edev);
	return m;
}

static void mock_close(void *data)
{
	struct mock *m = data;

	ernic_dev_close(m->edev);
	mock_check(m);
}

static void mock_destroy(void *data)
{
	struct mock *m = data;

	ernic_dev_destroy(m->edev);
}

struct mock *mock_open_nth(struct kunit *test,
			   const struct ernic_profile *profile, u8 n)
{
	uuid_t uuid = UUID_INIT(0x12345678, 0x9abc, 0x4def, 0x80, 1, 2, 3, 4,
				5, 6, n);
	struct mock *m = mock_alloc(test);
	struct ernic_front front = {
		.dev = m->dev,
		.dma = &mock_dma_ops,
		.irq = &mock_irq_ops,
		.owner = THIS_MODULE,
		.priv = m,
	};

	m->edev = ernic_dev_create(&front, &uuid, profile);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, m->edev);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, mock_destroy,
							   m));
	KUNIT_ASSERT_EQ(test, 0, ernic_dev_open(m->edev));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, mock_close, m));
	mock_cfg_write(m, PCI_COMMAND, 2, PCI_COMMAND_MEMORY |
					  PCI_COMMAND_MASTER);
	return m;
}

struct mock *mock_open(struct kunit *test, const struct ernic_profile *profile)
{
	return mock_open_nth(test, profile, MOCK_NTH);
}

u32 mock_cfg_read(struct mock *m, u32 off, size_t len)
{
	__le32 val = 0;

	ernic_cfg_read(m->edev, off, &val, len);
	return le32_to_cpu(val);
}

void mock_cfg_write(struct mock *m, u32 off, size_t len, u32 val)
{
	__le32 v = cpu_to_le32(val);

	ernic_cfg_write(m->edev, off, &v, len);
}

void mock_side_write(struct mock *m, const void *buf, size_t len)
{
	const __le32 *p = buf;
	size_t i;

	for (i = 0; i < len; i += 4)
		ernic_bar_write(m->edev, 0, 0x888 + i, 4,
				le32_to_cpu(p[i / 4]));
}

void mock_side_read(struct mock *m, void *buf)
{
	__le32 *p = buf;
	size_t i;

	for (i = 0; i < 1912; i += 4)
		p[i / 4] = cpu_to_le32(ernic_bar_read(m->edev, 0, 0x888 + i,
						      4));
}

u8 mock_devcmd(struct mock *m, const union ion_cmd *cmd, union ion_comp *comp)
{
	union ion_comp c;
	int i;

	for (i = 0; i < 16; i++)
		ernic_bar_write(m->edev, 0, 0x808 + 4 * i, 4,
				get_unaligned_le32(cmd->bytes + 4 * i));
	ernic_bar_write(m->edev, 0, 0x804, 4, 0);
	ernic_bar_write(m->edev, 0, 0x800, 4, 1);
	for (i = 0; !(ernic_bar_read(m->edev, 0, 0x804, 4) & 1); i++) {
		if (i == 2000)
			return 0xff;
		usleep_range(100, 1000);
	}
	for (i = 0; i < 4; i++)
		put_unaligned_le32(ernic_bar_read(m->edev, 0, 0x848 + 4 * i, 4),
				   c.bytes + 4 * i);
	if (comp)
		*comp = c;
	return c.status;
}

struct mock *mock_lif_nth(struct kunit *test,
			  const struct ernic_profile *profile, u8 n)
{
	struct mock *m = mock_open_nth(test, profile, n);
	union ion_cmd cmd = {};
	u8 side[256];

	cmd.init.opcode = ION_CMD_INIT;
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));

	memset(&cmd, 0, sizeof(cmd));
	cmd.opcode = ION_CMD_PORT_IDENTIFY;
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	/* the driver hands the configuration back, at the start of side data */
	{
		u8 *ident = kunit_kzalloc(test, 1912, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, ident);
		mock_side_read(m, ident);
		memcpy(side, ident + 128, sizeof(side));
	}
	mock_side_write(m, side, sizeof(side));
	cmd.port_init.opcode = ION_CMD_PORT_INIT;
	cmd.port_init.info_pa = cpu_to_le64(MOCK_PORT_INFO);
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));

	memset(&cmd, 0, sizeof(cmd));
	cmd.lif_init.opcode = ION_CMD_LIF_INIT;
	cmd.lif_init.info_pa = cpu_to_le64(MOCK_LIF_INFO);
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));

	memset(&cmd, 0, sizeof(cmd));
	cmd.q_init.opcode = ION_CMD_Q_INIT;
	cmd.q_init.type = ION_QTYPE_ADMINQ;
	cmd.q_init.flags = cpu_to_le16(ION_QINIT_F_IRQ | ION_QINIT_F_ENA);
	cmd.q_init.ring_size = ilog2(MOCK_ADMIN_N);
	cmd.q_init.ring_base = cpu_to_le64(MOCK_ADMIN_RING);
	cmd.q_init.cq_ring_base = cpu_to_le64(MOCK_ADMIN_CQ);
	KUNIT_ASSERT_EQ(test, 0, mock_devcmd(m, &cmd, NULL));
	return m;
}

struct mock *mock_lif(struct kunit *test, const struct ernic_profile *profile)
{
	return mock_lif_nth(test, profile, MOCK_NTH);
}

u8 mock_admin(struct mock *m, const union ion_cmd *cmd, union ion_comp *comp)
{
	struct ernic_queue *q = &m->edev->lif.adminq;
	u16 index = READ_ONCE(q->p_index) % MOCK_ADMIN_N;
	union ion_comp *c = mock_ptr(m, MOCK_ADMIN_CQ + 16 * index);
	u8 old = READ_ONCE(c->color) & ION_COLOR;
	int i;

	memcpy(mock_ptr(m, MOCK_ADMIN_RING + 64 * index), cmd, 64);
	ernic_bar_write(m->edev, 2, 8 * 0, 8, (index + 1) % MOCK_ADMIN_N);
	/* the colour comes last: pairs with ernic_dma_write64_release() */
	for (i = 0; (smp_load_acquire(&c->color) & ION_COLOR) == old; i++) {
		if (i == 2000)
			return 0xff;
		usleep_range(100, 1000);
	}
	KUNIT_EXPECT_EQ(m->test, index, le16_to_cpu(c->comp_index));
	if (comp)
		*comp = *c;
	return c->status;
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suites of ernic_host");
