// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of the vendor's own files: what they mean to perf_events, and which files are refused. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "arch/isa.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/names/table.h"
#include "lib/names/vendor.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/root.h"

static const char *read_for(const char *cpu, const char *text, struct perfctr_vendor *vendor,
			    unsigned int *line)
{
	static struct perfctr_cpu named;
	static char copy[4000];

	ck_assert_int_eq(perfctr_cpu_named(cpu, &named), 0);
	*vendor = (struct perfctr_vendor){ .cpu = &named, .own = true };
	snprintf(copy, sizeof(copy), "%s", text);
	return perfctr_vendor_read(vendor, copy, strlen(copy), line);
}

/* Codes, and what is no event of a core. */
START_TEST(codes)
{
	static const struct {
		const char *cpu, *members;
		uint32_t code, high, reg, fixed;
		uint64_t value;
	} all[] = {
		{ "skylake", "\"EventCode\":\"0xC0\"", 0xC0, 0, 0, 0, 0 },
		{ "skylake", "\"EventCode\":\"\\u0031\"", 1, 0, 0, 0, 0 },
		{ "skylake",
		  "\"EventCode\":\"0xA3\",\"UMask\":\"0x14\",\"CounterMask\":\"20\",\"Invert\":1,"
		  "\"EdgeDetect\":\"1\",\"AnyThread\":\"1\"",
		  0x14A414A3, 0, 0, 0, 0 },
		{ "goldencove", "\"EventCode\":\"0x2A\",\"UMaskExt\":\"0x12\"", 0x2A, 0x1200, 0, 0,
		  0 },
		{ "goldencove", "\"EventCode\":\"0x2A\",\"UMask\":\"0x12ff\"", 0xFF2A, 0x1200, 0, 0,
		  0 },
		{ "skylake", "\"EventCode\":\"0x00\",\"UMask\":\"0x03\"", 0, 0, 0, 4, 0 },
		{ "skylake", "\"EventCode\":\"0x00\",\"UMask\":\"0x01\"", 0, 0, 0, 1, 0 },
		{ "skylake", "\"EventCode\":\"0\",\"UMask\":\"2\",\"AnyThread\":\"1\"", 0x200000, 0,
		  0, 2, 0 },
		{ "skylake", "\"UMask\":\"0x08\"", 0, 0, 0, 0x80, 0 },
		{ "skylake", "\"EventCode\":\"0\",\"UMask\":\"9\"", 0x900, 0, 0, 0, 0 },
		{ "goldencove", "\"EventCode\":\"0xC0\",\"Unit\":\"cpu_core\"", 0xC0, 0, 0, 0, 0 },
		{ "skylake",
		  "\"EventCode\":\"0xB7,0xBB\",\"UMask\":\"0x01\",\"MSRIndex\":\"0x1a6,0x1a7\","
		  "\"MSRValue\":\"0x3F80000001\"",
		  0x1B7, 0, 0x1A6, 0, 0x3F80000001 },
		{ "skylake", "\"EventCode\":\"0xC6\",\"MSRIndex\":\"0x3F7\",\"MSRValue\":\"17\"",
		  0xC6, 0, 0x3F7, 0, 17 },
		{ "skylake", "\"EventCode\":\"0xCD\",\"MSRIndex\":\"0x3F6\",\"MSRValue\":\"4\"",
		  0xCD, 0, 0x3F6, 0, 4 },
		{ "coyotecove",
		  "\"EventCode\":\"0xD6\",\"UMask\":\"1\",\"MSRIndex\":\"0x3E0,0x3E1\","
		  "\"MSRValue\":\"4\"",
		  0x1D6, 0, 0x3E0, 0, 4 },
		{ "zen4", "\"EventCode\":\"0x1C2\",\"UMask\":\"0x80\"", 0x80C2, 1, 0, 0, 0 },
		{ "zen4", "\"EventCode\":\"0\",\"UMask\":\"0x02\"", 0x200, 0, 0, 0, 0 },
		{ "neoverse-n1", "\"EventCode\":\"0x8005\",\"UMask\":\"0x80\"", 0x8005, 0, 0, 0,
		  0 },
	};
	static const char *const none[] = {
		"\"SampleAfterValue\":\"1\"",
		"\"UMask\":\"9\"",
		"\"EventCode\":\"0xC0\",\"Unit\":\"cpu_atom\"",
		"\"EventCode\":\"0xC0\",\"Unit\":\"CBO\"",
		"\"EventCode\":\"0xD6\",\"MSRIndex\":\"0x3E0\",\"MSRValue\":\"4\"",
	};
	struct perfctr_vendor vendor;
	unsigned int i, line;
	char text[300];

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(text, sizeof(text),
			 "[{\"EventName\":\"A.B\",%s,\"BriefDescription\":\"does it\"}]",
			 all[i].members);
		ck_assert_ptr_null(read_for(all[i].cpu, text, &vendor, &line));
		ck_assert_uint_eq(vendor.n, 1);
		ck_assert_str_eq(vendor.events[0].name, "A.B");
		ck_assert_str_eq(vendor.events[0].text, "does it");
		ck_assert_uint_eq(vendor.events[0].code, all[i].code);
		ck_assert_uint_eq(vendor.events[0].high, all[i].high);
		ck_assert_uint_eq(vendor.events[0].reg, all[i].reg);
		ck_assert_uint_eq(vendor.events[0].fixed, all[i].fixed);
		ck_assert_uint_eq(vendor.events[0].value, all[i].value);
		ck_assert_uint_eq(vendor.events[0].pebs, all[i].reg == 0x3F6);
		perfctr_vendor_free(&vendor);
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		snprintf(text, sizeof(text), "[{\"EventName\":\"A.B\",%s}]", none[i]);
		ck_assert_ptr_null(read_for("skylake", text, &vendor, &line));
		ck_assert_uint_eq(vendor.n, 0);
		perfctr_vendor_free(&vendor);
	}
}
END_TEST

