/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/formats.c, and for the tables of all formats. */
#include "base/str.h"
#include "format/grammar/grammar.h"
#include "format/render.h"
#include "test.h"

TEST(formats_are_found_by_their_names)
{
    static const struct {
        const char *name, *found;
    } cases[] = {{"hermes", "hermes"},
                 {"HERMES", "hermes"},
                 {"PureJson", "purejson"},
                 {"json", "purejson"},
                 {"Code", "codemode"},
                 {"CodeMode", "codemode"},
                 {"qwen3coder", "qwen3coder"},
                 {"hermes ", NULL},
                 {"", NULL},
                 {"herme", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__format *format = haft__format_find(haft__str(cases[i].name));
        CHECK_STR(haft__str(format != NULL ? format->name : "none"),
                  haft__str(cases[i].found != NULL ? cases[i].found : "none"), "%s", cases[i].name);
    }
}

static void check_mark(const haft__format *format, size_t place, const haft__format_mark *mark)
{
    const haft__format_state *to = &format->states[mark->to];
    CHECK(strlen(mark->text) > 0, "%s: an empty mark", format->name);
    CHECK(mark->to == 0 || to->scan != HAFT__SCAN_NONE || to->marks[0].text != NULL
              || to->bytes != HAFT__BYTES_CONTENT,
          "%s: a mark of state %zu leads to a state that does not exist", format->name, place);
    for (const haft__format_mark *other = format->states[place].marks;
         other < format->states[place].marks + COUNT(format->states[place].marks)
         && other->text != NULL;
         other++) {
        const char *inside = strstr(other->text, mark->text);
        CHECK(other == mark || inside == NULL || strlen(inside) == strlen(mark->text),
              "%s: \"%s\" is a part of \"%s\"", format->name, mark->text, other->text);
    }
}

/* The automaton requires that no mark is a part of another one, except its end. */
TEST(the_tables_of_all_formats_are_consistent)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t place = 0; place < HAFT__FORMAT_STATES; place++) {
            const haft__format_mark *marks = formats[i]->states[place].marks;
            for (size_t m = 0; m < COUNT(formats[i]->states[0].marks) && marks[m].text != NULL;
                 m++) {
                check_mark(formats[i], place, &marks[m]);
            }
        }
        CHECK_INT(formats[i]->states[formats[i]->plain].bytes, HAFT__BYTES_CONTENT,
                  "%s: plain text is not content", formats[i]->name);
    }
}

static bool has_act(const haft__format_state *place, haft__format_action act)
{
    bool has = false;
    for (size_t i = 0; i < COUNT(place->marks) && place->marks[i].text != NULL; i++) {
        has = has || place->marks[i].act == act;
    }
    return has;
}

/* If text and calls are allowed in a state, reasoning may begin there too, so that nothing in it
 * is a call. Harmony has messages for reasoning. */
TEST(states_that_find_calls_also_find_reasoning)
{
    size_t count, checked = 0;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        bool thinks = formats[i]->reasoning != 0 && strcmp(formats[i]->name, "harmony") != 0;
        for (size_t place = 0; thinks && place < HAFT__FORMAT_STATES; place++) {
            const haft__format_state *here = &formats[i]->states[place];
            bool text = here->bytes == HAFT__BYTES_CONTENT || here->bytes == HAFT__BYTES_TAIL
                        || here->bytes == HAFT__BYTES_SECTION_TEXT;
            if (text && here->fallback == 0 && has_act(here, HAFT__ACTION_CALL_BEGIN)) {
                CHECK(has_act(here, HAFT__ACTION_REASONING_AFTER_TEXT),
                      "%s: state %zu finds no reasoning", formats[i]->name, place);
                checked++;
            }
        }
    }
    CHECK(checked > 15, "only %zu states were checked", checked);
}

/* Text between a value and the mark that closes its call must not hide the mark. */
TEST(closing_mark_is_found_after_a_value)
{
    size_t count, scanners = 0;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t place = 0; place < HAFT__FORMAT_STATES; place++) {
            const haft__format_state *here = &formats[i]->states[place];
            if (here->scan == HAFT__SCAN_NONE || !formats[i]->json || formats[i]->open_ended) {
                continue;
            }
            scanners++;
            CHECK_INT(formats[i]->states[here->fallback].bytes, HAFT__BYTES_TAIL,
                      "%s: state %zu leads to no tail", formats[i]->name, place);
        }
    }
    CHECK(scanners > 5, "only %zu scanners were checked", scanners);
}

