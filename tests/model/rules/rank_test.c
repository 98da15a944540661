/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/rank.c: the best files and lines come first. */
#include "model/rules/offline_help.h"

typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__offline_history history;
    haft__offline_words words;
    haft__offline_findings found;
} fixture;

static void fixture_init(fixture *f, const char *task, const char *glob, const char *grep)
{
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    offline_request_add(&f->r, "glob", "{}", glob, false);
    offline_request_add(&f->r, "grep", "{}", grep, false);
    CHECK_INT(haft__offline_history_read(&f->r.request, &f->arena, &f->history, NULL), HAFT_OK,
              "read the history");
    CHECK_INT(haft__offline_words_read(f->history.task, &f->arena, &f->words, NULL), HAFT_OK,
              "read the words of the task");
    CHECK_INT(haft__offline_findings_read(&f->history, &f->words, &f->arena, &f->found, NULL),
              HAFT_OK, "read the findings");
}

/* The paths of the files, best first. */
static haft_str ranking(fixture *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < f->found.file_count; i++) {
        haft__buf_addf(&buf, "%s%.*s", i > 0 ? " " : "",
                       HAFT__ARG(f->found.files[f->found.ranked[i]].path));
    }
    haft_str kept = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(the_best_file_comes_first)
{
    static const struct {
        const char *what, *task, *grep, *ranking;
    } cases[] = {
        {"more words in a line", "gate opens", "a.c:1:gate\nb.c:1:the gate opens", "b.c a.c"},
        {"a rare word", "gate opens", "a.c:1:gate\nb.c:1:gate\nc.c:1:opens\nd.c:1:gate",
         "c.c a.c b.c d.c"},
        {"tests come last", "gate", "tests/a.c:1:gate\nb.c:1:gate\nc_test.c:1:gate",
         "b.c tests/a.c c_test.c"},
        {"tests come first if the task asks for them", "tests of gates",
         "b.c:1:a gate\ntests/a.c:1:a gate test", "tests/a.c b.c"},
        {"comments before code", "gate", "a.c:1:  x = gate;\nb.c:1:  /* gate */", "b.c a.c"},
        {"definitions before uses", "where is gate_look",
         "a.c:1:    gate_look(1);\nb.c:1:int gate_look(int x)", "b.c a.c"},
        {"a word in the path counts too", "gate", "a.c:1:a gate\ngate.c:1:a gate", "gate.c a.c"},
        {"a file that is named", "the gate in z/b.c", "a.c:1:gate\nz/b.c:1:x", "z/b.c a.c"},
        {"a file that is named by the end of its path", "the gate in b.c",
         "a.c:1:gate\nz/b.c:1:x\nzb.c:1:x", "z/b.c a.c zb.c"},
        {"equal scores keep their order", "gate", "b.c:1:gate\na.c:1:gate", "b.c a.c"},
        {"no results", "gate", "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        fixture_init(&f, cases[i].task, "", cases[i].grep);
        CHECK_STR(ranking(&f), haft__str(cases[i].ranking), "%s", cases[i].what);
        haft__arena_finish(&f.arena);
    }
}

TEST(reading_starts_before_the_best_line)
{
    static const struct {
        const char *grep;
        uint32_t start, best;
    } cases[] = {
        {"a.c:100:gate\n", 88, 100},
        {"a.c:3:gate\n", 1, 3},
        {"a.c:10:gate\na.c:200:gate\n", 1, 10},
        {"a.c:10:gate\na.c:50:gate opens\n", 38, 50},
        {"a.c:10:x\n", 1, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        fixture_init(&f, "gate opens", "", cases[i].grep);
        CHECK_INT(haft__offline_best_start(&f.found, 0), cases[i].start, "%s", cases[i].grep);
        const haft__offline_line *best = haft__offline_best_line(&f.found, 0);
        CHECK_INT(best != NULL ? best->number : 0, cases[i].best, "%s", cases[i].grep);
        haft__arena_finish(&f.arena);
    }
}

TEST(strong_lines_are_counted)
{
    fixture f;
    fixture_init(&f, "gate opens", "", "a.c:1:gate\na.c:2:gate opens\nb.c:1:opens gate\nb.c:2:x");
    CHECK_INT(f.found.matches, 3, "lines that match");
    CHECK_INT(f.found.strong, 2, "strong lines");
    CHECK_INT(f.found.strong_files, 2, "files with strong lines");
    haft__arena_finish(&f.arena);
    fixture_init(&f, "gate_look opens", "", "a.c:1:gate_look\na.c:2:opens\n");
    CHECK_INT(f.found.strong, 1, "a line with an identifier of the task is strong");
    haft__arena_finish(&f.arena);
    fixture_init(&f, "gate", "", "a.c:1:gate\n");
    CHECK_INT(f.found.strong, 1, "a line with the only word of the task is strong");
    haft__arena_finish(&f.arena);
}

TEST(a_task_without_words_scores_the_lines_that_were_read)
{
    fixture f;
    haft__arena_init(&f.arena, 0);
    offline_request_init(&f.r, &f.arena, "Summarise README.md");
    offline_request_add(&f.r, "read", "{\"path\":\"README.md\"}", "1\t# Title\n2\t\n3\tText.\n",
                        false);
    offline_request_add(&f.r, "grep", "{}", "b.c:1:# x\n", false);
    CHECK_INT(haft__offline_history_read(&f.r.request, &f.arena, &f.history, NULL), HAFT_OK,
              "read the history");
    CHECK_INT(haft__offline_words_read(f.history.task, &f.arena, &f.words, NULL), HAFT_OK,
              "read the words of the task");
    CHECK_INT(haft__offline_findings_read(&f.history, &f.words, &f.arena, &f.found, NULL), HAFT_OK,
              "read the findings");
    CHECK(f.found.lines[0].score > 0, "a heading has a score");
    CHECK_INT(f.found.lines[1].score, 0, "an empty line has no score");
    CHECK(f.found.lines[2].score > 0, "a line of text has a score");
    CHECK_INT(f.found.lines[3].score, 0, "a line that was not read has no score");
    CHECK_INT(f.found.matches, 0, "lines that match");
    haft__arena_finish(&f.arena);
}

TEST(documents_are_recognised_by_name)
{
    static const char *const documents[] = {"a.md", "x/y.rst", "README", "doc/FAQ"};
    static const char *const others[] = {"a.c", "b.md/a", "a.json", ""};
    for (size_t i = 0; i < COUNT(documents); i++) {
        CHECK(haft__offline_is_document(haft__str(documents[i])), "%s", documents[i]);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK(!haft__offline_is_document(haft__str(others[i])), "%s", others[i]);
    }
}
