#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex and perfctr-info on this machine: output, exit status, and every kind of bad input.
# The environment: PERFEX, PERFCTR_INFO, REFUSE: the programs.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
for_others
info=${PERFCTR_INFO:-./perfctr-info} refuse=${REFUSE:-tests/tools/refuse}

expect "software events" 0 'page-faults' "$perfex" -e task-clock,page-faults true
expect "the default events" 0 'branch-misses' "$perfex" true
expect "a clock in capitals" 0 'msec  *TASK-CLOCK' "$perfex" -e TASK-CLOCK true
# perf takes these; they say nothing.
for clock in task-clock:u cpu-clock:uk '{task-clock:u,page-faults}' 'page-faults:u, cpu-clock:h '; do
	expect "a clock's modes: $clock" 0 ' msec  *[a-z]*-clock ' "$perfex" -e "$clock,page-faults" true
	expect "a clock's modes: $clock: what it counts" 0 '^perfex: [^ ]* counts in all modes, as [a-z]*-clock: ' cat "$work/out"
done
expect "a clock's modes: no others' are left out" 0 ' page-faults:u ' "$perfex" -e task-clock:u,page-faults:u true
expect "a clock's modes: of samples they say something" 0 'samples of cpu-clock:u' "$perfex" --sample -e cpu-clock:u true
expect "a clock's other modifiers" 125 '^perfex: ' "$perfex" -e task-clock:up true
expect "exit status" 3 'task-clock' "$perfex" -e task-clock sh -c 'exit 3'
expect "signal" 143 'task-clock' sh -c "'$perfex' -e task-clock sh -c 'kill -TERM \$\$'"
expect "a command's options are its own" 0 'hello -e' "$perfex" -e cs echo hello -e
expect "blanks" 0 'page-faults' "$perfex" -e ' { task-clock , page-faults } , cs' -e ' cs' true
expect "group" 0 'page-faults' "$perfex" -e '{task-clock,page-faults},cs' true
expect "csv" 0 '^\([0-9]*\),\1,,page-faults,exact,' "$perfex" --csv -e page-faults true
expect "a list of metrics" 0 '= cycles / task-clock' "$perfex" -M list
expect "a threshold" 0 '^  *threshold: topdown-core > 10 & topdown-backend > 20$' "$perfex" --cpu skylake -M list
expect "another processor's metrics" 0 '^  ipc  *instructions retired' "$perfex" --cpu zen4 -M list
expect "metrics" 0 '^ .* frequency' "$perfex" -M ipc,frequency true
expect "PAPI's presets" 0 '^  PAPI_L1_TCM  *preset  *misses of .*: L1D:REPLACEMENT + L2_RQSTS:ALL_CODE_RD$' "$perfex" --cpu skylake -l papi_l1
expect "PAPI's presets: a formula is not an event" 125 'is a formula here, not an event' "$perfex" --cpu skylake -e PAPI_L1_TCM
expect "LIKWID's groups" 0 '^  flops_dp-rate  *GFLOP/s  *floating-point operations in a thread' "$perfex" --cpu skylake -M list
expect "LIKWID's groups: by name" 0 ' branch-instructions ' "$perfex" -M BRANCH true
expect "LIKWID's groups: memory" 0 ' mem-bandwidth ' "$perfex" -M MEM true
# The first one that is a formula on this processor or, if it has none, on the one that valgrind shows.
for run in "$perfex" over_valgrind; do
	formula=$("$run" -M list 2>/dev/null | awk '/^  PAPI_/ { name = $1 } /^ *= .* [-+] / && name { print name; exit } /^  [a-z]/ { name = "" }')
	[ -z "$formula" ] || break
done
if [ "$formula" ]; then
	expect "PAPI's presets: -e takes formulas" 0 ",[0-9.]*,,$formula," "$run" --csv -e "cs,$formula,faults" true
	expect "PAPI's presets: and the others" 0 '^[0-9]*,[0-9]*,,faults,' cat "$work/out"
	expect "PAPI's presets: but no modifiers of them" 125 'is a formula here, not an event' "$run" -e "$formula:u" true
	expect "PAPI's presets: nor in groups" 125 'is a formula here, not an event' "$run" -e "{cs,$formula}" true
else
	skip_processor "PAPI's presets that are formulas, after -e"
fi
expect "metrics after events" 0 'page-faults' "$perfex" -e page-faults -M IPC true
expect "metrics, csv" 0 '^,[0-9.]*,GHz,frequency,' "$perfex" --csv -M frequency true
expect "metrics, json" 0 ',"metrics":\[{"metric":"ipc","value":[0-9.nul]*,"unit":"","quality":"' "$perfex" --json -M ipc true
expect "metrics, intervals" 0 '^ *0\.[0-9]* .* ipc' "$perfex" -I 20 -M ipc sleep 0.1
if "$perfex" --csv -e cycles:u true 2>&1 | grep -q 'cycles:u,not counted'; then
	expect "--why without a PMU: a sentence, and the command does not run" 125 "^perfex: --why counts what the processor does, and here it can't: [^ ]" \
		"$perfex" --why touch "$work/ran"
	expect "it did not run" 1 '^$' sh -c "echo; test -e '$work/ran'"
	if find_tree; then
		expect "--why=tree without a PMU runs once" 0 '^  *<not counted>  *topdown-\|^  *<not counted>  *tma_' "$run" --why=tree true
	else
		skip_processor "--why=tree without a PMU"
	fi
