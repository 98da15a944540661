/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: load, long texts, failed allocations, and requests in progress at close. */
#include "store/store_help.h"

#include "base/sha256.h"
#include "store/backend.h"

#define MANY_RUNS   300
#define MANY_EVENTS 10000

/* ---- limits ---- */

static haft_status append_line(help_store *s, uint64_t n, uint64_t seq, haft_str line)
{
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(n), .epoch = 1, .seq = seq},
                                  .lines = &line,
                                  .line_count = 1};
    return help_do(s, &append);
}

STORE_TEST(the_longest_event_is_stored)
{
    haft_str longest = help_text(HAFT__LIMIT_STORE_TEXT_BYTES, 'x');
    haft_str longer = help_text(HAFT__LIMIT_STORE_TEXT_BYTES + 1, 'x');
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_line(s, 1, 1, longest), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_line(s, 1, 2, longer), HAFT_TOO_BIG, "an event past the limit");
    haft_str text = help_read(s, 1);
    CHECK_INT(text.len, longest.len + 3, "bytes of the events");
    CHECK(text.len == longest.len + 3 && memcmp(text.ptr + 2, longest.ptr, longest.len) == 0,
          "the event has changed");
}

STORE_TEST(long_names_and_texts_are_rejected)
{
    haft_str name = help_text(HAFT__LIMIT_STORE_NAME_BYTES + 1, 'n');
    haft_str text = help_text(HAFT__LIMIT_STORE_TEXT_BYTES + 1, 't');
    haft__store_request good = {.verb = HAFT__STORE_CREATE, .run = {.id = help_id(1)}};
    good.run.thread = good.run.parent = good.run.user = good.run.name = good.run.spec_hash =
        good.run.spec_path = good.run.owner = (haft_str){name.ptr, name.len - 1};
    haft__store_request cases[10];
    for (size_t i = 0; i < COUNT(cases); i++) {
        cases[i] = good;
    }
    cases[0].run.thread = name;
    cases[1].run.parent = name;
    cases[2].run.user = name;
    cases[3].run.name = name;
    cases[4].run.spec_hash = name;
    cases[5].run.spec_path = name;
    cases[6].run.owner = name;
    cases[7].run.task = text;
    cases[8].run.spec = text;
    cases[9].run.answer = text;
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(help_do(s, &cases[i]), HAFT_TOO_BIG, "case %zu", i);
        cases[i] = good;
    }
    cases[0].run.thread = cases[1].run.owner = cases[2].run.task = cases[3].scope =
        HAFT__LIT("\xc0\x80");
    cases[4].run.id = HAFT__LIT("7zzzzzzzzzzzzzzzzzzzzzzzzu");
    cases[5].run.id = HAFT__LIT("0");
    cases[6].run.id = HAFT__LIT("");
    for (size_t i = 0; i < 7; i++) {
        CHECK_INT(help_do(s, &cases[i]), HAFT_BAD_INPUT, "invalid text %zu", i);
    }
    CHECK_INT(help_do(s, &good), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_run(s, 1)->user.len, HAFT__LIMIT_STORE_NAME_BYTES, "the longest user");
    haft__store_artifact artifact = {HAFT__LIT("a"), HAFT__LIT("b"), HAFT__LIT("c"), text};
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(1), .epoch = 1},
                                  .artifacts = &artifact,
                                  .artifact_count = 1};
    CHECK_INT(help_do(s, &append), HAFT_TOO_BIG, "an artifact past the limit");
}

STORE_TEST(the_events_of_a_run_are_bounded)
{
    s->store->run_bytes = 10;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message); /* 2 bytes */
    CHECK_INT(append_line(s, 1, 1, HAFT__LIT("12345678")), HAFT_TOO_BIG, "9 bytes past the limit");
    CHECK_INT(append_line(s, 1, 1, HAFT__LIT("1234567")), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_line(s, 1, 2, HAFT__LIT("")), HAFT_TOO_BIG, "one byte past the limit");
    CHECK_INT(help_read(s, 1).len, 10, "bytes of the events");
    haft_str line = HAFT__LIT("1234567890");
    haft__store_request create = {
        .verb = HAFT__STORE_CREATE, .run = {.id = help_id(2)}, .lines = &line, .line_count = 1};
    CHECK_INT(help_do(s, &create), HAFT_TOO_BIG, "a new run past the limit");
}

