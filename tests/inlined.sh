#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The functions that perfex finds inlined, and the lines of the source, at each address of programs of several compilers,
# against llvm-symbolizer's.
# usage: inlined.sh BUILD [PROGRAM...]	a directory of configure's with libdw; other programs with debugging information
# Prints a line per program; exit status 1 if an address differs. At most 20,000 addresses of a program are looked at.
set -u
build=$(cd "${1:?usage: inlined.sh BUILD [PROGRAM...]}" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for tool in llvm-symbolizer readelf g++ clang++ dwz; do
	command -v $tool >/dev/null || {
		echo "SKIP inlined functions: $tool is not installed"
		exit 77
	}
done

cat >"$work/prog.cc" <<'EOT'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
namespace app {
struct item {
	unsigned key;
	std::string name;
};
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 20; i++)
		x = (x * 1664525u + 1013904223u) ^ x >> 13;
	return x;
}
static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	return mix(mix(x));
}
template <class T> struct store {
	std::vector<T> v;
	void fill(unsigned n)
	{
		unsigned s = 1;
		for (unsigned i = 0; i < n; i++)
			v.push_back(T{ s = twice(s), std::to_string(s) });
	}
	void sort()
	{
		std::sort(v.begin(), v.end(), [](const T &a, const T &b) { return a.key < b.key; });
	}
};
}
int main()
{
	app::store<app::item> s;
	std::map<std::string, unsigned> m;
	s.fill(30);
	s.sort();
	for (auto &i : s.v)
		m[i.name] = i.key;
	printf("%zu\n", m.size());
}
EOT

# Prints addresses of a program's instructions, a line each.
addresses() {
	# shellcheck disable=SC2046
	set -- $(readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".text" { print "0x" $3, "0x" $5 }')
	awk -v start=$(($1)) -v size=$(($2)) 'BEGIN {
		for (i = 0; i < size; i += int(size / 20000) + 1)
			printf "0x%x\n", start + i
	}'
}

# Makes "address;outer;inner" of llvm-symbolizer's functions and places, the innermost first, of which the last is not inlined.
chains() {
	awk '/^0x[0-9a-f]+$/ && !address { address = $0; next }
	NF { if (lines++ % 2 == 0) name[++n] = $0; next }
	address { for (i = n - 1; i > 0; i--) address = address ";" name[i]; print address; address = ""; lines = n = 0 }'
}

# Makes "address;file:line" of them, where the line is known.
innermost() {
	awk '/^0x[0-9a-f]+$/ && !address { address = $0; next }
	NF && lines++ == 1 { sub(/:[0-9]+$/, ""); sub(/.*\//, ""); print address ($0 ~ /^\?\?|:0$/ ? "" : ";" $0) }
	!NF { address = ""; lines = 0 }'
}

# compare NAME PROGRAM: the chains and the lines of both.
compare() {
	addresses "$2" >"$work/addresses"
	"$build/tests/tools/inlined" "$2" <"$work/addresses" >"$work/ours" || {
		echo "FAIL $1: inlined ends with $?"
		failed=1
		return
	}
	llvm-symbolizer --obj="$2" --print-address --no-demangle --inlines --functions=linkage <"$work/addresses" |
		chains >"$work/theirs"
	all=$(wc -l <"$work/theirs") deep=$(grep -c ';.*;' "$work/theirs")
	"$build/tests/tools/inlined" "$2" lines <"$work/addresses" >"$work/lines"
	llvm-symbolizer --obj="$2" --print-address --inlines <"$work/addresses" | innermost >"$work/their-lines"
	known=$(grep -c ';' "$work/their-lines")
	if [ "$known" -gt 100 ] && cmp -s "$work/lines" "$work/their-lines"; then
		echo "PASS $1: lines of $known addresses"
	else
		echo "FAIL $1: of $known addresses with lines, some differ:"
		diff "$work/lines" "$work/their-lines" | cut -c 1-200 | head -n 6
		failed=1
	fi
	if [ "$all" = "$(wc -l <"$work/addresses")" ] && [ "$deep" -gt 100 ] && cmp -s "$work/ours" "$work/theirs"; then
		echo "PASS $1: $all addresses, $deep with two or more inlined functions"
	else
		echo "FAIL $1: of $all addresses, $deep with two or more inlined functions, some differ:"
		diff "$work/ours" "$work/theirs" | cut -c 1-200 | head -n 6
		failed=1
	fi
}

for way in "g++ -gdwarf-4" "g++ -gdwarf-5" "g++ -g -flto" "g++ -g -O3" "clang++ -gdwarf-4" "clang++ -gdwarf-5" \
	"clang++ -g -ffunction-sections -Wl,--gc-sections"; do
	# shellcheck disable=SC2086
	if ! ${way%% *} -O2 ${way#* } -o "$work/prog" "$work/prog.cc" 2>/dev/null; then
		echo "FAIL $way: it was not compiled"
		failed=1
		continue
	fi
	compare "$way" "$work/prog"
done
g++ -gdwarf-4 -O2 -o "$work/prog" "$work/prog.cc" && dwz "$work/prog" && compare "dwz" "$work/prog"
for program; do
	compare "$program" "$program"
done
exit $failed
