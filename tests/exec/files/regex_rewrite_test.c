/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/regex_rewrite.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/limits.h"
#include "test.h"

static haft_status rewrite(const char *pattern, char *to, size_t size, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, strlen(pattern) * HAFT__REGEX_REWRITE_GROWTH);
    haft_status status = haft__regex_rewrite_single_line(haft__str(pattern), &buf, err);
    (void)snprintf(to, size, "%.*s", HAFT__ARG(haft__buf_str(&buf)));
    haft__buf_finish(&buf);
    return status;
}

TEST(patterns_are_rewritten_so_that_they_stay_in_a_line)
{
    static const struct {
        const char *pattern, *wanted;
    } cases[] = {
        {"", ""},
        {"abc", "abc"},
        {"a.*b+c?d{2,3}|e", "a.*b+c?d{2,3}|e"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\\s\\W\\D\\H", "[^\\S\\n][^\\w\\n][^\\d\\n][^\\h\\n]"},
        {"\\d\\w\\S\\h\\b\\B\\V\\N\\K", "\\d\\w\\S\\h\\b\\B\\V\\N\\K"},
        {"\\Aa\\z\\Z$", "^a(?=\\r?$)(?=\\r?$)(?=\\r?$)"},
        {"\\v", "(?:(?!\\n)\\v)"},
        {"\\p{Lu}\\PL\\p{^L}x", "(?:(?!\\n)\\p{Lu})(?:(?!\\n)\\PL)(?:(?!\\n)\\p{^L})x"},
        {"\\x41\\x{42}\\o{103}\\0\\01\\101", "\\x41\\x{42}\\o{103}\\0\\01\\101"},
        {"(a)\\1\\g{1}\\k<n>", "(a)\\1\\g{1}\\k<n>"},
        {"\\cA\\c[x\\c\\x", "\\cA\\c[x\\c\\x"},
        {"\\Q[^\\s$\\E$", "\\Q[^\\s$\\E(?=\\r?$)"},
        {"\\Q[^", "\\Q[^"},
        {"\\w{2}[^x]", "\\w{2}[^\\nx]"},
        {"\\w{[^x]}", "\\w{[^\\nx]}"},
        {"\\[^$", "\\[^(?=\\r?$)"},
        /* classes */
        {"[abc][a-z]", "[abc][a-z]"},
        {"[]a][[]", "[]a][[]"},
        {"[^a]", "[^\\na]"},
        {"[^]a]", "[^\\n\\]a]"},
        {"[^-a]", "[^\\n\\-a]"},
        {"[^\\n]", "[^\\n\\n]"},
        {"[^[:space:]]x", "[^\\n[:space:]]x"},
        {"[\\w.-][\\d\\]]", "[\\w.-][\\d\\]]"},
        {"[ \\t]", "[ \\t]"},
        {"[\\t-\\r]", "(?:(?!\\n)[\\t-\\r])"},
        {"[\\s,]", "(?:(?!\\n)[\\s,])"},
        {"[\\s\\S]", "(?:(?!\\n)[\\s\\S])"},
        {"[\\r\\n]", "(?:(?!\\n)[\\r\\n])"},
        {"[\\x00-\\x1f]", "(?:(?!\\n)[\\x00-\\x1f])"},
        {"[\\W_]", "(?:(?!\\n)[\\W_])"},
        {"[[:space:]]", "(?:(?!\\n)[[:space:]])"},
        {"[[:x]a", "(?:(?!\\n)[[:x])a"},
        {"[\\w{]}", "[\\w{]}"},
        {"[\\p{L}]]", "(?:(?!\\n)[\\p{L}])]"},
        {"[\\Q]\\E]x", "(?:(?!\\n)[\\Q]\\E])x"},
        {"[^\\Q-\\Ea]", "(?:(?!\\n)[^\\Q-\\Ea])"},
        {"[\\E]a]x", "[\\E]a]x"},
        {"[\\E^\\Q\\E]a]x", "(?:(?!\\n)[\\E^\\Q\\E]a])x"},
        {"[\\c]]x", "(?:(?!\\n)[\\c]])x"},
        {"[$(]", "[$(]"},
        {"[[:<:]]a[[:>:]]", "[[:<:]]a[[:>:]]"},
        {"[\x01-z]", "(?:(?!\\n)[\x01-z])"},
        /* groups */
        {"(?:a)(?=b)(?!c)(?<=d)(?<!e)(?>f)(?|g)(?<n>h)(?P<m>i)(?'o'j)",
         "(?:a)(?=b)(?!c)(?<=d)(?<!e)(?>f)(?|g)(?<n>h)(?P<m>i)(?'o'j)"},
        {"(?i)a(?-i)b(?i:c)", "(?i)a(?-i)b(?i:c)"},
        {"(?s)a(?m:b)(?is-m)c", "(?)a(?:b)(?i-)c"},
        {"(?^)a(?^i:b)(?-x)", "(?^m)a(?^mi:b)(?-)"},
        {"(a)(?1)(?-1)(?R)?(?(1)b|c)", "(a)(?1)(?-1)(?R)?(?(1)b|c)"},
        {"a(?#[^\\s)+b", "a(?#[^\\s)+b"},
        {"\\(*", "\\(*"},
        {"a\\", "a\\"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char found[256] = "";
        haft_error err = {0};
        CHECK_INT(rewrite(cases[i].pattern, found, sizeof(found), &err), HAFT_OK, "%s: %s",
                  cases[i].pattern, err.message);
        CHECK_STR(haft__str(found), haft__str(cases[i].wanted), "%s", cases[i].pattern);
    }
}

TEST(a_pattern_with_a_line_feed_is_rejected)
{
    static const struct {
        const char *pattern;
        haft_status status;
        const char *message;
    } cases[] = {
        {"a\\nb", HAFT_BAD_INPUT,
         "the pattern contains a line feed (character 2), but each line is matched by itself"},
        {"\xc3\xa9\n", HAFT_BAD_INPUT,
         "the pattern contains a line feed (character 2), but each line is matched by itself"},
        {"\\Qa\nb\\E", HAFT_BAD_INPUT, NULL},
        {"\\x0a", HAFT_BAD_INPUT, NULL},
        {"\\x0A", HAFT_BAD_INPUT, NULL},
        {"\\x{00000000000a}", HAFT_BAD_INPUT, NULL},
        {"\\xa", HAFT_BAD_INPUT, NULL},
        {"\\012", HAFT_BAD_INPUT, NULL},
        {"\\12", HAFT_BAD_INPUT, NULL},
        {"\\o{12}", HAFT_BAD_INPUT, NULL},
        {"\\cJ", HAFT_BAD_INPUT, NULL},
        {"\\cj", HAFT_BAD_INPUT, NULL},
        {"a\\Rb", HAFT_UNSUPPORTED, "grep does not support '\\R' (character 2)"},
        {"\\X", HAFT_UNSUPPORTED, NULL},
        {"\\C", HAFT_UNSUPPORTED, NULL},
        {"\\G", HAFT_UNSUPPORTED, NULL},
        {"\\N{U+0a}", HAFT_UNSUPPORTED, "grep does not support '\\N{' (character 1)"},
        {"(?x)a", HAFT_UNSUPPORTED, "grep does not support '(?x' (character 1)"},
        {"(?ix:a)", HAFT_UNSUPPORTED, NULL},
        {"(?xx)a", HAFT_UNSUPPORTED, NULL},
        {"(?aD)", HAFT_UNSUPPORTED, NULL},
        {"(*UTF)a", HAFT_UNSUPPORTED, NULL},
        {"a(*ACCEPT)", HAFT_UNSUPPORTED, NULL},
        {"a(?C1)", HAFT_UNSUPPORTED, NULL},
        {"(?[a])", HAFT_UNSUPPORTED, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char found[256] = "";
        haft_error err = {0};
        CHECK_INT(rewrite(cases[i].pattern, found, sizeof(found), &err), cases[i].status, "%s",
                  cases[i].pattern);
        CHECK(err.hint[0] != '\0', "%s: no hint", cases[i].pattern);
        if (cases[i].message != NULL) {
            CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].pattern);
        }
    }
}

/* ---- a search of the whole text finds the same lines as a search of each line ---- */

static pcre2_code *compile(haft_str pattern, uint32_t options)
{
    int error;
    PCRE2_SIZE at;
    options |= PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, options, &error, &at, NULL);
    CHECK(code != NULL, "%.*s: error %d at %zu", HAFT__ARG(pattern), error, (size_t)at);
    return code;
}

