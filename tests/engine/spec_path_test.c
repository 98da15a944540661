/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/spec_path.c: paths are relative to the spec file. */
#include "engine/spec_path.h"

#include <unistd.h>

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
    CHECK_INT(rmdir(directory), 0, "the directory");
    haft__arena_finish(&arena);
}
