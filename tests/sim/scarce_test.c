/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole run in which one allocation fails, or all after a certain one, over src/run and
 * src/store: with pauses, messages, an artifact, a host that stops in the middle and another that
 * opens the run. The recorded events are complete, the host reports the failed allocation, and the
 * next host brings the run to its normal end. AddressSanitizer finds the leaks.
 *
 *     HAFT_LONG=1 make test T=scarce      every allocation, not only some
 */
#include "base/error.h"
#include "run/host.h"
#include "run/pause/command.h"
#include "run/replay/replay.h"
#include "run/run_help.h"
#include "scarce_help.h"

#define SPEC                                                                                       \
    "agent; parallel=4; tools=look!read_only,put!idempotent,send,pay!approval,pick!headless,"      \
    "request_user_input,store_artifact"

enum { MAX_EVENTS = 200, MAX_EFFECTS = 32, STOPPED = 1000 };

/* The data that outlives every host. */
typedef struct world {
    haft__store *store;
    help_spec *spec;
    haft_str id;
    struct {
        char call[HAFT__CALL_ID_SIZE];
        uint32_t attempt;
    } effects[MAX_EFFECTS];
    size_t effect_count;
    unsigned hosts;
} world;

typedef struct host {
    world *world;
    char owner[32];
    unsigned left; /* events until the host stops; if the run has fewer, it does not stop */
    bool stopped;
    uint64_t epoch, message, now_ms;
    haft__arena arena, loaded, scratch;
    haft__run run;
    haft__decider decider;
    haft__buf line, body, text;
    haft_error err;
} host;

/* ---- the store ---- */

static haft_status ask_store(host *h, haft__store_request *request)
{
    request->arena = &h->loaded;
    request->lease_ms = 1000;
    return haft__store_submit_and_wait(h->world->store, request, &h->err);
}

static haft__store_artifact artifact_of(const haft__run *run)
{
    const haft__artifact *artifact = run->artifacts[run->artifact_count - 1];
    const haft__run_call *call = haft__run_find_call(run, artifact->call);
    const haft__json *content = haft__json_get(call->arguments, HAFT__LIT("content"));
    return (haft__store_artifact){artifact->name, artifact->media_type, artifact->sha256,
                                  haft__json_text(*content)};
}

static haft_status write_line(host *h, haft_str line, bool stored)
{
    const haft__run *run = &h->run;
    haft__store_message message = {.id = h->message};
    bool ended = run->stage == HAFT__RUN_ENDED, first = run->seq == 1;
    haft__store_artifact artifact = {0};
    haft__store_request request = {
        .verb = first ? HAFT__STORE_CREATE : HAFT__STORE_APPEND,
        .run = {.id = h->world->id,
                .owner = haft__str(h->owner),
                .epoch = h->epoch,
                .seq = run->seq - 1,
                .state = ended ? HAFT__RUN_STATE_ENDED : HAFT__RUN_STATE_RUNNING,
                .end = ended ? haft__str(haft__end_name(run->end)) : HAFT__LIT(""),
                .answer = ended ? run->answer : HAFT__LIT("")},
        .lines = &line,
        .line_count = 1,
        .messages = &message,
        .message_count = h->message > 0};
    if (stored) {
        artifact = artifact_of(run);
        request.artifacts = &artifact;
        request.artifact_count = 1;
    }
    haft_status status = ask_store(h, &request);
    h->epoch = first ? 1 : h->epoch;
    h->message = 0;
    return status;
}

static haft_status append(host *h, haft_str body)
{
    if (h->left-- == 0) {
        h->stopped = true;
        return HAFT_BAD_STATE;
    }
    size_t artifacts = h->run.artifact_count;
    haft__buf_clear(&h->line);
    haft__event_write(&h->line, h->run.seq + 1, h->now_ms, h->world->id, body);
    haft_status status = haft__buf_check(&h->line, &h->err);
    if (status == HAFT_OK) {
        status = haft__run_fold(&h->run, haft__buf_str(&h->line), &h->err);
    }
    return status == HAFT_OK
               ? write_line(h, haft__buf_str(&h->line), h->run.artifact_count > artifacts)
               : status;
}

static haft_status append_body(host *h)
{
    haft_status status = haft__buf_check(&h->body, &h->err);
    return status == HAFT_OK ? append(h, haft__buf_str(&h->body)) : status;
}

/* ---- the model, the tools, a person ---- */

