/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page.h - --html: results as a page for a browser, which holds their JSON, a script and a style
 * sheet, and needs nothing else. The calls do nothing if output.name is NULL: no page is wanted.
 * They exit if the file can't be written.
 */
#ifndef PERFCTR_TOOLS_PAGE_H
#define PERFCTR_TOOLS_PAGE_H

#include <stdio.h>
#include "tools/perfex/base/document.h"
#include "tools/perfex/report/output.h"

struct page {
	struct output output;
	FILE *data;	 /* what the run itself has to tell: objects of JSON, one after the other */
	char *text;	 /* of data */
	size_t size;	 /* of text */
	FILE *documents; /* all, as the script takes them */
	char *list;	 /* of documents */
	size_t length;	 /* of list */
};

/* Opens the file before the command runs, as output_open() does. */
void page_open(struct page *page, pid_t pid, bool is_command);

/* Adds all results, or those of an interval. */
void page_results(struct page *page, const struct results *results);

/* Adds a file's text and what was read in it: its objects of JSON. Exits if these are not perfex's.
 */
void page_add(struct page *page, const char *path, const char *text, const struct node *first);

/* Writes all. */
void page_close(struct page *page);

#endif /* PERFCTR_TOOLS_PAGE_H */
