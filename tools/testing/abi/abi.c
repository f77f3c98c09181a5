// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares include/ionic with the kernel's own headers of the ionic driver:
 * every size, every offset and size of a member, every value.  TAP, one test a
 * structure or group of values.
 *
 * What a structure of ours holds must be compared (M) or named as reserved (R);
 * a byte that is neither fails the test, so a new member cannot be forgotten.
 * abi.sh checks the same for values: each ION_* stands in this file.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>
#include <linux/bits.h>
#include "ionic_if.h"
#include "ionic_regs.h"
#include "ionic_fw.h"
#undef IONIC_REGS_H	/* theirs; ours has the same guard */

#include <ionic/cmd.h>
#include <ionic/desc.h>
#include <ionic/info.h>
#include <ionic/rdma.h>
#include <ionic/rdma_admin.h>
#include <ionic/regs.h>

static const char *test;
static int ntest, nfailed, ndiff;
static u8 covered[65536];
static size_t cover_size;

__printf(1, 2)
static void differ(const char *fmt, ...)
{
	va_list ap;

	ndiff++;
	printf("# %s: ", test);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static void begin(const char *name, size_t size)
{
	test = name;
	ndiff = 0;
	cover_size = size;
	memset(covered, 0, sizeof(covered));
}

static void end(void)
{
	size_t i;

	for (i = 0; i < cover_size; i++)
		if (!covered[i])
			differ("byte %zu is neither compared nor reserved", i);
	printf("%sok %d - %s\n", ndiff ? "not " : "", ++ntest, test);
	nfailed += !!ndiff;
}

static void reserved(size_t off, size_t size)
{
	memset(covered + off, 1, size);
}

static void member(const char *name, size_t off, size_t size,
		   const char *kname, size_t koff, size_t ksize)
{
	reserved(off, size);
	if (off != koff || size != ksize)
		differ("%s is at %zu, size %zu; %s is at %zu, size %zu",
		       name, off, size, kname, koff, ksize);
}

static void same(const char *name, u64 val, const char *kname, u64 kval)
{
	if (val != kval)
		differ("%s is %#llx, %s is %#llx", name,
		       (unsigned long long)val, kname,
		       (unsigned long long)kval);
}

#define SIZEOF(t, m)	sizeof(((t *)0)->m)
/* a view of a union, by its member's name */
#define VIEW(u, v)	typeof(((union u *)0)->v)

#define VALUES(name)	begin(name, 0)
#define V(o, k)		same(#o, o, #k, k)
#define S(n)		V(ION_##n, IONIC_##n)
/* ours alone: has no counterpart that could differ */
#define OWN(o)		((void)(o))

/*
 * STRUCT, M and R work on the types ours and theirs.  A request or completion
 * of the kernel's is padded to its full size, ours need not be.
 */
#define STRUCT(name)		{ begin(name, sizeof(ours));
#define M(o, k)			member(#o, offsetof(ours, o), SIZEOF(ours, o), \
				       #k, offsetof(theirs, k), \
				       SIZEOF(theirs, k))
#define MM(m)			M(m, m)
#define R(o)			reserved(offsetof(ours, o), SIZEOF(ours, o))
#define WHOLE()			same("size", sizeof(ours), "size", sizeof(theirs))
#define END()			end(); }