/* Which counters can count an event, as far as its file says so. */
START_TEST(counters)
{
	static const struct {
		const char *members;
		uint32_t counters;
	} all[] = {
		{ "\"Counter\":\"0,1,2,3\"", 0xF },
		{ "\"Counter\":\"2\",\"CounterHTOff\":\"2\"", 0x4 },
		{ "\"Counter\":\"0,1,2,3\",\"CounterHTOff\":\"0,1,2,3,4,5,6,7\"", 0xFF },
		{ "\"Counter\":\"1, 3 \"", 0xA },
		{ "\"Counter\":\"31,32,4000000000\"", 0x80000000 },
		{ "\"Counter\":3", 0x8 },
		{ "\"Counter\":\"\"", 0xFFFFFFFF },
		{ "\"Counter\":\"Fixed counter 1\"", 0xFFFFFFFF },
		{ "\"CounterHTOff\":\"0\"", 0xFFFFFFFF },
		{ "\"UMask\":\"1\"", 0xFFFFFFFF },
	};
	struct perfctr_vendor vendor;
	unsigned int i, line;
	char text[300];

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(text, sizeof(text), "[{\"EventName\":\"A\",\"EventCode\":\"1\",%s}]",
			 all[i].members);
		ck_assert_ptr_null(read_for("skylake", text, &vendor, &line));
		ck_assert_uint_eq(vendor.n, 1);
		ck_assert_uint_eq(vendor.events[0].counters, all[i].counters);
		perfctr_vendor_free(&vendor);
	}
}
END_TEST

/* Arm's own form, of an arm64 processor only. */
START_TEST(arms_form)
{
	static const char text[] =
		"{\"pmu_architecture\":\"pmu-v3\",\"cpu\":\"Neoverse-N1\",\"events\":["
		"{\"code\":0,\"name\":\"SW_INCR\",\"description\":\"Software increment\"},"
		"{\"name\":\"L1I_CACHE_REFILL\",\"code\":\"0x1\"},"
		"{\"name\":\"NO_CODE\"},{\"EventName\":\"LINUX\",\"EventCode\":\"2\"}]}";
	struct perfctr_vendor vendor;
	unsigned int line;

	ck_assert_ptr_null(read_for("neoverse-n1", text, &vendor, &line));
	ck_assert_uint_eq(vendor.n, 3);
	ck_assert_str_eq(vendor.events[0].name, "SW_INCR");
	ck_assert_str_eq(vendor.events[0].text, "Software increment");
	ck_assert_uint_eq(vendor.events[0].code, 0);
	ck_assert_str_eq(vendor.events[1].name, "L1I_CACHE_REFILL");
	ck_assert_uint_eq(vendor.events[1].code, 1);
	ck_assert_str_eq(vendor.events[2].name, "LINUX");
	perfctr_vendor_free(&vendor);
	ck_assert_ptr_null(read_for("skylake", text, &vendor, &line));
	ck_assert_uint_eq(vendor.n, 1);
	perfctr_vendor_free(&vendor);
}
END_TEST

