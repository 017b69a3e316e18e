// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names come from files, so nothing in them is trusted: the decoder has limits for its depth, its
 * steps and its output. RFC 2603 and "Symbol Mangling" of the rustc book have the grammar of v0;
 * what is printed is as rustc-demangle prints it with "{:#}".
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tools/perfex/sample/rust.h"

#define DEEPEST	   300	  /* parts within parts */
#define MOST_STEPS 200000 /* of types, paths and constants, those that are repeated included */

struct decoder {
	const char *name; /* after _R */
	size_t at, length;
	char *text;
	size_t n, size;
	bool silent; /* reads without printing */
	bool failed;
	unsigned int depth, steps;
	uint64_t lifetimes; /* that are bound around */
};

/* ---- printing ---- */

static void put(struct decoder *decoder, const char *text, size_t n)
{
	if (decoder->silent || decoder->failed)
		return;
	if (n >= decoder->size - decoder->n) {
		decoder->failed = true;
		return;
	}
	memcpy(decoder->text + decoder->n, text, n);
	decoder->n += n;
	decoder->text[decoder->n] = '\0';
}

static void put_text(struct decoder *decoder, const char *text)
{
	put(decoder, text, strlen(text));
}

static void put_number(struct decoder *decoder, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	put_text(decoder, text);
}

/* Writes a character in UTF-8; false: there is no such one. */
static bool put_character(struct decoder *decoder, uint32_t c)
{
	const char text[] = { (char)(0xF0 | c >> 18), (char)(0x80 | (c >> 12 & 0x3F)),
			      (char)(0x80 | (c >> 6 & 0x3F)), (char)(0x80 | (c & 0x3F)) };
	char one;

	if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		return false;
	if (c < 0x80) {
		one = (char)c;
		put(decoder, &one, 1);
	} else if (c < 0x800) {
		one = (char)(0xC0 | c >> 6);
		put(decoder, &one, 1);
		put(decoder, text + 3, 1);
	} else if (c < 0x10000) {
		one = (char)(0xE0 | c >> 12);
		put(decoder, &one, 1);
		put(decoder, text + 2, 2);
	} else {
		put(decoder, text, 4);
	}
	return true;
}

/* ---- reading ---- */

static char look(const struct decoder *decoder)
{
	return decoder->failed || decoder->at == decoder->length ? '\0'
								 : decoder->name[decoder->at];
}

static char next(struct decoder *decoder)
{
	char c = look(decoder);

	if (c)
		decoder->at++;
	else
		decoder->failed = true;
	return c;
}

static bool eat(struct decoder *decoder, char c)
{
	if (look(decoder) != c)
		return false;
	decoder->at++;
	return true;
}

/* Begins a part, which leave() ends; false: there are too many. */
static bool enter(struct decoder *decoder)
{
	if (++decoder->depth > DEEPEST || ++decoder->steps > MOST_STEPS)
		decoder->failed = true;
	return !decoder->failed;
}

static void leave(struct decoder *decoder)
{
	decoder->depth--;
}

static uint64_t read_decimal(struct decoder *decoder)
{
	uint64_t number = 0;

	if (eat(decoder, '0'))
		return 0;
	if (!isdigit((unsigned char)look(decoder)))
		decoder->failed = true;
	while (isdigit((unsigned char)look(decoder)) && number < UINT32_MAX)
		number = number * 10 + (uint64_t)(next(decoder) - '0');
	return number;
}

