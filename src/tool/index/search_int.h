/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/search_int.h - the inside of a search index.
 *
 * For each word (term) the documents that have it, and how often in which field; for each word the
 * groups whose documents have it in their names or first sentences. All of it is whole numbers, so
 * that removing what was added leaves nothing behind. Scores are made from them at each query.
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

/* A document that has a word. */
typedef struct haft__search_posting {
    uint32_t doc;
    uint8_t counts[HAFT__SEARCH_FIELDS]; /* 255 is also more */
} haft__search_posting;

/* A group that has a word. */
typedef struct haft__search_group_posting {
    uint32_t group, count;
} haft__search_group_posting;

typedef struct haft__search_term {
    haft__search_posting *docs;
    uint32_t doc_count, doc_capacity;
    haft__search_group_posting *groups;
    uint32_t group_count, group_capacity;
    double log_count;    /* ln(doc_count + 0.5) */
    uint32_t name_count; /* documents that have it in their names */
    uint32_t seen;       /* while a document is added: 1 + its entry; else 0 */
} haft__search_term;

/* A word of a document. */
typedef struct haft__search_entry {
    uint32_t term;
    uint32_t head; /* how often in what counts for the group */
} haft__search_entry;

/* What can be said of a word without reading it: most words are not near another. */
typedef struct haft__search_shape {
    uint32_t letters; /* a bit for each letter, see haft__search_letter_bits */
    uint8_t first;
    uint8_t length; /* 0: the number is free */
} haft__search_shape;

typedef struct haft__search_indexed_doc {
    uint64_t name_hash, id_hash;           /* of what haft__search_hash_name leaves of them */
    float vector_scale;                    /* 1 / the length of its vector; 0: it has none */
    uint32_t group;                        /* HAFT__SEARCH_NONE: it has none */
    uint32_t head;                         /* words that count for the group */
    uint32_t lengths[HAFT__SEARCH_FIELDS]; /* words of each field */
    const char *normalized;                /* its name, or its id if that ends with the name; it
                                            lives behind `entries` */
    uint32_t normalized_length, name_at;   /* where in it the name begins */
    uint32_t letters;                      /* of the name */
    bool deprecated;                       /* its text says so */
    haft__search_entry *entries;           /* NULL: the number is free */
    uint32_t entry_count, name_count;      /* those of the name come first */
} haft__search_indexed_doc;

typedef struct haft__search_group {
    uint32_t doc_count;
    uint64_t name_hash;
    uint64_t length; /* words that count for it */
} haft__search_group;

/* Vectors from outside, by the numbers of documents. */
typedef struct haft__search_embeddings {
    char *model; /* NULL: there are none */
    size_t model_length, dimensions;
    int8_t *rows;
    uint32_t row, row_capacity; /* bytes of each */
    float *scales;              /* 1 / the length; 0: the document has none */
    uint32_t scale_capacity;
} haft__search_embeddings;

struct haft__search_index {
    haft__search_options options;
    haft__search_string_table term_table, doc_table, group_table; /* doc_table: by id */
    haft__search_term *terms;                                     /* by number, as are these: */
    haft__search_shape *shapes;
    haft__search_indexed_doc *docs;
    haft__search_group *groups;
    uint32_t term_capacity, shape_capacity, doc_capacity, group_capacity;
    int8_t *vectors; /* of documents: a row of `row` bytes each */
    uint32_t row, vector_capacity;
    haft__search_embeddings outside;
    uint64_t lengths[HAFT__SEARCH_FIELDS]; /* of all documents together */
    uint64_t group_length;                 /* of all groups together */
};

/* ---- what a document says: document.c ---- */

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
    uint32_t name_count; /* different words of the name; they come first */
    uint32_t words;      /* told so far, the same ones again included */
    uint32_t lengths[HAFT__SEARCH_FIELDS], head;
    bool grouped;
} haft__search_bag;

/* Fills an empty bag; new words get numbers. NO_MEMORY. */
HAFT_MUST_USE haft_status haft__search_bag_fill(haft__search_bag *bag, const haft__search_doc *doc,
                                                haft_error *err);

/* Whether a tool's text says that the tool is deprecated. */
bool haft__search_is_deprecated(haft_str text);

/* Forgets new words that no document has. */
void haft__search_bag_finish(haft__search_bag *bag);

/* The number of a word, new or not. */
HAFT_MUST_USE haft_status haft__search_term_take(haft__search_index *search, haft_str stem,
                                                 uint32_t *ret_term, haft_error *err);

/* Forgets a word if nothing has it. */
void haft__search_term_release(haft__search_index *search, uint32_t term);

/* Where a document is among those of a word, or would be. */
uint32_t haft__search_term_find(const haft__search_term *term, uint32_t doc);

/* How much a word tells: ln((documents + 1) / (those that have it + 0.5)). */
static inline float haft__search_idf(double log_all, const haft__search_term *term)
{
    return (float)(log_all - term->log_count);
}

/* ---- what is asked for: query.c, fuzzy.c ---- */

/* A word of the query that the index has. */
typedef struct haft__search_query_term {
    uint32_t term, clause;
    bool again;   /* a clause before has it, too */
    float weight; /* 1, or less for a word that is only near what was written */
} haft__search_query_term;

/* Parts that one word of a query may become: itself, words alike and words that are near. */
#define HAFT__SEARCH_SYNONYMS       8
#define HAFT__SEARCH_TERMS_PER_WORD (1 + HAFT__SEARCH_SYNONYMS + 8)

/* How much a word counts that stands for something that was written: "url" for a URL. */
#define HAFT__SEARCH_IMPLIED 0.7F

