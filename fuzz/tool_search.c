/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: for any documents, queries and vector table, hits come best first, each once and with a
 * score above 0; after a document was added and removed, an index answers like a new one.
 *
 * The input is lines. '+' is a document: name, group and text separated by tabs, then a schema; '?'
 * is a query; '-' and a digit removes a document; 'v' tries the rest of the input as a vector
 * table.
 */
#include "tool/index/search.h"

#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/read.h"

#define MAX_DOCS 10U

static void check_hits(const haft__search_hit *hits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        REQUIRE(hits[i].score > 0 && hits[i].why != NULL);
        if (i > 0) {
            int order = haft__str_compare(hits[i - 1].id, hits[i].id);
            REQUIRE(hits[i - 1].score > hits[i].score
                    || (hits[i - 1].score == hits[i].score && order < 0));
        }
    }
}

static void ask(const haft__search_index *search, const haft__search_index *other, haft_str query)
{
    haft__arena arena;
    haft__search_hit *hits = NULL, *others = NULL;
    size_t count = 0, other_count = 0;
    haft__arena_init(&arena, 0);
    if (haft__search_query(search, query, MAX_DOCS, &arena, &hits, &count, NULL) == HAFT_OK
        && haft__search_query(other, query, MAX_DOCS, &arena, &others, &other_count, NULL)
               == HAFT_OK) {
        check_hits(hits, count);
        REQUIRE(count == other_count);
        for (size_t i = 0; i < count; i++) {
            REQUIRE(haft__str_equal(hits[i].id, others[i].id) && hits[i].score == others[i].score);
        }
    }
    haft__arena_finish(&arena);
}

static void add(haft__search_index *search, haft__search_index *other, haft_str line, char digit)
{
    haft__arena arena;
    haft__json schema;
    haft__arena_init(&arena, 0);
    haft__search_doc doc = {.id = {&digit, 1}};
    doc.name = haft__str_split(&line, '\t');
    doc.group = haft__str_split(&line, '\t');
    doc.text = haft__str_split(&line, '\t');
    if (haft__json_read(&arena, line, NULL, &schema, NULL, NULL) == HAFT_OK) {
        doc.schema = &schema;
    }
    /* The other index adds, removes and adds the document again. */
    REQUIRE(haft__search_add(search, &doc, NULL) == HAFT_OK);
    REQUIRE(haft__search_add(other, &doc, NULL) == HAFT_OK);
    REQUIRE(haft__search_remove(other, doc.id));
    REQUIRE(haft__search_add(other, &doc, NULL) == HAFT_OK);
    haft__arena_finish(&arena);
}

static void look_up(haft_str bytes)
{
    haft__search_word_vectors vectors;
    if (haft__search_word_vectors_open(bytes, &vectors, NULL) == HAFT_OK) {
        (void)haft__search_word_vectors_find(&vectors, HAFT__LIT("file"));
        (void)haft__search_word_vectors_find(&vectors, HAFT__LIT(""));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *search = NULL, *other = NULL;
    haft_str rest = {(const char *)data, size};
    char digit = '0';
    REQUIRE(haft__search_create(&options, &search, NULL) == HAFT_OK);
    options.hash_key = (haft__hash_key){5, 6};
    REQUIRE(haft__search_create(&options, &other, NULL) == HAFT_OK);
    while (rest.len > 0) {
        if (*rest.ptr == 'v') {
            look_up(haft__str_skip(rest, 1));
        }
        haft_str line = haft__str_split(&rest, '\n');
        haft_str text = haft__str_skip(line, 1);
        if (line.len > 0 && *line.ptr == '+') {
            add(search, other, text, digit);
            digit = digit == '9' ? '0' : (char)(digit + 1);
        } else if (text.len == 1 && *line.ptr == '-') {
            REQUIRE(haft__search_remove(search, text) == haft__search_remove(other, text));
        } else if (line.len > 0 && *line.ptr == '?') {
            ask(search, other, text);
        }
    }
    haft__search_destroy(search);
    haft__search_destroy(other);
    return 0;
}
