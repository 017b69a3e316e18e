#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Header, symbol map, shared library and man pages name the same functions; the driver's page names its
# requests, structures, errors, messages and parameters; the pages are clean, the examples in them
# compile and run, and each call has one.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the shared library.
set -u
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

# Functions that the header declares: a name before a parenthesis, after a type, on a line of its own.
cat "$srcdir/include/libperfctr.h" "$srcdir/include/perfctr/regions.h" >"$work/headers"
sed -n 's/^[a-z].*[ *]\(_*[a-z]*perfctr_[a-z_]*\|sys_[a-z_]*\)(.*/\1/p' "$work/headers" |
	grep -v -x -e perfctr_region_leave -e perfctr_region_enter -e perfctr_region_calibrate -e perfctr_region_by_tag | sort -u >"$work/declared"
sed -n 's/^static __inline__ .*[ *]\(perfctr_[a-z_]*\)(.*/\1/p' "$work/headers" | sort -u >"$work/inline"
{
	comm -23 "$work/declared" "$work/inline"
	sed -n 's/^extern struct .* \(perfctr_[a-z_]*\);.*/\1/p' "$work/headers" # a variable
	# Functions for other languages of what is inline.
	sed -n 's/^[a-z].*[ *]\(perfctr_[a-z_]*\)(.*/\1/p' "$srcdir/bindings/functions/inline.h"
} | sort >"$work/header"
sed -n 's/^	\([a-z_]*\);$/\1/p' "$srcdir/lib/libperfctr.map" | sort -u >"$work/map"
diff "$work/header" "$work/map"
check "the map exports what the header declares" $?
# Its sections: names that programs write nowhere, which macros and inline functions do; and those of other languages.
sed -n '/Macros and inline/,/^$/s/^	\([a-z_]*\);$/\1/p' "$srcdir/lib/libperfctr.map" >"$work/macros"
status=0
[ -s "$work/macros" ] || status=1
while read -r name; do
	grep -qE "(^#define|^	|\\().*\<$name\>" "$srcdir/include/libperfctr.h" "$srcdir/include/perfctr/regions.h" &&
		! grep -qw "$name" "$srcdir"/examples/* || { echo "$name"; status=1; }
done <"$work/macros"
check "the map marks names that macros alone use" $status
sed -n 's/^[a-z].*[ *]\(perfctr_[a-z_]*\)(.*/\1/p' "$srcdir/bindings/functions/inline.h" | sort >"$work/inlined"
sed -n '/for other languages/,/^local/s/^	\([a-z_]*\);$/\1/p' "$srcdir/lib/libperfctr.map" | sort | diff "$work/inlined" -
check "the map marks functions for other languages" $?
if [ -e "$lib/libperfctr.so" ]; then
	nm -D --defined-only "$lib/libperfctr.so" | awk '$2 ~ /[TDB]/ && $3 !~ /^LIBPERFCTR_/ { sub(/@.*/, "", $3); print $3 }' |
		sort -u >"$work/library"
	diff "$work/map" "$work/library"
	check "the shared library exports what the map names" $?
fi
# In other places glibc allocates them when they are first used, perhaps by a signal handler.
if [ -e "$lib/libperfctr.so" ] && echo '#include <features.h>' | $cc -E -dM - | grep -q ' __GLIBC__ '; then
	! readelf -rW "$lib/libperfctr.so" | grep -E 'DTPMOD|TLSDESC'
	check "threads' variables are there from the beginning" $?
	# glibc keeps some 1,600 bytes of these for all libraries that a program loads later.
	[ "$((0x$(readelf -lW "$lib/libperfctr.so" | sed -n 's/^ *TLS *\(0x[0-9a-f]* *\)\{4\}0x\([0-9a-f]*\) .*/\2/p')))" -le 64 ]
	check "threads' variables take at most 64 bytes" $?
fi
if [ -e "$lib/libperfctr.so" ]; then
	printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' 'int main(int c, char **v)' '{' \
		'	return !dlopen(v[c - 1], RTLD_NOW) && puts(dlerror());' '}' >"$work/dlopen.c"
	$cc "$work/dlopen.c" -ldl -o "$work/dlopen" && "$work/dlopen" "$lib/libperfctr.so"
	check "the shared library can be loaded later" $?
