/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/custom.c: when the value of a channel with a reducer of the program is
 * requested, and what follows from the reply. Whole runs are in
 * tests/engine/graph_builder_test.c. */
#include "graph/execution.h"

#include "base/str.h"
#include "test.h"
#include "json/canonical.h"
#include "json/read.h"

/* Two channels with such reducers, three nodes that write, and conditions after two of them. */
#define SOURCE                                                                                     \
    "{\"channels\":{\"p\":{\"reducer\":\"custom:f\",\"default\":7},\"q\":{\"reducer\":"            \
    "\"custom:g\"},\"r\":{}},\"nodes\":{"                                                          \
    "\"a\":{\"do\":[{\"set\":{\"p\":1,\"q\":2}}],\"retry\":{\"attempts\":2}},"                     \
    "\"b\":{\"do\":[{\"set\":{\"p\":3}}]},\"c\":{\"do\":[{\"set\":{\"r\":1}}]},"                   \
    "\"d\":{\"do\":[{\"overwrite\":{\"p\":0}}]}},\"edges\":["                                      \
    "{\"from\":\"start\",\"to\":[\"a\",\"b\",\"c\"]},{\"from\":\"a\",\"choose\":[{\"when\":{"      \
    "\"at\":\"/p\",\"op\":\"eq\",\"value\":8},\"to\":\"d\"},{\"to\":\"end\"}]}]}"

typedef struct fixture {
    haft__arena arena;
    const haft__graph *graph;
    haft__graph_execution *x;
} fixture;

