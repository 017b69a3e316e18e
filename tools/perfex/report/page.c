// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/quote.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/outfile.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/report/embedded.h"
#include "tools/perfex/report/page.h"
#include "tools/perfex/report/formats.h"

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
	"'none'\">\n"
	"<title>perfex</title>\n"
	"<style>\n";

static const char body[] =
	"</style>\n"
	"</head>\n"
	"<body>\n"
	"<a class=\"skip\" href=\"#main\">To the results</a>\n"
	"<noscript><p>A script of this page shows the results, and it may not run here; they are "
	"JSON in the page's source.</p></noscript>\n"
	"<main id=\"main\"></main>\n"
	"<script type=\"application/json\" id=\"data\">";

static const char script[] = "</script>\n<script>\n";

static const char end[] = "</script>\n</body>\n</html>\n";

/* ---- documents ---- */

/* Whether a letter ends lines for JavaScript, or turns its neighbours around for who reads this. */
static bool is_tricky(const char *letter, unsigned int n)
{
	const unsigned char *byte = (const unsigned char *)letter;

	return n == 3 && byte[0] == 0xE2 &&
	       ((byte[1] == 0x80 && byte[2] >= 0xA8 && byte[2] <= 0xAE) ||
		(byte[1] == 0x81 && byte[2] >= 0xA6 && byte[2] <= 0xA9));
}

/*
 * Writes a letter of a string, so that no word ends the element in which the data lie, and nothing
 * is taken for another thing. Returns the bytes of the letter.
 */
static unsigned int put_letter(FILE *file, const char *letter)
{
	unsigned int n = perfctr_utf8_length(letter);

	if (n == 0)
		fputs("\xEF\xBF\xBD", file);
	else if (*letter == '<' || *letter == '>' || *letter == '&')
		fprintf(file, "\\u%04x", (unsigned int)*letter);
	else if (is_tricky(letter, n))
		fprintf(file, "\\u%04x",
			0x2000u | ((unsigned char)letter[1] & 0x3Fu) << 6 |
				((unsigned char)letter[2] & 0x3Fu));
	else
		fwrite(letter, 1, n, file);
	return n ? n : 1;
}

/* Writes a string of JSON, which is right, and returns its length. */
static size_t put_string(FILE *file, const char *text)
{
	size_t n = 1;

	fputc('"', file);
	while (text[n] && text[n] != '"') {
		if (text[n] == '\\')
			fputc(text[n++], file);
		n += put_letter(file, text + n);
	}
	fputc('"', file);
	return n + (text[n] == '"');
}

/* Writes objects of JSON that stand one after the other as elements of an array. */
static void put_documents(FILE *file, const char *text)
{
	unsigned int depth = 0;
	bool first = true;

	while (*text) {
		if (*text == '"') {
			text += put_string(file, text);
			continue;
		}
		if (*text == '{' && depth++ == 0) {
			fputs(first ? "" : ",\n", file);
			first = false;
		}
		depth -= *text == '}';
		fputc(*text++, file);
	}
}

/* Adds the documents of a source: of a file, or (NULL) of this run. */
static void add_source(struct page *page, const char *name, const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *file;

	fputs(ftell(page->documents) > 0 ? ",\n{\"source\":" : "{\"source\":", page->documents);
	if (name) {
		file = need(open_memstream(&quoted, &size));
		text_json(file, "", name);
		if (fclose(file) != 0)
			need(NULL);
		put_string(page->documents, quoted);
		free(quoted);
	} else {
		fputs("null", page->documents);
	}
	fputs(",\"documents\":[", page->documents);
	put_documents(page->documents, text);
	fputs("]}", page->documents);
}

void page_add(struct page *page, const char *path, const char *text, const struct node *first)
{
	const struct node *node;
	const char *own = page->output.path ? page->output.path : page->output.name;

	/* Standard output is no file, and a source may have that name. */
	if (strcmp(own, "-") != 0 && outfile_same(own, path))
		die("--html: %s is a file that the page is made of, and would be lost", own);
	for (node = first; node; node = node->next)
		if (!node_member(node, "type", PERFCTR_JSON_STRING))
			die("--html: %s is not a file of perfex --json: line %u: there is no object "
			    "with a \"type\"",
			    path, node->line);
	add_source(page, path, text);
}

/* ---- the page ---- */

void page_open(struct page *page, pid_t pid, bool is_command)
{
	if (!page->output.name || page->data)
		return;
	output_open(&page->output, pid, is_command);
	page->data = need(open_memstream(&page->text, &page->size));
	page->documents = need(open_memstream(&page->list, &page->length));
}

void page_results(struct page *page, const struct results *results)
{
	if (page->data)
		json_print(page->data, results);
}

void page_close(struct page *page)
{
	if (!page->data)
		return;
	if (fclose(page->data) != 0)
		need(NULL);
	if (page->size)
		add_source(page, NULL, page->text);
	if (fclose(page->documents) != 0)
		need(NULL);
	fputs(head, page->output.file);
	fputs(page_style, page->output.file);
	fputs(body, page->output.file);
	fprintf(page->output.file, "[%s]", page->list);
	fputs(script, page->output.file);
	fputs(page_script, page->output.file);
	fputs(end, page->output.file);
	output_close(&page->output);
	free(page->text);
	free(page->list);
}
