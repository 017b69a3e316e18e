#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --emulate: counts by valgrind, of processes that are created and that execute others, the same each time.
# The environment: PERFEX: the program; CC: a compiler.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
# The programs are the first C library's: of musl's, children of vfork() are told as incomplete.
cc=${CC:-cc}
case $cc in *musl*) cc=cc ;; esac

if ! valgrind --version >/dev/null 2>&1; then
	expect "no valgrind" 125 'which is not here: install it' "$perfex" --emulate true
	skip "emulation" "needs Debian's package valgrind"
	exit $failed
fi
# shellcheck disable=SC2123,SC2317	# no program is found there; it is called
no_valgrind() { PATH=/nonexistent "$(realpath "$perfex")" --emulate true; }
expect "no valgrind" 125 'which is not here: install it' no_valgrind

# A valgrind that fails says why in its log, which is perfex's; or before it has one.
mkdir "$work/failing"
cat >"$work/failing/valgrind" <<'EOT'
#!/bin/sh
[ "$1" = --version ] && exec echo valgrind-9.9
for word; do
	case $word in --log-file=*) log=${word#*=} ;; esac
done
[ "$FAILS" = early ] || printf '==1== \n==1== it begins\n--1-- WARNING: unknown DWARF\n==1== \n' >"${log%\%p*}$$.log"
exit 1
EOT
chmod +x "$work/failing/valgrind"
expect "valgrind's cause" 125 '^perfex: valgrind-9.9 could not run the command: WARNING: unknown DWARF$' \
	env FAILS=late PATH="$work/failing:$PATH" "$(realpath "$perfex")" --emulate true
expect "valgrind without a cause" 125 '^perfex: valgrind-9.9 could not run the command, and ended with exit status 1$' \
	env FAILS=early PATH="$work/failing:$PATH" "$(realpath "$perfex")" --emulate true

# Of most commands only the end matters: one that begins quickly takes a quarter of the time.
mkdir "$work/quick"
echo 'int main(void) { return 0; }' >"$work/quick/true.c"
$cc -static "$work/quick/true.c" -o "$work/quick/true" || exit
PATH=$work/quick:$PATH

count() {	# EVENT command...: what is emulated of it
	event=$1
	shift
	"$perfex" --emulate --csv -o - -e "$event" "$@" 2>/dev/null | sed -n 's/,.*,emulated,.*//p'
}
is() {	# NAME VALUE EXPECTED
	if [ "$2" = "$3" ]; then pass "$1"; else
		echo "$2, not $3" >"$work/out"
		fail "$1" "not so:"
	fi
}

# ---- counts ----
# As on the emulated machines, tests/vm/guest/perfex-exact.c: twice as many in a loop are as many more.
case $(uname -m) in
x86_64 | i?86 | aarch64)
	$cc -O2 -static "$srcdir/tests/vm/guest/loop.c" -o "$work/loop"
	one=$(count instructions:u "$work/loop" 0000100000) two=$(count instructions "$work/loop" 0000200000)
	is "instructions of a loop" $((two - one)) 200000
	one=$(count conditional-branches "$work/loop" 0000100000) two=$(count conditional-branches "$work/loop" 0000200000)
	is "conditional branches of a loop" $((two - one)) 100000
	;;
*) skip "a loop" "is written for x86 and arm64" ;;
esac
# A walk over 16 MiB misses in each of 262,144 lines, of a cache of 8 MiB; twice as much, twice as often.
cat >"$work/walk.c" <<'EOT'
#include <stdlib.h>
static char memory[16 << 20];
int main(int argc, char **argv)
{
	volatile char *line = memory;
	for (long n = atol(argv[argc - 1]); n--;)
		for (long i = 0; i < sizeof(memory); i += 64)
			__asm__ volatile("" : : "r"(line[i])); /* valgrind leaves out what nobody uses */
	return 0;
}
EOT
$cc -O2 -static "$work/walk.c" -o "$work/walk"
for event in LLC-load-misses L1-dcache-load-misses; do
	one=$(count $event "$work/walk" 1) two=$(count $event "$work/walk" 2)
	is "$event" $((two - one)) 262144
done

