# SPDX-License-Identifier: LGPL-2.1-or-later
# Metrics: the data files arch/metrics/*.metrics -> constant data in C, for lib/metrics/records.c.
# Usage: awk -f scripts/metrics.awk TABLE.ev... FILE.desc... FILE.metrics... >metric-tables.c
# Of the event tables only the names matter. The format of the files is described in arch/README.md.
# A line that does not fit it is an error, which names file and line.

function fail(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

# Returns the number of a text, which has the escapes of C's strings; bytes is its size without them.
function add_text(text, bytes)
{
	if (!(text in number_of)) {
		number_of[text] = pool_count
		pool_at[pool_count] = pool_size
		pool[pool_count++] = text
		pool_size += bytes + 1
		if (pool_count > 65535)
			fail("there are too many texts")
	}
	return number_of[text]
}

function number(text)
{
	if (text ~ /["\\]/)
		fail("a text has no quotes and no backslashes")
	return add_text(text, length(text))
}

# The two bytes that stand for a word in a packed text.
function code(word)
{
	if (!(word in code_of)) {
		if (number(word) > 16383)
			fail("there are more words than numbers for them")
		code_of[word] = sprintf("\\%03o\\%03o", 128 + int(number(word) / 128), 128 + number(word) % 128)
	}
	return code_of[word]
}

# Returns the number of a packed text: words with blanks between.
function number_of_words(text,    words, n, i, packed)
{
	n = split(text, words, " ")
	for (i = 1; i <= n; i++)
		packed = packed code(words[i])
	return add_text(packed, 2 * n)
}

# Returns the number of a formula, which is packed.
function number_of_formula(text,    words, n, i, packed, bytes)
{
	if (length(text) > 4095)	# PERFCTR_METRIC_FORMULA
		fail("the formula is too long")
	gsub(/[(),]/, " & ", text)
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		packed = packed (words[i] ~ /^[-+*\/<(),]$/ ? words[i] : code(words[i]))
		bytes += 1 + (words[i] !~ /^[-+*\/<(),]$/)
	}
	return add_text(packed, bytes)
}

# The words after the first one.
function rest(    text)
{
	text = $0
	sub(/^[ \t]*[a-z]+[ \t]+/, "", text)
	gsub(/[ \t]+/, " ", text)
	sub(/ $/, "", text)
	return text
}

# The words after the first one, whatever that is.
function rest_of_any(    text)
{
	text = $0
	sub(/^[^ \t]+[ \t]+/, "", text)
	gsub(/[ \t]+/, " ", text)
	return text
}

function check_text(text)
{
	if (text == "" || length(text) > 90 || text ~ /\.$/)
		fail("a text is a clause of up to 90 characters without a full stop")
}

# Each is the name of a table, or the beginning of one.
function check_tables(    i, table, fits, begin)
{
	for (i = 2; i <= NF; i++) {
		fits = $i in tables || $i == "*"
		begin = $i
		if (sub(/\*$/, "", begin))
			for (table in tables)
				fits = fits || index(table, begin) == 1
		if (!fits)
			fail("there is no event table \"" $i "\"")
	}
	if (NF < 2)
		fail("for takes the names of event tables, or *")
}

# The metric, which is the next record, takes the other one's value (kind "uses"), or is a part of it ("is a part of").
function note_use(kind, other)
{
	asked[other] = FILENAME ":" FNR
	if (name == "")
		return
	uses[kind, records + 1] = uses[kind, records + 1] " " other
	place_of_use[kind, records + 1, other] = FILENAME ":" FNR
}

# The last record of a name counts, in each table.
function note_record(    words, n, i, table, begin)
{
	n = split(applies, words, " ")
	for (i = 1; i <= n; i++) {
		begin = words[i]
		if (!sub(/\*$/, "", begin))
			record_of[begin, name] = records
		else
			for (table in tables)
				if (index(table, begin) == 1 || begin == "")
					record_of[table, name] = records
	}
}

# No metric of a table uses itself, and none is a part of itself, by others.
function check_cycles(kind, table, name,    words, n, i, own)
{
	own = record_of[table, name]
	state[kind, table, name] = "begun"
	n = split(uses[kind, own], words, " ")
	for (i = 1; i <= n; i++) {
		if (!((table, words[i]) in record_of))
			continue
		if (!((kind, table, words[i]) in state)) {
			check_cycles(kind, table, words[i])
		} else if (state[kind, table, words[i]] == "begun") {
			printf "%s: the metric %s of %s %s itself, by %s\n", place_of_use[kind, own, words[i]],
				words[i], table, kind, name >"/dev/stderr"
			failed = 1
		}
	}
	state[kind, table, name] = "done"
}

# Values and operators take turns; the library's compiler, in the tests, knows the rest.
function check_formula(text,    n, words, i, word, value, depth, events)
{
	gsub(/[()]/, " & ", text)
	gsub(/, /, " , ", text)
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		word = words[i]
		if (word ~ /^(\(|min|max|if|where|time)$/) {
			if (value)
				fail("an operator is missing before " word)
			depth += word == "("
		} else if (word == ")" || word ~ /^[-+*\/,<]$/) {
			if (!value)
				fail("a value is missing before " word)
			depth -= word == ")"
			value = word == ")"
			if (depth < 0)
				fail("there is one ) too many")
		} else {
			if (value)
				fail("an operator is missing before " word)
			if (word ~ /^@[a-z][a-z0-9_%-]*$/)
				note_use("uses", substr(word, 2))
			else if (word !~ /^(~?[0-9]+(\.[0-9]+)?|#(smt|pmem|cpus|slots|revision)|[A-Za-z][A-Za-z0-9_]*\*\/[A-Za-z0-9_|]+\/|[A-Za-z_][A-Za-z0-9_.:=\/,-]*)$/)
				fail("\"" word "\" is neither a number nor an event")
			events += word !~ /^[0-9#~]/
			value = 1
		}
	}
	if (!value || depth)
		fail("the formula has no end")
	if (!events)
		fail("the formula has no event")
}

# Words that a let of the section has named become what it says.
function expand(text,    result, word)
{
	while (match(text, /[^ (),]+/)) {
		word = substr(text, RSTART, RLENGTH)
		result = result substr(text, 1, RSTART - 1) (word in lets ? lets[word] : word)
		text = substr(text, RSTART + RLENGTH)
	}
	return result text
}

# Conditions that are all with & between them, or all with |. Their metrics may come later.
function check_threshold(    i)
{
	if (NF > 32)	# PERFCTR_CONDITIONS
		fail("a threshold has eight conditions at most")
	for (i = 2; i <= NF; i += 4) {
		if ($i !~ /^[a-z][a-z0-9_%-]*$/ || $(i + 1) !~ /^[<>]$/ || $(i + 2) !~ /^[0-9]+(\.[0-9]+)?$/)
			fail("a threshold is METRIC > NUMBER, or <, with & or | between several")
		asked[$i] = FILENAME ":" FNR
		if (i + 3 <= NF && ($(i + 3) !~ /^[&|]$/ || $(i + 3) != $5 || i + 4 > NF))
			fail("between the conditions of a threshold there are only &, or only |")
	}
}

# Names that stand for several metrics, which may come later.
function note_list(    i)
{
	if (!section || $2 !~ /^[A-Za-z][A-Za-z0-9_]*$/ || NF < 3)
		fail("a list has a name and metrics, in a section")
	members = $3
	for (i = 3; i <= NF; i++)
		asked[$i] = FILENAME ":" FNR
	for (i = 4; i <= NF; i++)
		members = members " " $i
	list[++lists] = sprintf("{ %d, %d, %d }", number_of_words(applies), number($2), number(members))
}

function finish_metric()
{
	if (name == "")
		return
	if (description == "")
		description = texts[name]
	described[name]
	if (formula == "" || description == "")
		fail("the metric " name " has no formula, or no text")
	if (name ~ /^PAPI_/)
		note_preset()
	record[++records] = sprintf("{ %d, %d, %d, %d, %d, %d, %d, %d }", number_of_words(applies), number(name),
				    number(unit), number_of_formula(formula), number(description), number(threshold),
				    number(parent), number(sample))
	note_record()
	name = ""
}

# Returns the characters after PAPI_, in hexadecimal, as small letters: look-ups compare these.
function key_of(name,    key, i, c)
{
	for (i = 6; i <= length(name); i++) {
		c = substr(name, i, 1)
		key = key sprintf("%02x", c == "_" ? 95 : c ~ /[0-9]/ ? 48 + c : 96 + index(letters, c))
	}
	if (length(key) > 16)
		fail("the name " name " is too long for a preset of PAPI's")
	return substr("0000000000000000" key, length(key) + 1)
}

# Keeps the keys sorted.
function note_preset(    key, i)
{
	key = key_of(name)
	for (i = 1; i <= keys && preset_key[i] < key; i++)
		;
	if (i <= keys && preset_key[i] == key)
		return
	for (i = ++keys; i > 1 && preset_key[i - 1] > key; i--) {
		preset_key[i] = preset_key[i - 1]
		preset_name[i] = preset_name[i - 1]
	}
	preset_key[i] = key
	preset_name[i] = name
}

# Prints the presets of each event table, in the tables' order, which is that of their ids.
function print_presets(    n, i, k, id, places, first, names)
{
	print "\nconst uint64_t perfctr_metric_preset_keys[] = {"
	for (k = 1; k <= keys; k++)
		print "\t0x" preset_key[k] ","
	print "\t0\n};\nconst uint16_t perfctr_metric_preset_records[] = {"
	n = sort_tables()
	for (i = 1; i <= n; i++) {
		id = sorted[i]
		first = first "\t" places + 0 ",\n"
		for (k = 1; k <= keys; k++)
			if ((id, preset_name[k]) in record_of) {
				print "\t" record_of[id, preset_name[k]] - 1 ","
				names = names "\t" k - 1 ",\n"
				places++
			}
	}
	print "\t0\n};\nconst uint8_t perfctr_metric_preset_names[] = {\n" names "\t0\n};"
	print "const uint16_t perfctr_metric_preset_first[] = {"
	print first "\t" places + 0 "\n};"
}

function sort_tables(    n, i, id)
{
	for (id in tables) {
		for (i = ++n; i > 1 && sorted[i - 1] > id; i--)
			sorted[i] = sorted[i - 1]
		sorted[i] = id
	}
	return n
}

BEGIN {
	pool_count = pool_size = 0
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for (i = 1; i < ARGC; i++)
		if (ARGV[i] ~ /\.ev$/) {
			table = ARGV[i]
			sub(/^.*\//, "", table)
			sub(/\.ev$/, "", table)
			tables[table]
			delete ARGV[i]
		}
}

/^[ \t]*(#|$)/ { next }
FILENAME ~ /\.desc$/ {
	if ($1 in texts)
		fail($1 " has a text already")
	check_text(texts[$1] = rest_of_any())
	place_of[$1] = FILENAME ":" FNR
	next
}
$1 == "for" {
	finish_metric()
	check_tables()
	applies = rest()
	section++
	split("", lets)
	next
}
$1 == "let" {
	finish_metric()
	if (!section || $2 !~ /^[a-z]+$/ || $2 ~ /^(if|min|max|time)$/ || $2 in lets || $3 !~ /^(if|min|max)?\(/)
		fail("let takes a new word of small letters, and a formula in parentheses, in a section")
	let = rest()
	sub(/^[a-z]+ /, "", let)
	lets[$2] = expand(let)
	check_formula(lets[$2])
	next
}
$1 == "metric" {
	finish_metric()
	if (!section)
		fail("a for must stand above")
	if ($2 !~ /^([a-z][a-z0-9_%-]*|PAPI_[A-Z0-9_]+)$/ || length($2) > 80 || NF > 3)
		fail("a metric has a name of small letters, digits, -, _ and %, or PAPI's, and a unit")
	if ((section, $2) in seen)
		fail("the section has " $2 " already")
	seen[section, $2]
	name = $2
	known[name]
	unit = $3
	formula = description = threshold = parent = sample = ""
	next
}
$1 == "formula" && name != "" && formula == "" {
	formula = expand(rest())
	check_formula(formula)
	next
}
$1 == "text" && name != "" && description == "" {
	check_text(description = rest())
	next
}
$1 == "threshold" && name != "" && threshold == "" {
	threshold = rest()
	check_threshold()
	next
}
$1 == "parent" && name != "" && parent == "" && NF == 2 {
	parent = $2
	note_use("is a part of", parent)
	next
}
$1 == "sample" && name != "" && sample == "" && NF > 1 {
	sample = rest()
	next
}
$1 == "list" {
	finish_metric()
	note_list()
	next
}
{ fail("\"" $1 "\" can't stand here") }

END {
	if (failed)
		exit 1
	finish_metric()
	for (i in asked)
		if (!(i in known)) {
			print asked[i] ": there is no metric " i >"/dev/stderr"
			failed = 1
		}
	for (i in texts)
		if (!(i in described)) {
			print place_of[i] ": there is no metric " i >"/dev/stderr"
			failed = 1
		}
	for (i in record_of) {
		split(i, words, SUBSEP)
		if (!(("uses", words[1], words[2]) in state))
			check_cycles("uses", words[1], words[2])
		if (!(("is a part of", words[1], words[2]) in state))
			check_cycles("is a part of", words[1], words[2])
	}
	if (failed)
		exit 1
	print "/* Made by scripts/metrics.awk from arch/metrics/. */"
	print "#include \"arch/metric-tables.h\"\n"
	print "const char perfctr_metric_texts[] ="
	for (i = 0; i < pool_count; i++)
		printf "\t\"%s%s\n", pool[i], (i < pool_count - 1 ? "\\0\"" : "\";")
	print "\nconst uint32_t perfctr_metric_text_at[] = {"
	for (i = 0; i < pool_count; i++)
		print "\t" pool_at[i] ","
	print "};"
	print "\nconst struct perfctr_metric_record perfctr_metric_records[] = {"
	for (i = 1; i <= records; i++)
		print "\t" record[i] ","
	print "};"
	printf "const unsigned int perfctr_metric_record_count = %d;\n", records
	print "\nconst struct perfctr_metric_list perfctr_metric_lists[] = {"
	for (i = 1; i <= lists; i++)
		print "\t" list[i] ","
	print "\t{ 0, 0, 0 }\n};"
	printf "const unsigned int perfctr_metric_list_count = %d;\n", lists
	print_presets()
}
