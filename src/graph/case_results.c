/* SPDX-License-Identifier: Apache-2.0 */
/* case_results.c - the results of a graph case. Tests: tests/graph/cases_test.c. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/cases.h"
#include "graph/cases_int.h"
#include "json/canonical.h"
#include "json/object.h"
#include "json/read.h"

void haft__case_write_load_error(haft__json_writer *w, const haft__graph_problem *problem)
{
    haft__json_begin_object(w);
    haft__field_string(w, "end", "load_error");
    haft__json_key(w, "error");
    haft__json_begin_object(w);
    haft__field_string(w, "code", haft__graph_code_name(problem->code));
    haft__field_text(w, "what", problem->what);
    haft__field_text(w, "message", problem->message);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* ---- texts in order ---- */

static int compare_texts(const void *a, const void *b)
{
    const haft_str *left = a, *right = b;
    return haft__str_compare(*left, *right);
}

static void write_sorted(haft__json_writer *w, haft_str *texts, size_t count)
{
    if (count > 0) {
        qsort(texts, count, sizeof(*texts), compare_texts);
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        haft__json_add_str(w, texts[i]);
    }
    haft__json_end_array(w);
}

/* ---- state ---- */

/* Replaces ids that haft has made by the same text, so that results can be compared. */
static haft_status hide_made_ids(haft__arena *arena, haft__json messages, haft__json *ret_shown,
                                 haft_error *err)
{
    haft__json *items = haft__arena_array(arena, messages.count + 1, sizeof(*items));
    haft_status status = items != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (uint32_t i = 0; i < messages.count && status == HAFT_OK; i++) {
        items[i] = messages.items[i];
        if (haft__str_starts_with(haft__object_string(items[i], "id"),
                                  HAFT__LIT(HAFT__CHANNEL_MADE_ID))) {
            status = haft__graph_set_member(arena, items[i], HAFT__LIT("id"),
                                            haft__json_string(HAFT__LIT("(made)")), &items[i], err);
        }
    }
    *ret_shown = haft__json_array(items, messages.count);
    return status;
}

static haft_status write_state(haft__case_play *play, haft__json_writer *w, haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    haft__json state;
    haft_status status = haft__graph_execution_state(play->x, true, arena, &state, err);
    haft__json_key(w, "state");
    haft__json_begin_object(w);
    for (uint32_t i = 0; status == HAFT_OK && i < state.count; i++) {
        uint32_t channel;
        haft__json value = state.members[i].value;
        haft_str name = haft__json_text(state.members[i].key);
        if (haft__graph_find_channel(play->graph, name, &channel)
            && play->graph->channels[channel].reducer == HAFT__REDUCE_MESSAGES
            && value.kind == HAFT__JSON_ARRAY) {
            status = hide_made_ids(arena, value, &value, err);
        }
        if (status != HAFT_OK) {
            return status;
        }
        haft__json_key_str(w, name);
        haft__json_add(w, value);
    }
    haft__json_end_object(w);
    return status;
}

/* ---- steps ---- */

/* Writes [[names of a step], ...] in the order of the steps. */
static haft_status write_steps(haft__case_play *play, haft__json_writer *w, haft_error *err)
{
    haft_str *names = haft__arena_array(&play->world->arena, play->note_count + 1, sizeof(*names));
    if (names == NULL) {
        return haft__arena_fail(&play->world->arena, err);
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < play->note_count;) {
        /* Notes are in the order of the steps, because a step begins after the previous step. */
        size_t count = 0;
        uint32_t step = play->notes[i].step;
        for (; i < play->note_count && play->notes[i].step == step; i++) {
            names[count++] = play->notes[i].name;
        }
        write_sorted(w, names, count);
    }
    haft__json_end_array(w);
    return HAFT_OK;
}

/* One run of an inner graph: its path, and its steps as text. */
typedef struct inner_run {
    haft_str path, steps;
} inner_run;

typedef struct inner_runs {
    inner_run *items;
    size_t count, capacity;
} inner_runs;

