/* SPDX-License-Identifier: Apache-2.0 */
/* sim_family_help.c - runs that come from other runs: what a write creates and sends, like
 * engine/child.c, and forks. */
#include "engine/ops/event_rewrite.h"
#include "engine/ops/fork_int.h"
#include "sim_help.h"

/* ---- children ---- */

static haft_str write_task(sim *s, const haft__run *run, const haft__child *child)
{
    const haft__run_call *call = haft__run_find_call(run, child->key);
    haft__buf_clear(&s->text);
    haft__child_write_task(&s->text, call != NULL ? call->arguments : haft__json_null());
    return haft__arena_copy(&s->arena, haft__buf_str(&s->text));
}

static void add_birth(sim *s, sim_worker *w, const haft__child *child)
{
    const haft__run *run = &w->run;
    if (w->birth_count == SIM_LINKS) {
        sim_fail(s, "more children than can be watched");
        return;
    }
    sim_birth *birth = &w->births[w->birth_count++];
    birth->role = sim_role_of(child->agent);
    birth->spec = s->specs[birth->role].help.spec;
    haft__spec_limits *limits = &birth->spec.limits;
    limits->turns = (uint32_t)child->limits.turns;
    limits->calls = (uint32_t)child->limits.calls;
    limits->tokens = child->limits.tokens;
    limits->wall_ms = child->limits.wall_ms;
    (void)snprintf(birth->id, sizeof(birth->id), "%.*s", HAFT__ARG(child->run));
    const haft__spec_origin origin = {.file = HAFT__LIT("")};
    const haft__child_origin from = {.parent = run->id,
                                     .call = child->key,
                                     .root = run->root.len > 0 ? run->root : run->id,
                                     .parent_path = run->path};
    haft_str task = write_task(s, run, child), user = {NULL, 0};
    haft__buf_clear(&s->text);
    haft__input_child_run_started(&s->text, &birth->spec, task, child->run, user, &origin, &from);
    haft__buf_clear(&s->line);
    haft__event_write(&s->line, 1, sim_worker_now(s, w), child->run, haft__buf_str(&s->text));
    birth->line = haft__arena_copy(&s->arena, haft__buf_str(&s->line));
}

static void add_letter(sim *s, sim_worker *w, haft_str to)
{
    sim_letter *letter = &w->letters[w->letter_count++];
    (void)snprintf(letter->to, sizeof(letter->to), "%.*s", HAFT__ARG(to));
    letter->body = haft__arena_copy(&s->arena, haft__buf_str(&s->text));
}

static void tell_children(sim *s, sim_worker *w, haft__child_close close)
{
    bool cancels = close == HAFT__CHILD_CLOSE_CANCEL;
    bool silent = s->broken == (cancels ? SIM_SURVIVE : SIM_RUNAWAY);
    const haft__run_command cancel = {.kind = cancels ? HAFT__RUN_COMMAND_CANCEL
                                                      : HAFT__RUN_COMMAND_LIMIT,
                                      .call = HAFT__LIT(""),
                                      .value = haft__json_null(),
                                      .by = HAFT__LIT("parent"),
                                      .why = HAFT__LIT("it ends")};
    w->told = close;
    for (size_t i = 0; !silent && i < w->run.child_count; i++) {
        if (!w->run.children[i]->finished) {
            haft__buf_clear(&s->text);
            haft__run_command_write(&s->text, &cancel);
            add_letter(s, w, w->run.children[i]->run);
        }
    }
}

void sim_family_collect(sim *s, sim_worker *w)
{
    const haft__run *run = &w->run;
    w->birth_count = w->letter_count = 0;
    while (w->born < run->child_count && s->failure[0] == '\0') {
        add_birth(s, w, run->children[w->born++]);
    }
    haft__child_close close = haft__child_find_close(run);
    if (close > w->told && run->open_children > 0) {
        tell_children(s, w, close);
    }
    if (run->stage == HAFT__RUN_ENDED && run->parent.len > 0 && s->broken != SIM_SILENT) {
        haft__buf_clear(&s->text);
        haft__child_write_end(&s->text, run);
        add_letter(s, w, run->parent);
    }
}

/* ---- forks ---- */

static sim_record *pick_root(sim *s)
{
    sim_record *found = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        sim_record *r = &s->records[i];
        if (r->exists && r->parent == NULL && sim_pick(s, ++count) == 0) {
            found = r;
        }
    }
    return found;
}

