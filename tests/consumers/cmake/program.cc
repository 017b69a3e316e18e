// SPDX-License-Identifier: LGPL-2.1-or-later
// A user's object in C++.
#include <perfctr/perfctr.hpp>

perfctr::set open_set()
{
	return perfctr::set("task-clock");
}
