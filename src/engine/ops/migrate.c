/* SPDX-License-Identifier: Apache-2.0 */
/* migrate.c - see migrate.h. Tests: tests/engine/ops/migrate_test.c, tests/cli/migrate_test.py. */
#include "engine/ops/migrate.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/ops/run_snapshot.h"
#include "engine/ops/store_access.h"
#include "io/owner.h"
#include "io/random.h"

#define LEASE_FOREVER INT64_MAX /* milliseconds */

static haft_status execute(haft__migration *m, haft__store *store, haft__store_request *request,
                           haft_error *err)
{
    return haft__run_snapshot_execute(store, &m->arena, request, err);
}

static haft_status read_snapshot(haft__migration *m, haft__store *store, haft_str id,
                                 haft__run_snapshot *ret_report, haft_error *err)
{
    haft_status status =
        haft__run_snapshot_read(store, &m->arena, m->hash_key, id, ret_report, err);
    if (ret_report->messages_too_big) {
        m->problem = HAFT__MIGRATION_MESSAGES_TOO_BIG;
    }
    return status;
}

static haft_status compare(haft__migration *m, const haft__run_snapshot *run,
                           const haft__run_snapshot *copy, bool all_messages, haft_error *err)
{
    haft_status status = haft__run_snapshot_compare(run, copy, all_messages, err);
    if (status != HAFT_OK) {
        m->problem = HAFT__MIGRATION_RUNS_DIFFER;
    }
    return status;
}

/* The epoch of a copy. Each claim of a run increases its epoch and the epoch of later copies, so
 * the copy with the greatest epoch belongs to the last claim. */
static uint64_t copy_epoch(const haft__run_snapshot *run)
{
    return run->row.epoch + 1;
}

/* ---- writing ---- */

static uint64_t clock_of(void *context)
{
    return *(const uint64_t *)context;
}

static haft_status split_events(haft__migration *m, const haft__run_snapshot *run,
                                haft_str **ret_lines, haft_error *err)
{
    haft_str rest = run->events;
    haft_str *lines = haft__arena_array(&m->arena, run->event_count, sizeof(*lines));
    if (lines == NULL) {
        return haft__arena_fail(&m->arena, err);
    }
    for (uint64_t i = 0; i < run->event_count; i++) {
        lines[i] = haft__str_split(&rest, '\n');
    }
    *ret_lines = lines;
    return HAFT_OK;
}

/* Writes the copy in one transaction. The copy of an ended run has the same end time, because
 * retention uses it. The copy of an open run belongs to this migration; its epoch is greater than
 * all earlier epochs, so that writes of earlier owners are rejected. */
static haft_status create(haft__migration *m, const haft__run_snapshot *run, haft_error *err)
{
    haft_str *lines = NULL;
    uint64_t updated = run->row.updated_ms;
    bool ended = run->row.state == HAFT__RUN_STATE_ENDED;
    haft_status status = split_events(m, run, &lines, err);
    haft__store_request request = {.verb = HAFT__STORE_CREATE,
                                   .run = run->row,
                                   .lines = lines,
                                   .line_count = run->event_count,
                                   .artifacts = run->artifacts,
                                   .artifact_count = run->artifact_count,
                                   .lease_ms = LEASE_FOREVER};
    request.run.owner = ended ? HAFT__LIT("") : haft__str(m->copy_owner);
    request.run.epoch = copy_epoch(run);
    if (status == HAFT_OK && ended) {
        haft__store_clock own = haft__store_set_clock(m->to, clock_of, &updated);
        status = execute(m, m->to, &request, err);
        (void)haft__store_set_clock(m->to, own.now, own.context);
    } else if (status == HAFT_OK) {
        status = execute(m, m->to, &request, err);
    }
    return status;
}

/* Sends the messages that the copy does not have yet. */
static haft_status send_messages(haft__migration *m, const haft__run_snapshot *run, size_t there,
                                 haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = there; status == HAFT_OK && i < run->message_count; i++) {
        haft__store_request send = {.verb = HAFT__STORE_SEND,
                                    .run = {.id = run->row.id, .owner = haft__str(m->copy_owner)},
                                    .text = run->messages[i].body};
        status = execute(m, m->to, &send, err);
    }
    return status;
}

/* Removes the run from `store` if `owner` owns it in that epoch. A migration that no longer owns
 * the run therefore removes nothing. Succeeds if the run does not exist. */
