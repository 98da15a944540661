/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - validates requests, and the rules for runs that all stores share.
 *
 * The rules are here and not in each store, so that all stores reject the same requests with the
 * same messages.
 * Tests: tests/store/store_test.c.
 */
#include <assert.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/utf8.h"
#include "store/backend.h"
#include "store/move.h"

/* ---- requests ---- */

static const struct {
    const char *name;
    size_t at; /* offset in the request */
    size_t max_bytes;
} texts[] = {
    {"the run's id", offsetof(haft__store_request, run.id), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the thread", offsetof(haft__store_request, run.thread), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the parent", offsetof(haft__store_request, run.parent), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the user", offsetof(haft__store_request, run.user), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the spec's name", offsetof(haft__store_request, run.name), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the task", offsetof(haft__store_request, run.task), HAFT__LIMIT_STORE_TEXT_BYTES},
    {"the spec's hash", offsetof(haft__store_request, run.spec_hash), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the spec", offsetof(haft__store_request, run.spec), HAFT__LIMIT_STORE_TEXT_BYTES},
    {"the spec's path", offsetof(haft__store_request, run.spec_path), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the end", offsetof(haft__store_request, run.end), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the answer", offsetof(haft__store_request, run.answer), HAFT__LIMIT_STORE_TEXT_BYTES},
    {"the owner", offsetof(haft__store_request, run.owner), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the dead owner", offsetof(haft__store_request, dead_owner), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the name", offsetof(haft__store_request, name), HAFT__LIMIT_STORE_TEXT_BYTES},
    {"the thread", offsetof(haft__store_request, thread), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the scope", offsetof(haft__store_request, scope), HAFT__LIMIT_STORE_NAME_BYTES},
    {"the text", offsetof(haft__store_request, text), HAFT__LIMIT_STORE_TEXT_BYTES},
};

static haft_status check_text(haft_str text, size_t max_bytes, const char *name, haft_error *err)
{
    if (text.len > max_bytes) {
        return haft__fail(err, HAFT_TOO_BIG, "", "%s has %zu bytes, expected at most %zu", name,
                          text.len, max_bytes);
    }
    if (!haft__utf8_valid(text)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "%s is not valid UTF-8", name);
    }
    return HAFT_OK;
}

static haft_status check_texts(const haft__store_request *request, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(texts); i++) {
        const haft_str *text = (const void *)((const char *)request + texts[i].at);
        if (text->len > 0) {
            status = check_text(*text, texts[i].max_bytes, texts[i].name, err);
        }
    }
    return status;
}

static haft_status check_line(haft_str line, size_t number, haft_error *err)
{
    haft_status status = check_text(line, HAFT__LIMIT_STORE_TEXT_BYTES, "an event", err);
    if (status == HAFT_OK && line.len > 0 && memchr(line.ptr, '\n', line.len) != NULL) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "", "an event must be one line, found a line feed");
    }
    if (status != HAFT_OK) {
        char location[48];
        (void)snprintf(location, sizeof(location), "event %zu", number);
        haft__error_prepend_location(err, location);
    }
    return status;
}

static haft_status check_artifact(const haft__store_artifact *artifact, haft_error *err)
{
    haft_status status =
        check_text(artifact->name, HAFT__LIMIT_STORE_TEXT_BYTES, "an artifact's name", err);
    if (status == HAFT_OK) {
        status = check_text(artifact->media_type, HAFT__LIMIT_STORE_TEXT_BYTES,
                            "an artifact's media type", err);
    }
    if (status == HAFT_OK && artifact->content.len > HAFT__LIMIT_STORE_TEXT_BYTES) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "an artifact has %zu bytes, expected at most %d",
                            artifact->content.len, HAFT__LIMIT_STORE_TEXT_BYTES);
    }
    if (status != HAFT_OK) {
        return status;
    }
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(artifact->content, digest);
    if (!haft__str_equal(artifact->sha256, (haft_str){digest, sizeof(digest)})) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "the content of the artifact '%.*s' has the SHA-256 %.12s..., but the "
                          "request says %.*s",
                          HAFT__ARG(artifact->name), digest, HAFT__ARG(artifact->sha256));
    }
    return HAFT_OK;
}

