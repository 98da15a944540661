/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/yaml.c: YAML to JSON, and rejected texts with place and reason.
 */
#include "spec/load/document/yaml.h"

#include "spec/spec_help.h"

static const struct {
    const char *yaml, *json;
} values[] = {
    /* collections */
    {"a: 1\nb: [x, \"y\"]\nc:\n  - d: 2\n    e: {f: g}\n",
     "{\"a\":1,\"b\":[\"x\",\"y\"],\"c\":[{\"d\":2,\"e\":{\"f\":\"g\"}}]}"},
    {"[]", "[]"},
    {"---\na: {}\n...\n", "{\"a\":{}}"},
    {"%YAML 1.2\n---\na: yes\n", "{\"a\":\"yes\"}"},
    /* scalars and their styles */
    {"plain words\n", "\"plain words\""},
    {"a: '5'\nb: \"true\"\nc: null\nd: ~\ne:\nf: ''\n",
     "{\"a\":\"5\",\"b\":\"true\",\"c\":null,\"d\":null,\"e\":null,\"f\":\"\"}"},
    {"a: |\n  one\n  two\nb: >-\n  one\n  two\n", "{\"a\":\"one\\ntwo\\n\",\"b\":\"one two\"}"},
    {"a: \"x\\u00e9\\n\\x41\"\nb: 'it''s'\n", "{\"a\":\"x\xC3\xA9\\nA\",\"b\":\"it's\"}"},
    {"a: no\nb: on\nc: 1:30\nd: 2001-01-01\n",
     "{\"a\":\"no\",\"b\":\"on\",\"c\":\"1:30\",\"d\":\"2001-01-01\"}"},
    {"a: 0x1F\nb: 0o17\nc: .5\nd: 1.\ne: 1e3\n",
     "{\"a\":31,\"b\":15,\"c\":0.5,\"d\":1.0,\"e\":1e3}"},
    {"a: 5 # five\n# more\nb: x#y\n", "{\"a\":5,\"b\":\"x#y\"}"},
    /* tags of the core schema */
    {"a: !!str 5\nb: !!int \"5\"\nc: ! 5\nd: !!float 1\ne: !!bool \"true\"\nf: !!null ''\n",
     "{\"a\":\"5\",\"b\":5,\"c\":\"5\",\"d\":1,\"e\":true,\"f\":null}"},
    {"a: !!map {b: !!seq []}\n", "{\"a\":{\"b\":[]}}"},
    {"!!str 5: x\n", "{\"5\":\"x\"}"},
    /* anchors and aliases */
    {"a: &x [1]\nb: *x\nc: {d: *x}\n", "{\"a\":[1],\"b\":[1],\"c\":{\"d\":[1]}}"},
    {"a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}"},
    {"&k a: &v b\nc: *k\n*v : d\n", "{\"a\":\"b\",\"c\":\"a\",\"b\":\"d\"}"},
    {"a: &x [1, &y [2]]\nb: *y\n", "{\"a\":[1,[2]],\"b\":[2]}"},
    /* keys */
    {"'5': x\n\"<<\": y\non: z\n", "{\"5\":\"x\",\"<<\":\"y\",\"on\":\"z\"}"},
    {"? a\n: b\n", "{\"a\":\"b\"}"},
    /* a byte order mark, lines that end in CR LF */
    {"\xEF\xBB\xBF"
     "a: 1\n",
     "{\"a\":1}"},
    {"a: 1\r\nb: 2\r\n", "{\"a\":1,\"b\":2}"},
    {"a: x\ty\nb:\t5\n", "{\"a\":\"x\\ty\",\"b\":5}"},
};

TEST(yaml_reads_as_json)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        CHECK_STR(read_as(haft__str(values[i].yaml)), haft__str(values[i].json), "%s",
                  values[i].yaml);
    }
}