static haft_status remove_owned(haft__migration *m, haft__store *store, haft_str id, haft_str owner,
                                uint64_t epoch, haft_error *err)
{
    haft_error failed = {0};
    haft__store_request gone = {.verb = HAFT__STORE_REMOVE,
                                .run = {.id = id, .owner = owner, .epoch = epoch}};
    haft_status status = execute(m, store, &gone, &failed);
    if (status != HAFT_OK && status != HAFT_NOT_FOUND && err != NULL) {
        *err = failed;
    }
    return status == HAFT_NOT_FOUND ? HAFT_OK : status;
}

static haft_status release_at(haft__migration *m, haft__store *store, haft_str id, uint64_t epoch,
                              haft_error *err)
{
    haft__store_request release = {.verb = HAFT__STORE_RELEASE, .run = {.id = id, .epoch = epoch}};
    return execute(m, store, &release, err);
}

/* ---- other moves ---- */

static bool is_copy(const haft__store_run *row, haft__move *ret_move)
{
    return haft__move_parse_owner(row->owner, ret_move) && ret_move->step == HAFT__MOVE_FROM;
}

/* Removes the copy of an earlier move that can no longer be completed. Fails for a copy with a
 * greater epoch, because it belongs to a later move. */
static haft_status remove_stale_copy(haft__migration *m, const haft__run_snapshot *run,
                                     haft_error *err)
{
    haft__move move;
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = run->row.id};
    haft_error failed = {0};
    haft_status status = execute(m, m->to, &find, &failed);
    if (status == HAFT_NOT_FOUND || (status == HAFT_OK && !is_copy(&find.found[0], &move))) {
        return HAFT_OK;
    }
    if (status != HAFT_OK) {
        *err = failed;
        return status;
    }
    const haft__store_run *row = &find.found[0];
    return row->epoch < copy_epoch(run)
               ? remove_owned(m, m->to, row->id, row->owner, row->epoch, err)
               : haft__move_fail(row->id, &move, err);
}

/* Whether an interrupted move has the same target: it names the new store, or its copy is in the
 * new store. */
static bool is_move_target(haft__migration *m, haft_str id, const haft__move *move)
{
    haft__move there;
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = id};
    return haft__str_equal(move->store, haft__str(m->to_name))
           || (execute(m, m->to, &find, NULL) == HAFT_OK && is_copy(&find.found[0], &there)
               && haft__str_equal(there.id, move->id));
}

/* ---- one run ---- */

/* Checks whether the run can be claimed from its owner: a dead process, or a move to the same store
 * (*ret_dead). BAD_STATE for a move to another store, which must be completed with that store. */
static haft_status check_owner(haft__migration *m, const haft__store_run *row, bool *ret_dead,
                               haft_error *err)
{
    haft__move move;
    bool moves = haft__move_parse_owner(row->owner, &move);
    bool same_target = moves && move.step == HAFT__MOVE_TO && is_move_target(m, row->id, &move);
    *ret_dead = same_target || haft__owner_is_dead(row->owner);
    return moves && !same_target && row->lease_ms > haft__store_now(m->from)
               ? haft__move_fail(row->id, &move, err)
               : HAFT_OK;
}

/* Claims the run in the old store. After this, no other process continues the run there. */
static haft_status claim(haft__migration *m, const haft__store_run *row, uint64_t *ret_epoch,
                         haft_error *err)
{
    bool dead = false;
    haft_status status = check_owner(m, row, &dead, err);
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run = {.id = row->id, .owner = haft__str(m->moving_owner)},
                                   .lease_ms = HAFT__LIMIT_MIGRATE_LEASE_MS,
                                   .dead_owner = dead ? row->owner : HAFT__LIT("")};
    status = status == HAFT_OK ? execute(m, m->from, &request, err) : status;
    *ret_epoch = status == HAFT_OK ? request.found[0].epoch : 0;
    return status;
}

static haft_status check_free(haft__migration *m, const haft__store_run *row, haft_error *err)
{
    bool dead = false;
    haft_status status = check_owner(m, row, &dead, err);
    bool owned = row->owner.len > 0 && row->lease_ms > haft__store_now(m->from) && !dead;
    return status == HAFT_OK && owned
               ? haft__fail(err, HAFT_BAD_STATE, "", "another process owns the run")
               : status;
}

