// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a page holds of files: each letter of theirs, however it is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/report/page.h"

static char directory[] = "page.XXXXXX", text[1 << 20];

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static void end(void)
{
	ck_assert_int_eq(chdir(".."), 0);
	ck_assert_int_eq(rmdir(directory), 0);
}

static void write_file(const char *name, const char *contents)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(contents, file);
	fclose(file);
}

/* Returns the data of the page, which goes. */
static const char *read_data(void)
{
	static const char before[] = "id=\"data\">", after[] = "</script>";
	FILE *file = fopen("page", "r");
	char *data;

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink("page");
	data = strstr(text, before);
	ck_assert_ptr_nonnull(data);
	data += strlen(before);
	*strstr(data, after) = '\0';
	return data;
}

static void page_file(struct page *page, const char *path)
{
	struct document document;
	char *contents = document_text(&document, path);

	if (!contents)
		die("%s", document.problem);
	page_add(page, path, contents, document.first);
	document_free(&document);
	free(contents);
}

/* Returns the data of the page of "one" and, if there is a second one, "two". */
static const char *data_of(const char *one, const char *two)
{
	struct page page = { .output = { .name = "page", .format = FORMAT_JSON } };

	write_file("one", one);
	page_open(&page, getpid(), false);
	page_file(&page, "one");
	if (two) {
		write_file("two", two);
		page_file(&page, "two");
		unlink("two");
	}
	page_close(&page);
	unlink("one");
	return read_data();
}

START_TEST(documents)
{
	begin();
	ck_assert_str_eq(
		data_of("{\"type\":\"a\",\"x\":[{},{\"y\":{}}]} {\"type\":\"b\"}\n{\"type\":\"c\"}",
			NULL),
		"[{\"source\":\"one\",\"documents\":[{\"type\":\"a\",\"x\":[{},{\"y\":{}}]} ,\n"
		"{\"type\":\"b\"}\n,\n{\"type\":\"c\"}]}]");
	ck_assert_str_eq(data_of("{\"type\":\"a\"}", "{\"type\":\"b\"}"),
			 "[{\"source\":\"one\",\"documents\":[{\"type\":\"a\"}]},\n"
			 "{\"source\":\"two\",\"documents\":[{\"type\":\"b\"}]}]");
	end();
}
END_TEST

/* Braces and quotes in strings are letters; what could end the element, or lines, is a number. */
START_TEST(letters)
{
	static const struct {
		const char *in, *out;
	} strings[] = {
		{ "}{\\\"}{", "}{\\\"}{" },
		{ "\\\\", "\\\\" },
		{ "<!--</script>&", "\\u003c!--\\u003c/script\\u003e\\u0026" },
		{ "<\\/script>", "\\u003c\\/script\\u003e" },
		{ "\\u003c", "\\u003c" },
		{ "\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xAE\xE2\x80\xAF",
		  "\xE2\x80\xA7\\u2028\\u202e\xE2\x80\xAF" },
		{ "\xE2\x81\xA5\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA",
		  "\xE2\x81\xA5\\u2066\\u2069\xE2\x81\xAA" },
		{ "\xC3\xA4\xF0\x9F\x98\x80", "\xC3\xA4\xF0\x9F\x98\x80" },
		{ "a\xFF\xC0\xAF"
		  "b",
		  "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
		  "b" },
	};
	char in[256], out[256];
	size_t i;

	begin();
	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		snprintf(in, sizeof(in), "{\"type\":\"%s\",\"%s\":1}", strings[i].in,
			 strings[i].in);
		snprintf(out, sizeof(out),
			 "[{\"source\":\"one\",\"documents\":[{\"type\":\"%s\",\"%s\":1}]}]",
			 strings[i].out, strings[i].out);
		ck_assert_str_eq(data_of(in, NULL), out);
	}
	end();
}
END_TEST

/* The run's own come last, and are of no file. */
START_TEST(own)
{
	struct page page = { .output = { .name = "page", .format = FORMAT_JSON } };

	begin();
	page_open(&page, getpid(), false);
	fputs("{\"type\":\"<\"}\n{}", page.data);
	page_close(&page);
	ck_assert_str_eq(read_data(),
			 "[{\"source\":null,\"documents\":[{\"type\":\"\\u003c\"}\n,\n{}]}]");
	page = (struct page){ .output = { .name = "page", .format = FORMAT_JSON } };
	page_open(&page, getpid(), false);
	page_close(&page);
	ck_assert_str_eq(read_data(), "[]");
	end();
}
END_TEST

/* A file that is wrong ends perfex. */
START_TEST(wrong)
{
	static const char *const files[] = { NULL, "",	 "text",	 "[1]",
					     "1",  "{}", "{\"type\":1}", "{\"type\":\"a\"} {" };
	struct page page = { .output = { .name = "page", .format = FORMAT_JSON } };
	int status;
	size_t i;

	begin();
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		pid_t pid;

		if (files[i])
			write_file("one", files[i]);
		pid = fork();
		if (pid == 0) {
			page_open(&page, getpid(), false);
			page_file(&page, "one");
			page_close(&page);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), EXIT_PERFEX);
		ck_assert_int_ne(access("page", F_OK), 0);
		unlink("one");
	}
	end();
}
END_TEST

/* Without a name nothing is opened, and nothing written. */
START_TEST(none)
{
	struct page page = { .output = { .format = FORMAT_JSON } };

	begin();
	page_open(&page, getpid(), false);
	page_results(&page, NULL);
	page_close(&page);
	end();
}
END_TEST

UNIT_MAIN("page", 20, documents, letters, own, wrong, none)