static bool finds(const pcre2_code *code, haft_str text, size_t from, size_t *ret_at)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int found = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, from, 0, data, NULL);
    CHECK(found >= PCRE2_ERROR_NOMATCH, "error %d", found);
    *ret_at = found >= 0 ? pcre2_get_ovector_pointer(data)[0] : 0;
    pcre2_match_data_free(data);
    return found >= 0;
}

/* Writes a character for each line: x for a line that matches, - for another. */
static void by_lines(const char *pattern, haft_str text, char *lines)
{
    pcre2_code *code = compile(haft__str(pattern), 0);
    for (bool more = true; more; lines++) {
        size_t before = text.len, at;
        haft_str line = haft__str_split(&text, '\n');
        more = line.len < before;
        *lines = finds(code, line, 0, &at) ? 'x' : '-';
    }
    *lines = '\0';
    pcre2_code_free(code);
}

static void by_text(const char *pattern, haft_str text, char *lines)
{
    char rewritten[512];
    CHECK_INT(rewrite(pattern, rewritten, sizeof(rewritten), NULL), HAFT_OK, "%s", pattern);
    pcre2_code *code = compile(haft__str(rewritten), PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX);
    size_t number = 0, at = 0, from = 0;
    for (size_t i = 0; i <= text.len; i++) { /* one line more than line feeds */
        lines[number] = '-';
        number += i == text.len || text.ptr[i] == '\n';
    }
    lines[number] = '\0';
    while (from <= text.len && finds(code, text, from, &at)) {
        number = 0;
        for (size_t i = 0; i < at; i++) {
            number += text.ptr[i] == '\n';
        }
        lines[number] = 'x';
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        from = end != NULL ? (size_t)(end - text.ptr) + 1 : text.len + 1;
    }
    pcre2_code_free(code);
}

