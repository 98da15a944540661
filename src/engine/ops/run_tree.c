/* SPDX-License-Identifier: Apache-2.0 */
/* run_tree.c - see run_tree.h. Tests: tests/engine/ops/run_tree_test.c, tests/cli/children_test.py.
 */
#include "engine/ops/run_tree.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/agent.h"
#include "engine/ops/stored_run.h"
#include "engine/runtime.h"
#include "run/host.h"

void haft__run_tree_finish(haft__run_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        haft_run_release(tree->runs[i]);
    }
    free(tree->runs);
    *tree = (haft__run_tree){.runs = NULL};
}

haft_status haft__run_tree_open(haft_runtime *runtime, haft_str id, haft_run **ret_run,
                                haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__run_open_by_name(runtime, id, true, &run, err);
    while (status == HAFT_OK && run->stage == HAFT__HANDLE_OPENING) {
        status = haft_runtime_step(runtime, -1, err);
    }
    if (status == HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        status = run->error.status;
        *err = run->error;
    }
    bool exists = status != HAFT_NOT_FOUND;
    if (status == HAFT_OK) { /* the secrets are needed to redact the output */
        status = haft__agent_load_secrets(run->agent, err);
    }
    if (status != HAFT_OK) {
        haft_run_release(run);
        run = NULL;
    } else {
        haft__stored_run_apply_row(&run->opening.row, &run->state);
    }
    *ret_run = run;
    if (!exists) {
        *err = (haft_error){0};
        return HAFT_OK;
    }
    return status;
}

static haft_status add_below(haft_runtime *runtime, const haft__run *state, bool open_only,
                             uint32_t depth, haft__run_tree *tree, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < state->child_count; i++) {
        const haft__child *child = state->children[i];
        haft_run *run = NULL;
        if ((open_only && child->finished) || depth > HAFT__LIMIT_CHILD_DEPTH) {
            continue;
        }
        status = haft__run_tree_open(runtime, child->run, &run, err);
        if (status != HAFT_OK || run == NULL) {
            continue;
        }
        haft_run **runs =
            haft__vec_reserve(tree->runs, &tree->capacity, tree->count + 1, sizeof(*runs));
        if (runs == NULL) {
            haft_run_release(run);
            return haft__fail_no_memory(err);
        }
        tree->runs = runs;
        tree->runs[tree->count++] = run;
        status = add_below(runtime, &run->state, open_only, depth + 1, tree, err);
    }
    return status;
}

haft_status haft__run_tree_read(haft_runtime *runtime, const haft__run *root, bool open_only,
                                haft__run_tree *ret_tree, haft_error *err)
{
    haft_error unused = {0};
    *ret_tree = (haft__run_tree){.runs = NULL};
    return add_below(runtime, root, open_only, 1, ret_tree, err != NULL ? err : &unused);
}

void haft__run_tree_add_call(haft__buf *buf, const haft__run *run, haft_str call)
{
    haft__buf_add_str(buf, run->path);
    haft__buf_add_str(buf, run->path.len > 0 ? HAFT__LIT("/") : HAFT__LIT(""));
    haft__buf_add_str(buf, call);
}

/* ---- paths ---- */

/* Follows one step of a path. */
static haft_status descend(haft_run **io_run, haft_str key, haft_error *err)
{
    haft_run *run = *io_run, *below = NULL;
    const haft__child *child = haft__child_find(&run->state, key);
    haft_status status = child != NULL
                             ? haft__run_tree_open(run->runtime, child->run, &below, err)
                             : haft__fail(err, HAFT_NOT_FOUND, "",
                                          "the call %.*s of the run %s has started no agent",
                                          HAFT__ARG(key), run->id);
    if (below == NULL) {
        return status != HAFT_OK
                   ? status
                   : haft__fail(err, HAFT_NOT_FOUND, "", "the run of the call %.*s does not exist",
                                HAFT__ARG(key));
    }
    haft_run_release(run);
    *io_run = below;
    return HAFT_OK;
}

static haft_status follow_path(haft__arena *arena, haft_run **io_run, haft_str call,
                               haft_str *ret_run, haft_str *ret_call, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft_str rest = call, key = haft__str_split(&rest, '/');
    while (status == HAFT_OK && rest.len > 0) {
        status = descend(io_run, key, err);
        key = haft__str_split(&rest, '/');
    }
    if (status == HAFT_OK && key.len == 0) { /* "/" alone */
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected the id of a call, found \"%.*s\"",
                            HAFT__ARG(call));
    }
    if (status == HAFT_OK) {
        *ret_run = haft__arena_copy(arena, haft__str((*io_run)->id));
        *ret_call = haft__arena_copy(arena, key);
        status =
            ret_run->ptr != NULL && ret_call->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    return status;
}

