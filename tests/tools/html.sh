#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --html without a browser: the page holds what --json writes, whoever wrote its words, and nothing from outside.
# tests/html/ has the browser.
# The environment: PERFEX: the program; HAVE_LIBELF: whether perfex knows functions; CXX: a compiler.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"

# Reads a page as a browser does. There are two scripts, of which the first is data, and no address of anything. Each later argument is a file of JSON whose documents must be in it, in this order; "-" any.
cat >"$work/read.py" <<'EOT'
import html.parser, json, re, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts = [], []
    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script": self.scripts.append("")
    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script": self.scripts[-1] += data
raw = open(sys.argv[1], "rb").read()
text = raw.decode("utf-8")  # strictly
page = Page()
page.feed(text)
page.close()
names = [tag for tag, _ in page.tags]
assert names == ["html", "head"] + ["meta"] * 4 + ["title", "style", "body", "a", "noscript", "p", "main", "script", "script"], names
assert page.tags[-2][1] == {"type": "application/json", "id": "data"}
for tag, attrs in page.tags:
    assert not set(attrs) & {"src", "srcset", "action", "background"} and attrs.get("href", "#").startswith("#"), attrs
assert any("default-src 'none'" in attrs.get("content", "") for tag, attrs in page.tags if tag == "meta")
data = page.scripts[0]
# Nothing in it means anything to HTML or JavaScript, or turns words around for the reader of the source.
assert not re.search("[<>&\u2028\u2029\u202a-\u202e\u2066-\u2069]", data)
sources = json.loads(data)
def documents(path):
    decoder, text, found = json.JSONDecoder(), open(path, errors="replace").read().strip(), []
    while text:
        one, n = decoder.raw_decode(text)
        found.append(one)
        text = text[n:].strip()
    return found
files = sys.argv[2:]
assert len(sources) == len(files), (len(sources), files)
for source, file in zip(sources, files):
    if file != "-":
        assert source["source"] == file and source["documents"] == documents(file), source
json.dump(sources, open(sys.argv[1] + ".json", "w"))
assert len(raw) - len(data.encode()) <= 100000, len(raw) - len(data.encode())
EOT
# is NAME PAGE [FILE...]
is() {
	name=$1
	shift
	have_python "$name" || return 0
	if python3 "$work/read.py" "$@" >"$work/out" 2>&1; then pass "$name"; else fail "$name" "not so:"; fi
}
# holds NAME PAGE PROGRAM: of "sources", the page's documents
holds() {
	[ -e "$2.json" ] || return 0
	says "$1" "import json, sys; sources = json.load(open(sys.argv[1])); documents = sources[0]['documents']; $3" "$2.json"
}
page=$work/page

# ---- beside each kind of run ----
"$perfex" --html "$page" -e page-faults,task-clock,nonsense/x/ -o "$work/table" true
is "a run" "$page" -
holds "counts, and their reasons" "$page" "
assert sources[0]['source'] is None and [d['type'] for d in documents] == ['counts']
a, b, c = documents[0]['events']
assert a['quality'] == 'exact' and a['value'] > 0 and c['quality'] == 'not counted' and 'nonsense' in c['reason']
assert documents[0]['command'] == ['true'] and documents[0]['origin']['kernel']"
expect "the table is there, too" 0 "page-faults" cat "$work/table"
"$perfex" --html "$page" --json -o "$work/json" -r 3 -e page-faults true
says "both have the same" "
import json, sys
assert json.load(open(sys.argv[1]))['events'] == json.loads(open(sys.argv[2]).read().split('id=\"data\">')[1].split('</script>')[0])[0]['documents'][0]['events']" \
	"$work/json" "$page"
is "several runs" "$page" -
"$perfex" -I 20 --html "$page" -M page-fault-rate sleep 0.2 >/dev/null 2>&1
is "intervals" "$page" -
holds "all intervals, and the sum" "$page" "
types = [d['type'] for d in documents]
assert len(types) > 3 and set(types[:-1]) == {'interval'} and types[-1] == 'counts' and documents[0]['metrics']"
"$perfex" --html "$page" -r 2 --compare "$work/json" true >/dev/null 2>&1
is "a comparison" "$page" -
holds "what was compared" "$page" "assert documents[0]['comparison']['events'][0]['event'].startswith('page-faults')"
"$perfex" --html "$page" --diff -r 2 -e page-faults --csv 'true 1' 'true 2' >/dev/null 2>&1
is "two sides" "$page" -
holds "both sides" "$page" "assert [d['command'][2] for d in documents] == ['true 1', 'true 2'] and documents[1]['comparison']"
"$perfex" --html "$page" --per=thread -e page-faults sh -c ': & wait' 2>/dev/null
is "threads" "$page" -
holds "each thread" "$page" "assert len(documents[0]['threads']) == 2"
expect "the command's status" 3 . "$perfex" --html "$page" -e page-faults sh -c 'exit 3'
is "a command that fails" "$page" -
"$perfex" --html - -e page-faults -o "$work/table" true >"$page"
is "on standard output" "$page" -
"$perfex" --html "$work/page.%p" -e page-faults -o "$work/table" true
is "a name with the process" "$(find "$work" -name "page.[0-9]*")" -

