/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - makes a script from a log. Tests: tests/run/replay/script_test.c. */
#include "run/replay/script.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "json/read.h"
#include "json/write.h"

typedef struct script_builder {
    haft__arena *arena;
    haft__json_writer w;
    haft__map results; /* tool -> its results so far, a haft__buf of JSON with commas */
    haft_error *err;
} script_builder;

static void add_text(haft__json_writer *w, const char *key, const haft__json *value)
{
    haft__json_key(w, key);
    haft__json_add_str(w, value != NULL ? haft__json_text(*value) : HAFT__LIT(""));
}

static void add_calls(script_builder *r, haft__json calls)
{
    haft__json_key(&r->w, "calls");
    haft__json_begin_array(&r->w);
    for (uint32_t i = 0; calls.kind == HAFT__JSON_ARRAY && i < calls.count; i++) {
        haft__json_begin_object(&r->w);
        add_text(&r->w, "name", haft__json_get(calls.items[i], HAFT__LIT("name")));
        add_text(&r->w, "id", haft__json_get(calls.items[i], HAFT__LIT("model_call")));
        add_text(&r->w, "raw", haft__json_get(calls.items[i], HAFT__LIT("arguments")));
        const haft__json *malformed = haft__json_get(calls.items[i], HAFT__LIT("malformed"));
        if (malformed != NULL) {
            add_text(&r->w, "malformed", malformed);
        }
        if (haft__json_get(calls.items[i], HAFT__LIT("repaired")) != NULL) {
            haft__json_key(&r->w, "repaired");
            haft__json_add_bool(&r->w, true);
        }
        haft__json_end_object(&r->w);
    }
    haft__json_end_array(&r->w);
}

static void add_reply(script_builder *r, const haft__event *event)
{
    const haft__json *calls = haft__event_field(event, "calls");
    const haft__json *usage = haft__event_field(event, "usage");
    haft__json_begin_object(&r->w);
    add_text(&r->w, "text", haft__event_field(event, "content"));
    add_text(&r->w, "reasoning", haft__event_field(event, "reasoning"));
    add_calls(r, calls != NULL ? *calls : haft__json_null());
    if (usage != NULL) {
        haft__json_key(&r->w, "usage");
        haft__json_add(&r->w, *usage);
    }
    add_text(&r->w, "stop", haft__event_field(event, "stop"));
    haft__json_end_object(&r->w);
}

static void add_failure(script_builder *r, const haft__event *event)
{
    const haft__json *status = haft__event_field(event, "status");
    haft__json_begin_object(&r->w);
    haft__json_key(&r->w, "error");
    haft__json_begin_object(&r->w);
    haft__json_key(&r->w, "status");
    haft__json_add(&r->w, status != NULL ? *status : haft__json_null());
    add_text(&r->w, "body", haft__event_field(event, "message"));
    haft__json_end_object(&r->w);
    haft__json_end_object(&r->w);
}

/* The list of a tool's results. Creates the list at the first use. */
static haft_status results_of(script_builder *r, haft_str tool, haft__buf **ret_list)
{
    *ret_list = haft__map_get(&r->results, tool);
    if (*ret_list != NULL) {
        return HAFT_OK;
    }
    haft__buf *list = haft__arena_alloc(r->arena, sizeof(*list));
    if (list == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    haft__buf_init(list, HAFT__LIMIT_RUN_BYTES);
    *ret_list = list;
    return haft__map_put(&r->results, tool, list, r->err);
}

/* Adds the result of a tool: a text, or {error: {message, hint}}. Ignores a cached result, because
 * the tool was not called. */
static haft_status add_result(script_builder *r, const haft__event *event)
{
    const haft__json *error = haft__event_field(event, "error");
    const haft__json *result = haft__event_field(event, "result");
    haft_str tool = {NULL, 0};
    haft__buf *list = NULL;
    haft_status status = haft__event_text(event, "tool", &tool, r->err);
    if (status == HAFT_OK && !haft__event_flag(event, "cached")) {
        status = results_of(r, tool, &list);
    }
    if (status != HAFT_OK || list == NULL) {
        return status;
    }
    haft__buf_add_str(list, list->len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
    if (error != NULL) {
        haft__json_writer w;
        haft__json_writer_init(&w, list);
        haft__json_begin_object(&w);
        haft__json_key(&w, "error");
        haft__json_add(&w, *error);
        haft__json_end_object(&w);
    } else {
        haft__json_write(list, result != NULL ? *result : haft__json_string(HAFT__LIT("")));
    }
    return haft__buf_check(list, r->err);
}

static haft_status read_events(script_builder *r, haft_str lines, haft__hash_key hash_key)
{
    haft_status status = HAFT_OK;
    for (size_t number = 1; status == HAFT_OK && lines.len > 0; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__event_read(r->arena, line, hash_key, &event, r->err);
        if (status != HAFT_OK) {
            char line_number[32];
            (void)snprintf(line_number, sizeof(line_number), "%zu", number);
            haft__error_prepend_location(r->err, line_number);
        } else if (event.kind == HAFT__EVENT_MODEL_REPLIED) {
            add_reply(r, &event);
        } else if (event.kind == HAFT__EVENT_MODEL_FAILED) {
            add_failure(r, &event);
        } else if (event.kind == HAFT__EVENT_CALL_FINISHED) {
            status = add_result(r, &event);
        }
    }
    return status;
}

static void add_results(script_builder *r)
{
    haft__json_key(&r->w, "results");
    haft__json_begin_object(&r->w);
    for (uint32_t i = 0; i < r->results.count; i++) {
        const haft__buf *list = r->results.entries[i].value;
        haft__json_key_str(&r->w, r->results.entries[i].key);
        haft__json_begin_array(&r->w);
        haft__buf_add_str(r->w.buf, haft__buf_str(list));
        haft__json_end_array(&r->w);
    }
    haft__json_end_object(&r->w);
}

haft_status haft__replay_make_script(haft__arena *arena, haft_str lines, haft__hash_key hash_key,
                                     haft__json *ret_document, haft_error *err)
{
    script_builder r = {.arena = arena, .err = err};
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__map_init(&r.results, arena, hash_key);
    haft__json_writer_init(&r.w, &text);
    haft__json_begin_object(&r.w);
    haft__json_key(&r.w, "replies");
    haft__json_begin_array(&r.w);
    haft_status status = read_events(&r, lines, hash_key);
    if (status == HAFT_OK) {
        haft__json_end_array(&r.w);
        add_results(&r);
        haft__json_end_object(&r.w);
        status = haft__buf_check(&text, err);
    }
    for (uint32_t i = 0; i < r.results.count; i++) {
        haft__buf_finish(r.results.entries[i].value);
    }
    haft_str kept = {NULL, 0};
    if (status == HAFT_OK) {
        kept = haft__arena_copy(arena, haft__buf_str(&text));
        status = kept.ptr != NULL ? haft__json_read(arena, kept, NULL, ret_document, NULL, err)
                                  : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}
