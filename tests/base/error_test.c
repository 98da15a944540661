/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/error.c. */
#include "base/error.h"

#include "base/utf8.h"
#include "test.h"

TEST(every_status_has_a_name_and_a_text)
{
    static const char *const names[] = {"OK",      "NO_MEMORY", "BAD_INPUT",   "BAD_STATE",
                                        "TOO_BIG", "NOT_FOUND", "UNSUPPORTED", "IO"};
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK_STR(haft__str(haft_status_name((haft_status)i)), haft__str(names[i]),
                  "name of status %zu", i);
        CHECK(strlen(haft_status_text((haft_status)i)) > 0, "status %zu has no text", i);
    }
    CHECK_STR(haft__str(haft_status_text(HAFT_TOO_BIG)), HAFT__LIT("a limit was reached"), "text");
    CHECK_STR(haft__str(haft_status_name((haft_status)COUNT(names))), HAFT__LIT("?"),
              "name of an unknown status");
    CHECK_STR(haft__str(haft_status_name((haft_status)-1)), HAFT__LIT("?"), "name of status -1");
    CHECK_STR(haft__str(haft_status_text((haft_status)-1)), HAFT__LIT("unknown status"),
              "text of status -1");
}

TEST(the_version_is_that_of_the_header)
{
    char made[32];
    (void)snprintf(made, sizeof(made), "%d.%d.%d", HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR,
                   HAFT_VERSION_PATCH);
    CHECK_STR(haft__str(haft_version()), HAFT__LIT(HAFT_VERSION), "version of the library");
    CHECK_STR(haft__str(made), HAFT__LIT(HAFT_VERSION), "version made of the three numbers");
}

TEST(fail_fills_everything_in)
{
    haft_error err;
    memset(&err, 'x', sizeof(err));
    haft_status status = haft__fail(&err, HAFT_BAD_INPUT, "/limit", "wanted %s, found %d", "x", 7);
    CHECK_INT(status, HAFT_BAD_INPUT, "returned status");
    CHECK_INT(err.status, HAFT_BAD_INPUT, "status");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/limit"), "where");
    CHECK_STR(haft__str(err.message), HAFT__LIT("wanted x, found 7"), "message");
    CHECK_STR(haft__str(err.hint), HAFT__LIT(""), "hint");
    CHECK_INT(haft__hint(&err, HAFT_IO, "try %d", 8), HAFT_BAD_INPUT, "hint keeps the status");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("try 8"), "hint");
    CHECK_INT(haft__fail_no_memory(&err), HAFT_NO_MEMORY, "status of haft__fail_no_memory");
    CHECK_STR(haft__str(err.hint), HAFT__LIT(""), "a new error has no old hint");
    CHECK_STR(haft__str(err.where), HAFT__LIT(""), "a new error has no old location");
}

TEST(without_an_error_only_the_status_is_returned)
{
    CHECK_INT(haft__fail(NULL, HAFT_IO, "", "lost"), HAFT_IO, "status of haft__fail");
    CHECK_INT(haft__hint(NULL, HAFT_TOO_BIG, "less"), HAFT_TOO_BIG, "status of haft__hint");
    CHECK_INT(haft__fail_no_memory(NULL), HAFT_NO_MEMORY, "status of haft__fail_no_memory");
    haft__error_prepend_location(NULL, "place");
}

TEST(locations_are_prepended)
{
    haft_error err;
    (void)haft__fail(&err, HAFT_BAD_INPUT, "3:4", "wanted x");
    haft__error_prepend_location(&err, "spec.yaml");
    CHECK_STR(haft__str(err.where), HAFT__LIT("spec.yaml:3:4"), "the file before the line");
    CHECK_STR(haft__str(err.message), HAFT__LIT("wanted x"), "the message stays");
    (void)haft__fail(&err, HAFT_BAD_INPUT, "", "wanted x");
    haft__error_prepend_location(&err, "spec.yaml");
    CHECK_STR(haft__str(err.where), HAFT__LIT("spec.yaml"), "the file alone");
}

/* Checks that `got`, a field of `size` bytes, is `unit` repeated `count` times, cut if needed. */
static void check_cut(const char *unit, size_t count, const char *got, size_t size)
{
    size_t unit_length = strlen(unit), length = unit_length * count;
    char *full = test_alloc(length + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(full + i * unit_length, unit, unit_length);
    }
    full[length] = '\0';
    if (length < size) {
        CHECK_STR(haft__str(got), haft__str(full), "%zu bytes in %zu", length, size);
        return;
    }
    size_t room = haft__utf8_floor(haft__str(full), size - sizeof("..."));
    CHECK_INT(strlen(got), room + 3, "%zu bytes in %zu", length, size);
    CHECK(memcmp(got, full, room) == 0, "%zu bytes in %zu: the start", length, size);
    CHECK_STR(haft__str(got + room), HAFT__LIT("..."), "%zu bytes in %zu: the end", length, size);
    CHECK(haft__utf8_valid(haft__str(got)), "%zu bytes in %zu: not UTF-8", length, size);
}

