/* SPDX-License-Identifier: Apache-2.0 */
/*
 * markdown.c - shows lines of Markdown: headings, lists, quotes, rules, code blocks and tables.
 *
 * Lines are not joined. The beginning of a line decides its kind; markdown_spans.c shows the text
 * of a line. Tests: tests/cli/terminal/markdown_test.c.
 */
#include "cli/terminal/markdown.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/markdown_int.h"
#include "cli/terminal/width.h"

/* If the kind of a line is unknown after this many bytes, the line is text. */
#define MAX_START 128

#define CODE_INDENT  2
#define RULE_COLUMNS 20
#define MAX_HEADING  6
#define MAX_DIGITS   9
#define MIN_FENCE    3

void haft__markdown_init(haft__markdown *markdown, bool symbols)
{
    *markdown = (haft__markdown){.symbols = symbols, .links = symbols};
    haft__word_wrap_init(&markdown->wrap);
    haft__buf_init(&markdown->buffered, HAFT__LIMIT_RUN_BYTES);
    markdown->spans.previous = '\n';
}

void haft__markdown_finish(haft__markdown *markdown)
{
    haft__word_wrap_finish(&markdown->wrap);
    haft__buf_finish(&markdown->buffered);
}

/* ---- the beginning of a line ---- */

/* The beginning of a line, without its leading spaces. */
typedef struct start {
    haft_str text;
    bool whole; /* `text` is the whole rest of the line */
} start;

/* The result of a step. `used` can be 0 without `more`: then the step has found the kind of line.
 */
typedef struct progress {
    size_t used; /* bytes that were handled */
    bool more;   /* further bytes must arrive first */
} progress;

static size_t run_length(haft_str text, char c)
{
    size_t length = 0;
    while (length < text.len && text.ptr[length] == c) {
        length++;
    }
    return length;
}

static bool is_blank_after(haft_str text, size_t at)
{
    while (at < text.len && haft__ascii_is_blank(text.ptr[at])) {
        at++;
    }
    return at == text.len;
}

static void show_spaces(const haft__markdown_out *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__markdown_show(out, 0, HAFT__LIT(" "));
    }
}

/* Shows the leading spaces and a marker. Wrapped lines of the paragraph are indented by the same
 * width. */
static void show_marker(const haft__markdown_out *out, unsigned style, haft_str marker)
{
    haft__markdown *m = out->markdown;
    size_t hang = m->wrap.hang + m->lead + haft__width_of_text(marker);
    show_spaces(out, m->lead);
    haft__markdown_show(out, style, marker);
    m->wrap.hang = hang <= out->width / 2 ? hang : m->wrap.hang;
    m->lead = 0;
}

static progress begin_line(const haft__markdown_out *out, haft__markdown_line line, unsigned style,
                           size_t used)
{
    show_marker(out, 0, HAFT__LIT(""));
    out->markdown->line = line;
    out->markdown->spans.style = style;
    return (progress){.used = used};
}

static progress begin_text(const haft__markdown_out *out)
{
    return begin_line(out, HAFT__MARKDOWN_LINE_TEXT, 0, 0);
}

/* Begins a heading: "# Heading". */
static progress begin_heading(const haft__markdown_out *out, const start *s)
{
    size_t run = run_length(s->text, '#');
    if (run == s->text.len && run <= MAX_HEADING && !s->whole) {
        return (progress){.more = true};
    }
    if (run > MAX_HEADING || run == s->text.len || !haft__ascii_is_blank(s->text.ptr[run])) {
        return begin_text(out);
    }
    return begin_line(out, HAFT__MARKDOWN_LINE_TEXT,
                      run == 1 ? HAFT__TEXT_BOLD | HAFT__TEXT_UNDERLINE : HAFT__TEXT_BOLD, run + 1);
}

/* Begins a code block: "```c". Shows the name of the language. */
static progress begin_fence(const haft__markdown_out *out, const start *s)
{
    haft__markdown *m = out->markdown;
    char c = s->text.ptr[0];
    size_t run = run_length(s->text, c);
    haft_str info = haft__str_trim(haft__str_skip(s->text, run));
    if (run < s->text.len
        && (run < MIN_FENCE || (c == '`' && info.len > 0 && memchr(info.ptr, c, info.len)))) {
        return begin_text(out);
    }
    if (!s->whole) {
        return (progress){.more = true};
    }
    if (run < MIN_FENCE) {
        return begin_text(out);
    }
    m->fence = c;
    m->fence_length = run;
    if (info.len > 0) {
        show_spaces(out, CODE_INDENT);
        haft__markdown_show(out, HAFT__TEXT_DIM, info);
    }
    m->line = info.len > 0 ? HAFT__MARKDOWN_LINE_RAW : HAFT__MARKDOWN_LINE_DROP;
    m->lead = 0;
    return (progress){.used = s->text.len};
}