if "$perfex" --sample -e cpu-clock:u -o /dev/null true 2>"$work/out"; then
	"$perfex" --sample --html "$page" -e cpu-clock:u -o "$work/table" \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >"$work/out" 2>&1 || fail "a sampled run" "printed:"
	is "samples" "$page" -
	holds "their calls" "$page" "
one = documents[0]
assert one['type'] == 'samples' and one['samples'] == sum(stack['samples'] for stack in one['stacks']) > 5, one
assert one['command'][0] == 'sh' and one['exit_status'] == 0 and one['origin'] and one['frequency'] == 1000"
	expect "their table" 0 "^ *[0-9]* *[0-9.]*%" cat "$work/table"
	"$perfex" --sample --html "$page" --json -o "$work/json" -e cpu-clock:u true
	says "samples as JSON, too" "
import json, sys
assert json.load(open(sys.argv[1])) == json.loads(open(sys.argv[2]).read().split('id=\"data\">')[1].split('</script>')[0])[0]['documents'][0]" \
		"$work/json" "$page"
else
	skip "samples" "cpu-clock can't be sampled here"
fi

# ---- pairs of outputs: each has the names and the numbers that it has alone ----
# both NAME PROGRAM OUTPUT argument...: a page and another output of one run; PROGRAM has "one", the page's document, and "text"
both() {
	name=$1 program=$2 other=$3
	shift 3
	rm -f "$page" "$other"
	"$perfex" "$@" -o "$other" --html "$page" "$busy" >"$work/out" 2>&1 || fail "$name" "printed:"
	says "$name" "
import json, re, sys
text = open(sys.argv[1], 'rb').read().decode('utf-8', 'replace')
one = json.loads(open(sys.argv[2]).read().split('id=\"data\">')[1].split('</script>')[0])[0]['documents'][0]
$program" "$other" "$page"
}
busy=true
for format in '' --json --csv --format=openmetrics; do
	# shellcheck disable=SC2086
	both "counts, as a page and ${format:-a table}" "
count = one['events'][0]['scaled']
assert count > 20 and re.search('(?<![0-9])%d(?![0-9])' % count, text), (count, text)" \
		"$work/other" $format -e page-faults:u
done
case ${CFLAGS:-} in
*sanitize*) cxx=none ;; # takes more memory than the process that reads names may
*) cxx=${CXX:-c++} ;;
esac
cat >"$work/names.cc" <<'EOT'
#include <sys/mman.h>
namespace space {
template <class T> struct thing {
	__attribute__((noinline)) void turn(volatile char *memory, T n) { while (n--) memory[n * 4096] = 1; }
};
}
int main()
{
	void *memory = mmap(0, 1000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, 1000 * 4096L, MADV_NOHUGEPAGE);
	space::thing<long>().turn(static_cast<volatile char *>(memory), 1000);
}
EOT
busy=$work/names
if [ "${HAVE_LIBELF:-no}" != yes ] || [ "$cxx" = none ]; then
	: # perfex knows no functions
elif ! command -v "$cxx" >/dev/null; then
	skip "names of C++ in two outputs" "needs a C++ compiler"
elif "$cxx" -O1 "$work/names.cc" -o "$busy" && "$perfex" --sample -e page-faults:u -c 1 -o /dev/null "$busy" 2>"$work/out"; then
	turn='space::thing<long>::turn(char volatile*, long)'
	page_has="
of = {i for i, name in enumerate(one['functions']) if name == '$turn'}
calls = sum(s['samples'] for s in one['stacks'] if s['calls'][-1:] and s['calls'][-1] in of)
assert calls == 1000 and not [name for name in one['functions'] if name.startswith('_Z')], one"
	for format in '' --json --format=perf-data; do
		case $format in
		--json) has="assert json.loads(text) == one" ;;
		--format=perf-data) has="assert text.startswith('PERFILE2')" ;;
		*) has="assert re.search(' 1000 +[0-9.]+% +' + re.escape('$turn'), text), text" ;;
		esac
		# shellcheck disable=SC2086
		both "samples, as a page and ${format:-a table}" "$page_has
$has" "$work/other" --sample $format -e page-faults:u -c 1
	done
	both "samples, as a page and folded" "$page_has
found = [line for line in text.splitlines() if line.rpartition(' ')[0].endswith(';$turn')]
assert sum(int(line.rpartition(' ')[2]) for line in found) == 1000 and '_Z' not in text, text" "$work/other" \
		--sample --format=folded -e page-faults:u -c 1