static haft_status ask_model(host *h)
{
    static const haft__message_call first[] = {
        {.id = {"a", 1}, .name = {"look", 4}, .arguments = {"{\"q\":\"a\"}", 9}},
        {.id = {"b", 1}, .name = {"send", 4}, .arguments = {"{\"q\":\"b\"}", 9}},
        {.id = {"c", 1}, .name = {"pay", 3}, .arguments = {"{'q': 'c',}", 11}},
        {.id = {"d", 1}, .name = {"nosuch", 6}, .arguments = {"{}", 2}}};
    static const haft__message_call second[] = {
        {.id = {"a", 1}, .name = {"put", 3}, .arguments = {"{}", 2}},
        {.id = {"b", 1}, .name = {"pick", 4}, .arguments = {"{\"nosuch\":1}", 12}},
        {.id = {"c", 1}, .name = {"pick", 4}, .arguments = {"{}", 2}},
        {.id = {"d", 1},
         .name = {"store_artifact", 14},
         .arguments = {"{\"name\":\"a.txt\",\"content\":\"x\"}", 31}},
        {.id = {"e", 1},
         .name = {"request_user_input", 18},
         .arguments = {"{\"question\":\"?\"}", 16}}};
    haft__reply reply = {.content = HAFT__LIT("done"), .model = HAFT__LIT("m")};
    haft__request request;
    if (h->run.turn <= 2) {
        reply.calls = h->run.turn == 1 ? first : second;
        reply.call_count = h->run.turn == 1 ? COUNT(first) : COUNT(second);
        reply.content = HAFT__LIT("");
        reply.stop = HAFT__STOP_CALLS;
    }
    haft__arena_reset(&h->scratch);
    haft_status status = haft__decide_request(&h->run, &h->scratch, &request, &h->err);
    haft__buf_clear(&h->body);
    haft__input_model_replied(&h->body, &h->run, &reply, 1);
    return status == HAFT_OK ? append_body(h) : status;
}

static void record_effect(world *w, const haft__run_call *call)
{
    if (w->effect_count < MAX_EFFECTS) {
        (void)snprintf(w->effects[w->effect_count].call, HAFT__CALL_ID_SIZE, "%.*s",
                       HAFT__ARG(call->id));
        w->effects[w->effect_count++].attempt = call->attempt;
    }
}

static haft_status run_call(host *h)
{
    haft__outcome outcome = {.ok = true, .text = HAFT__LIT("found")};
    for (size_t i = h->run.batch; i < h->run.call_count; i++) {
        const haft__run_call *call = &h->run.calls[i];
        if (haft__call_may_start(call, true)) {
            if (!call->tool->traits.read_only) {
                record_effect(h->world, call);
            }
            haft__buf_clear(&h->body);
            haft__input_call_finished(&h->body, &h->run, call, &outcome);
            return append_body(h);
        }
    }
    return haft__fail(&h->err, HAFT_BAD_STATE, "", "nothing runs");
}

static haft_status send_command(host *h)
{
    static const haft__json_member other[] = {
        {{.kind = HAFT__JSON_STRING, .count = 1, .text = "q"},
         {.kind = HAFT__JSON_STRING, .count = 5, .text = "other"}}};
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .value = haft__json_string(HAFT__LIT("this")),
                                 .by = HAFT__LIT("ada"),
                                 .why = HAFT__LIT("")};
    for (size_t i = h->run.batch; i < h->run.call_count; i++) {
        const haft__run_call *call = &h->run.calls[i];
        if (call->stage == HAFT__CALL_PAUSED) {
            bool approval = call->pause == HAFT__PAUSE_APPROVAL;
            command.call = call->id;
            if (approval || call->pause == HAFT__PAUSE_UNKNOWN_OUTCOME) {
                command.kind = approval ? HAFT__RUN_COMMAND_APPROVE : HAFT__RUN_COMMAND_AGAIN;
                command.value = approval ? haft__json_object(other, 1) : haft__json_null();
            }
        }
    }
    haft__buf_clear(&h->text);
    haft__run_command_write(&h->text, &command);
    haft_status status = haft__buf_check(&h->text, &h->err);
    haft__store_request send = {
        .verb = HAFT__STORE_SEND, .run = {.id = h->world->id}, .text = haft__buf_str(&h->text)};
    return status == HAFT_OK ? ask_store(h, &send) : status;
}

/* A person sends a command as a message; messages from before are delivered first. */
static haft_status listen(host *h)
{
    haft__arena_reset(&h->loaded);
    haft__store_request receive = {.verb = HAFT__STORE_RECEIVE, .run = {.id = h->world->id}};
    haft_status status = ask_store(h, &receive);
    if (status != HAFT_OK || receive.message_count == 0) {
        return status == HAFT_OK ? send_command(h) : status;
    }
    haft__run_command command;
    haft__arena_reset(&h->scratch);
    haft__buf_clear(&h->body);
    status =
        haft__run_command_read(&h->scratch, receive.messages[0].body, HELP_KEY, &command, &h->err);
    if (status == HAFT_OK) {
        status = haft__run_command_apply(&h->run, &command, &h->body, &h->err);
    }
    h->message = receive.messages[0].id;
    return status == HAFT_OK ? append_body(h) : status;
}

