/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_bench.c - `haft bench`: many runs against a model server, measured; for benchmark drivers.
 *
 *     haft bench once|load|suspend url=URL model=M runs=N conc=C warm=W [store=sqlite db=FILE]
 *                [stream=1] [pool=1]
 *
 * A support agent with five tools, which are C functions that return at once; with pool=1 they run
 * on threads all the same, as functions that take time do. `load` and `suspend` print one JSON
 * object: times in milliseconds, CPU of this process, memory. In `suspend` a call waits for
 * approval, and the run is left in the store. Tests: tests/cli/bench_test.py.
 */
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/session.h"
#include "json/write.h"

static const char task[] =
    "Customer Ana (order ORD-00001042) wants a refund and the weather in Lisbon. Handle it.";

/* ---- the tools ---- */

/* Results are numbered: a model that asks the same again and again is at work here, not stuck. */
static haft_reply answer(haft_call *call, const char *json)
{
    const haft_call_facts *facts = haft_call_info(call);
    return haft_replyf(call, "{\"call\":\"%s\",%s", facts->call, json);
}

static haft_reply get_weather(haft_call *call, const void *args)
{
    (void)args;
    return answer(call, "\"city\":\"Lisbon\",\"unit\":\"celsius\",\"forecast\":[21,22,19]}");
}

static haft_reply search_docs(haft_call *call, const void *args)
{
    (void)args;
    return answer(call, "\"hits\":[{\"id\":\"kb-17\",\"score\":0.92,\"title\":\"Refund policy\"},"
                        "{\"id\":\"kb-20\",\"score\":0.71,\"title\":\"Enterprise terms\"}]}");
}

static haft_reply create_ticket(haft_call *call, const void *args)
{
    (void)args;
    return answer(call, "\"ticket\":\"T-881\",\"url\":\"tracker/T-881\"}");
}

static haft_reply calc(haft_call *call, const void *args)
{
    (void)args;
    return answer(call, "\"result\":21.75}");
}

static haft_reply lookup_order(haft_call *call, const void *args)
{
    (void)args;
    return answer(call,
                  "\"order_id\":\"ORD-00001042\",\"status\":\"shipped\",\"total_cents\":12900,"
                  "\"items\":[{\"sku\":\"A1\",\"qty\":2}]}");
}

#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"additionalProperties\":false}"

static const haft_tool tools[] = {
    {.struct_size = sizeof(haft_tool),
     .name = "get_weather",
     .description = "Weather forecast for a city.",
     .input_schema = OBJECT("\"city\":{\"type\":\"string\",\"minLength\":1},\"unit\":{\"enum\":"
                            "[\"celsius\",\"fahrenheit\"]},\"days\":{\"type\":\"integer\","
                            "\"minimum\":1,\"maximum\":14}",
                            "\"city\",\"unit\",\"days\""),
     .run = get_weather},
    {.struct_size = sizeof(haft_tool),
     .name = "search_docs",
     .description = "Full text search over the knowledge base.",
     .input_schema = OBJECT(
         "\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500},\"top_k\":{\"type\":"
         "\"integer\",\"minimum\":1,\"maximum\":50},\"filters\":" OBJECT(
             "\"lang\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\",\"items\":{\"type\":"
             "\"string\"},\"maxItems\":10}",
             "\"lang\",\"tags\""),
         "\"query\",\"top_k\",\"filters\""),
     .run = search_docs},
    {.struct_size = sizeof(haft_tool),
     .name = "create_ticket",
     .description = "Open a ticket in the tracker.",
     .input_schema = OBJECT(
         "\"title\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":120},\"body\":{\"type\":"
         "\"string\"},\"priority\":{\"enum\":[\"low\",\"normal\",\"high\"]},\"assignees\":{"
         "\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":5}",
         "\"title\",\"body\",\"priority\",\"assignees\""),
     .run = create_ticket},
    {.struct_size = sizeof(haft_tool),
     .name = "calc",
     .description = "Arithmetic on two numbers.",
     .input_schema = OBJECT("\"op\":{\"enum\":[\"add\",\"sub\",\"mul\",\"div\"]},\"a\":{\"type\":"
                            "\"number\"},\"b\":{\"type\":\"number\"}",
                            "\"op\",\"a\",\"b\""),
     .run = calc},
    {.struct_size = sizeof(haft_tool),
     .name = "lookup_order",
     .description = "Order by id.",
     .input_schema = OBJECT("\"order_id\":{\"type\":\"string\",\"pattern\":\"^ORD-[0-9]{8}$\"},"
                            "\"include_items\":{\"type\":\"boolean\"}",
                            "\"order_id\",\"include_items\""),
     .run = lookup_order},
};

