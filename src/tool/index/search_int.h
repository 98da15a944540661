/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/search_int.h - the data of a search index.
 *
 * For each word (term): the documents that have it, and how often in which field; and the groups
 * whose documents have it in their names or first sentences. All counts are integers, so that a
 * removal exactly undoes an addition. Scores are computed at each query.
 */
#ifndef HAFT_TOOL_INDEX_SEARCH_INT_H
#define HAFT_TOOL_INDEX_SEARCH_INT_H

#include "tool/index/search.h"
#include "tool/index/string_table.h"
#include "tool/index/tokenizer.h"

typedef enum haft__search_field {
    HAFT__SEARCH_NAME,
    HAFT__SEARCH_TEXT,
    HAFT__SEARCH_GROUP,
    HAFT__SEARCH_PARAMS,
    HAFT__SEARCH_FIELDS,
} haft__search_field;

/* A document that contains a word. */
typedef struct haft__search_posting {
    uint32_t doc;
    uint8_t counts[HAFT__SEARCH_FIELDS]; /* saturates at 255 */
} haft__search_posting;

/* A group that contains a word. */
typedef struct haft__search_group_posting {
    uint32_t group, count;
} haft__search_group_posting;

typedef struct haft__search_term {
    haft__search_posting *docs;
    uint32_t doc_count, doc_capacity;
    haft__search_group_posting *groups;
    uint32_t group_count, group_capacity;
    double log_count;    /* ln(doc_count + 0.5) */
    uint32_t name_count; /* documents that have it in their name */
    uint32_t seen;       /* while a document is added: 1 + the index of its entry; else 0 */
} haft__search_term;

/* A word of a document. */
typedef struct haft__search_entry {
    uint32_t term;
    uint32_t head; /* its count in the words that represent the group */
} haft__search_entry;

/* A summary of a word. Comparing summaries excludes most words without reading their letters. */
typedef struct haft__search_shape {
    uint32_t letters; /* a bit for each letter, see haft__search_letter_bits */
    uint8_t first;
    uint8_t length; /* 0: the slot is free */
} haft__search_shape;

typedef struct haft__search_indexed_doc {
    uint64_t name_hash, id_hash;           /* hashes by haft__search_hash_name */
    float vector_scale;                    /* 1 / the norm of its vector; 0: no vector */
    uint32_t group;                        /* HAFT__SEARCH_NONE: no group */
    uint32_t head;                         /* number of words that represent the group */
    uint32_t lengths[HAFT__SEARCH_FIELDS]; /* number of words of each field */
    const char
        *normalized; /* the name, or the id if the id ends with the name; stored after `entries` */
    uint32_t normalized_length, name_at; /* offset of the name in `normalized` */
    uint32_t letters;                    /* letter bits of the name */
    bool deprecated;                     /* the text reports that the tool is deprecated */
    haft__search_entry *entries;         /* NULL: the slot is free */
    uint32_t entry_count, name_count;    /* entries of the name come first */
} haft__search_indexed_doc;

typedef struct haft__search_group {
    uint32_t doc_count;
    uint64_t name_hash; /* by haft__search_hash_group */
    uint64_t length;    /* number of words that represent it */
} haft__search_group;

/* Embeddings, by document number. */
typedef struct haft__search_embeddings {
    char *model; /* NULL: no embeddings */
    size_t model_length, dimensions;
    int8_t *rows;
    uint32_t row, row_capacity; /* bytes of each row */
    float *scales;              /* 1 / the norm; 0: the document has no embedding */
    uint32_t scale_capacity;
} haft__search_embeddings;

struct haft__search_index {
    haft__search_options options;
    haft__search_string_table term_table, doc_table, group_table; /* doc_table: by id */
    haft__search_term *terms; /* this and the next arrays are indexed by number */
    haft__search_shape *shapes;
    haft__search_indexed_doc *docs;
    haft__search_group *groups;
    uint32_t term_capacity, shape_capacity, doc_capacity, group_capacity;
    int8_t *vectors; /* of the documents: a row of `row` bytes each */
    uint32_t row, vector_capacity;
    haft__search_embeddings embeddings;
    uint64_t lengths[HAFT__SEARCH_FIELDS]; /* sums over all documents */
    uint64_t group_length;                 /* sum over all groups */
};

/* ---- words of a document: document.c ---- */

typedef struct haft__search_tally {
    uint32_t term, head;
    uint32_t counts[HAFT__SEARCH_FIELDS];
} haft__search_tally;

