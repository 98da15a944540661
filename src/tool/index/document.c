/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.c - the indexed words of a document: those of its name, its text, its group's name, and
 * the names, descriptions and allowed values of its parameters.
 *
 * Tests: tests/tool/index/document_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "tool/index/search_int.h"

/* The first characters of a tool's text also represent its server. */
#define HEAD_CHARACTERS 120U

/* ---- counting ---- */

/* NULL when out of memory. */
static haft__search_tally *find_count(haft__search_bag *bag, uint32_t term)
{
    haft__search_term *known = &bag->search->terms[term];
    if (known->seen > 0) {
        return &bag->counts[known->seen - 1];
    }
    haft__search_tally *counts =
        haft__vec_reserve(bag->counts, &bag->capacity, (size_t)bag->count + 1, sizeof(*counts));
    if (counts == NULL) {
        return NULL;
    }
    bag->counts = counts;
    bag->counts[bag->count++] = (haft__search_tally){.term = term};
    known->seen = bag->count;
    return &bag->counts[bag->count - 1];
}

static haft_status count_word(haft__search_bag *bag, const haft__search_word *word,
                              haft__search_field field, bool head, haft_error *err)
{
    uint32_t term = 0;
    haft_str stem = {word->stem, word->stem_length};
    haft_status status = haft__search_term_acquire(bag->search, stem, &term, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__search_tally *count = find_count(bag, term);
    if (count == NULL) {
        haft__search_term_release(bag->search, term);
        return haft__fail_no_memory(err);
    }
    count->counts[field]++;
    count->head += head;
    bag->lengths[field]++;
    bag->head += head;
    bag->words++;
    return HAFT_OK;
}

/* Words that begin within the first `head` bytes also count for the group. */
static haft_status count_text(haft__search_bag *bag, haft_str text, haft__search_field field,
                              size_t head, haft_error *err)
{
    haft__search_tokenizer words;
    haft__search_word word;
    haft_status status = HAFT_OK;
    text.len = text.len < HAFT__LIMIT_SEARCH_TEXT_BYTES ? text.len : HAFT__LIMIT_SEARCH_TEXT_BYTES;
    haft__search_tokenizer_init(&words, text, false);
    while (status == HAFT_OK && bag->words < HAFT__LIMIT_SEARCH_DOC_WORDS
           && haft__search_tokenizer_next(&words, &word)) {
        if (field == HAFT__SEARCH_GROUP && haft__search_is_generic_word(text, &word)) {
            continue;
        }
        bool in_head = bag->grouped && words.at <= head;
        status = count_word(bag, &word, field, in_head, err);
    }
    return status;
}

/* ---- schemas ---- */

/* A walk through a schema in its written order. */
typedef struct walk {
    haft__search_bag *bag;
    uint32_t values; /* visited so far */
    haft_error *err;
} walk;

static haft_status count_value(walk *w, haft__json value)
{
    w->values++;
    return count_text(w->bag, haft__json_text(value), HAFT__SEARCH_PARAMS, 0, w->err);
}

static bool is_name(haft__json key, const char *name)
{
    return haft__str_equal(haft__json_text(key), haft__str(name));
}

static haft_status walk_schema(walk *w, haft__json schema, unsigned depth);

/* The members of "properties": each key is the name of a parameter. */
static haft_status walk_properties(walk *w, haft__json object, unsigned depth)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0;
         i < object.count && status == HAFT_OK && w->values < HAFT__LIMIT_SEARCH_DOC_VALUES; i++) {
        status = count_value(w, object.members[i].key);
        if (status == HAFT_OK) {
            status = walk_schema(w, object.members[i].value, depth + 1);
        }
    }
    return status;
}

static haft_status walk_list(walk *w, haft__json list, unsigned depth, bool schemas)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0;
         i < list.count && status == HAFT_OK && w->values < HAFT__LIMIT_SEARCH_DOC_VALUES; i++) {
        status = schemas ? walk_schema(w, list.items[i], depth + 1) : count_value(w, list.items[i]);
    }
    return status;
}

static haft_status walk_member(walk *w, const haft__json_member *member, unsigned depth)
{
    haft__json key = member->key, value = member->value;
    bool properties = is_name(key, "properties") || is_name(key, "$defs")
                      || is_name(key, "definitions") || is_name(key, "patternProperties");
    if (properties && value.kind == HAFT__JSON_OBJECT) {
        return walk_properties(w, value, depth);
    }
    if (value.kind == HAFT__JSON_ARRAY) {
        bool schemas = is_name(key, "anyOf") || is_name(key, "oneOf") || is_name(key, "allOf")
                       || is_name(key, "prefixItems");
        return schemas || is_name(key, "enum") ? walk_list(w, value, depth, schemas) : HAFT_OK;
    }
    if (value.kind == HAFT__JSON_STRING) {
        bool is_text =
            is_name(key, "description") || is_name(key, "title") || is_name(key, "const");
        return is_text ? count_value(w, value) : HAFT_OK;
    }
    bool inside = is_name(key, "items") || is_name(key, "additionalProperties")
                  || is_name(key, "then") || is_name(key, "else");
    return inside ? walk_schema(w, value, depth + 1) : HAFT_OK;
}

