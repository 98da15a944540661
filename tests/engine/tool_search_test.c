/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/tool_search.c and for calls that ask (src/engine/tool_calls.c). The servers
 * and the executor are fakes. */
#include <unistd.h>

#include "base/str.h"
#include "engine_help.h"
#include "exec/executor.h"
#include "run/servers_help.h"
#include "json/read.h"
#include "json/write.h"

/* ---- servers ---- */

struct haft__catalogue {
    haft__task task;
    haft__catalogue_done *done;
    void *context;
};

static struct {
    haft__catalogue catalogue;
    haft__arena arena;
    haft__mcp_tool tools[8], now; /* `now`: the new definition of the stale tool */
    haft__mcp_listing listings[2];
    size_t listing_count;
    bool silent;      /* the servers never answer */
    unsigned answers; /* the number of answers before they stop answering; 0: no limit */
    unsigned asked, cancelled, run, resumed;
    char received[512];
} servers;

static void report_listings(haft__task *task)
{
    haft__catalogue *catalogue = HAFT__CONTAINER(task, haft__catalogue, task);
    if (catalogue->done != NULL) {
        catalogue->done(catalogue->context, servers.listings, servers.listing_count);
    }
}

static haft_status list(haft__exec *exec, const haft__spec *spec, haft__catalogue_done *done,
                        void *context, haft__catalogue **ret_catalogue, haft_error *err)
{
    (void)spec;
    (void)err;
    servers.asked++;
    servers.catalogue =
        (haft__catalogue){.task.run = report_listings, .done = done, .context = context};
    if (!servers.silent && (servers.answers == 0 || servers.asked <= servers.answers)) {
        haft__loop_post(exec->options.loop, &servers.catalogue.task);
    }
    *ret_catalogue = &servers.catalogue;
    return HAFT_OK;
}

static void stop_listing(haft__catalogue *catalogue)
{
    servers.cancelled++;
    catalogue->done = NULL;
}

/* ---- their tools ---- */

static void report(haft__exec_job *job, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__json_write(&text, value);
    haft__exec_report(
        job, &(haft__exec_result){.ok = true, .started = true, .text = haft__buf_str(&text)});
    (void)snprintf(servers.received, sizeof(servers.received), "%.*s",
                   HAFT__ARG(haft__buf_str(&text)));
    haft__buf_finish(&text);
}

static haft__json parse(const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(&servers.arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK,
              "%s", text);
    return value;
}

static void ask_person(haft__exec_job *job, bool durable)
{
    haft__json question =
        parse("{\"message\":\"Who?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\","
              "\"properties\":{\"name\":{\"type\":\"string\"}}},\"url\":null,\"server\":\"docs\"}");
    CHECK(haft__exec_ask(job, question, durable, parse("{\"k\":1}")), "the question was rejected");
    CHECK(!haft__exec_ask(job, question, durable, haft__json_null()),
          "a second question was accepted while one is open");
}

/* The definition that the run has is stale: `servers.now` is the current one, until the run has
 * received it. */
static void report_stale(haft__exec_job *job)
{
    const haft__json *hash = haft__json_get(job->call.tool->definition, HAFT__LIT("hash"));
    haft__buf text;
    if (haft__str_equal(haft__json_text(*hash), haft__str(servers.now.hash))) {
        report(job, job->call.arguments);
        return;
    }
    haft__buf_init(&text, 1 << 16);
    haft__reveal_write_tool(&text, &servers.now);
    haft_str renewed = haft__arena_copy(&servers.arena, haft__buf_str(&text));
    haft__exec_report(job, &(haft__exec_result){.text = HAFT__LIT("another"), .renewed = renewed});
    haft__buf_finish(&text);
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    (void)err;
    haft_str name = job->call.tool->name;
    servers.run++;
    if (job->call.resume.kind == HAFT__JSON_OBJECT) {
        servers.resumed++;
        report(job, job->call.resume);
    } else if (haft__str_equal(name, HAFT__LIT("docs:search"))) {
        report(job, job->call.arguments);
    } else if (haft__str_equal(name, HAFT__LIT("docs:changed"))) {
        haft__exec_report(job, &(haft__exec_result){.changed = true,
                                                    .text = HAFT__LIT("it is another"),
                                                    .diff = HAFT__LIT("- old\n+ new"),
                                                    .hint = HAFT__LIT("accept it"),
                                                    .transient = true});
    } else if (haft__str_equal(name, HAFT__LIT("docs:stale"))) {
        report_stale(job);
    } else if (haft__str_equal(name, HAFT__LIT("docs:pinned"))
               || haft__str_equal(name, HAFT__LIT("docs:again"))) {
        ask_person(job, false);
    } else {
        ask_person(job, true);
    }
    return HAFT_OK;
}