/* The words of a document being added. */
typedef struct haft__search_bag {
    haft__search_index *search;
    haft__search_tally *counts;
    size_t capacity;
    uint32_t count;
    uint32_t name_count; /* distinct words of the name; they come first */
    uint32_t words;      /* words so far, repetitions included */
    uint32_t lengths[HAFT__SEARCH_FIELDS], head;
    bool grouped;
} haft__search_bag;

/* Fills an empty bag; new words get numbers. Can fail with NO_MEMORY. */
HAFT_MUST_USE haft_status haft__search_bag_fill(haft__search_bag *bag, const haft__search_doc *doc,
                                                haft_error *err);

/* Whether the text of a tool declares the tool as deprecated. */
bool haft__search_is_deprecated(haft_str text);

/* Removes the new words of the bag that no document contains. */
void haft__search_bag_finish(haft__search_bag *bag);

/* Returns the number of a word; adds the word if it is new. */
HAFT_MUST_USE haft_status haft__search_term_acquire(haft__search_index *search, haft_str stem,
                                                    uint32_t *ret_term, haft_error *err);

/* Removes a word that nothing refers to. */
void haft__search_term_release(haft__search_index *search, uint32_t term);

/* The position of a document in the postings of a word, or its insertion point. */
uint32_t haft__search_term_find(const haft__search_term *term, uint32_t doc);

/* The inverse document frequency: ln((documents + 1) / (those that have it + 0.5)). */
static inline float haft__search_idf(double log_all, const haft__search_term *term)
{
    return (float)(log_all - term->log_count);
}

/* ---- the query: query.c, fuzzy.c ---- */

/* A word of the query that the index has. */
typedef struct haft__search_query_term {
    uint32_t term, clause;
    bool repeated; /* an earlier clause contains the word, too */
    float weight;  /* 1, or less for a word that is only similar to the written one */
} haft__search_query_term;

/* The number of terms that one word of a query may expand to: itself, synonyms and similar
 * words. */
#define HAFT__SEARCH_SYNONYMS       8
#define HAFT__SEARCH_TERMS_PER_WORD (2 + 2 * HAFT__SEARCH_SYNONYMS)

/* The weight of a word that is implied by a token: "url" for a URL. */
#define HAFT__SEARCH_IMPLIED 0.7F

/* A group that the query names by one or two plain words, and its bonus. */
#define HAFT__SEARCH_MAX_NAMED 8
typedef struct haft__search_named_group {
    uint32_t group;
    float bonus;
} haft__search_named_group;

typedef struct haft__search_parsed_query {
    haft_str text;
    const haft__search_embedding *embedding; /* its embedding; NULL: word vectors are used */
    haft__search_word *words; /* as written, including words that the index does not have */
    size_t word_count;
    haft__search_query_term *parts; /* grouped by clause, in order */
    size_t part_count;
    uint32_t clause_count;
    size_t unknown; /* number of words that the index does not have */
    float rarity;   /* the sum of the inverse document frequencies of its words */
    bool single;    /* the query is a single token, like a name */
    haft__search_named_group named[HAFT__SEARCH_MAX_NAMED];
    size_t named_count;
} haft__search_parsed_query;

HAFT_MUST_USE haft_status haft__search_parse_query(const haft__search_index *search, haft_str query,
                                                   haft__arena *arena,
                                                   haft__search_parsed_query *ret_parsed,
                                                   haft_error *err);

/* Adds a term to the query. A word counts once in each clause. False if the query had it already.
 */
bool haft__search_add_query_term(haft__search_parsed_query *parsed, uint32_t term, float weight);

/* The set of letters of a word, one bit for each letter. One typing error changes at most two
 * bits. */
uint32_t haft__search_letter_bits(haft_str word);
unsigned haft__search_count_bits(uint32_t bits);

/* Expands a word that is not in the index: words of names that begin with it, two words written as
 * one, a word with one typing error. With `only_names`, adds only words of names that begin with
 * it. Returns the term that the word misspells, or HAFT__SEARCH_NONE. */
uint32_t haft__search_add_fuzzy(const haft__search_index *search, const haft__search_word *word,
                                bool only_names, haft__search_parsed_query *parsed);

/* ---- names: names.c ---- */

/* The hash of the letters and digits of a name, in lower case: "Create-Issue" equals
 * create_issue. */
uint64_t haft__search_hash_name(haft__hash_key key, haft_str name);

