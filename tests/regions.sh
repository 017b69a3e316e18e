#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Regions of programs: what they cost where nothing is measured, by callgrind; the environment; programs
# that end in all ways, threads, signals. The time alone is measured, which every machine has.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library; PERFEX.
set -u
perfex=${PERFEX:-./perfex}
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
if [ -e "$lib/libperfctr.so" ]; then
	library="-L$lib -lperfctr -Wl,-rpath,$(cd "$lib" && pwd)"
else
	library=$lib/libperfctr.a
fi
work=$(mktemp -d)
export LC_ALL=C.UTF-8 TZ=UTC0 HOME="$work"
umask 022
trap 'rm -rf "$work"' EXIT
failed=0
# shellcheck source=tests/tools/others.sh
. "$srcdir/tests/tools/others.sh"
have() {	# COMMAND TEST
	command -v "$1" >/dev/null || { echo "SKIP $2: needs $1"; return 1; }
}
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
build() {	# COMPILER SOURCE OUTPUT FLAG...
	compiler=$1 source=$2 output=$3 libraries=$library
	shift 3
	$compiler ${CFLAGS:-} -Wall -Wextra -Werror "$@" -I"$srcdir/include" "$source" -o "$output" \
		-rdynamic -x none $libraries -pthread -ldl
}
build "$cc -std=gnu11 -O2" "$srcdir/tests/regions.c" "$work/regions"
check "the program is built" $?
printf '%s\n' '#include <perfctr/regions.h>' 'PERFCTR_REGION(gone, "gone");' 'void call(void);' \
	'void call(void)' '{' '	perfctr_region_begin(&gone);' '	perfctr_region_end(&gone);' \
	'	perfctr_region_begin(&gone);' '}' >"$work/module.c"
library='' build "$cc -std=gnu11 -O2" "$work/module.c" "$work/module.so" -fPIC -shared
unset PERFCTR_REGIONS PERFCTR_REGIONS_METRICS PERFCTR_REGIONS_KEEP PERFCTR_REGIONS_OUTPUT PERFCTR_REGIONS_FORMAT

# "visits,unfinished,uncounted" of regions, in the order of their names, and the ends without a begin.
report() {	# CASE [ARGUMENT]
	rm -f "$work/report"
	PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=json PERFCTR_REGIONS_OUTPUT="$work/report" \
		timeout 60 "$work/regions" "$@" 2>"$work/errors"
	status=$?
	cat "$work/errors" >&2
	# Each region, and each number of what was not measured, in a line of its own.
	[ ! -e "$work/report" ] || sed 's/{"region":/\n&/g; s/,"\(ends_without_begin\|threads_left_out\|threads_stale\|visits_without_region\)"/\n&/g' "$work/report" |
		sed -n 's/^{"region":"\([a-z]*\)","visits":\([0-9]*\),"unfinished":\([0-9]*\),"uncounted":\([0-9]*\),.*/\1 \2,\3,\4/p
			s/^,"ends_without_begin":\([0-9]*\)$/stray \1/p
			s/^,"threads_left_out":\([1-9][0-9]*\)$/left out \1/p
			s/^,"visits_without_region":\([1-9][0-9]*\),"children_left_out":0}$/without region \1/p' | sort | tr '\n' ' '
}
# The names and visits in a table.
visited() { sed -n 's/^\(.*\): \([0-9]*\) visits*$/\1 \2/p'; }

expect() {	# STATUS WORDS CASE [ARGUMENT]
	wanted="$1: $2"
	shift 2
	report "$@" >"$work/got"
	got="$status: $(cat "$work/got")"
	[ "$got" = "$wanted" ] || echo "$got, not $wanted"
	[ "$got" = "$wanted" ]
	check "a program's end: $1" $?
}
expect 0 'done 2,0,0 stray 0 ' nothing
expect 0 'done 2,0,0 stray 2 within 1,0,0 ' stray
expect 0 'done 2,0,0 other 0,1,0 stray 0 within 1,1,0 ' thread
expect 0 'done 2,0,0 other 0,1,0 stray 0 within 1,1,0 ' cancel
expect 0 'done 2,0,0 left out 3 other 3,0,0 stray 0 within 3,0,0 ' destructor
expect 0 'done 2,0,0 other 3001,0,0 stray 0 within 0,3001,0 ' jump
expect 0 'done 2,0,0 other 1,0,0 stray 0 ' fork
expect 0 'done 2,0,0 stray 2 within 1,0,0 ' exec
expect 0 'done 2,0,0 stray 0 within 1,0,0 ' restart
expect 0 'done 2,0,0 stray 0 within 1,0,0 ' restart-deep
expect 0 'done 1,0,0 stray 0 ' again
expect 0 'done 2,0,0 left out 1 stray 0 ' left-out
expect 0 'done 1,0,0 other 1,0,0 stray 0 ' memory
expect 0 'done 2,0,0 stray 0 ' start
expect 137 '' die
expect 0 'done 2,0,0 gone 2,2,0 stray 0 ' unload "$work/module.so"
if [ -e "$lib/libperfctr.a" ]; then
	library=$lib/libperfctr.a build "$cc -std=gnu11 -O2" "$srcdir/tests/regions.c" "$work/linked" &&
		PERFCTR_REGIONS='' "$work/linked" nothing 2>&1 | grep -q '^done: 2 visits$'
	check "the static library looks at the environment, too" $?
fi
report deep >"$work/got"
awk '{ split($4, n, ","); exit !($3 == "other" && n[1] + n[3] == 2010 && n[1] > 990 && !n[2]) }' "$work/got"
check "more regions than there is room for: $(cat "$work/got")" $?
report signals >"$work/got"
check "signal handlers with regions: $(cat "$work/got")" "$status"

# ---- the environment ----
complains() {	# WORDS VARIABLE=VALUE...
	words=$1
	shift
	env "$@" "$work/regions" stray >"$work/out" 2>"$work/errors" && grep -qF "$words" "$work/errors" &&
		[ "$(wc -l <"$work/errors")" = 1 ]
	status=$?
	[ $status = 0 ] || cat "$work/errors"
	check "a wrong variable: $words" $status
}
complains 'PERFCTR_REGIONS: "bogus" is not an event' PERFCTR_REGIONS=bogus
complains 'PERFCTR_REGIONS_KEEP: "all" is none of moments' PERFCTR_REGIONS= PERFCTR_REGIONS_KEEP=moments,all
complains 'PERFCTR_REGIONS_FORMAT: "xml" is none of table' PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=xml
complains 'PERFCTR_REGIONS_OUTPUT: there is no environment variable NO_SUCH' PERFCTR_REGIONS= \
	'PERFCTR_REGIONS_OUTPUT=%q{NO_SUCH}'
complains 'after % stands p, q{NAME}, h or %' PERFCTR_REGIONS= 'PERFCTR_REGIONS_OUTPUT=%x'
complains 'can'\''t be written: No such file' PERFCTR_REGIONS= "PERFCTR_REGIONS_OUTPUT=$work/none/x"
(cd "$work" && RANK=7 PERFCTR_REGIONS='' PERFCTR_REGIONS_OUTPUT='a%%.%q{RANK}.%h.%p' ./regions stray) &&
	ls "$work"/a%.7."$(uname -n)".[0-9]* >/dev/null
