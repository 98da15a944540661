/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_help.h"

#include <dirent.h>
#include <unistd.h>

#include "store/postgres/postgres_help.h"

static uint64_t clock_of(void *context)
{
    return ((help_store *)context)->now_ms;
}

void help_store_reopen(help_store *s)
{
    haft_error err = {0};
    CHECK_INT(haft__loop_create(&s->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__store_open(s->loop, s->url, &s->store, &err), HAFT_OK, "%s: %s: %s", s->url,
              err.where, err.message);
    if (s->store == NULL) {
        abort(); /* the test cannot continue without a store */
    }
    haft__store_set_clock(s->store, clock_of, s);
}

void help_store_open(help_store *s, const char *kind)
{
    *s = (help_store){.now_ms = 1000000};
    haft__arena_init(&s->arena, 0);
    s->lasts = strcmp(kind, "memory") != 0;
    if (!s->lasts) {
        (void)snprintf(s->url, sizeof(s->url), "memory:");
    } else if (strcmp(kind, "postgres") == 0) {
        help_pg_clear();
        (void)snprintf(s->url, sizeof(s->url), "%s", help_pg_url());
    } else {
        (void)snprintf(s->folder, sizeof(s->folder), "/tmp/haft-store-XXXXXX");
        if (mkdtemp(s->folder) == NULL) {
            abort();
        }
        (void)snprintf(s->url, sizeof(s->url), "%s:%s/haft.db", kind, s->folder);
    }
    help_store_reopen(s);
}

void help_store_shut(help_store *s)
{
    haft__store_close(s->store);
    haft__loop_destroy(s->loop);
    s->store = NULL;
    s->loop = NULL;
}

static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    (void)rmdir(folder);
}

void help_store_close(help_store *s)
{
    help_store_shut(s);
    haft__arena_finish(&s->arena);
    if (s->folder[0] != '\0') {
        remove_folder(s->folder);
    }
}

void help_store_test(const char *kind, void (*test)(help_store *s))
{
    help_store s;
    bool postgres = strcmp(kind, "postgres") == 0;
    if (postgres && help_pg_url() == NULL) {
        return;
    }
    help_store_open(&s, kind);
    if (postgres) { /* long texts take time on a slow machine */
        help_pg_be_patient(&s);
    }
    test(&s);
    help_store_close(&s);
}

haft_str help_id(uint64_t n)
{
    static const uint8_t random[10] = {0};
    char *id = test_alloc(HAFT__ID_LENGTH + 1);
    haft__id_make(n, random, id);
    return (haft_str){id, HAFT__ID_LENGTH};
}

haft_str help_text(size_t length, char fill)
{
    char *text = test_alloc(length + 1);
    memset(text, fill, length);
    return (haft_str){text, length};
}

haft_status help_do(help_store *s, haft__store_request *request)
{
    request->arena = &s->arena;
    s->error = (haft_error){0};
    return haft__store_submit_and_wait(s->store, request, &s->error);
}

static void count_done(haft__store_request *request)
{
    ++*(size_t *)request->context;
}

haft_status help_together(help_store *s, haft__store_request *requests, size_t count)
{
    size_t done = 0, first = 0;
    s->error = (haft_error){0};
    for (size_t i = 0; i < count; i++) {
        requests[i].done = count_done;
        requests[i].context = &done;
        haft__store_submit(s->store, &requests[i]);
    }
    while (done < count) {
        CHECK_INT(haft__loop_step(s->loop, -1, NULL), HAFT_OK, "the loop cannot step");
    }
    while (first < count && requests[first].status == HAFT_OK) {
        first++;
    }
    if (first == count) {
        return HAFT_OK;
    }
    s->error = requests[first].error;
    return requests[first].status;
}

haft_status help_create_in(help_store *s, uint64_t n, const char *thread, const char *owner)
{
    haft_str line = HAFT__LIT("1");
    haft__store_request request = {.verb = HAFT__STORE_CREATE,
                                   .run = {.id = help_id(n),
                                           .thread = haft__str(thread),
                                           .name = HAFT__LIT("test"),
                                           .task = HAFT__LIT("do it"),
                                           .spec = HAFT__LIT("{\"haft\":1}"),
                                           .owner = haft__str(owner)},
                                   .lines = &line,
                                   .line_count = 1,
                                   .lease_ms = HELP_LEASE};
    return help_do(s, &request);
}

haft_status help_create(help_store *s, uint64_t n)
{
    return help_create_in(s, n, "", "me");
}

