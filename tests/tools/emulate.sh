#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --emulate: counts by valgrind, of processes that are created and that execute others, the same each time; by perfex's own
# tool and by callgrind.
# The environment: PERFEX: the program; PERFEX_VALGRIND: the own tool's directory; HAVE_VALGRIND_TOOL: yes or no; CC: a compiler.
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

# Without the tool's directory callgrind counts. A build without the tool is tested by callgrind alone.
tool=${PERFEX_VALGRIND:-/nonexistent}
both="callgrind perfctr"
[ "${HAVE_VALGRIND_TOOL:-no}" = yes ] || both=callgrind
by() {	# callgrind or perfctr, from now on
	PERFEX_VALGRIND=$tool
	[ "$1" = perfctr ] || PERFEX_VALGRIND=/nonexistent
	export PERFEX_VALGRIND
}

# ---- counts ----
for emulator in $both; do
by "$emulator"
# As on the emulated machines, tests/vm/guest/perfex-exact.c: twice as many in a loop are as many more.
case $(uname -m) in
x86_64 | i?86 | aarch64)
	$cc -O2 -static "$srcdir/tests/vm/guest/loop.c" -o "$work/loop"
	one=$(count instructions:u "$work/loop" 0000100000) two=$(count instructions "$work/loop" 0000200000)
	is "instructions of a loop, $emulator" $((two - one)) 200000
	one=$(count conditional-branches "$work/loop" 0000100000) two=$(count conditional-branches "$work/loop" 0000200000)
	is "conditional branches of a loop, $emulator" $((two - one)) 100000
	;;
*) skip "a loop" "is written for x86 and arm64" ;;
esac
done
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
#include <pthread.h>
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
static void handle(int signal)
{
	loop();
}
static void *in_thread(void *arg)
{
	return loop(), arg;
}
static void *execute(void *arg)
{
	char *end[] = { arg, "end", NULL };
	return loop(), execve(arg, end, environ), arg;
}
int main(int argc, char **argv)
{
	static char stack[65536];
	pthread_t thread;
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
		loop(), _exit(0);
	if (!strcmp(what, "execve that fails"))
		execve("/nonexistent", end, environ), loop();
	if (!strcmp(what, "thread"))
		pthread_create(&thread, NULL, in_thread, NULL), pthread_join(thread, NULL);
	if (!strcmp(what, "execve in a thread"))
		pthread_create(&thread, NULL, execute, argv[0]), pthread_join(thread, NULL);
	if (!strcmp(what, "signal"))
		signal(SIGUSR1, handle), raise(SIGUSR1);
	if (!strcmp(what, "setuid and chroot") && !chroot("/proc") && !setuid(65534))
		loop();
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
for emulator in $both; do
by "$emulator"
for static in -static ''; do
	# shellcheck disable=SC2086
	$cc -O0 $static -pthread "$work/family.c" -o "$work/family"
	alone=$(count instructions "$work/family" end)
	loop=$(($(count instructions "$work/family" twice) - alone))
	loops() {	# WHAT N: so many loops more, and a bit
		now=$(count instructions "$work/family" "$1")
		is "loops of $1 ${static:-dynamic}, $emulator" $(((${now:-0} - alone + loop / 4) / loop)) "$2"
	}
	loops "fork, execve" 2
	loops posix_spawn 1
	# The others create processes by the same functions, whatever their library's place.
	[ "$static" ] || continue
	loops fork 1
	loops vfork 1
	loops clone 1
	loops execve 1
	loops "execve that fails" 1
	loops thread 1
	loops "execve in a thread" 2
	loops "signal" 1
	[ $emulator = perfctr ] || continue
	# Also without the C library's functions; and a program may lose the right to open the file.
	loops "raw fork" 1
	loops "raw execve" 1
	[ "$(id -u)" != 0 ] || loops "setuid and chroot" 1
done
done
expect "the same each time" 0 '^1$' sh -c "for i in 1 2 3; do
	'$perfex' --emulate --json -e instructions,conditional-branches '$work/family' 'fork, execve' 2>&1 |
		grep -o '\"value\":[0-9]*' | tr '\n' ' '; echo; done | sort -u | wc -l"
by callgrind
# perfex says if a count is incomplete or twice too large, and does not call it emulated.
expect "a system call instead of fork()" 0 'incomplete: a process was created by no function' \
	"$perfex" --emulate "$work/family" "raw fork"
expect "a system call instead of execve()" 0 ',incomplete,' "$perfex" --emulate --csv "$work/family" "raw execve"
for emulator in $both; do
	by "$emulator"
	expect "the reason, $emulator" 0 '"incomplete":"a process was killed before' "$perfex" --emulate --json "$work/family" killed
done

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
# It continues in valgrind, and executes programs there.
for _ in $(seq 600); do ! [ -s "$hold.after" ] || break; sleep 0.1; done
is "a daemon continues" "$(cat "$hold.after")" 0
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
	for emulator in $both; do
		by "$emulator"
		expect "an instruction that valgrind lacks, $emulator" 0 "incomplete: $unknown" "$perfex" --emulate "$work/foreign"
	done
	expect "lacks, json" 0 "\"incomplete\":\"$unknown" "$perfex" --emulate --json "$work/foreign"
	expect "lacks, csv" 0 ',incomplete,' "$perfex" --emulate --csv "$work/foreign"
	;;
*) skip "an instruction that valgrind lacks" "is one of x86-64's" ;;
esac
# Callgrind simulates what the events need, and no more: the events that it writes for the options that it gets. The own tool counts what
# it can.
mkdir "$work/asked"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = --version ] || printf "%%s\\n" "$@" >"%s/args"\nexec "%s" "$@"\n' "$work" "$(command -v valgrind)" \
	>"$work/asked/valgrind"
