/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c - prints the command table as docs/commands.md. Tests: tests/house/commands.py. */
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/completion/placeholder.h"
#include "cli/config/variables.h"

/* Prints a cell of a Markdown table. Escapes characters with a meaning in Markdown. */
static void put_cell(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        (void)fputs(*c == '|' || *c == '<' || *c == '*' ? "\\" : "", out);
        (void)putc(*c, out);
    }
}

static void put_code(FILE *out, const char *before, const char *text, const char *more)
{
    (void)fprintf(out, "| `%s", before);
    for (const char *c = text; *c != '\0'; c++) {
        (void)fputs(*c == '|' ? "\\" : "", out);
        (void)putc(*c, out);
    }
    (void)fprintf(out, "%s", more);
}

static void put_option(FILE *out, const haft__option *option)
{
    char name[HAFT__OPTION_SYNTAX_SIZE];
    haft__option_write_syntax(option, "", name);
    put_code(out, "", name, "` | ");
    put_cell(out, option->help);
    (void)fputs(" |\n", out);
}

static void put_exit(void *context, int number, const char *text)
{
    (void)fprintf(context, "| %d | ", number);
    put_cell(context, text);
    (void)fputs(" |\n", context);
}

static void put_exit_number(void *context, int number, const char *text)
{
    (void)text;
    (void)fprintf(context, " %d", number);
}

/* Prints a help text. Verbatim lines become a code block: they are indented by four spaces. */
static void put_help(FILE *out, haft_str text)
{
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        (void)fprintf(out, "%.*s\n", HAFT__ARG(line));
    }
    (void)putc('\n', out);
}

static void put_command(FILE *out, const haft__command *command)
{
    (void)fprintf(out, "## %s\n\n`haft %s%s%s`: %s.\n\n", command->name, command->name,
                  command->usage[0] != '\0' ? " " : "", command->usage, command->summary);
    put_help(out, haft__str(command->help));
    if (command->subcommands != NULL) {
        (void)fputs("| command | what it does |\n|---|---|\n", out);
        for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
            put_code(out, "", sub->name, sub->usage[0] != '\0' ? " " : "");
            (void)fprintf(out, "%s` | ", sub->usage);
            put_cell(out, sub->summary);
            (void)fputs(" |\n", out);
        }
        (void)putc('\n', out);
    }
    (void)fputs("| option | what it does |\n|---|---|\n", out);
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        put_option(out, o);
    }
    put_option(out, &haft__option_help);
    if (command->examples != NULL) {
        (void)fputs("\n```sh\n", out);
        for (const haft__example *example = command->examples; example->line != NULL; example++) {
            (void)fprintf(out, "%s   # %s\n", example->line, example->summary);
        }
        (void)fputs("```\n", out);
    }
    (void)fputs("\nExit status:", out);
    haft__command_each_exit_status(command, put_exit_number, out);
    (void)fputs("; see [below](#exit-status).\n\n", out);
}

static void put_placeholders(FILE *out)
{
    size_t count;
    const haft__placeholder *words = haft__placeholders(&count);
    (void)fputs("## Placeholders\n\nThe words in capitals above have these meanings.\n\n"
                "| word | meaning |\n|---|---|\n",
                out);
    for (size_t i = 0; i < count; i++) {
        put_code(out, "", words[i].name, "` | ");
        put_cell(out, words[i].what);
        (void)fputs(" |\n", out);
    }
}

static void put_variables(FILE *out)
{
    size_t count;
    const haft__variable_row *rows = haft__variable_table(&count);
    (void)fputs("\n## Environment\n\nhaft reads these variables. Those with \"yes\" in the last "
                "column can also be set in a `.env` file ([config.md](config.md)).\n\n"
                "| variable | meaning | `.env` |\n|---|---|---|\n",
                out);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "| `%s` | %s | %s |\n", rows[i].name, rows[i].what,
                      rows[i].dotenv ? "yes" : "");
    }
}

void haft__reference_print(FILE *out)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    (void)fputs(
        "# Commands\n\n`haft help --format markdown` prints this page from the table of commands "
        "(`src/cli/command.h`). `haft help COMMAND`,\nthe manual pages and the completions for "
        "bash, zsh and fish come from the same table. `tests/house/commands.py --write`\nupdates "
        "the page.\n\n",
        out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            put_command(out, commands[i]);
        }
    }
    (void)fputs("## Exit status\n\n| status | meaning |\n|---:|---|\n", out);
#define X(name, number, text) put_exit(out, number, text);
    HAFT__EXIT_MAP(X)
#undef X
    (void)putc('\n', out);
    put_placeholders(out);
    put_variables(out);
}
