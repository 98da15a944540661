/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/limits.h"
#include "exec/search_help.h"

static haft__files_request ask(const char *path, uint64_t offset, uint64_t limit)
{
    return (haft__files_request){.path = haft__str(path), .offset = offset, .limit = limit};
}

static searched run(const files *f, const char *path, uint64_t offset, uint64_t limit)
{
    return search_run(haft__files_read, f, ask(path, offset, limit));
}

FILES_TEST(lines_come_with_their_numbers)
{
    files f = files_make();
    static const struct {
        haft_str content;
        uint64_t offset, limit;
        const char *wanted;
    } cases[] = {
        {HAFT__LIT("a\nb\n"), 0, 0, "     1\ta\n     2\tb"},
        {HAFT__LIT("a\nb"), 0, 0, "     1\ta\n     2\tb"},
        {HAFT__LIT("a\r\nb\r\n"), 0, 0, "     1\ta\n     2\tb"},
        {HAFT__LIT("\n\n"), 0, 0, "     1\t\n     2\t"},
        {HAFT__LIT(""), 0, 0, "(the file is empty)"},
        {HAFT__LIT(""), 5, 0, "(the file is empty)"},
        {HAFT__LIT("a\nb\nc\n"), 2, 0, "     2\tb\n     3\tc\n(lines 2 to 3 of 3)"},
        {HAFT__LIT("a\nb\nc\n"), 2, 1, "     2\tb\n(lines 2 to 2 of 3; continue with offset 3)"},
        {HAFT__LIT("a\nb\nc\n"), 1, 3, "     1\ta\n     2\tb\n     3\tc"},
        {HAFT__LIT("a\nb\nc\n"), 3, 1, "     3\tc\n(lines 3 to 3 of 3)"},
        {HAFT__LIT("a\nb\nc\n"), 1, UINT64_MAX, "     1\ta\n     2\tb\n     3\tc"},
        {HAFT__LIT("\xff\xfe\n"), 0, 0, "     1\t??"},
        {HAFT__LIT("\tx\n"), 0, 0, "     1\t\tx"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        files_add_bytes(&f, "x", cases[i].content);
        search_check(haft__files_read, &f, ask("x", cases[i].offset, cases[i].limit),
                     cases[i].wanted);
    }
    files_remove(&f);
}

FILES_TEST(errors_of_read_have_a_hint)
{
    files f = files_make();
    files_add(&f, "docs/a.md", "1\n2\n");
    files_add(&f, "docs/one", "1\n");
    files_add_bytes(&f, "binary", HAFT__LIT("ELF\0\1\2"));
    files_link(&f, "passwd", "/etc/passwd");
    CHECK_INT(mkfifo(files_path(&f, "fifo"), 0644), 0, "no FIFO");
    static const struct {
        const char *path;
        uint64_t offset;
        const char *message, *where, *hint;
    } cases[] = {
        {"docs/b.md", 0, "there is no 'docs/b.md'", "/path", "did you mean 'docs/a.md'?"},
        {"docs", 0, "'docs' is a directory, expected a file", "/path",
         "list its files with glob: pattern '*' and this path"},
        {"docs/a.md", 3, "line 3 does not exist: the file has 2 lines", "/offset",
         "the lines are 1 to 2"},
        {"docs/one", UINT64_MAX, "line 18446744073709551615 does not exist: the file has 1 line",
         "/offset", "the lines are 1 to 1"},
        {"binary", 0, "'binary' is a binary file, expected a text file", "/path",
         "one of its first 8192 bytes is NUL"},
        {"passwd", 0, "'passwd' is a symbolic link, which is not followed", "/path",
         "it points to '/etc/passwd': use that path if it is inside the root"},
        {"fifo", 0, "'fifo' is neither a file nor a directory", "/path", ""},
        {"/etc/passwd", 0, "the path is outside the root: it starts with '/'", "/path",
         "paths are relative to the root, such as 'docs/a.md'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        search_check_error(haft__files_read, &f, ask(cases[i].path, cases[i].offset, 0),
                           cases[i].message, cases[i].where, cases[i].hint);
    }
    haft__files_request search = ask("a", 0, 0);
    search.root = HAFT__LIT("/no/such/root");
    CHECK_INT(search_run(haft__files_read, &f, search).status, HAFT_IO,
              "a root that does not exist");
    files_remove(&f);
}

/* A file with as many lines as asked for: "1", "2", ... */
static void add_lines(const files *f, const char *path, size_t count)
{
    haft__buf text;
    haft__buf_init(&text, (size_t)1 << 30);
    for (size_t i = 1; i <= count; i++) {
        haft__buf_addf(&text, "%zu\n", i);
    }
    files_add_bytes(f, path, haft__buf_str(&text));
    haft__buf_finish(&text);
}

FILES_TEST(the_number_of_lines_is_bounded)
{
    files f = files_make();
    add_lines(&f, "x", HAFT__LIMIT_FILES_READ_DEFAULT);
    CHECK(haft__str_ends_with(run(&f, "x", 0, 0).text, HAFT__LIT("\n  2000\t2000")),
          "lines at the default limit");
    add_lines(&f, "x", HAFT__LIMIT_FILES_READ_DEFAULT + 1);
    CHECK(haft__str_ends_with(
              run(&f, "x", 0, 0).text,
              HAFT__LIT("\n  2000\t2000\n(lines 1 to 2000 of 2001; continue with offset 2001)")),
          "one line past the default limit");
    CHECK(haft__str_ends_with(run(&f, "x", 0, HAFT__LIMIT_FILES_READ_DEFAULT + 1).text,
                              HAFT__LIT("\n  2001\t2001")),
          "a larger limit");
    char *many = test_alloc(HAFT__LIMIT_FILES_READ_LINES + 1);
    memset(many, '\n', HAFT__LIMIT_FILES_READ_LINES + 1);
    files_add_bytes(&f, "x", (haft_str){many, HAFT__LIMIT_FILES_READ_LINES});
    CHECK(haft__str_ends_with(run(&f, "x", 0, UINT64_MAX).text, HAFT__LIT("\n 20000\t")),
          "lines at the limit");
    files_add_bytes(&f, "x", (haft_str){many, HAFT__LIMIT_FILES_READ_LINES + 1});
    CHECK(haft__str_ends_with(
              run(&f, "x", 0, UINT64_MAX).text,
              HAFT__LIT("\n 20000\t\n(lines 1 to 20000 of 20001; continue with offset 20001)")),
          "one line past the limit");
    files_remove(&f);
}

FILES_TEST(a_long_line_is_cut)
{
    files f = files_make();
    char *text = test_alloc(300000);
    memset(text, 'a', 300000);
    files_add_bytes(&f, "x", (haft_str){text, HAFT__LIMIT_FILES_READ_LINE_BYTES});
    searched s = run(&f, "x", 0, 0);
    CHECK_INT(s.text.len, 7 + HAFT__LIMIT_FILES_READ_LINE_BYTES, "at the limit");
    files_add_bytes(&f, "x", (haft_str){text, HAFT__LIMIT_FILES_READ_LINE_BYTES + 1});
    s = run(&f, "x", 0, 0);
    CHECK_INT(s.text.len, 7 + HAFT__LIMIT_FILES_READ_LINE_BYTES + 3, "one past the limit");
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("aa...")), "the cut is not marked");
    text[299999] = '\n'; /* a line over several blocks */
    text[299997] = '\n';
    files_add_bytes(&f, "x", (haft_str){text, 300000});
    s = run(&f, "x", 0, 0);
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("aa...\n     2\ta")), "the line after it");
    text[299997] = 'a';
    text[HAFT__LIMIT_FILES_READ_LINE_BYTES] = '\r';
    text[HAFT__LIMIT_FILES_READ_LINE_BYTES + 1] = '\n';
    files_add_bytes(&f, "x", (haft_str){text, HAFT__LIMIT_FILES_READ_LINE_BYTES + 2});
    s = run(&f, "x", 0, 0);
    CHECK_INT(s.text.len, 7 + HAFT__LIMIT_FILES_READ_LINE_BYTES, "a CR counts for the limit");
    files_remove(&f);
}

