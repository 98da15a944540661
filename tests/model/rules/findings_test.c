/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/findings.c: files and lines in results, and any other text around them.
 */
#include "model/rules/offline_help.h"
#include "prompt/observation.h"

typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__offline_history past;
    haft__offline_words words;
    haft__offline_findings found;
} fixture;

static void begin(fixture *f, const char *task)
{
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
}

static haft_status read_found(fixture *f)
{
    haft_status status = haft__offline_history_read(&f->r.request, &f->arena, &f->past, NULL);
    if (status == HAFT_OK) {
        status = haft__offline_words_read(f->past.task, &f->arena, &f->words, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__offline_findings_read(&f->past, &f->words, &f->arena, &f->found, NULL);
    }
    return status;
}

/* The files and lines, as "path number:text ..." */
static haft_str list(fixture *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 24);
    CHECK_INT(read_found(f), HAFT_OK, "read the findings");
    for (size_t i = 0; i < f->found.file_count; i++) {
        const haft__offline_file *file = &f->found.files[i];
        haft__buf_addf(&buf, "%s%.*s", i > 0 ? "; " : "", HAFT__ARG(file->path));
        for (size_t k = file->first; k < file->first + file->count; k++) {
            const haft__offline_line *line = &f->found.lines[k];
            haft__buf_addf(&buf, " %u:%.*s", line->number, HAFT__ARG(line->text));
        }
    }
    haft_str kept = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(kinds_of_results_are_recognized)
{
    static const struct {
        const char *tool, *arguments, *result, *found;
    } cases[] = {
        {"glob", "{}", "a.c\n./b.c\nsrc/c d.c\n", "a.c; b.c; src/c d.c"},
        {"glob", "{}", "a.c\r\nb.c\r\n", "a.c; b.c"},
        {"glob", "{}", "a.c\n(2 more files)\n", "a.c"},
        {"glob", "{}", "a.c\na.c\n", "a.c"},
        {"glob", "{}", "", ""},
        {"glob", "{}", "\x01\x02.c\nfine.c", "fine.c"},
        {"grep", "{}", "a.c:3:int x;\na.c:1:int y;\nb.c:2:z", "a.c 1:int y; 3:int x;; b.c 2:z"},
        {"grep", "{}", "a.c:3:one\na.c:3:two\n", "a.c 3:one"},
        {"grep", "{}", "a.c:3:x:4:y\n", "a.c 3:x:4:y"},
        {"grep", "{}", "a:b.c:3:x\n", "a:b.c 3:x"},
        {"grep", "{}", "a.c:0:x\na.c:x:y\na.c:12\n:1:x\na.c:\n", ""},
        {"grep", "{}", "a.c:99999999999:x\na.c:4294967297:y\n", ""},
        {"grep", "{}", "--\na.c-2-before\n(stopped after 100 lines)\n", ""},
        {"grep", "{}", "a.c:7:\n", "a.c 7:"},
        {"grep", "{}", "(no line matches 'a:1:b'; 89 files were searched)", ""},
        {"grep", "{}", "(a).c:7:x\n", "(a).c 7:x"},
        {"grep", "{}", "a.c:7:x\r\na.c:8:\r\n", "a.c 7:x 8:"},
        {"read", "{\"path\":\"a.c\"}", "     1\tint x;\n     2\t\n    10\tlast",
         "a.c 1:int x; 2: 10:last"},
        {"read", "{\"path\":\"./a.c\"}", "1:x\n2\ty\n3 | z\n", "a.c 1:x 2:y"},
        {"read", "{\"path\":\"a.c\"}", "no numbers here\n(cut)\n", "a.c"},
        {"read", "{\"path\":\"\"}", "1\tx", ""},
        {"read", "{}", "1\tx", ""},
        {"read", "nonsense", "1\tx", ""},
        {"other", "{\"path\":\"a.c\"}", "a.c:1:x\n1\tx", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        begin(&f, "");
        offline_request_add(&f.r, cases[i].tool, cases[i].arguments, cases[i].result, false);
        CHECK_STR(list(&f), haft__str(cases[i].found), "%s: %s", cases[i].tool, cases[i].result);
        haft__arena_finish(&f.arena);
    }
}

TEST(read_results_win_over_search_results)
{
    fixture f;
    begin(&f, "gate");
    offline_request_add(&f.r, "grep", "{}", "a.c:2:gate...\na.c:9:gate", false);
    offline_request_add(&f.r, "read", "{\"path\":\"a.c\"}", "1\tone\n2\tgate, whole\n", false);
    CHECK_STR(list(&f), HAFT__LIT("a.c 1:one 2:gate, whole 9:gate"), "lines");
    CHECK_INT(f.found.files[0].read_from, 1, "first line that was read");
    CHECK_INT(f.found.files[0].read_to, 2, "last line that was read");
    CHECK_INT(f.found.files[0].matches, 2, "lines that match");
    haft__arena_finish(&f.arena);
}

TEST(errors_are_not_read_as_results)
{
    fixture f;
    begin(&f, "gate");
    offline_request_add(&f.r, "glob", "{}", "Error.c", true);
    offline_request_add(&f.r, "grep", "{}", "a.c:2:gate", true);
    offline_request_add(&f.r, "grep", "{}", NULL, false);
    offline_request_add(&f.r, "read", "{\"path\":\"a.c\"}", "1\tx", true);
    CHECK_STR(list(&f), HAFT__LIT("a.c"), "the file of the failed read has no lines");
    CHECK(f.found.files[0].unread, "the file is marked as unread");
    haft__arena_finish(&f.arena);
}

TEST(a_truncated_last_line_is_ignored)
{
    fixture f;
    begin(&f, "");
    offline_request_add(&f.r, "glob", "{}", "a.c\nb.c\nhalf-a-na" HAFT__OBSERVATION_MARK, false);
    CHECK_STR(list(&f), HAFT__LIT("a.c; b.c"), "the truncated path is not listed");
    haft__arena_finish(&f.arena);
}

static haft_str many(haft__arena *arena, const char *format, size_t count)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 24);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s%zu%s", format, i + 1, ":1:gate\n");
    }
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