/* An entry that is wrong is left out, with its line; the others are kept. */
START_TEST(bad_entries)
{
	struct perfctr_vendor vendor;
	unsigned int line;

	ck_assert_str_eq(read_for("skylake",
				  "[{\"EventName\":\"A\",\"EventCode\":\"1\"},\n"
				  "{\"EventName\":\"B\",\"EventCode\":\"1x\"},\n"
				  "{\"EventName\":\"C:\",\"EventCode\":\"1\"},\n"
				  "{\"EventName\":\"D:e=F:g=H.I\",\"EventCode\":\"2\"}]\n",
				  &vendor, &line),
			 "EventCode \"1x\" is not a number up to 0xff");
	ck_assert_uint_eq(line, 2);
	ck_assert_uint_eq(vendor.n, 2);
	ck_assert_str_eq(vendor.events[0].name, "A");
	ck_assert_str_eq(vendor.events[1].name, "D:e=F:g=H.I");
	perfctr_vendor_free(&vendor);
	/* But a file that is no JSON is no list of events. */
	ck_assert_str_eq(read_for("skylake", "[{\"EventName\":\"A\",\"EventCode\":\"1x\"},\n\nx",
				  &vendor, &line),
			 "this is no value");
	ck_assert_uint_eq(line, 3);
	ck_assert_uint_eq(vendor.n, 0);
	perfctr_vendor_free(&vendor);
}
END_TEST

/* Terminals show them: what controls is a blank, and each letter beyond ASCII a question mark. */
START_TEST(plain)
{
	struct perfctr_vendor vendor;
	unsigned int line;

	ck_assert_ptr_null(
		read_for("skylake",
			 "{\"EventName\":\"A\",\"EventCode\":\"1\",\"BriefDescription\":"
			 "\"~\\u007e\\u007F\\u20acb\\u001B \\n\xC3\xA4\\ud83d\\ude00c\x7F\"}",
			 &vendor, &line));
	ck_assert_uint_eq(vendor.n, 1);
	ck_assert_str_eq(vendor.events[0].text, "~~??b   ??c?");
	perfctr_vendor_free(&vendor);
}
END_TEST

/* Nothing of a refused file is kept, but what was there before. */
START_TEST(refusals)
{
	static const struct {
		const char *cpu, *text, *reason;
		unsigned int line;
	} all[] = {
		{ "skylake", "[{\"EventName\":\"A\",\"EventCode\":\"1\"},\nx", "this is no value",
		  2 },
		{ "skylake", "[\n{\"EventName\":\"A B\",\"EventCode\":\"0x1\"}]",
		  "EventName is not a name", 2 },
		{ "skylake", "[{\"EventName\":\"\",\"EventCode\":\"0x1\"}]",
		  "EventName is not a name", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"0x100\"}",
		  "EventCode \"0x100\" is not a number up to 0xff", 1 },
		{ "zen4", "{\"EventName\":\"A\",\"EventCode\":\"0x1000\"}",
		  "EventCode \"0x1000\" is not a number up to 0xfff", 1 },
		{ "neoverse-n1", "{\"EventName\":\"A\",\"EventCode\":\"0x10000\"}",
		  "EventCode \"0x10000\" is not a number up to 0xffff", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"1\",\"UMask\":\"-1\"}",
		  "UMask \"-1\" is not a number up to 0xffff", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"1\",\"UMask\":\"0x10000\"}",
		  "UMask \"0x10000\" is not a number up to 0xffff", 1 },
		{ "zen4", "{\"EventName\":\"A\",\"EventCode\":\"1\",\"UMask\":\"0x100\"}",
		  "UMask \"0x100\" is not a number up to 0xff", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"1\",\"Invert\":\"2\"}",
		  "Invert \"2\" is not a number up to 0x1", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"1\",\"UMask\":\"+1\"}",
		  "UMask \"+1\" is not a number up to 0xffff", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"000000000000000000000001\"}",
		  "EventCode \"000000000000000000000001\" is not a number up to 0xff", 1 },
		{ "skylake",
		  "{\"EventName\":\"A\",\"EventCode\":\"1\",\"MSRIndex\":\"0x1a6\","
		  "\"MSRValue\":\"0x10000000000000000\"}",
		  "MSRValue \"0x10000000000000000\" is not a number up to 0xffffffffffffffff", 1 },
		{ "skylake", "{\"EventName\":\"A\",\"EventCode\":\"1z\"}",
		  "EventCode \"1z\" is not a number up to 0xff", 1 },
	};
	struct perfctr_vendor vendor;
	unsigned int i, line;
	char more[100];

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		const char *reason = read_for(all[i].cpu, all[i].text, &vendor, &line);

		ck_assert_msg(reason != NULL, "%s", all[i].text);
		ck_assert_str_eq(reason, all[i].reason);
		ck_assert_uint_eq(line, all[i].line);
		ck_assert_uint_eq(vendor.n, 0);
		perfctr_vendor_free(&vendor);
	}
	ck_assert_ptr_null(
		read_for("skylake", "{\"EventName\":\"A\",\"EventCode\":\"1\"}", &vendor, &line));
	memcpy(more, "[]\0[{", sizeof("[]\0[{"));
	ck_assert_str_eq(perfctr_vendor_read(&vendor, more, 5, &line), "a zero byte is no JSON");
	strcpy(more, "[{\"EventName\":\"B\",\"EventCode\":\"1\"}");
	ck_assert_ptr_nonnull(perfctr_vendor_read(&vendor, more, strlen(more), &line));
	ck_assert_uint_eq(vendor.n, 1);
	ck_assert_str_eq(vendor.events[0].name, "A");
	perfctr_vendor_free(&vendor);
}
END_TEST

