/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "base/limits.h"
#include "exec/search_help.h"

static haft__files_request ask(const char *pattern, const char *path)
{
    return (haft__files_request){.pattern = haft__str(pattern), .path = haft__str(path)};
}

static void check(const files *f, const char *pattern, const char *path, const char *wanted)
{
    search_check(haft__files_glob, f, ask(pattern, path), wanted);
}

FILES_TEST(paths_that_match_come_one_a_line)
{
    files f = files_make();
    files_add(&f, "README.md", "");
    files_add(&f, "src/a.c", "");
    files_add(&f, "src/b/c.c", "");
    files_add(&f, "src/b/c.h", "");
    check(&f, "*", "", "README.md\nsrc/a.c\nsrc/b/c.c\nsrc/b/c.h");
    check(&f, "*.c", "", "src/a.c\nsrc/b/c.c");
    check(&f, "*.c", ".", "src/a.c\nsrc/b/c.c");
    check(&f, "*.{c,h}", "src/b", "src/b/c.c\nsrc/b/c.h");
    check(&f, "b/*.h", "src/", "src/b/c.h");
    check(&f, "src/b/c.h", "", "src/b/c.h");
    files_remove(&f);
}

FILES_TEST(the_checked_files_are_reported_when_nothing_matches)
{
    files f = files_make();
    files_add(&f, "a", "");
    check(&f, "*.x", "", "(no file matches '*.x'; 1 file was checked)");
    files_add(&f, "b", "");
    files_add(&f, "c", "");
    files_add(&f, ".gitignore", "c\nd/\n");
    files_add(&f, "d/c", "");
    files_link(&f, "e", "a");
    check(&f, "c", "",
          "(no file matches 'c'; 4 files were checked; 2 names were skipped because of ignore "
          "files; 1 "
          "symbolic link was not followed)");
    check(&f, "\n", "d", "(no file matches '\\n'; 1 file was checked)");
    files_remove(&f);
}

FILES_TEST(bad_arguments_are_reported_with_their_place)
{
    files f = files_make();
    files_add(&f, "docs/a.md", "");
    files_link(&f, "out", "/etc");
    static const struct {
        const char *pattern, *path, *message, *where, *hint;
    } cases[] = {
        {"/etc/*", "", "the pattern '/etc/*' starts with '/'", "/pattern",
         "patterns are relative to the root: leave out the first /"},
        {"../*", "", "the pattern '../*' has '..': it leads outside the root", "/pattern",
         "paths are relative to the root"},
        {"{a", "", "the braces in '{a' are unbalanced", "/pattern",
         "{a,b} means a or b; write \\{ for a literal brace"},
        {"*", "doc", "there is no 'doc'", "/path", "did you mean 'docs'?"},
        {"*", "docs/a.md", "'docs/a.md' is a file, expected a directory", "/path",
         "read it, or name the directory it is in"},
        {"*", "/etc", "the path is outside the root: it starts with '/'", "/path",
         "paths are relative to the root, such as 'docs/a.md'"},
        {"*", "..", "the path is outside the root: it has '..'", "/path",
         "paths are relative to the root, such as 'docs/a.md'"},
        {"*", "out", "'out' is a symbolic link, which is not followed", "/path",
         "it points to '/etc': use that path if it is inside the root"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        search_check_error(haft__files_glob, &f, ask(cases[i].pattern, cases[i].path),
                           cases[i].message, cases[i].where, cases[i].hint);
    }
    haft__files_request search = ask("*", "");
    search.root = HAFT__LIT("/no/such/root");
    search_check_error(haft__files_glob, &f, search,
                       "the root '/no/such/root' cannot be opened: No such file or directory", "",
                       "`root` in the spec names the directory that glob, grep and read may see");
    files_remove(&f);
}

FILES_TEST(a_name_cannot_forge_a_line)
{
    files f = files_make();
    files_add(&f, "a\nb", "");
    files_add(&f, "c\x1b[31m", "");
    files_add(&f, "\xff", "");
    check(&f, "*", "", "a\\nb\nc\\u001b[31m\n\\xff");
    check(&f, "a\nb", "", "a\\nb");
    files_remove(&f);
}

FILES_TEST(the_number_of_results_is_bounded)
{
    files f = files_make();
    char name[32];
    for (int i = 0; i < HAFT__LIMIT_FILES_GLOB_RESULTS; i++) {
        (void)snprintf(name, sizeof(name), "f%04d", i);
        files_add(&f, name, "");
    }
    searched s = search_run(haft__files_glob, &f, ask("*", ""));
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("\nf0999")), "the last path at the limit");
    files_add(&f, "f1000", "");
    s = search_run(haft__files_glob, &f, ask("*", ""));
    CHECK(haft__str_ends_with(
              s.text,
              HAFT__LIT("\nf0999\n(1 more file matches: narrow the pattern or give a `path`)")),
          "one past the limit");
    files_add(&f, "f1001", "");
    s = search_run(haft__files_glob, &f, ask("*", ""));
    CHECK(haft__str_ends_with(
              s.text, HAFT__LIT("(2 more files match: narrow the pattern or give a `path`)")),
          "two past the limit");
    files_remove(&f);
}

FILES_TEST(the_bytes_of_a_result_are_bounded)
{
    files f = files_make();
    char path[512];
    for (int i = 0; i < 900; i++) { /* every \x01 is shown in six bytes */
        (void)snprintf(path, sizeof(path), "%03d%0100d", i, 0);
        memset(path + 3, 1, 100);
        files_add(&f, path, "");
    }
    searched s = search_run(haft__files_glob, &f, ask("*", ""));
    CHECK_INT(s.status, HAFT_OK, "%s", s.error.message);
    CHECK(s.text.len <= HAFT__LIMIT_FILES_RESULT_BYTES + 100, "%zu bytes", s.text.len);
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("give a `path`)")),
          "no note that there are more files");
    files_remove(&f);
}

static void look_without_rights(void *context)
{
    check(context, "*", "", "b\n(1 directory could not be read)");
}

FILES_TEST(a_directory_that_cannot_be_read_is_noted)
{
    files f = files_make();
    files_add(&f, "a/x", "");
    files_add(&f, "b", "");
    CHECK_INT(chmod(files_path(&f, "a"), 0), 0, "chmod");
    (void)search_unprivileged(look_without_rights, &f);
    CHECK_INT(chmod(files_path(&f, "a"), 0755), 0, "chmod");
    files_remove(&f);
}

FILES_TEST(glob_stops_when_cancelled)
{
    files f = files_make();
    files_add(&f, "a", "");
    atomic_bool stop = true;
    haft__files_request search = ask("*", "");
    search.stop = &stop;
    searched s = search_run(haft__files_glob, &f, search);
    CHECK_INT(s.status, HAFT_BAD_STATE, "the search did not stop");
    files_remove(&f);
}

FILES_TEST(glob_reports_a_failed_allocation)
{
    files f = files_make();
    files_add(&f, "a/b", "");
    files_add(&f, ".gitignore", "x\n");
    search_check_memory(haft__files_glob, &f, ask("{a,b}/*", ""));
    files_remove(&f);
}