/* ---- a host ---- */

static haft_status advance(host *h)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        h->now_ms += 10;
        status = haft__decide(&h->decider, &h->run, h->now_ms, &effect, &h->err);
        if (status == HAFT_OK) {
            switch (effect.kind) {
            case HAFT__EFFECT_EVENT: status = append(h, effect.body); break;
            case HAFT__EFFECT_CALL_MODEL: status = ask_model(h); break;
            case HAFT__EFFECT_RUN_CALLS: status = run_call(h); break;
            case HAFT__EFFECT_WAIT: status = listen(h); break;
            case HAFT__EFFECT_SEARCH_TOOLS:
            case HAFT__EFFECT_READ_THREAD:
            case HAFT__EFFECT_END: return HAFT_OK;
            }
        }
    }
    return status;
}

static haft_status open_run(host *h, haft_str dead_owner)
{
    haft__store_request claim = {.verb = HAFT__STORE_CLAIM,
                                 .run = {.id = h->world->id, .owner = haft__str(h->owner)},
                                 .dead_owner = dead_owner};
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run = {.id = h->world->id}};
    haft_status status = ask_store(h, &claim);
    if (status == HAFT_OK) {
        h->epoch = claim.found[0].epoch;
        status = ask_store(h, &read);
    }
    haft_str rest = status == HAFT_OK ? read.text : HAFT__LIT("");
    while (status == HAFT_OK && rest.len > 0) {
        status = haft__run_fold(&h->run, haft__str_split(&rest, '\n'), &h->err);
    }
    size_t at = 0;
    const haft__run_call *call = NULL;
    while (status == HAFT_OK && (call = haft__run_next_interrupted_call(&h->run, &at)) != NULL) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        status = haft__decide_recovery(&h->decider, &h->run, call, h->now_ms, &effect, &h->err);
        status = status == HAFT_OK ? append(h, effect.body) : status;
    }
    return status;
}

static haft_status start(host *h)
{
    haft_str none = {NULL, 0};
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = h->world->id};
    haft_status status = ask_store(h, &find);
    if (status == HAFT_OK) {
        bool ended = find.found[0].state == HAFT__RUN_STATE_ENDED;
        return ended ? HAFT_OK : open_run(h, find.found[0].owner);
    }
    if (status != HAFT_NOT_FOUND) {
        return status;
    }
    haft__buf_clear(&h->body);
    haft__input_run_started(&h->body, &h->world->spec->spec, HAFT__LIT("do it"),
                            HAFT__LIT(HELP_THREAD), none, none);
    return append_body(h);
}

/* One host, from its start to its end or to the event where it stops. */
static haft_status run_host(world *w, unsigned left)
{
    host h = {.world = w, .left = left, .now_ms = 1000000 + 1000 * ++w->hosts};
    (void)snprintf(h.owner, sizeof(h.owner), "host %u", w->hosts);
    haft__arena_init(&h.arena, 0);
    haft__arena_init(&h.loaded, 0);
    haft__arena_init(&h.scratch, 0);
    haft__buf_init(&h.line, 1 << 20);
    haft__buf_init(&h.body, 1 << 20);
    haft__buf_init(&h.text, 1 << 20);
    haft_status status = haft__decider_init(&h.decider, &h.err);
    if (status == HAFT_OK) {
        status = haft__run_init(&h.run, &h.arena, &w->spec->spec, HELP_KEY, &h.err);
    }
    if (status == HAFT_OK) {
        status = start(&h);
    }
    if (status == HAFT_OK && h.run.seq > 0) {
        status = advance(&h);
    }
    bool stopped = h.stopped;
    haft__decider_finish(&h.decider);
    haft__buf_finish(&h.line);
    haft__buf_finish(&h.body);
    haft__buf_finish(&h.text);
    haft__arena_finish(&h.scratch);
    haft__arena_finish(&h.loaded);
    haft__arena_finish(&h.arena);
    return stopped ? HAFT_OK : status;
}

/* ---- checks ---- */

static void check_effects(const world *w, const char *name)
{
    for (size_t i = 0; i < w->effect_count; i++) {
        for (size_t k = 0; k < i; k++) {
            bool same = strcmp(w->effects[i].call, w->effects[k].call) == 0
                        && w->effects[i].attempt == w->effects[k].attempt;
            CHECK(!same, "%s: %s attempt %u is made twice", name, w->effects[i].call,
                  w->effects[i].attempt);
        }
    }
}

