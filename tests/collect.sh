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
made_up cancelled "$(echo "$team" | sed 's/loop places 2/loop places 2/')"
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
made_up deep 'omp parallel places 1000'
made_up target "$team"
[ "$(grep -c "^libperfctr: OpenMP's target regions are not measured: " "$work/errors")" = 1 ]
check "OpenMP, made up: target regions are told, once" $?
"$perfex" --regions=openmp --csv -o "$work/csv" "$work/runtime" many 2>"$work/errors"
[ "$(awk -F, '$4 == "omp (others)" { print $6 }' "$work/csv")" = 2952 ] && [ "$(visits "$work/csv" | wc -l)" -ge 2 ]
check "OpenMP, made up: more constructs than there is room for" $?
says 3 'does not tell where its parallel constructs begin and end: use LLVM' "$perfex" --regions=openmp "$work/runtime" refuse
says 3 'OpenMP by a runtime with OMPT' "$perfex" --regions=openmp sh -c 'exit 3'
says 125 'none of moments, histogram, threads, openmp, kokkos' "$perfex" --regions=threads,opnmp "$work/runtime" team-5.1
OMP_TOOL_LIBRARIES=/x/other.so says 125 'OMP_TOOL_LIBRARIES has another tool (/x/other.so), .*: unset it$' \
	"$perfex" --regions=openmp "$work/runtime" team-5.1
OMP_TOOL=disabled says 125 'OMP_TOOL=disabled keeps all tools out: unset it$' "$perfex" --regions=openmp "$work/runtime" team-5.1
PERFEX_COLLECTORS=$work/none says 125 "$work/none/libperfctr-openmp.so: No such file" "$perfex" --regions=openmp "$work/runtime"
# Without perfex, it is the program's offset.
PERFCTR_REGIONS='' PERFCTR_REGIONS_FORMAT=csv PERFCTR_REGIONS_OUTPUT="$work/csv" \
	OMP_TOOL_LIBRARIES="$PERFEX_COLLECTORS/libperfctr-openmp.so" "$work/runtime" team-5.1 &&
	grep -q ',omp parallel runtime+0x[0-9a-f]*,all,2,' "$work/csv"
check "OpenMP, made up: without perfex" $?
left=$(find /dev/shm /tmp -maxdepth 1 -name 'perfex-*' -newer "$work/runtime" 2>/dev/null)
[ -z "$left" ] || echo "$left"
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
kokkos section one 1
kokkos section two 1
kokkos region deep 200
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
KOKKOS_TOOLS_LIBS=/x/k.so says 125 'KOKKOS_TOOLS_LIBS has another tool (/x/k.so), .*: unset it$' "$perfex" --regions=kokkos "$work/kokkos"
KOKKOS_PROFILE_LIBRARY=/x/k.so says 125 'KOKKOS_PROFILE_LIBRARY has another tool (/x/k.so)' "$perfex" --regions=kokkos "$work/kokkos"
says 3 'or with Kokkos, and its tools' "$perfex" --regions=kokkos sh -c 'exit 3'

# ---- where GCC's and clang's programs can run ----

if echo "$cc ${CFLAGS:-}" | grep -q musl; then
	exit $failed # another C library than the compilers' runtimes have
fi
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
	fi
	rm -f "$work/csv"
	timeout 60 "$perfex" --regions=openmp --csv -o "$work/csv" "$work/openmp" within && grep -q ',by hand,all,50,' "$work/csv"
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
	says 125 "openmp uses GCC's libgomp, which .* LD_PRELOAD=libomp.so.5 perfex" "$perfex" --regions=openmp "$work/openmp"
	gcc -static -x c -o "$work/static" - <<-'EOT'
		int main(void) { return 0; }
	EOT
	says 125 'static is linked statically, and no library can be loaded into it' "$perfex" --regions=openmp "$work/static"
	if [ -z "$(LD_PRELOAD=libomp.so.5 true 2>&1)" ]; then
		LD_PRELOAD=libomp.so.5 "$perfex" --regions=openmp --csv -o "$work/csv" "$work/openmp" && visits "$work/csv" >"$work/got"
		# Its implicit barriers are not told.
		grep -v 'omp barrier' "$work/got" | sed 's/ (openmp.c:[0-9]*)//' | sort >"$work/left"
		printf '%s\n' 'by hand 50' 'omp idle nested 10' 'omp idle team 30' 'omp loop team 40' 'omp parallel alone 10' \
			'omp parallel nested 20' 'omp parallel nested 20' 'omp parallel team 40' 'omp single team 10' \
			'omp task team 80' | sort | diff - "$work/left"
		check "OpenMP by gcc, over LLVM's libomp" $?
	else
		echo "SKIP OpenMP by gcc, over LLVM's libomp: there is none"
	fi
fi

# ---- costs ----

if command -v valgrind >/dev/null; then
	# Of the callbacks in one thread, which begins a construct and is in two regions of it, and of this runtime's own calls.
	# tests/vm/guest/openmp.sh has what the regions add.
	instructions() {	# N
		valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=one_construct "$work/runtime" times "$1" 2>&1 |
			sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
	}
	OMP_TOOL_LIBRARIES=$PERFEX_COLLECTORS/libperfctr-openmp.so
	export OMP_TOOL_LIBRARIES
	few=$(instructions 1000) more=$(instructions 11000)
	each=$(((more - few + 5000) / 10000))
	[ -n "$few" ] && [ "$each" -gt 0 ] && [ "$each" -le 450 ]
	check "a parallel construct in a thread where nothing is measured: $each instructions, at most 450" $?
	unset OMP_TOOL_LIBRARIES
else
	echo "SKIP costs of collectors: there is no valgrind"
fi
exit $failed
