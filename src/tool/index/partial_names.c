/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partial_names.c - a query that is a part of a name: its prefix ("kubectl_ro"), its suffix, an
 * inner part, or all of it with a typing error ("sequentialthinknig").
 *
 * A query of one token can be any of these; a query of several words can only be a prefix. If the
 * query is a word of the index and does not look like an identifier ("checkCopy"), names that
 * contain it ("pilot" in copilot) rank after documents that contain the word.
 *
 * Tests: tests/tool/index/query_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "base/suggestion.h"
#include "tool/index/search_int.h"

/* The bonuses: a prefix ranks before an inner part, and an inner part before a possible one. */
#define PREFIX_BONUS 4.0F
#define SHORT        0.5F
#define WORD         0.25F
/* Shorter texts match too many names. */
#define MIN_PREFIX    2U
#define MIN_SENTENCE  4U
#define MIN_INSIDE    2U
#define MIN_WORD      4U
#define MIN_SURE      5U
#define MIN_TWO_SLIPS 9U

typedef struct partial {
    const haft__search_index *search;
    const haft__search_parsed_query *parsed;
    haft_str part;
    uint32_t letters;
    bool single, known; /* the query is one token; the index has its words */
    float *total;
} partial;

static bool has_inside(haft_str whole, haft_str part)
{
    const char *at = whole.ptr, *end = whole.ptr + whole.len;
    while ((size_t)(end - at) >= part.len
           && (at = memchr(at, part.ptr[0], (size_t)(end - at) - part.len + 1)) != NULL) {
        if (memcmp(at, part.ptr, part.len) == 0) {
            return true;
        }
        at++;
    }
    return false;
}

/* Whether a document contains one of the words. */
static bool has_as_word(const partial *p, uint32_t doc)
{
    for (size_t i = 0; i < p->parsed->part_count; i++) {
        const haft__search_term *term = &p->search->terms[p->parsed->parts[i].term];
        uint32_t at = haft__search_term_find(term, doc);
        if (at < term->doc_count && term->docs[at].doc == doc) {
            return true;
        }
    }
    return false;
}

static float grade(const partial *p, uint32_t doc)
{
    const haft__search_indexed_doc *indexed = &p->search->docs[doc];
    haft_str whole = {indexed->normalized, indexed->normalized_length};
    haft_str name = haft__str_skip(whole, indexed->name_at);
    if (p->known) {
        bool inside = name.len > p->part.len && has_inside(name, p->part) && !has_as_word(p, doc);
        return inside ? WORD + WORD * (float)p->part.len / (float)name.len : 0;
    }
    if (haft__str_starts_with(name, p->part)) {
        return name.len > p->part.len ? PREFIX_BONUS : 0; /* names.c handles a whole name */
    }
    if (!p->single || name.len == 0 || p->part.len < MIN_INSIDE || !has_inside(whole, p->part)) {
        return 0;
    }
    /* Among names that contain a short part, the shortest rank first. */
    return p->part.len >= MIN_SURE ? HAFT__SEARCH_PARTIAL_NAME
                                   : SHORT + SHORT * (float)p->part.len / (float)name.len;
}

static bool add_parts(const partial *p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->search->doc_table.limit; i++) {
        float more = p->search->docs[i].entries != NULL ? grade(p, i) : 0;
        p->total[i] += more;
        any = any || more > 0;
    }
    return any;
}

static bool may_be_near(const partial *p, const haft__search_indexed_doc *indexed, size_t max)
{
    uint32_t length = indexed->normalized_length - indexed->name_at, wanted = (uint32_t)p->part.len;
    uint32_t longer = length > wanted ? length - wanted : wanted - length;
    return indexed->entries != NULL && longer <= max
           && haft__search_count_bits(p->letters ^ indexed->letters) <= 2 * max;
}

/* Compares no names if there are too many candidates, so that a hostile list of tools costs no
 * time. */
static void add_slips(const partial *p)
{
    size_t max = p->part.len >= MIN_TWO_SLIPS ? 2 : 1, count = 0;
    uint32_t limit = p->search->doc_table.limit;
    for (uint32_t i = 0; i < limit; i++) {
        count += may_be_near(p, &p->search->docs[i], max);
    }
    for (uint32_t i = 0; i < limit && count <= HAFT__LIMIT_SEARCH_NEAR_TERMS; i++) {
        const haft__search_indexed_doc *indexed = &p->search->docs[i];
        if (!may_be_near(p, indexed, max)) {
            continue;
        }
        haft_str name = {indexed->normalized + indexed->name_at,
                         indexed->normalized_length - indexed->name_at};
        size_t distance = haft__suggestion_distance(name, p->part, max);
        if (distance > 0 && distance <= max) {
            p->total[i] += HAFT__SEARCH_PARTIAL_NAME;
        }
    }
}

static bool is_word(const haft__search_index *search, haft_str part)
{
    const haft__search_word_vectors *vectors = search->options.vectors;
    return vectors != NULL && haft__search_word_vectors_find(vectors, part) != NULL;
}

static bool is_in(char c, char first, char last)
{
    return c >= first && c <= last;
}

/* Whether a word begins at `at`: "checkCopy", "parseHTTPServer". */
static bool begins_word(haft_str text, size_t at)
{
    char before = text.ptr[at - 1], after = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    return is_in(text.ptr[at], 'A', 'Z')
           && (is_in(before, 'a', 'z') || is_in(before, '0', '9')
               || (is_in(before, 'A', 'Z') && is_in(after, 'a', 'z')));
}

/* Whether the query looks like an identifier: words joined by punctuation, or one token with
 * capitals. */
static bool is_written_like_a_name(const haft__search_parsed_query *parsed)
{
    haft_str text = parsed->text;
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("_-:/.", text.ptr[i]) != NULL
            || (parsed->single && i > 0 && begins_word(text, i))) {
            return true;
        }
    }
    return false;
}

static bool begin(const haft__search_index *search, const haft__search_parsed_query *parsed,
                  char letters[HAFT__SEARCH_NORMALIZED_BYTES], partial *ret_partial)
{
    size_t length = parsed->text.len <= HAFT__LIMIT_TOOL_NAME_BYTES
                        ? haft__search_normalize_name(parsed->text, letters)
                        : 0;
    haft_str part = {letters, length};
    bool known = parsed->unknown == 0 && parsed->word_count > 0 && !is_written_like_a_name(parsed);
    *ret_partial = (partial){.search = search,
                             .parsed = parsed,
                             .part = part,
                             .letters = haft__search_letter_bits(part),
                             .single = parsed->single,
                             .known = known};
    if (known) {
        return parsed->single && length >= MIN_WORD;
    }
    return length >= (parsed->single ? MIN_PREFIX : MIN_SENTENCE);
}

bool haft__search_is_partial(const haft__search_index *search,
                             const haft__search_parsed_query *parsed, uint32_t doc)
{
    char letters[HAFT__SEARCH_NORMALIZED_BYTES];
    partial p;
    return begin(search, parsed, letters, &p) && grade(&p, doc) > 0;
}

void haft__search_score_partial_names(const haft__search_index *search,
                                      const haft__search_parsed_query *parsed, float *total)
{
    char letters[HAFT__SEARCH_NORMALIZED_BYTES];
    partial p;
    if (!begin(search, parsed, letters, &p)) {
        return;
    }
    p.total = total;
    if (!add_parts(&p) && !p.known && parsed->single && p.part.len >= MIN_SURE
        && !is_word(search, p.part)) {
        add_slips(&p);
    }
}
