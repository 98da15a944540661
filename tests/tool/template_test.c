/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/template.c. */
#include "tool/template.h"

#include "base/limits.h"
#include "test.h"
#include "tool/args.h"
#include "json/read.h"

/* The pieces of a template: texts in [], arguments in <>. */
static haft_str show(haft__buf *buf, haft_str text)
{
    haft__template_piece piece;
    haft_str rest = text;
    haft__buf_clear(buf);
    while (haft__template_next(&rest, &piece)) {
        bool argument = piece.name.ptr != NULL;
        haft__buf_add_char(buf, argument ? '<' : '[');
        haft__buf_add_str(buf, argument ? piece.name : piece.text);
        haft__buf_add_char(buf, argument ? '>' : ']');
    }
    return haft__buf_str(buf);
}

static const struct {
    const char *text, *wanted;
} rows[] = {
    {"", ""},
    {"plain", "[plain]"},
    {"{a}", "<a>"},
    {"{a}{b}", "<a><b>"},
    {"x{a}y{b-c.d_9}z", "[x]<a>[y]<b-c.d_9>[z]"},
    {"{", "[{]"},
    {"}", "[}]"},
    {"{}", "[{}]"},
    {"{a", "[{a]"},
    {"{ a }", "[{ a }]"},
    {"{\"a\":1}", "[{\"a\":1}]"},
    {"{{a}}", "[{]<a>[}]"},
    {"${A}", "[${A}]"},
    {"${A}{a}", "[${A}]<a>"},
    {"{a}${A}", "<a>[${A}]"},
    {"$${A}", "[$${A}]"},
    {"${", "[${]"},
    {"$", "[$]"},
    {"$${a}{b}$", "[$${a}]<b>[$]"},
    {"{\xc3\xa4}", "[{\xc3\xa4}]"},
};

TEST(templates_are_split_into_pieces)
{
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(show(&buf, haft__str(rows[i].text)), haft__str(rows[i].wanted), "%s",
                  rows[i].text);
    }
    haft__buf_finish(&buf);
}

TEST(the_length_of_names_is_limited)
{
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    for (size_t length = HAFT__ARGS_NAME_BYTES; length <= HAFT__ARGS_NAME_BYTES + 1; length++) {
        char text[HAFT__ARGS_NAME_BYTES + 8] = "{";
        memset(text + 1, 'a', length);
        text[1 + length] = '}';
        bool name = haft__str_starts_with(show(&buf, (haft_str){text, length + 2}), HAFT__LIT("<"));
        CHECK_INT(name, length == HAFT__ARGS_NAME_BYTES, "a name of %zu bytes", length);
    }
    haft__buf_finish(&buf);
}

TEST(many_braces_are_read_once)
{
    size_t size = 1 << 20;
    char *text = test_alloc(size);
    memset(text, '{', size);
    haft_str rest = {text, size};
    haft__template_piece piece;
    CHECK(haft__template_next(&rest, &piece), "no piece");
    CHECK_INT(piece.text.len, size, "all of it is text");
    CHECK(!haft__template_next(&rest, &piece), "no further piece");
}

TEST(arguments_are_written_as_text)
{
    static const struct {
        const char *json, *wanted;
    } values[] = {
        {"\"a \\\"b\\\"\"", "a \"b\""},
        {"12.50", "12.50"},
        {"true", "true"},
        {"null", "null"},
        {"[1,\"x\"]", "[1,\"x\"]"},
        {"{\"a\":{}}", "{\"a\":{}}"},
        {"\"\"", ""},
    };
    haft__arena arena;
    haft__buf buf;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1000);
    for (size_t i = 0; i < COUNT(values); i++) {
        haft__json value;
        CHECK_INT(haft__json_read(&arena, haft__str(values[i].json), NULL, &value, NULL, NULL),
                  HAFT_OK, "%s", values[i].json);
        haft__buf_clear(&buf);
        haft__template_add(&buf, &value);
        CHECK_STR(haft__buf_str(&buf), haft__str(values[i].wanted), "%s", values[i].json);
    }
    haft__buf_clear(&buf);
    haft__template_add(&buf, NULL);
    CHECK_INT(buf.len, 0, "a missing argument has no text");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(arguments_are_found_in_the_schema)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema;
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"properties\":{\"a\":{}}}"), NULL, &schema, NULL,
                              NULL),
              HAFT_OK, "the schema is JSON");
    CHECK(haft__template_has_argument(schema, HAFT__LIT("a")), "an argument of the schema");
    CHECK(!haft__template_has_argument(schema, HAFT__LIT("b")), "an unknown argument");
    CHECK(!haft__template_has_argument(haft__json_null(), HAFT__LIT("a")),
          "a null schema has no arguments");
    haft__arena_finish(&arena);
}
