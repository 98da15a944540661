/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of supersteps: any order of replies gives the same state, which follows from the events. */
#include "graph/execution.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/canonical.h"
#include "json/object.h"
#include "json/read.h"

/* Four requests at once, a join, and a loop around them. */
#define SOURCE                                                                                     \
    "{\"channels\":{\"log\":{\"reducer\":\"append\"},\"n\":{\"reducer\":\"add\"},\"w\":{"          \
    "\"reducer\":\"last\"},\"m\":{\"reducer\":\"merge\"}},\"nodes\":{"                             \
    "\"a\":{\"do\":[{\"ask\":\"a\"},{\"text\":{\"log\":\"a {/$/answer}\",\"w\":\"a\"}}]},"         \
    "\"b\":{\"do\":[{\"ask\":\"b\"},{\"text\":{\"log\":\"b {/$/answer}\",\"w\":\"b\"}}]},"         \
    "\"c\":{\"ask\":\"c {/n}\",\"out\":{\"log\":\"\",\"m\":{\"c\":\"\"}}},"                        \
    "\"d\":{\"tool\":\"t\",\"args\":{\"k\":\"/n\",\"v\":{\"value\":1}},\"out\":{\"m\":{\"d\":"     \
    "\"/r\"}},\"on_error\":{\"do\":[{\"text\":{\"log\":\"d failed: {/$/error}\"}}]}},"             \
    "\"z\":{\"do\":[{\"set\":{\"n\":1}}]}},\"edges\":[{\"from\":\"start\",\"to\":[\"a\",\"b\","    \
    "\"c\",\"d\"]},{\"from\":[\"a\",\"b\",\"c\",\"d\"],\"to\":\"z\"},{\"from\":\"z\",\"choose\":[" \
    "{\"when\":{\"at\":\"/n\",\"op\":\"ge\",\"value\":2},\"to\":\"end\"},{\"to\":[\"a\",\"b\","    \
    "\"c\",\"d\"]}]}]}"

typedef struct fixture {
    haft__arena arena;
    const haft__graph *graph;
    haft__graph_execution *x;
    haft__json events[16];
    size_t event_count;
} fixture;

static void set_up(fixture *f, const char *source)
{
    haft__json *value;
    haft__graph_problems problems;
    haft__graph_execution_options options = {.limit = 0};
    *f = (fixture){.event_count = 0};
    haft__arena_init(&f->arena, 0);
    value = haft__arena_array(&f->arena, 1, sizeof(*value));
    CHECK_INT(haft__json_read(&f->arena, haft__str(source), NULL, value, NULL, NULL), HAFT_OK,
              "reading the graph");
    CHECK_INT(haft__graph_compile(&f->arena, *value, haft__json_null(), &f->graph, &problems, NULL),
              HAFT_OK, "compiling the graph");
    CHECK(f->graph != NULL, "%.*s",
          HAFT__ARG(problems.count > 0 ? problems.items[0].message : HAFT__LIT("")));
    CHECK_INT(haft__graph_execution_create(f->graph, &options, &f->x, NULL), HAFT_OK,
              "creating the execution");
}

static void tear_down(fixture *f)
{
    haft__graph_execution_destroy(f->x);
    haft__arena_finish(&f->arena);
}

static void fold(fixture *f, haft__json event)
{
    haft__json copied;
    CHECK_INT(haft__json_copy_deep(&f->arena, event, &copied, NULL), HAFT_OK, "copying the event");
    f->events[f->event_count++] = copied;
    CHECK_INT(haft__graph_execution_fold(f->x, copied, NULL), HAFT_OK, "folding the event");
}

static void begin(fixture *f)
{
    haft__json event;
    haft__graph_refusal refusal;
    CHECK_INT(haft__graph_execution_begin(f->x, haft__json_object(NULL, 0), haft__json_null(),
                                          &event, &refusal, NULL),
              HAFT_OK, "beginning the execution");
    CHECK(!refusal.refused, "the input is accepted");
    fold(f, event);
}

