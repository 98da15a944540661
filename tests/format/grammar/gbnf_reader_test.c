/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/grammar/gbnf_reader.c and gbnf_matcher.c. */
#include "format/grammar/gbnf_reader.h"

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"

/* ---- grammars that llama.cpp rejects ---- */

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "no root"},
    {"a ::= \"x\"", "no root"},
    {"::= \"x\"", "expected a name"},
    {"root = \"x\"", "expected ::= after a name"},
    {"root ::= \"x\"\nroot ::= \"y\"", "a rule is defined twice"},
    {"root ::= other", "a rule is not defined"},
    {"root ::= \"x", "an open literal, or bad UTF-8"},
    {"root ::= \"x\n\"", "an open literal, or bad UTF-8"},
    {"root ::= \"\xFF\"", "an open literal, or bad UTF-8"},
    {"root ::= \"\\q\"", "invalid escape"},
    {"root ::= \"\\x4g\"", "a bad escape"},
    {"root ::= \"\\u12", "a bad escape"},
    {"root ::= [z-a]", "a range that ends before it begins"},
    {"root ::= []", "an empty class"},
    {"root ::= [a", "an open literal, or bad UTF-8"},
    {"root ::= ( \"a\"", "a group that is not closed"},
    {"root ::= \"a\" )", "unexpected text after a rule"},
    {"root ::= *", "nothing to repeat"},
    {"root ::= ( | ? )", "nothing to repeat"},
    {"root ::= \"a\"{x}", "expected a number"},
    {"root ::= \"a\"{1", "a count that is not closed"},
    {"root ::= \"a\"{1,x}", "expected a number"},
    {"root ::= \"a\"{2001}", "a count that is too large"},
    {"root ::= \"a\"{0,2001}", "a count that is too large"},
    {"root ::= \"a\"{3,2}", "a count that is too large"},
    {"root ::= \"a\" = \"b\"", "unexpected character"},
    {"root ::= root \"a\"", "left recursion"},
    {"root ::= a\na ::= \"x\"? b\nb ::= a | \"y\"", "left recursion"},
    {"root ::= (\"a\"?)*", "left recursion"},
    {"root ::= (\"a\"?)", NULL},
};

TEST(invalid_grammar_is_reported)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft_error err = {0};
        const haft__gbnf_grammar *rules = NULL;
        haft__arena_init(&arena, 0);
        haft_status status = haft__gbnf_read(&arena, haft__str(bad[i].text), &rules, &err);
        CHECK_INT(status, bad[i].why != NULL ? HAFT_BAD_INPUT : HAFT_OK, "%s: %s", bad[i].text,
                  err.message);
        CHECK_STR(haft__str(err.message), haft__str(bad[i].why != NULL ? bad[i].why : ""), "%s",
                  bad[i].text);
        haft__arena_finish(&arena);
    }
}

