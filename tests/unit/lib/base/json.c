// SPDX-License-Identifier: LGPL-2.1-or-later
/* Values of JSON texts: what they are, and what is refused, in which line. */
#include <stdio.h>
#include <string.h>
#include "lib/base/json.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

struct seen {
	char text[400];
	size_t used;
};

static void note(struct seen *seen, const struct perfctr_json *json, enum perfctr_json_type type)
{
	static const char letters[] = "0b#\"[{)";

	seen->used += (size_t)snprintf(seen->text + seen->used, sizeof(seen->text) - seen->used,
				       "%u%s%s%c", json->line, json->name ? ":" : "",
				       json->name ? json->name : "", letters[type]);
	if (type < PERFCTR_JSON_ARRAY)
		seen->used += (size_t)snprintf(seen->text + seen->used,
					       sizeof(seen->text) - seen->used, "%.*s;",
					       (int)json->length, json->text);
	ck_assert_uint_lt(seen->used, sizeof(seen->text));
}

static struct perfctr_json read_text(const char *text, struct seen *seen)
{
	static char copy[4000];
	struct perfctr_json json = { .at = copy, .line = 1 };
	enum perfctr_json_type type;

	*seen = (struct seen){ .used = 0 };
	snprintf(copy, sizeof(copy), "%s", text);
	json.end = copy + strlen(copy);
	while ((type = perfctr_json_next(&json)) < PERFCTR_JSON_END)
		note(seen, &json, type);
	ck_assert_int_eq(type == PERFCTR_JSON_WRONG, json.problem != NULL);
	return json;
}

START_TEST(right)
{
	static const struct {
		const char *text, *seen;
	} all[] = {
		{ "{}", "1{1)" },
		{ " [ ] ", "1[1)" },
		{ "\t[\r\n\"a b\"\t,\r1]", "1[2\"a b;2#1;2)" },
		{ "12", "1#12;" },
		{ "true\n\"\" {}", "1btrue;2\";2{2)" },
		{ "{\"a\":\"b\",\"c\":-1.5e3, \"d\" : null}\n", "1{1:a\"b;1:c#-1.5e3;1:d0null;1)" },
		{ "[{\"a\":1},\n{\"b\":{\"c\":false}}]", "1[1{1:a#1;1)2{2:b{2:cbfalse;2)2)2)" },
		{ "{\n\"e\":[1,\"x\",[]],\n\"f\":\"\"}", "1{2:e[2#1;2\"x;2[2)2)3:f\";3)" },
		{ "[0,-0,0.50,1e9,2E+7,3.25e-12]", "1[1#0;1#-0;1#0.50;1#1e9;1#2E+7;1#3.25e-12;1)" },
		{ "{\"a\\\"b\":\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u001B\xC3\xA4\x7F\xFF\"}",
		  "1{1:a\"b\"\\/\b\f\n\r\tA\x1B\xC3\xA4\x7F\xFF;1)" },
		{ "[\"\\ud7ff\\ue000\",\"\\u00411\"]", "1[1\"\xED\x9F\xBF\xEE\x80\x80;1\"A1;1)" },
		/* One to four bytes, the first and the last of each. */
		{ "\"\\u0001\\u007f\\u0080\\u07fF\\u0800\\uFFFF\\ud800\\udc00\\uDBFF\\uDFFF\"",
		  "1\"\x01\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
		  "\xF4\x8F\xBF\xBF;" },
		{ "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
		  "1[1[1[1[1[1[1[1[1[1[1[1[1[1[1[1[1)1)1)1)1)1)1)1)1)1)1)1)1)1)1)1)" },
	};
	struct seen seen;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_ptr_null(read_text(all[i].text, &seen).problem);
		ck_assert_str_eq(seen.text, all[i].seen);
	}
}
END_TEST

START_TEST(wrong)
{
	static const char end[] = "the file ends in the middle of a value",
			  value[] = "this is no value",
			  member[] = "a member of an object is \"name\": value",
			  comma[] = "a comma or the closing bracket is missing",
			  string[] = "a string does not end on its line",
			  escape[] = "a string has a \\ with nothing after it that JSON knows";
	static const struct {
		const char *text, *problem;
		unsigned int line;
	} all[] = {
		{ "", end, 1 },
		{ "\n\n", end, 3 },
		{ "\n\n{\"a\":", end, 3 },
		{ "[1,", end, 1 },
		{ "\n\n]", value, 3 },
		{ "{\"a\":1}\nx", value, 2 },
		{ "[1,]", value, 1 },
		{ "[,1]", value, 1 },
		{ "[1}", comma, 1 },
		{ "[1 2]", comma, 1 },
		{ "[1\n", comma, 2 },
		{ "{\"a\":1\n\"b\":2}", comma, 2 },
		{ "{\"a\" 1}", member, 1 },
		{ "{\"a\":1,}", member, 1 },
		{ "{\"a\":1,2}", member, 1 },
		{ "{a:1}", member, 1 },
		{ "{", member, 1 },
		{ "{]", member, 1 },
		{ "{\"a\":\"b", string, 1 },
		{ "{\"a", string, 1 },
		{ "{\"a\":\"b\n\"}", string, 1 },
		{ "\"\x1F\"", string, 1 },
		{ "{\"a\":\"\\x\"}", escape, 1 },
		{ "{\"a\\x\":1}", escape, 1 },
		{ "{\"a\":\"\\u12\"}", escape, 1 },
		{ "{\"a\":\"\\u004g\"}", escape, 1 },
		{ "\"\\ud800x\"", escape, 1 },
		{ "\"\\ud800\\n\"", escape, 1 },
		{ "\"\\ud800\\u0041\"", escape, 1 },
		{ "\"\\ud800\\udbff\"", escape, 1 },
		{ "\"\\ud800\\ue000\"", escape, 1 },
		{ "\"\\ud800\\ndc00\"", escape, 1 },
		{ "\"\\ud800xudc00\"", escape, 1 },
		{ "\"\\udc00\"", escape, 1 },
		{ "\"\\udc00\\udc00\"", escape, 1 },
		{ "\"\\udfff\"", escape, 1 },
		{ "\"\\udfff\\udc00\"", escape, 1 },
		{ "\"\\u0000\"", escape, 1 },
		{ "[\"\\", escape, 1 },
		{ "[\"\\u", escape, 1 },
		{ "01", value, 1 },
		{ "-01", value, 1 },
		{ "+1", value, 1 },
		{ ".5", value, 1 },
		{ "1.", value, 1 },
		{ "1e", value, 1 },
		{ "1e+", value, 1 },
		{ "-", value, 1 },
		{ "0x10", value, 1 },
		{ "nan", value, 1 },
		{ "nul", value, 1 },
		{ "[[[[[[[[[[[[[[[[[", "values are in too many others", 1 },
		{ "[[[[[[[[[[[[[[[{\"a\":{", "values are in too many others", 1 },
	};
	struct perfctr_json json;
	struct seen seen;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		json = read_text(all[i].text, &seen);
		ck_assert_msg(json.problem != NULL, "%s", all[i].text);
		ck_assert_str_eq(json.problem, all[i].problem);
		ck_assert_uint_eq(json.line, all[i].line);
	}
}
END_TEST

UNIT_MAIN("json", 60, right, wrong)
