/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_cache.c - stores and reuses the outputs of nodes with `cache`. Within a run, outputs are
 * part of the folded state. For other runs, the store caches results of tools; the calls have the
 * scope. Tests: tests/graph/run/graph_run_test.c, tests/cli/graph_cache_test.py.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "graph/run/graph_run_int.h"
#include "tool/duration.h"
#include "json/canonical.h"
#include "json/object.h"

/* The digest of the key of an output. The key contains the node and its view. */
typedef struct digest {
    char text[HAFT__SHA256_HEX];
} digest;

/* An output, and the time at which its step was committed. */
typedef struct stored_output {
    haft__json output;
    uint64_t at_ms;
} stored_output;

static haft_str make_digest(haft_str key, digest *to)
{
    haft__sha256_hex(key, to->text);
    return (haft_str){to->text, sizeof(to->text)};
}

/* The time for which an output of the node can be reused; 0: no expiry within the scope. */
static uint64_t read_ttl(const haft__graph_node *node)
{
    const haft__json *ttl = haft__object_find(haft__object_object(node->source, "cache"), "ttl");
    uint64_t ms = 0;
    return ttl != NULL && haft__duration_read(*ttl, &ms, NULL) == HAFT_OK ? ms : 0;
}

/* Replies while the event is folded, because the lookup needs no I/O. */
haft_status haft__graph_serve_lookup(haft__graph_run *graph, size_t index, haft_error *err)
{
    digest key;
    const haft__graph_task *task = &graph->x->tasks[index];
    const stored_output *found =
        haft__map_get(&graph->cache, make_digest(task->request.name, &key));
    uint64_t ttl = read_ttl(&graph->graph->nodes[task->node]);
    bool fresh = found != NULL && (ttl == 0 || graph->now_ms - found->at_ms <= ttl);
    return haft__graph_execution_reply(graph->x, index, fresh ? found->output : haft__json_null(),
                                       err);
}

static haft_status store_output(haft__graph_run *graph, const haft__graph_task *task,
                                haft_error *err)
{
    digest made;
    haft__json output;
    stored_output *kept = haft__arena_array(graph->arena, 1, sizeof(*kept));
    haft_str key = haft__arena_copy(graph->arena, make_digest(task->cache_key, &made));
    if (kept == NULL || key.ptr == NULL) {
        return haft__arena_fail(graph->arena, err);
    }
    kept->at_ms = graph->now_ms;
    haft_status status =
        haft__graph_output_to_json(graph->graph, &task->program.output, graph->arena, &output, err);
    if (status == HAFT_OK) {
        status = haft__json_copy_deep(graph->arena, output, &kept->output, err);
    }
    return status == HAFT_OK ? haft__map_put(&graph->cache, key, kept, err) : status;
}

haft_status haft__graph_keep_outputs(haft__graph_run *graph, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < graph->x->task_count && status == HAFT_OK; i++) {
        if (graph->x->tasks[i].cache_key.len > 0) {
            status = store_output(graph, &graph->x->tasks[i], err);
        }
    }
    return status == HAFT_TOO_BIG ? HAFT_OK : status; /* without the cached output, the nodes run
                                                       * again */
}

/* ---- results for other runs ---- */

/* Writes the node's part of the key of a result: the node and its spec, so that a changed node has
 * another key. */
static haft_status write_node_key(const haft__graph_node *node, haft__buf *buf, haft_error *err)
{
    haft__buf_add_str(buf, node->name);
    haft__buf_add_char(buf, '\n');
    return haft__json_write_canonical(buf, node->source, err);
}

haft_status haft__graph_set_call_cache(haft__run *run, const haft__graph_node *node,
                                       haft__node_call *call, haft_error *err)
{
    haft_str scope = haft__object_string(haft__object_object(node->source, "cache"), "scope");
    bool global = haft__str_equal(scope, HAFT__LIT("global"));
    haft__buf key;
    digest made;
    if (node->kind != HAFT__NODE_TOOL || !node->cached
        || (!global && !haft__str_equal(scope, HAFT__LIT("thread")))) {
        return HAFT_OK;
    }
    haft__buf_init(&key, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft_status status = write_node_key(node, &key, err);
    if (status == HAFT_OK) {
        call->cache = global ? HAFT__CACHE_GLOBAL : HAFT__CACHE_THREAD;
        call->cache_ttl_ms = read_ttl(node);
        call->cache_key = haft__arena_copy(run->arena, make_digest(haft__buf_str(&key), &made));
        status = call->cache_key.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&key);
    return status;
}
