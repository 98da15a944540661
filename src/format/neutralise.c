/* SPDX-License-Identifier: Apache-2.0 */
/* neutralise.c - breaks marks in untrusted text. special_tokens.h lists the special tokens of known
 * models. Tests: tests/format/neutralise_test.c. */
#include "base/error.h"
#include "base/str.h"
#include "format/aho_corasick.h"
#include "format/render.h"
#include "format/special_tokens.h"

#define BREAK "\xE2\x80\x8B" /* U+200B, zero-width space */

#define X(token) token,
static const char *const special[] = {HAFT__SPECIAL_TOKENS(X)};
#undef X

/* Has room for all marks and special tokens. */
typedef struct list {
    const char
        *texts[COUNT(special) + HAFT__FORMAT_STATES * COUNT(((haft__format_state *)0)->marks)
               + COUNT(((haft__render *)0)->result_marks) + COUNT(((haft__render *)0)->tool_marks)];
    size_t count;
} list;

/* Whether a mark is broken in a text. Marks that are only brackets or a fence are too common in
 * texts. */
static bool must_break(const char *text)
{
    return (text[0] == '<' || text[0] == '[') && strlen(text) > 2;
}

static void add(list *marks, const char *text)
{
    for (size_t i = 0; i < marks->count; i++) {
        if (strstr(text, marks->texts[i]) != NULL) {
            return; /* breaking the mark in the list breaks this one too */
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < marks->count; i++) {
        if (strstr(marks->texts[i], text) == NULL) {
            marks->texts[kept++] = marks->texts[i];
        }
    }
    marks->count = kept;
    marks->texts[marks->count++] = text;
}

bool haft__format_has_mark(const haft__format *format, const char *text)
{
    for (size_t i = 0; i < HAFT__FORMAT_STATES; i++) {
        const haft__format_mark *mark = format->states[i].marks;
        for (size_t k = 0; k < COUNT(format->states[i].marks) && mark[k].text != NULL; k++) {
            if (strcmp(mark[k].text, text) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void collect(list *marks, const haft__format *format)
{
    for (size_t i = 0; i < COUNT(special); i++) {
        add(marks, special[i]);
    }
    for (size_t i = 0; i < HAFT__FORMAT_STATES; i++) {
        const haft__format_mark *mark = format->states[i].marks;
        for (size_t k = 0; k < COUNT(format->states[i].marks) && mark[k].text != NULL; k++) {
            if (must_break(mark[k].text)) {
                add(marks, mark[k].text);
            }
        }
    }
    for (size_t i = 0;
         i < COUNT(format->render.result_marks) && format->render.result_marks[i] != NULL; i++) {
        add(marks, format->render.result_marks[i]);
    }
}

/* Writes the first character of a mark so that the rest no longer forms the mark: as a JSON escape,
 * which has the same meaning, or followed by a zero-width space. */
static void add_first(haft__buf *buf, char first, bool json)
{
    if (json) {
        haft__buf_addf(buf, "\\u%04x", (unsigned char)first);
    } else {
        haft__buf_add_char(buf, first);
        haft__buf_add_str(buf, HAFT__LIT(BREAK));
    }
}

/* The first character of a mark does not occur again in the mark, so a mark ends before another one
 * can begin. The exception is a heading (##), which is broken after its first character. */
static void write_broken(haft__buf *buf, const haft__aho_corasick *marks, haft_str text, bool json)
{
    uint16_t node = 0;
    while (text.len > 0) {
        size_t plain = node == 0 ? haft__aho_corasick_skip(marks, text) : 0;
        haft__buf_add(buf, text.ptr, plain);
        text = haft__str_skip(text, plain);
        if (text.len == 0) {
            break;
        }
        const haft__aho_corasick_node *before = &marks->nodes[node];
        node = haft__aho_corasick_step(marks, node, text.ptr[0]);
        const haft__aho_corasick_node *after = &marks->nodes[node];
        size_t freed = before->depth + 1U - after->depth;
        haft__buf_add(buf, before->text, freed < before->depth ? freed : before->depth);
        if (freed > before->depth) {
            haft__buf_add_char(buf, text.ptr[0]);
        }
        if (after->mark != 0) {
            add_first(buf, after->text[0], json);
            haft__buf_add(buf, after->text + 1, after->depth - 1U);
            node = 0;
        }
        text = haft__str_skip(text, 1);
    }
    haft__buf_add(buf, marks->nodes[node].text, marks->nodes[node].depth);
}

static void neutralise(haft__buf *buf, list *marks, haft_str text, bool json)
{
    haft__aho_corasick built;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = haft__aho_corasick_build(&built, &arena, marks->texts, marks->count, NULL);
    if (status == HAFT_OK) {
        write_broken(buf, &built, text, json);
    } else {
        haft__buf_fail(buf, status, "out of memory");
    }
    haft__arena_finish(&arena);
}

void haft__format_neutralise_turn(haft__buf *buf, const haft__format *format, haft_str text)
{
    list marks = {.count = 0};
    for (size_t i = 0; i < COUNT(special); i++) {
        if (format == NULL || !haft__format_has_mark(format, special[i])) {
            add(&marks, special[i]);
        }
    }
    neutralise(buf, &marks, text, false);
}

void haft__format_neutralise(haft__buf *buf, const haft__format *format, haft_str text)
{
    list marks = {.count = 0};
    collect(&marks, format);
    neutralise(buf, &marks, text, false);
}

void haft__format_neutralise_tools(haft__buf *buf, const haft__format *format, haft_str text)
{
    list marks = {.count = 0};
    collect(&marks, format);
    const char *const *own = format->render.tool_marks;
    for (size_t i = 0; i < COUNT(format->render.tool_marks) && own[i] != NULL; i++) {
        add(&marks, own[i]);
    }
    neutralise(buf, &marks, text, format->render.shown != HAFT__TOOL_RENDERING_PYTHON);
}
