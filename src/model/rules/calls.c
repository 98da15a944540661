/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - one call: is it allowed, new and valid; and the arguments of the tools that store a
 * report, complete a workflow or ask the user. Tests: tests/model/rules/offline_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "json/write.h"

/* A tool that failed so often in a row is not called again, unless a call is forced. */
#define PATIENCE    2U
#define REPORT_NAME "report.md"

bool haft__offline_ok(haft__offline *o, haft_status status)
{
    o->status = o->status == HAFT_OK ? status : o->status;
    return o->status == HAFT_OK;
}

haft_str haft__offline_check_text(haft__offline *o, haft_str text)
{
    if (text.ptr == NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    return text.ptr != NULL ? text : HAFT__LIT("");
}

/* ---- proposing calls ---- */

bool haft__offline_is_full(const haft__offline *o)
{
    return o->call_count == (o->history.one_at_a_time ? 1 : HAFT__LIMIT_OFFLINE_AT_ONCE);
}

haft__json haft__offline_object(haft__offline *o, const haft__offline_member *members, size_t count)
{
    haft__json_member *kept = haft__arena_array(o->arena, count, sizeof(*kept));
    size_t kept_count = 0;
    if (kept == NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
        return haft__json_object(NULL, 0);
    }
    for (size_t i = 0; i < count; i++) {
        if (members[i].key != NULL) {
            kept[kept_count].key = haft__json_string(haft__str(members[i].key));
            kept[kept_count++].value = members[i].value;
        }
    }
    return haft__json_object(kept, kept_count);
}

haft__json haft__offline_number(haft__offline *o, int64_t number)
{
    haft__json value = haft__json_int(o->arena, number);
    if (value.kind == HAFT__JSON_NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    return value;
}

static size_t count_all_calls(const haft__messages *messages)
{
    size_t count = 0;
    for (size_t i = 0; i < messages->count; i++) {
        count += messages->items[i].call_count;
    }
    return count;
}

/* The id is the number of the call in the whole conversation. */
bool haft__offline_add_call(haft__offline *o, haft_str name, haft__json arguments)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    haft__json_write(&text, arguments);
    haft__message_call call = {.name = name};
    if (haft__offline_ok(o, haft__buf_check(&text, o->err))) {
        size_t number = count_all_calls(o->request->messages) + o->call_count + 1;
        call.arguments =
            haft__offline_check_text(o, haft__arena_copy(o->arena, haft__buf_str(&text)));
        call.id = haft__offline_check_text(o, haft__arena_format(o->arena, "call_%zu", number));
    }
    haft__buf_finish(&text);
    if (o->status == HAFT_OK) {
        o->calls[o->call_count++] = call;
    }
    return o->status == HAFT_OK;
}

/* Whether the call has not been made before. Records it. */
static bool is_new(haft__offline *o, haft_str name, haft__json arguments)
{
    haft_str key = {NULL, 0};
    haft_status status = haft__offline_call_key(o->arena, name, arguments, &key, o->err);
    if (!haft__offline_ok(o, status) || haft__map_get(&o->history.made, key) != NULL) {
        return false;
    }
    return haft__offline_ok(o, haft__map_put(&o->history.made, key, o, o->err));
}

bool haft__offline_propose(haft__offline *o, size_t tool, haft__json arguments,
                           haft__offline_need need)
{
    if (o->status != HAFT_OK || tool == HAFT__OFFLINE_NONE || haft__offline_is_full(o)
        || !o->request->allowed[tool]) {
        return false;
    }
    if (need == HAFT__OFFLINE_OPTIONAL && o->tallies[tool].failures >= PATIENCE) {
        return false;
    }
    const haft__tool *named = o->request->tools[tool];
    if (need != HAFT__OFFLINE_LAST_RESORT) {
        bool valid = false;
        haft_status status = haft__offline_check_arguments(o, named, arguments, &valid);
        if (!haft__offline_ok(o, status) || !valid || !is_new(o, named->name, arguments)) {
            return false;
        }
    }
    return haft__offline_add_call(o, named->name, arguments);
}

/* ---- a call by schema ---- */

bool haft__offline_call_by_schema(haft__offline *o, size_t tool, haft__offline_need need)
{
    const haft__tool *named = o->request->tools[tool];
    unsigned max = need == HAFT__OFFLINE_FORCED ? HAFT__OFFLINE_ATTEMPTS : 2;
    o->text = "Calling a tool with values of the task.";
    for (unsigned attempt = 0; attempt < max && o->status == HAFT_OK; attempt++) {
        haft__json arguments;
        bool valid = false;
        haft_status status = haft__offline_arguments(o, named, attempt, &arguments, &valid);
        if (haft__offline_ok(o, status) && haft__offline_propose(o, tool, arguments, need)) {
            return true;
        }
    }
    return false;
}

/* ---- the end of a workflow ---- */

haft_str haft__offline_write(haft__offline *o,
                             void (*write)(haft__buf *buf, const haft__offline *o))
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    haft_str kept = HAFT__LIT("");
    write(&text, o);
    if (haft__offline_ok(o, haft__buf_check(&text, o->err))) {
        kept = haft__offline_check_text(o, haft__arena_copy(o->arena, haft__buf_str(&text)));
    }
    haft__buf_finish(&text);
    return kept;
}