# ---- processes ----
# Before and after fork() and execve() there is a loop; each counts once, whoever does what.
cat >"$work/family.c" <<'EOT'
#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
extern char **environ;
static void loop(void)
{
	for (volatile long i = 0; i < 400000; i++)
		;
}
static int looping(void *arg)
{
	loop(), _exit(0);
}
int main(int argc, char **argv)
{
	static char stack[65536];
	char *end[] = { argv[0], "end", NULL };
	const char *what = argv[1];
	pid_t child;
	loop();
	if (!strcmp(what, "twice"))
		loop();
	if (!strcmp(what, "fork") && !fork())
		loop(), _exit(0);
	if (!strcmp(what, "fork, execve") && !fork())
		loop(), execve(argv[0], end, environ);
	if (!strcmp(what, "vfork") && !vfork())
		execve(argv[0], end, environ), _exit(1);
	if (!strcmp(what, "posix_spawn"))
		posix_spawn(&child, argv[0], NULL, NULL, end, environ);
	if (!strcmp(what, "execve"))
		execve(argv[0], end, environ);
	if (!strcmp(what, "clone"))
		clone(looping, stack + sizeof(stack), 0, NULL);
	if (!strcmp(what, "raw fork") && !syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
		_exit(0);
	if (!strcmp(what, "raw execve"))
		syscall(SYS_execve, argv[0], end, environ);
	if (!strcmp(what, "killed") && !(child = fork()))
		for (;;)
			pause();
	if (!strcmp(what, "killed"))
		kill(child, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	return 0;
}
EOT
for static in -static ''; do
	# shellcheck disable=SC2086
	$cc -O0 $static "$work/family.c" -o "$work/family"
	alone=$(count instructions "$work/family" end)
	loop=$(($(count instructions "$work/family" twice) - alone))
	loops() {	# WHAT N: so many loops more, and a bit
		now=$(count instructions "$work/family" "$1")
		is "loops of $1 ${static:-dynamic}" $(((${now:-0} - alone + loop / 4) / loop)) "$2"
	}
	loops "fork, execve" 2
	loops posix_spawn 1
	# The others create processes by the same functions, whatever their library's place.
	[ "$static" ] || continue
	loops fork 1
	loops vfork 1
	loops clone 1
	loops execve 1
done
expect "the same each time" 0 '^1$' sh -c "for i in 1 2 3; do
	'$perfex' --emulate --json -e instructions,conditional-branches '$work/family' 'fork, execve' 2>&1 |
		grep -o '\"value\":[0-9]*' | tr '\n' ' '; echo; done | sort -u | wc -l"
# perfex says if a count is incomplete or twice too large, and does not call it emulated.
expect "a system call instead of fork()" 0 'incomplete: a process was created by no function' \
	"$perfex" --emulate "$work/family" "raw fork"
expect "a system call instead of execve()" 0 ',incomplete,' "$perfex" --emulate --csv "$work/family" "raw execve"
expect "the reason" 0 '"incomplete":"a process was killed before' "$perfex" --emulate --json "$work/family" killed

# ---- processes that still run at the command's end ----
# Each reads a line that lets it go. Another fifo tells the command that it runs.
mkfifo "$work/hold" "$work/reads"
exec 9<>"$work/hold"
hold=$work/hold reads=$work/reads
export hold reads
# shellcheck disable=SC2016
leave='{ echo >"$reads"; read -r _ <"$hold"; } & cat "$reads"'
# shellcheck disable=SC2016
daemon='setsid -f sh -c "echo >\"\$reads\"; read -r _ <\"\$hold\"; /bin/true; echo \$? >\"\$hold.after\""; cat "$reads"'
let_go() { echo >&9; }
left='1 process of the command still ran at its end'
expect "one is left" 124 "^ $left; what valgrind had not told of them by then is missing" "$perfex" --emulate --strict sh -c "$leave"
expect "one is left: its files" 0 "^perfex: valgrind still runs processes of the command, and writes files in $TMPDIR/perfex" cat "$work/out"
expect "one is left: strictly" 0 "^perfex: --strict: instructions:u is not exact: $left, so that what valgrind had not told" cat "$work/out"
let_go
expect "one is left, JSON" 0 "\"quality\":\"incomplete\".*\"incomplete\":\"$left.*\"left_running\":1,\"left_exactly\":true}\$" \
	"$perfex" --emulate --json sh -c "$leave"
let_go
expect "one is left, CSV" 0 ",incomplete,.*$left" "$perfex" --emulate --csv sh -c "$leave"
let_go
expect "a daemon is left" 0 "^ [12] process.* of the command still ran" "$perfex" --emulate sh -c "$daemon"
let_go
# It goes on in valgrind, and executes programs there.
for _ in $(seq 600); do ! [ -s "$hold.after" ] || break; sleep 0.1; done
is "a daemon goes on" "$(cat "$hold.after")" 0
expect "each run's" 0 '^ 2 of 2 runs left processes running beside later ones, the first 1; what valgrind' \
	"$perfex" --emulate -r 2 sh -c "$leave"
let_go
let_go
for _ in $(seq 600); do pgrep -f "callgrind.*$TMPDIR/perfex" >/dev/null || break; sleep 0.1; done
rm -rf "$TMPDIR"/perfex.*
# shellcheck disable=SC2016
expect "it is waited for" 0 '"quality":"emulated"' "$perfex" --emulate --wait --strict --json -o - sh -c "$leave; echo >\"\$hold\""
expect "nobody is left" 1 '^0$' grep -c -e left_running -e incomplete "$work/out"
# shellcheck disable=SC2016
"$perfex" --emulate --wait sh -c "$leave; "'echo $$ >"$0"' "$work/over" >"$work/out" 2>&1 &
for _ in $(seq 600); do ! [ -s "$work/over" ] || [ -e "/proc/$(cat "$work/over")" ] || break; sleep 0.1; done
sleep 0.3
kill -TERM $!
wait $!
expect "a signal ends the wait" 0 "^ $left" cat "$work/out"
let_go
for _ in $(seq 600); do pgrep -f "callgrind.*$TMPDIR/perfex" >/dev/null || break; sleep 0.1; done
rm -rf "$TMPDIR"/perfex.*
exec 9>&-

# An instruction that valgrind lacks, in a child.
case $(uname -m) in
x86_64)
	cat >"$work/foreign.c" <<'EOT'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	if (!fork())
		__asm__ volatile(".byte 0x62, 0xf1, 0xfd, 0x48, 0x58, 0xc0" : : : "xmm0"); /* vaddpd zmm0 */
	wait(NULL);
	return 0;
}
EOT
	$cc -static "$work/foreign.c" -o "$work/foreign"
	unknown='valgrind does not know an instruction of a program'
	expect "an instruction that valgrind lacks" 0 "incomplete: $unknown" "$perfex" --emulate "$work/foreign"
	expect "lacks, json" 0 "\"incomplete\":\"$unknown" "$perfex" --emulate --json "$work/foreign"
	expect "lacks, csv" 0 ',incomplete,' "$perfex" --emulate --csv "$work/foreign"
	;;
