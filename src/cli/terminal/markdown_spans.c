/* SPDX-License-Identifier: Apache-2.0 */
/*
 * markdown_spans.c - shows emphasis, code and links in a line of Markdown.
 *
 * The rules are the rules of CommonMark for spans inside one line, but stricter if a marker can be
 * ordinary text: `2*3*4` and `snake_case` stay unchanged. Cost: a failed search for the end of a
 * span is not repeated in the same line, and an interrupted search continues at its position, so
 * that every byte is read a bounded number of times. Tests: tests/cli/terminal/markdown_test.c.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/markdown_int.h"

/* Maximum length of a delimiter; longer runs are text. */
#define MAX_RUN 3

/* Maximum nesting of spans. */
#define MAX_DEPTH 8

typedef enum outcome {
    OUTCOME_LITERAL, /* the delimiter is text */
    OUTCOME_MORE,    /* the next bytes decide */
    OUTCOME_FOUND,
} outcome;

/* Text that begins with the delimiter of a span. */
typedef struct opener {
    haft_str text;
    bool whole;    /* `text` reaches the end of the line */
    size_t run;    /* length of the delimiter */
    unsigned kind; /* a bit of `unclosed` */
} opener;

static bool is_wordlike(char c)
{
    return haft__ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7f && !haft__ascii_is_alphanumeric(c);
}

/* Whether a hyperlink may contain the byte. */
static bool is_url_byte(char c)
{
    return c > ' ' && c < 0x7f && strchr("[]<>\"\\`", c) == NULL;
}

static bool is_web_url(haft_str url)
{
    static const char *const schemes[] = {"https://", "http://"};
    for (size_t i = 0; i < COUNT(schemes); i++) {
        haft_str scheme = haft__str(schemes[i]);
        if (haft__str_starts_with(url, scheme) && url.len > scheme.len) {
            return true;
        }
    }
    return false;
}

/* Returns the length of the run of equal bytes at `at`, at most MAX_RUN + 1. */
static size_t run_at(haft_str text, size_t at)
{
    size_t length = 1;
    while (length <= MAX_RUN && at + length < text.len && text.ptr[at + length] == text.ptr[at]) {
        length++;
    }
    return length;
}

static bool run_may_grow(const opener *o, size_t at, size_t run)
{
    return run <= MAX_RUN && at + run == o->text.len && !o->whole;
}

void haft__markdown_show(const haft__markdown_out *out, unsigned style, haft_str text)
{
    haft__word_wrap_set_style(&out->markdown->wrap, style);
    haft__word_wrap_add(&out->markdown->wrap, out->buf, out->width, text);
}

static void show_inside(const haft__markdown_out *out, const haft__markdown_spans *spans,
                        unsigned style, bool link, haft_str text)
{
    haft__markdown_spans inside = {.style = spans->style | style,
                                   .depth = spans->depth + 1,
                                   .previous = ' ',
                                   .in_link = spans->in_link || link};
    (void)haft__markdown_show_spans(out, &inside, text, true);
}

/* ---- the end of a span ---- */

/* Handles a search that has reached the end of the text. */
static outcome end_search(haft__markdown_spans *spans, const opener *o, size_t at)
{
    spans->search.at = at;
    if (!o->whole && at < HAFT__LIMIT_MARKDOWN_SPAN_BYTES) {
        return OUTCOME_MORE;
    }
    spans->unclosed |= o->kind;
    return OUTCOME_LITERAL;
}

static bool closes(const opener *o, size_t at, size_t run)
{
    char c = o->text.ptr[0];
    bool fits = run == o->run || (c != '~' && run == MAX_RUN);
    bool after_text = at > o->run && !haft__ascii_is_blank(o->text.ptr[at - 1]);
    bool in_word = c == '_' && at + run < o->text.len && is_wordlike(o->text.ptr[at + run]);
    return fits && after_text && !in_word;
}

/* Whether another emphasis of this kind begins at `at`. If so, the first delimiter is text. */
static bool reopens(const opener *o, size_t at, size_t run)
{
    return run == o->run && at + run < o->text.len && haft__ascii_is_blank(o->text.ptr[at - 1])
           && !haft__ascii_is_blank(o->text.ptr[at + run]);
}

