/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.c - the agent of `haft bench` and its five tools, which are C functions.
 *
 * Names, descriptions, schemas and results equal those of the other programs in the comparison, so
 * that all programs do the same work. Results have one more member, the id of the call. Without it
 * results would repeat, and haft would treat the model as stuck. Tests: tests/cli/bench_test.py.
 */
#include "cli/bench/agent.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/agent.h"
#include "tool/call.h"
#include "json/number.h"
#include "json/read.h"
#include "json/write.h"

const char haft__bench_task[] =
    "Customer Ana (order ORD-00001042) wants a refund and the weather in Lisbon. Handle it.";
const char haft__bench_expected_answer[] = "Done. All of the requested steps are complete.";

static const char instructions[] =
    "You are a support agent. Use the tools to look things up, then answer briefly.";

/* ---- the functions of the tools ---- */

/* A call in progress: its arguments, and the text of its result. */
typedef struct tool_work {
    haft_call *call;
    haft__json args;
    haft__buf text;
} tool_work;

/* The arguments were validated, so reading them succeeds. */
static tool_work begin(haft_call *call, const void *args)
{
    const haft_call_facts *facts = haft_call_info(call);
    tool_work w = {.call = call};
    haft__buf_init(&w.text, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft__buf_addf(&w.text, "{\"call\":\"%s\"", facts->call);
    if (haft__json_read(&call->arena, *(const haft_str *)args, NULL, &w.args, NULL, NULL)
        != HAFT_OK) {
        w.args = (haft__json){.kind = HAFT__JSON_NULL};
    }
    atomic_fetch_add_explicit((atomic_ullong *)facts->context, 1, memory_order_relaxed);
    return w;
}

static haft_str argument(const tool_work *w, const char *name)
{
    const haft__json *value = haft__json_get(w->args, haft__str(name));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

static haft_reply finish(tool_work *w, const char *rest)
{
    haft__buf_add_str(&w->text, haft__str(rest));
    haft_str text = haft__buf_str(&w->text);
    haft_reply reply = haft_replyf(w->call, "%.*s", HAFT__ARG(text));
    haft__buf_finish(&w->text);
    return reply;
}

static haft_reply get_weather(haft_call *call, const void *args)
{
    tool_work w = begin(call, args);
    haft__buf_add_str(&w.text, HAFT__LIT(",\"city\":"));
    haft__json_write_string(&w.text, argument(&w, "city"));
    haft__buf_add_str(&w.text, HAFT__LIT(",\"unit\":"));
    haft__json_write_string(&w.text, argument(&w, "unit"));
    return finish(&w, ",\"forecast\":[21,22,19]}");
}

static haft_reply search_docs(haft_call *call, const void *args)
{
    tool_work w = begin(call, args);
    return finish(&w, ",\"hits\":[{\"id\":\"kb-17\",\"score\":0.92,\"title\":\"Refund policy\"},"
                      "{\"id\":\"kb-20\",\"score\":0.71,\"title\":\"Enterprise terms\"}]}");
}

static haft_reply create_ticket(haft_call *call, const void *args)
{
    tool_work w = begin(call, args);
    return finish(&w, ",\"ticket\":\"T-881\",\"url\":\"tracker/T-881\"}");
}

static haft_reply calc(haft_call *call, const void *args)
{
    tool_work w = begin(call, args);
    double result = 0;
    if (haft__str_equal(argument(&w, "op"), HAFT__LIT("add"))) {
        result =
            haft__number_to_double(argument(&w, "a")) + haft__number_to_double(argument(&w, "b"));
    }
    haft__buf_add_str(&w.text, HAFT__LIT(",\"result\":"));
    haft__number_add_double(&w.text, result);
    return finish(&w, "}");
}

static haft_reply lookup_order(haft_call *call, const void *args)
{
    tool_work w = begin(call, args);
    haft__buf_add_str(&w.text, HAFT__LIT(",\"order_id\":"));
    haft__json_write_string(&w.text, argument(&w, "order_id"));
    return finish(&w, ",\"status\":\"shipped\",\"total_cents\":12900,"
                      "\"items\":[{\"sku\":\"A1\",\"qty\":2}]}");
}

/* ---- the table of tools ---- */

#define OBJECT(properties, required)                                                               \
    "\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                  \
    "],\"additionalProperties\":false}"
#define SCHEMA(properties, required)                                                               \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"," OBJECT(properties, required)
#define STRINGS(max_items)                                                                         \
    "{\"maxItems\":" max_items ",\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

static const struct {
    const char *name, *description, *schema;
    haft_tool_function *run;
} tools[] = {
    {"get_weather", "Weather forecast for a city.",
     SCHEMA("\"city\":{\"type\":\"string\",\"minLength\":1,\"description\":\"City name\"},"
            "\"unit\":{\"type\":\"string\",\"enum\":[\"celsius\",\"fahrenheit\"]},"
            "\"days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":14}",
            "\"city\",\"unit\",\"days\""),
     get_weather},
    {"search_docs", "Full text search over the knowledge base.",
     SCHEMA("\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500},"
            "\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50},"
            "\"filters\":{" OBJECT("\"lang\":{\"type\":\"string\"},\"tags\":" STRINGS("10"),
                                   "\"lang\",\"tags\""),
            "\"query\",\"top_k\",\"filters\""),
     search_docs},
    {"create_ticket", "Open a ticket in the tracker.",
     SCHEMA("\"title\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":120},"
            "\"body\":{\"type\":\"string\"},"
            "\"priority\":{\"type\":\"string\",\"enum\":[\"low\",\"normal\",\"high\"]},"
            "\"assignees\":" STRINGS("5"),
            "\"title\",\"body\",\"priority\",\"assignees\""),
     create_ticket},
    {"calc", "Arithmetic on two numbers.",
     SCHEMA("\"op\":{\"type\":\"string\",\"enum\":[\"add\",\"sub\",\"mul\",\"div\"]},"
            "\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}",
            "\"op\",\"a\",\"b\""),
     calc},
    {"lookup_order", "Order by id.",
     SCHEMA("\"order_id\":{\"type\":\"string\",\"pattern\":\"^ORD-\\\\d{8}$\"},"
            "\"include_items\":{\"type\":\"boolean\"}",
            "\"order_id\",\"include_items\""),
     lookup_order},
};