fi
expect "intervals" 0 'task-clock' "$perfex" -I 20 -e task-clock sleep 0.1
expect "repeats, csv" 0 '^\([0-9]*\),\1,,cs,exact,.*,,[0-9.]*,[0-9.]*,3,[0-9]*,[0-9.]*,[0-9]*,0,[0-9.]*,[0-9.]*,20[0-9T:-]*Z,.*,true$' "$perfex" -r 3 --csv -e cs true
expect "repeats" 0 'mean of 3 runs:' "$perfex" -r 3 -e page-faults true
# shellcheck disable=SC2016
failing='echo >>"$0"; test $(wc -l <"$0") != 2 || exit 9'
expect "around each run" 0 '^ pre run post pre run post$' sh -c \
	"echo \$('$perfex' -r 2 --pre 'echo pre' --post 'echo post' -o /dev/null -e cs echo run) | sed 's/^/ /'"
expect "--pre fails" 125 '^perfex: --pre: "exit 3" failed with exit status 3$' \
	"$perfex" --pre 'exit 3' -e cs touch "$work/ran"
expect "--post is ended" 125 '^perfex: --post: .* was ended by signal 9$' "$perfex" --post 'kill -9 $$' -e cs true
# Counts from before the second one failed are kept.
second="echo >>'$work/times'; test \$(wc -l <'$work/times') != 2"
for option in --pre --post; do
	rm -f "$work/times"
	expect "$option fails later" 125 "$option: .* failed with exit status 1\$" \
		"$perfex" -r 3 $option "$second" -e cs true
	runs="" && [ $option = --pre ] || runs=", mean of 2 runs"
	expect "$option fails later: what was counted" 0 "^ counts of 'true'$runs:\$" cat "$work/out"
done
expect "nothing ran after a --pre that fails" 0 '^no$' sh -c "test -e '$work/ran' || echo no"
expect "repeats: one fails" 9 'mean of 2 of 3 runs:' \
	"$perfex" -r 3 -e cs sh -c "$failing" "$work/lines"
expect "repeats: which one" 0 '^ 1 of 3 runs failed, left out: run 2 with exit status 9$' cat "$work/out"
rm "$work/lines"
expect "repeats: one fails, and is taken" 9 'mean of 3 runs, 1 of which failed:' \
	"$perfex" -r 3 --include-failed -e cs sh -c "$failing" "$work/lines"
expect "repeats: all fail" 1 'mean of 2 runs, all of which failed:' "$perfex" -r 2 -e cs false
# The work of the one that fails is not in the mean, nor in what is compared.
# shellcheck disable=SC2016
slow='echo >>"$0"; test $(wc -l <"$0") != 2 || { sleep 0.1; exit 1; }'
rm "$work/lines"
"$perfex" -r 4 --json -o "$work/failed" -e cs sh -c "$slow" "$work/lines"
says "repeats: json without the one that fails" '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["runs"] == 4 and d["failed_runs"] == d["left_out_runs"] == 1 and d["exit_status"] == 1, d
assert [v is None for v in d["events"][0]["values"]] == [False, True, False, False], d
took = [r["elapsed_s"] for r in d["series"]]
assert d["events"][0]["runs"] == 3 and abs(d["elapsed"]["maximum"] - max(took[0], *took[2:])) < 1e-6 and took[1] >= 0.1, d
assert abs(d["elapsed"]["mean"] - (took[0] + took[2] + took[3]) / 3) < 2e-6, d
assert [r.get("left_out") for r in d["series"]] == [None, True, None, None], d
' "$work/failed"
expect "repeats: a baseline without the one that fails" 0 ' elapsed ' \
	"$perfex" --compare "$work/failed" --json --threshold 100000 -o "$work/compared" -e cs sh -c 'echo " elapsed "'
says "repeats: compared without the one that fails" '
import json, sys
elapsed = json.load(open(sys.argv[1]))["comparison"]["events"][-1]
took = [r["elapsed_s"] for r in json.load(open(sys.argv[2]))["series"]]
assert elapsed["before"]["runs"] == 3 and abs(elapsed["before"]["mean"] - (took[0] + took[2] + took[3]) / 3) < 2e-6, elapsed
' "$work/compared" "$work/failed"
expect "failed runs of one run" 125 '--include-failed needs -r, --compare or --diff' "$perfex" --include-failed true
# A run that was interrupted is none, whoever gets the signal, and is the last one.
# shellcheck disable=SC2016
killed='echo >>"$0"; test $(wc -l <"$0") != 3 || kill -KILL $$'
rm "$work/lines"
expect "repeats: one is killed" 137 'mean of 2 runs:' \
	sh -c "'$perfex' -r 5 -e cs sh -c '$killed' '$work/lines'; exit \$?"
# shellcheck disable=SC2016
interrupted='trap "" INT; echo >>"$0"; test $(wc -l <"$0") != 3 || kill -INT $PPID'
rm "$work/lines"
# A command in a shell's background ignores the signal, and so would perfex.
expect "repeats: interrupted" 0 'mean of 2 runs:' \
	env --default-signal=INT "$perfex" -r 5 -e cs sh -c "$interrupted" "$work/lines"
# shellcheck disable=SC2016
expect "repeats: a side without a run" 124 '\[1\] no run was counted before the interruption$' \
	env --default-signal=INT "$perfex" --diff -r 2 -e cs 'trap "" INT; kill -INT $PPID' true
expect "threads" 0 'total of 2 threads' "$perfex" --per=thread -e task-clock sh -c 'true & true; wait'
# An id that is used again is another thread's. A try that another process is in the way of says nothing.
# shellcheck disable=SC2317	# it is called
use_again() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2016
		"$perfex" --per=thread -e task-clock sh -c 'true & first=$!; wait
			echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
			true & test $! = $first; same=$?; wait; exit $same' >"$work/again" 2>&1 &&
			{ cat "$work/again"; return 0; }
	done
	return 1
}
if [ -w /proc/sys/kernel/ns_last_pid ]; then
	expect "an id that is used again" 0 'total of 3 threads' use_again
else
	skip "an id that is used again" "needs a writable /proc/sys/kernel/ns_last_pid"
