// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/view.h"

#define MOST_VIEWS 128 /* with two descriptors each */

struct view {
	int root, mounts; /* of the directory, and of the namespace, whose mounts it keeps */
	dev_t device;	  /* the root's */
	ino_t inode;
	ino_t number; /* the mount namespace's inode */
};

struct views {
	struct view own;
	size_t n, most;
	struct view *view[MOST_VIEWS];
};

/* ---- processes ---- */

/* Whether there is something to see. A process may be another user's. */
static bool has_root(const char *directory)
{
	char path[80];
	struct stat stat;

	snprintf(path, sizeof(path), "%s/root", directory);
	return lstat(path, &stat) == 0 &&
	       (readlink(path, (char[1]){ 0 }, 1) > 0 || errno != ENOENT);
}

void view_directory(uint32_t pid, char *path, size_t size)
{
	char list[32];
	const struct dirent *entry;
	bool found;
	DIR *tasks;

	snprintf(path, size, "/proc/%u", pid);
	if (has_root(path))
		return;
	snprintf(list, sizeof(list), "/proc/%u/task", pid);
	tasks = opendir(list);
	found = false;
	while (tasks && !found && (entry = readdir(tasks))) {
		snprintf(path, size, "%s/%.10s", list, entry->d_name);
		found = *entry->d_name != '.' && has_root(path);
	}
	if (tasks)
		closedir(tasks);
	if (!found)
		snprintf(path, size, "/proc/%u", pid);
}

uint32_t view_inner_pid(uint32_t pid)
{
	char path[32], line[256], *last;
	uint32_t inner = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		last = strrchr(line, '\t');
		if (!strncmp(line, "NStgid:", 7) && last)
			inner = (uint32_t)strtoul(last, NULL, 10);
	}
	if (file)
		fclose(file);
	return inner;
}

/* ---- views ---- */

static bool is_view(const struct view *view, const struct stat *root, const struct stat *mounts)
{
	return view->device == root->st_dev && view->inode == root->st_ino &&
	       view->number == mounts->st_ino;
}

struct views *views_new(void)
{
	struct views *views = need(calloc(1, sizeof(*views)));
	struct rlimit limit = { 0, 0 };
	struct stat root = { .st_dev = 0 }, mounts = { .st_dev = 0 };

	views->own.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	views->own.mounts = -1;
	if (fstat(views->own.root, &root) < 0 || stat("/proc/self/ns/mnt", &mounts) < 0)
		mounts.st_ino = 0;
	views->own.device = root.st_dev;
	views->own.inode = root.st_ino;
	views->own.number = mounts.st_ino;
	getrlimit(RLIMIT_NOFILE, &limit);
	views->most = limit.rlim_cur / 8 < MOST_VIEWS ? (size_t)limit.rlim_cur / 8 : MOST_VIEWS;
	return views;
}

static void free_view(struct view *view)
{
	if (view->root >= 0)
		close(view->root);
	if (view->mounts >= 0)
		close(view->mounts);
}

void views_free(struct views *views)
{
	size_t i;

	for (i = 0; i < views->n; i++) {
		free_view(views->view[i]);
		free(views->view[i]);
	}
	free_view(&views->own);
	free(views);
}

const struct view *views_own(const struct views *views)
{
	return &views->own;
}

const struct view *views_namespace(const struct views *views, uint64_t inode)
{
	size_t i;

	if (views->own.number == inode)
		return &views->own;
	for (i = 0; i < views->n; i++)
		if (views->view[i]->number == inode)
			return views->view[i];
	return NULL;
}

/* Opens both, which are those that are there now; NULL: there are none. */
static const struct view *add_view(struct views *views, const char *root, const char *mounts)
{
	struct view view = { .root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC),
			     .mounts = open(mounts, O_RDONLY | O_CLOEXEC) };
	struct stat of_root, of_mounts;

	if (views->n == views->most || fstat(view.root, &of_root) < 0 ||
	    fstat(view.mounts, &of_mounts) < 0) {
		free_view(&view);
		return NULL;
	}
	view.device = of_root.st_dev;
	view.inode = of_root.st_ino;
	view.number = of_mounts.st_ino;
	views->view[views->n] = need(malloc(sizeof(view)));
	*views->view[views->n] = view;
	return views->view[views->n++];
}

const struct view *views_process(struct views *views, uint32_t pid)
{
	char directory[64], root[80], mounts[80];
	struct stat of_root, of_mounts;
	size_t i;

	view_directory(pid, directory, sizeof(directory));
	snprintf(root, sizeof(root), "%s/root", directory);
	snprintf(mounts, sizeof(mounts), "%s/ns/mnt", directory);
	if (stat(root, &of_root) < 0 || stat(mounts, &of_mounts) < 0)
		return NULL;
	if (is_view(&views->own, &of_root, &of_mounts))
		return &views->own;
	for (i = 0; i < views->n; i++)
		if (is_view(views->view[i], &of_root, &of_mounts))
			return views->view[i];
	return add_view(views, root, mounts);
}

/* ---- files ---- */

/* Finds a file within the root, where links of the process's lead to its own files; Linux 5.6. */
static int find_file(const struct view *view, const char *path, bool links)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (links ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	unsigned int tries = 100; /* it fails while directories are moved */
	int fd;

	do
		fd = (int)syscall(SYS_openat2, view->root, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && --tries);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM) && view->mounts < 0)
		fd = open(path, O_PATH | O_CLOEXEC | (links ? 0 : O_NOFOLLOW));
	return fd;
}

