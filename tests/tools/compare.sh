#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --compare and --diff: their statistics against scipy's, what they say and how they exit, and files
# that are no baseline.
# The environment: PERFEX, WELCH: the programs.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
welch=${WELCH:-tests/tools/welch}

# ---- a judge that nobody here made ----
python=
for candidate in python3 /usr/bin/python3; do
	$candidate -c 'import scipy.stats' 2>/dev/null && python=$candidate && break
done
if [ -n "$python" ]; then
	cat >"$work/judge.py" <<'EOT'
import random, subprocess, sys
from scipy import stats
random.seed(1)
pairs = []
for i in range(2000):
    n, m = random.randint(2, 40), random.randint(2, 40)
    level, spread = 10 ** random.uniform(-3, 12), 10 ** random.uniform(-6, 0)
    shift = random.choice([0, 0, spread, 10 ** random.uniform(-6, 1)])
    pairs.append(([level * (1 + spread * random.gauss(0, 1)) for _ in range(n)],
                  [level * (1 + shift + 3 * spread * random.gauss(0, 1)) for _ in range(m)]))
text = ''.join(' '.join(map(repr, a)) + ' | ' + ' '.join(map(repr, b)) + '\n' for a, b in pairs)
out = [tuple(map(float, line.split())) for line in
       subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout.splitlines()]
assert len(out) == len(pairs)
worst = 0
for (a, b), (p, _) in zip(pairs, out):
    q = stats.ttest_ind(a, b, equal_var=False).pvalue
    worst = max(worst, abs(p - q) / max(q, 1e-290))
    assert abs(p - q) <= 1e-6 * q + 1e-290, (a, b, p, q)
# Holm's, as its definition has it.
order, running = sorted(range(len(out)), key=lambda i: out[i][0]), 0
for rank, i in enumerate(order):
    running = max(running, min(1, (len(out) - rank) * out[i][0]))
    assert abs(out[i][1] - running) <= 1e-12 * running, (i, out[i], running)
print('2000 comparisons, p is off by', worst, 'at most')
EOT
	expect "Welch's test, as scipy has it" 0 '^2000 comparisons' "$python" "$work/judge.py" "$welch"
	cat "$work/out"
else
	skip "Welch's test, as scipy has it" "needs scipy"
fi

# ---- a baseline ----
# This command does the same in each run, but for a page fault or two.
"$perfex" -r 10 --json -o "$work/base" -e page-faults,nonsense/x/ sh -c ':'
# Elapsed times of another world, of which none differs for sure.
have_python "a baseline" || exit $failed
python3 - "$work/base" >"$work/timeless" <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))
for i, run in enumerate(d["series"]):
    run["elapsed_s"] = 0 if i else 1e6
json.dump(d, sys.stdout, indent=1)
EOT
expect "nothing has changed" 0 '^ 0 of 2 differ at 5% for all together (.*) and by more than 50%$' \
	"$perfex" --compare "$work/timeless" --threshold 50% -e nonsense/x/,page-faults sh -c ':'
expect "what was not counted" 0 'nonsense/x/  *-  *-  not counted before' cat "$work/out"
if [ "$("$perfex" --csv -e page-faults ls / 2>&1 >/dev/null | sed -n 's/,.*page-faults,exact.*//p')" -gt 0 ]; then
	expect "something has changed" 123 ' page-faults  *+[0-9.]*% .* <0.0001  differs$' \
		"$perfex" --compare "$work/base" -e page-faults sh -c 'ls / >/dev/null; ls / >/dev/null'
	expect "as often as the baseline" 0 'mean of 10 runs' cat "$work/out"
	expect "below the threshold" 0 'below the threshold' \
		"$perfex" --compare "$work/timeless" --threshold 1000000% -e page-faults \
		sh -c 'ls / >/dev/null; ls / >/dev/null'
fi
"$perfex" -r 2 --json -o "$work/named" -e page-faults,task-clock,nonsense/x=1,y=2/ true
expect "the events of the baseline" 0 '^ 0 of [0-9] differ' "$perfex" --compare "$work/named" --threshold 1000000 true
expect "the events of the baseline: one" 0 ' page-faults ' cat "$work/out"
expect "the events of the baseline: another" 0 ' nonsense/x=1,y=2/  .* not counted before$' cat "$work/out"
expect "the events of the baseline: no others" 1 '^0$' grep -c branch-misses "$work/out"
expect "other events than the baseline's" 0 'context-switches .* not counted before$' \
	"$perfex" --compare "$work/named" --threshold 1000000 -e page-faults,context-switches true