/* ---- what is asked for ---- */

typedef struct wanted {
    haft_str scenario, url, model, store, db;
    uint64_t runs, conc, warm;
    bool stream, suspend, pool;
} wanted;

static haft_status read_wanted(const haft__args *args, wanted *w, haft_error *err)
{
    *w = (wanted){.scenario = haft__str(args->words[0]),
                  .model = HAFT__LIT("mock-1"),
                  .store = HAFT__LIT("none"),
                  .runs = 1,
                  .conc = 1};
    for (size_t i = 1; i < args->word_count; i++) {
        haft_str value = haft__str(args->words[i]);
        haft_str key = haft__str_split(&value, '=');
        const struct {
            const char *key;
            haft_str *text;
            uint64_t *number;
        } rows[] = {{"url", &w->url, NULL},  {"model", &w->model, NULL}, {"store", &w->store, NULL},
                    {"db", &w->db, NULL},    {"runs", NULL, &w->runs},   {"conc", NULL, &w->conc},
                    {"warm", NULL, &w->warm}};
        bool on = haft__str_equal(value, HAFT__LIT("1"));
        bool stream = haft__str_equal(key, HAFT__LIT("stream"));
        bool pool = haft__str_equal(key, HAFT__LIT("pool")), known = stream || pool;
        w->stream = stream ? on : w->stream;
        w->pool = pool ? on : w->pool;
        for (size_t k = 0; k < COUNT(rows) && !known; k++) {
            known = haft__str_equal(key, haft__str(rows[k].key))
                    && (rows[k].text != NULL || haft__str_to_u64(value, rows[k].number));
            if (known && rows[k].text != NULL) {
                *rows[k].text = value;
            }
        }
        if (!known) {
            return haft__fail(err, HAFT_BAD_INPUT, args->words[i], "this is no key=value we know");
        }
    }
    w->suspend = haft__str_equal(w->scenario, HAFT__LIT("suspend"));
    bool good = w->suspend || haft__str_equal(w->scenario, HAFT__LIT("load"))
                || haft__str_equal(w->scenario, HAFT__LIT("once"));
    return good
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "", "wanted once, load or suspend, found \"%.*s\"",
                            HAFT__ARG(w->scenario));
}

/* ---- the agent ---- */