static haft_str many_lines(haft__arena *arena, size_t count)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 24);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "a.c:%zu:gate\n", i + 1);
    }
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(files_and_lines_have_limits)
{
    for (size_t more = 0; more < 2; more++) {
        fixture f;
        begin(&f, "gate");
        haft_str text = many(&f.arena, "f", HAFT__LIMIT_OFFLINE_FILES + more);
        offline_request_add(&f.r, "grep", "{}", text.ptr, false);
        CHECK_INT(read_found(&f), HAFT_OK, "read the findings");
        CHECK_INT(f.found.file_count, HAFT__LIMIT_OFFLINE_FILES, "number of files");
        CHECK_INT(f.found.cut, more > 0, "files are missing");
        haft__arena_finish(&f.arena);
        begin(&f, "gate");
        text = many_lines(&f.arena, HAFT__LIMIT_OFFLINE_LINES + more);
        offline_request_add(&f.r, "grep", "{}", text.ptr, false);
        CHECK_INT(read_found(&f), HAFT_OK, "read the findings");
        CHECK_INT(f.found.line_count, HAFT__LIMIT_OFFLINE_LINES, "number of lines");
        CHECK_INT(f.found.cut, more > 0, "lines are missing");
        haft__arena_finish(&f.arena);
    }
}

TEST(huge_and_broken_results_are_read_safely)
{
    fixture f;
    begin(&f, "gate");
    char *text = test_alloc(1000001);
    for (size_t i = 0; i < 1000000; i++) {
        text[i] = (char)(1 + (i * 7919 + i / 251) % 255);
    }
    text[1000000] = '\0';
    offline_request_add(&f.r, "glob", "{}", text, false);
    offline_request_add(&f.r, "grep", "{}", text, false);
    offline_request_add(&f.r, "read", "{\"path\":\"x\"}", text, false);
    CHECK_INT(read_found(&f), HAFT_OK, "read the findings");
    for (size_t i = 0; i < f.found.file_count; i++) {
        for (size_t k = 0; k < f.found.files[i].path.len; k++) {
            CHECK((unsigned char)f.found.files[i].path.ptr[k] >= 0x20,
                  "a path has a control character");
        }
    }
    haft__arena_finish(&f.arena);
}

TEST(findings_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        fixture f;
        begin(&f, "gate opens");
        offline_request_add(&f.r, "glob", "{}", "a.c\nb.md\nc\n", false);
        offline_request_add(&f.r, "grep", "{}", "a.c:1:gate opens\nd.c:2:x", false);
        offline_request_add(&f.r, "read", "{\"path\":\"z.c\"}", "1\tx", false);
        CHECK_INT(haft__offline_history_read(&f.r.request, &f.arena, &f.past, NULL), HAFT_OK,
                  "read the history");
        CHECK_INT(haft__offline_words_read(f.past.task, &f.arena, &f.words, NULL), HAFT_OK,
                  "read the words of the task");
        test_fail_allocation(n);
        haft_status status =
            haft__offline_findings_read(&f.past, &f.words, &f.arena, &f.found, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&f.arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
