#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The collectors of collect/: perfex --regions=openmp and others, with programs that have no regions of their own. How
# often each construct is visited is known; the time alone is measured, which every machine has. First runtimes that are
# made up, which every machine has, too; then those of compilers.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library; PERFEX; COLLECTORS, the
# directory of the collectors; HAVE_LIBDW: whether perfex was built with it.
set -u
perfex=${PERFEX:-./perfex}
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
PERFEX_COLLECTORS=${COLLECTORS:-collect/.libs}
export PERFEX_COLLECTORS
if ! [ -e "$PERFEX_COLLECTORS/libperfctr-openmp.so" ]; then
	echo "SKIP collectors: they are shared libraries, and this build has none"
	exit 77
fi
case "$cc ${CFLAGS:-}" in
*-fsanitize=*) echo "SKIP collectors: programs without sanitizers can't load them"; exit 77 ;;
esac
work=$(mktemp -d)
export LC_ALL=C.UTF-8 TZ=UTC0 HOME="$work"
trap 'rm -rf "$work"' EXIT
failed=0
unset KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY PERFCTR_REGIONS PERFCTR_REGIONS_METRICS PERFCTR_REGIONS_KEEP PERFCTR_REGIONS_OUTPUT PERFCTR_REGIONS_FORMAT \
	OMP_TOOL OMP_TOOL_LIBRARIES LD_PRELOAD
OMP_NUM_THREADS=4 OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
export OMP_NUM_THREADS OMP_DYNAMIC OMP_WAIT_POLICY
have() {	# COMMAND TEST
	command -v "$1" >/dev/null || { echo "SKIP $2: needs $1"; return 1; }
}
# The build of musl has no library for a part of perfex, on purpose; others' lack of it is told.
leave_out() {	# NAME LIBRARY
	case "$cc ${CFLAGS:-}" in
	*musl*) echo "| left out: $1, since perfex is built without $2" ;;
	*) echo "SKIP $1: perfex is built without $2" ;;
	esac
}
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
says() {	# STATUS WORDS COMMAND...
	wanted=$1 words=$2
	shift 2
	"$@" >"$work/out" 2>&1
	status=$?
	[ "$status" = "$wanted" ] && grep -q -e "$words" "$work/out" || { echo "status $status"; cat "$work/out"; false; }
	check "perfex: $words" $?
}