*) skip "an instruction that valgrind lacks" "is one of x86-64's" ;;
esac
# The tool simulates what the events need, and no more: the events that it writes for the options that it gets.
mkdir "$work/asked"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = --version ] || printf "%%s\\n" "$@" >"%s/args"\nexec "%s" "$@"\n' "$work" "$(command -v valgrind)" \
	>"$work/asked/valgrind"
chmod +x "$work/asked/valgrind"
simulates() {	# EVENT COLUMNS
	PATH="$work/asked:$PATH" "$perfex" --emulate -o /dev/null -e "$1" true
	sed "s|^--callgrind-out-file=.*|--callgrind-out-file=$work/asked/out|; s|^--log-file=.*|--log-file=/dev/null|" "$work/args" |
		xargs -d '\n' valgrind
	is "simulated for $1" "$(sed -n 's/^events: //p' "$work/asked/out")" "$2"
	rm -f "$work"/asked/out*
}
simulates instructions Ir
simulates conditional-branches "Ir Bc Bcm Bi Bim"
simulates L1-dcache-load-misses "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"

# ---- comparisons ----
"$perfex" --emulate -r 3 --json -o "$work/base" "$work/family" fork
expect "the same" 0 'instructions:u .* same$' "$perfex" --emulate --compare "$work/base" "$work/family" fork
expect "no time" 1 "^0\$" grep -c "^ elapsed" "$work/out"
expect "what differs" 123 'instructions:u .* differs$' \
	"$perfex" --emulate --compare "$work/base" "$work/family" "fork, execve"
expect "emulated and counted" 125 'was made with --emulate' "$perfex" --compare "$work/base" -e cs true
"$perfex" -r 2 --json -e task-clock -o "$work/counted" true
expect "counted and emulated" 125 'was made without --emulate' "$perfex" --emulate --compare "$work/counted" true
expect "two commands" 123 'instructions:u .* differs$' \
	"$perfex" --emulate --diff -r 2 "'$work/family' end" "'$work/family' fork"

# ---- ends, and what is told ----
expect "whose counts" 0 "counts of 'true', emulated by valgrind-" "$perfex" --emulate true
expect "the cost" 0 'which takes 20 to 100 times as long' cat "$work/out"
expect "only counts" 1 '^0$' grep -c -e '--[0-9]*--' -e '==[0-9]*==' "$work/out"
expect "the emulator, json" 0 '"emulator":"valgrind-' "$perfex" --emulate --json true
expect "metrics" 0 '^ *[0-9.]* */1000 *l1d-mpki$' "$perfex" --emulate -M l1d-mpki,ipc true
expect "a metric of what is not emulated" 0 '^ *<not counted> *ipc *\[1\]$' cat "$work/out"
expect "metrics, json" 0 ',"metrics":\[{"metric":"l1d-mpki","value":[0-9.]*,"unit":"/1000","quality":"emulated","reason":null}\]' \
	"$perfex" --emulate --json -M l1d-mpki true