check "a report's name" $?
ln -s target "$work/link" && echo before >"$work/target" &&
	PERFCTR_REGIONS='' PERFCTR_REGIONS_OUTPUT="$work/link" "$work/regions" stray && [ -L "$work/link" ] &&
	[ "$(sed -n '1p; 2s/ .*//p' "$work/target" | tr '\n' ' ')" = 'before Regions ' ]
check "a report's name that is a link" $?
PERFCTR_REGIONS='' PERFCTR_REGIONS_OUTPUT="$work/target" "$work/regions" stray && head -n 1 "$work/target" | grep -q '^Regions'
check "a report takes the place of an older one" $?
# A shell whose number the program has when it takes its place.
PERFCTR_REGIONS='' sh -c 'for i in "" .1 .2; do echo stale >"$1.$$$i"; done; PERFCTR_REGIONS_OUTPUT=$1 exec "$2" stray' sh \
	"$work/taken" "$work/regions" && head -n 1 "$work/taken" | grep -q '^Regions' &&
	[ "$(cat "$work"/taken.*)" = "$(printf 'stale\nstale\nstale')" ]
check "a report where others of the same process number were left" $?
PERFCTR_REGIONS='' "$work/regions" fork 2>"$work/errors"
[ "$(grep -c '^Regions of process' "$work/errors")" = 2 ]
check "a child has a report of its own" $?
PMI_RANK=3 PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=csv PERFCTR_REGIONS_KEEP=histogram,threads \
	"$work/regions" thread 2>"$work/csv"
awk -F, 'NR == 1 { n = NF } NF != n || (NR > 1 && $3 != 3) { bad = 1 } $4 == "within" && $5 != "all" { one++ }
	END { exit bad || one != 1 || NR < 6 }' "$work/csv"
check "CSV, by thread, with the rank" $?
[ -z "$("$work/regions" stray 2>&1)" ]
check "nothing is said where nothing is measured" $?

# ---- children of fork() ----
# "VISITS of REGION" of all processes that reported into these files, of CSV.
visits_of() {	# FILE...
	cat "$@" 2>/dev/null | awk -F, '$9 == "time" && $5 == "all" { n[$4] += $6 } END { for (r in n) print r, n[r] }' | sort | tr '\n' ' '
}
# How children end; the visits of regions, and what the parent's report says of children without a report.
children() {	# HOW WANTED LEFT-OUT WAY COMMAND...
	how=$1 expected="$2of $3" way=$4
	shift 4
	rm -rf "$work/reports" && mkdir "$work/reports"
	"$@" >"$work/out" 2>&1
	got="$(visits_of "$work/reports"/*)of $(cat "$work/reports"/* | awk -F, '$4 == "done" { n = $30 } END { print n }')"
	[ "$got" = "$expected" ] || { cat "$work/out"; echo "$got, not $expected"; false; }
	check "children that end by $how, $way" $?
}
for how in exit _exit TERM KILL grandchild thread; do
	case $how in
	grandchild) wanted='done 2 other 6 within 3 ' ;;
	thread) wanted='done 2 other 3 within 3 ' ;;
	*) wanted='done 2 other 3 ' ;;
	esac
	children $how "$wanted" 0 "perfex -o r.%p" "$perfex" --regions --csv -o "$work/reports/r.%p" "$work/regions" children $how
	children $how "$wanted" 0 "perfex -o r" "$perfex" --regions --csv -o "$work/reports/r" "$work/regions" children $how
done
children exit 'done 2 other 3 ' 0 'the environment alone' env PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=csv \
	PERFCTR_REGIONS_OUTPUT="$work/reports/r" "$work/regions" children exit
children _exit 'done 2 ' 3 'the environment alone' env PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=csv \
	PERFCTR_REGIONS_OUTPUT="$work/reports/r" "$work/regions" children _exit
children TERM 'done 2 ' 3 'the environment alone' env PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=csv \
	PERFCTR_REGIONS_OUTPUT="$work/reports/r" "$work/regions" children TERM
children exec 'done 2 ' 0 'the environment alone' env PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=csv \
	PERFCTR_REGIONS_OUTPUT="$work/reports/r" "$work/regions" children exec
children inside 'done 2 other 3 within 1 ' 0 'the environment alone' env PERFCTR_REGIONS= PERFCTR_REGIONS_FORMAT=csv \
	PERFCTR_REGIONS_OUTPUT="$work/reports/r" "$work/regions" children inside
[ "$(cat "$work/reports"/* | awk -F, '{ n += $26 } END { print n + 0 }')" = 0 ]
check "a child's end of its parent's visit is not a stray one" $?
PERFCTR_REGIONS='' "$work/regions" children _exit 2>&1 | grep -q '^3 child processes had regions and no report, or not yet one\.$' &&
	PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=json "$work/regions" children _exit 2>&1 | grep -q '"children_left_out":3}$'
check "children without a report are told by number, in a table and in JSON" $?
for format in table csv json; do	# the parent has no region of its own
	PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=$format "$work/regions" children-alone _exit 2>"$work/$format"
