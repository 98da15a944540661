/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/rank.c: what matters most comes first. */
#include "model/offline_help.h"

typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__offline_past past;
    haft__offline_words words;
    haft__offline_found found;
} fixture;

static void find(fixture *f, const char *task, const char *glob, const char *grep)
{
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    offline_request_add(&f->r, "glob", "{}", glob, false);
    offline_request_add(&f->r, "grep", "{}", grep, false);
    CHECK_INT(haft__offline_past_read(&f->r.request, &f->arena, &f->past, NULL), HAFT_OK, "past");
    CHECK_INT(haft__offline_words_read(f->past.task, &f->arena, &f->words, NULL), HAFT_OK, "words");
    CHECK_INT(haft__offline_found_read(&f->past, &f->words, &f->arena, &f->found, NULL), HAFT_OK,
              "found");
}

/* The paths in their order. */
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
        {"unless they are asked for", "tests of gates", "b.c:1:a gate\ntests/a.c:1:a gate test",
         "tests/a.c b.c"},
        {"data comes last", "gate", "a.json:1:{\"gate\"\nb.json:2:\"gate\"\nc.c:1:gate",
         "c.c a.json b.json"},
        {"comments before code", "gate", "a.c:1:  x = gate;\nb.c:1:  /* gate */", "b.c a.c"},
        {"definitions before uses", "where is gate_look",
         "a.c:1:    gate_look(1);\nb.c:1:int gate_look(int x)", "b.c a.c"},
        {"the path counts, too", "gate", "a.c:1:a gate\ngate.c:1:a gate", "gate.c a.c"},
        {"a file that is named", "the gate in z/b.c", "a.c:1:gate\nz/b.c:1:x", "z/b.c a.c"},
        {"... by its end", "the gate in b.c", "a.c:1:gate\nz/b.c:1:x\nzb.c:1:x", "z/b.c a.c zb.c"},
        {"... but whole first", "the gate in b.c", "z/b.c:1:gate\nb.c:1:x", "b.c z/b.c"},
        {"what is said beside what does it", "why does the gate open",
         "a.c:1:gate opens\nb.c:1:gate opens\nc.md:1:gate\nd.c:1:x", "a.c c.md b.c d.c"},
        {"equals in their order", "gate", "b.c:1:gate\na.c:1:gate", "b.c a.c"},
        {"not the task itself", "When does the gate open itself?",
         "a.c:1:ask \"When does the gate open itself?\"\nb.c:1:a gate", "b.c a.c"},
        {"nor where something is included", "gate", "a.c:1:#include \"gate.h\"\nb.c:1:  gate",
         "b.c a.c"},
        {"nothing", "gate", "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        find(&f, cases[i].task, "", cases[i].grep);
        CHECK_STR(ranking(&f), haft__str(cases[i].ranking), "%s", cases[i].what);
        haft__arena_finish(&f.arena);
    }
}

TEST(kinds_of_files)
{
    fixture f;
    find(&f, "x", "a.c\nb.c\nc.md\nd.md\ne.md\nMakefile\n.hidden\nx.verylongending\ny.h", "");
    CHECK_INT(f.found.listed, 9, "files");
    CHECK_INT(f.found.kind_count, 4, "kinds");
    CHECK_STR(f.found.kinds[0].ending, HAFT__LIT(""), "none: equal ones by their names");
    CHECK_INT(f.found.kinds[0].count, 3, "none");
    CHECK_STR(f.found.kinds[0].example, HAFT__LIT(".hidden"), "the first of them");
    CHECK_STR(f.found.kinds[1].ending, HAFT__LIT("md"), "md");
    CHECK_STR(f.found.kinds[2].ending, HAFT__LIT("c"), "c");
    CHECK_INT(f.found.kinds[2].count, 2, "c");
    haft_str glob = {NULL, 0};
    CHECK_INT(haft__offline_kind_glob(&f.found, HAFT__OFFLINE_DOCS, &f.arena, &glob, NULL), HAFT_OK,
              "docs");
    CHECK_STR(glob, HAFT__LIT("*.md"), "docs");
    CHECK_INT(haft__offline_kind_glob(&f.found, HAFT__OFFLINE_CODE, &f.arena, &glob, NULL), HAFT_OK,
              "code");
    CHECK_STR(glob, HAFT__LIT("*.{c,h}"), "code");
    haft__arena_finish(&f.arena);
    find(&f, "x", "Makefile\n", "");
    CHECK_INT(haft__offline_kind_glob(&f.found, HAFT__OFFLINE_CODE, &f.arena, &glob, NULL), HAFT_OK,
              "code");
    CHECK_STR(glob, HAFT__LIT(""), "there is none");
    haft__arena_finish(&f.arena);
}

