/* SPDX-License-Identifier: Apache-2.0 */
/* sim_store_help.c - a store: it keeps every performed write and nothing else. Its rules are those
 * of real stores (store/check.c); its faults are those of a connection. */
#include "base/error.h"
#include "sim_help.h"

/* ---- runs ---- */

sim_record *sim_store_add(sim *s, haft_str id, haft_str thread, sim_role role)
{
    if (s->record_count == SIM_RECORDS) {
        sim_fail(s, "more runs than can be watched");
        return NULL;
    }
    sim_record *r = &s->records[s->record_count++];
    haft__buf log = r->log;
    haft__buf_clear(&log);
    *r = (sim_record){.role = role,
                      .spec = s->specs[role].help.spec,
                      .words = s->specs[role].words,
                      .log = log,
                      .row = {.owner = HAFT__LIT("")}};
    (void)snprintf(r->id, sizeof(r->id), "%.*s", HAFT__ARG(id));
    (void)snprintf(r->thread, sizeof(r->thread), "%.*s", HAFT__ARG(thread));
    r->row.id = haft__str(r->id);
    return r;
}

sim_record *sim_store_find(sim *s, haft_str id)
{
    for (size_t i = 0; i < s->record_count; i++) {
        if (s->records[i].exists && haft__str_equal(id, haft__str(s->records[i].id))) {
            return &s->records[i];
        }
    }
    return NULL;
}

static bool is_open(const sim_record *r)
{
    return r->exists && r->row.state != HAFT__RUN_STATE_ENDED;
}

/* Runs are in the order of their creation. */
static const sim_record *find_predecessor(const sim *s, const sim_record *r)
{
    for (const sim_record *before = s->records; before < r; before++) {
        if (is_open(before) && strcmp(before->thread, r->thread) == 0) {
            return before;
        }
    }
    return NULL;
}

bool sim_store_has_predecessor(const sim *s, const sim_record *r)
{
    return find_predecessor(s, r) != NULL;
}

/* Whether a worker that looks for work claims the run. */
bool sim_store_due(const sim *s, const sim_record *r)
{
    bool waits = r->row.state == HAFT__RUN_STATE_WAITING && r->mail_count == 0
                 && (r->row.wake_ms == 0 || r->row.wake_ms > s->now_ms);
    return is_open(r) && !waits && (r->row.owner.len == 0 || r->row.lease_ms <= s->now_ms);
}

static void set_owner(sim *s, sim_record *r, const char *owner)
{
    (void)snprintf(r->owner, sizeof(r->owner), "%s", owner);
    r->row.owner = haft__str(r->owner);
    r->row.lease_ms = s->now_ms + SIM_LEASE;
    r->row.state = HAFT__RUN_STATE_RUNNING;
}

/* ---- messages ---- */

static size_t find_mail(const sim_record *r, uint64_t id)
{
    size_t at = 0;
    while (at < r->mail_count && r->mail[at].id != id) {
        at++;
    }
    return at;
}

static haft_status check_mail(const sim_record *r, const sim_worker *w)
{
    for (size_t i = 0; i < w->heard_written_count; i++) {
        if (find_mail(r, w->acked_writing[i]) == r->mail_count) {
            return haft__store_fail_no_message(w->acked_writing[i], r->row.id, NULL);
        }
    }
    return HAFT_OK;
}

static void consume_mail(sim_record *r, const sim_worker *w)
{
    for (size_t i = 0; i < w->heard_written_count; i++) {
        size_t at = find_mail(r, w->acked_writing[i]);
        memmove(&r->mail[at], &r->mail[at + 1], (r->mail_count - at - 1) * sizeof(r->mail[0]));
        r->mail_count--;
    }
}

static void add_mail(sim *s, sim_record *r, haft_str body)
{
    if (r->mail_count == SIM_MAIL) {
        sim_fail(s, "a run has more messages than can be watched");
        return;
    }
    r->mail[r->mail_count++] =
        (sim_message){.id = ++s->last_mail, .body = haft__arena_copy(&s->arena, body)};
}

bool sim_store_send(sim *s, sim_record *r, haft_str body)
{
    const haft__store_request request = {.verb = HAFT__STORE_SEND};
    bool room = r->exists && r->mail_count < SIM_MAIL / 2;
    if (!room || haft__store_check_send(&request, &r->row, r->mail_count, NULL) != HAFT_OK) {
        return false;
    }
    add_mail(s, r, body);
    return true;
}

/* ---- writes ---- */

static haft_status check_births(sim *s, const sim_worker *w, haft_error *err)
{
    for (size_t i = 0; i < w->birth_count; i++) {
        if (sim_store_find(s, haft__str(w->births[i].id)) != NULL) {
            return haft__store_fail_run_exists(haft__str(w->births[i].id), err);
        }
    }
    return HAFT_OK;
}

static haft_status check_create(const sim *s, const sim_record *r, haft_error *err)
{
    const sim_record *ahead = find_predecessor(s, r);
    const haft__store_request request = {.verb = HAFT__STORE_CREATE,
                                         .alone = haft__queue_requires_exclusive(r->multitask)};
    return r->exists ? haft__store_fail_run_exists(r->row.id, err)
                     : haft__store_check_thread(&request, ahead != NULL ? &ahead->row : NULL, err);
}

