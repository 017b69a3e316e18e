#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/verify: what it builds, whose file it writes, and its status, with a program that has its facts ready.
# The environment: srcdir.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

top=$work/top out=$work/a/directory
# A source of its own, and an empty directory to write into.
begin() {
	rm -rf "$top" "$out"
	mkdir -p "$top/scripts" "$top/tests/silicon" "$out"
	cp "$srcdir/scripts/verify" "$top/scripts"
	cp "$srcdir/tests/silicon/judge.awk" "$srcdir/tests/silicon/expected" "$top/tests/silicon"
	cp "$srcdir/tests/silicon/made-right.txt" "$top/facts"
	# As configure does: not beside a source that is configured.
	cat >"$top/configure" <<'END'
#!/bin/sh
top=${0%/*}
[ ! -e "$top/config.status" ] || { echo "source directory already configured"; exit 1; }
top=$(cd "$top" && pwd)
cp "$top/makefile" Makefile
END
	cat >"$top/makefile" <<END
tests/silicon/verify:
	@mkdir -p tests/silicon
	@printf '#!/bin/sh\ncat $top/facts\n' >\$@
	@chmod +x \$@
END
	chmod +x "$top/configure" "$top/scripts/verify"
}
# Run it in the empty directory; its STATUS.
verify() {
	(cd "$out" && "$top/scripts/verify" "$@") >"$work/said" 2>&1
}
is() {	# NAME STATUS WANTED
	[ "$2" = "$3" ] || cat "$work/said"
	[ "$2" = "$3" ]
	check "$1: status $3" $?
}

begin
verify
is "all is right" $? 0
grep -q '^# verdict right: ' "$out/libperfctr-verify-skylake.txt"
check "the default name" $?
echo mine >"$out/libperfctr-verify-skylake.txt"
ln -s nowhere "$out/libperfctr-verify-skylake-2.txt"
verify
is "the default name, again" $? 0
[ "$(cat "$out/libperfctr-verify-skylake.txt")" = mine ] && [ ! -e "$out/nowhere" ] &&
	[ -f "$out/libperfctr-verify-skylake-3.txt" ]
check "it is written beside what is there" $?
mkdir "$out/directory"
for name in libperfctr-verify-skylake.txt libperfctr-verify-skylake-2.txt directory; do
	verify "$name"
	is "$name is there" $? 3
done
[ ! -e "$out/nowhere" ] && [ -z "$(ls "$out/directory")" ]
check "neither link nor directory is followed" $?
# A link that comes while it counts.
begin
printf 'all: ;\ntests/silicon/verify:\n\t@mkdir -p tests/silicon\n\t@printf "#!/bin/sh\\nln -s nowhere %s/new\\ncat %s/facts\\n" >$@\n\t@chmod +x $@\n' \
	"$out" "$top" >"$top/makefile"
verify new
is "a link comes while it counts" $? 3
[ ! -e "$out/nowhere" ] && [ -L "$out/new" ]
check "it is not followed either" $?

begin
sed -i 's/^order 20000 0/order 20000 1/' "$top/facts"
verify
is "something is wrong" $? 1
# ../../configure of the directory where it is called.
begin
: >"$top/build"
printf '#!/bin/sh\ntouch %s/executed\n' "$work" >"$work/configure"
chmod +x "$work/configure"
verify
is "no directory to build in" $? 3
[ ! -e "$work/executed" ] && [ -z "$(ls "$out")" ]
check "nothing is executed or written where it was called" $?
begin
printf 'echo no compiler\nexit 1\n' >>"$top/configure"
verify
is "configure fails" $? 3
grep -q 'no compiler' "$work/said"
check "what it says is shown" $?
begin
(cd "$top" && ./configure && : >config.status)
verify
is "the source is configured itself" $? 0
exit $failed
