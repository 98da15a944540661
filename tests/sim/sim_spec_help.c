/* SPDX-License-Identifier: Apache-2.0 */
/* sim_spec_help.c - the spec of a run and the replies of its model: all from the seed. */
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

/* Each draw is a statement of its own: the order of evaluation of arguments is unspecified. */
void sim_make_spec(sim *s)
{
    static const char *const kinds[] = {"agent", "agent", "workflow; min_tools=2"};
    static const char *const unknown[] = {"", "", "; on_unknown=tell", "; on_unknown=retry"};
    haft__buf words;
    haft__buf_init(&words, sizeof(s->words) - 1);
    const char *kind = one_of(s, kinds, COUNT(kinds));
    const char *policy = one_of(s, unknown, COUNT(unknown));
    uint32_t turns = 2 + sim_pick(s, 5), parallel = 1 + sim_pick(s, 4);
    bool workflow = kind[0] == 'w', direct = sim_chance(s, 25);
    haft__buf_addf(&words, "%s; turns=%u; parallel=%u; violations=1; reminders=1%s", kind, turns,
                   parallel, policy);
    haft__buf_addf(&words,
                   "; tools=look!read_only!retries,put!idempotent!retries,send,pay%s,"
                   "wipe!destructive,client!headless,request_user_input,store_artifact%s%s",
                   s->broken == SIM_UNASKED ? "" : "!approval",
                   direct ? ",give!read_only!direct" : "", workflow ? ",complete_workflow" : "");
    add_rule(s, &words);
    add_server(s, &words);
    (void)snprintf(s->words, sizeof(s->words), "%.*s", HAFT__ARG(haft__buf_str(&words)));
    haft__buf_finish(&words);
    help_spec_init(&s->spec, &s->arena, haft__str(s->words));
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
    if (haft__str_equal(tool, HAFT__LIT("tool_search"))) {
        return HAFT__LIT("{\"query\":\"write look\"}");
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
    uint32_t count = counts[sim_pick(s, COUNT(counts))];
    haft__message_call *calls = haft__arena_array(&s->scratch, count + 1, sizeof(*calls));
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = make_call(s, run, i + 1);
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
    if (help_search(&w->run, NULL, s->spec.servers.listings, s->spec.servers.count, &s->scratch,
                    HELP_KEY, &s->body, NULL)
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
