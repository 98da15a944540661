/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - adds and removes documents.
 *
 * An addition first counts all words, then allocates all memory, and changes the index last. This
 * last step cannot fail.
 *
 * Tests: tests/tool/index/search_test.c.
 */
#include "tool/index/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "tool/index/math.h"
#include "tool/index/search_int.h"

haft_status haft__search_reserve(void **rows, uint32_t *capacity, uint32_t count, size_t size,
                                 haft_error *err)
{
    size_t before = *capacity, more = *capacity;
    if (count <= before) {
        return HAFT_OK;
    }
    char *grown = haft__vec_reserve(*rows, &more, count, size);
    if (grown == NULL) {
        return haft__fail_no_memory(err);
    }
    memset(grown + before * size, 0, (more - before) * size);
    *rows = grown;
    *capacity = (uint32_t)more;
    return HAFT_OK;
}

haft_status haft__search_create(const haft__search_options *options,
                                haft__search_index **ret_search, haft_error *err)
{
    haft__search_index *search = calloc(1, sizeof(*search));
    if (search == NULL) {
        return haft__fail_no_memory(err);
    }
    search->options = *options;
    if (options->vectors != NULL) {
        search->row = (options->vectors->dimensions + 15U) & ~15U;
    }
    haft__search_string_table_init(&search->term_table, options->hash_key);
    haft__search_string_table_init(&search->doc_table, options->hash_key);
    haft__search_string_table_init(&search->group_table, options->hash_key);
    *ret_search = search;
    return HAFT_OK;
}

void haft__search_destroy(haft__search_index *search)
{
    if (search == NULL) {
        return;
    }
    for (uint32_t i = 0; i < search->doc_capacity; i++) {
        free(search->docs[i].entries);
    }
    for (uint32_t i = 0; i < search->term_capacity; i++) {
        free(search->terms[i].docs);
        free(search->terms[i].groups);
    }
    free(search->docs);
    free(search->terms);
    free(search->shapes);
    free(search->groups);
    free(search->vectors);
    haft__search_drop_embeddings(search);
    haft__search_string_table_finish(&search->term_table);
    haft__search_string_table_finish(&search->doc_table);
    haft__search_string_table_finish(&search->group_table);
    free(search);
}

size_t haft__search_count(const haft__search_index *search)
{
    return search->doc_table.count;
}

/* ---- words ---- */

haft_status haft__search_term_acquire(haft__search_index *search, haft_str stem, uint32_t *ret_term,
                                      haft_error *err)
{
    uint32_t term = haft__search_string_table_find(&search->term_table, stem);
    if (term != HAFT__SEARCH_NONE) {
        *ret_term = term;
        return HAFT_OK;
    }
    void *terms = search->terms, *shapes = search->shapes;
    uint32_t count = search->term_table.limit + 1;
    haft_status status =
        haft__search_reserve(&terms, &search->term_capacity, count, sizeof(*search->terms), err);
    search->terms = terms;
    if (status == HAFT_OK) {
        status = haft__search_reserve(&shapes, &search->shape_capacity, count,
                                      sizeof(*search->shapes), err);
        search->shapes = shapes;
    }
    if (status == HAFT_OK) {
        status = haft__search_string_table_add(&search->term_table, stem, ret_term, err);
    }
    if (status == HAFT_OK) {
        search->shapes[*ret_term] = (haft__search_shape){.letters = haft__search_letter_bits(stem),
                                                         .first = (uint8_t)stem.ptr[0],
                                                         .length = (uint8_t)stem.len};
    }
    return status;
}

void haft__search_term_release(haft__search_index *search, uint32_t term)
{
    haft__search_term *t = &search->terms[term];
    if (t->doc_count > 0 || t->seen > 0) {
        return;
    }
    free(t->docs);
    free(t->groups);
    *t = (haft__search_term){0};
    search->shapes[term] = (haft__search_shape){0};
    haft__search_string_table_remove(&search->term_table, term);
}

