/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - converts almost-valid JSON to strict JSON, then runs the strict reader on it.
 *
 * One pass converts the text token by token. It knows no grammar: the strict reader checks that
 * brackets match and that values are in the right places. The pass never adds or removes brackets
 * and quotes, so if the text was truncated, the strict reader reports that they are missing. Only a
 * truncated number cannot be recognized, so a number at the very end of the text is rejected.
 *
 * The result depends only on the text. To find the position of an error in the original text, the
 * pass runs again and notes where the output byte in question comes from.
 * Tests: tests/json/repair_test.c. Fuzzer: fuzz/json_repair.c.
 */
#include "json/repair.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/hex.h"
#include "base/str.h"
#include "json/syntax.h"

#define FENCE_LENGTH 3
#define NOWHERE      SIZE_MAX

typedef struct repairer {
    haft_str text;
    size_t at;      /* the next byte of `text` */
    haft__buf *out; /* the output; NULL when the pass only searches for a position */
    size_t made;    /* bytes of the output so far */
    size_t wanted;  /* index of the output byte whose origin is searched for, or NOWHERE */
    size_t found;   /* index of its origin in `text` */
    size_t comma;   /* index of a comma that is not written before the next token is known, or
                       NOWHERE */
    char last;      /* the last byte of the last token; 0 before the first token */
    char fence;     /* the character of the opening fence; 0 without one, and after it is closed */
    size_t fence_length;
    size_t number_end; /* the end of the last word that ended in a digit */
} repairer;

/* Writes output that comes from the text at `from`. If `byte_for_byte`, each output byte comes from
 * one byte of the text; otherwise all of them come from `from`. */
static void put(repairer *m, size_t from, haft_str made, bool byte_for_byte)
{
    /* If the wanted byte was written earlier, the unsigned difference is huge. */
    size_t ahead = m->wanted - m->made;
    if (ahead < made.len) {
        m->found = from + (byte_for_byte ? ahead : 0);
    }
    m->made += made.len;
    if (m->out != NULL) {
        haft__buf_add_str(m->out, made);
    }
}

/* Copies `count` bytes of the text. */
static void copy(repairer *m, size_t count)
{
    put(m, m->at, (haft_str){m->text.ptr + m->at, count}, true);
    m->at += count;
}

/* Writes `made` in place of `count` bytes of the text. */
static void replace(repairer *m, size_t count, haft_str made)
{
    put(m, m->at, made, false);
    m->at += count;
}

static void flush_comma(repairer *m)
{
    if (m->comma != NOWHERE) {
        put(m, m->comma, HAFT__LIT(","), true);
        m->comma = NOWHERE;
        m->last = ',';
    }
}

/* Whether the last token ended a value (or was not JSON at all). */
static bool after_value(const repairer *m)
{
    return m->last != 0 && strchr("[{,:", m->last) == NULL;
}

static char peek(const repairer *m, size_t ahead)
{
    return ahead < m->text.len - m->at ? m->text.ptr[m->at + ahead] : '\0';
}

static haft_status fail_at(const repairer *m, size_t at, haft__json_problem problem,
                           haft_error *err)
{
    return haft__json_fail(err, problem, haft__json_position_of(m->text, at),
                           haft__json_byte_at(m->text, at));
}

