/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/words.c: the subject of a task, and whether a line contains it. */
#include "model/rules/offline_help.h"

static haft_str words_of(haft_str task, haft__arena *arena)
{
    haft__offline_words words;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__offline_words_read(task, arena, &words, NULL), HAFT_OK,
              "read the words of the task");
    for (size_t i = 0; i < words.count; i++) {
        haft__buf_addf(&buf, "%s%.*s", words.items[i].exact ? "=" : "",
                       HAFT__ARG(words.items[i].text));
        haft__buf_add_char(&buf, ' ');
    }
    for (size_t i = 0; i < words.path_count; i++) {
        haft__buf_addf(&buf, "path:%.*s ", HAFT__ARG(words.paths[i]));
    }
    haft_str kept = haft__arena_copy(arena, haft__str_trim(haft__buf_str(&buf)));
    haft__buf_finish(&buf);
    return kept;
}

TEST(subject_of_a_task_is_found)
{
    static const struct {
        const char *task, *words;
    } cases[] = {
        {"How does haft decide whether a model must call a tool?", "haft decid model call tool"},
        {"", ""},
        {"   \n\t ", ""},
        {"how what is the of", ""},
        {"ab cd", ""},
        {"Tools, tool; TOOL! tool's", "tool"},
        {"policies deciding decided decides running stopped calling passed class",
         "polic decid run stop call pass"},
        {"Where is haft__json_read defined?", "=haft__json_read"},
        {"the readFile function and HTTP2", "=readFile =HTTP2"},
        {"Explain \"no progress\" here", "=no progress"},
        {"what is `x + y` and 'a b'", "=x + y =a b"},
        {"(\"quoted phrase\")", "=quoted phrase"},
        {"don't break the user's quotes", "break user quot"},
        {"an 'open quote that goes on", "open quot"},
        {"Summarise README.md and src/choice/gate.c.", "path:README.md path:src/choice/gate.c"},
        {"`src/a.c` and src/a.c", "path:src/a.c path:src/a.c"},
        {"and/or e.g. things, i.e. input/output", "input output"},
        {"tool-choice policy", "tool-choice tool choic policy"},
        {"the top 5 of 12 files", "top file"},
        {"99999999999999999999999", ""},
        {"\xC3\xBC"
         "ber die T\xC3\xBCr",
         "\xC3\xBC"
         "ber die t\xC3\xBCr"},
        {"see https://example.org/a.b", "http exampl org"},
        {"one two2 three four five six seven eight nine ten gamma delta",
         "=two2 three four five six seven eight nine"},
        {"alpha beta gamma delta epsilon zeta eta theta iota kappa_x",
         "=kappa_x alpha beta gamma delta epsilon zeta eta"},
        {"f.c a.b.yaml x.tar.gz Node.js", "path:f.c path:a.b.yaml path:x.tar.gz path:Node.js"},
        {"a.c b.c c.c d.c e.c", "path:a.c path:b.c path:c.c path:d.c"},
        {"v1.2 and 3.14", "=v1.2"},
        {"Where is the Retry-After header parsed?", "retry-after retry header pars"},
        {"What does strdup do?", "=strdup"},
        {"What is the value of EAGAIN and JSON?", "=EAGAIN json"},
        {"Which header declares the function dlopen?", "=dlopen"},
        {"Which function sorts an array?", "sort array"},
        {"Where is the struct stat defined?", "=stat"},
        {"Where is the header of a file read?", "header file read"},
        {"which parsers and fuzzers", "pars fuzz"},
        {"the number of servers", "number server"},
        {"Summarise this tree", "tree"},
        {"Summarise the gates", "gate"},
        {"Where is it defined?", "defin"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        CHECK_STR(words_of(haft__str(cases[i].task), &arena), haft__str(cases[i].words), "%s",
                  cases[i].task);
        haft__arena_finish(&arena);
    }
}

TEST(words_of_a_task_have_a_limit)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf task;
    haft__buf_init(&task, 1 << 16);
    for (int i = 0; i < HAFT__LIMIT_OFFLINE_WORDS + 1; i++) {
        haft__offline_words words;
        haft__buf_addf(&task, "%c%c%cword ", 'a' + i, 'a' + i, 'a' + i);
        CHECK_INT(haft__offline_words_read(haft__buf_str(&task), &arena, &words, NULL), HAFT_OK,
                  "read the words of the task");
        int max = i < HAFT__LIMIT_OFFLINE_WORDS ? i + 1 : HAFT__LIMIT_OFFLINE_WORDS;
        CHECK_INT(words.count, max, "%d words", i + 1);
    }
    haft__buf_finish(&task);
    haft__arena_finish(&arena);
}

TEST(long_and_broken_tasks_are_read_safely)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char *text = test_alloc(100000);
    memset(text, 'x', 100000);
    CHECK_STR(words_of((haft_str){text, 100000}, &arena), HAFT__LIT(""), "one endless word");
    memset(text, '\'', 100000);
    CHECK_STR(words_of((haft_str){text, 100000}, &arena), HAFT__LIT(""), "quotes");
    memset(text, '\0', 100000);
    CHECK_STR(words_of((haft_str){text, 100000}, &arena), HAFT__LIT(""), "zeros");
    for (size_t i = 0; i < 100000; i++) {
        text[i] = (char)(i * 7919 + i / 251);
    }
    (void)words_of((haft_str){text, 100000}, &arena); /* random bytes: it must only return */
    haft__arena_finish(&arena);
}

TEST(words_are_found_in_lines)
{
    static const struct {
        const char *word, *text;
        bool exact, has;
    } cases[] = {
        {"call", "a tool call", false, true},
        {"call", "Calls", false, true},
        {"call", "tool_call", false, true},
        {"call", "toolCall", false, true},
        {"call", "recall", false, false},
        {"call", "RECALL", false, false},
        {"call", "cal", false, false},
        {"call", "", false, false},
        {"read_file", "x = read_file(y)", true, true},
        {"read_file", "x = Read_file(y)", true, false},
        {"read_file", "thread_file", true, true},
        {"", "anything", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__offline_word word = {.text = haft__str(cases[i].word), .exact = cases[i].exact};
        CHECK_INT(haft__offline_word_in(&word, haft__str(cases[i].text)), cases[i].has, "%s in %s",
                  cases[i].word, cases[i].text);
    }
    haft__offline_words words = {.items = {{.text = HAFT__LIT("gate")},
                                           {.text = HAFT__LIT("tool")},
                                           {.text = HAFT__LIT("open")}},
                                 .count = 3};
    CHECK_INT(haft__offline_words_in(&words, HAFT__LIT("the gate is open")), 5,
              "a bit for each word that the line has");
}

TEST(words_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__offline_words words;
        test_fail_allocation(n);
        haft_status status = haft__offline_words_read(HAFT__LIT("a gate"), &arena, &words, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