TEST(classes_of_paths)
{
    static const struct {
        const char *path;
        haft__offline_class class;
    } cases[] = {
        {"a.md", HAFT__OFFLINE_DOCS},    {"x/y.rst", HAFT__OFFLINE_DOCS},
        {"a.c", HAFT__OFFLINE_CODE},     {"b.d/a", HAFT__OFFLINE_OTHER},
        {"a.json", HAFT__OFFLINE_OTHER}, {"", HAFT__OFFLINE_OTHER},
        {".c", HAFT__OFFLINE_OTHER},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__offline_class_of(haft__str(cases[i].path)), cases[i].class, "%s",
                  cases[i].path);
    }
}

TEST(where_reading_begins)
{
    static const struct {
        const char *grep;
        uint32_t start, best;
    } cases[] = {
        {"a.c:100:gate\n", 88, 100},
        {"a.c:3:gate\n", 1, 3},
        {"a.c:10:gate\na.c:200:gate\na.c:205:gate\na.c:210:gate\n", 188, 10},
        {"a.c:10:gate\na.c:50:gate opens\n", 38, 50},
        {"a.c:10:x\n", 1, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        find(&f, "gate opens", "", cases[i].grep);
        CHECK_INT(haft__offline_best_start(&f.found, 0), cases[i].start, "%s", cases[i].grep);
        const haft__offline_line *best = haft__offline_best_line(&f.found, 0);
        CHECK_INT(best != NULL ? best->number : 0, cases[i].best, "%s", cases[i].grep);
        haft__arena_finish(&f.arena);
    }
}

TEST(strong_lines_are_counted)
{
    fixture f;
    find(&f, "gate opens", "", "a.c:1:gate\na.c:2:gate opens\nb.c:1:opens gate\nb.c:2:x");
    CHECK_INT(f.found.hits, 3, "hits");
    CHECK_INT(f.found.strong, 2, "strong");
    CHECK_INT(f.found.strong_files, 2, "in two files");
    haft__arena_finish(&f.arena);
    find(&f, "gate_look opens", "", "a.c:1:gate_look\na.c:2:opens\n");
    CHECK_INT(f.found.strong, 1, "a name is enough");
    haft__arena_finish(&f.arena);
    find(&f, "gate", "", "a.c:1:gate\n");
    CHECK_INT(f.found.strong, 1, "and so is the only word");
    haft__arena_finish(&f.arena);
}

TEST(without_words_what_was_read_counts)
{
    fixture f;
    haft__arena_init(&f.arena, 0);
    offline_request_init(&f.r, &f.arena, "Summarise README.md");
    offline_request_add(&f.r, "read", "{\"path\":\"README.md\"}", "1\t# Title\n2\t\n3\tText.\n",
                        false);
    offline_request_add(&f.r, "grep", "{}", "b.c:1:# x\n", false);
    CHECK_INT(haft__offline_past_read(&f.r.request, &f.arena, &f.past, NULL), HAFT_OK, "past");
    CHECK_INT(haft__offline_words_read(f.past.task, &f.arena, &f.words, NULL), HAFT_OK, "words");
    CHECK_INT(haft__offline_found_read(&f.past, &f.words, &f.arena, &f.found, NULL), HAFT_OK,
              "found");
    CHECK_INT(f.found.lines[0].score, 4, "a heading");
    CHECK_INT(f.found.lines[1].score, 0, "nothing");
    CHECK_INT(f.found.lines[2].score, 2, "text");
    CHECK_INT(f.found.lines[3].score, 0, "not read");
    CHECK_INT(f.found.hits, 0, "no hits");
    haft__arena_finish(&f.arena);
}
