/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of compiling channels: their defaults, and problems of their keys. */
#include "channel/channel.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

static void note(void *context, haft_str channel, haft_str key, haft_str message)
{
    haft__buf *buf = context;
    haft__buf_addf(buf, "%.*s/%.*s: %.*s\n", HAFT__ARG(channel), HAFT__ARG(key),
                   HAFT__ARG(message));
}

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK,
              "reading %s", text);
    return value;
}

TEST(a_channel_begins_with_its_default)
{
    static const struct {
        const char *channel, *value;
    } rows[] = {
        {"{}", NULL},
        {"{\"reducer\":\"last\"}", NULL},
        {"{\"reducer\":\"min\"}", NULL},
        {"{\"reducer\":\"custom:f\"}", NULL},
        {"{\"reducer\":\"append\"}", "[]"},
        {"{\"reducer\":\"union\"}", "[]"},
        {"{\"reducer\":\"messages\"}", "[]"},
        {"{\"reducer\":\"add\"}", "0"},
        {"{\"reducer\":\"merge\"}", "{}"},
        {"{\"default\":null}", "null"},
        {"{\"reducer\":\"add\",\"default\":4}", "4"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        const haft__channel *channels = NULL;
        size_t count = 0;
        haft__buf text, problems;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1000);
        haft__buf_init(&problems, 1000);
        haft__json source =
            read_json(&arena, haft__arena_format(&arena, "{\"c\":%s}", rows[i].channel).ptr);
        CHECK_INT(haft__channels_compile(&arena, source, note, &problems, &channels, &count, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_INT(problems.len, 0, "row %zu", i);
        CHECK_INT(count, 1, "row %zu", i);
        CHECK(channels[0].has_default == (rows[i].value != NULL), "row %zu", i);
        if (rows[i].value != NULL) {
            haft__json_write(&text, channels[0].default_value);
            CHECK_STR(haft__buf_str(&text), haft__str(rows[i].value), "row %zu", i);
        }
        haft__buf_finish(&problems);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(channels_are_sorted_and_found_by_name)
{
    haft__arena arena;
    const haft__channel *channels = NULL;
    size_t count = 0;
    uint32_t at = 9;
    haft__buf problems;
    haft__arena_init(&arena, 0);
    haft__buf_init(&problems, 1000);
    haft__json source = read_json(&arena, "{\"b\":{},\"a\":{\"reducer\":\"add\"},\"c\":{}}");
    CHECK_INT(haft__channels_compile(&arena, source, note, &problems, &channels, &count, NULL),
              HAFT_OK, "compiling");
    CHECK(haft__channel_find(channels, count, HAFT__LIT("a"), &at) && at == 0, "the first");
    CHECK(haft__channel_find(channels, count, HAFT__LIT("c"), &at) && at == 2, "the last");
    CHECK(!haft__channel_find(channels, count, HAFT__LIT("d"), &at), "no such channel");
    CHECK(!haft__channel_find(channels, 0, HAFT__LIT("a"), &at), "no channels");
    CHECK_STR(haft__str(haft__channel_reducer_name(channels[0].reducer)), HAFT__LIT("add"),
              "its reducer");
    haft__buf_finish(&problems);
    haft__arena_finish(&arena);
}

TEST(problems_name_the_channel_and_its_key)
{
    static const struct {
        const char *channel, *problem;
    } rows[] = {
        {"{\"reduce\":\"add\"}", "c/reduce: unknown key 'reduce'\n"},
        {"{\"reducer\":\"sum\"}", "c/reducer: unknown reducer 'sum'\n"},
        {"{\"reducer\":\"custom\"}", "c/reducer: unknown reducer 'custom'\n"},
        {"{\"lifetime\":\"turn\"}", "c/lifetime: unknown lifetime 'turn'\n"},
        {"{\"type\":\"integer\",\"default\":\"x\"}",
         "c/default: the default is not a value of its channel 'c': Expected integer, found string "
         "\"x\"\n"},
        {"{\"reducer\":\"append\",\"default\":1}",
         "c/default: the default is not a value of its channel 'c': expected a list, found "
         "number\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        const haft__channel *channels = NULL;
        size_t count = 0;
        haft__buf problems;
        haft__arena_init(&arena, 0);
        haft__buf_init(&problems, 1000);
        haft__json source =
            read_json(&arena, haft__arena_format(&arena, "{\"c\":%s}", rows[i].channel).ptr);
        CHECK_INT(haft__channels_compile(&arena, source, note, &problems, &channels, &count, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_STR(haft__buf_str(&problems), haft__str(rows[i].problem), "row %zu", i);
        haft__buf_finish(&problems);
        haft__arena_finish(&arena);
    }
}
