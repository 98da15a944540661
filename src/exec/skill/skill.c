/* SPDX-License-Identifier: Apache-2.0 */
/* skill.c - see skill.h. Tests: tests/exec/skill/skill_test.c, tests/cli/skills_test.py. */
#include "exec/skill/skill.h"

#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "exec/files/display.h"
#include "exec/files/root.h"
#include "exec/skill/folder.h"
#include "spec/load/skill/skill_text.h"

#define SCRIPTS "scripts"

static bool is_script(haft_str path)
{
    return haft__str_equal(path, HAFT__LIT(SCRIPTS))
           || haft__str_starts_with(path, HAFT__LIT(SCRIPTS "/"));
}

/* ---- the instructions ---- */

/* Lists the files, or the scripts. */
static void write_files(haft__buf *result, const haft__skill_listing *listing, bool scripts,
                        const char *title)
{
    bool any = false;
    for (size_t i = 0; i < listing->count; i++) {
        if (is_script(listing->files[i].path) != scripts) {
            continue;
        }
        haft__buf_addf(result, "%s- ", any ? "\n" : title);
        haft__files_display_name(result, listing->files[i].path);
        haft__buf_addf(result, " (%llu bytes)", (unsigned long long)listing->files[i].size);
        any = true;
    }
}

/* Appends the text line by line with hidden characters escaped, as in AGENTS.md. */
static void write_visible(haft__buf *result, haft_str text)
{
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        bool carriage_return = haft__str_ends_with(line, HAFT__LIT("\r"));
        haft__escape_add_lines(result, (haft_str){line.ptr, line.len - carriage_return});
        haft__buf_add_str(result, text.len > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
    }
}

static void write_instructions(const haft__skill_request *request, haft_str text,
                               const haft__skill_listing *listing, haft__buf *result)
{
    haft_str front, body = text;
    char hex[HAFT__SHA256_HEX];
    haft__sha256_hex(text, hex);
    (void)haft__skill_text_split(text, &front, &body);
    haft__buf_addf(result, "# Skill %.*s\n\n", HAFT__ARG(request->name));
    if (!haft__str_equal(request->sha256, (haft_str){hex, sizeof(hex)})) {
        haft__buf_add_str(result, HAFT__LIT("[SKILL.md has changed since this run began. The tools "
                                            "that the skill allows are those of the beginning.]"
                                            "\n\n"));
    }
    write_visible(result, haft__str_trim(body));
    write_files(result, listing, false,
                "\n\nFiles of this skill; call it with `file` to read one:\n");
    write_files(result, listing, true,
                "\n\nScripts of this skill, which this version of haft does not run:\n");
    if (request->narrows) {
        haft__buf_addf(
            result,
            "\n\nFrom the next turn on, for the rest of this run, this skill allows only "
            "these tools for the work: %.*s.",
            HAFT__ARG(request->allowed.len > 0 ? request->allowed : HAFT__LIT("none")));
    }
}

static haft_status read_instructions(const haft__skill_request *request, haft__arena *arena, int fd,
                                     haft__buf *result, haft_error *err)
{
    haft_str text;
    haft__skill_listing listing;
    haft_status status = haft__skill_folder_read(arena, fd, request->folder, HAFT__SKILL_FILE,
                                                 HAFT__LIMIT_SKILL_BYTES, &text, err);
    status = status == HAFT_OK ? haft__skill_folder_list(arena, fd, request->folder, &listing, err)
                               : status;
    if (status == HAFT_OK) {
        write_instructions(request, text, &listing, result);
    }
    return status;
}

/* ---- one file ---- */

static haft_status fail_script(haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, "/file", "haft does not run scripts of skills");
    return haft__hint(err, status, "continue without the script, with the tools that you have");
}

static haft_status parse_file(haft_str file, haft__files_path *ret_path, haft_error *err)
{
    haft_status status = haft__files_path_parse(file, ret_path, err);
    if (status != HAFT_OK) {
        (void)haft__fail(err, status, "/file",
                         "the file must be a path beneath the folder of the skill, without \"..\"");
        return haft__hint(err, status, "use a path that the instructions name");
    }
    return is_script((haft_str){ret_path->text, ret_path->length}) ? fail_script(err) : HAFT_OK;
}

static haft_status read_file(const haft__skill_request *request, haft__arena *arena, int fd,
                             const char *path, haft__buf *result, haft_error *err)
{
    haft_str text;
    haft_status status = haft__skill_folder_read(arena, fd, request->folder, path,
                                                 HAFT__LIMIT_SKILL_FILE_BYTES, &text, err);
    if (status == HAFT_OK) {
        haft__buf_add_str(result, text);
    }
    return status;
}

haft_status haft__skill_run(const haft__skill_request *request, haft__buf *result, haft_error *err)
{
    haft__arena arena;
    haft__files_path path = {.length = 0};
    int fd = -1;
    haft_status status = request->file.len > 0 ? parse_file(request->file, &path, err) : HAFT_OK;
    status = status == HAFT_OK
                 ? haft__skill_folder_open(request->spec_path, request->folder, &fd, err)
                 : status;
    if (status != HAFT_OK) {
        return status;
    }
    haft_str file = {path.text, path.length};
    bool whole = file.len == 0 || haft__str_equal(file, HAFT__LIT("."))
                 || haft__str_equal(file, HAFT__LIT(HAFT__SKILL_FILE));
    haft__arena_init(&arena, 0);
    status = whole ? read_instructions(request, &arena, fd, result, err)
                   : read_file(request, &arena, fd, path.text, result, err);
    haft__arena_finish(&arena);
    (void)close(fd);
    return status == HAFT_OK ? haft__buf_check(result, err) : status;
}
