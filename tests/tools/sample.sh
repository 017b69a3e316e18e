#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --sample beyond a command's functions: files and addresses, calls, names from elsewhere, what runs already, and
# files for perf, which must count as we do. tests/tools/perfex.sh has the rest.
# The environment: PERFEX, REFUSE: the programs; CC: a compiler; HAVE_LIBELF: whether perfex knows functions; HAVE_LIBDW: and
# calls by DWARF.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
for_others
event=cpu-clock:u refuse=${REFUSE:-tests/tools/refuse}

cat >"$work/calls.c" <<'EOT'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static void inner(long n)
{
	while (n--)
		;
}
static void __attribute__((noinline)) middle(void (*where)(long))
{
	where(1000000);
	__asm__ volatile("");
}
void outer(void (*where)(long))
{
	middle(where);
	__asm__ volatile("");
}
/* Terminals obey some of it: ASCII's control characters, and Unicode's. */
#define HOSTILE "jit\033[2J;name\302\2331m\177\377\303\244"
/* Where perf's users look for the names of what is compiled at run time. */
static void write_map(const char *what, void *where)
{
	char name[64];
	FILE *file;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(name, "w");
	if (!strcmp(what, "hostile"))
		fprintf(file, "%lx ffffffffffffffff everything\nzz 1 x\n%lx 100\n-1 -1 minus\n\n%0200d 1 x\n%lx 100 \n",
			(long)where, (long)where, 1, (long)where);
	if (!strcmp(what, "rewritten")) { /* a younger function begins before an older one, which has other code beside it */
		fprintf(file, "%lx 80 dead\n%lx 200 living\n%lx 10 elsewhere\n", (long)where + 1, (long)where - 0x80,
			(long)where + 0x200);
		fclose(file);
		printf("%s\n", name);
		fflush(stdout);
		return;
	}
	fprintf(file, "%lx 100 %s\n", (long)where, strcmp(what, "hostile") ? "jit; old" : HOSTILE);
	fprintf(file, "%lx 100 %s\n", (long)where, strcmp(what, "hostile") ? "jit::method" : HOSTILE);
	if (!strcmp(what, "hostile")) /* a name longer than any, in which there is another line */
		fprintf(file, "%lx 100 %0*d%lx 100 wrong\n", (long)where, 65599 - snprintf(NULL, 0, "%lx 100 ", (long)where),
			0, (long)where);
	fchmod(fileno(file), strcmp(what, "writable") ? 0644 : 0666);
	if (!strcmp(what, "others") && fchown(fileno(file), 65534, 65534))
		exit(77);
	fclose(file);
	if (!strcmp(what, "link")) {
		rename(name, "map");
		if (symlink("map", name))
			exit(77);
	}
	printf("%s\n", name);
	fflush(stdout);
}
int main(int argc, char **argv)
{
	void (*where)(long) = inner;
	if (argc > 2) {
		int file = -1;
		if (!strcmp(argv[2], "huge")) { /* not of memory, but no program either */
			file = open("code", O_RDWR | O_CREAT, 0600);
			if (ftruncate(file, 4096))
				return 1;
		}
		where = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
			     file, 0);
		memcpy((void *)where, (void *)inner, 256);
		__builtin___clear_cache((char *)where, (char *)where + 4096);
		write_map(argv[2], (void *)where);
	}
	/* A virtual machine's time continues while its host has it stand still, which is not work. */
	for (clock_t done = 0, begun, took; done < CLOCKS_PER_SEC / 1000 * atol(argv[1]);
	     done += took < CLOCKS_PER_SEC / 50 ? took : CLOCKS_PER_SEC / 50) {
		begun = clock();
		for (int i = 0; i < 4; i++)
			outer(where);
		took = clock() - begun;
	}
	return 0;
}
EOT
calls=$work/calls
${CC:-cc} -O0 -fno-omit-frame-pointer -rdynamic -Wl,--build-id "$work/calls.c" -o "$calls" || exit 1

# rows NAME SYMBOL FILE: at least 80 percent of the samples of what was printed
rows() {
	if awk -v symbol="$2" -v file="$3" 'index($0, symbol) && index($0, file) { sum += $2 } END { exit !(sum >= 80) }' \
		"$work/out"; then
		pass "$1"
	else
		fail "$1" "less than 80 % for $2 of $3 in:"
	fi
}
sample() { "$perfex" --sample -e $event "$@" >"$work/out" 2>&1; }
# However busy the machine is, what runs already is looked at until each process has run for 0.2 s, of
# which the host may have kept a virtual machine waiting in one half.
cat >"$work/until-ran" <<'EOF'
#!/bin/sh
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
for pid; do eval "end_$pid=$(($(ticks "$pid") + 20))"; done
for pid; do
	eval "end=\$end_$pid"
	while [ "$(ticks "$pid")" -lt "$end" ]; do sleep 0.02; done
done
EOF
chmod +x "$work/until-ran"

# ---- files and addresses ----
sample --by file "$calls" 100
rows "by file" '%  /' "$calls"
expect "one row of a file" 0 '^1$' grep -c "calls\$" "$work/out"
sample --by address "$calls" 100
if [ "${HAVE_LIBELF:-no}" = yes ]; then rows "by address" 'inner+0x' "$calls"; else rows "by address" '+0x' "$calls"; fi
strip -o "$work/bare" "$calls"
sample --by address "$work/bare" 100
rows "by address, without names" '+0x' "$work/bare"
# A perfex without libelf knows no build ID, by which the kernel names files, and calls none of them another one.
"$perfex" --sample -e page-faults:u -c 1 "$calls" 10 >"$work/out" 2>&1
expect "a file that is still there" 1 '^0$' grep -c 'names are missing' "$work/out"

# A program stays the one that was sampled when another one has its name; one that is overwritten has no names.
cp "$calls" "$work/replaced"
${CC:-cc} -O0 -Dinner=wrong_inner -Dmiddle=wrong_middle -Douter=wrong_outer "$work/calls.c" -o "$work/other" || exit 1
# shellcheck disable=SC2016
sample sh -c '"$1" 150; sleep 1; cp "$2" "$1.new"; mv "$1.new" "$1"' sh "$work/replaced" "$work/other"
if [ "${HAVE_LIBELF:-no}" = yes ]; then rows "a program that was replaced" '%  inner ' "$work/replaced"; fi
cp "$calls" "$work/replaced"
# shellcheck disable=SC2016
expect "a program that was overwritten" 0 "^ names are missing: $work/replaced was replaced meanwhile" \
	"$perfex" --sample -e cpu-clock:u sh -c '"$1" 150; sleep 1; cat "$2" >"$1"' sh "$work/replaced" "$work/other"
expect "names of the other one" 1 "^0\$" grep -c wrong_ "$work/out"
# shellcheck disable=SC2016
expect "a program that was removed before it was looked at" 0 '' sh -c "cp '$calls' '$work/gone' &&
	'$perfex' --sample -e cpu-clock:u sh -c '\"\$1\" 50; rm \"\$1\"' sh '$work/gone'"