/* Part of a literal, a number or a name. */
static bool is_word(int c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Part of the name of a language, as in "c++" or "objective-c". */
static bool is_language(int c)
{
    return haft__ascii_is_alphanumeric(c) || (c != '\0' && strchr("_+-.#", c) != NULL);
}

/* The number of bytes, beginning `ahead` bytes after the next one, for which `is` returns true. */
static size_t count_while(const repairer *m, size_t ahead, bool (*is)(int))
{
    size_t count = 0;
    while (m->at + ahead + count < m->text.len && is(m->text.ptr[m->at + ahead + count])) {
        count++;
    }
    return count;
}

/* How many times `c` repeats, beginning with the next byte. */
static size_t count_repeated(const repairer *m, char c)
{
    size_t count = 0;
    while (m->at + count < m->text.len && m->text.ptr[m->at + count] == c) {
        count++;
    }
    return count;
}

static bool is_json_word(haft_str word)
{
    static const char json[] = "json";
    bool same = word.len == strlen(json);
    for (size_t i = 0; i < word.len && same; i++) {
        same = (word.ptr[i] | 0x20) == json[i];
    }
    return same;
}

/* Skips the fence and its language word, if the text starts with one. */
static void skip_opening_fence(repairer *m)
{
    copy(m, count_while(m, 0, haft__ascii_is_space));
    char c = peek(m, 0);
    size_t length = c == '`' || c == '~' ? count_repeated(m, c) : 0;
    if (length < FENCE_LENGTH) {
        return;
    }
    m->fence = c;
    m->fence_length = length;
    m->at += length;
    size_t blanks = count_while(m, 0, haft__ascii_is_blank);
    size_t word = count_while(m, blanks, is_language);
    size_t end = blanks + word + count_while(m, blanks + word, haft__ascii_is_blank);
    /* At the end of the text the line may be truncated, so a word there is not a value. */
    bool ends_line = m->at + end == m->text.len || peek(m, end) == '\n' || peek(m, end) == '\r';
    if (ends_line || is_json_word((haft_str){m->text.ptr + m->at + blanks, word})) {
        m->at += blanks + word;
    }
}

/* Handles a row of fence characters. If it is at least as long as the opening fence, it closes the
 * fence; then only white space may follow, and both are skipped. */
static haft_status repair_fence(repairer *m, haft_error *err)
{
    size_t start = m->at, length = count_repeated(m, m->fence);
    flush_comma(m);
    if (length < m->fence_length) {
        copy(m, length); /* all of them: one by one would take quadratic time */
        return HAFT_OK;
    }
    m->at += length;
    m->at += count_while(m, 0, haft__ascii_is_space);
    if (m->at < m->text.len) {
        return fail_at(m, m->at, HAFT__JSON_PROBLEM_FENCE_END, err);
    }
    m->fence = 0;
    if (m->wanted >= m->made) {
        m->found = start; /* for the strict reader, the text ends here */
    }
    return HAFT_OK;
}

static bool at_comment(const repairer *m)
{
    char c = peek(m, 0), next = peek(m, 1);
    return c == '#' || (c == '/' && (next == '/' || next == '*'));
}

/* A space replaces the comment, so that the tokens on both sides stay apart. */
static haft_status skip_comment(repairer *m, haft_error *err)
{
    const char *from = m->text.ptr + m->at, *end = m->text.ptr + m->text.len;
    const char *p = from + 1;
    if (*from == '/' && *p == '*') {
        for (p++; end - p >= 2 && (p[0] != '*' || p[1] != '/'); p++) {
        }
        if (end - p < 2) {
            return fail_at(m, m->at, HAFT__JSON_PROBLEM_COMMENT_END, err);
        }
        p += 2;
    } else {
        while (p < end && *p != '\n' && *p != '\r') {
            p++;
        }
    }
    replace(m, (size_t)(p - from), HAFT__LIT(" "));
    return HAFT_OK;
}

static void replace_control(repairer *m)
{
    char c = peek(m, 0), made[6] = {'\\', 'u', '0', '0'};
    haft__hex_write(made + 4, &c, 1);
    switch (c) {
    case '\n': replace(m, 1, HAFT__LIT("\\n")); return;
    case '\r': replace(m, 1, HAFT__LIT("\\r")); return;
    case '\t': replace(m, 1, HAFT__LIT("\\t")); return;
    default: replace(m, 1, (haft_str){made, sizeof(made)}); return;
    }
}

static size_t plain_run(const repairer *m, char quote)
{
    const char *from = m->text.ptr + m->at, *end = m->text.ptr + m->text.len, *p = from;
    while (p < end && *p != quote && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20) {
        p++;
    }
    return (size_t)(p - from);
}

/* Converts a string up to its closing quote. If the text ends before, no quote is added. */
static void repair_string(repairer *m)
{
    char quote = peek(m, 0);
    replace(m, 1, HAFT__LIT("\""));
    for (;;) {
        copy(m, plain_run(m, quote));
        if (m->at == m->text.len) {
            return;
        }
        char c = peek(m, 0);
        if (c == quote) {
            replace(m, 1, HAFT__LIT("\""));
            m->last = '"';
            return;
        }
        if (c == '"') {
            replace(m, 1, HAFT__LIT("\\\""));
        } else if (c != '\\') {
            replace_control(m);
        } else if (peek(m, 1) == '\'') {
            replace(m, 2, HAFT__LIT("'"));
        } else {
            copy(m, m->text.len - m->at > 1 ? 2 : 1);
        }
    }
}

static void repair_word(repairer *m)
{
    static const struct {
        haft_str python, json;
    } words[] = {
        {HAFT__LIT("True"), HAFT__LIT("true")},
        {HAFT__LIT("False"), HAFT__LIT("false")},
        {HAFT__LIT("None"), HAFT__LIT("null")},
    };
    haft_str word = {m->text.ptr + m->at, count_while(m, 0, is_word)};
    m->last = word.ptr[word.len - 1];
    m->number_end = haft__ascii_is_digit(m->last) ? m->at + word.len : m->number_end;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(word, words[i].python)) {
            replace(m, word.len, words[i].json);
            return;
        }
    }
    copy(m, word.len);
}

