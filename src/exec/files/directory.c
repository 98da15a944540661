/* SPDX-License-Identifier: Apache-2.0 */
/* directory.c - reads and sorts a directory. Tests: tests/exec/files/directory_test.c. */
#include "exec/files/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"

#define PIECE 32768

/* Entries in reverse order of reading: their number is not known in advance. */
typedef struct chain {
    struct chain *before;
    haft__directory_entry entry;
} chain;

typedef struct lister {
    haft__arena *arena;
    int fd;
    chain *last;
    haft__directory_listing *listing;
} lister;

static haft__directory_entry_kind kind_of_mode(mode_t mode)
{
    return S_ISREG(mode)   ? HAFT__DIRECTORY_ENTRY_FILE
           : S_ISDIR(mode) ? HAFT__DIRECTORY_ENTRY_DIRECTORY
           : S_ISLNK(mode) ? HAFT__DIRECTORY_ENTRY_LINK
                           : HAFT__DIRECTORY_ENTRY_OTHER;
}

haft__directory_entry_kind haft__directory_entry_detect_kind(int fd, const char *name,
                                                             unsigned char type)
{
    struct stat info;
    switch (type) {
    case DT_REG: return HAFT__DIRECTORY_ENTRY_FILE;
    case DT_DIR: return HAFT__DIRECTORY_ENTRY_DIRECTORY;
    case DT_LNK: return HAFT__DIRECTORY_ENTRY_LINK;
    case DT_UNKNOWN:
        return fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? kind_of_mode(info.st_mode)
                                                                  : HAFT__DIRECTORY_ENTRY_OTHER;
    default: return HAFT__DIRECTORY_ENTRY_OTHER;
    }
}

static bool add(lister *l, const struct dirent64 *found)
{
    chain *link = haft__arena_alloc(l->arena, sizeof(*link));
    haft_str name = haft__arena_copy(l->arena, haft__str(found->d_name));
    if (link == NULL || name.ptr == NULL) {
        return false;
    }
    *link = (chain){l->last,
                    {name, haft__directory_entry_detect_kind(l->fd, found->d_name, found->d_type)}};
    l->last = link;
    l->listing->count++;
    return true;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static haft_status read_piece(lister *l, const char *piece, size_t length, size_t max,
                              haft_error *err)
{
    for (size_t at = 0; at < length;) {
        const struct dirent64 *found = (const struct dirent64 *)(const void *)(piece + at);
        at += found->d_reclen;
        if (is_dots(found->d_name)) {
            continue;
        }
        if (l->listing->count == max) {
            l->listing->cut = true;
            return HAFT_OK;
        }
        if (!add(l, found)) {
            return haft__arena_fail(l->arena, err);
        }
    }
    return HAFT_OK;
}

/* The order of full paths: the name of a directory compares with a slash at its end. */
static int by_path(const void *left, const void *right)
{
    const haft__directory_entry *a = left, *b = right;
    size_t common = a->name.len < b->name.len ? a->name.len : b->name.len;
    int order = memcmp(a->name.ptr, b->name.ptr, common);
    if (order != 0) {
        return order;
    }
    bool a_ends = a->name.len == common, b_ends = b->name.len == common;
    int next_a = !a_ends                                      ? (unsigned char)a->name.ptr[common]
                 : a->kind == HAFT__DIRECTORY_ENTRY_DIRECTORY ? '/'
                                                              : 0;
    int next_b = !b_ends                                      ? (unsigned char)b->name.ptr[common]
                 : b->kind == HAFT__DIRECTORY_ENTRY_DIRECTORY ? '/'
                                                              : 0;
    return next_a - next_b;
}

static haft_status sort(lister *l, haft_error *err)
{
    size_t count = l->listing->count;
    haft__directory_entry *entries = haft__arena_array(l->arena, count, sizeof(*entries));
    if (entries == NULL) {
        return haft__arena_fail(l->arena, err);
    }
    for (size_t i = count; i > 0; l->last = l->last->before) {
        entries[--i] = l->last->entry;
    }
    qsort(entries, count, sizeof(*entries), by_path);
    l->listing->entries = entries;
    return HAFT_OK;
}

haft_status haft__directory_read(haft__arena *arena, int fd, size_t max,
                                 haft__directory_listing *ret_listing, haft_error *err)
{
    haft__directory_listing listing = {.entries = NULL};
    lister l = {.arena = arena, .fd = fd, .listing = &listing};
    _Alignas(struct dirent64) char piece[PIECE];
    while (!listing.cut) {
        ssize_t length = getdents64(fd, piece, sizeof(piece));
        if (length < 0) {
            return haft__fail(err, HAFT_IO, "", "the directory cannot be read: %s",
                              strerror(errno));
        }
        if (length == 0) {
            break;
        }
        haft_status status = read_piece(&l, piece, (size_t)length, max, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    haft_status status = sort(&l, err);
    *ret_listing = status == HAFT_OK ? listing : *ret_listing;
    return status;
}
