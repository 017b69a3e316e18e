#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Someone who has the pages, and perhaps no PMU: the commands of README.md, docs/PAGES.md, perfctr_tutorial(7) and perfex(1)'s
# examples work as printed, or the page says what they need; and what a sentence advises works where it is said.
# The environment: PERFEX: the program; srcdir; CC, CFLAGS; LIBPERFCTR, the build's directory with the library;
# HAVE_LIBDW: whether perfex finds calls by DWARF.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
top=$(cd "$srcdir" && pwd) lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
mkdir "$work/bin" "$work/run"
ln -s "$(realpath "$perfex")" "$work/bin/perfex"
# "cc ... -lperfctr" as where libperfctr is installed; users have no warnings on.
printf '#!/bin/sh\nexec %s %s -w -I"%s" -L"%s" "$@" -pthread -lm -Wl,-rpath,"%s"\n' "${CC:-cc}" "${CFLAGS:-}" "$top/include" "$lib" "$lib" >"$work/bin/cc"
chmod 755 "$work/bin/cc"
PATH=$work/bin:$PATH
export PATH
cd "$work/run" || exit

# ---- what the commands find ----
mkdir examples
cp "$top/examples/slow.c" "$top/examples/regions.c" examples
cp "$top/examples/slow.c" .
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) print int(rand() * 1000000) }' >numbers
cp numbers data
printf 'all:\n\ttrue\n' >Makefile
make_all() {	# compiles by the page's own lines
	sed -n "$1" "$top/$2" >compiled
	while read -r line; do
		if sh -c "$line" >"$work/out" 2>&1; then pass "$2: $line"; else fail "$2: $line" "does not compile:"; fi
	done <compiled
}
# A PMU that the kernel does not show.
no_pmu=false
! perfex -e cycles:u true 2>&1 | grep -q 'shows no PMU\|found no PMU' || no_pmu=true

# works PAGE COMMAND [EXCUSE]: it ends as it should; without a PMU it may fail for the reason that the page gives
works() {
	page=$1 command=$2 excuse=${3:-}
	case $command in
	*' 1234 '* | *' PID '*)
		sleep 4 &
		command=$(echo "$command" | sed "s/ 1234 / $! /; s/ PID / $! /") ;;
	esac
	# That is a build's affair.
	case $command in *'--call-graph dwarf'*) [ "${HAVE_LIBDW:-no}" = yes ] || return ;; esac
	case $command in
	*--emulate*) valgrind --version >/dev/null 2>&1 || { skip "$page: $command" "needs Debian's package valgrind"; return; } ;;
	*' -a '* | *' -C '* | *' -G '*) perfex -a -e cs true 2>/dev/null || { skip "$page: $command" "needs root"; return; } ;;
	esac
	# Waits of the page take a while.
	command=$(echo "$command" | sed 's/sleep 10$/sleep 0.1/; s/--timeout [0-9]*0000/--timeout 300/; s/-I [0-9]*000 /-I 300 /')
	RANK=0 sh -c "$command" >"$work/out" 2>&1 </dev/null
	status=$?
	if grep -q 'command not found\|No such file' "$work/out"; then
		fail "$page: $command" "something is not there:"
	elif [ $status = 0 ] || [ $status = 123 ]; then
		pass "$page: $command"
	elif [ -n "$excuse" ] && echo "$command" | grep -q -e "$excuse" && { $no_pmu || [ "$excuse" = . ]; }; then
		pass "$page: $command: not here, as the page says"
	else
		fail "$page: $command" "exit status $status:"
	fi
}

# says_so PAGE WORDS: the page names what needs a PMU
says_so() {
	tr -s '\n' ' ' <"$top/$1" | sed 's/\.Fl -/--/g; s/\.Fl /-/g; s/`//g' | grep -q -e "$2"
	status=$?
	: >"$work/out"
	[ $status = 0 ] && pass "$1 says what needs a PMU" || fail "$1" "it does not say: $2"
}

# ---- perfctr_tutorial(7) ----
make_all 's/^\.Dl \(cc .*\)/\1/p' man/perfctr_tutorial.7
says_so man/perfctr_tutorial.7 '-M and --why need a PMU'
sed -n 's/\\-/-/g; s/\\e/\\/g; s/^\$ //p; s/^\.Ql \(perfex .*\) :$/\1/p; s/^\.Ql \(perfex --why .*\)/\1/p' "$top/man/perfctr_tutorial.7" |
	grep '^perfex' >commands
n=0
while read -r line; do
	n=$((n + 1))
	works perfctr_tutorial "$line" ' -M \| --why '
done <commands
: >"$work/out"
[ $n -ge 18 ] || fail "perfctr_tutorial" "only $n commands"
rm slow

# ---- README.md: each command; the events of one processor are on it ----
make_all 's/^\t\(cc .*\)/\1/p' README.md
n=0
sed -n 's/^\t\(perfex .*\)/\1/p' "$top/README.md" >commands
while read -r line; do
	n=$((n + 1))
	case $line in
	*'# on a '*) works README "$line" . ;;
	*) works README "$line" ;;
	esac
done <commands
: >"$work/out"
[ $n -ge 8 ] || fail "README" "only $n commands"
rm slow

