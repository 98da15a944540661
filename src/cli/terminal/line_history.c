/* SPDX-License-Identifier: Apache-2.0 */
/* line_history.c - the line history and its file. Tests: tests/cli/terminal/line_history_test.c. */
#include "cli/terminal/line_history.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "io/environment.h"
#include "io/file.h"

/* Maximum size of a valid file: every byte may be escaped to two, and each line has an end. */
#define FILE_BYTES (2 * HAFT__LIMIT_HISTORY_BYTES + HAFT__LIMIT_HISTORY_LINES)

#define PATH_BYTES 4200

/* ---- in memory ---- */

void haft__line_history_init(haft__line_history *history)
{
    *history = (haft__line_history){NULL, 0, 0, 0, NULL};
}

static void drop_oldest(haft__line_history *history, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        history->bytes -= history->lines[i].len;
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): allocated by append_line */
        free((void *)(uintptr_t)history->lines[i].ptr);
        history->lines[i] = (haft_str){NULL, 0};
    }
    history->count -= count;
    memmove(history->lines, history->lines + count, history->count * sizeof(*history->lines));
}

static void clear_lines(haft__line_history *history)
{
    if (history->count > 0) {
        drop_oldest(history, history->count);
    }
    free(history->lines);
}

void haft__line_history_finish(haft__line_history *history)
{
    clear_lines(history);
    free(history->path);
    haft__line_history_init(history);
}

static haft_status make_room(haft__line_history *history, haft_error *err)
{
    haft_str *lines =
        haft__vec_reserve(history->lines, &history->capacity, history->count + 1, sizeof(*lines));
    if (lines == NULL) {
        return haft__fail_no_memory(err);
    }
    history->lines = lines;
    return HAFT_OK;
}

static bool should_keep(const haft__line_history *history, haft_str line)
{
    bool again = history->count > 0 && haft__str_equal(history->lines[history->count - 1], line);
    return line.len > 0 && line.len <= HAFT__LIMIT_HISTORY_BYTES && line.ptr[0] != ' ' && !again;
}

static haft_status append_line(haft__line_history *history, haft_str line, haft_error *err)
{
    if (!should_keep(history, line)) {
        return HAFT_OK;
    }
    haft_status status = make_room(history, err);
    char *copy = status == HAFT_OK ? haft__str_duplicate(line) : NULL;
    if (copy == NULL) {
        return haft__fail_no_memory(err);
    }
    history->lines[history->count++] = (haft_str){copy, line.len};
    history->bytes += line.len;
    while (history->count > HAFT__LIMIT_HISTORY_LINES
           || history->bytes > HAFT__LIMIT_HISTORY_BYTES) {
        drop_oldest(history, 1);
    }
    return HAFT_OK;
}

/* ---- as text ---- */

static void write_line(haft__buf *buf, haft_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        switch (line.ptr[i]) {
        case '\n': haft__buf_add_str(buf, HAFT__LIT("\\n")); break;
        case '\\': haft__buf_add_str(buf, HAFT__LIT("\\\\")); break;
        default: haft__buf_add_char(buf, line.ptr[i]); break;
        }
    }
    haft__buf_add_char(buf, '\n');
}

/* Decodes a line of the file. Returns false for a line that haft cannot have written. */
static bool read_line(haft_str line, haft__buf *text)
{
    haft__buf_clear(text);
    for (size_t i = 0; i < line.len; i++) {
        char c = line.ptr[i];
        if (c == '\\') {
            i++;
            if (i == line.len || (line.ptr[i] != 'n' && line.ptr[i] != '\\')) {
                return false;
            }
            c = line.ptr[i] == 'n' ? '\n' : '\\';
        } else if ((unsigned char)c < ' ' && c != '\t') {
            return false;
        }
        haft__buf_add_char(text, c);
    }
    return haft__utf8_valid(haft__buf_str(text));
}