FILES_TEST(the_bytes_of_a_read_result_are_bounded)
{
    files f = files_make();
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (int i = 0; i < 600; i++) { /* 507 bytes each in the result */
        haft__buf_addf(&text, "%0499d\n", i);
    }
    files_add_bytes(&f, "x", haft__buf_str(&text));
    haft__buf_finish(&text);
    searched s = run(&f, "x", 0, 0);
    size_t fit = (HAFT__LIMIT_FILES_RESULT_BYTES + 1) / 507;
    char wanted[80];
    (void)snprintf(wanted, sizeof(wanted), "\n(lines 1 to %zu of 600; continue with offset %zu)",
                   fit, fit + 1);
    CHECK(haft__str_ends_with(s.text, haft__str(wanted)), "%.*s",
          HAFT__ARG(haft__str_skip(s.text, s.text.len - 60)));
    s = run(&f, "x", fit + 1, 0);
    (void)snprintf(wanted, sizeof(wanted), "\n(lines %zu to 600 of 600)", fit + 1);
    CHECK(haft__str_ends_with(s.text, haft__str(wanted)), "the lines that follow");
    files_remove(&f);
}

/* Only the limit is read of a huge file; a sparse file contains only NULs. */
FILES_TEST(a_huge_file_is_read_up_to_its_limit)
{
    files f = files_make();
    files_add(&f, "sparse", "");
    CHECK_INT(truncate(files_path(&f, "sparse"), (off_t)1 << 40), 0, "%s", strerror(errno));
    CHECK_INT(run(&f, "sparse", 0, 0).status, HAFT_BAD_INPUT, "NULs only");
    char *text = test_alloc(HAFT__LIMIT_FILES_FILE_BYTES + 1);
    memset(text, 'a', HAFT__LIMIT_FILES_FILE_BYTES + 1);
    for (size_t i = 1023; i < HAFT__LIMIT_FILES_FILE_BYTES; i += 1024) {
        text[i] = '\n';
    }
    files_add_bytes(&f, "x", (haft_str){text, HAFT__LIMIT_FILES_FILE_BYTES});
    searched s = run(&f, "x", 65536, 1);
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("\n(lines 65536 to 65536 of 65536)")),
          "at the limit");
    files_add_bytes(&f, "x", (haft_str){text, HAFT__LIMIT_FILES_FILE_BYTES + 1});
    s = run(&f, "x", 65536, 1);
    CHECK(haft__str_ends_with(s.text,
                              HAFT__LIT("\n(lines 65536 to 65536 of more than 65536; only the "
                                        "first 67108864 bytes of a file can be read)")),
          "one past the limit");
    search_check_error(haft__files_read, &f, ask("x", 65537, 0),
                       "line 65537 does not exist: the file has more than can be read, the first "
                       "65536 lines",
                       "/offset", "the lines are 1 to 65536");
    CHECK(
        haft__str_ends_with(run(&f, "x", 1, 1).text,
                            HAFT__LIT("(lines 1 to 1 of more than 65536; continue with offset 2)")),
        "only the first line of a huge file");
    files_remove(&f);
}

