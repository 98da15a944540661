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
    haft_str path, why; /* of the last one that was opened */
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    haft__arena_init(&f->arena, 0);
    (void)snprintf(f->place, sizeof(f->place), "/tmp/haft-keep-test-XXXXXX");
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

static haft__mcp_seal_file open_keep(fixture *f)
{
    haft__mcp_seal_file keep;
    haft_error err = {0};
    CHECK_INT(
        haft__mcp_seal_file_open(&f->arena, haft__str(f->place), &f->spec, &keep, &f->why, &err),
        HAFT_OK, "%s", err.message);
    f->path = keep.path.ptr != NULL ? keep.path : f->path;
    return keep;
}

static bool give(haft__mcp_nonces *states, uint64_t *number)
{
    *number = ++states->given;
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the required type */
static bool use(haft__mcp_nonces *states, uint64_t *number)
{
    bool open = *number <= states->given && (states->answered[0] >> *number & 1) == 0;
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
    haft__mcp_seal_file one = open_keep(&f), other = open_keep(&f);
    CHECK(is_same(&one, &other), "they have different keys");
    CHECK_STR(f.why, HAFT__LIT(""), "why");
    CHECK(stat(f.path.ptr, &about) == 0 && (about.st_mode & 0777) == 0600, "mode %o",
          (unsigned)about.st_mode);
    CHECK(haft__mcp_seal_file_update(&one, give, &number) && number == 1, "given");
    CHECK(haft__mcp_seal_file_update(&other, give, &number) && number == 2, "the next");
    number = 1;
    CHECK(haft__mcp_seal_file_update(&other, use, &number), "used elsewhere");
    CHECK(!haft__mcp_seal_file_update(&one, use, &number), "used twice");
    end(&f);
}

TEST(another_spec_has_another_key)
{
    fixture f;
    begin(&f);
    haft__mcp_seal_file one = open_keep(&f);
    haft_str first = f.path;
    f.spec.hash = HAFT__LIT("01");
    haft__mcp_seal_file other = open_keep(&f);
    CHECK(!is_same(&one, &other), "they have the same");
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
    CHECK_INT(haft__file_replace(path.ptr, haft__buf_str(&text), NULL), HAFT_OK, "written");
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
        haft__mcp_seal_file one = open_keep(&f);
        if (i < COUNT(texts)) {
            write_text(f.path, texts[i], 0);
        } else {
            CHECK_INT(chmod(f.path.ptr, 0644), 0, "others may read it");
        }
        CHECK(!haft__mcp_seal_file_update(&one, give, &number), "row %zu", i);
        haft__mcp_seal_file other = open_keep(&f);
        CHECK(!is_same(&one, &other), "row %zu", i);
        CHECK(!haft__mcp_seal_file_update(&one, give, &number), "row %zu: the old one is taken", i);
        CHECK(haft__mcp_seal_file_update(&other, give, &number), "row %zu", i);
        end(&f);
    }
}

TEST(the_size_of_the_key_file_is_bounded)
{
    fixture f;
    char text[HAFT__LIMIT_MCP_SEAL_FILE_BYTES + 1] = "";
    begin(&f);
    haft__mcp_seal_file one = open_keep(&f);
    FILE *file = fopen(f.path.ptr, "re");
    CHECK(file != NULL && fread(text, 1, sizeof(text) - 1, file) > 0, "read");
    (void)fclose(file);
    write_text(f.path, text, HAFT__LIMIT_MCP_SEAL_FILE_BYTES);
    haft__mcp_seal_file same = open_keep(&f);
    CHECK(is_same(&one, &same), "at the limit");
    write_text(f.path, text, HAFT__LIMIT_MCP_SEAL_FILE_BYTES + 1);
    haft__mcp_seal_file other = open_keep(&f);
    CHECK(!is_same(&one, &other), "past it");
    end(&f);
}

TEST(without_a_state_directory_the_key_ends_with_the_process)
{
    fixture f;
    haft__mcp_seal_file keep;
    begin(&f);
    CHECK_INT(haft__mcp_seal_file_open(&f.arena, (haft_str){NULL, 0}, &f.spec, &keep, &f.why, NULL),
              HAFT_OK, "no place");
    CHECK(keep.path.ptr == NULL && f.why.len > 0, "the error is reported");
    CHECK_INT(
        haft__mcp_seal_file_open(&f.arena, HAFT__LIT("/dev/null/x"), &f.spec, &keep, &f.why, NULL),
        HAFT_OK, "no directory");
    CHECK(keep.path.ptr == NULL && f.why.len > 0, "the error is reported");
    end(&f);
}
