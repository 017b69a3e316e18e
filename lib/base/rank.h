/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank.h - the rank of this process in a parallel job; perfex has it, too */
#ifndef PERFCTR_LIB_BASE_RANK_H
#define PERFCTR_LIB_BASE_RANK_H

/*
 * Returns the rank as the launcher's variable has it, a number of at most nine digits; "" if no
 * launcher's variable is a number. The string is the environment's.
 */
const char *perfctr_rank(void);

#endif /* PERFCTR_LIB_BASE_RANK_H */