else
	skip "names of C++ in two outputs" "page faults can't be sampled here"
fi

library=${LIBPERFCTR:-lib/.libs}
cat >"$work/regions.c" <<'EOT'
#include <perfctr/regions.h>
#include <sys/wait.h>
#include <unistd.h>
PERFCTR_REGION(named, "a</script>\xE2\x80\xAE");
int main(int argc, char **argv)
{
	perfctr_region_begin(&named);
	perfctr_region_end(&named);
	if (argc > 1)
		execv(*argv, (char *[]){ *argv, (char *)0 });
	return 3;
}
EOT
if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE ${CFLAGS:-} -I"$srcdir/include" "$work/regions.c" -L"$library" -lperfctr \
   -Wl,-rpath,"$(realpath "$library")" -pthread -o "$work/regions" 2>"$work/out"; then
	expect "a program with regions ends as it does, and has no table" 3 '^$' \
		sh -c '"$0" --regions=histogram,threads --html "$1" "$2"; s=$?; echo; exit $s' "$perfex" "$page" "$work/regions"
	is "regions" "$page" -
	holds "their report" "$page" "
assert [d['type'] for d in documents] == ['regions'] and documents[0]['regions'][0]['region'] == 'a</script>\u202e', documents
assert [('tid' in row) for row in documents[0]['regions']] == [False, True]"
	"$perfex" --regions --json -o "$work/json" --html "$page" sh -c '"$0"; "$0" again; true' "$work/regions"
	says "reports of several processes, and of programs that one was" "
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
page = json.loads(open(sys.argv[2]).read().split('id=\"data\">')[1].split('</script>')[0])
assert len(lines) == 3 and len({line['pid'] for line in lines}) == 2 and page[0]['documents'] == lines, lines" "$work/json" "$page"
	expect "a program without regions" 125 "no process of the command was measured" "$perfex" --regions --html "$page" true
else
	skip "regions" "the program can't be built"
fi

# ---- of files ----
cp "$work/json" "$work/a"
expect "of a file" 0 '^$' sh -c '"$0" --html "$1" --from "$2" && echo' "$perfex" "$page" "$work/a"
is "the file's documents" "$page" "$work/a"
"$perfex" --json -I 20 -e page-faults -o "$work/b" sleep 0.1
printf '{"type":"machine",\n\t"costs" : [ ]\n}{"type":"later","x":[{"y":{}},{}]}' >"$work/c"
"$perfex" --html "$page" --from "$work/a" "$work/b" "$work/c"
is "of several, of any kind and in any form" "$page" "$work/a" "$work/b" "$work/c"
for rank in 0 1; do
	printf '{"type":"regions","host":"h","pid":%s,"rank":%s,"regions":[{"region":"r","visits":1,"unfinished":0,"uncounted":0,
		"values":[{"value":"time","unit":"ns","inclusive":9,"exclusive":8,"quality":"exact"}]}],"subtracted":[],
		"through_kernel":false,"ends_without_begin":0,"threads_left_out":0,"threads_stale":0,"visits_without_region":0,"children_left_out":0}\n' $rank $rank >"$work/r$rank"
done
expect "reports for a page alone" 0 '^$' sh -c '"$0" --html "$1" --from "$2" "$3" && echo' "$perfex" "$page" "$work/r0" "$work/r1"
is "they are not put together" "$page" "$work/r0" "$work/r1"
expect "reports put together, beside a page" 0 '^r,time,ns,inclusive,2,2,9,rank 0,' "$perfex" --csv --html "$page" --from "$work/r0" "$work/r1"
is "reports of regions" "$page" "$work/r0" "$work/r1" -
holds "and these put together" "$page" "
assert sources[2]['documents'][0]['type'] == 'merged_regions' and sources[2]['documents'][0]['processes'] == 2"

