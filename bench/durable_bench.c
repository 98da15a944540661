/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable_bench.c - durable SQLite: appends while 1, 64 and 1,000 runs are live; 100,000 waiting
 * runs; recovery after kill -9; bytes stored per turn. Each figure is for one process.
 *
 * HAFT_BENCH_STORE selects another store (for everything except appends), and HAFT_BENCH_BYTES is
 * the command that prints its size; bench/postgres.py sets both.
 */
#include "durable_bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"

#define PAUSED   100000
#define SAMPLES  200
#define LIVE     1000
#define MEASURED 20000 /* the maximum number of measured appends */

#define TOOLS(how)                                                                                 \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look it up.\",\"args\":[\"q\"]," how "}]"
#define WAITING                                                                                    \
    "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{\"q\":\"x\"}}]},{\"text\":"       \
    "\"good\"}]}"

/* ---- scratch directory, clock, percentiles ---- */

typedef struct place {
    char folder[256], url[300];
} place;

_Noreturn static void fail(const char *what, const haft_error *err)
{
    (void)fprintf(stderr, "bench: %s: %s\n", what, err != NULL ? err->message : "");
    exit(1);
}

static void place_init(place *p)
{
    const char *folder = getenv("TMPDIR");
    (void)snprintf(p->folder, sizeof(p->folder), "%s/haft-bench-XXXXXX",
                   folder != NULL ? folder : "/var/tmp");
    if (mkdtemp(p->folder) == NULL) {
        fail(p->folder, NULL);
    }
    const char *store = getenv("HAFT_BENCH_STORE");
    (void)snprintf(p->url, sizeof(p->url), store != NULL ? "%.290s" : "sqlite:%.256s/haft.db",
                   store != NULL ? store : p->folder);
}

