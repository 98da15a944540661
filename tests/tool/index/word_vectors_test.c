/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/word_vectors.c and similarity.c. */
#include "tool/index/word_vectors.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "tool/search_help.h"

static const char *const words[] = {"attend", "citi", "doctor", "physician", "visit", "weather"};
static const int8_t rows[] = {3,   88, 0, 0, 0, 0,  5, 80, 101, 0,   2,  2,
                              100, 3,  2, 1, 0, 90, 1, 0,  -50, -50, 70, 0};

static haft_str make_file(void)
{
    return search_table(words, rows, COUNT(words), 4);
}

TEST(words_have_vectors)
{
    haft__search_word_vectors vectors;
    haft_error err = {0};
    CHECK_INT(haft__search_word_vectors_open(make_file(), &vectors, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(vectors.count, COUNT(words), "number of words");
    for (size_t i = 0; i < COUNT(words); i++) {
        const int8_t *row = haft__search_word_vectors_find(&vectors, haft__str(words[i]));
        CHECK(row != NULL && memcmp(row, rows + 4 * i, 4) == 0, "%s", words[i]);
    }
    static const char *const others[] = {"", "a", "doctors", "doc", "zoo", "attends"};
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK(haft__search_word_vectors_find(&vectors, haft__str(others[i])) == NULL, "%s",
              others[i]);
    }
}

/* Files with one error each. */
TEST(damaged_tables_are_rejected)
{
    static const struct {
        size_t at;
        uint8_t byte;
        bool summed; /* the checksum is updated */
        const char *why;
    } cases[] = {
        {0, 'H', true, "it does not start with \"haftvec1\""},
        {7, '2', true, "it does not start with \"haftvec1\""},
        {8, 0, true, "its counts are not valid"},
        {10, 0x20, true, "its counts are not valid"},
        {12, 0, true, "its counts are not valid"},
        {12, 129, true, "its counts are not valid"},
        {12, 5, true, "its length does not match its header"},
        {19, 0xff, true, "its length does not match its header"},
        {24, 1, false, "its checksum does not match"},
        {70, 1, false, "its checksum does not match"},
        {32, 1, true, "a word lies outside the text"},
        {36, 200, true, "a word lies outside the text"},
        {39, 0x80, true, "a word lies outside the text"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str file = make_file();
        haft__search_word_vectors vectors;
        haft_error err = {0};
        char wanted[128];
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): a text that was made here */
        ((uint8_t *)(uintptr_t)file.ptr)[cases[i].at] = cases[i].byte;
        if (cases[i].summed) {
            search_sum(file);
        }
        CHECK_INT(haft__search_word_vectors_open(file, &vectors, &err), HAFT_BAD_INPUT, "case %zu",
                  i);
        (void)snprintf(wanted, sizeof(wanted), "not a valid table of vectors: %s", cases[i].why);
        CHECK_STR(haft__str(err.message), haft__str(wanted), "case %zu", i);
        CHECK_STR(haft__str(err.hint), HAFT__LIT("create one with scripts/make-vectors"),
                  "hint of the error");
    }
    haft_str file = make_file();
    for (size_t length = 0; length < file.len; length++) {
        haft__search_word_vectors vectors;
        CHECK_INT(haft__search_word_vectors_open((haft_str){file.ptr, length}, &vectors, NULL),
                  HAFT_BAD_INPUT, "truncated at %zu", length);
    }
}

TEST(tables_have_limits)
{
    haft_str file = make_file();
    haft__search_word_vectors vectors;
    haft_error err = {0};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a text that was made here */
    uint8_t *count = (uint8_t *)(uintptr_t)file.ptr + 8;
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t number = HAFT__LIMIT_SEARCH_VECTORS + more;
        for (size_t i = 0; i < 4; i++) {
            count[i] = (uint8_t)(number >> 8 * i);
        }
        CHECK_INT(haft__search_word_vectors_open(file, &vectors, &err), HAFT_BAD_INPUT, "number %u",
                  number);
        bool counts = strstr(err.message, "counts") != NULL;
        CHECK(counts == (more == 1), "%u: %s", number, err.message);
    }
}

TEST(words_with_a_similar_meaning_are_found)
{
    static const search_tool tools[] = {
        {"a", "visit_physician", "", "", NULL},
        {"b", "weather_of_city", "", "", NULL},
        {"c", "xylophone", "", "", NULL},
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(make_file(), &vectors, NULL) == HAFT_OK,
          "open the word vectors");
    haft__search_index *search = search_make(tools, COUNT(tools), &vectors);
    CHECK_STR(search_ids(search, HAFT__LIT("attend a doctor"), 5), HAFT__LIT("a:meaning"),
              "found by meaning");
    CHECK_STR(search_ids(search, HAFT__LIT("city of my doctor, my doctor"), 5),
              HAFT__LIT("b:name a:meaning"), "found by name and by meaning");
    CHECK_STR(search_ids(search, HAFT__LIT("xylophone"), 5), HAFT__LIT("c:exact name"),
              "found by exact name, without a vector");
    haft__search_destroy(search);
    search = search_make(tools, COUNT(tools), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("attend a doctor"), 5), HAFT__LIT(""),
              "without vectors");
    haft__search_destroy(search);
}

