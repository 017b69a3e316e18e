# SPDX-License-Identifier: LGPL-2.1-or-later
# Verdicts of what verify.c has found: usage: awk -f judge.awk FILE. A line for each finding,
#	right | noisy | wrong | refused | note WHAT: why
# and last "verdict WORD: how many": wrong, if anything is; else noisy, else right; nothing, if nothing could be counted;
# incomplete, if the file is not whole, or one of its parts is not there. Lines that begin with "#" don't count.
#
# A wrong count and a noisy machine differ so: what disturbs (an interrupt, another program) only ever adds, and
# it leaves some of many short measurements alone. So a count below what was executed is wrong, and one that is
# always above it, too, unless the measurement was long and the surplus small.

function say(word, what, why) {
	if (word in of)
		of[word]++
	print word, what (why == "" ? "" : ": " why)
}

BEGIN {
	of["right"] = of["noisy"] = of["wrong"] = of["refused"] = 0
	fields["count"] = 9
	fields["order"] = 4
	fields["overflow"] = 8
	fields["table"] = 3
	nparts = split("count/inline count/kernel count/threads count/beside order overflow table", parts, " ")
	# What some events count of a work, by name: WORK LEAST MOST, per iteration; "spec" may be more.
	exactly["instructions"] = exactly["INST_RETIRED"] = exactly["INST_RETIRED:ANY"] = "loop 2 2"
	exactly["INST_RETIRED:ANY_P"] = exactly["RETIRED_INSTRUCTIONS"] = "loop 2 2"
	exactly["branches"] = exactly["BR_INST_RETIRED:ALL_BRANCHES"] = "loop 1 1"
	exactly["BR_RETIRED"] = exactly["RETIRED_BRANCH_INSTRUCTIONS"] = "loop 1 1"
	exactly["branch-misses"] = exactly["BR_MISP_RETIRED:ALL_BRANCHES"] = "branches 0.1 1"
	exactly["BR_MIS_PRED_RETIRED"] = exactly["RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"] = "branches 0.1 1"
	exactly["MEM_INST_RETIRED:ALL_LOADS"] = exactly["LD_RETIRED"] = exactly["L1-dcache-loads"] = "loads 1 2.1"
	exactly["MEM_INST_RETIRED:ALL_STORES"] = exactly["ST_RETIRED"] = "stores 1 2.1"
	exactly["LD_SPEC"] = "loads 1 3"
	exactly["ST_SPEC"] = "stores 1 3"
	exactly["L1-dcache-load-misses"] = "misses 0.5 4"
}

/^#/ { next }
{ last = $1; lines++ }
{ has[$1 == "count" ? $1 "/" $2 : $1] = 1 }
# What the processor can't do is told instead.
$1 == "no-table" { has["table"] = 1 }
$1 == "refused" && $2 == "overflow:" { has["overflow"] = 1 }
lines == 1 { whole = $1 == "libperfctr-verify" && $2 == 1; next }
$1 == "virtual" { hypervisor = 1 }
$1 == "nothing:" { nothing = substr($0, 10) }
$1 == "lost" { say("wrong", "a read", "a pinned counter was not on the PMU: " substr($0, 6)) }
$1 == "no-reader" || $1 == "refused" {
	what = $2
	sub(/:$/, "", what)
	why = substr($0, length($1 $2) + 3)
}
$1 == "no-reader" { say("note", what, "the kernel reads: " why) }
$1 == "refused" { say("refused", what, why) }

$1 ~ /^(count|order|overflow|table)$/ && NF != fields[$1] {
	whole = 0
	next
}

# count WHAT EVENT EXPECTED TRIALS EXACT LEAST MEDIAN GREATEST
$1 == "count" {
	what = $3 " " $2 " " $4
	disturbed = $2 == "beside" || $2 == "moved" || $2 == "threads"
	if ($7 < 0)
		say("wrong", what, -$7 " too few, at worst")
	else if (disturbed && $9 * 10 > $4)
		say("wrong", what, $9 " too many, at worst: what others execute is counted")
	else if ($7 > 0 && ($4 <= 10000 || $7 * 1000 > $4))
		say("wrong", what, "never less than " $7 " too many")
	else if ($7 > 0 || (!disturbed && $6 * 2 < $5))
		say("noisy", what, $6 " of " $5 " exact; the others have up to " $9 " too many")
	else
		say("right", what, $6 " of " $5 " exact" ($9 ? ", the others have up to " $9 " too many" : ""))
}

$1 == "order" {
	if ($3)
		say("wrong", "reads inline and by the kernel", $3 " of " $2 " are less than one before")
	else
		say("right", "reads inline and by the kernel", $2 " in order")
}

# overflow EVENT PERIOD EXPECTED SAMPLES INSIDE THROTTLED LOST
$1 == "overflow" {
	what = "overflows of " $2
	if ($5 + $8 < $4 && $7)
		say("noisy", what, $5 " of " $4 ", since the kernel throttled them")
	else if ($5 + $8 < $4)
		say("wrong", what, $5 " of " $4 ", and nothing said that samples were lost")
	else if ($5 > $4 * 1.02 + 1)
		say("wrong", what, $5 ", and there were " $4)
	else if ($6 * 10 < $5 * 9)
		say("wrong", what, "only " $6 " of " $5 " samples are where it was executed")
	else
		say("right", what, $5 " of " $4)
}

$1 == "iterations" { for (i = 2; i <= NF; i++) iterations[i - 1] = $i }
$1 == "works" {
	for (i = 2; i <= NF; i++)
		work[$i] = i - 1
	nworks = NF - 1
}
$1 == "event" {
	name = $2
	sub(/:u$/, "", name)
	if (NF != nworks + 2) {
		whole = 0
		next
	}
	sum = 0
	for (i = 1; i <= nworks; i++) {
		sum += $(i + 2)
		if (name == "cycles")
			cycles[i] = $(i + 2)
		else if (cycles[i] && $(i + 2) > 1024 * cycles[i] + 100000) {
			say("wrong", name, $(i + 2) " in " cycles[i] " cycles")
			next
		}
	}
	counting += sum > 0
	if (name == "cycles" && $(work["loop"] + 2) == 0)
		say("wrong", name, "they stand still")
	if (!(name in exactly))
		next
	split(exactly[name], wanted, " ")
	i = work[wanted[1]]
	n = $(i + 2) - $3
	least = wanted[2] * iterations[i]
	most = wanted[3] * iterations[i]
	if (n < least)
		say("wrong", name, n " in the work \"" wanted[1] "\", which has " least)
	else if (n > most * 1.01 + 20)
		say("wrong", name, n " in the work \"" wanted[1] "\", which has " most " at most")
	else
		say("right", name, n " in the work \"" wanted[1] "\"")
}
$1 == "table" {
	say("note", "the table of events", $2 " are taken, " $3 " refused; " counting + 0 " events have counted something")
}
$1 == "no-table" { say("note", "the table of events", substr($0, 10)) }

END {
	verdict = of["wrong"] ? "wrong" : of["noisy"] ? "noisy" : "right"
	for (i = 1; i <= nparts; i++)
		if (!(parts[i] in has))
			part = parts[i]
	if (!whole || (nothing == "" && (last != "end" || part != "")))
		verdict = "incomplete"
	else if (nothing != "")
		verdict = "nothing"
	if (hypervisor)
		say("note", "a hypervisor", "what is verified is its PMU, too")
	printf "verdict %s: %d right, %d noisy, %d wrong, %d refused%s\n", verdict, of["right"], of["noisy"], of["wrong"], \
		of["refused"], nothing ? "; " nothing : ""
}