static const struct {
    const char *yaml, *problems;
} refused[] = {
    {"a:\n\tb: 1\n", "2:1: the line is indented with a tab (YAML is indented with spaces only)"},
    {"a:\n  b: 1\n \tc: 2\n",
     "3:2: the line is indented with a tab (YAML is indented with spaces only)"},
    {"haft: 1\n\tname: a\n",
     "2:1: the line is indented with a tab (YAML is indented with spaces only)"},
    {"a: b: c\n\t\nd: 1\n",
     "1:5: this is not YAML: invalid nested block mapping on the same line (quote text that has "
     "\": \" in it)"},
    {"a: b: c\n",
     "1:5: this is not YAML: invalid nested block mapping on the same line (quote text that has "
     "\": \" in it)"},
    {"a: [1, 2\n", "2:1: this is not YAML: flow sequence without a closing bracket (close every [ "
                   "with ] and every { with })"},
    {"\xEF\xBB\xBF"
     "\xC3\xA9: @b\n",
     "1:4: this is not YAML: plain scalar cannot start with '@' (quote text that starts with one "
     "of @ ` % & * ! | > ' \" # [ ] { } ,)"},
    {"a: \"x\n",
     "1:5: this is not YAML: double-quoted scalar without closing quote (close the quotes)"},
    {"a: |\nb: |0 x\n", "2:1: this is not YAML from here on"},
    /* features of YAML that JSON lacks */
    {"a: .inf\nb: -.INF\nc: .NaN\n",
     "1:4: found .inf, expected a number that JSON can represent (quote it if it is text)\n"
     "2:4: found -.INF, expected a number that JSON can represent (quote it if it is text)\n"
     "3:4: found .NaN, expected a number that JSON can represent (quote it if it is text)"},
    {"a: !foo 1\nb: !!binary x\nc: !bar [x]\n",
     "1:9: the tag !foo is not allowed in a spec (leave it out; !!str turns a number into text)\n"
     "2:13: the tag tag:yaml.org,2002:binary is not allowed in a spec (leave it out; !!str turns a "
     "number "
     "into text)\n"
     "3:9: the tag !bar is not allowed in a spec (leave it out; !!str turns a number into text)"},
    {"a: !!int x\nb: !!bool 1\nc: !!seq {}\nd: !!map x\n",
     "1:10: \"x\" is not a !!int\n2:11: \"1\" is not a !!bool\n3:10: a mapping is not a !!seq\n"
     "4:10: \"x\" is not a !!map"},
    {"x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n",
     "3:3: found the merge key <<, which YAML 1.2 does not have (write the keys out, or use an "
     "alias for the whole value)"},
    {"5: a\ntrue: b\n~: c\n", "1:1: the key 5 is a number, expected text (quote it: \"5\")\n"
                              "2:1: the key true is a boolean, expected text (quote it: \"true\")\n"
                              "3:1: the key ~ is null, expected text (quote it: \"~\")"},
    {"? [a]\n: b\n", "1:3: found a list where a key is expected, which must be text"},
    {"? {a: 1}\n: b\n", "1:3: found a mapping where a key is expected, which must be text"},
    {"a: &x 5\n*x : b\n", "2:1: the key *x is number, expected text"},
    {"a: 1\n---\nb: 2\n",
     "2:1: found a second document, expected one spec (put each spec into its own file)"},
    {"%YAML 1.1\n---\na: yes\n", "2:1: found YAML 1.1, expected YAML 1.2"},
    {"a: 0xFFFFFFFFFFFFFFFFF\n", "1:4: the number 0xFFFFFFFFFFFFFF... is too long"},
    /* aliases */
    {"a: &anchor 1\nb: *ancor\n",
     "2:4: the alias *ancor has no anchor before it (did you mean *anchor?)"},
    {"a: *x\n",
     "1:4: the alias *x has no anchor before it (for text that starts with *, quote it)"},
    {"*x : a\n",
     "1:1: the alias *x has no anchor before it (for text that starts with *, quote it)"},
    {"a: &x\n  b: [1, *x]\n",
     "2:10: the alias *x is inside the value it refers to (a spec cannot contain itself)"},
    /* duplicates, each with both places */
    {"a: 1\nb: 2\na: 3\n\"a\": {c: 1, c: 2}\n",
     "4:13: the key \"c\" is repeated; it is already at 4:7 (keep one of the two)\n"
     "3:1: the key \"a\" is repeated; it is already at 1:1 (keep one of the two)\n"
     "4:1: the key \"a\" is repeated; it is already at 1:1 (keep one of the two)"},
    /* nothing at all */
    {"", "1:1: the file is empty, expected a spec (the smallest spec is: model: offline)"},
    {" \n\t\n", "1:1: the file is empty, expected a spec (the smallest spec is: model: offline)"},
    {"# only this\n",
     "1:1: the file is empty, expected a spec (the smallest spec is: model: offline)"},
};

