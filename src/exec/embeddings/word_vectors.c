/* SPDX-License-Identifier: Apache-2.0 */
/* word_vectors.c - finds the table of word vectors and reads it. Tests:
 * tests/exec/embeddings/word_vectors_test.c. */
#include "exec/embeddings/word_vectors.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "io/file.h"

/* Candidates relative to the directory of the program: installed (bin/haft) or built (build/haft,
 * build/tests/haft-tests). */
static const char *const candidates[] = {"/../share/haft/words.vec", "/../../share/haft/words.vec"};

static haft_status read_table(const char *path, haft__word_vectors *vectors, haft_error *err)
{
    haft_status status = haft__file_read(path, &vectors->bytes, err);
    if (status == HAFT_OK) {
        status =
            haft__search_word_vectors_open(haft__buf_str(&vectors->bytes), &vectors->table, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, path);
        }
    }
    vectors->found = status == HAFT_OK;
    return status;
}

/* The file relative to this program, or the installed one; false if neither exists. */
static bool find_table(char path[PATH_MAX + 64])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; i < COUNT(candidates) && slash != NULL; i++) {
        *slash = '\0';
        (void)snprintf(path, PATH_MAX + 64, "%s%s", program, candidates[i]);
        if (access(path, R_OK) == 0) {
            return true;
        }
    }
    (void)snprintf(path, PATH_MAX + 64, "%s", HAFT_DATADIR "/words.vec");
    return access(path, R_OK) == 0;
}

haft_status haft__word_vectors_load(const char *given, haft__word_vectors *ret_vectors,
                                    haft_error *err)
{
    char path[PATH_MAX + 64];
    haft__word_vectors made = {.found = false};
    const char *named = given != NULL ? given : getenv("HAFT_VECTORS");
    haft__buf_init(&made.bytes, HAFT__LIMIT_SEARCH_VECTORS_BYTES);
    haft_status status = HAFT_OK;
    if (named != NULL && *named != '\0') {
        status = strcmp(named, "none") != 0 ? read_table(named, &made, err) : HAFT_OK;
    } else if (find_table(path)) {
        status = read_table(path, &made, err);
    }
    if (status != HAFT_OK) {
        haft__word_vectors_finish(&made);
        return status;
    }
    *ret_vectors = made;
    return HAFT_OK;
}

void haft__word_vectors_finish(haft__word_vectors *vectors)
{
    haft__buf_finish(&vectors->bytes);
    vectors->found = false;
}