# ---- other views ----
# A library that is another one in the process's mount namespace, and a program in another root.
cat >"$work/library.c" <<'EOT'
#include <stdint.h>
uint64_t checksum(uint64_t n);
uint64_t parse_input(uint64_t n);
#ifdef OUTSIDE
uint64_t parse_input(uint64_t n) { volatile uint64_t s = 0; for (uint64_t i = 0; i < n; i++) s += i; return s; }
uint64_t checksum(uint64_t n) { volatile uint64_t s = 0; for (uint64_t i = 0; i < n; i++) s ^= i * 3; return s; }
#else
uint64_t checksum(uint64_t n) { volatile uint64_t s = 0; for (uint64_t i = 0; i < n; i++) s ^= i * 3; return s; }
uint64_t parse_input(uint64_t n) { volatile uint64_t s = 0; for (uint64_t i = 0; i < n; i++) s += i; return s; }
#endif
EOT
cat >"$work/user.c" <<'EOT'
#include <stdint.h>
#include <time.h>
uint64_t checksum(uint64_t n);
int main(int argc, char **argv)
{
	(void)argv;
	do
		checksum(1000000);
	while (argc > 1 || clock() < CLOCKS_PER_SEC / 5);
	return 0;
}
EOT
# made ID-FLAG: makes both libraries, which have build IDs or not
made() {
	mkdir -p "$work/lib" "$work/inside" &&
		${CC:-cc} -O1 -shared -fPIC "-Wl,$1" -DOUTSIDE -o "$work/lib/libwork.so" "$work/library.c" &&
		${CC:-cc} -O1 -shared -fPIC "-Wl,$1" -o "$work/inside/libwork.so" "$work/library.c" &&
		${CC:-cc} -O1 -o "$work/user" "$work/user.c" -L"$work/lib" -lwork -Wl,-rpath,"$work/lib"
}
# shellcheck disable=SC2016
inside='mount --make-rprivate / && mount --bind "$0/inside" "$0/lib" && exec "$0/user" $1'
for id in --build-id --build-id=none; do
	[ "${HAVE_LIBELF:-no}" = yes ] || continue
	if ! unshare -m true 2>/dev/null; then
		skip "another mount namespace, $id" "needs root and unshare"
		continue
	fi
	made $id || exit 1
	sample unshare -m sh -c "$inside" "$work"
	rows "another mount namespace, of a command, $id" '%  checksum ' libwork.so
	unshare -m sh -c "$inside" "$work" on &
	busy=$!
	"$work/until-ran" $busy
	sample -p $busy "$work/until-ran" $busy
	rows "another mount namespace, of a process, $id" '%  checksum ' libwork.so
	if [ "${HAVE_LIBDW:-no}" = yes ]; then
		sample -p $busy --format=folded --call-graph dwarf "$work/until-ran" $busy
		expect "another mount namespace, calls, $id" 0 '^user;.*main;checksum [0-9]' cat "$work/out"
	fi
	kill $busy
	wait $busy 2>/dev/null
done
if [ "${HAVE_LIBELF:-no}" = yes ] && [ "$(id -u)" = 0 ] && ${CC:-cc} -O1 -static -DOUTSIDE -Dchecksum=in_a_root \
	-o "$work/rooted" "$work/user.c" "$work/library.c"; then
	mkdir -p "$work/base/opt"
	cp "$work/rooted" "$work/base/opt/program"
	sample chroot "$work/base" /opt/program
	rows "another root, of a command" '%  in_a_root ' /opt/program
	chroot "$work/base" /opt/program on &
	busy=$!
	"$work/until-ran" $busy
	sample -p $busy "$work/until-ran" $busy
	rows "another root, of a process" '%  in_a_root ' /opt/program
	kill $busy
	wait $busy 2>/dev/null
elif [ "${HAVE_LIBELF:-no}" = yes ]; then
	skip "another root" "needs root and a static C library"
fi
# Its first thread has ended: /proc/PID/maps is empty.
cat >"$work/second.c" <<'EOT'
#include <pthread.h>
static void *second(void *n)
{
	for (;;)
		for (volatile long i = 0; i < 1000000; i++)
			;
	return n;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, second, 0);
	pthread_exit(0);
}
EOT
${CC:-cc} -O0 -pthread "$work/second.c" -o "$work/second" || exit 1
"$work/second" &
busy=$!
"$work/until-ran" $busy
sample -p $busy "$work/until-ran" $busy
rows "a process whose first thread has ended" '%  ' "$work/second"
kill $busy
wait $busy 2>/dev/null

# At a frequency the kernel adapts the period: 2,000 faults of 402,000 have most of the samples. They take turns, since the kernel
# may guess a period that is far too large, and takes a while to find out.
cat >"$work/faults.c" <<'EOT'
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
static volatile char *memory;
static void fault(int pages)
{
	for (int i = 0; i < pages; i++)
		memory[i * 4096L] = 1;
	madvise((void *)memory, pages * 4096L, MADV_DONTNEED);
}
static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}
void often(void);
void often(void)
{
	for (int i = 0; i < 10; i++)
		fault(1000);
}
void seldom(void);
void seldom(void)
{
	for (int i = 0; i < 50; i++) {
		double end = now() + 0.0004;
		fault(1);
		while (now() < end)
			;
	}
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 40;
	memory = mmap(NULL, 1000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)memory, 1000 * 4096L, MADV_NOHUGEPAGE);
	for (int i = 0; i < rounds; i++) {
		seldom();
		often();
	}
	return 0;
}
EOT
${CC:-cc} -O0 -fno-omit-frame-pointer "$work/faults.c" -o "$work/faults" || exit 1
"$perfex" --sample --json -e page-faults:u "$work/faults" >"$work/out" 2>&1
expect "events of samples" 0 '"samples":[0-9]*,"events":[0-9]*,"calls"' cat "$work/out"
"$perfex" --sample --json -e page-faults:u -c 100 "$work/faults" >"$work/out" 2>&1
expect "samples that are alike" 1 '^0$' grep -c '"events":' "$work/out"
if [ "${HAVE_LIBELF:-no}" = yes ]; then
	"$perfex" --sample --format=folded -e page-faults:u "$work/faults" >"$work/out" 2>&1
	if awk '{ all += $NF } /;often;fault / { some += $NF } END { exit !(some > all * 0.75) }' "$work/out"; then
		pass "shares of events"
	else
		fail "shares of events" "often has less than three quarters of:"
	fi
fi

# The kernel guesses the period of each thread for itself: most events of short ones come after their last samples.
cat >"$work/short.c" <<'EOT'
#include <pthread.h>
#include <sys/mman.h>
static void *fault(void *memory)
{
	for (int i = 0; i < 100; i++)
		((volatile char *)memory)[i * 4096L] = 1;
	madvise(memory, 100 * 4096L, MADV_DONTNEED);
	return NULL;
}
int main(void)
{
	void *memory = mmap(NULL, 100 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, 100 * 4096L, MADV_NOHUGEPAGE);
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, fault, memory);
		pthread_join(thread, NULL);
	}
	return 0;
}
EOT
${CC:-cc} -O1 -pthread "$work/short.c" -o "$work/short" || exit 1
expect "events after the last samples" 0 \
	'^ samples stand for \(about \)\{0,1\}[0-9]* of 10[0-9][0-9][0-9] events, and the rest came after the last samples of threads' \
	"$perfex" --sample -e page-faults:u "$work/short"
expect "none with a period" 1 '^0$' sh -c "'$perfex' --sample -e page-faults:u -c 100 '$work/short' 2>&1 | grep -c 'samples stand for'"

expect "a clock more often than the kernel can" 125 'a period of 10000 or more, or a frequency of 100000 or less' \
	"$perfex" --sample -e cpu-clock -c 9999 true

# The name is one that other files see, and that is not the implementation's own, if there are several.
cat >"$work/names.c" <<'EOT'
static void a_local(void)
{
	for (volatile long n = 300000000; n--;)
		;
}
void a_global(void) __attribute__((alias("a_local")));
void _b_global(void) __attribute__((alias("a_local")));
static void zz_local(void) __attribute__((alias("a_local"), used));
int main(void)
{
	a_local();
	return 0;
}
EOT
if [ "${HAVE_LIBELF:-no}" = yes ] && ${CC:-cc} -O0 "$work/names.c" -o "$work/names"; then
	sample "$work/names"
	rows "the best of several names" '%  a_global ' "$work/names"
fi

# ---- sources of data, and branches ----
# Software events know neither; tests/vm/guest/sources.c has a PMU that does.
sample --by source "$calls" 100
expect "no source of data" 0 '^ *[0-9]* 100.00%         -  nothing$' cat "$work/out"
sample --by source "$calls" 100
expect "what to do about it" 0 '^ no sample says where its data came from: take a load or store' cat "$work/out"
expect "branches, of an event that has none" 125 '^perfex: cpu-clock:u can.t be sampled .*no such record of branches' \
	"$perfex" --sample -e $event --by branch touch "$work/ran"
