/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/parser.c, emit.c and call_builder.c: rules that hold in every format, for
 * large and hostile texts and at the limits. Cost is measured in events and allocations, not in
 * time.
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "parse_help.h"
#include "test.h"

static void repeat(haft__buf *buf, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, haft__str(text));
    }
}

/* The cost of a text. */
typedef struct cost {
    size_t count, event_count, allocations;
} cost;

static cost measure(const char *format, haft_str text, size_t chunk, help_parsed *ret_parsed)
{
    help_input input = {
        .format = format, .text = text, .tools = help_tools, .tool_count = help_tool_count};
    size_t before = test_allocation_count();
    help_parse(&input, chunk, chunk, ret_parsed);
    return (cost){ret_parsed->count, ret_parsed->event_count, test_allocation_count() - before};
}

TEST(a_megabyte_of_arguments_is_reported_as_it_arrives)
{
    for (size_t i = 0; i < help_sample_count; i++) {
        cost costs[2];
        for (size_t round = 0; round < 2; round++) {
            haft__buf text;
            haft__buf_init(&text, 1 << 23);
            repeat(&text, help_samples[i].head, 1);
            repeat(&text, "0123456789abcde ", (size_t)65536 << round);
            repeat(&text, help_samples[i].tail, 1);
            help_parsed parsed;
            help_parsed_init(&parsed);
            costs[round] = measure(help_samples[i].format, haft__buf_str(&text), 64, &parsed);
            CHECK_INT(parsed.count, 1, "%s: calls", help_samples[i].format);
            CHECK(parsed.calls.len > text.len - 200, "%s: a part of the arguments is missing",
                  help_samples[i].format);
            help_parsed_finish(&parsed);
            haft__buf_finish(&text);
        }
        CHECK(costs[1].event_count <= 2 * costs[0].event_count + 16,
              "%s: %zu events, then %zu for twice the bytes", help_samples[i].format,
              costs[0].event_count, costs[1].event_count);
        CHECK(costs[1].allocations <= costs[0].allocations + 4, "%s: %zu, then %zu allocations",
              help_samples[i].format, costs[0].allocations, costs[1].allocations);
    }
}

TEST(the_cost_of_calls_is_linear)
{
    for (size_t i = 0; i < help_sample_count; i++) {
        cost costs[2];
        for (size_t round = 0; round < 2; round++) {
            haft__buf text;
            haft__buf_init(&text, 1 << 24);
            size_t count = round == 0 ? 1000 : 10000;
            for (size_t n = 0; n < count; n++) {
                repeat(&text, help_samples[i].head, 1);
                repeat(&text, help_samples[i].tail, 1);
                repeat(&text, "\n", 1);
            }
            help_parsed parsed;
            help_parsed_init(&parsed);
            costs[round] = measure(help_samples[i].format, haft__buf_str(&text), 4096, &parsed);
            CHECK_INT(parsed.count, count, "%s: %.*s", help_samples[i].format,
                      HAFT__ARG(haft__buf_str(&parsed.whys)));
            help_parsed_finish(&parsed);
            haft__buf_finish(&text);
        }
        CHECK(costs[1].event_count <= 10 * costs[0].event_count + 16,
              "%s: %zu events, then %zu for ten times the calls", help_samples[i].format,
              costs[0].event_count, costs[1].event_count);
    }
}

/* Adds prose that consists of the beginnings of the marks of the format. */
static void add_near_marks(haft__buf *text, const haft__format *format)
{
    const haft__format_state *place = &format->states[format->plain];
    for (size_t i = 0; i < COUNT(place->marks) && place->marks[i].text != NULL; i++) {
        haft_str mark = haft__str(place->marks[i].text);
        if (mark.len > 3) {
            haft__buf_add(text, mark.ptr, mark.len - 1);
            haft__buf_add_str(text, HAFT__LIT("~ "));
        }
    }
    haft__buf_add_str(text, HAFT__LIT("< [ { ` "));
}