# "REGION VISITS", sorted, of a report of --csv. Regions that differ in their #2 are one, and so are, where they have no
# names (libdw), a program's offsets. What did not end or was not counted follows.
visits() {	# CSV
	awk -F, 'NR > 1 && $5 == "all" && $9 == "time" {
			sub(/ #[0-9]+$/, "", $4); sub(/runtime\+0x[0-9a-f]+$/, "places", $4); n[$4] += $6; bad[$4] += $7 + $8 }
		END { for (name in n) print name, n[name] (bad[name] ? " and " bad[name] : "") }' "$1" | sort
}
expect() {	# NAME WORDS COMMAND...	the words are lines of visits
	name=$1
	printf '%s\n' "$2" | sort >"$work/wanted"
	shift 2
	"$perfex" --csv -o "$work/csv" "$@" >"$work/out" 2>"$work/errors"
	visits "$work/csv" >"$work/got"
	diff "$work/wanted" "$work/got" || { cat "$work/errors"; false; }
	check "$name" $?
	rm -f "$work/csv"
}

# ---- OpenMP: a runtime that is made up ----

# shellcheck disable=SC2086
$cc ${CFLAGS:-} -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I"$srcdir" "$srcdir/tests/collect/runtime.c" \
	-o "$work/runtime" -ldl -pthread
check "a runtime is built" $?
made_up() {	# CASE WORDS
	expect "OpenMP, made up: $1" "$2" --regions=openmp "$work/runtime" "$1"
}
team='omp parallel places 2
omp loop places 2
omp barrier places 2
omp idle places 1'
made_up team-5.0 "$team"
made_up team-5.1 "$team"
made_up cancelled "$team" # the end of the parallel construct ends the loop
"$perfex" --regions=openmp --csv -o "$work/csv" "$work/runtime" interrupted 2>"$work/errors" && if [ "${HAVE_LIBDW:-no}" = yes ]; then
	grep -q ',omp parallel places,all,2,' "$work/csv"
fi
check "OpenMP, made up: signals while a name is asked for" $?
rm -f "$work/csv"
# A construct without a place has that of the one around it; a barrier that of the loop that it ends, if there is one.
made_up gcc 'omp parallel places 1
omp loop places 2
omp barrier places 3'
league='omp teams places 2
omp distribute places 2
omp barrier places 1
omp idle places 1'
made_up league-5.0 "$league"
made_up league-5.1 "$league"
made_up league-of-one 'omp teams places 1
omp distribute places 1
omp barrier places 1'
made_up tasks 'omp parallel places 1
omp task places 4
omp taskwait places 1'
made_up kinds 'omp teams 1
omp loop places 5
omp sections places 1
omp single places 1
omp distribute places 1
omp taskloop places 1
omp taskgroup places 1'
made_up deep 'omp parallel places 1400'
made_up target "$team"
[ "$(grep -c "^libperfctr: OpenMP's target regions are not measured: " "$work/errors")" = 1 ]
check "OpenMP, made up: target regions are told, once" $?
"$perfex" --regions=openmp --csv -o "$work/csv" "$work/runtime" many 2>"$work/errors"
[ "$(awk -F, '$4 == "omp (others)" { print $6 }' "$work/csv")" = 2952 ] && [ "$(visits "$work/csv" | wc -l)" -ge 2 ]
check "OpenMP, made up: more constructs than there is room for" $?
rm -f "$work/csv"
expect "OpenMP, made up: no room for names" 'omp (others) 10' --regions=openmp "$work/runtime" full 5
says 3 'does not tell where its parallel constructs begin and end: use LLVM' "$perfex" --regions=openmp "$work/runtime" refuse
says 3 'OpenMP by a runtime with OMPT' "$perfex" --regions=openmp sh -c 'exit 3'
says 125 'none of moments, histogram, threads, openmp, kokkos, mpi' "$perfex" --regions=threads,opnmp "$work/runtime" team-5.1
OMP_TOOL_LIBRARIES=/x/other.so says 125 'OMP_TOOL_LIBRARIES has another tool (/x/other.so), .*: unset it$' \
	"$perfex" --regions=openmp "$work/runtime" team-5.1
OMP_TOOL=disabled says 125 'OMP_TOOL=disabled keeps all tools out: unset it$' "$perfex" --regions=openmp "$work/runtime" team-5.1
PERFEX_COLLECTORS=$work/none says 125 "$work/none/libperfctr-openmp.so: No such file" "$perfex" --regions=openmp "$work/runtime"
# It ends while its helper has not asked yet to be told of that.
have strace "perfex: its helper ends with it" && {
	PERFEX_COLLECTORS=$work/none timeout -k 5 60 strace -f -qq -o "$work/calls" -e trace=prctl -e inject=prctl:delay_enter=1000000 \
		"$perfex" --regions=openmp "$work/runtime" 2>"$work/errors"
	[ $? = 125 ]
	check "perfex: its helper ends with it" $?
}
refuses() {	# VARIABLE COLLECTOR CHARACTER...	which ends a name there
	variable=$1 collector=$2
	shift 2
	for character; do
		mkdir -p "$work/a${character}b" && cp "$PERFEX_COLLECTORS"/libperfctr-*.so "$work/a${character}b"
		PERFEX_COLLECTORS=$work/a${character}b says 125 "a${character}b/libperfctr-.* can't be loaded: the \"$character\" .* ends it in $variable;" \
			"$perfex" --regions="$collector" "$work/runtime" team-5.1
	done
}
refuses OMP_TOOL_LIBRARIES openmp :
refuses KOKKOS_TOOLS_LIBS kokkos ';'
refuses LD_PRELOAD mpi ' ' :
mkdir -p "$work/a ;b" && cp "$PERFEX_COLLECTORS"/libperfctr-*.so "$work/a ;b" && PERFEX_COLLECTORS="$work/a ;b" "$perfex" --regions=openmp \
	"$work/runtime" team-5.1 >"$work/out" 2>&1 && grep -q '^omp parallel' "$work/out"
check "perfex: a collector in a directory with a blank and a semicolon" $?
# A command may leave anything in the directory where perfex finds reports.
says 0 "^perfex: process 1 has no report of regions: the command has made something else in its place" \
	timeout -k 5 60 "$perfex" --regions=openmp --html "$work/html" sh -c "mkfifo \"\$PERFCTR_REGIONS_LEFT/.report.1\"; exec '$work/runtime' team-5.1"
grep -q 'omp parallel' "$work/html"
check "a pipe in the place of a report" $?
says 0 "^perfex: process 2 has no report of regions: the command has made something else in its place" \
	"$perfex" --regions=openmp --html "$work/html" sh -c "ln -s '$work/a' \"\$PERFCTR_REGIONS_LEFT/.report.2\"; exec '$work/runtime' team-5.1"
left=$("$perfex" --regions=openmp -o "$work/out" sh -c 'mkdir -p "$PERFCTR_REGIONS_LEFT/1-a/b"; echo >"$PERFCTR_REGIONS_LEFT/1-a/b/c"
	echo >"$PERFCTR_REGIONS_LEFT/mine"; "$0" team-5.1; echo "$PERFCTR_REGIONS_LEFT"' "$work/runtime" 2>"$work/errors")
[ -n "$left" ] && ! [ -e "$left" ] && ! grep -v ' 1 ' "$work/errors"
check "what a command has made beside reports" $?
# Nor may the files that say where functions are keep perfex, or other programs from their names.
if [ "${HAVE_LIBDW:-no}" = yes ] && have objcopy "a pipe in the place of a debug file"; then
	cp "$work/runtime" "$work/stuck" && objcopy --only-keep-debug "$work/stuck" "$work/stuck.debug" &&
		objcopy --strip-all --add-gnu-debuglink="$work/stuck.debug" "$work/stuck" && rm "$work/stuck.debug" && mkfifo "$work/stuck.debug" &&
		timeout -k 5 25 "$perfex" --regions=openmp --csv -o "$work/csv.%p" sh -c '"$0" team-5.1; "$1" team-5.1' "$work/stuck" "$work/runtime" &&
		grep -q ',omp parallel stuck+0x[0-9a-f]*,all,2,' "$work"/csv.*
	check "a pipe in the place of a debug file" $?
	grep -q ',omp parallel places,all,2,' "$work"/csv.*
	check "a program that is asked about after that" $?
	rm -f "$work"/csv.*
	cp "$work/runtime" "$work/bare" && objcopy --strip-debug "$work/bare" "$work/bare.debug" &&
		objcopy --strip-all --add-gnu-debuglink="$work/bare.debug" "$work/bare" &&
		"$perfex" --regions=openmp --csv -o "$work/csv" "$work/bare" team-5.1 && grep -q ',omp parallel places,all,2,' "$work/csv"
	check "a debug file that has functions, and no lines" $?
	rm -f "$work/csv"
fi
# Names that are cut are told apart.
long=$(printf '%0120d' 0)
cp "$work/runtime" "$work/$long" && PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=csv PERFCTR_REGIONS_OUTPUT="$work/csv" \
	OMP_TOOL_LIBRARIES="$PERFEX_COLLECTORS/libperfctr-openmp.so" "$work/$long" many &&
	[ "$(grep -c '^[^,]*,[0-9]*,,omp loop 0*[^,]*,all,1,' "$work/csv")" = 2048 ] && grep -q ',omp loop 0* #2048,all,1,' "$work/csv"
check "OpenMP, made up: names that are cut" $?
rm -f "$work/csv"
# Without perfex, it is the program's offset.
PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=csv PERFCTR_REGIONS_OUTPUT="$work/csv" \
	OMP_TOOL_LIBRARIES="$PERFEX_COLLECTORS/libperfctr-openmp.so" "$work/runtime" team-5.1 &&
	grep -q ',omp parallel runtime+0x[0-9a-f]*,all,2,' "$work/csv"
check "OpenMP, made up: without perfex" $?
left=$("$perfex" --regions=openmp sh -c "'$work/runtime' team-5.1 >&2; echo \"\$PERFCTR_REGIONS_LEFT\"" 2>/dev/null)
[ -n "$left" ] && ! [ -e "$left" ]
check "no directory is left" $?
# A program that is killed has told its constructs by then.
rm -f "$work/csv"
"$perfex" --regions=openmp --csv -o "$work/csv" "$work/runtime" killed 2>"$work/errors"
cat "$work"/csv* >"$work/all.csv" && visits "$work/all.csv" >"$work/got" && printf '%s\n' "$team" | sort | diff - "$work/got"
check "OpenMP, made up: a program that is killed" $?

# ---- Kokkos: a program that calls the tool as Kokkos does ----

# shellcheck disable=SC2086
$cc ${CFLAGS:-} -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I"$srcdir/include" "$srcdir/tests/collect/kokkos.c" \
	-o "$work/kokkos" -L"$lib" -lperfctr -Wl,-rpath,"$(cd "$lib" && pwd)" -ldl
check "a program with Kokkos' calls is built" $?
wanted="by hand 1
kokkos region solve 1
kokkos for axpy 3
kokkos reduce dot 1
kokkos scan (no name) 1
kokkos fence wait 1
kokkos copy HBM to Host 1
kokkos section again 1
kokkos section one 1
kokkos section two 1
kokkos region deep 300
kokkos (others) 1
kokkos for elsewhere 2"
for variable in KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY; do
	"$perfex" --regions=kokkos --csv -o "$work/csv" "$work/kokkos" $variable >"$work/out" 2>"$work/errors"
	visits "$work/csv" >"$work/got"
	printf '%s\n' "$wanted" | sort >"$work/wanted"
	# Names that are cut, and end in a number of the whole.
	grep -v '^kokkos for xxx' "$work/got" | diff "$work/wanted" - &&
		[ "$(grep -c '^kokkos for x\{103\}\.\.\.[0-9a-f]\{8\} 1$' "$work/got")" = 2 ] || { cat "$work/errors" "$work/got"; false; }
	check "Kokkos, by $variable" $?
	[ "$(grep -c "^libperfctr: Kokkos' kernels on devices are not measured: " "$work/errors")" = 1 ]
	check "Kokkos: kernels on devices are told, once" $?
	rm -f "$work/csv"
done
expect "Kokkos: no room for names" 'kokkos (others) 1' --regions=kokkos "$work/kokkos" KOKKOS_TOOLS_LIBS full
KOKKOS_TOOLS_LIBS=/x/k.so says 125 'KOKKOS_TOOLS_LIBS has another tool (/x/k.so), .*: unset it$' "$perfex" --regions=kokkos "$work/kokkos"
KOKKOS_PROFILE_LIBRARY=/x/k.so says 125 'KOKKOS_PROFILE_LIBRARY has another tool (/x/k.so)' "$perfex" --regions=kokkos "$work/kokkos"
says 3 'or with Kokkos, and its tools' "$perfex" --regions=kokkos sh -c 'exit 3'

# ---- MPI: one that is made up ----

made_up=$srcdir/tests/collect/made-up
# shellcheck disable=SC2086
ranks() {	# PROGRAM argument...
	program=$1
	shift
	$cc ${CFLAGS:-} -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -I"$made_up" -I"$srcdir/include" \
		"$srcdir/tests/collect/ranks.c" -o "$work/$program" "$@" -L"$lib" -lperfctr -Wl,-rpath,"$(cd "$lib" && pwd)"
}
# Debian 12's valgrind gives up at clang's DWARF of several files.
# shellcheck disable=SC2086
for name in mpi mpich; do
	$cc ${CFLAGS:-} -g0 -shared -fPIC -Wall -Wextra -Werror -I"$made_up" "$srcdir/tests/collect/mpi.c" "$srcdir/tests/collect/mpi_fortran.c" \
		-o "$work/lib$name.so" -Wl,-soname,lib$name.so
done
ranks ranks -L"$work" -lmpi -Wl,-rpath,"$work"
check "a program with MPI is built" $?
calls='by hand 5
MPI_Sendrecv 5
MPI_Allreduce 5
MPI_Barrier 5
MPI_Isend 5
MPI_Irecv 5
MPI_Waitall 5
MPI_Alltoallv 5'
expect "MPI, made up: calls, and none within another" "$calls
MPI (program) 1" --regions=mpi "$work/ranks"
# "REGION INCLUSIVE EXCLUSIVE", in the order of the report.
bytes_are() {	# NAME WORDS PROGRAM...
	name=$1
	printf '%s\n' "$2" >"$work/wanted"
	shift 2
	"$perfex" --regions=mpi --csv -o "$work/csv" "$@" >"$work/out" 2>"$work/errors"
	awk -F, '$9 == "bytes" && $10 == "B" && $20 == "exact" { print $4, $11, $12 }' "$work/csv" | diff "$work/wanted" - ||
		{ cat "$work/errors"; false; }
	check "MPI, made up: $name" $?
	rm -f "$work/csv"
}
bytes='MPI (program) 2480 0
by hand 2480 0
MPI_Sendrecv 200 200
MPI_Allreduce 2000 2000
MPI_Isend 120 120
MPI_Irecv 120 120
MPI_Alltoallv 40 40'
bytes_are bytes "$bytes" "$work/ranks"
bytes_are "bytes that MPI_IN_PLACE has not" "$(echo "$bytes" | sed 's/^MPI (program) 2480/MPI (program) 2920/; s/^\(MPI_Allreduce\) .*/\1 2400 2400/')
MPI_Reduce 40 40" \
	"$work/ranks" in-place
bytes_are "bytes for another group" "$(echo "$bytes" | sed 's/^MPI (program) 2480/MPI (program) 2504/; s/^\(MPI_Alltoallv\) .*/\1 64 64/')" \
	"$work/ranks" groups
bytes_are "bytes for each rank" "$(echo "$bytes" | sed 's/^MPI (program) 2480/MPI (program) 2576/')
MPI_Reduce_scatter 32 32
MPI_Reduce_scatter_block 32 32
MPI_Ireduce_scatter_block 32 32" \
	"$work/ranks" reductions
bytes_are "bytes of a call whose buffer means nothing" "$(echo "$bytes" | sed 's/^MPI (program) 2480/MPI (program) 2492/')
MPI_Get_accumulate 12 12" \
	"$work/ranks" window
bytes_are "calls that fail have none" "$bytes" "$work/ranks" fails
expect "MPI, made up: calls after one that was left" "$(echo "$calls" | sed 's/^MPI_Barrier 5/MPI_Barrier 8/')
MPI (program) 1
MPI_Start 0 and 1" --regions=mpi "$work/ranks" leaves
expect "MPI, made up: Fortran's names" 'MPI (program) 1
MPI_Allgather 2
MPI_Alltoallv 2
MPI_Barrier 4
MPI_Reduce_scatter_block 1
MPI_Send 2' --regions=mpi "$work/ranks" fortran
bytes_are "Fortran's bytes" 'MPI (program) 192 0
MPI_Send 56 56
MPI_Reduce_scatter_block 112 112
MPI_Alltoallv 24 24' "$work/ranks" fortran
# Stages of a program: 1 work, 2 it closes all descriptors, 4 it opens a pipe of its own, which keeps its bytes, 8 a child of fork()
# works and ends by _exit(), and then work. Whatever it has done, each work is counted.
cat >"$work/stages.c" <<'EOT'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
static void begin(void) { }
static void end(void) { }
static int n;
__attribute__((noinline)) static void do_work(void)
{
	_Pragma("omp parallel num_threads(2)") __atomic_add_fetch(&n, 1, 0);
}
/* A thread enters the next construct when it has left the last one, which _exit() does not wait for. */
__attribute__((noinline)) static void leave_work(void)
{
	_Pragma("omp parallel num_threads(2)") __atomic_add_fetch(&n, 1, 0);
}
#else
#include "mpi.h"
static void begin(void) { MPI_Init(NULL, NULL); }
static void end(void) { MPI_Finalize(); }
static void leave_work(void) { }
__attribute__((noinline)) static void do_work(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}
#endif
int main(int argc, char **argv)
{
	int stages = argc > 1 ? atoi(argv[1]) : 0, ends[2], fd, status = 0;
	char bytes[300] = "";

	begin();
	if (stages & 1)
		do_work();
	if (stages & 2)
		for (fd = 3; fd < 1024; fd++)
			close(fd);
	if (stages & 4) {
		if (pipe(ends) < 0 || write(ends[1], bytes, 200) != 200)
			return 4;
		do_work();
		if (read(ends[0], bytes, sizeof(bytes)) != 200)
			return 5;
	}
	if (stages & 8) {
		if (fork() == 0) {
			do_work();
			leave_work();
			_exit(0);
		}
		wait(&status);
	}
	do_work();
	end();
	return status != 0;
}
EOT
all_stages() {	# NAME COLLECTOR REGION PROGRAM	two visits of the region for each work
	wrong=0
	for stages in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		rm -f "$work"/stage.*
		OMP_NUM_THREADS=2 "$perfex" --regions="$2" --csv -o "$work/stage.%p" "$4" $stages 2>"$work/errors" || wrong=$((wrong + 1))
		got=$(awk -F, -v region="$3" 'index($4, region) == 1 && $5 == "all" && $9 == "time" { n += $6; bad += $7 + $8 } END { print n + 0, bad + 0 }' \
			"$work"/stage.*)
		works=$((1 + (stages & 1) + (stages >> 2 & 1) + (stages >> 3 & 1)))
		[ "$got" = "$((2 * works)) 0" ] || { echo "stages $stages: $got, not $((2 * works))"; cat "$work/errors"; wrong=$((wrong + 1)); }
	done
	[ $wrong = 0 ]
	check "$1: each work in each order of stages" $?
	rm -f "$work"/stage.*
}
# shellcheck disable=SC2086
$cc ${CFLAGS:-} -Wall -Wextra -Werror -I"$made_up" "$work/stages.c" -o "$work/stages" -L"$work" -lmpi -Wl,-rpath,"$work" &&
	all_stages "MPI, made up" mpi MPI_Barrier "$work/stages"
# A program that gets MPI's own functions by the handle of MPI's library: that is told. One that only has the library does not call it.
cat >"$work/handle.c" <<'EOT'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *mpi = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*init)(int *, char ***) = mpi ? (int (*)(int *, char ***))dlsym(mpi, "MPI_Init") : 0;
	int (*finalize)(void) = mpi ? (int (*)(void))dlsym(mpi, "MPI_Finalize") : 0;
	return !init || !finalize || (argc == 2 && (init(&argc, &argv) || finalize()));
}
EOT
# shellcheck disable=SC2086
$cc ${CFLAGS:-} -Wall -Wextra -Werror "$work/handle.c" -o "$work/handle" -ldl
mkdir "$work/handles"
# shellcheck disable=SC2086
$cc ${CFLAGS:-} -g0 -shared -fPIC -I"$made_up" "$srcdir/tests/collect/mpi.c" -o "$work/handles/libmpi.so.12" -Wl,-soname,libmpi.so.12
says 0 "^libperfctr: --regions=mpi: the program called MPI by addresses that dlsym(3) found in MPI's library: its calls are not measured" \
	env LD_LIBRARY_PATH="$work/handles" "$perfex" --regions=mpi "$work/handle" libmpi.so.12
LD_LIBRARY_PATH=$work/handles "$perfex" --regions=mpi "$work/handle" libmpi.so.12 quiet >"$work/out" 2>&1 && ! grep -q dlsym "$work/out"
check "MPI: a library that is loaded, and not called" $?
# MPI that comes late, or Fortran's part of it: by a module that a program loads for itself.
build() {	# OUTPUT argument...
	output=$work/$1
	shift
	# shellcheck disable=SC2086
	$cc ${CFLAGS:-} -Wall -Wextra -Werror -I"$made_up" -Wl,--no-as-needed,-rpath,"$work" -L"$work" -o "$output" "$@"
}
build libc_only.so -shared -fPIC "$srcdir/tests/collect/mpi.c" -Wl,-soname,libc_only.so &&
	build libfortran.so -shared -fPIC "$srcdir/tests/collect/mpi_fortran.c" -Wl,-soname,libfortran.so -lc_only &&
	build libnamesake.so -shared -fPIC -DNAMESAKE "$srcdir/tests/collect/late.c" -Wl,-soname,libnamesake.so &&
	build module.so -shared -fPIC -DMODULE "$srcdir/tests/collect/late.c" -lfortran &&
	build late "$srcdir/tests/collect/late.c" -lc_only -ldl &&
	build later -DLINKED "$srcdir/tests/collect/late.c" -lnamesake -ldl &&
	build latest -DNO_MPI "$srcdir/tests/collect/late.c" -ldl
check "programs whose MPI comes late are built" $?
bytes_are "Fortran that is loaded after MPI_Init()" 'MPI (program) 56 0
MPI_Send 56 56' "$work/late" "$work/module.so"
bytes_are "after a function of that name that is not MPI's" 'MPI_Send 56 56' "$work/later" "$work/module.so"
says 0 '^perfex: no region was reached' timeout -k 5 60 "$perfex" --regions=mpi "$work/later"
says 0 '^perfex: no region was reached' timeout -k 5 60 "$perfex" --regions=mpi "$work/latest" "$work/libnamesake.so"
# A program may have a function of such a name, which is none of MPI's.
echo 'int mpi_init(int *n) { *n += 7; return 5; }' >"$work/numbers.c"
echo 'int mpi_init(int *n); int main(void) { int n = 1; return mpi_init(&n) + n; }' >"$work/count.c"
# shellcheck disable=SC2086
$cc ${CFLAGS:-} -shared -fPIC "$work/numbers.c" -o "$work/libnumbers.so" -Wl,-soname,libnumbers.so &&
	$cc ${CFLAGS:-} "$work/count.c" -o "$work/count" -L"$work" -lnumbers -Wl,-rpath,"$work"
says 13 '^perfex: no region was reached' "$perfex" --regions=mpi "$work/count"
# A shell, or a launcher, has the collector, too; it ends right after its program, by exit(3) or not.
cat >"$work/launcher.c" <<'EOT'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int n, char **argument)
{
	int ends = n > 1 && argument[1][0] == 'e';

	if (n > 2 && fork() == 0) {
		execv(argument[2], argument + 2);
		_exit(127);
	}
	wait(NULL);
	if (ends || n == 1)
		exit(0);
	_exit(0);
}
EOT
# shellcheck disable=SC2086
$cc ${CFLAGS:-} "$work/launcher.c" -o "$work/launcher"
for way in exits leaves; do
	says 0 '^perfex: no region was reached, .* is built with them .*, or with MPI, as a shared library$' \
		"$perfex" --regions=mpi "$work/launcher" $way "$work/launcher"
done
"$perfex" --regions=mpi --csv -o "$work/csv" "$work/ranks" killed 2>"$work/errors"
visits "$work/csv" >"$work/got"
printf '%s\n' "$calls" 'MPI (program) 0' | sort | diff - "$work/got"
check "MPI, made up: a program that is killed" $?
"$perfex" --regions=mpi --json -o "$work/json" "$work/ranks" 2>"$work/errors" && "$perfex" --from --csv "$work/json" >"$work/merged" &&
	grep -q '^MPI_Waitall,time,ns,inclusive,1,5,' "$work/merged" &&
	grep -q '^by hand,bytes,B,inclusive,1,5,2480,pid [0-9]*,2480.000,2480,pid [0-9]*,0.000,exact,' "$work/merged"
check "MPI, made up: --from" $?
# Five barriers of 20 ms, which take no processor time.
MADE_UP_WAIT=20000 "$perfex" --regions=mpi --csv -o "$work/csv" "$work/ranks" 2>"$work/errors" && python3 -c 'import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1]))]
def value(region, name, which="inclusive"):
    found = [int(row[which]) for row in rows if row["region"] == region and row["value"] == name]
    return found[0] if found else None
calls = [name for name in {row["region"] for row in rows} if name.startswith("MPI_")]
barrier = value("MPI_Barrier", "communication")
assert barrier >= 100000000 and value("MPI_Barrier", "communication", "exclusive") == barrier, rows
assert barrier > 2 * value("MPI_Barrier", "time"), rows
assert value("by hand", "communication") == value("MPI (program)", "communication") == sum(value(c, "communication") for c in calls), rows
assert value("by hand", "communication", "exclusive") == 0, rows
assert {(row["unit"], row["quality"]) for row in rows if row["value"] == "communication"} == {("ns", "estimate")}, rows' "$work/csv"
check "MPI, made up: elapsed time, CSV" $?
for format in "" --json; do
	MADE_UP_WAIT=20000 "$perfex" --regions=mpi $format -o "$work/out" "$work/ranks" 2>"$work/errors" &&
		grep -qE '^  communication ns +[0-9]{9,} +[0-9]{9,}  estimate$|"value":"communication","unit":"ns","inclusive":[0-9]{9,},' "$work/out"
	check "MPI, made up: elapsed time, ${format:-table}" $?
done
MADE_UP_WAIT=20000 "$perfex" --regions=mpi --json -o "$work/json" "$work/ranks" 2>"$work/errors" && "$perfex" --from "$work/json" >"$work/merged" &&
	grep -A 6 '^MPI_Barrier' "$work/merged" | grep -q '^  communication ns: mean [0-9]\{9,\}, '
check "MPI, made up: elapsed time, --from" $?
says 3 '^perfex: no region was reached' "$perfex" --regions=mpi "$work/runtime"
if [ "${HAVE_LIBELF:-no}" = yes ]; then
	ranks static "$srcdir/tests/collect/mpi.c" "$srcdir/tests/collect/mpi_fortran.c"
	says 125 'static has MPI in itself, linked statically' "$perfex" --regions=mpi "$work/static"
	ranks two -Wl,--no-as-needed -L"$work" -lmpi -lmpich -Wl,-rpath,"$work"
	says 125 'two is linked with two MPIs, Open MPI.s libmpi and MPICH.s libmpich: ' "$perfex" --regions=mpi "$work/two"
else
	leave_out "how programs are linked" libelf
fi

# ---- where GCC's and clang's programs can run ----

if echo "$cc ${CFLAGS:-}" | grep -q musl; then
	exit $failed # another C library than the compilers' runtimes have
fi
$cc -shared -fPIC -x c /dev/null -o "$work/libnothing.so" && LD_PRELOAD="$work/libnothing.so" "$perfex" --regions=mpi \
	sh -c 'echo "$LD_PRELOAD"' >"$work/out" 2>/dev/null
[ "$(cat "$work/out")" = "$PERFEX_COLLECTORS/libperfctr-mpi.so:$work/libnothing.so" ]
check "MPI: libraries that are there already stay: $(cat "$work/out")" $?
# Lines are those of the comments; compilers give some constructs' calls the line before. Clang's outlined functions have no name.
program() {	# COMPILER...
	"$@" -g -O0 -fopenmp -I"$srcdir/include" "$srcdir/tests/collect/openmp.c" -o "$work/openmp" -L"$lib" -lperfctr \
		-Wl,-rpath,"$(cd "$lib" && pwd)"
}
line() {	# WORD BEFORE	in a comment
	echo "openmp.c:$(($(awk -v word="/* $1 */" 'index($0, word) { print FNR }' "$srcdir/tests/collect/openmp.c") - $2))"
}
if command -v clang >/dev/null && program clang 2>"$work/errors"; then
	clang -fsyntax-only -I"$srcdir" "$srcdir/tests/collect/ompt.c"
	check "numbers and layouts are those of omp-tools.h" $?
	if [ "${HAVE_LIBDW:-no}" = yes ]; then
		wanted="by hand 50
omp parallel team ($(line team 0)) 40
omp barrier team ($(line team 0)) 10
omp idle team ($(line team 0)) 30
omp loop ($(line loop 0)) 40
omp barrier ($(line loop 0)) 40
omp barrier ($(line barrier 0)) 40
omp single ($(line single 0)) 10
omp barrier ($(line single 0)) 40
omp task ($(line task 0)) 80
omp parallel nested ($(line around 0)) 20
omp barrier nested ($(line around 0)) 10
omp idle nested ($(line around 0)) 10
omp parallel ($(line within 0)) 20
omp parallel alone ($(line alone 0)) 10"
		expect "OpenMP by clang" "$wanted" --regions=openmp "$work/openmp"
		expect "OpenMP by clang, with a child that ends" "$wanted" --regions=openmp "$work/openmp" fork
		clang -g -O0 -fopenmp -shared -fPIC -Dmain=entry -I"$srcdir/include" "$srcdir/tests/collect/openmp.c" -o "$work/plugin.so" -L"$lib" \
			-lperfctr -Wl,-rpath,"$(cd "$lib" && pwd)" && $cc -x c -o "$work/loader" - -ldl <<-'EOT'
				#include <dlfcn.h>
				int main(int argc, char **argv)
				{
					void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : (void *)0;
					int (*entry)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "entry") : (int (*)(int, char **))0;
					return entry ? entry(1, argv) : 3;
				}
			EOT
		expect "OpenMP by clang, in a library that a program loads for itself" "$wanted" --regions=openmp "$work/loader" "$work/plugin.so"
	else
		leave_out "names of OpenMP's constructs" libdw
	fi
	# A library that is loaded where another one was has its own constructs, and so has the other when it comes back.
	echo 'static int n; int FUNCTION(void) { _Pragma("omp parallel num_threads(2)") __atomic_add_fetch(&n, 1, 0); return n; }' >"$work/plugin.c"
	cat >"$work/plugins.c" <<-'EOT'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void *first = (void *)0;
			int i;
			_Pragma("omp parallel num_threads(2)") { }
			for (i = 0; i < 6; i++) {
				void *plugin = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
				int (*function)(void) = plugin ? (int (*)(void))dlsym(plugin, i % 2 ? "second" : "first") : (int (*)(void))0;
				if (!function || function() != 2)
					return 3;
				first = first ? first : (void *)function;
				if (first != (void *)function)
					return argc; /* the linker has put it elsewhere */
				dlclose(plugin);
			}
			return 0;
		}
	EOT
	clang -g -fopenmp "$work/plugins.c" -o "$work/plugins" -ldl && for name in first second; do
		clang -g -O1 -fopenmp -shared -fPIC -DFUNCTION=$name "$work/plugin.c" -o "$work/lib$name.so" || exit 1
	done
	"$perfex" --regions=openmp --csv -o "$work/csv" "$work/plugins" "$work/libfirst.so" "$work/libsecond.so" 2>"$work/errors"
	status=$?
	awk -F, '/,omp (parallel|idle|barrier) .*,all,/ && !/plugins/ { n[substr($4, 1, 12)] += $6; names[$4] } END {
		for (name in names) different++; print different, n["omp parallel"], n["omp barrier "], n["omp idle fir"] + n["omp idle sec"] }' "$work/csv" >"$work/got"
	[ "$status" = 0 ] && if [ "${HAVE_LIBDW:-no}" = yes ]; then [ "$(cat "$work/got")" = '6 12 6 6' ]; fi || { cat "$work/errors" "$work/csv"; false; }
	check "OpenMP by clang: libraries that come and go at one address" $?
	rm -f "$work/csv"
	# libomp's address of a taskloop, and of its tasks, is in libomp; more than 20 tasks are made by tasks.
	cat >"$work/taskloops.c" <<-'EOT'
		static int number[100];
		static void first(void)
		{
			_Pragma("omp taskloop") for (int i = 0; i < 100; i++) number[i]++;
		}
		static void many(void)
		{
			_Pragma("omp taskloop num_tasks(50)") for (int i = 0; i < 100; i++) number[i]++;
		}
		int main(void)
		{
			_Pragma("omp parallel num_threads(2)") _Pragma("omp single") { first(), many(); }
			return number[99] != 2;
		}
	EOT
	if [ "${HAVE_LIBDW:-no}" = yes ]; then
		clang -g -O0 -fopenmp "$work/taskloops.c" -o "$work/taskloops" &&
			"$perfex" --regions=openmp --csv -o "$work/csv" "$work/taskloops" &&
			visits "$work/csv" | grep '^omp task.*taskloops' | sed 's/ 5[0-9]$/ 50 and more/' | sort >"$work/got"
		printf '%s\n' 'omp task first (taskloops.c:4) 20' 'omp task many (taskloops.c:8) 50 and more' 'omp taskgroup first (taskloops.c:4) 1' \
			'omp taskgroup many (taskloops.c:8) 1' 'omp taskloop first (taskloops.c:4) 1' 'omp taskloop many (taskloops.c:8) 1' |
			diff - "$work/got"
		check "OpenMP by clang: taskloops have their own places" $?
	fi
	rm -f "$work/csv"
	timeout -k 5 60 "$perfex" --regions=openmp --csv -o "$work/csv" "$work/openmp" within && grep -q ',by hand,all,50,' "$work/csv"
	check "OpenMP by clang, which ends within a construct" $?
	for format in --json '' '--csv -e page-faults,task-clock -M page-fault-rate'; do
		# shellcheck disable=SC2086
		"$perfex" --regions=openmp,threads,histogram $format -o "$work/report" "$work/openmp" &&
			grep -q 'by hand' "$work/report" && grep -q 'omp idle' "$work/report"
		check "OpenMP by clang: ${format:-a table}" $?
	done
