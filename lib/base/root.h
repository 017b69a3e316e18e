/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* root.h - the square root, without the C library's libm */
#ifndef PERFCTR_LIB_ROOT_H
#define PERFCTR_LIB_ROOT_H

/* Returns 0 if x is not positive. It is Newton's method, from above. */
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
