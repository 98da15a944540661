/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/parse.c: JSON, YAML, and texts that are neither. */
#include "spec/load/document/parse.h"

#include "spec/load/document/yaml.h"
#include "spec/spec_help.h"

static const struct {
    const char *text, *found;
} cases[] = {
    {"{\"a\": [1, \"x\\ny\", true, null, {}], \"b\": 1.50}",
     "{\"a\":[1,\"x\\ny\",true,null,{}],\"b\":1.50}"},
    {"\xEF\xBB\xBF  {\"a\": 1}\n", "{\"a\":1}"},
    /* only a text that starts with a brace is JSON */
    {"[1, x]", "[1,\"x\"]"},
    {"\"a\": 1\n", "{\"a\":1}"},
    {"{a: 1}", "1:2: this is not JSON: expected a key in double quotes or '}', found 'a' (a spec "
               "that starts with '{' is read as JSON; write YAML without the outer braces)"},
    {"{\"a\": 1,\n \"b\": }", "2:7: this is not JSON: expected a value, found '}'"},
    {"{\"a\": 1,}", "1:9: this is not JSON: expected a key in double quotes, found '}' (a comma "
                    "must be followed "
                    "by another member)"},
    {"{\"a\": 1", "1:8: this is not JSON: expected ',' or '}' after the member, found the end of "
                  "the text"},
    {"{} x", "1:4: this is not JSON: expected nothing after the value, found 'x'"},
    {"{\"\xC3\xA9\": 1, \"\\u00e9\": 2,\n\"x\": {\"y\": 1, \"z\": 0, \"y\": 3}}",
     "2:23: the key \"y\" is repeated; it is already at 2:7 (keep one of the two)\n"
     "1:10: the key \"\xC3\xA9\" is repeated; it is already at 1:2 (keep one of the "
     "two)"},
    /* bytes that are not text */
    {"a: \xFF\n", "1:4: found the byte 0xFF, expected UTF-8 (save the file as UTF-8)"},
    {"\xFF\xFE"
     "a",
     "1:1: found the byte 0xFF, expected UTF-8 (save the file as UTF-8)"},
    {"a: 1\nb: \x1B[0m\n",
     "2:4: found the control character 0x1B, expected text (inside double quotes it can be written "
     "as \\u001b)"},
    {"a: \x7F\xFF\n",
     "1:4: found the control character 0x7F, expected text (inside double quotes it can be written "
     "as \\u007f)"},
};

TEST(yaml_and_json_texts_are_parsed)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(read_as(haft__str(cases[i].text)), haft__str(cases[i].found), "%s",
                  cases[i].text);
    }
}

TEST(a_nul_byte_is_rejected)
{
    CHECK_STR(
        read_as(HAFT__LIT("a: b\0c\n")),
        HAFT__LIT("1:5: found the control character 0x00, expected text (inside double quotes "
                  "it can be written as \\u0000)"),
        "a NUL byte in YAML");
}

TEST(a_text_that_is_too_long_is_rejected_without_reading_it)
{
    size_t size = (size_t)50 << 20;
    char *text = test_alloc(size);
    memset(text, 'x', size);
    CHECK_STR(read_as((haft_str){text, size}),
              HAFT__LIT("0:0: the spec has 52428800 bytes, more than 4194304 (is this the right "
                        "file?)"),
              "a text of 50 MB");
    text[0] = '#';
    CHECK_STR(read_as((haft_str){text, HAFT__LIMIT_SPEC_BYTES}),
              HAFT__LIT("1:1: the file is empty, expected a spec (the smallest spec is: model: "
                        "offline)"),
              "a text at the limit");
}

/* The same document as JSON and as YAML: the same value, the same places. */
TEST(yaml_and_json_readers_agree)
{
    static const char text[] = "{\"a\": [1, {\"b\": \"x\"}],\n \"c\": {\"d\": null, \"e\": true}}";
    static const struct {
        const char *pointer;
        size_t value, key;
    } places[] = {
        {"", 0, 0},
        {"/a", 6, 1},
        {"/a/0", 7, 7},
        {"/a/1", 10, 10},
        {"/a/1/b", 16, 11},
        {"/c", 29, 24},
        {"/c/d", 35, 30},
        {"/c/e", 46, 41},
        /* a missing member: the place of the object around it */
        {"/x", 0, 0},
        {"/a/1/b/c", 16, 16},
        {"/a/2", 6, 6},
    };
    for (int yaml = 0; yaml <= 1; yaml++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__spec_problems problems;
        haft__spec_problems_init(&problems, &arena);
        haft__spec_document d = {0};
        haft__spec_builder tree;
        if (yaml) {
            haft_str whole = haft__str(text);
            haft__spec_builder_init(&tree, &arena, &problems, whole, (haft__hash_key){1, 2});
            CHECK(haft__yaml_read(&tree, whole) && haft__spec_builder_document(&tree, &d),
                  "read the YAML");
            haft__spec_builder_finish(&tree);
        } else {
            CHECK_INT(haft__spec_parse(&arena, haft__str(text), (haft__hash_key){1, 2}, &problems,
                                       &d, NULL),
                      HAFT_OK, "parse the JSON");
        }
        for (size_t i = 0; i < COUNT(places); i++) {
            haft_str pointer = haft__str(places[i].pointer);
            CHECK_INT(haft__spec_offset(&d, pointer, false), places[i].value, "%d %s", yaml,
                      places[i].pointer);
            CHECK_INT(haft__spec_offset(&d, pointer, true), places[i].key, "%d %s", yaml,
                      places[i].pointer);
        }
        haft__arena_finish(&arena);
    }
}

TEST(every_failed_allocation_is_survived_in_json)
{
    haft_str text = HAFT__LIT("{\"a\": [1, \"x\\ny\", {\"k\": 0.5}], \"a\": 2}");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__spec_problems problems;
        haft__spec_problems_init(&problems, &arena);
        haft__spec_document document;
        test_fail_allocation(n);
        haft_status status =
            haft__spec_parse(&arena, text, (haft__hash_key){1, 2}, &problems, &document, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
