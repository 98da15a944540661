/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manual.c - prints the command table as manual pages, in plain man(7) for groff and mandoc.
 *
 * Tests: tests/cli/help_test.py.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/config/variables.h"

/* Prints text that roff prints unchanged: escapes backslashes, dashes, and requests at the start of
 * a line. */
static void put(FILE *out, const char *text)
{
    if (text[0] == '.' || text[0] == '\'') {
        (void)fputs("\\&", out);
    }
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '\\': (void)fputs("\\e", out); break;
        case '-': (void)fputs("\\-", out); break;
        case '`': (void)fputs("\\(ga", out); break;
        case '\'': (void)fputs("\\(aq", out); break;
        case '^': (void)fputs("\\(ha", out); break;
        case '~': (void)fputs("\\(ti", out); break;
        default: (void)putc(*c, out); break;
        }
    }
}

static void put_upper(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        (void)(*c == '-' ? fputs("\\-", out)
                         : putc(haft__ascii_is_lower(*c) ? *c - 'a' + 'A' : *c, out));
    }
}

/* Prints the header of the page of haft, or of haft-NAME. */
static void begin(FILE *out, const char *name, const char *summary)
{
    const char *dash = name[0] != '\0' ? "-" : "";
    (void)fputs(".TH HAFT", out);
    put_upper(out, dash);
    put_upper(out, name);
    (void)fprintf(out, " 1 \"\" \"haft %s\" \"haft manual\"\n.SH NAME\nhaft", haft_version());
    put(out, dash);
    put(out, name);
    (void)fputs(" \\- ", out);
    put(out, summary);
    (void)putc('\n', out);
}

/* Prints a term and its description. */
static void entry(FILE *out, const char *term, const char *more, const char *what)
{
    (void)fputs(".TP\n.B ", out);
    put(out, term);
    (void)fputs(more[0] != '\0' ? " " : "", out);
    put(out, more);
    (void)putc('\n', out);
    put(out, what);
    (void)putc('\n', out);
}

static void put_exit(void *context, int number, const char *text)
{
    char term[8];
    (void)snprintf(term, sizeof(term), "%d", number);
    entry(context, term, "", text);
}

static void put_line(FILE *out, haft_str line)
{
    char text[256];
    (void)snprintf(text, sizeof(text), "%.*s", HAFT__ARG(line));
    put(out, text);
    (void)putc('\n', out);
}

/* Prints the paragraphs of a help text. Empty lines separate paragraphs; indented lines are
 * verbatim. */
static void put_text(FILE *out, haft_str text)
{
    bool indented = false;
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        bool inner = haft__str_starts_with(line, HAFT__LIT("  "));
        if (inner != indented) {
            (void)fputs(inner ? ".RS\n.nf\n" : ".fi\n.RE\n", out);
            indented = inner;
        }
        if (line.len == 0) {
            (void)fputs(".PP\n", out);
        } else {
            put_line(out, haft__str_trim(line));
        }
    }
    (void)fputs(indented ? ".fi\n.RE\n" : "", out);
}

static void put_option(FILE *out, const haft__option *option)
{
    char term[HAFT__OPTION_SYNTAX_SIZE];
    haft__option_write_syntax(option, "", term);
    entry(out, term, "", option->help);
}

static void put_environment(FILE *out)
{
    size_t count;
    const haft__variable_row *rows = haft__variable_table(&count);
    (void)fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < count; i++) {
        entry(out, rows[i].name, "", rows[i].what);
    }
}

static const struct {
    const char *path, *what;
} files[] = {
    {"haft.config.yaml", "settings of a project, in the working directory or one of its parents"},
    {"$XDG_CONFIG_HOME/haft/config.yaml", "your own settings"},
    {".env", "variables, in the directory of haft.config.yaml or the working directory"},
    {"$XDG_STATE_HOME/haft/haft.db", "the store, unless another one is named"},
};

void haft__manual_print_all(FILE *out)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    begin(out, "", "a tool-calling runtime for language-model agents");
    (void)fputs(".SH SYNOPSIS\n.B haft\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
                ".SH DESCRIPTION\nhaft runs agents: a language model with tools, described by a "
                "file.\nEach command has a page of its own, such as\n.BR haft\\-run (1).\n"
                ".SH COMMANDS\n",
                out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            entry(out, commands[i]->name, commands[i]->usage, commands[i]->summary);
        }
    }
    (void)fputs(".SH EXIT STATUS\n", out);
#define X(name, number, text) put_exit(out, number, text);
    HAFT__EXIT_MAP(X)
#undef X
    put_environment(out);
    (void)fputs(".SH FILES\n", out);
    for (size_t i = 0; i < COUNT(files); i++) {
        entry(out, files[i].path, "", files[i].what);
    }
    (void)fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0, listed = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            (void)fputs(listed++ > 0 ? ",\n.BR haft\\-" : ".BR haft\\-", out);
            put(out, commands[i]->name);
            (void)fputs(" (1)", out);
        }
    }
    (void)putc('\n', out);
}

static void put_examples(FILE *out, const haft__example *example)
{
    (void)fputs(".SH EXAMPLES\n", out);
    for (; example->line != NULL; example++) {
        entry(out, example->line, "", example->summary);
    }
}

void haft__manual_print_command(FILE *out, const haft__command *command)
{
    begin(out, command->name, command->summary);
    (void)fputs(".SH SYNOPSIS\n.B haft ", out);
    put(out, command->name);
    (void)fputs("\n[\\fIOPTION\\fR]...\n", out);
    put(out, command->usage);
    (void)fputs(command->usage[0] != '\0' ? "\n.SH DESCRIPTION\n" : ".SH DESCRIPTION\n", out);
    put_text(out, haft__str(command->help[0] != '\0' ? command->help : command->summary));
    if (command->subcommands != NULL) {
        (void)fputs(".SH COMMANDS\n", out);
        for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
            entry(out, sub->name, sub->usage, sub->summary);
        }
    }
    (void)fputs(".SH OPTIONS\n", out);
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        put_option(out, o);
    }
    put_option(out, &haft__option_help);
    if (command->examples != NULL) {
        put_examples(out, command->examples);
    }
    (void)fputs(".SH EXIT STATUS\n", out);
    haft__command_each_exit_status(command, put_exit, out);
    (void)fputs(".SH SEE ALSO\n.BR haft (1)\n", out);
}
