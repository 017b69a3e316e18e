#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The collectors over others' runtimes, by others' programs. LLVM's tests of OMPT print what the runtime tells: as often as they
# print the begin of a construct, a region must be visited. Debian's Kokkos, and MPICH beside Open MPI. Nothing of theirs
# is kept: they come from Debian's packages.
# usage: judges.sh BUILD WORKDIR	BUILD: configure's directory, after make
# Prints a line per check; exit status 0 if none failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: judges.sh BUILD WORKDIR}" && pwd)
mkdir -p "${2:?usage: judges.sh BUILD WORKDIR}"
work=$(cd "$2" && pwd)
perfex=$build/perfex PERFEX_COLLECTORS=$build/collect/.libs
root=$work/root libraries=$work/root/usr/lib/x86_64-linux-gnu
export PERFEX_COLLECTORS
unset PERFCTR_REGIONS OMP_TOOL OMP_TOOL_LIBRARIES KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY LD_PRELOAD
failed=0
check() {	# NAME STATUS
	[ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1"; failed=1; }
}
for package in libtrilinos-kokkos-13.2 libtrilinos-kokkos-dev trilinos-dev libmpich12 libmpich-dev mpich libslurm38; do
	"$top/tests/vm/deb.sh" bookworm amd64 $package "$root" || exit 1
done

# ---- LLVM's tests of OMPT ----

tests=$work/runtime/test/ompt
if [ ! -e "$tests/callback.h" ]; then
	"$top/tests/vm/source.sh" l/llvm-toolchain-14/llvm-toolchain-14_14.0.6.orig.tar.xz \
		d9bce5f42381d781e273c724db1ab0acd66259bf2782b79891664dbf1953d22c "$work/source.tar.xz" &&
		tar -xJf "$work/source.tar.xz" -C "$work" --wildcards '*/openmp/runtime/test/ompt' '*/openmp/runtime/src/kmp_platform.h' &&
		mv "$work"/llvm-toolchain-14_*/openmp/runtime "$work/runtime" || { echo "FAIL LLVM's source"; exit 1; }
	rm -rf "$work/source.tar.xz" "$work"/llvm-toolchain-14_*
fi

# How often constructs begin, by kind: in the words of the tests, and in a report of ours.
told() {
	sed -n 's/^[0-9]*: ompt_event_\(implicit_task\|loop\|sections\|single_in_block\|distribute\|taskloop\|barrier\|taskwait\|taskgroup\)_begin: .*/\1/p' |
		sed 's/^implicit_task$/parallel/; s/^single_in_block$/single/' | sort | uniq -c | awk '{ print $2, $1 }'
}
visited() {
	awk -F, 'NR > 1 && $5 == "all" && $9 == "time" {
			split($4, word, " "); kind = word[2]
			if (kind == "task") next
			if (kind == "teams") kind = "parallel"
			if (kind == "idle") kind = "barrier"
			n[kind] += $6; bad += $7 + $8 + $26 }
		END { for (kind in n) print kind, n[kind]; if (bad) print "not ended or counted", bad }' "$1" | sort
}
# These have no program of their own, have a tool that prints but few events, or end in an error that they want. And
# the initial tasks of a league have a barrier without a place, which is no region.
left_out='loadtool/|misc/(control_tool_no_ompt|api_calls_without|runtime_error|unset_callback|finalize_tool)|serial_teams'
left_out="$left_out|parallel/repeated_calls|barrier/implicit_task_data|synchronization/master.c|tasks/task_memory"
judged=0 wrong=0
for source in $(cd "$tests" && find . -name '*.c' | sed 's,^\./,,' | grep -vE "$left_out" | LC_ALL=C sort); do
	name=$(echo "${source%.c}" | tr / -)
	variables=$(sed -n "s/.*RUN:.* env \(OMP_[A-Z_]*='*[a-z0-9]*'*\) .*/\1/p" "$tests/$source" | tr -d "'" | head -n 1)
	compile="clang -w -fopenmp -fopenmp-version=51 -I$tests -I$top -g $tests/$source -lm -pthread -ldl -latomic"
	$compile -o "$work/theirs" 2>"$work/log" || { echo "does not compile: $source"; continue; }
	$compile -Dompt_start_tool=their_start_tool -c -o "$work/ours.o" 2>/dev/null
	clang -w -fopenmp -rdynamic -I"$top" "$work/ours.o" "$here/judge.c" -o "$work/ours" -lm -pthread -ldl -latomic || continue
	env $variables timeout 60 "$work/theirs" 2>/dev/null | told >"$work/$name.theirs"
	rm -f "$work/csv"
	env $variables timeout 60 "$perfex" --regions=openmp --csv -o "$work/csv" "$work/ours" >/dev/null 2>"$work/$name.log"
	: >>"$work/csv"
	visited "$work/csv" >"$work/$name.ours"
	judged=$((judged + 1))
	diff "$work/$name.theirs" "$work/$name.ours" >"$work/$name.diff" || { echo "differs: $source"; cat "$work/$name.diff"; wrong=$((wrong + 1)); }
