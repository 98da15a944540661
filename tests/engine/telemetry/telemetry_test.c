/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine_help.h"
#include "engine/telemetry/telemetry.h"
#include "engine/telemetry/telemetry_int.h"
#include "io/http_help.h"

#include "base/limits.h"
#include "run/trace.h"

#define LOOK      "{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
#define HEADLESS  "\"tools\":[" LOOK "\"headless\":true}]"
#define CALL_ONCE "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"
#define ANSWER    "{\"replies\":[{\"text\":\"hello\"}]}"

/* A runtime with telemetry; what it writes. */
typedef struct telemetry_host {
    help_host h;
    const char *variables[8];
    char endpoint[160];
    char warnings[4096], log[16384];
} telemetry_host;

static haft_str get_variable(void *context, haft_str name)
{
    const telemetry_host *t = context;
    for (const char *const *entry = t->variables; *entry != NULL; entry++) {
        haft_str rest = haft__str(*entry);
        if (haft__str_equal(haft__str_split(&rest, '='), name)) {
            return rest;
        }
    }
    return (haft_str){NULL, 0};
}

static void append(char *to, size_t size, haft_str text)
{
    size_t used = strlen(to);
    (void)snprintf(to + used, size - used, "%.*s", HAFT__ARG(text));
}

static void on_warning(void *context, haft_str line)
{
    telemetry_host *t = context;
    append(t->warnings, sizeof(t->warnings), line);
    append(t->warnings, sizeof(t->warnings), HAFT__LIT("\n"));
}

static void on_log(void *context, haft_str line)
{
    telemetry_host *t = context;
    append(t->log, sizeof(t->log), line);
}

/* Only traces are sent, to this URL (NULL: none), as JSON. */
static void init(telemetry_host *t, const char *url, const char *more, bool metrics)
{
    *t = (telemetry_host){.variables = {"OTEL_EXPORTER_OTLP_PROTOCOL=http/json"}};
    size_t count = 1;
    if (url != NULL) {
        (void)snprintf(t->endpoint, sizeof(t->endpoint), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=%s",
                       url);
        t->variables[count++] = t->endpoint;
    }
    t->variables[count] = more;
    help_host_init(&t->h, "memory:");
    haft__spec_env env = {get_variable, t};
    haft__telemetry_output output = {on_warning, on_log, t};
    CHECK_INT(haft__telemetry_start(t->h.runtime, &env, &output, metrics, &t->h.err), HAFT_OK, "%s",
              t->h.err.message);
}

static haft_str render(telemetry_host *t, const char *accept)
{
    const char *type = NULL;
    haft__buf_clear(&t->h.text);
    CHECK_INT(haft__telemetry_render(t->h.runtime, haft__str(accept), &t->h.text, &type, &t->h.err),
              HAFT_OK, "%s", t->h.err.message);
    return haft__buf_str(&t->h.text);
}