static haft_status check_run_id(haft_str id, haft_error *err)
{
    return haft__id_valid(id)
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected the id of a run, 26 characters of base32, found '%.*s'",
                            HAFT__ARG(id));
}

static haft_status check_verb(const haft__store_request *request, haft_error *err)
{
    switch (request->verb) {
    case HAFT__STORE_CREATE: return check_run_id(request->run.id, err);
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_CLAIM_NEXT:
    case HAFT__STORE_RENEW:
        if (request->run.owner.len == 0) {
            return haft__fail(err, HAFT_BAD_INPUT, "", "expected the name of an owner, found none");
        }
        return HAFT_OK;
    case HAFT__STORE_READ_EVENTS:
    case HAFT__STORE_FIND:
    case HAFT__STORE_LIST:
    case HAFT__STORE_THREAD_HISTORY:
    case HAFT__STORE_PREDECESSORS:
    case HAFT__STORE_RECEIVE:
    case HAFT__STORE_READ_ARTIFACT:
    case HAFT__STORE_DOCTOR:
    case HAFT__STORE_CACHE_GET: assert(request->arena != NULL); return HAFT_OK;
    case HAFT__STORE_APPEND:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_SEND:
    case HAFT__STORE_CACHE_PUT:
    case HAFT__STORE_REMOVE:
    case HAFT__STORE_GC:
    case HAFT__STORE_TRY_WRITE: return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

haft__store_request haft__store_child_request(const haft__store_child *child)
{
    return (haft__store_request){
        .verb = HAFT__STORE_CREATE, .run = child->run, .lines = &child->line, .line_count = 1};
}

static haft_status check_content(const haft__store_request *request, haft_error *err)
{
    haft_status status = check_verb(request, err);
    if (status == HAFT_OK) {
        status = check_texts(request, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < request->line_count; i++) {
        status = check_line(request->lines[i], i + 1, err);
    }
    return status;
}

haft_status haft__store_check(const haft__store_request *request, haft_error *err)
{
    haft_status status = check_content(request, err);
    for (size_t i = 0; status == HAFT_OK && i < request->artifact_count; i++) {
        status = check_artifact(&request->artifacts[i], err);
    }
    for (size_t i = 0; status == HAFT_OK && i < request->child_count; i++) {
        haft__store_request child = haft__store_child_request(&request->children[i]);
        status = check_content(&child, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < request->outgoing_count; i++) {
        status =
            check_text(request->outgoing[i].body, HAFT__LIMIT_STORE_TEXT_BYTES, "a message", err);
        status = status == HAFT_OK ? check_run_id(request->outgoing[i].run, err) : status;
    }
    return status;
}

/* ---- rules ---- */

uint64_t haft__store_first_epoch(const haft__store_request *request)
{
    return request->run.epoch > 0 ? request->run.epoch : 1;
}

uint64_t haft__store_line_bytes(const haft__store_request *request)
{
    uint64_t bytes = request->line_count;
    for (size_t i = 0; i < request->line_count; i++) {
        bytes += request->lines[i].len;
    }
    return bytes;
}

haft_status haft__store_check_room(const haft__store *store, const haft__store_request *request,
                                   uint64_t seq, uint64_t bytes, haft_error *err)
{
    if (seq > HAFT__LIMIT_RUN_EVENTS || request->line_count > HAFT__LIMIT_RUN_EVENTS - seq) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "a run can have at most %d events, no room for %zu more",
                          HAFT__LIMIT_RUN_EVENTS, request->line_count);
    }
    if (bytes > store->run_bytes || haft__store_line_bytes(request) > store->run_bytes - bytes) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the events of a run can have at most %llu bytes",
                          (unsigned long long)store->run_bytes);
    }
    return HAFT_OK;
}

