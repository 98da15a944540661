/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/command.c, help.c and version.c. */
#include "cli/command.h"

#include "test.h"

#define MAX_WORDS 6

typedef struct outcome {
    haft__exit_status exit;
    haft_str out, errors; /* live until the test ends */
} outcome;

static haft_str keep(char *text, size_t length)
{
    char *kept = test_alloc(length + 1);
    memcpy(kept, text, length);
    kept[length] = '\0';
    free(text);
    return (haft_str){kept, length};
}

/* Runs `haft WORDS...`; the words end in NULL. */
static outcome haft(const char *const *words)
{
    char *argv[MAX_WORDS + 1] = {0};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        size_t size = strlen(words[argc - 1]) + 1;
        argv[argc] = memcpy(test_alloc(size), words[argc - 1], size);
    }
    char *out = NULL, *errors = NULL;
    size_t out_length = 0, errors_length = 0;
    FILE *out_file = open_memstream(&out, &out_length);
    FILE *errors_file = open_memstream(&errors, &errors_length);
    outcome result = {.exit = haft__cli_run(argc, argv, NULL, out_file, errors_file)};
    (void)fclose(out_file);
    (void)fclose(errors_file);
    result.out = keep(out, out_length);
    result.errors = keep(errors, errors_length);
    return result;
}

TEST(wrong_usage_is_explained_and_exits_with_2)
{
    static const struct {
        const char *words[MAX_WORDS];
        const char *errors;
    } cases[] = {
        {{NULL}, "haft: expected a command, found none\nhint: 'haft --help' lists the commands\n"},
        {{"hepl", NULL}, "haft: unknown command 'hepl'\nhint: did you mean 'help'?\n"},
        {{"", NULL}, "haft: unknown command ''\nhint: 'haft --help' lists the commands\n"},
        {{"frobnicate", NULL},
         "haft: unknown command 'frobnicate'\nhint: 'haft --help' lists the commands\n"},
        {{"--json", NULL},
         "haft: expected a command, found the option --json\n"
         "hint: options follow the command; 'haft --help' lists the commands\n"},
        {{"help", "vershun", NULL},
         "haft: unknown command 'vershun'\nhint: did you mean 'version'?\n"},
        {{"help", "a", "b", NULL},
         "haft: help: expected [COMMAND], found 2 arguments\nhint: see 'haft help help'\n"},
        {{"version", "x", NULL},
         "haft: version: expected no argument, found 1 argument\n"
         "hint: see 'haft help version'\n"},
        {{"version", "--loud", NULL},
         "haft: version: unknown option --loud\nhint: --help lists the options\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        outcome o = haft(cases[i].words);
        CHECK_INT(o.exit, HAFT__EXIT_USAGE, "case %zu: exit status", i);
        CHECK_STR(o.errors, haft__str(cases[i].errors), "case %zu: errors", i);
        CHECK_STR(o.out, HAFT__LIT(""), "case %zu: output", i);
    }
}

TEST(the_version_is_printed)
{
    static const char *const spellings[] = {"version", "--version", "-V"};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const char *words[] = {spellings[i], NULL};
        outcome o = haft(words);
        CHECK_INT(o.exit, HAFT__EXIT_DONE, "%s: exit status", spellings[i]);
        CHECK_STR(o.out, HAFT__LIT("haft " HAFT_VERSION "\n"), "%s: output", spellings[i]);
        CHECK_STR(o.errors, HAFT__LIT(""), "%s: errors", spellings[i]);
    }
}

TEST(help_lists_every_command)
{
    static const char *const spellings[] = {"help", "--help", "-h"};
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const char *words[] = {spellings[i], NULL};
        outcome o = haft(words);
        CHECK_INT(o.exit, HAFT__EXIT_DONE, "%s", spellings[i]);
        for (size_t c = 0; c < count; c++) {
            char line[64];
            (void)snprintf(line, sizeof(line), "\n  %s ", commands[c]->name);
            bool listed =
                strstr(o.out.ptr, line) != NULL && strstr(o.out.ptr, commands[c]->summary) != NULL;
            CHECK_INT(listed, !commands[c]->hidden, "%s of %s", spellings[i], commands[c]->name);
        }
        CHECK(strstr(o.out.ptr, "  130  cancelled\n") != NULL, "no exit status");
    }
}

