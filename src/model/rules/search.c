/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - regular expressions that look for the words of a task.
 *
 * A name is looked for as it is, then, where that gave too much, where it may be defined, then
 * inside of other names. Lines in which several of the words stand together say more than those
 * with one of them, so the first rounds ask for all that matter, then for three words side by side
 * in the task, then for two, then for any; files that are called like a word are searched for any
 * of them. Documents and programs are searched apart: what people wrote about a thing is soon
 * found, and not hidden behind a thousand lines that do it. Tests:
 * tests/model/rules/search_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* How far apart two words of a line may be, and two of three. Long lines that are full of words
 * cost the square of the latter. */
#define REACH ".{0,80}"
#define NEAR  ".{0,30}"
/* Room for one alternative more than an expression may have. */
#define MOST_BYTES (2 * (size_t)HAFT__LIMIT_PATTERN_BYTES)

typedef struct expression {
    const haft__offline_words *words;
    haft__buf *buf;
    size_t alternatives;
} expression;

/* ---- one word ---- */

bool haft__offline_is_name(const haft__offline_word *word)
{
    bool name = word->exact && word->text.len > 0 && !is_digit(word->text.ptr[0]);
    for (size_t i = 0; i < word->text.len; i++) {
        name = name && is_of_name(word->text.ptr[i]);
    }
    return name;
}

static void add_escaped(haft__buf *buf, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\0' && strchr("^$\\.*+?()[]{}|", text.ptr[i]) != NULL) {
            haft__buf_add_char(buf, '\\');
        }
        haft__buf_add_char(buf, text.ptr[i]);
    }
}

/* A letter in this case or in the other, joints as any joint or none. */
static void add_letter(haft__buf *buf, char c, bool joined, bool either)
{
    if (joined && c == '-') {
        haft__buf_add_str(buf, HAFT__LIT("[-_. ]?"));
    } else if (either && is_lower(c)) {
        haft__buf_addf(buf, "[%c%c]", to_upper(c), c);
    } else {
        add_escaped(buf, (haft_str){&c, 1});
    }
}

/* A sentence may begin with it, and a macro has it in capitals. */
static void add_stem(haft__buf *buf, haft_str stem, bool joined)
{
    for (size_t i = 0; i < stem.len; i++) {
        add_letter(buf, stem.ptr[i], joined, i == 0 || (i > 1 && stem.ptr[i - 1] == '-'));
    }
    haft__buf_add_char(buf, '|');
    for (size_t i = 0; i < stem.len; i++) {
        char c = stem.ptr[i];
        add_letter(buf, to_upper(c), joined, false);
    }
}

static void add_word(haft__buf *buf, const haft__offline_word *word)
{
    if (word->exact) {
        const char *edge = haft__offline_is_name(word) ? "\\b" : "";
        haft__buf_addf(buf, "%s", edge);
        add_escaped(buf, word->text);
        haft__buf_addf(buf, "%s", edge);
        return;
    }
    haft__buf_add_str(buf, HAFT__LIT("(?:"));
    add_stem(buf, word->text, word->joined);
    for (const char *const *like = word->like; like != NULL && *like != NULL; like++) {
        if (!haft__str_equal(haft__str(*like), word->text)) {
            haft__buf_add_char(buf, '|');
            add_stem(buf, haft__str(*like), false);
        }
    }
    haft__buf_add_char(buf, ')');
}

/* ---- words in one line ---- */

/* The words that matter: not those that only say what is done with the others, if there are any. */
static size_t strong_words(const haft__offline_words *words, size_t *ret_strong)
{
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (!words->items[i].weak) {
            ret_strong[count++] = i;
        }
    }
    for (size_t i = 0; count == 0 && i < words->count; i++) {
        ret_strong[i] = i;
    }
    return count > 0 ? count : words->count;
}

/* What is added since `before` stays, unless the expression would be too long with it. */
static void settle(expression *e, size_t before)
{
    if (e->buf->status == HAFT_OK && e->buf->len >= HAFT__LIMIT_PATTERN_BYTES) {
        e->buf->len = before;
        return;
    }
    e->alternatives++;
}

static void add_item(expression *e, const char *before, size_t word)
{
    haft__buf_addf(e->buf, "%s", before);
    add_word(e->buf, &e->words->items[word]);
}

static const char *divider(const expression *e)
{
    return e->alternatives > 0 ? "|" : "";
}

static void add_one(expression *e, size_t word)
{
    size_t before = e->buf->len;
    add_item(e, divider(e), word);
    settle(e, before);
}

/* Both, in any order. A match begins with a word, so that lines without one cost next to nothing.
 */
