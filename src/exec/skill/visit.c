/* SPDX-License-Identifier: Apache-2.0 */
/* visit.c - see visit.h. Tests: tests/exec/skill/folder_test.c, tests/cli/skills_test.py. */
#include "exec/skill/visit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files/directory.h"
#include "exec/files/root.h"
#include "exec/skill/folder.h"

typedef struct visitor {
    haft_str spec;
    haft__skill_visit *visit;
    void *context;
    haft__arena arena; /* for one skill */
    size_t count;
} visitor;

static haft_status read_skill(visitor *v, haft_str folder, haft_str *ret_text, haft_error *err)
{
    haft__skill_listing listing;
    int fd = -1;
    haft_status status = haft__skill_folder_open(v->spec, folder, &fd, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__skill_folder_read(&v->arena, fd, folder, HAFT__SKILL_FILE,
                                     HAFT__LIMIT_SKILL_BYTES, ret_text, err);
    status =
        status == HAFT_OK ? haft__skill_folder_list(&v->arena, fd, folder, &listing, err) : status;
    (void)close(fd);
    return status;
}

/* Returns false if the visits end. */
static bool visit_skill(visitor *v, haft_str folder)
{
    haft_error failed = {.status = HAFT_OK};
    haft__skill_folder found = {.folder = folder, .name = haft__skill_folder_name(folder)};
    found.error = read_skill(v, folder, &found.text, &failed) == HAFT_OK ? NULL : &failed;
    bool more = v->visit(v->context, &found);
    haft__arena_reset(&v->arena);
    v->count++;
    return more;
}

/* Whether the directory has an entry SKILL.md, of any kind. */
static bool has_skill(int directory, const char *name)
{
    struct stat info;
    int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool found = fd >= 0 && fstatat(fd, HAFT__SKILL_FILE, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return found;
}

static haft_status visit_entries(visitor *v, haft__arena *arena, int root, haft_str directory,
                                 haft_error *err)
{
    haft__directory_listing listing = {.entries = NULL};
    int fd = haft__files_root_open_directory(root, ".");
    if (fd < 0) {
        return haft__fail(err, HAFT_IO, "", "%.*s cannot be read", HAFT__ARG(directory));
    }
    haft_status status = haft__directory_read(arena, fd, HAFT__LIMIT_SKILL_ENTRIES, &listing, err);
    if (status == HAFT_OK && listing.cut) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "%.*s has more than %d entries",
                            HAFT__ARG(directory), HAFT__LIMIT_SKILL_ENTRIES);
    }
    for (size_t i = 0; status == HAFT_OK && i < listing.count; i++) {
        const haft__directory_entry *entry = &listing.entries[i];
        bool can = entry->kind == HAFT__DIRECTORY_ENTRY_DIRECTORY
                   || entry->kind == HAFT__DIRECTORY_ENTRY_LINK;
        if (!can || !has_skill(fd, entry->name.ptr)) {
            continue;
        }
        haft_str folder =
            haft__arena_format(arena, "%.*s/%.*s", HAFT__ARG(directory), HAFT__ARG(entry->name));
        if (folder.ptr == NULL) {
            status = haft__arena_fail(arena, err);
        } else if (!visit_skill(v, folder)) {
            break;
        }
    }
    (void)close(fd);
    return status;
}

static haft_status fail_none(haft_str directory, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_NOT_FOUND, "", "%.*s has no skill", HAFT__ARG(directory));
    return haft__hint(err, status,
                      "a skill is a folder with a SKILL.md; name the folder, or one that has such "
                      "folders");
}

haft_status haft__skill_visit_all(haft_str spec, haft_str directory, haft__skill_visit *visit,
                                  void *context, haft_error *err)
{
    visitor v = {.spec = spec, .visit = visit, .context = context};
    haft__arena arena;
    int root = -1;
    while (directory.len > 1 && directory.ptr[directory.len - 1] == '/') {
        directory.len--;
    }
    haft_status status = haft__files_root_open(spec, directory, &root, err);
    if (status == HAFT_IO) {
        return haft__fail(err, HAFT_IO, "", "%.*s is not a directory that can be read",
                          HAFT__ARG(directory));
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__arena_init(&v.arena, 0);
    haft__arena_init(&arena, 0);
    if (has_skill(root, ".")) {
        (void)visit_skill(&v, directory);
    } else {
        status = visit_entries(&v, &arena, root, directory, err);
    }
    (void)close(root);
    haft__arena_finish(&arena);
    haft__arena_finish(&v.arena);
    return status == HAFT_OK && v.count == 0 ? fail_none(directory, err) : status;
}
