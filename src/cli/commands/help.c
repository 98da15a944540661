/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `haft help [COMMAND]`: prints the command table. Tests: tests/cli/command_test.c,
 * tests/cli/help_test.py. */
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/config/variables.h"

const haft__option haft__option_help = {"help", 'h', HAFT__OPTION_FLAG, NULL, "print this help"};

/* Two columns: the usage and its description; on separate lines if the first is long. */
static void print_row(FILE *out, const char *left, int width, const char *right)
{
    if ((int)strlen(left) > width) {
        (void)fprintf(out, "  %s\n  %*s  %s\n", left, width, "", right);
    } else {
        (void)fprintf(out, "  %-*s  %s\n", width, left, right);
    }
}

void haft__command_each_exit_status(const haft__command *command,
                                    void (*visit)(void *context, int number, const char *text),
                                    void *context)
{
    haft_str rest = haft__str(command->exits != NULL ? command->exits : "0 1 2");
    while (rest.len > 0) {
        uint64_t status_number = 0;
        (void)haft__str_to_u64(haft__str_split(&rest, ' '), &status_number);
#define X(name, number, text)                                                                      \
    if (status_number == (number)) {                                                               \
        visit(context, number, text);                                                              \
    }
        HAFT__EXIT_MAP(X)
#undef X
    }
}

static void print_exit(void *context, int number, const char *text)
{
    (void)fprintf(context, "  %3d  %s\n", number, text);
}

void haft__help_print_all(FILE *out)
{
    (void)fprintf(out,
                  "haft %s - a tool-calling runtime for language-model agents\n\n"
                  "Usage: haft COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n",
                  haft_version());
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    for (size_t i = 0; i < count; i++) {
        char left[128];
        if (!commands[i]->hidden) {
            (void)snprintf(left, sizeof(left), "%s %s", commands[i]->name, commands[i]->usage);
            print_row(out, left, 26, commands[i]->summary);
        }
    }
    (void)fprintf(out, "\n'haft help COMMAND' describes one command. FILE may be '-' for standard "
                       "input.\n\nExit status:\n");
#define X(name, number, text) print_exit(out, number, text);
    HAFT__EXIT_MAP(X)
#undef X
    const haft__variable_row *rows = haft__variable_table(&count);
    (void)fputs("\nEnvironment:\n", out);
    for (size_t i = 0; i < count; i++) {
        print_row(out, rows[i].name, 18, rows[i].what);
    }
}

static void print_option(FILE *out, const haft__option *option)
{
    char left[HAFT__OPTION_SYNTAX_SIZE];
    haft__option_write_syntax(option, "    ", left);
    print_row(out, left, 24, option->help);
}

static void print_subcommands(FILE *out, const haft__command *command)
{
    char left[128];
    (void)fputs("\nCommands:\n", out);
    for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
        (void)snprintf(left, sizeof(left), "%s %s", sub->name, sub->usage);
        print_row(out, left, 16, sub->summary);
    }
}

static void print_examples(FILE *out, const haft__command *command)
{
    (void)fputs("\nExamples:\n", out);
    for (const haft__example *example = command->examples; example->line != NULL; example++) {
        (void)fprintf(out, "  %s\n      %s\n", example->line, example->summary);
    }
}

void haft__help_print_command(FILE *out, const haft__command *command)
{
    (void)fprintf(out, "haft %s - %s\n\nUsage: haft %s%s%s%s\n", command->name, command->summary,
                  command->name, command->options != NULL ? " [OPTION]..." : "",
                  command->usage[0] != '\0' ? " " : "", command->usage);
    if (command->help[0] != '\0') {
        (void)fprintf(out, "\n%s", command->help);
    }
    if (command->subcommands != NULL) {
        print_subcommands(out, command);
    }
    (void)fprintf(out, "\nOptions:\n");
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        print_option(out, o);
    }
    print_option(out, &haft__option_help);
    if (command->examples != NULL) {
        print_examples(out, command);
    }
    (void)fputs("\nExit status:\n", out);
    haft__command_each_exit_status(command, print_exit, out);
}

/* ---- the command ---- */

static const struct {
    const char *name;
    void (*print_all)(FILE *out);
    void (*print_command)(FILE *out,
                          const haft__command *command); /* NULL: prints all commands only */
} formats[] = {
    {"text", haft__help_print_all, haft__help_print_command},
    {"man", haft__manual_print_all, haft__manual_print_command},
    {"markdown", haft__reference_print, NULL},
};

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    size_t format = 0;
    while (strcmp(formats[format].name, haft__args_text(args, "format", "text")) != 0) {
        format++; /* the option table has checked the value */
    }
    if (args->word_count == 0 || formats[format].print_command == NULL) {
        formats[format].print_all(cli->out);
        return HAFT__EXIT_DONE;
    }
    const haft__command *command = haft__command_find(args->words[0], err);
    if (command == NULL) {
        return HAFT__EXIT_USAGE;
    }
    formats[format].print_command(cli->out, command);
    return HAFT__EXIT_DONE;
}

static const haft__option options[] = {
    {"format", 0, HAFT__OPTION_CHOICE, "text|man|markdown",
     "plain text, a page for man(1), or all commands as Markdown"},
    {0},
};

static const haft__example examples[] = {
    {"haft help run", "describe one command"},
    {"haft help --format man run | man -l -", "show it as a manual page"},
    {0},
};

const haft__command haft__cmd_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "list the commands, or describe one",
    .help = "",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