# A walk over more than the cache misses in each line: all loads are misses.
expect "a metric beyond its threshold" 0 '^ *[0-9.]* % *l1d-miss-rate .*  (beyond: l1d-miss-rate > 5)$' \
	"$perfex" --emulate -M l1d-miss-rate "$work/walk" 1
expect "beyond, csv" 0 '^,[0-9.]*,%,l1d-miss-rate,emulated,,,l1d-miss-rate > 5' "$perfex" --emulate --csv -M l1d-miss-rate "$work/walk" 1
expect "beyond, json" 0 '"threshold":"l1d-miss-rate > 5","beyond":true,"reason":null}' \
	"$perfex" --emulate --json -M l1d-miss-rate "$work/walk" 1
expect "metrics, openmetrics" 0 '^perfex_metric{target="true",metric="l1d-mpki",unit="/1000",quality="emulated"} [0-9]' \
	"$perfex" --emulate --format=openmetrics -M l1d-mpki true
expect "openmetrics" 0 '^perfex_events_total.*event="instructions:u",quality="emulated"} [0-9]*$' \
	"$perfex" --emulate --format=openmetrics -e instructions true
expect "an exit status" 7 'instructions:u' "$perfex" --emulate sh -c 'exit 7'
expect "a signal" 143 'instructions:u' sh -c "'$perfex' --emulate sh -c 'kill -TERM \$\$'"
expect "passed on" 143 'instructions:u' sh -c "'$perfex' --emulate sh -c 'kill -TERM \$PPID; while :; do :; done' & wait \$!"
# shellcheck disable=SC2016
expect "a series that is to end" 0 '"runs":1,' "$perfex" --emulate --json -r 4 -e instructions \
	sh -c 'trap "exit 0" TERM; kill -TERM $PPID; while :; do :; done'
mkdir "$work/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" != --version ] || { echo valgrind-0; exit; }\nkill -TERM $$\n' >"$work/bin/valgrind"
chmod +x "$work/bin/valgrind"
expect "a signal before the command" 143 'incomplete: ' env PATH="$work/bin:$PATH" "$perfex" --emulate true
expect "no such command" 127 'command not found' "$perfex" --emulate nonexistent-command
expect "not executable" 126 'Permission denied' "$perfex" --emulate /etc/passwd
# shellcheck disable=SC2016
expect "a pipe among its files" 0 'instructions:u' timeout 60 "$perfex" --emulate -e instructions \
	sh -c 'mkfifo "$(echo "$TMPDIR"/perfex.*)/$$.pipe"'
expect "output of the command's" 0 '^hello$' "$perfex" --emulate -o "$work/file" echo hello
expect "an event that it has not" 0 'not counted> *cycles *\[1\]' "$perfex" --emulate -e cycles,instructions true
expect "a wrong event" 125 'did you mean instructions' "$perfex" --emulate -e instrctions true
expect "a number" 125 '--emulate takes names' "$perfex" --emulate -e 0x41 true
expect "a place for files" 125 "can't make one in /nonexistent: No such file or directory; set TMPDIR" \
	env TMPDIR=/nonexistent "$perfex" --emulate true
long=$work/$(printf '%0200d' 1)
mkdir "$long"
expect "a place with a long name" 0 'instructions:u' env TMPDIR="$long" "$perfex" --emulate -e instructions true
expect "a place with a name that is too long" 125 'whose name is shorter' env TMPDIR="/$(printf '%04096d' 1)" "$perfex" --emulate true
expect "a place with an unusual name" 125 'whose name is shorter' env TMPDIR=/100% "$perfex" --emulate true
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir "$work/full"
	# shellcheck disable=SC2016
	expect "a place that is full" 125 'needs room for files in .*, and there is none: No space left on device; set TMPDIR$' \
		unshare -m sh -c 'mount -t tmpfs -o size=16k none "$1" && TMPDIR=$1 exec "$2" --emulate true' sh "$work/full" "$perfex"
	case ${CFLAGS:-} in
	*sanitize*) ;; # needs /proc itself
	*)	expect "no /proc" 125 'valgrind reads /proc, which is not mounted' \
			unshare -m sh -c "mount -t tmpfs none /proc && exec '$perfex' --emulate true" ;;
	esac
fi
mkfifo "$work/fifo"
"$perfex" --emulate -o "$work/fifo" true &
until [ -n "$(find "$TMPDIR" -name 'perfex.*')" ]; do sleep 0.05; done
sleep 1	# and it waits for a reader
kill $!
wait $! 2>/dev/null
is "a signal while a pipe has no reader" $? 143
if rmdir "$TMPDIR" 2>"$work/out"; then pass "nothing is left"; else fail "nothing is left" "in TMPDIR:"; fi
exit $failed
