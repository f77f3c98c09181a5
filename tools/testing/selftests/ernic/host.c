// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's side: devices, counters, and the far end of the cable.
 */
#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ernictest.h"

void et_uuid(char *uuid, unsigned int n)
{
	snprintf(uuid, 40, "e241c000-5e1f-4e57-8000-%06x%06x",
		 getpid() & 0xffffff, n & 0xffffff);
}

int et_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n != (ssize_t)strlen(text))
		err = n < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

/* one line, without its end */
int et_read_file(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, len - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

int et_create(const char *bus, const char *uuid, const char *profile)
{
	char path[160], line[128];

	if (!strcmp(bus, "mdev")) {
		snprintf(path, sizeof(path),
			 "/sys/class/mdev_bus/ernic_host/mdev_supported_types/ernic_host-%s/create",
			 profile);
		return et_write_file(path, uuid);
	}
	snprintf(line, sizeof(line), "%s %s", uuid, profile);
	return et_write_file("/sys/bus/ernic/new_device", line);
}

int et_remove(const char *bus, const char *uuid)
{
	char path[160];

	if (strcmp(bus, "mdev"))
		return et_write_file("/sys/bus/ernic/del_device", uuid);
	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/remove", uuid);
	return et_write_file(path, "1");
}

u64 et_debugfs(const char *uuid, const char *file, const char *name)
{
	char path[160], line[512];
	unsigned long long val;
	bool found = false;
	size_t n = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ernic_host/%s/%s", uuid,
		 file);
	f = fopen(path, "re");
	if (!f)
		FAIL("%s: %m", path);
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, name, n) && line[n] == ' ' &&
			sscanf(line + n, "%llu", &val) == 1;
	fclose(f);
	if (!found)
		FAIL("%s: no %s", path, name);
	return val;
}

u64 et_stat(struct et_dev *d, const char *name)
{
	return et_debugfs(d->uuid, "stats", name);
}

void et_stat_wait(struct et_dev *d, const char *name, u64 at_least)
{
	u64 end = et_now_ms() + 3000;
	u64 val;

	while ((val = et_stat(d, name)) < at_least) {
		if (et_now_ms() > end)
			FAIL("%s stays %llu, expected %llu", name,
			     (unsigned long long)val,
			     (unsigned long long)at_least);
		usleep(2000);
	}
}

static void et_ifreq(struct et_dev *d, struct ifreq *ifr)
{
	memset(ifr, 0, sizeof(*ifr));
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", d->netdev);
}

void et_netdev_up(struct et_dev *d, bool up)
{
	char path[128];
	struct ifreq ifr;
	int s = SYS(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));

	/* neighbour discovery would mix with the test's frames */
	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6",
		 d->netdev);
	et_write_file(path, "1");

	et_ifreq(d, &ifr);
	SYS(ioctl(s, SIOCGIFFLAGS, &ifr));
	if (up)
		ifr.ifr_flags |= IFF_UP;
	else
		ifr.ifr_flags &= ~IFF_UP;
	SYS(ioctl(s, SIOCSIFFLAGS, &ifr));
	close(s);
}

/* all protocols, so that VLAN tags are seen; others' frames are skipped */
void et_packet_open(struct et_dev *d)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int on = 1, size = 4 << 20;

	if (d->packet >= 0)
		return;
	d->packet = SYS(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
	SYS(setsockopt(d->packet, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		       sizeof(on)));
	setsockopt(d->packet, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	sll.sll_ifindex = if_nametoindex(d->netdev);
	CHECK(sll.sll_ifindex);
	SYS(bind(d->packet, (struct sockaddr *)&sll, sizeof(sll)));
}

void et_frame(void *buf, size_t len, const u8 *dst, const u8 *src, u32 seed)
{
	u8 *p = buf;
	size_t i;

	memcpy(p, dst, 6);
	memcpy(p + 6, src, 6);
	p[12] = ET_ETHERTYPE >> 8;
	p[13] = ET_ETHERTYPE & 0xff;
	for (i = 14; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = seed >> 24;
	}
}

int et_host_send(struct et_dev *d, const void *buf, size_t len)
{
	ssize_t n = send(d->packet, buf, len, 0);

	return n < 0 ? -errno : (int)n;
}

int et_host_recv(struct et_dev *d, void *buf, size_t len, int ms)
{
	struct pollfd p = { .fd = d->packet, .events = POLLIN };
	u64 end = et_now_ms() + ms;
	const u8 *b = buf;
	ssize_t n;

	for (;;) {
		u64 now = et_now_ms();

		if (poll(&p, 1, now < end ? end - now : 0) != 1)
			return -1;
		n = recv(d->packet, buf, len, MSG_TRUNC);
		if (n >= 14 && b[12] == ET_ETHERTYPE >> 8 &&
		    b[13] == (ET_ETHERTYPE & 0xff))
			return n;
	}
}

u64 et_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

unsigned int et_effort(unsigned int n)
{
	const char *percent = getenv("ERNIC_EFFORT");

	return percent ? (n * atoi(percent) + 99) / 100 : n;
}