else
	echo "SKIP OpenMP by clang: there is no clang with libomp"
fi
# GCC's runtime has no OMPT; LLVM's serves its programs.
if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c - -o "$work/empty" 2>/dev/null && program gcc; then
	if [ "${HAVE_LIBELF:-no}" = yes ]; then
		says 125 "openmp uses GCC's libgomp, which .* LD_PRELOAD=libomp.so.5 perfex" "$perfex" --regions=openmp "$work/openmp"
		# The program is linked with a library that is linked with one of libgomp's.
		echo 'int inner(void) { int n = 0; _Pragma("omp parallel reduction(+:n)") n++; return n; }' >"$work/inner.c"
		echo 'int inner(void); int outer(void) { return inner(); }' >"$work/outer.c"
		echo 'int outer(void); int main(void) { return outer() == 0; }' >"$work/through.c"
		mkdir -p "$work/a b" && gcc -fopenmp -shared -fPIC "$work/inner.c" -o "$work/a b/libinner.so" -Wl,-soname,libinner.so &&
			gcc -shared -fPIC "$work/outer.c" -o "$work/libouter.so" -Wl,-soname,libouter.so -L"$work/a b" -linner -Wl,-rpath,"$work/a b" &&
			gcc "$work/through.c" -o "$work/through" -L"$work" -Wl,-rpath-link,"$work/a b" -louter -Wl,-rpath,"\$ORIGIN"
		says 125 "through uses GCC's libgomp, which .* LD_PRELOAD=libomp.so.5 perfex" "$perfex" --regions=openmp "$work/through"
		if command -v clang >/dev/null && clang -fopenmp "$work/through.c" -o "$work/both" -L"$work" -Wl,-rpath-link,"$work/a b" -louter \
			-Wl,--no-as-needed -lomp -Wl,-rpath,"\$ORIGIN" 2>"$work/errors"; then
			says 0 "both uses GCC's libgomp beside LLVM's libomp: its constructs are not measured" \
				"$perfex" --regions=openmp "$work/both"
		fi
	else
		leave_out "programs with libgomp" libelf
	fi
	gcc -static -x c -o "$work/static" - <<-'EOT'
		int main(void) { return 0; }
	EOT
	[ "${HAVE_LIBELF:-no}" != yes ] ||
		says 125 'static is linked statically, and no library can be loaded into it' "$perfex" --regions=openmp "$work/static"
	if [ -z "$(LD_PRELOAD=libomp.so.5 /bin/true 2>&1)" ]; then
		LD_PRELOAD=libomp.so.5 "$perfex" --regions=openmp --csv -o "$work/csv" "$work/openmp" && visits "$work/csv" >"$work/got"
		# GCC leaves out the barrier at the end of a single construct that ends a parallel one.
		sed 's/ (openmp.c:[0-9]*)//' "$work/got" | sort >"$work/left"
		printf '%s\n' 'by hand 50' 'omp barrier nested 10' 'omp barrier team 10' 'omp barrier team 40' 'omp barrier team 40' \
			'omp idle nested 10' 'omp idle team 30' 'omp loop team 40' 'omp parallel alone 10' \
			'omp parallel nested 20' 'omp parallel nested 20' 'omp parallel team 40' 'omp single team 10' \
			'omp task team 80' | sort | diff - "$work/left"
		check "OpenMP by gcc, over LLVM's libomp" $?
	else
		echo "SKIP OpenMP by gcc, over LLVM's libomp: there is none"
	fi
