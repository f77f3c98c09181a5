// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every guest does: find the device, set it up, exchange frames.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests.h"

static struct et_dev dev;

TEST(info, 10)
{
	struct vfio_device_info info = { .argsz = sizeof(info) };
	static const u64 size[VFIO_PCI_NUM_REGIONS] = {
		[BAR0] = ION_BAR0_SIZE, [BAR2] = ION_BAR2_SIZE, [CFG] = 4096,
	};
	unsigned int i;

	et_open(&dev, uuid0);
	SYS(ioctl(dev.fd, VFIO_DEVICE_GET_INFO, &info));
	CHECK(info.flags & VFIO_DEVICE_FLAGS_PCI);
	CHECK(info.flags & VFIO_DEVICE_FLAGS_RESET);
	CHECK_EQ(info.num_regions, VFIO_PCI_NUM_REGIONS);
	CHECK_EQ(info.num_irqs, VFIO_PCI_NUM_IRQS);

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		struct vfio_region_info r = { .argsz = sizeof(r), .index = i };

		SYS(ioctl(dev.fd, VFIO_DEVICE_GET_REGION_INFO, &r));
		CHECK_EQ(r.size, size[i]);
		CHECK_EQ(!!(r.flags & VFIO_REGION_INFO_FLAG_READ), !!size[i]);
		CHECK_EQ(!!(r.flags & VFIO_REGION_INFO_FLAG_WRITE), !!size[i]);
	}
	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++) {
		struct vfio_irq_info q = { .argsz = sizeof(q), .index = i };
		u32 n = i == VFIO_PCI_MSIX_IRQ_INDEX ? ION_MSIX_VECTORS :
			i == VFIO_PCI_REQ_IRQ_INDEX ? 1 : 0;

		SYS(ioctl(dev.fd, VFIO_DEVICE_GET_IRQ_INFO, &q));
		CHECK_EQ(q.count, n);
	}
}

TEST(bad_info, 10)
{
	struct vfio_region_info r = { .argsz = sizeof(r) };
	struct vfio_irq_info q = { .argsz = sizeof(q) };
	struct vfio_device_info info = { .argsz = 4 };

	et_open(&dev, uuid0);
	CHECK_EQ(ioctl(dev.fd, VFIO_DEVICE_GET_INFO, &info), -1);
	r.index = VFIO_PCI_NUM_REGIONS;
	CHECK_EQ(ioctl(dev.fd, VFIO_DEVICE_GET_REGION_INFO, &r), -1);
	r.index = ~0u;
	CHECK_EQ(ioctl(dev.fd, VFIO_DEVICE_GET_REGION_INFO, &r), -1);
	q.index = VFIO_PCI_NUM_IRQS;
	CHECK_EQ(ioctl(dev.fd, VFIO_DEVICE_GET_IRQ_INFO, &q), -1);
	CHECK_EQ(ioctl(dev.fd, _IO(VFIO_TYPE, VFIO_BASE + 99), 0), -1);
	CHECK_EQ(ioctl(dev.fd, VFIO_DEVICE_GET_REGION_INFO, NULL), -1);
}

