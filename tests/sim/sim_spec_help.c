/* SPDX-License-Identifier: Apache-2.0 */
/* sim_spec_help.c - the specs of the runs and the replies of their models: all from the seed. */
#include "sim_help.h"

/* ---- the spec ---- */

static const char *one_of(sim *s, const char *const *words, uint32_t count)
{
    return words[sim_pick(s, count)];
}

/* A rule with a deadline and an on_expire. */
static void add_rule(sim *s, haft__buf *words)
{
    static const char *const ends[] = {"\"fail\"", "\"reject\"", "{\"answer\":\"late\"}"};
    bool rule = sim_chance(s, 50), deadline = sim_chance(s, 50);
    const char *end = one_of(s, ends, COUNT(ends));
    if (!rule || s->broken == SIM_UNASKED) {
        return;
    }
    haft__buf_add_str(words, HAFT__LIT("; approve=send"));
    if (deadline) {
        haft__buf_addf(words, "; deadline_ms=%u; on_expire=%s", 1000 + sim_pick(s, 60000), end);
    }
}

/* A server with a tool that asks before it does anything. */
static void add_server(sim *s, haft__buf *words)
{
    static const char *const ways[] = {"", "!durable"};
    const char *way = one_of(s, ways, COUNT(ways));
    if (sim_chance(s, 30)) {
        haft__buf_addf(words, "; server=docs,find!read_only,write,save!idempotent");
        haft__buf_addf(words, "; asks=docs:write%s", way);
    }
}

static const char *approval(const sim *s)
{
    return s->broken == SIM_UNASKED ? "" : "!approval";
}

/* Limits and policies. Each draw is a statement of its own: the order of evaluation of arguments is
 * unspecified. */
static void add_limits(sim *s, haft__buf *words, const char *kind, uint32_t most_turns)
{
    static const char *const unknown[] = {"", "", "; on_unknown=tell", "; on_unknown=retry"};
    const char *policy = one_of(s, unknown, COUNT(unknown));
    uint32_t turns = 2 + sim_pick(s, most_turns), parallel = 1 + sim_pick(s, 4);
    haft__buf_addf(words, "%s; turns=%u; parallel=%u; violations=1; reminders=1%s", kind, turns,
                   parallel, policy);
}

static void finish_spec(sim *s, sim_role role, haft__buf *words)
{
    sim_spec *spec = &s->specs[role];
    (void)snprintf(spec->words, sizeof(spec->words), "%.*s", HAFT__ARG(haft__buf_str(words)));
    haft__buf_finish(words);
    help_spec_init(&spec->help, &s->arena, haft__str(spec->words));
}

/* The root, and the spec that replaces it: the same tools, except that one may be gone. */
static void make_roots(sim *s, bool agents)
{
    static const char *const kinds[] = {"agent", "agent", "workflow; min_tools=2"};
    const char *kind = one_of(s, kinds, COUNT(kinds));
    bool workflow = kind[0] == 'w', direct = sim_chance(s, 25), wipes = sim_chance(s, 75);
    haft__buf server;
    haft__buf_init(&server, 200);
    add_server(s, &server);
    for (int next = 0; next <= 1; next++) {
        haft__buf words;
        haft__buf_init(&words, sizeof(s->specs[0].words) - 1);
        add_limits(s, &words, kind, agents ? 10 : 5);
        haft__buf_addf(&words,
                       "; tools=look!read_only!retries,put!idempotent!retries,send,pay%s,%s"
                       "client!headless,request_user_input,store_artifact%s%s",
                       approval(s), next == 0 || wipes ? "wipe!destructive," : "",
                       direct ? ",give!read_only!direct" : "",
                       workflow ? ",complete_workflow" : "");
        add_rule(s, &words);
        haft__buf_add_str(&words, haft__buf_str(&server));
        finish_spec(s, next == 0 ? SIM_ROOT : SIM_NEXT, &words);
    }
    haft__buf_finish(&server);
    haft__spec *changed = &s->specs[SIM_NEXT].help.spec;
    changed->hash = HAFT__LIT("fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210");
    changed->source = help_json(&s->arena, "{\"name\":\"next\"}");
}