fi
# A thread that executes a program goes on as its process's first one, with its counts.
if command -v python3 >/dev/null; then
	# shellcheck disable=SC2016
	expect "a thread that executes a program" 0 '^1 1$' sh -c '"$0" --per=thread -e task-clock python3 -c "import os, threading, time
threading.Thread(target=lambda: os.execvp(\"true\", [\"true\"])).start()
time.sleep(60)" 2>"$1"; echo "$(grep -c "(python" "$1") $(grep -c "(true)" "$1")"' "$perfex" "$work/executes"
else
	skip "a thread that executes a program" "needs python3"
fi
# perfex is told of each new process, and interrupted by a signal most often then.
# shellcheck disable=SC2317	# it is called
interrupt_storms() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rm -f "$work/started"
		# shellcheck disable=SC2016
		"$perfex" --per=thread -e task-clock sh -c 'trap "exit 7" TERM; : >"$0"
			while :; do true & wait; done' "$work/started" >"$work/storm" 2>&1 &
		storm=$!
		while [ ! -e "$work/started" ]; do sleep 0.01; done
		sleep 0.02
		kill -TERM "$storm"
		(sleep 60; kill -KILL "$storm") 2>/dev/null &
		guard=$!
		wait "$storm"
		ended=$?
		kill "$guard"
		[ "$ended" = 7 ] || { echo "ended with $ended"; return 1; }
	done
	echo "all ended"
}
expect "a signal while threads are created" 0 'all ended' interrupt_storms
expect "the first thread only" 0 'counts of the first thread of' "$perfex" --no-inherit -e task-clock true
expect "the threads of a process" 0 'total of 1 thread$' "$perfex" -p $$ --per=thread -e task-clock sleep 0.02
expect "a process, no children" 0 "process $$" "$perfex" -p $$ --no-inherit -e task-clock sleep 0.02
expect "attach while a command runs" 0 "process $$" "$perfex" -p $$ -e task-clock sleep 0.05
expect "info" 0 'cpu_type' "$perfex" -i
if "$perfex" --cpu native -l >"$work/native" 2>&1; then
	id=$(sed -n 's/^processor.*, --cpu //p' "$work/out")
	"$perfex" --cpu "$id" -l >"$work/named"
	expect "this processor, by both its names" 0 'the same' \
		sh -c "cmp '$work/native' '$work/named' && echo the same"
	expect "this processor in the list" 0 "^CPU type .*, --cpu $id\$" "$perfex" -l
	expect "this processor, by the doctor" "$("$info" -q; echo $?)" ", --cpu $id, " "$info"
fi
expect "a control's braces" 0 'evntsel' "$perfex" --cpu skylake -e '{INST_RETIRED.ANY:u,LONGEST_LAT_CACHE:MISS}'
expect "a control has no numbers" 125 'take names of events' "$perfex" --cpu skylake -e 0x41
expect "a name that begins with a digit" 0 'evntsel.*0x00430080' "$perfex" --cpu zen3 -e 32_BYTE_INSTRUCTION_CACHE_FETCH
expect "a name that begins with a digit, of a P4" 0 'escr' "$perfex" --cpu p4 -e 64bit_MMX_uop,128bit_MMX_uop:u
expect "an unknown name that begins with a digit" 125 '"64bit_MMX_uop" is not an event' \
	env PERFCTR_ROOT=/nonexistent "$perfex" -e 64bit_MMX_uop true
expect "another processor's info" 125 "-i can't be combined with --cpu" "$perfex" --cpu skylake -i
expect "list" 0 'L1-dcache-load-misses' "$perfex" -l
expect "long list" 0 'instructions retired' "$perfex" -L
expect "search: what is described" 0 '^  L1-icache-load-misses  *cache  *loads that missed in the L1 instruction cache$' \
	"$perfex" -l MISS "instruction cache"
expect "search: nothing else" 0 '^1$' \
	sh -c "'$perfex' --cpu p5 -l btb HITS | grep -c BTB_HITS"
expect "search: all words" 0 '^  BTB_HITS  *cpu  *branches found in the branch target buffer$' \
	"$perfex" --cpu p5 -L branches FOUND Btb_
expect "search: nothing found" 125 'no event has "nosuch" in its name or description' "$perfex" --cpu p5 -l nosuch
expect "search: nothing with all" 125 'no event has all these words in' "$perfex" -l BTB nosuch
expect "a control and a command" 125 'runs nothing: leave out "true"' "$perfex" --cpu p5 -e FLOPS true
expect "help" 0 'usage: perfex' "$perfex" --help
expect "version" 0 'libperfctr' "$perfex" --version

# A child does all the work, which is not the first thread's.
# shellcheck disable=SC2016
work_of() { "$perfex" "$@" --csv -e task-clock sh -c \
	'(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done); :' 2>&1 | sed -n 's/,[0-9.]*,msec,task-clock,exact.*//p'; }
all=$(work_of) first=$(work_of --no-inherit)
if [ "${first:-$all}" -lt "$((${all:-0} / 4))" ]; then
	echo "PASS nothing that the first thread creates"
else
	echo "FAIL nothing that the first thread creates: $first of $all ns"
	failed=1
fi
# In a process its new threads and children are counted.
if command -v setsid >/dev/null; then
	# shellcheck disable=SC2016
	sh -c 'sleep 2; (i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done); sleep 0.3' &
	busy=$!
	counted=$("$perfex" -p $busy --csv -e task-clock 2>&1 | sed -n 's/,[0-9.]*,msec,task-clock,exact.*//p')
	if [ "${counted:-0}" -gt 20000000 ]; then
		echo "PASS a process's children"
	else
		echo "FAIL a process's children: $counted ns"
		failed=1
	fi
fi
# Programs that it begins are noticed while it is waited for: the records of these don't fit in the buffers.
cat >"$work/spawns.c" <<'EOT'
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	char *end[] = { argv[0], "end", NULL };
	pid_t child;
	if (argc > 1)
		return 0;
	sleep(2); /* until perfex counts it, on a busy machine, too */
	for (int i = 0; i < 700; i++) {
		posix_spawn(&child, argv[0], NULL, NULL, end, environ);
		waitpid(child, NULL, 0);
		usleep(500);
	}
	return 0;
}
EOT
${CC:-cc} -O1 -static "$work/spawns.c" -o "$work/spawns" || exit 1
"$work/spawns" &
expect "a process that begins programs" 0 ' page-faults$' "$perfex" --strict -p $! -e page-faults
# Processors: for whom it is allowed.
if "$perfex" -a -e cs true 2>/dev/null; then
	expect "all processors" 0 'counts of all processors:' "$perfex" -a -e '{cpu-clock,cs},page-faults' sleep 0.02
	expect "a processor" 0 'cpu-clock' "$perfex" -C 0 --csv -e cpu-clock sleep 0.02
	expect "one processor" 0 '^ counts of processor 0:$' "$perfex" -C 0 -e cpu-clock true
	expect "processors, json" 0 '"processors":"0-0"' "$perfex" -C 0-0 --json -e cpu-clock true
	expect "processors, intervals" 0 'cpu-clock' "$perfex" -a -I 20 -e cpu-clock sleep 0.1
	expect "offline processor" 125 'not online' "$perfex" -C 8000 -e cs true
	expect "processors that there are not" 125 'is not online' "$perfex" -C 0-8000 -e cs echo ran
	# As /proc/PID/cgroup has it.
	for cgroups in /sys/fs/cgroup/perf_event /sys/fs/cgroup /sys/fs/cgroup/unified; do
		mkdir "$cgroups/perfex-test-$$" 2>/dev/null || continue
		if "$perfex" -G "$cgroups/perfex-test-$$" -e cs true 2>/dev/null; then
			expect "a cgroup" 0 "counts of cgroup /perfex-test-$$:" \
				"$perfex" -G "/perfex-test-$$" -e cs true
			mkdir "$cgroups/perfex-gone-$$" "$cgroups/perfex-also-$$"
			expect "a cgroup that is removed" 0 "^perfex: cgroup /perfex-gone-$$ was removed: nothing more" \
				"$perfex" -G "/perfex-gone-$$" -G "perfex-also-$$" -G "/perfex-test-$$" -I 20 -e cs sh -c \
				"sleep 0.05; rmdir '$cgroups/perfex-gone-$$' '$cgroups/perfex-also-$$'; mkdir '$cgroups/perfex-also-$$'; sleep 0.1"
			expect "a cgroup that is removed is told once, and that is no other" 0 '^2$' grep -c 'was removed' "$work/out"
			expect "a cgroup that is removed, no intervals" 0 "^perfex: cgroup perfex-also-$$ was removed" \
				"$perfex" -G "perfex-also-$$" -e cs rmdir "$cgroups/perfex-also-$$"
		fi
		rmdir "$cgroups/perfex-test-$$"
	done
