# SPDX-License-Identifier: LGPL-2.1-or-later
# Event tables: the data files arch/*/events/*.ev -> constant data in C, for arch/events.c; with what their
# names mean, from the files *.desc beside them, and others' names, from *.alias.
# Usage: awk -f scripts/events.awk FILE.desc... FILE.alias... FILE.ev... >event-tables.c
# The format of the files is described in arch/README.md. Whatever does not fit it ends in an error
# that names file and line.

function fail(text)
{
	printf "%s: %s\n", hidden ? hidden : FILENAME ":" FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

# The value of a 0x number of up to 13 digits.
function hex(text,    i, n, digit)
{
	if (text !~ /^0[xX][0-9A-Fa-f]+$/)
		fail("\"" text "\" is not a number written with 0x")
	if (length(text) > 15)
		fail("\"" text "\" is too large")
	text = tolower(substr(text, 3))
	for (i = 1; i <= length(text); i++) {
		digit = index("0123456789abcdef", substr(text, i, 1)) - 1
		n = n * 16 + digit
	}
	return n + 0
}

# A 0x number of up to 16 digits, as text.
function literal(text)
{
	if (text !~ /^0[xX][0-9A-Fa-f]+$/ || length(text) > 18)
		fail("\"" text "\" is not a number written with 0x")
	return text
}

# A decimal number up to most.
function number(text, most)
{
	if (text !~ /^[0-9]+$/ || text + 0 > most)
		fail("\"" text "\" is not a number from 0 to " most)
	return text + 0
}

# "0-3,5,f0" -> the index of the set of counters: bits 0 to 31, and fixed ones from 32 on.
function counter_set(text,    parts, n, i, range, first, last, shift, k, general, fixed, key, seen)
{
	n = split(text, parts, ",")
	for (i = 1; i <= n; i++) {
		shift = parts[i] ~ /^f/ ? 32 : 0
		sub(/^f/, "", parts[i])
		if (parts[i] !~ /^[0-9]+(-[0-9]+)?$/)
			fail("\"" text "\" is not a set of counters")
		split(parts[i] "-" parts[i], range, "-")
		first = range[1] + 0
		last = range[2] + 0
		if (last < first || last > 31)
			fail("\"" text "\" is not a set of counters")
		for (k = first; k <= last; k++) {
			if ((shift + k) in seen)
				fail("a counter stands twice in \"" text "\"")
			seen[shift + k] = 1
			if (shift)
				fixed += 2 ^ k
			else
				general += 2 ^ k
		}
	}
	key = sprintf("{ 0x%08X, 0x%08X }", general, fixed)
	if (!(key in set_index)) {
		set_text[++sets] = key
		set_general[sets] = general + 0
		set_index[key] = sets
	}
	return set_index[key]
}

# Where the text begins in the pool of names, after its length.
function name_offset(text)
{
	if (!(text in pool_offset)) {
		pool_offset[text] = pool_size + 1
		pool_text[++pool_count] = text
		pool_size += length(text) + 2
	}
	return pool_offset[text]
}

function extra_index(text)
{
	if (!(text in extra_of)) {
		extra_text[++extras] = text
		extra_of[text] = extras
	}
	return extra_of[text]
}

function high_index(bits)
{
	if (!(bits in high_of)) {
		high_text[++highs] = bits
		high_of[bits] = highs
	}
	return high_of[bits]
}

function check_name(text)
{
	if (text !~ /^[A-Za-z0-9_.-]+$/ || length(text) > 127)
		fail("\"" text "\" can't be a name")
}

function escr_number(text)
{
	if (!(text in escr))
		fail("\"" text "\" is not an ESCR")
	return escr[text]
}

# Fields from the nth on: sets the a_* variables.
function attributes(n,    i, key, value, parts)
{
	a_set = a_cmask = a_inv = a_edge = a_any = a_eq = a_pebs_only = a_default = a_bitmask = a_twin = a_alone = 0
	a_umask = a_tag = a_high = a_sbi = 0
	a_code = a_msr = a_escr = a_cccr = a_pebs = a_vert = ""
	for (i = n; i <= NF; i++) {
		key = value = $i
		sub(/=.*/, "", key)
		if (!sub(/^[^=]*=/, "", value))
			value = ""
		if (key == "ctr")
			a_set = counter_set(value)
		else if (key == "cmask" && value ~ /^[0-9]+$/ && value + 0 < 256)
			a_cmask = value + 0
		else if (key == "inv" && value == "")
			a_inv = 1
		else if (key == "edge" && value == "")
			a_edge = 1
		else if (key == "any" && value == "")
			a_any = 1
		else if (key == "eq" && value == "")
			a_eq = 1
		else if (key == "pebs" && value == "")
			a_pebs_only = 1
		else if (key == "sbi" && value == "")
			a_sbi = 1
		else if (key == "default" && value == "")
			a_default = 1
		else if (key == "alone" && value == "")
			a_alone = 1
		else if (key == "twin" && value == "")
			a_twin = 1
		else if (key == "type" && value == "bitmask")
			a_bitmask = 1
		else if (key == "umask")
			a_umask = hex(value)
		else if (key == "high")
			a_high = hex(value)
		else if (key == "code")
			a_code = value
		else if (key == "msr" && split(value, parts, ":") == 2)
			a_msr = sprintf("{ 0x%X, 0, %sull }", hex(parts[1]), literal(parts[2]))
		else if (key == "perf" && value != "")
			a_msr = sprintf("{ 0, 0, %sull }", literal(value))
		else if (key == "escr")
			a_escr = value
		else if (key == "cccr")
			a_cccr = number(value, 7)
		else if (key == "tag")
			a_tag = value ~ /^0x/ ? hex(value) : number(value, 15)
		else if (key == "pebs")
			a_pebs = literal(value)
		else if (key == "vert")
			a_vert = literal(value)
		else
			fail("\"" $i "\" is not understood")
	}
	if (layout == "p4" && a_set)
		fail("the counters of P4 are those that reach the ESCR")
	if (a_sbi && layout != "raw")
		fail("only raw codes can be the SBI's")
	if (a_umask > 255 || a_high > 255)
		fail("a unit mask has 8 bits")
}

# The bits that the attributes set in an event select, with this event number and unit mask.
function select_bits(code, umask,    bits)
{
	if (layout == "plain" || layout == "raw")
		return code
	if (layout == "power" && $1 != "event")
		fail("events of POWER have no masks, nor other ways")
	if (layout == "power")
		return hex(lower_half())
	if (layout == "p4")
		return code * 33554432 + umask * 512 + (a_tag ? a_tag * 32 + 16 : 0)
	bits = code % 256 + umask * 256 + a_edge * 262144 + a_any * 2097152 + a_inv * 8388608 + a_cmask * 16777216
	return bits
}

function select_high(code)
{
	if (layout == "raw")
		return a_sbi ? 32768 : 0
	if (layout == "power")
		return power_high()
	if (layout != "p6" && layout != "amd" && code > 65535)
		fail("the code is too large")
	if (layout == "p6" && code > 255 || layout == "amd" && code > 4095 || layout == "p4" && code > 63)
		fail("the code is too large for the event select")
	return (layout == "amd" ? int(code / 256) : 0) + a_high * 256 + a_eq * 16
}

# The lower 32 bits of a code that is longer than a number of awk's is exact.
function lower_half()
{
	return length($3) > 10 ? "0x" substr($3, length($3) - 7) : $3
}

# Of the bits above, a code has 44-32, or 59-45, which are told by bit 15.
function power_high(    high)
{
	high = length($3) > 10 ? hex(substr($3, 1, length($3) - 8)) : 0
	if (high < 8192)
		return high
	if (high % 8192 || high >= 268435456)
		fail("there is no room for these bits")
	return 32768 + high / 8192
}

# A POWER's code names its counter, from 1 on, in bits 19-16; 0 is the file's counters.
function power_set(    pmc)
{
	pmc = int(hex(lower_half()) / 65536) % 16
	return pmc ? counter_set(pmc - 1) : 0
}

# "p6 core*" -> the regular expression of the ids.
function pattern(words, from,    i, text)
{
	for (i = from; i in words; i++) {
		if (words[i] !~ /^[a-z0-9_*-]+$/)
			fail("\"" words[i] "\" can't be the name of tables")
		text = text (i > from ? "|" : "") words[i]
	}
	gsub(/\*/, ".*", text)
	return "^(" text ")$"
}

# A line of a file *.desc: "for TABLE..." or "NAME TEXT".
function read_text(    text, words)
{
	if ($1 == "for" && NF > 1) {
		split($0, words, " ")
		section_tables[++sections] = pattern(words, 2)
		section_isa[sections] = isa
		return
	}
	text = $0
	sub(/^[ \t]*[^ \t]+[ \t]+/, "", text)
	sub(/[ \t]+$/, "", text)
	if ($1 !~ /^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$/ && $1 !~ /^\*:[A-Za-z0-9_.-]+$/)
		fail("\"" $1 "\" is not EVENT, EVENT:MASK or *:MASK")
	if (!sections || section_isa[sections] != isa)
		fail("\"for\" must come first")
	if (NF < 2 || length(text) > 90 || text ~ /[^ -~]|["\\]|  /)
		fail("a description has 1 to 90 characters")
	if ((sections, $1) in section_text)
		fail("\"" $1 "\" is described twice")
	section_text[sections, $1] = text
	section_line[sections, $1] = FILENAME ":" FNR
}

# A line of a file *.alias: "for TABLE...", "pmu NAME", a name and what it stands for, or one of a table.
function read_alias(    words, i)
{
	if ($1 == "for" && NF > 1) {
		split($0, words, " ")
		alias_for = pattern(words, 2)
		return
	}
	i = $1 ~ /^(event|group|mask|also)$/
	alias_second[aliases + 1] = NF == 3 && $3 == "second"
	if (alias_for == "" || NF != 2 + alias_second[aliases + 1] && !i)
		fail("\"for\" must come first, and then lines of two names")
	if (!i)
		check_alias()
	aliases++
	alias_isa[aliases] = isa
	alias_tables[aliases] = alias_for
	alias_name[aliases] = $1 ~ /^(pmu|default)$/ || i ? $2 : $1
	alias_of[aliases] = $1 == "pmu" ? "" : $2
	alias_kind[aliases] = i ? "line" : $1 ~ /^(pmu|default)$/ ? $1 : ""
	alias_text[aliases] = $0
	alias_line[aliases] = FILENAME ":" FNR
}

function check_alias(    i)
{
	for (i = 1; i <= 2; i++)
		if ($i !~ /^[A-Za-z0-9_-]+(:[A-Za-z0-9_.-]+)?$/ || length($i) > 127)
			fail("\"" $i "\" is neither EVENT nor EVENT:MASK")
}

# The sections that are for the table which begins.
function choose_sections(    i)
{
	split("", chosen)
	chosen_n = 0
	for (i = sections; i > 0; i--)
		if (section_isa[i] == isa && id ~ section_tables[i])
			chosen[++chosen_n] = i
}

# The text of the name: of the last section that has it.
function find_text(key,    i)
{
	for (i = 1; i <= chosen_n; i++)
		if ((chosen[i], key) in section_text) {
			delete section_line[chosen[i], key]
			return text_number(section_text[chosen[i], key])
		}
	return 0
}

function text_number(text)
{
	if (!(text in text_of)) {
		text_of[text] = ++texts
		text_text[texts] = text
	}
	return text_of[text]
}

# Adds the description of a record: an event, or a mask, which "*" may stand before.
function describe(kind, name,    n)
{
	if (kind == "EVENT")
		return find_text(name)
	n = find_text(r_name[last_event] ":" name)
	return n ? n : find_text("*:" name)
}

# The words that shorten the texts most, each for one byte: 128 to 255, then 1 to 31.
function choose_words(    i, k, n, parts, count, word, best)
{
	for (i = 1; i <= texts; i++) {
		n = split(text_text[i], parts, " ")
		for (k = 1; k <= n; k++)
			count[parts[k]]++
	}
	for (word_count = 0; word_count < 159; word_count++) {
		best = ""
		for (word in count)
			if (length(word) < 16 &&
			    (best == "" || gain(count, word) > gain(count, best) ||
			     gain(count, word) == gain(count, best) && word < best))
				best = word
		if (best == "")
			break
		word_text[word_count] = best
		word_number[best] = word_count
		delete count[best]
	}
}

function gain(count, word)
{
	return count[word] * length(word)
}

function word_byte(n)
{
	return n < 128 ? 128 + n : n - 127
}

# The text as a string of C, and its length. A word's byte stands for the blank before it, too.
function shortened(text,    parts, n, k, result)
{
	n = split(text, parts, " ")
	result = ""
	text_length = 0
	for (k = 1; k <= n; k++) {
		if (parts[k] in word_number) {
			result = result sprintf("\\%03o", word_byte(word_number[parts[k]]))
			text_length++
		} else {
			result = result (k > 1 ? " " : "") parts[k]
			text_length += (k > 1) + length(parts[k])
		}
	}
	return result
}

# A text that another one ends with lies there. The longest are the first to be looked at.
function share_texts(    i, k, n, size, parts, ending, owner)
{
	for (size = 90; size > 0; size--)
		for (i = 1; i <= texts; i++) {
			if (length(text_text[i]) != size)
				continue
			n = split(text_text[i], parts, " ")
			if (text_text[i] in owner) {
				text_owner[i] = owner[text_text[i]]
				continue
			}
			ending = ""
			for (k = n; k > 0; k--) {
				ending = parts[k] (k < n ? " " : "") ending
				if (!(ending in owner))
					owner[ending] = i
			}
		}
}

function print_texts(    i, offset, text)
{
	choose_words()
	share_texts()
	print "\nconst char perfctr_event_words[] ="
	for (i = 0; i < word_count; i++)
		printf "\t\"%s\\0\"\n", word_text[i]
	print "\t\"\";\n\nconst char perfctr_event_texts[] =\n\t\"\\0\""
	offset = 1
	for (i = 1; i <= texts; i++) {
		text = shortened(text_text[i])
		text_end[i] = text_length
		if (i in text_owner)
			continue
		text_offset[i] = offset
		printf "\t\"%s\\0\"\n", text
		offset += text_length + 1
	}
	for (i in text_owner)
		text_offset[i] = text_offset[text_owner[i]] + text_end[text_owner[i]] - text_end[i]
	if (offset > 65536)
		fail("the descriptions are too long, all together")
	print "\t\"\";"
	for (i = 1; i <= shared; i++)
		s_text[i] = s_text[i] ? text_offset[s_text[i]] : 0
	print_list("uint16_t perfctr_event_text_of", s_text, shared + 1)
}

# Prints the first n numbers of a list, of which those that are not set are 0.
function print_list(what, list, n,    i)
{
	printf "\nconst %s[] = {", what
	for (i = 0; i < n; i++)
		printf "%s%d,", i % 16 ? " " : "\n\t", list[i]
	print "\n};"
}

# Fails if a description is of no record of a table.
function check_texts(    key, parts)
{
	for (key in section_line) {
		split(key, parts, SUBSEP)
		printf "%s: no table of these has \"%s\"\n", section_line[key], parts[2] >"/dev/stderr"
		failed = 1
	}
	if (failed)
		exit 1
}

function record(kind, name, bits, high, flags)
{
	r++
	r_text[r] = kind == "ALSO" || hidden ? 0 : describe(kind, name)
	r_name[r] = name
	r_kind[r] = kind
	r_bits[r] = bits
	r_high[r] = high_index(high)
	r_extra[r] = a_extra
	r_flags[r] = flags
	r_set[r] = a_set
}

# The union of the bits of two numbers below 2^32.
function either(a, b,    bit, n)
{
	for (bit = 1; a >= bit || b >= bit; bit *= 2)
		if (int(a / bit) % 2 || int(b / bit) % 2)
			n += bit
	return n + 0
}

function has_flag(record_number, flag)
{
	return int(r_flags[record_number] / flag) % 2
}

# Adds a record after the table's own, at a distance from its event; the a_* variables are set.
function add_record(kind, name, bits, high, back, flags)
{
	last_event = r + 1 - back
	record("ALSO", name, bits, high, flags)
	r_kind[r] = kind
	r_back[r] = back
}

# A record once more, by this name.
function copy_record(name, from, back, flags)
{
	a_extra = r_extra[from]
	a_set = r_set[from]
	add_record(r_kind[from], name, r_bits[from], high_text[r_high[from]], back, flags)
}

# Copies the selection of another event's mask to a mask of this one; event 0: to an event of its own.
function copy_selection(name, from, event,    other, adds, pebs)
{
	other = from - r_back[from]
	adds = r_kind[from] == "MASK" && !has_flag(from, 4)
	pebs = has_flag(from, 16) || has_flag(other, 16)
	a_extra = r_extra[from] ? r_extra[from] : adds ? r_extra[other] : 0
	a_set = r_set[from]
	add_record(event ? "MASK" : "EVENT", name, either(r_bits[from], adds ? r_bits[other] : 0),
		   either(high_text[r_high[from]], adds ? high_text[r_high[other]] : 0), event ? r + 1 - event : 0, pebs * 16 + (event ? 32 + 4 : 0))
}

# A mask by another name. 0: that can't be said.
function copy_mask(name, from, event,    other)
{
	other = from - r_back[from]
	if (layout == "p4" || has_flag(other, 2) || has_flag(other, 128) || event && has_flag(event, 128))
		return 0
	if (r_kind[from] == "EVENT" && from + 1 - r_back[from + 1] == from)
		return 0
	if (event && event == other && r_kind[from] == "MASK")
		copy_record(name, from, r + 1 - event, r_flags[from] - has_flag(from, 2) * 2)
	else
		copy_selection(name, from, event)
	other = r - r_back[r]
	while (r_kind[++from] == "ALSO")
		copy_record("", from, r + 1 - other, r_flags[from])
	return 1
}

function note_names(first, at,    i, key)
{
	for (i = first; i <= r; i++) {
		if (r_kind[i] != "EVENT" && r_kind[i] != "MASK")
			continue
		key = tolower(key_of(i))
		if (key in at)
			fail("there are two \"" key "\"")
		at[key] = i
	}
}

# The record of the name of an event, in small letters, which may be an alias itself; 0: there is none.
function event_of(name, at,    i)
{
	i = name in at ? at[name] : 0
	return i && i in same ? same[i] : i
}

# The key of "EVENT" or "EVENT:MASK" under the table's own name of the event.
function real_key(name, at,    parts, n, event)
{
	n = split(tolower(name), parts, ":")
	event = event_of(parts[1], at)
	return (event ? tolower(r_name[event]) : parts[1]) (n == 2 ? "." parts[2] : "")
}

# Add a line that says as in a table what the name selects; "mask" may name an event of the table.
function add_line(i, at,    parts)
{
	$0 = alias_text[i]
	if (split($2, parts, ":") == 2) {
		last_event = event_of(tolower(parts[1]), at)
		if (!last_event)
			return 0
		if ($1 != "mask" || has_flag(last_event, 128))
			fail("a mask in groups can't stand here")
		combines = has_flag(last_event, 1)
		last_set = r_set[last_event]
		masks = begins = 0
		$2 = parts[2] == "" ? "\"\"" : parts[2]
	}
	if (!read_line())
		fail("\"" $1 "\" is not understood here")
	return 1
}

# The default of an event that has none.
function add_default(from, event,    i)
{
	for (i = event + 1; i - r_back[i] == event && i < end_of_records; i++)
		if (has_flag(i, 32) && has_flag(i, 2))
			return 0
	r_flags[from] += 2
	return 1
}

# Add the ith alias, if the table has what it stands for, and not the name. Whether it did.
function add_alias(i, at,    name, from, parts, n)
{
	if (alias_kind[i] == "line")
		return add_line(i, at)
	if (alias_kind[i] == "pmu") {
		a_extra = a_set = 0
		add_record("EVENT", alias_name[i] "::", 0, 0, 0, 0)
		return 1
	}
	n = split(alias_name[i], parts, ":")
	from = real_key(alias_of[i], at)
	if (!(from in at))
		return 0
	from = at[from]
	if (alias_kind[i] == "default")
		return from < end_of_records && r_kind[from] == "MASK" && add_default(from, from - r_back[from])
	name = real_key(alias_name[i], at)
	if (name in at || n == 2 && !event_of(tolower(parts[1]), at))
		return 0
	if (n == 1 && r_kind[from] == "EVENT") {
		a_extra = a_set = 0
		add_record("EVENT", alias_name[i], from - first_record, 0, 0, 4 + alias_second[i] * 2)
		same[r] = from
		return 1
	}
	return from < end_of_records && copy_mask(parts[n], from, n == 2 ? event_of(tolower(parts[1]), at) : 0)
}

# The aliases stand after the table's own records. An empty record, which is not printed, is between them.
function add_aliases(    i, at, first, line, fits)
{
	line = $0
	split("", same)
	note_names(first_record, at)
	end_of_records = r + 1
	for (i = 1; i <= aliases; i++) {
		if (!((alias_isa[i], alias_tables[i]) in fits))
			fits[alias_isa[i], alias_tables[i]] = alias_isa[i] == table_isa && id ~ alias_tables[i]
		if (!fits[alias_isa[i], alias_tables[i]])
			continue
		if (r < end_of_records) {
			a_extra = a_set = 0
			add_record("END", "", 0, 0, 0, 0)
		}
		hidden = alias_line[i]
		first = r + 1
		if (add_alias(i, at))
			alias_used[i] = 1
		note_names(first, at)
	}
	hidden = ""
	$0 = line
}

function check_aliases(    i)
{
	for (i = 1; i <= aliases; i++)
		if (!(i in alias_used)) {
			printf "%s: no table of these wants \"%s\" for \"%s\"\n", alias_line[i], alias_name[i], alias_of[i] \
				>"/dev/stderr"
			failed = 1
		}
	if (failed)
		exit 1
}

# The hash of a name as the C code computes it: four bytes at a time, the first one lowest, with bit 5
# set in each, and at last the last four; the product stays below 2^53, where numbers are exact.
function hash(text,    h, i, x, n)
{
	if (text in hash_of)
		return hash_of[text]
	n = length(text)
	for (i = 1; i <= n; i += 4) {
		if (i + 3 > n && n > 4)
			i = n - 3
		x = byte[substr(text, i, 1)] + byte[substr(text, i + 1, 1)] * 256 + \
		    byte[substr(text, i + 2, 1)] * 65536 + byte[substr(text, i + 3, 1)] * 16777216
		h = (h + x) * 742821 % 4294967296
	}
	return hash_of[text] = h
}

function key_of(i)
{
	return r_kind[i] == "EVENT" ? r_name[i] : r_name[i - r_back[i]] "." r_name[i]
}

# Put the table's events into size buckets; the result is how long the ways to its own events are, all together,
# and the longest one.
function fill(size,    i, slot, way, longest, all)
{
	split("", buckets)
	for (i = t_first[tables]; i < orders; i++) {
		slot = order_hash[i] % size
		for (way = 1; slot in buckets; way++)
			slot = (slot + 1) % size
		if (i < t_first[tables] + t_count[tables])
			all += way
		if (way > longest)
			longest = way
		buckets[slot] = order[i]
	}
	return all + longest
}

# Whether all programmable counters of the second set are in the first.
function has_all(set, other,    k, pair)
{
	pair = set SUBSEP other
	if (!(pair in superset)) {
		superset[pair] = 1
		for (k = 0; k < 32; k++)
			if (int(set_general[other] / 2 ^ k) % 2 && !(int(set_general[set] / 2 ^ k) % 2))
				superset[pair] = 0
	}
	return superset[pair]
}

# The set of counters that most of the table's own records have.
function find_usual(    i, count, usual)
{
	usual = r_set[first_record]
	for (i = first_record; i <= r; i++)
		if (++count[r_set[i]] > count[usual])
			usual = r_set[i]
	return usual
}

# Adds a record to those that tables share.
function add_shared(i,    h)
{
	h = int(hash(r_name[i]) / 33554432)
	s_tag[++shared] = r_kind[i] == "EVENT" ? 128 + h : r_kind[i] == "MASK" ? h : 0
	s_text[shared] = r_text[i]
	s_line[shared] = sprintf("{ %d, %d, 0x%X, %d, %d, %d }", name_offset(r_name[i]), r_flags[i], r_bits[i],
				 r_extra[i], r_high[i], r_set[i])
}

# Returns the number of the event, which has these records, among those that tables share.
function share(event, records,    n, i, k, key, members)
{
	if (event in same)
		r_bits[event] = number_of[same[event]]
	n = split(records, members, " ")
	for (k = 1; k <= n; k++) {
		i = members[k]
		key = key r_name[i] "," r_flags[i] "," r_bits[i] "," r_extra[i] "," r_high[i] "," r_set[i] "," r_text[i] ";"
	}
	if (!(key in number_of_key)) {
		number_of_key[key] = shared + 1
		for (k = 1; k <= n; k++)
			add_shared(members[k])
	}
	if (n > 4095)
		fail("the event " r_name[event] " has more masks than there is room for")
	return number_of_key[key]
}

# Makes the table a list of events, each with all that belongs to it: its own masks, which stand together, then
# hidden ones.
function share_events(    i, event, last, records)
{
	for (i = first_record; i <= r; i++) {
		event = i - r_back[i]
		records[event] = records[event] " " i
		if (i > event && last[event] != i - 1)
			r_flags[i] += 256
		else
			last[event] = i
	}
	for (i = first_record; i <= r; i++)
		if (r_kind[i] == "EVENT") {
			order_hash[orders + 0] = hash(r_name[i])
			order[orders++] = number_of[i] = share(i, records[i])
			t_count[tables] += i < end_of_records
		}
}

# Notes the programmable counters that most of the table's own records have, and the records that lack some of them.
function note_usual(usual,    i, event)
{
	t_usual[tables] = sprintf("0x%08X", set_general[usual])
	t_special[tables] = specials + 0
	for (i = first_record; i < end_of_records; i++) {
		event = i - r_back[i]
		if (!has_all(r_set[i], usual))
			special[specials++] = number_of[event] + i - event
	}
	t_specials[tables] = specials - t_special[tables]
}

function end_table(    i, usual, size, try, way, best, shortest)
{
	if (!tables)
		return
	if (first_record > r)
		fail("there is no event")
	usual = find_usual()
	add_aliases()
	t_first[tables] = orders + 0
	share_events()
	note_usual(usual)
	t_all[tables] = orders - t_first[tables]
	if (shared > 65535 || sets > 255 || extras > 65535 || highs > 255 || pool_size > 1048575)
		fail("there is more than the records have room for")
	# Of some sizes, the one in which look-ups are shortest.
	for (try = 0; try < 12; try++) {
		size = int(t_all[tables] * 1.4) + 2 * try + 3
		way = fill(size)
		if (!best || way < shortest) {
			best = size
			shortest = way
		}
	}
	fill(best)
	t_hash[tables] = buckets_all + 0
	t_size[tables] = best
	for (i = 0; i < best; i++)
		all_buckets[buckets_all++] = (i in buckets) ? buckets[i] : 0
}

# An event of a table, or of the aliases.
function read_event(    escrs, i)
{
	check_name($2)
	if ($2 ~ /\./)
		fail("the name of an event has no dot: that separates it from a mask")
	attributes(4)
	if (layout == "")
		fail("\"layout\" must come first")
	if (!a_set && layout == "power")
		a_set = power_set()
	if (!a_set)
		a_set = default_set
	if (!a_set && layout != "p4")
		fail("no set of counters")
	code = layout == "power" ? 0 : hex($3)
	a_extra = a_msr != "" ? extra_index(a_msr) : 0
	if (layout == "p4") {
		if (split(a_escr, escrs, ",") < 1 || a_cccr == "")
			fail("an event of P4 needs escr= and cccr=")
		a_extra = extra_index(sprintf("{ 0x%X, %d, 0x%X }", escr_number(escrs[1]), a_cccr,
				      2 in escrs ? escr_number(escrs[2]) : 0))
		delete escrs[2]
	}
	last_event = r + 1
	last_set = a_set
	last_bits = select_bits(code, a_umask)
	record("EVENT", $2, last_bits, select_high(code),
	       a_bitmask + a_twin * 2 + (layout == "p4") * 8 + a_pebs_only * 16)
	r_back[r] = ways = masks = begins = 0
	combines = a_bitmask
}

function read_group()
{
	if (r_flags[last_event] % 2)
		fail("an event whose masks are in groups has no type itself")
	if (r_flags[last_event] < 128)
		r_flags[last_event] += 128
	begins = masks > 0
	combines = NF == 2
}

function read_mask(    mask)
{
	if ($2 != "\"\"")
		check_name($2)
	attributes(4)
	if (!a_set)
		a_set = last_set
	mask = hex($3)
	if (mask > (layout == "p4" ? 65535 : 255))
		fail("the mask is too large")
	a_extra = a_msr != "" ? extra_index(a_msr) : 0
	if (int(r_flags[last_event] / 2) % 2 && a_msr !~ /0x1A6,/)
		fail("all masks of a twin are values of register 0x1A6")
	if (a_pebs != "")
		a_extra = extra_index(sprintf("{ 0, %s, %s }", a_vert == "" ? 0 : a_vert, a_pebs))
	code = a_code == "" ? 0 : hex(a_code)
	record("MASK", $2 == "\"\"" ? "" : $2, select_bits(code, mask), select_high(code), 32 + combines + a_default * 2 + \
	       (a_code != "") * 4 + a_alone * 8 + a_pebs_only * 16 + begins * 128)
	r_back[r] = r - last_event
	ways = begins = 0
	masks++
}

function read_also()
{
	if (layout == "p4" || ++ways > 3)
		fail(layout == "p4" ? "escr= says all ways of P4" : "there is room for three")
	attributes(3)
	if (!a_set)
		a_set = last_set
	code = hex($2)
	a_extra = a_msr != "" ? extra_index(a_msr) : 0
	record("ALSO", "", select_bits(code, a_umask), select_high(code), 64 + 4 + a_pebs_only * 16)
	r_back[r] = r - last_event
}

# A line about an event. Whether it is one.
function read_line()
{
	if ($1 == "event" && NF >= 3)
		read_event()
	else if ($1 == "group" && last_event && (NF == 1 || NF == 2 && $2 == "type=bitmask"))
		read_group()
	else if ($1 == "mask" && NF >= 3 && last_event)
		read_mask()
	else if ($1 == "also" && NF >= 2 && last_event)
		read_also()
	else
		return 0
	return 1
}

BEGIN {
	split("BSU 3A0 FSB 3A2 FIRM 3A4 FLAME 3A6 DAC 3A8 MOB 3AA PMH 3AC SAAT 3AE U2L 3B0 BPU 3B2 IS 3B4 " \
	      "ITLB 3B6 CRU 3B8 IQ 3BA RAT 3BC SSU 3BE MS 3C0 TBPU 3C2 TC 3C4 IX 3C8 ALF 3CA", words, " ")
	for (i = 1; i in words; i += 2) {
		escr[words[i] "_ESCR0"] = hex("0x" words[i + 1])
		escr[words[i] "_ESCR1"] = hex("0x" words[i + 1]) + 1
	}
	escr["CRU_ESCR2"] = hex("0x3CC")
	escr["CRU_ESCR3"] = hex("0x3CD")
	escr["CRU_ESCR4"] = hex("0x3E0")
	escr["CRU_ESCR5"] = hex("0x3E1")
	for (i = 1; i < 128; i++)
		byte[sprintf("%c", i)] = int(i / 32) % 2 ? i : i + 32
	byte[""] = 0
	high_text[0] = high_of[0] = 0
	extra_text[0] = "{ 0, 0, 0 }"
	set_text[0] = "{ 0, 0 }"
}

FNR == 1 {
	isa = FILENAME
	sub(/\/events\/[^\/]*$/, "", isa)
	sub(/.*\//, "", isa)
}

FILENAME ~ /\.desc$/ {
	sub(/^#.*/, "")
	if (NF)
		read_text()
	next
}

FILENAME ~ /\.alias$/ {
	sub(/#.*/, "")
	if (NF)
		read_alias()
	next
}

FNR == 1 {
	end_table()
	id = FILENAME
	sub(/.*\//, "", id)
	sub(/\.ev$/, "", id)
	if (length(id) > 23)
		fail("the name of the file is too long")
	if (id in ids)
		fail("there is another table of this name")
	ids[id] = 1
	table_isa = isa
	choose_sections()
	t_id[++tables] = id
	first_record = r + 1
	layout = ""
	default_set = 0
	last_event = 0
	has_source = 0
}

/^#/ {
	if (tolower($0) ~ /source:/)
		has_source = 1
}

{ sub(/#.*/, "") }
NF == 0 { next }

$1 == "layout" && NF == 2 {
	if ($2 !~ /^(plain|raw|power|p4|p6|amd)$/)
		fail("there is no layout \"" $2 "\"")
	if (!has_source)
		fail("no comment names the source")
	layout = $2
	next
}

$1 == "counters" && NF == 2 {
	default_set = counter_set($2)
	next
}

read_line() { next }

{ fail("\"" $1 "\" is not understood here") }

END {
	if (failed)
		exit 1
	end_table()
	check_texts()
	check_aliases()
	print "/* Made by scripts/events.awk from the files in arch/<isa>/events; change those. */"
	print "#include \"arch/event-tables.h\""
	print "\nconst char perfctr_event_names[] ="
	for (i = 1; i <= pool_count; i++)
		printf "\t\"\\%03o\" \"%s\\0\"\n", length(pool_text[i]), pool_text[i]
	print "\t;\n\nconst struct perfctr_event_set_of_counters perfctr_event_sets[] = {"
	for (i = 0; i <= sets; i++)
		printf "\t%s,\n", set_text[i]
	print "};\n\nconst struct perfctr_event_extra perfctr_event_extras[] = {"
	for (i = 0; i <= extras; i++)
		printf "\t%s,\n", extra_text[i]
	print "};"
	print_list("uint16_t perfctr_event_highs", high_text, highs + 1)
	print "\nconst struct perfctr_event_record perfctr_event_records[] = {\n\t{ 0, 0, 0, 0, 0, 0 },"
	for (i = 1; i <= shared; i++)
		print "\t" s_line[i] ","
	print "\t{ 0, 0, 0, 0, 0, 0 },\n};"
	s_tag[0] = 128
	for (i = 1; i <= 8; i++)
		s_tag[shared + i] = 128
	print_list("uint8_t perfctr_event_tags", s_tag, shared + 9)
	print_list("uint16_t perfctr_event_listed", order, orders)
	print_list("uint16_t perfctr_event_hash", all_buckets, buckets_all)
	print_list("uint16_t perfctr_event_specials", special, specials)
	print_texts()
	print "\nconst struct perfctr_event_table perfctr_event_tables[] = {"
	for (i = 1; i <= tables; i++)
		sorted[i] = i
	for (i = 2; i <= tables; i++) {
		k = sorted[i]
		for (j = i - 1; j >= 1 && t_id[sorted[j]] "" > t_id[k] ""; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = k
	}
	for (i = 1; i <= tables; i++) {
		k = sorted[i]
		printf "\t{ \"%s\", %d, %d, %d, %d, %d, %s, %d, %d },\n", t_id[k], t_first[k], t_count[k], t_all[k], t_hash[k], t_size[k], \
		       t_usual[k], t_special[k], t_specials[k]
	}
	printf "};\n\nconst unsigned int perfctr_event_table_count = %d;\n", tables
}
