/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/guard_path.c. */
#include "exec/executor.h"
#include "io/process_help.h"

static haft_status find(const char *given, char **ret_path, haft_error *err)
{
    *ret_path = NULL;
    return haft__guard_find(given, ret_path, err);
}

TEST(guard_is_found_relative_to_the_program)
{
    char *path = NULL;
    haft_error err = {0};
    CHECK_INT(find(NULL, &path, &err), HAFT_OK, "%s: %s", err.where, err.message);
    CHECK(path != NULL && haft__str_ends_with(haft__str(path), HAFT__LIT("/libexec/haft/guard")),
          "%s", path);
    CHECK_INT(access(path, X_OK), 0, "%s", path);
    free(path);
}

TEST(a_named_guard_is_used_or_reported_as_missing)
{
    char *path = NULL;
    haft_error err = {0};
    CHECK_INT(find("/bin/true", &path, &err), HAFT_OK, "%s", err.message);
    CHECK(haft__str_ends_with(haft__str(path), HAFT__LIT("/bin/true")), "%s", path);
    free(path);
    CHECK_INT(chdir("/bin"), 0, "chdir");
    CHECK_INT(find("./true", &path, &err), HAFT_OK, "%s", err.message);
    CHECK(path != NULL && path[0] == '/', "%s: commands run elsewhere", path);
    free(path);
    CHECK_INT(chdir("/"), 0, "chdir");
    CHECK_INT(find("/no/such/guard", &path, &err), HAFT_NOT_FOUND, "missing");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/no/such/guard"), "where");
    CHECK_STR(haft__str(err.message), HAFT__LIT("no such program"), "message");
    CHECK_INT(find("/etc/passwd", &path, NULL), HAFT_NOT_FOUND, "not executable");
    CHECK(path == NULL, "a path was returned");
}

/* Copies this program to a directory without guard, and searches there. */
TEST(a_guard_that_does_not_exist_is_reported)
{
    if (getenv("HAFT_TEST_GUARD_NOWHERE") != NULL) {
        char *path = NULL;
        haft_error err = {0};
        haft_status status = find(NULL, &path, &err);
        bool installed = status == HAFT_OK; /* an installed guard is found, which is also correct */
        CHECK(installed || status == HAFT_NOT_FOUND, "%s", err.message);
        CHECK(installed || strstr(err.message, "none in libexec/haft next to") != NULL, "%s",
              err.message);
        free(path);
        return;
    }
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    CHECK(length > 0, "this program has no path");
    const char *folder = help_folder(), *copy = help_path(folder, "tests");
    char command[4 * PATH_MAX];
    (void)snprintf(command, sizeof(command),
                   "cp %.*s %s && HAFT_TEST_GUARD_NOWHERE=1 %s --file "
                   "exec/guard_path_test.c a_guard_that_does_not | grep -q '^ok'",
                   (int)length, self, copy, copy);
    CHECK_INT(system(command), 0, "%s", command);
    help_remove(folder);
}

TEST(finding_guard_reports_a_failed_allocation)
{
    char *path = NULL;
    test_fail_allocation(0);
    haft_status status = find(NULL, &path, NULL);
    CHECK(test_allow_allocations(), "no allocation failed");
    CHECK_INT(status, HAFT_NO_MEMORY, "status");
}