static void add_two(expression *e, size_t a, size_t b)
{
    size_t before = e->buf->len;
    add_item(e, divider(e), a);
    add_item(e, REACH, b);
    add_item(e, "|", b);
    add_item(e, REACH, a);
    settle(e, before);
}

/* All three, in any order. */
static void add_three(expression *e, const size_t *words)
{
    for (size_t i = 0; i < 3; i++) {
        size_t before = e->buf->len, y = words[(i + 1) % 3], z = words[(i + 2) % 3];
        add_item(e, divider(e), words[i]);
        add_item(e, NEAR "(?:", y);
        add_item(e, NEAR, z);
        add_item(e, "|", z);
        add_item(e, NEAR, y);
        haft__buf_add_char(e->buf, ')');
        settle(e, before);
    }
}

/* All that matter, if they are two or three: of more, lines have but some. */
static void add_all(expression *e)
{
    size_t strong[HAFT__LIMIT_OFFLINE_WORDS];
    size_t count = strong_words(e->words, strong);
    if (count == 3) {
        add_three(e, strong);
    } else if (count == 2) {
        add_two(e, strong[0], strong[1]);
    }
}

/* Three words that follow each other in the task. */
static void add_threes(expression *e)
{
    for (size_t i = 0; i + 3 <= e->words->count; i++) {
        add_three(e, (size_t[]){i, i + 1, i + 2});
    }
}

/* Two words that follow each other, or have one between them. */
static void add_twos(expression *e)
{
    for (size_t apart = 1; apart <= 2; apart++) {
        for (size_t i = 0; i + apart < e->words->count; i++) {
            add_two(e, i, i + apart);
        }
    }
}

static void add_ones(expression *e)
{
    size_t strong[HAFT__LIMIT_OFFLINE_WORDS];
    size_t count = strong_words(e->words, strong);
    for (size_t i = 0; i < count; i++) {
        add_one(e, strong[i]);
    }
}

static void add_exact(expression *e)
{
    for (size_t i = 0; i < e->words->count; i++) {
        if (e->words->items[i].exact) {
            add_one(e, i);
        }
    }
}

/* ---- where a name is defined ---- */

static size_t count_names(const haft__offline_words *words)
{
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++) {
        count += haft__offline_is_name(&words->items[i]) ? 1 : 0;
    }
    return count;
}

/* The names, as (?:a|b), and so few that the expression is not too long. */
static void add_names(expression *e)
{
    size_t shown = 0;
    haft__buf_add_str(e->buf, HAFT__LIT("(?:"));
    for (size_t i = 0; i < e->words->count; i++) {
        if (haft__offline_is_name(&e->words->items[i]) && shown < HAFT__OFFLINE_HINTS) {
            haft__buf_add_str(e->buf, shown++ > 0 ? HAFT__LIT("|") : HAFT__LIT(""));
            haft__buf_add_str(e->buf, e->words->items[i].text);
        }
    }
    haft__buf_add_char(e->buf, ')');
}

/* What stands before and behind a name where it is defined or declared; each is an alternative. */
static const struct {
    const char *before, *behind;
} definitions[] = {
    {"^[ \\t]*#[ \\t]*define[ \\t]+", "\\b"}, /* a macro */
    {"^[A-Za-z_][\\w \\t*]{0,120}\\b",
     "(?:[ \\t]+\\w+\\(|[ \\t]*(?:[(\\[=;{]|$))"}, /* int f(), int x; */
    {"^", "[ \\t]*[(:=]"},                         /* f(), target: */
    {"^[ \\t]*(?:\\w+ ){0,2}(?:struct|union|enum|class|def|function|fn|func|sub)[ \\t]+", "\\b"},
    {"^[ \\t]*(?:typedef\\b.{0,120}\\b|\\}[ \\t]*)", "(?:\\[|\\)|;)"},
    {"^[ \\t\"'-]*", "[\"']?[ \\t]*[:=,]"}, /* a key, a value */
    {"^[ \\t]*[A-Z]\\(", ","},              /* a row of a table */
    {"^#+ .{0,100}\\b", "\\b"},             /* a heading */
};

/* A name inside of another one, or all in small letters, or in capitals: openat2 in __NR_openat2.
 */
static void add_inside(expression *e)
{
    for (size_t i = 0; i < e->words->count; i++) {
        haft_str name = e->words->items[i].text;
        size_t before = e->buf->len;
        if (!haft__offline_is_name(&e->words->items[i])) {
            continue;
        }
        haft__buf_addf(e->buf, "%s%.*s|", divider(e), HAFT__ARG(name));
        for (size_t k = 0; k < name.len; k++) {
            haft__buf_add_char(e->buf, to_lower(name.ptr[k]));
        }
        haft__buf_add_char(e->buf, '|');
        for (size_t k = 0; k < name.len; k++) {
            haft__buf_add_char(e->buf, to_upper(name.ptr[k]));
        }
        settle(e, before);
    }
}

