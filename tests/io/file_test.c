/* SPDX-License-Identifier: Apache-2.0 */
/* HAFT__LIMIT_INPUT_BYTES, which a command gives to haft__file_read_arena, is tested at its value
 * and past it in tests/cli/run_test.py. */
/* Tests for src/io/file.c. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/clock.h"
#include "test.h"

/* A file of `size` bytes that is removed when the test ends. */
static void make_file(char path[64], size_t size)
{
    (void)snprintf(path, 64, "/tmp/haft-file-test-XXXXXX");
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "wb");
    for (size_t i = 0; i < size; i++) {
        (void)fputc((int)(i % 251), file);
    }
    (void)fclose(file);
}

TEST(whole_files_are_read_up_to_the_maximum)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char path[64];
        make_file(path, sizes[i]);
        static const int slack[] = {-1, 0, 1, 100000};
        for (size_t s = sizes[i] > 0 ? 0 : 1; s < COUNT(slack); s++) {
            haft__buf text;
            haft__buf_init(&text, sizes[i] + (size_t)slack[s]);
            haft_error err = {0};
            haft_status status = haft__file_read(path, &text, &err);
            CHECK_INT(status, slack[s] < 0 ? HAFT_TOO_BIG : HAFT_OK, "%zu bytes, %+d: %s", sizes[i],
                      slack[s], err.message);
            if (status == HAFT_OK) {
                CHECK_INT(text.len, sizes[i], "length");
                CHECK(text.len == 0 || text.ptr[text.len - 1] == (char)((text.len - 1) % 251),
                      "the last byte of %zu", sizes[i]);
            } else {
                CHECK_STR(haft__str(err.where), haft__str(path), "where");
            }
            haft__buf_finish(&text);
        }
        (void)unlink(path);
    }
}

TEST(an_unreadable_file_is_reported_with_the_reason)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {"/nonexistent/file", "cannot be opened: No such file or directory"},
        {"/", "cannot be read: Is a directory"},
        {"", "cannot be opened: No such file or directory"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf text;
        haft__buf_init(&text, 100);
        haft_error err = {0};
        CHECK_INT(haft__file_read(cases[i].path, &text, &err), HAFT_IO, "%s", cases[i].path);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].path), "where");
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].path);
        haft__buf_finish(&text);
    }
}