fi
for page in "$srcdir"/man/*.3; do
	awk '/^\.Sh SYNOPSIS/ { exit } /^\.Nm/ { print $2 }' "$page"
done | sort -u >"$work/documented"
comm -23 "$work/declared" "$work/documented" >"$work/undocumented"
[ ! -s "$work/undocumented" ] || cat "$work/undocumented"
check "every function is in a man page" "$([ -s "$work/undocumented" ]; echo $((1 - $?)))"
# The inline functions and macros that programs call.
{
	sed -n 's/^static __inline__ .*[ *]\(perfctr_\(state\|reader\)_[a-z_]*\)(.*/\1/p' "$srcdir/include/perfctr/read.h" |
		grep -v -x perfctr_reader_shift
	sed -n 's/^#define \(PERFCTR_[A-Z_]*\)([a-z].*/\1/p' "$srcdir/include/perfctr/regions.h" |
		grep -v -e _WAY$ -e _SCOPE_
} | sort -u >"$work/inlined"
comm -23 "$work/inlined" "$work/documented" >"$work/undocumented"
[ ! -s "$work/undocumented" ] || cat "$work/undocumented"
check "every inline function and macro is in a man page" "$([ -s "$work/inlined" ] && [ ! -s "$work/undocumented" ]; echo $?)"

