/* SPDX-License-Identifier: Apache-2.0 */
/* sim_people_help.c - people. They read the log, answer pending calls, and sometimes do something
 * wrong: answer twice, differently, too late, for the wrong call, or cancel. */
#include "sim_help.h"

/* One of the runs that are stored; NULL if there is none. In the phase without faults, one that has
 * not ended. */
static sim_record *pick_run(sim *s)
{
    sim_record *found = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        sim_record *r = &s->records[i];
        bool open = r->terminals == 0 || (!s->calm && s->steps % 8 == 0);
        if (r->exists && open && sim_pick(s, ++count) == 0) {
            found = r;
        }
    }
    return found;
}

/* One of the pending calls; NULL if there is none. */
static const sim_call *pending_call(sim *s, const sim_record *r)
{
    const sim_call *found = NULL;
    uint32_t count = 0;
    for (size_t i = r->batch; i < r->call_count; i++) {
        if (r->calls[i].pending && sim_pick(s, ++count) == 0) {
            found = &r->calls[i];
        }
    }
    return found;
}

/* A call that was answered before; NULL if there is none. */
static const sim_call *answered_call(sim *s, const sim_record *r)
{
    const sim_call *found = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < r->call_count; i++) {
        if (sim_was_answered(&r->calls[i]) && sim_pick(s, ++count) == 0) {
            found = &r->calls[i];
        }
    }
    return found;
}

static haft__json text_value(sim *s, const char *word)
{
    return haft__json_string(haft__arena_format(&s->scratch, "%s %u", word, sim_pick(s, 3)));
}

static haft__json member_value(sim *s, const char *key, haft__json value)
{
    haft__json_member *member = haft__arena_array(&s->scratch, 1, sizeof(*member));
    *member = (haft__json_member){haft__json_string(haft__str(key)), value};
    return haft__json_object(member, 1);
}

/* Other arguments; some are not valid for the tool. */
static haft__json edited(sim *s)
{
    return sim_chance(s, 80) ? member_value(s, "q", text_value(s, "edited"))
                             : member_value(s, "nosuch", text_value(s, "edited"));
}

static haft__json answer_value(sim *s, const sim_call *call)
{
    if (!call->asks) {
        return text_value(s, "answer");
    }
    haft__json number = {.kind = HAFT__JSON_NUMBER, .count = 1, .text = "5"};
    return sim_chance(s, 80) ? member_value(s, "n", number) : text_value(s, "no number");
}

/* A command for a call that is or was pending. Most commands are valid. `by` names the pause that
 * the person has seen: the run itself does not use that name. */
static haft__run_command make_command(sim *s, const sim_call *call)
{
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .call = haft__str(call->id),
                                 .pause = haft__str(haft__pause_name(call->pause)),
                                 .value = haft__json_null(),
                                 .by = haft__str(haft__pause_name(call->pause)),
                                 .why = HAFT__LIT("")};
    uint32_t mood = sim_pick(s, 100);
    bool decides =
        call->pause == HAFT__PAUSE_APPROVAL || call->pause == HAFT__PAUSE_UNKNOWN_OUTCOME;
    if (mood < 20) {
        command.kind = HAFT__RUN_COMMAND_REJECT;
        command.why = HAFT__LIT("no");
    } else if (decides ? mood < 85 : mood < 25) {
        bool again = call->pause == HAFT__PAUSE_UNKNOWN_OUTCOME && mood < 60;
        command.kind = again ? HAFT__RUN_COMMAND_AGAIN : HAFT__RUN_COMMAND_APPROVE;
        command.value =
            call->pause == HAFT__PAUSE_APPROVAL && mood < 45 ? edited(s) : haft__json_null();
    } else {
        command.value = answer_value(s, call);
    }
    return command;
}

/* The worker that owns the run and reads messages; NULL if there is none. */
static sim_worker *listener(sim *s, const sim_record *r)
{
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        sim_worker *w = &s->workers[i];
        if (w->has_run && w->record == r && !w->frozen && w->created) {
            return w;
        }
    }
    return NULL;
}

