#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# All that is written as JSON, line by line against docs/perfex.schema.json.
# The environment: PERFEX, PERFCTR_INFO: the programs; CC: a compiler; LIBPERFCTR: where the library lies.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
info=${PERFCTR_INFO:-./perfctr-info} library=${LIBPERFCTR:-lib/.libs} schema=$srcdir/docs/perfex.schema.json

python=
for candidate in python3 /usr/bin/python3; do
	$candidate -c 'import jsonschema' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
	skip "JSON, by its schema" "needs Debian's package python3-jsonschema"
	exit 0
fi

cat >"$work/judge.py" <<'EOT'
import json, jsonschema, sys
[schema, cases] = sys.argv[1:]
validator = jsonschema.Draft7Validator(json.load(open(schema)))
validator.check_schema(validator.schema)
of_type = {}
def no_number(name):
    raise ValueError(name + " is no JSON")
def judge(file, wanted):
    types = []
    for line in open(file):
        value = json.loads(line, parse_constant=no_number)
        # Of the sentences, those of the type that the line says it is.
        name = value.get("type", "?")
        part = {"$ref": "#/definitions/" + name, "definitions": validator.schema["definitions"]}
        if name not in of_type:
            of_type[name] = jsonschema.Draft7Validator(part)
        for error in of_type[name].iter_errors(value):
            raise ValueError("%s: %s" % ("/".join(map(str, error.path)), error.message))
        validator.validate(value)
        types.append(name)
    assert types == wanted, "types are %s, not %s" % (types, wanted)
failed = False
for case in open(cases):
    [right, name, wanted, file] = case.rstrip("\n").split("\t")
    wrong = ""
    try:
        judge(file, wanted.split())
    except Exception as error:
        wrong = str(error) or repr(error)
    if bool(wrong) == (right == "right"):
        failed = True
        print("FAIL %s: %s" % (name, wrong or "it is right"))
        sys.stdout.writelines("    " + line for line in open(file))
    else:
        print("PASS " + name)
sys.exit(failed)
EOT
# All are judged at the end, by one Python.
cases=0
noted() {	# right | wrong NAME TYPES FILE
	cases=$((cases + 1))
	cp "$4" "$work/case-$cases" 2>"$work/out" || { fail "$2" "there is no file:"; return; }
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(echo "$3" | tr '\n' ' ')" "$work/case-$cases" >>"$work/cases"
}
# is NAME TYPES FILE: a line of each type
is() { noted right "$@"; }
# refused NAME FILE: the schema refuses it
refused() { noted wrong "$1" counts "$2"; }
all_are_judged() { "$python" "$work/judge.py" "$schema" "$work/cases" || failed=1; }
# writes NAME TYPES ARGUMENT...: what perfex writes
writes() {
	name=$1 types=$2
	shift 2
	rm -f "$work/json"
	"${run:-$perfex}" --json -o "$work/json" "$@" >/dev/null 2>&1 </dev/null
	is "$name" "$types" "$work/json"
}

writes "counts" counts -e page-faults,task-clock,nonsense/x/ true
cp "$work/json" "$work/counts"
writes "a command's words" counts -e cs sh -c ': "a \\	é"'
writes "a signal" counts -e cs sh -c 'kill -9 $$'
writes "a timeout" counts --timeout 30 -e cs sleep 30
writes "a process, which has ended" counts -p 1 --timeout 20 -e page-faults
writes "several runs, of which one failed" counts -r 3 -e page-faults sh -c 'echo >>"$0"; [ $(wc -l <"$0") != 2 ]' "$work/lines"
writes "a comparison" "counts" -r 2 -e page-faults true
mv "$work/json" "$work/before"
writes "a comparison with these" "counts" -r 2 --compare "$work/before" -e page-faults,cs true
writes "both sides" "counts counts" --diff -r 2 -e page-faults "true 1" "true 2"
writes "threads" counts --per=thread -e page-faults sh -c ': & wait'
writes "units" counts --per=unit -e cs true
writes "samples" samples --sample -F 4000 -e cpu-clock:u sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
says "their sums" "
import json, sys
one = json.load(open(sys.argv[1]))
assert one['samples'] == sum(stack['samples'] for stack in one['stacks']) > 10, one
assert {n for stack in one['stacks'] for n in stack['calls']} == set(range(len(one['functions'])))" "$work/json"
writes "samples that stand for several events" samples --sample -e page-faults:u ls -R /usr/share
says "their events" "
import json, sys
one = json.load(open(sys.argv[1]))
assert one['samples'] == sum(stack['samples'] for stack in one['stacks'])
assert all(stack['events'] >= stack['samples'] for stack in one['stacks']), one" "$work/json"
writes "no samples" samples --sample -c 4000000000 -e cpu-clock:u true
writes "metrics" counts -M page-fault-rate true
# Of this processor's tree or, if the library has none, of the one's that valgrind shows, whether it can be counted or not.
if find_tree; then
	writes "a tree" counts --topdown=2 -e cs true
	says "its levels and parents" "
