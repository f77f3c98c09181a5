// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interfaces and neighbours, by rtnetlink.  Never by ioctl, which has room for 14
 * octets of a hardware address, where IPoIB has 20.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host.h"
#include "util.h"

#ifndef IFLA_IPOIB_MAX
#error "kernel headers without IFLA_IPOIB_*"
#endif

static void ipoib_attrs(struct ifc *i, const struct nlattr *info)
{
	const struct nlattr *a, *b;

	mnl_attr_for_each_nested(a, info) {
		if (mnl_attr_get_type(a) != IFLA_INFO_DATA)
			continue;
		mnl_attr_for_each_nested(b, a) {
			if (mnl_attr_get_payload_len(b) < sizeof(uint16_t))
				continue;
			if (mnl_attr_get_type(b) == IFLA_IPOIB_PKEY)
				i->pkey = mnl_attr_get_u16(b);
			else if (mnl_attr_get_type(b) == IFLA_IPOIB_MODE)
				i->connected = mnl_attr_get_u16(b) == IPOIB_MODE_CONNECTED;
		}
	}
}

static void take_address(uint8_t *to, const struct nlattr *a)
{
	if (mnl_attr_get_payload_len(a) == IPOIB_ADDR)
		memcpy(to, mnl_attr_get_payload(a), IPOIB_ADDR);
}

static bool has_u32(const struct nlattr *a)
{
	return mnl_attr_get_payload_len(a) >= sizeof(uint32_t);
}

static void on_link(struct host *h, const struct nlmsghdr *m)
{
	const struct ifinfomsg *ifm = mnl_nlmsg_get_payload(m);
	const struct nlattr *a;
	struct ifc i = { 0 };

	if (mnl_nlmsg_get_payload_len(m) < sizeof(*ifm) || ifm->ifi_type != ARPHRD_INFINIBAND)
		return;
	i.index = ifm->ifi_index;
	i.up = ifm->ifi_flags & IFF_UP;
	i.carrier = ifm->ifi_flags & IFF_LOWER_UP;
	mnl_attr_for_each(a, m, sizeof(*ifm)) {
		switch (mnl_attr_get_type(a)) {
		case IFLA_IFNAME:
			snprintf(i.name, sizeof(i.name), "%.*s", (int)mnl_attr_get_payload_len(a),
				 (const char *)mnl_attr_get_payload(a));
			break;
		case IFLA_MTU:
			if (has_u32(a))
				i.mtu = mnl_attr_get_u32(a);
			break;
		case IFLA_LINK:
			if (has_u32(a))
				i.parent = (int)mnl_attr_get_u32(a);
			break;
		case IFLA_ADDRESS:
			take_address(i.addr, a);
			break;
		case IFLA_BROADCAST:
			take_address(i.bcast, a);
			break;
		case IFLA_LINKINFO:
			ipoib_attrs(&i, a);
			break;
		default:
			break;
		}
	}
	if (i.parent == i.index)
		i.parent = 0;
	if (!i.pkey)
		i.pkey = (uint16_t)(i.bcast[8] << 8 | i.bcast[9]);
	if (!i.name[0])
		snprintf(i.name, sizeof(i.name), "if%d", i.index);
	GROW(h->ifs, h->nifs, h->ifs_room);
	h->ifs[h->nifs++] = i;
}

static void on_neigh(struct host *h, const struct nlmsghdr *m)
{
	const struct ndmsg *nd = mnl_nlmsg_get_payload(m);
	const struct nlattr *a;
	struct neigh n = { 0 };
	bool has = false;

	if (mnl_nlmsg_get_payload_len(m) < sizeof(*nd))
		return;
	n.index = nd->ndm_ifindex;
	n.state = nd->ndm_state;
	n.family = nd->ndm_family;
	mnl_attr_for_each(a, m, sizeof(*nd)) {
		size_t len = mnl_attr_get_payload_len(a);

		if (mnl_attr_get_type(a) == NDA_DST && len <= sizeof(n.ip)) {
			memcpy(n.ip, mnl_attr_get_payload(a), len);
		} else if (mnl_attr_get_type(a) == NDA_LLADDR && len == IPOIB_ADDR) {
			take_address(n.addr, a);
			has = true;
		}
	}
	if (!has)
		return;
	GROW(h->neighs, h->nneighs, h->neighs_room);
	h->neighs[h->nneighs++] = n;
}

/**
 * host_parse_netlink() - messages as the kernel sends them
 * @h: host
 * @data: messages, one behind the other
 * @len: octets
 *
 * Return: 0, or -1 if that is no netlink.
 */
int host_parse_netlink(struct host *h, const void *data, size_t len)
{
	const struct nlmsghdr *m = data;
	int left = len > INT32_MAX ? INT32_MAX : (int)len;

	/* mnl_nlmsg_ok() takes a length of more than 2 GiB for a negative one */
	while (mnl_nlmsg_ok(m, left) && m->nlmsg_len <= (unsigned int)left) {
		if (m->nlmsg_type == RTM_NEWLINK)
			on_link(h, m);
		else if (m->nlmsg_type == RTM_NEWNEIGH)
			on_neigh(h, m);
		m = mnl_nlmsg_next(m, &left);
	}
	return left ? -1 : 0;
}

static int keep(const struct nlmsghdr *m, void *ctx)
{
	struct buf *b = ctx;

	buf_add(b, (const char *)m, MNL_ALIGN(m->nlmsg_len));
	return MNL_CB_OK;
}

