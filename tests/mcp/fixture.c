/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.c - a program: the conformance fixture over Streamable HTTP. Its first line is the
 * address at which it listens. tests/mcp/conformance.py starts it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "fixture.h"
#include "io/clock.h"
#include "io/random.h"
#include "io/signals.h"
#include "serve/mcp/endpoint.h"

#define STEP_MS 50

/* A call that does something every 50 ms. */
typedef struct fixture_job {
    fixture *f;
    haft__mcp_request *mcp_request;
    haft__timer timer;
    int step;
    struct fixture_job *next;
} fixture_job;

#define ELICIT "elicitation/create"
#define FORM(message, properties, required)                                                        \
    "{\"mode\":\"form\",\"message\":\"" message                                                    \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"required\":[" required "]}}"
#define SAMPLE(text)                                                                               \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text            \
    "\"}}],\"maxTokens\":100}"
#define NAME FORM("What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"")
#define OKAY FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")

/* ---- calls that take some time ---- */

static void end_job(fixture_job *job)
{
    for (fixture_job **at = &job->f->jobs; *at != NULL; at = &(*at)->next) {
        if (*at == job) {
            *at = job->next;
            break;
        }
    }
    haft__timer_stop(job->f->loop, &job->timer);
    free(job);
}

static void on_step(void *context);

static void wait_step(fixture_job *job, uint64_t ms)
{
    if (haft__timer_start(job->f->loop, &job->timer, ms, on_step, job, NULL) != HAFT_OK) {
        abort();
    }
}

static void finish(fixture_job *job, const char *text)
{
    haft__mcp_request *mcp_request = job->mcp_request;
    end_job(job);
    haft__mcp_request_reply_text(mcp_request, haft__str(text), false);
}

static void on_step(void *context)
{
    fixture_job *job = context;
    static const char *const lines[] = {"Tool execution started", "Tool processing data",
                                        "Tool execution completed"};
    bool logs = haft__str_equal(job->mcp_request->name, HAFT__LIT("test_tool_with_logging"));
    bool progress = haft__str_equal(job->mcp_request->name, HAFT__LIT("test_tool_with_progress"));
    if (!logs && !progress) {
        finish(job, "Reconnection test completed.");
        return;
    }
    if (logs) {
        haft__mcp_request_log(job->mcp_request, HAFT__MCP_LEVEL_INFO, haft__str(lines[job->step]));
    } else {
        haft__mcp_request_progress(job->mcp_request, (uint64_t)job->step * 50, 100, HAFT__LIT(""));
    }
    if (++job->step == 3) {
        finish(job, "Done.");
    } else {
        wait_step(job, STEP_MS);
    }
}

/* Closes the connection first if possible; the response comes later. */
static void start_job(fixture *f, haft__mcp_request *mcp_request)
{
    fixture_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        abort();
    }
    *job = (fixture_job){.f = f, .mcp_request = mcp_request, .next = f->jobs};
    f->jobs = job;
    mcp_request->user = job;
    bool again = haft__str_equal(mcp_request->name, HAFT__LIT("test_reconnection"));
    if (again) {
        haft__mcp_endpoint_pause(mcp_request);
    }
    wait_step(job, again ? 2 * STEP_MS : 0);
}

/* ---- questions ---- */

typedef struct question {
    const char *tool, *key, *method, *params;
    int round; /* of test_input_required_result_multi_round */
} question;