static bool has(haft_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* ---- on and off ---- */

TEST(without_a_collector_a_runtime_has_no_telemetry)
{
    telemetry_host t;
    const char *type = NULL;
    init(&t, NULL, NULL, false);
    CHECK(t.h.runtime->telemetry == NULL, "telemetry was started");
    CHECK(!haft__telemetry_has_log(t.h.runtime), "log");
    CHECK_INT(haft__telemetry_render(t.h.runtime, HAFT__LIT(""), &t.h.text, &type, &t.h.err),
              HAFT_UNSUPPORTED, "metrics");
    haft__telemetry_http_streams(t.h.runtime, 1); /* does nothing */
    haft__telemetry_http_request(t.h.runtime, HAFT__LIT("/"), HAFT__LIT("GET"), 200, 1);
    haft__telemetry_lease_lost(t.h.runtime);
    haft_run *run = help_host_start(&t.h, "", ANSWER, "go");
    help_host_settle(&t.h, run);
    CHECK_INT(run->telemetry.count, 0, "spans");
    haft_run_release(run);
    help_host_finish(&t.h);
    CHECK_STR(haft__str(t.warnings), HAFT__LIT(""), "warnings");
}

TEST(telemetry_starts_once)
{
    telemetry_host t;
    init(&t, NULL, "HAFT_LOG=json", false);
    struct haft__telemetry *first = t.h.runtime->telemetry;
    haft__spec_env env = {get_variable, &t};
    haft__telemetry_output output = {on_warning, on_log, &t};
    CHECK_INT(haft__telemetry_start(t.h.runtime, &env, &output, true, &t.h.err), HAFT_OK, "again");
    CHECK(t.h.runtime->telemetry == first && first != NULL, "another telemetry");
    help_host_finish(&t.h);
}

/* ---- gauges ---- */

TEST(gauges_count_the_open_runs)
{
    telemetry_host t;
    init(&t, NULL, NULL, true);
    haft_run *run = help_host_start(&t.h, HEADLESS, CALL_ONCE, "go");
    help_host_settle(&t.h, run);
    haft_str text = render(&t, "");
    CHECK(has(text, "haft_runs{state=\"waiting\"} 1\n"), "waiting");
    CHECK(has(text, "haft_runs{state=\"running\"} 0\n"), "running");
    CHECK(has(text, "haft_pending_calls{kind=\"headless\"} 1\n"), "pending");
    CHECK(has(text, "haft_pending_calls{kind=\"approval\"} 0\n"), "approvals");
    CHECK(has(text, "haft_build_info{version=\""), "version");
    CHECK(has(text, "store=\"memory\"} 1\n"), "store");
    CHECK(has(text, "haft_store_commit_seconds_count "), "commits");
    CHECK_INT(haft_run_answer(run, NULL, "\"it\"", &t.h.err), HAFT_OK, "%s", t.h.err.message);
    help_host_settle(&t.h, run);
    text = render(&t, "application/openmetrics-text");
    CHECK(has(text, "haft_runs{state=\"waiting\"} 0\n"), "after the answer");
    CHECK(has(text, "haft_pending_calls{kind=\"headless\"} 0\n"), "after the answer");
    CHECK(has(text, "haft_runs_total{spec=\"test\",end=\"done\"} 1\n"), "ended");
    haft_run_release(run);
    help_host_finish(&t.h);
}

TEST(servers_count_their_requests_and_streams)
{
    telemetry_host t;
    init(&t, NULL, NULL, true);
    haft__telemetry_http_request(t.h.runtime, HAFT__LIT("/api/v1/runs/ID"), HAFT__LIT("GET"), 404,
                                 7);
    haft__telemetry_http_request(t.h.runtime, HAFT__LIT("/api/v1/runs/ID/events"), HAFT__LIT("GET"),
                                 200, UINT64_MAX);
    haft__telemetry_http_streams(t.h.runtime, 2);
    haft__telemetry_http_streams(t.h.runtime, 1);
    haft__telemetry_http_stream_cut(t.h.runtime, "slow");
    haft__telemetry_lease_lost(t.h.runtime);
    haft_str text = render(&t, "");
    static const char *const parts[] = {
        "haft_http_requests_total{route=\"/api/v1/runs/ID\",method=\"GET\",code=\"404\"} 1\n",
        "haft_http_request_duration_seconds_sum{route=\"/api/v1/runs/ID\",method=\"GET\"} 0.007\n",
        "haft_http_streams 1\n",
        "haft_http_streams_cut_total{reason=\"slow\"} 1\n",
        "haft_lease_lost_total 1\n",
    };
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK(has(text, parts[i]), "not in the text: %s", parts[i]);
    }
    CHECK(!has(text, "events\",method=\"GET\"} "), "a stream has a duration");
    help_host_finish(&t.h);
}

/* ---- the log ---- */

TEST(a_line_is_written_when_its_event_is_durable)
{
    telemetry_host t;
    init(&t, NULL, "HAFT_LOG=json", false);
    haft_run *run = help_host_start(&t.h, HEADLESS, CALL_ONCE, "go");
    help_host_settle(&t.h, run);
    CHECK(strstr(t.log, "\"what\":\"turn\"") != NULL, "%s", t.log);
    CHECK(strstr(t.log, "\"end\":\"waiting\"") != NULL, "%s", t.log);
    CHECK_INT(run->telemetry.count, 0, "lines that are left");
    haft_run_release(run);
    help_host_finish(&t.h);
    CHECK(strstr(t.log, "released") == NULL, "the stretch ended twice: %s", t.log);
}

