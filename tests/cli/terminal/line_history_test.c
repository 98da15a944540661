/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/line_history.c. */
#include "cli/terminal/line_history.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/file.h"
#include "test.h"

/* A new directory, and the path of a history two directories below it. */
static void make_place(char folder[64], char path[128])
{
    (void)snprintf(folder, 64, "/tmp/haft-history-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL, "cannot create a folder");
    (void)snprintf(path, 128, "%s/state/haft/history", folder);
}

static void remove_place(const char *folder)
{
    static const char *const names[] = {"state/haft/history",
                                        "state/haft/history.lock",
                                        "state/haft/history.new",
                                        "state/haft",
                                        "state",
                                        ""};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[160];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)(remove(path) == 0 || rmdir(path) == 0);
    }
}

static haft_str file_text(const char *path)
{
    haft__buf text;
    haft__buf_init(&text, 16 << 20);
    (void)!haft__file_read(path, &text, NULL);
    char *copy = test_alloc(text.len + 1);
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    haft_str found = {copy, text.len};
    haft__buf_finish(&text);
    return found;
}

static void write_file(const char *path, haft_str text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL, "cannot open %s", path);
    (void)fwrite(text.ptr, 1, text.len, file);
    (void)fclose(file);
}

static haft_status add(haft__line_history *history, const char *line)
{
    haft_error err = {0};
    haft_status status = haft__line_history_add(history, haft__str(line), &err);
    CHECK(status == HAFT_OK || err.message[0] != '\0', "an error has no message");
    return status;
}

TEST(lines_are_kept_in_a_private_file)
{
    char folder[64], path[128];
    make_place(folder, path);
    haft__line_history history;
    haft__line_history_init(&history);
    CHECK_INT(haft__line_history_open(&history, path, NULL), HAFT_OK, "opening a missing file");
    static const char *const lines[] = {"one",   "one", " secret", "",        "two\nlines",
                                        "a\\nb", "one", "\tx",     "\xc3\xa9"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        CHECK_INT(add(&history, lines[i]), HAFT_OK, "adding line %zu", i);
    }
    CHECK_STR(file_text(path), HAFT__LIT("one\ntwo\\nlines\na\\\\nb\none\n\tx\n\xc3\xa9\n"),
              "text of the file");
    struct stat found;
    CHECK(stat(path, &found) == 0 && (found.st_mode & 0777) == 0600, "mode of the file");
    *strrchr(path, '/') = '\0';
    CHECK(stat(path, &found) == 0 && (found.st_mode & 0777) == 0700, "mode of its folder");
    path[strlen(path)] = '/';
    haft__line_history again;
    haft__line_history_init(&again);
    CHECK_INT(haft__line_history_open(&again, path, NULL), HAFT_OK, "opening the file again");
    CHECK_INT(again.count, history.count, "number of lines");
    for (size_t i = 0; i < again.count; i++) {
        CHECK_STR(again.lines[i], history.lines[i], "line %zu", i);
    }
    haft__line_history_finish(&again);
    haft__line_history_finish(&history);
    remove_place(folder);
}

TEST(invalid_lines_are_skipped)
{
    char folder[64], path[128];
    make_place(folder, path);
    haft__line_history history;
    haft__line_history_init(&history);
    CHECK_INT(haft__line_history_open(&history, path, NULL), HAFT_OK, "opening");
    CHECK_INT(add(&history, "good"), HAFT_OK, "adding a line");
    write_file(path, HAFT__LIT("a\nb\\x\nc\\\nd\x1b[2J\n\xff\n\n e\nf\0\ng\ng\nno end"));
    CHECK_INT(add(&history, "last"), HAFT_OK, "adding another line");
    CHECK_STR(file_text(path), HAFT__LIT("a\ng\nno end\nlast\n"), "text of the file");
    haft__line_history_finish(&history);
    remove_place(folder);
}

