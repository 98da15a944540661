/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - the completion script for bash, and code that the shells share.
 *
 * Each command is a shell function: it sets the candidates for the value of an option, or for the
 * argument at a position. One common function finds the position of the cursor. The script calls
 * haft when it needs the list of runs. Tests: tests/cli/completion_test.py.
 */
#include "cli/completion/completion.h"

#include "base/str.h"

haft__placeholder_kind haft__completion_value_kind(const haft__option *option)
{
    if (option->value == NULL || option->kind == HAFT__OPTION_NUMBER) {
        return HAFT__PLACEHOLDER_ANY;
    }
    if (option->kind == HAFT__OPTION_CHOICE || option->kind == HAFT__OPTION_OPTIONAL_CHOICE) {
        return HAFT__PLACEHOLDER_CHOICE;
    }
    const haft__placeholder *word = haft__placeholder_find(haft__str(option->value));
    return word != NULL ? word->kind : HAFT__PLACEHOLDER_ANY;
}

bool haft__completion_takes_value(const haft__option *option)
{
    return option->kind != HAFT__OPTION_FLAG && option->kind != HAFT__OPTION_OPTIONAL_CHOICE;
}

void haft__completion_print_choices(FILE *out, haft_str choices, char separator)
{
    for (size_t i = 0; i < choices.len; i++) {
        (void)putc(choices.ptr[i] == '|' ? separator : choices.ptr[i], out);
    }
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion for haft, made by `haft completion bash`\n"
    "\n"
    "# _haft_offer KIND: completions for the word at the cursor\n"
    "_haft_offer() {\n"
    "    local IFS=$'\\n' store=()\n"
    "    [[ $COMP_LINE =~ --store[=\\ ]([^\\ ]+) ]] && store=(--store \"${BASH_REMATCH[1]}\")\n"
    "    case $1 in\n"
    "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); compopt -o filenames 2>/dev/null "
    ";;\n"
    "    directory) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); compopt -o filenames "
    "2>/dev/null ;;\n"
    "    run | thread | model)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$(\"${COMP_WORDS[0]}\" completion \"$1s\" "
    "\"${store[@]}\" 2>/dev/null |\n"
    "            cut -f 1)\" -- \"$cur\") ;;\n"
    "    '= '*) mapfile -t COMPREPLY < <(compgen -W \"${1:2}\" -- \"$cur\") ;;\n"
    "    esac\n"
    "}\n";

static const char bash_tail[] =
    "\n"
    "_haft() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command='' first='' options='' valued='' kind='' i word number=0\n"
    "    COMPREPLY=()\n"
    "    # the shell splits --option=value into three words\n"
    "    if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then "
    "prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ -z $command ]]; then\n"
    "            [[ $word == -* ]] && return\n"
    "            command=$word\n"
    "            declare -F \"_haft_${command//-/_}\" >/dev/null || return\n"
    "            \"_haft_${command//-/_}\" ''\n"
    "        elif [[ $word == '=' ]]; then\n"
    "            ((i++))\n"
    "        elif [[ $word == -* ]]; then\n"
    "            [[ $valued == *\" $word \"* && ${COMP_WORDS[i + 1]} != '=' ]] && ((i++))\n"
    "        else\n"
    "            ((number++ == 0)) && first=$word\n"
    "        fi\n"
    "    done\n"
    "    if [[ -z $command ]]; then\n"
    "        _haft_offer \"= $_haft_commands\"\n"
    "    elif [[ $valued == *\" $prev \"* || ${COMP_WORDS[COMP_CWORD - 1]} == '=' || "
    "${COMP_WORDS[COMP_CWORD]} == '=' ]]; then\n"
    "        \"_haft_${command//-/_}\" \"$prev\"\n"
    "        _haft_offer \"$kind\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _haft_offer \"= $options\"\n"
    "    else\n"
    "        \"_haft_${command//-/_}\" \"$number\" \"$first\"\n"
    "        _haft_offer \"$kind\"\n"
    "    fi\n"
    "}\n"
    "complete -F _haft haft\n";

static const char *name_of(haft__placeholder_kind kind)
{
    static const char *const names[] = {
        [HAFT__PLACEHOLDER_ANY] = "",          [HAFT__PLACEHOLDER_FILE] = "file",
        [HAFT__PLACEHOLDER_RUN] = "run",       [HAFT__PLACEHOLDER_DIRECTORY] = "directory",
        [HAFT__PLACEHOLDER_THREAD] = "thread", [HAFT__PLACEHOLDER_MODEL] = "model",
        [HAFT__PLACEHOLDER_COMMAND] = "",      [HAFT__PLACEHOLDER_CHOICE] = "",
    };
    return names[kind];
}

/* Prints a line of a `case`: the pattern and its candidates. Prints nothing if any text is
 * allowed. */
static void bash_case(FILE *out, const char *pattern, haft__placeholder_kind kind, haft_str choices)
{
    if (kind == HAFT__PLACEHOLDER_ANY) {
        return;
    }
    (void)fprintf(out, "    %s) kind=", pattern);
    if (kind == HAFT__PLACEHOLDER_CHOICE) {
        (void)fputs("'= ", out);
        haft__completion_print_choices(out, choices, '\n');
        (void)fputs("'", out);
    } else if (kind == HAFT__PLACEHOLDER_COMMAND) {
        (void)fputs("\"= $_haft_commands\"", out);
    } else {
        (void)fputs(name_of(kind), out);
    }
    (void)fputs(" ;;\n", out);
}

static void bash_arguments(FILE *out, const char *usage, const char *sub, size_t number)
{
    haft_str rest = haft__str(usage), name;
    for (; haft__placeholder_next(&rest, &name); number++) {
        const haft__placeholder *word = haft__placeholder_find(name);
        char pattern[64];
        (void)snprintf(pattern, sizeof(pattern), sub[0] != '\0' ? "'%zu %s'" : "'%zu '*", number,
                       sub);
        bash_case(out, pattern, word != NULL ? word->kind : HAFT__PLACEHOLDER_ANY, name);
    }
}

static void bash_subcommands(FILE *out, const haft__command *command)
{
    (void)fputs("    '0 '*) kind='= ", out);
    for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
        (void)fprintf(out, "%s%s", sub == command->subcommands ? "" : "\n", sub->name);
    }
    (void)fputs("' ;;\n", out);
    for (const haft__subcommand *sub = command->subcommands; sub->name != NULL; sub++) {
        bash_arguments(out, sub->usage, sub->name, 1);
    }
}

