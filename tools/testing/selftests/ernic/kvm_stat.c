// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module and KVM count, and the modes of the doorbell page.
 */
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kvm.h"

#define PARAM(name)	"/sys/module/ernic_host/parameters/" name

u64 counter(const char *name)
{
	return et_debugfs(dev.uuid, "regs", name);
}

/* number behind @name in the line of @file that begins with @type and @index */
static u64 line_counter(const char *file, const char *type, unsigned int index,
			const char *name)
{
	char path[160], line[512], *p;
	unsigned long long val;
	bool found = false;
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ernic_host/%s/%s",
		 dev.uuid, file);
	f = fopen(path, "re");
	CHECK(f);
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, type, strlen(type)) &&
			sscanf(line + strlen(type), "%u", &i) == 1 &&
			i == index && (p = strstr(line, name)) &&
			sscanf(p + strlen(name), "%llu", &val) == 1;
	fclose(f);
	if (!found)
		FAIL("%s: no %s %u %s", file, type, index, name);
	return val;
}

u64 queue_counter(const char *type, unsigned int index, const char *name)
{
	return line_counter("queues", type, index, name);
}

bool page_is(const char *name)
{
	return line_counter("regs", "db_page", 0, name);
}

u64 kvm_stat(int of, const char *name)
{
	struct kvm_stats_header h;
	u64 desc[32], val = 0;
	struct kvm_stats_desc *d = (void *)desc;
	size_t size;
	unsigned int i;
	int fd = SYS(ioctl(of, KVM_GET_STATS_FD, NULL));

	CHECK_EQ(pread(fd, &h, sizeof(h), 0), sizeof(h));
	size = sizeof(*d) + h.name_size;
	CHECK(size <= sizeof(desc));
	for (i = 0; i < h.num_desc; i++) {
		CHECK_EQ(pread(fd, d, size, h.desc_offset + i * size), size);
		if (strcmp(d->name, name))
			continue;
		CHECK_EQ(pread(fd, &val, sizeof(val), h.data_offset +
			       d->offset), sizeof(val));
		break;
	}
	close(fd);
	return val;
}

/* external write tracking; without it auto is fault and track is trap */
/* KVM is loaded; to read the file takes a second there, so it is read once */
static bool kernel_tracks(void)
{
	static bool known, found;
	char line[256];
	FILE *f;

	if (known)
		return found;
	f = fopen("/proc/kallsyms", "re");
	CHECK(f);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, " kvm_write_track_add_gfn");
	fclose(f);
	known = true;
	return found;
}

const char *wanted_mode(void)
{
	if (!strcmp(et_config.doorbell, "auto"))
		return kernel_tracks() ? "track-arm" : "fault";
	if (!strcmp(et_config.doorbell, "track"))
		return kernel_tracks() ? "track" : "trap";
	return et_config.doorbell;
}

bool mode_arms(void)
{
	return !strcmp(wanted_mode(), "fault") ||
	       !strcmp(wanted_mode(), "track-arm");
}

void mode_is(const char *want)
{
	char path[192], got[32];

	snprintf(path, sizeof(path), "%s/ernic/doorbell_mode", dev.path);
	CHECK_EQ(et_read_file(path, got, sizeof(got)), 0);
	if (strcmp(got, want))
		FAIL("doorbell_mode is %s, want %s", got, want);
}

void idle_us(unsigned int us)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", us);
	CHECK_EQ(et_write_file(PARAM("idle_us"), text), 0);
	/* no store leaves the page armed while the test wants it to go to sleep */
	CHECK_EQ(et_write_file(PARAM("hot_us"), us < 60 ? "0" : "100"), 0);
}

unsigned int wanted(void)
{
	const char *n = getenv("ERNIC_TRANSITIONS");

	return n ? atoi(n) : 20000;
}

/*
 * Rings until KVM has told of a store in each mode that wants that: from then on each
 * value comes once.
 */
void prove(struct vcpu *c)
{
	unsigned int tries;

	if (strncmp(wanted_mode(), "track", 5))
		return;
	for (tries = 0; tries < 500; tries++) {
		vcpu_start(c, 1);
		vcpu_join(c);
		/* time to arm */
		usleep(2000);
		if (page_is("proven"))
			return;
	}
	dump();
	FAIL("tracking is not proven after %u doorbells", tries);
}
