/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_search.c - regular expressions that look for the words of a task.
 *
 * A name is looked for first where it may be defined. Lines in which several of the words stand
 * together say more than those with one of them, so the first round asks for three words side by
 * side in the task, then for two, then for any. Documents and programs are searched apart: what
 * people wrote about a thing is soon found, and not hidden behind a thousand lines that do it.
 * Tests: tests/model/offline_search_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/offline_int.h"

/* How far into a line a word is looked for. All that is asked of a line begins at its start and
 * reaches so far and no further, so that long lines cost no more than others. */
#define REACH ".{0,200}"
/* Room for one alternative more than an expression may have. */
#define MOST_BYTES (2 * (size_t)HAFT__LIMIT_PATTERN_BYTES)

typedef struct expression {
    const haft__offline_words *words;
    haft__buf *buf;
    size_t alternatives;
} expression;

/* ---- one word ---- */

static void add_escaped(haft__buf *buf, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\0' && strchr("^$\\.*+?()[]{}|", text.ptr[i]) != NULL) {
            haft__buf_add_char(buf, '\\');
        }
        haft__buf_add_char(buf, text.ptr[i]);
    }
}

/* A sentence may begin with it. */
static void add_word(haft__buf *buf, const haft__offline_word *word)
{
    char first = word->text.ptr[0];
    if (word->exact || first < 'a' || first > 'z') {
        add_escaped(buf, word->text);
        return;
    }
    haft__buf_addf(buf, "[%c%c]", first - 'a' + 'A', first);
    add_escaped(buf, haft__str_skip(word->text, 1));
}

/* ---- words in one line ---- */

/* These words, in any order, unless the expression would be too long with them. */
static void add_together(expression *e, const size_t *words, size_t count)
{
    haft__buf *buf = e->buf;
    size_t before = buf->len;
    haft__buf_add_str(buf, e->alternatives > 0 ? HAFT__LIT("|") : HAFT__LIT(""));
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        haft__buf_addf(buf, "%s%s", last ? "" : "(?=", count > 1 ? REACH : "");
        add_word(buf, &e->words->items[words[i]]);
        haft__buf_add_str(buf, last ? HAFT__LIT("") : HAFT__LIT(")"));
    }
    if (buf->status == HAFT_OK && buf->len >= HAFT__LIMIT_PATTERN_BYTES) {
        buf->len = before;
        return;
    }
    e->alternatives++;
}

/* Three words that follow each other in the task. */
static void add_threes(expression *e)
{
    for (size_t i = 0; i + 3 <= e->words->count; i++) {
        add_together(e, (size_t[]){i, i + 1, i + 2}, 3);
    }
}

/* Two words that follow each other, or have one between them. */
static void add_twos(expression *e)
{
    for (size_t apart = 1; apart <= 2; apart++) {
        for (size_t i = 0; i + apart < e->words->count; i++) {
            add_together(e, (size_t[]){i, i + apart}, 2);
        }
    }
}

static void add_ones(expression *e, bool only_exact)
{
    for (size_t i = 0; i < e->words->count; i++) {
        if (e->words->items[i].exact || !only_exact) {
            add_together(e, &i, 1);
        }
    }
}

/* ---- rounds ---- */

typedef enum round_kind {
    ROUND_DEFINED, /* lines that are not indented and have an exact word */
    ROUND_EXACT,
    ROUND_THREES,
    ROUND_TWOS,
    ROUND_ONES,
} round_kind;

static bool has_round(const haft__offline_words *words, round_kind kind)
{
    switch (kind) {
    case ROUND_DEFINED:
    case ROUND_EXACT: return words->count > 0 && words->items[0].exact;
    case ROUND_THREES: return words->count >= 3;
    case ROUND_TWOS: return words->count >= 2;
    case ROUND_ONES: return words->count >= 1;
    }
    HAFT__UNREACHABLE();
}

/* What stands around the alternatives of a round. */
static const char *const openings[] = {
    [ROUND_DEFINED] = "^[A-Za-z_].{0,80}(?:",
    [ROUND_EXACT] = "",
    [ROUND_THREES] = "^(?:",
    [ROUND_TWOS] = "^(?:",
    [ROUND_ONES] = "",
};

static void add_alternatives(expression *e, round_kind kind)
{
    switch (kind) {
    case ROUND_DEFINED:
    case ROUND_EXACT: add_ones(e, true); return;
    case ROUND_THREES: add_threes(e); return;
    case ROUND_TWOS: add_twos(e); return;
    case ROUND_ONES: add_ones(e, false); return;
    }
    HAFT__UNREACHABLE();
}

static void add_round(expression *e, round_kind kind)
{
    haft__buf_addf(e->buf, "%s", openings[kind]);
    add_alternatives(e, kind);
    haft__buf_addf(e->buf, "%s", openings[kind][0] != '\0' ? ")" : "");
}

bool haft__offline_add_round(haft__buf *buf, const haft__offline_words *words, haft_str pattern)
{
    static const char *const names[] = {
        [ROUND_DEFINED] = "lines that may define a name of the task",
        [ROUND_EXACT] = "names and quoted words of the task",
        [ROUND_THREES] = "three words of the task in one line",
        [ROUND_TWOS] = "two words of the task in one line",
        [ROUND_ONES] = "any word of the task",
    };
    haft__buf text;
    haft__buf_init(&text, MOST_BYTES);
    bool found = false;
    for (int i = 0; i <= ROUND_ONES && !found && pattern.len > 0; i++) {
        haft__buf_clear(&text);
        expression e = {words, &text, 0};
        add_round(&e, (round_kind)i);
        found = haft__str_equal(haft__buf_str(&text), pattern);
        if (text.status != HAFT_OK) {
            haft__buf_fail(buf, text.status, "out of memory");
        }
        if (found) {
            haft__buf_addf(buf, " for %s", names[i]);
        }
    }
    haft__buf_finish(&text);
    return found;
}

/* Rounds that ask for several words look at documents and programs apart; the others, and all of
 * them where it is not known what there is, look everywhere. */
static size_t scopes_of(round_kind kind, haft_str docs, haft_str code, haft_str scopes[2])
{
    bool apart = kind == ROUND_THREES || kind == ROUND_TWOS;
    size_t count = 0;
    if (apart && docs.len > 0) {
        scopes[count++] = docs;
    }
    if (apart && code.len > 0) {
        scopes[count++] = code;
    }
    if (count == 0) {
        scopes[count++] = HAFT__LIT("");
    }
    return count;
}

haft_status haft__offline_round(const haft__offline_words *words, haft_str docs, haft_str code,
                                size_t round, haft__arena *arena,
                                haft__offline_search ret_searches[2], size_t *ret_count,
                                bool *ret_last, haft_error *err)
{
    *ret_count = 0;
    *ret_last = round > ROUND_ONES;
    if (*ret_last || !has_round(words, (round_kind)round)) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, MOST_BYTES);
    expression e = {words, &text, 0};
    add_round(&e, (round_kind)round);
    haft_status status = haft__buf_check(&text, err);
    haft_str scopes[2], pattern = {NULL, 0};
    if (status == HAFT_OK) {
        pattern = haft__arena_copy(arena, haft__buf_str(&text));
        status = pattern.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        *ret_count = scopes_of((round_kind)round, docs, code, scopes);
        for (size_t i = 0; i < *ret_count; i++) {
            ret_searches[i] = (haft__offline_search){pattern, scopes[i]};
        }
    }
    return status;
}
