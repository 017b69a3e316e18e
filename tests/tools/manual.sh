#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex(1) and perfctr_users(7): each command with its output prints what the page says, whatever the numbers; and each
# option that a page names is one.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
page=$(cd "$srcdir" && pwd)/man/perfex.1
mkdir "$work/bin" "$work/run" "$work/block"
ln -s "$(realpath "$perfex")" "$work/bin/perfex"
PATH=$work/bin:$PATH
export PATH
awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) print int(rand() * 1000000) }' >"$work/run/numbers"

# ---- commands, and what they print ----
sed 's/\\&//g' "$page" | awk -v at="$work/block/" '
	/^\.Bd -literal/ { on = 1; n++; next }
	/^\.Ed/ { on = 0 }
	on { print >sprintf("%s%02d", at, n) }'
# Numbers, versions, blanks and names of hosts are of one machine, and whether two commands differ is of one time.
cat >"$work/same.py" <<'EOT'
import re, sys
def shape(path):
    lines = []
    for line in open(path, errors="replace"):
        line = re.sub(r"(?<=Z,)[^,]*(?=,)", "HOST", line)
        line = re.sub(r"\d[-\w.,:]*", lambda n: "N" + "," * n.group().endswith(","), line)
        line = re.sub(r"[-+±]+ *(?=N)", "", line)
        lines.append(" ".join(line.split()).replace(" N K/sec", "").replace(" N /sec", "").replace(" N M/sec", ""))
    while lines and not lines[-1]: lines.pop()
    # Without any spread there is no interval.
    verdict = "( N% to N%)? (<?N|-) (differs|same|below the threshold|no difference shown(: N% needs (more than )?N runs)?)$"
    lines = [re.sub(verdict, " VERDICT", line) for line in lines]
    return lines
page, real = shape(sys.argv[1]), shape(sys.argv[2])
def same(a, b):
    if not a: return not b
    if a[0] == "...": return any(same(a[1:], b[i:]) for i in range(len(b) + 1))
    if not b: return False
    line = a[0][:-4] if a[0].endswith(" ...") else None
    return (b[0].startswith(line) if line else a[0] == b[0]) and same(a[1:], b[1:])
if not same(page, real):
    print("\n".join(["the page:"] + page + ["", "in truth:"] + real))
    sys.exit(1)
EOT
blocks=0
for block in "$work"/block/*; do
	command=$(sed -n '1s/^\$ //p' "$block")
	sed 1d "$block" | grep -v '^\.Ed' >"$work/page"
	blocks=$((blocks + 1))
	case $command in
	*--emulate*)
		if ! valgrind --version >/dev/null 2>&1; then
			skip "$command" "needs Debian's package valgrind"
			continue
		fi
		if [ "${HAVE_VALGRIND_TOOL:-no}" != yes ]; then
			echo "# $command: left to builds with valgrind's libraries"
			continue
		fi ;;
	*" -a "*)
		if ! "$perfex" -a -e cs true 2>/dev/null; then
			skip "$command" "needs root"
			continue
		fi ;;
	*" 1234 "*)
		sleep 20 &
		other=$!
		command=$(echo "$command" | sed "s/1234/$other/") ;;
	esac
	have_python "$command" || continue
	(cd "$work/run" && eval "$command") >"$work/printed" 2>&1 </dev/null
	if python3 "$work/same.py" "$work/page" "$work/printed" >"$work/out" 2>&1; then
		pass "$command"
	else
		fail "$command" "prints otherwise:"
	fi
done
kill "${other:-}" 2>/dev/null
[ $blocks -ge 10 ] || { : >"$work/out"; fail "blocks" "only $blocks"; }

# ---- options ----
"$perfex" --help=all | grep -o -e '--[a-z][a-z0-9-]*' -e ' -[a-zA-Z],' | tr -d ' ,' | sort -u >"$work/known"
for name in perfex.1 perfex-sample.1 perfex-regions.1 perfctr_users.7; do
	sed -n 's/\\-/-/g; s/.*perfex \(.*\)/\1/p' "$srcdir/man/$name" | grep -o -e '\(^\| \)--[a-z][a-z0-9-]*' | tr -d ' ' |
		sort -u >"$work/named"
	comm -23 "$work/named" "$work/known" >"$work/out"
	if [ -s "$work/named" ] && [ ! -s "$work/out" ]; then
		pass "options of $name"
	else
		fail "options of $name" "are not all perfex':"
	fi
done
# The pages have all that the help has.
sed -n 's/^\.It //p' "$page" "$srcdir/man/perfex-sample.1" | grep -o -e 'Fl -[a-z][a-z0-9-]*' | sed 's/Fl /-/' | sort -u >"$work/described"
grep -e '^--' "$work/known" | comm -23 - "$work/described" >"$work/out"
if [ -s "$work/out" ]; then fail "each option" "has no place in perfex.1 or perfex-sample.1:"; else pass "each option"; fi
# perfex(1) is a reference: what belongs to one mode alone has a page of its own.
if command -v mandoc >/dev/null; then
	words=$(mandoc -T ascii "$page" | sed "s/.$(printf '\b')//g" | wc -w)
	: >"$work/out"
	if [ "$words" -gt 3000 ] && [ "$words" -le 6500 ]; then pass "words of perfex.1"; else fail "words of perfex.1" "are $words"; fi
fi
exit $failed
