/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* missing.h - what a program that is there needs to be executed, and is not there. */
#ifndef PERFCTR_TOOLS_MISSING_H
#define PERFCTR_TOOLS_MISSING_H

/*
 * The interpreter of a script, or the dynamic linker of a program, that execvp(3) does not find for
 * this command; to be freed. NULL: that is not why it fails.
 */
char *missing_interpreter(const char *command);

#endif /* PERFCTR_TOOLS_MISSING_H */
