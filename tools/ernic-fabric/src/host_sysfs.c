// SPDX-License-Identifier: GPL-2.0-only
/* HCAs from sysfs, groups from procfs and debugfs, joins from the kernel log. */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "host.h"
#include "util.h"

#define PKEYS_MOST	1024u

uint64_t gid_guid(const uint8_t *gid)
{
	uint64_t v = 0;

	for (unsigned int i = 8; i < 16; i++)
		v = v << 8 | gid[i];
	return v;
}

/**
 * host_file() - a file below the root, without the newline at its end
 * @h: host
 * @fmt: path
 *
 * Return: text to free, or NULL.
 */
char *host_file(const struct host *h, const char *fmt, ...)
{
	char path[512];
	size_t at = (size_t)snprintf(path, sizeof(path), "%s", h->root), len;
	va_list ap;
	char *s;
	int n;

	if (at >= sizeof(path))
		return NULL;
	va_start(ap, fmt);
	n = vsnprintf(path + at, sizeof(path) - at, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path) - at)
		return NULL;
	s = file_try(path, &len);
	while (s && len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return s;
}

static unsigned long file_number(const struct host *h, const char *hca, unsigned int port,
				 const char *name, int base)
{
	char *s = host_file(h, "/sys/class/infiniband/%s/ports/%u/%s", hca, port, name);
	unsigned long v = s ? strtoul(s, NULL, base) : 0;

	free(s);
	return v;
}

static void read_port(struct host *h, const char *hca, unsigned int num)
{
	struct hca_port p = { .num = num };
	uint8_t gid[16];
	char *s;

	snprintf(p.hca, sizeof(p.hca), "%s", hca);
	s = host_file(h, "/sys/class/infiniband/%s/ports/%u/link_layer", hca, num);
	p.ethernet = s && !strcmp(s, "Ethernet");
	free(s);
	/* "4: ACTIVE" */
	p.state = (unsigned int)file_number(h, hca, num, "state", 10);
	p.lid = (unsigned int)file_number(h, hca, num, "lid", 0);
	p.sm_lid = (unsigned int)file_number(h, hca, num, "sm_lid", 0);
	s = host_file(h, "/sys/class/infiniband/%s/ports/%u/gids/0", hca, num);
	if (s && inet_pton(AF_INET6, s, gid) == 1)
		p.guid = gid_guid(gid);
	free(s);
	p.pkeys = xcalloc(PKEYS_MOST, sizeof(*p.pkeys));
	for (; p.npkeys < PKEYS_MOST; p.npkeys++) {
		s = host_file(h, "/sys/class/infiniband/%s/ports/%u/pkeys/%zu", hca, num, p.npkeys);
		if (!s)
			break;
		p.pkeys[p.npkeys] = (uint16_t)strtoul(s, NULL, 0);
		free(s);
	}
	GROW(h->ports, h->nports, h->ports_room);
	h->ports[h->nports++] = p;
}

static int by_name(const void *a, const void *b)
{
	const struct hca_port *x = a, *y = b;
	int c = strcmp(x->hca, y->hca);

	return c ? c : (int)x->num - (int)y->num;
}

static void read_hcas(struct host *h)
{
	char path[512];
	struct dirent *e, *pe;
	DIR *d, *pd;

	snprintf(path, sizeof(path), "%s/sys/class/infiniband", h->root);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof(h->ports->hca))
			continue;
		snprintf(path, sizeof(path), "%.200s/sys/class/infiniband/%s/ports", h->root, e->d_name);
		pd = opendir(path);
		while (pd && (pe = readdir(pd)))
			if (isdigit((unsigned char)pe->d_name[0]))
				read_port(h, e->d_name, (unsigned int)strtoul(pe->d_name, NULL, 10));
		if (pd)
			closedir(pd);
	}
	if (d)
		closedir(d);
	if (h->nports)
		qsort(h->ports, h->nports, sizeof(*h->ports), by_name);
}

/* /proc/net/dev_mcast: index, name, users, global users, address */
static void read_mcasts(struct host *h)
{
	char *s = host_file(h, "/proc/net/dev_mcast"), *save, *line;

	for (line = s ? strtok_r(s, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		struct mcast m = { 0 };
		char hex[64];
		bool good;

		if (sscanf(line, "%*d %31s %*d %*d %63s", m.name, hex) != 2 || strlen(hex) != 2 * IPOIB_ADDR)
			continue;
		good = true;
		for (unsigned int i = 0; i < IPOIB_ADDR && good; i++) {
			char two[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

			good = isxdigit((unsigned char)two[0]) && isxdigit((unsigned char)two[1]);
			m.addr[i] = (uint8_t)strtoul(two, NULL, 16);
		}
		if (!good)
			continue;
		GROW(h->mcasts, h->nmcasts, h->mcasts_room);
		h->mcasts[h->nmcasts++] = m;
	}
	free(s);
}

static char *read_log(const struct host *h)
{
	int n;
	char *s;

	if (*h->root)
		return host_file(h, "/dmesg");
	/* may be forbidden; then there is one check less */
	n = klogctl(10, NULL, 0);
	if (n <= 0)
		return NULL;
	s = xmalloc((size_t)n + 1);
	n = klogctl(3, s, n);
	if (n < 0) {
		free(s);
		return NULL;
	}
	s[n] = '\0';
	return s;
}

char *host_mcg(const struct host *h, const char *name)
{
	return host_file(h, "/sys/kernel/debug/ipoib/%s_mcg", name);
}

/**
 * host_sysfs() - all that is not netlink's
 * @h: host, with its interfaces
 */
void host_sysfs(struct host *h)
{
	read_hcas(h);
	read_mcasts(h);
	h->log = read_log(h);
	for (size_t i = 0; i < h->nifs; i++) {
		uint64_t guid = gid_guid(h->ifs[i].addr + 4);

		for (size_t k = 0; k < h->nports; k++)
			if (h->ports[k].guid == guid && guid)
				h->ifs[i].port = &h->ports[k];
	}
}

void host_free(struct host *h)
{
	for (size_t i = 0; i < h->nports; i++)
		free(h->ports[i].pkeys);
	free(h->ports);
	free(h->ifs);
	free(h->neighs);
	free(h->mcasts);
	free(h->log);
}
