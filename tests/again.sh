# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2034,SC2154	# others use it, or set it
# How scripts/test runs again what has failed: one test, or its stage. Uses $work and $top.

# Reads result lines, and prints a command for each test that failed; for its stage, if no test of it can be run alone.
again_commands() {
	where=
	[ "$work" = "$top/build/test" ] || where=" $work"
	sed -n 's/^FAIL //p' | awk -v where="$where" '
		function is_test(name) { return name ~ /^tests\// }
		{
			stage = $0; sub(/:.*/, "", stage)
			rest = ""; if ($0 ~ /: /) { rest = $0; sub(/^[^:]*: /, "", rest) }
			name = rest; sub(/:.*/, "", name); sub(/ \(exit status.*/, "", name)
			if (stage == "vm" || stage == "cross")
				name = rest
			else if (!is_test(name))
				name = ""
			if (!(stage in seen)) { seen[stage] = 1; stages[++n] = stage }
			if (name != "" && !((stage, name) in known)) { known[stage, name] = 1; tests[stage] = tests[stage] "\n" name }
		}
		END {
			for (i = 1; i <= n; i++) {
				m = split(tests[stages[i]], names, "\n")
				if (m < 2)
					printf "again: scripts/test again \"%s\"%s\n", stages[i], where
				for (k = 2; k <= m; k++)
					printf "again: scripts/test again \"%s: %s\"%s\n", stages[i], names[k], where
			}
		}'
}

# NAME, "STAGE" or "STAGE: TEST": sets what stage() and the stages look at.
choose_again() {
	only_stage=${1%%:*} only_test=
	case $1 in *": "*) only_test=${1#*: } ;; esac
	only_machine='' only_program='' only_host=''
	case $only_stage,$only_test in
	vm,"driver builds"* | vm,layers* | vm,coverage*) ;;
	cross,*) only_host=${only_test%%:*} ;;
	vm,*:*) only_machine=${only_test%%:*} only_program=$(echo "${only_test#*: }" | sed 's/:.*//' | tr ' ' +) ;;
	esac
}
