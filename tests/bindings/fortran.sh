#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Fortran module: its structures and constants are the headers', every call works, errors end a program with their
# sentence, and its examples and those of its page run.
# The environment: srcdir; CC; FORTRAN, the compiler (gfortran); LIBPERFCTR, the build's .libs directory with the library.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) cc=${CC:-cc} fc=${FORTRAN:-gfortran} lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
case $cc in *musl*) echo "SKIP Fortran: its library is of the other C library"; exit 77 ;; esac
command -v "$fc" >/dev/null || { echo "SKIP Fortran: there is no $fc"; exit 77; }
[ -e "$lib/libperfctr.so" ] || { echo "SKIP Fortran: the library was built without a shared one"; exit 77; }
case $fc in
*gfortran*) flags='-std=f2008 -Wall -Wextra -pedantic -Werror' openmp=-fopenmp ;;
*) flags='-pedantic -Werror' openmp= ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
# shellcheck disable=SC2086	# lists of words
compile() {	# [FLAG or SOURCE...]
	"$fc" $flags -g "$@" -L"$lib" -lperfctr -Wl,-rpath,"$lib" -pthread
}
shows() {	# NAME WORDS COMMAND...
	name=$1 words=$2
	shift 2
	"$@" >output 2>&1 && grep -q "$words" output
	status=$?
	[ $status = 0 ] || cat output
	check "$name" $status
}

# shellcheck disable=SC2086
"$fc" $flags -g -O2 -c "$srcdir/bindings/fortran/perfctr.f90"
check "the module by $fc" $?