static void values_cmd(void)
{
	VALUES("opcodes");
	S(CMD_NOP); S(CMD_IDENTIFY); S(CMD_INIT); S(CMD_RESET);
	S(CMD_PORT_IDENTIFY); S(CMD_PORT_INIT); S(CMD_PORT_RESET);
	S(CMD_PORT_GETATTR); S(CMD_PORT_SETATTR);
	S(CMD_LIF_IDENTIFY); S(CMD_LIF_INIT); S(CMD_LIF_RESET);
	S(CMD_LIF_GETATTR); S(CMD_LIF_SETATTR);
	S(CMD_RX_MODE_SET); S(CMD_RX_FILTER_ADD); S(CMD_RX_FILTER_DEL);
	S(CMD_Q_IDENTIFY); S(CMD_Q_INIT); S(CMD_Q_CONTROL);
	S(CMD_RDMA_RESET_LIF); S(CMD_RDMA_CREATE_EQ); S(CMD_RDMA_CREATE_CQ);
	S(CMD_RDMA_CREATE_ADMINQ);
	S(CMD_VF_GETATTR); S(CMD_VF_SETATTR); S(CMD_VF_CTRL);
	S(CMD_DISCOVER_CMB);
	S(CMD_FW_DOWNLOAD); S(CMD_FW_CONTROL);
	end();

	VALUES("status codes");
	S(RC_SUCCESS); S(RC_EVERSION); S(RC_EOPCODE); S(RC_EIO); S(RC_EPERM);
	S(RC_EQID); S(RC_EQTYPE); S(RC_ENOENT); S(RC_EAGAIN); S(RC_ENOMEM);
	S(RC_EFAULT); S(RC_EBUSY); S(RC_EEXIST); S(RC_EINVAL); S(RC_ENOSPC);
	S(RC_ERANGE); S(RC_BAD_ADDR); S(RC_DEV_CMD); S(RC_ENOSUPP);
	S(RC_ERROR);
	end();

	VALUES("queue types, features and flags");
	S(QTYPE_ADMINQ); S(QTYPE_NOTIFYQ); S(QTYPE_RXQ); S(QTYPE_TXQ);
	S(QTYPE_EQ); S(QTYPE_MAX);
	S(QIDENT_F_CQ); S(QIDENT_F_SG); S(QIDENT_F_CMB); S(QIDENT_F_EXPDB);
	S(QINIT_F_IRQ); S(QINIT_F_ENA); S(QINIT_F_SG); S(QINIT_F_EQ);
	S(QINIT_F_CMB);
	S(Q_DISABLE); S(Q_ENABLE); S(Q_HANG_RESET);
	V(ION_COLOR, IONIC_COMP_COLOR_MASK);
	end();

	VALUES("controller memory");
	S(DEV_CAP_DISC_CMB);
	V(ION_CMB_DEVMEM, IONIC_CMB_TYPE_DEVMEM);
	V(ION_CMB_EXPDB64, IONIC_CMB_TYPE_EXPDB64);
	V(ION_CMB_EXPDB128, IONIC_CMB_TYPE_EXPDB128);
	V(ION_CMB_EXPDB256, IONIC_CMB_TYPE_EXPDB256);
	V(ION_CMB_EXPDB512, IONIC_CMB_TYPE_EXPDB512);
	V(ION_CMB_F_EXPDB, IONIC_CMB_FLAG_EXPDB);
	V(ION_CMB_MAX_REGIONS, IONIC_MAX_CMB_REGIONS);
	V(ION_CMB_UNIT_SHIFT, IONIC_CMB_SHIFT_64K);
	V(ION_CMB_SIZE, IONIC_BAR2_CMB_ENTRY_SIZE);
	OWN(ION_BAR4_SIZE); OWN(ION_CMB_REGIONS); OWN(ION_CMB_PAGE_SIZE);
	OWN(ION_CMB_PAGES);
	/* of rdma-core's provider, which no kernel header has */
	OWN(ION_EXPDB_TYPE_MASK); OWN(ION_EXPDB_MARK_MASK); OWN(ION_EXPDB_MARK);
	end();

	VALUES("LIF capabilities, features and attributes");
	S(LIF_CAP_ETH); S(LIF_CAP_RDMA);
	S(ETH_HW_VLAN_TX_TAG); S(ETH_HW_VLAN_RX_STRIP);
	S(ETH_HW_VLAN_RX_FILTER); S(ETH_HW_RX_HASH); S(ETH_HW_RX_CSUM);
	S(ETH_HW_TX_SG); S(ETH_HW_RX_SG); S(ETH_HW_TX_CSUM); S(ETH_HW_TSO);
	S(ETH_HW_TSO_IPV6); S(ETH_HW_TSO_ECN);
	S(LIF_ATTR_STATE); S(LIF_ATTR_NAME); S(LIF_ATTR_MTU); S(LIF_ATTR_MAC);
	S(LIF_ATTR_FEATURES); S(LIF_ATTR_RSS); S(LIF_ATTR_STATS_CTRL);
	S(LIF_QUIESCE); S(LIF_ENABLE); S(LIF_DISABLE);
	end();

	VALUES("port attributes and states");
	S(PORT_ATTR_STATE); S(PORT_ATTR_SPEED); S(PORT_ATTR_MTU);
	S(PORT_ATTR_AUTONEG); S(PORT_ATTR_FEC); S(PORT_ATTR_PAUSE);
	S(PORT_ATTR_LOOPBACK); S(PORT_ATTR_STATS_CTRL);
	V(ION_PORT_ADMIN_NONE, IONIC_PORT_ADMIN_STATE_NONE);
	V(ION_PORT_ADMIN_DOWN, IONIC_PORT_ADMIN_STATE_DOWN);
	V(ION_PORT_ADMIN_UP, IONIC_PORT_ADMIN_STATE_UP);
	V(ION_LINK_UP, IONIC_PORT_OPER_STATUS_UP);
	V(ION_LINK_DOWN, IONIC_PORT_OPER_STATUS_DOWN);
	V(ION_PHY_NONE, IONIC_PHY_TYPE_NONE);
	V(ION_PHY_COPPER, IONIC_PHY_TYPE_COPPER);
	V(ION_PHY_FIBER, IONIC_PHY_TYPE_FIBER);
	S(XCVR_STATE_REMOVED); S(XCVR_STATE_INSERTED);
	S(XCVR_STATE_SPROM_READ);
	S(PORT_TYPE_ETH);
	end();

	VALUES("receive modes, filters and RSS");
	S(RSS_TYPE_IPV4); S(RSS_TYPE_IPV4_TCP); S(RSS_TYPE_IPV4_UDP);
	S(RSS_TYPE_IPV6); S(RSS_TYPE_IPV6_TCP); S(RSS_TYPE_IPV6_UDP);
	V(ION_RSS_KEY_LEN, IONIC_RSS_HASH_KEY_SIZE);
	V(ION_RX_MODE_UNICAST, IONIC_RX_MODE_F_UNICAST);
	V(ION_RX_MODE_MULTICAST, IONIC_RX_MODE_F_MULTICAST);
	V(ION_RX_MODE_BROADCAST, IONIC_RX_MODE_F_BROADCAST);
	V(ION_RX_MODE_PROMISC, IONIC_RX_MODE_F_PROMISC);
	V(ION_RX_MODE_ALLMULTI, IONIC_RX_MODE_F_ALLMULTI);
	V(ION_RX_FILTER_VLAN, IONIC_RX_FILTER_MATCH_VLAN);
	V(ION_RX_FILTER_MAC, IONIC_RX_FILTER_MATCH_MAC);
	V(ION_RX_FILTER_MAC_VLAN, IONIC_RX_FILTER_MATCH_MAC_VLAN);
	V(ION_RX_FILTER_PKTCLASS, IONIC_RX_FILTER_STEER_PKTCLASS);
	end();

	VALUES("events");
	S(EVENT_LINK_CHANGE); S(EVENT_RESET);
	OWN(ION_NOTIFYQ_ENTRIES_MAX);
	end();
}