/* The state as canonical text. */
static haft_str state_text(fixture *f)
{
    haft__json state;
    haft__buf buf;
    haft__buf_init(&buf, 100000);
    CHECK_INT(haft__graph_execution_state(f->x, true, &f->arena, &state, NULL), HAFT_OK,
              "reading the state");
    CHECK_INT(haft__json_write_canonical(&buf, state, NULL), HAFT_OK, "writing the state as text");
    haft_str text = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return text;
}

/* Replies to the request of one task: tools fail in the second round. */
static void reply(fixture *f, size_t task)
{
    haft__json result = haft__json_null();
    const haft__graph_request *request = &f->x->tasks[task].request;
    if (request->kind == HAFT__REQUEST_TOOL && f->x->step > 0) {
        CHECK_INT(haft__graph_execution_reply_error(f->x, task, HAFT__GRAPH_NODE_FAILED,
                                                    HAFT__LIT("down"), NULL),
                  HAFT_OK, "replying with an error");
        return;
    }
    const char *text = request->kind == HAFT__REQUEST_TOOL ? "{\"r\":[1]}" : "\"yes\"";
    CHECK_INT(haft__json_read(&f->arena, haft__str(text), NULL, &result, NULL, NULL), HAFT_OK,
              "reading the result");
    CHECK_INT(haft__graph_execution_reply(f->x, task, result, NULL), HAFT_OK, "replying");
}

/* Runs to the end. The replies to each four requests are given in the order `order`. */
static void run(fixture *f, const size_t order[4])
{
    haft__graph_action action = {.kind = HAFT__ACTION_WAITING};
    size_t waiting[4] = {0}, count = 0;
    begin(f);
    for (size_t i = 0; i < 100; i++) {
        CHECK_INT(haft__graph_execution_next(f->x, &action, NULL), HAFT_OK, "the next action");
        switch (action.kind) {
        case HAFT__ACTION_REQUEST: waiting[count++ % 4] = action.task; break;
        case HAFT__ACTION_STEP: fold(f, action.event); break;
        case HAFT__ACTION_WAITING:
            CHECK_INT(count, 4, "requests at once");
            for (size_t k = 0; k < 4; k++) {
                reply(f, waiting[order[k]]);
            }
            count = 0;
            break;
        case HAFT__ACTION_ENDED: return;
        }
    }
    CHECK(false, "the graph does not end");
}

TEST(any_order_of_replies_gives_the_same_state_and_events)
{
    haft_str wanted = {NULL, 0};
    fixture first;
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = 0; b < 4; b++) {
            for (size_t c = 0; c < 4; c++) {
                size_t order[4] = {a, b, c, 6 - a - b - c};
                fixture f;
                if (a == b || a == c || b == c) {
                    continue;
                }
                set_up(wanted.ptr == NULL ? &first : &f, SOURCE);
                fixture *at = wanted.ptr == NULL ? &first : &f;
                run(at, order);
                CHECK_INT(at->x->end, HAFT__GRAPH_DONE, "end of the graph");
                if (wanted.ptr == NULL) {
                    wanted = state_text(at);
                    continue;
                }
                CHECK_STR(state_text(at), wanted, "order %zu%zu%zu", a, b, c);
                CHECK_INT(at->event_count, (long long)first.event_count, "number of events");
                for (size_t e = 0; e < at->event_count; e++) {
                    bool same = false;
                    CHECK_INT(haft__json_equal(at->events[e], first.events[e], &same, NULL),
                              HAFT_OK, "comparing two events");
                    CHECK(same, "order %zu%zu%zu: event %zu", a, b, c, e);
                }
                tear_down(at);
            }
        }
    }
    CHECK_STR(wanted,
              HAFT__LIT("{\"log\":[\"a yes\",\"b yes\",\"yes\",\"a yes\",\"b yes\",\"yes\",\"d "
                        "failed: down\"],\"m\":{\"c\":\"yes\",\"d\":[1]},\"n\":2,\"w\":\"b\"}"),
              "the state at the end");
    tear_down(&first);
}

