/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/search.c: adding and removing documents leaves no trace. */
#include "tool/index/search.h"

#include "test.h"
#include "tool/index/search_int.h"
#include "tool/search_help.h"

static const char *const some_words[] = {"create", "issue", "read",   "file",    "list", "user",
                                         "send",   "mail",  "delete", "weather", "city", "table"};

/* One of 40 tools, made from a number, in one of 3 versions. */
static search_tool make_tool(uint32_t which, uint32_t version, char space[4][96])
{
    uint32_t seed = which * 31 + version * 7 + 5;
    const char *w[6];
    for (size_t i = 0; i < COUNT(w); i++) {
        seed = seed * 1664525U + 1013904223U;
        w[i] = some_words[(seed >> 8) % COUNT(some_words)];
    }
    (void)snprintf(space[0], sizeof(space[0]), "id%u", which);
    (void)snprintf(space[1], sizeof(space[1]), "%s_%s", w[0], w[1]);
    (void)snprintf(space[2], sizeof(space[2]), "%s the %s of a %s, %s", w[2], w[3], w[4], w[5]);
    (void)snprintf(space[3], sizeof(space[3]), "{\"properties\":{\"%s\":{\"enum\":[\"%s\"]}}}",
                   w[5], w[0]);
    static const char *const groups[] = {"", "hub", "mail_box", "mail_box"};
    return (search_tool){space[0], space[1], groups[(which + version) % 4], space[2], space[3]};
}

static const char *const queries[] = {"create an issue",
                                      "send mail to the user, then list files",
                                      "mailbox",
                                      "weather",
                                      "wether city",
                                      "create_issue",
                                      "tab"};

/* The same documents in another order make the same index. */
static void check_against_fresh(const haft__search_index *search, const int *versions, size_t count,
                                const haft__search_word_vectors *vectors, uint32_t round)
{
    haft__search_index *fresh = search_make(NULL, 0, vectors);
    for (size_t i = count; i-- > 0;) {
        char space[4][96];
        search_tool tool = make_tool((uint32_t)i, (uint32_t)versions[i], space);
        CHECK(versions[i] < 0 || search_add(fresh, &tool) == HAFT_OK, "add the document");
    }
    CHECK_INT(haft__search_count(search), haft__search_count(fresh),
              "round %u: number of documents", round);
    CHECK_INT(search->term_table.count, fresh->term_table.count, "words, round %u", round);
    CHECK_INT(search->group_table.count, fresh->group_table.count, "groups, round %u", round);
    for (size_t i = 0; i < COUNT(queries); i++) {
        haft_str query = haft__str(queries[i]);
        CHECK_STR(search_scores(search, query, 50), search_scores(fresh, query, 50), "round %u: %s",
                  round, queries[i]);
    }
    haft__search_destroy(fresh);
}

static void add_and_remove(const haft__search_word_vectors *vectors)
{
    int versions[40];
    uint32_t seed = 11;
    haft__search_index *search = search_make(NULL, 0, vectors);
    memset(versions, 0xff, sizeof(versions));
    for (uint32_t round = 0; round < 600; round++) {
        char space[4][96];
        seed = seed * 1664525U + 1013904223U;
        uint32_t which = (seed >> 8) % COUNT(versions), version = (seed >> 24) % 3;
        search_tool tool = make_tool(which, version, space);
        if ((seed >> 16) % 5 < 2) {
            bool removed = haft__search_remove(search, haft__str(tool.id));
            CHECK(removed == (versions[which] >= 0), "round %u: whether a document was removed",
                  round);
            versions[which] = -1;
        } else {
            CHECK(search_add(search, &tool) == HAFT_OK, "round %u: add a document", round);
            versions[which] = (int)version;
        }
        if (round % 20 == 0) {
            check_against_fresh(search, versions, COUNT(versions), vectors, round);
        }
    }
    for (uint32_t i = 0; i < COUNT(versions); i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "id%u", i);
        (void)haft__search_remove(search, haft__str(id));
    }
    CHECK_INT(search->term_table.count + search->group_table.count, 0, "entries are left");
    CHECK_STR(search_ids(search, HAFT__LIT("create issue"), 5), HAFT__LIT(""), "an empty index");
    haft__search_destroy(search);
}

TEST(earlier_documents_change_no_score)
{
    add_and_remove(NULL);
}

static const char *const vector_words[] = {"citi", "creat", "delet", "file", "issu", "mail"};
static const int8_t vector_rows[] = {10, 0, 3, 0, 90, 2, 0, 80, 1, -7, 5, 60, 30, 30, 1, 0, 0, 44};

