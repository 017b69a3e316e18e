// SPDX-License-Identifier: GPL-2.0-only
/* Limits each user's sets of counters, which descriptors may keep. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
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

/* Everybody waits for its holder, who neither sleeps nor is preempted. */
static DEFINE_SPINLOCK(lock);

/* Finds a user's quota, or gives the user the spare one. The lock is held. NULL: neither exists. */
static struct quota *find_or_add(kuid_t user, struct quota **spare)
{
	struct quota *quota;

	list_for_each_entry(quota, &quotas, link)
		if (uid_eq(quota->user, user))
			return quota;
	quota = *spare;
	if (quota) {
		*spare = NULL;
		quota->user = user;
		list_add(&quota->link, &quotas);
	}
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

/* Returns NULL if a quota is missing. ERR_PTR(-EDQUOT): the user has as many sets as he may. */
static struct quota *try_to_take(kuid_t user, unsigned int most, struct quota **spare)
{
	struct quota *quota;

	spin_lock(&lock);
	quota = find_or_add(user, spare);
	if (quota && quota->taken < most) {
		quota->taken++;
	} else if (quota) {
		put(quota);
		quota = ERR_PTR(-EDQUOT);
	}
	spin_unlock(&lock);
	return quota;
}

struct quota *quota_take(void)
{
	unsigned int most = READ_ONCE(user_states);
	struct quota *quota, *spare = NULL;
	const kuid_t user = payer();

	for (;;) {
		quota = try_to_take(user, most, &spare);
		if (!quota)
			spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
		else if (quota == ERR_PTR(-EDQUOT) && most != UINT_MAX && capable(CAP_SYS_RESOURCE))
			most = UINT_MAX;
		else
			break;
		if (!quota && !spare)
			return ERR_PTR(-ENOMEM);
	}
	kfree(spare);
	return quota;
}

void quota_give(struct quota *quota)
{
	spin_lock(&lock);
	quota->taken--;
	put(quota);
	spin_unlock(&lock);
}
