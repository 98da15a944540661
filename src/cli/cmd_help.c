/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c - `haft help [COMMAND]`: prints the command table. Tests: tests/cli/commands_test.c.
 */
#include <string.h>

#include "cli/commands.h"

/* Two columns: what to type, then what it does, below each other where the first is long. */
static void print_row(FILE *out, const char *left, int width, const char *right)
{
    if ((int)strlen(left) > width) {
        (void)fprintf(out, "  %s\n  %*s  %s\n", left, width, "", right);
    } else {
        (void)fprintf(out, "  %-*s  %s\n", width, left, right);
    }
}

void haft__help_all(FILE *out)
{
    (void)fprintf(out,
                  "haft %s - a tool-calling runtime for language-model agents\n\n"
                  "Usage: haft COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n",
                  haft_version());
    size_t count;
    const haft__command *const *commands = haft__commands(&count);
    for (size_t i = 0; i < count; i++) {
        char left[128];
        if (!commands[i]->hidden) {
            (void)snprintf(left, sizeof(left), "%s %s", commands[i]->name, commands[i]->usage);
            print_row(out, left, 26, commands[i]->summary);
        }
    }
    (void)fprintf(out, "\n'haft help COMMAND' says more about one. FILE may be '-' for standard "
                       "input.\n\nExit status:\n");
#define X(name, number, text) (void)fprintf(out, "  %3d  %s\n", number, text);
    HAFT__EXIT_MAP(X)
#undef X
}

static void print_option(FILE *out, const haft__option *option)
{
    char left[128];
    char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    bool maybe = option->kind == HAFT__OPTION_MAYBE;
    (void)snprintf(left, sizeof(left), "%s--%s%s%s%s", option->letter != '\0' ? letter : "    ",
                   option->name,
                   maybe                   ? "[="
                   : option->value != NULL ? " "
                                           : "",
                   option->value != NULL ? option->value : "", maybe ? "]" : "");
    print_row(out, left, 24, option->help);
}

void haft__help_command(FILE *out, const haft__command *command)
{
    static const haft__option help_option = {"help", 'h', HAFT__OPTION_FLAG, NULL, "say this"};
    (void)fprintf(out, "haft %s - %s\n\nUsage: haft %s%s%s%s\n", command->name, command->summary,
                  command->name, command->options != NULL ? " [OPTION]..." : "",
                  command->usage[0] != '\0' ? " " : "", command->usage);
    if (command->help[0] != '\0') {
        (void)fprintf(out, "\n%s", command->help);
    }
    (void)fprintf(out, "\nOptions:\n");
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        print_option(out, o);
    }
    print_option(out, &help_option);
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    if (args->word_count == 0) {
        haft__help_all(cli->out);
        return HAFT__EXIT_DONE;
    }
    const haft__command *command = haft__command_find(args->words[0], err);
    if (command == NULL) {
        return HAFT__EXIT_USAGE;
    }
    haft__help_command(cli->out, command);
    return HAFT__EXIT_DONE;
}

const haft__command haft__cmd_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "list the commands, or say more about one",
    .help = "",
    .max_words = 1,
    .run = run,
};
