#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The C++ header: it compiles without a warning in each standard by the compiler that is C's, reads by C's instructions, and
# every call of it works, with and without exceptions; its examples and those of its page run.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) cc=${CC:-cc} lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
case $cc in *musl*) echo "SKIP C++: its library is of the other C library"; exit 77 ;; esac
# Of clang's warnings none depends on how much is optimized.
case $cc in *clang*) cxx=clang++ optimize=-O0 ;; *) cxx=g++ optimize= ;; esac
command -v $cxx >/dev/null || { echo "SKIP C++: there is no $cxx"; exit 77; }
if [ -e "$lib/libperfctr.so" ]; then
	library="-L$lib -lperfctr -Wl,-rpath,$lib"
else
	library=$lib/libperfctr.a
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
mkdir -p include/perfctr
cp "$srcdir/bindings/cxx/perfctr.hpp" include/perfctr
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror'
includes="-Iinclude -I$srcdir/include"
build() {	# OUTPUT COMPILER [FLAG or SOURCE...]
	output=$1
	shift
	# shellcheck disable=SC2086	# lists of words
	"$@" $warnings ${CFLAGS:-} $optimize $includes -o "$output" $library -pthread
}

# The standards but C++17, which the programs below are in.
echo '#include <perfctr/perfctr.hpp>' >alone.cc
syntax() {	# SOURCE STANDARD [FLAG...]
	source=$1 standard=$2
	shift 2
	# shellcheck disable=SC2086
	$cxx "-std=c++$standard" "$@" -fsyntax-only $warnings -Wold-style-cast $includes "$source"
	check "$(basename "$source") by $cxx in C++$standard" $?
}
syntax "$srcdir/tests/bindings/cxx.cc" 20
# shellcheck disable=SC2086
! $cxx -std=c++14 -fsyntax-only $includes alone.cc >said 2>&1 && grep -q 'needs C++17: compile with' said
check "C++14 is told what it needs" $?
syntax alone.cc 2b
syntax alone.cc 2b -fno-exceptions

code() {	# OBJECT
	for function in test_read test_between; do
		objdump -d --no-show-raw-insn "$1" | sed -n "/<$function>:/,/^\$/s/^ *[0-9a-f]*:\t//p"
	done
}
# Where the library is called, clang adds ways out for exceptions after the code.
# shellcheck disable=SC2086
$cc -std=c11 -O2 $warnings $includes -c "$srcdir/tests/bindings/cxx-code.c" -o c.o &&
	$cxx -std=c++17 -O2 -fno-exceptions $warnings $includes -c "$srcdir/tests/bindings/cxx-code.cc" -o cxx.o
check "reads are compiled" $?
code c.o >c.code
code cxx.o >cxx.code
[ "$(wc -l <c.code)" -gt 30 ] && diff c.code cxx.code
check "reads by $cxx are the instructions of C" $?

# Warnings that need optimization are left to one of them, which is not the largest.
build results $cxx -std=c++17 -fno-exceptions "$srcdir/tests/bindings/cxx-results.cc" && ./results
check "every result without exceptions" $?
optimize="-O0 -g0"
build calls $cxx -std=c++17 "$srcdir/tests/bindings/cxx.cc"
check "the calls are compiled" $?
./calls || failed=1

# The library's functions, made up, come before the real ones.
if [ -e "$lib/libperfctr.so" ]; then
	$cc -shared -fPIC -I"$srcdir/include" -o recorder.so "$srcdir/tests/bindings/recorder.c" &&
		build arguments $cxx -std=c++17 "$srcdir/tests/bindings/cxx-arguments.cc" ./recorder.so && ./arguments
	check "arguments, results and failures at the border" $?
fi

# Each call that throws has its other form, and the test makes both of the whole header.
names() { grep -o 'try_[a-z_]*(' "$1" | sort -u; }
names "$srcdir/bindings/cxx/perfctr.hpp" | sed 's/try_//; s/($//' |
	grep -v -x -e open -e find -e resolve -e each_.* -e of -e create | while read -r name; do
	grep -qE "(\.|->|::)$name\(" "$srcdir/tests/bindings/cxx.cc" || echo "no test calls $name()"
done >uncalled
cat uncalled
check "every call has a test" "$([ -s uncalled ]; echo $((1 - $?)))"

build perf_event $cxx -std=c++17 "$srcdir/bindings/cxx/examples/perf_event.cc" && ./perf_event >output 2>&1 &&
	grep -q 'task-clock' output && grep -q 'name=sum' output
status=$?
[ $status = 0 ] || cat output
check "examples/perf_event.cc" $status
if echo '#include <benchmark/benchmark.h>' | $cxx -x c++ -fsyntax-only - 2>/dev/null; then
	build benchmark $cxx -std=c++17 "$srcdir/bindings/cxx/examples/google_benchmark.cc" -lbenchmark &&
		./benchmark --benchmark_min_time=0.001 >output 2>&1 &&
		grep -q 'push_back_reserved/10000 .*=' output
	status=$?
	[ $status = 0 ] || cat output
	check "examples/google_benchmark.cc" $status
else
	echo "SKIP examples/google_benchmark.cc: there is no google-benchmark (Debian: libbenchmark-dev)"
fi

# The page's examples, each a program, by the compiler that most have.
case $cxx in clang*) exit $failed ;; esac
sed 's/\\e/\\/g' "$srcdir/man/perfctr_cxx.7" |
	awk '/^\.Bd -literal/ { on = 1; n++; next } /^\.Ed/ { on = 0 } on { print >("page-" n ".cc") }'
for source in page-*.cc; do
	build page $cxx -std=c++17 "$source" && ./page >output 2>&1
	status=$?
	[ $status = 0 ] || cat output
	check "$source of perfctr_cxx(7)" $status
done
exit $failed