/* ---- the only pending call ---- */

typedef struct pending_search {
    haft__buf list; /* all pending calls */
    size_t count;
    const haft_run *run; /* the run of the last pending call */
    haft_str call;
} pending_search;

static void add_pending(pending_search *search, const haft_run *run)
{
    for (size_t i = run->state.batch; i < run->state.call_count; i++) {
        const haft__run_call *call = &run->state.calls[i];
        if (haft__run_takes_answers(&run->state) && call->stage == HAFT__CALL_PAUSED) {
            haft__buf_add_str(&search->list, search->count++ > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__run_tree_add_call(&search->list, &run->state, call->id);
            haft__buf_addf(&search->list, " (%s of %.*s)", haft__pause_name(call->pause),
                           HAFT__ARG(call->name));
            search->run = run;
            search->call = call->id;
        }
    }
}

bool haft__run_tree_has_pending(const haft_run *root)
{
    haft__run_tree tree;
    pending_search search = {.run = root, .call = HAFT__LIT("")};
    haft__buf_init(&search.list, HAFT__LIMIT_RUN_BYTES);
    add_pending(&search, root);
    if (search.count == 0 && root->state.open_children > 0) {
        (void)!haft__run_tree_read(root->runtime, &root->state, true, &tree, NULL);
        for (size_t i = 0; i < tree.count; i++) {
            add_pending(&search, tree.runs[i]);
        }
        haft__run_tree_finish(&tree);
    }
    haft__buf_finish(&search.list);
    return search.count > 0;
}

/* Finds the only pending call. Without a pending call, the result is the root, which rejects the
 * command with a message. */
static haft_status find_only(haft_runtime *runtime, haft__arena *arena, const haft_run *root,
                             haft_str *ret_run, haft_str *ret_call, haft_error *err)
{
    haft__run_tree tree;
    pending_search search = {.run = root, .call = HAFT__LIT("")};
    haft__buf_init(&search.list, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_tree_read(runtime, &root->state, true, &tree, err);
    add_pending(&search, root);
    for (size_t i = 0; i < tree.count; i++) {
        add_pending(&search, tree.runs[i]);
    }
    if (status == HAFT_OK && search.count > 1) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "the run has several pending calls: name one");
        (void)haft__hint(err, status, "pending: %.*s", HAFT__ARG(haft__buf_str(&search.list)));
    }
    if (status == HAFT_OK) {
        *ret_run = haft__arena_copy(arena, haft__str(search.run->id));
        *ret_call = haft__arena_copy(arena, search.call);
        status =
            ret_run->ptr != NULL && ret_call->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__run_tree_finish(&tree);
    haft__buf_finish(&search.list);
    return status;
}

haft_status haft__run_tree_resolve_call(haft_runtime *runtime, haft__arena *arena, haft_str root,
                                        haft_str call, haft_str *ret_run, haft_str *ret_call,
                                        haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__run_tree_open(runtime, root, &run, err);
    if (run == NULL) {
        return status != HAFT_OK
                   ? status
                   : haft__fail(err, HAFT_NOT_FOUND, "", "there is no run '%.*s'", HAFT__ARG(root));
    }
    if (status == HAFT_OK) {
        status = call.len > 0 ? follow_path(arena, &run, call, ret_run, ret_call, err)
                              : find_only(runtime, arena, run, ret_run, ret_call, err);
    }
    haft_run_release(run);
    return status;
}

haft_status haft__run_tree_find_root(haft_runtime *runtime, haft__arena *arena, haft_str run,
                                     haft_str *ret_root, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft_str next = run;
    *ret_root = run;
    for (uint32_t i = 0; i <= HAFT__LIMIT_CHILD_DEPTH && next.len > 0; i++) {
        haft_error missing = {0};
        haft__store_run row;
        status = haft__stored_run_find(runtime, arena, next, true, &row, &missing);
        if (status != HAFT_OK && status != HAFT_NOT_FOUND) {
            *err = missing;
            return status;
        }
        *ret_root = status == HAFT_OK ? row.id : *ret_root;
        next = status == HAFT_OK && haft__store_run_is_child(&row) ? row.parent : HAFT__LIT("");
    }
    return HAFT_OK;
}