/* Finds the position after the emphasis. Ignores delimiters in code spans. */
static outcome find_emphasis_end(haft__markdown_spans *spans, const opener *o, size_t *ret_end)
{
    size_t at = spans->search.at > 0 ? spans->search.at : o->run;
    unsigned *ticks = &spans->search.ticks;
    while (at < o->text.len && at < HAFT__LIMIT_MARKDOWN_SPAN_BYTES) {
        char c = o->text.ptr[at];
        bool own = c == o->text.ptr[0];
        size_t run = own || c == '`' ? run_at(o->text, at) : c == '\\' && *ticks == 0 ? 2 : 1;
        if (c == '\\' ? at + run > o->text.len && !o->whole
                      : (own || c == '`') && run_may_grow(o, at, run)) {
            break;
        }
        if (c == '`') {
            *ticks = *ticks == 0 ? (unsigned)run : *ticks == run ? 0 : *ticks;
        } else if (own && *ticks == 0 && closes(o, at, run)) {
            *ret_end = at + run;
            return OUTCOME_FOUND;
        } else if (own && *ticks == 0 && reopens(o, at, run)) {
            return OUTCOME_LITERAL;
        }
        at += run;
    }
    return end_search(spans, o, at);
}

static outcome find_code_end(haft__markdown_spans *spans, const opener *o, size_t *ret_end)
{
    size_t at = spans->search.at > 0 ? spans->search.at : o->run;
    while (at < o->text.len && at < HAFT__LIMIT_MARKDOWN_SPAN_BYTES) {
        size_t run = o->text.ptr[at] == '`' ? run_at(o->text, at) : 1;
        if (o->text.ptr[at] == '`') {
            if (run_may_grow(o, at, run)) {
                break;
            }
            if (run == o->run) {
                *ret_end = at + run;
                return OUTCOME_FOUND;
            }
        }
        at += run;
    }
    return end_search(spans, o, at);
}

/* Finds the position after "[text](url)". The text and the URL must not contain brackets. */
static outcome find_link_end(haft__markdown_spans *spans, const opener *o, size_t *ret_end)
{
    haft__markdown_search *search = &spans->search;
    size_t at = search->at > 0 ? search->at : 1;
    for (; at < o->text.len && at < HAFT__LIMIT_MARKDOWN_SPAN_BYTES; at++) {
        char c = o->text.ptr[at];
        if (search->in_url) {
            if (!is_url_byte(c)) {
                return OUTCOME_LITERAL;
            }
            if (c == ')' && search->ticks == 0) {
                *ret_end = at + 1;
                return OUTCOME_FOUND;
            }
            search->ticks += c == '(' ? 1 : c == ')' ? -1U : 0;
        } else if (c == '[') {
            return OUTCOME_LITERAL;
        } else if (c == ']') {
            if (at + 1 == o->text.len && !o->whole) {
                break;
            }
            if (at + 1 == o->text.len || o->text.ptr[at + 1] != '(') {
                return OUTCOME_LITERAL;
            }
            search->in_url = true;
            at++;
        }
    }
    return end_search(spans, o, at);
}

/* Finds the position after "<https://...>". */
static outcome find_autolink_end(haft__markdown_spans *spans, const opener *o, size_t *ret_end)
{
    size_t at = spans->search.at > 0 ? spans->search.at : 1;
    for (; at < o->text.len && at < HAFT__LIMIT_MARKDOWN_SPAN_BYTES; at++) {
        if (o->text.ptr[at] == '>') {
            *ret_end = at + 1;
            return OUTCOME_FOUND;
        }
        if (!is_url_byte(o->text.ptr[at])) {
            return OUTCOME_LITERAL;
        }
    }
    return end_search(spans, o, at);
}

/* ---- spans ---- */

static bool may_open_emphasis(const haft__markdown_spans *spans, const opener *o)
{
    char c = o->text.ptr[0], before = spans->previous;
    bool in_word = c == '_' ? is_wordlike(before)
                            : c == '*' && o->run == 1 && haft__ascii_is_alphanumeric(before);
    return !in_word && o->run < o->text.len && !haft__ascii_is_blank(o->text.ptr[o->run])
           && (c != '~' || o->run == 2);
}

