/* SPDX-License-Identifier: GPL-2.0-only */
/* quota.h - limits the sets of counters that a user may have. */
#ifndef PERFCTR_DRIVER_QUOTA_H
#define PERFCTR_DRIVER_QUOTA_H

struct quota;

/* Takes one for the caller's user. ERR_PTR(): -EDQUOT: the limit is reached; -ENOMEM. */
struct quota *quota_take(void);

/* Gives one back, whoever the caller is. */
void quota_give(struct quota *quota);

#endif /* PERFCTR_DRIVER_QUOTA_H */
