/* SPDX-License-Identifier: Apache-2.0 */
/* code_arguments.c - see tool/code_arguments.h. Tests: tests/tool/code_arguments_test.c. */
#include "tool/code_arguments.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "tool/programs.h"
#include "tool/shell_code.h"

/* ---- languages ---- */

#define ANY_CODE "" /* contained in any code */

/* Words of a language that evaluate a text, load code by name or start a program. They match the
 * start of an identifier. Programs whose code cannot read the other words of the command, such as
 * sed, are not in the table. */
static const struct {
    haft__program programs; /* only `names` is used */
    const char *words[24];
} languages[] = {
    {{.names = "python pypy ipython pythonw micropython"},
     {"eval",   "exec",    "system",       "popen",         "Popen",      "spawn",    "subprocess",
      "pty",    "getattr", "importlib",    "import_module", "__import__", "runpy",    "globals",
      "pickle", "ctypes",  "__builtins__", "builtins",      "posix",      "startfile"}},
    {{.names = "perl"},
     {"eval", "exec", "system", "qx", "open", "require", "do", "readpipe", "syscall", "`", "ee",
      "$$", "&$", "&{", "->$"}},
    {{.names = "ruby jruby truffleruby"},
     {"eval",
      "instance_eval",
      "class_eval",
      "module_eval",
      "instance_exec",
      "exec",
      "system",
      "spawn",
      "open",
      "popen",
      "send",
      "public_send",
      "__send__",
      "method",
      "const_get",
      "require",
      "load",
      "binding",
      "Kernel",
      "IO",
      "Open3",
      "`",
      "%x",
      "syscall"}},
    {{.names = "node nodejs bun"},
     {"eval", "Function", "child_process", "vm", "setTimeout", "setInterval", "constructor",
      "require(process", "import(process", "Bun", "$`"}},
    {{.names = "php"},
     {"eval", "exec", "shell_exec", "system", "passthru", "popen", "proc_open", "pcntl_exec", "`",
      "include", "require", "assert", "create_function", "call_user_func", "unserialize",
      "$argv[1]("}},
    {{.names = "lua luajit texlua"},
     {"load", "loadstring", "loadfile", "dofile", "execute", "popen", "require"}},
    {{.names = "awk gawk mawk nawk original-awk bwk"}, {"system", "getline", " | ", "@"}},
    {{.names = "fish csh tcsh rc es elvish nu xonsh osh ysh oil guile Rscript julia elixir iex "
               "osascript expect redis-cli"},
     {ANY_CODE}},
};

/* Whether `word` occurs in the code at the start of an identifier. */
static bool contains_word(haft_str code, haft_str word)
{
    for (size_t at = 0; at + word.len <= code.len; at++) {
        bool inside = at > 0 && word.len > 0 && haft__ascii_is_alphanumeric(word.ptr[0])
                      && (haft__ascii_is_alphanumeric(code.ptr[at - 1]) || code.ptr[at - 1] == '_');
        if (!inside && haft__str_starts_with(haft__str_skip(code, at), word)) {
            return true;
        }
    }
    return false;
}

static bool may_evaluate(haft_str program, haft_str code)
{
    for (size_t i = 0; i < COUNT(languages); i++) {
        if (!haft__program_has_name(&languages[i].programs, program)) {
            continue;
        }
        for (size_t k = 0; k < COUNT(languages[i].words) && languages[i].words[k] != NULL; k++) {
            if (contains_word(code, haft__str(languages[i].words[k]))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the program is a shell whose code tool/shell_code.h reads. */
static bool is_shell(haft_str program)
{
    const haft__program *row;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        if ((row->flags & HAFT__PROGRAM_PLUS) != 0 && haft__program_has_name(row, program)) {
            return true;
        }
    }
    return false;
}

/* ---- commands ---- */

/* Whether `word` is code of the interpreter at `reader`. */
static bool is_code_of(const haft__command_words *words, size_t word, size_t reader)
{
    return word > reader && words->items[word].code;
}

/* Implements haft__shell_command_check. Code inside code is not read: it counts as not plain. */
static haft_status check_command(haft__arena *arena, haft__json command, bool *ret_plain,
                                 haft_error *err)
{
    haft__json_member x = {.key = haft__json_string(HAFT__LIT("x"))};
    haft__json required = haft__json_string(HAFT__LIT("x"));
    x.value = haft__json_object(NULL, 0);
    haft__json_member schema[] = {
        {.key = haft__json_string(HAFT__LIT("properties")), .value = haft__json_object(&x, 1)},
        {.key = haft__json_string(HAFT__LIT("required")), .value = haft__json_array(&required, 1)},
    };
    haft__command_words words;
    haft_status status = haft__command_words_read(
        arena, command, haft__json_object(schema, COUNT(schema)), &words, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool plain = words.stdin_reader == words.count && words.stdin_words == words.count;
    for (size_t i = 0; i < words.count; i++) {
        const haft__command_word *word = &words.items[i];
        haft_str reader = words.items[word->reader].text;
        plain = plain && (word->argument.ptr == NULL || word->risk == HAFT__WORD_DATA);
        for (size_t k = word->reader + 1; word->passed && k < words.count; k++) {
            plain = plain
                    && !(is_code_of(&words, k, word->reader)
                         && (is_shell(reader) || may_evaluate(reader, words.items[k].text)));
        }
    }
    *ret_plain = plain;
    return HAFT_OK;
}

/* Whether the code of the interpreter at `reader` uses its arguments only as data. */
static haft_status read_code(haft__arena *arena, const haft__command_words *words, size_t reader,
                             bool *ret_plain, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft_str program = words->items[reader].text;
    *ret_plain = true;
    for (size_t i = reader + 1; i < words->count && *ret_plain && status == HAFT_OK; i++) {
        haft_str code = words->items[i].text;
        if (!is_code_of(words, i, reader)) {
            continue;
        }
        if (is_shell(program)) {
            status = haft__shell_code_read(arena, code, check_command, ret_plain, err);
        } else {
            *ret_plain = !may_evaluate(program, code);
        }
    }
    return status;
}

haft_status haft__code_arguments_find(haft__arena *arena, const haft__command_words *words,
                                      haft__code_argument *ret_found, haft_error *err)
{
    size_t judged = SIZE_MAX; /* the code of this interpreter uses its arguments only as data */
    *ret_found = (haft__code_argument){.argument = {NULL, 0}};
    for (size_t i = 0; i < words->count; i++) {
        const haft__command_word *word = &words->items[i];
        bool plain = true;
        if (!word->passed || word->bounded || word->risk != HAFT__WORD_DATA
            || word->reader == judged) {
            continue;
        }
        haft_status status = read_code(arena, words, word->reader, &plain, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (!plain) {
            *ret_found = (haft__code_argument){.argument = word->argument,
                                               .word = i,
                                               .reader = word->reader,
                                               .shell = is_shell(words->items[word->reader].text)};
            return HAFT_OK;
        }
        judged = word->reader;
    }
    return HAFT_OK;
}
