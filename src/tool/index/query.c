/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - a query: its words, the scores, and the best documents. Tests:
 * tests/tool/index/query_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tool/index/math.h"
#include "tool/index/search_int.h"
#include "tool/index/synonyms.h"

/* ---- words ---- */

/* The weight of a synonym. */
#define WEIGHT_SYNONYM 0.4F
#define LN_2           0.69314718055994530942
/* Only this many rare words count for the rarity of a query. */
#define MAX_RARE 40

bool haft__search_add_query_term(haft__search_parsed_query *parsed, uint32_t term, float weight)
{
    bool repeated = false;
    for (size_t i = 0; i < parsed->part_count; i++) {
        haft__search_query_term *other = &parsed->parts[i];
        if (other->term == term && other->clause == parsed->clause_count) {
            other->weight = weight > other->weight ? weight : other->weight;
            return false;
        }
        repeated = repeated || other->term == term;
    }
    parsed->parts[parsed->part_count++] = (haft__search_query_term){
        .term = term, .clause = parsed->clause_count, .repeated = repeated, .weight = weight};
    return !repeated;
}

static bool is_single(haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ') {
            return false;
        }
    }
    return true;
}

static haft_status parse_words(haft_str query, haft__arena *arena,
                               haft__search_parsed_query *parsed, haft_error *err)
{
    haft__search_tokenizer words;
    size_t max = HAFT__LIMIT_SEARCH_QUERY_WORDS;
    query.len =
        query.len < HAFT__LIMIT_SEARCH_QUERY_BYTES ? query.len : HAFT__LIMIT_SEARCH_QUERY_BYTES;
    *parsed = (haft__search_parsed_query){
        .text = haft__str_trim(query),
        .words = haft__arena_alloc(arena, max * sizeof(*parsed->words)),
        .parts =
            haft__arena_alloc(arena, max * HAFT__SEARCH_TERMS_PER_WORD * sizeof(*parsed->parts)),
    };
    if (parsed->words == NULL || parsed->parts == NULL) {
        return haft__arena_fail(arena, err);
    }
    parsed->single = is_single(parsed->text);
    haft__search_tokenizer_init(&words, query, true);
    while (parsed->word_count < max
           && haft__search_tokenizer_next(&words, &parsed->words[parsed->word_count])) {
        parsed->word_count++;
    }
    return HAFT_OK;
}

/* Synonyms count less than the written word. */
static void add_synonyms(const haft__search_index *search, const haft__search_word *word,
                         haft__search_parsed_query *parsed)
{
    haft_str stem = {word->stem, word->stem_length}, row;
    size_t at = 0, left = HAFT__SEARCH_SYNONYMS;
    while ((row = haft__search_synonyms(stem, &at)).len > 0) {
        while (row.len > 0) {
            haft_str other = haft__str_split(&row, ' ');
            uint32_t term = haft__search_string_table_find(&search->term_table, other);
            if (term != HAFT__SEARCH_NONE && left > 0 && !haft__str_equal(other, stem)) {
                (void)haft__search_add_query_term(parsed, term, WEIGHT_SYNONYM);
                left--;
            }
        }
    }
}

/* Replaces the stem of a misspelt word, so that the synonyms and the meaning of the intended word
 * are used. */
static void correct_word(const haft__search_index *search, uint32_t term, haft__search_word *word)
{
    haft_str stem = haft__search_string_table_text(&search->term_table, term);
    memcpy(word->stem, stem.ptr, stem.len);
    word->stem_length = stem.len;
}

/* Adds a word that the query contains, with synonyms and similar words. `log_docs` is the logarithm
 * of the number of documents + 1. */
static void add_word(const haft__search_index *search, double log_docs, size_t at,
                     haft__search_parsed_query *parsed)
{
    haft__search_word *word = &parsed->words[at];
    uint32_t term = haft__search_string_table_find(&search->term_table,
                                                   (haft_str){word->stem, word->stem_length});
    bool known = term != HAFT__SEARCH_NONE, is_new = !known;
    parsed->clause_count += word->begins_clause;
    if (known) {
        is_new =
            haft__search_add_query_term(parsed, term, word->implied ? HAFT__SEARCH_IMPLIED : 1);
    }
    if (word->implied) {
        return;
    }
    add_synonyms(search, word, parsed);
    parsed->unknown += !known;
    /* In a sentence, a word that is in the index gets no similar words; a single token may be the
     * prefix of a name. */
    if (known ? parsed->single && at < HAFT__LIMIT_SEARCH_NEAR_WORDS
              : parsed->unknown <= HAFT__LIMIT_SEARCH_NEAR_WORDS) {
        uint32_t meant = haft__search_add_fuzzy(search, word, known, parsed);
        if (meant != HAFT__SEARCH_NONE) {
            correct_word(search, meant, word);
            add_synonyms(search, word, parsed);
            term = meant;
        }
    }
    static const haft__search_term unseen = {.log_count = -LN_2}; /* ln(0 + 0.5) */
    if (is_new) {
        parsed->rarity +=
            haft__search_idf(log_docs, term != HAFT__SEARCH_NONE ? &search->terms[term] : &unseen);
    }
}

