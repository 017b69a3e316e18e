// SPDX-License-Identifier: GPL-2.0-only
/* Limits each user's sets of counters, which descriptors may keep. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include "driver/quota.h"

static unsigned int user_states = 4096;
module_param(user_states, uint, 0644);
MODULE_PARM_DESC(user_states, "how many sets of counters a user may have without CAP_SYS_RESOURCE");

struct quota {
	struct list_head link;
	kuid_t user;
	unsigned int taken;
};

static LIST_HEAD(quotas); /* of users that have sets */
static DEFINE_MUTEX(lock);

/* Finds or adds a user's quota. The lock is held. NULL: no memory. */
static struct quota *find_or_add(kuid_t user)
{
	struct quota *quota;

	list_for_each_entry(quota, &quotas, link)
		if (uid_eq(quota->user, user))
			return quota;
	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (!quota)
		return NULL;
	quota->user = user;
	list_add(&quota->link, &quotas);
	return quota;
}

static void put(struct quota *quota)
{
	if (quota->taken)
		return;
	list_del(&quota->link);
	kfree(quota);
}

/*
 * The user whose quota pays. The maker of a user namespace gets many users in it, with the numbers
 * of /etc/subuid: their sets count as his. Root's namespaces have users of their own.
 */
static kuid_t payer(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t user = current_uid();

	for (; ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			user = ns->owner;
	return user;
}

struct quota *quota_take(void)
{
	unsigned int most = READ_ONCE(user_states);
	struct quota *quota;

	mutex_lock(&lock);
	quota = find_or_add(payer());
	if (!quota) {
		quota = ERR_PTR(-ENOMEM);
	} else if (quota->taken < most || capable(CAP_SYS_RESOURCE)) {
		quota->taken++;
	} else {
		put(quota);
		quota = ERR_PTR(-EDQUOT);
	}
	mutex_unlock(&lock);
	return quota;
}

void quota_give(struct quota *quota)
{
	mutex_lock(&lock);
	quota->taken--;
	put(quota);
	mutex_unlock(&lock);
}