# As HTML they lead nowhere but to each other and to Debian's.
if command -v mandoc >/dev/null; then
	"$srcdir/scripts/html" "$work/html" &&
		(cd "$work/html" && grep -ho 'href="[^":#]*"' ./*.html | sed 's/href="//; s/"//' | sort -u) >"$work/links" &&
		[ "$(wc -l <"$work/links")" -gt 20 ] &&
		(cd "$work/html" && while read -r link; do [ -s "$link" ] || exit 1; done <"$work/links")
	check "the pages as HTML, their index, and their links" $?
fi

# The members of records and of regions that a program reads. NAME of the structures, PAGE
echo '#include <perfctr/regions.h>' | $cc -E -P -I"$srcdir/include" - >"$work/flat"
members() {
	awk -v name="^struct $1 [{]" '
		/^}/ { on = 0 }
		on && /;/ {
			gsub(/[*;]|\[[^]]*\]/, " ")
			for (i = split($0, declared, ","); i; i--)
				print word[split(declared[i], word, " ")]
		}
		$0 ~ name { on = 1 }' "$work/flat" | grep -v -x reserved | sort -u >"$work/members"
	sed -n 's/^\.\(It \)\{0,1\}Va //p' "$srcdir/man/$2" | tr -cs 'a-z0-9_' '\n' | sort -u |
		comm -23 "$work/members" - >"$work/undocumented"
	[ ! -s "$work/undocumented" ] || cat "$work/undocumented"
	check "$2 has the members" "$([ -s "$work/members" ] && [ ! -s "$work/undocumented" ]; echo $?)"
}
members 'perfctr_(record|sampler|aux)[a-z_]*' perfctr_sampler_open.3
members 'perfctr_region_(reading|value)' perfctr_region_begin.3

page=$srcdir/man/perfctr.4
sed -n 's/^#define \(PERFCTR_IOC_[A-Z]*\).*, \(0x[0-9A-F]*\)[, ]*\(.*\))$/\1 \2 \3/p' \
	"$srcdir/include/perfctr/calls.h" | sed 's/ *$//' >"$work/requests"
sed -n 's/^\.It Dv \(PERFCTR_IOC_.*\)/\1/p' "$page" | sed 's/ No / /; s/ Vt / /; s/"//g' >"$work/documented"
[ -s "$work/requests" ] && diff "$work/requests" "$work/documented"
check "perfctr(4) has the requests" $?

# Both through the preprocessor, because of comments and array sizes. The state's structure goes on.
{
	echo '#include <perfctr/abi-x86.h>'
	echo '#include <perfctr/calls.h>'
	echo 'the page:'
	awk '/^\.Bd -unfilled/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$page"
} >"$work/structures.c"
$cc -E -P -I"$srcdir/include" "$work/structures.c" | tr -s '[:space:]' ' ' | sed 's/ the page: /\n/' >"$work/flat"
echo | cat "$work/flat" - | awk '
	NR == 1 { header = $0 }
	NR == 2 {
		n = split($0, shown, "struct perfctr_")
		for (i = 2; i <= n; i++) {
			text = "struct perfctr_" shown[i]
			sub(/ $/, "", text)
			seen[substr(text, 8, index(text, " {") - 8)]
			if (!index(header, text)) {
				print "not in the headers: " text
				bad = 1
			}
		}
		while (match(header, /struct perfctr_call_[a-z]* \{/)) {
			name = substr(header, RSTART + 7, RLENGTH - 9)
			header = substr(header, RSTART + RLENGTH)
			names++
			if (!(name in seen)) {
				print "not in the page: " name
				bad = 1
			}
		}
	}
	END { exit bad || !names || !("perfctr_cpu_state" in seen) }'
check "perfctr(4) has the structures" $?

# The driver's errors, and those that it has from the kernel.
{
	printf 'E2BIG\nEMFILE\nENFILE\n'
	grep -oh -e '-E[A-Z0-9]\{3,\}' "$srcdir"/driver/*.[ch] "$srcdir"/driver/compat/*.h | tr -d -
} | sort -u >"$work/errors"
sed -n '/^\.Sh ERRORS/,/^\.Sh SEE/s/^\.It Bq Er //p' "$page" | tr -d , | sed 's/ Er /\n/g' | tr -d ' ' |
	sort -u >"$work/documented"
diff "$work/errors" "$work/documented"
check "perfctr(4) has the errors" $?

# The driver's messages in the log, up to the first number.
grep -oh 'pr_[a-z_]*("[^"%\\]*' "$srcdir"/driver/*.c | sed 's/.*("//; s/ *$//' | sort -u >"$work/messages"
while read -r message; do
	grep -qF -e "$message" "$page" || echo "$message"
done <"$work/messages" >"$work/undocumented"
[ ! -s "$work/undocumented" ] || cat "$work/undocumented"
check "perfctr(4) has the messages" "$([ -s "$work/messages" ] && [ ! -s "$work/undocumented" ]; echo $?)"

sed -n 's/^module_param[a-z_]*(\([a-z_]*\).*/\1/p' "$srcdir"/driver/*.c | sort -u >"$work/parameters"
sed -n '/^\.Ss Module parameters/,/^\.Sh/s/^\.It Va //p' "$page" | sort -u >"$work/documented"
diff "$work/parameters" "$work/documented"
check "perfctr(4) has the module's parameters" $?

if command -v mandoc >/dev/null; then
	for page in "$srcdir"/man/*.[1347]; do
		mandoc -T lint "$page" 2>&1
	done | grep -v -e 'referenced manual not found' -e 'mandoc.db' >"$work/lint"
	cat "$work/lint"
	check "man pages are clean" "$([ -s "$work/lint" ]; echo $((1 - $?)))"
	# A word that is a macro's name, such as No, is gone from a heading unless it stands after \&.
	for page in "$srcdir"/man/*.[1347]; do
		mandoc -T utf8 -O width=200 "$page" | sed "s/.$(printf '\b')//g; s/^ *//" >"$work/shown"
		sed -n 's/\\&//g; s/^\.S[hs] //p' "$page" | grep -vxF -f "$work/shown" | sed "s,^,$page: ,"
	done >"$work/headings"
	cat "$work/headings"
	check "headings are shown as they are written" "$([ -s "$work/headings" ]; echo $((1 - $?)))"
	# A quotation goes on to the end of the line.
	! grep -nE '^\.(It )?(Ql|Dq|Qq|Sq) .* (Ql|Dq|Qq|Sq) ' "$srcdir"/man/*.[1347]
	check "no quotation is within another" $?
else
	echo "SKIP man pages are clean: there is no mandoc"
fi

# Each block is a program, or a command, which others run. A page without a program fails.
for page in "$srcdir"/man/*.[347]; do
	name=$(basename "$page")
	case $name in perfctr_cxx.* | perfctr_fortran.* | perfctr_python.* | perfctr_rust.* | perfctr_languages.*) continue ;; esac # tests/bindings has it
	rm -f "$work"/example-*.c
	sed 's/\\e/\\/g' "$page" | awk -v file="$work/example-" '
		/^\.Bd -literal/ { on = first = 1; n++; next } /^\.Ed/ { on = 0 } first && /^\$/ { on = 0 } { first = 0 }
		on { print >(file n ".c") }'
	for source in "$work"/example-*.c; do
		$cc ${CFLAGS:-} -Wall -Wextra -Werror -I"$srcdir/include" "$source" -o "$work/example" \
			-L"$lib" -lperfctr -pthread -Wl,-rpath,"$(cd "$lib" && pwd)" &&
			"$work/example" >"$work/output" 2>&1
		status=$?
		[ $status = 0 ] || cat "$work/output"
		number=${source##*/example-}
		check "example ${number%.c} of $name" $status
	done