haft_status haft__search_parse_query(const haft__search_index *search, haft_str query,
                                     haft__arena *arena, haft__search_parsed_query *ret_parsed,
                                     haft_error *err)
{
    haft_status status = parse_words(query, arena, ret_parsed, err);
    double log_docs = haft__search_log(search->doc_table.count + 1.0);
    for (size_t i = 0; status == HAFT_OK && i < ret_parsed->word_count; i++) {
        add_word(search, log_docs, i, ret_parsed);
    }
    if (status == HAFT_OK) {
        float max = (float)(MAX_RARE * (log_docs + LN_2));
        ret_parsed->rarity = ret_parsed->rarity < max ? ret_parsed->rarity : max;
        haft__search_find_named_groups(search, ret_parsed);
    }
    return status;
}

/* ---- ranking ---- */

typedef struct ranking {
    const haft__search_index *search;
    const float *scores;
    uint32_t *docs; /* a heap of the best documents; the worst of them is the first */
    size_t count;
} ranking;

/* Whether `a` ranks after `b`. */
static bool is_worse(const ranking *r, uint32_t a, uint32_t b)
{
    if (r->scores[a] != r->scores[b]) {
        return r->scores[a] < r->scores[b];
    }
    return haft__str_compare(haft__search_string_table_text(&r->search->doc_table, a),
                             haft__search_string_table_text(&r->search->doc_table, b))
           > 0;
}

static void sink(ranking *r, size_t at)
{
    uint32_t doc = r->docs[at];
    for (size_t child = 2 * at + 1; child < r->count; child = 2 * at + 1) {
        if (child + 1 < r->count && is_worse(r, r->docs[child + 1], r->docs[child])) {
            child++;
        }
        if (!is_worse(r, r->docs[child], doc)) {
            break;
        }
        r->docs[at] = r->docs[child];
        at = child;
    }
    r->docs[at] = doc;
}

static void rise(ranking *r, size_t at)
{
    uint32_t doc = r->docs[at];
    while (at > 0 && is_worse(r, doc, r->docs[(at - 1) / 2])) {
        r->docs[at] = r->docs[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    r->docs[at] = doc;
}

static void insert_hit(ranking *r, uint32_t doc, size_t k)
{
    if (r->count < k) {
        r->docs[r->count] = doc;
        rise(r, r->count++);
    } else if (is_worse(r, r->docs[0], doc)) {
        r->docs[0] = doc;
        sink(r, 0);
    }
}

/* Sorts the heap, best first. */
static void sort_heap(ranking *r)
{
    size_t count = r->count;
    while (r->count > 1) {
        uint32_t worst = r->docs[0];
        r->docs[0] = r->docs[--r->count];
        sink(r, 0);
        r->docs[r->count] = worst;
    }
    r->count = count;
}

static haft_status report_hits(const ranking *r, const haft__search_parsed_query *parsed,
                               haft__arena *arena, haft__search_hit *hits, haft_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        uint32_t doc = r->docs[i];
        haft_str id =
            haft__arena_copy(arena, haft__search_string_table_text(&r->search->doc_table, doc));
        if (id.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        hits[i] = (haft__search_hit){
            .id = id,
            .score = (double)r->scores[doc],
            .why = haft__search_explain_hit(r->search, parsed, doc, r->scores[doc])};
    }
    return HAFT_OK;
}

/* Ranks `scores`, best first. `r->docs` has room for `k`. */
static void rank(ranking *r, size_t k)
{
    for (uint32_t i = 0; i < r->search->doc_table.limit && k > 0; i++) {
        if (r->scores[i] > 0) {
            insert_hit(r, i, k);
        }
    }
    sort_heap(r);
}

haft_status haft__search_query(const haft__search_index *search, haft_str query, size_t k,
                               haft__arena *arena, haft__search_hit **ret_hits, size_t *ret_count,
                               haft_error *err)
{
    return haft__search_query_embedding(search, query, NULL, k, arena, ret_hits, ret_count, err);
}

haft_status haft__search_query_embedding(const haft__search_index *search, haft_str query,
                                         const haft__search_embedding *embedding, size_t k,
                                         haft__arena *arena, haft__search_hit **ret_hits,
                                         size_t *ret_count, haft_error *err)
{
    size_t max = search->doc_table.count;
    k = k < max ? k : max;
    k = k < HAFT__LIMIT_SEARCH_HITS ? k : HAFT__LIMIT_SEARCH_HITS;
    haft__search_parsed_query parsed;
    float *scores = NULL;
    haft__search_hit *hits = haft__arena_array(arena, k, sizeof(*hits));
    ranking r = {.search = search, .docs = haft__arena_array(arena, k, sizeof(uint32_t))};
    if (hits == NULL || r.docs == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__search_parse_query(search, query, arena, &parsed, err);
    if (status == HAFT_OK) {
        parsed.embedding =
            embedding != NULL && haft__search_embedding_fits(search, embedding) ? embedding : NULL;
        status = haft__search_score(search, &parsed, arena, &scores, err);
    }
    if (status == HAFT_OK) {
        r.scores = scores;
        rank(&r, k);
        status = report_hits(&r, &parsed, arena, hits, err);
    }
    if (status == HAFT_OK) {
        *ret_hits = hits;
        *ret_count = r.count;
    }
    return status;
}
