/* SPDX-License-Identifier: Apache-2.0 */
/* declare_tool.c - makes a tool from a C program's haft_tool. Tests:
 * tests/tool/declare_tool_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/str.h"
#include "tool/args.h"
#include "tool/declare.h"
#include "tool/traits.h"
#include "json/read.h"

/* ---- texts ---- */

/* Replaces `text` by a copy; NULL stays NULL. */
static haft_status copy(haft__arena *arena, const char **text, haft_error *err)
{
    if (*text == NULL) {
        return HAFT_OK;
    }
    haft_str made = haft__arena_copy(arena, haft__str(*text));
    if (made.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *text = made.ptr;
    return HAFT_OK;
}

/* Copies all members that this version has to the zeroed `own`, with texts in `arena`. */
static haft_status copy_tool(haft__arena *arena, const haft_tool *tool, haft_tool *own,
                             haft_error *err)
{
    haft_status status = haft__options_copy(own, sizeof(*own), offsetof(haft_tool, traits), tool,
                                            "HAFT_TOOL_INIT, or declare it with HAFT_TOOL", err);
    const char **texts[] = {&own->name, &own->description, &own->input_schema, &own->output_schema,
                            &own->lane};
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = copy(arena, texts[i], err);
    }
    return status;
}

/* ---- schemas ---- */

static haft_status read_schema(haft__arena *arena, const char *text, const char *where,
                               haft__json *ret_schema, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    haft_status status = haft__json_read(arena, haft__str(text), &options, ret_schema, NULL, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, where);
    }
    return status;
}

static haft_status input_schema(haft__arena *arena, const haft_tool *tool, haft__json *ret_schema,
                                haft_error *err)
{
    if (tool->arguments != NULL && tool->input_schema != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/input_schema",
                          "a tool has arguments or an input_schema, not both");
    }
    if (tool->input_schema != NULL) {
        return read_schema(arena, tool->input_schema, "/input_schema", ret_schema, err);
    }
    if (tool->arguments == NULL) {
        return haft__args_schema(arena, haft__json_null(), ret_schema, err);
    }
    haft_status status = haft__declare_schema(arena, tool->arguments, ret_schema, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, "/arguments");
    }
    return status;
}

/* ---- traits ---- */

#define COSTS  (HAFT_COST_FREE | HAFT_COST_HEAVY)
#define CACHES (HAFT_CACHE_RUN | HAFT_CACHE_THREAD | HAFT_CACHE_GLOBAL)

/* Whether at most one bit is set. */
static bool single(uint32_t flags)
{
    return (flags & (flags - 1)) == 0;
}

static haft_status read_traits(const haft_tool *tool, haft__traits *traits, haft_error *err)
{
    uint32_t flags = tool->traits, known = haft__traits_flags() | COSTS | CACHES | HAFT_QUEUED;
    if ((flags & ~known) != 0 || !single(flags & COSTS) || !single(flags & CACHES)) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/traits",
                                        "traits 0x%x cannot be combined", (unsigned)flags);
        return haft__hint(err, status, "use HAFT_READ_ONLY and the like, one cost and one cache");
    }
    haft__traits_init(traits);
    haft__traits_from_flags(flags, traits);
    traits->cost = (flags & HAFT_COST_FREE) != 0    ? HAFT__COST_FREE
                   : (flags & HAFT_COST_HEAVY) != 0 ? HAFT__COST_HEAVY
                                                    : HAFT__COST_LIGHT;
    traits->cache = (flags & HAFT_CACHE_RUN) != 0      ? HAFT__CACHE_RUN
                    : (flags & HAFT_CACHE_THREAD) != 0 ? HAFT__CACHE_THREAD
                    : (flags & HAFT_CACHE_GLOBAL) != 0 ? HAFT__CACHE_GLOBAL
                                                       : HAFT__CACHE_NONE;
    traits->timeout_ms = tool->timeout_ms > 0 ? tool->timeout_ms : traits->timeout_ms;
    traits->retries = tool->retries;
    traits->cache_ttl_ms = tool->cache_ms;
    traits->lane = haft__str(tool->lane != NULL ? tool->lane : "");
    return HAFT_OK;
}

/* A queued tool has no function, so none that could run on the thread of the loop. */
static haft_status check_queued(const haft_tool *tool, haft_error *err)
{
    if ((tool->traits & HAFT_QUEUED) == 0) {
        return HAFT_OK;
    }
    if (tool->run != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/run",
                          "a tool with HAFT_QUEUED has no function, found one");
    }
    return (tool->traits & HAFT_COST_FREE) == 0
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "/traits",
                            "HAFT_COST_FREE is for functions; a tool with HAFT_QUEUED has none");
}

haft_status haft__declare_tool(haft__arena *arena, const haft_tool *tool, haft__tool *ret_tool,
                               haft_error *err)
{
    haft_tool *own = haft__arena_array(arena, 1, sizeof(*own));
    if (own == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__tool made = {.typed = true, .output_schema = haft__json_null()};
    haft_status status = copy_tool(arena, tool, own, err);
    if (status == HAFT_OK) {
        status = input_schema(arena, own, &made.input_schema, err);
    }
    if (status == HAFT_OK && own->output_schema != NULL) {
        status = read_schema(arena, own->output_schema, "/output_schema", &made.output_schema, err);
    }
    if (status == HAFT_OK) {
        status = read_traits(own, &made.traits, err);
    }
    if (status == HAFT_OK) {
        status = check_queued(own, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    made.name = haft__str(own->name != NULL ? own->name : "");
    made.description = haft__str(own->description != NULL ? own->description : "");
    bool here = own->run != NULL || (own->traits & HAFT_QUEUED) != 0;
    made.source = here ? HAFT__TOOL_FUNCTION : HAFT__TOOL_HEADLESS;
    made.role = HAFT__ROLE_DATA;
    made.traits_given = true;
    made.function = here ? own : NULL;
    *ret_tool = made;
    return HAFT_OK;
}
