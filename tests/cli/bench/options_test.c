/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/bench/options.c. */
#include "cli/bench/options.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "test.h"

#define MAX_WORDS 8

static haft_status read_words(const char *const *words, haft__bench_options *ret_options,
                              haft_error *err)
{
    size_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    haft__args args = {.words = words, .word_count = count};
    return haft__bench_options_parse(&args, ret_options, err);
}

TEST(options_have_defaults)
{
    haft__bench_options w;
    CHECK_INT(read_words((const char *const[]){"load", "url=u", NULL}, &w, NULL), HAFT_OK,
              "status");
    CHECK_INT(w.scenario, HAFT__BENCH_LOAD, "scenario");
    CHECK_INT(w.store, HAFT__BENCH_NONE, "store");
    CHECK_STR(w.url, HAFT__LIT("u"), "url");
    CHECK_STR(w.model, HAFT__LIT("mock-1"), "model");
    CHECK_INT((long long)w.runs, 1, "runs");
    CHECK_INT((long long)w.conc, 1, "conc");
    CHECK_INT((long long)w.warm, 0, "warm");
    CHECK(!w.stream, "stream");
}

TEST(all_options_are_read)
{
    haft__bench_options w;
    const char *const words[] = {"suspend", "url=a=b",      "model=mock-8x4", "runs=7",
                                 "conc=3",  "store=sqlite", "db=f",           NULL};
    CHECK_INT(read_words(words, &w, NULL), HAFT_OK, "status");
    CHECK_INT(w.scenario, HAFT__BENCH_SUSPEND, "scenario");
    CHECK_INT(w.store, HAFT__BENCH_SQLITE, "store");
    CHECK_STR(w.url, HAFT__LIT("a=b"), "url");
    CHECK_STR(w.db, HAFT__LIT("f"), "db");
    CHECK_INT((long long)w.runs, 7, "runs");
    CHECK_INT((long long)w.conc, 3, "conc");
    CHECK_INT((long long)w.calls, 32, "calls");
    const char *const more[] = {"once",     "url=u",  "warm=1",       "warm=2",
                                "stream=1", "runs=5", "store=memory", NULL};
    CHECK_INT(read_words(more, &w, NULL), HAFT_OK, "status");
    CHECK_INT(w.scenario, HAFT__BENCH_ONCE, "scenario");
    CHECK_INT(w.store, HAFT__BENCH_MEMORY, "store");
    CHECK_INT((long long)w.warm, 2, "the last value of warm");
    CHECK(w.stream, "stream");
}

TEST(the_model_name_gives_the_number_of_calls)
{
    static const struct {
        const char *word;
        long long calls;
    } cases[] = {{"model=mock-8", 8},
                 {"model=mock-256x2", 512},
                 {"model=a-b-3", 3},
                 {"model=gpt", 0},
                 {"model=gpt-4o", 0},
                 {"model=mock-", 0},
                 {"model=mock-8xy", 0},
                 {"model=mock-0", 0},
                 {"model=mock-1000001", 0},
                 {"model=mock-1x1000001", 0},
                 {"model=mock-1000000", 1000000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__bench_options w;
        const char *const words[] = {"load", "url=u", cases[i].word, NULL};
        CHECK_INT(read_words(words, &w, NULL), HAFT_OK, "%s", cases[i].word);
        CHECK_INT((long long)w.calls, cases[i].calls, "calls of %s", cases[i].word);
    }
}

TEST(errors_name_the_wrong_word)
{
    static const struct {
        const char *words[MAX_WORDS];
        const char *where, *message, *hint;
    } cases[] = {
        {{"dance", "url=u"}, "", "expected once, load or suspend, found \"dance\"", ""},
        {{"load"},
         "url",
         "the address of a model server is missing",
         "for instance url=http://127.0.0.1:8099/v1"},
        {{"load", "url="}, "url", "expected a value, found nothing", ""},
        {{"load", "url=u", "model="}, "model", "expected a value, found nothing", ""},
        {{"load", "url=u", "run=1"},
         "",
         "expected KEY=VALUE with url, model, runs, conc, warm, store, db, stream or pool, found "
         "\"run=1\"",
         "did you mean runs=?"},
        {{"load", "url=u", "runs"},
         "",
         "expected KEY=VALUE with url, model, runs, conc, warm, store, db, stream or pool, found "
         "\"runs\"",
         "did you mean runs=?"},
        {{"load", "url=u", "runs=0"},
         "runs",
         "expected a number from 1 to 1000000, found \"0\"",
         ""},
        {{"load", "url=u", "runs=1e3"},
         "runs",
         "expected a number from 1 to 1000000, found \"1e3\"",
         ""},
        {{"load", "url=u", "runs="}, "runs", "expected a number from 1 to 1000000, found \"\"", ""},
        {{"load", "url=u", "conc=0"}, "conc", "expected a number from 1 to 16384, found \"0\"", ""},
        {{"load", "url=u", "warm=-1"},
         "warm",
         "expected a number from 0 to 1000000, found \"-1\"",
         ""},
        {{"load", "url=u", "store=disk"},
         "store",
         "expected none, memory or sqlite, found \"disk\"",
         ""},
        {{"load", "url=u", "stream=yes"}, "stream", "expected 0 or 1, found \"yes\"", ""},
        {{"load", "url=u", "store=sqlite"},
         "db",
         "the file of store=sqlite is missing",
         "for a store in a file use store=sqlite db=FILE"},
        {{"load", "url=u", "db=f"},
         "db",
         "store=none has no file",
         "for a store in a file use store=sqlite db=FILE"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__bench_options w;
        haft_error err = {0};
        const char *what = cases[i].message;
        CHECK_INT(read_words(cases[i].words, &w, &err), HAFT_BAD_INPUT, "status: %s", what);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "where: %s", what);
        CHECK_STR(haft__str(err.message), haft__str(what), "message: %s", what);
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].hint), "hint: %s", what);
    }
}

TEST(number_of_runs_is_limited)
{
    static const struct {
        const char *key;
        long long max;
    } cases[] = {{"runs", HAFT__LIMIT_BENCH_RUNS},
                 {"warm", HAFT__LIMIT_BENCH_RUNS},
                 {"conc", HAFT__LIMIT_BENCH_AT_ONCE}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int past = 0; past < 2; past++) {
            char word[32];
            haft__bench_options w;
            (void)snprintf(word, sizeof(word), "%s=%lld", cases[i].key, cases[i].max + past);
            CHECK_INT(read_words((const char *const[]){"load", "url=u", word, NULL}, &w, NULL),
                      past == 1 ? HAFT_BAD_INPUT : HAFT_OK, "%s", word);
        }
    }
}
