/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/embeddings.c: requests, and every kind of invalid response. */
#include "model/embeddings.h"

#include "base/limits.h"
#include "test.h"
#include "json/read.h"

static const haft__hash_key key;

static haft_str keep_text(haft__buf *buf)
{
    CHECK_INT(haft__buf_check(buf, NULL), HAFT_OK, "out of memory");
    char *copy = test_alloc(buf->len + 1);
    memcpy(copy, buf->ptr != NULL ? buf->ptr : "", buf->len);
    haft_str text = {copy, buf->len};
    haft__buf_finish(buf);
    return text;
}

static haft_str text_of(haft_str prefix, const haft__search_doc *doc)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__embeddings_write_document(&buf, prefix, doc);
    return keep_text(&buf);
}

TEST(a_tool_is_a_line_of_text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema, odd;
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"properties\":{\"q\":{},\"limit\":{}}}"), NULL,
                              &schema, NULL, NULL),
              HAFT_OK, "the schema is JSON");
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"properties\":[1]}"), NULL, &odd, NULL, NULL),
              HAFT_OK, "a schema whose properties are a list");
    haft__search_doc doc = {.name = HAFT__LIT("search"),
                            .group = HAFT__LIT("docs"),
                            .text = HAFT__LIT("Find it."),
                            .schema = &schema};
    CHECK_STR(text_of(HAFT__LIT("d: "), &doc), HAFT__LIT("d: docs: search - Find it.; q, limit"),
              "server, name, description and parameters");
    doc.schema = &odd;
    doc.group = doc.text = HAFT__LIT("");
    CHECK_STR(text_of(HAFT__LIT(""), &doc), HAFT__LIT("search"), "the name alone");
    haft__arena_finish(&arena);
}

TEST(texts_end_at_their_limit)
{
    char *bytes = test_alloc(HAFT__LIMIT_EMBED_TEXT_BYTES + 2);
    memset(bytes, 'a', HAFT__LIMIT_EMBED_TEXT_BYTES + 2);
    for (size_t more = 0; more < 3; more++) {
        haft__search_doc doc = {.name = {bytes, HAFT__LIMIT_EMBED_TEXT_BYTES + more},
                                .text = HAFT__LIT("x")};
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        haft__embeddings_write_query(&buf, HAFT__LIT("q: "), doc.name);
        CHECK_INT(keep_text(&buf).len, HAFT__LIMIT_EMBED_TEXT_BYTES + 3, "query %zu", more);
        CHECK_INT(text_of(HAFT__LIT(""), &doc).len, HAFT__LIMIT_EMBED_TEXT_BYTES, "tool %zu", more);
    }
    memcpy(bytes + HAFT__LIMIT_EMBED_TEXT_BYTES - 1, "\xC3\xA4",
           2); /* a character that crosses the limit */
    haft__search_doc doc = {.name = {bytes, HAFT__LIMIT_EMBED_TEXT_BYTES + 1}};
    CHECK_INT(text_of(HAFT__LIT(""), &doc).len, HAFT__LIMIT_EMBED_TEXT_BYTES - 1,
              "a character is not split");
}

TEST(a_request_has_the_texts_in_their_order)
{
    haft_str texts[] = {HAFT__LIT("a \"b\""), HAFT__LIT("\xFF")};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__embeddings_write_request(&buf, HAFT__LIT("m"), texts, 2);
    CHECK_STR(keep_text(&buf),
              HAFT__LIT("{\"model\":\"m\",\"input\":[\"a \\\"b\\\"\",\"\xEF\xBF\xBD\"],"
                        "\"encoding_format\":\"float\"}"),
              "the request body");
}

typedef struct read_case {
    const char *body;
    size_t count;
    haft_status status;
    const char *wanted; /* the numbers of the vectors, or the error message */
} read_case;

#define ITEM(index, vector) "{\"index\":" index ",\"embedding\":" vector "}"
#define DATA(items)         "{\"data\":[" items "]}"

