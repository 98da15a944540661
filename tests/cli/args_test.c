/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/args.c. */
#include "cli/args.h"

#include "base/buf.h"
#include "test.h"

#define MAX_WORDS 8

static const haft__option options[] = {
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "say less"},
    {"all", 'a', HAFT__OPTION_FLAG, NULL, "everything"},
    {"input", 'i', HAFT__OPTION_TEXT, "FILE", "what to read"},
    {"count", 'k', HAFT__OPTION_NUMBER, "N", "how many"},
    {"draft", 0, HAFT__OPTION_CHOICE, "7|2020-12", "which draft"},
    {0},
};

static int count_words(const char *const *words)
{
    int count = 0;
    while (words[count] != NULL) {
        count++;
    }
    return count;
}

static haft_status parse(haft__arena *arena, const char *const *words, haft__args *ret_args,
                         haft_error *err)
{
    static char copies[MAX_WORDS][64];
    char *argv[MAX_WORDS];
    int count = count_words(words);
    for (int i = 0; i < count; i++) {
        (void)snprintf(copies[i], sizeof(copies[i]), "%s", words[i]);
        argv[i] = copies[i];
    }
    return haft__args_parse(arena, options, count, argv, ret_args, err);
}

/* "quiet input=x | word word" */
static void describe(const haft__args *args, haft__buf *text)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const haft__args_option *given = &args->given[i];
        haft__buf_addf(text, "%s%s%s ", given->option->name, given->value != NULL ? "=" : "",
                       given->value != NULL ? given->value : "");
    }
    haft__buf_addf(text, "|");
    for (size_t i = 0; i < args->word_count; i++) {
        haft__buf_addf(text, " %s", args->words[i]);
    }
    if (args->help) {
        haft__buf_addf(text, " HELP");
    }
}

TEST(words_are_sorted_into_options_and_arguments)
{
    static const struct {
        const char *words[MAX_WORDS];
        const char *wanted;
    } cases[] = {
        {{NULL}, "|"},
        {{"a", "b", NULL}, "| a b"},
        {{"--quiet", NULL}, "quiet |"},
        {{"-q", NULL}, "quiet |"},
        {{"-qa", "x", NULL}, "quiet all | x"},
        {{"--input", "f", NULL}, "input=f |"},
        {{"--input=f", NULL}, "input=f |"},
        {{"--input=", NULL}, "input= |"},
        {{"--input=a=b", NULL}, "input=a=b |"},
        {{"-i", "f", NULL}, "input=f |"},
        {{"-if", NULL}, "input=f |"},
        {{"-qif", NULL}, "quiet input=f |"},
        {{"-qi", "f", NULL}, "quiet input=f |"},
        {{"--input", "--quiet", NULL}, "input=--quiet |"},
        {{"--input", "--", "x", NULL}, "input=-- | x"},
        {{"a", "--quiet", "b", NULL}, "quiet | a b"},
        {{"-", NULL}, "| -"},
        {{"--input", "-", NULL}, "input=- |"},
        {{"--input=-", "-", NULL}, "input=- | -"},
        {{"", NULL}, "| "},
        {{"--", "--quiet", "-q", NULL}, "| --quiet -q"},
        {{"--", "a", "--", NULL}, "| a --"},
        {{"-k", "12", NULL}, "count=12 |"},
        {{"-k12", NULL}, "count=12 |"},
        {{"--count=0", NULL}, "count=0 |"},
        {{"--draft", "7", NULL}, "draft=7 |"},
        {{"--draft=2020-12", NULL}, "draft=2020-12 |"},
        {{"--quiet", "--quiet", NULL}, "quiet quiet |"},
        {{"--help", NULL}, "| HELP"},
        {{"a", "-h", "--nonsense", NULL}, "| a HELP"},
        {{"--", "--help", NULL}, "| --help"},
        {{"--input", "--help", NULL}, "input=--help |"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__buf text;
        haft__buf_init(&text, 1000);
        haft__args args = {0};
        haft_error err = {0};
        CHECK_INT(parse(&arena, cases[i].words, &args, &err), HAFT_OK, "%s: %s", cases[i].wanted,
                  err.message);
        describe(&args, &text);
        CHECK_STR(haft__buf_str(&text), haft__str(cases[i].wanted), "case %zu", i);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(invalid_arguments_are_explained)
{
    static const struct {
        const char *words[MAX_WORDS];
        const char *message, *hint;
    } cases[] = {
        {{"--quite", NULL}, "unknown option --quite", "did you mean --quiet?"},
        {{"--inptu=x", NULL}, "unknown option --inptu", "did you mean --input?"},
        {{"--zzzzzz", NULL}, "unknown option --zzzzzz", "--help lists the options"},
        {{"--=x", NULL}, "unknown option --", "--help lists the options"},
        {{"-z", NULL},
         "unknown option -z",
         "--help lists the options; put -- before an argument that starts with '-'"},
        {{"-qz", NULL},
         "unknown option -qz",
         "--help lists the options; put -- before an argument that starts with '-'"},
        {{"--quiet=yes", NULL}, "--quiet takes no value, found 'yes'", ""},
        {{"--quiet=", NULL}, "--quiet takes no value, found ''", ""},
        {{"a", "--input", NULL}, "--input expects a value (FILE), found nothing", ""},
        {{"-i", NULL}, "--input expects a value (FILE), found nothing", ""},
        {{"-k", "many", NULL}, "--count expects a whole number, found 'many'", ""},
        {{"--count=-1", NULL}, "--count expects a whole number, found '-1'", ""},
        {{"--count=", NULL}, "--count expects a whole number, found ''", ""},
        {{"--draft", "4", NULL}, "--draft expects one of 7|2020-12, found '4'", ""},
        {{"--draft=7|2020-12", NULL}, "--draft expects one of 7|2020-12, found '7|2020-12'", ""},
        {{"--draft=", NULL}, "--draft expects one of 7|2020-12, found ''", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__args args = {.word_count = 77};
        haft_error err = {0};
        CHECK_INT(parse(&arena, cases[i].words, &args, &err), HAFT_BAD_INPUT, "case %zu: status",
                  i);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "case %zu: message", i);
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].hint), "case %zu: hint", i);
        CHECK_INT(args.word_count, 77, "case %zu: the output is unchanged", i);
        haft__arena_finish(&arena);
    }
}