if [ ! -e /sys/bus/event_source/devices/cpu ] && [ ! -e /sys/bus/event_source/devices/ibs_op ]; then
	expect "sources of data, without a PMU" 125 'machine has none of the usual ones: .*cpu/mem-loads/, .*ibs_op//$' \
		"$perfex" --sample --by source touch "$work/ran"
	expect "branches, without a PMU" 125 'cycles:u can.t be counted' "$perfex" --sample --by branch touch "$work/ran"
	expect "nothing ran for them" 0 '^no$' sh -c "test -e '$work/ran' || echo no"
fi
# A machine that has such an event, which can't be counted now.
loads=$work/root/sys/bus/event_source/devices/cpu
mkdir -p "$loads/events" "$loads/format"
echo 4 >"$loads/type"
echo config:0-7 >"$loads/format/event"
echo event=0xcd >"$loads/events/mem-loads"
for error in '16 the PMU to themselves' '24 no file descriptors are left'; do
	expect "sources of data: ${error#* }" 125 "^perfex: cpu/mem-loads/upp can.t be counted: .*${error#* }" \
		env PERFCTR_ROOT="$work/root" "$refuse" "${error%% *}" "$perfex" --sample --by source true
done
expect "sources of data, unknown" 125 'machine has none of the usual ones' \
	env PERFCTR_ROOT="$work/root" "$refuse" 22 "$perfex" --sample --by source true

# ---- names from elsewhere ----
mapped() {	# NAME KIND SYMBOL
	(cd "$work" && sample "$calls" 150 "$2")
	status=$?
	rm -f "$(grep -m 1 '^/tmp/perf-[0-9]*\.map$' "$work/out")"
	if [ $status = 77 ]; then skip "$1" "needs root"; else rows "$1" "$3" '[anon]'; fi
}
mapped "a compiler's names" good 'jit::method'
if others_run; then
	$nobody "$calls" 10000 good >"$work/map" &
	theirs=$!
	while ! [ -s "$work/map" ]; do sleep 0.02; done
	sample -p $theirs "$work/until-ran" "$theirs"
	rows "a compiler's names, of another user's process" 'jit::method' '[anon]'
	kill $theirs
	rm -f "$(cat "$work/map")"
else
	skip "a compiler's names, of another user's process" "needs root, and a perfex that others can reach"
fi
mapped "names that others may write" writable '%  - '
mapped "another user's names" others '%  - '
mapped "names after a link" link '%  - '
mapped "hostile names" hostile 'jit?[2J;name'
mapped "names of what was overwritten" rewritten 'living'
if unshare -pf true 2>/dev/null; then
	(cd "$work" && sample unshare -pf "$calls" 150 good)
	expect "a process's own number" 0 '^/tmp/perf-1\.map$' cat "$work/out"
	rm -f /tmp/perf-1.map
	rows "a compiler's names, in another PID namespace" 'jit::method' '[anon]'
	(cd "$work" && sample sh -c "exec 3>/dev/null; '$calls' 150 huge")
	rm -f "$(grep -m 1 '^/tmp/perf-[0-9]*\.map$' "$work/out")"
	rows "a compiler's names, in a file of memory" 'jit::method' "$work/"
else
	skip "a compiler's names, in another PID namespace" "needs root and unshare"
fi
debug=/usr/lib/debug/.build-id
id=$(readelf -n "$calls" 2>/dev/null | sed -n 's/.*Build ID: //p')
if [ "${HAVE_LIBELF:-no}" = yes ] && [ -n "$id" ] && mkdir -p "$debug" 2>/dev/null && [ -w "$debug" ]; then
	place=$debug/$(echo "$id" | cut -c1-2)
	made=no
	[ -d "$place" ] || made=yes
	mkdir -p "$place"
	file=$place/$(echo "$id" | cut -c3-).debug
	objcopy --only-keep-debug "$calls" "$file"
	sample "$work/bare" 100
	rows "a debug file" '%  inner ' "$work/bare"
	# One as long as the program's own, and a shorter one.
	for other in "$(echo "$id" | tr 0-9a-f 1-9a-f0)" 123456; do
		${CC:-cc} -O0 -Wl,--build-id="0x$other" "$work/calls.c" -o "$work/other"
		cp "$work/other" "$file"
		sample "$work/bare" 100
		rows "another program's debug file, $other" '%  - ' "$work/bare"
	done
	rm "$file"
	[ $made = no ] || rmdir "$place"
elif [ "${HAVE_LIBELF:-no}" = yes ]; then
	skip "a debug file" "needs libelf, readelf and a writable $debug"
fi
# Names by a debug link, compressed within, and of an assembler that knows no functions.
cat >"$work/link.c" <<'EOT'
#include <time.h>
static void __attribute__((noinline)) spin_here(void)
{
	for (volatile long i = 0; i < 1000000; i++)
		;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		spin_here();
	return 0;
}
EOT
cat >"$work/label.S" <<'EOT'
	.text
	.globl spin_label
spin_label:
#ifdef __x86_64__
	mov $100000000, %rax
.Lagain:
	dec %rax
	jnz .Lagain
	ret
#else
	mov x0, #0x5f50000
1:	subs x0, x0, #1
	b.ne 1b
	ret
#endif
	.section .note.GNU-stack, "", %progbits
EOT
if [ "${HAVE_LIBELF:-no}" = yes ] && ${CC:-cc} -O1 -g -Wl,--build-id=none "$work/link.c" -o "$work/link"; then
	for where in . .debug; do
		mkdir -p "$work/$where"
		objcopy --only-keep-debug "$work/link" "$work/$where/link.more"
		strip -o "$work/linked" "$work/link"
		objcopy --add-gnu-debuglink="$work/$where/link.more" "$work/linked"
		sample "$work/linked"
		rows "a debug link, $where" '%  spin_here ' "$work/linked"
		objcopy --strip-debug --add-section .other="$work/link.c" "$work/$where/link.more"
		sample "$work/linked"
		rows "a debug link to another file, $where" '%  - ' "$work/linked"
		rm "$work/$where/link.more"
	done
	# Nothing waits for a pipe that has the debug file's name, where calls need the file's unwind tables.
	case ${HAVE_LIBDW:-no}-$(uname -m) in
	yes-x86_64 | yes-aarch64)
		${CC:-cc} -O1 -g -fno-asynchronous-unwind-tables "$work/link.c" -o "$work/unwound" && : >"$work/unwound.more" &&
			objcopy --strip-debug --add-gnu-debuglink="$work/unwound.more" "$work/unwound" && rm "$work/unwound.more" && mkfifo "$work/unwound.more" &&
			timeout -k 5 50 "$perfex" --sample -e cpu-clock --format=folded --call-graph dwarf -o "$work/unwound.calls" "$work/unwound" &&
			grep -q 'spin_here' "$work/unwound.calls"
		check "a pipe in the place of a debug file, for unwinding" $?
		;;
	esac
	if command -v xz >/dev/null && python3 -c 'import ctypes; ctypes.CDLL("liblzma.so.5")' 2>/dev/null; then
		objcopy --strip-debug "$work/link" "$work/mini"
		xz -k "$work/mini"
		strip -o "$work/within" "$work/link"
		objcopy --add-section .gnu_debugdata="$work/mini.xz" "$work/within"
		sample "$work/within"
		rows "names within" '%  spin_here ' "$work/within"
		head -c 500 "$work/mini.xz" >"$work/cut.xz"
		strip -o "$work/within" "$work/link"
		objcopy --add-section .gnu_debugdata="$work/cut.xz" "$work/within"
		sample "$work/within"
		rows "names within that are cut off" '%  - ' "$work/within"
	else
		skip "names within" "needs xz and liblzma"
	fi
	echo 'void spin_label(void); int main(void) { spin_label(); return 0; }' >"$work/label.c"
	case $(uname -m) in
	x86_64 | aarch64)
		${CC:-cc} -O1 "$work/label.c" "$work/label.S" -o "$work/label" || exit 1
		sample "$work/label"
		rows "a label" '%  spin_label ' "$work/label"
		;;
	esac
