/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/json/stream.c and builder.c. The strict reader is the oracle: wherever the text is
 * cut, the incremental reader must give the same value or the same error.
 */
#include "json/stream.h"

#include "json_help.h"
#include "test.h"
#include "json/builder.h"
#include "json/write.h"

/* Cuts: a piece ends at each offset for which the function returns true. */
typedef bool cut_after(size_t offset, size_t argument);

static bool cut_at(size_t offset, size_t argument)
{
    return offset == argument;
}

static bool cut_every(size_t offset, size_t argument)
{
    return offset % argument == 0;
}

static bool cut_at_random(size_t offset, size_t argument)
{
    return (offset * 2654435761U ^ argument * 40503U) % 7 == 0;
}

static size_t next_cut(haft_str text, size_t from, cut_after *cut, size_t argument)
{
    size_t to = from + 1;
    while (to < text.len && !cut(to, argument)) {
        to++;
    }
    return to;
}

static haft_str keep(haft__buf *buf)
{
    CHECK_INT(buf->status, HAFT_OK, "status of the test's own buffer");
    char *copy = test_alloc(buf->len + 1);
    if (buf->len > 0) {
        memcpy(copy, buf->ptr, buf->len);
    }
    haft_str text = {copy, buf->len};
    haft__buf_finish(buf);
    return text;
}

static haft_str result_of(haft_status status, const haft__json *value, const haft_error *err,
                          const haft__json_notes *notes)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    if (status == HAFT_OK && value != NULL) {
        haft__json_write(&buf, *value);
        haft__buf_addf(&buf, " lone=%u duplicates=%u", notes->lone_surrogates,
                       notes->duplicate_keys);
    } else {
        haft__buf_addf(&buf, "%s %s: %s (%s)", haft_status_name(status), err->where, err->message,
                       err->hint);
    }
    return keep(&buf);
}

static haft_str read_strictly(haft_str text, const haft__json_options *options)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err = {0};
    haft__json_notes notes = {0};
    haft_status status = haft__json_read(&arena, text, options, &value, &notes, &err);
    haft_str result = result_of(status, &value, &err, &notes);
    haft__arena_finish(&arena);
    return result;
}

typedef struct run {
    haft__arena arena;
    haft__json_stream stream;
    haft__json_builder builder;
    haft_error err;
} run;

static void run_init(run *r, const haft__json_options *options)
{
    haft__arena_init(&r->arena, 0);
    haft__json_stream_init(&r->stream, options);
    haft__json_builder_init(&r->builder, &r->arena, options);
    r->err = (haft_error){0};
}

static void run_finish(run *r)
{
    haft__json_builder_finish(&r->builder);
    haft__json_stream_finish(&r->stream);
    haft__arena_finish(&r->arena);
}

/* Gives one piece to the stream and its events to the builder. */
static haft_status feed(run *r, haft_str piece)
{
    haft__json_event event;
    do {
        haft_status status = haft__json_stream_next(&r->stream, &piece, &event, &r->err);
        if (status == HAFT_OK) {
            status = haft__json_builder_add(&r->builder, &event, &r->err);
        }
        if (status != HAFT_OK) {
            return status;
        }
    } while (event.kind != HAFT__JSON_EVENT_MORE);
    CHECK_INT(piece.len, 0, "bytes left at the event MORE");
    return HAFT_OK;
}

static haft_status feed_all(run *r, haft_str text, cut_after *cut, size_t argument)
{
    for (size_t from = 0; from < text.len;) {
        size_t to = next_cut(text, from, cut, argument);
        /* A copy of its own, so that a sanitizer detects any read beyond the piece. */
        char *piece = malloc(to - from);
        CHECK(piece != NULL, "out of memory");
        memcpy(piece, text.ptr + from, to - from);
        haft_status status = feed(r, (haft_str){piece, to - from});
        free(piece);
        if (status != HAFT_OK) {
            return status;
        }
        from = to;
    }
    haft__json_stream_end(&r->stream);
    return feed(r, (haft_str){NULL, 0});
}

static haft_str in_pieces(haft_str text, const haft__json_options *options, cut_after *cut,
                          size_t argument)
{
    run r;
    run_init(&r, options);
    haft_status status = feed_all(&r, text, cut, argument);
    haft__json_notes notes = r.stream.notes;
    notes.duplicate_keys = r.builder.stack.duplicates;
    const haft__json *value = haft__json_builder_value(&r.builder);
    CHECK(status != HAFT_OK || value != NULL, "no value after the end");
    haft_str result = result_of(status, value, &r.err, &notes);
    run_finish(&r);
    return result;
}