haft_status haft__store_check_thread(const haft__store_request *request,
                                     const haft__store_run *open, haft_error *err)
{
    if (!request->alone || open == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the run %.*s of this thread %s", HAFT__ARG(open->id),
                   open->state == HAFT__RUN_STATE_WAITING ? "is waiting" : "is still running");
    return haft__hint(err, status,
                      "'multitask: enqueue' waits until it ends, 'interrupt' cancels it, 'haft "
                      "cancel %.*s' cancels it now",
                      HAFT__ARG(open->id));
}

static haft_status fail_ended(haft_str id, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the run %.*s has ended", HAFT__ARG(id));
}

haft_status haft__store_check_append(const haft__store_request *request, const haft__store_run *run,
                                     haft_error *err)
{
    haft_str id = request->run.id;
    if (run->state == HAFT__RUN_STATE_ENDED) {
        return fail_ended(id, err);
    }
    if (run->owner.len == 0 || request->run.epoch != run->epoch) {
        haft_status status = haft__fail(
            err, HAFT_BAD_STATE, "",
            "this process does not own the run %.*s: its epoch is %llu, found %llu", HAFT__ARG(id),
            (unsigned long long)run->epoch, (unsigned long long)request->run.epoch);
        return haft__hint(err, status, "another process owns it, or it was released");
    }
    if (request->run.seq != run->seq) {
        haft_status status = haft__fail(
            err, HAFT_BAD_STATE, "", "the run %.*s has %llu events, found an append after %llu",
            HAFT__ARG(id), (unsigned long long)run->seq, (unsigned long long)request->run.seq);
        return haft__hint(err, status, "read its events again");
    }
    return HAFT_OK;
}

static bool is_owned(const haft__store *store, const haft__store_run *run)
{
    return run->owner.len > 0 && run->lease_ms > haft__store_now(store);
}

static haft_status fail_owned(const haft__store_run *run, haft_error *err)
{
    haft__move move;
    if (haft__move_parse_owner(run->owner, &move)) {
        return haft__move_fail(run->id, &move, err);
    }
    uint64_t process =
        0; /* the name of an owner is boot/process/..., or any name that the caller chose */
    haft_str rest = run->owner, boot = haft__str_split(&rest, '/');
    haft_str number = haft__str_split(&rest, '/');
    bool known = boot.len > 0 && haft__str_to_u64(number, &process);
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the run %.*s belongs to %s%.*s", HAFT__ARG(run->id),
                   known ? "process " : "", HAFT__ARG(known ? number : run->owner));
    return haft__hint(err, status, "wait until that process ends or releases it");
}

/* Whether `owner` owns the run in the epoch of the request. */
static bool has_epoch(const haft__store_request *request, const haft__store_run *run,
                      haft_str owner)
{
    return run->epoch == request->run.epoch && run->owner.len > 0
           && haft__str_equal(run->owner, owner);
}

static haft_status fail_epoch(const haft__store_request *request, const haft__store_run *run,
                              haft_error *err)
{
    haft_status status = haft__fail(
        err, HAFT_BAD_STATE, "",
        "this process does not own the run %.*s in epoch %llu: its epoch is %llu",
        HAFT__ARG(run->id), (unsigned long long)request->run.epoch, (unsigned long long)run->epoch);
    return haft__hint(err, status, "another process owns it, or it was released");
}

haft_status haft__store_check_claim(const haft__store *store, const haft__store_request *request,
                                    const haft__store_run *run, haft_error *err)
{
    if (run->state == HAFT__RUN_STATE_ENDED) {
        return fail_ended(run->id, err);
    }
    bool own = haft__str_equal(run->owner, request->run.owner);
    bool dead = haft__str_equal(run->owner, request->dead_owner);
    if (request->run.epoch > 0 && !own && !has_epoch(request, run, request->dead_owner)) {
        return fail_epoch(request, run, err);
    }
    return is_owned(store, run) && !own && !dead ? fail_owned(run, err) : HAFT_OK;
}

