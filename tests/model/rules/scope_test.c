/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/scope.c: where something is looked for, and what kind of files. */
#include "model/offline_help.h"

static const offline_file tree[] = {
    {"README.md", "# Turnstile\n\nA gate.\n"},
    {"docs/gate.md", "# Gate\n"},
    {"src/gate.c", "#include <uv.h>\n/* include uv.h */\nint gate(void)\n"},
    {"src/gate.h", "int gate(void);\n"},
    {"src/json/read.c", "#include \"uv.h\"\nint json(void)\n"},
    {"src/json/a.json", "{}\n"},
    {"tests/json/read_test.c", "gate\n"},
    {"tests/json/data.txt", "gate\n"},
};

#define SPEC "{model: offline, tools: [{builtin: [glob, grep, read]}]}"

TEST(what_was_asked_for_and_nothing_else)
{
    static const struct {
        const char *task, *first; /* the beginning of the answer */
    } cases[] = {
        {"How many .c files are in src/json?", "1 file matches `src/json/**/*.c`.\n"},
        {"How many *.c files are below ./src/?", "2 files match `src/**/*.c`.\n"},
        {"How many C files are there?", "3 files match `**/*.c`.\n"},
        {"How many C source files are there?", "3 files match `**/*.c`.\n"},
        {"How many C headers are there?", "1 file matches `**/*.h`.\n"},
        {"How many headers are in src?", "1 file matches `src/**/*.h`.\n"},
        {"How many headers are in the src directory?", "1 file matches `src/**/*.h`.\n"},
        {"List the Markdown files", "2 files match `**/*.md`.\n"},
        {"Count the tests in tests/json",
         "1 file matches `tests/json/**/*test*`. How many tests each of them has rules cannot "
         "count.\n"},
        {"How many files are in tests?", "2 files match `tests/**/*`.\n"},
        {"How many files are in json?", "4 files match `**/json/**/*`.\n"},
        {"List the files in src/json", "2 files match `src/json/**/*`.\n"},
        {"List src/json", "2 files match `src/json/**/*`.\n"},
        {"How many files are in nowhere/at/all?", "0 files match `nowhere/at/all/**/*`.\n"},
        {"How many files are there in total?", "8 files match `**/*`.\n"},
        {"How many lines does README.md have?", "`README.md` has 3 lines.\n"},
        {"List all files that mention gate", "6 files have lines with all the words that matter "
                                             "(`gate`), the first of each:\n"},
        {"How many .txt files contain gate?", "1 file has lines with all the words that matter "
                                              "(`gate`), the first of each:\n"},
        {"Which files include uv.h?", "2 files have lines with all the words that matter "
                                      "(`uv.h`), the first of each:\n\n- `src/gate.c:1`"},
        {"How many turnstiles are there?",
         "Not counted: how many there are rules cannot tell here."},
        {"How many functions are in src/json?",
         "Not counted: how many there are rules cannot tell here."},
        {"List all functions in src/json", "Not listed: which there are rules cannot tell here."},
        {"How many headers declare structs?",
         "Not counted: how many there are rules cannot tell here."},
        {"How many source files are there?",
         "Not counted: how many there are rules cannot tell here."},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        offline_world w;
        offline_world_init(&w, SPEC, tree, COUNT(tree));
        w.whole = true;
        offline_world_run(&w, cases[i].task);
        CHECK(haft__str_starts_with(w.run.answer, haft__str(cases[i].first)), "%s\n%.*s",
              cases[i].task, HAFT__ARG(w.run.answer));
        offline_world_finish(&w);
    }
}

TEST(a_directory_in_short)
{
    static const char *const tasks[] = {"Summarise src/json", "Summarise tests"};
    static const char *const wanted[] = {"\n2 files: 1 `.c`, 1 `.json`.\n",
                                         "\n2 files: 1 `.c`, 1 `.txt`.\n"};
    for (size_t i = 0; i < COUNT(tasks); i++) {
        offline_world w;
        offline_world_init(&w, SPEC, tree, COUNT(tree));
        w.whole = true;
        offline_world_run(&w, tasks[i]);
        CHECK(offline_has(w.run.answer, wanted[i]), "%s\n%.*s", tasks[i], HAFT__ARG(w.run.answer));
        CHECK(!offline_has(w.run.answer, "README"), "%s\n%.*s", tasks[i], HAFT__ARG(w.run.answer));
        offline_world_finish(&w);
    }
}

TEST(what_is_a_directory)
{
    static const struct {
        const char *task, *place, *hint;
    } cases[] = {
        {"List the files in src/cli.", "src/cli", ""},
        {"Where is the parser in src/json?", "src/json", ""},
        {"Where is input and/or output?", "", ""},
        {"Where is the parser in json?", "", ""},
        {"List all in /etc/ssh", "", ""},
        {"List all in ../secret/x", "", ""},
        {"List all in a/{b,c}", "", ""},
        {"List all in src/a.c", "", ""},
        {"Summarise docs/", "docs", ""},
        {"Summarise a/b/ and c/d/", "a/b", ""},
        {"Count the files of tools", "", "tools"},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__offline_words words;
        CHECK_INT(haft__offline_words_read(haft__str(cases[i].task), &arena, &words, NULL), HAFT_OK,
                  "words");
        CHECK_STR(words.scope.place, haft__str(cases[i].place), "%s", cases[i].task);
        CHECK_STR(words.scope.hint, haft__str(cases[i].hint), "%s", cases[i].task);
        haft__arena_finish(&arena);
    }
}

TEST(what_is_below_a_directory)
{
    static const struct {
        const char *path, *place;
        bool below;
    } cases[] = {
        {"a/b.c", "", true},
        {"", "", true},
        {"a/b.c", "a", true},
        {"ab/b.c", "a", false},
        {"a", "a", false},
        {"x/a/b.c", "a", false},
        {"x/a/b.c", "**/a", true},
        {"a/b.c", "**/a", true},
        {"x/ab/c", "**/a", false},
        {"src/json/x", "src/json", true},
        {"src/json", "src/json", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__offline_is_below(haft__str(cases[i].path), haft__str(cases[i].place)),
                  cases[i].below, "%s in %s", cases[i].path, cases[i].place);
    }
}