done
grep -q '^3 child processes had regions' "$work/table" && grep -q ',,0,0,0,0,3,$' "$work/csv" && grep -q '"children_left_out":3}$' "$work/json"
check "children without a report, of a parent without a region, in each format" $?
# Python is the first C library's.
case $cc in *musl*) false ;; esac && have python3 "a pool of Python's" && [ -e "$srcdir/bindings/python/perfctr/__init__.py" ] && [ -e "$lib/libperfctr.so" ] && {
	printf '%s\n' 'import multiprocessing as mp, perfctr, sys' '@perfctr.region("other")' 'def f(n):' '    return sum(range(n))' \
		'if __name__ == "__main__":' '    mp.set_start_method(sys.argv[1])' '    f(10)' \
		'    with mp.Pool(2) as p: p.map(f, [1000] * 20)' >"$work/pool.py"
	for way in fork spawn; do
		rm -rf "$work/reports" && mkdir "$work/reports"
		LD_LIBRARY_PATH=$lib PYTHONPATH=$srcdir/bindings/python \
			"$perfex" --regions --csv -o "$work/reports/r.%p" python3 "$work/pool.py" $way >"$work/out" 2>&1
		[ "$(visits_of "$work/reports"/*)" = 'other 21 ' ] || { cat "$work/out"; visits_of "$work/reports"/*; false; }
		check "a pool of Python's, $way" $?
	done
}

# ---- perfex ----
says() {	# STATUS WORDS COMMAND...
	wanted=$1 words=$2
	shift 2
	"$@" >"$work/out" 2>&1
	status=$?
	[ "$status" = "$wanted" ] && grep -q -e "$words" "$work/out" || { cat "$work/out"; false; }
	check "perfex: $words" $?
}
says 0 '^  time ns .* \(estimate, +- [0-9]*\|not counted\)$' "$perfex" --regions -- "$work/regions" stray
says 0 '^within, all threads: 1 visit$' "$perfex" --regions=histogram,threads -e page-faults "$work/regions" stray
says 137 '^  time ns .* estimate, +- [0-9]*$' "$perfex" --regions "$work/regions" die
says 137 '^perfex: process [1-9][0-9]* ended without its report of regions; ' "$perfex" --regions "$work/regions" die
says 0 '^  time ns .* estimate, +- [0-9]*$' "$perfex" --regions sh -c '"$0" die; true' "$work/regions"
# Time needs no descriptor; an event does, unless it is read in user space.
says 0 '^other: 2 visits$' "$perfex" --regions "$work/regions" close
says 0 '^Of these 1 is stale: the program closed the descriptors of the counters\.$' \
	"$perfex" --regions -e page-faults "$work/regions" close
says 0 '^other: [0-4] visits*$' "$perfex" --regions -e page-faults "$work/regions" close-others
"$perfex" --regions -e page-faults --json -o "$work/close" "$work/regions" close
grep -q '"region":"other","visits":1,"unfinished":0,"uncounted":1,' "$work/close" &&
	grep -q '"threads_left_out":1,"threads_stale":1,"visits_without_region":[12]' "$work/close"
check "perfex: visits after the program closed the counters are missing by number" $?
"$perfex" --regions -e page-faults --csv -o "$work/close.csv" "$work/regions" close
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) head[$i] = i; next }
	{ print $head["threads_left_out"] $head["threads_stale"] }' "$work/close.csv" | sort -u)" = 11 ] &&
	"$perfex" --from "$work/close" | grep -q '^1 of these is stale: the program closed'
check "perfex: threads whose counters the program closed, in CSV and merged" $?
"$perfex" --regions --csv -o "$work/exec.%p" "$work/regions" exec 2>"$work/errors"
cat "$work"/exec.*[0-9] "$work"/exec.*.left | awk -F, '{ print $4, $6 }' | sort | tr '\n' ' ' >"$work/got"
[ "$(cat "$work/got")" = 'done 1 done 2 region visits region visits within 1 ' ]
check "perfex: what a program measured before it executed another: $(cat "$work/got")" $?
rm -f "$work"/exec.*
"$perfex" --regions --csv -o "$work/exec.%p" "$work/regions" execs 2>"$work/errors"
cat "$work"/exec.* | awk -F, '$4 == "within" { print $4, $6 }' | sort | tr '\n' ' ' >"$work/got"
[ "$(cat "$work/got")" = 'within 1 within 2 within 3 within 4 ' ] &&
	[ "$(grep -c 'ended without its report of regions; what it had' "$work/errors")" = 3 ]
check "perfex: what programs measured, of which each executed the next: $(cat "$work/got")" $?
mkdir "$work/gone"
says 125 '^perfex: process [1-9][0-9]* has no report of regions: .*/gone/x can.t be written: ' \
	"$perfex" --regions -o "$work/gone/x" sh -c 'rmdir "$0"; "$1" die; true' "$work/gone" "$work/regions"
[ "$(grep -c '^done: 1 visit$' "$work/out")" = 1 ]
check "perfex: what is left of who died and has no file" $?

"$perfex" --regions --csv "$work/regions" stray 2>"$work/csv"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) head[$i] = i; next }
	{ print $head["ends_without_begin"] $head["threads_left_out"] }' "$work/csv" | sort -u)" = 20 ]
check "CSV: ends without a begin, threads left out" $?

# In a namespace of its own it has a number that a living one has here.
if unshare -r --fork --pid true 2>/dev/null; then
	says 0 '^  time ns .* estimate, +- [0-9]*$' "$perfex" --regions unshare -r --fork --pid sh -c '"$0" die; true' "$work/regions"
else
	echo "SKIP a process that dies in a PID namespace: there can be none"
fi

# Metrics are what the sums beside them come to, also of who died.
cat >"$work/metrics.py" <<'EOT'
import json, sys
for region in json.load(open(sys.argv[1]))["regions"]:
    values = {value["value"].partition(":")[0]: value for value in region["values"]}
    assert list(values) == ["time", "page-faults", "task-clock"], values
    [metric] = region["metrics"]
    reasons = {"inclusive": metric["reason"], "exclusive": metric["exclusive_reason"]}
    assert metric["metric"] == "page-fault-rate" and metric["unit"] == "/s"
    for sum in "inclusive", "exclusive":
        # Less may be left of an empty region than nothing.
        counted = all(value["quality"] in ("exact", "estimate") for value in region["values"])
        assert all(value["quality"] != "exact" or value["value"].startswith("page-faults") for value in region["values"])
        if not counted or values["task-clock"][sum] == 0:
            assert metric[sum] is None and reasons[sum]
        else:
            assert reasons[sum] is None
            wanted = 1e9 * values["page-faults"][sum] / values["task-clock"][sum]
            assert abs(metric[sum] - wanted) < 0.002, (metric[sum], wanted)
    print(region["region"], metric["quality"])
EOT
says 0 '^  time ns .* \(estimate, +- [0-9]*\|not counted\)$' "$perfex" --regions -e page-faults -M page-fault-rate "$work/regions" stray
says 0 '^ *page-fault-rate /s  *[0-9]*\.[0-9][0-9][0-9]  *[0-9]*\.[0-9][0-9][0-9]  estimate$' \
	"$perfex" --regions -M page-fault-rate "$work/regions" nothing
says 0 ',done,all,2,0,0,page-fault-rate,/s,[0-9]*\.[0-9]*,[0-9]*\.[0-9]*,,,,,,,,estimate,,,,,,0,0,0,0,0,$' \
	"$perfex" --regions=histogram --csv -M page-fault-rate "$work/regions" nothing
for case in nothing thread die; do
	rm -f "$work/metrics"
	"$perfex" --regions --json -o "$work/metrics" -M page-fault-rate "$work/regions" $case 2>"$work/errors"
	have python3 "perfex: metrics: $case" || continue
	python3 "$work/metrics.py" "$work/metrics" >"$work/got" 2>&1 && grep -q '^done estimate$' "$work/got" || cat "$work/got"
	grep -q '^done estimate$' "$work/got"
	check "perfex: metrics: $case" $?
done
# Each visit is in one bucket of each value, between the extremes; also of a process that died.
cat >"$work/buckets.py" <<'EOT'
import json, sys
for region in json.load(open(sys.argv[1]))["regions"]:
    for value in region["values"]:
        assert ("buckets" in value) == ("tid" not in region and value["value"] != "bytes"), value
        if "buckets" in value:
            buckets = value["buckets"]
            edges = [edge for bucket in buckets for edge in bucket[:2]]
            assert sum(bucket[2] for bucket in buckets) == region["visits"] and edges == sorted(edges), value
            assert not edges or [value["minimum"], value["maximum"]] == [edges[0], edges[-1]], value
    print(region["region"], "tid" in region)
EOT
for case in nothing thread die; do
	rm -f "$work/buckets"
	"$perfex" --regions=histogram,threads --json -o "$work/buckets" "$work/regions" $case 2>"$work/errors"
	have python3 "perfex: buckets: $case" || continue
	python3 "$work/buckets.py" "$work/buckets" >"$work/got" 2>&1 && grep -q '^done False$' "$work/got" &&
		grep -q True "$work/got" || { cat "$work/got"; false; }
	check "perfex: buckets: $case" $?
