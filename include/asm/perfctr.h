/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* asm/perfctr.h - the name under which perfctr 2.6's programs know <perfctr/abi.h>. */
#include <perfctr/abi.h>
