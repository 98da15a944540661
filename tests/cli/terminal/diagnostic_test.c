/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/diagnostic.c. */
#include "cli/terminal/diagnostic.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "test.h"

static haft_str finish(FILE *file, char **text, const size_t *length)
{
    (void)fclose(file);
    char *kept = test_alloc(*length + 1);
    memcpy(kept, *text, *length);
    kept[*length] = '\0';
    free(*text);
    return (haft_str){kept, *length};
}

static haft_str print_diagnostic(const haft__diagnostic *diagnostic)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    haft__diagnostic_print(file, diagnostic);
    return finish(file, &text, &length);
}

TEST(the_caret_is_below_the_error)
{
    static const struct {
        uint32_t column, extent;
        const char *line, *wanted; /* the two lines without their indent */
    } cases[] = {
        {1, 0, "abc", "abc\n    ^\n"},
        {1, 1, "abc", "abc\n    ^\n"},
        {2, 2, "abc", "abc\n     ^~\n"},
        {2, 99, "abc", "abc\n     ^~\n"},
        {4, 0, "abc", "abc\n       ^\n"},
        {9, 0, "abc", "abc\n       ^\n"}, /* a column after the end: the caret is at the end */
        {3, 0, "\ta", "\ta\n    \t ^\n"},
        {2, 1, "\ta", "\ta\n    \t^\n"},
        {1, 2, "\ta", "\ta\n    ^~\n"},
        {2, 2, "\xE4\xB8\xAD\xE6\x96\x87x", "\xE4\xB8\xAD\xE6\x96\x87x\n      ^~~\n"},
        {3, 1, "e\xCC\x81x", "e\xCC\x81x\n     ^\n"},
        {2, 1, "\x1bx", "\\u001bx\n          ^\n"},
        {1, 2, "\x1bx", "\\u001bx\n    ^~~~~~~\n"},
        {2, 1, "\xffx", "\\xffx\n        ^\n"},
        {2, 1, "\xE2\x80\xAEx", "\\u202ex\n          ^\n"},
        {0, 0, "no caret", "no caret\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__diagnostic c = {.file_or_option = HAFT__LIT("f"),
                              .line = 7,
                              .column = cases[i].column,
                              .extent = cases[i].extent,
                              .source_line = haft__str(cases[i].line),
                              .message = HAFT__LIT("m")};
        char wanted[256];
        (void)snprintf(wanted, sizeof(wanted), "f:7:%u: error: m\n    %s", cases[i].column,
                       cases[i].wanted);
        CHECK_STR(print_diagnostic(&c), haft__str(wanted), "case %zu", i);
    }
}

