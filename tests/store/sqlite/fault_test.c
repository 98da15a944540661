/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: disks that fail or are full, and failed allocations. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/sqlite_help.h"

/* The acknowledged requests; the others may or may not be stored. */
typedef struct acknowledged {
    bool opened, created;
    uint64_t seq;
} acknowledged;

/* Opens, creates or claims run 1, appends, reads; stops at the first error. */
static void use(help_store *s, acknowledged *t)
{
    haft_error err = {0};
    if (haft__store_open(s->loop, s->url, &s->store, &err) != HAFT_OK) {
        CHECK(err.status == HAFT_IO || err.status == HAFT_NO_MEMORY || err.status == HAFT_BAD_INPUT,
              "%s: %s", haft_status_name(err.status), err.message);
        return;
    }
    t->opened = true;
    t->created = help_create(s, 1) == HAFT_OK || t->created;
    for (int i = 0; t->created && i < 4; i++) {
        const haft__store_run *run = help_run(s, 1);
        if (run != NULL && help_append(s, 1, 1, run->seq, "x") == HAFT_OK) {
            t->seq = run->seq + 1;
        }
    }
    haft_str text = help_read(s, 1);
    CHECK(text.ptr == NULL || text.len >= 2 * t->seq, "%zu bytes, %d events", text.len,
          (int)t->seq);
}

/* Without faults, everything that was acknowledged is stored, and the store works as before. */
static void check_kept(help_store *s, const acknowledged *t, const char *what)
{
    haft_error err = {0};
    CHECK_INT(haft__store_open(s->loop, s->url, &s->store, &err), HAFT_OK, "%s: %s", what,
              err.message);
    if (s->store == NULL) {
        return;
    }
    const haft__store_run *run = help_run(s, 1);
    CHECK(run != NULL || !t->created, "%s: the run is lost", what);
    CHECK(run == NULL || run->seq >= t->seq, "%s: events are lost", what);
    if (run == NULL) {
        CHECK_INT(help_create(s, 1), HAFT_OK, "%s: %s", what, s->error.message);
        run = help_run(s, 1);
    }
    CHECK_INT(help_append(s, 1, 1, run->seq, "y"), HAFT_OK, "%s: %s", what, s->error.message);
    haft_str text = help_read(s, 1);
    CHECK_INT(text.len, 2 * (run->seq + 1), "%s: bytes", what);
}

static void shut(help_store *s)
{
    haft__store_close(s->store);
    s->store = NULL;
}

static void remove_database(const help_store *s)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        char path[PATH_MAX + 16];
        (void)snprintf(path, sizeof(path), "%s%s", help_path(s), ends[i]);
        (void)unlink(path);
    }
}

/* A directory in memory: these tests sync often, and they need no real disk. */
static void open_fast(help_store *s)
{
    *s = (help_store){.now_ms = 1000000};
    haft__arena_init(&s->arena, 0);
    bool fast = access("/dev/shm", W_OK) == 0;
    (void)snprintf(s->folder, sizeof(s->folder), "%s/haft-store-XXXXXX",
                   fast ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(s->folder) != NULL, "cannot create a directory");
    (void)snprintf(s->url, sizeof(s->url), "sqlite:%s/haft.db", s->folder);
    CHECK_INT(haft__loop_create(&s->loop, NULL), HAFT_OK, "cannot create the loop");
}

/* ---- every call of the file system that can fail ---- */

static int fail_everywhere(help_fault kind, bool on, bool fresh)
{
    static const char *const names[] = {"read", "write", "full", "sync", "shared"};
    int n = 0;
    for (bool hit = true; hit; n++) {
        help_store s;
        acknowledged t = {0};
        char what[64];
        (void)snprintf(what, sizeof(what), "%s %d%s%s", names[kind], n, on ? " and on" : "",
                       fresh ? ", a new file" : "");
        open_fast(&s);
        if (!fresh) {
            use(&s, &t);
            shut(&s);
            CHECK(t.created && t.seq == 5, "%s: the run was not created", what);
        }
        help_fault_at(kind, n, on);
        use(&s, &t);
        hit = help_fault_clear();
        shut(&s);
        check_kept(&s, &t, what);
        help_store_close(&s);
    }
    return n;
}