static haft__json read(fixture *f, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(&f->arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

static void set_up(fixture *f)
{
    haft__graph_problems problems;
    haft__graph_execution_options options = {.limit = 0};
    haft__graph_refusal refusal;
    haft__json event;
    *f = (fixture){.x = NULL};
    haft__arena_init(&f->arena, 0);
    CHECK_INT(haft__graph_compile(&f->arena, read(f, SOURCE), haft__json_null(), &f->graph,
                                  &problems, NULL),
              HAFT_OK, "compiling");
    CHECK(f->graph != NULL, "the graph is valid");
    CHECK_INT(haft__graph_execution_create(f->graph, &options, &f->x, NULL), HAFT_OK, "creating");
    CHECK_INT(haft__graph_execution_begin(f->x, haft__json_object(NULL, 0), haft__json_null(),
                                          &event, &refusal, NULL),
              HAFT_OK, "beginning");
    CHECK_INT(haft__graph_execution_fold(f->x, event, NULL), HAFT_OK, "folding");
}

static void tear_down(fixture *f)
{
    haft__graph_execution_destroy(f->x);
    haft__arena_finish(&f->arena);
}

static void check_text(fixture *f, haft__json value, const char *wanted)
{
    haft__buf buf;
    haft__buf_init(&buf, 100000);
    CHECK_INT(haft__json_write_canonical(&buf, value, NULL), HAFT_OK, "writing");
    CHECK_STR(haft__buf_str(&buf), haft__str(wanted), "value");
    haft__buf_finish(&buf);
    (void)f;
}

/* The next action, which must be of that kind. */
static haft__graph_action next(fixture *f, haft__graph_action_kind kind)
{
    haft__graph_action action = {.kind = HAFT__ACTION_ENDED};
    CHECK_INT(haft__graph_execution_next(f->x, &action, NULL), HAFT_OK, "next");
    CHECK_INT(action.kind, kind, "kind of the action");
    return action;
}

static void expect_request(fixture *f, uint32_t channel, const char *input)
{
    haft__json given;
    haft__graph_action action = next(f, HAFT__ACTION_REQUEST);
    CHECK_INT(action.request.kind, HAFT__REQUEST_REDUCE, "request");
    CHECK_INT(action.request.channel, channel, "channel");
    CHECK_INT(haft__graph_execution_reduction(f->x, channel, &f->arena, &given, NULL), HAFT_OK,
              "input");
    check_text(f, given, input);
    (void)next(f, HAFT__ACTION_WAITING);
}

TEST(values_are_requested_one_after_the_other_and_recorded)
{
    fixture f;
    set_up(&f);
    expect_request(&f, 0,
                   "{\"own\":[0],\"value\":7,\"writes\":[{\"task\":0,\"value\":1},{\"task\":1,"
                   "\"value\":3}]}");
    CHECK_INT(haft__graph_execution_reduced(
                  f.x, 0, read(&f, "{\"value\":11,\"own\":[{\"task\":0,\"value\":8}]}"), NULL),
              HAFT_OK, "the first value");
    expect_request(&f, 1, "{\"own\":[],\"writes\":[{\"task\":0,\"value\":2}]}");
    CHECK_INT(haft__graph_execution_reduced(f.x, 1, read(&f, "{\"value\":2,\"own\":[]}"), NULL),
              HAFT_OK, "the second value");
    haft__graph_action step = next(&f, HAFT__ACTION_STEP);
    check_text(&f, *haft__json_get(step.event, HAFT__LIT("updates")), "{\"p\":11,\"q\":2,\"r\":1}");
    check_text(&f, *haft__json_get(step.event, HAFT__LIT("next")),
               "[{\"by\":[\"a\"],\"node\":\"d\"}]");
    CHECK_INT(haft__graph_execution_fold(f.x, step.event, NULL), HAFT_OK, "folding");
    step = next(&f, HAFT__ACTION_STEP); /* d writes round the reducer */
    check_text(&f, *haft__json_get(step.event, HAFT__LIT("updates")), "{\"p\":0}");
    tear_down(&f);
}

/* A program without the functions folds the event of the step, which has the values. */
TEST(the_event_of_a_step_needs_no_reducer)
{
    fixture f;
    haft__json state;
    set_up(&f);
    expect_request(&f, 0,
                   "{\"own\":[0],\"value\":7,\"writes\":[{\"task\":0,\"value\":1},{\"task\":1,"
                   "\"value\":3}]}");
    CHECK_INT(haft__graph_execution_fold(
                  f.x,
                  read(&f, "{\"step\":1,\"nodes\":[],\"updates\":{\"p\":99},\"replaced\":"
                           "[\"p\"],\"remaining_steps\":24,\"next\":[]}"),
                  NULL),
              HAFT_OK, "folding");
    CHECK_INT(haft__graph_execution_state(f.x, true, &f.arena, &state, NULL), HAFT_OK, "state");
    check_text(&f, state, "{\"p\":99}");
    (void)next(&f, HAFT__ACTION_ENDED);
    tear_down(&f);
}

TEST(a_refused_write_fails_its_node_and_all_values_are_requested_again)
{
    fixture f;
    const char *input = "{\"own\":[0],\"value\":7,\"writes\":[{\"task\":0,\"value\":1},{\"task\":1,"
                        "\"value\":3}]}";
    set_up(&f);
    expect_request(&f, 0, input);
    CHECK_INT(haft__graph_execution_reduced(f.x, 0, read(&f, "{\"value\":11,\"own\":[]}"), NULL),
              HAFT_OK, "the first value");
    expect_request(&f, 1, "{\"own\":[],\"writes\":[{\"task\":0,\"value\":2}]}");
    CHECK_INT(haft__graph_execution_reduce_error(f.x, 1, 0, HAFT__LIT("no"), NULL), HAFT_OK,
              "refusing");
    expect_request(&f, 0, input); /* the second attempt of a has written again */
    CHECK_INT(haft__graph_execution_reduce_error(f.x, 0, SIZE_MAX, HAFT__LIT("no"), NULL), HAFT_OK,
              "refusing");
    (void)next(&f, HAFT__ACTION_ENDED);
    CHECK_INT(f.x->end, HAFT__GRAPH_FAILED, "end");
    CHECK_STR(f.x->failed_nodes[0], HAFT__LIT("b"), "the last writer fails");
    CHECK_STR(f.x->failure.message, HAFT__LIT("channel 'p': no"), "reason");
    tear_down(&f);
}