/* Converts a token other than a comment. Copies an unknown character, which the strict reader then
 * rejects. */
static void repair_token(repairer *m)
{
    char c = peek(m, 0);
    if (c == ',' && m->comma == NOWHERE && after_value(m)) {
        m->comma = m->at++;
        return;
    }
    if (c == '}' || c == ']') {
        m->comma = NOWHERE;
    }
    flush_comma(m);
    if (c == '"' || c == '\'') {
        repair_string(m);
    } else if (is_word(c)) {
        repair_word(m);
    } else {
        copy(m, 1);
        m->last = c;
    }
}

static haft_status repair(repairer *m, haft_error *err)
{
    skip_opening_fence(m);
    while (m->at < m->text.len) {
        haft_status status = HAFT_OK;
        if (haft__ascii_is_space(peek(m, 0))) {
            copy(m, count_while(m, 0, haft__ascii_is_space));
        } else if (at_comment(m)) {
            status = skip_comment(m, err);
        } else if (m->fence != 0 && peek(m, 0) == m->fence) {
            status = repair_fence(m, err);
        } else {
            repair_token(m);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    flush_comma(m);
    return HAFT_OK;
}

static repairer repairer_of(haft_str text)
{
    return (repairer){.text = text, .wanted = NOWHERE, .found = text.len, .comma = NOWHERE};
}

/* Runs the pass again, up to the point where it makes the byte `made`. */
static size_t find_origin(const haft__json_origin *origin, size_t made)
{
    repairer m = repairer_of(origin->text);
    m.wanted = made;
    haft_status status = repair(&m, NULL);
    return status == HAFT_OK ? m.found : origin->text.len;
}

/* Reads the repaired text. */
static haft_status read_repaired(haft__arena *arena, haft_str text, haft__buf *out,
                                 const haft__json_options *options, haft__json *ret_value,
                                 haft__json_notes *ret_notes, haft_error *err)
{
    repairer m = repairer_of(text);
    m.out = out;
    haft_status status = repair(&m, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(out, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft_str made = haft__arena_copy(arena, haft__buf_str(out));
    if (made.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__json_origin origin = {text, find_origin};
    haft__json value;
    status = haft__json_read_derived(arena, made, &origin, options, &value, ret_notes, err);
    if (status == HAFT_OK && value.kind == HAFT__JSON_NUMBER && m.number_end == text.len) {
        return fail_at(
            &m, text.len,
            m.fence != 0 ? HAFT__JSON_PROBLEM_FENCE_NUMBER : HAFT__JSON_PROBLEM_NUMBER_END, err);
    }
    if (status == HAFT_OK) {
        *ret_value = value;
    }
    return status;
}

haft_status haft__json_read_tolerant(haft__arena *arena, haft_str text,
                                     const haft__json_options *options, haft__json *ret_value,
                                     haft__json_notes *ret_notes, haft_error *err)
{
    haft__arena_mark mark = haft__arena_save(arena);
    haft_error strict = {0};
    haft_status status = haft__json_read(arena, text, options, ret_value, ret_notes, &strict);
    if (status != HAFT_BAD_INPUT) {
        if (status != HAFT_OK && err != NULL) {
            *err = strict;
        }
        return status;
    }
    haft__arena_restore(arena, mark);
    haft__buf out;
    haft__buf_init(&out, options != NULL ? options->max_bytes : HAFT__LIMIT_JSON_BYTES);
    status = read_repaired(arena, text, &out, options, ret_value, ret_notes, err);
    if (status == HAFT_OK && ret_notes != NULL) {
        ret_notes->repaired = true;
    }
    haft__buf_finish(&out);
    return status;
}
