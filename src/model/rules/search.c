/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - regular expressions for the words of a task, in rounds from narrow to wide.
 *
 * A name is searched for as it is, then inside other names. Plain words are searched for together
 * on one line: all of them, then two neighbours of the task, then any. One round searches files
 * named after a word for any of the words. Tests: tests/model/rules/search_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* The greatest distance between two words of a line, and between two of three. The cost on long
 * lines grows with the square of the second. */
#define REACH ".{0,80}"
#define NEAR  ".{0,30}"
/* Room for one alternative more than an expression may have: end_alternative() removes it. */
#define MAX_BYTES (2 * (size_t)HAFT__LIMIT_PATTERN_BYTES)

typedef struct expression {
    const haft__offline_words *words;
    haft__buf *buf;
    size_t alternatives;
    size_t strong[HAFT__LIMIT_OFFLINE_WORDS]; /* words that are not weak; all if all are weak */
    size_t strong_count;
} expression;

/* ---- words ---- */

bool haft__offline_is_name(const haft__offline_word *word)
{
    bool name = word->exact && word->text.len > 0 && !haft__ascii_is_digit(word->text.ptr[0]);
    for (size_t i = 0; i < word->text.len; i++) {
        name = name && is_name_char(word->text.ptr[i]);
    }
    return name;
}

/* Adds the text, in capitals if `capitals`. In a plain word (`word` is not NULL) the first letter
 * may be a capital, and a hyphen of a joined word matches any separator, or none. */
static void add_text(haft__buf *buf, haft_str text, const haft__offline_word *word, bool capitals)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = capitals ? haft__ascii_upper(text.ptr[i]) : text.ptr[i];
        if (word != NULL && word->joined && c == '-') {
            haft__buf_add_str(buf, HAFT__LIT("[-_. ]?"));
        } else if (word != NULL && haft__ascii_is_lower(c) && (i == 0 || text.ptr[i - 1] == '-')) {
            haft__buf_addf(buf, "[%c%c]", haft__ascii_upper(c), c);
        } else {
            bool special = c != '\0' && strchr("^$\\.*+?()[]{}|", c) != NULL;
            haft__buf_addf(buf, "%s", special ? "\\" : "");
            haft__buf_add_char(buf, c);
        }
    }
}

/* Adds a word: an exact one as it is, a plain one in lower case or in capitals. The syntax is
 * portable: other tools called grep may use another engine. */
static void add_word(expression *e, const char *before, size_t at)
{
    const haft__offline_word *word = &e->words->items[at];
    haft__buf_addf(e->buf, "%s", before);
    if (word->exact) {
        const char *edge = haft__offline_is_name(word) ? "\\b" : "";
        haft__buf_addf(e->buf, "%s", edge);
        add_text(e->buf, word->text, NULL, false);
        haft__buf_addf(e->buf, "%s", edge);
        return;
    }
    haft__buf_add_str(e->buf, HAFT__LIT("(?:"));
    add_text(e->buf, word->text, word, false);
    haft__buf_add_char(e->buf, '|');
    add_text(e->buf, word->text, word, true);
    haft__buf_add_char(e->buf, ')');
}

/* ---- alternatives ---- */

static const char *divider(const expression *e)
{
    return e->alternatives > 0 ? "|" : "";
}

/* Removes what was added since `before` if the expression is too long with it. */
static void end_alternative(expression *e, size_t before)
{
    if (e->buf->status == HAFT_OK && e->buf->len >= HAFT__LIMIT_PATTERN_BYTES) {
        e->buf->len = before;
        return;
    }
    e->alternatives++;
}

static void add_one(expression *e, size_t word)
{
    size_t before = e->buf->len;
    add_word(e, divider(e), word);
    end_alternative(e, before);
}

/* Both words in any order. A match starts with a word, so lines without one cost little. */
static void add_two(expression *e, size_t a, size_t b)
{
    size_t before = e->buf->len;
    add_word(e, divider(e), a);
    add_word(e, REACH, b);
    add_word(e, "|", b);
    add_word(e, REACH, a);
    end_alternative(e, before);
}

/* All three in any order. */
static void add_three(expression *e, const size_t *words)
{
    for (size_t i = 0; i < 3; i++) {
        size_t before = e->buf->len, y = words[(i + 1) % 3], z = words[(i + 2) % 3];
        add_word(e, divider(e), words[i]);
        add_word(e, NEAR "(?:", y);
        add_word(e, NEAR, z);
        add_word(e, "|", z);
        add_word(e, NEAR, y);
        haft__buf_add_char(e->buf, ')');
        end_alternative(e, before);
    }
}

/* Neighbours of the task, and words with one between them. */
static void add_twos(expression *e)
{
    for (size_t apart = 1; apart <= 2; apart++) {
        for (size_t i = 0; i + apart < e->words->count; i++) {
            add_two(e, i, i + apart);
        }
    }
}

