#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prose is written in the field's words, and a comment begins with a sentence's subject or verb: this finds some
# beginnings and words that CONTRIBUTING.md rules out, in the code that is installed, scripts, tests' scripts and
# pages. The environment: srcdir.
set -u
srcdir=${srcdir:-.}
cd "$srcdir" || exit
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code='lib tools driver arch include collect'

check() {	# NAME; the lines that are wrong are in $work/found
	if [ -s "$work/found" ]; then
		cat "$work/found"
		echo "FAIL $1"
		failed=1
	else
		echo "PASS $1"
	fi
}

# Comments of C.
in_code() { # shellcheck disable=SC2086	# several directories
	grep -rnE --include='*.[chS]' "$1" $code >"$work/found"; }
# Comments of shell, awk, make and Python: scripts/ and tests/tables have programs without a suffix. This file names the words.
in_scripts() { grep -rnE --include='*.sh' --include='*.awk' --include='*.mk' --include='[a-z-]*[a-z]' \
	--exclude=prose.sh --exclude-dir=data --exclude-dir=fuzz "$1" scripts tests driver tools lib arch >"$work/found"; }
# Manual pages, READMEs and the like.
in_pages() { grep -nE "$1" man/*.[1-8] ./*.md docs/*.md arch/README.md driver/README.md examples/*.md lib/*.md lib/*/README.md \
	tools/README.md collect/README.md tests/README.md tests/*/README.md 2>/dev/null >"$work/found"; }

free='(Who|Whose|Whoever|Whomever|Nobody|Somebody|Of several|The same (of|for))'
words='([Aa]new|[Oo]verflown|[Ss]o many|[Ff]olders?)'
in_code "(/\*|^[[:blank:]]+\*) $free "
check 'beginnings of comments'
in_code "(/\*|^[[:blank:]]+\*) .*$words([ ,.;:]|\$)"
check 'words in comments'
in_scripts "^[[:blank:]]*# (What|Whatever|$free) "
check "beginnings of scripts' comments"
in_scripts "^[[:blank:]]*# .*$words([ ,.;:]|\$)"
check "words in scripts' comments"
in_pages "(^|[ (])$words([ ,.;:|]|\$)"
check 'words in pages'
in_pages '(^|[ (])([Ww]h(o|om)ever|[Ww]ho (finds|reads|made)) '
check 'clauses without a noun in pages'
exit $failed