fi
expect "no such cgroup" 125 'there is no cgroup' "$perfex" -G nonexistent -e cs true
expect "no cgroup" 125 "/tmp is not a cgroup's directory" "$perfex" -G /tmp -e cs true
expect "processors and a process" 125 'exclude each other' "$perfex" -a -p $$ true
expect "processors twice" 125 'given twice' "$perfex" -a -a true
expect "a processor twice" 125 'twice' "$perfex" -C 0,0-1 true
expect "two lists of processors" 125 '-C is given twice' "$perfex" -C 0 -C 1 true
expect "processors of a cgroup" 125 '-G and -C exclude each other' "$perfex" -G x -C 0 true
expect "bad processors" 125 '-C takes numbers' "$perfex" -C 1- true
expect "processors, thread by thread" 125 'leave out --per=thread' "$perfex" -a --per=thread true
expect "threads and no threads" 125 "can't be combined" "$perfex" --no-inherit --per=thread true
# Forced, and not there: no count is made up, and no other provider taken.
# shellcheck disable=SC2317
driver() { env PERFCTR_PROVIDER=driver "$perfex" "$@"; }
if [ ! -e /dev/perfctr ]; then
	expect "no driver" 0 'there is no /dev/perfctr' driver -e 0x004100C0 true
	expect "no driver, by another's name" 125 'PERFCTR_PROVIDER=driver' driver -e task-clock echo ran
	expect "no driver for samples" 125 '--sample takes perf_events' driver --sample true
	expect "no driver, attached" 125 '-p takes perf_events' driver -e 0x004100C0 -p $$
	expect "no driver, the default one" 0 'task-clock' "$perfex" --no-inherit -e task-clock true
fi
expect "no such provider" 125 'names no provider' env PERFCTR_PROVIDER=x "$perfex" true