TEST(chats_at_the_same_time_lose_nothing)
{
    enum { CHATS = 4, LINES = 25 };
    char folder[64], path[128];
    make_place(folder, path);
    pid_t children[CHATS];
    for (int c = 0; c < CHATS; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            haft__line_history history;
            haft__line_history_init(&history);
            bool good = haft__line_history_open(&history, path, NULL) == HAFT_OK;
            for (int i = 0; i < LINES && good; i++) {
                char line[32];
                (void)snprintf(line, sizeof(line), "chat %d line %d", c, i);
                good = haft__line_history_add(&history, haft__str(line), NULL) == HAFT_OK;
            }
            haft__line_history_finish(&history);
            _exit(good ? 0 : 1);
        }
    }
    for (int c = 0; c < CHATS; c++) {
        int status = 0;
        CHECK(waitpid(children[c], &status, 0) == children[c] && status == 0, "chat %d", c);
    }
    haft__line_history all;
    haft__line_history_init(&all);
    CHECK_INT(haft__line_history_open(&all, path, NULL), HAFT_OK, "opening");
    CHECK_INT(all.count, CHATS * LINES, "number of lines");
    haft__line_history_finish(&all);
    remove_place(folder);
}

TEST(the_oldest_lines_are_removed)
{
    haft__line_history history;
    haft__line_history_init(&history);
    char line[32];
    for (int i = 0; i < HAFT__LIMIT_HISTORY_LINES; i++) {
        (void)snprintf(line, sizeof(line), "%d", i);
        CHECK_INT(add(&history, line), HAFT_OK, "adding line %d", i);
    }
    CHECK_INT(history.count, HAFT__LIMIT_HISTORY_LINES, "number of lines at the limit");
    CHECK_STR(history.lines[0], HAFT__LIT("0"), "the oldest line");
    CHECK_INT(add(&history, "one more"), HAFT_OK, "adding one more line");
    CHECK_INT(history.count, HAFT__LIMIT_HISTORY_LINES, "the maximum number of lines");
    CHECK_STR(history.lines[0], HAFT__LIT("1"), "the oldest line is removed");
    haft__line_history_finish(&history);
}

TEST(bytes_of_the_file_are_limited)
{
    haft__line_history history;
    haft__line_history_init(&history);
    char *text = test_alloc(HAFT__LIMIT_HISTORY_BYTES + 1);
    memset(text, '\\', HAFT__LIMIT_HISTORY_BYTES + 1); /* twice as long in a file */
    haft_str max = {text, HAFT__LIMIT_HISTORY_BYTES}, more = {text, max.len + 1};
    CHECK_INT(add(&history, "small"), HAFT_OK, "adding a short line");
    CHECK_INT(haft__line_history_add(&history, more, NULL), HAFT_OK,
              "adding a line that is too long");
    CHECK_INT(history.count, 1, "the long line is not kept");
    CHECK_INT(haft__line_history_add(&history, max, NULL), HAFT_OK, "a line of the maximum length");
    CHECK_INT(history.count, 1, "the short line is removed");
    CHECK_INT(history.bytes, HAFT__LIMIT_HISTORY_BYTES, "bytes");
    char folder[64], path[128];
    make_place(folder, path);
    haft__line_history kept;
    haft__line_history_init(&kept);
    CHECK_INT(haft__line_history_open(&kept, path, NULL), HAFT_OK, "opening");
    CHECK_INT(haft__line_history_add(&kept, max, NULL), HAFT_OK, "adding the longest line");
    haft__line_history_finish(&kept);
    CHECK_INT(haft__line_history_open(&kept, path, NULL), HAFT_OK, "opening again");
    CHECK_INT(kept.bytes, HAFT__LIMIT_HISTORY_BYTES, "bytes");
    haft__line_history_finish(&kept);
    haft__line_history_finish(&history);
    remove_place(folder);
}

TEST(an_unusable_file_is_not_touched)
{
    char folder[64], path[128];
    make_place(folder, path);
    haft__line_history history;
    haft_error err = {0};
    haft__line_history_init(&history);
    CHECK_INT(haft__line_history_open(&history, folder, &err), HAFT_IO, "opening a folder");
    CHECK(history.path == NULL, "no file is used");
    CHECK_INT(add(&history, "here alone"), HAFT_OK, "adding without a file");
    haft__line_history_finish(&history);
    char blocked[160];
    (void)snprintf(blocked, sizeof(blocked), "%s/file", folder);
    write_file(blocked, HAFT__LIT("x"));
    (void)snprintf(path, sizeof(path), "%s/file/history", folder);
    CHECK_INT(haft__line_history_open(&history, path, &err), HAFT_IO,
              "opening a path below a file");
    haft__line_history_finish(&history);
    (void)snprintf(path, sizeof(path), "%s/gone", folder);
    CHECK_INT(haft__line_history_open(&history, path, &err), HAFT_OK, "opening a missing file");
    CHECK_INT(mkdir(path, 0700), 0, "create a directory there");
    CHECK_INT(add(&history, "x"), HAFT_IO, "adding if the file is a directory");
    CHECK_INT(history.count, 1, "the line is kept in memory");
    haft__line_history_finish(&history);
    (void)rmdir(path);
    (void)unlink(blocked);
    (void)snprintf(blocked, sizeof(blocked), "%s/gone.lock", folder);
    (void)unlink(blocked);
    char longest[5000];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[0] = '/';
    longest[sizeof(longest) - 1] = '\0';
    history.path = strdup(longest);
    CHECK_INT(add(&history, "x"), HAFT_IO, "adding with a path that is too long");
    haft__line_history_finish(&history);
    remove_place(folder);
}