static void bash_options(FILE *out, const haft__command *command, bool valued)
{
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        if (!valued || haft__completion_takes_value(o)) {
            (void)fprintf(out, valued ? "--%s " : "--%s\n", o->name);
            if (o->letter != '\0' && valued) {
                (void)fprintf(out, "-%c ", o->letter);
            }
        }
    }
}

static void bash_command(FILE *out, const haft__command *command)
{
    (void)fputs("\n_haft_", out);
    for (const char *c = command->name; *c != '\0'; c++) {
        (void)putc(*c == '-' ? '_' : *c, out);
    }
    (void)fputs("() {\n    options='", out);
    bash_options(out, command, false);
    (void)fputs("--help' valued=' ", out);
    bash_options(out, command, true);
    (void)fputs("'\n    case \"$1 $2\" in\n", out);
    for (const haft__option *o = command->options; o != NULL && o->name != NULL; o++) {
        char pattern[96];
        char letter[16] = "";
        if (o->letter != '\0') {
            (void)snprintf(letter, sizeof(letter), " | '-%c '", o->letter);
        }
        (void)snprintf(pattern, sizeof(pattern), "'--%s '%s", o->name, letter);
        bash_case(out, pattern, haft__completion_value_kind(o),
                  haft__str(o->value != NULL ? o->value : ""));
    }
    if (command->subcommands != NULL) {
        bash_subcommands(out, command);
    } else {
        bash_arguments(out, command->usage, "", 0);
    }
    (void)fputs("    esac\n}\n", out);
}

void haft__completion_print_bash(FILE *out)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    (void)fputs(bash_head, out);
    (void)fputs("\n_haft_commands='", out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            (void)fprintf(out, "%s\n", commands[i]->name);
        }
    }
    (void)fputs("--help\n--version'\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            bash_command(out, commands[i]);
        }
    }
    (void)fputs(bash_tail, out);
}
