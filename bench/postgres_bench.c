/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_bench.c - a store of many processes: durable appends by 1, 4 and 16 of them with a run
 * each, and with 64 runs each, which share their commits; and how fast free runs are claimed.
 */
#include "postgres_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/id.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/owner.h"
#include "io/random.h"
#include "store/store.h"

#define SECONDS   1.0
#define PROCESSES 16
#define RUNS      64
#define SAMPLES   100000 /* the maximum of one process */

/* Shared by the processes. */
typedef struct board {
    size_t count[PROCESSES];
    double waits[PROCESSES][SAMPLES];
} board;

/* The work of one process, and its results. */
typedef struct job {
    const char *url;
    size_t runs, *count;
    double *waits;
} job;

typedef struct writer {
    haft__store *store;
    haft__store_request request;
    char id[HAFT__ID_LENGTH + 1];
    haft_str line;
    uint64_t seq;
    double began, end;
    size_t *count, *live;
    double *waits;
} writer;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

_Noreturn static void fail(const haft_error *err)
{
    (void)fprintf(stderr, "bench: %s\n", err->message);
    exit(1);
}

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
        fail(&request->error);
    }
    w->seq++;
    if (*w->count < SAMPLES) {
        w->waits[(*w->count)++] = time - w->began;
    }
    if (time < w->end) {
        append(w);
    } else {
        *w->live -= 1;
    }
}

static void create(writer *w)
{
    uint8_t random[10];
    haft_error err = {0};
    (void)haft__random_bytes(random, sizeof(random));
    haft__id_make((uint64_t)time(NULL) * 1000, random, w->id);
    w->id[HAFT__ID_LENGTH] = '\0';
    haft__store_request request = {.verb = HAFT__STORE_CREATE,
                                   .run = {.id = haft__str(w->id), .owner = HAFT__LIT("bench")},
                                   .lines = &w->line,
                                   .line_count = 1,
                                   .lease_ms = 3600000};
    if (haft__store_submit_and_wait(w->store, &request, &err) != HAFT_OK) {
        fail(&err);
    }
    w->seq = 1;
}

static haft__store *open_store(haft__loop **ret_loop, const char *url)
{
    haft__store *store = NULL;
    haft_error err = {0};
    if (haft__loop_create(ret_loop, &err) != HAFT_OK
        || haft__store_open(*ret_loop, url, &store, &err) != HAFT_OK) {
        fail(&err);
    }
    return store;
}

static void append_all(const job *j)
{
    static writer writers[RUNS];
    static char event[600];
    haft__loop *loop = NULL;
    haft__store *store = open_store(&loop, j->url);
    size_t live = j->runs;
    memset(event, 'x', sizeof(event));
    for (size_t i = 0; i < j->runs; i++) {
        writers[i] = (writer){.store = store,
                              .line = {event, sizeof(event)},
                              .count = j->count,
                              .live = &live,
                              .waits = j->waits};
        create(&writers[i]);
    }
    for (size_t i = 0; i < j->runs; i++) {
        writers[i].end = now() + SECONDS;
        append(&writers[i]);
    }
    while (live > 0) {
        (void)!haft__loop_step(loop, 1000, NULL);
    }
    haft__store_close(store);
    haft__loop_destroy(loop);
}

/* Claims one run after the other, like a worker with free slots. */
static void claim_all(const job *j)
{
    char owner[128];
    haft__arena arena;
    haft_error err = {0};
    haft__loop *loop = NULL;
    haft__store *store = open_store(&loop, j->url);
    haft__arena_init(&arena, 0);
    if (haft__owner_make(owner, sizeof(owner), &err) != HAFT_OK) {
        fail(&err);
    }
    haft_status status = HAFT_OK;
    for (double end = now() + SECONDS; status == HAFT_OK && now() < end;) {
        haft__store_request request = {.verb = HAFT__STORE_CLAIM_NEXT,
                                       .run.owner = haft__str(owner),
                                       .lease_ms = 3600000,
                                       .quick = true,
                                       .arena = &arena};
        haft__arena_reset(&arena);
        double began = now();
        status = haft__store_submit_and_wait(store, &request, &err);
        if (status == HAFT_OK && *j->count < SAMPLES) {
            j->waits[(*j->count)++] = now() - began;
        }
    }
    if (status != HAFT_OK) { /* also if there are too few runs to measure */
        fail(&err);
    }
    haft__arena_finish(&arena);
    haft__store_close(store);
    haft__loop_destroy(loop);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Operations per second, p50 and p99 in milliseconds. */
static void print_row(const board *b, size_t processes)
{
    size_t count = 0;
    double *all = calloc(PROCESSES * (size_t)SAMPLES, sizeof(*all));
    for (size_t i = 0; all != NULL && i < processes; i++) {
        memcpy(all + count, b->waits[i], b->count[i] * sizeof(*all));
        count += b->count[i];
    }
    if (all != NULL && count > 0) {
        qsort(all, count, sizeof(*all), compare);
        printf("%.0f %.3f %.3f\n", (double)count / SECONDS, all[count / 2] * 1e3,
               all[count * 99 / 100] * 1e3);
    }
    free(all);
}

/* Runs the work in this many processes at once. */
static void measure(board *b, void work(const job *), job j, size_t processes)
{
    int status = 0;
    (void)fflush(stdout);
    for (size_t i = 0; i < processes; i++) {
        if (fork() == 0) {
            j.count = &b->count[i];
            j.waits = b->waits[i];
            work(&j);
            _exit(0);
        }
    }
    while (wait(&status) > 0) {
        if (status != 0) {
            exit(1); /* the process has printed the reason */
        }
    }
    print_row(b, processes);
}

/* HAFT_BENCH_CROWD is PROCESSES or PROCESSESxRUNS. */
static void measure_crowd(void work(const job *))
{
    const char *url = getenv("HAFT_BENCH_STORE"), *crowd = getenv("HAFT_BENCH_CROWD");
    if (url == NULL || crowd == NULL) {
        return;
    }
    char *rest = NULL;
    size_t processes = strtoul(crowd, &rest, 10);
    size_t runs = *rest == 'x' ? strtoul(rest + 1, NULL, 10) : 1;
    board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (processes == 0 || processes > PROCESSES || runs == 0 || runs > RUNS || b == MAP_FAILED) {
        (void)fprintf(stderr, "bench: expected a HAFT_BENCH_CROWD of at most %dx%d, found %s\n",
                      PROCESSES, RUNS, crowd);
        exit(1);
    }
    measure(b, work, (job){.url = url, .runs = runs}, processes);
    (void)munmap(b, sizeof(*b));
}

void bench_crowd_appends(void)
{
    measure_crowd(append_all);
}

void bench_crowd_claims(void)
{
    measure_crowd(claim_all);
}
