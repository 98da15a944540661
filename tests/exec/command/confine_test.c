/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/command/confine.c: a path argument stays beneath its root. */
#include <unistd.h>

#include "exec/exec_help.h"

#define SHOW                                                                                       \
    "{\"command\":[\"echo\",\"{file}\",\"{other}\"],\"root\":{\"file\":\"data\"},"                 \
    "\"input_schema\":{\"properties\":{\"file\":{},\"other\":{}}}}"

static const struct {
    const char *arguments, *text; /* the output, or the error */
    bool ok;
} rows[] = {
    {"{\"file\":\"a.txt\",\"other\":\"/etc\"}", "data/a.txt /etc", true},
    {"{\"file\":\"sub/\",\"other\":\"x\"}", "data/sub x", true},
    {"{\"file\":\"sub/new.txt\",\"other\":\"x\"}", "data/sub/new.txt x", true},
    {"{\"file\":\"-n\",\"other\":\"x\"}", "data/-n x", true},
    {"{\"file\":\".\",\"other\":\"x\"}", "data/. x", true},
    {"{\"other\":\"x\"}", "x", true},
    {"{\"file\":\"out/passwd\"}", "the path in \"file\" leads through a symbolic link", false},
    {"{\"file\":\"out\"}", "the path in \"file\" leads through a symbolic link", false},
    {"{\"file\":\"inside\"}", "the path in \"file\" leads through a symbolic link", false},
    {"{\"file\":\"none/a\"}", "the path in \"file\" cannot be used: No such file or directory",
     false},
    {"{\"file\":3}", "expected a path in \"file\", found number", false},
};

static const char *const outside[] = {"..", "../spec.yaml", "sub/../../x", "/etc/passwd"};

TEST(a_confined_path_stays_beneath_its_root)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder(), *data = help_path(folder, "data");
    CHECK(mkdir(data, 0700) == 0 && mkdir(help_path(data, "sub"), 0700) == 0, "no directories");
    help_write(help_path(data, "a.txt"), "text", 0600);
    CHECK_INT(symlink("/etc", help_path(data, "out")), 0, "symlink");
    CHECK_INT(symlink("a.txt", help_path(data, "inside")), 0, "symlink");
    f.spec.path = haft__str(help_path(folder, "spec.yaml"));
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_call c;
        help_init_call(&f, &c, HAFT__TOOL_COMMAND, SHOW, rows[i].arguments);
        help_start(&f, &c);
        help_wait(&f, &c);
        CHECK(c.result.ok == rows[i].ok, "%s: the outcome", rows[i].arguments);
        CHECK_STR(c.result.text, haft__str(rows[i].text), "%s", rows[i].arguments);
    }
    for (size_t i = 0; i < COUNT(outside); i++) {
        char arguments[64];
        help_call c;
        (void)snprintf(arguments, sizeof(arguments), "{\"file\":\"%s\"}", outside[i]);
        help_init_call(&f, &c, HAFT__TOOL_COMMAND, SHOW, arguments);
        help_start(&f, &c);
        help_wait(&f, &c);
        CHECK(!c.result.ok && !c.result.started, "%s: the command ran", arguments);
        CHECK(haft__str_starts_with(c.result.text, HAFT__LIT("the path is outside the root")),
              "%s: %.*s", arguments, HAFT__ARG(c.result.text));
    }
    CHECK_INT(rmdir(help_path(data, "sub")), 0, "sub/ cannot be removed");
    help_remove(data);
    help_remove(folder);
    help_end(&f);
}
