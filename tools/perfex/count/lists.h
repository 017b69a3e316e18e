/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lists.h - lists of events in files, as perf's users have them */
#ifndef PERFCTR_TOOLS_LISTS_H
#define PERFCTR_TOOLS_LISTS_H

/*
 * Reads the file of -e @FILE, and returns its events as a list of -e, to be freed. Exits if it
 * can't be read, is no text, or has no events. It has one of:
 *
 *	commands of perf, as toplev and ocperf write them: the lists after their -e
 *	groups that end with semicolons, as PerfSpect has them: a, b, c;
 *	lists of -e, each in a line of its own, or in several lines with commas between
 *
 * A line whose first character is # is a comment.
 */
char *lists_read(const char *path);

#endif /* PERFCTR_TOOLS_LISTS_H */