TEST(prose_of_near_marks_is_content_and_costs_its_length)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        cost costs[2];
        for (size_t round = 0; round < 2; round++) {
            haft__buf text;
            haft__buf_init(&text, 1 << 23);
            haft__buf_add_str(&text, HAFT__LIT("all\n. "));
            while (text.len < (size_t)1 << (19 + round)) {
                add_near_marks(&text, formats[i]);
            }
            haft__buf_add_char(&text, '.');
            help_parsed parsed;
            help_parsed_init(&parsed);
            costs[round] = measure(formats[i]->name, haft__buf_str(&text), 1000, &parsed);
            CHECK_INT(parsed.count, 0, "%s: calls", formats[i]->name);
            CHECK(parsed.content.len + 4 >= text.len, "%s: %zu of %zu bytes are content",
                  formats[i]->name, parsed.content.len, text.len);
            help_parsed_finish(&parsed);
            haft__buf_finish(&text);
        }
        CHECK(costs[1].event_count <= 2 * costs[0].event_count + 16,
              "%s: %zu events, then %zu for twice the bytes", formats[i]->name,
              costs[0].event_count, costs[1].event_count);
    }
}

/* Checks nested arguments of a call; `levels` includes the object of the arguments. */
static void check_depth(size_t sample, size_t levels, bool good)
{
    const char *head = help_samples[sample].head;
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_add(&text, head, strlen(head) - 1); /* without the quote */
    repeat(&text, "[", levels - 1);
    repeat(&text, "]", levels - 1);
    repeat(&text, help_samples[sample].tail + 1, 1);
    help_parsed parsed;
    help_parsed_init(&parsed);
    (void)measure(help_samples[sample].format, haft__buf_str(&text), 0, &parsed);
    CHECK_INT(parsed.count, good, "%s: %zu levels: %.*s", help_samples[sample].format, levels,
              HAFT__ARG(haft__buf_str(&parsed.whys)));
    CHECK_INT(parsed.malformed, !good, "%s: %zu levels", help_samples[sample].format, levels);
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
}

TEST(nesting_is_bounded)
{
    for (size_t i = 0; i < help_sample_count; i++) {
        bool python = strcmp(help_samples[i].format, "pythonic") == 0;
        if (!help_samples[i].json && !python) {
            continue;
        }
        bool inside = strstr(help_samples[i].head, "name\":\"f\"") != NULL
                      || strstr(help_samples[i].head, "tool\":\"f\"") != NULL; /* an object */
        bool array = strstr(help_samples[i].head, "[{") != NULL;
        size_t around = (inside ? 1 : 0) + (array ? 1 : 0);
        check_depth(i, HAFT__LIMIT_JSON_DEPTH - around, true);
        check_depth(i, HAFT__LIMIT_JSON_DEPTH - around + 1, false);
        check_depth(i, 10000, false);
    }
}

/* A value that is nested too deep for JSON is read as a string, if the schema allows a string. */
TEST(values_without_quotes_have_the_same_nesting_limit)
{
    for (size_t levels = HAFT__LIMIT_JSON_DEPTH - 1; levels <= HAFT__LIMIT_JSON_DEPTH; levels++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 16);
        repeat(&text, "<tool_call><function=f><parameter=l>", 1);
        repeat(&text, "[", levels);
        repeat(&text, "]", levels);
        repeat(&text, "</parameter></function></tool_call>", 1);
        help_parsed parsed;
        help_parsed_init(&parsed);
        (void)measure("qwen3coder", haft__buf_str(&text), 1, &parsed);
        bool list = memmem(parsed.calls.ptr, parsed.calls.len, "{\"l\":[", 6) != NULL;
        CHECK_INT(parsed.count, 1, "%zu levels: calls", levels);
        CHECK_INT(list, levels < HAFT__LIMIT_JSON_DEPTH, "%zu levels: the value is a list", levels);
        help_parsed_finish(&parsed);
        haft__buf_finish(&text);
    }
}