done
says 125 'has no metric "ipx"; did you mean ipc' "$perfex" --regions -M ipx "$work/regions" nothing
complains 'PERFCTR_REGIONS: this processor has no metric "ipx"' PERFCTR_REGIONS= PERFCTR_REGIONS_METRICS=ipx
left=$("$perfex" --regions sh -c 'ls -ld "$PERFCTR_REGIONS_LEFT"; "$0" nothing 2>/dev/null' "$work/regions")
expr "$left" : 'drwx------' >/dev/null && ! [ -e "${left##* }" ]
check "perfex: a directory of one's own, which goes" $?
left=$("$perfex" --regions sh -c 'mkdir -p "$PERFCTR_REGIONS_LEFT/closed/b" && chmod 0 "$PERFCTR_REGIONS_LEFT/closed"
	echo "$PERFCTR_REGIONS_LEFT"')
[ -n "$left" ] && ! [ -e "$left" ]
check "perfex: it goes with directories that are closed" $?
mkdir -p "$work/precious" && echo precious >"$work/precious/file"
if unshare -rm true 2>/dev/null; then
	# shellcheck disable=SC2016
	unshare -rm "$perfex" --regions sh -c 'mkdir -p "$PERFCTR_REGIONS_LEFT/a/b" && mount --bind "$0" "$PERFCTR_REGIONS_LEFT/a/b" &&
		echo "$PERFCTR_REGIONS_LEFT"' "$work/precious" >"$work/out" 2>&1
	left=$(grep '^/.*/perfex-[^/]*$' "$work/out") && [ -e "$work/precious/file" ]
	check "perfex: it does not go with a file system that is mounted there" $?
	rmdir "$left/a/b" "$left/a" "$left"
else
	echo "SKIP a directory with a file system mounted in it: there can be none"
fi
if have strace "perfex: it goes, too, if there is no such command"; then
	strace -f -qq -e trace=mkdir,rmdir -o "$work/calls" "$perfex" --regions "$work/none" 2>/dev/null
	[ "$(grep -c 'mkdir.*perfex-.* = 0' "$work/calls")" = 1 ] && [ "$(grep -c 'rmdir.*perfex-.* = 0' "$work/calls")" = 1 ]
	check "perfex: it goes, too, if there is no such command" $?
fi
# Nothing that was tried is still open while the command runs.
# shellcheck disable=SC2016
says 0 '^0$' "$perfex" --regions -e page-faults sh -c 'ls -l "/proc/$PPID/fd" | grep -c perf_event; "$0" stray 2>/dev/null' "$work/regions"
says 125 '^perfex: "bogus" is not an event' "$perfex" --regions -e bogus "$work/regions" stray
says 125 'take names of events, not "0x3C"' "$perfex" --regions -e 0x3C "$work/regions" stray
says 125 "^perfex: -a can't be combined with --regions" "$perfex" --regions -a "$work/regions" stray
for option in --format=folded --format=openmetrics --emulate '--by source' '--call-graph fp' '--threshold 1'; do
	# shellcheck disable=SC2086
	says 125 "^perfex: ${option%% *} can't be combined with --regions" "$perfex" --regions $option "$work/regions" stray
done
says 125 "^perfex: --sample can't be combined with --regions" "$perfex" --sample --regions "$work/regions" stray
says 125 '^perfex: --regions=: "momen" is none of' "$perfex" --regions=histogram,momen "$work/regions" stray
says 125 "^perfex: -o: $work is a directory" "$perfex" --regions -o "$work" "$work/regions" stray
# The library's complaints of its variables come before the run.
for name in 'job.%q{NO_SUCH}' "$work/%q{NO_SUCH}/x" '%z' '%qNO' '100%' '' "$work/%h/none/x"; do
	rm -f "$work/ran"
	says 125 '^perfex: -o: ' "$perfex" --regions -o "$name" touch "$work/ran"
	[ ! -e "$work/ran" ]
	check "perfex: nothing runs for a report to \"$name\"" $?
done
HERE=$work says 0 '^$' "$perfex" --regions -o '%q{HERE}/named.%h' sh -c 'echo; exec "$0" stray' "$work/regions"
[ -e "$work/named.$(uname -n)" ]
check "perfex: a report's name of a variable and the host" $?
says 125 '^perfex: no process of the command was measured: ' "$perfex" --regions true
says 3 '^perfex: no process of the command was measured: ' "$perfex" --regions sh -c 'exit 3'
if "$perfex" -e cycles true 2>&1 | grep -q 'not counted'; then
	for format in table --csv --json; do
		option=${format#table}
		"$perfex" --regions -e cycles,page-faults -o "$work/reason.${format#--}" $option "$work/regions" nothing 2>"$work/errors"
		"$perfex" --regions -e cycles $option -o "$work/died.${format#--}" "$work/regions" die 2>>"$work/errors"
	done
	for kind in reason died; do
		grep -q '^cycles is not counted: [a-z]' "$work/$kind.table" && grep -q ',,all,,,,cycles,,,.*,not counted,,,,"*[a-z]' "$work/$kind.csv" &&
			grep -q ',"not_counted":\[{"name":"cycles","reason":"[a-z].*"}\]}$' "$work/$kind.json"
		check "perfex: $kind: each format has the events that are not counted, and why" $?
	done
	says 0 '^cycles is not counted in 2 processes: [a-z]' "$perfex" --from "$work/reason.json" "$work/died.json"
	PERFCTR_REGIONS_NOT_COUNTED='old	reason' "$perfex" --regions -e page-faults --json -o "$work/none.json" "$work/regions" nothing
	! grep -q not_counted "$work/none.json"
	check "perfex: no reasons of a perfex around it" $?
fi
says 0 '^perfex: no region was reached, and so there is no report$' "$perfex" --regions "$work/regions" none
[ "$(wc -l <"$work/out")" = 1 ]
check "perfex: a region that is not reached is told in a line" $?
# shellcheck disable=SC2016
says 0 '^perfex: no region was reached' "$perfex" --regions sh -c '"$0" none; "$0" none' "$work/regions"
says 0 '^1 thread could not be counted.$' "$perfex" --regions -e page-faults "$work/regions" left-out-alone
! grep -q 'no region was reached' "$work/out"
check "perfex: a region is reached, though not counted" $?
# shellcheck disable=SC2016
for other in '"$0" stray' '"$0" stray; "$0" none' '"$0" die; true'; do
	says 0 '^done: ' "$perfex" --regions sh -c "\"\$0\" none; $other" "$work/regions"
	! grep -q 'no region was reached' "$work/out"
	check "perfex: one of several processes has reached a region: $other" $?
done
# shellcheck disable=SC2016
says 125 '^perfex: no process of the command was measured: ' "$perfex" --regions env -i "$work/regions" stray
# One report that is lost is told, whatever becomes of those after it: the first, whose directory is made, is the last read.
# shellcheck disable=SC2016
says 125 'has no report of regions: ' "$perfex" --regions -o "$work/own.%p/x" \
	sh -c 'sh -c "mkdir \"\$0.\$\$\"; exec \"\$1\" die" "$0" "$1"; "$1" die; true' "$work/own" "$work/regions"
[ "$(ls "$work"/own.*)" = x ]
check "perfex: another report is written" $?
if have strace "perfex: nobody knows how many processes there were"; then
	says 0 '^all$' strace -qq -o "$work/calls" -e trace=inotify_init1 -e inject=inotify_init1:error=EMFILE \
		"$perfex" --regions echo all
	[ "$(wc -l <"$work/out")" = 1 ] && grep -q INJECTED "$work/calls"
	check "perfex: nobody knows how many processes there were" $?
fi
# One that outlives the command reports by itself, and until then there is nothing to be said of it.
mkfifo "$work/hold"
exec 9<>"$work/hold"
# shellcheck disable=SC2016
"$perfex" --regions --json -o "$work/alive" sh -c '"$0" live-on <"$1" >"$2" & until [ -s "$2" ]; do sleep 0.1; done' \
	"$work/regions" "$work/hold" "$work/ready" >"$work/out" 2>&1 && [ ! -s "$work/out" ] && [ ! -e "$work/alive" ]
check "perfex: a process that lives on is left alone" $?
echo >&9
for _ in $(seq 200); do [ -s "$work/alive" ] || sleep 0.1; done
exec 9>&-
grep -q '{"region":"done","visits":2,' "$work/alive"
check "perfex: it reports by itself" $?
# If the kernel has lost notices nobody knows how many processes there were.
have python3 "perfex: more processes than notices" && {
says 0 '^all$' "$perfex" --regions python3 -c 'import os
directory = os.environ["PERFCTR_REGIONS_LEFT"]
for _ in range(int(open("/proc/sys/fs/inotify/max_queued_events").read()) // 2 + 1):
    open(directory + "/.a", "w").close()
    os.rename(directory + "/.a", directory + "/.b")
print("all")'
[ "$(wc -l <"$work/out")" = 1 ]
check "perfex: more processes than notices" $?
}
mkfifo "$work/fifo"
for signal in INT TERM HUP QUIT; do	# also where who died has left its report
	rm -f "$work/left" "$work/ended"
	env --default-signal=INT,QUIT,HUP "$perfex" --regions -o "$work/fifo" sh -c 'echo "$PERFCTR_REGIONS_LEFT" >"$1"; "$0" die; : >"$2"' "$work/regions" "$work/left" "$work/ended" 2>"$work/errors" &
	for _ in $(seq 300); do [ -e "$work/ended" ] || sleep 0.1; done
	# The command gets those that come before its end.
	for _ in $(seq 50); do
		sleep 0.2
		kill -s $signal $! 2>/dev/null || break
	done
	! kill -KILL $! 2>/dev/null
	gone=$?
	wait $! 2>/dev/null
	[ $? -gt 128 ] && [ $gone = 0 ]
	check "perfex: SIG$signal ends a wait for who reads the report" $?
	[ -s "$work/left" ] && [ ! -e "$(cat "$work/left")" ]
	check "perfex: SIG$signal leaves no directory" $?
done
says 125 "^perfex: -o: .* can't be written in $work/none: No such file" \
	"$perfex" --regions -o "$work/none/%p" "$work/regions" stray
mkdir "$work/gone"
says 125 "has no report of regions: .*/gone/x can.t be written: " \
	"$perfex" --regions -o "$work/gone/x" sh -c 'rmdir "$0"; "$1" stray' "$work/gone" "$work/regions"
[ "$(grep -c '^within: 1 visit$' "$work/out")" = 1 ]
check "perfex: a report that has lost its directory is not lost" $?
for_others
if ! others_run; then
	echo "SKIP perfex: another user's regions: needs root, and a perfex that others can reach"
elif [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	says 0 '^ *page-faults:u ' $nobody "$their_perfex" --regions -e page-faults "$work/regions" stray
	mkfifo -m 600 "$work/closed"
	says 125 "^perfex: -o: $work/closed can't be written: Permission denied" \
		$nobody "$their_perfex" --regions -o "$work/closed" "$work/regions" stray
	# His output goes to a file of another's, in a directory that he can't write in, which is no matter.
	says 0 '^{"type":"regions".*"region":"done"' $nobody "$their_perfex" --regions --json -o - "$work/regions" nothing
	$nobody "$their_perfex" --regions --json -o - "$work/regions" nothing | says 0 '^{"type":"regions".*"region":"done"' cat
	says 125 '^perfex: -o: /dev/stdout can.t be written: Bad file descriptor' \
		sh -c 'exec "$@" 1</dev/null' sh "$perfex" --regions -o - "$work/regions" nothing
	says 0 'page-fault-rate /s ' $nobody "$their_perfex" --regions -M page-fault-rate "$work/regions" stray
fi
says 125 'no command to run' "$perfex" --regions
says 127 'command not found' "$perfex" --regions "$work/none"
says 126 'Permission denied' "$perfex" --regions "$work/module.c"
says 125 '^perfex: --from needs files' "$perfex" --from
says 125 "-e can't be combined with --from" "$perfex" --from -e page-faults "$work/none"
says 125 'none is not a file of perfex --json: ' "$perfex" --from "$work/none"
[ -z "$(PERFCTR_REGIONS='' "$perfex" --version 2>&1 >"$work/out")" ]
check "nothing is reported of a program without regions" $?
# The library obeys perfex, not the environment; signals are the command's.
PERFCTR_REGIONS_METRICS=nonsense PERFCTR_REGIONS_KEEP=nonsense "$perfex" --regions "$work/regions" stray >"$work/out" 2>&1 &&
	grep -q 'ends had no begin' "$work/out" && ! grep -q nonsense "$work/out"
check "perfex: no variables of others" $?
for signal in HUP TERM; do
	rm -f "$work/ready" "$work/told"
	# Under nohup it would be ignored, and not passed on.
	env --default-signal=HUP "$perfex" --regions -o /dev/null sh -c "trap ': >$work/told; exit 7' $signal; : >'$work/ready'; sleep 20 & wait" 2>/dev/null &
	while [ ! -e "$work/ready" ]; do sleep 0.05; done
	kill -s $signal $!
	wait $!
	[ $? -lt 128 ] && [ -e "$work/told" ]
	check "perfex: SIG$signal is passed on to a command with regions" $?
done
# Ranks whose reports are known: 1, 2, 3 and 6 visits of "a", and one of "b" in one of them.
number=0
for visits in 1 2 3 6; do
	printf '{ "host": "h", "pid": %d, "rank": %d, "regions": [ { "region": "a", "visits": %d, "values": [
{ "value": "time", "unit": "ns", "inclusive": %d, "exclusive": 5, "quality": "exact" } ] },
{ "region": "a", "tid": 7, "visits": 1, "values": [
{ "value": "time", "unit": "ns", "inclusive": 1, "exclusive": 1, "quality": "exact" } ] }' $((number + 50)) $number $visits $((visits * 100)) >"$work/$number.json"
	[ $number != 2 ] || printf ', { "region": "b,\"", "visits": 1, "values": [
{ "value": "time", "unit": "ns", "inclusive": 0, "exclusive": 0, "quality": "not counted" } ] }' >>"$work/$number.json"
	echo ' ] }' >>"$work/$number.json"
	number=$((number + 1))
