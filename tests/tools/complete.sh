#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The completion of perfex's command line, in bash, zsh and fish: options, events, processors, commands.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
completion=$(cd "$srcdir" && pwd)/tools/completion
mkdir "$work/bin"
ln -s "$(realpath "$perfex")" "$work/bin/perfex"
PATH=$work/bin:$PATH
export PATH

# The long options of the help.
"$perfex" --help=all | grep -o -e '--[a-z][a-z0-9-]*' | sort -u >"$work/options"

# ---- bash ----
# shellcheck disable=SC2016,SC2317
in_bash() {	# LINE: what it may become
	bash --norc -c '
		source "$1/perfex"
		COMP_LINE=$2 COMP_POINT=${#2}
		_perfex
		printf "%s\n" "${COMPREPLY[@]}"' bash "$completion" "$1"
}
if command -v bash >/dev/null; then
	in_bash 'perfex --' | sort -u >"$work/bash"
	expect "bash: all options" 0 '^same$' sh -c "cmp '$work/options' '$work/bash' && echo same"
	expect "bash: an option with a list" 0 '^openmp$' in_bash 'perfex --regions=op'
	expect "bash: an option" 0 '^--timeout$' in_bash 'perfex -a --timeo'
	expect "bash: parts" 0 '^socket$' in_bash 'perfex -a --per so'
	expect "bash: a format" 0 '^openmetrics$' in_bash 'perfex --format=open'
	expect "bash: a bottleneck's tree" 0 '^tree$' in_bash 'perfex --why=t'
	expect "bash: short options" 0 '^-A$' in_bash 'perfex -'
	in_bash 'perfex -' | sort >"$work/offered"
	{
		grep -v -e '^-[A-Za-z]$' -e '^--[a-z0-9-]*$' "$work/offered"
		uniq -d "$work/offered"
	} >"$work/out"
	if [ -s "$work/out" ]; then fail "bash: options" "these are none, or there twice:"; else pass "bash: options"; fi
	expect "bash: an event" 0 '^page-faults$' in_bash 'perfex -e page-f'
	expect "bash: an event in a list" 0 '^cs,{task-clock,page-faults$' in_bash 'perfex -e cs,{task-clock,page-f'
	expect "bash: a long option's event" 0 '^context-switches$' in_bash 'perfex -r 3 --event context'
	expect "bash: a processor" 0 '^skylake$' in_bash 'perfex --cpu skyl'
	expect "bash: this processor" 0 '^native$' in_bash 'perfex --cpu nat'
	expect "bash: a processor's event" 0 '^INST_RETIRED:ANY$\|^INST_RETIRED\|^ANY$' \
		in_bash 'perfex --cpu skylake -e INST_RET'
	expect "bash: a processor's event, after =" 0 '^ANY$' in_bash 'perfex --cpu=skylake --event=INST_RETIRED:AN'
	expect "bash: a metric in a list" 0 '^ipc,branch-mpki$' in_bash 'perfex -M ipc,branch-mp'
	expect "bash: a processor's metric" 0 '^topdown-smt$' in_bash 'perfex --cpu zen4 -M topdown-s'
	expect "bash: and no other's" 0 '^$' in_bash 'perfex --cpu skylake -M topdown-s'
	expect "bash: a process" 0 "^1,$$\$" in_bash "perfex -p 1,$$"
	touch "$work/baseline.json"
	expect "bash: a file" 0 "^$work/baseline.json$" in_bash "perfex --compare $work/base"
	expect "bash: reports" 0 "^$work/baseline.json$" in_bash "perfex --from $work/base"
	expect "bash: a page's documents" 0 "^$work/baseline.json$" in_bash "perfex --html page --from $work/base"
	expect "bash: more reports" 0 "^$work/baseline.json$" in_bash "perfex --csv --from $work/base $work/base"
	expect "bash: by what" 0 '^address$' in_bash 'perfex --sample --by addr'
	expect "bash: how calls are found" 0 '^dwarf$' in_bash 'perfex --sample --format=folded --call-graph dw'
	expect "bash: what regions keep" 0 '^moments$' in_bash 'perfex --regions=mom'
	expect "bash: what regions keep, too" 0 '^moments,threads$' in_bash 'perfex --regions=moments,th'
	expect "bash: a command" 0 '^sleep$' in_bash 'perfex -e cs slee'
	expect "bash: a command after --" 0 '^sleep$' in_bash 'perfex -- slee'
	expect "bash: a command's argument" 0 "^$work/baseline.json$" in_bash "perfex -e cs cat $work/base"
	expect "bash: a number is not made up" 0 '^$' in_bash 'perfex -r '
else
	skip "bash" "there is none"
fi

# ---- zsh ----
# A zsh on a terminal, in which somebody types and presses Tab; what each line is then. It begins once: that takes longest.
cat >"$work/setup.zsh" <<EOT
PS1= fpath=('$completion' \$fpath)
autoload -Uz compinit
compinit -u -D
setopt no_beep no_auto_list
show() { print -r -- "LINE[\$BUFFER]" >'$work/line'; BUFFER=; zle .accept-line }
zle -N show
bindkey '^I' complete-word
bindkey '^T' show
print ready >'$work/ready'
EOT
cat >"$work/type.zsh" <<'EOT'
zmodload zsh/zpty
zpty -b shell "TERM=dumb zsh -f -i"
zpty -w shell "source $1/setup.zsh"
# A file is there before its contents are.
wait_for() {
	local i line
	for i in {1..3000}; do
		while zpty -r -t shell line; do :; done
		[[ -s $1 ]] && return
		sleep 0.02
	done
}
wait_for $1/ready
while IFS= read -r typed; do
	rm -f $1/line
	zpty -w -n shell "$typed"$'\t\C-t'
	wait_for $1/line
	print -r -- "$typed|$(cat $1/line)"
done
zpty -d shell
EOT
# The lines that are tried below were all typed into one zsh.
# shellcheck disable=SC2317
in_zsh() {	# LINE: what it becomes
	awk -F '|' -v typed="$1" '$1 == typed { print $2 }' "$work/zsh"
}
if command -v zsh >/dev/null && zsh -fc 'zmodload zsh/zpty' 2>/dev/null; then
	touch "$work/baseline.json"
	sed -n "s/.*in_zsh [\"']\\(.*\\)[\"']\$/\1/p" "$0" | sed "s:\$work:$work:" >"$work/typed"
	timeout 300 zsh -f "$work/type.zsh" "$work" <"$work/typed" >"$work/zsh"
	expect "zsh: an option" 0 '^LINE\[perfex -a --timeout=* *\]' in_zsh 'perfex -a --timeo'
	expect "zsh: parts" 0 '^LINE\[perfex -a --per socket *\]' in_zsh 'perfex -a --per so'
	expect "zsh: a bottleneck's tree" 0 '^LINE\[perfex --why=tree,*\]' in_zsh 'perfex --why=t'
	expect "zsh: an event" 0 '^LINE\[perfex -e page-faults\]' in_zsh 'perfex -e page-f'
	expect "zsh: an event in a list" 0 '^LINE\[perfex -e cs,page-faults\]' in_zsh 'perfex -e cs,page-f'
	expect "zsh: a processor" 0 '^LINE\[perfex --cpu skylakex *\]' in_zsh 'perfex --cpu skylakex'
	expect "zsh: this processor" 0 '^LINE\[perfex --cpu native *\]' in_zsh 'perfex --cpu nati'
	expect "zsh: a processor's metric" 0 '^LINE\[perfex --cpu zen4 -M topdown-smt *\]' \
		in_zsh 'perfex --cpu zen4 -M topdown-s'
	expect "zsh: and no other's" 0 '^LINE\[perfex --cpu skylake -M topdown-s\]' \
		in_zsh 'perfex --cpu skylake -M topdown-s'
	expect "zsh: by what" 0 '^LINE\[perfex --sample --by address *\]' in_zsh 'perfex --sample --by addr'
	expect "zsh: how calls are found" 0 '^LINE\[perfex --sample --format=folded --call-graph dwarf *\]' \
		in_zsh 'perfex --sample --format=folded --call-graph dw'
	expect "zsh: what regions keep" 0 '^LINE\[perfex --regions=moments,threads,*\]' \
		in_zsh 'perfex --regions=moments,th'
	expect "zsh: a file" 0 "^LINE\[perfex --compare $work/baseline.json *\]" in_zsh "perfex --compare $work/base"
	expect "zsh: a report" 0 "^LINE\[perfex --from $work/baseline.json *\]" in_zsh "perfex --from $work/base"
	expect "zsh: a page's documents" 0 "^LINE\[perfex --html page --from $work/baseline.json *\]" \
		in_zsh "perfex --html page --from $work/base"
	expect "zsh: reports" 0 "^LINE\[perfex --from a $work/baseline.json *\]" \
		in_zsh "perfex --from a $work/base"
	expect "zsh: a command's argument" 0 "^LINE\[perfex -e cs cat $work/baseline.json *\]" \
		in_zsh "perfex -e cs cat $work/base"
else
	skip "zsh" "there is none"
fi

# ---- fish ----
# shellcheck disable=SC2016,SC2317
in_fish() {	# LINE: what its last word may become
	HOME=$work fish --no-config -c 'set fish_complete_path $argv[1] $fish_complete_path; complete -C $argv[2]' \
		"$completion" "$1" | cut -f 1
}
if command -v fish >/dev/null; then
	in_fish 'perfex --' | grep -v '=$' | sort -u >"$work/fish"
	expect "fish: all options" 0 '^same$' sh -c "cmp '$work/options' '$work/fish' && echo same"
	expect "fish: an option" 0 '^--timeout$' in_fish 'perfex -a --timeo'
	expect "fish: parts" 0 '^socket$' in_fish 'perfex -a --per so'
	expect "fish: a bottleneck's tree" 0 '^--why=tree$' in_fish 'perfex --why=t'
	expect "fish: short options" 0 '^-A$' in_fish 'perfex -'
	expect "fish: an event" 0 '^page-faults$' in_fish 'perfex -e page-f'
	expect "fish: an event in a list" 0 '^cs,page-faults$' in_fish 'perfex -e cs,page-f'
	expect "fish: an event in a group" 0 '^"{cs,page-faults$' in_fish 'perfex -e "{cs,page-f'
	expect "fish: a long option's event" 0 '^--event=cs,page-faults$' in_fish 'perfex -r 3 --event=cs,page-f'
	expect "fish: a processor" 0 '^skylakex$' in_fish 'perfex --cpu skyl'
	expect "fish: this processor" 0 '^native$' in_fish 'perfex --cpu nati'
	expect "fish: a processor's event" 0 '^INST_RETIRED' in_fish 'perfex --cpu skylake -e INST_RET'
	expect "fish: a processor's metric" 0 '^ipc,topdown-smt$' in_fish 'perfex --cpu=zen4 -M ipc,topdown-s'
	in_fish 'perfex --cpu skylake -M topdown-s' >"$work/offered"
	expect "fish: and no other's" 1 '^0$' grep -c '^topdown-smt$' "$work/offered"
	expect "fish: a process" 0 "^1,$$\$" in_fish "perfex -p 1,$$"
	expect "fish: by what" 0 '^address$' in_fish 'perfex --sample --by addr'
	expect "fish: what regions keep" 0 '^--regions=moments,threads$' in_fish 'perfex --regions=moments,th'
	touch "$work/baseline.json"
	expect "fish: a file" 0 "^$work/baseline.json$" in_fish "perfex --compare $work/base"
	expect "fish: a report" 0 "^$work/baseline.json$" in_fish "perfex --from $work/base"
	expect "fish: reports" 0 "^$work/baseline.json$" in_fish "perfex --csv --from a $work/base"
	expect "fish: a page's documents" 0 "^$work/baseline.json$" in_fish "perfex --html page --from $work/base"
	expect "fish: a command" 0 '^sleep$' in_fish 'perfex -e cs slee'
	expect "fish: a command after --" 0 '^sleep$' in_fish 'perfex -- slee'
	expect "fish: a command's argument" 0 "^$work/baseline.json$" in_fish "perfex -e cs cat $work/base"
	in_fish 'perfex -r ' >"$work/offered"
	expect "fish: a number is not made up" 1 '^0$' grep -c . "$work/offered"
else
	skip "fish" "needs Debian's package fish"
fi
exit $failed