TEST(earlier_vectors_change_no_score)
{
    haft__search_word_vectors vectors;
    haft_str file = search_table(vector_words, vector_rows, COUNT(vector_words), 3);
    CHECK(haft__search_word_vectors_open(file, &vectors, NULL) == HAFT_OK, "open the word vectors");
    add_and_remove(&vectors);
}

TEST(documents_need_an_id)
{
    haft__search_index *search = search_make(NULL, 0, NULL);
    haft_error err = {0};
    haft__search_doc doc = {.name = HAFT__LIT("x")};
    CHECK_INT(haft__search_add(search, &doc, &err), HAFT_BAD_INPUT, "a document without an id");
    CHECK_STR(haft__str(err.message), HAFT__LIT("expected an id, found none"), "error message");
    CHECK(!haft__search_remove(search, HAFT__LIT("")), "an empty id removes nothing");
    haft__search_destroy(search);
    haft__search_destroy(NULL);
}

TEST(an_index_has_a_limit)
{
    search_tool tool = {"a", "tool", "", "", NULL}, last = {"b", "tool", "", "", NULL};
    haft__search_index *search = search_make(&tool, 1, NULL);
    haft_error err = {0};
    search->doc_table.count = HAFT__LIMIT_SEARCH_DOCS - 1;
    CHECK_INT(search_add(search, &last), HAFT_OK, "at the limit");
    CHECK_INT(search_add(search, &tool), HAFT_OK, "a known id replaces its document");
    haft__search_doc doc = {.id = HAFT__LIT("c")};
    CHECK_INT(haft__search_add(search, &doc, &err), HAFT_TOO_BIG, "past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("more than 1000000 documents in one index"),
              "error message");
    haft__search_destroy(search);
}

/* If an add fails, the index answers as before. */
TEST(a_failed_add_changes_nothing)
{
    search_tool tools[] = {{"a", "create_issue", "hub", "Makes an issue.", NULL},
                           {"b", "read_file", "disk", "Reads a file.", NULL}};
    search_tool more[] = {{"a", "send_mail", "post", "Sends letters to people.", NULL},
                          {"c", "list_mail", "post", "Lists letters of people.", NULL}};
    haft__search_word_vectors vectors;
    haft_str file = search_table(vector_words, vector_rows, COUNT(vector_words), 3);
    CHECK(haft__search_word_vectors_open(file, &vectors, NULL) == HAFT_OK, "open the word vectors");
    haft_str query = HAFT__LIT("create issue, read file, mail to people");
    for (size_t i = 0; i < COUNT(more); i++) {
        for (unsigned n = 0;; n++) {
            haft__search_index *search = search_make(tools, COUNT(tools), &vectors);
            haft_str before = search_scores(search, query, 5);
            uint32_t words = search->term_table.count, groups = search->group_table.count;
            test_fail_allocation(n);
            haft_status status = search_add(search, &more[i]);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
            if (failed) {
                CHECK_STR(search_scores(search, query, 5), before, "allocation %u", n);
                CHECK_INT(search->term_table.count, words, "words, allocation %u", n);
                CHECK_INT(search->group_table.count, groups, "groups, allocation %u", n);
            }
            haft__search_destroy(search);
            if (!failed) {
                break;
            }
        }
    }
}

TEST(no_index_is_created_without_memory)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *search = NULL;
    test_fail_allocation(0);
    haft_status status = haft__search_create(&options, &search, NULL);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY && search == NULL,
          "no index without memory");
}

TEST(hostile_documents_are_accepted)
{
    size_t size = 1 << 20;
    char *text = test_alloc(size);
    uint32_t seed = 1;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525U + 1013904223U;
        text[i] = (char)(seed >> 24);
    }
    haft__search_index *search = search_make(NULL, 0, NULL);
    haft__search_doc docs[] = {
        {.id = {text, size}, .name = {text, size}, .group = {text, size}, .text = {text, size}},
        {.id = HAFT__LIT("empty")},
        {.id = HAFT__LIT("\0\0"), .name = HAFT__LIT("\xff\xff"), .text = HAFT__LIT("\0")},
    };
    for (size_t i = 0; i < COUNT(docs); i++) {
        CHECK(haft__search_add(search, &docs[i], NULL) == HAFT_OK, "document %zu", i);
    }
    (void)search_ids(search, (haft_str){text, size}, 10);
    for (size_t i = 0; i < COUNT(docs); i++) {
        CHECK(haft__search_remove(search, docs[i].id), "document %zu", i);
    }
    CHECK_INT(search->term_table.count, 0, "words are left");
    haft__search_destroy(search);
}
