/* SPDX-License-Identifier: Apache-2.0 */
/* client_tools.c - see engine/ops/client_tools.h. Tests: tests/engine/ops/client_tools_test.c. */
#include "engine/ops/client_tools.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "json/object.h"

static haft_status fail_at(uint32_t index, const char *member, const char *what, haft_error *err)
{
    char where[48];
    (void)snprintf(where, sizeof(where), "/tools/%u%s", index, member);
    return haft__fail(err, HAFT_BAD_INPUT, where, "%s", what);
}

/* Other members could give the tool another source, such as a command. */
static bool is_known_member(haft_str key)
{
    return haft__str_equal(key, HAFT__LIT("name")) || haft__str_equal(key, HAFT__LIT("description"))
           || haft__str_equal(key, HAFT__LIT("input_schema"));
}

static haft_status check_tool(const haft_agent *agent, haft__json tool, uint32_t index,
                              haft_error *err)
{
    haft_str name = haft__object_string(tool, "name");
    if (tool.kind != HAFT__JSON_OBJECT || name.len == 0) {
        return fail_at(index, "", "expected an object with a name", err);
    }
    for (uint32_t i = 0; i < tool.count; i++) {
        if (!is_known_member(haft__json_text(tool.members[i].key))) {
            return fail_at(index, "", "expected only name, description and input_schema", err);
        }
    }
    if (haft__tools_find(&agent->spec->tools, name) != NULL) {
        return fail_at(index, "/name", "the agent has a tool with this name; use another one", err);
    }
    return HAFT_OK;
}

/* The tool as an entry of `tools` in a spec. */
static haft_status make_entry(haft__arena *arena, haft__json tool, haft__json *ret_entry,
                              haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, 4, sizeof(*members));
    haft__json_member *type = haft__arena_alloc(arena, sizeof(*type));
    if (members == NULL || type == NULL) {
        return haft__arena_fail(arena, err);
    }
    const haft__json *schema = haft__object_find(tool, "input_schema");
    *type = (haft__json_member){haft__json_string(HAFT__LIT("type")),
                                haft__json_string(HAFT__LIT("object"))};
    members[0] =
        (haft__json_member){haft__json_string(HAFT__LIT("name")), haft__object_get(tool, "name")};
    members[1] = (haft__json_member){haft__json_string(HAFT__LIT("description")),
                                     haft__json_string(haft__object_string(tool, "description"))};
    members[2] = (haft__json_member){haft__json_string(HAFT__LIT("input_schema")),
                                     schema != NULL ? *schema : haft__json_object(type, 1)};
    members[3] =
        (haft__json_member){haft__json_string(HAFT__LIT("headless")), haft__json_bool(true)};
    *ret_entry = haft__json_object(members, 4);
    return HAFT_OK;
}

/* Makes the list of the spec's tools, followed by those of the client. */
static haft_status make_tools(const haft_agent *agent, haft__json tools, haft__arena *arena,
                              haft__json *ret_tools, haft_error *err)
{
    haft__json own = haft__object_array(agent->spec->source, "tools");
    size_t count = (size_t)own.count + tools.count;
    haft__json *all = haft__arena_array(arena, count, sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < own.count; i++) {
        all[i] = own.items[i];
    }
    for (uint32_t i = 0; i < tools.count && status == HAFT_OK; i++) {
        status = check_tool(agent, tools.items[i], i, err);
        if (status == HAFT_OK) {
            status = make_entry(arena, tools.items[i], &all[own.count + i], err);
        }
    }
    *ret_tools = haft__json_array(all, (uint32_t)count);
    return status;
}

static haft_status load(const haft_agent *agent, haft__json source, haft_agent **ret_agent,
                        haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, source);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = haft__agent_load_text(agent->runtime, haft__buf_str(&text), agent->spec->path,
                                       HAFT__SPEC_STORED, ret_agent, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__agent_add_client_tools(const haft_agent *agent, haft__json tools,
                                         haft_agent **ret_agent, haft_error *err)
{
    if (tools.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(tools, "/tools", "a list of tools", err);
    }
    if (tools.count > HAFT__LIMIT_SPEC_TOOLS) {
        return haft__fail(err, HAFT_TOO_BIG, "/tools", "expected at most %d tools, found %u",
                          HAFT__LIMIT_SPEC_TOOLS, tools.count);
    }
    if (agent->spec->kind == HAFT__SPEC_GRAPH) {
        return haft__fail(err, HAFT_BAD_INPUT, "/tools",
                          "a graph takes no tools of a client; give them to one of its agents");
    }
    haft__arena scratch;
    haft__arena_init(&scratch, 0);
    haft__json all = haft__json_null(), source = agent->spec->source;
    haft_status status = make_tools(agent, tools, &scratch, &all, err);
    if (status == HAFT_OK) {
        status = haft__spec_put(&scratch, &source, HAFT__LIT("tools"), all, err);
    }
    if (status == HAFT_OK) {
        status = load(agent, source, ret_agent, err);
    }
    haft__arena_finish(&scratch);
    return status;
}