"$perfex" -r 2 --json -o "$work/named" -e 0x41,0x42@1 -e page-faults true 2>/dev/null
"$perfex" -r 2 --json -o "$work/own" -e " {cs, page-faults/name='a,b'/ }:u,minor-faults/name=mine/" true 2>/dev/null
expect "the events of the baseline, by texts" 0 '  mine  ' "$perfex" --compare "$work/own" --threshold 1000000 true
expect "the texts of the baseline" 0 "\"a,b\",\"asked\":\"page-faults/name='a,b'/:u\".*\"mine\",\"asked\":\"minor-faults/name=mine/\"" \
	cat "$work/own"
expect "the numbers of the baseline" 0 ' event 0x00000042 ' "$perfex" --compare "$work/named" --threshold 1000000 true
expect "a comparison, csv" 123 '^page-faults,,[0-9.]*,[0-9.]*,10,[0-9.]*,[0-9.]*,4,[0-9.]*,[0-9.]*,[0-9.]*,[-0-9.e]*,1,differs,$' \
	"$perfex" -r 4 --csv --compare "$work/base" -e page-faults sh -c 'ls / >/dev/null; ls / >/dev/null'
"$perfex" -r 4 --json -o "$work/compared" --compare "$work/base" -e page-faults sh -c 'ls / >/dev/null' 2>/dev/null
if find_tree; then
	"$run" -r 2 --topdown --json -o "$work/tree" true 2>/dev/null
	"$run" -r 2 --topdown --json -o "$work/trees" --compare "$work/tree" true 2>/dev/null
	says "a tree is compared once" "
import json, sys
tree, trees = ([e['event'] for e in json.load(open(file))['events']] for file in sys.argv[1:])
assert tree == trees, (tree, trees)" "$work/tree" "$work/trees"
else
	skip_processor "a tree is compared once"
fi
says "a comparison, json" "
import json, sys
d = json.load(open(sys.argv[1]))
c = d['comparison']
assert c['before'] == sys.argv[2] and c['alpha'] == 0.05 and c['threshold_percent'] == 0, c
assert c['events'][0]['event'] == 'page-faults' and c['events'][0]['differs'], c
assert c['events'][0]['before']['runs'] == 10 and c['events'][0]['now']['runs'] == 4, c
assert c['events'][-1]['event'] == 'elapsed' and c['compared'] == 2 and c['differing'] >= 1, c" \
	"$work/compared" "$work/base"
expect "the result is a baseline itself" 123 'differs' \
	"$perfex" --compare "$work/compared" -e page-faults sh -c 'ls / >/dev/null; ls / >/dev/null; ls / >/dev/null'
expect "a command that fails" 5 'differs' \
	"$perfex" -r 3 --compare "$work/base" -e page-faults sh -c 'ls / >/dev/null; exit 5'
printf '{"runs":2,"events":[{"event":"cs","values":[1,null]}],"series":[{"elapsed_s":100},{"elapsed_s":100}]}' \
	>"$work/little"
expect "one run that counted it" 123 ' cs  *-  *-  needs two runs that counted it$' \
	"$perfex" --compare "$work/little" -e cs sleep 0.1
expect "the last of several documents" 0 'mean of 3 runs' sh -c "
	rm -f '$work/several'
	for n in 5 3; do '$perfex' -r \$n --json --append -o '$work/several' -e page-faults true; done
	'$perfex' --compare '$work/several' --threshold 100000 -e page-faults true"

# ---- files that are none ----
# refused NAME REASON CONTENT
refused() {
	printf '%s' "$3" >"$work/bad"
	expect "$1" 125 "^perfex: --compare: $work/bad can't be used: $2" \
		"$perfex" --compare "$work/bad" -e cs echo ran
	! grep -q '^ran$' "$work/out" || fail "$1" "the command ran"
}
refused "an empty file" 'line 1: the file ends in the middle of a value' ''
refused "half a file" 'line 1: ' "$(head -c 200 "$work/base")"
refused "no JSON" 'line 1: this is no value' 'value,scaled'
refused "the results of one run" 'line 1: it has not the results of at least two runs' \
	"$("$perfex" --json -e cs true 2>&1)"
