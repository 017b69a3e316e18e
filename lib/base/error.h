/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.h - errno and the sentence that perfctr_error() returns */
#ifndef PERFCTR_LIB_BASE_ERROR_H
#define PERFCTR_LIB_BASE_ERROR_H

#include <stddef.h>

/* Set errno to error and perfctr_error() to the formatted sentence; return -1. */
int perfctr_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/*
 * Fails for an event: the sentence is "EVENT can't be counted: ...", and perfctr_reason() is the
 * part after the colon, until the next failure; for any other sentence it is the whole.
 */
int perfctr_fail_event(int error, const char *event, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));
const char *perfctr_reason(void);

/*
 * Fails with a sentence that takes long to make and may not be read, such as the nearest names to a
 * wrong one: make() calls perfctr_fail() with the same errno when the program asks for the
 * sentence, for a copy of the word; if that is not shorter than PERFCTR_LATER_SIZE, at once.
 */
#define PERFCTR_LATER_SIZE 160
typedef int perfctr_sentence(const char *word, size_t length);
int perfctr_fail_later(int error, perfctr_sentence *make, const char *word, size_t length)
	__attribute__((cold));

#endif /* PERFCTR_LIB_BASE_ERROR_H */
