/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/limits.h"
#include "exec/search_help.h"

static haft__files_request ask(const char *pattern, const char *path, const char *glob)
{
    return (haft__files_request){
        .pattern = haft__str(pattern), .path = haft__str(path), .glob = haft__str(glob)};
}

static void check(const files *f, const char *pattern, const char *path, const char *glob,
                  const char *wanted)
{
    search_check(haft__files_grep, f, ask(pattern, path, glob), wanted);
}

FILES_TEST(lines_that_match_come_with_path_and_number)
{
    files f = files_make();
    files_add(&f, "a.c", "int main(void)\n{\n    return 0;\n}\n");
    files_add(&f, "b/c.md", "# main\r\n\r\nno newline at the end: main");
    files_add(&f, "b/d.txt", "\n\nMain\n");
    check(&f, "main", "", "",
          "a.c:1:int main(void)\nb/c.md:1:# main\nb/c.md:3:no newline at the "
          "end: main");
    check(&f, "(?i)main$", "", "",
          "b/c.md:1:# main\nb/c.md:3:no newline at the end: main\nb/d.txt:3:Main");
    check(&f, "main", "b", "", "b/c.md:1:# main\nb/c.md:3:no newline at the end: main");
    check(&f, "main", "b/c.md", "", "b/c.md:1:# main\nb/c.md:3:no newline at the end: main");
    check(&f, "(?i)main", "", "*.txt", "b/d.txt:3:Main");
    check(&f, "(?i)main", "b", "*.{c,txt}", "b/d.txt:3:Main");
    check(&f, "main", "", "b/*.md", "b/c.md:1:# main\nb/c.md:3:no newline at the end: main");
    check(&f, "main", "a.c", "*.md", "a.c:1:int main(void)"); /* a file that is named is searched */
    check(&f, "^\\s*$", "", "", "b/c.md:2:\nb/d.txt:1:\nb/d.txt:2:");
    check(&f, "^", "b/d.txt", "", "b/d.txt:1:\nb/d.txt:2:\nb/d.txt:3:Main");
    check(&f, "return\\s+\\d;", "", "", "a.c:3:    return 0;");
    files_remove(&f);
}

FILES_TEST(the_searched_files_are_reported_when_nothing_matches)
{
    files f = files_make();
    files_add(&f, "a", "x\n");
    check(&f, "y", "", "", "(no line matches 'y'; 1 file was searched)");
    files_add(&f, "empty", "");
    files_add_bytes(&f, "binary", HAFT__LIT("x\0y\n"));
    files_add_bytes(&f, "image", HAFT__LIT("\0"));
    check(&f, "y", "", "",
          "(no line matches 'y'; 2 files were searched; 2 binary files were left out)");
    check(&f, "x", "", "", "a:1:x\n(2 binary files were left out)");
    check(&f, "y", "binary", "",
          "(no line matches 'y'; 0 files were searched; 1 binary file was left out)");
    check(&f, "a\tb", "empty", "", "(no line matches 'a\\tb'; 1 file was searched)");
    files_remove(&f);
}