# --sample: where a program spins, in its file, in a copy without names, and in memory of no file.
cat >"$work/spin.c" <<'EOT'
#include <string.h>
#include <sys/mman.h>
#include <time.h>
void spin(long n)
{
	while (n--)
		;
}
int main(int argc, char **argv)
{
	void (*where)(long) = spin;
	(void)argv;
	if (argc > 1) {
		where = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy((void *)where, (void *)spin, 256);
		__builtin___clear_cache((char *)where, (char *)where + 4096);
	}
	while (clock() < CLOCKS_PER_SEC / 4)
		where(1000000);
	return 0;
}
EOT
${CC:-cc} -O0 "$work/spin.c" -o "$work/spin" && strip -o "$work/stripped" "$work/spin"
spin=spin
[ "${HAVE_LIBELF:-no}" = yes ] || spin='-'
# sampled NAME SYMBOL FILE command...: at least a fifth of the samples of the 0.25 s that the program runs are in its
# file, however long others take beside it, and 80 percent of these in the function
sampled() {
	name=$1 symbol=$2 file=$3
	shift 3
	"$perfex" --sample -e cpu-clock "$@" >"$work/out" 2>&1
	status=$?
	if [ $status = 0 ] && awk -v symbol="$symbol" -v file="$file" '
		$4 == file { all += $1 }
		$4 == file && (symbol == "" || index($3, symbol) == 1) { some += $1 }
		END { exit !(some >= 50 && some * 10 >= all * 8) }' "$work/out"; then
		echo "PASS $name"
	else
		echo "FAIL $name: exit status $status, or less than 50 samples or 80 % for $symbol in:"
		cut -c 1-300 "$work/out" | sed 's/^/    /'
		failed=1
	fi
}
sampled "samples of a function" "$spin" "$work/spin" "$work/spin"
sampled "samples of children" "$spin" "$work/spin" -F 2000 sh -c "'$work/spin' & '$work/spin'; wait"
sampled "samples by period" "$spin" "$work/spin" -c 200000 "$work/spin"
sampled "samples without names" "-" "$work/stripped" "$work/stripped"
sampled "samples in memory of no file" "-" "[anon]" "$work/spin" anonymous
# The file may have changed to anything when it is looked up, also if its time does not tell.
hides="cat new >changed; touch -r spin changed"
for size in 100 8000 14000; do
	rm -f "$work/changed"
	cp -p "$work/spin" "$work/changed"
	sampled "samples of a file cut off at $size" "" "$work/changed" sh -c \
		"cd '$work' && '$work/changed'; head -c $size spin >new; $hides"
done
# A file that perfex has opened while it was mapped is still the one that ran; it stays open.
# shellcheck disable=SC2016
[ "$spin" = - ] || sampled "samples of a file that became a pipe" "$spin" "$work/changed" sh -c \
	'cd "$0" && rm changed; cp spin changed; "$0/changed"
	until ls -l /proc/$PPID/fd | grep -q "$0/changed" || [ $((i += 1)) -gt 200 ]; do sleep 0.05; done
	rm changed; mkfifo changed' "$work"
# perfex is stopped until there is the pipe.
# shellcheck disable=SC2016
sampled "samples of a file that is a pipe now" "-" "$work/changed" sh -c \
	'cd "$0" && rm changed; cp spin changed; kill -STOP $PPID; "$0/changed"; rm changed; mkfifo changed
	{ : >changed && touch opened; } 2>/dev/null & kill -CONT $PPID' "$work"
# perfex has not opened it: devices do things when they are opened.
sleep 0.2
if [ -e "$work/opened" ]; then
	echo "FAIL samples of a pipe: it was opened"
	failed=1
else
	echo "PASS samples of a pipe that is not opened"
fi
timeout 5 cat "$work/changed" >/dev/null
# Names that are a terminal's commands, and names that are each 1 MB of the same text. They come into a program without a build ID, in
# whose file neither the size nor the time tells.
${CC:-cc} -O0 -Wl,--build-id=none "$work/spin.c" -o "$work/plain"
# become KIND: makes the program, and the file of its size that it becomes
become() {
	rm -f "$work/changed" "$work/new"
	cp "$work/plain" "$work/changed"
	python3 "$work/names.py" "$1" >"$work/new"
	truncate -s ">$(wc -c <"$work/new")" "$work/changed"
	truncate -s ">$(wc -c <"$work/changed")" "$work/new"
	touch -r "$work/spin" "$work/changed"
}
cat >"$work/names.py" <<'EOT'
import struct, sys
strings = b'\0' + (b'\xc2\x9b31mred\x1b[2J' if sys.argv[1] == 'C1' else 
           b'A' * (8000 if sys.argv[1] == 'many' else 1 << 20)) + b'\0'
symbols = bytes(24) + struct.pack('<IBBHQQ', 1, 0x12, 0, 1, 0, 0x100000) * (100000 if sys.argv[1] == 'many' else 1)
at, section = 64 + 56 + 4 * 64, lambda type, offset, size, link: struct.pack(
    '<IIQQQQIIQQ', 0, type, 0, 0, offset, size, link, 0, 8, 24)
sys.stdout.buffer.write(
    b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, 120, 0, 64, 56, 1, 64, 4, 0) +
    struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, 1 << 20, 1 << 20, 4096) + bytes(64) +
    section(1, 0, 1 << 20, 0) + section(2, at, len(symbols), 3) +
    section(3, at + len(symbols), len(strings), 0) + symbols + strings)
EOT
for names in C1 long; do
	have_python "samples of a file with $names names" || break
	become $names
	case $names in
	C1) shown='?31mred?[2J' ;;
	long) shown='AAAA' ;;
	esac
	[ "${HAVE_LIBELF:-no}" = yes ] || shown='-'
	sampled "samples of a file with $names names" "$shown" "$work/changed" sh -c \
		"cd '$work' && '$work/changed'; $hides"
done
# 100,000 names in the same 8 KB would be 800 MB.
case ${CFLAGS:-} in
*sanitize*) ;; # take more memory
*)
	have_python "samples of a file with names in names" && become many &&
		expect "samples of a file with names in names" 0 "AAAA.*  $work/changed\$\|-  *$work/changed\$" \
		sh -c "ulimit -v 500000; exec '$perfex' --sample -e cpu-clock sh -c \"cd '$work' && '$work/changed'; $hides\""
	;;
esac
# A core type for processor 0 and one for all others, both with events that this machine has.
pmus=$work/root/sys/bus/event_source/devices
for pmu in cpu_core cpu_atom; do
	mkdir -p "$pmus/$pmu/events" "$pmus/$pmu/format"
	echo 1 >"$pmus/$pmu/type"
	echo config:0-7 >"$pmus/$pmu/format/event"
	echo event=0 >"$pmus/$pmu/events/tick"