TEST(a_disk_that_fails_anywhere_loses_nothing_that_was_acknowledged)
{
    help_faults_start();
    for (int kind = 0; kind < HELP_FAULT_COUNT; kind++) {
        for (int way = 0; way < 4; way++) {
            int calls = fail_everywhere((help_fault)kind, way % 2 == 1, way / 2 == 1);
            CHECK(calls > (kind == HELP_FAULT_SHARED ? 1 : 5), "kind %d: only %d calls", kind,
                  calls);
        }
    }
    help_faults_stop();
}

TEST(a_disk_error_has_a_clear_message)
{
    static const struct {
        help_fault kind;
        const char *message;
    } cases[] = {
        {HELP_FAULT_WRITE, "cannot read or write: "},
        {HELP_FAULT_FULL, "the disk is full"},
        {HELP_FAULT_SYNC, "cannot sync to the disk: "},
    };
    help_faults_start();
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        acknowledged t = {0};
        open_fast(&s);
        use(&s, &t);
        help_fault_at(cases[i].kind, 0, true);
        CHECK_INT(help_append(&s, 1, 1, 5, "z"), HAFT_IO, "case %zu", i);
        CHECK(strncmp(s.error.message, cases[i].message, strlen(cases[i].message)) == 0,
              "case %zu: %s", i, s.error.message);
        CHECK(help_read(&s, 1).len == 10, "case %zu: reading continues: %s", i, s.error.message);
        (void)help_fault_clear();
        CHECK_INT(help_append(&s, 1, 1, 5, "z"), HAFT_OK, "case %zu: %s", i, s.error.message);
        help_store_close(&s);
    }
    help_faults_stop();
}

TEST(every_error_of_sqlite_has_a_message)
{
    static const struct {
        int code, system;
        haft_status status;
        const char *message;
    } cases[] = {
        {SQLITE_NOMEM, 0, HAFT_NO_MEMORY, "out of memory"},
        {SQLITE_IOERR_NOMEM, 0, HAFT_NO_MEMORY, "out of memory"},
        {SQLITE_FULL, 0, HAFT_IO, "the disk is full"},
        {SQLITE_IOERR_WRITE, ENOSPC, HAFT_IO, "the disk is full"},
        {SQLITE_IOERR_WRITE, EFBIG, HAFT_IO, "the disk is full"},
        {SQLITE_IOERR_WRITE, EDQUOT, HAFT_IO, "the disk is full"},
        {SQLITE_IOERR_WRITE, EIO, HAFT_IO, "cannot read or write: Input/output error"},
        {SQLITE_IOERR_READ, 0, HAFT_IO, "cannot read or write: unknown error"},
        {SQLITE_IOERR_FSYNC, EIO, HAFT_IO, "cannot sync to the disk: Input/output error"},
        {SQLITE_IOERR_DIR_FSYNC, EIO, HAFT_IO, "cannot sync to the disk: Input/output error"},
        {SQLITE_IOERR_SHORT_READ, 0, HAFT_BAD_INPUT,
         "the database is damaged: the file is incomplete"},
        {SQLITE_IOERR_DATA, 0, HAFT_BAD_INPUT, "the database is damaged: the file is incomplete"},
        {SQLITE_BUSY_SNAPSHOT, 0, HAFT_IO, "the database is locked by another process"},
        {SQLITE_BUSY_RECOVERY, 0, HAFT_IO, "the database is locked by another process"},
        {SQLITE_LOCKED, 0, HAFT_IO, "the database is locked by another process"},
        {SQLITE_NOTADB, 0, HAFT_BAD_INPUT, "this is not a haft database, or its header is damaged"},
        {SQLITE_READONLY_DBMOVED, 0, HAFT_IO, "the database or its directory is read-only"},
        {SQLITE_CANTOPEN, EMFILE, HAFT_IO, "cannot open the database: Too many open files"},
        {SQLITE_PERM, EPERM, HAFT_IO, "cannot open the database: Operation not permitted"},
        {SQLITE_CORRUPT_INDEX, 0, HAFT_BAD_INPUT,
         "the database is damaged: database disk image is malformed"},
        {SQLITE_CONSTRAINT_UNIQUE, 0, HAFT_BAD_INPUT, "the database is damaged: constraint failed"},
        {SQLITE_TOOBIG, 0, HAFT_BAD_INPUT, "the database is damaged: string or blob too big"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__sqlite_connection connection = {.path = "some.db", .system = cases[i].system};
        haft_error err = {0};
        (void)sqlite3_open(":memory:", &connection.db);
        CHECK_INT(haft__sqlite_fail(&connection, cases[i].code, &err), cases[i].status, "case %zu",
                  i);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "case %zu", i);
        (void)sqlite3_close(connection.db);
    }
}