static haft_status check_write(sim *s, const sim_worker *w, haft_error *err)
{
    const sim_record *r = w->record;
    if (!w->created) {
        return check_create(s, r, err);
    }
    haft__store_run row = r->row;
    haft__store_request request = {.run = {.id = row.id, .epoch = w->epoch, .seq = w->durable_seq}};
    if (s->broken == SIM_EPOCH) {
        row.epoch = w->epoch;
        row.owner = HAFT__LIT("anybody");
    }
    if (s->broken == SIM_SEQ) {
        request.run.seq = row.seq;
        row.epoch = w->epoch;
        row.owner = HAFT__LIT("anybody");
    }
    haft_status status = haft__store_check_append(&request, &row, err);
    status = status == HAFT_OK ? check_births(s, w, err) : status;
    return status == HAFT_OK ? check_mail(r, w) : status;
}

void sim_store_append(sim *s, sim_record *r, haft_str lines, uint64_t epoch)
{
    while (lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        sim_watch_event(s, r, line, epoch);
        haft__buf_add_str(&r->log, line);
        haft__buf_add_char(&r->log, '\n');
        r->row.seq++;
    }
}

/* The run is created with its first event, and it has no owner yet. */
static void create_child(sim *s, sim_record *parent, const sim_birth *birth)
{
    haft_str id = haft__str(birth->id);
    sim_record *r = sim_store_add(s, id, id, birth->role);
    if (r == NULL) {
        return;
    }
    r->spec = birth->spec;
    r->parent = parent;
    r->exists = true;
    r->row.epoch = 1;
    r->row.state = HAFT__RUN_STATE_RUNNING;
    s->sum.children++;
    sim_watch_claim(s, r, 1);
    sim_store_append(s, r, birth->line, 1);
}

/* Messages to a run that has ended are dropped. All others arrive, however many are pending. */
static void deliver_letters(sim *s, const sim_worker *w)
{
    for (size_t i = 0; i < w->letter_count; i++) {
        sim_record *to = sim_store_find(s, haft__str(w->letters[i].to));
        if (to != NULL && is_open(to)) {
            add_mail(s, to, w->letters[i].body);
        }
    }
}

static void end_run(sim *s, sim_record *r, const haft__run *run)
{
    r->end = haft__arena_copy(&s->arena, haft__str(haft__end_name(run->end)));
    r->answer = haft__arena_copy(&s->arena, run->answer);
    r->row.state = HAFT__RUN_STATE_ENDED;
    r->row.owner = HAFT__LIT("");
    r->mail_count = 0;
}

static void store_write(sim *s, sim_worker *w)
{
    sim_record *r = w->record;
    if (!w->created) {
        r->exists = true;
        r->row.epoch = 1;
        set_owner(s, r, w->owner);
        sim_watch_claim(s, r, 1);
    }
    sim_store_append(s, r, haft__buf_str(&w->written), w->created ? w->epoch : 1);
    consume_mail(r, w);
    r->row.lease_ms = s->now_ms + SIM_LEASE;
    for (size_t i = 0; s->broken != SIM_UNBORN && i < w->birth_count; i++) {
        create_child(s, r, &w->births[i]);
    }
    if (w->writing_ended) {
        end_run(s, r, &w->run);
    }
    deliver_letters(s, w);
    sim_watch_write(s, r);
}

void sim_store_perform(sim *s, sim_worker *w)
{
    haft_error err = {0};
    bool lost = sim_fault(s, 5), kept = !lost || sim_chance(s, 50);
    w->performed = true;
    w->write_status = check_write(s, w, &err);
    if (w->write_status != HAFT_OK) {
        s->sum.refused++;
        w->record->refused = w->record->refused || (!w->created && !w->record->exists);
        sim_trace(s, "store: rejects a write of %s: %s", w->owner, err.message);
        return;
    }
    if (kept) {
        store_write(s, w);
    }
    if (lost) {
        s->sum.unknown++;
        w->write_status = HAFT_IO;
        sim_trace(s, "store: the reply to a write of %s is lost", w->owner);
    }
}

/* ---- leases ---- */

/* The owner name that a worker had before a restart. */
static bool is_dead(const sim *s, haft_str owner)
{
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        if (haft__str_equal(owner, haft__str(s->workers[i].owner))) {
            return false;
        }
    }
    return true;
}

bool sim_store_claim(sim *s, sim_worker *w, sim_record *r)
{
    haft_error err = {0};
    haft__store_run *row = &r->row;
    bool knows = sim_chance(s, 50) && is_dead(s, row->owner);
    haft__store_request request = {.run = {.id = row->id, .owner = haft__str(w->owner)},
                                   .dead_owner = knows ? row->owner : HAFT__LIT("")};
    if (haft__store_check_claim(&s->head, &request, row, &err) != HAFT_OK) {
        sim_trace(s, "store: %s cannot claim the run: %s", w->owner, err.message);
        return false;
    }
    row->epoch += s->broken != SIM_CLAIM;
    set_owner(s, r, w->owner);
    sim_watch_claim(s, r, row->epoch);
    w->epoch = row->epoch;
    sim_trace(s, "%s: owns the run %s, epoch %llu", w->owner, r->id, (unsigned long long)w->epoch);
    return true;
}

void sim_store_renew(sim *s, const sim_worker *w)
{
    if (haft__str_equal(w->record->row.owner, haft__str(w->owner))) {
        w->record->row.lease_ms = s->now_ms + SIM_LEASE;
    }
}

void sim_store_release(sim *s, sim_record *r, uint64_t epoch, bool waits, uint64_t wake_ms)
{
    (void)s;
    if (r->row.owner.len > 0 && r->row.epoch == epoch) {
        r->row.owner = HAFT__LIT("");
        r->row.lease_ms = 0;
        r->row.state = waits ? HAFT__RUN_STATE_WAITING : HAFT__RUN_STATE_RUNNING;
        r->row.wake_ms = waits ? wake_ms : 0;
    }
}