/* "mindmap" has no vector: the meaning of "create" alone must not decide. */
TEST(meaning_counts_in_proportion_to_the_words_that_have_vectors)
{
    static const search_tool tools[] = {
        {"container", "create-container", "docker", "Create a new standalone container.", NULL},
        {"containers", "list-containers", "docker", "List all containers.", NULL},
        {"mindmap", "markdown_to_mindmap", "maps", "Convert Markdown to a mindmap.", NULL},
        {"render", "render", "diagrams", "Draws a flowchart, a mindmap or a chart.", NULL},
    };
    static const struct {
        const char *query, *found;
    } cases[] = {
        {"create mindmap", "mindmap:name container:name render:text"},
        {"make me a mindmap", "mindmap:name render:text container:name"},
        {"create 12 containers", "container:name"}, /* a number changes nothing */
        {"create container", "container:exact name"},
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(test_read_file("share/haft/words.vec"), &vectors, NULL)
              == HAFT_OK,
          "open the word vectors");
    CHECK(haft__search_word_vectors_find(&vectors, HAFT__LIT("mindmap")) == NULL,
          "mindmap has no vector");
    haft__search_index *search = search_make(tools, COUNT(tools), &vectors);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), i < 2 ? 3 : 1),
                  haft__str(cases[i].found), "%s", cases[i].query);
    }
    haft__search_destroy(search);
}

/* Twelve tools of usual servers, none of which is about travel. */
static const search_tool office[] = {
    {"files:read_file", "read_file", "files", "Read the contents of a file.", NULL},
    {"files:write_file", "write_file", "files", "Write text to a file.", NULL},
    {"files:list_directory", "list_directory", "files", "List the files of a directory.", NULL},
    {"github:create_issue", "create_issue", "github", "Create an issue in a repository.", NULL},
    {"github:merge_pull_request", "merge_pull_request", "github", "Merge a pull request.", NULL},
    {"slack:post_message", "post_message", "slack", "Post a message to a channel.", NULL},
    {"db:query", "query", "db", "Run a read-only SQL statement.", NULL},
    {"db:list_tables", "list_tables", "db", "List the tables of the database.", NULL},
    {"k8s:scale", "scale", "k8s", "Set the number of pods of a deployment.", NULL},
    {"math:sqrt", "sqrt", "math", "Compute the square root of a number.", NULL},
    {"lint:check", "check", "lint", "Check the syntax of a program.", NULL},
    {"zip:compress", "compress", "zip", "Compress a folder into an archive.", NULL},
};

TEST(tools_that_have_nothing_to_do_with_a_query_are_not_found)
{
    static const struct {
        const char *query, *found;
    } cases[] = {
        /* no tool is relevant */
        {"book a flight", ""},
        {"order a pizza", ""},
        {"book a hotel room in Paris", ""},
        {"what will the weather be tomorrow", ""},
        {"play some music", ""},
        /* one tool is relevant, by a word among many others */
        {"I would love it if somebody could merge what my colleague wrote yesterday evening",
         "github:merge_pull_request:name"},
        /* by a synonym, and by meaning alone */
        {"make a folder smaller", "zip:compress:text"},
        {"arithmetic with integers", "math:sqrt:meaning"},
        /* by a part of a name, even if nothing else matches */
        {"dir", "files:list_directory:name"},
        {"direc", "files:list_directory:name"},
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(test_read_file("share/haft/words.vec"), &vectors, NULL)
              == HAFT_OK,
          "open the word vectors");
    haft__search_index *search = search_make(office, COUNT(office), &vectors);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), cases[i].found[0] != '\0' ? 1 : 12),
                  haft__str(cases[i].found), "%s", cases[i].query);
    }
    haft__search_destroy(search);
}

/* Without vectors, only words count: one of many words is weak evidence, but enough. */
TEST(one_matching_word_is_enough_without_vectors)
{
    haft__search_index *search = search_make(office, COUNT(office), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("book a flight"), 12), HAFT__LIT(""), "no word matches");
    CHECK_STR(search_ids(search, HAFT__LIT("please merge what my colleague wrote yesterday"), 12),
              HAFT__LIT("github:merge_pull_request:name"), "one word matches");
    haft__search_destroy(search);
}

