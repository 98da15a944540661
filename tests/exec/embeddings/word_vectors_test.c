/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/embeddings/word_vectors.c. */
#include "exec/embeddings/word_vectors.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/limits.h"
#include "test.h"

static haft_status load(const char *given, haft__word_vectors *vectors, haft_error *err)
{
    *vectors = (haft__word_vectors){.found = false};
    return haft__word_vectors_load(given, vectors, err);
}

TEST(the_table_of_vectors_is_found_relative_to_the_program)
{
    haft__word_vectors vectors;
    haft_error err = {0};
    CHECK_INT(load(NULL, &vectors, &err), HAFT_OK, "%s: %s", err.where, err.message);
    CHECK(vectors.found && vectors.table.count > 20000, "no table");
    CHECK(haft__search_word_vectors_find(&vectors.table, HAFT__LIT("file")) != NULL,
          "the table has no vector for 'file'");
    haft__word_vectors_finish(&vectors);
    haft__word_vectors_finish(&vectors);
}

TEST(a_variable_names_the_table)
{
    haft__word_vectors vectors;
    haft_error err = {0};
    CHECK_INT(setenv("HAFT_VECTORS", "none", 1), 0, "setenv");
    CHECK_INT(load(NULL, &vectors, &err), HAFT_OK, "%s", err.message);
    CHECK(!vectors.found, "a table was loaded, but the variable is `none`");
    CHECK_INT(setenv("HAFT_VECTORS", "/no/such/file", 1), 0, "setenv");
    CHECK_INT(load(NULL, &vectors, &err), HAFT_IO, "a table that does not exist");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/no/such/file"), "where");
    CHECK_INT(load("none", &vectors, &err), HAFT_OK, "the argument has precedence");
    CHECK_INT(unsetenv("HAFT_VECTORS"), 0, "unsetenv");
}

TEST(a_file_that_is_not_a_table_is_rejected)
{
    haft__word_vectors vectors;
    haft_error err = {0};
    CHECK_INT(load("/etc/passwd", &vectors, &err), HAFT_BAD_INPUT, "a file that is not a table");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/etc/passwd"), "where");
    CHECK(!vectors.found, "a table was loaded");
}

/* Sparse files, so that they use no disk space. */
TEST(the_size_of_a_table_is_bounded)
{
    for (int more = 0; more < 2; more++) {
        char path[] = "/tmp/haft-vectors-XXXXXX";
        haft__word_vectors vectors;
        haft_error err = {0};
        int fd = mkstemp(path);
        CHECK(fd >= 0 && ftruncate(fd, HAFT__LIMIT_SEARCH_VECTORS_BYTES + more) == 0, "%s", path);
        CHECK_INT(load(path, &vectors, &err), more > 0 ? HAFT_TOO_BIG : HAFT_BAD_INPUT,
                  "%d bytes past the limit", more);
        (void)close(fd);
        (void)unlink(path);
    }
}

TEST(loading_a_table_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__word_vectors vectors;
        test_fail_allocation(n);
        haft_status status = load(NULL, &vectors, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__word_vectors_finish(&vectors);
        if (!failed) {
            break;
        }
    }
}
