/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the Ethernet engine share. */
#ifndef ERNIC_ETH_ENGINE_H
#define ERNIC_ETH_ENGINE_H

#include <linux/tcp.h>

#include <ernic/eth.h>

/*
 * A batch ends after so many frames or bytes, as in drivers/vhost/net.c
 * (VHOST_NET_PKT_WEIGHT, VHOST_NET_WEIGHT); the third bounds descriptors, as a
 * guest may cut a frame into tiny ones.
 */
#define ERNIC_BATCH_FRAMES	256
#define ERNIC_BATCH_BYTES	(512 * 1024)
#define ERNIC_BATCH_DESCS	1024

/* frames that wait for the guest; drivers/net/tun.c has tx_queue_len, 500 */
#define ERNIC_RING_SIZE		512
/* frames that wait for NAPI; more, and the worker leaves the guest's alone */
#define ERNIC_TO_HOST_MAX	512

/*
 * The guest is told of completions when the worker has nothing left to do, and
 * meanwhile after so many frames to it, or so many batches without any.
 */
#define ERNIC_INTR_FRAMES	64
#define ERNIC_INTR_BATCHES	8

/* longest wait of a frame for a buffer of the guest */
#define ERNIC_RX_WAIT		(HZ / 10)

struct ernic_netdev {
	struct ernic_dev *edev;
};

/* tx.c */
bool ernic_tx_ready(const struct ernic_pair *pair);
void ernic_tx_poll(struct ernic_pair *pair, struct sk_buff_head *out);
void ernic_tx_rewind(struct ernic_pair *pair);

/* rx.c */
bool ernic_rx_poll(struct ernic_pair *pair);
void ernic_rx_purge(struct ernic_pair *pair);
void ernic_rx_timeout(struct timer_list *t);

/* pair.c */
int ernic_pairs_create(struct ernic_eth *eth);
void ernic_pairs_destroy(struct ernic_eth *eth);
int ernic_pair_fetch(struct ernic_queue *q, u16 index, unsigned int n,
		     void *buf, size_t size);
void ernic_pair_intr(struct ernic_pair *pair);
int ernic_pair_complete(struct ernic_queue *q, union ion_comp *comp);
int ernic_pair_napi_poll(struct napi_struct *napi, int budget);

/* count.c */
void ernic_frame_classify(struct ernic_frame *f, const u8 *dmac, bool vlan,
			  u16 tci);
void ernic_count_tx(u64 *lif, u64 *port, const struct ernic_frame *f, u32 len,
		    u32 n);
void ernic_count_tx_drop(u64 *lif, const struct ernic_frame *f, u32 len, u32 n);
void ernic_count_rx_port(u64 *port, const struct ernic_frame *f, u32 len,
			 u32 n);
void ernic_count_rx_lif(u64 *lif, const struct ernic_frame *f, u32 len, u32 n);
void ernic_count_rx_drop(u64 *lif, const struct ernic_frame *f, u32 len, u32 n);
void ernic_count_rx_too_long(u64 *port, u32 n);
void ernic_count_overrun(struct ernic_dev *edev, const struct sk_buff *skb);

/* steer.c */
u16 ernic_steer_queue(struct ernic_dev *edev, const struct sk_buff *skb);
u8 ernic_steer_hash(struct ernic_dev *edev, const struct sk_buff *skb,
		    u32 *hash);
int ernic_steer_update(struct ernic_eth *eth);
void ernic_steer_exit(struct ernic_eth *eth);

/* filter.c */
bool ernic_filter_accept_skb(struct ernic_dev *edev, const struct sk_buff *skb);

/* netdev.c, ethtool.c */
extern const struct ethtool_ops ernic_ethtool_ops;
void ernic_eth_carrier(struct ernic_dev *edev);

/**
 * ernic_net_offset - where the network header is
 * @hdr: Ethernet frame
 * @len: bytes of it, at least ETH_HLEN
 * @proto: its protocol, that of a tag if the frame ends there
 *
 * Return: offset behind all tags.
 */
static inline unsigned int ernic_net_offset(const u8 *hdr, unsigned int len,
					    __be16 *proto)
{
	unsigned int off = ETH_HLEN;

	*proto = ((const struct ethhdr *)hdr)->h_proto;
	while (eth_type_vlan(*proto) && off + VLAN_HLEN <= len) {
		*proto = ((const struct vlan_hdr *)(hdr + off))
				->h_vlan_encapsulated_proto;
		off += VLAN_HLEN;
	}
	return off;
}

/**
 * ernic_gso_hdr_len - bytes of headers of a GSO skb
 * @skb: frame on its way to the guest, data at the Ethernet header
 *
 * Return: 0 if the headers are not TCP's or not where they should be, which
 * nothing that went through netif_skb_features() is.
 */
static inline u32 ernic_gso_hdr_len(const struct sk_buff *skb)
{
	u32 len;
	int off;

	if (!(skb_shinfo(skb)->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) ||
	    !skb_transport_header_was_set(skb))
		return 0;
	off = skb_transport_offset(skb);
	if (off < ETH_HLEN || off + sizeof(struct tcphdr) > skb_headlen(skb))
		return 0;
	len = skb_tcp_all_headers(skb);
	return len < off + sizeof(struct tcphdr) ? 0 : len;
}

/**
 * ernic_skb_tag - outermost VLAN tag of a frame on its way to the guest
 * @skb: frame, data at the Ethernet header, which is linear
 * @tci: tag control information
 * @inband: the tag is in the data
 *
 * Return: its protocol, ETH_P_8021Q or ETH_P_8021AD, or 0 if there is none.
 */
static inline __be16 ernic_skb_tag(const struct sk_buff *skb, u16 *tci,
				   bool *inband)
{
	const struct vlan_ethhdr *veh = (const struct vlan_ethhdr *)skb->data;
	struct vlan_hdr buf;
	const struct vlan_hdr *vh;

	*inband = false;
	if (skb_vlan_tag_present(skb)) {
		*tci = skb_vlan_tag_get(skb);
		return skb->vlan_proto;
	}
	if (likely(!eth_type_vlan(veh->h_vlan_proto)))
		return 0;
	vh = skb_header_pointer(skb, ETH_HLEN, sizeof(buf), &buf);
	if (!vh)
		return 0;
	*inband = true;
	*tci = ntohs(vh->h_vlan_TCI);
	return veh->h_vlan_proto;
}

#endif
