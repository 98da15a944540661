/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - single calls: is it new, valid and worth it; and what the tools are called with
 * that end a workflow or ask a person. Tests: tests/model/rules/offline_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "json/write.h"

/* A tool that failed so often in a row is left alone. */
#define PATIENCE    2U
#define REPORT_NAME "report.md"

bool haft__offline_ok(haft__offline *o, haft_status status)
{
    o->status = o->status == HAFT_OK ? status : o->status;
    return o->status == HAFT_OK;
}

/* ---- proposing calls ---- */

bool haft__offline_is_full(const haft__offline *o)
{
    return o->call_count == (o->past.one_at_a_time ? 1 : HAFT__LIMIT_OFFLINE_AT_ONCE);
}

haft__json haft__offline_object(haft__offline *o, const haft__offline_pair *pairs, size_t count)
{
    haft__json_member *members = haft__arena_array(o->arena, count, sizeof(*members));
    size_t kept = 0;
    if (members == NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
        return haft__json_object(NULL, 0);
    }
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].key != NULL) {
            members[kept].key = haft__json_string(haft__str(pairs[i].key));
            members[kept++].value = pairs[i].value;
        }
    }
    return haft__json_object(members, kept);
}

static size_t count_all_calls(const haft__messages *messages)
{
    size_t count = 0;
    for (size_t i = 0; i < messages->count; i++) {
        count += messages->items[i].call_count;
    }
    return count;
}

/* Ids count the calls of the whole conversation. */
bool haft__offline_add_call(haft__offline *o, haft_str name, haft__json arguments)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    haft__json_write(&text, arguments);
    haft__message_call call = {.name = name};
    if (haft__offline_ok(o, haft__buf_check(&text, o->err))) {
        size_t number = count_all_calls(o->request->messages) + o->call_count + 1;
        call.arguments = haft__arena_copy(o->arena, haft__buf_str(&text));
        call.id = haft__arena_format(o->arena, "call_%zu", number);
    }
    haft__buf_finish(&text);
    if (o->status == HAFT_OK && (call.arguments.ptr == NULL || call.id.ptr == NULL)) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    if (o->status == HAFT_OK) {
        o->calls[o->call_count++] = call;
    }
    return o->status == HAFT_OK;
}

/* Whether the call has not been made; from now on it has. */
static bool is_new(haft__offline *o, haft_str name, haft__json arguments)
{
    haft_str key = {NULL, 0};
    haft_status status = haft__offline_sign(o->arena, name, arguments, &key, o->err);
    if (!haft__offline_ok(o, status) || haft__map_get(&o->past.made, key) != NULL) {
        return false;
    }
    return haft__offline_ok(o, haft__map_put(&o->past.made, key, o, o->err));
}

bool haft__offline_propose(haft__offline *o, size_t tool, haft__json arguments,
                           haft__offline_zeal zeal)
{
    if (o->status != HAFT_OK || tool == HAFT__OFFLINE_NONE || haft__offline_is_full(o)
        || !o->request->allowed[tool]) {
        return false;
    }
    if (zeal == HAFT__OFFLINE_WILLING && o->tallies[tool].row >= PATIENCE) {
        return false;
    }
    const haft__tool *named = o->request->tools[tool];
    if (zeal != HAFT__OFFLINE_ANYHOW) {
        bool valid = false;
        haft_status status = haft__offline_valid(o, named, arguments, &valid);
        if (!haft__offline_ok(o, status) || !valid || !is_new(o, named->name, arguments)) {
            return false;
        }
    }
    return haft__offline_add_call(o, named->name, arguments);
}

/* ---- tools that are known by their schema ---- */

bool haft__offline_call_by_schema(haft__offline *o, size_t tool, haft__offline_zeal zeal)
{
    const haft__tool *named = o->request->tools[tool];
    unsigned most = zeal == HAFT__OFFLINE_FORCED ? HAFT__OFFLINE_VARIANTS : 2;
    o->says = "Calling a tool with what the task says.";
    for (unsigned variant = 0; variant < most && o->status == HAFT_OK; variant++) {
        haft__json arguments;
        bool valid = false;
        haft_status status = haft__offline_arguments(o, named, variant, &arguments, &valid);
        if (haft__offline_ok(o, status) && haft__offline_propose(o, tool, arguments, zeal)) {
            return true;
        }
    }
    return false;
}

/* ---- the end of a workflow ---- */

haft_str haft__offline_made_text(haft__offline *o,
                                 void (*write)(haft__buf *buf, const haft__offline *o))
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    haft_str kept = HAFT__LIT("");
    write(&text, o);
    if (haft__offline_ok(o, haft__buf_check(&text, o->err))) {
        kept = haft__arena_copy(o->arena, haft__buf_str(&text));
        if (kept.ptr == NULL) {
            (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
        }
    }
    haft__buf_finish(&text);
    return kept;
}

bool haft__offline_store(haft__offline *o, haft__offline_zeal zeal)
{
    size_t tool = o->known[HAFT__OFFLINE_STORE];
    if (tool == HAFT__OFFLINE_NONE || !o->request->allowed[tool]) {
        return false;
    }
    uint32_t made = o->tallies[tool].made;
    haft_str name =
        made == 0 ? HAFT__LIT(REPORT_NAME) : haft__arena_format(o->arena, "report-%u.md", made + 1);
    if (name.ptr == NULL) {
        return haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    haft__offline_pair pairs[] = {
        {"name", haft__json_string(name)},
        {"content", haft__json_string(haft__offline_made_text(o, haft__offline_write_report))},
        {"media_type", haft__json_string(HAFT__LIT("text/markdown"))},
    };
    o->says = "Storing what was found as a report.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

bool haft__offline_complete(haft__offline *o, haft__offline_zeal zeal)
{
    size_t tool = o->known[HAFT__OFFLINE_COMPLETE];
    if (tool == HAFT__OFFLINE_NONE || !o->request->allowed[tool]) {
        return false;
    }
    haft__offline_pair pairs[] = {
        {"summary", haft__json_string(haft__offline_made_text(o, haft__offline_write_summary))}};
    o->says = o->call_count > 0 ? o->says : "The work is done.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

bool haft__offline_question(haft__offline *o, haft__offline_zeal zeal)
{
    size_t tool = o->known[HAFT__OFFLINE_ASK];
    if (tool == HAFT__OFFLINE_NONE || !o->request->allowed[tool]) {
        return false;
    }
    haft_str question = haft__arena_format(
        o->arena, "Which words, files or directories should be looked at? (question %u)",
        o->tallies[tool].made + 1);
    if (question.ptr == NULL) {
        return haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    haft__offline_pair pairs[] = {{"question", haft__json_string(question)}};
    o->says = "A question is all that is left.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

/* ---- what is asked for by name ---- */

bool haft__offline_call_tool(haft__offline *o, size_t tool, haft__offline_zeal zeal)
{
    if (haft__offline_is_file_tool(o, tool)) {
        return haft__offline_gather_with(o, tool);
    }
    bool called = tool == o->known[HAFT__OFFLINE_STORE]      ? haft__offline_store(o, zeal)
                  : tool == o->known[HAFT__OFFLINE_COMPLETE] ? haft__offline_complete(o, zeal)
                  : tool == o->known[HAFT__OFFLINE_ASK]      ? haft__offline_question(o, zeal)
                                                             : false;
    return called || haft__offline_call_by_schema(o, tool, zeal);
}