/* Fails if another migration wrote the copy. A migration that no longer owns the run may still
 * write a copy before it removes it. */
static haft_status check_own_copy(const haft__migration *m, const haft__run_snapshot *run,
                                  const haft__run_snapshot *there, haft_error *err)
{
    haft__move move;
    const haft__store_run *row = &there->row;
    bool own =
        haft__str_equal(row->owner, haft__str(m->copy_owner)) && row->epoch == copy_epoch(run);
    return is_copy(row, &move) && !own ? haft__move_fail(row->id, &move, err) : HAFT_OK;
}

/* Writes the run into the new store, if it does not exist there, reads it back and compares. */
static haft_status copy_and_verify(haft__migration *m, const haft__run_snapshot *run,
                                   haft__migration_report *ret_report, haft__run_snapshot *ret_copy,
                                   haft_error *err)
{
    haft_error absent = {0};
    haft__move move;
    haft_status status = m->dry_run ? HAFT_OK : remove_stale_copy(m, run, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_snapshot(m, m->to, run->row.id, ret_copy, &absent);
    bool missing = status == HAFT_NOT_FOUND
                   || (m->dry_run && status == HAFT_OK && is_copy(&ret_copy->row, &move));
    ret_report->outcome = missing ? HAFT__MIGRATION_COPIED : HAFT__MIGRATION_ALREADY_THERE;
    if (missing) {
        status = m->dry_run ? HAFT_OK : create(m, run, err);
    } else if (status == HAFT_OK) {
        status = check_own_copy(m, run, ret_copy, err);
        status = status == HAFT_OK ? compare(m, run, ret_copy, false, err) : status;
    } else {
        *err = absent;
    }
    if (status != HAFT_OK || m->dry_run) {
        return status;
    }
    bool ended = run->row.state == HAFT__RUN_STATE_ENDED;
    status = ended ? HAFT_OK : send_messages(m, run, ret_copy->message_count, err);
    if (status == HAFT_OK) {
        status = read_snapshot(m, m->to, run->row.id, ret_copy, err);
    }
    status = status == HAFT_OK ? check_own_copy(m, run, ret_copy, err) : status;
    return status == HAFT_OK ? compare(m, run, ret_copy, true, err) : status;
}

/* Completes a committed move: releases the copy, and removes the run from the old store. */
static haft_status finish_move(haft__migration *m, const haft__store_run *row,
                               haft__migration_report *ret_report, haft_error *err)
{
    haft__move move = {.store = HAFT__LIT("")}, there;
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = row->id};
    (void)haft__move_parse_owner(row->owner, &move);
    haft_status status = execute(m, m->to, &find, err);
    if (status == HAFT_NOT_FOUND) {
        status =
            haft__fail(err, HAFT_BAD_STATE, "", "the run was moved to %.*s, which does not have it",
                       HAFT__ARG(move.store));
        return haft__hint(err, status,
                          "the copy may have been removed; the run stays in the old store");
    }
    const haft__store_run *copy = status == HAFT_OK ? &find.found[0] : NULL;
    if (copy != NULL && is_copy(copy, &there) && haft__str_equal(there.id, move.id)) {
        status = release_at(m, m->to, copy->id, copy->epoch, err);
    }
    status =
        status == HAFT_OK ? remove_owned(m, m->from, row->id, row->owner, row->epoch, err) : status;
    ret_report->removed = status == HAFT_OK;
    return status;
}

/* Completes a move that was interrupted. */
static haft_status finish_earlier_move(haft__migration *m, const haft__store_run *row,
                                       const haft__move *move, haft__migration_report *ret_report,
                                       haft_error *err)
{
    ret_report->outcome = HAFT__MIGRATION_ALREADY_THERE;
    if (!is_move_target(m, row->id, move)) {
        return haft__move_fail(row->id, move, err);
    }
    return m->dry_run ? HAFT_OK : finish_move(m, row, ret_report, err);
}

/* Commits the move: after this, the copy is the run. BAD_STATE if another process has claimed the
 * run meanwhile. */
static haft_status commit_move(haft__migration *m, const haft__store_run *row,
                               haft__store_run *ret_left, haft_error *err)
{
    haft__store_request request = {
        .verb = HAFT__STORE_CLAIM,
        .run = {.id = row->id, .owner = haft__str(m->moved_owner), .epoch = row->epoch},
        .dead_owner = haft__str(m->moving_owner),
        .lease_ms = LEASE_FOREVER};
    haft_status status = execute(m, m->from, &request, err);
    if (status == HAFT_OK) {
        *ret_left = request.found[0];
    }
    return status;
}

