/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* patient.h - opens files while perfex holds signals back, which must end it all the same. */
#ifndef PERFCTR_TOOLS_PATIENT_H
#define PERFCTR_TOOLS_PATIENT_H

#include <sys/types.h>

/*
 * open(2) for writing, which never waits where no signal ends it: until a pipe has a reader SIGINT,
 * SIGQUIT, SIGTERM and SIGHUP end perfex, unless they were ignored when it began.
 */
int patient_open(const char *path, int flags, mode_t mode);

#endif /* PERFCTR_TOOLS_PATIENT_H */