FILES_TEST(wrong_arguments_of_grep_are_reported)
{
    files f = files_make();
    files_add(&f, "docs/a.md", "x");
    files_link(&f, "passwd", "/etc/passwd");
    CHECK_INT(mkfifo(files_path(&f, "fifo"), 0644), 0, "no FIFO");
    static const struct {
        const char *pattern, *path, *glob, *message, *where;
    } cases[] = {
        {"(", "", "",
         "the pattern is not a valid regular expression: missing closing parenthesis "
         "(character 2)",
         "/pattern"},
        {"a\\nb", "", "",
         "the pattern contains a line feed (character 2), but each line is matched by itself",
         "/pattern"},
        {"x", "", "/abs", "the pattern '/abs' starts with '/'", "/glob"},
        {"x", "", "{", "the braces in '{' are unbalanced", "/glob"},
        {"x", "doc", "", "there is no 'doc'", "/path"},
        {"x", "/etc", "", "the path is outside the root: it starts with '/'", "/path"},
        {"x", "passwd", "", "'passwd' is a symbolic link, which is not followed", "/path"},
        {"x", "fifo", "", "'fifo' is neither a file nor a directory", "/path"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        searched s =
            search_run(haft__files_grep, &f, ask(cases[i].pattern, cases[i].path, cases[i].glob));
        CHECK(s.status != HAFT_OK, "%s", cases[i].pattern);
        CHECK_STR(haft__str(s.error.message), haft__str(cases[i].message), "message");
        CHECK_STR(haft__str(s.error.where), haft__str(cases[i].where), "where");
    }
    haft__files_request search = ask("x", "", "");
    search.root = HAFT__LIT("/no/such/root");
    CHECK_INT(search_run(haft__files_grep, &f, search).status, HAFT_IO,
              "a root that does not exist");
    files_remove(&f);
}

FILES_TEST(links_and_special_files_are_not_searched)
{
    files f = files_make();
    files_add(&f, "root/a", "root:public\n");
    files_add(&f, "outside/b", "root:secret\n");
    files_link(&f, "root/passwd", "/etc/passwd");
    files_link(&f, "root/out", "../outside");
    files_link(&f, "root/b", "../outside/b");
    CHECK_INT(mkfifo(files_path(&f, "root/fifo"), 0644), 0, "no FIFO");
    (void)mknod(files_path(&f, "root/zero"), S_IFCHR | 0666, makedev(1, 5));
    files root = files_below(&f, "root");
    check(&root, "root:", "", "", "a:1:root:public");
    files_remove(&f);
}

FILES_TEST(ignored_and_hidden_files_are_not_searched_unless_named)
{
    files f = files_make();
    files_add(&f, "a", "x\n");
    files_add(&f, "build/b", "x\n");
    files_add(&f, ".env", "x\n");
    files_add(&f, ".git/config", "x\n");
    files_add(&f, ".gitignore", "build\n");
    check(&f, "x", "", "", "a:1:x");
    check(&f, "x", "build", "", "build/b:1:x");
    check(&f, "x", "build/b", "", "build/b:1:x");
    check(&f, "x", ".env", "", ".env:1:x");
    check(&f, "x", "", ".*", ".env:1:x");
    files_remove(&f);
}

FILES_TEST(names_are_escaped_and_invalid_bytes_are_replaced)
{
    files f = files_make();
    files_add(&f, "a\nb:1:forged", "x\n");
    files_add(&f, "c", "x\xff\x1b\n");
    check(&f, "x", "", "", "a\\nb:1:forged:1:x\nc:1:x?\x1b");
    files_remove(&f);
}

/* ---- limits ---- */

static haft_str lines_of(const char *text, size_t count)
{
    size_t length = strlen(text);
    char *lines = test_alloc(count * length);
    for (size_t i = 0; i < count; i++) {
        memcpy(lines + i * length, text, length);
    }
    return (haft_str){lines, count * length};
}

static bool ends(const files *f, uint64_t limit, const char *end)
{
    haft__files_request search = ask("x", "", "");
    search.limit = limit;
    searched s = search_run(haft__files_grep, f, search);
    CHECK_INT(s.status, HAFT_OK, "%s", s.error.message);
    bool right = haft__str_ends_with(s.text, haft__str(end));
    if (!right) {
        printf("# ends in %.*s\n", HAFT__ARG(haft__str_skip(s.text, s.text.len - 80)));
    }
    return right;
}

FILES_TEST(the_lines_of_a_grep_result_are_bounded)
{
    files f = files_make();
    files_add_bytes(&f, "a", lines_of("x\n", HAFT__LIMIT_FILES_GREP_DEFAULT));
    CHECK(ends(&f, 0, "\na:100:x"), "lines at the default limit");
    files_add_bytes(&f, "a", lines_of("x\n", HAFT__LIMIT_FILES_GREP_DEFAULT + 1));
    CHECK(ends(&f, 0,
               "\na:100:x\n(there are more matching lines: narrow the search or raise `limit`)"),
          "one line past the default limit");
    CHECK(ends(&f, 2,
               "a:1:x\na:2:x\n(there are more matching lines: narrow the search or raise "
               "`limit`)"),
          "a limit of two");
    CHECK(ends(&f, 101, "\na:101:x"), "a limit of all lines");
    files_add_bytes(&f, "a", lines_of("x\n", HAFT__LIMIT_FILES_GREP_LINES));
    CHECK(ends(&f, UINT64_MAX, "\na:2000:x"), "at the limit");
    files_add_bytes(&f, "b", HAFT__LIT("x"));
    CHECK(ends(&f, UINT64_MAX, "\na:2000:x\n(there are more matching lines: narrow the search)"),
          "one past the limit");
    files_remove(&f);
}

FILES_TEST(a_long_line_is_cut_around_its_match)
{
    files f = files_make();
    char *text = test_alloc(1000);
    memset(text, 'a', 1000);
    text[0] = 'x';
    files_add_bytes(&f, "a", (haft_str){text, HAFT__LIMIT_FILES_GREP_LINE_BYTES});
    searched s = search_run(haft__files_grep, &f, ask("x", "", ""));
    CHECK_INT(s.text.len, 4 + HAFT__LIMIT_FILES_GREP_LINE_BYTES, "at the limit");
    files_add_bytes(&f, "a", (haft_str){text, HAFT__LIMIT_FILES_GREP_LINE_BYTES + 1});
    s = search_run(haft__files_grep, &f, ask("x", "", ""));
    CHECK_INT(s.text.len, 4 + HAFT__LIMIT_FILES_GREP_LINE_BYTES + 3, "one past the limit");
    text[0] = 'a';
    text[900] = 'x';
    files_add_bytes(&f, "a", (haft_str){text, 1000});
    s = search_run(haft__files_grep, &f, ask("x", "", ""));
    CHECK(haft__str_starts_with(s.text, HAFT__LIT("a:1:...aaa")), "the cut is not marked");
    CHECK(memchr(s.text.ptr, 'x', s.text.len) != NULL, "the match is not shown");
    files_remove(&f);
}

FILES_TEST(the_bytes_of_a_grep_result_are_bounded)
{
    files f = files_make();
    char line[400];
    (void)snprintf(line, sizeof(line), "x%0397d\n", 0);
    files_add_bytes(&f, "a", lines_of(line, 2000));
    CHECK(ends(&f, 2000, "0\n(there are more matching lines: narrow the search)"),
          "no note that there are more lines");
    searched s = search_run(haft__files_grep, &f,
                            (haft__files_request){.pattern = HAFT__LIT("x"), .limit = 2000});
    CHECK(s.text.len > HAFT__LIMIT_FILES_RESULT_BYTES - 1000, "%zu bytes only", s.text.len);
    files_remove(&f);
}

/* Tries lines of all lengths around the size of a block, so that a block ends at each position. */
FILES_TEST(grep_finds_lines_wherever_a_block_ends)
{
    files f = files_make();
    for (size_t shift = 0; shift < 40; shift++) {
        size_t length = (size_t)3 * 64 * 1024;
        char *text = test_alloc(length), wanted[64];
        memset(text, 'a', length);
        uint64_t line = 1;
        size_t target = 64 * 1024 - 20 + shift;
        for (size_t i = 0; i < length; i++) {
            if (i % 37 == 36 && i != target) {
                text[i] = '\n';
                line += i < target;
            }
        }
        text[target] = 'x';
        files_add_bytes(&f, "a", (haft_str){text, length});
        searched s = search_run(haft__files_grep, &f, ask("x", "", ""));
        (void)snprintf(wanted, sizeof(wanted), "a:%llu:", (unsigned long long)line);
        CHECK(haft__str_starts_with(s.text, haft__str(wanted)), "shift %zu: wanted %s, found %.*s",
              shift, wanted, HAFT__ARG(s.text));
        CHECK(memchr(s.text.ptr, '\n', s.text.len) == NULL, "shift %zu: more than one line", shift);
    }
    files_remove(&f);
}

/* The file has so many lines with a needle but without a match that the search stops using needles,
 * matching lines before and after that, and a last line without a line feed. */
FILES_TEST(grep_finds_all_lines_if_needles_are_common)
{
    files f = files_make();
    for (size_t before = 60; before < 70; before++) {
        haft__buf text;
        char wanted[96];
        haft__buf_init(&text, 10000);
        haft__buf_addf(&text, "xy\n");
        for (size_t i = 0; i < before; i++) {
            haft__buf_addf(&text, "x %zu\n", i);
        }
        haft__buf_addf(&text, "x y\nx\nn\nx  y");
        files_add_bytes(&f, "a", haft__buf_str(&text));
        (void)snprintf(wanted, sizeof(wanted), "a:1:xy\na:%zu:x y\na:%zu:x  y", before + 2,
                       before + 5);
        check(&f, "x *y", "", "", wanted);
        check(&f, "x *y$|n m", "", "", wanted);
        haft__buf_finish(&text);
    }
    files_remove(&f);
}

FILES_TEST(a_line_is_matched_as_a_whole_up_to_its_limit)
{
    files f = files_make();
    size_t max = HAFT__LIMIT_FILES_SEARCH_BYTES;
    char *text = test_alloc(2 * max + 10);
    memset(text, 'a', 2 * max + 10);
    text[0] = 'x';
    text[max - 2] = 'y';
    text[max - 1] = '\n';
    memcpy(text + max, "xy\n", 3);
    files_add_bytes(&f, "a", (haft_str){text, max + 3});
    searched s = search_run(haft__files_grep, &f, ask("^x.*y$", "", ""));
    CHECK(haft__str_starts_with(s.text, HAFT__LIT("a:1:xaaa")), "at the limit: %.*s",
          HAFT__ARG(s.text));
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("\na:2:xy")), "the line after it");
    text[max - 2] = text[max - 1] = 'a';
    text[max] = 'y';
    text[max + 1] = '\n';
    memcpy(text + max + 2, "xy\n", 3);
    files_add_bytes(&f, "a", (haft_str){text, max + 5});
    check(&f, "^x.*y$", "", "", "a:2:xy");
    /* A long line is searched in pieces, but reported once. */
    memset(text, 'x', 2 * max + 10);
    text[2 * max + 5] = '\n';
    files_add_bytes(&f, "a", (haft_str){text, 2 * max + 10});
    s = search_run(haft__files_grep, &f, ask("x", "", ""));
    CHECK(haft__str_ends_with(s.text, HAFT__LIT("x...\na:2:xxxx")),
          "a long line was reported more than once");
    files_remove(&f);
}