static const question questions[] = {
    {"test_input_required_result_elicitation", "user_name", ELICIT, NAME, 0},
    {"test_input_required_result_sampling", "capital_question", "sampling/createMessage",
     SAMPLE("What is the capital of France?"), 0},
    {"test_input_required_result_list_roots", "client_roots", "roots/list", "{}", 0},
    {"test_input_required_result_request_state", "confirm", ELICIT, OKAY, 0},
    {"test_input_required_result_tampered_state", "confirm", ELICIT, OKAY, 0},
    {"test_input_required_result_multiple_inputs", "user_name", ELICIT, NAME, 0},
    {"test_input_required_result_multiple_inputs", "greeting", "sampling/createMessage",
     SAMPLE("Generate a greeting"), 0},
    {"test_input_required_result_multiple_inputs", "client_roots", "roots/list", "{}", 0},
    {"test_input_required_result_multi_round", "step1", ELICIT,
     FORM("Step 1: What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\""), 0},
    {"test_input_required_result_multi_round", "step2", ELICIT,
     FORM("Step 2: What is your favorite color?", "\"color\":{\"type\":\"string\"}", "\"color\""),
     1},
    {"test_input_required_result_capabilities", "user_name", ELICIT, NAME, 0},
    {"test_input_required_result_capabilities", "greeting", "sampling/createMessage",
     SAMPLE("Generate a greeting"), 0},
    {"test_streaming_elicitation", "user_name", ELICIT, NAME, 0},
    {"test_sampling", "sample", "sampling/createMessage", SAMPLE("Test prompt for sampling"), 0},
    {"test_elicitation", "user", ELICIT,
     FORM("Please provide your information",
          "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
          "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}",
          "\"username\",\"email\""),
     0},
    {"test_elicitation_sep1034_defaults", "user", ELICIT,
     FORM("Please check",
          "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
          "\"age\":{\"type\":\"integer\",\"default\":30},"
          "\"score\":{\"type\":\"number\",\"default\":95.5},"
          "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\","
          "\"pending\"],\"default\":\"active\"},"
          "\"verified\":{\"type\":\"boolean\",\"default\":true}",
          ""),
     0},
    {"test_elicitation_sep1330_enums", "user", ELICIT,
     FORM("Please choose",
          "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
          "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":"
          "\"First Option\"},{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":"
          "\"value3\",\"title\":\"Third Option\"}]},"
          "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
          "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
          "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":["
          "\"option1\",\"option2\",\"option3\"]}},"
          "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\","
          "\"title\":\"First Choice\"},{\"const\":\"value2\",\"title\":\"Second Choice\"},"
          "{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}",
          ""),
     0},
};

static const char *capability_of(const char *method)
{
    return strcmp(method, ELICIT) == 0         ? "elicitation"
           : strcmp(method, "roots/list") == 0 ? "roots"
                                               : "sampling";
}

/* Whether the client has given a usable answer. */
static bool is_answered(const haft__mcp_request *mcp_request, const char *key)
{
    const haft__json *answer = haft__json_get(mcp_request->answers, haft__str(key));
    return answer != NULL && answer->kind == HAFT__JSON_OBJECT;
}

/* Asks for missing input; false if nothing is missing. */
static bool ask(haft__mcp_request *mcp_request)
{
    haft__mcp_server_question missing[4];
    size_t count = 0;
    bool known = false;
    int round = haft__str_equal(mcp_request->state, HAFT__LIT("round 1")) ? 1 : 0;
    if (round == 0 && is_answered(mcp_request, "step1")) {
        round = 1;
    } else if (round == 1 && is_answered(mcp_request, "step2")) {
        return false;
    }
    for (size_t i = 0; i < COUNT(questions); i++) {
        const question *q = &questions[i];
        if (!haft__str_equal(mcp_request->name, haft__str(q->tool)) || q->round != round) {
            continue;
        }
        known = true;
        if (!is_answered(mcp_request, q->key)
            && haft__mcp_request_client_supports(mcp_request, capability_of(q->method))) {
            missing[count++] = (haft__mcp_server_question){haft__str(q->key), haft__str(q->method),
                                                           haft__str(q->params)};
        }
    }
    if (!known || count == 0) {
        return false;
    }
    haft__mcp_request_ask(mcp_request, missing, count,
                          round == 1 ? HAFT__LIT("round 1") : HAFT__LIT("round 0"),
                          haft__clock_now());
    return true;
}

/* ---- calls ---- */

static const struct {
    const char *tool, *members;
} results[] = {
    {"test_simple_text",
     "\"content\":[{\"type\":\"text\",\"text\":\"This is a simple text response for testing.\"}]"},
    {"test_image_content",
     "\"content\":[{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}]"},
    {"test_audio_content",
     "\"content\":[{\"type\":\"audio\",\"data\":\"" FIXTURE_WAV "\",\"mimeType\":\"audio/wav\"}]"},
    {"test_embedded_resource",
     "\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\","
     "\"mimeType\":\"text/plain\",\"text\":\"This is an embedded resource content.\"}}]"},
    {"test_multiple_content_types",
     "\"content\":[{\"type\":\"text\",\"text\":\"Multiple content types test:\"},"
     "{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"},"
     "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
     "\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}"
     "}]"},
    {"test_error_handling",
     "\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"This tool intentionally returns "
     "an error for testing\"}]"},
};

static bool is_timed(haft_str name)
{
    return haft__str_equal(name, HAFT__LIT("test_tool_with_progress"))
           || haft__str_equal(name, HAFT__LIT("test_tool_with_logging"))
           || haft__str_equal(name, HAFT__LIT("test_reconnection"));
}

static void say_answers(haft__mcp_request *mcp_request)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_add_str(&text,
                      mcp_request->state.len > 0 ? HAFT__LIT("state-ok: ") : HAFT__LIT("ok: "));
    haft__json_write(&text, mcp_request->answers);
    haft__mcp_request_reply_text(mcp_request, haft__buf_str(&text), false);
    haft__buf_finish(&text);
}

