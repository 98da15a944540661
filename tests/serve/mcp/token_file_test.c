/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp/token_file.c. */
#include "serve/mcp/token_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "test.h"

#define GOOD "0123456789abcdef0123456789abcdef"

static void count_warning(void *context, haft_str text)
{
    (void)text;
    ++*(int *)context;
}

TEST(tokens_that_others_could_use_are_rejected)
{
    static const struct {
        const char *text;
        mode_t mode;
        bool loopback;
        haft_status status;
        int warnings;
        const char *token;
    } rows[] = {
        {GOOD "\nmore\n", 0600, false, HAFT_OK, 0, GOOD},
        {" " GOOD " ", 0600, false, HAFT_OK, 0, GOOD},
        {GOOD, 0644, false, HAFT_OK, 1, GOOD},
        {GOOD, 0620, false, HAFT_BAD_INPUT, 0, NULL},
        {GOOD, 0602, true, HAFT_BAD_INPUT, 0, NULL},
        {"short", 0600, true, HAFT_OK, 1, "short"},
        {"short", 0644, true, HAFT_OK, 2, "short"},
        {"short", 0600, false, HAFT_BAD_INPUT, 0, NULL},
        {"", 0600, true, HAFT_BAD_INPUT, 0, NULL},
        {"\n" GOOD, 0600, true, HAFT_BAD_INPUT, 0, NULL},
    };
    char path[] = "/tmp/haft-token-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0, "no file");
    (void)close(file);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int warnings = 0;
        haft_str token = {NULL, 0};
        haft_error err = {0};
        haft__arena arena;
        haft__service_host host = {.warn = count_warning, .context = &warnings};
        FILE *out = fopen(path, "w");
        CHECK(out != NULL && fputs(rows[i].text, out) >= 0, "row %zu", i);
        CHECK(out == NULL || fclose(out) == 0, "row %zu", i);
        CHECK(chmod(path, rows[i].mode) == 0, "row %zu", i);
        haft__arena_init(&arena, 0);
        haft_status status =
            haft__mcp_token_file_read(&arena, path, rows[i].loopback, &host, &token, &err);
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err.message);
        CHECK_INT(warnings, rows[i].warnings, "row %zu: warnings", i);
        if (status == HAFT_OK && rows[i].token != NULL) {
            CHECK_STR(token, haft__str(rows[i].token), "row %zu", i);
        }
        haft__arena_finish(&arena);
    }
    (void)unlink(path);
}
