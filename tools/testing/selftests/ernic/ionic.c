// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's driver: commands, queues, frames, in the order that
 * drivers/net/ethernet/pensando/ionic uses.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ernictest.h"

#define ET_FEATURES	(ION_ETH_HW_VLAN_TX_TAG | ION_ETH_HW_TX_SG | \
			 ION_ETH_HW_TX_CSUM | ION_ETH_HW_TSO | \
			 ION_ETH_HW_TSO_IPV6 | ION_ETH_HW_TSO_ECN | \
			 ION_ETH_HW_RX_CSUM)
#define ET_RING		64
#define ET_FRAME_MAX	16384

/* ---- commands -------------------------------------------------------------------- */

static void et_devcmd_bytes(struct et_dev *d, u32 off, const void *buf,
			    size_t len)
{
	ssize_t n = pwrite(d->fd, buf, len, d->region[BAR0] + ION_DEV_CMD_OFF +
			   off);

	CHECK_EQ(n, len);
}

void et_side_write(struct et_dev *d, const void *buf, size_t len)
{
	et_devcmd_bytes(d, ION_CMD_SIDE_DATA, buf, len);
}

void et_side_read(struct et_dev *d, void *buf, size_t len)
{
	ssize_t n = pread(d->fd, buf, len, d->region[BAR0] + ION_DEV_CMD_OFF +
			  ION_CMD_SIDE_DATA);

	CHECK_EQ(n, len);
}

u8 et_devcmd(struct et_dev *d, const union ion_cmd *cmd)
{
	static const union ion_cmd none;
	u64 end = et_now_ms() + 5000;
	ssize_t n;

	et_devcmd_bytes(d, ION_CMD_REQUEST, cmd, sizeof(*cmd));
	et_store(d, BAR0, ION_DEV_CMD_OFF + ION_CMD_DONE, 4, 0);
	et_store(d, BAR0, ION_DEV_CMD_OFF + ION_CMD_DOORBELL, 4, 1);
	while (!(et_load(d, BAR0, ION_DEV_CMD_OFF + ION_CMD_DONE, 4) & 1)) {
		if (et_now_ms() > end)
			FAIL("device command %u has no end", cmd->opcode);
		usleep(50);
	}
	et_store(d, BAR0, ION_DEV_CMD_OFF + ION_CMD_DOORBELL, 4, 0);
	et_devcmd_bytes(d, ION_CMD_REQUEST, &none, sizeof(none));
	n = pread(d->fd, &d->comp, sizeof(d->comp), d->region[BAR0] +
		  ION_DEV_CMD_OFF + ION_CMD_COMPLETION);
	CHECK_EQ(n, sizeof(d->comp));
	return d->comp.status;
}

static void *et_cq_slot(struct et_queue *q)
{
	return q->cq.va + q->cq_pos * sizeof(union ion_comp);
}

/* the next completion, if its colour says that it is one */
static bool et_cq_next(struct et_queue *q, void *comp)
{
	const u8 *c = et_cq_slot(q);

	if ((__atomic_load_n(&c[15], __ATOMIC_ACQUIRE) & ION_COLOR) !=
	    (q->color ? ION_COLOR : 0))
		return false;
	memcpy(comp, c, sizeof(union ion_comp));
	q->cq_pos = (q->cq_pos + 1) & (q->n - 1);
	if (!q->cq_pos)
		q->color = !q->color;
	return true;
}

u16 et_adminq_post(struct et_dev *d, const union ion_cmd *cmd)
{
	struct et_queue *q = &d->adminq;
	u16 slot = q->head;

	memcpy(q->ring.va + slot * sizeof(*cmd), cmd, sizeof(*cmd));
	q->head = (slot + 1) & (q->n - 1);
	et_ring(q);
	return slot;
}

/* completions come in order, one a command */
bool et_adminq_reap(struct et_dev *d, int ms)
{
	struct et_queue *q = &d->adminq;
	u64 end = et_now_ms() + ms;

	while (!et_cq_next(q, &d->comp)) {
		if (et_now_ms() > end)
			return false;
		usleep(50);
	}
	CHECK_EQ(le16toh(d->comp.comp_index), q->tail);
	q->tail = (q->tail + 1) & (q->n - 1);
	return true;
}