TEST(all_forms_of_help_print_the_same)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    for (size_t i = 0; i < count; i++) {
        const char *one[] = {"help", commands[i]->name, NULL};
        const char *two[] = {commands[i]->name, "--help", NULL};
        outcome o = haft(one);
        CHECK_INT(o.exit, HAFT__EXIT_DONE, "%s", commands[i]->name);
        CHECK_STR(haft(two).out, o.out, "%s", commands[i]->name);
        CHECK(strstr(o.out.ptr, commands[i]->usage) != NULL, "%s: no usage", commands[i]->name);
        CHECK(strstr(o.out.ptr, "-h, --help") != NULL, "%s: no --help", commands[i]->name);
        for (const haft__option *o2 = commands[i]->options; o2 != NULL && o2->name != NULL; o2++) {
            CHECK(strstr(o.out.ptr, o2->help) != NULL, "%s: --%s", commands[i]->name, o2->name);
        }
    }
}

TEST(help_of_a_command_is_laid_out_in_columns)
{
    static const haft__option options[] = {
        {"input", 'i', HAFT__OPTION_TEXT, "FILE", "what to read"},
        {"a-very-long-option-name", 0, HAFT__OPTION_CHOICE, "one|two", "which"},
        {0},
    };
    static const haft__subcommand subcommands[] = {{"one", "FILE", "the first"}, {0}};
    static const haft__example examples[] = {{"haft name x", "do it to x"}, {0}};
    const haft__command command = {
        .name = "name",
        .usage = "FILE",
        .summary = "do it",
        .help = "A paragraph.\n",
        .options = options,
        .subcommands = subcommands,
        .examples = examples,
        .exits = "0 2",
    };
    char *out = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&out, &length);
    haft__help_print_command(file, &command);
    (void)fclose(file);
    CHECK_STR(keep(out, length),
              HAFT__LIT("haft name - do it\n\nUsage: haft name [OPTION]... FILE\n\nA paragraph.\n\n"
                        "Commands:\n  one FILE          the first\n\nOptions:\n"
                        "  -i, --input FILE          what to read\n"
                        "      --a-very-long-option-name one|two\n"
                        "                            which\n"
                        "  -h, --help                print this help\n\n"
                        "Examples:\n  haft name x\n      do it to x\n\n"
                        "Exit status:\n    0  done\n    2  bad usage or bad spec\n"),
              "help");
}

TEST(the_table_is_well_formed)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__command *c = commands[i];
        if (c->name == NULL || c->usage == NULL || c->summary == NULL || c->help == NULL) {
            CHECK(false, "row %zu has no text", i);
            continue;
        }
        CHECK(c->run != NULL && c->min_words <= c->max_words, "%s", c->name);
        CHECK(c->help[0] == '\0' || haft__str_ends_with(haft__str(c->help), HAFT__LIT("\n")),
              "%s: the last line of its help is not ended", c->name);
        for (const haft__option *o = c->options; o != NULL && o->name != NULL; o++) {
            CHECK((o->value == NULL) == (o->kind == HAFT__OPTION_FLAG), "%s --%s", c->name,
                  o->name);
            CHECK(o->help != NULL && strcmp(o->name, "help") != 0 && o->letter != 'h', "%s --%s",
                  c->name, o->name);
        }
    }
}

TEST(a_failed_allocation_is_not_a_usage_error)
{
    static const char *const words[] = {"version", NULL};
    char name[] = "haft", word[] = "version";
    char *argv[] = {name, word, NULL};
    FILE *nowhere = fopen("/dev/null", "we");
    test_fail_allocations_from(0);
    haft__exit_status result = haft__cli_run(2, argv, NULL, nowhere, nowhere);
    CHECK(test_allow_allocations(), "nothing was allocated");
    CHECK_INT(result, HAFT__EXIT_FAILED, "exit status");
    (void)fclose(nowhere);
    CHECK_INT(haft(words).exit, HAFT__EXIT_DONE, "succeeds with memory");
}