/* The hash of a group's name without the words "mcp" and "server", or of the whole name if it has
 * no other words: "github-mcp-server" equals "github". */
uint64_t haft__search_hash_group(haft__hash_key key, haft_str name);

/* Whether a word of a group's name is "mcp" or "server", and the name has other words, too. */
bool haft__search_is_generic_word(haft_str name, const haft__search_word *word);

/* Writes the letters and digits of a name as one word in lower case. Returns its length in bytes; 0
 * if it does not fit. */
#define HAFT__SEARCH_NORMALIZED_BYTES (2 * HAFT__LIMIT_TOOL_NAME_BYTES)
size_t haft__search_normalize_name(haft_str name, char to[HAFT__SEARCH_NORMALIZED_BYTES]);

/* Adds a bonus to documents whose name, or whose group's name, is in the query. The bonus is so
 * large that these documents rank first. `bonuses` is a buffer by group number. */
#define HAFT__SEARCH_EXACT_NAME  16.0F
#define HAFT__SEARCH_EXACT_GROUP 8.0F
/* The bonus for a plain word that is the name of a group and that no other document has ("on
 * slack"), and the bonus for a word that may be the name of a group by chance. */
#define HAFT__SEARCH_NAMED_GROUP     1.5F
#define HAFT__SEARCH_MENTIONED_GROUP 0.5F
void haft__search_score_names(const haft__search_index *search,
                              const haft__search_parsed_query *parsed, float *bonuses,
                              float *total);

/* Finds the groups that a sentence names: "send a slack message". */
void haft__search_find_named_groups(const haft__search_index *search,
                                    haft__search_parsed_query *parsed);

/* The bonus of a document for the name of its group; 0: the query does not name the group. */
float haft__search_named_bonus(const haft__search_index *search,
                               const haft__search_parsed_query *parsed, uint32_t doc);

/* Adds a bonus to documents whose names contain the query or differ from it by one typing error:
 * partial_names.c. */
#define HAFT__SEARCH_PARTIAL_NAME 3.0F
void haft__search_score_partial_names(const haft__search_index *search,
                                      const haft__search_parsed_query *parsed, float *total);

/* Whether the query is a part of the name of that document. */
bool haft__search_is_partial(const haft__search_index *search,
                             const haft__search_parsed_query *parsed, uint32_t doc);

/* ---- scores of documents: score.c ---- */

/* Scores, by document number; free numbers have 0. */
HAFT_MUST_USE haft_status haft__search_score(const haft__search_index *search,
                                             const haft__search_parsed_query *parsed,
                                             haft__arena *arena, float **ret_total,
                                             haft_error *err);

/* The strongest part of a document's score. */
const char *haft__search_explain_hit(const haft__search_index *search,
                                     const haft__search_parsed_query *parsed, uint32_t doc,
                                     float score);

/* ---- similarity by word vectors: similarity.c ---- */

/* Computes the vector of a document that is about to be added: a row and its scale. */
void haft__search_document_vector(const haft__search_index *search, const haft__search_bag *bag,
                                  int8_t *row, float *ret_scale);

/* The similarity to each document, 0 to 1. False if no word of the query has a vector. */
bool haft__search_score_similarity(const haft__search_index *search,
                                   const haft__search_parsed_query *parsed, float *scores);

/* Converts `sum` to signed bytes, scaled to the full range. Returns 1 / the norm of the row. */
float haft__search_quantise(const float *sum, size_t dimensions, int8_t *row);

/* The length of both rows is a multiple of 16 bytes. */
int32_t haft__search_dot_product(const int8_t *a, const int8_t *b, uint32_t row);

/* ---- embeddings: embedding.c ---- */

/* Whether documents have embeddings that this one can be compared with. */
bool haft__search_embedding_fits(const haft__search_index *search,
                                 const haft__search_embedding *embedding);

/* The similarity to each document that has an embedding. */
void haft__search_score_embeddings(const haft__search_index *search,
                                   const haft__search_embedding *embedding, float *scores);

/* Removes the embedding of a document. */
void haft__search_remove_embedding(haft__search_index *search, uint32_t doc);

/* Ensures room for `count` rows of `size` bytes in an array that starts small and doubles. New
 * rows are zeroed. */
HAFT_MUST_USE haft_status haft__search_reserve(void **rows, uint32_t *capacity, uint32_t count,
                                               size_t size, haft_error *err);

#endif