else
	echo "SKIP OpenMP by gcc: there is no gcc with libgomp"
fi

# ---- OpenMP's constructs over each libomp that is installed, with the visits that OpenMP's rules give ----

cat >"$work/shapes.c" <<-'EOT'
	#include <stdlib.h>
	#include <string.h>
	static int a[1000];
	static void down(int n)
	{
		if (n == 0)
			return;
		_Pragma("omp task") down(n - 1);
		_Pragma("omp taskwait")
	}
	static void dynamic(void)
	{
		_Pragma("omp parallel num_threads(4)") {
			_Pragma("omp for schedule(dynamic)") for (int i = 0; i < 100; i++) a[i]++;
			_Pragma("omp for schedule(dynamic, 10)") for (int i = 0; i < 100; i++) a[i]++;
			_Pragma("omp barrier")
		}
		_Pragma("omp parallel for schedule(dynamic) num_threads(4)") for (int i = 0; i < 100; i++) a[i]++;
	}
	static void teams(void)
	{
		_Pragma("omp teams num_teams(2) thread_limit(1)") {
			_Pragma("omp distribute") for (int i = 0; i < 100; i++) a[i]++;
		}
		_Pragma("omp teams num_teams(1) thread_limit(1)") a[0]++;
	}
	int main(int argc, char **argv)
	{
		if (argc == 1)
			return 2;
		if (!strcmp(argv[1], "deep"))
			_Pragma("omp parallel num_threads(1)") down(3000);
		else if (!strcmp(argv[1], "dynamic"))
			for (int t = 0; t < 5; t++)
				dynamic();
		else
			teams();
		return 0;
	}