static haft_status add_tools(haft_runtime *runtime, bool pool, atomic_ullong *results,
                             haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(tools) && status == HAFT_OK; i++) {
        haft_tool tool = HAFT_TOOL_INIT;
        tool.name = tools[i].name;
        tool.description = tools[i].description;
        tool.input_schema = tools[i].schema;
        tool.run = tools[i].run;
        tool.context = results;
        tool.traits = pool ? 0 : HAFT_COST_FREE; /* these functions return immediately */
        status = haft_tool_add(runtime, &tool, err);
    }
    return status;
}

/* ---- the agent ---- */

static void write_spec(haft__buf *text, const haft__bench_options *w)
{
    haft__buf_addf(text,
                   "{\"haft\":1,\"name\":\"bench\",\"instructions\":\"%s\",\"model\":{"
                   "\"provider\":\"openai\",\"api_key\":\"bench\",\"options\":{\"stream\":%s},"
                   "\"model\":",
                   instructions, w->stream ? "true" : "false");
    haft__json_write_string(text, w->model);
    haft__buf_add_str(text, HAFT__LIT(",\"base_url\":"));
    haft__json_write_string(text, w->url);
    haft__buf_add_str(text, HAFT__LIT("},\"limits\":{\"turns\":6000,\"calls\":6000,"
                                      "\"tokens\":4000000000,\"wall\":\"1h\"},\"tools\":["));
    for (size_t i = 0; i < COUNT(tools); i++) {
        haft__buf_addf(text, "%s{\"name\":\"%s\",\"description\":\"%s\"}", i > 0 ? "," : "",
                       tools[i].name, tools[i].description);
    }
    bool suspend = w->scenario == HAFT__BENCH_SUSPEND;
    haft__buf_addf(text, "]%s}", suspend ? ",\"approvals\":[{\"tools\":[\"create_ticket\"]}]" : "");
}

haft_status haft__bench_load_agent(haft_runtime *runtime, const haft__bench_options *w,
                                   atomic_ullong *results, haft_agent **ret_agent, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    write_spec(&text, w);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = add_tools(runtime, w->pool, results, err);
    }
    if (status == HAFT_OK) {
        status = haft__agent_load_text(runtime, haft__buf_str(&text), HAFT__LIT(""), HAFT__SPEC_NEW,
                                       ret_agent, err);
    }
    haft__buf_finish(&text);
    return status;
}