static void place_finish(const place *p)
{
    static const char *const names[] = {"haft.db", "haft.db-wal", "haft.db-shm", "script.json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[300];
        (void)snprintf(path, sizeof(path), "%s/%s", p->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(p->folder);
}

/* The output of a command. */
static double bytes_by(const char *command)
{
    char line[64] = "";
    FILE *pipe = popen(command, "r"); // NOLINT(cert-env33-c): it is who measures that gives it
    bool read = pipe != NULL && fgets(line, sizeof(line), pipe) != NULL;
    if (pipe == NULL || pclose(pipe) != 0 || !read) {
        fail(command, NULL);
    }
    return (double)strtoull(line, NULL, 10);
}

static double store_bytes(const place *p)
{
    const char *command = getenv("HAFT_BENCH_BYTES");
    if (command != NULL) {
        return bytes_by(command);
    }
    char path[300];
    struct stat about = {0};
    (void)snprintf(path, sizeof(path), "%s/haft.db", p->folder);
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The percentile `share` of the values. */
static double part(double *values, size_t count, double share)
{
    qsort(values, count, sizeof(*values), compare);
    return values[(size_t)(share * (double)(count - 1))];
}

/* Resident memory of this process in kilobytes. */
static double resident_kb(void)
{
    long pages = 0;
    char line[128] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *second = strchr(line, ' ');
        pages = second != NULL ? strtol(second, NULL, 10) : 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* ---- agents ---- */

static haft_runtime *open_runtime(const place *p)
{
    haft_error err = {0};
    haft_runtime *runtime = NULL;
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    options.store = p->url;
    if (haft_runtime_create(&options, &runtime, &err) != HAFT_OK) {
        fail("runtime", &err);
    }
    return runtime;
}

static haft_agent *load(haft_runtime *runtime, const place *p, const char *members,
                        const char *script)
{
    char path[300];
    haft_error err = {0};
    haft_agent *agent = NULL;
    (void)snprintf(path, sizeof(path), "%s/script.json", p->folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(script, file) < 0 || fclose(file) != 0) {
        fail(path, NULL);
    }
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "{\"haft\":1,\"name\":\"bench\",\"model\":\"script:script.json\",%s}", members);
    (void)snprintf(path, sizeof(path), "%s/spec.json", p->folder);
    if (haft__agent_load_text(runtime, haft__str(text), haft__str(path), false, &agent, &err)
        != HAFT_OK) {
        fail("spec", &err);
    }
    return agent;
}

static haft_run *start(haft_agent *agent)
{
    haft_error err = {0};
    haft_run *run = NULL;
    if (haft_run_start(agent, "look it up", NULL, &run, &err) != HAFT_OK) {
        fail("run", &err);
    }
    return run;
}

static void settle(haft_run *run)
{
    while (haft_run_state(run) == HAFT_RUNNING) {
        if (haft_runtime_step(run->runtime, 1000, NULL) != HAFT_OK) {
            fail("step", NULL);
        }
    }
    if (haft_run_state(run) == HAFT_STOPPED) {
        fail("run", haft_run_error(run));
    }
}

static void drain(haft_runtime *runtime)
{
    while (runtime->runs != NULL) {
        (void)!haft_runtime_step(runtime, 1000, NULL);
    }
}

/* ---- appends ---- */

typedef struct writer {
    haft__store *store;
    haft__store_request request;
    char id[HAFT__ID_LENGTH + 1];
    haft_str line;
    uint64_t seq;
    double began;
    struct measuring *all;
} writer;

typedef struct measuring {
    double end;
    double *waits;
    size_t count, live;
} measuring;

static void on_appended(haft__store_request *request);

static void append(writer *w)
{
    w->request = (haft__store_request){.verb = HAFT__STORE_APPEND,
                                       .run = {.id = haft__str(w->id), .epoch = 1, .seq = w->seq},
                                       .lines = &w->line,
                                       .line_count = 1,
                                       .done = on_appended,
                                       .context = w};
    w->began = now();
    haft__store_submit(w->store, &w->request);
}

static void on_appended(haft__store_request *request)
{
    writer *w = request->context;
    double time = now();
    if (request->status != HAFT_OK) {
        fail("append", &request->error);
    }
    w->seq++;
    if (w->all->count < MEASURED) {
        w->all->waits[w->all->count++] = time - w->began;
    }
    if (time < w->all->end && w->all->count < MEASURED) {
        append(w);
    } else {
        w->all->live--;
    }
}

static void measure_appends(haft_runtime *runtime, writer *writers, size_t live)
{
    static double waits[MEASURED];
    double begin = now();
    measuring all = {.end = begin + 1.5, .waits = waits, .live = live};
    for (size_t i = 0; i < live; i++) {
        writers[i].all = &all;
        append(&writers[i]);
    }
    while (all.live > 0) {
        (void)!haft__loop_step(runtime->loop, 1000, NULL);
    }
    double seconds = now() - begin;
    double middle = part(waits, all.count, 0.5), most = part(waits, all.count, 0.99);
    printf("| %zu | %.0f | %.2f | %.2f |\n", live, (double)all.count / seconds, middle * 1e3,
           most * 1e3);
}

void bench_appends(void)
{
    place p;
    place_init(&p);
    haft_runtime *runtime = open_runtime(&p);
    writer *writers = calloc(LIVE, sizeof(*writers));
    static char event[600];
    memset(event, 'x', sizeof(event));
    for (size_t i = 0; writers != NULL && i < LIVE; i++) {
        writer *w = &writers[i];
        *w = (writer){.store = runtime->store, .line = {event, sizeof(event)}, .seq = 1};
        (void)!haft__runtime_make_id(runtime, w->id, NULL);
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = haft__str(w->id), .owner = HAFT__LIT("bench")},
                                      .lines = &w->line,
                                      .line_count = 1,
                                      .lease_ms = 3600000};
        haft_error err = {0};
        if (haft__store_submit_and_wait(runtime->store, &create, &err) != HAFT_OK) {
            fail("create", &err);
        }
    }
    printf("### Durable appends of 600 bytes (SQLite, synced)\n\n"
           "| live runs | appends/s | p50 ms | p99 ms |\n|---:|---:|---:|---:|\n");
    static const size_t live[] = {1, 64, LIVE};
    for (size_t i = 0; writers != NULL && i < COUNT(live); i++) {
        measure_appends(runtime, writers, live[i]);
    }
    printf("\n");
    free(writers);
    haft_runtime_destroy(runtime);
    place_finish(&p);
}

/* ---- waiting runs ---- */

/* One of many copies of a waiting run. */
typedef struct copy {
    haft__store_request request;
    char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
    haft_str lines[16];
    char text[8192];
    size_t *live;
} copy;

static void on_copied(haft__store_request *request)
{
    copy *c = request->context;
    if (request->status != HAFT_OK) {
        fail("copy", &request->error);
    }
    *c->live -= 1;
}

/* The same events with another id of the same length. */
static void make_copy(haft_runtime *runtime, copy *c, const haft__store_run *row, haft_str events)
{
    if (haft__runtime_make_id(runtime, c->id, NULL) != HAFT_OK
        || haft__runtime_make_id(runtime, c->thread, NULL) != HAFT_OK
        || events.len > sizeof(c->text)) {
        fail("copy", NULL);
    }
    memcpy(c->text, events.ptr, events.len);
    for (size_t at = 0; at + row->id.len <= events.len; at++) {
        bool id = memcmp(c->text + at, row->id.ptr, row->id.len) == 0;
        if (id || memcmp(c->text + at, row->thread.ptr, row->thread.len) == 0) {
            memcpy(c->text + at, id ? c->id : c->thread, row->id.len);
        }
    }
    size_t count = 0;
    for (haft_str rest = {c->text, events.len}; rest.len > 0 && count < COUNT(c->lines);) {
        c->lines[count++] = haft__str_split(&rest, '\n');
    }
    c->request = (haft__store_request){.verb = HAFT__STORE_CREATE,
                                       .run = *row,
                                       .lines = c->lines,
                                       .line_count = count,
                                       .done = on_copied,
                                       .context = c};
    c->request.run.id = haft__str(c->id);
    c->request.run.thread = haft__str(c->thread);
    c->request.run.owner = HAFT__LIT("");
}

/* `ids` may be NULL. */
static void make_copies(haft_runtime *runtime, const haft__store_run *row, haft_str events,
                        size_t count, char (*ids)[HAFT__ID_LENGTH + 1])
{
    copy *copies = calloc(LIVE, sizeof(*copies));
    for (size_t made = 0; copies != NULL && made < count; made += LIVE) {
        size_t live = count - made < LIVE ? count - made : LIVE;
        for (size_t i = 0, some = live; i < some; i++) {
            copies[i].live = &live;
            make_copy(runtime, &copies[i], row, events);
            if (ids != NULL) {
                memcpy(ids[made + i], copies[i].id, sizeof(copies[i].id));
            }
            haft__store_submit(runtime->store, &copies[i].request);
        }
        while (live > 0) {
            (void)!haft__loop_step(runtime->loop, 1000, NULL);
        }
    }
    free(copies);
}

/* Reads the run from the store. Returns the length of its events. */
static double copy_run(haft_runtime *runtime, const char *id, size_t count,
                       char (*ids)[HAFT__ID_LENGTH + 1])
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = haft__str(id), .arena = &arena};
    haft__store_request read = {
        .verb = HAFT__STORE_READ_EVENTS, .run.id = haft__str(id), .arena = &arena};
    haft_error err = {0};
    if (haft__store_submit_and_wait(runtime->store, &find, &err) != HAFT_OK
        || haft__store_submit_and_wait(runtime->store, &read, &err) != HAFT_OK) {
        fail(id, &err);
    }
    make_copies(runtime, &find.found[0], read.text, count, ids);
    double length = (double)read.text.len;
    haft__arena_finish(&arena);
    return length;
}