EOT
kinds() {	# CSV	"KIND VISITS" of all constructs of a kind, and what did not end or was not counted
	awk -F, 'NR > 1 && $5 == "all" && $9 == "time" { split($4, word, " "); n[word[2]] += $6; bad += $7 + $8 }
		END { for (name in n) print name, n[name]; if (bad) print "bad", bad }' "$1" | sort
}
shape() {	# COMPILER CASE WORDS
	rm -f "$work/csv"
	OMP_NUM_THREADS=4 LD_PRELOAD=$libomp "$perfex" --regions=openmp --csv -o "$work/csv" "$work/shapes-$1" "$2" >"$work/out" 2>"$work/errors"
	kinds "$work/csv" >"$work/got"
	printf '%s\n' "$3" | diff - "$work/got" || { cat "$work/errors"; false; }
	check "OpenMP by $1: $2, over $libomp" $?
}
compilers=
for compiler in clang gcc; do
	command -v $compiler >/dev/null && $compiler -g -O1 -fopenmp "$work/shapes.c" -o "$work/shapes-$compiler" 2>"$work/errors" &&
		compilers="$compilers $compiler"
done
! command -v clang >/dev/null || ! clang -g -fopenmp "$work/stages.c" -o "$work/stages-openmp" 2>"$work/errors" ||
	all_stages "OpenMP by clang" openmp "omp parallel do_work" "$work/stages-openmp"
