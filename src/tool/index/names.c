/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - if a query contains the name of a tool or a server, that tool or server ranks first.
 *
 * The whole query may be a name ("create issue"), or one of its words if it looks like an
 * identifier: an underscore, a colon, a capital or a digit inside. A plain word such as "search"
 * may be a name by chance, so the usual score decides. A plain word that the word vectors do not
 * have, and that only one document has, is a name ("use champdex").
 *
 * Tests: tests/tool/index/query_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/index/characters.h"
#include "tool/index/search_int.h"
#include "tool/index/stem.h"

/* In names with fewer letters, punctuation counts too. */
#define MIN_LETTERS 2U
/* Minimum length of a coined name. */
#define MIN_COINED 4U
/* Bonus of the exact spelling among names that differ only in punctuation and case. */
#define EXACT_SPELLING 0.5F
/* The size of a bit filter of hashes, which quickly excludes most names. */
#define FILTER_BITS 4096U

typedef struct name_set {
    uint64_t hashes[HAFT__LIMIT_SEARCH_QUERY_WORDS + 1];
    haft_str texts[HAFT__LIMIT_SEARCH_QUERY_WORDS + 1]; /* as written */
    size_t count;
    uint64_t filter[FILTER_BITS / 64];
} name_set;

size_t haft__search_normalize_name(haft_str name, char to[HAFT__SEARCH_NORMALIZED_BYTES])
{
    size_t length = 0;
    while (name.len > 0) {
        haft__search_character letter = haft__search_character_read(name);
        name = haft__str_skip(name, letter.bytes);
        if (letter.kind == HAFT__SEARCH_OTHER || letter.code == 0) {
            continue;
        }
        if (HAFT__SEARCH_NORMALIZED_BYTES - length < HAFT__UTF8_MAX_BYTES) {
            return 0;
        }
        length += haft__utf8_encode(letter.code, to + length);
    }
    return length;
}

uint64_t haft__search_hash_name(haft__hash_key key, haft_str name)
{
    char letters[HAFT__SEARCH_NORMALIZED_BYTES];
    size_t length = haft__search_normalize_name(name, letters);
    if (length == 0) {
        return 0;
    }
    if (length < MIN_LETTERS) { /* punctuation distinguishes c++ from c# */
        name = haft__str_trim(name);
        for (length = 0; length < name.len && length < sizeof(letters); length++) {
            char c = name.ptr[length];
            letters[length] = haft__ascii_lower(c);
        }
    }
    return haft__hash(key, (haft_str){letters, length});
}

/* ---- names of groups ---- */

/* Whether a word of a group's name only describes the kind of the group, such as the last two of
 * "github-mcp-server". */
static bool is_generic(const haft__search_word *word)
{
    haft_str raw = {word->raw, word->raw_length};
    return haft__str_equal(raw, HAFT__LIT("mcp")) || haft__str_equal(raw, HAFT__LIT("server"));
}

/* Reads the next word that is not generic; false after the last. */
static bool next_specific(haft__search_tokenizer *words, haft__search_word *ret_word)
{
    while (haft__search_tokenizer_next(words, ret_word)) {
        if (!is_generic(ret_word)) {
            return true;
        }
    }
    return false;
}

bool haft__search_is_generic_word(haft_str name, const haft__search_word *word)
{
    haft__search_tokenizer words;
    haft__search_word other;
    if (!is_generic(word)) {
        return false;
    }
    haft__search_tokenizer_init(&words, name, false);
    return next_specific(&words, &other);
}

/* A fast test before the words are split: whether the name contains "mcp" or "ver", as the generic
 * words do. */
static bool may_be_generic(haft_str name)
{
    for (size_t i = 2; i < name.len; i++) {
        const char *end = name.ptr + i;
        char last = haft__ascii_lower(*end);
        if ((last == 'p' && haft__ascii_lower(end[-1]) == 'c' && haft__ascii_lower(end[-2]) == 'm')
            || (last == 'r' && haft__ascii_lower(end[-1]) == 'e'
                && haft__ascii_lower(end[-2]) == 'v')) {
            return true;
        }
    }
    return false;
}