/* The longest name, and one more letter. */
START_TEST(long_names)
{
	struct perfctr_vendor vendor;
	unsigned int line;
	char text[200];

	sprintf(text, "{\"EventName\":\"%0127d\",\"EventCode\":\"1\"}", 0);
	ck_assert_ptr_null(read_for("skylake", text, &vendor, &line));
	ck_assert_uint_eq(strlen(vendor.events[0].name), 127);
	perfctr_vendor_free(&vendor);
	sprintf(text, "{\"EventName\":\"%0128d\",\"EventCode\":\"1\"}", 0);
	ck_assert_str_eq(read_for("skylake", text, &vendor, &line), "EventName is not a name");
	perfctr_vendor_free(&vendor);
}
END_TEST

/* As many events as may be, and one more; a text is cut. */
START_TEST(many)
{
	const unsigned int most = 65536;
	char *text = malloc(most * 42 + 600), *p;
	struct perfctr_vendor vendor;
	unsigned int i, n, line;

	ck_assert_ptr_nonnull(text);
	for (n = most; n <= most + 1; n++) {
		p = text + sprintf(text,
				   "[{\"EventName\":\"E0\",\"EventCode\":\"1\","
				   "\"BriefDescription\":\"%0500d\"}",
				   7);
		for (i = 1; i < n; i++)
			p += sprintf(p, ",{\"EventName\":\"E%u\",\"EventCode\":\"1\"}", i);
		strcpy(p, "]");
		ck_assert_ptr_null(read_for("skylake", "[]", &vendor, &line));
		if (n == most) {
			ck_assert_ptr_null(perfctr_vendor_read(&vendor, text, strlen(text), &line));
			ck_assert_uint_eq(vendor.n, most);
			ck_assert_uint_eq(strlen(vendor.events[0].text), 160);
			perfctr_vendor_sort(&vendor);
			ck_assert_uint_eq(vendor.n, most);
		} else {
			ck_assert_str_eq(perfctr_vendor_read(&vendor, text, strlen(text), &line),
					 "there are more than 65536 events");
			ck_assert_uint_eq(vendor.n, 0);
		}
		perfctr_vendor_free(&vendor);
	}
	free(text);
}
END_TEST

/* Of two events with one name that with the smaller code is kept. */
START_TEST(twice)
{
	struct perfctr_vendor vendor;
	unsigned int line;

	ck_assert_ptr_null(read_for("skylake",
				    "[{\"EventName\":\"b.C\",\"EventCode\":\"3\"},"
				    "{\"EventName\":\"A\",\"EventCode\":\"9\"},"
				    "{\"EventName\":\"B.c\",\"EventCode\":\"2\"}]",
				    &vendor, &line));
	perfctr_vendor_sort(&vendor);
	ck_assert_uint_eq(vendor.n, 2);
	ck_assert_str_eq(vendor.events[0].name, "A");
	ck_assert_uint_eq(vendor.events[1].code, 2);
	perfctr_vendor_free(&vendor);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* A processor younger than the library. */
static struct perfctr_cpuid told = {
	.max_leaf = 0xA,
	.vendor = "GenuineIntel",
	.signature = 0x306FF0,
	.leaf1_edx = PERFCTR_CPUID_TSC,
	.leaf0a_eax = 0x07300805,
	.leaf0a_edx = 0x8604,
};

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = told;
}

static char directory[] = "/tmp/vendor.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void remove_all(void)
{
	static const char *const names[] = { "a.json", "b.json", "c.txt",
					     "alderlake_gracemont_core.json",
					     "alderlake_goldencove_core.json" };
	char path[100];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

static void make_directory(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	setenv("PERFCTR_EVENTS", directory, 1);
}

static uint64_t config_of(const char *text, size_t expected_used)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	size_t used;

	ck_assert_int_eq(perfctr_vendor_parse(NULL, text, strlen(text), &attr, &used), 1);
	ck_assert_uint_eq(used, expected_used);
	ck_assert_uint_eq(attr.type, PERF_TYPE_RAW);
	return attr.config;
}

static int find_listed(void *arg, const struct perfctr_event_name *name)
{
	unsigned int *found = arg;

	ck_assert_str_ne(name->name, "LATENCY");
	if (!strcmp(name->name, "NEW_THING.ALL")) {
		ck_assert_str_eq(name->kind, "cpu");
		ck_assert_str_eq(name->description, "all the new things");
		*found |= 1;
	}
	/* It is in the table, which describes it. */
	if (!strcmp(name->name, "INSTRUCTION_RETIRED")) {
		ck_assert_str_eq(name->description, "instructions retired");
		*found += 2;
	}
	return 0;
}