static progress begin_code_text(const haft__markdown_out *out)
{
    out->markdown->lead += CODE_INDENT;
    return begin_line(out, HAFT__MARKDOWN_LINE_RAW, 0, 0);
}

/* A line of a code block, or its end. */
static progress begin_code(const haft__markdown_out *out, const start *s)
{
    haft__markdown *m = out->markdown;
    size_t run = run_length(s->text, m->fence);
    bool closes = (run >= m->fence_length || run == s->text.len) && is_blank_after(s->text, run);
    if (closes && !s->whole) {
        return (progress){.more = true};
    }
    if (closes && run >= m->fence_length) {
        m->fence = 0;
        m->line = HAFT__MARKDOWN_LINE_DROP;
        return (progress){.used = s->text.len};
    }
    return begin_code_text(out);
}

/* Whether the line is a rule: "---". *ret_more: the next bytes decide. */
static bool is_rule(const start *s, bool *ret_more)
{
    size_t run = run_length(s->text, s->text.ptr[0]);
    bool possible = (run >= 3 || run == s->text.len) && is_blank_after(s->text, run);
    *ret_more = possible && !s->whole;
    return possible && run >= 3;
}

static progress begin_rule(const haft__markdown_out *out, size_t used)
{
    haft__markdown *m = out->markdown;
    size_t room = out->width > m->wrap.indent ? out->width - m->wrap.indent : 1;
    for (size_t i = 0; i < RULE_COLUMNS && i < room; i++) {
        haft__markdown_show(out, HAFT__TEXT_DIM, m->symbols ? HAFT__LIT("\u2500") : HAFT__LIT("-"));
    }
    m->lead = 0;
    m->line = HAFT__MARKDOWN_LINE_RAW;
    return (progress){.used = used};
}

/* Begins a list item, "- item", or a rule. The kind of the item's text is decided next. */
static progress begin_item(const haft__markdown_out *out, const start *s)
{
    bool more = false, rule = s->text.ptr[0] != '+' && is_rule(s, &more);
    if (more) {
        return (progress){.more = true};
    }
    if (rule) {
        return begin_rule(out, s->text.len);
    }
    if (s->text.len == 1 && !s->whole) {
        return (progress){.more = true};
    }
    if (s->text.ptr[0] == '_' || s->text.len == 1 || !haft__ascii_is_blank(s->text.ptr[1])) {
        return begin_text(out);
    }
    show_marker(out, 0, out->markdown->symbols ? HAFT__LIT("\u2022 ") : HAFT__LIT("- "));
    return (progress){.used = 2};
}

/* Begins a numbered item: "1. item". */
static progress begin_number(const haft__markdown_out *out, const start *s)
{
    size_t digits = 0;
    while (digits < s->text.len && digits <= MAX_DIGITS
           && haft__ascii_is_digit(s->text.ptr[digits])) {
        digits++;
    }
    bool dotted = digits < s->text.len && strchr(".)", s->text.ptr[digits]) != NULL
                  && s->text.ptr[digits] != '\0';
    if (digits <= MAX_DIGITS && !s->whole
        && (digits == s->text.len || (dotted && digits + 1 == s->text.len))) {
        return (progress){.more = true};
    }
    if (digits > MAX_DIGITS || !dotted || digits + 1 >= s->text.len
        || !haft__ascii_is_blank(s->text.ptr[digits + 1])) {
        return begin_text(out);
    }
    show_marker(out, 0, (haft_str){s->text.ptr, digits + 1});
    show_marker(out, 0, HAFT__LIT(" "));
    return (progress){.used = digits + 2};
}

/* Begins a quoted line: "> quoted". */
static progress begin_quote(const haft__markdown_out *out, const start *s)
{
    if (s->text.len == 1 && !s->whole) {
        return (progress){.more = true};
    }
    show_marker(out, HAFT__TEXT_DIM,
                out->markdown->symbols ? HAFT__LIT("\u2502 ") : HAFT__LIT("> "));
    return (progress){.used = s->text.len > 1 && haft__ascii_is_blank(s->text.ptr[1]) ? 2 : 1};
}

static progress begin_kind(const haft__markdown_out *out, const start *s)
{
    switch (s->text.ptr[0]) {
    case '#': return begin_heading(out, s);
    case '`':
    case '~': return begin_fence(out, s);
    case '-':
    case '*':
    case '+':
    case '_': return begin_item(out, s);
    case '>': return begin_quote(out, s);
    case '|': return begin_line(out, HAFT__MARKDOWN_LINE_RAW, 0, 0);
    default: return haft__ascii_is_digit(s->text.ptr[0]) ? begin_number(out, s) : begin_text(out);
    }
}