static void make_agent(sim *s, sim_role role)
{
    haft__buf words;
    haft__buf_init(&words, sizeof(s->specs[0].words) - 1);
    add_limits(s, &words, "agent", 4);
    haft__buf_addf(&words, "; tools=look!read_only!retries,put!idempotent,send,pay%s,%s",
                   approval(s), "request_user_input");
    add_rule(s, &words);
    finish_spec(s, role, &words);
}

static void add_agent_tool(sim *s, sim_role role, const char *name, sim_role agent)
{
    haft_error err = {0};
    sim_spec *spec = &s->specs[role];
    haft__spec *to = &spec->help.spec;
    haft__tool tool = {
        .name = haft__str(name),
        .description = HAFT__LIT("Asks another agent."),
        .input_schema = help_json(&s->arena, "{\"type\":\"object\",\"properties\":{\"task\":{"
                                             "\"type\":\"string\"}},\"required\":[\"task\"]}"),
        .source = HAFT__TOOL_AGENT,
        .typed = true,
    };
    CHECK_INT(haft__tools_add(&to->tools, &tool, &err), HAFT_OK, "%s", err.message);
    spec->agents[to->agent_tool_count++] =
        (haft__agent_tool){.tool = tool.name,
                           .agent = agent == SIM_LEAF ? HAFT__LIT("leaf") : HAFT__LIT("agent"),
                           .spec = &s->specs[agent].help.spec};
    to->agent_tools = spec->agents;
}

void sim_make_specs(sim *s)
{
    bool agents = sim_chance(s, 70);
    make_roots(s, agents);
    make_agent(s, SIM_AGENT);
    make_agent(s, SIM_LEAF);
    make_agent(s, SIM_DESK);
    if (agents) {
        for (int next = 0; next <= 1; next++) {
            sim_role root = next == 0 ? SIM_ROOT : SIM_NEXT;
            add_agent_tool(s, root, "ask_agent", SIM_AGENT);
            add_agent_tool(s, root, "ask_leaf", SIM_LEAF);
        }
        add_agent_tool(s, SIM_AGENT, "ask_leaf", SIM_LEAF);
    }
    sim_make_handoffs(s);
    if (s->root == SIM_GRAPH) {
        sim_make_graphs(s);
    }
}

sim_class sim_class_of(const haft__tool *tool)
{
    bool outside = tool->source == HAFT__TOOL_COMMAND || tool->source == HAFT__TOOL_MCP;
    if (!outside) {
        return SIM_NO_EFFECT;
    }
    return tool->traits.read_only    ? SIM_READ_ONLY
           : tool->traits.idempotent ? SIM_IDEMPOTENT
                                     : SIM_ONCE;
}

/* ---- the model ---- */

static haft_str arguments_of(sim *s, haft_str tool)
{
    static const char *const bad[] = {"{\"nosuch\":1}", "{\"q\":", "{'q': 'mended',}",
                                      "{\"n\":\"x\"}",  "",        "[1]"};
    if (sim_chance(s, 12)) {
        return haft__str(bad[sim_pick(s, COUNT(bad))]);
    }
    if (haft__str_equal(tool, HAFT__LIT("request_user_input"))) {
        return HAFT__LIT("{\"question\":\"Which one?\"}");
    }
    if (haft__str_equal(tool, HAFT__LIT("store_artifact"))) {
        return HAFT__LIT("{\"name\":\"a.txt\",\"content\":\"x\"}");
    }
    if (haft__str_equal(tool, HAFT__LIT("complete_workflow"))) {
        return HAFT__LIT("{\"summary\":\"done\"}");
    }
    if (haft__str_starts_with(tool, HAFT__LIT("ask_"))) {
        return haft__arena_format(&s->scratch, "{\"task\":\"find x%u\"}", sim_pick(s, 12));
    }
    if (haft__str_equal(tool, HAFT__LIT("tool_search"))) {
        return HAFT__LIT("{\"query\":\"write look\"}");
    }
    if (haft__str_starts_with(tool, HAFT__LIT("transfer_to_"))) {
        return HAFT__LIT("{}");
    }
    return haft__arena_format(&s->scratch, "{\"q\":\"x%u\"}", sim_pick(s, 12));
}