static void add_definitions(expression *e)
{
    for (size_t i = 0; i < COUNT(definitions); i++) {
        haft__buf_addf(e->buf, "%s%s", i > 0 ? "|" : "", definitions[i].before);
        add_names(e);
        haft__buf_addf(e->buf, "%s", definitions[i].behind);
    }
}

/* ---- rounds ---- */

typedef enum round_kind {
    ROUND_EXACT,
    ROUND_DEFINED, /* lines that may define or declare a name */
    ROUND_INSIDE,
    ROUND_ALL,
    ROUND_NAMED, /* in files that are called like a word */
    ROUND_THREES,
    ROUND_TWOS,
    ROUND_ONES,
} round_kind;

static bool has_round(const haft__offline_words *words, round_kind kind)
{
    size_t strong[HAFT__LIMIT_OFFLINE_WORDS];
    size_t count = strong_words(words, strong);
    switch (kind) {
    case ROUND_EXACT: return words->count > 0 && words->items[0].exact;
    case ROUND_DEFINED:
    case ROUND_INSIDE: return count_names(words) > 0;
    case ROUND_ALL: return count == 2 || count == 3;
    case ROUND_NAMED: return words->count >= 1;
    case ROUND_THREES: return words->count >= 3;
    case ROUND_TWOS: return words->count >= 2;
    case ROUND_ONES: return words->count >= 1;
    }
    HAFT__UNREACHABLE();
}

static void add_round(expression *e, round_kind kind)
{
    switch (kind) {
    case ROUND_EXACT: add_exact(e); return;
    case ROUND_DEFINED: add_definitions(e); return;
    case ROUND_INSIDE: add_inside(e); return;
    case ROUND_ALL: add_all(e); return;
    case ROUND_THREES: add_threes(e); return;
    case ROUND_TWOS: add_twos(e); return;
    case ROUND_NAMED:
    case ROUND_ONES: add_ones(e); return;
    }
    HAFT__UNREACHABLE();
}

bool haft__offline_add_round(haft__buf *buf, const haft__offline_words *words, haft_str pattern)
{
    static const char *const names[] = {
        [ROUND_DEFINED] = "lines that may define a name of the task",
        [ROUND_EXACT] = "names and quoted words of the task",
        [ROUND_INSIDE] = "names of the task inside of others",
        [ROUND_ALL] = "all that matters of the task in one line",
        [ROUND_NAMED] = "any word of the task",
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

/* Files that are called like a word, and all below directories that are. Plain letters only, so
 * that nothing in it means anything in a pattern. */
static void add_named_glob(haft__buf *buf, const haft__offline_words *words)
{
    size_t shown = 0;
    for (size_t i = 0; i < words->count; i++) {
        haft_str text = words->items[i].text;
        bool plain = text.len >= 3 && !words->items[i].weak;
        for (size_t k = 0; k < text.len; k++) {
            plain = plain && (is_of_name(text.ptr[k]) || text.ptr[k] == '-');
        }
        if (plain) {
            haft__buf_addf(buf, "%s*%.*s*,*%.*s*/**", shown++ > 0 ? "," : "**/{", HAFT__ARG(text),
                           HAFT__ARG(text));
        }
    }
    haft__buf_add_str(buf, shown > 0 ? HAFT__LIT("}") : HAFT__LIT(""));
}

/* The round that asks for three words looks at documents and programs apart; the others, and all of
 * them where it is not known what there is, look everywhere. */
static size_t scopes_of(round_kind kind, haft_str docs, haft_str code, haft_str scopes[2])
{
    bool apart = kind == ROUND_THREES;
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

/* What was written, in the arena. */
static haft_status keep(haft__buf *buf, haft__arena *arena, haft_str *ret_text, haft_error *err)
{
    haft_status status = haft__buf_check(buf, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(buf));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_clear(buf);
    return status;
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
    haft_str scopes[2] = {HAFT__LIT(""), HAFT__LIT("")}, pattern = HAFT__LIT("");
    haft_status status = keep(&text, arena, &pattern, err);
    size_t count = scopes_of((round_kind)round, docs, code, scopes);
    if (status == HAFT_OK && round == ROUND_NAMED) {
        add_named_glob(&text, words);
        status = keep(&text, arena, &scopes[0], err);
        count = scopes[0].len > 0 ? 1 : 0;
    }
    haft__buf_finish(&text);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        ret_searches[(*ret_count)++] = (haft__offline_search){pattern, scopes[i]};
    }
    return status;
}