done
echo 0 >"$pmus/cpu_core/cpus"
echo 1-8191 >"$pmus/cpu_atom/cpus"
# A PMU that counts in a unit, and is the TSC in truth; and one that there is not.
mkdir -p "$pmus/power/events" "$pmus/power/format"
echo config:0-7 >"$pmus/power/format/event"
echo event=0 >"$pmus/power/events/energy-pkg"
echo 0.5 >"$pmus/power/events/energy-pkg.scale"
echo Joules >"$pmus/power/events/energy-pkg.unit"
# shellcheck disable=SC2317	# it is called
in_units() {
	PERFCTR_ROOT="$work/root" "$perfex" "$@" -e power/energy-pkg/,nonsense/x/ true 2>&1 |
		awk -F, '$5 != "exact" || $2 == $1 / 2 { print }'
}
if cp /sys/bus/event_source/devices/msr/type "$pmus/power/type" 2>/dev/null; then
	expect "an event in its unit" 0 '[0-9]\.[05]0 Joules  *power/energy-pkg/' in_units
	expect "an event in its unit, csv" 0 '^[0-9]*,[0-9.]*,Joules,power/energy-pkg/,exact,' in_units --csv
	expect "an event in its unit, json" 0 '"unit":"Joules","quality":"exact"' in_units --json
	expect "an event that there is not" 0 '\[1\] this machine has no PMU "nonsense"' in_units
else
	skip "an event in its unit" "needs the PMU msr"
fi
rm -r "$pmus/power"
expect "samples: on all core types" 0 ' samples\{0,1\}$' \
	env PERFCTR_ROOT="$work/root" "$perfex" --sample -e tick true
echo 0,8190 >"$pmus/cpu_core/cpus" # the second of which is offline
if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then
	expect "samples: on one core type" 0 'on 1 of the processors only: cpu_core/tick/u* counts on' \
		env PERFCTR_ROOT="$work/root" "$perfex" --sample -e cpu_core/tick/ true
fi
echo 8191 >"$pmus/cpu_core/cpus"
expect "samples: on a core type that is offline" 125 'cpu_core, and the requested processor is' \
	env PERFCTR_ROOT="$work/root" "$perfex" --sample -e cpu_core/tick/ true
expect "samples: the default event" 0 ' a second, in .true.:' "$perfex" --sample true
faults=$("$perfex" --csv -e page-faults:u true 2>&1 | sed -n 's/,.*,page-faults:u,exact.*//p')
# On one processor: each has its own period.
expect "one sample" 0 '^ 1 sample$' taskset -c "$(awk '{ print $39 }' /proc/self/stat)" "$perfex" --sample -e page-faults:u -c "$((faults * 2 / 3))" true
expect "samples: exit status" 3 ' samples\{0,1\}$' "$perfex" --sample -e cpu-clock sh -c 'exit 3'
expect "samples: no command" 125 'no command to run' "$perfex" --sample
expect "samples: no such command" 127 'not found' "$perfex" --sample nonexistent-command
expect "samples: two events" 125 'takes one event' "$perfex" --sample -e cs,task-clock true
expect "samples: no such event" 125 'is not an event' "$perfex" --sample -e nonsense true
expect "samples: csv" 125 "--csv can't be combined with --sample" "$perfex" --sample --csv true
expect "samples: period and frequency" 125 "can't be combined" "$perfex" --sample -c 9 -F 9 true
expect "samples: too often" 125 'kernel.perf_event_max_sample_rate' \
	"$perfex" --sample -e cs -F 99999999 true
expect "a period, but no samples" 125 '-c needs --sample' "$perfex" -c 1000 true

"$perfex" --json -e task-clock,cycles -o "$work/json" sh -c 'exit 5' 'a"b\' "$(printf '\377')" "$(printf '\033\177\302\233\302\240\303\244')"
have_python json && { python3 - "$work/json" <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["exit_status"] == 5 and d["events"][0]["quality"] == "exact", d
assert d["command"][3] == 'a"b\\' and d["command"][4] == "\ufffd", d
assert d["command"][5] == "\033\177\u009b\u00a0\u00e4", d
# Nothing for terminals: there are escapes for these.
assert b'"\\u001b\\u007f\\u009b\xc2\xa0\xc3\xa4"' in open(sys.argv[1], "rb").read()
EOT
[ $? = 0 ] && echo "PASS json" || { echo "FAIL json"; failed=1; }; }

"$perfex" -e cs -o "$work/%p.%%" sh -c "echo \$\$ >$work/pid"
[ -s "$work/$(cat "$work/pid").%" ] && echo "PASS output file" || { echo "FAIL output file"; failed=1; }
RANK=7 "$perfex" -e cs -o "$work/%q{RANK}-%h-%%p" true
[ -s "$work/7-$(uname -n)-%p" ] && echo "PASS output file of a rank" ||
	{ echo "FAIL output file of a rank"; failed=1; }
expect "output file: no such variable" 125 'no environment variable NONE' \
	"$perfex" -e cs -o '%q{NONE}' echo ran
expect "output file: no such pattern" 125 'not "z"' "$perfex" -e cs -o '%z' echo ran
expect "output file: no name" 125 'is written' "$perfex" -e cs -o '%qNONE' echo ran
expect "standard output" 0 'counts of' sh -c "'$perfex' -e cs -o - true 2>/dev/null"
echo precious >"$work/kept"
expect "a failed start" 127 'not found' "$perfex" -o "$work/kept" nonexistent-command
expect "keeps the output file" 0 precious cat "$work/kept"

# Bad input: one clear sentence, status 125 before the command runs.
expect "unknown event" 125 'did you mean instructions?' "$perfex" -e instrctions echo ran
expect "bad modifier" 125 'is not a modifier' "$perfex" -e cycles:x true
expect "empty place" 125 'has an empty place between its commas' "$perfex" -e cs, true
expect "empty list" 125 'the list of events is empty' "$perfex" -e '' true
expect "open brace" 125 'a group is written' "$perfex" -e '{cs' true
expect "bad number" 125 'three 32-bit numbers' "$perfex" -e 0x100000000 true
many=0x1
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do
	many=$many,0x1