/* Whether the builtin is offered and allowed. */
static bool is_allowed(const haft__offline *o, haft__offline_builtin builtin)
{
    size_t tool = o->builtins[builtin];
    return tool != HAFT__OFFLINE_NONE && o->request->allowed[tool];
}

bool haft__offline_store(haft__offline *o)
{
    size_t tool = o->builtins[HAFT__OFFLINE_STORE];
    if (!is_allowed(o, HAFT__OFFLINE_STORE)) {
        return false;
    }
    uint32_t made = o->tallies[tool].made;
    haft_str name =
        made == 0 ? HAFT__LIT(REPORT_NAME) : haft__arena_format(o->arena, "report-%u.md", made + 1);
    haft__offline_member members[] = {
        {"name", haft__json_string(haft__offline_check_text(o, name))},
        {"content", haft__json_string(haft__offline_write(o, haft__offline_write_report))},
        {"media_type", haft__json_string(HAFT__LIT("text/markdown"))},
    };
    o->text = "Storing the findings as a report.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)),
                                 HAFT__OFFLINE_FORCED);
}

bool haft__offline_complete(haft__offline *o)
{
    if (!is_allowed(o, HAFT__OFFLINE_COMPLETE)) {
        return false;
    }
    haft__offline_member members[] = {
        {"summary", haft__json_string(haft__offline_write(o, haft__offline_write_summary))}};
    o->text = o->call_count > 0 ? o->text : "The work is done.";
    return haft__offline_propose(o, o->builtins[HAFT__OFFLINE_COMPLETE],
                                 haft__offline_object(o, members, COUNT(members)),
                                 HAFT__OFFLINE_FORCED);
}

bool haft__offline_ask_user(haft__offline *o)
{
    size_t tool = o->builtins[HAFT__OFFLINE_ASK];
    if (!is_allowed(o, HAFT__OFFLINE_ASK)) {
        return false;
    }
    haft_str question = haft__arena_format(
        o->arena, "Which words, files or directories should be searched? (question %u)",
        o->tallies[tool].made + 1);
    haft__offline_member members[] = {
        {"question", haft__json_string(haft__offline_check_text(o, question))}};
    o->text = "Only a question to the user is left.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)),
                                 HAFT__OFFLINE_FORCED);
}

/* ---- any tool ---- */

bool haft__offline_call_tool(haft__offline *o, size_t tool)
{
    if (haft__offline_is_file_tool(o, tool)) {
        return haft__offline_gather_with(o, tool);
    }
    bool called = tool == o->builtins[HAFT__OFFLINE_STORE]      ? haft__offline_store(o)
                  : tool == o->builtins[HAFT__OFFLINE_COMPLETE] ? haft__offline_complete(o)
                  : tool == o->builtins[HAFT__OFFLINE_ASK]      ? haft__offline_ask_user(o)
                                                                : false;
    return called || haft__offline_call_by_schema(o, tool, HAFT__OFFLINE_FORCED);
}
