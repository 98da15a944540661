/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - `haft bench`: measures many runs against a model server, for benchmark drivers.
 *
 * `load` and `suspend` print one JSON object: times in milliseconds, CPU of this process, memory.
 * docs/benchmarks.md documents its members. Tests: tests/cli/bench_test.py.
 */
#include <malloc.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/bench/agent.h"
#include "cli/bench/batch.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "json/write.h"

/* ---- resource usage ---- */

typedef struct usage {
    double wall, user, system; /* milliseconds */
    long long resident, heap;  /* bytes; the heap is allocated and not freed */
} usage;

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

/* Returns a field of /proc/self/status in kilobytes: VmRSS, the resident memory, or VmHWM, its
 * maximum. ru_maxrss of getrusage() cannot be used: it can be the maximum of the parent process. */
static long long memory_kb(const char *name)
{
    static char text[8192];
    uint64_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    size_t length = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
    haft_str rest = {text, length};
    if (file != NULL) {
        (void)fclose(file);
    }
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str key = haft__str_split(&line, ':');
        haft_str value = haft__str_trim(haft__str_split(&line, 'k'));
        if (haft__str_equal(key, haft__str(name)) && haft__str_to_u64(value, &kilobytes)) {
            break;
        }
    }
    return (long long)kilobytes;
}

static void measure_time(usage *u)
{
    struct rusage used;
    (void)getrusage(RUSAGE_SELF, &used);
    u->wall = haft__bench_now_ms();
    u->user = milliseconds(used.ru_utime);
    u->system = milliseconds(used.ru_stime);
}

/* First returns unused memory to the system, as a garbage collector would do. */
static void measure_memory(usage *u)
{
    (void)malloc_trim(0);
    struct mallinfo2 heap = mallinfo2();
    u->heap = (long long)heap.uordblks + (long long)heap.hblkhd;
    u->resident = memory_kb("VmRSS") * 1024;
}

/* ---- the result ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const haft__bench_batch *b, double part)
{
    size_t at = (size_t)((double)b->finished_count * part);
    return b->times[at < b->finished_count ? at : b->finished_count - 1];
}

static void add_text(haft__buf *line, const char *key, haft_str value)
{
    haft__buf_addf(line, "%s\"%s\":", line->len > 0 ? "," : "{", key);
    haft__json_write_string(line, value);
}

static void add_count(haft__buf *line, const char *key, long long value)
{
    haft__buf_addf(line, ",\"%s\":%lld", key, value);
}

static void add_time(haft__buf *line, const char *key, int digits, double value)
{
    haft__buf_addf(line, ",\"%s\":%.*f", key, digits, value);
}

static void write_result(haft__buf *line, haft__bench_batch *b, const usage *before,
                         const usage *after)
{
    const haft__bench_options *w = b->options;
    bool suspend = w->scenario == HAFT__BENCH_SUSPEND;
    long long finished_count = (long long)b->finished_count;
    qsort(b->times, b->finished_count, sizeof(double), compare);
    add_text(line, "peer", HAFT__LIT("haft"));
    add_text(line, "scenario", haft__str(haft__bench_scenario_name(w->scenario)));
    add_text(line, "model", w->model);
    add_text(line, "store", haft__str(haft__bench_store_name(w->store)));
    add_count(line, "runs", (long long)w->runs);
    add_count(line, "conc", (long long)w->conc);
    add_time(line, "wall_ms", 1, after->wall - before->wall);
    add_time(line, "cpu_user_ms", 3, after->user - before->user);
    add_time(line, "cpu_sys_ms", 3, after->system - before->system);
    add_time(line, "p50_ms", 2, quantile(b, 0.5));
    add_time(line, "p99_ms", 2, quantile(b, 0.99));
    add_count(line, "tools", suspend ? 0 : (long long)b->results);
    if (suspend) {
        add_count(line, "rss_per_run", (after->resident - before->resident) / finished_count);
        add_count(line, "heap_per_run", (after->heap - before->heap) / finished_count);
        add_count(line, "json_per_run", (long long)b->bytes / finished_count);
    }
    add_count(line, "rss_start_kb", b->start_kb);
    add_count(line, "rss_now_kb", memory_kb("VmRSS"));
    add_count(line, "rss_peak_kb", memory_kb("VmHWM"));
    haft__buf_add_str(line, HAFT__LIT("}\n"));
}

/* ---- the command ---- */