done
expect "numbers, and names after them" 0 'page-faults' "$perfex" -e '0x41, 0x42@1,page-faults' -e 0x43 true
expect "numbers after names" 125 '"0x41" is not an event' "$perfex" -e page-faults,0x41 true
expect "too many numbers" 125 'too many events' "$perfex" -e $many true
expect "base-dependent number" 0 'warning' "$perfex" -e 10 true
expect "unknown option" 125 'perfex -h' "$perfex" --nonsense
expect "no command" 125 'no command' "$perfex" -e cs
expect "bad interval" 125 '-I takes a number' "$perfex" -I 5 true
expect "bad repeats" 125 '-r takes a number' "$perfex" -r x true
expect "bad pid" 125 '-p takes a number' "$perfex" -p -3
expect "no such pid" 125 'no process 999999' "$perfex" -p 999999
expect "csv and json" 125 "can't be combined" "$perfex" --csv --json true
expect "output not writable" 125 "can't be written" "$perfex" -o /nonexistent/file echo ran
expect "output full" 125 'could not be written' "$perfex" -o /dev/full true
expect "command not found" 127 'command not found' "$perfex" nonexistent-command
# A script is there, and its interpreter is not.
printf '#! /nonexistent/sh -x\n' >"$work/perfex-script"
chmod +x "$work/perfex-script"
expect "a script without its interpreter" 126 "perfex-script: can't be executed: its interpreter /nonexistent/sh is not there\$" "$perfex" "$work/perfex-script"
expect "so, found in PATH" 126 'its interpreter /nonexistent/sh is not there$' env PATH="$work:$PATH" "$perfex" --sample perfex-script
expect "so, where PATH names the working directory by nothing" 126 'its interpreter /nonexistent/sh is not there$' \
	sh -c 'cd "$1" && PATH=:/nowhere exec "$2" perfex-script' sh "$work" "$(realpath "$perfex")"
expect "so, for --regions" 126 'its interpreter /nonexistent/sh is not there$' "$perfex" --regions "$work/perfex-script"
if ${CC:-cc} -x c -o "$work/loaded" -Wl,--dynamic-linker=/nonexistent/ld.so - 2>/dev/null <<'EOT'
int main(void) { return 0; }
EOT
then
	expect "a program without its dynamic linker" 126 'its interpreter /nonexistent/ld.so is not there$' "$perfex" "$work/loaded"
fi
expect "a dangling link" 127 'command not found$' sh -c "ln -s nowhere '$work/dangling'; exec '$perfex' '$work/dangling'"
expect "not executable" 126 "can't be executed" "$perfex" /etc/passwd
expect "a directory" 126 "can't be executed" "$perfex" /tmp
expect "standard output full" 125 "can't write" sh -c "'$perfex' -l >/dev/full"
# The soft limit is raised as far as may be, but not for what perfex executes.
# shellcheck disable=SC2016
expect "a soft limit of descriptors" 0 '^12 12 12 .*,page-faults,exact,' sh -c 'ulimit -Sn 12
	echo $("$1" --csv --pre "ulimit -Sn" --post "ulimit -Sn" -e cs,cs,cs,cs,cs,cs,page-faults sh -c "ulimit -Sn" 2>&1)' sh "$perfex"
expect "a soft limit of descriptors: all are counted" 0 '^7$' sh -c "grep -o ,exact, '$work/out' | wc -l"
signals_of() { "$@" grep '^Sig[BIC]' /proc/self/status; }
expect "a command's signals are those that perfex had" 0 "^$(signals_of env | tr '\n' ' ')\$" \
	sh -c "'$perfex' -e cs -o /dev/null grep '^Sig[BIC]' /proc/self/status | tr '\n' ' '; echo"
# A shell that is perfex's wrapper opens its script as 3 and keeps it as 10 or 11.
expect "few descriptors" 0 'ulimit -n' sh -c "ulimit -n 12; '$perfex' -e cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs true"

# The hardware decides; without counters each event has its reason.
if "$info" -q; then
	expect "hardware events" 0 'cycles' "$perfex" -e cycles true
else
	expect "hardware events have a reason" 0 '\[1\] this' "$perfex" -e cycles,instructions true
fi
# However many reasons there are, each has its number.
mkdir -p "$work/bare"
expect "70 reasons" 0 '^ \[70\] "sched:none70" ' env PERFCTR_ROOT="$work/bare" "$perfex" \
	-e "$(seq 70 | sed 's/^/sched:none/' | paste -sd , -)" true
expect "70 reasons: each event has its own" 0 '^ *<not counted> *sched:none70 *\[70\]$' cat "$work/out"

if "$refuse" 1 true 2>/dev/null; then
	expect "seccomp: EPERM" 0 'a seccomp filter forbids' "$refuse" 1 "$perfex" -e cs true
	expect "seccomp: ENOSYS" 0 'no perf_event_open(2)' "$refuse" 38 "$perfex" -e cs true
	expect "seccomp: EACCES" 0 'not counted' "$refuse" 13 "$perfex" -e cycles,cs true
	expect "seccomp: the doctor" 1 'seccomp' "$refuse" 1 "$info"
	# perfctr-info does not guess values that it can't see.
	"$info" --json | grep -o '"counters":[0-9]*' >"$work/counters"
	"$refuse" 1 "$info" --json | grep -o '"counters":[0-9]*' >"$work/out"
	if [ -s "$work/out" ] && cmp -s "$work/counters" "$work/out"; then pass "seccomp: as many counters"
	else fail "seccomp: as many counters" "not $(cat "$work/counters")"; fi
	for option in -i -l; do
		"$perfex" "$option" >"$work/counters"
		"$refuse" 1 "$perfex" "$option" >"$work/out"
		if [ "$(grep -E 'nrctrs|performance counters' "$work/counters")" = "$(grep -E 'nrctrs|performance counters' "$work/out")" ]
		then pass "seccomp: as many counters, $option"
		else fail "seccomp: as many counters, $option" "not $(grep -E 'nrctrs|performance counters' "$work/counters")"; fi
	done
	expect "seccomp: the status" 7 'not counted' "$refuse" 1 "$perfex" -e cs sh -c 'exit 7'