fi
case ${CFLAGS:-} in
*sanitize*) cxx=none ;; # takes more memory than the process that reads names may
*) cxx=${CXX:-c++} ;;
esac
if [ "${HAVE_LIBELF:-no}" = yes ] && command -v "$cxx" >/dev/null; then
	cat >"$work/names.cc" <<'EOT'
#include <ctime>
namespace space {
template <class T> struct thing {
	__attribute__((noinline)) void turn(long n) { while (n--) __asm__ volatile(""); }
};
}
int main()
{
	space::thing<int> thing;
	while (std::clock() < CLOCKS_PER_SEC / 5)
		thing.turn(1000000);
}
EOT
	"$cxx" -O1 "$work/names.cc" -o "$work/names"
	sample "$work/names"
	rows "C++'s names" 'space::thing<int>::turn(long)' "$work/names"
	# A name that makes the C++ library's reader call itself for each of its letters.
	awk 'BEGIN { printf "_Z"; while (n++ < 8000) printf "P"; print "i" }' >"$work/long"
	objcopy --redefine-sym "_ZN5space5thingIiE4turnEl=$(cat "$work/long")" "$work/names"
	sample "$work/names"
	rows "a hostile name of C++'s" '%  _ZP' "$work/names"
	objcopy --redefine-sym "$(cat "$work/long")=_ZNot_one" "$work/names"
	sample "$work/names"
	rows "no name of C++'s" '%  _ZNot_one' "$work/names"
elif [ "${HAVE_LIBELF:-no}" = yes ] && [ "$cxx" != none ]; then
	skip "C++'s names" "needs libelf and a C++ compiler"
fi
if [ -r /proc/kallsyms ] && grep -q '^0*[1-9a-f][0-9a-f]* T ' /proc/kallsyms &&
	"$perfex" --sample -a -e cpu-clock:k sleep 0.2 >"$work/out" 2>&1; then
	expect "the kernel's names" 0 '%  [a-z_0-9.]*  *\[kernel\]$' cat "$work/out"
else
	skip "the kernel's names" "needs root"
fi

# ---- calls ----
"$perfex" --sample -e $event --format=folded -o "$work/folded" "$calls" 200
cp "$work/folded" "$work/out"
way='main;outer;middle;inner'
[ "${HAVE_LIBELF:-no}" = yes ] || way='\[calls\];\[calls\];\[calls\];\[calls\]'
if awk -v way="$way" '{ all += $NF } $0 ~ "^calls;.*" way " [0-9]*$" { some += $NF }
	END { exit !(all > 50 && some * 10 >= all * 8) }' "$work/folded"; then
	pass "calls"
else
	fail "calls" "less than 80 % for $way in:"
fi
expect "a process' name in calls" 0 '^sleep;' \
	sh -c "'$perfex' --sample -e page-faults -c 1 --format=folded -o - sh -c 'sleep 0.01; :'"
(cd "$work" && "$perfex" --sample -e $event --format=folded -o - "$calls" 100 hostile >"$work/out" 2>&1)
rm -f "$(grep -m 1 '^/tmp/perf-[0-9]*\.map$' "$work/out")"
expect "no semicolon of a name's, and nothing for terminals" 0 ':name??1m??ä [0-9]*$' cat "$work/out"

# Inlined functions follow the one that they are in, unless there is no debugging information; tables have it alone, and the
# inlined function's line.
cat >"$work/inlined.c" <<'EOT'
#include <time.h>
static inline __attribute__((always_inline)) void least(volatile long *n)
{
	for (long i = 0; i < 1000000; i++)
		*n += i;
}
static inline __attribute__((always_inline)) void more(volatile long *n)
{
	least(n);
}
static __attribute__((noinline)) void work(volatile long *n)
{
	more(n);
}
int main(void)
{
	volatile long n = 0;
	while (clock() < CLOCKS_PER_SEC / 5)
		work(&n);
	return n == 1;
}
EOT
for flags in -g -g0; do
	${CC:-cc} -O1 $flags -fno-omit-frame-pointer "$work/inlined.c" -o "$work/inlined" || exit 1
	sample --format=folded "$work/inlined"
	if [ "${HAVE_LIBDW:-no}" = no ]; then
		expect "inlined functions, $flags, without libdw" 0 \
			'^ *inlined functions are not shown: this perfex was built without libdw (Debian: libdw-dev)' cat "$work/out"
		expect "lines of the source, $flags, without libdw" 125 '^perfex: --by line: .*libdw.*; take function or address$' \
			"$perfex" --sample --by line true
	elif [ $flags = -g ]; then
		expect "inlined functions" 0 '^inlined;.*;work;more_\[i\];least_\[i\] [1-9][0-9]*$' cat "$work/out"
		sample --json "$work/inlined"
		expect "inlined functions in JSON" 0 '"work","more_\[i\]","least_\[i\]"' cat "$work/out"
		sample "$work/inlined"
		rows "inlined functions in a table" '%  work ' "$work/inlined"
		sample --by line "$work/inlined"
		rows "lines of the source" '%  inlined.c:5 work ' "$work/inlined"
		expect "the table's head" 0 '^ *samples percent  line and function  *file$' cat "$work/out"
	else
		expect "inlined functions, without -g" 0 '^inlined;.*;work [1-9][0-9]*$' cat "$work/out"
		sample --by line "$work/inlined"
		rows "lines of the source, without -g" '%  work ' "$work/inlined"
	fi
done

expect "calls by what there is not" 125 ', folded-threads or perf-data, not "folded-cpu"$' "$perfex" --sample --format=folded-cpu true

# ---- calls without frame pointers ----
cat >"$work/way.c" <<'EOT'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;
static void __attribute__((noinline)) inner(long n)
{
	while (n--)
		sink += n;
}
static void __attribute__((noinline)) middle(long n)
{
	volatile char room[2048];
	room[n & 1023] = 1;
	inner(n);
	sink += room[3];
}
static void __attribute__((noinline)) outer(long n)
{
	middle(n);
	sink++;
}
/* The stack's end comes, and what looks like callers goes on and on. */
static void __attribute__((noinline)) lie(long n)
{
	volatile long words[4096];
	for (long i = 0; i < 4096; i++)
		words[i] = n & 1 ? i * 0x10001 : (long)words;
#ifdef __x86_64__
	__asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; mov %0, %%rbp; 1: dec %1; jnz 1b; mov %%rbx, %%rsp"
			 : : "r"(n & 2 ? (long)words : n & 4 ? -16l : 8l), "r"(200000000l) : "rbx", "rbp", "memory");
#else
	inner(100000000);
#endif
	sink += words[5];
}
int main(int argc, char **argv)
{
	if (argc > 2) {
		lie(atol(argv[2]));
		return 0;
	}
	while (clock() < CLOCKS_PER_SEC / 1000 * atol(argv[1]))
		outer(argc * 500000);
	return 0;
}
EOT
# A handler of a signal that came at a function's first instruction: there it has to be found, and not in front.
cat >"$work/handled.c" <<'EOT'
#include <signal.h>
#include <time.h>
#include <unistd.h>
void at_start(void);
__asm__(".text\n.type in_front, %function\nin_front: .cfi_startproc\nnop\nnop\n.cfi_endproc\n.size in_front, .-in_front\n"
	".globl at_start\n.type at_start, %function\nat_start: .cfi_startproc\n"
#ifdef __x86_64__
	"ud2\nret\n"
#else
	".inst 0\nret\n"
#endif
	".cfi_endproc\n.size at_start, .-at_start\n");