FILES_TEST(a_huge_file_is_searched_up_to_its_limit)
{
    files f = files_make();
    size_t max = HAFT__LIMIT_FILES_FILE_BYTES;
    char *text = test_alloc(max + 1);
    memset(text, 'a', max + 1);
    for (size_t i = 1023; i < max; i += 1024) {
        text[i] = '\n';
    }
    text[max - 2] = 'x';
    files_add_bytes(&f, "a", (haft_str){text, max});
    CHECK(ends(&f, 0, "ax"), "at the limit");
    text[max] = 'x';
    text[max - 2] = 'a';
    files_add_bytes(&f, "a", (haft_str){text, max + 1});
    check(&f, "x", "", "",
          "(no line matches 'x'; 1 file was searched; only the first 67108864 bytes of 1 file were "
          "searched)");
    files_add(&f, "sparse", "");
    CHECK_INT(truncate(files_path(&f, "sparse"), (off_t)1 << 40), 0, "%s", strerror(errno));
    check(&f, "x", "sparse", "",
          "(no line matches 'x'; 0 files were searched; 1 binary file was left out)");
    files_remove(&f);
}

FILES_TEST(a_pattern_that_backtracks_without_end_is_reported)
{
    files f = files_make();
    files_add(&f, "fine", "aaa\n");
    files_add(&f, "hard", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
    search_check_error(haft__files_grep, &f, ask("(a+)+$", "", ""),
                       "the pattern needs more than 100000 steps in 'hard'", "/pattern",
                       "write it without a repeat inside a repeat, such as (a+)+, or choose other "
                       "files");
    check(&f, "(a+)+$", "fine", "", "fine:1:aaa");
    files_remove(&f);
}

/* ---- failures during a search ---- */

static void grep_without_rights(void *context)
{
    check(context, "x", "", "", "c:1:x\n(1 file could not be read; 1 directory could not be read)");
}

FILES_TEST(files_that_cannot_be_read_are_counted)
{
    files f = files_make();
    files_add(&f, "a", "x\n");
    files_add(&f, "b/x", "x\n");
    files_add(&f, "c", "x\n");
    CHECK_INT(chmod(files_path(&f, "a"), 0), 0, "chmod");
    CHECK_INT(chmod(files_path(&f, "b"), 0), 0, "chmod");
    (void)search_unprivileged(grep_without_rights, &f);
    CHECK_INT(chmod(files_path(&f, "b"), 0755), 0, "chmod");
    files_remove(&f);
}

FILES_TEST(a_file_that_fails_while_it_is_searched_is_counted)
{
    files f = files_make();
    haft__files_request search = ask("x", "mem", "");
    search.root = HAFT__LIT("/proc/self"); /* its files cannot be read at their beginning */
    search_check(haft__files_grep, &f, search,
                 "(no line matches 'x'; 0 files were searched; 1 file could not be read)");
    files_remove(&f);
}

FILES_TEST(searches_while_links_change_stay_below_the_root)
{
    files f = files_make();
    files_add(&f, "outside/name", "a secret\n");
    files_add(&f, "root/d/name", "a public\n");
    files_link(&f, "root/l", "../outside");
    files root = files_below(&f, "root");
    files_swapper s;
    files_swap(&s, &f, "root/d", "root/l");
    size_t found = 0, missed = 0;
    for (int i = 0; i < 5000 && (found < 100 || missed < 20); i++) {
        searched done = search_run(haft__files_grep, &root, ask("^a ", "", ""));
        CHECK_INT(done.status, HAFT_OK, "%s", done.error.message);
        bool right = haft__str_ends_with(done.text, HAFT__LIT(":a public"));
        found += right;
        missed += !right;
        CHECK(right || haft__str_starts_with(done.text, HAFT__LIT("(no line matches '^a '")),
              "round %d: %.*s", i, HAFT__ARG(done.text));
    }
    files_swap_end(&s);
    CHECK(found > 0, "nothing was found at all");
    files_remove(&f);
}

FILES_TEST(grep_stops_when_cancelled)
{
    files f = files_make();
    files_add(&f, "a", "x\n");
    atomic_bool stop = true;
    haft__files_request search = ask("x", "", "");
    search.stop = &stop;
    CHECK_INT(search_run(haft__files_grep, &f, search).status, HAFT_BAD_STATE, "a directory");
    search.path = HAFT__LIT("a");
    CHECK_INT(search_run(haft__files_grep, &f, search).status, HAFT_BAD_STATE, "a file");
    files_remove(&f);
}

FILES_TEST(grep_reports_a_failed_allocation)
{
    files f = files_make();
    files_add(&f, "a", "x\n");
    char *text = test_alloc(100000); /* long enough that a block has to grow */
    memset(text, 'x', 100000);
    files_add_bytes(&f, "b", (haft_str){text, 100000});
    for (unsigned n = 0; n < 10000; n++) {
        haft__buf result;
        haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
        haft__files_request search = ask("[^y]x|x", "", "{a,b}");
        search.root = haft__str(f.path);
        test_fail_allocation(n);
        haft_status status = haft__files_grep(&search, &result, NULL);
        bool failed = test_allow_allocations();
        /* Without memory for machine code, the expression is interpreted. */
        CHECK(status == HAFT_NO_MEMORY || status == HAFT_OK, "allocation %u: %d", n, (int)status);
        haft__buf_finish(&result);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "the search if no allocation fails");
            CHECK(n > 10, "only %u allocations", n);
            break;
        }
    }
    files_remove(&f);
}
