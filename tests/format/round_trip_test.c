/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/write.c: what is written as calls is read as exactly those calls, whole and
 * cut, for tools and arguments made at random. Numbers keep every digit, members their order.
 *
 * What a format cannot say is left out here, and docs/formats.md lists it:
 *   - formats with parameters in tags: a string with one of the format's marks in it; a string that
 *     reads as JSON where the schema allows other types, too;
 *   - pythonic: names of arguments that are no names in Python;
 *   - codemode: it has no calls.
 */
#include "format/render.h"
#include "parse_help.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

#define TOOLS 3

typedef struct maker {
    uint64_t state;
    const haft__format *format;
    bool tagged; /* parameters in tags */
} maker;

static uint64_t roll(maker *m, uint64_t below)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return m->state % below;
}

/* ---- values ---- */

static const char *const pieces[] = {
    "",
    "a",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "'",
    "\\",
    "\\n",
    "\xC3\xA9",
    "\xF0\x9F\x98\x80",
    "\x01",
    "\x7f",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "&amp;",
    "<p>",
    "%n",
    "%",
    "```",
    "\n```\n",
    "\xE2\x80\xA8",
    "true",
    "null",
    "None",
    "{\"name\":1}",
    "</x>",
    "#",
    "\xE4\xB8\xAD",
    ";",
    ">>>",
    "f(a=1)",
    "\xEF\xBD\x9C",
    "\b\f",
};

static const char *const numbers[] = {
    "0", "-1", "7", "9007199254740993", "-9223372036854775808", "123456789012345678901234567890",
};
static const char *const fractions[] = {"1.50", "-0.25", "1e5", "2.5E-3",
                                        "100000000000000000000.5"};

static const char *any_mark(maker *m)
{
    for (;;) {
        const haft__place *place = &m->format->places[roll(m, HAFT__FORMAT_PLACES)];
        const char *text = place->marks[roll(m, COUNT(place->marks))].text;
        if (text != NULL) {
            return text;
        }
    }
}

static void add_string(maker *m, haft__buf *buf, const char *start, bool marks)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__buf_addf(&text, "%s", start);
    for (uint64_t i = roll(m, 6); i > 0; i--) {
        haft__buf_addf(&text, "%s",
                       marks && roll(m, 4) == 0 ? any_mark(m) : pieces[roll(m, COUNT(pieces))]);
    }
    haft__json_write_string(buf, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static void add_any(maker *m, haft__buf *buf, unsigned depth);

static void add_object(maker *m, haft__buf *buf, unsigned depth)
{
    uint64_t count = depth > 0 ? roll(m, 4) : 0;
    haft__buf_add_char(buf, '{');
    for (uint64_t i = 0; i < count; i++) {
        haft__buf_addf(buf, "%s\"%s%d\":", i > 0 ? "," : "", i == 1 ? "a b\\n\\\"" : "k", (int)i);
        add_any(m, buf, depth - 1);
    }
    haft__buf_add_char(buf, '}');
}

static void add_array(maker *m, haft__buf *buf, unsigned depth)
{
    uint64_t count = depth > 0 ? roll(m, 4) : 0;
    haft__buf_add_char(buf, '[');
    for (uint64_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        add_any(m, buf, depth - 1);
    }
    haft__buf_add_char(buf, ']');
}

static void add_typed(maker *m, haft__buf *buf, char type, unsigned depth)
{
    bool marks = !m->tagged;
    switch (type) {
    case 's': add_string(m, buf, "", marks); return;
    case 'i': haft__buf_addf(buf, "%s", numbers[roll(m, COUNT(numbers))]); return;
    case 'f': haft__buf_addf(buf, "%s", fractions[roll(m, COUNT(fractions))]); return;
    case 'b': haft__buf_addf(buf, "%s", roll(m, 2) == 0 ? "true" : "false"); return;
    case 'n': haft__buf_addf(buf, "null"); return;
    case 'o': add_object(m, buf, depth); return;
    case 'l': add_array(m, buf, depth); return;
    default: add_string(m, buf, "~", marks); return; /* which is not JSON, whatever follows */
    }
}

static void add_any(maker *m, haft__buf *buf, unsigned depth)
{
    add_typed(m, buf, "sifbnolx"[roll(m, 8)], depth);
}

/* ---- tools: each parameter's name begins with its type ---- */

static const struct {
    char type;
    const char *schema;
} types[] = {
    {'s', "{\"type\":\"string\"}"},
    {'i', "{\"type\":\"integer\"}"},
    {'f', "{\"type\":\"number\"}"},
    {'b', "{\"type\":\"boolean\"}"},
    {'n', "{\"type\":\"null\"}"},
    {'o', "{\"type\":\"object\"}"},
    {'l', "{\"type\":\"array\"}"},
    {'x', "{}"},
    {'y', "{\"type\":[\"string\",\"null\"]}"},
};

static haft__json make_schema(maker *m, haft__arena *arena)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__buf_addf(&buf, "{\"type\":\"object\",\"properties\":{");
    uint64_t count = roll(m, 7);
    for (uint64_t i = 0; i < count; i++) {
        size_t type = roll(m, COUNT(types));
        haft__buf_addf(&buf, "%s\"%c_%d\":%s", i > 0 ? "," : "", types[type].type, (int)i,
                       types[type].schema);
    }
    haft__buf_addf(&buf, "}}");
    haft__json schema = haft__json_null();
    haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
    haft_status status = haft__json_read(arena, text, NULL, &schema, NULL, NULL);
    CHECK_INT(status, HAFT_OK, "a schema of the test");
    haft__buf_finish(&buf);
    return schema;
}

