/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - names a place in the program. perfex, which waits for the program meanwhile, reads the
 * files for it.
 */
#ifndef PERFCTR_COLLECT_PLACE_H
#define PERFCTR_COLLECT_PLACE_H

#include <stddef.h>

#define PLACE_SIZE 128 /* regions have names of up to 127 bytes */

/*
 * Writes "KIND FUNCTION (FILE:LINE)" for the call that returns to an address; without perfex
 * "KIND FILE+0xOFFSET"; for NULL "KIND". The signal mask, errno and cancellation are left as they
 * are.
 */
void place_name(char name[PLACE_SIZE], const char *kind, const void *address);

#endif /* PERFCTR_COLLECT_PLACE_H */
