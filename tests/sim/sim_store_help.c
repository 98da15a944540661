/* SPDX-License-Identifier: Apache-2.0 */
/* sim_store_help.c - a store: it keeps every performed write and nothing else. Its rules are those
 * of real stores (store/check.c); its faults are those of a connection. */
#include "base/error.h"
#include "sim_help.h"

static uint64_t clock_of(void *context)
{
    return ((const sim *)context)->now_ms;
}

void sim_store_start(sim *s)
{
    sim_store *store = &s->store;
    haft__buf_clear(&store->log);
    store->head = (haft__store){.now = clock_of, .now_context = s};
    store->row = (haft__store_run){.id = HAFT__LIT(HELP_RUN), .owner = HAFT__LIT("")};
    store->exists = false;
    store->mail_count = 0;
    store->last_mail = 0;
}

static void set_owner(sim *s, const char *owner)
{
    (void)snprintf(s->store.owner, sizeof(s->store.owner), "%s", owner);
    s->store.row.owner = haft__str(s->store.owner);
    s->store.row.lease_ms = s->now_ms + SIM_LEASE;
}

/* ---- messages ---- */

static size_t find_mail(const sim_store *store, uint64_t id)
{
    size_t at = 0;
    while (at < store->mail_count && store->mail[at].id != id) {
        at++;
    }
    return at;
}

static haft_status check_mail(const sim_store *store, const sim_worker *w)
{
    for (size_t i = 0; i < w->heard_written_count; i++) {
        if (find_mail(store, w->acked_writing[i]) == store->mail_count) {
            return haft__store_fail_no_message(w->acked_writing[i], store->row.id, NULL);
        }
    }
    return HAFT_OK;
}

static void consume_mail(sim_store *store, const sim_worker *w)
{
    for (size_t i = 0; i < w->heard_written_count; i++) {
        size_t at = find_mail(store, w->acked_writing[i]);
        memmove(&store->mail[at], &store->mail[at + 1],
                (store->mail_count - at - 1) * sizeof(store->mail[0]));
        store->mail_count--;
    }
}

bool sim_store_send(sim *s, haft_str body)
{
    sim_store *store = &s->store;
    const haft__store_request request = {.verb = HAFT__STORE_SEND};
    bool room =
        store->exists && store->mail_count < SIM_MAIL && body.len < sizeof(store->mail[0].body);
    if (!room
        || haft__store_check_send(&request, &store->row, store->mail_count, NULL) != HAFT_OK) {
        return false;
    }
    sim_message *message = &store->mail[store->mail_count++];
    message->id = ++store->last_mail;
    (void)snprintf(message->body, sizeof(message->body), "%.*s", HAFT__ARG(body));
    return true;
}

/* ---- writes ---- */

static haft_status check_write(const sim *s, const sim_worker *w, haft_error *err)
{
    const sim_store *store = &s->store;
    if (!w->created) {
        return store->exists ? haft__store_fail_run_exists(store->row.id, err) : HAFT_OK;
    }
    haft__store_run row = store->row;
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
    return status == HAFT_OK ? check_mail(store, w) : status;
}

static void store_write(sim *s, sim_worker *w)
{
    sim_store *store = &s->store;
    if (!w->created) {
        store->exists = true;
        store->row.epoch = 1;
        store->row.state = HAFT__RUN_STATE_RUNNING;
        set_owner(s, w->owner);
        sim_watch_claim(s, 1);
    }
    uint64_t epoch = w->created ? w->epoch : 1;
    haft_str rest = haft__buf_str(&w->written);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        sim_watch_event(s, line, epoch);
        haft__buf_add_str(&store->log, line);
        haft__buf_add_char(&store->log, '\n');
        store->row.seq++;
    }
    consume_mail(store, w);
    store->row.lease_ms = s->now_ms + SIM_LEASE;
    if (w->writing_ended) {
        store->row.state = HAFT__RUN_STATE_ENDED;
        store->row.owner = HAFT__LIT("");
        store->mail_count = 0;
    }
}

void sim_store_perform(sim *s, sim_worker *w)
{
    haft_error err = {0};
    bool lost = sim_fault(s, 5), kept = !lost || sim_chance(s, 50);
    w->performed = true;
    w->write_status = check_write(s, w, &err);
    if (w->write_status != HAFT_OK) {
        s->sum.refused++;
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

bool sim_store_claim(sim *s, sim_worker *w)
{
    haft_error err = {0};
    haft__store_run *row = &s->store.row;
    bool knows = sim_chance(s, 50) && is_dead(s, row->owner);
    haft__store_request request = {.run = {.id = row->id, .owner = haft__str(w->owner)},
                                   .dead_owner = knows ? row->owner : HAFT__LIT("")};
    if (haft__store_check_claim(&s->store.head, &request, row, &err) != HAFT_OK) {
        sim_trace(s, "store: %s cannot claim the run: %s", w->owner, err.message);
        return false;
    }
    row->epoch += s->broken != SIM_CLAIM;
    set_owner(s, w->owner);
    sim_watch_claim(s, row->epoch);
    w->epoch = row->epoch;
    sim_trace(s, "%s: owns the run, epoch %llu", w->owner, (unsigned long long)w->epoch);
    return true;
}

void sim_store_renew(sim *s, const sim_worker *w)
{
    if (haft__str_equal(s->store.row.owner, haft__str(w->owner))) {
        s->store.row.lease_ms = s->now_ms + SIM_LEASE;
    }
}

void sim_store_release(sim *s, const sim_worker *w, uint64_t epoch)
{
    (void)w;
    if (s->store.row.owner.len > 0 && s->store.row.epoch == epoch) {
        s->store.row.owner = HAFT__LIT("");
        s->store.row.lease_ms = 0;
    }
}