chmod +x "$work/asked/valgrind"
runs() {	# EVENT TOOL: by this tool
	PATH="$work/asked:$PATH" "$perfex" --emulate -o /dev/null -e "$1" true
	is "the tool for $1" "$(sed -n 's/^--tool=//p' "$work/args")" "$2"
}
simulates() {	# EVENT COLUMNS
	runs "$1" callgrind
	sed "s|^--callgrind-out-file=.*|--callgrind-out-file=$work/asked/out|; s|^--log-file=.*|--log-file=/dev/null|" "$work/args" |
		xargs -d '\n' valgrind
	is "simulated for $1" "$(sed -n 's/^events: //p' "$work/asked/out")" "$2"
	rm -f "$work"/asked/out*
}
by callgrind
simulates instructions Ir
simulates conditional-branches "Ir Bc Bcm Bi Bim"
for emulator in $both; do
	by "$emulator"
	simulates L1-dcache-load-misses "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"
	simulates conditional-branch-misses "Ir Bc Bcm Bi Bim"
	runs indirect-branches "$emulator"
	runs instructions,conditional-branches "$emulator"
done

# ---- perfex's own tool ----
expect "why it is callgrind" 0 'by callgrind, slower, .*: perfex.s tool, which is built where .* is not in /nonexistent$' env PERFEX_VALGRIND=/nonexistent "$perfex" --emulate true
expect "no reason where only callgrind can" 1 '^0$' sh -c "'$perfex' --emulate -e L1-dcache-loads true 2>&1 | grep -c 'by callgrind'"
if [ "$both" != callgrind ]; then
	by perfctr
	expect "the cost of the own tool" 0 'which takes 5 to 50 times as long' "$perfex" --emulate true
	expect "no reason" 1 '^0$' grep -c 'by callgrind' "$work/out"
	mkdir "$work/other"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo valgrind-0; exit; }\nexec "%s" "$@"\n' "$(command -v valgrind)" >"$work/other/valgrind"
	chmod +x "$work/other/valgrind"
	expect "a tool of another version" 0 'by callgrind, slower, .*: perfex.s tool is of valgrind-' \
		env PATH="$work/other:$PATH" "$perfex" --emulate true
	expect "another valgrind" 0 'by callgrind, slower, .*: VALGRIND_LIB is set' \
		env VALGRIND_LIB=/usr/libexec/valgrind "$perfex" --emulate true
	# Both tools count the same: twice the work is as much more.
	cat >"$work/work.c" <<'EOT'
#include <stdlib.h>
static long half(long x) { return x / 2; }
static long triple(long x) { return 3 * x + 1; }
static long (*const step[])(long) = { half, triple };
int main(int argc, char **argv)
{
	long sum = 0;
	for (long n = atol(argv[1]); n--;)
		for (long i = 1; i < 2000; i++)
			for (long x = i; x != 1; x = step[x & 1](x))
				sum += x > 1000 && x % 3 ? 1 : x;
	return sum == 0;
}
EOT
	$cc -O1 -static "$work/work.c" -o "$work/work"
	more() {	# EVENTS command...: of each event so many more, and repeats, with 60000 as the last argument and not 10000
		events=$1
		shift
		"$perfex" --emulate --json -o "$work/json.1" -e "$events" "$@" 10000
		"$perfex" --emulate --json -o "$work/json.2" -e "$events" "$@" 60000
		cat "$work/json.1" "$work/json.2" | grep -o '"value":[0-9]*\|"repeats":[0-9]*' | awk -F: '
			{ value[NR] = $2 }
			END { for (i = 1; i <= NR / 2; i++) printf "%s%d", (i > 1) ? " " : "", value[i + NR / 2] - value[i] }'
	}
	events=instructions,conditional-branches,indirect-branches
	alike() {	# N
		"$perfex" --emulate --csv -o - -e $events "$work/work" "$1" 2>/dev/null | sed -n 's/,.*,emulated,.*//p' | tr '\n' ' '
	}
	differences() { echo "$1 $2" | awk '{ print $4 - $1, $5 - $2, $6 - $3 }'; }
	mine=$(differences "$(alike 1)" "$(alike 2)")
	by callgrind
	is "as callgrind counts" "$mine" "$(differences "$(alike 1)" "$(alike 2)")"
	"$perfex" --emulate -r 2 --json -o "$work/base" true
	by perfctr
	expect "compared with callgrind's" 125 "was not made by valgrind's tool perfctr" "$perfex" --emulate --compare "$work/base" true