static outcome show_emphasis(const haft__markdown_out *out, haft__markdown_spans *spans,
                             const opener *o, size_t *ret_end)
{
    static const unsigned styles[] = {0, HAFT__TEXT_ITALIC, HAFT__TEXT_BOLD,
                                      HAFT__TEXT_ITALIC | HAFT__TEXT_BOLD};
    if (!may_open_emphasis(spans, o)) {
        return OUTCOME_LITERAL;
    }
    outcome found = find_emphasis_end(spans, o, ret_end);
    if (found == OUTCOME_FOUND) {
        haft_str inside = {o->text.ptr + o->run, *ret_end - 2 * o->run};
        show_inside(out, spans, o->text.ptr[0] == '~' ? HAFT__TEXT_STRIKE : styles[o->run], false,
                    inside);
    }
    return found;
}

/* Makes the code span a hyperlink if `code_links` finds its URL. Returns the bit of its style. */
static unsigned link_code(const haft__markdown_out *out, haft_str code)
{
    const haft__markdown_links *links = out->markdown->code_links;
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_MARKDOWN_SPAN_BYTES);
    bool found = links != NULL && out->markdown->links && links->find(links->context, code, &url)
                 && haft__buf_check(&url, NULL) == HAFT_OK;
    if (found) {
        haft__word_wrap_set_link(&out->markdown->wrap, out->buf, out->width, haft__buf_str(&url));
    }
    haft__buf_finish(&url);
    return found ? HAFT__TEXT_LINK : 0;
}

static outcome show_code(const haft__markdown_out *out, haft__markdown_spans *spans,
                         const opener *o, size_t *ret_end)
{
    outcome found = find_code_end(spans, o, ret_end);
    if (found == OUTCOME_FOUND) {
        haft_str code = {o->text.ptr + o->run, *ret_end - 2 * o->run};
        bool padded = code.len > 2 && code.ptr[0] == ' ' && code.ptr[code.len - 1] == ' ';
        code = padded ? (haft_str){code.ptr + 1, code.len - 2} : code;
        unsigned link = spans->in_link ? 0 : link_code(out, code);
        haft__markdown_show(out, spans->style | HAFT__TEXT_CODE | link, code);
    }
    return found;
}

/* Shows a hyperlink, and its URL if the text differs from the URL. */
static void show_url(const haft__markdown_out *out, const haft__markdown_spans *spans,
                     haft_str text, haft_str url)
{
    unsigned link = out->markdown->links ? HAFT__TEXT_LINK : 0;
    haft__word_wrap_set_link(&out->markdown->wrap, out->buf, out->width, url);
    show_inside(out, spans, link | HAFT__TEXT_UNDERLINE, true, text);
    if (!haft__str_equal(text, url)) {
        haft__markdown_show(out, spans->style, HAFT__LIT(" ("));
        haft__markdown_show(out, spans->style | link | HAFT__TEXT_DIM, url);
        haft__markdown_show(out, spans->style, HAFT__LIT(")"));
    }
}

static outcome show_link(const haft__markdown_out *out, haft__markdown_spans *spans,
                         const opener *o, size_t *ret_end)
{
    outcome found = spans->in_link ? OUTCOME_LITERAL : find_link_end(spans, o, ret_end);
    if (found == OUTCOME_FOUND) {
        haft_str rest = {o->text.ptr + 1, *ret_end - 2};
        haft_str text = haft__str_trim(haft__str_split(&rest, ']'));
        haft_str url = haft__str_skip(rest, 1);
        if (text.len > 0 && is_web_url(url)) {
            show_url(out, spans, text, url);
        } else {
            haft__markdown_show(out, spans->style, (haft_str){o->text.ptr, *ret_end});
        }
    }
    return found;
}

static outcome show_autolink(const haft__markdown_out *out, haft__markdown_spans *spans,
                             const opener *o, size_t *ret_end)
{
    outcome found = spans->in_link ? OUTCOME_LITERAL : find_autolink_end(spans, o, ret_end);
    if (found == OUTCOME_FOUND) {
        haft_str url = {o->text.ptr + 1, *ret_end - 2};
        if (!is_web_url(url)) {
            return OUTCOME_LITERAL;
        }
        show_url(out, spans, url, url);
    }
    return found;
}

static const struct {
    char delimiter;
    unsigned first_kind; /* first bit of `unclosed`; one bit for each length */
    outcome (*show)(const haft__markdown_out *out, haft__markdown_spans *spans, const opener *o,
                    size_t *ret_end);
} kinds[] = {
    {'*', 1U << 0, show_emphasis}, {'_', 1U << 3, show_emphasis}, {'~', 1U << 6, show_emphasis},
    {'`', 1U << 9, show_code},     {'[', 1U << 12, show_link},    {'<', 1U << 15, show_autolink},
};