TEST(a_search_of_a_text_finds_the_same_lines_as_a_search_of_each_line)
{
    static const char *const texts[] = {
        "",
        "foo",
        "foo\nbar",
        "foo \n bar\n\nfoo\tbar\n\n",
        "aaa\nab\nba\nbbb\na b\n",
        "x=1\ny = 2\n\tz=3;\n// end\n",
        "\n\n\n",
        "\xc3\xa9t\xc3\xa9\nna\xc3\xafve\n\xff bad \xc3 \nok",
        "a\n-\nb-a\n]",
        "A1\nb2 \n c3\v\n\f",
    };
    static const char *const patterns[] = {
        "foo",
        "^foo",
        "foo$",
        "^$",
        "^",
        "$",
        "",
        "x*",
        "\\s",
        "\\s+$",
        "^\\s*$",
        "foo\\s*bar",
        "foo(?!\\s)",
        "foo(?=\\s)",
        "(?<!\\s)foo",
        "(?<=\\s)bar",
        "(?<!\\S)b",
        "[^a]b",
        "b[^a]*$",
        "[^a]",
        "^[^a]*$",
        "\\W",
        "\\W$",
        "^\\W",
        "a\\Wb",
        "\\D+\\d",
        "\\bfoo\\b",
        "\\Bo",
        "o\\B",
        "\\Afoo",
        "bar\\z",
        "bar\\Z",
        "(?s)foo.bar",
        "(?s).*",
        "(?m)^bar",
        "(?-m)^bar$",
        "(?s-m:^a.b)",
        "[\\s\\S]b",
        "[\\s\\S]*",
        "[\\s,]+b",
        "[\\W\\d]",
        "\\v",
        "\\p{Lu}",
        "\\P{L}",
        "[^\\w]$",
        "\\H",
        "(a|b)\\1",
        "(?>a+)b",
        "a++b",
        "foo\\s++$",
        "(?:\\s|^)a",
        "a(?:\\s|$)",
        "\\w+$",
        "^\\w+\\W",
        "\xc3\xa9",
        "(?i)\xc3\x89",
        "na.ve",
        "[\xc3\xa0-\xc3\xbf]",
        ".$",
        "^.{3}$",
        "^(?!.*a)",
        "^(?!a).*b",
        "(?<=^)a",
        "(?<!^)a",
        "[[:space:]]",
        "[^[:space:]]",
        "[^-a]",
        "[^]a]",
        "[\\x00-\\x1f]",
        "[\\t-\\r]",
        "(?=.*b)a",
        "b(?<=ab)",
        "\\Kfoo",
        "foo\\Kbar",
        "(?i)FOO|BAR",
        "(?^)^b",
        "(a(?1)?b)",
        "(?(?=a)ab|b)",
        "[^\\Q-\\E]a",
        "(?#[)b",
    };
    for (size_t p = 0; p < COUNT(patterns); p++) {
        for (size_t t = 0; t < COUNT(texts); t++) {
            char wanted[64], found[64];
            by_lines(patterns[p], haft__str(texts[t]), wanted);
            by_text(patterns[p], haft__str(texts[t]), found);
            CHECK_STR(haft__str(found), haft__str(wanted), "%s in '%s'", patterns[p], texts[t]);
        }
    }
}

TEST(a_line_may_end_in_cr_lf)
{
    char found[64];
    by_text("foo$", HAFT__LIT("foo\r\nfoo x\r\nfoo"), found);
    CHECK_STR(haft__str(found), HAFT__LIT("x-x"), "foo$");
    by_text("^$", HAFT__LIT("a\r\n\r\nb"), found);
    CHECK_STR(haft__str(found), HAFT__LIT("-x-"), "^$");
}

TEST(a_rewritten_pattern_stays_below_its_maximum_length)
{
    char pattern[64], found[1024];
    static const char *const pieces[] = {"$", "\\s", "\\v", "[\\s]", "[^a]", "\\z", "\\pL", "(?^)"};
    for (size_t i = 0; i < COUNT(pieces); i++) {
        size_t length = 0;
        while (length + strlen(pieces[i]) < sizeof(pattern)) {
            length += (size_t)snprintf(pattern + length, sizeof(pattern) - length, "%s", pieces[i]);
        }
        CHECK_INT(rewrite(pattern, found, sizeof(found), NULL), HAFT_OK, "%s", pieces[i]);
    }
}
