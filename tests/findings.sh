#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# findings/run: its table and exit status, over scripts that the test makes up; and that each script of findings/ is what CONTRIBUTING.md
# says it must be. It runs none of them.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	[ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1"; sed 's/^/    /' "$work/out"; failed=1; }
}
run() {	# STATUS argument...
	status=$1
	shift
	"$work/run" "$@" >"$work/out" 2>&1
	[ $? = "$status" ]
}
row() {	# NAME VERSION VERDICT
	grep -q "^$1  *$2  *$(date -u +%Y)-[0-9][0-9]-[0-9][0-9] $3\$" "$work/out"
}
cp "$top/findings/run" "$work"
run 0 && [ "$(wc -l <"$work/out")" = 1 ]
check "no findings" $?
printf '#!/bin/sh\necho "version: 1.2-3"\necho "and so on"\n' >"$work/same.sh"
printf '#!/bin/sh\necho "no network"\nexit 77\n' >"$work/untried.sh"
chmod +x "$work/same.sh" "$work/untried.sh"
run 77 && row same 1.2-3 'as described' && row untried - 'not tried' && grep -qx '    no network' "$work/out"
check "as described, and not tried" $?
printf '#!/bin/sh\necho "version: 2"\necho "version: 3"\nexit 3\n' >"$work/other.sh"
chmod +x "$work/other.sh"
run 1 && row other 2 changed && row same 1.2-3 'as described'
check "changed" $?
run 0 same && [ "$(wc -l <"$work/out")" = 2 ]
check "one by its name" $?
run 1 none && row none - 'there is no such script that can be run'
check "a wrong name" $?
FINDINGS_LOGS=$work/logs run 0 same && grep -q 'and so on' "$work/logs/same.log"
check "what it printed is kept" $?

for script in "$top"/findings/*.sh; do
	[ -e "$script" ] || continue
	name=${script##*/}
	: >"$work/out"
	[ -x "$script" ] && grep -q '^# SPDX-License-Identifier: ' "$script" && grep -q 'version: ' "$script" && grep -q 'mktemp -d' "$script" &&
		grep -q '^trap .*EXIT' "$script"
	check "$name: executable, with a licence, a version and a directory that goes" $?
	grep -inE 'perfctr|perfex|https?://|ftp://' "$script" >"$work/out"
	[ $? = 1 ]
	check "$name: neither this project nor a host" $?
done
exit $failed
