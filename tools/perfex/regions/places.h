/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * places.h - tells the collectors in the command's processes the function, file and line of a
 * return address, while they run. Another process reads the programs' files, which are not trusted.
 */
#ifndef PERFCTR_TOOLS_PLACES_H
#define PERFCTR_TOOLS_PLACES_H

/*
 * Begins to answer, by a socket in this directory. Without libdw nobody answers, and collectors
 * name files and offsets.
 */
void places_begin(const char *directory);

void places_end(void);

#endif /* PERFCTR_TOOLS_PLACES_H */