done
says 0 '^a,time,ns,inclusive,4,12,100,rank 0,300.000,600,rank 3,100.000,exact,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work"/[0-3].json
says 0 '^a,time,ns,exclusive,4,12,5,rank 0,5.000,5,rank 0,0.000,exact,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work"/[0-3].json
says 0 '^"b,""",time,ns,inclusive,1,1,0,rank 2,0.000,0,rank 2,0.000,not counted,0,0,0,0,0,0,0,3,0$' "$perfex" --from --csv "$work"/[0-3].json
says 0 '^  time ns: mean 300, imbalance 100.0%, exact$' "$perfex" --from "$work"/[0-3].json
says 0 '"maximum":600,"maximum_at":"rank 3","imbalance_percent":100.000' "$perfex" --from --json "$work"/[0-3].json
says 125 '1.json is of the same process' "$perfex" --from "$work/1.json" "$work/1.json"
sed 's/"rank": 1/"rank": 9/; s/"exact"/"\\u001b[1m,"/; s/"ns"/"\\u001b,"/' "$work/1.json" >"$work/hostile.json"
says 0 '^  time ?,: mean 200, imbalance 0.0%, ?\[1m,$' "$perfex" --from "$work/hostile.json"
says 0 '^a,time,".,",inclusive,1,2,200,rank 9,200.000,200,rank 9,0.000,".\[1m,",0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work/hostile.json"
says 0 '^a,time,ns,inclusive,2,4,200,rank 1,200.000,200,rank 1,0.000,' "$perfex" --from --csv "$work/1.json" "$work/hostile.json"
says 0 '^a,time,".,",inclusive,2,4,200,rank 9,' "$perfex" --from --csv "$work/hostile.json" "$work/1.json"
sed 's/"inclusive": 200/"inclusive": 1e308/' "$work/1.json" >"$work/wrong.json"
says 125 'wrong.json: line 2: a number is too big; reports of regions are written' "$perfex" --from "$work/wrong.json"
echo '{ "host": "h", "pid": 1 }' >"$work/wrong.json"
says 125 'wrong.json: line 1: regions; reports of regions are written' "$perfex" --from "$work/wrong.json"
for type in '"merged_regions"' '"counts"' null; do
	sed "1s/{/{ \"type\": $type,/" "$work/1.json" >"$work/wrong.json"
	says 125 'wrong.json has no reports of regions; --html FILE shows its results' "$perfex" --from "$work/wrong.json"