/* ---- collectors ---- */

#define EMPTY       "Content-Length: 0\r\n\r\n"
#define ANSWERED(s) "HTTP/1.1 " s "\r\n" EMPTY

/* Runs an agent with this collector and returns the number of requests. */
static unsigned run_with(telemetry_host *t, web *w, const char *url)
{
    init(t, url, NULL, false);
    haft_run *run = help_host_start(&t->h, "", ANSWER, "go");
    help_host_settle(&t->h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    haft_run_release(run);
    help_host_finish(&t->h);
    return w != NULL ? web_requests(w) : 0;
}

TEST(what_a_collector_answers)
{
    static const struct {
        const char *script, *warning;
    } cases[] = {
        {ANSWERED("200 OK"), ""},
        {ANSWERED("204 No Content"), ""},
        {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 64\r\n\r\n"
         "{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"no top\"}}",
         "telemetry: traces: the collector rejected 3 items: no top\n"},
        {ANSWERED("400 Bad Request"), "answered with status 400\n"},
        {ANSWERED("302 Found\r\nLocation: /elsewhere"), "answered with status 302\n"},
        {ANSWERED("503 Service Unavailable"), "answered with status 503\n"}, /* the process ends */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        telemetry_host t;
        web *w = web_start();
        web_route(w, "/v1/traces", cases[i].script);
        CHECK_INT(run_with(&t, w, web_url(w, "/v1/traces")), 1, "row %zu: requests", i);
        haft_str request = web_request(w, 0);
        CHECK(has(request, "Content-Type: application/json\r\n"), "row %zu", i);
        CHECK(has(request, "\"name\":\"invoke_agent test\""), "row %zu", i);
        bool quiet = cases[i].warning[0] == '\0';
        CHECK(quiet ? t.warnings[0] == '\0' : strstr(t.warnings, cases[i].warning) != NULL,
              "row %zu: %s", i, t.warnings);
        web_stop(w);
    }
}

TEST(a_collector_that_is_not_there)
{
    telemetry_host t;
    char url[64];
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/traces", web_dead_port());
    (void)run_with(&t, NULL, url);
    CHECK(strstr(t.warnings, "cannot connect") != NULL, "%s", t.warnings);
}

TEST(a_response_has_a_limit)
{
    for (size_t extra = 0; extra < 2; extra++) {
        telemetry_host t;
        web *w = web_start();
        size_t size = HAFT__LIMIT_TELEMETRY_RESPONSE_BYTES + extra;
        char *body = test_alloc(size);
        memset(body, ' ', size);
        web_route_bytes(w, "/v1/traces", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
                        (haft_str){body, size});
        (void)run_with(&t, w, web_url(w, "/v1/traces"));
        CHECK_INT(strstr(t.warnings, "too long") != NULL, extra, "%s", t.warnings);
        web_stop(w);
    }
}

TEST(an_overloaded_collector_gets_the_request_again)
{
    telemetry_host t;
    web *w = web_start();
    web_route(w, "/v1/traces",
              WEB_WAIT "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n" EMPTY);
    init(&t, web_url(w, "/v1/traces"), "OTEL_BSP_SCHEDULE_DELAY=1", false);
    haft_run *run = help_host_start(&t.h, "", ANSWER, "go");
    help_host_settle(&t.h, run);
    haft_run_release(run);
    for (unsigned i = 1; i <= 3; i++) {
        while (web_requests(w) < i && t.warnings[0] == '\0') {
            CHECK_INT(haft_runtime_step(t.h.runtime, 10, &t.h.err), HAFT_OK, "%s", t.h.err.message);
        }
        if (i == 2) {
            web_route(w, "/v1/traces", ANSWERED("200 OK"));
        }
        web_release(w, 1);
    }
    while (t.h.runtime->telemetry->traces_sender.busy) {
        CHECK_INT(haft_runtime_step(t.h.runtime, 1000, &t.h.err), HAFT_OK, "%s", t.h.err.message);
    }
    CHECK_STR(haft__str(t.warnings), HAFT__LIT(""), "warnings");
    help_host_finish(&t.h);
    web_stop(w);
}

TEST(a_process_does_not_wait_for_ever_for_its_collector)
{
    telemetry_host t;
    web *w = web_start();
    web_route(w, "/v1/traces", WEB_HANG);
    init(&t, web_url(w, "/v1/traces"), "OTEL_EXPORTER_OTLP_TIMEOUT=50", false);
    haft_run *run = help_host_start(&t.h, "", ANSWER, "go");
    help_host_settle(&t.h, run);
    haft_run_release(run);
    uint64_t start = haft__loop_now(t.h.runtime->loop);
    help_host_finish(&t.h);
    CHECK(strstr(t.warnings, "in time") != NULL, "%s", t.warnings);
    CHECK(start > 0 && HAFT__LIMIT_TELEMETRY_FLUSH_MS <= HAFT__LIMIT_TELEMETRY_TIMEOUT_MS,
          "a request may last longer than the process waits for it");
    web_stop(w);
}

TEST(a_full_queue_is_reported_once_and_counted)
{
    telemetry_host t;
    web *w = web_start();
    web_route(w, "/v1/traces", WEB_WAIT ANSWERED("200 OK"));
    init(&t, web_url(w, "/v1/traces"), "OTEL_BSP_MAX_QUEUE_SIZE=1", false);
    for (int i = 0; i < 4; i++) {
        haft_run *run = help_host_start(&t.h, "", ANSWER, "go");
        help_host_settle(&t.h, run);
        haft_run_release(run);
    }
    haft_str text = render(&t, "");
    CHECK(has(text, "haft_otlp_dropped_total{signal=\"traces\",reason=\"queue_full\"} "), "count");
    const char *found = strstr(t.warnings, "further ones");
    CHECK(found != NULL && strstr(found + 1, "further") == NULL, "%s", t.warnings);
    web_release(w, 10);
    help_host_finish(&t.h);
    web_stop(w);
}

TEST(a_full_queue_fits_into_a_request)
{
    CHECK(2LL * HAFT__LIMIT_TELEMETRY_QUEUE_BYTES <= HAFT__LIMIT_TELEMETRY_REQUEST_BYTES,
          "a batch could be too long");
}

/* ---- traces ---- */

TEST(the_trace_of_the_caller_is_recorded)
{
    static const char caller[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    static const struct {
        const char *given, *recorded;
    } cases[] = {{caller, caller},
                 {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more", caller},
                 {"nonsense", ""},
                 {"", ""},
                 {NULL, ""}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_host h;
        haft_run *run = NULL;
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        help_host_init(&h, "memory:");
        options.traceparent = cases[i].given;
        haft_agent *agent = help_host_agent(&h, "", ANSWER);
        CHECK_INT(haft_run_start(agent, "go", &options, &run, &h.err), HAFT_OK, "row %zu", i);
        help_host_settle(&h, run);
        CHECK_STR(run->state.traceparent, haft__str(cases[i].recorded), "row %zu", i);
        haft_run_release(run);
        haft_agent_release(agent);
        help_host_finish(&h);
    }
}

/* ---- memory ---- */

TEST(a_run_without_memory_for_telemetry_fails_or_loses_only_spans)
{
    for (unsigned n = 0;; n++) {
        telemetry_host t;
        init(&t, NULL, "HAFT_LOG=json", false);
        haft_run *run = help_host_start(&t.h, "", ANSWER, "go");
        test_fail_allocation(n);
        while (haft_run_state(run) == HAFT_RUNNING
               && haft_runtime_step(t.h.runtime, 1000, &t.h.err) == HAFT_OK) {
        }
        bool failed = test_allow_allocations();
        haft_state state = haft_run_state(run);
        CHECK(state == HAFT_ENDED || (failed && state == HAFT_STOPPED), "allocation %u: %d", n,
              (int)state);
        haft_run_release(run);
        help_host_finish(&t.h);
        if (!failed) {
            break;
        }
    }
}