# A structure of Fortran's for C is laid out as C lays it out: so the header's must have its members in the same places.
awk '
	BEGIN {
		print "#include <stddef.h>\n#include <libperfctr.h>\n#include <perfctr/read.h>\n#include <perfctr/regions.h>"
		c["c_int"] = "int"; c["c_int32_t"] = "int32_t"; c["c_int64_t"] = "int64_t"; c["c_double"] = "double"
		c["c_ptr"] = c["c_funptr"] = "void *"; c["perfctr_region_value"] = "struct f_perfctr_region_value"
	}
	/^ *integer, parameter.* PERFCTR_/ { printf "_Static_assert(%s == %d, \"%s\");\n", $(NF - 2), $NF, $(NF - 2) }
	/^ *type, bind\(c\)/ {
		name = $NF
		sub(/^c_/, "perfctr_", name)
		members = n = 0
		body = ""
		next
	}
	name && /^ *end type/ {
		printf "struct f_%s {\n%s};\n", name, body
		for (i = 0; i < n; i++)
			printf "_Static_assert(offsetof(struct f_%s, %s) == offsetof(struct %s, %s), \"%s.%s\");\n", \
				name, member[i], name, member[i], name, member[i]
		printf "_Static_assert(sizeof(struct f_%s) == sizeof(struct %s), \"%s\");\n", name, name, name
		name = ""
	}
	name {
		type = $1
		gsub(/.*\(|\)/, "", type)
		sub(/.*:: /, "")
		gsub(/ = [a-z0-9_]*/, "")
		sub(/^what/, "type")
		k = split($0, names, ", ")
		for (i = 1; i <= k; i++) {
			size = names[i]
			gsub(/^[^(]*|[()]/, "", size)
			sub(/\(.*/, "", names[i])
			body = body c[type] " " names[i] (size ? "[" size "]" : "") ";\n"
			member[n++] = names[i]
		}
	}' "$srcdir/bindings/fortran/perfctr.f90" >layout.c
[ "$(grep -c Static_assert layout.c)" -gt 60 ] && $cc -std=c11 -I"$srcdir/include" -fsyntax-only layout.c
check "structures and constants are those of the headers" $?

compile "$srcdir/tests/bindings/fortran.f90" perfctr.o -o calls && shows "every call" '' ./calls "$work"
grep -h '^SKIP' output

# The library's functions, made up, come before the real ones.
$cc -shared -fPIC -I"$srcdir/include" -o recorder.so "$srcdir/tests/bindings/recorder.c" &&
	compile "$srcdir/tests/bindings/fortran-arguments.f90" perfctr.o ./recorder.so -o arguments
check "the calls at the border are compiled" $?
shows "arguments, results and failures at the border" '^all arrived$' ./arguments

# Each procedure of the module's, bound to a type or not, is in the test.
sed -n 's/^    public :: //p' "$srcdir/bindings/fortran/perfctr.f90" | tr -d ' ' | tr ',' '\n' >procedures
sed -n 's/^        procedure :: \([a-z_]*\) =>.*/%\1/p' "$srcdir/bindings/fortran/perfctr.f90" | sort -u >>procedures
[ "$(wc -l <procedures)" -gt 30 ] && while read -r name; do
	grep -q "$name(" "$srcdir/tests/bindings/fortran.f90" || echo "no test calls $name()"
done <procedures >uncalled
cat uncalled
check "every call has a test" "$([ -s uncalled ]; echo $((1 - $?)))"

# ends WORDS: the program on the standard input ends by itself, with an error and a sentence that has these words.
ends() {
	cat >ends.f90
	compile ends.f90 perfctr.o -o ends || return
	./ends >output 2>&1
	[ $? != 0 ] && grep -q "$1" output && ! grep -q -i 'sigsegv\|sigabrt\|signal' output
}
ends 'did you mean page-faults' <<'EOR'
program ends
    use perfctr
    type(perfctr_set) :: set

    call set%open("page-fautls")
end program
EOR
check "an error that is not asked for ends the program" $?
ends "open can't be copied" <<'EOR'
program ends
    use perfctr
    type(perfctr_set) :: set, copy

    call set%open("page-faults:u")
    copy = set
end program
EOR
check "a set can't be copied" $?

# More than a process may have open, unless each element of an array is closed at its end; and a copy of a closed one.
cat >arrays.f90 <<'EOR'
module held
    use perfctr
    implicit none
contains
    subroutine local_arrays()
        type(perfctr_set) :: fixed(2)
        type(perfctr_set), allocatable :: many(:, :)
        type(perfctr_counters), allocatable :: counters(:)
        type(perfctr_metrics) :: metrics(2)
        integer :: i

        allocate(many(2, 2), counters(2))
        do i = 1, 2
            call fixed(i)%open("page-faults:u")
            call many(i, 1)%open("page-faults:u")
            call many(i, 2)%open("page-faults:u")
            call counters(i)%open("page-faults:u")
            call metrics(i)%open("ipc", "skylake")
        end do
    end subroutine
end module

program arrays
    use held
    implicit none
    type(perfctr_set) :: closed(3), more(3)
    integer :: i

    do i = 1, 100
        call local_arrays()
    end do
    more = closed
    print "(a)", "all are closed"
end program
EOR
# shellcheck disable=SC2016
compile arrays.f90 perfctr.o -o arrays && shows "arrays of handles are closed" 'all are closed' sh -c 'ulimit -n 100; ./arrays'
for type in set counters metrics; do
	case $type in metrics) list='"ipc", "skylake"' ;; *) list='"page-faults:u"' ;; esac
	ends "open can't be copied" <<-EOR
	program ends
	    use perfctr
	    type(perfctr_$type) :: some(3), more(3)

	    call some(2)%open($list)
	    more = some
	end program
	EOR
	check "an array of $type can't be copied" $?
done

ends "open can't be copied" <<'EOR'
program ends
    use perfctr
    type holder
        integer :: number = 5
        type(perfctr_set) :: set
        type(perfctr_counters) :: counters
    end type
    type(holder) :: some, more

    call some%set%open("page-faults:u")
    more = some
end program
EOR
check "nor can a structure that has one" $?