STORE_TEST(the_number_of_events_is_bounded)
{
    haft_str *lines = test_alloc((HAFT__LIMIT_RUN_EVENTS + 1) * sizeof(haft_str));
    for (size_t i = 0; i <= HAFT__LIMIT_RUN_EVENTS; i++) {
        lines[i] = HAFT__LIT("x");
    }
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(1), .owner = HAFT__LIT("me")},
                                  .lines = lines,
                                  .line_count = HAFT__LIMIT_RUN_EVENTS + 1};
    CHECK_INT(help_do(s, &create), HAFT_TOO_BIG, "a new run with one event too many");
    create.line_count = HAFT__LIMIT_RUN_EVENTS;
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_line(s, 1, HAFT__LIMIT_RUN_EVENTS, HAFT__LIT("x")), HAFT_TOO_BIG,
              "one event past the limit");
    CHECK_INT(help_read(s, 1).len, 2 * HAFT__LIMIT_RUN_EVENTS, "bytes of the events");
}

/* ---- load ---- */

STORE_TEST(a_long_run_is_read_as_it_was_written)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    char line[64];
    haft_str lines[10];
    for (uint64_t seq = 1; seq <= MANY_EVENTS; seq += COUNT(lines)) {
        for (size_t i = 0; i < COUNT(lines); i++) {
            (void)snprintf(line, sizeof(line), "{\"seq\":%d}", (int)(seq + i) + 1);
            char *copy = test_alloc(strlen(line));
            memcpy(copy, line, strlen(line));
            lines[i] = (haft_str){copy, strlen(line)};
        }
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                      .lines = lines,
                                      .line_count = COUNT(lines)};
        CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    }
    haft_str text = help_read(s, 1);
    for (int i = 1; i <= MANY_EVENTS + 1; i++) {
        (void)snprintf(line, sizeof(line), i == 1 ? "1" : "{\"seq\":%d}", i);
        haft_str found = haft__str_split(&text, '\n');
        if (!haft__str_equal(found, haft__str(line))) {
            CHECK_STR(found, haft__str(line), "event %d", i);
            break;
        }
    }
    CHECK_INT(text.len, 0, "bytes after the last event");
}

typedef struct counted {
    size_t done, failed;
    haft__store_request *last;
    bool in_order;
} counted;

static void count(haft__store_request *request)
{
    counted *c = request->context;
    c->done++;
    c->failed += request->status != HAFT_OK;
    c->in_order = c->in_order && (c->last == NULL || c->last < request);
    c->last = request;
}

static void step_until(help_store *s, const counted *c, size_t wanted)
{
    while (c->done < wanted) {
        CHECK_INT(haft__loop_step(s->loop, 10000, NULL), HAFT_OK, "the loop cannot step");
    }
}

STORE_TEST(many_requests_are_in_progress_at_once)
{
    static haft__store_request creates[MANY_RUNS], appends[MANY_RUNS], reads[MANY_RUNS];
    haft_str line = HAFT__LIT("line");
    haft__arena arena;
    counted c = {.in_order = true};
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < MANY_RUNS; i++) {
        creates[i] = (haft__store_request){.verb = HAFT__STORE_CREATE,
                                           .run = {.id = help_id(i), .owner = HAFT__LIT("me")},
                                           .done = count,
                                           .context = &c};
        appends[i] = (haft__store_request){.verb = HAFT__STORE_APPEND,
                                           .run = {.id = help_id(i), .epoch = 1},
                                           .lines = &line,
                                           .line_count = 1,
                                           .done = count,
                                           .context = &c};
        haft__store_submit(s->store, &creates[i]);
    }
    CHECK_INT(c.done, 0, "a request was reported while it was submitted");
    step_until(s, &c, MANY_RUNS);
    CHECK(c.in_order, "writes were reported in another order");
    /* Requests of one kind are performed in order, so that reads and writes match. */
    for (size_t i = 0; i < MANY_RUNS; i++) {
        haft__store_submit(s->store, &appends[i]);
    }
    step_until(s, &c, 2 * MANY_RUNS);
    for (size_t i = 0; i < MANY_RUNS; i++) {
        reads[i] = (haft__store_request){.verb = HAFT__STORE_READ_EVENTS,
                                         .run = {.id = help_id(i)},
                                         .done = count,
                                         .context = &c,
                                         .arena = &arena};
        haft__store_submit(s->store, &reads[i]);
        step_until(s, &c, 2 * MANY_RUNS + i + 1);
        CHECK_STR(reads[i].text, HAFT__LIT("line\n"), "run %zu", i);
    }
    CHECK_INT(c.failed, 0, "number of failed requests");
    haft__arena_finish(&arena);
}

