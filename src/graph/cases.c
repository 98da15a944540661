/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c - plays the actions of graph cases. Tests: tests/graph/cases_test.c. */
#include "graph/cases.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/cases_int.h"
#include "json/canonical.h"
#include "json/object.h"

/* ---- actions ---- */

static haft_status answer(const haft__case_pending *pending, haft__json value, haft_error *err)
{
    haft__case_play *play = pending->play;
    haft__case_note_resumed(play, &play->x->tasks[pending->task]);
    for (haft__case_play *at = play; at->parent != NULL; at = at->parent) {
        haft__case_note_resumed(at->parent, at->parent_task);
    }
    return haft__graph_execution_reply(play->x, pending->task, value, err);
}

static bool asks(haft__json question, haft_str text)
{
    bool same = false;
    haft__buf buf;
    if (question.kind == HAFT__JSON_STRING) {
        return haft__str_equal(haft__json_text(question), text);
    }
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    same = haft__json_write_canonical(&buf, question, NULL) == HAFT_OK
           && haft__str_equal(haft__buf_str(&buf), text);
    haft__buf_finish(&buf);
    return same;
}

/* Plays {answer: {question: value}}; each key is a pending question. */
static haft_status play_answers(haft__case_play *play, haft__json answers, const char **ret_refused,
                                haft_error *err)
{
    haft__case_pendings list = {0};
    haft_status status = haft__case_list_pending(play, HAFT__LIT(""), 0, &list, err);
    for (int apply = 0; apply < 2 && status == HAFT_OK && *ret_refused == NULL; apply++) {
        for (uint32_t i = 0; i < answers.count && status == HAFT_OK; i++) {
            size_t at = 0;
            while (at < list.count
                   && (list.items[at].pause || list.items[at].answered
                       || !asks(list.items[at].ask, haft__json_text(answers.members[i].key)))) {
                at++;
            }
            if (at == list.count) {
                *ret_refused = "not_pending";
                return HAFT_OK;
            }
            if (apply == 1) {
                list.items[at].answered = true;
                status = answer(&list.items[at], answers.members[i].value, err);
            }
        }
    }
    return status;
}

static haft_status play_resume(haft__case_play *play, haft__json value, const char **ret_refused,
                               haft_error *err)
{
    haft__case_pendings list = {0};
    size_t questions = 0, at = 0;
    haft_status status = haft__case_list_pending(play, HAFT__LIT(""), 0, &list, err);
    for (size_t i = 0; i < list.count; i++) {
        questions += !list.items[i].pause;
        at = list.items[i].pause ? at : i;
    }
    if (status != HAFT_OK || questions != 1) {
        *ret_refused = "which";
        return status;
    }
    return answer(&list.items[at], value, err);
}

/* Releases all nodes that wait because of a pause. */
static haft_status release(haft__case_play *play, haft_error *err)
{
    haft_status status = HAFT_OK;
    play->x->paused = false;
    for (size_t i = 0; i < play->x->task_count && status == HAFT_OK; i++) {
        haft__graph_task *task = &play->x->tasks[i];
        haft__case_task *record = task->host;
        task->released = true;
        if (task->state == HAFT__TASK_BUSY && record != NULL && record->child != NULL) {
            status = release(record->child, err);
        } else if (task->state == HAFT__TASK_BUSY && task->request.kind == HAFT__REQUEST_PAUSE) {
            status = haft__graph_execution_reply(play->x, i, haft__json_null(), err);
        }
    }
    return status;
}

static haft_status play_edit(haft__case_play *play, haft__json action, const char **ret_refused,
                             haft_error *err)
{
    haft__graph_refusal refusal;
    haft__graph_action next;
    haft__json event;
    haft_status status =
        haft__graph_execution_edit(play->x, haft__object_get(action, "edit"),
                                   haft__object_string(action, "as"), &event, &refusal, err);
    if (status != HAFT_OK || refusal.refused) {
        *ret_refused = refusal.refused ? haft__graph_code_name(refusal.code) : NULL;
        return status;
    }
    bool of_task = haft__object_find(event, "task") != NULL;
    status = haft__case_fold(play, event, err);
    if (status == HAFT_OK && of_task && play->x->done == play->x->task_count) {
        status = haft__graph_execution_next(play->x, &next, err);
        if (status == HAFT_OK && next.kind == HAFT__ACTION_STEP) {
            status = haft__case_fold(play, next.event, err);
        }
    }
    return status;
}