/* Twelve unrelated tools of one server. */
static const search_tool util[] = {
    {"delete_file", "delete_file", "util", "Delete a file from the disk.", NULL},
    {"book_hotel", "book_hotel", "util", "Reserve a hotel room in a city.", NULL},
    {"send_email", "send_email", "util", "Send an email message to a person.", NULL},
    {"get_weather", "get_weather", "util", "Get the weather forecast of a city.", NULL},
    {"create_container", "create_container", "util", "Create a docker container.", NULL},
    {"list_issues", "list_issues", "util", "List issues of a repository.", NULL},
    {"calculate_sum", "calculate_sum", "util", "Calculate the sum of numbers.", NULL},
    {"create_mindmap", "create_mindmap", "util", "Draws a mindmap from a topic.", NULL},
    {"query_database", "query_database", "util", "Run a SQL query on the database.", NULL},
    {"translate_text", "translate_text", "util", "Translate text into another language.", NULL},
    {"play_music", "play_music", "util", "Play a song on the speaker.", NULL},
    {"resize_image", "resize_image", "util", "Resize an image file.", NULL},
};

/* A matching tool must not bring the other tools of its server into the results. Some of them are
 * similar to the query themselves. */
TEST(a_match_does_not_find_the_other_tools_of_its_server)
{
    static const struct {
        const char *query, *found, *found_without_vectors;
    } cases[] = {
        {"What is the weather?", "get_weather:name", "get_weather:name"},
        {"play some music", "play_music:name", "play_music:name"},
        {"translate this text", "translate_text:name", "translate_text:name"},
        {"list issues", "list_issues:exact name delete_file:meaning", "list_issues:exact name"},
        {"delete the file",
         "delete_file:name resize_image:text list_issues:meaning query_database:meaning",
         "delete_file:name resize_image:text"},
        {"please play what my colleague wrote yesterday",
         "play_music:name translate_text:meaning send_email:meaning", "play_music:name"},
        {"book a flight", "book_hotel:name translate_text:meaning", "book_hotel:name"},
        {"order a pizza", "", ""},
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(test_read_file("share/haft/words.vec"), &vectors, NULL)
              == HAFT_OK,
          "open the word vectors");
    haft__search_index *search = search_make(util, COUNT(util), &vectors);
    haft__search_index *plain = search_make(util, COUNT(util), NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str query = haft__str(cases[i].query);
        CHECK_STR(search_ids(search, query, COUNT(util)), haft__str(cases[i].found), "%s",
                  cases[i].query);
        CHECK_STR(search_ids(plain, query, COUNT(util)), haft__str(cases[i].found_without_vectors),
                  "without vectors: %s", cases[i].query);
    }
    haft__search_destroy(search);
    haft__search_destroy(plain);
}

/* The tools of a server that the query names are answers, the best of them first. */
TEST(a_query_that_names_a_server_finds_all_its_tools)
{
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(test_read_file("share/haft/words.vec"), &vectors, NULL)
              == HAFT_OK,
          "open the word vectors");
    for (size_t with = 0; with < 2; with++) {
        haft__search_index *search = search_make(util, COUNT(util), with > 0 ? &vectors : NULL);
        haft_str found = search_ids(search, HAFT__LIT("util issues"), COUNT(util));
        CHECK(haft__str_starts_with(found, HAFT__LIT("list_issues:server name ")),
              "the best tool comes first");
        for (size_t i = 0; i < COUNT(util); i++) {
            CHECK(haft__str_contains_ignore_case(found, haft__str(util[i].id)), "%s", util[i].id);
        }
        haft__search_destroy(search);
    }
}

TEST(an_invented_word_is_a_name)
{
    static const search_tool tools[] = {
        {"a", "champdex", "", "Statistics of players.", NULL},
        {"b", "weather", "", "Weather of a city, visit of weather.", NULL},
        {"c", "tira", "", "Use of many things, use it now.", NULL},
        {"d", "other", "", "Tira uses this.", NULL},
        {"e", "c++", "", "Compiles.", NULL},
        {"f", "c#", "", "Compiles, c compiles.", NULL},
    };
    static const struct {
        const char *query, *first;
    } cases[] = {
        {"please use champdex now", "a:exact name"},
        {"use champdex, now", "a:exact name"},
        {"visit the weather", "b:name"},   /* weather is an ordinary word */
        {"please use tira now", "c:text"}, /* two documents have it */
        {"c++", "e:exact name"},
        {"compile c#, please", "f:exact name"},
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(make_file(), &vectors, NULL) == HAFT_OK,
          "open the word vectors");
    haft__search_index *search = search_make(tools, COUNT(tools), &vectors);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), 1), haft__str(cases[i].first), "%s",
                  cases[i].query);
    }
    haft__search_destroy(search);
}

/* The table that is installed with haft. */
TEST(the_installed_table_is_valid)
{
    haft_str file = test_read_file("share/haft/words.vec");
    haft__search_word_vectors vectors;
    haft_error err = {0};
    CHECK_INT(haft__search_word_vectors_open(file, &vectors, &err), HAFT_OK, "%s", err.message);
    static const char *const some[] = {"file", "repositori", "json", "github", "messag"};
    for (size_t i = 0; i < COUNT(some) && err.status == HAFT_OK; i++) {
        CHECK(haft__search_word_vectors_find(&vectors, haft__str(some[i])) != NULL, "%s", some[i]);
    }
}
