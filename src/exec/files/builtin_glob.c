/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_glob.c - the built-in glob: the paths that match a pattern. Tests:
 * tests/exec/files/builtin_glob_test.c. */
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files/display.h"
#include "exec/files/files.h"
#include "exec/files/path_argument.h"

typedef struct glob_state {
    const haft__files_request *search;
    haft__buf *result;
    haft__walk walk;
    size_t shown;   /* paths in the result */
    size_t omitted; /* further paths that match */
} glob_state;

static void add_path(glob_state *g, haft_str path)
{
    size_t start = g->result->len;
    if (g->omitted > 0 || g->shown == HAFT__LIMIT_FILES_GLOB_RESULTS) {
        g->omitted++;
        return;
    }
    if (start > 0) {
        haft__buf_add_char(g->result, '\n');
    }
    haft__files_display_name(g->result, path);
    bool fits = haft__files_keep_line(g->result, start);
    g->shown += fits;
    g->omitted += !fits;
}

static void add_notes(glob_state *g)
{
    haft__files_notes notes = {.result = g->result};
    const haft__walk *walk = &g->walk;
    char short_name[HAFT__FILES_SHORT_NAME_BYTES];
    if (g->shown == 0) {
        haft__files_notes_add(&notes, "no file matches '%s'",
                              haft__files_display_short_name(g->search->pattern, short_name));
        haft__files_notes_add(&notes, "%zu file%s checked", walk->files,
                              walk->files == 1 ? " was" : "s were");
        haft__files_notes_add_count(&notes, walk->ignored, "name was", "names were",
                                    "skipped because of ignore files");
        haft__files_notes_add_count(&notes, walk->links, "symbolic link was", "symbolic links were",
                                    "not followed");
    }
    haft__files_notes_add_count(&notes, g->omitted, "more file matches:", "more files match:",
                                "narrow the pattern or give a `path`");
    haft__files_notes_add_walk(&notes, walk);
    haft__files_notes_end(&notes);
}

static haft_status collect(glob_state *g, haft_error *err)
{
    for (;;) {
        haft_str path;
        haft_status status = haft__walk_next(&g->walk, &path, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (path.ptr == NULL) {
            return g->walk.stopped ? haft__files_fail_cancelled(err) : HAFT_OK;
        }
        add_path(g, path);
    }
}

static haft_status run(glob_state *g, int root, const haft__glob *glob_pattern, haft_error *err)
{
    haft__path_argument named;
    haft_status status = haft__path_argument_resolve(root, g->search->path,
                                                     HAFT__PATH_ARGUMENT_DIRECTORY, &named, err);
    if (status == HAFT_OK) {
        haft_str path = {named.path.text, named.path.length};
        status = haft__files_within_check(&g->search->within, path, false, err);
    }
    if (status == HAFT_OK) {
        status = haft__walk_begin(&g->walk, root, &named.path, glob_pattern, &g->search->within,
                                  g->search->stop, err);
    }
    if (status == HAFT_OK) {
        status = collect(g, err);
    }
    if (status == HAFT_OK) {
        add_notes(g);
        status = haft__buf_check(g->result, err);
    }
    haft__walk_end(&g->walk);
    return status;
}

haft_status haft__files_glob(const haft__files_request *search, haft__buf *result, haft_error *err)
{
    glob_state g = {.search = search, .result = result};
    haft__arena arena;
    const haft__glob *glob_pattern = NULL;
    int root = -1;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__files_compile_glob(&arena, search->pattern, "/pattern", &glob_pattern, err);
    if (status == HAFT_OK) {
        status = haft__files_root_open(search->spec_path, search->root, &root, err);
    }
    if (status == HAFT_OK) {
        status = run(&g, root, glob_pattern, err);
        (void)close(root);
    }
    haft__arena_finish(&arena);
    return status;
}