FILES_TEST(a_nul_past_the_beginning_is_shown_as_a_question_mark)
{
    files f = files_make();
    char text[8200];
    memset(text, 'a', sizeof(text));
    text[8191] = '\0';
    files_add_bytes(&f, "x", (haft_str){text, sizeof(text)});
    CHECK_INT(run(&f, "x", 0, 0).status, HAFT_BAD_INPUT, "a NUL in the first 8192 bytes");
    text[8191] = '\n';
    text[8192] = '\0';
    files_add_bytes(&f, "x", (haft_str){text, sizeof(text)});
    CHECK(haft__str_ends_with(run(&f, "x", 0, 0).text, HAFT__LIT("\t?aaaaaaa")),
          "a NUL after the first 8192 bytes");
    files_remove(&f);
}

FILES_TEST(a_device_is_not_opened)
{
    files f = files_make();
    if (mknod(files_path(&f, "zero"), S_IFCHR | 0666, makedev(1, 5)) != 0) {
        test_skip("a device needs privileges: %s", strerror(errno));
    } else {
        search_check_error(haft__files_read, &f, ask("zero", 0, 0),
                           "'zero' is neither a file nor a directory", "/path", "");
    }
    files_remove(&f);
}

static void read_without_rights(void *context)
{
    search_check_error(haft__files_read, context, ask("a", 0, 0),
                       "'a' cannot be read: Permission denied", "/path", "");
}

FILES_TEST(a_file_without_permission_is_reported)
{
    files f = files_make();
    files_add(&f, "a", "secret");
    CHECK_INT(chmod(files_path(&f, "a"), 0), 0, "chmod");
    (void)search_unprivileged(read_without_rights, &f);
    files_remove(&f);
}

/* The symbolic link of a race is never followed: the result is public, or an error. */
FILES_TEST(reads_while_links_change_stay_below_the_root)
{
    files f = files_make();
    files_add(&f, "outside/name", "secret\n");
    files_add(&f, "root/d/name", "public\n");
    files_link(&f, "root/l", "../outside");
    files root = files_below(&f, "root");
    files_swapper s;
    files_swap(&s, &f, "root/d", "root/l");
    size_t well = 0, refused = 0;
    for (int i = 0; i < 20000 && (well < 200 || refused < 200); i++) {
        searched found = run(&root, "d/name", 0, 0);
        well += found.status == HAFT_OK;
        refused += found.status != HAFT_OK;
        if (found.status == HAFT_OK) {
            CHECK_STR(found.text, HAFT__LIT("     1\tpublic"), "round %d", i);
        }
    }
    files_swap_end(&s);
    CHECK(well > 0 && refused > 0, "%zu reads, %zu refused: no race", well, refused);
    files_remove(&f);
}

/* The memory of a process is a regular file that cannot be read at its beginning. */
FILES_TEST(a_read_error_is_reported)
{
    files f = files_make();
    haft__files_request search = ask("mem", 0, 0);
    search.root = HAFT__LIT("/proc/self");
    search_check_error(haft__files_read, &f, search, "'mem' cannot be read: Input/output error",
                       "/path", "");
    files_remove(&f);
}

FILES_TEST(read_stops_when_cancelled)
{
    files f = files_make();
    files_add(&f, "a", "a\n");
    atomic_bool stop = true;
    haft__files_request search = ask("a", 0, 0);
    search.stop = &stop;
    CHECK_INT(search_run(haft__files_read, &f, search).status, HAFT_BAD_STATE,
              "the search did not stop");
    files_remove(&f);
}

FILES_TEST(read_reports_a_failed_allocation)
{
    files f = files_make();
    files_add(&f, "a", "a\nb\n");
    search_check_memory(haft__files_read, &f, ask("a", 0, 0));
    files_remove(&f);
}