TEST(a_long_line_is_cut_around_the_caret)
{
    char line[301], wanted[512];
    memset(line, 'x', 300);
    line[300] = '\0';
    line[199] = '!';
    haft__diagnostic c = {.file_or_option = HAFT__LIT("f"),
                          .line = 1,
                          .column = 200,
                          .extent = 101,
                          .source_line = haft__str(line),
                          .message = HAFT__LIT("m")};
    (void)snprintf(wanted, sizeof(wanted), "f:1:200: error: m\n    ...%.60s!%.39s...\n%*s^%.39s\n",
                   line, line, 67, "",
                   "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    CHECK_STR(print_diagnostic(&c), haft__str(wanted), "cut at both ends");
    c.column = 61;
    c.extent = 1;
    (void)snprintf(wanted, sizeof(wanted), "f:1:61: error: m\n    %.100s...\n%*s^\n", line, 64, "");
    CHECK_STR(print_diagnostic(&c), haft__str(wanted), "cut at the end");
}

TEST(warning_about_an_option_with_a_hint)
{
    haft__diagnostic c = {.file_or_option = HAFT__LIT("--set"),
                          .column = 3,
                          .option = true,
                          .warning = true,
                          .source_line = HAFT__LIT("a=b"),
                          .message = HAFT__LIT("m\x1b"),
                          .hint = HAFT__LIT("h\n")};
    CHECK_STR(print_diagnostic(&c),
              HAFT__LIT("--set: warning: m\\u001b\n    a=b\n      ^\n    hint: h\\u000a\n"),
              "output");
}

TEST(the_summary_counts_problems)
{
    static const struct {
        size_t errors, warnings, printed_count;
        const char *wanted;
    } cases[] = {
        {1, 0, 1, "1 error in f\n"},
        {2, 1, 3, "2 errors, 1 warning in f\n"},
        {0, 2, 2, "2 warnings in f\n"},
        {200, 1, 100, "200 errors, 1 warning in f; only 100 are shown\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        haft__diagnostic_print_summary(file, HAFT__LIT("f"), cases[i].errors, cases[i].warnings,
                                       cases[i].printed_count);
        CHECK_STR(finish(file, &text, &length), haft__str(cases[i].wanted), "case %zu", i);
    }
}

static haft_str print_error(const haft_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__diagnostic_print_error(file, &arena, err);
    haft__arena_finish(&arena);
    return finish(file, &text, &length);
}

TEST(error_with_a_file_location_prints_the_line)
{
    char path[] = "/tmp/haft-diagnostic-XXXXXX", where[128], wanted[512];
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "one\ntwo\n", 8) == 8, "cannot write the file");
    (void)close(fd);
    haft_error err = {0};
    (void)snprintf(where, sizeof(where), "%s:2:3", path);
    (void)haft__fail(&err, HAFT_BAD_INPUT, where, "m");
    (void)snprintf(wanted, sizeof(wanted), "%s:2:3: error: m\n    two\n      ^\n", path);
    CHECK_STR(print_error(&err), haft__str(wanted), "output");
    static const char *const not_locations[] = {":0:1", ":2:0", ":2", ":x:1", ":2:3 (byte 6)", ""};
    for (size_t i = 0; i < COUNT(not_locations); i++) {
        (void)snprintf(where, sizeof(where), "%s%s", path, not_locations[i]);
        (void)haft__fail(&err, HAFT_BAD_INPUT, where, "m");
        (void)haft__hint(&err, HAFT_BAD_INPUT, "h");
        (void)snprintf(wanted, sizeof(wanted), "haft: %s: m\nhint: h\n", where);
        CHECK_STR(print_error(&err), haft__str(wanted), "case %zu", i);
    }
    (void)unlink(path);
    static const char *const unreadable[] = {"/tmp:1:1", "/dev/null:1:1", "/nowhere:1:1", ":1:1"};
    for (size_t i = 0; i < COUNT(unreadable); i++) {
        (void)haft__fail(&err, HAFT_BAD_INPUT, unreadable[i], "m");
        (void)snprintf(wanted, sizeof(wanted), "haft: %s: m\n", unreadable[i]);
        CHECK_STR(print_error(&err), haft__str(wanted), "case %zu", i);
    }
}

TEST(json_error_prints_its_line)
{
    haft_error err = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    (void)haft__fail(&err, HAFT_BAD_INPUT, "f:2:2 (byte 4)", "m");
    haft__diagnostic_print_json_error(file, "f", HAFT__LIT("[1\n ,]"), false, &err);
    (void)haft__fail(&err, HAFT_BAD_INPUT, "", "no place");
    haft__diagnostic_print_json_error(file, "--args", HAFT__LIT("{"), true, &err);
    CHECK_STR(finish(file, &text, &length),
              HAFT__LIT("f:2:2: error: m\n     ,]\n     ^\n--args: error: no place\n"), "output");
}

/* Returns what a diagnostic looks like on a new pseudo-terminal. */
static haft_str print_on_terminal(void)
{
    static char seen[512];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        test_skip("cannot open a pseudo-terminal");
        return (haft_str){NULL, 0};
    }
    char name[64];
    (void)ptsname_r(master, name, sizeof(name));
    FILE *terminal = fopen(name, "we");
    haft__diagnostic c = {.file_or_option = HAFT__LIT("f"), .message = HAFT__LIT("m")};
    haft__diagnostic_print(terminal, &c);
    (void)fflush(terminal);
    ssize_t got = read(master, seen, sizeof(seen));
    (void)fclose(terminal);
    (void)close(master);
    return (haft_str){seen, got > 0 ? (size_t)got : 0};
}

TEST(colours_are_used_only_on_terminals_that_support_them)
{
    static const struct {
        const char *term, *no_color;
        bool coloured;
    } cases[] = {
        {"xterm", NULL, true}, {"xterm", "", true}, {"xterm", "1", false},
        {"dumb", NULL, false}, {NULL, NULL, false}, {"", NULL, false},
    };
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)(cases[i].term != NULL ? setenv("TERM", cases[i].term, 1) : unsetenv("TERM"));
        (void)(cases[i].no_color != NULL ? setenv("NO_COLOR", cases[i].no_color, 1)
                                         : unsetenv("NO_COLOR"));
        haft_str seen = print_on_terminal();
        if (seen.ptr == NULL) {
            break;
        }
        CHECK_INT(memchr(seen.ptr, '\033', seen.len) != NULL, cases[i].coloured,
                  "case %zu: whether there are colours", i);
    }
    (void)(term != NULL ? setenv("TERM", term, 1) : unsetenv("TERM"));
    (void)(no != NULL ? setenv("NO_COLOR", no, 1) : unsetenv("NO_COLOR"));
}