START_TEST(directory_of_files)
{
	/* An e after perf's modifiers, and how the whole name is right. */
	static const struct {
		const char *name, *right;
	} late[] = {
		{ "NEW_THING.ALL:De", "NEW_THING.ALL:e:D" },
		{ "NEW_THING.ALL:eD", "NEW_THING.ALL:e:D" },
		{ "NEW_THING.ALL:D:e", "NEW_THING.ALL:e:D" },
		{ "NEW_THING.ALL:u:D:e:I", "NEW_THING.ALL:u:e:D:I" },
		{ "NEW_THING.ALL:D:e:I", "NEW_THING.ALL:e:D:I" },
	};
	struct perf_event_attr attr;
	unsigned int found = 0, i;
	size_t used;

	make_directory();
	put("a.json", "{\"Header\":{\"Copyright\":\"x\"},\"Events\":["
		      "{\"EventName\":\"NEW_THING.ALL\",\"EventCode\":\"0xd1\",\"UMask\":\"0x07\","
		      "\"BriefDescription\":\"all the new things\"}]}");
	put("b.json", "[{\"EventName\":\"INSTRUCTION_RETIRED\",\"EventCode\":\"0xc0\","
		      "\"PublicDescription\":\"theirs\"},"
		      "{\"EventName\":\"SLOTS_ANY\",\"UMask\":\"4\",\"AnyThread\":\"1\"},"
		      "{\"EventName\":\"LATENCY\",\"EventCode\":\"0xcd\",\"UMask\":\"1\","
		      "\"MSRIndex\":\"0x3f6\",\"MSRValue\":\"8\"},"
		      "{\"EventName\":\"WIDE\",\"EventCode\":\"0xd3\",\"UMask\":\"0x1ff\"},"
		      "{\"EventName\":\"OTHER\",\"EventCode\":\"0xd2\",\"CounterMask\":\"1\"}]");
	put("c.txt", "no JSON");
	ck_assert_uint_eq(config_of("new_thing:all", 13), 0x7D1);
	ck_assert_uint_eq(config_of("NEW_THING.ALL:u", 15), 0x7D1);
	ck_assert_uint_eq(config_of("OTHER", 5), 0x10000D2);
	ck_assert_int_eq(perfctr_vendor_parse(NULL, "NEW_THING", 9, &attr, &used), 0);
	ck_fails(perfctr_event_check("WIDE"), EOPNOTSUPP, "bits that this processor does not have");
	ck_fails(perfctr_event_check("SLOTS_ANY"), EOPNOTSUPP, "it needs AnyThread");
	/* A latency is for who samples precisely. */
	ck_fails(perfctr_event_check("LATENCY"), EOPNOTSUPP, "counts only in precise sampling");
	ck_fails(perfctr_event_check("LATENCY:u"), EOPNOTSUPP, "only in precise sampling");
	ck_fails(perfctr_event_check("LATENCY:pp"), EINVAL, "for sampling, not for counting");
	ck_assert_int_eq(perfctr_vendor_parse(NULL, "LATENCY:upp", 11, &attr, &used), 1);
	ck_assert(used == 7 && attr.config == 0x1CD && attr.config1 == 8 && !attr.precise_ip);
	ck_assert_int_eq(perfctr_vendor_parse(NULL, "OTHERS", 6, &attr, &used), 0);
	ck_assert_int_eq(perfctr_vendor_check(), 0);
	ck_assert_str_eq(perfctr_vendor_find("Instruction_Retired")->text, "theirs");
	ck_assert_ptr_null(perfctr_vendor_find("nothing"));
	ck_assert_int_eq(perfctr_event_check("NEW_THING.ALL:uk"), 0);
	ck_fails(perfctr_event_check("NEW_THING.ALL:uu"), EINVAL, "given twice");
	ck_fails(perfctr_event_check("NEW_THING.ALL:u:u"), EINVAL, "given twice");
	ck_fails(perfctr_event_check("NEW_THING.ALL:e:e"), EINVAL, "given twice");
	ck_fails(perfctr_event_check("NEW_THING.ALL:c=1:ee"), EINVAL, "given twice");
	/* The modifiers of tables, of which e is not perf's; then those that are. */
	ck_assert_uint_eq(config_of("NEW_THING.ALL:e", 15), 0x407D1);
	ck_assert_uint_eq(config_of("NEW_THING.ALL:u:ie:c=2", 22), 0x28407D1);
	ck_assert_uint_eq(config_of("NEW_THING.ALL:e:D", 15), 0x407D1);
	ck_assert_int_eq(perfctr_vendor_parse(NULL, "NEW_THING.ALL:p:D", 17, &attr, &used), 1);
	ck_assert_uint_eq(used, 15);
	ck_assert_uint_eq(attr.precise_ip, 1);
	ck_assert_int_eq(perfctr_event_check("NEW_THING.ALL:e:D"), 0);
	ck_fails(perfctr_event_check("NEW_THING.ALL:u:De"), EINVAL,
		 "e is edges, which stand before perf's modifiers: write NEW_THING.ALL:u:e:D");
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		ck_fails(perfctr_event_check(late[i].name), EINVAL, "write ");
		ck_assert_str_eq(strstr(perfctr_error(), "write ") + 6, late[i].right);
	}
	ck_fails(perfctr_event_check("NEW_THING.ALL:percore"), EINVAL,
		 "\"percore\" in \"NEW_THING.ALL:percore\" is not a modifier (u, k, e, i, c=N)");
	ck_fails(perfctr_event_check("NEW_THING.ALL:c=300"), EINVAL, "is not one from 0 to 255");
	ck_fails(perfctr_event_check("NEW_THING.ALL:zz"), EINVAL, "\"zz\"");
	ck_fails(perfctr_event_check("NEW_THINGALL"), EINVAL, "did you mean NEW_THING.ALL");
	ck_assert_int_eq(perfctr_event_list("cpu", find_listed, &found), 0);
	ck_assert_uint_eq(found, 3);
	remove_all();
}
END_TEST