static bool abandon(haft__exec_job *job)
{
    (void)job;
    return false;
}

static void answer(haft__exec_job *job, haft__json value)
{
    report(job, value);
}

static const haft__executor executor = {.start = start, .abandon = abandon, .answer = answer};

/* ---- hosts ---- */

static void use_servers(help_host *h)
{
    h->runtime->servers = (haft__runtime_servers){list, stop_listing, haft__exec_server_listing};
    h->runtime->exec->mcp = &executor;
}

static void servers_init(void)
{
    static const char *const words[] = {"search!read_only",  "pinned",           "durable",
                                        "changed!read_only", "again!idempotent", "stale"};
    memset(&servers, 0, sizeof(servers));
    haft__arena_init(&servers.arena, 0);
    for (size_t i = 0; i < COUNT(words); i++) {
        servers.tools[i] = help_server_tool(&servers.arena, HAFT__LIT("docs"), haft__str(words[i]));
        servers.tools[i].traits.retries = i == 3 ? 2 : 0;
    }
    servers.listings[0] = (haft__mcp_listing){.server = HAFT__LIT("docs"),
                                              .state = HAFT__LIT("started"),
                                              .error = HAFT__LIT(""),
                                              .tools = servers.tools,
                                              .tool_count = COUNT(words)};
    servers.listings[1] = (haft__mcp_listing){.server = HAFT__LIT("dead"),
                                              .state = HAFT__LIT("configured"),
                                              .error = HAFT__LIT("it is dead")};
    servers.listing_count = 2;
}

#define SPEC                                                                                       \
    "\"max_mcp_tools\":9,\"mcp\":{\"servers\":{\"docs\":{\"command\":[\"docs\"]},\"dead\":{"       \
    "\"command\":[\"dead\"]}}}"
#define CALLS(name) "{\"replies\":[{\"calls\":[{\"name\":\"" name "\"}]},{\"text\":\"good\"}]}"
#define START       "run_started tools_revealed turn_started model_replied "
#define END         " turn_started model_replied run_finished"

/* Two runtimes over one file, like those of two processes. */
typedef struct pair {
    help_host first, second;
    char directory[64], url[128];
} pair;

static void pair_init(pair *p)
{
    servers_init();
    (void)snprintf(p->directory, sizeof(p->directory), "/tmp/haft-open-XXXXXX");
    CHECK(mkdtemp(p->directory) != NULL, "no directory");
    (void)snprintf(p->url, sizeof(p->url), "sqlite:%s/haft.db", p->directory);
    help_host_init(&p->first, p->url);
    help_host_init(&p->second, p->url);
    use_servers(&p->first);
    use_servers(&p->second);
}

static void pair_finish(pair *p)
{
    static const char *const names[] = {"haft.db", "haft.db-wal", "haft.db-shm"};
    char path[128];
    help_host_finish(&p->second);
    help_host_finish(&p->first);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", p->directory, names[i]);
        (void)unlink(path);
    }
    CHECK_INT(rmdir(p->directory), 0, "something is left");
    haft__arena_finish(&servers.arena);
}

