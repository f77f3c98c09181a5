/* SPDX-License-Identifier: GPL-2.0-only */
/* A host with IPoIB: what netlink, sysfs and the kernel log tell about it. */
#ifndef ERNIC_FABRIC_HOST_H
#define ERNIC_FABRIC_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPOIB_ADDR	20u

/**
 * struct hca_port - a port of an HCA, from sysfs
 * @hca: name; @num: port number
 * @ethernet: link_layer
 * @state: PortInfo:PortState, 4 is ACTIVE
 * @lid: its own; @sm_lid: the SM's, 0 if there is none
 * @guid: low half of GID 0
 * @pkeys: table with its zero entries; @npkeys: number of entries
 */
struct hca_port {
	char hca[64];
	unsigned int num;
	bool ethernet;
	unsigned int state, lid, sm_lid;
	uint64_t guid;
	uint16_t *pkeys;
	size_t npkeys;
};

/**
 * struct ifc - an IPoIB interface, from netlink
 * @index: of the interface; @parent: of its parent, 0 if it is one
 * @name: interface name
 * @mtu: as it is in force
 * @pkey: IFLA_IPOIB_PKEY, else from the broadcast address
 * @connected: IFLA_IPOIB_MODE
 * @up: by the administrator
 * @carrier: broadcast group joined
 * @addr: hardware address
 * @bcast: broadcast address
 * @port: HCA port with its GUID, or NULL
 */
struct ifc {
	int index, parent;
	char name[32];
	uint32_t mtu;
	uint16_t pkey;
	bool connected, up, carrier;
	uint8_t addr[IPOIB_ADDR], bcast[IPOIB_ADDR];
	struct hca_port *port;
};

/**
 * struct neigh - an IP neighbour on one of them
 * @index: interface; @state: NUD_*; @family: AF_*
 * @ip: address, 4 or 16 octets
 * @addr: hardware address
 */
struct neigh {
	int index;
	uint16_t state;
	uint8_t family;
	uint8_t ip[16];
	uint8_t addr[IPOIB_ADDR];
};

struct mcast {
	char name[32];
	uint8_t addr[IPOIB_ADDR];
};

/**
 * struct host - all of it
 * @root: where sysfs and proc are, "" for this machine
 */
struct host {
	const char *root;
	struct hca_port *ports;
	size_t nports, ports_room;
	struct ifc *ifs;
	size_t nifs, ifs_room;
	struct neigh *neighs;
	size_t nneighs, neighs_room;
	struct mcast *mcasts;
	size_t nmcasts, mcasts_room;
	char *log;
};

int host_netlink(struct host *h, const char *dump);
int host_parse_netlink(struct host *h, const void *data, size_t len);
void host_sysfs(struct host *h);
void host_free(struct host *h);
char *host_file(const struct host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *host_mcg(const struct host *h, const char *name);
int host_save_netlink(const struct host *h, const char *path);

uint64_t gid_guid(const uint8_t *gid);

#endif
