/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/write.c: the parser reads written calls back as exactly the same calls, from
 * the whole text and in pieces, for random tools and arguments. Numbers keep every digit, members
 * their order.
 *
 * The tests omit what a format cannot express (docs/formats.md lists it):
 *   - formats with parameters in tags: a string that contains the mark that ends a value; a string
 *     that is valid JSON, if the schema also allows other types;
 *   - pythonic: names of arguments that are not names in Python;
 *   - codemode: it has no calls.
 */
#include "format/render.h"
#include "parse_help.h"
#include "random_help.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

#define TOOLS 3

/* ---- writing and reading ---- */

/* Describes the written calls as add_found describes the parsed ones. */
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
    CHECK_STR(haft__buf_str(&parsed.content), content, "%s: the content", input->format);
    bool same = haft__str_equal(haft__buf_str(&found), wanted);
    help_parsed_finish(&parsed);
    haft__buf_finish(&found);
    return same;
}

static bool check_random_calls(help_maker *m, haft__arena *arena)
{
    static const char *const names[TOOLS] = {"f", "get_weather", "docs_-_find-2"};
    static const char *const texts[] = {"", "Let me look.", "\xC3\xA9t\xC3\xA9\nand more"};
    haft__format_tool tools[TOOLS];
    haft__format_call calls[4];
    haft__buf arguments[COUNT(calls)], text, wanted;
    size_t count = 1 + help_roll(m, COUNT(calls));
    haft__buf_init(&text, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    for (size_t i = 0; i < TOOLS; i++) {
        tools[i] = (haft__format_tool){.name = haft__str(names[i]),
                                       .parameters = help_make_schema(m, arena)};
    }
    for (size_t i = 0; i < count; i++) {
        const haft__format_tool *tool = &tools[help_roll(m, TOOLS)];
        haft__buf_init(&arguments[i], 1 << 20);
        (void)help_add_arguments(m, &arguments[i], tool, HELP_FLAW_NONE);
        calls[i] = (haft__format_call){HAFT__LIT("c1.1"), tool->name, haft__buf_str(&arguments[i]),
                                       false, i};
        add_wanted(&wanted, &calls[i], i);
    }
    haft_str content = haft__str(texts[help_roll(m, COUNT(texts))]);
    haft__format_write_calls(&text, m->format, content, calls, count);
    help_input input = {.format = m->format->name,
                        .text = haft__buf_str(&text),
                        .tools = tools,
                        .tool_count = TOOLS};
    bool same = read_back(&input, 0, 0, haft__buf_str(&wanted), content)
                && read_back(&input, 1, 1, haft__buf_str(&wanted), content)
                && read_back(&input, 1 + help_roll(m, 40), 1 + help_roll(m, 20),
                             haft__buf_str(&wanted), content);
    for (size_t i = 0; i < count; i++) {
        haft__buf_finish(&arguments[i]);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&wanted);
    return same;
}

TEST(rendered_calls_are_parsed)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long max = rounds != NULL ? strtol(rounds, NULL, 10) : 300;
    for (size_t f = 0; f < count; f++) {
        help_maker m = {.state = 88172645463325252U,
                        .format = formats[f],
                        .tagged = formats[f]->render.param != NULL};
        bool calls = strcmp(formats[f]->name, "codemode") != 0, same = true;
        for (long i = 0; calls && same && i < max; i++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            same = check_random_calls(&m, &arena);
            haft__arena_finish(&arena);
        }
    }
}
