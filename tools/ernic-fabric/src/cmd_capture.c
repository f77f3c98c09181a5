// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture: what live reads, into a directory that can be sent to somebody else,
 * on request without telling whose it is.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "cmd.h"
#include "host.h"
#include "siphash.h"
#include "util.h"

struct options {
	const char *dir, *sysroot, *dump;
	bool pseudonyms;
};

enum { KEY_PSEUDONYMS = 1000, KEY_SYSROOT, KEY_DUMP };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_PSEUDONYMS:
		o->pseudonyms = true;
		return 0;
	case KEY_SYSROOT:
		o->sysroot = arg;
		return 0;
	case KEY_DUMP:
		o->dump = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->dir)
			argp_error(state, "one DIRECTORY");
		o->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->dir)
			argp_error(state, "into which DIRECTORY?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- pseudonyms: the same for the same, of one capture only ---- */

static uint8_t secret[16];

static void hash_octets(uint8_t *v, size_t n)
{
	uint64_t h = siphash24(secret, v, n);

	for (size_t i = 0; i < n; i++)
		v[i] = (uint8_t)(h >> 8 * (i % 8));
}

static void hide_guid(uint8_t *guid)
{
	hash_octets(guid, 8);
	guid[0] = 0x02;
}

/* Solicited-node groups have the end of an address in them. */
static void hide_mgid(uint8_t *mgid)
{
	if (mgid[2] == 0x60 && mgid[12] == 0xff)
		hash_octets(mgid + 13, 3);
}

static void hide_ip(struct neigh *n)
{
	if (n->family == AF_INET) {
		hash_octets(n->ip, 4);
		n->ip[0] = 198;
		n->ip[1] = (uint8_t)(18 | (n->ip[1] & 1));
	} else if (n->ip[0] == 0xfe && (n->ip[1] & 0xc0) == 0x80) {
		hash_octets(n->ip + 8, 8);
	} else {
		hash_octets(n->ip, 16);
		memcpy(n->ip, "\x20\x01\x0d\xb8", 4);
	}
}

static void hide(struct host *h)
{
	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		fail("no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < h->nports; i++) {
		uint8_t g[8];

		for (unsigned int k = 0; k < 8; k++)
			g[k] = (uint8_t)(h->ports[i].guid >> (56 - 8 * k));
		hide_guid(g);
		h->ports[i].guid = 0;
		for (unsigned int k = 0; k < 8; k++)
			h->ports[i].guid = h->ports[i].guid << 8 | g[k];
	}
	for (size_t i = 0; i < h->nifs; i++)
		hide_guid(h->ifs[i].addr + 12);
	for (size_t i = 0; i < h->nneighs; i++) {
		if (h->neighs[i].addr[4] == 0xff)
			hide_mgid(h->neighs[i].addr + 4);
		else
			hide_guid(h->neighs[i].addr + 12);
		hide_ip(&h->neighs[i]);
	}
	for (size_t i = 0; i < h->nmcasts; i++)
		hide_mgid(h->mcasts[i].addr + 4);
}

/* ---- files ---- */

static FILE *create(const char *dir, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static FILE *create(const char *dir, const char *fmt, ...)
{
	char *tail, *path, *at;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	if (vasprintf(&tail, fmt, ap) < 0)
		fail("out of memory");
	va_end(ap);
	path = xasprintf("%s/%s", dir, tail);
	for (at = path + strlen(dir); (at = strchr(at + 1, '/')); *at = '/') {
		*at = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			fail("%s: %s", path, strerror(errno));
	}
	f = fopen(path, "we");
	if (!f)
		fail("%s: %s", path, strerror(errno));
	free(tail);
	free(path);
	return f;
}

static void done(FILE *f, const char *dir)
{
	if (fclose(f))
		fail("%s: %s", dir, strerror(errno));
}

#define PUT(dir, path, fmt, ...) do { \
	FILE *put_f = create(dir, path, p->hca, p->num); \
	fprintf(put_f, fmt "\n", __VA_ARGS__); \
	done(put_f, dir); \
} while (0)

static void write_ports(const struct host *h, const char *dir)
{
	static const char *const states[] = { "0: ?", "1: DOWN", "2: INIT", "3: ARMED", "4: ACTIVE" };

	for (size_t i = 0; i < h->nports; i++) {
		const struct hca_port *p = &h->ports[i];

		PUT(dir, "sys/class/infiniband/%s/ports/%u/link_layer", "%s", p->ethernet ? "Ethernet" : "InfiniBand");
		PUT(dir, "sys/class/infiniband/%s/ports/%u/state", "%s", states[p->state < 5 ? p->state : 0]);
		PUT(dir, "sys/class/infiniband/%s/ports/%u/lid", "0x%x", p->lid);
		PUT(dir, "sys/class/infiniband/%s/ports/%u/sm_lid", "0x%x", p->sm_lid);
		PUT(dir, "sys/class/infiniband/%s/ports/%u/gids/0", "fe80:0000:0000:0000:%04x:%04x:%04x:%04x",
		    (unsigned int)(p->guid >> 48), (unsigned int)(p->guid >> 32) & 0xffff,
		    (unsigned int)(p->guid >> 16) & 0xffff, (unsigned int)p->guid & 0xffff);
		for (size_t k = 0; k < p->npkeys; k++) {
			FILE *f = create(dir, "sys/class/infiniband/%s/ports/%u/pkeys/%zu", p->hca, p->num, k);

			fprintf(f, "0x%04x\n", p->pkeys[k]);
			done(f, dir);
		}
	}
}

static void write_ifs(const struct host *h, const char *dir)
{
	static const char *const names[] = { "type", "mode" };

	for (size_t i = 0; i < h->nifs; i++) {
		for (size_t k = 0; k < 2; k++) {
			char *s = host_file(h, "/sys/class/net/%s/%s", h->ifs[i].name, names[k]);
			FILE *f;

			if (!s)
				continue;
			f = create(dir, "sys/class/net/%s/%s", h->ifs[i].name, names[k]);
			fprintf(f, "%s\n", s);
			done(f, dir);
			free(s);
		}
	}
}

static void write_mcasts(const struct host *h, const char *dir)
{
	FILE *f = create(dir, "proc/net/dev_mcast");

	for (size_t i = 0; i < h->nmcasts; i++) {
		fprintf(f, "0 %s 1 0 ", h->mcasts[i].name);
		for (unsigned int k = 0; k < IPOIB_ADDR; k++)
			fprintf(f, "%02x", h->mcasts[i].addr[k]);
		fputc('\n', f);
	}
	done(f, dir);
}

static void write_mcgs(const struct host *h, const char *dir, bool pseudonyms)
{
	for (size_t i = 0; i < h->nifs; i++) {
		char *s = host_mcg(h, h->ifs[i].name), *save, *line;
		FILE *f;

		if (!s)
			continue;
		f = create(dir, "sys/kernel/debug/ipoib/%s_mcg", h->ifs[i].name);
		for (line = strtok_r(s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			char *at = strstr(line, "GID:"), text[INET6_ADDRSTRLEN];
			uint8_t gid[16];

			if (at) {
				at += 4;
				at += strspn(at, " \t");
				if (inet_pton(AF_INET6, at, gid) != 1)
					continue;
				if (pseudonyms)
					hide_mgid(gid);
				fprintf(f, "GID: %s\n", mgid_text(gid, text));
			} else if (strstr(line, "complete:") || strstr(line, "send_only:")) {
				fprintf(f, "%s\n", line);
			}
		}
		done(f, dir);
		free(s);
	}
}

/* Only what live looks for: an interface's joins, and its link. */
static void write_log(const struct host *h, const char *dir, bool pseudonyms)
{
	char *copy = h->log ? xstrdup(h->log) : NULL, *save, *line;
	FILE *f;

	if (!copy)
		return;
	f = create(dir, "dmesg");
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		bool join = strstr(line, "join failed"), ready = strstr(line, "link becomes ready");

		for (size_t i = 0; (join || ready) && i < h->nifs; i++) {
			const char *at = strstr(line, h->ifs[i].name);

			if (!at || at[strlen(h->ifs[i].name)] != ':')
				continue;
			if (ready)
				fprintf(f, "%s: link becomes ready\n", h->ifs[i].name);
			else if (!pseudonyms || strstr(line, "ffff:ffff"))
				fprintf(f, "%s\n", at);
			break;
		}
	}
	done(f, dir);
	free(copy);
}

int cmd_capture(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "pseudonyms", KEY_PSEUDONYMS, NULL, 0, "Replace GUIDs and IP addresses", 0 },
		{ "sysroot", KEY_SYSROOT, "DIR", 0, "Capture a capture, as with --pseudonyms", 0 },
		{ "netlink-dump", KEY_DUMP, "FILE", 0, "... netlink's answer; default is DIR/netlink", 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "DIRECTORY",
		"Writes what 'live' reads, for 'live --sysroot DIRECTORY' on another machine.\v"
		"Nothing else of the host is in it: no host name, no other interfaces.",
		NULL, NULL, NULL
	};
	struct options o = { 0 };
	struct host h = { .root = "" };
	char *dump = NULL, *path;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.sysroot) {
		h.root = o.sysroot;
		dump = xasprintf("%s/netlink", o.sysroot);
	}
	if (host_netlink(&h, o.dump ? o.dump : dump))
		exit(STATUS_USAGE);
	host_sysfs(&h);
	if (mkdir(o.dir, 0755) && errno != EEXIST)
		fail("%s: %s", o.dir, strerror(errno));
	if (o.pseudonyms)
		hide(&h);
	write_ports(&h, o.dir);
	write_ifs(&h, o.dir);
	write_mcasts(&h, o.dir);
	write_mcgs(&h, o.dir, o.pseudonyms);
	write_log(&h, o.dir, o.pseudonyms);
	path = xasprintf("%s/netlink", o.dir);
	if (host_save_netlink(&h, path))
		fail("%s: %s", path, strerror(errno));
	printf("%s: %zu ports, %zu IPoIB interfaces, %zu neighbours\n", o.dir, h.nports, h.nifs, h.nneighs);
	free(path);
	free(dump);
	host_free(&h);
	return STATUS_OK;
}
