// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the administrator sets and sees.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/string.h>

#include <ernic/kunit.h>

#include "engine.h"

static const char * const ernic_rdma_backends[] = {
	[ERNIC_RDMA_NONE] = "none",
	[ERNIC_RDMA_LOOPBACK] = "loopback",
};

/**
 * ernic_rdma_backend_name - word for the back end
 * @edev: device
 */
const char *ernic_rdma_backend_name(const struct ernic_dev *edev)
{
	return ernic_rdma_backends[edev->rdma->backend];
}

/**
 * ernic_rdma_set_backend - choose the back end
 * @edev: closed device; the caller holds state_lock
 * @word: word, perhaps with a newline
 *
 * Return: 0 or -EINVAL.
 */
int ernic_rdma_set_backend(struct ernic_dev *edev, const char *word)
{
	int val = sysfs_match_string(ernic_rdma_backends, word);

	if (val < 0)
		return val;
	WRITE_ONCE(edev->rdma->backend, val);
	ernic_gid_changed();
	return 0;
}
EXPORT_SYMBOL_GPL(ernic_rdma_set_backend);

/**
 * ernic_rdma_domain - name of the device's domain
 * @edev: device
 */
const char *ernic_rdma_domain(const struct ernic_dev *edev)
{
	return edev->rdma->domain;
}

/**
 * ernic_rdma_set_domain - put the device into a domain
 * @edev: closed device, so that no sender looks at it; the caller holds state_lock
 * @name: printable characters but blanks, perhaps a newline; empty: the domain of
 *	those without
 *
 * Return: 0 or -EINVAL.
 */
int ernic_rdma_set_domain(struct ernic_dev *edev, const char *name)
{
	size_t len = strcspn(name, "\n"), i;

	if (len >= ERNIC_RDMA_DOMAIN_LEN || (name[len] && name[len + 1]))
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || !isgraph(name[i]))
			return -EINVAL;
	memset(edev->rdma->domain, 0, ERNIC_RDMA_DOMAIN_LEN);
	memcpy(edev->rdma->domain, name, len);
	ernic_gid_changed();
	return 0;
}
EXPORT_SYMBOL_GPL(ernic_rdma_set_domain);

/**
 * ernic_rdma_usage - how many objects there are
 * @edev: device
 * @u: result
 */
void ernic_rdma_usage(struct ernic_dev *edev, struct ernic_rdma_usage *u)
{
	struct ernic_rdma *rdma = edev->rdma;

	mutex_lock(&rdma->aq_lock);
	u->qps = rdma->nqps;
	u->cqs = rdma->ncqs;
	u->mrs = rdma->nmrs;
	u->ahs = rdma->nahs;
	u->gids = READ_ONCE(rdma->gid_count);
	u->pages = atomic64_read(&rdma->pages);
	u->copied = atomic64_read(&rdma->copied);
	mutex_unlock(&rdma->aq_lock);
}
ERNIC_KUNIT_EXPORT(ernic_rdma_usage);