/* Makes a fork: folds the events up to a step in a new execution. */
static haft_status restore(haft__case_play *play, uint64_t step, haft_error *err)
{
    haft__graph_execution_options options = play->x->options;
    haft__graph_execution *fresh = NULL;
    size_t kept = 0;
    options.limit = play->x->limit;
    haft_status status = haft__graph_execution_create(play->graph, &options, &fresh, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__graph_execution_destroy(play->x);
    play->x = fresh;
    while (kept < play->event_count && status == HAFT_OK
           && haft__object_number(play->events[kept], "step", 0) <= step) {
        status = haft__graph_execution_fold(fresh, play->events[kept++], err);
    }
    play->event_count = kept;
    return status;
}

/* Clears the lists of the previous action. */
static void clear_lists(haft__case_play *play)
{
    play->note_count = 0;
    play->inner_count = 0;
    for (size_t i = 0; i < play->x->task_count; i++) {
        haft__case_task *record = play->x->tasks[i].host;
        if (record != NULL) {
            record->noted = false;
            if (record->child != NULL) {
                clear_lists(record->child);
            }
        }
    }
}

static haft_status play_invoke(haft__case_world *world, haft__json action, const char **ret_refused,
                               haft_error *err)
{
    haft__json kept = haft__json_null(), input = haft__object_get(action, "invoke");
    haft__graph_refusal refusal;
    haft__case_play *play = NULL;
    haft_status status = HAFT_OK;
    if (input.kind == HAFT__JSON_NULL) {
        *ret_refused = "no_input";
        return HAFT_OK;
    }
    if (world->current != NULL) {
        status = haft__graph_execution_state(world->current->x, true, &world->arena, &kept, err);
    }
    if (status == HAFT_OK) {
        status = haft__case_create(world, world->graph,
                                   (uint32_t)haft__object_number(action, "limit", 0), &play, err);
    }
    if (status == HAFT_OK) {
        status = haft__case_begin(play, input, kept, &refusal, err);
    }
    if (status == HAFT_OK && refusal.refused) {
        *ret_refused = haft__graph_code_name(refusal.code);
    } else if (status == HAFT_OK) {
        world->current = play;
    }
    return status;
}

static haft_status act(haft__case_world *world, haft__json action, haft__case_outcome *outcome,
                       haft_error *err)
{
    haft__case_play *play = world->current;
    const haft__json *value;
    haft_status status = HAFT_OK;
    if (haft__object_find(action, "invoke") != NULL) {
        status = play_invoke(world, action, &outcome->refused, err);
        play = world->current;
    } else if (play == NULL) {
        outcome->refused = "no_input";
        return HAFT_OK;
    } else {
        value = haft__object_find(action, "at");
        if (value != NULL && haft__object_number(action, "at", 0) > play->x->step) {
            outcome->refused = "no_step";
            return HAFT_OK;
        }
        if (value != NULL) {
            status = restore(play, haft__object_number(action, "at", 0), err);
        }
        play->x->limit = (uint32_t)haft__object_number(action, "limit", play->x->limit);
        if (status == HAFT_OK && haft__object_find(action, "edit") != NULL) {
            outcome->edited = true;
            return play_edit(play, action, &outcome->refused, err);
        }
        if (status == HAFT_OK && haft__object_find(action, "continue") != NULL) {
            haft__graph_execution_reopen(
                play->x,
                (uint32_t)haft__object_number(action, "limit", play->graph->recursion_limit));
            status = release(play, err);
        } else if (status == HAFT_OK && (value = haft__object_find(action, "resume")) != NULL) {
            status = play_resume(play, *value, &outcome->refused, err);
        } else if (status == HAFT_OK) {
            status =
                play_answers(play, haft__object_object(action, "answer"), &outcome->refused, err);
        }
    }
    if (status != HAFT_OK || outcome->refused != NULL) {
        return status;
    }
    play->x->options.concurrency = (uint32_t)haft__object_number(action, "concurrency", 0);
    return haft__case_go(play, &outcome->waiting, err);
}

/* ---- a case ---- */

/* Compiles one graph of the case. The first error becomes the result. */
static haft_status compile(haft__case_world *world, haft__json source,
                           const haft__graph **ret_graph, bool *io_refused, haft__json_writer *w,
                           haft_error *err)
{
    haft__graph_problems problems;
    haft_status status =
        haft__graph_compile(&world->arena, source, world->sources, ret_graph, &problems, err);
    for (size_t i = 0; status == HAFT_OK && i < problems.count && !*io_refused; i++) {
        if (!problems.items[i].warning) {
            *io_refused = true;
            haft__case_write_load_error(w, &problems.items[i]);
        }
    }
    return status;
}

static haft_status play_script(haft__case_world *world, haft__json script, haft__json_writer *w,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < script.count && status == HAFT_OK; i++) {
        haft__case_outcome outcome = {.refused = NULL};
        world->effect_count = 0;
        if (world->current != NULL) {
            clear_lists(world->current);
        }
        status = act(world, script.items[i], &outcome, err);
        if (status == HAFT_OK && world->out_of_memory) {
            status = haft__fail_no_memory(err);
        }
        if (status == HAFT_OK) {
            status = haft__case_write_result(world, &outcome, w, err);
        }
    }
    return status;
}

