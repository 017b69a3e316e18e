#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex by processor, core, socket, core type and cgroup; several processes and threads; when counting starts
# and ends; and what --strict and --append make of it. Software events, which every machine has.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel

# ---- one part each, and the sum of them ----
read_json='import json, sys
d = [json.loads(line) for line in open(sys.argv[1])]
def sums(d, name):
    for i, event in enumerate(d["events"]):
        for key in "value", "enabled_ns", "running_ns":
            assert event[key] == sum(part["events"][i][key] for part in d[name]), (event, d[name])
'
if "$perfex" -a -e cs true 2>/dev/null; then
	online=$(getconf _NPROCESSORS_ONLN)
	"$perfex" -a --per=cpu --json -o "$work/cpu" -e task-clock,page-faults sleep 0.05
	says "processors add up" "$read_json
assert [p['cpu'] for p in d[0]['by_cpu']] == list(range($online)), d
assert 'values' in d[0]['events'][0] and 'values' not in d[0]['by_cpu'][0]['events'][0], d
sums(d[0], 'by_cpu')" "$work/cpu"
	"$perfex" -a -A -I 20 --json -o "$work/ticks" -e cpu-clock,cs sleep 1
	says "processors add up in each interval" "$read_json
assert len(d) > 3 and all(len(x['by_cpu']) == $online for x in d), d
for x in d: sums(x, 'by_cpu')
for k in range($online):
    for i in 0, 1:
        assert d[-1]['by_cpu'][k]['events'][i]['value'] == sum(
            x['by_cpu'][k]['events'][i]['value'] for x in d[:-1]), d" "$work/ticks"
	for by in core socket type unit; do
		"$perfex" -a --per=$by --json -o "$work/$by" -e cs sleep 0.02
		says "each $by" "$read_json
assert sum(p['cpus'] for p in d[0]['by_$by']) == $online, d
sums(d[0], 'by_$by')" "$work/$by"
	done
	expect "cores, csv" 0 '^S[0-9]*-D[0-9]*-C[0-9]*,[0-9]*,[0-9]*,[0-9]*,,cs,exact,' \
		"$perfex" -a --per=core --csv -e cs true
	expect "sockets, csv, intervals" 0 '^time_s,socket,cpus,value,scaled,unit,event,' \
		"$perfex" -a --per=socket --csv -I 20 -e cs sleep 0.05
	expect "the sum of an interval" 0 '^[0-9]*\.[0-9]*,total,,[0-9]*,[0-9]*,,cs,exact' cat "$work/out"
	expect "processors, a table" 0 '^ CPU0  *[0-9.]* msec  *cpu-clock  *[0-9.]* CPUs utilized$' \
		"$perfex" -a -A -e cpu-clock sleep 0.02
	expect "processors, a table of intervals" 0 '^ *[0-9]*\.[0-9]* CPU0  *[0-9.]* msec  *cpu-clock  *[0-9.]* CPUs' \
		"$perfex" -C 0 -A -I 20 -e cpu-clock sleep 0.05
	# Where processors are, a made-up root says; what counts there are real.
	place() {	# CPU SOCKET DIE CORE
		at=$work/root/sys/devices/system/cpu/cpu$1/topology
		mkdir -p "$at"
		printf '%s\n' "$2" >"$at/physical_package_id"
		printf '%s\n' "$3" >"$at/die_id"
		printf '%s\n' "$4" >"$at/core_id"
	}
	cpu=0
	while [ $cpu -lt "$online" ]; do
		place $cpu 3 $((cpu % 2)) $((cpu / 2 + 40))
		cpu=$((cpu + 1))
	done
	at_root() { PERFCTR_ROOT="$work/root" "$perfex" "$@"; }
	expect "a made-up core" 0 '^S3-D0-C40,1,' at_root -C 0 --per=core --csv -e cs true
	expect "a made-up socket" 0 "^S3,1,.*,,cs,exact" at_root -C 0 --per=socket --csv -e cs true
	rm "$at/die_id" 2>/dev/null
	rm -f "$work/root/sys/devices/system/cpu/cpu0/topology/die_id"
	expect "a kernel without dies" 0 '^S3-D0-C40,1,' at_root -C 0 --per=core --csv -e cs true
	place 0 -1 0 7
	expect "a socket that is not known" 0 '^S-1,1,' at_root -C 0 --per=socket --csv -e cs true
	for bad in '' x 1x ' 1' -2 1234567890 9999999999999999999999999999999999999999999 "$(printf '1\n2')"; do
		place 0 0 0 "$bad"
		expect "a core's number \"$(echo "$bad" | tr '\n' '/')\"" 125 'core_id does not hold a number' \
			at_root -C 0 --per=core -e cs echo ran
	done
	: >"$work/root/sys/devices/system/cpu/cpu0/topology/core_id"
	expect "a core's number is empty" 125 'does not hold a number' at_root -C 0 --per=core -e cs true
	rm "$work/root/sys/devices/system/cpu/cpu0/topology/core_id"
	expect "a core's number is missing" 125 "can't tell where processor 0 is" at_root -C 0 --per=core -e cs true
	mkfifo "$work/root/sys/devices/system/cpu/cpu0/topology/core_id"
	expect "a core's number is a pipe" 125 'does not hold a number' at_root -C 0 --per=core -e cs true
	# Two core types, of which each has a part of the processors.
	if [ "$online" -gt 1 ]; then
		pmus=$work/root/sys/bus/event_source/devices
		for pmu in cpu_core cpu_atom; do
			mkdir -p "$pmus/$pmu/format" "$pmus/$pmu/events"
			echo 1 >"$pmus/$pmu/type"
			echo config:0-7 >"$pmus/$pmu/format/event"
		done
		echo 0 >"$pmus/cpu_core/cpus"
		echo 1-8191 >"$pmus/cpu_atom/cpus"
		expect "core types" 0 '^cpu_core,1,' at_root -a --per=type --csv -e cpu-clock true
		expect "the other core type" 0 "^cpu_atom,$((online - 1))," cat "$work/out"
		rm -r "$pmus"
	fi
	# Cgroups.
	for cgroups in /sys/fs/cgroup/perf_event /sys/fs/cgroup /sys/fs/cgroup/unified; do
		mkdir "$cgroups/perfex-a-$$" "$cgroups/perfex-b-$$" 2>/dev/null || continue
		if "$perfex" -G "$cgroups/perfex-a-$$" -e cs true 2>/dev/null; then
			expect "several cgroups" 0 "^/perfex-b-$$,[0-9]*,[0-9]*,,cs,exact" \
				"$perfex" --csv -G "/perfex-a-$$" -G "/perfex-b-$$" -e cs true
			expect "several cgroups, the sum" 0 '^total,[0-9]*,[0-9]*,,cs,exact' cat "$work/out"
			expect "several cgroups, a table" 0 "counts of cgroups /perfex-a-$$, /perfex-b-$$:" \
				"$perfex" -G "/perfex-a-$$" -G "/perfex-b-$$" -e cs true
			expect "a cgroup by processor" 0 '^0,[0-9]*,[0-9]*,,cs,exact' \
				"$perfex" -A --csv -G "/perfex-a-$$" -e cs true
		fi
		rmdir "$cgroups/perfex-a-$$" "$cgroups/perfex-b-$$"
		break
	done