static void values_desc(void)
{
	u64 all = ~0ull;

	VALUES("transmit descriptor");
	V(ION_ADDR_MASK, IONIC_ADDR_MASK);
	V(ION_TXD_FLAGS_MASK, (u64)IONIC_TXQ_DESC_FLAGS_MASK <<
	  IONIC_TXQ_DESC_FLAGS_SHIFT);
	V(ION_TXD_OPCODE_MASK, (u64)IONIC_TXQ_DESC_OPCODE_MASK <<
	  IONIC_TXQ_DESC_OPCODE_SHIFT);
	V(ION_TXD_NSGE_MASK, (u64)IONIC_TXQ_DESC_NSGE_MASK <<
	  IONIC_TXQ_DESC_NSGE_SHIFT);
	V(ION_TXD_ADDR_MASK, (u64)IONIC_TXQ_DESC_ADDR_MASK <<
	  IONIC_TXQ_DESC_ADDR_SHIFT);
	V(ION_TXD_ADDR_MASK, encode_txq_desc_cmd(0, 0, 0, all));
	V(ION_TXD_NSGE_MASK, encode_txq_desc_cmd(0, 0, all, 0));
	V(ION_TXD_OPCODE_MASK, encode_txq_desc_cmd(all, 0, 0, 0));
	V(ION_TXD_FLAGS_MASK, encode_txq_desc_cmd(0, all, 0, 0));
	V(ION_TXD_F_VLAN, IONIC_TXQ_DESC_FLAG_VLAN);
	V(ION_TXD_F_ENCAP, IONIC_TXQ_DESC_FLAG_ENCAP);
	V(ION_TXD_F_TSO_SOT, IONIC_TXQ_DESC_FLAG_TSO_SOT);
	V(ION_TXD_F_TSO_EOT, IONIC_TXQ_DESC_FLAG_TSO_EOT);
	V(ION_TXD_CSUM_NONE, IONIC_TXQ_DESC_OPCODE_CSUM_NONE);
	V(ION_TXD_CSUM_PARTIAL, IONIC_TXQ_DESC_OPCODE_CSUM_PARTIAL);
	V(ION_TXD_CSUM_HW, IONIC_TXQ_DESC_OPCODE_CSUM_HW);
	V(ION_TXD_TSO, IONIC_TXQ_DESC_OPCODE_TSO);
	V(ION_TX_MAX_SG, IONIC_TX_MAX_SG_ELEMS_V1);
	V(ION_TX_SG_STRIDE, IONIC_TX_SG_DESC_STRIDE_V1);
	V(ION_TX_SG_STRIDE * sizeof(struct ion_sg_elem),
	  sizeof(struct ionic_txq_sg_desc_v1));
	OWN(ION_RING_SIZE_LOG2_MIN);
	OWN(ION_RING_SIZE_LOG2_MAX);
	end();

	VALUES("receive descriptor and completion");
	V(ION_RXD_SIMPLE, IONIC_RXQ_DESC_OPCODE_SIMPLE);
	V(ION_RXD_SG, IONIC_RXQ_DESC_OPCODE_SG);
	V(ION_RX_MAX_SG, IONIC_RX_MAX_SG_ELEMS);
	V(ION_RX_SG_STRIDE, IONIC_RX_SG_DESC_STRIDE);
	V(ION_RX_SG_STRIDE * sizeof(struct ion_sg_elem),
	  sizeof(struct ionic_rxq_sg_desc));
	V(ION_RXC_CSUM_F_TCP_OK, IONIC_RXQ_COMP_CSUM_F_TCP_OK);
	V(ION_RXC_CSUM_F_UDP_OK, IONIC_RXQ_COMP_CSUM_F_UDP_OK);
	V(ION_RXC_CSUM_F_IP_OK, IONIC_RXQ_COMP_CSUM_F_IP_OK);
	V(ION_RXC_CSUM_F_VLAN, IONIC_RXQ_COMP_CSUM_F_VLAN);
	V(ION_RXC_CSUM_F_CALC, IONIC_RXQ_COMP_CSUM_F_CALC);
	V(ION_PKT_TYPE_MASK, IONIC_RXQ_COMP_PKT_TYPE_MASK);
	V(ION_PKT_NON_IP, IONIC_PKT_TYPE_NON_IP);
	V(ION_PKT_IPV4, IONIC_PKT_TYPE_IPV4);
	V(ION_PKT_IPV4_TCP, IONIC_PKT_TYPE_IPV4_TCP);
	V(ION_PKT_IPV4_UDP, IONIC_PKT_TYPE_IPV4_UDP);
	V(ION_PKT_IPV6, IONIC_PKT_TYPE_IPV6);
	V(ION_PKT_IPV6_TCP, IONIC_PKT_TYPE_IPV6_TCP);
	V(ION_PKT_IPV6_UDP, IONIC_PKT_TYPE_IPV6_UDP);
	end();
}