void bench_copies(void)
{
    const char *id = getenv("HAFT_BENCH_RUN"), *count = getenv("HAFT_BENCH_COPIES");
    if (id == NULL || count == NULL) {
        return;
    }
    place p;
    place_init(&p);
    haft_runtime *runtime = open_runtime(&p);
    (void)copy_run(runtime, id, strtoul(count, NULL, 10), NULL);
    haft_runtime_destroy(runtime);
    place_finish(&p);
}

static void make_paused(const place *p, char (*ids)[HAFT__ID_LENGTH + 1], double *ret_content)
{
    haft_runtime *runtime = open_runtime(p);
    haft_agent *agent = load(runtime, p, TOOLS("\"headless\":true"), WAITING);
    haft_run *run = start(agent);
    settle(run);
    *ret_content = copy_run(runtime, haft_run_id(run), PAUSED, ids);
    haft_run_release(run);
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
}

static void answer_one(haft_runtime *runtime, const char *id, double *ret_open, double *ret_end)
{
    haft_run *run = NULL;
    haft_error err = {0};
    double begin = now();
    if (haft_run_open(runtime, id, &run, &err) != HAFT_OK) {
        fail(id, &err);
    }
    *ret_open = now() - begin;
    if (haft_run_answer(run, "c1.1", "1", &err) != HAFT_OK) {
        fail(id, &err);
    }
    settle(run);
    *ret_end = now() - begin;
    haft_run_release(run);
    drain(runtime);
}

