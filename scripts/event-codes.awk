# SPDX-License-Identifier: LGPL-2.1-or-later
# <perfctr_event_codes.h>: perfctr 2.6's names of events. Reads arch/event-codes.txt, and the event
# tables that it names in directory.

BEGIN {
	test["x86"] = "defined(__i386__) || defined(__x86_64__)"
	test["powerpc"] = "defined(__powerpc__) && !defined(__powerpc64__)"
	print "/* perfctr_event_codes.h - names of events; made by event-codes.awk, don't edit. */"
	print "#ifndef PERFCTR_EVENT_CODES_H"
	print "#define PERFCTR_EVENT_CODES_H"
}

function define(name, code)
{
	gsub(/[^A-Za-z0-9_]/, "_", name)
	printf "#define %s%s\t0x%s\n", prefix, name, code
}

# The codes of a table's events, without their unit masks: those are the user's to add.
function table(file,    line, word, status)
{
	while ((status = (getline line <file)) > 0) {
		split(line, word, " ")
		if (word[1] == "event")
			define(word[2], toupper(substr(word[3], 3)))
	}
	if (status < 0) {
		print "event-codes.awk: " file " can't be read" >"/dev/stderr"
		exit 1
	}
	close(file)
}

$1 == "isa" {
	if (isa)
		print "#endif"
	isa = $2
	print "\n#if " test[isa]
}

$1 == "prefix" {
	print ""
	prefix = $2
	table(directory "/" isa "/events/" $3 ".ev")
}

$1 == "name" {
	define($2, substr($3, 3))
}

END {
	print "#endif\n\n#endif /* PERFCTR_EVENT_CODES_H */"
}
