/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_names.c - a query that names a tool or a server means just that one.
 *
 * The whole query may be a name ("create issue"), or one of its words, if it looks like something a
 * program has: an underscore, a colon, a capital or a digit inside. A plain word such as "search"
 * may be a name by chance; how often documents have it is a better guide then. One that no table
 * of words has, and one document alone, is a name ("use champdex").
 * Tests: tests/tool/search_query_test.c.
 */
#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/search_int.h"
#include "tool/search_letters.h"
#include "tool/search_stem.h"

/* Of shorter names the signs count, too. */
#define LEAST_LETTERS 2U
/* Of a word that is a name because nobody else says it. */
#define LEAST_COINED 4U
/* One bit for each of so many hashes: most names are not in the query, which is seen at once. */
#define SIEVE_BITS 4096U

typedef struct wanted {
    uint64_t hashes[HAFT__LIMIT_SEARCH_QUERY_WORDS + 1];
    size_t count;
    uint64_t sieve[SIEVE_BITS / 64];
} wanted;

size_t haft__search_squash_to(haft_str name, char to[HAFT__SEARCH_SQUASHED_BYTES])
{
    size_t length = 0;
    while (name.len > 0) {
        haft__search_letter letter = haft__search_letter_read(name);
        name = haft__str_skip(name, letter.bytes);
        if (letter.kind == HAFT__SEARCH_OTHER || letter.code == 0) {
            continue;
        }
        if (HAFT__SEARCH_SQUASHED_BYTES - length < HAFT__UTF8_MAX_BYTES) {
            return 0;
        }
        length += haft__utf8_encode(letter.code, to + length);
    }
    return length;
}

uint64_t haft__search_squash(haft__hash_key key, haft_str name)
{
    char letters[HAFT__SEARCH_SQUASHED_BYTES];
    size_t length = haft__search_squash_to(name, letters);
    if (length == 0) {
        return 0;
    }
    if (length < LEAST_LETTERS) { /* its signs tell c++ from c# */
        name = haft__str_trim(name);
        for (length = 0; length < name.len && length < sizeof(letters); length++) {
            char c = name.ptr[length];
            letters[length] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        }
    }
    return haft__hash(key, (haft_str){letters, length});
}

/* ---- what the query names ---- */

static void want(wanted *w, uint64_t hash)
{
    if (hash != 0 && w->count < COUNT(w->hashes)) {
        w->hashes[w->count++] = hash;
        w->sieve[hash % SIEVE_BITS / 64] |= (uint64_t)1 << hash % 64;
    }
}

static bool is_wanted(const wanted *w, uint64_t hash)
{
    if ((w->sieve[hash % SIEVE_BITS / 64] >> hash % 64 & 1) == 0) {
        return false;
    }
    for (size_t i = 0; i < w->count; i++) {
        if (w->hashes[i] == hash) {
            return true;
        }
    }
    return false;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* Signs that stand before or behind a word in a sentence go. */
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

/* Whether a word is written as programs write names: something but small letters behind the first.
 */
static bool is_identifier(haft_str token)
{
    bool letters = false, others = false;
    for (size_t i = 0; i < token.len; i++) {
        letters = letters || is_plain(token.ptr[i]);
        others = others || (i > 0 && !is_plain(token.ptr[i]) && token.ptr[i] != '\'');
    }
    return letters && others;
}

/* Whether a plain word is no word but a name: one document has it, and no language. */
static bool is_coined(const haft__search *search, haft_str token)
{
    const haft__search_vectors *vectors = search->options.vectors;
    char word[HAFT__LIMIT_SEARCH_WORD_BYTES];
    if (token.len < LEAST_COINED || token.len > sizeof(word)) {
        return false;
    }
    for (size_t i = 0; i < token.len; i++) {
        if (!is_plain(token.ptr[i])) {
            return false;
        }
        word[i] = token.ptr[i];
    }
    haft_str stem = {word, haft__search_stem(word, token.len)};
    uint32_t term = haft__search_table_find(&search->term_table, stem);
    return term != HAFT__SEARCH_NONE && search->terms[term].doc_count == 1 && vectors != NULL
           && haft__search_vectors_find(vectors, stem) == NULL;
}

static void want_words(const haft__search *search, haft_str text, wanted *w)
{
    while (text.len > 0 && w->count < COUNT(w->hashes)) {
        size_t length = 0;
        while (length < text.len && (unsigned char)text.ptr[length] > ' ') {
            length++;
        }
        haft_str token = strip((haft_str){text.ptr, length});
        text = haft__str_skip(text, length + 1);
        if (token.len <= HAFT__LIMIT_TOOL_NAME_BYTES
            && (is_identifier(token) || is_coined(search, token))) {
            want(w, haft__search_squash(search->options.hash_key, token));
        }
    }
}

void haft__search_names(const haft__search *search, const haft__search_asked *asked, float *total)
{
    wanted w = {.count = 0};
    if (asked->text.len <= HAFT__LIMIT_TOOL_NAME_BYTES) {
        want(&w, haft__search_squash(search->options.hash_key, asked->text));
    }
    want_words(search, asked->text, &w);
    for (uint32_t i = 0; i < search->doc_table.limit && w.count > 0; i++) {
        const haft__search_file *file = &search->docs[i];
        if (file->entries == NULL) {
            continue;
        }
        if (is_wanted(&w, file->name_hash) || is_wanted(&w, file->id_hash)) {
            total[i] += HAFT__SEARCH_EXACT_NAME;
        }
        if (file->group != HAFT__SEARCH_NONE
            && is_wanted(&w, search->groups[file->group].name_hash)) {
            total[i] += HAFT__SEARCH_EXACT_GROUP;
        }
    }
}