fi
case $both,$(uname -m) in
*perfctr,x86_64)
	# As a processor counts: 50,000 elements or turns more.
	cat >"$work/one.c" <<'EOT'
#include <stdlib.h>
#include <string.h>
static char memory[131072], other[131072];
int main(int argc, char **argv)
{
	unsigned long n = strtoul(argv[2], NULL, 10);
	void *to = memory, *from = other;
	if (!strcmp(argv[1], "stos"))
		__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
	if (!strcmp(argv[1], "cmps"))
		__asm__ volatile("repe cmpsb" : "+D"(to), "+c"(n), "+S"(from) : : "memory");
	if (!strcmp(argv[1], "scas"))
		__asm__ volatile("repne scasb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
	if (!strcmp(argv[1], "movsw"))
		__asm__ volatile("rep movsw" : "+c"(n), "+S"(from), "+D"(to) : : "memory");
	if (!strcmp(argv[1], "movsq"))
		__asm__ volatile("shr $3, %%rcx; rep movsq" : "+c"(n), "+S"(from), "+D"(to) : : "memory");
	if (!strcmp(argv[1], "no elements"))
		__asm__ volatile("1: xor %%ecx, %%ecx; rep movsb; dec %0; jnz 1b" : "+r"(n), "+D"(to), "+S"(from) : : "memory", "rcx");
	if (!strcmp(argv[1], "lock"))
		for (; n; n--)
			__asm__ volatile("lock addb $1, (%0)" : : "r"(to) : "memory");
	if (!strcmp(argv[1], "loop"))
		__asm__ volatile("1: loop 1b" : "+c"(n));
	if (!strcmp(argv[1], "branches in a row"))
		__asm__ volatile("1: test %0, %0; js 2f; jz 2f; 2: dec %0; jnz 1b" : "+c"(n));
	if (!strcmp(argv[1], "far branch"))
		__asm__ volatile("1: dec %0; jmp 2f; .skip 200, 0x90; 2: jnz 1b" : "+c"(n));
	if (!strcmp(argv[1], "both"))
		__asm__ volatile("1: test $1, %0; jz 2f; test $2, %0; jz 2f; nop; nop; nop; 2: dec %0; jnz 1b" : "+c"(n));
	if (!strcmp(argv[1], "side exit"))
		__asm__ volatile("1: test $1, %0; jz 2f; nop; nop; nop; 2: dec %0; jnz 1b" : "+c"(n));
	if (!strcmp(argv[1], "conditional moves"))
		__asm__ volatile("1: test $1, %0; cmovz %0, %%rax; setz %%al; dec %0; jnz 1b" : "+c"(n) : : "rax");
	return 0;
}
EOT
	$cc -O1 -static "$work/one.c" -o "$work/one"
	one() { is "$1" "$(more instructions,conditional-branches "$work/one" "$1")" "$2"; }
	one stos "0 0 50000"
	one cmps "0 0 50000"
	one scas "0 0 50000"
	one movsw "0 0 50000"
	one movsq "0 0 6250"
	one "no elements" "200000 50000 0"
	one lock "150000 50000 0"
	one loop "50000 50000 0"
	one "far branch" "150000 50000 0"
	one both "287500 125000 0"
	one "side exit" "275000 100000 0"
	one "conditional moves" "250000 50000 0"
	one "branches in a row" "250000 150000 0"
	expect "repeats" 0 'string instructions count once each; they were repeated 10[0-9]* times' "$perfex" --emulate "$work/one" stos 10000
	by callgrind
	is "stos, callgrind" "$(more instructions,conditional-branches "$work/one" stos)" "50000 50000"
	by perfctr
	# A program of 32 bits, which one of 64 executes.
	cat >"$work/small.c" <<'EOT'
void _start(void)
{
	__asm__ volatile("mov %0, %%ecx; 1: loop 1b; mov $1, %%eax; xor %%ebx, %%ebx; int $0x80" : : "i"(TURNS) : "eax", "ebx", "ecx");
}
EOT
	for n in 1 2; do
		$cc -m32 -DTURNS=${n}00000 -O1 -static -nostdlib -ffreestanding -fno-pie -no-pie -fno-stack-protector \
			"$work/small.c" -o "$work/small$n"
	done
	is "a program of 32 bits" $(($(count instructions env "$work/small2") - $(count instructions env "$work/small1"))) 100000
	;;
esac

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
by callgrind
expect "whose counts" 0 "counts of 'true', emulated by valgrind-" "$perfex" --emulate true
expect "the cost" 0 'which takes 20 to 100 times as long' cat "$work/out"
expect "only counts" 1 '^0$' grep -c -e '--[0-9]*--' -e '==[0-9]*==' "$work/out"
by "${both##* }"
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
