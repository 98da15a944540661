/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/config/user_approvals.c. Owner and permissions: tests/cli/approvals_test.py. */
#include "cli/config/user_approvals.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sha256.h"
#include "io/file.h"
#include "test.h"

/* A path in a new directory. */
static const char *make_path(char room[64])
{
    (void)snprintf(room, 64, "/tmp/haft-approvals-XXXXXX");
    CHECK(mkdtemp(room) != NULL, "cannot create a directory");
    (void)snprintf(room + strlen(room), 64 - strlen(room), "/a.json");
    return room;
}

static void remove_path(char *path)
{
    char lock[80];
    (void)snprintf(lock, sizeof(lock), "%s.lock", path);
    (void)unlink(lock);
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
}

static haft__user_approval make(char hash[HAFT__SHA256_HEX], char digit)
{
    memset(hash, digit, HAFT__SHA256_HEX);
    return (haft__user_approval){.hash = {hash, HAFT__SHA256_HEX},
                                 .tool = HAFT__LIT("send"),
                                 .source = HAFT__LIT("command"),
                                 .directory = HAFT__LIT("/d"),
                                 .since = HAFT__LIT("t"),
                                 .destructive = digit == 'b'};
}

TEST(an_approval_is_found_until_it_is_removed)
{
    char room[64], a[HAFT__SHA256_HEX], b[HAFT__SHA256_HEX];
    const char *path = make_path(room);
    haft__user_approval first = make(a, 'a'), second = make(b, 'b');
    haft__user_approvals all;
    haft__arena arena;
    haft_error err = {0};
    size_t removed = 9;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__user_approvals_read(&arena, path, &all, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(all.count, 0, "approvals without a file");
    for (int i = 0; i < 2; i++) { /* the second time changes nothing */
        CHECK_INT(haft__user_approvals_add(path, &first, &err), HAFT_OK, "%s", err.message);
        CHECK_INT(haft__user_approvals_add(path, &second, &err), HAFT_OK, "%s", err.message);
    }
    CHECK_INT(haft__user_approvals_read(&arena, path, &all, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(all.count, 2, "approvals after two were added");
    const haft__user_approval *found = haft__user_approvals_find(&all, second.hash);
    CHECK(found != NULL && found->destructive, "the second approval is found");
    CHECK_STR(found->directory, HAFT__LIT("/d"), "directory");
    CHECK_INT(haft__user_approvals_remove(path, HAFT__LIT("aaaaaaaaaaaa"), &removed, &err), HAFT_OK,
              "%s", err.message);
    CHECK_INT(removed, 1, "number of removed approvals");
    CHECK_INT(haft__user_approvals_read(&arena, path, &all, &err), HAFT_OK, "%s", err.message);
    CHECK(all.count == 1 && haft__user_approvals_find(&all, first.hash) == NULL,
          "only the other approval is left");
    haft__arena_finish(&arena);
    remove_path(room);
}

TEST(a_file_that_haft_did_not_write_approves_nothing)
{
    static const char *const texts[] = {
        "",
        "{",
        "{\"approvals\":[{\"tool\":\"send\"}]}",
        "{\"approvals\":[{\"hash\":\"aa\",\"tool\":\"send\"}]}",
        "{\"approvals\":[7]}",
        "{\"approvals\":[],\"approvals\":[]}",
    };
    char room[64];
    const char *path = make_path(room);
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__user_approvals all;
        haft__arena arena;
        haft_error err = {0};
        size_t removed = 9;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__file_replace(path, haft__str(texts[i]), &err), HAFT_OK, "%s", err.message);
        CHECK_INT(haft__user_approvals_read(&arena, path, &all, &err), HAFT_BAD_INPUT, "%s",
                  texts[i]);
        CHECK_INT(all.count, 0, "approvals in %s", texts[i]);
        CHECK_INT(haft__user_approvals_remove(path, HAFT__LIT(""), &removed, &err), HAFT_OK,
                  "all can be revoked: %s", texts[i]);
        CHECK_INT(haft__user_approvals_read(&arena, path, &all, &err), HAFT_OK, "%s", texts[i]);
        haft__arena_finish(&arena);
    }
    remove_path(room);
}

/* HAFT__LIMIT_CONFIG_BYTES */
TEST(an_approval_past_the_maximum_of_the_file_is_rejected)
{
    char room[64], hash[HAFT__SHA256_HEX];
    const char *path = make_path(room);
    haft__user_approval approval = make(hash, 'a');
    haft_error err = {0};
    char *tool = malloc(HAFT__LIMIT_CONFIG_BYTES);
    memset(tool, 't', HAFT__LIMIT_CONFIG_BYTES);
    approval.tool = (haft_str){tool, HAFT__LIMIT_CONFIG_BYTES};
    CHECK_INT(haft__user_approvals_add(path, &approval, &err), HAFT_TOO_BIG,
              "an approval that is too long");
    CHECK(access(path, F_OK) != 0, "nothing is written");
    free(tool);
    remove_path(room);
}