done

for source in "$srcdir"/examples/*.c "$srcdir"/examples/*.cc; do
	case $source in */mpi.c | */rows.c) continue ;; esac # tests/regions.sh and collect.sh have them
	compiler="$cc -std=gnu11"
	if [ "${source%.cc}" != "$source" ]; then
		compiler="c++ -std=c++11 -pedantic"
		case $cc in *musl*) continue ;; esac # c++ is of the other C library
		command -v c++ >/dev/null || { echo "SKIP $(basename "$source"): there is no c++"; continue; }
	fi
	$compiler ${CFLAGS:-} -Wall -Wextra -Wshadow -Werror -I"$srcdir/include" "$source" -o "$work/example" \
		-L"$lib" -lperfctr -pthread -Wl,-rpath,"$(cd "$lib" && pwd)" &&
		"$work/example" >"$work/output" 2>&1 &&
		! grep '^0 samples' "$work/output" # nothing was done, or nobody looked
	status=$?
	[ $status = 0 ] || cat "$work/output"
	check "$(basename "$source")" $status
done

# The functions that a program calls: all but the raw primitives under the inline reads, and the parts of
# perfctr_abi_check_fd().
{
	grep -v '^_perfctr_abi_check_fd$' "$work/declared"
	sed -n 's/^static __inline__ .*[ *]\(perfctr_\(reader\|state\)_read[a-z_]*\)(.*/\1/p' "$srcdir/include/perfctr/read.h"
} | sort -u >"$work/calls"
{
	cat "$srcdir"/examples/*.c "$srcdir"/examples/*.cc
	for page in "$srcdir"/man/*.[347]; do
		awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$page"
	done
} | sed "s,/\*.*\*/,," | grep -o '[a-z_]*perfctr_[a-z_]*(' | tr -d '(' | sort -u | comm -23 "$work/calls" - >"$work/uncalled"
[ -s "$work/calls" ] && [ ! -s "$work/uncalled" ]
status=$?
cat "$work/uncalled"
check "every call has an example" $status

cat >"$work/header.c" <<'EOT'
#include <libperfctr.h>
#include <perfctr/calls.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
int perfctr_test_header;
EOT
cp "$work/header.c" "$work/header.cc"
# In C89 "long long" and some commas are extensions.
for standard in "c89 -Wno-long-long" "c99 -pedantic" "c11 -pedantic"; do
	# shellcheck disable=SC2086
	$cc -std=$standard -Wall -Wextra -Werror -I"$srcdir/include" -c "$work/header.c" \
		-o "$work/header.o"
	check "the headers in $standard" $?
done
if command -v c++ >/dev/null; then
	c++ -std=c++11 -pedantic -Wall -Wextra -Wshadow -Wold-style-cast -Werror -I"$srcdir/include" -c "$work/header.cc" \
		-o "$work/header.o"
	check "the headers in c++11" $?
else
	echo "SKIP the headers in c++11: there is no c++"
fi

# Perfctr 2.6's names, and a program with a struct perf_event_attr of its own: what compiles also links.
echo 'int main(void) { return 0; }' >"$work/main.c"
for name in names26 own_attr; do
	for language in c c++; do
		case "$language $cc" in "c++ "*musl*) continue ;; esac # c++ is of the other C library
		if ! command -v $language >/dev/null && [ $language != c ]; then
			echo "SKIP $name in $language: there is no $language"
			continue
		fi
		compiler="$cc -std=gnu11"
		[ $language = c ] || compiler="c++ -std=gnu++11"
		$compiler -x $language ${CFLAGS:-} -Wall -Wextra -Werror -I"$srcdir" -I"$srcdir/include" \
			-I"$lib/../../include" "$srcdir/tests/abi/$name.c" "$work/main.c" \
			-o "$work/$name" -L"$lib" -lperfctr &&
			nm "$work/$name" | grep -q 'perfctr_test_'
		check "$name in $language" $?
	done
done
exit $failed
