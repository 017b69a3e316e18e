/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign.h - options that perfex does not have: what other programs' mean here, or the nearest
 * one. */
#ifndef PERFCTR_TOOLS_FOREIGN_H
#define PERFCTR_TOOLS_FOREIGN_H

#include <getopt.h>

/*
 * getopt_long() has returned '?' or ':' (an argument is missing). word is what it looked at: an
 * option, or several letters of which this one (optopt) is meant. Says what is wrong, and exits.
 */
void foreign_refuse(int result, const char *word, int letter, const struct option *known)
	__attribute__((noreturn));

/* Exits if a word is a long option with one dash, which would be read as several letters. */
void foreign_check(const char *word, const struct option *known);

#endif /* PERFCTR_TOOLS_FOREIGN_H */