/* ---- adding ---- */

static haft_status reserve_term(haft__search_term *term, bool grouped, haft_error *err)
{
    void *docs = term->docs, *groups = term->groups;
    haft_status status = haft__search_reserve(&docs, &term->doc_capacity, term->doc_count + 1,
                                              sizeof(*term->docs), err);
    term->docs = docs;
    if (status == HAFT_OK && grouped) {
        status = haft__search_reserve(&groups, &term->group_capacity, term->group_count + 1,
                                      sizeof(*term->groups), err);
        term->groups = groups;
    }
    return status;
}

/* The normalised name of a document, or its normalised id if the id consists of the group and the
 * name. */
static size_t normalize_doc_name(const haft__search_doc *doc,
                                 char to[HAFT__SEARCH_NORMALIZED_BYTES], size_t *ret_name_at)
{
    char name[HAFT__SEARCH_NORMALIZED_BYTES];
    size_t name_length = haft__search_normalize_name(doc->name, name);
    size_t length = haft__search_normalize_name(doc->id, to);
    if (name_length > 0 && length >= name_length
        && memcmp(to + length - name_length, name, name_length) == 0) {
        *ret_name_at = length - name_length;
        return length;
    }
    memcpy(to, name, name_length);
    *ret_name_at = 0;
    return name_length;
}

static haft_status make_indexed_doc(const haft__search_index *search, const haft__search_doc *doc,
                                    const haft__search_bag *bag, haft__search_indexed_doc *ret_file,
                                    haft_error *err)
{
    char normalized[HAFT__SEARCH_NORMALIZED_BYTES];
    size_t name_at = 0, length = normalize_doc_name(doc, normalized, &name_at);
    haft__search_entry *entries = malloc((bag->count + 1) * sizeof(*entries) + length);
    if (entries == NULL) {
        return haft__fail_no_memory(err);
    }
    char *name_copy = (char *)&entries[bag->count + 1];
    memcpy(name_copy, normalized, length);
    for (uint32_t i = 0; i < bag->count; i++) {
        entries[i] = (haft__search_entry){bag->counts[i].term, bag->counts[i].head};
    }
    haft__hash_key key = search->options.hash_key;
    *ret_file = (haft__search_indexed_doc){
        .name_hash = haft__search_hash_name(key, doc->name),
        .id_hash = haft__search_hash_name(key, doc->id),
        .group = HAFT__SEARCH_NONE,
        .head = bag->head,
        .normalized = name_copy,
        .normalized_length = (uint32_t)length,
        .name_at = (uint32_t)name_at,
        .letters = haft__search_letter_bits((haft_str){name_copy + name_at, length - name_at}),
        .deprecated = haft__search_is_deprecated(doc->text),
        .entries = entries,
        .entry_count = bag->count,
        .name_count = bag->name_count};
    memcpy(ret_file->lengths, bag->lengths, sizeof(bag->lengths));
    return HAFT_OK;
}

static haft_status acquire_group(haft__search_index *search, haft_str name, uint32_t *ret_group,
                                 haft_error *err)
{
    uint32_t group = haft__search_string_table_find(&search->group_table, name);
    void *groups = search->groups;
    haft_status status = HAFT_OK;
    if (group == HAFT__SEARCH_NONE) {
        status = haft__search_reserve(&groups, &search->group_capacity,
                                      search->group_table.limit + 1, sizeof(*search->groups), err);
        search->groups = groups;
        if (status == HAFT_OK) {
            status = haft__search_string_table_add(&search->group_table, name, &group, err);
        }
        if (status == HAFT_OK) {
            search->groups[group].name_hash =
                haft__search_hash_group(search->options.hash_key, name);
        }
    }
    if (status == HAFT_OK) {
        *ret_group = group;
    }
    return status;
}

static void release_group(haft__search_index *search, uint32_t group)
{
    if (group != HAFT__SEARCH_NONE && search->groups[group].doc_count == 0) {
        search->groups[group] = (haft__search_group){0};
        haft__search_string_table_remove(&search->group_table, group);
    }
}