# No assignment sees these copies; they own nothing.
cat >bits.f90 <<'EOR'
program bits
    use perfctr
    implicit none
    type(perfctr_set), allocatable :: set, set_copy
    type(perfctr_counters), allocatable :: counters, counters_copy
    type(perfctr_metrics), allocatable :: metrics, metrics_copy
    type(perfctr_reading), allocatable :: readings(:)
    type(perfctr_metric_value) :: value
    character(:), allocatable :: unit
    integer(selected_int_kind(18)) :: values(1)
    double precision :: scale
    character(128) :: why(11)
    integer :: stats(11)

    allocate(set, counters, metrics)
    call set%open("page-faults:u")
    call counters%open("page-faults:u")
    call metrics%open("ipc", "skylake")
    allocate(set_copy, source=set)
    allocate(counters_copy, source=counters)
    allocate(metrics_copy, source=metrics)
    call set_copy%read(readings, stats(1), why(1))
    call set_copy%read_part(1, readings, stats(2), why(2))
    call set_copy%read_thread(0, readings, stats(3), why(3))
    call set_copy%unit(1, scale, unit, stats(4), why(4))
    call set_copy%enable(stats(5), why(5))
    call set_copy%disable(stats(6), why(6))
    call set_copy%reset(stats(7), why(7))
    call set_copy%check(stats(8), why(8))
    call counters_copy%read(values, stats(9), why(9))
    call counters_copy%read_ordered(1, values(1), stats(10), why(10))
    call set%read(readings)
    call metrics_copy%value(1, readings, value, stats(11), why(11))
    if (any(stats /= 22) .or. any(index(why, "is a copy of an open one") == 0)) error stop "a copy works"
    if (set_copy%size() /= 0 .or. set_copy%name(1) /= "" .or. set_copy%parts() /= 0) error stop "a copy has something"
    if (metrics_copy%size() /= 0 .or. metrics_copy%events() /= "") error stop "a copy has metrics"
    deallocate(set_copy, counters_copy, metrics_copy)
    call set%read(readings)
    call counters%read(values)
    if (metrics%size() /= 1) error stop "the copy was the owner"
    print "(a)", "the first ones work"
end program
EOR
compile bits.f90 perfctr.o -o bits && shows "copies by allocate(source=)" 'the first ones work' ./bits
if [ "$openmp" ]; then
	cat >private.f90 <<-'EOR'
	program private
	    use perfctr
	    implicit none
	    type(perfctr_set) :: set
	    type(perfctr_reading), allocatable :: readings(:)
	    integer :: stat, sum

	    sum = 0
	    call set%open("page-faults:u")
	    !$omp parallel num_threads(2) firstprivate(set) private(readings, stat) reduction(+: sum)
	    call set%read(readings, stat)
	    sum = sum + stat
	    !$omp end parallel
	    call set%read(readings)
	    print "(a, i0)", "refused: ", sum
	end program
	EOR
	compile $openmp private.f90 perfctr.o -o private && shows "copies by firstprivate" 'refused: 44$' ./private
fi

case $fc in
*gfortran*)
	# Numbers that C's types can't hold are refused, and not taken for their lower bits.
	cat >wide.f90 <<-'EOR'
	program wide
	    use perfctr
	    type(perfctr_set) :: set
	    integer :: stat

	    call set%open("page-faults:u", whom=perfctr_thread(2_8**32), stat=stat)
	    if (stat /= 3) error stop "ESRCH is expected"
	    call set%open("page-faults:u")
	    if (len_trim(set%name(1)) == 0 .or. len_trim(set%name(2_8**32 + 1)) /= 0) error stop "a name is wrong"
	    print "(a)", "wide"
	end program
	EOR
	mkdir wide && (cd wide && compile -fdefault-integer-8 "$srcdir/bindings/fortran/perfctr.f90" ../wide.f90 -o wide) &&
		shows "INTEGER of 8 bytes" wide ./wide/wide
	check "the module with -fdefault-integer-8" $?
	;;
esac

for example in count regions; do
	compile $openmp "$srcdir/bindings/fortran/examples/$example.f90" perfctr.o -o "$example" &&
		shows "examples/$example.f90" 'the sum is' ./$example
done
sed 's/\\e/\\/g' "$srcdir/man/perfctr_fortran.7" |
	awk '/^\.Bd -literal/ { on = 1; n++; next } /^\.Ed/ { on = 0 } on { print >("page-" n ".f90") }'
# The first listing has the flags of a static program, which fails without them.
if [ -e "$lib/libperfctr.a" ] && [ "$openmp" ]; then
	# shellcheck disable=SC2046
	"$fc" -static $(cat page-1.f90) "$srcdir/bindings/fortran/perfctr.f90" page-2.f90 "$lib/libperfctr.a" -o static &&
		shows "a static program" 'page-faults:u' ./static
	check "a static program with the page's flags" $?
fi
rm page-1.f90
for source in page-*.f90; do
	compile "$source" perfctr.o -o page && shows "$source of perfctr_fortran(7)" '' ./page
done
exit $failed
