/* SPDX-License-Identifier: Apache-2.0 */
/* corpus.c - runs a spec with tools in C and prints its events: corpus SPEC TASK ACTION...
 * corpus_test.py compares them with those of the same tools in Python and in JavaScript. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HAFT_TOOL_WITH(HAFT_READ_ONLY, add, "Add two numbers.", HAFT_INTEGER(a, "the first"),
               HAFT_INTEGER_OR(b, 1, "the second"))
{
    return haft_replyf(call, "%lld", args->a + args->b);
}

HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_CACHE_RUN, find, "Find orders.",
               HAFT_STRING(query, "words to look for"),
               HAFT_ENUM_OR(state, "open", "of the order", "open", "paid"))
{
    char json[256];
    (void)snprintf(json, sizeof(json), "{\"query\":\"%.*s\",\"state\":\"%.*s\"}",
                   HAFT_STR(args->query), HAFT_STR(args->state));
    return haft_reply_json(call, json);
}

HAFT_TOOL(fail, "Fail.", HAFT_BOOLEAN(told, "whether the model is told why"))
{
    return haft_reply_error(call, args->told ? "no connection; try again later" : "unknown");
}

HAFT_TOOL_WITH(HAFT_NEEDS_APPROVAL | HAFT_IDEMPOTENT, pay, "Pay money back.",
               HAFT_STRING(to, "who gets it"), HAFT_INTEGER(cents, "how much"))
{
    return haft_replyf(call, "%.*s has %lld cents", HAFT_STR(args->to), args->cents);
}

HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_RETURN_DIRECT, quote, "Quote a text.",
               HAFT_STRING(text, "the text"))
{
    return haft_replyf(call, "\"%.*s\"", HAFT_STR(args->text));
}

static haft_error err;

static void must(haft_status status)
{
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "%s: %s (%s)\n", err.where, err.message, err.hint);
        exit(1);
    }
}

/* Steps until the run waits or has ended. */
static void follow(haft_runtime *runtime, haft_run *run)
{
    haft_event event;
    do {
        must(haft_runtime_step(runtime, haft_run_state(run) == HAFT_RUNNING ? -1 : 0, &err));
        while (haft_run_next_event(run, &event)) {
            if (event.seq > 0) {
                printf("%.*s\n", HAFT_STR(event.json));
            }
        }
    } while (haft_run_state(run) == HAFT_RUNNING);
}

/* "approve", "approve:ARGUMENTS", "reject:WHY", "answer:JSON" or "cancel" */
static void act(haft_run *run, const char *action)
{
    const char *value = strchr(action, ':');
    value = value != NULL ? value + 1 : NULL;
    switch (action[0] == 'a' ? action[1] : action[0]) {
    case 'p': must(haft_run_approve(run, NULL, value, &err)); break;
    case 'n': must(haft_run_answer(run, NULL, value, &err)); break;
    case 'r': must(haft_run_reject(run, NULL, value, &err)); break;
    default: must(haft_run_cancel(run, &err));
    }
}

int main(int argc, char **argv)
{
    const haft_tool *tools[] = {&add_tool, &find_tool, &fail_tool, &pay_tool, &quote_tool};
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    options.guard = getenv("CORPUS_GUARD");
    must(argc < 3 ? HAFT_BAD_INPUT : haft_runtime_create(&options, &runtime, &err));
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        must(haft_tool_add(runtime, tools[i], &err));
    }
    must(haft_agent_load(runtime, argv[1], &agent, &err));
    must(haft_run_start(agent, argv[2], NULL, &run, &err));
    follow(runtime, run);
    for (int i = 3; i < argc; i++) {
        act(run, argv[i]);
        follow(runtime, run);
    }
    haft_run_release(run);
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return 0;
}