else
	skip "seccomp" "filters are not permitted here"
fi
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	hide="mount -t tmpfs none /sys && mount -t tmpfs none /proc" attach=125 says='mount /proc'
	case ${CFLAGS:-} in
	*sanitize*)	# needs /proc itself
		hide="mount -t tmpfs none /sys && mount -t tmpfs none /proc/sys" attach=0 says=task-clock ;;
	esac
	expect "no /proc, no /sys" 0 'task-clock' unshare -m sh -c "$hide && '$perfex' -e task-clock true"
	case ${CFLAGS:-} in
	*sanitize*) ;;
	*)	expect "no /proc: samples" 0 '^ names are missing: /proc' unshare -m sh -c \
			"$hide && '$perfex' --sample -e cpu-clock true"
		expect "no /proc: threads" 0 '^ thread [0-9]*$' unshare -m sh -c \
			"$hide && '$perfex' --per=thread -e task-clock true" ;;
	esac
	expect "no /proc: attach" $attach "$says" unshare -m sh -c \
		"$hide && '$perfex' -e task-clock -p $$ sleep 0.02"
	expect "no /proc, no /sys: the doctor" 1 "can't be read" unshare -m sh -c "$hide && '$info'"
else
	skip "no /proc" "needs root and mount namespaces"
fi
if others_run; then
	# A paranoid level of 3, as Debian's and Ubuntu's kernels know it, is a file to the message.
	sleep 30 &
	other=$!
	expect "another user's process" 125 "can't be counted" $nobody \
		"$their_perfex" -e task-clock -p $other
	kill $other
	expect "no kernel mode for others" 0 'task-clock' $nobody \
		"$their_perfex" -e task-clock true
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
		expect "no made up 0 for others" 0 'not counted> *cs ' $nobody \
			"$their_perfex" -e cs true
	fi
else
	skip "another user" "needs root, and a perfex that others can reach"
fi
expect "doctor" "$("$info" -q; echo $?)" 'paranoid level' "$info"
have_python "doctor, json" && expect "doctor, json" 0 'checks' sh -c "'$info' -j | python3 -m json.tool"
# A file's name may be anything; JSON is UTF-8.
odd=$pmus/$(printf 'cpu_\377')
cp -R "$pmus/cpu_atom" "$odd"
have_python "doctor, json, a name that is no UTF-8" && expect "doctor, json, a name that is no UTF-8" 0 'cpu_.ufffd' \
	sh -c "PERFCTR_ROOT='$work/root' '$info' -j | python3 -m json.tool"
odder=$pmus/$(printf 'cpu_\033[31m\302\233')
cp -R "$pmus/cpu_atom" "$odder"
expect "doctor, a name that a terminal would obey" 0 '^ok' sh -c \
	"PERFCTR_ROOT='$work/root' '$info' >'$work/doctor'; LC_ALL=C grep -q -e '$(printf '\033\|\302\233')' '$work/doctor' && echo obeyed >>'$work/doctor'; cat '$work/doctor'"
expect "doctor, nothing that a terminal obeys" 1 '^0$' grep -c obeyed "$work/out"
rm -r "$odder"
expect "doctor, standard output full" 2 "can't write" sh -c "'$info' >/dev/full"
expect "doctor, bad option" 2 'shows all options' "$info" --nonsense

# The table of calls' costs: each row has its numbers, or a reason why it has none. A read of a clock takes some ns, and a
# system call less than a millisecond.
judge_costs='
import json, sys
costs = json.load(sys.stdin)["costs"]
rows = {cost["what"]: cost for cost in costs}
assert len(rows) == len(costs), "twice the same"
for cost in costs:
    assert set(cost) == {"what", "ns", "spread", "instructions", "taken", "why"}, cost
    assert (cost["ns"] is None) == (cost["spread"] is None), cost
    if cost["ns"] is None:
        assert cost["taken"] == "not here" and cost["why"], cost
    else:
        assert 0 <= cost["ns"] < 5e6 and cost["spread"] >= 0 and cost["taken"], cost
for what, least, most in (("virtual TSC", 1, 1e5), ("one event through the kernel", 10, 1e6),
                          ("open and close a set of one event", 100, 1e7)):
    assert least < rows[what]["ns"] < most, rows[what]
assert any(what.startswith("a switch") for what in rows), "no switch"
assert any(what.startswith("unlink, close, open") for what in rows), "no opening"
for what in "one counter", "a total over 8 threads that sleep":
    assert what in rows, what
sample = rows["a sample, found and decoded"]
assert sample["ns"] is not None or "lock" in sample["why"], sample
print("plausible")
'
have_python "costs, json" && expect "costs, json" 0 '^plausible$' sh -c "'$info' -c -j | python3 -c '$judge_costs'"
expect "costs, a table" 0 '^virtual TSC  *[0-9.]*  *[0-9.]* ' "$info" --cost
expect "costs, of no provider" 0 "^the calling thread's counters  *-  *-  *-  not here: PERFCTR_PROVIDER" \
	env PERFCTR_PROVIDER=none "$info" --cost
expect "costs, quiet" 2 'perfctr-info: -c and -q exclude each other' "$info" -c -q
expect "costs, an argument" 2 'perfctr-info: it takes no arguments' "$info" --cost all
exit $failed
