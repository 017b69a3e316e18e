# SPDX-License-Identifier: LGPL-2.1-or-later
# Verdicts of what verify.c has found: usage: awk -f judge.awk expected FILE. A line for each finding,
#	right | plausible | unsteady | unchecked | noisy | wrong | refused | note WHAT: why
# "part NAME WORD: how many" after each part of a machine that has several, and last "verdict WORD: how many": wrong, if
# anything is; else noisy, else right; nothing, if nothing could be counted; incomplete, if the file is not whole, or
# something of one of its parts is not there. Lines that begin with "#" don't count.
#
# A wrong count and a noisy machine differ so: what disturbs (an interrupt, another program) only ever adds, and
# it leaves some of many short measurements alone. So a count below what was executed is wrong, and one that is
# always above it, too, unless the measurement was long and the surplus small. And interrupts add no more than a few to
# what is counted in user mode: many are somebody else's.
#
# An event of the table is right if it counts what `expected` says. One of which it says nothing, but bounds, is
# plausible; unsteady, if what it counts of the same work differs; unchecked, if it counts nothing of any, and nothing
# else is known, or the table is that of an architecture, which has more than a processor. A kernel may refuse some of a
# table; one of which it takes nothing is wrong.

function say(word, what, why) {
	if (word in of)
		of[word]++
	if (word in here)
		here[word]++
	print word, (part == "" ? "" : part " ") what (why == "" ? "" : ": " why)
}

function reset(  i) {
	for (i = 1; i <= nwords; i++)
		here[words[i]] = 0
	split("", has)
	split("", cycles)
	split("", instructions)
	split("", ns)
	counting = listed = denied = smalls = 0
	smallest = smallest_of_all = ""
}

# From which length on 95 of 100 pieces of code, and all of them, were off by less than 1 %.
function end_small() {
	if (smalls)
		say("note", "small pieces of code", "95 of 100 are off by less than 1 % from " \
			(smallest == "" ? "no length" : smallest " instructions") " on, all from " \
			(smallest_of_all == "" ? "no length" : smallest_of_all " instructions") " on")
}

# Tells which facts the part that ends lacks.
function end_part(  i, needed) {
	end_small()
	if (part == "" && types) {
		if (!("count/moved" in has))
			missing = missing " count/moved"
		return
	}
	if (left_out)
		return
	for (i = 1; i <= nneeded; i++) {
		needed = all[i]
		if (needed in has || (part == "driver" && needed == "table"))
			continue
		missing = missing " " (part == "" ? "" : part "/") needed
	}
	if (part != "")
		printf "part %s %s: %s\n", part, word_of(here), totals(here)
}

function word_of(n) {
	return n["wrong"] ? "wrong" : n["noisy"] ? "noisy" : "right"
}

function totals(n) {
	return n["right"] " right, " n["plausible"] " plausible, " n["unsteady"] " unsteady, " n["unchecked"] \
		" unchecked, " n["noisy"] " noisy, " n["wrong"] " wrong, " n["refused"] " refused"
}

# The numbers of the works, from field 2 on, as many as there are: whether they are all there.
function take(into,  i) {
	for (i = 1; i <= nworks; i++)
		into[i] = $(i + 1)
	return NF == nworks + 1
}

# Whether rule k is about the event.
function is_about(k, name) {
	return name ~ names[k] && (except[k] == "" || name !~ except[k])
}

BEGIN {
	nwords = split("right plausible unsteady unchecked noisy wrong refused", words, " ")
	for (i = 1; i <= nwords; i++)
		of[words[i]] = 0
	fields["count"] = 9
	fields["order"] = 4
	fields["overflow"] = 8
	fields["table"] = 3
	fields["small"] = 6
	# The kernel's own names, which are in no table.
	generic = "^(cycles|instructions|branches|branch-misses|cache-references|cache-misses|L1-dcache-loads|" \
		"L1-dcache-load-misses|LLC-loads|dTLB-load-misses|stalled-cycles-frontend|stalled-cycles-backend):u:?$"
	nneeded = split("count/inline count/kernel count/threads count/beside order overflow table", all, " ")
	reset()
}

/^#/ { next }

# ---- what is expected: it is the first file ----
FNR == NR {
	if (NF != 4 || $3 !~ /^([0-9.]+|cycles|instructions)$/ || $4 !~ /^([0-9.]+|-)$/) {
		if (NF)
			broken = "line " FNR
		next
	}
	nrules++
	split($1, halves, "!")
	names[nrules] = "^(" halves[1] ")$"
	except[nrules] = halves[2] == "" ? "" : "^(" halves[2] ")$"
	kind[nrules] = $2
	low[nrules] = $3
	high[nrules] = $4
	next
}