static void add_arguments(maker *m, haft__buf *buf, const haft__format_tool *tool)
{
    const haft__json *properties = haft__json_get(tool->parameters, HAFT__LIT("properties"));
    size_t written = 0;
    haft__buf_add_char(buf, '{');
    for (uint32_t i = 0; i < properties->count; i++) {
        haft_str key = haft__json_text(properties->members[i].key);
        if (roll(m, 4) > 0) {
            haft__buf_addf(buf, "%s\"%.*s\":", written++ > 0 ? "," : "", HAFT__ARG(key));
            add_typed(m, buf, key.ptr[0], 3);
        }
    }
    haft__buf_add_char(buf, '}');
}

/* ---- there and back ---- */

/* As the parser's findings are written down by the help, but for ids. */
static void add_wanted(haft__buf *wanted, const haft__format_call *call, size_t i)
{
    haft__buf_addf(wanted, "%s%.*s %.*s", i > 0 ? "\n" : "", HAFT__ARG(call->name),
                   HAFT__ARG(call->arguments));
}

static void add_found(haft__buf *found, haft_str calls)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json list = haft__json_null();
    CHECK_INT(haft__json_read(&arena, calls, NULL, &list, NULL, NULL), HAFT_OK, "%.*s",
              HAFT__ARG(calls));
    for (uint32_t i = 0; i < list.count; i++) {
        haft__buf_addf(
            found, "%s%.*s ", i > 0 ? "\n" : "",
            HAFT__ARG(haft__json_text(*haft__json_get(list.items[i], HAFT__LIT("name")))));
        haft__json_write(found, *haft__json_get(list.items[i], HAFT__LIT("arguments")));
    }
    haft__arena_finish(&arena);
}

static bool read_back(const help_input *input, size_t first, size_t chunk, haft_str wanted,
                      haft_str content)
{
    help_parsed parsed;
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    help_parsed_init(&parsed);
    help_parse(input, first, chunk, &parsed);
    add_found(&found, haft__buf_str(&parsed.calls));
    CHECK_STR(haft__buf_str(&found), wanted, "%s, pieces of %zu: %.*s; %.*s", input->format, chunk,
              HAFT__ARG(input->text), HAFT__ARG(haft__buf_str(&parsed.errors)));
    CHECK_STR(haft__buf_str(&parsed.content), content, "%s: the text", input->format);
    bool same = haft__str_equal(haft__buf_str(&found), wanted);
    help_parsed_finish(&parsed);
    haft__buf_finish(&found);
    return same;
}

static bool go(maker *m, haft__arena *arena)
{
    static const char *const names[TOOLS] = {"f", "get_weather", "docs_-_find-2"};
    static const char *const texts[] = {"", "Let me look.", "\xC3\xA9t\xC3\xA9\nand more"};
    haft__format_tool tools[TOOLS];
    haft__format_call calls[4];
    haft__buf arguments[COUNT(calls)], text, wanted;
    size_t count = 1 + roll(m, COUNT(calls));
    haft__buf_init(&text, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    for (size_t i = 0; i < TOOLS; i++) {
        tools[i] =
            (haft__format_tool){.name = haft__str(names[i]), .parameters = make_schema(m, arena)};
    }
    for (size_t i = 0; i < count; i++) {
        const haft__format_tool *tool = &tools[roll(m, TOOLS)];
        haft__buf_init(&arguments[i], 1 << 20);
        add_arguments(m, &arguments[i], tool);
        calls[i] =
            (haft__format_call){HAFT__LIT("c1.1"), tool->name, haft__buf_str(&arguments[i]), false};
        add_wanted(&wanted, &calls[i], i);
    }
    haft_str content = haft__str(texts[roll(m, COUNT(texts))]);
    haft__format_write_calls(&text, m->format, content, calls, count);
    help_input input = {.format = m->format->name,
                        .text = haft__buf_str(&text),
                        .tools = tools,
                        .tool_count = TOOLS};
    bool same =
        read_back(&input, 0, 0, haft__buf_str(&wanted), content)
        && read_back(&input, 1, 1, haft__buf_str(&wanted), content)
        && read_back(&input, 1 + roll(m, 40), 1 + roll(m, 20), haft__buf_str(&wanted), content);
    for (size_t i = 0; i < count; i++) {
        haft__buf_finish(&arguments[i]);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&wanted);
    return same;
}

TEST(what_is_written_is_read)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long most = rounds != NULL ? strtol(rounds, NULL, 10) : 300;
    for (size_t f = 0; f < count; f++) {
        maker m = {.state = 88172645463325252U,
                   .format = formats[f],
                   .tagged = formats[f]->render.param != NULL};
        bool calls = strcmp(formats[f]->name, "codemode") != 0, same = true;
        for (long i = 0; calls && same && i < most; i++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            same = go(&m, &arena);
            haft__arena_finish(&arena);
        }
    }
}