TEST(invalid_utf8_is_kept_in_content)
{
    static const char bytes[] = "a\xFF\xC3(\x00\xE2\x82 b\xF0\x9F\x98";
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 12);
        bool named = strcmp(formats[i]->name, "functionary_v32") == 0;
        haft__buf_add_str(&text, named ? HAFT__LIT("all\n") : HAFT__LIT(""));
        haft__buf_add(&text, bytes, sizeof(bytes) - 1);
        for (size_t chunk = 0; chunk < 3; chunk++) {
            help_parsed parsed;
            help_parsed_init(&parsed);
            (void)measure(formats[i]->name, haft__buf_str(&text), chunk, &parsed);
            CHECK_STR(haft__buf_str(&parsed.content), ((haft_str){bytes, sizeof(bytes) - 1}),
                      "%s, pieces of %zu", formats[i]->name, chunk);
            help_parsed_finish(&parsed);
        }
        haft__buf_finish(&text);
    }
}

/* In JSON arguments such bytes are an error; in arguments that become JSON they are U+FFFD. */
TEST(invalid_utf8_never_reaches_arguments)
{
    for (size_t i = 0; i < help_sample_count; i++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 12);
        repeat(&text, help_samples[i].head, 1);
        haft__buf_add(&text, "a\xFF\xC3z", 4);
        repeat(&text, help_samples[i].tail, 1);
        help_parsed parsed;
        help_parsed_init(&parsed);
        (void)measure(help_samples[i].format, haft__buf_str(&text), 1, &parsed);
        CHECK_INT(parsed.malformed, help_samples[i].json, "%s: malformed", help_samples[i].format);
        CHECK_INT(parsed.count, help_samples[i].json ? 0 : 1, "%s: calls", help_samples[i].format);
        CHECK(haft__utf8_valid(haft__buf_str(&parsed.calls)), "%s: invalid UTF-8",
              help_samples[i].format);
        help_parsed_finish(&parsed);
        haft__buf_finish(&text);
    }
}

static void check_name(size_t length, bool good)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 12);
    repeat(&text, "<tool_call>{\"name\":\"", 1);
    repeat(&text, "n", length);
    repeat(&text, "\",\"arguments\":{}}</tool_call>", 1);
    help_parsed parsed;
    help_parsed_init(&parsed);
    (void)measure("hermes", haft__buf_str(&text), 1, &parsed);
    CHECK_INT(parsed.count, good, "a name of %zu bytes", length);
    CHECK_INT(parsed.malformed, !good, "a name of %zu bytes", length);
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
}

static void check_id(size_t length, bool good)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 12);
    repeat(&text, "<|START_ACTION|>[{\"tool_call_id\":\"", 1);
    repeat(&text, "n", length);
    repeat(&text, "\",\"tool_name\":\"f\",\"parameters\":{}},", 1);
    repeat(&text, "{\"tool_name\":\"g\",\"parameters\":{}}]", 1);
    help_parsed parsed;
    help_parsed_init(&parsed);
    (void)measure("command_r", haft__buf_str(&text), 1, &parsed);
    CHECK_INT(parsed.count, good ? 2 : 1, "an id of %zu bytes", length);
    CHECK_INT(parsed.malformed, !good, "an id of %zu bytes", length);
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
}

TEST(the_length_of_names_and_ids_is_bounded)
{
    check_name(HAFT__LIMIT_FORMAT_NAME_BYTES, true);
    check_name(HAFT__LIMIT_FORMAT_NAME_BYTES + 1, false);
    check_id(HAFT__LIMIT_FORMAT_NAME_BYTES, true);
    check_id(HAFT__LIMIT_FORMAT_NAME_BYTES + 1, false);
}

/* A text that looks like a long name is content up to its last byte, also in code. */
TEST(invalid_name_stays_in_the_text)
{
    for (size_t length = HAFT__LIMIT_FORMAT_NAME_BYTES - 2; length < 6000;
         length += length < 140 ? 1 : 2000) {
        haft__buf text;
        haft__buf_init(&text, 1 << 16);
        repeat(&text, "[", 1);
        repeat(&text, "n", length);
        repeat(&text, "](x)", 1);
        help_parsed parsed;
        help_parsed_init(&parsed);
        (void)measure("pythonic", haft__buf_str(&text), 0, &parsed);
        CHECK_STR(haft__buf_str(&parsed.content), haft__buf_str(&text), "%zu bytes", length);
        help_parsed_finish(&parsed);
        haft__buf_clear(&text);
        repeat(&text, "<|python_tag|>", 1);
        repeat(&text, "n", length);
        help_parsed_init(&parsed);
        (void)measure("llama3", haft__buf_str(&text), 0, &parsed);
        CHECK(parsed.count == (length <= HAFT__LIMIT_FORMAT_NAME_BYTES ? 0U : 1U)
                  || parsed.calls.len > length,
              "%zu bytes", length);
        help_parsed_finish(&parsed);
        haft__buf_finish(&text);
    }
}