uint64_t haft__search_hash_group(haft__hash_key key, haft_str name)
{
    char rest[HAFT__SEARCH_NORMALIZED_BYTES], letters[HAFT__SEARCH_NORMALIZED_BYTES];
    size_t length = 0, from = 0;
    haft__search_tokenizer words;
    haft__search_word word;
    if (name.len > sizeof(rest) || !may_be_generic(name)) {
        return haft__search_hash_name(key, name);
    }
    haft__search_tokenizer_init(&words, name, false);
    while (haft__search_tokenizer_next(&words, &word)) {
        if (is_generic(&word)) {
            size_t before = words.at - word.raw_length - from;
            memcpy(rest + length, name.ptr + from, before);
            length += before;
            from = words.at;
        }
    }
    memcpy(rest + length, name.ptr + from, name.len - from);
    haft_str specific = {rest, length + name.len - from};
    bool enough = haft__search_normalize_name(specific, letters) >= MIN_LETTERS;
    return haft__search_hash_name(key, enough ? specific : name);
}

/* ---- names in the query ---- */

static void add_hash(name_set *set, haft_str text, uint64_t hash)
{
    if (hash != 0 && set->count < COUNT(set->hashes)) {
        set->texts[set->count] = text;
        set->hashes[set->count++] = hash;
        set->filter[hash % FILTER_BITS / 64] |= (uint64_t)1 << hash % 64;
    }
}

static void add_name(const haft__search_index *search, name_set *set, haft_str text)
{
    add_hash(set, text, haft__search_hash_name(search->options.hash_key, text));
}

static void add_group_name(const haft__search_index *search, name_set *set, haft_str text)
{
    add_hash(set, text, haft__search_hash_group(search->options.hash_key, text));
}

static bool may_contain(const name_set *set, uint64_t hash)
{
    return (set->filter[hash % FILTER_BITS / 64] >> hash % 64 & 1) != 0;
}

/* The written form of a name in the set; .ptr is NULL if the set does not contain the name. */
static haft_str find_written_form(const name_set *set, uint64_t hash)
{
    for (size_t i = 0; i < set->count && may_contain(set, hash); i++) {
        if (set->hashes[i] == hash) {
            return set->texts[i];
        }
    }
    return (haft_str){NULL, 0};
}

static bool contains_name(const name_set *set, uint64_t hash)
{
    return may_contain(set, hash) && find_written_form(set, hash).ptr != NULL;
}

static bool is_plain(char c)
{
    return haft__ascii_is_lower(c) || (unsigned char)c >= 0x80;
}