# ---- the machine ----
{ last = $1; lines++ }
{ has[$1 == "count" ? $1 "/" $2 : $1] = 1 }
lines == 1 { whole = $1 == "libperfctr-verify" && $2 == 2; next }
$1 == "virtual" { hypervisor = 1 }
# Tables of an architecture: a processor need not have all of it.
$1 == "processor" { is_generic = $2 ~ /^(architectural|pmuv3|sbi)$/ }
$1 == "types" { types = $2 }
$1 == "part" {
	end_part()
	reset()
	part = $2
	is_generic = $3 ~ /^(architectural|pmuv3|sbi)$/
	left_out = 0
	parts += part != "driver"
}
$1 == "no-processor" || $1 == "no-driver" {
	left_out = 1
	say("note", "nothing is verified", substr($0, length($1) + 2))
}
# The file says instead that the processor can't do it.
$1 == "no-table" { has["table"] = 1 }
$1 == "refused" && $2 == "overflow:" { has["overflow"] = 1 }
$1 == "refused" && $2 == "beside:" { has["count/beside"] = 1 }
$1 == "nothing:" { nothing = substr($0, 10) }
# A pinned counter is lost only to somebody else's.
$1 == "lost" {
	has[$2] = 1
	say("noisy", $2, $3 " left out, since somebody else had taken the counter")
}
$1 == "no-reader" || $1 == "refused" {
	what = $2
	sub(/:$/, "", what)
	why = substr($0, length($1 $2) + 3)
}
$1 == "no-reader" { say("note", what, "the kernel reads: " why) }
$1 == "refused" { say("refused", what, why) }
# The events of the table, which stand after the works.
"works" in has && $2 ~ /:u:?$/ && $2 !~ generic {
	listed += $1 == "event" || $1 == "lost"
	denied += $1 == "refused"
}
$1 == "backwards" { say("wrong", $2, $3 " reads are less than one before") }

$1 ~ /^(count|order|overflow|table|small)$/ && NF != fields[$1] {
	whole = 0
	next
}
# A trial that never took place says nothing.
($1 == "count" && $5 < 1) || ($1 == "order" && $2 < 1) || ($1 == "overflow" && $4 < 1) {
	whole = 0
	next
}

# count WHAT EVENT EXPECTED TRIALS EXACT LEAST MEDIAN GREATEST
$1 == "count" {
	what = $3 " " $2 " " $4
	disturbed = $2 == "beside" || $2 == "moved" || $2 == "threads"
	if ($7 < 0)
		say("wrong", what, -$7 " too few, at worst")
	else if ($9 * 10 > $4 && (disturbed || $9 > 1000))
		say("wrong", what, $9 " too many, at worst: what others execute is counted")
	else if ($7 > 0 && ($4 <= 10000 || $7 * 1000 > $4))
		say("wrong", what, "never less than " $7 " too many")
	else if ($7 > 0 || (!disturbed && $6 * 2 < $5))
		say("noisy", what, $6 " of " $5 " exact; the others have up to " $9 " too many")
	else
		say("right", what, $6 " of " $5 " exact" ($9 ? ", the others have up to " $9 " too many" : ""))
}

# small LENGTH TRIALS MEDIAN P95 WORST, in ascending order
$1 == "small" {
	smalls++
	if ($5 * 100 >= $2)
		smallest = ""
	else if (smallest == "")
		smallest = $2
	if ($6 * 100 >= $2)
		smallest_of_all = ""
	else if (smallest_of_all == "")
		smallest_of_all = $2
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
	else if ($5 == 0 && $8)
		say("noisy", what, "none of " $4 ", since they were lost")
	else if ($5 + $8 < $4)
		say("wrong", what, $5 " of " $4 ", and nothing said that samples were lost")
	else if ($5 > $4 * 1.02 + 1)
		say("wrong", what, $5 ", and there were " $4)
	else if ($6 * 10 < $5 * 9)
		say("wrong", what, "only " $6 " of " $5 " samples are where it was executed")
	else
		say("right", what, $5 " of " $4)
}

# ---- the table ----
$1 == "works" {
	nworks = NF - 1
	for (i = 1; i <= nworks; i++) {
		work_name[i] = $(i + 1)
		work[$(i + 1)] = i
	}
}
$1 == "rounds" && !take(rounds) { whole = 0 }
$1 == "ns" && !take(ns) { whole = 0 }

