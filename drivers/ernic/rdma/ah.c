// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses: header templates of address handles and connections, and the header
 * that precedes a datagram in the receiver's buffer.
 *
 * A template is what the driver would have the device send: Ethernet, perhaps a VLAN
 * tag, IPv4 or IPv6, UDP (ionic_controlpath.c:ionic_build_hdr).  It is the only place
 * where the guest tells of addresses, its own included.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/ip.h>

#include <ernic/kunit.h>

#include "engine.h"

/* a GID of IPv4 is the address mapped into IPv6 */
static void ernic_gid_of_ip4(u8 *gid, const void *addr)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, addr, 4);
}

/**
 * ernic_av_parse - take a header template apart
 * @av: result
 * @raw: template
 * @len: bytes
 *
 * Return: 0, or -EINVAL if it is not the template of a RoCE v2 packet to a unicast
 * address.
 */
int ernic_av_parse(struct ernic_av *av, const u8 *raw, unsigned int len)
{
	const struct ethhdr *eth = (const void *)raw;
	const struct ipv6hdr *ip6;
	const struct udphdr *udp;
	const struct iphdr *ip4;
	unsigned int at = ETH_HLEN;
	__be16 proto;

	memset(av, 0, sizeof(*av));
	if (len < ETH_HLEN + sizeof(*ip4) + sizeof(*udp) ||
	    len > sizeof(av->raw))
		return -EINVAL;
	memcpy(av->raw, raw, len);
	av->raw_len = len;
	ether_addr_copy(av->dmac, eth->h_dest);
	ether_addr_copy(av->smac, eth->h_source);
	proto = eth->h_proto;
	if (proto == htons(ETH_P_8021Q)) {
		const struct vlan_hdr *tag = (const void *)(raw + at);

		av->vlan = true;
		av->tci = be16_to_cpu(tag->h_vlan_TCI);
		proto = tag->h_vlan_encapsulated_proto;
		at += VLAN_HLEN;
	}

	if (proto == htons(ETH_P_IP)) {
		if (len != at + sizeof(*ip4) + sizeof(*udp))
			return -EINVAL;
		ip4 = (const void *)(raw + at);
		if (ip4->version != 4 || ip4->ihl != 5 ||
		    ip4->protocol != IPPROTO_UDP)
			return -EINVAL;
		av->ipv4 = true;
		av->tclass = ip4->tos;
		av->hop_limit = ip4->ttl;
		ernic_gid_of_ip4(av->sgid, &ip4->saddr);
		ernic_gid_of_ip4(av->dgid, &ip4->daddr);
		at += sizeof(*ip4);
	} else if (proto == htons(ETH_P_IPV6)) {
		if (len != at + sizeof(*ip6) + sizeof(*udp))
			return -EINVAL;
		ip6 = (const void *)(raw + at);
		if (ip6->version != 6 || ip6->nexthdr != IPPROTO_UDP)
			return -EINVAL;
		av->tclass = ip6->priority << 4 | ip6->flow_lbl[0] >> 4;
		av->flow = (ip6->flow_lbl[0] & 0xf) << 16 |
			   ip6->flow_lbl[1] << 8 | ip6->flow_lbl[2];
		av->hop_limit = ip6->hop_limit;
		memcpy(av->sgid, &ip6->saddr, sizeof(av->sgid));
		memcpy(av->dgid, &ip6->daddr, sizeof(av->dgid));
		at += sizeof(*ip6);
	} else {
		return -EINVAL;
	}
	udp = (const void *)(raw + at);
	if (udp->dest != htons(ION_ROCE_UDP_DPORT) ||
	    is_multicast_ether_addr(av->dmac) ||
	    is_multicast_ether_addr(av->smac))
		return -EINVAL;
	return 0;
}
ERNIC_KUNIT_EXPORT(ernic_av_parse);

/**
 * ernic_av_grh - the 40 bytes in front of a datagram
 * @av: sender's address vector
 * @grh: result, ION_GRH_LEN bytes
 * @payload: bytes that follow
 *
 * For IPv6 its header.  For IPv4 twenty zeros and then its header with a checksum:
 * receivers tell them apart by the version and believe the second only if the
 * checksum is right (ib_verbs.h:ib_get_rdma_header_version).
 */
void ernic_av_grh(const struct ernic_av *av, u8 *grh, u32 payload)
{
	/* UDP, base and datagram transport headers, payload, invariant CRC */
	u32 len = sizeof(struct udphdr) + 12 + 8 + payload + 4;
	struct ipv6hdr *ip6 = (struct ipv6hdr *)grh;
	struct iphdr *ip4 = (struct iphdr *)(grh + 20);

	memset(grh, 0, ION_GRH_LEN);
	if (av->ipv4) {
		ip4->version = 4;
		ip4->ihl = 5;
		ip4->tos = av->tclass;
		ip4->tot_len = cpu_to_be16(sizeof(*ip4) + len);
		ip4->frag_off = cpu_to_be16(IP_DF);
		ip4->ttl = av->hop_limit;
		ip4->protocol = IPPROTO_UDP;
		memcpy(&ip4->saddr, av->sgid + 12, 4);
		memcpy(&ip4->daddr, av->dgid + 12, 4);
		ip4->check = ip_fast_csum(ip4, ip4->ihl);
		return;
	}
	ip6->version = 6;
	ip6->priority = av->tclass >> 4;
	ip6->flow_lbl[0] = (av->tclass & 0xf) << 4 | av->flow >> 16;
	ip6->flow_lbl[1] = av->flow >> 8;
	ip6->flow_lbl[2] = av->flow;
	ip6->payload_len = cpu_to_be16(len);
	ip6->nexthdr = IPPROTO_UDP;
	ip6->hop_limit = av->hop_limit;
	memcpy(&ip6->saddr, av->sgid, sizeof(av->sgid));
	memcpy(&ip6->daddr, av->dgid, sizeof(av->dgid));
}
ERNIC_KUNIT_EXPORT(ernic_av_grh);