static void check_number(size_t length, bool good)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 14);
    repeat(&text, "[f(a=", 1);
    repeat(&text, "1", length);
    repeat(&text, ")]", 1);
    help_parsed parsed;
    help_parsed_init(&parsed);
    (void)measure("pythonic", haft__buf_str(&text), 1, &parsed);
    CHECK_INT(parsed.count, good, "a number of %zu bytes", length);
    CHECK_INT(parsed.malformed, !good, "a number of %zu bytes", length);
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
}

TEST(numbers_of_python_have_the_limit_of_json)
{
    check_number(HAFT__LIMIT_JSON_NUMBER_BYTES, true);
    check_number(HAFT__LIMIT_JSON_NUMBER_BYTES + 1, false);
}

static void check_raw(size_t length, size_t wanted)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    repeat(&text, "<tool_call>", 1);
    repeat(&text, " ", length - strlen("<tool_call>"));
    repeat(&text, "x", 1);
    help_parsed parsed;
    help_parsed_init(&parsed);
    (void)measure("hermes", haft__buf_str(&text), 64, &parsed);
    size_t reported = parsed.errors.len - strlen("malformed at 0: expected a value, found 'x': \n");
    CHECK_INT(reported, wanted, "%zu bytes", length);
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
}

TEST(malformed_call_reports_its_beginning)
{
    check_raw(HAFT__LIMIT_FORMAT_RAW_BYTES, HAFT__LIMIT_FORMAT_RAW_BYTES);
    check_raw(HAFT__LIMIT_FORMAT_RAW_BYTES + 1, HAFT__LIMIT_FORMAT_RAW_BYTES);
}

static haft_status take_nothing(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)context;
    (void)found;
    (void)err;
    return HAFT_OK;
}

TEST(the_length_of_a_text_is_bounded)
{
    size_t piece = (size_t)1 << 20;
    char *bytes = test_alloc(piece);
    memset(bytes, 'x', piece);
    haft__parser_options options = {.take = take_nothing};
    haft__parser *parser = NULL;
    haft_error err = {0};
    haft_status status =
        haft__parser_create(haft__format_find(HAFT__LIT("hermes")), &options, &parser, &err);
    for (size_t at = 0; at < HAFT__LIMIT_FORMAT_BYTES && status == HAFT_OK; at += piece) {
        status = haft__parser_feed(parser, (haft_str){bytes, piece}, &err);
    }
    CHECK_INT(status, HAFT_OK, "%s", err.message);
    CHECK_INT(haft__parser_feed(parser, (haft_str){bytes, 1}, &err), HAFT_TOO_BIG, "%s",
              err.message);
    haft__parser_destroy(parser);
}

static haft_status refuse(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)found;
    (void)err;
    ++*(size_t *)context;
    return HAFT_BAD_STATE;
}

TEST(a_failing_callback_ends_the_parser)
{
    size_t events = 0;
    haft__parser_options options = {.take = refuse, .context = &events};
    haft__parser *parser = NULL;
    CHECK_INT(haft__parser_create(haft__format_find(HAFT__LIT("hermes")), &options, &parser, NULL),
              HAFT_OK, "the parser cannot be created");
    CHECK_INT(haft__parser_feed(parser, HAFT__LIT("x"), NULL), HAFT_BAD_STATE,
              "the call in which the callback fails");
    CHECK_INT(haft__parser_feed(parser, HAFT__LIT("y"), NULL), HAFT_BAD_STATE,
              "a piece after the failure");
    CHECK_INT(haft__parser_end(parser, false, NULL), HAFT_BAD_STATE, "the end after the failure");
    CHECK_INT(events, 1, "events");
    haft__parser_destroy(parser);
    haft__parser_destroy(NULL);
}