static void handler(int number)
{
	(void)number;
	while (clock() < CLOCKS_PER_SEC / 5)
		for (volatile int i = 0; i < 1000000; i++)
			;
	_exit(0);
}
int main(void)
{
	signal(SIGILL, handler);
	at_start();
	return 1;
}
EOT
# A process has the name of its first thread, whatever others are called.
cat >"$work/named.c" <<'EOT'
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
static void *other(void *arg)
{
	prctl(PR_SET_NAME, "another");
	while (clock() < CLOCKS_PER_SEC / 5)
		;
	return arg;
}
int main(void)
{
	pthread_t id;
	prctl(PR_SET_NAME, "the first");
	return pthread_create(&id, 0, other, 0) || pthread_join(id, 0);
}
EOT
${CC:-cc} -O0 -pthread "$work/named.c" -o "$work/named"
expect "a process' name is its first thread's" 0 '^the first;' "$perfex" --sample -e $event --format=folded "$work/named"
expect "another thread's name is no process'" 1 '^0$' grep -c '^another;' "$work/out"
way=$work/way
dwarf() { "$perfex" --sample -e $event --format=folded --call-graph "$@" >"$work/out" 2>&1; }

# chain NAME PROCESS CALLS: at least 80 percent of the samples came that way, from the beginning on
chain() {
	if awk -v way="^$2;$3 [0-9]*\$" '/;/ { all += $NF } $0 ~ way { some += $NF }
		END { exit !(all > 30 && some * 10 >= all * 8) }' "$work/out"; then
		pass "$1"
	else
		fail "$1" "less than 80 % for $3 in:"
	fi
}

if ! ${CC:-cc} -O2 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls "$work/way.c" -o "$way"; then
	fail "calls by DWARF" "no program"
elif [ "${HAVE_LIBDW:-no}" = yes ] && dwarf dwarf true; then
	expected='_start;.*main;outer;middle;inner'
	dwarf fp "$way" 200
	expect "calls by frame pointers that there are not" 1 '^0$' grep -c "$expected" "$work/out"
	dwarf dwarf "$way" 200
	chain "calls by DWARF" way "$expected"
	dwarf dwarf sh -c "'$way' 200 & exec '$way' 200"
	chain "calls by DWARF, children" way "$expected"
	${CC:-cc} -O2 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls -no-pie "$work/way.c" -o "$work/fixed"
	dwarf dwarf "$work/fixed" 200
	chain "calls by DWARF, where it was linked for" fixed "$expected"
	${CC:-cc} -O2 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls -static "$work/way.c" -o "$work/static-way"
	dwarf dwarf "$work/static-way" 200
	chain "calls by DWARF, static" static-way "$expected"
	${CC:-cc} -O1 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls "$work/handled.c" -o "$work/handled"
	dwarf dwarf "$work/handled"
	chain "calls by DWARF, of a signal's handler" handled '.*;main;at_start;.*handler'
	strip -o "$work/bare-way" "$way"
	dwarf dwarf "$work/bare-way" 200
	chain "calls by DWARF, without names" bare-way '.*;\[bare-way\];\[bare-way\];\[bare-way\];\[bare-way\]'
	"$way" 5000 &
	busy=$!
	sleep 0.1
	dwarf dwarf -p $busy sleep 1
	chain "calls by DWARF, of what runs already" way "$expected"
	kill $busy
	wait $busy 2>/dev/null
	dwarf dwarf,1024 "$way" 200
	expect "a stack that is longer than its copy" 0 ' lacks\?  *outer calls: \(its stack is\|their stacks are\) longer than 1024 bytes (--call-graph dwarf,2048)' \
		cat "$work/out"
	chain "what there is of it" way 'middle;inner'
	dwarf dwarf,65528 "$way" 200
	chain "the largest copy" way "$expected"
	for lie in 0 1 2 3 4; do
		expect "stack that lies: $lie" 0 '^way;.* [0-9]*$' \
			"$perfex" --sample -e $event --format=folded --call-graph dwarf "$way" 1 $lie
	done
	cat >"$work/refuse.c" <<'EOT'
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
/* A kernel that copies no stacks. */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open && ((struct perf_event_attr *)a[0])->sample_stack_user) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
EOT
	case ${CFLAGS:-} in
	*sanitize*) ;; # a sanitizer has to be loaded first
	*)
		${CC:-cc} -D_GNU_SOURCE -shared -fPIC "$work/refuse.c" -o "$work/refuse.so" -ldl
		expect "a kernel that copies no stacks" 125 'does not copy registers and stacks at samples of cpu-clock:u; take fp' \
			env LD_PRELOAD="$work/refuse.so" "$perfex" --sample -e $event --format=folded --call-graph dwarf true
		;;
	esac
	# A caller that was made at run time, without tables and frame pointers, ends a chain, and a last line says so.
	cat >"$work/made.c" <<'EOT'
#include <string.h>
#include <sys/mman.h>
#include <time.h>
static void __attribute__((noinline)) spin(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		for (volatile long i = 0; i < 1000000; i++)
			;
}
int main(void)
{
	/* push %rbp; xor %ebp, %ebp; sub $16, %rsp; call *%rdi; add $16, %rsp; pop %rbp; ret */
	static const char code[] = "\x55\x31\xED\x48\x83\xEC\x10\xFF\xD7\x48\x83\xC4\x10\x5D\xC3";
	void *where = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(where, code, sizeof(code));
	((void (*)(void (*)(void)))where)(spin);
	return 0;
}
EOT
	if [ "$(uname -m)" = x86_64 ]; then
		${CC:-cc} -O1 -fomit-frame-pointer "$work/made.c" -o "$work/made" || exit 1
		dwarf dwarf "$work/made"
		expect "a caller that was made at run time" 0 \
			'^ [0-9]* samples lack outer calls: a caller is in code that was made at run time, without tables' cat "$work/out"
		expect "the chain that ends there" 0 '^made;\[anon\];spin [1-9]' cat "$work/out"
		dwarf dwarf "$way" 100
		expect "callers in files" 1 '^0$' grep -c 'made at run time' "$work/out"
	fi
	# Records are read while perfex has no time to find calls; the library may end the process that finds them.
	cat >"$work/slow.c" <<'EOT'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int (*frames)(void *, int, void *, void *);
