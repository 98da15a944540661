/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/input/line_reader.c. */
#include "cli/input/line_reader.h"

#include <unistd.h>

#include "test.h"

static void make_file(char path[64], const char *text)
{
    (void)snprintf(path, 64, "/tmp/haft-lines-test-XXXXXX");
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "wb");
    (void)fputs(text, file);
    (void)fclose(file);
}

/* All lines, each in <>, a line that is too long as "!". */
static haft_str all_lines(const char *text, size_t max)
{
    char path[64];
    make_file(path, text);
    haft__line_reader lines;
    haft_error err;
    CHECK_INT(haft__line_reader_open(&lines, path, max, &err), HAFT_OK, "%s", err.message);
    char *result = test_alloc(1000);
    size_t length = 0;
    for (bool more = true; more;) {
        haft_str line;
        haft_status status = haft__line_reader_next(&lines, &line, &more, &err);
        if (status == HAFT_TOO_BIG) {
            result[length++] = '!';
            char place[80];
            (void)snprintf(place, sizeof(place), "%s:%zu", path, lines.number);
            CHECK_STR(haft__str(err.where), haft__str(place), "where");
        } else if (more) {
            CHECK_INT(status, HAFT_OK, "line %zu", lines.number);
            length += (size_t)snprintf(result + length, 100, "<%.*s>", HAFT__ARG(line));
        }
    }
    haft__line_reader_close(&lines);
    (void)unlink(path);
    return (haft_str){result, length};
}

TEST(lines_have_no_line_ends)
{
    static const struct {
        const char *text, *wanted;
        size_t max;
    } cases[] = {
        {"", "", 10},
        {"a", "<a>", 10},
        {"a\n", "<a>", 10},
        {"a\nb", "<a><b>", 10},
        {"\n\na\n\n", "<><><a><>", 10},
        {"a\r\nb\r", "<a><b>", 10},
        {"1234\n12345\n1", "<1234>!<1>", 4},
        {"12345", "!", 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(all_lines(cases[i].text, cases[i].max), haft__str(cases[i].wanted), "%s",
                  cases[i].text);
    }
}

TEST(missing_and_unreadable_files_are_errors)
{
    haft__line_reader lines;
    haft_error err;
    CHECK_INT(haft__line_reader_open(&lines, "/nonexistent", 10, &err), HAFT_IO,
              "status of a missing file");
    CHECK_STR(haft__str(err.message), HAFT__LIT("cannot be opened: No such file or directory"),
              "message of a missing file");
    CHECK_INT(haft__line_reader_open(&lines, "/", 10, &err), HAFT_OK, "a directory opens");
    haft_str line;
    bool more;
    CHECK_INT(haft__line_reader_next(&lines, &line, &more, &err), HAFT_IO,
              "status of reading a directory");
    CHECK_STR(haft__str(err.message), HAFT__LIT("cannot be read: Is a directory"),
              "message of reading a directory");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/"), "where of reading a directory");
    haft__line_reader_close(&lines);
}

TEST(out_of_memory_for_a_line_is_reported)
{
    char path[64];
    make_file(path, "abc\n");
    haft__line_reader lines;
    haft_error err;
    CHECK_INT(haft__line_reader_open(&lines, path, 10, &err), HAFT_OK, "opening");
    haft_str line;
    bool more;
    /* stdio allocates its buffer here, so that the next allocation is ours. */
    int first = getc(lines.file);
    (void)ungetc(first, lines.file);
    test_fail_allocations_from(0);
    haft_status status = haft__line_reader_next(&lines, &line, &more, &err);
    CHECK(test_allow_allocations(), "no allocation failed");
    CHECK_INT(status, HAFT_NO_MEMORY, "status of reading");
    haft__line_reader_close(&lines);
    (void)unlink(path);
}
