# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# A scheduler, for scripts/test and tests/vm/run.sh: commands run in the background, as many at a time as there are processors.
# A script that sources this defines report NAME STATUS, which is called once for each stage, in the order in which they end.

# LOGS: an empty directory is made there. A stage writes to LOGS/NAME.log; its processor time is the last line of LOGS/NAME.times.
begin_stages() {
	stages=$1 stages_limit=$(nproc) stages_running=0 stages_ended='|'
	rm -rf "$stages"
	mkdir -p "$stages"
	mkfifo "$stages/ended"
	exec 3<>"$stages/ended"
	trap 'trap - TERM; kill 0' INT
}

# NAME COMMAND...: waits until fewer stages run than there are processors. The command obeys set -e if the caller does. If
# $only_stage names another one, does nothing.
stage() {
	case ${only_stage:-} in '' | "$1") ;; *) return ;; esac
	[ "$stages_running" -lt "$stages_limit" ] || next_stage
	stages_running=$((stages_running + 1))
	(
		name=$1 options=$-
		shift
		set +e
		(
			case $options in *e*) set -e ;; esac
			"$@"
		) >"$stages/$name.log" 2>&1 3>&-
		status=$?
		times >"$stages/$name.times"
		echo "$status $name" >&3
	) &
}

# Waits for the next stage that ends.
next_stage() {
	read -r stages_status stages_name <&3
	stages_running=$((stages_running - 1)) stages_ended="$stages_ended$stages_name|"
	report "$stages_name" "$stages_status"
}

# NAME: waits until it has ended.
await_stage() {
	case ${only_stage:-} in '' | "$1") ;; *) return ;; esac
	while :; do
		case $stages_ended in *"|$1|"*) return ;; esac
		next_stage
	done
}

end_stages() {
	while [ "$stages_running" != 0 ]; do
		next_stage
	done
}

processor_time() {	# NAME
	tail -n 1 "$stages/$1.times"
}
