/* SPDX-License-Identifier: Apache-2.0 */
#include "io/library.h"

#include "base/macros.h"
#include "test.h"

TEST(library_without_a_function_or_a_file_is_unsupported)
{
    static const struct {
        const char *file, *functions[2], *error;
    } rows[] = {
        {"libc.so.6", {"getpid", "strlen"}, ""},
        {"libc.so.6", {"getpid", "haft_none"}, "cannot load haft_none, the test"},
        {"libhaft-none.so.1", {"getpid", "strlen"}, "cannot load libhaft-none.so.1, the test"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        void *table[2] = {NULL, NULL};
        haft__library library = {.file = rows[i].file,
                                 .purpose = "the test",
                                 .hint = "install it",
                                 .functions = rows[i].functions,
                                 .count = COUNT(table),
                                 .table = table,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};
        bool good = rows[i].error[0] == '\0';
        for (int again = 0; again < 2; again++) {
            haft_error err = {0};
            CHECK_INT(haft__library_load(&library, &err), good ? HAFT_OK : HAFT_UNSUPPORTED, "%s",
                      rows[i].file);
            CHECK_STR(haft__str(err.message), haft__str(rows[i].error), "message");
            CHECK_STR(haft__str(err.hint), haft__str(good ? "" : "install it"), "hint");
        }
        CHECK_INT(table[0] != NULL && table[1] != NULL, good, "functions");
    }
}