for libomp in ${LIBOMPS:-/usr/lib/llvm-*/lib/libomp.so.5}; do
	[ -e "$libomp" ] || { echo "SKIP OpenMP's constructs: there is no libomp"; break; }
	for compiler in $compilers; do
		shape $compiler dynamic "barrier 70
idle 30
loop 60
parallel 40"
		# GCC's program distributes by itself.
		if [ $compiler = gcc ]; then own=; else own='distribute 2 '; fi
		shape $compiler teams "$(echo "barrier 1 ${own}idle 1 teams 3" | sed 's/ \([a-z]\)/\n\1/g')"
		# 3,000 tasks within each other, and as many waits: all are counted, or their number is told.
		rm -f "$work/csv"
		OMP_NUM_THREADS=4 LD_PRELOAD=$libomp "$perfex" --regions=openmp --csv -o "$work/csv" "$work/shapes-$compiler" deep 2>"$work/errors"
		[ "$(awk -F, 'NR > 1 && $5 == "all" && $9 == "time" { n += $6 + $8; unplaced = $29 } END { print n + unplaced }' "$work/csv")" = 6001 ]
		check "OpenMP by $compiler: 3000 tasks within each other, over $libomp" $?
	done
done
rm -f "$work/csv"

# ---- MPI: Open MPI's ranks, which have more to send the higher they are ----

