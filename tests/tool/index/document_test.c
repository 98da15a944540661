/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/document.c: which words of a document are in the index. */
#include "base/buf.h"
#include "base/limits.h"
#include "test.h"
#include "tool/index/search_int.h"
#include "tool/search_help.h"
#include "json/read.h"

/* Whether a word was indexed. */
static bool has(const haft__search_index *search, const char *stem)
{
    return haft__search_string_table_find(&search->term_table, haft__str(stem))
           != HAFT__SEARCH_NONE;
}

TEST(words_of_schemas_are_indexed)
{
    static const struct {
        const char *schema, *word;
        bool found;
    } cases[] = {
        {"{\"properties\":{\"userName\":{}}}", "user", true},
        {"{\"properties\":{\"a\":{\"description\":\"Some zebra.\"}}}", "zebra", true},
        {"{\"properties\":{\"a\":{\"title\":\"zebra\"}}}", "zebra", true},
        {"{\"properties\":{\"a\":{\"enum\":[\"zebra\",1,null]}}}", "zebra", true},
        {"{\"properties\":{\"a\":{\"const\":\"zebra\"}}}", "zebra", true},
        {"{\"properties\":{\"a\":{\"items\":{\"properties\":{\"zebra\":{}}}}}}", "zebra", true},
        {"{\"anyOf\":[{\"properties\":{\"zebra\":{}}}]}", "zebra", true},
        {"{\"$defs\":{\"x\":{\"properties\":{\"zebra\":true}}}}", "zebra", true},
        {"{\"then\":{\"properties\":{\"zebra\":{}}}}", "zebra", true},
        {"{\"properties\":{\"a\":{\"type\":\"zebra\"}}}", "zebra", false},
        {"{\"properties\":{\"a\":{\"default\":\"zebra\"}}}", "zebra", false},
        {"{\"properties\":{\"a\":{\"examples\":[\"zebra\"]}}}", "zebra", false},
        {"{\"properties\":[\"zebra\"]}", "zebra", false},
        {"\"zebra\"", "zebra", false},
        {"{\"if\":{\"enum\":[\"zebra\"]}}", "zebra", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        search_tool tool = {"a", "x", "", "", cases[i].schema};
        haft__search_index *search = search_make(&tool, 1, NULL);
        CHECK(has(search, cases[i].word) == cases[i].found, "%s", cases[i].schema);
        haft__search_destroy(search);
    }
}

/* A schema of `depth` objects inside each other, the innermost with the parameter "zebra". */
static haft_str nested(haft__buf *text, unsigned depth)
{
    haft__buf_clear(text);
    for (unsigned i = 0; i + 1 < depth; i++) {
        haft__buf_add_str(text, HAFT__LIT("{\"items\":"));
    }
    haft__buf_add_str(text, HAFT__LIT("{\"properties\":{\"zebra\":{}}}"));
    for (unsigned i = 0; i + 1 < depth; i++) {
        haft__buf_add_char(text, '}');
    }
    haft__buf_add_char(text, '\0');
    return haft__buf_str(text);
}

TEST(depth_and_values_of_schemas_are_limited)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (unsigned more = 0; more < 2; more++) {
        haft_str schema = nested(&text, HAFT__LIMIT_SEARCH_SCHEMA_DEPTH + more);
        search_tool tool = {"a", "x", "", "", schema.ptr};
        haft__search_index *search = search_make(&tool, 1, NULL);
        CHECK(has(search, "zebra") == (more == 0), "%u levels more than the limit", more);
        haft__search_destroy(search);
    }
    /* The schema and its first members are values; the last enum member is the one at the limit. */
    for (unsigned more = 0; more < 2; more++) {
        haft__buf_clear(&text);
        haft__buf_add_str(&text, HAFT__LIT("{\"enum\":["));
        for (unsigned i = 0; i + 2 < HAFT__LIMIT_SEARCH_DOC_VALUES + more; i++) {
            haft__buf_add_str(&text, HAFT__LIT("\"\","));
        }
        haft__buf_add_str(&text, HAFT__LIT("\"zebra\"]}"));
        haft__buf_add_char(&text, '\0');
        search_tool tool = {"a", "x", "", "", text.ptr};
        haft__search_index *search = search_make(&tool, 1, NULL);
        CHECK(has(search, "zebra") == (more == 0), "%u more values", more);
        haft__search_destroy(search);
    }
    haft__buf_finish(&text);
}

TEST(bytes_and_words_of_texts_are_limited)
{
    size_t size = HAFT__LIMIT_SEARCH_TEXT_BYTES;
    char *text = test_alloc(size + 8);
    for (size_t more = 0; more < 2; more++) {
        memset(text, ' ', size + 8);
        memcpy(text + size - 5 + more, "zebra", 5);
        haft__search_index *search = search_make(NULL, 0, NULL);
        haft__search_doc doc = {.id = HAFT__LIT("a"), .text = {text, size + 8}};
        CHECK(haft__search_add(search, &doc, NULL) == HAFT_OK, "add the document");
        CHECK(has(search, "zebra") == (more == 0), "%zu bytes more", more);
        haft__search_destroy(search);
    }
    haft__buf words;
    haft__buf_init(&words, 1 << 20);
    for (unsigned more = 0; more < 2; more++) {
        haft__buf_clear(&words);
        for (unsigned i = 0; i + 1 < HAFT__LIMIT_SEARCH_DOC_WORDS + more; i++) {
            haft__buf_add_str(&words, HAFT__LIT("go "));
        }
        haft__search_index *search = search_make(NULL, 0, NULL);
        haft__search_doc doc = {
            .id = HAFT__LIT("a"), .text = haft__buf_str(&words), .schema = &(haft__json){0}};
        haft__json member[] = {haft__json_string(HAFT__LIT("zebra"))};
        haft__json_member parts[] = {
            {haft__json_string(HAFT__LIT("enum")), haft__json_array(member, 1)}};
        haft__json schema = haft__json_object(parts, 1);
        doc.schema = &schema;
        CHECK(haft__search_add(search, &doc, NULL) == HAFT_OK, "add the document");
        CHECK(has(search, "zebra") == (more == 0), "%u words more", more);
        haft__search_destroy(search);
    }
    haft__buf_finish(&words);
}