done
# The worst that a process says of its sum: an estimate is no more than one, what is neither stays.
for qualities in 'exact estimate exact estimate' 'estimate scaled exact scaled' 'scaled estimate stale scaled'; do
	number=0
	for quality in $qualities; do
		[ $number = 3 ] || sed "s/\"exact\"/\"$quality\"/" "$work/$number.json" >"$work/quality.$number"
		number=$((number + 1))
	done
	says 0 "^a,time,ns,inclusive,3,6,.*,$quality,0,0,0,0,0,0,0,0,0\$" "$perfex" --from --csv "$work"/quality.[0-2]
done
# In a file there is what is shown without one, and nothing is shown.
for format in '' --csv --json; do
	# shellcheck disable=SC2086
	"$perfex" --from $format "$work"/[0-3].json >"$work/shown" &&
		[ -z "$("$perfex" --from $format -o "$work/merged" "$work"/[0-3].json 2>&1)" ] &&
		cmp -s "$work/shown" "$work/merged"
	check "perfex: what is merged, in a file $format" $?
done
sed '1s/{/{ "type": "regions",/' "$work/1.json" >"$work/right.json"
says 0 '^a,time,ns,inclusive,1,2,200,rank 1,' "$perfex" --from --csv "$work/right.json"
echo '{' >"$work/wrong.json"
says 125 'wrong.json is not a file of perfex --json: line [12]: ' "$perfex" --from "$work/wrong.json"

# Metrics: a rank where one has no value, one that has a negative one; a metric with a value's name.
metrics='"metrics": [ { "metric": "time", "unit": "%%", "inclusive": %s, "exclusive": null, "quality": "%s", "reason": %s, "exclusive_reason": %s } ]'
number=0
for value in '2.5 exact null' 'null exact "it divides by 0"' '-0.5 scaled null'; do
	own='"it has nothing"'
	set -f
	IFS=' ' read -r inclusive quality reason <<-EOT
	$value
	EOT
	set +f
	# shellcheck disable=SC2059
	printf '{ "host": "h", "pid": 9, "rank": %d, "regions": [ { "region": "a", "visits": 2, "values": [
{ "value": "time", "unit": "ns", "inclusive": 7, "exclusive": 7, "quality": "exact" } ], '"$metrics"' } ] }\n' \
		$number "$inclusive" "$quality" "$reason" "$own" >"$work/metric.$number"
	number=$((number + 1))
done
says 0 '^a,time,%,inclusive,2,4,-0.500,rank 2,1.000,2.500,rank 0,150.000,scaled,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv \
	"$work/metric.0" "$work/metric.2"
says 0 '^a,time,%,inclusive,3,6,-0.500,rank 2,1.000,2.500,rank 0,150.000,it divides by 0,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work"/metric.[0-2]
says 0 '^a,time,%,exclusive,3,6,,,,,,,it has nothing,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work"/metric.[0-2]
says 0 '^a,time,ns,inclusive,3,6,7,rank 0,7.000,7,rank 0,0.000,exact,0,0,0,0,0,0,0,0,0$' "$perfex" --from --csv "$work"/metric.[0-2]
says 0 '^  time %: mean 1.000, imbalance 150.0%, scaled$' "$perfex" --from "$work/metric.0" "$work/metric.2"
says 0 '^  time %: it divides by 0$' "$perfex" --from "$work/metric.1"
have python3 "perfex: metrics that were merged, as JSON" && {
"$perfex" --from --json "$work/metric.1" | python3 -c 'import json, sys
[value, metric] = json.load(sys.stdin)["regions"]
assert metric["metric"] == "time" and metric["inclusive"] is None and metric["quality"] == "it divides by 0"
assert value["value"] == "time" and value["inclusive"]["maximum"] == 7'
check "perfex: metrics that were merged, as JSON" $?
}
sed 's/"inclusive": 2.5/"inclusive": "2.5"/' "$work/metric.0" >"$work/wrong.json"
says 125 'wrong.json: line 2: inclusive; reports of regions are written' "$perfex" --from "$work/wrong.json"
sed 's/"inclusive": 2.5/"inclusive": -1e308/' "$work/metric.0" >"$work/wrong.json"
says 125 'wrong.json: line 2: a number is too big; reports of regions are written' "$perfex" --from "$work/wrong.json"

# Reports in one file, of a program's images as of processes; what a report says of what is not in its sums.
said() {	# PID INCLUSIVE UNFINISHED UNCOUNTED STRAY LEFT-OUT WITHOUT-REGION STALE
	printf '{ "host": "h", "pid": %s, "rank": null, "regions": [ { "region": "a", "visits": 2, "unfinished": %s, "uncounted": %s,
"values": [ { "value": "time", "unit": "ns", "inclusive": %s, "exclusive": 1, "quality": "exact" } ] } ],
"ends_without_begin": %s, "threads_left_out": %s, "threads_stale": %s, "visits_without_region": %s }\n' "$1" "$3" "$4" "$2" "$5" "$6" "$8" "$7"
}
{ said 1 9007199254740993 3 4 5 6 7 8; said 1 9007199254740995 30 40 50 60 70 80; said 2 9007199254740995 0 0 null null null null; } >"$work/all.json"
says 0 '^a,time,ns,inclusive,3,6,9007199254740993,pid 1,.*,9007199254740995,pid 1,0.000,exact,33,44,55,66,88,77,1,0,0$' \
	"$perfex" --from --csv "$work/all.json"
[ "$("$perfex" --from "$work/all.json" | grep -E '^ *[0-9]+ ' | tr -s ' \n' ' ')" = \
	' 33 visits did not end 44 visits were not counted 55 ends had no begin. 66 threads could not be counted. 88 of these are stale: the program closed the descriptors of the counters. 77 visits were counted for no region. 1 process died; of it that is not known. ' ]
check "perfex: what processes say was not counted, merged" $?
# A region's visits are those of all that have it, whoever has its other values.
more='{ "value": "more", "unit": "", "inclusive": 1, "exclusive": 1, "quality": "exact" }'
{ said 1 7 3 4 0 0 0 0 | sed "s/\"exact\" }/&, $more/"; said 2 7 30 40 0 0 0 0; } >"$work/more.json"
[ "$("$perfex" --from "$work/more.json" | grep -E '^ *[0-9]+ ' | tr -s ' \n' ' ')" = \
	' 33 visits did not end 44 visits were not counted ' ]