static void check_all_cuts(haft_str text, const char *name)
{
    haft_str wanted = read_strictly(text, NULL);
    CHECK_STR(in_pieces(text, NULL, cut_at, text.len), wanted, "%s in one piece", name);
    if (text.len > 2000) {
        CHECK_STR(in_pieces(text, NULL, cut_every, 1), wanted, "%s in pieces of one byte", name);
        CHECK_STR(in_pieces(text, NULL, cut_every, 977), wanted, "%s in pieces of 977 bytes", name);
        return;
    }
    for (size_t at = 1; at < text.len; at++) {
        CHECK_STR(in_pieces(text, NULL, cut_at, at), wanted, "%s cut at %zu", name, at);
    }
    for (size_t size = 1; size < 9; size++) {
        CHECK_STR(in_pieces(text, NULL, cut_every, size), wanted, "%s in pieces of %zu bytes", name,
                  size);
        CHECK_STR(in_pieces(text, NULL, cut_at_random, size), wanted,
                  "%s in random pieces, seed %zu", name, size);
    }
}

static const char *const texts[] = {
    "",
    "  ",
    "null",
    " true ",
    "false",
    "nul",
    "nulx",
    "[nul]",
    "0",
    "-0",
    "-",
    "-x",
    "01",
    "-01",
    "1.",
    "1.x",
    "1.5",
    "-12.50e+30",
    "1e",
    "1e+",
    "1ex",
    "1E-5 ",
    "[0,-1.5e3,1e5,0.5,0e1]",
    "123456789012345678901234567890",
    "\"\"",
    "\"abc\"",
    "\"abc",
    "\"a\\",
    "\"a\\x\"",
    "\"\\u12",
    "\"\\u12g4\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"a\\nb\\tc\\u0041d\\u00e9e\\u20acf\"",
    "\"\\uD83D\\uDE00\"",
    "\"\\uD83D\"",
    "\"\\uD83Dx\"",
    "\"\\uD83D\\n\"",
    "\"\\uD83D\\uD83D\\uDE00\\uDE00\"",
    "\"\\uD83D\xE2\x82\xAC\"",
    "\"\xE2\x82\xAC \xF0\x9F\x98\x80 \xC3\xA9\"",
    "\"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82"
    "\xAC"
    "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82"
    "\xAC"
    "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\"",
    "\"\xE2\x82\"",
    "\"\xE2\x82",
    "\"\xC3(\"",
    "\"\x80\"",
    "\"\xED\xA0\x80\"",
    "\"a\nb\"",
    "\"\\u0041\\u0042\\u0043\\u0044\\u0045\\u0046\\u0047\\u0048\\u0049\\u004a\\u004b\\u20ac\\u20ac"
    "\\u20ac"
    "\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u"
    "20ac"
    "\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\uD83D\\uDE00\\uD83D\\uDE00 and plain text\"",
    "[]",
    "{}",
    "[ ]",
    "{ }",
    "[",
    "{",
    "[1",
    "[1,",
    "[1,]",
    "[,]",
    "[1 2]",
    "[\n1,\n\n x]",
    "{\"a\"",
    "{\"a\" 1}",
    "{\"a\":",
    "{\"a\":}",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{\"a\":1 \"b\"",
    "{a:1}",
    "{\"a\":1]",
    "[1}",
    "{\"a\":1,\"b\":[true,null,{\"c\":\"d\"}],\"e\":{}}",
    "{\"k\\u0065y\":1,\"k\xC3\xA9y\\n\":2,\"\":3,\"\\uD800\":4}",
    "{\"a\":1,\"b\":2,\"a\":3,\"\\u0062\":4}",
    "[[[[[[[[[[1]]]]]]]]]]",
    "1 2",
    "[] x",
    "\xEF\xBB\xBF{}",
    "\xEF\x01",
    "[\xEF]",
    "\x01",
};

TEST(every_cut_gives_what_the_strict_reader_gives)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        check_all_cuts(haft__str(texts[i]), texts[i]);
    }
}

TEST(nesting_is_handled_up_to_the_limit)
{
    for (unsigned depth = 60; depth <= HAFT__LIMIT_JSON_DEPTH + 1; depth++) {
        char text[2 * (HAFT__LIMIT_JSON_DEPTH + 1) + 1];
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        haft_str nested = {text, 2 * depth};
        CHECK_STR(in_pieces(nested, NULL, cut_every, 5), read_strictly(nested, NULL), "%u levels",
                  depth);
    }
}