done
[ "$judged" -ge 75 ] && [ "$wrong" = 0 ]
check "visits in $judged programs of LLVM's tests of OMPT, $wrong wrong" $?

# ---- Debian's Kokkos, which is one of before 4.0 ----

cat >"$work/kokkos.cc" <<'EOT'
#include <Kokkos_Core.hpp>
int main(int argc, char **argv)
{
	Kokkos::initialize(argc, argv);
	{
		Kokkos::View<double *> a("a", 1000), b("b", 1000);
		double sum = 0;
		Kokkos::Profiling::pushRegion("solve");
		for (int i = 0; i < 3; i++)
			Kokkos::parallel_for("axpy", 1000, KOKKOS_LAMBDA(int j) { a(j) += j; });
		Kokkos::parallel_reduce("dot", 1000, KOKKOS_LAMBDA(int j, double &s) { s += a(j); }, sum);
		Kokkos::parallel_scan("sums", 1000, KOKKOS_LAMBDA(int j, double &s, bool last) { s += a(j); if (last) b(j) = s; });
		Kokkos::deep_copy(b, a);
		Kokkos::Profiling::popRegion();
	}
	Kokkos::finalize();
}
EOT
g++ -O1 -std=c++17 -w -I"$root/usr/include/trilinos" "$work/kokkos.cc" -o "$work/kokkos" -L"$libraries" \
	-l:libtrilinos_kokkoscore.so.13.2 -l:libtrilinos_kokkoscontainers.so.13.2 -Wl,--allow-shlib-undefined -ldl &&
	LD_LIBRARY_PATH=$libraries "$perfex" --regions=kokkos --csv -o "$work/csv" "$work/kokkos" &&
	awk -F, 'NR > 1 && $9 == "time" && $4 !~ /View::initialization/ { print $4, $6 }' "$work/csv" | sort >"$work/got"
printf '%s\n' 'kokkos copy Host to Host 1' 'kokkos for axpy 3' 'kokkos reduce dot 1' 'kokkos region solve 1' 'kokkos scan sums 1' |
	diff - "$work/got"
check "Debian's Kokkos" $?

# ---- MPICH; tests/collect.sh has Open MPI ----

mpich=$(dirname "$(find "$root/usr" -name mpi.h -path '*mpich*' | head -n 1)")
lib=$build/lib/.libs
gcc -g -O1 -w -I"$mpich" -I"$top/include" "$here/ranks.c" -o "$work/ranks" -L"$libraries" -l:libmpich.so.12 \
	-Wl,--allow-shlib-undefined -L"$lib" -lperfctr -Wl,-rpath,"$lib" &&
	LD_LIBRARY_PATH=$libraries timeout 120 "$root/usr/bin/mpiexec.hydra" -n 2 "$perfex" --regions=mpi --json \
		-o "$work/rank.%q{PMI_RANK}" "$work/ranks" 2>"$work/errors" &&
	"$perfex" --from --csv "$work"/rank.[01] | sed -n 's/^\([^,]*\),time,ns,inclusive,2,\([0-9]*\),.*/\1 \2/p' | sort >"$work/got"
