#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Python package: its structures and constants are the headers', its arguments and results pass the border to the
# library unharmed, every call of it works, mypy finds nothing in it, pip installs it without a network, and its examples
# and those of its page run.
# The environment: srcdir; CC; LIBPERFCTR, the build's .libs directory with the library.
set -u
# The system's own tools come first: others need not have the parts that are used here.
PATH=/usr/bin:/bin:$PATH
srcdir=$(cd "${srcdir:-.}" && pwd) cc=${CC:-cc} lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
command -v python3 >/dev/null || { echo "SKIP Python: there is no python3"; exit 77; }
[ -e "$lib/libperfctr.so.7" ] || { echo "SKIP Python: the library was built without a shared one"; exit 77; }
LD_LIBRARY_PATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$srcdir/bindings/python
export LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE PYTHONPATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

python3 "$srcdir/tests/bindings/layout.py" >layout.c && [ "$(wc -l <layout.c)" -gt 200 ] &&
	$cc -std=c11 -I"$srcdir/include" -fsyntax-only layout.c
check "structures and constants are those of the headers" $?
case $cc in *musl*) echo "| left out: Python's calls, which is of the other C library"; exit $failed ;; esac

# The name of multiprocessing's socket, in TMPDIR, may have 107 characters.
TMPDIR=/tmp python3 "$srcdir/tests/bindings/python.py" >output 2>&1
status=$?
grep '^SKIP' output
[ $status = 0 ] || cat output
check "every call" $status

python3 "$srcdir/tests/bindings/arguments.py" >output 2>&1
status=$?
[ $status = 0 ] || cat output
check "arguments, results and failures at the border" $status

# Each function of the package's, and each method, is in the test.
sed -n 's/^ *def \([a-z][a-z_]*\)(.*/\1/p' "$srcdir"/bindings/python/perfctr/__init__.py "$srcdir"/bindings/python/perfctr/_regions.py |
	sort -u | grep -v -x -e visit -e over | while read -r name; do
	grep -qE "[.\"]$name\b" "$srcdir/tests/bindings/python.py" || echo "no test calls $name()"
done >uncalled
cat uncalled
check "every call has a test" "$([ -s uncalled ]; echo $((1 - $?)))"

if command -v mypy >/dev/null; then
	mypy --strict --cache-dir="$work/mypy" "$srcdir"/bindings/python/perfctr "$srcdir"/bindings/python/build.py >output 2>&1
	status=$?
	[ $status = 0 ] || cat output
	check "types, by mypy --strict" $status
else
	echo "SKIP types: there is no mypy"
fi

if python3 -m pip --version >/dev/null 2>&1; then
	cp -R "$srcdir/bindings/python" source && chmod -R u+w source
	# No index is there to be asked.
	PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --quiet --no-cache-dir --target root ./source >output 2>&1 &&
		(cd / && PYTHONPATH=$work/root python3 -c 'import perfctr; assert "'"$work"'/root" in perfctr.__file__; perfctr.doctor()') &&
		[ -e root/perfctr/py.typed ]
	status=$?
	[ $status = 0 ] || cat output
	check "pip installs it without a network" $status
	if [ -e root/perfctr/_quick.abi3.so ]; then
		PYTHONPATH=$work/root python3 - >output 2>&1 <<-'EOP' &&
			import perfctr
			from perfctr import _c
			region = perfctr.region("quick")
			assert isinstance(region, _c.quick.Visits)
		EOP
			PYTHONPATH=$work/root python3 "$srcdir/tests/bindings/python.py" Regions Copies >>output 2>&1
		status=$?
		[ $status = 0 ] || cat output
		check "regions by its compiled module" $status
	elif [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
		check "its module is compiled" 1
	else
		echo "SKIP the compiled module: there are no headers of Python"
	fi
	# Without a compiler the package does the same.
	CC=false PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --quiet --no-cache-dir --target plain ./source >output 2>&1 &&
		(cd / && PYTHONPATH=$work/plain python3 -c 'import perfctr; assert not perfctr._c.quick; perfctr.region("plain").__enter__()') &&
		[ ! -e plain/perfctr/_quick.abi3.so ]
	status=$?
	[ $status = 0 ] || cat output
	check "pip installs it without a compiler" $status
else
	echo "SKIP pip: it is not there"
fi
(cd "$srcdir/bindings/python" && python3 -c 'import build, sys; build.build_sdist(sys.argv[1])' "$work") &&
	tar -tzf perfctr-*.tar.gz | grep -q '/perfctr/__init__.py$'
check "an archive of the sources" $?
[ "$(sed -n 's/^version = "\(.*\)"/\1/p' "$srcdir/bindings/python/pyproject.toml")" = \
	"$(sed -n 's/^AC_INIT(\[libperfctr\], \[\(.*\)\])/\1/p' "$srcdir/configure.ac")" ]
check "the version is the library's" $?

# The emulated machines hold the figures of the page.
grep -q '^MOST, INSIDE = (600, 2400) .* else (200, 700)$' "$srcdir/tests/vm/guest/languages/python.py" &&
	tr '\n' ' ' <"$srcdir/man/perfctr_python.7" | grep 'fewer than 700 of them.*fewer than 2400\. ' |
	grep -q 'fewer than 200 instructions a visit, and without the module fewer than 600 '
check "the page has the figures of tests/vm/guest/languages" $?

for example in "$srcdir"/bindings/python/examples/*.py; do
	python3 "$example" >output 2>&1
	status=$?
	[ $status = 0 ] || cat output
	check "examples/$(basename "$example")" $status
done
sed 's/\\e/\\/g' "$srcdir/man/perfctr_python.7" |
	awk '/^\.Bd -literal/ { on = 1; n++; next } /^\.Ed/ { on = 0 } on { print >("page-" n ".py") }'
for source in page-*.py; do
	python3 "$source" >output 2>&1
	status=$?
	[ $status = 0 ] || cat output
	check "$source of perfctr_python(7)" $status
done
exit $failed