/* The first process releases the run, and the second one opens it. */
static haft_run *move(pair *p, haft_run *run)
{
    char id[32];
    haft_run *other = NULL;
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    while (p->first.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p->first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    CHECK_INT(haft_run_open(p->second.runtime, id, &other, &p->second.err), HAFT_OK, "%s",
              p->second.err.message);
    return other;
}

/* ---- the list ---- */

TEST(servers_are_asked_once_and_their_tools_run)
{
    help_host h;
    servers_init();
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SPEC, CALLS("docs:search"), "use docs");
    help_host_settle(&h, run);
    CHECK_STR(help_host_kinds(&h, run), HAFT__LIT(START "call_started call_finished" END), "kinds");
    CHECK_INT(servers.asked, 1, "times that the servers were asked");
    CHECK_INT(servers.run, 1, "calls");
    CHECK_INT(run->state.tools->count, 6 + 1, "tools of the run, and the search");
    CHECK_INT(run->agent->spec->tools.count, 1, "tools of the spec: only the search");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

TEST(an_unreachable_server_is_named)
{
    help_host h;
    servers_init();
    servers.listings[0] = servers.listings[1];
    servers.listing_count = 1;
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SPEC, "{\"replies\":[{\"text\":\"good\"}]}", "use docs");
    help_host_settle(&h, run);
    haft_str events = help_host_events(&h, run);
    haft__buf_add_char(&h.text, '\0');
    CHECK(strstr(h.text.ptr,
                 "\"tools\":[],\"query\":\"use docs\",\"call\":null,\"servers\":[{\"name\":"
                 "\"dead\",\"state\":\"configured\",\"tools\":0,\"error\":"
                 "\"it is dead\",\"names\":[]}],\"automatic\":true,")
              != NULL,
          "%.*s", HAFT__ARG(events));
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "the run continues");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

/* Redaction would make the definition invalid. */
TEST(a_tool_with_a_secret_in_its_definition_is_left_out)
{
    help_host h;
    servers_init();
    servers.tools[0].description = HAFT__LIT("Searches with sk-aaaabbbbccccddddeeee1111.");
    servers.tools[1] = help_server_tool(&servers.arena, HAFT__LIT("docs"),
                                        HAFT__LIT("sk-aaaabbbbccccddddeeee1111"));
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(
        &h,
        "\"max_mcp_tools\":9,\"mcp\":{\"servers\":{\"docs\":{\"command\":[\"docs\"],\"env\":{"
        "\"TOKEN\":\"sk-aaaabbbbccccddddeeee1111\"}}}}",
        CALLS("docs:changed"), "use docs");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", run->error.message);
    CHECK_INT(run->state.tools->count, 4 + 1, "tools of the run, and the search");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

TEST(a_cancelled_run_stops_asking_servers)
{
    help_host h;
    servers_init();
    servers.silent = true;
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SPEC, CALLS("docs:search"), "use docs");
    while (servers.asked == 0) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, NULL), HAFT_OK, "step");
    }
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("cancelled"), "end");
    CHECK_INT(servers.cancelled, 1, "listings that were stopped");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

/* The process stopped between run_started and tools_revealed, and after it. */
TEST(the_next_owner_asks_servers_that_have_not_answered)
{
    for (int answered = 0; answered <= 1; answered++) {
        pair p;
        pair_init(&p);
        servers.silent = answered == 0;
        haft_run *run = help_host_start(&p.first, SPEC, CALLS("docs:durable"), "use docs");
        while (answered == 0 ? servers.asked == 0 : haft_run_state(run) == HAFT_RUNNING) {
            CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
        }
        servers.silent = false;
        haft_run *other = move(&p, run);
        help_host_settle(&p.second, other);
        CHECK_INT(servers.asked, answered == 0 ? 2 : 1, "times that the servers were asked");
        CHECK_INT(other->state.tools->count, 6 + 1, "tools, and the search");
        CHECK_INT(haft_run_state(other), HAFT_WAITING, "the state of the run");
        haft_run_release(other);
        pair_finish(&p);
    }
}

