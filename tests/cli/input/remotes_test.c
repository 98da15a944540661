/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/input/remotes.c. */
#include "cli/input/remotes.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char directory[64];

static void put_file(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "wbe");
    CHECK(file != NULL, "cannot open %s", path);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* DIR/outside.json, and DIR/in/..., which is the visible part. */
static void make_tree(void)
{
    (void)snprintf(directory, sizeof(directory), "/tmp/haft-remotes-test-XXXXXX");
    CHECK(mkdtemp(directory) != NULL, "cannot create a directory");
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/in", directory);
    (void)mkdir(path, 0700);
    put_file("outside.json", "1");
    put_file("in/good.json", "{\"type\":\"string\"}");
    put_file("in/bad.json", "{\"type\":");
    put_file("in/twice.json", "{\"a\":1,\"a\":2}");
    put_file("in/.hidden", "1");
}

static void remove_tree(void)
{
    static const char *const names[] = {"outside.json",  "in/good.json", "in/bad.json",
                                        "in/twice.json", "in/.hidden",   "in"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[256];
        (void)snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        (void)remove(path);
    }
    (void)rmdir(directory);
}

TEST(only_documents_below_the_directory_are_found)
{
    make_tree();
    char in[128];
    (void)snprintf(in, sizeof(in), "%s/in", directory);
    haft__remotes remotes;
    haft__remotes_init(&remotes, in, (haft__hash_key){1, 2});
    static const struct {
        const char *url;
        bool found, problem;
    } cases[] = {
        {"http://localhost:1234/good.json", true, false},
        {"http://localhost:1234/good.json", true, false}, /* cached since the first time */
        {"http://localhost:1234/absent.json", false, false},
        {"http://localhost:1234/bad.json", false, true},
        {"http://localhost:1234/twice.json", false, true},
        {"http://localhost:1234/../outside.json", false, false},
        {"http://localhost:1234/./good.json", false, false},
        {"http://localhost:1234//good.json", false, false},
        {"http://localhost:1234/.hidden", false, false},
        {"http://localhost:1234/good.json/", false, false},
        {"http://localhost:1234/", false, false},
        {"http://localhost:1235/good.json", false, false},
        {"file:///etc/passwd", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        remotes.problem = (haft_error){.status = HAFT_OK};
        const haft__json *found = haft__remotes_find(&remotes, haft__str(cases[i].url));
        CHECK_INT(found != NULL, cases[i].found, "whether %s is found", cases[i].url);
        CHECK_INT(remotes.problem.status != HAFT_OK, cases[i].problem, "%s: %s", cases[i].url,
                  remotes.problem.message);
    }
    haft__remotes_finish(&remotes);
    remove_tree();
}

TEST(a_bad_document_is_read_once_and_not_kept)
{
    make_tree();
    char in[128];
    (void)snprintf(in, sizeof(in), "%s/in", directory);
    haft__remotes remotes;
    haft__remotes_init(&remotes, in, (haft__hash_key){1, 2});
    haft_str url = HAFT__LIT("http://localhost:1234/bad.json");
    CHECK(haft__remotes_find(&remotes, url) == NULL, "the bad document was found");
    haft_error first = remotes.problem;
    CHECK_INT(first.status, HAFT_BAD_INPUT, "%s", first.message);
    put_file("in/bad.json", "true"); /* reading it again would be noticed */
    size_t allocations = test_allocation_count();
    for (int i = 0; i < 100; i++) {
        remotes.problem = (haft_error){.status = HAFT_OK};
        CHECK(haft__remotes_find(&remotes, url) == NULL,
              "the bad document was found the second time");
        CHECK_STR(haft__str(remotes.problem.message), haft__str(first.message),
                  "message the second time");
        CHECK_STR(haft__str(remotes.problem.where), haft__str(first.where),
                  "where the second time");
    }
    CHECK_INT(test_allocation_count(), allocations,
              "allocations for a document that is known to be bad");
    haft__remotes_finish(&remotes);
    remove_tree();
}

TEST(the_directory_must_exist)
{
    make_tree();
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/outside.json", directory);
    haft_error err = {0};
    CHECK_INT(haft__remotes_check(NULL, NULL), HAFT_OK, "without a directory");
    CHECK_INT(haft__remotes_check(directory, NULL), HAFT_OK, "%s", directory);
    CHECK_INT(haft__remotes_check(path, &err), HAFT_IO, "status of a file");
    CHECK_STR(haft__str(err.message), HAFT__LIT("is not a directory"), "message of a file");
    CHECK_INT(haft__remotes_check("/nonexistent", &err), HAFT_IO, "missing directory");
    CHECK_STR(haft__str(err.message), HAFT__LIT("cannot be opened: No such file or directory"),
              "missing directory");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/nonexistent"), "missing directory");
    remove_tree();
}

TEST(without_a_directory_no_document_is_found)
{
    haft__remotes remotes;
    haft__remotes_init(&remotes, NULL, (haft__hash_key){1, 2});
    CHECK(haft__remotes_find(&remotes, HAFT__LIT("http://localhost:1234/a")) == NULL,
          "a document was found");
    haft__remotes_finish(&remotes);
}

TEST(a_url_longer_than_a_path_can_be_is_not_found)
{
    char url[6000];
    memset(url, 'a', sizeof(url));
    memcpy(url, HAFT__REMOTES_URL, strlen(HAFT__REMOTES_URL));
    haft__remotes remotes;
    haft__remotes_init(&remotes, "/tmp", (haft__hash_key){1, 2});
    CHECK(haft__remotes_find(&remotes, (haft_str){url, sizeof(url)}) == NULL,
          "a document was found");
    haft__remotes_finish(&remotes);
}

TEST(out_of_memory_for_a_document_is_reported)
{
    make_tree();
    char in[128];
    (void)snprintf(in, sizeof(in), "%s/in", directory);
    for (unsigned n = 0;; n++) {
        haft__remotes remotes;
        haft__remotes_init(&remotes, in, (haft__hash_key){1, 2});
        test_fail_allocation(n);
        const haft__json *found =
            haft__remotes_find(&remotes, HAFT__LIT("http://localhost:1234/good.json"));
        bool failed = test_allow_allocations();
        CHECK_INT(found == NULL, failed, "allocation %u", n);
        CHECK_INT(remotes.problem.status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__remotes_finish(&remotes);
        if (!failed) {
            break;
        }
    }
    remove_tree();
}
