/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - the built-in glob: the paths that match a pattern. Tests:
 * tests/exec/files/builtin_glob_test.c. */
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files/display.h"
#include "exec/files/files.h"
#include "exec/files/path_argument.h"

typedef struct globbing {
    const haft__file_search *search;
    haft__buf *result;
    haft__walk walk;
    size_t shown, more;
} globbing;

static void add_path(globbing *g, haft_str path)
{
    size_t start = g->result->len;
    if (g->more > 0 || g->shown == HAFT__LIMIT_FILES_GLOB_RESULTS) {
        g->more++;
        return;
    }
    if (start > 0) {
        haft__buf_add_char(g->result, '\n');
    }
    haft__show_name(g->result, path);
    bool kept = haft__search_keep_line(g->result, start);
    g->shown += kept;
    g->more += !kept;
}

static void add_notes(globbing *g)
{
    haft__notes notes = {.result = g->result};
    const haft__walk *walk = &g->walk;
    char shown[HAFT__SHOW_SHORT];
    if (g->shown == 0) {
        haft__note(&notes, "no file matches '%s'", haft__show_short(g->search->pattern, shown));
        haft__note(&notes, "%zu file%s looked at", walk->files,
                   walk->files == 1 ? " was" : "s were");
        haft__note_count(&notes, walk->ignored, "name is", "names are", "left out by ignore files");
        haft__note_count(&notes, walk->links, "symbolic link was", "symbolic links were",
                         "not followed");
    }
    haft__note_count(&notes, g->more, "more file matches:", "more files match:",
                     "narrow the pattern or name a `path`");
    haft__note_walk(&notes, walk);
    haft__notes_end(&notes);
}

static haft_status collect(globbing *g, haft_error *err)
{
    for (;;) {
        haft_str path;
        haft_status status = haft__walk_next(&g->walk, &path, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (path.ptr == NULL) {
            return g->walk.stopped ? haft__search_fail_stopped(err) : HAFT_OK;
        }
        add_path(g, path);
    }
}

static haft_status run(globbing *g, int root, const haft__wild *wild, haft_error *err)
{
    haft__named named;
    haft_status status =
        haft__named_find(root, g->search->path, HAFT__NAMED_DIRECTORY, &named, err);
    if (status == HAFT_OK) {
        status = haft__walk_begin(&g->walk, root, &named.path, wild, g->search->stop, err);
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

haft_status haft__search_glob(const haft__file_search *search, haft__buf *result, haft_error *err)
{
    globbing g = {.search = search, .result = result};
    haft__arena arena;
    const haft__wild *wild = NULL;
    int root = -1;
    haft__arena_init(&arena, 0);
    haft_status status = haft__search_wild(&arena, search->pattern, "/pattern", &wild, err);
    if (status == HAFT_OK) {
        status = haft__beneath_root(search->spec_path, search->root, &root, err);
    }
    if (status == HAFT_OK) {
        status = run(&g, root, wild, err);
        (void)close(root);
    }
    haft__arena_finish(&arena);
    return status;
}
