/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - traverses directories depth-first, without recursion. Tests:
 * tests/exec/files/walk_test.c. */
#include "exec/files/walk.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/files/directory.h"
#include "exec/files/gitignore.h"

#define GIT ".git"

/* A directory that the walk is in. Its memory is released when the walk leaves it. */
struct haft__walk_frame {
    haft__walk_frame *above;
    haft__arena_mark mark;
    haft__directory_listing listing;
    size_t next;
    size_t length; /* of the directory's path */
    const haft__gitignore *ignore;
};

static haft_str path_of(const haft__walk *walk)
{
    return (haft_str){walk->path.text, walk->path.length};
}

static void set_length(haft__walk *walk, size_t length)
{
    walk->path.length = length;
    walk->path.text[length] = '\0';
}

/* Appends a name to the path. False if it would become too long. */
static bool add_name(haft__walk *walk, haft_str name)
{
    size_t length = walk->path.length, slash = length > 0;
    if (length + slash + name.len > HAFT__LIMIT_FILES_PATH_BYTES) {
        return false;
    }
    memcpy(walk->path.text + length, "/", slash);
    memcpy(walk->path.text + length + slash, name.ptr, name.len);
    set_length(walk, length + slash + name.len);
    return true;
}

/* ---- ignore files ---- */

/* The text of a file in the current directory, at most HAFT__LIMIT_FILES_IGNORE_BYTES, up to its
 * last whole line; empty if it does not exist. */
static haft_status read_rules(haft__walk *walk, const char *name, haft_str *ret_text,
                              haft_error *err)
{
    struct stat info;
    size_t length = walk->path.length;
    *ret_text = (haft_str){NULL, 0};
    int fd = add_name(walk, haft__str(name))
                 ? haft__files_root_open_file(walk->root, walk->path.text, &info)
                 : -1;
    set_length(walk, length);
    if (fd < 0) {
        return HAFT_OK;
    }
    size_t max = HAFT__LIMIT_FILES_IGNORE_BYTES;
    size_t size = (uint64_t)info.st_size < max ? (size_t)info.st_size : max;
    char *text = haft__arena_alloc(&walk->arena, size);
    ssize_t result = text != NULL ? haft__files_read_full(fd, text, size) : 0;
    size_t got = result > 0 ? (size_t)result : 0;
    (void)close(fd);
    if (text == NULL) {
        return haft__arena_fail(&walk->arena, err);
    }
    while ((uint64_t)info.st_size > max && got > 0 && text[got - 1] != '\n') {
        got--;
    }
    *ret_text = (haft_str){text, got};
    return HAFT_OK;
}

/* Adds the rules of the current directory to those of its parents. Later files take precedence. */
static haft_status add_rules(haft__walk *walk, const haft__gitignore **io_ignore, haft_error *err)
{
    static const char *const names[] = {GIT "/info/exclude", ".gitignore", ".ignore"};
    haft__gitignore found = {.above = *io_ignore, .prefix = walk->path.length};
    found.prefix += found.prefix > 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str text;
        haft_status status = read_rules(walk, names[i], &text, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (!haft__gitignore_parse(&found, &walk->arena, text)) {
            return haft__arena_fail(&walk->arena, err);
        }
    }
    if (found.last == NULL) {
        return HAFT_OK;
    }
    haft__gitignore *kept = haft__arena_alloc(&walk->arena, sizeof(*kept));
    if (kept == NULL) {
        return haft__arena_fail(&walk->arena, err);
    }
    *kept = found;
    *io_ignore = kept;
    return HAFT_OK;
}

/* ---- directories ---- */

static bool has_rules(const haft__directory_listing *listing)
{
    for (size_t i = 0; i < listing->count && listing->entries[i].name.ptr[0] <= '.'; i++) {
        haft_str name = listing->entries[i].name;
        if (haft__str_equal(name, HAFT__LIT(GIT)) || haft__str_equal(name, HAFT__LIT(".ignore"))
            || haft__str_equal(name, HAFT__LIT(".gitignore"))) {
            return true;
        }
    }
    return false;
}

/* Reads the current directory. An unreadable one is counted and treated as empty. */
static haft_status list(haft__walk *walk, haft__directory_listing *ret_listing, haft_error *err)
{
    const char *path = walk->path.length > 0 ? walk->path.text : ".";
    int fd = haft__files_root_open_directory(walk->root, path);
    if (fd < 0) {
        walk->unreadable++;
        return HAFT_OK;
    }
    haft_status status = haft__directory_read(&walk->arena, fd, walk->left, ret_listing, err);
    (void)close(fd);
    if (status == HAFT_IO) {
        walk->unreadable++;
        return HAFT_OK;
    }
    walk->left -= ret_listing->count;
    walk->cut = walk->cut || ret_listing->cut;
    return status;
}

