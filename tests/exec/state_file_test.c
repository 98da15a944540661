/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/state_file.c. */
#include "exec/state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/str.h"
#include "io/process_help.h"

static void set(const char *name, const char *value)
{
    (void)(value != NULL ? setenv(name, value, 1) : unsetenv(name));
}

static char *copy_of(const char *name)
{
    const char *value = getenv(name);
    size_t size = value != NULL ? strlen(value) + 1 : 0;
    return value != NULL ? memcpy(test_alloc(size), value, size) : NULL;
}

TEST(state_files_are_below_the_state_directory_of_the_user)
{
    static const struct {
        const char *state, *home, *wanted;
    } rows[] = {
        {"/s", "/tmp", "/s/haft/mcp"},
        {NULL, "/tmp", "/tmp/.local/state/haft/mcp"},
        {"relative", "/tmp", "/tmp/.local/state/haft/mcp"},
        {"", "/tmp", "/tmp/.local/state/haft/mcp"},
        {NULL, NULL, NULL},
        {NULL, "/", NULL},
        {NULL, "//", NULL},
        {NULL, "/no/such/home", NULL},
        {NULL, "/dev/null", NULL},
        {"/s", "/", "/s/haft/mcp"},
        {"relative", "relative", NULL},
    };
    char *state = copy_of("XDG_STATE_HOME"), *home = copy_of("HOME");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        set("XDG_STATE_HOME", rows[i].state);
        set("HOME", rows[i].home);
        haft_str place = haft__state_file_directory(&arena);
        CHECK((place.ptr == NULL) == (rows[i].wanted == NULL), "row %zu", i);
        if (place.ptr != NULL) {
            CHECK_STR(place, haft__str(rows[i].wanted), "row %zu", i);
        }
        haft__arena_finish(&arena);
    }
    set("XDG_STATE_HOME", state);
    set("HOME", home);
}

static haft_status read_it(const char *path, size_t max, haft_error *err)
{
    haft__arena arena;
    haft_str text = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft_status status = haft__state_file_read(&arena, path, max, &text, err);
    CHECK(status != HAFT_OK || haft__str_equal(text, HAFT__LIT("four")), "the text of the file");
    haft__arena_finish(&arena);
    return status;
}

TEST(a_file_that_others_could_write_is_not_read)
{
    static const struct {
        mode_t mode;
        size_t max;
        haft_status wanted;
    } rows[] = {
        {0600, 4, HAFT_OK}, {0644, 4, HAFT_OK}, {0600, 3, HAFT_TOO_BIG},
        {0620, 4, HAFT_IO}, {0602, 4, HAFT_IO}, {0666, 4, HAFT_IO},
    };
    const char *folder = help_folder(), *path = help_path(folder, "file");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        help_write(path, "four", rows[i].mode);
        CHECK_INT(read_it(path, rows[i].max, &err), rows[i].wanted, "row %zu: %s", i, err.message);
        CHECK(rows[i].wanted == HAFT_OK || strcmp(err.where, path) == 0, "where: %s", err.where);
    }
    haft_error err = {0};
    CHECK_INT(read_it(help_path(folder, "none"), 4, &err), HAFT_NOT_FOUND,
              "a file that does not exist");
    CHECK_INT(read_it(help_path(path, "below"), 4, &err), HAFT_NOT_FOUND, "a path below a file");
    CHECK_INT(read_it(folder, 4, &err), HAFT_IO, "a directory");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("remove it; haft creates it again"), "hint");
    const char *ring = help_path(folder, "ring");
    CHECK_INT(symlink(ring, ring), 0, "the link cannot be created");
    CHECK_INT(read_it(ring, 4, &err), HAFT_IO, "a link to itself: %s", err.message);
    help_remove(folder);
}

TEST(the_directories_above_a_file_are_private)
{
    const char *folder = help_folder(), *deep = help_path(folder, "deep");
    const char *deeper = help_path(deep, "er"), *path = help_path(deeper, "file");
    struct stat about = {0};
    haft__state_file_create_directory(path);
    CHECK(stat(deeper, &about) == 0 && (about.st_mode & 0777) == 0700, "%o", about.st_mode);
    CHECK(stat(path, &about) != 0 && errno == ENOENT, "the file itself was created");
    haft__state_file_create_directory(path); /* existing directories stay */
    char far[5000];
    memset(far, 'x', sizeof(far) - 1);
    far[0] = '/';
    far[sizeof(far) - 2] = '/';
    far[sizeof(far) - 1] = '\0';
    haft__state_file_create_directory(far); /* a path that cannot be created has no effect */
    help_remove(deeper);
    help_remove(deep);
    help_remove(folder);
}

TEST(duplicate_keys_in_a_state_file_are_rejected)
{
    static const struct {
        const char *text;
        haft_status wanted;
    } rows[] = {{"{\"a\":1}", HAFT_OK},
                {"{\"a\":1,\"a\":2}", HAFT_BAD_INPUT},
                {"{\"a\":", HAFT_BAD_INPUT},
                {"", HAFT_BAD_INPUT}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__json value;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__state_file_parse(&arena, haft__str(rows[i].text),
                                                        (haft__hash_key){1, 2}, &value, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : rows[i].wanted, "%s", rows[i].text);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
    }
}