void bench_paused(void)
{
    place p;
    place_init(&p);
    char(*ids)[HAFT__ID_LENGTH + 1] = calloc(PAUSED, sizeof(*ids));
    double content = 0, opens[SAMPLES], ends[SAMPLES];
    if (ids == NULL) {
        fail("memory", NULL);
    }
    double making = now();
    make_paused(&p, ids, &content);
    making = now() - making;
    double bytes = store_bytes(&p), before = resident_kb(), begin = now();
    haft_runtime *runtime = open_runtime(&p);
    double opened = now() - begin, grown = resident_kb() - before;
    for (size_t i = 0; i < SAMPLES; i++) {
        answer_one(runtime, ids[i * 7919 % PAUSED], &opens[i], &ends[i]);
    }
    haft_runtime_destroy(runtime);
    double each = bytes / PAUSED;
    printf("### %d runs that wait, in one store\n\n| what | |\n|---|---:|\n", PAUSED);
    printf("| made a second | %.0f |\n", PAUSED / making);
    printf("| memory of a process that opens it, bytes a run | %.1f |\n", grown * 1024 / PAUSED);
    printf("| time to open it, ms | %.1f |\n", opened * 1e3);
    printf("| bytes on disk a run | %.0f |\n", each);
    printf("| its events, bytes | %.0f |\n", content);
    printf("| to claim and read one, p50 and p99 ms | %.2f, %.2f |\n",
           part(opens, SAMPLES, 0.5) * 1e3, part(opens, SAMPLES, 0.99) * 1e3);
    printf("| to claim, answer and end one, p50 and p99 ms | %.2f, %.2f |\n\n",
           part(ends, SAMPLES, 0.5) * 1e3, part(ends, SAMPLES, 0.99) * 1e3);
    free(ids);
    place_finish(&p);
}

/* ---- recovery ---- */

/* A process that is killed while its run has a running call. Prints the run's id to `out`. */
static void be_killed(const place *p, int out)
{
    haft_runtime *runtime = open_runtime(p);
    haft_agent *agent =
        load(runtime, p, TOOLS("\"command\":[\"sleep\",\"30\"],\"traits\":{\"read_only\":true}"),
             WAITING);
    haft_run *run = start(agent);
    while (run->slots == NULL || run->log.durable_seq < run->state.seq) {
        (void)!haft_runtime_step(runtime, 1000, NULL);
    }
    (void)!write(out, haft_run_id(run), HAFT__ID_LENGTH);
    (void)pause();
}

/* Seconds from the kill until the call runs again. */
static double recover_one(const place *p)
{
    int ends[2];
    char id[HAFT__ID_LENGTH + 1] = "";
    if (pipe(ends) != 0) {
        fail("pipe", NULL);
    }
    pid_t child = fork();
    if (child == 0) {
        be_killed(p, ends[1]);
        _exit(0);
    }
    (void)close(ends[1]);
    bool told = read(ends[0], id, HAFT__ID_LENGTH) == HAFT__ID_LENGTH;
    (void)close(ends[0]);
    double begin = now();
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    haft_runtime *runtime = open_runtime(p);
    haft_run *run = NULL;
    haft_error err = {0};
    if (!told || haft_run_open(runtime, id, &run, &err) != HAFT_OK) {
        fail("recovery", &err);
    }
    while (run->slots == NULL && haft_run_state(run) == HAFT_RUNNING) {
        (void)!haft_runtime_step(runtime, 1000, NULL);
    }
    double seconds = now() - begin;
    (void)!haft_run_cancel(run, NULL);
    settle(run);
    haft_run_release(run);
    haft_runtime_destroy(runtime);
    return seconds;
}