if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
	job() {	# RANKS PROGRAM ARGUMENT...	merged into "merged"
		n=$1
		shift
		rm -f "$work"/rank.*
		timeout -k 5 120 mpirun --oversubscribe -n "$n" "$perfex" --regions=mpi --json -o "$work/rank.%q{OMPI_COMM_WORLD_RANK}" "$@" \
			>"$work/out" 2>"$work/errors" && "$perfex" --from --csv "$work"/rank.? >"$work/merged" && cat "$work/errors"
	}
	bytes() {	# of all ranks together, of that with the least, of that with the most
		awk -F, '/^MPI_/ && $2 == "bytes" && $4 == "inclusive" { print $1, int($9 * ($5 + $21) + 0.5), $7 " (" $8 ")", $10 " (" $11 ")" }' "$work/merged" | sort
	}
	mpicc -g -O1 -w -I"$srcdir/include" "$srcdir/tests/collect/ranks.c" -o "$work/real" -L"$lib" -lperfctr -Wl,-rpath,"$(cd "$lib" && pwd)" &&
		job 2 "$work/real"
	sed -n 's/^\([^,]*\),time,ns,inclusive,2,\([0-9]*\),.*/\1 \2/p' "$work/merged" | sort >"$work/got"
	printf '%s\n' "$calls" 'MPI (program) 1' | sed 's/5$/10/; s/1$/2/' | sort | diff - "$work/got" && [ "$(bytes)" = 'MPI_Allreduce 4000 2000 (rank 0) 2000 (rank 0)
MPI_Alltoallv 160 80 (rank 0) 80 (rank 0)
MPI_Irecv 240 120 (rank 0) 120 (rank 0)
MPI_Isend 240 120 (rank 0) 120 (rank 0)
MPI_Sendrecv 600 200 (rank 0) 400 (rank 1)' ]
	check "MPI: two ranks of Open MPI" $?
	# Each call of the list has the arguments of Open MPI's, or is younger (judges.sh asks MPICH); and each of Open MPI's that is not
	# in it is one on files, or has a text, or does not communicate.
	echo '#include <mpi.h>' >"$work/calls.c"
	mpicc -E "$work/calls.c" | tr '\n' ' ' | grep -o 'int MPI_[A-Z][a-z_]*([^()]*)' | awk '{
			name = $2; sub(/^MPI_/, "", name); sub(/\(.*/, "", name); n = gsub(/,/, ","); print name, (/\(void\)/ ? 0 : n + 1) }' |
		sort >"$work/theirs"
	sed -n 's/^\([A-Z][a-z_]* [0-9]*\) .*/\1/p' "$srcdir/collect/mpi.calls" | sort >"$work/ours"
	kinds='(File|T|Type|Group|Info|Errhandler|Op|Attr|Keyval|Register|Add|Error|Pack|Unpack|Status|Grequest)_.*|(Comm|Win)_(get|set)_.*'
	kinds="$kinds|(Comm|Win)_(create_(errhandler|keyval)|free_keyval|delete_attr|call_errhandler)|Pack|Unpack|Initialized|Finalized"
	kinds="$kinds|Get_(address|count|elements|elements_x|library_version|processor_name|version)|Is_thread_main|Query_thread"
	texts='Comm_accept|Comm_connect|Comm_spawn|Comm_spawn_multiple|Open_port|Close_port|Lookup_name|Publish_name|Unpublish_name'
	here='Abort|Alloc_mem|Free_mem|Send_init|[BRS]send_init|Recv_init|Buffer_attach|Cancel|Test_cancelled|Request_free|Pcontrol'
	here="$here|Cart_(coords|get|map|rank|shift)|Graph_(get|map|neighbors|neighbors_count)|Dist_graph_neighbors(_count)?|Dims_create|Graphdims_get|Cartdim_get"
	here="$here|Topo_test|Comm_(compare|group|rank|remote_group|remote_size|size|test_inter)|Reduce_local"
	here="$here|Win_(attach|detach|shared_query|sync)"
	{
		comm -13 "$work/theirs" "$work/ours" |
			grep -vE '^(Comm_idup_with_info|Isendrecv|Isendrecv_replace|Parrived|Pready|Pready_list|Pready_range) '
		comm -23 "$work/theirs" "$work/ours" | grep -vE "^($kinds|$texts|$here) "
	} >"$work/differ"
	cat "$work/differ"
	[ ! -s "$work/differ" ] && [ "$(wc -l <"$work/ours")" -ge 125 ]
	check "MPI: $(wc -l <"$work/ours") calls have Open MPI's arguments" $?
	job 3 "$work/real" in-place && [ "$(bytes | grep -v -e MPI_I -e MPI_S)" = 'MPI_Allreduce 7200 2400 (rank 0) 2400 (rank 0)
MPI_Alltoallv 360 120 (rank 0) 120 (rank 0)
MPI_Gather 16 0 (rank 0) 8 (rank 1)
MPI_Reduce 120 40 (rank 0) 40 (rank 0)' ] || { bytes; false; }
	check "MPI: MPI_IN_PLACE of Open MPI" $?
	job 3 "$work/real" groups && [ "$(bytes | grep -v -e MPI_I -e MPI_S)" = 'MPI_Allreduce 6000 2000 (rank 0) 2000 (rank 0)
MPI_Alltoallv 392 128 (rank 1) 136 (rank 0)
MPI_Bcast 80 0 (rank 2) 40 (rank 0)
MPI_Gather 8 0 (rank 1) 8 (rank 0)
MPI_Reduce 12 0 (rank 1) 12 (rank 0)' ] || { bytes; false; }
	check "MPI: two groups of Open MPI" $?
	job 2 "$work/real" reductions && [ "$(bytes | grep educe_)" = 'MPI_Ireduce_scatter_block 64 32 (rank 0) 32 (rank 0)
MPI_Reduce_scatter 64 32 (rank 0) 32 (rank 0)
MPI_Reduce_scatter_block 64 32 (rank 0) 32 (rank 0)' ]
	check "MPI: bytes for each rank of Open MPI" $?
	# Not every machine has a way for one process to read another one's memory.
	if timeout -k 5 60 mpirun --oversubscribe -n 2 "$work/real" window >"$work/out" 2>&1; then
		job 2 "$work/real" window && [ "$(bytes | grep Get)" = 'MPI_Get_accumulate 24 12 (rank 0) 12 (rank 0)' ]
		check "MPI: bytes that a rank gets, of Open MPI" $?
	else
		echo "SKIP MPI: bytes that a rank gets: Open MPI can't make a window here"
	fi
	job 2 "$work/real" fails && [ "$(bytes | grep MPI_Isend)" = 'MPI_Isend 240 120 (rank 0) 120 (rank 0)' ]
	check "MPI: calls of Open MPI that fail" $?
	timeout -k 5 60 mpirun --oversubscribe -n 1 "$perfex" --regions=mpi "$work/real" : -n 1 "$work/real" >"$work/out" 2>&1 &&
		grep -q '^MPI_Sendrecv: 5 visits$' "$work/out"
	check "MPI: one rank of two is measured" $?
	if mpif90 --version >/dev/null 2>&1; then
		for module in mpi mpi_f08; do
			error=$([ $module = mpi ] && echo ', e')
			sed "s/@MODULE@/$module/; s/@E@/$error/" >"$work/$module.f90" <<-'EOT'
				program sums
					use @MODULE@
					integer :: rank, ranks, e, own(10), all(10), same(2)
					call MPI_Init_thread(MPI_THREAD_SINGLE, rank@E@)
					call MPI_Comm_rank(MPI_COMM_WORLD, rank@E@)
					own = rank
					call MPI_Allreduce(own, all, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD@E@)
					call MPI_Barrier(MPI_COMM_WORLD@E@)
					if (all(10) /= 1) error stop
					same = rank
					call MPI_Allgather(MPI_IN_PLACE, 1234, MPI_DATATYPE_NULL, same, 1, MPI_INTEGER, MPI_COMM_WORLD@E@)
					call MPI_Allgather(MPI_IN_PLACE, 1234, MPI_INTEGER, same, 1, MPI_INTEGER, MPI_COMM_WORLD@E@)
					call MPI_Finalize(@E@)
				end program
			EOT
			sed -i 's/Finalize(, e)/Finalize(e)/' "$work/$module.f90"
			mpif90 "$work/$module.f90" -o "$work/fortran" && job 2 "$work/fortran" && [ "$(bytes)" = 'MPI_Allreduce 80 40 (rank 0) 40 (rank 0)' ] &&
				[ "$(sed -n 's/^\([^,]*\),time,ns,inclusive,2,2,.*/\1/p' "$work/merged" | sort | paste -sd ,)" = \
					'MPI (program),MPI_Allreduce,MPI_Barrier' ] && grep -q '^MPI_Allgather,time,ns,inclusive,2,4,' "$work/merged"
			status=$?
			[ $status = 0 ] || cat "$work/errors" "$work/merged"
			check "MPI: Fortran's module $module over Open MPI" $status
		done
		# A module of Fortran's, as Python's have, has an MPI_IN_PLACE of its own.
		cat >"$work/module.f90" <<-'EOT'
			integer(c_int) function entry() bind(c, name="entry")
				use iso_c_binding, only: c_int
				use mpi
				integer :: e, sum(10), same(2)
				sum = 1
				call MPI_Comm_rank(MPI_COMM_WORLD, same(1), e)
				same = same(1)
				call MPI_Allgather(MPI_IN_PLACE, 1234, MPI_INTEGER, same, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
				call MPI_Allreduce(MPI_IN_PLACE, sum, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
				entry = merge(0, 1, all(same == [0, 1]) .and. all(sum == 2))
			end function
		EOT
		mpif90 -shared -fPIC "$work/module.f90" -o "$work/fortran.so" && mpicc -w "$srcdir/tests/collect/late.c" -o "$work/real-late" -ldl &&
			job 2 "$work/real-late" "$work/fortran.so" && [ "$(bytes)" = 'MPI_Allreduce 80 40 (rank 0) 40 (rank 0)' ]
		check "MPI: Fortran that a program of C loads, over Open MPI" $?
	else
		echo "SKIP MPI: Fortran over Open MPI: mpif90 finds no gfortran"
	fi
else
	echo "SKIP MPI: there is no Open MPI"
fi

# ---- the tutorial: threads of OpenMP in ranks of MPI ----

# Its blocks that begin with mpirun; others are an emulated machine's. Times and threads' ids may be any numbers, and threads may come
# to constructs in any order.
if command -v mpicc >/dev/null && command -v clang >/dev/null && [ "${HAVE_LIBDW:-no}" = yes ]; then
	# Open MPI has a slot for each core.
	mpirun -n 2 true 2>/dev/null || export OMPI_MCA_rmaps_base_oversubscribe=1
	mkdir "$work/tutorial"
	OMPI_CC=clang mpicc -Wall -Wextra -Werror -O2 -g -fopenmp "$srcdir/examples/rows.c" -o "$work/tutorial/rows" &&
		sed 's/\\e/\\/g' "$srcdir/man/perfctr_tutorial.7" | awk -v directory="$work/tutorial" '
			/^\.Bd -literal/ { getline; on = /^\$ mpirun/; file = directory "/block" ++n; sub(/^\$ /, "") }
			/^\.Ed/ { on = 0 }
			on { print >file }'
	perfex_name=$(cd "$(dirname "$perfex")" && pwd)/$(basename "$perfex")
	ln -s "$perfex_name" "$work/tutorial/perfex"
	same() {
		awk '
			{
				line = ""
				for (i = 1; i <= NF; i++) {
					number = $i ~ /^[0-9.]+[%,):]*$/
					line = line " " (number && (time || $(i - 1) == "thread") ? "N" : $i)
					time = time || $i ~ /^ns:*$/ || $i == "minimum"
				}
				time = 0
				print line
			}' "$1" | sort
	}
	# The imbalance of the loop in percent, and the rank of the maximum.
	loop() {
		sed -n '/^omp loop (rows/,/maximum/p' "$work/real" | tr -d '\n' |
			sed 's/.* imbalance \([0-9]*\)\.[0-9]*%.* maximum [0-9]* (rank \([01]\)).*/\1 \2\n/'
	}
	blocks=0
	for block in "$work"/tutorial/block*; do
		blocks=$((blocks + 1))
		(unset OMP_NUM_THREADS OMP_DYNAMIC OMP_WAIT_POLICY
		cd "$work/tutorial" && PATH=$work/tutorial:$PATH timeout -k 5 120 sh -c "$(sed 1q "$block")") >"$work/real" 2>&1 </dev/null
		sed 1d "$block" >"$work/page"
		same "$work/page" >"$work/wanted"
		same "$work/real" | diff "$work/wanted" - && case $(sed 1q "$block") in
		*mended*) [ "$(loop | cut -d ' ' -f 1)" -lt 20 ] ;;
		*from*) [ "$(loop | awk '{ print ($1 > 35 && $1 < 65), $2 }')" = '1 1' ] ;; # the other ranks are the scheduler's affair
		*) awk '/^omp loop.*, thread / { loop = 1 } loop && $2 == "ns" { loop = 0; sum += $3; most = $3 > most ? $3 : most } END { exit !(most > sum * 0.65 && most < sum * 0.85) }' "$work/real" ;;
		esac
		status=$?
		[ $status = 0 ] || cat "$work/real"
		check "the tutorial: $(sed 1q "$block")" $status
	done
	[ $blocks = 3 ]
	check "the tutorial has $blocks commands with MPI" $?
	for words in '' mended; do
		[ "$(timeout -k 5 120 mpirun --oversubscribe -n 3 "$work/tutorial/rows" $words)" = "$(grep -h "^the sum" "$work"/tutorial/block* | sort -u)" ]
		check "the tutorial's sum by three ranks${words:+, $words}" $?
	done
else
	echo "SKIP the tutorial's ranks: there is no Open MPI, clang or libdw"
fi

# ---- costs ----

if command -v valgrind >/dev/null; then
	# Debian 12's valgrind gives up at clang's DWARF.
	mkdir "$work/stripped"
	for file in "$PERFEX_COLLECTORS"/libperfctr-*.so "$lib"/libperfctr.so.?; do
		[ ! -e "$file" ] || strip -g -o "$work/stripped/$(basename "$file")" "$file"
	done
	PERFEX_COLLECTORS=$work/stripped LD_LIBRARY_PATH=$work/stripped${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	# Of the callbacks in one thread, which begins a construct and is in two regions of it, and of this runtime's own calls.
	# tests/vm/guest/openmp.sh has what the regions add.
	instructions() {	# CASE N
		valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=one_construct "$work/runtime" "$1" "$2" 2>&1 |
			sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
	}
	OMP_TOOL_LIBRARIES=$PERFEX_COLLECTORS/libperfctr-openmp.so
	export OMP_TOOL_LIBRARIES
	for case in times full; do
		few=$(instructions $case 1000) more=$(instructions $case 11000)
		each=$(((more - few + 5000) / 10000))
		[ -n "$few" ] && [ "$each" -gt 0 ] && [ "$each" -le 450 ]
		check "a parallel construct in a thread where nothing is measured ($case): $each instructions, at most 450" $?
	done
	unset OMP_TOOL_LIBRARIES
	# Of a call in one thread, the region's own part included, where the kernel reads the counters.
	instructions() {	# N VARIABLE=VALUE...
		n=$1
		shift
		env PERFCTR_REGIONS= PERFCTR_REGIONS_OUTPUT=/dev/null "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			--toggle-collect=one_call "$work/ranks" times "$n" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
	}
	bare=$((($(instructions 11000 A=b) - $(instructions 1000 A=b) + 5000) / 10000))
	few=$(instructions 1000 LD_PRELOAD="$PERFEX_COLLECTORS/libperfctr-mpi.so")
	more=$(instructions 11000 LD_PRELOAD="$PERFEX_COLLECTORS/libperfctr-mpi.so")
	each=$(((more - few + 5000) / 10000 - bare))
	# The promise is for gcc's code, as all figures are; clang's has some more.
	case $cc in *clang*) most=490 ;; *) most=430 ;; esac
	[ -n "$few" ] && [ "$each" -gt 100 ] && [ "$each" -le $most ]
	check "a call of MPI: $each instructions more, at most $most" $?
else
	echo "SKIP costs of collectors: there is no valgrind"
fi
exit $failed
