/* SPDX-License-Identifier: Apache-2.0 */
/* fish.c - the completion script for fish: a `complete` command for each fact. Tests:
 * tests/cli/completion_test.py. */
#include "base/str.h"
#include "cli/completion/completion.h"

static const char head[] =
    "# fish completion for haft, made by `haft completion fish`\n"
    "\n"
    "# __haft_is COMMAND [SUBCOMMAND...]: whether the command line has that command\n"
    "function __haft_is\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]; or return 1\n"
    "    test (count $argv) -eq 1; and return 0\n"
    "    test (count $words) -ge 3; and contains -- $words[3] $argv[2..-1]\n"
    "end\n"
    "\n"
    "# whether no command was typed yet\n"
    "function __haft_none\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "# whether no subcommand was typed yet\n"
    "function __haft_bare\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -eq 2; and test $words[2] = $argv[1]\n"
    "end\n"
    "\n"
    "function __haft_ask\n"
    "    set -l store (string match -r -g -- '--store[= ](\\S+)' (commandline -p))\n"
    "    test -n \"$store\"; and set store --store $store\n"
    "    haft completion $argv[1] $store 2>/dev/null\n"
    "end\n"
    "\n"
    "complete -c haft -f\n";

/* Prints the candidates as an option of `complete`. */
static void put_candidates(FILE *out, haft__placeholder_kind kind, haft_str choices)
{
    static const char *const actions[] = {
        [HAFT__PLACEHOLDER_ANY] = "",
        [HAFT__PLACEHOLDER_FILE] = " -F",
        [HAFT__PLACEHOLDER_DIRECTORY] = " -a '(__fish_complete_directories)'",
        [HAFT__PLACEHOLDER_RUN] = " -a '(__haft_ask runs)'",
        [HAFT__PLACEHOLDER_THREAD] = " -a '(__haft_ask threads)'",
        [HAFT__PLACEHOLDER_MODEL] = " -a '(__haft_ask models)'",
        [HAFT__PLACEHOLDER_COMMAND] = " -a '(__haft_ask commands)'",
    };
    if (kind == HAFT__PLACEHOLDER_CHOICE) {
        (void)fputs(" -a '", out);
        haft__completion_print_choices(out, choices, ' ');
        (void)putc('\'', out);
    } else {
        (void)fputs(actions[kind], out);
    }
}

/* Prints a description. In single quotes fish has only the escapes \' and \\. */
static void put_description(FILE *out, const char *text)
{
    (void)fputs(" -d '", out);
    for (const char *c = text; *c != '\0'; c++) {
        (void)fputs(*c == '\'' || *c == '\\' ? "\\" : "", out);
        (void)putc(*c, out);
    }
    (void)fputs("'\n", out);
}

static void put_option(FILE *out, const haft__command *command, const haft__option *o)
{
    (void)fprintf(out, "complete -c haft -n '__haft_is %s' -l %s", command->name, o->name);
    if (o->letter != '\0') {
        (void)fprintf(out, " -s %c", o->letter);
    }
    if (haft__completion_takes_value(o)) {
        (void)fputs(haft__completion_value_kind(o) == HAFT__PLACEHOLDER_FILE ? " -r" : " -x", out);
        put_candidates(out, haft__completion_value_kind(o), haft__str(o->value));
    }
    put_description(out, o->help);
}

static void put_arguments(FILE *out, const char *condition, const char *usage)
{
    haft_str rest = haft__str(usage), name;
    while (haft__placeholder_next(&rest, &name)) {
        const haft__placeholder *word = haft__placeholder_find(name);
        haft__placeholder_kind kind = word != NULL ? word->kind : HAFT__PLACEHOLDER_ANY;
        if (kind != HAFT__PLACEHOLDER_ANY) {
            (void)fprintf(out, "complete -c haft -n '__haft_is %s'", condition);
            put_candidates(out, kind, name);
            (void)putc('\n', out);
        }
    }
}

static void put_subcommands(FILE *out, const haft__command *command)
{
    for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
        char condition[64];
        (void)fprintf(out, "complete -c haft -n '__haft_bare %s' -a %s", command->name, sub->name);
        put_description(out, sub->summary);
        (void)snprintf(condition, sizeof(condition), "%s %s", command->name, sub->name);
        put_arguments(out, condition, sub->usage);
    }
}

void haft__completion_print_fish(FILE *out)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    (void)fputs(head, out);
    (void)fputs("complete -c haft -n __haft_none -l version -s V -d 'print the version'\n"
                "complete -c haft -l help -s h -d 'print help'\n",
                out);
    for (size_t i = 0; i < count; i++) {
        const haft__command *command = commands[i];
        if (command->hidden) {
            continue;
        }
        (void)fprintf(out, "\ncomplete -c haft -n __haft_none -a %s", command->name);
        put_description(out, command->summary);
        for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
            put_option(out, command, o);
        }
        if (command->subcommands != NULL) {
            put_subcommands(out, command);
        } else {
            put_arguments(out, command->name, command->usage);
        }
    }
}