bool haft__store_is_skipped(const haft__store_request *request, haft_str id)
{
    size_t at = 0;
    while (at < request->skip_count && !haft__str_equal(request->skip[at], id)) {
        at++;
    }
    return at < request->skip_count;
}

haft_status haft__store_check_remove(const haft__store *store, const haft__store_request *request,
                                     const haft__store_run *run, haft_error *err)
{
    bool own = haft__str_equal(run->owner, request->run.owner);
    bool dead = haft__str_equal(run->owner, request->dead_owner);
    if (request->run.epoch > 0 && !has_epoch(request, run, request->run.owner)) {
        return fail_epoch(request, run, err);
    }
    return is_owned(store, run) && !own && !dead ? fail_owned(run, err) : HAFT_OK;
}

bool haft__store_is_expired(const haft__store_request *request, haft__run_state state,
                            uint64_t updated_ms, haft_str end, bool child)
{
    bool end_matches = request->end_count == 0 || child;
    for (size_t i = 0; !end_matches && i < request->end_count; i++) {
        end_matches = haft__str_equal(request->ends[i], end);
    }
    return end_matches && state == HAFT__RUN_STATE_ENDED && updated_ms < request->gc.before;
}

haft_status haft__store_check_send(const haft__store_request *request, const haft__store_run *run,
                                   uint64_t count, haft_error *err)
{
    haft_str id = run->id;
    haft__move move;
    if (run->state == HAFT__RUN_STATE_ENDED) {
        return fail_ended(id, err);
    }
    if (haft__move_parse_owner(run->owner, &move)
        && !haft__str_equal(run->owner, request->run.owner)) {
        return haft__move_fail(id, &move, err);
    }
    if (count >= HAFT__LIMIT_STORE_MESSAGES) {
        haft_status status = haft__fail(
            err, HAFT_TOO_BIG, "", "%d commands are pending for the run %.*s, which is the maximum",
            HAFT__LIMIT_STORE_MESSAGES, HAFT__ARG(id));
        return haft__hint(err, status, "no process works on it; resume it first");
    }
    return HAFT_OK;
}

/* ---- error messages ---- */

haft_status haft__store_fail_no_run(haft_str id, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_NOT_FOUND, "", "there is no run '%.*s'", HAFT__ARG(id));
    return haft__hint(err, status, "`haft runs` lists all runs");
}

haft_status haft__store_fail_run_exists(haft_str id, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the run %.*s exists already", HAFT__ARG(id));
}

haft_status haft__store_fail_ambiguous_id(haft_str name, haft_str one, haft_str other,
                                          haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "several runs start with '%.*s'", HAFT__ARG(name));
    return haft__hint(err, status, "for example %.*s and %.*s; use a longer prefix", HAFT__ARG(one),
                      HAFT__ARG(other));
}

haft_status haft__store_fail_no_message(uint64_t id, haft_str run, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "command %llu is no longer pending for the run %.*s",
                      (unsigned long long)id, HAFT__ARG(run));
}

haft_status haft__store_fail_no_artifact(haft_str name, haft_str run, haft_error *err)
{
    return haft__fail(err, HAFT_NOT_FOUND, "", "the run %.*s has no artifact '%.*s'",
                      HAFT__ARG(run), HAFT__ARG(name));
}

haft_status haft__store_fail_cache_miss(haft_error *err)
{
    return haft__fail(err, HAFT_NOT_FOUND, "", "no result is cached for this call");
}

haft_status haft__store_fail_nothing_to_claim(haft_error *err)
{
    return haft__fail(err, HAFT_NOT_FOUND, "", "no run is free to claim");
}

haft_status haft__store_fail_damaged(const char *where, const char *hint, haft_error *err,
                                     const char *what, va_list args)
{
    char detail[256]; /* longer than the field of the error, which is cut between words */
    (void)vsnprintf(detail, sizeof(detail), what, args);
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, where, "the database is damaged: %s", detail);
    return haft__hint(err, status, "%s", hint);
}
