/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/config/trusted_file.c. */
#include "cli/config/trusted_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "test.h"

#define NOBODY 65534

static char directory[] = "/tmp/haft-trusted-XXXXXX";

static void put(const char *path, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)length) == 0, "%s cannot be written", path);
    (void)close(fd);
}

static haft__trust look(const char *path, bool follow, size_t *ret_length, const char **ret_why)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__trust trust = HAFT__TRUST_FOUND;
    haft_str text = {NULL, 0};
    CHECK_INT(haft__trusted_file_read(&arena, path, HAFT__LIMIT_CONFIG_BYTES, follow, &trust, &text,
                                      ret_why, NULL),
              HAFT_OK, "%s", path);
    *ret_length = text.len;
    haft__arena_finish(&arena);
    return trust;
}

static void check(const char *path, bool follow, haft__trust wanted, size_t length, const char *why)
{
    const char *found_why = NULL;
    size_t found_length = 0;
    CHECK_INT(look(path, follow, &found_length, &found_why), wanted, "trust of %s", path);
    CHECK_INT(found_length, length, "length of %s", path);
    CHECK_STR(haft__str(found_why), haft__str(why), "reason for %s", path);
}

TEST(files_that_others_can_write_are_refused)
{
    char path[64], link_path[64];
    if (mkdtemp(directory) == NULL) {
        test_skip("there is no place for files");
        return;
    }
    (void)snprintf(path, sizeof(path), "%s/file", directory);
    (void)snprintf(link_path, sizeof(link_path), "%s/link", directory);
    check(path, false, HAFT__TRUST_ABSENT, 0, "");
    put(path, 3);
    check(path, false, HAFT__TRUST_FOUND, 3, "");
    CHECK_INT(chmod(path, 0644), 0, "chmod");
    check(path, false, HAFT__TRUST_FOUND, 3, "");
    CHECK_INT(chmod(path, 0664), 0, "chmod");
    check(path, false, HAFT__TRUST_FOUND, 3, ""); /* our own group */
    CHECK_INT(chmod(path, 0666), 0, "chmod");
    check(path, false, HAFT__TRUST_REFUSED, 0, "other users may write it");
    CHECK_INT(chmod(path, 0600), 0, "chmod");
    CHECK_INT(symlink(path, link_path), 0, "symlink");
    check(link_path, false, HAFT__TRUST_REFUSED, 0, "it is a symbolic link");
    check(link_path, true, HAFT__TRUST_FOUND, 3, "");
    check(directory, false, HAFT__TRUST_REFUSED, 0, "it is not a regular file");
    put(path, HAFT__LIMIT_CONFIG_BYTES);
    check(path, false, HAFT__TRUST_FOUND, HAFT__LIMIT_CONFIG_BYTES, "");
    put(path, HAFT__LIMIT_CONFIG_BYTES + 1);
    check(path, false, HAFT__TRUST_REFUSED, 0, "it is too long");
    (void)unlink(link_path);
    CHECK_INT(mkfifo(link_path, 0600), 0, "mkfifo");
    check(link_path, false, HAFT__TRUST_REFUSED, 0,
          "it is not a regular file"); /* haft does not wait for its writer */
    if (geteuid() == 0) {              /* only root can give a file away */
        put(path, 1);
        CHECK_INT(chown(path, NOBODY, NOBODY), 0, "chown");
        check(path, false, HAFT__TRUST_REFUSED, 0, "it belongs to another user");
        CHECK_INT(chown(path, 0, NOBODY), 0, "chown");
        CHECK_INT(chmod(path, 0660), 0, "chmod");
        check(path, false, HAFT__TRUST_REFUSED, 0, "other users may write it");
    }
    (void)unlink(path);
    (void)unlink(link_path);
    (void)rmdir(directory);
}