else
	skip "processors" "they can't be counted here"
fi
expect "one core type" 0 '^cpu,0,' "$perfex" --per=type --csv -e task-clock true
expect "units" 0 '^pmu,cpus,value,scaled,' "$perfex" --per=unit --csv -e task-clock true
expect "what has none" 0 '^other,0,[0-9]*,[0-9.]*,msec,task-clock' cat "$work/out"
expect "a command's processors" 125 'needs -a, -C or -G' "$perfex" -A true
expect "a process's cores" 125 'needs -a, -C or -G' "$perfex" --per=core -p $$ true
expect "two ways to sum up" 125 "--per=core and --per=socket can't be combined" \
	"$perfex" -a --per=core --per=socket true
expect "a cgroup in another" 125 'would be counted twice' "$perfex" -G a -G a/b true
expect "a cgroup in another, with a slash" 125 'would be counted twice' "$perfex" -G a/ -G a/b true
expect "a cgroup before another, with a slash" 125 'would be counted twice' "$perfex" -G a/b -G a// true
expect "a cgroup twice" 125 'would be counted twice' "$perfex" -G a/ -G a true

# ---- several processes and threads ----
sleep 3 &
one=$!
sleep 3.5 &
two=$!
"$perfex" -p $one,$two --json -o "$work/two" -e task-clock
# A process that has ended waits for this shell.
left=$(sed -n 's/.*) \([^Z]\) .*/\1/p' /proc/$one/stat /proc/$two/stat 2>/dev/null)
says "several processes, until the last one ends" "$read_json
assert d[0]['pids'] == [$one, $two] and '$left' == '' and d[0]['elapsed_s'] < 60, d" "$work/two"
expect "processes by two options" 0 'counts of processes' "$perfex" -p $$ -p $PPID -e task-clock true
expect "a process twice" 125 "-p names $$ twice" "$perfex" -p $$,$$ true
expect "processes and threads" 125 'exclude each other' "$perfex" -p $$ -t $$ true
expect "a thread" 0 "counts of thread $$:" "$perfex" -t $$ -e task-clock true
"$perfex" -t $$ --timeout 20 --json -o "$work/one" -e task-clock
"$perfex" -p $$ --timeout 20 --append --json -o "$work/one" -e task-clock
says "a thread and a process, json" "$read_json
assert d[0]['tid'] == $$ and 'pid' not in d[0] and d[1]['pid'] == $$ and 'tid' not in d[1], d
assert 'user_s' not in d[0] and 'exit_status' not in d[0], d" "$work/one"
expect "threads, each of them" 0 " thread $$ (" "$perfex" --per=thread -t $$,$PPID -e task-clock true
expect "a bad list of processes" 125 'with commas between them' "$perfex" -p 1,,2 true
expect "a bad list of threads" 125 '-t takes a number' "$perfex" -t 1, true
expect "no such thread" 125 'no thread 999999' "$perfex" -t 999999 -e cs true
sleep 3 &
expect "a thread's end" 0 'elapsed' timeout 60 "$perfex" -t $! -e cs

