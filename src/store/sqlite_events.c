/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_events.c - what runs have, read from SQLite: events, messages, artifacts, results.
 *
 * Events are only given when they are those that were written: their numbers are dense, each fits
 * the sum of the one before, and the last has the sum that the run's row remembers.
 * Tests: tests/store/store_find_test.c, tests/store/sqlite_damage_test.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/sqlite_int.h"

/* ---- events ---- */

static haft_status fail_event(const haft__worker *worker, const haft__store_request *request,
                              uint64_t seq, haft_error *err)
{
    return haft__link_fail_damaged(&worker->link, err,
                                   "event %llu of the run %.*s is not what was written",
                                   (unsigned long long)seq, HAFT__ARG(request->run.id));
}

/* What of a run is read: `count` events behind the first `after`. */
typedef struct part {
    uint64_t after, count;
    haft__chain chain; /* the sum of the event it follows; later of the last one that was read */
} part;

static part find_part(const haft__store_request *request, const haft__sqlite_head *head)
{
    part p = {.after = request->after < head->run.seq ? request->after : head->run.seq};
    p.count = head->run.seq - p.after;
    p.count = request->limit > 0 && request->limit < p.count ? request->limit : p.count;
    return p;
}

static haft_status read_start(haft__worker *worker, const haft__store_request *request,
                              uint64_t number, part *p, haft_error *err)
{
    if (p->after == 0) {
        haft__chain_start(&p->chain, request->run.id);
        return HAFT_OK;
    }
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_EVENT_SUM);
    haft__query_bind_int(&query, number);
    haft__query_bind_int(&query, p->after);
    haft_str sum = HAFT__LIT("");
    if (haft__query_row(&query)) {
        sum = haft__query_blob(&query, HAFT__CHAIN_BYTES);
    }
    bool right = sum.len == HAFT__CHAIN_BYTES;
    if (right) {
        memcpy(p->chain.sum, sum.ptr, sum.len);
    }
    haft_status status = haft__query_end(&query, err);
    return status == HAFT_OK && !right ? fail_event(worker, request, p->after, err) : status;
}

/* Whether the row holds event `seq`; its text goes behind the others. */
static bool take_event(haft__query *query, uint64_t seq, haft__chain *chain, haft__buf *text)
{
    bool right = haft__query_int(query) == seq;
    haft_str sum = haft__query_blob(query, HAFT__CHAIN_BYTES);
    haft_str body = haft__query_text(query, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__chain_add(chain, body);
    haft__buf_add_str(text, body);
    haft__buf_add_char(text, '\n');
    return right && !query->wrong && haft__str_equal(sum, haft__chain_str(chain));
}

/* The events of the part, until one is missing or wrong: that one's number, or 0. */
static uint64_t take_events(haft__query *query, const haft__sqlite_head *head, part *p,
                            haft__buf *text)
{
    uint64_t end = p->after + p->count;
    for (uint64_t seq = p->after + 1; seq <= end; seq++) {
        if (!haft__query_row(query) || !take_event(query, seq, &p->chain, text)) {
            return seq;
        }
    }
    if (end < head->run.seq) {
        return 0;
    }
    if (!haft__str_equal(haft__chain_str(&p->chain), haft__chain_str(&head->chain))) {
        return end;
    }
    return haft__query_row(query) ? end + 1 : 0;
}

static haft_status read_part(haft__worker *worker, const haft__store_request *request,
                             const haft__sqlite_head *head, part *p, haft__buf *text,
                             haft_error *err)
{
    haft_status status = read_start(worker, request, head->number, p, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_EVENTS);
    haft__query_bind_int(&query, head->number);
    haft__query_bind_int(&query, p->after);
    haft__query_bind_int(&query, p->count + 1); /* one more than there should be */
    uint64_t wrong = take_events(&query, head, p, text);
    query.wrong = false; /* told with its number */
    status = haft__query_end(&query, err);
    return status == HAFT_OK && wrong > 0 ? fail_event(worker, request, wrong, err) : status;
}

haft_status haft__sqlite_events(haft__worker *worker, haft__store_request *request, haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_head_of(worker, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    part p = find_part(request, &head);
    haft__buf text;
    haft__buf_init(&text, worker->store->run_bytes);
    status = read_part(worker, request, &head, &p, &text, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        request->count = p.count;
        request->text = haft__arena_copy(request->arena, haft__buf_str(&text));
        status = request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- messages ---- */

static haft_status keep_messages(haft__store_request *request, const haft__buf *found,
                                 haft_error *err)
{
    haft_status status = haft__buf_check(found, err);
    if (status == HAFT_OK) {
        haft_str kept = haft__arena_copy(request->arena, haft__buf_str(found));
        request->messages = (const void *)kept.ptr;
        request->message_count = kept.len / sizeof(haft__store_message);
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
    }
    return status;
}

haft_status haft__sqlite_receive(haft__worker *worker, haft__store_request *request,
                                 haft_error *err)
{
    bool one = request->run.id.len > 0;
    haft__query query =
        haft__query_begin(&worker->link, one ? HAFT__SQL_RECEIVE_ID : HAFT__SQL_RECEIVE);
    haft__query_bind(&query, one ? request->run.id : request->run.owner);
    haft__query_bind_int(&query, HAFT__LIMIT_STORE_MESSAGES);
    haft__buf found;
    size_t bytes = 0;
    haft__buf_init(&found, HAFT__LIMIT_STORE_MESSAGES * sizeof(haft__store_message));
    while (bytes < HAFT__LIMIT_STORE_TEXT_BYTES && haft__query_row(&query)) {
        haft__store_message message = {.id = haft__query_int(&query)};
        message.run = haft__query_copy(&query, HAFT__LIMIT_STORE_NAME_BYTES, request->arena);
        message.body = haft__query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
        haft__buf_add(&found, (const char *)&message, sizeof(message));
        bytes += message.body.len;
    }
    haft_status status = haft__query_end(&query, err);
    if (status == HAFT_OK) {
        status = keep_messages(request, &found, err);
    }
    haft__buf_finish(&found);
    return status;
}

/* ---- artifacts and results ---- */

haft_status haft__sqlite_artifact(haft__worker *worker, haft__store_request *request,
                                  haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_head_of(worker, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__arena *arena = request->arena;
    haft__store_artifact artifact = {.name = haft__arena_copy(arena, request->name)};
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_ARTIFACT);
    haft__query_bind_int(&query, head.number);
    haft__query_bind(&query, request->name);
    bool found = haft__query_row(&query);
    if (found) {
        artifact.media_type = haft__query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, arena);
        artifact.content = haft__query_content(&query, arena, &artifact.sha256);
    }
    query.full = artifact.name.ptr != NULL ? query.full : arena;
    status = haft__query_end(&query, err);
    if (status == HAFT_OK && !found) {
        status = haft__store_fail_artifact(request->name, request->run.id, err);
    }
    if (status == HAFT_OK) {
        request->artifact = artifact;
    }
    return status;
}

haft_status haft__sqlite_recall(haft__worker *worker, haft__store_request *request, haft_error *err)
{
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_RECALL);
    haft__query_bind(&query, request->scope);
    haft__query_bind(&query, request->name);
    haft__query_bind_int(&query, request->now_ms);
    bool found = haft__query_row(&query);
    haft_str text = HAFT__LIT("");
    if (found) {
        text = haft__query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
    }
    haft_status status = haft__query_end(&query, err);
    if (status == HAFT_OK && !found) {
        status = haft__store_fail_result(err);
    }
    if (status == HAFT_OK) {
        request->text = text;
    }
    return status;
}