static const struct perfctr_event *find_in_set(const struct perfctr_event_set *set,
					       const char *name)
{
	unsigned int i;

	for (i = 0; i < set->nevents; i++)
		if (!strcmp(set->events[i].name, name))
			return &set->events[i];
	return NULL;
}

/* In controls, and in perfctr's form as far as that can say it. */
START_TEST(controls)
{
	const struct perfctr_event_set *set;
	const struct perfctr_event *event;
	struct perfctr_cpu_control control;

	make_directory();
	put("a.json", "[{\"EventName\":\"NEW_THING.ALL\",\"EventCode\":\"0xd1\",\"UMask\":\"0x07\","
		      "\"BriefDescription\":\"all the new things\"},"
		      "{\"EventName\":\"PLAIN\",\"EventCode\":\"0xd2\"},"
		      "{\"EventName\":\"FIXED\",\"UMask\":\"2\"},"
		      "{\"EventName\":\"ON2\",\"EventCode\":\"0xd5\",\"Counter\":\"2\"},"
		      "{\"EventName\":\"ON9\",\"EventCode\":\"0xd6\",\"Counter\":\"9\"},"
		      "{\"EventName\":\"OFFCORE:request=A:response=B.C\",\"EventCode\":\"0xb8\","
		      "\"UMask\":\"1\"},"
		      "{\"EventName\":\"WIDE\",\"EventCode\":\"0xd3\",\"UMask\":\"0x1ff\"},"
		      "{\"EventName\":\"INSTRUCTION_RETIRED\",\"EventCode\":\"0xc1\"},"
		      "{\"EventName\":\"SELDOM\",\"EventCode\":\"0xd4\",\"CounterMask\":\"2\"}]");
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "new_thing:all"), 1);
	ck_assert_uint_eq(control.evntsel[0], 0x004307D1);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "{INSTRUCTION_RETIRED,PLAIN:u:c=3}"),
			 2);
	ck_assert_uint_eq(control.evntsel[1], 0x034100D2);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "SELDOM:k"), 1);
	ck_assert_uint_eq(control.evntsel[0], 0x024200D4);
	/* What the file says of counters holds. */
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "PLAIN,ON2,SELDOM"), 3);
	ck_assert_uint_eq(control.pmc_map[1], 2);
	ck_fails(perfctr_cpu_control_events(&control, "ON2,ON2:u"), ENOSPC, "ON2");
	ck_fails(perfctr_cpu_control_events(&control, "ON9"), EOPNOTSUPP, "ON9");
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "OFFCORE:request=A:response=B.C:u"),
			 1);
	ck_assert_uint_eq(control.evntsel[0], 0x004101B8);
	ck_fails(perfctr_cpu_control_events(&control, "PLAIN:x"), EINVAL,
		 "\"x\" in \"PLAIN:x\" is not a modifier (u, k, e, i, c=N)");
	ck_fails(perfctr_cpu_control_events(&control, "PLAIN:"), EINVAL, "is not a modifier");
	ck_fails(perfctr_cpu_control_events(&control, "PLAIN:uu"), EINVAL, "given twice");
	ck_fails(perfctr_cpu_control_events(&control, "WIDE"), EOPNOTSUPP,
		 "bits that this processor does not have");
	ck_fails(perfctr_cpu_control_events(&control, "PLAINS"), EINVAL, "not an event of the");
	/* They are of this machine's processor only. */
	ck_fails(perfctr_cpu_events_print("skylake", "PLAIN"), EINVAL, "not an event of the");
	set = perfctr_cpu_event_set(perfctr_this_cpu()->type);
	ck_assert_ptr_nonnull(set);
	event = find_in_set(set, "NEW_THING.ALL");
	ck_assert_ptr_nonnull(event);
	ck_assert_str_eq(event->description, "all the new things");
	ck_assert_uint_eq(event->evntsel, 0xD1);
	ck_assert_uint_eq(event->counters_set, 0xFF);
	ck_assert_uint_eq(event->unit_mask->type, perfctr_um_type_fixed);
	ck_assert_uint_eq(event->unit_mask->nvalues, 1);
	ck_assert_uint_eq(event->unit_mask->default_value, 7);
	ck_assert_uint_eq(event->unit_mask->values[0].value, 7);
	ck_assert_str_eq(event->unit_mask->values[0].description, "");
	event = find_in_set(set, "PLAIN");
	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(event->evntsel, 0xD2);
	ck_assert_ptr_null(event->unit_mask);
	ck_assert_uint_eq(find_in_set(set, "ON2")->counters_set, 4);
	ck_assert_ptr_null(find_in_set(set, "FIXED"));
	ck_assert_ptr_null(find_in_set(set, "WIDE"));
	ck_assert_ptr_null(find_in_set(set, "SELDOM"));
	ck_assert_uint_eq(find_in_set(set, "INSTRUCTION_RETIRED")->evntsel, 0xC0);
	ck_assert_uint_eq(set->nevents, (unsigned int)(event - set->events) + 1);
	remove_all();
}
END_TEST