static void deliver(sim *s, sim_record *r, haft_str text)
{
    haft__run_command command;
    sim_worker *w = listener(s, r);
    if (haft__run_command_read(&s->scratch, text, HELP_KEY, &command, NULL) != HAFT_OK) {
        sim_fail(s, "a command cannot be read again: %.*s", HAFT__ARG(text));
        return;
    }
    s->sum.answers++;
    if (w != NULL && sim_chance(s, 50)) {
        (void)sim_worker_command(s, w, &command, true);
        return;
    }
    bool sent = sim_store_send(s, r, text);
    sim_trace(s, "people to %s: %.*s%s", r->id, HAFT__ARG(text), sent ? "" : " (not accepted)");
}

static haft_str written(sim *s, const haft__run_command *command)
{
    haft__buf_clear(&s->text);
    haft__run_command_write(&s->text, command);
    return haft__arena_copy(&s->arena, haft__buf_str(&s->text));
}

/* Sends a command without a call, like a person at the terminal: the target is read from the log as
 * it is now. */
static void read_target(sim *s, const sim_record *r, haft__run_command *command)
{
    haft__arena arena;
    haft__messages earlier;
    haft__run run;
    haft__arena_init(&arena, 0);
    if (!sim_fold(s, r, UINT64_MAX, &arena, &earlier, &run, NULL)) {
        sim_fail(s, "the log cannot be folded");
    } else {
        haft__run_command_set_target(&run, command);
        command->call = haft__arena_copy(&s->scratch, command->call);
        command->binding = haft__arena_copy(&s->scratch, command->binding);
    }
    haft__arena_finish(&arena);
}

static void deliver_new(sim *s, sim_record *r, const haft__run_command *command)
{
    s->last_command = written(s, command);
    s->last_command_to = r;
    deliver(s, r, s->last_command);
}

/* A person who knows a call, but not whether it is pending: it may be running, or interrupted by a
 * crash. */
static void send_without_call(sim *s, sim_record *r)
{
    const sim_call *call = &r->calls[r->batch + sim_pick(s, (uint32_t)(r->call_count - r->batch))];
    haft__run_command command = make_command(s, call);
    command.by = call->pending ? command.by : HAFT__LIT("nothing");
    command.pause = HAFT__LIT("");
    read_target(s, r, &command);
    s->sum.unnamed++;
    deliver_new(s, r, &command);
}

static void send_cancel(sim *s, sim_record *r)
{
    haft__run_command cancel = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                .call = HAFT__LIT(""),
                                .value = haft__json_null(),
                                .by = HAFT__LIT("ada"),
                                .why = HAFT__LIT("enough")};
    s->sum.cancels++;
    deliver(s, r, written(s, &cancel));
}

/* The same command again, or another one for the same call. */
static void send_again(sim *s, sim_record *r, const sim_call *past)
{
    haft__run_command command = make_command(s, past);
    bool same = sim_chance(s, 50) && s->last_command.len > 0;
    s->sum.seconds++;
    deliver(s, same ? s->last_command_to : r, same ? s->last_command : written(s, &command));
}

void sim_person(sim *s)
{
    haft__arena_reset(&s->scratch);
    sim_record *r = pick_run(s);
    if (r == NULL) {
        return;
    }
    if (s->cancels && sim_fault(s, 5)) {
        send_cancel(s, r);
        return;
    }
    const sim_call *past = sim_fault(s, 20) ? answered_call(s, r) : NULL;
    if (past != NULL) {
        send_again(s, r, past);
        return;
    }
    if (r->call_count > r->batch && sim_fault(s, 20)) {
        send_without_call(s, r);
        return;
    }
    const sim_call *call = pending_call(s, r);
    if (call != NULL) {
        haft__run_command command = make_command(s, call);
        deliver_new(s, r, &command);
    }
}