/* A group that the query names by a plain word or two, and what that is worth. */
#define HAFT__SEARCH_MAX_NAMED 8
typedef struct haft__search_named_group {
    uint32_t group;
    float bonus;
} haft__search_named_group;

typedef struct haft__search_parsed_query {
    haft_str text;
    const haft__search_embedding *given; /* its vector; NULL: word vectors are used */
    haft__search_word *words; /* as they were written, those the index does not have included */
    size_t word_count;
    haft__search_query_term *parts; /* those of one clause together, in order */
    size_t part_count;
    uint32_t clause_count;
    size_t unknown; /* words that the index does not have */
    bool single;    /* nothing but one token, as names are */
    haft__search_named_group named[HAFT__SEARCH_MAX_NAMED];
    size_t named_count;
} haft__search_parsed_query;

HAFT_MUST_USE haft_status haft__search_parse_query(const haft__search_index *search, haft_str query,
                                                   haft__arena *arena,
                                                   haft__search_parsed_query *ret_asked,
                                                   haft_error *err);

/* A word counts once in each clause. */
void haft__search_add_query_term(haft__search_parsed_query *asked, uint32_t term, float weight);

/* A bit for each letter of a word: a slip changes two of them at most. */
uint32_t haft__search_letter_bits(haft_str word);
unsigned haft__search_count_bits(uint32_t bits);

/* Adds what the words of the index have in common with one that is none of them: words of names
 * that begin with it, two words written as one, one with a slip of the finger. With `only_names`
 * the first of these alone. */
void haft__search_add_fuzzy(const haft__search_index *search, const haft__search_word *word,
                            bool only_names, haft__search_parsed_query *asked);

/* ---- names: names.c ---- */

/* The hash of the letters and digits of a name, all small: "Create-Issue" is create_issue. */
uint64_t haft__search_hash_name(haft__hash_key key, haft_str name);

/* These letters and digits, as one word; how many bytes it has, 0 when it does not fit. */
#define HAFT__SEARCH_NORMALIZED_BYTES (2 * HAFT__LIMIT_TOOL_NAME_BYTES)
size_t haft__search_normalize_name(haft_str name, char to[HAFT__SEARCH_NORMALIZED_BYTES]);

/* Adds so much to documents whose names, or whose groups' names, are in the query that they come
 * first. */
#define HAFT__SEARCH_EXACT_NAME  16.0F
#define HAFT__SEARCH_EXACT_GROUP 8.0F
/* A plain word that is a group's name, and that nobody else says: "on slack"; and one that may be
 * there by chance. */
#define HAFT__SEARCH_NAMED_GROUP     1.5F
#define HAFT__SEARCH_MENTIONED_GROUP 0.5F
void haft__search_score_names(const haft__search_index *search,
                              const haft__search_parsed_query *asked, float *total);

/* Finds the groups that a sentence names: "send a slack message". */
void haft__search_find_named_groups(const haft__search_index *search,
                                    haft__search_parsed_query *asked);

/* What that is worth for a document; 0: its group is not named. */
float haft__search_named_bonus(const haft__search_index *search,
                               const haft__search_parsed_query *asked, uint32_t doc);

/* The same for names of which the query is a part, or a slip away from: partial_names.c. */
#define HAFT__SEARCH_PARTIAL_NAME 3.0F
void haft__search_score_partial_names(const haft__search_index *search,
                                      const haft__search_parsed_query *asked, float *total);

/* Whether it is a part of the name of that document. */
bool haft__search_is_partial(const haft__search_index *search,
                             const haft__search_parsed_query *asked, uint32_t doc);

/* ---- how well documents answer it: score.c ---- */

/* By the numbers of documents; those that are free have 0. */
HAFT_MUST_USE haft_status haft__search_score(const haft__search_index *search,
                                             const haft__search_parsed_query *asked,
                                             haft__arena *arena, float **ret_total,
                                             haft_error *err);

/* What counted most for a document. */
const char *haft__search_explain_hit(const haft__search_index *search,
                                     const haft__search_parsed_query *asked, uint32_t doc,
                                     float score);

/* ---- meaning: similarity.c ---- */

/* The vector of a document about to be added, a row, and its scale. */
void haft__search_document_vector(const haft__search_index *search, const haft__search_bag *bag,
                                  int8_t *row, float *ret_scale);

/* The angle to each document, 0 to 1, where there are vectors. */
void haft__search_score_similarity(const haft__search_index *search,
                                   const haft__search_parsed_query *asked, float *scores);

/* `sum` as signed bytes, the greatest as great as can be; 1 / the length of what that makes. */
float haft__search_quantise(const float *sum, size_t dimensions, int8_t *row);

/* Both rows have a multiple of 16 bytes. */
int32_t haft__search_dot_product(const int8_t *a, const int8_t *b, uint32_t row);

/* ---- vectors from outside: embedding.c ---- */

/* Whether documents have vectors that this one can be compared with. */
bool haft__search_embedding_fits(const haft__search_index *search,
                                 const haft__search_embedding *given);

/* The angle to each document that has one. */
void haft__search_score_embeddings(const haft__search_index *search,
                                   const haft__search_embedding *given, float *scores);

/* Forgets the one of a document. */
void haft__search_remove_embedding(haft__search_index *search, uint32_t doc);

/* Room for `wanted` rows of `size` bytes in an array that starts small and doubles. The new ones
 * are zeroed. */
HAFT_MUST_USE haft_status haft__search_reserve(void **rows, uint32_t *capacity, uint32_t wanted,
                                               size_t size, haft_error *err);

#endif