/* A lack of descriptors passes, and is not remembered. */
START_TEST(no_descriptors)
{
	struct rlimit before, none;

	make_directory();
	put("a.json", "[{\"EventName\":\"FINE\",\"EventCode\":\"0xd1\"}]");
	perfctr_this_cpu();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_fails(perfctr_vendor_check(), EMFILE, "PERFCTR_EVENTS");
	ck_fails(perfctr_event_check("FINE"), EMFILE, "FINE");
	ck_assert_ptr_null(perfctr_vendor_find("FINE"));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(perfctr_event_check("FINE"), 0);
	ck_assert_int_eq(perfctr_vendor_check(), 0);
	/* What was read once is not read again. */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_ptr_nonnull(perfctr_vendor_find("FINE"));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	remove_all();
}
END_TEST

/* What is known stays known; what is not is told with the file, the line and the reason. */
START_TEST(refused_file)
{
	unsigned int found = 0;
	char words[200];

	make_directory();
	put("a.json", "[{\"EventName\":\"FINE\",\"EventCode\":\"0xd1\"},\n{]");
	snprintf(words, sizeof(words),
		 "PERFCTR_EVENTS: %s/a.json:2: a member of an object is \"name\": value",
		 directory);
	ck_fails(perfctr_event_check("FINE"), EINVAL, words);
	ck_assert_str_eq(perfctr_error(), words);
	ck_assert_int_eq(perfctr_event_check("INSTRUCTION_RETIRED"), 0);
	ck_assert_int_eq(perfctr_event_check("cpu-clock"), 0);
	ck_fails(perfctr_event_list("cpu", find_listed, &found), EINVAL, words);
	ck_assert_uint_eq(found, 2);
	remove_all();
}
END_TEST

/* One of the family of P6, which has no registers beside the event select. */
START_TEST(pentium_iii)
{
	told = (struct perfctr_cpuid){
		.max_leaf = 2,
		.vendor = "GenuineIntel",
		.signature = 0x673,
		.leaf1_edx = 0x0387FBFF,
	};
	make_directory();
	put("a.json", "[{\"EventName\":\"PLAIN\",\"EventCode\":\"0xd1\"},"
		      "{\"EventName\":\"FRONT\",\"EventCode\":\"0xc6\",\"MSRIndex\":\"0x3f7\","
		      "\"MSRValue\":\"1\"}]");
	ck_assert_uint_eq(config_of("PLAIN", 5), 0xD1);
	ck_fails(perfctr_event_check("FRONT"), EOPNOTSUPP, "no MSR_PEBS_FRONTEND");
	remove_all();
}
END_TEST

static void check_size(long size, const char *words)
{
	char path[100];

	make_directory();
	put("a.json", "7");
	put("b.json", "");
	snprintf(path, sizeof(path), "%s/b.json", directory);
	ck_assert_int_eq(truncate(path, size), 0);
	ck_fails(perfctr_vendor_check(), EINVAL, words);
	remove_all();
}

/* The upper half of AMD's event codes. */
START_TEST(zen4)
{
	told = (struct perfctr_cpuid){
		.max_leaf = 0x10,
		.vendor = "AuthenticAMD",
		.signature = 0xA10F11,
		.leaf1_ecx = 0x7EFA320B,
		.leaf1_edx = 0x178BFBFF,
	};
	make_directory();
	put("a.json", "[{\"EventName\":\"PLAIN\",\"EventCode\":\"0x1d1\",\"UMask\":\"0x02\"}]");
	ck_assert_str_eq(perfctr_this_cpu()->id, "zen4");
	ck_assert_uint_eq(config_of("PLAIN", 5), 0x1000002D1);
	remove_all();
}
END_TEST

