// SPDX-License-Identifier: LGPL-2.1-or-later
#include <perfctr/perfctr.hpp>

static void work()
{
}

int main()
{
	perfctr::regions::start("page-faults:u");
	{
		perfctr::region_guard guard(perfctr::region("work"));
		work();
	}
	perfctr::regions::report();
}