int view_open(const struct view *view, const char *path, bool links)
{
	int place = find_file(view, path, links), fd = -1;
	char name[32];

	if (place < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = elf_open_file(name);
	close(place);
	return fd;
}

/* ---- files that are mapped ---- */

enum likeness { SAME, OTHER, UNKNOWN };

/* Finds what the kernel says of a mapping of this process: its device and inode. */
static bool find_mapping(const void *where, unsigned int *major, unsigned int *minor,
			 uint64_t *inode)
{
	FILE *file = fopen("/proc/self/maps", "re");
	uint64_t start;
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (file && !found && getline(&line, &room, file) > 0)
		found = sscanf(line, "%" SCNx64 "-%*x %*4s %*x %x:%x %" SCNu64, &start, major,
			       minor, inode) == 4 &&
			start == (uintptr_t)where;
	if (file)
		fclose(file);
	free(line);
	return found;
}

/*
 * Maps the file, too, so that the kernel says what it is: overlayfs and btrfs have other devices
 * and inodes there than in stat(2).
 */
static bool maps_alike(int fd, const struct perfctr_record_mmap *mmap_)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *where = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	unsigned int major, minor;
	uint64_t inode;
	bool alike;

	if (where == MAP_FAILED)
		return false;
	alike = find_mapping(where, &major, &minor, &inode) && major == mmap_->major &&
		minor == mmap_->minor && inode == mmap_->inode;
	munmap(where, size);
	return alike;
}

static enum likeness compare(int fd, const struct perfctr_record_mmap *mmap)
{
	uint8_t id[ELF_BUILD_ID];
	struct stat is;
	struct statfs system;

	if (mmap->build_id_size && !elf_knows_build_ids())
		return UNKNOWN;
	if (mmap->build_id_size)
		return elf_build_id(fd, id) == mmap->build_id_size &&
				       !memcmp(id, mmap->build_id, mmap->build_id_size)
			       ? SAME
			       : OTHER;
	if (!mmap->inode || fstat(fd, &is) < 0)
		return UNKNOWN;
	if ((major(is.st_dev) == mmap->major && minor(is.st_dev) == mmap->minor &&
	     is.st_ino == mmap->inode) ||
	    maps_alike(fd, mmap))
		return SAME;
	/* Records have the inode beneath it, which from Linux 6.9 to 6.17 not even maps shows. */
	return fstatfs(fd, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC ? UNKNOWN
										   : OTHER;
}

/* Opens it by a name in /proc, which few users may do, if it is the one. */
static int open_shown(const char *path, const struct perfctr_record_mmap *mmap)
{
	int fd = elf_open_file(path);

	if (fd >= 0 && compare(fd, mmap) != SAME) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Opens what the process has mapped itself, whatever its name is now. */
static int open_in_process(const struct perfctr_record_mmap *mmap)
{
	char directory[64], path[160];
	int fd;

	view_directory(mmap->pid, directory, sizeof(directory));
	snprintf(path, sizeof(path), "%s/map_files/%" PRIx64 "-%" PRIx64, directory, mmap->addr,
		 mmap->addr + mmap->length);
	fd = open_shown(path, mmap);
	snprintf(path, sizeof(path), "%s/exe", directory);
	return fd >= 0 ? fd : open_shown(path, mmap);
}

/* Opens the file of that name in a view. The last link is followed: it may be one since. */
static enum view_result open_named(const struct view *view, bool sure, const char *name,
				   const struct perfctr_record_mmap *mmap, int *fd)
{
	enum likeness likeness;

	*fd = view_open(view, name, true);
	if (*fd < 0)
		return VIEW_UNSEEN;
	likeness = compare(*fd, mmap);
	if (likeness == SAME || (likeness == UNKNOWN && sure))
		return VIEW_FOUND;
	close(*fd);
	*fd = -1;
	return sure ? VIEW_REPLACED : VIEW_UNSEEN;
}

/* The name, without what the kernel says of a file that has none any more. To be freed. */
static char *plain_name(const char *file)
{
	static const char deleted[] = " (deleted)";
	char *name = need(strdup(file));
	size_t length = strlen(name), end = sizeof(deleted) - 1;

	if (length > end && !strcmp(name + length - end, deleted))
		name[length - end] = '\0';
	return name;
}

enum view_result view_open_mapped(const struct views *views, const struct view *view,
				  const struct perfctr_record_mmap *mmap, int *fd)
{
	char *name = plain_name(mmap->file);
	enum view_result result = VIEW_UNSEEN;
	bool known = mmap->inode || mmap->build_id_size;

	if (view)
		result = open_named(view, true, name, mmap, fd);
	/* In a chroot, maps has names as perfex sees them. */
	if (result != VIEW_FOUND && view != &views->own &&
	    open_named(&views->own, !view && !known, name, mmap, fd) == VIEW_FOUND)
		result = VIEW_FOUND;
	if (result != VIEW_FOUND && known) {
		*fd = open_in_process(mmap);
		if (*fd >= 0)
			result = VIEW_FOUND;
	}
	free(name);
	return result;
}