TEST(config_space, 10)
{
	u32 pm, exp, msix;

	et_open(&dev, uuid0);
	CHECK_EQ(et_load(&dev, CFG, PCI_VENDOR_ID, 2), ION_PCI_VENDOR);
	CHECK_EQ(et_load(&dev, CFG, PCI_DEVICE_ID, 2), ION_PCI_DEVICE_PF);
	CHECK_EQ(et_load(&dev, CFG, PCI_SUBSYSTEM_ID, 2),
		 ION_PCI_SUBDEVICE_ERNIC);
	CHECK_EQ(et_load(&dev, CFG, PCI_CLASS_DEVICE, 2), 0x0200);
	CHECK_EQ(et_load(&dev, CFG, PCI_COMMAND, 2), 0);

	/* read-only stays, sizing works, what is odd does not shine through */
	et_store(&dev, CFG, PCI_VENDOR_ID, 4, 0xffffffff);
	CHECK_EQ(et_load(&dev, CFG, PCI_VENDOR_ID, 4), 0x10021dd8);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_0, 4, 0xffffffff);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_1, 4, 0xffffffff);
	CHECK_EQ(et_load(&dev, CFG, PCI_BASE_ADDRESS_0, 8) & ~0xfull,
		 -(u64)ION_BAR0_SIZE);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_2, 8, ~0ull);
	CHECK_EQ(et_load(&dev, CFG, PCI_BASE_ADDRESS_2, 8) & ~0xfull,
		 -(u64)ION_BAR2_SIZE);
	et_store(&dev, CFG, PCI_BASE_ADDRESS_4, 4, 0xffffffff);
	CHECK_EQ(et_load(&dev, CFG, PCI_BASE_ADDRESS_4, 4), 0);
	et_store(&dev, CFG, PCI_ROM_ADDRESS, 4, 0xffffffff);
	CHECK_EQ(et_load(&dev, CFG, PCI_ROM_ADDRESS, 4), 0);

	pm = et_cap(&dev, PCI_CAP_ID_PM);
	exp = et_cap(&dev, PCI_CAP_ID_EXP);
	msix = et_cap(&dev, PCI_CAP_ID_MSIX);
	CHECK(pm && exp && msix);
	CHECK_EQ((et_load(&dev, CFG, msix + PCI_MSIX_FLAGS, 2) &
		  PCI_MSIX_FLAGS_QSIZE) + 1, ION_MSIX_VECTORS);
	CHECK_EQ(et_load(&dev, CFG, msix + PCI_MSIX_TABLE, 4),
		 ION_MSIX_TABLE_OFF);

	/* BARs decode only when they are told to */
	CHECK_EQ(et_load(&dev, BAR0, ION_INFO_SIGNATURE, 4), 0xffffffff);
	et_store(&dev, CFG, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CHECK_EQ(et_load(&dev, BAR0, ION_INFO_SIGNATURE, 4), ION_SIGNATURE);
	et_store(&dev, CFG, pm + PCI_PM_CTRL, 2, 3);
	CHECK_EQ(et_load(&dev, BAR0, ION_INFO_SIGNATURE, 4), 0xffffffff);
	et_store(&dev, CFG, pm + PCI_PM_CTRL, 2, 0);
	CHECK_EQ(et_load(&dev, BAR0, ION_INFO_SIGNATURE, 4), ION_SIGNATURE);
}

TEST(bring_up, 20)
{
	const struct ion_lif_info *lif;
	const struct ion_port_info *port;
	char path[192], mac[32], want[32];

	et_open(&dev, uuid0);
	et_netdev_up(&dev, true);
	et_attach(&dev);
	lif = (const void *)dev.lif_info.va;
	port = (const void *)dev.port_info.va;
	CHECK_EQ(le16toh(lif->status.link_status), ION_LINK_UP);
	CHECK_EQ(le32toh(lif->status.link_speed), 100000);
	CHECK_EQ(port->status.status, ION_LINK_UP);
	CHECK(!memcmp(lif->config.mac, dev.mac, 6));

	snprintf(path, sizeof(path), "%s/ernic/mac", dev.path);
	CHECK_EQ(et_read_file(path, mac, sizeof(mac)), 0);
	snprintf(want, sizeof(want), "%02x:%02x:%02x:%02x:%02x:%02x",
		 dev.mac[0], dev.mac[1], dev.mac[2], dev.mac[3], dev.mac[4],
		 dev.mac[5]);
	CHECK(!strcmp(mac, want));
	et_start(&dev);
	et_stop(&dev);
	CHECK_EQ(et_lif_reset(&dev), ION_RC_SUCCESS);
	CHECK_EQ(et_lif_reset(&dev), ION_RC_SUCCESS);
	CHECK_EQ(et_reset(&dev), ION_RC_SUCCESS);
	et_check_canary(&dev);
}

TEST(link_event, 20)
{
	const struct ion_notifyq_event *ev;
	const struct ion_lif_info *lif;
	u64 end;
	int i;

	et_open(&dev, uuid0);
	et_up(&dev);
	lif = (const void *)dev.lif_info.va;
	ev = (const void *)dev.notifyq.cq.va;
	for (i = 0; i < 6; i++) {
		u16 want = i & 1 ? ION_LINK_UP : ION_LINK_DOWN;

		et_netdev_up(&dev, i & 1);
		end = et_now_ms() + 3000;
		while (le64toh(__atomic_load_n(&ev[i].eid, __ATOMIC_ACQUIRE)) !=
		       (u64)i + 1)
			if (et_now_ms() > end)
				FAIL("event %d: eid %llu", i + 1,
				     (unsigned long long)ev[i].eid);
		CHECK_EQ(le16toh(ev[i].ecode), ION_EVENT_LINK_CHANGE);
		CHECK_EQ(le16toh(ev[i].link.link_status), want);
		CHECK_EQ(le16toh(lif->status.link_status), want);
	}
	et_send_one(&dev, 0, 60);
	et_check_canary(&dev);
}