/* Strips punctuation around a word of a sentence. */
static haft_str strip(haft_str token)
{
    static const char signs[] = "\"'`.,;:!?()[]{}<>*";
    while (token.len > 0 && strchr(signs, token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr(signs, token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

/* Whether a word looks like an identifier: it contains punctuation or a digit, or a capital letter
 * inside next to a lower-case letter: createIssue, GET_ME, but not API. */
static bool is_identifier(haft_str token)
{
    bool small = false, capital = false, sign = false;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        small = small || is_plain(c);
        capital = capital || (i > 0 && haft__ascii_is_upper(c));
        sign = sign || (i > 0 && !is_plain(c) && !haft__ascii_is_upper(c) && c != '\'');
    }
    bool letters = small || capital || (token.len > 0 && haft__ascii_is_upper(token.ptr[0]));
    return letters && (sign || (small && capital));
}

/* Whether a plain word is a coined name: one document has it, and the word vectors do not. */
static bool is_coined(const haft__search_index *search, haft_str token)
{
    const haft__search_word_vectors *vectors = search->options.vectors;
    char word[HAFT__LIMIT_SEARCH_WORD_BYTES];
    if (token.len < MIN_COINED || token.len > sizeof(word)) {
        return false;
    }
    for (size_t i = 0; i < token.len; i++) {
        if (!is_plain(token.ptr[i])) {
            return false;
        }
        word[i] = token.ptr[i];
    }
    haft_str stem = {word, haft__search_stem(word, token.len)};
    uint32_t term = haft__search_string_table_find(&search->term_table, stem);
    return term != HAFT__SEARCH_NONE && search->terms[term].doc_count == 1 && vectors != NULL
           && haft__search_word_vectors_find(vectors, stem) == NULL;
}

/* The next token of a text, without the punctuation around it; it may be empty. */
static haft_str next_token(haft_str *text)
{
    size_t length = 0;
    while (length < text->len && (unsigned char)text->ptr[length] > ' ') {
        length++;
    }
    haft_str token = strip((haft_str){text->ptr, length});
    *text = haft__str_skip(*text, length + 1);
    return token;
}

static void add_words(const haft__search_index *search, haft_str text, name_set *set,
                      name_set *groups)
{
    while (text.len > 0 && set->count < COUNT(set->hashes)) {
        haft_str token = next_token(&text);
        if (token.len <= HAFT__LIMIT_TOOL_NAME_BYTES
            && (is_identifier(token) || is_coined(search, token))) {
            add_name(search, set, token);
            add_group_name(search, groups, token);
        }
    }
}

/* ---- groups that a sentence names ---- */

/* Whether the word after this token is probably a name: "on slack", "with notion". */
static bool is_preposition(haft_str token)
{
    static const char *const prepositions[] = {"on",   "to",   "in",  "via",    "using",
                                               "with", "from", "use", "through"};
    return haft__str_is_one_of(token, prepositions, COUNT(prepositions));
}

/* Adds each word and each pair of adjacent words: "google maps" is google-maps. Probable names are
 * added to `sure`. */
static void add_plain_words(const haft__search_index *search, haft_str text, name_set *sure,
                            name_set *mentioned)
{
    haft_str before = {NULL, 0};
    bool after_preposition = false;      /* the previous word is a preposition */
    bool pair_after_preposition = false; /* the word before the previous one is a preposition */
    while (text.len > 0) {
        haft_str token = next_token(&text);
        bool fits = token.len >= MIN_LETTERS && token.len <= HAFT__LIMIT_TOOL_NAME_BYTES;
        bool capital = before.ptr != NULL && token.len > 0 && haft__ascii_is_upper(token.ptr[0]);
        if (fits) {
            add_group_name(search, after_preposition || capital ? sure : mentioned, token);
        }
        haft_str both = {before.ptr, (size_t)(token.ptr + token.len - before.ptr)};
        if (fits && before.ptr != NULL && both.len <= HAFT__LIMIT_TOOL_NAME_BYTES) {
            add_group_name(search, pair_after_preposition || capital ? sure : mentioned, both);
        }
        pair_after_preposition = after_preposition;
        after_preposition = is_preposition(token);
        before = token.len > 0 ? token : (haft_str){NULL, 0};
    }
}

/* The group's share of all documents that contain its name: 1 for "slack", small for "time", which
 * many tools mention. */
static float share_of(const haft__search_index *search, uint32_t group)
{
    haft__search_tokenizer words;
    haft__search_word word;
    float share = 1;
    haft__search_tokenizer_init(&words, haft__search_string_table_text(&search->group_table, group),
                                false);
    if (next_specific(&words, &word)) {
        uint32_t term = haft__search_string_table_find(&search->term_table,
                                                       (haft_str){word.stem, word.stem_length});
        uint32_t all = term != HAFT__SEARCH_NONE ? search->terms[term].doc_count : 0;
        uint32_t own = search->groups[group].doc_count;
        bool more = next_specific(&words, &word); /* at most two words are compared */
        share = all > own && !more ? (float)own / (float)all : 1;
    }
    return share;
}

void haft__search_find_named_groups(const haft__search_index *search,
                                    haft__search_parsed_query *parsed)
{
    name_set sure = {.count = 0}, mentioned = {.count = 0};
    if (!parsed->single && search->options.weights.group > 0) {
        add_plain_words(search, parsed->text, &sure, &mentioned);
    }
    for (uint32_t i = 0; i < search->group_table.limit; i++) {
        const haft__search_group *group = &search->groups[i];
        if (group->doc_count == 0 || parsed->named_count == HAFT__SEARCH_MAX_NAMED) {
            continue;
        }
        float max = contains_name(&sure, group->name_hash)        ? HAFT__SEARCH_NAMED_GROUP
                    : contains_name(&mentioned, group->name_hash) ? HAFT__SEARCH_MENTIONED_GROUP
                                                                  : 0;
        if (max > 0) {
            parsed->named[parsed->named_count++] =
                (haft__search_named_group){i, max * share_of(search, i)};
        }
    }
}

float haft__search_named_bonus(const haft__search_index *search,
                               const haft__search_parsed_query *parsed, uint32_t doc)
{
    uint32_t group = search->docs[doc].group;
    for (size_t i = 0; i < parsed->named_count && group != HAFT__SEARCH_NONE; i++) {
        if (parsed->named[i].group == group) {
            return parsed->named[i].bonus;
        }
    }
    return 0;
}

/* ---- documents ---- */

/* Whether the id ends with exactly this text. */
static bool is_as_written(const haft__search_index *search, uint32_t doc, haft_str text)
{
    haft_str id = haft__search_string_table_text(&search->doc_table, doc);
    if (text.len == 0 || text.len > id.len
        || memcmp(id.ptr + id.len - text.len, text.ptr, text.len) != 0) {
        return false;
    }
    char before = text.len < id.len ? id.ptr[id.len - text.len - 1] : ':';
    return !is_plain(before) && !haft__ascii_is_upper(before) && !haft__ascii_is_digit(before);
}

/* The bonus for the document's own name. */
static float grade_name(const haft__search_index *search, const name_set *set, uint32_t doc)
{
    const haft__search_indexed_doc *indexed = &search->docs[doc];
    if (!may_contain(set, indexed->name_hash) && !may_contain(set, indexed->id_hash)) {
        return 0;
    }
    haft_str name = find_written_form(set, indexed->name_hash),
             id = find_written_form(set, indexed->id_hash);
    haft_str text = id.ptr != NULL ? id : name;
    if (text.ptr == NULL) {
        return 0;
    }
    return HAFT__SEARCH_EXACT_NAME + (is_as_written(search, doc, text) ? EXACT_SPELLING : 0);
}

/* Adds the bonus to the documents of groups that the query names exactly. */
static void add_exact_groups(const haft__search_index *search, const name_set *groups, float *total)
{
    bool any = false;
    for (uint32_t i = 0; i < search->group_table.limit && groups->count > 0; i++) {
        any = any || contains_name(groups, search->groups[i].name_hash);
    }
    for (uint32_t i = 0; i < search->doc_table.limit && any; i++) {
        const haft__search_indexed_doc *indexed = &search->docs[i];
        if (indexed->entries != NULL && indexed->group != HAFT__SEARCH_NONE
            && contains_name(groups, search->groups[indexed->group].name_hash)) {
            total[i] += HAFT__SEARCH_EXACT_GROUP;
        }
    }
}

void haft__search_score_names(const haft__search_index *search,
                              const haft__search_parsed_query *parsed, float *bonuses, float *total)
{
    name_set set = {.count = 0}, groups = {.count = 0};
    if (parsed->text.len <= HAFT__LIMIT_TOOL_NAME_BYTES) {
        add_name(search, &set, strip(parsed->text));
        add_group_name(search, &groups, strip(parsed->text));
    }
    add_words(search, parsed->text, &set, &groups);
    if (set.count == 0 && parsed->named_count == 0) {
        return;
    }
    memset(bonuses, 0, search->group_table.limit * sizeof(*bonuses));
    for (size_t i = 0; i < parsed->named_count; i++) {
        bonuses[parsed->named[i].group] = parsed->named[i].bonus;
    }
    for (uint32_t i = 0; i < search->doc_table.limit; i++) {
        const haft__search_indexed_doc *indexed = &search->docs[i];
        if (indexed->entries != NULL) {
            float named = indexed->group != HAFT__SEARCH_NONE ? bonuses[indexed->group] : 0;
            total[i] += grade_name(search, &set, i) + named;
        }
    }
    add_exact_groups(search, &groups, total);
}