TEST(groups_that_nest_too_deep_are_rejected)
{
    for (unsigned deep = 201; deep <= 202; deep++) {
        haft__arena arena;
        haft__buf text;
        const haft__gbnf_grammar *rules = NULL;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1 << 16);
        haft__buf_addf(&text, "root ::= ");
        for (unsigned i = 0; i < deep; i++) {
            haft__buf_addf(&text, "(");
        }
        haft__buf_addf(&text, "\"a\"");
        for (unsigned i = 0; i < deep; i++) {
            haft__buf_addf(&text, ")");
        }
        CHECK_INT(haft__gbnf_read(&arena, haft__buf_str(&text), &rules, NULL),
                  deep == 201 ? HAFT_OK : HAFT_BAD_INPUT, "%u groups", deep);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

/* A very long chain of rules: each rule begins with the next one. */
TEST(long_chains_of_rules_are_rejected)
{
    haft__arena arena;
    haft__buf text;
    const haft__gbnf_grammar *rules = NULL;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 1 << 20);
    haft__buf_addf(&text, "root ::= a0\n");
    for (unsigned i = 0; i < 1200; i++) {
        haft__buf_addf(&text, "a%u ::= a%u\n", i, i + 1);
    }
    haft__buf_addf(&text, "a1200 ::= \"x\"\n");
    CHECK_INT(haft__gbnf_read(&arena, haft__buf_str(&text), &rules, NULL), HAFT_BAD_INPUT,
              "a chain that is too long");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

TEST(a_grammar_past_its_memory_limit_is_rejected)
{
    haft__arena arena;
    const haft__gbnf_grammar *rules = NULL;
    haft__arena_init(&arena, 4096);
    CHECK_INT(haft__gbnf_read(&arena, HAFT__LIT("root ::= \"a\"{0,2000}"), &rules, NULL),
              HAFT_TOO_BIG, "a grammar that is too large");
    haft__arena_finish(&arena);
}

/* ---- texts that a grammar accepts ---- */

static const struct {
    const char *grammar, *text;
    bool accepts, begins;
} texts[] = {
    {"root ::= \"ab\"", "ab", true, true},
    {"root ::= \"ab\"", "a", false, true},
    {"root ::= \"ab\"", "", false, true},
    {"root ::= \"ab\"", "abc", false, false},
    {"root ::= \"ab\"", "x", false, false},
    {"root ::= \"\"", "", true, true},
    {"# a word\nroot ::= a b # and\na ::= \"a\" | \"A\"\n\nb ::= [x-z]\r\n", "Ay", true, true},
    {"root ::= [^a-c\\]]", "d", true, true},
    {"root ::= [^a-c\\]]", "]", false, false},
    {"root ::= [a-]", "-", true, true},
    {"root ::= \"\\x41\\u00e9\\U0001F600\\t\\r\\n\\\\\\\"\\[\\]\"",
     "A\xC3\xA9\xF0\x9F\x98\x80\t\r\n\\\"[]", true, true},
    {"root ::= \"a\"* \"b\"+ \"c\"?", "aabbc", true, true},
    {"root ::= \"a\"* \"b\"+ \"c\"?", "b", true, true},
    {"root ::= \"a\"* \"b\"+ \"c\"?", "aa", false, true},
    {"root ::= \"a\"{2}", "aa", true, true},
    {"root ::= \"a\"{2}", "aaa", false, false},
    {"root ::= \"a\"{1,3}", "aaa", true, true},
    {"root ::= \"a\"{1,3}", "aaaa", false, false},
    {"root ::= \"a\"{2,}", "aaaaa", true, true},
    {"root ::= \"a\"{0} \"b\"", "b", true, true},
    {"root ::= (\"a\" |\n \"b\")+", "abba", true, true},
    {"root ::= \"(\" root? \")\"", "((()))", true, true},
    {"root ::= \"(\" root? \")\"", "(()", false, true},
    {"root ::= \"a\"", "\xFF", false, false},
};

TEST(texts_are_accepted_or_not)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft_error err = {0};
        const haft__gbnf_grammar *rules = NULL;
        bool found = false;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__gbnf_read(&arena, haft__str(texts[i].grammar), &rules, &err), HAFT_OK,
                  "%s: %s", texts[i].grammar, err.message);
        CHECK_INT(haft__gbnf_match(rules, haft__str(texts[i].text), false, &found, &err), HAFT_OK,
                  "%s", err.message);
        CHECK_INT(found, texts[i].accepts, "'%s' is a text of %s", texts[i].text, texts[i].grammar);
        CHECK_INT(haft__gbnf_match(rules, haft__str(texts[i].text), true, &found, &err), HAFT_OK,
                  "%s", err.message);
        CHECK_INT(found, texts[i].begins, "'%s' begins a text of %s", texts[i].text,
                  texts[i].grammar);
        haft__arena_finish(&arena);
    }
}

TEST(a_failed_allocation_is_reported)
{
    static const char grammar[] =
        "root ::= (a | \"b\"{2,90} | [c-e]+)* \"0123456789abcdef\"\na ::= \"x\"\n";
    static const char text[] = "bbbbbbbbbbbbbbcdecdecdecdecdecdecde0123456789abcdef";
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        const haft__gbnf_grammar *rules = NULL;
        bool found = false;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__gbnf_read(&arena, haft__str(grammar), &rules, NULL);
        if (status == HAFT_OK) {
            status = haft__gbnf_match(rules, haft__str(text), false, &found, NULL);
        }
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK(failed || found, "the text is rejected");
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