#define INFO(m)		offsetof(union ionic_dev_info_regs, m)
#define CMDREG(m)	offsetof(union ionic_dev_cmd_regs, m)
#define INTR(m)		offsetof(struct ionic_intr, m)
#define CMDREG_LEN(m)	SIZEOF(union ionic_dev_cmd_regs, m)

static void values_regs(void)
{
	VALUES("BAR0 map");
	V(ION_DEV_INFO_OFF, IONIC_BAR0_DEV_INFO_REGS_OFFSET);
	V(ION_DEV_INFO_SIZE, sizeof(union ionic_dev_info_regs));
	V(ION_DEV_CMD_OFF, IONIC_BAR0_DEV_CMD_REGS_OFFSET);
	V(ION_DEV_CMD_SIZE, sizeof(union ionic_dev_cmd_regs));
	V(ION_INTR_STATUS_OFF, IONIC_BAR0_INTR_STATUS_OFFSET);
	V(ION_INTR_CTRL_OFF, IONIC_BAR0_INTR_CTRL_OFFSET);
	V(ION_INTR_CTRL_STRIDE, sizeof(struct ionic_intr));
	/* the driver wants the first 32 KiB; MSI-X lies behind them */
	V(ION_MSIX_TABLE_OFF, IONIC_BAR0_SIZE);
	OWN(ION_BAR0_SIZE); OWN(ION_BAR2_SIZE); OWN(ION_INTR_STATUS_SIZE);
	OWN(ION_MSIX_PBA_OFF); OWN(ION_MSIX_VECTORS);
	OWN(ION_PCI_SUBDEVICE_ERNIC);
	OWN(ION_PCI_VENDOR); OWN(ION_PCI_DEVICE_PF); /* abi.sh */
	end();

	VALUES("device information");
	V(ION_SIGNATURE, IONIC_DEV_INFO_SIGNATURE);
	V(ION_INFO_VERSION_1, IONIC_DEV_INFO_VERSION);
	V(ION_INFO_SIGNATURE, INFO(signature));
	V(ION_INFO_VERSION, INFO(version));
	V(ION_INFO_ASIC_TYPE, INFO(asic_type));
	V(ION_INFO_ASIC_REV, INFO(asic_rev));
	V(ION_INFO_FW_STATUS, INFO(fw_status));
	V(ION_INFO_FW_HEARTBEAT, INFO(fw_heartbeat));
	V(ION_INFO_FW_VERSION, INFO(fw_version));
	V(ION_INFO_SERIAL, INFO(serial_num));
	V(ION_INFO_STR_LEN, IONIC_DEVINFO_FWVERS_BUFLEN);
	V(ION_INFO_STR_LEN, IONIC_DEVINFO_SERIAL_BUFLEN);
	V(ION_FW_STS_RUNNING, IONIC_FW_STS_F_RUNNING);
	V(ION_FW_STS_GENERATION, IONIC_FW_STS_F_GENERATION);
	V(ION_ASIC_NONE, IONIC_ASIC_TYPE_NONE);
	V(ION_ASIC_CAPRI, IONIC_ASIC_TYPE_CAPRI);
	V(ION_ASIC_ELBA, IONIC_ASIC_TYPE_ELBA);
	V(ION_ASIC_GIGLIO, IONIC_ASIC_TYPE_GIGLIO);
	V(ION_ASIC_SALINA, IONIC_ASIC_TYPE_SALINA);
	end();

	VALUES("device command registers");
	V(ION_CMD_DOORBELL, CMDREG(doorbell));
	V(ION_CMD_DONE, CMDREG(done));
	V(ION_CMD_REQUEST, CMDREG(cmd));
	V(ION_CMD_REQUEST_LEN, CMDREG_LEN(cmd));
	V(ION_CMD_COMPLETION, CMDREG(comp));
	V(ION_CMD_COMPLETION_LEN, CMDREG_LEN(comp));
	V(ION_CMD_SIDE_DATA, CMDREG(data));
	V(ION_CMD_SIDE_DATA_LEN, CMDREG_LEN(data));
	end();

	VALUES("interrupt control");
	V(ION_INTR_COAL_INIT, INTR(coal_init));
	V(ION_INTR_MASK, INTR(mask));
	V(ION_INTR_CREDITS, INTR(credits));
	V(ION_INTR_MASK_ASSERT, INTR(mask_assert));
	V(ION_INTR_COAL, INTR(coal));
	V(ION_INTR_CRED_COUNT_MASK, IONIC_INTR_CRED_COUNT_SIGNED);
	V(ION_INTR_CRED_UNMASK, IONIC_INTR_CRED_UNMASK);
	V(ION_INTR_CRED_RESET_COAL, IONIC_INTR_CRED_RESET_COALESCE);
	end();

	VALUES("doorbells");
	V(ION_DB_P_INDEX_MASK, IONIC_DBELL_INDEX_MASK);
	V(ION_DB_RING_MASK, IONIC_DBELL_RING(~0ull));
	V(ION_DB_QID_MASK, IONIC_DBELL_QID(~0ull));
	OWN(ION_DB_PAGE_SHIFT); OWN(ION_DB_PAGE_SIZE); OWN(ION_DB_PAGES);
	OWN(ION_DB_SLOTS);
	end();
}