refused "regions" 'line 1: its type is not "counts": make it with' "$(sed 's/"type":"counts"/"type":"regions"/' "$work/base")"
refused "a type that is no text" 'line 1: its type is not "counts"' "$(sed 's/"type":"counts"/"type":1/' "$work/base")"
refused "a list" 'line 1: it has not' '[]'
refused "no values" 'line 2: an event has its name' '{"runs":2,
"events":[{"event":"cs"}]}'
refused "too deep" 'line 1: values are in too many others' "$(printf '%5000s' '' | tr ' ' '[')"
expect "no file" 125 'No such file' "$perfex" --compare /nonexistent true
expect "a directory" 125 "can't be used: Is a directory" "$perfex" --compare / true
if [ -r /dev/zero ]; then
	expect "a file without an end" 125 'it is larger than 64 MiB' "$perfex" --compare /dev/zero true
fi

# ---- two commands by turns ----
echo >"$work/turns"
expect "by turns" 0 'mean of 4 runs' "$perfex" --diff -r 4 --threshold 1000000 -e page-faults \
	"echo A >>$work/turns" "echo B >>$work/turns"
expect "the order" 0 '^ABBAABBA$' sh -c "tr -d '\n' <'$work/turns'; echo"
expect "two commands differ" 123 ' page-faults  *+[0-9.]*% .* [<0-9.]*  differs$' \
	"$perfex" --diff -e page-faults ':' 'ls / >/dev/null; ls / >/dev/null'
expect "ten runs of each" 0 'mean of 10 runs' cat "$work/out"
once() { echo "test -e '$work/$1' || { : >'$work/$1'; exit 3; }"; }	# FILE: a command that fails the first time
"$perfex" --diff -r 2 --include-failed --json -o "$work/both" -e page-faults "$(once fails-1)" "$(once fails-2)" 2>/dev/null
says "failed runs of both commands are included" "import json, sys
d = list(map(json.loads, open(sys.argv[1])))
assert len(d) == 2 and all(x['failed_runs'] == 1 and not x['left_out_runs'] for x in d), d
assert all(None not in e['values'] for x in d for e in x['events']), d" "$work/both"
expect "two commands, csv" 123 '^event,unit,before,before_deviation,before_runs,now,' \
	"$perfex" --diff --csv -r 5 -e page-faults ':' 'ls / >/dev/null; ls / >/dev/null'
expect "one of them fails" 9 'failed: run 1 with exit status 9' "$perfex" --diff -r 2 -e cs 'exit 9' true
expect "the other one fails" 8 'failed: run 1 with exit status 8' "$perfex" --diff -r 2 -e cs true 'exit 8'
expect "one command" 125 'takes two commands' "$perfex" --diff true
expect "three commands" 125 'takes two commands' "$perfex" --diff true true true
expect "one run" 125 'at least two runs' "$perfex" --diff -r 1 true true
expect "compare and diff" 125 "can't be combined" "$perfex" --diff --compare "$work/base" true true
expect "a process compared" 125 '--compare runs commands' "$perfex" --compare "$work/base" -p $$ true
expect "a threshold of nothing" 125 '--threshold needs --compare or --diff' "$perfex" --threshold 2 true
for bad in x -1 1e3 '' 5%% 1,5; do
	expect "the threshold \"$bad\"" 125 '--threshold takes percent such as 0.5' \
		"$perfex" --threshold="$bad" --diff true true
done

# ---- a terminal ----
# shellcheck disable=SC2317	# it is called
on_terminal() { TERM=xterm raw_on 80 "$@"; }
esc=$(printf '\033')
expect "progress" 0 "perfex: run 4 of 4, [0-9]* s left, until [0-9:]*" \
	on_terminal "$perfex" -r 4 -e cs sleep 0.6
expect "what is over at once has no progress" 0 '^none$' sh -c \
	"TERM=xterm RAW=1 python3 '$on' 80 '$perfex' -r 3 -e cs true | grep 'run [2-9] of' || echo none"
expect "colour" 0 "$esc\[31m *<not counted>$esc\[0m" on_terminal "$perfex" -e nonsense/x/ true
for variable in NO_COLOR=1 TERM=dumb TERM=; do
	expect "no colour with $variable" 0 "^ *<not counted>  " \
		on_terminal env "$variable" "$perfex" -e nonsense/x/ true
done
expect "an empty NO_COLOR" 0 "$esc\[31m" on_terminal env NO_COLOR= "$perfex" -e nonsense/x/ true
expect "no colour in a file" 0 '^ *<not counted>  ' \
	on_terminal sh -c '"$1" -o "$2" -e nonsense/x/ true; cat "$2"' sh "$perfex" "$work/plain"
expect "no terminal, no progress" 0 '^no progress$' sh -c \
	"'$perfex' -r 4 -e cs sleep 0.6 2>&1 | grep 'perfex: run' || echo no progress"
exit $failed