/* The postings are sorted by document number. */
uint32_t haft__search_term_find(const haft__search_term *term, uint32_t doc)
{
    uint32_t low = 0, high = term->doc_count;
    if (high > 0 && term->docs[high - 1].doc < doc) { /* usual for a new document */
        return high;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (term->docs[middle].doc < doc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The position of a group in the groups of a word, or its insertion point. */
static uint32_t find_group(const haft__search_term *term, uint32_t group)
{
    uint32_t low = 0, high = term->group_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (term->groups[middle].group < group) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_mention(haft__search_term *term, uint32_t group, uint32_t count)
{
    uint32_t at = find_group(term, group);
    if (at < term->group_count && term->groups[at].group == group) {
        term->groups[at].count += count;
        return;
    }
    memmove(&term->groups[at + 1], &term->groups[at],
            (term->group_count - at) * sizeof(*term->groups));
    term->groups[at] = (haft__search_group_posting){group, count};
    term->group_count++;
}

static void remove_mention(haft__search_term *term, uint32_t group, uint32_t count)
{
    uint32_t at = find_group(term, group);
    term->groups[at].count -= count;
    if (term->groups[at].count == 0) {
        term->group_count--;
        memmove(&term->groups[at], &term->groups[at + 1],
                (term->group_count - at) * sizeof(*term->groups));
    }
}

static void add_word(haft__search_index *search, const haft__search_tally *count, uint32_t doc,
                     uint32_t group)
{
    haft__search_term *term = &search->terms[count->term];
    haft__search_posting posting = {.doc = doc};
    for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
        posting.counts[f] = (uint8_t)(count->counts[f] < UINT8_MAX ? count->counts[f] : UINT8_MAX);
    }
    uint32_t at = haft__search_term_find(term, doc);
    memmove(&term->docs[at + 1], &term->docs[at], (term->doc_count - at) * sizeof(*term->docs));
    term->docs[at] = posting;
    term->doc_count++;
    term->log_count = haft__search_log(term->doc_count + 0.5);
    term->name_count += count->counts[HAFT__SEARCH_NAME] > 0;
    if (count->head > 0) {
        add_mention(term, group, count->head);
    }
}

static void remove_word(haft__search_index *search, const haft__search_entry *entry, uint32_t doc,
                        uint32_t group)
{
    haft__search_term *term = &search->terms[entry->term];
    uint32_t at = haft__search_term_find(term, doc);
    term->name_count -= term->docs[at].counts[HAFT__SEARCH_NAME] > 0;
    term->doc_count--;
    term->log_count = haft__search_log(term->doc_count + 0.5);
    memmove(&term->docs[at], &term->docs[at + 1], (term->doc_count - at) * sizeof(*term->docs));
    if (entry->head > 0) {
        remove_mention(term, group, entry->head);
    }
    haft__search_term_release(search, entry->term);
}

/* Adds the document. All memory is allocated already, so this cannot fail. */
static void add_indexed_doc(haft__search_index *search, const haft__search_bag *bag, uint32_t doc,
                            const haft__search_indexed_doc *indexed)
{
    search->docs[doc] = *indexed;
    if (search->row > 0) {
        haft__search_document_vector(search, bag, search->vectors + (size_t)doc * search->row,
                                     &search->docs[doc].vector_scale);
    }
    for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
        search->lengths[f] += indexed->lengths[f];
    }
    if (indexed->group != HAFT__SEARCH_NONE) {
        search->groups[indexed->group].doc_count++;
        search->groups[indexed->group].length += indexed->head;
        search->group_length += indexed->head;
    }
    for (uint32_t i = 0; i < bag->count; i++) {
        add_word(search, &bag->counts[i], doc, indexed->group);
    }
}

/* Removes a document's words from the index. Its number and its group stay. */
static void release_indexed_doc(haft__search_index *search, uint32_t doc)
{
    haft__search_indexed_doc *indexed = &search->docs[doc];
    for (uint32_t i = 0; i < indexed->entry_count; i++) {
        remove_word(search, &indexed->entries[i], doc, indexed->group);
    }
    for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
        search->lengths[f] -= indexed->lengths[f];
    }
    if (indexed->group != HAFT__SEARCH_NONE) {
        search->groups[indexed->group].doc_count--;
        search->groups[indexed->group].length -= indexed->head;
        search->group_length -= indexed->head;
    }
    free(indexed->entries);
    haft__search_remove_embedding(search, doc);
    *indexed = (haft__search_indexed_doc){0};
}

/* Allocates everything that a document and its group need. */
static haft_status reserve(haft__search_index *search, const haft__search_doc *doc,
                           const haft__search_bag *bag, haft__search_indexed_doc *indexed,
                           haft_error *err)
{
    void *docs = search->docs;
    haft_status status = haft__search_reserve(
        &docs, &search->doc_capacity, search->doc_table.limit + 1, sizeof(*search->docs), err);
    search->docs = docs;
    if (status == HAFT_OK && search->row > 0) {
        void *vectors = search->vectors;
        status = haft__search_reserve(&vectors, &search->vector_capacity,
                                      search->doc_table.limit + 1, search->row, err);
        search->vectors = vectors;
    }
    for (uint32_t i = 0; i < bag->count && status == HAFT_OK; i++) {
        const haft__search_tally *count = &bag->counts[i];
        status = reserve_term(&search->terms[count->term], count->head > 0, err);
    }
    if (status == HAFT_OK && doc->group.len > 0) {
        status = acquire_group(search, doc->group, &indexed->group, err);
    }
    return status;
}

static haft_status add_bag(haft__search_index *search, const haft__search_doc *doc,
                           const haft__search_bag *bag, haft_error *err)
{
    haft__search_indexed_doc indexed = {0};
    uint32_t number = haft__search_string_table_find(&search->doc_table, doc->id);
    haft_status status = make_indexed_doc(search, doc, bag, &indexed, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = reserve(search, doc, bag, &indexed, err);
    uint32_t old_group = HAFT__SEARCH_NONE;
    if (status == HAFT_OK && number != HAFT__SEARCH_NONE) {
        old_group = search->docs[number].group;
        release_indexed_doc(search, number);
    } else if (status == HAFT_OK) {
        status = haft__search_string_table_add(&search->doc_table, doc->id, &number, err);
    }
    if (status == HAFT_OK) {
        add_indexed_doc(search, bag, number, &indexed);
        release_group(search, old_group);
        return HAFT_OK;
    }
    release_group(search, indexed.group);
    free(indexed.entries);
    return status;
}

haft_status haft__search_add(haft__search_index *search, const haft__search_doc *doc,
                             haft_error *err)
{
    if (doc->id.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected an id, found none");
    }
    bool known = haft__search_string_table_find(&search->doc_table, doc->id) != HAFT__SEARCH_NONE;
    if (!known && search->doc_table.count >= HAFT__LIMIT_SEARCH_DOCS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "more than %d documents in one index",
                          HAFT__LIMIT_SEARCH_DOCS);
    }
    haft__search_bag bag = {.search = search, .grouped = doc->group.len > 0};
    haft_status status = haft__search_bag_fill(&bag, doc, err);
    if (status == HAFT_OK) {
        status = add_bag(search, doc, &bag, err);
    }
    haft__search_bag_finish(&bag);
    return status;
}

bool haft__search_remove(haft__search_index *search, haft_str id)
{
    uint32_t doc = haft__search_string_table_find(&search->doc_table, id);
    if (doc == HAFT__SEARCH_NONE) {
        return false;
    }
    uint32_t group = search->docs[doc].group;
    release_indexed_doc(search, doc);
    release_group(search, group);
    haft__search_string_table_remove(&search->doc_table, doc);
    return true;
}