# ---- when ----
# Work before the end of the delay is not counted.
# shellcheck disable=SC2016
work_first='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 3.5'
all=$("$perfex" --csv -e task-clock sh -c "$work_first" 2>&1 | sed -n 's/,[0-9.]*,msec,task-clock,exact.*//p')
late=$("$perfex" --csv --delay 3000 -e task-clock sh -c "$work_first" 2>&1 |
	sed -n 's/,[0-9.]*,msec,task-clock,exact.*//p')
if [ "${late:-$all}" -lt $((${all:-0} / 4)) ]; then pass "a delay"; else
	echo "$late of $all" >"$work/out"
	fail "a delay" "counted"
fi
expect "a delay that is too long" 0 'the command ended before the delay did' \
	"$perfex" --delay 5000 -e task-clock true
expect "a delay, strictly" 124 'task-clock is not exact' "$perfex" --strict --delay 5000 -e task-clock true
expect "a process after a delay" 0 'task-clock' "$perfex" -D 20 -p $$ -e task-clock sleep 0.1
# It elapses from the delay's end, and whoever is busy elsewhere comes late.
elapsed='^ \(0\.[1-9][0-9]*\|[1-9]\.[0-9]*\) s elapsed'
expect "a timeout" 0 "$elapsed" "$perfex" --timeout 100 -e cs sleep 60
expect "a timeout, a process" 0 "$elapsed" "$perfex" --timeout 100 -e task-clock -p $$
"$perfex" --delay 3000 --timeout 100 --json -o "$work/late" -e task-clock sleep 60
says "a timeout after a delay" "$read_json
assert 0.1 <= d[0]['elapsed_s'] < 3, d" "$work/late"
expect "a timeout of each run" 0 'mean of 3 runs:$' "$perfex" -r 3 --timeout 30 -e cs sleep 30
expect "a timeout, json" 0 '"signal":15,"timed_out":true}' "$perfex" --json --timeout 30 -e cs sleep 30
expect "a timeout, intervals" 0 'elapsed' "$perfex" -I 20 --timeout 90 -e cs sleep 30
expect "a command that ends in time" 3 'cs' "$perfex" --timeout 20000 -e cs sh -c 'exit 3'
expect "a timeout of traced threads" 125 '--per=thread traces the command; leave out --' \
	"$perfex" --per=thread --timeout 10 true

# ---- --strict ----
expect "all is exact" 0 'task-clock' "$perfex" --strict -e task-clock,page-faults true
expect "strict, a failing command" 7 'not exact' "$perfex" --strict -e nonsense/x/ sh -c 'exit 7'
expect "nothing is counted" 124 'nonsense/x/ is not exact: this machine has no PMU' \
	"$perfex" --strict -e nonsense/x/ true
expect "one is not counted" 124 'not exact' "$perfex" --strict -e cs,nonsense/x/ true
expect "strict, several runs" 124 'not exact' "$perfex" --strict -r 2 -e cs,nonsense/x/ true

# ---- CSV: each row has the columns of the header, and each column has one name ----
squares="import csv, sys
header, *rows = csv.reader(open(sys.argv[1]))
assert rows and len(set(header)) == len(header), (header, rows)
assert all(len(row) == len(header) for row in rows), (header, rows)
assert all(dict(zip(header, row))['event'] in sys.argv[2].split(',') for row in rows), (header, rows)
assert {'level', 'parent'} <= set(header) or '-M' not in sys.argv[3], header"
while read -r what; do
	case $what in
	*-a* | *-C*) "$perfex" -a -e cs true 2>/dev/null || { skip "columns of $what" "needs root"; continue; } ;;
	esac
	rm -f "$work/square"
	# shellcheck disable=SC2086
	"$perfex" --csv -o "$work/square" -e cs,page-faults,nonsense/x/ $what sleep 0.1 2>"$work/out" </dev/null
	says "columns of $what" "$squares" "$work/square" cs,page-faults,nonsense/x/,page-fault-rate,task-clock "$what"