static int slow(void *dwfl, int tid, void *callback, void *arg)
{
	static int calls;
	if (!access(getenv("BUSY"), F_OK))
		usleep(20000);
	if (getenv("LAST") && ++calls > atoi(getenv("LAST")))
		raise(SIGKILL);
	return frames(dwfl, tid, callback, arg);
}
void *dlsym(void *handle, const char *name)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5" };
	static void *(*real)(void *, const char *);
	for (int i = 0; i < 3 && !real; i++)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (strcmp(name, "dwfl_getthread_frames"))
		return real(handle, name);
	frames = (int (*)(void *, int, void *, void *))real(handle, name);
	return (void *)slow;
}
EOT
	case ${CFLAGS:-} in
	*sanitize*) ;; # a sanitizer has to be loaded first
	*)
		${CC:-cc} -D_GNU_SOURCE -shared -fPIC "$work/slow.c" -o "$work/slow.so" -ldl
		all='' named=busy$$ # others may run programs of any other name
		cp "$calls" "$work/$named"
		! "$perfex" -a -e cs true 2>/dev/null || all=-a
		# shellcheck disable=SC2016,SC2086
		LD_PRELOAD="$work/slow.so" BUSY="$work/busy" "$perfex" --sample $all -e $event --format=folded -o "$work/folded" \
			--call-graph dwarf,2048 env LD_PRELOAD= sh -c 'touch "$0/busy"; "$0/$1" 3000 & "$0/$1" 3000; wait; rm "$0/busy"' \
			"$work" $named >"$work/out" 2>&1
		expect "records that come while calls are not found yet" 1 '^0$' grep -c ' lost' "$work/out"
		grep "^$named;" "$work/folded" >"$work/out"
		chain "calls of them" $named "$expected"
		# A library that ends the process at the first sample of each, and one that does it after some.
		LD_PRELOAD="$work/slow.so" BUSY="$work/busy" LAST=0 "$perfex" --sample -e $event --format=folded --call-graph dwarf \
			env LD_PRELOAD= "$way" 200 >"$work/out" 2>&1
		expect "samples of a process whose calls end the library" 0 ' calls by frame pointers: there is no DWARF' cat "$work/out"
		LD_PRELOAD="$work/slow.so" BUSY="$work/busy" LAST=20 "$perfex" --sample -e $event --format=folded --call-graph dwarf \
			env LD_PRELOAD= "$way" 200 >"$work/out" 2>&1
		chain "a library that ends after some samples" way "$expected"
		;;
	esac
	expect "a directory for samples that there is not" 125 "^perfex: samples are kept in $work/none until their calls are found" \
		env TMPDIR="$work/none" "$perfex" --sample -e $event --format=folded --call-graph dwarf true
	# shellcheck disable=SC2016
	expect "no room for samples" 125 'File too large; set TMPDIR to another directory, or take fewer samples' \
		sh -c 'ulimit -f 100; "$@"' sh "$perfex" --sample -e $event --format=folded --call-graph dwarf,65528 "$way" 2000
	if unshare -m true 2>/dev/null; then
		mkdir -p "$work/room"
		# shellcheck disable=SC2016
		sample unshare -m sh -c 'mount -t tmpfs -o size=4m tmpfs "$0/room" && TMPDIR=$0/room "$1" --sample -e cpu-clock:u --format=folded \
			--call-graph dwarf -o "$0/folded" "$0/way" 1000' "$work" "$perfex"
		cp "$work/folded" "$work/out"
		chain "room for some samples at a time" way "$expected"
	else
		skip "room for some samples at a time" "needs root and unshare"
	fi
	# The tables of functions are as hostile as the file that has them.
	for at in 0 1 2 3; do
		have_python "DWARF that lies" || break
		cp "$way" "$work/broken"
		objcopy -O binary --only-section=.eh_frame "$way" "$work/frames"
		python3 - "$work/frames" $at <<'EOT'