static haft_status load_agent(haft_runtime *runtime, const wanted *w, haft_agent **ret_agent,
                              haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_add_str(&text,
                      HAFT__LIT("{\"haft\":1,\"name\":\"bench\",\"instructions\":\"You are a "
                                "support agent. Use the tools to look things up, then answer "
                                "briefly.\",\"model\":{\"provider\":\"openai\",\"model\":"));
    haft__json_write_string(&text, w->model);
    haft__buf_add_str(&text, HAFT__LIT(",\"api_key\":\"bench\",\"base_url\":"));
    haft__json_write_string(&text, w->url);
    haft__buf_addf(&text,
                   ",\"options\":{\"stream\":%s}},\"limits\":{\"turns\":6000,\"calls\":6000,"
                   "\"tokens\":4000000000,\"wall\":\"1h\"},\"tools\":[",
                   w->stream ? "true" : "false");
    for (size_t i = 0; i < COUNT(tools); i++) {
        haft__buf_addf(&text, "%s{\"name\":\"%s\",\"description\":\"%s\"}", i > 0 ? "," : "",
                       tools[i].name, tools[i].description);
    }
    haft__buf_addf(&text, "]%s}",
                   w->suspend ? ",\"approvals\":[{\"tools\":[\"create_ticket\"]}]" : "");
    haft_status status = haft__buf_check(&text, err);
    for (size_t i = 0; i < COUNT(tools) && status == HAFT_OK; i++) {
        haft_tool tool = tools[i];
        tool.traits |= w->pool ? 0 : HAFT_COST_FREE;
        status = haft_tool_add(runtime, &tool, err);
    }
    if (status == HAFT_OK) {
        status = haft__agent_load_text(runtime, haft__buf_str(&text), HAFT__LIT(""), false,
                                       ret_agent, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- a batch ---- */

typedef struct batch {
    haft_agent *agent;
    uint64_t left; /* to be started */
    double *times; /* of those that are over; NULL: nobody wants them */
    size_t over;
    uint64_t calls, bytes;
    bool suspend;
    haft_error *err;
} batch;

typedef struct lane {
    haft_run *run; /* NULL: free */
    uint64_t started_ns;
} lane;

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static haft_status start_lane(batch *b, lane *l)
{
    b->left--;
    l->started_ns = now_ns();
    return haft_run_start(b->agent, task, NULL, &l->run, b->err);
}

/* A run that is over: as it should be, or not at all. */
static haft_status end_lane(batch *b, lane *l)
{
    haft_event event;
    haft_state state = haft_run_state(l->run);
    haft_str text = haft_run_answer_text(l->run);
    bool good = b->suspend ? state == HAFT_WAITING
                           : state == HAFT_ENDED && haft__str_starts(text, HAFT__LIT("Done"));
    while (haft_run_next_event(l->run, &event)) {
        b->bytes += event.json.len + 1;
    }
    b->calls += l->run->state.usage.calls;
    haft_status status = HAFT_OK;
    if (!good) {
        status = haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(l->run), "a run ended %s: %s",
                            haft_run_end(l->run), l->run->error.message);
    }
    haft_run_release(l->run);
    l->run = NULL;
    if (b->times != NULL) {
        b->times[b->over] = (double)(now_ns() - l->started_ns) / 1e6;
    }
    b->over++;
    return status;
}

static haft_status run_batch(batch *b, haft_runtime *runtime, uint64_t conc)
{
    uint64_t wanted_runs = b->left;
    size_t count = (size_t)(conc < b->left ? conc : b->left);
    lane *lanes = calloc(count > 0 ? count : 1, sizeof(*lanes));
    if (lanes == NULL) {
        return haft__fail_no_memory(b->err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = start_lane(b, &lanes[i]);
    }
    while (status == HAFT_OK && b->over < wanted_runs) {
        status = haft_runtime_step(runtime, -1, b->err);
        for (size_t i = 0; i < count && status == HAFT_OK; i++) {
            if (lanes[i].run != NULL && haft_run_state(lanes[i].run) != HAFT_RUNNING) {
                status = end_lane(b, &lanes[i]);
                if (status == HAFT_OK && b->left > 0) {
                    status = start_lane(b, &lanes[i]);
                }
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        haft_run_release(lanes[i].run);
    }
    free(lanes);
    return status;
}

/* ---- measuring ---- */

static double cpu_ms(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static long resident_kb(void)
{
    char line[128] = "";
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
        (void)fclose(file);
    }
    haft_str rest = haft__str(line);
    (void)haft__str_split(&rest, ' ');
    bool known = haft__str_to_u64(haft__str_split(&rest, ' '), &pages);
    return known ? (long)pages * (sysconf(_SC_PAGESIZE) / 1024) : 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const double *times, size_t count, double part)
{
    size_t at = (size_t)((double)count * part);
    return count > 0 ? times[at < count ? at : count - 1] : 0;
}

static void print(FILE *out, const wanted *w, const batch *b, double wall_ms,
                  const struct rusage *before, long resident_before)
{
    struct rusage after;
    (void)getrusage(RUSAGE_SELF, &after);
    if (b->over > 0) {
        qsort(b->times, b->over, sizeof(double), compare);
    }
    (void)fprintf(out,
                  "{\"peer\":\"haft\",\"scenario\":\"%.*s\",\"model\":\"%.*s\",\"store\":\"%.*s\","
                  "\"runs\":%llu,\"conc\":%llu,\"wall_ms\":%.1f,\"cpu_user_ms\":%.3f,"
                  "\"cpu_sys_ms\":%.3f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"tools\":%llu",
                  HAFT__ARG(w->scenario), HAFT__ARG(w->model), HAFT__ARG(w->store),
                  (unsigned long long)w->runs, (unsigned long long)w->conc, wall_ms,
                  cpu_ms(after.ru_utime) - cpu_ms(before->ru_utime),
                  cpu_ms(after.ru_stime) - cpu_ms(before->ru_stime),
                  quantile(b->times, b->over, 0.5), quantile(b->times, b->over, 0.99),
                  w->suspend ? 0ULL : (unsigned long long)b->calls);
    if (w->suspend && b->over > 0) {
        long grown = resident_kb() - resident_before;
        (void)fprintf(out, ",\"rss_per_run\":%lld,\"heap_per_run\":%lld,\"json_per_run\":%llu",
                      (long long)grown * 1024 / (long long)b->over,
                      (long long)grown * 1024 / (long long)b->over,
                      (unsigned long long)(b->bytes / b->over));
    }
    (void)fprintf(out, ",\"rss_now_kb\":%ld,\"rss_peak_kb\":%ld}\n", resident_kb(),
                  after.ru_maxrss);
}

static haft_status measure(haft__cli *cli, haft_runtime *runtime, haft_agent *agent,
                           const wanted *w, haft_error *err)
{
    batch warm = {.agent = agent, .left = w->warm, .suspend = w->suspend, .err = err};
    haft_status status = run_batch(&warm, runtime, w->conc);
    batch b = {.agent = agent,
               .left = w->runs,
               .times = calloc((size_t)w->runs + 1, sizeof(double)),
               .suspend = w->suspend,
               .err = err};
    if (status == HAFT_OK && b.times == NULL) {
        status = haft__fail_no_memory(err);
    }
    struct rusage before;
    (void)getrusage(RUSAGE_SELF, &before);
    long resident = resident_kb();
    uint64_t start = now_ns();
    if (status == HAFT_OK) {
        status = run_batch(&b, runtime, w->conc);
    }
    if (status == HAFT_OK && !haft__str_equal(w->scenario, HAFT__LIT("once"))) {
        (void)malloc_trim(0);
        print(cli->out, w, &b, (double)(now_ns() - start) / 1e6, &before, resident);
    }
    free(b.times);
    return status;
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    wanted w;
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft_status status = read_wanted(args, &w, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    haft_str store = haft__arena_format(&cli->arena, "sqlite:%.*s", HAFT__ARG(w.db));
    options.store = haft__str_equal(w.store, HAFT__LIT("sqlite")) ? store.ptr : "memory:";
    status = store.ptr != NULL ? haft_runtime_create(&options, &runtime, err)
                               : haft__arena_fail(&cli->arena, err);
    if (status == HAFT_OK) {
        status = load_agent(runtime, &w, &agent, err);
    }
    if (status == HAFT_OK) {
        status = measure(cli, runtime, agent, &w, err);
    }
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

const haft__command haft__cmd_bench = {
    .name = "bench",
    .usage = "once|load|suspend KEY=VALUE...",
    .summary = "measure many runs against a model server",
    .help = "Measures many runs against a model server; see docs/benchmarks.md.\n",
    .min_words = 1,
    .max_words = 16,
    .run = run,
    .hidden = true,
};
