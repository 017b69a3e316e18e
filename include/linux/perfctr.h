/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* linux/perfctr.h - the name of <perfctr/abi.h> in programs for perfctr 2.6. */
#include <perfctr/abi.h>
