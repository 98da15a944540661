/* SPDX-License-Identifier: Apache-2.0 */
/* zsh.c - the completion script for zsh: specs of _arguments. Tests:
 * tests/cli/completion_test.py. */
#include <string.h>

#include "base/str.h"
#include "cli/completion/completion.h"

/* Characters that must be escaped in a spec of _arguments, and in a list of _describe. */
#define IN_SPEC ":[]\\"
#define IN_LIST ":\\"

static const char head[] =
    "#compdef haft\n"
    "# zsh completion for haft, made by `haft completion zsh`\n"
    "\n"
    "# _haft_ask KIND: runs, threads or models, with descriptions\n"
    "_haft_ask() {\n"
    "    local -a found store\n"
    "    local line\n"
    "    (( ${+opt_args[--store]} )) && store=(--store ${(Q)opt_args[--store]})\n"
    "    for line in ${(f)\"$(haft completion $1 $store 2>/dev/null)\"}; do\n"
    "        found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done\n"
    "    _describe -t $1 $1 found\n"
    "}\n"
    "\n"
    "_haft_commands() {\n"
    "    local -a found=(\n";

static const char tail[] =
    "\n"
    "_haft() {\n"
    "    local context state state_descr line ret=1\n"
    "    typeset -A opt_args\n"
    "    _arguments -C '(- *)'{-h,--help}'[print this help]' '(- *)'{-V,--version}'[print the "
    "version]' "
    "\\\n"
    "        '1: :_haft_commands' '*:: :->arguments' && ret=0\n"
    "    if [[ $state == arguments ]] && (( ${+functions[_haft_${words[1]//-/_}]} )); then\n"
    "        _haft_${words[1]//-/_} && ret=0\n"
    "    fi\n"
    "    return ret\n"
    "}\n"
    "\n"
    "_haft \"$@\"\n";

static void action(FILE *out, haft__placeholder_kind kind, haft_str choices)
{
    static const char *const actions[] = {
        [HAFT__PLACEHOLDER_ANY] = " ",
        [HAFT__PLACEHOLDER_FILE] = "_files",
        [HAFT__PLACEHOLDER_DIRECTORY] = "_files -/",
        [HAFT__PLACEHOLDER_RUN] = " _haft_ask runs",
        [HAFT__PLACEHOLDER_THREAD] = " _haft_ask threads",
        [HAFT__PLACEHOLDER_MODEL] = " _haft_ask models",
        [HAFT__PLACEHOLDER_COMMAND] = "_haft_commands",
    };
    if (kind == HAFT__PLACEHOLDER_CHOICE) {
        (void)putc('(', out);
        haft__completion_print_choices(out, choices, ' ');
        (void)putc(')', out);
    } else {
        (void)fputs(actions[kind], out);
    }
}

static void put_escaped(FILE *out, const char *text, const char *special)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            (void)fputs("'\\''", out);
        } else {
            (void)fputs(strchr(special, *c) != NULL ? "\\" : "", out);
            (void)putc(*c, out);
        }
    }
}

static void put_option(FILE *out, const haft__option *o)
{
    const char *value = o->value != NULL ? o->value : "";
    bool maybe = o->kind == HAFT__OPTION_OPTIONAL_CHOICE;
    for (int letter = o->letter != '\0'; letter >= 0; letter--) {
        const char *sign = maybe ? "=-" : haft__completion_takes_value(o) ? "=" : "";
        if (letter == 1) {
            (void)fprintf(out, "        '*-%c", o->letter);
            sign = haft__completion_takes_value(o) ? "+" : "";
        } else {
            (void)fprintf(out, "        '*--%s", o->name);
        }
        (void)fprintf(out, "%s[", sign);
        put_escaped(out, o->help, IN_SPEC);
        (void)putc(']', out);
        if (sign[0] != '\0') {
            (void)fputs(maybe ? "::" : ":", out);
            put_escaped(out, value, IN_SPEC);
            (void)putc(':', out);
            action(out, haft__completion_value_kind(o), haft__str(value));
        }
        (void)fputs("' \\\n", out);
    }
}

static void put_arguments(FILE *out, const char *usage)
{
    haft_str rest = haft__str(usage), name;
    for (size_t number = 1; haft__placeholder_next(&rest, &name); number++) {
        const haft__placeholder *word = haft__placeholder_find(name);
        char text[64];
        (void)snprintf(text, sizeof(text), "%.*s", HAFT__ARG(name));
        (void)fprintf(out, "        '%zu:", number);
        put_escaped(out, text, IN_SPEC);
        (void)putc(':', out);
        action(out, word != NULL ? word->kind : HAFT__PLACEHOLDER_ANY, name);
        (void)fputs("' \\\n", out);
    }
}

/* Prints the subcommands with descriptions, as a function of their own: zsh would evaluate the text
 * of an action. */
static void put_subcommands(FILE *out, const haft__command *command)
{
    (void)fprintf(out, "\n_haft_%s_commands() {\n    local -a found=(\n", command->name);
    for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
        (void)fprintf(out, "        '%s:", sub->name);
        put_escaped(out, sub->summary, IN_LIST);
        (void)fputs("'\n", out);
    }
    (void)fputs("    )\n    _describe -t commands command found\n}\n", out);
}

static void put_command(FILE *out, const haft__command *command)
{
    if (command->subcommands != NULL) {
        put_subcommands(out, command);
    }
    (void)fputs("\n_haft_", out);
    for (const char *c = command->name; *c != '\0'; c++) {
        (void)putc(*c == '-' ? '_' : *c, out);
    }
    (void)fputs("() {\n    _arguments \\\n", out);
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        put_option(out, o);
    }
    if (command->subcommands != NULL) {
        (void)fprintf(out, "        '1: :_haft_%s_commands' \\\n        '2: : _haft_ask runs' \\\n",
                      command->name);
    } else {
        put_arguments(out, command->usage);
    }
    (void)fputs("        '(- *)'{-h,--help}'[print this help]'\n}\n", out);
}

void haft__completion_print_zsh(FILE *out)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    (void)fputs(head, out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            (void)fprintf(out, "        '%s:", commands[i]->name);
            put_escaped(out, commands[i]->summary, IN_LIST);
            (void)fputs("'\n", out);
        }
    }
    (void)fputs("    )\n    _describe -t commands command found\n}\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            put_command(out, commands[i]);
        }
    }
    (void)fputs(tail, out);
}
