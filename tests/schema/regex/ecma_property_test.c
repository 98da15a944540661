/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma_property.c: every name is known to PCRE2 or reported. */
#include "schema/ecma_help.h"
#include "schema/regex/pattern.h"

static const char *const keys[][4] = {
    [HAFT__ECMA_CATEGORY] = {"", "General_Category=", "gc="},
    [HAFT__ECMA_SCRIPT] = {"Script=", "sc=", "Script_Extensions=", "scx="},
    [HAFT__ECMA_BINARY] = {""},
};

/* Properties that PCRE2 10.42 (Unicode 14) does not support; later versions may. */
static const char *const too_new[] = {
    "Beria_Erfe",    "Garay",
    "Gurung_Khema",  "Kawi",
    "Kirat_Rai",     "Nag_Mundari",
    "Ol_Onal",       "Sidetic",
    "Sunuwar",       "Tai_Yo",
    "Todhri",        "Tolong_Siki",
    "Tulu_Tigalari", "Changes_When_NFKC_Casefolded",
};

static bool is_too_new(const char *name)
{
    for (size_t i = 0; i < COUNT(too_new); i++) {
        if (strcmp(too_new[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_name(haft__ecma_property_kind kind, const haft__ecma_property_names *row,
                       const char *name)
{
    for (size_t i = 0; i < COUNT(keys[kind]) && keys[kind][i] != NULL; i++) {
        for (size_t negated = 0; negated < 2; negated++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            char source[128];
            int length = snprintf(source, sizeof(source), "x\\%c{%s%s}", negated ? 'P' : 'p',
                                  keys[kind][i], name);
            const haft__pattern *pattern = NULL;
            haft_error err = {0};
            haft_status status =
                haft__pattern_compile(&arena, (haft_str){source, (size_t)length}, &pattern, &err);
            bool good =
                status == HAFT_OK
                || (status == HAFT_UNSUPPORTED && is_too_new(row->name[0])
                    && strstr(err.message, "is not supported by the installed PCRE2") != NULL);
            CHECK(good, "%s: %s %s", source, haft_status_name(status), err.message);
            haft__arena_finish(&arena);
        }
    }
}

static void check_kind(haft__ecma_property_kind kind, size_t min)
{
    size_t count;
    const haft__ecma_property_names *rows = haft__ecma_properties(kind, &count);
    CHECK(count >= min, "only %zu of %zu", count, min);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < COUNT(rows[i].name) && rows[i].name[j] != NULL; j++) {
            check_name(kind, &rows[i], rows[i].name[j]);
        }
    }
}

TEST(every_property_is_supported_by_pcre2_or_too_new_for_it)
{
    check_kind(HAFT__ECMA_CATEGORY, 38);
    check_kind(HAFT__ECMA_SCRIPT, 175);
    check_kind(HAFT__ECMA_BINARY, 53);
}

TEST(properties_match_characters_as_unicode_defines)
{
    static const struct {
        const char *name, *in, *out;
    } cases[] = {
        {"L", "\xCF\x80", "1"},
        {"LC", "a", "\xE5\xB9\xB4"},
        {"gc=Nd", "\xE0\xA7\xAA", "a"},
        {"digit", "7", "a"},
        {"punct", "!", "a"},
        {"cntrl", "\x01", "a"},
        {"Any", "a", NULL},
        {"Assigned", "a", "\xCD\xB8"},
        {"ASCII", "a", "\xC3\xA9"},
        {"Alpha", "\xC3\xA9", "1"},
        {"Emoji", "\xF0\x9F\x90\xB2", "a"},
        {"space", "\xC2\xA0", "a"},
        {"Script=Greek", "\xCF\x80", "a"},
        {"sc=Grek", "\xCF\x80",
         "\xCD\x82"}, /* a mark that is used in Greek but has another script */
        {"scx=Grek", "\xCD\x82", "a"},
        {"sc=Qaai", "\xCC\x81", "a"},
        {"Surrogate", NULL, "a"},
    };
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        char source[64];
        (void)snprintf(source, sizeof(source), "^\\p{%s}$", cases[i].name);
        const haft__pattern *pattern = NULL;
        haft_error err = {0};
        CHECK_INT(haft__pattern_compile(&arena, haft__str(source), &pattern, &err), HAFT_OK,
                  "%s: %s", source, err.message);
        if (pattern != NULL && cases[i].in != NULL) {
            CHECK_INT(haft__pattern_match(pattern, scratch, haft__str(cases[i].in)),
                      HAFT__PATTERN_YES, "%s on %s", source, cases[i].in);
        }
        if (pattern != NULL && cases[i].out != NULL) {
            CHECK_INT(haft__pattern_match(pattern, scratch, haft__str(cases[i].out)),
                      HAFT__PATTERN_NO, "%s on %s", source, cases[i].out);
        }
        haft__arena_finish(&arena);
    }
    haft__pattern_scratch_destroy(scratch);
}

TEST(names_of_properties_are_exact)
{
    static const char *const names[] = {
        "",        "letter",   "LETTER", "l",       " L",       "L ",    "gc=",    "=L",
        "gc=l",    "gc=Greek", "gc:L",   "sc=L",    "sc=greek", "Greek", "IsL",    "Lu=L",
        "Alpha=Y", "L&",       "Script", "sc=Hrkt", "Xan",      "^L",    "gc=L=L", "Block=Thai",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__buf buf;
        haft__buf_init(&buf, HELP_BYTES);
        CHECK(!haft__ecma_property(haft__str(names[i]), false, &buf), "%s", names[i]);
        CHECK_INT(buf.len, 0, "%s wrote something", names[i]);
        haft__buf_finish(&buf);
    }
}

TEST(the_intended_name_is_suggested)
{
    static const help_case cases[] = {
        {"Leter", "did you mean \\p{Letter}?"},
        {"alphabetic", "did you mean \\p{Alphabetic}?"},
        {"greek", "did you mean \\p{Script=Greek}?"},
        {"Script=greek", "did you mean \\p{Script=Greek}?"},
        {"gc=letter", "did you mean \\p{Letter}?"},
        {"qwertyuiop", "names are spelled as in Unicode: \\p{Letter}, \\p{L}, \\p{Script=Greek}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {.status = HAFT_BAD_INPUT};
        CHECK_INT(haft__ecma_hint_property(haft__str(cases[i].source), HAFT_BAD_INPUT, &err),
                  HAFT_BAD_INPUT, "the status stays the same");
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].want), "%s", cases[i].source);
    }
}
