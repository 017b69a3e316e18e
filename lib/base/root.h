/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* root.h - the square root; the C library's is in one of its own */
#ifndef PERFCTR_LIB_ROOT_H
#define PERFCTR_LIB_ROOT_H

/* 0 of what is not positive. Newton's, from above. */
static inline double perfctr_square_root(double x)
{
	double root = x > 1 ? x : 1, next = (root + x / root) / 2;

	while (next < root) {
		root = next;
		next = (root + x / root) / 2;
	}
	return x > 0 ? root : 0;
}

#endif /* PERFCTR_LIB_ROOT_H */