static haft__fork_options pick_point(sim *s, const sim_record *r)
{
    if (r->role == SIM_GRAPH && sim_chance(s, 80)) {
        return sim_pick_step(s, r);
    }
    static const haft__fork_point points[] = {HAFT__FORK_AT_END, HAFT__FORK_AT_END,
                                              HAFT__FORK_AT_TURN, HAFT__FORK_AT_EVENT,
                                              HAFT__FORK_AT_CALL};
    haft__fork_options options = {.point = points[sim_pick(s, COUNT(points))]};
    if (options.point == HAFT__FORK_AT_CALL && r->call_count == 0) {
        options.point = HAFT__FORK_AT_EVENT;
    }
    if (options.point == HAFT__FORK_AT_EVENT) {
        options.number = 1 + sim_pick(s, (uint32_t)r->seen_seq);
    } else if (options.point == HAFT__FORK_AT_TURN) {
        options.number = sim_pick(s, (uint32_t)r->turns + 1);
    } else if (options.point == HAFT__FORK_AT_CALL) {
        options.call = r->calls[sim_pick(s, (uint32_t)r->call_count)].id;
    }
    return options;
}

/* Whether the run can be forked there; `f->run` is then its state. */
static bool find_point(sim *s, const sim_record *r, haft__fork_builder *f, haft__messages *earlier)
{
    if (haft__fork_find_point(f) != HAFT_OK
        || !sim_fold(s, r, f->at, f->arena, earlier, &f->run, f->err)) {
        return false;
    }
    bool may = haft__fork_check_point(f) == HAFT_OK;
    return may || (s->broken == SIM_FORK && f->run.stage != HAFT__RUN_ENDED);
}

static void copy_events(sim *s, const sim_record *from, sim_record *r, haft__arena *arena,
                        uint64_t count)
{
    haft_str lines = haft__buf_str(&from->log);
    const haft__event_rewrite move = {.run = haft__str(r->id), .thread = haft__str(r->thread)};
    for (uint64_t seq = 1; seq <= count && s->failure[0] == '\0'; seq++) {
        haft__event event;
        haft_status status =
            haft__event_read(arena, haft__str_split(&lines, '\n'), HELP_KEY, &event, NULL);
        if (status == HAFT_OK) {
            status = haft__event_rewrite_for_run(arena, &move, &event, NULL);
        }
        if (status != HAFT_OK) {
            sim_fail(s, "an event cannot be copied");
            return;
        }
        haft__buf_clear(&s->body);
        haft__event_body(&s->body, &event);
        haft__buf_clear(&s->line);
        haft__event_write(&s->line, seq, event.at_ms, haft__str(r->id), haft__buf_str(&s->body));
        haft_str line = haft__arena_copy(arena, haft__buf_str(&s->line));
        sim_store_append(s, r, line, 1);
    }
}

/* The event of a person who changes the state of a graph. */
static void add_change(sim *s, sim_record *r, haft_str body, haft__arena *arena)
{
    if (body.len > 0 && s->failure[0] == '\0') {
        haft__buf_clear(&s->line);
        haft__event_write(&s->line, r->row.seq + 1, s->now_ms, haft__str(r->id), body);
        sim_store_append(s, r, haft__arena_copy(arena, haft__buf_str(&s->line)), 1);
    }
}

/* A person forks a run, and opens the fork. */
void sim_fork(sim *s)
{
    sim_record *from = pick_root(s);
    haft_error err = {0};
    haft__fork fork = {.copied = false};
    haft__messages earlier;
    haft__arena arena;
    s->forks_left--;
    if (from == NULL) {
        return;
    }
    haft__arena_init(&arena, 0);
    haft__fork_options options = pick_point(s, from);
    haft__fork_source source = {.name = from->id,
                                .lines = haft__buf_str(&from->log),
                                .spec = &from->spec,
                                .hash_key = HELP_KEY,
                                .row = from->row};
    haft__fork_builder f = {
        .from = &source, .options = &options, .arena = &arena, .fork = &fork, .err = &err};
    if (find_point(s, from, &f, &earlier) && sim_write_change(s, &f.run, &options, &err)) {
        haft_str change = haft__arena_copy(&arena, haft__buf_str(&s->text));
        char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
        (void)snprintf(id, sizeof(id), "%026u", 100 + s->forks_left);
        (void)snprintf(thread, sizeof(thread), "%026u", 200 + s->forks_left);
        sim_record *r = sim_store_add(s, haft__str(id), haft__str(thread), from->role);
        if (r != NULL) {
            sim_trace(s, "people: %s is a fork of %s", id, from->id);
            r->exists = true;
            r->row.epoch = 1;
            r->row.state = HAFT__RUN_STATE_RUNNING;
            s->sum.forks++;
            sim_watch_claim(s, r, 1);
            copy_events(s, from, r, &arena, f.run.seq);
            add_change(s, r, change, &arena);
            sim_watch_fork(s, r);
        }
    } else {
        sim_trace(s, "people: %s cannot be forked: %s", from->id, err.message);
    }
    haft__arena_finish(&arena);
}