u8 et_adminq(struct et_dev *d, const union ion_cmd *cmd)
{
	et_adminq_post(d, cmd);
	if (!et_adminq_reap(d, 5000))
		FAIL("admin queue command %u has no end", cmd->opcode);
	return d->comp.status;
}

/* ---- doorbells and interrupts ------------------------------------------------------ */

void et_doorbell(struct et_dev *d, unsigned int slot, u32 qid, u16 p_index)
{
	et_store(d, BAR2, slot * 8, 8, (u64)qid << 24 | p_index);
}

void et_ring(struct et_queue *q)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	et_doorbell(q->dev, q->hw_type, q->hw_index, q->head);
}

void et_intr_write(struct et_dev *d, unsigned int vec, u32 reg, u32 val)
{
	et_store(d, BAR0, ION_INTR_CTRL_OFF + vec * ION_INTR_CTRL_STRIDE + reg,
		 4, val);
}

u32 et_intr_read(struct et_dev *d, unsigned int vec, u32 reg)
{
	return et_load(d, BAR0, ION_INTR_CTRL_OFF +
		       vec * ION_INTR_CTRL_STRIDE + reg, 4);
}

/* ---- set-up -------------------------------------------------------------------------- */

u8 et_reset(struct et_dev *d)
{
	return et_devcmd(d, &(union ion_cmd){ .opcode = ION_CMD_RESET });
}

u8 et_lif_init(struct et_dev *d)
{
	union ion_cmd cmd = {
		.lif_init.opcode = ION_CMD_LIF_INIT,
		.lif_init.info_pa = htole64(d->lif_info.iova),
	};

	return et_devcmd(d, &cmd);
}

u8 et_lif_reset(struct et_dev *d)
{
	return et_devcmd(d, &(union ion_cmd){ .opcode = ION_CMD_LIF_RESET });
}

u8 et_set_features(struct et_dev *d, u64 features)
{
	union ion_cmd cmd = {
		.lif_setattr.opcode = ION_CMD_LIF_SETATTR,
		.lif_setattr.attr = ION_LIF_ATTR_FEATURES,
		.lif_setattr.features = htole64(features),
	};
	u8 rc = et_adminq(d, &cmd);

	d->features = le64toh(d->comp.lif_attr.features) & features;
	return rc;
}

u8 et_rx_mode(struct et_dev *d, u16 mode)
{
	union ion_cmd cmd = {
		.rx_mode_set.opcode = ION_CMD_RX_MODE_SET,
		.rx_mode_set.rx_mode = htole16(mode),
	};

	return et_adminq(d, &cmd);
}

void et_q_alloc(struct et_dev *d, struct et_queue *q, u8 type, u16 index,
		u16 n)
{
	static const u16 desc[] = { 64, 4, 16, 16 }, sg[] = { 0, 0, 128, 256 };

	memset(q, 0, sizeof(*q));
	q->dev = d;
	q->type = type;
	q->index = index;
	q->n = n;
	q->flags = ION_QINIT_F_IRQ;
	if (type == ION_QTYPE_NOTIFYQ) {
		q->flags |= ION_QINIT_F_ENA;
		/* the events follow at the next page */
		q->ring = et_alloc(d, ET_PAGE + n * 64, 0);
		q->cq = q->ring;
		q->cq.va += ET_PAGE;
		return;
	}
	q->ring = et_alloc(d, n * desc[type], 0);
	q->cq = et_alloc(d, n * 16, 0);
	if (sg[type]) {
		q->sg = et_alloc(d, n * sg[type], 0);
		q->flags |= ION_QINIT_F_SG;
		q->intr = 1 + index;
	} else {
		q->flags |= ION_QINIT_F_ENA;
	}
	if (type == ION_QTYPE_RXQ)
		q->buf = et_alloc(d, n * ET_RXBUF, 0);
}

union ion_cmd et_q_init_cmd(const struct et_queue *q)
{
	union ion_cmd cmd = {
		.q_init.opcode = ION_CMD_Q_INIT,
		.q_init.type = q->type,
		.q_init.index = htole32(q->index),
		.q_init.intr_index = htole16(q->intr),
		.q_init.flags = htole16(q->flags),
		.q_init.ring_size = __builtin_ctz(q->n),
		.q_init.ring_base = htole64(q->ring.iova),
		.q_init.sg_ring_base = htole64(q->sg.iova),
	};

	if (q->type != ION_QTYPE_NOTIFYQ)
		cmd.q_init.cq_ring_base = htole64(q->cq.iova);
	return cmd;
}