/* ---- text ---- */

/* Shows text unchanged. Returns its length. */
static size_t show_literal(const haft__markdown_out *out, haft__markdown_spans *spans,
                           haft_str text)
{
    haft__markdown_show(out, spans->style, text);
    spans->previous = text.ptr[text.len - 1];
    spans->search = (haft__markdown_search){0};
    return text.len;
}

static size_t show_span(const haft__markdown_out *out, haft__markdown_spans *spans, size_t kind,
                        haft_str text, bool whole)
{
    char c = text.ptr[0];
    bool bracket = c == '[' || c == '<';
    opener o = {.text = text, .whole = whole, .run = bracket ? 1 : run_at(text, 0)};
    size_t end = 0;
    if (!bracket && spans->previous != c && run_may_grow(&o, 0, o.run)) {
        return 0;
    }
    o.kind = kinds[kind].first_kind << (o.run - 1);
    outcome found = OUTCOME_LITERAL;
    if (o.run > MAX_RUN || (!bracket && spans->previous == c)) {
        o.run = 1; /* a long run is text; show it byte by byte */
    } else if ((spans->unclosed & o.kind) == 0 && spans->depth < MAX_DEPTH) {
        found = kinds[kind].show(out, spans, &o, &end);
    }
    if (found == OUTCOME_LITERAL) {
        return show_literal(out, spans, (haft_str){text.ptr, o.run});
    }
    if (found == OUTCOME_FOUND) {
        spans->previous = text.ptr[end - 1];
        spans->search = (haft__markdown_search){0};
    }
    return end;
}

static size_t show_escape(const haft__markdown_out *out, haft__markdown_spans *spans, haft_str text,
                          bool whole)
{
    if (text.len == 1 && !whole) {
        return 0;
    }
    if (text.len == 1 || !is_punctuation(text.ptr[1])) {
        return show_literal(out, spans, (haft_str){text.ptr, 1});
    }
    (void)show_literal(out, spans, (haft_str){text.ptr + 1, 1});
    spans->previous = '\\';
    return 2;
}

/* Handles an 'h', which may begin a bare URL. A bare URL is text up to the next white space: its
 * underscores are not emphasis. */
static size_t show_h(const haft__markdown_out *out, haft__markdown_spans *spans, haft_str text,
                     bool whole)
{
    haft_str http = HAFT__LIT("http://"), https = HAFT__LIT("https://");
    bool begins = !haft__ascii_is_alphanumeric(spans->previous);
    if (begins && !whole
        && (haft__str_starts_with(http, text) || haft__str_starts_with(https, text))) {
        return 0;
    }
    spans->in_word =
        begins && (haft__str_starts_with(text, http) || haft__str_starts_with(text, https));
    return show_literal(out, spans, (haft_str){text.ptr, 1});
}

static size_t plain_length(const haft__markdown_spans *spans, haft_str text)
{
    size_t length = 0;
    while (length < text.len
           && (spans->in_word
                   ? !haft__ascii_is_blank(text.ptr[length])
                   : text.ptr[length] == '\0' || strchr("*_~`[<\\h", text.ptr[length]) == NULL)) {
        length++;
    }
    return length;
}

static size_t show_next(const haft__markdown_out *out, haft__markdown_spans *spans, haft_str text,
                        bool whole)
{
    size_t plain = plain_length(spans, text);
    if (plain > 0) {
        return show_literal(out, spans, (haft_str){text.ptr, plain});
    }
    spans->in_word = false;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].delimiter == text.ptr[0]) {
            return show_span(out, spans, i, text, whole);
        }
    }
    if (text.ptr[0] == '\\') {
        return show_escape(out, spans, text, whole);
    }
    return text.ptr[0] == 'h' ? show_h(out, spans, text, whole)
                              : show_literal(out, spans, (haft_str){text.ptr, 1});
}

size_t haft__markdown_show_spans(const haft__markdown_out *out, haft__markdown_spans *spans,
                                 haft_str text, bool whole)
{
    size_t used = 0, length = 1;
    while (used < text.len && length > 0) {
        length = show_next(out, spans, haft__str_skip(text, used), whole);
        used += length;
    }
    return used;
}
