/* SPDX-License-Identifier: Apache-2.0 */
/* run_picture.c - see run_picture.h. Tests: tests/cli/trees_test.py, tests/serve/api_test.py. */
#include "engine/ops/tree/run_picture.h"

#include "base/error.h"
#include "engine/agent.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/tree/tree_waterfall.h"

static haft_status write_svg(haft__arena *arena, haft_str lines, const haft__run *root,
                             const haft__run_tree *tree, haft__hash_key hash_key, haft__buf *text,
                             haft_error *err)
{
    haft__waterfall_run *runs = haft__arena_array(arena, tree->count + 1, sizeof(*runs));
    uint32_t top = haft__child_depth(root->path);
    if (runs == NULL) {
        return haft__arena_fail(arena, err);
    }
    runs[0] = (haft__waterfall_run){.log = {.run = root->id, .path = root->path, .lines = lines},
                                    .name = root->spec->name};
    for (size_t i = 0; i < tree->count; i++) {
        const haft_run *run = tree->runs[i];
        runs[i + 1] = (haft__waterfall_run){
            .log = {.run = run->state.id, .path = run->state.path, .lines = run->opening.events},
            .name = run->state.spec->name,
            .depth = haft__child_depth(run->state.path) - top};
    }
    return haft__tree_waterfall_write(text, root->id, runs, tree->count + 1, hash_key, err);
}

haft_status haft__run_picture_write(haft__buf *buf, haft_runtime *runtime, haft__arena *arena,
                                    haft_str lines, const haft__run *root, haft__hash_key hash_key,
                                    haft_error *err)
{
    haft__run_tree tree = {.runs = NULL};
    haft_status status =
        runtime != NULL ? haft__run_tree_read(runtime, root, false, &tree, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = write_svg(arena, lines, root, &tree, hash_key, buf, err);
    }
    haft__run_tree_finish(&tree);
    return status;
}