/* HAFT__LIMIT_SEARCH_SCHEMA_DEPTH bounds the recursion. */
static haft_status walk_schema(walk *w, haft__json schema, unsigned depth)
{
    haft_status status = HAFT_OK;
    w->values++;
    if (schema.kind != HAFT__JSON_OBJECT || depth >= HAFT__LIMIT_SEARCH_SCHEMA_DEPTH) {
        return HAFT_OK;
    }
    for (uint32_t i = 0;
         i < schema.count && status == HAFT_OK && w->values < HAFT__LIMIT_SEARCH_DOC_VALUES; i++) {
        status = walk_member(w, &schema.members[i], depth);
    }
    return status;
}

/* ---- documents ---- */

haft_status haft__search_bag_fill(haft__search_bag *bag, const haft__search_doc *doc,
                                  haft_error *err)
{
    walk w = {.bag = bag, .err = err};
    size_t head = haft__utf8_offset(doc->text, HEAD_CHARACTERS);
    haft_status status = count_text(bag, doc->name, HAFT__SEARCH_NAME, SIZE_MAX, err);
    bag->name_count = bag->count;
    if (status == HAFT_OK) {
        status = count_text(bag, doc->group, HAFT__SEARCH_GROUP, SIZE_MAX, err);
    }
    if (status == HAFT_OK) {
        status = count_text(bag, doc->text, HAFT__SEARCH_TEXT, head, err);
    }
    if (status == HAFT_OK && doc->schema != NULL) {
        status = walk_schema(&w, *doc->schema, 0);
    }
    return status;
}

void haft__search_bag_finish(haft__search_bag *bag)
{
    for (uint32_t i = 0; i < bag->count; i++) {
        bag->search->terms[bag->counts[i].term].seen = 0;
        haft__search_term_release(bag->search, bag->counts[i].term);
    }
    free(bag->counts);
    *bag = (haft__search_bag){0};
}

/* ---- deprecation ---- */

static bool is_one_of(char c, const char *these)
{
    return c != '\0' && strchr(these, c) != NULL;
}

/* Skips a word, given in lower case, in any case; false if the text does not begin with it. */
static bool skip_word(haft_str *text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++) {
        if (i >= text->len || (text->ptr[i] | 0x20) != word[i]) {
            return false;
        }
    }
    *text = haft__str_skip(*text, length);
    return text->len == 0 || !haft__ascii_is_letter(text->ptr[0]);
}

/* Whether the tool itself is deprecated: "Deprecated: use another", "Deprecated since 2.0"; but not
 * "Deprecated models are listed, too". */
static bool refers_to_tool(haft_str rest_of_text)
{
    static const char *const words[] = {"use",      "see",       "please",   "since",  "as",
                                        "in favor", "in favour", "replaced", "prefer", "call"};
    bool found = false;
    while (rest_of_text.len > 0 && is_one_of(rest_of_text.ptr[0], "*_`")) {
        rest_of_text = haft__str_skip(rest_of_text, 1);
    }
    if (rest_of_text.len == 0 || is_one_of(rest_of_text.ptr[0], ".:;!)]>\r\n")) {
        return true;
    }
    while (rest_of_text.len > 0 && is_one_of(rest_of_text.ptr[0], " ,")) {
        rest_of_text = haft__str_skip(rest_of_text, 1);
    }
    for (size_t i = 0; i < COUNT(words) && !found; i++) {
        haft_str rest = rest_of_text;
        found = skip_word(&rest, words[i]);
    }
    return found || haft__str_starts_with(rest_of_text, HAFT__LIT("-")) /* or a longer dash */
           || haft__str_starts_with(rest_of_text, HAFT__LIT("\xe2\x80"));
}

/* The word begins the text, a sentence or a text in brackets: "DEPRECATED: use create_issue
 * instead", "[Deprecated] ...", "Reads a file. DEPRECATED: ...". */
bool haft__search_is_deprecated(haft_str text)
{
    bool first = true, begins = true, ended = false;
    for (size_t at = 0; at < text.len; at++) {
        char c = text.ptr[at];
        haft_str rest = haft__str_skip(text, at);
        if (begins && skip_word(&rest, "deprecated") && (first || refers_to_tool(rest))) {
            return true;
        }
        if (is_one_of(c, "\n([")) {
            begins = true;
        } else if (is_one_of(c, ".!?")) {
            ended = true;
        } else if (is_one_of(c, " \t\r")) {
            begins = begins || ended;
        } else if (!is_one_of(c, "*_`<")) {
            first = begins = ended = false;
        }
    }
    return false;
}
