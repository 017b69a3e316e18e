// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/sample/libdw.h"

#ifdef HAVE_LIBDW
#include <dlfcn.h>
#include <stddef.h>

struct libdw dw;

const char *libdw_load(void)
{
	static void *library;

	if (!library)
		library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return "libdw is not installed (Debian: libdw1)";
#define FIND(name)                                                   \
	if (!(dw.name = (__typeof__(dw.name))dlsym(library, #name))) \
		return "libdw is older than 0.158";
	LIBDW_FUNCTIONS(FIND)
	return NULL;
}
#else
const char *libdw_load(void)
{
	return "this perfex was built without libdw (Debian: libdw-dev)";
}
#endif