/* Checks and compiles the graphs of the case. *ret_refused: the result of the case is the first
 * error. */
static haft_status load(haft__case_world *world, haft__json test, haft__json source,
                        bool *ret_refused, haft__json_writer *w, haft_error *err)
{
    haft__graph_problem problem;
    haft_status status = haft__case_check_types(test, &world->arena, &problem, ret_refused, err);
    if (status == HAFT_OK && !*ret_refused) {
        world->graphs =
            haft__arena_array(&world->arena, world->sources.count + 1, sizeof(*world->graphs));
        status = world->graphs != NULL ? compile(world, source, &world->graph, ret_refused, w, err)
                                       : haft__arena_fail(&world->arena, err);
        for (uint32_t i = 0; i < world->sources.count && status == HAFT_OK; i++) {
            status = compile(world, world->sources.members[i].value, &world->graphs[i], ret_refused,
                             w, err);
        }
        if (status != HAFT_OK || *ret_refused) {
            return status;
        }
        status = haft__case_check_nesting(source, world->sources, &world->arena, &problem,
                                          ret_refused, err);
    }
    if (status == HAFT_OK && *ret_refused) {
        haft__case_write_load_error(w, &problem);
    }
    return status;
}

haft_status haft__graph_play_case(haft__json test, haft__buf *buf, haft_error *err)
{
    haft__case_world world = {.sources = haft__object_object(test, "graphs")};
    const haft__json *source = haft__object_find_kind(test, "graph", HAFT__JSON_OBJECT);
    const haft__json *script = haft__object_find_kind(test, "script", HAFT__JSON_ARRAY);
    haft__json_writer w;
    bool refused = false;
    if (source == NULL || script == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "a case needs an object graph and an array "
                          "script");
    }
    haft__arena_init(&world.arena, HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft__json_writer_init(&w, buf);
    haft__json_begin_array(&w);
    haft_status status = load(&world, test, *source, &refused, &w, err);
    if (status == HAFT_OK && !refused) {
        status = play_script(&world, *script, &w, err);
    }
    if (status == HAFT_OK) {
        haft__json_end_array(&w);
    }
    for (haft__case_play *play = world.plays; play != NULL; play = play->next) {
        haft__graph_execution_destroy(play->x);
    }
    haft__arena_finish(&world.arena);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