TEST(the_fold_of_the_events_is_the_state)
{
    size_t order[4] = {3, 1, 0, 2};
    fixture f, again;
    set_up(&f, SOURCE);
    run(&f, order);
    set_up(&again, SOURCE);
    for (size_t e = 0; e < f.event_count; e++) {
        CHECK_INT(haft__graph_execution_fold(again.x, f.events[e], NULL), HAFT_OK, "event %zu", e);
    }
    CHECK_STR(state_text(&again), state_text(&f), "the state from the events");
    CHECK_INT(again.x->step, f.x->step, "the step from the events");
    tear_down(&again);
    tear_down(&f);
}

TEST(no_more_tasks_are_busy_than_the_concurrency_allows)
{
    fixture f;
    haft__graph_action action;
    size_t calls = 0, max = 0;
    set_up(&f, "{\"channels\":{\"l\":{}},\"nodes\":{\"a\":{\"do\":[]},\"w\":{\"tool\":\"t\"}},"
               "\"edges\":[{\"from\":\"start\",\"to\":\"a\"},{\"from\":\"a\",\"map\":{\"over\":"
               "\"/l\",\"to\":\"w\"}}]}");
    f.x->options.concurrency = 2;
    haft__json input, event;
    haft__graph_refusal refusal;
    CHECK_INT(
        haft__json_read(&f.arena, HAFT__LIT("{\"l\":[1,2,3,4,5,6,7]}"), NULL, &input, NULL, NULL),
        HAFT_OK, "reading the input");
    CHECK_INT(haft__graph_execution_begin(f.x, input, haft__json_null(), &event, &refusal, NULL),
              HAFT_OK, "beginning the execution");
    fold(&f, event);
    do {
        CHECK_INT(haft__graph_execution_next(f.x, &action, NULL), HAFT_OK, "the next action");
        max = f.x->busy > max ? f.x->busy : max;
        if (action.kind == HAFT__ACTION_REQUEST) {
            calls++;
        } else if (action.kind == HAFT__ACTION_STEP) {
            fold(&f, action.event);
        } else if (action.kind == HAFT__ACTION_WAITING) {
            size_t task = 0;
            while (f.x->tasks[task].state != HAFT__TASK_BUSY) {
                task++;
            }
            CHECK_INT(haft__graph_execution_reply(f.x, task, haft__json_null(), NULL), HAFT_OK,
                      "replying");
        }
    } while (action.kind != HAFT__ACTION_ENDED);
    CHECK_INT(calls, 7, "one call for each item");
    CHECK_INT(max, 2, "most tasks that were busy at once");
    tear_down(&f);
}

TEST(results_past_the_maximum_of_a_step_are_rejected)
{
    for (size_t past = 0; past < 2; past++) {
        fixture f;
        haft__graph_action action;
        size_t bytes =
            past == 0 ? HAFT__LIMIT_GRAPH_STEP_BYTES - 65536 : HAFT__LIMIT_GRAPH_STEP_BYTES + 1;
        char *text = test_alloc(bytes);
        memset(text, 'x', bytes);
        set_up(&f, "{\"channels\":{},\"nodes\":{\"a\":{\"tool\":\"t\"}},\"edges\":[{\"from\":"
                   "\"start\",\"to\":\"a\"}]}");
        begin(&f);
        CHECK_INT(haft__graph_execution_next(f.x, &action, NULL), HAFT_OK, "the next action");
        CHECK_INT(action.kind, HAFT__ACTION_REQUEST, "the action requests the tool");
        CHECK_INT(haft__graph_execution_reply(f.x, action.task,
                                              haft__json_string((haft_str){text, bytes}), NULL),
                  HAFT_OK, "past the limit: %zu", past);
        CHECK_INT(haft__graph_execution_next(f.x, &action, NULL), HAFT_OK, "the next action");
        CHECK_INT(f.x->tasks[0].state, past == 0 ? HAFT__TASK_DONE : HAFT__TASK_FAILED,
                  "past the limit: %zu", past);
        tear_down(&f);
    }
}