/* Of two core types neither has what names none of them: tests/unit/hybrid.c has the rest. */
START_TEST(hybrid)
{
	make_directory();
	put("a.json", "[{\"EventName\":\"PLAIN\",\"EventCode\":\"0xd1\"}]");
	root_make();
	root_line("cpu_core/type", "4");
	root_line("cpu_core/cpus", "0-3");
	root_line("cpu_atom/type", "10");
	root_line("cpu_atom/cpus", "4-7");
	ck_assert_ptr_null(perfctr_vendor_nth(0));
	ck_fails(perfctr_event_check("PLAIN"), EINVAL,
		 "no file *.json there has an event of this processor's cores");
	unsetenv("PERFCTR_ROOT");
	root_remove();
	remove_all();
}
END_TEST

/* A file as large as may be is read: it begins with a NUL. */
START_TEST(large_file)
{
	check_size(16 << 20, "b.json:1: a zero byte is no JSON");
}
END_TEST

START_TEST(too_large_file)
{
	check_size((16 << 20) + 1, "b.json: File too large");
}
END_TEST

START_TEST(no_files)
{
	char path[100];

	make_directory();
	snprintf(path, sizeof(path), "%s/a.json", directory);
	/* Nobody waits for a pipe's writer. */
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_fails(perfctr_event_check("FINE"), EINVAL, "a.json: Invalid argument");
	remove_all();
}
END_TEST

/* Nothing that a name could be of. */
START_TEST(nothing_of_use)
{
	make_directory();
	put("c.txt", "[{\"EventName\":\"FINE\",\"EventCode\":\"0xd1\"}]");
	put("a.json", "[{\"EventName\":\"UNCORE\",\"EventCode\":\"1\",\"Unit\":\"CBO\"}]");
	ck_fails(perfctr_event_check("FINE"), EINVAL, "no file *.json there has an event");
	ck_assert_int_eq(perfctr_event_check("cpu-clock"), 0);
	remove_all();
}
END_TEST

/* A file of another design's cores has none of this one's events, but for those that name a unit.
 */
START_TEST(designs)
{
	told.signature = 0x906A3; /* Alder Lake */
	make_directory();
	put("alderlake_gracemont_core.json", "[{\"EventName\":\"SMALL\",\"EventCode\":\"0xd1\"},"
					     "{\"EventName\":\"BOTH\",\"EventCode\":\"0xd2\","
					     "\"Unit\":\"cpu_core\"}]");
	put("alderlake_goldencove_core.json", "[{\"EventName\":\"LARGE\",\"EventCode\":\"0xd3\"}]");
	put("a.json", "[{\"EventName\":\"ANY\",\"EventCode\":\"0xd4\"}]");
	ck_assert_str_eq(perfctr_this_cpu()->id, "goldencove");
	ck_assert_ptr_null(perfctr_vendor_find("SMALL"));
	ck_assert_ptr_nonnull(perfctr_vendor_find("BOTH"));
	ck_assert_ptr_nonnull(perfctr_vendor_find("LARGE"));
	ck_assert_ptr_nonnull(perfctr_vendor_find("ANY"));
	ck_assert_int_eq(perfctr_vendor_check(), 0);
	remove_all();
}
END_TEST

START_TEST(no_directory)
{
	setenv("PERFCTR_EVENTS", "/nonexistent", 1);
	ck_fails(perfctr_event_check("FINE"), EINVAL,
		 "PERFCTR_EVENTS: /nonexistent: No such file or directory");
	ck_assert_int_eq(perfctr_event_check("cpu-clock"), 0);
}
END_TEST

#else

START_TEST(nothing_of_use)
{
}
END_TEST

START_TEST(designs)
{
}
END_TEST

START_TEST(directory_of_files)
{
}
END_TEST

START_TEST(pentium_iii)
{
}
END_TEST

START_TEST(controls)
{
}
END_TEST

START_TEST(no_descriptors)
{
}
END_TEST

START_TEST(zen4)
{
}
END_TEST

START_TEST(hybrid)
{
}
END_TEST

START_TEST(large_file)
{
}
END_TEST

START_TEST(too_large_file)
{
}
END_TEST

START_TEST(refused_file)
{
}
END_TEST

START_TEST(no_files)
{
}
END_TEST

START_TEST(no_directory)
{
}
END_TEST

#endif

UNIT_MAIN("vendor", 60, codes, counters, arms_form, bad_entries, nothing_of_use, designs, plain,
	  refusals, long_names, many, twice, directory_of_files, refused_file, pentium_iii, zen4,
	  hybrid, controls, no_descriptors, large_file, too_large_file, no_files, no_directory)
