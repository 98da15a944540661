/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the values of channels: which writes are valid, and how much memory a change needs. */
#include "channel/value.h"

#include "base/limits.h"
#include "base/str.h"
#include "graph/graph.h"
#include "test.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

static const haft__graph *compile(haft__arena *arena, const char *channels)
{
    haft__graph_problems problems;
    const haft__graph *graph = NULL;
    haft__json source;
    haft_str text = haft__arena_format(arena,
                                       "{\"channels\":%s,\"nodes\":{\"a\":{\"do\":[]}},\"edges\":"
                                       "[{\"from\":\"start\",\"to\":\"a\"}]}",
                                       channels);
    CHECK_INT(haft__json_read(arena, text, NULL, &source, NULL, NULL), HAFT_OK, "reading %s",
              channels);
    CHECK_INT(haft__graph_compile(arena, source, haft__json_null(), &graph, &problems, NULL),
              HAFT_OK, "compiling %s", channels);
    return graph;
}

TEST(a_channel_accepts_what_its_reducer_and_schema_allow)
{
    static const struct {
        const char *channel, *value, *why;
    } rows[] = {
        {"{}", "null", NULL},
        {"{\"reducer\":\"add\"}", "1.5", NULL},
        {"{\"reducer\":\"add\"}", "\"1\"", "channel 'c': expected a number, found string"},
        {"{\"reducer\":\"merge\"}", "{}", NULL},
        {"{\"reducer\":\"merge\"}", "[]", "channel 'c': expected an object, found array"},
        {"{\"reducer\":\"max\"}", "\"x\"", NULL},
        {"{\"reducer\":\"min\"}", "true",
         "channel 'c': expected a number or a string, found boolean"},
        {"{\"reducer\":\"messages\"}", "[{}]", NULL},
        {"{\"reducer\":\"messages\"}", "[1]",
         "channel 'c': expected a message or an array of them, found array"},
        {"{\"type\":\"string\"}", "\"x\"", NULL},
        {"{\"type\":\"string\"}", "1", "channel 'c': Expected string, found integer 1"},
        {"{\"reducer\":\"append\",\"schema\":{\"items\":{\"type\":\"integer\"}}}", "3", NULL},
        {"{\"reducer\":\"append\",\"schema\":{\"items\":{\"type\":\"integer\"}}}", "[3,4]", NULL},
    };
    haft__checker *checker = haft__checker_create();
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json value;
        bool valid = false;
        haft_str why = {NULL, 0};
        haft__arena_init(&arena, 0);
        const haft__graph *graph =
            compile(&arena, haft__arena_format(&arena, "{\"c\":%s}", rows[i].channel).ptr);
        CHECK_INT(haft__json_read(&arena, haft__str(rows[i].value), NULL, &value, NULL, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_INT(haft__channel_check_write(&graph->channels[0], checker, value, false, &arena,
                                            &valid, &why, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK(valid == (rows[i].why == NULL), "row %zu: whether it is valid", i);
        CHECK_STR(why, haft__str(rows[i].why != NULL ? rows[i].why : ""), "row %zu: the reason", i);
        haft__arena_finish(&arena);
    }
    haft__checker_destroy(checker);
}

/* Appends `count` items, one at a time, and returns how many allocations that took. */
static size_t append_items(size_t count)
{
    haft__arena arena;
    haft__channel_values state;
    haft__arena_init(&arena, 0);
    const haft__graph *graph = compile(&arena, "{\"c\":{\"reducer\":\"append\"}}");
    haft__json item = haft__json_string(HAFT__LIT("an item"));
    CHECK_INT(haft__channel_values_init(&state, graph->channels, graph->channel_count, NULL),
              HAFT_OK, "creating the state");
    size_t before = test_allocation_count();
    for (size_t i = 0; i < count; i++) {
        haft__channel_delta delta = {.changed = true, .value = haft__json_array(&item, 1)};
        CHECK_INT(haft__channel_apply(&graph->channels[0], &state.values[0], &delta, NULL), HAFT_OK,
                  "item %zu", i);
    }
    size_t made = test_allocation_count() - before;
    CHECK_INT(state.values[0].value.count, (long long)count, "number of items");
    haft__channel_values_finish(&state);
    haft__arena_finish(&arena);
    return made;
}

TEST(an_item_is_appended_without_a_copy_of_the_list)
{
    size_t small = append_items(1000), large = append_items(4000);
    CHECK(large <= 4 * small + 16, "%zu allocations for 1000 items, %zu for 4000", small, large);
}

TEST(many_merges_do_not_keep_old_values)
{
    haft__arena arena;
    haft__channel_values state;
    haft__arena_init(&arena, 0);
    const haft__graph *graph = compile(&arena, "{\"c\":{\"reducer\":\"merge\"}}");
    CHECK_INT(haft__channel_values_init(&state, graph->channels, graph->channel_count, NULL),
              HAFT_OK, "creating the state");
    char *text = test_alloc(1000);
    memset(text, 'x', 1000);
    for (size_t i = 0; i < 10000; i++) {
        haft__json_member member = {.key = haft__json_string(HAFT__LIT("k")),
                                    .value = haft__json_string((haft_str){text, 1000})};
        haft__channel_delta delta = {.changed = true, .value = haft__json_object(&member, 1)};
        CHECK_INT(haft__channel_apply(&graph->channels[0], &state.values[0], &delta, NULL), HAFT_OK,
                  "merge %zu", i);
    }
    CHECK(state.values[0].arena.total < 1000000, "the channel has %zu bytes",
          state.values[0].arena.total);
    CHECK_INT(state.values[0].value.count, 1, "number of members");
    haft__channel_values_finish(&state);
    haft__arena_finish(&arena);
}

TEST(a_value_past_the_maximum_of_a_channel_does_not_fit)
{
    static const char *const channels[] = {"{\"c\":{}}", "{\"c\":{\"reducer\":\"append\"}}",
                                           "{\"c\":{\"reducer\":\"merge\"}}"};
    char *text = test_alloc(HAFT__LIMIT_GRAPH_CHANNEL_BYTES);
    memset(text, 'x', HAFT__LIMIT_GRAPH_CHANNEL_BYTES);
    for (size_t k = 0; k < COUNT(channels); k++) {
        haft__arena arena;
        haft__channel_values state;
        bool merge = k == 2, list = k == 1, fits = false;
        haft__arena_init(&arena, 0);
        const haft__graph *graph = compile(&arena, channels[k]);
        CHECK_INT(haft__channel_values_init(&state, graph->channels, graph->channel_count, NULL),
                  HAFT_OK, "creating the state");
        size_t room = HAFT__LIMIT_GRAPH_CHANNEL_BYTES - (merge ? 1 + sizeof(haft__json_member) : 0)
                      - (list ? sizeof(haft__json) : 0);
        for (size_t past = 0; past < 2; past++) {
            haft__json value = haft__json_string((haft_str){text, room + past});
            haft__json_member member = {.key = haft__json_string(HAFT__LIT("k")), .value = value};
            haft__channel_delta delta = {.changed = true,
                                         .value = merge  ? haft__json_object(&member, 1)
                                                  : list ? haft__json_array(&value, 1)
                                                         : value};
            delta.replaced = k == 0;
            CHECK_INT(haft__channel_fits(&graph->channels[0], &state.values[0], &delta, &arena,
                                         &fits, NULL),
                      HAFT_OK, "whether it fits");
            CHECK_INT(fits, past == 0, "%s, past the limit: %zu", channels[k], past);
            if (past == 0) {
                CHECK_INT(haft__channel_apply(&graph->channels[0], &state.values[0], &delta, NULL),
                          HAFT_OK, "a value that fits is applied");
                /* A member that replaces itself does not count twice, an item does. */
                CHECK_INT(haft__channel_fits(&graph->channels[0], &state.values[0], &delta, &arena,
                                             &fits, NULL),
                          HAFT_OK, "whether it fits again");
                CHECK_INT(fits, !list, "%s, again", channels[k]);
            }
        }
        haft__channel_values_finish(&state);
        haft__arena_finish(&arena);
    }
}
