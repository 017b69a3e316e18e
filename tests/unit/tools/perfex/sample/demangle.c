// SPDX-License-Identifier: LGPL-2.1-or-later
/* C++'s names, of which the process that reads them may get as many as there are. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/helper.h"

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
	is("_ZN5space5thingIiE4turnEl", shown);
	demangle_end();
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
	static char type[1 << 18], twice[1 << 18];
	unsigned int i;

	strcpy(type, "a<int, int>");
	name += sprintf(name, "_Z1f1aIiiE");
	shown += sprintf(shown, "f(%s", type);
	for (i = 0; i < types; i++) {
		name += sprintf(name, "S_IS%u_S%u_E", i, i);
		snprintf(twice, sizeof(twice), "a<%.100000s, %.100000s >", type, type);
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
	char name[256];
	static char shown[4 * LONGEST_PACKET];

	make_long(name, shown, 10);
	ck_assert_uint_le(strlen(shown), LONGEST_PACKET);
	if (have_library())
		is(name, shown);
	make_long(name, shown, 12);
	ck_assert_uint_gt(strlen(shown), LONGEST_PACKET);
	is(name, name);
	demangle_end();
}
END_TEST

/* Where there can be no more processes, names are shown as they are, to the end of an output. */
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
	no_fork = false;
	is("_ZN5space5thingIiE4turnEl", "_ZN5space5thingIiE4turnEl");
	demangle_end();
	if (have_library())
		is("_ZN5space5thingIiE4turnEl", "space::thing<int>::turn(long)");
	demangle_end();
}
END_TEST

/* Counts the questions. */
static unsigned int questions;

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	questions++;
	return __real_sendmsg(fd, message, flags);
}

#define ALL 100000

/* Of 100,000 names with 4,096 different ones, each is asked for once, and thousands at a time. */
START_TEST(at_once)
{
	static const char *given[ALL];
	static char *texts[ALL], text[ALL][32];
	char shown[32];
	unsigned int i;

	for (i = 0; i < ALL; i++) {
		snprintf(text[i], sizeof(text[i]), i % 3 ? "_Z%uf%04xv" : "%uf%04xv", 5,
			 i * 7 % 4096);
		given[i] = text[i];
	}
	questions = 0;
	demangle_all(given, texts, ALL);
	for (i = 0; i < ALL; i++) {
		snprintf(shown, sizeof(shown), "f%04x()", i * 7 % 4096);
		ck_assert_str_eq(texts[i], i % 3 && have_library() ? shown : text[i]);
		free(texts[i]);
	}
	if (have_library())
		ck_assert_uint_le(questions, 2);
	demangle_all(given, texts, 0);
	demangle_end();
}
END_TEST

/* Texts that are larger than all room for answers, and a process that is ended by a name. */
START_TEST(larger)
{
	const char *given[100];
	char *texts[100], name[256];
	static char shown[4 * LONGEST_PACKET], other[100][16];
	unsigned int i;

	make_long(name, shown, 10);
	for (i = 0; i < 100; i++) {
		snprintf(other[i], sizeof(other[i]), "_Z2f%uv", i % 10);
		given[i] = i % 3 ? name : other[i];
	}
	demangle_all(given, texts, 100);
	for (i = 0; i < 100; i++) {
		if (have_library())
			ck_assert_str_eq(texts[i] + strlen(texts[i]) - 1, ")");
		if (have_library() && i % 3)
			ck_assert_str_eq(texts[i], shown);
		free(texts[i]);
	}
	demangle_end();
}
END_TEST

/* One name that keeps or ends the process costs none of those before it their texts. */
START_TEST(deadly)
{
	static char deep[LONGEST_PACKET / 2];
	const char *given[] = { "_Z1av", deep, "_Z1bv" };
	char *texts[3];

#ifdef __SANITIZE_ADDRESS__
	return; /* another size of stack */
#endif
	strcpy(deep, "_Z1f");
	memset(deep + 4, 'P', sizeof(deep) - 6);
	deep[sizeof(deep) - 2] = 'i';
	demangle_all(given, texts, 3);
	if (have_library())
		ck_assert_str_eq(texts[0], "a()");
	ck_assert_msg(!strcmp(texts[2], "_Z1bv") || !strcmp(texts[2], "b()"), "%s", texts[2]);
	free(texts[0]);
	free(texts[1]);
	free(texts[2]);
	demangle_end();
}
END_TEST

UNIT_MAIN("demangle", 60, names, at_once, larger, much, many, too_long, deadly, no_process)