TEST(limits_equal_those_of_the_strict_reader)
{
    static const struct {
        const char *text;
        uint32_t depth, values, key, number, bytes; /* 0: the default */
        bool accepted;
    } cases[] = {
        {"[[]]", 2, 0, 0, 0, 0, true},
        {"[[[]]]", 2, 0, 0, 0, 0, false},
        {"{\"a\":[1,2]}", 0, 5, 0, 0, 0, true},
        {"{\"a\":[1,2]}", 0, 4, 0, 0, 0, false},
        {"{\"a\":1}", 0, 1, 0, 0, 0, false},
        {"{\"abc\":\"longer\"}", 0, 0, 3, 0, 0, true},
        {"{\"abcd\":1}", 0, 0, 3, 0, 0, false},
        {"{\"ab\\n\":1}", 0, 0, 4, 0, 0, true},
        {"{\"ab\\n\":1}", 0, 0, 3, 0, 0, false},
        {"{\"ab\\n\":1}", 0, 0, 2, 0, 0, false},
        {"{\"\\u0041\":1}", 0, 0, 6, 0, 0, true},
        {"{\"\\u0041\":1}", 0, 0, 5, 0, 0, false},
        {"{\"\\u0041\":1}", 0, 0, 1, 0, 0, false},
        {"{\"\xE2\x82\xAC\":1}", 0, 0, 3, 0, 0, true},
        {"{\"\xE2\x82\xAC\":1}", 0, 0, 2, 0, 0, false},
        {"{\"\xE2\x82\xAC\":1}", 0, 0, 1, 0, 0, false},
        {"[-123,4]", 0, 0, 0, 4, 0, true},
        {"[-1234,4]", 0, 0, 0, 4, 0, false},
        {"-1234", 0, 0, 0, 4, 0, false},
        {"-123", 0, 0, 0, 4, 0, true},
        {"[1,2]", 0, 0, 0, 0, 5, true},
        {"[1,2] ", 0, 0, 0, 0, 5, false},
        {"[1,23]", 0, 0, 0, 0, 5, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json_options o = HAFT__JSON_OPTIONS_INIT;
        o.max_depth = cases[i].depth > 0 ? cases[i].depth : o.max_depth;
        o.max_values = cases[i].values > 0 ? cases[i].values : o.max_values;
        o.max_key_bytes = cases[i].key > 0 ? cases[i].key : o.max_key_bytes;
        o.max_number_bytes = cases[i].number > 0 ? cases[i].number : o.max_number_bytes;
        o.max_bytes = cases[i].bytes > 0 ? cases[i].bytes : o.max_bytes;
        haft_str text = haft__str(cases[i].text);
        haft_str whole = in_pieces(text, &o, cut_at, text.len);
        CHECK_INT(!haft__str_starts_with(whole, HAFT__LIT("TOO_BIG")), cases[i].accepted,
                  "%s: %.*s", cases[i].text, HAFT__ARG(whole));
        CHECK_INT(!haft__str_starts_with(read_strictly(text, &o), HAFT__LIT("TOO_BIG")),
                  cases[i].accepted, "%s, strict reader", cases[i].text);
        for (size_t at = 1; at < text.len; at++) {
            CHECK_STR(in_pieces(text, &o, cut_at, at), whole, "%s cut at %zu", cases[i].text, at);
        }
        CHECK_STR(in_pieces(text, &o, cut_every, 1), whole, "%s in pieces of one byte",
                  cases[i].text);
    }
}

static void stream_too_deep(void)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = 1000;
    haft__json_stream stream;
    haft__json_stream_init(&stream, &options);
}

TEST(options_past_the_limits_are_asserted)
{
    CHECK(test_aborts(stream_too_deep), "a depth past the limit");
}

/* The events of a text given whole, one word each. */
static haft_str events_of(haft_str text)
{
    static const char *const words[] = {"more", "done", "begin", "end", "key", "part", "scalar"};
    haft__json_stream stream;
    haft__json_stream_init(&stream, NULL);
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    haft__json_event event = {.kind = HAFT__JSON_EVENT_BEGIN};
    while (event.kind != HAFT__JSON_EVENT_MORE && event.kind != HAFT__JSON_EVENT_DONE
           && haft__json_stream_next(&stream, &text, &event, NULL) == HAFT_OK) {
        haft_str value = haft__json_text(event.value);
        haft__buf_addf(&buf, "%s%u(%.*s) ", words[event.kind], event.depth, HAFT__ARG(value));
    }
    haft__buf_addf(&buf, "left %zu", text.len);
    haft__json_stream_finish(&stream);
    return keep(&buf);
}