program=$(cd "$(dirname "$perfex")" && pwd)/${perfex##*/}
cp "$work/a" "$work/-"
(cd "$work" && "$program" --html - --from - >"$page")
is "of a file that is called as standard output" "$page" -
(cd "$work" && "$program" -o - --html ./- --csv -e page-faults true >csv)
is "and a page that is" "$work/-" -

# ---- hostile words ----
words=$(printf '</script><script>alert(1)</script><!-- ]]> & \342\200\250\342\200\251 \342\200\256txt.\342\201\246 \377\300\257 "\\ \177\033[2J \302\205')
"$perfex" --html "$page" -e "page-faults,$(printf 'nonsense/<!--<script>\342\200\256\377')/" sh -c : "$words" 2>/dev/null
is "words of a command, and an event" "$page" -
holds "they are whole" "$page" "
words = documents[0]['command'][3]
assert words.startswith('</script><script>alert(1)</script><!-- ]]> & \u2028\u2029 \u202etxt.\u2066 \ufffd'), ascii(words)
assert any('<!--<script>\u202e\ufffd' in event['event'] for event in documents[0]['events']), documents[0]['events']"
hostile="$work/<!--</script>\t"
mkdir -p "$(dirname "$hostile")"
have_python "a file of hostile words" && python3 - "$hostile" <<'EOT'
import sys
word = b'"<!--<script>&lt;\\u2028\\u202e\\"\\\\\xe2\x80\xa8\xe2\x81\xa9\xff\xed\xa0\x80</script>{}[],\\/"'
text = b'{"type":"regions","host":W,"pid":1,"rank":null,"regions":[{"region":W,"visits":1,"unfinished":0,"uncounted":0,"values":[]}],W:W}'
open(sys.argv[1], "wb").write(text.replace(b"W", word))
EOT
[ ! -e "$hostile" ] || {
	"$perfex" --html "$page" --from "$hostile"
	is "regions, hosts, members, a file's name" "$page" "$hostile"
}

# ---- what is wrong ----
rm "$page"
refuses() {	# NAME WORDS argument...
	name=$1 words=$2
	shift 2
	expect "$name" 125 "$words" "$perfex" "$@"
	[ ! -e "$page" ] || { fail "$name" "there is a page"; rm "$page"; }
}
echo 'no JSON' >"$work/text"
echo '{"type":"counts"} [1]' >"$work/list"
: >"$work/empty"
refuses "a file that is none" "not a file of perfex --json: No such file" --html "$page" --from "$work/none"
refuses "a file of something else" "text is not a file of perfex --json: line 1: " --html "$page" --from "$work/a" "$work/text"
refuses "a document without a type" "list is not a file of perfex --json: line 1: there is no object with a \"type\"" --html "$page" --from "$work/list"
refuses "an empty file" "empty is not a file of perfex --json: line 1: the file ends" --html "$page" --from "$work/empty"
refuses "no page" "b has no reports of regions; --html FILE shows its results" --from "$work/b"
refuses "no regions to print" "there are no reports of regions to print; leave out -o" --html "$page" -o "$work/made" --from "$work/b"
refuses "no regions, in a format" "there are no reports of regions to print; leave out the format" --csv --html "$page" --from "$work/b"
refuses "no file" "^perfex: --from needs files" --html "$page" --from
refuses "a file and a run" "-e can't be combined with --from" --html "$page" -e cs --from "$work/a"
refuses "a file and a format of counts" "--format=openmetrics can't be combined with --from" --html="$page" --from --format=openmetrics "$work/a"
refuses "branches" "--html and --by branch or source can't be combined" --html "$page" --sample --by branch true
refuses "a report's table" "^perfex: --html of --regions is made of JSON" --html "$page" --regions -o "$work/table" true
refuses "a report as CSV" "^perfex: --html of --regions is made of JSON" --html "$page" --regions --csv true
refuses "a list" "^perfex: --html can't be combined with -l" --html "$page" -l
refuses "one file for two" "^perfex: -o and --html name the same file" --html "$page" -o "$page" true
cp "$work/a" "$work/own"
ln -s own "$work/link"
for name in own ./own link; do
	"$perfex" --html "$work/$name" --from "$work/own" >"$work/out" 2>&1
	[ $? = 125 ] && grep -q 'is a file that the page is made of, and would be lost' "$work/out" && cmp -s "$work/a" "$work/own" &&
		pass "a page in the place of its source, $name" || fail "a page in the place of its source, $name" "printed:"
done
refuses "standard output is no source" "^perfex: --from: - is not a file of perfex --json: No such file" --html - --from -
refuses "one file by two names" "^perfex: -o and --html name the same file" --html "$page" -o "$(dirname "$page")/./$(basename "$page")" true
expect "results that can't be written" 125 'No space left' "$perfex" --html "$page" -o /dev/full -e page-faults true
is "the page of results that can't be written" "$page" -
rm "$page"
expect "a page that can't be written, before the command runs" 125 "none/page can't be written: No such file" \
	"$perfex" --html "$work/none/page" echo ran
if grep -q '^ran' "$work/out"; then fail "that command" "it ran:"; else pass "that command did not run"; fi

# ---- what it is made of ----
lines=$(cat "$srcdir/tools/perfex/report/page.js" "$srcdir/tools/perfex/report/page.css" | wc -l)
[ "$lines" -le 1500 ] && pass "a script and a style sheet of $lines lines" || fail "the script and the style sheet" "have $lines lines"
if LC_ALL=C grep -n '[^	 -~]' "$srcdir"/tools/perfex/report/page.* >"$work/out"; then fail "they are ASCII" "not so:"; else pass "they are ASCII"; fi
exit $failed