# ---- docs/PAGES.md ----
make_all 's/^\t\(cc .*\)/\1/p' docs/PAGES.md
says_so docs/PAGES.md 'Without a PMU -M and --why=tree have nothing'
n=0
sed -n 's/^\t\$ //p' "$top/docs/PAGES.md" >commands
while read -r line; do
	n=$((n + 1))
	works PAGES "$line" ' -M \| --why=tree '
	file=$(echo "$line" | sed 's/.*--html \([^ ]*\).*/\1/')
	[ -s "$file" ] || case $line in
	*--why=tree*) ;;
	*) fail "PAGES: $line" "there is no $file" ;;
	esac
done <commands
: >"$work/out"
[ $n = 5 ] || fail "PAGES" "$n commands"

# ---- the examples of perfex(1), perfex-sample(1) and perfex-regions(1) ----
says_so man/perfex.1 'Without a PMU, --strict and events of the processor alone fail'
cp slow benchmark
cp slow benchmark-new
cp slow solver
n=0
for page in perfex perfex-sample perfex-regions; do
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/{s/\\-/-/g; s/^\.Dl //p; }' "$top/man/$page.1"
done >commands
while read -r line; do
	n=$((n + 1))
	case $line in
	mpirun*)
		for rank in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$rank sh -c "${line#*-n 4 }" 2>/dev/null; done
		continue ;;
	*--format=openmetrics*) line="$line --timeout 100" ;;
	esac
	case $line in
	*MEM_* | *0x004100C0*) works perfex "$line" . ;;
	*) works perfex "$line" ' --strict \| -a -e .{instr\|--per=socket\| -A ' ;;
	esac
done <commands
: >"$work/out"
[ $n -ge 25 ] || fail "perfex(1)" "only $n examples"

# ---- sentences without a PMU ----
if ! $no_pmu; then
	skip "sentences without a PMU" "this machine has one"
	exit $failed
fi
expect "a count: other ways" 0 '^ without a PMU: perfex --sample shows .*; perfex --emulate counts' perfex -e cycles ./slow
expect "a process's count: one" 0 '^ without a PMU: perfex --sample shows where the time goes$' perfex -p $$ -e cycles,page-faults true
expect "a process's cycles alone" 125 '; without a PMU use -e task-clock,page-faults, or --sample$' perfex -p $$ -e cycles
expect "counting works" 0 ' task-clock ' perfex -p $$ -e task-clock,page-faults --timeout 50
expect "sampling works" 0 '^ samples of cpu-clock[:u]*, ' perfex --sample -p $$ --timeout 50
expect "no remedy where the PMU is not missing" 1 '' sh -c "perfex -e nonsense/x/ true 2>&1 | grep 'without a PMU' && echo; test \$? = 0 || { echo; exit 1; }"
expect "the kernel's reason names no tool" 1 '^0$' sh -c "perfex --csv -e cycles true 2>&1 | grep -c perfex.--emulate"
expect "--why: other ways" 125 "here it can't: .*; without a PMU, perfex --sample shows .*, and perfex --emulate" perfex --why ./slow
expect "cycles: the clock, and it says so" 0 '^ the clock was sampled in place of cycles: cycles:u can.t be counted: ' perfex --sample -e cycles:u ./slow
expect "in their mode" 0 '^ samples of cpu-clock:u, one in ' perfex --sample -e cycles:u -c 1000000 ./slow
expect "a period that is too short for the clock" 0 '^ samples of cpu-clock:u, one in ' perfex --sample -e cycles:u -c 1000 ./slow
expect "without -e it says so" 0 '^ the clock was sampled in place of cycles: ' perfex --sample ./slow
expect "JSON says so" 0 '"doubts":\["the clock was sampled in place of cycles: ' perfex --sample --json -o - -e cpu-cycles:u ./slow
expect "another event: what can be sampled" 125 'to sample the time without a PMU, use -e cpu-clock$' perfex --sample -e instructions:u ./slow
expect "that works" 0 '^ samples of cpu-clock' perfex --sample -e cpu-clock ./slow
expect "branches: what can be sampled" 125 'to sample the time without a PMU, leave out --by and -e$' perfex --sample --by branch -e cycles ./slow
expect "regions: a reason, once for all events that have it" 0 \
	'^perfex: instructions:u, {cycles:u,branches:u} are not counted: th' perfex --regions -e 'instructions:u,{cycles:u,branches:u},page-faults' ./slow
expect "regions: the rest is counted" 0 '^  *page-faults[:u]*  *2[0-9]*  ' cat "$work/out"
expect "regions: what else there is" 0 '^perfex: without a PMU, regions have their times and these events; perfex --emulate counts whole commands only$' \
	perfex --regions -e page-faults,cycles:u ./slow
expect "regions: times alone" 0 '^perfex: without a PMU, regions have their times; ' perfex --regions -e cycles:u ./slow
expect "regions: a metric" 0 '^perfex: ipc is not counted: ' perfex --regions -M ipc ./slow
expect "regions: no event" 125 '^perfex: "bogus" is not an event' perfex --regions -e cycles,bogus touch ran
expect "regions: no metric" 125 '^perfex: .*"bogus"' perfex --regions -e cycles -M bogus touch ran
expect "nothing ran for them" 0 '^no$' sh -c 'test -e ran || echo no'
exit $failed
