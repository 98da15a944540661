/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - reads the task of `haft run`. Tests: tests/cli/run_test.py. */
#include "cli/input/task.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "io/file.h"

static bool is_stdin(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Whether standard input is a pipe or a file. Terminals are not read, because the user would not
 * know that haft waits for input. Devices such as /dev/null, the standard input of services, are
 * not read either. */
static bool stdin_has_text(void)
{
    struct stat about;
    return fstat(STDIN_FILENO, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISREG(about.st_mode));
}

/* Checks that standard input is used at most once: for the spec, the task, or one file. */
static haft_status check_stdin_readers(const haft__args *args, haft_error *err)
{
    size_t at = 0;
    unsigned readers = is_stdin(args->words[0]) ? 1 : 0;
    readers += args->word_count > 1 && is_stdin(args->words[1]) ? 1 : 0;
    for (const char *path; (path = haft__args_next(args, "input", &at)) != NULL;) {
        readers += is_stdin(path) ? 1 : 0;
    }
    return readers <= 1
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "-",
                            "standard input can be used only once, found %u times", readers);
}

static haft_status add_file(haft__cli *cli, const char *path, const char *title, haft__buf *task,
                            haft_error *err)
{
    haft_str text = {NULL, 0};
    haft_status status =
        haft__file_read_arena(&cli->arena, path, HAFT__LIMIT_INPUT_BYTES, &text, err);
    if (status == HAFT_OK && title != NULL) {
        haft__buf_addf(task, "%s--- %s\n", task->len > 0 ? "\n\n" : "", title);
    }
    haft__buf_add_str(task, text);
    return status;
}

/* Accepts only UTF-8 without NUL. Other bytes would be truncated or replaced without a message. */
static haft_status check_text(const haft__buf *task, haft_error *err)
{
    if (task->len == 0) {
        return HAFT_OK;
    }
    haft_str text = haft__buf_str(task);
    size_t valid = haft__utf8_valid_prefix(text);
    const char *nul = memchr(text.ptr, '\0', text.len);
    if (nul == NULL && valid == text.len) {
        return HAFT_OK;
    }
    size_t at = nul != NULL && (size_t)(nul - text.ptr) < valid ? (size_t)(nul - text.ptr) : valid;
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "TASK",
                                    "expected text in UTF-8, found the byte 0x%02X at %zu",
                                    (unsigned char)text.ptr[at], at);
    return haft__hint(err, status, "a tool can read a file that is not text");
}

static haft_status check_not_empty(const haft__buf *task, haft_error *err)
{
    for (size_t i = 0; i < task->len; i++) {
        if (!haft__ascii_is_space(task->ptr[i])) {
            return HAFT_OK;
        }
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "TASK", "the task is empty");
    return haft__hint(err, status,
                      "write the task after the spec; '-' or a pipe reads it from standard input");
}

/* Removes the line end that `echo` writes after its text. */
static void remove_final_newline(haft__buf *task)
{
    if (task->len > 0 && task->ptr[task->len - 1] == '\n') {
        task->len--;
    }
}

haft_status haft__task_read(haft__cli *cli, const haft__args *args, haft__buf *task,
                            haft_error *err)
{
    size_t at = 0;
    const char *word = args->word_count > 1 ? args->words[1] : NULL;
    bool has_files = haft__args_has(args, "input");
    bool piped = word == NULL && !has_files && !is_stdin(args->words[0]) && stdin_has_text();
    haft_status status = check_stdin_readers(args, err);
    if (status == HAFT_OK && (is_stdin(word) || piped)) {
        status = add_file(cli, "-", NULL, task, err);
        remove_final_newline(task);
    } else if (word != NULL) {
        haft__buf_add_str(task, haft__str(word));
    }
    for (const char *path;
         status == HAFT_OK && (path = haft__args_next(args, "input", &at)) != NULL;) {
        status = add_file(cli, path, is_stdin(path) ? "standard input" : path, task, err);
    }
    if (status == HAFT_OK) {
        status = check_text(task, err);
    }
    if (status == HAFT_OK) {
        status = check_not_empty(task, err);
    }
    haft__buf_add_char(task, '\0');
    return status == HAFT_OK ? haft__buf_check(task, err) : status;
}