static haft_status print(haft__cli *cli, haft__bench_batch *b, const usage *before,
                         const usage *after, haft_error *err)
{
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_SPEC_BYTES);
    write_result(&line, b, before, after);
    haft_status status = haft__buf_check(&line, err);
    if (status == HAFT_OK) {
        haft__print_json(cli->out, haft__buf_str(&line));
    }
    haft__buf_finish(&line);
    return status;
}

static haft_status measure(haft__cli *cli, haft_agent *agent, const haft__bench_options *w,
                           atomic_ullong *results, haft_error *err)
{
    usage before = {0}, after = {0};
    bool suspend = w->scenario == HAFT__BENCH_SUSPEND;
    haft__bench_batch warm = {.options = w, .agent = agent, .remaining = w->warm};
    haft__bench_batch b = {.options = w,
                           .agent = agent,
                           .remaining = w->runs,
                           .start_kb = memory_kb("VmRSS"),
                           .times = calloc((size_t)w->runs, sizeof(double))};
    haft_status status = b.times != NULL ? HAFT_OK : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = haft__bench_batch_run(&warm, err);
    }
    atomic_store(results, 0);
    if (suspend) {
        measure_memory(&before);
    }
    measure_time(&before);
    if (status == HAFT_OK) {
        status = haft__bench_batch_run(&b, err);
    }
    measure_time(&after);
    if (suspend) {
        measure_memory(&after);
    }
    b.results = atomic_load(results);
    if (status == HAFT_OK && w->scenario != HAFT__BENCH_ONCE) {
        status = print(cli, &b, &before, &after, err);
    }
    free(b.times);
    return status;
}

static haft_status open_runtime(haft__cli *cli, const haft__bench_options *w,
                                haft_runtime **ret_runtime, haft_error *err)
{
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft_str file = haft__arena_format(&cli->arena, "sqlite:%.*s", HAFT__ARG(w->db));
    if (file.ptr == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    options.store = w->store == HAFT__BENCH_SQLITE ? file.ptr : "memory:";
    return haft_runtime_create(&options, ret_runtime, err);
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__bench_options w;
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    atomic_ullong results = 0;
    if (haft__bench_options_parse(args, &w, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    w.runs = w.scenario == HAFT__BENCH_ONCE ? 1 : w.runs;
    w.warm = w.scenario == HAFT__BENCH_ONCE ? 0 : w.warm;
    haft_status status = open_runtime(cli, &w, &runtime, err);
    if (status == HAFT_OK) {
        status = haft__bench_load_agent(runtime, &w, &results, &agent, err);
    }
    if (status == HAFT_OK) {
        status = measure(cli, agent, &w, &results, err);
    }
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

const haft__command haft__cmd_bench = {
    .name = "bench",
    .usage = "once|load|suspend KEY=VALUE...",
    .summary = "measure many runs against a model server",
    .help =
        "Runs a support agent with five tools against the server at url=URL, and checks each\n"
        "run. model=mock-N (N tool calls), runs=N, conc=N (runs at a time), warm=N (runs before\n"
        "the clock starts), stream=1, store=none|memory|sqlite, db=FILE, pool=1 (tools run on\n"
        "threads). `load` and `suspend` print one JSON object; the runs of `suspend` stay\n"
        "waiting for approval. See docs/benchmarks.md.\n",
    .min_words = 1,
    .max_words = 16,
    .run = run,
    .hidden = true,
};
