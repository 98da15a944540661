/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - finds the command, parses its arguments, runs it, and prints its error. Tests:
 * tests/cli/command_test.c. */
#include "cli/command.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "cli/config/config.h"
#include "cli/follow/run_result.h"
#include "cli/session.h"
#include "cli/terminal/diagnostic.h"
#include "cli/terminal/print.h"
#include "engine/ops/service.h"
#include "run/result.h"

static const haft__command *const commands[] = {
#define X(name) &haft__cmd_##name,
    HAFT__COMMANDS(X)
#undef X
};

/* Options that people use instead of a command. */
static const struct {
    const char *option;
    const haft__command *command;
} command_aliases[] = {
    {"--help", &haft__cmd_help},
    {"-h", &haft__cmd_help},
    {"--version", &haft__cmd_version},
    {"-V", &haft__cmd_version},
};

const haft__command *const *haft__command_table(size_t *ret_count)
{
    *ret_count = COUNT(commands);
    return commands;
}

const haft__command *haft__command_find(const char *name, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, haft__str(name));
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
        haft__suggestion_offer(&near, haft__str(commands[i]->name));
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "unknown command '%s'", name);
    if (near.best.ptr != NULL) {
        (void)haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best));
    } else {
        (void)haft__hint(err, status, "'haft --help' lists the commands");
    }
    return NULL;
}

static const haft__command *choose_command(const char *word, haft_error *err)
{
    for (size_t i = 0; i < COUNT(command_aliases); i++) {
        if (strcmp(command_aliases[i].option, word) == 0) {
            return command_aliases[i].command;
        }
    }
    if (word[0] != '-') {
        return haft__command_find(word, err);
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "expected a command, found the option %s", word);
    (void)haft__hint(err, status, "options follow the command; 'haft --help' lists the commands");
    return NULL;
}

static haft_status check_argument_count(const haft__command *command, const haft__args *args,
                                        haft_error *err)
{
    if (args->word_count >= command->min_words && args->word_count <= command->max_words) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "expected %s, found %zu argument%s",
                                    command->max_words > 0 ? command->usage : "no argument",
                                    args->word_count, args->word_count == 1 ? "" : "s");
    if (args->word_count > command->max_words && strstr(command->usage, "[TASK]") != NULL) {
        return haft__hint(err, status, "quote a task that has spaces: haft %s %s '%s %s%s'",
                          command->name, args->words[0], args->words[1], args->words[2],
                          args->word_count > 3 ? " ..." : "");
    }
    return haft__hint(err, status, "see 'haft help %s'", command->name);
}

/* Prints the object of --json for a command that failed, also if no run was created. Reads the
 * state of the run from the store, because the command may have continued the run. */
static void print_failed_run(haft__cli *cli, const haft__args *args, const haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_error unread = {0};
    if (cli->run[0] != '\0'
        && haft__session_open_existing(cli, args, &runtime, &unread) != HAFT_OK) {
        runtime = NULL;
    }
    haft__run_result_print_stored(cli, runtime, cli->run, err);
    haft_runtime_destroy(runtime);
}

/* The same for commands that print no result of a run: the object has only the error. */
static void print_error_alone(haft__cli *cli, const haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write_error(&text, err);
    (void)!haft__print_json_line(cli->out, &text, NULL);
    haft__buf_finish(&text);
}

/* Whether the words contain an option. The words may be invalid, so they are not parsed. */
static bool has_option(int count, char *const *words, const char *option)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], option) == 0) {
            return true;
        }
    }
    return false;
}

/* Prints the object of --json if the command has not printed it. `args` are valid only if
 * cli->run is set: only then were they parsed. */
static void print_json_failure(haft__cli *cli, const haft__command *command, int count,
                               char *const *words, const haft__args *args, const haft_error *err)
{
    const haft_error *failure = err->message[0] != '\0' ? err : &cli->problem;
    bool json = (command->result || command->object) && has_option(count, words, "--json");
    if (!json || cli->answered || failure->message[0] == '\0') {
        return;
    }
    if (command->result || cli->run[0] != '\0') {
        print_failed_run(cli, args, failure);
    } else {
        print_error_alone(cli, failure);
    }
}

/* Reads the settings files if the command has the option --no-config. */
static bool load_config(haft__cli *cli, const haft__command *command, const haft__args *args,
                        haft_error *err)
{
    const haft__option *option = command->options;
    while (option != NULL && option->name != NULL && strcmp(option->name, "no-config") != 0) {
        option++;
    }
    if (option == NULL || option->name == NULL) {
        return true;
    }
    haft_status status = haft__config_load(cli, args, err);
    return status == HAFT_OK || (status == HAFT_BAD_INPUT && command->examines_config);
}

static haft__exit_status run_command(haft__cli *cli, const haft__command *command, int count,
                                     char *const *words, haft_error *err)
{
    haft__args args;
    haft_status status = haft__args_parse(&cli->arena, command->options, count, words, &args, err);
    if (status == HAFT_OK && args.help) {
        haft__help_print_command(cli->out, command);
        return HAFT__EXIT_DONE;
    }
    if (status == HAFT_OK) {
        status = check_argument_count(command, &args, err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, command->name);
        print_json_failure(cli, command, count, words, &args, err);
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    haft__exit_status result =
        load_config(cli, command, &args, err) ? command->run(cli, &args, err) : HAFT__EXIT_USAGE;
    if (result == HAFT__EXIT_USAGE && haft__session_is_store_error(cli, &args, err)) {
        result = HAFT__EXIT_FAILED;
    }
    print_json_failure(cli, command, count, words, &args, err);
    return result;
}

static haft__exit_status choose_and_run(haft__cli *cli, int argc, char *const *argv,
                                        haft_error *err)
{
    if (argc < 2) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "expected a command, found none");
        (void)haft__hint(err, status, "'haft --help' lists the commands");
        return HAFT__EXIT_USAGE;
    }
    const haft__command *command = choose_command(argv[1], err);
    return command != NULL ? run_command(cli, command, argc - 2, argv + 2, err) : HAFT__EXIT_USAGE;
}

haft__exit_status haft__cli_run(int argc, char *const *argv, const haft__services *services,
                                FILE *out, FILE *errors)
{
    haft__cli cli = {.out = out, .errors = errors, .services = services};
    haft__arena_init(&cli.arena, 0);
    haft_error err = {0};
    haft__exit_status result = choose_and_run(&cli, argc, argv, &err);
    if (err.message[0] != '\0') {
        haft__diagnostic_print_error(errors, &cli.arena, &err);
    }
    haft__arena_finish(&cli.arena);
    return result;
}