TEST(tx_frames, 20)
{
	static const u16 len[] = { 14, 15, 60, 61, 64, 1500, 1514, 1518, 1601,
				   4096, 9000, 9216 };
	unsigned int i;
	u64 bytes = 0;

	et_open(&dev, uuid0);
	et_up(&dev);
	for (i = 0; i < 12; i++) {
		et_send_one(&dev, i % ET_PAIRS, len[i]);
		bytes += len[i];
	}
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 12);
	CHECK_EQ(et_stat(&dev, "tx_ucast_bytes"), bytes);
	CHECK_EQ(et_stat(&dev, "frames_tx_ok"), 12);
	et_check_canary(&dev);
}

TEST(tx_sg, 20)
{
	u8 frame[2048], got[4096];
	struct et_queue *q = &dev.tx[0];
	struct ion_sg_elem *sg;
	struct et_mem m;
	size_t len, off;
	int nsg, i;

	et_open(&dev, uuid0);
	et_up(&dev);
	m = et_alloc(&dev, 16 * 4096, 0);
	for (nsg = 1; nsg <= ION_TX_MAX_SG; nsg++) {
		len = 64 + 100 * nsg;
		et_frame(frame, len, dev.mac, dev.mac, nsg);
		/* a first buffer of 3 bytes, the rest in odd places */
		memcpy(m.va, frame, 3);
		sg = et_tx_sg(q, q->head);
		off = 3;
		for (i = 0; i < nsg; i++) {
			size_t n = i == nsg - 1 ? len - off : 61;
			u32 at = (i + 1) * 4096 - (i & 1 ? 30 : 0) + i;

			memcpy(m.va + at, frame + off, n);
			sg[i].addr = htole64(m.iova + at);
			sg[i].len = htole16(n);
			off += n;
		}
		et_tx_desc(q, m.iova, 3, ION_TXD_CSUM_NONE, 0, nsg);
		et_ring(q);
		CHECK_EQ(et_host_recv(&dev, got, sizeof(got), 3000), len);
		CHECK(!memcmp(frame, got, len));
		CHECK(et_tx_drain(q, 1000));
	}
	et_check_canary(&dev);
}

TEST(tx_tso, 20)
{
	enum { HDR = 14 + 20 + 20, MSS = 1000, SEGS = 20 };
	struct et_queue *q = &dev.tx[1];
	struct et_mem m;
	u8 *p;
	int i;

	et_open(&dev, uuid0);
	et_up(&dev);
	m = et_alloc(&dev, HDR + SEGS * MSS, 0x5a);
	p = m.va;
	memset(p, 0, HDR);
	memcpy(p + 6, dev.mac, 6);
	p[0] = 2;
	p[12] = 0x08;
	p[14] = 0x45;
	p[16] = (HDR - 14 + SEGS * MSS) >> 8;
	p[17] = (HDR - 14 + SEGS * MSS) & 0xff;
	p[22] = 64;
	p[23] = IPPROTO_TCP;
	p[26] = 198; p[27] = 18; p[29] = 1;
	p[30] = 198; p[31] = 18; p[33] = 2;
	p[14 + 20 + 12] = 5 << 4;

	for (i = 0; i < SEGS; i++) {
		struct ion_txq_desc *desc = et_tx_slot(q);
		u8 flags = (i ? 0 : ION_TXD_F_TSO_SOT) |
			   (i == SEGS - 1 ? ION_TXD_F_TSO_EOT : 0);

		if (i)
			et_tx_desc(q, m.iova + HDR + i * MSS, MSS, ION_TXD_TSO,
				   flags, 0);
		else
			et_tx_desc(q, m.iova, HDR + MSS, ION_TXD_TSO, flags, 0);
		desc->hdr_len = htole16(HDR);
		desc->mss = htole16(MSS);
	}
	et_ring(q);
	CHECK(et_tx_drain(q, 3000));
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), SEGS);
	CHECK_EQ(et_stat(&dev, "tx_ucast_bytes"), SEGS * (HDR + MSS));
	CHECK_EQ(et_stat(&dev, "tx_desc_data_error"), 0);
	et_send_one(&dev, 1, 60);
	et_check_canary(&dev);
}

