/* SPDX-License-Identifier: Apache-2.0 */
/* parse_text.c - see parse_text.h. Tests: tests/cli/parse_test.py. */
#include "cli/commands/parse_text.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "json/read.h"

/* ---- results ---- */

/* Makes room for one more item; existing items move. */
static haft_status grow(haft__arena *arena, void **io_items, size_t count, size_t *io_capacity,
                        size_t size, haft_error *err)
{
    if (count < *io_capacity) {
        return HAFT_OK;
    }
    size_t capacity = count > 0 ? 2 * count : 4;
    void *items = haft__arena_array(arena, capacity, size);
    if (items == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (count > 0) {
        memcpy(items, *io_items, count * size);
    }
    *io_items = items;
    *io_capacity = capacity;
    return HAFT_OK;
}

haft_status haft__parsed_add_call(haft__arena *arena, haft__parsed *parsed, haft_str id,
                                  haft_str name, haft__json arguments, haft_error *err)
{
    void *items = parsed->calls;
    haft_status status = grow(arena, &items, parsed->call_count, &parsed->call_capacity,
                              sizeof(*parsed->calls), err);
    parsed->calls = items;
    haft__parsed_call call = {haft__arena_copy(arena, id), haft__arena_copy(arena, name),
                              arguments};
    if (status == HAFT_OK && (call.id.ptr == NULL || call.name.ptr == NULL)) {
        status = haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        parsed->calls[parsed->call_count++] = call;
    }
    return status;
}

haft_status haft__parsed_add_error(haft__arena *arena, haft__parsed *parsed,
                                   const haft__parsed_error *error, haft_error *err)
{
    void *items = parsed->errors;
    haft_status status = grow(arena, &items, parsed->error_count, &parsed->error_capacity,
                              sizeof(*parsed->errors), err);
    parsed->errors = items;
    haft__parsed_error kept = *error;
    kept.why = haft__arena_copy(arena, error->why);
    kept.text = haft__arena_copy(arena, error->text);
    if (status == HAFT_OK && (kept.why.ptr == NULL || kept.text.ptr == NULL)) {
        status = haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        parsed->errors[parsed->error_count++] = kept;
    }
    return status;
}

const char *haft__parsed_error_name(const haft__parsed *parsed)
{
    bool truncated = false;
    for (size_t i = 0; i < parsed->error_count; i++) {
        truncated = truncated || parsed->errors[i].truncated;
    }
    return truncated ? "truncated" : parsed->error_count > 0 ? "malformed" : NULL;
}

/* ---- text formats ---- */

/* Collects the parser's output until a call or block is complete. */
typedef struct collector {
    haft__arena *arena;
    haft__parsed *parsed;
    const haft__parse_request *request;
    size_t ahead; /* size of the end of the prompt, which the parser reads before the text */
    haft__buf content, reasoning, code;
    haft__buf block;           /* the open block of code; dropped if it is not closed */
    haft__buf name, arguments; /* of the current call */
} collector;

static haft_status add(haft__buf *buf, haft_str text, haft_error *err)
{
    haft__buf_add_str(buf, text);
    return haft__buf_check(buf, err);
}

static haft_status end_block(collector *g, haft_error *err)
{
    if (g->code.len > 0) {
        haft__buf_add_str(&g->code, HAFT__LIT("\n\n"));
    }
    haft__buf_add_str(&g->code, haft__buf_str(&g->block));
    haft__buf_clear(&g->block);
    return haft__buf_check(&g->code, err);
}

static haft_status begin_call(collector *g, haft_str name, haft_error *err)
{
    haft__buf_clear(&g->name);
    haft__buf_clear(&g->arguments);
    return add(&g->name, name, err);
}

static haft_status end_call(collector *g, const haft__parser_event *found, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = g->request->hash_key;
    haft__json arguments;
    haft_str text = haft__arena_copy(g->arena, haft__buf_str(&g->arguments));
    if (text.ptr == NULL) {
        return haft__arena_fail(g->arena, err);
    }
    haft_status status = haft__json_read(g->arena, text, &options, &arguments, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    g->parsed->repaired = g->parsed->repaired || found->repaired;
    return haft__parsed_add_call(g->arena, g->parsed, found->id, haft__buf_str(&g->name), arguments,
                                 err);
}

static haft_status add_malformed(collector *g, const haft__parser_event *found, haft_error *err)
{
    haft__buf_clear(&g->block);
    haft__parsed_error error = {.truncated = found->kind == HAFT__PARSER_EVENT_TRUNCATED,
                                .offset = found->offset > g->ahead ? found->offset - g->ahead : 0,
                                .why = haft__str(found->why),
                                .text = found->text};
    return haft__parsed_add_error(g->arena, g->parsed, &error, err);
}

static haft_status on_found(void *context, const haft__parser_event *found, haft_error *err)
{
    collector *g = context;
    switch (found->kind) {
    case HAFT__PARSER_EVENT_CONTENT: return add(&g->content, found->text, err);
    case HAFT__PARSER_EVENT_REASONING: return add(&g->reasoning, found->text, err);
    case HAFT__PARSER_EVENT_CODE: return add(&g->block, found->text, err);
    case HAFT__PARSER_EVENT_CODE_END: return end_block(g, err);
    case HAFT__PARSER_EVENT_CALL: return begin_call(g, found->text, err);
    case HAFT__PARSER_EVENT_ARGUMENTS: return add(&g->arguments, found->text, err);
    case HAFT__PARSER_EVENT_CALL_END: return end_call(g, found, err);
    case HAFT__PARSER_EVENT_TRUNCATED:
    case HAFT__PARSER_EVENT_MALFORMED: return add_malformed(g, found, err);
    }
    HAFT__UNREACHABLE();
}

static haft_status feed(haft__parser *parser, haft_str text, size_t chunk, haft_error *err)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && text.len > 0) {
        size_t length = chunk == 0 || chunk > text.len ? text.len : chunk;
        status = haft__parser_feed(parser, (haft_str){text.ptr, length}, err);
        text = haft__str_skip(text, length);
    }
    return status;
}