static haft_status read_lines(haft__line_history *history, haft_str text, haft_error *err)
{
    haft__buf line;
    haft__buf_init(&line, FILE_BYTES);
    haft_status status = HAFT_OK;
    while (text.len > 0 && status == HAFT_OK) {
        bool good = read_line(haft__str_split(&text, '\n'), &line);
        status = haft__buf_check(&line, err);
        if (status == HAFT_OK && good) {
            status = append_line(history, haft__buf_str(&line), err);
        }
    }
    haft__buf_finish(&line);
    return status;
}

/* ---- the file ---- */

static haft_status fail_file(const char *path, const char *what, haft_error *err)
{
    return haft__fail(err, HAFT_IO, path, "%s: %s", what, strerror(errno));
}

/* Reads the file. A missing file counts as empty. */
static haft_status read_file(haft__line_history *history, const char *path, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, FILE_BYTES);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return HAFT_OK;
    }
    haft_status status = haft__file_read(path, &text, err);
    if (status == HAFT_OK) {
        status = read_lines(history, haft__buf_str(&text), err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__line_history_open(haft__line_history *history, const char *path, haft_error *err)
{
    haft_status status = read_file(history, path, err);
    if (status == HAFT_OK) {
        history->path = strdup(path);
        status = history->path != NULL ? HAFT_OK : haft__fail_no_memory(err);
    }
    return status;
}

/* Creates the directories of `path`, with permissions only for their owner. If that fails, opening
 * the file reports the error. */
static void make_folders(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(path, S_IRWXU);
        *slash = '/';
    }
}

/* Replaces the file atomically: writes a temporary file, then renames it. */
static haft_status replace_file(const char *path, haft_str text, haft_error *err)
{
    char temporary[PATH_BYTES];
    (void)snprintf(temporary, sizeof(temporary), "%s.new",
                   path); /* fits, because the name of the lock file is longer */
    int fd =
        open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool good = fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR) == 0 && haft__file_write_all(fd, text);
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path) == 0) {
        return HAFT_OK;
    }
    errno = good ? errno : reason;
    haft_status status = fail_file(path, "cannot write the history", err);
    (void)unlink(temporary);
    return status;
}

/* Appends the line to the file. Reads the file first, because other processes may have changed
 * it. */
static haft_status add_to_file(const char *path, haft_str line, haft_error *err)
{
    haft__line_history all;
    haft__buf text;
    haft__line_history_init(&all);
    haft__buf_init(&text, FILE_BYTES);
    haft_status status = read_file(&all, path, err);
    if (status == HAFT_OK) {
        status = append_line(&all, line, err);
    }
    for (size_t i = 0; i < all.count; i++) {
        write_line(&text, all.lines[i]);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        status = replace_file(path, haft__buf_str(&text), err);
    }
    haft__buf_finish(&text);
    haft__line_history_finish(&all);
    return status;
}

/* Adds a line under a lock. The lock is a separate file, because each change replaces the history
 * file. */
static haft_status add_locked(char *path, haft_str line, haft_error *err)
{
    char lock[PATH_BYTES];
    int length = snprintf(lock, sizeof(lock), "%s.lock", path);
    if (length < 0 || (size_t)length >= sizeof(lock)) {
        return haft__fail(err, HAFT_IO, path, "the path is too long");
    }
    make_folders(path);
    int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    int locked = -1;
    while (fd >= 0 && (locked = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    haft_status status = locked == 0 ? add_to_file(path, line, err)
                                     : fail_file(lock, "cannot lock the history", err);
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

haft_status haft__line_history_add(haft__line_history *history, haft_str line, haft_error *err)
{
    bool add_to_history = should_keep(history, line);
    haft_status status = append_line(history, line, err);
    return status == HAFT_OK && add_to_history && history->path != NULL
               ? add_locked(history->path, line, err)
               : status;
}

haft_status haft__line_history_path(haft__arena *arena, const char **ret_path, haft_error *err)
{
    const char *why = NULL;
    haft_str path = haft__environment_state_path(arena, "history", &why);
    *ret_path = path.ptr;
    return path.ptr != NULL || why != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}
