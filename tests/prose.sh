#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Comments of the code that is installed begin with a sentence's subject or verb, and use the field's words:
# this finds some beginnings and words that CONTRIBUTING.md rules out. The environment: srcdir.
set -u
srcdir=${srcdir:-.}
dirs='lib tools driver arch include'
failed=0

# find_none NAME REGEX: no comment of C matches.
find_none() {
	# shellcheck disable=SC2086	# several directories
	if (cd "$srcdir" && grep -rnE --include='*.[chS]' "$2" $dirs); then
		echo "FAIL $1"
		failed=1
	else
		echo "PASS $1"
	fi
}

find_none 'beginnings of comments' \
	'(/\*|^[[:blank:]]+\*) (Who|Whose|Whoever|Nobody|Somebody|Of several|The same (of|for)) '
find_none 'words in comments' '(/\*|^[[:blank:]]+\*) .*([Aa]new|[Oo]verflown|[Ss]o many|[Ff]olders?)([ ,.;:]|$)'
exit $failed
