/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - what a task is about: names, quoted words, files, and the words that are left
 * when the small ones of English are gone.
 *
 * Stems are beginnings of words, so that looking for one finds all its forms: "decid" is in
 * "deciding" and in "decided". Tests: tests/model/rules/words_test.c.
 */
#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* A task may have a whole document in it; what it is about stands at its beginning. */
#define LOOKED_AT      4000U
#define LONGEST_PHRASE 80U
#define LONGEST_ENDING 5U
#define SHORTEST_WORD  3U
/* So many capitals are a name: EAGAIN. Fewer may be short for something: JSON. */
#define CAPITALS 5U

/* Words that say nothing about a source tree, and those that tasks begin with. */
static const char *const small_words[] = {
    "about",   "above",     "after",     "again",    "all",     "also",    "always",     "and",
    "another", "any",       "anything",  "are",      "aren't",  "ask",     "because",    "been",
    "before",  "being",     "below",     "between",  "both",    "brief",   "but",        "can",
    "can't",   "cannot",    "could",     "describe", "did",     "does",    "doesn't",    "doing",
    "don't",   "done",      "each",      "either",   "else",    "every",   "everything", "explain",
    "few",     "find",      "for",       "from",     "get",     "gets",    "give",       "gives",
    "goes",    "had",       "happen",    "happens",  "has",     "have",    "having",     "her",
    "here",    "him",       "his",       "how",      "into",    "isn't",   "its",        "itself",
    "just",    "know",      "let",       "like",     "list",    "look",    "made",       "makes",
    "many",    "may",       "mean",      "means",    "might",   "more",    "most",       "much",
    "must",    "need",      "needs",     "nor",      "not",     "nothing", "now",        "off",
    "once",    "one",       "only",      "other",    "our",     "out",     "over",       "own",
    "part",    "parts",     "please",    "report",   "same",    "say",     "says",       "see",
    "shall",   "she",       "short",     "should",   "show",    "some",    "something",  "still",
    "such",    "summarise", "summarize", "summary",  "sure",    "take",    "tell",       "than",
    "that",    "the",       "their",     "them",     "then",    "there",   "these",      "they",
    "thing",   "things",    "this",      "those",    "through", "too",     "under",      "until",
    "upon",    "use",       "used",      "uses",     "using",   "very",    "want",       "wants",
    "was",     "way",       "ways",      "were",     "what",    "when",    "where",      "whether",
    "which",   "while",     "who",       "whole",    "whose",   "why",     "will",       "with",
    "within",  "work",      "works",     "would",    "write",   "you",     "your",
};

/* ---- stems ---- */

static haft_str lower_all(haft_str word, char *room)
{
    for (size_t i = 0; i < word.len; i++) {
        room[i] = to_lower(word.ptr[i]);
    }
    return (haft_str){room, word.len};
}

static const struct {
    const char *ending;
    size_t least; /* letters that must be left */
} endings[] = {
    {"'s", 2}, {"ies", 4}, {"ing", 4}, {"ed", 4}, {"es", 4}, {"s", 3}, {"e", 4},
};

/* "runn" of running; but "call" of calling. */
static bool is_doubled(haft_str stem)
{
    char last = stem.ptr[stem.len - 1];
    return last == stem.ptr[stem.len - 2] && strchr("bdgmnprt", last) != NULL;
}

/* The length of the ending of one who does something: fuzzer, parsers. Nouns that only look like
 * that are few enough to be listed. */
static size_t is_doer(haft_str word)
{
    static const char *const nouns[] = {"head", "numb", "buff",    "serv",  "point",
                                        "fold", "memb", "charact", "integ", "paramet"};
    size_t ending = haft__str_ends_with(word, HAFT__LIT("ers"))  ? 3
                    : haft__str_ends_with(word, HAFT__LIT("er")) ? 2
                                                                 : 0;
    for (size_t i = 0; i < COUNT(nouns); i++) {
        if (haft__str_equal((haft_str){word.ptr, word.len - ending}, haft__str(nouns[i]))) {
            return 0;
        }
    }
    return word.len >= ending + 4 ? ending : 0;
}