STORE_TEST(writes_are_performed_in_the_order_they_were_submitted)
{
    static haft__store_request appends[MANY_RUNS];
    haft_str line = HAFT__LIT("x");
    counted c = {.in_order = true};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    for (size_t i = 0; i < MANY_RUNS; i++) {
        /* Every third request names the wrong event and is rejected; the others are not
         * affected. */
        uint64_t right = 1 + i - (i + 2) / 3;
        appends[i] = (haft__store_request){
            .verb = HAFT__STORE_APPEND,
            .run = {.id = help_id(1), .epoch = 1, .seq = i % 3 == 0 ? right + 5 : right},
            .lines = &line,
            .line_count = 1,
            .done = count,
            .context = &c};
        haft__store_submit(s->store, &appends[i]);
    }
    step_until(s, &c, MANY_RUNS);
    CHECK_INT(c.failed, MANY_RUNS / 3, "number of rejected requests");
    CHECK_INT(help_run(s, 1)->seq, 1 + MANY_RUNS - MANY_RUNS / 3, "number of events");
}

/* ---- requests that are submitted from `done` ---- */

typedef struct series {
    haft__store *store;
    bool inside; /* a request is being submitted */
    bool ended;
} series;

static void submit_next(haft__store_request *request)
{
    series *in = request->context;
    CHECK_INT(request->status, HAFT_OK, "%s", request->error.message);
    CHECK(!in->inside, "a request was reported while it was submitted");
    if (++request->run.seq < 100) {
        in->inside = true;
        haft__store_submit(in->store, request);
        in->inside = false;
    } else {
        in->ended = true;
    }
}

STORE_TEST(a_request_may_be_submitted_from_done)
{
    haft_str line = HAFT__LIT("x");
    series in = {.store = s->store};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(1), .epoch = 1, .seq = 1},
                                  .lines = &line,
                                  .line_count = 1,
                                  .done = submit_next,
                                  .context = &in};
    haft__store_submit(s->store, &append);
    while (!in.ended) {
        CHECK_INT(haft__loop_step(s->loop, 10000, NULL), HAFT_OK, "the loop cannot step");
    }
    CHECK_INT(help_run(s, 1)->seq, 100, "number of events");
}

/* ---- closing ---- */

STORE_TEST(requests_in_progress_finish_before_the_store_is_closed)
{
    static haft__store_request appends[MANY_RUNS];
    haft_str line = HAFT__LIT("x");
    counted c = {.in_order = true};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    for (size_t i = 0; i < MANY_RUNS; i++) {
        appends[i] = (haft__store_request){.verb = HAFT__STORE_APPEND,
                                           .run = {.id = help_id(1), .epoch = 1, .seq = 1 + i},
                                           .lines = &line,
                                           .line_count = 1,
                                           .done = count,
                                           .context = &c};
        haft__store_submit(s->store, &appends[i]);
    }
    haft__store_close(s->store);
    CHECK_INT(haft__loop_step(s->loop, 0, NULL), HAFT_OK, "the loop cannot step");
    CHECK_INT(c.done, 0, "reported after closing");
    for (size_t i = 0; i < MANY_RUNS; i++) {
        CHECK_INT(appends[i].status, HAFT_OK, "append %zu: %s", i, appends[i].error.message);
    }
    haft__loop_destroy(s->loop);
    help_store_reopen(s);
    if (s->lasts) {
        CHECK_INT(help_run(s, 1)->seq, 1 + MANY_RUNS, "number of events");
    }
}

static haft__store *closed_by_done;

static void close_inside(haft__store_request *request)
{
    (void)request;
    haft__store_close(closed_by_done);
}

static void close_store_from_done(void)
{
    haft__loop *loop = NULL;
    if (haft__loop_create(&loop, NULL) == HAFT_OK
        && haft__store_open(loop, "memory:", &closed_by_done, NULL) == HAFT_OK) {
        haft__store_request request = {.verb = HAFT__STORE_GC, .done = close_inside};
        haft__store_submit(closed_by_done, &request);
        haft_status status = haft__loop_step(loop, 0, NULL);
        (void)status;
    }
}

TEST(closing_a_store_from_done_is_a_bug)
{
    CHECK(test_aborts(close_store_from_done), "closing from `done` did not abort");
}

/* ---- out of memory ---- */

