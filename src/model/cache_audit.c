/* SPDX-License-Identifier: Apache-2.0 */
/* cache_audit.c - see cache_audit.h. Tests: tests/model/cache_audit_test.c. */
#include "model/cache_audit.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

/* Bytes that are compared at once. */
#define STEP 4096

const char *haft__cache_cause_name(haft__cache_cause cause)
{
    static const char *const names[] = {
#define X(name, text) [HAFT__CACHE_CAUSE_##name] = (text),
        HAFT__CACHE_CAUSES(X)
#undef X
    };
    return names[cause];
}

void haft__cache_audit_init(haft__cache_audit *audit)
{
    *audit = (haft__cache_audit){.any = false};
    haft__buf_init(&audit->before, (size_t)HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&audit->model, (size_t)HAFT__LIMIT_RUN_BYTES);
}

void haft__cache_audit_finish(haft__cache_audit *audit)
{
    haft__buf_finish(&audit->before);
    haft__buf_finish(&audit->model);
}

/* ---- bytes ---- */

static uint64_t hash_of(haft_str text)
{
    return haft__hash((haft__hash_key){1, 2}, text);
}

void haft__cache_audit_shrink(haft__cache_audit *audit)
{
    if (audit->before.len > 0) {
        audit->shrunk = audit->before.len;
        audit->hash = hash_of(haft__buf_str(&audit->before));
        haft__buf_finish(&audit->before);
    }
}

/* All of the bytes, or none, if only their hash was kept. */
static size_t count_same_shrunk(const haft__cache_audit *audit, haft_str body)
{
    bool same =
        body.len >= audit->shrunk && hash_of((haft_str){body.ptr, audit->shrunk}) == audit->hash;
    return same ? audit->shrunk : 0;
}

static size_t count_same(haft_str a, haft_str b)
{
    size_t max = a.len < b.len ? a.len : b.len;
    size_t same = 0;
    while (max - same >= STEP && memcmp(a.ptr + same, b.ptr + same, STEP) == 0) {
        same += STEP;
    }
    while (same < max && a.ptr[same] == b.ptr[same]) {
        same++;
    }
    return same;
}

/* ---- the place of a difference ---- */

/* A position in JSON text: the member of the root, and the item if that is an array. */
typedef struct place {
    haft_str member;
    uint32_t item;
    bool in_list;
} place;

/* The text may be cut: only what comes before the position counts. */
static place find_place(haft_str text)
{
    place found = {.member = {NULL, 0}};
    size_t depth = 0, start = 0;
    bool in_string = false, is_key = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
            if (!in_string && depth == 1 && is_key) {
                found = (place){.member = {text.ptr + start, i - start}};
                is_key = false;
            }
        } else if (c == '"') {
            in_string = true;
            start = i + 1;
        } else if (c == '{' || c == '[') {
            found.in_list = found.in_list || (depth == 1 && c == '[');
            is_key = depth == 0;
            depth++;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
        } else if (c == ',') {
            is_key = depth == 1;
            found.item += depth == 2 && found.in_list ? 1 : 0;
        }
    }
    return found;
}

static void write_place(char *to, const place *found)
{
    haft_str member = found->member;
    member.len = member.len < HAFT__CACHE_WHERE_SIZE / 2 ? member.len : HAFT__CACHE_WHERE_SIZE / 2;
    if (found->in_list) {
        (void)snprintf(to, HAFT__CACHE_WHERE_SIZE, "/%.*s/%u", HAFT__ARG(member), found->item);
    } else {
        (void)snprintf(to, HAFT__CACHE_WHERE_SIZE, "/%.*s", HAFT__ARG(member));
    }
}

/* ---- the cause ---- */

static uint64_t hash_tools(const haft__request *request, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash = haft__hash((haft__hash_key){hash, 1}, request->tools[i]->name);
    }
    return hash;
}

static uint64_t hash_other_tools(const haft__request *request)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        if (request->tools[i]->role != HAFT__ROLE_ARTIFACT) {
            hash = haft__hash((haft__hash_key){hash, 1}, request->tools[i]->name);
        }
    }
    return hash;
}

/* The cause if the tools are not those of the request before; else NONE. Artifact tools stand where
 * the spec has them; other new tools come last. */