static haft_status collect_inner(haft__case_play *play, haft_str at, inner_runs *runs,
                                 haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < play->inner_count && status == HAFT_OK; i++) {
        haft__case_inner *inner = &play->inner[i];
        haft__json_writer w;
        haft__buf buf;
        if (inner->child->note_count == 0) {
            continue;
        }
        inner_run *items = haft__vec_reserve_in(arena, runs->items, runs->count, &runs->capacity,
                                                runs->count + 1, sizeof(*items));
        haft_str path = at.len > 0 ? haft__arena_format(arena, "%.*s/%.*s", HAFT__ARG(at),
                                                        HAFT__ARG(inner->path))
                                   : inner->path;
        if (items == NULL || path.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
        haft__json_writer_init(&w, &buf);
        status = write_steps(inner->child, &w, err);
        if (status == HAFT_OK) {
            status = haft__buf_check(&buf, err);
        }
        haft_str steps = haft__arena_copy(arena, haft__buf_str(&buf));
        haft__buf_finish(&buf);
        if (status == HAFT_OK && steps.ptr == NULL) {
            status = haft__arena_fail(arena, err);
        }
        if (status == HAFT_OK) {
            runs->items = items;
            items[runs->count++] = (inner_run){.path = path, .steps = steps};
            status = collect_inner(inner->child, path, runs, err);
        }
    }
    return status;
}

static int compare_runs(const void *a, const void *b)
{
    const inner_run *left = a, *right = b;
    int order = haft__str_compare(left->path, right->path);
    return order != 0 ? order : haft__str_compare(left->steps, right->steps);
}

static haft_status write_inner(haft__case_play *play, haft__json_writer *w, haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    inner_runs runs = {0};
    haft_status status = collect_inner(play, HAFT__LIT(""), &runs, err);
    if (status != HAFT_OK || runs.count == 0) {
        return status;
    }
    qsort(runs.items, runs.count, sizeof(*runs.items), compare_runs);
    haft__json_key(w, "inner");
    haft__json_begin_object(w);
    for (size_t i = 0; i < runs.count && status == HAFT_OK; i++) {
        haft__json steps;
        bool first = i == 0 || !haft__str_equal(runs.items[i].path, runs.items[i - 1].path);
        bool last =
            i + 1 == runs.count || !haft__str_equal(runs.items[i].path, runs.items[i + 1].path);
        if (first) {
            haft__json_key_str(w, runs.items[i].path);
            haft__json_begin_array(w);
        }
        status = haft__json_read(arena, runs.items[i].steps, NULL, &steps, NULL, err);
        if (status == HAFT_OK) {
            haft__json_add(w, steps);
        }
        if (last) {
            haft__json_end_array(w);
        }
    }
    haft__json_end_object(w);
    return status;
}

/* ---- pending ---- */

