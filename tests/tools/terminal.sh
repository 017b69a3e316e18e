#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests the output on a terminal: tables as wide as it is, what the command has printed, and nothing that the
# terminal obeys in the names of others.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
command -v python3 >/dev/null || { echo "SKIP terminals: they need python3"; exit 77; }
unset COLUMNS NO_COLOR
export TERM=xterm LC_ALL=C.UTF-8


# fits NAME STATUS WORDS argument...: on terminals of 80 and 100 columns no line is broken
fits() {
	what=$1 wanted=$2 shown=$3
	shift 3
	for columns in 80 100; do
		expect "$what: $columns columns" "$wanted" "$shown" on $columns "$perfex" "$@"
		! grep -q '<broken>' "$work/out" || fail "$what: $columns columns" "lines are broken"
	done
}
fits "-r" 0 'median' -r 2 -e page-faults,task-clock,context-switches,nonsense/x/ true
fits "a long name" 0 'page-faults' -r 2 -e page-faults,nonsense/field=0x123456789abcdef,another=0x123456789abcdef,third=1/ true
fits "--diff" 123 'differs' --diff -r 3 -e page-faults 'ls / >/dev/null; ls / >/dev/null' \
	'true and some words more, so that this line will not fit a terminal of so many columns'
"$perfex" -r 3 --json -e page-faults -o "$work/before" sh -c 'ls / >/dev/null; ls / >/dev/null'
# A word that is longer than a line is not cut: where the directory's name is long, this is another one.
(
	perfex=$(realpath "$perfex") on=$(realpath "$on") && cd "$work" &&
		fits "--compare" 123 'differs' --compare before -e page-faults true
	exit $failed
) || failed=1
fits "-h" 0 'usage' -h
fits "-M list" 0 'cycles / task-clock' --cpu skylake -M list
fits "-L" 0 'page-faults' -L fault
fits "-L of a processor" 0 'LONGEST_LAT_CACHE' --cpu skylake -L
# Where there is room, a description's lines are below its first one.
expect "-L: 120 columns" 0 '^ \{54\}[^ ]' on 120 "$perfex" --cpu skylake -L
! grep '^   ' "$work/out" | grep -v '^ \{54\}[^ ]' || fail "-L: 120 columns" "a line begins elsewhere"
fits "a run" 0 'utilized' -e task-clock,page-faults,nonsense/x/ true
fits "a long command" 0 'utilized' -e task-clock sh -c ': a command of many words that does not fit into a single line of a terminal' x y z
fits "intervals" 0 'utilized' -I 20 -e task-clock,page-faults sleep 0.1
# columns_of COLUMNS ROW argument...: the columns at which the names of events begin, in rows that begin so
columns_of() {
	wide=$1 row=$2
	shift 2
	on "$wide" "$perfex" "$@" 2>&1 | sed -n "/$row/{s/\\(task-clock\\|context-switches\\|page-faults\\|nonsense\\).*//; p; }" |
		awk '{ print length }' | sort -u | tr '\n' ' '
}
for wide in 60 80 100 200; do
	columns_of $wide '^ *[0-9]\.[0-9]\{6\} [ <]' -I 30 -e task-clock,context-switches,page-faults,nonsense/x/ sleep 0.1 >"$work/columns"
	expect "intervals, $wide columns: one layout" 0 '^[0-9]* $' cat "$work/columns"
done
fits "a message" 125 '^perfex: --cpu takes' --cpu 0-3 -l
expect "a message is one line in a file" 0 '^1$' sh -c "'$perfex' --cpu 0-3 -l 2>&1 | wc -l"
fits "threads" 0 'total' --per=thread -e task-clock,page-faults sh -c 'true & wait'
# Samples: a name that is too long for its line, in a file whose path is, too; and what is said of them.
long=a_function_whose_name_has_more_letters_than_the_terminal_has_columns_so_that_it_must_be_cut_off_somewhere
deep=$work/a-directory-with-a-long-name/another-directory-with-a-long-name/and-one-more-of-these/program-of-a-long-name
mkdir -p "${deep%/*}"
PATH=${deep%/*}:$PATH
printf 'int %s(long n);\nint %s(long n)\n{\n	volatile long i;\n	for (i = 0; i < n; i++);\n	return 0;\n}\nint main(void) { return %s(30000000); }\n' \
	$long $long $long >"$work/long.c"
${CC:-cc} -O0 "$work/long.c" -o "$deep"
shown='  a_function_whose_name_has_more_letters_than_the.*\.\.\.$'
[ "${HAVE_LIBELF:-no}" = yes ] || shown='  -$'
fits "--sample" 0 "$shown" --sample -e cpu-clock "${deep##*/}"
expect "--sample: the end of a long path" 0 '^ *\.\.\..*/program-of-a-long-name$' on 80 "$perfex" --sample -e cpu-clock "${deep##*/}"
fits "--sample --by file" 0 '%  \.\.\..*/program-of-a-long-name$' --sample --by file -e cpu-clock "${deep##*/}"
fits "--sample --by address" 0 'address' --sample --by address -e cpu-clock "${deep##*/}"
expect "--sample: no terminal" 0 "  $deep\$" "$perfex" --sample -e cpu-clock "${deep##*/}"
# Regions of four ranks, and of processes without ranks.
python3 - "$work" <<'EOT'
import json, sys
def value(name, n, unit=''):
    return {'value': name, 'unit': unit, 'inclusive': n, 'exclusive': n, 'quality': 'exact'}
