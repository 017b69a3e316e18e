#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# GCC's -mno-omit-leaf-frame-pointer gives leaf functions no frame pointer on x86, where -fno-omit-frame-pointer is given with it: a
# function that calls nothing and needs no stack has neither "push %rbp" nor "mov %rsp, %rbp". (Its page says of the positive option that
# it keeps the frame pointer out of leaf functions.) clang 14 obeys the same two options. A profiler that follows frame pointers
# misses the caller of such a function, however the program is compiled by this GCC.
set -eu
gcc=12.2.0-14+deb12u1 clang=1:14.0.6-12
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in "gcc-12=$gcc" "cpp-12=$gcc" "clang-14=$clang" "libclang-cpp14=$clang" "libllvm14=$clang"; do
	apt-get -qq download "$package" || { echo "not tried: no package $package"; exit 77; }
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$(echo root/usr/lib/*-linux-gnu):$(echo root/usr/lib/llvm-14/lib)
export LD_LIBRARY_PATH
echo "version: gcc-12 $gcc, clang-14 $clang"
cat >leaf.c <<'EOT'
void spin(long n);
void spin(long n)
{
	while (n--)
		__asm__ volatile("");
}
EOT
for compiler in gcc-12 clang-14; do
	"root/usr/bin/$compiler" -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -S leaf.c -o leaf.s || { echo "not tried: $compiler"; exit 77; }
	echo "$compiler: $(grep -c 'push.*%rbp' leaf.s || true) frame in a leaf"
done | tee out
cat >wanted <<'EOT'
gcc-12: 0 frame in a leaf
clang-14: 1 frame in a leaf
EOT
cmp out wanted