void et_q_clear(struct et_queue *q)
{
	q->head = 0;
	q->tail = 0;
	q->cq_pos = 0;
	q->color = 1;
	if (q->type == ION_QTYPE_NOTIFYQ)
		memset(q->cq.va, 0, q->n * 64);
	else
		memset(q->cq.va, 0, q->n * 16);
}

u8 et_q_init(struct et_queue *q)
{
	union ion_cmd cmd = et_q_init_cmd(q);
	struct et_dev *d = q->dev;
	u8 rc;

	et_q_clear(q);
	if (q->type == ION_QTYPE_ADMINQ)
		rc = et_devcmd(d, &cmd);
	else
		rc = et_adminq(d, &cmd);
	q->hw_index = le32toh(d->comp.q_init.hw_index);
	q->hw_type = d->comp.q_init.hw_type;
	return rc;
}

u8 et_q_control(struct et_queue *q, u8 oper)
{
	union ion_cmd cmd = {
		.q_control.opcode = ION_CMD_Q_CONTROL,
		.q_control.type = q->type,
		.q_control.index = htole32(q->index),
		.q_control.oper = oper,
	};

	return et_adminq(q->dev, &cmd);
}

static void et_identify(struct et_dev *d)
{
	union ion_cmd cmd = { .identify.opcode = ION_CMD_IDENTIFY };

	cmd.identify.ver = 2;
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
	cmd = (union ion_cmd){ .lif_identify.opcode = ION_CMD_LIF_IDENTIFY };
	cmd.lif_identify.ver = 1;
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
	cmd = (union ion_cmd){ .init.opcode = ION_CMD_INIT };
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
}

static void et_port_up(struct et_dev *d)
{
	union ion_cmd cmd = { .opcode = ION_CMD_PORT_IDENTIFY };
	struct ion_port_identity id;

	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
	et_side_read(d, &id, sizeof(id));
	et_side_write(d, &id.config, sizeof(id.config));
	cmd = (union ion_cmd){ .port_init.opcode = ION_CMD_PORT_INIT };
	cmd.port_init.info_pa = htole64(d->port_info.iova);
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
	cmd = (union ion_cmd){ .port_setattr.opcode = ION_CMD_PORT_SETATTR };
	cmd.port_setattr.value = htole32(ION_PORT_ADMIN_UP);
	CHECK_EQ(et_devcmd(d, &cmd), ION_RC_SUCCESS);
}

static void et_alloc_all(struct et_dev *d)
{
	unsigned int i;

	d->lif_info = et_alloc(d, sizeof(struct ion_lif_info), 0);
	d->port_info = et_alloc(d, sizeof(struct ion_port_info), 0);
	et_q_alloc(d, &d->adminq, ION_QTYPE_ADMINQ, 0, 16);
	et_q_alloc(d, &d->notifyq, ION_QTYPE_NOTIFYQ, 0, 64);
	for (i = 0; i < ET_PAIRS; i++) {
		et_q_alloc(d, &d->tx[i], ION_QTYPE_TXQ, i, ET_RING);
		et_q_alloc(d, &d->rx[i], ION_QTYPE_RXQ, i, ET_RING);
	}
}