/* ---- calls ---- */

TEST(a_tool_that_has_changed_is_not_run)
{
    help_host h;
    servers_init();
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SPEC, CALLS("docs:changed"), "use docs");
    help_host_settle(&h, run);
    (void)help_host_events(&h, run);
    haft__buf_add_char(&h.text, '\0');
    CHECK(strstr(h.text.ptr, "\"ok\":false,\"result\":null,\"error\":{\"where\":\"tool_changed\","
                             "\"message\":\"it is another\",\"hint\":\"accept it\","
                             "\"diff\":\"- old\\n+ new\"}")
              != NULL,
          "%s", h.text.ptr);
    const haft__run_call *call = &run->state.calls[0];
    CHECK_STR(call->result, HAFT__LIT("Error: it is another (at tool_changed)\nHint: accept it"),
              "the result has no word of the new definition");
    CHECK_INT(servers.run, 1, "attempts");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

/* The tool has not been used: the new definition replaces the old one, and the call is judged by
 * it. */
TEST(a_tool_that_changes_before_its_first_use_is_replaced)
{
    static const struct {
        const char *schema, *then[4];
    } cases[] = {
        {"{\"type\":\"object\"}",
         {"\"kind\":\"call_started\",\"call\":\"c1.1\"", "\"description\":\"Another one.\"",
          "\"reason\":\"the server's list changed\"",
          "\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"docs:stale\",\"ok\":true"}},
        {"{\"type\":\"object\",\"required\":[\"who\"]}",
         {"\"kind\":\"call_started\",\"call\":\"c1.1\"", "\"reason\":\"the server's list changed\"",
          "\"kind\":\"call_refused\"", "\"why\":\"invalid\""}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_host h;
        servers_init();
        servers.now = help_server_tool(&servers.arena, HAFT__LIT("docs"), HAFT__LIT("stale"));
        servers.now.description = HAFT__LIT("Another one.");
        servers.now.input_schema = parse(cases[i].schema);
        servers.now.hash[0] ^= 1;
        help_host_init(&h, "memory:");
        use_servers(&h);
        haft_run *run = help_host_start(&h, SPEC, CALLS("docs:stale"), "use docs");
        help_host_settle(&h, run);
        (void)help_host_events(&h, run);
        haft__buf_add_char(&h.text, '\0');
        const char *at = h.text.ptr;
        for (size_t k = 0; k < COUNT(cases[i].then) && at != NULL; k++) {
            at = strstr(at, cases[i].then[k]);
            CHECK(at != NULL, "%s is not in %s", cases[i].then[k], h.text.ptr);
        }
        CHECK_INT(servers.run, i == 0 ? 2 : 1, "calls that reached the server: %s %s",
                  run->error.where, run->error.message);
        haft_run_release(run);
        help_host_finish(&h);
        haft__arena_finish(&servers.arena);
    }
}

/* The answer comes in the process that runs the call or, for a durable question, in another one. */
TEST(a_tool_that_asks_gets_its_answer)
{
    static const struct {
        const char *script;
        bool elsewhere, no;
        const char *received, *kinds;
    } rows[] = {
        {CALLS("docs:pinned"), false, false,
         "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}", "answered call_finished" END},
        {CALLS("docs:pinned"), false, true, "{\"action\":\"decline\"}",
         "answered call_finished" END},
        {CALLS("docs:durable"), false, false,
         "{\"state\":{\"k\":1},\"answers\":{\"action\":\"accept\",\"content\":{\"name\":"
         "\"Ada\"}}}",
         "answered call_started call_finished" END},
        {CALLS("docs:durable"), true, false,
         "{\"state\":{\"k\":1},\"answers\":{\"action\":\"accept\",\"content\":{\"name\":"
         "\"Ada\"}}}",
         "answered call_started call_finished" END},
        {CALLS("docs:durable"), true, true,
         "{\"state\":{\"k\":1},\"answers\":{\"action\":\"decline\"}}",
         "answered call_started call_finished" END},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        pair p;
        pair_init(&p);
        haft_run *run = help_host_start(&p.first, SPEC, rows[i].script, "use docs");
        help_host *h = rows[i].elsewhere ? &p.second : &p.first;
        help_host_settle(&p.first, run);
        CHECK_STR(help_host_kinds(&p.first, run), HAFT__LIT(START "call_started call_asked paused"),
                  "row %zu", i);
        run->log.reader.attached = false; /* no progress events */
        run = rows[i].elsewhere ? move(&p, run) : run;
        help_host_settle(h, run);
        haft_status status = rows[i].no ? haft_run_reject(run, NULL, "no", &h->err)
                                        : haft_run_answer(run, NULL, "\"Ada\"", &h->err);
        CHECK_INT(status, HAFT_OK, "row %zu: %s", i, h->err.message);
        help_host_settle(h, run);
        CHECK_STR(help_host_kinds(h, run), haft__str(rows[i].kinds), "row %zu", i);
        CHECK_STR(haft__str(servers.received), haft__str(rows[i].received), "row %zu", i);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "row %zu", i);
        haft_run_release(run);
        pair_finish(&p);
    }
}