import json, sys
metrics = json.load(open(sys.argv[1]))['metrics']
names = {metric['metric'] for metric in metrics}
assert all(metric['parent'] in names and metric['level'] == 2 for metric in metrics if 'parent' in metric), metrics" "$work/json"
	writes "a tree, level by level" counts --why=tree true
	says "the runs" "
import json, sys
one = json.load(open(sys.argv[1]))
assert one['drilldown_runs'] >= 1
runs = {item['run'] for item in one['events'] + one['metrics']}
assert runs == set(range(1, one['drilldown_runs'] + 1)), runs" "$work/json"
	expect "the runs as CSV" 0 ',command,run$' "$run" --why=tree --csv true
	expect "a metric's run" 0 ',true,1$' cat "$work/out"
	expect "the runs for Prometheus" 0 '^perfex_counted{.*event="instructions[^"]*",run="1"' \
		"$run" --why=tree --format=openmetrics true
else
	skip_processor "a tree"
fi
run=
"$perfex" -I 50 --json -o "$work/ticks" -M page-fault-rate sleep 0.2 >/dev/null 2>&1
# How many there are is a matter of time.
is "intervals" "$(sed -n 's/^{"type":"\([a-z]*\)".*/\1/p' "$work/ticks")" "$work/ticks"
expect "intervals, and then the sum" 0 '^{"type":"interval",' cat "$work/ticks"
expect "the sum" 0 '^{"type":"counts",' tail -n 1 "$work/ticks"
if "$perfex" -a -e cs true 2>/dev/null; then
	for by in cpu core socket type; do
		writes "each $by" counts -a --per=$by -e cs true
	done
	writes "processors" counts -C 0 -e cs true
else
	skip "processors" "this user may not count them"
fi
if valgrind --version >/dev/null 2>&1; then
	writes "emulation" counts --emulate -e instructions true
	writes "emulation, metrics" counts --emulate -M l1d-miss-rate true
else
	skip "emulation" "needs Debian's package valgrind"
fi

"$info" --json >"$work/json"
is "perfctr-info" machine "$work/json"
"$info" -c --json >"$work/json"
is "perfctr-info, costs" machine "$work/json"

# ---- regions ----
cat >"$work/regions.c" <<'EOT'
#include <perfctr/regions.h>
PERFCTR_REGION(named, "a \"\\\t\xC2\x85\xFF\xC3\xA9");
int main(int argc, char **argv)
{
	(void)argv;
	perfctr_region_begin(&named);
	perfctr_region_add_bytes(7);
	perfctr_region_add_communication(8);
	perfctr_region_end(&named);
	if (argc > 1)
		perfctr_region_end(&named);
	return 0;
}
EOT
if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE ${CFLAGS:-} -I"$srcdir/include" "$work/regions.c" -L"$library" -lperfctr \
     -Wl,-rpath,"$(realpath "$library")" -pthread -o "$work/regions" 2>"$work/out"; then
	skip "regions" "the program can't be built"
	all_are_judged
	exit $failed
fi
writes "regions" regions --regions "$work/regions"
cp "$work/json" "$work/first"
expect "a region's name, escaped" 0 '"region":"a \\"\\\\\\u0009\\u0085\\ufffdé"' cat "$work/first"
expect "bytes" 0 '"value":"bytes","unit":"B","inclusive":7,"exclusive":7' cat "$work/first"
writes "regions, all that is kept" regions --regions=moments,histogram,threads -M page-fault-rate "$work/regions" stray
cp "$work/json" "$work/second"
"$perfex" --regions --json -o - -e page-faults sh -c '"$0"; "$0"' "$work/regions" >"$work/both" 2>/dev/null
is "regions of two processes" "regions regions" "$work/both"
writes "regions put together" merged_regions --from "$work/first" "$work/second"

# ---- what is wrong is refused ----
for change in 's/"type":"counts",//' 's/"counts"/"count"/' 's/"runs":1,/"runs":-1,/' 's/"runs":1,//' \
	's/"runs":1,/"runs":1,"more":1,/' 's/"unit":""/"unit":null/' 's/"quality":"[a-z ]*"/"quality":"good"/'; do
	sed "$change" "$work/counts" >"$work/wrong"
	cmp -s "$work/counts" "$work/wrong" && fail "$change" "changes nothing"
	refused "$change" "$work/wrong"
done
all_are_judged
exit $failed
