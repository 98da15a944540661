/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/embeddings/backoff.c: a written backoff is read; an invalid one is not. */
#include "exec/embeddings/backoff.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "io/file.h"
#include "test.h"

#define NOW 1700000000000U

typedef struct read_case {
    const char *text;
    bool found;
    uint64_t remaining_ms;
    size_t batch;
    const char *reason;
} read_case;

static const read_case cases[] = {
    {"haft-slow 1\n1700000000001\n8\nit hangs", true, 1, 8, "it hangs"},
    {"haft-slow 1\n1700000030000\n32\n", true, 30000, 32, ""},
    {"haft-slow 1\n1700000000000\n1\nover", true, 0, 1, "over"},
    {"haft-slow 1\n1700000030001\n1\nthe clock was set back", true, 0, 1, "the clock was set back"},
    {"haft-slow 1\n1700000000001\n33\nx", false, 0, 0, ""},
    {"haft-slow 1\n1700000000001\n0\nx", false, 0, 0, ""},
    {"haft-slow 1\nsoon\n8\nx", false, 0, 0, ""},
    {"haft-slow 2\n1700000000001\n8\nx", false, 0, 0, ""},
    {"haft-slow 1", false, 0, 0, ""},
    {"", false, 0, 0, ""},
};

TEST(the_backoff_of_a_slow_server_is_stored)
{
    haft__arena arena;
    char place[64];
    CHECK_INT(HAFT__LIMIT_EMBED_COOLDOWN_MS, 30000, "the rows contain this limit, and one more");
    CHECK_INT(HAFT__LIMIT_EMBED_BATCH, 32, "the rows contain this limit, and one more");
    (void)snprintf(place, sizeof(place), "/tmp/haft-slow-test-XXXXXX");
    CHECK(mkdtemp(place) != NULL, "no directory");
    haft__arena_init(&arena, 0);
    haft_str path = haft__arena_format(&arena, "%s/slow", place);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__embedding_backoff slow = {0};
        CHECK_INT(haft__file_replace(path.ptr, haft__str(cases[i].text), NULL), HAFT_OK,
                  "the file cannot be written");
        CHECK(haft__embedding_backoff_read(&arena, path, NOW, &slow) == cases[i].found, "%s",
              cases[i].text);
        CHECK_INT(slow.remaining_ms, cases[i].remaining_ms, "%s", cases[i].text);
        CHECK_INT(slow.batch, cases[i].batch, "%s", cases[i].text);
        CHECK_STR(slow.reason, haft__str(cases[i].reason), "%s", cases[i].text);
        haft__embedding_backoff again = {0};
        if (cases[i].found) {
            CHECK(haft__embedding_backoff_write(path, NOW, &slow), "%s", cases[i].text);
            CHECK(haft__embedding_backoff_read(&arena, path, NOW, &again), "%s", cases[i].text);
            CHECK_INT(again.remaining_ms, slow.remaining_ms, "%s", cases[i].text);
            CHECK_STR(again.reason, slow.reason, "%s", cases[i].text);
        }
    }
    CHECK_INT(unlink(path.ptr), 0, "the file cannot be removed");
    CHECK_INT(rmdir(place), 0, "the directory cannot be removed");
    haft__embedding_backoff none = {0};
    CHECK(!haft__embedding_backoff_read(&arena, path, NOW, &none),
          "a backoff was read, but the file does not exist");
    CHECK(!haft__embedding_backoff_read(&arena, HAFT__LIT(""), NOW, &none),
          "a backoff was read without a path");
    CHECK(!haft__embedding_backoff_write(HAFT__LIT(""), NOW, &none),
          "a backoff was written without a path");
    haft__arena_finish(&arena);
}
