/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_events.c - what runs have, read from SQLite: events, messages, artifacts, results.
 *
 * Events are only given when they are those that were written: their numbers are dense, each row
 * fits the sum of the one before, and the last has the sum that the run's row remembers.
 * Tests: tests/store/store_find_test.c, tests/store/sqlite_damage_test.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "store/event_reader.h"
#include "store/packer.h"
#include "store/sqlite/sqlite_int.h"

/* ---- events ---- */

static haft_status fail_event(const haft__worker *worker, const haft__store_request *request,
                              uint64_t seq, haft_error *err)
{
    return haft__link_fail_damaged(&worker->link, err,
                                   "event %llu of the run %.*s is not what was written",
                                   (unsigned long long)seq, HAFT__ARG(request->run.id));
}

/* The row behind which the part begins: the one that ends with the event it follows, or, when that
 * stands in the middle of a row, the one before. */
static haft_status read_start(haft__worker *worker, const haft__store_request *request,
                              uint64_t number, haft__part *p, haft_error *err)
{
    if (p->after == 0) {
        return HAFT_OK;
    }
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_EVENTS_SUM);
    haft__query_bind_int(&query, number);
    haft__query_bind_int(&query, p->after);
    bool right = true;
    if (haft__query_row(&query)) {
        p->from.seq = haft__query_int(&query);
        right = haft__chain_set(&p->chain, haft__query_blob(&query, HAFT__CHAIN_OLD_BYTES));
    }
    query.wrong = false; /* told with its number */
    haft_status status = haft__query_end(&query, err);
    return status == HAFT_OK && !right ? fail_event(worker, request, p->from.seq, err) : status;
}

/* Of the first version of the file: text, a row for each event. */
static bool take_old_row(haft__part *p, haft_str event, uint64_t seq)
{
    p->from.seq++;
    if (p->from.seq > p->after) {
        haft__buf_add_str(&p->text, event);
        haft__buf_add_char(&p->text, '\n');
    }
    return p->from.seq == seq;
}

static bool take_rows(haft__query *query, haft__part *p)
{
    uint64_t seq = haft__query_int(query);
    haft_str sum = haft__query_blob(query, HAFT__CHAIN_OLD_BYTES);
    bool old = haft__query_is_text(query);
    haft_str body = old ? haft__query_text(query, HAFT__LIMIT_STORE_TEXT_BYTES)
                        : haft__query_blob(query, HAFT__SQLITE_ROW_BYTES);
    if (old) {
        haft__chain_add_old(&p->chain, body);
    } else {
        haft__chain_add(&p->chain, body);
    }
    if (query->wrong || query->code != SQLITE_OK
        || !haft__str_equal(sum, haft__chain_str(&p->chain))) {
        return false;
    }
    return old ? take_old_row(p, body, seq) : haft__part_take(p, body, seq);
}

/* The events of the part, until one is missing or wrong: the first of its row, or 0. */
static uint64_t take_events(haft__query *query, const haft__sqlite_head *head, haft__part *p)
{
    uint64_t end = p->after + p->count;
    while (p->from.seq < end) {
        uint64_t first = p->from.seq + 1;
        if (!haft__query_row(query) || !take_rows(query, p)) {
            return first;
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
                             const haft__sqlite_head *head, haft__part *p, haft_error *err)
{
    haft_status status = read_start(worker, request, head->number, p, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_EVENTS);
    haft__query_bind_int(&query, head->number);
    haft__query_bind_int(&query, p->from.seq);
    uint64_t wrong = take_events(&query, head, p);
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
    haft__part p;
    haft__part_init(&p, request, head.run.seq, worker->store->run_bytes);
    status = read_part(worker, request, &head, &p, err);
    if (status == HAFT_OK) {
        status = haft__part_give(&p, request, err);
    }
    haft__part_finish(&p);
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
