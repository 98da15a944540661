/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/embeddings/cache.c: stored vectors are found again; a damaged file counts
 * as absent. */
#include "exec/embeddings/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "exec/mcp_help.h"
#include "io/file.h"

static const haft__hash_key key = {1, 2};
static const float one[] = {1, -2, 0.5F}, two[] = {0, 0, 3};

typedef struct fixture {
    char state_home[64];
    haft__embedding_cache cache;
} fixture;

static haft_status open_cache(fixture *f)
{
    return haft__embedding_cache_open(&f->cache, HAFT__LIT("name"), false, key, NULL);
}

static void begin(fixture *f)
{
    (void)snprintf(f->state_home, sizeof(f->state_home), "/tmp/haft-cache-test-XXXXXX");
    CHECK(mkdtemp(f->state_home) != NULL, "no directory");
    CHECK(setenv("XDG_STATE_HOME", f->state_home, 1) == 0, "no variable");
    CHECK_INT(open_cache(f), HAFT_OK, "open a cache that does not exist");
    CHECK_INT(f->cache.dimensions, 0, "dimensions of an empty cache");
}

static void reopen(fixture *f)
{
    haft__embedding_cache_finish(&f->cache);
    CHECK_INT(open_cache(f), HAFT_OK, "open the cache again");
}

static void fill(fixture *f)
{
    CHECK_INT(haft__embedding_cache_put(&f->cache, HAFT__LIT("a"), one, 3, NULL), HAFT_OK, "put a");
    CHECK_INT(haft__embedding_cache_put(&f->cache, HAFT__LIT("b"), two, 3, NULL), HAFT_OK, "put b");
    haft__embedding_cache_save(&f->cache);
    CHECK(!f->cache.changed, "the cache was not written");
}

static void end(fixture *f)
{
    haft__embedding_cache_clear(&f->cache);
    haft__embedding_cache_finish(&f->cache);
    static const char *const parts[] = {"/haft/mcp", "/haft", ""};
    for (size_t i = 0; i < COUNT(parts); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", f->state_home, parts[i]);
        (void)rmdir(path);
    }
    (void)unsetenv("XDG_STATE_HOME");
}

TEST(stored_vectors_are_read_back)
{
    fixture f;
    struct stat about;
    begin(&f);
    fill(&f);
    reopen(&f);
    const int8_t *a = haft__embedding_cache_get(&f.cache, HAFT__LIT("a"));
    CHECK(a != NULL && a[0] == 64 && a[1] == -127 && a[2] == 32, "the vector of a");
    CHECK(haft__embedding_cache_get(&f.cache, HAFT__LIT("b")) != NULL, "no vector of b");
    CHECK(haft__embedding_cache_get(&f.cache, HAFT__LIT("c")) == NULL,
          "c was never stored, but is found");
    CHECK(stat(f.cache.path.ptr, &about) == 0 && (about.st_mode & 0777) == 0600,
          "other users can read the file");
    CHECK_INT(haft__embedding_cache_put(&f.cache, HAFT__LIT("c"), one, 2, NULL), HAFT_BAD_STATE,
              "other dimensions");
    haft__embedding_cache_clear(&f.cache);
    CHECK(haft__embedding_cache_get(&f.cache, HAFT__LIT("a")) == NULL,
          "a is found after the cache was cleared");
    CHECK(stat(f.cache.path.ptr, &about) != 0, "the file still exists");
    CHECK_INT(haft__embedding_cache_put(&f.cache, HAFT__LIT("c"), one, 2, NULL), HAFT_OK,
              "an empty cache takes any dimensions");
    end(&f);
}

TEST(an_incomplete_file_is_ignored)
{
    fixture f;
    haft__arena arena;
    haft_str text = {NULL, 0};
    begin(&f);
    fill(&f);
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__file_read_arena(&arena, f.cache.path.ptr, 1000, &text, NULL), HAFT_OK,
              "the file cannot be read");
    for (size_t i = 0; i < 2 * text.len; i++) {
        haft__arena_mark mark = haft__arena_save(&arena);
        char *bytes = haft__arena_alloc(&arena, text.len);
        haft_str bad = {
            bytes, i < text.len ? i : text.len}; /* first cut, then whole with one byte changed */
        memcpy(bytes, text.ptr, text.len);
        if (i >= text.len) {
            bytes[i - text.len] ^= 1;
        }
        CHECK_INT(haft__file_replace(f.cache.path.ptr, bad, NULL), HAFT_OK,
                  "the file cannot be written");
        reopen(&f);
        CHECK_INT(f.cache.rows.count, 0, "damage %zu: rows", i);
        haft__arena_restore(&arena, mark);
    }
    CHECK_INT(haft__file_replace(f.cache.path.ptr, text, NULL), HAFT_OK,
              "the file cannot be written");
    CHECK(chmod(f.cache.path.ptr, 0622) == 0, "mode");
    reopen(&f);
    CHECK_INT(f.cache.rows.count, 0, "rows of a file that others can write");
    CHECK(chmod(f.cache.path.ptr, 0600) == 0, "mode");
    reopen(&f);
    CHECK_INT(f.cache.rows.count, 2, "rows of the whole file");
    haft__arena_finish(&arena);
    end(&f);
}

/* If one row more is added than fits, the oldest row is dropped. */
TEST(the_size_of_a_file_is_limited)
{
    static float numbers[HAFT__LIMIT_SEARCH_DIMENSIONS];
    size_t row = HAFT__LIMIT_SEARCH_DIMENSIONS + HAFT__SHA256_BYTES;
    size_t max = (HAFT__LIMIT_EMBED_CACHE_BYTES - 23 - HAFT__SHA256_BYTES) / row;
    fixture f;
    begin(&f);
    for (size_t i = 0; i <= max; i++) {
        haft_str name = {(const char *)&i, sizeof(i)};
        CHECK_INT(haft__embedding_cache_put(&f.cache, name, numbers, COUNT(numbers), NULL), HAFT_OK,
                  "row %zu", i);
        if (i + 1 == max) {
            haft__embedding_cache_save(&f.cache);
            fixture other = f;
            CHECK_INT(open_cache(&other), HAFT_OK, "open a cache at the limit");
            CHECK_INT(other.cache.rows.count, max, "rows at the limit");
            haft__embedding_cache_finish(&other.cache);
        }
    }
    haft__embedding_cache_save(&f.cache);
    reopen(&f);
    size_t first = 0;
    CHECK_INT(f.cache.rows.count, max, "rows past the limit");
    CHECK(haft__embedding_cache_get(&f.cache, (haft_str){(const char *)&first, sizeof(first)})
              == NULL,
          "the oldest row was not dropped");
    end(&f);
}

TEST(every_allocation_of_opening_may_fail)
{
    fixture f;
    begin(&f);
    fill(&f);
    for (unsigned n = 0;; n++) {
        haft__embedding_cache_finish(&f.cache);
        test_fail_allocation(n);
        haft_status status = open_cache(&f);
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    CHECK_INT(f.cache.rows.count, 2, "rows if no allocation fails");
    end(&f);
}
