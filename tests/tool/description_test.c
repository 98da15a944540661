/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/description.c. */
#include "tool/description.h"

#include "test.h"
#include "tool/builtin.h"

TEST(vague_descriptions_are_recognized)
{
    static const struct {
        const char *name, *description;
        haft__description_flaw wanted;
    } cases[] = {
        /* the examples of the documents */
        {"search", "Searches stuff.", HAFT__DESCRIPTION_FILLER},
        {"search_database", "Search the database for records matching a query.",
         HAFT__DESCRIPTION_OK},
        {"search_database", "Search the customer database for records matching the query.",
         HAFT__DESCRIPTION_OK},
        {"word_count", "Count the words of a text.", HAFT__DESCRIPTION_OK},
        {"weather", "Weather for a city.", HAFT__DESCRIPTION_OK},
        {"pick_file", "Let the user pick a file.", HAFT__DESCRIPTION_OK},
        /* short */
        {"search", "", HAFT__DESCRIPTION_TOO_SHORT},
        {"search", "...", HAFT__DESCRIPTION_TOO_SHORT},
        {"search", "Search.", HAFT__DESCRIPTION_TOO_SHORT},
        {"weather", "City weather", HAFT__DESCRIPTION_TOO_SHORT},
        {"x", "The tool", HAFT__DESCRIPTION_TOO_SHORT},
        /* fillers */
        {"get", "Gets data.", HAFT__DESCRIPTION_FILLER},
        {"process", "Processes the data and information.", HAFT__DESCRIPTION_FILLER},
        {"x", "Does various things with your files.", HAFT__DESCRIPTION_FILLER},
        {"x", "A tool that does SOMETHING useful.", HAFT__DESCRIPTION_FILLER},
        {"fetch", "Fetch data of customers from the billing service.", HAFT__DESCRIPTION_OK},
        {"list", "List the items of an invoice with their prices.", HAFT__DESCRIPTION_OK},
        /* no object */
        {"x", "This is a tool.", HAFT__DESCRIPTION_NO_OBJECT},
        {"x", "A tool that can be used to search.", HAFT__DESCRIPTION_NO_OBJECT},
        {"x", "It runs the task for you.", HAFT__DESCRIPTION_NO_OBJECT},
        /* only the name in other words */
        {"search_database", "Search the database.", HAFT__DESCRIPTION_REPEATS_NAME},
        {"docs:search_pages", "Searches the pages of docs.", HAFT__DESCRIPTION_REPEATS_NAME},
        {"search_database", "Search the database of customers.", HAFT__DESCRIPTION_OK},
        {"send_mail", "Send a mail to a customer.", HAFT__DESCRIPTION_OK},
        /* other languages */
        {"suche", "Durchsucht die Kundendatenbank nach passenden Eintr\xc3\xa4gen.",
         HAFT__DESCRIPTION_OK},
        {"search", "\xe6\x90\x9c\xe7\xb4\xa2\xe5\xae\xa2\xe6\x88\xb7\xe6\x95\xb0\xe6\x8d\xae",
         HAFT__DESCRIPTION_OK},
        {"search", "\xe6\x90\x9c\xe7\xb4\xa2", HAFT__DESCRIPTION_TOO_SHORT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__description_flaw found =
            haft__description_check(haft__str(cases[i].name), haft__str(cases[i].description));
        CHECK_INT(found, cases[i].wanted, "%s: %s", cases[i].name, cases[i].description);
    }
}

TEST(the_descriptions_of_the_builtins_are_not_vague)
{
    size_t count = 0;
    const haft__builtin *builtins = haft__builtins(&count);
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__str(builtins[i].name);
        haft__description_flaw found =
            haft__description_check(name, haft__str(builtins[i].description));
        CHECK_INT(found, HAFT__DESCRIPTION_OK, "%s", builtins[i].name);
    }
}

/* Longer words than the tables have, and more of them than are checked. */
TEST(long_descriptions_are_checked)
{
    static char text[4096];
    memset(text, 'w', sizeof(text));
    CHECK_INT(haft__description_check(HAFT__LIT("x"), (haft_str){text, sizeof(text)}),
              HAFT__DESCRIPTION_TOO_SHORT, "a description of one long word");
    for (size_t i = 5; i < sizeof(text); i += 6) {
        memcpy(text + i - 5, "stuff ", 6);
    }
    CHECK_INT(haft__description_check(HAFT__LIT("x"), (haft_str){text, 4092}), HAFT__DESCRIPTION_OK,
              "more words than are checked");
    CHECK_INT(haft__description_check(HAFT__LIT("x"), (haft_str){text, 63 * 6}),
              HAFT__DESCRIPTION_FILLER, "one word below the limit");
}

TEST(every_verdict_has_a_sentence)
{
    CHECK(haft__description_flaw_text(HAFT__DESCRIPTION_OK)[0] == '\0',
          "no text for a good description");
    static const struct {
        haft__description_flaw vague;
        const char *part;
    } cases[] = {
        {HAFT__DESCRIPTION_TOO_SHORT, "very short"},
        {HAFT__DESCRIPTION_FILLER, "filler words"},
        {HAFT__DESCRIPTION_NO_OBJECT, "name its object"},
        {HAFT__DESCRIPTION_REPEATS_NAME, "repeats the tool's name"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = haft__description_flaw_text(cases[i].vague);
        CHECK(strstr(text, cases[i].part) != NULL, "%s", text);
    }
}
