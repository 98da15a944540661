/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_test.c - limits of base/limits.h at their value and one past it. These are the limits
 * that the tests of their modules replace with smaller ones.
 */
#include "base/limits.h"

#include "base/arena.h"
#include "schema/regex/pattern.h"
#include "json/json_help.h"
#include "json/stream.h"

/* The strict reader and the incremental one have the same limits: both read `text` with the same
 * result. An empty `message` means that it is accepted. */
static void check_both(haft_str text, const haft__json_options *options, const char *message,
                       const char *what)
{
    haft_status wanted = message[0] == '\0' ? HAFT_OK : HAFT_TOO_BIG;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err = {0};
    CHECK_INT(haft__json_read(&arena, text, options, &value, NULL, &err), wanted, "%s", what);
    CHECK_STR(haft__str(err.message), haft__str(message), "%s", what);
    haft__arena_finish(&arena);

    haft__json_stream stream;
    haft__json_stream_init(&stream, options);
    haft__json_event event = {.kind = HAFT__JSON_EVENT_BEGIN};
    haft_status status = HAFT_OK;
    err = (haft_error){0};
    while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE) {
        status = haft__json_stream_next(&stream, &text, &event, &err);
    }
    CHECK_INT(status, wanted, "%s, in a stream", what);
    CHECK_STR(haft__str(err.message), haft__str(message), "%s, in a stream", what);
    haft__json_stream_finish(&stream);
}

/* `before`, then `fill` as often as it takes to make `length` bytes, then `after`. */
static haft_str filled(const char *before, char fill, size_t length, const char *after)
{
    char *text = test_alloc(strlen(before) + length + strlen(after));
    memcpy(text, before, strlen(before));
    memset(text + strlen(before), fill, length);
    memcpy(text + strlen(before) + length, after, strlen(after));
    return (haft_str){text, strlen(before) + length + strlen(after)};
}

TEST(a_json_text_past_its_maximum_length_is_rejected)
{
    check_both(filled("1", ' ', HAFT__LIMIT_JSON_BYTES - 1, ""), NULL, "", "the longest text");
    check_both(filled("1", ' ', HAFT__LIMIT_JSON_BYTES, ""), NULL,
               "expected at most 67108864 bytes, found more", "one byte more");
}

TEST(a_key_past_its_maximum_length_is_rejected)
{
    check_both(filled("{\"", 'k', HAFT__LIMIT_JSON_KEY_BYTES, "\":1}"), NULL, "",
               "the longest key");
    check_both(filled("{\"", 'k', HAFT__LIMIT_JSON_KEY_BYTES + 1, "\":1}"), NULL,
               "expected at most 65536 bytes in a key, found more", "one byte more");
}

TEST(a_number_past_its_maximum_length_is_rejected)
{
    check_both(filled("[", '1', HAFT__LIMIT_JSON_NUMBER_BYTES, "]"), NULL, "",
               "the longest number");
    check_both(filled("[", '1', HAFT__LIMIT_JSON_NUMBER_BYTES + 1, "]"), NULL,
               "expected at most 4096 characters in a number, found more", "one digit more");
}

TEST(nesting_past_the_maximum_depth_of_specs_is_rejected)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    for (size_t depth = HAFT__LIMIT_JSON_DEPTH_STRICT; depth < HAFT__LIMIT_JSON_DEPTH_STRICT + 2;
         depth++) {
        char text[2 * (HAFT__LIMIT_JSON_DEPTH_STRICT + 1)];
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        bool past = depth > HAFT__LIMIT_JSON_DEPTH_STRICT;
        check_both((haft_str){text, 2 * depth}, &options,
                   past ? "expected at most 64 levels of nesting, found more" : "",
                   past ? "one level more" : "the deepest nesting");
    }
}

/* An array of zeros: with the array itself, `count` values. */
static haft_str array_of(size_t count)
{
    size_t length = 2 * (count - 1) + 1;
    char *text = test_alloc(length);
    for (size_t i = 0; i + 1 < count; i++) {
        text[2 * i] = i == 0 ? '[' : ',';
        text[2 * i + 1] = '0';
    }
    text[length - 1] = ']';
    return (haft_str){text, length};
}

TEST(more_values_than_the_maximum_are_rejected)
{
    check_both(array_of(HAFT__LIMIT_JSON_VALUES), NULL, "", "as many values as allowed");
    check_both(array_of(HAFT__LIMIT_JSON_VALUES + 1), NULL,
               "expected at most 8388608 values, found more", "one value more");
}

/* Compiles `before`, the number and `after`. */
static void check_pattern(const char *before, int count, const char *after, const char *message)
{
    char source[64];
    (void)snprintf(source, sizeof(source), "%s%d%s", before, count, after);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__pattern *pattern;
    haft_error err = {0};
    CHECK_INT(haft__pattern_compile(&arena, haft__str(source), &pattern, &err),
              message[0] == '\0' ? HAFT_OK : HAFT_TOO_BIG, "%s", source);
    CHECK_STR(haft__str(err.message), haft__str(message), "%s", source);
    haft__arena_finish(&arena);
}

TEST(patterns_past_the_limits_of_repeats_and_look_behinds_are_rejected)
{
    check_pattern("^a{", HAFT__LIMIT_PATTERN_REPEAT, "}b", "");
    check_pattern("^a{", HAFT__LIMIT_PATTERN_REPEAT + 1, "}b",
                  "a repeat count is greater than the limit of 65535");
    check_pattern("(?<=a{", HAFT__LIMIT_PATTERN_LOOK_BEHIND, "})b", "");
    check_pattern("(?<=a{", HAFT__LIMIT_PATTERN_LOOK_BEHIND + 1, "})b",
                  "a look-behind is longer than 255 characters");
}
