/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - the tools of a request: what has become of their calls, and how readily each is
 * called. Rules know nothing of consequences, so what may have some is called only when somebody
 * asked for it, or when a call is forced. Tests: tests/model/rules/tools_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* What they must be called, and an argument they must take. */
static const struct {
    const char *name, *argument;
} known_tools[HAFT__OFFLINE_KNOWN] = {
    [HAFT__OFFLINE_GLOB] = {"glob", "pattern"},
    [HAFT__OFFLINE_GREP] = {"grep", "pattern"},
    [HAFT__OFFLINE_READ] = {"read", "path"},
    [HAFT__OFFLINE_STORE] = {"store_artifact", "content"},
    [HAFT__OFFLINE_COMPLETE] = {"complete_workflow", "summary"},
    [HAFT__OFFLINE_ASK] = {"request_user_input", "question"},
};

static void find_known(haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    const haft__json *properties = haft__json_get(t->input_schema, HAFT__LIT("properties"));
    for (size_t i = 0; properties != NULL && i < COUNT(known_tools); i++) {
        if (haft__str_equal(t->name, haft__str(known_tools[i].name))
            && haft__json_get(*properties, haft__str(known_tools[i].argument)) != NULL) {
            o->known[i] = tool;
        }
    }
}

/* What has become of its calls. */
static haft_status count_calls(haft__offline *o)
{
    const haft__request *request = o->request;
    haft_status status = HAFT_OK;
    haft__map by_name;
    haft__map_init(&by_name, o->arena, HAFT__OFFLINE_KEY);
    for (size_t i = 0; i < request->tool_count && status == HAFT_OK; i++) {
        status = haft__map_put(&by_name, request->tools[i]->name, &o->tallies[i], o->err);
    }
    for (size_t i = 0; i < o->past.count && status == HAFT_OK; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        haft__offline_tally *tally = haft__map_get(&by_name, call->name);
        if (tally != NULL && !call->not_run) {
            tally->made++;
            tally->good += call->answered && !call->failed ? 1 : 0;
            tally->row = call->failed ? tally->row + 1 : 0;
        }
    }
    return status;
}

haft_status haft__offline_tools_read(haft__offline *o)
{
    for (size_t i = 0; i < COUNT(o->known); i++) {
        o->known[i] = HAFT__OFFLINE_NONE;
    }
    for (size_t i = 0; i < o->request->tool_count; i++) {
        find_known(o, i);
    }
    o->tallies = haft__arena_array(o->arena, o->request->tool_count, sizeof(*o->tallies));
    return o->tallies != NULL ? count_calls(o) : haft__arena_fail(o->arena, o->err);
}

bool haft__offline_is_file_tool(const haft__offline *o, size_t tool)
{
    return o->known[HAFT__OFFLINE_GLOB] == tool || o->known[HAFT__OFFLINE_GREP] == tool
           || o->known[HAFT__OFFLINE_READ] == tool;
}

bool haft__offline_has_file_tools(const haft__offline *o)
{
    for (int i = HAFT__OFFLINE_GLOB; i <= HAFT__OFFLINE_READ; i++) {
        if (o->known[i] != HAFT__OFFLINE_NONE && o->request->allowed[o->known[i]]) {
            return true;
        }
    }
    return false;
}

/* ---- names in texts ---- */

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool haft__offline_names(haft_str text, haft_str name)
{
    for (size_t i = 0; name.len > 0 && i + name.len <= text.len; i++) {
        bool starts = i == 0 || !is_of_name(text.ptr[i - 1]);
        bool ends = i + name.len == text.len || !is_of_name(text.ptr[i + name.len]);
        if (starts && ends && memcmp(text.ptr + i, name.ptr, name.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the task has every part of the name, of at least two: word_count for "count the words".
 */
static bool has_all_parts(haft_str task, haft_str name)
{
    size_t parts = 0, start = 0;
    for (size_t i = 0; i <= name.len; i++) {
        if (i < name.len && is_of_name(name.ptr[i]) && name.ptr[i] != '_') {
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

/* ---- manners ---- */

/* What tools are often called that do more than look. */
static const char *const writing[] = {"write", "save", "store", "report", "summar", "note", "log"};
static const char *const changing[] = {
    "send",   "delete", "remove", "create", "update", "post", "publish", "pay",    "buy",
    "submit", "drop",   "kill",   "move",   "rename", "set",  "add",     "insert", "cancel",
    "notify", "email",  "reset",  "deploy", "start",  "stop", "run",     "exec",   "apply",
};

/* Whether one of the parts of the name begins with one of the words. */
static bool has_verb(haft_str name, const char *const *verbs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__offline_word word = {.text = haft__str(verbs[i])};
        if (haft__offline_word_in(&word, name)) {
            return true;
        }
    }
    return false;
}

haft__offline_manner haft__offline_manner_of(const haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    if (haft__offline_names(o->past.task, t->name)) {
        return HAFT__OFFLINE_ASKED_FOR;
    }
    if (t->traits.destructive && !t->traits.needs_approval) {
        return HAFT__OFFLINE_DESTRUCTIVE;
    }
    if (has_all_parts(o->past.task, t->name)) {
        return HAFT__OFFLINE_ASKED_FOR;
    }
    if (t->traits.needs_approval) {
        return HAFT__OFFLINE_ASKS;
    }
    if (t->source == HAFT__TOOL_HEADLESS) {
        return HAFT__OFFLINE_WAITS;
    }
    if (!t->traits.read_only && has_verb(t->name, changing, COUNT(changing))) {
        return HAFT__OFFLINE_CHANGES;
    }
    return !t->traits.read_only && has_verb(t->name, writing, COUNT(writing)) ? HAFT__OFFLINE_WRITES
                                                                              : HAFT__OFFLINE_LOOKS;
}
