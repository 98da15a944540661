/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/files/literals.c. */
#include "exec/files/literals.h"

#include "base/buf.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/files/regex.h"
#include "exec/files/scan.h"
#include "test.h"

/* Writes the needles with a space between them, "abc def", or "-" without needles. Bytes whose case
 * does not matter are written in capitals. */
static void describe(haft_str pattern, haft__buf *text)
{
    haft__literals literals;
    bool has = haft__literals_extract(pattern, &literals);
    for (size_t i = 0; has && i < literals.count; i++) {
        const haft__literal *needle = &literals.items[i];
        haft__buf_add_str(text, i > 0 ? HAFT__LIT(" ") : HAFT__LIT(""));
        for (size_t k = 0; k < needle->length; k++) {
            haft__buf_add_char(text, (char)(needle->text[k] & ~needle->ignored[k]));
        }
        CHECK(needle->rare[0] < needle->length && needle->rare[1] < needle->length,
              "a rare position is past the end of the needle");
        CHECK((needle->rare[0] == needle->rare[1]) == (needle->length == 1),
              "the rare positions are equal");
    }
    haft__buf_add_str(text, has ? HAFT__LIT("") : HAFT__LIT("-"));
}

TEST(the_literals_of_a_pattern_are_its_needles)
{
    static const struct {
        const char *pattern, *wanted;
    } cases[] = {
        {"", "-"},
        {"abc", "abc"},
        {"abc|de|f", "abc de f"},
        {"abc|", "-"},
        {"|abc", "-"},
        {"a|b|c|d|e|f|g|h", "a b c d e f g h"},
        {"a|b|c|d|e|f|g|h|i", "-"},
        {"ab.cde", "cde"},
        {"ab.cd", "ab"},
        {"^abc$", "abc"},
        {"a?", "-"},
        {"abc?", "ab"},
        {"abc*de", "ab"},
        {"abc+de", "abc"},
        {"abc+?de", "abc"},
        {"abc*+defg", "defg"},
        {"abc{0,3}d", "ab"},
        {"abc{3}12", "ab"},
        {"abc{,3}123", "123"},
        {"a{b}c", "a{b}c"},
        {"a{1", "a{1"},
        {"x\xc3\xa9?y", "x"},
        {"x\xc3\xa9y", "x\xc3\xa9y"},
        {"a\\.b\\[", "a.b["},
        {"a\\.*b\\|c", "b|c"},
        {"\\bword\\w+", "word"},
        {"\\d\\D\\w\\W\\s\\S\\h\\H\\v\\V\\t\\r\\f\\e\\a\\A\\z\\Z\\Bx", "x"},
        {"\\x41b", "-"},
        {"\\p{Lu}b", "-"},
        {"\\Qa.b\\E", "-"},
        {"a\\1", "-"},
        {"a\\Kbc", "-"},
        {"a\\", "-"},
        {"a\\\xc3\xa9", "-"},
        {"[abc]de", "de"},
        {"[^]abc]de", "de"},
        {"[]abc]de", "de"},
        {"[[:alpha:]]de[[:^digit:]x]", "de"},
        {"[[:x]de", "de"},
        {"[\\]abc]de", "de"},
        {"[\\Q]\\E]de", "-"},
        {"[\\c]]de", "-"},
        {"(abc)de", "de"},
        {"(?:abc|x(y)[)]\\))*de", "de"},
        {"(a", "-"},
        {"a)", "-"},
        {"(?=abc)de", "de"},
        {"(?#)x)de", "-"},
        {"(a(?#)x))de", "-"},
        {"(\\Q)\\E)de", "-"},
        {"(\\c))de", "-"},
        {"([\\Q)]\\E])de", "-"},
        {"(?i)Abc", "ABC"},
        {"(?i)ask.e", "A"},
        {"(?i)x1\xc3\xa9yz2", "YZ2"},
        {"(?i)-_K_-", "-_"},
        {"a(?i)b", "-"},
        {"(?i:ab)c", "c"},
        {"(?-i)ab", "-"},
        {"(?i", "-"},
        {"(?<name>x)de", "de"},
        {"0123456789abcdefgh", "0123456789abcdef"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf text;
        haft__buf_init(&text, 1000);
        describe(haft__str(cases[i].pattern), &text);
        CHECK_STR(haft__buf_str(&text), haft__str(cases[i].wanted), "%s", cases[i].pattern);
        haft__buf_finish(&text);
    }
}

TEST(rare_bytes_are_chosen)
{
    haft__literals literals;
    CHECK(haft__literals_extract(HAFT__LIT("seventeeZ"), &literals), "no needles");
    CHECK_INT(literals.items[0].rare[0], 8, "Z");
    CHECK_INT(literals.items[0].rare[1], 2, "v");
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 12;
}

static size_t compose(char *text, size_t size, const char *const *pieces, size_t count,
                      uint32_t *seed)
{
    size_t length = 0, wanted = 1 + next_random(seed) % 7;
    for (size_t i = 0; i < wanted; i++) {
        const char *piece = pieces[next_random(seed) % count];
        length += (size_t)snprintf(text + length, size - length, "%s", piece);
    }
    return length;
}

/* The invariant: a line that matches contains a needle. */
TEST(every_match_contains_a_needle)
{
    static const char *const parts[] = {"a",     "b",     "sk",   "K",      "\xc3\xa9",    ".",
                                        "?",     "*",     "+",    "{2}",    "{0,1}",       "|",
                                        "(a|b)", "(?:k)", "[ab]", "[^a]",   "[[:alpha:]]", "\\b",
                                        "\\w",   "\\.",   "(?i)", "(?=a)",  "(?i:b)",      "^",
                                        "$",     "\\d",   "{",    "(?<!b)", "[]a]",        "\\x61"};
    static const char *const words[] = {
        "a",        "b", "A", "B", "s",  "k", "S", "K", ".", "\xc3\xa9", "\xe2\x84\xaa",
        "\xc5\xbf", "{", "2", " ", "aa", "bb"};
    uint32_t seed = 7;
    size_t matches = 0;
    for (int i = 0; i < 4000; i++) {
        char pattern[128], line[128];
        haft__literals literals;
        haft__regex *regex = NULL;
        haft_str text = {pattern, compose(pattern, sizeof(pattern), parts, COUNT(parts), &seed)};
        if (haft__regex_create(text, &regex, NULL) != HAFT_OK
            || !haft__literals_extract(text, &literals)) {
            haft__regex_destroy(regex);
            continue;
        }
        for (int k = 0; k < 20; k++) {
            size_t at;
            haft_str subject = {line, compose(line, sizeof(line), words, COUNT(words), &seed)};
            if (haft__regex_find(regex, subject, 0, NULL, &at) == HAFT__REGEX_YES) {
                matches++;
                CHECK(haft__scan_literals(&literals, subject, 0) < subject.len, "%s in %s", pattern,
                      line);
            }
        }
        haft__regex_destroy(regex);
    }
    CHECK(matches > 1000, "too few matches: %zu", matches);
}
