/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format: text that is not a call is reported in full. The replies contain the
 * beginning of every mark of every format, in every format.
 */
#include "base/macros.h"
#include "format/special_tokens.h"
#include "parse_help.h"
#include "test.h"

/* Whether the text has a mark of the format that cannot be prose. */
static bool has_mark(const haft__format *format, const char *text)
{
    for (size_t i = 0; i < HAFT__FORMAT_STATES; i++) {
        const haft__format_mark *marks = format->states[i].marks;
        for (size_t k = 0; k < COUNT(format->states[i].marks) && marks[k].text != NULL; k++) {
            if (strlen(marks[k].text) > 2 && strstr(text, marks[k].text) != NULL) {
                return true;
            }
        }
    }
    return false;
}

#define X(token) token,
static const char *const tokens[] = {HAFT__STOP_TOKENS(X)};
#undef X

/* Whether the text ends with a token that ends a turn: such a token is not a part of the text. */
static bool ends_turn(const char *text)
{
    for (size_t i = 0; i < COUNT(tokens); i++) {
        if (haft__str_ends_with(haft__str(text), haft__str(tokens[i]))) {
            return true;
        }
    }
    return false;
}

static void add_dense(haft__buf *to, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" \t\r\n", text.ptr[i]) == NULL) {
            haft__buf_add_char(to, text.ptr[i]);
        }
    }
}

static void check_parsed(const help_input *input, const help_parsed *parsed)
{
    haft__buf wanted, found;
    haft__buf_init(&wanted, 1 << 16);
    haft__buf_init(&found, 1 << 16);
    add_dense(&wanted, input->text);
    add_dense(&found, haft__buf_str(&parsed->reasoning));
    add_dense(&found, haft__buf_str(&parsed->content));
    CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "%s%s: %.*s", input->format,
              input->start_in_reasoning ? ", in reasoning" : "", HAFT__ARG(input->text));
    haft__buf_finish(&wanted);
    haft__buf_finish(&found);
}

/* Returns whether the text must be reported in full. */
static bool check_text(const haft__format *format, const char *text, bool inside)
{
    static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"g", 1}}};
    help_input input = {.format = format->name,
                        .text = haft__str(text),
                        .tools = tools,
                        .tool_count = COUNT(tools),
                        .start_in_reasoning = inside};
    if (has_mark(format, text) || ends_turn(text)) {
        return false;
    }
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, 0, 0, &parsed);
    bool plain = parsed.count == 0 && parsed.errors.len == 0 && parsed.code.len == 0;
    if (plain) {
        check_parsed(&input, &parsed);
    }
    help_parsed_finish(&parsed);
    return plain;
}

/* Checks the first bytes of a mark, as a whole reply and inside a reply. */
static size_t check_beginning(const haft__format *format, const char *mark, size_t length)
{
    static const char *const around[][2] = {{"", ""},    {"", " cat sat"},    {"", "cat"},
                                            {"so ", ""}, {"so ", " cat sat"}, {"\n", "\n2"}};
    size_t count = 0;
    for (size_t i = 0; i < 2 * COUNT(around); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "%s%.*s%s", around[i / 2][0], (int)length, mark,
                       around[i / 2][1]);
        count += check_text(format, text, i % 2 == 1) ? 1 : 0;
    }
    return count;
}

#define MAX_MARKS 1024

/* Adds the marks of the format that are not in the list yet: formats share many. */
static size_t add_marks(const char **list, size_t count, const haft__format *format)
{
    for (size_t i = 0; i < HAFT__FORMAT_STATES; i++) {
        const haft__format_mark *marks = format->states[i].marks;
        for (size_t k = 0; k < COUNT(format->states[i].marks) && marks[k].text != NULL; k++) {
            size_t j = 0;
            while (j < count && strcmp(list[j], marks[k].text) != 0) {
                j++;
            }
            if (j == count && count < MAX_MARKS) {
                list[count++] = marks[k].text;
            }
        }
    }
    return count;
}

static size_t check_mark(const haft__format *format, const char *mark)
{
    size_t count = 0;
    for (size_t length = 1; length <= strlen(mark); length++) {
        count += check_beginning(format, mark, length);
    }
    return count;
}

TEST(beginnings_of_marks_stay_text)
{
    static const char *marks[MAX_MARKS];
    size_t count, checked = 0, mark_count = 0;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t f = 0; f < count; f++) {
        mark_count = add_marks(marks, mark_count, formats[f]);
    }
    CHECK(mark_count < MAX_MARKS, "marks are left out");
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < mark_count; i++) {
            checked += check_mark(formats[f], marks[i]);
        }
    }
    CHECK(checked > 10000, "only %zu texts were checked", checked);
}

TEST(words_that_begin_like_a_mark_stay_whole)
{
    static const char *const words[] = {"a cat sat", "al dente", "allow me", "all",
                                        "all of it", "all\rx",   "a",        "alas\nand alack"};
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < COUNT(words); i++) {
            CHECK(check_text(formats[f], words[i], false), "%s: %s", formats[f]->name, words[i]);
        }
    }
}