haft_str haft__offline_stem(haft_str word, char *room)
{
    haft_str stem = lower_all(word, room);
    size_t doer = is_doer(stem);
    stem.len -= doer;
    for (size_t i = 0; doer == 0 && i < COUNT(endings); i++) {
        haft_str ending = haft__str(endings[i].ending);
        if (!haft__str_ends_with(stem, ending) || stem.len < ending.len + endings[i].least) {
            continue;
        }
        if (ending.len == 1
            && (haft__str_ends_with(stem, HAFT__LIT("ss"))
                || haft__str_ends_with(stem, HAFT__LIT("ee")))) {
            break; /* class, three */
        }
        stem.len -= ending.len;
        bool verb = i == 2 || i == 3;
        stem.len -= verb && is_doubled(stem) ? 1 : 0;
        break;
    }
    return stem;
}

/* ---- reading a task ---- */

static bool is_small(haft_str word)
{
    for (size_t i = 0; i < COUNT(small_words); i++) {
        if (haft__str_equal(word, haft__str(small_words[i]))) {
            return true;
        }
    }
    return false;
}

static void add_hint(haft_str *hints, size_t *count, haft_str text)
{
    for (size_t i = 0; i < *count; i++) {
        if (haft__str_equal(hints[i], text)) {
            return;
        }
    }
    if (*count < HAFT__OFFLINE_HINTS) {
        hints[(*count)++] = text;
    }
}

/* An exact word comes before those that are not, and drives one of them out if it must. */
static void add_word(haft__offline_words *words, haft__offline_word word)
{
    size_t at = words->count;
    for (size_t i = words->count; i > 0; i--) {
        const haft__offline_word *other = &words->items[i - 1];
        if (haft__str_equal(other->text, word.text)) {
            return;
        }
        at = word.exact && !other->exact ? i - 1 : at;
    }
    if (at == HAFT__LIMIT_OFFLINE_WORDS) {
        return;
    }
    words->count += words->count < HAFT__LIMIT_OFFLINE_WORDS ? 1 : 0;
    memmove(&words->items[at + 1], &words->items[at],
            (words->count - at - 1) * sizeof(words->items[0]));
    words->items[at] = word;
}

/* read_file, readFile, HTTP2, EAGAIN: something that a program calls so. */
static bool is_name(haft_str token)
{
    bool inner = false, digit = false, letter = false, capitals = token.len >= CAPITALS;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        inner = inner || c == '_' || (i > 0 && is_upper(c) && is_lower(token.ptr[i - 1]));
        digit = digit || is_digit(c);
        letter = letter || is_letter(c);
        capitals = capitals && is_upper(c);
    }
    return letter && (inner || digit || capitals) && token.len >= SHORTEST_WORD;
}

/* retry-after, SHA-256: parts that a program may join in another way. */
static bool is_joined(haft_str token)
{
    bool hyphen = false, good = token.len <= LONGEST_PHRASE;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        bool inner = c == '-' && i > 0 && i + 1 < token.len && token.ptr[i - 1] != '-';
        hyphen = hyphen || inner;
        good = good && (inner || is_letter(c) || is_digit(c));
    }
    return hyphen && good;
}

/* A name with an ending such as ".c" or ".yaml", with or without a path before it. */
bool haft__offline_is_path(haft_str token)
{
    size_t dot = token.len;
    while (dot > 0 && token.ptr[dot - 1] != '.') {
        dot--;
    }
    bool ending = dot > 1 && token.len - dot >= 1 && token.len - dot <= LONGEST_ENDING;
    for (size_t i = dot; i < token.len; i++) {
        ending = ending && (is_lower(token.ptr[i]) || (i > dot && is_digit(token.ptr[i])));
    }
    bool short_for =
        haft__str_equal(token, HAFT__LIT("e.g")) || haft__str_equal(token, HAFT__LIT("i.e"));
    return ending && !short_for && memchr(token.ptr, ':', token.len) == NULL;
}

static bool is_number(haft_str token)
{
    uint64_t number;
    return haft__str_to_u64(token, &number);
}