static int request(struct mnl_socket *nl, uint16_t type, uint8_t family, struct buf *b)
{
	char msg[256] = { 0 };
	char *answer = xmalloc(65536);
	struct nlmsghdr *m = mnl_nlmsg_put_header(msg);
	unsigned int seq = (unsigned int)time(NULL);
	ssize_t n;
	int rc = -1;

	m->nlmsg_type = type;
	m->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	m->nlmsg_seq = seq;
	if (type == RTM_GETLINK)
		((struct ifinfomsg *)mnl_nlmsg_put_extra_header(m, sizeof(struct ifinfomsg)))->ifi_family = family;
	else
		((struct ndmsg *)mnl_nlmsg_put_extra_header(m, sizeof(struct ndmsg)))->ndm_family = family;
	if (mnl_socket_sendto(nl, m, m->nlmsg_len) < 0)
		goto out;
	do {
		n = mnl_socket_recvfrom(nl, answer, 65536);
		if (n < 0)
			goto out;
		rc = mnl_cb_run(answer, (size_t)n, seq, mnl_socket_get_portid(nl), keep, b);
	} while (rc > MNL_CB_STOP);
out:
	free(answer);
	return rc < 0 ? -1 : 0;
}

/**
 * host_netlink() - reads interfaces and neighbours
 * @h: host
 * @dump: file with a captured answer, or NULL: ask the kernel
 *
 * Return: 0, or -1 after a message.
 */
int host_netlink(struct host *h, const char *dump)
{
	struct buf b = { 0 };
	int rc = -1;

	if (dump) {
		b.s = file_try(dump, &b.len);
		if (!b.s) {
			complain("%s: %s", dump, strerror(errno));
			return -1;
		}
	} else {
		struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);

		if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
		    request(nl, RTM_GETLINK, AF_UNSPEC, &b) ||
		    request(nl, RTM_GETNEIGH, AF_UNSPEC, &b)) {
			complain("netlink: %s", strerror(errno));
			if (nl)
				mnl_socket_close(nl);
			buf_free(&b);
			return -1;
		}
		mnl_socket_close(nl);
	}
	rc = host_parse_netlink(h, b.s ? b.s : "", b.len);
	if (rc)
		complain("%s: no netlink messages", dump ? dump : "netlink");
	buf_free(&b);
	return rc;
}

/* ---- writing: only what live reads ---- */

static void save_link(const struct ifc *i, FILE *f)
{
	char msg[1024] = { 0 };
	struct nlmsghdr *m = mnl_nlmsg_put_header(msg);
	struct nlattr *info, *data;
	struct ifinfomsg *ifm;

	m->nlmsg_type = RTM_NEWLINK;
	ifm = mnl_nlmsg_put_extra_header(m, sizeof(*ifm));
	ifm->ifi_type = ARPHRD_INFINIBAND;
	ifm->ifi_index = i->index;
	ifm->ifi_flags = (i->up ? (unsigned int)IFF_UP : 0) | (i->carrier ? IFF_LOWER_UP : 0);
	mnl_attr_put_strz(m, IFLA_IFNAME, i->name);
	mnl_attr_put_u32(m, IFLA_MTU, i->mtu);
	if (i->parent)
		mnl_attr_put_u32(m, IFLA_LINK, (uint32_t)i->parent);
	mnl_attr_put(m, IFLA_ADDRESS, IPOIB_ADDR, i->addr);
	mnl_attr_put(m, IFLA_BROADCAST, IPOIB_ADDR, i->bcast);
	info = mnl_attr_nest_start(m, IFLA_LINKINFO);
	mnl_attr_put_strz(m, IFLA_INFO_KIND, "ipoib");
	data = mnl_attr_nest_start(m, IFLA_INFO_DATA);
	mnl_attr_put_u16(m, IFLA_IPOIB_PKEY, i->pkey);
	mnl_attr_put_u16(m, IFLA_IPOIB_MODE, i->connected ? IPOIB_MODE_CONNECTED : IPOIB_MODE_DATAGRAM);
	mnl_attr_nest_end(m, data);
	mnl_attr_nest_end(m, info);
	fwrite(m, 1, MNL_ALIGN(m->nlmsg_len), f);
}

static void save_neigh(const struct neigh *n, FILE *f)
{
	char msg[256] = { 0 };
	struct nlmsghdr *m = mnl_nlmsg_put_header(msg);
	struct ndmsg *nd;

	m->nlmsg_type = RTM_NEWNEIGH;
	nd = mnl_nlmsg_put_extra_header(m, sizeof(*nd));
	nd->ndm_family = n->family;
	nd->ndm_ifindex = n->index;
	nd->ndm_state = n->state;
	mnl_attr_put(m, NDA_DST, n->family == AF_INET6 ? 16 : 4, n->ip);
	mnl_attr_put(m, NDA_LLADDR, IPOIB_ADDR, n->addr);
	fwrite(m, 1, MNL_ALIGN(m->nlmsg_len), f);
}

/**
 * host_save_netlink() - a dump that host_netlink() reads
 * @h: host
 * @path: file
 */
int host_save_netlink(const struct host *h, const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return -1;
	for (size_t i = 0; i < h->nifs; i++)
		save_link(&h->ifs[i], f);
	for (size_t i = 0; i < h->nneighs; i++)
		save_neigh(&h->neighs[i], f);
	return fclose(f);
}