/**
 * ernic_av_read - read and check a template of the guest's
 * @rdma: engine
 * @av: result
 * @addr: guest address
 * @len: bytes
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_av_read(struct ernic_rdma *rdma, struct ernic_av *av, u64 addr,
		 u32 len)
{
	u8 raw[sizeof(av->raw)];

	if (!len || len > sizeof(raw))
		return ION_ASTS_BAD_ATTR;
	if (ernic_dma_read(rdma->edev, addr, raw, len) ||
	    ernic_av_parse(av, raw, len))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

/**
 * ernic_ah_get - find an address handle
 * @rdma: engine
 * @id: its number
 *
 * Return: it, with a reference, or NULL.
 */
struct ernic_ah *ernic_ah_get(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_ah *ah;

	rcu_read_lock();
	ah = xa_load(&rdma->ahs, id);
	if (ah && !ernic_obj_tryget(&ah->obj))
		ah = NULL;
	rcu_read_unlock();
	return ah;
}

/**
 * ernic_ah_create - CREATE_AH
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_ah_create(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	const struct ion_admin_create_ah *c = &wqe->cmd.create_ah;
	u32 id = le32_to_cpu(c->id_ver) & 0xffffff;
	struct ernic_ah *ah;
	u8 status;

	if (id >= rdma->edev->profile.rdma_ahs)
		return ION_ASTS_BAD_INDEX;
	if (le32_to_cpu(c->pd_id) >= ERNIC_RDMA_MAX_PD)
		return ION_ASTS_BAD_ATTR;
	if (xa_load(&rdma->ahs, id))
		return ION_ASTS_BAD_STATE;
	ah = kzalloc_obj(*ah, GFP_KERNEL_ACCOUNT);
	if (!ah)
		return ION_ASTS_BAD_STATE;
	ernic_obj_init(&ah->obj);
	ah->pd = le32_to_cpu(c->pd_id);
	status = ernic_av_read(rdma, &ah->av, le64_to_cpu(c->dma_addr),
			       le32_to_cpu(c->length));
	if (status)
		goto err;
	if (xa_err(xa_store(&rdma->ahs, id, ah, GFP_KERNEL_ACCOUNT))) {
		status = ION_ASTS_BAD_STATE;
		goto err;
	}
	ah->gid = ernic_gid_learn(rdma, ah->av.sgid, ah->av.smac, true);
	rdma->nahs++;
	return ION_ASTS_OK;
err:
	kfree(ah);
	return status;
}
ERNIC_KUNIT_EXPORT(ernic_ah_create);

/**
 * ernic_ah_query - QUERY_AH
 * @rdma: engine; the caller holds aq_lock
 * @wqe: command
 *
 * No driver sends it, and its layout has no place for the number of the handle: the
 * one with number 0 is meant.
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_ah_query(struct ernic_rdma *rdma, const struct ion_admin_wqe *wqe)
{
	struct ernic_ah *ah = xa_load(&rdma->ahs, 0);

	if (!ah)
		return ION_ASTS_BAD_INDEX;
	if (ernic_dma_write(rdma->edev, le64_to_cpu(wqe->cmd.query_ah.dma_addr),
			    ah->av.raw, ah->av.raw_len))
		return ION_ASTS_BAD_ATTR;
	return ION_ASTS_OK;
}

/**
 * ernic_ah_destroy - DESTROY_AH
 * @rdma: engine; the caller holds aq_lock
 * @id: number
 *
 * Return: enum ion_admin_status.
 */
u8 ernic_ah_destroy(struct ernic_rdma *rdma, u32 id)
{
	struct ernic_ah *ah = xa_erase(&rdma->ahs, id);

	if (!ah)
		return ION_ASTS_BAD_INDEX;
	ernic_obj_retire(&ah->obj);
	ernic_gid_put(rdma, ah->gid);
	rdma->nahs--;
	kfree_rcu(ah, obj.rcu);
	return ION_ASTS_OK;
}

/**
 * ernic_ah_destroy_all - for RDMA_RESET_LIF
 * @rdma: engine; the caller holds aq_lock
 */
void ernic_ah_destroy_all(struct ernic_rdma *rdma)
{
	struct ernic_ah *ah;
	unsigned long i;

	xa_for_each(&rdma->ahs, i, ah)
		ernic_ah_destroy(rdma, i);
}