/* Releases a run that could not be moved. First removes its copy, which no process could use. */
static void roll_back_move(haft__migration *m, const haft__store_run *row,
                           const haft__run_snapshot *run)
{
    if (run->row.id.len > 0) {
        (void)!remove_owned(m, m->to, row->id, haft__str(m->copy_owner), copy_epoch(run), NULL);
    }
    (void)!release_at(m, m->from, row->id, row->epoch, NULL);
}

static haft_status copy_from(haft__migration *m, haft_str id, haft__run_snapshot *ret_report,
                             haft__migration_report *ret_migrated, haft_error *err)
{
    haft__run_snapshot there;
    haft_status status = read_snapshot(m, m->from, id, ret_report, err);
    if (status == HAFT_OK) {
        ret_migrated->events = ret_report->event_count;
        ret_migrated->artifacts = ret_report->artifact_count;
        ret_migrated->messages = ret_report->message_count;
        status = copy_and_verify(m, ret_report, ret_migrated, &there, err);
    }
    return status;
}

static haft_status move_open(haft__migration *m, const haft__store_run *found,
                             haft__migration_report *ret_report, haft_error *err)
{
    haft__run_snapshot run = {.event_count = 0};
    haft__store_run row = *found, left = {.epoch = 0};
    haft_status status = claim(m, found, &row.epoch, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = copy_from(m, row.id, &run, ret_report, err);
    bool unknown = false; /* whether the move was committed is unknown */
    if (status == HAFT_OK) {
        status = commit_move(m, &row, &left, err);
        unknown = status == HAFT_IO;
    }
    if (status == HAFT_OK) {
        return finish_move(m, &left, ret_report, err);
    }
    if (!unknown) {
        roll_back_move(m, &row, &run);
    }
    return status;
}

static haft_status migrate_ended(haft__migration *m, haft_str id,
                                 haft__migration_report *ret_report, haft_error *err)
{
    haft__run_snapshot run;
    haft_status status = copy_from(m, id, &run, ret_report, err);
    if (status == HAFT_OK && m->move && !m->dry_run) {
        status = remove_owned(m, m->from, id, HAFT__LIT(""), 0, err);
        ret_report->removed = status == HAFT_OK;
    }
    return status;
}

haft_status haft__migration_run(haft__migration *m, haft_str id, haft__migration_report *ret_report,
                                haft_error *err)
{
    *ret_report = (haft__migration_report){.outcome = HAFT__MIGRATION_SKIPPED};
    haft__arena_reset(&m->arena);
    m->problem = HAFT__MIGRATION_OTHER_PROBLEM;
    haft__move move;
    haft__run_snapshot run;
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = id};
    haft_status status = execute(m, m->from, &find, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__store_run *row = &find.found[0];
    if (row->state == HAFT__RUN_STATE_ENDED) {
        return migrate_ended(m, row->id, ret_report, err);
    }
    if (!m->move) {
        return HAFT_OK;
    }
    if (haft__move_parse_owner(row->owner, &move) && move.step == HAFT__MOVE_DONE) {
        return finish_earlier_move(m, row, &move, ret_report, err);
    }
    if (!m->dry_run) {
        return move_open(m, row, ret_report, err);
    }
    status = check_free(m, row, err);
    return status == HAFT_OK ? copy_from(m, row->id, &run, ret_report, err) : status;
}

/* ---- both stores ---- */

/* Makes the name under which one store records the other: an absolute path, which does not depend
 * on the working directory. The name is used only in messages and to recognize a repeated move. */
static void name_store(haft__migration *m, const char *url, char name[HAFT__MIGRATION_NAME_BYTES])
{
    char path[PATH_MAX];
    const char *file = haft__store_url_path(url);
    if (file != NULL && realpath(file, path) != NULL) {
        (void)snprintf(name, HAFT__MIGRATION_NAME_BYTES, "sqlite:%.*s",
                       HAFT__MIGRATION_NAME_BYTES - 8, path);
    } else {
        haft_str shown = haft__store_display_url(url, &m->arena);
        (void)snprintf(name, HAFT__MIGRATION_NAME_BYTES, "%.*s", HAFT__ARG(shown));
    }
    if (!haft__utf8_valid(haft__str(name))) {
        char digest[HAFT__SHA256_HEX];
        haft__sha256_hex(haft__str(name), digest);
        (void)snprintf(name, HAFT__MIGRATION_NAME_BYTES, "sha256:%.*s", HAFT__SHA256_HEX, digest);
    }
}

static haft_status name_owners(haft__migration *m, const char *from_name, haft_error *err)
{
    uint64_t random = 0;
    char id[HAFT__MOVE_ID_BYTES + 1];
    if (!haft__random_bytes(&random, sizeof(random))) {
        return haft__fail(err, HAFT_IO, "", "the system has no random bytes");
    }
    (void)snprintf(id, sizeof(id), "%016llx", (unsigned long long)random);
    haft__move move = {.id = haft__str(id), .step = HAFT__MOVE_TO, .store = haft__str(m->to_name)};
    (void)haft__move_format_owner(&move, m->moving_owner, sizeof(m->moving_owner));
    move.step = HAFT__MOVE_DONE;
    (void)haft__move_format_owner(&move, m->moved_owner, sizeof(m->moved_owner));
    move.step = HAFT__MOVE_FROM;
    move.store = haft__str(from_name);
    (void)haft__move_format_owner(&move, m->copy_owner, sizeof(m->copy_owner));
    return HAFT_OK;
}

/* Opens the new store. A dry run does not create it: a store that does not exist is treated as
 * empty. */
static haft_status open_target(haft__migration *m, const char *to, haft_error *err)
{
    bool missing = m->dry_run && haft__store_access_missing_file(to) != NULL;
    return m->dry_run ? haft__store_open_existing(m->loop, missing ? "memory:" : to, &m->to, err)
                      : haft__store_open(m->loop, to, &m->to, err);
}

static haft_status fail_same_store(haft__migration *m, haft_error *err)
{
    m->same_store = true;
    return haft__fail(err, HAFT_BAD_INPUT, "",
                      "expected two different stores, found the same store twice");
}

/* Checks that the stores differ: a value that is written to the new store must not appear in the
 * old store. A dry run writes nothing and compares the names instead. */
static haft_status check_distinct_stores(haft__migration *m, const char *from_name, haft_error *err)
{
    if (m->dry_run && strcmp(from_name, m->to_name) != 0) {
        return HAFT_OK;
    }
    if (m->dry_run) {
        return fail_same_store(m, err);
    }
    uint64_t random = 0;
    char name[32];
    (void)haft__random_bytes(&random, sizeof(random));
    (void)snprintf(name, sizeof(name), "%016llx", (unsigned long long)random);
    haft__store_request put = {.verb = HAFT__STORE_CACHE_PUT,
                               .scope = HAFT__LIT("haft migrate"),
                               .name = haft__str(name),
                               .text = HAFT__LIT("1"),
                               .lease_ms = 60000};
    haft__store_request get = {
        .verb = HAFT__STORE_CACHE_GET, .scope = HAFT__LIT("haft migrate"), .name = haft__str(name)};
    haft_status status = execute(m, m->to, &put, err);
    if (status == HAFT_OK && execute(m, m->from, &get, NULL) == HAFT_OK) {
        status = fail_same_store(m, err);
    }
    return status;
}

haft_status haft__migration_open(haft__migration *m, const char *from, const char *to,
                                 haft_error *err)
{
    const char *missing = haft__store_access_missing_file(from);
    haft__arena_init(&m->arena, 0);
    m->hash_key = haft__random_hash_key();
    if (missing != NULL) {
        return haft__fail(err, HAFT_IO, missing, "the store does not exist");
    }
    haft_status status = haft__loop_create(&m->loop, err);
    if (status == HAFT_OK) {
        status = haft__store_open_existing(m->loop, from, &m->from, err);
    }
    if (status == HAFT_OK) {
        status = open_target(m, to, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    char from_name[HAFT__MIGRATION_NAME_BYTES];
    name_store(m, from, from_name);
    name_store(m, to, m->to_name);
    status = name_owners(m, from_name, err);
    return status == HAFT_OK ? check_distinct_stores(m, from_name, err) : status;
}

void haft__migration_close(haft__migration *m)
{
    haft__store_close(m->to);
    haft__store_close(m->from);
    haft__loop_destroy(m->loop);
    haft__arena_finish(&m->arena);
}