/* Without what stands around a word in a sentence. */
static haft_str bare(haft_str token)
{
    while (token.len > 0 && strchr("([{<\"'`*", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr(")]}>\"'`*.,;:!?", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

/* A task that is being read. */
typedef struct reading {
    haft__offline_words *words;
    char *room;          /* a place for the stem of every word, where it has it in the task */
    bool with_cues;      /* there is nothing else */
    unsigned since_form; /* words since a cue such as "function"; 0 when there was none */
    bool asks_form;      /* it came behind "which": which function sorts an array */
} reading;

/* Whether a name is wanted, so that a plain word may be one: where is strdup declared. */
static bool wants_name(haft__offline_aim aim)
{
    switch (aim) {
    case HAFT__OFFLINE_AIM_DEFINED:
    case HAFT__OFFLINE_AIM_DECLARED:
    case HAFT__OFFLINE_AIM_SIGNATURE:
    case HAFT__OFFLINE_AIM_CALLED:
    case HAFT__OFFLINE_AIM_VALUE:
    case HAFT__OFFLINE_AIM_MEANING: return true;
    case HAFT__OFFLINE_AIM_PLACE:
    case HAFT__OFFLINE_AIM_DOCUMENTED:
    case HAFT__OFFLINE_AIM_REASON:
    case HAFT__OFFLINE_AIM_COUNT:
    case HAFT__OFFLINE_AIM_LIST:
    case HAFT__OFFLINE_AIM_COMPARE:
    case HAFT__OFFLINE_AIM_SUMMARY: return false;
    }
    HAFT__UNREACHABLE();
}

/* Words for all there is, where a summary of it is asked for. */
static bool is_whole_tree(haft_str word)
{
    static const char *const words[] = {"tree", "repository", "repo",    "project", "directory",
                                        "code", "source",     "sources", "files",   "folder"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(word, haft__str(words[i]))) {
            return true;
        }
    }
    return false;
}

static void add_plain(reading *r, haft_str token, char *room)
{
    size_t letters = 0;
    for (size_t i = 0; i < token.len; i++) {
        letters += is_letter(token.ptr[i]) ? 1 : 0;
    }
    if (letters < SHORTEST_WORD || token.len > LONGEST_PHRASE || is_small(lower_all(token, room))) {
        return;
    }
    if (r->words->aim == HAFT__OFFLINE_AIM_SUMMARY && is_whole_tree((haft_str){room, token.len})) {
        return;
    }
    haft__offline_cue cue = haft__offline_cue_of((haft_str){room, token.len});
    bool is_cue = cue != HAFT__OFFLINE_NO_CUE && (cue != HAFT__OFFLINE_CUE_FILE || r->asks_form);
    if (is_cue && !r->with_cues) {
        return;
    }
    if (r->since_form == 1 && !r->asks_form && wants_name(r->words->aim)) {
        add_word(r->words, (haft__offline_word){.text = token, .shown = token, .exact = true});
        return;
    }
    haft_str stem = haft__offline_stem(token, room);
    add_word(r->words, (haft__offline_word){.text = stem,
                                            .shown = token,
                                            .like = haft__offline_like(stem),
                                            .weak = haft__offline_is_weak(stem)});
}

/* The parts of what is no name: "and/or" is two words. */
static void add_parts(reading *r, haft_str token, char *room)
{
    size_t start = 0;
    for (size_t i = 0; i <= token.len; i++) {
        bool inside = i < token.len && (is_letter(token.ptr[i]) || token.ptr[i] == '\'');
        if (!inside) {
            add_plain(r, (haft_str){token.ptr + start, i - start}, room + start);
            start = i + 1;
        }
    }
}

static void add_name(reading *r, haft_str word)
{
    add_word(r->words, (haft__offline_word){.text = word, .shown = word, .exact = true});
}

/* Its parts as well: a line may have one of them only. */
static void add_joined(reading *r, haft_str word, char *room)
{
    haft_str text = lower_all(word, room);
    add_word(r->words, (haft__offline_word){.text = text, .shown = word, .joined = true});
    add_parts(r, word, room);
}

/* Notes where a cue stands that a name may follow. */
static void pass_form(reading *r, haft_str word, char *room)
{
    haft__offline_cue cue = haft__offline_cue_of(lower_all(word, room));
    bool which = haft__str_equal((haft_str){room, word.len}, HAFT__LIT("which"))
                 || haft__str_equal((haft_str){room, word.len}, HAFT__LIT("what"))
                 || haft__str_equal((haft_str){room, word.len}, HAFT__LIT("many"));
    if (cue == HAFT__OFFLINE_CUE_FORM) {
        r->since_form = 1;
        r->words->form = haft__offline_keyword_of((haft_str){room, word.len});
    } else {
        r->since_form = 0;
        r->asks_form = which;
    }
}

static void add_token(reading *r, haft_str token)
{
    haft__offline_words *words = r->words;
    haft_str word = bare(token);
    if (word.len == 0 || haft__offline_is_taken(&words->scope, word)) {
        return;
    }
    char *room = r->room + (word.ptr - words->whole.ptr);
    if (is_number(word)) {
        add_hint(words->numbers, &words->number_count, word);
    } else if (haft__offline_is_path(word)) {
        add_hint(words->paths, &words->path_count, word);
    } else if (is_joined(word)) {
        add_joined(r, word, room);
    } else if (is_name(word) && word.len <= LONGEST_PHRASE) {
        add_name(r, word);
    } else {
        add_parts(r, word, room);
    }
    pass_form(r, word, room);
}

/* The length of what stands between two quotes at the beginning of `rest`; 0 when it is no quote.
 * An apostrophe is none: it stands in a word, or a letter follows where it would end. */
static size_t quoted(haft_str rest, bool in_word)
{
    char quote = rest.ptr[0];
    if (in_word || (quote != '"' && quote != '\'' && quote != '`')) {
        return 0;
    }
    for (size_t i = 1; i < rest.len && i <= LONGEST_PHRASE + 1 && rest.ptr[i] != '\n'; i++) {
        bool ends = i + 1 == rest.len || !is_letter(rest.ptr[i + 1]);
        if (rest.ptr[i] == quote && ends) {
            return i - 1;
        }
    }
    return 0;
}

static void add_quoted(reading *r, haft_str phrase)
{
    haft_str text = haft__str_trim(phrase);
    if (haft__offline_is_path(text)) {
        add_hint(r->words->paths, &r->words->path_count, text);
    } else if (text.len >= 2) {
        add_name(r, text);
    }
}

static void read_tokens(reading *r, haft_str task)
{
    size_t start = 0;
    for (size_t i = 0; i <= task.len; i++) {
        haft_str rest = haft__str_skip(task, i);
        bool in_word = i > 0 && (is_letter(task.ptr[i - 1]) || is_digit(task.ptr[i - 1]));
        size_t phrase = rest.len > 0 ? quoted(rest, in_word) : 0;
        if (phrase > 0) {
            add_token(r, (haft_str){task.ptr + start, i - start});
            add_quoted(r, (haft_str){rest.ptr + 1, phrase});
            i += phrase + 1;
            start = i + 1;
        } else if (rest.len == 0 || is_space(rest.ptr[0])) {
            add_token(r, (haft_str){task.ptr + start, i - start});
            start = i + 1;
        }
    }
}

/* The only word of a question about a name is that name: what does strdup do? */
static void promote_name(haft__offline_words *words)
{
    size_t strong = 0, at = 0;
    for (size_t i = 0; i < words->count; i++) {
        const haft__offline_word *word = &words->items[i];
        strong += word->weak ? 0 : 1;
        at = word->weak ? at : i;
    }
    haft__offline_word *word = &words->items[at];
    if (strong == 1 && wants_name(words->aim) && !word->exact && !word->joined) {
        *word = (haft__offline_word){.text = word->shown, .shown = word->shown, .exact = true};
    }
}

/* Which files include uv.h: the file is what is looked for in others. */
static void promote_paths(reading *r)
{
    haft__offline_words *words = r->words;
    bool held = haft__offline_counts(words->aim) && words->scope.files && words->scope.holds;
    for (size_t i = 0; held && i < words->path_count; i++) {
        add_name(r, words->paths[i]);
    }
    words->path_count = held ? 0 : words->path_count;
}

haft_status haft__offline_words_read(haft_str task, haft__arena *arena,
                                     haft__offline_words *ret_words, haft_error *err)
{
    task.len = haft__utf8_floor(task, LOOKED_AT);
    char *room = haft__arena_alloc(arena, task.len + 1);
    if (room == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_words = (haft__offline_words){
        .whole = task, .task = haft__str_trim(task), .aim = haft__offline_aim_of(task)};
    haft_status status =
        haft__offline_scope_read(task, &ret_words->aim, arena, &ret_words->scope, err);
    if (status != HAFT_OK) {
        return status;
    }
    reading r = {.words = ret_words, .room = room};
    read_tokens(&r, task);
    promote_paths(&r);
    bool whole =
        ret_words->aim == HAFT__OFFLINE_AIM_SUMMARY || haft__offline_counts_files(ret_words);
    if (ret_words->count == 0 && ret_words->path_count == 0 && !whole) {
        r.with_cues = true;
        ret_words->only_cues = true;
        read_tokens(&r, task);
    }
    if (!r.with_cues) {
        promote_name(ret_words);
    }
    return HAFT_OK;
}
