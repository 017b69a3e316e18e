// SPDX-License-Identifier: LGPL-2.1-or-later
/* Objects of JSON texts: what they hold, and what is refused, in which line. */
#include <stdio.h>
#include <string.h>
#include "lib/base/json.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

struct seen {
	char text[400];
};

static const char *note(void *arg, const struct perfctr_json_member *members, unsigned int n,
			unsigned int line)
{
	struct seen *seen = arg;
	size_t used = strlen(seen->text);
	unsigned int i;

	used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, "%u{", line);
	for (i = 0; i < n && used < sizeof(seen->text); i++)
		used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, "%.*s=%.*s;",
					 (int)members[i].key_length, members[i].key,
					 (int)members[i].length, members[i].value);
	snprintf(seen->text + used, sizeof(seen->text) - used, "}");
	return n && !strncmp(members[0].key, "bad", members[0].key_length) ? "it is bad" : NULL;
}

static const char *read_text(const char *text, struct seen *seen, unsigned int *line)
{
	struct perfctr_json json = { .object = note, .arg = seen };
	static char copy[4000];
	const char *reason;

	seen->text[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", text);
	reason = perfctr_json_read(&json, copy);
	*line = json.line;
	return reason;
}

START_TEST(right)
{
	static const struct {
		const char *text, *seen;
	} all[] = {
		{ "{}", "1{}" },
		{ " [ ] ", "" },
		{ "12", "" },
		{ "{\"a\":\"b\",\"c\":-1.5e3, \"d\" : null}\n", "1{a=b;c=-1.5e3;d=null;}" },
		{ "[{\"a\":1},\n{\"b\":{\"c\":2}}]", "1{a=1;}2{c=2;}2{}" },
		{ "{\n\"e\":[1,\"x\",[]],\n\"f\":\"\"}", "1{f=;}" },
		/* What is decoded does not control a terminal. */
		{ "{\"a\\\"b\":\"\\\\\\/\\n\\t\\u0041\\u001B\\u20ac\\u000a\xC3\xA4\x7F\"}",
		  "1{a\"b=\\/  A ? ???;}" },
		{ "{\"~\":\"~\\u007e\\u007F\\u1041\\u0020\\u0021\"}", "1{~=~~?? !;}" },
	};
	struct seen seen;
	unsigned int i, line;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_ptr_null(read_text(all[i].text, &seen, &line));
		ck_assert_str_eq(seen.text, all[i].seen);
	}
}
END_TEST

START_TEST(wrong)
{
	static const struct {
		const char *text, *reason;
		unsigned int line;
	} all[] = {
		{ "", "a value is needed", 1 },
		{ "\n\n]", "a value is needed", 3 },
		{ "{\"a\":1}\n{}", "something stands after the end", 2 },
		{ "{\"a\" 1}", "a member needs a colon", 1 },
		{ "{\"a\":1,}", "a string is needed", 1 },
		{ "{a:1}", "a string is needed", 1 },
		{ "{\"a\":1\n\"b\":2}", "an object needs , or }", 2 },
		{ "[1 2]", "an array needs , or ]", 1 },
		{ "[1,]", "a value is needed", 1 },
		{ "{\"a\":\"b", "a string has no end", 1 },
		{ "{\"a\":\"b\n\"}", "a string has a character that controls", 1 },
		{ "{\"a\":\"\\x\"}", "a string has a wrong escape", 1 },
		{ "{\"a\":\"\\u12\"}", "a string has a wrong escape", 1 },
		{ "{\"a\":\"\\u004g\"}", "a string has a wrong escape", 1 },
		{ "[\"\\", "a string has a wrong escape", 1 },
		{ "[\"\\u", "a string has a wrong escape", 1 },
		{ "[\n{\"bad\":1}]", "it is bad", 2 },
		{ "[[[[[[[[[1]]]]]]]]]", "objects and arrays are more than 8 deep", 1 },
		{ "[[[[{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}]]]]",
		  "objects and arrays are more than 8 deep", 1 },
	};
	const char *reason;
	struct seen seen;
	unsigned int i, line;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		reason = read_text(all[i].text, &seen, &line);
		ck_assert_msg(reason != NULL, "%s", all[i].text);
		ck_assert_str_eq(reason, all[i].reason);
		ck_assert_uint_eq(line, all[i].line);
	}
	ck_assert_ptr_null(read_text("[[[[[[[[1]]]]]]]]", &seen, &line));
}
END_TEST

START_TEST(members)
{
	char text[1000];
	struct seen seen;
	unsigned int i, line;
	size_t used;

	/* As many as there is room for; one more and many more, which no one wants to see. */
	for (i = 64; i < 67; i++) {
		for (used = 1, strcpy(text, "{"); used < 1 + 7 * i;)
			used += (size_t)sprintf(text + used, "\"a\":10,");
		strcpy(text + used, "\"b\":{\"c\":1}}");
		ck_assert_ptr_null(read_text(text, &seen, &line));
		ck_assert_int_eq(strncmp(seen.text, "1{c=1;}", 7), 0);
		if (i == 64)
			ck_assert_uint_gt(strlen(seen.text), 64 * 5);
		else
			ck_assert_uint_eq(strlen(seen.text), 7);
	}
	strcpy(text + used, "x");
	ck_assert_str_eq(read_text(text, &seen, &line), "a string is needed");
}
END_TEST

UNIT_MAIN("json", 60, right, wrong, members)