TEST(values_are_found_by_name)
{
    static const char *const words[] = {"--input", "a", "-k3", "-ib", "--count", "4", "-q", NULL};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__args args = {0};
    CHECK_INT(parse(&arena, words, &args, NULL), HAFT_OK, "parsing");
    CHECK(haft__args_has(&args, "quiet"), "quiet was given");
    CHECK(!haft__args_has(&args, "all"), "all was not given");
    CHECK_STR(haft__str(haft__args_text(&args, "input", "none")), HAFT__LIT("b"),
              "the last value of input");
    CHECK_STR(haft__str(haft__args_text(&args, "draft", "none")), HAFT__LIT("none"),
              "default of draft");
    CHECK_INT(haft__args_number(&args, "count", 9), 4, "the last value of count");
    CHECK_INT(haft__args_number(&args, "other", 9), 9, "default of an option that was not given");
    size_t at = 0;
    CHECK_STR(haft__str(haft__args_next(&args, "input", &at)), HAFT__LIT("a"),
              "the first value of input");
    CHECK_STR(haft__str(haft__args_next(&args, "input", &at)), HAFT__LIT("b"),
              "the second value of input");
    CHECK(haft__args_next(&args, "input", &at) == NULL, "a third value of input");
    haft__arena_finish(&arena);
}

TEST(a_command_may_have_no_options)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__args args = {0};
    haft_error err;
    char word[] = "x", option[] = "--x";
    char *one[] = {word}, *two[] = {option};
    CHECK_INT(haft__args_parse(&arena, NULL, 1, one, &args, &err), HAFT_OK, "parsing an argument");
    CHECK_INT(args.word_count, 1, "number of arguments");
    CHECK_INT(haft__args_parse(&arena, NULL, 1, two, &args, &err), HAFT_BAD_INPUT,
              "parsing an option");
    haft__arena_finish(&arena);
}

TEST(every_failed_allocation_is_reported)
{
    static const char *const words[] = {"--input", "a", "b", NULL};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__args args;
        test_fail_allocation(n);
        haft_status status = parse(&arena, words, &args, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "no allocation failed");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}

TEST(an_option_is_shown_as_it_is_typed)
{
    static const struct {
        haft__option option;
        const char *shown;
    } cases[] = {
        {{"quiet", 'q', HAFT__OPTION_FLAG, NULL, ""}, "-q, --quiet"},
        {{"json", 0, HAFT__OPTION_FLAG, NULL, ""}, "    --json"},
        {{"store", 0, HAFT__OPTION_TEXT, "URL", ""}, "    --store URL"},
        {{"yes", 'y', HAFT__OPTION_OPTIONAL_CHOICE, "all", ""}, "-y, --yes[=all]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char shown[HAFT__OPTION_SYNTAX_SIZE];
        haft__option_write_syntax(&cases[i].option, "    ", shown);
        CHECK_STR(haft__str(shown), haft__str(cases[i].shown), "case %zu", i);
    }
}