TEST(a_question_that_is_not_durable_ends_with_its_process)
{
    static const struct {
        const char *script;
        const char *kinds;
    } rows[] = {
        {CALLS("docs:pinned"), "paused"},
        {CALLS("docs:again"), "call_started call_asked paused"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        pair p;
        pair_init(&p);
        haft_run *run = help_host_start(&p.first, SPEC, rows[i].script, "use docs");
        help_host_settle(&p.first, run);
        haft_run *other = move(&p, run);
        help_host_settle(&p.second, other);
        CHECK_STR(help_host_kinds(&p.second, other), haft__str(rows[i].kinds), "row %zu", i);
        const haft__run_call *call = &other->state.calls[0];
        CHECK_INT(call->pause, i == 0 ? HAFT__PAUSE_UNKNOWN_OUTCOME : HAFT__PAUSE_QUESTION,
                  "row %zu", i);
        haft_run_release(other);
        pair_finish(&p);
    }
}

TEST(a_question_has_the_timeout_of_its_call)
{
    help_host h;
    servers_init();
    servers.tools[1].traits.timeout_ms = 60;
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SPEC, CALLS("docs:pinned"), "use docs");
    uint64_t since = haft__loop_now(h.runtime->loop);
    while (haft_run_state(run) != HAFT_ENDED && haft__loop_now(h.runtime->loop) - since < 20000) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, NULL), HAFT_OK, "step");
    }
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT(START "call_started call_asked paused answered call_finished" END),
              "kinds");
    CHECK_STR(haft__str(servers.received), HAFT__LIT("{\"action\":\"cancel\"}"),
              "the server is notified");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

/* A run that is released while a question is open, and one that is cancelled. */
TEST(a_question_is_dropped_with_its_run)
{
    for (int cancel = 0; cancel <= 1; cancel++) {
        help_host h;
        servers_init();
        help_host_init(&h, "memory:");
        use_servers(&h);
        haft_run *run = help_host_start(&h, SPEC, CALLS("docs:pinned"), "use docs");
        help_host_settle(&h, run);
        CHECK(run->slots != NULL && run->slots->state == HAFT__CALL_SLOT_AWAITING_ANSWER,
              "no question is open");
        if (cancel == 1) {
            CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "%s", h.err.message);
            help_host_settle(&h, run);
            CHECK(run->slots == NULL, "the question of a cancelled run is still open");
        } else {
            haft__run_drain(run);
            CHECK(run->slots == NULL && haft__run_is_drained(run),
                  "the question of a drained run is still open");
        }
        haft_run_release(run);
        help_host_finish(&h);
        haft__arena_finish(&servers.arena);
    }
}

/* ---- tool search ---- */