TEST(rx_frames, 20)
{
	static const u16 len[] = { 60, 61, 100, 256, 257, 1000, 1514 };
	unsigned int i;
	u64 bytes = 0;

	et_open(&dev, uuid0);
	et_up(&dev);
	for (i = 0; i < 7; i++) {
		et_recv_one(&dev, len[i]);
		bytes += len[i];
	}
	CHECK_EQ(et_stat(&dev, "rx_ucast_packets"), 7);
	CHECK_EQ(et_stat(&dev, "rx_ucast_bytes"), bytes);
	CHECK_EQ(et_stat(&dev, "frames_rx_ok"), 7);
	et_check_canary(&dev);
}

TEST(rx_filter, 20)
{
	static const u8 other[6] = { 2, 1, 1, 1, 1, 1 };
	struct ion_rxq_comp comp;
	struct et_queue *q;
	u8 frame[100];

	et_open(&dev, uuid0);
	et_up(&dev);
	et_frame(frame, sizeof(frame), other, dev.mac, 1);
	CHECK_EQ(et_host_send(&dev, frame, sizeof(frame)), sizeof(frame));
	CHECK(!et_rx_any(&dev, &q, &comp, 200));
	CHECK_EQ(et_rx_mode(&dev, ION_RX_MODE_PROMISC), ION_RC_SUCCESS);
	CHECK_EQ(et_host_send(&dev, frame, sizeof(frame)), sizeof(frame));
	CHECK(et_rx_any(&dev, &q, &comp, 2000));
	/* not wanted is not dropped */
	CHECK_EQ(et_stat(&dev, "rx_ucast_drop_packets"), 0);
	et_check_canary(&dev);
}

TEST(ring_wrap, 30)
{
	int i;

	et_open(&dev, uuid0);
	et_up(&dev);
	for (i = 0; i < 200; i++) {
		et_send_one(&dev, 0, 60 + i);
		et_recv_one(&dev, 60 + i);
	}
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 200);
	CHECK_EQ(et_stat(&dev, "rx_ucast_packets"), 200);
	et_check_canary(&dev);
}

#define NAME(name, slot) #name,
static const char * const lif_name[] = { ION_LIF_STATS(NAME) };
#undef NAME
#define SLOT(name, slot) slot,
static const u16 lif_slot[] = { ION_LIF_STATS(SLOT) };
#undef SLOT
#define NAME(name) #name,
static const char * const port_name[] = { ION_PORT_STATS(NAME) };
#undef NAME

/* what the guest's ethtool -S reads is what the device has counted */
TEST(counters_published, 20)
{
	const struct ion_lif_info *lif;
	const struct ion_port_info *port;
	unsigned int i;

	et_open(&dev, uuid0);
	et_up(&dev);
	for (i = 0; i < 10; i++) {
		et_send_one(&dev, 0, 60);
		et_recv_one(&dev, 200);
	}
	et_doorbell(&dev, 200, 99, 1);
	usleep(1300000);
	lif = (const void *)dev.lif_info.va;
	port = (const void *)dev.port_info.va;
	for (i = 0; i < sizeof(lif_slot) / 2; i++)
		if (le64toh(lif->stats[lif_slot[i]]) !=
		    et_stat(&dev, lif_name[i]))
			FAIL("%s: %llu in lif_info", lif_name[i],
			     (unsigned long long)lif->stats[lif_slot[i]]);
	for (i = 0; i < ION_PORT_STAT_COUNT; i++)
		if (le64toh(port->stats[i]) != et_stat(&dev, port_name[i]))
			FAIL("%s: %llu in port_info", port_name[i],
			     (unsigned long long)port->stats[i]);
	CHECK_EQ(et_stat(&dev, "tx_ucast_packets"), 10);
	CHECK_EQ(et_stat(&dev, "rx_ucast_bytes"), 2000);
	CHECK_EQ(et_stat(&dev, "frames_tx_64b"), 10);
	CHECK_EQ(et_stat(&dev, "frames_rx_128b_255b"), 10);
	/* nobody looks at the slot of a queue that does not exist */
	CHECK_EQ(et_stat(&dev, "tx_queue_disabled"), dev.map[BAR2] ? 0 : 1);
	et_check_canary(&dev);
}
