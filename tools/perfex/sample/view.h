/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * view.h - opens the files of sampled processes, as these see them: by their roots and mount
 * namespaces, which stay until the end. A file is compared with the one that was mapped.
 */
#ifndef PERFCTR_TOOLS_VIEW_H
#define PERFCTR_TOOLS_VIEW_H

#include <libperfctr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;
struct views;

struct views *views_new(void);
void views_free(struct views *views);

/* The view of a process that runs; NULL: it has ended, or this user may not look at it. */
const struct view *views_process(struct views *views, uint32_t pid);

/* A view of a mount namespace, by its inode; NULL: none is known. */
const struct view *views_namespace(const struct views *views, uint64_t inode);

/* perfex's own. */
const struct view *views_own(const struct views *views);

/*
 * Writes the directory in /proc of a process, or of one of its threads if the first has ended, in
 * which there are its maps and its root.
 */
void view_directory(uint32_t pid, char *path, size_t size);

/* The number that a process has for itself, in its own PID namespace; pid if it has ended. */
uint32_t view_inner_pid(uint32_t pid);

/*
 * Opens a regular file of a view to be read, within its root; the last part of the path may be a
 * link if links is true. -1: there is none. A pipe or a device is not even opened.
 */
int view_open(const struct view *view, const char *path, bool links);

enum view_result {
	VIEW_FOUND,
	VIEW_REPLACED, /* the file of that name is another one */
	VIEW_UNSEEN, /* there is no file of that name, or not in a namespace that can be entered */
};

/*
 * Opens the file that a process has mapped: the one with the mapping's build ID, or else with its
 * device and inode. view: NULL if it is not known; then the file must be perfex's own one.
 */
enum view_result view_open_mapped(const struct views *views, const struct view *view,
				  const struct perfctr_record_mmap *mmap, int *fd);

#endif /* PERFCTR_TOOLS_VIEW_H */