static haft__cache_cause find_tool_cause(const haft__cache_audit *audit,
                                         const haft__request *request)
{
    size_t before = audit->tool_count;
    if (request->tool_count > before && hash_other_tools(request) == audit->other_tools) {
        return HAFT__CACHE_CAUSE_GATE_OPENED;
    }
    if (request->tool_count < before || hash_tools(request, before) != audit->tools) {
        return HAFT__CACHE_CAUSE_TOOLS_CHANGED;
    }
    return request->tool_count == before ? HAFT__CACHE_CAUSE_NONE
                                         : HAFT__CACHE_CAUSE_TOOLS_REVEALED;
}

static bool is_member(const place *found, const char *name)
{
    return haft__str_equal(found->member, haft__str(name));
}

static bool is_system(const place *found, const haft__request *request)
{
    bool first = found->in_list && found->item == 0 && !is_member(found, "tools");
    return is_member(found, "system") || is_member(found, "systemInstruction")
           || (first && request->messages->count > 0
               && request->messages->items[0].role == HAFT__MESSAGE_SYSTEM);
}

static haft__cache_cause find_cause(const haft__cache_audit *audit, const haft__request *request,
                                    const place *found)
{
    haft__cache_cause tools = find_tool_cause(audit, request);
    if (!haft__str_equal(haft__buf_str(&audit->model), request->model)) {
        return HAFT__CACHE_CAUSE_MODEL;
    }
    if (tools != HAFT__CACHE_CAUSE_NONE) {
        return tools;
    }
    return is_member(found, "tools")              ? HAFT__CACHE_CAUSE_CHOICE
           : request->transcript                  ? HAFT__CACHE_CAUSE_TRANSCRIPT
           : is_system(found, request)            ? HAFT__CACHE_CAUSE_SYSTEM
           : audit->rewrites != request->rewrites ? HAFT__CACHE_CAUSE_CONTEXT
                                                  : HAFT__CACHE_CAUSE_HISTORY;
}

/* ---- a request ---- */

static haft_status keep(haft__cache_audit *audit, const haft__cache_request *sent, size_t same,
                        haft_error *err)
{
    const haft__request *request = sent->request;
    size_t stable = sent->stable < sent->body.len ? sent->stable : sent->body.len;
    size_t kept = same < audit->before.len ? same : audit->before.len;
    audit->before.len = kept < stable ? kept : stable;
    audit->shrunk = 0;
    haft__buf_add(&audit->before, sent->body.ptr + audit->before.len, stable - audit->before.len);
    haft__buf_clear(&audit->model);
    haft__buf_add_str(&audit->model, request->model);
    audit->tool_count = request->tool_count;
    audit->tools = hash_tools(request, request->tool_count);
    audit->other_tools = hash_other_tools(request);
    audit->rewrites = request->rewrites;
    audit->any = true;
    haft_status status = haft__buf_check(&audit->before, err);
    return status == HAFT_OK ? haft__buf_check(&audit->model, err) : status;
}

haft_status haft__cache_audit_compare(haft__cache_audit *audit, const haft__cache_request *sent,
                                      haft__cache_finding *ret_finding, haft_error *err)
{
    haft_str before = haft__buf_str(&audit->before);
    bool shrunk = audit->shrunk > 0;
    size_t bytes = shrunk ? audit->shrunk : before.len;
    size_t same = shrunk ? count_same_shrunk(audit, sent->body) : count_same(before, sent->body);
    *ret_finding = (haft__cache_finding){.bytes = bytes, .same_bytes = same};
    if (!audit->any) {
        ret_finding->cause =
            sent->has_earlier ? HAFT__CACHE_CAUSE_RESUMED : HAFT__CACHE_CAUSE_FIRST;
    } else if (same < bytes) {
        place found = find_place((haft_str){sent->body.ptr, same});
        if (!shrunk) {
            write_place(ret_finding->where, &found);
        }
        ret_finding->cause =
            sent->apart ? HAFT__CACHE_CAUSE_FORMAT : find_cause(audit, sent->request, &found);
    }
    return sent->apart ? HAFT_OK : keep(audit, sent, same, err);
}