/* The canonical text of {node, ask} or {node, pause}, used as the sort key. */
static haft_status pending_text(haft__arena *arena, const haft__case_pending *pending,
                                haft_str *ret_text, haft_error *err)
{
    haft__json_member members[2] = {
        {.key = haft__json_string(HAFT__LIT("node")), .value = haft__json_string(pending->node)},
        {.key = haft__json_string(pending->pause ? HAFT__LIT("pause") : HAFT__LIT("ask")),
         .value = pending->pause ? haft__json_string(HAFT__LIT("before")) : pending->ask}};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft_status status = haft__json_write_canonical(&buf, haft__json_object(members, 2), err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(&buf));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

static haft_status write_pending(haft__case_play *play, haft__json_writer *w, haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    haft__case_pendings list = {0};
    haft_status status = haft__case_list_pending(play, HAFT__LIT(""), 0, &list, err);
    haft_str *texts = haft__arena_array(arena, list.count + 1, sizeof(*texts));
    if (status != HAFT_OK || texts == NULL || list.count == 0) {
        return status != HAFT_OK || texts != NULL ? status : haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < list.count && status == HAFT_OK; i++) {
        status = pending_text(arena, &list.items[i], &texts[i], err);
    }
    if (status == HAFT_OK) {
        qsort(texts, list.count, sizeof(*texts), compare_texts);
    }
    haft__json_key(w, "pending");
    haft__json_begin_array(w);
    for (size_t i = 0; i < list.count && status == HAFT_OK; i++) {
        haft__json value;
        status = haft__json_read(arena, texts[i], NULL, &value, NULL, err);
        if (status == HAFT_OK) {
            haft__json_add(w, value);
        }
    }
    haft__json_end_array(w);
    return status;
}

/* ---- a result ---- */

static void write_failure(const haft__graph_execution *x, haft__json_writer *w)
{
    haft__json_key(w, "error");
    haft__json_begin_object(w);
    haft__field_string(w, "code", haft__graph_code_name(x->failure.code));
    haft__field_text(w, "message", x->failure.message);
    if (x->failure.code == HAFT__GRAPH_TWO_WRITERS) {
        haft__field_text(w, "channel", x->failed_channel);
    }
    haft__json_key(w, x->failure.code == HAFT__GRAPH_JOIN_UNMET ? "missing" : "nodes");
    haft__json_begin_array(w);
    for (size_t i = 0; i < x->failed_node_count; i++) {
        haft__json_add_str(w, x->failed_nodes[i]);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void write_next(const haft__case_play *play, haft__json_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < play->x->task_count; i++) {
        if (play->x->tasks[i].state == HAFT__TASK_DONE) {
            continue;
        }
        if (!any) {
            haft__json_key(w, "next");
            haft__json_begin_array(w);
            any = true;
        }
        haft__json_add_str(w, play->graph->nodes[play->x->tasks[i].node].name);
    }
    if (any) {
        haft__json_end_array(w);
    }
}

haft_status haft__case_write_result(haft__case_world *world, const haft__case_outcome *outcome,
                                    haft__json_writer *w, haft_error *err)
{
    haft__case_play *play = world->current;
    const haft__graph_execution *x = play != NULL ? play->x : NULL;
    haft__graph_end end = x != NULL ? x->end : HAFT__GRAPH_FAILED;
    haft_status status = HAFT_OK;
    bool refused = outcome->refused != NULL;
    haft__json_begin_object(w);
    haft__field_string(w, "end",
                       refused            ? "refused"
                       : outcome->edited  ? "edited"
                       : outcome->waiting ? "paused"
                                          : haft__case_end_name(end));
    if (refused) {
        haft__json_key(w, "error");
        haft__json_begin_object(w);
        haft__field_string(w, "code", outcome->refused);
        haft__json_end_object(w);
    } else if (!outcome->edited && x != NULL
               && (end == HAFT__GRAPH_FAILED || end == HAFT__GRAPH_INCOMPLETE)) {
        write_failure(x, w);
    }
    if (play != NULL) {
        status = write_state(play, w, err);
        if (status == HAFT_OK) {
            haft__json_key(w, "steps");
            status = write_steps(play, w, err);
        }
        status = status == HAFT_OK ? write_inner(play, w, err) : status;
        status = status == HAFT_OK ? write_pending(play, w, err) : status;
        if (status != HAFT_OK) { /* the caller discards the incomplete text */
            return status;
        }
        write_next(play, w);
    }
    if (world->effect_count > 0) {
        haft__json_key(w, "effects");
        write_sorted(w, world->effects, world->effect_count);
    }
    haft__json_end_object(w);
    return status;
}

/* ---- comparison ---- */

/* Whether a field is missing, null or empty. Results without a value may have any of these
 * forms. */
static bool is_empty(const haft__json *value)
{
    return value == NULL || value->kind == HAFT__JSON_NULL
           || ((value->kind == HAFT__JSON_ARRAY || value->kind == HAFT__JSON_OBJECT)
               && value->count == 0);
}

static haft_status same_field(haft__json want, haft__json got, const char *field, bool *ret_same,
                              haft_error *err)
{
    const haft__json *a = haft__object_find(want, field), *b = haft__object_find(got, field);
    *ret_same = is_empty(a) && is_empty(b);
    if (is_empty(a) || is_empty(b)) {
        return HAFT_OK;
    }
    return haft__json_equal(*a, *b, ret_same, err);
}

haft_status haft__graph_compare_results(haft__json want, haft__json results, haft__arena *arena,
                                        bool *ret_right, haft_str *ret_difference, haft_error *err)
{
    static const char *const fields[] = {"end", "state", "steps", "inner", "pending", "effects"};
    uint32_t count = want.count > results.count ? want.count : results.count;
    haft_status status = HAFT_OK;
    *ret_right = true;
    for (uint32_t i = 0; i < count && status == HAFT_OK && *ret_right; i++) {
        haft__json a = i < want.count ? want.items[i] : haft__json_null();
        haft__json b = i < results.count ? results.items[i] : haft__json_null();
        const char *where = "error.code";
        *ret_right = haft__str_equal(haft__object_string(haft__object_get(a, "error"), "code"),
                                     haft__object_string(haft__object_get(b, "error"), "code"));
        for (size_t f = 0; f < COUNT(fields) && status == HAFT_OK && *ret_right; f++) {
            where = fields[f];
            status = same_field(a, b, where, ret_right, err);
        }
        if (status == HAFT_OK && !*ret_right) {
            *ret_difference = haft__arena_format(arena, "action %u: %s", i + 1, where);
            status = ret_difference->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
        }
    }
    return status;
}
