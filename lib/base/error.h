/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.h - errno and the sentence behind perfctr_error() */
#ifndef PERFCTR_LIB_BASE_ERROR_H
#define PERFCTR_LIB_BASE_ERROR_H

#include <stddef.h>

/* Set errno to error and perfctr_error() to the formatted sentence; return -1. */
int perfctr_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/*
 * The same of an event: the sentence is "EVENT can't be counted: ...", and perfctr_reason() is what
 * stands after that, until the next failure; of any other sentence it is the whole.
 */
int perfctr_fail_event(int error, const char *event, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));
const char *perfctr_reason(void);

/*
 * The same where a sentence takes long and may not be read, such as the nearest names to a wrong
 * one: make() calls perfctr_fail() with the same errno when somebody reads it, for a copy of the
 * word, if that is shorter than PERFCTR_LATER_SIZE; else now.
 */
#define PERFCTR_LATER_SIZE 160
typedef int perfctr_sentence(const char *word, size_t length);
int perfctr_fail_later(int error, perfctr_sentence *make, const char *word, size_t length)
	__attribute__((cold));

#endif /* PERFCTR_LIB_BASE_ERROR_H */