TEST(rejected_yaml_is_reported_with_its_location)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        CHECK_STR(read_as(haft__str(refused[i].yaml)), haft__str(refused[i].problems), "%s",
                  refused[i].yaml);
    }
}

TEST(expanded_aliases_count_as_values)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_addf(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
        haft__buf_addf(&text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++) {
            haft__buf_addf(&text, "%s*a%d", j > 0 ? ", " : "", i - 1);
        }
        haft__buf_addf(&text, "]\n");
    }
    haft_str found = read_as(haft__buf_str(&text));
    CHECK_STR(found,
              HAFT__LIT("6:15: the spec has more than 250000 values after expanding aliases "
                        "(nested aliases multiply; use fewer of them)"),
              "aliases that multiply their values");
    haft__buf_finish(&text);
}

TEST(an_alias_counts_for_the_depth)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_addf(&text, "a: &a ");
    for (int i = 0; i < 40; i++) {
        haft__buf_add_char(&text, '[');
    }
    for (int i = 0; i < 40; i++) {
        haft__buf_add_char(&text, ']');
    }
    size_t start = text.len;
    for (int deep = 0; deep < 2; deep++) {
        text.len = start;
        haft__buf_addf(&text, "\nb: ");
        for (int i = 0; i < 23 + deep; i++) {
            haft__buf_add_char(&text, '[');
        }
        haft__buf_addf(&text, "*a");
        for (int i = 0; i < 23 + deep; i++) {
            haft__buf_add_char(&text, ']');
        }
        haft_str found = read_as(haft__buf_str(&text));
        haft_str wanted = HAFT__LIT("2:28: the spec nests more than 64 levels deep");
        CHECK(haft__str_equal(found, wanted) == (deep == 1), "%d: %.*s", deep, HAFT__ARG(found));
    }
    haft__buf_finish(&text);
}

TEST(nesting_has_a_limit)
{
    for (int depth = 64; depth <= 65; depth++) {
        char text[200] = {0};
        for (int i = 0; i < depth; i++) {
            text[i] = '[';
            text[depth + i] = ']';
        }
        haft_str found = read_as(haft__str(text));
        haft_str wanted = HAFT__LIT("1:65: the spec nests more than 64 levels deep");
        CHECK(haft__str_equal(found, wanted) == (depth == 65), "%.*s", HAFT__ARG(found));
    }
}

TEST(values_have_a_limit)
{
    for (int more = 0; more <= 1; more++) {
        haft__buf text;
        haft__buf_init(&text, 4 << 20);
        haft__buf_addf(&text, "[");
        for (int i = 0; i < HAFT__LIMIT_SPEC_VALUES - 1 + more; i++) {
            haft__buf_addf(&text, "x,");
        }
        haft__buf_addf(&text, "]");
        haft_str found = read_as(haft__buf_str(&text));
        CHECK((found.ptr[0] == '[') == (more == 0), "%.80s", found.ptr);
        haft__buf_finish(&text);
    }
}

/* Numbers have the limit of JSON. */
TEST(numbers_have_a_limit)
{
    for (size_t length = 4094; length <= 4095; length++) {
        char text[5000];
        memset(text, '1', sizeof(text));
        haft_str found = read_as((haft_str){text, length});
        CHECK((found.len == length) == (length == 4094), "%zu: %.*s", length, HAFT__ARG(found));
    }
}

TEST(reading_yaml_survives_every_failed_allocation)
{
    haft_str text = HAFT__LIT("a: &x [0x1F, .5, {b: c}]\nd: *x\ne: 1\ne: 2\nf: *g\n");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__spec_problems problems;
        haft__spec_problems_init(&problems, &arena);
        haft__spec_document document;
        haft_error err = {.status = HAFT_OK};
        test_fail_allocation(n);
        haft_status status =
            haft__spec_parse(&arena, text, (haft__hash_key){1, 2}, &problems, &document, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            CHECK_INT(problems.count, 1, "one problem: an alias without an anchor");
        }
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