import random, sys
content = bytearray(open(sys.argv[1], "rb").read())
chance = random.Random(sys.argv[2])
for _ in range(len(content) // 8):
    content[chance.randrange(len(content))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
open(sys.argv[1], "wb").write(content)
EOT
		objcopy --update-section .eh_frame="$work/frames" "$way" "$work/broken" 2>/dev/null
		expect "DWARF that lies: $at" 0 '^broken;.* [0-9]*$' \
			"$perfex" --sample -e $event --format=folded --call-graph dwarf "$work/broken" 50
	done
	# Each fault is a sample with 64 KiB, of which the buffer has room for some 30: perfex stops the event and reads, and then again.
	"$perfex" --sample --format=folded -e page-faults:u -c 1 --call-graph dwarf,65528 "$work/faults" 4 >"$work/all" 2>&1
	expect "more records lost than read" 0 \
		'samples are missing: more records were lost than read, and from then on the event was stopped while perfex read, [0-9]* times, [0-9.]* s' \
		sh -c 'tr -s " \n" "  " <"$1"' sh "$work/all"
	expect "they are some" 0 '^faults;' cat "$work/all"
	# A library that is cut off after its code, while perfex has it mapped.
	cat >"$work/library.c" <<'EOT'
void spin(long n)
{
	while (n--)
		__asm__ volatile("");
}
EOT
	cat >"$work/cutter.c" <<'EOT'
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void (*spin)(long) = (void (*)(long))dlsym(dlopen(argv[1], RTLD_NOW), "spin");
	while (clock() < CLOCKS_PER_SEC / 5)
		spin(100000);
	if (truncate(argv[1], atol(argv[2])))
		return 1;
	while (clock() < CLOCKS_PER_SEC / 5 * 2)
		spin(100000);
	_exit(0); /* its data is gone, too */
}
EOT
	if ${CC:-cc} -O2 -g0 -fPIC -shared -Wl,-z,separate-code "$work/library.c" -o "$work/library.so" &&
		${CC:-cc} -O2 -g0 "$work/cutter.c" -o "$work/cutter" -ldl; then
		frames=$(readelf -lW "$work/library.so" | awk '$1 == "GNU_EH_FRAME" { print $2 }')
		# libdw loses the memory that it was about to use.
		expect "a library that is cut off" 0 '^cutter;.* [0-9]*$' env ASAN_OPTIONS=detect_leaks=0 \
			"$perfex" --sample -e $event --format=folded --call-graph dwarf "$work/cutter" \
			"$work/library.so" $((frames / 4096 * 4096))
		expect "its samples" 0 'samples\? ha[vs]e* calls by frame pointers: there is no DWARF' cat "$work/out"
	else
		fail "a library that is cut off" "no program"
	fi
	cat >"$work/leaf.c" <<'EOT'
#include <time.h>
static void __attribute__((noinline)) leaf(long n)
{
	while (n--)
		__asm__ volatile("");
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		leaf(1000000);
	return 0;
}
EOT
	# Compilers leave out a leaf's frame.
	${CC:-cc} -O1 -fomit-frame-pointer "$work/leaf.c" -o "$work/leaf" || exit 1
	expect "chains that look cut" 0 \
		'^ [0-9]* of [0-9]* chains of calls look cut, for main is not in them: use --call-graph dwarf$' \
		"$perfex" --sample -e $event --format=folded -o /dev/null "$work/leaf"
	"$perfex" --sample -e $event --json -o "$work/json" "$work/leaf" >"$work/out" 2>&1
	expect "JSON says so" 0 '"doubts":\[.*chains of calls look cut' cat "$work/json"
	"$perfex" --sample -e $event --format=folded --call-graph dwarf -o /dev/null "$work/leaf" >"$work/leaf.out" 2>&1
	expect "the remedy works" 1 '^0$' grep -c 'look cut' "$work/leaf.out"
	"$perfex" --sample -e $event --format=folded -o /dev/null "$calls" 2000 >"$work/leaf.out" 2>&1
	expect "chains by frame pointers that are whole" 1 '^0$' grep -c 'look cut' "$work/leaf.out"
	if perf --version >/dev/null 2>&1; then
		"$perfex" --sample -e $event --format=perf-data --call-graph dwarf -o "$work/perf.data" "$way" 200 >"$work/out" 2>&1
		perf script -i "$work/perf.data" -F ip,sym 2>/dev/null | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' |
			sed 's/inner;middle;outer;main;.*_start;$/way;all 1/' >"$work/out"
		chain "perf script, calls by DWARF" way all
	fi
elif [ "${HAVE_LIBDW:-no}" = yes ]; then
	skip "calls by DWARF" "needs x86-64 or arm64"
else
	expect "calls by DWARF, without libdw" 125 'take fp' "$perfex" --sample --format=folded --call-graph dwarf true
fi

# ---- what runs already ----
# Its mappings and its name are from before.
"$calls" 30000 &
busy=$!
cp "$calls" "$work/twin"
"$work/twin" 30000 &
twin=$!
"$work/until-ran" $busy $twin
sample -p $busy --timeout 2000
rows "a process" '' "$calls"
expect "what it is of" 0 "in process $busy:" cat "$work/out"
sample -p $busy "$work/until-ran" $busy
rows "a process, while a command runs" '' "$calls"
sample -t $busy "$work/until-ran" $busy
rows "a thread" '' "$calls"
sleep 60 &
stopped=$!
kill -STOP $stopped
while ! grep -q '^State:.T' /proc/$stopped/status; do sleep 0.02; done
sample --format=folded -p $stopped --timeout 100
expect "calls of what does not run" 0 '^ 0 samples: it did not run' cat "$work/out"
kill -KILL $stopped
sample -p $busy --format=folded "$work/until-ran" $busy
expect "its name" 0 '^calls;' cat "$work/out"
# both NAME: each has at least 10 of the 200 samples of the 0.2 s that it ran: time that a hypervisor took has none
both() {
	if awk -v a="$calls" -v b="$work/twin" 'index($0, a) { one += $1 } index($0, b) { other += $1 }
		END { exit !(one >= 10 && other >= 10) }' "$work/out"; then
		pass "$1"
	else
		fail "$1" "not 10 samples of $calls and of its twin in:"
	fi
}
sample --by file -p $busy,$twin "$work/until-ran" $busy $twin
both "two processes"
expect "what they are of" 0 "in processes $busy, $twin:" cat "$work/out"
sample --by file -t $busy,$twin "$work/until-ran" $busy $twin
both "two threads"
sample --format=folded -p $busy,$twin "$work/until-ran" $busy $twin
expect "one's name" 0 '^calls;' cat "$work/out"
expect "the other's name" 0 '^twin;' cat "$work/out"
expect "one of two that has ended" 125 "no process 4194305" "$perfex" --sample -p $busy,4194305
if "$perfex" -a -e cs true 2>/dev/null; then
	sample -a --by file "$work/until-ran" $busy
	expect "all processors" 0 "  $calls\$" cat "$work/out"
	cpu=$(awk '{ print $39 }' /proc/$busy/stat)
	taskset -pc "$cpu" $busy >/dev/null
	sample -C "$cpu" --by file "$work/until-ran" $busy
	expect "a processor" 0 "  $calls\$" cat "$work/out"
	sample -C "$(cat /sys/devices/system/cpu/online)" --by file "$work/until-ran" $busy $twin
	expect "a list of processors" 0 "  $calls\$" cat "$work/out"
	expect "a list of processors, and another process" 0 "  $work/twin\$" cat "$work/out"
	# More samples than the machine can take, or perfex can read: there is an end nevertheless. Where samples take more than a quarter
	# of the period, which they do on some machines and not on others, it is four times what one takes.
	way_of=fp
	[ "${HAVE_LIBDW:-no}" = no ] || ! dwarf dwarf true || way_of=dwarf,256
	expect "more samples than can be read" 0 '^calls;\|^twin;' timeout -s KILL 60 \
		"$perfex" --sample -a -e $event -c 10000 --format=folded --call-graph $way_of --timeout 200
	period=$(sed -n 's/^ one in \([0-9]*\), not in 10000: a sample takes .*/\1/p' "$work/out")
	us=$(sed -n 's/.*, not in 10000: a sample takes \([0-9]*\) us here.*/\1/p' "$work/out")
	if [ "${period:-12000}" -gt 10000 ] && [ "${period:-12000}" = $((${us:-3} * 4000)) ]; then
		pass "a period that leaves time"
	else
		fail "a period that leaves time" "not four times what a sample takes in:"
	fi
	for cgroups in /sys/fs/cgroup/perf_event /sys/fs/cgroup /sys/fs/cgroup/unified; do
		group=$cgroups/perfex-sample-$$
		mkdir "$group" 2>/dev/null || continue
		home=$(sed -n 's/^0:://p' /proc/$busy/cgroup)
		if [ -e "$group/cgroup.procs" ] && echo $busy 2>/dev/null >"$group/cgroup.procs"; then
			if sample -G "$group" "$work/until-ran" $busy; then rows "a cgroup" '' "$calls"; fi
			echo $busy >"$cgroups$home/cgroup.procs"
		fi
		rmdir "$group"
	done
fi
kill $busy $twin
wait $busy $twin 2>/dev/null
expect "a process that has ended" 125 "no process $busy" "$perfex" --sample -p $busy

# ---- perf.data ----
# perf counts as many samples as we, in each file and of the function; of other names it may choose others.
compare() {	# NAME option... command
	name=$1
	shift
	"$perfex" --sample -e $event --format=perf-data -o "$work/perf.data" "$@" >"$work/out" 2>&1
	awk '/^ *[0-9]+ +[0-9.]+% / { n[$NF] += $1; n["inner"] += $1 * ($3 == "inner") }
		END { for (i in n) print n[i], i }' "$work/out" | sort >"$work/ours"
	perf script -i "$work/perf.data" -F ip,sym,dso -G 2>"$work/errors" >"$work/script"
	awk '{ gsub(/[()]/, "", $NF); n[$NF]++; n["inner"] += $2 == "inner" }
		END { for (i in n) print n[i], i }' "$work/script" | sort >"$work/theirs"
	all=$(awk '/ samples$/ { print $1 }' "$work/out")
	if [ "${all:-0}" -gt 5 ] && [ "$(grep -c . "$work/script")" = "$all" ] && cmp -s "$work/ours" "$work/theirs"; then
		pass "$name"
	else
		cat "$work/theirs" "$work/errors" >>"$work/out"
		fail "$name" "perf does not count the same:"
	fi
}
if perf --version >/dev/null 2>&1 && [ "${HAVE_LIBELF:-no}" = yes ]; then
	${CC:-cc} -O0 -static "$work/calls.c" -o "$work/static"
	compare "perf script" "$work/static" 300
	expect "perf report" 0 "^# Samples: $all  *of event 'cpu-clock:u'" \
		sh -c "perf report --stdio -n --no-children -g none -i '$work/perf.data' 2>/dev/null"
	inner=$(sed -n 's/ inner$//p' "$work/ours")
	expect "perf report, a function" 0 " $inner  *static  *static  *\[\.\] inner" cat "$work/out"
	compare "perf script, children" sh -c "'$work/static' 100 & '$work/static' 100; wait"
	perf script -i "$work/perf.data" -F ip,sym 2>/dev/null >"$work/out"
	expect "perf script, calls" 0 'outer' cat "$work/out"
	"$perfex" --sample -e page-faults -c 1 --by source --format=perf-data -o "$work/perf.data" "$work/static" 1 >"$work/out" 2>&1
	expect "perf.data and a table of sources" 0 '%         -  nothing$' cat "$work/out"
	expect "perf script, addresses, sources and weights" 0 '^ *[0-9a-f]*[1-9a-f][0-9a-f]*  *5080021 |OP N/A.*  0$' \
		sh -c "perf script -i '$work/perf.data' -F addr,data_src,weight | sed 's/  *1e05080021 /  5080021 /'"
	expect "perf mem report" 0 '%  *[0-9]*  *0  *N/A' \
		sh -c "perf mem -i '$work/perf.data' report --stdio -g none 2>/dev/null"
	"$work/static" 4000 &
	busy=$!
	sleep 0.1
	compare "perf script, what runs already" -p $busy --timeout 300
	expect "perf script, its name" 0 '^ *static' perf script -i "$work/perf.data" -F comm
	"$work/static" 4000 &
	twin=$!
	sleep 0.1
	compare "perf script, two processes" -p $busy,$twin --timeout 300
	expect "perf script, one" 0 "^ *$busy *\$" perf script -i "$work/perf.data" -F pid
	expect "perf script, the other" 0 "^ *$twin *\$" perf script -i "$work/perf.data" -F pid
	kill $busy $twin
elif [ "${HAVE_LIBELF:-no}" = yes ]; then
	skip "perf script" "needs Debian's package linux-perf, and libelf"
fi
# Where it was made, and how: "perf report --header" and hotspot show it.
if command -v perf >/dev/null; then
	"$perfex" --sample -e $event --format=perf-data -o "$work/perf.data" true 'two words' 2>/dev/null
	perf report --header-only -i "$work/perf.data" >"$work/header" 2>&1
	for line in "hostname : $(uname -n)" "os release : $(uname -r)" "arch : $(uname -m)" \
		"perf version : libperfctr [0-9.]*" "nrcpus online : $(getconf _NPROCESSORS_ONLN)" \
		"nrcpus avail : $(getconf _NPROCESSORS_CONF)" "cpudesc : [^ ].*" "total memory : [1-9][0-9]* kB" \
		"cmdline : .*perfex --sample -e $event --format=perf-data -o .*/perf.data true two words " \
		"event : name = $event, .*sample_freq . = 1000.*exclude_kernel = 1.*"; do
		expect "perf.data's header: $line" 0 "^# $line\$" cat "$work/header"
	done
	if [ -r /proc/kallsyms ] && grep -q '^0*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms; then
		"$perfex" --sample -e cpu-clock --format=perf-data -o "$work/perf.data" dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
		expect "perf.data: the kernel's names" 0 ' \(read_zero\|.*clear_user.*\|rep_stos.*\)$' perf script -i "$work/perf.data" -F ip,sym -G
		perf report -g none -i "$work/perf.data" --sort dso 2>/dev/null >"$work/out"
		expect "perf.data: the kernel" 0 '%.*\[kernel.kallsyms\]' cat "$work/out"
	fi
fi
# Build IDs, processors, threads' names and times, by which perf's users filter.
if perf --version >/dev/null 2>&1 && [ "${HAVE_LIBELF:-no}" = yes ]; then
	cat >"$work/named.c" <<'EOT'
#define _GNU_SOURCE
#include <pthread.h>
static void *second(void *n)
{
	for (;;)
		for (volatile long i = 0; i < 1000000; i++)
			;
	return n;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, second, 0);
	pthread_setname_np(thread, "io-pool");
	second(0);
}
EOT
	${CC:-cc} -O0 -pthread -Wl,--build-id "$work/named.c" -o "$work/named" || exit 1
	"$work/named" &
	busy=$!
	sleep 0.3
	"$perfex" --sample -e $event --format=perf-data -o "$work/perf.data" -p $busy --timeout 500 2>/dev/null
	perf script -i "$work/perf.data" -F comm 2>/dev/null | sort -u >"$work/out"
	expect "perf.data: threads' names" 0 '^ *io-pool *$' cat "$work/out"
	expect "perf.data: the first thread's name" 0 '^ *named *$' cat "$work/out"
	expect "perf.data: no number in place of a name" 1 '^0$' grep -c ':[0-9]' "$work/out"
	sample --format=folded-threads -p $busy --timeout 500
	expect "a thread's name in calls" 0 '^named;io-pool;.*second [0-9]' cat "$work/out"
	expect "the first thread's name in calls" 0 '^named;named;.*second [0-9]' cat "$work/out"
	sample --format=folded -p $busy --timeout 300
	expect "calls without threads' names" 1 '^0$' grep -c 'io-pool' "$work/out"
	sample --json -p $busy --timeout 500
	expect "a thread's name in JSON" 0 '{"comm":"named","thread":"io-pool","samples":[0-9]*,"calls"' cat "$work/out"
	id=$(readelf -n "$work/named" | sed -n 's/.*Build ID: //p')
	expect "perf.data: build IDs" 0 "^$id $work/named\$" perf buildid-list -i "$work/perf.data"
	expect "perf.data: build IDs, with hits" 0 "^$id $work/named\$" perf buildid-list --with-hits -i "$work/perf.data"
	expect "perf.data: times" 0 'time of last sample : [0-9]*\.' perf report --header-only -i "$work/perf.data"
	expect "perf.data: half of the time" 0 '%.*named' \
		sh -c "perf report --stdio -q -g none --no-children --time 0%-50% -i '$work/perf.data' 2>&1"
	expect "perf.data: processors" 0 '^ *\[0*[0-9][0-9]*\]' perf script -i "$work/perf.data" -F cpu
	if "$perfex" -a -e cs true 2>/dev/null; then
		"$perfex" --sample -e cpu-clock --format=perf-data -o "$work/perf.data" -a sleep 0.5 2>/dev/null
		expect "perf.data: no processor -1" 0 '^ *[0-9][0-9.]*%  *00' \
			sh -c "perf report --stdio -q -g none --no-children --sort cpu -i '$work/perf.data' 2>&1"
		expect "perf.data: all build IDs" 0 "^[0-9a-f]* \[kernel.kallsyms\]" perf buildid-list -i "$work/perf.data"
		# Others' perfex may run beside it. Its child looks for the command in many directories before it is no perfex.
		many=$(awk 'BEGIN { while (i++ < 20000) printf "/-:" }')
		# shellcheck disable=SC2016
		sh -c 'echo $$ >"$1/own" && PATH=$2$PATH exec "$3" --sample -e cpu-clock --format=perf-data -o "$1/perf.data" -a \
			sh -c "echo \$\$ >\"\$1/command\"; PATH=\$2; while [ \$((i += 1)) -le 100000 ]; do :; done; exec sleep 0.2" sh "$1" "$4"' \
			sh "$work" "$many" "$perfex" "$PATH" 2>/dev/null
		perf script -i "$work/perf.data" -F comm,pid 2>/dev/null >"$work/script"
		awk -v own="$(cat "$work/own")" -v child="$(cat "$work/command")" \
			'$2 == own || ($2 == child && $1 == "perfex")' "$work/script" >"$work/out"
		expect "perf.data: no samples of perfex" 1 '^0$' grep -c . "$work/out"
		expect "perf.data: samples of its command" 0 "^ *sh  *$(cat "$work/command") *\$" cat "$work/script"
	fi
	kill $busy
	wait $busy 2>/dev/null