haft_status help_append(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *text)
{
    haft_str line = haft__str(text);
    haft__store_request request = {.verb = HAFT__STORE_APPEND,
                                   .run = {.id = help_id(n), .epoch = epoch, .seq = seq},
                                   .lines = &line,
                                   .line_count = 1};
    return help_do(s, &request);
}

haft_status help_end(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *answer)
{
    haft_str line = HAFT__LIT("end");
    haft__store_request request = {.verb = HAFT__STORE_APPEND,
                                   .run = {.id = help_id(n),
                                           .epoch = epoch,
                                           .seq = seq,
                                           .state = HAFT__RUN_STATE_ENDED,
                                           .end = HAFT__LIT("done"),
                                           .answer = haft__str(answer)},
                                   .lines = &line,
                                   .line_count = 1};
    return help_do(s, &request);
}

haft_str help_read(help_store *s, uint64_t n)
{
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run = {.id = help_id(n)}};
    return help_do(s, &request) == HAFT_OK ? request.text : (haft_str){NULL, 0};
}

const haft__store_run *help_find(help_store *s, const char *name)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = haft__str(name)};
    return help_do(s, &request) == HAFT_OK ? &request.found[0] : NULL;
}

const haft__store_run *help_run(help_store *s, uint64_t n)
{
    return help_find(s, help_id(n).ptr);
}

haft_status help_claim(help_store *s, uint64_t n, const char *owner, const char *dead_owner,
                       uint64_t *ret_epoch)
{
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run = {.id = help_id(n), .owner = haft__str(owner)},
                                   .dead_owner = haft__str(dead_owner),
                                   .lease_ms = HELP_LEASE};
    haft_status status = help_do(s, &request);
    if (status == HAFT_OK && ret_epoch != NULL) {
        *ret_epoch = request.found[0].epoch;
    }
    return status;
}

haft_status help_send(help_store *s, uint64_t n, const char *text)
{
    haft__store_request request = {
        .verb = HAFT__STORE_SEND, .run = {.id = help_id(n)}, .text = haft__str(text)};
    return help_do(s, &request);
}

/* ---- a run that cannot be read ---- */

static void check_list(help_store *s, uint64_t bad, const char *what)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST};
    CHECK_INT(help_do(s, &list), HAFT_OK, "%s: %s", what, s->error.message);
    CHECK_INT(list.found_count, 2, "%s: number of listed runs", what);
    for (size_t i = 0; i < list.found_count; i++) {
        CHECK_INT(list.found[i].damaged, haft__str_equal(list.found[i].id, help_id(bad)),
                  "%s: whether run %zu is damaged", what, i);
    }
}

static void check_find(help_store *s, haft_str bad, const char *what)
{
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = bad};
    CHECK_INT(help_do(s, &find), HAFT_BAD_INPUT, "%s: the damaged run was found", what);
    CHECK(strstr(s->error.message, bad.ptr) != NULL, "%s: the message does not name the run: %s",
          what, s->error.message);
    find = (haft__store_request){.verb = HAFT__STORE_FIND, .name = bad, .include_damaged = true};
    CHECK_INT(help_do(s, &find), HAFT_OK, "%s: %s", what, s->error.message);
    CHECK(find.found[0].damaged, "%s: the run is not marked as damaged", what);
}

static void check_take(help_store *s, haft_str bad, haft_str good, const char *what)
{
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("taker"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &take), HAFT_BAD_INPUT, "%s: the damaged run was claimed", what);
    CHECK_STR(haft__str(take.damaged), bad, "%s: the damaged run is named", what);
    take.skip = &bad;
    take.skip_count = 1;
    CHECK_INT(help_do(s, &take), HAFT_OK, "%s: %s", what, s->error.message);
    CHECK_STR(take.found[0].id, good, "%s: the other run is claimed", what);
    CHECK_STR(haft__str(take.damaged), HAFT__LIT(""), "%s: no damaged run is named", what);
}

void help_check_damaged(help_store *s, uint64_t bad, uint64_t good, bool taken, const char *what)
{
    haft__store_request away = {.verb = HAFT__STORE_REMOVE, .run.id = help_id(bad)};
    check_list(s, bad, what);
    check_find(s, help_id(bad), what);
    if (taken) {
        check_take(s, help_id(bad), help_id(good), what);
    }
    CHECK_INT(help_do(s, &away), HAFT_OK, "%s: %s", what, s->error.message);
    CHECK(help_run(s, bad) == NULL && help_run(s, good) != NULL,
          "%s: only the damaged run is removed", what);
}
