/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * suggest.h - suggests another option for one that perfex does not have: the equivalent of another
 * program's option, or the nearest name.
 */
#ifndef PERFCTR_TOOLS_SUGGEST_H
#define PERFCTR_TOOLS_SUGGEST_H

#include <getopt.h>

/*
 * Reports an error after getopt_long() has returned '?' or ':' (an argument is missing), and exits.
 * word is the text that it parsed: an option, or several letters, one of which (optopt) is wrong.
 */
void suggest_refuse(int result, const char *word, int letter, const struct option *known)
	__attribute__((noreturn));

/* Exits if a word is a long option with one dash, which would be read as several letters. */
void suggest_check(const char *word, const struct option *known);

/* Exits if a word, which stands where a program does, is one of perf's commands. */
void suggest_command(const char *word);

#endif /* PERFCTR_TOOLS_SUGGEST_H */
