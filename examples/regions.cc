// SPDX-License-Identifier: LGPL-2.1-or-later
/* A region is a scope, however it is left; as regions.c, PERFCTR_REGIONS=EVENTS measures it. */
#include <cmath>
#include <stdexcept>
#include <perfctr/regions.h>

PERFCTR_REGION(root, "root");

static double square_root(double x)
{
	PERFCTR_REGION_SCOPE(&root);

	if (x < 0)
		throw std::domain_error("a negative number");
	return std::sqrt(x);
}

int main()
{
	double sum = 0;

	for (int i = -10; i < 1000; i++) {
		try {
			sum += square_root(i);
		} catch (const std::domain_error &) {
			sum += 1;
		}
	}
	return sum < 1000;
}