#define SEARCH(query)                                                                              \
    "{\"name\":\"tool_search\",\"arguments\":{\"query\":\"" query "\",\"limit\":1}}"
#define SMALL                                                                                      \
    "\"max_mcp_tools\":1,\"mcp\":{\"servers\":{\"docs\":{\"command\":[\"docs\"]},\"dead\":{"       \
    "\"command\":[\"dead\"]}}}"
#define FOUND "call_started tools_revealed tools_hidden call_finished"

TEST(the_model_searches_and_calls_a_tool_that_it_found)
{
    help_host h;
    servers_init();
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run =
        help_host_start(&h, SMALL,
                        "{\"replies\":[{\"calls\":[" SEARCH(
                            "changed") "]},{\"calls\":["
                                       "{\"name\":\"docs:search\"},{\"name\":\"docs:changed\"}]},"
                                       "{\"text\":\"good\"}]}",
                        "search it");
    help_host_settle(&h, run);
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT(START FOUND " turn_started model_replied call_started call_started "
                                    "call_finished call_finished" END),
              "kinds");
    CHECK_INT(servers.asked, 2, "searches: before the first turn, and by the model");
    CHECK_INT(servers.run, 2, "calls: hidden tools can be called, too");
    CHECK_INT(h.runtime->index_cache.built, 1, "indexes that were built");
    haft_run_release(run);
    run = help_host_start(&h, SMALL, "{\"replies\":[{\"text\":\"good\"}]}", "go");
    help_host_settle(&h, run);
    CHECK_INT(h.runtime->index_cache.built, 1, "the next run built another index");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

TEST(two_searches_run_one_after_the_other)
{
    help_host h;
    servers_init();
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(&h, SMALL,
                                    "{\"replies\":[{\"calls\":[" SEARCH("changed") "," SEARCH(
                                        "durable") "]},"
                                                   "{\"text\":\"good\"}]}",
                                    "search it");
    help_host_settle(&h, run);
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT(START "call_started call_started tools_revealed tools_hidden call_finished "
                              "tools_revealed tools_hidden call_finished" END),
              "kinds");
    CHECK_INT(servers.asked, 3, "times that the servers were asked");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}

/* The process stops while it searches: the next owner searches again. */
TEST(a_search_is_repeated_by_the_next_owner)
{
    pair p;
    pair_init(&p);
    servers.answers = 1;
    haft_run *run =
        help_host_start(&p.first, SMALL,
                        "{\"replies\":[{\"calls\":[" SEARCH("changed") "]},"
                                                                       "{\"text\":\"good\"}]}",
                        "search it");
    while (servers.asked < 2 || !haft__log_is_durable(run)) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    servers.answers = 0;
    haft_run *other = move(&p, run);
    help_host_settle(&p.second, other);
    CHECK_INT(servers.cancelled, 1, "searches that were stopped");
    CHECK_INT(servers.asked, 3, "times that the servers were asked");
    CHECK_STR(haft__str(haft_run_end(other)), HAFT__LIT("done"), "%s", other->error.message);
    CHECK(other->state.calls[0].searched && other->state.calls[0].attempt == 2,
          "the search was not repeated");
    haft_run_release(other);
    pair_finish(&p);
}

/* A call may have any limit that its schema accepts. */
TEST(a_limit_that_is_too_large_is_ignored)
{
    help_host h;
    servers_init();
    help_host_init(&h, "memory:");
    use_servers(&h);
    haft_run *run = help_host_start(
        &h, SMALL,
        "{\"replies\":[{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":\"docs\","
        "\"limit\":99999999999}}]},{\"text\":\"good\"}]}",
        "go");
    help_host_settle(&h, run);
    CHECK_INT(run->state.calls[0].hit_count, 6, "tools that were found");
    CHECK_INT(run->state.calls[0].shown_count, 1, "tools that are shown");
    haft_run_release(run);
    help_host_finish(&h);
    haft__arena_finish(&servers.arena);
}
