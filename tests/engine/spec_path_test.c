/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/spec_path.c: paths are relative to the spec file. */
#include "engine/spec_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "test.h"

TEST(files_are_read_relative_to_the_spec)
{
    char directory[] = "/tmp/haft-beside-XXXXXX", path[64];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof path, "%s/mcp.json", directory);
    FILE *file = fopen(path, "we");
    CHECK(file != NULL && fputs("{}", file) >= 0 && fclose(file) == 0, "no file");
    haft__arena arena;
    haft_str text = {NULL, 0};
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft_str spec = haft__arena_format(&arena, "%s/spec.yaml", directory);
    CHECK_INT(haft__spec_path_read(NULL, &arena, spec, HAFT__LIT("mcp.json"), &text, &err), HAFT_OK,
              "%s", err.message);
    CHECK_STR(text, HAFT__LIT("{}"), "relative to the spec");
    CHECK_INT(haft__spec_path_read(NULL, &arena, HAFT__LIT("x.yaml"), haft__str(path), &text, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(haft__spec_path_read(NULL, &arena, spec, HAFT__LIT("none.json"), &text, &err),
              HAFT_IO, "a file that is not there");
    (void)unlink(path);
    CHECK_INT(mkfifo(path, 0600), 0, "no FIFO");
    CHECK_INT(haft__spec_path_read(NULL, &arena, spec, HAFT__LIT("mcp.json"), &text, &err), HAFT_IO,
              "a FIFO that nobody writes");
    CHECK_STR(haft__str(err.message), HAFT__LIT("is a FIFO, expected a file"), "its message");
    (void)unlink(path);
    CHECK_INT(rmdir(directory), 0, "the directory");
    haft__arena_finish(&arena);
}

TEST(programs_are_found_relative_to_the_spec_and_in_the_path)
{
    char directory[] = "/tmp/haft-program-XXXXXX", path[64], spec[64];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof path, "%s/tool", directory);
    (void)snprintf(spec, sizeof spec, "%s/spec.yaml", directory);
    FILE *file = fopen(path, "we");
    CHECK(file != NULL && fclose(file) == 0 && chmod(path, 0644) == 0, "no file");
    const struct {
        const char *program, *search_path;
        mode_t mode;
        haft__program_state wanted;
    } rows[] = {
        {"./tool", "", 0644, HAFT__PROGRAM_NOT_EXECUTABLE},
        {"./tool", "", 0755, HAFT__PROGRAM_FOUND},
        {path, "", 0755, HAFT__PROGRAM_FOUND},
        {"tool", directory, 0755, HAFT__PROGRAM_FOUND},
        {"tool", "/nowhere:/", 0755, HAFT__PROGRAM_MISSING},
        {"./none", directory, 0755, HAFT__PROGRAM_MISSING},
        {"sh", NULL, 0755, HAFT__PROGRAM_FOUND},
        {"/", NULL, 0755, HAFT__PROGRAM_NOT_EXECUTABLE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(chmod(path, rows[i].mode), 0, "chmod");
        haft_str search = {rows[i].search_path,
                           rows[i].search_path != NULL ? strlen(rows[i].search_path) : 0};
        CHECK_INT(haft__spec_path_find_program(haft__str(spec), haft__str(rows[i].program), search),
                  rows[i].wanted, "%s in %s", rows[i].program, rows[i].search_path);
    }
    CHECK(haft__spec_path_has_directory(haft__str(spec), HAFT__LIT(".")), "relative to the spec");
    CHECK(haft__spec_path_has_directory(HAFT__LIT(""), haft__str(directory)), "absolute");
    CHECK(!haft__spec_path_has_directory(haft__str(spec), HAFT__LIT("none")), "missing");
    CHECK(!haft__spec_path_has_directory(haft__str(spec), HAFT__LIT("tool")), "a file");
    (void)unlink(path);
    CHECK_INT(rmdir(directory), 0, "the directory");
}
