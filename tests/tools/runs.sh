#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests perfex while a command runs: signals that it passes on, the end of the time, intervals, and the times
# that it tells. Nothing here depends on how fast the machine is: commands wait for what they are to see.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
command -v python3 >/dev/null || { echo "SKIP signals, times and intervals: they need python3"; exit 77; }
# The interpreter itself: a script in its place (pyenv) has times of its own, and begins late on a busy machine.
python=$(python3 -c 'import sys; print(sys.executable)')
# A command in a shell's background ignores SIGINT and SIGQUIT, and under nohup SIGHUP.
perfex_as_usual="env --default-signal=INT,QUIT,HUP $perfex"

# A command that notes each signal, and ends when it is told to.
cat >"$work/noting.py" <<'EOP'
import os, signal, sys, time
log, until, status = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.argv[2], int(sys.argv[3])
for name in 'TERM', 'HUP', 'USR1':
    signal.signal(getattr(signal, 'SIG' + name), lambda number, frame, name=name: os.write(log, name.encode() + b'\n'))
os.write(log, b'ready\n')
while not os.path.exists(until):
    time.sleep(0.01)
time.sleep(0.05)
sys.exit(status)
EOP
noting="$python $work/noting.py"
wait_for() {	# FILE WORDS: until the file has them
	tries=0
	until grep -q -e "$2" "$1" 2>/dev/null || [ $tries = 1000 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}

# ---- signals ----
for signal in TERM HUP; do
	rm -f "$work/log" "$work/end"
	$perfex_as_usual -e page-faults -r 3 $noting "$work/log" "$work/end" 0 >"$work/table" 2>&1 &
	measuring=$!
	wait_for "$work/log" ready
	kill -$signal $measuring
	wait_for "$work/log" $signal
	touch "$work/end"
	wait $measuring 2>/dev/null
	status=$?
	expect "SIG$signal is passed on, once" 0 "^ready $signal \$" sh -c "tr '\\n' ' ' <'$work/log'; echo"
	# That the command has taken it, and ended well, changes nothing: more runs are not wanted.
	expect "SIG$signal: no other run" 0 "^ counts of '[^']*':\$" cat "$work/table"
	expect "SIG$signal: the command's status" 0 '^0$' echo $status
done
rm -f "$work/log" "$work/end"
$perfex_as_usual -e page-faults -r 2 $noting "$work/log" "$work/end" 0 >"$work/table" 2>&1 &
measuring=$!
wait_for "$work/log" ready
touch "$work/end"
wait $measuring 2>/dev/null
expect "without a signal there is another run" 0 'mean of 2 runs:' cat "$work/table"

# ---- the end of the time ----
# A command that does not end at SIGTERM is told once, and counted on.
rm -f "$work/log" "$work/end"
(wait_for "$work/log" TERM; sleep 0.3; touch "$work/end") &
expect "the time is up" 5 'page-faults' "$perfex" --timeout 3000 -e page-faults $noting "$work/log" "$work/end" 5
wait $!
expect "the time is up: told once" 0 '^ready TERM $' sh -c "tr '\\n' ' ' <'$work/log'; echo"
expect "the time is up: with intervals" 0 '^ *[0-9.]*  *[0-9,]*  *page-faults' "$perfex" --timeout 50 -I 20 -e page-faults sleep 60
expect "a command that ends before its time is up" 3 'page-faults' "$perfex" --timeout 60000 -e page-faults sh -c 'exit 3'

# ---- the beginning of the time ----
expect "the delay is longer than the command" 0 '^ 0.000000 s elapsed, ' "$perfex" --delay 60000 -e page-faults true
expect "the delay is longer than the command: why" 0 'the command ended before the delay did' cat "$work/out"
sleep 3 &	# until after perfex has begun, also where that takes long
expect "the delay is longer than the process" 0 'it was over before the delay was' "$perfex" --delay 60000 -e page-faults -p $!
# An error of one run is not the next one's.
# shellcheck disable=SC2016
expect "the delay is longer than the first run" 0 '(counted in 1 of 2 runs)' "$perfex" -r 2 --delay 2000 -e page-faults \
	sh -c 'test ! -e "$0" || exec sleep 3; : >"$0"' "$work/second"
"$perfex" --delay 100 --json -o "$work/json" -e task-clock sh -c 'sleep 2'
says "what elapses is counted from the delay's end" '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["elapsed_s"] >= 0.3 and d["events"][0]["quality"] == "exact", d
' "$work/json"

# ---- times ----
# Those of the command, as it sees them itself, give or take its end.
cat >"$work/times.py" <<'EOP'
import resource, sys, time
begin = time.monotonic()
while resource.getrusage(resource.RUSAGE_SELF).ru_utime < 0.3:
    sum(range(10000))
while resource.getrusage(resource.RUSAGE_SELF).ru_stime < 0.15:
    open('/dev/zero', 'rb').read(1 << 20)
usage = resource.getrusage(resource.RUSAGE_SELF)
with open(sys.argv[1], 'a') as file:
    print(usage.ru_utime, usage.ru_stime, time.monotonic() - begin, file=file)
EOP
"$perfex" -r 2 --json -o "$work/json" -e page-faults "$python" "$work/times.py" "$work/own"
says "user, system and elapsed seconds" '
import json, sys
d, own = json.load(open(sys.argv[1])), [[float(x) for x in line.split()] for line in open(sys.argv[2])]
assert len(d["series"]) == len(own) == 2, d
mean = [sum(run[i] for run in own) / 2 for i in range(3)]
for name, value in ("user_s", mean[0]), ("sys_s", mean[1]), ("elapsed_s", mean[2]):
    assert value <= d[name] + 1e-4 and d[name] < value + 60, (name, d[name], value)
assert d["user_s"] < mean[0] + 0.1 and d["sys_s"] < mean[1] + 0.1, d
' "$work/json" "$work/own"

# ---- intervals ----
# The last one is as long as what is left.
expect "what is left of an interval is one" 0 '^[0-9]\.[0-9]*,[1-9].*,page-faults,exact,' "$perfex" --csv -I 60000 -e page-faults true
expect "what is left of an interval, of a process" 0 '^[0-9]\.[0-9]*,.*,page-faults,exact,' \
	"$perfex" --csv -p $$ --timeout 50 -I 60000 -e page-faults
# No descriptor tells of a thread's end, so that perfex looks for it, but not past the end of an interval.
"$perfex" -t $$ -I 10 --timeout 2000 --csv -o "$work/csv" -e cs
expect "short intervals, of a thread" 0 '^enough$' sh -c "test \$(grep -c ',cs,' '$work/csv') -gt 12 && echo enough"
# Those for which perfex could not run are left out, and not made up for in a burst.
"$perfex" -I 20 --csv -o "$work/csv" -e task-clock sleep 60 &
measuring=$!
wait_for "$work/csv" task-clock
kill -STOP $measuring
sleep 1
kill -CONT $measuring
sleep 0.3
kill -TERM $measuring
wait $measuring 2>/dev/null
says "no burst of intervals after a pause" '
import csv, sys
times = [float(row["time_s"]) for row in csv.DictReader(open(sys.argv[1]))]
steps = [b - a for a, b in zip(times, times[1:])]
pause = max(steps)
assert pause > 0.9, steps
after = [t for t in times if t >= times[steps.index(pause) + 1]]
# 50 were left out: in 5 ms there is room for one, or two.
assert sum(t < after[0] + 0.005 for t in after) <= 2, after
' "$work/csv"
expect "intervals have one header" 0 '^1$' grep -c '^time_s,' "$work/csv"
"$perfex" --append -I 20 --csv -o "$work/csv" -e task-clock sleep 0.1
"$perfex" --append --csv -o "$work/rows" -e task-clock true
"$perfex" --append --csv -o "$work/rows" -e task-clock true
expect "rows that are appended have no other header" 0 '^1$' grep -c '^value,' "$work/rows"
expect "rows that are appended" 0 '^3$' sh -c "wc -l <'$work/rows'"
expect "intervals that are appended have no other header" 0 '^1$' grep -c '^time_s,' "$work/csv"
"$perfex" -I 10 --csv -o "$work/csv" -e cpu-clock,task-clock sleep 0.5
says "intervals are what was counted in them" '
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["event"] == "task-clock"]
assert len(rows) > 1, rows
# All of it once: a command that sleeps has not run for as long as it took.
assert sum(int(row["value"]) for row in rows) < 0.3e9, rows
assert all(int(row["running_ns"]) <= int(row["enabled_ns"]) for row in rows), rows
assert sum(int(row["enabled_ns"]) for row in rows) < 0.3e9, rows
' "$work/csv"
exit $failed
