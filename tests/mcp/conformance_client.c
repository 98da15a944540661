/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conformance_client.c - the client that the official MCP conformance suite starts: haft's own
 * connections and sessions, with a caller that calls every tool a scenario serves, all at once, and
 * says yes to every question.
 *
 *     mcp-client URL      (MCP_CONFORMANCE_CONTEXT may name the calls to make)
 *
 * Prints the result of each call. Run by tests/mcp/conformance_client.py.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp.h"
#include "io/environment.h"
#include "io/random.h"
#include "run/pause/elicitation.h"
#include "json/read.h"
#include "json/write.h"

enum { MAX_CALLS = 64, CALL_MS = 20000 };

typedef struct caller {
    haft__loop *loop;
    haft__exec *exec;
    haft__arena arena;
    haft__spec spec;
    bool listed;
    int open_calls;
    struct call *calls[MAX_CALLS];
} caller;

typedef struct call {
    caller *caller;
    haft__tool tool;
    haft__exec_call call;
    haft__exec_job *job;
    haft__task task; /* answers, or repeats the call */
    haft__json answer;
} call;

static haft__json get(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

/* Reads JSON that is known to be valid. */
static haft__json read_text(caller *c, haft_str text)
{
    haft__json value = haft__json_null();
    haft_str copy = haft__arena_copy(&c->arena, text);
    if (copy.ptr == NULL || haft__json_read(&c->arena, copy, NULL, &value, NULL, NULL) != HAFT_OK) {
        (void)fprintf(stderr, "invalid JSON: %.*s\n", HAFT__ARG(text));
    }
    return value;
}

static haft__json copy_value(caller *c, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, value);
    haft__json copy = read_text(c, haft__buf_str(&text));
    haft__buf_finish(&text);
    return copy;
}

/* ---- made-up values ---- */

static haft__json make_value(haft__json schema)
{
    haft_str type = haft__json_text(get(schema, "type"));
    haft__json choices = get(schema, "enum");
    if (choices.kind == HAFT__JSON_ARRAY && choices.count > 0) {
        return choices.items[0];
    }
    if (haft__str_equal(type, HAFT__LIT("integer")) || haft__str_equal(type, HAFT__LIT("number"))) {
        return (haft__json){.kind = HAFT__JSON_NUMBER, .integer = 1, .count = 1, .text = "5"};
    }
    if (haft__str_equal(type, HAFT__LIT("boolean"))) {
        return haft__json_bool(true);
    }
    return haft__json_string(HAFT__LIT("some text"));
}

/* An object with the required members that have no default. */
static haft__json make_object(caller *c, haft__json schema)
{
    haft__json properties = get(schema, "properties");
    size_t count = 0;
    haft__json_member *members = haft__arena_array(&c->arena, properties.count, sizeof(*members));
    for (uint32_t i = 0; members != NULL && i < properties.count; i++) {
        haft__json property = properties.members[i].value;
        if (haft__json_get(property, HAFT__LIT("default")) == NULL) {
            members[count++] = (haft__json_member){properties.members[i].key, make_value(property)};
        }
    }
    return haft__json_object(members, count);
}

/* ---- calls ---- */

static void start_call(call *it);

static void on_done(void *context, const haft__exec_result *result)
{
    call *it = context;
    it->caller->open_calls--;
    (void)printf("%s %.*s: %.*s\n", result->ok ? "ok" : "failed", HAFT__ARG(it->tool.name),
                 HAFT__ARG(result->text));
}

static void answer_now(haft__task *task)
{
    call *it = HAFT__CONTAINER(task, call, task);
    haft__exec_answer(it->job, it->answer);
}

static void call_again(haft__task *task)
{
    start_call(HAFT__CONTAINER(task, call, task));
}

/* Accepts every question, with the defaults of the form. */
static haft__json accept_question(call *it, haft__json question)
{
    caller *c = it->caller;
    haft__json asks = copy_value(c, question), answer = haft__json_null();
    haft__json content = make_object(c, get(asks, "schema"));
    if (haft__elicitation_answer(asks, content, &c->arena, haft__random_hash_key(), &answer, NULL)
        != HAFT_OK) {
        (void)fprintf(stderr, "the question accepts no answer of this client\n");
    }
    return answer;
}

static void on_ask(void *context, haft__json question, bool durable, haft__json state,
                   uint64_t within_ms)
{
    call *it = context;
    caller *c = it->caller;
    (void)within_ms;
    it->answer = accept_question(it, question);
    if (durable) {
        haft__json_member *members = haft__arena_array(&c->arena, 2, sizeof(*members));
        members[0] =
            (haft__json_member){haft__json_string(HAFT__LIT("state")), copy_value(c, state)};
        members[1] = (haft__json_member){haft__json_string(HAFT__LIT("answers")), it->answer};
        it->call.resume = haft__json_object(members, 2);
    }
    it->task.run = durable ? call_again : answer_now;
    haft__loop_post(c->loop, &it->task);
}