check "perfex: visits of several values, merged" $?
# If all have died, numbers that nobody knows are told as such.
said 2 1 0 0 null null null null >"$work/one.json"
[ "$("$perfex" --from "$work/one.json" | grep -E '^ *[0-9]+ ' | tr '\n' ' ')" = \
	'0 ends had no begin. 0 threads could not be counted. 1 process died; of it that is not known. ' ]
check "perfex: what is not known, merged" $?
have python3 "perfex: the same, as JSON" && {
"$perfex" --from --json "$work/all.json" | python3 -c 'import json, sys
all = json.load(sys.stdin)
[value] = all["regions"]
assert [value[name] for name in ("visits", "unfinished", "uncounted")] == [6, 33, 44]
assert value["inclusive"]["minimum"] == 2**53 + 1 and value["exclusive"]["minimum"] == 1
assert [all[name] for name in ("processes", "ends_without_begin", "threads_left_out", "threads_stale", "visits_without_region", "processes_died", "children_left_out")] == [3, 55, 66, 88, 77, 1, 0]'
check "perfex: the same, as JSON" $?
}
said 2 1 -1 0 0 0 0 0 >"$work/wrong.json"
says 125 'wrong.json: line 1: a number is negative' "$perfex" --from "$work/wrong.json"
said 2 1 0 0 0 0 0 0 >"$work/one.json"
says 125 'one.json is of the same process' "$perfex" --from "$work/all.json" "$work/one.json"
"$perfex" --regions --json -o - sh -c '"$0" nothing; "$0" stray' "$work/regions" >"$work/all.json"
says 0 '^done,time,ns,inclusive,2,4,.*,estimate,0,0,2,0,0,0,0,0,0$' "$perfex" --from --csv "$work/all.json"

# As many regions as there may be, in two processes: a second, and not minutes.
for process in 1 2; do
	awk -v process=$process 'BEGIN { printf "{ \"host\": \"h\", \"pid\": %d, \"regions\": [", process
		for (i = 0; i < 16000; i++) {
			printf "%s{ \"region\": \"r%d\", \"visits\": 1, \"values\": [", i ? ", " : "", i
			for (k = 0; k < 5; k++)
				printf "%s{ \"value\": \"v%d\", \"unit\": \"\", \"inclusive\": %d, \"exclusive\": 0, \"quality\": \"exact\" }", k ? ", " : "", k, i
			printf "] }"
		}
		print "] }" }' >"$work/large.$process"
done
says 0 '^r15999,v4,,inclusive,2,2,15999,pid 1,15999.000,15999,pid 1,0.000,exact,0,0,0,0,0,0,0,0,0$' timeout 20 "$perfex" --from --csv \
	"$work/large.1" "$work/large.2"

# ---- LIKWID's markers ----
likwid() {	# COMPILER SOURCE OUTPUT FLAG...
	build "$@" -I"$srcdir/include/perfctr/likwid"
}
for language in c c++; do
	if [ $language = c++ ] && echo "$cc" | grep -q musl; then
		continue # it has no C++
	fi
	[ $language = c ] || have c++ "LIKWID's macros in c++" || continue
	compiler="$cc -std=c99 -D_GNU_SOURCE"
	[ $language = c ] || compiler="c++ -std=c++11 -x c++"
	likwid "$compiler" "$srcdir/tests/likwid.c" "$work/likwid" -DLIKWID_PERFMON &&
		got=$(PERFCTR_REGIONS=page-faults "$work/likwid" 2>/dev/null) &&
		[ "$(echo "$got" | head -n 3 | tr '\n' ' ')" = '1 5 1 1 1 0 0 ' ] &&
		[ "$(echo "$got" | visited | tr '\n' ' ')" = \
			'literal 1 variable 6 one 1 two 1 macro 1 early 2 amid 2 late 2 ' ] &&
		! echo "$got" | grep -q 'begin\|unfinished'
	check "LIKWID's macros in $language" $?
	[ "$("$work/likwid" 2>&1 | tr '\n' ' ')" = '0 0 1 0 0 0 0 ' ]
	check "LIKWID's macros in $language, where nothing is measured" $?
	likwid "$compiler" "$srcdir/tests/likwid.c" "$work/functions" -DFUNCTIONS &&
		PERFCTR_REGIONS=page-faults "$work/functions" >"$work/out" 2>/dev/null &&
		[ "$(head -n 3 "$work/out" | tr '\n' ' ')" = '1 5 1 1 1 0 0 ' ] &&
		[ "$(visited <"$work/out" | tr '\n' ' ')" = \
			'literal 1 variable 6 one 1 two 1 macro 1 early 2 amid 2 late 2 ' ] &&
		[ "$("$work/functions" 2>&1 | tr '\n' ' ')" = '0 0 1 0 0 0 0 ' ]
	check "LIKWID's functions in $language" $?
	likwid "$compiler" "$srcdir/tests/likwid.c" "$work/empty" && ! nm "$work/empty" | grep perfctr
	check "LIKWID's macros in $language, without LIKWID_PERFMON" $?
done
# One scope in another, and two in one block.
cat >"$work/scopes.c" <<'EOT'
#include <perfctr/regions.h>

PERFCTR_REGION(within, "within");
PERFCTR_REGION(done, "done");

int main(int argc, char **argv)
{
	PERFCTR_REGION_SCOPE(&done);
	PERFCTR_REGION_SCOPE(&within);

	while (argc-- > 0) {
		PERFCTR_REGION_SCOPE(&within);

		if (!argv)
			return 1;
	}
	return 0;
}
EOT
for language in c c++; do
	compiler="$cc -std=c99"
	[ $language = c ] || compiler="c++ -std=c++11 -x c++"
	case $language$cc in c++*musl*) continue ;; esac
	[ $language = c ] || have c++ "scopes in c++" || continue
	build "$compiler -Wshadow" "$work/scopes.c" "$work/scopes" &&
		PERFCTR_REGIONS='' "$work/scopes" 2>&1 | visited | tr '\n' ' ' >"$work/got"
	[ "$(cat "$work/got")" = 'done 1 within 2 ' ]
	check "scopes in $language: $(cat "$work/got")" $?
done
# A program of LIKWID's own, of Debian's package; it sleeps for 20 s, but for a sleep(3) of ours.
example=${LIKWID_EXAMPLES:-/usr/share/likwid/examples}/C-markerAPI.c
if echo "$cc ${CFLAGS:-}" | grep -q -e musl -e sanitize=thread; then
	: # musl's compiler has no OpenMP, and all of OpenMP is races to this sanitizer
elif [ -e "$example" ] && echo 'int main(void) { return 0; }' | $cc -fopenmp -x c - -o "$work/openmp" 2>/dev/null; then
	echo 'unsigned int sleep(unsigned int); unsigned int sleep(unsigned int s) { return 0 * s; }' >"$work/sleep.c"
	$cc -c "$work/sleep.c" -o "$work/sleep.o" &&
		likwid "$cc -std=gnu11" "$example" "$work/marker" -w -DLIKWID_PERFMON -fopenmp "$work/sleep.o" &&
		OMP_NUM_THREADS=3 PERFCTR_REGIONS=page-faults PERFCTR_REGIONS_OUTPUT="$work/markers" "$work/marker" \
			>"$work/out" &&
		grep -q '^example: 30 visits$' "$work/markers" &&
		[ "$(grep -c 'The region was called 10 times' "$work/out")" = 3 ] &&
		grep -q 'Region example measures 1 events' "$work/out"
	check "LIKWID's C-markerAPI.c" $?
