/* SPDX-License-Identifier: GPL-2.0-only */
/* quota.h - how many sets of counters a user may have. */
#ifndef PERFCTR_DRIVER_QUOTA_H
#define PERFCTR_DRIVER_QUOTA_H

struct quota;

/* One more for the caller's user. ERR_PTR(): -EDQUOT: he has as many as he may; -ENOMEM. */
struct quota *quota_take(void);

/* One less, whoever the caller is. May sleep. */
void quota_give(struct quota *quota);

#endif /* PERFCTR_DRIVER_QUOTA_H */