done <<'EOT'
--strict
-r 3
-I 30
--per=thread
-a
-a -A
-a -A -I 30
-a --per=core
-a --per=socket -I 30
-C 0
-C 0 -A
-p 1
-M page-fault-rate
-M page-fault-rate -r 2
-M page-fault-rate -a -A -I 30
EOT

# ---- --append ----
echo first >"$work/grows"
for format in csv json; do
	rm -f "$work/$format"
	for _ in 1 2 3; do "$perfex" --append --$format -e cs -o "$work/$format" true; done
done
expect "csv after csv has one header" 0 '^1 3$' sh -c \
	"echo \$(grep -c '^value,' '$work/csv') \$(grep -c '^[0-9]*,[0-9]*,,cs,exact' '$work/csv')"
says "json after json" "$read_json
assert len(d) == 3 and all(x['events'][0]['event'] == 'cs' for x in d)" "$work/json"
expect "a table after what there was" 0 '^first$' sh -c \
	"'$perfex' --append -e cs -o '$work/grows' true && grep -q 'counts of' '$work/grows' && cat '$work/grows'"
expect "intervals after what there was" 0 '^first$' sh -c \
	"'$perfex' --append -I 20 -e cs -o '$work/grows' sleep 0.05 && cat '$work/grows'"
expect "append to nothing" 125 "--append needs -o" "$perfex" --append -e cs true
expect "append to a terminal" 125 "--append needs -o FILE (not -)" "$perfex" --append -o - -e cs true
expect "append, a failed start" 127 'not found' "$perfex" --append -o "$work/grows" nonexistent-command
expect "append keeps the file" 0 '^first$' cat "$work/grows"

# ---- repetition ----
# shellcheck disable=SC2016
failing='echo >>"$0"; test $(wc -l <"$0") != 2 || exit 9'
"$perfex" -r 4 --json -o "$work/series" -e page-faults sh -c "$failing" "$work/lines"
says "the runs of a series" "$read_json
d = d[0]
e = d['events'][0]
assert d['runs'] == 4 and d['failed_runs'] == d['left_out_runs'] == 1 and len(e['values']) == 4, d
assert [x['exit_status'] for x in d['series']] == [0, 9, 0, 0], d
assert e['values'][1] is None and e['runs'] == 3, e
v = sorted(x for x in e['values'] if x is not None)
assert e['minimum'] == v[0] and e['maximum'] == v[2] and e['median'] == v[1], e
assert abs(e['mean'] - sum(v) / 3) < 1e-3 and e['value'] == e['estimate'] == int(e['mean'] + 0.5), e
t = [x['elapsed_s'] for x in d['series'] if not x.get('left_out')]
assert len(t) == 3 and abs(d['elapsed']['mean'] - sum(t) / 3) < 2e-6 and abs(d['elapsed']['maximum'] - max(t)) < 1e-6, d
o = d['origin']
assert o['time'].endswith('Z') and o['perfex'] and o['kernel'] and o['host'], o
assert 'rank' not in o" "$work/series"
rm "$work/lines"
expect "the run that failed" 9 '^ 1 of 4 runs failed, left out: run 2 with exit status 9$' \
	"$perfex" -r 4 -e cs sh -c "$failing" "$work/lines"
for rank in PMIX_RANK PMI_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID MV2_COMM_WORLD_RANK PALS_RANKID FLUX_TASK_RANK ALPS_APP_PE; do
	expect "the rank in $rank" 0 '"rank":17,' env $rank=17 "$perfex" --json -e cs true
done
expect "the rank by two launchers" 0 '"rank":1,' env PMIX_RANK=2 OMPI_COMM_WORLD_RANK=1 "$perfex" --json -e cs true
expect "a rank that is no number" 0 '"host":"[^"]*","perfex"' env PMI_RANK=abc "$perfex" --json -e cs true
expect "where, when, what, csv" 0 '^[0-9]*,[0-9]*,,cs,exact,[0-9]*,[0-9]*,,20[-0-9T:]*Z,[^,]*,17,[^,]*,[^,]*,"sh -c : ""a, b"""$' \
	env PMI_RANK=17 "$perfex" --csv -e cs sh -c ': "a, b"'
exit $failed
