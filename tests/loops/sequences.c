// SPDX-License-Identifier: LGPL-2.1-or-later
/* The restartable sequences of lib/perf/core_types.c, with their places noted. */
#include "sites.h"
#include "lib/perf/core_types.c"
