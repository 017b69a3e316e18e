#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/test says on which machine something failed, and how that is run again: tried in a tree of its own, whose stages the test
# makes up.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	[ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1"; sed 's/^/    /' "$work/out"; failed=1; }
}
has() {	# NAME LINE
	grep -qxF -e "$2" "$work/out"
	check "$1" $?
}
mkdir -p "$work/tree/scripts" "$work/tree/tests" "$work/tree/build/test/gcc"
cd "$work/tree" || exit 1
cp "$top/scripts/test" "$top/scripts/stages.sh" "$top/scripts/machine" scripts
cp "$top/tests/again.sh" tests
printf '#!/bin/sh\n' | tee configure >scripts/install-needs
chmod +x configure scripts/install-needs
cat >tests/stages.sh <<'EOT'
one() {
	echo "one ${only_test:-all}" >>ran
	[ ! -e mended ] || { echo "PASS tests/a"; return; }
	echo "FAIL a part of it: words: and more"
	echo "FAIL tests/a (exit status: 1)"
	echo "FAIL: tests/a"
	return 1
}
two() {
	echo "two" >>ran
	return 3
}
vm() {
	echo "vm ${only_machine:-all} ${only_program:-all}" >>ran
	echo "PASS skylake-1: loops"
	echo "FAIL skylake-1: storm 3 4"
	return 1
}
three() {
	echo "three" >>ran
}
stages_of_test() {
	stage gcc one
	stage "a stage" two
	await_stage gcc
	stage vm vm
}
stages_of_all() {
	stages_of_test
	stage three three
}
EOT

env CI= scripts/test >"$work/out" 2>&1
[ $? = 1 ]
check "it fails" $?
grep -q '^failed on: .* processors, .*, Linux .*, load ' "$work/out"
check "the machine" $?
has "a test" 'again: scripts/test again "gcc: tests/a"'
has "a stage" 'again: scripts/test again "a stage"'
has "a program in a machine" 'again: scripts/test again "vm: skylake-1: storm 3 4"'
[ "$(grep -c '^again: ' "$work/out")" = 3 ]
check "each once" $?
[ "$(tail -n 1 "$work/out")" = "1 passed, 5 failed, 0 skipped" ]
check "the sum is last" $?

again() {	# NAME: what ran, in ran
	rm -f ran
	env CI= scripts/test again "$1" >"$work/out" 2>&1
}
again "gcc: tests/a"
[ $? = 1 ] && [ "$(cat ran)" = "one tests/a" ]
check "a test alone" $?
has "the same command" 'again: scripts/test again "gcc: tests/a"'
touch mended
again "gcc: tests/a" && [ "$(tail -n 1 "$work/out")" = "1 passed, 0 failed, 0 skipped" ] && ! grep -q '^again:\|^failed on' "$work/out"
check "a test that passes" $?
again "a stage"
[ $? = 1 ] && [ "$(cat ran)" = two ]
check "a stage alone" $?
again "vm: skylake-1: storm 3 4"
[ "$(cat ran)" = "vm skylake-1 storm+3+4" ]
check "a program alone" $?
again "three"
[ $? = 2 ] && [ ! -e ran ] && grep -q 'nothing is named three' "$work/out"
check "a name of another tier" $?
env CI= scripts/test all >/dev/null 2>&1
again "three"
[ "$(cat ran)" = three ]
check "the tier that has failed" $?
env CI= scripts/test again gcc elsewhere >"$work/out" 2>&1
[ $? = 2 ] && grep -q 'run scripts/test first' "$work/out"
check "a directory without a run" $?
exit $failed