for i in range(3):
    region = {'region': 'solve', 'visits': 1 + i, 'unfinished': i, 'values': [
        value('time', 10 ** 12 + i, 'ns'), value('cycle_activity.stalls_l1d_miss', 18446744073709551615)]}
    other = {'region': 'a region whose name has more letters than there are columns, ' * 2, 'visits': 1,
             'values': [value('time', 5, 'ns')]}
    json.dump({'host': 'host', 'pid': 4000000 + i, 'rank': None if i else 0, 'regions': [region, other],
               'ends_without_begin': 1}, open('%s/rank.%d' % (sys.argv[1], i), 'w'))
EOT
fits "--from" 0 '^  time ns: mean 1000000000001, imbalance' --from "$work/rank.0" "$work/rank.1" "$work/rank.2"
fits "--from: a region" 0 '^solve: 3 processes, 6 visits$' --from "$work/rank.0" "$work/rank.1" "$work/rank.2"
fits "--from: what did not end" 0 '^ *3 visits did not end$' --from "$work/rank.0" "$work/rank.1" "$work/rank.2"
fits "--from: a process without a rank" 0 '(pid 4000002)' --from "$work/rank.0" "$work/rank.1" "$work/rank.2"
expect "--from: one region is told once" 0 '^1$' grep -c '^solve' "$work/out"
fits "--from of one" 0 '^solve: 1 process, 1 visit$' --from "$work/rank.0"
expect "--from: no terminal" 0 '^    minimum 1000000000000 (rank 0), maximum' \
	"$perfex" --from "$work/rank.0" "$work/rank.1" "$work/rank.2"
expect "a terminal that is wide" 0 'minimum  *median  *maximum$' on 200 "$perfex" -r 2 -e page-faults true
expect "no terminal" 0 'minimum  *median  *maximum$' "$perfex" -r 2 -e page-faults true
COLUMNS=80 expect "no terminal, whatever COLUMNS says" 0 'minimum  *median  *maximum$' "$perfex" -r 2 -e page-faults true
expect "a terminal without a width" 0 'median' env COLUMNS=70 python3 "$on" 0 sh -c "'$perfex' -r 2 -e page-faults true"

# ---- what the command prints ----
# Lines that it does not end stay as they are, and none is perfex's before all is over.
expect "-r: what the command prints" 0 '^hellohello$' on 80 "$perfex" -r 2 -e page-faults printf hello
! grep -q 'run [0-9] of' "$work/out" || fail "a short series" "has its progress shown:"
expect "--diff: what the commands print" 0 '^abba$' on 80 "$perfex" --diff --threshold 1000000 -r 2 -e page-faults 'printf a' 'printf b'
expect "a long series" 0 '^perfex: run [2-9] of 6, [0-9]* s left, until ..:..:..$' \
	on 80 "$perfex" -r 6 -e page-faults sh -c 'sleep 0.5; printf hello'
expect "a long series: what the command prints" 0 '^6$' grep -o -c '^hello$' "$work/out"
expect "a long series: lines that end" 0 '^perfex: run 2 of 6' on 80 "$perfex" -r 6 -e page-faults sh -c 'sleep 0.5; echo hello'
expect "a long series: no line is empty before the results" 1 '^0$' sh -c "sed '/counts of/,\$d' '$work/out' | sed '\$d' | grep -c '^\$'"
expect "the lines of a series of many runs are few" 0 '^yes$' sh -c \
	"n=\$(python3 '$on' 80 '$perfex' -r 100 -e page-faults sleep 0.03 | grep -c 'of 100') && test \$n -gt 1 -a \$n -le 21 && echo yes"

