/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* suggest.h - what to write in place of an option that perfex does not have: what other programs'
 * options are called here, or the nearest one. */
#ifndef PERFCTR_TOOLS_SUGGEST_H
#define PERFCTR_TOOLS_SUGGEST_H

#include <getopt.h>

/*
 * getopt_long() has returned '?' or ':' (an argument is missing). word is what it looked at: an
 * option, or several letters of which this one (optopt) is meant. Says what is wrong, and exits.
 */
void suggest_refuse(int result, const char *word, int letter, const struct option *known)
	__attribute__((noreturn));

/* Exits if a word is a long option with one dash, which would be read as several letters. */
void suggest_check(const char *word, const struct option *known);

#endif /* PERFCTR_TOOLS_SUGGEST_H */