static progress begin(const haft__markdown_out *out, haft_str text, bool whole)
{
    haft__markdown *m = out->markdown;
    size_t blanks = 0;
    while (blanks < text.len && m->lead < MAX_START && haft__ascii_is_blank(text.ptr[blanks])) {
        m->lead += text.ptr[blanks++] == '\t' ? 4 - m->lead % 4 : 1;
    }
    start s = {.text = haft__str_skip(text, blanks), .whole = whole};
    m->verbatim = m->verbatim || (!m->begun && s.text.len > 0 && s.text.ptr[0] == '{');
    m->begun = m->begun || s.text.len > 0;
    progress done = {.more = true};
    bool cut = s.text.len > MAX_START; /* fences and rules are shorter */
    if (cut) {
        s = (start){.text = {s.text.ptr, MAX_START}, .whole = false};
    }
    if ((s.text.len == 0 && whole) || m->verbatim) {
        done = begin_line(out, HAFT__MARKDOWN_LINE_RAW, 0, 0);
    } else if (s.text.len > 0) {
        done = m->fence != 0 ? begin_code(out, &s) : begin_kind(out, &s);
    }
    if (done.more && cut) {
        done = m->fence != 0 ? begin_code_text(out) : begin_text(out);
    }
    done.used += blanks;
    return done;
}

/* ---- lines ---- */

static void end_line(const haft__markdown_out *out)
{
    haft__markdown *m = out->markdown;
    if (m->line != HAFT__MARKDOWN_LINE_DROP) {
        haft__markdown_show(out, 0, HAFT__LIT("\n"));
    }
    m->line = HAFT__MARKDOWN_LINE_START;
    m->lead = 0;
    m->spans = (haft__markdown_spans){.previous = '\n'};
}

/* Shows the buffered part of a line. `whole`: the line is complete. */
static progress show_line(const haft__markdown_out *out, haft_str text, bool whole)
{
    haft__markdown *m = out->markdown;
    progress done = {.used = text.len};
    switch (m->line) {
    case HAFT__MARKDOWN_LINE_START: return begin(out, text, whole);
    case HAFT__MARKDOWN_LINE_TEXT:
        done.used = haft__markdown_show_spans(out, &m->spans, text, whole);
        break;
    case HAFT__MARKDOWN_LINE_RAW: haft__markdown_show(out, m->spans.style, text); break;
    case HAFT__MARKDOWN_LINE_DROP: break;
    }
    done.more = done.used == text.len ? !whole : true;
    return done;
}

/* Shows the buffered bytes as far as possible. */
static void show_buffered(const haft__markdown_out *out, bool final)
{
    haft__markdown *m = out->markdown;
    size_t used = 0;
    progress done = {.more = false};
    while (!done.more && used < m->buffered.len) {
        haft_str rest = haft__str_skip(haft__buf_str(&m->buffered), used);
        const char *end = memchr(rest.ptr, '\n', rest.len);
        bool whole = end != NULL || final;
        size_t length = end != NULL ? (size_t)(end - rest.ptr)
                        : final     ? rest.len
                                    : haft__utf8_complete_prefix(rest);
        done = show_line(out, (haft_str){rest.ptr, length}, whole);
        used += done.used;
        if (done.used == length && !done.more && m->line != HAFT__MARKDOWN_LINE_START) {
            if (end != NULL) {
                end_line(out);
            }
            used += end != NULL ? 1 : 0;
        }
    }
    if (used > 0) {
        memmove(m->buffered.ptr, m->buffered.ptr + used, m->buffered.len - used);
        m->buffered.len -= used;
    }
}

void haft__markdown_add(haft__markdown *markdown, haft__buf *out, size_t width, haft_str text)
{
    haft__markdown_out to = {markdown, out, width};
    while (text.len > 0) { /* without carriage returns */
        const char *end = memchr(text.ptr, '\r', text.len);
        size_t length = end != NULL ? (size_t)(end - text.ptr) : text.len;
        haft__buf_add(&markdown->buffered, text.ptr, length);
        text = haft__str_skip(text, end != NULL ? length + 1 : length);
    }
    show_buffered(&to, false);
    if (markdown->buffered.status != HAFT_OK) {
        haft__buf_fail(out, markdown->buffered.status, markdown->buffered.why);
    }
}

void haft__markdown_end(haft__markdown *markdown, haft__buf *out, size_t width)
{
    haft__markdown_out to = {markdown, out, width};
    show_buffered(&to, true);
    haft__word_wrap_set_style(&markdown->wrap, 0);
    haft__word_wrap_end(&markdown->wrap, out, width);
    haft__buf_clear(&markdown->buffered);
    markdown->line = HAFT__MARKDOWN_LINE_START;
    markdown->begun = markdown->verbatim = false;
    markdown->lead = 0;
    markdown->fence = 0;
    markdown->spans = (haft__markdown_spans){.previous = '\n'};
}
