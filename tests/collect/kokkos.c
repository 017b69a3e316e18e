// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program that loads a tool and calls it as Kokkos does, for collect.sh: the library of the
 * variable that is the first argument. It has a region by hand, too. "full" is a second argument.
 */
#include <dlfcn.h>
#include <perfctr/regions.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PERFCTR_REGION(hand, "by hand");

struct space {
	char name[64];
};

static void *library;

static void (*find(const char *name))(void)
{
	void (*function)(void) = (void (*)(void))dlsym(library, name);

	if (!function) {
		fprintf(stderr, "there is no %s\n", name);
		exit(2);
	}
	return function;
}

static void kernel(const char *kind, const char *name, uint32_t device)
{
	char begin[64], end[64];
	uint64_t id = 0;

	snprintf(begin, sizeof(begin), "kokkosp_begin_%s", kind);
	snprintf(end, sizeof(end), "kokkosp_end_%s", kind);
	((void (*)(const char *, uint32_t, uint64_t *))find(begin))(name, device, &id);
	((void (*)(uint64_t))find(end))(id);
}

static void push(const char *name)
{
	((void (*)(const char *))find("kokkosp_push_profile_region"))(name);
}

static void pop(void)
{
	find("kokkosp_pop_profile_region")();
}

static void copy(void)
{
	const struct space host = { "Host" }, other = { "HBM" };

	((void (*)(struct space, const char *, const void *, struct space, const char *,
		   const void *, uint64_t))find("kokkosp_begin_deep_copy"))(host, "a", NULL, other,
									    "b", NULL, 8);
	find("kokkosp_end_deep_copy")();
}

static uint32_t create(const char *name)
{
	uint32_t id = 0;

	((void (*)(const char *, uint32_t *))find("kokkosp_create_profile_section"))(name, &id);
	return id;
}

static void section(const char *what, uint32_t id)
{
	char name[64];

	snprintf(name, sizeof(name), "kokkosp_%s_profile_section", what);
	((void (*)(uint32_t))find(name))(id);
}

/* A kernel whose name has no room after those of the program. */
static int be_full(void)
{
	char name[32];
	int i = 0;

	do
		snprintf(name, sizeof(name), "%d", i);
	while (perfctr_region_by_name(name) && i++ < 100000);
	kernel("parallel_for", "one more", 0);
	return i > 100000;
}

int main(int argc, char **argv)
{
	const char *file = argc > 1 ? getenv(argv[1]) : NULL;
	char longer[2][300];
	uint32_t one, two;
	int i;

	library = file ? dlopen(file, RTLD_NOW) : NULL;
	if (!library)
		return 3;
	((void (*)(int, uint64_t, uint32_t, void *))find("kokkosp_init_library"))(0, 20211015, 0,
										  NULL);
	if (argc > 2)
		return be_full();
	perfctr_region_begin(&hand);
	push("solve");
	for (i = 0; i < 3; i++)
		kernel("parallel_for", "axpy", 1 << 24);
	kernel("parallel_reduce", "dot", 0);
	kernel("parallel_scan", NULL, 0);
	kernel("fence", "wait", 0);
	copy();
	pop();
	pop(); /* once more than there are */
	perfctr_region_end(&hand);
	one = create("one");
	two = create("two");
	section("start", one);
	section("start", two);
	section("stop", one);
	section("stop", two);
	section("destroy", one);
	for (i = 0; i < 2; i++) {
		memset(longer[i], 'x', sizeof(longer[i]));
		longer[i][298] = (char)('a' + i);
		longer[i][299] = '\0';
		kernel("parallel_for", longer[i], 0);
	}
	for (i = 0; i < 300; i++)
		push("deep");
	for (i = 0; i < 300; i++)
		pop();
	for (i = 0; i < 1100; i++)
		one = create("again");
	section("start", one);
	section("stop", one);
	for (i = 0; i < 1100; i++) {
		snprintf(longer[0], sizeof(longer[0]), "%d", i);
		one = create(longer[0]);
	}
	section("start", one);
	section("stop", one);
	kernel("parallel_for", "elsewhere", 2u << 24);
	kernel("parallel_for", "elsewhere", 3u << 24);
	((void (*)(uint64_t))find("kokkosp_end_parallel_for"))(0);
	return 0;
}