/* Enters the directory at the path. `above` are the rules of its parents. */
static haft_status enter(haft__walk *walk, const haft__gitignore *above, haft_error *err)
{
    haft__arena_mark mark = haft__arena_save(&walk->arena);
    haft__walk_frame *frame = haft__arena_array(&walk->arena, 1, sizeof(*frame));
    if (frame == NULL) {
        return haft__arena_fail(&walk->arena, err);
    }
    *frame = (haft__walk_frame){
        .above = walk->top, .mark = mark, .length = walk->path.length, .ignore = above};
    walk->top = frame;
    walk->depth++;
    haft_status status = list(walk, &frame->listing, err);
    if (status == HAFT_OK && has_rules(&frame->listing)) {
        status = add_rules(walk, &frame->ignore, err);
    }
    return status;
}

static void leave(haft__walk *walk)
{
    haft__walk_frame *above = walk->top->above;
    haft__arena_restore(&walk->arena, walk->top->mark);
    walk->top = above;
    walk->depth--;
}

/* ---- the walk ---- */

/* Reads the rules of the parents of `start`; the path is then `start`. */
static haft_status enter_start(haft__walk *walk, haft_str start, haft_error *err)
{
    const haft__gitignore *ignore = NULL;
    haft_str rest = start;
    while (rest.len > 0) {
        haft_status status = add_rules(walk, &ignore, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (add_name(walk, haft__str_split(&rest, '/'))) { /* it fits: `start` is a valid path */
            walk->depth++;
        }
    }
    return enter(walk, ignore, err);
}

haft_status haft__walk_begin(haft__walk *walk, int root, const haft__files_path *start,
                             const haft__glob *glob_pattern, const haft__files_within *within,
                             const atomic_bool *stop, haft_error *err)
{
    haft_str from = {start->text, start->length};
    if (haft__str_equal(from, HAFT__LIT("."))) {
        from.len = 0;
    }
    *walk = (haft__walk){.root = root,
                         .glob_pattern = glob_pattern,
                         .within = within,
                         .stop = stop,
                         .start = from.len + (from.len > 0),
                         .left = HAFT__LIMIT_FILES_ENTRIES};
    haft__arena_init(&walk->arena, 0);
    haft_status status = enter_start(walk, from, err);
    if (status != HAFT_OK) {
        haft__walk_end(walk);
    }
    return status;
}

void haft__walk_end(haft__walk *walk)
{
    haft__arena_finish(&walk->arena);
    walk->top = NULL;
}

static bool is_ignored(haft__walk *walk, bool directory)
{
    bool ignored = haft__gitignore_matches(walk->top->ignore, path_of(walk), directory)
                   && !haft__files_within_names(walk->within, path_of(walk));
    walk->ignored += ignored;
    return ignored;
}

static haft_status visit_directory(haft__walk *walk, haft_error *err)
{
    haft_str inside = haft__str_skip(path_of(walk), walk->start);
    if (!haft__glob_can_match_below(walk->glob_pattern, inside) || is_ignored(walk, true)) {
        return HAFT_OK;
    }
    if (walk->depth >= HAFT__LIMIT_FILES_DEPTH) {
        walk->too_deep++;
        return HAFT_OK;
    }
    return enter(walk, walk->top->ignore, err);
}

static bool visit_file(haft__walk *walk)
{
    walk->files++;
    return haft__glob_matches(walk->glob_pattern, haft__str_skip(path_of(walk), walk->start))
           && !is_ignored(walk, false);
}

/* Processes the next entry of the current directory; true if the walk returns it. */
static bool visit_entry(haft__walk *walk, const haft__directory_entry *entry,
                        haft_status *ret_status, haft_error *err)
{
    set_length(walk, walk->top->length);
    if (haft__str_equal(entry->name, HAFT__LIT(GIT))) {
        return false;
    }
    if (!add_name(walk, entry->name)) {
        walk->too_deep++;
        return false;
    }
    haft__within_place place = haft__files_within_place(walk->within, path_of(walk));
    if (place == HAFT__WITHIN_OUTSIDE) {
        return false;
    }
    switch (entry->kind) {
    case HAFT__DIRECTORY_ENTRY_FILE: return place == HAFT__WITHIN_INSIDE && visit_file(walk);
    case HAFT__DIRECTORY_ENTRY_DIRECTORY: *ret_status = visit_directory(walk, err); return false;
    case HAFT__DIRECTORY_ENTRY_LINK: walk->links++; return false;
    case HAFT__DIRECTORY_ENTRY_OTHER: return false;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__walk_next(haft__walk *walk, haft_str *ret_path, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_path = (haft_str){NULL, 0};
    while (walk->top != NULL) {
        if (walk->stop != NULL && atomic_load_explicit(walk->stop, memory_order_relaxed)) {
            walk->stopped = true;
            return HAFT_OK;
        }
        haft__walk_frame *frame = walk->top;
        if (frame->next == frame->listing.count) {
            leave(walk);
            continue;
        }
        if (visit_entry(walk, &frame->listing.entries[frame->next++], &status, err)) {
            *ret_path = path_of(walk);
            return HAFT_OK;
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}
