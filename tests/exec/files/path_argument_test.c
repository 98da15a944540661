/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/path_argument.h"

#include <unistd.h>

#include "exec/files_help.h"

static files make_tree(int *ret_root)
{
    files f = files_make();
    files_add(&f, "README.md", "");
    files_add(&f, "src/main.c", "");
    files_add(&f, "src/parser/lexer.c", "");
    files_add(&f, "new\nline", "");
    files_link(&f, "AGENTS.md", "README.md");
    files_link(&f, "lib", "src");
    files_link(&f, "passwd", "/etc/passwd");
    CHECK_INT(mkfifo(files_path(&f, "fifo"), 0644), 0, "no FIFO");
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f.path), ret_root, NULL), HAFT_OK,
              "no root");
    return f;
}

FILES_TEST(existing_paths_are_found)
{
    int root = -1;
    files f = make_tree(&root);
    static const struct {
        const char *given, *path;
        haft__path_argument_kind wanted;
        bool directory;
    } cases[] = {
        {"README.md", "README.md", HAFT__PATH_ARGUMENT_FILE, false},
        {"./src/./main.c", "src/main.c", HAFT__PATH_ARGUMENT_FILE, false},
        {"src/", "src", HAFT__PATH_ARGUMENT_DIRECTORY, true},
        {"", ".", HAFT__PATH_ARGUMENT_DIRECTORY, true},
        {"src", "src", HAFT__PATH_ARGUMENT_ANY, true},
        {"src/main.c", "src/main.c", HAFT__PATH_ARGUMENT_ANY, false},
        {"new\nline", "new\nline", HAFT__PATH_ARGUMENT_FILE, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__path_argument named = {.is_directory = !cases[i].directory};
        haft_error err = {0};
        haft_status status = haft__path_argument_resolve(root, haft__str(cases[i].given),
                                                         cases[i].wanted, &named, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", cases[i].given, err.message);
        CHECK_STR(haft__str(named.path.text), haft__str(cases[i].path), "%s", cases[i].given);
        CHECK_INT(named.is_directory, cases[i].directory, "%s", cases[i].given);
    }
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(errors_name_what_exists_instead)
{
    int root = -1;
    files f = make_tree(&root);
    static const struct {
        const char *given;
        haft__path_argument_kind wanted;
        haft_status status;
        const char *message, *hint;
    } cases[] = {
        {"READM.md", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'READM.md'",
         "did you mean 'README.md'?"},
        {"src/mian.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'src/mian.c'",
         "did you mean 'src/main.c'?"},
        {"scr/parser/lexer.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'scr'",
         "did you mean 'src/parser/lexer.c'?"},
        {"scr/none.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'scr'",
         "did you mean 'src'?"},
        {"main.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'main.c'",
         "find it with glob, for example with the pattern '**/main.c'"},
        {"lost/and/found.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'lost'",
         "find it with glob, for example with the pattern '**/found.c'"},
        {"lost/found.c", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'lost'",
         "find it with glob, for example with the pattern '**/found.c'"},
        {"nothing\nhere", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'nothing\\nhere'",
         "find it with glob, for example with the pattern '**/nothing\\nhere'"},
        {"newline", HAFT__PATH_ARGUMENT_FILE, HAFT_NOT_FOUND, "there is no 'newline'",
         "did you mean 'new\\nline'?"},
        {"src/main.c/x", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT,
         "'src/main.c' is a file, expected a directory", "read it, or name the directory it is in"},
        {"src", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT, "'src' is a directory, expected a file",
         "list its files with glob: pattern '*' and this path"},
        {"src/main.c", HAFT__PATH_ARGUMENT_DIRECTORY, HAFT_BAD_INPUT,
         "'src/main.c' is a file, expected a directory", "read it, or name the directory it is in"},
        {"fifo", HAFT__PATH_ARGUMENT_ANY, HAFT_BAD_INPUT,
         "'fifo' is neither a file nor a directory", ""},
        {"fifo/x", HAFT__PATH_ARGUMENT_ANY, HAFT_BAD_INPUT,
         "'fifo' is neither a file nor a directory", ""},
        {"AGENTS.md", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT,
         "'AGENTS.md' is a symbolic link, which is not followed",
         "it points to 'README.md': use that path if it is inside the root"},
        {"lib/main.c", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT,
         "'lib' is a symbolic link, which is not followed",
         "it points to 'src': use that path if it is inside the root"},
        {"passwd", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT,
         "'passwd' is a symbolic link, which is not followed",
         "it points to '/etc/passwd': use that path if it is inside the root"},
        {"../x", HAFT__PATH_ARGUMENT_FILE, HAFT_BAD_INPUT,
         "the path is outside the root: it has '..'",
         "paths are relative to the root, such as 'docs/a.md'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__path_argument named;
        haft_error err = {0};
        CHECK_INT(haft__path_argument_resolve(root, haft__str(cases[i].given), cases[i].wanted,
                                              &named, &err),
                  cases[i].status, "%s", cases[i].given);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].given);
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].hint), "%s", cases[i].given);
        CHECK_STR(haft__str(err.where), HAFT__LIT("/path"), "%s", cases[i].given);
    }
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(a_directory_without_permission_is_reported)
{
    int root = -1;
    files f = make_tree(&root);
    CHECK_INT(chmod(files_path(&f, "src"), 0), 0, "chmod");
    bool privileged = geteuid() == 0;
    if (privileged && seteuid(65534) != 0) {
        test_skip("there is no other user to be");
    } else {
        haft__path_argument named;
        haft_error err = {0};
        CHECK_INT(haft__path_argument_resolve(root, HAFT__LIT("src/main.c"),
                                              HAFT__PATH_ARGUMENT_FILE, &named, &err),
                  HAFT_IO, "a file in an unreadable directory");
        CHECK_STR(haft__str(err.message),
                  HAFT__LIT("'src/main.c' cannot be opened: Permission denied"), "message");
    }
    if (privileged) {
        CHECK_INT(seteuid(0), 0, "root again");
    }
    CHECK_INT(chmod(files_path(&f, "src"), 0755), 0, "chmod");
    (void)close(root);
    files_remove(&f);
}

/* Without memory there is no hint about a name; everything else is the same. */
FILES_TEST(a_failed_allocation_only_omits_the_hint)
{
    int root = -1;
    files f = make_tree(&root);
    for (unsigned n = 0;; n++) {
        haft__path_argument named;
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__path_argument_resolve(root, HAFT__LIT("READM.md"),
                                                         HAFT__PATH_ARGUMENT_FILE, &named, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, HAFT_NOT_FOUND, "allocation %u", n);
        CHECK(err.hint[0] != '\0', "allocation %u: no hint", n);
        if (!failed) {
            break;
        }
    }
    (void)close(root);
    files_remove(&f);
}