static haft__message_call make_call(sim *s, const haft__run *run, unsigned number)
{
    const haft__tools *tools = run->tools;
    haft_str name = tools->items[sim_pick(s, (uint32_t)tools->count)]->name;
    if (sim_chance(s, 6)) {
        name = HAFT__LIT("nosuch");
    }
    haft_str id = haft__arena_format(&s->scratch, "q%u", sim_chance(s, 10) ? 0 : number);
    id = sim_chance(s, 5) ? HAFT__LIT("") : id;
    return (haft__message_call){.id = id, .name = name, .arguments = arguments_of(s, name)};
}

static void make_reply(sim *s, const haft__run *run, haft__reply *ret_reply)
{
    static const haft__stop_reason stops[] = {HAFT__STOP_CALLS, HAFT__STOP_CALLS, HAFT__STOP_CALLS,
                                              HAFT__STOP_CALLS, HAFT__STOP_LENGTH};
    static const uint32_t counts[] = {0, 1, 1, 2, 2, 3, 3, 4, 6};
    bool loops = s->loops && run->spec->handoff_count > 0 && sim_chance(s, 95);
    uint32_t count = loops ? 1 : counts[sim_pick(s, COUNT(counts))];
    haft__message_call *calls = haft__arena_array(&s->scratch, count + 1, sizeof(*calls));
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = make_call(s, run, i + 1);
        calls[i].name = loops ? run->spec->handoffs[0].tool : calls[i].name;
        calls[i].arguments = loops ? HAFT__LIT("{}") : calls[i].arguments;
    }
    bool speaks = sim_chance(s, 90);
    haft__stop_reason stop = stops[sim_pick(s, COUNT(stops))];
    *ret_reply =
        (haft__reply){.content = count == 0 && speaks ? HAFT__LIT("Here it is.") : HAFT__LIT(""),
                      .reasoning = HAFT__LIT(""),
                      .calls = calls,
                      .call_count = count,
                      .usage = {.input = 10, .output = 5},
                      .stop = count > 0 ? stop : HAFT__STOP_END,
                      .model = HAFT__LIT("m")};
    ret_reply->stop = sim_chance(s, 1) ? HAFT__STOP_REFUSAL : ret_reply->stop;
}

/* The servers search for tools, not the model. */
static void list_tools(sim *s, const sim_worker *w)
{
    const help_servers *servers = &s->specs[SIM_ROOT].help.servers;
    if (help_search(&w->run, NULL, servers->listings, servers->count, &s->scratch, HELP_KEY,
                    &s->body, NULL)
        != HAFT_OK) {
        sim_fail(s, "the lists of servers cannot be read");
        return;
    }
    sim_trace(s, "%s: the servers list their tools", w->owner);
}

void sim_reply(sim *s, sim_worker *w)
{
    w->asking = false;
    haft__buf_clear(&s->body);
    haft__arena_reset(&s->scratch);
    if (w->effect == HAFT__EFFECT_SEARCH_TOOLS) {
        list_tools(s, w);
    } else if (sim_chance(s, 2)) {
        haft__model_failure failure = {.status = 500, .message = HAFT__LIT("the server broke")};
        haft__input_model_failed(&s->body, &failure, 5);
        sim_trace(s, "%s: the model fails", w->owner);
    } else {
        haft__reply reply;
        make_reply(s, &w->run, &reply);
        haft__input_model_replied(&s->body, &w->run, &reply, 5);
        sim_trace(s, "%s: the model replies with %zu calls", w->owner, reply.call_count);
    }
    if (sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w))) {
        sim_worker_continue(s, w);
    }
}