void bench_recovery(void)
{
    place p;
    place_init(&p);
    double times[20];
    for (size_t i = 0; i < COUNT(times); i++) {
        times[i] = recover_one(&p);
    }
    printf("### After kill -9: until the call that was under way runs again in another process\n\n"
           "| kills | p50 ms | p99 ms |\n|---:|---:|---:|\n| %zu | %.1f | %.1f |\n\n",
           COUNT(times), part(times, COUNT(times), 0.5) * 1e3,
           part(times, COUNT(times), 0.99) * 1e3);
    place_finish(&p);
}

/* ---- bytes a turn ---- */

/* Random letters, which no database can compress. */
static void add_noise(haft__buf *text, size_t length, uint64_t *seed)
{
    for (size_t i = 0; i < length; i++) {
        *seed = *seed * 6364136223846793005U + 1442695040888963407U;
        haft__buf_add_char(text, (char)('a' + (*seed >> 33) % 26));
    }
}

/* A script with this many turns, whose calls have distinct results of 1 KB. */
static char *make_script(unsigned turns)
{
    haft__buf text;
    haft__buf_init(&text, (size_t)16 << 20);
    haft__buf_add_str(&text, HAFT__LIT("{\"replies\":["));
    for (unsigned i = 0; i < turns; i++) {
        haft__buf_addf(&text,
                       "{\"calls\":[{\"name\":\"look\",\"arguments\":{\"q\":\"number %u\"}}]},", i);
    }
    haft__buf_add_str(&text, HAFT__LIT("{\"text\":\"good\"}],\"results\":{\"look\":["));
    uint64_t seed = 1;
    for (unsigned i = 0; i < turns; i++) {
        haft__buf_add_str(&text, i > 0 ? HAFT__LIT(",\"") : HAFT__LIT("\""));
        add_noise(&text, 1024, &seed);
        haft__buf_add_char(&text, '"');
    }
    haft__buf_add_str(&text, HAFT__LIT("]}}"));
    haft__buf_add_char(&text, '\0');
    if (haft__buf_check(&text, NULL) != HAFT_OK) {
        fail("script", NULL);
    }
    return text.ptr;
}

/* The bytes that this many runs in sequence take in the store. */
static double store_turns(unsigned turns, unsigned runs)
{
    place p;
    place_init(&p);
    haft_runtime *runtime = open_runtime(&p);
    char *script = make_script(turns);
    haft_agent *agent =
        load(runtime, &p, TOOLS("\"headless\":true") ",\"limits\":{\"turns\":2000,\"calls\":2000}",
             script);
    double before = store_bytes(&p);
    for (unsigned i = 0; i < runs; i++) {
        haft_run *run = start(agent);
        settle(run);
        if (run->state.turn != turns + 1) {
            fail("turns", haft_run_error(run));
        }
        haft_run_release(run);
        drain(runtime);
    }
    haft_agent_release(agent);
    haft_runtime_destroy(runtime); /* moves SQLite's log into its file */
    double bytes = store_bytes(&p) - before;
    free(script);
    place_finish(&p);
    return bytes;
}

/* The same number of turns in total, so that partly filled pages count the same. */
void bench_turns(void)
{
    static const unsigned turns[] = {8, 128, 1024};
    printf("### Bytes stored for a turn, its result of 1,024 included\n\n"
           "| turns | runs | bytes a turn |\n|---:|---:|---:|\n");
    for (size_t i = 0; i < COUNT(turns); i++) {
        unsigned runs = 1024 / turns[i];
        double empty = store_turns(0, runs);
        printf("| %u | %u | %.0f |\n", turns[i], runs,
               (store_turns(turns[i], runs) - empty) / 1024);
    }
    printf("\n");
}