TEST(a_dash_is_standard_input)
{
    char path[64];
    make_file(path, 1000);
    CHECK(freopen(path, "rb", stdin) != NULL, "standard input cannot be opened");
    (void)unlink(path);
    haft__buf text;
    haft__buf_init(&text, 999);
    haft_error err = {0};
    CHECK_INT(haft__file_read("-", &text, &err), HAFT_TOO_BIG, "one byte too long");
    CHECK_STR(haft__str(err.where), HAFT__LIT("standard input"), "where");
    CHECK_STR(haft__str(err.message), HAFT__LIT("is longer than the 999 bytes allowed"), "message");
    haft__buf_finish(&text);
    rewind(stdin);
    haft__buf_init(&text, 1000);
    CHECK_INT(haft__file_read("-", &text, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(text.len, 1000, "length");
    haft__buf_finish(&text);
}

TEST(a_failed_allocation_is_reported)
{
    char path[64];
    make_file(path, 100);
    haft__buf text;
    haft__buf_init(&text, 1000);
    haft_error err = {0};
    test_fail_allocation(0);
    haft_status status = haft__file_read(path, &text, &err);
    CHECK(test_allow_allocations(), "no allocation failed");
    CHECK_INT(status, HAFT_NO_MEMORY, "status");
    haft__buf_finish(&text);
    (void)unlink(path);
}

TEST(a_file_is_read_into_an_arena)
{
    char path[64];
    make_file(path, 1000);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str text = {NULL, 0};
    haft_error err = {0};
    CHECK_INT(haft__file_read_arena(&arena, path, 1000, &text, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(text.len, 1000, "length");
    CHECK_INT(haft__file_read_arena(&arena, path, 999, &text, &err), HAFT_TOO_BIG,
              "past the maximum");
    haft__arena_finish(&arena);
    haft__arena_init(&arena, 100);
    CHECK_INT(haft__file_read_arena(&arena, path, 1000, &text, &err), HAFT_TOO_BIG, "a full arena");
    haft__arena_finish(&arena);
    (void)unlink(path);
}

TEST(all_of_a_text_is_written)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0, "no pipe");
    CHECK(haft__file_write_all(ends[1], HAFT__LIT("text")), "the text was not written");
    CHECK(haft__file_write_all(ends[1], HAFT__LIT("")), "an empty text was not written");
    char got[8] = {0};
    CHECK_INT(read(ends[0], got, sizeof(got)), 4, "bytes that arrived");
    CHECK_STR(haft__str(got), HAFT__LIT("text"), "the text that arrived");
    (void)close(ends[0]);
    (void)close(ends[1]);
    CHECK(!haft__file_write_all(ends[1], HAFT__LIT("text")),
          "a write to a closed descriptor succeeded");
    CHECK_INT(errno, EBADF, "errno");
}

TEST(a_file_is_replaced_as_a_whole_or_not_at_all)
{
    char directory[] = "/tmp/haft-file-test-XXXXXX", path[64];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof(path), "%s/file", directory);
    static const char *const texts[] = {"one", "", "another and longer one"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__buf text;
        struct stat about;
        haft_error err = {0};
        haft__buf_init(&text, 100);
        CHECK_INT(haft__file_replace(path, haft__str(texts[i]), &err), HAFT_OK, "%s", err.message);
        CHECK_INT(haft__file_read(path, &text, &err), HAFT_OK, "%s", err.message);
        CHECK_STR(haft__buf_str(&text), haft__str(texts[i]), "text");
        CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0600,
              "other users can read the file");
        haft__buf_finish(&text);
    }
    haft_error err = {0};
    char below[80], far[5000];
    (void)snprintf(below, sizeof(below), "%s/below", path);
    CHECK_INT(haft__file_replace(below, HAFT__LIT("x"), &err), HAFT_IO, "a path below a file");
    CHECK_STR(haft__str(err.where), haft__str(below), "where");
    CHECK_INT(haft__file_replace(directory, HAFT__LIT("x"), &err), HAFT_IO, "a directory");
    memset(far, 'x', sizeof(far) - 1);
    far[sizeof(far) - 1] = '\0';
    CHECK_INT(haft__file_replace(far, HAFT__LIT("x"), &err), HAFT_IO, "a path that is too long");
    (void)unlink(path);
    CHECK_INT(rmdir(directory), 0, "a temporary file is left");
}

TEST(a_locked_file_cannot_be_locked_again)
{
    char directory[] = "/tmp/haft-file-test-XXXXXX", path[64], lock_path[80], far[5000];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof(path), "%s/file", directory);
    (void)snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
    haft_error err = {0};
    int lock = -1;
    CHECK_INT(haft__file_lock(path, &lock, &err), HAFT_OK, "%s", err.message);
    int other = open(lock_path, O_RDWR | O_CLOEXEC);
    CHECK(flock(other, LOCK_EX | LOCK_NB) != 0, "the file was locked twice");
    haft__file_unlock(lock);
    CHECK(flock(other, LOCK_EX | LOCK_NB) == 0, "the lock was not released");
    uint64_t before = haft__clock_monotonic();
    CHECK_INT(haft__file_lock(path, &lock, &err), HAFT_IO, "a file that is already locked");
    CHECK_STR(haft__str(err.message), HAFT__LIT("cannot be locked: another process has locked it"),
              "the message");
    CHECK(haft__clock_monotonic() - before >= (HAFT__LIMIT_IO_LOCK_TRIES - 1) * 10,
          "haft__file_lock gave up too early");
    (void)close(other);
    CHECK_INT(haft__file_lock(path, &lock, &err), HAFT_OK, "%s", err.message);
    haft__file_unlock(lock);
    CHECK_INT(haft__file_lock("/nonexistent/file", &lock, &err), HAFT_IO,
              "a directory that does not exist");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/nonexistent/file"), "where");
    memset(far, 'x', sizeof(far) - 1);
    far[sizeof(far) - 1] = '\0';
    CHECK_INT(haft__file_lock(far, &lock, &err), HAFT_IO, "a path that is too long");
    (void)unlink(lock_path);
    CHECK_INT(rmdir(directory), 0, "a temporary file is left");
}