else
	echo "SKIP LIKWID's C-markerAPI.c: no package likwid, or no OpenMP"
fi

# LIKWID's example in Fortran; its sleep is gfortran's, of 2 s.
example=${LIKWID_EXAMPLES:-/usr/share/likwid/examples}/F-markerAPI.F90
if echo "$cc ${CFLAGS:-}" | grep -q -e musl -e sanitize; then
	: # gfortran's libraries are the first C library's
elif [ -e "$example" ] && command -v gfortran >/dev/null; then
	directory=$srcdir/include/perfctr/likwid
	$cc -std=c99 ${CFLAGS:-} -Wall -Wextra -Werror -I"$srcdir/include" -c "$directory/likwid.c" -o "$work/likwid-c.o" &&
		gfortran -std=f2008 -Wall -Wextra -Werror -J"$work" -c "$directory/likwid.f90" -o "$work/likwid-f.o" &&
		gfortran -w -fopenmp -I"$work" "$example" "$work/likwid-f.o" "$work/likwid-c.o" $library -pthread -ldl \
			-o "$work/fortran" &&
		OMP_NUM_THREADS=3 PERFCTR_REGIONS=page-faults PERFCTR_REGIONS_OUTPUT="$work/markers" "$work/fortran" \
			>"$work/out" &&
		grep -q '^example: 3 visits$' "$work/markers" &&
		[ "$(grep -c 'The region was called 1 times' "$work/out")" = 3 ] &&
		[ "$(grep -c 'Region example measures 1 events' "$work/out")" = 3 ]
	check "LIKWID's F-markerAPI.F90" $?
else
	echo "SKIP LIKWID's F-markerAPI.F90: no package likwid, or no gfortran"
fi

# ---- PAPI's high level ----
papi() {	# OUTPUT FLAG...
	output=$1
	shift
	build "$cc -std=gnu11" "$srcdir/tests/papi.c" "$output" "$@" -I"$srcdir/include/perfctr/papi"
}
papi "$work/papi" -DOWN &&
	[ "$(PERFCTR_REGIONS=page-faults PERFCTR_REGIONS_OUTPUT="$work/papi.out" "$work/papi")" = '-1 -1 -1 0 0' ] &&
	[ "$(visited <"$work/papi.out" | tr '\n' ' ')" = 'whole 1 thread 3 outer 3 inner 3 early 1 late 1 ' ] &&
	[ "$("$work/papi")" = '0 0 -1 0 0' ]
check "PAPI's high level" $?
# Programs of PAPI's own, of Debian's package.
examples=${PAPI_EXAMPLES:-/usr/share/doc/papi-examples/examples}
if echo "$cc ${CFLAGS:-}" | grep -q -e musl -e sanitize; then
	: # as above; and their loops overflow integers
elif [ -e "$examples/ctests/serial_hl.c" ]; then
	for program in 'serial_hl do_flops:4' 'pthread_hl do_flops:8' 'omp_hl do_flops:4,do_flops_2:4'; do
		name=${program%% *}
		papi "$work/$name" -w -fopenmp -I"$examples/testlib" "$examples/ctests/$name.c" "$examples/testlib/do_loops.c" &&
			OMP_NUM_THREADS=2 PERFCTR_REGIONS=page-faults PERFCTR_REGIONS_OUTPUT="$work/$name.out" \
				timeout 100 "$work/$name" >/dev/null &&
			[ "$(visited <"$work/$name.out" | tr ' ' : | paste -sd ,)" = "${program#* }" ]
		check "PAPI's $name.c" $?
	done
else
	echo "SKIP PAPI's examples: no package papi-examples"
fi

# ---- a parallel job ----
export OMPI_CC="$cc"
if echo "$cc ${CFLAGS:-}" | grep -q -e musl -e sanitize; then
	: # Open MPI is the first C library's, and leaks
elif command -v mpicc >/dev/null && [ -e "$examples/ctests/mpi_hl.c" ]; then
	cc=mpicc papi "$work/mpi" -w -I"$examples/testlib" "$examples/ctests/mpi_hl.c" "$examples/testlib/do_loops.c" &&
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe -n 4 "$perfex" \
			--regions -e page-faults --json -o "$work/job.%q{OMPI_COMM_WORLD_RANK}" "$work/mpi" >"$work/out" 2>&1 &&
		"$perfex" --from --csv "$work"/job.[0-3] >"$work/merged" &&
		grep -q '^do_flops,time,ns,inclusive,4,4,[0-9]*,rank [0-3],[0-9.]*,[0-9]*,rank [0-3],[0-9.]*,estimate,0,0,0,0,0,0,0,0,0$' "$work/merged" &&
		grep -q '"rank":3,' "$work/job.3"
	status=$?
	[ $status = 0 ] || cat "$work/out"
	check "4 ranks of Open MPI" $status
else
	echo "SKIP ranks: no Open MPI"
fi
# Its ranks have so much to do, and are in both regions ten times.
if echo "$cc ${CFLAGS:-}" | grep -q -e musl -e sanitize; then
	: # as above
elif command -v mpicc >/dev/null; then
	build "mpicc -std=gnu11 -O2" "$srcdir/examples/mpi.c" "$work/mpi" &&
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe -n 4 "$perfex" \
			--regions --json -o "$work/rank.%q{OMPI_COMM_WORLD_RANK}" -e page-faults "$work/mpi" >"$work/out" 2>&1 &&
		"$perfex" --from --csv "$work"/rank.[0-3] >"$work/merged" &&
		[ "$(sed -n 's/^\([a-z]*\),time,ns,inclusive,4,\([0-9]*\),.*/\1 \2/p' "$work/merged" | paste -sd ,)" = \
			'compute 40,exchange 40' ] &&
		[ "$(cat "$work/out")" = 'the sum is 6.579715' ]
	status=$?
	[ $status = 0 ] || cat "$work/out" "$work/merged"
	check "examples/mpi.c, 4 ranks" $status
else
	echo "SKIP examples/mpi.c: no Open MPI"
fi

# ---- where nothing is measured ----
if echo "${CFLAGS:-}" | grep -q sanitize; then
	: # which valgrind can't run, and add instructions
elif command -v valgrind >/dev/null; then
	# Not every compiler's debugging information can be read by valgrind.
	[ ! -e "$lib/libperfctr.a" ] || library=$lib/libperfctr.a
	build "$cc -std=gnu11 -O2" "$srcdir/tests/regions.c" "$work/bare" && strip -g "$work/bare"
	instructions() {	# N
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/bare" many "$1" 2>&1 |
			sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
	}
	few=$(instructions 1000) more=$(instructions 11000)
	# Its loop has two.
	each=$(((more - few + 5000) / 10000))
	[ -n "$few" ] && [ "$each" -gt 0 ] && [ "$each" -le 12 ]
	check "begin and end where nothing is measured, and a loop: $each instructions" $?
	allocations() {	# CASE
		valgrind "$work/bare" "$1" 2>&1 | sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p'
	}
	[ "$(allocations stray)" = 0 ]
	check "nothing is allocated" $?
else
	echo "SKIP where nothing is measured: there is no valgrind"
fi
exit $failed