void et_attach(struct et_dev *d)
{
	union ion_cmd cmd = { .lif_getattr.opcode = ION_CMD_LIF_GETATTR };

	if (!d->lif_info.va)
		et_alloc_all(d);
	et_store(d, CFG, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CHECK_EQ(et_load(d, BAR0, ION_INFO_SIGNATURE, 4), ION_SIGNATURE);
	CHECK(et_load(d, BAR0, ION_INFO_FW_STATUS, 1) & ION_FW_STS_RUNNING);
	CHECK_EQ(et_reset(d), ION_RC_SUCCESS);
	et_bus_master(d, true);
	et_identify(d);
	et_port_up(d);
	CHECK_EQ(et_lif_init(d), ION_RC_SUCCESS);
	CHECK_EQ(et_q_init(&d->adminq), ION_RC_SUCCESS);
	CHECK_EQ(et_q_init(&d->notifyq), ION_RC_SUCCESS);
	CHECK_EQ(et_set_features(d, ET_FEATURES), ION_RC_SUCCESS);

	cmd.lif_getattr.attr = ION_LIF_ATTR_MAC;
	CHECK_EQ(et_adminq(d, &cmd), ION_RC_SUCCESS);
	memcpy(d->mac, d->comp.lif_attr.mac, sizeof(d->mac));
	CHECK(d->mac[0] || d->mac[1] || d->mac[2]);
	cmd = (union ion_cmd){ .rx_filter_add.opcode = ION_CMD_RX_FILTER_ADD };
	cmd.rx_filter_add.match = htole16(ION_RX_FILTER_MAC);
	memcpy(cmd.rx_filter_add.mac, d->mac, sizeof(d->mac));
	CHECK_EQ(et_adminq(d, &cmd), ION_RC_SUCCESS);
	CHECK_EQ(et_rx_mode(d, ION_RX_MODE_UNICAST | ION_RX_MODE_MULTICAST |
			    ION_RX_MODE_BROADCAST), ION_RC_SUCCESS);
}

void et_start(struct et_dev *d)
{
	unsigned int i;

	for (i = 0; i < ET_PAIRS; i++) {
		CHECK_EQ(et_q_init(&d->tx[i]), ION_RC_SUCCESS);
		CHECK_EQ(et_q_init(&d->rx[i]), ION_RC_SUCCESS);
	}
	for (i = 0; i < ET_PAIRS; i++) {
		et_intr_write(d, 1 + i, ION_INTR_MASK_ASSERT, 1);
		et_rx_fill(&d->rx[i]);
		CHECK_EQ(et_q_control(&d->rx[i], ION_Q_ENABLE), ION_RC_SUCCESS);
		et_intr_write(d, 1 + i, ION_INTR_MASK, 0);
		CHECK_EQ(et_q_control(&d->tx[i], ION_Q_ENABLE), ION_RC_SUCCESS);
	}
}

void et_stop(struct et_dev *d)
{
	unsigned int i;

	for (i = 0; i < ET_PAIRS; i++) {
		CHECK_EQ(et_q_control(&d->tx[i], ION_Q_DISABLE),
			 ION_RC_SUCCESS);
		CHECK_EQ(et_q_control(&d->rx[i], ION_Q_DISABLE),
			 ION_RC_SUCCESS);
	}
}

void et_up(struct et_dev *d)
{
	et_netdev_up(d, true);
	et_attach(d);
	et_start(d);
	et_packet_open(d);
}

/* ---- frames ---------------------------------------------------------------------------- */

struct ion_txq_desc *et_tx_slot(struct et_queue *q)
{
	return (struct ion_txq_desc *)q->ring.va + q->head;
}

struct ion_sg_elem *et_tx_sg(struct et_queue *q, u16 slot)
{
	return (struct ion_sg_elem *)q->sg.va + slot * ION_TX_SG_STRIDE;
}

unsigned int et_tx_free(const struct et_queue *q)
{
	return (q->tail - q->head - 1) & (q->n - 1);
}

/* fills a descriptor and moves on; the caller rings */
void et_tx_desc(struct et_queue *q, u64 addr, u16 len, u8 opcode, u8 flags,
		u8 nsge)
{
	struct ion_txq_desc *desc = et_tx_slot(q);

	memset(desc, 0, sizeof(*desc));
	desc->cmd = htole64(addr << 12 | (u64)nsge << 8 | opcode << 4 | flags);
	desc->len = htole16(len);
	q->head = (q->head + 1) & (q->n - 1);
}

unsigned int et_tx_reap(struct et_queue *q, u8 *status)
{
	struct ion_txq_comp comp;
	unsigned int n = 0;
	u16 next;

	while (et_cq_next(q, &comp)) {
		next = (le16toh(comp.comp_index) + 1) & (q->n - 1);
		/* within what is posted */
		CHECK(le16toh(comp.comp_index) < q->n);
		CHECK(((next - q->tail - 1) & (q->n - 1)) <
		      ((q->head - q->tail) & (q->n - 1)));
		n += (next - q->tail) & (q->n - 1);
		q->tail = next;
		if (status)
			*status = comp.status;
	}
	return n;
}

bool et_tx_drain(struct et_queue *q, int ms)
{
	u64 end = et_now_ms() + ms;

	while (q->tail != q->head) {
		if (et_tx_reap(q, NULL))
			continue;
		if (et_now_ms() > end)
			return false;
		usleep(100);
	}
	return true;
}

void et_rx_post(struct et_queue *q, u64 addr, u16 len)
{
	struct ion_rxq_desc *desc = (struct ion_rxq_desc *)q->ring.va + q->head;

	memset(desc, 0, sizeof(*desc));
	desc->addr = htole64(addr);
	desc->len = htole16(len);
	q->head = (q->head + 1) & (q->n - 1);
}

void et_rx_fill(struct et_queue *q)
{
	while (((q->tail - q->head - 1) & (q->n - 1)))
		et_rx_post(q, q->buf.iova + q->head * ET_RXBUF, ET_RXBUF);
	et_ring(q);
}

/* exactly one completion a descriptor, in their order */
bool et_rx_reap(struct et_queue *q, struct ion_rxq_comp *comp)
{
	if (!et_cq_next(q, comp))
		return false;
	CHECK(q->tail != q->head);
	CHECK_EQ(le16toh(comp->comp_index), q->tail);
	q->tail = (q->tail + 1) & (q->n - 1);
	return true;
}

bool et_rx_wait(struct et_queue *q, struct ion_rxq_comp *comp, int ms)
{
	u64 end = et_now_ms() + ms;

	while (!et_rx_reap(q, comp)) {
		if (et_now_ms() > end)
			return false;
		usleep(50);
	}
	return true;
}

bool et_rx_any(struct et_dev *d, struct et_queue **q, struct ion_rxq_comp *comp,
	       int ms)
{
	u64 end = et_now_ms() + ms;
	unsigned int i;

	do {
		for (i = 0; i < ET_PAIRS; i++) {
			*q = &d->rx[i];
			if (et_rx_reap(*q, comp))
				return true;
		}
		usleep(50);
	} while (et_now_ms() < end);
	return false;
}

static const u8 et_host_mac[6] = { 0x02, 0, 0, 0, 0, 0x99 };

void et_send_one(struct et_dev *d, unsigned int pair, size_t len)
{
	static u8 frame[ET_FRAME_MAX], got[ET_FRAME_MAX];
	struct et_queue *q = &d->tx[pair];
	struct et_mem m = { .va = NULL };
	size_t used = d->arena_used;
	u8 status = 0xff;
	int n;

	CHECK(len <= sizeof(frame));
	m = et_alloc(d, len, 0);
	et_frame(frame, len, et_host_mac, d->mac, len);
	memcpy(m.va, frame, len);
	et_tx_desc(q, m.iova, len, ION_TXD_CSUM_NONE, 0, 0);
	et_ring(q);
	n = et_host_recv(d, got, sizeof(got), 3000);
	CHECK_EQ(n, len);
	CHECK(!memcmp(frame, got, len));
	CHECK(et_tx_drain(q, 1000));
	/* the device only reads it */
	CHECK(!memcmp(frame, m.va, len));
	(void)status;

	memset(m.va, ET_CANARY, len);
	d->nallocs--;
	d->arena_used = used;
}

void et_recv_one(struct et_dev *d, size_t len)
{
	static u8 frame[ET_FRAME_MAX];
	struct ion_rxq_comp comp;
	struct et_queue *q;
	int tries = 0;
	u64 before;
	u16 slot;

	CHECK(len <= ET_RXBUF);
	et_frame(frame, len, d->mac, et_host_mac, ~len);
	/*
	 * The host's stack loses frames without a word until it has noticed the
	 * carrier (net/core/link_watch.c).  One that the device has seen has to
	 * arrive.
	 */
	do {
		before = et_stat(d, "frames_rx_all");
		CHECK_EQ(et_host_send(d, frame, len), len);
		if (et_rx_any(d, &q, &comp, 700))
			break;
		if (et_stat(d, "frames_rx_all") != before || ++tries == 6)
			FAIL("frame of %zu bytes does not arrive", len);
	} while (1);
	slot = le16toh(comp.comp_index);
	CHECK_EQ(comp.status, 0);
	CHECK_EQ(le16toh(comp.len), len);
	CHECK_EQ(comp.num_sg_elems, 0);
	CHECK(!memcmp(q->buf.va + slot * ET_RXBUF, frame, len));
	et_rx_fill(q);
}

void et_still_works(struct et_dev *d)
{
	char buf[2048];

	et_attach(d);
	et_start(d);
	/* what came before the reset */
	while (et_host_recv(d, buf, sizeof(buf), 0) >= 0)
		;
	et_send_one(d, 0, 100);
	et_recv_one(d, 100);
	et_check_canary(d);
}