/* Returns the end of the prompt if it is a mark with which texts of this format begin; else NULL.
 */
static haft_str find_start(const haft__format *format, haft_str prompt)
{
    haft_str end = haft__str_trim(prompt);
    const haft__format_mark *marks = format->states[0].marks;
    for (size_t i = 0; i < COUNT(format->states[0].marks) && marks[i].text != NULL; i++) {
        if (end.len > 0 && haft__str_equal(end, haft__str(marks[i].text))) {
            return end;
        }
    }
    return (haft_str){NULL, 0};
}

static haft_status parse(collector *g, const haft__format *format, haft_error *err)
{
    const haft__parse_request *r = g->request;
    haft__parser_options options = {.tools = r->tools,
                                    .tool_count = r->tool_count,
                                    .repair = r->repair,
                                    .start_in_reasoning = r->start_in_reasoning,
                                    .take = on_found,
                                    .context = g};
    haft__parser *parser = NULL;
    haft_str start = find_start(format, r->starts_after);
    haft_status status = haft__parser_create(format, &options, &parser, err);
    g->ahead = start.len;
    if (status == HAFT_OK) {
        status = feed(parser, start, 0, err);
    }
    if (status == HAFT_OK) {
        status = feed(parser, r->text, r->chunk, err);
    }
    if (status == HAFT_OK) {
        status = haft__parser_end(parser, false, err);
    }
    haft__parser_destroy(parser);
    return status;
}

static haft_status copy_texts(collector *g, haft_error *err)
{
    haft__parsed *parsed = g->parsed;
    parsed->content = haft__arena_copy(g->arena, haft__buf_str(&g->content));
    parsed->reasoning = haft__arena_copy(g->arena, haft__buf_str(&g->reasoning));
    parsed->code = haft__arena_copy(g->arena, haft__buf_str(&g->code));
    bool kept =
        parsed->content.ptr != NULL && parsed->reasoning.ptr != NULL && parsed->code.ptr != NULL;
    return kept ? HAFT_OK : haft__arena_fail(g->arena, err);
}

static haft_status collect(haft__arena *arena, const haft__format *format,
                           const haft__parse_request *request, haft__parsed *parsed,
                           haft_error *err)
{
    collector g = {.arena = arena, .parsed = parsed, .request = request};
    haft__buf *bufs[] = {&g.content, &g.reasoning, &g.code, &g.block, &g.name, &g.arguments};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], 2 * (size_t)HAFT__LIMIT_FORMAT_BYTES);
    }
    haft_status status = parse(&g, format, err);
    if (status == HAFT_OK) {
        status = copy_texts(&g, err);
    }
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
    return status;
}

haft_status haft__parsed_fail_unknown_format(haft_str name, const char *command, haft_error *err)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < count; i++) {
        haft__suggestion_offer(&near, haft__str(formats[i]->name));
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "unknown format '%.*s'", HAFT__ARG(name));
    if (haft__str_equal_ignore_case(name, HAFT__LIT("native"))) {
        return haft__hint(err, status,
                          "for the reply of a provider use native_openai, native_anthropic or "
                          "native_gemini");
    }
    return near.best.ptr != NULL
               ? haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best))
               : haft__hint(err, status, "'haft help %s' lists the formats", command);
}

haft_status haft__parse_text(haft__arena *arena, const haft__parse_request *request,
                             haft__parsed *ret_parsed, haft_error *err)
{
    haft__parsed parsed = {.repaired = false};
    const haft__format *format = haft__format_find(request->format);
    haft_status status = HAFT_OK;
    if (haft__parsed_is_native(request->format)) {
        status = haft__parse_native(arena, request, &parsed, err);
    } else if (format == NULL) {
        status = haft__parsed_fail_unknown_format(request->format, "parse", err);
    } else {
        status = collect(arena, format, request, &parsed, err);
    }
    if (status == HAFT_OK) {
        *ret_parsed = parsed;
    }
    return status;
}
