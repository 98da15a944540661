/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp/seal_file.c: a state that one process has sealed can be opened by another
 * one, once. */
#include "serve/mcp/seal_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "io/file.h"
#include "test.h"

typedef struct fixture {
    haft__arena arena;
    char place[64];
    haft__spec spec;
    haft_str path, why; /* of the last file that was opened */
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    haft__arena_init(&f->arena, 0);
    (void)snprintf(f->place, sizeof(f->place), "/tmp/haft-file_keys-test-XXXXXX");
    CHECK(mkdtemp(f->place) != NULL, "no directory");
    f->spec.path = HAFT__LIT("/some/agent.yaml");
    f->spec.hash = HAFT__LIT("00");
}

static void end(fixture *f)
{
    char lock[4200];
    if (f->path.ptr != NULL) {
        (void)snprintf(lock, sizeof(lock), "%s.lock", f->path.ptr);
        (void)unlink(f->path.ptr);
        (void)unlink(lock);
    }
    (void)rmdir(f->place);
    haft__arena_finish(&f->arena);
}

static haft__mcp_seal_file open_file(fixture *f)
{
    haft__mcp_seal_file file_keys;
    haft_error err = {0};
    CHECK_INT(haft__mcp_seal_file_open(&f->arena, haft__str(f->place), &f->spec, &file_keys,
                                       &f->why, &err),
              HAFT_OK, "%s", err.message);
    f->path = file_keys.path.ptr != NULL ? file_keys.path : f->path;
    return file_keys;
}

static bool issue_number(haft__mcp_nonces *states, uint64_t *number)
{
    *number = ++states->last_issued;
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the required type */
static bool use_number(haft__mcp_nonces *states, uint64_t *number)
{
    bool open = *number <= states->last_issued && (states->answered[0] >> *number & 1) == 0;
    states->answered[0] |= UINT64_C(1) << *number;
    return open;
}

static bool is_same(const haft__mcp_seal_file *a, const haft__mcp_seal_file *b)
{
    return memcmp(a->key.bytes, b->key.bytes, sizeof(a->key.bytes)) == 0;
}

TEST(a_state_of_one_process_is_accepted_once_by_another)
{
    fixture f;
    uint64_t number = 0;
    struct stat about;
    begin(&f);
    haft__mcp_seal_file one = open_file(&f), other = open_file(&f);
    CHECK(is_same(&one, &other), "the processes have different keys");
    CHECK_STR(f.why, HAFT__LIT(""), "the reason");
    CHECK(stat(f.path.ptr, &about) == 0 && (about.st_mode & 0777) == 0600, "mode %o",
          (unsigned)about.st_mode);
    CHECK(haft__mcp_seal_file_update(&one, issue_number, &number) && number == 1,
          "the first number");
    CHECK(haft__mcp_seal_file_update(&other, issue_number, &number) && number == 2,
          "the next number");
    number = 1;
    CHECK(haft__mcp_seal_file_update(&other, use_number, &number),
          "a number of another process was rejected");
    CHECK(!haft__mcp_seal_file_update(&one, use_number, &number), "a number was accepted twice");
    end(&f);
}

TEST(another_spec_has_another_key)
{
    fixture f;
    begin(&f);
    haft__mcp_seal_file one = open_file(&f);
    haft_str first = f.path;
    f.spec.hash = HAFT__LIT("01");
    haft__mcp_seal_file other = open_file(&f);
    CHECK(!is_same(&one, &other), "two specs have the same key");
    char lock[4200];
    (void)snprintf(lock, sizeof(lock), "%s.lock", first.ptr);
    (void)unlink(first.ptr);
    (void)unlink(lock);
    end(&f);
}

static void write_text(haft_str path, const char *start, size_t length)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_add_str(&text, haft__str(start));
    while (text.len < length) {
        haft__buf_add_char(&text, ' ');
    }
    CHECK_INT(haft__file_replace(path.ptr, haft__buf_str(&text), NULL), HAFT_OK,
              "the file cannot be written");
    haft__buf_finish(&text);
}

/* A file that cannot be used is replaced, and states that an old process has sealed are invalid. */
TEST(a_key_that_other_users_can_read_is_not_used)
{
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "[]",
        "{\"version\":1}",
        "{\"version\":1,\"key\":7}",
        "{\"version\":1,\"key\":\"zz\",\"given\":\"1\",\"answered\":\"\"}"};
    for (size_t i = 0; i <= COUNT(texts); i++) {
        fixture f;
        uint64_t number = 0;
        begin(&f);
        haft__mcp_seal_file one = open_file(&f);
        if (i < COUNT(texts)) {
            write_text(f.path, texts[i], 0);
        } else {
            CHECK_INT(chmod(f.path.ptr, 0644), 0, "the mode cannot be changed");
        }
        CHECK(!haft__mcp_seal_file_update(&one, issue_number, &number),
              "row %zu: a number was given", i);
        haft__mcp_seal_file other = open_file(&f);
        CHECK(!is_same(&one, &other), "row %zu: both have the same key", i);
        CHECK(!haft__mcp_seal_file_update(&one, issue_number, &number),
              "row %zu: the old key was accepted", i);
        CHECK(haft__mcp_seal_file_update(&other, issue_number, &number),
              "row %zu: the new key was rejected", i);
        end(&f);
    }
}

TEST(the_size_of_the_key_file_is_bounded)
{
    fixture f;
    char text[HAFT__LIMIT_MCP_SEAL_FILE_BYTES + 1] = "";
    begin(&f);
    haft__mcp_seal_file one = open_file(&f);
    FILE *file = fopen(f.path.ptr, "re");
    CHECK(file != NULL && fread(text, 1, sizeof(text) - 1, file) > 0, "the file cannot be read");
    (void)fclose(file);
    write_text(f.path, text, HAFT__LIMIT_MCP_SEAL_FILE_BYTES);
    haft__mcp_seal_file same = open_file(&f);
    CHECK(is_same(&one, &same), "a file at the limit was replaced");
    write_text(f.path, text, HAFT__LIMIT_MCP_SEAL_FILE_BYTES + 1);
    haft__mcp_seal_file other = open_file(&f);
    CHECK(!is_same(&one, &other), "a file past the limit was used");
    end(&f);
}

TEST(without_a_state_directory_the_key_ends_with_the_process)
{
    fixture f;
    haft__mcp_seal_file file_keys;
    begin(&f);
    CHECK_INT(
        haft__mcp_seal_file_open(&f.arena, (haft_str){NULL, 0}, &f.spec, &file_keys, &f.why, NULL),
        HAFT_OK, "open without a path");
    CHECK(file_keys.path.ptr == NULL && f.why.len > 0, "no reason was given");
    CHECK_INT(haft__mcp_seal_file_open(&f.arena, HAFT__LIT("/dev/null/x"), &f.spec, &file_keys,
                                       &f.why, NULL),
              HAFT_OK, "open in a path that cannot be created");
    CHECK(file_keys.path.ptr == NULL && f.why.len > 0, "no reason was given");
    end(&f);
}