/* A failed request affects the others of its transaction only if the transaction is lost. */
TEST(every_request_of_a_failed_transaction_reports_it)
{
    help_store s;
    acknowledged t = {0};
    help_faults_start();
    open_fast(&s);
    use(&s, &t);
    sqlite3 *other = help_raw_open(help_path(&s));
    CHECK_INT(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK,
              "cannot lock the database");
    haft__store_request requests[20];
    for (size_t i = 0; i < COUNT(requests); i++) {
        bool last = i + 1 == COUNT(requests); /* may be in its own transaction */
        requests[i] =
            (haft__store_request){.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(i % 4 == 3 && !last ? 1 : 100 + i)},
                                  .arena = NULL};
        if (!last) {
            haft__store_submit(s.store, &requests[i]);
        }
    }
    help_fault_at(HELP_FAULT_SYNC, 0, true);
    CHECK_INT(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK, "cannot commit");
    /* The others have no `done`: the store is closed with all of them in progress. */
    haft__store_submit(s.store, &requests[COUNT(requests) - 1]);
    shut(&s);
    (void)help_fault_clear();
    for (size_t i = 0; i < COUNT(requests); i++) {
        CHECK_INT(requests[i].status, HAFT_IO, "request %zu: %s", i, requests[i].error.message);
        CHECK_INT(requests[i].found_count, 0, "request %zu", i);
    }
    (void)sqlite3_close(other);
    check_kept(&s, &t, "after the failed transaction");
    help_store_close(&s);
    help_faults_stop();
}

/* ---- many requests of one transaction, and a failure of one ---- */

#define BATCH_RUNS 5

/* Enough runs that they are not all in one page, and the number of events of some of them. */
typedef struct batch {
    help_store s;
    uint64_t seq[BATCH_RUNS];
} batch;

static haft_str batch_id(int i)
{
    static const uint64_t numbers[BATCH_RUNS] = {10, 60, 110, 160, 199};
    return help_id(numbers[i]);
}

static void batch_make(batch *b)
{
    open_fast(&b->s);
    haft__loop_destroy(b->s.loop);
    help_store_reopen(&b->s);
    haft__store_request creates[200];
    haft_str line = HAFT__LIT("1");
    for (size_t i = 0; i < COUNT(creates); i++) {
        creates[i] = (haft__store_request){.verb = HAFT__STORE_CREATE,
                                           .run = {.id = help_id(i), .owner = HAFT__LIT("me")},
                                           .lines = &line,
                                           .line_count = 1,
                                           .lease_ms = HELP_LEASE};
    }
    CHECK_INT(help_together(&b->s, creates, COUNT(creates)), HAFT_OK, "create the runs");
    for (int i = 0; i < BATCH_RUNS; i++) {
        b->seq[i] = 1;
    }
    help_store_shut(&b->s);
}

/* Appends an event to each of the first `count` runs. True if the reported results match the
 * stored ones. */
static void batch_append(batch *b, int count, void (*fail)(int n), bool (*clear)(void), int n)
{
    help_store *s = &b->s;
    haft_str line = HAFT__LIT("x");
    haft__store_request appends[BATCH_RUNS];
    help_store_reopen(s);
    CHECK(help_run(s, 7) != NULL, "%d: %s", n, s->error.message); /* the connections are open */
    for (int i = 0; i < count; i++) {
        appends[i] = (haft__store_request){.verb = HAFT__STORE_APPEND,
                                           .run = {.id = batch_id(i), .epoch = 1, .seq = b->seq[i]},
                                           .lines = &line,
                                           .line_count = 1};
    }
    fail(n);
    (void)help_together(s, appends, (size_t)count);
    bool hit = clear();
    for (int i = 0; i < count; i++) {
        haft_status status = appends[i].status;
        const haft__store_run *run = help_find(s, batch_id(i).ptr);
        CHECK(status == HAFT_OK || (hit && (status == HAFT_IO || status == HAFT_NO_MEMORY)),
              "%d, append %d: %s: %s", n, i, haft_status_name(status), appends[i].error.message);
        b->seq[i] += status == HAFT_OK;
        CHECK_INT(run != NULL ? run->seq : 0, b->seq[i], "%d, append %d: %s", n, i,
                  haft_status_name(status));
        haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run.id = batch_id(i)};
        CHECK_INT(help_do(s, &read), HAFT_OK, "%d, append %d: %s", n, i, s->error.message);
        CHECK_INT(read.text.len, 2 * b->seq[i], "%d, append %d: bytes", n, i);
    }
    help_store_shut(s);
    haft__arena_reset(&s->arena);
}