#define CMD_STRUCT(view, kernel) { \
	typedef VIEW(ion_cmd, view) ours; \
	typedef struct kernel theirs; \
	STRUCT("request " #view) \
	same("size of union ion_cmd", sizeof(union ion_cmd), #kernel, \
	     sizeof(theirs));
#define COMP_STRUCT(view, kernel) { \
	typedef VIEW(ion_comp, view) ours; \
	typedef struct kernel theirs; \
	STRUCT("completion " #view) \
	same("size of union ion_comp", sizeof(union ion_comp), #kernel, \
	     sizeof(theirs));
#define TYPE(o, k) { \
	typedef o ours; \
	typedef k theirs; \
	STRUCT(#o)
#define DONE()	END() }

static void requests(void)
{
	{
		/* the common view has no name: its members are the union's */
		typedef union ion_cmd ours;
		typedef struct ionic_admin_cmd theirs;

		begin("request, common view", 4);
		MM(opcode); R(rsvd); MM(lif_index); WHOLE();
		end();
	}
	CMD_STRUCT(identify, ionic_dev_identify_cmd)
	MM(opcode); MM(ver); DONE()
	CMD_STRUCT(init, ionic_dev_init_cmd)
	MM(opcode); MM(type); DONE()
	CMD_STRUCT(port_init, ionic_port_init_cmd)
	MM(opcode); MM(index); R(rsvd); MM(info_pa); DONE()
	CMD_STRUCT(port_setattr, ionic_port_setattr_cmd)
	MM(opcode); MM(index); MM(attr); R(rsvd); M(value, speed); DONE()
	CMD_STRUCT(lif_identify, ionic_lif_identify_cmd)
	MM(opcode); MM(type); MM(ver); DONE()
	CMD_STRUCT(lif_init, ionic_lif_init_cmd)
	MM(opcode); MM(type); MM(index); R(rsvd); MM(info_pa); DONE()
	CMD_STRUCT(lif_reset, ionic_lif_reset_cmd)
	MM(opcode); R(rsvd); MM(index); DONE()
	CMD_STRUCT(lif_getattr, ionic_lif_getattr_cmd)
	MM(opcode); MM(attr); MM(index); DONE()
	CMD_STRUCT(lif_setattr, ionic_lif_setattr_cmd)
	MM(opcode); MM(attr); MM(index); MM(state); MM(name); MM(mtu); MM(mac);
	MM(features); MM(stats_ctl); MM(rss); MM(rss.types); MM(rss.key);
	MM(rss.addr); DONE()
	CMD_STRUCT(rx_mode_set, ionic_rx_mode_set_cmd)
	MM(opcode); R(rsvd); MM(lif_index); MM(rx_mode); DONE()
	{
		typedef VIEW(ion_cmd, rx_filter_add) ours;
		typedef struct ionic_rx_filter_add_cmd theirs;

		/* padding behind the last member */
		begin("request rx_filter_add", offsetof(ours, mac_vlan.mac) + 6);
		MM(opcode); MM(qtype); MM(lif_index); MM(qid); MM(match);
		M(vlan, vlan.vlan); M(mac, mac.addr); MM(mac_vlan);
		MM(mac_vlan.vlan); M(mac_vlan.mac, mac_vlan.addr);
		end();
	}
	CMD_STRUCT(rx_filter_del, ionic_rx_filter_del_cmd)
	MM(opcode); R(rsvd); MM(lif_index); MM(filter_id); DONE()
	CMD_STRUCT(q_identify, ionic_q_identify_cmd)
	MM(opcode); R(rsvd); MM(lif_type); MM(type); MM(ver); DONE()
	CMD_STRUCT(q_init, ionic_q_init_cmd)
	MM(opcode); R(rsvd); MM(lif_index); MM(type); MM(ver); R(rsvd1);
	MM(index); MM(pid); MM(intr_index); MM(flags); MM(cos); MM(ring_size);
	MM(ring_base); MM(cq_ring_base); MM(sg_ring_base); R(rsvd2);
	MM(features); DONE()
	{
		typedef VIEW(ion_cmd, q_control) ours;
		typedef struct ionic_q_control_cmd theirs;

		/* padding behind the last member */
		begin("request q_control", offsetof(ours, oper) + 1);
		MM(opcode); MM(type); MM(lif_index); MM(index); MM(oper);
		end();
	}
}

static void completions(void)
{
	{
		typedef union ion_comp ours;
		typedef struct ionic_admin_comp theirs;

		STRUCT("completion, common view")
		MM(status); R(rsvd); MM(comp_index); M(data, cmd_data);
		MM(color); WHOLE(); DONE()
	COMP_STRUCT(identify, ionic_dev_identify_comp)
	MM(status); MM(ver); DONE()
	COMP_STRUCT(lif_init, ionic_lif_init_comp)
	MM(status); R(rsvd); MM(hw_index); DONE()
	COMP_STRUCT(lif_attr, ionic_lif_getattr_comp)
	MM(status); R(rsvd); MM(comp_index); MM(state); MM(mtu); MM(mac);
	MM(features); DONE()
	{
		typedef VIEW(ion_comp, lif_attr) ours;
		typedef struct ionic_lif_setattr_comp theirs;

		begin("completion lif_attr of LIF_SETATTR", 0);
		MM(status); MM(comp_index); MM(features);
		end();
	}
	COMP_STRUCT(port_getattr, ionic_port_getattr_comp)
	MM(status); R(rsvd); M(value, speed); DONE()
	COMP_STRUCT(rx_filter_add, ionic_rx_filter_add_comp)
	MM(status); R(rsvd); MM(comp_index); MM(filter_id); DONE()
	{
		typedef VIEW(ion_comp, q_init) ours;
		typedef struct ionic_q_init_comp theirs;

		begin("completion q_init", offsetof(ours, hw_type) + 1);
		MM(status); R(rsvd); MM(comp_index); MM(hw_index); MM(hw_type);
		end();
	}
}

static void identities(void)
{
	VALUES("side data");
	same("side data", ION_CMD_SIDE_DATA_LEN, "union ionic_dev_identity",
	     sizeof(union ionic_dev_identity));
	same("side data", ION_CMD_SIDE_DATA_LEN, "union ionic_lif_identity",
	     sizeof(union ionic_lif_identity));
	same("side data", ION_CMD_SIDE_DATA_LEN,
	     "union ionic_discover_cmb_identity",
	     sizeof(union ionic_discover_cmb_identity));
	same("side data", ION_CMD_SIDE_DATA_LEN, "union ionic_port_identity",
	     sizeof(union ionic_port_identity));
	same("side data", ION_CMD_SIDE_DATA_LEN, "union ionic_q_identity",
	     sizeof(union ionic_q_identity));
	end();

	TYPE(struct ion_dev_identity, union ionic_dev_identity)
	MM(version); MM(type); R(rsvd); MM(nports); R(rsvd2); MM(nlifs);
	MM(nintrs); MM(ndbpgs_per_lif); MM(intr_coal_mult); MM(intr_coal_div);
	MM(eq_count); MM(hwstamp_mask); MM(hwstamp_mult); MM(hwstamp_shift);
	MM(capabilities); DONE()
	TYPE(struct ion_cmb_layout, union ionic_discover_cmb_identity)
	MM(num_regions); MM(flags); MM(region); MM(region[0].bar_num);
	MM(region[1].cmb_type); MM(region[2].offset); MM(region[3].length);
	DONE()
	TYPE(struct ion_lif_config, union ionic_lif_config)
	MM(state); R(rsvd); MM(name); MM(mtu); MM(mac); MM(vlan); MM(features);
	MM(queue_count); R(rsvd2); WHOLE(); DONE()
	TYPE(struct ion_lif_identity, union ionic_lif_identity)
	MM(capabilities); MM(eth); MM(eth.version); MM(eth.max_ucast_filters);
	MM(eth.max_mcast_filters); MM(eth.rss_ind_tbl_sz);
	MM(eth.min_frame_size); MM(eth.max_frame_size);
	MM(eth.hwstamp_tx_modes); MM(eth.hwstamp_rx_filters); MM(eth.config);
	MM(rdma.version); MM(rdma.qp_opcodes); MM(rdma.admin_opcodes);
	MM(rdma.minor_version); MM(rdma.npts_per_lif); MM(rdma.nmrs_per_lif);
	MM(rdma.nahs_per_lif); MM(rdma.max_stride); MM(rdma.cl_stride);
	MM(rdma.pte_stride); MM(rdma.rrq_stride); MM(rdma.rsq_stride);
	MM(rdma.dcqcn_profiles); MM(rdma.udma_shift); R(rdma.rsvd_dimensions);
	MM(rdma.page_size_cap); M(rdma.aq, rdma.aq_qtype);
	M(rdma.sq, rdma.sq_qtype); M(rdma.rq, rdma.rq_qtype);
	M(rdma.cq, rdma.cq_qtype); M(rdma.eq, rdma.eq_qtype);
	MM(rdma.stats_type); R(rdma.rsvd1); DONE()
	TYPE(struct ion_port_config, union ionic_port_config)
	MM(speed); MM(mtu); MM(state); MM(an_enable); MM(fec_type);
	MM(pause_type); MM(loopback_mode); R(rsvd); WHOLE(); DONE()
	TYPE(struct ion_port_identity, union ionic_port_identity)
	MM(version); MM(type); MM(num_lanes); MM(autoneg); MM(min_frame_size);
	MM(max_frame_size); MM(fec_type); MM(pause_type); MM(loopback_mode);
	MM(speeds); R(rsvd2); MM(config); DONE()
	TYPE(struct ion_q_identity, union ionic_q_identity)
	MM(version); MM(supported); R(rsvd); MM(features); MM(desc_sz);
	MM(comp_sz); MM(sg_desc_sz); MM(max_sg_elems); MM(sg_desc_stride);
	R(rsvd2); DONE()
}

static void rings(void)
{
	TYPE(struct ion_txq_desc, struct ionic_txq_desc)
	MM(cmd); MM(len); MM(vlan_tci); MM(csum_start); MM(hdr_len);
	MM(csum_offset); MM(mss); WHOLE(); DONE()
	TYPE(struct ion_sg_elem, struct ionic_txq_sg_elem)
	MM(addr); MM(len); R(rsvd); WHOLE(); DONE()
	TYPE(struct ion_sg_elem, struct ionic_rxq_sg_elem)
	MM(addr); MM(len); R(rsvd); WHOLE(); DONE()
	TYPE(struct ion_txq_comp, struct ionic_txq_comp)
	MM(status); R(rsvd); MM(comp_index); R(rsvd2); MM(color); WHOLE();
	DONE()
	TYPE(struct ion_rxq_desc, struct ionic_rxq_desc)
	MM(opcode); R(rsvd); MM(len); MM(addr); WHOLE(); DONE()
	TYPE(struct ion_rxq_comp, struct ionic_rxq_comp)
	MM(status); MM(num_sg_elems); MM(comp_index); MM(rss_hash); MM(csum);
	MM(vlan_tci); MM(len); MM(csum_flags); MM(pkt_type_color); WHOLE();
	DONE()
	TYPE(struct ion_notifyq_event, struct ionic_notifyq_event)
	MM(eid); MM(ecode); MM(data); WHOLE(); DONE()
	{
		typedef struct ion_notifyq_event ours;
		typedef struct ionic_link_change_event theirs;

		begin("struct ion_notifyq_event, link change", 0);
		M(link.link_status, link_status);
		M(link.link_speed, link_speed);
		WHOLE();
		end();
	}
	{
		typedef struct ion_notifyq_event ours;
		typedef struct ionic_reset_event theirs;

		begin("struct ion_notifyq_event, reset", 0);
		M(reset.reset_code, reset_code);
		M(reset.state, state);
		WHOLE();
		end();
	}
}

static void info_blocks(void)
{
	TYPE(struct ion_lif_status, struct ionic_lif_status)
	MM(eid); MM(port_num); R(rsvd); MM(link_status); MM(link_speed);
	MM(link_down_count); R(rsvd2); WHOLE(); DONE()
	TYPE(struct ion_lif_info, struct ionic_lif_info)
	MM(config); MM(status); MM(stats); WHOLE(); DONE()
	TYPE(struct ion_port_status, struct ionic_port_status)
	MM(id); MM(speed); MM(status); MM(link_down_count); MM(fec_type);
	R(rsvd); MM(xcvr); MM(xcvr.state); MM(xcvr.phy); MM(xcvr.pid);
	MM(xcvr.sprom); WHOLE(); DONE()
	TYPE(struct ion_port_info, struct ionic_port_info)
	MM(config); MM(status); MM(stats); DONE()

#define SLOT(name)	(offsetof(struct ionic_lif_stats, name) / sizeof(u64))
#define LIF(name, slot) \
	same("slot " #name, slot, "kernel", SLOT(name)); \
	V(ION_LIF_STAT_##name, SLOT(name));
	VALUES("LIF counters, ION_LIF_STATS, ION_LIF_STAT_COUNT");
	ION_LIF_STATS(LIF)
	same("counters", ION_LIF_STAT_COUNT, "struct ionic_lif_stats",
	     sizeof(struct ionic_lif_stats) / sizeof(u64));
	end();

#define PSLOT(name)	(offsetof(struct ionic_port_stats, name) / sizeof(u64))
#define PORT(name)	V(ION_PORT_STAT_##name, PSLOT(name));
	VALUES("port counters, ION_PORT_STATS, ION_PORT_STAT_COUNT");
	ION_PORT_STATS(PORT)
	same("counters", ION_PORT_STAT_COUNT, "struct ionic_port_stats",
	     sizeof(struct ionic_port_stats) / sizeof(u64));
	end();
}

#include "abi_rdma.c"

/* names of the LIF counters, for abi.sh to compare with the kernel's list */
static void names(void)
{
#define NAME(name, slot) printf("#name %s\n", #name);
	ION_LIF_STATS(NAME)
}

int main(void)
{
	values_cmd();
	values_desc();
	values_regs();
	requests();
	completions();
	identities();
	rings();
	info_blocks();
	values_rdma_flags();
	values_rdma_ops();
	values_rdma_admin();
	rdma_queues();
	rdma_admin();
	names();
	printf("#tests %d\n", ntest);
	return nfailed ? 1 : 0;
}