static const read_case cases[] = {
    {DATA(ITEM("0", "[1,2]") "," ITEM("1", "[3,-4.5]")), 2, HAFT_OK, "1 2 3 -4.5 "},
    {DATA(ITEM("1", "[1,2]") "," ITEM("0", "[3,4]")), 2, HAFT_OK, "3 4 1 2 "},
    {DATA("{\"embedding\":[1]},{\"embedding\":[2]}"), 2, HAFT_OK, "1 2 "},
    {DATA(ITEM("0", "[0,-1e-30]")), 1, HAFT_OK, "0 -1e-30 "},
    {DATA(ITEM("0", "[1]") "," ITEM("1", "[0]")), 2, HAFT_BAD_INPUT, "a vector has only zeros"},
    {DATA(ITEM("0", "[0,1e-300]")), 1, HAFT_BAD_INPUT, "a vector has only zeros"},
    {DATA(ITEM("0", "[1e30]")), 1, HAFT_OK, "1e+30 "},
    {DATA(ITEM("0", "[1e31]")), 1, HAFT_BAD_INPUT, "number 0 of a vector is out of range"},
    {DATA(ITEM("0", "[0,-1e999]")), 1, HAFT_BAD_INPUT, "number 1 of a vector is out of range"},
    {DATA(ITEM("0", "[null]")), 1, HAFT_BAD_INPUT, "number 0 of a vector is out of range"},
    {DATA(ITEM("0", "[\"1\"]")), 1, HAFT_BAD_INPUT, "number 0 of a vector is out of range"},
    {DATA(ITEM("0", "[1,2]") "," ITEM("1", "[3]")), 2, HAFT_BAD_INPUT,
     "expected vectors of one length, found 2 and 1 numbers"},
    {DATA(ITEM("0", "[1]") "," ITEM("0", "[3]")), 2, HAFT_BAD_INPUT,
     "two vectors have the index 0"},
    {DATA("{\"embedding\":[1]}," ITEM("0", "[3]")), 2, HAFT_BAD_INPUT,
     "two vectors have the index 0"},
    {DATA(ITEM("2", "[1]") "," ITEM("1", "[3]")), 2, HAFT_BAD_INPUT,
     "item 0 has no index from 0 to 1"},
    {DATA(ITEM("-1", "[1]")), 1, HAFT_BAD_INPUT, "item 0 has no index from 0 to 0"},
    {DATA(ITEM("0.5", "[1]")), 1, HAFT_BAD_INPUT, "item 0 has no index from 0 to 0"},
    {DATA(ITEM("\"0\"", "[1]")), 1, HAFT_BAD_INPUT, "item 0 has no index from 0 to 0"},
    {DATA(ITEM("0", "[]")), 1, HAFT_BAD_INPUT,
     "expected an array of numbers for \"embedding\", found an empty array"},
    {DATA(ITEM("0", "\"AACAPw==\"")), 1, HAFT_BAD_INPUT,
     "expected an array of numbers for \"embedding\", found string"},
    {DATA("7"), 1, HAFT_BAD_INPUT, "expected an array of numbers for \"embedding\", found none"},
    {DATA(ITEM("0", "[1]")), 2, HAFT_BAD_INPUT, "found 1 vectors, expected 2"},
    {DATA(""), 0, HAFT_BAD_INPUT, "found 0 vectors, expected 0"},
    {"{\"data\":{}}", 1, HAFT_BAD_INPUT, "expected an array of vectors, found object"},
    {"{}", 1, HAFT_BAD_INPUT, "expected an array of vectors, found none"},
    {"[1]", 1, HAFT_BAD_INPUT, "expected an array of vectors, found none"},
    {"<html>", 1, HAFT_BAD_INPUT, NULL},
    {"", 1, HAFT_BAD_INPUT, NULL},
};

static haft_status read_response(const char *body, size_t count, haft_str *ret_found)
{
    haft__arena arena;
    haft__embeddings found = {0};
    haft_error err = {0};
    char *text = test_alloc(4096);
    size_t length = 0;
    haft__arena_init(&arena, 0);
    haft_status status = haft__embeddings_read(&arena, haft__str(body), count, key, &found, &err);
    for (size_t i = 0; status == HAFT_OK && i < found.count * found.dimensions; i++) {
        length += (size_t)snprintf(text + length, 4096 - length, "%g ", (double)found.numbers[i]);
    }
    if (status != HAFT_OK) {
        length = (size_t)snprintf(text, 4096, "%s", err.message);
    }
    *ret_found = (haft_str){text, length};
    haft__arena_finish(&arena);
    return status;
}

TEST(responses_are_validated)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found;
        CHECK_INT(read_response(cases[i].body, cases[i].count, &found), cases[i].status, "%s",
                  cases[i].body);
        if (cases[i].wanted != NULL) {
            CHECK_STR(found, haft__str(cases[i].wanted), "%s", cases[i].body);
        }
    }
}

TEST(numbers_of_a_vector_have_a_limit)
{
    for (size_t more = 0; more < 2; more++) {
        size_t count = HAFT__LIMIT_SEARCH_DIMENSIONS + more, at = 0;
        char *body = test_alloc(2 * count + 64);
        at += (size_t)snprintf(body, 64, "{\"data\":[{\"embedding\":[1");
        for (size_t i = 1; i < count; i++) {
            memcpy(body + at, ",1", 2);
            at += 2;
        }
        memcpy(body + at, "]}]}", 5);
        haft__arena arena;
        haft__embeddings found = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__embeddings_read(&arena, haft__str(body), 1, key, &found, NULL),
                  more == 0 ? HAFT_OK : HAFT_TOO_BIG, "%zu numbers", count);
        haft__arena_finish(&arena);
    }
}

TEST(reading_embeddings_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__embeddings found = {0};
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__embeddings_read(&arena, haft__str(cases[0].body), 2, key, &found, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}

/* Every prefix of a valid response is invalid, and the reader stays within it. */
TEST(truncated_responses_are_rejected)
{
    size_t length = strlen(cases[0].body);
    for (size_t i = 0; i < length; i++) {
        char *cut = malloc(i + 1);
        memcpy(cut, cases[0].body, i);
        haft__arena arena;
        haft__embeddings found;
        haft__arena_init(&arena, 0);
        CHECK(haft__embeddings_read(&arena, (haft_str){cut, i}, 2, key, &found, NULL) != HAFT_OK,
              "%zu bytes", i);
        haft__arena_finish(&arena);
        free(cut);
    }
}
