/* SPDX-License-Identifier: Apache-2.0 */
/* ask_result.c - see ask_result.h. Tests: tests/cli/ask_test.py. */
#include "engine/ops/ask/ask_result.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/ask/ask_references.h"
#include "graph/run/graph_run.h"
#include "json/object.h"
#include "json/write.h"

/* Moves the text of the buffer into the arena. */
static haft_status move_text(haft__buf *buf, haft__arena *arena, haft_str *ret_text,
                             haft_error *err)
{
    haft_status status = haft__buf_check(buf, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(buf));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(buf);
    return status;
}

/* Checks the references of a text, and removes the wrong references. */
static haft_status check_text(const haft__spec *spec, haft__arena *arena, haft_str text,
                              haft_str *ret_text, haft__reference **ret_references,
                              size_t *ret_count, haft_error *err)
{
    haft__buf checked;
    haft__buf_init(&checked, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__references_find(text, arena, ret_references, ret_count, err);
    if (status == HAFT_OK) {
        status = haft__ask_references_check(spec, *ret_references, *ret_count, arena, err);
    }
    if (status != HAFT_OK) {
        haft__buf_finish(&checked);
        return status;
    }
    haft__references_write(&checked, text, *ret_references, *ret_count);
    return move_text(&checked, arena, ret_text, err);
}

/* Returns a text unchanged, and any other value as JSON. */
static haft_status text_of(haft__json value, haft__arena *arena, haft_str *ret_text,
                           haft_error *err)
{
    haft__buf buf;
    haft__json_writer w;
    if (value.kind == HAFT__JSON_STRING) {
        *ret_text = haft__json_text(value);
        return HAFT_OK;
    }
    haft__buf_init(&buf, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &buf);
    haft__json_add(&w, value);
    return move_text(&buf, arena, ret_text, err);
}

static haft_status read_workers(const haft__run *run, haft__json state, haft__arena *arena,
                                haft__ask_result *result, haft_error *err)
{
    haft__json queries = haft__object_array(state, "queries");
    haft__json findings = haft__object_array(state, "findings");
    uint64_t most = haft__object_number(state, "workers", UINT32_MAX); /* queries with a worker */
    uint32_t count = queries.count < most ? queries.count : (uint32_t)most;
    count = count > findings.count ? count : findings.count;
    result->workers = haft__arena_array(arena, count, sizeof(*result->workers));
    if (result->workers == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < count && status == HAFT_OK; i++) {
        haft__ask_worker *worker = &result->workers[result->worker_count++];
        haft__reference *references = NULL;
        size_t reference_count = 0;
        haft_str text = HAFT__LIT("");
        haft__json query = i < queries.count ? queries.items[i] : haft__json_null();
        *worker = (haft__ask_worker){.angle = haft__object_text(query, "angle"),
                                     .findings = HAFT__LIT("")};
        if (i < findings.count) {
            status = text_of(findings.items[i], arena, &text, err);
        }
        if (status == HAFT_OK) {
            status = check_text(run->spec, arena, text, &worker->findings, &references,
                                &reference_count, err);
        }
    }
    return status;
}

haft_status haft__ask_result_read(const haft__run *run, haft__arena *arena,
                                  haft__ask_result *ret_result, haft_error *err)
{
    haft__json state = haft__json_null();
    haft_status status = HAFT_OK;
    *ret_result = (haft__ask_result){.answer = HAFT__LIT("")};
    if (run->graph != NULL) {
        ret_result->steps = run->graph->x->step;
        status = haft__graph_execution_state(run->graph->x, false, arena, &state, err);
    }
    if (status == HAFT_OK) {
        status = check_text(run->spec, arena, run->answer, &ret_result->answer,
                            &ret_result->references, &ret_result->reference_count, err);
    }
    if (status == HAFT_OK) {
        ret_result->dropped =
            haft__references_dropped(ret_result->references, ret_result->reference_count);
        status = read_workers(run, state, arena, ret_result, err);
    }
    return status;
}

/* ---- as JSON ---- */

/* Whether an earlier reference names the same line. */
static bool is_repeated(const haft__ask_result *result, size_t at)
{
    const haft__reference *one = &result->references[at];
    for (size_t i = 0; i < at; i++) {
        const haft__reference *other = &result->references[i];
        if (other->verdict == HAFT__REFERENCE_GOOD && other->first == one->first
            && haft__str_equal(other->path, one->path)) {
            return true;
        }
    }
    return false;
}

static void write_references(haft__json_writer *w, const haft__ask_result *result)
{
    haft__json_key(w, "references");
    haft__json_begin_array(w);
    for (size_t i = 0; i < result->reference_count; i++) {
        const haft__reference *one = &result->references[i];
        if (one->verdict == HAFT__REFERENCE_GOOD && !is_repeated(result, i)) {
            haft__json_begin_object(w);
            haft__field_text(w, "file", one->path);
            haft__field_number(w, "line", one->first);
            haft__field_text(w, "quote", one->quote.len > 0 ? one->quote : one->line);
            haft__json_end_object(w);
        }
    }
    haft__json_end_array(w);
}

static void write_workers(haft__json_writer *w, const haft__ask_result *result)
{
    haft__json_key(w, "workers");
    haft__json_begin_array(w);
    for (size_t i = 0; i < result->worker_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "angle", result->workers[i].angle);
        haft__field_text(w, "findings", result->workers[i].findings);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

void haft__ask_result_write(haft__buf *buf, const haft__run *run, const haft__ask_result *result)
{
    haft__json_writer w;
    haft__tree_usage usage = haft__child_tree_usage(run);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "answer", result->answer);
    haft__field_number(&w, "steps", result->steps);
    haft__field_number(&w, "total_tokens", usage.input_tokens + usage.output_tokens);
    haft__json_key(&w, "total_cost_usd");
    haft__cost_write(buf, usage.cost_parts);
    w.after_key = false;
    haft__field_flag(&w, "exhausted", run->end == HAFT__END_EXHAUSTED);
    write_references(&w, result);
    haft__field_number(&w, "dropped", result->dropped);
    write_workers(&w, result);
    haft__field_text(&w, "run", run->id);
    if (run->end_error.kind == HAFT__JSON_OBJECT) {
        haft__field_value(&w, "error", run->end_error);
    }
    haft__json_end_object(&w);
    haft__buf_add_char(buf, '\n');
}