# ---- names of others ----
esc=$(printf '\033[31m\302\23331m\302\205\177\342\200\256')
harmless() {	# NAME: what was printed last
	if LC_ALL=C grep -q -e "$(printf '\033\\|\177\\|\302[\200-\237]\\|\342\200\256')" "$work/out"; then
		fail "$1" "the terminal obeys this:"
	else
		pass "$1: nothing that a terminal obeys"
	fi
}
mkdir "$work/$esc"
cp /bin/true "$work/$esc/$esc"
hostile() {	# NAME STATUS WORDS argument...
	what=$1
	expect "$@"
	harmless "$what"
}
for locale in C.UTF-8 C; do
	export LC_ALL=$locale
	hostile "a command, $locale" 0 'counts of .*/?\[31m?31m???.:' "$perfex" -e page-faults "$work/$esc/$esc"
	hostile "an argument, $locale" 0 "counts of 'true .*naïve ?" "$perfex" -e page-faults true "naïve $esc"
	hostile "-r of it, $locale" 0 'mean of 2 runs' "$perfex" -r 2 -e page-faults "$work/$esc/$esc"
	hostile "no such command, $locale" 127 'command not found' "$perfex" -e page-faults "$esc"
	hostile "an event, $locale" 125 'is not an event' "$perfex" -e "$esc" true
	hostile "a PMU, $locale" 125 'be the name of a PMU' "$perfex" -e "nonsense$esc/x/,page-faults" true
	hostile "an option, $locale" 125 'there is no option' "$perfex" "--$esc" true
	hostile "a cgroup, $locale" 125 'no cgroup' "$perfex" -G "$esc" true
	hostile "a file, $locale" 125 "can.t be written" "$perfex" -o "$work/none/$esc" true
	hostile "a baseline, $locale" 125 "can.t be used" "$perfex" --compare "$work/none/$esc" true
	hostile "--pre, $locale" 125 'failed' "$perfex" --pre "false '$esc'" -e page-faults true
	hostile "--diff, $locale" 0 'before: ' "$perfex" --diff --threshold 10000 -r 2 -e page-faults "true '$esc'" true
	hostile "--from, $locale" 125 'none' "$perfex" --from "$work/none/$esc"
	hostile "--regions, $locale" 127 'command not found' "$perfex" --regions "$esc"
	hostile "a search, $locale" 125 'no event has' "$perfex" -l "$esc"
	hostile "a sampled command, $locale" 0 'samples of' "$perfex" --sample -e cpu-clock "$work/$esc/$esc"
	hostile "a file of results, $locale" 0 'counts of' sh -c \
		'"$1" -e page-faults -o "$2" true "$3"; cat "$2"' sh "$perfex" "$work/table" "$esc"
	# shellcheck disable=SC2016
	hostile "a thread's name, $locale" 0 '(?\[31m' "$perfex" --per=thread -e page-faults "$work/$esc/$esc"
done
export LC_ALL=C.UTF-8
python3 - "$work/before" "$esc" >"$work/hostile" <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))
d["events"][0]["event"] = sys.argv[2]
json.dump(d, sys.stdout)
EOT
hostile "a baseline's event" 125 'is not an event' "$perfex" --compare "$work/hostile" true
hostile "a script's interpreter" 126 'its interpreter /none?\[31m' sh -c \
	'printf "#!/none%s\n" "$1" >"$2/script" && chmod +x "$2/script" && exec "$3" -e page-faults "$2/script"' sh "$esc" "$work" "$perfex"
# All that perfex says goes through one function, and tables through another.
expect "no other way to the terminal" 1 '^$' sh -c \
	"cd '${srcdir:-.}/tools' && grep -rn --include='*.c' 'f\\(printf\\|puts\\|putc\\)(.*stderr\\|perror(' . >'$work/found' &&
	grep -v -e '^./perfex/base/die.c' -e '^./perfex/perfex.c.*\\(%\\*s\\|perfex: run %u of %u, %.0f s left\\)' -e '^./perfctr-info/' '$work/found' || { echo; exit 1; }"
expect "colours are perfex's own" 0 "$(printf '\033')\\[31m *<not counted>" raw_on 80 "$perfex" -e nonsense/x/ true
expect "no colours in a file" 0 '^yes$' sh -c "! printf '\\033' | grep -q -f - '$work/table' && echo yes"
exit $failed