/* Names that have two plain words, in any order: decide_by_gate, gateDecision. */
static void add_joined_names(expression *e)
{
    static const char between[] = "[A-Za-z0-9_]{0,24}";
    for (size_t i = 0; i < e->words->count; i++) {
        for (size_t k = 0; k < e->words->count; k++) {
            size_t before = e->buf->len;
            if (i != k && !e->words->items[i].exact && !e->words->items[k].exact) {
                add_word(e, divider(e), i);
                add_word(e, between, k);
                end_alternative(e, before);
            }
        }
    }
}

static void add_strong(expression *e)
{
    for (size_t i = 0; i < e->strong_count; i++) {
        add_one(e, e->strong[i]);
    }
}

/* Exact words; if `inside`, names inside others, also in capitals: openat2 in __NR_openat2. */
static void add_exact(expression *e, bool inside)
{
    for (size_t i = 0; i < e->words->count; i++) {
        const haft__offline_word *word = &e->words->items[i];
        size_t before = e->buf->len;
        if (inside && haft__offline_is_name(word)) {
            haft__buf_addf(e->buf, "%s%.*s|", divider(e), HAFT__ARG(word->text));
            add_text(e->buf, word->text, NULL, true);
            end_alternative(e, before);
        } else if (!inside && word->exact) {
            add_one(e, i);
        }
    }
}

/* ---- rounds ---- */

typedef enum round_kind {
    ROUND_EXACT,
    ROUND_INSIDE,
    ROUND_ALL,   /* all strong words, if they are two or three */
    ROUND_NAMED, /* any strong word, in files named after a word */
    ROUND_TWOS,
    ROUND_ONES,
    ROUND_JOINED, /* names with two of the words: decide_by_gate; for the angle of names */
} round_kind;

/* The angle of names has one round more, after those for exact words. */
static round_kind kind_of_round(const haft__offline_words *words, size_t round)
{
    if (words->angle == HAFT__OFFLINE_ANGLE_NAMES && round >= ROUND_ALL) {
        return round == ROUND_ALL ? ROUND_JOINED : (round_kind)(round - 1);
    }
    return (round_kind)round;
}

/* Adds nothing if the round does not apply to these words. */
static void add_round(expression *e, round_kind kind)
{
    switch (kind) {
    case ROUND_EXACT: add_exact(e, false); return;
    case ROUND_INSIDE: add_exact(e, true); return;
    case ROUND_JOINED: add_joined_names(e); return;
    case ROUND_ALL:
        if (e->strong_count == 3) {
            add_three(e, e->strong);
        } else if (e->strong_count == 2) {
            add_two(e, e->strong[0], e->strong[1]);
        }
        return;
    case ROUND_TWOS: add_twos(e); return;
    case ROUND_NAMED:
    case ROUND_ONES: add_strong(e); return;
    }
    HAFT__UNREACHABLE();
}

/* Files named after a word, and all files below such directories. Words with characters that are
 * special in a glob are left out. */
static void add_file_glob(haft__buf *buf, const haft__offline_words *words)
{
    size_t shown = 0;
    for (size_t i = 0; i < words->count; i++) {
        haft_str text = words->items[i].text;
        bool plain = text.len >= 3 && !words->items[i].weak;
        for (size_t k = 0; k < text.len; k++) {
            plain = plain && (is_name_char(text.ptr[k]) || text.ptr[k] == '-');
        }
        if (plain) {
            haft__buf_addf(buf, "%s*%.*s*,*%.*s*/**", shown++ > 0 ? "," : "**/{", HAFT__ARG(text),
                           HAFT__ARG(text));
        }
    }
    haft__buf_add_str(buf, shown > 0 ? HAFT__LIT("}") : HAFT__LIT(""));
}

/* Moves the text of the buffer into the arena. */
static haft_status take_text(haft__buf *buf, haft__arena *arena, haft_str *ret_text,
                             haft_error *err)
{
    haft_status status = haft__buf_check(buf, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(buf));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_clear(buf);
    return status;
}

haft_status haft__offline_round(const haft__offline_words *words, size_t round, haft__arena *arena,
                                haft__offline_search *ret_search, bool *ret_last, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, MAX_BYTES);
    expression e = {.words = words, .buf = &text};
    bool any = false;
    for (size_t i = 0; i < words->count; i++) {
        any = any || !words->items[i].weak;
    }
    for (size_t i = 0; i < words->count; i++) {
        if (!any || !words->items[i].weak) {
            e.strong[e.strong_count++] = i;
        }
    }
    *ret_search = (haft__offline_search){HAFT__LIT(""), HAFT__LIT("")};
    round_kind kind = kind_of_round(words, round);
    *ret_last = kind == ROUND_ONES;
    add_round(&e, kind);
    haft_status status = take_text(&text, arena, &ret_search->pattern, err);
    if (status == HAFT_OK && kind == ROUND_NAMED) {
        add_file_glob(&text, words);
        status = take_text(&text, arena, &ret_search->glob, err);
        ret_search->pattern = ret_search->glob.len > 0 ? ret_search->pattern : HAFT__LIT("");
    }
    haft_str files = haft__offline_angle_glob(words->angle);
    if (files.len > 0) { /* all rounds search the files of the angle */
        ret_search->pattern = kind == ROUND_NAMED ? HAFT__LIT("") : ret_search->pattern;
        ret_search->glob = files;
    }
    haft__buf_finish(&text);
    return status;
}