static bool has(haft_str text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The end and the artifact are stored together with their events. */
static void check_row(world *w, const char *name, haft_str log, uint64_t events)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = w->id, .arena = &arena};
    haft__store_request artifact = {.verb = HAFT__STORE_READ_ARTIFACT,
                                    .run = {.id = w->id},
                                    .name = HAFT__LIT("a.txt"),
                                    .arena = &arena};
    CHECK_INT(haft__store_submit_and_wait(w->store, &find, NULL), HAFT_OK, "%s", name);
    if (find.found_count == 1) {
        CHECK_INT(find.found[0].seq, events, "%s: events", name);
        CHECK_INT(find.found[0].state == HAFT__RUN_STATE_ENDED, has(log, "\"run_finished\""),
                  "%s: whether the run has ended", name);
    }
    CHECK_INT(haft__store_submit_and_wait(w->store, &artifact, NULL) == HAFT_OK,
              has(log, "\"artifact_stored\""), "%s: whether the artifact is stored", name);
    haft__arena_finish(&arena);
}

/* The events are complete, in sequence and can be folded; `ended`: the run is done. */
static void check_log(world *w, const char *name, bool ended)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__store_request read = {
        .verb = HAFT__STORE_READ_EVENTS, .run = {.id = w->id}, .arena = &arena};
    haft_error err = {0};
    haft__replay replay = {0};
    haft_status status = haft__store_submit_and_wait(w->store, &read, &err);
    bool there = status == HAFT_OK;
    CHECK(there || (status == HAFT_NOT_FOUND && !ended), "%s: %s", name, err.message);
    if (there) {
        status = haft__replay_log(&arena, &w->spec->spec, read.text, HELP_KEY, &replay, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", name, err.message);
        CHECK(replay.identical, "%s differs at %llu: %.*s / %.*s", name,
              (unsigned long long)replay.differs_at, HAFT__ARG(replay.recorded),
              HAFT__ARG(replay.decided));
        CHECK_INT(replay.events, read.count, "%s: events", name);
        CHECK(!ended || has(read.text, "\"end\":\"done\""), "%s: the run is not done", name);
        check_row(w, name, read.text, read.count);
    }
    haft__arena_finish(&arena);
}

/* A host that stops after `left` events, and another one; `n` allocations succeed. */
static bool try_run(world *w, unsigned left, unsigned n, bool for_good)
{
    char name[80];
    (void)snprintf(name, sizeof(name), "stop at %u, %s %u", left,
                   for_good ? "allocations from" : "allocation", n);
    w->effect_count = 0;
    w->hosts = 0;
    (for_good ? test_fail_allocations_from : test_fail_allocation)(n);
    haft_status status = run_host(w, left);
    if (status == HAFT_OK) {
        status = run_host(w, STOPPED);
    }
    bool failed = test_allow_allocations();
    CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "%s: %s", name,
          haft_status_name(status));
    check_log(w, name, status == HAFT_OK); /* if there was no error, the run has ended */
    if (status != HAFT_OK) {
        CHECK_INT(run_host(w, STOPPED), HAFT_OK, "%s: the next host cannot open the run", name);
        check_log(w, name, true);
    }
    check_effects(w, name);
    return failed;
}

/* `step`: the interval of failed allocations, unless all are tested; with AddressSanitizer each
 * piece of an arena is one. */
static void fail_each(const char *kind, unsigned step)
{
    static const unsigned stops[] = {6, 13, STOPPED};
    haft__arena arena;
    help_spec spec;
    haft__arena_init(&arena, 0);
    help_spec_init(&spec, &arena, HAFT__LIT(SPEC));
    step = getenv("HAFT_LONG") != NULL ? 1 : HAFT__ASAN ? 8 * step : step;
    world w = {.store = scarce_open(kind), .spec = &spec};
    uint64_t runs = 0;
    for (size_t i = 0; i < 2 * COUNT(stops); i++) {
        unsigned n = (unsigned)i % step;
        bool failed = true;
        for (; failed && n < 20000; n += step) {
            w.id = scarce_id(++runs);
            failed = try_run(&w, stops[i / 2], n, i % 2 == 1);
        }
        CHECK(n > 100 && !failed, "%u allocations", n);
    }
    printf("# %llu runs\n", (unsigned long long)runs);
    haft__arena_finish(&arena);
    scarce_close();
}

TEST(a_run_in_the_memory_store_survives_failed_allocations)
{
    fail_each("memory", 1);
}

TEST(a_run_in_sqlite_survives_failed_allocations)
{
    fail_each("sqlite", 19);
}