/* One request of each kind, with the arena that it reads into. */
static haft_status do_everything(help_store *s, haft__arena *arena, uint64_t n)
{
    haft_str line = HAFT__LIT("line"), content = HAFT__LIT("content");
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(content, digest);
    haft__store_artifact artifact = {
        HAFT__LIT("a"), HAFT__LIT("b"), {digest, sizeof(digest)}, content};
    haft_str id = help_id(n), me = HAFT__LIT("me"), you = HAFT__LIT("you");
    haft__store_request requests[] = {
        {.verb = HAFT__STORE_CREATE,
         .run = {.id = id, .owner = me, .thread = me, .task = line, .spec = content},
         .lines = &line,
         .line_count = 1,
         .lease_ms = HELP_LEASE},
        {.verb = HAFT__STORE_APPEND,
         .run = {.id = id, .epoch = 1, .seq = 1},
         .lines = &line,
         .line_count = 1,
         .artifacts = &artifact,
         .artifact_count = 1},
        {.verb = HAFT__STORE_SEND, .run = {.id = id}, .text = line},
        {.verb = HAFT__STORE_CLAIM,
         .run = {.id = id, .owner = you},
         .dead_owner = me,
         .lease_ms = HELP_LEASE},
        {.verb = HAFT__STORE_RENEW, .run = {.owner = you}, .lease_ms = HELP_LEASE},
        {.verb = HAFT__STORE_READ_EVENTS, .run = {.id = id}},
        {.verb = HAFT__STORE_FIND, .name = HAFT__LIT("last")},
        {.verb = HAFT__STORE_LIST},
        {.verb = HAFT__STORE_LIST, .thread = me},
        {.verb = HAFT__STORE_RECEIVE, .run = {.id = id}},
        {.verb = HAFT__STORE_READ_ARTIFACT, .run = {.id = id}, .name = HAFT__LIT("a")},
        {.verb = HAFT__STORE_CACHE_PUT, .scope = me, .name = id, .text = line},
        {.verb = HAFT__STORE_CACHE_GET, .scope = me, .name = id},
        {.verb = HAFT__STORE_APPEND,
         .run = {.id = id,
                 .epoch = 2,
                 .seq = 2,
                 .state = HAFT__RUN_STATE_ENDED,
                 .end = line,
                 .answer = content},
         .lines = &line,
         .line_count = 1},
        {.verb = HAFT__STORE_THREAD_HISTORY, .thread = me},
        {.verb = HAFT__STORE_PREDECESSORS, .run = {.id = id}},
        {.verb = HAFT__STORE_REMOVE, .run = {.id = id}},
        {.verb = HAFT__STORE_GC},
    };
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(requests); i++) {
        requests[i].arena = arena;
        status = haft__store_submit_and_wait(s->store, &requests[i], NULL);
    }
    return status;
}

STORE_TEST(a_failed_allocation_leaves_no_incomplete_request)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = do_everything(s, &arena, n);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        /* Stored runs are complete: the number of events matches the row. */
        const haft__store_run *run = help_run(s, n);
        if (run != NULL) {
            haft_str text = help_read(s, n);
            CHECK_INT(text.len, 5 * run->seq, "allocation %u: bytes of %d events", n,
                      (int)run->seq);
        }
        if (!failed || n > 1000) {
            CHECK(n > 10, "only %u allocations", n);
            break;
        }
    }
}

STORE_TEST(a_full_arena_is_reported)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    static const haft__store_verb verbs[] = {HAFT__STORE_READ_EVENTS, HAFT__STORE_FIND,
                                             HAFT__STORE_LIST};
    for (size_t i = 0; i < COUNT(verbs); i++) {
        haft__arena tiny;
        haft__arena_init(&tiny, 1);
        haft__store_request request = {.verb = verbs[i],
                                       .run = {.id = help_id(1)},
                                       .name = verbs[i] == HAFT__STORE_FIND ? HAFT__LIT("last")
                                                                            : HAFT__LIT(""),
                                       .arena = &tiny};
        CHECK_INT(haft__store_submit_and_wait(s->store, &request, NULL), HAFT_TOO_BIG,
                  "verb %zu with a full arena", i);
        haft__arena_finish(&tiny);
    }
}

STORE_TEST(a_store_that_cannot_be_created_reports_it)
{
    help_store_shut(s);
    for (unsigned n = 0;; n++) {
        CHECK_INT(haft__loop_create(&s->loop, NULL), HAFT_OK, "cannot create the loop");
        test_fail_allocation(n);
        haft_status status = haft__store_open(s->loop, s->url, &s->store, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
        haft__loop_destroy(s->loop);
    }
}