# The first bound that is broken, in words. A rule's names are tried once: busybox compiles them each time.
function beyond(name,  i, k, unit) {
	for (i = 1; i <= nworks && name == "cycles"; i++) {
		if (count[i] > 10 * ns[i] + 10000)
			return count[i] " in " ns[i] " ns"
		cycles[i] = count[i] + spread[i]
	}
	for (k = 1; k <= nrules && name != "cycles"; k++) {
		if (kind[k] != "<=" || !is_about(k, name))
			continue
		for (i = 1; i <= nworks; i++) {
			unit = low[k] == "cycles" ? cycles[i] : instructions[i]
			if (unit != "" && count[i] > high[k] * unit + (low[k] == "cycles" ? 10000 : 20))
				return count[i] " in the work \"" work_name[i] "\", which has " unit " " low[k]
		}
	}
	return ""
}

# Tells in words which expectations are not met. noisy, if runs differ; held: how many expectations it was held against.
function unlike(name,  i, k, n, least, most, slack, found, text) {
	found = ""
	for (k = 1; k <= nrules; k++) {
		if (kind[k] == "<=" || !is_about(k, name))
			continue
		i = work[kind[k]]
		if (!rounds[i])
			continue
		n = count[i] - count[1]
		least = low[k] * rounds[i]
		most = high[k] * rounds[i]
		slack = most * 0.01 + 20
		demanding += least > 0
		held++
		text = n " in \"" kind[k] "\""
		if (!index(shown, text))
			shown = shown (shown == "" ? "" : ", ") text
		if (n < least)
			found = n " in the work \"" kind[k] "\", which has " least
		else if (high[k] != "-" && n > most + slack) {
			found = n " in the work \"" kind[k] "\", which has " most " at most"
			differing = spread[i] > slack || spread[1] > slack
		} else
			continue
		return found
	}
	return found
}

$1 == "event" {
	name = $2
	sub(/:u$/, "", name)
	if (NF != nworks + 2 || nworks < 2) {
		whole = 0
		next
	}
	sum = uneven = spread[0] = 0
	for (i = 1; i <= nworks; i++) {
		split($(i + 2), halves, "+")
		count[i] = halves[1] + 0
		spread[i] = halves[2] + 0
		sum += count[i]
		if (spread[i] > count[i] + 100 && spread[i] > spread[uneven])
			uneven = i
	}
	counting += sum > 0
	held = demanding = differing = 0
	shown = ""
	why = beyond(name)
	if (name == "instructions")
		for (i = 1; i <= nworks; i++)
			instructions[i] = count[i] + spread[i]
	if (why != "")
		say("wrong", name, why)
	else if (name == "cycles" && count[work["loop"]] == 0)
		say("wrong", name, "they stand still")
	else if (!sum && is_generic && name != "instructions")
		say("unchecked", name, "no work makes it count; the table is not of this very processor")
	else if ((why = unlike(name)) != "")
		say(differing ? "noisy" : "wrong", name, why)
	else if (!demanding && !sum)
		say("unchecked", name, "no work makes it count")
	else if (held)
		say("right", name, shown)
	else if (uneven)
		say("unsteady", name, count[uneven] " to " count[uneven] + spread[uneven] " in \"" work_name[uneven] "\"")
	else
		say("plausible", name)
}
$1 == "table" {
	if ($2 != listed || $3 != denied)
		missing = missing " " (part == "" ? "" : part "/") "events"
	if (!$2)
		say("wrong", "the table of events", "the kernel takes none of it")
	say("note", "the table of events", $2 " are taken, " $3 " refused; " counting + 0 " events have counted something")
}
$1 == "no-table" { say("note", "the table of events", substr($0, 10)) }

END {
	if (nothing == "")
		end_part()
	if (types + 0 != (types ? parts : 0))
		missing = missing " a part"
	verdict = word_of(of)
	if (broken != "" || !whole || (nothing == "" && (last != "end" || missing != "")))
		verdict = "incomplete"
	else if (nothing != "")
		verdict = "nothing"
	part = ""
	if (broken != "")
		say("note", "what is expected can't be read", broken)
	if (missing != "" && nothing == "")
		say("note", "missing", substr(missing, 2))
	if (hypervisor)
		say("note", "a hypervisor", "what is verified is its PMU, too")
	printf "verdict %s: %s%s\n", verdict, totals(of), nothing ? "; " nothing : ""
}