static void fail_read(int n)
{
    help_fault_at(HELP_FAULT_READ, n, false);
}

/* SQLite ends the transaction of a statement that could not read, but not of one that was
 * rejected. */
TEST(a_read_error_ends_a_transaction_and_changes_nothing)
{
    batch b;
    help_faults_start();
    batch_make(&b);
    for (int n = 0; n < 40; n++) {
        batch_append(&b, BATCH_RUNS, fail_read, help_fault_clear, n);
        batch_append(&b, 1, fail_read, help_fault_clear, n);
    }
    CHECK(b.seq[0] > b.seq[1] && b.seq[1] > 1 && b.seq[1] < 41, "%d and %d events", (int)b.seq[0],
          (int)b.seq[1]);
    help_store_reopen(&b.s);
    help_store_close(&b.s);
    help_faults_stop();
}

/* ---- a full disk ---- */

static int fill_the_disk(void *context)
{
    help_store *s = context;
    struct rlimit limit;
    struct stat about;
    (void)signal(SIGXFSZ, SIG_IGN);
    help_store_reopen(s);
    uint64_t seq = help_run(s, 1)->seq;
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    if (stat(help_path(s), &about) != 0) {
        return 2;
    }
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)about.st_size + 100000;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    haft_str line = help_text(5000, 'x');
    haft_status status = HAFT_OK;
    for (int i = 0; status == HAFT_OK && i < 1000; i++) {
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                      .lines = &line,
                                      .line_count = 1};
        status = help_do(s, &append);
        seq += status == HAFT_OK;
    }
    if (status != HAFT_IO || strcmp(s->error.message, "the disk is full") != 0) {
        printf("# %s: %s\n", haft_status_name(status), s->error.message);
        return 3;
    }
    if (help_read(s, 1).len != 2 + (seq - 1) * 5001) {
        printf("# after %d events: %s\n", (int)seq, s->error.message);
        return 4;
    }
    limit.rlim_cur = before;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    if (help_append(s, 1, 1, seq, "x") != HAFT_OK) {
        printf("# with room again: %s\n", s->error.message);
        return 5;
    }
    help_store_shut(s);
    return 0;
}

TEST(a_full_disk_is_reported_and_survived)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    help_store_shut(&s);
    CHECK_INT(help_join(help_fork(fill_the_disk, &s)), 0, "exit status of the process");
    help_store_reopen(&s);
    CHECK(help_run(&s, 1)->seq > 2, "only %d events", (int)help_run(&s, 1)->seq);
    CHECK(help_read(&s, 1).ptr != NULL, "%s", s.error.message);
    help_store_close(&s);
}

TEST(a_database_on_a_full_disk_is_read_and_written_later)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    help_store_shut(&s);
    help_faults_start();
    help_fault_at(HELP_FAULT_SHARED, 0, true);
    help_store_reopen(&s);
    CHECK_INT(help_run(&s, 1)->seq, 1, "events on the full disk");
    CHECK_INT(help_append(&s, 1, 1, 1, "x"), HAFT_IO, "append on the full disk");
    CHECK_STR(haft__str(s.error.message), HAFT__LIT("the disk is full"), "error message");
    (void)help_fault_clear();
    CHECK_INT(help_append(&s, 1, 1, 1, "x"), HAFT_OK, "append with free space: %s",
              s.error.message);
    CHECK_INT(help_run(&s, 1)->seq, 2, "events after the append");
    help_fault_at(HELP_FAULT_READ, 0, true);
    CHECK(help_run(&s, 1) == NULL, "a disk that cannot be read");
    (void)help_fault_clear();
    CHECK_INT(help_run(&s, 1)->seq, 2, "the store works after the read error");
    help_store_close(&s);
    help_faults_stop();
}

/* ---- no threads ---- */

/* The address space of this process in bytes; 0 if unknown. */
static rlim_t address_space(void)
{
    char line[128] = "";
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        size_t length = fread(line, 1, sizeof(line) - 1, file);
        line[length] = '\0';
        (void)fclose(file);
    }
    haft_str rest = haft__str(line), first = haft__str_split(&rest, ' ');
    return first.len > 0 && haft__str_to_u64(first, &pages) ? pages * 4096 : 0;
}

