/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - the tools of a request: the counts of their calls, and the risk of calling each.
 *
 * Rules do not know the consequences of a call, so a tool that may change something is called only
 * if the task asks for it or a call is forced. Tests: tests/model/rules/tools_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* The name of each builtin, and an argument that it must have. */
static const struct {
    const char *name, *argument;
} builtins[HAFT__OFFLINE_BUILTINS] = {
    [HAFT__OFFLINE_GLOB] = {"glob", "pattern"},
    [HAFT__OFFLINE_GREP] = {"grep", "pattern"},
    [HAFT__OFFLINE_READ] = {"read", "path"},
    [HAFT__OFFLINE_STORE] = {"store_artifact", "content"},
    [HAFT__OFFLINE_COMPLETE] = {"complete_workflow", "summary"},
    [HAFT__OFFLINE_ASK] = {"request_user_input", "question"},
};

static void find_builtin(haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    const haft__json *properties = haft__json_get(t->input_schema, HAFT__LIT("properties"));
    for (size_t i = 0; properties != NULL && i < COUNT(builtins); i++) {
        if (haft__str_equal(t->name, haft__str(builtins[i].name))
            && haft__json_get(*properties, haft__str(builtins[i].argument)) != NULL) {
            o->builtins[i] = tool;
        }
    }
}

static haft_status count_calls(haft__offline *o)
{
    const haft__request *request = o->request;
    haft_status status = HAFT_OK;
    haft__map by_name;
    haft__map_init(&by_name, o->arena, HAFT__OFFLINE_KEY);
    for (size_t i = 0; i < request->tool_count && status == HAFT_OK; i++) {
        status = haft__map_put(&by_name, request->tools[i]->name, &o->tallies[i], o->err);
    }
    for (size_t i = 0; i < o->history.count && status == HAFT_OK; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        haft__offline_tally *tally = haft__map_get(&by_name, call->name);
        if (tally != NULL && !call->not_run) {
            tally->made++;
            tally->succeeded += call->answered && !call->failed ? 1 : 0;
            tally->failures = call->failed ? tally->failures + 1 : 0;
        }
    }
    return status;
}

haft_status haft__offline_tools_read(haft__offline *o)
{
    for (size_t i = 0; i < COUNT(o->builtins); i++) {
        o->builtins[i] = HAFT__OFFLINE_NONE;
    }
    for (size_t i = 0; i < o->request->tool_count; i++) {
        find_builtin(o, i);
    }
    o->tallies = haft__arena_array(o->arena, o->request->tool_count, sizeof(*o->tallies));
    return o->tallies != NULL ? count_calls(o) : haft__arena_fail(o->arena, o->err);
}

bool haft__offline_is_file_tool(const haft__offline *o, size_t tool)
{
    return o->builtins[HAFT__OFFLINE_GLOB] == tool || o->builtins[HAFT__OFFLINE_GREP] == tool
           || o->builtins[HAFT__OFFLINE_READ] == tool;
}

bool haft__offline_has_file_tools(const haft__offline *o)
{
    for (int i = HAFT__OFFLINE_GLOB; i <= HAFT__OFFLINE_READ; i++) {
        if (o->builtins[i] != HAFT__OFFLINE_NONE && o->request->allowed[o->builtins[i]]) {
            return true;
        }
    }
    return false;
}

/* ---- risk ---- */

/* Whether the task has every part of a name with at least two: word_count for "count the words".
 */
static bool has_all_parts(haft_str task, haft_str name)
{
    size_t parts = 0, start = 0;
    for (size_t i = 0; i <= name.len; i++) {
        if (i < name.len && is_name_char(name.ptr[i]) && name.ptr[i] != '_') {
            continue;
        }
        char room[HAFT__LIMIT_TOOL_NAME_BYTES];
        haft_str part = {name.ptr + start, i - start};
        if (part.len > sizeof(room)) {
            return false;
        }
        haft__offline_word word = {.text = haft__offline_stem(part, room)};
        if (part.len > 0 && !haft__offline_word_in(&word, task)) {
            return false;
        }
        parts += part.len > 0 ? 1 : 0;
        start = i + 1;
    }
    return parts >= 2;
}

static bool has_verb(haft_str name, haft_str verbs)
{
    haft_str rest = verbs;
    bool found = false;
    while (rest.len > 0 && !found) {
        haft__offline_word word = {.text = haft__str_split(&rest, ' ')};
        found = haft__offline_word_in(&word, name);
    }
    return found;
}

/* Whether the name has a verb of a tool that does more than read or write a text. */
static bool has_changing_verb(haft_str name)
{
    return has_verb(name,
                    HAFT__LIT("send delete remove create update post publish pay buy submit drop "
                              "kill move rename set add insert cancel notify email reset deploy "
                              "start stop run exec apply"));
}

bool haft__offline_is_writer(const haft__tool *tool)
{
    return !tool->traits.read_only && !has_changing_verb(tool->name)
           && has_verb(tool->name, HAFT__LIT("write save store"));
}

haft__offline_risk haft__offline_risk_of(const haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    if (haft__offline_has_name(o->history.task, t->name)) {
        return HAFT__OFFLINE_RISK_REQUESTED;
    }
    if (t->traits.destructive && !t->traits.needs_approval) {
        return HAFT__OFFLINE_RISK_DESTRUCTIVE;
    }
    if (has_all_parts(o->history.task, t->name)) {
        return HAFT__OFFLINE_RISK_REQUESTED;
    }
    if (t->traits.needs_approval) {
        return HAFT__OFFLINE_RISK_APPROVAL;
    }
    if (t->source == HAFT__TOOL_HEADLESS) {
        return HAFT__OFFLINE_RISK_WAITS;
    }
    if (haft__offline_is_writer(t)) {
        return t->traits.idempotent ? HAFT__OFFLINE_RISK_WRITES : HAFT__OFFLINE_RISK_CHANGES;
    }
    return !t->traits.read_only && has_changing_verb(t->name) ? HAFT__OFFLINE_RISK_CHANGES
                                                              : HAFT__OFFLINE_RISK_READS;
}
