/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_command.c - finds arguments of a model that could become a program, an option, or code in
 * the words of a command. Tests: tests/spec/load/check_command_test.c.
 */
#include "base/str.h"
#include "spec/load/load_int.h"
#include "tool/code_arguments.h"
#include "tool/template.h"
#include "json/object.h"

/* ---- words ---- */

static const char *describe(haft__word_risk risk)
{
    switch (risk) {
    case HAFT__WORD_PROGRAM: return "choose the program";
    case HAFT__WORD_OPTION: return "become an option";
    case HAFT__WORD_CODE: return "become part of code";
    case HAFT__WORD_VALUE: return "be code, as the value of an option";
    case HAFT__WORD_SUBCOMMAND: return "choose the subcommand";
    case HAFT__WORD_DATA: break;
    }
    return "";
}

static void report_word(haft__loader *l, const haft__command_words *words, size_t at,
                        haft_str pointer)
{
    const haft__command_word *word = &words->items[at];
    haft_str reader = words->items[word->reader].text;
    const char *what = describe(word->risk);
    if (word->unsure) {
        haft__spec_problem *problem =
            haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                                 "the argument \"%.*s\" may %s: haft does not know whether and how "
                                 "'%.*s' reads this word",
                                 HAFT__ARG(word->argument), what, HAFT__ARG(reader));
        haft__loader_hint(l, problem,
                          "use stdin, or pass the argument to a script as a separate word");
    } else if (word->reader == at) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" would %s",
                               HAFT__ARG(word->argument), what);
        haft__loader_hint(l, problem, "name the program in the spec");
    } else {
        haft__spec_problem *problem = haft__loader_error(
            l, pointer, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" would %s of '%.*s'",
            HAFT__ARG(word->argument), what, HAFT__ARG(reader));
        haft__loader_hint(l, problem,
                          "use stdin, or pass the argument to a script as a separate word");
    }
}

/* Warns about an optional argument: a call without the argument is refused, unless its word is the
 * last word. */
static void check_absence(haft__loader *l, const haft__command_words *words, size_t at,
                          haft_str pointer)
{
    const haft__command_word *word = &words->items[at];
    if (word->absence != HAFT__ABSENT_UNSURE || !word->missable || at + 1 == words->count) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, pointer, HAFT__SUBJECT_VALUE,
        "calls without the argument \"%.*s\" are refused: '%.*s' may take the next word as its "
        "value",
        HAFT__ARG(word->argument),
        HAFT__ARG(word->alone ? words->items[at - 1].text : word->fixed));
    haft__loader_hint(l, problem, "make it required, give it a default, or write --option={arg}");
}

/* Warns once about code in the spec that may use arguments of the model as more than data. */
static void check_code(haft__loader *l, const haft__command_words *words, haft_str pointer)
{
    haft__code_argument found;
    haft_error err;
    if (haft__loader_failed(l, haft__code_arguments_find(l->arena, words, &found, &err))
        || found.argument.ptr == NULL) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, haft__loader_pointer(l, "%.*s/command/%zu", HAFT__ARG(pointer), found.word),
        HAFT__SUBJECT_VALUE, "the code of '%.*s' may use the argument \"%.*s\" as more than data",
        HAFT__ARG(words->items[found.reader].text), HAFT__ARG(found.argument));
    haft__loader_hint(l, problem,
                      found.shell ? "use \"$1\", in double quotes, only as an operand of simple "
                                    "commands, or name a script"
                                  : "name a script that uses the argument only as data");
}

/* Warns about names in braces that are not arguments. Skips code, which may have its own braces. */
static void check_names(haft__loader *l, const haft__tool *tool, haft_str word, haft_str pointer)
{
    haft__template_piece piece;
    while (haft__template_next(&word, &piece)) {
        if (piece.name.ptr != NULL
            && !haft__template_has_argument(tool->input_schema, piece.name)) {
            (void)haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                                       "the tool has no argument \"%.*s\"", HAFT__ARG(piece.name));
        }
    }
}

/* ---- standard input ---- */

static bool has_arguments(haft__json input_schema)
{
    return haft__object_flag(input_schema, "additionalProperties", true)
           || haft__object_object(input_schema, "properties").count > 0;
}

/* Whether the model writes a part of standard input. Without `stdin`, standard input is the
 * arguments. */
static bool reaches_stdin(const haft__tool *tool)
{
    haft_str text = haft__object_string(tool->definition, "stdin");
    haft__template_piece piece;
    if (haft__object_get(tool->definition, "stdin").kind != HAFT__JSON_STRING) {
        return has_arguments(tool->input_schema);
    }
    while (haft__template_next(&text, &piece)) {
        if (piece.name.ptr != NULL && haft__template_has_argument(tool->input_schema, piece.name)) {
            return true;
        }
    }
    return false;
}

static void check_stdin(haft__loader *l, const haft__tool *tool, const haft__command_words *words,
                        haft_str pointer)
{
    bool code = words->stdin_reader < words->count;
    size_t at = code ? words->stdin_reader : words->stdin_words;
    if (at == words->count || !reaches_stdin(tool)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, haft__loader_pointer(l, "%.*s/command/%zu", HAFT__ARG(pointer), at), HAFT__SUBJECT_VALUE,
        code ? "'%.*s' evaluates its standard input, and the model writes a part of it"
             : "'%.*s' makes words of its standard input, and the model writes a part of it: they "
               "may become options",
        HAFT__ARG(words->items[at].text));
    haft__loader_hint(l, problem,
                      code ? "name a script; it can read the arguments from standard input"
                           : "put -- at the end, if the program reads options only before it");
}

/* Reports confined arguments that the tool does not have, because they would have no effect. */
static void check_root(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__json roots = haft__object_object(tool->definition, "root");
    haft_str at = haft__loader_pointer(l, "%.*s/root", HAFT__ARG(pointer));
    for (uint32_t i = 0; i < roots.count; i++) {
        haft_str name = haft__json_text(roots.members[i].key);
        if (!haft__template_has_argument(tool->input_schema, name)) {
            (void)haft__loader_error(l, haft__loader_pointer_to_key(l, at, name), HAFT__SUBJECT_KEY,
                                     "the tool has no argument \"%.*s\"", HAFT__ARG(name));
        }
    }
}

void haft__loader_check_command(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__json command = haft__object_array(tool->definition, "command");
    haft__command_words words;
    haft_error err;
    if (command.count == 0
        || haft__loader_failed(
            l, haft__command_words_read(l->arena, command, tool->input_schema, &words, &err))) {
        return;
    }
    for (size_t i = 0; i < words.count; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/command/%zu", HAFT__ARG(pointer), i);
        if (words.items[i].risk != HAFT__WORD_DATA) {
            report_word(l, &words, i, at);
        }
        check_absence(l, &words, i, at);
        if (!words.items[i].code) {
            check_names(l, tool, words.items[i].text, at);
        }
    }
    check_code(l, &words, pointer);
    check_stdin(l, tool, &words, pointer);
    check_root(l, tool, pointer);
}