static int base62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* "_" is 0, "0_" 1. */
static uint64_t read_base62(struct decoder *decoder)
{
	uint64_t number = 0;

	if (eat(decoder, '_'))
		return 0;
	while (!eat(decoder, '_') && !decoder->failed) {
		int digit = base62(next(decoder));

		if (digit < 0 || __builtin_mul_overflow(number, 62, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			decoder->failed = true;
	}
	return number + 1;
}

/* A number that is left out where it is 0. */
static uint64_t read_optional(struct decoder *decoder, char tag)
{
	return eat(decoder, tag) ? read_base62(decoder) + 1 : 0;
}

struct identifier {
	const char *text;
	size_t n;
	bool is_punycode;
};

static struct identifier read_identifier(struct decoder *decoder)
{
	struct identifier identifier = { .is_punycode = eat(decoder, 'u') };
	uint64_t n = read_decimal(decoder);

	eat(decoder, '_');
	if (decoder->failed || n > decoder->length - decoder->at) {
		decoder->failed = true;
		return (struct identifier){ "", 0, false };
	}
	identifier.text = decoder->name + decoder->at;
	identifier.n = (size_t)n;
	decoder->at += (size_t)n;
	return identifier;
}

/* ---- identifiers ---- */

#define MOST_LETTERS 128

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / points;
	for (; delta > 35 * 26 / 2; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* Reads a number of variable length (RFC 3492); false: it is wrong. */
static bool read_delta(const char **text, const char *end, uint32_t bias, uint32_t *delta)
{
	uint32_t weight = 1, k, digit, threshold;

	for (*delta = 0, k = 36;; k += 36) {
		if (*text == end || weight > UINT32_MAX / 36)
			return false;
		digit = (uint32_t)(isdigit((unsigned char)**text) ? **text - '0' + 26
								  : **text - 'a');
		(*text)++;
		if (digit >= 36 || digit > (UINT32_MAX - *delta) / weight)
			return false;
		*delta += digit * weight;
		threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		if (digit < threshold)
			return true;
		weight *= 36 - threshold;
	}
}

/* Inserts the letters that text has between those of ASCII; returns how many there are, 0: wrong.
 */
static uint32_t read_letters(uint32_t letters[MOST_LETTERS], uint32_t n, const char *text,
			     const char *end)
{
	uint32_t letter = 128, bias = 72, place = 0, delta;
	bool first = true;

	for (; text < end; first = false, place++) {
		if (n == MOST_LETTERS || !read_delta(&text, end, bias, &delta) ||
		    delta > UINT32_MAX - place)
			return 0;
		place += delta;
		bias = adapt(delta, ++n, first);
		if (place / n > 0x10FFFF - letter)
			return 0;
		letter += place / n;
		place %= n;
		memmove(letters + place + 1, letters + place, (n - 1 - place) * sizeof(*letters));
		letters[place] = letter;
	}
	return n;
}

static void put_identifier(struct decoder *decoder, const struct identifier *identifier)
{
	uint32_t letters[MOST_LETTERS], n = 0, i;
	const char *code = identifier->text, *end = code + identifier->n, *last;

	if (!identifier->is_punycode) {
		put(decoder, code, identifier->n);
		return;
	}
	/* The last underscore stands between the letters of ASCII and the code of the others. */
	last = memrchr(code, '_', identifier->n);
	for (; last && code < last && n < MOST_LETTERS; code++)
		letters[n++] = (unsigned char)*code;
	n = read_letters(letters, n, last ? last + 1 : code, end);
	for (i = 0; i < n; i++)
		decoder->failed |= !put_character(decoder, letters[i]);
	decoder->failed |= n == 0;
}

/* ---- types and paths ---- */

static void put_path(struct decoder *decoder, bool in_value);
static void put_type(struct decoder *decoder);
static void put_constant(struct decoder *decoder, bool in_value);

/* Goes on where a number says, and comes back. Nothing is there to be read when nothing is printed.
 */
static void put_again(struct decoder *decoder, void (*part)(struct decoder *decoder, bool in_value),
		      bool in_value)
{
	size_t start = decoder->at - 1, back;
	uint64_t target = read_base62(decoder);

	back = decoder->at;
	if (target >= start)
		decoder->failed = true;
	if (decoder->failed || decoder->silent)
		return;
	decoder->at = (size_t)target;
	part(decoder, in_value);
	decoder->at = back;
}

static void put_type_again(struct decoder *decoder, bool in_value)
{
	(void)in_value;
	put_type(decoder);
}

static void put_lifetime(struct decoder *decoder, uint64_t index)
{
	uint64_t depth = decoder->lifetimes - index;
	char text[3] = "'_";

	if (index > decoder->lifetimes) {
		decoder->failed |= !decoder->silent;
		return;
	}
	if (index && depth < 26)
		text[1] = (char)('a' + depth);
	put_text(decoder, text);
	if (index && depth >= 26)
		put_number(decoder, depth);
}

/* Prints "for<'a, 'b> "; returns how many are bound. */
static uint64_t put_binder(struct decoder *decoder)
{
	uint64_t n = read_optional(decoder, 'G'), i;

	for (i = 0; i < n && !decoder->failed && !decoder->silent; i++) {
		put_text(decoder, i ? ", " : "for<");
		decoder->lifetimes++;
		put_lifetime(decoder, 1);
	}
	if (n && !decoder->silent)
		put_text(decoder, "> ");
	return decoder->silent ? 0 : i;
}

static void put_argument(struct decoder *decoder)
{
	if (eat(decoder, 'L'))
		put_lifetime(decoder, read_base62(decoder));
	else if (eat(decoder, 'K'))
		put_constant(decoder, false);
	else
		put_type(decoder);
}

/* Prints all up to an E; returns how many there are. */
static unsigned int put_list(struct decoder *decoder, void (*part)(struct decoder *decoder),
			     const char *between)
{
	unsigned int n = 0;

	for (; !decoder->failed && !eat(decoder, 'E'); n++) {
		put_text(decoder, n ? between : "");
		part(decoder);
	}
	return n;
}

static void skip_path(struct decoder *decoder)
{
	bool before = decoder->silent;

	decoder->silent = true;
	read_optional(decoder, 's');
	put_path(decoder, false);
	decoder->silent = before;
}

/* A part of a path, in its namespace. */
static void put_nested(struct decoder *decoder, bool in_value)
{
	char space = next(decoder);
	struct identifier identifier;
	uint64_t number;

	if (!isalpha((unsigned char)space))
		decoder->failed = true;
	put_path(decoder, in_value);
	number = read_optional(decoder, 's');
	identifier = read_identifier(decoder);
	if (islower((unsigned char)space)) {
		put_text(decoder, identifier.n ? "::" : "");
		put_identifier(decoder, &identifier);
		return;
	}
	put_text(decoder, "::{");
	if (space == 'C' || space == 'S')
		put_text(decoder, space == 'C' ? "closure" : "shim");
	else
		put(decoder, &space, 1);
	put_text(decoder, identifier.n ? ":" : "");
	put_identifier(decoder, &identifier);
	put_text(decoder, "#");
	put_number(decoder, number);
	put_text(decoder, "}");
}

/* "<type as path>" */
static void put_qualified(struct decoder *decoder, bool has_trait)
{
	put_text(decoder, "<");
	put_type(decoder);
	if (has_trait) {
		put_text(decoder, " as ");
		put_path(decoder, false);
	}
	put_text(decoder, ">");
}

static void put_path_of(struct decoder *decoder, char tag, bool in_value)
{
	struct identifier identifier;

	switch (tag) {
	case 'C':
		read_optional(decoder, 's');
		identifier = read_identifier(decoder);
		put_identifier(decoder, &identifier);
		break;
	case 'N': put_nested(decoder, in_value); break;
	case 'M':
	case 'X': skip_path(decoder); /* fall through */
	case 'Y': put_qualified(decoder, tag != 'M'); break;
	case 'I':
		put_path(decoder, in_value);
		put_text(decoder, in_value ? "::<" : "<");
		put_list(decoder, put_argument, ", ");
		put_text(decoder, ">");
		break;
	case 'B': put_again(decoder, put_path, in_value); break;
	default: decoder->failed = true;
	}
}

static void put_path(struct decoder *decoder, bool in_value)
{
	if (enter(decoder))
		put_path_of(decoder, next(decoder), in_value);
	leave(decoder);
}

static const char *basic_type(char tag)
{
	static const char *const names[26] = {
		['a' - 'a'] = "i8",   ['b' - 'a'] = "bool",  ['c' - 'a'] = "char",
		['d' - 'a'] = "f64",  ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8",   ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
		['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",   ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_",     ['s' - 'a'] = "i16",
		['t' - 'a'] = "u16",  ['u' - 'a'] = "()",    ['v' - 'a'] = "...",
		['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",   ['z' - 'a'] = "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void put_reference(struct decoder *decoder, bool is_mutable)
{
	uint64_t lifetime;

	put_text(decoder, "&");
	if (eat(decoder, 'L')) {
		lifetime = read_base62(decoder);
		if (lifetime) {
			put_lifetime(decoder, lifetime);
			put_text(decoder, " ");
		}
	}
	put_text(decoder, is_mutable ? "mut " : "");
	put_type(decoder);
}

/* Prints extern "abi", whose name has underscores in place of hyphens. */
static void put_abi(struct decoder *decoder)
{
	struct identifier abi = { "C", 1, false };
	size_t i;

	if (!eat(decoder, 'C'))
		abi = read_identifier(decoder);
	decoder->failed |= abi.is_punycode;
	put_text(decoder, "extern \"");
	for (i = 0; i < abi.n; i++)
		put(decoder, abi.text[i] == '_' ? "-" : &abi.text[i], 1);
	put_text(decoder, "\" ");
}

static void put_function(struct decoder *decoder)
{
	uint64_t bound = put_binder(decoder);

	if (eat(decoder, 'U'))
		put_text(decoder, "unsafe ");
	if (eat(decoder, 'K'))
		put_abi(decoder);
	put_text(decoder, "fn(");
	put_list(decoder, put_type, ", ");
	put_text(decoder, ")");
	if (!eat(decoder, 'u')) {
		put_text(decoder, " -> ");
		put_type(decoder);
	}
	decoder->lifetimes -= bound;
}

/* A path whose arguments stay open for what comes after them; returns whether there are some. */
static bool put_open_path(struct decoder *decoder)
{
	size_t start = decoder->at, back;
	uint64_t target;
	bool open = false;

	if (eat(decoder, 'B')) {
		target = read_base62(decoder);
		back = decoder->at;
		decoder->failed |= target >= start;
		if (decoder->failed || decoder->silent || !enter(decoder))
			return false;
		decoder->at = (size_t)target;
		open = put_open_path(decoder);
		decoder->at = back;
		leave(decoder);
	} else if (eat(decoder, 'I')) {
		put_path(decoder, false);
		put_text(decoder, "<");
		put_list(decoder, put_argument, ", ");
		open = true;
	} else {
		put_path(decoder, false);
	}
	return open;
}

static void put_trait(struct decoder *decoder)
{
	bool open = put_open_path(decoder);
	struct identifier name;

	while (eat(decoder, 'p')) {
		put_text(decoder, open ? ", " : "<");
		open = true;
		name = read_identifier(decoder);
		put_identifier(decoder, &name);
		put_text(decoder, " = ");
		put_type(decoder);
	}
	put_text(decoder, open ? ">" : "");
}

static void put_dynamic(struct decoder *decoder)
{
	uint64_t bound, lifetime;

	put_text(decoder, "dyn ");
	bound = put_binder(decoder);
	put_list(decoder, put_trait, " + ");
	decoder->lifetimes -= bound;
	if (!eat(decoder, 'L')) {
		decoder->failed = true;
		return;
	}
	lifetime = read_base62(decoder);
	if (lifetime) {
		put_text(decoder, " + ");
		put_lifetime(decoder, lifetime);
	}
}

static void put_array(struct decoder *decoder, bool has_length)
{
	put_text(decoder, "[");
	put_type(decoder);
	if (has_length) {
		put_text(decoder, "; ");
		put_constant(decoder, true);
	}
	put_text(decoder, "]");
}

static void put_type_of(struct decoder *decoder, char tag)
{
	switch (tag) {
	case 'R':
	case 'Q': put_reference(decoder, tag == 'Q'); break;
	case 'P':
	case 'O':
		put_text(decoder, tag == 'P' ? "*const " : "*mut ");
		put_type(decoder);
		break;
	case 'A':
	case 'S': put_array(decoder, tag == 'A'); break;
	case 'T':
		put_text(decoder, "(");
		put_text(decoder, put_list(decoder, put_type, ", ") == 1 ? ",)" : ")");
		break;
	case 'F': put_function(decoder); break;
	case 'D': put_dynamic(decoder); break;
	case 'B': put_again(decoder, put_type_again, false); break;
	default: decoder->at -= !decoder->failed; put_path(decoder, false);
	}
}

static void put_type(struct decoder *decoder)
{
	char tag;

	if (enter(decoder)) {
		tag = next(decoder);
		if (basic_type(tag))
			put_text(decoder, basic_type(tag));
		else
			put_type_of(decoder, tag);
	}
	leave(decoder);
}

/* ---- constants ---- */

/* Reads digits up to an underscore; returns how many there are without zeros at their begin. */
static size_t read_hex(struct decoder *decoder, const char **digits)
{
	size_t n = 0;

	while (eat(decoder, '0'))
		;
	*digits = decoder->name + decoder->at;
	for (; isxdigit((unsigned char)look(decoder)); n++)
		next(decoder);
	decoder->failed |= !eat(decoder, '_');
	return n;
}

static uint64_t value_of(const char *digits, size_t n)
{
	uint64_t value = 0;

	for (; n; n--, digits++)
		value = value << 4 |
			(uint64_t)(*digits <= '9' ? *digits - '0' : *digits - 'a' + 10);
	return value;
}

static void put_integer(struct decoder *decoder)
{
	const char *digits;
	size_t n = read_hex(decoder, &digits);

	if (n <= 16) {
		put_number(decoder, value_of(digits, n));
		return;
	}
	put_text(decoder, "0x");
	put(decoder, digits, n);
}

/* Prints a character as Rust's source has it between these quotes. */
static void put_escaped(struct decoder *decoder, uint32_t c, char quote)
{
	static const char special[] = "\t\r\n\\", letters[] = "trn\\";
	const char *found = c && c < 0x80 ? strchr(special, (int)c) : NULL;
	char text[16];

	if (found || c == (unsigned char)quote) {
		text[0] = '\\';
		text[1] = found ? letters[found - special] : quote;
		put(decoder, text, 2);
	} else if (c == 0) {
		put_text(decoder, "\\0");
	} else if (c < 0x20 || c == 0x7F) {
		snprintf(text, sizeof(text), "\\u{%x}", c);
		put_text(decoder, text);
	} else {
		decoder->failed |= !put_character(decoder, c);
	}
}

static void put_letter(struct decoder *decoder)
{
	const char *digits;
	size_t n = read_hex(decoder, &digits);

	decoder->failed |= n > 6;
	put_text(decoder, "'");
	if (!decoder->failed)
		put_escaped(decoder, (uint32_t)value_of(digits, n), '\'');
	put_text(decoder, "'");
}

/* Prints a string, whose UTF-8 comes as pairs of digits. Control characters are shown as escapes.
 */
static void put_string(struct decoder *decoder)
{
	const char *digits = decoder->name + decoder->at;
	size_t n = 0, i;

	for (; isxdigit((unsigned char)look(decoder)); n++)
		next(decoder);
	decoder->failed |= !eat(decoder, '_') || n % 2;
	put_text(decoder, "\"");
	for (i = 0; i < n && !decoder->failed; i += 2) {
		uint64_t byte = value_of(digits + i, 2);
		char one = (char)byte;

		if (byte < 0x80)
			put_escaped(decoder, (uint32_t)byte, '"');
		else
			put(decoder, &one, 1);
	}
	put_text(decoder, "\"");
}

static void put_element(struct decoder *decoder)
{
	put_constant(decoder, true);
}

static void put_field(struct decoder *decoder)
{
	struct identifier name;

	read_optional(decoder, 's');
	name = read_identifier(decoder);
	put_identifier(decoder, &name);
	put_text(decoder, ": ");
	put_constant(decoder, true);
}

/* A value of a struct or an enum. */
static void put_variant(struct decoder *decoder)
{
	put_path(decoder, true);
	switch (next(decoder)) {
	case 'U': break;
	case 'T':
		put_text(decoder, "(");
		put_list(decoder, put_element, ", ");
		put_text(decoder, ")");
		break;
	case 'S':
		put_text(decoder, " { ");
		put_list(decoder, put_field, ", ");
		put_text(decoder, " }");
		break;
	default: decoder->failed = true;
	}
}

static void put_pointed(struct decoder *decoder, char tag)
{
	if (tag == 'R' && eat(decoder, 'e')) {
		put_string(decoder);
		return;
	}
	put_text(decoder, tag == 'R' ? "&" : "&mut ");
	put_constant(decoder, true);
}

/* Constants of several parts have braces where they are arguments. */
static void put_compound(struct decoder *decoder, char tag)
{
	switch (tag) {
	case 'e':
		put_text(decoder, "*");
		put_string(decoder);
		break;
	case 'R':
	case 'Q': put_pointed(decoder, tag); break;
	case 'A':
		put_text(decoder, "[");
		put_list(decoder, put_element, ", ");
		put_text(decoder, "]");
		break;
	case 'T':
		put_text(decoder, "(");
		put_text(decoder, put_list(decoder, put_element, ", ") == 1 ? ",)" : ")");
		break;
	case 'V': put_variant(decoder); break;
	default: decoder->failed = true;
	}
}

static void put_truth(struct decoder *decoder)
{
	const char *digits;
	size_t n = read_hex(decoder, &digits);

	decoder->failed |= n > 1 || (n && *digits != '1');
	put_text(decoder, n ? "true" : "false");
}

static void put_constant_of(struct decoder *decoder, char tag, bool in_value)
{
	bool is_string = tag == 'R' && look(decoder) == 'e';

	if (tag && strchr("aslxni", tag) && eat(decoder, 'n'))
		put_text(decoder, "-");
	if (tag && strchr("aslxnihtmyoj", tag)) {
		put_integer(decoder);
	} else if (tag == 'p') {
		put_text(decoder, "_");
	} else if (tag == 'b') {
		put_truth(decoder);
	} else if (tag == 'c') {
		put_letter(decoder);
	} else if (tag == 'B') {
		put_again(decoder, put_constant, in_value);
	} else {
		put_text(decoder, in_value || is_string ? "" : "{");
		put_compound(decoder, tag);
		put_text(decoder, in_value || is_string ? "" : "}");
	}
}

static void put_constant(struct decoder *decoder, bool in_value)
{
	if (enter(decoder))
		put_constant_of(decoder, next(decoder), in_value);
	leave(decoder);
}

/* ---- symbols ---- */

/* What LLVM or GCC have added stays, but for LLVM's number of the unit, which differs. */
static void put_suffix(struct decoder *decoder, const char *suffix)
{
	const char *llvm = strstr(suffix, ".llvm.");
	size_t n = llvm ? (size_t)(llvm - suffix) : strlen(suffix);

	if (*suffix && *suffix != '.')
		decoder->failed = true;
	put(decoder, suffix, n);
}

static void put_v0(struct decoder *decoder)
{
	if (isdigit((unsigned char)look(decoder)))
		decoder->failed = true; /* a later version */
	put_path(decoder, true);
	/* The crate that needed it. */
	if (isupper((unsigned char)look(decoder))) {
		decoder->silent = true;
		put_path(decoder, false);
		decoder->silent = false;
	}
	if (!decoder->failed && decoder->at != decoder->length)
		decoder->failed = true;
}

static bool is_hash(const char *text, size_t n)
{
	return n == 17 && *text == 'h' && strspn(text + 1, "0123456789abcdef") >= 16;
}

/* Replaces an escape, such as $LT$ and $u20$; returns its length, 0: it is none. */
static size_t put_escape(struct decoder *decoder, const char *text, size_t n)
{
	static const char *const escapes[][2] = { { "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" },
						  { "$LT$", "<" }, { "$GT$", ">" }, { "$LP$", "(" },
						  { "$RP$", ")" }, { "$C$", "," } };
	const char *end;
	uint32_t letter;
	unsigned int i;

	for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		size_t length = strlen(escapes[i][0]);

		if (n >= length && !memcmp(text, escapes[i][0], length)) {
			put_text(decoder, escapes[i][1]);
			return length;
		}
	}
	end = n > 3 && text[1] == 'u' ? memchr(text + 2, '$', n - 2) : NULL;
	if (!end || end == text + 2 || end - text > 8 ||
	    strspn(text + 2, "0123456789abcdef") != (size_t)(end - text - 2))
		return 0;
	letter = (uint32_t)value_of(text + 2, (size_t)(end - text - 2));
	if (letter < 0x20 || letter == 0x7F || !put_character(decoder, letter))
		return 0;
	return (size_t)(end - text) + 1;
}

static void put_legacy_part(struct decoder *decoder, const char *text, size_t n)
{
	size_t length;

	if (n > 1 && text[0] == '_' && text[1] == '$') {
		text++;
		n--;
	}
	for (; n; text += length, n -= length) {
		length = *text == '$' ? put_escape(decoder, text, n) : 0;
		if (length)
			continue;
		if (*text == '$') { /* what is unknown stays as it is, with all after it */
			put(decoder, text, n);
			return;
		}
		length = n > 1 && text[0] == '.' && text[1] == '.' ? 2 : 1;
		put(decoder, length == 2 ? "::" : text, length);
	}
}

/* Lengths and parts, of which the last one is a hash. */
static void put_legacy(struct decoder *decoder)
{
	struct identifier last = { NULL, 0, false };
	unsigned int parts = 0;
	uint64_t n;

	while (!decoder->failed && !eat(decoder, 'E')) {
		if (parts++) {
			put_text(decoder, parts > 2 ? "::" : "");
			put_legacy_part(decoder, last.text, last.n);
		}
		n = read_decimal(decoder);
		last.text = decoder->name + decoder->at;
		last.n = n > decoder->length - decoder->at ? 0 : (size_t)n;
		if (!last.n)
			decoder->failed = true;
		decoder->at += last.n;
	}
	if (parts < 2 || !is_hash(last.text, last.n))
		decoder->failed = true;
}

bool rust_demangle(const char *name, char *text, size_t size)
{
	struct decoder decoder = { .text = text, .size = size };
	bool is_v0 = !strncmp(name, "_R", 2);

	if (!is_v0 && strncmp(name, "_ZN", 3) != 0)
		return false;
	decoder.name = name + (is_v0 ? 2 : 3);
	/* A part of a legacy name may have dots; what comes after its end is read then. */
	decoder.length = is_v0 ? strcspn(decoder.name, ".") : strlen(decoder.name);
	if (is_v0)
		put_v0(&decoder);
	else
		put_legacy(&decoder);
	put_suffix(&decoder, decoder.name + decoder.at);
	return !decoder.failed && decoder.n;
}