TEST(events_come_as_early_as_they_can)
{
    static const struct {
        const char *text, *events;
    } cases[] = {
        {"{\"a\":[1,\"x\\ny\",null", "begin0() key1(a) begin1() scalar2(1) part2(x) part2(\n) "
                                     "scalar2(y) scalar2() more2() left 0"},
        {"{\"a\":\"b\"}</tool_call>", "begin0() key1(a) scalar1(b) end0() done0() left 12"},
        {"12 ", "scalar0(12) done0() left 1"},
        {"12", "more0() left 0"},
        {"\"ab", "part0(ab) more0() left 0"},
        {"\"ab\\", "part0(ab) more0() left 0"},
        {"[12", "begin0() more1() left 0"},
        {"[tru", "begin0() more1() left 0"},
        {"{\"ke", "begin0() more1() left 0"},
        {"\"ab\\n\\u0", "part0(ab) part0(\n) more0() left 0"},
        {"\"ab\\n\\x", "part0(ab) part0(\n) left 1"}, /* and then it fails */
        {"\"ab\\n\\u0g", "part0(ab) part0(\n) left 1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = events_of(haft__str(cases[i].text));
        CHECK_STR(found, haft__str(cases[i].events), "%s", cases[i].text);
    }
}

TEST(after_an_error_nothing_more_is_read)
{
    haft__json_stream stream;
    haft__json_stream_init(&stream, NULL);
    haft_str bytes = HAFT__LIT("x");
    haft__json_event event;
    haft_error err;
    CHECK_INT(haft__json_stream_next(&stream, &bytes, &event, &err), HAFT_BAD_INPUT,
              "status of the error");
    bytes = HAFT__LIT("1 ");
    CHECK_INT(haft__json_stream_next(&stream, &bytes, &event, &err), HAFT_BAD_STATE,
              "status after the error");
    haft__json_stream_finish(&stream);
}

TEST(the_builder_rejects_duplicate_keys_on_request)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = true;
    haft_str text = HAFT__LIT("{\"a\":1,\"a\":2}");
    CHECK_STR(in_pieces(text, &options, cut_every, 3),
              HAFT__LIT("BAD_INPUT : expected each key once in an object, found \"a\" more than "
                        "once ()"),
              "a key twice");
}

TEST(a_value_exists_only_when_it_is_complete)
{
    run r;
    run_init(&r, NULL);
    CHECK_INT(feed(&r, HAFT__LIT("[1,")), HAFT_OK, "feeding the first piece");
    CHECK(haft__json_builder_value(&r.builder) == NULL, "a value while the array is open");
    CHECK_INT(feed(&r, HAFT__LIT("2]")), HAFT_OK, "feeding the second piece");
    const haft__json *value = haft__json_builder_value(&r.builder);
    CHECK(value != NULL && value->count == 2, "the value when the array is closed");
    run_finish(&r);
}

TEST(every_failed_allocation_in_the_stream_is_reported)
{
    haft_str text =
        HAFT__LIT("{\"a key\\n\":[12345,\"text \\u20ac and more\"],\"b\":[[]],\"c\":1}");
    for (unsigned n = 0;; n++) {
        run r;
        run_init(&r, NULL);
        haft_status status = HAFT_OK;
        test_fail_allocation(n);
        for (size_t i = 0; i < text.len && status == HAFT_OK; i++) {
            status = feed(&r, (haft_str){text.ptr + i, 1});
        }
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        run_finish(&r);
        if (!failed) {
            CHECK(n > 2, "only %u allocations were tried", n);
            break;
        }
    }
}

TEST(a_stack_that_cannot_grow_is_reported)
{
    for (unsigned n = 0;; n++) {
        run r;
        run_init(&r, NULL);
        test_fail_allocation(n);
        haft_status status = HAFT_OK;
        for (int i = 0; i < 70 && status == HAFT_OK; i++) {
            status = feed(&r, i % 2 == 0 ? HAFT__LIT("[") : HAFT__LIT("[1,"));
        }
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        run_finish(&r);
        if (!failed) {
            break;
        }
    }
}

TEST(the_json_test_suite_agrees_at_every_cut)
{
    char **names;
    size_t count = test_list_folder(HELP_SUITE, &names);
    if (count == 0) {
        test_skip_suite(HELP_SUITE);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char path[512];
        (void)snprintf(path, sizeof(path), "%s/%s", HELP_SUITE, names[i]);
        check_all_cuts(test_read_file(path), names[i]);
    }
}