static void call_tool(fixture *f, haft__mcp_request *mcp_request)
{
    for (size_t i = 0; i < COUNT(results); i++) {
        if (haft__str_equal(mcp_request->name, haft__str(results[i].tool))) {
            haft__mcp_request_reply(mcp_request, haft__str(results[i].members));
            return;
        }
    }
    if (is_timed(mcp_request->name)) {
        start_job(f, mcp_request);
        return;
    }
    if (haft__str_equal(mcp_request->name, HAFT__LIT("test_missing_capability"))
        && !haft__mcp_request_client_supports(mcp_request, "sampling")) {
        haft__mcp_request_fail(mcp_request, HAFT__RPC_CAPABILITY,
                               HAFT__LIT("this tool needs a client that can sample"),
                               HAFT__LIT("{\"requiredCapabilities\":{\"sampling\":{}}}"));
        return;
    }
    if (haft__str_equal(mcp_request->name, HAFT__LIT("test_trigger_tool_change"))) {
        haft__mcp_server_changed(f->server, HAFT__MCP_LIST_TOOLS);
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test_trigger_prompt_change"))) {
        haft__mcp_server_changed(f->server, HAFT__MCP_LIST_PROMPTS);
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test_logging_tool"))) {
        haft__mcp_request_log(mcp_request, HAFT__MCP_LEVEL_INFO, HAFT__LIT("a line of the log"));
    } else if (ask(mcp_request)) {
        return;
    }
    say_answers(mcp_request);
}

static void begin(void *context, haft__mcp_request *mcp_request)
{
    switch (mcp_request->verb) {
    case HAFT__MCP_METHOD_CALL: call_tool(context, mcp_request); break;
    case HAFT__MCP_METHOD_PROMPT: fixture_prompt(context, mcp_request); break;
    case HAFT__MCP_METHOD_READ: fixture_resource(context, mcp_request); break;
    case HAFT__MCP_METHOD_COMPLETE:
        haft__mcp_request_reply(mcp_request,
                                HAFT__LIT("\"completion\":{\"values\":[\"test one\","
                                          "\"test two\"],\"total\":2,\"hasMore\":false}"));
        break;
    case HAFT__MCP_METHOD_SUBSCRIBE:
    case HAFT__MCP_METHOD_UNSUBSCRIBE:
    case HAFT__MCP_METHOD_LISTEN: haft__mcp_request_reply(mcp_request, HAFT__LIT("")); break;
    }
}

static void resume(void *context, haft__mcp_request *mcp_request)
{
    (void)context;
    if (haft__mcp_request_open_questions(mcp_request) == 0) {
        say_answers(mcp_request);
    }
}

static void drop(void *context, haft__mcp_request *mcp_request)
{
    (void)context;
    if (mcp_request->user != NULL) {
        end_job(mcp_request->user);
    }
}

const haft__mcp_server_handlers fixture_served = {
    .prompts = true,
    .resources = true,
    .completions = true,
    .logging = true,
    .changes = true,
    .count = fixture_count,
    .write = fixture_write,
    .schema = fixture_schema,
    .begin = begin,
    .resume = resume,
    .drop = drop,
};

/* ---- the program ---- */

static void on_signal(void *context, int number)
{
    (void)number;
    *(bool *)context = true;
}

static haft_status serve(fixture *f, haft_error *err)
{
    haft__mcp_endpoint *http = NULL;
    haft__signals *signals = NULL;
    bool stopped = false;
    haft__mcp_endpoint_options options = {
        .loop = f->loop, .server = f->server, .address = HAFT__LIT("127.0.0.1:0")};
    haft_status status = haft__mcp_endpoint_create(&options, &http, err);
    if (status == HAFT_OK) {
        status = haft__signals_create(f->loop, on_signal, &stopped, &signals, err);
    }
    if (status == HAFT_OK) {
        haft_str address = haft__mcp_endpoint_address(http);
        (void)printf("listening on http://%.*s/mcp\n", HAFT__ARG(address));
        (void)fflush(stdout);
    }
    while (status == HAFT_OK && !stopped) {
        status = haft__loop_step(f->loop, -1, err);
    }
    haft__signals_destroy(signals);
    haft__mcp_endpoint_destroy(http);
    return status;
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    fixture f = {.jobs = NULL};
    haft_error err = {0};
    haft__mcp_server_options options = {.name = HAFT__LIT("haft-fixture"),
                                        .version = HAFT__LIT("1"),
                                        .instructions = HAFT__LIT("For tests."),
                                        .served = &fixture_served,
                                        .context = &f,
                                        .hash_key = haft__random_hash_key()};
    haft__arena_init(&f.arena, 0);
    haft_status status = haft__random_bytes(options.key.bytes, sizeof(options.key.bytes))
                             ? haft__loop_create(&f.loop, &err)
                             : HAFT_IO;
    if (status == HAFT_OK) {
        status = haft__mcp_server_create(&options, &f.server, &err);
    }
    if (status == HAFT_OK) {
        status = serve(&f, &err);
    }
    haft__mcp_server_destroy(f.server);
    haft__loop_destroy(f.loop);
    haft__arena_finish(&f.arena);
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "mcp-fixture: %s\n", err.message);
    }
    return status == HAFT_OK ? 0 : 1;
}