TEST(long_texts_are_cut_at_a_character)
{
    static const char *const units[] = {"x ", "\xC3\xA9 ", "\xE2\x82\xAC ", "\xF0\x9F\x94\xA7 "};
    for (size_t u = 0; u < COUNT(units); u++) {
        for (size_t count = 0; count <= 200; count++) {
            char text[5 * 200 + 1] = "";
            for (size_t i = 0; i < count; i++) {
                memcpy(text + i * strlen(units[u]), units[u], strlen(units[u]) + 1);
            }
            haft_error err;
            (void)haft__fail(&err, HAFT_BAD_INPUT, text, "%s", text);
            (void)haft__hint(&err, HAFT_BAD_INPUT, "%s", text);
            check_cut(units[u], count, err.where, sizeof(err.where));
            check_cut(units[u], count, err.message, sizeof(err.message));
            check_cut(units[u], count, err.hint, sizeof(err.hint));
        }
    }
}

TEST(half_a_word_is_not_shown)
{
    static const struct {
        size_t before, word; /* blanks, then the letters of one long word */
        size_t kept;         /* letters of the word that are shown */
    } rows[] = {
        {100, 91, 91}, /* it fits */
        {100, 92, 0},  {180, 300, 0}, {181, 300, 7}, {187, 300, 1}, {0, 300, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        haft_error err;
        memset(text, ' ', sizeof(text));
        memset(text + rows[i].before, 'w', rows[i].word);
        text[rows[i].before + rows[i].word] = '\0';
        (void)haft__fail(&err, HAFT_IO, "", "%s", text);
        (void)haft__hint(&err, HAFT_IO, "%s", text);
        for (int hint = 0; hint < 2; hint++) {
            const char *shown = hint ? err.hint : err.message;
            size_t kept = strspn(shown + strspn(shown, " "), "w");
            CHECK_INT(kept, rows[i].kept, "row %zu: %s", i, shown);
            CHECK_INT(haft__str_ends_with(haft__str(shown), HAFT__LIT("...")), kept != rows[i].word,
                      "row %zu: %s", i, shown);
        }
    }
}

TEST(a_long_location_is_cut_at_a_segment)
{
    haft_error err;
    (void)haft__fail(&err, HAFT_IO,
                     "/a_long_first_name/a_long_second_name/a_long_third_name/"
                     "a_long_fourth_name/a_fifth_name_that_does_not_fit",
                     "m");
    CHECK_STR(haft__str(err.where),
              HAFT__LIT("/a_long_first_name/a_long_second_name/"
                        "a_long_third_name/a_long_fourth_name/..."),
              "where");
}

TEST(invalid_utf8_is_masked)
{
    haft_error err;
    (void)haft__fail(&err, HAFT_BAD_INPUT, "\xFF", "found \x80\xC3\xA9\xC3");
    CHECK_STR(haft__str(err.where), HAFT__LIT("?"), "where");
    CHECK_STR(haft__str(err.message), HAFT__LIT("found ?\xC3\xA9?"), "message");
}

TEST(a_long_row_of_stray_bytes_does_not_swallow_the_text)
{
    char stray[300];
    memset(stray, 0x80, sizeof(stray) - 1);
    for (size_t i = 5; i < sizeof(stray); i += 6) {
        stray[i] = ' ';
    }
    stray[sizeof(stray) - 1] = '\0';
    haft_error err;
    (void)haft__fail(&err, HAFT_BAD_INPUT, "", "found %s", stray);
    CHECK_INT(strlen(err.message), sizeof(err.message) - 1, "length");
    CHECK(haft__str_starts_with(haft__str(err.message), HAFT__LIT("found ????")), "start of %s",
          err.message);
    CHECK(haft__str_ends_with(haft__str(err.message), HAFT__LIT("?...")), "end of %s", err.message);
}

TEST(a_format_that_cannot_be_printed_says_so)
{
    haft_error err;
    static const wchar_t unprintable[] = {0x7FFFFFFF, 0};
    (void)haft__fail(&err, HAFT_BAD_INPUT, "", "found %ls", unprintable);
    CHECK_STR(haft__str(err.message), HAFT__LIT("(a text that cannot be shown: found %ls)"),
              "message");
}
