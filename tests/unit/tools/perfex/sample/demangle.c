// SPDX-License-Identifier: LGPL-2.1-or-later
/* C++'s names, of which the process that reads them may get as many as there are. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/symbols.h"

static bool have_library(void)
{
	return dlopen("libstdc++.so.6", RTLD_NOW) || dlopen("libc++abi.so.1", RTLD_NOW);
}

static void is(const char *name, const char *shown)
{
	char *text = demangle(name);

	ck_assert_msg(!strcmp(text, shown), "%.80s is shown as %.80s", name, text);
	free(text);
}

START_TEST(names)
{
	const char *shown = have_library() ? "space::thing<int>::turn(long)"
					   : "_ZN5space5thingIiE4turnEl";

	is("main", "main");
	is("", "");
	is("_Z", "_Z");
	is("_ZNot_one", "_ZNot_one");
	is("_ZN5space5thingIiE4turnEl", shown);
	is("_ZN5space5thingIiE4turnEl", shown);
	demangle_end();
	is("_ZN5space5thingIiE4turnEl", "_ZN5space5thingIiE4turnEl");
}
END_TEST

/* perfex may have more than that itself. The name is one that takes stack. */
START_TEST(much)
{
	size_t size = (size_t)512 << 20;
	void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[1024] = "_Z1f", shown[1024] = "f(int";

	ck_assert_ptr_ne(memory, MAP_FAILED);
	memset(name + 4, 'P', 900);
	strcpy(name + 904, "i");
	memset(shown + 5, '*', 900);
	strcpy(shown + 905, ")");
	if (have_library())
		is(name, shown);
	demangle_end();
	munmap(memory, size);
}
END_TEST

/* What is written of each type is twice as long as of the one before. */
static void make_long(char *name, char *shown, unsigned int types)
{
	char type[8192] = "a<int, int>", twice[8192];
	unsigned int i;

	name += sprintf(name, "_Z1f1aIiiE");
	shown += sprintf(shown, "f(%s", type);
	for (i = 0; i < types; i++) {
		name += sprintf(name, "S_IS%u_S%u_E", i, i);
		snprintf(twice, sizeof(twice), "a<%.4000s, %.4000s >", type, type);
		strcpy(type, twice);
		shown += sprintf(shown, ", %s", type);
	}
	strcpy(shown, ")");
}

/* 70,000 names of 4 KB each are more than the process may have of memory. */
START_TEST(many)
{
	char name[256], shown[8192];
	unsigned int i;

#ifdef __SANITIZE_ADDRESS__
	return; /* keeps what is freed */
#endif
	make_long(name, shown, 7);
	ck_assert_uint_gt(strlen(shown), 4096);
	for (i = 0; have_library() && i < 70000; i++)
		is(name, shown);
	demangle_end();
}
END_TEST

/* A name that would be too long is shown as it is. */
START_TEST(too_long)
{
	char name[256], shown[4 * LONGEST_NAME];

	make_long(name, shown, 7);
	ck_assert_uint_le(strlen(shown), LONGEST_NAME);
	if (have_library())
		is(name, shown);
	make_long(name, shown, 8);
	ck_assert_uint_gt(strlen(shown), LONGEST_NAME);
	is(name, name);
	demangle_end();
}
END_TEST

/* Where there can be no more processes, names are shown as they are. */
static bool no_fork;

pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t __wrap_fork(void)
{
	if (!no_fork)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

START_TEST(no_process)
{
	no_fork = true;
	is("_ZN5space5thingIiE4turnEl", "_ZN5space5thingIiE4turnEl");
	is("_ZN5space5thingIiE4turnEl", "_ZN5space5thingIiE4turnEl");
	demangle_end();
}
END_TEST

UNIT_MAIN("demangle", 60, names, much, many, too_long, no_process)
