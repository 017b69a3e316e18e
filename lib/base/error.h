/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.h - errno and the sentence behind perfctr_error() */
#ifndef PERFCTR_LIB_BASE_ERROR_H
#define PERFCTR_LIB_BASE_ERROR_H

/* Set errno to error and perfctr_error() to the formatted sentence; return -1. */
int perfctr_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

#endif /* PERFCTR_LIB_BASE_ERROR_H */