/* ---- the other fields of a format ---- */

/* Without this test only users would notice a format without a prompt or a grammar. */
TEST(every_format_has_a_prompt_and_a_grammar)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__render *render = &formats[i]->render;
        CHECK(render->teach != NULL && render->teach_tools != NULL
                  && strstr(render->teach_tools, "%l") != NULL,
              "%s: .render.teach, or .render.teach_tools with %%l, is missing", formats[i]->name);
        CHECK(render->call != NULL && render->result != NULL,
              "%s: .render.call or .render.result is missing", formats[i]->name);
        CHECK(haft__grammar_forms(formats[i]) > 0, "%s: .grammar is missing", formats[i]->name);
        for (size_t k = 0; k < haft__grammar_forms(formats[i]); k++) {
            const haft__call_syntax *frame = &formats[i]->grammar[k];
            CHECK(frame->kind != HAFT__CALL_SYNTAX_OBJECT
                      || (frame->name_key != NULL && frame->args_key != NULL),
                  "%s: .name_key or .args_key is missing", formats[i]->name);
            CHECK(frame->kind != HAFT__CALL_SYNTAX_TAGS
                      || (frame->key != NULL && frame->text != NULL && frame->json != NULL
                          && frame->after_value != NULL && frame->stops[0] != NULL),
                  "%s: a text around tags is missing", formats[i]->name);
        }
    }
}

/* Authors of a new format copy from that page. */
TEST(the_page_about_adding_a_format_shows_a_whole_file)
{
    haft_str page = test_read_file("docs/adding-a-format.md");
    haft_str file = test_read_file("src/format/dialects/functionary_v31.c");
    CHECK(page.ptr != NULL && file.ptr != NULL
              && memmem(page.ptr, page.len, file.ptr, file.len) != NULL,
          "docs/adding-a-format.md does not have src/format/dialects/functionary_v31.c as it is");
}

/* The smallest table that can be read. */
static const haft__format bare = {.name = "bare"};

TEST(texts_that_a_format_omits_are_empty)
{
    static const haft__format unlisted = {.name = "unlisted", .render = {.teach = "Call."}};
    haft__format_tool tools[] = {{.name = HAFT__LIT("f")}, {.name = HAFT__LIT("g")}};
    haft__format_call call = {.name = HAFT__LIT("f"), .arguments = HAFT__LIT("{}")};
    haft__format_result result = {.name = HAFT__LIT("f"), .text = HAFT__LIT("x")};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__format_write_tools(&buf, &bare, HAFT__HISTORY_NATIVE, tools, COUNT(tools));
    haft__format_write_calls(&buf, &bare, HAFT__LIT(""), &call, 1);
    haft__format_write_results(&buf, &bare, &result, 1);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT(""), "text of a format without texts");
    haft__format_write_tools(&buf, &unlisted, HAFT__HISTORY_NATIVE, tools, COUNT(tools));
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("Call."), "text without a list of tools");
    haft__buf_finish(&buf);
}

TEST(a_format_without_a_grammar_is_an_error)
{
    haft__format_tool tool = {.name = HAFT__LIT("f")};
    haft_error err = {.status = HAFT_OK};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft_status status = haft__grammar_gbnf(&buf, &bare, &tool, 1, NULL, HAFT__MODE_ANY,
                                            HAFT__LIT(""), NULL, NULL, &err);
    CHECK_INT(status, HAFT_UNSUPPORTED, "a grammar for a format without one");
    CHECK_STR(haft__str(err.message), HAFT__LIT("there is no grammar for the format bare"),
              "the reason");
    status = haft__grammar_schema(&buf, HAFT__TARGET_OPENAI, &bare, &tool, 1, NULL, HAFT__MODE_ANY,
                                  HAFT__LIT(""), NULL, NULL, &err);
    CHECK_INT(status, HAFT_OK, "a schema, which needs no grammar");
    haft__buf_finish(&buf);
}
