/* SPDX-License-Identifier: Apache-2.0 */
/* retention.c - see retention.h. Tests: tests/engine/ops/runs_test.c, tests/cli/store_test.py. */
#include "engine/ops/retention.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/store_access.h"
#include "engine/ops/stored_run.h"
#include "io/owner.h"

static haft_status remove_row(haft_runtime *runtime, haft__arena *arena, const haft__store_run *row,
                              haft_error *err)
{
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE,
                                  .run.id = row->id,
                                  .dead_owner =
                                      haft__owner_is_dead(row->owner) ? row->owner : HAFT__LIT("")};
    return haft__store_access_execute(runtime, arena, &remove, err);
}

/* Reads the runs below a run. The runs below a damaged run are unknown; GC removes them later. */
static haft_status read_below(haft_runtime *runtime, haft__arena *arena, haft_str id,
                              haft__run_tree *ret_tree, haft_error *err)
{
    haft__stored_run stored;
    haft__run state;
    haft_error unread = {0};
    *ret_tree = (haft__run_tree){.runs = NULL};
    haft_status status = haft__stored_run_read(runtime, arena, id, true, &stored, &unread);
    if (status == HAFT_OK) {
        status = haft__stored_run_fold(runtime, arena, &stored, "", &state, &unread);
    }
    status =
        status == HAFT_OK ? haft__run_tree_read(runtime, &state, false, ret_tree, err) : HAFT_OK;
    haft__stored_run_finish(&stored);
    return status;
}

static haft_status check_free(haft_runtime *runtime, const haft__run_tree *tree, haft_error *err)
{
    for (size_t i = 0; i < tree->count; i++) {
        const haft__store_run *row = &tree->runs[i]->opening.row;
        if (haft__stored_run_is_owned(runtime, row)) {
            haft_status status = haft__fail(err, HAFT_BAD_STATE, "",
                                            "a process owns its child %.*s", HAFT__ARG(row->id));
            return haft__hint(err, status, "cancel the run first");
        }
    }
    return HAFT_OK;
}

static haft_status refuse_child(haft_runtime *runtime, haft__arena *arena,
                                const haft__store_run *row, haft_error *err)
{
    haft__store_run parent;
    haft_error missing = {0};
    if (!haft__store_run_is_child(row)
        || haft__stored_run_find(runtime, arena, row->parent, true, &parent, &missing)
               == HAFT_NOT_FOUND) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_STATE, "",
                                    "the run %.*s is a child of %.*s and is removed with it",
                                    HAFT__ARG(row->id), HAFT__ARG(row->parent));
    return haft__hint(err, status, "remove the first run of its tree");
}

haft_status haft__retention_remove_run(haft_runtime *runtime, haft__arena *arena, haft_str name,
                                       haft_error *err)
{
    haft__store_run row;
    haft__run_tree tree = {.runs = NULL};
    haft_status status = haft__stored_run_find(runtime, arena, name, true, &row, err);
    if (status == HAFT_OK) {
        status = refuse_child(runtime, arena, &row, err);
    }
    if (status == HAFT_OK) {
        status = read_below(runtime, arena, row.id, &tree, err);
    }
    if (status == HAFT_OK) {
        status = check_free(runtime, &tree, err);
    }
    if (status == HAFT_OK) { /* after a crash, GC removes the remaining runs, which have no
                              * parent */
        status = remove_row(runtime, arena, &row, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < tree.count; i++) {
        status = remove_row(runtime, arena, &tree.runs[i]->opening.row, err);
    }
    haft__run_tree_finish(&tree);
    return status;
}

bool haft__retention_is_end(haft_str word)
{
    static const char *const known[] = {
#define X(name, text) text,
        HAFT__ENDS(X)
#undef X
    };
    return haft__str_is_one_of(word, known, COUNT(known));
}

haft_status haft__retention_apply(haft_runtime *runtime, haft__arena *arena,
                                  const haft__retention_rules *rules, uint64_t *ret_count,
                                  haft_error *err)
{
    uint64_t now = haft__store_now(runtime->store); /* the clock that recorded the ends of runs */
    bool selects = rules->has_keep || rules->end_count > 0;
    uint64_t before = now > rules->age_ms ? now - rules->age_ms : 1;
    haft__store_request collect = {.verb = HAFT__STORE_GC,
                                   .before_ms = rules->has_age ? before
                                                : selects      ? INT64_MAX
                                                               : 0,
                                   .keep = rules->keep,
                                   .ends = rules->ends,
                                   .end_count = rules->end_count,
                                   .dry_run = rules->dry_run};
    haft_status status = HAFT_OK;
    *ret_count = 0;
    /* A child can be removed only after its parent, so each level of a tree needs one pass. */
    for (uint32_t level = 0; status == HAFT_OK && level <= HAFT__LIMIT_CHILD_DEPTH; level++) {
        haft__store_request pass = collect;
        pass.keep = level == 0 ? collect.keep : 0;
        pass.before_ms = level == 0 ? collect.before_ms : collect.gc.before;
        status = haft__store_access_execute(runtime, arena, &pass, err);
        *ret_count = level == 0 && status == HAFT_OK ? pass.count : *ret_count;
        if (pass.count == 0 || rules->dry_run) {
            break;
        }
        collect.gc.before = pass.gc.before;
    }
    return status;
}