fi
# A pipe's end, too, is user space and kernel; without privileges what is left out is told, with its time.
if "$perfex" --sample -e cpu-clock -c 100000 true >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	expect "both modes" 0 '% .*\[kernel\]$' "$perfex" --sample dd if=/dev/zero of=/dev/null bs=1M count=2000
	expect "both modes, by file" 0 '%  *\[kernel\]' "$perfex" --sample --by file -e cpu-clock dd if=/dev/zero of=/dev/null bs=1M count=2000
	expect "user mode, as asked" 1 '' sh -c "'$perfex' --sample -e cpu-clock:u dd if=/dev/zero of=/dev/null bs=1M count=1000 2>&1 | tee '$work/user' | grep -e '\[kernel\]' -e 'user mode only'; test \$? = 0 || { echo; exit 1; }"
	if ! others_run; then
		skip "user mode only" "needs a perfex that others can reach"
	elif [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
		expect "user mode only" 0 '^ user mode only, since this user may not sample the kernel (.*), where [0-9]*\.[0-9]* s of [0-9]*\.[0-9]* s were spent$' \
			$nobody "$their_perfex" --sample dd if=/dev/zero of=/dev/null bs=1M count=2000
		expect "user mode only: the event" 0 'samples of [a-z-]*:u, ' cat "$work/out"
		expect "kernel mode is not given for user mode" 125 '^perfex: ' \
			$nobody "$their_perfex" --sample -e cpu-clock:k true
	fi
fi
rm -f "$work/perf.data"
expect "perf.data is nobody else's" 0 '^600$' sh -c \
	"umask 022; '$perfex' --sample -e $event --format=perf-data -o '$work/perf.data' true && stat -c %a '$work/perf.data'"
echo old >"$work/perf.data"
chmod 644 "$work/perf.data"
expect "perf.data that there is already" 0 '^600$' sh -c \
	"'$perfex' --sample -e $event --format=perf-data -o '$work/perf.data' true && stat -c %a '$work/perf.data'"
if [ "$(id -u)" = 0 ]; then
	echo theirs >"$work/perf.data"
	chown 65534 "$work/perf.data"
	expect "another's perf.data" 125 "perf.data can't be written: it is another user's" \
		"$perfex" --sample -e $event --format=perf-data -o "$work/perf.data" touch "$work/ran"
	expect "another's perf.data is left alone" 0 '^theirs$' cat "$work/perf.data"
	expect "nothing ran for it" 0 '^no$' sh -c "test -e '$work/ran' || echo no"
	rm "$work/perf.data"
fi
mkfifo "$work/pipe"
cat "$work/pipe" >/dev/null &
expect "perf.data in a pipe" 125 "goes back to the file's beginning" \
	"$perfex" --sample -e $event --format=perf-data -o "$work/pipe" true
exit $failed