TEST(a_failed_write_is_reported)
{
    char folder[64], path[128], other[160];
    make_place(folder, path);
    haft__line_history history;
    haft__line_history_init(&history);
    CHECK_INT(haft__line_history_open(&history, path, NULL), HAFT_OK, "opening");
    CHECK_INT(add(&history, "one"), HAFT_OK, "adding a line");
    (void)snprintf(other, sizeof(other), "%s.new", path);
    CHECK_INT(mkdir(other, 0700), 0, "cannot create a directory in place of the new file");
    CHECK_INT(add(&history, "two"), HAFT_IO, "adding if the file cannot be written");
    CHECK_STR(file_text(path), HAFT__LIT("one\n"), "the file is unchanged");
    (void)rmdir(other);
    (void)snprintf(other, sizeof(other), "%s.lock", path);
    (void)unlink(other);
    CHECK_INT(symlink("/dev/null", other), 0, "cannot create a link in place of the lock");
    CHECK_INT(add(&history, "three"), HAFT_IO, "adding if the lock is a link");
    (void)unlink(other);
    CHECK_INT(add(&history, "four"), HAFT_OK, "adding after the link was removed");
    CHECK_STR(file_text(path), HAFT__LIT("one\nfour\n"), "text of the file");
    CHECK_INT(history.count, 4, "all lines are kept in memory");
    haft__line_history_finish(&history);
    remove_place(folder);
}

TEST(the_path_is_in_the_state_directory)
{
    char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    state = state != NULL ? strdup(state) : NULL;
    home = home != NULL ? strdup(home) : NULL;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const char *path = NULL;
    (void)setenv("XDG_STATE_HOME", "/s", 1);
    CHECK_INT(haft__line_history_path(&arena, &path, NULL), HAFT_OK, "status");
    CHECK_STR(haft__str(path), HAFT__LIT("/s/haft/history"), "path");
    (void)setenv("XDG_STATE_HOME", "relative", 1);
    (void)setenv("HOME", "/tmp", 1);
    CHECK_INT(haft__line_history_path(&arena, &path, NULL), HAFT_OK, "status");
    CHECK_STR(haft__str(path), HAFT__LIT("/tmp/.local/state/haft/history"), "path");
    (void)unsetenv("HOME");
    CHECK_INT(haft__line_history_path(&arena, &path, NULL), HAFT_OK, "status");
    CHECK(path == NULL, "a path without HOME");
    (void)(state != NULL ? setenv("XDG_STATE_HOME", state, 1) : unsetenv("XDG_STATE_HOME"));
    (void)(home != NULL ? setenv("HOME", home, 1) : unsetenv("HOME"));
    free(state);
    free(home);
    haft__arena_finish(&arena);
}

TEST(out_of_memory_leaves_the_file_unchanged)
{
    char folder[64], path[128];
    make_place(folder, path);
    haft__line_history first;
    haft__line_history_init(&first);
    CHECK_INT(haft__line_history_open(&first, path, NULL), HAFT_OK, "opening");
    CHECK_INT(add(&first, "one"), HAFT_OK, "adding a line");
    haft__line_history_finish(&first);
    for (unsigned n = 0;; n++) {
        haft__line_history history;
        haft__line_history_init(&history);
        test_fail_allocation(n);
        haft_status status = haft__line_history_open(&history, path, NULL);
        if (status == HAFT_OK) {
            status = haft__line_history_add(&history, HAFT__LIT("two"), NULL);
        }
        bool failed = test_allow_allocations();
        haft__line_history_finish(&history);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "status if no allocation fails");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
        CHECK_STR(file_text(path), HAFT__LIT("one\n"), "text of the file, allocation %u", n);
    }
    CHECK_STR(file_text(path), HAFT__LIT("one\ntwo\n"), "text of the file");
    remove_place(folder);
}