printf '%s\n' 'MPI (program) 2' 'MPI_Allreduce 10' 'MPI_Alltoallv 10' 'MPI_Barrier 10' 'MPI_Irecv 10' 'MPI_Isend 10' \
	'MPI_Sendrecv 10' 'MPI_Waitall 10' 'by hand 10' | sort | diff - "$work/got" &&
	"$perfex" --from --csv "$work"/rank.[01] | grep -q '^MPI_Sendrecv,bytes,B,inclusive,2,10,200,rank 0,300.000,400,rank 1,'
status=$?
[ $status = 0 ] || cat "$work/errors"
check "two ranks of MPICH" $status
mpich_bytes() {	# ARGUMENT [PROGRAM]	of all three ranks together
	rm -f "$work"/rank.*
	LD_LIBRARY_PATH=$libraries timeout 120 "$root/usr/bin/mpiexec.hydra" -n 3 "$perfex" --regions=mpi --json \
		-o "$work/rank.%q{PMI_RANK}" "${2:-$work/ranks}" "$1" 2>"$work/errors"
	"$perfex" --from --csv "$work"/rank.[0-2] | awk -F, '/^MPI_[ABGIR]/ && $2 == "bytes" && $4 == "inclusive" { print $1, int($9 * ($5 + $21) + 0.5) }' |
		sort | paste -sd ,
}
others='MPI_Irecv 360,MPI_Isend 360'
[ "$(mpich_bytes in-place)" = "MPI_Allreduce 7200,MPI_Alltoallv 360,MPI_Gather 16,$others,MPI_Reduce 120" ]
check "MPICH's MPI_IN_PLACE" $?
[ "$(mpich_bytes groups)" = "MPI_Allreduce 6000,MPI_Alltoallv 392,MPI_Bcast 80,MPI_Gather 8,$others,MPI_Reduce 12" ]
check "two groups of MPICH" $?
[ "$(mpich_bytes reductions)" = "MPI_Allreduce 6000,MPI_Alltoallv 360,MPI_Irecv 360,MPI_Ireduce_scatter_block 144,MPI_Isend 360,MPI_Reduce_scatter 144,MPI_Reduce_scatter_block 144" ]
check "bytes for each rank of MPICH" $?
[ "$(mpich_bytes fails)" = "MPI_Allreduce 6000,MPI_Alltoallv 360,$others" ]
check "calls of MPICH that fail" $?
# In Fortran MPI_IN_PLACE is known from its first call on.
cat >"$work/mpi.f90" <<'EOT'
program sums
	include 'mpif.h'
	integer :: rank, e, same(3)
	call MPI_Init(e)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
	same = rank
	call MPI_Allgather(MPI_IN_PLACE, 1234, MPI_DATATYPE_NULL, same, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
	call MPI_Allgather(MPI_IN_PLACE, 1234, MPI_INTEGER, same, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
	call MPI_Reduce(same, same(2), 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, e)
	call MPI_Finalize(e)
end program
EOT
gfortran -w -I"$mpich" "$work/mpi.f90" -o "$work/fortran" -L"$libraries" -l:libmpichfort.so.12 -l:libmpich.so.12 \
	-Wl,--allow-shlib-undefined && [ "$(mpich_bytes none "$work/fortran")" = 'MPI_Reduce 12' ]
check "Fortran over MPICH" $?
# Its calls are those of MPI 4, which Open MPI's does not have.
echo '#include <mpi.h>' >"$work/calls.c"
gcc -E -I"$mpich" "$work/calls.c" | tr '\n' ' ' | grep -o 'int MPI_[A-Z][a-z_]*([^()]*)' | awk '{
		name = $2; sub(/^MPI_/, "", name); sub(/\(.*/, "", name); n = gsub(/,/, ","); print name, (/\(void\)/ ? 0 : n + 1) }' |
	sort >"$work/theirs"
sed -n 's/^\([A-Z][a-z_]* [0-9]*\) .*/\1/p' "$top/collect/mpi.calls" | sort | comm -13 "$work/theirs" - >"$work/differ"
cat "$work/differ"
[ -s "$work/theirs" ] && [ ! -s "$work/differ" ]
check "the calls have MPICH's arguments" $?
exit $failed