static void start_call(call *it)
{
    haft_error err = {0};
    if (haft__exec_start(it->caller->exec, &it->call, on_done, it, &it->job, &err) != HAFT_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

static void add_call(caller *c, const haft__mcp_tool *tool, haft__json arguments)
{
    call *it = haft__arena_array(&c->arena, 1, sizeof(*it));
    if (it == NULL || c->open_calls == MAX_CALLS
        || haft__mcp_tool_to_registry(&c->arena, tool, &it->tool, NULL) != HAFT_OK) {
        exit(1);
    }
    it->tool.name = haft__arena_copy(&c->arena, tool->name);
    it->tool.definition = copy_value(c, it->tool.definition);
    it->caller = c;
    it->call = (haft__exec_call){.spec = &c->spec,
                                 .tool = &it->tool,
                                 .arguments = arguments,
                                 .facts = {.call = "c1", .run = "r1", .idempotency_key = "k1"},
                                 .timeout_ms = CALL_MS,
                                 .ask = on_ask};
    c->calls[c->open_calls++] = it;
}

static haft__json read_wanted_calls(caller *c)
{
    haft_str context = haft__environment_get(NULL, HAFT__LIT("MCP_CONFORMANCE_CONTEXT"));
    return context.len > 0 ? get(read_text(c, context), "toolCalls") : haft__json_null();
}

/* A tool that echoes a schema gets the schema of the first tool, which must come back unchanged. */
static haft__json make_arguments(caller *c, const haft__mcp_listing *listing,
                                 const haft__mcp_tool *tool)
{
    haft__json_member *member = haft__arena_array(&c->arena, 1, sizeof(*member));
    if (member == NULL || !haft__str_equal(tool->remote, HAFT__LIT("json_schema_echo"))) {
        return make_object(c, copy_value(c, tool->input_schema));
    }
    *member = (haft__json_member){haft__json_string(HAFT__LIT("schema")),
                                  copy_value(c, listing->tools[0].input_schema)};
    return haft__json_object(member, 1);
}

static void on_listed(void *context, const haft__mcp_listing *listings, size_t count)
{
    caller *c = context;
    haft__json wanted = read_wanted_calls(c);
    c->listed = true;
    for (size_t i = 0; i < count; i++) {
        (void)printf("%zu tools; %.*s\n", listings[i].tool_count, HAFT__ARG(listings[i].error));
        for (size_t k = 0; k < listings[i].tool_count; k++) {
            const haft__mcp_tool *tool = &listings[i].tools[k];
            bool named = false;
            for (uint32_t n = 0; n < wanted.count; n++) {
                if (haft__str_equal(haft__json_text(get(wanted.items[n], "name")), tool->remote)) {
                    add_call(c, tool, get(wanted.items[n], "arguments"));
                    named = true;
                }
            }
            if (!named && wanted.kind != HAFT__JSON_ARRAY) {
                add_call(c, tool, make_arguments(c, &listings[i], tool));
            }
        }
    }
    for (int i = 0, all = c->open_calls; i < all; i++) {
        start_call(c->calls[i]);
    }
}

static haft_status run(caller *c, const char *url, haft_error *err)
{
    haft__buf mcp;
    haft__catalogue *catalogue = NULL;
    haft__arena_init(&c->arena, 0);
    haft__buf_init(&mcp, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_add_str(&mcp, HAFT__LIT("{\"servers\":{\"suite\":{\"url\":"));
    haft__json_write_string(&mcp, haft__str(url));
    haft__buf_add_str(&mcp, HAFT__LIT(",\"roots\":[\"/tmp\"]}}}"));
    c->spec.mcp = read_text(c, haft__buf_str(&mcp));
    haft__buf_finish(&mcp);
    haft_status status = haft__loop_create(&c->loop, err);
    if (status == HAFT_OK) {
        haft__exec_options options = {
            .loop = c->loop, .env = {haft__environment_get, NULL}, .state = ""};
        status = haft__exec_create(&options, &c->exec, err);
    }
    if (status == HAFT_OK) {
        status = haft__exec_catalogue(c->exec, &c->spec, on_listed, c, &catalogue, err);
    }
    while (status == HAFT_OK && (!c->listed || c->open_calls > 0)) {
        status = haft__loop_step(c->loop, -1, err);
    }
    haft__exec_destroy(c->exec);
    haft__loop_destroy(c->loop);
    haft__arena_finish(&c->arena);
    return status;
}

int main(int argc, char **argv)
{
    static caller c;
    haft_error err = {0};
    if (argc < 2) {
        (void)fprintf(stderr, "usage: mcp-client URL\n");
        return 2;
    }
    if (run(&c, argv[argc - 1], &err) != HAFT_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}
