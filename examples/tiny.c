/* SPDX-License-Identifier: Apache-2.0 */
/* tiny.c - the whole API in one program: every function of haft.h is called here, but for those of
 * graphs (graph_embed.c) and of calls without callbacks (queued.c).
 * Build it: cc tiny.c $(pkg-config --cflags --libs haft)
 * Run it:   ./a.out tiny.yaml */
#include <haft.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tools: their arguments are validated before they run ---- */

HAFT_TOOL_WITH(HAFT_READ_ONLY, weigh, "Weigh a letter.", HAFT_STRING(letter, "What it says"),
               HAFT_INTEGER_OR(paper, 5, "Grams of the paper"))
{
    char json[64];
    haft_emit(call, "{\"scales\":\"settling\"}");
    if (haft_cancelled(call)) {
        return haft_reply_error(call, "The call was cancelled.");
    }
    (void)snprintf(json, sizeof(json), "{\"grams\":%lld}",
                   args->paper + (long long)args->letter.len / 8);
    return haft_reply_json(call, json);
}

HAFT_TOOL_WITH(HAFT_NEEDS_APPROVAL, post, "Post a letter.", HAFT_STRING(letter, "What it says"))
{
    const haft_call_facts *facts = haft_call_info(call);
    const haft_server_facts *server = haft_call_server(call);
    return haft_replyf(call, "Posted '%.*s' for %s as %s", HAFT_STR(args->letter),
                       server != NULL ? server->principal : facts->user, facts->call);
}

HAFT_TOOL_WITH(HAFT_NEEDS_APPROVAL | HAFT_DESTRUCTIVE, burn, "Burn a letter.",
               HAFT_STRING(letter, "What it says"))
{
    return haft_replyf(call, "'%.*s' is ashes", HAFT_STR(args->letter));
}

/* For graphs; elsewhere the model reads an error. */
HAFT_TOOL(move, "Go to another node of the graph.")
{
    return haft_reply_command(call, "{\"update\":{\"moved\":true},\"goto\":\"desk\"}");
}

/* ---- errors ---- */

static haft_error err;

/* Every call that can fail goes through here. */
static void must(haft_status status)
{
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "%s (%s): %s: %s (%s)\n", haft_status_name(status),
                      haft_status_text(status), err.where, err.message, err.hint);
        exit(1);
    }
}

/* ---- without a runtime ---- */

static void try_tools(void)
{
    char *schema = NULL, *failures = NULL, *text = NULL;
    haft_reply_kind kind;
    must(haft_tool_schema(&weigh_tool, &schema, &err));
    must(haft_check_json(schema, "{\"paper\":\"thick\"}", &failures, &err));
    must(haft_tool_try(&weigh_tool, "{\"letter\":\"Hello, world\"}", &kind, &text, &err));
    printf("tried: %s\n%s\n", text, failures);
    haft_free(schema);
    haft_free(failures);
    haft_free(text);
}

/* ---- runs ---- */

/* Waits as another loop would, and steps. haft_runtime_step(runtime, -1, ...) does both. */
static void step(haft_runtime *runtime)
{
    struct pollfd ready = {.fd = haft_runtime_fd(runtime), .events = POLLIN};
    (void)poll(&ready, 1, haft_runtime_timeout(runtime));
    must(haft_runtime_step(runtime, 0, &err));
}

/* Steps until the run has ended or waits. Each event is a line of JSON. */
static void follow(haft_runtime *runtime, haft_run *run)
{
    haft_event event;
    unsigned long long last = 0;
    while (haft_run_state(run) == HAFT_RUNNING) {
        step(runtime);
        while (haft_run_next_event(run, &event)) {
            last = event.seq > 0 ? event.seq : last; /* 0: a progress event */
        }
    }
    printf("%s; %llu events\n", haft_run_end(run), last);
    if (haft_run_state(run) == HAFT_STOPPED) {
        err = *haft_run_error(run);
        must(err.status);
    }
}

/* Three calls are pending; their ids are in the events and in the result. */
static void decide(haft_run *run)
{
    char *result = NULL;
    must(haft_run_result(run, &result, &err));
    printf("%s\n", strstr(result, "\"pending\"") != NULL ? "pending: c1.3, c1.4, c1.5" : result);
    haft_free(result);
    if (haft_run_again(run, "c1.4", &err) == HAFT_OK) { /* for calls that were interrupted */
        exit(1);
    }
    must(haft_run_answer(run, "c1.3", "\"Dear Ada\"", &err));
    must(haft_run_approve(run, "c1.4", NULL, &err));
    must(haft_run_reject(run, "c1.5", "It is the only copy.", &err));
}

static void run_agent(haft_runtime *runtime, const char *spec)
{
    haft_agent *agent = NULL;
    haft_run *run = NULL, *again = NULL, *unwanted = NULL;
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    char id[32];
    options.user = "ada";
    must(haft_agent_load(runtime, spec, &agent, &err));
    must(haft_run_start(agent, "Post the letter to Ada.", &options, &run, &err));
    follow(runtime, run);
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run); /* it waits in the store ... */

    must(haft_run_open(runtime, id, &again, &err)); /* ... until it is opened again */
    decide(again);
    follow(runtime, again);
    printf("%.*s\n", HAFT_STR(haft_run_answer_text(again)));
    haft_run_release(again);

    must(haft_run_start(agent, "Burn everything.", NULL, &unwanted, &err));
    must(haft_run_cancel(unwanted, &err));
    follow(runtime, unwanted);
    haft_run_release(unwanted);
    haft_agent_release(agent);
}

int main(int argc, char **argv)
{
    const haft_tool *tools[] = {&weigh_tool, &move_tool, &post_tool, &burn_tool};
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft_runtime *runtime = NULL;
    printf("haft %s\n", haft_version());
    try_tools();
    options.store = "memory:";
    must(haft_runtime_create(&options, &runtime, &err));
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        must(haft_tool_add(runtime, tools[i], &err));
    }
    run_agent(runtime, argc > 1 ? argv[1] : "tiny.yaml");
    haft_runtime_destroy(runtime);
    return 0;
}