static int open_without_threads(void *context)
{
    help_store *s = context;
    haft_error err = {0};
    struct rlimit limit;
    pthread_attr_t large; /* so large that no cached stack of an earlier thread fits */
    (void)pthread_attr_init(&large);
    (void)pthread_attr_setstacksize(&large, 1 << 30);
    (void)pthread_setattr_default_np(&large);
    (void)getrlimit(RLIMIT_AS, &limit);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = address_space() + (256 << 20);
    (void)setrlimit(RLIMIT_AS, &limit);
    haft_status status = help_try_open(s->url, &err);
    limit.rlim_cur = before;
    (void)setrlimit(RLIMIT_AS, &limit);
    if (status != HAFT_IO || strcmp(err.message, "cannot start a thread") != 0) {
        printf("# %s: %s\n", haft_status_name(status), err.message);
        return 3;
    }
    return 0;
}

TEST(a_store_without_threads_reports_it)
{
#if defined(__SANITIZE_THREAD__)
    bool sanitized = true;
#else
    bool sanitized = HAFT__ASAN;
#endif
    if (sanitized) {
        test_skip("a sanitizer needs more memory than this test leaves");
        return;
    }
    help_store s;
    help_store_open(&s, "sqlite");
    help_store_shut(&s);
    CHECK_INT(help_join(help_fork(open_without_threads, &s)), 0, "exit status of the process");
    help_store_reopen(&s);
    help_store_close(&s);
}

/* ---- failed allocations of SQLite ---- */

static struct {
    sqlite3_mem_methods real;
    _Atomic int countdown; /* allocations until one fails; negative: none fails */
    _Atomic bool hit;
} memory;

static bool refuses(void)
{
    if (memory.countdown < 0 || memory.countdown-- > 0) {
        return false;
    }
    memory.hit = true;
    return true;
}

static void *fail_malloc(int size)
{
    return refuses() ? NULL : memory.real.xMalloc(size);
}

static void *fail_realloc(void *old, int size)
{
    return refuses() ? NULL : memory.real.xRealloc(old, size);
}

static void memory_start(void)
{
    CHECK_INT(sqlite3_shutdown(), SQLITE_OK, "shut SQLite down");
    CHECK_INT(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.real), SQLITE_OK,
              "read SQLite's allocator");
    sqlite3_mem_methods failing = memory.real;
    failing.xMalloc = fail_malloc;
    failing.xRealloc = fail_realloc;
    memory.countdown = -1;
    CHECK_INT(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK,
              "set the failing allocator");
}

static void memory_stop(void)
{
    CHECK_INT(sqlite3_shutdown(), SQLITE_OK, "shut SQLite down");
    CHECK_INT(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory.real), SQLITE_OK,
              "restore SQLite's allocator");
}

TEST(failed_allocations_of_sqlite_lose_no_event)
{
    help_store s;
    acknowledged before = {0};
    memory_start();
    open_fast(&s);
    int n = 0;
    /* In steps with a random start: there are thousands of allocations. */
    for (bool hit = true; hit; n += 1 + n % 7) {
        char what[32];
        acknowledged t = {0};
        (void)snprintf(what, sizeof(what), "allocation %d", n);
        remove_database(&s);
        use(&s, &before);
        shut(&s);
        t = before;
        memory.hit = false;
        memory.countdown = n;
        use(&s, &t);
        memory.countdown = -1;
        hit = memory.hit;
        shut(&s);
        check_kept(&s, &t, what);
        shut(&s);
        haft__arena_finish(&s.arena);
        haft__arena_init(&s.arena, 0);
    }
    CHECK(n > 100, "only %d allocations", n);
    help_store_close(&s);
    memory_stop();
}

static void fail_memory(int n)
{
    memory.hit = false;
    memory.countdown = n;
}

static bool clear_memory(void)
{
    memory.countdown = -1;
    return memory.hit;
}

TEST(a_failed_allocation_of_one_request_does_not_affect_committed_ones)
{
    batch b;
    memory_start();
    batch_make(&b);
    int hits = 0;
    for (int n = 0; n < 200; n += 1 + n / 40) {
        batch_append(&b, BATCH_RUNS, fail_memory, clear_memory, n);
        hits += memory.hit;
    }
    CHECK(hits > 20, "only %d failures", hits);
    help_store_reopen(&b.s);
    help_store_close(&b.s);
    memory_stop();
}
